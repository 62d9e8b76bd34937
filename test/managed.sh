#!/bin/bash
# A server without the extension publishes matches, another one subscribes, rates, and writes ratings
# back, as docs/managed.md says: its blocks are run here.  Under load, with corrections, deletes, late
# and bad matches, either server, the apply worker and the sessions that drain and push are killed at
# random.  Then the publisher fails over, twice, to a standby that lacks the slot and the last
# transactions, and S subscribes again with a copy and without.
#
#   test/cluster.sh test/managed.sh
#
# Environment:
#   KILLS         how often something is killed (default: 6)
#   RUN_AS_OWNER  true or false, from PostgreSQL 16 on: the option of the subscription, which then
#                 belongs to a role that the owner of the tables may not become, so that the apply
#                 worker either is that role, or works restricted
#
# Prints one line for each check, "ok NAME" or "not ok NAME", and fails if any check does; and how
# long matches take to be rated, and ratings to be back.

set -euo pipefail

root=$(realpath "$(dirname "${BASH_SOURCE[0]}")/..")
. "$root/test/common.sh"
begin managed
kills=${KILLS:-6}
version=$("$bindir/postgres" -V | sed 's/^[^0-9]*\([0-9]*\).*/\1/')
p_port=6451
s_port=6452

# ---- Two servers ----

# Start the server in $scratch/NAME; after a crash its old processes may take a moment to go.
start_server() {
	local name=$1 port=$2
	for _ in $(seq 50); do
		if CLUSTER_DIRECTORY='' pg_ctl -D "$scratch/$name" -l "$scratch/$name.log" -o "-p $port" -t 30 -w start >/dev/null 2>&1; then
			return
		fi
		sleep 0.2
	done
	echo "server $name does not start" >&2
	tail -n 20 "$scratch/$name.log" >&2
	return 1
}

settings() {
	cat >>"$scratch/$1/postgresql.conf" <<-CONF
		wal_level = logical
		track_commit_timestamp = on
		wal_retrieve_retry_interval = '200ms'
		wal_receiver_timeout = '5s'
		restart_after_crash = on
		max_connections = 40
	CONF
}

make_cluster p
sed -i '/extension.conf/d' "$scratch/p/postgresql.conf"
settings p
{ echo "local all sidecar scram-sha-256"; cat "$scratch/p/pg_hba.conf"; } >"$scratch/hba" && cat "$scratch/hba" >"$scratch/p/pg_hba.conf"
make_cluster s
settings s
start_server p $p_port
start_server s $s_port

on_p() { ask -h "$scratch" -p "$p_port" -U postgres -d postgres "$@"; }
on_s() { ask -h "$scratch" -p "$s_port" -U postgres -d postgres "$@"; }
as_rater() { ask -h "$scratch" -p "$s_port" -U rater -d postgres "$@"; }

