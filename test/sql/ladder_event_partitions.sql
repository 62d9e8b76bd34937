-- A ladder whose history is partitioned is, bit for bit, what one without partitions is; partitions
-- are made when they are needed, old ones leave, and reading the last events touches few.
SET timezone = 'UTC';
\set SHOW_CONTEXT never

-- Matches of two teams of two, in two pools, with all that models and components read.
CREATE FUNCTION play(ladder text, first int, last int) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
    EXECUTE format(
        'INSERT INTO %I.match (match_id, played_at, pool, context)
        SELECT i, timestamptz ''2024-01-01'' + i * interval ''5 hours'',
            CASE WHEN i %% 5 = 0 THEN ''other'' ELSE '''' END, ''map '' || i %% 3
        FROM generate_series($1, $2) AS i', ladder)
    USING first, last;
    EXECUTE format(
        'INSERT INTO %I.match_player (match_id, player_id, team, side, rank, score, club)
        SELECT i, 1 + (i * 7 + k * (1 + i %% 3)) %% 13, 1 + k / 2, 1 + k / 2,
            CASE WHEN i %% 7 = 0 THEN 1 ELSE 1 + (k / 2 + i / 3) %% 2 END,
            CASE WHEN i %% 7 = 0 THEN 1 ELSE 2 - (k / 2 + i / 3) %% 2 END, ''club '' || (i + k) %% 2
        FROM generate_series($1, $2) AS i, generate_series(0, 3) AS k', ladder)
    USING first, last;
    SET CONSTRAINTS ALL IMMEDIATE;
    SET CONSTRAINTS ALL DEFERRED;
END
$$;
-- One by one, each a batch of its own.
CREATE FUNCTION play_singly(ladder text, first int, last int) RETURNS void LANGUAGE sql AS
$$ SELECT play(ladder, i, i) FROM generate_series(first, last) AS i $$;

-- How many rows are in the one ladder and not in the other.
CREATE FUNCTION differences(a text, b text) RETURNS bigint LANGUAGE plpgsql AS $$
DECLARE
    n bigint := 0;
    found bigint;
    query text;
BEGIN
    FOREACH query IN ARRAY ARRAY[
        'SELECT r::text FROM %1$I.rating AS r',
        'SELECT c::text FROM %1$I.component AS c',
        'SELECT e::text FROM %1$I.event AS e WHERE e.seq > (SELECT coalesce(l.horizon, 0) FROM %2$I.ladder AS l)',
        'SELECT e::text FROM %1$I.component_event AS e WHERE e.seq > (SELECT coalesce(l.horizon, 0) FROM %2$I.ladder AS l)',
        'SELECT (m.match_id, m.status, m.reason, m.seq, m.digest)::text FROM %1$I.rated_match AS m']
    LOOP
        EXECUTE format('SELECT count(*) FROM ((%1$s EXCEPT ALL %2$s) UNION ALL (%2$s EXCEPT ALL %1$s)) AS d',
            format(query, a, b), format(query, b, b))
        INTO found;
        n := n + found;
    END LOOP;
    RETURN n;
END
$$;
CREATE FUNCTION sound(ladder text) RETURNS boolean LANGUAGE sql AS
$$ SELECT bool_and(v.ok) FROM skillrating.verify(ladder) AS v $$;
CREATE FUNCTION partitions(ladder text, relation text DEFAULT 'event') RETURNS SETOF text LANGUAGE sql AS $$
    SELECT c.relname || ' ' || pg_get_expr(c.relpartbound, c.oid)
    FROM pg_inherits AS i JOIN pg_class AS c ON c.oid = i.inhrelid
    WHERE i.inhparent = format('%I.%I', ladder, relation)::regclass
    ORDER BY length(c.relname), c.relname
$$;
-- Partitions of which a query of a text has nodes in its plan.
CREATE FUNCTION touched(query text) RETURNS bigint LANGUAGE plpgsql AS $$
DECLARE
    plan json;
BEGIN
    EXECUTE 'EXPLAIN (FORMAT json) ' || query INTO plan;
    RETURN (SELECT count(DISTINCT m.name[1])
        FROM regexp_matches(plan::text, '"Relation Name": "(event_[0-9]+)"', 'g') AS m(name));
END
$$;

-- A life: matches at once and one by one, corrections, seasons, operations, matches that come late.
CREATE FUNCTION live(ladder text) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
    PERFORM play_singly(ladder, 61, 90);
    PERFORM skillrating.new_season(ladder, 'second', at => '2024-01-20');
    PERFORM play(ladder, 101, 400);
    EXECUTE format('UPDATE %I.match_player SET rank = 3 - rank WHERE match_id IN (3, 70, 333)', ladder);
    EXECUTE format('DELETE FROM %I.match_player WHERE match_id = 44', ladder);
    PERFORM skillrating.void_match(ladder, 150, 'void');
    PERFORM count(*) FROM skillrating.catch_up(ladder);
    PERFORM skillrating.settle(ladder, at => '2024-03-30');
    -- Late, for those who have played since.
    PERFORM play(ladder, 91, 100);
    PERFORM count(*) FROM skillrating.catch_up(ladder);
    PERFORM skillrating.set_rating(ladder, 5, state => (
            SELECT jsonb_object_agg(k.key, k.value) FROM skillrating.models() AS m,
                LATERAL (SELECT m.state_columns[1] AS key, 20 AS value) AS k
            WHERE m.name = CASE WHEN ladder LIKE 'elo%' THEN 'elo' ELSE 'state_space' END),
        at => '2024-04-01');
    PERFORM skillrating.merge_players(ladder, 12, 11);
    PERFORM count(*) FROM skillrating.catch_up(ladder);
    PERFORM play_singly(ladder, 401, 460);
    PERFORM count(*) FROM skillrating.catch_up(ladder, rebuild => true);
    PERFORM skillrating.forget_player(ladder, 3, 103);
END
$$;
CREATE FUNCTION make(ladder text, model text, late text, params jsonb DEFAULT '{}') RETURNS void LANGUAGE plpgsql AS $$
BEGIN
    PERFORM skillrating.create_ladder(ladder, model, params, late => late);
    PERFORM play(ladder, 1, 60);
END
$$;

-- Elo, which appends, with matches that are there moved into partitions.
SELECT make('elo_a', 'elo', 'append');
SELECT make('elo_b', 'elo', 'append');
SELECT skillrating.partition_history('elo_b', rows => 25);
SELECT partitions('elo_b');
SELECT differences('elo_a', 'elo_b');
SELECT live('elo_a');
SELECT live('elo_b');
SELECT differences('elo_a', 'elo_b'), sound('elo_a'), sound('elo_b');
SELECT detail FROM skillrating.verify('elo_b') WHERE check_name = 'partitions';

-- Components, in a ladder that reorders; the table as it was is the first partition.
SELECT make('space_a', 'state_space', 'reorder', '{"home_sigma": 0.5, "club_sigma": 0.4}');
SELECT make('space_b', 'state_space', 'reorder', '{"home_sigma": 0.5, "club_sigma": 0.4}');
SELECT skillrating.partition_history('space_b', rows => 100, move => false);
SELECT partitions('space_b');
SELECT partitions('space_b', 'component_event');
SELECT live('space_a');
SELECT live('space_b');
SELECT differences('space_a', 'space_b'), sound('space_a'), sound('space_b');

-- A batch that is large enough for COPY, over many partitions; and a new size from then on.
SELECT skillrating.partition_history('elo_b', rows => 300) > 3 AS more;
SELECT play('elo_a', 1001, 2500);
SELECT play('elo_b', 1001, 2500);
SELECT differences('elo_a', 'elo_b'), sound('elo_b');

-- Backfill, and the task that makes partitions ahead.
SELECT skillrating.create_ladder('wait', 'elo', apply_at => 'manual');
SELECT skillrating.partition_history('wait', 10);
SELECT play('wait', 1, 100);
CALL skillrating.backfill('wait', 30);
SELECT count(*) FROM partitions('wait');
SELECT max(partitions) FROM partitions('wait') WHERE partitions LIKE 'event\_1__ %';
SELECT sound('wait');

-- What touches how many of all these: few places are planned for where constants bound them.
SELECT count(*) > 25 AS many FROM partitions('elo_b');
SELECT touched(format('SELECT FROM elo_b.event AS e WHERE e.player_id = 4 AND e.pool = '''' AND e.seq >= %s',
    (SELECT min(h.seq) FROM skillrating.history('elo_b', 4, n => 1) AS h))) AS last_event;
