#!/bin/bash
# Test examples/http: real HTTP, 64 clients, kills; and what PostGraphile makes of the
# schema that create_api() makes.
#
#   test/http.sh
#
# Prints lines "ok http ..." or "not ok http ...".  PGHOST leads to a server.  It takes node
# and npm; where these are missing it prints a line "not run http ...", which counts neither
# as passed nor as failed.  HTTP_ACCEPT=1 writes the schema of GraphQL that is expected anew.

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
status=0

psql -qX -d postgres -c "CREATE DATABASE $database" || exit 1
export PGDATABASE=$database
psql -qX -v ON_ERROR_STOP=1 -f examples/http/setup.sql >/dev/null ||
	{ echo "not ok http: setup.sql"; exit 1; }

# For the owner, who may call everything; readers see less, which test.js looks at.
PGOPTIONS='-c role=game_admin' node examples/http/schema.js >"$scratch/schema.graphql" 2>"$scratch/schema.log"
made=$?
[ -z "${HTTP_ACCEPT:-}" ] || cp "$scratch/schema.graphql" examples/http/schema.graphql
if [ $made -eq 0 ] && [ ! -s "$scratch/schema.log" ] && diff examples/http/schema.graphql "$scratch/schema.graphql"; then
	echo "ok http: the schema of GraphQL is the expected one"
else
	cat "$scratch/schema.log"
	echo "not ok http: the schema of GraphQL is the expected one"
	status=1
fi

node examples/http/test.js || status=1
exit $status