# A block of the page by its first line, with P's address.
block() {
	local text
	text=$(awk -v first="-- $1" '/^```/ { if (shown) exit; shown = 0; fence = !fence; next }
		fence && $0 == first { shown = 1 } shown' "$root/docs/managed.md")
	[ -n "$text" ] || { echo "docs/managed.md has no block \"$1\"" >&2; return 1; }
	sed "s|games\.example\.com|$scratch|g; s/port '5432'/port '$p_port'/; s/port=5432/port=$p_port/; s/dbname 'games'/dbname 'postgres'/; s/dbname=games/dbname=postgres/" <<<"$text"
}

# Create the subscription as the page says, with more options.
subscribe() {
	local sql options=$1 who=as_rater
	sql=$(block 'S: subscription')
	if [ "$version" -lt 16 ]; then
		who=on_s
	elif [ -n "${RUN_AS_OWNER:-}" ]; then
		who="on_s -U subscriber"
		options=${options:+$options, }run_as_owner=$RUN_AS_OWNER
	fi
	[ -z "$options" ] || sql=${sql%;}" WITH ($options);"
	# shellcheck disable=SC2086 # a command and its arguments
	$who -c "${sql#*$'\n'}" >/dev/null 2>>subscribe.log
}

until_true() {
	local what=$1
	shift
	for _ in $(seq 600); do
		[ "$("$@" 2>/dev/null || :)" = t ] && return
		sleep 0.1
	done
	check "$what" "waited a minute in vain"
	return 1
}
copied() { on_s -c "SELECT count(*) = 2 AND bool_and(srsubstate = 'r') FROM pg_subscription_rel"; }
received() {
	local lsn
	lsn=$(on_p -c "SELECT pg_current_wal_lsn()")
	until_true "the subscription gets as far as P is" on_p -c "SELECT confirmed_flush_lsn >= '$lsn' FROM pg_replication_slots WHERE slot_name = 'matches'"
}

on_p -o /dev/null -f <(block 'P: matches') -f <(block 'P: publication')
# What P's table has must never be replaced by something older.
on_p <<'SQL'
CREATE TABLE older (player_id bigint, was bigint, becomes bigint);
CREATE FUNCTION note_older() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
	INSERT INTO older VALUES (OLD.player_id, OLD.position, NEW.position);
	RETURN NULL;
END
$$;
CREATE TRIGGER note_older AFTER UPDATE ON player_rating FOR EACH ROW WHEN (NEW.position <= OLD.position) EXECUTE FUNCTION note_older();
CREATE SEQUENCE game_id;
INSERT INTO game SELECT n, '2024-01-01'::timestamptz + n * interval '1 minute' FROM generate_series(1, 300) AS n;
INSERT INTO game_player SELECT n, (n * 7 + t * 13) % 60, t, t FROM generate_series(1, 300) AS n, generate_series(1, 2) AS t;
SELECT setval('game_id', 300) \g /dev/null
SQL
on_s -o /dev/null -f <(block 'S: extensions')
if [ "$version" -ge 16 ]; then
	on_s -c "GRANT pg_create_subscription TO rater" -c "CREATE ROLE subscriber LOGIN IN ROLE pg_create_subscription, rater" \
		-c "GRANT CREATE ON DATABASE postgres TO subscriber"
fi
as_rater -o /dev/null -f <(block 'S: ladder') -f <(block 'S: ratings')
subscribe ''
until_true "the tables are copied" copied
as_rater -o /dev/null -f <(block 'S: work')
[ -z "${RUN_AS_OWNER:-}" ] || [ "$version" -lt 16 ] ||
	check "the subscription belongs to another role" "$(on_s -c "SELECT subrunasowner = $RUN_AS_OWNER AND subowner = 'subscriber'::regrole FROM pg_subscription")"
check "what P had is rated" "$(as_rater -c "SELECT count(*) = 300 FROM arena.rated_match WHERE status = 'rated'")"
# Its files may lie where P looks for extensions: then nobody has called for them.
nothing_of_ours() {
	check "P has nothing of ours${1:+ $1}" "$(on_p -c "SELECT NOT EXISTS (SELECT FROM pg_extension WHERE extname = 'skillrating')
		AND NOT EXISTS (SELECT FROM pg_proc WHERE probin LIKE '%skillrating%')")"
}
nothing_of_ours ''

# ---- Load on P ----

cat >load.sql <<'SQL'
\set a random(0, 199)
\set b random(1, 199)
\set kind random(0, 99)
\if :kind < 60
WITH g AS (INSERT INTO game (id, played_at) VALUES (nextval('game_id'), clock_timestamp()) RETURNING id)
INSERT INTO game_player SELECT id, (:a + t * :b) % 200, t, t FROM g, generate_series(1, 2) AS t;
\elif :kind < 70
-- Several matches, one of them late, in one transaction; participants come before their match.
BEGIN;
SELECT nextval('game_id') AS first, nextval('game_id') AS second \gset
INSERT INTO game_player SELECT n, (:a + t * :b + n) % 200, t, t FROM unnest(ARRAY[:first, :second]) AS n, generate_series(1, 2) AS t ON CONFLICT DO NOTHING;
INSERT INTO game VALUES (:first, clock_timestamp()), (:second, clock_timestamp() - random() * interval '2 days');
END;
\elif :kind < 80
-- A correction.
UPDATE game_player SET place = 3 - place WHERE game_id = (SELECT max(id) - :b FROM game);
\elif :kind < 86
BEGIN;
DELETE FROM game_player WHERE game_id = (SELECT max(id) - :a - :b FROM game);
DELETE FROM game AS g WHERE id > 300 AND NOT EXISTS (SELECT FROM game_player AS p WHERE p.game_id = g.id) AND id = (SELECT max(id) - :a - :b FROM game);
END;
\elif :kind < 92
-- Bad ones: a single team, no result, an infinite time.
WITH g AS (INSERT INTO game (id, played_at) VALUES (nextval('game_id'), CASE WHEN :b % 3 = 0 THEN 'infinity' ELSE clock_timestamp() END) RETURNING id)
INSERT INTO game_player SELECT id, (:a + t * :b) % 200, CASE WHEN :b % 3 = 1 THEN 1 ELSE t END, CASE WHEN :b % 3 <> 2 THEN t END FROM g, generate_series(1, 2) AS t;
\elif :kind < 96
-- The key changes.
UPDATE game_player SET player_id = player_id + 200 WHERE (game_id, player_id) IN (SELECT game_id, player_id FROM game_player WHERE game_id = (SELECT max(id) - :a FROM game) AND player_id < 200 LIMIT 1);
\else
UPDATE game SET played_at = played_at - interval '1 hour' WHERE id = (SELECT max(id) - :b FROM game) AND isfinite(played_at);
\endif
\sleep 5 ms
SQL
load_p() {
	while [ ! -e stop ]; do
		pgbench -h "$scratch" -p "$p_port" -U postgres -n -c 2 -T 600 --max-tries=100 -f load.sql postgres >>load.log 2>&1 || sleep 0.2
	done
}
run_on_s() {
	while [ ! -e stop ]; do
		PGAPPNAME=$1 as_rater -o /dev/null -c "$2" >>"$1.log" 2>&1 || sleep 0.1
	done
}
begin_load() {
	rm -f stop
	load_p &
	load=$!
	run_on_s work "CALL skillrating.work(run_for => '1 minute')" &
	work=$!
	run_on_s drain "CALL skillrating.drain('arena', run_for => '1 minute')" &
	drain=$!
	run_on_s push "CALL skillrating.push('arena', run_for => '1 minute')" &
	push=$!
}
end_load() {
	touch stop
	on_p -o /dev/null -c "SELECT count(pg_terminate_backend(pid)) FROM pg_stat_activity WHERE application_name = 'pgbench'"
	on_s -o /dev/null -c "SELECT count(pg_terminate_backend(pid, 5000)) FROM pg_stat_activity WHERE application_name IN ('work', 'drain', 'push')"
	wait $load $work $drain $push 2>/dev/null || :
}

# ---- Kills ----

kill_server() {
	kill -KILL "$(head -n 1 "$scratch/$1/postmaster.pid")"
	# For a while it is away.
	sleep "0.$((RANDOM % 5))"
	start_server "$1" "$2"
}
# A process of S, after which S starts again by itself.
kill_process() {
	local pid
	pid=$(on_s -c "SELECT pid FROM pg_stat_activity WHERE $1 LIMIT 1" 2>/dev/null) || return 0
	[ -z "$pid" ] || kill -KILL "$pid" 2>/dev/null || :
	until_true "S is there again" on_s -c "SELECT true"
}
# One of six kinds, by a number.
kill_something() {
	case $(($1 % 6)) in
		0) kill_server p $p_port; echo p >>killed ;;
		1) kill_server s $s_port; echo s >>killed ;;
		2) kill_process "backend_type LIKE 'logical replication%worker'"; echo apply worker >>killed ;;
		3) kill_process "application_name = 'drain'"; echo drain >>killed ;;
		4) kill_process "application_name = 'push'"; echo push >>killed ;;
		5) kill_process "application_name = 'work'"; echo work >>killed ;;
	esac
}

