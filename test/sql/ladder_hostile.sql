-- Whoever calls a function on somebody else's ladder, or inserts into a table that
-- feeds one, runs nothing of that somebody's with more rights than the owner of the
-- ladder has: neither at once nor at commit.
\pset format unaligned
\pset tuples_only on
CREATE ROLE regress_evil;
CREATE ROLE regress_victim;
SELECT format('GRANT CREATE ON DATABASE %I TO regress_evil', current_database()) \gexec
\set SHOW_CONTEXT never
SET client_min_messages = error;

-- What code of the owner finds itself running as; not logged, so that no abort
-- forgets it.
\set ECHO none
CREATE SEQUENCE public.ran_as_evil;
CREATE SEQUENCE public.ran_as_other;
CREATE SEQUENCE public.ran_unrestricted;
CREATE SEQUENCE public.fresh START 100;
GRANT ALL ON SEQUENCE public.ran_as_evil, public.ran_as_other, public.ran_unrestricted, public.fresh TO PUBLIC;
\set ECHO all

-- Trap: whatever the owner tries, from wherever it is called.
SET ROLE regress_evil;
\set ECHO none
CREATE SCHEMA trap;
GRANT USAGE ON SCHEMA trap TO PUBLIC;
CREATE TABLE trap.bait (i int);
CREATE FUNCTION trap.strike() RETURNS void LANGUAGE plpgsql AS $$
BEGIN
    IF current_setting('trap.armed', true) IS DISTINCT FROM 'yes' THEN
        RETURN;
    END IF;
    PERFORM nextval(CASE WHEN current_user = 'regress_evil' THEN 'public.ran_as_evil' ELSE 'public.ran_as_other' END::regclass);
    BEGIN
        EXECUTE 'ALTER ROLE regress_evil SUPERUSER';
    EXCEPTION WHEN OTHERS THEN NULL;
    END;
    BEGIN
        EXECUTE 'RESET ROLE';
        EXECUTE 'ALTER ROLE regress_evil SUPERUSER';
    EXCEPTION WHEN OTHERS THEN NULL;
    END;
    BEGIN
        EXECUTE 'SET SESSION AUTHORIZATION DEFAULT';
        EXECUTE 'ALTER ROLE regress_evil SUPERUSER';
    EXCEPTION WHEN OTHERS THEN NULL;
    END;
END $$;
CREATE FUNCTION trap.late() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN PERFORM trap.strike(); RETURN NULL; END $$;
CREATE CONSTRAINT TRIGGER late AFTER INSERT ON trap.bait DEFERRABLE INITIALLY DEFERRED
    FOR EACH ROW EXECUTE FUNCTION trap.late();
CREATE FUNCTION trap.spring() RETURNS void LANGUAGE plpgsql AS $$
BEGIN
    IF current_setting('trap.armed', true) IS DISTINCT FROM 'yes' THEN
        RETURN;
    END IF;
    PERFORM trap.strike();
    BEGIN
        INSERT INTO trap.bait VALUES (1);
    EXCEPTION WHEN OTHERS THEN NULL;
    END;
    BEGIN
        EXECUTE 'CREATE TEMP TABLE IF NOT EXISTS rating (i int)';
        PERFORM nextval('public.ran_unrestricted'::regclass);
    EXCEPTION WHEN OTHERS THEN NULL;
    END;
END $$;
CREATE FUNCTION trap.row() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN PERFORM trap.spring(); RETURN coalesce(NEW, OLD); END $$;
CREATE FUNCTION trap.statement() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN PERFORM trap.spring(); RETURN NULL; END $$;
CREATE FUNCTION trap.pass(x anyelement) RETURNS anyelement LANGUAGE plpgsql IMMUTABLE AS $$
BEGIN PERFORM trap.spring(); RETURN x; EXCEPTION WHEN OTHERS THEN RETURN x; END $$;
CREATE FUNCTION trap.yes(x anyelement) RETURNS boolean LANGUAGE plpgsql IMMUTABLE AS $$
BEGIN PERFORM trap.spring(); RETURN true; EXCEPTION WHEN OTHERS THEN RETURN true; END $$;
CREATE TABLE trap.result (match_id bigint, played_at timestamptz DEFAULT '2024-01-01', player_id bigint, team int, rank int);
CREATE VIEW trap.results AS SELECT trap.pass(match_id) AS match_id, trap.pass(played_at) AS played_at, player_id, team, trap.pass(rank) AS rank FROM trap.result;
CREATE TABLE trap.person (id bigint PRIMARY KEY, elo float8);
\set ECHO all
RESET ROLE;

