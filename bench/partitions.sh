#!/bin/bash
# Measure what a history in partitions costs: the same duels in a table of events, in ten partitions and
# in a hundred, of which a match of twelve is rated in a transaction of its own, and readers are called.
#
#   bench/partitions.sh
#
# It works on a throw-away cluster unless PGHOST is set.  SCALE=0.1 takes a quick look.  All are milliseconds
# of the processor of one session, in which plans are made anew for each call of a reader; median of the
# rounds, in which the ladders take turns.

set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

. bench/common.sh
begin bench/partitions.sh 3

matches=$(sized 100000)
calls=$(sized 1000)
few=$(sized 200)
arms='one ten hundred'

sql -o /dev/null <<SQL
CREATE FUNCTION processor() RETURNS float8 LANGUAGE sql VOLATILE AS \$\$
	SELECT 10 * (s[12]::float8 + s[13]::float8)
	FROM string_to_array(regexp_replace(pg_read_file('/proc/self/stat'), '^.*\) ', ''), ' ') AS s
\$\$;
CREATE PROCEDURE play(ladder text, first int, n int) LANGUAGE plpgsql AS \$\$
BEGIN
	FOR i IN first .. first + n - 1 LOOP
		EXECUTE format('INSERT INTO %I.match (match_id, played_at) VALUES (\$1, timestamptz ''2020-01-01'' + \$1 * interval ''10 min'')', ladder) USING i;
		EXECUTE format('INSERT INTO %I.match_player (match_id, player_id, team, rank)
			SELECT \$1, (\$1 * 7919 + k * 13) %% 500, k %% 2, 1 + k %% 2 FROM generate_series(1, 12) AS k', ladder) USING i;
		COMMIT;
	END LOOP;
END
\$\$;
CREATE PROCEDURE ask(ladder text, query text, n int) LANGUAGE plpgsql AS \$\$
BEGIN
	FOR i IN 1 .. n LOOP
		EXECUTE format('SELECT count(*) FROM skillrating.%s AS f', query) USING ladder, i * 37 % 500;
	END LOOP;
END
\$\$;
SQL
for arm in $arms; do
	sql -o /dev/null <<-SQL
		SELECT skillrating.create_ladder('$arm', 'elo');
		INSERT INTO $arm.match (match_id, played_at)
		SELECT i, timestamptz '2020-01-01' + i * interval '10 min' FROM generate_series(1, $matches) AS i;
		INSERT INTO $arm.match_player (match_id, player_id, team, rank)
		SELECT i, (i * 7919 + t * (1 + i % 400)) % 500, t, t FROM generate_series(1, $matches) AS i, generate_series(1, 2) AS t;
	SQL
done
sql -o /dev/null -c "SELECT skillrating.partition_history('ten', $((matches / 8)))" \
	-c "SELECT skillrating.partition_history('hundred', $((matches / 98)))" -c 'VACUUM ANALYZE'
printf '%-40s %10s %10s %10s\n' 'milliseconds of the processor' none "$(sql -c "SELECT count(*) FROM pg_inherits WHERE inhparent = 'ten.event'::regclass")" \
	"$(sql -c "SELECT count(*) FROM pg_inherits WHERE inhparent = 'hundred.event'::regclass")"

# measure NAME CALLS BEFORE STATEMENT: with LADDER in the place of the name.
measure() {
	local round arm
	for arm in $arms; do : >"$scratch/$arm"; done
	for round in $(seq "$rounds"); do
		for arm in $arms; do
			sql <<-SQL | tail -1 >>"$scratch/$arm"
				${3//LADDER/$arm}
				SELECT processor() AS before \gset
				${4//LADDER/$arm}
				SELECT (processor() - :before) / $2;
			SQL
		done
	done
	printf '%-40s %10.2f %10.2f %10.2f\n' "$1" "$(median "$scratch/one")" "$(median "$scratch/ten")" "$(median "$scratch/hundred")"
}
reader() {
	measure "$1" "$3" "CALL ask('LADDER', \$\$$2\$\$, 10);" "CALL ask('LADDER', \$\$$2\$\$, $3);"
}
sql -o /dev/null -c 'CREATE SEQUENCE number'
measure 'a match of twelve' "$calls" "CALL play('LADDER', $matches + nextval('number')::int * ($calls + 100), 100);" \
	"CALL play('LADDER', $matches + currval('number')::int * ($calls + 100) + 100, $calls);"
reader 'history(n => 1)' "history(\$1, \$2, n => 1)" "$calls"
reader 'history()' "history(\$1, \$2)" "$few"
reader 'rating_at(), not before the last event' "rating_at(\$1, \$2, timestamptz '2030-01-01')" "$calls"
reader 'rating_at(), before' "rating_at(\$1, \$2, timestamptz '2020-06-01')" "$few"
reader 'leaderboard()' "leaderboard(\$1)" "$calls"
reader 'leaderboard(statistics => {})' "leaderboard(\$1, statistics => '{}')" "$few"
reader 'match_journal()' "match_journal(\$1, 1 + \$2)" "$calls"
