#!/bin/bash
# Ladders on two servers, reached by their names through PL/Proxy, as examples/plproxy says.
#
#   test/cluster.sh test/plproxy.sh
#
# Prints one line for each check, "ok NAME" or "not ok NAME", and fails if any check does.
# Where PL/Proxy is not installed it prints a line "not run plproxy ...", which counts as neither.

set -euo pipefail

root=$(realpath "$(dirname "${BASH_SOURCE[0]}")/..")
. "$root/test/common.sh"
begin plproxy
[ "$(ask -c "SELECT count(*) FROM pg_available_extensions WHERE name = 'plproxy'")" = 1 ] ||
	{ echo "not run plproxy: PL/Proxy is not installed"; exit 0; }

for server in 1 2; do
	make_cluster "server$server"
	CLUSTER_DIRECTORY='' pg_ctl -D "$scratch/server$server" -l "$scratch/server$server.log" -o "-p 644$server" -w start
done
on() { ask -h "$scratch" -p "644$1" -U postgres -d postgres "${@:2}"; }
connection() { echo "host=$scratch port=644$1 user=game_router dbname=postgres"; }
for server in 1 2; do
	on $server -c "CREATE EXTENSION skillrating" -c "CREATE ROLE game_router LOGIN" \
		-c "GRANT CREATE ON DATABASE postgres TO game_router"
done

ask -v player=bigint -v match=bigint -f "$root/examples/plproxy/router.sql"
ask <<SQL
CREATE ROLE game LOGIN;
GRANT USAGE ON SCHEMA ladders TO game;
GRANT EXECUTE ON FUNCTION ladders.leaderboard, ladders.report_match, ladders.preview, ladders.history, ladders.place_of, ladders.lobby, ladders.match_outcome TO game;
INSERT INTO ladders.server VALUES ('one', '$(connection 1)'), ('two', '$(connection 2)');
INSERT INTO ladders.place VALUES ('eu', 'one'), ('us', 'two'), ('asia', 'two');
SELECT ladders.create_ladder(l, 'trueskill', late => 'append') FROM unnest('{eu,us,asia}'::text[]) AS l \g /dev/null
SQL
game() { ask -U game "$@"; }
fails() { (game -v VERBOSITY=sqlstate -c "$1" 2>&1 || :) | grep -o 'ERROR: .*'; }

# ---- Every ladder is on its own server, and called in the same way ----

ladders="SELECT string_agg(nspname, ' ' ORDER BY nspname) FROM pg_namespace WHERE to_regclass(format('%I.rated_match', nspname)) IS NOT NULL"
check "ladders are where they belong" "$([ "$(on 1 -c "$ladders"), $(on 2 -c "$ladders")" = 'eu, asia us' ] && echo t)"
for ladder in eu us asia; do
	game -o /dev/null -c "SELECT ladders.report_match('$ladder', m, ARRAY[m % 20, (m + 1) % 20, (m + 2) % 20, (m + 3) % 20], '{1, 1, 2, 2}', ARRAY[m % 2 + 1, m % 2 + 1, 2 - m % 2, 2 - m % 2]::int[], played_at => '2026-01-01'::timestamptz + m * interval '1 minute')
		FROM generate_series(1, 60::bigint) AS m"
done
reads="SELECT * FROM ROOM.leaderboard('eu', 5);
SELECT ROOM.place_of('eu', 7);
SELECT * FROM ROOM.history('eu', 7, 3);
SELECT * FROM ROOM.preview('eu', '{1, 2, 3, 4}'::bigint[], '{1, 1, 2, 2}');
SELECT player_id, team FROM skillrating.split_teams(ROOM.lobby('eu', '{1, 2, 3, 4, 5, 6}'::bigint[]));
SELECT * FROM ROOM.match_outcome('eu', 7);"
game -f - <<<"${reads//ROOM/ladders}" >through.out
on 1 -f - <<<"${reads//ROOM/skillrating}" >direct.out
check "what is read through it is what the server has" "$([ -s direct.out ] && cmp -s through.out direct.out && echo t || diff through.out direct.out | head -5)"
again="SELECT bool_and(outcome = 'repeated') FROM ladders.report_match('eu', 61, '{1, 2, 3, 4}'::bigint[], '{1, 1, 2, 2}', '{1, 1, 2, 2}', played_at => '2026-01-02')"
check "a report that is sent twice counts once" "$([ "$(game -c "$again" -c "$again" | tr '\n' ' ')" = 'f t ' ] && echo t)"
check "one query reads the boards of all ladders" \
	"$(game -c "SELECT count(*) = 9 FROM unnest('{eu,us,asia}'::text[]) AS l CROSS JOIN LATERAL ladders.leaderboard(l, 3)")"

# ---- Every function reaches the function of the same name ----

