#!/bin/bash
# Measure what it costs to solve a history where it lies: in a table, in partitions, and on
# two more servers on this machine, against solve() of the same matches.
#
#   bench/distributed.sh
#
# `make bench` calls this.  It works on throw-away clusters; SCALE=0.1 takes a tenth of the
# size.  Times are those of a clock, and processor times those of all processes of all
# servers, as the kernel counts them.

set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

. bench/common.sh
begin bench/distributed.sh 3 work_mem=64MB

# ---- Two more servers ----

bindir=$("${PG_CONFIG:-pg_config}" --bindir)
owner=$(stat -c %U "$CLUSTER_DIRECTORY/data")
as_server=()
if [ "$(id -u)" -eq 0 ]; then
	chown "$owner" "$scratch"
	as_server=(setpriv "--reuid=$owner" "--regid=$(id -g "$owner")" --init-groups --)
fi
stop_servers() {
	local server
	for server in "$scratch"/shard*/postmaster.pid; do
		[ ! -e "$server" ] || "${as_server[@]}" "$bindir/pg_ctl" -s -D "$(dirname "$server")" -m immediate stop || :
	done
	rm -rf "$scratch"
}
trap stop_servers EXIT
shard() { sql -h "$scratch" -p "644$1" -U postgres -d postgres "${@:2}"; }
for server in 1 2; do
	( cd "$scratch" && "${as_server[@]}" "$bindir/initdb" -D "$scratch/shard$server" -U postgres -A trust -E UTF8 --locale=C --no-sync >"$scratch/initdb" )
	cat >>"$scratch/shard$server/postgresql.conf" <<-CONF
		listen_addresses = ''
		unix_socket_directories = '$scratch'
		port = 644$server
		fsync = off
		shared_buffers = 512MB
		work_mem = 64MB
		jit = off
		max_parallel_workers_per_gather = 0
		include '$CLUSTER_DIRECTORY/extension.conf'
	CONF
	( cd "$scratch" && CLUSTER_DIRECTORY='' "${as_server[@]}" "$bindir/pg_ctl" -s -D "$scratch/shard$server" -l "$scratch/shard$server.log" -w start )
	shard "$server" -c 'CREATE EXTENSION skillrating' -c 'CREATE TABLE history (match_id bigint, player_id bigint, team int, rank int, half int)'
done
sql -o /dev/null <<SQL
CREATE EXTENSION postgres_fdw;
SELECT format('CREATE SERVER shard%s FOREIGN DATA WRAPPER postgres_fdw OPTIONS (host %L, port %L, dbname %L, extensions %L, async_capable %L)', s, '$scratch', '644' || s, 'postgres', 'skillrating', 'true') FROM generate_series(1, 2) AS s \gexec
SELECT format('CREATE USER MAPPING FOR current_user SERVER shard%s OPTIONS (user %L)', s, 'postgres') FROM generate_series(1, 2) AS s \gexec
SQL

# Hundredths of a second of all processes that the servers have had, also of those that ended.
ticks() {
	local data
	for data in "$CLUSTER_DIRECTORY/data" "$scratch/shard1" "$scratch/shard2"; do
		cat "/proc/$(head -1 "$data/postmaster.pid")/stat"
	done | sed 's/.*) //' | awk '{ t += $12 + $13 + $14 + $15 } END { print t }'
}
# Run a file; its seconds go to FILE, those of processors to FILE.cpu.
measured() {
	local before
	before=$(ticks)
	timed >>"$scratch/$1"
	sleep 0.3
	echo "$(($(ticks) - before))" | awk -v hz="$(getconf CLK_TCK)" '{ print $1 / hz }' >>"$scratch/$1.cpu"
}

# ---- Sizes ----

solve="SELECT cardinality(s) FROM (SELECT skillrating.solve('hive', match_id, player_id, team, rank, '{}') AS s FROM history) AS q;"
distributed() { echo "CALL skillrating.solve_distributed('$1', 'skills', 'hive', warm => false${2:-}) \gset"; }
workers='SET max_parallel_workers_per_gather = 2; SET parallel_setup_cost = 0; SET parallel_tuple_cost = 0;'

for matches in $(sized 100000) $(sized 1000000); do
	# As in bench/solve.sh, matches of sixteen; a tenth of the players at a tenth of the size.
	sixteenth=$((matches / 160))
	sql -o /dev/null -c "CREATE TABLE history AS SELECT m AS match_id, p + 16 * floor($sixteenth * power((hashint8extended(m * 16 + p, 1) / 18446744073709551616.0 + 0.5)::float8, 3))::bigint AS player_id, 1 + (p + m)::int % 2 AS team,
			CASE WHEN (hashint8(m) & 1 = 0) = ((p + m) % 2 = 0) THEN 1 ELSE 2 END AS rank, 1 + m::int % 2 AS half
		FROM generate_series(1::bigint, $matches) AS m, generate_series(0, 15) AS p" \
		-c 'CREATE TABLE parts (LIKE history) PARTITION BY HASH (match_id)' \
		-c 'CREATE TABLE part_0 PARTITION OF parts FOR VALUES WITH (MODULUS 2, REMAINDER 0)' \
		-c 'CREATE TABLE part_1 PARTITION OF parts FOR VALUES WITH (MODULUS 2, REMAINDER 1)' \
		-c 'INSERT INTO parts SELECT * FROM history' \
		-c 'CREATE TABLE far (LIKE history) PARTITION BY LIST (half)' \
		-c "CREATE FOREIGN TABLE far_1 PARTITION OF far FOR VALUES IN (1) SERVER shard1 OPTIONS (table_name 'history', batch_size '1000')" \
		-c "CREATE FOREIGN TABLE far_2 PARTITION OF far FOR VALUES IN (2) SERVER shard2 OPTIONS (table_name 'history', batch_size '1000')" \
		-c 'INSERT INTO far SELECT * FROM history' \
		-c 'CREATE TABLE skills (LIKE skillrating.estimate)' -c 'VACUUM ANALYZE history, parts'
	for server in 1 2; do shard "$server" -c 'VACUUM ANALYZE history'; done
	rm -f "$scratch"/{solve,table,workers,servers,commits}*
	for _ in $(seq "$rounds"); do
		measured solve <<<"$solve"
		measured table < <(distributed history)
		measured workers < <(echo "$workers"; distributed parts)
		measured servers < <(distributed far)
		measured commits < <(echo 'SET client_min_messages = warning;'; distributed far ', commits => true')
	done
	echo "$matches matches of sixteen, $((matches / 10)) players: solve() $(median "$scratch/solve") s, $(median "$scratch/solve.cpu") s of processors"
	for way in table workers servers commits; do
		report "  $way" "$scratch/$way" "$scratch/solve" 'at most 4'
		report "  $way, processors" "$scratch/$way.cpu" "$scratch/solve.cpu" 'for information'
	done
	sql -c 'DROP TABLE history, parts, far, skills'
	for server in 1 2; do shard "$server" -c 'TRUNCATE history'; done
done
