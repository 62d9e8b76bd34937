#!/bin/bash
# Check that every file of src/ lies in its room: what it may include, that no files
# depend on one another in a circle, and that one header knows the versions of the server;
# that functions and files, also those of SQL and of the tests, are not too long; and that
# the install script adopts nothing that exists.
#
#   test/layers.sh
#
# The includes are read from the sources, and what depends on what from the object
# files, so that the library has to be built first.  Each check is a line "ok layers
# ..." or "not ok layers ...", with what is wrong in front of it.  The checks are
# themselves checked first, with made-up mistakes that each of them must find.

set -uo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.." || exit 1
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
status=0

# A room may include itself, and those with a lower number; and the hook of a room beside it.
rooms="
core/util 1
core/math 2
core/rating 3
core/models 4
core/solve 5
core/split 5
core/evaluate 5
pg/sql 11
pg/matches 12
pg/formulas 12
pg/plots 12
pg/history 13
pg/teams 13
pg/ladder/entry 14
pg/ladder/rate 15
pg/ladder/arrive 16
pg/ladder/history 17
pg/ladder/calls 18
pg/ladder/ranks 18
"

# The core knows nothing but these.
c_headers="assert.h float.h inttypes.h limits.h math.h stdbool.h stddef.h stdint.h stdlib.h string.h"

# Headers of the server that only some of its versions have.
some_headers="varatt.h"

max_function=80
max_file=900

# A room of a ladder has at most so many files of C, which depend on one another over so many levels.
max_files=12
max_levels=5

result() {
	if [ -z "$1" ]; then
		echo "ok layers: $2"
	else
		echo "$1"
		echo "not ok layers: $2"
		status=1
	fi
}

