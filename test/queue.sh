#!/bin/bash
# A queue under load: players join, alone and in pairs, and some leave, while eight workers make
# matches on a few game servers and are killed at random.  No ticket is in two matches, none is lost,
# no player has two, and no server has two matches.
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
CREATE EXTENSION skillrating_queue;
SELECT skillrating.create_ladder('arena', 'trueskill'), skillrating_queue.create_coordinator('lobby');
INSERT INTO lobby.queue (queue, ladder, team_size, max_tickets, min_quality, needs_instance) VALUES ('ranked', 'arena', 2, 500, 0.4, true);
SELECT lobby.offer_instance('server ' || i, '10.0.0.' || i, valid_for => '1 day') FROM generate_series(1, 200) AS i;
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
        made := lobby.join('ranked', players::text[]);
        INSERT INTO joined VALUES (made, cardinality(players));
        COMMIT;
        IF i % 10 = 1 THEN
            PERFORM lobby.leave(ARRAY[2 * i - 20 * (i / 20 % 2)]::text[]);
            COMMIT;
        END IF;
    END LOOP;
END
\$\$;
SQL

# A worker goes on, with another connection if it has to, until it is told to stop.
for _ in $(seq 200); do
	echo "SELECT count(DISTINCT proposal) FROM lobby.tick('ranked');"
	# Matches are short: each worker ends some that have begun a while ago.
	echo "SELECT count(lobby.end_session(session)) FROM (SELECT session FROM lobby.proposal WHERE session IS NOT NULL AND session_ended_at IS NULL AND proposed_at < clock_timestamp() - interval '50 ms' LIMIT 50) AS s;"
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
    FROM lobby.player AS p LEFT JOIN lobby.ticket AS t USING (ticket) GROUP BY t.ticket, t.status, t.size
    UNION ALL
    SELECT 'a live ticket of nobody' FROM lobby.ticket AS t
    WHERE t.status IN ('waiting', 'proposed') AND NOT EXISTS (SELECT FROM lobby.player AS p WHERE p.ticket = t.ticket)
    UNION ALL
    SELECT 'a match that is not full' FROM lobby.proposal AS p JOIN lobby.seat AS s USING (proposal) GROUP BY p.proposal HAVING count(*) <> 4
    UNION ALL
    SELECT 'a ticket in two matches' FROM lobby.seat AS s GROUP BY s.ticket HAVING count(DISTINCT s.proposal) > 1
    UNION ALL
    SELECT 'a server with two matches' FROM lobby.proposal AS p WHERE p.session_ended_at IS NULL GROUP BY p.address HAVING count(*) > 1
    UNION ALL
    SELECT 'a match without a server, or a server with one that is over'
    FROM (SELECT * FROM lobby.proposal WHERE queue = 'ranked') AS p FULL JOIN lobby.instance AS i USING (session)
    WHERE i.session IS NOT NULL AND (p.proposal IS NULL OR p.session_ended_at IS NOT NULL) OR i.instance IS NULL AND p.session_ended_at IS NULL
    UNION ALL
    SELECT 'a match without a session' FROM lobby.proposal AS p WHERE p.queue = 'ranked' AND (p.session IS NULL OR p.address IS NULL)
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
		killed=$(ask -c "SELECT count($end) FROM pg_stat_activity WHERE application_name = '$victim' AND query LIKE '%lobby.%'")
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
	now=$(ask -c "SELECT count(*) FROM lobby.ticket WHERE status = 'waiting'")
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
check "most are matched" "$(ask -c "SELECT count(*) FILTER (WHERE status = 'matched') > 0.8 * count(*) FROM lobby.ticket")"
ask -o /dev/null -c 'SET search_path = lobby' -c "SELECT skillrating_queue.tick('ranked', 0, at => clock_timestamp() + interval '11 minutes')"
check "all end in a match, by leaving, or by their time" "$(ask -c "SELECT CASE WHEN count(*) = $tickets AND bool_and(t.status = 'matched' OR t.status = 'ended' AND t.reason IN ('left', 'expired')) THEN 't'
	ELSE format('%s tickets, %s', count(*), string_agg(DISTINCT concat(t.status, ' ', t.reason), ', ')) END FROM joined AS j JOIN lobby.ticket AS t USING (ticket)")"
check "nobody is left in the queue" "$(ask -c "SELECT count(*) = 0 FROM lobby.player")"
check "those who play together are in one team" "$(ask -c "SELECT count(*) = 0 FROM (SELECT FROM lobby.seat GROUP BY proposal, ticket HAVING count(DISTINCT team) > 1) AS s")"
check "each match seats whole tickets" "$(ask -c "SELECT count(*) = 0 FROM (SELECT FROM lobby.seat AS s JOIN lobby.ticket AS t USING (ticket) GROUP BY t.ticket, t.size, t.status HAVING count(*) <> t.size OR t.status <> 'matched') AS s")"
ask -c "SELECT format('%s tickets, %s matches by $workers workers, $kills kills, in %s s: %s tickets a second; waited %s s (median), %s s (p99); quality %s', sum(matched_tickets), sum(matches), round($took / 1e9, 1), round(sum(matched_tickets) / ($took / 1e9)),
	round(max(extract(epoch FROM waits[1])), 2), round(max(extract(epoch FROM waits[3])), 2), round(max(quality)::numeric, 4)) FROM lobby.status"

