#!/bin/bash
# Update the extension from every release, and compare with a new installation.
#
#   test/updates.sh
#
# For each release in sql/releases, on the server that PGHOST leads to: an ordinary role makes
# the extension in that version, on the library of today, with ladders, and updates it.  Then
# all members are compared with those of a new installation: release/members.sql takes every
# property of them from the catalogs.  The ladders verify before, after, and when they are brought
# up to date by upgrade_ladder(), when they are what a new ladder is.  Prints one line for each check,
# "ok NAME" or "not ok NAME", with the differences in front of it, and fails if any check does;
# the comparison is itself checked with mistakes that it must find, and release/draft_update.sh with
# a made-up version that differs in all ways that it knows.

set -euo pipefail
root=$(realpath -- "$(dirname -- "${BASH_SOURCE[0]}")/..")
# shellcheck source=test/common.sh
source "$root/test/common.sh"
title=updates
failed=0
scratch=$(mktemp -d)
databases=(updates_new updates_old updates_owned updates_next)
roles=(updates_app updates_first updates_second updates_named)
drop() {
	local name
	for name in "${databases[@]}"; do echo "DROP DATABASE IF EXISTS $name;"; done
	for name in "${roles[@]}"; do echo "DROP ROLE IF EXISTS $name;"; done
}
clear_all() { drop | psql -qX -d postgres 2>/dev/null; }
trap 'rm -rf "$scratch"; clear_all' EXIT
clear_all
cd "$root"

# The properties of the members of the extension in the database $1, or of the schema $2.
# What a database is called is in no property, and statements are for release/draft.sql.
describe() {
	PGOPTIONS='-c client_min_messages=warning' psql -qXAt -v ON_ERROR_STOP=1 -d "$1" ${2:+-v "schema=$2"} -f release/members.sql \
		-c '\copy pg_temp.property TO STDOUT' | grep -v $'^[^\t]*\t#' | LC_ALL=C sort
}

# As check, for a comparison: $2 are the differences.
compare() {
	if [ -n "$2" ]; then
		head -n 40 <<<"$2"
		check "$1" "$(wc -l <<<"$2") lines differ"
	else
		check "$1" t
	fi
}

psql -qX -v ON_ERROR_STOP=1 -d postgres <<-'SQL'
	CREATE ROLE updates_app;
	CREATE ROLE updates_first SUPERUSER;
	CREATE ROLE updates_second SUPERUSER;
	CREATE DATABASE updates_new OWNER updates_app;
SQL
ask -d updates_new -c 'SET ROLE updates_app' -c 'CREATE EXTENSION skillrating'
describe updates_new >"$scratch/new"
check "a new installation has members with all that the catalogs say" "$([ "$(wc -l <"$scratch/new")" -gt 20000 ] &&
	[ "$(grep -c $'\tcomment\t' "$scratch/new")" -gt 500 ] && [ "$(grep -c $'\tproacl\t' "$scratch/new")" -gt 500 ] && echo t || wc -l <"$scratch/new")"

#
# ---- What the comparison must find ----
#

cat >"$scratch/mistakes.sql" <<'SQL'
BEGIN;
SET LOCAL search_path = pg_catalog, pg_temp;
COMMENT ON FUNCTION skillrating.catch_up IS NULL;
REVOKE USAGE ON SCHEMA skillrating FROM PUBLIC;
REVOKE ALL ON FUNCTION skillrating.models() FROM PUBLIC;
ALTER EXTENSION skillrating DROP FUNCTION skillrating.model_parameters;
ALTER FUNCTION skillrating.verify COST 7;
ALTER FUNCTION skillrating.leaderboard OWNER TO updates_app;
ALTER FUNCTION skillrating_internal.rerate RESET ALL;
ALTER TYPE skillrating.estimate ADD ATTRIBUTE forgotten integer;
CREATE FUNCTION skillrating.too_much() RETURNS integer LANGUAGE sql AS 'SELECT 1';
ALTER EXTENSION skillrating ADD FUNCTION skillrating.too_much();
SQL
{
	cat "$scratch/mistakes.sql"
	echo '\i release/members.sql'
	echo '\copy pg_temp.property TO STDOUT'
} | psql -qXAt -v ON_ERROR_STOP=1 -d updates_new | grep -v $'^[^\t]*\t#' | LC_ALL=C sort >"$scratch/wrong"
diff "$scratch/new" "$scratch/wrong" >"$scratch/found" || :
while IFS='|' read -r what pattern; do
	check "it is noticed: $what" "$(grep -qE -- "$pattern" "$scratch/found" && echo t || echo "not found")"