# What is wrong with the includes below ROOT/src, given the directory of the server's
# headers: "FILE:LINE: what".
wrong_includes() {
	local root=$1 server=$2
	( cd "$root" && find src -name '*.[ch]' | LC_ALL=C sort | xargs grep -nHE '^[[:space:]]*#[[:space:]]*include' ) |
	awk -v rooms="${rooms//$'\n'/ }" -v c_headers="$c_headers" -v some_headers="$some_headers" \
		-v root="$root" -v server="$server" '
		function exists(file,  line, found) {
			found = (getline line <file) >= 0
			close(file)
			return found
		}
		# The room of a path, as in core/math, or in pg/ladder/rate.
		function room(path) {
			sub(/\/[^\/]*$/, "", path)
			return path
		}
		# Whether a header is the hook of a room beside another.
		function is_hook(name, other) {
			return name ~ /\/hook\.h$/ && room(room(name)) == room(other)
		}
		function wrong(text) { print file ":" number ": " text }
		BEGIN {
			n = split(rooms, word, " ")
			for (i = 1; i <= n; i++)
				if (word[i] ~ /\//)
					level[word[i]] = word[i + 1]
			n = split(c_headers, word, " ")
			for (i = 1; i <= n; i++)
				c_header[word[i]] = 1
			n = split(some_headers, word, " ")
			for (i = 1; i <= n; i++)
				some_header[word[i]] = 1
		}
		{
			split($0, field, ":")
			file = field[1]
			number = field[2]
			from = room(substr(file, 5))
			if (!(from in level)) {
				wrong("\"" from "\" is no room that test/layers.sh knows")
				next
			}
			if (!match($0, /["<][^">]+[">]/)) {
				wrong("this include has no plain name")
				next
			}
			quoted = substr($0, RSTART, 1) == "\""
			name = substr($0, RSTART + 1, RLENGTH - 2)
			if (name !~ /^(core|pg)\//) {
				if (from ~ /^core/ && !(!quoted && name in c_header))
					wrong("\"" name "\" is neither of the core nor a header of C")
				else if (from ~ /^pg/ && quoted && !(name in some_header) && !exists(server "/" name))
					wrong("\"" name "\" is no header of the server; one of ours is included with its room")
			}
			else if (!quoted)
				wrong("<" name "> is one of ours, which stand in quotes")
			else if (!exists(root "/src/" name))
				wrong("\"" name "\" does not exist")
			else if (!(room(name) in level))
				wrong("\"" room(name) "\" is no room that test/layers.sh knows")
			else if (from ~ /^core/ && name ~ /^pg/)
				wrong("the core must know nothing of \"" name "\"")
			else if (from ~ /^pg/ && name ~ /^core/)
				;
			else if (room(name) != from && level[room(name)] + 0 >= level[from] + 0 && !is_hook(name, from))
				wrong("\"" name "\" does not lie below " from)
		}'
}

# The circles among object files, from what nm -A -g says of them: a line for each of their
# arrows, with the symbols.  Files that depend on no other one are taken away until none
# is left; if any are, walking on from one of them leads into a circle.
circles() {
	awk '
		{
			object = $1
			sub(/:.*/, "", object)
			symbol = $NF
			kind = $(NF - 1)
			if (kind == "U")
				used[object, symbol] = 1
			else if (kind ~ /^[TDBRCVW]$/)
				home[symbol] = object
		}
		function depends(a,  b) {
			for (b in alive)
				if ((a, b) in arrow)
					return b
			return ""
		}
		function prune(  a, changed) {
			do {
				changed = 0
				for (a in alive)
					if (depends(a) == "") {
						delete alive[a]
						changed = 1
					}
			} while (changed)
		}
		function a_circle(  a, b, path, n, place, i) {
			for (a in alive)
				break
			for (n = 0; !(a in place); a = depends(a)) {
				place[a] = n
				path[n++] = a
			}
			for (i = place[a]; i < n; i++) {
				b = i + 1 < n ? path[i + 1] : a
				print path[i] " needs " b " for" arrow[path[i], b]
			}
			print "... which is a circle"
			for (i = place[a]; i < n; i++)
				delete alive[path[i]]
		}
		END {
			for (key in used) {
				split(key, part, SUBSEP)
				if (part[2] in home && home[part[2]] != part[1]) {
					arrow[part[1], home[part[2]]] = arrow[part[1], home[part[2]]] " " part[2]
					alive[part[1]] = alive[home[part[2]]] = 1
				}
			}
			for (;;) {
				prune()
				left = 0
				for (a in alive)
					left++
				if (left == 0)
					break
				a_circle()
			}
		}'
}

# Rooms of a ladder with too many objects, or with objects that depend on one another over too many
# levels, from what nm -A -g says of them.
full_rooms() {
	awk -v max_files="$max_files" -v max_levels="$max_levels" '
		{
			object = $1
			sub(/:.*/, "", object)
			room = object
			sub(/\/[^\/]*$/, "", room)
			if (room !~ /pg\/ladder\//)
				next
			room_of[object] = room
			if ($(NF - 1) == "U")
				used[object, $NF] = 1
			else if ($(NF - 1) ~ /^[TDBRCVW]$/)
				home[$NF] = object
		}
		function level(a,  b, most) {
			if (!(a in levels)) {
				levels[a] = 1
				most = 0
				for (b in room_of)
					if ((a, b) in arrow && level(b) > most)
						most = levels[b]
				levels[a] = most + 1
			}
			return levels[a]
		}
		END {
			for (key in used) {
				split(key, part, SUBSEP)
				if (part[2] in home && home[part[2]] != part[1] && room_of[home[part[2]]] == room_of[part[1]])
					arrow[part[1], home[part[2]]] = 1
			}
			for (a in room_of) {
				files[room_of[a]]++
				if (level(a) > deep[room_of[a]])
					deep[room_of[a]] = levels[a]
			}
			for (room in files) {
				if (files[room] > max_files)
					print room " has " files[room] " files, more than " max_files
				if (deep[room] > max_levels)
					print room " has " deep[room] " levels of files, more than " max_levels
			}
		}' | LC_ALL=C sort
}

# Functions of C below ROOT with more lines between their braces than allowed.
long_functions() {
	# shellcheck disable=SC2016 # a program of awk
	( cd "$1" && find src test -name '*.[ch]' | LC_ALL=C sort | xargs awk -v max="$max_function" '
		FNR == 1 { begun = 0 }
		/^[A-Za-z_].*\(/ { name = $0; sub(/\(.*/, "", name); sub(/.*[ *]/, "", name) }
		/^{/ { begun = FNR }
		/^}[ \t]*$/ && begun {
			if (FNR - begun - 1 > max)
				print FILENAME ":" begun ": " name "() has " FNR - begun - 1 " lines, more than " max
			begun = 0
		}' )
}

# Functions of SQL and PL/pgSQL below ROOT/sql and ROOT/modules with more lines between their quotes than
# allowed.  A body is between two lines that end in $function$ or $procedure$.
long_bodies() {
	# shellcheck disable=SC2016 # a program of awk
	( cd "$1" && find sql modules -name '*.sql' 2>/dev/null | LC_ALL=C sort | xargs awk -v max="$max_function" '
		FNR == 1 { begun = 0 }
		!begun && /^CREATE .*(FUNCTION|PROCEDURE) / { name = $0; sub(/.*(FUNCTION|PROCEDURE) /, "", name); sub(/\(.*/, "", name) }
		/\$(function|procedure)\$;?$/ {
			if (begun && FNR - begun - 1 > max)
				print FILENAME ":" begun ": " name "() has " FNR - begun - 1 " lines, more than " max
			begun = begun ? 0 : FNR
		}' )
}

# The names in the list of entries, file $1, for which no SQL in the other files makes a function.
entries_without_function() {
	local list=$1
	shift
	comm -23 <(sed -n '/^static const LadderEntry entries/,/^};/s/^\t{"\([a-z_]*\)", [A-Za-z]*Lock.*/\1/p' "$list" | LC_ALL=C sort) \
		<(cat "$@" | sed -nE "s/^(CREATE FUNCTION |SELECT .*make_function\(')skillrating(_internal)?\.([a-z_]+)\b.*/\3/p" | LC_ALL=C sort)
}

# Files of C, SQL and shell below ROOT that are too long.
long_sources() {
	( cd "$1" && find src sql test bench demo \( -name '*.[ch]' -o -name '*.sql' -o -name '*.sh' -o -name '*.spec' \) 2>/dev/null |
		LC_ALL=C sort | xargs awk -v max="$max_file" '
			function tell() {
				if (lines > max)
					print file ": " lines " lines, more than " max
			}
			FNR == 1 { tell(); file = FILENAME }
			{ lines = FNR }
			END { tell() }' )
}

# Statements of the install script below ROOT/sql that would adopt what somebody else has
# made, or take along what does not belong to the extension.  What bodies build is indented.
adopting() {
	local adopts='CREATE .*IF NOT EXISTS|(ALTER|DROP) .*IF EXISTS|DROP .*CASCADE'
	( cd "$1" && find sql -name '*.sql' | LC_ALL=C sort | xargs grep -nHE "^(CREATE OR REPLACE|$adopts)" )
}

# Lines below ROOT/src that ask for the version of the server, outside of the one header
# that may.
versions_asked() {
	( cd "$1" && find src -name '*.[ch]' ! -path src/pg/sql/compat.h | LC_ALL=C sort |
		xargs grep -nHE '\<(PG_VERSION_NUM|PG_MAJORVERSION(_NUM)?|CATALOG_VERSION_NO)\>' )
}

#
# ---- The checks, checked ----
#

# Whether of the lines on standard input there is exactly one that says each of these.
says() {
	local found all text
	all=$(cat)
	for text; do
		found=$(grep -cF -- "$text" <<<"$all")
		[ "$found" -eq 1 ] || echo "$found times instead of once: $text"
	done
	found=$(grep -c . <<<"$all")
	[ "$found" -eq $# ] || printf '%s\n%s\n' "$found complaints instead of $#:" "$all"
}

mkdir -p "$scratch/sql" "$scratch/server/utils" "$scratch"/src/core/{util,math,models,solve,split} "$scratch"/src/pg/{sql,formulas,matches,ladder/entry,ladder/ranks} "$scratch/src/pg/attic" "$scratch/test/core"
touch "$scratch/server/postgres.h" "$scratch/server/utils/json.h" \
	"$scratch"/src/core/{util/a,math/b,models/m,solve/s,split/p}.h "$scratch"/src/pg/{sql/json,matches/x,ladder/entry/l,ladder/ranks/hook,ladder/ranks/r}.h
include() { printf '#include %s\n' "${@:2}" >"$scratch/src/$1"; }
# What is right.
include core/models/m.c '"core/models/m.h"' '"core/math/b.h"' '"core/util/a.h"' '<math.h>'
include pg/ladder/ranks/r.c '"pg/ladder/ranks/r.h"' '"pg/ladder/entry/l.h"'
include pg/ladder/entry/l.c '"pg/ladder/ranks/hook.h"' '"pg/ladder/entry/l.h"' '"postgres.h"' '"utils/json.h"' '"pg/matches/x.h"' '"core/split/p.h"' '<math.h>'
result "$(wrong_includes "$scratch" "$scratch/server")" "nothing is said of includes that are right"
# What is wrong.
include core/math/b.c '"core/models/m.h"' '"pg/sql/json.h"' '<postgres.h>' '"b.h"'
include core/solve/s.c '"core/split/p.h"'
include pg/formulas/f.c '"json.h"' '"pg/matches/x.h"' '"pg/sql/gone.h"' '<core/util/a.h>'
include pg/matches/x.c '"pg/ladder/entry/l.h"' '"pg/ladder/ranks/hook.h"'
include pg/ladder/entry/w.c '"pg/ladder/ranks/r.h"'
include pg/attic/z.c '"postgres.h"'
result "$(wrong_includes "$scratch" "$scratch/server" | says \
	'src/core/math/b.c:1: "core/models/m.h" does not lie below core/math' \
	'src/core/math/b.c:2: the core must know nothing of "pg/sql/json.h"' \
	'src/core/math/b.c:3: "postgres.h" is neither' \
	'src/core/math/b.c:4: "b.h" is neither' \
	'src/core/solve/s.c:1: "core/split/p.h" does not lie below' \
	'src/pg/formulas/f.c:1: "json.h" is no header of the server' \
	'src/pg/formulas/f.c:2: "pg/matches/x.h" does not lie below pg/formulas' \
	'src/pg/formulas/f.c:3: "pg/sql/gone.h" does not exist' \
	'src/pg/formulas/f.c:4: <core/util/a.h> is one of ours' \
	'src/pg/matches/x.c:1: "pg/ladder/entry/l.h" does not lie below' \
	'src/pg/matches/x.c:2: "pg/ladder/ranks/hook.h" does not lie below' \
	'src/pg/ladder/entry/w.c:1: "pg/ladder/ranks/r.h" does not lie below' \
	'src/pg/attic/z.c:1: "pg/attic" is no room')" "includes that are wrong are found"

symbols='a.o:0000000000000000 T f
a.o:                 U g
b.o:0000000000000000 T g
b.o:                 U palloc
c.o:                 U f
c.o:0000000000000010 D table'
result "$(circles <<<"$symbols")" "nothing is said of objects without a circle"
result "$(printf '%s\n' "$symbols" 'b.o:                 U table' | circles | says \
	'a.o needs b.o for g' 'b.o needs c.o for table' 'c.o needs a.o for f' 'which is a circle')" "a circle of objects is found"

symbols='src/pg/ladder/a/a.o: 00 T f
src/pg/ladder/a/a.o:    U g
src/pg/ladder/a/b.o: 00 T g
src/pg/ladder/b/c.o:    U f'
result "$(full_rooms <<<"$symbols")" "nothing is said of rooms that are small enough"
result "$(max_files=1 max_levels=1 full_rooms <<<"$symbols" | says \
	'src/pg/ladder/a has 2 files, more than 1' 'src/pg/ladder/a has 2 levels of files')" "a room of too many files or levels is found"

function_of() { printf 'static int\n%s(void)\n{\n' "$1"; yes '	f();' | head -n "$2"; printf '}\n'; }
{ function_of short "$max_function"; function_of long $((max_function + 1)); } >"$scratch/src/core/util/a.c"
result "$(long_functions "$scratch" | says "src/core/util/a.c:$((max_function + 7)): long() has $((max_function + 1)) lines")" "a function that is too long is found"
body_of() { printf 'CREATE FUNCTION s.%s(\n    a integer)\nRETURNS void LANGUAGE plpgsql\nAS $%s$\n' "$1" "$3"; yes '    NULL;' | head -n "$2"; printf '$%s$;\n' "$3"; }
{ body_of short "$max_function" function; body_of long $((max_function + 1)) procedure; } >"$scratch/sql/10-a.sql"
result "$(long_bodies "$scratch" | says "sql/10-a.sql:$((max_function + 9)): s.long() has $((max_function + 1)) lines")" "a body in SQL that is too long is found"
printf '%s\n' 'CREATE FUNCTION s.f()' '    CREATE TABLE IF NOT EXISTS' 'CREATE OR REPLACE FUNCTION s.f()' 'CREATE SCHEMA IF NOT EXISTS s;' \
	'DROP TYPE IF EXISTS s.t;' >"$scratch/sql/20-b.sql"
result "$(adopting "$scratch" | says 'sql/20-b.sql:3:CREATE OR REPLACE' 'sql/20-b.sql:4:CREATE SCHEMA IF NOT' 'sql/20-b.sql:5:DROP TYPE')" "a statement that adopts what exists is found"
printf '%s\n' '#if PG_VERSION_NUM >= 160000' | tee "$scratch/src/pg/sql/compat.h" >"$scratch/src/pg/sql/v.c"
result "$(versions_asked "$scratch" | says 'src/pg/sql/v.c:1:#if PG_VERSION_NUM')" "a file that asks for the server's version is found"
yes ' ' | head -n "$max_file" >"$scratch/test/short.sh"
yes ' ' | head -n $((max_file + 1)) >"$scratch/test/long.sh"
result "$(long_sources "$scratch" | says "test/long.sh: $((max_file + 1)) lines")" "a file that is too long is found"

printf '%s\n' 'static const LadderEntry entries[] = {' '	{"made", NoLock},' '	{"forgotten", NoLock,' '	.nladders = 1},' '};' >"$scratch/entry.c"
printf '%s\n' 'CREATE FUNCTION skillrating_internal.made(' >"$scratch/sql/30-c.sql"
result "$(entries_without_function "$scratch/entry.c" "$scratch"/sql/*.sql | says 'forgotten')" "an entry without a function is found"

#
# ---- The sources ----
#

result "$(wrong_includes "$PWD" "$("${PG_CONFIG:-pg_config}" --includedir-server)")" "every include is of the own room or one below"
objects=$(find src -name '*.c' | LC_ALL=C sort | sed 's/c$/o/')
missing=$(for object in $objects; do [ -e "$object" ] || echo "$object is not built"; done)
# shellcheck disable=SC2086 # a list of words
result "$missing${missing:+
}$(nm -A -g $objects 2>/dev/null | circles)" "no files depend on one another in a circle"
# shellcheck disable=SC2086 # a list of words
result "$(nm -A -g $objects 2>/dev/null | full_rooms)" "no room of a ladder has more than $max_files files or $max_levels levels"
result "$(long_functions .)" "no function has more than $max_function lines"
result "$(long_bodies .)" "no function in SQL has more than $max_function lines"
result "$(adopting .)" "the install script adopts nothing that exists"
result "$(versions_asked .)" "only src/pg/sql/compat.h asks for the server's version"
# shellcheck disable=SC2046 # a list of words
result "$(entries_without_function src/pg/ladder/arrive/entries.c $(find sql -name '*.sql'))" "every entry to a ladder has its function"
result "$(long_sources .)" "no file has more than $max_file lines"
exit $status