-- Functions lock no others: neither plans nor what runs goes near them.
CREATE FUNCTION locked() RETURNS bigint LANGUAGE sql AS $$
    SELECT count(DISTINCT k.relation) FROM pg_locks AS k
    WHERE k.pid = pg_backend_pid() AND k.relation IN (
        SELECT i.inhrelid FROM pg_inherits AS i WHERE i.inhparent = 'elo_b.event'::regclass)
$$;
BEGIN;
SELECT count(*), locked() FROM skillrating.history('elo_b', 4, n => 3);
COMMIT;
BEGIN;
SELECT skillrating.rating_at('elo_b', 4, '2027-01-01') IS NOT NULL AS rated, locked();
COMMIT;
BEGIN;
SELECT play('elo_b', 2601, 2601), play('elo_a', 2601, 2601), locked();
COMMIT;
SELECT (SELECT array_agg(h.*::text) FROM skillrating.history('elo_a', p.id, n => p.n, pool => p.pool) AS h)
    IS NOT DISTINCT FROM (SELECT array_agg(h.*::text) FROM skillrating.history('elo_b', p.id, n => p.n, pool => p.pool) AS h) AS same,
    count(*)
FROM (SELECT p AS id, n, pool FROM generate_series(1, 14) AS p, unnest('{1,2,7,1000,null}'::int[]) AS n,
    unnest('{"",other,none}'::text[]) AS pool) AS p
