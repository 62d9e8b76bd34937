-- skillrating_queue: who joins, leaves and expires, which matches are made, accepted and declined, and
-- who takes the free seats of running ones.  queue_services.sql has roles, servers and broken rows.
\set ECHO none
\pset format unaligned
\pset tuples_only on
\set SHOW_CONTEXT never
SET timezone = 'UTC';
SET client_min_messages = warning;
CREATE EXTENSION skillrating_queue;
CREATE SCHEMA regress_queue;
\set ECHO all
-- Functions of the module take the time; they find the tables by the search_path.
SET search_path = regress_queue, lobby;

SELECT skillrating.create_ladder('arena', 'elo', player_type => 'text') \gset
SELECT count(skillrating.set_rating('arena', p, jsonb_build_object('rating', r), reason => 'start'))
FROM (VALUES ('ann', 1720), ('bob', 1650), ('cid', 1610), ('dan', 1555), ('eve', 1530), ('fay', 1480), ('gus', 1420), ('hal', 1390), ('ina', 1250), ('joe', 2400)) AS v(p, r);
SELECT skillrating_queue.create_coordinator('lobby');
SELECT skillrating_queue.create_coordinator('lobby');
SELECT skillrating_queue.create_coordinator(NULL);

-- No queue yet.
SELECT lobby.join('duel', '{ann}');
SELECT count(*) FROM lobby.leave('{ann}');
SELECT count(*) FROM lobby.status;

-- What cannot be a queue; the rest shows when somebody joins.
\set VERBOSITY terse
INSERT INTO lobby.queue (queue, ladder) VALUES ('', 'arena');
INSERT INTO lobby.queue (queue, ladder, teams) VALUES ('duel', 'arena', 1);
INSERT INTO lobby.queue (queue, ladder, team_size) VALUES ('duel', 'arena', 65);
INSERT INTO lobby.queue (queue, ladder, min_quality) VALUES ('duel', 'arena', 2);
INSERT INTO lobby.queue (queue, ladder, initial_window) VALUES ('duel', 'arena', -1);
INSERT INTO lobby.queue (queue, ladder, log_odds) VALUES ('duel', 'arena', 'NaN');
INSERT INTO lobby.queue (queue, ladder, teams, log_odds) VALUES ('duel', 'arena', 3, 1);
INSERT INTO lobby.queue (queue, ladder, ticket_lifetime) VALUES ('duel', 'arena', '0');
INSERT INTO lobby.queue (queue, ladder, team_size, max_tickets) VALUES ('duel', 'arena', 20, 10000);
INSERT INTO lobby.queue (queue, ladder, may_join) VALUES ('duel', 'arena', 'true');
\set VERBOSITY default
INSERT INTO lobby.queue (queue, ladder, sides) VALUES ('sides', 'arena', true);
SELECT lobby.join('sides', '{ann}');
UPDATE lobby.queue SET sides = false, caution = 1;
SELECT lobby.join('sides', '{ann}');
UPDATE lobby.queue SET caution = 0, ladder = 'nowhere';
SELECT lobby.join('sides', '{ann}');
DELETE FROM lobby.queue;

-- A duel: the nearest, within a window that widens.
INSERT INTO lobby.queue (queue, ladder, initial_window, widening) VALUES ('duel', 'arena', 50, 1);
INSERT INTO lobby.queue (queue, ladder) VALUES ('duel', 'arena');
SELECT skillrating_queue.join('duel', ARRAY[p], at => '2026-03-01 12:00')
FROM unnest('{ann,bob,dan,joe}'::text[]) AS p;
SELECT count(*) FROM skillrating_queue.tick('duel', at => '2026-03-01 12:00:01');
SELECT proposal, backfill, status, player_id, team, ticket, waited, round(win_probability::numeric, 4) AS p, round(quality::numeric, 4) AS quality, difference, region, commands
FROM skillrating_queue.tick('duel', at => '2026-03-01 12:00:40');
SELECT ticket, status, reason, proposal, ended_at FROM lobby.ticket ORDER BY ticket;
SELECT player_id, ticket FROM lobby.player ORDER BY player_id;