-- Every function that has to do with a ladder, with arguments by their names and
-- types; public ones and parts of them.
\set ECHO none
CREATE VIEW public.calls AS
SELECT p.oid, n.nspname = 'skillrating' AS is_public, p.proname AS name, format('SELECT count(*) FROM %I.%I(%s) AS f', n.nspname, p.proname,
    (SELECT string_agg(format('%I => %s', a.name, CASE
            WHEN a.name = 'ladder' AND p.proname = 'drop_ladder' THEN '''evil2'''
            WHEN a.name = 'ladder' AND p.proname = 'refresh_source' THEN '''evil3'''
            WHEN a.name IN ('ladder', 'a') THEN '''evil''' WHEN a.name IN ('other', 'b') THEN '''evil2'''
            WHEN a.name IN ('shadow', 'former') OR a.name = 'name' AND p.proname = 'shadow_ladder' THEN '''evil3''' WHEN a.name = 'ranks' THEN '''counted'''
            WHEN a.type = 'text[]'::regtype THEN 'ARRAY[''1'', ''2'']'
            WHEN a.name = 'players' AND a.type <> 'text'::regtype THEN 'ARRAY[1, 2]::bigint[]' WHEN a.name IN ('team', 'rank') THEN 'ARRAY[1, 2]'
            WHEN a.name = 'match_id' AND p.proname = 'report_match' THEN 'nextval(''public.fresh'')' || CASE WHEN a.type = 'text'::regtype THEN '::text' ELSE '' END
            WHEN a.name = 'player_id' AND p.proname IN ('set_rating', 'reset_rating') THEN '2::bigint'
            WHEN a.name IN ('player_id', 'match_id') AND a.type = 'text'::regtype THEN '''2'''
            WHEN a.name IN ('match_id', 'player_id') THEN '1::bigint'
            WHEN a.name IN ('into_id', 'pseudonym', 'pseudonyms') THEN '77::bigint'
            WHEN a.name = 'state' THEN '''{"mu": 1}'''
            WHEN a.name = 'season' AND p.proname = 'season_table' THEN ''''''
            WHEN a.name = 'season' THEN format('%L', n.nspname)
            WHEN a.name = 'operation' THEN '5'
            WHEN a.name = 'relation' THEN format('%L', CASE WHEN p.proname LIKE '%mirror%' THEN 'trap.person' ELSE 'trap.result' END)
            WHEN a.name = 'key' THEN '''id''' WHEN a.name = 'columns' THEN '''{"elo": "rating"}'''
            WHEN a.name = 'search' THEN 'true'
            WHEN a.name = 'role' THEN '''public''' WHEN a.name = 'kind' THEN '''reader'''
            WHEN a.name = 'allow_unknown' THEN 'true'
            WHEN a.type = 'text'::regtype THEN '''elo''' WHEN a.type = 'jsonb'::regtype THEN '''{}'''
            WHEN a.type = 'boolean'::regtype THEN 'true' WHEN a.type = 'timestamptz'::regtype THEN 'now()'
            WHEN a.type IN ('bigint'::regtype, 'integer'::regtype, 'float8'::regtype) THEN '1'
            WHEN a.type = 'regtype'::regtype THEN '''bigint''' WHEN a.type = 'regclass'::regtype THEN '''trap.person'''
            ELSE format('NULL::%s', a.type::regtype) END), ', ' ORDER BY a.n)
     FROM unnest(p.proargtypes::oid[], p.proargnames[1:p.pronargs]) WITH ORDINALITY AS a(type, name, n)
     WHERE a.n <= p.pronargs - p.pronargdefaults OR a.name IN ('into', 'search', 'rank', 'allow_unknown'))) AS statement
FROM pg_proc AS p JOIN pg_namespace AS n ON n.oid = p.pronamespace
WHERE n.nspname IN ('skillrating', 'skillrating_internal') AND p.prokind = 'f' AND p.proargnames[1] IN ('ladder', 'a')
    AND p.proname NOT IN ('create_ladder', 'create_tables',
        'arranged_columns', 'drop_room');

