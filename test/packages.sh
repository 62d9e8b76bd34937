#!/bin/bash
# Build Debian's package in each suite, and do with it what an administrator would.
#
#   test/packages.sh [SUITE...]
#
# SUITEs are bookworm, trixie and sid, in systems that test/chroot.sh makes and of which
# nothing stays.  In each, test/package_steps.sh builds the source and binary packages out of
# tree, lets lintian judge them, installs, upgrades and purges, and runs autopkgtest.  A
# suite that cannot be had is "skipped", and never counts as passed.  The last line is
# "N passed, N failed, N skipped", of which the skipped ones are suites.
#
# Environment:
#   PACKAGES_TESTS  "one" runs only one regression test of autopkgtest
#   PACKAGES_OUT    directory to copy the packages to, one directory for each suite

set -uo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.." || exit 1
[ $# -gt 0 ] || set -- bookworm trixie sid
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
passed=0
failed=0
skipped=()

for suite; do
	mkdir "$scratch/$suite"
	CHROOT_SHARE=$scratch/$suite test/chroot.sh "$suite" \
		bash test/package_steps.sh "$suite" "${PACKAGES_TESTS:-all}" >"$scratch/$suite.log" 2>&1
	status=$?
	if [ "$status" -eq 77 ]; then
		skipped+=("$suite: $(sed -n 's/^skipped: //p' "$scratch/$suite.log" | tail -n 1)")
		continue
	fi
	good=$(grep -c '^ok packages: ' "$scratch/$suite.log")
	bad=$(grep -c '^not ok packages: ' "$scratch/$suite.log")
	# Without the last step it has broken off.
	if [ "$status" -ne 0 ] && [ "$bad" -eq 0 ]; then
		echo "not ok packages: $suite broke off with status $status" >>"$scratch/$suite.log"
		bad=1
	fi
	if [ "$bad" -gt 0 ]; then
		cat "$scratch/$suite.log"
	else
		grep '^ok packages: ' "$scratch/$suite.log"
	fi
	passed=$((passed + good))
	failed=$((failed + bad))
	if [ -n "${PACKAGES_OUT:-}" ]; then
		mkdir -p "$PACKAGES_OUT/$suite"
		cp "$scratch/$suite.log" "$scratch/$suite"/*.deb "$PACKAGES_OUT/$suite/"
	fi
done

for reason in "${skipped[@]}"; do
	echo "skipped $reason"
done
echo "$passed passed, $failed failed, ${#skipped[@]} skipped"
[ "$failed" -eq 0 ]
