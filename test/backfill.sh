#!/bin/bash
# Kill backfill() at random points, again and again, by pg_terminate_backend and by crashes of
# the server, while other sessions report matches: in the end each match is rated once, and the
# ratings are those of one pass, bit for bit.
#
#   test/cluster.sh bash test/backfill.sh
#
# Environment:
#   BACKFILL_KILLS  how often, for each ladder (default: 8), and the size of the history
#
# Prints one line for each check, "ok NAME" or "not ok NAME", and fails if any check
# does; and for each ladder how many kills there were and how many of them hit.

set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
# shellcheck source=test/common.sh
. "$PWD/test/common.sh"
begin backfill
kills=${BACKFILL_KILLS:-8}
matches=$((kills * 4000))
# The same times in each run, as far as the clock allows.
RANDOM=18

ask -o /dev/null <<SQL
CREATE EXTENSION skillrating;
CREATE TABLE game (id bigint PRIMARY KEY, at timestamptz NOT NULL);
CREATE TABLE game_player (game_id bigint REFERENCES game, player_id bigint, team int, score int, PRIMARY KEY (game_id, player_id));
INSERT INTO game SELECT g, timestamptz '2024-01-01' + interval '1 min' * (g::bigint * 7919 % $matches) FROM generate_series(1, $matches) AS g;
INSERT INTO game_player SELECT g, (g * 31 + p * 7) % 300, 1 + p % 2, (g * 13 + p * 5) % 9 FROM generate_series(1, $matches) AS g, generate_series(1, 4) AS p;
CREATE VIEW games AS
	SELECT g.id AS match_id, g.at AS played_at, p.player_id, p.team, sum(p.score) OVER (PARTITION BY g.id, p.team) AS team_score
	FROM game AS g JOIN game_player AS p ON p.game_id = g.id;
CREATE SEQUENCE live START 1000000;
ANALYZE;
SQL

# Two players in a match of now, in a transaction of two statements.
cat >live.sql <<'SQL'
\set a random(0, 299)
\set b (:a + random(1, 299)) % 300
SELECT nextval('live') AS id \gset
BEGIN;
INSERT INTO game VALUES (:id, clock_timestamp());
INSERT INTO game_player VALUES (:id, :a, 1, 1), (:id, :b, 2, 0);
COMMIT;
\sleep 10 ms
SQL

live=
begin_live() {
	pgbench -n -c "$1" -T 600 -f live.sql >>live.log 2>&1 &
	live=$!
}
end_live() {
	# A crash has ended it.
	if [ -n "$live" ]; then kill "$live" 2>/dev/null || :; wait "$live" 2>/dev/null || :; fi
	live=
}
crash() {
	pg_ctl -D "$data" -m immediate stop
	start
	end_live
}
backfill() { PGAPPNAME=backfill psql -qXAt -c "CALL skillrating.backfill('$1', $2)" >>backfill.log 2>&1; }
missing() { ask -c "SELECT count(*) FROM game AS g WHERE NOT EXISTS (SELECT FROM $1.rated_match AS m WHERE m.match_id = g.id)"; }
# How many sessions were ended.
terminate() { ask -c "SELECT count(pg_terminate_backend(pid)) FROM pg_stat_activity WHERE application_name = 'backfill'" 2>/dev/null; }
seconds() { printf '0.%03d' $((RANDOM % $1)); }
# Wait for the answer t, or until all of these processes have ended.
await() {
	local question=$1 pid running=t
	shift
	while [ $running = t ] && [ "$(ask -c "$question")" != t ]; do
		running=f
		for pid; do ! kill -0 "$pid" 2>/dev/null || running=t; done
		sleep 0.02
	done
}

