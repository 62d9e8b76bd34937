#!/bin/bash
# Measure work on whole histories in seconds of the processor, without parallel workers: shadow_ladder()
# and catch_up() against counting the participants in order; backfill() against inserting the same rows
# into two plain tables; and how large batches, seasons, and catch_up() after a change of the last match
# grow with the ladder.
#
#   bench/bulk.sh
#
# It works on a throw-away cluster unless PGHOST is set.  SCALE=0.1 takes a quick look at a tenth of the
# sizes, and PARTS names some parts of ratios, backfill, growth, batch.  Nothing fails because of a time; the
# targets are printed beside what was measured.

set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

. bench/common.sh
begin bench/bulk.sh 3 'autovacuum=off max_parallel_maintenance_workers=0'
parts=${PARTS:-ratios backfill growth batch}

sql <<'SQL'
-- The nanoseconds of the processor that this session has taken.
CREATE FUNCTION processor_ns() RETURNS bigint LANGUAGE sql AS
	$$ SELECT split_part(pg_read_file('/proc/self/schedstat'), ' ', 1)::bigint $$;
-- Megabytes of memory that this session has had at the most, without what it shares.
CREATE FUNCTION most_mb() RETURNS bigint LANGUAGE sql AS $$
	SELECT (((regexp_match(s, 'VmHWM:\s+(\d+)'))[1]::bigint - (regexp_match(s, 'RssShmem:\s+(\d+)'))[1]::bigint) / 1024)
	FROM pg_read_file('/proc/self/status') AS s $$;
SQL

# Seconds of the processor that a session takes for SQL from standard input, without its results.
processed() {
	{
		echo 'SELECT processor_ns() AS began \gset'
		echo '\o /dev/null'
		cat
		echo '\o'
		echo 'SELECT (processor_ns() - :began) / 1e9;'
	} | sql
}

# Insert n matches of p players each, of so many players, that far from one another, into a ladder.
insert_matches() {
	cat <<-SQL
		INSERT INTO $1.match (match_id, played_at)
		SELECT m, timestamptz '2020-01-01' + m * interval '1 minute' FROM generate_series(1, $2) AS m;
		INSERT INTO $1.match_player (match_id, player_id, team, rank)
		SELECT m, (m * 7919 + p * $5) % $4, 1 + p % 2, 1 + abs((p + hashint8(m)) % 2)
		FROM generate_series(1::bigint, $2) AS m, generate_series(0, $3 - 1) AS p;
	SQL
}

# A line of what was measured at each size, with the exponent of the growth from the first to the last.
growth() {
	paste -sd' ' "$2" | awk -v name="$1" -v sizes="$sizes" '{
		n = split(sizes, size, " ")
		printf "%-40s", name
		for (i = 1; i <= n; i++) printf " %10.4g", $i
		printf "   %5.2f\n", log($n / $1) / log(size[n] / size[1]) }'
}

if [[ " $parts " = *" ratios "* ]]; then
	matches=$(sized 100000)
	sql -o /dev/null -c "SELECT skillrating.create_ladder('history', 'elo')"
	{ echo 'BEGIN;'; insert_matches history "$matches" 12 10000 811; echo 'COMMIT; VACUUM ANALYZE;'; } | sql
	for round in $(seq "$rounds"); do
		processed >>"$scratch/count" <<<'SELECT count(*) FROM (SELECT * FROM history.source ORDER BY played_at, match_id OFFSET 0) AS s;'
		processed >>"$scratch/shadow" <<<"SELECT skillrating.shadow_ladder('history', 'again');"
		sql -o /dev/null -c "SELECT skillrating.drop_ladder('again')" -c "UPDATE history.match_player SET rank = 3 - rank WHERE match_id = $round"
		processed >>"$scratch/catch_up" <<<"SELECT count(*) FROM skillrating.catch_up('history');"
		sql -c 'VACUUM history.event' -c CHECKPOINT
	done
	report "shadow_ladder of $matches matches x 12, against count(*) in order" "$scratch/shadow" "$scratch/count" 'at most 3'
	report '  catch_up after a change of the first match' "$scratch/catch_up" "$scratch/count" 'at most 2.5'
	awk -v n="$matches" -v c="$(median "$scratch/count")" -v r="$(median "$scratch/shadow")" -v u="$(median "$scratch/catch_up")" \
		'BEGIN { printf "    us a participant: %.2f to count, %.2f to make a shadow, %.2f to catch up\n", c / n / 12e-6, r / n / 12e-6, u / n / 12e-6 }'
	sql -o /dev/null -c "SELECT skillrating.drop_ladder('history')"
fi

