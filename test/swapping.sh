#!/bin/bash
# Sixteen sessions insert matches, correct them, operate on states, catch up, rerate,
# rename the ladder's schema and swap ladders at once, against the server that PGHOST leads
# to: every match and operation is there exactly once, no number is given twice, and no
# other ladder changes.
#
#   test/swapping.sh
#
# Environment:
#   SWAPPING_SECONDS  how long (default: 12)
#
# Prints one line for each check, "ok NAME" or "not ok NAME", and fails if any check does;
# and what was done, with the errors that a rename or a deadlock may cause.

set -euo pipefail

database=skillrating_swapping
seconds=${SWAPPING_SECONDS:-12}
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"; psql -qX -d postgres -c "DROP DATABASE IF EXISTS $database"' EXIT

psql -qX -d postgres -c "DROP DATABASE IF EXISTS $database" -c "CREATE DATABASE $database" 2>/dev/null
export PGDATABASE=$database
psql -qX -v ON_ERROR_STOP=1 -o /dev/null <<'SQL'
CREATE EXTENSION skillrating;
SET client_min_messages = warning;
SELECT skillrating.create_ladder('arena', 'elo'), skillrating.create_ladder('bystander', 'elo');
SELECT skillrating.report_match('bystander', g, ARRAY[g % 5, g % 5 + 1], ARRAY[1, 2], ARRAY[1, 2]) FROM generate_series(1, 20) AS g;
SELECT skillrating.rerate('arena', 'elo', '{"k": 16}', 'trial');
CREATE TABLE bystander_before AS SELECT to_jsonb(e) AS row FROM bystander.event AS e UNION ALL SELECT to_jsonb(r) FROM bystander.rating AS r UNION ALL SELECT to_jsonb(m) FROM bystander.rated_match AS m;

-- What the two ladders are called at the moment.
CREATE TABLE called (live text, other text);
INSERT INTO called VALUES ('arena', 'trial');
CREATE SEQUENCE match_ids;
CREATE TABLE played (match_id bigint PRIMARY KEY);
CREATE TABLE voided (match_id bigint);
CREATE TABLE operated (operation bigint, kind text, player_id bigint);
CREATE TABLE outcome (task text, code text, message text, waited interval);

CREATE FUNCTION act(task text, live text, other text) RETURNS void LANGUAGE plpgsql AS $$
DECLARE
    player bigint := 1 + floor(random() * 20)::int;
    opponent bigint := (player + floor(random() * 18)::int) % 20 + 1;
    id bigint;
    extra text := format('extra_%s', pg_backend_pid());
    operation bigint;