-- Who has a ticket, or cannot have one.
SELECT skillrating_queue.join('duel', '{joe}', at => '2026-03-01 12:01');
SELECT skillrating_queue.join('none', '{eve}');
SELECT skillrating_queue.join('duel', '{eve,fay}');
SELECT skillrating_queue.join('duel', '{}'::text[]);
SELECT skillrating_queue.join('duel', '{NULL}'::text[]);
SELECT skillrating_queue.join('duel', '{eve}', region => 0, at => '2026-03-01 12:01');
SELECT skillrating_queue.join('duel', '{eve}', lifetime => '0', at => '2026-03-01 12:01');
SELECT skillrating_queue.join('duel', '{eve}', at => 'infinity');
SELECT skillrating_queue.join('duel', '{eve}', commander => '{true,true}', at => '2026-03-01 12:01');
SELECT skillrating_queue.join('duel', NULL::text[]);
-- Whoever was in a match may join again.
SELECT skillrating_queue.join('duel', '{ann}', at => '2026-03-01 12:02') IS NOT NULL AS joined;
SELECT * FROM skillrating_queue.leave('{ann,nobody}', at => '2026-03-01 12:02:30');
SELECT count(*) FROM skillrating_queue.leave('{ann}');

-- Tickets end when their time is over: by a tick, or when the player joins again.
SELECT count(*) FROM skillrating_queue.tick('duel', at => '2026-03-01 12:09:59');
SELECT status FROM lobby.ticket WHERE ticket = 4;
SELECT skillrating_queue.join('duel', '{joe}', lifetime => '1 minute', at => '2026-03-01 12:10') IS NOT NULL AS joined;
SELECT count(*) FROM skillrating_queue.tick('duel', at => '2026-03-01 12:11');
SELECT ticket, status, reason, ended_at FROM lobby.ticket WHERE ticket >= 4 ORDER BY ticket;
SELECT count(*) FROM lobby.player;

-- Parties, pools, regions and quality; the same whatever the order of rows and ids.
\set ECHO none
INSERT INTO lobby.queue (queue, ladder, team_size, initial_window, widening, min_quality, ticket_lifetime) VALUES ('team', 'arena', 2, 400, 0, 0.5, NULL);
CREATE FUNCTION outcome(queue text, at timestamptz) RETURNS TABLE (teams text, quality numeric, region bigint) LANGUAGE sql AS $$
    SELECT string_agg(t.players, ' - ' ORDER BY t.team), round(min(t.quality)::numeric, 4), min(t.region)
    FROM (SELECT m.proposal, m.team, string_agg(m.player_id, ' ' ORDER BY m.player_id) AS players, min(m.quality) AS quality, min(m.region) AS region
        FROM skillrating_queue.tick(queue, at => at) AS m GROUP BY m.proposal, m.team) AS t
    GROUP BY t.proposal ORDER BY t.proposal
$$;
CREATE TABLE joins (n int, players text[], pool text, region bigint);
INSERT INTO joins VALUES (1, '{ann,bob}', '', 3), (2, '{cid}', '', 1), (3, '{dan}', '', 2), (4, '{eve}', '', 2), (5, '{fay}', '', NULL), (6, '{gus}', 'other', 1), (7, '{hal}', 'other', 1), (8, '{ina}', 'other', NULL);
\set ECHO all
BEGIN;
SELECT count(skillrating_queue.join('team', j.players, j.pool, j.region, at => '2026-03-01 13:00')) FROM joins AS j;
SELECT * FROM outcome('team', '2026-03-01 13:00:05');
SELECT queue, waiting_tickets, waiting_players, longest_wait > '0' AS some_wait, matches, ended_tickets FROM lobby.status WHERE queue = 'team';
ROLLBACK;
BEGIN;
SELECT count(skillrating_queue.join('team', j.players, j.pool, j.region, at => '2026-03-01 13:00')) FROM (SELECT * FROM joins ORDER BY n DESC) AS j;
SELECT * FROM outcome('team', '2026-03-01 13:00:05');
ROLLBACK;
-- As pair_queue() has it for the same players.
SELECT count(skillrating_queue.join('team', j.players, j.pool, j.region, at => '2026-03-01 13:00')) FROM joins AS j;
\set ECHO none
CREATE TABLE paired AS
SELECT p.player_id, p.team, p.win_probability, p.quality, p.difference, p.region
FROM (SELECT array_agg(u.player ORDER BY u.player) AS players, array_agg(r.rating ORDER BY u.player) AS mu, array_agg(CASE WHEN cardinality(j.players) > 1 THEN j.n END ORDER BY u.player) AS party,
        array_agg(j.region ORDER BY u.player) AS region, array_agg(j.pool ORDER BY u.player) AS pool
    FROM joins AS j, unnest(j.players) AS u(player), arena.rating AS r WHERE r.player_id = u.player) AS q,
    skillrating.pair_queue(skillrating.lobby(q.players::text[], q.mu, party => q.party::text[]), region => q.region, pool => q.pool, team_size => 2, initial_window => 400, widening => 0, min_quality => 0.5) AS p;
