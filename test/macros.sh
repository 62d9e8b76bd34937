#!/bin/bash
# Check that no argument of a macro has a side effect, which happens twice if the macro
# evaluates the argument twice, as Max(most, ++count[bin]) does, and never if it is Assert()
# in a build without assertions.
#
#   test/macros.sh
#
# An argument of a macro of ours, whatever the macro does with it, has no ++, -- and assignment.
# Where a macro of ours or of the server evaluates an argument other than once, by itself or
# through another macro, the argument calls no function besides those that test/macros.pl lists
# as pure; a call of another one moves into a variable.  Macros are read from src/ and from the
# server's headers.  Needs perl, and no server.  Each check is a line "ok macros: ..." or "not ok
# macros: ...", with what is wrong in front of it.  The checks are themselves checked first.

set -uo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.." || exit 1
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
status=0

result() {
	if [ -z "$1" ]; then
		echo "ok macros: $2"
	else
		echo "$1"
		echo "not ok macros: $2"
		status=1
	fi
}

mkdir "$scratch/server"
cat >"$scratch/server/c.h" <<'C'
#define Max(x, y)		((x) > (y) ? (x) : (y))
#define Once(x)			((x) + 1)
#ifndef CHECKED
#define Assert(condition)	((void) true)
#else
#define Assert(condition) \
	do { \
		if (!(condition)) \
			ExceptionalCondition(#condition); \
	} while (0)
#endif
C
cat >"$scratch/a.c" <<'C'
#define ROOM(n)			(Max(n, 8) * 2)
#define NEW(type, n)	((type *) palloc(sizeof(type) * (n)))
/* Max(a, ++b) in a comment, and a definition, which is no call. */
	most = Max(most, fabs(count[bin] - 1));
	text = "Max(a, ++b)", quote = '(';
	x = Once(next());
	Assert(x <= 1 && x != 2 && x >= 0 && x == 1);
	y = NEW(int, next());
	f(Max(a, b), ++a, a = b);
C
cat >"$scratch/b.c" <<'C'
	histogram.most = Max(histogram.most, ++histogram.count[bin]);
	low = Max(low,
			  left--);
	z = Max((a = b), 1);
	z = Max(a, b <<= 1);
	z = Once(Max(1, 2 * next(a)));
	Assert(next() == 1);
	z = ROOM(next());
	y = NEW(int, n++);
	z = Max(Once(b), Once(next()));
	z = Max((*next)(a), a);
C
result "$(perl test/macros.pl "$scratch/server" "$scratch/a.c" 2>&1)" "nothing is said of arguments without an effect"
found=$(perl test/macros.pl "$scratch/server" "$scratch/a.c" "$scratch/b.c" | sed 's/.*b\.c://; s/the argument //; s/ of the macro / /')
[ "$found" = '1: "++histogram.count[bin]" Max() has ++
2: "left--" Max() has --
4: "(a = b)" Max() has an assignment
5: "b <<= 1" Max() has an assignment
6: "2 * next(a)" Max() calls next()
7: "next() == 1" Assert() calls next()
8: "next()" ROOM() calls next()
9: "n++" NEW() has ++
10: "Once(next())" Max() calls next()
11: "(*next)(a)" Max() calls a function by its address' ] && found=''
result "$found" "arguments with an effect are found"

mapfile -t files < <(find src -name '*.[ch]' | LC_ALL=C sort)
result "$(perl test/macros.pl "$("${PG_CONFIG:-pg_config}" --includedir-server)" "${files[@]}" 2>&1)" "no argument of a macro has a side effect"
exit $status
