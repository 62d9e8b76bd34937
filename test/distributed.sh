#!/bin/bash
# Matches solved where they lie: in the partitions of a table by parallel workers, and on
# two more servers through postgres_fdw; and ratings in a table there.
#
#   test/cluster.sh test/distributed.sh
#
# Prints one line for each check, "ok NAME" or "not ok NAME", and fails if any
# check does.

set -euo pipefail

. "$(dirname "${BASH_SOURCE[0]}")/common.sh"
begin distributed

# Two thousand matches of eight, of four seasons; two of these will be elsewhere.
columns='match_id bigint, season int, player_id bigint, team int, rank int, weight float8, side int, log_odds float8'
matches="SELECT m, m % 4, 1 + ((hashint8(m * 8 + p) & 65535) % 20 + 20 * p), 1 + p % 2,
		CASE WHEN (hashint8(m) & 1023) < 500 + 100 * (m % 3) THEN 1 + p % 2 ELSE 2 - p % 2 END, 0.5 + p % 3 / 4.0, 1 + p % 2, (m % 5 - 2) / 4.0
	FROM generate_series(1::bigint, 2000) AS m, generate_series(0, 7) AS p"
ask -o /dev/null <<SQL
CREATE EXTENSION skillrating;
CREATE TABLE plain ($columns);
INSERT INTO plain $matches;
CREATE TABLE partitioned (LIKE plain) PARTITION BY LIST (season);
SELECT format('CREATE TABLE season_%s PARTITION OF partitioned FOR VALUES IN (%1\$s)', s) FROM generate_series(0, 3) AS s \gexec
INSERT INTO partitioned SELECT * FROM plain;
CREATE TABLE skills (LIKE skillrating.estimate);
VACUUM ANALYZE plain, partitioned;
SQL
params() { if [ "$1" = hive ]; then echo '{"offset_deviation": 0.5}'; else echo '{}'; fi; }

# What solve() finds, where contexts may be known.
expect() {
	ask -c "DROP TABLE IF EXISTS expected" -c "CREATE TABLE expected AS SELECT e.* FROM (SELECT skillrating.solve('$1', match_id, player_id, team, rank,
		skillrating.inputs(weight => weight, side => side, log_odds => log_odds, context => $2), '$(params "$1")') AS x FROM plain) AS q, unnest(x) AS e" 2>/dev/null
}

# Solve a table by a solver, with settings and columns, what is logged to solve.log; then compare.
solve() {
	ask -o /dev/null -c "LOAD 'auto_explain'" -c "SET auto_explain.log_nested_statements = on; SET auto_explain.log_min_duration = 0; SET auto_explain.log_verbose = on; SET auto_explain.log_analyze = on; SET client_min_messages = log; $3" \
		-c "CALL skillrating.solve_distributed('$1', 'skills', '$2', '$(params "$2")', columns => '${4:-{\}}', warm => false)" >solve.log 2>&1 || { tail -3 solve.log >&2; return; }
	ask -c "SELECT coalesce(count(*) = 160 AND max(greatest(abs(s.mu - e.mu), abs(s.standard_error - e.standard_error), abs(s.side_offset - e.side_offset), abs(s.games - e.games), abs(s.component - e.component))) < 1e-6, false)
		FROM expected AS e FULL JOIN skills AS s USING (player_id)"
}
parallel='SET parallel_setup_cost = 0; SET parallel_tuple_cost = 0; SET min_parallel_table_scan_size = 0;'
passes() { grep -c "Query Text: SELECT 0, skillrating_internal.solve_pass" solve.log; }
readings() { grep -c "Query Text: SELECT 0, skillrating_internal.solve_survey" solve.log; }

for solver in bradley_terry hive; do
	expect $solver NULL
	check "$solver on a plain table" "$(solve plain $solver '')"
	check "$solver in a parallel plan" "$(solve partitioned $solver "$parallel")"
	check "workers read the partitions of $solver, once" \
		"$([ "$(readings)" -eq 1 ] && grep -q 'Workers Launched: [1-9]' solve.log && echo t)"
	# By part: in this process, and where partitions are groups in workers, which hand rows over.
	check "$solver by part" "$(solve plain $solver '' '{"part": "season"}')"
	check "$solver by part in workers" "$(solve partitioned $solver "$parallel SET enable_partitionwise_aggregate = on;" '{"part": "season"}')"
	check "workers make rows of the parts of $solver" "$(tr '\n' ' ' <solve.log | grep -q 'Query Text: SELECT CAST(season.*Workers Launched: [1-9].*Parallel Append.*Aggregate' && echo t)"
