#!/bin/bash
# Build the core alone as WebAssembly, and the npm package around it.
#
#   web/core/build.sh [DIRECTORY]
#
# The package goes to DIRECTORY, build/core by default.  It takes clang, lld and Debian's
# wasi-libc with the runtime of clang for it, which are installed where they are missing, and
# node.  Prints the sizes of the module.

set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."
target=${1:-build/core}
clang=${WASM_CLANG:-clang}

if [ ! -e /usr/include/wasm32-wasi/math.h ] || ! command -v wasm-ld >/dev/null || ! command -v "$clang" >/dev/null; then
	test/prerequisites.sh clang lld wasi-libc libclang-rt-dev-wasm32
fi
command -v node >/dev/null || { echo "web/core/build.sh: there is no node" >&2; exit 1; }

# What splits teams is part of the glue, which asks little of a server.
sources=(src/core/{util,math,rating,models,split}/*.c web/core/{exports,server}.c
	src/pg/matches/team_match.c src/pg/sql/module.c
	src/pg/teams/{chooser,constraints,lobby,lobby_problem,lobby_rules,many_teams,model_teams,near_split,priority}.c)

# As in the Makefile, no products are fused with sums.  The stack comes first, so that what does
# not fit into it is an error and overwrites nothing.
flags=(--target=wasm32-wasi --sysroot=/usr -std=gnu11 -O2 -ffp-contract=off -mmutable-globals -fvisibility=hidden
	-ffunction-sections -fdata-sections -Wall -Wextra -Wshadow -Wvla -Wdeclaration-after-statement -Werror
	-Iweb/core/server -Iweb/core -Isrc)
# shellcheck disable=SC2054 # commas are the linker's
link=(-nostartfiles -Wl,--no-entry -Wl,--gc-sections -Wl,--strip-all -Wl,--stack-first
	-Wl,-z,stack-size=4194304 -Wl,--export=__stack_pointer)

mkdir -p "$target"
objects=$(mktemp -d)
trap 'rm -rf "$objects"' EXIT
compile() {
	"$clang" "${flags[@]}" -c "$1" -o "$objects/$(tr / _ <<<"$1").o"
}
printf '%s\n' "${sources[@]}" >"$objects/list"
running=0
failed=0
while read -r source; do
	compile "$source" &
	running=$((running + 1))
	[ "$running" -lt "$(nproc)" ] || { wait -n || failed=1; running=$((running - 1)); }
done <"$objects/list"
while [ "$running" -gt 0 ]; do wait -n || failed=1; running=$((running - 1)); done
[ "$failed" -eq 0 ]
"$clang" "${flags[@]}" "${link[@]}" "$objects"/*.o -o "$target/core.wasm"

cp web/core/{index.js,module.js,checks.js,index.d.ts,README.md} LICENSE "$target"
version=$(sed -n "s/^default_version = '\(.*\)'/\1/p" skillrating.control)
# npm wants three numbers.
while [[ $version != *.*.* ]]; do version+=.0; done
sed "s/\"version\": \".*\"/\"version\": \"$version\"/" web/core/package.json >"$target/package.json"
node web/core/types.js "$target" >"$target/parameters.d.ts"
printf 'core.wasm: %s kB, %s kB gzipped\n' $(($(wc -c <"$target/core.wasm") / 1000)) $(($(gzip -9 <"$target/core.wasm" | wc -c) / 1000))
