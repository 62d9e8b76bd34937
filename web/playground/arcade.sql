-- The ladder that the playground begins with: twelve players of a gaming café, two against two.
CREATE EXTENSION IF NOT EXISTS skillrating;
SELECT skillrating.create_ladder('arcade', 'elo', player_type => 'text');
-- Random numbers from a linear congruential generator (Park and Miller 1988), so that every build
-- has the same matches.
CREATE TEMPORARY TABLE round AS
WITH RECURSIVE number(i, x) AS (
    SELECT 0, 20260101::bigint
    UNION ALL
    SELECT i + 1, x * 48271 % 2147483647 FROM number WHERE i < 80 * 13
), player AS (
    SELECT p.name, p.skill, row_number() OVER () - 1 AS place
    FROM (VALUES ('Ada', 1780), ('Ben', 1690), ('Cleo', 1640), ('Dan', 1600), ('Eve', 1560), ('Finn', 1520),
        ('Gia', 1480), ('Hugo', 1450), ('Ivy', 1410), ('Jon', 1360), ('Kim', 1300), ('Leo', 1220)) AS p(name, skill)
), seated AS (
    SELECT n.i / 13 AS match_id, p.name, p.skill, n.x,
        row_number() OVER (PARTITION BY n.i / 13 ORDER BY n.x) AS seat
    FROM number AS n JOIN player AS p ON p.place = n.i % 13
    WHERE n.i % 13 < 12 AND n.i < 80 * 13
)
SELECT s.match_id + 1 AS match_id, array_agg(s.name ORDER BY s.seat) AS players,
    (sum(CASE WHEN s.seat <= 2 THEN s.skill ELSE -s.skill END) / 2)::float8 AS lead,
    (SELECT n.x / 2147483647.0::float8 FROM number AS n WHERE n.i = s.match_id * 13 + 12) AS luck
FROM seated AS s
WHERE s.seat <= 4
GROUP BY s.match_id;
SELECT count(*)
FROM (SELECT * FROM round ORDER BY match_id) AS r,
    LATERAL skillrating.report_match('arcade', r.match_id, r.players, '{1,1,2,2}',
        CASE WHEN r.luck < 1 / (1 + exp(-r.lead * ln(10) / 400)) THEN '{1,1,2,2}'::integer[] ELSE '{2,2,1,1}' END,
        '2026-01-05'::timestamptz + r.match_id * interval '95 minutes');
DROP TABLE round;
