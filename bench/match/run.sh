#!/bin/bash
# Measure what a match of twelve in a transaction of its own costs: stored only, by two inserts
# or by one statement; stored so and rated by a ladder, at commit or after the statement, also with
# ranks that are counted, and without the index on the rating; reported by report_match(); and rated
# by an application in Node with openskill; all from the same program, turn by turn in one run.
#
#   bench/match/run.sh
#
# `make bench` calls this.  It works on a throw-away cluster unless PGHOST is set; the server
# must be on this machine, whose processor time is read.  Takes node and npm, and says "not
# run" where they are missing.  SCALE=0.1 takes a quick look.  Nothing fails because of a
# time; the targets are printed beside what was measured.

set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."

for program in node npm; do
	command -v $program >/dev/null || { echo "not run: bench/match/run.sh, there is no $program"; exit 0; }
done
NODE_PATH=$(test/node_modules.sh bench/match) || { echo "not run: bench/match/run.sh, npm cannot install openskill and pg"; exit 0; }
export NODE_PATH

. bench/common.sh
begin bench/match/run.sh 5

players=10000
each=$(sized 4000)
clients=${CLIENTS:-1 4}

# Each arm: its schema, how it stores a match, and what its ladder has besides.
declare -A how=([plain]=inserts [plain_once]=statement [application]=inserts
	[commit]=inserts [statement]=inserts [once]=statement [reported]=report_match
	[counted]=inserts [counted_once]=statement [bare]=inserts [bare_once]=statement)
declare -A options=([statement]=", apply_at => 'statement'"
	[counted]=", ranks => 'counted'" [counted_once]=", ranks => 'counted'")
rated='commit statement once reported counted counted_once bare bare_once'
arms=${ARMS:-plain plain_once $rated application}

ladder() { echo "SELECT skillrating.create_ladder('$1', 'weng_lin', player_type => 'bigint', match_type => 'bigint'${options[$1]:-});"; }
{
	for arm in $arms; do
		[ "$arm" = application ] || ladder "$arm"
		[ "${arm%_once}" != bare ] ||
			echo "DROP INDEX $arm.rating_pool_rating_player_id_idx; ALTER TABLE $arm.rating SET (fillfactor = 70);"
	done
	for arm in plain plain_once; do
		echo "ALTER TABLE $arm.match_player DISABLE TRIGGER collect_insert;"
	done
	cat bench/match/application.sql
	for arm in $arms; do
		echo "INSERT INTO $arm.rating (player_id, mu, sigma) SELECT i, 25, 25.0 / 3 FROM generate_series(0, $((players - 1))) AS i;"
	done
} | sql -o /dev/null

# measure ARM CLIENTS MATCHES: adds to the files of the three figures.
measure() {
	local clock server client
	read -r clock server client < <(node bench/match/client.js "$1" "${how[$1]}" "$2" "$3" $players)
	echo "$clock" >>"$scratch/$1.clock"
	echo "$server" >>"$scratch/$1.server"
	echo "$client" >>"$scratch/$1.client"
	awk -v s="$server" -v c="$client" 'BEGIN { print s + c }' >>"$scratch/$1.both"
}

# Tables that are all but empty have plans of their own.
for arm in $arms; do measure "$arm" 1 $((each / 2)); done
sql -c 'VACUUM ANALYZE'

for n in $clients; do
	rm -f "$scratch"/*
	for _ in $(seq "$rounds"); do
		for arm in $arms; do measure "$arm" "$n" $((each / n)); done
	done
	for arm in $rated; do
		[ -e "$scratch/$arm.clock" ] || continue
		report "$n client(s), $arm, against two inserts alone" "$scratch/$arm.clock" "$scratch/plain.clock" 'at most 2.0'
		report '  processor of the server' "$scratch/$arm.server" "$scratch/plain.server" 'for information'
		report '  against one insert alone' "$scratch/$arm.clock" "$scratch/plain_once.clock" 'for information'
		report '  against the application' "$scratch/$arm.clock" "$scratch/application.clock" 'at most 0.55'
		report '  processor of server and application' "$scratch/$arm.both" "$scratch/application.both" 'for information'
		report '  processor of the server' "$scratch/$arm.server" "$scratch/application.server" 'for information'
	done
	for arm in $arms; do
		echo "    $arm: $(median "$scratch/$arm.clock") ms a match, processor $(median "$scratch/$arm.server") us of the server and $(median "$scratch/$arm.client") us of the client"
	done
done

# All of them have rated the same matches of a client, in the same order, to the same ratings.
# Those of several clients come in any order.
sql -o /dev/null <<SQL
TRUNCATE application.match, application.match_player, application.rating, application.event RESTART IDENTITY;
SELECT skillrating.drop_ladder('commit');
$(ladder commit)
SQL
for arm in commit application; do node bench/match/client.js $arm inserts 1 1000 $players >/dev/null; done
echo
echo "largest difference of a rating from the application's: $(sql -c \
	'SELECT max(abs(c.mu - a.mu) + abs(c.sigma - a.sigma)) FROM commit.rating AS c JOIN application.rating AS a USING (player_id, pool)') among $(sql -c \
	'SELECT count(*) FROM commit.rating') players, verify: $(sql -c "SELECT bool_and(ok) FROM skillrating.verify('statement')")"
