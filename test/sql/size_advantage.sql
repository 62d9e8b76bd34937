-- The advantage of the larger team: by default in queries and on ladders.
\set ECHO none
\pset format unaligned
\pset tuples_only on
\set ON_ERROR_STOP on
SET extra_float_digits = 1;
SET client_min_messages = warning;
CREATE SCHEMA sizes;
SET search_path = sizes;
\set ECHO all

-- 1000 matches of 4 against 4, or 3 in three of ten, of 30 players; one more player is worth log-odds of 1.
\set ECHO none
CREATE FUNCTION noise(seed text) RETURNS float8 LANGUAGE sql IMMUTABLE AS $$
    SELECT ('x' || substr(md5(seed), 1, 8))::bit(32)::bigint / 4294967296.0
$$;
CREATE TABLE played AS
SELECT m AS match_id, '2024-01-01'::timestamptz + m * interval '7 hours' AS played_at, CASE WHEN m % 4 = 0 THEN 'blitz' ELSE '' END AS pool,
    CASE WHEN row_number() OVER (PARTITION BY m ORDER BY noise(m || 'player' || p)) <= 4 THEN 1 ELSE 2 END AS team, p AS player_id, row_number() OVER (PARTITION BY m ORDER BY noise(m || 'player' || p)) AS seat
FROM generate_series(1, 1000) AS m, generate_series(1, 30) AS p;
CREATE INDEX ON played (match_id);
DELETE FROM played WHERE seat > CASE WHEN match_id % 10 < 3 THEN 7 ELSE 8 END;
CREATE TABLE fixture AS
SELECT match_id, sum(CASE team WHEN 1 THEN 1 ELSE -1 END * ((player_id - 15.5) / 12 + 1)) AS log_odds, count(*) AS players FROM played GROUP BY match_id;
ALTER TABLE fixture ADD won boolean;
UPDATE fixture SET won = noise(match_id || 'won') < 1 / (1 + exp(-log_odds));
CREATE VIEW source AS SELECT match_id, played_at, pool, team, player_id, won = (team = 1) AS won FROM played JOIN fixture USING (match_id);
\set ECHO all
SELECT count(DISTINCT match_id) AS matches, count(DISTINCT match_id) FILTER (WHERE players = 7) AS uneven FROM played JOIN fixture USING (match_id);

-- By default all models learn it but hive, and the strict SynElo.
\set ECHO none
CREATE FUNCTION rated(model text, params jsonb) RETURNS TABLE (match_id int, player_id int, team int, r skillrating.rated) LANGUAGE sql AS $$
    SELECT match_id, player_id, team, skillrating.rate(model, player_id, team, won => won, played_at => played_at, pool => pool, options => params) OVER (ORDER BY played_at, match_id)
    FROM sizes.source
$$;
CREATE TABLE trial AS SELECT name AS model, '{}'::jsonb AS params FROM skillrating.models() UNION ALL VALUES ('synelo', '{"strict": true}'::jsonb);
CREATE TABLE forecast AS
SELECT t.model, t.params, choice, f.* FROM trial AS t, (VALUES ('auto'), ('none'), ('learned')) AS c(choice), rated(t.model, t.params || jsonb_build_object('size_advantage', choice)) AS f;
\set ECHO all
SELECT string_agg(concat(model, nullif(params, '{}')), ' ' ORDER BY model, params::text), off, learned, better FROM (
WITH loss AS (
    SELECT model, params, choice, players, avg(-ln(CASE WHEN won THEN (r).win_probability ELSE 1 - (r).win_probability END)) AS loss
    FROM forecast AS f JOIN fixture AS g ON g.match_id = f.match_id WHERE f.team = 1 AND g.match_id > 500 GROUP BY model, params, choice, players
)
SELECT model, params, bool_and(abs(l.loss - d.loss) < 1e-12) FILTER (WHERE choice = 'none') AS off, bool_and(abs(l.loss - d.loss) < 1e-12) FILTER (WHERE choice = 'learned') AS learned,
    min(l.loss) FILTER (WHERE choice = 'none' AND players = 7) - min(l.loss) FILTER (WHERE choice = 'learned' AND players = 7) > 0.02 AS better
FROM loss AS l JOIN (SELECT model, params, players, loss FROM loss WHERE choice = 'auto') AS d USING (model, params, players) GROUP BY model, params
) AS q GROUP BY off, learned, better ORDER BY 1;

