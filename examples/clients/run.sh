#!/bin/bash
# Run one of the back ends on a throw-away cluster, with what it needs installed.
#
#   examples/clients/run.sh pg|postgres|psycopg|pgx
#
# On a cluster of test/cluster.sh it makes and leaves a database skillrating_clients, and
# installs nothing but packages of npm; so test/clients.sh calls it.  CLIENTS_SQL is run in
# that database before, and CLIENTS_HOST and CLIENTS_PORT are where the back end connects.

set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."
client=${1:-}

case $client in
	pg | postgres) packages=(nodejs npm) ;;
	psycopg) packages=(python3-psycopg) ;;
	pgx) packages=(golang-go golang-github-jackc-pgx-v4-dev) ;;
	*) echo "usage: $0 pg|postgres|psycopg|pgx" >&2; exit 2 ;;
esac
if [ -z "${CLUSTER_DIRECTORY:-}" ]; then
	# Node's own packages bring npm along.
	if [ "${packages[0]}" != nodejs ] || ! command -v node >/dev/null || ! command -v npm >/dev/null; then
		test/prerequisites.sh "${packages[@]}"
	fi
	make -s
	exec test/cluster.sh bash examples/clients/run.sh "$client"
fi

export PGDATABASE=skillrating_clients
psql -qX -d postgres -c "CREATE DATABASE $PGDATABASE"
psql -qX -v ON_ERROR_STOP=1 -f examples/clients/setup.sql >/dev/null
[ -z "${CLIENTS_SQL:-}" ] || psql -qX -v ON_ERROR_STOP=1 -c "$CLIENTS_SQL" >/dev/null

export PGHOST=${CLIENTS_HOST:-$PGHOST} PGPORT=${CLIENTS_PORT:-$PGPORT}
case $client in
	pg | postgres)
		NODE_PATH=$(test/node_modules.sh examples/clients)
		export NODE_PATH
		node "examples/clients/back_end_$client.js" ;;
	psycopg)
		# Debian's own, as another one in the path does not know of Debian's packages.
		/usr/bin/python3 examples/clients/back_end_psycopg.py ;;
	pgx)
		# Debian's sources are laid out for this mode; nothing is fetched.
		GO111MODULE=off GOPATH=/usr/share/gocode GOCACHE=$PWD/build/go GOFLAGS='' \
			go run examples/clients/back_end_pgx.go examples/clients/games.json ;;
esac
