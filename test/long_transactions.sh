#!/bin/bash
# Two sessions at once, each one transaction of thousands of calls or statements on the same
# ladder, against the server that PGHOST leads to: locks do not pile up, both succeed, and the
# ladder verifies.  A server with few locks would soon be out of them:
#
#   CLUSTER_OPTIONS='max_locks_per_transaction=16 max_connections=20' \
#       test/cluster.sh bash test/long_transactions.sh
#
# Environment:
#   LONG_TRANSACTIONS  how many calls in each (default: 1500)
#
# Prints one line for each check, "ok NAME" or "not ok NAME", and fails if any check does.

set -euo pipefail

database=skillrating_long_transactions
n=${LONG_TRANSACTIONS:-1500}
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"; psql -qX -d postgres -c "DROP DATABASE IF EXISTS $database"' EXIT

psql -qX -d postgres -c "DROP DATABASE IF EXISTS $database" -c "CREATE DATABASE $database" 2>/dev/null
export PGDATABASE=$database
psql -qX -v ON_ERROR_STOP=1 -o /dev/null <<'SQL'
SET client_min_messages = warning;
CREATE EXTENSION skillrating;
SELECT skillrating.create_ladder('reported', 'elo');
SELECT skillrating.create_ladder('inserted', 'elo', apply_at => 'statement');
SELECT skillrating.create_ladder('crossed', 'elo');

CREATE TABLE held (play text, session integer, locks bigint);

-- One match, by one call or by statements; of a match that is there already nothing comes.
CREATE FUNCTION play(ladder text, id bigint, a bigint, b bigint) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
    IF ladder <> 'inserted' THEN
        PERFORM skillrating.report_match(ladder, id, ARRAY[a, b], ARRAY[1, 2], ARRAY[1, 1 + (id % 2)::integer], '2024-01-01');
        RETURN;
    END IF;
    INSERT INTO inserted.match (match_id, finished) VALUES (id, false) ON CONFLICT DO NOTHING;
    IF NOT FOUND THEN
        UPDATE inserted.match_player SET team = team WHERE match_id = id;
        RETURN;
    END IF;
    -- Not yet a match, then one, then the same again.
    INSERT INTO inserted.match_player (match_id, player_id, team, rank) VALUES (id, a, 1, 1), (id, b, 2, 1 + id % 2);
    UPDATE inserted.match SET finished = true WHERE match_id = id;
    UPDATE inserted.match SET gain = gain WHERE match_id = id;
END
$$;

-- Wait until both sessions have come so far.
CREATE FUNCTION meet(session integer) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
    PERFORM pg_advisory_xact_lock(session, 0);
    FOR i IN 1 .. 6000 LOOP
        EXIT WHEN EXISTS (SELECT FROM pg_locks WHERE locktype = 'advisory' AND classid = 3 - session AND objid = 0 AND objsubid = 2)
            OR EXISTS (SELECT FROM held AS h WHERE h.session = 3 - meet.session);
        PERFORM pg_sleep(0.01);
    END LOOP;
END
$$;

-- Matches of its own; then, in the same order as the other session, players and matches of both.
CREATE FUNCTION play_all(ladder text, session integer, n integer) RETURNS void LANGUAGE plpgsql AS $$
DECLARE
    own bigint := session * 1000000;
BEGIN
    FOR i IN 1 .. n LOOP
        PERFORM play(ladder, own + i, own + i % 97, own + 100 + i % 89);
    END LOOP;
    PERFORM meet(session);
    FOR i IN 1 .. 50 LOOP
        PERFORM play(ladder, own + n + i, own + 1, 10 * i + session);
        PERFORM play(ladder, 100 + i, 10 * i, 10 * i + 9);
    END LOOP;
    INSERT INTO held SELECT ladder, session, count(*) FROM pg_locks WHERE pid = pg_backend_pid();
END
$$;
SQL

failed=0
check() {
	if [ "$2" = t ]; then echo "ok long transactions: $1"; else echo "not ok long transactions: $1 ($2)"; failed=1; fi
}
ask() { local command=$1; shift; psql -qXAt -v ON_ERROR_STOP=1 -c "$command" "$@"; }
# The checks that verify() finds wrong, or t.
verify() { ask "SELECT coalesce(string_agg(v::text, '; ') FILTER (WHERE NOT ok), 't') FROM skillrating.verify('$1') AS v"; }

for ladder in reported inserted; do
	ask "TRUNCATE held"
	ask "SELECT play_all('$ladder', 1, $n)" >/dev/null 2>"$scratch/first" &
	first=$!
	status=t
	ask "SELECT play_all('$ladder', 2, $n)" >/dev/null 2>"$scratch/second" || status=f
	wait "$first" || status=f
	[ $status = t ] || cat "$scratch/first" "$scratch/second" >&2
	check "two transactions of $n matches each are $ladder at once" "$status"
	check "few locks are held in the end, $ladder" \
		"$(ask "SELECT CASE WHEN count(*) = 2 AND max(locks) < 200 THEN 't' ELSE string_agg(locks::text, ', ') END FROM held")"
	check "each match is rated once, $ladder" \
		"$(ask "SELECT count(*) = 2 * ($n + 50) + 50 AND bool_and(status = 'rated') FROM $ladder.rated_match")"
	check "the ladder verifies, $ladder" "$(verify $ladder)"
done

# The same players in any order: one of two has to give way, and tries again.
play_crossed() {
	local attempt
	for attempt in $(seq 50); do
		if ask "SET deadlock_timeout = '50ms'" -c "SELECT setseed($1 / 100.0 + $attempt / 1000.0)" \
			-c "SELECT count(play('crossed', $1 * 1000 + i, p[1], p[2])) FROM (SELECT i, ARRAY(SELECT q FROM generate_series(1, 20 + 0 * i) AS q ORDER BY random() LIMIT 2) AS p FROM generate_series(1, 100) AS i) AS m" \
			>/dev/null 2>"$scratch/crossed.$1"; then
			return 0
		fi
		grep -q 'deadlock detected' "$scratch/crossed.$1" || break
	done
	cat "$scratch/crossed.$1" >&2
	return 1
}
sessions=()
status=t
for session in 1 2 3; do
	play_crossed $session &
	sessions+=($!)
done
for session in "${sessions[@]}"; do
	wait "$session" || status=f
done
check "players in any order are nothing worse than a deadlock" "$status"
check "each match is rated once, crossed" "$(ask "SELECT count(*) = 300 AND bool_and(status = 'rated') FROM crossed.rated_match")"
check "the ladder verifies, crossed" "$(verify crossed)"
exit $failed
