#!/bin/bash
# What a ladder does when servers crash, prepare transactions, replicate, stand by
# and are upgraded:
#
#   CLUSTER_OPTIONS='wal_level=logical max_prepared_transactions=10' test/cluster.sh test/servers.sh
#
# Prints one line for each check, "ok NAME" or "not ok NAME", and fails if any
# check does.

set -euo pipefail

. "$(dirname "${BASH_SOURCE[0]}")/common.sh"
begin servers
verified() { ask "${@:2}" -c "SELECT bool_and(ok) FROM skillrating.verify('$1')"; }

# ---- Prepared transactions ----

ask -o /dev/null <<'SQL'
CREATE EXTENSION skillrating;
SELECT skillrating.create_ladder('arena', 'elo'), skillrating.create_ladder('queue', 'elo', apply_at => 'manual');
BEGIN;
INSERT INTO arena.match (match_id) VALUES (1);
INSERT INTO arena.match_player (match_id, player_id, team, rank) VALUES (1, 1, 1, 1), (1, 2, 2, 2);
INSERT INTO queue.match (match_id) VALUES (1);
INSERT INTO queue.match_player (match_id, player_id, team, rank) VALUES (1, 1, 1, 1), (1, 2, 2, 2);
PREPARE TRANSACTION 'kept';
BEGIN;
INSERT INTO arena.match (match_id) VALUES (2);
INSERT INTO arena.match_player (match_id, player_id, team, rank) VALUES (2, 3, 1, 1), (2, 4, 2, 2);
PREPARE TRANSACTION 'taken back';
INSERT INTO arena.match (match_id) VALUES (3);
BEGIN;
INSERT INTO arena.match_player (match_id, player_id, team, rank) VALUES (3, 5, 1, 1);
PREPARE TRANSACTION 'one half';
SET client_min_messages = error;
SELECT skillrating.create_ladder('refused', 'elo');
ALTER TABLE refused.rating ADD CHECK (player_id <> 13);
BEGIN;
INSERT INTO refused.match (match_id) VALUES (1), (2);
INSERT INTO refused.match_player (match_id, player_id, team, rank) VALUES (1, 13, 1, 1), (1, 2, 2, 2), (2, 1, 1, 1), (2, 2, 2, 2);
PREPARE TRANSACTION 'one fails';
SQL
other_half="INSERT INTO arena.match_player (match_id, player_id, team, rank) VALUES (3, 6, 2, 2)"
check "a prepared match is not seen" "$(ask -c "SELECT count(*) = 0 FROM arena.rated_match")"
pg_ctl -D "$data" -m immediate stop
start
waited=$(ask -c "SET lock_timeout = '200ms'" -c "$other_half" 2>&1 || :)
check "half of a match waits for the prepared other half" "$([[ $waited == *'lock timeout'* ]] && echo t || echo "$waited")"
ask -c "COMMIT PREPARED 'kept'" -c "ROLLBACK PREPARED 'taken back'" -c "COMMIT PREPARED 'one half'" -c "$other_half"
check "it is rated once it is committed, a crash or not" "$(ask -c "SELECT array_agg(match_id ORDER BY match_id) = '{1, 3}' FROM arena.rated_match WHERE status = 'rated'")"
check "prepared matches verify" "$(verified arena)"
ask -c "COMMIT PREPARED 'one fails'"
check "a prepared match waits if it could not be rated" \
	"$(ask -c "SELECT (waiting, rated) = (1, 1) AND last_error LIKE '23514: %' FROM skillrating.ladder_status('refused')")"
ask -o /dev/null -c "SELECT skillrating.drop_ladder('refused')"
check "a prepared match waits for catch_up() in manual mode" "$(ask -c "SELECT count(*) = 2 FROM skillrating.catch_up('queue')" -c "SELECT count(*) = 2 FROM queue.event" | sort -u)"

# ---- A crash in the middle of a load ----

