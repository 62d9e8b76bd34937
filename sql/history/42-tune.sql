-- Parameters that predict a history best.

SELECT skillrating_internal.make_type('tuned_parameter',
'A parameter fitted by tune(), in its own unit.', '
name text: The parameter.
start float8: Where the search began; null of a choice or flag, as are all numbers.
value float8: The best value.
standard_error float8: From the curvature of likelihood and priors; null at a bound, or without information.
low float8: Lower end of the 95 % interval, symmetric on the scale of the search; null as standard_error.
high float8: Upper end of the interval.
at_bound boolean: Whether the search ended at a bound.
choice_start text: Where the search of a choice or flag began, else null.
choice text: The best choice or flag, else null.');

SELECT skillrating_internal.make_type('tuned_part',
'A part of a model that tune() tried.', '
name text: The part, see models(), or log_odds.
taken boolean: Whether it is on in the result.
gain float8: By how much it lowered the log loss of later matches, when last judged; null if it was not.
standard_error float8: Of the gain, by blocks of time.
matches bigint: Matches on which it was judged.');

SELECT skillrating_internal.make_type('tuning',
'Result of tune(). What is held out the search never saw; null without any.', '
model text: The model.
params jsonb: All its parameters, ready for rate(), create_ladder() or shadow_ladder().
log_odds float8: What a side is worth, in favour of side 1: for log_odds of matches with sides.
fitted skillrating.tuned_parameter[]: The parameters that were searched, those of parts that were taken too.
parts skillrating.tuned_part[]: The parts that were tried.
matches bigint: Matches that the search scored.
log_loss_before float8: Their mean log loss at the start, one step ahead, in nats.
log_loss float8: The same at the end.
held_out_matches bigint: Matches held out.
held_out_log_loss_before float8: Their mean log loss at the start.
held_out_log_loss float8: Their mean log loss at the end.
held_out_gain float8: Mean difference of the two, positive where the fit is better; null below 20 matches.
held_out_gain_error float8: Its standard error, by blocks of time; null below 20 matches.
evaluations bigint: How often the history, or the first part of it, was rated.
starts integer: Searches from different starts, for the choices that were found.
starts_agreeing integer: How many ended at the same likelihood, within one nat; few mean luck.
converged boolean: Whether the search converged, false where the start was kept.
stopped text: Why it ended.
warnings text[]: Reasons not to trust the result, which are raised as warnings too.
unrated bigint: Matches that do not count and are left out.
unrated_reasons jsonb: How many, by the codes of reasons().');

SELECT skillrating_internal.make_aggregate('tune', 'model text, PARTICIPANT', 'skillrating.tuning',
'The parameters of a model that predict a history best:
SELECT (t).* FROM (SELECT skillrating.tune(''elo'', match_id, player_id, team, rank
ORDER BY played_at, match_id) AS t FROM ...) AS q
tune() maximises the likelihood of who won, each match predicted from those before it, times weak
priors of the numbers, which keep few matches from driving them to the ends of their range; the log
losses are without these.  The first tenth of the matches only sets the ratings (burn-in); the last
fifth is held out and scored at the end.
Each number is searched where it is worthwhile, on a log scale: as a rule from a hundredth of its
default to a hundred times that, and at 0 if it may be 0.  Starts all over that range are screened
on the first matches, and the best searched from by quadratic models in trust regions (after
Powell, The BOBYQA algorithm for bound constrained optimization without derivatives, 2009).
Of choices and flags all combinations, at most 64, are screened, and the best three searched.
Where a model has a scale of its own only ratios are determined: keep one such parameter fixed.
match_id, player_id, team, rank: as in final_ratings().
A draw of two teams counts as half a win of each; of more teams, the one in first place counts.
Deterministic.  Memory: 8 bytes a participant, 8 for each column that is not null, 40 a match.
Raises a warning where the result should not be trusted.
Null without rows.  Errors: 22023 unless ORDER BY includes match_id, for unknown models,
parameters and options, and without matches to fit to; and those of rate().');

SELECT skillrating_internal.make_aggregate('tune', 'model text, PARTICIPANT, FACTS', 'skillrating.tuning',
'As the form with five arguments, with inputs, as in final_ratings(), and options; null is nothing.
options: an object, the same in all rows of a group, of
fit: an array of 1 to 16 numbers, choices or flags among the parameters of the model (see
parameters()), or log_odds, what side 1 is worth in matches that have sides and no log_odds of
their own.  Null: the usual ones of the model.
params: an object of parameters; the search starts there, and what is not fitted keeps its value.
bounds: an object of pairs such as {"k": [4, 64]}.  The scale is linear from a negative bound.
parts: the parts to try, an array of names (see models()), true for all for which the matches
have what they need, or false.  A part is taken if its gain on later blocks of the matches that are
fitted, in the order of time, is more than one standard error and than one nat in all; the best one
first, the others again beside it.  Another view of the same, such as another strength of a team, is
a choice between equals: it comes before these, and half a nat in all is enough.
priors: false for the likelihood alone (true).  A prior is normal around the start, on the scale of
the search, and four deviations from the farther end of the range.
starts: searches for each result, 1 to 16 (4).
burn_in, holdout: shares of the matches, 0 to 0.9 (0.1 and 0.2).
max_evaluations: 1 or more (by default 500 for one number or two, more for others and for parts).
tolerance: of the variables, relative on a log scale (1e-4).
strict_rows: whether a mistake in a match is an error (false).');

-- The model that predicts a history best.

SELECT skillrating_internal.make_type('model_suggestion',
'A model as suggest_model() found it. All but model and verdict are null for a model that cannot rate
these matches, or none of those that no search saw.', '
model text
params jsonb
log_odds float8
parts text[]: The parts that were taken.
matches bigint
held_out_matches bigint: Matches that no search saw and that all these models have forecast.
held_out_log_loss_before float8: Their mean log loss at the defaults, in nats.
held_out_log_loss float8: Their mean log loss as fitted.
held_out_accuracy float8: How often the favourite won; a draw counts half.
difference float8: By how much the log loss is above the best model''s.
difference_error float8: Its standard error, by blocks of time; null for fewer than 20 matches.
verdict text: A phrase, which says where a study was cut short.
warnings text[]: As in tuning, not raised.');

SELECT skillrating_internal.make_aggregate('suggest_model', 'PARTICIPANT', 'skillrating.model_suggestion[]',
'The model that predicts a history best, of all that can rate it, the best first:
SELECT s.* FROM (SELECT skillrating.suggest_model(match_id, player_id, team, rank
ORDER BY played_at, match_id) AS found FROM ...) AS q, unnest(found) AS s
Each model is fitted as tune() does it, with its usual parameters and all parts for which the
matches have what they need, to all but the last fifth of the matches, which judges them.
match_id, player_id, team, rank: as in final_ratings().
Deterministic.  Memory: as tune(), and 24 bytes a match for each model.
Null without rows.  Errors: 22023 unless ORDER BY includes match_id, for unknown models and options,
and without matches to fit to or to judge by.');

SELECT skillrating_internal.make_aggregate('suggest_model', 'PARTICIPANT, FACTS', 'skillrating.model_suggestion[]',
'As the form with four arguments, with inputs, as in final_ratings(), and options; null is nothing.
options: an object, the same in all rows of a group, of
budget: evaluations of all models together, 1 or more (10000).
models: names of the models to try (all).
parts, priors: as in tune() (true).
starts, burn_in, holdout, tolerance, strict_rows: as in tune() (3, 0.1, 0.2, 1e-3, false).');
