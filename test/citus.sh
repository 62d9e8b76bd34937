#!/bin/bash
# Ladders and histories on a Citus cluster of a coordinator and two workers, on this machine.
#
#   test/cluster.sh test/citus.sh
#
# Prints one line for each check, "ok NAME" or "not ok NAME", and fails if any check does.
# Where Citus is not installed it prints a line "not run citus ...", which counts as neither.

set -euo pipefail

. "$(dirname "${BASH_SOURCE[0]}")/common.sh"
begin citus
[ "$(ask -c "SELECT count(*) FROM pg_available_extensions WHERE name = 'citus'")" = 1 ] ||
	{ echo "not run citus: Citus is not installed"; exit 0; }

# Nodes reach each other by TCP only.
port=$((20000 + $$ % 20000))
for node in 0 1 2; do
	make_cluster "node$node"
	cat >>"$scratch/node$node/postgresql.conf" <<-CONF
		shared_preload_libraries = 'citus'
		listen_addresses = '127.0.0.1'
		port = $((port + node))
		citus.node_conninfo = 'sslmode=disable'
	CONF
	CLUSTER_DIRECTORY='' pg_ctl -D "$scratch/node$node" -l "$scratch/node$node.log" -w start
done
on() { ask -h "$scratch" -p "$((port + $1))" -U postgres -d postgres "${@:2}"; }
for node in 0 1 2; do on $node -c "CREATE EXTENSION citus"; done
on 0 -o /dev/null -c "SELECT citus_set_coordinator_host('127.0.0.1', $port)" \
	-c "SELECT citus_add_node('127.0.0.1', $((port + 1))), citus_add_node('127.0.0.1', $((port + 2)))" \
	-c "SELECT citus_set_node_property('127.0.0.1', $port, 'shouldhaveshards', false)" \
	-c "CREATE EXTENSION skillrating"
check "CREATE EXTENSION on the coordinator is one on all nodes" "$(on 1 -c "SELECT count(*) = 1 FROM pg_extension WHERE extname = 'skillrating'")"

# ---- Histories: whatever is grouped by the distribution column is computed where it lies ----

