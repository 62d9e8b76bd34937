-- Queues of a ladder: who joins, leaves and expires, which matches are made, accepted and declined, and
-- who takes the free seats of running ones.
\set SHOW_CONTEXT never
SET timezone = 'UTC';
SET client_min_messages = warning;
CREATE SCHEMA regress_ladder_queue;
SET search_path = regress_ladder_queue;

SELECT skillrating.create_ladder('arena', 'elo', player_type => 'text');
SELECT skillrating.set_rating('arena', p, jsonb_build_object('rating', r), reason => 'start')
FROM (VALUES ('ann', 1720), ('bob', 1650), ('cid', 1610), ('dan', 1555), ('eve', 1530), ('fay', 1480), ('gus', 1420), ('hal', 1390), ('ina', 1250), ('joe', 2400)) AS v(p, r);

-- No queue yet.
SELECT skillrating.queue_join('arena', 'duel', '{ann}');
SELECT count(*) FROM skillrating.queue_leave('arena', '{ann}');
SELECT count(*) FROM skillrating.queue_status('arena');
SELECT skillrating.grant_matchmaker('arena', 'public');

-- What cannot be a queue.
SELECT skillrating.create_queue('nowhere', 'duel');
SELECT skillrating.create_queue('arena', '');
SELECT skillrating.create_queue('arena', 'duel', teams => 1);
SELECT skillrating.create_queue('arena', 'duel', team_size => 65);
SELECT skillrating.create_queue('arena', 'duel', sides => true);
SELECT skillrating.create_queue('arena', 'duel', commanders => true);
SELECT skillrating.create_queue('arena', 'duel', caution => 1);
SELECT skillrating.create_queue('arena', 'duel', min_quality => 2);
SELECT skillrating.create_queue('arena', 'duel', initial_window => -1);
SELECT skillrating.create_queue('arena', 'duel', log_odds => 'NaN');
SELECT skillrating.create_queue('arena', 'duel', teams => 3, log_odds => 1);
SELECT skillrating.create_queue('arena', 'duel', ticket_lifetime => '0');
SELECT skillrating.create_queue('arena', 'duel', accept_within => '-1 second');
SELECT skillrating.create_queue('arena', 'duel', max_tickets => 1);
SELECT skillrating.create_queue('arena', 'duel', team_size => 20, max_tickets => 10000);
SELECT skillrating.create_queue('arena', 'duel', channel => '');
SELECT skillrating.create_queue('arena', 'duel', rating_pool => NULL);
SELECT to_regclass('arena.queue');

-- A duel: the nearest, within a window that widens.
SELECT skillrating.create_queue('arena', 'duel', initial_window => 50, widening => 1, channel => 'duels');
SELECT skillrating.create_queue('arena', 'duel');
SELECT skillrating.queue_join('arena', 'duel', ARRAY[p], at => '2026-03-01 12:00')
FROM unnest('{ann,bob,dan,joe}'::text[]) AS p;
SELECT count(*) FROM skillrating.queue_tick('arena', 'duel', at => '2026-03-01 12:00:01');
SELECT proposal, backfill, status, player_id, team, ticket, waited, round(win_probability::numeric, 4) AS p, round(quality::numeric, 4) AS quality, difference, region, commands, why
FROM skillrating.queue_tick('arena', 'duel', at => '2026-03-01 12:00:40');
SELECT ticket, status, reason, proposal, ended_at FROM arena.queue_ticket ORDER BY ticket;
SELECT player_id, ticket FROM arena.queue_player ORDER BY player_id;

-- Who has a ticket, or cannot have one.
SELECT skillrating.queue_join('arena', 'duel', '{joe}', at => '2026-03-01 12:01');
SELECT skillrating.queue_join('arena', 'none', '{eve}');
SELECT skillrating.queue_join('arena', 'duel', '{eve,fay}');
SELECT skillrating.queue_join('arena', 'duel', '{}'::text[]);
SELECT skillrating.queue_join('arena', 'duel', '{NULL}'::text[]);
SELECT skillrating.queue_join('arena', 'duel', '{eve}', region => 0);
SELECT skillrating.queue_join('arena', 'duel', '{eve}', lifetime => '0');
SELECT skillrating.queue_join('arena', 'duel', '{eve}', at => 'infinity');
SELECT skillrating.queue_join('arena', 'duel', '{eve}', commander => '{true,true}');
SELECT skillrating.queue_join('arena', 'duel', NULL::text[]);
SELECT skillrating.queue_tick('arena', 'duel', max_matches => -1);
SELECT skillrating.queue_tick('arena', 'duel', at => '-infinity');
-- Whoever was in a match may join again.
SELECT skillrating.queue_join('arena', 'duel', '{ann}', at => '2026-03-01 12:02') IS NOT NULL AS joined;
SELECT * FROM skillrating.queue_leave('arena', '{ann,nobody}', at => '2026-03-01 12:02:30');
SELECT count(*) FROM skillrating.queue_leave('arena', '{ann}');