\set ECHO all
SELECT count(*), bool_and(p IS NOT NULL) AS same
FROM skillrating_queue.tick('team', at => '2026-03-01 13:00') AS m
LEFT JOIN paired AS p ON (p.player_id, p.team, p.win_probability, p.quality, p.difference, p.region) = (m.player_id, m.team, m.win_probability, m.quality, m.difference, m.region);
SELECT count(*) FROM paired;
SELECT count(DISTINCT ticket) FROM skillrating_queue.leave(ARRAY(SELECT unnest(players) FROM joins), at => '2026-03-01 13:02');

-- A limit takes the first ones; explain says why.
SELECT count(skillrating_queue.join('team', ARRAY[p], at => '2026-03-01 14:00')) FROM unnest('{ann,bob,cid,dan,eve,fay,gus,hal}'::text[]) AS p;
SELECT count(DISTINCT proposal) FROM skillrating_queue.tick('team', 1, true, at => '2026-03-01 14:00:01');
SELECT count(DISTINCT proposal) FROM skillrating_queue.tick('team', 0, at => '2026-03-01 14:00:02');
SELECT count(DISTINCT proposal) FROM skillrating_queue.tick('team', at => '2026-03-01 14:00:03');
SELECT p.status, count(*), count(p.why), bool_or(p.why ? 'match') FROM lobby.proposal AS p WHERE p.queue = 'team' GROUP BY 1;

-- With accepting: all have to, in time.
UPDATE lobby.queue SET accept_within = '20 seconds', ticket_lifetime = '1 hour' WHERE queue = 'team';
\set ECHO none
CREATE FUNCTION tickets() RETURNS TABLE (players text, status text, reason text, waiting_since text) LANGUAGE sql AS $$
    SELECT coalesce(string_agg(p.player_id, ' ' ORDER BY p.player_id),
            (SELECT string_agg(s.player_id, ' ' ORDER BY s.player_id) FROM lobby.seat AS s WHERE s.ticket = t.ticket AND s.proposal = t.proposal)),
        t.status, t.reason, to_char(t.joined_at, 'HH24:MI:SS')
    FROM lobby.ticket AS t LEFT JOIN lobby.player AS p USING (ticket)
    WHERE t.joined_at >= '2026-03-01 15:00' GROUP BY t.ticket ORDER BY t.joined_at, 1
