#!/bin/bash
# Check the prose of all pages: links, the width of lines, and spelling.
#
#   test/prose.sh [PAGE...]
#
# A relative link leads to an existing file, and its anchor to a heading there, by GitHub's
# rules.  A line has at most 100 columns, unless it is code, a row of a table, or a result that
# bench/predict.sh has written.  Words are those of hunspell's American dictionary or of
# test/words.txt, which has names, terms and British forms.  Code is not prose, and neither is
# a word with a digit or an underscore.  Prints "ok prose ..." or "not ok prose ..." for each
# check, with what is wrong in front of it, and "not run prose spelling ..." without hunspell.
# The checks are themselves checked first.

set -uo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.." || exit 1
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
status=0

result() {
	if [ -z "$1" ]; then
		echo "ok prose: $2"
	else
		echo "$1"
		echo "not ok prose: $2"
		status=1
	fi
}

# A page without its code, whose lines are empty.  Spans of code become a word.
prose() {
	awk '
		/^ *```/ { fence = !fence; print ""; next }
		/^<!-- results/ { written = 1 }
		/^<!-- end of results/ { written = 0 }
		fence || written || /^    / || /^<!--/ { print ""; next }
		{ print }
	' "$1"
}

# shellcheck disable=SC2016 # backquotes of a page
without_spans() {
	sed -E 's/``[^`]+``|`[^`]+`/ code /g'
}

# The names of a page's headings, by which links lead to them.
anchors() {
	awk '
		/^ *```/ { fence = !fence }
		fence || !/^#+ / { next }
		{
			sub(/^#+ +/, "")
			while (match($0, /\]\([^)]*\)/))
				$0 = substr($0, 1, RSTART) substr($0, RSTART + RLENGTH)
			name = tolower($0)
			gsub(/[]!-,.\/:-@\\[^`{-~]/, "", name)
			gsub(/ /, "-", name)
			print (seen[name]++ ? name "-" seen[name] - 1 : name)
		}
	' "$1"
}

broken_links() {
	local page link file newline=$'\n'
	local -A found
	for page; do
		while read -r link; do
			[[ ! $link =~ ^[a-z]+: ]] || continue
			file=$page
			if [ "${link%%#*}" != "" ]; then
				file=${link%%#*}
				[[ $page != */* ]] || file=${page%/*}/$file
			fi
			if [ ! -e "$file" ]; then
				echo "$page: the link to $link leads to no file"
			elif [[ $link = *'#'* ]]; then
				[ -n "${found[$file]:-}" ] || found[$file]=$newline$(anchors "$file")$newline
				[[ ${found[$file]} = *"$newline${link#*#}$newline"* ]] ||
					echo "$page: the link to $link leads to no heading"
			fi
		done < <(prose "$page" | without_spans | grep -oE '\]\([^) ]+\)' | sed 's/^](//; s/)$//' | sort -u)
	done
}

wide_lines() {
	local page
	for page; do
		prose "$page" | sed 's/^|.*//' | LC_ALL=C.UTF-8 grep -nE '^.{101,}' |
			sed "s|^\([0-9]*\):.*|$page:\1: the line is wider than 100 columns|"
	done
}

# The words of a page's prose.
words() {
	prose "$1" | without_spans | sed -E 's/\]\([^)]*\)/]/g; s/<[^>]*>//g; s#https?://[^ )>]*##g' |
		sed -E "s/[[:alnum:]_.'-]*[0-9_][[:alnum:]_]*//g; s/'s\\b//g"
}

# Of text, the words that are neither in the dictionary nor in $scratch/words.
unknown() {
	LC_ALL=C.UTF-8 hunspell -d en_US -l | LC_ALL=C sort -u | LC_ALL=C comm -23 - "$scratch/words"
}

# All pages at once, as the dictionary takes time to read, and each alone if there is a word.
unknown_words() {
	local page
	[ -n "$(for page; do words "$page"; done | unknown)" ] || return 0
	for page; do
		words "$page" | unknown | sed "s|.*|$page: unknown word \"&\"|"
	done
}

# shellcheck disable=SC2016 # backquotes of a page
echo '# Elephants and `mammoths()`

[Right](made.md#elephants-and-mammoths), [too](#see-this), `[code](nowhere.md)`, [far](https://example.org/none).
[Wrong](nowhere.md), [wrong](made.md#tapirs), [wrong](#tapirs).

    [code](nowhere.md) is no misstake

## See [this](made.md)

A misstake, `a misstyped` one, and misstake2.
| a table may be as wide as it has to be | a table may be as wide as it has to be | a table may be as wide as it has to be |
This line is wider than the limit, and a page of this project should have none of such a width at all.' >"$scratch/made.md"
says() {
	[ "$1" = "$2" ] || printf '%s\n' "$1" "instead of" "$2"
}
result "$(says "$(broken_links "$scratch/made.md" | sed 's/^[^:]*: //')" \
'the link to #tapirs leads to no heading
the link to made.md#tapirs leads to no heading
the link to nowhere.md leads to no file')" "broken links are found"
result "$(says "$(wide_lines "$scratch/made.md" | sed 's/^[^:]*://')" \
'3: the line is wider than 100 columns
12: the line is wider than 100 columns')" "wide lines are found"

if [ $# -eq 0 ]; then
	mapfile -t pages < <(find . \( -name node_modules -o -name build -o -path ./demo/data -o -name '.?*' \) -prune -o -name '*.md' -print |
		sed 's|^\./||' | LC_ALL=C sort)
	set -- "${pages[@]}"
fi
result "$(broken_links "$@")" "links lead to files and headings ($# pages)"
result "$(wide_lines "$@")" "lines have at most 100 columns"

if ! command -v hunspell >/dev/null || ! hunspell -d en_US -l </dev/null >/dev/null 2>&1; then
	echo "not run prose spelling: there is no hunspell with the dictionary en_US"
	exit $status
fi
LC_ALL=C sort -u test/words.txt >"$scratch/words"
result "$(says "$(unknown_words "$scratch/made.md" | sed 's/^[^:]*: //')" 'unknown word "misstake"')" "unknown words are found"
result "$(LC_ALL=C sort -uc test/words.txt 2>&1)" "test/words.txt is in order"
result "$(unknown_words "$@")" "words are those of the dictionary or of test/words.txt"
exit $status
