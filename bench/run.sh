#!/bin/bash
# Measure speed as ratios: each thing against another, turn by turn in one run.
#
#   bench/run.sh
#
# `make bench` calls this.  It works on a throw-away cluster unless PGHOST is set.
# SCALE=0.1 takes a quick look at a tenth of the size.  Nothing fails because of a
# time; the targets are printed beside what was measured.

set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

. bench/common.sh
begin bench/run.sh 5
seconds=${SECONDS_EACH:-8}

# Two ratings a row, as a formula and as a sum.
sql -c "CREATE TABLE pairs AS SELECT 1000 + 1000 * random() AS a, 1000 + 1000 * random() AS b FROM generate_series(1, $(sized 10000000))" \
	-c 'VACUUM ANALYZE pairs' -c 'SELECT sum(a + b) FROM pairs' >/dev/null
for _ in $(seq "$rounds"); do
	timed >>"$scratch/sum" <<<'SELECT sum(a + b) FROM pairs;'
	timed >>"$scratch/elo" <<<'SELECT sum(skillrating.elo_win_probability(a, b)) FROM pairs;'
done
report 'elo_win_probability, 10 M rows, against sum(a + b)' "$scratch/elo" "$scratch/sum" 'at most 2.0'

# Bulk loads: the same rows into a ladder and into its tables without triggers.
matches=$(sized 100000)
sql -c "CREATE TABLE participant AS
	SELECT m AS match_id, ((m * 7919 + p * 811) % 10000) AS player_id, 1 + p % 2 AS team,
		1 + (p + hashint8(m)) % 2 AS rank, 0::float8 AS joined, 900 + 10.0 * p AS left_at,
		1 + (p + m) % 2 AS side, CASE WHEN p < 2 THEN 1.0 END AS commanding
	FROM generate_series(1, $matches) AS m, generate_series(0, 11) AS p" -c 'UPDATE participant SET rank = 2 - abs(rank) % 2'
sql -c "\copy (SELECT match_id, player_id, team, rank FROM participant) TO '$scratch/elo.csv' CSV"
sql -c "\copy participant TO '$scratch/hive.csv' CSV"
for model in elo hive; do
	columns='match_id, player_id, team, rank'
	[ $model = elo ] || columns="$columns, joined, left_at, side, commanding"
	for way in insert copy; do
		: >"$scratch/with"
		: >"$scratch/without"
		for _ in $(seq 3); do
			for triggers in without with; do
				sql -c "SELECT skillrating.create_ladder('bulk', '$model')" >/dev/null
				[ $triggers = with ] || sql -c 'ALTER TABLE bulk.match_player DISABLE TRIGGER collect_insert'
				load="INSERT INTO bulk.match_player ($columns) SELECT $columns FROM participant;"
				[ $way = insert ] || load="\\copy bulk.match_player ($columns) FROM '$scratch/$model.csv' CSV"
				timed >>"$scratch/$triggers" <<SQL
BEGIN;
INSERT INTO bulk.match (match_id) SELECT generate_series(1, $matches);
$load
COMMIT;
SQL
				sql -c "SELECT skillrating.drop_ladder('bulk')" -c CHECKPOINT >/dev/null
			done
		done
		report "$way of $matches matches x 12 into a $model ladder, against no triggers" "$scratch/with" "$scratch/without" 'at most 3'
		awk -v n="$matches" -v s="$(median "$scratch/with")" 'BEGIN { printf "    %.0f matches/s, %.1f us a participant\n", n / s, s / n / 12 * 1e6 }'
	done
done

