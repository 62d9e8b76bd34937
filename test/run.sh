#!/bin/bash
# Run every test, on a throw-away cluster, and count.
#
#   test/run.sh
#
# `make test` calls this.  It installs what is missing, builds with gcc and with
# clang and takes any warning for a failure, runs the unit tests of the core, the
# regression and isolation tests, and the scripts that test what these cannot.
# The last line is "N passed, N failed".

set -uo pipefail

cd "$(dirname "${BASH_SOURCE[0]}")/.." || exit 1
make=${MAKE:-make}
passed=0
failed=0
scratch=$(mktemp -d)
beside=
# What runs beside the rest removes its cluster before it ends.
trap '[ -z "$beside" ] || { kill "$beside"; wait "$beside"; } 2>/dev/null; rm -rf "$scratch"' EXIT

result() {
	if [ "$1" -eq 0 ]; then
		passed=$((passed + 1))
		echo "ok      $2"
	else
		failed=$((failed + 1))
		echo "FAILED  $2"
	fi
}

# Count what a script has said in its log, and its status: it may also have broken off.
count_script() {
	local good bad
	cat "$scratch/$1.log"
	good=$(grep -c '^ok ' "$scratch/$1.log")
	bad=$(grep -c '^not ok ' "$scratch/$1.log")
	passed=$((passed + good))
	failed=$((failed + bad))
	[ "$bad" -gt 0 ] || [ "$2" -eq 0 ] || result 1 "test/$1.sh"
}

# In the background, where the shell hands no signal on unless it waits.
run_on_own_cluster() {
	local started=$SECONDS
	test/cluster.sh bash "test/$1.sh" >"$scratch/$1.log" 2>&1 &
	child=$!
	wait "$child"
	echo $? >"$scratch/$1.status"
	echo "$1 $((SECONDS - started))" >>"$scratch/seconds"
}

# Scripts with several servers, or another one, have clusters of their own.
run_other_clusters() {
	trap 'kill "$child" 2>/dev/null; wait "$child"; exit 143' TERM
	local logical='wal_level=logical max_prepared_transactions=10'
	CLUSTER_OPTIONS=$logical run_on_own_cluster servers
	CLUSTER_OPTIONS=$logical run_on_own_cluster changes
	CLUSTER_OPTIONS='max_prepared_transactions=10' run_on_own_cluster work
	CLUSTER_OPTIONS='max_locks_per_transaction=16 max_connections=20' run_on_own_cluster long_transactions
	local script
	for script in "${other_clusters[@]}"; do
		run_on_own_cluster "$script"
	done
}

