#!/bin/bash
# Run regression tests with a library that reports undefined behaviour as it happens, such as
# memmove() of NULL or an index behind the end of an array, which most compilers let pass.
#
#   test/undefined.sh [TEST...]
#
# TESTs are regression tests (default: all).  gcc builds a copy of the sources with its sanitizer
# of undefined behaviour, and a cluster of its own runs them.  Alignment is left out: the server's
# own headers rely on what processors allow.  Prints lines "ok undefined: ..." and "not ok
# undefined: ...", with what was reported; or "skipped: ..." where gcc lacks the sanitizer.

set -uo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.." || exit 1
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
flags="-fsanitize=undefined -fno-sanitize=alignment -static-libubsan"
[ $# -gt 0 ] || set -- $(cd test/sql && ls -- *.sql | sed 's/\.sql$//')

result() {
	if [ -z "$1" ]; then
		echo "ok undefined: $2"
	else
		echo "$1"
		echo "not ok undefined: $2"
		status=1
	fi
}

# shellcheck disable=SC2086 # a list of words
if ! echo 'int main(void) { return 0; }' | gcc $flags -x c -o "$scratch/program" - 2>/dev/null; then
	echo "skipped: gcc has no sanitizer of undefined behaviour here"
	exit
fi

status=0
mkdir "$scratch/copy"
cp -r Makefile skillrating.control src sql test expected "$scratch/copy"
# Objects of another compiler or of other flags.
find "$scratch/copy" -name '*.[od]' -delete
cd "$scratch/copy" || exit 1
CLUSTER_LOG=$scratch/log MAKEARGS="-j2 'COPT=$flags'" test/cluster.sh \
	make -s installcheck with_llvm=no COPT="$flags" ISOLATION= REGRESS="$*" >"$scratch/output" 2>&1
result "$([ $? -eq 0 ] || cat "$scratch/output" regression.diffs 2>/dev/null)" "tests succeed: $#"
result "$(nm -D skillrating.so | grep -q __ubsan_handle || echo "no call of it")" "the library has the sanitizer"
result "$(grep -h 'runtime error:' "$scratch/log" | sort -u)" "nothing undefined is reported"
exit $status
