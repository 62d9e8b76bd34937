#!/bin/bash
# Measure what a match of twelve in a transaction of its own costs: stored only, by two inserts
# or by one statement; stored so and rated by a ladder, at commit or after the statement, also with
# ranks that are counted, and without the index on the rating; reported by report_match(); stored in
# somebody's own tables, which feed a ladder, without and with a mirror in a table of players; rated by
# a trigger by hand (bench/competitor.sql, by Elo); and rated by an application in Node with openskill;
# all from the same program, turn by turn in one run.
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
	[counted]=inserts [counted_once]=statement [bare]=inserts [bare_once]=statement
	[own]=inserts [own_once]=statement [mirror]=inserts [mirror_once]=statement [handmade]=statement)
declare -A options=([statement]=", apply_at => 'statement'"
	[counted]=", ranks => 'counted'" [counted_once]=", ranks => 'counted'")
rated='commit statement once reported counted counted_once bare bare_once own own_once mirror mirror_once handmade'
arms=${ARMS:-plain plain_once $rated application}
players_of() { echo "INSERT INTO $1.rating (player_id, mu, sigma) SELECT i, 25, 25.0 / 3 FROM generate_series(0, $((players - 1))) AS i;"; }

# Own tables with the keys of a ladder's, a table of players, and a ladder over them.
own() {
	local mirror=
	[ "${1%_once}" != mirror ] || mirror=", ratings_to => '$1.users', key => 'id', columns => '{\"skill\": \"rating\", \"games\": \"games\"}'"
	cat <<-SQL
		CREATE SCHEMA $1;
		CREATE TABLE $1.match (LIKE application.match INCLUDING ALL);
		CREATE TABLE $1.match_player (LIKE application.match_player INCLUDING ALL, FOREIGN KEY (match_id) REFERENCES $1.match ON DELETE CASCADE);
		CREATE TABLE $1.users (id bigint PRIMARY KEY, skill float8, games int);
		INSERT INTO $1.users SELECT generate_series(0, $((players - 1)));
		CREATE VIEW $1.played AS SELECT p.match_id, m.played_at, p.player_id, p.team, p.rank FROM $1.match_player AS p JOIN $1.match AS m USING (match_id);
		SELECT skillrating.create_ladder('$1_ladder', 'weng_lin', source => '$1.played'$mirror);
	SQL
	players_of "$1_ladder"
}

# What the trigger by hand takes its tables from is a ladder.
handmade() {
	echo "SELECT skillrating.create_ladder('arena', 'elo', player_type => 'bigint', match_type => 'bigint');"
	cat bench/competitor.sql
	echo "INSERT INTO handmade.rating (player_id, rating) SELECT i, 1500 FROM generate_series(0, $((players - 1))) AS i;"
}

ladder() { echo "SELECT skillrating.create_ladder('$1', 'weng_lin', player_type => 'bigint', match_type => 'bigint'${options[$1]:-});"; }
{
	echo 'SET client_min_messages = warning;'
	cat bench/match/application.sql
	for arm in $arms; do
		case $arm in
			application) players_of "$arm" ;;
			own* | mirror*) own "$arm" ;;
			handmade) handmade ;;
			*) ladder "$arm"; players_of "$arm" ;;
		esac
		[ "${arm%_once}" != bare ] ||
			echo "DROP INDEX $arm.rating_pool_rating_player_id_idx; ALTER TABLE $arm.rating SET (fillfactor = 70);"
	done
	for arm in plain plain_once; do
		[[ " $arms " != *" $arm "* ]] ||
			echo "ALTER TABLE $arm.match_player DISABLE TRIGGER collect_insert;"
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
	for arm in own_once mirror_once; do
		[ -e "$scratch/$arm.server" ] || continue
		report "$n client(s), $arm: the server, against one insert alone" "$scratch/$arm.server" "$scratch/plain_once.server" "$([ $arm = own_once ] && echo 'for information' || echo 'at most 7')"
		report "  against a ladder's own tables" "$scratch/$arm.server" "$scratch/once.server" "$([ $arm = own_once ] && echo 'at most 1.35' || echo 'for information')"
		report '  against a trigger by hand, which has no mirror' "$scratch/$arm.server" "$scratch/handmade.server" 'for information'
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
	'SELECT count(*) FROM commit.rating') players, verify: $(sql -c "SELECT bool_and(ok) FROM skillrating.verify('commit')")"