ask -o /dev/null -c "SELECT skillrating.drop_ladder('arena'), skillrating.create_ladder('arena', 'glicko2')"
cat >load.sql <<'SQL'
\set a random(1, 50)
\set b :a + random(1, 20)
BEGIN;
INSERT INTO arena.match DEFAULT VALUES RETURNING match_id \gset
INSERT INTO arena.match_player (match_id, player_id, team, rank) VALUES (:match_id, :a, 1, 1), (:match_id, :b, 2, 2);
COMMIT;
SQL
pgbench -n -c 4 -j 2 -T 60 -l -f load.sql >pgbench.log 2>&1 &
load=$!
sleep 2
pg_ctl -D "$data" -m immediate stop
wait "$load" || true
start
known=$(cat pgbench_log.* | wc -l)
check "a crash loses no match that was committed" \
	"$(ask -c "SELECT $known > 50 AND count(*) BETWEEN $known AND $known + 4 FROM arena.match")"
check "each is rated once" \
	"$(ask -c "SELECT count(*) = (SELECT count(*) FROM arena.match) FROM arena.rated_match WHERE status = 'rated'")"
check "a crash leaves a ladder that verifies" "$(verified arena)"
check "and nothing pending" "$(ask -c "SELECT count(*) = 0 FROM arena.pending")"

# ---- A crash in the middle of catching up ----

ask -o /dev/null <<'SQL'
SELECT skillrating.create_ladder('big', 'elo');
BEGIN;
INSERT INTO big.match (match_id) SELECT generate_series(1, 40000);
INSERT INTO big.match_player (match_id, player_id, team, rank)
SELECT m, m * 7 % 300 + p * 300, p, 1 + (m % 3 + p) % 2 FROM generate_series(1, 40000) AS m, generate_series(1, 2) AS p;
COMMIT;
UPDATE big.match_player SET rank = 3 - rank WHERE match_id = 1;
SQL
before=$(ask -c "SELECT md5(string_agg(r::text, '' ORDER BY player_id)) FROM big.rating AS r")
ask -o /dev/null -c "BEGIN" -c "SELECT count(*) FROM skillrating.catch_up('big')" -c "SELECT pg_sleep(600)" >/dev/null 2>&1 &
catching=$!
for _ in $(seq 300); do
	[ "$(ask -c "SELECT count(*) FROM pg_stat_activity WHERE query LIKE 'SELECT pg_sleep%'")" = 1 ] && break
	sleep 0.1
done
pg_ctl -D "$data" -m immediate stop
interrupted=f
wait "$catching" || interrupted=t
start
check "catching up is interrupted" "$interrupted"
check "an interrupted catch_up() changes nothing" \
	"$(ask -c "SELECT md5(string_agg(r::text, '' ORDER BY player_id)) = '$before' AND (SELECT count(*) FROM big.correction) = 1 FROM big.rating AS r")"
check "and can be called again" "$(ask -c "SELECT count(*) > 0 FROM skillrating.catch_up('big')")"
check "after which the ladder verifies" "$(verified big)"

# ---- A standby serves all reads ----

"${as_server[@]}" "$bindir/pg_basebackup" -D "$scratch/standby" -R -X stream -c fast
cat >>"$scratch/standby/postgresql.auto.conf" <<EOF
port = 5433
EOF
pg_ctl -D "$scratch/standby" -l "$scratch/standby.log" -w start
reads="SELECT * FROM skillrating.leaderboard('arena', 5);
SELECT (skillrating.place_of('arena', 7)).place, (skillrating.place_of('arena', 7)).percentile;
SELECT * FROM skillrating.around('arena', 7);
SELECT * FROM skillrating.history('arena', 7);
SELECT skillrating.rating_at('arena', 7, now());
SELECT * FROM skillrating.preview('big', ARRAY[1, 2], ARRAY[1, 2]);
SELECT * FROM skillrating.win_probability('big', ARRAY[1, 2], ARRAY[1, 2]);
SELECT status, count(*) FROM skillrating.player_status('arena') GROUP BY 1 ORDER BY 1;
SELECT * FROM skillrating.surprising_players('arena');
SELECT * FROM skillrating.pool_quality('arena');
SELECT * FROM skillrating.compare_ladders('arena', 'arena');
SELECT skillrating.match_outcome('arena', 1);
SELECT * FROM skillrating.verify('arena');
SELECT * FROM skillrating.describe_source('arena.source', 'elo');"
lsn=$(ask -c "SELECT pg_current_wal_flush_lsn()")
for _ in $(seq 100); do
	[ "$(ask -p 5433 -c "SELECT pg_last_wal_replay_lsn() >= '$lsn'")" = t ] && break
	sleep 0.1
