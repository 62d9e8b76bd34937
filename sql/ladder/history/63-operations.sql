-- Operations: what changes states at a place in the order, other than matches.

CREATE FUNCTION skillrating_internal.check_new_season(ladder text, season text, pool text, at timestamptz)
RETURNS void
LANGUAGE plpgsql STABLE
AS $function$
DECLARE
    l record := skillrating_internal.ladder_facts(ladder);
    found record;
BEGIN
    EXECUTE format(
        'WITH season AS (
            SELECT o.*, o.params->>''name'' AS name FROM %1$I.operation AS o
            WHERE o.kind = ''season'' AND o.undone_at IS NULL AND coalesce(o.pool = $2, true))
        SELECT (SELECT coalesce(string_agg(''pool "'' || s.pool || ''"'', '', '' ORDER BY s.pool), ''all pools'')
                FROM season AS s WHERE s.name = $1 HAVING count(*) > 0) AS began_in,
            (SELECT ARRAY[s.name, s.at::text] FROM season AS s WHERE s.at > $3 ORDER BY s.seq DESC LIMIT 1) AS later,
            $4 AND EXISTS (SELECT FROM %1$I.rated_match AS m WHERE m.status = ''rated'' AND m.played_at > $3) AS is_past,
            EXISTS (SELECT FROM %1$I.rating AS r WHERE r.pool = coalesce($2, r.pool)) AS has_ratings', ladder)
    INTO found USING season, pool, at, l.late <> 'reorder';
    IF found.began_in IS NOT NULL THEN
        RAISE duplicate_object USING
            MESSAGE = format('ladder "%s" has a season "%s" already', ladder, season),
            DETAIL = format('It began in %s.', found.began_in);
    END IF;
    -- Where time makes the order, it gets its place among the others.
    IF found.later IS NOT NULL AND l.late <> 'reorder' THEN
        RAISE invalid_parameter_value USING
            MESSAGE = format('season "%s" of ladder "%s" began at %s, and season "%s" cannot begin at %s',
                found.later[1], ladder, found.later[2], season, at),
            HINT = 'Begin it at a later time, or undo the later season first.';
    END IF;
    IF found.is_past THEN
        RAISE NOTICE USING
            MESSAGE = format('season "%s" of ladder "%s" begins behind all rated matches, also those that were played after %s',
                season, ladder, at),
            HINT = 'Only with late => ''reorder'' does its time give a season its place.';
    END IF;
    IF pool IS NOT NULL AND NOT found.has_ratings THEN
        RAISE NOTICE USING
            MESSAGE = format('no player has a rating in pool "%s" of ladder "%s"', pool, ladder),
            HINT = 'If the name of the pool is wrong, undo the season.';
    END IF;
END
$function$;

COMMENT ON FUNCTION skillrating_internal.check_new_season(text, text, text, timestamptz) IS
'Error 42710 for a name that a pool of the new season has already, 22023 for a time before another
one unless late is reorder; notices as new_season() says.';

CREATE FUNCTION skillrating_internal.tell_season(ladder text, season text, keep float8, places bigint[])
RETURNS void
LANGUAGE plpgsql STABLE
AS $function$
DECLARE
    t record := skillrating_internal.ladder_facts(ladder);
    top record;
    digits constant integer := 3;