BEGIN
    CASE task
    WHEN 'insert' THEN
        id := nextval('match_ids');
        EXECUTE format('INSERT INTO %I.match (match_id) VALUES ($1)', live) USING id;
        EXECUTE format('INSERT INTO %I.match_player (match_id, player_id, team, rank) VALUES ($1, $2, 1, 1), ($1, $3, 2, 2)', live) USING id, player, opponent;
        INSERT INTO played VALUES (id);
    WHEN 'report' THEN
        id := nextval('match_ids');
        PERFORM skillrating.report_match(live, id, ARRAY[player, opponent], ARRAY[1, 2], ARRAY[1, 2]);
        INSERT INTO played VALUES (id);
    WHEN 'change' THEN
        EXECUTE format('UPDATE %I.match_player SET rank = 3 - rank WHERE match_id = (SELECT max(match_id) - $1 FROM %1$I.match)', live) USING floor(random() * 50)::int;
    WHEN 'void' THEN
        SELECT match_id INTO id FROM played ORDER BY random() LIMIT 1;
        IF id IS NULL THEN
            RETURN;
        END IF;
        PERFORM pg_advisory_xact_lock(id);
        PERFORM skillrating.void_match(live, id);
        INSERT INTO voided VALUES (id);
    WHEN 'restore' THEN
        -- Nobody voids the match between these two.
        SELECT match_id INTO id FROM voided ORDER BY random() LIMIT 1;
        PERFORM pg_advisory_xact_lock(id);
        DELETE FROM voided WHERE match_id = id;
        IF FOUND THEN
            PERFORM skillrating.restore_match(live, id);
        END IF;
    WHEN 'merge' THEN
        operation := skillrating.merge_players(live, player + 100, player, allow_unknown => true);
        INSERT INTO operated VALUES (operation, 'merge', player + 100);
        PERFORM skillrating.undo_operation(live, operation);
    WHEN 'set' THEN
        SELECT s.operation INTO operation FROM skillrating.set_rating(live, player, '{"rating": 1600}') AS s;
        INSERT INTO operated VALUES (operation, 'set', player);
    WHEN 'catch up' THEN
        PERFORM skillrating.catch_up(live);
    WHEN 'take over' THEN
        PERFORM skillrating.catch_up(other, search => true);
    WHEN 'rerate' THEN
        PERFORM skillrating.rerate(live, 'elo', '{"k": 24}', extra);
        IF random() < 0.5 THEN
            PERFORM skillrating.swap_ladders(live, extra);
        END IF;
        PERFORM skillrating.drop_ladder(extra);
    WHEN 'swap' THEN
        PERFORM skillrating.swap_ladders(live, other);
    WHEN 'rename' THEN
        UPDATE called AS c SET live = CASE c.live WHEN 'arena' THEN 'stadium' ELSE 'arena' END, other = CASE c.other WHEN 'trial' THEN 'test' ELSE 'trial' END
        RETURNING c.live, c.other INTO act.live, act.other;
        EXECUTE format('ALTER SCHEMA %I RENAME TO %I', CASE live WHEN 'arena' THEN 'stadium' ELSE 'arena' END, live);
        EXECUTE format('ALTER SCHEMA %I RENAME TO %I', CASE other WHEN 'trial' THEN 'test' ELSE 'trial' END, other);
    END CASE;
    -- What is deferred to the commit fails where it can be caught.
    SET CONSTRAINTS ALL IMMEDIATE;
    SET CONSTRAINTS ALL DEFERRED;
END
$$;

-- Tasks of one kind or several in turn, each a transaction of its own, until the time is up and each
-- has succeeded, which may take longer on a busy machine.
CREATE PROCEDURE work(tasks text[], seconds float8, pause float8) LANGUAGE plpgsql AS $$
DECLARE
    until timestamptz := clock_timestamp() + seconds * interval '1 second';
    names called;
    task text;
    n integer := 0;
    missing text[] := tasks;
    begun timestamptz;
    code text;
    message text;
BEGIN
    PERFORM set_config('client_min_messages', 'error', false);
    WHILE clock_timestamp() < until OR missing <> '{}' AND clock_timestamp() < until + interval '2 minutes' LOOP
        task := tasks[1 + n % cardinality(tasks)];
        n := n + 1;
        begun := clock_timestamp();
        code := '00000';
        message := NULL;
        BEGIN
            SELECT * INTO names FROM called;
            PERFORM act(task, names.live, names.other);
            missing := array_remove(missing, task);
        EXCEPTION WHEN OTHERS THEN
            GET STACKED DIAGNOSTICS code = RETURNED_SQLSTATE, message = MESSAGE_TEXT;
        END;
        INSERT INTO outcome VALUES (task, code, message, clock_timestamp() - begun);
        COMMIT;
        PERFORM pg_sleep(pause);
    END LOOP;
END
$$;
SQL

failed=0
check() {
	if [ "$2" = t ]; then echo "ok swapping: $1"; else echo "not ok swapping: $1 ($2)"; failed=1; fi
}
ask() { psql -qXAt -v ON_ERROR_STOP=1 -c "$1"; }

