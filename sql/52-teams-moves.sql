-- Teams that are there, made fairer.

CREATE FUNCTION skillrating.suggest_swaps(
    players anyarray,
    rating float8[],
    team integer[],
    max_swaps integer DEFAULT NULL,
    party integer[] DEFAULT NULL,
    locked boolean[] DEFAULT NULL,
    rating_2 float8[] DEFAULT NULL,
    log_odds float8 DEFAULT 0,
    strength text DEFAULT 'mean',
    scale float8 DEFAULT 173.71779276130073,
    method text DEFAULT 'exact',
    budget float8 DEFAULT NULL,
    seed bigint DEFAULT NULL,
    explain boolean DEFAULT false)
RETURNS TABLE (swaps integer, player_a anyelement, player_b anyelement, difference float8, why jsonb)
AS 'MODULE_PATHNAME', 'skillrating_suggest_swaps'
LANGUAGE C IMMUTABLE PARALLEL SAFE ROWS 24;

COMMENT ON FUNCTION skillrating.suggest_swaps(anyarray, float8[], integer[], integer, integer[], boolean[], float8[], float8, text, float8, text, float8, bigint, boolean) IS
'The fewest swaps that make two teams fair: for each number of swaps that is better than any smaller one, who of the first team (player_a) changes places with whom of the second (player_b), and the difference that is left. The rows of one number are one suggestion; of those who move, the strongest are paired. team is 1 or 2, or null for players without one, who are placed first, as place_joiner() does; the rows with 0 swaps say where, as player_a if in the first team, or have nulls. max_swaps limits the number (null: no limit). Those of a party, if they are in one team, move together or not at all; locked players stay. method is exact, or greedy: the best swap of two, then the best after that, and so on, as the Natural Selection 2 document describes it. The others are as in split_teams(). With explain the first row of each number says in why what the difference was and is, what is off even then (terms), the best others who could swap (alternative, as many), and the player or party without whose tie as many swaps would do most (constraint); for 0 swaps, as in split_teams(). No rows without players, ratings or teams. Errors: 22023 for values out of range, and as split_teams().';

CREATE FUNCTION skillrating.suggest_transfers(
    players anyarray,
    rating float8[],
    team integer[],
    max_swaps integer DEFAULT 0,
    party integer[] DEFAULT NULL,
    locked boolean[] DEFAULT NULL,
    rating_2 float8[] DEFAULT NULL,
    log_odds float8 DEFAULT 0,
    strength text DEFAULT 'mean',
    scale float8 DEFAULT 173.71779276130073,
    seed bigint DEFAULT NULL,
    explain boolean DEFAULT false)
RETURNS TABLE (player anyelement, from_team integer, to_team integer, difference float8, win_probability float8, exact boolean, why jsonb)
AS 'MODULE_PATHNAME', 'skillrating_suggest_transfers'
LANGUAGE C IMMUTABLE PARALLEL SAFE ROWS 4;

COMMENT ON FUNCTION skillrating.suggest_transfers(anyarray, float8[], integer[], integer, integer[], boolean[], float8[], float8, text, float8, bigint, boolean) IS
'Who changes the team so that both have as many players, or one of them one more, and the match is as even as it can be then: all who move are found together, and with the sign of the difference, so that nobody strong leaves the weaker team. Up to max_swaps pairs may change places besides. A row for each player who moves, with what is left: the difference and the win probability of the first team. With explain the first row says why, as in suggest_swaps(). No rows if nobody has to move. Arguments and errors are those of suggest_swaps(); 22023 also where somebody has no team, or too many are locked.';

CREATE FUNCTION skillrating.place_joiner(
    players anyarray,
    rating float8[],
    team integer[],
    max_lead integer DEFAULT 1,
    party integer[] DEFAULT NULL,
    rating_2 float8[] DEFAULT NULL,
    log_odds float8 DEFAULT 0,
    strength text DEFAULT 'mean',
    scale float8 DEFAULT 173.71779276130073,
    seed bigint DEFAULT NULL,
    explain boolean DEFAULT false)
RETURNS TABLE (player anyelement, team integer, difference float8, win_probability float8, exact boolean, why jsonb)
AS 'MODULE_PATHNAME', 'skillrating_place_joiner'
LANGUAGE C IMMUTABLE PARALLEL SAFE ROWS 1;

COMMENT ON FUNCTION skillrating.place_joiner(anyarray, float8[], integer[], integer, integer[], float8[], float8, text, float8, bigint, boolean) IS
'Where those go who have no team yet (team is null): to where the match is most even, all of them considered together, as long as no team has more than max_lead players more than the other; if it has anyway, to where the lead is smallest. A row for each of them, with the difference and the win probability of the first team afterwards; with explain the first row says why, as in split_teams(). Arguments and errors are those of suggest_swaps().';

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
'Whether teams should be mixed again after the last round, and why, by the rules of the SynElo document for each game mode. winner has the winner of each round since the last scramble, the latest last: 1, 2, or null for a draw; captures_1 and captures_2 what either team has captured in each. arena: after the first round, and when a team has won streak rounds in a row. attack_defend and payload: when the attackers have captured nothing in the last round, or after so many rounds. koth, 5cp and ctf: when the loser of the last round has captured nothing. In all modes when waiting for players is over. Errors: 22023 for an unknown mode and for numbers that are not positive, 22004 for nulls.';