-- Tickets end when their time is over: by a tick, or when the player joins again.
SELECT count(*) FROM skillrating.queue_tick('arena', 'duel', at => '2026-03-01 12:09:59');
SELECT status FROM arena.queue_ticket WHERE ticket = 4;
SELECT skillrating.queue_join('arena', 'duel', '{joe}', lifetime => '1 minute', at => '2026-03-01 12:10') IS NOT NULL AS joined;
SELECT count(*) FROM skillrating.queue_tick('arena', 'duel', at => '2026-03-01 12:11');
SELECT ticket, status, reason, ended_at FROM arena.queue_ticket WHERE ticket >= 4 ORDER BY ticket;
SELECT count(*) FROM arena.queue_player;

-- Parties, pools, regions and quality; the same whatever the order of rows and ids.
SELECT skillrating.create_queue('arena', 'team', team_size => 2, initial_window => 400, widening => 0, min_quality => 0.5, ticket_lifetime => NULL, channel => 'teams');
CREATE FUNCTION outcome(ladder text, queue text, at timestamptz) RETURNS TABLE (teams text, quality numeric, region bigint) LANGUAGE sql AS $$
    SELECT string_agg(t.players, ' - ' ORDER BY t.team), round(min(t.quality)::numeric, 4), min(t.region)
    FROM (SELECT m.proposal, m.team, string_agg(m.player_id, ' ' ORDER BY m.player_id) AS players, min(m.quality) AS quality, min(m.region) AS region
        FROM skillrating.queue_tick(ladder, queue, at => at) AS m GROUP BY m.proposal, m.team) AS t
    GROUP BY t.proposal ORDER BY t.proposal
$$;
CREATE TABLE joins (n int, players text[], pool text, region bigint);
INSERT INTO joins VALUES (1, '{ann,bob}', '', 3), (2, '{cid}', '', 1), (3, '{dan}', '', 2), (4, '{eve}', '', 2), (5, '{fay}', '', NULL), (6, '{gus}', 'other', 1), (7, '{hal}', 'other', 1), (8, '{ina}', 'other', NULL);
BEGIN;
SELECT count(skillrating.queue_join('arena', 'team', j.players, j.pool, j.region, at => '2026-03-01 13:00')) FROM joins AS j;
SELECT * FROM outcome('arena', 'team', '2026-03-01 13:00:05');
SELECT queue_name, pool, waiting_tickets, waiting_players, longest_wait, matches, ended FROM skillrating.queue_status('arena', 'team', at => '2026-03-01 13:01');
ROLLBACK;
BEGIN;
SELECT count(skillrating.queue_join('arena', 'team', j.players, j.pool, j.region, at => '2026-03-01 13:00')) FROM (SELECT * FROM joins ORDER BY n DESC) AS j;
SELECT * FROM outcome('arena', 'team', '2026-03-01 13:00:05');
ROLLBACK;
-- As pair_queue() has it for the same players.
SELECT count(skillrating.queue_join('arena', 'team', j.players, j.pool, j.region, at => '2026-03-01 13:00')) FROM joins AS j;
CREATE TABLE paired AS
SELECT p.player_id, p.team, p.win_probability, p.quality, p.difference, p.region
FROM (SELECT array_agg(u.player ORDER BY u.player) AS players, array_agg(r.rating ORDER BY u.player) AS mu, array_agg(CASE WHEN cardinality(j.players) > 1 THEN j.n END ORDER BY u.player) AS party,
        array_agg(j.region ORDER BY u.player) AS region, array_agg(j.pool ORDER BY u.player) AS pool
    FROM joins AS j, unnest(j.players) AS u(player), arena.rating AS r WHERE r.player_id = u.player) AS q,
    skillrating.pair_queue(q.players, q.mu, party => q.party, region => q.region, pool => q.pool, team_size => 2, initial_window => 400, widening => 0, min_quality => 0.5) AS p;
