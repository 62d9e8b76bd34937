-- Whatever users have hung on the tables of a ladder stays with its name when another formula
-- takes its place, and goes on working: the tables exchange their rows.
\set SHOW_CONTEXT never
SET extra_float_digits = 1;
SET client_min_messages = warning;

CREATE FUNCTION play(first int, last int) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
    INSERT INTO arena.match (match_id, played_at) SELECT g, '2024-01-01'::timestamptz + g * interval '1 hour' FROM generate_series(first, last) AS g;
    INSERT INTO arena.match_player (match_id, player_id, team, rank) SELECT g, (g + i) % 6 + 1, i, i FROM generate_series(first, last) AS g, generate_series(1, 2) AS i;
END
$$;
CREATE FUNCTION well(ladder text) RETURNS boolean LANGUAGE sql AS $$ SELECT bool_and(ok) FROM skillrating.verify(ladder) $$;
CREATE ROLE regress_exchange_reader;

SELECT skillrating.create_ladder('arena', 'elo');
SELECT play(1, 40);
SELECT skillrating.void_match('arena', 3);
SELECT operation > 0 AS excluded FROM skillrating.exclude_player('arena', 6, '-infinity', '2024-01-01 05:00') AS x(operation);
SELECT count(*) > 0 AS changed FROM skillrating.catch_up('arena');
SELECT skillrating.rerate('arena', params => '{"k": 16}', "into" => 'trial');
SELECT skillrating.rerate('arena', 'glicko', "into" => 'third');

-- One of each kind on every table; nothing may hang on pending.
CREATE SCHEMA hung;
CREATE TABLE hung.fired (relation name, operation text);
CREATE FUNCTION hung.note() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN INSERT INTO hung.fired VALUES (TG_TABLE_NAME, TG_OP); RETURN NULL; END $$;
CREATE FUNCTION hang(relation text) RETURNS void LANGUAGE plpgsql AS $$
DECLARE
    first_column name := (SELECT attname FROM pg_attribute WHERE attrelid = format('arena.%I', relation)::regclass AND attnum = 1);
    second_column name := (SELECT attname FROM pg_attribute WHERE attrelid = format('arena.%I', relation)::regclass AND attnum = 2);
    key text := (SELECT string_agg(quote_ident(a.attname), ', ' ORDER BY k.n) FROM pg_index AS x CROSS JOIN unnest(x.indkey) WITH ORDINALITY AS k(attnum, n)
        JOIN pg_attribute AS a ON a.attrelid = x.indrelid AND a.attnum = k.attnum WHERE x.indrelid = format('arena.%I', relation)::regclass AND x.indisprimary);
BEGIN
    EXECUTE format('CREATE VIEW hung.%1$I_view AS SELECT %2$I, %3$I FROM arena.%1$I', relation, first_column, second_column);
    EXECUTE format('CREATE MATERIALIZED VIEW hung.%1$I_stored AS SELECT %2$I AS first FROM arena.%1$I', relation, first_column);
    EXECUTE format('GRANT SELECT, UPDATE (%2$I) ON arena.%1$I TO regress_exchange_reader', relation, first_column);
    EXECUTE format('CREATE TRIGGER noted AFTER INSERT OR UPDATE OR DELETE ON arena.%I FOR EACH STATEMENT EXECUTE FUNCTION hung.note()', relation);
    EXECUTE format('ALTER TABLE arena.%I ENABLE ROW LEVEL SECURITY', relation);
    EXECUTE format('CREATE POLICY mine ON arena.%1$I FOR SELECT TO regress_exchange_reader USING (%2$I IS NOT NULL)', relation, first_column);
    EXECUTE format('COMMENT ON TABLE arena.%I IS ''table %1$s''', relation);
    EXECUTE format('COMMENT ON COLUMN arena.%I.%I IS ''column''', relation, first_column);
    EXECUTE format('CREATE STATISTICS hung.%1$I_statistics ON %2$I, %3$I FROM arena.%1$I', relation, first_column, second_column);
    EXECUTE format('CREATE INDEX %1$s_own ON arena.%1$I USING hash (%2$I) WITH (fillfactor = 60) WHERE %2$I IS NOT NULL', relation, second_column);
    EXECUTE format('ALTER TABLE arena.%1$I ADD CONSTRAINT %1$s_sane CHECK (%2$I IS NOT NULL OR %2$I IS NULL)', relation, first_column);
    EXECUTE format('ALTER TABLE arena.%1$I SET (autovacuum_enabled = false, toast.autovacuum_enabled = false)', relation);
    EXECUTE format('CREATE TABLE hung.%1$I_child () INHERITS (arena.%1$I)', relation);
    EXECUTE format('ALTER TABLE hung.%1$I_child REPLICA IDENTITY FULL', relation);
    IF key IS NOT NULL THEN
        EXECUTE format('CREATE TABLE hung.%1$I_follower AS SELECT %2$s FROM arena.%1$I', relation, key);
        EXECUTE format('ALTER TABLE hung.%1$I_follower ADD FOREIGN KEY (%2$s) REFERENCES arena.%1$I DEFERRABLE INITIALLY DEFERRED', relation, key);
    END IF;
