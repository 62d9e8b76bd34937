-- What a picture shows, read back out of it: bars, points, lines and names stand where the values are.
\pset format unaligned
SET extra_float_digits = 0;
SET timezone = 'UTC';

-- A scale: pixels of a place are origin + factor * value, by the first and the last number along the axis.
\set ECHO none
CREATE TYPE scale AS (origin float8, factor float8);
CREATE FUNCTION scale_of(svg text, vertical boolean) RETURNS scale LANGUAGE sql AS $$
    WITH tick AS (
        SELECT CASE WHEN vertical THEN m[2]::float8 - 4 ELSE m[1]::float8 END AS pixel, m[4]::float8 AS value
        FROM regexp_matches(svg, '<text x="([0-9.]+)" y="([0-9.]+)" class="note (end|middle)">(-?[0-9.e+]+)</text>', 'g') AS m
        WHERE (m[3] = 'end') = vertical)
    SELECT (pixel - factor * value, factor)::scale
    FROM (SELECT a.pixel, a.value, (b.pixel - a.pixel) / (b.value - a.value) AS factor FROM tick AS a JOIN tick AS b ON b.value > a.value ORDER BY a.value, b.value DESC LIMIT 1) AS q
$$;
\set ECHO all
-- Pixels are written with one digit, those of the numbers too: an error of .05 each, which grows from the ticks to the edge.
CREATE FUNCTION stands_at(pixel float8, scale scale, value float8) RETURNS boolean LANGUAGE sql AS $$
    SELECT abs(pixel - scale.origin - scale.factor * value) <= 0.25
$$;

-- Histograms: the bars of any values count each of them once, in the right place and at the right height.
\set ECHO none
CREATE TABLE sample AS
SELECT 'even' AS what, array_agg((i * 37 % 101)::float8 + 0.003) AS value FROM generate_series(1, 1000) AS i
UNION ALL SELECT 'few', '{1,1,1,2}'
UNION ALL SELECT 'one', '{7.25}'
UNION ALL SELECT 'equal', '{3,3,3,3,3}'
UNION ALL SELECT 'bell', array_agg(1500 + 80 * (hashint4(i) / 4294967296.0 + hashint4(i + 7919) / 4294967296.0 + hashint4(i + 104729) / 4294967296.0)) FROM generate_series(1, 5000) AS i
UNION ALL SELECT 'tail', array_agg(exp(i / 100.0)) FROM generate_series(1, 700) AS i
UNION ALL SELECT 'dice', array_agg((1 + i * i % 6)::float8) FROM generate_series(1, 90) AS i, generate_series(1, 3)
UNION ALL SELECT 'percent', array_agg(i::float8) FROM generate_series(0, 100) AS i
UNION ALL SELECT 'halves', '{0,0.5,0.5,1,1,1}'
UNION ALL SELECT 'negative', array_agg(-i * i / 100.0 + 0.0001) FROM generate_series(1, 90) AS i;
CREATE TABLE bar AS
SELECT what, value, scale_of(svg, true) AS vertical, scale_of(svg, false) AS horizontal, m[1]::float8 AS x, m[2]::float8 AS y, m[3]::float8 AS width, m[4]::float8 AS height,
    m[5]::int AS count, m[6]::float8 AS low, m[7]::float8 AS high
FROM sample, skillrating.plot_distribution(value) AS svg,
    regexp_matches(svg, '<rect class="bar" x="([0-9.]+)" y="([0-9.]+)" width="([0-9.]+)" height="([0-9.]+)"><title>([0-9]+) from (\S+) to (\S+)</title>', 'g') AS m;
\set ECHO all
-- Half open, the last one too.
SELECT what, sum(count) = cardinality(value) AS all_counted,
    bool_and(count = (SELECT count(*) FROM unnest(value) AS v WHERE v >= low - 1e-9 AND v < high - 1e-9)) AS right_ones,
    bool_and(abs(height + (vertical).factor * count) <= 0.25 AND stands_at(y, vertical, count)) AS "plot_distribution: brute force",
    bool_and(stands_at(x - 0.5, horizontal, low) AND stands_at(x + width + 0.5, horizontal, high)) AS right_places
