#!/bin/bash
# Measure what it costs that a ladder keeps its changes: the same matches into a ladder that
# does and into one that does not, turn by turn in one run.
#
#   bench/changes.sh
#
# It works on a throw-away cluster unless PGHOST is set.  SCALE=0.1 takes a quick look.
# Nothing fails because of a time; the target is printed beside what was measured.

set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

. bench/common.sh
begin bench/changes.sh 9

arms='without with'
for arm in $arms; do
	sql -o /dev/null -c "SELECT skillrating.create_ladder('$arm', 'elo')"
done
sql -o /dev/null -c "SELECT skillrating.keep_changes('with')"
sql -c 'CREATE SEQUENCE bench_match'

# Seconds of the processor that a session takes for the statements of a file, which other
# work on the machine changes less than the time by the clock.
processor() {
	{
		cat
		echo "SELECT sum(f::numeric) / 100 FROM unnest(string_to_array(regexp_replace(pg_read_file('/proc/self/stat'), '^.*\) ', ''), ' ')) WITH ORDINALITY AS s(f, n) WHERE n IN (12, 13);"
	} | sql | tail -n 1
}

# One match of so many players, for pgbench and for psql.
one_match() {
	echo 'BEGIN;'
	echo "INSERT INTO \"$1\".match (match_id) VALUES (nextval('bench_match'));"
	printf 'INSERT INTO "%s".match_player (match_id, player_id, team, rank) VALUES ' "$1"
	for p in $(seq 0 $(($2 - 1))); do
		[ "$p" -eq 0 ] || printf ', '
		printf "(currval('bench_match'), (currval('bench_match') * 7919 + %d) %% 10000, %d, 1 + (%d + currval('bench_match') %% 2) %% 2)" $((p * 811)) $((1 + p % 2)) $((p % 2))
	done
	printf ';\nCOMMIT;\n'
}

for players in 2 12; do
	for arm in $arms; do
		one_match $arm $players >"$scratch/$arm.sql"
		for _ in $(seq "$(sized 2000)"); do cat "$scratch/$arm.sql"; done >"$scratch/$arm.many"
		: >"$scratch/$arm"
	done
	for _ in $(seq "$rounds"); do
		for arm in $arms; do
			processor <"$scratch/$arm.many" >>"$scratch/$arm"
		done
	done
	report "one match of $players a transaction, processor" "$scratch/with" "$scratch/without" 'at most 1.05'
	awk -v n="$(sized 2000)" -v s="$(median "$scratch/without")" -v c="$(median "$scratch/with")" 'BEGIN { printf "    %.0f us without, %.0f us with\n", s / n * 1e6, c / n * 1e6 }'
	for arm in $arms; do
		pgbench -n -c 16 -j 2 -t "$(sized 100)" -f "$scratch/$arm.sql" >/dev/null 2>&1
		: >"$scratch/$arm"
	done
	for _ in $(seq "$rounds"); do
		for arm in $arms; do
			pgbench -n -c 16 -j 2 -t "$(sized 500)" -f "$scratch/$arm.sql" 2>/dev/null |
				sed -n 's/^tps = \([0-9.]*\).*/\1/p' | awk '{ print 1 / $1 }' >>"$scratch/$arm"
		done
	done
	report "  by 16 clients, time" "$scratch/with" "$scratch/without" 'at most 1.05'
	awk -v s="$(median "$scratch/without")" -v c="$(median "$scratch/with")" 'BEGIN { printf "    %.0f matches/s without, %.0f with\n", 1 / s, 1 / c }'
done

# Batches of 1000 matches.
for players in 2 12; do
	for arm in $arms; do
		for _ in $(seq "$(sized 20)"); do
			cat <<-SQL
				WITH m AS (INSERT INTO "$arm".match (match_id) SELECT nextval('bench_match') FROM generate_series(1, 1000) RETURNING match_id)
				INSERT INTO "$arm".match_player (match_id, player_id, team, rank)
				SELECT match_id, (match_id * 7919 + p * 811) % 10000, 1 + p % 2, 1 + abs(p + hashint8(match_id)) % 2
				FROM m, generate_series(0, $players - 1) AS p;
			SQL
		done >"$scratch/$arm.many"
		: >"$scratch/$arm"
	done
	for _ in $(seq "$rounds"); do
		for arm in $arms; do
			processor <"$scratch/$arm.many" >>"$scratch/$arm"
		done
	done
	report "batches of 1000 matches of $players, processor" "$scratch/with" "$scratch/without" 'at most 1.05'
done
sql -c 'VACUUM "with".change' -c "SELECT format('    %s rows of change for %s matches: %s, %s with indexes; table event has %s and %s', count(*), (SELECT count(*) FROM \"with\".rated_match), pg_size_pretty(pg_relation_size('\"with\".change')), pg_size_pretty(pg_total_relation_size('\"with\".change')), pg_size_pretty(pg_relation_size('\"with\".event')), pg_size_pretty(pg_total_relation_size('\"with\".event'))) FROM \"with\".change"

# Reading all of it, and being up to date.
sql -o /dev/null -c "SELECT skillrating.create_ladder('read', 'elo')" -c "SELECT skillrating.keep_changes('read')"
sql -c "CREATE TABLE reader AS SELECT next_cursor FROM skillrating.changes('read')"
sql -c "WITH m AS (INSERT INTO read.match (match_id) SELECT generate_series(1, $(sized 100000)) RETURNING match_id) INSERT INTO read.match_player (match_id, player_id, team, rank) SELECT match_id, (match_id * 7919 + p * 811) % 100000, 1 + p, 1 + p FROM m, generate_series(0, 1) AS p"
timed <<<"SELECT count(*) FROM reader, skillrating.changes('read', next_cursor);" | awk -v n="$(sql -c 'SELECT count(*) FROM read.rating')" '{ printf "    %.0f changes read a second\n", n / $1 }'
sql -c "UPDATE reader SET next_cursor = (SELECT c.next_cursor FROM skillrating.changes('read', reader.next_cursor) AS c WHERE c.next_cursor IS NOT NULL)"
for _ in $(seq 100); do echo "SELECT count(*) FROM reader, skillrating.changes('read', next_cursor);"; done | timed | awk '{ printf "    %.2f ms to read nothing new\n", $1 * 10 }'
