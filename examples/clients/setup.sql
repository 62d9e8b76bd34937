-- The database of the examples: a ladder, and what a site knows of its games and players.  Run it
-- as a superuser, in a database of its own.

CREATE EXTENSION IF NOT EXISTS skillrating;

-- The owner of the ladder, whom nobody connects as, and the role of the back end.  It reports and
-- reads, and becomes the owner for what only the owner may do.
CREATE ROLE arena_owner NOLOGIN;
CREATE ROLE back_end LOGIN NOINHERIT;
GRANT arena_owner TO back_end;
SELECT format('GRANT CREATE ON DATABASE %I TO arena_owner', current_database()) \gexec

SET ROLE arena_owner;
-- SteamID64 fits into bigint.  Whoever starts a game makes up its uuid.
SELECT skillrating.create_ladder('arena', 'elo', player_type => 'bigint', match_type => 'uuid', late => 'reorder');
SELECT skillrating.grant_ladder('arena', 'back_end', 'reader'), skillrating.grant_ladder('arena', 'back_end', 'reporter');
RESET ROLE;

-- What the ladder does not need to know of a game.
CREATE SCHEMA site AUTHORIZATION back_end;
SET ROLE back_end;
CREATE TABLE site.game (game_id uuid PRIMARY KEY, map text NOT NULL);
RESET ROLE;
