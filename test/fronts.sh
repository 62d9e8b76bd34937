#!/bin/bash
# Ladders of two regions, read from a third database through foreign tables.
#
#   test/cluster.sh test/fronts.sh
#
# Prints one line for each check, "ok NAME" or "not ok NAME", and fails if any check does.

set -euo pipefail

. "$(dirname "${BASH_SOURCE[0]}")/common.sh"
begin fronts

for region in eu us; do
	ask -c "CREATE DATABASE region_$region"
	ask -d region_$region -o /dev/null <<SQL
CREATE EXTENSION skillrating;
SELECT skillrating.create_ladder('$region', 'state_space', '{"home_sigma": 0.2}', late => 'append');
SELECT count(*) FROM (
    SELECT skillrating.report_match('$region', m, ARRAY[m % 9, m % 9 + 10, (m + 4) % 9, (m + 4) % 9 + 10], '{1, 1, 2, 2}',
        CASE WHEN m % 3 > 0 THEN '{1, 1, 2, 2}'::int[] ELSE '{2, 2, 1, 1}' END, played_at => '2026-01-01'::timestamptz + m * interval '1 hour', side => '{1, 1, 2, 2}')
    FROM generate_series(1, 60) AS m) AS q;
SELECT (skillrating.new_season('$region', 'spring', at => '2026-01-20')).players;
CREATE TABLE public.game (id bigint);
SQL
done
ask -c "CREATE DATABASE front"
ask -d front -o /dev/null <<SQL
CREATE EXTENSION skillrating;
CREATE EXTENSION postgres_fdw;
CREATE ROLE site;
SELECT format('CREATE SERVER %I FOREIGN DATA WRAPPER postgres_fdw OPTIONS (host %L, port %L, dbname %L, extensions %L, use_remote_estimate %L)', r, '$PGHOST', '$PGPORT', 'region_' || r, 'skillrating', 'true'),
    format('CREATE USER MAPPING FOR CURRENT_USER SERVER %I OPTIONS (user %L)', r, '$PGUSER'),
    format('CREATE SCHEMA %I', r),
    format('IMPORT FOREIGN SCHEMA %I FROM SERVER %1\$I INTO %1\$I', r)
FROM unnest('{eu,us}'::text[]) AS r \gexec
SELECT skillrating.grant_ladder('eu', 'site', 'reader');
SQL

# ---- Everything that reads ----

cat >reads.sql <<'SQL'
SELECT * FROM skillrating.leaderboard('eu', 5);
SELECT skillrating.place_of('eu', 7), skillrating.percentile_of('eu', 7);
SELECT * FROM skillrating.around('eu', 7, 2);
SELECT * FROM skillrating.history('eu', 7, 3);
SELECT skillrating.rating_at('eu', 7, '2026-01-02');
SELECT * FROM skillrating.preview('eu', ARRAY[1, 2], ARRAY[1, 2], side => '{1, 2}', at => '2026-02-01');
SELECT * FROM skillrating.win_probability('eu', ARRAY[1, 2], ARRAY[1, 2], side => '{1, 2}', at => '2026-02-01');
SELECT * FROM skillrating.lobby('eu', ARRAY[1, 2]);
SELECT * FROM skillrating.player_status('eu', at => '2026-02-01') ORDER BY player_id;
SELECT * FROM skillrating.surprising_players('eu') ORDER BY player_id;
SELECT * FROM skillrating.pool_quality('eu');
SELECT * FROM skillrating.match_outcome('eu', 1);
SELECT * FROM skillrating.verify('eu');
SELECT * FROM skillrating.match_journal('eu', 3);
SELECT * FROM skillrating.seasons('eu');
SELECT * FROM skillrating.season_table('eu', 'spring');
SELECT * FROM skillrating.season_table('eu', '', 3, after_player => 7);
SELECT skillrating.season_place_of('eu', 7, ''), skillrating.season_place_of('eu', 7, 'spring');
SELECT * FROM skillrating.eligibility('eu');
SELECT * FROM skillrating.settled_at('eu');
SELECT * FROM skillrating.components('eu');
SELECT * FROM skillrating.find_opponents('eu', 7, at => '2026-02-01');
SELECT * FROM skillrating.split_teams(skillrating.lobby('eu', ARRAY[1, 2, 3, 4], at => '2026-02-01'));
SELECT * FROM skillrating.compare_ladders('eu', 'eu');
SELECT rated, unrated, waiting, corrections, last_match FROM skillrating.ladder_status('eu');
SQL
# Sums over players round by the order of the rows.
rounded() { sed -E 's/(\.[0-9]{9})[0-9]+/\1/g'; }
ask -d region_eu -f reads.sql | rounded >there.out
ask -d front -f reads.sql 2>&1 | rounded >front.out || :
check "a front shows what the ladder shows" "$([ -s there.out ] && cmp -s there.out front.out && echo t || diff there.out front.out | head -40)"
# What is not among these has to be refused.
# But for those that concern the front itself, or would put right what it does not have.
printf 'skillrating.%s(\n' grant_ladder revoke_ladder drop_ladder restore_triggers create_ladder detach refresh_source >allowed
for function in $(ask -d front -c "SELECT DISTINCT e.function FROM skillrating_internal.ladder_entries() AS e JOIN pg_proc AS p ON p.proname = e.function AND p.pronamespace = 'skillrating'::regnamespace AND p.proargnames[1] = 'ladder'" | sort); do
	grep -q "skillrating\.$function(" reads.sql allowed || echo "$function"