done <<'LIST'
a comment that is missing|^< function skillrating\.catch_up\(.*	comment	
privileges on a schema|^[<>] schema skillrating	nspacl	
privileges on a function|^[<>] function skillrating\.models\(\)	proacl	
a function that is no member|^< function skillrating\.model_parameters\(.*	proname	
a property of a function|^> function skillrating\.verify\(.*	procost	7
another owner|^> function skillrating\.leaderboard\(.*	proowner	"updates_app"
a setting of a function|^< function skillrating_internal\.rerate\(.*	proconfig	
a column of a type|^> composite type skillrating\.estimate	column forgotten: atttypid	
a function that is too much|^> function skillrating\.too_much\(\)	proname	
LIST

#
# ---- The writer of update scripts ----
#

extensions=$CLUSTER_DIRECTORY/stage$("${PG_CONFIG:-pg_config}" --sharedir)/extension
today=$(sed -n "s/^default_version = '\(.*\)'/\1/p" skillrating.control)

# A version that comes after that of today.
next_version() {
	cat "$extensions/skillrating--$today.sql" - <<'SQL'
-- A function that is gone, one with another argument, on which an aggregate depends, another
-- result, another body, other properties, no default; and one that is new, in C.
DROP FUNCTION skillrating.model_parameters;
CREATE FUNCTION skillrating_internal.add(a float8, b float8) RETURNS float8 IMMUTABLE STRICT PARALLEL SAFE RETURN a + b;
CREATE AGGREGATE skillrating.total(float8) (SFUNC = skillrating_internal.add, STYPE = float8, INITCOND = '0',
    COMBINEFUNC = skillrating_internal.add, MSFUNC = skillrating_internal.add, MINVFUNC = pg_catalog.float8mi, MSTYPE = float8, PARALLEL = SAFE);
CREATE AGGREGATE skillrating.rows(*) (SFUNC = pg_catalog.int8inc, STYPE = int8, INITCOND = '0');
COMMENT ON AGGREGATE skillrating.rows(*) IS 'Counts, with a \ and a '' in it.';
CREATE OR REPLACE FUNCTION skillrating_internal.api_types(ladder text, OUT player_type text, OUT match_type text)
RETURNS SETOF record LANGUAGE sql IMMUTABLE ROWS 7 COST 12 SET jit = off SET search_path = pg_catalog, pg_temp
AS $body$ SELECT '$function$', ladder $body$;
DROP FUNCTION skillrating_internal.room_type(smallint, "char");
CREATE FUNCTION skillrating_internal.room_type(length smallint, alignment "char", more integer DEFAULT 7) RETURNS text[]
LANGUAGE plpgsql AS $$ BEGIN RETURN NULL; END $$;
CREATE FUNCTION skillrating.elo_again(rating_a float8, rating_b float8, scale float8 DEFAULT 400)
RETURNS float8 AS 'MODULE_PATHNAME', 'skillrating_elo_win_probability' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE SUPPORT pg_catalog.array_unnest_support;
CREATE PROCEDURE skillrating.nothing(INOUT a integer) LANGUAGE plpgsql AS $$ BEGIN NULL; END $$;
-- Types, privileges and comments.
CREATE TYPE skillrating_internal.pair AS (a integer, "B" text COLLATE "C", c skillrating.estimate);
COMMENT ON TYPE skillrating_internal.pair IS 'Two, or
three.';
CREATE FUNCTION skillrating_internal.make_pair(p skillrating_internal.pair) RETURNS skillrating_internal.pair[] LANGUAGE sql RETURN ARRAY[p];
REVOKE ALL ON FUNCTION skillrating_internal.make_pair FROM PUBLIC;
GRANT EXECUTE ON FUNCTION skillrating_internal.make_pair TO updates_named WITH GRANT OPTION;
REVOKE USAGE ON SCHEMA skillrating_internal FROM PUBLIC;
REVOKE ALL ON FUNCTION skillrating.models() FROM PUBLIC;
COMMENT ON FUNCTION skillrating.verify(text) IS NULL;
COMMENT ON SCHEMA skillrating IS 'Another.';
SQL
}

psql -qX -v ON_ERROR_STOP=1 -d postgres -c 'CREATE ROLE updates_named'
next_version >"$scratch/next.sql"
cp "$scratch/next.sql" "$extensions/skillrating--$today.9.sql"
check "an update script to a made-up version is written" \
	"$(bash release/draft_update.sh "$today" "$today.9" "$scratch/update.sql" >"$scratch/out" 2>&1 && echo t || cat "$scratch/out")"
psql -qX -v ON_ERROR_STOP=1 -d postgres -c 'CREATE DATABASE updates_next'
ask -d updates_next -c "CREATE EXTENSION skillrating VERSION '$today.9'"
describe updates_next >"$scratch/next"
psql -qX -v ON_ERROR_STOP=1 -d postgres -c 'DROP DATABASE updates_next' -c 'CREATE DATABASE updates_next'
cp "$scratch/update.sql" "$extensions/skillrating--$today--$today.9.sql"
ask -d updates_next -c "CREATE EXTENSION skillrating VERSION '$today'" -c "ALTER EXTENSION skillrating UPDATE TO '$today.9'"
describe updates_next >"$scratch/updated"
compare "it leaves what that version has" "$(diff "$scratch/next" "$scratch/updated" || :)"
# What it must leave to the hand.
{
	cat "$scratch/next.sql"
	echo 'CREATE TABLE skillrating_internal.list (a integer PRIMARY KEY, b skillrating.estimate);'
	echo 'ALTER TYPE skillrating.estimate ADD ATTRIBUTE more integer;'
} >"$extensions/skillrating--$today.9.sql"
answer=$(bash release/draft_update.sh "$today" "$today.9" "$scratch/update.sql" 2>&1 || :)
check "it names what is to be written by hand" "$(grep -q '^By hand, above: .* of table skillrating_internal.list;' <<<"$answer" &&
	grep -q '^By hand, above: .*column more: .* of composite type skillrating.estimate;' <<<"$answer" && echo t || echo "$answer")"
sed -i '/^-- From here on/,$d' "$scratch/update.sql"
sed -n '/^CREATE TABLE/p; /^ALTER TYPE/p' "$extensions/skillrating--$today.9.sql" | tail -n 2 >>"$scratch/update.sql"
echo '-- From here on written by release/draft_update.sh: what is changed below is lost.' >>"$scratch/update.sql"
check "with that it writes the rest" \
	"$(bash release/draft_update.sh "$today" "$today.9" "$scratch/update.sql" >"$scratch/out" 2>&1 && grep -q '^CREATE TABLE' "$scratch/update.sql" && echo t || cat "$scratch/out")"
rm "$extensions/skillrating--$today.9.sql" "$extensions/skillrating--$today--$today.9.sql" "$extensions/skillrating--$today--draft.sql"
psql -qX -v ON_ERROR_STOP=1 -d postgres -c 'DROP DATABASE updates_next'

#
# ---- From every release ----
#

# Ladders as a user of the old version has them: of its own tables, with components and a
# partitioned history, and on tables of the user's with all that can be switched on.
make_ladders() {
	cat <<'SQL'
SELECT skillrating.create_ladder('arena', 'elo');
SELECT count(*) FROM generate_series(1, 30) AS n,
    LATERAL skillrating.report_match('arena', n, ARRAY[n % 7, n % 5 + 10], ARRAY[1, 2], ARRAY[1, 2]);
SELECT skillrating.create_ladder('league', 'state_space', player_type => 'text', match_type => 'text', late => 'reorder');
INSERT INTO league.match (match_id, played_at, context)
SELECT m, '2024-01-01'::timestamptz + m * interval '1 hour', 'map ' || m % 3 FROM generate_series(1, 60) AS m;
INSERT INTO league.match_player (match_id, player_id, team, rank, side)
SELECT m, 'p' || (m * 7 + p * 3) % 20, p, 1 + (m + p) % 2, p FROM generate_series(1, 60) AS m, generate_series(1, 2) AS p;
SELECT skillrating.partition_history('league', 20);
SELECT skillrating.set_horizon('league', '2024-01-01 12:00');
SELECT skillrating.keep_changes('league');
SELECT skillrating.schedule_work('league', 'catch_up', '1 hour');
CREATE TABLE public.game (id integer PRIMARY KEY, home text, away text, diff integer);
CREATE VIEW public.game_source AS
    SELECT id AS match_id, '2024-01-01'::timestamptz AS played_at, home AS player_id, 1 AS team, diff AS score FROM public.game
    UNION ALL SELECT id, '2024-01-01', away, 2, -diff FROM public.game;
SELECT skillrating.create_ladder('cups', 'glicko', source => 'public.game_source', leaderboard => 'bands');
SELECT skillrating.attach('cups', 'public.game', 'id');
INSERT INTO public.game SELECT m, 'team ' || m % 6, 'team ' || 6 + m % 5, m % 3 - 1 FROM generate_series(1, 40) AS m;
SELECT skillrating.grant_reader('cups', 'updates_second'), skillrating.grant_reporter('arena', 'updates_second');
-- What users make of functions.
CREATE VIEW public.chances AS SELECT r.player_id, skillrating.elo_win_probability(r.rating, 1500) AS p FROM arena.rating AS r;
CREATE INDEX chance ON arena.rating (skillrating.elo_win_probability(rating, 1500));
SQL
}

# More of all of it, corrections too.  $1 is a number that is different each time.
play() {
	cat <<SQL
SELECT skillrating.report_match('arena', 100 + $1, ARRAY[1, $1 + 20], ARRAY[1, 2], ARRAY[1, 2]);
UPDATE arena.match_player SET rank = 3 - rank WHERE match_id = 5;
SELECT count(*) FROM skillrating.catch_up('arena');
INSERT INTO league.match (match_id, played_at, context) VALUES ('late $1', '2024-01-02 0$1:00', 'map 1');
INSERT INTO league.match_player (match_id, player_id, team, rank) VALUES ('late $1', 'p1', 1, 1), ('late $1', 'p2', 2, 2);
SELECT count(*) FROM skillrating.catch_up('league');
INSERT INTO public.game VALUES (100 + $1, 'team 1', 'newcomer $1', 1);
DELETE FROM public.game WHERE id = $1;
SELECT count(*) FROM skillrating.catch_up('cups');
SQL
}

# What owners do to ladders, once they are up to date.
administer() {
	cat <<'SQL'
SELECT skillrating.detach('cups', 'public.game'), skillrating.attach('cups', 'public.game', 'id');
SELECT sum(skillrating.restore_triggers(l)) = 0 FROM unnest('{arena,league,cups}'::text[]) AS l;
SELECT skillrating.set_leaderboard('arena', 'none'), skillrating.set_leaderboard('arena', 'ranks');
SELECT FROM skillrating.new_season('arena', 'winter');
SELECT FROM skillrating.set_rating('arena', 1, '{"rating": 1700}');
SELECT FROM skillrating.void_match('arena', 6);
SELECT FROM skillrating.exclude_player('league', 'p3', '2024-01-02');
SELECT count(*) FROM skillrating.catch_up('arena');
SELECT count(*) FROM skillrating.catch_up('league');
SELECT FROM skillrating.forget_player('arena', 12);
SQL
}

ladders='arena league cups'
verifies() {
	local ladder wrong=
	for ladder in $ladders; do
		wrong+=$(ask -d updates_old -c 'SET ROLE updates_app' -c "SELECT v.check_name, v.detail FROM skillrating.verify('$ladder') AS v WHERE NOT v.ok")
	done
	[ -z "$wrong" ] && echo t || echo "$wrong"
}
as_app() { { echo 'SET ROLE updates_app; SET client_min_messages = warning;'; cat; } | psql -qXAt -v ON_ERROR_STOP=1 -d updates_old >"$scratch/out" 2>&1 && echo t || tail -n 3 "$scratch/out"; }

# What two ladders are made of, without their names, the places of columns, and comments: those of
# tables that exist are for the owner to change.
ladder_shape() {
	describe updates_old "$1" | sed -E "s/\b$1\b/LADDER/g" |
		grep -vE $'\t(column [^:]*: attnum|conkey|confkey|indkey|tgattr|relnatts|comment[^\t]*|nspname)\t' | LC_ALL=C sort
}

while read -r version _; do
	[[ $version != \#* ]] || continue
	psql -qX -v ON_ERROR_STOP=1 -d postgres -c 'CREATE DATABASE updates_old OWNER updates_app'
	check "$version: its script runs on the library of today" "$(as_app <<<"CREATE EXTENSION skillrating VERSION '$version'")"
	check "$version: ladders work under it" "$(make_ladders | as_app)"
	check "$version: and go on" "$(play 1 | as_app)"
	check "$version: and verify" "$(verifies)"
	# Traps for a script that takes names from elsewhere than pg_catalog.
	psql -qX -v ON_ERROR_STOP=1 -d updates_old <<-'SQL'
		CREATE FUNCTION public.trap() RETURNS text LANGUAGE plpgsql AS $$BEGIN RAISE 'trapped'; END$$;
		CREATE FUNCTION public.format(text, text, text) RETURNS text LANGUAGE sql AS 'SELECT public.trap()';
		CREATE FUNCTION public.pg_get_userbyid(oid) RETURNS name LANGUAGE sql AS 'SELECT public.trap()::name';
		CREATE FUNCTION public.differs(oid, oid) RETURNS boolean LANGUAGE sql AS 'SELECT public.trap() IS NULL';
		CREATE OPERATOR public.<> (LEFTARG = oid, RIGHTARG = oid, FUNCTION = public.differs);
		ALTER DATABASE updates_old SET search_path = public, pg_catalog;
	SQL
	check "$version: its owner updates it" "$(as_app <<<"ALTER EXTENSION skillrating UPDATE")"
	ask -d updates_old -c 'ALTER DATABASE updates_old RESET search_path'
	describe updates_old >"$scratch/updated"
	compare "$version: the update leaves what a new installation has" "$(diff "$scratch/new" "$scratch/updated" || :)"
	check "$version: what users have made of functions is still there" \
		"$(ask -d updates_old -c "SELECT (SELECT count(*) > 0 FROM public.chances) AND (SELECT indisvalid FROM pg_index WHERE indexrelid = 'arena.chance'::regclass)")"
	check "$version: ladders verify after the update" "$(verifies)"
	check "$version: and go on, as they are" "$(play 2 | as_app)"
	check "$version: and verify again" "$(verifies)"
	check "$version: upgrade_ladder() brings them up to date" "$(for ladder in $ladders; do echo "SELECT skillrating.upgrade_ladder('$ladder');"; done | as_app)"
	check "$version: and has nothing to do the next time" "$(for ladder in $ladders; do echo "SELECT skillrating.upgrade_ladder('$ladder');"; done | as_app |
		cat; [ ! -s "$scratch/out" ] || cat "$scratch/out")"
	check "$version: they verify" "$(verifies)"
	check "$version: and go on" "$(play 3 | as_app)"
	check "$version: owners do to them what they do to others" "$(administer | as_app)"
	check "$version: and verify in the end" "$(verifies)"

	# Against ladders that are made now: a user's index, whatever is switched on, and grants go
	# to both.
	as_app >"$scratch/made" <<-'SQL'
		DROP INDEX arena.chance;
		SELECT skillrating.create_ladder('arena_now', 'elo'), skillrating.grant_reporter('arena_now', 'updates_second');
		SELECT skillrating.create_ladder('cups_now', 'glicko', source => 'public.game_source', leaderboard => 'bands'),
		    skillrating.grant_reader('cups_now', 'updates_second');
		SELECT skillrating.create_ladder('league_now', 'state_space', player_type => 'text', match_type => 'text', late => 'reorder');
	SQL
	check "$version: new ladders are made" "$(cat "$scratch/made")"
	for ladder in arena cups; do
		compare "$version: ladder $ladder is what a new one is" \
			"$(diff <(ladder_shape "${ladder}_now") <(ladder_shape "$ladder") || :)"
	done
	# Partitions and what was switched on are more than a new ladder has.
	compare "$version: ladder league has all that a new one has" \
		"$(comm -23 <(ladder_shape league_now | grep -vE '^[a-z ]*LADDER\.(event|component_event)(_|\b)| (event|component_event)[_ ]') <(ladder_shape league))"
	psql -qX -v ON_ERROR_STOP=1 -d postgres -c 'DROP DATABASE updates_old'

	# The extension belongs to the superuser who has made it, whoever updates it.
	psql -qX -v ON_ERROR_STOP=1 -d postgres -c 'CREATE DATABASE updates_owned'
	ask -d updates_owned -c 'SET ROLE updates_first' -c "CREATE EXTENSION skillrating VERSION '$version'" \
		-c 'SET ROLE updates_second' -c 'ALTER EXTENSION skillrating UPDATE'
	check "$version: everything belongs to one role in the end" "$(ask -d updates_owned -c "
		SELECT count(*) > 600 AND bool_and(p.proowner = 'updates_first'::regrole)
		FROM pg_depend AS d JOIN pg_proc AS p ON d.classid = 'pg_proc'::regclass AND p.oid = d.objid
		WHERE d.refclassid = 'pg_extension'::regclass AND d.deptype = 'e' AND p.pronamespace::regnamespace::text ~ '^skillrating'")"
	psql -qX -v ON_ERROR_STOP=1 -d postgres -c 'DROP DATABASE updates_owned'
done <sql/releases/RELEASES
exit $failed
