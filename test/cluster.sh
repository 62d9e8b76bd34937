#!/bin/bash
# Run a command against a throw-away PostgreSQL cluster that has this
# extension, neither installing anything nor touching any other cluster.
#
#   test/cluster.sh COMMAND [ARGS...]
#
# The extension is built if need be and staged in a temporary directory, a new
# cluster there listens on a Unix socket in that directory only, and COMMAND
# runs in the repository's root with PGHOST, PGPORT, PGUSER (a superuser) and
# PGDATABASE leading to it.  At the end, however it comes about, all processes
# and the directory are gone; the status is COMMAND's, or 1 if it succeeded
# although the server crashed.  As root, the server runs as user postgres, or
# nobody where there is none, because PostgreSQL refuses root.
#
# Environment:
#   PG_CONFIG        the PostgreSQL to use (default: pg_config)
#   MAKEARGS         more arguments for make, as in "COPT='-O0 -g' PROFILE=-Wshadow"
#   CLUSTER_OPTIONS  server settings, as in "work_mem=64MB log_line_prefix='%p '",
#                    separated by spaces or newlines
#   CLUSTER_RUN_AS   "server": COMMAND runs as the server's user too
#   CLUSTER_LOG      file to copy the server's log to at the end
#   CLUSTER_PRELOAD  libraries that the server is started with, as LD_PRELOAD has them
# COMMAND also gets:
#   CLUSTER_DIRECTORY  the temporary directory; the data are in its data/
#   TMPDIR             a directory inside it
#   TEMP_CONFIG        a file of the settings that make a server find the staged
#                      extension, which PostgreSQL::Test::Cluster adds to its nodes

set -euo pipefail

say() { echo "cluster.sh: $*" >&2; }
die() { say "$@"; exit 1; }

[ $# -gt 0 ] || die "usage: $0 COMMAND [ARGS...]"

# Settings for other clusters would lead astray.
for name in "${!PG@}"; do
	case $name in
		PG_* | PGXS) ;;
		*) unset "$name" ;;
	esac
done

root=$(realpath -- "$(dirname -- "${BASH_SOURCE[0]}")/..")
export PG_CONFIG=${PG_CONFIG:-pg_config}
case $PG_CONFIG in */*) PG_CONFIG=$(realpath -s -- "$PG_CONFIG") ;; esac
bindir=$("$PG_CONFIG" --bindir) || die "PG_CONFIG=$PG_CONFIG does not work"
log=${CLUSTER_LOG:-}
[ -z "$log" ] || log=$(realpath -m -- "$log")

# The server's user must be able to read what is created here.
mask=$(umask)
umask 022

# The number is only part of the socket's name, as no TCP port is opened.
port=5432
as_server=()
as_command=()
server_user=
if [ "$(id -u)" -eq 0 ]; then
	server_user=postgres
	id "$server_user" >/dev/null 2>&1 || server_user=nobody
	# Unlike runuser, setpriv replaces itself by the command, so that signals
	# reach that, and asks nothing of PAM, which containers may lack.
	as_server=(setpriv "--reuid=$server_user" "--regid=$(id -g "$server_user")" --init-groups --)
	if [ "${CLUSTER_RUN_AS:-}" = server ]; then
		as_command=("${as_server[@]}")
		"${as_command[@]}" test -x "$root" || die "user $server_user cannot enter $root"
	fi
fi

# Print the words of a string that may contain quotes, one per line.
words() { printf '%s' "$1" | xargs -r printf '%s\n'; }

# The processes of COMMAND.  Everything it starts inherits the variable, and so
# can be found again, be it in a process group or session of its own.
child=
processes() {
	{
		[ -z "$child" ] || ! kill -0 "$child" 2>/dev/null || echo "$child"
		"${as_command[@]}" grep -lzxF -- "CLUSTER_DIRECTORY=$tmp" /proc/[0-9]*/environ 2>/dev/null | cut -d/ -f3 || :
	} | sort -u
}

