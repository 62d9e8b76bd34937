-- Existing teams adjusted.

SELECT skillrating_internal.make_function('skillrating.suggest_swaps', '
    lobby skillrating.lobby,
    max_swaps integer DEFAULT NULL,
    method text DEFAULT ''exact'',
    budget float8 DEFAULT NULL,
    seed bigint DEFAULT NULL,
    explain boolean DEFAULT false',
    'TABLE (swaps integer, player_id_a text, player_id_b text, difference float8,
        win_probability float8, exact boolean, bound float8, commander_1 text, commander_2 text,
        why jsonb)', 'IMMUTABLE PARALLEL SAFE ROWS 24',
'The fewest swaps that make two existing teams even, those of current in the lobby: for each number
of swaps that is better than any smaller number, who changes places, and the difference left.

Result: the rows with the same number of swaps are one suggestion, fewest swaps first.  In each row
player_id_a, of the first team, changes places with player_id_b, of the second.  Of the players who
move, the strongest are paired; rows come in the order of player_id_a among players, by the method
greedy in the order of the swaps.  The rows with 0 swaps say how the match is now: one for each
player without a team, who is placed first as by place_joiner(), as player_id_a in the first team or
player_id_b in the second; or one with nulls.
difference, exact and bound: after these swaps, as in split_teams(); exact: no other swaps of as
many players are better, nor more swaps than were tried within the budget.
win_probability: of the first team after these swaps, in every row.
commander_1, commander_2: who commands either team then; null without commanders.  They are chosen
anew for each number of swaps; to keep those who command now, name only them in commanders.

Of the lobby''s constraints:
current: null for a player without a team; there is no bench.
party: players of a party who are in one team move together or not at all.  With a model they are a
squad; of a party in both teams, those in one team are one.
locked: null, or the team at present; a player without a team is placed on that team.
avoid: pairs who are not to come into one team; those who are in one team already may stay.
split_evenly is an error, and priority does not count.

max_swaps: the largest number of swaps; null for no limit.
method: exact, or greedy: the best swap of two, then the best after that (Natural Selection 2).
explain: the first row of each number says in why what the difference was and is, and how far that
is from even (terms), the best other swaps of as many players (alternative), and the lock, party or
pair without which as many swaps would do most (constraint); for 0 swaps, as in split_teams().
Where the budget does not suffice for all numbers, the larger ones have only terms.
The other arguments are those of split_teams().

No rows for a null lobby, and without players or mu.
Errors: 22004 for a lobby without current; 22023 for a player who is locked to the bench or to
another team, for players without a team who cannot be placed, for a team that nobody may command,
and for values out of range; and as split_teams().');

SELECT skillrating_internal.make_function('skillrating.suggest_transfers', '
    lobby skillrating.lobby,
    max_swaps integer DEFAULT 0,
    max_lead integer DEFAULT 1,
    budget float8 DEFAULT NULL,
    seed bigint DEFAULT NULL,
    explain boolean DEFAULT false',
    'TABLE (player_id text, from_team integer, to_team integer, difference float8,
        win_probability float8, exact boolean, bound float8, commander_1 text, commander_2 text,
        why jsonb)', 'IMMUTABLE PARALLEL SAFE ROWS 4',
'The players who change teams when one of two existing teams has too many more players than the
other: as few as it takes, and of these the ones with whom the match is as even as possible.  All
who move are chosen together, so that no strong player leaves the weaker team.

Result: a row for each player who moves, in the order of players; no rows if nobody has to.
difference, exact and bound: after all moves, as in split_teams(), of all moves of as many players.
win_probability: of the first team after all moves, in every row.
commander_1, commander_2: who commands either team then; null without commanders.

max_swaps: pairs who may change places besides, as few as are needed.
max_lead: a team may have so many players more than the other; from a larger lead on, players move
until it is no larger.  By default they move from a lead of two on.  More than the fewest move only
if party, locked and avoid leave no other way.
explain: the first row says in why what suggest_swaps() does.
The other arguments are those of suggest_swaps(); a locked player stays.

Errors: as suggest_swaps(); 22023 also if a player has no team, or too many players are locked.
Source: the rule for mid-round joins and the target of a transfer (F11) of the SynElo document.');

SELECT skillrating_internal.make_function('skillrating.place_joiner', '
    lobby skillrating.lobby,
    max_lead integer DEFAULT 1,
    budget float8 DEFAULT NULL,
    seed bigint DEFAULT NULL,
    explain boolean DEFAULT false',
    'TABLE (player_id text, team integer, difference float8, win_probability float8,
        exact boolean, bound float8, commander_1 text, commander_2 text, why jsonb)', 'IMMUTABLE PARALLEL SAFE ROWS 1',
'Teams for players who have none yet (current is null), together and as even as possible.

Result: a row for each of them, in the order of players.
difference, exact and bound: with them, as in split_teams().
win_probability: of the first team with them, in every row.
commander_1, commander_2: who commands either team then; null without commanders.

max_lead: no team gets more than so many players more than the other; if one has them anyway, the
lead becomes as small as possible.
explain: the first row says in why what split_teams() does.
The lobby, the other arguments and the errors are as for suggest_swaps().');

