-- Ratings that all matches together imply.

SELECT skillrating_internal.make_function('skillrating.solvers', '',
    'TABLE (name text, summary text, source text, supports text[])', 'IMMUTABLE STRICT PARALLEL SAFE ROWS 5',
'The solvers of solve(), by name: a summary, the paper or document that it comes from, and what of a
match it takes into account, in the words of models(), context and played_at.
Other facts of inputs() have no effect, except that commanding counts as play, that a side orients
log_odds and contexts, and that a context is error 0A000 for a solver that has none.');

SELECT skillrating_internal.make_type('estimate',
'Estimate of solve() for a player, or with times a point of the learning curve.', '
player_id text: The identifier as text.
at timestamptz: The day or time, the last row at one counts; null for a solver with one skill for all time.
mu float8: The skill, in log-odds or, under through_time, as initial_mu; null where there is no maximum.
standard_error float8: Of mu, in the same unit.
side_offset float8: What the first side adds, in the unit of mu, to this player or to all; else null.
command_skill float8: The skill as a commander, in the unit of mu; null where the solver has none.
games bigint: Matches that counted.
component integer: Skills are comparable within a component, which matches connect; 1 is the largest.');

SELECT skillrating_internal.make_type('component_estimate',
'Estimate of solve_components() for something else than a player alone, at a time.', '
kind text: One of components in models(''state_space''): home, home_context, player_context or club.
key text
player_id text
at timestamptz: The time of the match, in the last of several rows at one time; null without times.
mu float8: What it is worth, in the units of initial_mu.
standard_error float8: Of mu, in the same unit.
games bigint');

SELECT skillrating_internal.make_type('context_estimate',
'The advantage of the first side in a context, estimated together with the skills.', '
context text: The context; null for all matches whose sides differ, to which that of a context is added.
log_odds float8: The advantage, in log-odds.
standard_error float8: Of log_odds.');

SELECT skillrating_internal.make_type('solve_summary',
'How solve() went.  status is:
converged: twice the distance to the maximum, in nats, is below the parameter tolerance, by either
method; under through_time, no skill changes by more than the tolerance, in deviations.
there is no maximum: some skills grow for ever; they are null.
numbers out of range: a sum or a derivative has overflowed; all skills are null.
no further progress: no step improves the objective, because rounding leaves nothing to gain.
max_iterations reached: as many iterations as are allowed.
log_evidence is what comparing parameters calls for: the probability of all results, with their
draws and orders, integrated over all skills; -Infinity for a draw of two without draw_probability.', '
solver text: The solver.
matches bigint: Matches that count.
players bigint: Players in them.
unknowns bigint: Numbers estimated; under through_time, appearances of players in matches.
observations bigint: Comparisons of teams, or teams in rankings, and virtual games of a prior.
components integer: Groups of players that no matches connect.
converged boolean: Whether the search ended within the tolerance.
status text: Why it ended.
iterations integer: Of Newton''s method; under through_time, passes forward and backward.
products bigint: Multiplications with the matrix of second derivatives.
log_posterior float8: Logarithm of likelihood times priors, without constants; null under through_time.
log_evidence float8: Under through_time, the logarithm of the evidence, else null.
evidence text: Of joint, the joint distribution of all skills, or of messages, which are independent.
gradient float8: The largest derivative; under through_time the largest last change, in deviations.
draw float8: Davidson''s parameter of draws, or null.
memory bigint: Bytes of the problem.
contexts skillrating.context_estimate[]: The advantage of the first side, of two: in all matches, where sides differ, and by context.
unrated bigint
unrated_reasons jsonb');

SELECT skillrating_internal.make_aggregate('solve', 'solver text, PARTICIPANT', 'skillrating.estimate[]',
'The skills that make all results together most probable:
SELECT e.* FROM (SELECT skillrating.solve(''bradley_terry'', match_id, player_id, team, rank)
AS estimates FROM ...) AS q, unnest(q.estimates) AS e
solver: one of solvers(): bradley_terry, hive, plackett_luce, through_time or whole_history.
A row is a participant of a match, or one stint of a participant.
match_id, player_id: of any types that can be hashed and ordered.  team: any number.
rank: of the team, 1 or more; 1 is best, equal ranks are a draw.
Rows may come in any order.  Without ORDER BY they are taken as they come as long as they ascend by
match, and from the first one that does not they are sorted by match, in work_mem or on disk.
through_time needs ORDER BY played_at, match_id.
Without ORDER BY parallel workers can take the rows: each sorts its own by match, and one process
merges and solves them.  The result has the same bits.
Players are in the order of their first matches, within a match by team and player_id, and a
player''s days in their order; under through_time the matches are in the order of ORDER BY.
A match that does not count is left out and counted by solve_summary().
Skills are in log-odds; times 400 / ln 10 = 173.7 they are Elo points.
Newton''s method with conjugate gradients finds the maximum to the last digits.  solve_summary()
with the same arguments reports on it at no further cost.  GROUP BY solves each group.
Memory: 8 bytes a participant and 8 for each column that is not null, then 4 to 12 a participant,
60 a match and 120 a player, at most the parameter memory.  The result takes 90 bytes or more a row;
unnest() reads it row by row, as that of final_ratings(), and what cannot fit into
skillrating.memory_limit is an error before the search.
Null without rows.  Errors: 22023 for an ORDER BY without match_id and for unknown solvers and
parameters, 54000 beyond the memory allowed and where a parallel worker has 1 GB of rows, 22004
without times where they are needed, 0A000 for a context under solvers without, and as rate().',
    'FINALFUNC_MODIFY = SHAREABLE', combine => 'solve');

SELECT skillrating_internal.make_aggregate('solve', 'solver text, PARTICIPANT, FACTS', 'skillrating.estimate[]',
'As the form with five arguments, with what else there is; null is nothing.
inputs: made by inputs(): times, scores, sides, contexts and other facts about a participant.
options: an object, the same in all rows of a group, of
parameters of the solver that differ from their defaults (see parameters()),
exact_for: an array of players whose standard errors are computed exactly,
strict_rows: whether a mistake in a match is an error (false).
Error 22023 for other options, and for options that differ from row to row.',
    'FINALFUNC_MODIFY = SHAREABLE', combine => 'solve');

SELECT skillrating_internal.make_aggregate('solve_components',
    'solver text, PARTICIPANT, FACTS', 'skillrating.component_estimate[]',
'What solve() with the same arguments finds besides skills, under through_time: what side 1 is worth
(home), and is worth in a context (home_context), clubs (club), and players in contexts
(player_context), each at every time when it took part:
SELECT c.* FROM (SELECT skillrating.solve_components(''through_time'', match_id, player_id, team,
rank, skillrating.inputs(played_at => played_at, side => side), NULL ORDER BY played_at, match_id)
AS components FROM ...) AS q, unnest(q.components) AS c
Parameters such as home_sigma say which kinds there are.  In the order of the matches.  Empty under
other solvers: see solve_summary().  Null without rows.  Beside solve() it is free.',
    'FINALFUNC_MODIFY = SHAREABLE', transition => 'solve', combine => 'solve');

SELECT skillrating_internal.make_aggregate('solve_summary', 'solver text, PARTICIPANT', 'skillrating.solve_summary',
'How solve() with the same arguments goes: whether it converges, and at what cost.',
    'FINALFUNC_MODIFY = SHAREABLE', transition => 'solve', combine => 'solve');

SELECT skillrating_internal.make_aggregate('solve_summary',
    'solver text, PARTICIPANT, FACTS', 'skillrating.solve_summary',
'How solve() with the same arguments goes, with inputs and options.',
    'FINALFUNC_MODIFY = SHAREABLE', transition => 'solve', combine => 'solve');