-- Call them all as a role, each in a transaction of its own, and then ask what came
-- of it.  Dropping comes last.
CREATE PROCEDURE public.call_all(caller text) LANGUAGE plpgsql AS $$
DECLARE
    call record;
    before bigint;
    after bigint;
BEGIN
    FOR call IN SELECT * FROM public.calls ORDER BY name = 'drop_ladder', name = 'reset_ladder', name IN ('forget_players', 'refresh_source', 'restore_match'), name, is_public LOOP
        BEGIN
            EXECUTE format('SET LOCAL ROLE %I', caller);
            EXECUTE call.statement;
            SET CONSTRAINTS ALL IMMEDIATE;
        EXCEPTION WHEN OTHERS THEN
            IF SQLSTATE IN ('XX000', '42883', '42601') THEN
                RAISE EXCEPTION '%: %', call.statement, SQLERRM;
            END IF;
        END;
        RESET ROLE;
        COMMIT;
        SELECT CASE WHEN is_called THEN last_value ELSE 0 END INTO after FROM public.ran_as_other;
        IF after > coalesce(before, 0) THEN
            RAISE INFO '% runs code of the owner as %', call.statement, caller;
        END IF;
        before := after;
    END LOOP;
END $$;

-- A ladder with matches and components, and another, whose tables the victim may use.
CREATE PROCEDURE public.make_ladders() LANGUAGE plpgsql AS $$
BEGIN
    EXECUTE 'SET LOCAL ROLE regress_evil';
    PERFORM skillrating.create_ladder(l, 'state_space') FROM unnest(ARRAY['evil', 'evil2']) AS l;
    PERFORM skillrating_internal.create_tables('evil', '{solved,solved_context}', 'bigint');
    CREATE TABLE evil.mirror (relation regclass, pool text, key text, columns jsonb, pool_key text, PRIMARY KEY (relation, pool));
    INSERT INTO evil.match (match_id) SELECT generate_series(1, 4);
    INSERT INTO evil.match_player (match_id, player_id, team, rank, side, context, club) SELECT m, m % 3 + t, t, t, t, 'map', 'club ' || t FROM generate_series(1, 4) AS m, generate_series(1, 2) AS t;
    SET CONSTRAINTS ALL IMMEDIATE;
    SET CONSTRAINTS ALL DEFERRED;
    GRANT USAGE ON SCHEMA evil, evil2 TO regress_victim;
    GRANT ALL ON ALL TABLES IN SCHEMA evil TO regress_victim;
    GRANT ALL ON ALL TABLES IN SCHEMA evil2 TO regress_victim;
    RESET ROLE;
END $$;
CREATE PROCEDURE public.drop_ladders() LANGUAGE plpgsql AS $$
BEGIN
    EXECUTE (SELECT coalesce(string_agg(format('DROP SCHEMA IF EXISTS %I CASCADE', l), ';'), '') FROM unnest(ARRAY['evil', 'evil2', 'evil3']) AS l);
END $$;
CREATE FUNCTION public.verdict() RETURNS TABLE (superuser boolean, owner_code_ran boolean, ran_as_other bigint, unrestricted boolean) LANGUAGE sql AS $$
    SELECT rolsuper, (SELECT is_called FROM public.ran_as_evil), (SELECT CASE WHEN is_called THEN last_value ELSE 0 END FROM public.ran_as_other),
        (SELECT is_called FROM public.ran_unrestricted)
    FROM pg_roles WHERE rolname = 'regress_evil' $$;
\set ECHO all

-- Without a trap, to see that the arguments make sense: what fails, and how.
CALL public.make_ladders();
\set ECHO none
CREATE TABLE public.outcome (name text, is_public boolean, outcome text);
DO $$
DECLARE
    call record;
BEGIN
    FOR call IN SELECT * FROM public.calls WHERE is_public ORDER BY name = 'drop_ladder', name = 'reset_ladder', name IN ('forget_players', 'refresh_source', 'restore_match'), name LOOP
        BEGIN
            EXECUTE call.statement;
            INSERT INTO public.outcome VALUES (call.name, call.is_public, 'done');
        EXCEPTION WHEN OTHERS THEN
            INSERT INTO public.outcome VALUES (call.name, call.is_public, format('%s %s', SQLSTATE, SQLERRM));
        END;
    END LOOP;