# A call with nulls says what the function itself says of them, whatever that is.
ask -c "SELECT format('SELECT * FROM ladders.%I(%s)', p.proname, concat_ws(', ', '''eu''', CASE WHEN p.pronargs - p.pronargdefaults > 1 THEN repeat('NULL, ', p.pronargs - p.pronargdefaults - 2) || 'NULL' END))
	FROM pg_proc AS p JOIN pg_language AS l ON l.oid = p.prolang
	WHERE p.pronamespace = 'ladders'::regnamespace AND l.lanname = 'plproxy' AND p.proname NOT IN ('create_ladder', 'drop_ladder', 'reset_ladder')
	ORDER BY p.proname" >calls.sql
while read -r call; do
	(ask -c "$call" 2>&1 || :) | grep -E 'PL/Proxy|does not exist|cannot cast|type mismatch' | grep -v 'REMOTE ERROR' || :
done <calls.sql >wrong.out
check "every function is called with its own parameters and results" "$([ "$(wc -l <calls.sql)" -gt 35 ] && [ ! -s wrong.out ] && echo t || cat wrong.out)"

# ---- Errors and rights ----

check "a ladder that is nowhere is an error" "$([ "$(fails "SELECT ladders.leaderboard('moon')")" = 'ERROR:  3F000' ] && echo t)"
check "who may call cannot read how to connect" "$([ "$(fails "SELECT connection FROM ladders.server")" = 'ERROR:  42501' ] && [ "$(fails "SELECT ladders.connection_of('eu')")" = 'ERROR:  42501' ] && echo t)"
check "nor call what was not granted" "$([ "$(fails "SELECT ladders.drop_ladder('eu')")" = 'ERROR:  42501' ] && echo t)"
check "nor reach what the router's role may not" "$([ "$(on 1 -c "SELECT has_database_privilege('game_router', 'postgres', 'CREATE') AND NOT rolsuper FROM pg_roles WHERE rolname = 'game_router'")" = t ] && echo t)"
pg_ctl -D "$scratch/server2" -m immediate stop
check "a server that is down is an error for its ladders" "$(game -c "SELECT ladders.leaderboard('us')" >/dev/null 2>&1 || echo t)"
check "and the others go on" "$(game -c "SELECT count(*) = 4 FROM ladders.report_match('eu', 62, '{1, 2, 3, 4}'::bigint[], '{1, 1, 2, 2}', '{1, 1, 2, 2}')")"
CLUSTER_DIRECTORY='' pg_ctl -D "$scratch/server2" -l "$scratch/server2.log" -o "-p 6442" -w start
check "and it is there again without a new session of the router" \
	"$(game -c "SELECT count(*) = 4 FROM ladders.report_match('us', 61, '{1, 2, 3, 4}'::bigint[], '{1, 1, 2, 2}', '{1, 1, 2, 2}')")"

# ---- Moving, with clients who go on ----

for client in 1 2 3 4; do
	(for _ in $(seq 40); do
		match=$((client * 100000 + RANDOM))
		until [ "$(game -c "SELECT count(*) FROM ladders.report_match('eu', $match, ARRAY[$client, $client + 5]::bigint[], '{1, 2}', '{1, 2}')" 2>>refused.log)" = 2 ]; do sleep 0.1; done
		echo $match
	done >"reported.$client") &
done
sleep 1
"$root/examples/plproxy/move.sh" eu two >move.log 2>&1 && moved=t || moved=$(cat move.log)
wait
check "a ladder moves" "$moved"
check "it is on the other server only" "$([ "$(on 1 -c "$ladders"), $(on 2 -c "$ladders")" = ', asia eu us' ] && echo t)"
sort -nu reported.* >reported
on 2 -c "SELECT match_id FROM eu.rated_match WHERE status = 'rated' AND match_id > 62 ORDER BY 1" >rated
check "what clients reported meanwhile is there once" "$([ -s reported ] && cmp -s reported rated && echo t || diff reported rated | head -3)"
check "and verifies" "$(on 2 -c "SELECT bool_and(ok) FROM skillrating.verify('eu')")"
check "to move it where it is changes nothing" "$("$root/examples/plproxy/move.sh" eu two >/dev/null 2>&1 || game -c "SELECT count(*) = 1 FROM ladders.leaderboard('eu', 1)")"

# What fails on the way leaves the ladder where it is.
on 1 -c "CREATE SCHEMA us_moving" -c "CREATE TABLE us_moving.keep ()"
check "a move over something else is an error" "$("$root/examples/plproxy/move.sh" us one >/dev/null 2>&1 || echo t)"
check "and leaves that alone" "$(on 1 -c "SELECT to_regclass('us_moving.keep') IS NOT NULL" -c "DROP SCHEMA us_moving CASCADE" 2>/dev/null)"
on 1 -c "REVOKE CREATE ON DATABASE postgres FROM game_router"
check "a move that fails is an error" "$("$root/examples/plproxy/move.sh" us one >/dev/null 2>&1 || echo t)"
check "and the ladder goes on" "$(game -c "SELECT count(*) = 2 FROM ladders.report_match('us', 62, '{1, 2}'::bigint[], '{1, 2}', '{1, 2}')")"
check "no server process died" "$(! grep -E 'was terminated by signal|PANIC: ' "$scratch"/*.log "$CLUSTER_DIRECTORY/server.log" >&2 && echo t)"
exit $failed