$$;
\set ECHO all
SELECT count(skillrating_queue.join('team', j.players, at => '2026-03-01 15:00'::timestamptz + j.n * interval '1 second')) FROM joins AS j WHERE j.n <= 3;
SELECT DISTINCT status FROM skillrating_queue.tick('team', at => '2026-03-01 15:00:10');
SELECT max(proposal) AS proposal FROM lobby.proposal \gset
SELECT skillrating_queue.join('team', '{ann}', at => '2026-03-01 15:00:11');
SELECT skillrating_queue.accept(:proposal, '{ann,cid}', at => '2026-03-01 15:00:12');
SELECT skillrating_queue.accept(:proposal, '{ina}', at => '2026-03-01 15:00:12');
SELECT skillrating_queue.accept(1000000, '{ann}');
SELECT * FROM tickets();
-- bob and dan do not: those who have accepted, party by party, wait again.
SELECT count(*) FROM skillrating_queue.tick('team', at => '2026-03-01 15:00:31');
SELECT * FROM tickets();
SELECT status, reason FROM lobby.proposal WHERE proposal = :proposal;
SELECT skillrating_queue.accept(:proposal, '{bob}', at => '2026-03-01 15:00:32');
-- Where nobody answers, perhaps nobody was asked: all wait again.
SELECT count(skillrating_queue.join('team', ARRAY[p], at => '2026-03-01 15:01')) FROM unnest('{bob,dan,eve}'::text[]) AS p;
SELECT count(*), min(status) FROM skillrating_queue.tick('team', at => '2026-03-01 15:01:01');
SELECT max(proposal) AS proposal FROM lobby.proposal \gset
SELECT count(*) FROM skillrating_queue.tick('team', 0, at => '2026-03-01 15:01:21');
SELECT skillrating_queue.accept(:proposal, '{bob}', at => '2026-03-01 15:01:21');
SELECT * FROM tickets() WHERE status <> 'ended';
-- Declining ends the tickets of those who do; leaving, too.
SELECT count(*), min(status) FROM skillrating_queue.tick('team', at => '2026-03-01 15:01:30');
SELECT max(proposal) AS proposal FROM lobby.proposal \gset
SELECT skillrating_queue.decline(:proposal, '{dan}', at => '2026-03-01 15:01:31');
SELECT skillrating_queue.decline(:proposal, '{dan}', at => '2026-03-01 15:01:31');
SELECT skillrating_queue.join('team', '{fay}', at => '2026-03-01 15:01:32') IS NOT NULL AS joined;
SELECT count(*), min(status) FROM skillrating_queue.tick('team', at => '2026-03-01 15:01:33');
SELECT queue_name, waited FROM skillrating_queue.leave('{cid}', at => '2026-03-01 15:01:34');
SELECT * FROM tickets();
-- Without a server nobody is to blame.
SELECT skillrating_queue.join('team', '{gus}', at => '2026-03-01 15:02') IS NOT NULL AS joined;
SELECT count(*), min(status) FROM skillrating_queue.tick('team', at => '2026-03-01 15:02:01');
SELECT max(proposal) AS proposal FROM lobby.proposal \gset
SELECT skillrating_queue.decline(:proposal, NULL, at => '2026-03-01 15:02:02');
SELECT count(*), min(status) FROM skillrating_queue.tick('team', at => '2026-03-01 15:02:03');
SELECT max(proposal) AS proposal FROM lobby.proposal \gset
SELECT skillrating_queue.accept(:proposal, '{bob,eve}', at => '2026-03-01 15:02:04');
SELECT skillrating_queue.accept(:proposal, NULL, at => '2026-03-01 15:02:04');
SELECT skillrating_queue.decline(:proposal, '{bob}', at => '2026-03-01 15:02:05');
SELECT * FROM tickets() WHERE status <> 'ended';
SELECT count(*) FROM lobby.player;

