-- Seasons of one name in several pools.
\set ECHO none
\pset format unaligned
\pset tuples_only on
\set SHOW_CONTEXT never
SET timezone = 'UTC';
CREATE SCHEMA regress_ladder_seasons;
SET search_path = regress_ladder_seasons;
\set ECHO all
SELECT skillrating.create_ladder('arena', 'elo', player_type => 'text', apply_at => 'statement') \gset
\set ECHO none
CREATE FUNCTION play(ladder text, first int, last int) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
    PERFORM skillrating.report_match(ladder, i, CASE WHEN i % 3 = 0 THEN '{b,a}' ELSE '{a,b}'::text[] END, '{1,2}', rank => '{1,2}',
        pool => CASE WHEN i % 2 = 0 THEN 'solo' ELSE 'duo' END, played_at => timestamptz '2025-01-01' + i * interval '1 day')
    FROM generate_series(first, last) AS i;
END
$$;
\set ECHO all
SELECT play('arena', 1, 12) \gset
SELECT p.pool, bool_and(s.converged) FROM unnest('{duo,solo}'::text[]) AS p(pool), skillrating.solve_ladder('arena', 'bradley_terry', pool => p.pool) AS s GROUP BY 1 ORDER BY 1;
SELECT players FROM skillrating.new_season('arena', '2026', toward => 'bradley_terry', pool => 'solo', at => '2026-01-01');
SELECT play('arena', 370, 372) \gset
SELECT players FROM skillrating.new_season('arena', '2026', toward => 'bradley_terry', pool => 'duo', at => '2026-02-01');
SELECT play('arena', 400, 409) \gset
SELECT pool, params->>'name' AS season, at FROM arena.operation WHERE kind = 'season' AND undone_at IS NULL ORDER BY 1, seq;

-- A player begins it with what the seed of the pool has left, which comes right after the season.
SELECT p.pool, s.player_id, s.games, s.start_rating = e.rating_after AS begins_with_seed
FROM unnest('{duo,solo}'::text[]) AS p(pool) CROSS JOIN skillrating.season_table('arena', '2026', pool => p.pool) AS s
JOIN arena.event AS e ON e.player_id = s.player_id AND e.kind = 'seed' AND e.pool = p.pool ORDER BY 1, 2;

-- One that is taken in a pool is taken for all of them, and the other way round.
SELECT skillrating.new_season('arena', '2026', pool => 'duo');
SELECT skillrating.new_season('arena', '2026');
SELECT operation > 0 AS begun FROM skillrating.new_season('arena', '2027', at => '2026-03-01');
SELECT skillrating.new_season('arena', '2027', pool => 'solo');
-- A name is not the worse for a pool that nobody has played in, but it may be mistyped.
SELECT players FROM skillrating.new_season('arena', '2026', pool => 'sole', at => '2026-03-02');

-- Undone, its seeds go with it, and no others.
SELECT skillrating.undo_operation('arena', operation) FROM arena.operation WHERE kind = 'season' AND pool = 'solo' \gset
SELECT kind, pool, undone_at IS NOT NULL AS undone, count(*) FROM arena.operation WHERE kind IN ('season', 'seed') GROUP BY 1, 2, 3 ORDER BY 1, 2, 3;
SELECT count(*) > 0 AS changed FROM skillrating.catch_up('arena');
SELECT pool, params->>'name' AS season FROM arena.operation WHERE kind = 'season' AND undone_at IS NULL ORDER BY 1, seq;
\set VERBOSITY terse
SELECT players FROM skillrating.new_season('arena', '2026', pool => 'solo', at => '2026-04-01');
SELECT bool_and(ok) FROM skillrating.verify('arena');

-- A shadow is promoted once both ladders have the same seasons.
SELECT skillrating.shadow_ladder('arena', 'next', 'elo', '{"k": 16}') > 0 AS rated;
SELECT players FROM skillrating.new_season('arena', '2028', pool => 'solo');
SELECT players FROM skillrating.new_season('next', '2028', pool => 'duo');
DO $$
BEGIN
    PERFORM skillrating.promote_ladder('next', 'former');
    ALTER SCHEMA former RENAME TO next;
EXCEPTION WHEN object_not_in_prerequisite_state THEN
    RAISE NOTICE '%', regexp_replace(SQLERRM, '\d+', 'N');
END
$$;
SELECT n.players, a.players FROM skillrating.new_season('next', '2028', pool => 'solo') AS n, skillrating.new_season('arena', '2028', pool => 'duo') AS a;
SELECT skillrating.promote_ladder('next', 'former');
ALTER SCHEMA former RENAME TO next;
SELECT pool, params->>'name' AS season FROM arena.operation WHERE kind = 'season' AND undone_at IS NULL AND params->>'name' = '2028' ORDER BY 1;
SELECT count(*) >= 0 AS caught_up FROM skillrating.catch_up('arena');
SELECT bool_and(ok) FROM skillrating.verify('arena');

