-- Points back for those who lost to a cheater, whose matches stay.
\pset format unaligned
\pset tuples_only on
SET timezone = 'UTC';
SELECT skillrating.create_ladder('arena', 'elo', '{"k": 32}', player_type => 'text', apply_at => 'statement') \gset
\set ECHO none
CREATE FUNCTION play(id int, at timestamptz, red text[], blue text[], red_rank int, pool text DEFAULT '') RETURNS void LANGUAGE plpgsql AS $$
BEGIN
    INSERT INTO arena.match (match_id, played_at, pool) VALUES (id, at, pool);
    INSERT INTO arena.match_player (match_id, player_id, team, rank)
    SELECT id, p, 1, red_rank FROM unnest(red) AS p UNION ALL SELECT id, p, 2, 3 - red_rank FROM unnest(blue) AS p;
END
$$;
\set ECHO all
-- In the old season: no longer of interest.
SELECT play(1, '2024-01-01', '{cheat}', '{ann}', 1) \gset
SELECT operation FROM skillrating.new_season('arena', 'spring', 0.5, at => '2024-02-01');
-- Ann loses twice, beats the cheater once, and loses to bob; bob draws, and loses points by that; cid
-- loses beside the cheater, and dan in another pool.
SELECT play(2, '2024-02-02', '{cheat}', '{ann}', 1) \gset
SELECT play(3, '2024-02-03', '{bob}', '{ann}', 1) \gset
SELECT play(4, '2024-02-04', '{cheat}', '{ann}', 1) \gset
SELECT play(5, '2024-02-05', '{cheat}', '{ann}', 2) \gset
SELECT play(6, '2024-02-06', '{eve,bob}', '{cheat,cid}', 1) \gset
INSERT INTO arena.match (match_id, played_at) VALUES (7, '2024-02-07');
INSERT INTO arena.match_player (match_id, player_id, team, rank) VALUES (7, 'cheat', 1, 1), (7, 'bob', 2, 1);
SELECT play(8, '2024-02-08', '{cheat}', '{dan}', 1, 'b') \gset
-- Another cheater beside the first one.
SELECT play(9, '2024-02-09', '{cheat,other}', '{fay,gus}', 1) \gset
-- Behind the time of the refund.
SELECT play(10, '2024-02-20', '{cheat}', '{ann}', 1) \gset

-- What ann, bob and dan lost, added up from their histories.
\set ECHO none
CREATE FUNCTION lost(player text, matches text[], pool text DEFAULT '') RETURNS float8 LANGUAGE sql AS $$
    SELECT sum(h.rating_before - h.rating_after ORDER BY h.seq) FROM skillrating.history('arena', player, pool => pool) AS h WHERE h.match_id = ANY (matches)
$$;
CREATE TEMP TABLE before AS SELECT player_id, pool, rating FROM arena.rating;
CREATE TEMP TABLE expected (player_id text, pool text, amount float8);
INSERT INTO expected VALUES ('ann', '', lost('ann', '{2,4}')), ('bob', '', greatest(lost('bob', '{7}'), 0)),
    ('dan', 'b', lost('dan', '{8}', 'b')), ('fay', '', lost('fay', '{9}')), ('gus', '', lost('gus', '{9}'));
\set ECHO all
SELECT skillrating.exclude_player('arena', 'cheat', reason => 'aimbot', policy => 'refund', at => '2024-02-10') AS refund \gset
SELECT player_id, pool, into_id, since, until, params->'matches' AS matches, params ? 'peak' AS capped, reason FROM arena.operation WHERE kind = 'refund' ORDER BY pool, player_id;
SELECT e.player_id, e.amount > 0 AS lost, (o.params->>'amount')::float8 IS NOT DISTINCT FROM nullif(e.amount, 0) AS same_amount,
    abs(r.rating - b.rating - e.amount) < 1e-9 AS given_back
