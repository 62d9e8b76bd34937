#!/bin/bash
# Do what docs/install.md says, in fresh systems of several suites of Debian.
#
#   test/install.sh [SUITE...]
#
# SUITEs are bookworm, trixie and sid, in systems that test/chroot.sh makes and of which
# nothing stays.  There, test/install_steps.sh takes the commands from the page, section by
# section.  A suite that cannot be had is "skipped", and never counts as passed.  The last
# line is "N passed, N failed, N skipped", of which the skipped ones are suites.

set -uo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.." || exit 1
[ $# -gt 0 ] || set -- bookworm trixie sid
log=$(mktemp)
trap 'rm -f "$log"' EXIT
passed=0
failed=0
skipped=()

for suite; do
	test/chroot.sh "$suite" bash test/install_steps.sh "$suite" >"$log" 2>&1
	status=$?
	if [ "$status" -eq 77 ]; then
		skipped+=("$suite: $(sed -n 's/^skipped: //p' "$log" | tail -n 1)")
		continue
	fi
	good=$(grep -c '^ok install: ' "$log")
	bad=$(grep -c '^not ok install: ' "$log")
	if [ "$status" -ne 0 ] && [ "$bad" -eq 0 ]; then
		echo "not ok install: $suite broke off with status $status" >>"$log"
		bad=1
	fi
	if [ "$bad" -gt 0 ]; then cat "$log"; else grep '^ok install: ' "$log"; fi
	passed=$((passed + good))
	failed=$((failed + bad))
done

for reason in "${skipped[@]}"; do
	echo "skipped $reason"
done
echo "$passed passed, $failed failed, ${#skipped[@]} skipped"
[ "$failed" -eq 0 ]
