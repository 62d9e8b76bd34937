#!/bin/bash
# Run the back ends of examples/clients on the server that PGHOST leads to, a server of
# test/cluster.sh.
#
#   test/clients.sh
#
# All must print examples/clients/expected.txt, though each transaction that reports a game
# fails twice, with 40001 and 40P01; the ladder must be right at the end.  And again through
# PgBouncer, in transaction mode.  Prints lines "ok clients ..." or "not ok clients ...", and
# "not run clients ..." for what is missing: Node and npm, Debian's python3-psycopg, golang-go
# with golang-github-jackc-pgx-v4-dev, and pgbouncer.

set -uo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.." || exit 1

scratch=$(mktemp -d)
clean_up() {
	psql -qX -d postgres -c 'DROP DATABASE IF EXISTS skillrating_clients WITH (FORCE)' 2>/dev/null
	psql -qX -d postgres -c 'DROP ROLE IF EXISTS back_end, arena_owner' 2>/dev/null
}
bouncer_pid=
trap '[ -z "$bouncer_pid" ] || kill "$bouncer_pid" 2>/dev/null; clean_up; rm -rf "$scratch"' EXIT
ask() { psql -qXAt -d skillrating_clients -c "$1"; }
status=0
result() {
	if [ "$1" -eq 0 ]; then
		echo "ok clients $2"
	else
		echo "not ok clients $2"
		status=1
	fi
}

# What a client needs that is not here, or nothing.
missing() {
	case $1 in
		pg | postgres) command -v node >/dev/null && command -v npm >/dev/null || echo "there is no node and npm"
			test/node_modules.sh examples/clients >/dev/null 2>&1 || echo "npm cannot install its packages" ;;
		psycopg) /usr/bin/python3 -c 'import psycopg' 2>/dev/null || echo "there is no python3-psycopg" ;;
		pgx) command -v go >/dev/null || echo "there is no go"
			[ -d /usr/share/gocode/src/github.com/jackc/pgx/v4 ] || echo "there is no golang-github-jackc-pgx-v4-dev" ;;
	esac | head -n 1
}

# Two failures before each row of site.game.  A sequence does not go back with its transaction.
export CLIENTS_SQL="
	CREATE SEQUENCE site.attempt;
	CREATE FUNCTION site.fail() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER AS \$\$
	BEGIN
	    CASE nextval('site.attempt') % 3
	        WHEN 1 THEN RAISE 'in the way' USING ERRCODE = '40001';
	        WHEN 2 THEN RAISE 'in the way' USING ERRCODE = '40P01';
	        ELSE RETURN NEW;
	    END CASE;
	END \$\$;
	CREATE TRIGGER fail BEFORE INSERT ON site.game FOR EACH ROW EXECUTE FUNCTION site.fail();"

# PgBouncer, before the server, with fewer connections than the back ends open.  It refuses
# root, as the server does, and ends with the cluster at the latest.
start_bouncer() {
	local as_owner=() owner
	mkdir "$scratch/bouncer"
	cat >"$scratch/bouncer/ini" <<-INI
		[databases]
		skillrating_clients = host=$PGHOST port=$PGPORT
		[pgbouncer]
		listen_addr =
		listen_port = 6432
		unix_socket_dir = $scratch/bouncer
		auth_type = trust
		auth_file = $scratch/bouncer/users
		pool_mode = transaction
		default_pool_size = 2
		logfile = $scratch/bouncer/log
		pidfile = $scratch/bouncer/pid
	INI
	echo '"back_end" ""' >"$scratch/bouncer/users"
	if [ "$(id -u)" -eq 0 ]; then
		owner=$(stat -c %U "$CLUSTER_DIRECTORY/data")
		chmod 711 "$scratch"
		chown -R "$owner" "$scratch/bouncer"
		as_owner=(setpriv "--reuid=$owner" "--regid=$(id -g "$owner")" --init-groups --)
	fi
	"${as_owner[@]}" "$bouncer" -q "$scratch/bouncer/ini" &
	bouncer_pid=$!
	until [ -e "$scratch/bouncer/.s.PGSQL.6432" ]; do
		kill -0 "$bouncer_pid" 2>/dev/null || { cat "$scratch/bouncer/log"; return 1; }
		sleep 0.05
	done
}

# A back end, and how it connects.
try() {
	local client=$1 how=$2 reports attempts
	clean_up
	examples/clients/run.sh "$client" >"$scratch/printed" 2>"$scratch/errors"
	result $? "$client$how: it runs"
	cat "$scratch/errors"
	[ -z "${CLIENTS_ACCEPT:-}" ] || cp "$scratch/printed" examples/clients/expected.txt
	diff examples/clients/expected.txt "$scratch/printed"
	result $? "$client$how: it prints what the others print"
	reports=$(grep -c '^report' examples/clients/expected.txt)
	attempts=$(ask 'SELECT last_value FROM site.attempt')
	[ "${attempts:-0}" -eq $((3 * reports)) ]
	result $? "$client$how: $reports reports took ${attempts:-no} attempts"
	[ "$(ask "SELECT bool_and(ok) FROM skillrating.verify('arena')")" = t ]
	result $? "$client$how: the ladder is right"
}

# Debian has it where only root looks.
bouncer=$(PATH=$PATH:/usr/sbin command -v pgbouncer)
clients=()
for client in pg postgres psycopg pgx; do
	why=$(missing $client)
	[ -z "$why" ] || { echo "not run clients: $client: $why"; continue; }
	clients+=("$client")
	try $client ""
done
if [ -z "$bouncer" ]; then
	echo "not run clients: there is no pgbouncer"
	exit $status
fi
start_bouncer
result $? "PgBouncer starts"
for client in "${clients[@]}"; do
	CLIENTS_HOST=$scratch/bouncer CLIENTS_PORT=6432 try "$client" " through PgBouncer"
done
kill "$bouncer_pid" 2>/dev/null
wait "$bouncer_pid"
exit $status