FROM bar GROUP BY what, value ORDER BY what;
-- Bars of values that are multiples of their width stand around these values, and leave those between to nobody.
SELECT what, bool_and(abs((low + high) / 2 - (SELECT v FROM unnest(value) AS v WHERE v >= low AND v < high LIMIT 1)) < 1e-9) AS in_the_middle, count(*) AS bars
FROM bar WHERE what IN ('dice', 'halves', 'few', 'equal') GROUP BY what ORDER BY what;
-- Of the widths 1, 2 and 5 times a power of ten none is nearer by ratio to the rule of Freedman and Diaconis, where the limits leave it alone.
SELECT what, bool_and(abs(ln(width / rule)) <= (SELECT min(abs(ln(m * pow(10.0::float8, e) / rule))) + 1e-9 FROM unnest('{1,2,5}'::float8[]) AS m, generate_series(-5, 5) AS e)) AS nearest, count(*) AS bars
FROM (SELECT what, high - low AS width, nullif(2 * (q[2] - q[1]) / pow(cardinality(value), 1 / 3.0::float8), 0) AS rule, r
    FROM bar, LATERAL (SELECT percentile_cont('{0.25,0.75}'::float8[]) WITHIN GROUP (ORDER BY v) AS q, max(v) - min(v) AS r FROM unnest(value) AS v) AS s) AS q
WHERE r / rule BETWEEN 8 AND 60 GROUP BY what ORDER BY what;
-- The median's line and the mean's.
SELECT what, bool_and(stands_at(m[1]::float8, scale_of(svg, false), CASE m[2] WHEN 'median' THEN (SELECT percentile_cont(0.5) WITHIN GROUP (ORDER BY v) FROM unnest(value) AS v) ELSE (SELECT avg(v) FROM unnest(value) AS v) END)) AS right_places,
    count(*) = 2 AS both
FROM sample, skillrating.plot_distribution(value) AS svg, regexp_matches(svg, '<path class="line stroke [^"]*" d="M([0-9.]+) [^"]*"/>\n<text[^>]*>(median|mean)</text>', 'g') AS m
GROUP BY what ORDER BY what;
-- Its words: size, mean, deviation and quartiles, to five digits, the deviation to four.
SELECT what, bool_and(abs(said - computed) <= CASE k WHEN 3 THEN 6e-4 ELSE 6e-5 END * greatest(abs(computed), 1e-9)) AS right_words, count(*) = 6 AS all_of_them
FROM sample, skillrating.plot_distribution(value) AS svg,
    LATERAL (SELECT count(*) AS n, avg(v) AS mean, coalesce(stddev_samp(v), 0) AS deviation, percentile_cont('{0.25,0.5,0.75}'::float8[]) WITHIN GROUP (ORDER BY v) AS q FROM unnest(value) AS v) AS s,
    regexp_matches(svg, '<desc>(\S+) values: mean (\S+), standard deviation (\S+), quartiles (\S+), (\S+) and (\S+)\. Horizontal') AS m,
    LATERAL unnest(m::float8[], ARRAY[n, mean, deviation, q[1], q[2], q[3]]) WITH ORDINALITY AS w(said, computed, k)
GROUP BY what ORDER BY what;
DROP TABLE bar, sample;

-- Calibration: dots at the bins, bars for their numbers, and the curve of the recalibration.
\set ECHO none
CREATE TABLE forecast AS
SELECT p, (hashint4(i) / 4294967296.0 + 0.5 < p ^ 1.5)::int::float8 AS outcome FROM generate_series(1, 5000) AS i, LATERAL (SELECT ((i % 997 + 0.5) / 997) ^ 1.3 AS p) AS q;
CREATE TABLE drawn AS
SELECT c, svg, scale_of(svg, true) AS vertical, scale_of(svg, false) AS horizontal
FROM (SELECT skillrating.calibration(p, outcome, 10) AS c FROM forecast) AS q, skillrating.plot_calibration(c) AS svg;
\set ECHO all
SELECT count(*) = cardinality((c).bins) AS a_dot_each, bool_and(stands_at(m[1]::float8, horizontal, b.mean_forecast) AND stands_at(m[2]::float8, vertical, b.frequency)) AS "plot_calibration: brute force"
FROM drawn, regexp_matches(svg, '<circle class="fill c0" cx="([0-9.]+)" cy="([0-9.]+)"', 'g') WITH ORDINALITY AS d(m, n),
    LATERAL (SELECT avg(p) AS mean_forecast, avg(outcome) AS frequency FROM forecast WHERE least(floor(p * 10), 9) = d.n - 1) AS b
GROUP BY c;
SELECT bool_and(stands_at(m[1]::float8 - 0.5, horizontal, (d.n - 1) / 10.0) AND stands_at(m[1]::float8 + m[2]::float8 + 0.5, horizontal, d.n / 10.0)) AS right_places,
    regr_r2(m[3]::float8, b.n) > 0.9999 AND abs(regr_intercept(m[3]::float8, b.n)) < 0.2 AS heights_in_proportion, sum(b.n) = 5000 AS all_counted
