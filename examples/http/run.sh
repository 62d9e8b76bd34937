#!/bin/bash
# Start the HTTP layer on a throw-away cluster, with what it needs installed, until Ctrl-C.
#
#   examples/http/run.sh
#
# Environment: PORT (default 8080), GAME_SECRET, ADMIN_SECRET (made up and shown if not given).

set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."

if [ -z "${CLUSTER_DIRECTORY:-}" ]; then
	command -v node >/dev/null && command -v npm >/dev/null || test/prerequisites.sh nodejs npm
	test/prerequisites.sh
	make -s
	exec test/cluster.sh bash examples/http/run.sh
fi

modules=$(test/node_modules.sh examples/http)
psql -qX -v ON_ERROR_STOP=1 -f examples/http/setup.sql >/dev/null
secret() { od -An -N16 -tx1 /dev/urandom | tr -d ' \n'; }
export GAME_SECRET=${GAME_SECRET:-$(secret)} ADMIN_SECRET=${ADMIN_SECRET:-$(secret)}
export PGUSER=game_http NODE_PATH=$modules
cat <<END
The game server's secret is $GAME_SECRET, the administrator's $ADMIN_SECRET. Try:

  curl -H 'x-secret: $GAME_SECRET' http://127.0.0.1:${PORT:-8080}/update -d '
    {"round": "one", "server": "here", "map": "veil",
     "teams": [{"rank": 1, "players": [{"id": "76561190000000001"}]},
               {"rank": 2, "players": [{"id": "76561190000000002"}]}]}'
  curl http://127.0.0.1:${PORT:-8080}/leaderboard

END
node examples/http/server.js