done

# ---- Two more servers ----

for server in 1 2; do
	make_cluster "shard$server"
	CLUSTER_DIRECTORY='' pg_ctl -D "$scratch/shard$server" -l "$scratch/shard$server.log" -o "-p 644$server -c log_statement=all" -w start
	ask -h "$scratch" -p "644$server" -U postgres -d postgres -o /dev/null -c "CREATE EXTENSION skillrating" -c "CREATE TABLE season ($columns)" \
		-c "INSERT INTO season SELECT * FROM ($matches) AS m(match_id, season) WHERE season = $server" -c "VACUUM ANALYZE season"
done
ask -o /dev/null <<SQL
CREATE EXTENSION postgres_fdw;
SELECT format('CREATE SERVER shard%s FOREIGN DATA WRAPPER postgres_fdw OPTIONS (host %L, port %L, dbname %L, extensions %L, async_capable %L)', s, '$scratch', '644' || s, 'postgres', 'skillrating', 'true') FROM generate_series(1, 2) AS s \gexec
SELECT format('CREATE USER MAPPING FOR current_user SERVER shard%s OPTIONS (user %L)', s, 'postgres') FROM generate_series(1, 2) AS s \gexec
DROP TABLE season_1, season_2;
SELECT format('CREATE FOREIGN TABLE season_%s PARTITION OF partitioned FOR VALUES IN (%1\$s) SERVER shard%1\$s OPTIONS (table_name %L)', s, 'season') FROM generate_series(1, 2) AS s \gexec
SQL
# All passes go to both, and nothing else does; each reads its table once.
shard() { ask -h "$scratch" -p "644$1" -U postgres -d postgres "${@:2}"; }
# Whoever has read has said so by the time that its process has ended.
scans() {
	until [ "$(shard "$1" -c "SELECT count(*) FROM pg_stat_activity WHERE backend_type = 'client backend'")" = 1 ]; do sleep 0.1; done
	shard "$1" -c 'SELECT pg_stat_force_next_flush()' -c "SELECT seq_scan FROM pg_stat_user_tables WHERE relname = 'season'" | tail -1
}
sent() {
	local before
	before="$(scans 1) $(scans 2)"
	check "$1 over two servers" "$(solve partitioned "$1" '')"
	check "$1 is solved on the servers" \
		"$([ "$(passes)" -gt 10 ] && [ "$(grep -c 'Remote SQL: SELECT [0-9]*, skillrating_internal.solve_pass' solve.log)" -eq $((2 * ($(passes) + 1))) ] && [ "$(grep 'Remote SQL: ' solve.log | grep -vc 'solve_pass\|solve_survey')" -eq 0 ] && echo t)"
	sleep 1
	check "each server reads the matches for $1 once" "$([ "$(scans 1) $(scans 2)" = "$(echo "$before" | awk '{ print $1 + 1, $2 + 1 }')" ] && echo t)"
	check "both work on $1 at once" "$(grep -q 'Async Foreign Scan' solve.log && echo t)"
}
for solver in bradley_terry hive; do
	expect $solver NULL
	sent $solver
done
# Nobody is believed who has a foreign table: the rows of its parts are fetched.
check "parts over two servers" "$(solve partitioned hive 'SET enable_partitionwise_aggregate = on;' '{"part": "season"}')"
check "are made of rows that travel" "$([ "$(grep -c 'Remote SQL: SELECT match_id' solve.log)" -eq 2 ] && [ "$(grep -c 'Remote SQL: .*solve_' solve.log)" -eq 0 ] && echo t)"
ask -c "CREATE VIEW viewed AS SELECT * FROM season_1"
solve viewed hive '' >/dev/null
check "so are those of a view of a foreign table" "$([ "$(grep -c 'Remote SQL: SELECT match_id' solve.log)" -eq 1 ] && [ "$(grep -c 'Remote SQL: .*solve_' solve.log)" -eq 0 ] && echo t)"
ask -c "DROP VIEW viewed"
# Texts take another way.
for server in 1 2; do
	ask -h "$scratch" -p "644$server" -U postgres -d postgres -c "ALTER TABLE season ADD context text" -c "UPDATE season SET context = 'map ' || match_id % 3"
