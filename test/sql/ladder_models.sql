-- Every model that there is, on ladders: what a match may have, in batches and one by one.
\set ECHO none
\pset format unaligned
\pset tuples_only on
\set ON_ERROR_STOP on
CREATE TABLE participant AS
SELECT m AS match_id, CASE WHEN m % 5 = 0 THEN 'other' ELSE '' END AS pool,
    '2020-01-01'::timestamptz + m * m * interval '7 minutes' AS played_at,
    (m * 7 + p * 5 + p * p) % 31 AS player_id, p % teams AS team,
    (m / 3 + p % teams) % teams * (m % 4 + 1) / 2 AS score,
    CASE WHEN m % 3 = 0 THEN 0.25 + (m + p) % 4 / 4.0 END AS weight,
    CASE WHEN m % 2 = 0 AND p < 4 THEN p / 2 END AS squad, (m * p) % 13 AS kills, (m + 3 * p) % 11 AS deaths,
    CASE WHEN m % 7 = 0 THEN p = 3 END AS quit, m * p AS experience, nullif((m + p) % 5 / 2.0, 1) AS gain,
    CASE WHEN teams = 2 AND m % 4 > 0 THEN 1 + p % 2 END AS side, CASE WHEN m % 3 > 0 THEN 'map ' || (m + p / 3) % 4 END AS context,
    CASE WHEN p % 3 > 0 THEN 'club ' || p % 5 END AS club
FROM generate_series(1, 240) AS m, LATERAL (SELECT CASE WHEN m % 6 = 1 THEN 3 ELSE 2 END AS teams) AS t,
    generate_series(0, 1 + m % 6) AS p
WHERE p < 2 + m % 5;

CREATE PROCEDURE fill(ladder text, first int, last int) LANGUAGE plpgsql AS $$
BEGIN
    EXECUTE format('INSERT INTO %I.match (match_id, pool, played_at, log_odds, gain)
        SELECT match_id, pool, played_at, CASE WHEN max(team) = 1 THEN 0.2 ELSE 0 END, 0.5 + match_id %% 3 / 2.0
        FROM participant WHERE match_id BETWEEN $1 AND $2 GROUP BY match_id, pool, played_at', ladder) USING first, last;
    EXECUTE format('INSERT INTO %I.match_player (match_id, player_id, team, team_score, weight, squad, kills, deaths, quit, experience, player_gain, side, context, club)
        SELECT match_id, player_id, team, score, weight, squad, kills, deaths, quit, experience, gain, side, context, club
        FROM participant WHERE match_id BETWEEN $1 AND $2', ladder) USING first, last;
END $$;
\set ECHO all

SELECT count(skillrating.create_ladder('batch_' || name, name)), count(skillrating.create_ladder('single_' || name, name, apply_at => 'statement'))
FROM skillrating.models();
\set VERBOSITY terse
DO $$
DECLARE
    model text;
BEGIN
    FOR model IN SELECT name FROM skillrating.models() LOOP
        CALL fill('batch_' || model, 1, 100);
        SET CONSTRAINTS ALL IMMEDIATE;
        SET CONSTRAINTS ALL DEFERRED;
        CALL fill('batch_' || model, 101, 240);
        FOR m IN 1 .. 240 LOOP
            CALL fill('single_' || model, m, m);
        END LOOP;
    END LOOP;
END $$;

-- They verify, and a batch is the same as one match after the other, to the bit.
\set ECHO none
CREATE FUNCTION facts(model text, OUT verified bool, OUT rated bigint, OUT unrated bigint, OUT why text, OUT events bigint, OUT differences bigint,
    OUT components bigint, OUT component_differences bigint)
LANGUAGE plpgsql AS $$
BEGIN
    SELECT bool_and(ok) INTO verified FROM
        (SELECT ok FROM skillrating.verify('batch_' || model) UNION ALL SELECT ok FROM skillrating.verify('single_' || model)) AS v;
    EXECUTE format('SELECT count(*) FILTER (WHERE status = ''rated''), count(*) FILTER (WHERE status <> ''rated''), max(reason || '': '' || detail)
        FROM batch_%s.rated_match', model) INTO rated, unrated, why;
    EXECUTE format('SELECT count(*), count(*) FILTER (WHERE to_jsonb(b) - ''seq'' IS DISTINCT FROM to_jsonb(s) - ''seq'')
        FROM batch_%1$s.event AS b FULL JOIN single_%1$s.event AS s USING (match_id, player_id, pool)', model) INTO events, differences;
    EXECUTE format('SELECT count(*), count(*) FILTER (WHERE to_jsonb(b) IS DISTINCT FROM to_jsonb(s))
        FROM batch_%1$s.component AS b FULL JOIN single_%1$s.component AS s ON s.player_id IS NOT DISTINCT FROM b.player_id
            AND (s.kind, s.pool, s.key) = (b.kind, b.pool, b.key)', model) INTO components, component_differences;
END $$;
\set ECHO all
SELECT string_agg(name, ' ' ORDER BY name), f FROM skillrating.models(), facts(name) AS f GROUP BY f ORDER BY 1;

-- What a match would bring is what it brings.
\set ECHO none
CREATE FUNCTION foretold(model text, rank int[], OUT foretold bool, OUT sums_to_one bool) LANGUAGE plpgsql AS $$
BEGIN
    CREATE TEMP TABLE before ON COMMIT DROP AS
        SELECT * FROM skillrating.preview('batch_' || model, '{3,4,5,99}'::bigint[], '{1,1,2,2}', side => '{2,2,1,1}',
            player_gain => '{1,NULL,2.5,0}', log_odds => 0.3, gain => 0.5, context => '{map 1,NULL,map 2,map 9}', club => '{club 1,club 1,NULL,club 9}', pool => '');
    SELECT bool_and(r.rating_before = b.rating AND r.win_probability = b.win_probability
        AND abs(r.rating_after - b.rating - CASE r.score WHEN 1 THEN b.win_change WHEN 0 THEN b.loss_change ELSE b.draw_change END) < 1e-9)
    INTO foretold
    FROM before AS b JOIN skillrating.report_match('batch_' || model, 1000 + rank[1], '{3,4,5,99}'::bigint[], '{1,1,2,2}', rank,
        side => '{2,2,1,1}', player_gain => '{1,NULL,2.5,0}', log_odds => 0.3, gain => 0.5, context => '{map 1,NULL,map 2,map 9}', club => '{club 1,club 1,NULL,club 9}') AS r USING (player_id);
    SELECT abs(sum(win_probability) / 2 - 1) < 1e-12 INTO sums_to_one FROM before;
    DROP TABLE before;
END $$;
\set ECHO all
SELECT string_agg(name, ' ' ORDER BY name), won, lost, drew
FROM (SELECT name, foretold(name, '{1,1,2,2}') AS won, foretold(name, '{2,2,1,1}') AS lost, foretold(name, '{3,3,3,3}') AS drew FROM skillrating.models()) AS m GROUP BY won, lost, drew;
SELECT bool_and((facts(name)).verified) FROM skillrating.models();
