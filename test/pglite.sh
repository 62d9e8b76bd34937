#!/bin/bash
# Build the extension for PGlite, and test it there: in Node, and in headless Chromium.
#
#   test/pglite.sh
#
# `make test-all` calls this.  PGlite is PostgreSQL in WebAssembly; web/pglite has what is built for
# it.  The regression files run through psql and pg_regress, which reach PGlite by a socket
# (web/pglite/test/server.mjs), and must print byte by byte what they print on a server; those
# that take what PGlite lacks are in web/pglite/test/not_applicable, with the reason.  It takes
# node, npm and the system that web/pglite/build.sh compiles in, and prints "not run pglite: ..."
# where these cannot be had.
#
# Environment:
#   PGLITE_TESTS   regression files to run (default: all that apply)
#   PGLITE_CALLS   calls of each function in the test of memory (default: 10000)
#   PGLITE_BUNDLE  "kept" tests the bundle that is there, if there is one

set -uo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.." || exit 1
root=$PWD
failed=0
scratch=$(mktemp -d)
server=
clean_up() {
	[ -z "$server" ] || { kill "$server" 2>/dev/null; wait "$server" 2>/dev/null; }
	rm -rf "$scratch"
}
trap clean_up EXIT
trap 'exit 130' INT
trap 'exit 143' TERM
result() {
	if [ "$1" -eq 0 ]; then
		echo "ok pglite: $2"
	else
		echo "not ok pglite: $2"
		failed=1
	fi
}
not_run() { echo "not run pglite: $*"; exit 0; }

# What is built.
package=web/pglite/package
if [ "${PGLITE_BUNDLE:-}" != kept ] || [ ! -e $package/skillrating.tar.gz ]; then
	web/pglite/build.sh >"$scratch/build.log" 2>&1
	status=$?
	[ "$status" -ne 77 ] || not_run "$(sed -n 's/^skipped: //p' "$scratch/build.log" | tail -n 1)"
	cat "$scratch/build.log"
	result "$status" "a side module is compiled without a warning, and PGlite exports all that it wants"
	[ "$status" -eq 0 ] || exit 1
fi
NODE_PATH=$(test/node_modules.sh web/pglite) || not_run "npm cannot install PGlite"
export NODE_PATH

# The package as others get it.
mkdir "$scratch/project" "$scratch/project/node_modules"
archive=$(cd "$scratch" && npm pack --silent "$root/$package" 2>&1 | tail -n 1)
mkdir "$scratch/project/node_modules/skillrating-pglite" &&
	tar -xzf "$scratch/$archive" --strip-components=1 -C "$scratch/project/node_modules/skillrating-pglite"
result $? "npm packs $archive, $(stat -c %s "$scratch/$archive") bytes"
ln -s "$NODE_PATH/@electric-sql" "$scratch/project/node_modules/"
node web/pglite/test/readme.mjs $package/README.md "$scratch/project"
result $? "the examples of the package's README"
(cd "$scratch/project" && node -e '
	const { skillrating } = require("skillrating-pglite");
	skillrating.setup().then(({ bundlePath }) => process.exit(require("fs").existsSync(bundlePath) ? 0 : 1))')
result $? "the package can be required"

# The regression files.
regress=$("${PG_CONFIG:-pg_config}" --pgxs)
regress=${regress%/makefiles/pgxs.mk}/test/regress/pg_regress
mapfile -t left_out < <(sed -E '/^(#|$)/d; s/ .*//' web/pglite/test/not_applicable)
tests=(test/sql/*.sql)
tests=("${tests[@]#test/sql/}")
all=("${tests[@]%.sql}")
apply=()
for test in "${all[@]}"; do
	[[ " ${left_out[*]} " == *" $test "* ]] || apply+=("$test")
done
for test in "${left_out[@]}"; do
	[ -e "test/sql/$test.sql" ] || { echo "$test does not exist"; result 1 "files that do not apply exist"; }
done
[ -z "${PGLITE_TESTS:-}" ] || read -r -a apply <<<"$PGLITE_TESTS"
mkdir "$scratch/socket" "$scratch/results"
node web/pglite/test/server.mjs "$scratch/socket" >"$scratch/server.log" 2>&1 &
server=$!
until grep -qsx ready "$scratch/server.log"; do
	kill -0 "$server" 2>/dev/null || { cat "$scratch/server.log"; result 1 "PGlite starts"; exit 1; }
	sleep 0.2
done
ln -s "$root/expected" "$scratch/expected"
(
	cd "$scratch" || exit 1
	unset PGOPTIONS PGDATABASE PGSERVICE
	"$regress" --use-existing --dbname=contrib_regression --user=postgres --host="$scratch/socket" --port=5432 \
		--bindir="$("${PG_CONFIG:-pg_config}" --bindir)" --inputdir="$root/test" --outputdir="$scratch" \
		"${apply[@]}"
) >"$scratch/regress.log" 2>&1
good=$(grep -cE '^test .* ok +[0-9]+ ms|^ok [0-9]+ ' "$scratch/regress.log")
if [ "$good" -ne ${#apply[@]} ]; then
	grep -E '^test .* FAILED|^not ok|^psql|^ *pg_regress' "$scratch/regress.log"
	[ -z "${PGLITE_DIFFS:-}" ] || cp "$scratch/regression.diffs" "$scratch/server.log" "$PGLITE_DIFFS"
	head -n 200 "$scratch/regression.diffs" 2>/dev/null
	grep -v '^ready$' "$scratch/server.log" | head -n 40
fi
[ "$good" -eq ${#apply[@]} ] && ! grep -q '^PGlite failed' "$scratch/server.log"
result $? "$good of ${#apply[@]} regression files print what they print on a server; ${#left_out[@]} of ${#all[@]} do not apply"
kill "$server"
wait "$server" 2>/dev/null
server=

node web/pglite/test/memory.mjs "${PGLITE_CALLS:-10000}" >"$scratch/memory.log" 2>&1
status=$?
result "$status" "nothing grows per call: $(tail -n 1 "$scratch/memory.log")"

# In a browser.
browser=$(command -v chromium || :)
if [ -z "$browser" ]; then
	test/prerequisites.sh chromium >"$scratch/apt.log" 2>&1 || :
	browser=$(command -v chromium || :)
fi
if [ -z "$browser" ]; then
	echo "not run pglite in a browser: there is no chromium"
else
	node web/pglite/test/browser.mjs "$browser" >"$scratch/browser.log" 2>&1
	status=$?
	cat "$scratch/browser.log"
	result "$status" "the first ladder in headless Chromium: $(grep 'ready data' "$scratch/browser.log" | tail -n 1)"
fi
exit "$failed"
