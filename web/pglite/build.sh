#!/bin/bash
# Build the extension for PGlite: web/pglite/package/skillrating.tar.gz.
#
#   web/pglite/build.sh
#
# `make pglite` calls this.  PGlite is PostgreSQL in WebAssembly (npm's @electric-sql/pglite, of
# the version in package-lock.json).  The extension becomes a side module of it, compiled by the
# emscripten of Debian sid in a system that test/chroot.sh makes, against the server headers
# there, which must be of PGlite's major version.  Each function and variable of the server
# that the module wants is then looked up among those that PGlite exports.  The same files give the
# same bundle, byte for byte, as long as sid has the same emscripten.
#
# The status is 77, after a line "skipped: REASON", where something is missing that this cannot
# install.

set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."

skip() { echo "skipped: $*"; exit 77; }
for command in node npm; do
	command -v "$command" >/dev/null || skip "there is no $command"
done
modules=$(test/node_modules.sh web/pglite) || skip "npm cannot install PGlite"
dist=$modules/@electric-sql/pglite/dist
release=$(grep -aoE -m 1 'PostgreSQL [0-9]+\.[0-9]+ \(PGlite' "$dist/pglite.wasm" | sed -nE '1s/.* ([0-9.]+) .*/\1/p')
[ -n "$release" ] || { echo "build.sh: $dist/pglite.wasm does not say its version" >&2; exit 1; }
version=$(sed -n "s/^default_version = '\(.*\)'/\1/p" skillrating.control)
package=$(node -p 'require("./web/pglite/package/package.json").version')
case $package in
	"$version" | "$version".*) ;;
	*) echo "build.sh: the package has version $package, and the extension $version" >&2; exit 1 ;;
esac

bundle=$(mktemp -d)
trap 'rm -rf "$bundle"' EXIT
mkdir -p "$bundle/lib/postgresql" "$bundle/share/postgresql/extension" "$bundle/share/made"
status=0
CHROOT_SHARE=$bundle/share/made test/chroot.sh sid+emscripten \
	web/pglite/compile.sh "${release%%.*}" /share/skillrating.so >"$bundle/log" 2>&1 || status=$?
cat "$bundle/log"
[ "$status" -eq 0 ] || exit "$status"
mv "$bundle/share/made/skillrating.so" "$bundle/lib/postgresql/"
rmdir "$bundle/share/made"
node web/pglite/check_symbols.mjs "$bundle/lib/postgresql/skillrating.so" "$dist"

cp skillrating.control "$bundle/share/postgresql/extension/"
cat sql/*.sql >"$bundle/share/postgresql/extension/skillrating--$version.sql"
chmod -R u=rwX,go=rX "$bundle"
tar --format=ustar --sort=name --owner=0 --group=0 --numeric-owner --mtime=@0 \
	-C "$bundle" -cf - lib share | gzip -9n >web/pglite/package/skillrating.tar.gz
echo "built web/pglite/package/skillrating.tar.gz for PGlite $(node -p 'require(process.argv[1]).version' "$dist/../package.json") (PostgreSQL $release): $(stat -c %s web/pglite/package/skillrating.tar.gz) bytes"