GROUP BY 1;
SELECT skillrating.rating_at('elo_a', p.id, a.at, p.pool) IS NOT DISTINCT FROM skillrating.rating_at('elo_b', p.id, a.at, p.pool) AS same,
    count(*)
FROM (SELECT p AS id, pool FROM generate_series(1, 14) AS p, unnest('{"",other,none}'::text[]) AS pool) AS p,
    unnest('{2024-01-15,2024-03-25,2024-04-02,2025-04-02,2026-01-01}'::timestamptz[]) AS a(at)
GROUP BY 1;
-- At the time of the last event and later, no event is read: the rating is the one that is stored.
SELECT count(*) FILTER (WHERE skillrating.rating_at('elo_b', r.player_id, r.as_of, r.pool) = r.rating) = count(*) AS same
FROM elo_b.rating AS r WHERE r.as_of IS NOT NULL;
SELECT (SELECT array_agg(b.*::text) FROM skillrating.leaderboard('elo_a', statistics => '{}') AS b)
    = (SELECT array_agg(b.*::text) FROM skillrating.leaderboard('elo_b', statistics => '{}') AS b) AS same;
SELECT (SELECT array_agg(b.*::text) FROM skillrating.season_table('elo_a', 'second') AS b)
    = (SELECT array_agg(b.*::text) FROM skillrating.season_table('elo_b', 'second') AS b) AS same;

-- A trigger on a partition, a column of the user's and rights that are given up take the queries.
CREATE TABLE seen (seq bigint);
CREATE FUNCTION see() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN INSERT INTO public.seen VALUES (NEW.seq); RETURN NULL; END $$;
CREATE TRIGGER see AFTER INSERT ON elo_b.event FOR EACH ROW EXECUTE FUNCTION see();
ALTER TABLE elo_b.event ADD COLUMN note text DEFAULT 'new';
SELECT play_singly('elo_a', 3001, 3003), play_singly('elo_b', 3001, 3003);
SELECT count(*), count(DISTINCT seq) FROM seen;
SELECT count(*) FROM elo_b.event WHERE note = 'new' AND seq IN (SELECT seq FROM seen);
DROP TRIGGER see ON elo_b.event;
SELECT format('CREATE TRIGGER see AFTER INSERT ON %s FOR EACH ROW EXECUTE FUNCTION see()', max(i.inhrelid)::regclass)
FROM pg_inherits AS i WHERE i.inhparent = 'elo_b.event'::regclass \gexec
ALTER TABLE elo_b.event DROP COLUMN note;
SELECT play('elo_a', 3004, 3400), play('elo_b', 3004, 3400);
SELECT count(DISTINCT seq) > 3 FROM seen;
SELECT differences('elo_a', 'elo_b'), sound('elo_b');

