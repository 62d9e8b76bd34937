#!/bin/bash
# Ladders that change places under live load, on servers that crash, and on a standby:
#
#   test/cluster.sh test/exchange.sh
#
# Environment:
#   EXCHANGE_MATCHES  matches before the load (default: 20000)
#   EXCHANGE_KILLS    crashes in the middle of a swap (default: 6)
#   EXCHANGE_RATE     matches a second of the load (default: 100)
#
# Prints how long the longest commit of the load took while rerate() and swap_ladders() ran,
# which no check judges, and one line for each check, "ok NAME" or "not ok NAME"; fails if any
# check does.

set -euo pipefail

. "$(dirname "${BASH_SOURCE[0]}")/common.sh"
begin exchange
matches=${EXCHANGE_MATCHES:-20000}
export PGOPTIONS='-c client_min_messages=error'
verified() { ask -c "SELECT bool_and(ok) FROM skillrating.verify('$1')"; }

# Whether every index has the rows of its table, where amcheck is installed.
sound() {
	if [ "$(ask -c "SELECT count(*) FROM pg_available_extensions WHERE name = 'amcheck'")" = 0 ]; then
		echo t
		return
	fi
	ask -o /dev/null -c "CREATE EXTENSION IF NOT EXISTS amcheck"
	ask -c "SELECT count(bt_index_check(x.indexrelid, true)) > 10 FROM pg_index AS x JOIN pg_class AS c ON c.oid = x.indexrelid
		WHERE c.relam = 403 AND x.indrelid IN (SELECT coalesce(nullif(t.reltoastrelid, 0), t.oid) FROM pg_class AS t
			WHERE t.relnamespace IN ('arena'::regnamespace, 'trial'::regnamespace) AND t.relkind = 'r'
			UNION SELECT t.oid FROM pg_class AS t WHERE t.relnamespace IN ('arena'::regnamespace, 'trial'::regnamespace))"
}

ask -o /dev/null <<SQL
CREATE EXTENSION skillrating;
SELECT skillrating.create_ladder('arena', 'elo');
CREATE SEQUENCE ids START 10000000;
INSERT INTO arena.match (match_id, played_at) SELECT g, '2020-01-01'::timestamptz + g * interval '1 minute' FROM generate_series(1, $matches) AS g;
INSERT INTO arena.match_player (match_id, player_id, team, rank) SELECT g, 1 + (g * 7919 + i * (1 + g % 997)) % 2000, i + 1, i + 1 FROM generate_series(1, $matches) AS g, generate_series(0, 1) AS i;
CREATE VIEW best AS SELECT player_id, rating FROM arena.rating;
VACUUM ANALYZE;
SQL
cat >load.sql <<'SQL'
\set a random(1, 2000)
\set b :a + random(1, 20)
BEGIN;
SELECT nextval('ids') AS id \gset
INSERT INTO arena.match (match_id) VALUES (:id);
INSERT INTO arena.match_player (match_id, player_id, team, rank) VALUES (:id, :a, 1, 1), (:id, :b, 2, 2);
COMMIT;
SQL

# ---- Live load ----

# Run a statement under load, and print the longest transaction of the load meanwhile.
under_load() {
	rm -f load_log.*
	pgbench -n -c 3 -R "${EXCHANGE_RATE:-100}" -T 600 -f load.sql -l --log-prefix=load_log >load.out 2>&1 &
	local load=$! from to
	sleep 1
	from=$(date +%s.%N)
	ask -o /dev/null -c "$2"
	to=$(date +%s.%N)
	sleep 1
	kill "$load"
	wait "$load" || :
	# A line has the time from the schedule on in microseconds, when it ended, and the lag.
	awk -v name="$1" -v from="$from" -v to="$to" '
		{ ended = $5 + $6 / 1e6; took = ($3 - $7) / 1e3 }
		ended >= from && ended - took / 1e3 <= to { n++; if (took > longest) longest = took }
		END { printf "%s: %.1f s, longest of %d commits %.0f ms\n", name, to - from, n, longest }' load_log.*
}
under_load "rerate under load" "SELECT skillrating.rerate('arena', 'elo', '{\"k\": 16}', 'trial')"
under_load "swap under load" "SELECT skillrating.swap_ladders('arena', 'trial')"
under_load "swap back under load" "SELECT skillrating.swap_ladders('arena', 'trial')"
check "the ladder verifies after swaps under load" "$(verified arena)"
check "every match is rated" "$(ask -c "SELECT count(*) = (SELECT count(*) FROM arena.match) FROM arena.rated_match")"
ask -o /dev/null -c "SELECT skillrating.rerate('arena', \"into\" => 'fresh')"
check "and bit for bit what rerate() makes of them" "$(ask -c "SELECT count(*) = 0 FROM ((TABLE arena.event EXCEPT ALL TABLE fresh.event) UNION ALL (TABLE fresh.event EXCEPT ALL TABLE arena.event)) AS d")"
ask -o /dev/null -c "SELECT skillrating.drop_ladder('fresh')"
check "indexes have their rows" "$(sound)"

