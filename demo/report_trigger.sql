-- The page's part about tables of one's own, whose triggers feed a ladder.

CREATE TABLE demo.fixture (id bigint PRIMARY KEY, day date, home text, away text, home_goals integer, away_goals integer);
INSERT INTO demo.fixture
SELECT h.match_id, h.played_at::date, h.player, a.player, h.score, a.score
FROM demo.football AS h
JOIN demo.football AS a USING (match_id, league)
WHERE h.home = 1 AND a.home = 0 AND league = 'en.1' AND h.played_at >= '2015-07-01';
CREATE TABLE demo.club (name text PRIMARY KEY, points numeric(5, 1));
INSERT INTO demo.club SELECT DISTINCT home FROM demo.fixture;

SELECT $$<h2 id="trigger">By triggers</h2>
<p>A ladder can rate a table that already exists. Here, <code>demo.fixture</code> has a row for each match
of the season 2015/16. A view says who played, and triggers on the table do the rest.</p>$$;

-- What the page shows is what is run.
\set view 'CREATE VIEW demo.result_source AS\nSELECT id AS match_id, day::timestamptz AS played_at, home AS player_id, 1 AS team,\n    CASE WHEN home_goals >= away_goals THEN 1 ELSE 2 END AS rank FROM demo.fixture\nUNION ALL\nSELECT id, day::timestamptz, away, 2,\n    CASE WHEN away_goals >= home_goals THEN 1 ELSE 2 END FROM demo.fixture'
\set ladder 'SELECT skillrating.create_ladder(''premier'', ''glicko2'', source => ''demo.result_source'')'
\set attach 'SELECT skillrating.attach(''premier'', ''demo.fixture'', match_id => ''id'')'
\set backfill 'CALL skillrating.backfill(''premier'')'
\set mirror 'SELECT skillrating.mirror_rating(''premier'', ''demo.club'', key => ''name'',\n    columns => ''{"points": "rating"}'')'
:view;
:ladder \g /dev/null
:attach \g /dev/null
:backfill \g /dev/null
:mirror \g /dev/null
SELECT demo.statement(:'view' || E';\n' || :'ladder' || E';\n' || :'attach' || E';\n' || :'backfill' || E';\n' || :'mirror');

SELECT $$<h3>A correction, and what it changes</h3>$$;
CREATE TABLE demo.mistake AS
SELECT * FROM demo.fixture WHERE home_goals > away_goals ORDER BY day, id LIMIT 1;
SELECT format($$<p>On %s, %s beat %s %s–%s. Suppose that somebody typed the result the wrong way round, and that the
UPDATE corrects it after %s later matches. A trigger notes the change; <code>catch_up</code> replays the
history from that match on, and returns the players whose rating changed.</p>$$,
    to_char(day, 'FMDD FMMonth YYYY'), demo.escape(home), demo.escape(away), home_goals, away_goals,
    (SELECT count(*) FROM demo.fixture AS f WHERE (f.day, f.id) > (m.day, m.id)))
FROM demo.mistake AS m;
SELECT format('UPDATE demo.fixture SET home_goals = %s, away_goals = %s WHERE id = %s', away_goals, home_goals, id) AS correction FROM demo.mistake \gset
:correction;
SELECT demo.statement(:'correction');
\set caught_up 'SELECT player_id AS club, round(rating_before::numeric, 1) AS before,\n    round(rating_after::numeric, 1) AS after, round((rating_after - rating_before)::numeric, 1) AS change\nFROM skillrating.catch_up(''premier'')\nORDER BY abs(rating_after - rating_before) DESC, player_id'
CREATE TABLE demo.corrected AS :caught_up;
SELECT demo.statement(:'caught_up');
SELECT demo.result('SELECT * FROM demo.corrected ORDER BY abs(change) DESC, club LIMIT 8', 'The eight largest changes, in points');
SELECT format($$<p>The two clubs of that match move most. In all, the ratings of %s of %s clubs changed, because %s and %s met
others later, who met others in turn. The mirrored column in <code>demo.club</code> changed in the same
transaction.</p>$$,
    (SELECT count(*) FROM demo.corrected WHERE change <> 0), (SELECT count(*) FROM demo.club), demo.escape(home), demo.escape(away))
FROM demo.mistake;
SELECT demo.shown(format($$
SELECT name, points FROM demo.club WHERE name IN (%L, %L) ORDER BY name$$, home, away), 'The table of clubs after the correction') FROM demo.mistake;
