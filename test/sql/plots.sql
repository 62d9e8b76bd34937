-- Pictures: sound markup, what they show, and what they refuse.
\pset format unaligned
\pset tuples_only on
SET extra_float_digits = 0;

-- Every element is closed, none is nested wrongly, and no number is missing or nonsense.
\set ECHO none
CREATE FUNCTION sound(svg text) RETURNS boolean LANGUAGE plpgsql AS $$
DECLARE
    open text[] := '{}';
    tag text[];
BEGIN
    FOR tag IN SELECT regexp_matches(svg, '<(/?)([a-z]+)[^<>]*?(/?)>', 'g') LOOP
        IF tag[1] = '/' THEN
            IF open[cardinality(open)] IS DISTINCT FROM tag[2] THEN
                RETURN false;
            END IF;
            open := trim_array(open, 1);
        ELSIF tag[3] = '' THEN
            open := open || tag[2];
        END IF;
    END LOOP;
    RETURN open = '{}' AND svg ~ '^<svg xmlns=' AND svg ~ '</svg>\n$' AND svg !~ '(?i)[^a-z](nan|inf|infinity)[^a-z]' AND svg !~ '&(?!amp;|lt;|gt;|quot;)';
END
$$;
CREATE FUNCTION texts(svg text) RETURNS SETOF text LANGUAGE sql AS $$
    SELECT m[1] FROM regexp_matches(svg, '<text[^>]*>(?:<title>[^<]*</title>)?([^<]*)</text>', 'g') AS m
$$;
\set ECHO all
SELECT sound('<svg xmlns="x"><a/><b></b></svg>' || chr(10)) AS yes, sound('<svg xmlns="x"><a></b></svg>' || chr(10)) AS no, sound('<svg xmlns="x" y="nan"></svg>' || chr(10)) AS no;

-- Calibration.
CREATE TABLE forecast AS SELECT (i % 20 + 0.5) / 20 AS p, ((hashint4(i)::bigint + 2147483648) / 4294967296.0 < (i % 20 + 0.5) / 20)::int::float8 AS o FROM generate_series(1, 2000) AS i;
SELECT sound(svg) AS sound, length(svg) < 10000 AS small, svg LIKE '%<title>Calibration</title>%' AS titled, (SELECT count(*) FROM regexp_matches(svg, '<circle', 'g')) AS dots
FROM (SELECT skillrating.plot_calibration(skillrating.calibration(p, o, 10)) AS svg FROM forecast) AS q;
SELECT array_agg(t) FROM (SELECT texts(skillrating.plot_calibration(skillrating.calibration(p, o, 10), 'Rain & <shine>')) AS t FROM forecast) AS q;
SELECT sound(skillrating.plot_calibration(skillrating.calibration(1, 1, 10))) AS certain, sound(skillrating.plot_calibration(skillrating.calibration(0.5, 0.5, 1000))) AS many_bins,
    skillrating.plot_calibration(NULL) AS nothing, sound(skillrating.plot_calibration((1, 2, 3, 4, 5, 6, 7, 8, 9, NULL, 11, 12, NULL, 14, 15, NULL)::skillrating.calibration)) AS of_unknowns
FROM generate_series(1, 3);
DROP TABLE forecast;

-- Histories: over time, over matches, with bands.
CREATE TABLE ratings AS
SELECT p AS player, '2024-01-01'::timestamptz + i * interval '1 day' AS at, i::float8 AS games, 1500 + 100 * sin(i / 20.0 + ascii(p)) AS rating, 50 + 300.0 / i AS deviation
FROM generate_series(1, 300) AS i, unnest(ARRAY['ann', 'bob', 'cid']) AS p;
SET timezone = 'UTC';
SELECT sound(svg) AS sound, length(svg) < 30000 AS small, svg LIKE '%<desc>Lines over time and their last values: ann %, bob %, cid %</desc>%' AS described
FROM (SELECT skillrating.plot_history(array_agg(player ORDER BY player), array_agg(at ORDER BY player), array_agg(rating ORDER BY player), array_agg(deviation ORDER BY player)) AS svg FROM ratings) AS q;
SELECT array_agg(t) FROM (SELECT texts(skillrating.plot_history(array_agg(player ORDER BY player, at), array_agg(at ORDER BY player, at), array_agg(rating ORDER BY player, at), title => 'Three')) AS t FROM ratings) AS q;
SELECT array_agg(t) FROM (SELECT texts(skillrating.plot_history(array_agg(player ORDER BY player), array_agg(games ORDER BY player), array_agg(rating ORDER BY player))) AS t FROM ratings WHERE games <= 12) AS q;
-- In which order the points come decides nothing but colours.
SELECT count(DISTINCT svg) AS one FROM (
    SELECT skillrating.plot_history(array_agg(player), array_agg(at), array_agg(rating)) AS svg FROM (SELECT * FROM ratings WHERE player = 'ann' ORDER BY at) AS a
    UNION ALL SELECT skillrating.plot_history(array_agg(player), array_agg(at), array_agg(rating)) FROM (SELECT * FROM ratings WHERE player = 'ann' ORDER BY md5(at::text)) AS b) AS q;