SELECT count(*), bool_and(p IS NOT NULL) AS same
FROM skillrating.queue_tick('arena', 'team', at => '2026-03-01 13:00') AS m
LEFT JOIN paired AS p ON (p.player_id, p.team, p.win_probability, p.quality, p.difference, p.region) = (m.player_id, m.team, m.win_probability, m.quality, m.difference, m.region);
SELECT count(*) FROM paired;
SELECT count(DISTINCT ticket) FROM skillrating.queue_leave('arena', ARRAY(SELECT unnest(players) FROM joins), at => '2026-03-01 13:02');

-- A limit takes the first ones; explain says why.
SELECT count(skillrating.queue_join('arena', 'team', ARRAY[p], at => '2026-03-01 14:00')) FROM unnest('{ann,bob,cid,dan,eve,fay,gus,hal}'::text[]) AS p;
SELECT count(DISTINCT proposal), count(why), bool_or(why ? 'match') FROM skillrating.queue_tick('arena', 'team', 1, true, at => '2026-03-01 14:00:01');
SELECT count(DISTINCT proposal) FROM skillrating.queue_tick('arena', 'team', 0, at => '2026-03-01 14:00:02');
SELECT count(DISTINCT proposal), count(why) FROM skillrating.queue_tick('arena', 'team', at => '2026-03-01 14:00:03');
SELECT p.status, count(*), count(p.why) FROM arena.queue_proposal AS p WHERE p.queue = 'team' GROUP BY 1;

-- With accepting: all have to, in time.
UPDATE arena.queue SET accept_within = '20 seconds', ticket_lifetime = '1 hour' WHERE queue = 'team';
CREATE FUNCTION tickets() RETURNS TABLE (players text, status text, reason text, waiting_since text) LANGUAGE sql AS $$
    SELECT coalesce(string_agg(p.player_id, ' ' ORDER BY p.player_id),
            (SELECT string_agg(s.player_id, ' ' ORDER BY s.player_id) FROM arena.queue_seat AS s WHERE s.ticket = t.ticket AND s.proposal = t.proposal)),
        t.status, t.reason, to_char(t.joined_at, 'HH24:MI:SS')
    FROM arena.queue_ticket AS t LEFT JOIN arena.queue_player AS p USING (ticket)
    WHERE t.joined_at >= '2026-03-01 15:00' GROUP BY t.ticket ORDER BY t.joined_at, 1