FROM expected AS e JOIN before AS b USING (player_id, pool) JOIN arena.rating AS r USING (player_id, pool)
LEFT JOIN arena.operation AS o ON o.kind = 'refund' AND o.player_id = e.player_id AND o.pool = e.pool ORDER BY e.player_id;
-- Nobody else has changed, and nothing of the matches.
SELECT r.player_id FROM arena.rating AS r JOIN before AS b USING (player_id, pool) WHERE r.rating <> b.rating AND r.player_id NOT IN (SELECT player_id FROM expected);
SELECT kind, match_id, rating_after > rating_before AS rises, reason FROM skillrating.history('arena', 'fay', pool => '') ORDER BY seq;
SELECT bool_and(ok) FROM skillrating.verify('arena');

-- A match is given back once: neither again for him, nor for the one beside him; he himself gets nothing.
SELECT skillrating.exclude_player('arena', 'cheat', policy => 'refund', at => '2024-02-10') IS NULL AS nothing;
SELECT skillrating.exclude_player('arena', 'other', policy => 'refund', at => '2024-02-10') IS NULL AS nothing;
SELECT play(11, '2024-02-11', '{other}', '{cheat}', 1), play(12, '2024-02-12', '{other}', '{fay}', 1) \gset
SELECT skillrating.exclude_player('arena', 'other', policy => 'refund', at => '2024-02-13') AS other \gset
SELECT player_id, params->'matches' AS matches FROM arena.operation WHERE operation = :other ORDER BY player_id;
-- What came after the first time.
SELECT skillrating.exclude_player('arena', 'cheat', policy => 'refund', at => '2024-03-01') AS later \gset
SELECT player_id, params->'matches' AS matches FROM arena.operation WHERE operation = :later ORDER BY player_id;
SELECT skillrating.undo_operation('arena', :later), skillrating.undo_operation('arena', :other) \gset
SELECT count(*) FROM skillrating.catch_up('arena');

-- It stands where it was when what was before it changes: the amounts stay.
SELECT skillrating.void_match('arena', 12) \gset
SELECT count(*) > 0 FROM skillrating.catch_up('arena');
SELECT bool_and(ok) FROM skillrating.verify('arena');
SELECT abs(r.rating - 1500) < 1e-9 AS as_before FROM arena.rating AS r WHERE player_id = 'fay';
SELECT count(*) FROM skillrating.catch_up('arena', rebuild => true);
-- Whose matches are all gone has nothing to be put back to.
SELECT skillrating.void_match('arena', 8) \gset
SELECT player_id, rating_after FROM skillrating.catch_up('arena') WHERE player_id = 'dan';
SELECT skillrating.restore_match('arena', 8) \gset
SELECT abs(c.rating_after - b.rating - e.amount) < 1e-9 AS again FROM skillrating.catch_up('arena') AS c JOIN before AS b USING (player_id, pool) JOIN expected AS e USING (player_id, pool) WHERE player_id = 'dan';

-- Another ladder of the same has it; one of another model has not.
SELECT skillrating.shadow_ladder('arena', 'same'), skillrating.shadow_ladder('arena', 'glicko', 'glicko');
SELECT count(*) FROM ((TABLE arena.rating EXCEPT TABLE same.rating) UNION ALL (TABLE same.rating EXCEPT TABLE arena.rating)) AS d;
SELECT count(*) FROM glicko.operation WHERE kind = 'refund';
SELECT skillrating.undo_operation('arena', :refund), skillrating.undo_operation('same', :refund) \gset
SELECT count(*) > 0 AS changed FROM unnest('{same,glicko}'::text[]) AS l, skillrating.catch_up(l);
SELECT skillrating.promote_ladder('same', 'former');
ALTER SCHEMA former RENAME TO same;
SELECT count(*) FROM arena.operation WHERE kind = 'refund' AND undone_at IS NULL;
SELECT bool_and(ok) FROM skillrating.verify('arena');
SELECT skillrating.promote_ladder('glicko', 'former');
ALTER SCHEMA former RENAME TO glicko;
SELECT skillrating.promote_ladder('glicko', 'former');
ALTER SCHEMA former RENAME TO glicko;
SELECT (SELECT model FROM arena.ladder) AS model, bool_and(ok) FROM skillrating.verify('arena');
-- Taken back: as if it had never been.
SELECT r.player_id, r.pool FROM arena.rating AS r JOIN before AS b USING (player_id, pool)
WHERE r.rating <> b.rating AND r.player_id NOT IN ('cheat', 'other') ORDER BY r.player_id;
SELECT skillrating.drop_ladder('same'), skillrating.drop_ladder('glicko') \gset