END $$;
\set ECHO all
SELECT name, outcome FROM public.outcome WHERE outcome <> 'done' ORDER BY name;
CALL public.drop_ladders();

-- One trap after the other, for a superuser and for another role.
\set ECHO none
CREATE TABLE public.traps (name text, n int GENERATED ALWAYS AS IDENTITY, statement text);
INSERT INTO public.traps (name, statement)
SELECT 'triggers of rows', format('CREATE TRIGGER snare BEFORE INSERT OR UPDATE OR DELETE ON evil.%I FOR EACH ROW EXECUTE FUNCTION trap.row()', t)
FROM unnest(ARRAY['ladder', 'rating', 'event', 'rated_match', 'correction', 'operation', 'attached', 'mirror', 'solved', 'component', 'component_event', 'solved_context', 'match', 'match_player']) AS t;
INSERT INTO public.traps (name, statement)
SELECT 'triggers of statements', format('CREATE TRIGGER snare AFTER INSERT OR UPDATE OR DELETE ON evil.%I FOR EACH STATEMENT EXECUTE FUNCTION trap.statement()', t)
FROM unnest(ARRAY['ladder', 'rating', 'event', 'rated_match', 'correction', 'operation', 'attached', 'mirror', 'solved', 'component', 'component_event', 'solved_context', 'match', 'match_player']) AS t;
INSERT INTO public.traps (name, statement)
SELECT 'deferred triggers', format('CREATE CONSTRAINT TRIGGER snare AFTER INSERT OR UPDATE OR DELETE ON evil.%I DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION trap.late()', t)
FROM unnest(ARRAY['ladder', 'rating', 'event', 'rated_match', 'correction', 'operation', 'attached', 'mirror', 'solved', 'component', 'component_event', 'solved_context', 'match', 'match_player']) AS t;
INSERT INTO public.traps (name, statement)
SELECT 'rules', format('CREATE RULE snare_%1$s AS ON %1$s TO evil.%2$I DO ALSO SELECT trap.spring()', e, t)
FROM unnest(ARRAY['rating', 'event', 'rated_match', 'correction', 'operation', 'attached', 'mirror', 'solved', 'component', 'component_event', 'solved_context', 'match', 'match_player']) AS t, unnest(ARRAY['INSERT', 'UPDATE', 'DELETE']) AS e;
INSERT INTO public.traps (name, statement)
SELECT 'checks', format('ALTER TABLE evil.%I ADD CONSTRAINT snare CHECK (trap.yes(%I)) NOT VALID', t, c)
FROM (VALUES ('rating', 'player_id'), ('event', 'seq'), ('rated_match', 'match_id'), ('correction', 'seq'), ('operation', 'seq'), ('solved', 'player_id'), ('component', 'key'), ('component_event', 'key'), ('solved_context', 'context'), ('match', 'match_id'), ('match_player', 'player_id')) AS v(t, c);
INSERT INTO public.traps (name, statement)
SELECT 'indexes', format('CREATE INDEX ON evil.%I ((trap.pass(%I)))', t, c)
FROM (VALUES ('rating', 'player_id'), ('event', 'seq'), ('rated_match', 'match_id'), ('correction', 'seq'), ('operation', 'seq'), ('solved', 'player_id'), ('component', 'key'), ('component_event', 'key'), ('solved_context', 'context'), ('match', 'match_id'), ('match_player', 'player_id')) AS v(t, c);
INSERT INTO public.traps (name, statement)
SELECT 'policies', format('ALTER TABLE evil.%1$I ENABLE ROW LEVEL SECURITY; ALTER TABLE evil.%1$I FORCE ROW LEVEL SECURITY; CREATE POLICY snare ON evil.%1$I USING (trap.yes(%2$I))', t, c)
FROM (VALUES ('rating', 'player_id'), ('event', 'seq'), ('rated_match', 'match_id'), ('correction', 'seq'), ('operation', 'seq'), ('component', 'key'), ('component_event', 'key'), ('solved_context', 'context')) AS v(t, c);
INSERT INTO public.traps (name, statement)
SELECT 'views in place of tables', format('ALTER TABLE evil.%1$I RENAME TO %2$I; CREATE VIEW evil.%1$I AS SELECT t.* FROM evil.%2$I AS t WHERE trap.yes(1)', t, t || '_away')
FROM unnest(ARRAY['rating', 'event', 'rated_match', 'correction', 'operation', 'mirror', 'solved', 'component', 'component_event', 'solved_context']) AS t;
INSERT INTO public.traps (name, statement) VALUES
    ('a source with functions', 'CREATE OR REPLACE VIEW evil.source AS SELECT m.match_id, m.played_at, m.pool, m.log_odds, m.gain * coalesce(p.player_gain, 1) AS player_gain, m.unrated_reason, p.player_id, p.team, trap.pass(p.rank) AS rank, p.team_score, p.player_score, p.won, p.weight, p.joined, p.left_at, p.commanding, p.side, coalesce(p.context, m.context) AS context, p.club, m.tournament, p.squad, p.kills, p.deaths, p.quit, p.experience, p.fixed FROM evil.match AS m JOIN evil.match_player AS p ON p.match_id = m.match_id WHERE trap.yes(1)'),
    ('a trigger on pending', 'CREATE TRIGGER snare BEFORE INSERT OR DELETE ON evil.pending FOR EACH ROW EXECUTE FUNCTION trap.row()'),
    ('a rule on pending', 'CREATE RULE snare AS ON INSERT TO evil.pending DO ALSO SELECT trap.spring()'),
    ('a check on pending', 'ALTER TABLE evil.pending ADD CHECK (trap.yes(match_id))'),
    ('a default in pending', 'ALTER TABLE evil.pending ADD COLUMN more bigint; ALTER TABLE evil.pending ALTER COLUMN more SET DEFAULT trap.pass(1::bigint)'),
    ('a default of ours in pending', 'ALTER TABLE evil.pending ALTER COLUMN fires SET DEFAULT trap.yes(1)'),
    ('a domain in pending', 'CREATE DOMAIN evil.checked AS bigint CHECK (trap.yes(VALUE)); ALTER TABLE evil.pending ADD COLUMN more evil.checked'),
    ('pending as a partition', 'CREATE TABLE evil.parent (match_id bigint NOT NULL, xact xid8 NOT NULL, fires boolean NOT NULL, since timestamptz NOT NULL, sqlstate text, message text, failed_at timestamptz) PARTITION BY LIST ((trap.yes(match_id))); ALTER TABLE evil.parent ATTACH PARTITION evil.pending FOR VALUES IN (true)'),
    ('an index on pending', 'CREATE INDEX ON evil.pending ((trap.pass(match_id)))'),
    ('an index on what has failed', 'CREATE INDEX ON evil.pending ((trap.pass(match_id))) WHERE sqlstate IS NOT NULL'),
    ('an index on a part of pending', 'CREATE INDEX ON evil.pending (xact) WHERE trap.yes(match_id)'),
    ('a condition on the trigger of pending', 'DROP TRIGGER apply_pending ON evil.pending; CREATE CONSTRAINT TRIGGER apply_pending AFTER INSERT ON evil.pending DEFERRABLE INITIALLY DEFERRED FOR EACH ROW WHEN (trap.yes(NEW.match_id)) EXECUTE FUNCTION skillrating_internal.apply_pending()'),
    ('a mirror with a trigger', 'CREATE TRIGGER snare BEFORE UPDATE ON trap.person FOR EACH ROW EXECUTE FUNCTION trap.row(); INSERT INTO trap.person SELECT generate_series(1, 5); SELECT skillrating.mirror_rating(''evil'', ''trap.person'', ''id'', ''{"elo": "rating"}'')');