-- Tables of more players than are marked one by one, many of them with the same rating, against the
-- events; as they end, after corrections, and in a ladder that takes the place of this one.
\set ECHO none
CREATE FUNCTION wrong_standings() RETURNS SETOF text LANGUAGE plpgsql AS $$
BEGIN
    CREATE TEMP TABLE x ON COMMIT DROP AS
    WITH season AS (
        SELECT o.params->>'name' AS name, o.seq, lead(o.seq) OVER (ORDER BY o.seq) AS next_seq
        FROM (SELECT params, seq FROM many.operation WHERE kind = 'season' AND undone_at IS NULL UNION ALL SELECT '{"name": ""}', 0) AS o
    )
    SELECT s.name, row_number() OVER w AS n, rank() OVER (PARTITION BY s.name ORDER BY e.rating_before DESC) AS place, e.player_id, e.rating_before AS rating, m.games
    FROM season AS s JOIN many.event AS e ON e.seq = s.next_seq AND e.kind = 'season'
    JOIN LATERAL (
        SELECT count(*) AS games FROM many.event AS m
        WHERE m.player_id = e.player_id AND m.kind = 'match' AND m.seq > s.seq AND m.seq < s.next_seq HAVING count(*) > 0) AS m ON true
    WINDOW w AS (PARTITION BY s.name ORDER BY e.rating_before DESC, e.player_id);
    RETURN QUERY SELECT format('table %s', s.name) FROM (SELECT DISTINCT name FROM x) AS s
    WHERE ARRAY(SELECT (t.place, t.player_id, t.rating, t.games)::text FROM skillrating.season_table('many', s.name, 10000) AS t)
        IS DISTINCT FROM ARRAY(SELECT (x.place, x.player_id::text, x.rating, x.games)::text FROM x WHERE x.name = s.name ORDER BY x.n);
    RETURN QUERY SELECT format('place of %s in %s', x.player_id, x.name) FROM x
    WHERE x.place IS DISTINCT FROM (SELECT t.place FROM skillrating.season_table('many', x.name, player => x.player_id) AS t);
    RETURN QUERY SELECT format('after %s in %s', x.player_id, x.name) FROM x
    WHERE x.n % 7 = 0 AND ARRAY(SELECT (t.place, t.player_id)::text FROM skillrating.season_table('many', x.name, 3, after_player => x.player_id) AS t)
        IS DISTINCT FROM ARRAY(SELECT (u.place, u.player_id::text)::text FROM x AS u WHERE u.name = x.name AND u.n > x.n ORDER BY u.n LIMIT 3);
    RETURN QUERY SELECT v.detail FROM skillrating.verify('many') AS v WHERE NOT v.ok;
    DROP TABLE x;
END
$$;
\set ECHO all
SELECT skillrating.create_ladder('many', 'elo', params => '{"k": 16}') \gset
\set ECHO none
CREATE FUNCTION play_many(first int, last int, players int) RETURNS void LANGUAGE sql AS $$
    INSERT INTO many.match (match_id, played_at) SELECT m, '2024-01-01'::timestamptz + m * interval '1 hour' FROM generate_series(first, last) AS m;
    INSERT INTO many.match_player (match_id, player_id, team, rank)
    SELECT m, CASE p WHEN 1 THEN 2 * m ELSE 2 * m + 1 + 2 * (m % 5) END % players, p, 1 + (m * p) % 2
    FROM generate_series(first, last) AS m, generate_series(1, 2) AS p;
$$;
\set ECHO all
SELECT play_many(1, 900, 900) \gset
SELECT players FROM skillrating.new_season('many', 'second', 1, at => '2024-03-01');
SELECT play_many(2000, 2700, 700) \gset
SELECT players FROM skillrating.new_season('many', 'third', 0.75, at => '2024-05-01');
\set VERBOSITY default
SELECT play_many(4000, 4009, 700) \gset
SELECT wrong_standings();
SELECT count(*) FROM many.standing GROUP BY operation ORDER BY 1;

