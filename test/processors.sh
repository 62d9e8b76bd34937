#!/bin/bash
# Ladders of every model that are rated where the C library uses all of the processor,
# and where it takes the code for one that lacks FMA and AVX: they must be the same to
# the bit, and each must verify under the other.
#
#   test/cluster.sh test/processors.sh
#
# glibc chooses among several versions of its functions when a program starts, and
# GLIBC_TUNABLES withholds features of the processor from that choice.  Other C
# libraries ignore it; whether the choice matters here is printed.
#
# Environment:
#   PROCESSORS_MATCHES  how many matches each ladder has (default: 120)
#
# Prints one line for each check, "ok NAME" or "not ok NAME", and fails if any
# check does.

set -euo pipefail

. "$(dirname "${BASH_SOURCE[0]}")/common.sh"
begin processors
matches=${PROCESSORS_MATCHES:-120}

# Names of several versions of glibc; those that it does not know it ignores.
old='glibc.cpu.hwcaps=-FMA,-FMA4,-FMA_Usable,-FMA4_Usable,-AVX,-AVX2,-AVX_Usable,-AVX2_Usable,-AVX512F,-AVX512F_Usable'
make_cluster server
export PGHOST=$scratch PGPORT=6450 PGUSER=postgres PGDATABASE=postgres

# Run the server on a kind of processor: "this" or "old".
run_on() {
	local tunables=
	[ "$1" = this ] || tunables=$old
	[ ! -e "$scratch/server/postmaster.pid" ] || pg_ctl -D "$scratch/server" -m fast -w stop
	CLUSTER_DIRECTORY='' GLIBC_TUNABLES=$tunables \
		pg_ctl -D "$scratch/server" -l "$scratch/server.log" -o "-p $PGPORT" -w start
}

# The C library's own functions, to see whether it chooses at all.
libm() {
	ask -c "SELECT md5(string_agg(concat(exp(x / 7e4::float8), ln(x::float8), power(x::float8, 0.3::float8), sin(x)), ''))
		FROM generate_series(1, 20000) AS x"
}

# A ladder for each model, one more for each other choice of a parameter, and the
# matches and operations that all of them get.
run_on this
libm >"$scratch/libm.this"
ask -o /dev/null -v matches="$matches" <<'SQL'
CREATE EXTENSION skillrating;
-- Whether no other parameter leaves these without effect.
CREATE FUNCTION takes(model text, params jsonb) RETURNS boolean LANGUAGE plpgsql AS $$
BEGIN
    RETURN EXISTS (SELECT FROM skillrating.models(model, params));
EXCEPTION WHEN invalid_parameter_value THEN RETURN false;
END $$;
CREATE TABLE variant AS
SELECT m.name AS model, '{}'::jsonb AS params, m.name AS title FROM skillrating.models() AS m
UNION ALL
SELECT m.name, jsonb_build_object(p.name, c), concat_ws('_', m.name, p.name, c)
FROM skillrating.models() AS m, skillrating.parameters(m.name) AS p, unnest(p.choices) AS c
-- Rating periods are the business of ladder_periods.
WHERE to_jsonb(c) <> p.default_value AND p.name NOT LIKE 'period%' AND takes(m.name, jsonb_build_object(p.name, c))
UNION ALL
SELECT m.name, jsonb_build_object(p.name, true), concat_ws('_', m.name, p.name)
FROM skillrating.models() AS m, skillrating.parameters(m.name) AS p WHERE p.kind = 'model' AND p.type = 'flag' AND p.default_value = 'false' AND takes(m.name, jsonb_build_object(p.name, true))
UNION ALL
SELECT model, params::jsonb, title
FROM (VALUES ('weng_lin', '{"margin": 0.7}', 'weng_lin_margin'), ('weng_lin', '{"margin": 0.7, "margin_form": "divide"}', 'weng_lin_divide'),
    ('weng_lin', '{"drift": 0.3}', 'weng_lin_drift'), ('trueskill', '{"drift": 0.3}', 'trueskill_drift')) AS v(model, params, title);
CREATE TABLE participant AS
SELECT m AS match_id, CASE WHEN m % 5 = 0 THEN 'other' ELSE '' END AS pool,
    '2020-01-01'::timestamptz + m * m * interval '7 minutes' AS played_at,
    (m * 7 + p * 5 + p * p) % 31 AS player_id, p % teams AS team,
    (m / 3 + p % teams) % teams * (m % 4 + 1) / 2 AS score, CASE WHEN teams = 2 THEN 1 + (p + m / 3) % 2 END AS side,
    CASE WHEN m % 3 = 0 THEN 0.25 + (m + p) % 4 / 4.0 END AS weight, CASE WHEN m % 3 = 1 THEN 60.5 * (p % 3) END AS joined,
    CASE WHEN m % 3 = 1 THEN 700 + 33.3 * p END AS left_at, CASE WHEN m % 4 = 0 AND p < 2 THEN 0.5 + p / 4.0 END AS commanding,
    CASE WHEN m % 2 = 0 AND p < 4 THEN p / 2 END AS squad, (m * p) % 13 AS kills, (m + 3 * p) % 11 AS deaths,
    CASE WHEN m % 7 = 0 THEN p = 3 END AS quit, m * p AS experience,
    (m + p) % 5 / 2.0 AS gain, CASE WHEN m % 3 > 0 THEN 'map ' || m % 4 END AS context, CASE WHEN p % 3 > 0 THEN 'club ' || p % 4 END AS club
