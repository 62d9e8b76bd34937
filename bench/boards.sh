#!/bin/bash
# Measure boards and ranks at growing numbers of players, with ranks that are counted and indexed,
# and what each choice costs a match of twelve in its own transaction.
#
#   bench/boards.sh
#
# It works on a throw-away cluster unless PGHOST is set.  SCALE=0.1 takes a quick look at a tenth of
# the players; SIZES='10000 10000000' says how many there are, of ten million without tables of
# seasons.  Nothing fails because of a time; the target is printed beside what was measured.

set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

. bench/common.sh
begin bench/boards.sh 7

# A ladder of n players: normally distributed ratings but for a tenth of newcomers who share one,
# last matches over a year, two matches each before a season that has ended and two in the one
# after it.  Numbers of matches and deviations, which filters ask for, are random.  Tables are filled
# by hand, and then counted.
fill() {
	sql -o /dev/null <<-SQL
		SELECT skillrating.create_ladder('board', 'glicko', ranks => 'counted');
		SELECT setseed(0.5);
		INSERT INTO board.rating (player_id, rating, deviation, games, wins, losses, last_played, as_of)
		SELECT p, CASE WHEN p % 10 = 0 THEN 1500 ELSE 1500 + 200 * sqrt(-2 * ln(1 - random())) * cos(2 * pi() * random()) END,
			30 + 320 * random(), 1 - 30 * ln(1 - random()), 2, 2, '2024-01-01'::timestamptz + random() * interval '366 days', '2024-12-31'
		FROM (SELECT p FROM generate_series(1, $1) AS p ORDER BY md5(p::text) OFFSET 0) AS p;
		SELECT skillrating.set_ranks('board', 'counted');
		VACUUM ANALYZE board.rating;
		VACUUM ANALYZE board.rating_count;
	SQL
	# Of ten million players no tables of seasons are read.
	[ "$1" -gt 2000000 ] || sql -o /dev/null <<-SQL
		INSERT INTO board.event (seq, player_id, match_id, kind, team, games_before, played_at, score, win_probability, rating_before, rating_after, deviation_before, deviation_after)
		SELECT h.first + (r.player_id - 1) / 2, r.player_id, h.first + (r.player_id - 1) / 2, 'match', 1 + r.player_id % 2, h.i, h.at, r.player_id % 2, 0.5, r.rating - 10, r.rating, 100, 100
		FROM (SELECT i, i * (1 + $1::bigint) + 1 + CASE WHEN i > 1 THEN 1 ELSE 0 END AS first, '2024-01-01'::timestamptz + i * interval '90 days' AS at FROM generate_series(0, 3) AS i) AS h, board.rating AS r
		ORDER BY 1, 2;
		INSERT INTO board.operation (operation, seq, kind, at, params, reason)
		VALUES (1, 2 * (1 + $1::bigint) + 1, 'season', '2024-06-01', '{"keep": 1, "name": "second"}', 'season second');
		INSERT INTO board.event (seq, player_id, kind, games_before, played_at, rating_before, rating_after, deviation_before, deviation_after)
		SELECT 2 * (1 + $1::bigint) + 1, r.player_id, 'season', 2, '2024-06-01', r.rating, r.rating, 100, 100 FROM board.rating AS r;
		VACUUM ANALYZE board.event;
		-- Work on the ladder that lets the standings be renewed, and how long that takes.
		CREATE FUNCTION renew() RETURNS trigger LANGUAGE plpgsql AS \$\$
		DECLARE
			began bigint := public.processor_ns();
		BEGIN
			IF to_regclass('board.standing') IS NULL THEN
				PERFORM skillrating_internal.renew_standings('board', 0);
				INSERT INTO public.renewed VALUES ($1, (public.processor_ns() - began) / 1e9);
			END IF;
			RETURN NULL;
		END \$\$;
		CREATE TRIGGER renew AFTER INSERT ON board.rating_count FOR EACH STATEMENT EXECUTE FUNCTION renew();
		SELECT skillrating.set_ranks('board', 'counted');
		DROP TRIGGER renew ON board.rating_count;
		DROP FUNCTION renew();
		VACUUM ANALYZE board.standing;
	SQL
	# What those who rate have not folded yet.
	sql -o /dev/null <<-SQL
		INSERT INTO board.rating_count_delta (pool, ranges, nets)
		SELECT '', array_agg(skillrating_internal.rating_range(r.rating) ORDER BY r.player_id),
			array_agg(CASE WHEN k.k = 0 THEN -1 ELSE 1 END ORDER BY r.player_id)
		FROM (SELECT rating, last_played, player_id, row_number() OVER () AS n FROM board.rating LIMIT 16000) AS r, (VALUES (0), (1)) AS k(k)
		GROUP BY r.n / 12;
	SQL
}