workers=()
work() {
	psql -qX -v ON_ERROR_STOP=1 -c "CALL work('{$1}', $seconds, $2)" >>"$scratch/log" 2>&1 &
	workers+=($!)
}
for _ in 1 2 3 4 5; do work insert 0.005; done
for _ in 1 2; do work report 0.005; done
for _ in 1 2; do work change,void,restore 0.05; done
for _ in 1 2; do work merge,set 0.05; done
work 'catch up,take over' 0.2
work rerate 0.3
for _ in 1 2; do work swap 0.2; done
work rename 1
status=t
for worker in "${workers[@]}"; do wait "$worker" || status=f; done
[ $status = t ] || cat "$scratch/log" >&2

read -r live other < <(ask "SELECT live || ' ' || other FROM called")
check "no session breaks off" $status
ask "SELECT format('%s x %s: %s %s%s', count(*), task, code, max(message), to_char(max(waited), ', at most SS.MS s')) FROM outcome GROUP BY task, code ORDER BY task, code"
# A name that is gone when it is needed, in the middle of the work where ALTER SCHEMA waits
# for nobody; what waits for one another; and maintenance that others kept waiting for 30 s.
check "nothing fails but by renames, deadlocks and waiting for 30 s" \
	"$(ask "SELECT coalesce(string_agg(DISTINCT code || ' ' || message, '; '), 't') FROM outcome WHERE code NOT IN ('00000', '3F000', '42P01', '42704', '40P01', '40001') AND NOT (code = '55P03' AND waited > '25 s')")"
check "deadlocks are few" "$(ask "SELECT count(*) FILTER (WHERE code = '40P01') <= 0.05 * count(*) FROM outcome")"
for task in insert report change void restore merge set 'catch up' 'take over' rerate swap rename; do
	check "$task succeeds now and then" "$(ask "SELECT count(*) > 0 FROM outcome WHERE task = '$task' AND code = '00000'")"
done
ask "SELECT count(*) FROM skillrating.catch_up('$live')" >/dev/null
check "the ladder verifies" "$(ask "SELECT coalesce(string_agg(v::text, '; ') FILTER (WHERE NOT ok), 't') FROM skillrating.verify('$live') AS v")"
check "every match is there exactly once" \
	"$(ask "SELECT count(*) = count(DISTINCT match_id) AND bool_and(p.match_id IS NOT NULL AND m.match_id IS NOT NULL) FROM played AS p FULL JOIN $live.rated_match AS m USING (match_id)")"
check "every operation is there exactly once" \
	"$(ask "SELECT coalesce(string_agg(operation::text, ', '), 't') FROM (SELECT * FROM operated EXCEPT ALL SELECT operation, kind, player_id FROM $live.operation) AS missing")"
check "void matches are void" "$(ask "SELECT count(*) = 0 FROM (SELECT DISTINCT match_id FROM voided EXCEPT SELECT match_id FROM $live.rated_match WHERE status = 'void') AS d")"
check "no number is given twice" "$(ask "SELECT count(*) = count(DISTINCT operation) FROM $live.operation")"
ask "SELECT skillrating.swap_ladders('$live', '$other')" >/dev/null
check "the other ladder verifies after a last swap" "$(ask "SELECT coalesce(string_agg(v::text, '; ') FILTER (WHERE NOT ok), 't') FROM skillrating.verify('$live') AS v")"
check "it has every match" "$(ask "SELECT count(*) = (SELECT count(*) FROM played) FROM $live.rated_match")"
check "a rebuild changes nothing" "$(ask "SELECT count(*) = 0 FROM skillrating.catch_up('$live', search => true, rebuild => true)")"
check "another ladder is untouched" \
	"$(ask "SELECT count(*) = 0 FROM (TABLE bystander_before EXCEPT ALL (SELECT to_jsonb(e) FROM bystander.event AS e UNION ALL SELECT to_jsonb(r) FROM bystander.rating AS r UNION ALL SELECT to_jsonb(m) FROM bystander.rated_match AS m)) AS d")"
exit $failed
