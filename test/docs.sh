#!/bin/bash
# Run the examples of the README and of the pages in docs/, and compare what they
# print with what the pages show, on the server that PGHOST leads to.
#
#   test/docs.sh [PAGE...]
#
# An example is an indented block that starts with an SQL keyword.  The examples of a
# page are run in their order, in a database of the page's own.  Prints one line for
# each page that has any, "ok docs FILE" or "not ok docs FILE".
#
# Functions, tests and files that a page names in backquotes must exist: "ok docs names in
# FILE"; test/prose.sh checks links.  The table of parameters in the page of a model must
# have all of them, and no others.  The reference has the arguments of functions by name and
# in order, except where it abbreviates with "...", and every public function is named on
# some page in docs, and called by an example of some page: "ok docs examples of every public
# function".  These checks are themselves checked first, with a page of made-up names, each of
# which they must find.

set -uo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.." || exit 1
# shellcheck source=test/examples.sh
. "$PWD/test/examples.sh"

database=skillrating_docs
scratch=$(mktemp -d)
# With the extension; a copy of a database is made faster than the extension is created.
extended=skillrating_docs_extended
drop() { psql -qX -d postgres -c "DROP DATABASE IF EXISTS $1" 2>/dev/null; }
trap 'drop $database; drop $extended; rm -rf "$scratch"' EXIT

# The last digits depend on the machine, and widths on digits; psql puts empty lines
# after results.
normalise() {
	sed -E 's/([0-9]\.[0-9]{10})[0-9]+/\1/g; s/ +$//; s/  +/ /g; s/-+(\+|$)/-\1/g' | grep -v '^$\|^\\o'
}

# What a page names in backquotes that matches a pattern, without the backquotes.
quoted() {
	grep -ohE "\`($2)" "$1" | tr -d '`' | sort -u
}

# The names of a page that stand for nothing, a line each.  $scratch/functions lists the
# functions of SQL; the page on the architecture names those of C as well.
missing_names() {
	local page=$1 name
	quoted "$page" '[a-z_0-9]+\(' | tr -d '(' | comm -23 - "$scratch/functions" | while read -r name; do
		[ "$page" = docs/architecture.md ] && grep -rqE --include='*.[ch]' "\\b$name\\(" src test/core ||
			echo "$page: there is no function $name()"
	done
	quoted "$page" 'test_[a-z_0-9]+`' | while read -r name; do
		[ -e "test/core/$name.c" ] || grep -qx "$name(void \*\*[a-z]*)" test/core/*.c || echo "$page: there is no unit test $name"
	done
	quoted "$page" '[a-z_0-9/-]+\.(sql|c|h|sh|spec)`' | while read -r name; do
		case $name in
			*/*) [ -e "$name" ] ;;
			*) [ -n "$(find src sql test bench demo -name "$name" -print -quit)" ] ;;
		esac || echo "$page: there is no file $name"
	done
}

# The parameters of a model that its page leaves out or makes up.  $scratch/parameters
# lists those of all models, "MODEL NAME", and the page has them in the first column of
# its section "Parameters".  Those that all models have are in docs/calibration.md.
wrong_parameters() {
	local page=$1 model=$2

	awk '
		/^## / { inside = /^## Parameters/ }
		inside && /^\| `/ { split($0, cell, "|"); print cell[2] }
	' "$page" | tr -cs 'a-z_0-9' '\n' | grep . | sort >"$scratch/named"
	sed -n "s/^$model //p" "$scratch/parameters" | sort >"$scratch/real"
	comm -13 "$scratch/named" "$scratch/real" | sed "s|.*|$page: the parameter & is not in the table|"
	comm -23 "$scratch/named" "$scratch/real" | sed "s|.*|$page: there is no parameter &|"
}

# The argument lists in the tables of a page that no function has.  $scratch/signatures lists
# those of all functions, "NAME ARGUMENT,ARGUMENT".  Brackets for what can be left out, []
# for arrays, defaults and ORDER BY do not count, and arguments that also return something
# may be left out.
wrong_signatures() {
	awk '
		/^\| / {
			split($0, cell, "|")
			for (line = cell[2]; match(line, /`[^`]*`/); line = substr(line, RSTART + RLENGTH)) {
				call = substr(line, RSTART + 1, RLENGTH - 2)
				sub(/^CALL /, "", call)
				if (call !~ /^[a-z_0-9]+\(.*\)$/ || call ~ /\.\.\./)
					continue
				name = call
				sub(/\(.*/, "", name)
				arguments = substr(call, length(name) + 2)
				sub(/\)$/, "", arguments)
				sub(/ ORDER BY .*/, "", arguments)
				gsub(/,? *INOUT [a-z_0-9]+/, "", arguments)
				gsub(/[][" ]|=[^,]*/, "", arguments)
				print name, arguments
			}
		}
	' "$1" | sort -u | comm -23 - <(sort -u "$scratch/signatures" "$scratch/coordinator") | sed "s|^\([a-z_0-9]*\) \(.*\)|$1: \1() has other arguments than \2|"
}