done
ask -c "ALTER TABLE partitioned ADD context text" -c "UPDATE season_0 SET context = 'map ' || match_id % 3" -c "UPDATE season_3 SET context = 'map ' || match_id % 3"
expect hive "'map ' || match_id % 3"
sent hive

# Without the extension among the server's options rows travel, once, and the result is the same.
ask -o /dev/null -c "ALTER SERVER shard1 OPTIONS (DROP extensions)"
check "rows that have to travel give the same" "$(solve partitioned hive '')"
check "and travel once" "$([ "$(grep -c 'Remote SQL: SELECT match_id' solve.log)" -eq 1 ] && echo t)"
ask -o /dev/null -c "ALTER SERVER shard1 OPTIONS (ADD extensions 'skillrating')"

# ---- What others keep ----

# Whether the process on each server keeps rows, asked through the connection that solves; and
# a view of the matches whose reader waits as long as the gate is closed.
for server in 1 2; do
	shard $server -o /dev/null <<-SQL
		CREATE VIEW kept AS SELECT count(*) AS n FROM pg_backend_memory_contexts WHERE name = 'skillrating kept rows';
		CREATE TABLE gate (open boolean NOT NULL);
		INSERT INTO gate VALUES (true);
		CREATE FUNCTION pass_gate() RETURNS boolean LANGUAGE plpgsql AS \$\$
		BEGIN
			IF NOT (SELECT open FROM public.gate) THEN
				PERFORM pg_sleep(60);
			END IF;
			RETURN true;
		END \$\$;
		CREATE VIEW gated AS SELECT s.* FROM season AS s WHERE match_id % 50 > 0 OR pass_gate();
		CREATE ROLE reader LOGIN;
		GRANT USAGE ON SCHEMA skillrating, skillrating_internal TO reader;
	SQL
done
for server in 1 2; do ask -c "CREATE FOREIGN TABLE kept_$server (n bigint) SERVER shard$server OPTIONS (table_name 'kept')"; done
kept='SELECT a.n + b.n + (SELECT count(*) FROM pg_backend_memory_contexts WHERE name = '"'skillrating kept rows'"') FROM kept_1 AS a, kept_2 AS b;'
wait_for() {
	local tenths
	for tenths in $(seq 300); do
		[ "$("${@:2}" -c "$1")" = t ] && return
		sleep 0.1
	done
	echo "nobody got to: $1, after $tenths tenths of a second" >&2
	return 1
}
ask -c "DROP TABLE expected" -c "CREATE TABLE expected AS SELECT e.* FROM (SELECT skillrating.solve('bradley_terry', match_id, player_id, team, rank, skillrating.inputs(weight => weight, side => side, log_odds => log_odds, context => 'map ' || match_id % 3), '{}') AS x FROM plain) AS q, unnest(x) AS e"
as_expected() { ask -c "SELECT coalesce(count(*) = 160 AND max(abs(s.mu - e.mu)) < 1e-9, false) FROM expected AS e FULL JOIN skills AS s USING (player_id)"; }
call="CALL skillrating.solve_distributed('partitioned', 'skills', warm => false"

check "after a solve nobody keeps anything" "$(ask -c "$call)" -c "$kept" | tail -1 | sed 's/^0$/t/')"
check "in a solve in several steps everybody does, and nobody after its end" \
	"$([ "$(ask -o /dev/null -c 'BEGIN' -c "SELECT FROM skillrating_internal.solve_relation('partitioned', 'bradley_terry', '{}', '{}', NULL, NULL, false, '0123456789abcdef', NULL)" \
		-c '\o' -c "$kept" -c 'ABORT' -c "$kept" | tr '\n' ' ')" = '4 0 ' ] && echo t)"
check "iterations in transactions of their own read each server once" \
	"$(before="$(scans 1) $(scans 2)" && ask -c "$call, commits => true)" -c "$kept" >steps.log 2>&1 && sleep 1 && [ "$(tail -1 steps.log)" = 0 ] && [ "$(grep -c 'NOTICE:  iteration' steps.log)" -gt 2 ] &&
		[ "$(scans 1) $(scans 2)" = "$(echo "$before" | awk '{ print $1 + 1, $2 + 1 }')" ] && as_expected)"

