#!/bin/bash
# Run every test with each supported version of PostgreSQL.
#
#   test/versions.sh [VERSION...]
#
# `make test-all` calls this.  VERSIONs are 15, 17 and 18, in systems of Debian bookworm,
# trixie and sid that test/chroot.sh makes and of which nothing stays, or the path of the
# pg_config of another PostgreSQL on this machine.  Debian has no release with 16; where a
# 16 was built from source, its pg_config will do.  A version that cannot be had is "skipped",
# which is said at the end and never counts as passed.  The last line is "N passed,
# N failed, N skipped", of which the skipped ones are versions.
#
# Environment:
#   VERSIONS_COMMAND  what to run, in a shell; its output ends in "N passed, N failed"
#                     (default: test/run.sh all)
#   VERSIONS_OUT      directory to copy the output to, one file for each version
# and what test/chroot.sh reads; with CHROOT_UPDATE=yes, sid is as new as can be.

set -uo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.." || exit 1
[ $# -gt 0 ] || set -- 15 17 18
command=${VERSIONS_COMMAND:-test/run.sh all}
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
passed=0
failed=0
skipped=()
summaries=()

# sid has what is newest: its version may be past the one asked for, which it then cannot be.
run_in_suite() {
	# shellcheck disable=SC2016 # a program of the inner shell
	test/chroot.sh "$2" bash -c '
		major=$(pg_config --version | sed -E "s/^PostgreSQL ([0-9]+).*/\1/")
		[ "$major" = "$1" ] || { echo "skipped: this suite has PostgreSQL $major"; exit 77; }
		pg_config --version
		'"$command" bash "$1"
}

run_version() {
	case $1 in
		15) run_in_suite 15 bookworm ;;
		17) run_in_suite 17 trixie ;;
		18) run_in_suite 18 sid ;;
		*/*)
			if [ ! -x "$1" ]; then
				echo "skipped: there is no $1"
				return 77
			fi
			"$1" --version
			PG_CONFIG=$1 bash -c "$command" ;;
		*)
			echo "skipped: no release of Debian has PostgreSQL $1; name the pg_config of one built from source"
			return 77 ;;
	esac
}

for version; do
	log=$scratch/${version//\//_}.log
	echo "==== PostgreSQL $version ===="
	run_version "$version" 2>&1 | tee "$log"
	status=${PIPESTATUS[0]}
	[ -z "${VERSIONS_OUT:-}" ] || { mkdir -p "$VERSIONS_OUT" && cp "$log" "$VERSIONS_OUT"; }
	if [ "$status" -eq 77 ]; then
		skipped+=("PostgreSQL $version: $(sed -n 's/^skipped: //p' "$log" | tail -n 1)")
		continue
	fi
	summary=$(grep -E '^[0-9]+ passed, [0-9]+ failed$' "$log" | tail -n 1)
	good=$(sed -nE 's/^([0-9]+) passed.*/\1/p' <<<"$summary")
	bad=$(sed -nE 's/.*, ([0-9]+) failed$/\1/p' <<<"$summary")
	# Without a summary it has broken off, and a status must have a reason.
	[ -n "$summary" ] || bad=1
	[ "$status" -eq 0 ] || [ "$bad" -gt 0 ] || bad=1
	passed=$((passed + ${good:-0}))
	failed=$((failed + bad))
	summaries+=("PostgreSQL $version: ${good:-0} passed, $bad failed")
done

echo "==== Summary ===="
for line in "${summaries[@]}"; do echo "$line"; done
for line in "${skipped[@]}"; do echo "skipped $line"; done
echo "$passed passed, $failed failed, ${#skipped[@]} skipped"
[ "$failed" -eq 0 ]