-- Ticks from seconds to centuries, in the session's time zone.
SELECT span, array_agg(t ORDER BY n) AS ticks
FROM (VALUES ('7 seconds'::interval), ('1 minute'), ('1 hour'), ('7 hours'), ('2 days'), ('2 weeks'), ('3 months'), ('1 year'), ('7 years'), ('500 years')) AS s(span),
    LATERAL (SELECT t, n FROM texts(skillrating.plot_history('{a,a}', ARRAY['2024-03-30 22:15:00+00', '2024-03-30 22:15:00+00'::timestamptz + span], '{1,1}')) WITH ORDINALITY AS x(t, n)
        WHERE t !~ '^([0-9.]+|a|Ratings|time|rating)$' OR t ~ '^[0-9]{4}$') AS t
GROUP BY span ORDER BY span;
SET timezone = 'Asia/Tokyo';
SELECT array_agg(t) FROM texts(skillrating.plot_history('{a,a}', ARRAY['2024-03-30 22:15:00+00', '2024-04-05 22:15:00+00'::timestamptz], '{1,2}')) AS t WHERE t ~ ' ';
RESET timezone;
-- One point, equal points, nulls, infinite times, names of all sorts.
SELECT sound(skillrating.plot_history('{a}', '{2024-01-01}'::timestamptz[], '{1500}')) AS one_point,
    sound(skillrating.plot_history('{a,a}', '{1,1}'::float8[], '{5,5}')) AS equal, sound(skillrating.plot_history('{a,a}', '{1,2}'::float8[], '{0,0}')) AS flat,
    skillrating.plot_history('{a,NULL,b,c}', '{NULL,2024-01-01,infinity,2024-01-01}'::timestamptz[], '{1,1,1,NULL}') AS nothing,
    skillrating.plot_history('{}', '{}'::float8[], '{}') AS nothing, skillrating.plot_history(NULL, '{}'::float8[], '{}') AS nothing,
    sound(skillrating.plot_history(ARRAY['<b>&"' || E'\x01', repeat('long ', 20)], '{1,2}'::float8[], '{3,4}', '{NULL,1}')) AS names;
SELECT sound(skillrating.plot_history(array_agg('p' || i), array_agg(i::float8), array_agg(1500::float8))) AS forty FROM generate_series(1, 40) AS i;
-- Many points are thinned to what can be seen.
SELECT sound(svg) AS sound, length(svg) < 45000 AS small FROM (
    SELECT skillrating.plot_history(array_agg('p'::text), array_agg(i::float8), array_agg(hashint4(i) / 1e7), array_agg(1::float8)) AS svg FROM generate_series(1, 200000) AS i) AS q;
SELECT skillrating.plot_history('{a,b}', '{1}'::float8[], '{1,2}');
SELECT skillrating.plot_history('{a}', '{1}'::int[], '{1}');
SELECT skillrating.plot_history('{a}', '{NaN}'::float8[], '{1}');
SELECT skillrating.plot_history('{a}', '{1}'::float8[], '{infinity}');
SELECT skillrating.plot_history('{a}', '{1}'::float8[], '{1}', '{-1}');
SELECT skillrating.plot_history('{{a}}', '{1}'::float8[], '{1}');
SELECT skillrating.plot_history(array_agg('p' || i), array_agg(i::float8), array_agg(1500::float8)) FROM generate_series(1, 41) AS i;

-- Distributions.
SELECT sound(svg) AS sound, length(svg) < 10000 AS small, svg ~ '<desc>900 values: mean 1[0-9.]+, standard deviation [0-9.]+, quartiles' AS described
FROM (SELECT skillrating.plot_distribution(array_agg(rating)) AS svg FROM ratings) AS q;
SELECT array_agg(t) FROM (SELECT texts(skillrating.plot_distribution('{1,2,2,3,3,3,4,4,5,NULL}', 'Points')) AS t) AS q;
SELECT sound(skillrating.plot_distribution('{7}')) AS one, sound(skillrating.plot_distribution('{0,0,0}')) AS equal, sound(skillrating.plot_distribution('{-1e300,1e300}')) AS wide,
    sound(skillrating.plot_distribution('{1,1.0000000001}')) AS narrow, skillrating.plot_distribution('{NULL}') AS nothing, skillrating.plot_distribution(NULL) AS nothing;
