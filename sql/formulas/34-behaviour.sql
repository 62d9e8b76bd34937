-- How well players behave.

SELECT skillrating_internal.make_aggregate('behaviour_score',
    'played_at timestamptz, reports float8, commends float8, quits float8, as_of timestamptz, params jsonb', 'float8',
'How well a player behaves, above 0 and below 1 (the best), from a row for each game, which must
come in order of time: behaviour_score(... ORDER BY played_at).  Games at one time count in the
order given; order them by their identifiers, too.

A game counts as one good deed, a commend as commend_weight; a report counts as report_weight bad
ones, a quit as quit_weight.  Each counts half after half_life_days and after half_life_games.  The
score is the share of the good, with prior_games of prior_score beforehand (Beta distribution).

reports: the sum of the weights of those who reported the player in this game, such as their
credibility from 0 to 1; at most max_reports count.  commends: likewise.  quits: 1 for a player who
left, or a share of it.  0 to 1e6 each; null for none.
as_of: the time of the score, which counts the games up to then; null for that of the last game.
params: half_life_days (90), half_life_games (50), 0 for no such forgiveness; prior_score (0.9),
prior_games (10), report_weight (1), max_reports (3), commend_weight (0.25), quit_weight (2); null
for these defaults.  as_of and params are taken from the first row.
Null without rows.  Errors: 22023 for games that are not in order and unknown or unsound parameters,
22003 for numbers out of range, 22004 for a null time, 22008 for an infinite one.',
    'FINALFUNC_MODIFY = READ_ONLY');