BEGIN
    -- The first event is the season''s; a second one sets what that leaves.
    EXECUTE format(
        'SELECT f.*, %3$s AS after, skillrating.state_rating($3, %3$s, $4) AS rating_after
        FROM (
            SELECT e.player_id, e.pool, %2$s AS before, %4$s AS rating FROM %1$I.event AS e
            WHERE e.seq = $1[1] AND %2$s <> %3$s AND e.pool IS DISTINCT FROM $2
            ORDER BY 4 DESC, e.player_id, e.pool LIMIT 1) AS f
        JOIN %1$I.event AS e ON e.player_id %5$s f.player_id AND e.pool = f.pool AND e.seq = ANY ($1)
        ORDER BY e.seq DESC LIMIT 1',
        ladder, t.state_before, t.state_after, skillrating_internal.display_expression(t.model, t.params, 'e.', '_before'),
        t.player_equals)
    INTO top USING places, t.shared_pool, t.model, t.params;
    IF top.rating IS NULL THEN
        RETURN;
    END IF;
    RAISE NOTICE USING
        MESSAGE = format('season "%s" of ladder "%s" takes the highest displayed rating from %s to %s', season, ladder,
            trim_scale(round(top.rating::numeric, digits)), trim_scale(round(top.rating_after::numeric, digits))),
        DETAIL = format(CASE WHEN cardinality(places) > 1 THEN 'The share %s of the distance to the solved skill stays: %s.'
            ELSE 'The share %s of the distance to a newcomer''s state stays: %s.' END, keep, (
            SELECT string_agg(format('%s from %s to %s', c.name, trim_scale(round(c.before::numeric, digits)),
                trim_scale(round(c.after::numeric, digits))), ', ' ORDER BY c.n)
            FROM unnest(t.state_columns, top.before, top.after) WITH ORDINALITY AS c(name, before, after, n)
            WHERE c.before <> c.after)),
        -- What deviations take off, whatever the model.
        HINT = (
            SELECT CASE WHEN abs(d.lost) > 1e-6 AND top.after[2:] <> top.before[2:]
                THEN format('The displayed rating counts deviations: with keep_deviations => true it would be %s.',
                    trim_scale(round((top.rating_after + d.lost)::numeric, digits)))
                ELSE format('undo_operation(%L, %s) and catch_up() take the season back.', ladder, places[1]) END
            FROM (
                SELECT skillrating.state_rating(t.model, skillrating.season_state(t.model, top.before, keep, t.params, keep_deviations => true), t.params)
                    - skillrating.state_rating(t.model, skillrating.season_state(t.model, top.before, keep, t.params), t.params) AS lost) AS d);
END
$function$;

COMMENT ON FUNCTION skillrating_internal.tell_season(text, text, float8, bigint[]) IS
'A notice of what an operation, or two, have made of the highest displayed rating, and why.';

CREATE FUNCTION skillrating_internal.new_season(
    ladder text,
    season text,
    keep float8 DEFAULT 0.5,
    toward text DEFAULT NULL,
    pool text DEFAULT NULL,
    at timestamptz DEFAULT now(),
    reason text DEFAULT NULL,
    keep_deviations boolean DEFAULT false,
    only_played boolean DEFAULT false,
    OUT operation bigint,
    OUT players bigint)
LANGUAGE plpgsql VOLATILE
AS $function$
DECLARE
    t record := skillrating_internal.ladder_facts(ladder);
    initial float8;
    unit float8;
    solved boolean;
    seed bigint;
    played_from timestamptz := '-infinity';