FROM generate_series(1, :matches) AS m, LATERAL (SELECT CASE WHEN m % 6 = 1 THEN 3 ELSE 2 END AS teams) AS t,
    generate_series(0, 1 + m % 6) AS p
WHERE p < 2 + m % 5;
-- Contests with so many places that a model finds some of them in a table.
INSERT INTO participant (match_id, pool, played_at, player_id, team, score)
SELECT :matches + m, '', '2022-01-01'::timestamptz + m * interval '7 days', p, p, (p * 7 + m * m) % 29
FROM generate_series(1, 8) AS m, generate_series(0, 30) AS p;
CREATE PROCEDURE fill(ladder text) LANGUAGE plpgsql AS $$
BEGIN
    EXECUTE format('INSERT INTO %I.match (match_id, pool, played_at, log_odds, gain)
        SELECT match_id, pool, played_at, CASE WHEN max(team) = 1 THEN 0.2 ELSE 0 END, 0.5 + match_id %% 3 / 2.0
        FROM participant GROUP BY match_id, pool, played_at', ladder);
    EXECUTE format('INSERT INTO %I.match_player (match_id, player_id, team, team_score, side, weight, joined, left_at, commanding,
            squad, kills, deaths, quit, experience, player_gain, context, club)
        SELECT match_id, player_id, team, score, side, weight, joined, left_at, commanding, squad, kills, deaths, quit, experience, gain,
            context, club
        FROM participant', ladder);
    SET CONSTRAINTS ALL IMMEDIATE;
    SET CONSTRAINTS ALL DEFERRED;
    PERFORM skillrating.decay(ladder, half_life => '100 days', at => '2023-01-01'), skillrating.new_season(ladder, 'next', 0.7, at => '2023-01-01');
    PERFORM skillrating.solve_ladder(ladder, solver, pool => '') FROM unnest('{bradley_terry,whole_history,through_time}'::text[]) AS solver;
END $$;
SQL

# Ladders named after the processor that they are rated on.
make_ladders() {
	ask -o /dev/null <<-SQL
		SELECT skillrating.create_ladder(concat_ws('_', '$1', title), model, params) FROM variant;
		DO \$\$ DECLARE title text; BEGIN FOR title IN SELECT v.title FROM variant AS v LOOP CALL fill(concat_ws('_', '$1', title)); END LOOP; END \$\$;
	SQL
}
# Those of the ladders that do not verify, without the first word of their names.
unverified() {
	ask -c "SELECT string_agg(title, ', ') FROM variant WHERE (SELECT bool_and(ok) FROM skillrating.verify(concat_ws('_', '$1', title))) IS NOT TRUE"
}
# A digest of each table with ratings, in the order of the ladders.
digests() {
	ask <<-SQL
		SELECT format('SELECT %L, %L, md5(string_agg(to_jsonb(t)::text, E''\n'' ORDER BY to_jsonb(t)::text COLLATE "C")) FROM %I.%I AS t', title, r, concat_ws('_', '$1', title), r)
		FROM variant, unnest('{event,rating,component,component_event,solved,solved_context}'::text[]) AS r ORDER BY title COLLATE "C", r \gexec
	SQL
}
none() { [ -z "$1" ] && echo t || echo "$1"; }

make_ladders this
run_on old
libm >"$scratch/libm.old"
make_ladders old
check "what this processor rated verifies on an old one" "$(none "$(unverified this)")"
check "what an old one rated verifies there" "$(none "$(unverified old)")"
run_on this
check "what an old one rated verifies on this one" "$(none "$(unverified old)")"
digests this >"$scratch/digests.this"
digests old >"$scratch/digests.old"
check "each table of each ladder is the same" \
	"$(none "$(diff "$scratch/digests.this" "$scratch/digests.old" | awk -F'|' '/^</ { printf "%s of %s ", $2, substr($1, 3) }')")"
check "all of them have matches" "$(ask -c "SELECT count(*) > 20 FROM variant" -c "SELECT bool_and(ok) FROM
	(SELECT (xpath('//c/text()', query_to_xml(format('SELECT count(*) FILTER (WHERE status = ''rated'') > $((matches / 2)) AS c FROM %I.rated_match', 'this_' || title),
		false, true, '')))[1]::text::bool AS ok FROM variant) AS v" | sort -u)"
if cmp -s "$scratch/libm.this" "$scratch/libm.old"; then
	echo "# the C library computes alike on both, so that little was tested"
fi
exit $failed