$$;
SELECT count(skillrating.queue_join('arena', 'team', j.players, at => '2026-03-01 15:00'::timestamptz + j.n * interval '1 second')) FROM joins AS j WHERE j.n <= 3;
SELECT DISTINCT status FROM skillrating.queue_tick('arena', 'team', at => '2026-03-01 15:00:10');
SELECT max(proposal) AS proposal FROM arena.queue_proposal \gset
SELECT skillrating.queue_join('arena', 'team', '{ann}', at => '2026-03-01 15:00:11');
SELECT skillrating.queue_accept('arena', :proposal, '{ann,cid}', at => '2026-03-01 15:00:12');
SELECT skillrating.queue_accept('arena', :proposal, '{ina}', at => '2026-03-01 15:00:12');
SELECT skillrating.queue_accept('arena', 1000000, '{ann}');
SELECT * FROM tickets();
-- bob and dan do not: those who have accepted, party by party, wait again.
SELECT count(*) FROM skillrating.queue_tick('arena', 'team', at => '2026-03-01 15:00:31');
SELECT * FROM tickets();
SELECT status, reason FROM arena.queue_proposal WHERE proposal = :proposal;
SELECT skillrating.queue_accept('arena', :proposal, '{bob}', at => '2026-03-01 15:00:32');
-- Where nobody answers, perhaps nobody was asked: all wait again.
SELECT count(skillrating.queue_join('arena', 'team', ARRAY[p], at => '2026-03-01 15:01')) FROM unnest('{bob,dan,eve}'::text[]) AS p;
SELECT count(*), min(status) FROM skillrating.queue_tick('arena', 'team', at => '2026-03-01 15:01:01');
SELECT max(proposal) AS proposal FROM arena.queue_proposal \gset
SELECT skillrating.queue_accept('arena', :proposal, '{bob}', at => '2026-03-01 15:01:21');
SELECT * FROM tickets() WHERE status <> 'ended';
-- Declining ends the tickets of those who do; leaving, too.
SELECT count(*), min(status) FROM skillrating.queue_tick('arena', 'team', at => '2026-03-01 15:01:30');
SELECT max(proposal) AS proposal FROM arena.queue_proposal \gset
SELECT skillrating.queue_decline('arena', :proposal, '{dan}', at => '2026-03-01 15:01:31');
SELECT skillrating.queue_decline('arena', :proposal, '{dan}', at => '2026-03-01 15:01:31');
SELECT skillrating.queue_join('arena', 'team', '{fay}', at => '2026-03-01 15:01:32') IS NOT NULL AS joined;
SELECT count(*), min(status) FROM skillrating.queue_tick('arena', 'team', at => '2026-03-01 15:01:33');
SELECT queue_name, waited FROM skillrating.queue_leave('arena', '{cid}', at => '2026-03-01 15:01:34');
SELECT * FROM tickets();
-- Without a server nobody is to blame.
SELECT skillrating.queue_join('arena', 'team', '{gus}', at => '2026-03-01 15:02') IS NOT NULL AS joined;
SELECT count(*), min(status) FROM skillrating.queue_tick('arena', 'team', at => '2026-03-01 15:02:01');
SELECT max(proposal) AS proposal FROM arena.queue_proposal \gset
SELECT skillrating.queue_decline('arena', :proposal, NULL, at => '2026-03-01 15:02:02');
SELECT count(*), min(status) FROM skillrating.queue_tick('arena', 'team', at => '2026-03-01 15:02:03');
SELECT max(proposal) AS proposal FROM arena.queue_proposal \gset
SELECT skillrating.queue_accept('arena', :proposal, '{bob,eve}', at => '2026-03-01 15:02:04');
SELECT skillrating.queue_accept('arena', :proposal, NULL, at => '2026-03-01 15:02:04');
SELECT skillrating.queue_decline('arena', :proposal, '{bob}', at => '2026-03-01 15:02:05');
SELECT * FROM tickets() WHERE status <> 'ended';
SELECT count(*) FROM arena.queue_player;