# ---- Crashes ----

outcomes=
for kill in $(seq "${EXCHANGE_KILLS:-6}"); do
	before=$(ask -c "SELECT params->>'k' FROM arena.ladder")
	ask -o /dev/null -c "INSERT INTO arena.match (match_id) VALUES (nextval('ids'))" \
		-c "INSERT INTO arena.match_player (match_id, player_id, team, rank) VALUES (currval('ids'), 1, 1, 1), (currval('ids'), 2, 2, 2)"
	(ask -o /dev/null -c "SELECT skillrating.swap_ladders('arena', 'trial')" >/dev/null 2>&1 || :) &
	swap=$!
	# In the middle, or when it has just committed.
	sleep "$(awk -v r=$RANDOM 'BEGIN { print 0.05 + 0.75 * r / 32768 }')"
	head -1 "$data/postmaster.pid" | xargs kill -9
	wait "$swap" || :
	# Its children go as soon as they notice.
	for _ in $(seq 100); do
		start 2>/dev/null && break
		sleep 0.2
	done
	after=$(ask -c "SELECT params->>'k' FROM arena.ladder")
	outcomes="$outcomes $before-$after"
	check "crash $kill leaves one ladder or the other" \
		"$(ask -c "SELECT bool_and(v.ok) AND (SELECT array_agg(l.k ORDER BY l.k) = '{16, 32}' FROM (SELECT params->>'k' AS k FROM arena.ladder UNION ALL SELECT params->>'k' FROM trial.ladder) AS l) FROM skillrating.verify('arena') AS v")"
	check "crash $kill leaves sound indexes" "$(sound)"
done
echo "parameters before and after each crash:$outcomes"
ask -o /dev/null -c "SELECT skillrating.swap_ladders('arena', 'trial')"
check "and the ladders can be swapped" "$(verified arena)"

# ---- A standby ----

"${as_server[@]}" "$bindir/pg_basebackup" -D "$scratch/standby" -R -X stream -c fast
echo "port = 5433" >>"$scratch/standby/postgresql.auto.conf"
pg_ctl -D "$scratch/standby" -l "$scratch/standby.log" -w start
ask -o /dev/null -c "SELECT skillrating.swap_ladders('arena', 'trial')"
lsn=$(ask -c "SELECT pg_current_wal_flush_lsn()")
for _ in $(seq 300); do
	[ "$(ask -p 5433 -c "SELECT pg_last_wal_replay_lsn() >= '$lsn'")" = t ] && break
	sleep 0.1
done
state="SELECT (SELECT md5(string_agg(b::text, '' ORDER BY player_id)) FROM best AS b), (SELECT md5(string_agg(e::text, '' ORDER BY seq, player_id)) FROM arena.event AS e), (SELECT params FROM trial.ladder)"
check "a standby follows" "$([ "$(ask -c "$state")" = "$(ask -p 5433 -c "$state")" ] && echo t || echo f)"
check "and its ladder verifies" "$(ask -p 5433 -c "SELECT bool_and(ok) FROM skillrating.verify('arena')")"
pg_ctl -D "$scratch/standby" -m fast stop
exit "$failed"