END
$$;
CREATE FUNCTION hangings() RETURNS SETOF text LANGUAGE sql AS $$
    WITH relation AS (SELECT c.* FROM pg_class AS c WHERE c.relnamespace = 'arena'::regnamespace AND c.relkind IN ('r', 'S', 'v'))
    SELECT format('%s %s %s %s %s %s %s', c.oid, c.relname, c.relacl, c.reloptions, c.relrowsecurity, c.relreplident, t.reloptions)
    FROM relation AS c LEFT JOIN pg_class AS t ON t.oid = c.reltoastrelid
    UNION ALL SELECT format('%s.%s %s %s', c.relname, a.attname, a.attnum, a.attacl) FROM relation AS c JOIN pg_attribute AS a ON a.attrelid = c.oid WHERE NOT a.attisdropped
    UNION ALL SELECT format('default %s.%s %s', c.relname, d.adnum, pg_get_expr(d.adbin, d.adrelid)) FROM relation AS c JOIN pg_attrdef AS d ON d.adrelid = c.oid
    UNION ALL SELECT format('constraint %s %s', k.oid, pg_get_constraintdef(k.oid)) FROM relation AS c JOIN pg_constraint AS k ON c.oid IN (k.conrelid, k.confrelid)
    UNION ALL SELECT format('index %s %s', x.indexrelid, pg_get_indexdef(x.indexrelid)) FROM relation AS c JOIN pg_index AS x ON x.indrelid = c.oid
    UNION ALL SELECT format('trigger %s', pg_get_triggerdef(g.oid)) FROM relation AS c JOIN pg_trigger AS g ON g.tgrelid = c.oid
    UNION ALL SELECT format('rule %s', pg_get_ruledef(w.oid)) FROM relation AS c JOIN pg_rewrite AS w ON w.ev_class = c.oid WHERE c.relkind = 'r'
    UNION ALL SELECT format('policy %s %s', p.oid, pg_get_expr(p.polqual, p.polrelid)) FROM relation AS c JOIN pg_policy AS p ON p.polrelid = c.oid
    UNION ALL SELECT format('publication %s %s', p.oid, p.prrelid) FROM relation AS c JOIN pg_publication_rel AS p ON p.prrelid = c.oid
    UNION ALL SELECT format('statistics %s', pg_get_statisticsobjdef(e.oid)) FROM relation AS c JOIN pg_statistic_ext AS e ON e.stxrelid = c.oid
    UNION ALL SELECT format('child %s', i.inhrelid) FROM relation AS c JOIN pg_inherits AS i ON i.inhparent = c.oid
    UNION ALL SELECT format('comment %s %s %s', c.relname, d.objsubid, d.description) FROM relation AS c JOIN pg_description AS d ON d.objoid = c.oid AND d.classoid = 'pg_class'::regclass
    UNION ALL SELECT format('view %s %s', c.oid, pg_get_viewdef(c.oid)) FROM pg_class AS c WHERE c.relnamespace = 'hung'::regnamespace AND c.relkind IN ('v', 'm')
