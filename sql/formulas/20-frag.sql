-- Frag ranking: duels, events, suicides, and logs of frags.

SELECT skillrating_internal.make_function('skillrating.frag_share', 'score_a float8, score_b float8',
    'float8', 'IMMUTABLE STRICT PARALLEL SAFE',
'The score of player a in a duel, 0 to 1: a / (a + b), 0.5 for 0 : 0 (Becker, 2001). A negative score
counts for the other player first: 6 : -2 is 8 : 0, and -3 : -5 is 5 : 3.
score_a, score_b: frags, finite.
Error 22003 for numbers that are not finite.');

SELECT skillrating_internal.make_function('skillrating.frag_win_share', '
    rating_a float8,
    rating_b float8,
    scale float8 DEFAULT 400',
    'float8', 'IMMUTABLE STRICT PARALLEL SAFE',
'The expected share of the frags that player a makes against player b, 0 to 1:
1 / (1 + 10^((rating_b - rating_a) / scale)).  It is not a probability to win.
rating_a, rating_b: in points, finite.
scale: lead in points at which the frags are expected 10 to 1, above 0.
Error 22003 for numbers out of range.');

SELECT skillrating_internal.make_function('skillrating.frag_update', '
    rating_a float8,
    rating_b float8,
    score_a float8,
    score_b float8,
    k float8 DEFAULT 40,
    scale float8 DEFAULT 400,
    points float8 DEFAULT 0,
    floor float8 DEFAULT ''-infinity'',
    OUT new_rating_a float8,
    OUT new_rating_b float8',
    NULL, 'IMMUTABLE STRICT PARALLEL SAFE',
'Both ratings after a duel (Becker, 2001): a gains and b loses k * (frag_share - frag_win_share).
rating_a, rating_b: in points, finite.  score_a, score_b: frags, finite.
k: the most that a duel can move a rating, in points, 0 or more.
scale: lead in points at which the frags are expected 10 to 1, above 0.
points: the score that is one duel, 0 or more; with 1, 7 : 0 moves seven times as far as 1 : 0;
with 0 any score is one duel.
floor: no loss takes a rating below it, in points; -infinity is none.
Error 22003 for numbers out of range.');

SELECT skillrating_internal.make_function('skillrating.frag_suicide', '
    rating float8,
    k float8 DEFAULT 40,
    frags float8 DEFAULT 1,
    points float8 DEFAULT 0,
    floor float8 DEFAULT ''-infinity''',
    'float8', 'IMMUTABLE STRICT PARALLEL SAFE',
'The rating of a player after a suicide, or after killing a team mate: a duel lost frags : 0 against
an equal, which costs half of k, times frags / points if points is above 0.
rating: in points, finite.  k: in points, 0 or more.  frags: 0 or more.
points: the score that is one duel, 0 or more.
floor: no loss takes the rating below it, in points; -infinity is none.
Error 22003 for numbers out of range.');

SELECT skillrating_internal.make_function('skillrating.frag_event', '
    rating float8,
    opponent_rating float8[],
    event_points float8 DEFAULT 1,
    k float8 DEFAULT 40,
    scale float8 DEFAULT 400,
    points float8 DEFAULT 1',
    'float8', 'IMMUTABLE STRICT PARALLEL SAFE',
'The rating of a player after an event without a single opponent, such as a capture: duels won
against the mean rating of the other team, whose ratings do not change (Becker, 2001).
rating, opponent_rating: in points, finite; the latter has an element for each of the other team.
event_points: worth of the event as a score, finite.  points: as for frag_update().
k: in points, 0 or more.
scale: lead in points at which the frags are expected 10 to 1, above 0.
Errors: 22003 for numbers out of range, 22004 for null elements, 2202E for an empty array.');

SELECT skillrating_internal.make_type('frag_rating',
'Result of frag_ratings() for a player at the end of a log of frags.', '
player_id text: The identifier as text.
rating float8: The rating, in points.
frags bigint: Frags in the log.
deaths bigint: Deaths in the log.
suicides bigint: Suicides in the log.
team_kills bigint: Kills of the own team in the log.');

SELECT skillrating_internal.make_aggregate('frag_ratings',
    'killer_id anyelement, victim_id anyelement, score float8, team_kill boolean, options jsonb',
    'skillrating.frag_rating[]',
'The ratings at the end of a log of frags:
SELECT f.* FROM (SELECT skillrating.frag_ratings(killer_id, victim_id, 1, false, ''{}'' ORDER BY at)
AS ratings FROM ...) AS q, unnest(q.ratings) AS f
Each row is a duel that the killer won score : 0, in the order of ORDER BY within the call.
killer_id: null, or equal to victim_id, is a suicide: a duel lost against an equal.
victim_id: not null.  Both are of one type that can be hashed and ordered.  A clan that is rated
as one player is an identifier like any other.
score: of the killer in the duel, 0 or more; null is 1.
team_kill: whether they are team mates: the killer loses as by suicide, the victim nothing.
Null is false.
options: an object of k, scale, points (0 is 1 here), floor and initial_rating of model frag.
The highest rating comes first, equal ones by player_id.  Memory: a few numbers a player.
Null without rows.  Errors: 22004 for a null victim_id, 42804 for another type, 22023 for options
that differ from row to row.',
    'FINALFUNC_MODIFY = READ_ONLY');
