#!/bin/bash
# Time exp() and its like of src/core/math against those of the C library.
#
#   bench/functions.sh
#
# `make bench` calls this.  It needs no server.

set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

. bench/common.sh
rounds=${ROUNDS:-9}
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT

"${CC:-cc}" -std=gnu11 -O2 -ffp-contract=off -Isrc -o "$scratch/functions" bench/functions.c src/core/math/elementary.c -lm
echo "$("${CC:-cc}" --version | head -n 1), load $(cut -d' ' -f1 /proc/loadavg), $rounds rounds"
for _ in $(seq "$rounds"); do
	"$scratch/functions" | while read -r name ours theirs; do
		echo "$ours" >>"$scratch/$name.ours"
		echo "$theirs" >>"$scratch/$name.theirs"
	done
done
printf '\n%-62s %6s  %s\n' 'what against what' 'ratio' 'range             target'
for name in exp exp2 expm1 log log1p pow erfc; do
	report "$name() against the C library's" "$scratch/$name.ours" "$scratch/$name.theirs" 'at most 1.5'
	report "  each waiting for the one before it" "$scratch/$name,chain.ours" "$scratch/$name,chain.theirs" ''
	printf '    %.1f ns against %.1f ns, waiting %.1f ns against %.1f ns\n' "$(median "$scratch/$name.ours")" "$(median "$scratch/$name.theirs")" \
		"$(median "$scratch/$name,chain.ours")" "$(median "$scratch/$name,chain.theirs")"
done