-- Backfill: two of each team have gone; who comes makes it most even.
UPDATE arena.queue SET accept_within = NULL WHERE queue = 'team';
SELECT skillrating.create_queue('arena', 'three', team_size => 3, initial_window => 600, ticket_lifetime => '1 hour');
SELECT skillrating.queue_backfill('arena', 'three', '{ann,ina}', '{1,2}', region => 2, at => '2026-03-01 16:00');
SELECT count(skillrating.queue_join('arena', 'three', ARRAY[p], region => r, at => '2026-03-01 16:00'))
FROM (VALUES ('bob', 2), ('cid', 3), ('dan', NULL), ('eve', 1), ('hal', 2), ('joe', 2)) AS v(p, r);
SELECT backfill, status, player_id, team, region, round(quality::numeric, 3) AS quality FROM skillrating.queue_tick('arena', 'three', at => '2026-03-01 16:00:01');
SELECT status FROM arena.queue_backfill;
SELECT player_id, team, proposal IS NOT NULL AS joined FROM arena.queue_backfill_player ORDER BY team, player_id;
-- Too few for equal teams: the one who has waited longest goes where players are missing most.
SELECT count(*) FROM skillrating.queue_leave('arena', '{eve,joe}');
SELECT skillrating.queue_backfill('arena', 'three', '{ann,bob,cid,dan}', '{1,1,1,2}', at => '2026-03-01 16:10') AS backfill \gset
SELECT skillrating.queue_join('arena', 'three', '{fay}', at => '2026-03-01 16:10:01') IS NOT NULL AS joined;
SELECT player_id, team, backfill = :backfill AS fills FROM skillrating.queue_tick('arena', 'three', at => '2026-03-01 16:10:02');
SELECT status FROM arena.queue_backfill WHERE backfill = :backfill;
SELECT count(*) FROM skillrating.queue_tick('arena', 'three', at => '2026-03-01 16:10:03');
SELECT skillrating.queue_join('arena', 'three', '{gus,hal}', at => '2026-03-01 16:10:04') IS NOT NULL AS joined;
SELECT count(*) FROM skillrating.queue_tick('arena', 'three', at => '2026-03-01 16:10:05');
SELECT skillrating.queue_join('arena', 'three', '{ina}', at => '2026-03-01 16:10:06') IS NOT NULL AS joined;
SELECT player_id, team FROM skillrating.queue_tick('arena', 'three', at => '2026-03-01 16:10:07');
SELECT status FROM arena.queue_backfill WHERE backfill = :backfill;
-- A request of the same match takes the place of the one before; those who have been proposed for it wait again.
SELECT count(*) FROM skillrating.queue_leave('arena', '{gus}');
SELECT count(skillrating.queue_join('arena', 'three', ARRAY[p], at => '2026-03-01 16:20')) FROM unnest('{ann,bob,cid,dan,eve,fay}'::text[]) AS p;
SELECT count(*) FROM skillrating.queue_tick('arena', 'three', at => '2026-03-01 16:20:01');
SELECT max(proposal) AS proposal FROM arena.queue_proposal \gset
SELECT skillrating.queue_backfill('arena', 'three', '{ann,bob,cid,dan,eve}', '{1,1,1,2,2}', :proposal, at => '2026-03-01 16:21') IS NOT NULL AS asked;
SELECT skillrating.queue_backfill('arena', 'three', '{ann,bob,cid,dan}', '{1,1,2,2}', :proposal, lifetime => '1 minute', at => '2026-03-01 16:22') IS NOT NULL AS asked;
UPDATE arena.queue SET accept_within = '1 minute' WHERE queue = 'three';
SELECT count(skillrating.queue_join('arena', 'three', ARRAY[p], at => '2026-03-01 16:22')) FROM unnest('{gus,hal}'::text[]) AS p;
SELECT count(*), min(status) FROM skillrating.queue_tick('arena', 'three', at => '2026-03-01 16:22:01');
SELECT count(*) FROM skillrating.queue_tick('arena', 'three', at => '2026-03-01 16:22:02');
SELECT max(backfill) AS backfill FROM arena.queue_backfill \gset
SELECT skillrating.queue_cancel_backfill('arena', :backfill), skillrating.queue_cancel_backfill('arena', :backfill), skillrating.queue_cancel_backfill('arena', -1);
SELECT p.player_id, t.status FROM arena.queue_player AS p JOIN arena.queue_ticket AS t USING (ticket) ORDER BY 1;
SELECT proposal IS NOT NULL AS of_match, status, reason FROM arena.queue_backfill ORDER BY backfill;
-- A request that expires takes its open proposals along, and their players wait again.
SELECT skillrating.create_ladder('expiring', 'elo', player_type => 'text'), skillrating.create_queue('expiring', 'duo', team_size => 2, initial_window => 1000, accept_within => '10 minutes');
SELECT skillrating.queue_backfill('expiring', 'duo', '{a,b}', '{1,2}', lifetime => '1 minute', at => '2026-03-01 12:00');
SELECT count(skillrating.queue_join('expiring', 'duo', ARRAY[p], at => '2026-03-01 12:00')) FROM unnest('{c,d}'::text[]) AS p;
SELECT count(*), min(status) FROM skillrating.queue_tick('expiring', 'duo', at => '2026-03-01 12:00:01');
SELECT skillrating.queue_accept('expiring', 1, '{c}', at => '2026-03-01 12:00:30');
SELECT count(*) FROM skillrating.queue_tick('expiring', 'duo', at => '2026-03-01 12:01');
SELECT skillrating.queue_accept('expiring', 1, '{d}', at => '2026-03-01 12:01:10');
SELECT b.status AS backfill, b.reason, p.status AS proposal, p.reason, array_agg(t.status ORDER BY t.ticket) AS tickets
FROM expiring.queue_backfill AS b, expiring.queue_proposal AS p, expiring.queue_ticket AS t GROUP BY 1, 2, 3, 4;
SELECT skillrating.drop_ladder('expiring');
-- What is no running match of the queue.
SELECT skillrating.queue_backfill('arena', 'three', '{ann}', '{3}');
SELECT skillrating.queue_backfill('arena', 'three', '{ann,bob}', '{1}');
SELECT skillrating.queue_backfill('arena', 'three', '{ann,bob,cid,dan}', '{1,1,1,1}');
SELECT skillrating.queue_backfill('arena', 'three', '{}'::text[], '{}');
SELECT skillrating.queue_backfill('arena', 'three', '{ann}', '{1}', proposal => 1);
SELECT skillrating.queue_backfill('arena', 'three', '{ann}', '{NULL}');
SELECT count(*) FROM skillrating.queue_leave('arena', '{gus,hal}');