sql <<'SQL'
CREATE TABLE renewed (players bigint, seconds float8);
-- The nanoseconds of the processor that this session has taken.
CREATE FUNCTION processor_ns() RETURNS bigint LANGUAGE sql AS
	$$ SELECT split_part(pg_read_file('/proc/self/schedstat'), ' ', 1)::bigint $$;
-- The mean of the milliseconds of a query over players, %s in it, in a session that goes on.
CREATE FUNCTION mean_ms(query text, players bigint[]) RETURNS float8 LANGUAGE plpgsql AS $$
DECLARE
	player bigint;
	began bigint;
BEGIN
	EXECUTE format(query, players[1]);
	began := processor_ns();
	FOREACH player IN ARRAY players LOOP
		EXECUTE format(query, player);
	END LOOP;
	RETURN (processor_ns() - began) / 1e6 / cardinality(players);
END
$$;
SQL

reads=(
	"rank of a player|SELECT (skillrating.place_of('board', %s)).place"
	"percentile of a player|SELECT (skillrating.place_of('board', %s)).percentile"
	"around a player|SELECT * FROM skillrating.around('board', %s)"
	"around the leader|SELECT * FROM skillrating.around('board', (SELECT r.player_id FROM board.rating AS r WHERE r.pool = '' ORDER BY r.rating DESC LIMIT 1)) -- %s"
	"a page from the top|SELECT * FROM skillrating.leaderboard('board') -- %s"
	"the page after a player|SELECT * FROM skillrating.leaderboard('board', after_player => %s)"
	"the page after a newcomer|SELECT * FROM skillrating.leaderboard('board', after_player => %s / 10 * 10 + 10)"
	"a page of the last 30 days|SELECT * FROM skillrating.leaderboard('board', active_since => '2024-12-01') -- %s"
	"a page with percentiles|SELECT * FROM skillrating.leaderboard('board', statistics => '{percentile}') -- %s"
	"table of the running season|SELECT * FROM skillrating.season_table('board') -- %s"
	"table of the season before|SELECT * FROM skillrating.season_table('board', '') -- %s"
	"the page of it after a player|SELECT * FROM skillrating.season_table('board', '', after_player => %s)"
	"place in it|SELECT (SELECT t.place FROM skillrating.season_table('board', player => %s, season => '') AS t)"
	"status of a player|SELECT * FROM skillrating.player_status('board', player => %s)"
)
# Without counts, where a rank is counted over the index on the rating.
indexed=("${reads[@]:0:9}" "a page of the last day|SELECT * FROM skillrating.leaderboard('board', active_since => '2024-12-31') -- %s"
	"a page of the last hour|SELECT * FROM skillrating.leaderboard('board', active_since => '2024-12-31 23:00') -- %s")