# What could not run for want of something is neither, and must be seen.
finish() {
	[ ! -e "$scratch/seconds" ] || echo "seconds:$(sort -k2nr "$scratch/seconds" | awk '{ printf " %s %s", $1, $2 }')"
	cat "$scratch"/*.log 2>/dev/null | grep '^not run '
	echo "$passed passed, $failed failed"
	[ "$failed" -eq 0 ]
	exit
}

test/prerequisites.sh clang libcmocka-dev || { result 1 "prerequisites"; finish; }

# Warnings are about our code only, as the server's headers are system headers.
for compiler in clang gcc; do
	"$make" -s clean KEEP=build >/dev/null 2>&1
	# The server is built with this one from version 18 on; older compilers lack it.
	extra=-Wmissing-variable-declarations
	"$compiler" -Werror $extra -x c -fsyntax-only /dev/null 2>/dev/null || extra=
	"$make" -s CC="$compiler" COPT="-Werror $extra" with_llvm=no >"$scratch/build.log" 2>&1
	status=$?
	[ ! -s "$scratch/build.log" ] || { cat "$scratch/build.log"; status=1; }
	result "$status" "build with $compiler, without a warning"
done
[ -e skillrating.so ] || finish

# The server needs the SQL functions, the magic block and the start, and nobody anything else.
others=$(nm -D --defined-only skillrating.so | awk '{print $3}' | grep -Ev '^(pg_finfo_)?skillrating_|^(Pg_magic_func|_PG_init)$')
[ -z "$others" ] || echo "$others"
result "${#others}" "no other symbol is exported"

# Inputs and parts of the install script must not share names (see Makefile).
shared=$(comm -12 <(cd sql && ls) <(cd test/sql && ls))
result "${#shared}" "no test shares a name with a file in sql"

# What may include what, no circles among the objects just built, what they call; and pages.
for script in layers macros oracles surface errors messages prose; do
	"test/$script.sh" >"$scratch/$script.log" 2>&1
	count_script $script $?
done

# What the library just built takes from the C library.
test/symbols.sh >"$scratch/symbols.log" 2>&1
count_script symbols $?

# The archive of what is committed, against what has just been built.
test/dist.sh >"$scratch/dist.log" 2>&1
count_script dist $?

"$make" -s -C test/core check >"$scratch/core.log" 2>&1
status=$?
count=$(grep -c '^\[       OK \]' "$scratch/core.log")
bad=$(grep -c '^\[  FAILED  \] .*[^0-9: ]' "$scratch/core.log")
passed=$((passed + count))
[ "$status" -eq 0 ] || { grep -v '^\[ RUN\|^\[       OK' "$scratch/core.log"; failed=$((failed + (bad > 0 ? bad : 1))); }
[ "$count" -gt 0 ] || { cat "$scratch/core.log"; result 1 "unit tests of the core ran"; }
echo "$count unit tests of the core passed, status $status"

# Matches of arbitrary bytes under each model; `make fuzz` searches for more.
test/fuzz.sh -n 20000 >"$scratch/fuzz.log" 2>&1
count_script fuzz $?

# pg_regress says "test NAME ... ok" up to version 15, and "ok N - NAME" after.
count_regress() {
	local good bad
	good=$(grep -cE '^test .* ok +[0-9]+ ms|^ok [0-9]+ ' "$1")
	bad=$(grep -cE '^test .* FAILED|^not ok [0-9]+ ' "$1")
	grep -E '^test |^(not )?ok [0-9]+ ' "$1"
	passed=$((passed + good))
	failed=$((failed + bad))
	# What neither passed nor failed did not run.
	[ $((good + bad)) -ge "$2" ] || result 1 "only $((good + bad)) of $2 tests in $1 ran"
}

tests=(test/sql/*.sql)
specs=(test/specs/*.spec)
one_cluster=(concurrent swapping dump docs parameters documents migration peers http clients open_match wasm_core pictures demo fronts)
other_clusters=(managed queue boards beside exchange partitions plproxy citus distributed processors backfill predict)
cat >"$scratch/server_tests.sh" <<'INNER'
scratch=$1
shift
seconds() { echo "$1 $((SECONDS - started))" >>"$scratch/seconds"; }
started=$SECONDS
"${MAKE:-make}" -s installcheck with_llvm=no ISOLATION= >"$scratch/regress.log" 2>&1
[ ! -s regression.diffs ] || cp regression.diffs "$scratch/regress.diffs"
seconds regress
started=$SECONDS
"${MAKE:-make}" -s installcheck with_llvm=no REGRESS= >"$scratch/isolation.log" 2>&1
[ ! -s regression.diffs ] || cp regression.diffs "$scratch/isolation.diffs"
seconds isolation
for script; do
	started=$SECONDS
	bash "test/$script.sh" >"$scratch/$script.log" 2>&1
	echo $? >"$scratch/$script.status"
	seconds "$script"
done
INNER
# Two at a time: either spends half of its time waiting for disks and for its own clients.
run_other_clusters &
beside=$!
test/cluster.sh bash "$scratch/server_tests.sh" "$scratch" "${one_cluster[@]}" >"$scratch/cluster.log" 2>&1
result $? "a cluster is made, used and removed"
wait "$beside"
beside=
[ -e "$scratch/docs.status" ] || { cat "$scratch/cluster.log"; }
for log in regress isolation; do
	[ -e "$scratch/$log.log" ] || { result 1 "$log tests ran"; continue; }
	count_regress "$scratch/$log.log" "$([ $log = regress ] && echo ${#tests[@]} || echo ${#specs[@]})"
	[ ! -e "$scratch/$log.diffs" ] || cat "$scratch/$log.diffs"
done
for script in "${one_cluster[@]}" servers changes work long_transactions "${other_clusters[@]}"; do
	[ -e "$scratch/$script.log" ] || { result 1 "test/$script.sh ran"; continue; }
	count_script "$script" "$(cat "$scratch/$script.status")"
done

finish