-- What is given is log-odds of the match, for rate() and predict() alike.
WITH f AS (
    SELECT match_id, team, r.* FROM rated('elo', '{"size_advantage": "fixed", "size_advantage_ratio": 1.4, "size_advantage_difference": 0.6}'), LATERAL (SELECT (r).*) AS r
), g AS (
    SELECT match_id, team, (r).* FROM (SELECT match_id, team, skillrating.rate('elo', player_id, team, won => won = (team = 1), played_at => played_at, pool => pool,
        log_odds => CASE WHEN players = 7 THEN 1.4 * (1 / 7::float8) + 0.6 ELSE 0 END, options => '{"size_advantage": "none"}') OVER (ORDER BY played_at, match_id) AS r FROM played JOIN fixture USING (match_id)) AS q
)
SELECT count(*) AS differ FROM ((TABLE f EXCEPT ALL TABLE g) UNION ALL (TABLE g EXCEPT ALL TABLE f)) AS d;
SELECT team, abs(win_probability - CASE team WHEN 1 THEN p ELSE 1 - p END) < 1e-15 AS same
FROM skillrating.predict('glicko2', '{{1500,350,0.06},{1500,350,0.06},{1500,350,0.06}}', '{1,1,2}', params => '{"size_advantage": "fixed", "size_advantage_ratio": 0.9, "size_advantage_difference": 0.2}') AS f,
    (SELECT 1 / (1 + exp(-0.5::float8))) AS e(p) ORDER BY team;

-- Ten teams of one player and one of three: e^(w n) of the sum of these.
SELECT team, abs(win_probability - CASE WHEN team < 11 THEN 1 ELSE exp(1.0::float8) END / (10 + exp(1.0::float8))) < 1e-14 AS same
FROM skillrating.predict('elo', (SELECT array_agg(ARRAY[1500]) FROM generate_series(1, 13))::float8[], '{1,2,3,4,5,6,7,8,9,10,11,11,11}', params => '{"size_advantage": "fixed", "size_advantage_difference": 0.5}')
WHERE team IN (1, 11) ORDER BY team;

-- tune() judges it as a part where teams are uneven, and not where they are not.
SELECT (p).name, (p).taken FROM (
    SELECT skillrating.tune('elo', match_id, player_id, team, CASE WHEN won THEN 1 ELSE 2 END, NULL, '{"parts": ["size_advantage"]}' ORDER BY played_at, match_id) AS t FROM source) AS q, unnest((t).parts) AS p;
SELECT coalesce(array_length((t).parts, 1), 0) AS parts, (t).params ->> 'size_advantage' AS choice, (SELECT bool_or(w LIKE '%no match has teams of different sizes') FROM unnest((t).warnings) AS w) AS says_why FROM (
    SELECT skillrating.tune('elo', s.match_id, player_id, team, CASE WHEN s.won THEN 1 ELSE 2 END, NULL, '{"parts": ["size_advantage"]}' ORDER BY played_at, s.match_id) AS t
    FROM source AS s JOIN fixture AS f ON f.match_id = s.match_id WHERE players = 8) AS q;

-- A ladder learns it by default: as rate() does, replayed and verified, and matches of equal teams do not touch it.
SELECT skillrating.create_ladder('plain', 'trueskill', '{"size_advantage": "none"}', player_type => 'int', match_type => 'int', source => 'source') \gset
SELECT skillrating.create_ladder('learned', 'trueskill', '{"size_advantage": "learned"}', player_type => 'int', match_type => 'int', source => 'source') \gset
SELECT params ->> 'size_advantage' AS size_advantage FROM learned.ladder;
SELECT count(*) >= 1 AS found FROM skillrating.catch_up('plain', search => true);
SELECT count(*) >= 1 AS found FROM skillrating.catch_up('learned', search => true);
SELECT count(DISTINCT match_id) AS rated FROM learned.event;
SELECT l.pool, l.games, g.games AS uneven, state[1] > 0 AND state[2] > 0 AS larger_is_better
FROM learned.component AS l JOIN (SELECT pool, count(DISTINCT match_id) AS games FROM played JOIN fixture USING (match_id) WHERE players = 7 GROUP BY pool) AS g USING (pool) WHERE kind = 'size_advantage' ORDER BY pool;
SELECT count(*) AS components FROM plain.component;
\set ECHO none
CREATE FUNCTION differ(ladder text, choice text) RETURNS bigint LANGUAGE plpgsql AS $$
DECLARE
    result bigint;