# What is cancelled leaves nothing, here and there.
ask -o /dev/null -c "ALTER FOREIGN TABLE season_2 OPTIONS (SET table_name 'gated')"
shard 2 -c "UPDATE gate SET open = false"
for commits in false true; do
	check "cancelled, commits $commits, it leaves nothing" \
		"$( (psql -qXAt -c "SET statement_timeout = '1s'" -c "$call, commits => $commits)" -c 'RESET statement_timeout' -c "$kept" 2>&1 || true) | tr '\n' ' ' | grep -q 'canceling statement due to statement timeout.* 0 $' && echo t)"
done

# A server process that is killed while it reads: with commits the others keep what they have,
# and it reads again; without commits it is an error.
kill_reader() {
	wait_for "SELECT count(*) > 0 FROM pg_stat_activity WHERE wait_event = 'PgSleep'" shard 2 &&
		wait_for "SELECT count(*) > 0 FROM pg_stat_activity WHERE backend_type = 'client backend' AND state = 'idle in transaction' AND query LIKE 'FETCH%'" shard 1 &&
		shard 2 -o /dev/null -c "UPDATE gate SET open = true" -c "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE wait_event = 'PgSleep'"
}
ask -c "$call)" >killed.log 2>&1 &
solver=$!
kill_reader
wait $solver || true
check "a killed server process is an error" "$(grep -q 'terminating connection' killed.log && echo t)"
shard 2 -c "UPDATE gate SET open = false"
before="$(scans 1)"
ask -c "$call, commits => true)" -c "$kept" >killed.log 2>&1 &
solver=$!
kill_reader
wait $solver || true
sleep 1
check "with commits the solve goes on" "$(grep -q 'NOTICE:  lost a server, trying again: ' killed.log && [ "$(tail -1 killed.log)" = 0 ] && as_expected)"
check "and the other server does not read again" "$([ "$(scans 1)" = $((before + 1)) ] && echo t)"
ask -o /dev/null -c "ALTER FOREIGN TABLE season_2 OPTIONS (SET table_name 'season')"

# A server that is started again between two iterations, and matches that change meanwhile: those
# that were read count, those of this server as they are when it reads again.
ask -o /dev/null <<SQL
CREATE FUNCTION wait_for_test() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN PERFORM pg_advisory_lock_shared(20), pg_advisory_unlock_shared(20); RETURN NULL; END';
CREATE TRIGGER wait_for_test AFTER INSERT ON skills EXECUTE FUNCTION wait_for_test();
SQL
mkfifo holder
psql -qXAt <holder >/dev/null 2>&1 &
holder=$!
exec 9>holder
echo "SELECT pg_advisory_lock(20);" >&9
wait_for "SELECT count(*) = 1 FROM pg_locks WHERE locktype = 'advisory' AND objid = 20 AND granted" ask
before="$(scans 1)"
ask -c "$call, commits => true)" -c "$kept" >restarted.log 2>&1 &
solver=$!
wait_for "SELECT count(*) = 1 FROM pg_locks WHERE locktype = 'advisory' AND objid = 20 AND NOT granted" ask
CLUSTER_DIRECTORY='' pg_ctl -D "$scratch/shard2" -l "$scratch/shard2.log" -o "-p 6442 -c log_statement=all" -m immediate -w restart 9>&-
shard 1 -c "UPDATE season SET rank = 3 - rank"
ask -c "UPDATE season_0 SET rank = 3 - rank"
shard 2 -c "DELETE FROM season WHERE match_id = 2"
printf 'SELECT pg_advisory_unlock(20);\n\\q\n' >&9
exec 9>&-
wait $holder $solver || true
sleep 1
ask -c "DROP TRIGGER wait_for_test ON skills" -c "DROP TABLE expected" -c "CREATE TABLE expected AS SELECT e.* FROM (SELECT skillrating.solve('bradley_terry', match_id, player_id, team, rank, skillrating.inputs(weight => weight, side => side, log_odds => log_odds, context => 'map ' || match_id % 3), '{}') AS x FROM plain WHERE match_id <> 2) AS q, unnest(x) AS e"
check "a server that is started again reads again" "$([ "$(tail -1 restarted.log)" = 0 ] && as_expected)"
check "the others count what they have read, and read nothing again" "$([ "$(scans 1)" = $((before + 2)) ] && echo t)"
shard 1 -c "UPDATE season SET rank = 3 - rank"
ask -c "UPDATE season_0 SET rank = 3 - rank"

