#!/bin/bash
# Measure what notifications cost those who rate: the same matches into ladders that keep their changes
# and notify of nothing, notify by work() in a session beside, and notify at commit, turn by turn in
# one run.
#
#   bench/notify.sh
#
# It works on a throw-away cluster unless PGHOST is set.  SCALE=0.1 takes a quick look, and CLIENTS=16
# one number of clients.
# Nothing fails because of a time; the target is printed beside what was measured.

set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

. bench/common.sh
begin bench/notify.sh 9

arms='without beside commit'
for arm in $arms; do
	sql -o /dev/null -c "SELECT skillrating.create_ladder('$arm', 'elo')" -c "SELECT skillrating.keep_changes('$arm')"
	cat >"$scratch/$arm.sql" <<-SQL
		BEGIN;
		INSERT INTO "$arm".match (match_id) VALUES (nextval('bench_match'));
		INSERT INTO "$arm".match_player (match_id, player_id, team, rank) VALUES
			(currval('bench_match'), (currval('bench_match') * 7919) % 10000, 1, 1),
			(currval('bench_match'), (currval('bench_match') * 7919 + 811) % 10000, 2, 2);
		COMMIT;
	SQL
done
sql -c 'CREATE SEQUENCE bench_match'
sql -o /dev/null -c "SELECT skillrating.notify_changes('beside', 'beside', '1 second')" \
	-c "SELECT skillrating.notify_changes('commit', 'commit', at_commit => true)"

# One round: matches by so many clients, with work() beside where it belongs; the time by the clock
# and of the processor for each match.
round() {
	local arm=$1 clients=$2 n=$3 began worker=''
	if [ "$arm" = beside ]; then
		sql -o /dev/null -c "CALL skillrating.work('beside', run_for => '10 minutes')" 2>/dev/null &
		worker=$!
	fi
	began=$(processor)
	pgbench -n -c "$clients" -j 2 -t "$n" -f "$scratch/$arm.sql" 2>/dev/null |
		sed -n 's/^tps = \([0-9.]*\).*/\1/p' | awk '{ print 1 / $1 }' >>"$scratch/$arm.clock"
	if [ -n "$worker" ]; then
		sql -o /dev/null -c "SELECT pg_terminate_backend(pid, 5000) FROM pg_stat_activity WHERE query LIKE 'CALL skillrating.work%'"
		wait $worker 2>/dev/null || :
	fi
	sleep 0.2
	awk -v a="$began" -v b="$(processor)" -v n=$((clients * n)) 'BEGIN { print (b - a) / n }' >>"$scratch/$arm.processor"
}

for clients in ${CLIENTS:-16 64}; do
	for arm in $arms; do
		round "$arm" $clients "$(sized $((1600 / clients)))"
		: >"$scratch/$arm.clock"
		: >"$scratch/$arm.processor"
	done
	for _ in $(seq "$rounds"); do
		for arm in $arms; do
			round "$arm" $clients "$(sized $((8000 / clients)))"
		done
	done
	for what in clock processor; do
		report "$clients clients, work() beside, $what" "$scratch/beside.$what" "$scratch/without.$what" 'at most 1.05'
		report "$clients clients, at commit, $what" "$scratch/commit.$what" "$scratch/without.$what" ''
	done
	awk -v a="$(median "$scratch/without.clock")" -v b="$(median "$scratch/beside.clock")" -v c="$(median "$scratch/commit.clock")" \
		'BEGIN { printf "    %.0f matches/s without, %.0f with work() beside, %.0f at commit\n", 1 / a, 1 / b, 1 / c }'
done
sql -c "SELECT format('    %s matches with work() beside; the last notification told %s changes', count(*), (SELECT done FROM beside.work)) FROM beside.rated_match"
