-- A ladder whose history begins at a horizon goes on, bit for bit, as one that has all of it;
-- what would change what was before is refused, and never done by halves.
\pset format unaligned
\pset tuples_only on
SET timezone = 'UTC';
-- No notices of seasons, whose figures go by the time.
SET client_min_messages = warning;

-- Matches of two teams of two, in two pools, with all that models and components read. Each is
-- in a ladder with a horizon and in one without.
\set ECHO none
CREATE FUNCTION play(ladder text, first int, last int) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
    EXECUTE format(
        'INSERT INTO %I.match (match_id, played_at, pool, context)
        SELECT i, timestamptz ''2024-01-01'' + i * interval ''5 hours'',
            CASE WHEN i %% 5 = 0 THEN ''other'' ELSE '''' END, ''map '' || i %% 3
        FROM generate_series($1, $2) AS i', ladder)
    USING first, last;
    EXECUTE format(
        'INSERT INTO %I.match_player (match_id, player_id, team, side, rank, team_score, club, kills, deaths)
        SELECT i, 1 + (i * 7 + k * (1 + i %% 3)) %% 13, 1 + k / 2, 1 + k / 2,
            CASE WHEN i %% 7 = 0 THEN 1 ELSE 1 + (k / 2 + i / 3) %% 2 END,
            CASE WHEN i %% 7 = 0 THEN 1 ELSE 2 - (k / 2 + i / 3) %% 2 END,
            ''club '' || (i + k) %% 2, (i + k) %% 9, (i + 2 * k) %% 7
        FROM generate_series($1, $2) AS i, generate_series(0, 3) AS k', ladder)
    USING first, last;
    SET CONSTRAINTS ALL IMMEDIATE;
    SET CONSTRAINTS ALL DEFERRED;
END
$$;

-- What is in the one ladder and not in the other: rows of today, and events behind the horizon.
CREATE FUNCTION differences(a text, b text) RETURNS bigint LANGUAGE plpgsql AS $$
DECLARE
    n bigint := 0;
    found bigint;
    query text;
    pair text[];
BEGIN
    FOREACH query IN ARRAY ARRAY[
        'SELECT r::text FROM %I.rating AS r',
        'SELECT c::text FROM %I.component AS c',
        'SELECT e::text FROM %I.event AS e WHERE e.seq > $1',
        'SELECT e::text FROM %I.component_event AS e WHERE e.seq > $1']
    LOOP
        FOREACH pair SLICE 1 IN ARRAY ARRAY[ARRAY[a, b], ARRAY[b, a]] LOOP
            EXECUTE format('SELECT count(*) FROM (%s EXCEPT %s) AS d', format(query, pair[1]),
                format(query, pair[2]))
            INTO found USING coalesce((SELECT max(h) FROM horizons() AS h), 0);
            n := n + found;
        END LOOP;
    END LOOP;
    RETURN n;
END
$$;
CREATE FUNCTION horizons() RETURNS SETOF bigint LANGUAGE plpgsql AS $$
BEGIN
    RETURN QUERY SELECT w.horizon FROM short.ladder AS w;
END
$$;
CREATE FUNCTION sound(ladder text) RETURNS boolean LANGUAGE sql AS
$$ SELECT bool_and(v.ok) FROM skillrating.verify(ladder) AS v $$;
\set ECHO all

-- The same is done to both.
\set ECHO none
CREATE FUNCTION on_both(query text) RETURNS void LANGUAGE plpgsql AS $$
DECLARE
    ladder text;
BEGIN
    FOREACH ladder IN ARRAY ARRAY['short', 'long'] LOOP
        EXECUTE format(query, ladder);
    END LOOP;
END
$$;
-- The last operation of a kind is undone.
CREATE FUNCTION undo(ladder text, kind text) RETURNS void LANGUAGE plpgsql AS $$
DECLARE
    last bigint;
BEGIN
    EXECUTE format('SELECT max(o.operation) FROM %I.operation AS o WHERE o.kind = $1', ladder)
    INTO last USING kind;
    PERFORM skillrating.undo_operation(ladder, last);
END
$$;
\set ECHO all

-- All that can happen to a ladder with a model: it is none if anything differs.
\set ECHO none
CREATE FUNCTION life(model text, params jsonb, late text) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
    faults text := '';
    step text;
BEGIN
    PERFORM skillrating.create_ladder('short', model, params, late => late);
    PERFORM skillrating.create_ladder('long', model, params, late => late);
    PERFORM on_both($q$ SELECT play(%L, 1, 42) $q$);
    PERFORM on_both($q$ SELECT skillrating.set_rating(%1$L, 30, (
        SELECT jsonb_object_agg(u.c, CASE u.c WHEN m.state_columns[1] THEN 1 ELSE 0.5 END)
        FROM skillrating.models() AS m JOIN %1$I.ladder AS l ON l.model = m.name,
            unnest(m.state_columns) AS u(c)), pool => '', at => '2024-01-09 19:00') $q$);
    PERFORM on_both($q$ SELECT skillrating.reset_rating(%L, 3, at => '2024-01-09 19:30') $q$);
    PERFORM skillrating.set_horizon('short', '2024-01-09 20:00');
    DELETE FROM short.event WHERE seq <= (SELECT horizon FROM short.ladder);
    DELETE FROM short.component_event WHERE seq <= (SELECT horizon FROM short.ladder);
    FOREACH step IN ARRAY ARRAY[
        $q$ SELECT play(%L, 43, 60) $q$,
        $q$ SELECT skillrating.reset_rating(%L, 2, at => '2024-01-14') $q$,
        $q$ SELECT play(%L, 71, 80) $q$,
        $q$ SELECT skillrating.void_match(%L, 44) $q$,
        $q$ SELECT skillrating.new_season(%L, 'second') $q$,
        $q$ SELECT skillrating.void_match(%L, 80) $q$,
        $q$ SELECT play(%L, 61, 70) $q$,
        $q$ SELECT undo(%L, 'reset') $q$,
        $q$ SELECT skillrating.exclude_player(%L, 4, since => '2024-01-12') $q$,
        $q$ SELECT skillrating.restore_match(%L, 44) $q$]
    LOOP
        PERFORM on_both(step);
        PERFORM on_both('SELECT skillrating.catch_up(%L)');
        IF differences('short', 'long') > 0 OR NOT sound('short') THEN
            faults := concat(faults, step, differences('short', 'long'), (SELECT string_agg(v.detail, ';')
                FROM skillrating.verify('short') AS v WHERE NOT v.ok));
        END IF;
    END LOOP;
    PERFORM skillrating.set_horizon('short', '2024-01-13');
    DELETE FROM short.event WHERE seq <= (SELECT horizon FROM short.ladder);
    DELETE FROM short.component_event WHERE seq <= (SELECT horizon FROM short.ladder);
    PERFORM on_both($q$ SELECT skillrating.void_match(%L, 66) $q$);
    PERFORM on_both('SELECT skillrating.catch_up(%L)');
    IF EXISTS (SELECT FROM skillrating.catch_up('short', rebuild => true))
        OR differences('short', 'long') > 0 OR NOT sound('short') OR NOT sound('long')
    THEN
        faults := faults || 'later horizon';
    END IF;
    IF EXISTS (
        SELECT FROM unnest('{"",other}'::text[]) AS p(pool),
            generate_series(timestamptz '2024-01-13', '2024-01-20', '50 hours') AS t(at),
            unnest('{1,2,3,4,5,30,31}'::int[]) AS k(player)
        WHERE skillrating.rating_at('short', k.player, t.at, p.pool)
            IS DISTINCT FROM skillrating.rating_at('long', k.player, t.at, p.pool))
    THEN
        faults := faults || 'rating_at';
    END IF;
    PERFORM skillrating.drop_ladder('short'), skillrating.drop_ladder('long');
    RETURN faults;
END
$$;
\set ECHO all
SELECT string_agg(m.name, ' ' ORDER BY m.name), life(m.name, '{}', CASE WHEN m.name IN ('glicko', 'frag', 'synelo') THEN 'reorder' ELSE 'append' END) AS faults
FROM skillrating.models() AS m
GROUP BY 2;
SELECT l.late, life('state_space', '{"drift": 0.02, "home_drift": 0.01, "club_drift": 0.03, "draw_sigma": 0}', l.late) AS faults
FROM unnest('{append,reorder}'::text[]) AS l(late);

-- What is before the horizon: refused by name, or a warning where it was done to a match of one's own.
\set VERBOSITY terse
SELECT skillrating.create_ladder('arena', 'glicko2'), play('arena', 1, 60) \gset
SELECT skillrating.merge_players('arena', 5, 6) IS NOT NULL AS merged;
SELECT skillrating.set_horizon('arena', '2024-01-09');
SELECT count(*) > 0 AS changed FROM skillrating.catch_up('arena');
SELECT * FROM skillrating.set_horizon('arena', '2024-01-09');
SELECT horizon, horizon_at FROM arena.ladder;
SELECT skillrating.void_match('arena', 3);
SELECT skillrating.exclude_player('arena', 4);
SELECT skillrating.merge_players('arena', 7, 8);
SELECT skillrating.set_eligibility('arena', '{"max_repeats": 60}');
SELECT skillrating.set_eligibility('arena', '{"max_repeats": 60}', since => '2024-01-09') > 0 AS declared;
SELECT undo('arena', 'eligibility') \gset
SELECT skillrating.set_horizon('arena', '2024-01-08');
SELECT skillrating.set_horizon('arena', 'infinity');
SELECT skillrating.set_horizon('nowhere', '2024-01-08');
SELECT skillrating.rating_at('arena', 3, '2024-01-08', pool => '');
SELECT count(*) FROM skillrating.leaderboard('arena', pool => '', at => '2024-01-08');
DELETE FROM arena.match WHERE match_id = 1;
UPDATE arena.match_player SET rank = 3 - rank WHERE match_id = 5;
SELECT DISTINCT outcome, reason, detail FROM skillrating.report_match('arena', 11, '{1,2}', '{1,2}', '{2,1}', '2024-01-02');
SELECT count(*) FROM arena.correction;
SELECT count(*) FROM skillrating.catch_up('arena', search => true);
SELECT count(*) FROM skillrating.catch_up('arena', rebuild => true);
SELECT sound('arena');

-- A match of before that comes late is rated as it comes, or not, where time makes the order.
SELECT skillrating.create_ladder('ordered', 'elo', late => 'reorder'), play('ordered', 2, 60) \gset
SELECT horizon > 0 AS set, players FROM skillrating.set_horizon('ordered', '2024-01-09');
SELECT play('arena', 1, 1), play('ordered', 1, 1) \gset
SELECT 'arena', * FROM skillrating.match_outcome('arena', 1)
UNION ALL SELECT 'ordered', * FROM skillrating.match_outcome('ordered', 1);
UPDATE ordered.match SET played_at = '2024-01-02' WHERE match_id = 55;
SELECT count(*) > 0 AS changed FROM skillrating.catch_up('ordered');
SELECT reason FROM skillrating.match_outcome('ordered', 55);
SELECT skillrating.set_rating('ordered', 1, '{"rating": 1700}', pool => '', at => '2024-01-08');
SELECT sound('arena'), sound('ordered');

-- What has no players in common with what is behind the horizon may come behind that, although it
-- was played before: where time makes the order, it goes before the horizon as well.
SELECT skillrating.create_ladder('regions', 'glicko2', late => 'reorder'), play('regions', 1, 40) \gset
INSERT INTO regions.match (match_id, played_at)
SELECT 100 + g, timestamptz '2024-01-01' + g * interval '5 hours' FROM generate_series(1, 40) AS g;
INSERT INTO regions.match_player (match_id, player_id, team, rank)
SELECT 100 + g, 100 + (g + i * i) % 5, i, i FROM generate_series(1, 40) AS g, generate_series(1, 2) AS i;
SELECT count(*) FROM regions.correction;
SELECT skillrating.shadow_ladder('regions', 'regions_too');
SELECT players FROM skillrating.set_horizon('regions', '2024-01-05');
SELECT bool_and((m.seq > l.horizon) = (m.played_at >= l.horizon_at)) AS parted, sound('regions')
FROM regions.rated_match AS m, regions.ladder AS l;
SELECT count(skillrating.void_match(l, 135)) FROM unnest('{regions,regions_too}'::text[]) AS l;
SELECT count(*) > 0 AS changed FROM skillrating.catch_up('regions');
SELECT count(*) > 0 AS changed FROM skillrating.catch_up('regions_too');
SELECT count(*) FROM (TABLE regions.rating EXCEPT TABLE regions_too.rating) AS d;
SELECT sound('regions'), sound('regions_too');

-- Players whom an operation alone has touched are there, and new seasons reach them.
SELECT skillrating.create_ladder('quiet', 'glicko2'), play('quiet', 1, 20) \gset
SELECT skillrating.set_rating('quiet', 30, '{"rating": 1900, "deviation": 60, "volatility": 0.06}', pool => '') IS NOT NULL AS is_set;
SELECT players FROM skillrating.set_horizon('quiet', now());
DELETE FROM quiet.event;
SELECT skillrating.new_season('quiet', 'next', 0.5) IS NOT NULL AS begun;
SELECT rating < 1900 AS reached FROM quiet.rating WHERE player_id = 30;
SELECT skillrating.forget_players('quiet', ARRAY[30], '{-1}');
SELECT count(*) FROM quiet.horizon WHERE player_id IN (30, -1);
SELECT sound('quiet');

-- A new formula begins at the very start, and the old one comes back with its horizon.
SELECT skillrating.shadow_ladder('quiet', 'trial', params => '{"tau": 0.4}') AS matches;
SELECT skillrating.promote_ladder('trial', 'former');
ALTER SCHEMA former RENAME TO trial;
SELECT (SELECT l.horizon FROM quiet.ladder AS l) AS quiet, (SELECT l.horizon > 0 FROM trial.ladder AS l) AS trial,
    sound('quiet'), sound('trial');
SELECT skillrating.promote_ladder('trial', 'former');
ALTER SCHEMA former RENAME TO trial;
SELECT (SELECT l.horizon > 0 FROM quiet.ladder AS l) AS quiet, (SELECT l.horizon FROM trial.ladder AS l) AS trial,
    sound('quiet'), sound('trial');
SELECT matches FROM skillrating.reset_ladder('quiet');
SELECT l.horizon, (SELECT count(*) FROM quiet.horizon) AS rows FROM quiet.ladder AS l;
SELECT play('quiet', 1, 10), sound('quiet');

-- What changes or goes before a horizon stays there alone: a shadow, which begins at the very start,
-- counts it.
\set ECHO none
CREATE FUNCTION as_made_anew(ladder text) RETURNS boolean LANGUAGE plpgsql AS $$
DECLARE
    same boolean;
BEGIN
    PERFORM skillrating.shadow_ladder(ladder, 'anew');
    EXECUTE format('SELECT NOT EXISTS (TABLE %1$I.rating EXCEPT TABLE anew.rating)
        AND NOT EXISTS (TABLE anew.rating EXCEPT TABLE %1$I.rating)', ladder)
    INTO same;
    PERFORM skillrating.drop_ladder('anew');
    RETURN same;
END
$$;
CREATE FUNCTION change_before(late text, searches boolean) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
    outcome text;
BEGIN
    PERFORM skillrating.create_ladder('kept', 'elo', late => late), play('kept', 1, 60);
    PERFORM skillrating.shadow_ladder('kept', 'full_one');
    PERFORM skillrating.set_horizon('kept', '2024-01-09');
    UPDATE kept.match_player SET rank = 3 - rank WHERE match_id = 5;
    DELETE FROM kept.match WHERE match_id = 7;
    SET CONSTRAINTS ALL IMMEDIATE;
    SET CONSTRAINTS ALL DEFERRED;
    PERFORM skillrating.catch_up('full_one', search => searches);
    outcome := concat(sound('full_one'), as_made_anew('full_one'));
    PERFORM skillrating.promote_ladder('full_one', 'former');
    ALTER SCHEMA former RENAME TO full_one;
    outcome := concat(outcome, sound('kept'), sound('full_one'), as_made_anew('kept'));
    PERFORM skillrating.promote_ladder('full_one', 'former');
    ALTER SCHEMA former RENAME TO full_one;
    outcome := concat(outcome, sound('kept'), sound('full_one'), as_made_anew('full_one'));
    PERFORM skillrating.drop_ladder('full_one'), skillrating.drop_ladder('kept');
    RETURN outcome;
END
$$;
\set ECHO all
SELECT l.late, s.searches, change_before(l.late, s.searches)
FROM unnest('{append,reorder}'::text[]) AS l(late), unnest('{f,t}'::boolean[]) AS s(searches);
DROP FUNCTION change_before, as_made_anew;

-- Events that go without a horizon are missed, before anything is written.
SELECT skillrating.create_ladder('torn', 'elo'), skillrating.create_ladder('torn_too', 'state_space',
    '{"home_drift": 0.01}'), play('torn', 1, 60), play('torn_too', 1, 60) \gset
DELETE FROM torn.event WHERE seq < 30;
DELETE FROM torn_too.component_event WHERE seq < 30;
SELECT skillrating.void_match('torn', 40), skillrating.void_match('torn_too', 40) \gset
SELECT skillrating.catch_up('torn');
SELECT skillrating.catch_up('torn_too');
SELECT skillrating.set_horizon('torn', '2024-01-10');
SELECT count(*) > 0 AS changed FROM skillrating.catch_up('torn', rebuild => true);
SELECT count(*) > 0 AS changed FROM skillrating.catch_up('torn_too', rebuild => true);
SELECT sound('torn'), sound('torn_too');
SELECT count(skillrating.drop_ladder(l)) FROM unnest('{arena,ordered,regions_too,regions,trial,quiet,torn,torn_too}'::text[]) AS l;
DROP FUNCTION life, undo, on_both, sound, differences, horizons, play;