# Everything that P has committed is on S, rated, and back.
settle() {
	until_true "P is there" on_p -c "SELECT true"
	until_true "S is there" on_s -c "SELECT true"
	received
	as_rater -o /dev/null -c "CALL skillrating.drain('arena')" -c "SELECT count(*) FROM skillrating.catch_up('arena')" -c "CALL skillrating.push('arena')"
}

rows() { "$@" -c "SELECT md5(string_agg(g::text, ' ' ORDER BY g.id)) FROM game AS g" -c "SELECT md5(string_agg(p::text, ' ' ORDER BY p.game_id, p.player_id)) FROM game_player AS p"; }
ratings="SELECT player_id, pool, rating, games FROM arena.rating"
states="SELECT md5(string_agg(concat_ws(' ', player_id, pool, mu, sigma, games, rating), ' ' ORDER BY player_id, pool)) FROM"

compare() {
	check "$1: S has the rows of P" "$([ "$(rows on_p)" = "$(rows on_s)" ] && echo t || echo "not equal")"
	check "$1: nothing waits, nor is anything set aside" "$(as_rater -c "SELECT CASE WHEN (s.waiting, s.put_aside, s.truncated) = (0, 0, 0) THEN 't' ELSE s::text END FROM skillrating.ladder_status('arena') AS s")"
	check "$1: each match was looked at" "$(as_rater -c "SELECT count(*) = 0 FROM (SELECT DISTINCT match_id FROM game_source) AS g LEFT JOIN arena.rated_match AS r USING (match_id) WHERE r.match_id IS NULL")"
	check "$1: no match is rated that P does not have, nor any twice" "$(as_rater -c "SELECT CASE WHEN count(*) = 0 THEN 't' ELSE count(*)::text END FROM (SELECT match_id, player_id, count(*) AS n FROM arena.event WHERE kind = 'match' GROUP BY 1, 2) AS e
		LEFT JOIN (SELECT DISTINCT match_id, player_id FROM game_source) AS s USING (match_id, player_id) LEFT JOIN arena.rated_match AS r ON r.match_id = e.match_id AND r.status = 'rated' WHERE e.n > 1 OR s.match_id IS NULL OR r.match_id IS NULL")"
	check "$1: the ladder verifies" "$(as_rater -c "SELECT CASE WHEN bool_and(ok) THEN 't' ELSE string_agg(detail, ' ') FILTER (WHERE NOT ok) END FROM skillrating.verify('arena')")"
	as_rater -o /dev/null -c "SET client_min_messages = warning" -c "SELECT skillrating.create_ladder('again', 'trueskill', source => 'game_source', late => 'reorder')" -c "CALL skillrating.backfill('again')"
	check "$1: another ladder over the same matches has the same bits" "$([ "$(as_rater -c "$states arena.rating")" = "$(as_rater -c "$states again.rating")" ] && echo t || echo "not equal")"
	as_rater -o /dev/null -c "SELECT skillrating.drop_ladder('again')"
	check "$1: P has the ratings of S" "$([ "$(on_p -c "SELECT player_id, mode, rating, games FROM player_rating ORDER BY 1, 2")" = "$(as_rater -c "$ratings ORDER BY 1, 2")" ] && echo t || echo "not equal")"
	check "$1: nothing on P was replaced by something older" "$(on_p -c "SELECT CASE WHEN count(*) = 0 THEN 't' ELSE string_agg(o::text, ' ') END FROM older AS o")"
	check "$1: P refused nothing" "$(as_rater -c "SELECT CASE WHEN refused = 0 AND phase = 'follow' THEN 't' ELSE s::text END FROM skillrating.push_status('arena') AS s")"
}

