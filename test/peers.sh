#!/bin/bash
# Compare Glicko-2, TrueSkill and Weng and Lin's models with libraries of npm.
#
#   test/peers.sh [SEED [COUNT]]
#
# glicko2, ts-trueskill and openskill rate COUNT random matches each (10 000), extremes among
# them, and so do the core and long double formulas after the papers (test/core/peer_oracles.h),
# by which every case is judged.  Prints a line for each library, "ok peers ..." or "not ok
# peers ...", which says in how many cases the library agrees, fails, or is off, as its own
# arithmetic is not meant for extremes:
#
#   glicko2       loses the digits of 1 - E beyond some 6000 points
#   ts-trueskill  has a distribution function of seven digits, and none after great surprises
#   openskill     leaves Thurstone and Mosteller's formula where a draw has less than 1e-5
#
# It takes node and npm, which fetches the libraries.  Where these are missing it prints a line
# "not run peers ...", which counts neither as passed nor as failed.

set -uo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.." || exit 1

for program in node npm; do
	command -v $program >/dev/null || { echo "not run peers: there is no $program"; exit 0; }
done
NODE_PATH=$(test/node_modules.sh test/peers) || { echo "not run peers: npm cannot install the libraries"; exit 0; }
export NODE_PATH

scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
if ! node test/peers/cases.mjs "${1:-33}" "${2:-10000}" >"$scratch/cases"; then
	echo "not ok peers: the libraries rate the matches"
	exit 1
fi
"${MAKE:-make}" -s -C test/core ../../build/core/test_peers && build/core/test_peers "$scratch/cases"