# With an index of the user's on the time of the last match.
timed_reads=(
	"a page of the last 30 days|SELECT * FROM skillrating.leaderboard('board', active_since => '2024-12-01') -- %s"
	"a page of the last day|SELECT * FROM skillrating.leaderboard('board', active_since => '2024-12-31') -- %s"
	"a page of the last hour|SELECT * FROM skillrating.leaderboard('board', active_since => '2024-12-31 23:00') -- %s"
	"rank, active_since, one hour|SELECT (skillrating.place_of('board', (SELECT r.player_id FROM board.rating AS r WHERE r.last_played > '2024-12-31 23:00' LIMIT 1), active_since => '2024-12-31 23:00')).place -- %s"
)
# What filters leave to be counted; few calls of each are enough.
filtered=(
	"a page of the last day|SELECT * FROM skillrating.leaderboard('board', active_since => '2024-12-31') -- %s"
	"a page of the last hour|SELECT * FROM skillrating.leaderboard('board', active_since => '2024-12-31 23:00') -- %s"
	"a page with min_games, 20 %|SELECT * FROM skillrating.leaderboard('board', min_games => 49) -- %s"
	"a page with min_games, 0.1 %|SELECT * FROM skillrating.leaderboard('board', min_games => 208) -- %s"
	"a page with max_deviation, 20 %|SELECT * FROM skillrating.leaderboard('board', max_deviation => 94) -- %s"
	"a page of 30 days after a player|SELECT * FROM skillrating.leaderboard('board', active_since => '2024-12-01', after_player => %s)"
	"rank, min_games|SELECT (skillrating.place_of('board', %s, min_games => 2)).place"
	"rank, active_since, 180 days|SELECT (skillrating.place_of('board', %s, active_since => '2024-07-01')).place"
	"rank, active_since, one day|SELECT (skillrating.place_of('board', (SELECT r.player_id FROM board.rating AS r WHERE r.last_played > '2024-12-31 01:00' LIMIT 1), active_since => '2024-12-31')).place -- %s"
	"rank, max_deviation|SELECT (skillrating.place_of('board', %s, max_deviation => 350)).place"
	"percentile, active_since, 180 days|SELECT (skillrating.place_of('board', %s, active_since => '2024-07-01')).percentile"
	"percentile, min_games|SELECT (skillrating.place_of('board', %s, min_games => 2)).percentile"
	"around, active_since, 180 days|SELECT skillrating.around('board', %s, active_since => '2024-07-01')"
	"around, min_games|SELECT skillrating.around('board', %s, min_games => 2)"
	"place in the season before, min_games|SELECT (SELECT t.place FROM skillrating.season_table('board', player => %s, season => '', min_games => 2) AS t)"
	"place in the running season|SELECT (SELECT t.place FROM skillrating.season_table('board', player => %s) AS t)"
)
sizes=${SIZES:-"$(sized 10000) $(sized 100000) $(sized 1000000)"}
for size in $sizes; do
	fill "$size"
	for read in "${reads[@]}"; do
		if [ "$size" -gt 2000000 ] && [[ "$read" = table* ]]; then echo nan >>"$scratch/${read%%|*}"; continue; fi
		sql -c "SELECT mean_ms(\$q\$${read#*|}\$q\$, ARRAY(SELECT 1 + (i * 7919) % ($size - 20) FROM generate_series(1, 300) AS i))" >>"$scratch/${read%%|*}"
	done
	for read in "${filtered[@]}"; do
		if [ "$size" -gt 2000000 ] && [[ "$read" = place* ]]; then echo nan >>"$scratch/${read%%|*}"; continue; fi
		sql -c "SELECT mean_ms(\$q\$${read#*|}\$q\$, ARRAY(SELECT 1 + (i * 7919) % ($size - 20) FROM generate_series(1, 12) AS i))" >>"$scratch/${read%%|*}"
	done
	sql -o /dev/null -c "SELECT skillrating.set_ranks('board', 'indexed')"
	for read in "${indexed[@]}"; do
		sql -c "SELECT mean_ms(\$q\$${read#*|}\$q\$, ARRAY(SELECT 1 + (i * 7919) % ($size - 20) FROM generate_series(1, 12) AS i))" >>"$scratch/indexed ${read%%|*}"
	done
	sql -c "CREATE INDEX ON board.rating (pool, last_played)" -c "ANALYZE board.rating"
	for read in "${timed_reads[@]}"; do
		sql -c "SELECT mean_ms(\$q\$${read#*|}\$q\$, ARRAY(SELECT i FROM generate_series(1, 12) AS i))" >>"$scratch/timed ${read%%|*}"
	done
	sql -o /dev/null -c "SELECT skillrating.drop_ladder('board')"
