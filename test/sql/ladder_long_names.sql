-- Names of 63 bytes, of ladders and of tables, also where a character has several.
\set ECHO none
\pset format unaligned
\pset tuples_only on
\set SHOW_CONTEXT never
CREATE SCHEMA regress_long_names;
SET search_path = regress_long_names;
SET client_min_messages = warning;
CREATE TABLE result (match_id bigint, player_id bigint, team int, rank int);
CREATE VIEW result_source AS SELECT match_id, '2026-01-01'::timestamptz AS played_at, player_id, team, rank FROM result;
CREATE FUNCTION try_names(a text, b text, own text) RETURNS void LANGUAGE plpgsql AS $$
DECLARE
    ladder text;
    ok boolean;
BEGIN
    TRUNCATE result;
    -- Two that feed on one table, alike but for their ends.
    FOREACH ladder IN ARRAY ARRAY[a, b] LOOP
        PERFORM skillrating.create_ladder(ladder, 'elo', source => 'result_source', apply_at => 'statement');
        PERFORM skillrating.attach(ladder, 'result');
    END LOOP;
    INSERT INTO result VALUES (1, 1, 1, 1), (1, 2, 2, 2);
    PERFORM skillrating.detach(a, 'result');
    INSERT INTO result VALUES (2, 1, 1, 1), (2, 2, 2, 2);
    FOREACH ladder IN ARRAY ARRAY[a, b] LOOP
        EXECUTE format('SELECT count(*) = %s FROM %I.rated_match', CASE ladder WHEN a THEN 1 ELSE 2 END, ladder) INTO ok;
        RAISE INFO 'fed: %', ok;
        PERFORM skillrating.drop_ladder(ladder);
    END LOOP;

    PERFORM skillrating.create_ladder(own, 'elo', apply_at => 'statement');
    PERFORM skillrating.report_match(own, 1, ARRAY[1, 2], ARRAY[1, 2], ARRAY[1, 2]);
    PERFORM skillrating.shadow_ladder(own, 'other');
    PERFORM skillrating.promote_ladder('other', 'former');
    ALTER SCHEMA former RENAME TO other;
    SELECT bool_and(v.ok) INTO ok FROM skillrating.verify(own) AS v;
    RAISE INFO 'swapped: %', ok;
    PERFORM skillrating.drop_ladder('other'), skillrating.drop_ladder(own);
END
$$;
\set ECHO all
SELECT try_names(repeat('a', 62) || '1', repeat('a', 62) || '2', repeat('b', 63)) \gset
SELECT try_names(repeat('梯', 20) || '子', repeat('梯', 20) || '試', repeat('試', 21)) \gset
SELECT try_names('試合試合試合試合試合試合試合試合試合', '梯子梯子梯子梯子梯子梯子梯子梯子梯子', 'é' || repeat('é', 30)) \gset
-- A trigger of the user in the way of a name is none of ours.
CREATE FUNCTION nothing() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RETURN NULL; END $$;
CREATE TRIGGER skillrating_insert AFTER INSERT ON result FOR EACH STATEMENT EXECUTE FUNCTION nothing();
SELECT skillrating.create_ladder('results', 'elo', source => 'result_source') \gset
SELECT skillrating.attach('results', 'result') \gset
SELECT tgname FROM pg_trigger WHERE tgrelid = 'result'::regclass ORDER BY tgname;
SELECT skillrating.detach('results', 'result') \gset
SELECT tgname FROM pg_trigger WHERE tgrelid = 'result'::regclass ORDER BY tgname;
SELECT skillrating.drop_ladder('results') \gset
DROP SCHEMA regress_long_names CASCADE;
