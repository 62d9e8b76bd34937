#!/bin/bash
# Test examples/http: real HTTP, 64 clients, kills.
#
#   test/http.sh
#
# Prints lines "ok http ..." or "not ok http ...".  PGHOST leads to a server.  It takes node
# and npm; where these are missing it prints a line "not run http ...", which counts neither
# as passed nor as failed.

set -uo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.." || exit 1

for program in node npm; do
	command -v $program >/dev/null || { echo "not run http: there is no $program"; exit 0; }
done
NODE_PATH=$(test/node_modules.sh examples/http) ||
	{ echo "not run http: npm cannot install what is needed"; exit 0; }
export NODE_PATH

database=skillrating_http
scratch=$(mktemp -d)
clean_up() {
	psql -qX -d postgres -c "DROP DATABASE IF EXISTS $database WITH (FORCE)" 2>/dev/null
	psql -qX -d postgres -c 'DROP ROLE IF EXISTS game_http, game_reader, game_server, game_admin' 2>/dev/null
	rm -rf "$scratch"
}
trap clean_up EXIT

psql -qX -d postgres -c "CREATE DATABASE $database" || exit 1
export PGDATABASE=$database
psql -qX -v ON_ERROR_STOP=1 -f examples/http/setup.sql >/dev/null ||
	{ echo "not ok http: setup.sql"; exit 1; }

node examples/http/test.js