# The functions in a file that none of the pages names in backquotes.
unnamed_functions() {
	local list=$1
	shift
	cat "$@" | grep -oE '`[^`]+`' | grep -oE '[a-z_0-9]+' | sort -u | comm -13 - "$list" |
		sed 's|.*|docs: no page names the function &()|'
}

# The functions that the examples of pages call, by their qualified names, or by any where an
# example puts the schema into search_path.  Names in literals and comments are no calls.
called_functions() {
	local page before
	for page; do
		examples "$page" | commands >"$scratch/commands"
		before=@
		! grep -qE '^SET search_path = .*\bskillrating\b' "$scratch/commands" || before='(@|\b)'
		# shellcheck disable=SC2016 # dollars of SQL
		sed 's/--.*//; s/\bskillrating\./@/g' "$scratch/commands" | tr '\n' ' ' |
			sed "s/'[^']*'//g" | sed 's/\$\$[^$]*\$\$//g' | grep -oE "${before}[a-z_0-9]+\\(" | tr -d '@('
	done | sort -u
}

# The functions in a file that no example of the pages calls.
uncalled_functions() {
	local list=$1
	shift
	called_functions "$@" | comm -13 - "$list" |
		sed 's|.*|docs: no example calls the function &(); add one to the page where a reader looks for it|'
}