if [[ " $parts " = *" backfill "* ]]; then
	matches=$(sized 100000)
	sql <<-SQL
		CREATE TABLE game (id bigint PRIMARY KEY, ended timestamptz NOT NULL);
		CREATE TABLE game_player (game bigint, player bigint, team int, won boolean, PRIMARY KEY (game, player));
		INSERT INTO game SELECT g, timestamptz '2020-01-01' + g * interval '1 minute' FROM generate_series(1, $matches) AS g;
		INSERT INTO game_player SELECT g, (g * 7919 + p * 811) % 10000, p % 2, (p + hashint8(g)) % 2 = 0
		FROM generate_series(1::bigint, $matches) AS g, generate_series(0, 11) AS p;
		CREATE VIEW played AS SELECT game AS match_id, ended AS played_at, player AS player_id, team, won
		FROM game JOIN game_player ON game = id;
		VACUUM ANALYZE;
	SQL
	for _ in $(seq "$rounds"); do
		sql -o /dev/null -c 'SET client_min_messages = warning' -c "SELECT skillrating.create_ladder('filled', 'elo', source => 'played')"
		{
			echo "CALL skillrating.backfill('filled');"
			printf '%s\n' "\\o $scratch/memory" 'SELECT most_mb();' '\o /dev/null'
		} | processed >>"$scratch/backfill"
		cat "$scratch/memory" >>"$scratch/memories"
		sql -c 'CREATE TABLE plain_event (LIKE filled.event INCLUDING ALL)' -c 'CREATE TABLE plain_match (LIKE filled.rated_match INCLUDING ALL)'
		processed >>"$scratch/plain" <<-SQL
			INSERT INTO plain_event SELECT * FROM filled.event ORDER BY seq;
			INSERT INTO plain_match SELECT * FROM filled.rated_match ORDER BY seq;
		SQL
		sql -o /dev/null -c 'DROP TABLE plain_event, plain_match' -c "SELECT skillrating.drop_ladder('filled')" -c CHECKPOINT
	done
	report "backfill of $matches matches x 12, against plain inserts of its rows" "$scratch/backfill" "$scratch/plain" 'at most 2.5'
	echo "    $(median "$scratch/backfill") s and $(median "$scratch/plain") s; memory at the most: $(sort -n "$scratch/memories" | tail -1) MB (target: 200)"
	sql -o /dev/null -c 'DROP TABLE game, game_player CASCADE'
fi

if [[ " $parts " = *" growth "* ]]; then
	sizes="$(sized 10000) $(sized 100000) $(sized 1000000)"
	for size in $sizes; do
		sql -o /dev/null -c "SELECT skillrating.create_ladder('history', 'elo')"
		{ echo 'BEGIN;'; insert_matches history "$size" 2 "$size" "(1 + m % least(811, $size - 1))"; echo 'COMMIT; VACUUM ANALYZE;'; } | sql
		sql >"$scratch/growth" <<-SQL
			CREATE PROCEDURE correct_last(n int) LANGUAGE plpgsql AS \$\$
			BEGIN
				FOR i IN 1 .. n LOOP
					UPDATE history.match_player SET rank = 3 - rank WHERE match_id = $size;
					COMMIT;
					PERFORM FROM skillrating.catch_up('history');
					COMMIT;
				END LOOP;
			END
			\$\$;
			CALL correct_last(2);
			SELECT processor_ns() AS began \gset
			CALL correct_last(20);
			SELECT (processor_ns() - :began) / 20e6;
			DROP PROCEDURE correct_last;
			SELECT processor_ns() AS began \gset
			SELECT players FROM skillrating.new_season('history', 'next') \gset
			SELECT (processor_ns() - :began) / 1e9;
			SELECT 1e-3 * (processor_ns() - :began) / :players;
		SQL
		sed -n 1p "$scratch/growth" >>"$scratch/last"
		sed -n 2p "$scratch/growth" >>"$scratch/season"
		sed -n 3p "$scratch/growth" >>"$scratch/player"
		sql -o /dev/null -c "SELECT skillrating.drop_ladder('history')"
	done
	echo
	echo "duels of as many players, with $sizes of them; exponent from the first to the last"
	growth 'catch_up after the last match, ms' "$scratch/last"
	growth 'new_season, s (target 1)' "$scratch/season"
	growth '  us a player' "$scratch/player"
fi

if [[ " $parts " = *" batch "* ]]; then
	size=$(sized 1000000)
	sql -o /dev/null -c "SELECT skillrating.create_ladder('history', 'elo')"
	# Both are of the session that rates, whose memory a new one has not had yet.
	{
		echo 'BEGIN;'
		insert_matches history "$size" 2 "$size" "(1 + m % least(811, $size - 1))"
		echo 'SELECT processor_ns() AS began \gset'
		echo 'SET CONSTRAINTS ALL IMMEDIATE;'
		echo "SELECT round((processor_ns() - :began) / 1e9, 1) || ' s of the processor to rate $size duels of as many players at once (target: 32 of a million), ' || most_mb() || ' MB at the most (target: 300)';"
		echo 'COMMIT;'
	} | sql
	sql -o /dev/null -c "SELECT skillrating.drop_ladder('history')"
fi
