-- A shadow rates beside its ladder and takes its name; what hangs on the ladder is named, with the
-- statements that make it again.
\set ECHO none
\pset format unaligned
\pset tuples_only on
SET client_min_messages = warning;
CREATE FUNCTION failure(statement text) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
    code text;
    message text;
BEGIN
    EXECUTE statement;
    RETURN 'no error';
EXCEPTION WHEN OTHERS THEN
    GET STACKED DIAGNOSTICS code = RETURNED_SQLSTATE, message = MESSAGE_TEXT;
    RETURN code || ': ' || message;
END
$$;
CREATE FUNCTION play(ladder text, matches int4range) RETURNS bigint LANGUAGE sql AS $$
    SELECT count(*)
    FROM generate_series(lower(matches), upper(matches) - 1) AS g,
        skillrating.report_match(ladder, g, ARRAY[g % 7, g % 7 + 1 + g % 3], ARRAY[1, 2], ARRAY[1 + g % 2, 2 - g % 2], played_at => '2020-01-01'::timestamptz + g * interval '1 hour')
$$;
CREATE FUNCTION sound(ladder text) RETURNS boolean LANGUAGE sql AS $$ SELECT bool_and(v.ok) FROM skillrating.verify(ladder) AS v $$;
\set ECHO all

-- The same ratings as a ladder of its own under the formula has, from the history and live.
SELECT skillrating.create_ladder('arena', 'elo'), skillrating.create_ladder('oracle', 'elo', '{"k": 16}') \gset
SELECT play('arena', '[1,101)'), play('oracle', '[1,101)');
SELECT operation FROM skillrating.set_rating('arena', 3, '{"rating": 1700}'), skillrating.set_rating('oracle', 3, '{"rating": 1700}') AS o(o);
SELECT skillrating.shadow_ladder('arena', 'trial', params => '{"k": 16}');
SELECT play('arena', '[101,121)'), play('oracle', '[101,121)');
SELECT skillrating.void_match('arena', 7), skillrating.void_match('trial', 7), skillrating.void_match('oracle', 7) \gset
UPDATE arena.match_player SET rank = 3 - rank WHERE match_id = 9;
UPDATE oracle.match_player SET rank = 3 - rank WHERE match_id = 9;
SELECT count(*) > 0 AS changed FROM skillrating.catch_up('arena');
SELECT count(*) > 0 AS changed FROM skillrating.catch_up('trial');
SELECT count(*) > 0 AS changed FROM skillrating.catch_up('oracle');
SELECT count(*) AS players, bool_and(t.rating = o.rating AND t.games = o.games) AS as_oracle, bool_and(t.rating = a.rating) AS as_first
FROM trial.rating AS t JOIN oracle.rating AS o USING (player_id, pool) JOIN arena.rating AS a USING (player_id, pool);
SELECT sound('arena'), sound('trial');

-- Means and differences from the forecasts themselves, and the error from blocks of ten matches.
WITH forecast AS (
    SELECT DISTINCT ON (a.seq) row_number() OVER (ORDER BY a.seq) AS n, a.seq, (a.win_probability - a.score) ^ 2 AS x, (b.win_probability - b.score) ^ 2 AS y
    FROM arena.event AS a JOIN trial.event AS b USING (match_id, player_id)
    WHERE a.kind = 'match' AND a.team = 1
), total AS (
    SELECT count(*) AS n, avg(y - x) AS mean FROM forecast
), block AS (
    SELECT sum(f.y - f.x - t.mean) AS deviation FROM forecast AS f, total AS t GROUP BY (f.n - 1) * (t.n / 10) / t.n
)
SELECT c.matches = t.n AS all_matches, abs(c.brier_difference - t.mean) < 1e-12 AS mean,
    abs(c.brier_error - (SELECT sqrt(sum(deviation ^ 2) * count(*) / (count(*) - 1)) FROM block) / t.n) < 1e-12 AS error
FROM skillrating.compare_ladders('arena', 'trial') AS c, total AS t;

