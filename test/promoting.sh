#!/bin/bash
# Sixteen sessions report and insert matches, correct them, void them and read, while another
# promotes a shadow there and back, over the match tables of a ladder and over those of a user,
# without mirrors and with one: no session fails, nothing is lost, both ladders verify.
#
#   test/cluster.sh test/promoting.sh
#
# Environment:
#   PROMOTING_SECONDS  how long each of the three runs is (default: 10)
#
# Prints one line for each check, "ok NAME" or "not ok NAME", and how long promotions took; fails if
# any check does.

set -euo pipefail

. "$(dirname "${BASH_SOURCE[0]}")/common.sh"
begin_database promoting
seconds=${PROMOTING_SECONDS:-10}

ask -o /dev/null <<'SQL'
CREATE EXTENSION skillrating;
CREATE SEQUENCE ids;
CREATE TABLE played (match_id bigint PRIMARY KEY);
CREATE TABLE outcome (run text, task text, waited interval, ended timestamptz DEFAULT clock_timestamp());
CREATE VIEW overlapping AS
SELECT p.run, p.ended AS promotion, o.task, 1e3 * extract(epoch FROM o.waited) AS waited_ms
FROM outcome AS p JOIN outcome AS o ON o.run = p.run AND o.ended > p.ended - p.waited AND o.ended - o.waited < p.ended
WHERE p.task = 'promote' AND o.task <> 'promote';

-- One ladder over match tables of its own, and one over tables of the user's.
SELECT skillrating.create_ladder('arena', 'elo');
CREATE TABLE game (game bigint PRIMARY KEY, played_at timestamptz NOT NULL DEFAULT now());
CREATE TABLE participant (game bigint REFERENCES game, account bigint, team integer, rank integer, PRIMARY KEY (game, account));
CREATE VIEW games AS
SELECT g.game AS match_id, g.played_at, p.account AS player_id, p.team, p.rank FROM game AS g JOIN participant AS p USING (game);
SELECT skillrating.create_ladder('league', 'elo', source => 'games'), skillrating.attach('league', 'game', 'game'),
	skillrating.attach('league', 'participant', 'game');
CREATE TABLE account (account bigint PRIMARY KEY, elo float8);
INSERT INTO account SELECT g FROM generate_series(1, 20) AS g;

CREATE FUNCTION act(ladder text, task text) RETURNS void LANGUAGE plpgsql AS $$
DECLARE
    player bigint := 1 + floor(random() * 20)::int;
    opponent bigint := (player + floor(random() * 18)::int) % 20 + 1;
    id bigint;
    tables text[] := CASE ladder WHEN 'arena' THEN '{arena.match,match_id,arena.match_player,player_id}'
        ELSE '{game,game,participant,account}'::text[] END;
BEGIN
    CASE task
    WHEN 'insert' THEN
        id := nextval('ids');
        EXECUTE format('INSERT INTO %s (%s) VALUES ($1)', tables[1], tables[2]) USING id;
        EXECUTE format('INSERT INTO %s (%s, %s, team, rank) VALUES ($1, $2, 1, 1), ($1, $3, 2, 2)', tables[3], tables[2], tables[4]) USING id, player, opponent;
        INSERT INTO played VALUES (id);
    WHEN 'report' THEN
        id := nextval('ids');
        PERFORM skillrating.report_match(ladder, id, ARRAY[player, opponent], ARRAY[1, 2], ARRAY[1, 2]);
        INSERT INTO played VALUES (id);
    WHEN 'correct' THEN
        EXECUTE format('UPDATE %s SET rank = 3 - rank WHERE %s = (SELECT max(match_id) - $1 FROM played)', tables[3], tables[2])
        USING floor(random() * 50)::int;
    WHEN 'read' THEN
        PERFORM count(*) FROM skillrating.leaderboard(ladder, n => 5);
        EXECUTE format('SELECT count(*) FROM %I.rating', ladder);
    END CASE;
END
$$;

-- Tasks in turn, each a transaction of its own, until the time is up.
CREATE PROCEDURE work(run text, ladder text, tasks text[], seconds float8, pause float8) LANGUAGE plpgsql AS $$
DECLARE
    until timestamptz := clock_timestamp() + seconds * interval '1 second';
    n integer := 0;
    task text;
    begun timestamptz;
BEGIN
    PERFORM set_config('client_min_messages', 'error', false);
    WHILE clock_timestamp() < until LOOP
        task := tasks[1 + n % cardinality(tasks)];
        n := n + 1;
        begun := clock_timestamp();
        PERFORM act(ladder, task);
        COMMIT;
        INSERT INTO outcome (run, task, waited) VALUES (run, task, clock_timestamp() - begun);
        COMMIT;
        PERFORM pg_sleep(pause * random());
    END LOOP;
END
$$;
CREATE PROCEDURE promote(run text, ladder text, seconds float8) LANGUAGE plpgsql AS $$
DECLARE
    until timestamptz := clock_timestamp() + seconds * interval '1 second';
    shadow text := ladder || '_trial';
    n integer := 0;
    begun timestamptz;
