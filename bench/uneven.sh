#!/bin/bash
# Measure what the advantage of the larger team costs where many rate at once: sixteen clients insert matches,
# each in a transaction of its own, 30 % of them 4 against 3 and the others 4 against 4, by 200 000 players,
# into a ladder without and one that learns it, turn by turn in one run.
#
#   bench/uneven.sh
#
# It works on a throw-away cluster unless PGHOST is set; commits are flushed.  SCALE=0.2 takes a quick look.

set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

. bench/common.sh
begin bench/uneven.sh 5 "fsync=on synchronous_commit=on"

seconds=$(sized 10)
for ladder in none learned; do
	sql -o /dev/null -c "SELECT skillrating.create_ladder('$ladder', 'elo', '{\"size_advantage\": \"$ladder\"}')"
	sql -c "CREATE SEQUENCE match_$ladder"
	cat >"$scratch/$ladder.sql" <<-SQL
		\set first random(1, 200000)
		\set tenth random(1, 10)
		\set winner random(1, 2)
		BEGIN;
		INSERT INTO $ladder.match (match_id) SELECT nextval('match_$ladder') RETURNING match_id AS id \gset
		INSERT INTO $ladder.match_player (match_id, player_id, team, rank)
		SELECT :id, (:first + i * 7919) % 200000, 1 + i % 2, CASE WHEN 1 + i % 2 = :winner THEN 1 ELSE 2 END
		FROM generate_series(0, CASE WHEN :tenth <= 3 THEN 6 ELSE 7 END) AS i;
		COMMIT;
	SQL
done
for ((round = 0; round < rounds; round++)); do
	for ladder in none learned; do
		pgbench -n -c 16 -j 2 -T "$seconds" -f "$scratch/$ladder.sql" | sed -n 's/^tps = \([0-9.]*\).*/\1/p' >>"$scratch/$ladder"
	done
done
report 'matches a second, learned against none' "$scratch/learned" "$scratch/none" 'at least 0.90'
sql -c "SELECT 'learned from ' || count(*) FILTER (WHERE size_advantage_ratio IS NULL) || ' of ' || count(*) || ' uneven matches'
	FROM learned.rated_match AS m WHERE (SELECT count(*) FROM learned.event AS e WHERE e.seq = m.seq) = 7"