-- Backfill: two of each team have gone; who comes makes it most even.
UPDATE lobby.queue SET accept_within = NULL WHERE queue = 'team';
INSERT INTO lobby.queue (queue, ladder, team_size, initial_window, ticket_lifetime) VALUES ('three', 'arena', 3, 600, '1 hour');
SELECT skillrating_queue.ask_backfill('three', '{ann,ina}', '{1,2}', region => 2, at => '2026-03-01 16:00');
SELECT count(skillrating_queue.join('three', ARRAY[p], region => r, at => '2026-03-01 16:00'))
FROM (VALUES ('bob', 2), ('cid', 3), ('dan', NULL), ('eve', 1), ('hal', 2), ('joe', 2)) AS v(p, r);
SELECT backfill, status, player_id, team, region, round(quality::numeric, 3) AS quality FROM skillrating_queue.tick('three', at => '2026-03-01 16:00:01');
SELECT status, reason FROM lobby.backfill;
SELECT player_id, team, proposal IS NOT NULL AS joined FROM lobby.present ORDER BY team, player_id;
-- Too few for equal teams: the one who has waited longest goes where players are missing most.
SELECT count(*) FROM skillrating_queue.leave('{eve,joe}');
SELECT skillrating_queue.ask_backfill('three', '{ann,bob,cid,dan}', '{1,1,1,2}', at => '2026-03-01 16:10') AS backfill \gset
SELECT skillrating_queue.join('three', '{fay}', at => '2026-03-01 16:10:01') IS NOT NULL AS joined;
SELECT player_id, team, backfill = :backfill AS fills FROM skillrating_queue.tick('three', at => '2026-03-01 16:10:02');
SELECT status, reason FROM lobby.backfill WHERE backfill = :backfill;
SELECT count(*) FROM skillrating_queue.tick('three', at => '2026-03-01 16:10:03');
SELECT skillrating_queue.join('three', '{gus,hal}', at => '2026-03-01 16:10:04') IS NOT NULL AS joined;
SELECT count(*) FROM skillrating_queue.tick('three', at => '2026-03-01 16:10:05');
SELECT skillrating_queue.join('three', '{ina}', at => '2026-03-01 16:10:06') IS NOT NULL AS joined;
SELECT player_id, team FROM skillrating_queue.tick('three', at => '2026-03-01 16:10:07');
SELECT status, reason FROM lobby.backfill WHERE backfill = :backfill;
-- A request of the same match takes the place of the one before; those who have been proposed for it wait again.
SELECT count(*) FROM skillrating_queue.leave('{gus}');
SELECT count(skillrating_queue.join('three', ARRAY[p], at => '2026-03-01 16:20')) FROM unnest('{ann,bob,cid,dan,eve,fay}'::text[]) AS p;
SELECT count(*) FROM skillrating_queue.tick('three', at => '2026-03-01 16:20:01');
SELECT max(proposal) AS proposal FROM lobby.proposal \gset
SELECT skillrating_queue.ask_backfill('three', '{ann,bob,cid,dan,eve}', '{1,1,1,2,2}', :proposal, at => '2026-03-01 16:21') IS NOT NULL AS asked;
SELECT skillrating_queue.ask_backfill('three', '{ann,bob,cid,dan}', '{1,1,2,2}', :proposal, lifetime => '1 minute', at => '2026-03-01 16:22') IS NOT NULL AS asked;
UPDATE lobby.queue SET accept_within = '1 minute' WHERE queue = 'three';
SELECT count(skillrating_queue.join('three', ARRAY[p], at => '2026-03-01 16:22')) FROM unnest('{gus,hal}'::text[]) AS p;
SELECT count(*), min(status) FROM skillrating_queue.tick('three', at => '2026-03-01 16:22:01');
SELECT count(*) FROM skillrating_queue.tick('three', at => '2026-03-01 16:22:02');
SELECT max(backfill) AS backfill FROM lobby.backfill \gset
SELECT skillrating_queue.cancel_backfill(:backfill), skillrating_queue.cancel_backfill(:backfill), skillrating_queue.cancel_backfill(-1);
SELECT p.player_id, t.status FROM lobby.player AS p JOIN lobby.ticket AS t USING (ticket) ORDER BY 1;
SELECT proposal IS NOT NULL AS of_match, status, reason FROM lobby.backfill ORDER BY backfill;
-- A request that expires takes its open proposals along, and their players wait again.
SELECT skillrating.create_ladder('expiring', 'elo', player_type => 'text') \gset
INSERT INTO lobby.queue (queue, ladder, team_size, initial_window, accept_within) VALUES ('duo', 'expiring', 2, 1000, '10 minutes');
SELECT skillrating_queue.ask_backfill('duo', '{a,b}', '{1,2}', lifetime => '1 minute', at => '2026-03-01 12:00');
SELECT count(skillrating_queue.join('duo', ARRAY[p], at => '2026-03-01 12:00')) FROM unnest('{c,d}'::text[]) AS p;
SELECT count(*), min(status) FROM skillrating_queue.tick('duo', at => '2026-03-01 12:00:01');
SELECT max(proposal) AS proposal FROM lobby.proposal \gset
SELECT skillrating_queue.accept(:proposal, '{c}', at => '2026-03-01 12:00:30');
SELECT count(*) FROM skillrating_queue.tick('duo', at => '2026-03-01 12:01');
SELECT skillrating_queue.accept(:proposal, '{d}', at => '2026-03-01 12:01:10');
SELECT b.status AS backfill, b.reason, p.status AS proposal, p.reason, array_agg(t.status ORDER BY t.ticket) AS tickets
FROM lobby.backfill AS b, lobby.proposal AS p, lobby.ticket AS t WHERE 'duo' = ALL (ARRAY[b.queue, p.queue, t.queue]) GROUP BY 1, 2, 3, 4;
DELETE FROM lobby.queue WHERE queue = 'duo';
SELECT count(*) FROM lobby.ticket WHERE queue = 'duo';
SELECT skillrating.drop_ladder('expiring') \gset
-- What is no running match of the queue.
SELECT skillrating_queue.ask_backfill('three', '{ann}', '{3}');
\set VERBOSITY terse
SELECT skillrating_queue.ask_backfill('three', '{ann,bob}', '{1}');
SELECT skillrating_queue.ask_backfill('three', '{ann,bob,cid,dan}', '{1,1,1,1}');
SELECT skillrating_queue.ask_backfill('three', '{}'::text[], '{}');
SELECT skillrating_queue.ask_backfill('three', '{ann}', '{1}', proposal => 1);
SELECT skillrating_queue.ask_backfill('three', '{ann}', '{NULL}');
SELECT count(*) FROM skillrating_queue.leave('{gus,hal}');

