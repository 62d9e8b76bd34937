-- Match making.

CREATE FUNCTION skillrating.pair_queue(
    tickets anyarray,
    rating float8[],
    deviation float8[] DEFAULT NULL,
    waited float8[] DEFAULT NULL,
    party integer[] DEFAULT NULL,
    region bigint[] DEFAULT NULL,
    pool text[] DEFAULT NULL,
    team_size integer DEFAULT 1,
    teams integer DEFAULT 2,
    model text DEFAULT 'elo',
    params jsonb DEFAULT '{}',
    initial_window float8 DEFAULT NULL,
    widening float8 DEFAULT NULL,
    max_window float8 DEFAULT NULL,
    min_quality float8 DEFAULT 0,
    explain boolean DEFAULT false)
RETURNS TABLE (match integer, ticket anyelement, team integer, quality float8, win_probability float8, difference float8, region bigint, why jsonb)
AS 'MODULE_PATHNAME', 'skillrating_pair_queue'
LANGUAGE C IMMUTABLE PARALLEL SAFE ROWS 1000;

COMMENT ON FUNCTION skillrating.pair_queue(anyarray, float8[], float8[], float8[], integer[], bigint[], text[], integer, integer, text, jsonb, float8, float8, float8, float8, boolean) IS
'Puts the tickets of a queue together to matches of so many teams of team_size, at most 128 seats: a row for each ticket that got a place. Arrays have an element for each ticket. Who has waited longest (seconds; null: nobody has) comes first, and is put together with those nearest in rating within a window: initial_window points (null: half a log-odds of the model), and widening more for each second waited (null: as much as that in 30 seconds), up to max_window (null: no limit). party: tickets with the same number come into one team; null for none. region: a set of bits, such as the data centers within reach of an acceptable latency; all of a match have one in common, which is in the result; null for all. pool: only tickets with the same label meet, and those with null. The teams of a match are then made as even as can be. win_probability is that of the ticket''s own team by the model, from the ratings as its first state column and, where it has one, the deviations; quality is the smallest of them times the number of teams, 1 for an even match. Matches of less than min_quality are not made; as the window of who has waited longest widens, it falls in proportion. difference is the mean rating of the strongest team less that of the weakest. With explain the first row of each match says in why how long its first ticket has waited, how far from it others might be and are, and what quality was needed (match), and of its teams what split_teams() does. Without max_window nobody starves: see docs/teams.md. A party that is larger than a team, in several pools or in no region together stays in the queue. No rows if tickets or ratings are null. Errors: 22023 for an unknown model, a ticket that is there twice or in no region, a deviation of a model that has none, and numbers out of range, 22003 for ratings and others out of range, 2202E for arrays of other lengths, 22004 for nulls, 54000 for more than 100000 tickets, or where their regions take more than 64 MB.';