-- Up to the peak of the season only: hal has won since more than he lost.
SELECT play(20, '2024-04-01', '{hal}', '{ian}', 1), play(21, '2024-04-02', '{cheat}', '{hal}', 1), play(22, '2024-04-03', '{hal}', '{ian}', 1),
    play(23, '2024-04-04', '{hal}', '{ann}', 1) \gset
SELECT skillrating.exclude_player('arena', 'cheat', since => '2024-04-01', policy => 'refund', at => '2024-04-05', cap_at_peak => true) AS capped \gset
SELECT o.player_id, (o.params->>'peak')::float8 = (SELECT max(greatest(h.rating_before, h.rating_after)) FROM skillrating.history('arena', o.player_id, pool => '') AS h WHERE h.kind = 'match') AS is_peak
FROM arena.operation AS o WHERE o.operation = :capped;
-- He has his peak already, and gets nothing: no event.
SELECT count(*) FROM skillrating.history('arena', 'hal', pool => '') WHERE kind = 'refund';
-- When his last match no longer counts, he is below it, and gets what he lost, or what he lacks.
SELECT skillrating.void_match('arena', 23) \gset
SELECT count(*) > 0 FROM skillrating.catch_up('arena');
SELECT abs(h.rating_after - least(h.rating_before + (o.params->>'amount')::float8, (o.params->>'peak')::float8)) < 1e-9 AS as_it_should
FROM skillrating.history('arena', 'hal', pool => '') AS h JOIN arena.operation AS o ON o.operation = :capped WHERE h.kind = 'refund';
SELECT bool_and(ok) FROM skillrating.verify('arena');

-- Forgotten with the players.
SELECT found FROM skillrating.forget_players('arena', '{hal,cheat}'::text[], '{x1,x2}'::text[]);
SELECT DISTINCT player_id, into_id FROM arena.operation WHERE operation = :capped;
SELECT bool_and(ok) FROM skillrating.verify('arena');

-- By what a model shows: points of the displayed rating, in the first state column.
SELECT skillrating.create_ladder('skill', 'trueskill', player_type => 'text', apply_at => 'statement', late => 'reorder') \gset
INSERT INTO skill.match (match_id, played_at) VALUES (1, '2024-01-01'), (2, '2024-01-02'), (3, '2024-01-03');
INSERT INTO skill.match_player (match_id, player_id, team, rank) VALUES (1, 'ann', 1, 1), (1, 'bob', 2, 2), (2, 'ann', 1, 1), (2, 'bob', 2, 2), (3, 'cid', 1, 1), (3, 'bob', 2, 2);
-- At a time before the last match: it takes its place there.
SELECT skillrating.exclude_player('skill', 'ann', policy => 'refund', at => '2024-01-02 12:00') > 0 AS refunded;
SELECT count(*) > 0 AS changed FROM skillrating.catch_up('skill');
SELECT kind, match_id, rating_after > rating_before AS rises FROM skillrating.history('skill', 'bob', pool => '') ORDER BY seq;
SELECT bool_and(ok) FROM skillrating.verify('skill');