done
ask -c "$reads" >primary.out
ask -p 5433 -c "$reads" >standby.out 2>&1 || true
check "a standby serves all reads" "$(cmp -s primary.out standby.out && [ -s standby.out ] && echo t || diff primary.out standby.out | head -5)"
check "and refuses what writes" \
	"$(ask -p 5433 -c "SELECT * FROM skillrating.catch_up('arena')" 2>&1 | grep -c 'during recovery\|read-only' | sed 's/[1-9].*/t/')"
pg_ctl -D "$scratch/standby" -m fast stop

# ---- A logical subscriber does not rate what the publisher rates ----

ask -c "CREATE DATABASE subscriber"
ask -o /dev/null -c "CREATE PUBLICATION all_tables FOR ALL TABLES" \
	-c "SELECT pg_create_logical_replication_slot('ladders', 'pgoutput')"
pg_dump --schema-only --no-publications | ask -d subscriber -o /dev/null
ask -d subscriber -c "CREATE SUBSCRIPTION ladders CONNECTION 'host=$PGHOST port=$PGPORT dbname=$PGDATABASE user=$PGUSER'
	PUBLICATION all_tables WITH (create_slot = false, slot_name = 'ladders')" >/dev/null
caught_up() {
	lsn=$(ask -c "SELECT pg_current_wal_flush_lsn()")
	for _ in $(seq 300); do
		[ "$(ask -c "SELECT confirmed_flush_lsn >= '$lsn' FROM pg_replication_slots WHERE slot_name = 'ladders'")" = t ] &&
			[ "$(ask -d subscriber -c "SELECT bool_and(srsubstate = 'r') FROM pg_subscription_rel")" = t ] && return
		sleep 0.1
	done
}
caught_up
ask -o /dev/null <<'SQL'
SELECT skillrating.report_match('arena', 1000001, ARRAY[1, 2], ARRAY[1, 2], ARRAY[2, 1]);
BEGIN;
INSERT INTO arena.match (match_id) VALUES (1000002);
INSERT INTO arena.match_player (match_id, player_id, team, rank) VALUES (1000002, 3, 1, 1), (1000002, 4, 2, 2);
COMMIT;
UPDATE arena.match_player SET rank = 3 - rank WHERE match_id = 1000001;
SELECT count(*) FROM skillrating.catch_up('arena');
SELECT (skillrating.new_season('arena', 'next')).players, skillrating.void_match('arena', 1000002);
SELECT count(*) FROM skillrating.catch_up('arena');
SQL
# The first season has made a table, at which the subscriber stops until it has it as well.
for _ in $(seq 100); do
	stopped=$(ask -d subscriber -c "SELECT apply_error_count > 0 FROM pg_stat_subscription_stats")
	[ "$stopped" != t ] || break
	sleep 0.1
done
check "a subscriber stops at a table that the ladder has made since" "$stopped"
pg_dump --schema-only --no-publications -t arena.standing | ask -d subscriber -o /dev/null
ask -d subscriber -c "ALTER SUBSCRIPTION ladders REFRESH PUBLICATION"
caught_up
# All but what the identity columns and clocks of the subscriber would say.
state="SELECT (SELECT md5(string_agg(r::text, '' ORDER BY player_id)) FROM arena.rating AS r),
	(SELECT md5(string_agg(e::text, '' ORDER BY seq, player_id)) FROM arena.event AS e), (SELECT md5(string_agg(s::text, '' ORDER BY player_id)) FROM arena.standing AS s),
	(SELECT count(*) FROM arena.pending), (SELECT count(*) FROM arena.correction)"
