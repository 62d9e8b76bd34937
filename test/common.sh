# What scripts share that work with servers, or a database, of their own: sourced by them, with
# the name that their checks begin with.
# shellcheck shell=bash

# Begin: work in $scratch, which is removed at the end with all servers in it.
begin() {
	title=$1
	failed=0
	bindir=$("${PG_CONFIG:-pg_config}" --bindir)
	scratch=$(mktemp -d)
	data=$CLUSTER_DIRECTORY/data
	trap clean_up EXIT
	cd "$scratch"
	# PostgreSQL's servers refuse root.
	as_server=()
	if [ "$(id -u)" -eq 0 ]; then
		owner=$(stat -c %U "$data")
		chown "$owner" "$scratch"
		as_server=(setpriv "--reuid=$owner" "--regid=$(id -g "$owner")" --init-groups --)
	fi
}

# Begin with a new database on the server that PGHOST leads to, which is dropped at the end.
begin_database() {
	title=$1
	failed=0
	database=skillrating_$1
	scratch=$(mktemp -d)
	trap 'rm -rf "$scratch"; psql -qX -d postgres -c "DROP DATABASE IF EXISTS $database"' EXIT
	psql -qX -d postgres -c "DROP DATABASE IF EXISTS $database" -c "CREATE DATABASE $database" 2>/dev/null
	export PGDATABASE=$database
}

clean_up() {
	local server
	for server in "$scratch"/*/postmaster.pid; do
		[ ! -e "$server" ] || pg_ctl -D "$(dirname "$server")" -m immediate stop 2>/dev/null || :
	done
	rm -rf "$scratch"
}

pg_ctl() { "${as_server[@]}" "$bindir/pg_ctl" -s "$@"; }
# cluster.sh ends what has the variable, and expects its server to be there.
start() { CLUSTER_DIRECTORY='' pg_ctl -D "$data" -l "$scratch/server.log" -w start; }

# A cluster with the staged extension in $scratch/NAME; its socket will be in $scratch.
make_cluster() {
	"${as_server[@]}" "$bindir/initdb" -D "$scratch/$1" -U postgres -A trust -E UTF8 \
		--locale="$(ask -c 'SELECT datcollate FROM pg_database WHERE datname = current_database()')" --no-sync >"$scratch/$1.initdb"
	cat >>"$scratch/$1/postgresql.conf" <<-CONF
		listen_addresses = ''
		unix_socket_directories = '$scratch'
		fsync = off
		include '$CLUSTER_DIRECTORY/extension.conf'
	CONF
}

check() {
	if [ "$2" = t ]; then echo "ok $title: $1"; else echo "not ok $title: $1 ($2)"; failed=1; fi
}
ask() { psql -qXAt -v ON_ERROR_STOP=1 "$@"; }
