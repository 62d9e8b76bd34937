#!/bin/bash
# Check that the library takes no function of the C library's mathematics but those
# whose results are exact or correctly rounded everywhere, and that it needs no library
# beside the C library, so that it can be built wherever the server can.
#
#   test/symbols.sh
#
# Ratings are compared bit for bit years later, and glibc changes the last bits of exp()
# and its like with its version and the processor; src/core/math/elementary.h has
# functions instead.  The library has to be built first.  Prints lines "ok symbols ..."
# and "not ok symbols ..."; the check is itself checked first, with a library that uses
# what it must not.

set -uo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.." || exit 1
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
status=0

# IEEE 754 leaves these no choice.  It does leave fmin() and fmax() one, between 0 and
# -0; see src/core/util/extremes.h.
exact="ceil copysign fabs floor fmod llround lround nearbyint rint round sqrt trunc"

result() {
	if [ -z "$1" ]; then
		echo "ok symbols: $2"
	else
		echo "$1"
		echo "not ok symbols: $2"
		status=1
	fi
}

# The functions of libm that a library needs, and that are not among the exact ones.
inexact() {
	comm -12 <(nm -D --undefined-only "$1" | awk '{ sub(/@.*/, "", $NF); print $NF }' | LC_ALL=C sort -u) "$scratch/libm" |
		grep -vxF -f <(printf '%s\n' $exact)
}

# The libraries that a library needs, without those of C.
libraries() {
	objdump -p "$1" | awk '$1 == "NEEDED" && $2 !~ /^(libc|libm|ld-linux-[^.]*)\.so/ { print $2 }'
}

cc=${CC:-cc}
libm=$("$cc" -print-file-name=libm.so.6)
nm -D --defined-only "$libm" | awk '{ sub(/@.*/, "", $NF); print $NF }' | LC_ALL=C sort -u >"$scratch/libm"
result "$(grep -qx exp "$scratch/libm" || echo "no exp in $libm")" "libm is found"

cat >"$scratch/mistakes.c" <<'C'
#include <math.h>
double		mistakes(double x, double y);
double
mistakes(double x, double y)
{
	return exp(x) + pow(x, y) + fmax(x, y) + sqrt(x) + round(y);
}
C
"$cc" -O2 -fPIC -shared -o "$scratch/mistakes.so" "$scratch/mistakes.c" -lm
found=$(inexact "$scratch/mistakes.so" | tr '\n' ' ')
# Some processors have an instruction for fmax().
[[ $found =~ ^exp\ (fmax\ )?pow\ $ ]]
result "$([ $? -eq 0 ] || echo "found \"$found\"")" "inexact functions are found"

"$cc" -shared -o "$scratch/other.so" -Wl,--no-as-needed "$scratch/mistakes.so"
result "$(libraries "$scratch/other.so" | grep -q mistakes || echo "not found")" "a library that another needs is found"
result "$(libraries skillrating.so)" "no library but those of C is needed"

result "$(inexact skillrating.so)" "only exact functions of libm are used"
exit $status
