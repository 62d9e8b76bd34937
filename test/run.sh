#!/bin/bash
# Run tests on throw-away clusters, and count.
#
#   test/run.sh check      the inner loop: `make check`
#   test/run.sh test       what one machine of two processors shows in fifteen minutes: `make test`
#   test/run.sh all        with what takes longer: `make test-all`, for each version
#
# It installs what is missing, builds with gcc (and, but for "check", with clang) and takes any
# warning for a failure.  What then runs are jobs in a queue, from which three workers take the next
# one (test/worker.sh), each with a cluster of its own, so that nothing that a test counts or sets
# is another test's.  The last line is "N passed, N failed".
#
# Environment:
#   JOBS   how many workers (default: 3, because many jobs wait for clients and clocks)

set -uo pipefail

cd "$(dirname "${BASH_SOURCE[0]}")/.." || exit 1
level=${1:-test}
make=${MAKE:-make}
jobs=${JOBS:-3}
passed=0
failed=0
scratch=$(mktemp -d)
workers=()
# Workers remove their clusters before they end.
trap '[ ${#workers[@]} -eq 0 ] || { kill "${workers[@]}"; wait "${workers[@]}"; } 2>/dev/null; rm -rf "$scratch"' EXIT
trap "trap '' INT TERM; exit 130" INT
trap "trap '' INT TERM; exit 143" TERM

result() {
	if [ "$1" -eq 0 ]; then
		passed=$((passed + 1))
		echo "ok      $2"
	else
		failed=$((failed + 1))
		echo "FAILED  $2"
	fi
}

