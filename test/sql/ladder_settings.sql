-- No setting of the session matters: one history under each of them, with the same
-- bits.  The source has times without a zone, and casts that read settings.
\set ECHO none
\pset format unaligned
\pset tuples_only on
\set SHOW_CONTEXT never
CREATE TABLE game (id bigint, at timestamp, winner text, loser text, margin text);
CREATE VIEW game_source AS
SELECT id AS match_id, (at::text || ' EST')::timestamptz AS played_at, p.player_id, p.team, p.rank, log_odds::text::float8 AS log_odds, player_gain
FROM game, LATERAL (VALUES (winner, 1, 1), (loser, 2, 2)) AS p(player_id, team, rank),
    -- A date, an interval, a number and a NULL as texts, there and back.
    LATERAL (SELECT (extract(epoch FROM '1 day 02:00'::interval::text::interval) / 1e5 + (0.1::float8 + 0.2::float8)::text::float8)::float8 AS log_odds,
        (1 + extract(day FROM (at::date::text)::date) / 100 + cardinality('{NULL,1}'::text[]) / 1e3 + length(at::text) / 1e4 + length(winner::bytea::text) / 1e5)::float8 AS player_gain) AS c;

CREATE FUNCTION live() RETURNS void LANGUAGE plpgsql SET client_min_messages = error AS $$
BEGIN
    DELETE FROM public.game;
    PERFORM skillrating.create_ladder('games', 'glicko2', source => 'public.game_source', late => 'reorder');
    PERFORM skillrating.attach('games', 'public.game', 'id');
    INSERT INTO public.game SELECT i, timestamp '2024-03-30' + i * interval '5 hours', 'p' || i % 5, 'p' || (i + 1 + i % 3) % 5 + 10, i FROM generate_series(1, 12) AS i;
    SET CONSTRAINTS ALL IMMEDIATE;
    SET CONSTRAINTS ALL DEFERRED;
    PERFORM skillrating.void_match('games', 3::bigint), skillrating.exclude_player('games', 'p1', until => timestamptz '2024-03-31 00:00Z'),
        skillrating.set_rating('games', 'p2', '{"rating": 1600.1}', at => timestamptz '2024-04-01 00:00Z'),
        skillrating.new_season('games', 's', keep => 0.37, at => timestamptz '2024-04-01 12:00Z'),
        skillrating.decay('games', grace => '36 hours', rate => 0.1, at => timestamptz '2024-04-01 18:00Z');
    UPDATE public.game SET at = at + interval '1 hour' WHERE id = 5;
    SET CONSTRAINTS ALL IMMEDIATE;
    SET CONSTRAINTS ALL DEFERRED;
    PERFORM skillrating.catch_up('games');
END $$;
-- What came of it, in bits.
CREATE FUNCTION bits() RETURNS text LANGUAGE plpgsql AS $$
BEGIN
    RETURN md5((SELECT string_agg(e::text, ';' ORDER BY seq, player_id) FROM games.event AS e)
        || (SELECT string_agg(r::text, ';' ORDER BY player_id) FROM games.rating AS r)
        || (SELECT string_agg(ROW(m.match_id, m.status, m.reason, m.detail, m.digest, m.seq, m.played_at)::text, ';' ORDER BY match_id) FROM games.rated_match AS m)
        || (SELECT string_agg(ROW(o.operation, o.seq, o.kind, o.state, o.params, CASE WHEN o.kind <> 'exclude' THEN o.at END)::text, ';' ORDER BY seq) FROM games.operation AS o));
END $$;
\set ECHO all

-- Each setting that a user may make: switches the other way round, all words, and
-- whatever the planner weighs, at its least and most; and what has more to it.  The
-- first values of all settings are tried together, then the second ones, and so on;
-- those that formats depend on also one by one, and ways of planning only so, because
-- without any of them a query of the catalogs takes for ever.
\set ECHO none
CREATE TABLE matrix AS
SELECT CASE WHEN name LIKE 'enable\_%' THEN name ELSE format('all settings, %s', row_number() OVER (PARTITION BY name ORDER BY value)) END AS trial, name, value
FROM (
    SELECT name, CASE setting WHEN 'on' THEN 'off' ELSE 'on' END AS value FROM pg_settings
    WHERE context = 'user' AND vartype = 'bool' AND name !~ '^(debug|transaction_|default_transaction|log_|trace|escape_string)'
    UNION ALL
    SELECT name, v FROM pg_settings, unnest(enumvals) AS v
    WHERE context = 'user' AND vartype = 'enum' AND v <> setting AND name !~ '^(transaction|default_transaction|client_min|log_|plpgsql.variable_conflict)'
    UNION ALL
    -- Where costs are nothing or infinite the planner takes any plan, however long it lasts.
    SELECT name, v FROM pg_settings,
        unnest(CASE WHEN name LIKE '%\_cost' AND vartype = 'real' THEN '{0.01,10000}' ELSE ARRAY[min_val, max_val] END) AS v
    WHERE context = 'user' AND category LIKE 'Query Tuning%' AND vartype IN ('integer', 'real')) AS s
