-- The database of a game server: a ladder, what it knows of its rounds, and four roles.  Run it as
-- a superuser, in a database of its own.

CREATE EXTENSION IF NOT EXISTS skillrating;

-- The owner of everything, whom nobody connects as; what each kind of secret lets one do; and the
-- role that the HTTP layer connects as, which can do nothing but become one of these.
CREATE ROLE game_admin NOLOGIN;
CREATE ROLE game_server NOLOGIN;
CREATE ROLE game_reader NOLOGIN;
CREATE ROLE game_http LOGIN NOINHERIT;
GRANT game_admin, game_server, game_reader TO game_http;
SELECT format('GRANT CREATE ON DATABASE %I TO game_admin', current_database()) \gexec

SET ROLE game_admin;

-- SteamID64 fits into bigint; rounds have names that the game server makes up.
SELECT skillrating.create_ladder('rounds', 'synelo', player_type => 'bigint', match_type => 'text');
SELECT skillrating.grant_ladder('rounds', 'game_reader', 'reader'),
    skillrating.grant_ladder('rounds', 'game_server', 'reader'), skillrating.grant_ladder('rounds', 'game_server', 'reporter');

-- What the ladder does not need to know of a round.
CREATE SCHEMA site;
CREATE TABLE site.round (
    match_id text PRIMARY KEY,
    server text NOT NULL,
    map text NOT NULL,
    received_at timestamptz NOT NULL DEFAULT now());
GRANT USAGE ON SCHEMA site TO game_server, game_reader;
GRANT SELECT ON site.round TO game_reader;
GRANT SELECT, INSERT ON site.round TO game_server;

RESET ROLE;