done
echo
echo "milliseconds of the processor a call with $sizes players; exponent from the first to the last; target 2 ms"
table() {
	for read in "$@"; do
		paste -sd' ' "$scratch/${read%%|*}" | awk -v name="${read%%|*}" -v sizes="$sizes" '{
			n = split(sizes, size, " ")
			sub(/^(timed|indexed) /, "", name)
			printf "%-38s", name
			for (i = 1; i <= n; i++) printf " %8.2f", $i
			printf "   %5.2f\n", (n > 1 && $1 > 0 && $n > 0 ? log($n / $1) / log(size[n] / size[1]) : 0) }'
	done
}
table "${reads[@]}"
echo
echo "the same with filters, which count rows"
table "${filtered[@]}"
echo
echo "with ranks that are indexed"
table "${indexed[@]/#/indexed }"
echo
echo "and with an index on the pool and the time of the last match"
table "${timed_reads[@]/#/timed }"
echo
sql -c "SELECT format('standings of %s players: %s s of the processor', players, round(seconds::numeric, 2)) FROM renewed ORDER BY players"

# What a match of twelve costs in its own transaction, by where ranks come from; "bare" has no index
# on the rating.
arms='bare indexed counted'
players=$(sized 100000)
for arm in $arms; do
	sql -o /dev/null -c "SELECT skillrating.create_ladder('$arm', 'elo', ranks => '${arm/bare/indexed}')"
	if [ "$arm" = bare ]; then
		sql -c "DROP INDEX bare.rating_pool_rating_player_id_idx" -c "ALTER TABLE bare.rating SET (fillfactor = 70)"
	fi
	sql -o /dev/null <<-SQL
		SELECT setseed(0.5);
		INSERT INTO "$arm".rating (player_id, rating, games, wins, losses, last_played, as_of)
		SELECT p, 1500 + 200 * sqrt(-2 * ln(1 - random())) * cos(2 * pi() * random()), 4, 2, 2, '2024-12-31', '2024-12-31'
		FROM generate_series(0, $players - 1) AS p;
		SELECT skillrating.set_ranks('$arm', '${arm/bare/indexed}');
		VACUUM ANALYZE "$arm".rating;
	SQL
	: >"$scratch/$arm.cost"
done
sql <<'SQL'
-- Matches of twelve in transactions of their own; the milliseconds of the processor for each.
CREATE PROCEDURE play(arm text, players integer, n integer, INOUT ms float8) LANGUAGE plpgsql AS $$
DECLARE
	began bigint := processor_ns();
	match bigint;
BEGIN
	FOR i IN 1..n LOOP
		EXECUTE format('INSERT INTO %I.match (match_id) VALUES (DEFAULT) RETURNING match_id', arm) INTO match;
		EXECUTE format(
			'INSERT INTO %I.match_player (match_id, player_id, team, rank)
			SELECT $1, mod($1 * 104729 + i * 7919, $2), mod(i, 2), 1 + mod(i + $1, 2) FROM generate_series(1, 12) AS i', arm)
		USING match, players;
		COMMIT;
	END LOOP;
	ms := (processor_ns() - began) / 1e6 / n;
END
$$;
SQL
for _ in $(seq $((5 * rounds))); do
	for arm in $arms; do
		sql -c "CALL play('$arm', $players, 20, NULL)" -c "CALL play('$arm', $players, $(sized 300), NULL)" | tail -1 >>"$scratch/$arm.cost"
	done
done
echo
printf '%-62s %6s  %s\n' 'a match of twelve, processor: what against what' 'ratio' 'range             target'
report "counted against indexed" "$scratch/counted.cost" "$scratch/indexed.cost" ''
report "bare against indexed" "$scratch/bare.cost" "$scratch/indexed.cost" ''
for arm in $arms; do
	sql -c "SELECT format('    %s: %s ms a match, %s %% of updates of rating on their page', '$arm', round($(median "$scratch/$arm.cost")::numeric, 3),
		(SELECT round(100.0 * n_tup_hot_upd / greatest(n_tup_upd, 1)) FROM pg_stat_user_tables WHERE schemaname = '$arm' AND relname = 'rating'))"
done