end_processes() {
	local tenths=0 signal=TERM pids
	while pids=$(processes) && [ -n "$pids" ]; do
		# Repeating SIGTERM would disturb those who are busy obeying it.
		case $tenths in
			0 | 3? | 4?)
				# shellcheck disable=SC2086 # a list of words
				kill -s "$signal" $pids 2>/dev/null || : ;;
			50) say "cannot end processes" "$pids"; return ;;
		esac
		sleep 0.1
		tenths=$((tenths + 1))
		[ "$tenths" -lt 30 ] || signal=KILL
	done
}

pg_ctl() {
	HOME=$tmp "${as_server[@]}" "$bindir/pg_ctl" -s -D "$tmp/data" "$@"
}

tmp=
server=
clean_up() {
	local status=$? crash=
	# From here on, nothing may keep the rest from being done.
	trap '' HUP INT QUIT PIPE TERM
	set +e
	[ -n "$tmp" ] || exit "$status"
	cd "$tmp"
	end_processes
	if [ -e "$tmp/started" ]; then
		if ! pg_ctl status >/dev/null 2>&1; then
			crash="the server is not running any more"
		elif grep -Eq 'process.* was terminated by signal |PANIC: ' "$tmp/server.log"; then
			crash="the server crashed"
		fi
	fi
	if [ -n "$crash" ]; then
		say "$crash"
		[ "$status" -ne 0 ] || status=1
	fi
	# Before stopping, which adds lines of no interest.
	case $status in
		0 | 130 | 141) ;;
		*)
			if [ -s "$tmp/server.log" ]; then
				say "status $status; the server's log ends with:"
				tail -n 40 "$tmp/server.log" >&2
			fi ;;
	esac
	if pg_ctl status >/dev/null 2>&1; then
		pg_ctl stop -m fast -t 5 >/dev/null 2>&1 ||
			pg_ctl stop -m immediate -t 15 >/dev/null 2>&1 || say "cannot stop the server"
	fi
	# What has not even written its pid file yet would be missed above.
	[ -z "$server" ] || ! kill "$server" 2>/dev/null || wait "$server"
	if [ -n "$log" ] && [ -e "$tmp/server.log" ]; then
		cp -- "$tmp/server.log" "$log"
	fi
	cd /
	rm -rf -- "$tmp"
	exit "$status"
}
trap clean_up EXIT
# A second signal must not come between the end and clean_up().
for signal in HUP:129 INT:130 QUIT:131 PIPE:141 TERM:143; do
	# shellcheck disable=SC2064 # the status is that of this signal
	trap "trap '' HUP INT QUIT PIPE TERM; exit ${signal#*:}" "${signal%:*}"
done

# The shell handles a signal only between two foreground commands, but at once
# while it waits for one in the background; that must not ignore Ctrl-C though,
# as background commands of a script do.
run() {
	local status=0
	( trap - INT QUIT; CLUSTER_DIRECTORY=$tmp exec "$@" ) <&0 &
	child=$!
	wait "$child" || status=$?
	# wait also returns when Ctrl-C comes and COMMAND lives on, as psql does.
	while kill -0 "$child" 2>/dev/null; do
		status=0
		wait "$child" || status=$?
	done
	child=
	return "$status"
}

# A directory that will do for the server's user, for make, whose DESTDIR must
# be a plain word, and for the socket, whose path is limited to 107 bytes.
# Files that nobody keeps are made and dropped most quickly in memory, where there is room.
base=/tmp
free=$(df -k --output=avail /dev/shm 2>/dev/null | tail -n 1) || free=0
[ "$free" -lt 10000000 ] || base=/dev/shm
for base in "${TMPDIR:-$base}" /tmp; do
	[[ $base =~ ^/[A-Za-z0-9/._+-]{0,60}$ ]] || continue
	tmp=$(mktemp -d "$base/skillrating.XXXXXX" 2>/dev/null) || continue
	[ -z "$server_user" ] || chown "$server_user" "$tmp"
	"${as_server[@]}" test -w "$tmp" && break
	rmdir "$tmp"
	tmp=
done
[ -n "$tmp" ] || die "no usable temporary directory; is TMPDIR right?"
# The server's user may not be allowed into the directory we came from.
cd "$tmp"

