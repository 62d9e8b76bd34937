-- Fair teams of a ladder's players.

CREATE FUNCTION skillrating_internal.states_at(
    ladder text,
    players anyarray,
    pool text,
    at timestamptz,
    context text[])
RETURNS float8[]
AS 'MODULE_PATHNAME', 'skillrating_states_at'
LANGUAGE C STABLE;

COMMENT ON FUNCTION skillrating_internal.states_at(text, anyarray, text, timestamptz, text[]) IS
'The state with which each player would go into a match at a time, as preview() has it: all state
columns, one player after another, with what the player has in a context, which may be null, as a
part of the skill.  Players without a row have the initial state.  Errors 2202E for
no players or too many, 22004 for nulls, 22008 for an infinite time, 22023 for two accounts of one
player.';

CREATE FUNCTION skillrating_internal.split_model(
    ladder text,
    caution float8,
    sides boolean,
    commanders boolean)
RETURNS TABLE (
    name text,
    params jsonb,
    nstate integer,
    deviation integer,
    side integer,
    command integer)
LANGUAGE plpgsql STABLE
SET search_path = pg_catalog, pg_temp
AS $function$
BEGIN
    PERFORM skillrating_internal.ladder_types(ladder);
    EXECUTE format(
        'SELECT m.name, l.params, cardinality(m.state_columns),
            array_position(m.state_columns, m.deviation_column),
            array_position(m.state_columns, m.side_column),
            array_position(m.state_columns, m.command_column)
        FROM %I.ladder AS l, skillrating.models(l.model, l.params) AS m', ladder)
    INTO name, params, nstate, deviation, side, command;
    IF caution <> 0 AND deviation IS NULL THEN
        RAISE invalid_parameter_value USING
            MESSAGE = format('model "%s" has no deviation to be cautious about', name);
    END IF;
    IF sides AND side IS NULL OR commanders AND command IS NULL THEN
        RAISE invalid_parameter_value USING
            MESSAGE = CASE WHEN sides AND side IS NULL THEN format('model "%s" has no sides', name)
                ELSE format('model "%s" has no commanders', name) END;
    END IF;
    RETURN NEXT;
END
$function$;

COMMENT ON FUNCTION skillrating_internal.split_model(text, float8, boolean, boolean) IS
'The model of a ladder, with its parameters, the number of its state columns, and the places of
those with a role.  Errors: 22023 for caution, sides or commanding that the model has no column for.';

CREATE FUNCTION skillrating_internal.check_components_readable(ladder text)
RETURNS void
LANGUAGE plpgsql STABLE
SET search_path = pg_catalog, pg_temp
AS $function$
DECLARE
    has_components boolean;
BEGIN
    PERFORM skillrating_internal.ladder_types(ladder);
    EXECUTE format(
        'SELECT EXISTS (SELECT FROM %I.ladder AS l
            CROSS JOIN skillrating.models(l.model, l.params) AS m CROSS JOIN unnest(m.components) AS c
            WHERE c.used)', ladder)
    INTO has_components;
    IF has_components THEN
        PERFORM skillrating_internal.check_readable(ladder, 'component');
    END IF;
END
$function$;

COMMENT ON FUNCTION skillrating_internal.check_components_readable(text) IS
'Error 42501 unless the caller of a function may read table component, or the ladder has none in
use.
A forecast is made of components, and preview(), called from inside, asks the owner''s rights only.';

CREATE FUNCTION skillrating_internal.split_ladder(
    ladder text,
    players anycompatiblearray,
    weight float8[] DEFAULT NULL,
    party integer[] DEFAULT NULL,
    locked integer[] DEFAULT NULL,
    avoid text[] DEFAULT NULL,
    split_evenly integer[] DEFAULT NULL,
    priority float8[] DEFAULT NULL,
    current integer[] DEFAULT NULL,
    commander boolean[] DEFAULT NULL,
    context text[] DEFAULT NULL,
    club text[] DEFAULT NULL,
    teams integer DEFAULT 2,
    team_size integer DEFAULT NULL,
    pool text DEFAULT '',
    sides boolean DEFAULT false,
    commanders boolean DEFAULT false,
    caution float8 DEFAULT 0,
    log_odds float8 DEFAULT 0,
    objective text DEFAULT 'squares',
    secondary text DEFAULT NULL,
    tolerance float8 DEFAULT 0,
    budget float8 DEFAULT NULL,
    seed bigint DEFAULT NULL,
    at timestamptz DEFAULT NULL,
    explain boolean DEFAULT false)
RETURNS TABLE (
    player_id anycompatible,
    team integer,
    mu float8,
    difference float8,
    win_probability float8,
    exact boolean,
    bound float8,
    commands boolean,
    why jsonb)
LANGUAGE plpgsql STABLE
SET search_path = pg_catalog, pg_temp
AS $function$
DECLARE
    model record;
    states float8[];
    estimates float8[];
    offsets float8[];
    command_skills float8[];
BEGIN
    IF players IS NULL OR cardinality(players) = 0 THEN
        RETURN;
    END IF;
    IF pool IS NULL OR log_odds IS NULL OR caution IS NULL OR sides IS NULL OR commanders IS NULL THEN
        RAISE null_value_not_allowed USING
            MESSAGE = 'pool, sides, commanders, caution and log_odds must not be null';
    END IF;
    PERFORM skillrating_internal.check_components_readable(ladder);
    model := skillrating_internal.split_model(ladder, caution, sides, commanders);
    states := skillrating_internal.states_at(ladder, players, pool, coalesce(at, now()),
        context);
    -- Subscripts from 1 on, whatever the arguments have.
    weight := CASE WHEN weight IS NOT NULL THEN ARRAY(SELECT unnest(weight)) END;
    party := CASE WHEN party IS NOT NULL THEN ARRAY(SELECT unnest(party)) END;
    context := CASE cardinality(context) WHEN 1
        THEN array_fill((SELECT unnest(context)), ARRAY[cardinality(players)])
        ELSE ARRAY(SELECT unnest(context)) END;
    club := CASE WHEN club IS NOT NULL THEN ARRAY(SELECT unnest(club)) END;
    -- The column at a place of all players.
    SELECT array_agg(states[p + 1] - CASE WHEN caution = 0 THEN 0
                ELSE caution * states[p + model.deviation] END ORDER BY p),
        array_agg(states[p + model.side] ORDER BY p) FILTER (WHERE sides),
        array_agg(states[p + model.command] ORDER BY p) FILTER (WHERE commanders)
    INTO estimates, offsets, command_skills
    FROM generate_series(0, cardinality(states) - 1, model.nstate) AS p;
    -- The probability is that of the model for these teams, from all that it knows.
    RETURN QUERY
    WITH split AS MATERIALIZED (
        SELECT s.*
        FROM skillrating_internal.split_states(players,
            mu => CASE WHEN offsets IS NULL THEN estimates
                ELSE ARRAY(SELECT e + o FROM unnest(estimates, offsets) AS u(e, o)) END,
            mu_2 => CASE WHEN offsets IS NOT NULL
                THEN ARRAY(SELECT e - o FROM unnest(estimates, offsets) AS u(e, o)) END,
            weight => weight, party => party, locked => locked, avoid => avoid,
            split_evenly => split_evenly, priority => priority,
            current => current, command_mu => command_skills,
            commander => commander, teams => teams, team_size => team_size, log_odds => log_odds,
            model => model.name, params => model.params, objective => objective,
            secondary => secondary, tolerance => tolerance, budget => budget, seed => seed,
            explain => explain, state => states)
            WITH ORDINALITY AS s(player, team, difference, win_probability, exact, bound, commands,
                why, n)
    ), playing AS (
        SELECT array_agg(s.player ORDER BY s.n) AS who, array_agg(s.team ORDER BY s.n) AS team,
            array_agg(s.commands::int::float8 ORDER BY s.n) AS commanding,
            CASE WHEN weight IS NOT NULL THEN array_agg(weight[s.n] ORDER BY s.n) END AS weights,
            CASE WHEN party IS NOT NULL THEN array_agg(party[s.n] ORDER BY s.n) END AS squads,
            CASE WHEN context <> '{}' THEN array_agg(context[s.n] ORDER BY s.n) END AS contexts,
            CASE WHEN club IS NOT NULL THEN array_agg(club[s.n] ORDER BY s.n) END AS clubs
        FROM split AS s WHERE s.team IS NOT NULL
    ), predicted AS MATERIALIZED (
        SELECT w.team, min(w.win_probability) AS p
        FROM playing AS p,
            skillrating.preview(ladder, p.who, p.team, weight => p.weights,
                squad => p.squads, pool => pool, log_odds => log_odds,
                side => CASE WHEN sides THEN p.team END,
                commanding => CASE WHEN commanders THEN p.commanding END,
                at => coalesce(at, now()), context => p.contexts, club => p.clubs) AS w
        GROUP BY w.team
    )
    SELECT s.player, s.team, estimates[s.n], s.difference,
        (SELECT p.p FROM predicted AS p WHERE p.team = s.team), s.exact, s.bound, s.commands, s.why
    FROM split AS s ORDER BY s.n;
END
$function$;

SELECT skillrating_internal.create_entry('split_ladder');

COMMENT ON FUNCTION skillrating.split_ladder(text, anycompatiblearray, float8[], integer[], integer[], text[], integer[], float8[], integer[], boolean[], text[], text[], integer, integer, text, boolean, boolean, float8, float8, text, text, float8, float8, bigint, timestamptz, boolean) IS
'split_teams() with the estimates that players have in a pool of a ladder, and with its model, which
says what teams are and when a split is balanced, from all that it knows of the players.  A
player without a rating has the initial state.

Result: a row for each player, in the order of players.  mu: the estimate that was used, after the
time since the last match, on no side and less caution.  difference: as in split_teams(), in the
points of the model.
win_probability: of the player''s own team, as preview() says for these teams with squad => party
and the same weight, log_odds and, where asked for, sides and commanders; null on the bench.
The other columns are those of split_teams().

caution: so many deviations are taken off each estimate, under a model that has them, so that
players of whom little is known count less.
sides: under hive, the first team is on side 1, and players count with their side offsets.
commanders: each team gets a commander, one of those whom commander allows (null: all), who counts
by command skill.
at: the time of the match, now by default, to which the players'' states are aged as by preview().
context, club: where or as what each plays, one element being that of all, and for whom, as in
preview().  What a player has in a context counts to the estimate; what contexts and clubs mean to
sides and teams shows in win_probability, and log_odds can even it out.
An account that is merged has the state of the player it is merged into, and its row comes back
under the identifier that was given.
The other arguments are those of split_teams().
Under a model with components it takes SELECT on table component besides.

Errors: 42704 for an unknown ladder; 22023 for caution, sides or commanders under a model without,
and for two accounts of one player; 22004 for nulls; 22008 for an infinite at; and as
split_teams().';

CREATE FUNCTION skillrating_internal.ladder_estimates(
    ladder text,
    players anycompatiblearray,
    pool text DEFAULT '',
    context text DEFAULT NULL,
    sides boolean DEFAULT false,
    commanders boolean DEFAULT false,
    caution float8 DEFAULT 0,
    at timestamptz DEFAULT NULL,
    OUT model text,
    OUT params jsonb,
    OUT counts_as text[],
    OUT excluded boolean[],
    OUT mu float8[],
    OUT mu_2 float8[],
    OUT command_mu float8[],
    OUT state float8[])
LANGUAGE plpgsql STABLE
SET search_path = pg_catalog, pg_temp
AS $function$
DECLARE
    -- As many as states_at() takes.
    most constant integer := 10000;
    t record := skillrating_internal.ladder_types(ladder);
    m record;
    playing text[];
    place integer[];
    ids text[];
    merged boolean;
    out_of_play text[];
    states float8[] := '{}';
BEGIN
    IF players IS NULL OR pool IS NULL OR sides IS NULL OR commanders IS NULL OR caution IS NULL
        OR array_position(players, NULL) IS NOT NULL
    THEN
        RAISE null_value_not_allowed USING
            MESSAGE = 'players, their elements, pool, sides, commanders and caution must not be null';
    END IF;
    PERFORM skillrating_internal.check_components_readable(ladder);
    m := skillrating_internal.split_model(ladder, caution, sides, commanders);
    model := m.name;
    params := m.params;
    EXECUTE format(
        'SELECT ARRAY(
                SELECT u.id::text FROM unnest(CAST($1 AS %2$s[])) WITH ORDINALITY AS u(id, n)
                ORDER BY u.n),
            EXISTS (SELECT FROM %1$I.operation AS o
                WHERE o.kind = ''merge'' AND o.undone_at IS NULL),
            ARRAY(SELECT o.player_id::text FROM %1$I.operation AS o
                WHERE o.kind = ''exclude'' AND o.undone_at IS NULL AND o.since <= $2
                    AND o.until > $2)', ladder, t.player_type)
    INTO ids, merged, out_of_play
    USING ARRAY(SELECT unnest(players)::text), coalesce(at, now());
    counts_as := ids;
    IF merged THEN
        counts_as := ARRAY(
            SELECT coalesce(a.into_id, u.id)
            FROM unnest(ids) WITH ORDINALITY AS u(id, n)
            LEFT JOIN skillrating_internal.merged_accounts(ladder) AS a ON a.player_id = u.id
            ORDER BY u.n);
    END IF;
    excluded := ARRAY(
        SELECT u.id = ANY (out_of_play) OR u.counted = ANY (out_of_play)
        FROM unnest(ids, counts_as) WITH ORDINALITY AS u(id, counted, n) ORDER BY u.n);
    -- The first account of each player stands for the others.
    SELECT array_agg(p.place::integer ORDER BY p.n),
        array_agg(p.id ORDER BY p.n) FILTER (WHERE p.n = p.first)
    INTO place, playing
    FROM (
        SELECT f.*, dense_rank() OVER (ORDER BY f.first) AS place
        FROM (
            SELECT u.id, u.n, min(u.n) OVER (PARTITION BY u.id) AS first
            FROM unnest(counts_as) WITH ORDINALITY AS u(id, n)) AS f) AS p;
    IF counts_as = '{}' THEN
        mu := '{}';
        state := '{}';
        RETURN;
    END IF;
    FOR start IN 1 .. cardinality(playing) BY most LOOP
        states := states || skillrating_internal.states_at(ladder,
            playing[start : start + most - 1], pool, coalesce(at, now()),
            CASE WHEN context IS NOT NULL THEN ARRAY[context] END);
    END LOOP;
    IF cardinality(playing) < cardinality(place) THEN
        SELECT array_agg(s.value ORDER BY u.n, s.n) INTO states
        FROM unnest(place) WITH ORDINALITY AS u(place, n)
        JOIN unnest(states) WITH ORDINALITY AS s(value, n) ON (s.n - 1) / m.nstate + 1 = u.place;
    END IF;
    state := states;
    SELECT array_agg(e.mu + e.side_offset ORDER BY e.n),
        array_agg(e.mu - e.side_offset ORDER BY e.n) FILTER (WHERE sides),
        array_agg(e.command ORDER BY e.n) FILTER (WHERE commanders)
    INTO mu, mu_2, command_mu
    FROM (
        SELECT p.n, states[p.n + 1] - CASE WHEN caution = 0 THEN 0
                ELSE caution * states[p.n + m.deviation] END AS mu,
            CASE WHEN sides THEN states[p.n + m.side] ELSE 0 END AS side_offset,
            states[p.n + m.command] AS command
        FROM generate_series(0, cardinality(states) - 1, m.nstate) AS p(n)) AS e;
END
$function$;

SELECT skillrating_internal.create_entry('ladder_estimates');

COMMENT ON FUNCTION skillrating.ladder_estimates(text, anycompatiblearray, text, text, boolean, boolean, float8, timestamptz) IS
'What pair_queue() needs to know of players of a ladder, in one row: an element of each array for
each player, in the order of players.  A player without a rating in the pool has the initial state.

model, params: of the ladder.
counts_as: the account that the player''s is merged into, or the player''s own.
excluded: whether the player is excluded by exclude_player() at that time.
mu: the estimate of skill after the time since the last match, less caution deviations; with sides
on the first one, and mu_2 on the second.  command_mu: the skill as a commander, with commanders.
state: all state columns of the model, one player after another.  With a context they include what
the player has there.

at: now by default.  Unlike split_ladder() it takes several accounts of one player.
Under a model with components it takes SELECT on table component besides.
Errors: 42704 for an unknown ladder; 22023 for caution, sides or commanders under a model without;
22004 for nulls; 22008 for an infinite at.';

CREATE TYPE skillrating.opponent AS (
    player_id text,
    rating float8,
    games bigint,
    win_probability float8,
    why jsonb);

COMMENT ON TYPE skillrating.opponent IS
'A result of find_opponents(): the opponent, with the rating and games on the ladder.
win_probability: of the player who asked, against this opponent.
why: with explain, the reason for this opponent.';

CREATE FUNCTION skillrating_internal.find_opponents(
    ladder text,
    player_id anycompatible,
    n integer DEFAULT 10,
    pool text DEFAULT '',
    min_games bigint DEFAULT 0,
    active_since timestamptz DEFAULT NULL,
    max_deviation float8 DEFAULT NULL,
    at timestamptz DEFAULT NULL,
    context text DEFAULT NULL,
    explain boolean DEFAULT false)
RETURNS SETOF skillrating.opponent
LANGUAGE plpgsql STABLE
SET search_path = pg_catalog, pg_temp
AS $function$
DECLARE
    t record := skillrating_internal.ladder_types(ladder);
    board text := skillrating_internal.board(ladder, pool, at);
    eligible text := skillrating_internal.eligible_players(ladder, min_games, max_deviation)
        || ' AND ' || skillrating_internal.counting_rows(ladder);
    player text := skillrating_internal.counted_player(ladder, player_id::text);
    player_rating float8;
    terms jsonb;
    costliest jsonb;
    nearest float8;
BEGIN
    IF n IS NULL OR n < 0 THEN
        RAISE invalid_parameter_value USING
            MESSAGE = format('n must not be negative or null, not %s', n);
    END IF;
    IF player_id IS NULL THEN
        RETURN;
    END IF;
    PERFORM skillrating_internal.check_components_readable(ladder);
    EXECUTE format(
        'WITH board AS %4$s
        SELECT coalesce((SELECT r.rating FROM board AS r WHERE r.pool = $1 AND r.player_id %2$s CAST($2 AS %3$s)),
            skillrating.state_rating(l.model, skillrating.initial_state(l.model, l.params), l.params)) FROM %1$I.ladder AS l',
        ladder, t.player_equals, t.player_type, board)
    INTO player_rating USING pool, player;
    IF explain THEN
        -- The condition without which an opponent would be nearer; of the others none is dropped.
        SELECT abs(o.win_probability - 0.5) INTO nearest
        FROM skillrating.find_opponents(ladder, player_id, 1, pool, min_games, active_since,
            max_deviation, at => at, context => context) AS o;
        SELECT jsonb_build_object('if', 'there is no ' || c.condition, 'opponent', o.player_id,
            'win_probability', o.win_probability, 'off', abs(o.win_probability - 0.5),
            'cost', nearest - abs(o.win_probability - 0.5))
        INTO costliest
        FROM (VALUES ('min_games', min_games > 0), ('active_since', active_since IS NOT NULL),
                ('max_deviation', max_deviation IS NOT NULL)) AS c(condition, is_there),
            skillrating.find_opponents(ladder, player_id, 1, pool,
                CASE c.condition WHEN 'min_games' THEN 0 ELSE min_games END,
                CASE c.condition WHEN 'active_since' THEN NULL ELSE active_since END,
                CASE c.condition WHEN 'max_deviation' THEN NULL ELSE max_deviation END,
                at => at, context => context) AS o
        WHERE c.is_there AND abs(o.win_probability - 0.5) < coalesce(nearest, 1)
        ORDER BY abs(o.win_probability - 0.5), c.condition LIMIT 1;
        terms := jsonb_build_object('rating', player_rating);
    END IF;
    -- The index gives twice as many as are wanted on either side, among whom the model decides.
    RETURN QUERY EXECUTE format(
        'WITH board AS %1$s, near AS (
            (SELECT r.* FROM board AS r
                WHERE %2$s AND r.rating >= $5 AND NOT r.player_id %3$s CAST($6 AS %4$s)
                ORDER BY r.rating, r.player_id DESC LIMIT 2 * $7)
            UNION ALL
            (SELECT r.* FROM board AS r
                WHERE %2$s AND r.rating < $5 AND NOT r.player_id %3$s CAST($6 AS %4$s)
                ORDER BY r.rating DESC, r.player_id LIMIT 2 * $7)
        )
        SELECT n.player_id::text, n.rating, n.games, w.win_probability,
            CASE WHEN $9 IS NOT NULL THEN jsonb_build_object(
                ''terms'', $9 || jsonb_build_object(''difference'', $5 - n.rating,
                    ''off'', abs(w.win_probability - 0.5)),
                ''alternative'', lead(n.player_id::text) OVER (
                    ORDER BY abs(w.win_probability - 0.5), n.rating DESC, n.player_id),
                ''constraint'', $10) END
        FROM near AS n,
            skillrating.win_probability($8, ARRAY[CAST($6 AS %4$s), n.player_id], ARRAY[1, 2],
                pool => $1, at => coalesce($11, now()), context => ARRAY[$12]) AS w
        WHERE w.team = 1
        ORDER BY abs(w.win_probability - 0.5), n.rating DESC, n.player_id LIMIT $7',
        board, eligible, t.player_equals, t.player_type)
    USING pool, min_games, active_since, max_deviation, player_rating, player, n, ladder,
        terms, costliest, at, context;
END
$function$;

SELECT skillrating_internal.create_entry('find_opponents');

COMMENT ON FUNCTION skillrating.find_opponents(text, anycompatible, integer, text, bigint, timestamptz, float8, timestamptz, text, boolean) IS
'The n opponents with whom a match of two would be most even, the most even first.

Of the 2 n players above and the 2 n below in the leaderboard with the same conditions (see
leaderboard()), these are the ones whose win probability by the ladder''s model is nearest to one
half; win_probability is that of the player.  A player without a rating has the initial state.
at: the time of the match, for which ratings are computed as in leaderboard(); by default it is
played now, among the ratings that are stored.  context: where or as what both play, for the win
probability.
explain: each row says why: the player''s rating, the difference, and how far the probability is
from one half (terms), the next best opponent (alternative), and the condition without which the
best opponent would be nearer (constraint).

No rows for a null player.  An account that is merged counts as the player it is merged into, and
is nobody''s opponent.  Under a model with components it takes SELECT on table component besides.
Errors: 42704 for an unknown ladder, 22023 for a negative n or min_games, 22008 for an infinite at.';
