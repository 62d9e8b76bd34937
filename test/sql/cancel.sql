-- What takes long, with the largest lobbies and groups there can be, can be cancelled at any time.
\set ECHO none
\pset format unaligned
\pset tuples_only on
CREATE SCHEMA regress_cancel;
SET search_path = regress_cancel;
CREATE TABLE lobby AS
SELECT array_agg(g ORDER BY g) AS p, array_agg(1500 + 400 * sin(g * 1.7) * cos(g * g * 0.3) ORDER BY g) AS r, array_agg(1 + g % 2 ORDER BY g) AS team,
    array_agg(CASE WHEN g % 5 = 0 THEN 1 + g % 2 END ORDER BY g) AS few, array_agg(1000 + sin(g) ORDER BY g) AS command
FROM generate_series(1, 1000) AS g;
-- Six chains of ten players who avoid their neighbours.
CREATE TABLE chains AS SELECT array_agg(ARRAY[i, i + 1]::text[] ORDER BY i) AS avoid FROM generate_series(1, 59) AS i WHERE i % 10 <> 0;
CREATE TABLE task(number serial, query text);
INSERT INTO task(query) VALUES
    ('SELECT s.* FROM lobby, skillrating.split_teams(skillrating.lobby(p::text[], r), explain => true) AS s'),
    ('SELECT s.* FROM lobby, skillrating.split_teams(skillrating.lobby(p::text[], r, current => team, command_mu => command), team_size => 300) AS s'),
    ('SELECT s.* FROM lobby, chains, skillrating.split_teams(skillrating.lobby(p[:60]::text[], r[:60], avoid => avoid, current => team[:60]), team_size => 20, secondary => ''best'') AS s'),
    ('SELECT s.* FROM lobby, skillrating.split_all_sizes(skillrating.lobby(p::text[], r), explain => true) AS s'),
    ('SELECT s.* FROM lobby, skillrating.suggest_swaps(skillrating.lobby(p::text[], r, current => team), explain => true) AS s'),
    ('SELECT s.* FROM lobby, skillrating.suggest_swaps(skillrating.lobby(p::text[], r, current => team), method => ''greedy'', explain => true) AS s'),
    ('SELECT s.* FROM lobby, skillrating.suggest_transfers(skillrating.lobby(p::text[], r, current => 1 || team[2:]), max_swaps => 500, explain => true) AS s'),
    ('SELECT s.* FROM lobby, skillrating.place_joiner(skillrating.lobby(p::text[], r, current => few), max_lead => 1000, explain => true) AS s');
\set ECHO all
SELECT clock_timestamp() AS began \gset
\set VERBOSITY sqlstate
SET statement_timeout = '50ms';
SELECT query FROM task ORDER BY number \gexec
RESET statement_timeout;
\set VERBOSITY default
SELECT clock_timestamp() - :'began'::timestamptz < interval '60 seconds' AS soon;
-- The same with less to do than can be cancelled: they end, with as much work as lobbies of this size may take.
SELECT count(*), bool_or(exact) AS exact FROM lobby, skillrating.suggest_transfers(skillrating.lobby(p::text[], r, current => 1 || team[2:]), max_swaps => 500, budget => 50);
SELECT count(*), bool_or(exact) AS exact FROM lobby, skillrating.place_joiner(skillrating.lobby(p::text[], r, current => few), max_lead => 1000, budget => 50);
SELECT count(*), bool_or(exact) AS exact FROM lobby, skillrating.split_teams(skillrating.lobby(p::text[], r, current => team), team_size => 300, budget => 50);
DROP TABLE lobby, chains, task;
RESET search_path;
DROP SCHEMA regress_cancel;
