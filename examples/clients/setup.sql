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
SELECT skillrating.keep_changes('arena');
SELECT skillrating.grant_reader('arena', 'back_end'), skillrating.grant_reporter('arena', 'back_end');
RESET ROLE;

-- What the ladder does not need to know of a game; a copy of the ratings, which could be anywhere;
-- and how far it has followed the ladder.
CREATE SCHEMA site AUTHORIZATION back_end;
SET ROLE back_end;
CREATE TABLE site.game (game_id uuid PRIMARY KEY, map text NOT NULL);
CREATE TABLE site.rating (
    player_id bigint, pool text, rating float8 NOT NULL, games bigint NOT NULL,
    PRIMARY KEY (player_id, pool));
CREATE TABLE site.reader (ladder text PRIMARY KEY, cursor text);
INSERT INTO site.reader (ladder) VALUES ('arena');
RESET ROLE;