FROM drawn, regexp_matches(svg, '<rect class="bar" x="([0-9.]+)" y="[0-9.]+" width="([0-9.]+)" height="([0-9.]+)"/>', 'g') WITH ORDINALITY AS d(m, n),
    LATERAL (SELECT count(*) AS n FROM forecast WHERE least(floor(p * 10), 9) = d.n - 1) AS b;
SELECT count(*) = 99 AS all_of_it, bool_and(stands_at(m[1]::float8, horizontal, p) AND stands_at(m[2]::float8, vertical, 1 / (1 + exp(-(c).intercept - (c).slope * ln(p / (1 - p)))))) AS right_places
FROM drawn, regexp_matches(substring(svg, '<path class="line stroke c1" d="([^"]*)"'), '[ML]([0-9.]+) ([0-9.]+)', 'g') WITH ORDINALITY AS d(m, n), LATERAL (SELECT d.n / 100.0::float8 AS p) AS at;
-- The two whiskers of a dot are equally long, unless one ends at 0 or 1, by the binomial error after half a win and half a loss more.
SELECT bool_and(stands_at(m[2]::float8, vertical, greatest(y - 2 * e, 0)) AND stands_at(m[3]::float8, vertical, least(y + 2 * e, 1))) AS right_errors
FROM drawn, regexp_matches(svg, '<path class="line stroke c0" d="M([0-9.]+) ([0-9.]+)V([0-9.]+)"/>', 'g') WITH ORDINALITY AS d(m, n),
    LATERAL (SELECT avg(outcome) AS y, sqrt((sum(outcome) + 0.5) / (count(*) + 1) * (count(*) - sum(outcome) + 0.5) / (count(*) + 1) / count(*)) AS e FROM forecast WHERE least(floor(p * 10), 9) = d.n - 1) AS b;
DROP TABLE drawn, forecast;

-- Histories: every point of a line, its end and its name; forty lines as well as one.
\set ECHO none
CREATE TABLE point AS
SELECT n, 'p' || p AS player, x::float8 AS x, 1000 + p * 11.5 + 200 * sin(p * 12.9 + x / 9.0) AS y, 20 + x::float8 AS deviation
FROM unnest('{1,2,4,16,40}'::int[]) AS n, generate_series(1, n) AS p, generate_series(1, 60) AS x WHERE p % 7 <> 3 OR x < 40;
CREATE TABLE drawn AS
SELECT n, svg, scale_of(svg, true) AS vertical, scale_of(svg, false) AS horizontal
FROM (SELECT n, skillrating.plot_history(array_agg(player ORDER BY x, length(player), player), array_agg(x ORDER BY x, length(player), player), array_agg(y ORDER BY x, length(player), player), array_agg(deviation ORDER BY x, length(player), player)) AS svg FROM point GROUP BY n) AS q;
-- Lines come in the order in which players first appear, each with its points by x; samples of lines are horizontal.
CREATE TABLE line AS
SELECT n, vertical, horizontal, row_number() OVER (PARTITION BY n ORDER BY k) AS p, m[1] AS class, m[2] AS path
FROM drawn, regexp_matches(svg, '<path class="line stroke ([^"]*)" d="([^"H]*)"/>', 'g') WITH ORDINALITY AS d(m, k);
\set ECHO all
SELECT n, count(DISTINCT p) = n AS a_line_each, count(DISTINCT class) = n AS all_differ, count(*) = (SELECT count(*) FROM point WHERE point.n = line.n) AS all_points,
    bool_and(stands_at(m[1]::float8, horizontal, point.x) AND stands_at(m[2]::float8, vertical, point.y)) AS "plot_history: brute force"
