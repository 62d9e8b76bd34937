-- Many matches at once: 100 000 in one insert, and by COPY in shuffled order.
\pset format unaligned
\pset tuples_only on
\set ON_ERROR_STOP on
SELECT skillrating.create_ladder('bulk', 'elo', params => '{"k_by_games": [[30, 40]], "k": 20}') \gset
SELECT skillrating.create_ladder('shuffled', 'elo', params => '{"k_by_games": [[30, 40]], "k": 20}') \gset
SELECT skillrating.create_ladder('teams', 'hive') \gset

-- Two players a match out of 2000, with the outcome from a hash.
\set ECHO none
CREATE TABLE history AS
SELECT m AS match_id, '2020-01-01'::timestamptz + m / 3 * interval '1 minute' AS played_at,
    hashint8extended(m, 1) & 1023 AS a, 1024 + (hashint8extended(m, 2) & 1023) AS b,
    (hashint8extended(m, 3) & 3)::int AS outcome
FROM generate_series(1, 100000) AS m;
\set ECHO all

BEGIN;
\set ECHO none
INSERT INTO bulk.match (match_id, played_at) SELECT match_id, played_at FROM history;
INSERT INTO bulk.match_player (match_id, player_id, team, rank)
SELECT match_id, a, 1, CASE WHEN outcome = 3 THEN 2 ELSE 1 END FROM history
UNION ALL
SELECT match_id, b, 2, CASE WHEN outcome = 0 THEN 1 ELSE 2 END FROM history;
\set ECHO all
COMMIT;
SELECT * FROM skillrating.verify('bulk');
SELECT count(*), bool_and(games > 0) FROM bulk.rating;
-- Within a batch the order is that of time, then of the identifier.
SELECT count(*) FILTER (WHERE in_order) AS in_order, count(*) AS matches
FROM (SELECT row_number() OVER (ORDER BY h.played_at, h.match_id) = row_number() OVER (ORDER BY m.seq) AS in_order
      FROM bulk.rated_match AS m JOIN history AS h USING (match_id)) AS o;

-- COPY in any order of the file gives the same, to the bit.
INSERT INTO shuffled.match (match_id, played_at) SELECT match_id, played_at FROM history;
\copy (SELECT match_id, player_id, team, rank FROM bulk.match_player ORDER BY hashint8(match_id), player_id DESC) TO 'results/ladder_bulk.csv' WITH (FORMAT csv)
\copy shuffled.match_player (match_id, player_id, team, rank) FROM 'results/ladder_bulk.csv' WITH (FORMAT csv)
SELECT bool_and(ok) FROM skillrating.verify('shuffled');
SELECT count(*) AS differences FROM (SELECT player_id, rating, games, wins, draws, losses FROM bulk.rating
    EXCEPT SELECT player_id, rating, games, wins, draws, losses FROM shuffled.rating) AS d;

-- One by one gives the same as all at once.
SELECT skillrating.create_ladder('single', 'elo', params => '{"k_by_games": [[30, 40]], "k": 20}', apply_at => 'statement') \gset
\set ECHO none
DO $$
DECLARE
    h record;
BEGIN
    FOR h IN SELECT * FROM history ORDER BY played_at, match_id LIMIT 3000 LOOP
        INSERT INTO single.match (match_id, played_at) VALUES (h.match_id, h.played_at);
        INSERT INTO single.match_player (match_id, player_id, team, rank) VALUES
            (h.match_id, h.a, 1, CASE WHEN h.outcome = 3 THEN 2 ELSE 1 END),
            (h.match_id, h.b, 2, CASE WHEN h.outcome = 0 THEN 1 ELSE 2 END);
    END LOOP;
END $$;
\set ECHO all
SELECT bool_and(ok) FROM skillrating.verify('single');
SELECT count(*) AS differences
FROM single.event AS s JOIN bulk.event AS b USING (match_id, player_id)
WHERE s.rating_after <> b.rating_after OR s.win_probability <> b.win_probability;

-- A team game whose players come and go, many times over the memory of one batch.
SET work_mem = '64kB';
BEGIN;
\set ECHO none
INSERT INTO teams.match (match_id, played_at, log_odds)
SELECT m, '2020-01-01'::timestamptz + m * interval '1 minute', 0.1 FROM generate_series(1, 3000) AS m;
INSERT INTO teams.match_player (match_id, player_id, team, won, side, joined, left_at, commanding)
SELECT m, (m * 13 + p * 7) % 211, p % 2, (p + hashint4(m::int) % 2) % 2 = 0, 1 + (p + m) % 2,
    CASE WHEN p > 9 THEN 100 * (p - 9) ELSE 0 END, 900 + 10 * p, CASE WHEN p < 2 THEN 1 END
FROM generate_series(1, 3000) AS m, generate_series(0, 11) AS p;
\set ECHO all
COMMIT;
RESET work_mem;
SELECT * FROM skillrating.verify('teams');

-- Row by row in one transaction, what waits is not looked for once more for each statement; one
-- look a row asks whether its match has failed before.
SELECT skillrating.create_ladder('by_row', 'elo') \gset
\set ECHO none
BEGIN;
DO $$
BEGIN
    FOR m IN 1 .. 100 LOOP
        INSERT INTO by_row.match (match_id, played_at) VALUES (m, '2024-01-01');
        INSERT INTO by_row.match_player (match_id, player_id, team, rank) VALUES (m, m % 7, 1, 1);
        INSERT INTO by_row.match_player (match_id, player_id, team, rank) VALUES (m, 7 + m % 5, 2, 2);
    END LOOP;
END $$;
\set ECHO all
SET CONSTRAINTS ALL IMMEDIATE;
SELECT s.seq_scan + s.idx_scan - s.n_tup_ins BETWEEN 1 AND 10 AS few FROM pg_stat_xact_user_tables AS s
WHERE s.schemaname = 'by_row' AND s.relname = 'pending';
COMMIT;
SELECT bool_and(ok), (SELECT count(*) FROM by_row.event) AS events FROM skillrating.verify('by_row');

SELECT count(skillrating.drop_ladder(l)) FROM unnest(ARRAY['bulk', 'shuffled', 'single', 'teams', 'by_row']) AS l;
DROP TABLE history;