BEGIN
    WHILE clock_timestamp() < until OR n % 2 > 0 LOOP
        n := n + 1;
        begun := clock_timestamp();
        PERFORM skillrating.promote_ladder(shadow, former => format('%s_%s_%s', ladder, run, n));
        COMMIT;
        INSERT INTO outcome (run, task, waited) VALUES (run, 'promote', clock_timestamp() - begun);
        shadow := format('%s_%s_%s', ladder, run, n);
        COMMIT;
        PERFORM pg_sleep(0.2);
    END LOOP;
    EXECUTE format('ALTER SCHEMA %I RENAME TO %I', shadow, ladder || '_trial');
END
$$;
SQL

verified() { ask -c "SELECT coalesce(string_agg(v::text, '; ') FILTER (WHERE NOT ok), 't') FROM skillrating.verify('$1') AS v"; }

# Run the load on a ladder, and promote its shadow meanwhile.
run() {
	local name=$1 ladder=$2 reports=$3 workers=() worker status=t
	ask -o /dev/null -c "TRUNCATE played"
	work() {
		psql -qX -v ON_ERROR_STOP=1 -c "$1" >>"$scratch/$name.log" 2>&1 &
		workers+=($!)
	}
	for _ in 1 2 3 4 5 6 7; do work "CALL work('$name', '$ladder', '{insert}', $seconds, 0.02)"; done
	for _ in 1 2 3 4; do work "CALL work('$name', '$ladder', '{$reports}', $seconds, 0.02)"; done
	for _ in 1 2; do work "CALL work('$name', '$ladder', '{correct}', $seconds, 0.1)"; done
	work "CALL work('$name', '$ladder', '{correct,insert}', $seconds, 0.05)"
	work "CALL work('$name', '$ladder', '{read}', $seconds, 0.02)"
	work "CALL promote('$name', '$ladder', $seconds)"
	for worker in "${workers[@]}"; do wait "$worker" || status=f; done
	[ $status = t ] || cat "$scratch/$name.log" >&2
	check "$name: no session fails" $status
	ask -c "SELECT format('$name: %s x %s, median %s ms, longest %s ms', count(*), task,
			round((1e3 * percentile_cont(0.5) WITHIN GROUP (ORDER BY extract(epoch FROM waited)))::numeric, 1), round(1e3 * extract(epoch FROM max(waited))))
		FROM outcome WHERE run = '$name' GROUP BY task ORDER BY task"
	ask -c "SELECT format('$name: longest wait in a promotion: of a client, median %s ms, of a reader, median %s ms', round(percentile_cont(0.5) WITHIN GROUP (ORDER BY a)),
			round(percentile_cont(0.5) WITHIN GROUP (ORDER BY r)))
		FROM (SELECT max(o.waited_ms) AS a, max(o.waited_ms) FILTER (WHERE o.task = 'read') AS r FROM overlapping AS o WHERE o.run = '$name' GROUP BY o.promotion) AS p"
	check "$name: promotions go there and back" "$(ask -c "SELECT count(*) >= 2 FROM outcome WHERE run = '$name' AND task = 'promote'")"
	ask -o /dev/null -c "SELECT skillrating.catch_up(l) FROM unnest(ARRAY['$ladder', '${ladder}_trial']) AS l"
	local one
	for one in "$ladder" "${ladder}_trial"; do
		check "$name: $one verifies" "$(verified "$one")"
		check "$name: $one has every match once" "$(ask -c "SELECT count(m.match_id) = count(*) AND count(DISTINCT m.match_id) = count(*)
			FROM played AS p LEFT JOIN $one.rated_match AS m ON m.match_id = p.match_id AND m.status = 'rated'")"
		check "$name: a rebuild of $one changes nothing" "$(ask -c "SELECT count(*) = 0 FROM skillrating.catch_up('$one', search => true, rebuild => true)")"
	done
}

ask -o /dev/null -c "SELECT skillrating.shadow_ladder('arena', 'arena_trial', params => '{\"k\": 16}'), skillrating.shadow_ladder('league', 'league_trial', params => '{\"k\": 16}')"
run own arena report,report,report
run users league insert
# How long the ladder is held is how long somebody waits who only reads; others have to wait for each
# other, too, and to make their plans again.
for name in own users; do
	check "$name: the median promotion keeps a reader waiting for less than 100 ms" \
		"$(ask -c "SELECT percentile_cont(0.5) WITHIN GROUP (ORDER BY r) < 100
			FROM (SELECT max(o.waited_ms) AS r FROM overlapping AS o WHERE o.run = '$name' AND o.task = 'read' GROUP BY o.promotion) AS p")"
done
ask -o /dev/null -c "SELECT skillrating.mirror_rating('league', 'account', 'account', '{\"elo\": \"rating\"}')"
run mirror league insert
check "mirror: the table has the ratings of the ladder in use" \
	"$(ask -c "SELECT bool_and(a.elo = r.rating) FROM account AS a JOIN league.rating AS r ON r.player_id = a.account")"
exit $failed
