-- Static frag ranking.

SELECT skillrating_internal.make_type('frag_score',
'Result of frag_scores() for a player.', '
player_id text
score float8: Two players should differ by (a - b) / (a + b) of their frags; log-odds under method logistic.
standard_error float8: Of score, from the residuals of the player''s own pairs; null without enough pairs.
frags float8
deaths float8
suicides float8
opponents integer: Opponents that count for the core.
component integer: Scores are comparable within a component, which frags connect; 1 is the largest.
cyclic_share float8: Share of differences in the component that no score explains; null under logistic.');

SELECT skillrating_internal.make_aggregate('frag_scores',
    'killer_id anyelement, victim_id anyelement, frags float8, team_kill boolean, options jsonb',
    'skillrating.frag_score[]',
'Scores from a log of frags, one frag a row:
SELECT f.* FROM (SELECT skillrating.frag_scores(killer_id, victim_id, 1, false, NULL) AS scores
FROM ...) AS q, unnest(q.scores) AS f
Differences of scores fit (a - b) / (a + b), where a and b are the frags of two players against
each other, by least squares over all pairs that met, weighted by their frags, with one frag added
to both sides of each pair (see parameters(''frag_scores'')).
killer_id: null, or equal to victim_id, is a suicide.  victim_id: not null.  Both are of one type
that can be hashed and ordered.
frags: how many a row stands for, 0 or more; null is 1.  team_kill: whether the players are team
mates, and the row does not count; null is false.
options: an object of the parameters that differ from their defaults (see
parameters(''frag_scores'')), the same in all rows of a group; null is none.
Rows may come in any order.  Players are sorted by component, the largest first, and score, the
highest first, equals by first occurrence.
Memory: 40 bytes a pair that met, and a few numbers a player.
Null without rows.  Errors: 22004 for a null victim_id, 42804 for another type, 22023 and 22003 for
invalid parameters, 22023 for options that differ from row to row, 54000 beyond the memory allowed.',
    'FINALFUNC_MODIFY = READ_ONLY');