on 0 -o /dev/null <<'SQL'
CREATE TABLE result (match_id bigint, season int, player_id bigint, team int, rank int);
INSERT INTO result
SELECT m, m % 6, 1 + (hashint8(m * 8 + p) & 65535) % 20 + 20 * p, 1 + p % 2, CASE WHEN (hashint8(m) & 1023) < 600 THEN 1 + p % 2 ELSE 2 - p % 2 END
FROM generate_series(1::bigint, 1200) AS m, generate_series(0, 3) AS p;
CREATE TABLE local AS TABLE result;
SELECT create_distributed_table('result', 'season');
SQL
same() {
	local here there
	here=$(on 0 -c "${2//FROM matches/FROM local}" 2>&1) || :
	there=$(on 0 -c "${2//FROM matches/FROM result}" 2>&1) || :
	check "$1 is what one server computes" "$([[ -n $here && $here != ERROR* ]] && [ "$here" = "$there" ] && echo t || diff <(echo "$here") <(echo "$there") | head -3)"
	check "$1 is computed by the workers" "$(on 0 -c "EXPLAIN (VERBOSE) ${2//FROM matches/FROM result}" | grep -qE "$3" && echo t)"
}
same "final_ratings() of a season" "SELECT season, md5(skillrating.final_ratings('trueskill', match_id, player_id, team, rank ORDER BY match_id)::text) FROM matches GROUP BY season ORDER BY season" 'Query: SELECT season, md5.*final_ratings'
same "solve() of a season" "SELECT season, md5(skillrating.solve('bradley_terry', match_id, player_id, team, rank)::text) FROM matches GROUP BY season ORDER BY season" 'Query: SELECT season, md5.*solve'
same "rate() over a season" "SELECT count(*), md5(string_agg(r, ',' ORDER BY match_id, player_id)) FROM (SELECT match_id, player_id, skillrating.rate('elo', player_id, team, rank) OVER (PARTITION BY season ORDER BY match_id)::text AS r FROM matches) AS q" 'skillrating.rate'
# Without such a grouping the coordinator gathers the rows, and solves them.
all="SELECT md5(skillrating.solve('bradley_terry', match_id, player_id, team, rank)::text) FROM"
check "solve() of all seasons is what one server computes" "$([ "$(on 0 -c "$all result")" = "$(on 0 -c "$all local")" ] && echo t)"
check "solve() of all seasons is computed by the coordinator" "$(on 0 -c "EXPLAIN (VERBOSE) $all result" | grep -c 'Query: .*solve(' | sed 's/^0$/t/')"
# A score of all rows is made of what each worker has.
same "a score of all forecasts" "SELECT round(skillrating.log_loss(0.3 + player_id % 5 / 10.0, (rank = 1)::int)::numeric, 9), round(skillrating.brier_score(0.3 + player_id % 5 / 10.0, (rank = 1)::int)::numeric, 9) FROM matches" 'worker_partial_agg'

# ---- Ladders: each one on a worker, called by its name ----

on 0 -o /dev/null <<'SQL'
CREATE SCHEMA game;
CREATE TABLE game.ladder (name text PRIMARY KEY);
SELECT create_distributed_table('game.ladder', 'name');
-- In PL/pgSQL, because a function in SQL may become part of the query, which is then no call.
-- Citus is not to know of the schema of a ladder, which is on one worker only.
CREATE FUNCTION game.create_ladder(ladder text, model text) RETURNS void LANGUAGE plpgsql
SET citus.enable_ddl_propagation = off AS
$$ BEGIN PERFORM skillrating.create_ladder(ladder, model); END $$;
CREATE FUNCTION game.report(ladder text, match bigint, players bigint[], teams int[], ranks int[]) RETURNS bigint LANGUAGE plpgsql AS
$$ BEGIN RETURN (SELECT count(*) FROM skillrating.report_match(ladder, match, players, teams, ranks)); END $$;
CREATE FUNCTION game.board(ladder text, OUT place bigint, OUT player_id bigint, OUT rating float8) RETURNS SETOF record LANGUAGE plpgsql AS
$$ BEGIN RETURN QUERY SELECT b.place, b.player_id::bigint, b.rating FROM skillrating.leaderboard(ladder, 3) AS b; END $$;
CREATE FUNCTION game.verify(ladder text) RETURNS bool LANGUAGE plpgsql AS
$$ BEGIN RETURN (SELECT bool_and(v.ok) FROM skillrating.verify(ladder) AS v); END $$;
SELECT create_distributed_function(f, '$1', 'game.ladder')
FROM unnest(ARRAY['game.create_ladder(text, text)', 'game.report(text, bigint, bigint[], int[], int[])', 'game.board(text)', 'game.verify(text)']::regprocedure[]) AS f;
SQL
for ladder in eu us asia africa oceania; do
	on 0 -o /dev/null -c "SELECT game.create_ladder('$ladder', 'elo')"
	for match in 1 2 3; do on 0 -o /dev/null -c "SELECT game.report('$ladder', $match, '{1, 2}', '{1, 2}', '{1, 2}')"; done
done
ladders="SELECT count(*) FROM pg_namespace WHERE to_regclass(format('%I.rated_match', nspname)) IS NOT NULL"
check "ladders live on workers" "$([ "$(on 0 -c "$ladders")" = 0 ] && [ "$(on 1 -c "$ladders")" -gt 0 ] && [ $(("$(on 1 -c "$ladders")" + "$(on 2 -c "$ladders")")) = 5 ] && echo t)"
check "and are read by their names" "$(on 0 -c "SELECT * FROM game.board('asia')" | grep -c '^[12]|[12]|15\|^2|2|14' | sed 's/^2$/t/')"
check "and verify" "$(for ladder in eu us asia africa oceania; do on 0 -c "SELECT game.verify('$ladder')"; done | sort -u)"
check "a worker is asked for its own ladders only" "$(on 0 -c "SELECT nodeport IN ($((port + 1)), $((port + 2))) FROM pg_dist_shard_placement WHERE shardid = get_shard_id_for_distribution_column('game.ladder', 'eu')")"

# What rebalancing moves is the shard of a name; the ladder stays, and is found again when the shard is back.
shard=$(on 0 -c "SELECT get_shard_id_for_distribution_column('game.ladder', 'eu')")
lives=$(on 0 -c "SELECT nodeport FROM pg_dist_shard_placement WHERE shardid = $shard")
other=$((2 * port + 3 - lives))
move() { on 0 -o /dev/null -c "SELECT citus_move_shard_placement($shard, '127.0.0.1', $1, '127.0.0.1', $2, 'block_writes')"; }
move "$lives" "$other"
check "a shard that moves leaves its ladder behind" "$({ on 0 -v VERBOSITY=sqlstate -c "SELECT * FROM game.board('eu')" 2>&1 || :; } | grep -c 'ERROR:  42704' | sed 's/^1$/t/')"
move "$other" "$lives"
check "which is found when it is back" "$(on 0 -c "SELECT count(*) = 2 FROM game.board('eu')")"

# ---- What would only seem to work is refused ----

refused() { (on 0 -v VERBOSITY=sqlstate "$@" 2>&1 || :) | grep -c 'ERROR:  0A000' | sed 's/^1$/t/'; }
check "a ladder in a tenant's schema is refused" "$(refused -c "SET citus.enable_schema_based_sharding = on" -c "SELECT skillrating.create_ladder('tenant', 'elo')")"
on 0 -o /dev/null -c "CREATE TABLE person (id bigint PRIMARY KEY, elo float8)" -c "SELECT create_distributed_table('person', 'id')" -c "SELECT skillrating.create_ladder('local', 'elo')" 2>/dev/null
check "and a mirror in a distributed table" "$(refused -c "SELECT skillrating.mirror_rating('local', 'person', 'id', '{\"elo\": \"rating\"}')")"
check "no server process died" "$(! grep -E 'was terminated by signal|PANIC: ' "$scratch"/*.log >&2 && echo t)"
exit $failed
