-- The eight colours of lines can be told apart by everybody, on the light and on the dark ground.
\pset format unaligned
\pset tuples_only on
SET extra_float_digits = 0;

CREATE TYPE color AS (x float8, y float8, z float8);
-- sRGB (IEC 61966-2-1) to linear light, to CIE XYZ under D65, to CIELAB.
\set ECHO none
CREATE FUNCTION linear(hex text) RETURNS color LANGUAGE sql IMMUTABLE AS $$
    SELECT (v[1], v[2], v[3])::color FROM (SELECT array_agg(CASE WHEN c <= 0.04045 THEN c / 12.92 ELSE ((c + 0.055) / 1.055) ^ 2.4 END ORDER BY i) AS v
        FROM generate_series(0, 2) AS i, LATERAL (SELECT get_byte(decode(substr(hex, 2), 'hex'), i) / 255.0::float8 AS c) AS b) AS q
$$;
CREATE FUNCTION luminance(c color) RETURNS float8 LANGUAGE sql IMMUTABLE AS $$
    SELECT 0.2126729 * (c).x + 0.7151522 * (c).y + 0.0721750 * (c).z
$$;
CREATE FUNCTION lab(c color) RETURNS color LANGUAGE sql IMMUTABLE AS $$
    SELECT (116 * f[2] - 16, 500 * (f[1] - f[2]), 200 * (f[2] - f[3]))::color
    FROM (SELECT array_agg(CASE WHEN t > 216.0 / 24389 THEN t ^ (1.0 / 3) ELSE (24389.0 / 27 * t + 16) / 116 END ORDER BY i) AS f
        FROM (SELECT least(greatest((c).x, 0), 1) AS r, least(greatest((c).y, 0), 1) AS g, least(greatest((c).z, 0), 1) AS b) AS q,
            unnest(ARRAY[(0.4124564 * r + 0.3575761 * g + 0.1804375 * b) / 0.95047, 0.2126729 * r + 0.7151522 * g + 0.0721750 * b, (0.0193339 * r + 0.1191920 * g + 0.9503041 * b) / 1.08883]) WITH ORDINALITY AS u(t, i)) AS v
$$;
-- CIEDE2000, as written out by Sharma, Wu and Dalal, Color Research and Application 30 (2005).
CREATE FUNCTION ciede2000(a color, b color) RETURNS float8 LANGUAGE plpgsql IMMUTABLE AS $$
DECLARE
    c7 float8 := ((sqrt(a.y ^ 2 + a.z ^ 2) + sqrt(b.y ^ 2 + b.z ^ 2)) / 2) ^ 7;
    g float8 := 1.5 - 0.5 * sqrt(c7 / (c7 + 25.0 ^ 7));
    a1 float8 := a.y * g;
    a2 float8 := b.y * g;
    chroma1 float8 := sqrt(a1 ^ 2 + a.z ^ 2);
    chroma2 float8 := sqrt(a2 ^ 2 + b.z ^ 2);
    h1 float8 := CASE WHEN chroma1 = 0 THEN 0 ELSE atan2d(a.z, a1) + CASE WHEN atan2d(a.z, a1) < 0 THEN 360 ELSE 0 END END;
    h2 float8 := CASE WHEN chroma2 = 0 THEN 0 ELSE atan2d(b.z, a2) + CASE WHEN atan2d(b.z, a2) < 0 THEN 360 ELSE 0 END END;
    gray boolean := chroma1 * chroma2 = 0;
    turn float8 := CASE WHEN gray THEN 0 WHEN h2 - h1 > 180 THEN h2 - h1 - 360 WHEN h2 - h1 < -180 THEN h2 - h1 + 360 ELSE h2 - h1 END;
    hue float8 := 2 * sqrt(chroma1 * chroma2) * sind(turn / 2);
    l float8 := (a.x + b.x) / 2;
    chroma float8 := (chroma1 + chroma2) / 2;
    h float8 := CASE WHEN gray THEN h1 + h2 WHEN abs(h1 - h2) <= 180 THEN (h1 + h2) / 2 WHEN h1 + h2 < 360 THEN (h1 + h2 + 360) / 2 ELSE (h1 + h2 - 360) / 2 END;
    t float8 := 1 - 0.17 * cosd(h - 30) + 0.24 * cosd(2 * h) + 0.32 * cosd(3 * h + 6) - 0.20 * cosd(4 * h - 63);
    rotation float8 := -sind(60 * exp(-(((h - 275) / 25) ^ 2))) * 2 * sqrt(chroma ^ 7 / (chroma ^ 7 + 25.0 ^ 7));
    dl float8 := (b.x - a.x) / (1 + 0.015 * (l - 50) ^ 2 / sqrt(20 + (l - 50) ^ 2));
    dc float8 := (chroma2 - chroma1) / (1 + 0.045 * chroma);
    dh float8 := hue / (1 + 0.015 * chroma * t);
