-- Four football leagues, rated by Elo as their results come in.

\echo
\echo '== Football: results of four leagues, 2012 to 2015, rated by elo'
\echo

CREATE TABLE demo.football (
    match_id bigint,
    played_at timestamptz,
    team integer,
    rank integer,
    player text,
    score float8,
    home integer,
    league text
);
\copy demo.football FROM 'demo/data/football.csv' WITH (FORMAT csv, HEADER)

-- Each league is a pool of its own, as no match connects them.
SELECT skillrating.create_ladder('league', 'elo', player_type => 'text', params => '{"k": 20}') \g /dev/null

-- Playing at home is worth something, and how much is learnt from the first
-- season only: the forecasts below are for the matches after it.  A league without
-- results of that season gets the advantage that all others show together.
CREATE TABLE demo.home_advantage AS
SELECT coalesce(league, '') AS league, skillrating.context_log_odds(
    sum(CASE WHEN h.rank < a.rank THEN 1 WHEN h.rank = a.rank THEN 0.5 ELSE 0 END), count(*), 0.5, 20) AS log_odds
FROM demo.football AS h
JOIN demo.football AS a USING (match_id, league)
WHERE h.home = 1 AND a.home = 0 AND h.played_at < '2013-07-01'
GROUP BY GROUPING SETS ((league), ());

\echo 'Loading with one INSERT for matches and one for participants, rated at commit ...'
SELECT clock_timestamp() AS begun \gset
BEGIN;
INSERT INTO league.match (match_id, played_at, pool, log_odds)
SELECT f.match_id, f.played_at, f.league,
    CASE WHEN f.played_at < '2013-07-01' THEN 0 ELSE coalesce(own.log_odds, everywhere.log_odds) END
FROM demo.football AS f
LEFT JOIN demo.home_advantage AS own ON own.league = f.league
JOIN demo.home_advantage AS everywhere ON everywhere.league = ''
WHERE f.home = 1;
INSERT INTO league.match_player (match_id, player_id, team, rank)
SELECT match_id, player, team, rank FROM demo.football;
COMMIT;
-- Autovacuum may not have come by when the tables are read next.
ANALYZE league.match, league.match_player, league.event, league.rating, league.rated_match;
SELECT count(*) AS matches, round(extract(epoch FROM clock_timestamp() - :'begun')::numeric, 2) AS seconds,
    round(count(*) / extract(epoch FROM clock_timestamp() - :'begun')) AS matches_per_second
FROM league.rated_match WHERE status = 'rated';

\echo 'The best three of each league:'
SELECT p.pool AS league, b.place, b.player_id AS club, round(b.rating) AS rating, b.games, b.wins, b.draws, b.losses
FROM (SELECT DISTINCT pool FROM league.rating) AS p
CROSS JOIN LATERAL skillrating.leaderboard('league', 3, p.pool) AS b
ORDER BY 1, 2, 3;

\echo 'An upcoming match, Chelsea at home to Arsenal: who wins, and what it would bring:'
SELECT player_id AS club, round(rating) AS rating, round(win_probability::numeric, 3) AS p,
    round(win_change::numeric, 1) AS if_won, round(draw_change::numeric, 1) AS if_drawn, round(loss_change::numeric, 1) AS if_lost
FROM skillrating.preview('league', ARRAY['Chelsea', 'Arsenal'], ARRAY[1, 2], pool => 'en.1',
    log_odds => (SELECT log_odds FROM demo.home_advantage WHERE league = 'en.1'));

\echo 'The forecasts made along the way, from the second season on (less is better; a draw is half a win):'
WITH forecast AS (
    SELECT * FROM demo.forecasts('league') WHERE played_at >= '2013-07-01'
), base AS (
    SELECT avg(CASE WHEN h.rank < a.rank THEN 1 WHEN h.rank = a.rank THEN 0.5 ELSE 0 END)::float8 AS rate
    FROM demo.football AS h
    JOIN demo.football AS a USING (match_id)
    WHERE h.home = 1 AND a.home = 0 AND h.played_at < '2013-07-01'
)
SELECT who, count(*) AS matches, round(skillrating.brier_score(p, outcome)::numeric, 4) AS brier,
    round(skillrating.log_loss(p, outcome)::numeric, 4) AS log_loss
FROM forecast
CROSS JOIN base
CROSS JOIN LATERAL (VALUES (1, 'elo', probability), (2, 'base rate of the first season', rate), (3, 'a coin', 0.5)) AS v(n, who, p)
GROUP BY n, who ORDER BY n;

\echo 'Every match rated again, and compared bit for bit:'
SELECT * FROM skillrating.verify('league');
SELECT demo.require_sound('league') \g /dev/null
