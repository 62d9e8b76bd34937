-- Existing teams adjusted.

CREATE FUNCTION skillrating.suggest_swaps(
    players anyarray,
    mu float8[],
    team integer[],
    mu_2 float8[] DEFAULT NULL,
    party integer[] DEFAULT NULL,
    locked integer[] DEFAULT NULL,
    avoid text[] DEFAULT NULL,
    max_swaps integer DEFAULT NULL,
    log_odds float8 DEFAULT 0,
    strength text DEFAULT 'mean',
    log_odds_unit float8 DEFAULT 173.71779276130073,
    method text DEFAULT 'exact',
    budget float8 DEFAULT NULL,
    seed bigint DEFAULT NULL,
    explain boolean DEFAULT false)
RETURNS TABLE (
    swaps integer,
    player_id_a anyelement,
    player_id_b anyelement,
    difference float8,
    win_probability float8,
    exact boolean,
    bound float8,
    why jsonb)
AS 'MODULE_PATHNAME', 'skillrating_suggest_swaps'
LANGUAGE C STABLE PARALLEL SAFE ROWS 24;

COMMENT ON FUNCTION skillrating.suggest_swaps(anyarray, float8[], integer[], float8[], integer[], integer[], text[], integer, float8, text, float8, text, float8, bigint, boolean) IS
'The fewest swaps that make two existing teams even: for each number of swaps that is better than
any smaller number, the players who change places, and the difference that is left.

Result: the rows with the same number of swaps are one suggestion, fewest swaps first.  In each row
player_id_a, of the first team, changes places with player_id_b, of the second.  Of the players who
move, the strongest are paired; rows come in the order of player_id_a among players, by the method
greedy in the order of the swaps.  The rows with 0 swaps say how the match is now: one for each
player without a team, who is placed first as by place_joiner(), as player_id_a in the first team or
player_id_b in the second; or one with nulls.
difference, exact and bound: after these swaps, as in split_teams(); exact: no other swaps of as
many players are better, nor more swaps than were tried within the budget.
win_probability: of the first team after these swaps, in every row, because a row is about two
players.

team: the team at present, 1 or 2, or null for a player without a team.
party: players of a party who are in one team move together or not at all.
locked: the team on which a player has to be: null, or the team at present.  A player without a team
is placed on that team.
avoid: pairs who are not to come into one team; those who are in one team already may stay.
max_swaps: the largest number of swaps; null for no limit.
method: exact, or greedy: the best swap of two, then the best after that, as in the Natural
Selection 2 document.
explain: the first row of each number says in why what the difference was and is, and how far that
is from even (terms), the best other swaps of as many players (alternative), and the lock, party or
pair without which as many swaps would do most (constraint); for 0 swaps, as in split_teams().  Where
the budget does not suffice for all numbers, the larger ones have only terms.
The other arguments are those of split_teams().

No rows if players, mu or team are null, or there are no players.
Errors: 22023 for a player who is locked to the bench or to another team, for players without a team
who cannot be placed, and for values out of range; and as split_teams().';

CREATE FUNCTION skillrating.suggest_transfers(
    players anyarray,
    mu float8[],
    team integer[],
    mu_2 float8[] DEFAULT NULL,
    party integer[] DEFAULT NULL,
    locked integer[] DEFAULT NULL,
    avoid text[] DEFAULT NULL,
    max_swaps integer DEFAULT 0,
    log_odds float8 DEFAULT 0,
    strength text DEFAULT 'mean',
    log_odds_unit float8 DEFAULT 173.71779276130073,
    budget float8 DEFAULT NULL,
    seed bigint DEFAULT NULL,
    explain boolean DEFAULT false)
RETURNS TABLE (
    player_id anyelement,
    from_team integer,
    to_team integer,
    difference float8,
    win_probability float8,
    exact boolean,
    bound float8,
    why jsonb)
AS 'MODULE_PATHNAME', 'skillrating_suggest_transfers'
LANGUAGE C STABLE PARALLEL SAFE ROWS 4;

COMMENT ON FUNCTION skillrating.suggest_transfers(anyarray, float8[], integer[], float8[], integer[], integer[], text[], integer, float8, text, float8, float8, bigint, boolean) IS
'The players who change teams so that two existing teams are equal in size, or differ by one, and
the match is as even as possible.  All players who move are chosen together, and by the sign of the
difference, so that no strong player leaves the weaker team.

Result: a row for each player who moves, in the order of players; no rows if nobody has to.
difference, exact and bound: after all moves, as in split_teams().
win_probability: of the first team after all moves, in every row.

max_swaps: pairs who may change places besides, as few as are needed.
explain: the first row says in why what suggest_swaps() does.
The other arguments are those of suggest_swaps(); a locked player stays.

Errors: as suggest_swaps(); 22023 also if a player has no team, or too many players are locked.';

