#!/bin/bash
# Measure how long those who rate wait for maintenance and for bulk loads: four clients insert duels, each in
# a transaction of its own, while the first of many matches is corrected and caught up with, while others rate
# and with the ladder held from the beginning, and while one transaction loads many duels into another pool
# and into the same one, turn by turn in one run.
#
#   bench/live.sh
#
# It works on a throw-away cluster unless PGHOST is set.  SCALE=0.1 takes a quick look, and PLAYERS=1000
# one number of players; ARMS names some of none, beside, held, load and same.  For each it prints the longest commit and the one that 99 of 100 stay below, with
# nothing beside, and with each of these; and how long the work took.
# Nothing fails because of a time; the target is printed beside what was measured.

set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

. bench/common.sh
begin bench/live.sh 3

matches=$(sized 1000000)
loaded=$(sized 100000)
clients=4
arms=${ARMS:-none beside held load same}

# A ladder of so many players, with matches of random ones.
make_ladder() {
	sql -o /dev/null <<-SQL
		SELECT skillrating.create_ladder('arena', 'elo', apply_at => 'manual');
		CREATE SEQUENCE IF NOT EXISTS bench_match START 10000000;
		CREATE SEQUENCE IF NOT EXISTS bench_load START 1000000000;
		SELECT setseed(0.42);
		INSERT INTO arena.match (match_id, played_at)
		SELECT n, timestamptz '2020-01-01' + n * interval '1 minute' FROM generate_series(1, $matches) AS n;
		INSERT INTO arena.match_player (match_id, player_id, team, rank)
		SELECT d.n, (d.a + t * d.b) % $1, 1 + t, 1 + (d.c + t) % 2
		FROM (SELECT n, floor(random() * $1)::int AS a, 1 + floor(random() * ($1 - 1))::int AS b, n % 2 AS c
			FROM generate_series(1, $matches) AS n) AS d, generate_series(0, 1) AS t;
		SELECT count(*) FROM skillrating.catch_up('arena');
		UPDATE arena.ladder SET apply_at = 'commit';
		VACUUM ANALYZE;
	SQL
	cat >"$scratch/live.sql" <<-SQL
		\set a random(0, $1 - 1)
		\set b random(1, $1 - 1)
		BEGIN;
		INSERT INTO arena.match (match_id) VALUES (nextval('bench_match'));
		INSERT INTO arena.match_player (match_id, player_id, team, rank) VALUES
			(currval('bench_match'), :a, 1, 1), (currval('bench_match'), (:a + :b) % $1, 2, 2);
		COMMIT;
	SQL
}

# Load matches of so many players into a pool, which says how many rows of rating that writes.
load() {
	cat <<-SQL
		BEGIN;
		INSERT INTO arena.match (match_id, pool) SELECT nextval('bench_load'), '$2' FROM generate_series(1, $loaded);
		INSERT INTO arena.match_player (match_id, player_id, team, rank)
		SELECT currval('bench_load') - n, (n * 7919 + t * (1 + n % ($1 - 1))) % $1, 1 + t, 1 + (n + t) % 2
		FROM generate_series(0, $loaded - 1) AS n, generate_series(0, 1) AS t;
		COMMIT;
		SELECT least($1, 2 * $loaded);
	SQL
}

# The work of an arm, each followed by how many rows of rating it has written.
maintain() {
	case $1 in
		load) load "$players" other | sql ;;
		same) load "$players" '' | sql ;;
		none) sleep 5 ;;
		beside) echo "UPDATE arena.match_player SET rank = 3 - rank WHERE match_id = 1;
			SELECT count(*) FROM skillrating.catch_up('arena');" | sql ;;
		# Who has the lock already does not share it.
		held) echo "UPDATE arena.match_player SET rank = 3 - rank WHERE match_id = 1;
			BEGIN; SELECT FROM skillrating.restore_triggers('arena'); SELECT count(*) FROM skillrating.catch_up('arena'); COMMIT;" | sql ;;
	esac
}

# Clients rate while an arm is maintained: the longest transaction, the 99th part of a hundred, and the
# maintenance, in milliseconds, and how many transactions and rows there were.
round() {
	local arm=$1 rater began rows
	rm -f "$scratch"/log.*
	(cd "$scratch" && exec pgbench -n -c $clients -j 2 -T 3600 -f live.sql --log --log-prefix=log) >/dev/null 2>&1 &
	rater=$!
	sleep 2
	began=$(date +%s%N)
	rows=$(maintain "$arm" | tail -n 1)
	echo $((($(date +%s%N) - began) / 1000000)) >>"$scratch/$arm.took"
	sleep 1
	# A background command of a script ignores INT.
	kill $rater
	wait $rater 2>/dev/null || :
	cat "$scratch"/log.* | awk '{ print $3 / 1000 }' | sort -g >"$scratch/latency"
	tail -n 1 "$scratch/latency" >>"$scratch/$arm.longest"
	awk '{ l[NR] = $1 } END { print l[int((NR * 99 + 99) / 100)] }' "$scratch/latency" >>"$scratch/$arm.most"
	wc -l <"$scratch/latency" >>"$scratch/$arm.count"
	echo "${rows:-0}" >>"$scratch/$arm.rows"
}

for players in ${PLAYERS:-1000 20000 200000}; do
	make_ladder "$players"
	rm -f "$scratch"/{none,beside,held,load,same}.*
	for _ in $(seq "$rounds"); do
		for arm in $arms; do
			round "$arm"
		done
	done
	[[ $arms != *beside*held* ]] || report "longest commit, $players players, beside against held" "$scratch/beside.longest" "$scratch/held.longest" ''
	for arm in $arms; do
		awk -v arm=$arm -v longest="$(sort -g "$scratch/$arm.longest" | tail -n 1)" -v most="$(median "$scratch/$arm.most")" \
			-v took="$(median "$scratch/$arm.took")" -v count="$(median "$scratch/$arm.count")" -v rows="$(median "$scratch/$arm.rows")" 'BEGIN {
				printf "    %-6s longest %.0f ms%s, 99 %% below %.1f ms, of %d", arm, longest,
					arm == "beside" ? " (target: at most 200)" : "", most, count
				if (arm != "none") printf "; took %.1f s and wrote %d ratings", took / 1000, rows
				print "" }'
	done
	sql -c "SELECT '    verify: ' || bool_and(ok) FROM skillrating.verify('arena')"
	sql -o /dev/null -c "SELECT skillrating.drop_ladder('arena')"
done
