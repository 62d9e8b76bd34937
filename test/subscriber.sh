#!/bin/bash
# A subscriber of a ladder's ratings after promotions: it stops where it lacks the name, never has
# rows of both ladders in one table, and has the publisher's rows once it has the same names.
#
#   test/cluster.sh test/subscriber.sh
#
# Prints one line for each check, "ok NAME" or "not ok NAME"; fails if any check does.

set -euo pipefail

. "$(dirname "${BASH_SOURCE[0]}")/common.sh"
begin subscriber
make_cluster s
cat >>"$scratch/s/postgresql.conf" <<-CONF
	wal_level = logical
	wal_retrieve_retry_interval = '100ms'
CONF
CLUSTER_DIRECTORY='' pg_ctl -D "$scratch/s" -l "$scratch/s.log" -o '-p 6461' -w start >/dev/null
export PGHOST=$scratch PGPORT=6461 PGUSER=postgres PGOPTIONS='-c client_min_messages=error'
on_p() { ask -d publisher "$@"; }
on_s() { ask -d subscriber "$@"; }
psql -qX -d postgres -c 'CREATE DATABASE publisher' -c 'CREATE DATABASE subscriber'

on_p -o /dev/null <<'SQL'
CREATE EXTENSION skillrating;
SELECT skillrating.create_ladder('arena', 'elo');
CREATE FUNCTION play(first int, last int) RETURNS void LANGUAGE sql AS $$
    SELECT skillrating.report_match('arena', g, ARRAY[g % 9, g % 9 + 1 + g % 3], ARRAY[1, 2], ARRAY[1 + g % 2, 2 - g % 2]) FROM generate_series(first, last) AS g $$;
