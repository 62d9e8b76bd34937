-- Which columns of a source a model makes use of, and who says so.
CREATE TABLE use_row AS
SELECT m AS match_id, timestamptz '2024-01-01' + m * interval '1 day' AS played_at, 1 + p % 2 AS team, p AS player_id,
    1 + (m + p) % 2 AS rank, CASE WHEN (m + p) % 2 = 0 THEN 5 + m % 3 ELSE m % 4 END AS score, (m + p) % 2 = 0 AS won,
    1 - (m * p % 3) / 4.0 AS weight, (m + p) % 2 / 5.0 AS commanding, 1 + p % 2 AS side, m + p % 2 AS squad,
    m % 7 AS kills, (m + p) % 5 AS deaths, (m + p) % 9 = 0 AS quit, p * 10 AS experience, 1 - m % 2 / 2.0 AS gain,
    'map ' || m % 3 AS context, 'club ' || p % 2 AS club, 'cup ' || m / 5 AS tournament
FROM generate_series(1, 30) AS m, generate_series(0, 3) AS p;

CREATE VIEW use_source AS SELECT * FROM use_row;

SELECT name, skillrating_internal.unused_columns('use_source', name, '{}') FROM skillrating.models();

CREATE TABLE use_model AS
SELECT name AS model, jsonb '{}' AS params FROM skillrating.models()
UNION ALL VALUES ('elo', jsonb '{"margin": "log"}'), ('frag', '{"points": 3}'), ('glicko2', '{"period": "tournament"}'),
    ('hive', '{"context_deviation": 0}'), ('weng_lin', '{"recalibration_side_deviation": 0.5}'),
    ('trueskill2', '{"kill_variance": 3, "kill_self": 0.1, "quit_related": 0.1}'),
    ('state_space', '{"home_sigma": 0, "home_context_sigma": 0, "player_context_sigma": 0, "club_sigma": 0}');

-- What is on counts.
SELECT model, params, skillrating_internal.unused_columns('use_source', model, params) FROM use_model WHERE params <> '{}';

-- A ladder without these columns has the same ratings, bit for bit.
CREATE FUNCTION use_compare(model text, params jsonb)
RETURNS TABLE (matches bigint, same boolean)
LANGUAGE plpgsql
AS $$
DECLARE
    unused text[] := skillrating_internal.unused_columns('use_source', model, params);
BEGIN
    EXECUTE (SELECT format('CREATE VIEW use_less AS SELECT %s FROM use_source', string_agg(
            CASE WHEN a.attname = ANY (unused) THEN format('CASE WHEN false THEN %1$I END AS %1$I', a.attname) ELSE quote_ident(a.attname) END,
            ', ' ORDER BY a.attnum))
        FROM pg_attribute AS a WHERE a.attrelid = 'use_source'::regclass AND a.attnum > 0);
    PERFORM skillrating.create_ladder('use_all', model, params, source => 'use_source', attach => false);
    PERFORM skillrating.create_ladder('use_few', model, params, source => 'use_less', attach => false);
    PERFORM FROM skillrating.catch_up('use_all', search => true);
    PERFORM FROM skillrating.catch_up('use_few', search => true);
    SELECT rated INTO matches FROM skillrating.ladder_status('use_all');
    same := (SELECT array_agg(e::text ORDER BY e.seq, e.player_id) FROM use_all.history AS e)
        = (SELECT array_agg(e::text ORDER BY e.seq, e.player_id) FROM use_few.history AS e);
    PERFORM skillrating.drop_ladder('use_all'), skillrating.drop_ladder('use_few');
    DROP VIEW use_less;
    RETURN NEXT;
END
$$;

SET client_min_messages = warning;
SELECT m.model, m.params, c.matches, c.same FROM use_model AS m, use_compare(m.model, m.params) AS c;
RESET client_min_messages;

-- Those who make or change a source read it.
CREATE VIEW use_kills AS SELECT match_id, played_at, team, player_id, rank, kills FROM use_row WHERE false;
SELECT skillrating.create_ladder('use_said', 'elo', source => 'use_kills', attach => false);

CREATE OR REPLACE VIEW use_kills AS SELECT match_id, played_at, team, player_id, rank, kills, deaths, gain FROM use_row WHERE false;
SELECT skillrating.refresh_source('use_said');

SELECT name, ok, description FROM skillrating.describe_source('use_kills', 'elo') WHERE ok IS NULL;
SELECT name, ok, description FROM skillrating.describe_source('use_kills') WHERE name = 'kills';

-- Of these all are of use: log-odds favour a side, and where there is no rank the score decides.
CREATE VIEW use_plain AS SELECT match_id, played_at, team, player_id, score, side, 0 AS log_odds, experience FROM use_row WHERE false;
SELECT skillrating.create_ladder('use_silent', 'elo', source => 'use_plain', attach => false);

SELECT skillrating.drop_ladder('use_said'), skillrating.drop_ladder('use_silent');
DROP FUNCTION use_compare;
DROP TABLE use_model;
DROP VIEW use_source, use_kills, use_plain;
DROP TABLE use_row;
