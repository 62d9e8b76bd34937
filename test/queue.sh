#!/bin/bash
# A queue under load: players join, alone and in pairs, and some leave, while eight workers make
# matches and are killed at random.  No ticket is in two matches, none is lost, and no player has two.
# Then what several workers cost in quality, against one who sees the whole queue.
#
#   test/cluster.sh bash test/queue.sh
#
# Environment:
#   TICKETS  how many tickets join (default: 10000)
#   WORKERS  how many workers there are (default: 8)
#
# Prints one line for each check, "ok NAME" or "not ok NAME", and fails if any check does; and how
# fast it was.

set -euo pipefail

. "$(dirname "${BASH_SOURCE[0]}")/common.sh"
begin_database queue
cd "$scratch"
tickets=${TICKETS:-10000}
workers=${WORKERS:-8}
joiners=4

ask -o /dev/null <<SQL
CREATE EXTENSION skillrating;
SELECT skillrating.create_ladder('arena', 'trueskill'), skillrating.create_queue('arena', 'ranked', team_size => 2, max_tickets => 500, min_quality => 0.4);
SELECT setseed(0.5);
INSERT INTO arena.rating (player_id, mu, sigma, games, last_played)
SELECT i, 25 + 6 * (random() + random() + random() + random() - 2), 1 + 3 * random(), 20, now() FROM generate_series(1, $tickets * 2) AS i;
ANALYZE;
CREATE TABLE joined (ticket bigint, size integer);
-- Tickets of one or two, one after the other, each in a transaction; every tenth leaves again.
CREATE PROCEDURE join_all(first integer, last integer) LANGUAGE plpgsql AS \$\$
DECLARE
    players bigint[];
    made bigint;
BEGIN
    FOR i IN first .. last LOOP
        players := CASE i % 5 WHEN 0 THEN ARRAY[2 * i - 1, 2 * i] ELSE ARRAY[2 * i] END;
        made := skillrating.queue_join('arena', 'ranked', players);
        INSERT INTO joined VALUES (made, cardinality(players));
        COMMIT;
        IF i % 10 = 1 THEN
            PERFORM skillrating.queue_leave('arena', ARRAY[2 * i - 20 * (i / 20 % 2)]);
            COMMIT;
        END IF;
    END LOOP;
END
\$\$;
SQL

# A worker goes on, with another connection if it has to, until it is told to stop.
for _ in $(seq 200); do
	echo "SELECT count(DISTINCT proposal) FROM skillrating.queue_tick('arena', 'ranked');"
	echo "SELECT pg_sleep(0.01);"
done >tick.sql
work_on() {
	while [ ! -e stop ]; do
		PGAPPNAME=$1 ask -o /dev/null -f tick.sql >>"$1.log" 2>&1 || :
	done
}

begun=$(date +%s%N)
pids=()
for w in $(seq "$workers"); do
	work_on "worker_$w" &
	pids+=($!)
done
joining=()
for j in $(seq "$joiners"); do
	ask -c "CALL join_all(($j - 1) * $tickets / $joiners + 1, $j * $tickets / $joiners)" >"join_$j.log" 2>&1 &
	joining+=($!)
done

# What must be true at any time, in one snapshot.
cat >sample.sql <<'SQL'
SELECT coalesce(string_agg(DISTINCT wrong, ', '), 't')
FROM (
    SELECT CASE WHEN t.ticket IS NULL OR t.status NOT IN ('waiting', 'proposed') THEN 'a player of no live ticket'
        WHEN t.size <> count(*) THEN 'a ticket of another size' END AS wrong
    FROM arena.queue_player AS p LEFT JOIN arena.queue_ticket AS t USING (ticket) GROUP BY t.ticket, t.status, t.size
    UNION ALL
    SELECT 'a live ticket of nobody' FROM arena.queue_ticket AS t
    WHERE t.status IN ('waiting', 'proposed') AND NOT EXISTS (SELECT FROM arena.queue_player AS p WHERE p.ticket = t.ticket)
    UNION ALL
    SELECT 'a match that is not full' FROM arena.queue_proposal AS p JOIN arena.queue_seat AS s USING (proposal) GROUP BY p.proposal HAVING count(*) <> 4
    UNION ALL
    SELECT 'a ticket in two matches' FROM arena.queue_seat AS s GROUP BY s.ticket HAVING count(DISTINCT s.proposal) > 1
) AS w
SQL