SELECT format('DROP TRIGGER see ON %s', t.tgrelid::regclass) FROM pg_trigger AS t WHERE t.tgname = 'see' \gexec

-- Storage parameters of the last partition go on; the names of detached ones are taken.
SELECT format('ALTER TABLE %s SET (fillfactor = 70)', max(i.inhrelid)::regclass)
FROM pg_inherits AS i WHERE i.inhparent = 'wait.event'::regclass \gexec
SELECT play('wait', 101, 130);
SELECT count(*) FROM skillrating.catch_up('wait');
SELECT count(*) > 0 AS kept FROM pg_inherits AS i JOIN pg_class AS c ON c.oid = i.inhrelid
WHERE i.inhparent = 'wait.event'::regclass AND c.reloptions = '{fillfactor=70}' HAVING count(*) > 1;

-- What is old leaves, and life goes on.
SELECT skillrating.detach_history('elo_a', '2024-02-01');
SELECT d.horizon, d.players, d.detached FROM skillrating.detach_history('elo_b', '2024-02-01') AS d;
SELECT differences('elo_a', 'elo_b'), sound('elo_b');
SELECT count(*) > 0 FROM elo_b.event_50;
SELECT min(seq) <= (SELECT horizon + 1 FROM elo_b.ladder) AS first FROM elo_b.event;
SELECT skillrating.void_match('elo_b', 7);
SELECT play('elo_a', 3501, 3520), play('elo_b', 3501, 3520);
UPDATE elo_a.match_player SET rank = 3 - rank WHERE match_id = 2000;
UPDATE elo_b.match_player SET rank = 3 - rank WHERE match_id = 2000;
SELECT (SELECT count(*) FROM skillrating.catch_up('elo_a')) = (SELECT count(*) FROM skillrating.catch_up('elo_b')) AS same;
SELECT count(*) >= 0 FROM skillrating.catch_up('elo_b', rebuild => true);
SELECT differences('elo_a', 'elo_b'), sound('elo_b');
-- A partition comes back for those who read, and may go for good.
SELECT count(*) FROM skillrating.history('elo_b', 4) AS h WHERE h.seq < 75;
ALTER TABLE elo_b.event ATTACH PARTITION elo_b.event_50 FOR VALUES FROM (50) TO (75);
SELECT count(*) > 0 AS back FROM skillrating.history('elo_b', 4) AS h WHERE h.seq < 75;
SELECT sound('elo_b');
DROP TABLE elo_b.event_0;
SELECT sound('elo_b');
-- Components leave, too.
SELECT d.detached FROM skillrating.detach_history('space_b', '2024-03-01') AS d;
SELECT sound('space_b');
SELECT play('space_b', 471, 480);
SELECT sound('space_b');

-- Rights are those of the table; partitions have none.
CREATE ROLE regress_reader;
SELECT skillrating.grant_reader('space_a', 'regress_reader');
SELECT skillrating.partition_history('space_a', 200);
SET ROLE regress_reader;
SELECT count(*) > 0 FROM space_a.event;
SELECT count(*) FROM space_a.event_0;
SELECT count(*) > 0 FROM skillrating.history('space_a', 4);
RESET ROLE;
SELECT obj_description('space_a.event'::regclass) LIKE 'History: a row%' AS described,
    pg_get_serial_sequence('space_a.event', 'seq'),
    (SELECT relreplident FROM pg_class WHERE oid = 'space_a.component_event_0'::regclass);
SELECT indexdef FROM pg_indexes WHERE schemaname = 'space_a' AND tablename = 'event' ORDER BY indexname;