-- A part of the queue at a time: nobody is left out.
SELECT skillrating.create_ladder('large', 'trueskill') \gset
INSERT INTO lobby.queue (queue, ladder, max_tickets, min_quality) VALUES ('many', 'large', 20, 0.3);
INSERT INTO large.rating (player_id, mu, sigma, games, last_played) SELECT i, 25 + i * 0.1, 1, 1, '2026-03-01' FROM generate_series(1, 100) AS i;
SELECT count(skillrating_queue.join('many', ARRAY[i::text], at => '2026-03-01 12:00'::timestamptz + (i * 37 % 100) * interval '1 ms')) FROM generate_series(1, 100) AS i;
SELECT (SELECT count(DISTINCT proposal) FROM skillrating_queue.tick('many', at => '2026-03-01 12:00:01'::timestamptz + s * interval '1 s')) > 0 AS makes_matches FROM generate_series(1, 5) AS s;
SELECT 2 * matches + waiting_tickets = 100 AS nobody_lost, waiting_tickets < 20 AS few, quality > 0.9 AS good, waits[1] BETWEEN '1 s' AND '7 s' AS waits FROM lobby.status WHERE queue = 'many';
SELECT max(n) FROM (SELECT count(*) AS n FROM lobby.seat JOIN lobby.proposal AS p USING (proposal) WHERE p.queue = 'many' GROUP BY player_id) AS s;

-- Sides and commanders, caution, contexts, three teams, and identifiers of another type.
SELECT skillrating.create_ladder('hives', 'hive') \gset
INSERT INTO lobby.queue (queue, ladder, team_size, sides, commanders, log_odds, initial_window) VALUES ('ns', 'hives', 3, true, true, 0.2, 100);
SELECT count(skillrating_queue.join('ns', ARRAY[1000 + 2 * i, 1001 + 2 * i]::text[], commander => ARRAY[i < 3, false], at => '2026-03-01 12:00')) FROM generate_series(1, 2) AS i;
SELECT count(skillrating_queue.join('ns', ARRAY[(1000 + i)::text], commander => '{false}', at => '2026-03-01 12:00')) FROM generate_series(6, 7) AS i;
SELECT string_agg(player_id, ' ' ORDER BY player_id) FILTER (WHERE commands) AS commanders, count(*), count(DISTINCT (ticket, team)) AS tickets FROM skillrating_queue.tick('ns', at => '2026-03-01 12:00:01');
SELECT skillrating.create_ladder('maps', 'state_space', '{"player_context_sigma": 1}', player_type => 'uuid') \gset
INSERT INTO lobby.queue (queue, ladder, teams, caution, context, rating_pool, initial_window) VALUES ('maps', 'maps', 3, 1, 'veil', 'ranked', 100);
SELECT count(skillrating_queue.join('maps', ARRAY[md5(i::text)::uuid::text], at => '2026-03-01 12:00')) FROM generate_series(1, 7) AS i;
SELECT count(*), count(DISTINCT proposal), max(team), round(min(win_probability)::numeric, 3) AS p, round(min(quality)::numeric, 3) AS quality FROM skillrating_queue.tick('maps', at => '2026-03-01 12:00:01');
SELECT count(*) FROM skillrating_queue.leave(ARRAY(SELECT player_id::text FROM lobby.player));
SELECT skillrating.drop_ladder('hives'), skillrating.drop_ladder('maps') \gset