SELECT skillrating.plot_distribution('{1,NaN}');
SELECT skillrating.plot_distribution('{1,-infinity}');
DROP TABLE ratings;

-- Every picture has a title on each axis, once, drawn and for screen readers; null stands for the default.
CREATE FUNCTION axes(svg text) RETURNS text[] LANGUAGE sql AS $$
    SELECT ARRAY(SELECT m[1] || ': ' || m[2] FROM regexp_matches(svg, 'class="middle ([xy]-title)"[^>]*>([^<]*)</text>', 'g') AS m)
        || ARRAY(SELECT m[1] FROM regexp_matches(svg, '(Horizontal axis: .*[.])</desc>', 'g') AS m)
$$;
SELECT n, axes(svg), substring(svg, '<svg[^>]*( width="[0-9]+" height="[0-9]+")') AS size, sound(svg)
FROM (VALUES (1, skillrating.plot_history('{a,a}', '{2024-01-01,2024-02-01}'::timestamptz[], '{1,2}')),
    (2, skillrating.plot_history('{a,a}', '{1,2}'::float8[], '{1,2}')),
    (3, skillrating.plot_history('{a,a}', '{1,2}'::float8[], '{1,2}', '{1,1}', 'T', 'games & <draws>', 'skill, in log-odds', 320)),
    (4, skillrating.plot_history('{a,a}', '{1,2}'::float8[], '{1,2}', NULL, NULL, NULL, NULL, NULL)),
    (5, skillrating.plot_distribution('{1,2,3}')),
    (6, skillrating.plot_distribution('{1,2,3}', x_title => 'rating in points', y_title => 'players', width => 4000)),
    (7, skillrating.plot_calibration((SELECT skillrating.calibration(0.5, 1, 10)))),
    (8, skillrating.plot_calibration((SELECT skillrating.calibration(0.5, 1, 10)), x_title => 'predicted', y_title => 'won', width => 360))) AS v(n, svg)
ORDER BY n;
-- Words that are too long for a narrow picture wrap, and nothing is cut but the names of players.
SELECT t FROM texts(skillrating.plot_history(ARRAY['a', repeat('äb', 20)], '{1,2}'::float8[], '{1,2}', '{1,1}', 'A title of more words than there is room for, at least on a phone', width => 320)) AS t WHERE t !~ '^[0-9.]+$';
SELECT count(*) FILTER (WHERE length(t) > 48) AS too_long FROM (SELECT texts(skillrating.plot_calibration(skillrating.calibration(g % 10 / 10.0, g % 3 / 2.0, 10), width => 320)) AS t FROM generate_series(1, 1000) AS g) AS q;
-- No tick is upon another: labels of a row are as far apart as they are long.
SELECT what, count(*) > 1 AS several, bool_and(gap >= 6.5 * (length(label) + length(before)) / 2) AS apart FROM (
    SELECT what, label, lag(label) OVER w AS before, x - lag(x) OVER w AS gap
    FROM (VALUES ('numbers', skillrating.plot_history('{a,a}', '{0,1234567}'::float8[], '{1,2}', width => 320)),
        ('fractions', skillrating.plot_history('{a,a}', '{0.0001,0.0007}'::float8[], '{1,2}', width => 320)),
        ('hours', skillrating.plot_history('{a,a}', '{2024-01-01,2024-01-03}'::timestamptz[], '{1,2}', width => 320)),
        ('months', skillrating.plot_history('{a,a}', '{2024-01-01,2024-06-03}'::timestamptz[], '{1,2}', width => 320)),
        ('years', skillrating.plot_history('{a,a}', '{2014-01-01,2018-06-03}'::timestamptz[], '{1,2}', width => 320))) AS v(what, svg),
        LATERAL (SELECT m[1]::float8 AS x, m[2] AS label FROM regexp_matches(svg, '<text x="([0-9.]+)" y="[0-9.]+" class="note middle">([^<]*)</text>', 'g') AS m) AS tick
    WINDOW w AS (PARTITION BY what ORDER BY x)) AS q
GROUP BY what ORDER BY what;
-- An axis has two ticks or more, wherever a range begins and however narrow the picture is, and they are apart.
\set ECHO none
CREATE FUNCTION tick_rows(svg text, class text) RETURNS TABLE (ticks bigint, apart boolean) LANGUAGE sql AS $$
    SELECT count(*), coalesce(bool_and(gap >= 6.5 * (length(label) + length(before)) / 2), true) FROM (
        SELECT label, lag(label) OVER w AS before, x - lag(x) OVER w AS gap
        FROM (SELECT m[1]::float8 AS x, m[2] AS label FROM regexp_matches(svg, '<text x="([0-9.]+)" y="[0-9.]+" class="' || class || '">([^<]*)</text>', 'g') AS m) AS tick WINDOW w AS (ORDER BY x)) AS q