# History: one COPY of many matches, another formula for all of them, and a correction
# of the first one, against counting the participants in order.
history=$(sized 1000000)
sql -c 'DROP TABLE participant' -o /dev/null -c "SELECT skillrating.create_ladder('history', 'elo')"
sql -c "\copy (SELECT m, ((m * 7919 + p * 811) % 10000), 1 + p % 2, 1 + abs((p + hashint8(m)) % 2) FROM generate_series(1::bigint, $history) AS m, generate_series(0, 11) AS p) TO '$scratch/history.csv' CSV"
sql >"$scratch/memory" <<SQL
BEGIN;
INSERT INTO history.match (match_id, played_at) SELECT m, '2020-01-01'::timestamptz + m * interval '1 minute' FROM generate_series(1, $history) AS m;
\copy history.match_player (match_id, player_id, team, rank) FROM '$scratch/history.csv' CSV
SET CONSTRAINTS ALL IMMEDIATE;
SELECT round(((regexp_match(s, 'VmHWM:\s+(\d+)'))[1]::numeric - (regexp_match(s, 'RssShmem:\s+(\d+)'))[1]::numeric) / 1024) FROM pg_read_file('/proc/self/status') AS s;
COMMIT;
SQL
echo "    $history matches x 12 in one transaction: the most memory was $(cat "$scratch/memory") MB"
rm "$scratch/history.csv"
sql -c 'VACUUM ANALYZE' -c CHECKPOINT
rm -f "$scratch"/{count,shadow,backfill,catch_up,late}
for round in 1 2 3; do
	timed >>"$scratch/count" <<<'SELECT count(*) FROM (SELECT * FROM history.source ORDER BY played_at, match_id OFFSET 0) AS s;'
	timed >>"$scratch/shadow" <<<"SELECT skillrating.shadow_ladder('history', 'again');"
	sql -o /dev/null -c "SELECT skillrating.drop_ladder('again')" -c 'SET client_min_messages = warning' -c "SELECT skillrating.create_ladder('filled', 'elo', source => 'history.source')"
	timed >>"$scratch/backfill" <<<"CALL skillrating.backfill('filled');"
	sql -o /dev/null -c "SELECT skillrating.drop_ladder('filled')" -c "UPDATE history.match_player SET rank = 3 - rank WHERE match_id = $round"
	timed >>"$scratch/catch_up" <<<"SELECT count(*) FROM skillrating.catch_up('history');"
	sql -o /dev/null -c 'VACUUM history.event' -c "UPDATE history.match_player SET rank = 3 - rank WHERE match_id = $((history * 99 / 100 + round))"
	timed >>"$scratch/late" <<<"SELECT count(*) FROM skillrating.catch_up('history');"
	sql -c 'VACUUM history.event' -c CHECKPOINT
done
report "shadow_ladder of $history matches x 12, against count(*) of the source in order" "$scratch/shadow" "$scratch/count" 'at most 3'
report '  backfill of the same, against shadow_ladder' "$scratch/backfill" "$scratch/shadow" 'for information'
report '  catch_up after a change of the first match' "$scratch/catch_up" "$scratch/count" 'at most 3'
report '  catch_up after a change at 99 of 100' "$scratch/late" "$scratch/count" 'for information'
echo "    $(median "$scratch/count") s to count, $(median "$scratch/shadow") s to make a shadow, $(median "$scratch/backfill") s to backfill, $(median "$scratch/catch_up") s to catch up with all, $(median "$scratch/late") s with the last hundredth; verify: $(sql -c "SELECT bool_and(ok) FROM skillrating.verify('history')")"
sql -o /dev/null -c "SELECT skillrating.drop_ladder('history')"

# One match of twelve a transaction, against the same without triggers and against
# a trigger written by hand.
sql -o /dev/null -c "SELECT skillrating.create_ladder('arena', 'elo')" \
	-c "SELECT skillrating.create_ladder('atonce', 'elo', apply_at => 'statement')" -c "SELECT skillrating.create_ladder('plain', 'elo')" \
	-c 'ALTER TABLE plain.match_player DISABLE TRIGGER collect_insert' -f bench/competitor.sql
for schema in arena atonce handmade; do
	sql -c "INSERT INTO $schema.rating (player_id, rating) SELECT i, 1500 FROM generate_series(0, 9999) AS i"