-- Back into one table, and empty again.
SELECT differences('space_a', 'space_a');
SELECT skillrating.partition_history('space_a', NULL);
SELECT relkind FROM pg_class WHERE oid IN ('space_a.event'::regclass, 'space_a.component_event'::regclass);
SELECT sound('space_a');
SELECT indexdef FROM pg_indexes WHERE schemaname = 'space_a' AND tablename = 'event' ORDER BY indexname;
SELECT matches > 0 AS emptied FROM skillrating.reset_ladder('space_b');
SELECT play('space_b', 1, 30);
SELECT sound('space_b');

-- What is refused, and left as it was.
SELECT skillrating.partition_history('space_a', 0);
SELECT skillrating.partition_history(NULL, 1);
SELECT skillrating.partition_history('nowhere', 1);
CREATE VIEW over_events AS SELECT seq FROM space_a.event;
CREATE TRIGGER see AFTER INSERT ON space_a.event FOR EACH ROW EXECUTE FUNCTION see();
SELECT skillrating.partition_history('space_a', 100);
DROP VIEW over_events;
DROP TRIGGER see ON space_a.event;
SET ROLE regress_reader;
SELECT skillrating.partition_history('space_a', 100);
SELECT skillrating.detach_history('space_a', '2024-02-01');
SELECT skillrating_internal.make_partitions('space_b', 10000, 1);
RESET ROLE;
-- A partition of another role would run its triggers as the ladder's owner.
SELECT skillrating.partition_history('space_a', 100) > 3;
ALTER TABLE space_a.event_100 OWNER TO regress_reader;
SELECT count(*) FROM skillrating.history('space_a', 4);
ALTER TABLE space_a.event_100 OWNER TO CURRENT_USER;
SELECT count(*) > 0 FROM skillrating.history('space_a', 4);

-- Faults are found: a gap, a default partition.
BEGIN;
ALTER TABLE space_a.event DETACH PARTITION space_a.event_200;
SELECT ok, detail FROM skillrating.verify('space_a') WHERE check_name = 'partitions';
ROLLBACK;
BEGIN;
CREATE TABLE space_a.rest PARTITION OF space_a.event DEFAULT;
SELECT ok, detail FROM skillrating.verify('space_a') WHERE check_name = 'partitions';
ROLLBACK;
BEGIN;
SELECT format('DROP TABLE %s', string_agg(i.inhrelid::regclass::text, ', ' ORDER BY i.inhrelid)) FROM pg_inherits AS i
WHERE i.inhparent = 'space_a.event'::regclass \gexec
SELECT ok, detail FROM skillrating.verify('space_a') WHERE check_name = 'partitions';
ROLLBACK;

-- Where nothing can be made ahead rating goes on with a warning, and fails only without any room.
SELECT skillrating.create_ladder('full', 'elo', apply_at => 'statement', on_error => 'raise');
SELECT skillrating.partition_history('full', 100);
UPDATE "full".ladder SET partition_rows = NULL;
SELECT play('full', 1, 290);
SELECT sound('full');
SELECT play('full', 291, 310);
UPDATE "full".ladder SET partition_rows = 100;
SELECT play('full', 291, 310);
SELECT sound('full');
-- Whatever keeps partitions from being made ahead is a warning.
CREATE FUNCTION refuse() RETURNS event_trigger LANGUAGE plpgsql AS $$ BEGIN RAISE EXCEPTION 'no tables today'; END $$;
CREATE EVENT TRIGGER refuse ON ddl_command_start WHEN tag IN ('CREATE TABLE') EXECUTE FUNCTION refuse();
SELECT play('full', 311, 470);
DROP EVENT TRIGGER refuse;
DROP FUNCTION refuse();
SELECT sound('full');
-- In use by a cursor, it is left for later; without room that is an error.
BEGIN;
DECLARE c CURSOR FOR SELECT seq FROM "full".event WHERE seq > (SELECT 0) ORDER BY seq;
FETCH 1 FROM c;
SELECT play('full', 471, 475);
SELECT play('full', 476, 800);
ROLLBACK;
SELECT play('full', 476, 800);
SELECT sound('full');