BEGIN
    EXECUTE format('WITH e AS (SELECT match_id, player_id, ARRAY[mu_before, sigma_before] AS before, ARRAY[mu_after, sigma_after] AS after, win_probability FROM %I.event),
        w AS (SELECT match_id, player_id, (r).state_before, (r).state_after, (r).win_probability FROM sizes.rated(''trueskill'', jsonb_build_object(''size_advantage'', $1)))
        SELECT count(*) FROM ((TABLE e EXCEPT ALL TABLE w) UNION ALL (TABLE w EXCEPT ALL TABLE e)) AS d', ladder) INTO result USING choice;
    RETURN result;
END
$$;
\set ECHO all
SELECT differ('plain', 'none') AS plain, differ('learned', 'learned') AS learned, differ('learned', 'none') > 1000 AS other;
SELECT ladder, bool_and(ok) AS verified FROM (VALUES ('plain'), ('learned')) AS l(ladder), skillrating.verify(ladder) GROUP BY ladder ORDER BY ladder;

-- A match of equal teams does not look at the table, and one of unequal teams does.
SELECT skillrating.create_ladder('looks', 'elo') \gset
SELECT count(*) FROM skillrating.report_match('looks', 1, '{1,2,3}'::bigint[], '{1,1,2}', '{1,1,2}');
CREATE FUNCTION looked() RETURNS bigint LANGUAGE sql AS $$SELECT seq_scan + coalesce(idx_scan, 0) + n_tup_ins + n_tup_upd FROM pg_stat_xact_user_tables WHERE schemaname = 'looks' AND relname = 'component'$$;
BEGIN;
SELECT looked() AS before \gset
SELECT count(*) FROM skillrating.report_match('looks', 2, '{1,2,3,4}'::bigint[], '{1,1,2,2}', '{1,1,2,2}');
SELECT looked() - :before AS equal;
SELECT count(*) FROM skillrating.report_match('looks', 3, '{1,2,3}'::bigint[], '{1,1,2}', '{1,1,2}');
SELECT looked() - :before > 0 AS unequal;
COMMIT;
SELECT skillrating.drop_ladder('looks') \gset

-- Corrections: a match whose team was smaller than reported, and one that never was.
DELETE FROM played WHERE match_id = 404 AND seat = 8;
UPDATE fixture SET players = 7 WHERE match_id = 404;
SELECT count(*) >= 1 AS found FROM skillrating.catch_up('learned', search => true, rebuild => true);
SELECT skillrating.void_match('learned', 101, 'test') \gset
SELECT count(*) >= 0 AS caught_up FROM skillrating.catch_up('learned');
SELECT bool_and(ok) AS verified FROM skillrating.verify('learned');

-- A match that was given the advantage keeps it, in a replay too, and what others learn does not know of it.
SELECT count(*) AS given FROM learned.rated_match WHERE size_advantage_ratio IS NOT NULL OR size_advantage_difference IS NOT NULL;
UPDATE learned.rated_match SET size_advantage_ratio = 0.5, size_advantage_difference = 0.25 WHERE match_id = 502;
SELECT skillrating.void_match('learned', 100, 'test') \gset
SELECT count(*) >= 0 AS caught_up FROM skillrating.catch_up('learned');
SELECT bool_and(ok) AS verified FROM skillrating.verify('learned');
SELECT count(*) AS events FROM learned.component_event WHERE match_id = 502;
SELECT b.games_before - a.games_before AS games_between, b.before = a.after AS same
FROM (SELECT * FROM learned.component_event WHERE pool = '' AND match_id < 502 ORDER BY seq DESC LIMIT 1) AS a,
    (SELECT * FROM learned.component_event WHERE pool = '' AND match_id > 502 ORDER BY seq LIMIT 1) AS b;
-- Its forecast is that of a fixed advantage.
SELECT abs(e.win_probability - p.win_probability) < 1e-14 AS as_given
FROM (SELECT array_agg(ARRAY[mu_before, sigma_before] ORDER BY team, player_id) AS state, array_agg(team ORDER BY team, player_id) AS team, min(win_probability) FILTER (WHERE team = 1) AS win_probability
        FROM learned.event WHERE match_id = 502) AS e,
    skillrating.predict('trueskill', e.state, e.team, params => '{"size_advantage": "fixed", "size_advantage_ratio": 0.5, "size_advantage_difference": 0.25}') AS p WHERE p.team = 1;

-- Two of two against three newcomers: the two are favoured once matches have shown that numbers count.
SELECT count(skillrating.create_ladder('u_' || m, m)) FROM unnest('{elo,glicko2,trueskill,weng_lin,synelo,state_space}'::text[]) AS m;
SELECT count(*) FROM unnest('{elo,glicko2,trueskill,weng_lin,synelo,state_space}'::text[]) AS m, generate_series(1, 12) AS g,
    LATERAL skillrating.report_match('u_' || m, g, ARRAY[3 * g, 3 * g + 1, 3 * g + 2], '{1,1,2}', '{1,1,2}', '2026-01-01'::timestamptz + g * interval '1 hour') AS r;
SELECT m, w.win_probability > 0.6 AS favoured, (SELECT bool_and(ok) FROM skillrating.verify('u_' || m)) AS verified
FROM unnest('{elo,glicko2,trueskill,weng_lin,synelo,state_space}'::text[]) AS m, skillrating.win_probability('u_' || m, '{1001,1002,1003}'::bigint[], '{1,1,2}') AS w WHERE team = 1 ORDER BY m;
SELECT count(skillrating.drop_ladder('u_' || m)) FROM unnest('{elo,glicko2,trueskill,weng_lin,synelo,state_space}'::text[]) AS m;

-- Order by time: an uneven match that is earlier than the last one, of other players, is rated as it comes, and learned in its place once another one waits.
SELECT skillrating.create_ladder('ordered', 'elo', late => 'reorder'), skillrating.create_ladder('sorted', 'elo', late => 'reorder') \gset
SELECT count(*) FROM (SELECT g FROM generate_series(1, 40) AS g ORDER BY g % 7, g) AS q,
    LATERAL skillrating.report_match('ordered', g, ARRAY[3 * g, 3 * g + 1, 3 * g + 2], '{1,1,2}', CASE WHEN g % 3 = 0 THEN '{2,2,1}'::int[] ELSE '{1,1,2}' END, '2026-01-01'::timestamptz + g * interval '1 hour') AS r;
SELECT count(*) AS rated, count(size_advantage_ratio) > 20 AS given FROM ordered.rated_match WHERE status = 'rated';
SELECT bool_and(ok) AS verified FROM skillrating.verify('ordered');
-- The first player again, before all of them.
SELECT DISTINCT outcome FROM skillrating.report_match('ordered', 0, '{3,998,999}'::bigint[], '{1,1,2}', '{1,1,2}', '2026-01-01'::timestamptz);
SELECT count(*) >= 1 AS caught_up FROM skillrating.catch_up('ordered');
SELECT count(*) FROM generate_series(0, 40) AS g,
    LATERAL skillrating.report_match('sorted', g, CASE g WHEN 0 THEN '{3,998,999}'::bigint[] ELSE ARRAY[3 * g, 3 * g + 1, 3 * g + 2] END, '{1,1,2}', CASE WHEN g % 3 = 0 AND g > 0 THEN '{2,2,1}'::int[] ELSE '{1,1,2}' END, '2026-01-01'::timestamptz + g * interval '1 hour') AS r;
SELECT count(*) AS rated, count(size_advantage_ratio) AS given, (SELECT bool_and(ok) FROM skillrating.verify('ordered')) AS verified FROM ordered.rated_match WHERE status = 'rated';
SELECT count(*) AS differ FROM ((SELECT player_id, rating FROM ordered.rating EXCEPT ALL SELECT player_id, rating FROM sorted.rating) UNION ALL (SELECT player_id, rating FROM sorted.rating EXCEPT ALL SELECT player_id, rating FROM ordered.rating)) AS d;
SELECT skillrating.drop_ladder('plain'), skillrating.drop_ladder('learned'), skillrating.drop_ladder('ordered'), skillrating.drop_ladder('sorted') \gset
DROP SCHEMA sizes CASCADE;