CREATE PROCEDURE public.try_traps() LANGUAGE plpgsql AS $$
DECLARE
    trap text;
    caller text;
    statement text;
    statements text[];
    found record;
    findings text;
BEGIN
    FOR trap IN SELECT name FROM public.traps GROUP BY name ORDER BY min(n) LOOP
        findings := '';
        FOREACH caller IN ARRAY ARRAY[session_user::text, 'regress_victim'] LOOP
            CALL public.make_ladders();
            COMMIT;
            statements := ARRAY(SELECT t.statement FROM public.traps AS t WHERE t.name = trap ORDER BY t.n);
            SET LOCAL ROLE regress_evil;
            FOREACH statement IN ARRAY statements LOOP
                EXECUTE statement;
            END LOOP;
            RESET ROLE;
            COMMIT;
            PERFORM setval('public.ran_as_evil', 1, false), setval('public.ran_as_other', 1, false), setval('public.ran_unrestricted', 1, false);
            ALTER ROLE regress_evil NOSUPERUSER;
            SET trap.armed = yes;
            CALL public.call_all(caller);
            SET trap.armed = no;
            SELECT * INTO found FROM public.verdict();
            findings := findings || format(', %s as %s', CASE WHEN found.owner_code_ran THEN 'ran' ELSE 'did not' END, CASE WHEN caller = 'regress_victim' THEN 'a role' ELSE 'superuser' END)
                || CASE WHEN found.superuser OR found.ran_as_other > 0 OR found.unrestricted THEN format(' (superuser %s, as somebody else %s, unrestricted %s)', found.superuser, found.ran_as_other, found.unrestricted) ELSE '' END;
            CALL public.drop_ladders();
            DROP TRIGGER IF EXISTS snare ON trap.person;
            DELETE FROM trap.person;
            COMMIT;
        END LOOP;
        RAISE INFO '%', trap || findings;
    END LOOP;
