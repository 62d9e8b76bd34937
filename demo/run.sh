#!/bin/bash
# The main job on real matches and on a simulated team game, and a page about it with
# pictures; or on the match files of a directory.
#
#   demo/run.sh [DIR]
#
# Environment:
#   REPORT  file for the page (default: build/demo.html)
#
# `make demo` calls this, and `make demo DATA=DIR` with the directory.  It works
# on a throw-away cluster of its own.  It fails if a step does, or if a ladder
# does not verify.

set -euo pipefail
if [ $# -gt 0 ]; then
	[ -d "$1" ] || { echo "$1 is not a directory" >&2; exit 1; }
	set -- "$(realpath -- "$1")"
fi
cd "$(dirname "${BASH_SOURCE[0]}")/.."

if [ -z "${CLUSTER_DIRECTORY:-}" ]; then
	export CLUSTER_OPTIONS="shared_buffers=256MB max_wal_size=4GB work_mem=64MB jit=off"
	echo "Building, and starting a throw-away PostgreSQL ..."
	exec test/cluster.sh demo/run.sh "$@"
fi

export PGOPTIONS="-c client_min_messages=warning"
run() { psql -qX -v ON_ERROR_STOP=1 -P footer=off -P pager=off "$@"; }

run -f demo/common.sql
if [ $# -gt 0 ]; then
	exec demo/files.sh "$1"
fi
run -f demo/football.sql
run -f demo/simulate.sql
run -f demo/rounds.sql

run -f demo/page.sql

# In the caller's language or not, the page is in UTF-8.  One that is not finished is none.
report=${REPORT:-build/demo.html}
folder=$(dirname -- "$report")
mkdir -p -- "$folder"
trap 'rm -f -- "$report.part"' EXIT
PGCLIENTENCODING=UTF8 run -v root="$(realpath --relative-to="$folder" .)" -f demo/report.sql >"$report.part"
mv -- "$report.part" "$report"
PGCLIENTENCODING=UTF8 run -At -c "SELECT demo.calibration_sentence(model, c) FROM demo.judged ORDER BY n"
echo
echo "A page with pictures: $report"
