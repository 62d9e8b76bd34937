#!/bin/bash
# Take jobs from a queue and do them, one after the other, on one cluster.
#
#   test/cluster.sh bash test/worker.sh DIRECTORY
#
# test/run.sh starts several of these.  DIRECTORY has the file "queue", a line for each job; what a
# job prints goes there into NUMBER.log, and its status into NUMBER.status.  Prints each job with the
# seconds that it took.  A job is
#
#   core NAME          a program of unit tests
#   fuzz COUNT         matches of arbitrary bytes under each model; `make fuzz` searches for more
#   sql NAME...        regression tests
#   spec NAME...       isolation tests
#   script NAME        test/NAME.sh, on this cluster if it needs one
#   own NAME SETTING...   test/NAME.sh, on a cluster of its own

set -uo pipefail
directory=$1
root=$PWD
make=${MAKE:-make}
# Another cluster's files must not be in this one's.
outside=$(dirname "$CLUSTER_DIRECTORY")

# The next line of the queue and its number; fails at the end.
next_job() {
	exec 9<>"$directory/queue.lock"
	flock 9
	number=$(($(cat "$directory/taken" 2>/dev/null || echo 0) + 1))
	job=$(sed -n "${number}p" "$directory/queue")
	echo "$number" >"$directory/taken"
	exec 9>&-
	[ -n "$job" ]
}

# Regression or isolation tests, as in a build elsewhere: outputs may not be where another worker's
# are.
regress() {
	local output=$TMPDIR/$number status=0
	mkdir "$output"
	(cd "$output" && "$make" -s -f "$root/Makefile" VPATH="$root" with_llvm=no REGRESS= ISOLATION= "$1=${*:2}" installcheck) || status=$?
	[ ! -s "$output/regression.diffs" ] || cat "$output/regression.diffs"
	rm -rf "$output"
	return "$status"
}

work() {
	local kind=$1
	shift
	case $kind in
		core) "build/core/test_$1" ;;
		fuzz) test/fuzz.sh -n "$1" ;;
		sql) regress REGRESS "$@" ;;
		spec) regress ISOLATION "$@" ;;
		script) bash "test/$1.sh" ;;
		own) TMPDIR=$outside CLUSTER_OPTIONS=${*:2} test/cluster.sh bash "test/$1.sh" ;;
	esac
}

while next_job; do
	started=$SECONDS
	# shellcheck disable=SC2086 # a list of words
	work $job >"$directory/$number.log" 2>&1 </dev/null
	echo $? >"$directory/$number.status"
	echo "$((SECONDS - started)) s $job"
done