kills=0
samples=0
sampled=t
while jobs -pr | grep -qxF "$(printf '%s\n' "${joining[@]}")"; do
	# The server's process of a worker, its query, or its client.
	case $((RANDOM % 3)) in
		0) end='pg_terminate_backend(pid)' ;;
		1) end='pg_cancel_backend(pid)' ;;
		*) end='' ;;
	esac
	victim=worker_$((RANDOM % workers + 1))
	if [ -n "$end" ]; then
		killed=$(ask -c "SELECT count($end) FROM pg_stat_activity WHERE application_name = '$victim' AND query LIKE '%queue_tick%'")
	else
		killed=0
		client=$(ask -c "SELECT count(*) FROM pg_stat_activity WHERE application_name = '$victim'")
		for pid in $(pgrep -P "${pids[${victim#worker_} - 1]}" psql || :); do
			kill -KILL "$pid" 2>/dev/null && killed=$client
		done
	fi
	kills=$((kills + killed))
	if [ $((samples++ % 10)) -eq 0 ]; then
		now=$(ask -f sample.sql)
		[ "$now" = t ] || sampled=$now
	fi
	sleep 0.02
done
for pid in "${joining[@]}"; do wait "$pid" || :; done
check "everybody who joins has a ticket" "$(cat join_*.log | grep ERROR | head -n 1 | grep . || echo t)"

# Until those are left whom nobody suits.
left=-1
for _ in $(seq 100); do
	now=$(ask -c "SELECT count(*) FROM arena.queue_ticket WHERE status = 'waiting'")
	[ "$now" -lt 200 ] || [ "$now" != "$left" ] || break
	[ "$now" -ge 200 ] || break
	left=$now
	sleep 0.2
done
took=$(($(date +%s%N) - begun))
touch stop
wait "${pids[@]}" 2>/dev/null || :
now=$(ask -f sample.sql)
[ "$now" = t ] || sampled=$now
check "at any time no ticket is in two matches, and no player in two tickets" "$sampled"
check "nothing but a kill stops a worker" "$(cat worker_*.log | grep 'ERROR: \|FATAL: ' | grep -v 'canceling statement due to user request\|terminating connection' | head -n 1 | grep . || echo t)"
check "workers are killed" "$([ "$kills" -gt 3 ] && echo t || echo "$kills times")"
check "most are matched" "$(ask -c "SELECT count(*) FILTER (WHERE status = 'matched') > 0.8 * count(*) FROM arena.queue_ticket")"
ask -o /dev/null -c "SELECT skillrating.queue_tick('arena', 'ranked', 0, at => clock_timestamp() + interval '11 minutes')"
check "all end in a match, by leaving, or by their time" "$(ask -c "SELECT CASE WHEN count(*) = $tickets AND bool_and(t.status = 'matched' OR t.status = 'ended' AND t.reason IN ('left', 'expired')) THEN 't'
	ELSE format('%s tickets, %s', count(*), string_agg(DISTINCT concat(t.status, ' ', t.reason), ', ')) END FROM joined AS j JOIN arena.queue_ticket AS t USING (ticket)")"
check "nobody is left in the queue" "$(ask -c "SELECT count(*) = 0 FROM arena.queue_player")"
check "those who play together are in one team" "$(ask -c "SELECT count(*) = 0 FROM (SELECT FROM arena.queue_seat GROUP BY proposal, ticket HAVING count(DISTINCT team) > 1) AS s")"
check "each match seats whole tickets" "$(ask -c "SELECT count(*) = 0 FROM (SELECT FROM arena.queue_seat AS s JOIN arena.queue_ticket AS t USING (ticket) GROUP BY t.ticket, t.size, t.status HAVING count(*) <> t.size OR t.status <> 'matched') AS s")"
ask -c "SELECT format('%s tickets, %s matches by $workers workers, $kills kills, in %s s: %s tickets a second; waited %s s (median), %s s (p99); quality %s', sum(matched_tickets), sum(matches), round($took / 1e9, 1), round(sum(matched_tickets) / ($took / 1e9)),
	round(max(wait_p50)::numeric, 2), round(max(wait_p99)::numeric, 2), round(max(quality_mean)::numeric, 4)) FROM skillrating.queue_status('arena')"