-- A part of the queue at a time: nobody is left out.
SELECT skillrating.create_ladder('large', 'trueskill'), skillrating.create_queue('large', 'duel', max_tickets => 20, min_quality => 0.3);
INSERT INTO large.rating (player_id, mu, sigma, games, last_played) SELECT i, 25 + i * 0.1, 1, 1, '2026-03-01' FROM generate_series(1, 100) AS i;
SELECT count(skillrating.queue_join('large', 'duel', ARRAY[i], at => '2026-03-01 12:00'::timestamptz + (i * 37 % 100) * interval '1 ms')) FROM generate_series(1, 100) AS i;
SELECT (SELECT count(DISTINCT proposal) FROM skillrating.queue_tick('large', 'duel', at => '2026-03-01 12:00:01'::timestamptz + s * interval '1 s')) > 0 AS makes_matches FROM generate_series(1, 5) AS s;
SELECT matches, waiting_tickets, waiting_tickets < 20 AS few, quality_mean > 0.9 AS good, wait_p50 BETWEEN 1 AND 7 AS waits FROM skillrating.queue_status('large', at => '2026-03-01 12:00:10');
SELECT max(n) FROM (SELECT count(*) AS n FROM large.queue_seat GROUP BY player_id) AS s;

-- Sides and commanders, caution, contexts, three teams, and identifiers of another type.
SELECT skillrating.create_ladder('hives', 'hive'), skillrating.create_queue('hives', 'ns', team_size => 3, sides => true, commanders => true, log_odds => 0.2, initial_window => 100);
SELECT count(skillrating.queue_join('hives', 'ns', ARRAY[2 * i, 2 * i + 1], commander => ARRAY[i < 3, false], at => '2026-03-01 12:00')) FROM generate_series(1, 2) AS i;
SELECT count(skillrating.queue_join('hives', 'ns', ARRAY[i], commander => '{false}', at => '2026-03-01 12:00')) FROM generate_series(6, 7) AS i;
SELECT string_agg(player_id, ' ' ORDER BY player_id) FILTER (WHERE commands) AS commanders, count(*), count(DISTINCT (ticket, team)) AS tickets FROM skillrating.queue_tick('hives', 'ns', at => '2026-03-01 12:00:01');
SELECT skillrating.create_ladder('maps', 'state_space', '{"player_context_sigma": 1}', player_type => 'uuid'), skillrating.create_queue('maps', 'three', teams => 3, caution => 1, context => 'veil', rating_pool => 'ranked', initial_window => 100);
SELECT count(skillrating.queue_join('maps', 'three', ARRAY[md5(i::text)::uuid], at => '2026-03-01 12:00')) FROM generate_series(1, 7) AS i;
SELECT count(*), count(DISTINCT proposal), max(team), round(min(win_probability)::numeric, 3) AS p, round(min(quality)::numeric, 3) AS quality FROM skillrating.queue_tick('maps', 'three', at => '2026-03-01 12:00:01');
SELECT count(*) FROM skillrating.queue_leave('maps', ARRAY(SELECT player_id::text FROM maps.queue_player));
SELECT skillrating.drop_ladder('hives'), skillrating.drop_ladder('maps');