-- Numbers against closed forms: four join, the two nearest play, one leaves, one waits.
CREATE FUNCTION near(a float8, b float8) RETURNS boolean LANGUAGE sql IMMUTABLE AS
$$ SELECT abs(a - b) <= 1e-9 * greatest(1, abs(b)) $$;
CREATE FUNCTION curve(ahead float8) RETURNS float8 LANGUAGE sql IMMUTABLE AS $$ SELECT 1 / (1 + power(10, -ahead / 400)) $$;
SELECT skillrating.create_ladder('formed', 'elo', player_type => 'text', match_type => 'int') \gset
SELECT count(*) = 4 AS rated FROM skillrating.import_ratings('formed', '{ana,ben,cyd,don}'::text[], '[{"rating": 1700}, {"rating": 1650}, {"rating": 1400}, {"rating": 1100}]', at => '2024-01-01') AS i, generate_series(1, 4);
INSERT INTO lobby.queue (queue, ladder, initial_window, widening, ticket_lifetime) VALUES ('formed', 'formed', 60, 0, NULL);
CREATE TABLE joined AS SELECT p, n, skillrating_queue.join('formed', ARRAY[p], at => timestamptz '2024-03-01 12:00' + n * interval '10 seconds') AS ticket FROM unnest('{ana,ben,cyd,don}'::text[]) WITH ORDINALITY AS u(p, n);
CREATE TABLE ticked AS SELECT * FROM skillrating_queue.tick('formed', at => '2024-03-01 12:01');
SELECT count(*) = 2 AND sum(k.team) = 3 AND bool_and(p IN ('ana', 'ben') AND k.ticket = t.ticket AND k.waited = 60 - 10 * n AND near(k.win_probability, curve(CASE p WHEN 'ana' THEN 50 ELSE -50 END)) AND near(k.quality, 2 * curve(-50)) AND abs(k.difference) = 50) AS tick
FROM ticked AS k JOIN joined AS t ON t.p = k.player_id;
SELECT count(*) = 1 AND bool_and(l.ticket = t.ticket AND l.waited = 60) AS leave FROM skillrating_queue.leave('{don}', at => '2024-03-01 12:01:40') AS l, joined AS t WHERE t.p = 'don';
SELECT s.waiting_tickets = 1 AND s.waiting_players = 1 AND abs(extract(epoch FROM s.longest_wait) - extract(epoch FROM clock_timestamp() - '2024-03-01 12:00:30')) < 5 AND s.open_proposals = 0 AND s.matches = 1 AND s.cancelled = 0 AND s.matched_tickets = 2 AND s.ended_tickets = 1
    AND s.waits = '{00:00:45,00:00:49,00:00:49.9}' AND near(s.quality, 2 * curve(-50)) AS status
FROM lobby.status AS s WHERE s.queue = 'formed';
DELETE FROM lobby.queue WHERE queue = 'formed';
SELECT count(*) FROM lobby.ticket WHERE ticket IN (SELECT ticket FROM joined);
SELECT skillrating.drop_ladder('formed') \gset

