#!/bin/bash
# Count the functions and files of the extension that one duel passes, from its INSERT to the end of
# its transaction, in a session that has rated before.
#
#   bench/calls.sh           the numbers
#   bench/calls.sh list      with the functions of each file
#
# Nobody's time is measured: this is how much somebody has to read who follows a match.

set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

if [ -z "${CLUSTER_DIRECTORY:-}" ]; then
	tree=$(mktemp -d)
	trap 'rm -rf "$tree"' EXIT
	git ls-files -z | xargs -0 cp --parents -t "$tree"
	chmod 755 "$tree"
	cp bench/calls.c "$tree/src/pg/sql/calls.c"
	MAKEARGS="-j2 COPT='-finstrument-functions -finstrument-functions-exclude-file-list=$(${PG_CONFIG:-pg_config} --includedir-server) -g -w'" "$tree/test/cluster.sh" "$tree/bench/calls.sh" "$@"
	exit
fi

sql() { psql -qXAt -v ON_ERROR_STOP=1 "$@"; }
duel() {
	echo "BEGIN;
		INSERT INTO arena.match (match_id, played_at) VALUES ($1, timestamptz '2024-01-01' + $1 * interval '1 hour');
		INSERT INTO arena.match_player (match_id, player_id, team, rank) VALUES ($1, 1, 1, 1), ($1, 2, 2, 2);
		COMMIT;"
}
answer=$({
	echo "SET client_min_messages = warning;
		CREATE EXTENSION skillrating;
		SELECT FROM skillrating.create_ladder('arena', 'elo');
		CREATE FUNCTION calls_begin() RETURNS void AS 'skillrating' LANGUAGE C;
		CREATE FUNCTION calls_end() RETURNS text AS 'skillrating' LANGUAGE C;
		SELECT FROM calls_begin();"
	for match in 1 2 3; do duel "$match"; done
	echo 'SELECT FROM calls_begin();'
	duel 4
	echo 'SELECT calls_end();
		SELECT 1 / (count(*) = 4)::int FROM arena.rated_match WHERE status = $$rated$$;'
} | sql | grep -v '^1$')

library=$(find "$CLUSTER_DIRECTORY/stage" -name skillrating.so)
# A line for each function: its name and its file, without the line.
functions=$(tr ' ' '\n' <<<"${answer#* }" | addr2line -f -e "$library" | paste - - | sed -E 's/:[0-9?]+( .*)?$//' |
	awk -F '\t' -v root="$PWD/" '{ sub(root, "", $2); sub(/^.*\/src\//, "src/", $2); print $2, $1 }' | grep '^src/' | sort -u)
[ "${1:-}" != list ] || awk '{ if ($1 != file) { file = $1; print file } print "    " $2 }' <<<"$functions"
echo "a duel: ${answer%% *} calls of $(wc -l <<<"$functions") functions in $(cut -d' ' -f1 <<<"$functions" | sort -u | wc -l) files"