-- Accounts: one who is merged has one ticket, and one who is excluded none.
SELECT count(*) FROM skillrating.queue_leave('arena', ARRAY(SELECT player_id FROM arena.queue_player));
UPDATE arena.queue SET accept_within = NULL, ticket_lifetime = NULL;
SELECT skillrating.merge_players('arena', 'alt', 'ann', allow_unknown => true) AS merge \gset
SELECT skillrating.queue_join('arena', 'duel', '{alt}', at => '2026-03-01 17:00') IS NOT NULL AS joined;
SELECT skillrating.queue_join('arena', 'duel', '{ann}', at => '2026-03-01 17:00');
SELECT skillrating.queue_join('arena', 'team', '{alt,ann}', at => '2026-03-01 17:00');
SELECT k.mu = r.rating AS as_ann FROM arena.queue_ticket AS k JOIN arena.queue_player AS p USING (ticket), arena.rating AS r WHERE p.player_id = 'alt' AND r.player_id = 'ann';
SELECT queue_name FROM skillrating.queue_leave('arena', '{ann}');
SELECT skillrating.queue_join('arena', 'duel', '{bob}', at => '2026-03-01 17:01') IS NOT NULL AS joined;
SELECT skillrating.queue_join('arena', 'duel', '{bobby}', at => '2026-03-01 17:00') IS NOT NULL AS joined;
SELECT skillrating.merge_players('arena', 'bobby', 'bob', allow_unknown => true) AS merge \gset
SELECT p.player_id, p.counts_as, t.reason FROM arena.queue_ticket AS t LEFT JOIN arena.queue_player AS p USING (ticket) WHERE t.joined_at >= '2026-03-01 17:00' ORDER BY t.ticket;
SELECT skillrating.undo_operation('arena', :merge);
SELECT player_id, counts_as FROM arena.queue_player;
SELECT skillrating.exclude_player('arena', 'bobby', allow_unknown => true) IS NOT NULL AS excluded;
-- Nor does a tick fail by a running match with accounts of one player.
SELECT skillrating.queue_backfill('arena', 'team', '{alt,bob}', '{1,2}', at => '2026-03-01 17:30') AS backfill \gset
SELECT skillrating.queue_backfill('arena', 'team', '{cid,cedric,dan}', '{1,1,2}', at => '2026-03-01 17:30') AS second \gset
SELECT skillrating.merge_players('arena', 'cedric', 'cid', allow_unknown => true) IS NOT NULL AS merged;
SELECT count(skillrating.queue_join('arena', 'team', ARRAY[p], at => '2026-03-01 17:30')) FROM unnest('{ann,eve,fay}'::text[]) AS p;
SELECT backfill = :backfill AS first, player_id, team FROM skillrating.queue_tick('arena', 'team', at => '2026-03-01 17:30:01') ORDER BY player_id;
SELECT backfill = :backfill AS first, status, reason FROM arena.queue_backfill WHERE backfill IN (:backfill, :second) ORDER BY backfill;
SELECT player_id, counts_as, team FROM arena.queue_backfill_player WHERE backfill = :backfill ORDER BY player_id;
SELECT count(*) FROM skillrating.queue_leave('arena', '{ann}');
SELECT count(*) FROM arena.queue_player;
SELECT skillrating.queue_join('arena', 'duel', '{bobby}');
SELECT skillrating.queue_join('arena', 'duel', '{bobby}', at => '-infinity');

-- Whoever is forgotten leaves, and no name stays.
SELECT skillrating.queue_join('arena', 'duel', '{dan}', at => '2026-03-01 18:00') IS NOT NULL AS joined;
SELECT found FROM skillrating.forget_player('arena', 'dan', 'x1');
SELECT found FROM skillrating.forget_player('arena', 'never there', 'x2');
SELECT count(*) AS left_over FROM (SELECT player_id FROM arena.queue_player UNION ALL SELECT player_id FROM arena.queue_seat UNION ALL SELECT player_id FROM arena.queue_backfill_player) AS u WHERE player_id = 'dan';
SELECT count(*) > 0 AS renamed FROM arena.queue_seat WHERE player_id = 'x1';
SELECT reason FROM arena.queue_ticket ORDER BY ticket DESC LIMIT 1;

-- What has ended is kept for a while.
SELECT count(*) > 5 AS many FROM arena.queue_ticket WHERE queue = 'duel';
UPDATE arena.queue SET keep = '1 minute' WHERE queue = 'duel';
SELECT count(*) FROM skillrating.queue_tick('arena', 'duel', at => clock_timestamp() + interval '10 years');
SELECT count(*) FROM arena.queue_ticket WHERE queue = 'duel';
SELECT count(*) FROM arena.queue_proposal WHERE queue = 'duel';
SELECT count(*) > 0 AS others_stay FROM arena.queue_proposal;