-- What cannot be promoted.
SELECT failure('SELECT skillrating.promote_ladder(''arena'', ''arena_before'')');
SELECT failure('SELECT skillrating.promote_ladder(''trial'', ''public'')');
SELECT failure('SELECT skillrating.promote_ladder(''trial'', ''arena_before'', hanging => ''drop'')');
SELECT failure('SELECT skillrating.promote_ladder(''nowhere'', ''arena_before'')');
BEGIN ISOLATION LEVEL REPEATABLE READ;
SELECT failure('SELECT skillrating.promote_ladder(''trial'', ''arena_before'')');
COMMIT;
SELECT skillrating.exclude_player('arena', 5, since => '2020-01-03');
SELECT skillrating.void_match('trial', 11) \gset
DO $$
DECLARE
    detail text;
BEGIN
    PERFORM skillrating.promote_ladder('trial', 'arena_before');
EXCEPTION WHEN object_not_in_prerequisite_state THEN
    GET STACKED DIAGNOSTICS detail = PG_EXCEPTION_DETAIL;
    RAISE WARNING '% %', SQLERRM, detail;
END
$$;
SELECT skillrating.restore_match('trial', 11), skillrating.exclude_player('trial', 5, since => '2020-01-03') > 0;

-- What users have given to the ladder since, the shadow gets.
\set ECHO none
CREATE ROLE regress_shadow_reader;
SELECT skillrating.grant_ladder('arena', 'regress_shadow_reader', 'reader') \gset
ALTER DEFAULT PRIVILEGES IN SCHEMA arena GRANT SELECT ON TABLES TO regress_shadow_reader;
GRANT UPDATE (rating) ON arena.rating TO regress_shadow_reader;
ALTER TABLE arena.rating ADD COLUMN note text DEFAULT 'none';
CREATE INDEX by_games ON arena.rating (games) WHERE games > 0;
ALTER TABLE arena.rating ADD CONSTRAINT plausible CHECK (rating > 0);
ALTER TABLE arena.rating SET (fillfactor = 60);
COMMENT ON TABLE arena.rating IS 'Of the season.';
COMMENT ON SCHEMA arena IS 'Our ladder.';
CREATE POLICY own ON arena.operation FOR SELECT TO regress_shadow_reader USING (reason IS NOT NULL);
ALTER TABLE arena.operation ENABLE ROW LEVEL SECURITY;
\set ECHO all

-- What hangs on it.
\set ECHO none
CREATE VIEW best WITH (security_barrier) AS SELECT player_id, rating FROM arena.rating WHERE rating > 1500;
CREATE MATERIALIZED VIEW kept AS SELECT player_id, rating, current_user AS reader FROM arena.rating;
CREATE UNIQUE INDEX ON kept (player_id);
ALTER MATERIALIZED VIEW kept OWNER TO regress_shadow_reader;
CREATE TABLE badge (player_id bigint, pool text DEFAULT '', FOREIGN KEY (player_id, pool) REFERENCES arena.rating (player_id, pool));
CREATE TABLE report (match_id bigint REFERENCES arena.match, remark text);
CREATE TABLE heard (player_id bigint);
CREATE FUNCTION hear() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN INSERT INTO public.heard VALUES (NEW.player_id); RETURN NULL; END $$;
CREATE TRIGGER hear AFTER UPDATE ON arena.rating FOR EACH ROW EXECUTE FUNCTION hear();
CREATE RULE hear AS ON DELETE TO arena.correction DO ALSO INSERT INTO heard VALUES (-1);
CREATE FUNCTION rating_of(player bigint) RETURNS float8 LANGUAGE sql BEGIN ATOMIC SELECT rating FROM arena.rating WHERE player_id = player; END;
CREATE FUNCTION shown(r arena.rating) RETURNS text LANGUAGE sql AS $$ SELECT round(r.rating)::text $$;
ALTER FUNCTION shown(arena.rating) OWNER TO regress_shadow_reader;
CREATE TABLE arena.season_prize (place integer);
SET client_min_messages = error;
CREATE PUBLICATION ratings FOR TABLE arena.rating WHERE (pool = '');
SET client_min_messages = warning;
CREATE TABLE refused (statements text);
\set ECHO all
DO $$
DECLARE
    detail text;
BEGIN
    PERFORM skillrating.promote_ladder('trial', 'arena_before');
