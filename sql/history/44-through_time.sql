-- Rating whole histories by a filter that goes on from what all matches before say together.

COMMENT ON FUNCTION skillrating.rate_through_time IS
'Rates a history as rate() does, and solves what has been played so far every now and then:
SELECT *, skillrating.rate_through_time(''state_space'', player_id, team, rank,
played_at => played_at) OVER (ORDER BY played_at, match_id) ...
A filter learns from each match once.  Solver through_time corrects early matches by what later ones
say of the opponents, and the filter goes on from the skills, deviations and components at the end
of that solution.  Forecasts are made from matches before alone.
model: state_space, the only model with such a solver.
options: an object of its parameters that differ from their defaults, and of
strict_rows: whether a mistake in a match is an error (false),
refit_matches: solve after so many rated matches, 1 or more (1000),
refit_days: and once so many days have passed since the first match or the last solution, above 0.
Null, the default of refit_days, is never; both null, rate().
A solution comes before a match of a later time than all before, so that matches of one time are
forecast from the same solution.  Each begins with the last one, and takes passes of all matches so
far until no skill moves by .001 of its deviation, at most 30.
The other arguments are those of rate(), but season and tournament have no effect.  Solutions learn
from players who are fixed what they learn from others, and leave their states as they are.
Memory: the states of the players, and all matches of the partition: some 100 bytes for each
participant, within skillrating.memory_limit; beyond 4 GB error 54000.
Errors: those of rate(), 0A000 for another model.';
