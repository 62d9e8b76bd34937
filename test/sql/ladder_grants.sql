-- Rights in one call: what is refused says what to grant, and that is enough.
\set ECHO none
\pset format unaligned
\pset tuples_only on
\set SHOW_CONTEXT never
SET timezone = 'UTC';
CREATE ROLE regress_grants_owner;
CREATE ROLE "regress grants ""client""";
CREATE ROLE regress_grants_other;
\set ECHO all
SELECT format('GRANT CREATE ON DATABASE %I TO regress_grants_owner', current_database()) \gexec
\set ECHO none
CREATE SCHEMA regress_ladder_grants;
SET search_path = regress_ladder_grants;
GRANT USAGE, CREATE ON SCHEMA regress_ladder_grants TO PUBLIC;

SET ROLE regress_grants_owner;
SELECT skillrating.create_ladder('it''s', 'glicko'), skillrating.create_ladder('second', 'glicko') \gset
INSERT INTO "it's".match (match_id, played_at) SELECT i, '2024-01-01'::timestamptz + i * interval '1 day' FROM generate_series(1, 20) AS i;
INSERT INTO "it's".match_player (match_id, player_id, team, rank) SELECT i, p, p, 1 + (i + p) % 2 FROM generate_series(1, 20) AS i, generate_series(1, 2) AS p;
\set ECHO all
RESET ROLE;

-- A call of each function that takes no owner.
\set ECHO none
CREATE TABLE calls (function text, statement text);
INSERT INTO calls VALUES
    ('report_match', $$SELECT skillrating.report_match('it''s', 99, '{1,2}'::bigint[], '{1,2}', '{1,2}')$$),
    ('report_match', $$SELECT skillrating.report_match('it''s', 1, '{1,2}'::bigint[], '{1,2}', '{2,2}')$$),
    ('preview', $$SELECT skillrating.preview('it''s', '{1,2}'::bigint[], '{1,2}')$$),
    ('preview', $$SELECT skillrating.win_probability('it''s', '{1,2}'::bigint[], '{1,2}')$$),
    ('match_outcome', $$SELECT skillrating.match_outcome('it''s', 1)$$),
    ('ladder_status', $$SELECT skillrating.ladder_status('it''s')$$),
    ('match_journal', $$SELECT skillrating.match_journal('it''s', 1)$$),
    ('eligibility', $$SELECT skillrating.eligibility('it''s')$$),
    ('verify', $$SELECT skillrating.verify('it''s')$$),
    ('leaderboard', $$SELECT skillrating.leaderboard('it''s')$$),
    ('leaderboard', $$SELECT skillrating.leaderboard('it''s', at => '2024-01-03', statistics => '{peak}')$$),
    ('place_of', $$SELECT skillrating.place_of('it''s', 1)$$),
    ('around', $$SELECT skillrating.around('it''s', 1)$$),
    ('player_status', $$SELECT skillrating.player_status('it''s')$$),
    ('lobby', $$SELECT skillrating.lobby('it''s', '{1,2}'::bigint[])$$),
    ('find_opponents', $$SELECT skillrating.find_opponents('it''s', 1)$$),
    ('history', $$SELECT skillrating.history('it''s', 1)$$),
    ('rating_at', $$SELECT skillrating.rating_at('it''s', 1, now())$$),
    ('surprising_players', $$SELECT skillrating.surprising_players('it''s')$$),
    ('pool_quality', $$SELECT skillrating.pool_quality('it''s')$$),
    ('season_table', $$SELECT skillrating.season_table('it''s', '')$$),
    ('compare_ladders', $$SELECT skillrating.compare_ladders('it''s', 'second')$$);
GRANT SELECT ON calls TO PUBLIC;
\set ECHO all
SELECT coalesce(e.function, c.function) AS missing_or_unknown
FROM (SELECT * FROM skillrating_internal.ladder_entries() WHERE needs ~ '(SELECT|INSERT) on') AS e FULL JOIN calls AS c USING (function)
WHERE e.function IS NULL OR c.function IS NULL;

-- Each is refused with a hint; what the hint says, done by the owner, is enough, perhaps for a second
-- ladder too; and its opposite leaves no right behind.
\set ECHO none
CREATE VIEW rights AS
SELECT format('%s of %s on %s: %s', a.grantee, a.grantor, o.name, a.privilege_type) AS privilege
FROM (
    SELECT c.oid::regclass::text AS name, c.relacl AS acl FROM pg_class AS c WHERE c.relnamespace IN ('"it''s"'::regnamespace, 'second'::regnamespace)
    UNION ALL SELECT n.nspname, n.nspacl FROM pg_namespace AS n WHERE n.nspname IN ('it''s', 'second')) AS o