EXCEPTION WHEN dependent_objects_still_exist THEN
    GET STACKED DIAGNOSTICS detail = PG_EXCEPTION_DETAIL;
    RAISE WARNING '%', SQLERRM;
    INSERT INTO refused VALUES (detail);
END
$$;
-- The servers do not all write queries in the same way.
SELECT l.line FROM refused AS r, regexp_split_to_table(r.statements, E'\n') WITH ORDINALITY AS l(line, n) WHERE l.line ~ '^(ALTER|CREATE|DROP|--)' ORDER BY l.n;
BEGIN;
SELECT skillrating.promote_ladder('trial', 'arena_before', hanging => 'keep');
DO $$ BEGIN EXECUTE (SELECT statements FROM refused); END $$;
COMMIT;

-- What another role owns it still owns, and its query was not run by whoever ran the statements.
SELECT relowner::regrole, (SELECT proowner::regrole FROM pg_proc WHERE oid = 'shown(arena.rating)'::regprocedure),
    (SELECT DISTINCT reader FROM kept) FROM pg_class WHERE oid = 'kept'::regclass;
-- All of it means the new ladder, which has the oracle's ratings.
SELECT skillrating.exclude_player('oracle', 5, since => '2020-01-03') > 0 AS excluded;
SELECT count(*) > 0 AS changed FROM skillrating.catch_up('arena');
SELECT count(*) > 0 AS changed FROM skillrating.catch_up('arena_before');
SELECT count(*) > 0 AS changed FROM skillrating.catch_up('oracle');
SELECT count(*) > 0 AND bool_and(a.rating = o.rating) AS as_oracle FROM arena.rating AS a JOIN oracle.rating AS o USING (player_id, pool);
SELECT count(*) AS best, bool_and(b.rating = a.rating) AS of_new FROM best AS b JOIN arena.rating AS a USING (player_id);
REFRESH MATERIALIZED VIEW CONCURRENTLY kept;
SELECT bool_and(k.rating = a.rating) AS of_new FROM kept AS k JOIN arena.rating AS a USING (player_id);
SELECT conrelid::regclass, confrelid::regclass FROM pg_constraint WHERE conrelid IN ('badge'::regclass, 'report'::regclass) AND contype = 'f' ORDER BY 1;
SELECT tgrelid::regclass, tgname FROM pg_trigger WHERE tgname = 'hear';
TRUNCATE heard;
SELECT play('arena', '[121,122)');
SELECT count(*) AS heard_of_a_match FROM heard WHERE player_id >= 0;
SELECT tablename, schemaname FROM pg_rules WHERE rulename = 'hear';
SELECT rating_of(3) = rating AS parsed, shown(r) = round(rating)::text AS of_row FROM arena.rating AS r WHERE player_id = 3;
SELECT pubname, schemaname, tablename FROM pg_publication_tables WHERE pubname = 'ratings' ORDER BY 2;
SELECT to_regclass('arena.season_prize') IS NOT NULL AS moved;
SELECT attname, pg_get_expr(adbin, adrelid) FROM pg_attribute LEFT JOIN pg_attrdef ON adrelid = attrelid AND adnum = attnum WHERE attrelid = 'arena.rating'::regclass AND attname = 'note';
SELECT count(*) FROM pg_indexes WHERE schemaname = 'arena' AND indexname = 'by_games';
SELECT conname FROM pg_constraint WHERE conrelid = 'arena.rating'::regclass AND contype = 'c';
SELECT reloptions, obj_description(oid), obj_description(relnamespace) FROM pg_class WHERE oid = 'arena.rating'::regclass;
SELECT polname, relrowsecurity FROM pg_policy JOIN pg_class AS c ON c.oid = polrelid WHERE polrelid = 'arena.operation'::regclass;
SELECT has_schema_privilege('regress_shadow_reader', 'arena', 'USAGE'), has_table_privilege('regress_shadow_reader', 'arena.event', 'SELECT'),
    has_column_privilege('regress_shadow_reader', 'arena.rating', 'rating', 'UPDATE'), has_table_privilege('regress_shadow_reader', 'arena.rating', 'UPDATE');
SELECT defaclobjtype, defaclacl IS NOT NULL FROM pg_default_acl WHERE defaclnamespace = 'arena'::regnamespace;
SELECT sound('arena'), sound('arena_before');

