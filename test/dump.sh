#!/bin/bash
# Dump a database with ladders, restore it elsewhere, and play on there, on the
# server that PGHOST leads to.
#
#   test/dump.sh
#
# Prints one line for each check, "ok NAME" or "not ok NAME", and fails if any
# check does.

set -euo pipefail

from=skillrating_dump
to=skillrating_restored
scratch=$(mktemp -d)
drop() {
	psql -qX -d postgres -c "DROP DATABASE IF EXISTS $from" -c "DROP DATABASE IF EXISTS $to" 2>/dev/null
}
trap 'rm -rf "$scratch"; drop' EXIT
drop
psql -qX -d postgres -c "CREATE DATABASE $from" -c "CREATE DATABASE $to"

failed=0
check() {
	if [ "$2" = t ]; then echo "ok $1"; else echo "not ok $1 ($2)"; failed=1; fi
}
ask() { psql -qXAt -v ON_ERROR_STOP=1 -d "$1" -c "$2"; }

psql -qX -v ON_ERROR_STOP=1 -o /dev/null -d "$from" <<'SQL'
CREATE EXTENSION skillrating;
SELECT skillrating.create_ladder('duel', 'elo', player_type => 'text');
SELECT skillrating.create_ladder('rounds', 'hive', match_type => 'uuid', apply_at => 'statement');
CREATE TABLE game (id int, round int, at timestamptz DEFAULT '2024-01-01', home text, away text, diff int, PRIMARY KEY (id, round));
CREATE VIEW game_source AS
    SELECT id || '/' || round AS match_id, at AS played_at, home AS player_id, 1 AS team, diff AS team_score FROM game WHERE diff IS NOT NULL
    UNION ALL SELECT id || '/' || round, at, away, 2, -diff FROM game WHERE diff IS NOT NULL;
SELECT skillrating.create_ladder('games', 'glicko', source => 'game_source');
SELECT skillrating.attach('games', 'game', $$id || '/' || round$$);
INSERT INTO game SELECT m, 1, '2024-01-01', 'team ' || m % 20, 'team ' || (m * 7 + 1) % 20, m % 3 - 1 FROM generate_series(1, 300) AS m
WHERE m % 20 <> (m * 7 + 1) % 20;
BEGIN;
INSERT INTO duel.match (match_id) SELECT generate_series(1, 500);
INSERT INTO duel.match_player (match_id, player_id, team, rank)
SELECT m, 'player ' || (m * 7 + p * 3) % 50, p, 1 + (m + p) % 2 FROM generate_series(1, 500) AS m, generate_series(1, 2) AS p;
INSERT INTO rounds.match (match_id) SELECT md5(m::text)::uuid FROM generate_series(1, 200) AS m;
INSERT INTO rounds.match_player (match_id, player_id, team, won, side, joined, left_at)
SELECT md5(m::text)::uuid, (m * 7 + p * 3) % 50, p % 2, (m + p) % 2 = 0, 1 + p % 2, p, 1000 + m
FROM generate_series(1, 200) AS m, generate_series(1, 8) AS p;
COMMIT;
-- One with states of sides, maps, clubs and players on maps.
SELECT skillrating.create_ladder('league', 'state_space', player_type => 'text');
INSERT INTO league.match (match_id, played_at, context) SELECT m, '2024-01-01'::timestamptz + m * interval '3 hours', 'map ' || m % 3 FROM generate_series(1, 200) AS m;
INSERT INTO league.match_player (match_id, player_id, team, rank, side, club)
SELECT m, 'p' || (m * 7 + p * 3) % 20, p, 1 + (m + p) % 2, p, 'club ' || (m + p) % 4 FROM generate_series(1, 200) AS m, generate_series(1, 2) AS p;
-- The oldest part of its history is cut off.
SELECT skillrating.grant_ladder('league', 'public', 'reader');
SELECT skillrating.set_horizon('league', '2024-01-10');
-- A view of the user's over those of a ladder, and the tables of a solution.
CREATE VIEW page AS
SELECT b.place, b.player_id, b.rating, b.provisional, h.seq, h.rating_after FROM duel.leaderboard AS b JOIN duel.history AS h USING (player_id, pool);
SELECT matches FROM skillrating.solve_ladder('duel');
-- One whose history is being changed, and that has matches waiting.
SELECT skillrating.create_ladder('life', 'trueskill2', '{"initial_base_sigma": 2}', player_type => 'text', apply_at => 'manual', late => 'reorder');
INSERT INTO life.match (match_id, played_at, pool) SELECT m, '2024-01-01'::timestamptz + m * interval '3 hours', m % 2 FROM generate_series(1, 400) AS m;
INSERT INTO life.match_player (match_id, player_id, team, rank)
SELECT m, 'p' || (m * 7 + p * 3) % 30, p % 2, 1 + (m + p) % 2 FROM generate_series(1, 400) AS m, generate_series(1, 4) AS p;
SELECT count(*) FROM skillrating.catch_up('life');
SELECT (skillrating.new_season('life', 'winter', at => '2024-02-01')).players, skillrating.void_match('life', 5),
    skillrating.exclude_player('life', 'p1', '2024-01-20'), skillrating.merge_players('life', 'p2', 'p3'),
    skillrating.import_ratings('life', '{p7,p8,imported}', '[{"mu": 31.4}, {"mu": 18, "sigma": 2.5}, {"mu": 27}]', pool => '1', overwrite => true, at => '2024-01-25');
