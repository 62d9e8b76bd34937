#!/bin/bash
# Fuzz the core: one model after another, splits into teams, and a queue.
#
#   test/fuzz.sh [SECONDS]      libFuzzer for so long in all (default 60), with
#                               AddressSanitizer and UBSan; needs clang
#   test/fuzz.sh -n COUNT       so many matches of made-up bytes for each target,
#                               and the corpus; needs only a compiler
#
# TARGETS in the environment limits both to some targets, as in TARGETS="elo split".
# The second form is the same in every run, and part of `make test`.  Each target
# that passes is a line "ok ...".

set -uo pipefail

cd "$(dirname "${BASH_SOURCE[0]}")/.." || exit 1
build=build/fuzz
mkdir -p "$build"
sources=(src/core/*/*.c)
flags=(-std=gnu11 -g -O1 -Wall -Wextra -Werror -ffp-contract=off -Isrc)
targets="${TARGETS:-$(sed -n 's/^	MODEL(\([a-z0-9_]*\)).*/\1/p' src/core/models/registry.c) split split_many queue}"
status=0

result() {
	if [ "$1" -eq 0 ]; then
		echo "ok $2"
	else
		echo "not ok $2"
		status=1
	fi
}

if [ "${1-}" = -n ]; then
	"${MAKE:-make}" -s -C test/core fuzz || exit 1
	for target in $targets; do
		FUZZ_TARGET=$target build/core/fuzz -n "$2" &&
			FUZZ_TARGET=$target build/core/fuzz test/fuzz/corpus/*
		result $? "fuzz $target, $2 matches and the corpus"
	done
	exit $status
fi

clang "${flags[@]}" -fsanitize=fuzzer,address,undefined -fno-sanitize-recover=all \
	-o "$build/fuzz" test/fuzz/fuzz*.c "${sources[@]}" -lm || exit 1
for target in $targets; do
	corpus=$build/corpus/$target
	mkdir -p "$corpus"
	FUZZ_TARGET=$target "$build/fuzz" -max_len=1024 -timeout=20 -close_fd_mask=1 \
		-artifact_prefix="$build/$target-" -print_final_stats=0 -verbosity=0 \
		-max_total_time=$((${1:-60} / $(wc -w <<<"$targets") + 1)) \
		"$corpus" test/fuzz/corpus >"$build/log" 2>&1
	found=$?
	[ $found -eq 0 ] || cat "$build/log"
	result $found "fuzz $target"
done
exit $status