all_pages=(README.md docs/*.md docs/models/*.md)
[ $# -gt 0 ] || set -- "${all_pages[@]}"
status=0

drop $extended
psql -qX -d postgres -c "CREATE DATABASE $extended"
psql -qXAt -d "$extended" -c 'CREATE EXTENSION skillrating' -c 'CREATE EXTENSION skillrating_queue' -c "
	SELECT proname FROM pg_proc
	WHERE pronamespace::regnamespace::text IN ('skillrating', 'skillrating_internal', 'skillrating_queue', 'pg_catalog')" |
	sort -u >"$scratch/functions"
psql -qXAt -F ' ' -d "$extended" -c '
	SELECT CASE WHEN count(*) OVER (PARTITION BY p.name) = (SELECT count(*) FROM skillrating.models())
		THEN $$calibration$$ ELSE m.name END, p.name
	FROM skillrating.models() AS m, skillrating.parameters(m.name) AS p WHERE p.kind = $$model$$' | sort -u >"$scratch/parameters"
psql -qXAt -F ' ' -d "$extended" -c "
	SELECT p.proname, coalesce((
		SELECT string_agg(u.name, ',' ORDER BY u.n)
		FROM unnest(p.proargnames[1:p.pronargs], p.proargmodes) WITH ORDINALITY AS u(name, mode, n)
		WHERE u.n <= p.pronargs AND coalesce(u.mode, 'i') ~ m.mode), '')
	FROM pg_proc AS p, (VALUES ('[iv]'), ('[ivb]')) AS m(mode)
	WHERE p.pronamespace = 'skillrating'::regnamespace" | sort -u >"$scratch/signatures"
# Those of a coordinator have no time.
psql -qXAt -F ' ' -d "$extended" -c "
	SELECT p.proname, array_to_string(p.proargnames[1:p.pronargs - 1], ',') FROM pg_proc AS p
	WHERE p.pronamespace = 'skillrating_queue'::regnamespace AND pg_get_function_arguments(p.oid) LIKE '%DEFAULT clock_timestamp()'" >"$scratch/coordinator"
psql -qX -d "$extended" -c 'DROP EXTENSION skillrating_queue'
cut -d ' ' -f 1 "$scratch/signatures" | sort -u >"$scratch/public"
# shellcheck disable=SC2016 # backquotes of a page
echo 'Right: `elo_update()`, `exp(x)`, `test_elo.c`, `test_k`, `test/docs.sh`.
	Wrong: `elo_updated()`, `test_elephants`, `elephants.sql`, `test/core/elephants.c`.

| `elo_update(rating_a, rating_b, score_a, k = 32, scale = 400)`, `elo_update(rating_b, ...)` | |
| `elo_update(rating_b, rating_a, score_a, k = 32, scale = 400)` | |
| aggregate `brier_score(probability[], outcome ORDER BY at)`, `drop_ladder(ladder, now = now())` | |

## Parameters

| `initial_mu`, `initial_sigma` | `beta` |
| `tau`, `elephants` | `drift` |
| `form`, `split_ties`, `display_deviations` | |' >"$scratch/page"
# shellcheck disable=SC2016 # dollars of SQL
echo 'Prose calls nothing: skillrating.bisons().

    SELECT mammoths($$skillrating.bisons()$$), skillrating.brier_score(p,
        skillrating.elo_update(1, 2, 3)) -- skillrating.elks()
    FROM tapirs(1);' >"$scratch/calling"
printf '    %s\n' 'SET search_path = public, skillrating;' 'SELECT mammoths(tapirs(1)), elks;' >"$scratch/unqualified"
found=$({ missing_names "$scratch/page"; wrong_parameters "$scratch/page" elo_mmr
	wrong_signatures "$scratch/page"
	printf 'brier_score\nmammoths\n' >"$scratch/two"
	unnamed_functions "$scratch/two" "$scratch/page"
	printf 'bisons\nbrier_score\nelks\nelo_update\nmammoths\ntapirs\n' >"$scratch/six"
	uncalled_functions "$scratch/six" "$scratch/calling"
	uncalled_functions "$scratch/six" "$scratch/calling" "$scratch/unqualified"; } | sed 's/^[^:]*: //; s/;.*//')
if [ "$found" = 'there is no function elo_updated()
there is no unit test test_elephants
there is no file elephants.sql
there is no file test/core/elephants.c
the parameter beta is not in the table
the parameter drift is not in the table
there is no parameter elephants
drop_ladder() has other arguments than ladder,now
elo_update() has other arguments than rating_b,rating_a,score_a,k,scale
no page names the function mammoths()
no example calls the function bisons()
no example calls the function elks()
no example calls the function mammoths()
no example calls the function tapirs()
no example calls the function bisons()
no example calls the function elks()' ]; then
	echo "ok docs names that stand for nothing are found"
else
	echo "$found"
	echo "not ok docs names that stand for nothing are found"
	status=1
fi

if [[ " $* " == *' docs/reference.md '* ]]; then
	uncalled=$(uncalled_functions "$scratch/public" "${all_pages[@]}")
	if [ -z "$uncalled" ]; then
		echo "ok docs examples of every public function"
	else
		echo "$uncalled"
		echo "not ok docs examples of every public function"
		status=1
	fi
fi

for page; do
	missing=$(missing_names "$page")
	case $page in
		docs/models/*) missing+=$(wrong_parameters "$page" "$(basename "$page" .md)") ;;
		docs/calibration.md) missing+=$(wrong_parameters "$page" calibration) ;;
		docs/reference.md) missing+=$(wrong_signatures "$page"; unnamed_functions "$scratch/public" docs/*.md docs/models/*.md) ;;
	esac
	if [ -z "$missing" ]; then
		echo "ok docs names in $page"
	else
		echo "$missing"
		echo "not ok docs names in $page"
		status=1
	fi

	examples "$page" >"$scratch/shown"
	[ -s "$scratch/shown" ] || continue
	drop $database
	template=$extended
	! grep -q '^CREATE EXTENSION' "$scratch/shown" || template=template1
	psql -qX -d postgres -c "CREATE DATABASE $database TEMPLATE $template"

	commands <"$scratch/shown" |
		psql -qXa -P footer=off -v ON_ERROR_STOP=1 -d "$database" 2>&1 | normalise >"$scratch/printed"
	if normalise <"$scratch/shown" | diff - "$scratch/printed"; then
		echo "ok docs $page"
	else
		echo "not ok docs $page"
		status=1
	fi
done
exit $status