began=$SECONDS
begin_load
first=$RANDOM
for k in $(seq "$kills"); do
	sleep "1.$((RANDOM % 10))"
	kill_something $((first + k))
done
sleep 1
end_load
settle
echo "$(on_p -c "SELECT count(*) FROM game") matches, $kills kills in $((SECONDS - began)) s: $(sort killed | uniq -c | tr -s ' \n' ' ')"
compare "kills"
check "bad matches are set aside, each with a reason" "$(as_rater -c "SELECT CASE WHEN array_agg(DISTINCT reason) @> '{result_differs,no_result,infinite_time}' THEN 't' ELSE array_agg(DISTINCT reason)::text END FROM arena.rated_match WHERE status = 'unrated'")"
check "most matches are rated" "$(as_rater -c "SELECT count(*) FILTER (WHERE status = 'rated') > 0.8 * count(*) FROM arena.rated_match")"
check "corrections and late matches were among them" "$(as_rater -c "SELECT count(*) > 0 FROM arena.rated_match WHERE corrections > 0")"

# ---- What P refuses, and when it is away ----

on_p <<'SQL'
CREATE FUNCTION refuse() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
	IF NEW.player_id = 7 THEN
		RAISE 'player 7 is not welcome';
	END IF;
	RETURN NEW;