UNION ALL
SELECT format('%s = %s', name, value), name, value FROM (
    VALUES ('TimeZone', 'Asia/Kolkata'), ('TimeZone', 'America/New_York'), ('TimeZone', 'Europe/Berlin'), ('timezone_abbreviations', 'Australia'), ('DateStyle', 'German'), ('DateStyle', 'SQL, DMY'),
        ('DateStyle', 'Postgres, YMD'), ('IntervalStyle', 'sql_standard'), ('IntervalStyle', 'iso_8601'), ('extra_float_digits', '-15'), ('extra_float_digits', '3'),
        ('search_path', ''), ('search_path', 'public, pg_catalog'), ('bytea_output', 'escape'), ('row_security', 'off'), ('jit', 'on'), ('quote_all_identifiers', 'on'),
        ('standard_conforming_strings', 'off'), ('transform_null_equals', 'on'), ('array_nulls', 'off'), ('default_text_search_config', 'pg_catalog.german'),
        ('lc_monetary', 'POSIX'), ('lc_numeric', 'POSIX'), ('lc_time', 'POSIX'),
        ('plpgsql.extra_errors', 'all'), ('plpgsql.extra_warnings', 'all'), ('plpgsql.variable_conflict', 'use_column'), ('plpgsql.variable_conflict', 'use_variable'),
        ('work_mem', '64'), ('maintenance_work_mem', '1024')) AS v(name, value);
\set ECHO all
SELECT count(DISTINCT name) > 50 AS many FROM matrix;

SELECT live() \gset
SELECT bits() AS expected, bool_and(ok) AS verified FROM skillrating.verify('games') \gset
SELECT :'verified' AS verified, (SELECT count(*) FROM games.event) AS events;
SELECT skillrating.drop_ladder('games') \gset

-- Settings last to the end of the transaction.
\set ECHO none
CREATE PROCEDURE try(trial text) LANGUAGE plpgsql AS $$
DECLARE
    setting record;
BEGIN
    FOR setting IN SELECT m.name, m.value FROM public.matrix AS m WHERE m.trial = try.trial ORDER BY m.name LOOP
        PERFORM pg_catalog.set_config(setting.name, setting.value, true);
    END LOOP;
END $$;
CREATE PROCEDURE try_all(expected text) LANGUAGE plpgsql AS $$
DECLARE
    trials text[] := ARRAY(SELECT DISTINCT m.trial FROM public.matrix AS m ORDER BY m.trial);
    trial text;
    verified boolean;
    found text;
BEGIN
    FOREACH trial IN ARRAY trials LOOP
        CALL public.try(trial);
        PERFORM public.live();
        SELECT pg_catalog.bool_and(ok) INTO verified FROM skillrating.verify('games');
        COMMIT;
        found := bits();
        PERFORM skillrating.drop_ladder('games');
        IF NOT verified OR found <> expected THEN
            RAISE INFO '%: verified %, same %', trial, verified, found = expected;
        END IF;
        COMMIT;
    END LOOP;
END $$;
\set ECHO all
CALL try_all(:'expected');

-- And a ladder that was rated under one setting verifies under all others.
SELECT live() \gset
\set ECHO none
CREATE PROCEDURE verify_all() LANGUAGE plpgsql AS $$
DECLARE
    trials text[] := ARRAY(SELECT DISTINCT m.trial FROM public.matrix AS m ORDER BY m.trial);
    trial text;
    verified boolean;
BEGIN
    FOREACH trial IN ARRAY trials LOOP
        CALL public.try(trial);
        SELECT pg_catalog.bool_and(ok) INTO verified FROM skillrating.verify('games');
        IF NOT verified THEN
            RAISE INFO 'not verified under %', trial;
        END IF;
        COMMIT;
    END LOOP;
END $$;
\set ECHO all
CALL verify_all();
SELECT skillrating.drop_ladder('games') \gset
\set ECHO none
DROP PROCEDURE try_all, verify_all, try;
DROP FUNCTION live, bits;
DROP TABLE matrix;
DROP VIEW game_source;
DROP TABLE game;
\set ECHO all