FROM line, regexp_matches(path, '[ML]([0-9.]+) ([0-9.]+)', 'g') WITH ORDINALITY AS d(m, k) LEFT JOIN LATERAL (SELECT x, y FROM point WHERE point.n = line.n AND player = 'p' || p AND x = d.k) AS point ON true
GROUP BY n ORDER BY n;
-- The band is two deviations up on the way there and two down on the way back.
SELECT n, count(*) = 2 * (SELECT count(*) FROM point WHERE point.n = b.n) AS all_points, bool_and(stands_at(m[1]::float8, horizontal, point.x) AND stands_at(m[2]::float8, vertical, point.y + sign * 2 * point.deviation)) AS right_places
FROM (SELECT n, vertical, horizontal, row_number() OVER (PARTITION BY n ORDER BY k) AS p, m[1] AS path FROM drawn, regexp_matches(svg, '<path class="band fill [^"]*" d="([^"]*)Z"/>', 'g') WITH ORDINALITY AS d(m, k)) AS b,
    LATERAL (SELECT count(*) AS points FROM point WHERE point.n = b.n AND player = 'p' || p) AS c,
    regexp_matches(path, '[ML]([0-9.]+) ([0-9.]+)', 'g') WITH ORDINALITY AS d(m, k),
    LATERAL (SELECT x, y, deviation, CASE WHEN d.k <= points THEN 1 ELSE -1 END AS sign FROM point WHERE point.n = b.n AND player = 'p' || p AND x = CASE WHEN d.k <= points THEN d.k ELSE 2 * points + 1 - d.k END) AS point
GROUP BY n ORDER BY n;
-- Dots at the ends; names beside them in the order of the ends, a line of text apart, within the picture, the sample of the line with each, and a leader where one was moved.
\set ECHO none
CREATE TABLE named AS
SELECT d.n, p, m[1] AS dot_class, m[2]::float8 AS x, m[3]::float8 AS y, m[5] IS NOT NULL AS has_leader, m[6]::float8 AS leader_x, m[7]::float8 AS leader_y, m[8]::float8 AS end_x, m[9]::float8 AS end_y,
    m[10] AS sample_class, m[11]::float8 AS sample_x, m[12]::float8 AS sample_y, m[13]::float8 AS name_x, m[14]::float8 AS name_y, m[15] AS name, vertical, horizontal, last.x AS last_x, last.y AS last_y, substring(svg, 'height="([0-9]+)"')::float8 AS height
FROM drawn AS d, regexp_matches(svg, '<circle class="fill (c[0-9])" cx="([0-9.]+)" cy="([0-9.]+)" r="3"/>\n(<path class="leader (stroke) c[0-9]" d="M([0-9.]+) ([0-9.]+)L([0-9.]+) ([0-9.]+)"/>\n)?<path class="line stroke (c[0-9] s[0-9])" d="M([0-9.]+) ([0-9.]+)H[0-9.]+"/>\n<text x="([0-9.]+)" y="([0-9.]+)" class="name">([^<]*)</text>', 'g') WITH ORDINALITY AS r(m, p),
    LATERAL (SELECT x, y FROM point WHERE point.n = d.n AND player = 'p' || r.p ORDER BY x DESC LIMIT 1) AS last;
\set ECHO all
SELECT n, count(*) = n AS all_named, bool_and(name = 'p' || p) AS right_names, bool_and(stands_at(x, horizontal, last_x) AND stands_at(y, vertical, last_y)) AS dots_at_ends,
    bool_and(abs(sample_y + 4 - name_y) < 0.11 AND name_x > sample_x AND sample_class LIKE dot_class || ' s_') AS samples,
    bool_and(has_leader = (abs(sample_y - y) >= 1 OR sample_x - 9 - x >= 1) OR abs(abs(sample_y - y) - 1) < 0.2) AS leaders_where_moved, bool_and(NOT has_leader OR abs(leader_x - x) + abs(leader_y - y) + abs(end_x - sample_x) + abs(end_y - sample_y) < 0.01) AS leaders_from_dot_to_name,
    bool_and(has_leader) FILTER (WHERE n = 40 AND last_x < 60) AS early_ends_have_leaders, min(name_y) > 10 AND max(name_y) < max(height) AS within
FROM named GROUP BY n ORDER BY n;
SELECT n, bool_and(name_y - above >= 13.8) AS apart, bool_and(y >= above_y) AS in_order FROM (SELECT n, name_y, y, lag(name_y) OVER w AS above, lag(y) OVER w AS above_y FROM named WINDOW w AS (PARTITION BY n ORDER BY name_y)) AS q GROUP BY n ORDER BY n;
-- Moved up as well as down: the names of players who end together stand around their dots.
SELECT abs(avg(m[2]::float8) - 4 - avg(m[1]::float8)) < 0.2 AS around
FROM skillrating.plot_history('{a,a,b,b,c,c,low,low,high,high}', '{1,2,1,2,1,2,1,2,1,2}'::float8[], '{5,5,5,5,5,5,0,0,10,10}') AS svg,
    regexp_matches(svg, 'cy="([0-9.]+)" r="3"/>\n(?:<path class="leader [^>]*>\n)?<path [^>]*>\n<text x="[0-9.]+" y="([0-9.]+)" class="name">[abc]<', 'g') AS m;