-- Where pools share a part of the skill, a match of another pool can decide whether a capped refund
-- or a decay with a floor changes a rating, and leaves an event.
SELECT skillrating.create_ladder('modes', 'trueskill2', '{"base_weight": 1, "initial_base_sigma": 1, "base_tau": 0.01}', apply_at => 'statement') \gset
\set ECHO none
INSERT INTO modes.match (match_id, played_at, pool)
SELECT i, '2024-01-01'::timestamptz + i * interval '1 day', CASE WHEN i = 1 THEN 'a' ELSE 'b' END FROM generate_series(1, 12) AS i;
INSERT INTO modes.match_player (match_id, player_id, team, rank) VALUES (1, 1, 1, 2), (1, 2, 2, 1);
INSERT INTO modes.match_player (match_id, player_id, team, rank)
SELECT i, p.player_id, p.team, p.team FROM generate_series(2, 12) AS i, LATERAL (VALUES (1, 1), (i + 10, 2)) AS p(player_id, team);
\set ECHO all
SELECT skillrating.exclude_player('modes', 2, policy => 'refund', at => '2024-02-01', cap_at_peak => true) > 0 AS capped;
SELECT count(*) FROM modes.event WHERE kind = 'refund';
UPDATE modes.match_player SET rank = 3 - rank WHERE match_id > 1;
SELECT count(*) > 0 AS changed FROM skillrating.catch_up('modes');
SELECT bool_and(ok) FROM skillrating.verify('modes');
SELECT skillrating.drop_ladder('modes') \gset
SELECT skillrating.create_ladder('modes', 'trueskill2', '{"base_weight": 1, "initial_base_sigma": 1, "base_tau": 0.01}', apply_at => 'statement') \gset
INSERT INTO modes.match (match_id, played_at, pool) VALUES (1, '2024-01-01', 'a'), (2, '2024-01-02', 'b');
INSERT INTO modes.match_player (match_id, player_id, team, rank) VALUES (1, 1, 1, 2), (1, 2, 2, 1), (2, 1, 1, 2), (2, 3, 2, 1);
SELECT players FROM skillrating.decay('modes', '1 day', 0.01, floor => 2.2, pool => 'a', at => '2024-02-01');
UPDATE modes.match_player SET rank = 3 - rank WHERE match_id = 2;
SELECT count(*) > 0 AS changed FROM skillrating.catch_up('modes');
SELECT bool_and(ok) FROM skillrating.verify('modes');
SELECT count(*) FROM skillrating.catch_up('modes', rebuild => true);

\set SHOW_CONTEXT never
-- Nothing is given back twice: not by a shadow, and not for matches that are excluded.
SELECT skillrating.create_ladder('live', 'elo', apply_at => 'statement') \gset
INSERT INTO live.match (match_id, played_at) SELECT i, '2024-01-01'::timestamptz + i * interval '1 day' FROM generate_series(1, 4) AS i;
INSERT INTO live.match_player (match_id, player_id, team, rank)
SELECT i, p.player_id, p.team, p.team FROM generate_series(1, 4) AS i, LATERAL (VALUES (9, 1), (i, 2)) AS p(player_id, team);
SELECT skillrating.shadow_ladder('live', 'next', 'elo', '{}') AS matches;
SELECT skillrating.exclude_player('live', 9, policy => 'refund', at => '2024-02-01') > 0 AS refunded, skillrating.exclude_player('next', 9, policy => 'refund', at => '2024-02-01') AS again \gset
SELECT skillrating.promote_ladder('next', 'former');
ALTER SCHEMA former RENAME TO next;
SELECT bool_and(abs(rating - 1500) < 1e-9) AS given_back_once FROM live.rating WHERE player_id < 9;
SELECT skillrating.undo_operation('live', max(operation)) FROM live.operation WHERE kind = 'refund' AND undone_at IS NULL \gset
SELECT count(*) > 0 AS changed FROM skillrating.catch_up('live');
SELECT skillrating.exclude_player('live', 9, until => '2024-01-04') > 0 AS excluded;
SELECT skillrating.exclude_player('live', 9, policy => 'refund', at => '2024-02-01') > 0 AS refunded;
SELECT player_id, params->'matches' AS matches FROM live.operation WHERE kind = 'refund' AND undone_at IS NULL ORDER BY player_id;
SELECT skillrating.exclude_player('live', 9, since => '2024-01-05');
SELECT skillrating.exclude_player('live', 9, since => '2024-02-01') > 0 AS from_then_on;
SELECT count(*) > 0 AS changed FROM skillrating.catch_up('live');