-- Matches of the first season change, go and come back; a season is undone.
UPDATE many.match_player SET rank = 3 - rank WHERE match_id IN (7, 2003);
DELETE FROM many.match WHERE match_id IN (11, 890);
SELECT count(*) > 0 AS corrected FROM skillrating.catch_up('many');
SELECT wrong_standings();
SELECT skillrating.void_match('many', 2010), skillrating.exclude_player('many', 5) > 0;
SELECT count(*) > 0 AS corrected FROM skillrating.catch_up('many');
SELECT wrong_standings();
SELECT count(*) > 0 AS would_change FROM skillrating.catch_up('many', rebuild => true, dry_run => true);
SELECT matches > 0 AS rated FROM skillrating.shadow_ladder('many', 'other', params => '{"k": 24}');
SELECT count(skillrating.undo_operation(l, operation)) FROM many.operation, unnest('{many,other}'::text[]) AS l WHERE params->>'name' = 'second';
SELECT count(*) > 0 AS corrected FROM skillrating.catch_up('many');
SELECT count(*) > 0 AS corrected FROM skillrating.catch_up('other');
SELECT wrong_standings();
SELECT skillrating.promote_ladder('other', 'former');
ALTER SCHEMA former RENAME TO other;
SELECT wrong_standings();
SELECT (skillrating.forget_players('many', ARRAY[8], '{10008}')).found;
SELECT wrong_standings();

-- Changes by hand.
UPDATE many.standing SET games = games + 1 WHERE player_id = 9 AND games > 0;
SELECT check_name, detail FROM skillrating.verify('many') WHERE NOT ok;
UPDATE many.standing SET place = place + 1 WHERE place > 2 AND operation = (SELECT max(operation) FROM many.standing);
SELECT check_name, regexp_replace(detail, '\d+', 'N') FROM skillrating.verify('many') WHERE NOT ok;
SELECT count(*) FROM skillrating.catch_up('many', rebuild => true);
SELECT bool_and(ok) FROM skillrating.verify('many');

-- A horizon within a season: what was counted before stays when the events go.
SELECT players FROM skillrating.new_season('many', 'fourth', 1, at => '2024-08-01');
SELECT horizon > 0 AS set FROM skillrating.set_horizon('many', '2024-01-20');
CREATE TEMP TABLE old_standing AS SELECT * FROM many.standing;
DELETE FROM many.event WHERE seq <= (SELECT horizon FROM many.ladder);
UPDATE many.match_player SET rank = 3 - rank WHERE match_id = 851;
SELECT count(*) > 0 AS corrected FROM skillrating.catch_up('many');
SELECT bool_and(ok) FROM skillrating.verify('many');
SELECT count(*) AS players, count(*) FILTER (WHERE o.games <> s.games) AS other_games, count(*) FILTER (WHERE o.rating <> s.rating) > 0 AS other_ratings
FROM old_standing AS o FULL JOIN many.standing AS s USING (player_id, pool, operation);
DROP TABLE old_standing;

-- Who is not in a table, and who is not there.
SELECT (SELECT t.place FROM skillrating.season_table('many', player => 899, season => '') AS t), (SELECT t.place FROM skillrating.season_table('many', player => 123456, season => '') AS t),
    (SELECT t.place FROM skillrating.season_table('many', player => 3, season => 'fourth') AS t), (SELECT t.place FROM skillrating.season_table('many', player => 3, season => 'fourth', min_games => 0) AS t) > 0 AS idle;
SELECT (SELECT t.place FROM skillrating.season_table('many', player => 3, season => 'fifth') AS t);
SELECT (SELECT t.place FROM skillrating.season_table(NULL, player => 3) AS t);
SELECT count(*) FROM skillrating.season_table('many', '', after_player => 123456);
SELECT count(*) FROM skillrating.season_table('many', after_player => 123456);
SELECT count(skillrating.drop_ladder(l)) FROM unnest('{other,many}'::text[]) AS l;