CROSS JOIN LATERAL aclexplode(o.acl) AS a WHERE a.grantee <> a.grantor;
GRANT SELECT ON rights TO PUBLIC;
CREATE FUNCTION try(role text, statement text, OUT state text, OUT message text, OUT hint text) LANGUAGE plpgsql AS $$
BEGIN
    PERFORM set_config('role', role, true);
    BEGIN
        EXECUTE statement;
        RAISE SQLSTATE '00001';
    EXCEPTION WHEN OTHERS THEN
        GET STACKED DIAGNOSTICS state = RETURNED_SQLSTATE, message = MESSAGE_TEXT, hint = PG_EXCEPTION_HINT;
    END;
    PERFORM set_config('role', 'none', true);
END
$$;
CREATE FUNCTION by_hints(role text, statement text) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
    t record;
    done text := '';
    grant_it text;
BEGIN
    LOOP
        t := try(role, statement);
        IF t.state = '00001' THEN
            EXIT;
        END IF;
        grant_it := (regexp_match(t.hint, 'SELECT (skillrating\.grant_ladder\(.*, ''(?:reader|reporter)''\))\.$'))[1];
        IF t.state <> '42501' OR grant_it IS NULL THEN
            RETURN format('%s %s %s', t.state, t.message, t.hint);
        END IF;
        done := done || (regexp_match(grant_it, '([a-z]*)''\)$'))[1] || ' ';
        PERFORM set_config('role', 'regress_grants_owner', true);
        EXECUTE 'SELECT ' || grant_it;
        PERFORM set_config('role', 'none', true);
    END LOOP;
    PERFORM set_config('role', 'regress_grants_owner', true);
    PERFORM skillrating.revoke_ladder(l, role, 'reader'), skillrating.revoke_ladder(l, role, 'reporter') FROM unnest('{it''s,second}'::text[]) AS l;
    PERFORM set_config('role', 'none', true);
    IF EXISTS (SELECT FROM rights) THEN
        RETURN (SELECT string_agg(privilege, ', ') FROM rights);
    END IF;
    RETURN trim(done);
END
$$;
SET client_min_messages = warning;
\set ECHO all
SELECT by_hints('regress grants "client"', statement) AS grants, count(*), array_agg(DISTINCT function ORDER BY function) AS functions FROM calls GROUP BY 1 ORDER BY 2;
RESET client_min_messages;

-- One grant of each kind is enough for all of its functions, and none of the owner's come with them.
SET ROLE regress_grants_owner;
SELECT skillrating.grant_ladder('it''s', 'regress_grants_other', 'reader'), skillrating.grant_ladder('second', 'regress_grants_other', 'reader') \gset
SELECT skillrating.grant_ladder('it''s', 'regress grants "client"', 'reporter') \gset
SELECT skillrating.grant_ladder('it''s', 'regress grants "client"', 'reporter') \gset
RESET ROLE;
SELECT r.role, t.state, count(*), min(t.message) AS message, min(t.hint) AS hint
FROM unnest('{regress_grants_other,"regress grants \"client\""}'::text[]) AS r(role), calls AS c, LATERAL try(r.role, c.statement) AS t
GROUP BY r.role, t.state, t.message ORDER BY r.role, t.state, count(*);
SET ROLE regress_grants_owner;
SELECT replace(relation, '"it''s".', '') AS relation, string_agg(privilege, ', ' ORDER BY privilege) FILTER (WHERE kind = 'reader') AS reader, string_agg(privilege, ', ' ORDER BY privilege) FILTER (WHERE kind = 'reporter') AS reporter
FROM unnest('{reader,reporter}'::text[]) AS kind, skillrating_internal.granted_privileges('it''s', kind) GROUP BY relation ORDER BY relation;
RESET ROLE;
SELECT * FROM try('regress grants "client"', $$INSERT INTO "it's".match (played_at) VALUES (now())$$);
SELECT * FROM try('regress_grants_other', $$INSERT INTO "it's".match (played_at) VALUES (now())$$);
SELECT * FROM try('regress_grants_other', $$SELECT skillrating.grant_ladder('it''s', 'regress_grants_other', 'reader')$$);
SELECT * FROM try('regress_grants_other', $$SELECT skillrating.reset_ladder('it''s')$$);
SELECT * FROM try('regress_grants_other', $$SELECT skillrating.compare_ladders('it''s', 'second')$$);

