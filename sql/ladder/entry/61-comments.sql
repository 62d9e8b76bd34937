-- What the tables and views of a ladder and their columns are, as COMMENT has it.

-- No column is the relation itself, and no relation is all that have such a column.
CREATE VIEW skillrating_internal.relation_comments AS
SELECT r.relation, v.column_name, v.comment FROM (VALUES
    ('', 'as_of', 'The time as of which the state is: that of the last event.'),
    ('', 'as_of_before', 'The time as of which the state before was; null if that is last_played_before.'),
    ('', 'deviation', 'The deviation of the rating; null under a model that has none.'),
    ('', 'draws', 'How many of the games were drawn: the first place was shared.'),
    ('', 'fixed', 'Whether the player is fixed, as bots and puzzles are: see set_fixed().'),
    ('', 'games', 'The number of rated matches.'),
    ('', 'games_before', 'The number of rated matches before.'),
    ('', 'kind', 'match, or the kind of the operation.'),
    ('', 'last_played', 'When the last of the games was played.'),
    ('', 'last_played_before', 'When the last match before was played.'),
    ('', 'losses', 'How many of the games were lost.'),
    ('', 'match_id', 'The match; null for an operation.'),
    ('', 'operation', 'The number of the operation.'),
    ('', 'played_at', 'When the match was played, or the time of the operation.'),
    ('', 'player_id', 'The player.'),
    ('', 'pool', 'The rating pool.'),
    ('', 'rating', 'The displayed rating, as of the last match or operation.'),
    ('', 'reason', 'Why the operation was made; null for a match.'),
    ('', 'relation', 'The table.'),
    ('', 'score', '1 for a win, 0.5 for a draw, 0 for a loss.'),
    ('', 'seq', 'The place in the order of rating, which all rows of a match or operation share.'),
    ('', 'solver', 'The solver.'),
    ('', 'team', 'The team of the player, the one on which most was played.'),
    ('', 'win_probability', 'The probability of a win that was predicted, a draw counted half.'),
    ('', 'wins', 'How many of the games were won: the player was sole first.'),
    ('ladder', '', 'What the ladder is, in one row.'),
    ('ladder', 'model', 'The model.'),
    ('ladder', 'params', 'All parameters of the model.'),
    ('ladder', 'apply_at', 'When matches are rated: commit, statement or manual.'),
    ('ladder', 'late', 'What becomes of late matches: append or reorder.'),
    ('ladder', 'strict', 'Whether a mistake in the rows of a match is an error.'),
    ('ladder', 'on_error', 'Whether a match waits or its transaction fails after an error that is not about its data.'),
    ('ladder', 'format_version', 'The format of these tables.'),
    ('ladder', 'horizon', 'The last place in the order that can be corrected no more, see set_horizon(); null if all can.'),
    ('ladder', 'horizon_at', 'The time before which the matches up to the horizon were played.'),
    ('ladder', 'shadow_of', 'Of a shadow or a former ladder, the table ladder of the one whose matches it rates.'),
    ('ladder', 'only_row', 'True: there is one row.'),
    ('rating', '', 'A row for each player and pool: the state under the model, the displayed rating and counts of rated matches.'),
    ('event', '', 'History: a row for each player and rated match, and for each player whom an operation touched, with the state before and after.'),
    ('event', 'fixed', 'Whether the player was fixed: see set_fixed().'),
    ('rated_match pending', 'match_id', 'The match.'),
    ('rated_match', '', 'A row for each match that was looked at.'),
    ('rated_match', 'status', 'rated, unrated or void.'),
    ('rated_match', 'reason', 'Why it is not rated: a code of skillrating.reasons().'),
    ('rated_match', 'detail', 'The same in words.'),
    ('rated_match', 'digest', 'A hash of the content that was seen.'),
    ('rated_match', 'seq', 'The place in the order of rating, which a match keeps; null if it never had one.'),
    ('rated_match', 'played_at', 'When it was played.'),
    ('rated_match', 'size_advantage_ratio', 'The advantage of the larger team that it took, where another match was being learned from; null else.'),
    ('rated_match', 'size_advantage_difference', 'The same as a difference.'),
    ('rated_match', 'arrived_at', 'When the content came of a match that is played more than a day later (reason future_time); null else.'),
    ('rated_match', 'void_reason', 'What void_match() was told, which takes effect with catch_up().'),
    ('rated_match', 'decided_at', 'When void_match() or restore_match() was last called.'),
    ('rated_match', 'rated_at', 'When the row was written, at last by catch_up().'),
    ('rated_match', 'corrections', 'How often catch_up() has changed the row since it had a place.'),
    ('pending', '', 'Matches that wait for the end of the transaction that touched them, or for catch_up().'),
    ('pending', 'xact', 'The transaction that touched it.'),
    ('pending', 'fires', 'False where it waits for catch_up(), because apply_at is manual or a publisher has sent it.'),
    ('pending', 'since', 'Since when it waits.'),
    ('pending', 'sqlstate', 'The SQLSTATE of the error that rating it raised, if that is not about its data; it waits for catch_up() then.'),
    ('pending', 'message', 'The message of the error.'),
    ('pending', 'failed_at', 'When the error was raised.'),
    ('correction', '', 'From where on history is out of date, which catch_up() brings up to date.'),
    ('correction', 'seq', 'The place from which history is out of date; null if only the time is known.'),
    ('correction', 'match_id', 'The match because of which it is; null if it is none.'),
    ('correction', 'kind', 'What happened.'),
    ('correction', 'played_at', 'The time from which history is out of date.'),
    ('correction', 'noticed_at', 'When it was noticed.'),
    ('operation', '', 'What was done other than by matches: a row for each operation, or for each of its players and pools.'),
    ('operation', 'kind', 'What was done: a season, decay, idle time that was counted, states set, players excluded or merged, and so on.'),
    ('operation', 'pool', 'The rating pool; null for all.'),
    ('operation', 'player_id', 'The player; null for all.'),
    ('operation', 'into_id', 'The player into whom another is merged, or to whom points were lost that are given back.'),
    ('operation', 'since', 'From when on it holds, where it is about a time.'),
    ('operation', 'until', 'The end of that time.'),
    ('operation', 'at', 'The time of the operation.'),
    ('operation', 'state', 'The state that was set.'),
    ('operation', 'params', 'What the operation was told, such as rules of eligibility.'),
    ('operation', 'reason', 'Why it was done.'),
    ('operation', 'made_by', 'The role that did it.'),
    ('operation', 'made_at', 'When it was done.'),
    ('operation', 'undone_at', 'When undo_operation() took it back.'),
    ('attached', '', 'Tables whose triggers feed the ladder, see attach().'),
    ('attached', 'match_id', 'The column or expression that gives the match of a row.'),
    ('attached', 'replica', 'Whether a publisher fills the table, so that its matches wait for catch_up().'),
    ('component', '', 'States that belong to something else than a player alone: a side, a context, a club, a player in a context.'),
    ('component component_event components', 'player_id', 'The player whose it is; null for what is nobody''s.'),
    ('component component_event components', 'kind', 'The kind of component, see models().'),
    ('component component_event', 'key', 'The context or the club; empty for a kind without.'),
    ('component', 'state', 'All state columns of the kind.'),
    ('component_event', '', 'History of table component: a row for each component and rated match, or operation that changed it.'),
    ('component_event', 'before', 'The state before.'),
    ('component_event', 'after', 'The state after.'),
    ('component_event', 'cause', 'match, or the kind of the operation.'),
    ('match', '', 'Matches.'),
    ('match', 'finished', 'Whether it is finished: only then it is rated.'),
    ('match', 'gain', 'Weight of the updates of all players.'),
    ('match', 'context', 'Where or as what all of them play.'),
    ('match', 'duration', 'How long it lasted in seconds, for sources that judge by it.'),
    ('match', 'surrendered', 'Whether a team gave up, for sources that judge by it.'),
    ('match_player', '', 'Participants of matches: a row for each stint of a player, with the result of the team.'),
    ('match_player', 'stint', 'The number of the stint, where a player has several.'),
    ('match_player', 'context', 'Where or as what this player plays; null is that of the match.'),
    ('match_player', 'bot', 'Whether the player is a program, for sources that judge by it.'),
    ('source', '', 'A row for each participant of every finished match: what the ladder rates.'),
    ('leaderboard', '', 'Players by their ratings: a row for each player with a rated match in a pool, as leaderboard() has it.'),
    ('leaderboard', 'place', 'The place in the pool: 1 is first, and equal ratings share a place.'),
    ('leaderboard', 'provisional', 'Whether the rating still has to settle: the deviation is not below half of the initial one; under a model that has none, there are fewer games than the parameter shadow_games, or else 10.'),
    ('history', '', 'What has happened to players: a row for each player and rated match, and for each player whom an operation changed, as history() has it.'),
    ('history', 'rating_before', 'The displayed rating before, as of played_at.'),
    ('history', 'rating_after', 'The displayed rating after.'),
    ('components', '', 'What the ladder has learned of home advantage, maps, clubs, players on a map, or whatever its model has: a row for each that was in a rated match.'),
    ('components', 'key', 'The context or the club; null for a kind without.'),
    ('components', 'mu', 'The mean, in units of the rating or of whatever the model says of the kind.'),
    ('components', 'deviation', 'The deviation of the mean, as of as_of; null for a kind without.'),
    ('components', 'state', 'All state columns of the kind, mu among them.'),
    ('horizon', '', 'The rows that table rating had at the horizon, see set_horizon(): history begins with them.'),
    ('component_horizon', '', 'The rows that table component had at the horizon, see set_horizon(): history begins with them.'),
    ('season_horizon', '', 'What events before the horizon say of seasons, see set_horizon(): a row for each player and season.'),
    ('season_horizon', 'began', 'The place at which the season began; 0 is the time before the first.'),
    ('season_horizon', 'rating_before', 'The displayed rating that the beginning of the season found.'),
    ('season_horizon', 'start_rating', 'The one that it left.'),
    ('season_horizon', 'peak', 'The highest displayed rating in the season.'),
    ('season_horizon', 'peak_at', 'When it came first.'),
    ('season_horizon', 'matches', 'Counts each match with one of its players.'),
    ('standing', '', 'How seasons have ended: a row for each player who has played in one.'),
    ('standing', 'operation', 'The operation that ended the season: the next season.'),
    ('standing', 'rating', 'The displayed rating at the end of the season.'),
    ('standing', 'games', 'The number of rated matches in the season.'),
    ('standing', 'place', 'The place in the pool: 1 is first, and equal ratings share a place.'),
    ('solved', '', 'What all matches together say of a player, by solve_ladder(), for each solver and pool that has been solved.'),
    ('solved', 'player_id', 'The player.'),
    ('solved_context', '', 'What contexts are worth to side 1 by all matches together, by solve_ladder().'),
    ('rating_count', '', 'How many players have a displayed rating in which range: what ranks are counted from, with table rating_count_delta.'),
    ('rating_count', 'level', '0 for about 64 ranges with the count of each, 1 for the sum of 64 rows of level 0.'),
    ('rating_count', 'place', 'The place of the row among those of its level.'),
    ('rating_count', 'total', 'The players in all ranges of the row.'),
    ('rating_count', 'ranges', 'The players in each range; null for level 1.'),
    ('rating_count_delta', '', 'What has changed in table rating_count since it was last written: a row a batch.'),
    ('rating_count_delta', 'ranges', 'The ranges.'),
    ('rating_count_delta', 'nets', 'The change of the number of players in each of them.'),
    ('mirror', '', 'Tables of the user some of whose columns are kept equal to those of rating, see mirror_rating().'),
    ('mirror', 'pool', 'The rating pool; empty is the default one, or all of them with pool_key.'),
    ('mirror', 'key', 'The column of the table that is player_id.'),
    ('mirror', 'columns', 'The columns of the table that are kept, with those of rating.'),
    ('mirror', 'pool_key', 'The column of the table that is the pool; empty if it has none.'),
    ('replica_note', '', 'What a publisher has sent that could not be rated. Rows with an error can be deleted.'),
    ('replica_note', 'number', 'The order in which it came.'),
    ('replica_note', 'noted_at', 'When it came.'),
    ('replica_note', 'event', 'What was done to the row, or TRUNCATE, after which catch_up(search => true) is to be called.'),
    ('replica_note', 'error', 'Why the match of the row could not be told; null for TRUNCATE.')
) AS v(relations, column_name, comment), regexp_split_to_table(v.relations, ' ') AS r(relation);
GRANT SELECT ON skillrating_internal.relation_comments TO PUBLIC;

