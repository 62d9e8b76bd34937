#!/bin/bash
# Build the playground and use it in headless Chromium: all examples of the guide print what the
# documentation shows, the lobby and the ladder work by clicks and keys, errors are shown, a phone
# sees all of it, and the console stays silent.
#
#   test/playground.sh [SCREENSHOTS]
#
# Prints "ok playground: ..." and "not ok playground: ..." lines, the time until the first result,
# and what is downloaded until then.  It takes node, npm, Debian's chromium and the bundle that
# `make pglite` builds; where one of them is missing it prints "not run playground: ...".

set -uo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.." || exit 1
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
[ -z "${1:-}" ] || screenshots=$(realpath -m "$1")

chromium=${CHROMIUM:-$(command -v chromium)}
for command in node npm; do
	command -v "$command" >/dev/null || { echo "not run playground: there is no $command"; exit 0; }
done
[ -n "$chromium" ] || { echo "not run playground: there is no chromium"; exit 0; }
[ -e web/pglite/package/skillrating.tar.gz ] || { echo "not run playground: make pglite has not built the extension for PGlite"; exit 0; }
NODE_PATH=$(test/node_modules.sh web/playground 2>/dev/null) || { echo "not run playground: npm cannot install PGlite"; exit 0; }
export NODE_PATH

if built=$(web/playground/build.sh "$scratch/site" 2>&1); then
	echo "ok playground: it is built"
	echo "# $built"
else
	echo "$built"
	echo "not ok playground: it is built"
	exit 1
fi
node test/playground.mjs "$scratch/site" "$chromium" ${screenshots:+"$screenshots"}