-- Two of the names of before would do as well; one that a schema has does not.
SELECT failure('SELECT skillrating.promote_ladder(''arena_before'', ''arena_before'')');
\set ECHO none
DROP VIEW best;
DROP MATERIALIZED VIEW kept;
DROP TABLE badge, report;
DROP TRIGGER hear ON arena.rating;
DROP RULE hear ON arena.correction;
DROP FUNCTION rating_of, shown;
DROP TABLE arena.season_prize;
DROP PUBLICATION ratings;
-- Publications of a schema and of all tables are refused by name, and publish the new ladder afterwards;
-- both ladders are published then, so that the way back needs statements on subscribers alone.
CREATE FUNCTION refusal(statement text) RETURNS TABLE (message text, detail text) LANGUAGE plpgsql AS $$
BEGIN
    EXECUTE statement;
EXCEPTION WHEN dependent_objects_still_exist THEN
    GET STACKED DIAGNOSTICS message = MESSAGE_TEXT, detail = PG_EXCEPTION_DETAIL;
    RETURN NEXT;
END
$$;
CREATE FUNCTION published() RETURNS TABLE (publication text, new boolean, former boolean) LANGUAGE sql AS $$
    SELECT p.pubname, bool_or(t.schemaname = 'arena'), bool_or(t.schemaname <> 'arena')
    FROM pg_publication AS p CROSS JOIN LATERAL pg_get_publication_tables(p.pubname) AS g
    JOIN pg_class AS c ON c.oid = g.relid JOIN pg_tables AS t ON t.schemaname = c.relnamespace::regnamespace::text AND t.tablename = c.relname
    WHERE t.tablename = 'rating' AND t.schemaname ~ '^arena' GROUP BY p.pubname
$$;
SET client_min_messages = error;
CREATE PUBLICATION everything FOR ALL TABLES;
CREATE PUBLICATION whole FOR TABLES IN SCHEMA arena;
SET client_min_messages = warning;
\set ECHO all
SELECT * FROM published() ORDER BY 1;
TRUNCATE refused;
INSERT INTO refused SELECT detail FROM refusal('SELECT skillrating.promote_ladder(''arena_before'', ''arena_later'')');
SELECT message FROM refusal('SELECT skillrating.promote_ladder(''arena_before'', ''arena_later'')');
SELECT statements FROM refused;
BEGIN;
SELECT skillrating.promote_ladder('arena_before', 'arena_later', hanging => 'keep');
SELECT * FROM published() ORDER BY 1;
DO $$ BEGIN EXECUTE (SELECT statements FROM refused); END $$;
COMMIT;
SELECT * FROM published() ORDER BY 1;
SELECT detail FROM refusal('SELECT skillrating.promote_ladder(''arena_later'', ''arena_last'')');
DROP PUBLICATION everything, whole;
SELECT play('arena', '[122,123)');
SELECT count(*) FILTER (WHERE m.status = 'rated') AS rated FROM arena_later.rated_match AS m WHERE m.match_id >= 121;
SELECT sound('arena'), sound('arena_later'), skillrating.restore_triggers('arena'), skillrating.restore_triggers('arena_later');
\set SHOW_CONTEXT never
SELECT skillrating.drop_ladder('arena');
SELECT skillrating.drop_ladder('arena_later'), skillrating.drop_ladder('arena'), skillrating.drop_ladder('oracle') \gset
DROP OWNED BY regress_shadow_reader;
DROP ROLE regress_shadow_reader;

-- Over tables of the user's, with a mirror; the former ladder can be dropped alone.
CREATE TABLE game (game bigint, account bigint, won boolean, day date, PRIMARY KEY (game, account));
CREATE VIEW games AS SELECT game AS match_id, account AS player_id, account % 2 AS team, won, day AS played_at FROM game;
CREATE TABLE account (account bigint PRIMARY KEY, elo float8);
INSERT INTO account VALUES (1), (2), (3);
SELECT skillrating.create_ladder('league', 'elo', source => 'games'), skillrating.attach('league', 'game', 'game'),
    skillrating.mirror_rating('league', 'account', 'account', '{"elo": "rating"}');
