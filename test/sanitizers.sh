#!/bin/bash
# Run regression tests with a library that reports undefined behaviour and accesses outside of
# variables and blocks of memory as they happen, which most compilers let pass.
#
#   test/sanitizers.sh [TEST...]
#
# TESTs are regression tests (default: all).  gcc builds a copy of the sources with its sanitizers
# of addresses and of undefined behaviour, and a cluster of its own runs them.  Alignment is left
# out: the server's own headers rely on what processors allow.  What palloc() returns lies in larger
# blocks, so accesses behind it are not seen; the core's tests see those of the core.  Prints lines
# "ok sanitizers: ..." and "not ok sanitizers: ...", with what was reported; or "skipped: ..." where
# gcc lacks the sanitizers.

set -uo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.." || exit 1
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
chmod 755 "$scratch"
export flags="-fsanitize=address,undefined -fno-sanitize=alignment -fno-omit-frame-pointer -O1 -g"
[ $# -gt 0 ] || set -- $(cd test/sql && ls -- *.sql | sed 's/\.sql$//')

result() {
	if [ -z "$1" ]; then
		echo "ok sanitizers: $2"
	else
		echo "$1"
		echo "not ok sanitizers: $2"
		status=1
	fi
}

# shellcheck disable=SC2086 # a list of words
if ! echo 'int main(void) { return 0; }' | gcc $flags -x c -o "$scratch/program" - 2>/dev/null; then
	echo "skipped: gcc has no sanitizers of addresses and of undefined behaviour here"
	exit
fi

status=0
mkdir "$scratch/copy"
cp -r Makefile skillrating.control src sql modules test expected "$scratch/copy"
# Objects of another compiler or of other flags.
find "$scratch/copy" -name '*.[od]' -delete
cd "$scratch/copy" || exit 1
# The server starts with the sanitizer's library.  While that starts, it looks this name up; where
# nothing has it, the message about that waits for a lock of libgpg-error's, for ever.
echo 'char *swift_demangle(const char *a, unsigned long b, char *c, unsigned long *d, unsigned e) { return 0; }' |
	gcc -shared -fPIC -x c -o "$scratch/names.so" -
export ASAN_OPTIONS=detect_leaks=0:abort_on_error=1:detect_stack_use_after_return=0
export UBSAN_OPTIONS=print_stacktrace=1
CLUSTER_PRELOAD="$(readlink -f "$(gcc -print-file-name=libasan.so)") $scratch/names.so" \
	CLUSTER_LOG=$scratch/log MAKEARGS="-j2 'COPT=$flags' 'SHLIB_LINK=-fsanitize=address,undefined'" test/cluster.sh \
	bash -c 'xargs -n 10 <<<"$*" | { status=0
		# Few in one database, whose tests are not to meet what others have left.
		while read -r batch; do
			make -s installcheck with_llvm=no COPT="$flags" ISOLATION= REGRESS="$batch" || { cat regression.diffs; status=1; }
		done
		exit $status; }' all "$@" >"$scratch/output" 2>&1
result "$([ $? -eq 0 ] || grep -v '\.\.\. ok ' "$scratch/output")" "tests succeed: $#"
for sanitizer in asan ubsan; do
	result "$(nm -D skillrating.so | grep "__${sanitizer}_" >/dev/null || echo "no call of it")" "the library has $sanitizer"
done
result "$(grep -hE -A 20 'runtime error:|ERROR: AddressSanitizer' "$scratch/log" | head -100)" "nothing is reported"
exit $status