BEGIN
    IF season = '' THEN
        RAISE invalid_parameter_value USING
            MESSAGE = 'season must not be empty',
            HINT = 'The empty name stands for the time before the first season.';
    END IF;
    IF NOT keep BETWEEN 0 AND 1 THEN
        RAISE numeric_value_out_of_range USING
            MESSAGE = format('keep must lie between 0 and 1, not %s', keep);
    END IF;
    IF toward = 'hive' AND t.model <> 'hive' OR toward = 'through_time' AND t.model NOT IN ('state_space', 'trueskill', 'trueskill2') THEN
        RAISE invalid_parameter_value USING
            MESSAGE = format('skills of solver "%s" cannot be the prior of model "%s"', toward, t.model),
            HINT = 'Skills of "bradley_terry" and "whole_history" can, for any model.';
    END IF;
    IF toward IS NOT NULL THEN
        IF skillrating_internal.has_table(ladder, 'solved') THEN
            EXECUTE format(
                'SELECT EXISTS (
                    SELECT FROM %I.solved AS s WHERE s.solver = $1 AND s.mu IS NOT NULL AND s.pool = coalesce($2, s.pool))', ladder)
            INTO solved USING toward, pool;
        END IF;
        IF solved IS NOT TRUE THEN
            RAISE no_data_found USING
                MESSAGE = format('ladder "%s" has not been solved by "%s"', ladder, toward),
                HINT = format('Do so first: skillrating.solve_ladder(%L, %L).', ladder, toward);
        END IF;
    END IF;
    PERFORM skillrating_internal.check_new_season(ladder, season, pool, at);
    IF only_played THEN
        EXECUTE format(
            'SELECT coalesce(max(o.at), $3) FROM %I.operation AS o
            WHERE o.kind = ''season'' AND o.undone_at IS NULL AND o.at <= $1 AND (o.pool IS NULL OR o.pool = $2)', ladder)
        INTO played_from USING at, pool, played_from;
    END IF;
    -- So that nothing comes between two operations.
    IF toward IS NOT NULL THEN
        PERFORM skillrating_internal.hold_ladder(ladder, false);
    END IF;
    reason := coalesce(reason, 'season ' || season);
    SELECT n.operation, n.changed INTO operation, players
    FROM skillrating_internal.note_operation(ladder, 'season', pool => pool, at => at, reason => reason,
        params => jsonb_strip_nulls(jsonb_build_object('name', season, 'keep', keep, 'keep_deviations', nullif(keep_deviations, false),
            'only_played', nullif(only_played, false), 'counted_from', CASE WHEN only_played THEN played_from END))) AS n;
    -- What stays is measured from the skill that was solved: as far as that is from the initial one.
    IF toward IS NOT NULL AND keep < 1 THEN
        SELECT m.log_odds_unit INTO unit FROM skillrating.models(t.model, t.params) AS m;
        initial := (skillrating.initial_state(t.model, t.params))[1];
        SELECT n.operation INTO seed
        FROM skillrating_internal.note_operation(ladder, 'seed', pool => pool, at => at, reason => reason,
            params => jsonb_build_object('solver', toward, 'season', season), rows => format(
                'SELECT r.player_id, r.pool, $10 AS params,
                    ARRAY[r.%2$I + (1 - %4$L::float8) * %5$s] || array_fill(NULL::float8, ARRAY[%6$s]) AS state
                FROM %1$I.rating AS r
                JOIN (
                    SELECT DISTINCT ON (s.pool, s.player_id) s.* FROM %1$I.solved AS s
                    WHERE s.solver = $10->>''solver'' AND s.mu IS NOT NULL
                    ORDER BY s.pool, s.player_id, s.at DESC) AS s ON s.player_id %3$s r.player_id AND s.pool = r.pool
                WHERE r.pool = coalesce($5, r.pool) AND coalesce(r.last_played, ''-infinity'') >= %7$L',
                ladder, t.state_columns[1], t.player_equals, keep,
                format(CASE WHEN toward IN ('hive', 'through_time') THEN '(s.mu - %L::float8)' ELSE 's.mu * %2$L::float8' END, initial, unit),
                cardinality(t.state_columns) - 1, played_from)) AS n;
    END IF;
    PERFORM skillrating_internal.tell_season(ladder, season, keep, array_remove(ARRAY[operation, seed], NULL));
END
$function$;

COMMENT ON FUNCTION skillrating_internal.new_season(text, text, float8, text, text, timestamptz, text, boolean, boolean) IS
'Begins the season of that name, in all pools or in one: a soft reset of the states towards the
initial one, of which the share keep stays (1: all, 0: nothing); deviations grow so that variances
do. The states before remain in the events; season_table() gives the tables of this and of earlier
seasons. With toward, a solver, players whom solve_ladder() has given an estimate go towards that
one instead: the share keep of the distance from it stays. That is a second operation (seed), which
undo_operation() takes back together with the season. Estimates in log-odds count the log_odds_unit
of models() each from the initial state; those of hive are the ladder''s own under model hive, and
those of through_time under state_space, or under trueskill and trueskill2 if solve_ladder() was
given the initial_mu, initial_sigma and beta of the ladder.
keep_deviations: deviations stay as they are.
only_played: only who has played since the last season that began in the pool, or in all pools where
pool is null; others keep their states. Their tables are the same.
A notice says what becomes of the highest shown rating, and why; others name a pool in which nobody
has a rating, and a time before matches that were rated, behind which the season begins all the same
unless late is reorder.
Errors as for undo_operation(), and 22003 for keep outside 0 to 1, 42710 if one of the pools has a
season of that name, 22023 for an empty name, for estimates that do not suit the model, and for a
time before the last season unless late is reorder, P0002 if there are no estimates.';

CREATE FUNCTION skillrating_internal.decay(
    ladder text,
    grace interval DEFAULT '30 days',
    rate float8 DEFAULT 1,
    floor float8 DEFAULT 0,
    half_life interval DEFAULT NULL,
    mean float8 DEFAULT NULL,
    pool text DEFAULT NULL,
    at timestamptz DEFAULT now(),
    reason text DEFAULT NULL,
    OUT operation bigint,
    OUT players bigint)
LANGUAGE plpgsql VOLATILE
AS $function$
DECLARE
    l record := skillrating_internal.ladder_facts(ladder);
    wrong text;
    counted_from timestamptz;
    parameters jsonb;
    day constant float8 := 86400;
BEGIN
    SELECT format('%s must be %s, not %s', c.name, c.rule, c.value) INTO wrong
    FROM (VALUES ('rate', 'finite and at least 0', rate >= 0 AND rate < 'Infinity', rate::text),
        ('floor', 'finite', abs(floor) < 'Infinity', floor::text), ('mean', 'finite', abs(mean) < 'Infinity', mean::text),
        ('grace', 'at least 0', grace >= '0', grace::text), ('half_life', 'positive', half_life > '0', half_life::text)
    ) AS c(name, rule, is_met, value)
    WHERE NOT c.is_met;
    IF wrong IS NOT NULL THEN
        RAISE numeric_value_out_of_range USING MESSAGE = wrong;
    END IF;
    -- Days that an earlier decay has counted are not counted again.
    EXECUTE format(
        'SELECT max(o.at) FROM %I.operation AS o
        WHERE o.kind = ''decay'' AND o.undone_at IS NULL AND (o.pool IS NULL OR $1 IS NULL OR o.pool = $1)', ladder)
    INTO counted_from USING pool;
    mean := coalesce(mean, skillrating.state_rating(l.model, skillrating.initial_state(l.model, l.params), l.params));
    parameters := jsonb_build_object('grace_days', extract(epoch FROM grace) / day, 'counted_from', counted_from)
        || CASE WHEN half_life IS NULL THEN jsonb_build_object('rate', rate, 'floor', floor)
            ELSE jsonb_build_object('half_life_days', extract(epoch FROM half_life) / day, 'mean', mean) END;
    SELECT n.operation, n.changed INTO operation, players
    FROM skillrating_internal.note_operation(ladder, 'decay', pool => pool, at => at,
        params => jsonb_strip_nulls(parameters), reason => coalesce(reason, 'decay')) AS n;
END
$function$;

COMMENT ON FUNCTION skillrating_internal.decay(text, interval, float8, float8, interval, float8, text, timestamptz, text) IS
'Lets the displayed ratings of idle players fall: by rate points a day beyond grace since the last
match, down to floor; or, with a half_life, drift to mean (that of a newcomer by default). What an
earlier decay has counted is not counted again, so that it can be called every day. The points come
off the first state column. Errors as for undo_operation(), and 22003 for arguments out of range.';

CREATE FUNCTION skillrating_internal.settle(
    ladder text,
    at timestamptz DEFAULT now(),
    reason text DEFAULT NULL,
    OUT operation bigint,
    OUT players bigint)
LANGUAGE plpgsql VOLATILE
AS $function$
DECLARE
    reorders boolean := (skillrating_internal.ladder_facts(ladder)).late = 'reorder';
    last_at timestamptz;
    same boolean;
BEGIN
    EXECUTE format(
        'SELECT max(o.at), coalesce(bool_or(o.at = $1), false) FROM %I.operation AS o
        WHERE o.kind = ''settle'' AND o.undone_at IS NULL', ladder)
    INTO last_at, same USING at;
    IF at < last_at AND NOT reorders THEN
        RAISE invalid_parameter_value USING
            MESSAGE = format('ladder "%s" was settled at %s, and cannot be settled at %s', ladder, last_at, at),
            HINT = 'Settle at a later time, or undo the later settle first.';
    END IF;
    players := 0;
    -- Where time makes the order, a second one has nothing to do: its place is next to the first.
    IF same AND reorders THEN
        RETURN;
    END IF;
    SELECT n.operation, n.changed INTO operation, players
    FROM skillrating_internal.note_operation(ladder, 'settle', at => at, reason => coalesce(reason, 'settle')) AS n;
    -- In the order in which they came, matches may lie between.
    IF same AND players = 0 THEN
        EXECUTE format('DELETE FROM %I.operation AS o WHERE o.operation = $1', ladder) USING operation;
        operation := NULL;
    END IF;
END
$function$;

COMMENT ON FUNCTION skillrating_internal.settle(text, timestamptz, text) IS
'Counts idle time up to at in the stored states of all players, in all pools: deviations grow, and
ratings decay, as the model says, so that leaderboards, mirrors and predictions for that time agree.
Each player whose state changes gets an event, and what is counted is not counted again before the
next match: how often a ladder is settled, such as every day, does not change its ratings. Games and
last_played stay. Under a model without idle time no state changes. Errors as for undo_operation(),
and 22023 for a time before the last settle unless late is reorder, 22003 if a state comes out of
range.';

CREATE FUNCTION skillrating_internal.state_rows(
    ladder text,
    players text[],
    states jsonb,
    OUT player_id text,
    OUT state float8[])
RETURNS SETOF record
LANGUAGE plpgsql STABLE
AS $function$
DECLARE
    columns text[] := (skillrating_internal.ladder_facts(ladder)).state_columns;
    -- An open period goes on by itself, from a rating that is set as its start.
    settable text[] := ARRAY(SELECT c.name FROM unnest(columns) WITH ORDINALITY AS c(name, n)
        WHERE NOT starts_with(c.name, 'period') ORDER BY c.n);
    wrong record;
BEGIN
    IF 'start_rating' = ANY (columns) THEN
        states := coalesce((SELECT jsonb_agg(CASE WHEN jsonb_typeof(e.state) = 'object' AND e.state ? 'rating'
                THEN e.state - 'rating' || jsonb_build_object('start_rating', e.state->'rating') ELSE e.state END ORDER BY e.n)
            FROM jsonb_array_elements(states) WITH ORDINALITY AS e(state, n)), '[]');
    END IF;
    -- JSON has numbers that float8 cannot hold, of thousands of digits.
    SELECT e.player_id, e.state, k.name, e.state->k.name AS value, jsonb_typeof(e.state->k.name) = 'number' AS is_number INTO wrong
    FROM ROWS FROM (unnest(players), jsonb_array_elements(states)) AS e(player_id, state)
    LEFT JOIN LATERAL jsonb_object_keys(CASE jsonb_typeof(e.state) WHEN 'object' THEN e.state END) AS k(name) ON true
    WHERE k.name IS NULL OR NOT k.name = ANY (settable) OR CASE jsonb_typeof(e.state->k.name) WHEN 'number'
        THEN NOT coalesce(nullif(abs((e.state->k.name)::numeric), 0), 1) BETWEEN 2.5e-324 AND 1.7976931348623157e308 ELSE true END
    ORDER BY k.name IS NOT NULL
    LIMIT 1;
    IF wrong.name = ANY (settable) AND wrong.is_number THEN
        RAISE numeric_value_out_of_range USING
            MESSAGE = format('state column "%s" of player %s is out of range', wrong.name, wrong.player_id),
            DETAIL = format('The value begins with %s.', left(wrong.value::text, 40));
    ELSIF FOUND THEN
        RAISE invalid_parameter_value USING
            MESSAGE = CASE WHEN wrong.name = ANY (settable)
                    THEN format('state column "%s" of player %s must be a number, not %s', wrong.name, wrong.player_id, wrong.value)
                WHEN wrong.name IS NOT NULL THEN format('unknown state column "%s" of player %s', wrong.name, wrong.player_id)
                ELSE format('state of player %s must be an object of state columns, not %s', wrong.player_id, wrong.state) END,
            HINT = format('The state columns are %s.', array_to_string(settable, ', '));
    END IF;
    RETURN QUERY
        SELECT e.player_id, (SELECT array_agg((e.state->>c.name)::float8 ORDER BY c.n) FROM unnest(columns) WITH ORDINALITY AS c(name, n))
        FROM ROWS FROM (unnest(players), jsonb_array_elements(states)) AS e(player_id, state);
END
$function$;

COMMENT ON FUNCTION skillrating_internal.state_rows(text, text[], jsonb) IS
'States given as objects, one for each player, as arrays in the order of the state columns; null,
which keeps the value, for a column that is lacking. With rating periods rating stands for
start_rating, and the open period cannot be set. Errors: 22023 for what is no object, is empty, or
has another column or a value that is no number, 22003 for a number that float8 cannot hold.';

CREATE FUNCTION skillrating_internal.set_rating(
    ladder text,
    player_id anycompatible,
    state jsonb,
    pool text DEFAULT NULL,
    at timestamptz DEFAULT now(),
    reason text DEFAULT NULL,
    OUT operation bigint,
    OUT players bigint)
LANGUAGE plpgsql VOLATILE
AS $function$
DECLARE
    state_values float8[] := (SELECT s.state
        FROM skillrating_internal.state_rows(ladder, ARRAY[player_id::text], jsonb_build_array(state)) AS s);
BEGIN
    PERFORM skillrating_internal.check_player(ladder, player_id::text, 'count');
    SELECT n.operation, n.changed INTO operation, players
    FROM skillrating_internal.note_operation(ladder, 'set', player_id::text, pool => pool, at => at,
        state => state_values, reason => coalesce(reason, 'set by hand')) AS n;
END
$function$;

COMMENT ON FUNCTION skillrating_internal.set_rating(text, anycompatible, jsonb, text, timestamptz, text) IS
'Sets state columns of a player by hand, as in {"rating": 1600}; the others stay. A player whom the
ladder does not know gets a rating, so that newcomers can be placed. Without pool it is the only one
of the ladder; a notice names those that it has if another is given. Errors as for undo_operation(),
and 22023 for a state column that there is not, a player who is merged into another, or without a
pool where there are several, 22003 for a state out of range.';

CREATE FUNCTION skillrating_internal.reset_rating(
    ladder text,
    player_id anycompatible,
    pool text DEFAULT NULL,
    at timestamptz DEFAULT now(),
    reason text DEFAULT NULL,
    OUT operation bigint,
    OUT ratings bigint)
LANGUAGE plpgsql VOLATILE
AS $function$
BEGIN
    PERFORM skillrating_internal.check_player(ladder, player_id::text, 'be rated', pool);
    SELECT n.operation, n.changed INTO operation, ratings
    FROM skillrating_internal.note_operation(ladder, 'reset', player_id::text, pool => pool, at => at,
        reason => coalesce(reason, 'reset')) AS n;
END
$function$;

COMMENT ON FUNCTION skillrating_internal.reset_rating(text, anycompatible, text, timestamptz, text) IS
'Makes a newcomer of a player, in one pool or in all: every state column gets its initial value,
counts and last_played of the rating begin again, and so does whatever a model or a leaderboard
makes of the number of games; the events before stay. In all pools (null) that includes what pools
share. Errors as for undo_operation(), and 22023 for a player who is merged into another.';

CREATE FUNCTION skillrating_internal.set_fixed(
    ladder text,
    player_id anycompatible,
    fixed boolean DEFAULT true,
    pool text DEFAULT NULL,
    at timestamptz DEFAULT now(),
    reason text DEFAULT NULL,
    OUT operation bigint,
    OUT ratings bigint)
LANGUAGE plpgsql VOLATILE
AS $function$
BEGIN
    PERFORM skillrating_internal.check_player(ladder, player_id::text, CASE WHEN pool IS NULL THEN 'be rated' ELSE 'count' END);
    SELECT n.operation, n.changed INTO operation, ratings
    FROM skillrating_internal.note_operation(ladder, CASE WHEN fixed THEN 'fix' ELSE 'unfix' END, player_id::text,
        pool => pool, at => at, reason => coalesce(reason, CASE WHEN fixed THEN 'fixed' ELSE 'no longer fixed' END)) AS n;
END
$function$;

COMMENT ON FUNCTION skillrating_internal.set_fixed(text, anycompatible, boolean, text, timestamptz, text) IS
'Marks a bot, a puzzle or a course: from its place in the order on the whole state of the player
stays as it is, in one pool or in all in which the player has a rating. No match, no idle time and
no season, decay() or settle() changes it, nor what models have of this player in a context;
opponents and team mates learn from the state as from any other, and games are counted. set_rating()
and reset_rating() still act, and a reset takes the mark away. With fixed false the player learns
again, and the time between does not count as idle. A column fixed of the source says the same match
by match, and of both the last word counts. With a pool, a player whom the ladder does not know gets
a rating. Column fixed of table rating has the mark. Errors as for undo_operation(), and 22023 for a
player who is merged into another.';

CREATE FUNCTION skillrating_internal.seed_from(
    ladder text,
    other text,
    pool text DEFAULT NULL,
    other_pool text DEFAULT NULL,
    overwrite boolean DEFAULT false,
    at timestamptz DEFAULT now(),
    reason text DEFAULT NULL,
    OUT operation bigint,
    OUT players bigint)
LANGUAGE plpgsql VOLATILE
AS $function$
DECLARE
    t record := skillrating_internal.ladder_facts(ladder);
    columns text[] := t.state_columns;
    other_columns text[] := (skillrating_internal.ladder_facts(other)).state_columns;
BEGIN
    other_pool := coalesce(other_pool, skillrating_internal.only_pool(other, 'Pass one of them as other_pool.'));
    IF NOT columns && other_columns THEN
        RAISE invalid_parameter_value USING
            MESSAGE = format('ladders "%s" and "%s" have no state column in common', ladder, other),
            HINT = 'Set the states with set_rating() instead.';
    END IF;
    SELECT n.operation, n.changed INTO operation, players
    FROM skillrating_internal.note_operation(ladder, 'seed', pool => pool, at => at,
        params => jsonb_build_object('ladder', other, 'pool', other_pool), reason => coalesce(reason, 'seeded from ' || other),
        rows => format(
            'SELECT o.player_id, $5 AS pool, ARRAY[%1$s]::float8[] AS state, $10 AS params FROM (%2$s) AS o
            WHERE %3$L OR NOT EXISTS (SELECT FROM %4$I.rating AS r WHERE r.player_id %5$s o.player_id AND r.pool = $5)', (
                SELECT string_agg(CASE WHEN c.name = ANY (other_columns) THEN format('o.%I', c.name) ELSE 'NULL' END, ', ' ORDER BY c.n)
                FROM unnest(columns) WITH ORDINALITY AS c(name, n)),
            skillrating_internal.past_board(other, other_pool, at, 'true'), overwrite, ladder, t.player_equals)) AS n;
END
$function$;

COMMENT ON FUNCTION skillrating_internal.seed_from(text, text, text, text, boolean, timestamptz, text) IS
'Starts players of a ladder from their states in another one: those columns that both models have, as
they are there at that time (see rating_at()), for players who have no row here yet, or for all with
overwrite. new_season() afterwards moves them towards the initial state. Without pool and other_pool
they are the only ones of the two. Errors as for undo_operation(), and 22023 if the models have no
state column in common, or without a pool where there are several.';

CREATE FUNCTION skillrating_internal.import_ratings(
    ladder text,
    players anycompatiblearray,
    states jsonb,
    pool text DEFAULT NULL,
    overwrite boolean DEFAULT false,
    at timestamptz DEFAULT now(),
    reason text DEFAULT NULL,
    OUT operation bigint,
    OUT ratings bigint)
LANGUAGE plpgsql VOLATILE
AS $function$
DECLARE
    t record := skillrating_internal.ladder_facts(ladder);
    wrong record;
BEGIN
    IF jsonb_array_length(states) <> cardinality(players) THEN
        RAISE array_subscript_error USING
            MESSAGE = format('array states has %s elements, not %s', jsonb_array_length(states), cardinality(players)),
            HINT = 'It has one object for each player, such as {"rating": 1600}.';
    END IF;
    IF array_position(players, NULL) IS NOT NULL THEN
        RAISE null_value_not_allowed USING
            MESSAGE = 'array players must not contain nulls';
    END IF;
    EXECUTE format(
        'SELECT g.player_id::text AS player_id, count(DISTINCT g.place) AS n
        FROM (SELECT CAST(u.id AS %3$s) AS player_id, u.place FROM unnest($1) WITH ORDINALITY AS u(id, place)) AS g
        LEFT JOIN %1$I.operation AS m ON m.player_id %2$s g.player_id AND m.kind = ''merge'' AND m.undone_at IS NULL
        GROUP BY g.player_id HAVING count(DISTINCT g.place) > 1 OR count(m.player_id) > 0
        ORDER BY 2 DESC LIMIT 1', ladder, t.player_equals, t.player_type)
    INTO wrong USING players::text[];
    IF wrong.n > 1 THEN
        RAISE invalid_parameter_value USING
            MESSAGE = format('player %s occurs %s times in array players', wrong.player_id, wrong.n);
    END IF;
    IF wrong.n = 1 THEN
        PERFORM skillrating_internal.check_player(ladder, wrong.player_id, 'count');
    END IF;
    SELECT n.operation, n.changed INTO operation, ratings
    FROM skillrating_internal.note_operation(ladder, 'seed', pool => pool, at => at, params => '{"imported": true}',
        reason => coalesce(reason, 'imported'), players => players::text[], states => states, rows => format(
            'SELECT o.*, $5 AS pool, $10 AS params
            FROM (
                SELECT CAST(s.player_id AS %1$s) AS player_id, s.state
                FROM skillrating_internal.state_rows(%2$L, $12, $13) AS s) AS o
            WHERE %3$L OR NOT EXISTS (SELECT FROM %2$I.rating AS r WHERE r.player_id %4$s o.player_id AND r.pool = $5)',
            t.player_type, ladder, overwrite, t.player_equals)) AS n;
END
$function$;

COMMENT ON FUNCTION skillrating_internal.import_ratings(text, anycompatiblearray, jsonb, text, boolean, timestamptz, text) IS
'Starts players with ratings that another system has computed. states is a JSON array with one object
for each element of players, in the same order, such as {"mu": 27.1, "sigma": 3.2}; its keys are
state columns of the ladder''s model (see models()), in the model''s units, and columns that it
lacks have their initial values. Players who already have a rating in the pool keep it, so that a
repeated import changes nothing; with overwrite they take the imported one. All players are one
operation. pool is as in set_rating(). Counts of games, wins and losses of table rating are those of
the rated matches, and begin at 0. Errors as for set_rating(), and 22004 for nulls, 2202E for arrays
that do not fit, 22023 for a value that is no number, or a player who is given twice.';