$$;
-- What is seen through the views is what the tables have, by way of every index.
CREATE FUNCTION differences() RETURNS text LANGUAGE plpgsql AS $$
DECLARE
    found text := '';
    t name;
    i regclass;
    n bigint;
    m bigint;
BEGIN
    FOR t IN SELECT relname FROM pg_class WHERE relnamespace = 'hung'::regnamespace AND relkind = 'm' LOOP
        t := regexp_replace(t, '_stored$', '');
        EXECUTE format('SELECT count(*) FROM (SELECT v::text FROM hung.%1$I_view AS v EXCEPT ALL SELECT (%2$s)::text FROM arena.%1$I AS r) AS d', t,
            (SELECT format('ROW(%s)', string_agg(format('r.%I', attname), ', ' ORDER BY attnum)) FROM pg_attribute WHERE attrelid = format('hung.%I_view', t)::regclass AND attnum > 0)) INTO n;
        IF n > 0 THEN
            found := found || ' view ' || t;
        END IF;
        EXECUTE format('REFRESH MATERIALIZED VIEW hung.%I_stored', t);
        EXECUTE format('SELECT (SELECT count(*) FROM hung.%1$I_stored) - (SELECT count(*) FROM arena.%1$I)', t) INTO n;
        IF n <> 0 THEN
            found := found || ' materialized view ' || t;
        END IF;
    END LOOP;
    -- Every row is found by every key and index, and nothing else is.
    SET LOCAL enable_seqscan = off;
    SET LOCAL enable_bitmapscan = off;
    SELECT count(*), count(*) FILTER (WHERE EXISTS (SELECT FROM arena.rating AS o WHERE o.player_id = r.player_id AND o.pool = r.pool AND o.rating = r.rating)) INTO n, m FROM arena.rating AS r;
    IF n <> m OR n = 0 THEN found := found || ' rating by key'; END IF;
    SELECT count(*), count(*) FILTER (WHERE EXISTS (SELECT FROM arena.rating AS o WHERE o.pool = r.pool AND o.rating = r.rating AND o.player_id = r.player_id)) INTO n, m FROM arena.rating AS r;
    IF n <> m THEN found := found || ' rating by place'; END IF;
    SELECT count(*), count(*) FILTER (WHERE EXISTS (SELECT FROM arena.event AS o WHERE o.seq = r.seq AND o.player_id = r.player_id)) INTO n, m FROM arena.event AS r;
    IF n <> m OR n = 0 THEN found := found || ' event by seq'; END IF;
    SELECT count(*), count(*) FILTER (WHERE EXISTS (SELECT FROM arena.rated_match AS o WHERE o.match_id = r.match_id)) INTO n, m FROM arena.rated_match AS r;
    IF n <> m OR n = 0 THEN found := found || ' match by key'; END IF;
    RESET enable_seqscan;
    RESET enable_bitmapscan;
    RETURN coalesce(nullif(found, ''), 'none');
END
$$;