done >others
# Arguments of every type, none of which is null.
call() {
	ask -d front -c "SELECT format('%s skillrating.%I(%s)', CASE p.prokind WHEN 'p' THEN 'CALL' ELSE 'SELECT' END, p.proname, string_agg(CASE
			WHEN a.n = 1 THEN '''eu''' WHEN a.name = 'into' THEN '''new''' WHEN a.type = 'regclass'::regtype THEN '''pg_class''' WHEN a.type = 'jsonb'::regtype THEN '''{}'''
			WHEN a.type IN ('anycompatible'::regtype, 'anyelement'::regtype) THEN '1::bigint' WHEN a.type = 'anycompatiblearray'::regtype THEN '''{1,2}''::bigint[]'
			WHEN a.type = 'text[]'::regtype THEN '''{a,b}''' WHEN a.type::text LIKE '%[]' THEN '''{1,2}''' WHEN a.type = 'interval'::regtype THEN '''1 day'''
			WHEN a.type = 'timestamptz'::regtype THEN '''2026-01-01''' WHEN a.type = 'bool'::regtype THEN 'true' WHEN a.type = 'text'::regtype THEN '''us''' ELSE '1' END, ', ' ORDER BY a.n))
		FROM (SELECT * FROM pg_proc WHERE pronamespace = 'skillrating'::regnamespace AND proname = '$1' ORDER BY oid LIMIT 1) AS p
		CROSS JOIN LATERAL (SELECT row_number() OVER () AS n, t::regtype AS type, p.proargnames[row_number() OVER ()] AS name FROM unnest(p.proargtypes) AS t) AS a
		WHERE a.n <= greatest(p.pronargs - p.pronargdefaults, 1) OR a.name = 'into'
		GROUP BY p.prokind, p.proname"
}
while read -r function; do
	statement=$(call "$function")
	answer=$( (ask -d front -v VERBOSITY=verbose -c "$statement" 2>&1 || :) | head -1)
	[[ $answer == *'55000: cannot call skillrating.'*'whose tables are foreign' ]] || echo "$statement: $answer"
done <others >wrong.out
check "and refuses all else, which is $(wc -l <others) functions" "$([ "$(wc -l <others)" -gt 20 ] && [ ! -s wrong.out ] && echo t || cat wrong.out)"

# ---- As another role, over both, and beside each other ----

check "a reader of the front reads as its owner" "$(ask -d front -c "SET ROLE site" -c "SELECT count(*) = 3 FROM skillrating.leaderboard('eu', 3)")"
check "and who was not named does not" "$( (ask -d front -v VERBOSITY=sqlstate -c "SET ROLE site" -c "SELECT skillrating.leaderboard('us', 3)" 2>&1 || :) | grep -c 42501 | sed 's/1/t/')"
check "one query shows the boards of both regions" "$(ask -d front -c "SELECT count(DISTINCT region) = 2 AND count(*) = 10 FROM unnest('{eu,us}'::text[]) AS region CROSS JOIN LATERAL skillrating.leaderboard(region, 5)")"
ask -d region_eu -c "SELECT count(*) FROM skillrating.report_match('eu', 1000, ARRAY[1, 2], '{1, 2}', '{1, 2}')" >/dev/null
check "a front shows the matches of the moment" "$(ask -d front -c "SELECT count(*) = 2 FROM skillrating.match_journal('eu', 1000)")"
check "no server process died" "$(! grep -E 'was terminated by signal|PANIC: ' "$CLUSTER_DIRECTORY/server.log" >&2 && echo t)"
exit $failed