UPDATE life.match_player SET rank = 3 - rank WHERE match_id = 17;
INSERT INTO life.match (match_id, played_at) VALUES (500, '2023-12-31');
INSERT INTO life.match_player (match_id, player_id, team, rank) VALUES (500, 'p4', 1, 1), (500, 'p5', 2, 2);
CREATE TABLE person (name text PRIMARY KEY, mu float8);
INSERT INTO person SELECT 'p' || i FROM generate_series(0, 29) AS i;
SELECT skillrating.mirror_rating('life', 'person', 'name', '{"mu": "mu"}', pool => '1');
-- One that a later version has made.
SELECT skillrating.create_ladder('future', 'elo');
UPDATE future.ladder SET format_version = 1000;
SQL

# All that a restore could get wrong, in one row.
summary="SELECT (SELECT md5(string_agg(r::text, '' ORDER BY player_id)) FROM duel.rating AS r),
	(SELECT md5(string_agg(r::text, '' ORDER BY player_id)) FROM rounds.rating AS r),
	(SELECT md5(string_agg(e::text, '' ORDER BY seq, player_id)) FROM duel.event AS e),
	(SELECT md5(string_agg(e::text, '' ORDER BY seq, player_id)) FROM rounds.event AS e),
	(SELECT md5(string_agg(e::text, '' ORDER BY seq, player_id)) FROM games.event AS e),
	(SELECT md5(string_agg(e::text, '' ORDER BY seq, player_id, pool)) FROM life.event AS e), (SELECT count(*) FROM life.correction), (SELECT count(*) FROM life.pending),
	(SELECT count(*) FROM duel.pending),
	(SELECT md5(string_agg(p::text, '' ORDER BY seq, player_id)) FROM page AS p),
	(SELECT md5(string_agg(s::text, '' ORDER BY player_id)) FROM duel.solved AS s),
	(SELECT md5(string_agg(c::text, '' ORDER BY c::text COLLATE \"C\")) FROM league.component AS c),
	(SELECT md5(string_agg(e::text, '' ORDER BY e::text COLLATE \"C\")) FROM league.component_event AS e)"

pg_dump "$from" >"$scratch/dump.sql"
if psql -qX -v ON_ERROR_STOP=1 -d "$to" -f "$scratch/dump.sql" >"$scratch/restore.log" 2>&1; then
	check "dump: restores without an error" t
else
	check "dump: restores without an error" f
	tail -5 "$scratch/restore.log" >&2
fi
check "dump: a restore rates nothing again" \
	"$([ "$(ask "$from" "$summary")" = "$(ask "$to" "$summary")" ] && echo t)"
check "dump: a ladder keeps its format" "$(ask "$to" "SELECT format_version = 1000 FROM future.ladder")"
check "dump: one of a later version is still refused" "$( (ask "$to" "SELECT skillrating.leaderboard('future')" 2>&1 || :) | grep -q 'has format 1000' && echo t)"
check "dump: readers read the views" "$(ask "$to" "SELECT bool_and(has_table_privilege('pg_monitor', 'league.' || v, 'SELECT')) AND (SELECT count(*) > 0 FROM page) FROM unnest('{leaderboard,history,components}'::text[]) AS v")"
for ladder in duel rounds games league; do
	check "dump: $ladder verifies" "$(ask "$to" "SELECT bool_and(ok) FROM skillrating.verify('$ladder')")"
done
psql -qX -v ON_ERROR_STOP=1 -o /dev/null -d "$to" <<'SQL'
INSERT INTO duel.match (match_id) VALUES (501);
INSERT INTO duel.match_player (match_id, player_id, team, rank) VALUES (501, 'player 1', 1, 1), (501, 'somebody', 2, 2);
SELECT skillrating.report_match('rounds', md5('501')::uuid, ARRAY[1, 2], ARRAY[1, 2], ARRAY[1, 2]);
INSERT INTO game (id, round, home, away, diff) VALUES (1000, 1, 'team 1', 'somebody', 3);
SELECT skillrating.report_match('league', 201, '{p1,p2}', '{1,2}', '{1,2}', side => '{1,2}', context => '{map 1}', club => '{club 1,club 2}');
SQL
check "dump: a ladder that was out of date catches up" "$(ask "$to" "SELECT count(*) > 0 FROM skillrating.catch_up('life')")"
check "dump: it verifies" "$(ask "$to" "SELECT bool_and(ok) FROM skillrating.verify('life')")"
check "dump: and has the matches that waited" "$(ask "$to" "SELECT status = 'rated' FROM life.rated_match WHERE match_id = 500")"
check "dump: it is what the original becomes" "$(ask "$from" "SELECT count(*) FROM skillrating.catch_up('life')" >/dev/null
	[ "$(ask "$from" "SELECT md5(string_agg(r::text, '' ORDER BY player_id, pool)) FROM life.rating AS r")" = "$(ask "$to" "SELECT md5(string_agg(r::text, '' ORDER BY player_id, pool)) FROM life.rating AS r")" ] && echo t)"
# The season after the import has taken half of the distance from 3.
check "dump: imported ratings are among it" "$(ask "$to" "SELECT (SELECT mu = 15 AND games = 0 FROM life.rating WHERE player_id = 'imported' AND pool = '1')
	AND (SELECT count(*) = 3 FROM life.operation WHERE kind = 'seed') AND (SELECT count(*) = 1 FROM life.event WHERE player_id = 'p8' AND kind = 'seed' AND mu_after = 18)")"
ask "$to" "DELETE FROM person WHERE name = (SELECT min(player_id) FROM life.rating WHERE pool = '1')" >/dev/null
ask "$to" "INSERT INTO person (name) SELECT min(player_id) FROM life.rating WHERE pool = '1'" >/dev/null
check "dump: mirrors go on" "$(ask "$to" "SELECT bool_and(p.mu IS NOT DISTINCT FROM r.mu) FROM person AS p LEFT JOIN life.rating AS r ON r.player_id = p.name AND r.pool = '1'")"
check "dump: duel goes on" "$(ask "$to" "SELECT count(*) = 501 AND max(seq) = 501 FROM duel.rated_match")"
check "dump: games goes on" "$(ask "$to" "SELECT count(*) = 1 FROM games.event WHERE player_id = 'somebody'")"
check "dump: components go on" "$(ask "$to" "SELECT max(games) = 201 FROM league.component")"
check "dump: rounds goes on" "$(ask "$to" "SELECT count(*) = 201 FROM rounds.rated_match")"
for ladder in duel rounds games league; do
	check "dump: $ladder verifies after more matches" "$(ask "$to" "SELECT bool_and(ok) FROM skillrating.verify('$ladder')")"
done

# The triggers of attached tables name their ladder by a relation and not by its name.
psql -qX -v ON_ERROR_STOP=1 -o /dev/null -d "$to" <<'SQL'
ALTER SCHEMA games RENAME TO cup;
INSERT INTO game (id, round, home, away, diff) VALUES (1001, 1, 'team 1', 'another', 3);
SQL
check "dump: a renamed ladder goes on" "$(ask "$to" "SELECT count(*) = 1 FROM cup.event WHERE player_id = 'another'")"
check "dump: it verifies" "$(ask "$to" "SELECT bool_and(ok) FROM skillrating.verify('cup')")"
ask "$to" "SET client_min_messages = warning; DROP SCHEMA cup CASCADE"
check "dump: its table goes on without it" "$(ask "$to" "INSERT INTO game (id, round, home, away, diff) VALUES (1002, 1, 'team 1', 'another', 3); SELECT count(*) = 1 FROM game WHERE id = 1002")"

# A dump of data alone, into ladders that a migration has made.
schema="SET client_min_messages = warning;
	CREATE EXTENSION skillrating;
	SELECT skillrating.create_ladder('duel', 'elo', player_type => 'text'), skillrating.create_ladder('timely', 'glicko2', player_type => 'text', late => 'reorder')"
psql -qX -d postgres -c "DROP DATABASE $from"
psql -qX -d postgres -c "CREATE DATABASE $from"
ask "$from" "$schema" >/dev/null
psql -qX -v ON_ERROR_STOP=1 -o /dev/null -d "$from" <<'SQL'
SELECT skillrating.report_match(l, m, ARRAY['player ' || m % 9, 'player ' || 10 + m % 7], '{1,2}', '{1,2}', timestamptz '2024-01-01' + m * interval '1 hour')
FROM unnest('{duel,timely}'::text[]) AS l, generate_series(1, 200) AS m;
SELECT skillrating.new_season(l, 'spring', at => '2024-06-01') FROM unnest('{duel,timely}'::text[]) AS l;
SQL
ratings="SELECT md5(string_agg(d::text, '' ORDER BY d::text COLLATE \"C\")) FROM (SELECT player_id, rating, games FROM duel.rating) AS d"
timely="SELECT md5(string_agg(t::text, '' ORDER BY t::text COLLATE \"C\")) FROM (SELECT player_id, rating, deviation, games FROM timely.rating) AS t"
signs="SELECT count(s.restored) FROM unnest('{duel,timely}'::text[]) AS l, skillrating.ladder_status(l) AS s"
for options in --disable-triggers ''; do
	psql -qX -d postgres -c "DROP DATABASE IF EXISTS $to"
	psql -qX -d postgres -c "CREATE DATABASE $to"
	ask "$to" "$schema" >/dev/null
	# Rows that the ladders have already, such as their configuration, are errors.
	pg_dump --data-only ${options:+"$options"} "$from" | psql -qX -d "$to" >"$scratch/data.log" 2>&1
	if [ -z "$options" ]; then
		check "dump: data that is rated once more is noticed" "$([ "$(ask "$to" "$signs")" = 2 ] && echo t)"
		check "dump: catch_up names the remedy" "$(psql -XAtq -d "$to" -c "SELECT count(*) FROM skillrating.catch_up('duel')" 2>&1 | grep -c 'rebuild => true' | sed 's/1/t/')"
		check "dump: verify names it" "$(ask "$to" "SELECT bool_and(v.detail ~ 'a dump of data was restored') FROM unnest('{duel,timely}'::text[]) AS l, skillrating.verify(l) AS v WHERE v.check_name = 'events'")"
	else
		check "dump: data without triggers is no fault" "$([ "$(ask "$to" "$signs")" = 0 ] && echo t)"
	fi
	ask "$to" "SELECT count(*) FROM skillrating.catch_up('duel', rebuild => true)" >/dev/null
	ask "$to" "SELECT count(*) FROM skillrating.catch_up('timely', rebuild => true)" >/dev/null
	check "dump: a rebuild repairs data restored ${options:-with triggers}" "$([ "$(ask "$to" "$signs")" = 0 ] && ask "$to" "SELECT bool_and(v.ok) FROM unnest('{duel,timely}'::text[]) AS l, skillrating.verify(l) AS v")"
	check "dump: by time, ratings are those of the dump ${options:-with triggers}" "$([ "$(ask "$from" "$timely")" = "$(ask "$to" "$timely")" ] && echo t)"
	[ -z "$options" ] || check "dump: without triggers, all are" "$([ "$(ask "$from" "$ratings")" = "$(ask "$to" "$ratings")" ] && echo t)"
	ask "$to" "SELECT count(*) FROM skillrating.report_match('duel', 1000, '{new,newer}', '{1,2}', '{1,2}')" >/dev/null
	check "dump: duel goes on behind them ${options:-with triggers}" "$(ask "$to" "SELECT (SELECT seq FROM duel.rated_match WHERE match_id = 1000) > max(seq) AND (SELECT bool_and(ok) FROM skillrating.verify('duel')) FROM duel.rated_match WHERE match_id < 1000")"
done
exit $failed