END $$;
\set ECHO all
-- Whether it ran; and, if it did so as somebody else or with more rights, as what.
CALL public.try_traps();

-- Whoever inserts a match calls the ladder too, now and at commit.  The traps lie on
-- what is not the table itself, whose triggers run as whoever writes to it.  Each is to print f, 0, f.
\set ECHO none
CREATE PROCEDURE public.lay(trap text) LANGUAGE plpgsql AS $$
DECLARE
    statements text[] := ARRAY(SELECT t.statement FROM public.traps AS t WHERE t.name = trap AND t.statement !~ 'evil\.match' ORDER BY t.n);
    statement text;
BEGIN
    CALL public.drop_ladders();
    CALL public.make_ladders();
    COMMIT;
    SET LOCAL ROLE regress_evil;
    FOREACH statement IN ARRAY statements LOOP
        EXECUTE statement;
    END LOOP;
    RESET ROLE;
    PERFORM setval('public.ran_as_evil', 1, false), setval('public.ran_as_other', 1, false), setval('public.ran_unrestricted', 1, false);
END $$;
\set VERBOSITY terse
SELECT statement FROM (SELECT min(n) AS n, name FROM public.traps WHERE name NOT LIKE '%source%' GROUP BY name) AS t,
    LATERAL (VALUES (1, format('CALL public.lay(%L)', t.name)), (2, 'SET trap.armed = yes'),
        (3, 'INSERT INTO evil.match (match_id) VALUES (10)'),
        (4, 'INSERT INTO evil.match_player (match_id, player_id, team, rank) SELECT 10, t, t, t FROM generate_series(1, 2) AS t'),
        (5, 'SET ROLE regress_victim'),
        (6, 'INSERT INTO evil.match (match_id) VALUES (11)'),
        (7, 'INSERT INTO evil.match_player (match_id, player_id, team, rank) SELECT 11, t, t, t FROM generate_series(1, 2) AS t'),
        (8, 'RESET ROLE'), (9, 'SET trap.armed = no'),
        (10, format('SELECT %L AS trap, superuser, ran_as_other, unrestricted FROM public.verdict()', t.name))) AS s(k, statement)
ORDER BY t.n, s.k \gexec
\set ECHO all

CALL public.drop_ladders();
\set ECHO none
DROP SCHEMA trap CASCADE;
DROP TABLE public.traps, public.outcome;
DROP VIEW public.calls;
DROP FUNCTION public.verdict;
DROP PROCEDURE public.call_all, public.make_ladders, public.drop_ladders, public.lay, public.try_traps;
DROP SEQUENCE public.ran_as_evil, public.ran_as_other, public.ran_unrestricted, public.fresh;
\set ECHO all
SELECT format('REVOKE CREATE ON DATABASE %I FROM regress_evil', current_database()) \gexec
DROP ROLE regress_evil;
DROP ROLE regress_victim;