-- Where a partition has another default than the table, that of the table counts.
SELECT skillrating.create_ladder('noted', 'elo');
SELECT skillrating.partition_history('noted', 10);
ALTER TABLE noted.event ADD note text DEFAULT 'both';
SELECT play('noted', 1, 2);
ALTER TABLE ONLY noted.event ALTER note SET DEFAULT 'table';
SELECT play('noted', 3, 4);
ALTER TABLE noted.event_0 ALTER note SET DEFAULT 'partition';
SELECT play('noted', 5, 6);
SELECT match_id, min(note) AS note, count(*) FROM noted.event GROUP BY match_id ORDER BY match_id;

-- What has the type of the rows would stay with the table of before.
CREATE FUNCTION place_of(noted.event) RETURNS bigint LANGUAGE sql AS 'SELECT $1.seq';
CREATE TABLE events_of (player_id bigint, events noted.event[]);
SELECT skillrating.partition_history('noted', NULL);
DROP FUNCTION place_of;
DROP TABLE events_of;

-- Default privileges give nobody more than there was on the table.
SELECT skillrating.create_ladder('bare', 'elo');
CREATE ROLE regress_default;
ALTER DEFAULT PRIVILEGES IN SCHEMA bare GRANT ALL ON TABLES TO regress_default, PUBLIC;
SELECT skillrating.partition_history('bare', 10);
SELECT skillrating.partition_history('bare', 20);
SELECT count(*), count(*) FILTER (WHERE has_table_privilege('regress_default', oid, 'SELECT, INSERT'))
FROM pg_class WHERE relnamespace = 'bare'::regnamespace AND relname ~ '^event' AND relkind IN ('r', 'p');
SELECT skillrating.partition_history('bare', NULL);
SELECT has_table_privilege('regress_default', 'bare.event', 'SELECT, INSERT');
DROP OWNED BY regress_default;
DROP ROLE regress_default;

-- Partitions are stored as the table was, and the table that joins them as the last one.
SET allow_in_place_tablespaces = true;
CREATE TABLESPACE regress_partitions LOCATION '';
CREATE FUNCTION stored(ladder text) RETURNS SETOF text LANGUAGE sql AS $$
    SELECT concat_ws(' ', c.relname, c.reloptions::text, t.spcname)
    FROM pg_class AS c LEFT JOIN pg_tablespace AS t ON t.oid = c.reltablespace
    WHERE c.relnamespace = to_regnamespace(ladder) AND c.relname ~ '^event' AND c.relkind = 'r'
    ORDER BY length(c.relname), c.relname
$$;
ALTER TABLE bare.event SET (fillfactor = 80, autovacuum_enabled = false);
ALTER TABLE bare.event SET TABLESPACE regress_partitions;
SELECT play('bare', 1, 4);
SELECT skillrating.partition_history('bare', 10);
SELECT stored('bare');
ALTER TABLE bare.event_20 SET (fillfactor = 90);
SELECT skillrating.partition_history('bare', NULL);
SELECT stored('bare');
ALTER TABLE bare.event SET TABLESPACE pg_default;
DROP TABLESPACE regress_partitions;
DROP FUNCTION stored;

SELECT skillrating.drop_ladder(l) FROM unnest('{elo_a,space_a,wait,full,noted,bare}'::text[]) AS l;
-- Tables that were detached are the owner's to keep.
SELECT skillrating.drop_ladder('elo_b');
SELECT format('DROP TABLE %I.%I', n.nspname, c.relname) FROM pg_class AS c JOIN pg_namespace AS n ON n.oid = c.relnamespace
WHERE n.nspname IN ('elo_b', 'space_b') AND c.relkind = 'r' AND c.relname ~ '^(component_)?event_[0-9]' AND NOT c.relispartition
ORDER BY n.nspname, c.relname COLLATE "C" \gexec
SELECT skillrating.drop_ladder(l) FROM unnest('{elo_b,space_b}'::text[]) AS l;
DROP OWNED BY regress_reader;
DROP ROLE regress_reader;
DROP TABLE seen;
DROP FUNCTION locked, see, play, play_singly, differences, sound, partitions, touched, live, make;