END
$$;
CREATE TRIGGER refuse BEFORE UPDATE ON player_rating FOR EACH ROW EXECUTE FUNCTION refuse();
CREATE FUNCTION play(a bigint, b bigint) RETURNS void LANGUAGE sql AS $$
	WITH g AS (INSERT INTO game (id, played_at) VALUES (nextval('game_id'), clock_timestamp()) RETURNING id)
	INSERT INTO game_player SELECT id, p, n, n FROM g, unnest(ARRAY[a, b]) WITH ORDINALITY AS u(p, n)
$$;
SELECT play(7, 8), play(9, 10) \g /dev/null
SQL
same="SELECT count(*) FROM (SELECT player_id, pool, rating, games FROM arena.rating EXCEPT SELECT player_id, mode, rating, games FROM player_rating) AS d"
settle
check "a row that P refuses is noted with its error" "$(as_rater -c "SELECT CASE WHEN array_agg(player_id) = '{7}' AND min(error) = 'player 7 is not welcome' THEN 't' ELSE array_agg(f)::text END FROM arena.push_failure AS f")"
check "and the others are written" "$(as_rater -c "$same" | sed 's/^1$/t/')"
on_p -c "DROP TRIGGER refuse ON player_rating"
as_rater -o /dev/null -c "UPDATE arena.push_failure SET retry_at = now()" -c "CALL skillrating.push('arena')"
check "it is written when P takes it" "$(as_rater -c "$same" -c "SELECT refused FROM skillrating.push_status('arena')" | sort -u | sed 's/^0$/t/')"

# The connection goes in the middle of a push.
on_p <<'SQL'
CREATE FUNCTION hang_up() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
	PERFORM pg_terminate_backend(pg_backend_pid());
	RETURN NEW;
END
$$;
CREATE TRIGGER hang_up BEFORE UPDATE ON player_rating FOR EACH ROW EXECUTE FUNCTION hang_up();
SELECT play(11, 12) \g /dev/null
SQL
received
as_rater -o /dev/null -c "CALL skillrating.drain('arena')"
check "a connection that is lost is a failure, which ends nothing" "$(as_rater -c "CALL skillrating.push('arena')" 2>/dev/null | sed 's/^0|1$/t/')"
as_rater -o /dev/null -c "UPDATE arena.push SET due_at = now()"
check "nor does it end work()" "$(as_rater -c "CALL skillrating.work('arena')" 2>/dev/null | sed 's/.*|1$/t/')"
on_p -c "DROP TRIGGER hang_up ON player_rating" -c "SELECT play(13, 14)" >/dev/null
received
pg_ctl -D "$scratch/p" -m fast stop
as_rater -o /dev/null -c "CALL skillrating.drain('arena')"
check "rating goes on while P is away" "$(as_rater -c "SELECT count(*) = 0 FROM (SELECT DISTINCT match_id FROM game_source) AS g LEFT JOIN arena.rated_match AS r USING (match_id) WHERE r.match_id IS NULL")"
as_rater -o /dev/null -c "CALL skillrating.push('arena')" -c "CALL skillrating.push('arena')" 2>/dev/null
check "pushing fails, and waits longer each time" "$(as_rater -c "SELECT CASE WHEN attempts >= 3 AND due_at - failed_at > interval '2 seconds' AND error LIKE '%could not connect%' THEN 't' ELSE s::text END FROM skillrating.push_status('arena') AS s")"
start_server p $p_port
as_rater -o /dev/null -c "CALL skillrating.push('arena')"
check "and goes on when P is back" "$(as_rater -c "$same" | sed 's/^0$/t/')"

