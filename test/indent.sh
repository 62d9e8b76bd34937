#!/bin/bash
# Format the C files as PostgreSQL does.
#
#   test/indent.sh [--check]
#
# With --check nothing is written, and the status says whether something would be.
# Needs pgindent, which Debian has in postgresql-server-dev-17 and later, and the
# types of the server, which stand beside it.  typedefs.list has ours.

set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

bindir=$(ls -d /usr/lib/postgresql/*/bin/pgindent 2>/dev/null | sort -V | tail -n 1 | xargs -r dirname) || true
[ -n "$bindir" ] || { echo "pgindent is missing: install postgresql-server-dev-17 or later" >&2; exit 1; }
version=$(basename "$(dirname "$bindir")")
types=$(mktemp)
ours=$(mktemp)
trap 'rm -f "$types" "$ours"' EXIT
status=0

# Ours: structs, enums and unions with a name, and what comes last in a typedef.
grep -rhoE '^typedef (struct|enum|union) \w+|^\} \w+;|^typedef .*\(\*\w+\)|^typedef [a-z].* \*?[A-Z]\w+;' \
	src test --include='*.[ch]' |
	sed -E 's/^typedef (struct|enum|union) //; s/^\} //; s/;$//; s/^typedef .*\(\*(\w+)\).*/\1/; s/^typedef .* \*?(\w+)$/\1/' |
	cat - <(printf '%s\n' int32_t int64_t size_t uint8_t uint32_t uint64_t) | LC_ALL=C sort -u >"$ours"
if [ "${1:-}" != --check ]; then
	cat "$ours" >typedefs.list
elif ! cmp -s "$ours" typedefs.list; then
	diff -u typedefs.list "$ours" || status=1
	echo "typedefs.list is out of date: run test/indent.sh" >&2
fi

# "text" is the name of variables here more often than a type.
cat "/usr/share/postgresql/$version/typedefs.list" "$ours" | grep -vx text | LC_ALL=C sort -u >"$types"
mapfile -t files < <(git ls-files 'src/*.[ch]' 'test/*.[ch]')
PATH=$bindir:$PATH pgindent "$@" --typedefs="$types" "${files[@]}" || status=$?
exit $status
