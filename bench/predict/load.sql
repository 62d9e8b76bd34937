-- One file: from predict.staging, whose columns are called by their place, to predict.participant.
--
-- The variables name the column for each meaning, or are NULL.

INSERT INTO predict.data_set (name, sha256, columns) VALUES (:'name', :'sha256', :'columns')
RETURNING id AS data_set \gset

DROP TABLE IF EXISTS predict.staged;
CREATE UNLOGGED TABLE predict.staged AS
SELECT row_number() OVER (ORDER BY s.ctid) AS line,
    s.:match_id::text AS match_id, predict.to_time(s.:played_at) AS at,
    s.:team::text AS team, predict.number(s.:rank) AS rank, s.:player::text AS player,
    coalesce(predict.number(:weight::text), predict.number(:pct_played::text) / 100) AS weight,
    predict.number(:joined::text) AS joined, predict.number(:left_at::text) AS left_at,
    predict.number(:commanding::text) AS commanding,
    CASE trim(:side::text) WHEN '1' THEN 1 WHEN '2' THEN 2 END AS side,
    predict.yes(:home::text) AS home, predict.number(:score::text) AS score,
    predict.number(:squad::text) AS squad, predict.number(:kills::text) AS kills,
    predict.number(:deaths::text) AS deaths, predict.yes(:quit::text) AS quit,
    nullif(trim(:context::text), '') AS context, nullif(trim(:club::text), '') AS club,
    nullif(trim(:series::text), '') AS series
FROM predict.staging AS s;

-- The matches in the order of time, and of the file within the same time.  Where a time is missing
-- or cannot be read, the order is that of the file, and each match is a day.
DROP TABLE IF EXISTS predict.ordered;
CREATE UNLOGGED TABLE predict.ordered AS
WITH m AS (
    SELECT match_id, min(line) AS line, min(at) AS at, min(series) AS series,
        count(DISTINCT team) > 1 AND bool_and(rank IS NOT NULL AND player <> '' AND team <> '') AS counts,
        -- The rows of a team have one rank.
        count(DISTINCT (team, rank)) = count(DISTINCT team) AS agrees
    FROM predict.staged WHERE match_id <> '' GROUP BY match_id
), t AS (
    SELECT *, bool_and(at IS NOT NULL) OVER () AS timed FROM m
)
SELECT match_id, coalesce(counts AND agrees, false) AS counts,
    row_number() OVER (PARTITION BY coalesce(counts AND agrees, false) ORDER BY CASE WHEN timed THEN at END, line) AS match,
    CASE WHEN timed THEN at ELSE '2000-01-01 00:00+00'::timestamptz + line * interval '1 day' END AS at,
    coalesce(series, CASE WHEN timed THEN (at AT TIME ZONE 'UTC')::date::text ELSE line::text END) AS series
FROM t;

-- The last matches, if not all are wanted.
DELETE FROM predict.ordered WHERE counts AND :last > 0 AND match <= (SELECT max(match) FROM predict.ordered WHERE counts) - :last;
UPDATE predict.ordered SET match = match - (SELECT min(match) - 1 FROM predict.ordered WHERE counts) WHERE counts;

-- Numbers of teams go by their value, so that 9 comes before 10.  A score is the team's if its rows
-- have the same one; the first team of the file is at home where that was asked for.
INSERT INTO predict.participant
SELECT :data_set, o.match, o.match_id, o.series, o.at, t.team, s.team,
    dense_rank() OVER (ORDER BY s.player), t.place,
    CASE WHEN bool_and(t.one_score) OVER () THEN t.score END,
    s.weight, s.joined, s.left_at, s.commanding,
    coalesce(s.side, CASE WHEN t.homes = 1 AND t.teams = 2 THEN 2 - t.home::int END),
    s.squad, s.kills, s.deaths, s.quit, s.context, s.club
FROM predict.staged AS s JOIN predict.ordered AS o USING (match_id) JOIN (
    SELECT match_id, team AS team_name, one_score, score, home,
        row_number() OVER m AS team, dense_rank() OVER (PARTITION BY match_id ORDER BY rank) AS place,
        count(*) OVER (PARTITION BY match_id) AS teams, sum(home::int) OVER (PARTITION BY match_id) AS homes
    FROM (
        SELECT match_id, team, min(rank) AS rank, min(score) = max(score) IS NOT FALSE AS one_score, min(score) AS score,
            CASE WHEN :first_at_home THEN min(line) = min(min(line)) OVER (PARTITION BY match_id) ELSE coalesce(bool_or(home), false) END AS home
        FROM predict.staged GROUP BY match_id, team) AS t
    WINDOW m AS (PARTITION BY match_id ORDER BY CASE WHEN team ~ '^-?\d{1,18}$' THEN team::bigint END, team)
) AS t ON t.match_id = s.match_id AND t.team_name = s.team
WHERE o.counts;

INSERT INTO predict.team
SELECT data_set, match, team, match_id, team_name, series, rank, score, count(*) OVER w,
    CASE WHEN rank = 1 THEN 1.0 / sum((rank = 1)::int) OVER w ELSE 0 END
FROM (SELECT data_set, match, team, min(match_id) AS match_id, min(team_name) AS team_name, min(series) AS series,
        min(rank) AS rank, min(score) AS score
    FROM predict.participant WHERE data_set = :data_set GROUP BY data_set, match, team) AS t
WINDOW w AS (PARTITION BY match);

UPDATE predict.data_set AS d SET matches = c.matches, train = floor(c.matches * :share), left_out = c.left_out
FROM (SELECT count(*) FILTER (WHERE counts) AS matches, count(*) FILTER (WHERE NOT counts) AS left_out FROM predict.ordered) AS c
WHERE d.id = :data_set;

ANALYZE predict.participant, predict.team, predict.data_set;

-- Where fewer points are better, as in golf, scores are turned round; the first part decides.
SELECT coalesce(sum(sign(a.score - b.score) * sign(a.rank - b.rank)) > 0, false) AS low_wins
FROM predict.data_set AS d JOIN predict.team AS a ON a.data_set = d.id AND a.team = 1 AND a.match <= d.train
JOIN predict.team AS b ON (b.data_set, b.match, b.team) = (a.data_set, a.match, 2)
WHERE d.id = :data_set \gset
\if :low_wins
    UPDATE predict.participant SET score = 0 - score WHERE data_set = :data_set;
    UPDATE predict.team SET score = 0 - score WHERE data_set = :data_set;
\endif