-- Of two kinds one can be taken back; what was granted otherwise stays, with USAGE.
SET ROLE regress_grants_owner;
SELECT skillrating.grant_ladder('it''s', 'regress_grants_other', 'reporter') \gset
SELECT skillrating.revoke_ladder('it''s', 'regress_grants_other', 'reader') \gset
RESET ROLE;
SELECT state, count(*), array_agg(DISTINCT function) FILTER (WHERE state = '00001') AS functions FROM calls AS c, LATERAL try('regress_grants_other', c.statement) AS t GROUP BY state ORDER BY state;
SET ROLE regress_grants_owner;
SELECT skillrating.grant_ladder('it''s', 'regress_grants_other', 'reader') \gset
SELECT skillrating.revoke_ladder('it''s', 'regress_grants_other', 'reporter') \gset
RESET ROLE;
SELECT state, count(*) FROM calls AS c, LATERAL try('regress_grants_other', c.statement) AS t GROUP BY state ORDER BY state;
SET ROLE regress_grants_owner;
GRANT SELECT ON "it's".attached TO regress_grants_other;
SELECT skillrating.revoke_ladder('it''s', 'regress_grants_other', 'reader'), skillrating.revoke_ladder('second', 'regress_grants_other', 'reader'), skillrating.revoke_ladder('it''s', 'regress grants "client"', 'reporter') \gset
SELECT p.privilege_type, p.name FROM (
    SELECT a.privilege_type, c.relname AS name FROM pg_class AS c, aclexplode(c.relacl) AS a WHERE c.relnamespace = '"it''s"'::regnamespace AND a.grantee <> a.grantor
    UNION ALL SELECT a.privilege_type, n.nspname FROM pg_namespace AS n, aclexplode(n.nspacl) AS a WHERE n.nspname = 'it''s' AND a.grantee <> a.grantor) AS p ORDER BY 1;
REVOKE ALL ON "it's".attached FROM regress_grants_other;
SELECT skillrating.revoke_ladder('it''s', 'regress_grants_other', 'reader') \gset
SELECT count(*) FROM rights;
-- All roles; the owner; nobody.
SELECT skillrating.grant_ladder('it''s', 'public', 'reader'), skillrating.grant_ladder('it''s', 'regress_grants_owner', 'reporter') \gset
RESET ROLE;
SELECT state, count(*) FROM calls AS c, LATERAL try('regress_grants_other', c.statement) AS t WHERE function NOT IN ('report_match', 'compare_ladders') GROUP BY state;
SET ROLE regress_grants_owner;
SELECT skillrating.revoke_ladder('it''s', 'public', 'reader'), skillrating.revoke_ladder('it''s', 'regress_grants_owner', 'reader'), skillrating.revoke_ladder('it''s', 'regress_grants_owner', 'reporter') \gset
SELECT count(*) FROM rights;
SELECT count(*) FROM skillrating.leaderboard('it''s');
SELECT skillrating.grant_ladder('it''s', 'PUBLIC', 'reader');
SELECT skillrating.revoke_ladder('it''s', 'regress_nobody', 'reporter');
SELECT skillrating.grant_ladder('nowhere', 'public', 'reporter');
SELECT skillrating.grant_ladder('it''s', 'public', 'writer');
SELECT skillrating.grant_ladder('it''s', NULL, 'reader');
-- In the middle of a transaction that has worked on the ladder, and goes on to.
BEGIN;
INSERT INTO "it's".match (match_id, played_at) VALUES (50, '2024-05-01');
INSERT INTO "it's".match_player (match_id, player_id, team, rank) VALUES (50, 1, 1, 1), (50, 2, 2, 2);
SELECT skillrating.grant_ladder('it''s', 'regress_grants_other', 'reader') \gset
SELECT count(*) FROM skillrating.leaderboard('it''s');
COMMIT;
SELECT skillrating.match_outcome('it''s', 50);

