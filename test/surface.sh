#!/bin/bash
# Check what the library may do: it opens no file, starts no process, talks to no
# network, sets no hook and takes no shared memory, and all of its large arrays count to
# skillrating.memory_limit; and that docs/reference.md has a place for each public function.
# test/sql/public_surface.sql lists and counts these.
#
#   test/surface.sh
#
# What a library can call is what it leaves undefined.  Those symbols that the server does
# not define are the C library's, of which only a list is allowed: none of them leaves the
# process.  Of the server's functions those that would do so on our behalf are refused.
# Temporary files of the server (BufFile, tuplestores, sorts) are allowed: what exceeds work_mem
# goes there.  The library has to be built first.  Each check is a line "ok surface ..." or "not ok
# surface ...", with what is wrong in front of it.  The checks are themselves checked first.

set -uo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.." || exit 1
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
status=0

# Of the C library: memory that is there, strings that are there, numbers.
c_allowed='mem(cpy|move|set|cmp|chr)|str(cmp|ncmp|len|nlen|chr|rchr|spn|cspn|pbrk|str|tok_r|cpy|ncpy)|qsort'
c_allowed+='|fabs|sqrt|floor|ceil|trunc|round|rint|nearbyint|l?lround|l?lrint|fmin|fmax|fmod|remainder|copysign|ldexp|frexp|scalbn|logb|ilogb|nextafter|hypot|cbrt|fma'
c_allowed+='|exp|exp2|expm1|log|log2|log10|log1p|pow|erf|erfc|lgamma|lgamma_r|tgamma|sinh?|cosh?|tanh?|a(sin|cos|tan)h?|atan2'
# What the compiler and the loader put in.
c_allowed+='|__(mem|str)[a-z]+_chk|__stack_chk_fail(_local)?|__cxa_finalize|__gmon_start__|_ITM_(de)?registerTMCloneTable|_?_?sigsetjmp|__(asan|ubsan)_[a-z0-9_]+'

# Of the server, whatever leaves the process or stays behind for others.
server_refused='[A-Za-z_]*_hook(_type)?|.*BackgroundWorker.*|RequestAddinShmemSpace|Shmem(Init|Alloc).*|.*LWLock.*|dsm_.*|dsa_.*|shm_(mq|toc)_.*|GetNamedDSM.*'
server_refused+='|(Allocate|Open|Close|Basic|Transient|PathName|FreeFile|File|Durable|durable_|fsync_|copydir|rmtree|pg_mkdir)[A-Za-z]*(File|Dir|Path|Pipe|Read|Write|Sync|Open|rename|unlink)[A-Za-z]*'
server_refused+='|OpenPipeStream|run_ssl_passphrase_command|load_(file|external_function|libraries)|dlopen|lookup_external_function'
server_refused+='|kill|pg_?signal.*|SendProcSignal|pq_(put|get|flush)[a-z]*|libpqsrv_.*|PQ[a-z].*|secure_(read|write)|[A-Za-z]*WaitEventSet.*'
server_refused+='|Register(CustomRmgr|ExtensibleNodeMethods|CustomScanMethods)|on_(proc|shmem)_exit|before_shmem_exit|proc_exit'
server_refused+='|XLogInsert|log_newpage.*|malloc|free|calloc|realloc|guc_malloc|guc_strdup'

result() {
	if [ -z "$1" ]; then
		echo "ok surface: $2"
	else
		echo "$1"
		echo "not ok surface: $2"
		status=1
	fi
}

# Of the symbols on standard input, those that must not be used, given the server's.
refused() {
	sed 's/@.*//' | LC_ALL=C sort -u | while read -r symbol; do
		if grep -qxF -- "$symbol" "$1"; then
			[[ $symbol =~ ^($server_refused)$ ]] && echo "$symbol of the server"
		elif ! [[ $symbol =~ ^($c_allowed)$ ]]; then
			echo "$symbol, which is not among the allowed functions of the C library"
		fi
	done
	:
}