SELECT count(hang(t)) FROM unnest('{ladder,rating,event,component,component_event,rated_match,correction,operation}'::text[]) AS t;
CREATE RULE told AS ON DELETE TO arena.ladder WHERE old.model = 'told' DO ALSO INSERT INTO hung.fired VALUES ('ladder', 'RULE');
SET client_min_messages = error;
CREATE PUBLICATION regress_exchange FOR TABLE arena.rating, arena.event;
RESET client_min_messages;
ALTER TABLE arena.rating ALTER COLUMN games SET DEFAULT 0, ALTER COLUMN wins SET DEFAULT 7;
ALTER TABLE arena.event ALTER COLUMN reason SET STORAGE EXTERNAL;
ALTER TABLE arena.event REPLICA IDENTITY USING INDEX event_pkey;
CREATE VIEW hung.board AS SELECT player_id, rating, games FROM arena.rating WHERE pool = '' ORDER BY rating DESC;
ANALYZE arena.rating, arena.event;
CREATE TABLE hung_before AS SELECT * FROM hangings() AS h;
CREATE TABLE arena_before AS SELECT to_jsonb(r) AS row FROM arena.rating AS r UNION ALL SELECT to_jsonb(e) FROM arena.event AS e UNION ALL SELECT to_jsonb(m) FROM arena.rated_match AS m;
CREATE TABLE trial_before AS SELECT to_jsonb(r) AS row FROM trial.rating AS r UNION ALL SELECT to_jsonb(e) FROM trial.event AS e UNION ALL SELECT to_jsonb(m) FROM trial.rated_match AS m;
SELECT count(*) > 150 AS many, differences() FROM hung_before;

-- The same model with other parameters, there and back: rows change places, bit for bit, and nothing else.
SELECT skillrating.swap_ladders('arena', 'trial');
SELECT (SELECT params->>'k' FROM arena.ladder) AS arena, (SELECT params->>'k' FROM trial.ladder) AS trial, well('arena'), well('trial'), differences();
SELECT * FROM (TABLE hung_before EXCEPT ALL SELECT hangings()) AS d UNION ALL (SELECT hangings() EXCEPT ALL TABLE hung_before);
SELECT count(*) FROM (TABLE trial_before EXCEPT ALL (SELECT to_jsonb(r) FROM arena.rating AS r UNION ALL SELECT to_jsonb(e) FROM arena.event AS e UNION ALL SELECT to_jsonb(m) FROM arena.rated_match AS m)) AS d;
SELECT count(*) FROM (TABLE arena_before EXCEPT ALL (SELECT to_jsonb(r) FROM trial.rating AS r UNION ALL SELECT to_jsonb(e) FROM trial.event AS e UNION ALL SELECT to_jsonb(m) FROM trial.rated_match AS m)) AS d;
TRUNCATE hung.fired;
SELECT play(41, 50);
SELECT skillrating.void_match('arena', 42);
SELECT count(*) > 0 AS changed FROM skillrating.catch_up('arena');
SELECT DISTINCT relation, operation FROM hung.fired ORDER BY 1, 2;
SELECT well('arena'), differences();
-- A foreign key holds, and privileges and policies count.
DELETE FROM arena.rating WHERE player_id = 1;
SET ROLE regress_exchange_reader;
SELECT count(*) FROM arena.rating;
RESET ROLE;
GRANT USAGE ON SCHEMA arena TO regress_exchange_reader;
SET ROLE regress_exchange_reader;
SELECT count(*) FROM arena.rating;
DELETE FROM arena.rating;
RESET ROLE;
SELECT skillrating.swap_ladders('arena', 'trial');
SELECT (SELECT params->>'k' FROM arena.ladder) AS arena, well('arena'), well('trial'), differences();