-- Ladders that are emptied, renamed and dropped.
SELECT matches, players FROM skillrating.reset_ladder('large');
SELECT (SELECT count(*) FROM large.queue_ticket), (SELECT count(*) FROM large.queue_proposal), (SELECT count(*) FROM large.queue_seat), (SELECT count(*) FROM large.queue_player), (SELECT count(*) FROM large.queue);
ALTER SCHEMA large RENAME TO larger;
SELECT skillrating.queue_join('larger', 'duel', ARRAY[1]);
SELECT tickets FROM skillrating.drop_queue('larger', 'duel');
SELECT skillrating.drop_queue('larger', 'duel');
SELECT skillrating.drop_ladder('larger');

-- Another formula: the queue follows the name, and goes by it.
SELECT skillrating.queue_join('arena', 'duel', ARRAY[p], at => '2026-03-01 19:00') IS NOT NULL AS joined FROM unnest('{eve,fay}'::text[]) AS p;
SELECT count(*) FROM skillrating.shadow_ladder('arena', 'another', 'elo', '{"initial_rating": 1500, "k": 16}');
BEGIN;
SELECT skillrating.promote_ladder('another', 'former', hanging => 'keep');
SELECT format('ALTER TABLE former.%I SET SCHEMA arena', relname) FROM pg_class WHERE relnamespace = 'former'::regnamespace AND relkind = 'r' AND starts_with(relname, 'queue') ORDER BY relname \gexec
COMMIT;
ALTER SCHEMA former RENAME TO another;
SELECT count(*) FROM skillrating.queue_tick('arena', 'duel', at => '2026-03-01 19:00:01');
SELECT to_regclass('another.queue') IS NULL AS stays;
SELECT skillrating.drop_ladder('another');

-- Rights: a matchmaker works on queues, sees them, and does nothing else.
CREATE ROLE regress_queue_worker;
GRANT USAGE ON SCHEMA arena TO regress_queue_worker;
SET ROLE regress_queue_worker;
SELECT skillrating.queue_join('arena', 'duel', '{eve}');
RESET ROLE;
SELECT skillrating.grant_matchmaker('arena', 'regress_queue_worker');
SET ROLE regress_queue_worker;
SELECT skillrating.queue_join('arena', 'duel', '{eve}') IS NOT NULL AS joined;
SELECT count(*) FROM skillrating.queue_tick('arena', 'duel');
SELECT count(*) FROM skillrating.queue_leave('arena', '{eve}');
SELECT count(*) > 0 AS sees FROM skillrating.queue_status('arena');
SELECT count(*) FROM arena.queue;
SELECT skillrating.report_match('arena', 1, '{eve,fay}'::text[], '{1,2}', '{1,2}');
SELECT skillrating.create_queue('arena', 'mine');
UPDATE arena.queue SET teams = 2;
RESET ROLE;
SELECT skillrating.grant_reader('arena', 'regress_queue_worker'), skillrating.revoke_matchmaker('arena', 'regress_queue_worker');
SELECT has_table_privilege('regress_queue_worker', 'arena.rating', 'SELECT') AS reads, has_table_privilege('regress_queue_worker', 'arena.queue_ticket', 'INSERT') AS queues;
SELECT skillrating.grant_matchmaker('arena', 'regress_queue_worker'), skillrating.revoke_reader('arena', 'regress_queue_worker');
SET ROLE regress_queue_worker;
SELECT count(*) FROM skillrating.queue_tick('arena', 'duel');
RESET ROLE;
SELECT skillrating.revoke_matchmaker('arena', 'regress_queue_worker');
SELECT has_schema_privilege('regress_queue_worker', 'arena', 'USAGE') AS still;
DROP ROLE regress_queue_worker;

-- Tables that are not what they should be.
BEGIN;
DROP TABLE arena.queue_seat;
SELECT skillrating.queue_tick('arena', 'duel');
ROLLBACK;
BEGIN;
ALTER TABLE arena.queue_seat RENAME TO seat;
CREATE VIEW arena.queue_seat AS SELECT * FROM arena.seat;
SELECT skillrating.queue_leave('arena', '{ann}');
ROLLBACK;
SELECT skillrating.drop_ladder('arena');
DROP SCHEMA regress_ladder_queue CASCADE;