# ---- The check can fail ----

ask -o /dev/null -c "INSERT INTO arena.queue_player VALUES (-1, -1, -1)"
check "a player who is lost is found out" "$([ "$(ask -f sample.sql)" != t ] && echo t)"
ask -o /dev/null -c "DELETE FROM arena.queue_player"

# ---- Dump and restore ----

bindir=$("${PG_CONFIG:-pg_config}" --bindir)
ask -o /dev/null -c "SELECT skillrating.queue_join('arena', 'ranked', ARRAY[i]) FROM generate_series(1, 4) AS i"
"$bindir/pg_dump" -Fc -f ladder.dump -n arena
ask -d postgres -c "DROP DATABASE IF EXISTS ${database}_restored" -c "CREATE DATABASE ${database}_restored" 2>/dev/null >/dev/null
ask -d "${database}_restored" -o /dev/null -c 'CREATE EXTENSION skillrating'
"$bindir/pg_restore" -d "${database}_restored" ladder.dump
check "a restored queue goes on" "$(ask -d "${database}_restored" -c "SELECT count(*) = 4 FROM skillrating.queue_tick('arena', 'ranked', at => now() + interval '1 minute')")"
check "with new numbers" "$(ask -d "${database}_restored" -c "SELECT skillrating.queue_join('arena', 'ranked', '{5}'::bigint[]) > max(ticket) FROM arena.queue_ticket")"
ask -d postgres -c "DROP DATABASE ${database}_restored" >/dev/null
ask -o /dev/null -c "DELETE FROM arena.queue_player"

# ---- What a slice costs ----

# All at once in the queue, seen by one worker as a whole, and by several in parts.
fill() {
	ask -o /dev/null -c "SELECT skillrating.create_queue('arena', '$1', max_tickets => $2, min_quality => 0.5)" \
		-c "SELECT setseed(0.25)" \
		-c "WITH t AS (INSERT INTO arena.queue_ticket (queue, pool, size, mu, joined_at, tried_at)
				SELECT '$1', '', 1, r.mu, now() - random() * interval '30 s', now() - interval '30 s' FROM arena.rating AS r WHERE r.player_id <= $tickets ORDER BY r.player_id RETURNING ticket)
			INSERT INTO arena.queue_player (counts_as, player_id, ticket) SELECT n, n, ticket FROM (SELECT row_number() OVER (ORDER BY ticket) AS n, ticket FROM t) AS t" \
		-c "ANALYZE arena.queue_ticket"
}
# So many workers, until three ticks after one another have found nothing.
drain() {
	local pid drains=() began
	began=$(date +%s%N)
	for _ in $(seq "$2"); do
		ask >>drain.log 2>&1 <<-SQL &
			DO \$\$
			DECLARE
			    idle integer := 0;
			BEGIN
			    WHILE idle < 3 LOOP
			        PERFORM FROM skillrating.queue_tick('arena', '$1');
			        idle := CASE WHEN FOUND THEN 0 ELSE idle + 1 END;
			        COMMIT;
			    END LOOP;
			END \$\$
		SQL
		drains+=($!)
	done
	for pid in "${drains[@]}"; do wait "$pid"; done
	took=$(($(date +%s%N) - began))
}
quality() {
	ask -c "SELECT format('%s: %s matches in %s s, mean quality %s, tenth percentile %s', '$2', matches, round($took / 1e9, 1), round(quality_mean::numeric, 4), round(quality_p10::numeric, 4)) FROM skillrating.queue_status('arena', '$1')"
	ask -o /dev/null -c "DELETE FROM arena.queue_player"
}
fill whole 10000
drain whole 1
quality whole 'one worker, the whole queue'
fill parts 1000
drain parts "$workers"
quality parts "$workers workers, parts of 1000 tickets"
fill small 100
drain small "$workers"
quality small "$workers workers, parts of 100 tickets"
check "parts make matches nearly as good" "$(ask -c "SELECT p.quality_mean > 0.97 * w.quality_mean AND p.matches > 0.9 * w.matches FROM skillrating.queue_status('arena', 'whole') AS w, skillrating.queue_status('arena', 'parts') AS p")"
cd /
exit $failed
