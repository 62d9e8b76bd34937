-- A simulated team game, rated by the Hive model and by state_space, against the true skills.

\echo
\echo '== A team game of two sides: simulated, so that the true skill is known, rated by hive and state_space'
\echo

\echo 'Simulating 4000 matches of 400 players with stints, sides, commanders and maps ...'
SELECT demo.simulate_matches() \g /dev/null

-- What a map is worth is learnt from the results of the first thousand matches,
-- as somebody would who starts to rate; the forecasts below are for the others.
CREATE TABLE demo.map_log_odds AS
SELECT map_id, skillrating.context_log_odds(count(*) FILTER (WHERE winner = first_team), count(winner), 0.5, 20) AS log_odds
FROM demo.match
WHERE match_id <= 1000
GROUP BY map_id;

SELECT skillrating.create_ladder('rounds', 'hive') \g /dev/null

\echo 'Loading with COPY, rated at commit ...'
\copy (SELECT match_id, player_id, stint, team, rank, joined, left_at, side, commanding FROM demo.match_player) TO PROGRAM 'cat > "$TMPDIR/rounds.csv"' WITH (FORMAT csv)
SELECT clock_timestamp() AS begun \gset
BEGIN;
INSERT INTO rounds.match (match_id, played_at, log_odds)
SELECT m.match_id, m.played_at, CASE WHEN m.match_id > 1000 THEN l.log_odds ELSE 0 END
FROM demo.match AS m
JOIN demo.map_log_odds AS l USING (map_id);
\copy rounds.match_player (match_id, player_id, stint, team, rank, joined, left_at, side, commanding) FROM PROGRAM 'cat "$TMPDIR/rounds.csv"' WITH (FORMAT csv)
COMMIT;
-- Autovacuum may not have come by when the tables are read next.
ANALYZE rounds.match, rounds.match_player, rounds.event, rounds.rating, rounds.rated_match;
SELECT (SELECT count(*) FROM rounds.rated_match WHERE status = 'rated') AS matches, count(*) AS participants,
    round(extract(epoch FROM clock_timestamp() - :'begun')::numeric, 2) AS seconds
FROM rounds.match_player;

\echo 'The best ten, and what they truly are:'
SELECT b.place, b.player_id, round(b.rating::numeric, 2) AS rating, round(p.skill::numeric, 2) AS true_skill,
    b.games, b.wins, b.losses
FROM skillrating.leaderboard('rounds', 10, min_games => 30) AS b
JOIN demo.player AS p ON p.player_id = b.player_id::bigint
ORDER BY b.place, b.player_id;

\echo 'Rank correlation with the truth, of players with at least 30 matches:'
SELECT count(*) AS players,
    round(corr(rank_rated, rank_true)::numeric, 3) AS skill,
    round(corr(rank_offset, rank_true_offset)::numeric, 3) AS side_offset,
    round(corr(rank_command, rank_true_command)::numeric, 3) AS command_skill
FROM (
    SELECT rank() OVER (ORDER BY r.skill) AS rank_rated, rank() OVER (ORDER BY p.skill) AS rank_true,
        rank() OVER (ORDER BY r.side_offset) AS rank_offset, rank() OVER (ORDER BY p.side_offset) AS rank_true_offset,
        rank() OVER (ORDER BY r.command_skill) AS rank_command, rank() OVER (ORDER BY p.command_skill) AS rank_true_command
    FROM rounds.rating AS r
    JOIN demo.player AS p USING (player_id)
    WHERE r.games >= 30
) AS ranks;

\echo 'An upcoming match, ten of the most active players, with the sides as they would be:'
SELECT team, array_agg(player_id) AS players, round(avg(rating)::numeric, 2) AS mean_rating,
    round(avg(win_probability)::numeric, 3) AS p
FROM (SELECT array_agg(player_id ORDER BY games DESC, player_id) AS players
      FROM (SELECT player_id, games FROM rounds.rating ORDER BY games DESC, player_id LIMIT 10) AS active) AS lobby
CROSS JOIN LATERAL skillrating.preview('rounds', players, ARRAY[1, 2, 1, 2, 1, 2, 1, 2, 1, 2],
    side => ARRAY[1, 2, 1, 2, 1, 2, 1, 2, 1, 2])