words "${MAKEARGS:-}" >"$tmp/makeargs"
mapfile -t makeargs <"$tmp/makeargs"
stage() {
	# with_llvm=no, because bitcode would need clang and serves no test.
	run make -s -C "$root" "PG_CONFIG=$PG_CONFIG" with_llvm=no "$@" "${makeargs[@]}" install </dev/null >&2 ||
		die "make install failed"
}
stage "DESTDIR=$tmp/stage"

locale=C
[ "$(LC_ALL=C.UTF-8 locale charmap 2>/dev/null)" != UTF-8 ] || locale=C.UTF-8
# In a session of its own, as the server below, so that Ctrl-C cannot reach it:
# interrupted, initdb would leave a shared memory segment behind.
HOME=$tmp "${as_server[@]}" setsid -w "$bindir/initdb" -D "$tmp/data" -U postgres -A trust \
	-E UTF8 --locale="$locale" --no-sync >"$tmp/initdb.log" 2>&1 ||
	{ cat "$tmp/initdb.log" >&2; die "initdb failed"; }

# Debian lets PostgreSQL up to 17 find extensions under another root, and from
# 18 on PostgreSQL has search paths of its own.
has_setting() { "${as_server[@]}" "$bindir/postgres" -D "$tmp/data" -C "$1" >/dev/null 2>&1; }
sharedir=$("$PG_CONFIG" --sharedir)
pkglibdir=$("$PG_CONFIG" --pkglibdir)
if has_setting extension_control_path; then
	echo "extension_control_path = '$tmp/stage$sharedir:\$system'" >"$tmp/extension.conf"
elif has_setting extension_destdir; then
	echo "extension_destdir = '$tmp/stage'" >"$tmp/extension.conf"
elif [ -w "$sharedir/extension" ] && [ -w "$pkglibdir" ]; then
	say "this PostgreSQL cannot load an extension from elsewhere: installing it into $pkglibdir and $sharedir"
	stage
else
	die "this PostgreSQL cannot load an extension from elsewhere; rerun as a user who may write into $pkglibdir and $sharedir"
fi
echo "dynamic_library_path = '$tmp/stage$pkglibdir:\$libdir'" >>"$tmp/extension.conf"

{
	# fsync is for data that anyone wants to keep, and tests run few queries for
	# long enough that compiling them pays.  The log is searched for English
	# messages, whatever the caller's language.
	cat <<-EOF
		listen_addresses = ''
		unix_socket_directories = '$tmp'
		port = $port
		fsync = off
		jit = off
		lc_messages = 'C'
		include '$tmp/extension.conf'
	EOF
	words "${CLUSTER_OPTIONS:-}" | sed "s/\\\\/\\\\\\\\/g; s/'/''/g; s/ *= */ = '/; s/\$/'/"
} >>"$tmp/data/postgresql.conf"

export PGHOST=$tmp PGPORT=$port PGUSER=postgres PGDATABASE=postgres

# As a child of this shell and not of pg_ctl, because the first process of a
# container often does not care for orphans, which would leave a zombie.
HOME=$tmp LD_PRELOAD=${CLUSTER_PRELOAD:-} "${as_server[@]}" setsid "$bindir/postgres" -D "$tmp/data" \
	</dev/null >>"$tmp/server.log" 2>&1 &
server=$!
# The last line of this file becomes "ready" when connections are accepted.
until grep -qs '^ready' "$tmp/data/postmaster.pid"; do
	kill -0 "$server" 2>/dev/null || die "the server did not start"
	sleep 0.05
done
touch "$tmp/started"

mkdir "$tmp/tmp"
export TMPDIR=$tmp/tmp TEMP_CONFIG=$tmp/extension.conf
if [ ${#as_command[@]} -gt 0 ]; then
	chown "$server_user" "$tmp/tmp"
	export HOME=$tmp/tmp
fi
# Debian's psql and the like are wrappers that choose a version themselves.
[ "$(command -v psql || :)" = "$bindir/psql" ] || PATH=$bindir:$PATH

# At a terminal, Ctrl-C reaches COMMAND by itself, which then decides; without
# one, whoever interrupts this script means all of it.
[ ! -t 0 ] || trap : INT
cd "$root"
umask "$mask"
run "${as_command[@]}" "$@"