-- A ladder of somebody's own matches has readers; who reports writes to the tables behind it.
CREATE TABLE duel (id bigint, at timestamptz, player bigint, team int, rank int);
CREATE VIEW duel_source AS SELECT id AS match_id, at AS played_at, player AS player_id, team, rank FROM duel;
SELECT skillrating.create_ladder('duels', 'elo', source => 'duel_source') \gset
SELECT skillrating.grant_ladder('duels', 'regress_grants_other', 'reporter');
SELECT skillrating.attach('duels', 'duel', match_id => 'id') \gset
SELECT skillrating.grant_ladder('duels', 'regress_grants_other', 'reporter');
SELECT skillrating.grant_ladder('duels', 'regress_grants_other', 'reader') \gset
GRANT INSERT ON duel TO regress_grants_other;
SET ROLE regress_grants_other;
INSERT INTO duel VALUES (1, '2024-01-01', 1, 1, 1), (1, '2024-01-01', 2, 2, 2);
SELECT player_id, rating FROM skillrating.leaderboard('duels');
SELECT bool_and(ok) FROM skillrating.verify('duels');
RESET ROLE;


-- What is granted once or twice, of either kind or both, is revoked without a trace.
\set ECHO none
CREATE FUNCTION acls(ladder text) RETURNS text LANGUAGE sql AS $$
SELECT string_agg(x.what, ', ' ORDER BY x.what) FROM (
    SELECT concat_ws(' ', o.name, a.grantee::regrole, a.privilege_type) AS what FROM (
        SELECT c.relname AS name, coalesce(c.relacl, acldefault(CASE c.relkind WHEN 'S' THEN 's' ELSE 'r' END::"char", c.relowner)) AS acl FROM pg_class AS c WHERE c.relnamespace = to_regnamespace(quote_ident(ladder)) AND c.relkind NOT IN ('i', 'I')
        UNION ALL SELECT c.relname || '.' || t.attname, t.attacl FROM pg_class AS c JOIN pg_attribute AS t ON t.attrelid = c.oid WHERE c.relnamespace = to_regnamespace(quote_ident(ladder))
        UNION ALL SELECT n.nspname, coalesce(n.nspacl, acldefault('n', n.nspowner)) FROM pg_namespace AS n WHERE n.nspname = ladder
        UNION ALL SELECT p.proname, coalesce(p.proacl, acldefault('f', p.proowner)) FROM pg_proc AS p WHERE p.pronamespace IN ('skillrating'::regnamespace, 'skillrating_internal'::regnamespace)) AS o
    CROSS JOIN LATERAL aclexplode(o.acl) AS a) AS x
$$;
\set ECHO all
SELECT count(*) FROM unnest('{it''s,duels}'::text[]) AS l, skillrating.revoke_ladder(l, 'regress_grants_other', 'reader');
\set ECHO none
CREATE TABLE steps (ladder text, role text, calls text[]);
INSERT INTO steps SELECT l, r, c.calls FROM unnest('{it''s,duels}'::text[]) AS l, unnest('{regress_grants_other,public}'::text[]) AS r,
    (VALUES ('{grant reader,revoke reader}'::text[]), ('{grant reader,grant reader,revoke reader}'), ('{revoke reader}'), ('{revoke reporter}'),
        ('{grant reporter,revoke reporter}'), ('{grant reporter,grant reporter,revoke reporter}'), ('{grant reader,grant reporter,revoke reader,revoke reporter}'), ('{grant reporter,grant reader,revoke reader,revoke reporter}'), ('{grant reader,grant reporter,revoke reporter,revoke reader}')) AS c(calls)
    WHERE l <> 'duels' OR 'grant reporter' <> ALL (c.calls);
CREATE FUNCTION run(s steps) RETURNS boolean LANGUAGE plpgsql AS $$
DECLARE
    before text := acls(s.ladder);
    called text;
BEGIN
    FOREACH called IN ARRAY s.calls LOOP
        EXECUTE format('SELECT skillrating.%s_ladder(%L, %L, %L)', split_part(called, ' ', 1), s.ladder, s.role, split_part(called, ' ', 2));
    END LOOP;
    RETURN acls(s.ladder) = before;
END
$$;
\set ECHO all
SELECT s.ladder, s.role, count(*) AS tried, count(*) FILTER (WHERE NOT run(s)) AS left_behind FROM steps AS s GROUP BY 1, 2 ORDER BY 1, 2;

DROP VIEW rights;
SELECT count(skillrating.drop_ladder(l)) FROM unnest('{it''s,second,duels}'::text[]) AS l;
DROP SCHEMA regress_ladder_grants CASCADE;
SELECT format('REVOKE ALL ON DATABASE %I FROM regress_grants_owner', current_database()) \gexec
DROP ROLE regress_grants_owner, "regress grants ""client""", regress_grants_other;
