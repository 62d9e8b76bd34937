-- One page about the demo, as HTML on the standard output: the four ways to use a ladder, each with
-- the statements that were run, what they returned, and pictures.
--
-- Needs demo/page.sql, the ladders league of football.sql, and rounds and learned of rounds.sql.
-- Pictures are SVG in the page itself, so that it stands alone, and suit light and dark.  The
-- variable root is the way from the page to the checkout, for links.

\pset format unaligned
\pset tuples_only on
SET search_path = public, skillrating;
SET timezone = 'UTC';

-- Forecasts are judged before the page adds matches of its own.
CREATE TABLE demo.judged AS
SELECT 1 AS n, 'Elo' AS model, 'Football, Elo with home advantage' AS title, skillrating.calibration(probability, outcome, 10) AS c
FROM demo.forecasts('league') WHERE played_at >= '2013-07-01'
UNION ALL
SELECT 2, 'Hive', 'Team game, Hive', skillrating.calibration(probability, outcome, 10)
FROM demo.forecasts('rounds') WHERE played_at > (SELECT played_at FROM demo.match WHERE match_id = 1000)
UNION ALL
SELECT 3, 'state_space', 'Team game, state_space', skillrating.calibration(probability, outcome, 10)
FROM demo.forecasts('learned') WHERE played_at > (SELECT played_at FROM demo.match WHERE match_id = 1000);

SELECT $$<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>skillrating: the demo</title>
<style>
:root{color-scheme:light dark;--ground:#fff;--text:#222;--faint:#595959;--line:#ddd;--code:#f4f5f7;--link:#0060a8}
@media(prefers-color-scheme:dark){:root{--ground:#16181c;--text:#e8e8e8;--faint:#a8adb5;--line:#2e323a;--code:#20242a;--link:#56b4e9}}
*{box-sizing:border-box}
body{max-width:54rem;margin:2rem auto;padding:0 1rem;font:16px/1.5 system-ui,sans-serif;background:var(--ground);color:var(--text);overflow-wrap:break-word}
h1{font-size:1.6rem;line-height:1.25}h2{font-size:1.3rem;margin-top:3rem;padding-top:1rem;border-top:1px solid var(--line)}h3{font-size:1.05rem;margin-top:2rem}
p,li{max-width:42rem}a{color:var(--link)}
pre,.scroll{overflow-x:auto;max-width:100%}
pre{background:var(--code);padding:.7rem .9rem;border-radius:6px;font-size:.875rem;line-height:1.45}
code{font-family:ui-monospace,monospace}:not(pre)>code{font-size:.9em;white-space:nowrap}
table{border-collapse:collapse;font-variant-numeric:tabular-nums;font-size:.95rem;margin:.5rem 0}
figcaption{font-weight:600}
th,td{padding:.25rem .9rem .25rem 0;text-align:left;border-bottom:1px solid var(--line);white-space:nowrap}
th{font-weight:400;color:var(--faint)}.n{text-align:right}
figure{margin:1rem 0}.pictures figure{max-width:32rem}figure svg{display:block;width:100%;height:auto}
.pictures{display:grid;grid-template-columns:repeat(auto-fit,minmax(min(100%,24rem),1fr));gap:0 1.5rem;align-items:start}
nav ul{padding-left:1.2rem}
@media(max-width:30rem){table,pre{font-size:.84rem}th,td{padding-right:.55rem}}
</style>
</head>
<body>
<h1>Ratings inside PostgreSQL, from results to fair teams</h1>$$;

SELECT format($$<p>This page comes from a database with the extension skillrating. It has rated %s football
matches of four leagues, and %s matches of a simulated team game. The statements of the four parts
ran to make the page, and every table, number and picture comes from the database.</p>
<nav><ul>
<li><a href="#application">In an application</a>: leaderboard, prediction, report, fair teams</li>
<li><a href="#analyst">As an analyst</a>: models compared, calibration, histories</li>
<li><a href="#trigger">By triggers</a>: tables of your own, and a correction</li>
<li><a href="#administrator">As an administrator</a>: a match voided, every rating verified</li>
<li><a href="#next">The next step</a></li>
</ul></nav>$$,
    (SELECT count(*) FROM league.rated_match WHERE status = 'rated'), (SELECT count(*) FROM rounds.rated_match WHERE status = 'rated'));

\ir report_application.sql
\ir report_analyst.sql
\ir report_trigger.sql
\ir report_administrator.sql

SELECT format($$<h2 id="next">The next step</h2>
<p>Try your own results: <a href="%1$s/demo/README.md#your-own-files">your files</a> need a header
and a row for each participant.</p>
<pre tabindex="0"><code>make demo DATA=DIRECTORY    # rates every CSV file of a directory
test/cluster.sh psql        # a session on a throw-away server</code></pre>
<p>In that session, a ladder of your own takes two statements:</p>
<pre tabindex="0"><code>CREATE EXTENSION skillrating;
SELECT skillrating.create_ladder('arena', 'elo');</code></pre>
<ul>
<li><a href="%1$s/README.md">README</a>: the same four ways, with examples to copy</li>
<li><a href="%1$s/docs/applications.md">Applications</a>: drivers, retries, connection pools</li>
<li><a href="%1$s/docs/cookbook.md">Cookbook</a>: questions of an analyst, each with its query</li>
<li><a href="%1$s/docs/ladders.md">Ladders</a>: sources, triggers, corrections, rights</li>
<li><a href="%1$s/docs/install.md">Install</a>: packages, Docker, and installing without root</li>
</ul>
</body>
</html>$$, :'root');