DROP TABLE named, line, drawn, point;
-- Times: noon of 1 April is as far from 3 April and 1 May as it should be.
SELECT abs((noon - april) / (may - april) + 1.5 / 28) < 0.002 AS right_place
FROM skillrating.plot_history('{a,a,a}', '{2024-03-20,2024-06-20,2024-04-01 12:00}'::timestamptz[], '{1,2,1}') AS svg,
    LATERAL (SELECT max(m[1]::float8) FILTER (WHERE m[2] = '03 Apr') AS april, max(m[1]::float8) FILTER (WHERE m[2] = '01 May') AS may FROM regexp_matches(svg, '<text x="([0-9.]+)" y="[0-9.]+" class="note middle">([^<]*)<', 'g') AS m) AS t,
    LATERAL (SELECT substring(svg, '<path class="line stroke [^"]*" d="M[0-9.]+ [0-9.]+L([0-9.]+) ')::float8 AS noon) AS n;

-- Names: whole where they have room, else cut between characters with an ellipsis; wide letters count more, and marks stay with their letters.
CREATE FUNCTION drawn_name(name text, width int DEFAULT 720) RETURNS text LANGUAGE sql AS $$
    SELECT substring(skillrating.plot_history(ARRAY[name, name], '{1,2}'::float8[], '{1,2}', width => width), 'class="name">(?:<title>[^<]*</title>)?([^<]*)</text>')
$$;
SELECT drawn_name(repeat('a', 24)) = repeat('a', 24) AS fits, drawn_name(repeat('a', 25)) = repeat('a', 22) || '…' AS too_long,
    drawn_name(repeat('ä', 25)) = repeat('ä', 20) || '…' AS letters_not_bytes, drawn_name(repeat('名', 12)) = repeat('名', 12) AS wide_fits, drawn_name(repeat('名', 13)) = repeat('名', 11) || '…' AS wide,
    drawn_name(repeat(E'e\u0301', 25)) = repeat(E'e\u0301', 22) || '…' AS with_marks, drawn_name(repeat('a', 25), 320) = repeat('a', 10) || '…' AS narrow, drawn_name('') = '' AS empty,
    drawn_name(repeat('<', 30)) = repeat('&lt;', 16) || '…' AS escaped_after_the_cut, drawn_name(repeat('i', 40)) = repeat('i', 40) AS thin_fits;
-- In the widest common font, DejaVu Sans, whose advances in 2048ths these are, no name leaves the picture, and a cut wastes less than two letters.
WITH advance(letter, units) AS (VALUES (' ', 651), ('@', 2048), ('A', 1401), ('F', 1178), ('G', 1587), ('H', 1540), ('I', 604), ('K', 1343), ('L', 1141), ('M', 1767), ('N', 1532), ('O', 1612), ('S', 1300), ('W', 2025), ('n', 1298), ('ß', 1290), ('Щ', 2240), ('…', 2048)
), name(name) AS (VALUES ('HANS WOLFGANG MAMMOWSKI'), (repeat('M', 23)), (repeat('W', 24)), (repeat('ß', 30)), (repeat('@', 30)), (repeat('Щ', 24)), (repeat('n', 26)), (repeat('I', 60)), ('HANS')
)
SELECT bool_and(room >= 0) AS within, bool_and(room < 32) FILTER (WHERE drawn LIKE '%…') AS not_too_short, count(*) FILTER (WHERE drawn LIKE '%…') AS cut
FROM name, unnest('{320,400,720,1600}'::int[]) AS width,
    LATERAL (SELECT m[1]::float8 AS x, m[2] AS drawn FROM regexp_matches(skillrating.plot_history(ARRAY[name, name], '{1,2}'::float8[], '{1,2}', width => width), '<text x="([0-9.]+)" y="[0-9.]+" class="name">(?:<title>[^<]*</title>)?([^<]*)</text>') AS m) AS d,
    LATERAL (SELECT width - x - sum(units) * 12 / 2048 AS room FROM regexp_split_to_table(drawn, '') AS letter JOIN advance USING (letter)) AS r;
-- What was cut is there for a pointer and for screen readers.
SELECT (length(svg) - length(replace(svg, repeat('long', 10), ''))) / 40 AS places FROM skillrating.plot_history(ARRAY[repeat('long', 10)], '{1}'::float8[], '{1}') AS svg;
DROP FUNCTION stands_at, scale_of, drawn_name;
DROP TYPE scale;
