#!/bin/bash
# Compile the extension to a side module of PGlite, by the emscripten of this system.
#
#   web/pglite/compile.sh MAJOR MODULE
#
# MAJOR is PGlite's version of PostgreSQL, whose server headers must be there, and MODULE the file
# to write.  The status is 77, after a line "skipped: REASON", if something is missing.
# web/pglite/build.sh runs this where everything is.

set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."
major=$1
module=$2

skip() { echo "skipped: $*"; exit 77; }
command -v emcc >/dev/null || skip "there is no emscripten"
pg_config=/usr/lib/postgresql/$major/bin/pg_config
[ -x "$pg_config" ] || skip "there are no headers of PostgreSQL $major"
headers=$("$pg_config" --includedir-server)
[ -e "$headers/postgres.h" ] || skip "there are no server headers of PostgreSQL $major"

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cp -r "$headers" "$work/server"
cat web/pglite/pg_config_wasm32.h >>"$work/server/pg_config.h"

# As the Makefile has it, and as PGlite is compiled: its setjmp() is emscripten's.
flags=(
	-O2 -std=gnu11 -fPIC -fvisibility=hidden -ffp-contract=off -sSUPPORT_LONGJMP=emscripten
	-Wall -Wextra -Wshadow -Wvla -Wdeclaration-after-statement -Werror
	"-ffile-prefix-map=$work=."
	-Isrc -isystem "$work/server"
)
printf '%s\0' "${flags[@]}" >"$work/flags"

# The host's header comes first in all files that know the server.
compile() {
	local file=$1 flags
	mapfile -d '' flags <"$work/flags"
	case $file in
		src/core/*) ;;
		*) flags+=(-include web/pglite/host/host.h) ;;
	esac
	mkdir -p "$work/$(dirname "$file")"
	emcc "${flags[@]}" -c "$file" -o "$work/${file%.c}.o"
}
export -f compile
export work
printf '%s\0' src/core/*/*.c src/pg/*/*.c src/pg/*/*/*.c web/pglite/host/*.c |
	xargs -0 -n 1 -P "$(nproc)" bash -euo pipefail -c 'compile "$1"' bash

# What the server looks for, and nothing else, is exported; code that nothing of it needs is left
# out.  emnm does not find itself through a link, as Debian has it.
nm=$(dirname "$(readlink -f "$(command -v emcc)")")/emnm
mapfile -t objects < <(find "$work" -name '*.o' | LC_ALL=C sort)
"$nm" --defined-only "${objects[@]}" | awk '{print $3}' |
	grep -E '^((pg_finfo_)?skillrating_[a-z0-9_]+|Pg_magic_func|_PG_init)$' | LC_ALL=C sort |
	sed 's/^/_/' >"$work/exports"
emcc -O2 -sSIDE_MODULE=2 -sSUPPORT_LONGJMP=emscripten "-sEXPORTED_FUNCTIONS=@$work/exports" \
	"${objects[@]}" -o "$work/skillrating.wasm"
"$pg_config" --version
emcc --version | head -n 1
cp "$work/skillrating.wasm" "$module"