BEGIN
    RETURN sqrt(dl ^ 2 + dc ^ 2 + dh ^ 2 + rotation * dc * dh);
END
$$;
\set ECHO all
-- Published pairs and distances (Sharma, Wu and Dalal, table 1).
SELECT bool_and(abs(ciede2000((v[1], v[2], v[3])::color, (v[4], v[5], v[6])::color) - v[7]) < 0.00005) AS as_published
FROM (VALUES ('{50,2.6772,-79.7751,50,0,-82.7485,2.0425}'::float8[]), ('{50,-1.3802,-84.2814,50,0,-82.7485,1.0000}'), ('{50,2.5,0,50,0,-2.5,4.3065}'), ('{50,2.5,0,73,25,-18,27.1492}'),
    ('{60.2574,-34.0099,36.2677,60.4626,-34.1751,39.4387,1.2644}'), ('{2.0776,0.0795,-1.1350,0.9033,-0.0636,-0.5514,0.9082}')) AS s(v);

-- Dichromats, as linear maps of linear light: Machado, Oliveira and Fernandes, IEEE TVCG 15 (2009), at severity 1.
\set ECHO none
CREATE TABLE sight (name text, m float8[]);
INSERT INTO sight VALUES ('normal', '{{1,0,0},{0,1,0},{0,0,1}}'),
    ('protanopia', '{{0.152286,1.052583,-0.204868},{0.114503,0.786281,0.099216},{-0.003882,-0.048116,1.051998}}'),
    ('deuteranopia', '{{0.367322,0.860646,-0.227968},{0.280085,0.672501,0.047413},{-0.011820,0.042940,0.968881}}'),
    ('tritanopia', '{{1.255528,-0.076749,-0.178779},{-0.078411,0.930809,0.147602},{0.004733,0.691367,0.303900}}');
\set ECHO all
-- To all of them, white is white.
SELECT bool_and(abs(m[i][1] + m[i][2] + m[i][3] - 1) < 2e-6) AS white FROM sight, generate_series(1, 3) AS i;

\set ECHO none
CREATE TABLE theme AS
SELECT theme, substring(css, '\.ground\{fill:(#[0-9a-f]+)\}') AS ground, c.n, c.stroke, c.fill
FROM skillrating.plot_history('{a}', '{1}'::float8[], '{1}') AS svg,
    LATERAL (VALUES ('light', split_part(svg, '@media', 1)), ('dark', split_part(svg, '@media', 2))) AS s(theme, css),
    LATERAL (SELECT m[1]::int AS n, m[2] AS stroke, m[3] AS fill FROM regexp_matches(css, '\.c([0-9])\.stroke\{stroke:(#[0-9a-f]{6})\}\.sr \.c\1\.fill\{fill:(#[0-9a-f]{6})\}', 'g') AS m) AS c;
\set ECHO all
UPDATE theme SET ground = '#ffffff' WHERE ground = '#fff';
CREATE TABLE seen AS
SELECT theme, n, name AS sight, lab((m[1][1] * (l).x + m[1][2] * (l).y + m[1][3] * (l).z, m[2][1] * (l).x + m[2][2] * (l).y + m[2][3] * (l).z, m[3][1] * (l).x + m[3][2] * (l).y + m[3][3] * (l).z)::color) AS lab
FROM theme, sight, LATERAL (SELECT linear(stroke) AS l) AS q;
SELECT a.theme, a.sight, count(*) = 28 AS all_pairs, min(ciede2000(a.lab, b.lab)) >= CASE a.sight WHEN 'normal' THEN 15 ELSE 12 END AS told_apart
FROM seen AS a JOIN seen AS b ON a.theme = b.theme AND a.sight = b.sight AND a.n < b.n GROUP BY a.theme, a.sight ORDER BY a.theme, a.sight;
SELECT theme, count(*) = 8 AS eight, bool_and(stroke = fill) AS lines_and_dots_alike,
    bool_and((greatest(luminance(linear(stroke)), luminance(linear(ground))) + 0.05) / (least(luminance(linear(stroke)), luminance(linear(ground))) + 0.05) >= 3) AS contrast
FROM theme GROUP BY theme ORDER BY theme;
DROP TABLE seen, theme, sight;
DROP FUNCTION ciede2000, lab, luminance, linear;
DROP TYPE color;
