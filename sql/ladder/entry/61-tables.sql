-- The tables and views of a ladder: their columns, and what these are, as COMMENT has it.

-- The columns of a table in their order, with what follows their names in CREATE TABLE; that of no
-- column is the relation itself, with the constraints of a table, and no relation is all that have
-- such a column.  C has those of rating, event and their like (ladder_columns()), the views have a
-- function (create_views()).  %2$s is the type of players, %3$s that of matches, %4$s what gives
-- matches their identifiers.  A ladder is emptied in the order of its tables here: the last three are
-- configuration.
CREATE VIEW skillrating_internal.relation_columns AS
SELECT row_number() OVER () AS n, r.relation, c.column_name, v.definition, v.comment FROM (VALUES
    ('', 'as_of', NULL, 'The time as of which the state is: that of the last event.'),
    ('', 'as_of_before', NULL, 'The time as of which the state before was; null if that is last_played_before.'),
    ('', 'deviation', NULL, 'The deviation of the rating; null under a model that has none.'),
    ('', 'draws', NULL, 'How many of the games were drawn: the first place was shared.'),
    ('', 'fixed', NULL, 'Whether the player is fixed, as bots and puzzles are: see set_fixed().'),
    ('', 'games', NULL, 'The number of rated matches.'),
    ('', 'games_before', NULL, 'The number of rated matches before.'),
    ('', 'kind', NULL, 'match, or the kind of the operation.'),
    ('', 'last_played', NULL, 'When the last of the games was played.'),
    ('', 'last_played_before', NULL, 'When the last match before was played.'),
    ('', 'losses', NULL, 'How many of the games were lost.'),
    ('', 'match_id', NULL, 'The match; null for an operation.'),
    ('', 'operation', NULL, 'The number of the operation.'),
    ('', 'played_at', NULL, 'When the match was played, or the time of the operation.'),
    ('', 'player_id', NULL, 'The player.'),
    ('', 'pool', NULL, 'The rating pool.'),
    ('', 'rating', NULL, 'The displayed rating, as of the last match or operation.'),
    ('', 'reason', NULL, 'Why the operation was made; null for a match.'),
    ('', 'relation', NULL, 'The table.'),
    ('', 'score', NULL, '1 for a win, 0.5 for a draw, 0 for a loss.'),
    ('', 'seq', NULL, 'The place in the order of rating, which all rows of a match or operation share.'),
    ('', 'solver', NULL, 'The solver.'),
    ('', 'team', NULL, 'The team of the player, the one on which most was played.'),
    ('', 'win_probability', NULL, 'The probability of a win that was predicted, a draw counted half.'),
    ('', 'wins', NULL, 'How many of the games were won: the player was sole first.'),
    ('standing season_horizon', 'player_id', '%2$s NOT NULL', NULL),
    ('solved solved_context', 'solver', 'text NOT NULL', NULL),
    ('rating_count rating_count_delta standing season_horizon solved solved_context', 'pool', 'text NOT NULL', NULL),
    ('rating', '', 'PRIMARY KEY (player_id, pool)', 'A row for each player and pool: the state under the model, the displayed rating and counts of rated matches.'),
    ('rating_count', '', 'PRIMARY KEY (pool, level, place)', 'How many players have a displayed rating in which range: what ranks are counted from, with table rating_count_delta.'),
    ('rating_count', 'level', 'integer NOT NULL', '0 for about 64 ranges with the count of each, 1 for the sum of 64 rows of level 0.'),
    ('rating_count', 'place', 'integer NOT NULL', 'The place of the row among those of its level.'),
    ('rating_count', 'total', 'bigint NOT NULL', 'The players in all ranges of the row.'),
    ('rating_count', 'ranges', 'integer[]', 'The players in each range; null for level 1.'),
    ('rating_count_delta', '', NULL, 'What has changed in table rating_count since it was last written: a row a batch.'),
    ('rating_count_delta', 'ranges', 'integer[] NOT NULL', 'The ranges.'),
    ('rating_count_delta', 'nets', 'integer[] NOT NULL', 'The change of the number of players in each of them.'),
    ('standing', '', NULL, 'How seasons have ended: a row for each player who has played in one.'),
    ('standing', 'operation', 'bigint NOT NULL', 'The operation that ended the season: the next season.'),
    ('standing', 'rating', 'float8 NOT NULL', 'The displayed rating at the end of the season.'),
    ('standing', 'games', 'bigint NOT NULL', 'The number of rated matches in the season.'),
    ('standing', 'place', 'bigint NOT NULL', 'The place in the pool: 1 is first, and equal ratings share a place.'),
    ('event', '', 'PRIMARY KEY (player_id, pool, seq)', 'History: a row for each player and rated match, and for each player whom an operation touched, with the state before and after.'),
    ('event', 'fixed', NULL, 'Whether the player was fixed: see set_fixed().'),
    ('component', '', 'UNIQUE NULLS NOT DISTINCT (player_id, kind, pool, key)', 'States that belong to something else than a player alone: a side, a context, a club, a player in a context.'),
    ('component component_event components', 'player_id', NULL, 'The player whose it is; null for what is nobody''s.'),
    ('component component_event components', 'kind', NULL, 'The kind of component, see models().'),
    ('component component_event', 'key', NULL, 'The context or the club; empty for a kind without.'),
    ('component', 'state', NULL, 'All state columns of the kind.'),
    ('component_event', '', 'UNIQUE NULLS NOT DISTINCT (player_id, kind, pool, key, seq)', 'History of table component: a row for each component and rated match, or operation that changed it.'),
    ('component_event', 'before', NULL, 'The state before.'),
    ('component_event', 'after', NULL, 'The state after.'),
    ('component_event', 'cause', NULL, 'match, or the kind of the operation.'),
    ('correction', '', NULL, 'From where on history is out of date, which catch_up() brings up to date.'),
    ('correction', 'seq', 'bigint', 'The place from which history is out of date; null if only the time is known.'),
    ('correction', 'match_id', '%3$s', 'The match because of which it is; null if it is none.'),
    ('correction', 'kind', 'text NOT NULL', 'What happened.'),
    ('correction', 'played_at', 'timestamptz', 'The time from which history is out of date.'),
    ('correction', 'noticed_at', 'timestamptz NOT NULL DEFAULT now()', 'When it was noticed.'),
    ('pending', '', NULL, 'Matches that wait for the end of the transaction that touched them, or for catch_up().'),
    ('pending', 'match_id', '%3$s NOT NULL', 'The match.'),
    ('pending', 'xact', 'xid8 NOT NULL', 'The transaction that touched it.'),
    ('pending', 'fires', 'boolean NOT NULL', 'False where it waits for catch_up(), because apply_at is manual or a publisher has sent it.'),
    ('pending', 'since', 'timestamptz NOT NULL', 'Since when it waits.'),
    ('pending', 'sqlstate', 'text', 'The SQLSTATE of the error that rating it raised, if that is not about its data; it waits for catch_up() then.'),
    ('pending', 'message', 'text', 'The message of the error.'),
    ('pending', 'failed_at', 'timestamptz', 'When the error was raised.'),
    ('horizon', '', 'PRIMARY KEY (player_id, pool)', 'The rows that table rating had at the horizon, see set_horizon(): history begins with them.'),
    ('component_horizon', '', 'UNIQUE NULLS NOT DISTINCT (player_id, kind, pool, key)', 'The rows that table component had at the horizon, see set_horizon(): history begins with them.'),
    ('season_horizon', '', 'PRIMARY KEY (player_id, pool, began)', 'What events before the horizon say of seasons, see set_horizon(): a row for each player and season.'),
    ('season_horizon', 'began', 'bigint NOT NULL', 'The place at which the season began; 0 is the time before the first.'),
    ('season_horizon', 'rating_before', 'float8', 'The displayed rating that the beginning of the season found.'),
    ('season_horizon', 'start_rating', 'float8 NOT NULL', 'The one that it left.'),
    ('season_horizon', 'peak', 'float8 NOT NULL', 'The highest displayed rating in the season.'),
    ('season_horizon', 'peak_at', 'timestamptz NOT NULL', 'When it came first.'),
    ('season_horizon', 'games wins draws losses', 'bigint NOT NULL', NULL),
    ('season_horizon', 'last_played', 'timestamptz', NULL),
    ('operation', '', 'UNIQUE NULLS NOT DISTINCT (seq, player_id, pool)', 'What was done other than by matches: a row for each operation, or for each of its players and pools.'),
    ('operation', 'operation seq', 'bigint NOT NULL', NULL),
    ('operation', 'kind', 'text NOT NULL CHECK (kind IN (''season'', ''decay'', ''settle'', ''set'', ''seed'', ''reset'', ''refund'', ''fix'', ''unfix'', ''exclude'', ''merge'', ''eligibility''))', 'What was done: a season, decay, idle time that was counted, states set, players excluded or merged, and so on.'),
    ('operation', 'pool', 'text', 'The rating pool; null for all.'),
    ('operation', 'player_id', '%2$s', 'The player; null for all.'),
    ('operation', 'into_id', '%2$s', 'The player into whom another is merged, or to whom points were lost that are given back.'),
    ('operation', 'since', 'timestamptz', 'From when on it holds, where it is about a time.'),
    ('operation', 'until', 'timestamptz', 'The end of that time.'),
    ('operation', 'at', 'timestamptz NOT NULL DEFAULT now()', 'The time of the operation.'),
    ('operation', 'state', 'float8[]', 'The state that was set.'),
    ('operation', 'params', 'jsonb NOT NULL DEFAULT ''{}''', 'What the operation was told, such as rules of eligibility.'),
    ('operation', 'reason', 'text', 'Why it was done.'),
    ('operation', 'made_by', 'text NOT NULL DEFAULT session_user', 'The role that did it.'),
    ('operation', 'made_at', 'timestamptz NOT NULL DEFAULT clock_timestamp()', 'When it was done.'),
    ('operation', 'undone_at', 'timestamptz', 'When undo_operation() took it back.'),
    ('solved', '', 'LIKE skillrating.estimate INCLUDING COMMENTS, UNIQUE NULLS NOT DISTINCT (solver, pool, player_id, at)', 'What all matches together say of a player, by solve_ladder(), for each solver and pool that has been solved.'),
    ('solved', 'player_id', NULL, 'The player.'),
    ('solved_context', '', 'LIKE skillrating.context_estimate INCLUDING COMMENTS, UNIQUE NULLS NOT DISTINCT (solver, pool, context)', 'What contexts are worth to side 1 by all matches together, by solve_ladder().'),
    ('rated_match', '', NULL, 'A row for each match that was looked at.'),
    ('rated_match', 'match_id', '%3$s PRIMARY KEY', 'The match.'),
    ('rated_match', 'status', 'text NOT NULL', 'rated, unrated or void.'),
    ('rated_match', 'reason', 'text', 'Why it is not rated: a code of skillrating.reasons().'),
    ('rated_match', 'detail', 'text', 'The same in words.'),
    ('rated_match', 'digest', 'bigint NOT NULL', 'A hash of the content that was seen.'),
    ('rated_match', 'seq', 'bigint UNIQUE', 'The place in the order of rating, which a match keeps; null if it never had one.'),
    ('rated_match', 'played_at', 'timestamptz', 'When it was played.'),
    ('rated_match', 'size_advantage_ratio', 'float8', 'The advantage of the larger team that it took, where another match was being learned from; null else.'),
    ('rated_match', 'size_advantage_difference', 'float8', 'The same as a difference.'),
    ('rated_match', 'arrived_at', 'timestamptz', 'When the content came of a match that is played more than a day later (reason future_time); null else.'),
    ('rated_match', 'void_reason', 'text', 'What void_match() was told, which takes effect with catch_up().'),
    ('rated_match', 'decided_at', 'timestamptz', 'When void_match() or restore_match() was last called.'),
    ('rated_match', 'rated_at', 'timestamptz NOT NULL DEFAULT now()', 'When the row was written, at last by catch_up().'),
    ('rated_match', 'corrections', 'integer NOT NULL DEFAULT 0', 'How often catch_up() has changed the row since it had a place.'),
    ('replica_note', '', NULL, 'What a publisher has sent that could not be rated. Rows with an error can be deleted.'),
    ('replica_note', 'number', 'bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY', 'The order in which it came.'),
    ('replica_note', 'noted_at', 'timestamptz NOT NULL DEFAULT clock_timestamp()', 'When it came.'),
    ('replica_note', 'relation', 'regclass', NULL),
    ('replica_note', 'event', 'text', 'What was done to the row, or TRUNCATE, after which catch_up(search => true) is to be called.'),
    ('replica_note', 'error', 'text', 'Why the match of the row could not be told; null for TRUNCATE.'),
    ('match_player', '', 'PRIMARY KEY (match_id, player_id, stint)', 'Participants of matches: a row for each stint of a player, with the result of the team.'),
    ('match_player', 'match_id', '%3$s NOT NULL REFERENCES %1$I.match ON DELETE CASCADE', NULL),
    ('match_player', 'player_id', '%2$s NOT NULL', NULL),
    ('match_player', 'stint', 'smallint NOT NULL DEFAULT 1', 'The number of the stint, where a player has several.'),
    ('match_player', 'team', 'integer NOT NULL', NULL),
    ('match_player', 'rank team_score player_score', 'float8', NULL),
    ('match_player', 'won', 'boolean', NULL),
    ('match_player', 'weight joined left_at commanding', 'float8', NULL),
    ('match_player', 'side', 'smallint', NULL),
    ('match_player', 'context', 'text', 'Where or as what this player plays; null is that of the match.'),
    ('match_player', 'club', 'text', NULL),
    ('match_player', 'squad', 'bigint', NULL),
    ('match_player', 'kills deaths', 'integer', NULL),
    ('match_player', 'quit', 'boolean', NULL),
    ('match_player', 'experience', 'integer', NULL),
    ('match_player', 'player_gain', 'float8', NULL),
    ('match_player', 'bot', 'boolean', 'Whether the player is a program, for sources that judge by it.'),
    ('match_player', 'fixed', 'boolean', NULL),
    ('match', '', NULL, 'Matches.'),
    ('match', 'match_id', '%3$s PRIMARY KEY %4$s', NULL),
    ('match', 'played_at', 'timestamptz NOT NULL DEFAULT now()', NULL),
    ('match', 'finished', 'boolean NOT NULL DEFAULT true', 'Whether it is finished: only then it is rated.'),
    ('match', 'pool', 'text NOT NULL DEFAULT ''''', NULL),
    ('match', 'log_odds', 'float8 NOT NULL DEFAULT 0', NULL),
    ('match', 'gain', 'float8 NOT NULL DEFAULT 1', 'Weight of the updates of all players.'),
    ('match', 'context', 'text', 'Where or as what all of them play.'),
    ('match', 'tournament unrated_reason', 'text', NULL),
    ('match', 'duration', 'float8', 'How long it lasted in seconds, for sources that judge by it.'),
    ('match', 'surrendered', 'boolean', 'Whether a team gave up, for sources that judge by it.'),
    ('attached', '', NULL, 'Tables whose triggers feed the ladder, see attach().'),
    ('attached', 'relation', 'regclass PRIMARY KEY', NULL),
    ('attached', 'match_id', 'text NOT NULL', 'The column or expression that gives the match of a row.'),
    ('attached', 'replica', 'boolean NOT NULL DEFAULT false', 'Whether a publisher fills the table, so that its matches wait for catch_up().'),
    ('mirror', '', 'PRIMARY KEY (relation, pool)', 'Tables of the user some of whose columns are kept equal to those of rating, see mirror_rating().'),
    ('mirror', 'relation', 'regclass NOT NULL', NULL),
    ('mirror', 'pool', 'text NOT NULL DEFAULT ''''', 'The rating pool; empty is the default one, or all of them with pool_key.'),
    ('mirror', 'key', 'text NOT NULL', 'The column of the table that is player_id.'),
    ('mirror', 'columns', 'jsonb NOT NULL', 'The columns of the table that are kept, with those of rating.'),
    ('mirror', 'pool_key', 'text NOT NULL DEFAULT ''''', 'The column of the table that is the pool; empty if it has none.'),
    ('ladder', '', NULL, 'What the ladder is, in one row.'),
    ('ladder', 'model', 'text NOT NULL', 'The model.'),
    ('ladder', 'params', 'jsonb NOT NULL', 'All parameters of the model.'),
    ('ladder', 'apply_at', 'text NOT NULL CHECK (apply_at IN (''commit'', ''statement'', ''manual''))', 'When matches are rated: commit, statement or manual.'),
    ('ladder', 'late', 'text NOT NULL CHECK (late IN (''append'', ''reorder''))', 'What becomes of late matches: append or reorder.'),
    ('ladder', 'strict', 'boolean NOT NULL DEFAULT false', 'Whether a mistake in the rows of a match is an error.'),
    ('ladder', 'on_error', 'text NOT NULL DEFAULT ''wait'' CHECK (on_error IN (''wait'', ''raise''))', 'Whether a match waits or its transaction fails after an error that is not about its data.'),
    ('ladder', 'format_version', 'integer NOT NULL DEFAULT 1', 'The format of these tables.'),
    ('ladder', 'horizon', 'bigint', 'The last place in the order that can be corrected no more, see set_horizon(); null if all can.'),
    ('ladder', 'horizon_at', 'timestamptz', 'The time before which the matches up to the horizon were played.'),
    ('ladder', 'shadow_of', 'regclass', 'Of a shadow or a former ladder, the table ladder of the one whose matches it rates.'),
    ('ladder', 'only_row', 'boolean PRIMARY KEY DEFAULT true CHECK (only_row)', 'True: there is one row.'),
    ('source', '', NULL, 'A row for each participant of every finished match: what the ladder rates.'),
    ('leaderboard', '', NULL, 'Players by their ratings: a row for each player with a rated match in a pool, as leaderboard() has it.'),
    ('leaderboard', 'place', NULL, 'The place in the pool: 1 is first, and equal ratings share a place.'),
    ('leaderboard', 'provisional', NULL, 'Whether the rating still has to settle: the deviation is not below half of the initial one; under a model that has none, there are fewer games than the parameter shadow_games, or else 10.'),
    ('history', '', NULL, 'What has happened to players: a row for each player and rated match, and for each player whom an operation changed, as history() has it.'),
    ('history', 'rating_before', NULL, 'The displayed rating before, as of played_at.'),
    ('history', 'rating_after', NULL, 'The displayed rating after.'),
    ('components', '', NULL, 'What the ladder has learned of home advantage, maps, clubs, players on a map, or whatever its model has: a row for each that was in a rated match.'),
    ('components', 'key', NULL, 'The context or the club; null for a kind without.'),
    ('components', 'mu', NULL, 'The mean, in units of the rating or of whatever the model says of the kind.'),
    ('components', 'deviation', NULL, 'The deviation of the mean, as of as_of; null for a kind without.'),
    ('components', 'state', NULL, 'All state columns of the kind, mu among them.')
) AS v(relations, columns, definition, comment), regexp_split_to_table(v.relations, ' ') AS r(relation), regexp_split_to_table(v.columns, ' ') AS c(column_name);
GRANT SELECT ON skillrating_internal.relation_columns TO PUBLIC;

COMMENT ON VIEW skillrating_internal.relation_columns IS
'What the same tables, views and columns are in all ladders.';

CREATE FUNCTION skillrating_internal.create_tables(
    ladder text,
    relations text[],
    player_type regtype DEFAULT NULL,
    match_type regtype DEFAULT NULL,
    model text DEFAULT NULL,
    params jsonb DEFAULT NULL)
RETURNS void
LANGUAGE plpgsql VOLATILE
AS $function$
DECLARE
    made text;
    like_table text;
    columns text;
    statement text;
BEGIN
    FOREACH made IN ARRAY relations LOOP
        CONTINUE WHEN skillrating_internal.has_table(ladder, made);
        SELECT string_agg(concat_ws(' ', quote_ident(nullif(c.column_name, '')), c.definition), ', ' ORDER BY c.column_name = '', c.n)
        INTO columns
        FROM skillrating_internal.relation_columns AS c
        WHERE c.relation = made AND c.definition IS NOT NULL;
        like_table := CASE made WHEN 'horizon' THEN 'rating' WHEN 'component_horizon' THEN 'component' ELSE made END;
        IF like_table IN ('rating', 'event', 'component', 'component_event') THEN
            columns := concat_ws(', ', replace(skillrating_internal.ladder_columns(like_table, model, params, player_type, match_type,
                skillrating_internal.display_expression(model, params)), '%', '%%'), columns);
        END IF;
        FOR statement IN
            SELECT s.statement
            FROM (VALUES
                (made, 'CREATE TABLE %1$I.' || made || ' (' || columns || ')'),
                -- A publication of all tables must not keep rows from being deleted.
                (CASE WHEN columns !~ 'PRIMARY KEY' THEN made END, 'ALTER TABLE %1$I.' || made || ' REPLICA IDENTITY FULL'),
                ('rating', 'CREATE INDEX ON %1$I.rating (pool, rating DESC, player_id)'),
                ('rating_count', 'ALTER TABLE %1$I.rating_count SET (fillfactor = 50)'),
                ('rating_count_delta', 'ALTER TABLE %1$I.rating_count_delta
                    SET (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 1000)'),
                -- Rows are written in this order, so that it costs little; one by player would cost most.
                ('standing', 'CREATE INDEX ON %1$I.standing (operation, pool, rating DESC, player_id)'),
                ('season_horizon', 'CREATE INDEX ON %1$I.season_horizon (began, pool)'),
                ('event', 'CREATE INDEX ON %1$I.event (seq)'),
                -- A model that looks back on states by their rounds has this column.
                (CASE WHEN columns ~ '\mrounds_after\M' THEN 'event' END,
                    'CREATE INDEX ON %1$I.event (player_id, pool, rounds_after, seq)'),
                ('event', 'CREATE SEQUENCE %1$I.event_seq OWNED BY %1$I.event.seq'),
                ('component', 'ALTER TABLE %1$I.component SET (fillfactor = 70)'),
                ('component_event', 'CREATE INDEX ON %1$I.component_event (seq)'),
                -- A commit reads neither rows of others nor those that have failed.
                ('pending', 'CREATE INDEX ON %1$I.pending (xact) WHERE sqlstate IS NULL'),
                ('pending', 'CREATE INDEX ON %1$I.pending USING hash (match_id) WHERE sqlstate IS NOT NULL'),
                ('solved', 'ALTER TABLE %1$I.solved ALTER player_id TYPE %2$s USING NULL, ALTER player_id SET NOT NULL,
                    ALTER games SET NOT NULL, ALTER component SET NOT NULL'),
                ('operation', 'CREATE INDEX ON %1$I.operation (kind)
                    WHERE kind IN (''exclude'', ''merge'', ''eligibility'') AND undone_at IS NULL'),
                -- Every batch asks a ladder that reorders for the last match that its players' past kept out.
                ('rated_match', 'CREATE INDEX ON %1$I.rated_match (played_at)
                    WHERE reason IN (''too_many_newcomers'', ''repeated_opponents'')')
            ) AS s(relation, statement)
            WHERE s.relation = made
        LOOP
            EXECUTE format(statement, ladder, format_type(player_type, -1), format_type(match_type, -1),
                CASE WHEN match_type IN ('int2'::regtype, 'int4'::regtype, 'int8'::regtype) THEN 'GENERATED BY DEFAULT AS IDENTITY'
                    WHEN match_type = 'uuid'::regtype THEN 'DEFAULT gen_random_uuid()' END);
        END LOOP;
    END LOOP;
    PERFORM skillrating_internal.create_comments(ladder, relations, model, params);
END
$function$;

COMMENT ON FUNCTION skillrating_internal.create_tables(text, text[], regtype, regtype, text, jsonb) IS
'Makes those tables of a ladder that it lacks, with indexes and comments; types and the model are
needed where tables have identifiers and states.';

CREATE FUNCTION skillrating_internal.default_comments(
    ladder text,
    model text,
    params jsonb,
    OUT relation oid,
    OUT number integer,
    OUT object text,
    OUT comment text)
RETURNS SETOF record
LANGUAGE sql STABLE
AS $function$
    WITH described(relation, name, comment) AS (
        SELECT r.name, s.name || r.suffix, s.description || replace(r.suffix, '_', ', ')
        FROM skillrating.models(default_comments.model, params) AS m, unnest(m.state_columns, m.state_descriptions) AS s(name, description),
            (VALUES ('rating', ''), ('event', '_before'), ('event', '_after')) AS r(name, suffix)
        WHERE default_comments.model IS NOT NULL
        UNION ALL
        SELECT r.name, s.column_name, s.description
        FROM skillrating.source_columns() AS s, unnest('{source,match,match_player}'::text[]) AS r(name)
    )
    SELECT c.oid, a.number, format('%s %I.%I%s', CASE WHEN a.number > 0 THEN 'COLUMN' WHEN c.relkind = 'v' THEN 'VIEW' ELSE 'TABLE' END,
        ladder, c.relname, '.' || quote_ident(nullif(a.name, ''))), k.comment
    FROM pg_class AS c
    CROSS JOIN LATERAL (
        SELECT 0, '', c.relname::text
        UNION ALL
        SELECT t.attnum, t.attname, CASE c.relname WHEN 'horizon' THEN 'rating' WHEN 'component_horizon' THEN 'component' ELSE c.relname END
        FROM pg_attribute AS t WHERE t.attrelid = c.oid AND t.attnum > 0 AND NOT t.attisdropped
    ) AS a(number, name, relation)
    LEFT JOIN skillrating_internal.relation_columns AS own ON own.relation = a.relation AND own.column_name = a.name
    LEFT JOIN described AS d ON d.relation = a.relation AND d.name = a.name
    LEFT JOIN skillrating_internal.relation_columns AS shared ON shared.relation = '' AND shared.column_name = a.name AND a.number > 0
    CROSS JOIN LATERAL coalesce(own.comment, upper(left(d.comment, 1)) || substr(d.comment, 2) || '.', shared.comment) AS k(comment)
    WHERE c.relnamespace = to_regnamespace(quote_ident(ladder)) AND k.comment IS NOT NULL
        AND c.relname IN (SELECT w.relation FROM skillrating_internal.relation_columns AS w)
    ORDER BY c.oid, a.number
$function$;

COMMENT ON FUNCTION skillrating_internal.default_comments(text, text, jsonb) IS
'The comments that tables, views and columns of a ladder have unless the user gives them others.';

CREATE FUNCTION skillrating_internal.create_comments(
    ladder text,
    relations text[],
    model text DEFAULT NULL,
    params jsonb DEFAULT NULL)
RETURNS void
LANGUAGE plpgsql VOLATILE
AS $function$
DECLARE
    statement text;
BEGIN
    FOR statement IN
        SELECT format('COMMENT ON %s IS %L', d.object, d.comment)
        FROM skillrating_internal.default_comments(ladder, model, params) AS d
        JOIN pg_class AS c ON c.oid = d.relation
        WHERE c.relname = ANY (coalesce(relations, ARRAY[c.relname])) AND NOT EXISTS (
            SELECT FROM pg_description AS p
            WHERE p.classoid = 'pg_class'::regclass AND p.objoid = d.relation AND p.objsubid = d.number)
    LOOP
        EXECUTE statement;
    END LOOP;
END
$function$;

COMMENT ON FUNCTION skillrating_internal.create_comments(text, text[], text, jsonb) IS
'Comments on relations of a ladder and their columns, where there is none; states need the model.';