GROUP BY team ORDER BY team;

-- The other ladder is told the map of each match and not what it is worth, which it learns from
-- one match to the next, as it does for sides and commanders.  Its numbers are what tune() finds in
-- another simulation, simulate_matches(seed => 0.75), rounded, so that none has seen these matches.
\echo 'The same matches, rated by state_space, which learns what maps and sides are worth ...'
SELECT skillrating.create_ladder('learned', 'state_space',
    '{"noise": "teams", "strength": "share", "tau": 0, "drift": 0, "draw_probability": 0, "draw_sigma": 0,
      "initial_mu": 1.8, "initial_sigma": 0.9, "initial_side_sigma": 0.3, "initial_command_mu": 1.7,
      "initial_command_sigma": 0.45, "home_context_sigma": 0.17, "player_context_sigma": 0}') \g /dev/null
SELECT clock_timestamp() AS begun \gset
BEGIN;
INSERT INTO learned.match (match_id, played_at, context)
SELECT m.match_id, m.played_at, map.name
FROM demo.match AS m
JOIN demo.map USING (map_id);
INSERT INTO learned.match_player (match_id, player_id, stint, team, rank, weight, side, commanding)
SELECT p.match_id, p.player_id, p.stint, p.team, p.rank, skillrating.hive_weight(p.joined, p.left_at, 1200), p.side, p.commanding
FROM demo.match_player AS p;
COMMIT;
ANALYZE learned.match, learned.match_player, learned.event, learned.rating, learned.rated_match,
    learned.component, learned.component_event;
SELECT (SELECT count(*) FROM learned.rated_match WHERE status = 'rated') AS matches, count(*) AS participants,
    round(extract(epoch FROM clock_timestamp() - :'begun')::numeric, 2) AS seconds
FROM learned.match_player;

\echo 'What maps are worth to side 1, as it was learned, with its deviation, and truly, in log-odds:'
SELECT map.name AS map, round(((home.mu + c.mu) / sqrt(pi() / 4))::numeric, 2) AS learned,
    round((sqrt(home.deviation ^ 2 + c.deviation ^ 2) / sqrt(pi() / 4))::numeric, 2) AS deviation,
    round(map.log_odds::numeric, 2) AS truth, c.games
FROM learned.components AS home
JOIN learned.components AS c ON home.kind = 'home' AND c.kind = 'home_context'
JOIN demo.map ON map.name = c.key
ORDER BY map.log_odds DESC;

\echo 'The forecasts made along the way, from match 1001 on (less is better):'
WITH base AS (
    SELECT avg((winner = first_team)::int)::float8 AS rate FROM demo.match WHERE match_id <= 1000
), truth AS (
    SELECT m.played_at, m.true_probability, (m.winner = m.first_team)::int::float8 AS outcome
    FROM demo.match AS m
    JOIN rounds.rated_match AS r USING (match_id)
    WHERE r.status = 'rated' AND m.match_id > 1000
)
SELECT who, count(*) AS matches, round(skillrating.brier_score(p, outcome)::numeric, 4) AS brier,
    round(skillrating.log_loss(p, outcome)::numeric, 4) AS log_loss
FROM (
    SELECT 1 AS n, 'hive' AS who, f.probability AS p, f.outcome
    FROM demo.forecasts('rounds') AS f
    WHERE f.played_at > (SELECT played_at FROM demo.match WHERE match_id = 1000)
    UNION ALL
    SELECT 2, 'state_space', f.probability, f.outcome
    FROM demo.forecasts('learned') AS f
    WHERE f.played_at > (SELECT played_at FROM demo.match WHERE match_id = 1000)
    UNION ALL
    SELECT 3, 'how often side 1 won before', base.rate, truth.outcome FROM truth, base
    UNION ALL
    SELECT 4, 'the truth itself', truth.true_probability, truth.outcome FROM truth
) AS v
GROUP BY n, who ORDER BY n;

\echo 'Every match rated again, and compared bit for bit:'
SELECT * FROM skillrating.verify('rounds');
SELECT * FROM skillrating.verify('learned');
SELECT demo.require_sound('rounds') \g /dev/null
SELECT demo.require_sound('learned') \g /dev/null