# Allocations of arrays below ROOT/src/pg that do not count to the limit.
uncounted() {
	( cd "$1" && find src/pg -name '*.[ch]' ! -path 'src/pg/sql/memory_limit.*' | LC_ALL=C sort |
		xargs grep -nHE '\b(palloc_extended|palloc_aligned|MemoryContextAlloc(Extended|Huge|Aligned)|repalloc(_huge|0|_extended)?|malloc|calloc|realloc|free)[[:space:]]*\(' )
	:
}

# The public functions that SQL files comment on or make by a call, or that are in a list of entries
# to ladders, and that tables of a page do not list.
unlisted() {
	local page=$1
	shift
	sed -nE 's/^(COMMENT ON (FUNCTION|PROCEDURE) skillrating\.|SELECT skillrating_internal\.make_(aggregate\('"'"'|function\('"'"'skillrating\.)|\t\{")([a-z_0-9]+)(\(| IS|'"'"'|", [A-Za-z]*Lock).*/\4/p' "$@" | LC_ALL=C sort -u | while read -r name; do
		grep -qE "^\|.*\`(CALL )?$name\(" "$page" || echo "$name() has no place in $page"
	done
}

says() {
	[ "$(cat)" = "$1" ] || echo "something else than: $1"
}

printf '%s\n' palloc planner_hook AllocateFile PathNameOpenFile FileRead BufFileWrite RequestAddinShmemSpace MemoryContextAlloc >"$scratch/server"
result "$(printf '%s\n' palloc memcpy@GLIBC_2.14 exp BufFileWrite MemoryContextAlloc | refused "$scratch/server")" "nothing is said of harmless symbols"
result "$(printf '%s\n' planner_hook AllocateFile PathNameOpenFile FileRead RequestAddinShmemSpace fopen@GLIBC_2.2.5 getenv system palloc | refused "$scratch/server" | says \
'AllocateFile of the server
FileRead of the server
PathNameOpenFile of the server
RequestAddinShmemSpace of the server
fopen, which is not among the allowed functions of the C library
getenv, which is not among the allowed functions of the C library
planner_hook of the server
system, which is not among the allowed functions of the C library')" "symbols that leave the process are found"
mkdir -p "$scratch/src/pg/sql"
printf 'x = palloc(8);\ny = repalloc(y, n);\n' >"$scratch/src/pg/sql/a.c"
result "$(uncounted "$scratch" | says 'src/pg/sql/a.c:2:y = repalloc(y, n);')" "allocations that do not count are found"

printf '%s\n' 'COMMENT ON FUNCTION skillrating.one IS' 'COMMENT ON FUNCTION skillrating_internal.two() IS' "SELECT skillrating_internal.make_aggregate('three'" \
	"SELECT skillrating_internal.make_function('skillrating.six', '" '	{"four", NoLock},' '	{"five", RowShareLock,' >"$scratch/a.sql"
printf '%s\n' '| aggregate `three(x)`, `four(y)` | |' '`one(z)`' >"$scratch/page.md"
result "$(unlisted "$scratch/page.md" "$scratch/a.sql" | says "five() has no place in $scratch/page.md
one() has no place in $scratch/page.md
six() has no place in $scratch/page.md")" "functions without a place in the reference are found"

bindir=$("${PG_CONFIG:-pg_config}" --bindir)
nm -D --defined-only "$bindir/postgres" | awk '{ print $3 }' | sed 's/@.*//' >"$scratch/server"
nm -D --undefined-only skillrating.so | awk '{ print $NF }' >"$scratch/library"
[ -s "$scratch/server" ] && [ -s "$scratch/library" ] || result "no symbols were read" "the library and the server have symbols"
result "$(refused "$scratch/server" <"$scratch/library")" "the library uses no file, process or network, and sets no hook"
result "$(uncounted .)" "large arrays count to skillrating.memory_limit"
# shellcheck disable=SC2046 # a list of words
result "$(unlisted docs/reference.md src/pg/ladder/arrive/entries.c $(find sql -name '*.sql'))" "docs/reference.md lists every public function"
exit $status