INSERT INTO game VALUES (1, 1, true, '2020-01-01'), (1, 2, false, '2020-01-01'), (2, 2, true, '2020-01-02'), (2, 3, false, '2020-01-02');
SELECT skillrating.shadow_ladder('league', 'shadow', 'glicko'), skillrating.shadow_ladder('league', 'second', params => '{"k": 8}');
INSERT INTO game VALUES (3, 1, true, '2020-01-03'), (3, 2, false, '2020-01-03');
SELECT skillrating.promote_ladder('shadow', 'league_before');
SELECT l.model, s.shadow_of FROM league.ladder AS l, second.ladder AS s;
SELECT bool_and(a.elo = r.rating) AS mirrored FROM account AS a JOIN league.rating AS r ON r.player_id = a.account;
SELECT skillrating.drop_ladder('league_before') \gset
INSERT INTO game VALUES (4, 1, true, '2020-01-04'), (4, 2, false, '2020-01-04');
INSERT INTO account VALUES (4);
INSERT INTO game VALUES (5, 4, true, '2020-01-05'), (5, 3, false, '2020-01-05');
SELECT count(*) AS players, bool_and(a.elo = r.rating) AS mirrored FROM account AS a JOIN league.rating AS r ON r.player_id = a.account;
SELECT count(*) FROM league.rated_match WHERE status = 'rated';
SELECT sound('league'), sound('second');
SELECT skillrating.promote_ladder('second', 'league_before');
-- States of the other model are no columns of the user's.
SELECT count(*) FILTER (WHERE attrelid = 'league_before.event'::regclass) AS before, count(*) FILTER (WHERE attrelid = 'league.event'::regclass) AS now
FROM pg_attribute WHERE attname ~ '^deviation_' AND attnum > 0;
SELECT bool_and(a.elo = r.rating) AS mirrored FROM account AS a JOIN league.rating AS r ON r.player_id = a.account;
SELECT skillrating.drop_ladder('league'), skillrating.drop_ladder('league_before') \gset

-- A shadow whose own corrections wait says so.
SELECT skillrating.create_ladder('early', 'elo') \gset
SELECT count(*) FROM generate_series(1, 2) AS m, skillrating.report_match('early', m, '{1,2}', '{1,2}', '{1,2}');
SELECT skillrating.shadow_ladder('early', 'later', 'glicko');
SELECT skillrating.void_match('early', 1), skillrating.void_match('later', 1) \gset
SELECT count(*) > 0 AS replayed FROM skillrating.catch_up('early');
SET client_min_messages = notice;
SELECT skillrating.promote_ladder('later', 'earlier');
RESET client_min_messages;
SELECT count(*) > 0 AS replayed FROM skillrating.catch_up('early');
SELECT sound('early');
SELECT skillrating.drop_ladder('earlier'), skillrating.drop_ladder('early') \gset
DROP VIEW games;
DROP TABLE game, account, heard, refused;
DROP FUNCTION failure, play, sound, hear, refusal, published;

-- A column that the first ladder got since, with its collation, comment and rights.
CREATE ROLE regress_support;
SELECT skillrating.create_ladder('arena', 'elo') \gset
SELECT skillrating.shadow_ladder('arena', 'later', 'glicko2') \gset
ALTER TABLE arena.rating ADD COLUMN nick text COLLATE "POSIX" DEFAULT 'none', ADD COLUMN number bigint GENERATED ALWAYS AS IDENTITY;
COMMENT ON COLUMN arena.rating.nick IS 'The name shown.';
GRANT SELECT (nick) ON arena.rating TO regress_support;
SELECT skillrating.promote_ladder('later', former => 'former') \gset
SELECT attname, attcollation::regcollation, attidentity, attacl IS NOT NULL AS granted, col_description(attrelid, attnum)
FROM pg_attribute WHERE attrelid = 'arena.rating'::regclass AND attname IN ('nick', 'number', 'rating') ORDER BY attname;
SELECT skillrating.promote_ladder('former', former => 'later') \gset
SELECT has_column_privilege('regress_support', 'arena.rating', 'nick', 'SELECT'), (SELECT count(*) FROM skillrating_internal.dress_statements('later', 'arena')) AS lacking;
SELECT skillrating.drop_ladder('later'), skillrating.drop_ladder('arena') \gset
DROP ROLE regress_support;