# Two at once, in sessions of their own, and by another role, whose rows are its own.
ask -o /dev/null <<SQL
CREATE TABLE skills_too (LIKE skillrating.estimate);
CREATE ROLE another;
GRANT USAGE ON SCHEMA skillrating TO another;
GRANT SELECT ON partitioned, season_0, season_1, season_2, season_3 TO another;
GRANT ALL ON skills_too TO another;
SELECT format('CREATE USER MAPPING FOR another SERVER shard%s OPTIONS (user %L)', s, 'reader') FROM generate_series(1, 2) AS s \gexec
SQL
for server in 1 2; do shard $server -c "GRANT SELECT ON season TO reader"; done
ask -c "ALTER USER MAPPING FOR another SERVER shard1 OPTIONS (ADD password_required 'false')" -c "ALTER USER MAPPING FOR another SERVER shard2 OPTIONS (ADD password_required 'false')"
ask -o /dev/null -c "$call)" & first=$!
ask -c 'SET ROLE another' -c "CALL skillrating.solve_distributed('partitioned', 'skills_too', commits => true)" >another.log 2>&1 & second=$!
wait $first $second || cat another.log >&2
check "two solves at once, one of another role" "$(as_expected)"
check "and both are right" "$(ask -c "SELECT count(*) = 160 AND max(abs(a.mu - b.mu)) < 1e-9 FROM skills AS a FULL JOIN skills_too AS b USING (player_id)")"

# A table on another server mirrors ratings.
ask -h "$scratch" -p 6441 -U postgres -d postgres -o /dev/null -c "CREATE TABLE person (id bigint PRIMARY KEY, elo int NOT NULL, played bigint)" \
	-c "INSERT INTO person VALUES (1, 900, 0), (2, 900, 0), (3, 900, 0)"
ask -o /dev/null <<SQL
CREATE FOREIGN TABLE person (id bigint, elo int NOT NULL DEFAULT 1000, played bigint) SERVER shard1;
SELECT skillrating.create_ladder('mirrored', 'elo', '{"k": 32}');
SELECT skillrating.mirror_rating('mirrored', 'person', 'id', '{"elo": "rating", "played": "games"}');
INSERT INTO mirrored.match (match_id) VALUES (1), (2);
INSERT INTO mirrored.match_player (match_id, player_id, team, rank) VALUES (1, 1, 1, 1), (1, 2, 2, 2), (2, 4, 1, 1), (2, 5, 2, 2);
INSERT INTO person (id) VALUES (4), (6);
SQL
people() { ask -h "$scratch" -p 6441 -U postgres -d postgres -c "SELECT string_agg(format('%s %s %s', id, elo, coalesce(played::text, '-')), ', ' ORDER BY id) FROM person"; }
check "a foreign table mirrors ratings" "$([ "$(people)" = "1 1516 1, 2 1484 1, 3 900 0, 4 1516 1, 6 1000 -" ] && echo t)"
ask -o /dev/null -c "SELECT skillrating.void_match('mirrored', 1)" -c "SELECT skillrating.catch_up('mirrored')"
check "and gets defaults for ratings that go" "$([ "$(people)" = "1 1000 -, 2 1000 -, 3 900 0, 4 1516 1, 6 1000 -" ] && echo t)"
ask -o /dev/null -c "SELECT skillrating.drop_ladder('mirrored')"
check "without a ladder it takes rows as before" "$(ask -c "INSERT INTO person (id) VALUES (5)" && [ "$(people)" = "1 1000 -, 2 1000 -, 3 900 0, 4 1516 1, 5 1000 -, 6 1000 -" ] && echo t)"

# A server that is gone is an error, and what was found before stays.
pg_ctl -D "$scratch/shard2" -m immediate stop
check "a server that is gone is an error" \
	"$( (ask -c "CALL skillrating.solve_distributed('partitioned', 'skills')" 2>&1 || true) | grep -c 'could not connect to server' | sed 's/^1$/t/')"
check "and changes nothing" "$(ask -c "SELECT count(*) = 160 FROM skills")"
check "no server process died" "$(! grep -E 'was terminated by signal|PANIC: ' "$scratch"/*.log "$CLUSTER_DIRECTORY/server.log" >&2 && echo t)"
exit $failed