CREATE FUNCTION skillrating.place_joiner(
    players anyarray,
    mu float8[],
    team integer[],
    mu_2 float8[] DEFAULT NULL,
    party integer[] DEFAULT NULL,
    locked integer[] DEFAULT NULL,
    avoid text[] DEFAULT NULL,
    max_lead integer DEFAULT 1,
    log_odds float8 DEFAULT 0,
    strength text DEFAULT 'mean',
    log_odds_unit float8 DEFAULT 173.71779276130073,
    budget float8 DEFAULT NULL,
    seed bigint DEFAULT NULL,
    explain boolean DEFAULT false)
RETURNS TABLE (
    player_id anyelement,
    team integer,
    difference float8,
    win_probability float8,
    exact boolean,
    bound float8,
    why jsonb)
AS 'MODULE_PATHNAME', 'skillrating_place_joiner'
LANGUAGE C STABLE PARALLEL SAFE ROWS 1;

COMMENT ON FUNCTION skillrating.place_joiner(anyarray, float8[], integer[], float8[], integer[], integer[], text[], integer, float8, text, float8, float8, bigint, boolean) IS
'Teams for players who have none yet (team is null), chosen together so that the match is as even as
possible.

Result: a row for each of them, in the order of players.
difference, exact and bound: with them, as in split_teams().
win_probability: of the first team with them, in every row.

max_lead: no team gets more than so many players more than the other; if one has them anyway, the
lead becomes as small as possible.
locked: the team on which a player has to be: a joiner is placed there.
explain: the first row says in why what split_teams() does.
The other arguments and the errors are those of suggest_swaps().';

CREATE FUNCTION skillrating.scramble_due(
    mode text,
    winner integer[],
    captures_1 integer[] DEFAULT NULL,
    captures_2 integer[] DEFAULT NULL,
    streak integer DEFAULT 3,
    rounds integer DEFAULT 2,
    waiting_over boolean DEFAULT false,
    OUT due boolean,
    OUT reason text)
LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE
SET search_path = pg_catalog, pg_temp
AS $function$
DECLARE
    n integer := cardinality(winner);
    scored integer[] := ARRAY[captures_1[n], captures_2[n]];
BEGIN
    IF mode IS NULL OR mode NOT IN ('arena', 'attack_defend', 'payload', 'koth', '5cp', 'ctf') THEN
        RAISE invalid_parameter_value USING
            MESSAGE = format('unknown mode "%s"', mode),
            HINT = 'The modes are arena, attack_defend, payload, koth, 5cp and ctf.';
    END IF;
    IF winner IS NULL OR streak IS NULL OR rounds IS NULL OR waiting_over IS NULL THEN
        RAISE null_value_not_allowed USING MESSAGE = 'winner, streak, rounds and waiting_over must not be null';
    END IF;
    IF streak < 1 OR rounds < 1 THEN
        RAISE invalid_parameter_value USING MESSAGE = 'streak and rounds must be positive';
    END IF;
    reason := CASE
        WHEN waiting_over THEN 'waiting for players is over'
        WHEN n = 0 THEN NULL
        WHEN mode = 'arena' AND n = 1 THEN 'the first round is over'
        WHEN mode = 'arena' AND n >= streak
            AND (SELECT count(DISTINCT w) = 1 AND count(w) = streak FROM unnest(winner[n - streak + 1:]) AS w)
            THEN format('team %s has won %s in a row', winner[n], streak)
        WHEN mode IN ('attack_defend', 'payload') AND scored[1] = 0 AND scored[2] = 0 THEN 'the attackers have captured nothing'
        WHEN mode IN ('attack_defend', 'payload') AND n >= rounds THEN format('%s rounds are over', rounds)
        WHEN mode IN ('koth', '5cp', 'ctf') AND winner[n] IN (1, 2) AND scored[3 - winner[n]] = 0
            THEN format('team %s has captured nothing', 3 - winner[n])
    END;
    due := reason IS NOT NULL;
END
$function$;

COMMENT ON FUNCTION skillrating.scramble_due(text, integer[], integer[], integer[], integer, integer, boolean) IS
'Whether teams should be mixed again after the last round, and the reason (null: they should not),
by the rules of the SynElo document for each game mode.

winner: the winner of each round since the last scramble, the latest last: 1, 2, or null for a draw.
captures_1, captures_2: what either team has captured in each of these rounds.
mode arena: after the first round, and when a team has won streak rounds in a row.
attack_defend, payload: when the attackers have captured nothing in the last round, or after so many
rounds.
koth, 5cp, ctf: when the loser of the last round has captured nothing.
waiting_over: waiting for players is over, a reason in all modes.

Errors: 22023 for an unknown mode and for numbers that are not positive, 22004 for nulls.';
