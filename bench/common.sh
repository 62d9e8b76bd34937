# What the benchmarks share: figures, line by line in files, and what to print of
# them.  To be sourced with $scale set, or before begin.
# shellcheck shell=bash disable=SC2154

# Begin a script of that name: on a cluster with these options besides, with so many
# rounds unless ROUNDS says otherwise, and the heading of what is reported.
begin() {
	local script=$1
	rounds=${ROUNDS:-$2}
	scale=${SCALE:-1}
	if [ -z "${CLUSTER_DIRECTORY:-}" ]; then
		export CLUSTER_OPTIONS="shared_buffers=1GB max_wal_size=16GB checkpoint_timeout=1h synchronous_commit=off jit=off max_parallel_workers_per_gather=0 ${3:-}"
		exec test/cluster.sh "$script"
	fi
	scratch=$(mktemp -d)
	trap 'rm -rf "$scratch"' EXIT
	echo "$(sql -c 'SHOW server_version'), $(nproc) cores, load $(cut -d' ' -f1 /proc/loadavg), scale $scale, $rounds rounds"
	sql -c 'CREATE EXTENSION IF NOT EXISTS skillrating'
	echo
	printf '%-62s %6s  %s\n' 'what against what' 'ratio' 'range             target'
}

sized() { awk -v n="$1" -v s="$scale" 'BEGIN { printf "%d", n * s }'; }
sql() { psql -qXAt -v ON_ERROR_STOP=1 "$@"; }
# Seconds that psql takes for a file or a command, without starting psql.
timed() {
	{ printf '%s\n' '\timing on'; cat; } | sql | awk '/^Time: / { ms += $2 } END { print ms / 1000 }'
}
# Median, least and greatest of the ratios of two files of figures, line by line.  A figure of 0 is
# below the resolution of its clock: then there is no ratio, and a greater SCALE has one.
report() {
	paste "$2" "$3" | awk '{ print(($1 > 0 && $2 > 0) ? $1 / $2 : "none") }' | sort -g |
		awk -v name="$1" -v target="$4" '$1 == "none" { none = 1 } { r[NR] = $1 }
			END { if (none) printf "%-62s   none  (too short to measure)  %s\n", name, target; else printf "%-62s %6.2f  (%.2f to %.2f)  %s\n", name, r[int((NR + 1) / 2)], r[1], r[NR], target }'
}
median() { sort -g "$1" | awk '{ r[NR] = $1 } END { print r[int((NR + 1) / 2)] }'; }

# Seconds of the processor that all processes of the server have taken, the ended ones too.
processor() {
	[ -n "${server_pid:-}" ] || server_pid=$(sql -c "SELECT split_part(pg_read_file('postmaster.pid'), E'\n', 1)")
	{ cat "/proc/$server_pid/stat"; for pid in $(cat "/proc/$server_pid/task/$server_pid/children"); do cat "/proc/$pid/stat" 2>/dev/null || :; done; } |
		sed 's/^.*) //' | awk 'NR == 1 { s += $14 + $15 } { s += $12 + $13 } END { printf "%.2f\n", s / 100 }'
}