$$;
\set ECHO all
SELECT span, min(ticks) AS least, bool_and(apart) AS apart
FROM unnest('{1 second,1.9 seconds,15 seconds,70 seconds,17 minutes,90 minutes,5 hours,17 hours,30 hours,50 hours,9 days,40 days,343 days,400 days,700 days,1500 days,9000 days,100000 days}'::interval[]) AS span,
    unnest('{320,340,480,720}'::int[]) AS width, unnest('{2025-01-02,2025-06-30 23:17:05.3,2024-02-29 12:00}'::timestamptz[]) AS start,
    tick_rows(skillrating.plot_history('{somebody,somebody}', ARRAY[start, start + span], '{1,2}', width => width), 'note middle')
GROUP BY span ORDER BY span;
-- Fifty weeks.
SELECT width, ticks > 1 AS several, apart FROM unnest('{320,340,480,720}'::int[]) AS width,
    tick_rows((SELECT skillrating.plot_history(array_agg('somebody'::text), array_agg(timestamptz '2025-01-02' + i * interval '1 week'), array_agg(i::float8), width => width) FROM generate_series(0, 49) AS i), 'note middle');
-- Numbers, along both axes.
SELECT axis, min(ticks) AS least, bool_and(apart OR axis = 'y') AS apart
FROM unnest('{320,340,480,720}'::int[]) AS width, generate_series(1, 60) AS n,
    LATERAL (SELECT 1 + n * n * n / 7.0 AS low, pow(1.3, n) AS span) AS r,
    LATERAL (SELECT skillrating.plot_history('{somebody,somebody}', ARRAY[low, low + span]::float8[], ARRAY[low, low + span], width => width) AS svg) AS q,
    (VALUES ('x', 'note middle'), ('y', 'note end')) AS c(axis, class), tick_rows(svg, class)
GROUP BY axis ORDER BY axis;
SELECT skillrating.plot_history('{a}', '{1}'::float8[], '{1}', width => 319);
SELECT skillrating.plot_distribution('{1}', width => 4001);
SELECT skillrating.plot_calibration((SELECT skillrating.calibration(0.5, 1, 10)), width => -1);

-- Ranges beyond all measure are drawn or refused, and neither takes long nor much memory.
SELECT sound(svg) AS sound, length(svg) < 10000 AS small
FROM (VALUES (1, skillrating.plot_distribution('{1e300,1.0000000000000002e300,1.0000000000000004e300}')),
    (2, skillrating.plot_distribution('{0,5e-324}')),
    (3, skillrating.plot_distribution('{-1e304,1e-300,1e304}')),
    (4, skillrating.plot_history('{a,a}', '{1e300,1.0000000000000002e300}'::float8[], '{9e15,9000000000000001}')),
    (5, skillrating.plot_history('{a,a}', '{0,5e-324}'::float8[], '{5e-324,0}')),
    (6, skillrating.plot_history('{a,a}', '{-1e304,1e304}'::float8[], '{-1e304,1e304}', '{1e304,0}')),
    (7, skillrating.plot_history('{a,a}', ARRAY['4714-11-24 00:00:00+00 BC', '294276-12-31 23:59:59+00']::timestamptz[], '{1,2}')),
    (8, skillrating.plot_history('{a}', '{4714-11-24 00:00:00+00 BC}'::timestamptz[], '{1}')),
    (9, skillrating.plot_history('{a}', '{294276-12-31 23:59:59+00}'::timestamptz[], '{1}')),
    (10, skillrating.plot_history('{a,a}', ARRAY['294276-12-31 23:59:59.999998+00', '294276-12-31 23:59:59.999999+00']::timestamptz[], '{1,2}')),
    (11, skillrating.plot_calibration((1e18::bigint, 2, 3, 4, 5, 6, 7, 8, 9, NULL, -1e308, 12, 1e308, 14, 15, ARRAY[(-1e308, 1e308, 7, 0.5, 3)::skillrating.calibration_bin])::skillrating.calibration))) AS v(n, svg)
ORDER BY n;
SELECT skillrating.plot_distribution('{-1e308,1e308}');
SELECT skillrating.plot_history('{a,a}', '{-1e308,1e308}'::float8[], '{1,2}');
SELECT skillrating.plot_history('{a,a}', '{1,2}'::float8[], '{-1e308,1e308}');
SELECT skillrating.plot_history('{a}', '{1}'::float8[], '{1}', '{1e308}');
SELECT skillrating.plot_calibration((1, 2, 3, 4, 5, 6, 7, 8, 9, NULL, 11, 12, NULL, 14, 15, array_agg((0, 1, 1, 0.5, 0.5)::skillrating.calibration_bin))::skillrating.calibration) FROM generate_series(1, 1001);
DROP FUNCTION sound, texts, axes;
