#!/bin/bash
# Count our functions, and the files that they are in, which the second duel of a session passes: one
# INSERT of a match of two into the tables of a ladder that rates after each statement.
#
#   bench/duel_functions.sh [list]
#
# "list" prints them all.  Needs valgrind.  Functions that are declared inline are part of those that
# call them; nothing else is inlined.  callgrind writes what was called since whenever the trigger
# returns.

set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
if [ -z "${CLUSTER_DIRECTORY:-}" ]; then
	copy=$(mktemp -d)
	trap 'rm -rf "$copy"' EXIT
	chmod 755 "$copy"
	git ls-files -z | xargs -0 cp --parents -t "$copy"
	export MAKEARGS="COPT='-O1 -g -fno-inline-small-functions -fno-inline-functions-called-once -fno-inline-functions -fno-partial-inlining -fno-optimize-sibling-calls -fno-ipa-sra -fno-ipa-icf'"
	CLUSTER_RUN_AS=server "$copy/test/cluster.sh" bash "$copy/bench/duel_functions.sh" "$@"
	exit
fi

# A copy of the cluster for a server of one process, which recovers from the log.
psql -qX -v ON_ERROR_STOP=1 -o "$TMPDIR/output" <<-SQL
	CREATE EXTENSION skillrating;
	SELECT skillrating.create_ladder('duel', 'elo', apply_at => 'statement');
	CHECKPOINT;
SQL
cp -r "$CLUSTER_DIRECTORY/data" "$TMPDIR/data"
rm -f "$TMPDIR/data/postmaster.pid"
for match in 1 2; do
	echo "WITH m AS (INSERT INTO duel.match (match_id) VALUES ($match)) INSERT INTO duel.match_player (match_id, player_id, team, rank) VALUES ($match, 1, 1, 1), ($match, 2, 2, 2)"
done | valgrind -q --tool=callgrind --callgrind-out-file="$TMPDIR/calls" --dump-after=skillrating_collect_matches \
	"$("${PG_CONFIG:-pg_config}" --bindir)/postgres" --single -D "$TMPDIR/data" postgres >"$TMPDIR/output" 2>&1 ||
	{ cat "$TMPDIR/output" >&2; exit 1; }

# Names stand behind numbers, and only once.
awk -F= -v list="${1:-}" '
	function name(kind, text,  id) {
		match(text, /^\([0-9]+\)/)
		id = kind substr(text, 1, RLENGTH)
		if (length(text) > RLENGTH)
			known[id] = substr(text, RLENGTH + 2)
		return known[id]
	}
	/^c?ob=/ { object = name("object", $2) }
	/^c?f[lie]=/ { source = name("file", $2) }
	/^c?fn=/ { called = name("function", $2) }
	/^ob=/ { at_object = object }
	/^fl=/ { at_source = source }
	/^fn=/ && at_object ~ /skillrating/ && at_source ~ /\/src\/(core|pg)\// {
		file = at_source
		sub(/.*\/src\//, "", file)
		if (!passed[file, called]++) {
			functions++
			files += !(file in names)
			names[file] = names[file] " " called
		}
	}
	END {
		for (file in names)
			if (list != "") print file ":" names[file] | "sort"
		close("sort")
		print functions " functions in " files " files"
	}' "$TMPDIR/calls.2"