-- Nor what was lost before a rating began anew.
SELECT skillrating.reset_rating('live', 4, at => '2024-02-02') IS NOT NULL AS reset;
SELECT skillrating.undo_operation('live', max(operation)) FROM live.operation WHERE kind = 'refund' AND undone_at IS NULL \gset
SELECT count(*) > 0 AS changed FROM skillrating.catch_up('live');
SELECT skillrating.exclude_player('live', 9, policy => 'refund', at => '2024-02-03') > 0 AS refunded;
SELECT player_id, params->'matches' AS matches FROM live.operation WHERE kind = 'refund' AND undone_at IS NULL ORDER BY player_id;
SELECT bool_and(ok) FROM skillrating.verify('live');
SELECT skillrating.drop_ladder('modes'), skillrating.drop_ladder('next'), skillrating.drop_ladder('live') \gset

-- Accounts that are merged, but not yet replayed, get back what they lost as the account that counts,
-- and up to the peak of all of it; the cheater's own accounts get nothing, and neither do others for a
-- match with the account that counts a second time.
SELECT skillrating.create_ladder('live', 'elo', '{"k": 32}', player_type => 'text', apply_at => 'statement') \gset
INSERT INTO live.match (match_id, played_at) SELECT i, '2024-01-01'::timestamptz + i * interval '1 day' FROM generate_series(1, 6) AS i;
INSERT INTO live.match_player (match_id, player_id, team, rank)
SELECT i, p.player_id, p.team, p.team
FROM generate_series(1, 6) AS i, LATERAL (VALUES (CASE WHEN i IN (1, 5) THEN 'ann2' ELSE 'cheat' END, 1), ((ARRAY['eve', 'ann', 'ann2', 'cid', 'eve', 'cheat2'])[i], 2)) AS p(player_id, team);
SELECT skillrating.merge_players('live', 'ann2', 'ann3', allow_unknown => true) > 0 AS merged, skillrating.merge_players('live', 'ann3', 'ann', allow_unknown => true) > 0 AS merged;
SELECT skillrating.merge_players('live', 'cid', 'newcid', allow_unknown => true) > 0 AS merged, skillrating.merge_players('live', 'cheat2', 'cheat') > 0 AS merged;
SELECT skillrating.exclude_player('live', 'cheat', since => '2024-01-05', policy => 'refund', at => '2024-02-01', cap_at_peak => true) AS of_cid \gset
SELECT skillrating.exclude_player('live', 'cheat', until => '2024-01-05', policy => 'refund', at => '2024-02-01', cap_at_peak => true) AS of_ann \gset
SELECT o.operation = :of_ann AS of_ann, o.player_id, o.params->'matches' AS matches,
    (o.params->>'peak')::float8 = (SELECT max(greatest(e.rating_before, e.rating_after)) FROM live.event AS e WHERE e.player_id = ANY (CASE o.player_id WHEN 'ann' THEN '{ann,ann2}' ELSE '{cid}'::text[] END)) AS is_peak
FROM live.operation AS o WHERE o.kind = 'refund' ORDER BY o.operation, o.player_id;
SELECT player_id, kind, rating_after > rating_before AS rises FROM live.event WHERE kind = 'refund';
SELECT count(*) > 0 AS changed FROM skillrating.catch_up('live');
SELECT bool_and(ok) FROM skillrating.verify('live');
SELECT player_id FROM live.event WHERE kind = 'refund' ORDER BY player_id;
SELECT skillrating.exclude_player('live', 'cheat', policy => 'refund', at => '2024-02-01') IS NULL AS nothing;
SELECT count(*) FROM skillrating.catch_up('live', rebuild => true);
SELECT skillrating.drop_ladder('live') \gset

-- Errors
\set VERBOSITY terse
SELECT skillrating.exclude_player('arena', 'ann', policy => 'ban');
SELECT skillrating.exclude_player('arena', 'ann', policy => NULL);
SELECT skillrating.exclude_player('arena', 'ann', cap_at_peak => true);
SELECT skillrating.exclude_player('arena', 'ann', policy => 'refund', at => 'infinity');
SELECT skillrating.exclude_player('arena', 'ann', since => '2024-01-01', until => '2024-01-01', policy => 'refund');
SELECT skillrating.merge_players('arena', 'eve', 'bob') > 0;
SELECT skillrating.exclude_player('arena', 'eve', policy => 'refund');

SELECT skillrating.drop_ladder('arena'), skillrating.drop_ladder('skill') \gset
DROP FUNCTION play, lost;