done
for schema in arena atonce plain handmade; do
	{
		echo '\set a random(0, 9999)'
		echo '\set won random(1, 2)'
		echo 'BEGIN;'
		echo "INSERT INTO $schema.match (match_id) VALUES (nextval('bench_match'));"
		printf 'INSERT INTO %s.match_player (match_id, player_id, team, rank) VALUES ' "$schema"
		for p in $(seq 0 11); do
			[ "$p" -eq 0 ] || printf ', '
			printf "(currval('bench_match'), (:a + %d) %% 10000, %d, 1 + (%d + :won) %% 2)" $((p * 811)) $((1 + p % 2)) $((p % 2))
		done
		echo ';'
		echo 'COMMIT;'
	} >"$scratch/$schema.sql"
done
sql -c 'CREATE SEQUENCE bench_match'
# While a table is all but empty, PostgreSQL keeps plans for its foreign keys that
# read it all; so the tables are filled a little first.
for schema in arena atonce plain handmade; do
	pgbench -n -t 2000 -f "$scratch/$schema.sql" >/dev/null 2>&1
done
sql -c 'VACUUM ANALYZE'
latency() { pgbench -n -M prepared -c "$2" -j "$2" -T "$seconds" -f "$scratch/$1.sql" | sed -n 's/^latency average = \(.*\) ms/\1/p'; }
for clients in 1 4; do
	rm -f "$scratch"/{arena,atonce,plain,handmade}.ms
	for _ in $(seq "$rounds"); do
		for schema in plain arena handmade atonce; do
			latency $schema $clients >>"$scratch/$schema.ms"
		done
	done
	target='at most 4'
	[ $clients -eq 1 ] || target='for information'
	report "one 12-player match a transaction, $clients client(s), against no triggers" "$scratch/arena.ms" "$scratch/plain.ms" "$target"
	target='at most 0.5'
	[ $clients -eq 1 ] || target='for information'
	report "  against a PL/pgSQL trigger by hand" "$scratch/arena.ms" "$scratch/handmade.ms" "$target"
	# That trigger rates after the statement, which a ladder can do as well.
	report "  rated after the statement, against that trigger" "$scratch/atonce.ms" "$scratch/handmade.ms" "$target"
	paste "$scratch/atonce.ms" "$scratch/plain.ms" "$scratch/handmade.ms" |
		awk '{ print ($1 - $2) / ($3 - $2) }' >"$scratch/added"
	sed 's/.*/1/' "$scratch/added" >"$scratch/one"
	report "  the time that this adds, against what that trigger adds" "$scratch/added" "$scratch/one" 'for information'
	echo "    $(median "$scratch/plain.ms") ms without triggers, $(median "$scratch/arena.ms") ms at commit, $(median "$scratch/atonce.ms") ms after the statement, $(median "$scratch/handmade.ms") ms by hand"
done

# Both must have computed the same.
sql -o /dev/null <<'SQL'
CREATE TABLE same AS
SELECT match_id, player_id, team, rank FROM arena.match_player ORDER BY match_id LIMIT 12000;
SELECT skillrating.create_ladder('again', 'elo');
INSERT INTO again.match (match_id, played_at) SELECT DISTINCT match_id, '2024-01-01'::timestamptz FROM same;
INSERT INTO again.match_player (match_id, player_id, team, rank) SELECT * FROM same;
TRUNCATE handmade.match, handmade.match_player, handmade.rating, handmade.event, handmade.rated_match;
INSERT INTO handmade.match (match_id, played_at) SELECT match_id, played_at FROM again.match;
INSERT INTO handmade.match_player (match_id, player_id, team, rank) SELECT * FROM same;
SQL
echo
echo "largest difference of a rating from the one by hand: $(sql -c \
	'SELECT max(abs(a.rating - h.rating)) FROM again.rating AS a JOIN handmade.rating AS h USING (player_id)'), verify: $(sql -c \
	"SELECT bool_and(ok) FROM skillrating.verify('arena')")"
