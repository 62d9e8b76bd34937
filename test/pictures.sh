#!/bin/bash
# Draw the pictures of docs/state_space.md again, on the cluster that test/cluster.sh has
# started, and compare them with those in docs/pictures.
#
#   test/pictures.sh
#
# Prints "ok pictures NAME" or "not ok pictures NAME" for each one that needs no other data
# than the repository's, and "not run pictures NAME" for the others.  That a picture is drawn,
# small and well-formed is checked by docs/pictures.sh.

set -uo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.." || exit 1
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
failed=0

if ! PICTURES=$scratch docs/pictures.sh >"$scratch/log" 2>&1; then
	cat "$scratch/log"
	echo "not ok pictures are drawn"
	failed=1
fi
while read -r name; do
	if [ ! -e "docs/pictures/$name" ]; then
		echo "not ok pictures $name is missing"
		failed=1
	elif ! grep -q "](pictures/$name)" docs/state_space.md; then
		echo "not ok pictures $name is on no page"
		failed=1
	elif [ ! -e "$scratch/$name" ]; then
		echo "not run pictures $name: it needs data of others"
	elif cmp "docs/pictures/$name" "$scratch/$name"; then
		echo "ok pictures $name"
	else
		echo "not ok pictures $name"
		failed=1
	fi
done < <({ grep -oE '\(pictures/[a-z_]+\.svg\)' docs/state_space.md | tr -d '()' | cut -d/ -f2
	ls docs/pictures; } | sort -u)
exit $failed