check "a publication of all tables keeps the ladder working" "$(verified arena)"
check "a subscriber has the same ladder" "$([ "$(ask -c "$state")" = "$(ask -d subscriber -c "$state")" ] && echo t)"
check "which verifies there" "$(verified arena -d subscriber)"
ask -d subscriber -c "ALTER SUBSCRIPTION ladders DISABLE" -c "ALTER SUBSCRIPTION ladders SET (slot_name = NONE)" -c "DROP SUBSCRIPTION ladders"

# It takes over: rows were copied, and sequences were not.
check "a subscriber that takes over has its sequences put right" \
	"$(ask -d subscriber -c "SELECT sequences > 0 FROM skillrating.restore_triggers('arena')" -c "SELECT sequences = 0 FROM skillrating.restore_triggers('arena')" | sort -u)"
places="SELECT max(seq) FROM (SELECT seq FROM arena.rated_match UNION ALL SELECT seq FROM arena.operation) AS s"
before=$(ask -d subscriber -c "$places")
ask -d subscriber -o /dev/null <<'SQL'
INSERT INTO arena.match DEFAULT VALUES RETURNING match_id \gset
INSERT INTO arena.match_player (match_id, player_id, team, rank) VALUES (:match_id, 1, 1, 1), (:match_id, 4, 2, 2);
UPDATE arena.match_player SET rank = 3 - rank WHERE match_id = 1000001;
SELECT count(*) FROM skillrating.catch_up('arena');
SELECT (skillrating.new_season('arena', 'third')).players;
SQL
check "its matches and operations come after those that were copied" \
	"$(ask -d subscriber -c "SELECT count(*) = 2 FROM (SELECT seq FROM arena.rated_match UNION ALL SELECT seq FROM arena.operation) AS s WHERE seq > $before")"
check "and it verifies" "$(verified arena -d subscriber)"
ask -o /dev/null -c "SELECT pg_drop_replication_slot('ladders')" -c "DROP PUBLICATION all_tables" -c "DROP DATABASE subscriber"

# ---- pg_upgrade ----

upgrade() {
	make_cluster upgraded
	pg_ctl -D "$data" -m fast stop
	if env -u PGHOST -u PGPORT "${as_server[@]}" "$bindir/pg_upgrade" -b "$bindir" -B "$bindir" \
		-d "$data" -D "$scratch/upgraded" -U postgres -s "$scratch" >upgrade.log 2>&1; then
		check "pg_upgrade takes ladders along" t
	else
		check "pg_upgrade takes ladders along" f
		tail -20 upgrade.log >&2
	fi
	start
	pg_ctl -D "$scratch/upgraded" -l "$scratch/upgraded.log" -o "-p 5434" -w start
	local upgraded=(-h "$scratch" -p 5434)
	check "they verify" "$(verified arena "${upgraded[@]}")"
	ask "${upgraded[@]}" -o /dev/null -c "SELECT skillrating.report_match('arena', 2000001, ARRAY[1, 2], ARRAY[1, 2], ARRAY[2, 1])" \
		-c "UPDATE arena.match_player SET rank = 1 WHERE match_id = 1000001" -c "SELECT skillrating.catch_up('arena')"
	check "and go on" "$(verified arena "${upgraded[@]}")"
	pg_ctl -D "$scratch/upgraded" -m fast stop
}

# It looks for libraries where servers have them installed, and with the search paths
# of version 18 nowhere else; there the library is installed meanwhile.
installed=
library=$("${PG_CONFIG:-pg_config}" --pkglibdir)/skillrating.so
if ! grep -q extension_control_path "$CLUSTER_DIRECTORY/extension.conf" || [ -e "$library" ]; then
	upgrade
elif [ -w "$(dirname "$library")" ]; then
	installed=$library
	trap 'rm -f "$installed"; clean_up' EXIT
	cp "$CLUSTER_DIRECTORY/stage$library" "$installed"
	upgrade
	rm -f "$installed"
else
	echo "not run: pg_upgrade needs $library, which cannot be written"
fi
check "no server process died" "$(! grep -E 'was terminated by signal|PANIC: ' "$scratch"/*.log >&2 && echo t)"
exit $failed