# Kill backfills of a ladder, one or two at a time, beside so many clients.
kill_backfills() {
	local ladder=$1 clients=$2 n hit=0 crashes=0 pids pid before progressed=0 seen=0 size
	for n in $(seq "$kills"); do
		[ -n "$live" ] || begin_live "$clients"
		before=$(missing "$ladder")
		size=$((100 + RANDOM % 900))
		backfill "$ladder" "$size" &
		pids=$!
		if [ $((n % 3)) -eq 0 ]; then
			backfill "$ladder" 333 &
			pids+=" $!"
		fi
		# At any point; once it rates or replays; once a batch is done.
		case $((n % 4)) in
			0) ;;
			1) await "SELECT count(*) < $before FROM game AS g WHERE NOT EXISTS (SELECT FROM $ladder.rated_match AS m WHERE m.match_id = g.id)" $pids ;;
			*) await "SELECT count(*) > 0 FROM skillrating.progress() WHERE phase <> 'searching'" $pids ;;
		esac
		sleep "$(seconds 400)"
		[ "$(ask -c "SELECT count(*) FROM skillrating.progress() WHERE ladder = '$ladder' AND work IN ('backfill', 'catch_up')")" = 0 ] || seen=$((seen + 1))
		if [ $((n % 6)) -eq 5 ]; then
			[ "$(ask -c "SELECT count(*) FROM pg_stat_activity WHERE application_name = 'backfill'")" = 0 ] || hit=$((hit + 1))
			crash
			crashes=$((crashes + 1))
		else
			[ "$(terminate)" = 0 ] || hit=$((hit + 1))
		fi
		for pid in $pids; do wait "$pid" || :; done
		[ "$(missing "$ladder")" -ge "$before" ] || progressed=$((progressed + 1))
	done
	echo "backfill of $ladder: $kills kills, $crashes of them crashes, $hit hit, $progressed left progress behind, $seen were seen at work"
	check "most kills hit $ladder" "$([ "$hit" -gt $((kills / 2)) ] && echo t || echo "$hit")"
	check "what was killed has got further" "$([ "$progressed" -gt 1 ] && echo t || echo "$progressed")"
	check "progress was seen" "$([ "$seen" -gt 0 ] && echo t || echo "$seen")"
}

# What is promised of a ladder that late matches are put into their places of.
finish() {
	local ladder=$1
	[ -n "$live" ] || begin_live "$2"
	backfill "$ladder" 1000 || check "backfill of $ladder ends" f
	end_live
	ask -o /dev/null -c "CALL skillrating.backfill('$ladder')"
	check "$ladder has every match" "$([ "$(missing "$ladder")" = 0 ] && echo t)"
	check "$ladder has each match once" "$(ask -c "SELECT count(*) = count(DISTINCT (match_id, player_id)) AND count(*) = (SELECT count(*) FROM game_player) FROM $ladder.event")"
	check "nothing waits in $ladder" "$(ask -c "SELECT NOT EXISTS (SELECT FROM $ladder.pending) AND NOT EXISTS (SELECT FROM $ladder.correction) AND NOT EXISTS (SELECT FROM $ladder.rated_match WHERE status <> 'rated')")"
	check "$ladder verifies" "$(ask -c "SELECT coalesce(string_agg(v::text, '; ') FILTER (WHERE NOT ok), 't') FROM skillrating.verify('$ladder') AS v")"
	ask -o /dev/null -c "SET client_min_messages = warning" \
		-c "SELECT skillrating.create_ladder('${ladder}_pass', (SELECT model FROM $ladder.ladder), source => 'games')" \
		-c "SELECT count(*) FROM skillrating.catch_up('${ladder}_pass', search => true)"
	check "$ladder has the ratings of one pass, bit for bit" \
		"$(ask -c "SELECT (SELECT md5(string_agg(to_jsonb(r)::text, ',' ORDER BY player_id, pool)) FROM $ladder.rating AS r)
			= (SELECT md5(string_agg(to_jsonb(r)::text, ',' ORDER BY player_id, pool)) FROM ${ladder}_pass.rating AS r)")"
	check "no report of work is left" "$(ask -c "SELECT count(*) = 0 FROM skillrating.progress()")"
}

# The one puts late matches into their places always, the other only those of a backfill: its
# live matches come from one session, in the order of time.
for ladder in reordering appending; do
	late=reorder model=glicko2 clients=3
	[ $ladder = reordering ] || late=append model=elo clients=1
	ask -o /dev/null -c "SET client_min_messages = warning" \
		-c "SELECT skillrating.create_ladder('$ladder', '$model', source => 'games', late => '$late')" \
		-c "SELECT skillrating.attach('$ladder', 'game', match_id => 'id')" \
		-c "SELECT skillrating.attach('$ladder', 'game_player', match_id => 'game_id')"
	kill_backfills $ladder $clients
	finish $ladder $clients
	ask -o /dev/null -c "SELECT skillrating.drop_ladder(l) FROM unnest(ARRAY['$ladder', '${ladder}_pass']) AS l"
done
check "the server has crashed only where it was to" "$(! grep -E 'was terminated by signal|PANIC: ' "$scratch"/*.log >&2 && echo t)"
exit $failed
