#!/bin/bash
# Eight sessions rate matches of sixty players, one of them in transactions that stay open for a while, others
# correct, remove and void matches of the whole history, set ratings and read, and one catches up, decays and
# settles in a loop, against the server that PGHOST leads to: nothing fails, nothing deadlocks, and in the end
# the ladder verifies and a rebuild changes nothing.
#
#   test/beside.sh
#
# Environment:
#   BESIDE_SECONDS  how long (default: 10)
#
# Prints one line for each check, "ok NAME" or "not ok NAME", and fails if any check does; and the longest
# transaction that rated a match, which decides nothing.

set -euo pipefail

. "$(dirname "${BASH_SOURCE[0]}")/common.sh"
begin_database beside
seconds=${BESIDE_SECONDS:-10}
psql -qX -v ON_ERROR_STOP=1 -o /dev/null -c 'CREATE EXTENSION skillrating' -c 'CREATE SEQUENCE played'

# A ladder with a history, of a model with components or without.
make_ladder() {
	psql -qX -v ON_ERROR_STOP=1 -o /dev/null <<-SQL
		SELECT skillrating.create_ladder('arena', '$1', '$2', late => '$3');
		ALTER SEQUENCE played RESTART;
		INSERT INTO arena.match (match_id, played_at)
		SELECT nextval('played'), timestamptz '2024-01-01' + n * interval '1 minute' FROM generate_series(1, 20000) AS n;
		INSERT INTO arena.match_player (match_id, player_id, team, rank, side, context)
		SELECT n, (n * 7 + t * (1 + n % 50)) % 60, 1 + t, 1 + (n + t) % 2, 1 + t, 'map ' || n % 3
		FROM generate_series(1, 20000) AS n, generate_series(0, 1) AS t;
	SQL
}
# Two players whose identifiers are far from those of the next session's.
cat >"$scratch/play.sql" <<'SQL'
\set a random(0, 59)
\set b random(1, 59)
BEGIN;
SELECT nextval('played') AS n \gset
INSERT INTO arena.match (match_id, played_at) VALUES (:n, timestamptz '2024-02-01' + :n * interval '1 second');
INSERT INTO arena.match_player (match_id, player_id, team, rank, side, context) VALUES
	(:n, :a, 1, 1, 1, 'map ' || :b % 3), (:n, (:a + :b) % 60, 2, 1 + :b % 2, 2, 'map ' || :b % 3);
COMMIT;
SQL
# Rated at once, and open for a while.
sed 's/^COMMIT;/SET CONSTRAINTS ALL IMMEDIATE;\n\\sleep 30 ms\nCOMMIT;/' "$scratch/play.sql" >"$scratch/stay.sql"
# Each client has matches of its own, because to void or restore what another client just did is an error.
cat >"$scratch/correct.sql" <<'SQL'
\set n 2 * random(1, 10000) - :client_id
\set what random(1, 20)
UPDATE arena.match_player SET rank = 3 - rank WHERE match_id = CASE WHEN :what <= 14 THEN :n END;
DELETE FROM arena.match WHERE match_id = CASE WHEN :what = 15 THEN :n END;
SELECT count(skillrating.void_match('arena', m.match_id)) FROM arena.rated_match AS m
WHERE m.match_id = :n AND :what IN (16, 17) AND m.void_reason IS NULL;
SELECT count(skillrating.restore_match('arena', m.match_id)) FROM arena.rated_match AS m
WHERE m.match_id = (SELECT match_id FROM arena.rated_match
	WHERE void_reason IS NOT NULL AND match_id % 2 = :client_id LIMIT 1) AND :what = 18;
SELECT count(skillrating.set_rating('arena', :n % 60, jsonb_build_object(:column, 40 + :n % 9), at => timestamptz '2024-02-01' + (SELECT last_value FROM played) * interval '1 second'))
FROM (SELECT) AS one WHERE :what = 19;
\sleep 50 ms
SQL
cat >"$scratch/maintain.sql" <<'SQL'
\set what random(1, 6)
SELECT count(*) FROM skillrating.catch_up('arena', rebuild => :what = 5, dry_run => :what = 6);
SELECT count(skillrating.settle('arena', timestamptz '2024-02-01' + (SELECT last_value FROM played) * interval '1 second')) FROM (SELECT) AS one WHERE :what = 1;
SELECT count(skillrating.decay('arena', grace => '1 minute', rate => 0.01, floor => -1000, at => timestamptz '2024-02-01' + (SELECT last_value FROM played) * interval '1 second')) FROM (SELECT) AS one WHERE :what = 2;
SQL
cat >"$scratch/read.sql" <<'SQL'
SELECT 1 / (count(*) >= 10)::int FROM skillrating.leaderboard('arena');
\sleep 20 ms
SQL

# All of it at once.
stress() {
	local status=t pids='' arm
	(cd "$scratch" && exec pgbench -n -c 7 -j 2 -T "$seconds" -f play.sql --log --log-prefix=play) >"$scratch/play.log" 2>&1 & pids+=" $!"
	(cd "$scratch" && exec pgbench -n -c 1 -T "$seconds" -f stay.sql) >"$scratch/stay.log" 2>&1 & pids+=" $!"
	for arm in correct maintain read; do
		(cd "$scratch" && exec pgbench -n -D column="'$1'" -c $([ $arm = correct ] && echo 2 || echo 1) -T "$seconds" -f $arm.sql) >"$scratch/$arm.log" 2>&1 & pids+=" $!"
	done
	for arm in $pids; do wait "$arm" || status=f; done
	grep -h 'aborted\|ERROR\|FATAL' -A 4 "$scratch"/{play,stay,correct,maintain,read}.log >&2 && status=f
	echo "$status" >"$scratch/status"
}

while read -r model column late params; do
	make_ladder "$model" "$params" "$late"
	rm -f "$scratch"/play.[0-9]*
	stress "$column"
	check "$model, $late: nothing fails" "$(cat "$scratch/status")"
	ask -c "SELECT count(*) FROM skillrating.catch_up('arena')" >/dev/null
	check "$model, $late: matches are rated, and caught up with" \
		"$(ask -c "SELECT count(*) FILTER (WHERE match_id > 20000) > 100 AND sum(corrections) > 0 FROM arena.rated_match")"
	check "$model, $late: the ladder verifies" \
		"$(ask -c "SELECT coalesce(string_agg(v::text, '; ') FILTER (WHERE NOT ok), 't') FROM skillrating.verify('arena') AS v")"
	check "$model, $late: a rebuild changes nothing" \
		"$(ask -c "SELECT count(*) = 0 FROM skillrating.catch_up('arena', search => true, rebuild => true)")"
	cat "$scratch"/play.[0-9]* | awk -v name="$model, $late" '{ n++; if ($3 > most) most = $3 }
		END { printf "%s: the longest of %d transactions took %d ms\n", name, n, most / 1000 }'
	ask -c "SELECT skillrating.drop_ladder('arena')" >/dev/null
done <<'MODELS'
glicko rating append {"c": 60}
trueskill mu reorder {"drift": 0.1}
state_space mu append {"initial_side_sigma": 0.5, "club_drift": 0.2, "draw_sigma": 0.5}
MODELS
check "no deadlock" "$(ask -c "SELECT deadlocks = 0 FROM pg_stat_database WHERE datname = current_database()")"
exit $failed