# ---- The check can fail ----

ask -o /dev/null -c "ALTER TABLE lobby.player DROP CONSTRAINT player_ticket_fkey" -c "INSERT INTO lobby.player VALUES ('-1', '-1', -1)"
check "a player who is lost is found out" "$([ "$(ask -f sample.sql)" != t ] && echo t)"
ask -o /dev/null -c "DELETE FROM lobby.player" -c "ALTER TABLE lobby.player ADD CONSTRAINT player_ticket_fkey FOREIGN KEY (ticket) REFERENCES lobby.ticket ON DELETE CASCADE"

# ---- Dump and restore ----

bindir=$("${PG_CONFIG:-pg_config}" --bindir)
ask -o /dev/null -c "CREATE ROLE ${database}_service" -c "GRANT USAGE ON SCHEMA lobby TO ${database}_service" -c "GRANT EXECUTE ON FUNCTION lobby.join, lobby.tick TO ${database}_service" \
	-c "SELECT lobby.join('ranked', ARRAY[i::text]) FROM generate_series(1, 4) AS i"
"$bindir/pg_dump" -Fc -f ladder.dump
ask -d postgres -c "DROP DATABASE IF EXISTS ${database}_restored" -c "CREATE DATABASE ${database}_restored" 2>/dev/null >/dev/null
check "a dump can be restored" "$("$bindir/pg_restore" --exit-on-error -d "${database}_restored" ladder.dump 2>&1 | head -n 1 | grep . || echo t)"
check "a restored queue goes on" "$(ask -d "${database}_restored" -c 'SET search_path = lobby' -c "SELECT count(*) = 4 FROM skillrating_queue.tick('ranked', at => now() + interval '1 minute')" | tail -n 1)"
check "with new numbers" "$(ask -d "${database}_restored" -c "SELECT lobby.join('ranked', '{5}') > max(ticket) FROM lobby.ticket")"
check "for the same roles" "$(ask -d "${database}_restored" -c "SET ROLE ${database}_service" -c "SELECT lobby.join('ranked', '{6}') > 0" -c "SELECT NOT has_table_privilege('lobby.ticket', 'SELECT') AND NOT has_function_privilege('lobby.leave(text[])', 'EXECUTE')" | sort -u)"
# As docs/upgrading.md exchanges the extension, which takes the functions of coordinators along.
"$bindir/pg_dump" --schema-only -f before.sql "${database}_restored"
ask -d "${database}_restored" -o /dev/null -c "SET client_min_messages = warning" -c "BEGIN" -c "DROP EXTENSION skillrating CASCADE" -c "CREATE EXTENSION skillrating" -c "SELECT skillrating.restore_triggers('arena')" -c "COMMIT"
check "an exchange of the extension takes a coordinator's functions along" "$(ask -d "${database}_restored" -c "SELECT count(*) = 0 FROM pg_proc WHERE pronamespace = 'lobby'::regnamespace")"
psql -qX -d "${database}_restored" -f before.sql >/dev/null 2>&1 || true
check "the statements of a dump make them again" "$(ask -d "${database}_restored" -c "SET ROLE ${database}_service" -c "SELECT lobby.join('ranked', '{7}') > 0" -c "SELECT NOT has_function_privilege('lobby.leave(text[])', 'EXECUTE')" | sort -u)"
ask -d postgres -c "DROP DATABASE ${database}_restored" >/dev/null
ask -o /dev/null -c "DELETE FROM lobby.player" -c "DROP OWNED BY ${database}_service" -c "DROP ROLE ${database}_service"

# ---- What a slice costs ----

# All at once in the queue, seen by one worker as a whole, and by several in parts.
fill() {
	ask -o /dev/null -c "INSERT INTO lobby.queue (queue, ladder, max_tickets, min_quality) VALUES ('$1', 'arena', $2, 0.5)" \
		-c "SELECT setseed(0.25)" \
		-c "WITH t AS (INSERT INTO lobby.ticket (queue, pool, size, mu, joined_at, tried_at)
				SELECT '$1', '', 1, r.mu, now() - random() * interval '30 s', now() - interval '30 s' FROM arena.rating AS r WHERE r.player_id <= $tickets ORDER BY r.player_id RETURNING ticket)
			INSERT INTO lobby.player (counts_as, player_id, ticket) SELECT n::text, n::text, ticket FROM (SELECT row_number() OVER (ORDER BY ticket) AS n, ticket FROM t) AS t" \
		-c "ANALYZE lobby.ticket"
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
			        PERFORM FROM lobby.tick('$1');
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
	ask -c "SELECT format('%s: %s matches in %s s, mean quality %s, tenth percentile %s', '$2', matches, round($took / 1e9, 1), round(s.quality::numeric, 4),
		(SELECT round((percentile_cont(0.1) WITHIN GROUP (ORDER BY p.quality))::numeric, 4) FROM lobby.proposal AS p WHERE p.queue = s.queue)) FROM lobby.status AS s WHERE s.queue = '$1'"
	ask -o /dev/null -c "DELETE FROM lobby.player"
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
check "parts make matches nearly as good" "$(ask -c "SELECT p.quality > 0.97 * w.quality AND p.matches > 0.9 * w.matches FROM lobby.status AS w, lobby.status AS p WHERE w.queue = 'whole' AND p.queue = 'parts'")"
cd /
exit $failed
