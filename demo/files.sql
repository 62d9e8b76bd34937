-- One file: from demo.staging, whose columns are called by their place, to ladders.
--
-- The variables name the column for each meaning, or are NULL.

DROP TABLE IF EXISTS demo.participant;
CREATE UNLOGGED TABLE demo.participant AS
SELECT s.:match_id AS match_id,
    demo.to_time(s.:played_at) AS played_at,
    s.:player AS player,
    row_number() OVER (PARTITION BY s.:match_id, s.:player ORDER BY s.ctid) AS stint,
    -- Numbers go by their value, so that 9 comes before 10, and before any text.
    dense_rank() OVER (
        PARTITION BY s.:match_id
        ORDER BY CASE WHEN s.:team ~ '^-?[0-9]{1,18}$' THEN s.:team::bigint END, s.:team) AS team,
    -- Only the order of ranks counts, so that 1.5 and 2.5 will do as well.
    CASE WHEN s.:rank <> '' THEN
        dense_rank() OVER (PARTITION BY s.:match_id ORDER BY nullif(s.:rank, '')::numeric)
    END AS rank,
    coalesce(nullif(:weight::text, '')::float8, nullif(:pct_played::text, '')::float8 / 100) AS weight,
    nullif(:joined::text, '')::float8 AS joined,
    nullif(:left_at::text, '')::float8 AS left_at,
    CASE :side::text WHEN '1' THEN 1 WHEN '2' THEN 2 END AS side,
    nullif(:commanding::text, '')::float8 AS commanding
FROM demo.staging AS s;
ANALYZE demo.participant;

SELECT demo.rate_file(:number, :'name', 'elo') \g /dev/null
-- Hive is for two teams.
SELECT coalesce(max(team) <= 2, false) AS two_teams FROM demo.participant \gset
\if :two_teams
    SELECT demo.rate_file(:number, :'name', 'hive') \g /dev/null
\endif