COMMENT ON VIEW skillrating_internal.relation_comments IS
'A part of default_comments(): what the same relations and columns are in all ladders.';

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
    ), described_type(relation, name, comment) AS (
        SELECT r.name, a.attname, col_description(a.attrelid, a.attnum)
        FROM (VALUES ('solved', 'skillrating.estimate'::regclass), ('solved_context', 'skillrating.context_estimate')) AS r(name, type)
        JOIN pg_attribute AS a ON a.attrelid = r.type
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
    LEFT JOIN skillrating_internal.relation_comments AS own ON own.relation = a.relation AND own.column_name = a.name
    LEFT JOIN described AS d ON d.relation = a.relation AND d.name = a.name
    LEFT JOIN described_type AS t ON t.relation = a.relation AND t.name = a.name
    LEFT JOIN skillrating_internal.relation_comments AS shared ON shared.relation = '' AND shared.column_name = a.name AND a.number > 0
    CROSS JOIN LATERAL coalesce(own.comment, upper(left(d.comment, 1)) || substr(d.comment, 2) || '.', t.comment, shared.comment) AS k(comment)
    WHERE c.relnamespace = to_regnamespace(quote_ident(ladder)) AND k.comment IS NOT NULL
        AND c.relname IN (SELECT w.relation FROM skillrating_internal.relation_comments AS w)
    ORDER BY c.oid, a.number
$function$;

COMMENT ON FUNCTION skillrating_internal.default_comments(text, text, jsonb) IS
'The comments that the tables and views of a ladder and their columns have unless the user gives
them others: of states as the model says, of columns of a source as source_columns() does.';

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
'Comments on relations of a ladder that have just been made, by their names, or on all of them if
that is null, and on their columns, where there is no comment yet; states need the model.';