-- What becomes of the highest displayed rating, under a model that displays deviations and one that
-- does not.  Deviations may stay, and so may the states of those who have not played.
\set ECHO none
CREATE FUNCTION duels(ladder text, first int, last int) RETURNS void LANGUAGE sql AS
$$SELECT skillrating.report_match($1, i, ARRAY[i % 3, 3 + i % 4], '{1,2}', rank => '{1,2}', played_at => timestamptz '2025-01-01' + i * interval '1 day') FROM generate_series(first, last) AS i$$;
CREATE FUNCTION states(ladder text) RETURNS TABLE (player_id bigint, mu float8, sigma float8, rating float8, last_played timestamptz) LANGUAGE plpgsql AS
$$BEGIN RETURN QUERY EXECUTE format('SELECT r.player_id, r.mu, r.sigma, r.rating, r.last_played FROM %I.rating AS r', $1); END$$;
SELECT skillrating.create_ladder('skill', 'trueskill', '{"tau": 0}'), skillrating.create_ladder('points', 'elo') \gset
SELECT duels('skill', 1, 12), duels('points', 1, 12) \gset
CREATE TEMP TABLE before AS SELECT * FROM states('skill');
\set ECHO all
SELECT players FROM skillrating.new_season('points', 'spring', at => '2025-02-01');
SELECT players FROM skillrating.new_season('skill', 'spring', at => '2025-02-01', keep_deviations => true);
SELECT count(*), bool_and(s.sigma = b.sigma AND abs(s.mu - (25 + b.mu) / 2) < 1e-12) AS as_told FROM states('skill') AS s JOIN before AS b USING (player_id);
-- Two have played in spring; the table of spring does not lack the others, nor does summer without a match.
SELECT duels('skill', 50, 50) \gset
CREATE TEMP TABLE spring AS SELECT * FROM states('skill');
SELECT players FROM skillrating.new_season('skill', 'summer', 0.25, at => '2025-06-01', only_played => true);
SELECT s.last_played >= '2025-02-01' AS played, count(*), bool_and(s.mu = b.mu AND s.sigma = b.sigma) AS as_it_was,
    bool_and(abs(s.mu - (0.25 * b.mu + 0.75 * 25)) < 1e-12 AND abs(s.sigma ^ 2 - (b.sigma ^ 2 / 16 + 15 / 16.0 * (25 / 3.0) ^ 2)) < 1e-9) AS as_told
FROM states('skill') AS s JOIN spring AS b USING (player_id) GROUP BY 1 ORDER BY 1;
SELECT games, count(*) FROM skillrating.season_table('skill', 'spring', min_games => 0) GROUP BY 1 ORDER BY 1;
SELECT params - 'counted_from' AS params, params->>'counted_from' AS counted_from FROM skill.operation ORDER BY seq;
SELECT bool_and(ok) FROM skillrating.verify('skill');
-- A correction has another one play in spring; in a ladder that began anew it is the same.
UPDATE skill.match_player SET player_id = 1 WHERE match_id = 50 AND team = 1;
SELECT count(*) > 0 AS corrected FROM skillrating.catch_up('skill');
SELECT bool_and(ok) FROM skillrating.verify('skill');
SELECT count(*) FROM skillrating.catch_up('skill', rebuild => true);
SELECT p.player, h.played_at, h.state_before <> h.state_after AS changed
FROM unnest('{1,2}'::bigint[]) AS p(player), skillrating.history('skill', p.player) AS h WHERE h.kind = 'season' ORDER BY 1, 2;
SELECT skillrating.new_season('skill', 'autumn', keep_deviations => NULL);

-- A season that no match is in says so, but for one player or a further page.
SELECT place FROM skillrating.season_table('skill');
SELECT place FROM skillrating.season_table('skill', 'summer', min_games => 3);
SELECT place FROM skillrating.season_table('skill', '', pool => 'duo');
SELECT place FROM skillrating.season_table('skill', 'spring', min_games => 3);
SELECT place FROM skillrating.season_table('skill', player => 1);
SELECT count(skillrating.drop_ladder(l)) FROM unnest('{skill,points}'::text[]) AS l;

-- A time before matches that were rated gives a season no place where matches are appended.
SELECT skillrating.create_ladder('late', 'elo'), skillrating.create_ladder('sorted', 'elo', late => 'reorder') \gset
SELECT count(*) FROM unnest('{late,sorted}'::text[]) AS l, generate_series(1, 3) AS m, skillrating.report_match(l, m, '{1,2}'::bigint[], '{1,2}', '{1,2}', timestamptz '2025-01-01' + m * interval '1 day');
SELECT players FROM unnest('{late,sorted}'::text[]) AS l, skillrating.new_season(l, 'second', at => '2025-01-03');
SELECT players FROM skillrating.new_season('late', 'third', at => '2025-01-04');
SELECT count(*) FROM skillrating.catch_up('sorted');
SELECT l.name, l.played_in FROM (SELECT 'late' AS name, (SELECT count(*) FROM late.event AS e WHERE e.kind = 'match' AND e.seq > (SELECT min(seq) FROM late.operation)) AS played_in
    UNION ALL SELECT 'sorted', (SELECT count(*) FROM sorted.event AS e WHERE e.kind = 'match' AND e.seq > (SELECT min(seq) FROM sorted.operation))) AS l;
SELECT count(skillrating.drop_ladder(l)) FROM unnest('{late,sorted}'::text[]) AS l;

\set VERBOSITY terse
SELECT count(skillrating.drop_ladder(l)) FROM unnest('{next,arena}'::text[]) AS l;
DROP SCHEMA regress_ladder_seasons CASCADE;