-- Another model, which has more columns, and back; children of a table cannot have these.
SELECT skillrating.swap_ladders('arena', 'third');
DROP TABLE hung.rating_child, hung.event_child;
DELETE FROM hung_before AS b WHERE b.h NOT IN (SELECT * FROM hangings()) AND b.h ~ '^child';
SELECT count(*) FROM (TABLE hung_before EXCEPT ALL SELECT hangings()) AS d;
SELECT skillrating.swap_ladders('arena', 'third');
SELECT (SELECT model FROM arena.ladder) AS arena, (SELECT model FROM third.ladder) AS third, well('arena'), well('third'), differences();
SELECT attname, atttypid::regtype, attnotnull FROM pg_attribute WHERE attrelid = 'arena.rating'::regclass AND attnum > 0 AND NOT attisdropped AND attname ~ 'rating|deviation|volatility' ORDER BY attname;
SELECT player_id, games FROM hung.board WHERE player_id IN (SELECT player_id FROM arena.rating WHERE deviation > 0) ORDER BY player_id;
SELECT * FROM (SELECT * FROM hung_before AS b(h) WHERE h !~ '^(rating|event)\.|arena.ladder|^default') AS b EXCEPT ALL SELECT hangings();
SELECT play(51, 60);
SELECT well('arena'), well('third'), differences();
CREATE VIEW hung.deviating AS SELECT player_id, deviation FROM arena.rating;
CREATE INDEX deviating ON arena.rating (deviation);
-- What the other model does not know cannot stay: it is named before anything is done.
SELECT skillrating.swap_ladders('arena', 'third');
DROP VIEW hung.deviating;
DROP INDEX arena.deviating;
SELECT skillrating.swap_ladders('arena', 'third');
SELECT (SELECT model FROM arena.ladder) AS arena, (SELECT model FROM third.ladder) AS third, well('arena'), well('third'), differences();
SELECT * FROM (TABLE hung_before EXCEPT ALL SELECT hangings()) AS d UNION ALL (SELECT hangings() EXCEPT ALL TABLE hung_before);
-- Models without a column of their own that is called rating.
SELECT skillrating.rerate('arena', 'trueskill', "into" => 'fourth'), skillrating.rerate('arena', 'weng_lin', "into" => 'fifth');
SELECT skillrating.swap_ladders('arena', 'fourth');
SELECT play(61, 65);
SELECT well('arena'), well('fourth'), differences(), (SELECT bool_and(rating = mu - 3 * sigma) FROM arena.rating) AS generated;
SELECT skillrating.swap_ladders('arena', 'fifth');
SELECT play(66, 70);
SELECT well('arena'), well('fifth'), differences(), (SELECT bool_and(rating = mu - 3 * sigma) FROM arena.rating) AS generated;
SELECT skillrating.swap_ladders('arena', 'fourth');
SELECT skillrating.swap_ladders('arena', 'third');
SELECT skillrating.swap_ladders('arena', 'trial');
SELECT play(71, 75);
SELECT l, well(l) FROM unnest('{arena,trial,third,fourth,fifth}'::text[]) AS l;
SELECT * FROM (SELECT * FROM hung_before AS b(h) WHERE h !~ '^(rating|event)\.|arena.ladder|^default') AS b EXCEPT ALL SELECT hangings();

-- A rollback, whole or of a part, leaves everything as it was.
CREATE TABLE files AS SELECT c.relname, pg_relation_filenode(c.oid) AS file FROM pg_class AS c WHERE c.relnamespace IN ('arena'::regnamespace, 'trial'::regnamespace) AND c.relkind IN ('r', 'i', 'S');
BEGIN;
SELECT skillrating.swap_ladders('arena', 'trial');
ROLLBACK;
BEGIN;
SAVEPOINT s;
SELECT skillrating.swap_ladders('arena', 'trial');
ROLLBACK TO s;
SELECT play(76, 76);
COMMIT;
SELECT count(*) FROM files AS f WHERE NOT EXISTS (SELECT FROM pg_class AS c WHERE c.relname = f.relname AND pg_relation_filenode(c.oid) = f.file);
SELECT well('arena'), well('trial'), differences();
-- A cursor that reads one of them is in the way.
BEGIN;
DECLARE c CURSOR FOR SELECT * FROM arena.rating;
FETCH FROM c \g /dev/null
SELECT skillrating.swap_ladders('arena', 'trial');
ROLLBACK;