-- Accounts: one who is merged has one ticket, and one who is excluded none; the next tick sees to that.
SELECT count(*) FROM skillrating_queue.leave(ARRAY(SELECT player_id FROM lobby.player));
UPDATE lobby.queue SET accept_within = NULL, ticket_lifetime = NULL;
SELECT skillrating.merge_players('arena', 'alt', 'ann', allow_unknown => true) AS merge \gset
SELECT skillrating_queue.join('duel', '{alt}', at => '2026-03-01 17:00') IS NOT NULL AS joined;
SELECT skillrating_queue.join('duel', '{ann}', at => '2026-03-01 17:00') IS NULL;
\set VERBOSITY default
SELECT skillrating_queue.join('team', '{alt,ann}', at => '2026-03-01 17:00');
SELECT k.mu = r.rating AS as_ann, p.counts_as FROM lobby.ticket AS k JOIN lobby.player AS p USING (ticket), arena.rating AS r WHERE p.player_id = 'alt' AND r.player_id = 'ann';
SELECT queue_name FROM skillrating_queue.leave('{ann}');
SELECT skillrating_queue.join('duel', '{bob}', at => '2026-03-01 17:01') IS NOT NULL AS joined;
SELECT skillrating_queue.join('duel', '{bobby}', at => '2026-03-01 17:00') IS NOT NULL AS joined;
SELECT skillrating.merge_players('arena', 'bobby', 'bob', allow_unknown => true) AS merge \gset
SELECT count(*) FROM skillrating_queue.tick('duel', at => '2026-03-01 17:02');
SELECT p.player_id, t.status, t.reason FROM lobby.ticket AS t LEFT JOIN lobby.player AS p USING (ticket) WHERE t.joined_at >= '2026-03-01 17:00' ORDER BY t.ticket;
SELECT skillrating.undo_operation('arena', :merge) \gset
SELECT skillrating_queue.join('duel', '{bobby}', at => '2026-03-01 17:03') IS NOT NULL AS joined;
SELECT skillrating.exclude_player('arena', 'bobby', allow_unknown => true, since => '2026-01-01') IS NOT NULL AS excluded;
SELECT count(*) FROM skillrating_queue.tick('duel', at => '2026-03-01 17:04');
SELECT reason FROM lobby.ticket ORDER BY ticket DESC LIMIT 1;
SELECT lobby.join('duel', '{bobby}');
-- Nor does a tick fail by a running match with accounts of one player.
SELECT skillrating_queue.ask_backfill('team', '{alt,bob}', '{1,2}', at => '2026-03-01 17:30') AS backfill \gset
SELECT skillrating_queue.ask_backfill('team', '{cid,cedric,dan}', '{1,1,2}', at => '2026-03-01 17:30') AS second \gset
SELECT skillrating.merge_players('arena', 'cedric', 'cid', allow_unknown => true) IS NOT NULL AS merged;
SELECT skillrating_queue.ask_backfill('team', '{cid,cedric,dan}', '{1,1,2}');
SELECT count(skillrating_queue.join('team', ARRAY[p], at => '2026-03-01 17:30')) FROM unnest('{ann,eve,fay}'::text[]) AS p;
SELECT backfill = :backfill AS first, player_id, team FROM skillrating_queue.tick('team', at => '2026-03-01 17:30:01') ORDER BY player_id;
SELECT backfill = :backfill AS first, status, reason, detail FROM lobby.backfill WHERE backfill IN (:backfill, :second) ORDER BY backfill;
SELECT count(*) FROM skillrating_queue.leave('{ann}');

-- What has ended is kept for a while.
SELECT count(*) > 5 AS many FROM lobby.ticket WHERE queue = 'duel';
UPDATE lobby.queue SET keep = '1 minute' WHERE queue = 'duel';
SELECT count(*) FROM skillrating_queue.tick('duel', at => clock_timestamp() + interval '10 years');
SELECT status, count(*) FROM lobby.ticket WHERE queue = 'duel' GROUP BY status;
SELECT count(*) FROM lobby.proposal WHERE queue = 'duel';
SELECT count(*) > 0 AS others_stay FROM lobby.proposal;

-- Renamed, in a ladder that is renamed, and dropped.
ALTER SCHEMA lobby RENAME TO hall;
SELECT hall.join('duel', '{eve}') IS NOT NULL AS joined, hall.join('duel', '{fay}') IS NOT NULL AS joined;
ALTER SCHEMA arena RENAME TO pit;
SELECT hall.tick('duel');
UPDATE hall.queue SET ladder = 'pit' WHERE ladder = 'arena';
SELECT player_id FROM hall.tick('duel') ORDER BY player_id;
-- Two coordinators in one session.
SELECT skillrating_queue.create_coordinator('lobby');
INSERT INTO lobby.queue (queue, ladder) VALUES ('duel', 'pit');
SELECT lobby.join('duel', '{eve}') AS here, hall.join('duel', '{eve}') IS NOT NULL AS there, lobby.join('duel', '{fay}') AS here;
SELECT count(*) FROM lobby.tick('duel');
SELECT queue_name FROM hall.leave('{eve}');
SELECT (SELECT count(*) FROM lobby.seat) AS here, current_setting('search_path') AS search_path;
\set ECHO none
DROP SCHEMA lobby CASCADE;
DROP SCHEMA hall CASCADE;
SELECT skillrating.drop_ladder('pit'), skillrating.drop_ladder('large') \gset
DROP SCHEMA regress_queue CASCADE;
DROP EXTENSION skillrating_queue;
\set ECHO all