# What could not run for want of something is neither passed nor failed, and must be seen.
finish() {
	cat "$scratch"/*.log 2>/dev/null | grep '^not run '
	echo "$passed passed, $failed failed"
	[ "$failed" -eq 0 ]
	exit
}

#
# ---- Builds ----
#

# Warnings are about our code only, as the server's headers are system headers.
build() {
	local compiler=$1 extra=-Wmissing-variable-declarations status=0
	# The server is built with this one from version 18 on; older compilers lack it.
	"$compiler" -Werror $extra -x c -fsyntax-only /dev/null 2>/dev/null || extra=
	"$make" -s -j"$jobs" CC="$compiler" COPT="-Werror $extra" with_llvm=no >"$scratch/build" 2>&1 || status=$?
	[ ! -s "$scratch/build" ] || { cat "$scratch/build"; status=1; }
	result "$status" "build with $compiler, without a warning"
}

if [ "$level" = check ]; then
	test/prerequisites.sh libcmocka-dev || { result 1 "prerequisites"; finish; }
else
	test/prerequisites.sh clang libcmocka-dev || { result 1 "prerequisites"; finish; }
	"$make" -s clean KEEP=build >/dev/null 2>&1
	build clang
	"$make" -s clean KEEP=build >/dev/null 2>&1
fi
build gcc
[ -e skillrating.so ] || finish
"$make" -s -j"$jobs" -C test/core all fuzz >"$scratch/build" 2>&1
status=$?
[ "$status" -eq 0 ] || cat "$scratch/build"
result "$status" "build of the unit tests"

# The server needs the SQL functions, the magic block and the start, and nobody anything else.
others=$(nm -D --defined-only skillrating.so | awk '{print $3}' | grep -Ev '^(pg_finfo_)?skillrating_|^(Pg_magic_func|_PG_init)$')
[ -z "$others" ] || echo "$others"
result "${#others}" "no other symbol is exported"

# Inputs and parts of the install script must not share names (see Makefile).
shared=$(comm -12 <(cd sql && ls) <(cd test/sql && ls))
result "${#shared}" "no test shares a name with a file in sql"

#
# ---- The queue ----
#

queue=$scratch/queue
# Not every oracle with every function bent, which takes minutes.
[ "$level" = all ] || export ORACLES=listed
# The names of files in a folder, with what is left out; and words in lines of so many.
names() { (cd "$1" && ls -- *."$2") | sed "s/\.$2\$//" | grep -vxF -f <(printf '%s\n' "$3" | tr ' ' '\n'); }
batches() { xargs -n "$2" echo "$1"; }

# The longest come first, so that no worker is alone at the end; those of SQL are not in "check".
long_sql="ladder_property ladder_horizon ladder_corrections ladder_forget"
long_core="properties models tune split_many elo_mmr"
# Nor are these: each function with each trap that the owner of a ladder could set, with each
# kind of argument (a minute of a processor), and what takes ten seconds or more and is about sizes,
# memory, an option, or one call.
later_sql="ladder_hostile leaves_nothing ladder_boards ladder_reset ladder_seasons"
later_sql+=" session_memory suggest_model no_peeking"
# And out of "test": each setting of a session, each type as an identifier, plans of parallel workers,
# large batches, states and memory; ranks that are counted, all of them; and what is about the
# implementations of others.
last_sql="ladder_settings bad_ids solve_parallel ladder_bulk large_results memory_limit ladder_ranks"
last_core="size_advantage_simulation"
last_scripts="script peers
script open_match"

# What is busy, in one list; and in another what waits for clients, clocks and other servers.
{
	[ "$level" = check ] || for name in $long_sql $later_sql; do echo "sql $name"; done
	[ "$level" != all ] || for name in $last_sql; do echo "sql $name"; done
	for name in $long_core; do echo "core $name"; done
	[ "$level" != all ] || for name in $last_core; do echo "core $name"; done
	echo "script oracles"
	names test/specs spec "" | batches spec 10
	names test/sql sql "$long_sql $later_sql $last_sql" | batches sql 10
	echo "fuzz $([ "$level" = check ] && echo 300 || echo 20000)"
	names test/core c "" | sed -n 's/^test_//p' | grep -vxF -f <(printf '%s\n' $long_core $last_core) | sed 's/^/core /'
	for name in layers macros surface errors messages prose symbols; do echo "script $name"; done
} >"$scratch/busy"
logical='wal_level=logical max_prepared_transactions=10'
[ "$level" = check ] || {
	printf 'own %s\n' "maintenance max_prepared_transactions=10" "servers $logical" backfill queue foreign recipes \
		subscriber "long_transactions max_locks_per_transaction=16 max_connections=20" boards beside citus
	printf 'script %s\n' docs clients promoting own_tables concurrent http pictures demo migration parameters dump
	[ "$level" != all ] || echo "$last_scripts"
} >"$scratch/waiting"
touch "$scratch/waiting"
# A build of its own, and all regression tests again; what tests the benchmark of forecasts; and
# servers without instructions of the processor, or behind a proxy.
[ "$level" != all ] || printf '%s\n' "script sanitizers" "script dist" "own predict" "own processors" "own plproxy" >>"$scratch/busy"
# One of each at a time, so that the processors are busy.
paste -d '\n' "$scratch/waiting" "$scratch/busy" | grep . >"$queue"
[ "$level" != all ] || export CRON=yes KILLS=20 CONCURRENT_SECONDS=60 OWN_TABLES_SECONDS=60 BOARDS_SECONDS=60 LIFE_STEPS=120 \
	TICKETS=50000 BACKFILL_KILLS=25 PROCESSORS_MATCHES=300

for ((i = 0; i < jobs; i++)); do
	test/cluster.sh bash test/worker.sh "$scratch" 2>"$scratch/worker$i" &
	workers+=($!)
done
for ((i = 0; i < jobs; i++)); do
	wait "${workers[i]}"
	status=$?
	[ "$status" -eq 0 ] || cat "$scratch/worker$i"
	result "$status" "cluster $((i + 1)) is made, used and removed"
done
workers=()

#
# ---- The count ----
#

# cmocka, pg_regress up to version 15 and after, and the scripts, each in its words; and how many
# tests a job has at least.
count_job() {
	local log=$scratch/$1.log status good bad least=1
	status=$(cat "$scratch/$1.status" 2>/dev/null || echo 1)
	good=$(grep -cE '^\[       OK \]|^test .* ok +[0-9]+ ms|^ok ' "$log")
	bad=$(grep -cE '^\[  FAILED  \] .*[^0-9: ]|^test .* FAILED|^not ok ' "$log")
	case $2 in sql\ * | spec\ *) least=$(($(wc -w <<<"$2") - 1)) ;; esac
	! grep -qE '^(not run|skipped)' "$log" || least=0
	if [ "$bad" -eq 0 ] && { [ "$status" -ne 0 ] || [ "$good" -lt "$least" ]; }; then
		echo "status $status, $good of $least tests"
		bad=1
	fi
	[ "$bad" -eq 0 ] || { echo "FAILED  $2"; grep -vE '^\[ RUN|^\[       OK|^ok ' "$log"; }
	passed=$((passed + good))
	failed=$((failed + bad))
}

number=0
while read -r job; do
	number=$((number + 1))
	[ -e "$scratch/$number.log" ] || { result 1 "$job ran"; continue; }
	count_job "$number" "$job"
done <"$queue"
finish