# ---- A dump ----

on_s -c "CREATE DATABASE restored"
"$bindir/pg_dump" -h "$scratch" -p $s_port -U postgres --no-subscriptions postgres 2>/dev/null | ask -h "$scratch" -p $s_port -U postgres -d restored -o /dev/null
in_copy() { ask -h "$scratch" -p $s_port -U rater -d restored "$@"; }
check "a dump has the triggers, enabled always" "$(in_copy -c "SELECT count(*) = 8 FROM pg_trigger WHERE tgrelid IN ('game'::regclass, 'game_player'::regclass) AND tgenabled = 'A'" -c "SELECT skillrating.restore_triggers('arena') = 0" | sort -u)"
on_s -d restored -o /dev/null -c "SET session_replication_role = replica" -c "INSERT INTO game VALUES (0, now())" -c "INSERT INTO game_player VALUES (0, 1, 1, 1), (0, 2, 2, 2)"
in_copy -o /dev/null -c "CALL skillrating.drain('arena')"
check "matches that come there are rated" "$(in_copy -c "SELECT status = 'rated' FROM arena.rated_match WHERE match_id = 0")"
check "and it would begin to push with a comparison" "$(in_copy -c "BEGIN" -c "SELECT more FROM skillrating.push_step('arena', 'player_rating')" -c "SELECT phase = 'compare' FROM skillrating.push_status('arena')" -c "ROLLBACK" | sort -u)"
on_s -c "DROP DATABASE restored WITH (FORCE)"
settle

# ---- How long it takes ----

rm -f stop
cat >lag.sql <<'SQL'
WITH g AS (INSERT INTO game (id, played_at) VALUES (nextval('game_id'), clock_timestamp()) RETURNING id)
INSERT INTO game_player SELECT id, 1000000 + id * 2 + t, t, t FROM g, generate_series(1, 2) AS t;
\sleep 10 ms
SQL
run_on_s lag "CALL skillrating.work(run_for => '1 minute')" &
work=$!
pgbench -h "$scratch" -p $p_port -U postgres -n -c 2 -T 4 -f lag.sql postgres >lag.log 2>&1
sleep 2.5
touch stop
on_s -o /dev/null -c "SELECT count(pg_terminate_backend(pid, 5000)) FROM pg_stat_activity WHERE application_name = 'lag'"
wait $work 2>/dev/null || :
settle
on_s -c "\\copy (SELECT match_id, pg_xact_commit_timestamp(xmin) FROM arena.rated_match WHERE match_id IN (SELECT game_id FROM game_player WHERE player_id > 1000000)) TO 'rated.copy'"
on_p -c "CREATE TEMP TABLE rated (id bigint, at timestamptz)" -c "\\copy rated FROM 'rated.copy'" -c "
	SELECT format('lag of %s matches: rated after %s, back after %s ms (median, 95 %%, 99 %%)', count(*),
		percentile_cont('{0.5,0.95,0.99}'::float8[]) WITHIN GROUP (ORDER BY round(1000 * extract(epoch FROM r.at - g.at)))::int[],
		percentile_cont('{0.5,0.95,0.99}'::float8[]) WITHIN GROUP (ORDER BY round(1000 * extract(epoch FROM b.at - g.at)))::int[])
	FROM (SELECT id, pg_xact_commit_timestamp(xmin) AS at FROM game) AS g JOIN rated AS r USING (id)
	JOIN (SELECT DISTINCT p.game_id AS id, pg_xact_commit_timestamp(q.xmin) AS at FROM game_player AS p JOIN player_rating AS q USING (player_id) WHERE p.player_id > 1000000) AS b USING (id)"

