-- A ladder's players as a lobby, and opponents.

SELECT skillrating_internal.make_function('skillrating.lobby', '
    ladder text,
    players anycompatiblearray,
    weight float8[] DEFAULT NULL,
    party text[] DEFAULT NULL,
    locked integer[] DEFAULT NULL,
    avoid text[] DEFAULT NULL,
    split_evenly text[] DEFAULT NULL,
    priority float8[] DEFAULT NULL,
    current integer[] DEFAULT NULL,
    commanders boolean[] DEFAULT NULL,
    context text[] DEFAULT NULL,
    club text[] DEFAULT NULL,
    pool text DEFAULT NULL,
    sides boolean DEFAULT false,
    caution float8 DEFAULT 0,
    log_odds float8 DEFAULT 0,
    at timestamptz DEFAULT NULL,
    wishes jsonb DEFAULT NULL,
    strict boolean DEFAULT false',
    'skillrating.lobby', 'STABLE',
'Players of a ladder as a lobby for the team makers: with their states in a pool or the initial ones,
and the ladder''s model and parameters.

commanders: each team gets a commander, by command skill, among the players who may command; one
element is that of all.  Null: no commanders.
sides: the first team is on side 1, and players count with their side offsets.
context, club: where or as what each plays, one context being that of all, and for whom, as in
preview().  What a player has in a context counts to the estimate; what contexts and clubs mean to
sides and teams shows in win_probability, and log_odds can even it out.
caution: so many deviations are taken off each estimate, so that players of whom little is known
count less; win_probability stays that of preview().
at: the time of the match, now by default, to which states are aged as by preview().
pool: the only one of the ladder by default, and an unknown one is new, as in preview().
The other arguments are those of lobby(players, mu, ...).

An account that is merged has the state of the player it is merged into, and comes back as it was
given; a lobby of two accounts of one player is an error of the team makers.
Under a model with components it takes SELECT on table component besides.
Errors: 42704 for an unknown ladder; 22023 for caution, sides or commanders under a model without,
without a pool where there are several, and where tournaments are the rating periods; 2202E for
arrays of other lengths; 22004 for nulls; 22008 for an infinite at; 54000 for over 100000 players.',
    'skillrating_ladder_lobby');

SELECT skillrating_internal.make_type('opponent',
'A result of find_opponents().', '
player_id text: The opponent.
rating float8
games bigint
win_probability float8: Of the player who asked, against this opponent.
why jsonb: With explain, the reason for this opponent.');

CREATE FUNCTION skillrating_internal.find_opponents(
    ladder text,
    player_id anycompatible,
    n integer DEFAULT 10,
    pool text DEFAULT NULL,
    min_games bigint DEFAULT 0,
    active_since timestamptz DEFAULT NULL,
    max_deviation float8 DEFAULT NULL,
    at timestamptz DEFAULT NULL,
    context text DEFAULT NULL,
    explain boolean DEFAULT false)
RETURNS SETOF skillrating.opponent
LANGUAGE plpgsql STABLE
AS $function$
DECLARE
    t record := skillrating_internal.ladder_facts(ladder);
    b record := skillrating_internal.board(ladder, pool, at, min_games, active_since, max_deviation);
    player text := skillrating_internal.counted_player(ladder, player_id::text);
    player_rating float8;
    terms jsonb;
    costliest jsonb;
    nearest float8;
BEGIN
    -- A forecast is made of components, and preview(), called from inside, asks the owner's rights only.
    PERFORM skillrating_internal.check_inside(ladder, 'component');
    EXECUTE format(
        '%4$s SELECT coalesce((SELECT r.rating FROM board AS r WHERE r.pool = $1 AND r.player_id %2$s CAST($2 AS %3$s)),
            skillrating.state_rating(l.model, skillrating.initial_state(l.model, l.params), l.params)) FROM %1$I.ladder AS l',
        ladder, t.player_equals, t.player_type, b.rows)
    INTO player_rating USING pool, player;
    IF explain THEN
        -- The condition without which an opponent would be nearer; of the others none is dropped.
        SELECT abs(o.win_probability - 0.5) INTO nearest
        FROM skillrating_internal.find_opponents(ladder, player_id, 1, pool, min_games, active_since,
            max_deviation, at => at, context => context) AS o;
        SELECT jsonb_build_object('if', 'there is no ' || c.condition, 'opponent', o.player_id,
            'win_probability', o.win_probability, 'off', abs(o.win_probability - 0.5),
            'cost', nearest - abs(o.win_probability - 0.5))
        INTO costliest
        FROM (VALUES ('min_games', min_games > 0), ('active_since', active_since IS NOT NULL),
                ('max_deviation', max_deviation IS NOT NULL)) AS c(condition, is_there),
            skillrating_internal.find_opponents(ladder, player_id, 1, pool,
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
        '%1$s, near AS (
            (SELECT r.* FROM board AS r
                WHERE %2$s AND r.rating >= $2 AND NOT r.player_id %3$s CAST($3 AS %4$s)
                ORDER BY r.rating, r.player_id DESC LIMIT 2 * $4)
            UNION ALL
            (SELECT r.* FROM board AS r
                WHERE %2$s AND r.rating < $2 AND NOT r.player_id %3$s CAST($3 AS %4$s)
                ORDER BY r.rating DESC, r.player_id LIMIT 2 * $4)
        )
        SELECT n.player_id::text, n.rating, n.games, w.win_probability,
            CASE WHEN $5 IS NOT NULL THEN jsonb_build_object(
                ''terms'', $5 || jsonb_build_object(''difference'', $2 - n.rating,
                    ''off'', abs(w.win_probability - 0.5)),
                ''alternative'', lead(n.player_id::text) OVER (
                    ORDER BY abs(w.win_probability - 0.5), n.rating DESC, n.player_id),
                ''constraint'', $6) END
        FROM near AS n,
            skillrating_internal.preview(%5$L, ARRAY[CAST($3 AS %4$s), n.player_id], ARRAY[1, 2],
                pool => $1, at => coalesce($7, now()), context => ARRAY[$8]) AS w
        WHERE w.team = 1
        ORDER BY abs(w.win_probability - 0.5), n.rating DESC, n.player_id LIMIT $4',
        b.rows, b.eligible || format(' AND NOT r.player_id %s ANY (ARRAY(
            SELECT o.player_id FROM %I.operation AS o WHERE o.kind = ''merge'' AND o.undone_at IS NULL))', t.player_equals, ladder),
        t.player_equals, t.player_type, ladder)
    USING pool, player_rating, player, n, terms, costliest, at, context;
END
$function$;

COMMENT ON FUNCTION skillrating_internal.find_opponents(text, anycompatible, integer, text, bigint, timestamptz, float8, timestamptz, text, boolean) IS
'The n opponents with whom a match of two would be most even, the most even first.

Of the 2 n players above and the 2 n below in the leaderboard with the same conditions, whose win
probability by the ladder''s model is nearest to one half.  A newcomer has the initial state.
at: the time of the match, for which ratings are computed as in leaderboard(); by default it is
played now, among the ratings that are stored.  context: where or as what both play.
pool: the only one of the ladder by default; in an unknown one is nobody, which a notice says.
explain: each row says why: the player''s rating, the difference, and how far the probability is
from one half (terms), the next best opponent (alternative), and the condition without which the
best opponent would be nearer (constraint).

An account that is merged counts as the player it is merged into, and is nobody''s opponent.  Under a
model with components it takes SELECT on table component besides.
Errors: 42704 for an unknown ladder, 22023 for a negative n or min_games, or without a pool where
there are several, 22008 for an infinite at.';