CREATE FUNCTION skillrating.scramble_due(
    mode text,
    winner integer[],
    captures_1 integer[] DEFAULT NULL,
    captures_2 integer[] DEFAULT NULL,
    scrambled integer DEFAULT 0,
    streak integer DEFAULT 3,
    rounds integer DEFAULT 2,
    waiting_over boolean DEFAULT false,
    OUT due boolean,
    OUT reason text)
LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE
AS $function$
DECLARE
    n integer := cardinality(winner);
    -- Any number of rounds may be given, and is checked below.
    same_teams bigint := n::bigint - scrambled;
    last_winner integer := winner[array_upper(winner, 1)];
    captured integer[] := ARRAY[captures_1[array_upper(captures_1, 1)], captures_2[array_upper(captures_2, 1)]];
BEGIN
    IF mode IS NULL OR mode NOT IN ('arena', 'attack_defend', 'payload', 'koth', '5cp', 'ctf') THEN
        RAISE invalid_parameter_value USING
            MESSAGE = format('unknown mode "%s"', mode),
            HINT = 'The modes are arena, attack_defend, payload, koth, 5cp and ctf.';
    END IF;
    IF winner IS NULL OR scrambled IS NULL OR streak IS NULL OR rounds IS NULL
        OR waiting_over IS NULL THEN
        RAISE null_value_not_allowed USING
            MESSAGE = 'winner, scrambled, streak, rounds and waiting_over must not be null';
    END IF;
    IF EXISTS (SELECT FROM unnest(winner) AS w WHERE w NOT IN (1, 2)) THEN
        RAISE invalid_parameter_value USING
            MESSAGE = format('winner of a round cannot be %s',
                (SELECT w FROM unnest(winner) AS w WHERE w NOT IN (1, 2) LIMIT 1)),
            HINT = 'An element of winner is 1 or 2, or null for a draw.';
    END IF;
    IF cardinality(captures_1) <> n OR cardinality(captures_2) <> n THEN
        RAISE array_subscript_error USING
            MESSAGE = format('captures_1 and captures_2 must have %s elements, one for each round', n);
    END IF;
    IF EXISTS (SELECT FROM unnest(captures_1 || captures_2) AS c WHERE c < 0) THEN
        RAISE invalid_parameter_value USING MESSAGE = 'captures must not be negative';
    END IF;
    IF scrambled < 0 OR scrambled > n THEN
        RAISE invalid_parameter_value USING
            MESSAGE = format('scrambled must be at least 0 and at most %s, the number of rounds, not %s',
                n, scrambled),
            HINT = 'It is the number of rounds that had been played when the teams were last mixed.';
    END IF;
    IF streak < 1 OR rounds < 1 THEN
        RAISE invalid_parameter_value USING MESSAGE = 'streak and rounds must be positive';
    END IF;
    reason := CASE
        WHEN waiting_over THEN 'waiting for players is over'
        WHEN same_teams = 0 THEN NULL
        WHEN mode = 'arena' AND n = 1 THEN 'the first round of the session is over'
        WHEN mode = 'arena' AND same_teams >= streak
            AND (SELECT count(*) FROM unnest(winner) WITH ORDINALITY AS r(w, i)
                WHERE i > n - streak AND w = last_winner) = streak
            THEN format('team %s has won %s in a row', last_winner, streak)
        WHEN mode IN ('attack_defend', 'payload') AND captured[1] = 0 AND captured[2] = 0
            THEN 'the attackers have captured nothing'
        WHEN mode IN ('attack_defend', 'payload') AND same_teams >= rounds
            THEN format('%s rounds are over', rounds)
        WHEN mode IN ('koth', '5cp', 'ctf') AND captured[3 - last_winner] = 0
            THEN format('team %s has captured nothing', 3 - last_winner)
    END;
    due := reason IS NOT NULL;
END
$function$;

COMMENT ON FUNCTION skillrating.scramble_due(text, integer[], integer[], integer[], integer, integer, integer, boolean) IS
'Whether teams should be mixed again after the last round, and the reason (null: they should not),
by the rules of the SynElo document for each game mode.

winner: the winner of each round of the session so far, the latest last: 1, 2, or null for a draw.
captures_1, captures_2: what either team has captured in each of these rounds; null for unknown.
scrambled: the number of rounds that had been played when the teams were last mixed; 0 if they have
not been mixed in this session.  After a call that says they are due, and when they are mixed for
any other reason, pass the number of rounds by then from the next round on.

mode arena: after the first round of the session, which is a duel, and when a team has won streak
rounds in a row since the teams were last mixed.
attack_defend, payload: when the attackers have captured nothing in the last round, or after so many
rounds with the same teams.
koth, 5cp, ctf: when the loser of the last round has captured nothing.
waiting_over: waiting for players is over, a reason in all modes, before the first round too.

Errors: 22023 for an unknown mode, winner or number of rounds, 2202E for captures of another number
of rounds, 22004 for nulls.
Source: "Scramble Triggers By Gamemode" of the SynElo document.';
