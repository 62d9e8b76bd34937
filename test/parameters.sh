#!/bin/bash
# Call the functions of the README's and docs' examples with parameters that have no type,
# as drivers send them, on the server that PGHOST leads to.
#
#   test/parameters.sh [PAGE...]
#
# The examples of a page run twice, in two databases: as they stand, and with each literal
# argument of a function of ours sent by node-pg in the extended protocol.  The rows must be
# the same.  Prints how much that covers, and a line for each example without a parameter,
# with the reason.  Takes node and npm, which fetches node-pg; without them a line "not run
# parameters ..." says so, otherwise "ok parameters ..." or "not ok parameters ...".

set -uo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.." || exit 1
# shellcheck source=test/examples.sh
. "$PWD/test/examples.sh"

for program in node npm; do
	command -v $program >/dev/null || { echo "not run parameters: there is no $program"; exit 0; }
done
NODE_PATH=$(test/node_modules.sh test/node) || { echo "not run parameters: npm cannot install node-pg"; exit 0; }
export NODE_PATH

# Fewer mean that examples are not found any more, or their calls not recognized.
floor=()
if [ $# -eq 0 ]; then
	set -- README.md docs/*.md docs/models/*.md
	floor=(--floor 165 200 520)
fi

scratch=$(mktemp -d)
clean_up() {
	local way
	for way in literals parameters extended; do
		psql -qX -d postgres -c "DROP DATABASE IF EXISTS skillrating_$way WITH (FORCE)" 2>/dev/null
	done
	rm -rf "$scratch"
}
trap clean_up EXIT

for page; do
	mkdir -p "$scratch/$(dirname "$page")"
	examples "$page" | commands | grep -v '^\\o' >"$scratch/$page"
done
node test/parameters.js "$scratch" "${floor[@]}" "$@"