-- What the other ladder's tables have and these have not is an error, and so are columns of users.
CREATE INDEX trial_own ON trial.event (team);
SELECT skillrating.swap_ladders('arena', 'trial');
DROP INDEX trial.trial_own;
ALTER TABLE arena.rating ADD COLUMN title text;
SELECT skillrating.swap_ladders('arena', 'trial');
ALTER TABLE arena.rating DROP COLUMN title;
-- Dropped columns take their places.
SELECT skillrating.swap_ladders('arena', 'trial');
SELECT well('arena'), well('trial'), differences();
SELECT skillrating.swap_ladders('arena', 'trial');
-- A row that rows elsewhere refer to, and that the other ladder has not.
SELECT skillrating.void_match('trial', 10);
SELECT skillrating.swap_ladders('arena', 'trial');
SELECT well('arena'), differences();

SELECT skillrating.drop_ladder(l) FROM unnest('{trial,third,fourth,fifth}'::text[]) AS l;
DROP PUBLICATION regress_exchange;
SET client_min_messages = warning;
DROP SCHEMA hung CASCADE;
SELECT skillrating.drop_ladder('arena');
DROP ROLE regress_exchange_reader;
DROP TABLE hung_before, arena_before, trial_before, files;
DROP FUNCTION play, well, hang, hangings, differences;

-- Constraints that are deferred, of what is carried over and of what this transaction has rated.
CREATE TABLE known_player (player_id bigint PRIMARY KEY);
INSERT INTO known_player SELECT generate_series(1, 20);
SELECT skillrating.create_ladder('keyed', 'elo', apply_at => 'statement');
ALTER TABLE keyed.rating ADD FOREIGN KEY (player_id) REFERENCES known_player DEFERRABLE INITIALLY DEFERRED;
ALTER TABLE keyed.event ADD FOREIGN KEY (player_id, pool) REFERENCES keyed.rating DEFERRABLE INITIALLY DEFERRED;
CREATE FUNCTION report(first int, last int) RETURNS bigint LANGUAGE sql AS $$
    SELECT count(*) FROM generate_series(first, last) AS i,
        LATERAL skillrating.report_match('keyed', i, ARRAY[1 + i % 5, 6 + i % 3 + i / 5], ARRAY[1, 2], ARRAY[1, 2])
$$;
SELECT report(1, 20);
SELECT skillrating.rerate('keyed', params => '{"k": 10}', "into" => 'keyed_young');
SELECT report(21, 30);
BEGIN;
SELECT report(31, 40);
SELECT skillrating.swap_ladders('keyed', 'keyed_young');
COMMIT;
SELECT (SELECT count(*) FROM keyed.event) AS events, (SELECT params->'k' FROM keyed.ladder) AS k, bool_and(ok) AS well FROM skillrating.verify('keyed');
BEGIN;
DELETE FROM known_player WHERE player_id = 20;
SELECT skillrating.report_match('keyed', 100, ARRAY[1, 20], ARRAY[1, 2], ARRAY[1, 2]) \g /dev/null
SELECT skillrating.swap_ladders('keyed', 'keyed_young');
ROLLBACK;
ALTER TABLE keyed.event DROP CONSTRAINT event_player_id_pool_fkey;
ALTER TABLE keyed_young.event DROP CONSTRAINT event_player_id_pool_fkey;

-- A table that is a partition keeps within its bounds.
CREATE TABLE near (LIKE keyed.event) PARTITION BY RANGE (rating_after);
SELECT format('ALTER TABLE near ATTACH PARTITION keyed.event FOR VALUES FROM (%s) TO (%s)', floor(min(rating_after)), 1 + ceil(max(rating_after))) FROM keyed.event \gexec
SELECT skillrating.swap_ladders('keyed', 'keyed_young');
ALTER TABLE near DETACH PARTITION keyed.event;
ALTER TABLE near ATTACH PARTITION keyed.event FOR VALUES FROM (1000) TO (2000);
SELECT skillrating.swap_ladders('keyed', 'keyed_young');
SELECT count(*) FROM near;
ALTER TABLE near DETACH PARTITION keyed.event;
DROP TABLE near;
SELECT skillrating.drop_ladder('keyed_young'), skillrating.drop_ladder('keyed');
DROP TABLE known_player;
DROP FUNCTION report;