SELECT play(1, 50);
CREATE PUBLICATION ratings FOR TABLE arena.rating;
SELECT pg_create_logical_replication_slot('ratings', 'pgoutput');
SQL
# The same table, as its publisher has it.
table() { on_p -c "SELECT format('CREATE TABLE %s.rating (%s, PRIMARY KEY (player_id, pool))', '$2', string_agg(format('%I %s', attname, format_type(atttypid, atttypmod)), ', ' ORDER BY attnum))
	FROM pg_attribute WHERE attrelid = '$1.rating'::regclass AND attnum > 0 AND NOT attisdropped"; }
on_s -c "CREATE SCHEMA arena" -c "$(table arena arena)" \
	-c "CREATE SUBSCRIPTION ratings CONNECTION 'host=$scratch port=6461 dbname=publisher user=postgres' PUBLICATION ratings WITH (create_slot = false, slot_name = ratings)"

rows() { ask -d "$1" -c "SELECT md5(coalesce(string_agg(to_jsonb(r)::text, ',' ORDER BY player_id, pool), '')) FROM $2.rating AS r"; }
# Whether the subscriber gets the rows of a table within 20 s.
arrives() {
	local i
	for i in $(seq 200); do
		[ "$(rows publisher "$1")" != "$(rows subscriber "$1")" ] || { echo t; return; }
		sleep 0.1
	done
	echo "$1 differs"
}
# Whether the subscriber gives up to apply within 20 s.
stops() {
	local i
	for i in $(seq 200); do
		[ "$(on_s -c 'SELECT apply_error_count > 0 FROM pg_stat_subscription_stats')" != t ] || { echo t; return; }
		sleep 0.1
	done
	echo "no error"
}
check "has the rows of the first ladder" "$(arrives arena)"

# ---- The shadow is not published ----

on_p -o /dev/null -c "SELECT skillrating.shadow_ladder('arena', 'trial', params => '{\"k\": 16}')" -c "SELECT play(51, 60)"
check "has the rows of the first ladder beside a shadow" "$(arrives arena)"
before=$(rows subscriber arena)
on_p -o /dev/null <<'SQL'
CREATE UNLOGGED TABLE refused (statements text);
DO $$
DECLARE
    detail text;
BEGIN
    PERFORM skillrating.promote_ladder('trial', 'arena_before');
EXCEPTION WHEN dependent_objects_still_exist THEN
    GET STACKED DIAGNOSTICS detail = PG_EXCEPTION_DETAIL;
    INSERT INTO refused VALUES (detail);
END
$$;
BEGIN;
SELECT skillrating.promote_ladder('trial', 'arena_before', hanging => 'keep');
DO $$ BEGIN EXECUTE (SELECT statements FROM refused); END $$;
COMMIT;
-- Only the new ladder has this, which would be taken for a row of the first.
SELECT skillrating.set_rating('arena', 3, '{"rating": 1800}');
SELECT play(61, 70);
SQL
check "the statements name the publication" "$(on_p -c "SELECT statements ~ 'ALTER PUBLICATION ratings ADD TABLE arena.rating' FROM refused")"
check "stops where it lacks the name" "$(stops)"
check "has not taken one ladder for the other" "$([ "$(rows subscriber arena)" = "$before" ] && echo t || echo f)"
on_s -c "ALTER SCHEMA arena RENAME TO arena_before" -c "CREATE SCHEMA arena" -c "$(table arena arena)" -c "ALTER SUBSCRIPTION ratings REFRESH PUBLICATION"
check "has the rows of the new ladder" "$(arrives arena)"
check "has the rows of the former ladder" "$(arrives arena_before)"
on_p -o /dev/null -c "SELECT play(71, 80)"
check "gets new rows of the new ladder" "$(arrives arena)"
check "gets new rows of the former ladder" "$(arrives arena_before)"

# ---- Both are published ----

on_s -c "SELECT pg_stat_reset_subscription_stats(oid) FROM pg_subscription" >/dev/null
on_p -o /dev/null -c "SELECT skillrating.set_rating('arena_before', 3, '{\"rating\": 1800}')"
check "has all before the way back" "$(arrives arena_before)"
before=$(rows subscriber arena)
on_p -o /dev/null -c "SELECT skillrating.promote_ladder('arena_before', 'arena_after', hanging => 'keep')" -c "SELECT play(81, 90)"
check "stops on the way back" "$(stops)"
check "has not taken one for the other on the way back" "$([ "$(rows subscriber arena)" = "$before" ] && echo t || echo f)"
on_s -c "ALTER SCHEMA arena RENAME TO arena_after" -c "ALTER SCHEMA arena_before RENAME TO arena"
check "has the rows of the ladder in use" "$(arrives arena)"
check "has the rows of the other" "$(arrives arena_after)"
check "ratings differ between the two" "$([ "$(rows publisher arena)" != "$(rows publisher arena_after)" ] && echo t || echo f)"
on_s -c "DROP SUBSCRIPTION ratings"
on_p -o /dev/null -c "DROP PUBLICATION ratings"

# ---- A schema, and everything ----

# All tables of a ladder, as its publisher has them.
tables() {
	on_p -c "SELECT string_agg(format('CREATE TABLE %s (%s%s);', c.oid::regclass, a.columns, ', ' || pg_get_constraintdef(k.oid)), ' ')
		FROM pg_class AS c
		CROSS JOIN LATERAL (SELECT string_agg(format('%I %s', attname, format_type(atttypid, atttypmod)), ', ' ORDER BY attnum) AS columns
			FROM pg_attribute WHERE attrelid = c.oid AND attnum > 0 AND NOT attisdropped) AS a
		LEFT JOIN pg_constraint AS k ON k.conrelid = c.oid AND k.contype = 'p'
		WHERE c.relkind = 'r' AND c.relnamespace = '$1'::regnamespace"
}
n=100
shadow=arena_after
for target in "TABLES IN SCHEMA arena" "ALL TABLES"; do
	on_s -o /dev/null -c "DROP SCHEMA IF EXISTS arena, $shadow CASCADE"
	on_s -o /dev/null -c "CREATE SCHEMA arena" -c "$(tables arena)" -c "CREATE SCHEMA $shadow" -c "$(tables $shadow)" -c "SELECT pg_stat_reset_subscription_stats(NULL)"
	on_p -o /dev/null -c "CREATE PUBLICATION whole FOR $target" -c "SELECT pg_create_logical_replication_slot('whole', 'pgoutput')"
	on_s -c "CREATE SUBSCRIPTION whole CONNECTION 'host=$scratch port=6461 dbname=publisher user=postgres' PUBLICATION whole WITH (create_slot = false, slot_name = whole)"
	check "$target: has the rows of the ladder" "$(arrives arena)"
	on_p -o /dev/null <<-SQL
		TRUNCATE refused;
		DO \$\$
		DECLARE
		    detail text;
		BEGIN
		    PERFORM skillrating.promote_ladder('$shadow', 'arena_$n');
		EXCEPTION WHEN dependent_objects_still_exist THEN
		    GET STACKED DIAGNOSTICS detail = PG_EXCEPTION_DETAIL;
		    INSERT INTO refused SELECT detail WHERE SQLERRM ~ 'publication whole';
		END
		\$\$;
		BEGIN;
		SELECT skillrating.promote_ladder('$shadow', 'arena_$n', hanging => 'keep');
		DO \$\$ BEGIN EXECUTE (SELECT statements FROM refused); END \$\$;
		COMMIT;
		SELECT play($n, $n + 10);
	SQL
	check "$target: stops where it lacks the name" "$(stops)"
	on_s -c "ALTER SCHEMA arena RENAME TO arena_$n" -c "ALTER SCHEMA $shadow RENAME TO arena" -c "ALTER TABLE arena_$n.match SET SCHEMA arena" \
		-c "ALTER TABLE arena_$n.match_player SET SCHEMA arena" -c "ALTER SUBSCRIPTION whole REFRESH PUBLICATION"
	shadow=arena_$n
	check "$target: has the rows of the new ladder" "$(arrives arena)"
	check "$target: has the rows of the former ladder" "$(arrives $shadow)"
	on_p -o /dev/null -c "SELECT play($n + 11, $n + 20)"
	check "$target: gets new rows of the new ladder" "$(arrives arena)"
	check "$target: gets new rows of the former ladder" "$(arrives $shadow)"
	on_s -c "DROP SUBSCRIPTION whole"
	on_p -o /dev/null -c "DROP PUBLICATION whole"
	n=$((n + 100))
done
exit $failed
