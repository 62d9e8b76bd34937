-- Seasons of one name in several pools.
\set SHOW_CONTEXT never
SET timezone = 'UTC';
CREATE SCHEMA regress_ladder_seasons;
SET search_path = regress_ladder_seasons;
SELECT skillrating.create_ladder('arena', 'elo', player_type => 'text', apply_at => 'statement');
CREATE FUNCTION play(ladder text, first int, last int) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
    PERFORM skillrating.report_match(ladder, i, CASE WHEN i % 3 = 0 THEN '{b,a}' ELSE '{a,b}'::text[] END, '{1,2}', rank => '{1,2}',
        pool => CASE WHEN i % 2 = 0 THEN 'solo' ELSE 'duo' END, played_at => timestamptz '2025-01-01' + i * interval '1 day')
    FROM generate_series(first, last) AS i;
END
$$;
SELECT play('arena', 1, 12);
SELECT p.pool, bool_and(s.converged) FROM unnest('{duo,solo}'::text[]) AS p(pool), skillrating.solve_ladder('arena', 'bradley_terry', pool => p.pool) AS s GROUP BY 1 ORDER BY 1;
SELECT players FROM skillrating.new_season('arena', '2026', toward => 'bradley_terry', pool => 'solo', at => '2026-01-01');
SELECT play('arena', 370, 372);
SELECT players FROM skillrating.new_season('arena', '2026', toward => 'bradley_terry', pool => 'duo', at => '2026-02-01');
SELECT play('arena', 400, 409);
SELECT p.pool, s.season, s.began_at, s.running, s.matches FROM unnest('{duo,solo}'::text[]) AS p(pool), skillrating.seasons('arena', p.pool) AS s;

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
SELECT skillrating.undo_operation('arena', operation) FROM arena.operation WHERE kind = 'season' AND pool = 'solo';
SELECT kind, pool, undone_at IS NOT NULL AS undone, count(*) FROM arena.operation WHERE kind IN ('season', 'seed') GROUP BY 1, 2, 3 ORDER BY 1, 2, 3;
SELECT count(*) > 0 AS changed FROM skillrating.catch_up('arena');
SELECT p.pool, s.season, s.matches FROM unnest('{duo,solo}'::text[]) AS p(pool), skillrating.seasons('arena', p.pool) AS s;
SELECT players FROM skillrating.new_season('arena', '2026', pool => 'solo', at => '2026-04-01');
SELECT bool_and(ok) FROM skillrating.verify('arena');

-- A ladder that is swapped in may have it in another pool, and not in the same one.
SELECT skillrating.rerate('arena', 'elo', '{"k": 16}', 'next') > 0 AS rated;
SELECT players FROM skillrating.new_season('arena', '2028', pool => 'solo');
SELECT operation AS of_solo FROM skillrating.new_season('next', '2028', pool => 'solo') \gset
SELECT players FROM skillrating.new_season('next', '2028', pool => 'duo');
DO $$
BEGIN
    PERFORM skillrating.swap_ladders('arena', 'next');
EXCEPTION WHEN object_not_in_prerequisite_state THEN
    RAISE NOTICE '%', regexp_replace(SQLERRM, '\d+', 'N');
END
$$;
SELECT skillrating.undo_operation('next', :of_solo);
SELECT skillrating.swap_ladders('arena', 'next');
SELECT p.pool, s.season FROM unnest('{duo,solo}'::text[]) AS p(pool), skillrating.seasons('arena', p.pool) AS s WHERE s.season = '2028';
SELECT count(*) >= 0 AS caught_up FROM skillrating.catch_up('arena');
SELECT bool_and(ok) FROM skillrating.verify('arena');

\set VERBOSITY terse
SELECT skillrating.drop_ladder(l) FROM unnest('{next,arena}'::text[]) AS l;
DROP SCHEMA regress_ladder_seasons CASCADE;
