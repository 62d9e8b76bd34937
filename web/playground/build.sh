#!/bin/bash
# Build the playground: a directory of files that any web server serves.
#
#   web/playground/build.sh [DIRECTORY]
#
# It goes to DIRECTORY, build/playground by default.  It takes node and npm, which fetches PGlite,
# and the bundle that `make pglite` leaves in web/pglite/package.  Nothing is fetched from
# elsewhere when the page runs.

set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."
final=${1:-build/playground}
target=$final.new
package=web/pglite/package

for command in node npm; do
	command -v "$command" >/dev/null || { echo "web/playground/build.sh: there is no $command" >&2; exit 1; }
done
[ -e "$package/skillrating.tar.gz" ] || { echo "web/playground/build.sh: there is no $package/skillrating.tar.gz; make pglite builds it" >&2; exit 1; }
pglite=$(test/node_modules.sh web/playground)/@electric-sql/pglite/dist

rm -rf "$target"
mkdir -p "$target"/{pglite,skillrating,data}
cp web/playground/site/* "$target"
cp "$pglite"/{index,chunk-*}.js "$pglite"/pglite.{wasm,data} "$target/pglite"
mkdir -p "$target/pglite/fs"
cp "$pglite"/fs/*.js "$target/pglite/fs"
cp "$package"/{index.js,skillrating.tar.gz} "$target/skillrating"
cp demo/data/football.csv demo/data/LICENSE.md "$target/data"
node web/playground/extract.js . "$target"
node web/playground/prepare.js "$pglite" "$package" "$target/data/ready.tar.gz"
rm -rf "$final"
mv "$target" "$final"
target=$final

size() { gzip -6 <"$1" | wc -c; }
total=0
for file in "$target"/{index.html,style.css,*.js,guide.json} "$target"/pglite/{*.js,pglite.wasm,pglite.data} "$target"/skillrating/* "$target/data/ready.tar.gz"; do
	total=$((total + $(size "$file")))
done
printf 'playground: %s kB gzipped until the first result, %s kB of them the data directory, %s kB the extension\n' \
	$((total / 1000)) $(($(wc -c <"$target/data/ready.tar.gz") / 1000)) $(($(wc -c <"$target/skillrating/skillrating.tar.gz") / 1000))