# ---- P fails over ----

# A standby of P that stops before the last matches, which S has; then it takes P's place, gets
# matches that no slot has seen, and sequences that give identifiers of lost matches once more.
fail_over() {
	local old=$1 new=$2 lsn lost
	"${as_server[@]}" "$bindir/pg_basebackup" -D "$scratch/$new" -h "$scratch" -p "$p_port" -U postgres -R -X stream -c fast >/dev/null 2>&1
	start_server "$new" $((p_port + 10))
	lsn=$(on_p -c "SELECT pg_current_wal_lsn()")
	until_true "the standby follows" ask -h "$scratch" -p $((p_port + 10)) -U postgres -d postgres -c "SELECT pg_last_wal_replay_lsn() >= '$lsn'"
	pg_ctl -D "$scratch/$new" -m fast stop
	begin_load
	sleep 2
	end_load
	settle
	lost=$(on_p -c "SELECT max(id) FROM game")
	pg_ctl -D "$scratch/$old" -m immediate stop
	p_port=$((p_port + 10))
	start_server "$new" "$p_port"
	pg_ctl -D "$scratch/$new" -w promote
	check "$new lacks matches that were rated" "$([ "$(on_p -c "SELECT max(id) FROM game")" -lt "$lost" ] && echo t)"
	as_rater -c "ALTER SERVER games OPTIONS (SET port '$p_port')"
	on_p <<-'SQL'
		INSERT INTO game SELECT nextval('game_id'), clock_timestamp() FROM generate_series(1, 50) AS n;
		INSERT INTO game_player SELECT g.id, (g.id * 3 + t * 11) % 200, t, t FROM (SELECT id FROM game ORDER BY id DESC LIMIT 50) AS g, generate_series(1, 2) AS t;
		UPDATE game_player SET place = 3 - place WHERE game_id BETWEEN 100 AND 110;
	SQL
	if [ "$version" -lt 16 ] || [ -n "${RUN_AS_OWNER:-}" ]; then
		as_rater -o /dev/null -f <(block 'S: leave' | sed '/SUBSCRIPTION/d')
		on_s -f <(block 'S: leave' | grep SUBSCRIPTION) 2>>subscribe.log
	else
		as_rater -o /dev/null -f <(block 'S: leave') 2>>subscribe.log
	fi
}

began=$SECONDS
fail_over p p2
as_rater -f <(block 'S: empty')
check "draining waits for a copy" "$(as_rater -c "SELECT truncated > 0 FROM skillrating.ladder_status('arena')")"
subscribe ''
until_true "the tables are copied again" copied
versions="SELECT count(*), md5(string_agg(concat_ws(' ', match_id, xmin, seq), ' ' ORDER BY seq)) FROM arena.rated_match WHERE match_id < 90"
versions_before=$(as_rater -c "$versions")
as_rater -o /dev/null -f <(block 'S: search')
settle
check "what is as it was is not rated again" "$([ "$(as_rater -c "$versions")" = "$versions_before" ] && echo t)"
compare "failover with a copy"

fail_over p2 p3
as_rater -f <(block 'S: foreign matches')
as_rater -f <(block 'S: lost')
subscribe 'copy_data = false'
as_rater -o /dev/null -f <(block 'S: gap')
on_p -c "INSERT INTO game VALUES (nextval('game_id'), clock_timestamp())"
received
as_rater -o /dev/null -f <(block 'S: close the gap')
settle
compare "failover without a copy"
echo "two failovers in $((SECONDS - began)) s"
for page in 'S: status' 'P: status'; do
	if [ "${page%%:*}" = S ]; then who=on_s; else who=on_p; fi
	check "block \"$page\" runs" "$($who -o /dev/null -f <(block "$page") 2>&1 && echo t)"
done
nothing_of_ours "in the end"

exit $failed
