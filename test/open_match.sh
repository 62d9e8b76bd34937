#!/bin/bash
# Test examples/open_match: a match function of Open Match over gRPC, with a query service that is a
# fake, deadlines, cancelled calls, and a database that is not there.
#
#   test/open_match.sh
#
# Prints lines "ok open_match ..." or "not ok open_match ...".  PGHOST leads to a server.  It takes
# node and npm; where these are missing it prints a line "not run open_match ...", which counts
# neither as passed nor as failed.

set -uo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.." || exit 1

for program in node npm; do
	command -v $program >/dev/null || { echo "not run open_match: there is no $program"; exit 0; }
done
NODE_PATH=$(test/node_modules.sh examples/open_match) ||
	{ echo "not run open_match: npm cannot install what is needed"; exit 0; }
export NODE_PATH

database=skillrating_open_match
clean_up() {
	psql -qX -d postgres -c "DROP DATABASE IF EXISTS $database WITH (FORCE)" 2>/dev/null
	psql -qX -d postgres -c 'DROP ROLE IF EXISTS match_function' 2>/dev/null
}
trap clean_up EXIT
clean_up

psql -qX -d postgres -c "CREATE DATABASE $database" -c 'CREATE ROLE match_function LOGIN' || exit 1
export PGDATABASE=$database
psql -qX -v ON_ERROR_STOP=1 -v ladder=arena -v role=match_function -o /dev/null \
	-c 'CREATE EXTENSION skillrating' \
	-c "SELECT skillrating.create_ladder('arena', 'trueskill', player_type => 'text')" \
	-c "INSERT INTO arena.match (match_id) SELECT generate_series(1, 66)" \
	-c "INSERT INTO arena.match_player (match_id, player_id, team, rank)
		SELECT m.n, 'p' || p.player, p.team, 3 - p.team
		FROM (SELECT row_number() OVER (ORDER BY a, b) AS n, a, b FROM generate_series(1, 12) AS a, generate_series(1, 12) AS b WHERE a < b) AS m,
			LATERAL (VALUES (m.a, 1), (m.b, 2)) AS p(player, team)" \
	-f examples/open_match/setup.sql || { echo "not ok open_match: setup.sql"; exit 1; }
node examples/open_match/test.js
