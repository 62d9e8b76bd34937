-- skillrating: from 0.9 to 1.0.
\echo Use "ALTER EXTENSION skillrating UPDATE TO '1.0'" to load this file. \quit

-- The script runs as a superuser in a database where others have been at work: CONTRIBUTING.md
-- has the rules for it.
SET LOCAL search_path = pg_catalog, pg_temp;

-- From here on written by release/draft_update.sh: what is changed below is lost.

DROP ROUTINE skillrating_internal.has_work_table(pg_catalog.text);

DROP ROUTINE skillrating_internal.eligible_players(pg_catalog.text,double precision);

DROP ROUTINE skillrating_internal.check_new_season(pg_catalog.text,pg_catalog.text,pg_catalog.text);

DROP ROUTINE skillrating_internal.make_partition(pg_catalog.text,pg_catalog.text,bigint,bigint);

DROP ROUTINE skillrating.attach(pg_catalog.text,pg_catalog.regclass,pg_catalog.text);

DROP ROUTINE skillrating_internal.attach(pg_catalog.text,pg_catalog.regclass,pg_catalog.text);

DROP ROUTINE skillrating_internal.create_collect_triggers(pg_catalog.text,pg_catalog.regclass);

DROP ROUTINE skillrating.plot_distribution(double precision[],pg_catalog.text);

DROP ROUTINE skillrating.plot_history(pg_catalog.text[],double precision[],double precision[],double precision[],pg_catalog.text);

DROP ROUTINE skillrating.plot_history(pg_catalog.text[],timestamp with time zone[],double precision[],double precision[],pg_catalog.text);

DROP ROUTINE skillrating.plot_calibration(skillrating.calibration,pg_catalog.text);

COMMENT ON FUNCTION skillrating.progress() IS
'Long work that sessions are doing in this database at the moment: a row each, with the process
(pid, as in pg_stat_activity), the function (work: backfill, catch_up, rerate, solve_ladder,
swap_ladders, tune, verify or work), the ladder (null for tune), what it is doing, how much of that
is done and how much there is to do (null where that is not known), and since when it works and does
this.
The phases are beginning; searching (the source for matches); rating (matches are counted);
ordering (by time, late matches among the others); replaying (places in the order are counted);
writing (rows, where they are many); reading (matches); solving; fitting (evaluations are
counted); and, within work(), notifying, settling and trimming. While rerate() makes indexes,
pg_stat_progress_create_index has its progress. Nothing waits for it or is written for it. Roles see
the work of those whose rights they have, and work on ladders that they own; members of
pg_read_all_stats see all. Nothing is shown of sessions where the setting track_activities is off.';

COMMENT ON FUNCTION skillrating.elo_mmr_update(integer[],integer[],double precision[],double precision[],double precision[],double precision,double precision,text,boolean) IS
'Skills after a contest by Elo-MMR (Ebtekar and Liu, 2021), and performances in it; one row a
player, in the order of the arrays; ordinal is the position in them, from 1.
team, rank, mu, sigma, weight: arrays with one element a player.
team: any number, one of its own for each who plays alone; two teams or more, at most 10000.
rank: of the team; 1 is best, equal ranks are a tie.
mu, sigma: skill and deviation, in rating points; sigma is above 0.
weight: play, 0 or more, 1 by default: the noise of a performance averages out over it.
beta: deviation of one performance in rating points, above 0; the square root of
(1 + 1 / weight_limit) times sig_limit in the authors'' program.
tau: drift of a skill before the contest in rating points, 0 or more; the square root of
weight_limit times sig_limit.
form: normal (the paper''s Elo-MM-chi) or logistic (Elo-MMR with rho = infinity).
split_ties: a tie is half a win and half a loss, and not an equal performance.
performance: the level, in rating points, at which the place of the team is most likely.
No rows if an argument other than weight is null.
Errors: 22023 for an unknown form or fewer than two teams, 22004 for null elements, 2202E for
arrays of different length, 22003 for numbers out of range.';

COMMENT ON FUNCTION skillrating.glicko2_update(double precision,double precision,double precision,double precision[],double precision[],double precision[],double precision,double precision,double precision) IS
'The rating, deviation and volatility of a player after a rating period under Glicko-2 (Glickman,
2013).
rating: in points, finite.  deviation: in points, above 0.
volatility: above 0, in the units of the paper (173.7178 points).
opponent_rating, opponent_deviation, score: arrays with one element for each game: rating and
deviation of the opponent before the period, in points, and the score of the player (1 won, 0.5
drew, 0 lost).  Empty arrays are a period without games.
tau: how fast volatilities change, 0 or more.
elapsed: rating periods over which the deviation grows by the new volatility, 0 or more, also
fractions.
deviation_max: the deviation grows to this at most, in points, above 0; ''infinity'' is no limit, as
in the paper.
Errors: 22003 for numbers out of range, 22004 for null elements, 2202E for arrays of different
length.';

COMMENT ON FUNCTION skillrating.weng_lin_win_probability(integer[],double precision[],double precision[],double precision,text,text,double precision) IS
'The probabilities of teams to win, as OpenSkill predicts them and as the model itself does; one row
a team, by its number.
team, mu, sigma: arrays with one element a player.  team: any number; two teams or more.
mu, sigma: skill and deviation, in the unit of beta; sigma is above 0.
beta: deviation of one performance of a team, above 0.
curve: normal, as OpenSkill has it, or logistic, as its port to Rust does.
variant, epsilon: of the exact probability, as for weng_lin_update().
win_probability: the mean over all pairs of teams (predict_win of OpenSkill).
exact_win_probability: to come first, half a draw of two counted, by the likelihood that
weng_lin_update() updates by.
Errors: 22023 for an unknown curve or variant or fewer than two teams, 22004 for null elements,
2202E for arrays of different length, 22003 for numbers out of range.';

COMMENT ON FUNCTION skillrating.weng_lin_draw_probability(integer[],double precision[],double precision[],double precision) IS
'The probability of a draw as OpenSkill predicts it (predict_draw): the mean over all pairs of teams
of that of a difference within sqrt(n) * beta * Phi^-1((1 + 1 / n) / 2), n being the number of
players.
It measures how even a match is, and no share of draws.
team, mu, sigma, beta: as for weng_lin_win_probability().
Errors: 22023 for fewer than two teams, 22004 for null elements, 2202E for arrays of different
length, 22003 for numbers out of range.';

COMMENT ON FUNCTION skillrating.placement_gain(bigint,double precision,double precision) IS
'A factor for gain, or for k, that lets newcomers move faster: it falls from boost in the first
match to 1 after over matches.
games: matches played before, 0 or more.  boost: 0 or more.  over: matches, 0 or more.
Error 22003 for negative numbers.';

COMMENT ON FUNCTION skillrating.inactivity_regression(double precision,interval,interval,double precision,interval) IS
'A rating after idle time that moves towards a mean: beyond grace, half of the distance is gone
after each half_life.
rating, mean: finite.  idle, grace: not negative; half_life: positive; a month has 30 days.
Error 22003 for numbers out of range.';

COMMENT ON FUNCTION skillrating_internal.linear_fit_transition(double precision[],double precision,double precision[]) IS
'Transition function of linear_fit(): state {features, rows, weight, ridge, means, sums of
products}.';

COMMENT ON AGGREGATE skillrating.accuracy(probability double precision, outcome double precision) IS
'Share of matches that the favourite won, 0 to 1; a forecast of 0.5 and a drawn match count half.
It depends on how balanced the matches are: compare it on the same matches only.
probability: predicted, 0 to 1.  outcome: 1 won, 0.5 drew, 0 lost.
Rows with a null do not count; null if none counts.
Error 22003 outside 0 to 1.';

COMMENT ON FUNCTION skillrating_internal.calibration_transition(double precision[],double precision,double precision) IS
'Transition function of calibration() with 10 bins: state {bins, first cell, cells, count, sums,
then per bin and per cell of log-odds a count and sums}.';

COMMENT ON FUNCTION skillrating.recalibrate(double precision,double precision,double precision,timestamp with time zone,double precision,double precision,double precision,double precision,double precision) IS
'Corrects a forecast by what the rows before it have taught:
ln(q / (1 - q)) = intercept + slope ln(p / (1 - p)), with coefficients that are refitted online.
SELECT *, skillrating.recalibrate(p, won, played_at => played_at) OVER (ORDER BY played_at) ...
probability: the forecast, 0 to 1; null has no result and teaches nothing.
outcome: 1 won, 0.5 drew, 0 lost; a row with null is forecast and teaches nothing.
Rows that are equal under ORDER BY are one moment and do not know of each other''s outcomes;
PARTITION BY starts afresh.
weight: how often the row counts, 0 to 1000000 (null: 1).  Give one row a match, or both rows of a
match with weight 0.5.
deviation: prior standard deviation of the slope, whose prior mean is 1; 0 fixes it.
half_life_matches: the weight of outcomes after which half of what was learned is forgotten; 0 is
never.  half_life_days: the same in days between values of played_at, which it needs.  What is
forgotten gives way to the prior.
side: 1 or 2 where the forecast is that of a fixed side (home, white, attack), in favour of which,
1, there is an intercept; null: none, so that forecasts for both opponents stay complementary.
side_deviation: prior standard deviation of the intercept, whose prior mean is 0.
deviation, side_deviation and both half-lives are read from the first row of a partition.
Errors: 42P20 without ORDER BY or with a frame clause, 22003 for numbers out of range, 22004 for a
parameter that is null and for half_life_days without played_at, 22008 for an infinite played_at.';

COMMENT ON FUNCTION skillrating.recalibrate_coefficients(double precision,double precision,double precision,timestamp with time zone,double precision,double precision,double precision,double precision,double precision) IS
'The coefficients with which recalibrate() corrects the forecast of the row: {intercept, slope}.
The intercept is in favour of side 1, and applies to rows with a side.  Arguments and errors are
those of recalibrate().';

COMMENT ON FUNCTION skillrating.stack(double precision[],double precision[],double precision,timestamp with time zone,double precision,double precision,double precision) IS
'The same for matches of more than two teams, a row a match: the b_k multiply the logarithms of the
probabilities, which then add up to 1 again.
probability: an array with two dimensions: a row for each model, with the probability of each team
to win.  outcome: the share of each team in the first place, adding up to 1.
Further errors: those of recalibrate() with arrays.';

COMMENT ON AGGREGATE skillrating.behaviour_score(played_at timestamp with time zone, reports double precision, commends double precision, quits double precision) IS
'How well a player behaves, above 0 and below 1 (the best), from a row for each game, which must
come in order of time: behaviour_score(... ORDER BY played_at).  Games at one time count in the
order given; order them by their identifiers, too.

A game counts as one good deed, a commend as commend_weight; a report counts as report_weight bad
ones, a quit as quit_weight.  Each counts half after half_life_days and after half_life_games.  The
score is the share of the good, with prior_games games of the score prior_score beforehand: the mean
of a Beta distribution.

reports: the sum of the weights of those who reported the player in this game, such as their
credibility from 0 to 1; at most max_reports count.  commends: likewise.  quits: 1 for a player who
left, or a share of it.  0 to 1e6 each; null for none.
The score is that after the last game; see the other behaviour_score() for another time and other
parameters.
Null without rows.  Errors: 22023 for games that are not in order, 22003 for numbers out of range,
22004 for a null time, 22008 for an infinite one.';

COMMENT ON AGGREGATE skillrating.behaviour_score(played_at timestamp with time zone, reports double precision, commends double precision, quits double precision, as_of timestamp with time zone, params jsonb) IS
'behaviour_score() at a time, from the games up to then, and with parameters; both are taken from
the first row.

as_of: null for the time of the last game.
params: those of score_parameters(''behaviour''): half_life_days (90), half_life_games (50), 0 for
no such forgiveness; prior_score (0.9), prior_games (10), report_weight (1), max_reports (3),
commend_weight (0.25), quit_weight (2).
Errors: as the other behaviour_score(), and 22023 for unknown or unsound parameters.';

COMMENT ON FUNCTION skillrating.rate_match(text,anyarray,integer[],double precision[],double precision[],timestamp with time zone,double precision[],boolean[],double precision[],double precision[],double precision[],double precision[],double precision[],double precision[],double precision[],boolean[],double precision[],text,double precision,double precision[],text,bigint,text[],text[],bigint,jsonb,boolean,skillrating.final_rating[],skillrating.final_component[],double precision,double precision) IS
'rate() for tables with a row for each match, whose players are arrays:
SELECT *, skillrating.rate_match(''elo'', players, team, rank) OVER (ORDER BY played_at, match_id) ...
The results are, bit for bit, those of rate() over the same participants, for matches of twelve in
less than half of the time.
players: an array of any type that can be hashed and ordered.  team, rank and the other arrays have
an element for each element of players; an array or an element that is null is not known.
All other arguments, and what the results mean, are those of rate().  No two matches of a partition
may be equal under ORDER BY.
Errors: those of rate(), 2202E for arrays of several dimensions or of other lengths than players,
and 22023 for a match that is equal to the one before under ORDER BY.';

COMMENT ON FUNCTION skillrating_internal.number_inputs(double precision,timestamp with time zone,double precision,boolean,double precision,double precision,double precision,double precision,double precision,double precision,double precision,boolean,double precision,double precision,double precision) IS
'inputs() without period, season and its text arguments.  postgres_fdw does not send a function to a
remote server if all its text arguments are constants, as the defaults of inputs() are; it sends
this one.';

COMMENT ON AGGREGATE skillrating.final_ratings(model text, match_id anycompatible, player_id anyelement, team integer, rank double precision, inputs skillrating.inputs, params jsonb, strict boolean, start skillrating.final_rating[]) IS
'As the form with eight arguments, with start, which is that of rate(), read from the first row:
where players start.  Those who do not play are in the result, too.';

COMMENT ON AGGREGATE skillrating.tune(model text, fit text[], match_id anycompatible, player_id anyelement, team integer, rank double precision) IS
'The parameters of a model that predict a history best:
SELECT (t).* FROM (SELECT skillrating.tune(''elo'', ARRAY[''k''], match_id, player_id, team, rank
ORDER BY played_at, match_id) AS t FROM ...) AS q
tune() maximises the likelihood of who won, each match predicted from those before it, times weak
priors of the numbers, which keep few matches from driving them to the ends of their range; the log
losses are without these.  The first tenth of the matches only sets the ratings (burn-in); the last
fifth is held out and scored at the end.
fit: 1 to 16 numbers, choices or flags among the parameters of the model (see model_parameters()),
or log_odds, what side 1 is worth in matches that have sides and no log_odds of their own.  Null:
the usual ones of the model.
Each number is searched where it is worthwhile, on a log scale: as a rule from a hundredth of its
default to a hundred times that, and at 0 if it may be 0.  Starts all over that range are screened
on the first matches, and the best searched from by quadratic models in trust regions (after
Powell, The BOBYQA algorithm for bound constrained optimization without derivatives, 2009).
Of choices and flags all combinations, at most 64, are screened, and the best three searched.
Where a model has a scale of its own only ratios are determined: keep one such parameter fixed.
match_id, player_id, team, rank: as in final_ratings().
A draw of two teams counts as half a win of each; of more teams, the one in first place counts.
Deterministic.  Memory: 8 bytes a participant, 8 for each column that is not null, 40 a match.
Each evaluation rates the history once.
Raises a warning where the result should not be trusted.
Null without rows.  Errors: 22023 unless ORDER BY includes match_id, for unknown models,
parameters and options, and without matches to fit to; and those of rate().';

COMMENT ON FUNCTION skillrating_internal.solve_reads(bytea,boolean,integer) IS
'Whether a query of solve_distributed() has to read the rows of a partition: only if_not_kept, and
if this process keeps nothing under the key.
team: a column, so that the question goes to the server that has the rows; has no influence.
Where key and if_not_kept are known in advance, the planner leaves out a scan that is not needed.
Immutable for postgres_fdw, which sends nothing else.';

COMMENT ON FUNCTION skillrating_internal.solve_pass(bytea,bytea,bigint) IS
'One of the passes over matches that solving them takes: what the results say of the unknowns at a
point, without the prior; called by solve_distributed().
key: of the rows that this process keeps for the user, see solve_survey().
request: what is asked, and a number for each unknown: the skills of the players in the order of the
survey, then, under hive, their side offsets if offset_deviation is not 0 and their command skills
if command is true; the advantage of the first side if side_deviation is not 0; those of contexts.
rows: a count of rows, so that the pass goes to the server that has them; has no influence.
Result: null if nothing is kept under the key.  Both are bytes, see solve_pass.h; passes over
different matches add up.
Immutable for postgres_fdw, which sends nothing else.
Errors: 22023 for a key or a request that is none, 2202E for another number of unknowns, 55000 for
a product before derivatives.';

COMMENT ON FUNCTION skillrating_internal.solve_relation(regclass,text,jsonb,jsonb,text,skillrating.context_estimate[],boolean,bytea,text[]) IS
'Solves as solve() does, and returns what solve_summary() does, for the matches in a table, a view
or all partitions of a table, which are read once and kept as rows where they were read; called by
solve_distributed(), where errors are listed.
start: a query of the estimates to begin with, or null; start_contexts: the same of contexts, an
array.  strict: make a mistake in a match an error.
write: queries that run in the end, as the caller, and read the estimates as relation "solution"; or
null.
token: from solve_token(), under which rows are kept beyond the transaction, and found if they are
kept already; null to keep them no longer than this call.
Each partition is read in one snapshot.  Needs the right to read the partitions themselves.';

COMMENT ON FUNCTION skillrating_internal.solve_hold(regclass,jsonb,bytea) IS
'Has everybody who keeps rows of solve_relation() under a token keep them even if this transaction
is aborted.';

CREATE OR REPLACE FUNCTION skillrating_internal.solve_retry(relation regclass, columns jsonb, token bytea, failures integer, message text)
 RETURNS integer
 LANGUAGE plpgsql
 SET search_path TO 'pg_catalog', 'pg_temp'
AS $function$
DECLARE
    part regclass;
BEGIN
    RAISE NOTICE USING
        MESSAGE = format('lost a server, trying again: %s', message);
    FOR part IN
        SELECT c.oid FROM pg_partition_tree(relation) AS t JOIN pg_class AS c ON c.oid = t.relid
        WHERE c.relkind <> 'p'
        UNION ALL
        SELECT c.oid FROM pg_class AS c
        WHERE c.oid = relation AND NOT c.relispartition AND c.relkind <> 'p'
    LOOP
        BEGIN
            PERFORM skillrating_internal.solve_hold(part, columns, token);
        EXCEPTION WHEN connection_exception OR admin_shutdown OR crash_shutdown THEN
            NULL;  -- Here are no rows any more.
        END;
    END LOOP;
    PERFORM pg_sleep(0.2 * failures);
    RETURN failures + 1;
END
$function$;

CREATE OR REPLACE FUNCTION skillrating_internal.check_result(result regclass, type regclass)
 RETURNS void
 LANGUAGE plpgsql
 STABLE STRICT
 SET search_path TO 'pg_catalog', 'pg_temp'
AS $function$
DECLARE
    missing text;
BEGIN
    PERFORM skillrating_internal.check_relation(result);
    IF EXISTS (
        SELECT FROM pg_class AS c JOIN pg_namespace AS n ON n.oid = c.relnamespace
        WHERE c.oid = result AND (c.relkind NOT IN ('r', 'p') OR pg_is_other_temp_schema(n.oid)
            OR n.nspname IN ('pg_catalog', 'information_schema', 'pg_toast')))
    THEN
        RAISE wrong_object_type USING
            MESSAGE = format('relation %s cannot store the solution', result),
            DETAIL = 'It is not a table, or it is a system table or a temporary table of another session.',
            HINT = format('CREATE TABLE ... (LIKE %s) creates a suitable table.', type);
    END IF;
    SELECT string_agg(format('"%s"', e.attname), ', ' ORDER BY e.attnum) INTO missing
    FROM pg_attribute AS e
    WHERE e.attrelid = type AND e.attnum > 0 AND NOT EXISTS (
        SELECT FROM pg_attribute AS a
        WHERE a.attrelid = result AND a.attname = e.attname AND NOT a.attisdropped);
    IF missing IS NOT NULL THEN
        RAISE undefined_column USING
            MESSAGE = format('table %s has no column %s', result, missing),
            HINT = format('CREATE TABLE ... (LIKE %s) creates a table with all of them.', type);
    END IF;
END
$function$;

COMMENT ON PROCEDURE skillrating.solve_distributed(regclass,regclass,text,jsonb,jsonb,boolean,boolean,boolean,regclass,skillrating.solve_summary) IS
'Solves matches where they are stored, without collecting them in one place.
relation: a table, a view, or a partitioned table.  Each partition is read on its own, by a
parallel worker or, if it is a foreign table of a server with the extension (postgres_fdw with
extensions ''skillrating''), on that server.  All rows of a match must be in one partition.
A row is a participant.  The columns are those of source_columns() by name: match_id, player_id,
team and one of rank, score and won, and optionally weight, joined, left, commanding, side,
log_odds, gain, unrated_reason and context.
result: a table with the columns of the type estimate, made by
CREATE TABLE skills (LIKE skillrating.estimate); the solution replaces all its rows.
solver: bradley_terry, hive or plackett_luce.  params: its parameters.
columns: which columns have other names: {"match_id": "game"}.  With {"part": "season"} each value
of that column is a partition, and one query that is grouped by it reads all; where Citus
distributes the table by it, the workers read, and hand over the rows that passes need.  All rows of
a match must be in one part.
warm: begin the search with the rows of result and of contexts; a search from its own solution takes
one iteration.
commits: make each iteration a transaction of its own, which keeps what has been found and holds
no snapshot for longer.  A server that is lost in between is connected to again, up to ten times in
a row, and reads its partitions again.
strict: make a mistake in a match an error; otherwise the match is left out, and counted in summary.
contexts: a table with the columns of the type context_estimate, or null; the advantages of the
first side, in all matches and in each context, replace all its rows.  Without it the next search
has to find those of contexts again.
summary: returns how it went; a value given in the call is ignored.  A warning if the search has
not converged.
The solution equals that of solve() to about ten digits.  Each partition is read once, in one
snapshot; matches that come later do not count.  What passes need of it is kept where it was read: 8
to 40 bytes a participant, of skillrating.memory_limit up to the half and of a temporary file
beyond.
Needs the right to read the partitions and to change result.
Errors: 0A000 for other solvers, 42P01 for unknown relations, 42809 for a result or contexts that
are no table, or one of the system or of another session, 42703 for missing columns, 22023 for
unknown columns, for a table that is partitioned by player, team or rank, for a part by one of
these, and for one table as both result and contexts, 2D000 for commits within a transaction block,
P0002 if no match counts, as where parts divide them, unless the source says so of each, 54000 for
more than 16000 partitions or 4000 parts, and for more than 268 MB that another process has to hand
over of a part, and those of solve().';

CREATE FUNCTION skillrating.plot_calibration(calibration skillrating.calibration, title text DEFAULT 'Calibration'::text, x_title text DEFAULT 'forecast probability'::text, y_title text DEFAULT 'frequency'::text, width integer DEFAULT 500)
 RETURNS text
 LANGUAGE c
 IMMUTABLE PARALLEL SAFE
AS 'MODULE_PATHNAME', $function$skillrating_plot_calibration$function$;

COMMENT ON FUNCTION skillrating.plot_calibration(skillrating.calibration,text,text,text,integer) IS
E'A picture of what calibration() found, as SVG text. Dots show the frequency of what was forecast,
for each bin at its mean forecast, with two standard errors. The dashed diagonal is that of perfect
forecasts, the solid line the logistic recalibration, and bars count the forecasts of each bin.
SELECT skillrating.plot_calibration(skillrating.calibration(p, outcome)) FROM ...
In psql, \\t \\a \\o picture.svg puts it into a file.
title: above the picture, and read out by screen readers.
x_title, y_title: of the horizontal and of the vertical axis.
width: in pixels, 320 to 4000; text keeps its size and wraps.
A null for title, x_title, y_title or width stands for the default.
Colours suit light and dark. Null for null.
Errors: 22003 for another width, 54000 for more than 1000 bins.';

CREATE FUNCTION skillrating.plot_history(player_id text[], at timestamp with time zone[], rating double precision[], deviation double precision[] DEFAULT NULL::double precision[], title text DEFAULT 'Ratings'::text, x_title text DEFAULT 'time'::text, y_title text DEFAULT 'rating'::text, width integer DEFAULT 720)
 RETURNS text
 LANGUAGE c
 STABLE PARALLEL SAFE
AS 'MODULE_PATHNAME', $function$skillrating_plot_history$function$;

COMMENT ON FUNCTION skillrating.plot_history(text[],timestamp with time zone[],double precision[],double precision[],text,text,text,integer) IS
'A picture of ratings over time, as SVG text, with a line for each of up to 16 players:
SELECT skillrating.plot_history(array_agg(player_id::text), array_agg(played_at),
array_agg(rating_after)) FROM ...
player_id, at, rating: arrays of equal length, one element a point.
deviation: null, or an array of the same length, 0 or more, in the unit of rating; it gives each
line a band of two deviations.
title, x_title, y_title, width: as for plot_calibration().
Times are shown in the time zone of the session.  The order of the elements decides colours only.
Elements with a null (except in deviation) or an infinite time do not count; null if none counts.
Errors: 2202E for arrays of different length, 22003 for numbers that are not finite, negative
deviations and another width, 54000 for more players and for numbers more than 1e305 apart.';

CREATE FUNCTION skillrating.plot_history(player_id text[], at double precision[], rating double precision[], deviation double precision[] DEFAULT NULL::double precision[], title text DEFAULT 'Ratings'::text, x_title text DEFAULT 'matches'::text, y_title text DEFAULT 'rating'::text, width integer DEFAULT 720)
 RETURNS text
 LANGUAGE c
 IMMUTABLE PARALLEL SAFE
AS 'MODULE_PATHNAME', $function$skillrating_plot_history$function$;

COMMENT ON FUNCTION skillrating.plot_history(text[],double precision[],double precision[],double precision[],text,text,text,integer) IS
'As the form with times, over any numbers, such as the matches played before.';

CREATE FUNCTION skillrating.plot_distribution(value double precision[], title text DEFAULT 'Distribution'::text, x_title text DEFAULT 'value'::text, y_title text DEFAULT 'count'::text, width integer DEFAULT 620)
 RETURNS text
 LANGUAGE c
 IMMUTABLE PARALLEL SAFE
AS 'MODULE_PATHNAME', $function$skillrating_plot_distribution$function$;

COMMENT ON FUNCTION skillrating.plot_distribution(double precision[],text,text,text,integer) IS
'A histogram of values, such as ratings, as SVG text, with mean and median.
SELECT skillrating.plot_distribution(array_agg(rating)) FROM arena.rating
Bins are about as wide as Freedman and Diaconis (1981) advise, between round numbers.
title, x_title, y_title, width: as for plot_calibration().
Nulls do not count; null if no value counts.
Errors: 22003 for values that are not finite and another width, 54000 for values more than 1e305
apart.';

CREATE OR REPLACE FUNCTION skillrating.scramble_due(mode text, winner integer[], captures_1 integer[] DEFAULT NULL::integer[], captures_2 integer[] DEFAULT NULL::integer[], scrambled integer DEFAULT 0, streak integer DEFAULT 3, rounds integer DEFAULT 2, waiting_over boolean DEFAULT false, OUT due boolean, OUT reason text)
 RETURNS record
 LANGUAGE plpgsql
 IMMUTABLE PARALLEL SAFE
 SET search_path TO 'pg_catalog', 'pg_temp'
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

COMMENT ON FUNCTION skillrating.draw_number(bytea,text) IS
'A number that is drawn by a secret, such as the seed of split_teams(): nobody can predict it
without the secret, who draws cannot choose it, and everybody can check it when the secret is
revealed.

Publish sha256(secret) before the draws, and the secret when all of them are over.  Each draw of a
secret needs a name of its own, fixed by a rule that is known in advance, such as ''round 7''.
secret: at least 16 bytes that nobody can guess.
Result: the first 8 bytes of HMAC-SHA-256 of the name under the secret, as a signed number.
Null for nulls.  Error 22023 for a shorter secret.';

COMMENT ON FUNCTION skillrating.draw_sides(bytea,text,integer) IS
'The side of each team, 1 to teams, by a secret draw; all orders are equally likely.  Element t is
the side of team t.  See draw_number() for the secret and the name of the draw.

teams: 2 to 10.
Result: the places of the teams by HMAC-SHA-256 of the name, a zero byte and the team''s number.
Null for nulls.  Errors: 22023 for a short secret and for teams out of range.';

CREATE OR REPLACE FUNCTION skillrating_internal.ladder_entries(OUT function text, OUT runs_as text, OUT lock text, OUT needs text, OUT in_api boolean)
 RETURNS SETOF record
 LANGUAGE c
 STABLE PARALLEL SAFE ROWS 100
AS 'MODULE_PATHNAME', $function$skillrating_ladder_entries$function$;

COMMENT ON FUNCTION skillrating_internal.ladder_entries() IS
'The functions of the schema skillrating that work on ladders: as whom they run, which lock they
take on the schema of the ladder, and what the caller needs besides USAGE on it, and
whether create_api() makes one of the same name.';

CREATE OR REPLACE FUNCTION skillrating_internal.create_entry(name text)
 RETURNS void
 LANGUAGE plpgsql
 STRICT
 SET search_path TO 'pg_catalog', 'pg_temp'
AS $function$
DECLARE
    body record;
    entry text;
    overload text;
BEGIN
    SELECT p.oid, p.provolatile, p.proisstrict, p.proretset, p.prorows,
        pg_get_function_arguments(p.oid) AS arguments, pg_get_function_result(p.oid) AS result,
        pg_get_function_identity_arguments(p.oid) AS signature
    INTO STRICT body
    FROM pg_proc AS p
    WHERE p.pronamespace = 'skillrating_internal'::regnamespace AND p.proname = name;
    entry := format(
        'CREATE FUNCTION skillrating.%I(%%s) RETURNS %s AS ''$libdir/skillrating'', ''skillrating_enter''
        LANGUAGE C %s %s %s',
        name, replace(body.result, '%', '%%'),
        CASE body.provolatile WHEN 'v' THEN 'VOLATILE' ELSE 'STABLE' END,
        CASE WHEN body.proisstrict THEN 'STRICT' END,
        CASE WHEN body.proretset THEN format('ROWS %s', body.prorows) END);
    EXECUTE format(entry, body.arguments);
    EXECUTE format('COMMENT ON FUNCTION %s IS %L', body.oid::regprocedure,
        format('The body of skillrating.%s(), called once the door to the ladder is open.', name));

    -- A parameter without a type is no anyelement; beside one of type text it is that.
    IF body.signature ~ '\manyelement\M' THEN
        overload := regexp_replace(body.signature, '\manyelement\M', 'text');
        EXECUTE format(entry, regexp_replace(body.arguments, '\manyelement\M', 'text'));
        EXECUTE format('COMMENT ON FUNCTION skillrating.%I(%s) IS %L', name, overload, format(
'skillrating.%1$s() for an identifier that is a text, a literal or an untyped
parameter. Arguments, result and errors are those of skillrating.%1$s()
with anyelement; a text that the ladder''s type cannot read is error 22P02.',
            name));
    END IF;
END
$function$;

CREATE FUNCTION skillrating_internal.enqueue_matches()
 RETURNS trigger
 LANGUAGE c
AS 'MODULE_PATHNAME', $function$skillrating_enqueue_matches$function$;

COMMENT ON FUNCTION skillrating_internal.enqueue_matches() IS
'Trigger function on tables that attach() was given with replica => true, after each row and after
TRUNCATE: puts the matches of the row into the table pending of the ladder that the WHEN condition
names, where they wait for drain(). What a row has in place of a match is noted in replica_note, and
so is TRUNCATE. Error 39P01 if it is attached otherwise, 55000 on any other table.';

COMMENT ON FUNCTION skillrating_internal.ladder_columns(text,text,regtype,regtype,text) IS
'The column definitions of table rating, event, component or component_event of a ladder, as CREATE
TABLE takes them; display is the expression of the displayed rating, for table rating. Errors: 22023
for another relation or an unknown model.';

CREATE OR REPLACE FUNCTION skillrating_internal.check_source(source regclass)
 RETURNS text
 LANGUAGE plpgsql
 STABLE STRICT
 SET search_path TO 'pg_catalog', 'pg_temp'
AS $function$
DECLARE
    source_list text;
    faults text;
BEGIN
    -- The functions of a view run with the rights of who reads it: the owner of the ladder.
    IF EXISTS (
        SELECT FROM pg_class AS c
        WHERE c.oid = source AND c.relkind = 'v' AND pg_get_userbyid(c.relowner) <> current_user)
    THEN
        RAISE insufficient_privilege USING
            MESSAGE = format('source %s belongs to another role', source),
            HINT = 'The owner of a ladder must own its source view.';
    END IF;
    SELECT string_agg(format('%s (%s)', d.column_name,
            CASE WHEN d.present AND d.wanted_type = 'identifier'
                    THEN 'is ' || d.source_type || ', which cannot identify anything, or has a nondeterministic collation'
                WHEN d.present THEN 'is ' || d.source_type || ', not a ' || d.wanted_type
                WHEN d.needed = 'one' THEN 'missing, as are its alternatives' ELSE 'missing' END), ', ')
            FILTER (WHERE NOT d.ok),
        string_agg(format('s.%I', d.column_name), ', ') FILTER (WHERE d.present AND d.wanted_type IS NOT NULL)
    INTO faults, source_list
    FROM skillrating.describe_source(source) AS d;
    IF faults IS NOT NULL THEN
        RAISE invalid_parameter_value USING
            MESSAGE = format('%s cannot be the source of a ladder', source),
            DETAIL = format('%s.', faults),
            HINT = format('See SELECT * FROM skillrating.describe_source(%L).', source);
    END IF;
    RETURN source_list;
END
$function$;

CREATE OR REPLACE FUNCTION skillrating_internal.create_waiting_tables(ladder text, player_type regtype, match_type regtype)
 RETURNS void
 LANGUAGE plpgsql
 SET search_path TO 'pg_catalog', 'pg_temp'
AS $function$
DECLARE
    player text := format_type(player_type, -1);
    match text := format_type(match_type, -1);
BEGIN
    EXECUTE format(
        'CREATE TABLE %I.pending (
            match_id %s NOT NULL,
            xact xid8 NOT NULL,
            fires boolean NOT NULL)', ladder, match);
    EXECUTE format('CREATE INDEX ON %I.pending (xact)', ladder);
    -- A publication of all tables must not keep rows from being deleted.
    EXECUTE format('ALTER TABLE %I.pending REPLICA IDENTITY FULL', ladder);
    EXECUTE format('COMMENT ON TABLE %I.pending IS %L', ladder,
        'Matches that wait for the end of the transaction that touched them, for catch_up() where apply_at is manual, or for drain() where they come from a publisher (fires is false then).');

    EXECUTE format(
        'CREATE TABLE %I.correction (
            seq bigint,
            match_id %s,
            kind text NOT NULL,
            played_at timestamptz,
            noticed_at timestamptz NOT NULL DEFAULT now())', ladder, match);
    EXECUTE format('ALTER TABLE %I.correction REPLICA IDENTITY FULL', ladder);
    EXECUTE format('COMMENT ON TABLE %I.correction IS %L', ladder,
        'What waits for catch_up(): from which place in the order (seq) or time on history is out of date, because of which match, and what happened to it.');

    EXECUTE format(
        'CREATE TABLE %I.operation (
            operation bigint NOT NULL,
            seq bigint NOT NULL,
            kind text NOT NULL CHECK (kind IN (''season'', ''decay'', ''settle'', ''set'', ''seed'', ''reset'', ''refund'', ''exclude'', ''merge'', ''eligibility'')),
            pool text,
            player_id %s,
            into_id %s,
            since timestamptz,
            until timestamptz,
            at timestamptz NOT NULL DEFAULT now(),
            state float8[],
            params jsonb NOT NULL DEFAULT ''{}'',
            reason text,
            made_by text NOT NULL DEFAULT session_user,
            made_at timestamptz NOT NULL DEFAULT clock_timestamp(),
            undone_at timestamptz,
            UNIQUE NULLS NOT DISTINCT (seq, player_id, pool))', ladder, player, player);
    EXECUTE format('ALTER TABLE %I.operation REPLICA IDENTITY FULL', ladder);
    EXECUTE format('CREATE INDEX ON %I.operation (kind) WHERE kind IN (''exclude'', ''merge'', ''eligibility'') AND undone_at IS NULL', ladder);
    EXECUTE format('COMMENT ON TABLE %I.operation IS %L', ladder,
        'What was done other than by matches, with the reason, by its number (operation) and at its place in the order (seq): seasons, decay, idle time that was counted, states set by hand, from another ladder (one row a player) or to that of a newcomer, points given back (one row a player and pool; into_id is whom they were lost to), players excluded or merged, rules of eligibility (params) for matches played since.');
END
$function$;

CREATE OR REPLACE FUNCTION skillrating_internal.create_lists(ladder text, player_type regtype)
 RETURNS void
 LANGUAGE plpgsql
 SET search_path TO 'pg_catalog', 'pg_temp'
AS $function$
DECLARE
    player text := format_type(player_type, -1);
BEGIN
    EXECUTE format(
        'CREATE TABLE %I.attached (
            relation regclass PRIMARY KEY,
            match_id text NOT NULL,
            replica boolean NOT NULL DEFAULT false)', ladder);
    EXECUTE format('COMMENT ON TABLE %I.attached IS %L', ladder,
        'Tables whose triggers feed the ladder, and the column or expression that gives the match of a row; replica if a publisher fills the table, so that rows only have their matches wait for drain(). See attach().');

    EXECUTE format(
        'CREATE TABLE %I.mirror (
            relation regclass NOT NULL,
            pool text NOT NULL DEFAULT '''',
            key text NOT NULL,
            columns jsonb NOT NULL,
            PRIMARY KEY (relation, pool))', ladder);
    EXECUTE format('COMMENT ON TABLE %I.mirror IS %L', ladder,
        'Tables of the user some of whose columns are kept equal to those of rating; see mirror_rating().');

    EXECUTE format(
        'CREATE TABLE %I.solved (
            solver text NOT NULL,
            pool text NOT NULL,
            player_id %s NOT NULL,
            at timestamptz,
            mu float8,
            standard_error float8,
            side_offset float8,
            command_skill float8,
            games bigint NOT NULL,
            component integer NOT NULL,
            UNIQUE NULLS NOT DISTINCT (solver, pool, player_id, at))', ladder, player);
    EXECUTE format('ALTER TABLE %I.solved REPLICA IDENTITY FULL', ladder);
    EXECUTE format('COMMENT ON TABLE %I.solved IS %L', ladder,
        'What all matches together say of a player, by solve_ladder(): the columns of type estimate, for each solver and pool that has been solved.');

    EXECUTE format(
        'CREATE TABLE %I.solved_context (
            solver text NOT NULL,
            pool text NOT NULL,
            context text,
            log_odds float8,
            standard_error float8,
            UNIQUE NULLS NOT DISTINCT (solver, pool, context))', ladder);
    EXECUTE format('ALTER TABLE %I.solved_context REPLICA IDENTITY FULL', ladder);
    EXECUTE format('COMMENT ON TABLE %I.solved_context IS %L', ladder,
        'What contexts are worth to side 1 by all matches together, by solve_ladder(): the columns of type context_estimate; without a context, what side 1 is worth in all matches.');
END
$function$;

COMMENT ON FUNCTION skillrating.create_ladder(text,text,jsonb,regtype,regtype,text,regclass,text,boolean,jsonb,text) IS
'Creates a ladder: a schema of that name with ordinary tables, owned by the caller. Matches that are
inserted into match and match_player are rated by the model with the parameters given (see
model_parameters()) at commit, or after each statement for apply_at => statement, which then must
carry whole matches, or by catch_up() for manual. A match that is older than others of its players
is rated as it arrives (late => append), or in its place, once catch_up() is called (reorder). A
match with a mistake in its rows stays unrated, with a reason of unrated_reasons(); where strict it
is an error of the statement or commit that brings it. eligibility has rules for all matches, see
set_eligibility(). leaderboard says what makes boards quick: ranks (an index on the rating, and
counts of players by rating, for ranks), bands (an index on coarse bands of ratings, which matches
are cheaper with, and ranks dearer) or none; set_leaderboard() changes it. With a source, a view on
tables of your own with a row for each participant of each finished match (see describe_source()),
there are no such tables, and attach() says which tables the matches come from; a notice says how
many matches it has already, which backfill() rates. Players and matches are identified by any type
that can be hashed and ordered, bigint or that of the source unless it is given; not by composites,
arrays, names of objects, domains without null, or texts of a nondeterministic collation. Errors:
42804 for such a type, 42P01 for an unknown source, 22023 for an unknown model or
parameter or a source that will not do, 22003 for a parameter out of range, 42P06 if the schema
exists, 42501 if the source view is another role''s.';

COMMENT ON FUNCTION skillrating_internal.report_match(text,anyelement,anycompatiblearray,integer[],integer[],timestamp with time zone,double precision[],double precision[],double precision[],double precision[],double precision[],integer[],bigint[],integer[],integer[],boolean[],integer[],double precision[],text,double precision,double precision,double precision,boolean,boolean[],text[],text[]) IS
'The body of skillrating.report_match(), called once the door to the ladder is open.';

COMMENT ON FUNCTION skillrating.report_match(text,anyelement,anycompatiblearray,integer[],integer[],timestamp with time zone,double precision[],double precision[],double precision[],double precision[],double precision[],integer[],bigint[],integer[],integer[],boolean[],integer[],double precision[],text,double precision,double precision,double precision,boolean,boolean[],text[],text[]) IS
'Inserts a match with its participants, one element of each array for each, rates it at once, and
says for every player what came of it.

Result: a row for each player, in the order of players; one who occurs several times has a row, at
the first place.
rating_before, rating_after: the displayed rating, and state_before, state_after the state. Where
the match has not touched a player, or not yet, both are those with which the player would go into
it.
win_probability, score: as predicted, and 1 for a win, 0.5 for a draw, 0 for a loss; null likewise.
outcome: the same in all rows.
  rated: the match is new, and rated.
  repeated: it was rated before with this content, and nothing has changed; or with any content
  before the horizon (reason before_horizon), and its rows and its rating stay as they are.
  corrected: it was looked at before with other content. The new content has taken its place, and
  counts from the next catch_up() on; the ratings are those of the old content.
  waiting: it will be rated later: by catch_up() if reason is late, or, if that is waiting, when the
  work is done in which a trigger has reported it.
  unrated: it does not count, for the reason given.
reason, detail: a code of unrated_reasons(), and in words; null for a match that counts. A match
that was made void and is rated until catch_up() has reason void.
correction, correction_seq: what waits for catch_up() because of this match, as table correction has
it, and the place in the order from which history is out of date; a late match has none yet.

Without played_at it is the time of the transaction. The result is the rank of each participant''s
team, or team_score (high is best); models that know margins take the score besides the rank. In
the arrays from weight on an element may be null where it is unknown, or as by default. gain weighs
the updates of all players, and player_gain that of each besides. duration (in seconds), surrendered
(by a team) and bot (for each participant) are for the rules of set_eligibility(). context is where
or as what each participant played, one element being that of all, and club the group, such as a
country, that each played for.

Errors: 55000 if the match exists and is not finished, or the triggers of the ladder are gone (see
restore_triggers()), 22004 for nulls, 2202E for arrays that do not fit, 22023 and 22003 for values
out of range, 22008 for an infinite played_at, 42704 for an unknown ladder.';

COMMENT ON FUNCTION skillrating.report_match(text,text,anycompatiblearray,integer[],integer[],timestamp with time zone,double precision[],double precision[],double precision[],double precision[],double precision[],integer[],bigint[],integer[],integer[],boolean[],integer[],double precision[],text,double precision,double precision,double precision,boolean,boolean[],text[],text[]) IS
'skillrating.report_match() for an identifier that is a text, a literal or an untyped
parameter. Arguments, result and errors are those of skillrating.report_match()
with anyelement; a text that the ladder''s type cannot read is error 22P02.';

COMMENT ON FUNCTION skillrating_internal.preview(text,anycompatiblearray,integer[],double precision[],double precision[],double precision[],double precision[],integer[],bigint[],double precision[],text,double precision,double precision,timestamp with time zone,text[],text[]) IS
'The body of skillrating.preview(), called once the door to the ladder is open.';

COMMENT ON FUNCTION skillrating.preview(text,anycompatiblearray,integer[],double precision[],double precision[],double precision[],double precision[],integer[],bigint[],double precision[],text,double precision,double precision,timestamp with time zone,text[],text[]) IS
'What a match at a time would bring, without playing it: for every player the displayed rating with
which the player goes into it, after idle time up to then, the probability that the own team wins
(a draw counts half), and the change of the rating if it wins, draws or loses against all others.
draw_probability is that of a draw of two teams, null of more and under a model that has none, as in
predict(): a win alone has win_probability less half of it.
at is now by default, also where it is null; settled_at() gives the ratings that leaderboards show.
The rows are in the order of players; one who occurs several times has a row, at the first place.
Players without a row start from the initial state. An account that is merged counts as the player
it is merged into, and its row comes back under the identifier that was given. Under a model with
components it takes SELECT on table component besides. Errors as for report_match(), 22023 if the
match could not be rated, also for two accounts of one player, 22008 for an infinite at.';

COMMENT ON FUNCTION skillrating_internal.verify(text) IS
'The body of skillrating.verify(), called once the door to the ladder is open.';

COMMENT ON FUNCTION skillrating.verify(text) IS
'Rates all matches of a ladder, or all behind its horizon (see set_horizon()), again, from the
source and in rated order, and compares bit for bit:
content (the matches are what was rated, and all columns of the source are read), events (states
before and after, predictions and scores), ratings (the state of every player, and the counts that
ranks come from), counters (games, wins, draws, losses, last played), components (all of these of
components, of a model that has some), complete (no finished match was overlooked, nor one that
could not be rated and has changed), corrections (none waits for catch_up()), and, of a ladder that
partition_history() has partitioned, partitions (every place has one). Everything is read under one
snapshot, and other sessions go on rating. catch_up(search => true, rebuild => true) mends content,
events, ratings, counters, components and complete, catch_up() corrections. Errors: 42704 for an
unknown ladder, 55000 if its triggers are gone, see restore_triggers().';

CREATE OR REPLACE FUNCTION skillrating_internal.create_own_triggers(ladder text)
 RETURNS bigint
 LANGUAGE plpgsql
 STRICT
 SET search_path TO 'pg_catalog', 'pg_temp'
AS $function$
DECLARE
    collect constant text := 'FOR EACH STATEMENT
        EXECUTE FUNCTION skillrating_internal.collect_matches()';
    refuse constant text := 'FOR EACH STATEMENT
        EXECUTE FUNCTION skillrating_internal.refuse_truncate()';
    relation regclass;
    replicated regclass[];
    t record;
    n bigint := 0;
BEGIN
    IF to_regclass(format('%I.attached', ladder)) IS NOT NULL THEN
        EXECUTE format(
            'SELECT array_agg(a.relation) FROM %I.attached AS a WHERE a.replica', ladder)
        INTO replicated;
    END IF;
    -- Participants cannot exist before their match, so that inserting a match alone changes
    -- nothing, and deleting one deletes its participants.
    FOR t IN
        SELECT v.*
        FROM (VALUES
            ('pending', 'apply_pending', 'CONSTRAINT TRIGGER', 'AFTER INSERT',
                'DEFERRABLE INITIALLY DEFERRED FOR EACH ROW WHEN (NEW.fires)
                EXECUTE FUNCTION skillrating_internal.apply_pending()'),
            ('match_player', 'collect_insert', 'TRIGGER', 'AFTER INSERT',
                'REFERENCING NEW TABLE AS new_rows ' || collect),
            ('match_player', 'collect_update', 'TRIGGER', 'AFTER UPDATE',
                'REFERENCING OLD TABLE AS old_rows NEW TABLE AS new_rows ' || collect),
            ('match_player', 'collect_delete', 'TRIGGER', 'AFTER DELETE',
                'REFERENCING OLD TABLE AS old_rows ' || collect),
            ('match', 'collect_update', 'TRIGGER', 'AFTER UPDATE',
                'REFERENCING OLD TABLE AS old_rows NEW TABLE AS new_rows ' || collect),
            ('match', 'refuse_truncate', 'TRIGGER', 'BEFORE TRUNCATE', refuse),
            ('match_player', 'refuse_truncate', 'TRIGGER', 'BEFORE TRUNCATE', refuse)
        ) AS v(table_name, trigger_name, kind, event, rest)
    LOOP
        relation := to_regclass(format('%I.%I', ladder, t.table_name));
        CONTINUE WHEN relation IS NULL OR relation = ANY (replicated)
            OR EXISTS (
                SELECT FROM pg_trigger AS g
                WHERE g.tgrelid = relation AND g.tgname = t.trigger_name);
        EXECUTE format('CREATE %s %I %s ON %s %s',
            t.kind, t.trigger_name, t.event, relation, t.rest);
        n := n + 1;
    END LOOP;
    RETURN n;
END
$function$;

COMMENT ON FUNCTION skillrating_internal.create_own_triggers(text) IS
'A part of create_ladder(), detach() and restore_triggers(): makes those triggers of pending, match
and match_player that do not exist, and returns how many. Tables that a publisher fills have others.';

CREATE FUNCTION skillrating_internal.drop_own_triggers(ladder text, relation regclass)
 RETURNS void
 LANGUAGE plpgsql
 STRICT
 SET search_path TO 'pg_catalog', 'pg_temp'
AS $function$
DECLARE
    name name;
BEGIN
    PERFORM skillrating_internal.check_inside(ladder);
    FOR name IN
        SELECT t.tgname FROM pg_trigger AS t
        WHERE t.tgrelid = relation AND NOT t.tgisinternal
            AND t.tgfoid IN ('skillrating_internal.collect_matches'::regproc,
                'skillrating_internal.refuse_truncate'::regproc)
    LOOP
        EXECUTE format('DROP TRIGGER %I ON %s', name, relation);
    END LOOP;
END
$function$;

COMMENT ON FUNCTION skillrating_internal.drop_own_triggers(text,regclass) IS
'A part of attach() with replica => true: drops the triggers that create_own_triggers() made on
match or match_player.';

CREATE FUNCTION skillrating_internal.create_collect_triggers(ladder text, relation regclass, match_id text, replica boolean)
 RETURNS void
 LANGUAGE plpgsql
 STRICT
 SET search_path TO 'pg_catalog', 'pg_temp'
AS $function$
DECLARE
    t record;
    n integer;
    name text;
BEGIN
    FOR t IN
        SELECT v.*
        FROM (VALUES
            (false, 'insert', 'AFTER INSERT', 'REFERENCING NEW TABLE AS new_rows', 'STATEMENT',
                'collect_matches'),
            (false, 'update', 'AFTER UPDATE',
                'REFERENCING OLD TABLE AS old_rows NEW TABLE AS new_rows', 'STATEMENT',
                'collect_matches'),
            (false, 'delete', 'AFTER DELETE', 'REFERENCING OLD TABLE AS old_rows', 'STATEMENT',
                'collect_matches'),
            (false, 'truncate', 'BEFORE TRUNCATE', '', 'STATEMENT', 'refuse_truncate'),
            (true, 'insert', 'AFTER INSERT', '', 'ROW', 'enqueue_matches'),
            (true, 'update', 'AFTER UPDATE', '', 'ROW', 'enqueue_matches'),
            (true, 'delete', 'AFTER DELETE', '', 'ROW', 'enqueue_matches'),
            (true, 'truncate', 'AFTER TRUNCATE', '', 'STATEMENT', 'enqueue_matches')
        ) AS v(replica, kind, event, transition_tables, level, trigger_function)
        WHERE v.replica = create_collect_triggers.replica
    LOOP
        -- A table may feed several ladders. Nothing is found by these names.
        n := 1;
        LOOP
            BEGIN
                name := format('skillrating_%s%s', t.kind, '_' || nullif(n, 1));
                EXECUTE format(
                    'CREATE TRIGGER %I %s ON %s %s
                    FOR EACH %s WHEN (%L::regclass IS NOT NULL)
                    EXECUTE FUNCTION skillrating_internal.%I()',
                    name, t.event, relation, t.transition_tables, t.level,
                    format('%I.source', ladder), t.trigger_function);
                EXIT;
            EXCEPTION
                WHEN duplicate_object THEN
                    n := n + 1;
            END;
        END LOOP;
        -- A worker of logical replication fires no others.
        IF replica THEN
            EXECUTE format('ALTER TABLE %s ENABLE ALWAYS TRIGGER %I', relation, name);
        END IF;
    END LOOP;
END
$function$;

COMMENT ON FUNCTION skillrating_internal.create_collect_triggers(text,regclass,text,boolean) IS
'The part of attach() and restore_triggers() that makes the triggers of a table, and touches nothing
of the ladder; its view source must exist. The arguments are those of attach(). Error 42501 unless
the caller may create triggers on the table, or owns it where they are those of a replica.';

CREATE FUNCTION skillrating_internal.check_replica(ladder text, relation regclass, match_id text)
 RETURNS boolean
 LANGUAGE plpgsql
 STABLE STRICT
 SET search_path TO 'pg_catalog', 'pg_temp'
AS $function$
DECLARE
    own boolean := coalesce(relation IN (to_regclass(format('%I.match', ladder)),
        to_regclass(format('%I.match_player', ladder))), false);
    is_strict boolean;
BEGIN
    PERFORM skillrating_internal.check_inside(ladder);
    EXECUTE format('SELECT l.strict FROM %I.ladder AS l', ladder) INTO is_strict;
    IF is_strict THEN
        RAISE object_not_in_prerequisite_state USING
            MESSAGE = format('ladder "%s" is strict, and cannot refuse matches that a publisher has committed',
                ladder),
            HINT = format('UPDATE %I.ladder SET strict = false sets matches with mistakes aside.',
                ladder);
    END IF;
    IF own AND match_id <> 'match_id' THEN
        RAISE invalid_parameter_value USING
            MESSAGE = format('match_id must be "match_id" for table %s, not "%s"', relation, match_id);
    END IF;
    RETURN own;
END
$function$;

COMMENT ON FUNCTION skillrating_internal.check_replica(text,regclass,text) IS
'A part of attach() with replica => true: whether the table is match or match_player of the ladder.
Errors: 55000 for a strict ladder, 22023 for another match_id of these.';

CREATE FUNCTION skillrating_internal.create_replica_note(ladder text)
 RETURNS void
 LANGUAGE plpgsql
 STRICT
 SET search_path TO 'pg_catalog', 'pg_temp'
AS $function$
DECLARE
    t record := skillrating_internal.ladder_types(ladder);
BEGIN
    IF to_regclass(format('%I.replica_note', ladder)) IS NOT NULL THEN
        RETURN;
    END IF;
    EXECUTE format(
        'CREATE TABLE %I.replica_note (
            number bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
            noted_at timestamptz NOT NULL DEFAULT clock_timestamp(),
            relation regclass,
            event text,
            match_id %s,
            error text)', ladder, t.match_type);
    EXECUTE format('COMMENT ON TABLE %I.replica_note IS %L', ladder,
        'What could not be rated of what a publisher has sent: rows whose match could not be told (relation, event and error; the first thousand), matches that drain() has set aside (match_id and error), and tables that were truncated (without error), after which drain() searches the source. A match that is rated later is removed; the rest can be deleted.');
END
$function$;

COMMENT ON FUNCTION skillrating_internal.create_replica_note(text) IS
'A part of attach() with replica => true: the table replica_note, unless the ladder has it.';

CREATE FUNCTION skillrating_internal.attach(ladder text, relation regclass, match_id text DEFAULT 'match_id'::text, replica boolean DEFAULT false)
 RETURNS void
 LANGUAGE plpgsql
 STRICT
 SET search_path TO 'pg_catalog', 'pg_temp'
AS $function$
DECLARE
    t record := skillrating_internal.ladder_types(ladder);
    match text;
    own boolean := replica AND skillrating_internal.check_replica(ladder, relation, match_id);
    n bigint;
BEGIN
    IF to_regclass(format('%I.match', ladder)) IS NOT NULL AND NOT own THEN
        RAISE object_not_in_prerequisite_state USING
            MESSAGE = format('ladder "%s" rates matches of its own', ladder),
            HINT = 'Make one with create_ladder(..., source => ...) to rate those of other tables.';
    END IF;
    PERFORM skillrating_internal.check_relation(relation);
    SELECT format_type(a.atttypid, -1) INTO STRICT match
    FROM pg_attribute AS a
    WHERE a.attrelid = to_regclass(format('%I.rated_match', ladder)) AND a.attname = 'match_id';

    -- The same text will be an expression over the rows that a statement touched.
    IF EXISTS (
        SELECT FROM pg_attribute AS a
        WHERE a.attrelid = relation AND a.attname = match_id AND a.attnum < 0)
    THEN
        RAISE undefined_column USING
            MESSAGE = format('"%s" is a system column, which identifies no match', match_id);
    ELSIF NOT EXISTS (
        SELECT FROM pg_attribute AS a
        WHERE a.attrelid = relation AND a.attname = match_id AND NOT a.attisdropped)
    THEN
        BEGIN
            EXECUTE format('SELECT CAST((%s) AS %s) FROM %s LIMIT 0', match_id, match, relation);
        EXCEPTION WHEN undefined_column OR undefined_function OR syntax_error THEN
            RAISE EXCEPTION USING
                ERRCODE = SQLSTATE,
                MESSAGE = SQLERRM,
                DETAIL = format('The match of a row of table %s is the expression %s.', relation, match_id),
                HINT = 'Pass attach() the column with the identifier of the match, or an expression, as match_id.';
        END;
    END IF;
    EXECUTE format(
        'INSERT INTO %I.attached (relation, match_id, replica) VALUES ($1, $2, $3)
        ON CONFLICT DO NOTHING', ladder)
    USING relation, match_id, replica;
    GET DIAGNOSTICS n = ROW_COUNT;
    IF n = 0 THEN
        RAISE duplicate_object USING
            MESSAGE = format('table %s is attached to ladder "%s" already', relation, ladder),
            HINT = 'If its triggers are gone, skillrating.restore_triggers() puts them back.';
    END IF;
    IF replica THEN
        PERFORM skillrating_internal.create_replica_note(ladder);
    END IF;
    IF own THEN
        PERFORM skillrating_internal.drop_own_triggers(ladder, relation);
        RETURN;
    END IF;
    -- Of the tables behind a new ladder the first one says it for all.
    EXECUTE format('SELECT FROM %1$I.rated_match UNION ALL
        (SELECT FROM %1$I.attached HAVING count(*) = 1) LIMIT 1', ladder);
    GET DIAGNOSTICS n = ROW_COUNT;
    IF n > 0 THEN
        PERFORM skillrating_internal.note_waiting(format('%I.source', ladder), ladder, format(
            'NOT EXISTS (SELECT FROM %I.rated_match AS m WHERE m.match_id %s s.match_id)',
            ladder, t.match_equals));
    END IF;
END
$function$;

COMMENT ON FUNCTION skillrating_internal.attach(text,regclass,text,boolean) IS
'The body of skillrating.attach(), called once the door to the ladder is open.';

CREATE FUNCTION skillrating.attach(ladder text, relation regclass, match_id text DEFAULT 'match_id'::text, replica boolean DEFAULT false)
 RETURNS void
 LANGUAGE c
 STRICT
AS 'MODULE_PATHNAME', $function$skillrating_enter$function$;

COMMENT ON FUNCTION skillrating.attach(text,regclass,text,boolean) IS
'Lets a table feed a ladder that has a source: rows that are inserted, updated or deleted there have
their matches looked at, at commit or after the statement as the ladder''s apply_at says. match_id
is the column with the match, or an expression over the row''s columns that gives what the source
calls match_id; an expression, or a column of another type, needs the table and the ladder to
belong to one role. Attach each table whose rows make a match; a partitioned one as a whole, and a
partition too if rows are written to it directly. A notice says how many matches of the source are
not rated yet, which backfill() does; of several tables behind a new ladder the first one says so.
TRUNCATE of an attached table is refused: use DELETE, or detach() the table first.
replica: the table is filled by logical replication, of which only triggers for each row that are
enabled always notice anything. They put the matches into a queue, whoever changes a row, and
drain() rates them; what has no match that can be told is noted in table replica_note, and TRUNCATE
has drain() search the source. Tables match and match_player of a ladder without a source can be
attached so too.
The triggers depend on the view source of the ladder: they go when it is dropped, and follow when
its schema is renamed. Errors: 42704 for an unknown ladder, 42P01 for an unknown table, 42710 if it
is attached already, 55000 if the ladder has matches of its own or, with replica, is strict, 22023
for another match_id of its own tables, 42501 unless the caller owns the ladder and may create
triggers on the table, or with replica owns it, and whatever is wrong with the expression.';

CREATE OR REPLACE FUNCTION skillrating_internal.detach(ladder text, relation regclass)
 RETURNS void
 LANGUAGE plpgsql
 STRICT
 SET search_path TO 'pg_catalog', 'pg_temp'
AS $function$
DECLARE
    source regclass := to_regclass(format('%I.source', ladder));
    n bigint := 0;
BEGIN
    PERFORM skillrating_internal.check_inside(ladder);
    IF to_regclass(format('%I.attached', ladder)) IS NOT NULL THEN
        EXECUTE format('DELETE FROM %I.attached AS a WHERE a.relation = $1', ladder) USING relation;
        GET DIAGNOSTICS n = ROW_COUNT;
    ELSIF source IS NULL THEN
        RAISE undefined_object USING
            MESSAGE = format('ladder "%s" does not exist', ladder),
            HINT = 'Ladders are made by skillrating.create_ladder().';
    END IF;
    IF n + skillrating_internal.drop_collect_triggers(source, relation) = 0 THEN
        RAISE undefined_object USING
            MESSAGE = format('table %s is not attached to ladder "%s"', relation, ladder);
    END IF;
    IF relation IN (to_regclass(format('%I.match', ladder)),
        to_regclass(format('%I.match_player', ladder)))
    THEN
        PERFORM skillrating_internal.create_own_triggers(ladder);
    END IF;
END
$function$;

COMMENT ON FUNCTION skillrating_internal.detach(text,regclass) IS
'The body of skillrating.detach(), called once the door to the ladder is open.';

COMMENT ON FUNCTION skillrating.detach(text,regclass) IS
'Undoes attach(): the table no longer feeds the ladder, which keeps what it has rated; match and
match_player of a ladder feed it as they did before. Works as well if the table has been dropped
(give its OID, which table attached shows) or belongs to another role by now, and if parts of the
ladder are gone. Errors: 42704 for an unknown ladder or a table that is not attached, 42501 unless
the caller owns the ladder.';

CREATE OR REPLACE FUNCTION skillrating_internal.restore_own_triggers(ladder text)
 RETURNS bigint
 LANGUAGE plpgsql
 STRICT
 SET search_path TO 'pg_catalog', 'pg_temp'
AS $function$
DECLARE
    list text;
BEGIN
    PERFORM skillrating_internal.ladder_types(ladder);
    -- A table that was dropped feeds nothing.
    FOREACH list IN ARRAY ARRAY['attached', 'mirror', 'push'] LOOP
        CONTINUE WHEN to_regclass(format('%I.%I', ladder, list)) IS NULL;
        EXECUTE format(
            'DELETE FROM %I.%I AS l
            WHERE NOT EXISTS (SELECT FROM pg_class AS c WHERE c.oid = l.relation)', ladder, list);
    END LOOP;
    RETURN skillrating_internal.create_own_triggers(ladder)
        + skillrating_internal.mirror_triggers(ladder);
END
$function$;

CREATE OR REPLACE FUNCTION skillrating_internal.restore_collect_triggers(ladder text)
 RETURNS bigint
 LANGUAGE plpgsql
 STRICT
 SET search_path TO 'pg_catalog', 'pg_temp'
AS $function$
DECLARE
    source regclass := format('%I.source', ladder);
    relation regclass;
    replica boolean;
    found_triggers bigint;
    n bigint := 0;
BEGIN
    PERFORM skillrating_internal.check_inside(ladder);
    -- Those of a replica are none where a worker of logical replication does not fire them.
    FOR relation, replica, found_triggers IN EXECUTE format(
        'SELECT a.relation, a.replica, (
            SELECT count(*) FROM pg_depend AS d JOIN pg_trigger AS t ON t.oid = d.objid
            WHERE d.refclassid = ''pg_class''::regclass AND d.refobjid = $1
                AND d.classid = ''pg_trigger''::regclass AND t.tgrelid = a.relation
                AND CASE WHEN a.replica
                    THEN t.tgfoid = ''skillrating_internal.enqueue_matches''::regproc
                        AND t.tgenabled <> ''O''
                    ELSE t.tgfoid IN (''skillrating_internal.collect_matches''::regproc,
                        ''skillrating_internal.refuse_truncate''::regproc) END)
        FROM %I.attached AS a JOIN pg_class AS c ON c.oid = a.relation
        ORDER BY a.relation', ladder)
    USING source
    LOOP
        CONTINUE WHEN found_triggers = 4;
        PERFORM skillrating_internal.drop_collect_triggers(source, relation);
        PERFORM skillrating_internal.create_collect_triggers(ladder, relation, '', replica);
        n := n + 4 - found_triggers;
    END LOOP;
    RETURN n;
END
$function$;

COMMENT ON FUNCTION skillrating_internal.restore_triggers(text) IS
'The body of skillrating.restore_triggers(), called once the door to the ladder is open.';

CREATE OR REPLACE FUNCTION skillrating_internal.replace_source(ladder text, new_source regclass)
 RETURNS void
 LANGUAGE plpgsql
 SET search_path TO 'pg_catalog', 'pg_temp'
AS $function$
DECLARE
    rated_match regclass := to_regclass(format('%I.rated_match', ladder));
    source regclass := to_regclass(format('%I.source', ladder));
    t record;
    place bigint;
BEGIN
    PERFORM skillrating_internal.check_inside(ladder);
    IF rated_match IS NULL OR to_regclass(format('%I.ladder', ladder)) IS NULL THEN
        RAISE undefined_object USING
            MESSAGE = format('ladder "%s" does not exist', ladder),
            HINT = 'Ladders are made by skillrating.create_ladder().';
    END IF;
    IF to_regclass(format('%I.match', ladder)) IS NOT NULL THEN
        RAISE object_not_in_prerequisite_state USING
            MESSAGE = format('ladder "%s" rates matches of its own', ladder),
            HINT = 'Its source is the view of its tables match and match_player.';
    END IF;
    PERFORM skillrating_internal.check_relation(new_source);
    new_source := coalesce(new_source, skillrating_internal.source_relation(source));
    IF new_source IS NULL THEN
        RAISE null_value_not_allowed USING
            MESSAGE = format('source must not be null for ladder "%s"', ladder),
            HINT = 'Its view source is gone, or selects from several relations.';
    END IF;
    -- Whoever waits to rate has the view already.
    PERFORM skillrating_internal.hold_tables(ladder,
        CASE WHEN source IS NULL THEN '{}' ELSE '{source}'::text[] END);
    EXECUTE format('CREATE OR REPLACE VIEW %I.source AS SELECT %s FROM %s AS s', ladder,
        skillrating_internal.source_list(ladder, new_source), new_source);
    EXECUTE format('COMMENT ON VIEW %I.source IS %L', ladder,
        format('What the ladder rates, from %s.', new_source));

    t := skillrating_internal.ladder_types(ladder);
    BEGIN
        EXECUTE format(
            'SELECT FROM %1$I.source AS s, %1$I.rated_match AS m, %1$I.rating AS r
            WHERE s.match_id %2$s m.match_id AND s.player_id %3$s r.player_id LIMIT 0',
            ladder, t.match_equals, t.player_equals);
    EXCEPTION
        WHEN undefined_function THEN
            RAISE datatype_mismatch USING
                MESSAGE = format('identifiers of %s do not compare with those of ladder "%s"',
                    new_source, ladder),
                DETAIL = format('The ladder identifies matches by %s and players by %s.',
                    t.match_type, t.player_type);
    END;

    EXECUTE format('SELECT min(m.seq) FROM %I.rated_match AS m', ladder) INTO place;
    PERFORM skillrating_internal.note_correction(ladder, 'source', place);
END
$function$;

COMMENT ON FUNCTION skillrating_internal.refresh_source(text,regclass) IS
'The body of skillrating.refresh_source(), called once the door to the ladder is open.';

CREATE FUNCTION skillrating_internal.drop_hint(ladder text)
 RETURNS text
 LANGUAGE sql
 STABLE STRICT
 SET search_path TO 'pg_catalog', 'pg_temp'
AS $function$
    SELECT coalesce(
        -- Views over the source that are sources themselves.
        (SELECT format('Drop first what rerate() made of it: %s.',
            string_agg(format('SELECT skillrating.drop_ladder(%L)', m.nspname), ', ' ORDER BY m.nspname))
        FROM (
            SELECT DISTINCT n.nspname
            FROM pg_depend AS d
            JOIN pg_rewrite AS w ON d.classid = 'pg_rewrite'::regclass AND w.oid = d.objid
            JOIN pg_class AS v ON v.oid = w.ev_class AND v.relname = 'source'
            JOIN pg_namespace AS n ON n.oid = v.relnamespace
            WHERE d.refclassid = 'pg_class'::regclass
                AND d.refobjid = to_regclass(format('%I.source', ladder))
                AND n.nspname <> ladder
                AND EXISTS (
                    SELECT FROM pg_class AS c WHERE c.relnamespace = n.oid AND c.relname = 'ladder')) AS m
        HAVING count(*) > 0),
        (SELECT format('Drop the partitions that detach_history() has detached, or move them to another schema: %s.',
            string_agg(format('%I.%I', ladder, c.relname), ', ' ORDER BY length(c.relname), c.relname))
        FROM pg_class AS c
        WHERE c.relnamespace = to_regnamespace(quote_ident(ladder)) AND c.relkind = 'r'
            AND NOT c.relispartition AND c.relname ~ '^(component_)?event_([0-9]+|old)_*$'
        HAVING count(*) > 0),
        'Drop these objects first, or move them to another schema.')
$function$;

COMMENT ON FUNCTION skillrating_internal.drop_hint(text) IS
'A part of drop_ladder(): what to do about what depends on a ladder or lives in its schema.';

CREATE OR REPLACE FUNCTION skillrating_internal.drop_tables(ladder text)
 RETURNS void
 LANGUAGE plpgsql
 STRICT
 SET search_path TO 'pg_catalog', 'pg_temp'
AS $function$
DECLARE
    tables text;
    followers text;
BEGIN
    PERFORM skillrating_internal.check_inside(ladder);
    IF to_regclass(format('%I.source', ladder)) IS NOT NULL THEN
        EXECUTE format('DROP VIEW %I.source', ladder);
    END IF;
    SELECT string_agg(format('%I.%I', ladder, c.relname), ', ') INTO tables
    FROM pg_class AS c
    WHERE c.relnamespace = to_regnamespace(quote_ident(ladder)) AND c.relkind IN ('r', 'p')
        AND c.relname IN ('horizon', 'component_horizon', 'season_horizon', 'change', 'match', 'match_player', 'solved', 'solved_context', 'mirror',
            'attached', 'operation',
            'correction', 'pending', 'rated_match', 'component_event', 'component', 'event', 'standing',
            'rating_count_delta', 'rating_count', 'rating', 'ladder', 'work', 'replica_note', 'push',
            'push_failure', 'queue', 'queue_ticket', 'queue_player', 'queue_proposal',
            'queue_seat', 'queue_backfill', 'queue_backfill_player');
    IF tables IS NOT NULL THEN
        EXECUTE 'DROP TABLE ' || tables;
    END IF;
    -- Goes with event, unless that is gone otherwise.
    IF to_regclass(format('%I.event_seq', ladder)) IS NOT NULL THEN
        EXECUTE format('DROP SEQUENCE %I.event_seq', ladder);
    END IF;
    EXECUTE format('DROP SCHEMA %I', ladder);
EXCEPTION
    WHEN dependent_objects_still_exist THEN
        GET STACKED DIAGNOSTICS followers = PG_EXCEPTION_DETAIL;
        RAISE dependent_objects_still_exist USING
            MESSAGE = SQLERRM,
            DETAIL = followers,
            HINT = skillrating_internal.drop_hint(ladder);
    WHEN object_in_use THEN
        RAISE object_in_use USING
            MESSAGE = SQLERRM,
            HINT = 'Drop the ladder in a transaction of its own, or after SET CONSTRAINTS ALL '
                'IMMEDIATE and closing cursors.';
END
$function$;

COMMENT ON FUNCTION skillrating_internal.drop_ladder(text) IS
'The body of skillrating.drop_ladder(), called once the door to the ladder is open.';

COMMENT ON FUNCTION skillrating.drop_ladder(text) IS
'Drops a ladder with all its tables and its schema, and detaches all tables, whoever owns them,
mirrored ones too; matches that wait for the end of this transaction are forgotten. Works as well if
some of it is gone. Errors: 42704 if there is none, 2BP01 if something else depends on it or lives
in its schema, as ladders that rerate() made of it and partitions that were detached, 42501 unless
the caller owns it, 55006 while something else is at work on it in this session.';

CREATE OR REPLACE FUNCTION skillrating_internal.reset_ladder(ladder text, OUT matches bigint, OUT players bigint)
 RETURNS record
 LANGUAGE plpgsql
 STRICT
 SET search_path TO 'pg_catalog', 'pg_temp'
AS $function$
DECLARE
    relation text;
    sequence text;
    rules jsonb;
BEGIN
    PERFORM skillrating_internal.ladder_types(ladder),
        -- Whoever is inserting a match has drawn its number, which is to start anew.
        skillrating_internal.hold_tables(ladder, ARRAY(
            SELECT c.relname::text FROM pg_class AS c
            WHERE c.relnamespace = to_regnamespace(quote_ident(ladder)) AND c.relkind IN ('r', 'p')
                AND c.relname IN ('match', 'match_player')));
    -- Which matches count is configuration, although it has its place among the operations.
    SELECT jsonb_agg(e ORDER BY e.since) INTO rules FROM skillrating_internal.eligibility(ladder) AS e;
    EXECUTE format('SELECT count(*) FROM %I.rated_match AS m WHERE m.status = ''rated''', ladder)
    INTO matches;
    EXECUTE format('SELECT count(DISTINCT r.player_id) FROM %I.rating AS r', ladder) INTO players;
    PERFORM skillrating_internal.settle_pending(ladder);
    PERFORM skillrating_internal.empty_changes(ladder);
    -- Matches last: their triggers then find nothing that would have to be corrected. They are
    -- deleted and not truncated, so that rows of the user that refer to them decide for themselves.
    EXECUTE format('UPDATE %I.ladder SET horizon = NULL, horizon_at = NULL', ladder);
    FOREACH relation IN ARRAY ARRAY['rating', 'rating_count', 'rating_count_delta', 'standing', 'event',
        'component', 'component_event', 'correction',
        'horizon', 'component_horizon', 'season_horizon',
        'operation', 'solved', 'solved_context', 'rated_match', 'match_player', 'match',
        'replica_note', 'queue_player', 'queue_ticket', 'queue_seat', 'queue_proposal',
        'queue_backfill_player', 'queue_backfill']
    LOOP
        IF to_regclass(format('%I.%I', ladder, relation)) IS NOT NULL THEN
            EXECUTE format('DELETE FROM %I.%I', ladder, relation);
        END IF;
    END LOOP;
    PERFORM skillrating_internal.fill_gaps(ladder);
    -- Nor does what triggers for each row have enqueued just now wait any more.
    PERFORM skillrating_internal.settle_pending(ladder);
    -- Unlike setval(), this is taken back with the transaction.
    FOREACH sequence IN ARRAY format('%I.event_seq', ladder) || ARRAY(
        SELECT pg_get_serial_sequence(format('%I.%I', ladder, s.relation), s.attribute)
        FROM (VALUES ('match', 'match_id'), ('queue_ticket', 'ticket'),
            ('queue_proposal', 'proposal'), ('queue_backfill', 'backfill')) AS s(relation, attribute)
        WHERE to_regclass(format('%I.%I', ladder, s.relation)) IS NOT NULL)
    LOOP
        IF sequence IS NOT NULL THEN
            EXECUTE format('ALTER SEQUENCE %s RESTART', sequence);
        END IF;
    END LOOP;
    EXECUTE format(
        'INSERT INTO %I.operation (operation, seq, kind, since, params, reason)
        SELECT k.n, k.n, ''eligibility'', k.since, k.rules, k.reason
        FROM (
            SELECT nextval(%L) AS n, e.*
            FROM jsonb_to_recordset($1) AS e(since timestamptz, rules jsonb, reason text)) AS k',
        ladder, format('%I.event_seq', ladder))
    USING coalesce(rules, '[]');
END
$function$;

COMMENT ON FUNCTION skillrating_internal.reset_ladder(text) IS
'The body of skillrating.reset_ladder(), called once the door to the ladder is open.';

COMMENT ON FUNCTION skillrating.reset_ladder(text) IS
'Empties a ladder, as between tests: all ratings, history, operations, solved skills and matches
that wait are gone, the matches in its own tables match and match_player, and all tickets and
proposals of its queues. A ladder with a source of
your own forgets what it has rated, and the source stays as it is: its matches are rated again when
their rows are touched, or by catch_up(search => true). The configuration, mirrors, attached tables,
triggers, privileges and rules of eligibility stay; mirrored columns get their defaults, and
sequences start anew. Fed with the same matches it has the same ratings as a new ladder. Waits for
whoever reads or rates, as detach_history() does, and keeps them waiting. Returns how many matches
were rated and how many players had a rating. Errors: 42704 for an unknown ladder, 42501 unless the
caller owns it, 23503 if rows of yours refer to a match, 55006 within the work on it.';

COMMENT ON FUNCTION skillrating_internal.restore_sequences(text) IS
'The body of skillrating.restore_sequences(), called once the door to the ladder is open.';

CREATE OR REPLACE FUNCTION skillrating_internal.granted_privileges(ladder text, kind text, OUT relation text, OUT privilege text)
 RETURNS SETOF record
 LANGUAGE sql
 STABLE STRICT
 SET search_path TO 'pg_catalog', 'pg_temp'
AS $function$
    SELECT p.relation, p.privilege
    FROM (
        SELECT CASE WHEN e.needs ~ 'INSERT on queue_ticket' THEN 'matchmaker'
                WHEN e.needs ~ 'INSERT' THEN 'reporter' ELSE 'reader' END, m[2], m[1]
        FROM skillrating_internal.ladder_entries() AS e
        CROSS JOIN regexp_matches(e.needs, '\m(SELECT|INSERT) on (\w+)', 'g') AS m
        UNION
        VALUES
            ('reader', 'ladder', 'SELECT'), ('reader', 'solved', 'SELECT'),
            ('reader', 'solved_context', 'SELECT'),
            -- To report a match again with other content, and to see what became of it.
            ('reporter', 'match', 'UPDATE'), ('reporter', 'match_player', 'DELETE'),
            ('reporter', 'match', 'SELECT'), ('reporter', 'match_player', 'SELECT'),
            ('reporter', 'rated_match', 'SELECT'),
            -- To see what became of tickets.
            ('matchmaker', 'queue', 'SELECT'), ('matchmaker', 'queue_ticket', 'SELECT'),
            ('matchmaker', 'queue_player', 'SELECT'), ('matchmaker', 'queue_proposal', 'SELECT'),
            ('matchmaker', 'queue_seat', 'SELECT'), ('matchmaker', 'queue_backfill', 'SELECT'),
            ('matchmaker', 'queue_backfill_player', 'SELECT')
    ) AS p(kind, relation, privilege)
    WHERE p.kind = granted_privileges.kind
        AND to_regclass(format('%I.%I', ladder, p.relation)) IS NOT NULL
        AND (p.kind <> 'matchmaker' OR to_regclass(format('%I.queue_ticket', ladder)) IS NOT NULL)
    ORDER BY p.relation, p.privilege
$function$;

COMMENT ON FUNCTION skillrating_internal.granted_privileges(text,text) IS
'A part of grant_reader() and its like: the privileges on relations of a ladder that a reader, a
reporter or a matchmaker has: those that ladder_entries() says functions need that read, that
report, or that work on queues; those to correct by reporting again; and those to see the
configuration, solved skills and queues.';

CREATE OR REPLACE FUNCTION skillrating_internal.revoke_kind(ladder text, role text, kind text)
 RETURNS void
 LANGUAGE plpgsql
 STRICT
 SET search_path TO 'pg_catalog', 'pg_temp'
AS $function$
DECLARE
    quoted_role text;
    others text[] := array_remove('{reader,reporter,matchmaker}', kind);
    statement text;
BEGIN
    PERFORM skillrating_internal.ladder_types(ladder);
    quoted_role := skillrating_internal.grantee(role);
    IF skillrating_internal.is_ladder_owner(ladder, role) THEN
        RETURN;
    END IF;
    -- A role is of a kind that has all of its privileges; what that needs too stays then.
    others := ARRAY(
        SELECT o.kind
        FROM unnest(others) AS o(kind)
        CROSS JOIN LATERAL skillrating_internal.granted_privileges(ladder, o.kind) AS p
        GROUP BY o.kind
        HAVING bool_and(
            skillrating_internal.has_grant(ladder, quoted_role, p.relation, p.privilege)));
    FOR statement IN
        SELECT format('REVOKE %s ON %I.%I FROM %s', string_agg(p.privilege, ', '), ladder,
            p.relation, quoted_role)
        FROM (
            SELECT * FROM skillrating_internal.granted_privileges(ladder, kind)
            EXCEPT
            SELECT p.*
            FROM unnest(others) AS o(kind)
            CROSS JOIN LATERAL skillrating_internal.granted_privileges(ladder, o.kind) AS p) AS p
        WHERE skillrating_internal.has_grant(ladder, quoted_role, p.relation, p.privilege)
        GROUP BY p.relation ORDER BY p.relation
    LOOP
        EXECUTE statement;
    END LOOP;
    IF skillrating_internal.has_usage_grant(ladder, quoted_role) AND NOT EXISTS (
        SELECT FROM pg_class AS c CROSS JOIN LATERAL aclexplode(c.relacl) AS a
        WHERE c.relnamespace = to_regnamespace(quote_ident(ladder))
            AND quoted_role = CASE a.grantee WHEN 0 THEN 'PUBLIC'
                ELSE quote_ident(pg_get_userbyid(a.grantee)) END)
    THEN
        EXECUTE format('REVOKE USAGE ON SCHEMA %I FROM %s', ladder, quoted_role);
    END IF;
END
$function$;

COMMENT ON FUNCTION skillrating_internal.revoke_kind(text,text,text) IS
'A part of revoke_reader() and revoke_reporter(): takes from a role what a kind of role has, but for
what it has as one of the other kinds; and USAGE on the schema if no privilege on anything in it is
left.';

CREATE OR REPLACE FUNCTION skillrating_internal.check_match_tables(ladder text)
 RETURNS void
 LANGUAGE plpgsql
 STABLE STRICT
 SET search_path TO 'pg_catalog', 'pg_temp'
AS $function$
DECLARE
    attached text;
BEGIN
    PERFORM skillrating_internal.check_inside(ladder);
    IF to_regclass(format('%I.match', ladder)) IS NOT NULL THEN
        RETURN;
    END IF;
    EXECUTE format(
        'SELECT string_agg(a.relation::text, '', '' ORDER BY a.relation::text) FROM %I.attached AS a',
        ladder)
    INTO attached;
    RAISE wrong_object_type USING
        MESSAGE = format('matches of ladder "%s" are not reported to tables of its own', ladder),
        HINT = format('They come from %s: grant the privileges to write there, and none on ratings.',
            coalesce(attached, 'the tables behind its source'));
END
$function$;

COMMENT ON FUNCTION skillrating_internal.grant_reader(text,text) IS
'The body of skillrating.grant_reader(), called once the door to the ladder is open.';

COMMENT ON FUNCTION skillrating.grant_reader(text,text) IS
'Lets a role call every function that reads a ladder, such as leaderboard(), preview(), history()
and verify(), and query what these read: SELECT on component, component_event, correction, event,
ladder, operation, rated_match, rating, solved, solved_context and source, and USAGE on the schema.
role is a name as it is, or public for all roles. It may be called again, as after an update that
brings functions. The ladder''s owner has these rights anyway, and keeps them. Errors: 42704 for an
unknown ladder or role, 42501 unless the caller owns the ladder.';

COMMENT ON FUNCTION skillrating_internal.grant_reporter(text,text) IS
'The body of skillrating.grant_reporter(), called once the door to the ladder is open.';

CREATE FUNCTION skillrating_internal.grant_matchmaker(ladder text, role text)
 RETURNS void
 LANGUAGE plpgsql
 STRICT
 SET search_path TO 'pg_catalog', 'pg_temp'
AS $function$
BEGIN
    PERFORM skillrating_internal.ladder_types(ladder);
    IF NOT skillrating_internal.has_queue_tables(ladder) THEN
        RAISE object_not_in_prerequisite_state USING
            MESSAGE = format('ladder "%s" has no queue', ladder),
            HINT = 'Queues are made by skillrating.create_queue().';
    END IF;
    PERFORM skillrating_internal.grant_kind(ladder, role, 'matchmaker');
END
$function$;

COMMENT ON FUNCTION skillrating_internal.grant_matchmaker(text,text) IS
'The body of skillrating.grant_matchmaker(), called once the door to the ladder is open.';

CREATE FUNCTION skillrating.grant_matchmaker(ladder text, role text)
 RETURNS void
 LANGUAGE c
 STRICT
AS 'MODULE_PATHNAME', $function$skillrating_enter$function$;

COMMENT ON FUNCTION skillrating.grant_matchmaker(text,text) IS
'Lets a role work on the queues of a ladder, by queue_join(), queue_leave(), queue_tick(),
queue_accept(), queue_decline() and queue_backfill(), and see them: INSERT and SELECT on
queue_ticket, SELECT on the other tables whose names begin with queue, on rating and on component,
and USAGE on the schema. It gives no right to report matches or to change ratings. role is a name as
it is, or public for all roles. Errors: 42704 for an unknown ladder or role, 42501 unless the caller
owns the ladder, 55000 for a ladder without queues.';

COMMENT ON FUNCTION skillrating_internal.revoke_reader(text,text) IS
'The body of skillrating.revoke_reader(), called once the door to the ladder is open.';

COMMENT ON FUNCTION skillrating_internal.revoke_reporter(text,text) IS
'The body of skillrating.revoke_reporter(), called once the door to the ladder is open.';

CREATE FUNCTION skillrating_internal.revoke_matchmaker(ladder text, role text)
 RETURNS void
 LANGUAGE plpgsql
 STRICT
 SET search_path TO 'pg_catalog', 'pg_temp'
AS $function$
BEGIN
    PERFORM skillrating_internal.revoke_kind(ladder, role, 'matchmaker');
END
$function$;

COMMENT ON FUNCTION skillrating_internal.revoke_matchmaker(text,text) IS
'The body of skillrating.revoke_matchmaker(), called once the door to the ladder is open.';

CREATE FUNCTION skillrating.revoke_matchmaker(ladder text, role text)
 RETURNS void
 LANGUAGE c
 STRICT
AS 'MODULE_PATHNAME', $function$skillrating_enter$function$;

COMMENT ON FUNCTION skillrating.revoke_matchmaker(text,text) IS
'Undoes grant_matchmaker(): a role that reads the ladder, or reports matches, can still do that.
Otherwise as revoke_reader().';

COMMENT ON FUNCTION skillrating_internal.arranged_columns(text,text,text,text) IS
'A part of create_ladder() and rerate(): definitions of columns in the places where the table of
that name of another ladder has them, with room in the places of columns that it alone has, see
drop_room(). With null for the other ladder, the definitions as they are.';

COMMENT ON FUNCTION skillrating_internal.drop_room(text,text) IS
'A part of create_ladder() and rerate(): drops the columns of a new table that only keep a place,
see arranged_columns().';

CREATE FUNCTION skillrating_internal.has_tables(ladder text, names name[])
 RETURNS boolean
 LANGUAGE plpgsql
 STABLE STRICT
 SET search_path TO 'pg_catalog', 'pg_temp'
AS $function$
DECLARE
    owner oid;
    relations record;
BEGIN
    PERFORM skillrating_internal.check_inside(ladder);
    SELECT c.relowner INTO owner
    FROM pg_class AS c WHERE c.oid = to_regclass(format('%I.ladder', ladder));
    SELECT array_agg(c.relname) AS names,
        min(c.relname) FILTER (WHERE c.relowner <> owner) AS foreign_one,
        min(c.relname) FILTER (WHERE c.relkind <> 'r') AS no_table
    INTO relations
    FROM pg_class AS c
    WHERE c.relnamespace = to_regnamespace(quote_ident(ladder)) AND c.relname = ANY (names);
    IF relations.foreign_one IS NOT NULL THEN
        RAISE insufficient_privilege USING
            MESSAGE = format('relation %I.%I is not owned by the owner of the ladder', ladder,
                relations.foreign_one),
            HINT = 'Give all relations of a ladder to one role.';
    END IF;
    IF relations.no_table IS NOT NULL THEN
        RAISE wrong_object_type USING
            MESSAGE = format('relation %I.%I is not a table', ladder, relations.no_table);
    END IF;
    IF cardinality(relations.names) < cardinality(names) THEN
        RAISE undefined_table USING
            MESSAGE = format('relation %I.%I does not exist', ladder, (
                SELECT min(n.name) FROM unnest(names) AS n(name)
                WHERE n.name <> ALL (relations.names))),
            HINT = format('A ladder has all of these tables or none of them: %s.',
                array_to_string(names, ', '));
    END IF;
    RETURN relations.names IS NOT NULL;
END
$function$;

COMMENT ON FUNCTION skillrating_internal.has_tables(text,name[]) IS
'Whether a ladder has some tables that come together, when they are first needed. Work on them runs
as the ladder''s owner, so that nobody else may have put one there: error 42501 if one belongs to
another role, 42809 if one is no table, 42P01 if some are missing, 55000 unless the door to the
ladder is open.';

COMMENT ON FUNCTION skillrating_internal.note_waiting(regclass,text,text) IS
'A part of attach(): says in a notice how many matches of a ladder''s view source, with alias s, meet
a condition and wait for backfill(). Does nothing for a view of another role. Of many it gives a
lower bound, and the planner''s estimate where counting costs too much.
Volatile because EXPLAIN is refused elsewhere.';

COMMENT ON FUNCTION skillrating_internal.backfill_batches(text,integer) IS
'The body of skillrating.backfill_batches(), called once the door to the ladder is open.';

COMMENT ON FUNCTION skillrating_internal.backfill_batch(text,text[],text,bigint,bigint,timestamp with time zone) IS
'The body of skillrating.backfill_batch(), called once the door to the ladder is open.';

COMMENT ON FUNCTION skillrating_internal.catch_up(text,boolean,boolean,boolean) IS
'The body of skillrating.catch_up(), called once the door to the ladder is open.';

COMMENT ON FUNCTION skillrating.catch_up(text,boolean,boolean,boolean) IS
'Brings a ladder up to date: rates the matches that wait in pending, and, where table correction
says that history is out of date, replays it from there, exactly, from the states that the events
before left behind. Only what comes out otherwise is written. Returns the players whose rows
changed, those rated for the first time too, once for each pool, with the displayed rating and the
games before and after the whole call; null where there is no row. With dry_run it returns the same,
with the places on the leaderboard of all who have played (null for a player who has not, and
without dry_run), and leaves everything as it was: the work is done in a subtransaction that is
rolled back, with the triggers that it fires. With search it also looks in the source for what no
trigger has reported: new matches are rated, and those that are gone no longer count, which a
warning says; and, for a ladder that rerate() made, in the first ladder for matches that have
changed or gone since. With rebuild it replays from the very start. Matches are rated
meanwhile, and wait for its last step, which writes the ratings; where matches wait in pending or
most of the work lies behind a late match, and above READ COMMITTED, they wait from the beginning.
Reading goes on. What is out of date before a rated match that has gone from the source unreported
waits, with a warning; another names columns that the source has got since, see refresh_source().
Errors: 42704 for an unknown ladder, 42501 unless the caller owns it, 55006 within the work on it,
40P01 if the transaction has rated matches of the ladder and another one maintains it, 55000 if
triggers are missing, see restore_triggers(), or, with rebuild, such a match.';

CREATE OR REPLACE FUNCTION skillrating_internal.void_match(ladder text, match_id anycompatible, reason text DEFAULT 'void'::text)
 RETURNS void
 LANGUAGE plpgsql
 STRICT
 SET search_path TO 'pg_catalog', 'pg_temp'
AS $function$
DECLARE
    t record := skillrating_internal.ladder_types(ladder);
    place bigint;
    n bigint;
BEGIN
    EXECUTE format('UPDATE %I.rated_match AS m SET void_reason = $2, decided_at = clock_timestamp() WHERE m.match_id %s CAST($1 AS %s) RETURNING m.seq',
        ladder, t.match_equals, t.match_type)
    INTO place USING match_id::text, reason;
    GET DIAGNOSTICS n = ROW_COUNT;
    IF n = 0 THEN
        RAISE undefined_object USING
            MESSAGE = format('ladder "%s" does not know match %s', ladder, match_id),
            HINT = 'Known matches are in its table rated_match.';
    END IF;
    PERFORM skillrating_internal.note_correction(ladder, 'void', place, match_id::text);
END
$function$;

COMMENT ON FUNCTION skillrating_internal.void_match(text,anycompatible,text) IS
'The body of skillrating.void_match(), called once the door to the ladder is open.';

COMMENT ON FUNCTION skillrating_internal.restore_match(text,anycompatible) IS
'The body of skillrating.restore_match(), called once the door to the ladder is open.';

CREATE OR REPLACE FUNCTION skillrating_internal.check_known_player(ladder text, player_id text)
 RETURNS void
 LANGUAGE plpgsql
 STABLE STRICT
 SET search_path TO 'pg_catalog', 'pg_temp'
AS $function$
BEGIN
    -- Their matches need not have an index by players, and are looked at last.
    IF skillrating_internal.known_players(ladder, ARRAY[player_id], false) = '{}'
        AND skillrating_internal.known_players(ladder, ARRAY[player_id], true) = '{}'
    THEN
        RAISE undefined_object USING
            MESSAGE = format('ladder "%s" does not know player %s', ladder, player_id),
            HINT = 'Known players are those of its matches and operations. Set allow_unknown to true for others.';
    END IF;
END
$function$;

CREATE OR REPLACE FUNCTION skillrating_internal.exclude_player(ladder text, player_id anycompatible, since timestamp with time zone DEFAULT '-infinity'::timestamp with time zone, until timestamp with time zone DEFAULT 'infinity'::timestamp with time zone, reason text DEFAULT NULL::text, policy text DEFAULT 'void'::text, at timestamp with time zone DEFAULT now(), cap_at_peak boolean DEFAULT false, allow_unknown boolean DEFAULT false, OUT operation bigint)
 RETURNS bigint
 LANGUAGE plpgsql
 SET search_path TO 'pg_catalog', 'pg_temp'
AS $function$
BEGIN
    IF ladder IS NULL OR player_id IS NULL OR since IS NULL OR until IS NULL OR policy IS NULL
        OR at IS NULL OR cap_at_peak IS NULL OR allow_unknown IS NULL
    THEN
        RAISE null_value_not_allowed USING
            MESSAGE = 'ladder, player_id, since, until, policy, at, cap_at_peak and allow_unknown '
                'must not be null';
    END IF;
    IF since >= until THEN
        RAISE invalid_parameter_value USING
            MESSAGE = format('since (%s) must lie before until (%s)', since, until);
    END IF;
    IF NOT allow_unknown THEN
        PERFORM skillrating_internal.check_known_player(ladder, player_id::text);
    END IF;
    CASE policy
        WHEN 'void' THEN
            IF cap_at_peak THEN
                RAISE invalid_parameter_value USING
                    MESSAGE = 'cap_at_peak is for policy "refund" only';
            END IF;
            operation := skillrating_internal.note_exclusion(ladder, player_id::text, since, until,
                at, reason);
            PERFORM skillrating_internal.recount_queues(ladder);
        WHEN 'refund' THEN
            operation := skillrating_internal.note_refund(ladder, player_id::text, since, until,
                at, reason, cap_at_peak);
        ELSE
            RAISE invalid_parameter_value USING
                MESSAGE = format('policy must be "void" or "refund", not "%s"', policy);
    END CASE;
END
$function$;

COMMENT ON FUNCTION skillrating_internal.exclude_player(text,anycompatible,timestamp with time zone,timestamp with time zone,text,text,timestamp with time zone,boolean,boolean) IS
'The body of skillrating.exclude_player(), called once the door to the ladder is open.';

CREATE OR REPLACE FUNCTION skillrating_internal.merge_players(ladder text, player_id anycompatible, into_id anycompatible, reason text DEFAULT NULL::text, allow_unknown boolean DEFAULT false, OUT operation bigint)
 RETURNS bigint
 LANGUAGE plpgsql
 SET search_path TO 'pg_catalog', 'pg_temp'
AS $function$
DECLARE
    t record;
    place bigint;
    first_played_at timestamptz;
    bad boolean;
BEGIN
    IF ladder IS NULL OR player_id IS NULL OR into_id IS NULL OR allow_unknown IS NULL THEN
        RAISE null_value_not_allowed USING
            MESSAGE = 'ladder, player_id, into_id and allow_unknown must not be null';
    END IF;
    t := skillrating_internal.ladder_types(ladder);

    -- Whoever follows the merges from into_id must not come back to player_id.
    EXECUTE format(
        'WITH RECURSIVE account(id) AS (
            SELECT CAST($2 AS %2$s)
            UNION ALL
            SELECT o.into_id FROM account AS a JOIN %1$I.operation AS o ON o.player_id %3$s a.id
            WHERE o.kind = ''merge'' AND o.undone_at IS NULL)
        SELECT EXISTS (SELECT FROM account AS a WHERE a.id %3$s CAST($1 AS %2$s))
            OR EXISTS (SELECT FROM %1$I.operation AS o WHERE o.player_id %3$s CAST($1 AS %2$s)
                AND o.kind = ''merge'' AND o.undone_at IS NULL)',
        ladder, t.player_type, t.player_equals)
    INTO bad USING player_id::text, into_id::text;
    IF bad THEN
        RAISE invalid_parameter_value USING
            MESSAGE = format('player %s cannot be merged into %s', player_id, into_id),
            DETAIL = 'They are the same account, or the first is merged already.';
    END IF;
    IF NOT allow_unknown THEN
        PERFORM skillrating_internal.check_known_player(ladder, k.id)
        FROM unnest(ARRAY[player_id::text, into_id::text]) AS k(id);
    END IF;
    PERFORM skillrating_internal.check_player_behind_horizon(ladder, player_id::text, NULL);
    -- Matches that were not rated for want of games may have them now.
    EXECUTE format(
        'SELECT min(p.seq), min(p.at) FROM (
            SELECT e.seq, e.played_at AS at FROM %1$I.event AS e WHERE e.player_id %2$s CAST($1 AS %3$s)
            UNION ALL
            SELECT m.seq, m.played_at FROM %1$I.rated_match AS m
            WHERE m.reason = ''too_many_newcomers'' AND EXISTS (
                SELECT FROM %1$I.source AS s
                WHERE s.match_id %4$s m.match_id AND s.player_id %2$s CAST($1 AS %3$s))) AS p',
        ladder, t.player_equals, t.player_type, t.match_equals)
    INTO place, first_played_at USING player_id::text;
    operation := skillrating_internal.note_operation(ladder, 'merge', player_id::text, into_id::text, reason => reason);
    PERFORM skillrating_internal.note_correction(ladder, 'merge', place, played_at => first_played_at),
        skillrating_internal.recount_queues(ladder);
END
$function$;

COMMENT ON FUNCTION skillrating_internal.merge_players(text,anycompatible,anycompatible,text,boolean) IS
'The body of skillrating.merge_players(), called once the door to the ladder is open.';

COMMENT ON FUNCTION skillrating.merge_players(text,anycompatible,anycompatible,text,boolean) IS
'Makes one player of two accounts: all matches of player_id, past and future, count as those of
into_id, as if it had always been one; what was set by hand, seeded, reset or given back for
player_id no longer counts. What was rated changes with catch_up(), after which player_id has no
rating. Returns the number of the operation, for undo_operation(). A player of whom the ladder has
no match and no operation is an error unless allow_unknown is true. Errors: 42704 for an unknown
ladder or player, 22023 if player_id is merged already or into_id leads back to it.';

CREATE OR REPLACE FUNCTION skillrating_internal.undo_operation(ladder text, operation bigint)
 RETURNS void
 LANGUAGE plpgsql
 STRICT
 SET search_path TO 'pg_catalog', 'pg_temp'
AS $function$
DECLARE
    t record := skillrating_internal.ladder_types(ladder);
    operation_kind text;
    season text;
    season_pool text;
    operation_seq bigint;
    operation_since timestamptz;
    place bigint;
    first_played_at timestamptz;
BEGIN
    -- Matches and states of players who were excluded or merged count again from the first one on.
    EXECUTE format(
        'WITH RECURSIVE account(id) AS (
            SELECT o.player_id FROM %1$I.operation AS o
            WHERE o.operation = $1 AND o.kind IN (''exclude'', ''merge'') AND o.undone_at IS NULL
            UNION
            SELECT o.player_id FROM account AS a JOIN %1$I.operation AS o ON o.into_id %2$s a.id
            WHERE o.kind = ''merge'' AND o.undone_at IS NULL)
        SELECT min(p.seq), min(p.at) FROM (
            SELECT m.seq, m.played_at AS at
            FROM account AS a
            JOIN %1$I.source AS s ON s.player_id %2$s a.id
            JOIN %1$I.rated_match AS m ON m.match_id %3$s s.match_id
            UNION ALL
            SELECT o.seq, o.at FROM account AS a JOIN %1$I.operation AS o ON o.player_id %2$s a.id
            WHERE o.kind IN (''set'', ''seed'', ''reset'', ''refund'') AND o.undone_at IS NULL) AS p',
        ladder, t.player_equals, t.match_equals)
    INTO place, first_played_at USING operation;
    EXECUTE format(
        'UPDATE %I.operation AS o SET undone_at = now()
        WHERE o.operation = $1 AND o.undone_at IS NULL
        RETURNING o.kind, o.params->>''name'', o.pool, o.seq, o.since', ladder)
    INTO operation_kind, season, season_pool, operation_seq, operation_since USING operation;
    IF operation_kind IS NULL THEN
        RAISE undefined_object USING
            MESSAGE = format('ladder "%s" has no operation %s to undo', ladder, operation),
            HINT = 'The numbers are in the column operation of its table operation.';
    END IF;
    PERFORM skillrating_internal.check_behind_horizon(ladder, operation_kind, operation_seq, NULL);
    IF operation_kind = 'eligibility' THEN
        PERFORM skillrating_internal.note_eligibility(ladder, operation_since, 'undo');
    ELSIF operation_kind NOT IN ('exclude', 'merge') THEN
        place := operation_seq;
    END IF;
    -- A season that began towards solved skills is two operations.
    IF operation_kind = 'season' THEN
        EXECUTE format(
            'UPDATE %I.operation AS o SET undone_at = now()
            WHERE o.kind = ''seed'' AND o.params->>''season'' = $1 AND o.undone_at IS NULL
                AND o.pool = coalesce($2, o.pool)', ladder)
        USING season, season_pool;
    END IF;
    PERFORM skillrating_internal.note_correction(ladder, 'undo', place, played_at => first_played_at),
        skillrating_internal.recount_queues(ladder);
END
$function$;

COMMENT ON FUNCTION skillrating_internal.undo_operation(text,bigint) IS
'The body of skillrating.undo_operation(), called once the door to the ladder is open.';

COMMENT ON FUNCTION skillrating_internal.why_unrated(text,anycompatible) IS
'The body of skillrating.why_unrated(), called once the door to the ladder is open.';

CREATE FUNCTION skillrating_internal.rate_taken(ladder text, matches text[], OUT looked_at bigint, OUT late_matches bigint, OUT unrated bigint)
 RETURNS record
 LANGUAGE c
 STRICT
AS 'MODULE_PATHNAME', $function$skillrating_rate_taken$function$;

COMMENT ON FUNCTION skillrating_internal.rate_taken(text,text[]) IS
'A part of drain_batch(): rates matches that were taken out of the queue, and returns what
backfill_batch() does. Mistakes set a match aside in a strict ladder, too. Error 55000 unless the
door to the ladder is open.';

CREATE FUNCTION skillrating_internal.copied_tables(ladder text)
 RETURNS regclass[]
 LANGUAGE plpgsql
 STABLE STRICT
 SET search_path TO 'pg_catalog', 'pg_temp'
AS $function$
DECLARE
    copied regclass[];
BEGIN
    PERFORM skillrating_internal.check_inside(ladder);
    -- A worker that has copied a table has caught up with the others from s on.
    EXECUTE format(
        'SELECT coalesce(array_agg(DISTINCT a.relation ORDER BY a.relation), ''{}'')
        FROM %I.attached AS a
        JOIN pg_subscription_rel AS s
            ON s.srrelid IN (SELECT p.relid FROM pg_partition_tree(a.relation) AS p
                UNION ALL SELECT a.relation)
        WHERE a.replica AND s.srsubstate NOT IN (''s'', ''r'')', ladder)
    INTO copied;
    RETURN copied;
END
$function$;

COMMENT ON FUNCTION skillrating_internal.copied_tables(text) IS
'A part of drain_batch() and replica_status(): the attached tables into which a subscription is
copying the rows that its publisher had when it began. Error 55000 unless the door to the ladder is
open.';

CREATE FUNCTION skillrating_internal.search_truncated(ladder text, OUT waits boolean)
 RETURNS boolean
 LANGUAGE plpgsql
 STRICT
 SET search_path TO 'pg_catalog', 'pg_temp'
AS $function$
DECLARE
    n bigint;
BEGIN
    waits := false;
    IF NOT skillrating_internal.has_tables(ladder, '{replica_note}') THEN
        RETURN;
    END IF;
    EXECUTE format(
        'SELECT count(*) FROM (
            SELECT FROM %I.replica_note AS n WHERE n.event = ''truncate'' AND n.error IS NULL
            LIMIT 1) AS n', ladder)
    INTO n;
    IF n = 0 THEN
        RETURN;
    END IF;
    IF skillrating_internal.copied_tables(ladder) <> '{}' THEN
        waits := true;
        RETURN;
    END IF;
    EXECUTE format(
        'DELETE FROM %I.replica_note AS n WHERE n.event = ''truncate'' AND n.error IS NULL', ladder);
    PERFORM FROM skillrating.catch_up(ladder, search => true);
END
$function$;

COMMENT ON FUNCTION skillrating_internal.search_truncated(text) IS
'A part of drain_batch(): after TRUNCATE nobody has said which matches are gone, and catch_up()
finds them. While a subscription copies rows anew this waits, because matches that have not come yet
would be taken for gone, and so does all that is in the queue.';

CREATE FUNCTION skillrating_internal.drain_matches(ladder text, matches text[], OUT looked_at bigint, OUT late_matches bigint, OUT unrated bigint, OUT set_aside bigint)
 RETURNS record
 LANGUAGE plpgsql
 STRICT
 SET search_path TO 'pg_catalog', 'pg_temp'
AS $function$
DECLARE
    t record := skillrating_internal.ladder_types(ladder);
    n constant integer := cardinality(matches);
    part record;
    message text;
BEGIN
    looked_at := 0;
    late_matches := 0;
    unrated := 0;
    set_aside := 0;
    IF n = 0 THEN
        RETURN;
    END IF;
    BEGIN
        SELECT r.looked_at, r.late_matches, r.unrated INTO looked_at, late_matches, unrated
        FROM skillrating_internal.rate_taken(ladder, matches) AS r;
        RETURN;
    EXCEPTION
        WHEN data_exception OR integrity_constraint_violation OR program_limit_exceeded
            OR raise_exception THEN
            message := SQLERRM;
    END;
    IF n = 1 THEN
        EXECUTE format(
            'INSERT INTO %I.replica_note (match_id, error) VALUES (CAST($1 AS %s), $2)', ladder,
            t.match_type)
        USING matches[1], message;
        set_aside := 1;
        RETURN;
    END IF;
    FOR part IN
        SELECT d.*
        FROM (VALUES (1, matches[:n / 2]), (2, matches[n / 2 + 1:])) AS h(half, matches),
            skillrating_internal.drain_matches(ladder, h.matches) AS d
        ORDER BY h.half
    LOOP
        looked_at := looked_at + part.looked_at;
        late_matches := late_matches + part.late_matches;
        unrated := unrated + part.unrated;
        set_aside := set_aside + part.set_aside;
    END LOOP;
END
$function$;

COMMENT ON FUNCTION skillrating_internal.drain_matches(text,text[]) IS
'A part of drain_batch(): rates matches that were taken out of the queue. One for which that raises
an error about data, as an identifier that is too long for an index, is found by halves and set
aside in replica_note; the others are rated. What a source raises for single matches is caught
before.';

CREATE FUNCTION skillrating_internal.drain_batch(ladder text, batch_size integer DEFAULT 10000, OUT taken bigint, OUT looked_at bigint, OUT late_matches bigint, OUT unrated bigint, OUT set_aside bigint)
 RETURNS record
 LANGUAGE plpgsql
 STRICT
 SET search_path TO 'pg_catalog', 'pg_temp'
AS $function$
DECLARE
    t record := skillrating_internal.ladder_types(ladder);
    matches text[];
BEGIN
    PERFORM skillrating_internal.check_backfill(batch_size, true);
    taken := 0;
    looked_at := 0;
    late_matches := 0;
    unrated := 0;
    set_aside := 0;
    IF skillrating_internal.search_truncated(ladder) THEN
        RETURN;
    END IF;
    -- What another session has taken is its business; a match with a row in both is looked at
    -- twice, and rated once.
    EXECUTE format(
        'WITH taken AS (
            DELETE FROM %1$I.pending AS p
            WHERE p.ctid = ANY (ARRAY(
                SELECT q.ctid FROM %1$I.pending AS q WHERE NOT q.fires
                LIMIT $1 FOR UPDATE SKIP LOCKED))
            RETURNING p.match_id)
        SELECT count(*), coalesce(array_agg(DISTINCT format(''%%s'', k.match_id)), ''{}'')
        FROM taken AS k', ladder)
    INTO taken, matches USING batch_size;
    IF taken = 0 THEN
        RETURN;
    END IF;
    -- A match that was set aside has another chance with each row that changes.
    IF skillrating_internal.has_tables(ladder, '{replica_note}') THEN
        EXECUTE format(
            'DELETE FROM %I.replica_note AS n
            USING unnest(CAST($1 AS %s[])) AS k(match_id)
            WHERE n.match_id %s k.match_id', ladder, t.match_type, t.match_equals)
        USING matches;
    END IF;
    SELECT d.looked_at, d.late_matches, d.unrated, d.set_aside
    INTO looked_at, late_matches, unrated, set_aside
    FROM skillrating_internal.drain_matches(ladder, matches) AS d;
END
$function$;

COMMENT ON FUNCTION skillrating_internal.drain_batch(text,integer) IS
'The body of skillrating.drain_batch(), called once the door to the ladder is open.';

CREATE FUNCTION skillrating.drain_batch(ladder text, batch_size integer DEFAULT 10000, OUT taken bigint, OUT looked_at bigint, OUT late_matches bigint, OUT unrated bigint, OUT set_aside bigint)
 RETURNS record
 LANGUAGE c
 STRICT
AS 'MODULE_PATHNAME', $function$skillrating_enter$function$;

COMMENT ON FUNCTION skillrating.drain_batch(text,integer) IS
'A step of drain(): takes at most so many rows out of the queue and rates their matches, in the
order of time. Several sessions may do so at once: each takes rows that no other has. After TRUNCATE
of an attached table it has catch_up() search the source, and does nothing while a subscription
copies the rows anew.
taken: rows; a match may have had several. looked_at: matches that were new, changed or gone;
late_matches: those of them that wait for catch_up(); unrated: those that do not count, see
rated_match; set_aside: those that could not be recorded there, see replica_note. Errors: 42704 for
an unknown ladder, 42501 unless the caller owns it, 22003 for a batch_size below 1, 55000 if its
triggers are gone, see restore_triggers().';

CREATE FUNCTION skillrating_internal.replica_status(ladder text, OUT tables regclass[], OUT copied regclass[], OUT waiting bigint, OUT set_aside bigint, OUT unread bigint, OUT truncated bigint)
 RETURNS record
 LANGUAGE plpgsql
 STABLE STRICT
 SET search_path TO 'pg_catalog', 'pg_temp'
AS $function$
BEGIN
    PERFORM skillrating_internal.ladder_types(ladder);
    EXECUTE format(
        'SELECT coalesce(array_agg(a.relation ORDER BY a.relation::text), ''{}'')
        FROM %I.attached AS a WHERE a.replica', ladder)
    INTO tables;
    copied := skillrating_internal.copied_tables(ladder);
    EXECUTE format('SELECT count(*) FROM %I.pending AS p WHERE NOT p.fires', ladder) INTO waiting;
    set_aside := 0;
    unread := 0;
    truncated := 0;
    IF skillrating_internal.has_tables(ladder, '{replica_note}') THEN
        EXECUTE format(
            'SELECT count(*) FILTER (WHERE n.match_id IS NOT NULL),
                count(*) FILTER (WHERE n.match_id IS NULL AND n.error IS NOT NULL),
                count(*) FILTER (WHERE n.error IS NULL)
            FROM %I.replica_note AS n', ladder)
        INTO set_aside, unread, truncated;
    END IF;
END
$function$;

COMMENT ON FUNCTION skillrating_internal.replica_status(text) IS
'The body of skillrating.replica_status(), called once the door to the ladder is open.';

CREATE FUNCTION skillrating.replica_status(ladder text, OUT tables regclass[], OUT copied regclass[], OUT waiting bigint, OUT set_aside bigint, OUT unread bigint, OUT truncated bigint)
 RETURNS record
 LANGUAGE c
 STABLE STRICT
AS 'MODULE_PATHNAME', $function$skillrating_enter$function$;

COMMENT ON FUNCTION skillrating.replica_status(text) IS
'What attach() with replica => true has brought about in a ladder: the tables that a publisher fills
(tables), those whose rows a subscription is copying (copied), how many rows wait in the queue
(waiting), how many matches were set aside (set_aside), how many rows had no match that could be
told (unread, at most a thousand are noted), and how many times tables were truncated since the last
search (truncated). Errors: 42704 for an unknown ladder, 42501 unless the caller owns it.';

CREATE FUNCTION skillrating_internal.check_run_for(run_for interval)
 RETURNS void
 LANGUAGE plpgsql
 STABLE PARALLEL SAFE
 SET search_path TO 'pg_catalog', 'pg_temp'
AS $function$
BEGIN
    IF run_for IS NULL THEN
        RAISE null_value_not_allowed USING MESSAGE = 'run_for must not be null';
    END IF;
    IF run_for < '0' THEN
        RAISE invalid_parameter_value USING
            MESSAGE = format('run_for must be 0 or more, not %s', run_for);
    END IF;
END
$function$;

COMMENT ON FUNCTION skillrating_internal.check_run_for(interval) IS
'A part of work(), drain() and push(): error 22004 or 22023 for a run_for that will not do.';

CREATE PROCEDURE skillrating.drain(IN ladder text, IN run_for interval DEFAULT '00:00:00'::interval, IN batch_size integer DEFAULT 10000, INOUT matches bigint DEFAULT NULL::bigint, INOUT late_matches bigint DEFAULT NULL::bigint, INOUT unrated bigint DEFAULT NULL::bigint, INOUT set_aside bigint DEFAULT NULL::bigint)
 LANGUAGE plpgsql
AS $procedure$
DECLARE
    until pg_catalog.timestamptz;
    step pg_catalog.record;
BEGIN
    -- As in backfill(), no bare operators or names here. Whatever works on a ladder checks the
    -- rights of the caller.
    COMMIT;
    SET TRANSACTION ISOLATION LEVEL READ COMMITTED;
    PERFORM skillrating_internal.check_run_for(run_for);
    until := pg_catalog.clock_timestamp() OPERATOR(pg_catalog.+) run_for;
    matches := 0;
    late_matches := 0;
    unrated := 0;
    set_aside := 0;
    LOOP
        SELECT b.taken, b.looked_at, b.late_matches, b.unrated, b.set_aside INTO step
        FROM skillrating.drain_batch(ladder, batch_size) AS b;
        COMMIT AND CHAIN;
        matches := matches OPERATOR(pg_catalog.+) step.looked_at;
        late_matches := late_matches OPERATOR(pg_catalog.+) step.late_matches;
        unrated := unrated OPERATOR(pg_catalog.+) step.unrated;
        set_aside := set_aside OPERATOR(pg_catalog.+) step.set_aside;
        CONTINUE WHEN step.taken OPERATOR(pg_catalog.>) 0;
        EXIT WHEN pg_catalog.clock_timestamp() OPERATOR(pg_catalog.>=) until;
        PERFORM pg_catalog.pg_sleep(0.05);
        COMMIT AND CHAIN;
    END LOOP;
END
$procedure$;

COMMENT ON PROCEDURE skillrating.drain(text,interval,integer,bigint,bigint,bigint,bigint) IS
'Rates the matches that a publisher has sent: those that the triggers of attach() with replica =>
true have put into the queue of a ladder. It takes at most batch_size rows in a transaction, rates
their matches in the order of time, and goes on until nothing waits; whatever ends it, the batches
before stay, and no match is lost or rated twice. Matches that come late, and corrections, wait for
catch_up(). A match that cannot be rated does not count, with its reason in rated_match; one that
cannot even be recorded there is set aside in replica_note. Sessions that drain at once share the
work.
run_for: go on for so long, looking for new rows twenty times a second.
matches, late_matches, unrated, set_aside: return the sums of what drain_batch() says; values given
in the call are ignored. work() does the same, see schedule_work().
Errors: 2D000 within a transaction block, 42704 for an unknown ladder, 42501 unless the caller owns
it, 22004 for nulls in run_for, 22023 for one less than 0, 22003 for a batch_size below 1, 55000 if
its triggers are gone, see restore_triggers().';

CREATE OR REPLACE FUNCTION skillrating_internal.check_behind_horizon(ladder text, kind text, seq bigint, match_id text)
 RETURNS void
 LANGUAGE plpgsql
 STABLE
 SET search_path TO 'pg_catalog', 'pg_temp'
AS $function$
DECLARE
    w record;
BEGIN
    PERFORM skillrating_internal.check_inside(ladder);
    EXECUTE format('SELECT l.horizon, l.horizon_at FROM %I.ladder AS l', ladder) INTO w;
    IF seq <= w.horizon AND starts_with(kind, 'carried') THEN
        RAISE object_not_in_prerequisite_state USING
            MESSAGE = format('history of ladder "%s" has changed before its horizon, from place %s on',
                ladder, seq),
            DETAIL = format('Ladder "%s" has corrected or ordered what lies before place %s of this one.',
                skillrating_internal.origin(ladder), w.horizon),
            HINT = 'Recreate this ladder with skillrating.rerate().';
    ELSIF seq <= w.horizon THEN
        RAISE object_not_in_prerequisite_state USING
            MESSAGE = CASE
                WHEN match_id IS NOT NULL THEN
                    format('match %s of ladder "%s" lies before its horizon', match_id, ladder)
                ELSE format('%s concerns ladder "%s" before its horizon, from place %s on', kind,
                    ladder, seq) END,
            DETAIL = format(
                'History can be corrected behind place %s, for matches played from %s on.',
                w.horizon, w.horizon_at);
    END IF;
END
$function$;

CREATE OR REPLACE FUNCTION skillrating_internal.check_player_behind_horizon(ladder text, player_id text, since timestamp with time zone)
 RETURNS void
 LANGUAGE plpgsql
 STABLE
 SET search_path TO 'pg_catalog', 'pg_temp'
AS $function$
DECLARE
    t record := skillrating_internal.ladder_types(ladder);
    w record;
    known boolean;
BEGIN
    EXECUTE format('SELECT l.horizon, l.horizon_at FROM %I.ladder AS l', ladder) INTO w;
    IF w.horizon IS NULL OR since >= w.horizon_at THEN
        RETURN;
    END IF;
    EXECUTE format(
        'SELECT EXISTS (SELECT FROM %I.horizon AS h WHERE h.player_id %s CAST($1 AS %s))',
        ladder, t.player_equals, t.player_type)
    INTO known USING player_id;
    IF known THEN
        RAISE object_not_in_prerequisite_state USING
            MESSAGE = format('matches of player %s lie before the horizon of ladder "%s"',
                player_id, ladder),
            DETAIL = format(
                'History can be corrected behind place %s, for matches played from %s on.',
                w.horizon, w.horizon_at),
            HINT = CASE WHEN since IS NOT NULL
                THEN format('exclude_player() can begin since %s.', w.horizon_at)
                ELSE 'Only players who came after the horizon can be merged.' END;
    END IF;
END
$function$;

COMMENT ON FUNCTION skillrating_internal.check_player_behind_horizon(text,text,timestamp with time zone) IS
'A part of exclude_player() and merge_players(): error 55000 if a player has played before the
horizon of the ladder, unless only matches since a time from it on are meant; null where all are.';

CREATE OR REPLACE FUNCTION skillrating_internal.create_horizon_tables(ladder text)
 RETURNS void
 LANGUAGE plpgsql
 STRICT
 SET search_path TO 'pg_catalog', 'pg_temp'
AS $function$
DECLARE
    t record := skillrating_internal.ladder_types(ladder);
    l record;
BEGIN
    EXECUTE format('SELECT l.model, l.params FROM %I.ladder AS l', ladder) INTO l;
    EXECUTE format('CREATE TABLE %I.horizon (%s, PRIMARY KEY (player_id, pool))', ladder,
        skillrating_internal.ladder_columns('rating', l.model, t.player_type::regtype,
            t.match_type::regtype, skillrating_internal.display_expression(l.model, l.params)));
    EXECUTE format('COMMENT ON TABLE %I.horizon IS %L', ladder,
        'The rows that table rating had at the horizon, see set_horizon(): history begins with them.');
    EXECUTE format(
        'CREATE TABLE %I.component_horizon (%s, UNIQUE NULLS NOT DISTINCT (player_id, kind, pool, key))',
        ladder, skillrating_internal.ladder_columns('component', l.model, t.player_type::regtype,
            t.match_type::regtype, ''));
    EXECUTE format('ALTER TABLE %I.component_horizon REPLICA IDENTITY FULL', ladder);
    EXECUTE format('COMMENT ON TABLE %I.component_horizon IS %L', ladder,
        'The rows that table component had at the horizon, see set_horizon(): history begins with them.');
    EXECUTE format(
        'CREATE TABLE %I.season_horizon (
            player_id %s NOT NULL,
            pool text NOT NULL,
            began bigint NOT NULL,
            rating_before float8,
            start_rating float8 NOT NULL,
            peak float8 NOT NULL,
            peak_at timestamptz NOT NULL,
            matches bigint NOT NULL,
            games bigint NOT NULL,
            wins bigint NOT NULL,
            draws bigint NOT NULL,
            losses bigint NOT NULL,
            last_played timestamptz,
            PRIMARY KEY (player_id, pool, began))', ladder, t.player_type);
    EXECUTE format('CREATE INDEX ON %I.season_horizon (began, pool)', ladder);
    EXECUTE format('COMMENT ON TABLE %I.season_horizon IS %L', ladder,
        'What events before the horizon say of seasons, see set_horizon(): a row for each player with events then of a season that began at the place in column began (0: the time before the first). rating_before is the displayed rating that the beginning of the season found, start_rating the one that it left. matches counts each match with one of its players.');
    PERFORM skillrating_internal.renew_ladder_cache(ladder);
END
$function$;

COMMENT ON FUNCTION skillrating_internal.create_horizon_tables(text) IS
'A part of set_horizon(): the tables horizon, component_horizon and season_horizon.';

CREATE FUNCTION skillrating_internal.season_parts_query(ladder text, first_seq bigint, last_seq bigint)
 RETURNS text
 LANGUAGE plpgsql
 STABLE
 SET search_path TO 'pg_catalog', 'pg_temp'
AS $function$
DECLARE
    t record := skillrating_internal.ladder_types(ladder);
    s record := skillrating_internal.state_expressions(ladder);
BEGIN
    -- The events of a player from the last one with which a season begins count for the peak.
    RETURN format(
        'WITH season AS MATERIALIZED (
            SELECT o.seq, o.pool, o.params->>''name'' AS name FROM %1$I.operation AS o
            WHERE o.kind = ''season'' AND o.undone_at IS NULL AND o.seq <= %3$L::bigint
            UNION ALL
            SELECT 0, NULL, NULL
        ), e AS (
            SELECT e.*, b.began, skillrating.state_rating(l.model, %4$s, l.params) AS before,
                skillrating.state_rating(l.model, %5$s, l.params) AS after,
                max(e.seq) FILTER (WHERE e.seq <= b.start_seq)
                    OVER (PARTITION BY e.player_id, e.pool, b.began) AS start_seq,
                row_number() OVER (PARTITION BY e.seq, e.pool ORDER BY e.player_id) = 1 AS first
            FROM %1$I.ladder AS l CROSS JOIN %1$I.event AS e
            JOIN (
                SELECT p.seq, p.pool, b.began, coalesce((
                    SELECT max(o.seq) FROM %1$I.operation AS o
                    WHERE o.kind = ''seed'' AND o.undone_at IS NULL AND o.pool = p.pool
                        AND o.params->>''season'' = (SELECT x.name FROM season AS x WHERE x.seq = b.began)),
                    b.began) AS start_seq
                FROM (
                    SELECT DISTINCT x.seq, x.pool FROM %1$I.event AS x
                    WHERE x.seq > %2$L::bigint AND x.seq <= %3$L::bigint) AS p
                CROSS JOIN LATERAL (
                    SELECT max(x.seq) AS began FROM season AS x
                    WHERE x.seq <= p.seq AND (x.pool IS NULL OR x.pool = p.pool)) AS b
            ) AS b ON b.seq = e.seq AND b.pool = e.pool
            WHERE e.seq > %2$L::bigint AND e.seq <= %3$L::bigint
        ), peak AS (
            SELECT DISTINCT ON (e.player_id, e.pool, e.began) e.player_id, e.pool, e.began, e.after, e.played_at
            FROM e WHERE e.seq >= coalesce(e.start_seq, 0)
            ORDER BY e.player_id, e.pool, e.began, e.after DESC, e.seq
        ), part AS (
            SELECT e.player_id, e.pool, e.began,
                min(e.before) FILTER (WHERE e.kind = ''season'' AND e.seq = e.began) AS rating_before,
                coalesce(min(e.after) FILTER (WHERE e.seq = e.start_seq),
                    (array_agg(e.before ORDER BY e.seq))[1]) AS start_rating,
                count(*) FILTER (WHERE e.kind = ''match'' AND e.first) AS matches,
                count(*) FILTER (WHERE e.kind = ''match'') AS games,
                count(*) FILTER (WHERE e.kind = ''match'' AND e.score = 1) AS wins,
                count(*) FILTER (WHERE e.kind = ''match'' AND e.score = 0.5) AS draws,
                count(*) FILTER (WHERE e.kind = ''match'' AND e.score = 0) AS losses,
                max(e.played_at) FILTER (WHERE e.kind = ''match'') AS last_played
            FROM e GROUP BY 1, 2, 3)
        SELECT p.player_id, p.pool, p.began, p.rating_before, p.start_rating, m.after, m.played_at,
            p.matches, p.games, p.wins, p.draws, p.losses, p.last_played
        FROM part AS p
        JOIN peak AS m ON m.player_id %6$s p.player_id AND m.pool = p.pool AND m.began = p.began',
        ladder, coalesce(first_seq, 0), last_seq, s.before, s.after, t.player_equals);
END
$function$;

COMMENT ON FUNCTION skillrating_internal.season_parts_query(text,bigint,bigint) IS
'A part of keep_seasons(): a query for rows of table season_horizon of the events behind a place in
the order, null for the start, up to another. Error 55000 unless the door to the ladder is open.';

CREATE FUNCTION skillrating_internal.keep_seasons(ladder text, first_seq bigint, last_seq bigint)
 RETURNS void
 LANGUAGE plpgsql
 SET search_path TO 'pg_catalog', 'pg_temp'
 SET enable_nestloop TO 'off'
AS $function$
BEGIN
    PERFORM skillrating_internal.check_inside(ladder);
    EXECUTE format(
        'INSERT INTO %I.season_horizon AS k (player_id, pool, began, rating_before, start_rating, peak,
            peak_at, matches, games, wins, draws, losses, last_played)
        %s
        ON CONFLICT (player_id, pool, began) DO UPDATE SET
            peak = greatest(k.peak, excluded.peak),
            peak_at = CASE WHEN excluded.peak > k.peak THEN excluded.peak_at ELSE k.peak_at END,
            matches = k.matches + excluded.matches,
            games = k.games + excluded.games,
            wins = k.wins + excluded.wins,
            draws = k.draws + excluded.draws,
            losses = k.losses + excluded.losses,
            last_played = greatest(k.last_played, excluded.last_played)', ladder,
        skillrating_internal.season_parts_query(ladder, first_seq, last_seq));
END
$function$;

COMMENT ON FUNCTION skillrating_internal.keep_seasons(text,bigint,bigint) IS
'A part of set_horizon(): adds to table season_horizon what the events behind the horizon of before,
null for none, up to the one to come say of seasons. Error 55000 unless the door to the ladder is
open.';

CREATE FUNCTION skillrating_internal.kept_season(ladder text, began bigint, OUT behind bigint, OUT players text)
 RETURNS record
 LANGUAGE plpgsql
 STABLE STRICT
 SET search_path TO 'pg_catalog', 'pg_temp'
AS $function$
DECLARE
    horizon bigint;
BEGIN
    PERFORM skillrating_internal.ladder_types(ladder);
    EXECUTE format('SELECT l.horizon FROM %I.ladder AS l', ladder) INTO horizon;
    behind := greatest(began, horizon);
    IF began <= horizon THEN
        players := format('%I.season_horizon AS k WHERE k.began = %L::bigint AND k.pool = $3', ladder, began);
    END IF;
END
$function$;

COMMENT ON FUNCTION skillrating_internal.kept_season(text,bigint) IS
'A part of season_players() and season_details(), for the season that began at a place: the place
behind which its events count, and the rows k of season_horizon with what came before, in the pool
that is parameter $3, as SQL; null for a season that began behind the horizon. Error 55000 unless
the door to the ladder is open.';

CREATE OR REPLACE FUNCTION skillrating_internal.check_nothing_waits(ladder text, horizon bigint)
 RETURNS void
 LANGUAGE plpgsql
 STABLE STRICT
 SET search_path TO 'pg_catalog', 'pg_temp'
AS $function$
DECLARE
    waits boolean;
BEGIN
    PERFORM skillrating_internal.check_inside(ladder);
    EXECUTE format(
        'SELECT EXISTS (SELECT FROM %1$I.correction AS c WHERE c.seq IS NULL OR c.seq <= $1)
            OR EXISTS (SELECT FROM %1$I.pending)', ladder)
    INTO waits USING horizon;
    IF waits THEN
        RAISE object_not_in_prerequisite_state USING
            MESSAGE = format('corrections of ladder "%s" wait for catch_up()', ladder),
            DETAIL = 'Corrections before the horizon are not possible.';
    END IF;
END
$function$;

CREATE FUNCTION skillrating_internal.check_not_ahead(ladder text, at timestamp with time zone)
 RETURNS void
 LANGUAGE plpgsql
 STABLE STRICT
 SET search_path TO 'pg_catalog', 'pg_temp'
AS $function$
DECLARE
    last_at timestamptz;
BEGIN
    PERFORM skillrating_internal.check_inside(ladder);
    IF at <= clock_timestamp() THEN
        RETURN;
    END IF;
    EXECUTE format('SELECT max(m.played_at) FROM %I.rated_match AS m WHERE m.seq IS NOT NULL', ladder)
    INTO last_at;
    IF at <= last_at THEN
        RETURN;
    END IF;
    RAISE invalid_parameter_value USING
        MESSAGE = format('horizon of ladder "%s" cannot lie ahead of its matches, at %s', ladder, at),
        DETAIL = CASE WHEN last_at IS NULL THEN 'A horizon never moves back, and matches to come would lie before it.'
            ELSE format('A horizon never moves back, and matches to come would lie before it. The last match was played at %s.', last_at) END,
        HINT = 'Give a time in the past, or that of the last match.';
END
$function$;

COMMENT ON FUNCTION skillrating_internal.check_not_ahead(text,timestamp with time zone) IS
'A part of set_horizon(): error 22023 for a time later than now and than all matches that have a
place in the order.';

CREATE OR REPLACE FUNCTION skillrating_internal.set_horizon(ladder text, at timestamp with time zone, OUT horizon bigint, OUT players bigint)
 RETURNS record
 LANGUAGE plpgsql
 SET search_path TO 'pg_catalog', 'pg_temp'
AS $function$
DECLARE
    w record;
    place record;
BEGIN
    IF ladder IS NULL OR at IS NULL THEN
        RAISE null_value_not_allowed USING MESSAGE = 'ladder and at must not be null';
    END IF;
    PERFORM skillrating_internal.ladder_types(ladder);
    PERFORM skillrating_internal.check_operation_time(at);
    PERFORM skillrating_internal.check_not_ahead(ladder, at);
    EXECUTE format('SELECT l.late, l.horizon, l.horizon_at FROM %I.ladder AS l', ladder) INTO w;
    place := skillrating_internal.last_place_before(ladder, at);
    horizon := place.seq;
    IF horizon < w.horizon OR at < w.horizon_at THEN
        RAISE invalid_parameter_value USING
            MESSAGE = format('horizon of ladder "%s" cannot move back', ladder),
            DETAIL = format('It is at %s, behind place %s.', w.horizon_at, w.horizon);
    END IF;
    PERFORM skillrating_internal.check_nothing_waits(ladder, horizon);
    -- What has no players in common needs no order, and may lie behind although it was played before:
    -- by time, where that makes the order, it goes before the horizon as well.
    IF w.late = 'reorder' AND place.first_behind IS NOT NULL THEN
        PERFORM skillrating_internal.note_correction(ladder, 'reorder', place.first_behind,
            played_at => place.first_at);
        PERFORM skillrating_internal.catch_up(ladder);
        SELECT p.seq INTO horizon FROM skillrating_internal.last_place_before(ladder, at) AS p;
        PERFORM skillrating_internal.check_nothing_waits(ladder, horizon);
    END IF;
    IF to_regclass(format('%I.horizon', ladder)) IS NULL THEN
        PERFORM skillrating_internal.create_horizon_tables(ladder);
    END IF;
    PERFORM skillrating_internal.write_horizon(ladder, horizon);
    PERFORM skillrating_internal.keep_seasons(ladder, w.horizon, horizon);
    EXECUTE format('UPDATE %I.ladder AS l SET horizon = $1, horizon_at = $2', ladder)
    USING horizon, at;
    EXECUTE format('SELECT count(DISTINCT h.player_id) FROM %I.horizon AS h', ladder) INTO players;
END
$function$;

COMMENT ON FUNCTION skillrating_internal.set_horizon(text,timestamp with time zone) IS
'The body of skillrating.set_horizon(), called once the door to the ladder is open.';

CREATE OR REPLACE FUNCTION skillrating.set_horizon(ladder text, at timestamp with time zone, OUT horizon bigint, OUT players bigint)
 RETURNS record
 LANGUAGE c
AS 'MODULE_PATHNAME', $function$skillrating_enter$function$;

COMMENT ON FUNCTION skillrating.set_horizon(text,timestamp with time zone) IS
'Has the history of a ladder begin at a time: keeps, in its tables horizon and component_horizon,
how everybody was behind the last place in the order before all matches and operations of that time
and later, and in season_horizon what seasons had until then. catch_up(), with rebuild too, and
verify() start from there, bit for bit as without a horizon, and rows of event and component_event
up to that place, and matches of the source, may be deleted, detached or moved. What would correct
history before it is refused, by name; a match of it that changes or goes stays as it was rated,
with a warning. A later call moves the horizon on.
Returns the place, and how many players were there. Errors: 42704 for an unknown ladder, 42501
unless the caller owns it, 22004 for nulls, 22008 for an infinite time, 22023 for one before the
horizon that there is or later than now and the last match, 55000 if corrections wait for
catch_up(), or if events of before are gone already.';

CREATE OR REPLACE FUNCTION skillrating_internal.swap_horizons(a text, b text)
 RETURNS void
 LANGUAGE plpgsql
 STRICT
 SET search_path TO 'pg_catalog', 'pg_temp'
AS $function$
DECLARE
    name text;
    has_a boolean;
    has_b boolean;
    of_a oid[];
    names name[];
    i integer;
BEGIN
    FOREACH name IN ARRAY '{horizon,component_horizon,season_horizon}'::text[] LOOP
        has_a := to_regclass(format('%I.%I', a, name)) IS NOT NULL;
        has_b := to_regclass(format('%I.%I', b, name)) IS NOT NULL;
        -- A table and its indexes have names of the way, while those of the other table are the same.
        SELECT array_agg(c.oid), array_agg(c.relname) INTO of_a, names
        FROM pg_class AS c
        WHERE c.oid = to_regclass(format('%I.%I', a, name))
            OR c.oid IN (SELECT x.indexrelid FROM pg_index AS x
                WHERE x.indrelid = to_regclass(format('%I.%I', a, name)));
        FOR i IN 1 .. coalesce(cardinality(of_a), 0) LOOP
            PERFORM skillrating_internal.rename_relation(a, of_a[i],
                CASE names[i] WHEN name THEN 'skillrating_' || name ELSE 'skillrating_' || of_a[i] END);
        END LOOP;
        IF has_a THEN
            EXECUTE format('ALTER TABLE %I.%I SET SCHEMA %I', a, 'skillrating_' || name, b);
        END IF;
        IF has_b THEN
            EXECUTE format('ALTER TABLE %I.%I SET SCHEMA %I', b, name, a);
        END IF;
        FOR i IN 1 .. coalesce(cardinality(of_a), 0) LOOP
            PERFORM skillrating_internal.rename_relation(b, of_a[i], names[i]);
        END LOOP;
    END LOOP;
    PERFORM skillrating_internal.renew_ladder_cache(a), skillrating_internal.renew_ladder_cache(b);
END
$function$;

COMMENT ON FUNCTION skillrating_internal.order_changes_from(text) IS
'A part of catch_up(): the first place that resequence() has to give to something else, null if
there is none. What lies before can be put right beside rating.';

CREATE OR REPLACE FUNCTION skillrating_internal.unused_name(schema text, name text)
 RETURNS text
 LANGUAGE plpgsql
 STABLE STRICT
 SET search_path TO 'pg_catalog', 'pg_temp'
AS $function$
DECLARE
    longest constant integer := 63;
    base text := name;
    underscores text := '';
BEGIN
    WHILE to_regclass(format('%I.%I', schema, name)) IS NOT NULL LOOP
        underscores := underscores || '_';
        WHILE octet_length(base) + length(underscores) > longest LOOP
            base := left(base, -1);
        END LOOP;
        name := base || underscores;
    END LOOP;
    RETURN name;
END
$function$;

COMMENT ON FUNCTION skillrating_internal.unused_name(text,text) IS
'A name, with underscores added, in place of its end if it is long, until no relation of a schema
has it.';

CREATE FUNCTION skillrating_internal.rename_relation(ladder text, relation regclass, name text)
 RETURNS void
 LANGUAGE plpgsql
 STRICT
 SET search_path TO 'pg_catalog', 'pg_temp'
AS $function$
BEGIN
    PERFORM skillrating_internal.check_inside(ladder);
    EXECUTE format('ALTER %s %s RENAME TO %I',
        (SELECT CASE WHEN c.relkind IN ('i', 'I') THEN 'INDEX' ELSE 'TABLE' END
        FROM pg_class AS c WHERE c.oid = relation), relation, name);
END
$function$;

COMMENT ON FUNCTION skillrating_internal.rename_relation(text,regclass,text) IS
'A part of swap_ladders(): renames a table or an index of a ladder.';

COMMENT ON FUNCTION skillrating_internal.revoke_defaults(text,text) IS
'Takes back what ALTER DEFAULT PRIVILEGES has given to others on a new table of a ladder: a
partition is read through the table above it, and a table that replaces another one has the
privileges of that.
Error 55000 unless the door to the ladder is open.';

CREATE FUNCTION skillrating_internal.storage_clauses(ladder text, relation text)
 RETURNS text
 LANGUAGE sql
 STABLE STRICT
 SET search_path TO 'pg_catalog', 'pg_temp'
AS $function$
    SELECT concat(
        ' WITH (' || array_to_string(c.reloptions, ', ') || ')',
        ' TABLESPACE ' || quote_ident(t.spcname))
    FROM coalesce(
        (SELECT p.partition
        FROM skillrating_internal.event_partitions(ladder, relation) AS p
        ORDER BY p.upper DESC LIMIT 1),
        to_regclass(format('%I.%I', ladder, relation))) AS pattern(oid)
    JOIN pg_class AS c ON c.oid = pattern.oid
    LEFT JOIN pg_tablespace AS t
        ON t.oid = c.reltablespace AND has_tablespace_privilege(t.oid, 'CREATE')
$function$;

COMMENT ON FUNCTION skillrating_internal.storage_clauses(text,text) IS
'A part of partition_history(): the end of a CREATE TABLE for a table that is stored like another
one of a ladder, or like its last partition: storage parameters, and the tablespace if the owner may
use it. A superuser can have moved the table where the owner may not create any: partitions then go
to the default tablespace, so that matches go on being rated.';

CREATE FUNCTION skillrating_internal.make_partition(ladder text, relation text, lower bigint, upper bigint, pattern text)
 RETURNS void
 LANGUAGE plpgsql
 SET search_path TO 'pg_catalog', 'pg_temp'
AS $function$
DECLARE
    name text := skillrating_internal.unused_name(ladder,
        format('%s_%s', relation, coalesce(lower, 0)));
BEGIN
    PERFORM skillrating_internal.check_inside(ladder);
    -- A table that comes into being beside the others: whoever rates or reads does not notice.
    EXECUTE format('CREATE TABLE %1$I.%2$I (LIKE %1$I.%3$I INCLUDING ALL)%4$s', ladder, name,
        relation, skillrating_internal.storage_clauses(ladder, pattern));
    PERFORM skillrating_internal.revoke_defaults(ladder, name);
    IF relation = 'component_event' THEN
        EXECUTE format('ALTER TABLE %I.%I REPLICA IDENTITY FULL', ladder, name);
    END IF;
    EXECUTE format('ALTER TABLE %1$I.%2$I ATTACH PARTITION %1$I.%3$I FOR VALUES FROM (%4$s) TO (%5$s)',
        ladder, relation, name, coalesce(lower::text, 'MINVALUE'), upper);
END
$function$;

COMMENT ON FUNCTION skillrating_internal.make_partition(text,text,bigint,bigint,text) IS
'A part of make_partitions() and partition_history(): a new partition of table event or
component_event of a ladder for places from lower (null: from the first one on) to before upper,
which is stored like the table pattern, or like the last partition of that.';

CREATE OR REPLACE FUNCTION skillrating_internal.make_partitions(ladder text, seq bigint, ahead integer)
 RETURNS bigint
 LANGUAGE plpgsql
 STRICT
 SET search_path TO 'pg_catalog', 'pg_temp'
AS $function$
DECLARE
    most constant bigint := 1000;
    size bigint;
    relation text;
    last bigint;
    next bigint;
    made bigint := 0;
BEGIN
    PERFORM skillrating_internal.check_inside(ladder);
    -- Of all who make partitions, one at a time; nobody who rates or reads waits.
    EXECUTE format('LOCK TABLE ONLY %I.event IN SHARE UPDATE EXCLUSIVE MODE', ladder);
    EXECUTE format('SELECT l.partition_rows FROM %I.ladder AS l', ladder) INTO size;
    FOR relation IN SELECT * FROM skillrating_internal.partitioned_tables(ladder) LOOP
        SELECT max(p.upper) INTO last
        FROM skillrating_internal.event_partitions(ladder, relation) AS p
        HAVING NOT coalesce(bool_or(p.fault IN ('is a default partition', 'has no upper bound')), false);
        CONTINUE WHEN NOT FOUND OR size IS NULL;
        WHILE coalesce(last, 0) < (seq / size + 1 + ahead) * size LOOP
            next := (coalesce(last, 0) / size + 1) * size;
            -- Where so many places have been passed over, one range takes them all in.
            IF (seq - coalesce(last, 0)) / size > most THEN
                next := seq / size * size;
            END IF;
            PERFORM skillrating_internal.make_partition(ladder, relation, last, next, relation);
            last := next;
            made := made + 1;
        END LOOP;
    END LOOP;
    RETURN made;
END
$function$;

CREATE FUNCTION skillrating_internal.hold_tables(ladder text, tables text[])
 RETURNS void
 LANGUAGE plpgsql
 STRICT
 SET search_path TO 'pg_catalog', 'pg_temp'
AS $function$
DECLARE
    attempt constant text := '50ms';
    between_attempts constant float8 := 0.05;
    lock_timeout text := current_setting('lock_timeout');
    patience interval := least(nullif(lock_timeout, '0')::interval, '30 seconds');
    begun timestamptz := clock_timestamp();
    last boolean := false;
    ladder_first boolean := true;
    relation text;
BEGIN
    PERFORM skillrating_internal.check_inside(ladder);
    LOOP
        BEGIN
            last := clock_timestamp() >= begun + patience;
            PERFORM set_config('lock_timeout', CASE WHEN last THEN lock_timeout ELSE attempt END, true);
            IF ladder_first THEN
                PERFORM skillrating_internal.hold_ladder(ladder, true);
            END IF;
            FOREACH relation IN ARRAY tables LOOP
                -- LOCK TABLE would lock what a view selects from, too; this changes nothing of it,
                -- because views of ladders have no such option.
                EXECUTE format(CASE WHEN relation = 'source' THEN 'ALTER VIEW %I.%I RESET (check_option)'
                    ELSE 'LOCK TABLE %I.%I IN ACCESS EXCLUSIVE MODE' END, ladder, relation);
            END LOOP;
            PERFORM skillrating_internal.hold_ladder(ladder, true);
            PERFORM set_config('lock_timeout', lock_timeout, true);
            RETURN;
        EXCEPTION WHEN lock_not_available THEN
            IF last THEN
                RAISE;
            END IF;
        END;
        -- Whoever rates has the ladder first, and whoever reads a table and then rates has that: each
        -- gets out of the way of the one order, and into that of the other.
        ladder_first := NOT ladder_first;
        PERFORM pg_sleep(between_attempts);
    END LOOP;
END
$function$;

COMMENT ON FUNCTION skillrating_internal.hold_tables(text,text[]) IS
'A part of what changes tables of a ladder that others read, whose door is open to read: locks the
ladder and these tables, or its view source, so that nobody uses them. Others may have a table
already, from a query of their own, and then come to rate: so both locks are had, or none. An
attempt waits for a moment, in which those wait who come behind, and gives back what it has; after
half a minute, or lock_timeout if that is shorter, one waits in the ordinary way. Errors: 55P03
after lock_timeout, 40001 for an old snapshot.';

COMMENT ON FUNCTION skillrating_internal.check_partitionable(text,text) IS
'A part of partition_history(), which replaces a table by another one: error 2BP01 if users have
hung anything on it but privileges, comments, indexes, constraints and statistics.';

CREATE OR REPLACE FUNCTION skillrating_internal.partition_table(ladder text, relation text, rows bigint, move boolean)
 RETURNS void
 LANGUAGE plpgsql
 STRICT
 SET search_path TO 'pg_catalog', 'pg_temp'
AS $function$
DECLARE
    lowest bigint;
    last bigint;
    upper bigint;
    old text;
BEGIN
    PERFORM skillrating_internal.check_inside(ladder);
    PERFORM skillrating_internal.check_partitionable(ladder, relation);
    EXECUTE format(
        'SELECT coalesce(min(e.seq), s.last_value), greatest(s.last_value, max(e.seq))
        FROM %1$I.event_seq AS s LEFT JOIN %1$I.%2$I AS e ON true
        GROUP BY s.last_value', ladder, relation)
    INTO lowest, last;
    upper := ((CASE WHEN move THEN lowest ELSE last END) / rows + 1) * rows;
    old := skillrating_internal.unused_name(ladder,
        relation || CASE WHEN move AND last >= upper THEN '_old' ELSE '_0' END);
    PERFORM skillrating_internal.put_aside(ladder, relation, old);
    EXECUTE format('CREATE TABLE %1$I.%2$I (LIKE %1$I.%3$I INCLUDING ALL) PARTITION BY RANGE (seq)',
        ladder, relation, old);
    PERFORM skillrating_internal.take_over(ladder, relation, old);
    IF NOT move OR last < upper THEN
        EXECUTE format('ALTER TABLE %1$I.%2$I ATTACH PARTITION %1$I.%3$I FOR VALUES FROM (MINVALUE) TO (%4$s)',
            ladder, relation, old, upper);
    ELSE
        PERFORM skillrating_internal.make_partition(ladder, relation, NULL, upper, old);
        WHILE upper <= last LOOP
            PERFORM skillrating_internal.make_partition(ladder, relation, upper, upper + rows, old);
            upper := upper + rows;
        END LOOP;
        PERFORM skillrating_internal.insert_all(ladder, relation, old);
        EXECUTE format('DROP TABLE %I.%I', ladder, old);
    END IF;
END
$function$;

COMMENT ON FUNCTION skillrating_internal.partition_table(text,text,bigint,boolean) IS
'A part of partition_history(): replaces table event or component_event of a ladder by a partitioned
one, into whose partitions its rows go; or whose first partition it becomes, if they are not to
move.
Error 2BP01 for what users have hung on it.';

CREATE OR REPLACE FUNCTION skillrating_internal.join_partitions(ladder text, relation text)
 RETURNS void
 LANGUAGE plpgsql
 STRICT
 SET search_path TO 'pg_catalog', 'pg_temp'
AS $function$
DECLARE
    old text := skillrating_internal.unused_name(ladder, relation || '_old');
BEGIN
    PERFORM skillrating_internal.check_inside(ladder);
    PERFORM skillrating_internal.check_partitionable(ladder, relation);
    PERFORM skillrating_internal.put_aside(ladder, relation, old);
    EXECUTE format('CREATE TABLE %1$I.%2$I (LIKE %1$I.%3$I INCLUDING ALL)%4$s', ladder, relation, old,
        skillrating_internal.storage_clauses(ladder, old));
    PERFORM skillrating_internal.take_over(ladder, relation, old);
    PERFORM skillrating_internal.insert_all(ladder, relation, old);
    EXECUTE format('DROP TABLE %I.%I', ladder, old);
END
$function$;

COMMENT ON FUNCTION skillrating_internal.join_partitions(text,text) IS
'A part of partition_history(): replaces a partitioned table by one that is not. Error 2BP01 for
what users have hung on it.';

CREATE OR REPLACE FUNCTION skillrating_internal.partition_history(ladder text, rows bigint, move boolean DEFAULT true, OUT partitions bigint)
 RETURNS bigint
 LANGUAGE plpgsql
 SET search_path TO 'pg_catalog', 'pg_temp'
AS $function$
DECLARE
    relation text;
    partitioned text[];
    wanted text[];
BEGIN
    IF ladder IS NULL OR move IS NULL THEN
        RAISE null_value_not_allowed USING MESSAGE = 'ladder and move must not be null';
    END IF;
    IF rows < 1 THEN
        RAISE invalid_parameter_value USING
            MESSAGE = format('rows must be 1 or more, not %s', rows);
    END IF;
    PERFORM skillrating_internal.ladder_types(ladder),
        skillrating_internal.hold_tables(ladder, '{event,component_event}');
    partitioned := ARRAY(SELECT skillrating_internal.partitioned_tables(ladder));
    wanted := CASE WHEN rows IS NULL THEN '{}'
        WHEN skillrating_internal.has_components(ladder) THEN '{event,component_event}'
        ELSE '{event}' END;
    FOREACH relation IN ARRAY '{event,component_event}'::text[] LOOP
        IF rows IS NULL AND relation = ANY (partitioned) THEN
            PERFORM skillrating_internal.join_partitions(ladder, relation);
        ELSIF relation = ANY (wanted) AND relation <> ALL (partitioned) THEN
            PERFORM skillrating_internal.partition_table(ladder, relation, rows, move);
        END IF;
    END LOOP;
    EXECUTE format('UPDATE %I.ladder AS l SET partition_rows = $1', ladder) USING rows;
    PERFORM skillrating_internal.renew_ladder_cache(ladder);
    IF rows IS NOT NULL THEN
        PERFORM skillrating_internal.make_partitions_ahead(ladder);
    END IF;
    SELECT count(*) INTO partitions FROM skillrating_internal.event_partitions(ladder, 'event');
END
$function$;

COMMENT ON FUNCTION skillrating_internal.partition_history(text,bigint,boolean) IS
'The body of skillrating.partition_history(), called once the door to the ladder is open.';

COMMENT ON FUNCTION skillrating.partition_history(text,bigint,boolean) IS
'Has the table event of a ladder, and component_event if the model has components, be partitioned by
seq, in ranges of so many places each, of which every match and operation takes one; null for rows
makes tables of them again that are not partitioned. If they are partitioned already, partitions to
come have the new size. Returns how many partitions table event has.
move: rows that exist go into ranges too, which copies them; without, they stay where they are, in
one first partition, and are only read once.
Two partitions are made ahead, and from then on by the task make_partitions of work(), see
schedule_work(); if half of the last one is used up, by whoever rates. Nobody waits for that.
detach_history() takes partitions off. The ladder is held meanwhile, readers too. Errors: 42704 for
an unknown ladder, 42501 unless the caller owns it, 22004 for nulls, 22023 for rows below 1, 2BP01
if views, triggers, policies, foreign keys or publications are about the tables, 55006 while the
transaction uses one of them, 55P03 if lock_timeout ends the wait for those who do.';

CREATE FUNCTION skillrating_internal.warn_of_repeats(ladder text, detached text[], at timestamp with time zone)
 RETURNS void
 LANGUAGE plpgsql
 STABLE STRICT
 SET search_path TO 'pg_catalog', 'pg_temp'
AS $function$
DECLARE
    since timestamptz;
    name text;
    is_needed boolean;
BEGIN
    PERFORM skillrating_internal.check_inside(ladder);
    EXECUTE format(
        'SELECT $1 - max(coalesce((o.params->>''repeat_window'')::float8, 86400)) * interval ''1 second''
        FROM %I.operation AS o
        WHERE o.kind = ''eligibility'' AND o.undone_at IS NULL AND o.params ? ''max_repeats''', ladder)
    INTO since USING at;
    FOREACH name IN ARRAY detached LOOP
        CONTINUE WHEN starts_with(name, 'component_event');
        EXECUTE format(
            'SELECT EXISTS (SELECT FROM %I.%I AS e WHERE e.played_at >= $1 AND e.match_id IS NOT NULL)',
            ladder, name)
        INTO is_needed USING since;
        IF is_needed THEN
            RAISE WARNING USING
                MESSAGE = format('rule max_repeats of ladder "%s" does not see the matches in %I.%I any more',
                    ladder, ladder, name),
                DETAIL = format('Matches behind the horizon look back on those since %s.', since),
                HINT = 'Detach history up to a time that is earlier by repeat_window, or attach the '
                    'table again, before matches near the horizon are corrected.';
            RETURN;
        END IF;
    END LOOP;
END
$function$;

COMMENT ON FUNCTION skillrating_internal.warn_of_repeats(text,text[],timestamp with time zone) IS
'A part of detach_history(): a warning if one of the detached tables has matches that the rule
max_repeats still asks for behind a horizon at that time.';

CREATE OR REPLACE FUNCTION skillrating_internal.detach_history(ladder text, at timestamp with time zone, OUT horizon bigint, OUT players bigint, OUT detached text[])
 RETURNS record
 LANGUAGE plpgsql
 SET search_path TO 'pg_catalog', 'pg_temp'
AS $function$
DECLARE
    relation text;
    name text;
    last bigint;
BEGIN
    IF ladder IS NULL OR at IS NULL THEN
        RAISE null_value_not_allowed USING MESSAGE = 'ladder and at must not be null';
    END IF;
    PERFORM skillrating_internal.ladder_types(ladder);
    IF NOT EXISTS (SELECT FROM skillrating_internal.partitioned_tables(ladder)) THEN
        RAISE object_not_in_prerequisite_state USING
            MESSAGE = format('table event of ladder "%s" is not partitioned by seq', ladder),
            HINT = format('SELECT skillrating.partition_history(%L, rows => ...) does that.', ladder);
    END IF;
    PERFORM skillrating_internal.hold_tables(ladder, '{event,component_event}');
    SELECT s.horizon, s.players INTO horizon, players
    FROM skillrating_internal.set_horizon(ladder, at) AS s;
    detached := '{}';
    EXECUTE format('SELECT l.horizon FROM %I.ladder AS l', ladder) INTO last;
    FOR relation, name IN
        SELECT t.relation, p.name
        FROM skillrating_internal.partitioned_tables(ladder) AS t(relation)
        CROSS JOIN skillrating_internal.event_partitions(ladder, t.relation) AS p
        WHERE p.upper <= last + 1 AND p.fault IS NULL
        ORDER BY t.relation DESC, p.upper
    LOOP
        EXECUTE format('ALTER TABLE %1$I.%2$I DETACH PARTITION %1$I.%3$I', ladder, relation, name);
        detached := detached || name;
    END LOOP;
    PERFORM skillrating_internal.warn_of_repeats(ladder, detached, at);
END
$function$;

COMMENT ON FUNCTION skillrating_internal.detach_history(text,timestamp with time zone) IS
'The body of skillrating.detach_history(), called once the door to the ladder is open.';

CREATE OR REPLACE FUNCTION skillrating.detach_history(ladder text, at timestamp with time zone, OUT horizon bigint, OUT players bigint, OUT detached text[])
 RETURNS record
 LANGUAGE c
AS 'MODULE_PATHNAME', $function$skillrating_enter$function$;

COMMENT ON FUNCTION skillrating.detach_history(text,timestamp with time zone) IS
'set_horizon(), and then detaches those partitions of event and component_event that have nothing
but places up to the horizon. They stay in the schema of the ladder as tables of their own, whose
names it returns (detached) beside what set_horizon() returns, for the owner to move, archive or
drop; and ALTER TABLE ... ATTACH PARTITION brings one back for those who read. A warning says if
rule max_repeats still needs matches in one of them. Waits for whoever reads or rates, for moments
at a time, and then keeps them waiting to the end of the transaction: a call of set_horizon() before
it, in a transaction of its own, makes that short. Errors: those of set_horizon(), 55000 if event is
not partitioned by partition_history(), 55006 while the transaction uses it, 55P03 if lock_timeout
ends the wait.';

CREATE OR REPLACE FUNCTION skillrating_internal.fill_gaps(ladder text)
 RETURNS void
 LANGUAGE plpgsql
 STRICT
 SET search_path TO 'pg_catalog', 'pg_temp'
AS $function$
DECLARE
    gap record;
BEGIN
    PERFORM skillrating_internal.check_inside(ladder);
    FOR gap IN
        SELECT g.* FROM (
            SELECT t.relation, lag(p.upper) OVER (PARTITION BY t.relation ORDER BY p.upper) AS lower,
                p.lower AS upper
            FROM skillrating_internal.partitioned_tables(ladder) AS t(relation)
            CROSS JOIN skillrating_internal.event_partitions(ladder, t.relation) AS p
            WHERE p.fault IS NULL) AS g
        WHERE g.lower IS DISTINCT FROM g.upper AND g.upper IS NOT NULL
    LOOP
        PERFORM skillrating_internal.make_partition(ladder, gap.relation, gap.lower, gap.upper,
            gap.relation);
    END LOOP;
END
$function$;

COMMENT ON FUNCTION skillrating_internal.wrong_partitions(text) IS
'A part of verify(): how many partitions event and component_event of a ladder have, how many of
them are wrong or come behind a gap, and the first fault in words. Places up to the horizon need
none.';

CREATE OR REPLACE FUNCTION skillrating_internal.move_partitions(ladder text, relation text, from_schema text, into_schema text)
 RETURNS void
 LANGUAGE plpgsql
 STRICT
 SET search_path TO 'pg_catalog', 'pg_temp'
AS $function$
DECLARE
    partition record;
    taken record;
    new_name text;
BEGIN
    PERFORM skillrating_internal.check_inside(ladder);
    FOR partition IN
        SELECT p.partition AS oid
        FROM skillrating_internal.event_partitions(from_schema, relation) AS p
        JOIN pg_class AS c ON c.oid = p.partition
        WHERE c.relnamespace = to_regnamespace(quote_ident(from_schema))
    LOOP
        -- Its indexes come along, and what was detached there keeps its names, for them, too.
        FOR taken IN
            SELECT c.oid, c.relname
            FROM pg_class AS c
            WHERE (c.oid = partition.oid
                    OR c.oid IN (SELECT x.indexrelid FROM pg_index AS x WHERE x.indrelid = partition.oid))
                AND to_regclass(format('%I.%I', into_schema, c.relname)) IS NOT NULL
        LOOP
            new_name := taken.relname;
            WHILE to_regclass(format('%I.%I', into_schema, new_name)) IS NOT NULL LOOP
                new_name := skillrating_internal.unused_name(from_schema,
                    skillrating_internal.unused_name(into_schema, new_name));
            END LOOP;
            PERFORM skillrating_internal.rename_relation(ladder, taken.oid, new_name);
        END LOOP;
        EXECUTE format('ALTER TABLE %s SET SCHEMA %I', partition.oid::regclass, into_schema);
    END LOOP;
END
$function$;

COMMENT ON FUNCTION skillrating_internal.move_partitions(text,text,text,text) IS
'A part of swap_ladders(), for a ladder whose door is open: moves the partitions of a table that lie
in its schema into another schema, with underscores behind names that are taken there, of indexes
too.';

COMMENT ON FUNCTION skillrating_internal.set_eligibility(text,jsonb,timestamp with time zone,text) IS
'The body of skillrating.set_eligibility(), called once the door to the ladder is open.';

COMMENT ON FUNCTION skillrating.set_eligibility(text,jsonb,timestamp with time zone,text) IS
'Declares which matches a ladder rates: those played from since on are judged by these rules and no
others, until rules are declared for a later time or again. Without since they replace the rules of
all times. A match that breaks one is kept unrated, with the reason of the rule; some rules leave
single participants out instead.
rules: an object with a member for each rule in force, see eligibility_rules(); {} for none.
What was rated changes with catch_up(). Returns the number of the operation, for undo_operation().
Errors: 42704 for an unknown ladder, 22023 for an unknown rule, one of another type or rules that
make no sense together, 22003 for a value out of range, 22008 for an infinite since.';

COMMENT ON FUNCTION skillrating_internal.eligibility(text) IS
'The body of skillrating.eligibility(), called once the door to the ladder is open.';

CREATE FUNCTION skillrating_internal.check_new_season(ladder text, season text, pool text, at timestamp with time zone)
 RETURNS void
 LANGUAGE plpgsql
 STABLE
 SET search_path TO 'pg_catalog', 'pg_temp'
AS $function$
DECLARE
    other record;
    has_ratings boolean;
BEGIN
    PERFORM skillrating_internal.ladder_types(ladder);
    EXECUTE format(
        'SELECT o.operation, o.pool FROM %I.operation AS o
        WHERE o.kind = ''season'' AND o.undone_at IS NULL AND o.params->>''name'' = $1
            AND coalesce(o.pool = $2, true)
        ORDER BY o.operation LIMIT 1', ladder)
    INTO other USING season, pool;
    IF other.operation IS NOT NULL THEN
        RAISE duplicate_object USING
            MESSAGE = format('ladder "%s" has a season "%s" already', ladder, season),
            DETAIL = CASE WHEN other.pool IS NULL THEN 'It began in all pools.'
                ELSE format('It began in pool "%s".', other.pool) END;
    END IF;
    -- Where time makes the order, it gets its place among the others.
    EXECUTE format(
        'SELECT o.params->>''name'' AS name, o.at FROM %1$I.operation AS o CROSS JOIN %1$I.ladder AS l
        WHERE o.kind = ''season'' AND o.undone_at IS NULL AND l.late <> ''reorder'' AND o.at > $1
            AND coalesce(o.pool = $2, true)
        ORDER BY o.seq DESC LIMIT 1', ladder)
    INTO other USING at, pool;
    IF other.at IS NOT NULL THEN
        RAISE invalid_parameter_value USING
            MESSAGE = format('season "%s" of ladder "%s" began at %s, and season "%s" cannot begin at %s',
                other.name, ladder, other.at, season, at),
            HINT = 'Begin it at a later time, or undo the later season first.';
    END IF;
    IF pool IS NOT NULL THEN
        EXECUTE format('SELECT EXISTS (SELECT FROM %I.rating AS r WHERE r.pool = $1)', ladder)
        INTO has_ratings USING pool;
        IF NOT has_ratings THEN
            RAISE NOTICE USING
                MESSAGE = format('no player has a rating in pool "%s" of ladder "%s"', pool, ladder),
                HINT = 'If the name of the pool is wrong, undo the season.';
        END IF;
    END IF;
END
$function$;

COMMENT ON FUNCTION skillrating_internal.check_new_season(text,text,text,timestamp with time zone) IS
'A part of new_season(): error 42710 if a pool in which the season is to begin, all of them where it
is null, has one of that name, and 22023 if one began there after the time at, unless late is
reorder; and a notice if there is no rating in the pool.';

CREATE OR REPLACE FUNCTION skillrating_internal.new_season(ladder text, season text, keep double precision DEFAULT 0.5, toward text DEFAULT NULL::text, pool text DEFAULT NULL::text, at timestamp with time zone DEFAULT now(), reason text DEFAULT NULL::text, OUT operation bigint, OUT players bigint)
 RETURNS record
 LANGUAGE plpgsql
 SET search_path TO 'pg_catalog', 'pg_temp'
AS $function$
DECLARE
    t record;
    seed bigint;
    taken boolean;
    model record;
BEGIN
    IF ladder IS NULL OR season IS NULL OR keep IS NULL OR at IS NULL THEN
        RAISE null_value_not_allowed USING
            MESSAGE = 'ladder, season, keep and at must not be null';
    END IF;
    IF season = '' THEN
        RAISE invalid_parameter_value USING
            MESSAGE = 'season must not be empty',
            HINT = 'The empty name stands for the time before the first season.';
    END IF;
    IF NOT keep BETWEEN 0 AND 1 THEN
        RAISE numeric_value_out_of_range USING
            MESSAGE = format('keep must lie between 0 and 1, not %s', keep);
    END IF;
    t := skillrating_internal.ladder_types(ladder);
    IF toward IS NOT NULL THEN
        EXECUTE format(
            'SELECT m.name, m.state_columns, skillrating.initial_state(l.model, l.params) AS initial, skillrating.log_odds_unit(l.model, l.params) AS unit
            FROM %I.ladder AS l JOIN skillrating.models() AS m ON m.name = l.model', ladder)
        INTO model;
        IF toward = 'hive' AND model.name <> 'hive' OR toward = 'through_time' AND model.name NOT IN ('state_space', 'trueskill', 'trueskill2') THEN
            RAISE invalid_parameter_value USING
                MESSAGE = format('skills of solver "%s" cannot be the prior of model "%s"', toward, model.name),
                HINT = 'Skills of "bradley_terry" and "whole_history" can, for any model.';
        END IF;
        EXECUTE format('SELECT EXISTS (SELECT FROM %I.solved AS s WHERE s.solver = $1 AND s.mu IS NOT NULL AND s.pool = coalesce($2, s.pool))', ladder)
        INTO taken USING toward, pool;
        IF NOT taken THEN
            RAISE no_data_found USING
                MESSAGE = format('ladder "%s" has not been solved by "%s"', ladder, toward),
                HINT = format('Do so first: skillrating.solve_ladder(%L, %L).', ladder, toward);
        END IF;
    END IF;
    PERFORM skillrating_internal.check_new_season(ladder, season, pool, at);
    PERFORM skillrating_internal.begin_operation(ladder);
    operation := skillrating_internal.note_operation(ladder, 'season', pool => pool, at => at,
        params => jsonb_build_object('name', season, 'keep', keep), reason => coalesce(reason, 'season ' || season));
    IF toward IS NULL THEN
        players := skillrating_internal.operate_beside(ladder, operation);
        RETURN;
    END IF;
    players := skillrating_internal.apply_operation(ladder, operation);

    -- What stays is measured from the skill that was solved: as far as that is from the initial one.
    IF keep < 1 THEN
        seed := nextval(format('%I.event_seq', ladder));
        EXECUTE format(
            'INSERT INTO %1$I.operation (operation, seq, kind, pool, player_id, at, state, params, reason)
            SELECT $1, $1, ''seed'', r.pool, r.player_id, $3, ARRAY[r.%2$I + (1 - $4) * CASE WHEN $5 IN (''hive'', ''through_time'') THEN s.mu - $6 ELSE s.mu * $7 END] || array_fill(NULL::float8, ARRAY[$8 - 1]),
                jsonb_build_object(''solver'', $5, ''season'', $9), $10
            FROM %1$I.rating AS r
            JOIN (
                SELECT DISTINCT ON (s.pool, s.player_id) s.* FROM %1$I.solved AS s
                WHERE s.solver = $5 AND s.mu IS NOT NULL
                ORDER BY s.pool, s.player_id, s.at DESC) AS s ON s.player_id %3$s r.player_id AND s.pool = r.pool
            WHERE r.pool = coalesce($2, r.pool)
                AND NOT EXISTS (SELECT FROM %1$I.operation AS m WHERE m.player_id %3$s r.player_id AND m.kind = ''merge'' AND m.undone_at IS NULL)
            RETURNING operation',
            ladder, model.state_columns[1], t.player_equals)
        INTO seed USING seed, pool, at, keep, toward, model.initial[1], model.unit, cardinality(model.state_columns), season,
            coalesce(reason, 'season ' || season);
        -- Null, and then nothing is done, if none of the players of the solution has a rating.
        PERFORM skillrating_internal.apply_operation(ladder, seed);
    END IF;
END
$function$;

COMMENT ON FUNCTION skillrating_internal.new_season(text,text,double precision,text,text,timestamp with time zone,text) IS
'The body of skillrating.new_season(), called once the door to the ladder is open.';

COMMENT ON FUNCTION skillrating.new_season(text,text,double precision,text,text,timestamp with time zone,text) IS
'Begins the season of that name, in all pools or in one: a soft reset of the states towards the
initial one, of which the share keep stays (1: all, 0: nothing); deviations grow so that variances
do. The states before remain in the events; season_table() gives the tables of this and of earlier
seasons. With toward, a solver, players whom solve_ladder() has given an estimate go towards that
one instead: the share keep of the distance from it stays. That is a second operation (seed), which
undo_operation() takes back together with the season. Estimates in log-odds count log_odds_unit()
each from the initial state; those of hive are the ladder''s own under model hive, and those of
through_time under state_space, or under trueskill and trueskill2 if solve_ladder() was given the
initial_mu, initial_sigma and beta of the ladder. Deviations are those that the season leaves.
Returns the number of the operation, for undo_operation(), and how many players it changed.
A pool in which nobody has a rating is a notice, because its name may be wrong.
Errors: 42704 for an unknown ladder, 22003 for keep outside 0 to 1, 42710 if one of the pools has a
season of that name, 22023 for an empty name, for estimates that do not suit the model, and for a
time before the last season unless late is reorder, P0002 if there are no estimates, 22008 for an
infinite time.';

COMMENT ON FUNCTION skillrating_internal.decay(text,interval,double precision,double precision,interval,double precision,text,timestamp with time zone,text) IS
'The body of skillrating.decay(), called once the door to the ladder is open.';

COMMENT ON FUNCTION skillrating_internal.settled_at(text) IS
'The body of skillrating.settled_at(), called once the door to the ladder is open.';

COMMENT ON FUNCTION skillrating_internal.settle(text,timestamp with time zone,text) IS
'The body of skillrating.settle(), called once the door to the ladder is open.';

CREATE OR REPLACE FUNCTION skillrating_internal.check_not_merged(ladder text, player_id text)
 RETURNS void
 LANGUAGE plpgsql
 STABLE STRICT
 SET search_path TO 'pg_catalog', 'pg_temp'
AS $function$
DECLARE
    t record := skillrating_internal.ladder_types(ladder);
    counted text := skillrating_internal.counted_player(ladder, player_id);
    counts boolean;
BEGIN
    EXECUTE format('SELECT CAST($1 AS %1$s) %2$s CAST($2 AS %1$s)', t.player_type, t.player_equals)
    INTO counts USING player_id, counted;
    IF NOT counts THEN
        RAISE invalid_parameter_value USING
            MESSAGE = format('player %s is merged into %s', player_id, counted),
            HINT = format('Operations on the merged account have no effect: name player %s.', counted);
    END IF;
END
$function$;

CREATE FUNCTION skillrating_internal.state_rows(ladder text, players text[], states jsonb, OUT player_id text, OUT state double precision[])
 RETURNS SETOF record
 LANGUAGE plpgsql
 STABLE
 SET search_path TO 'pg_catalog', 'pg_temp'
AS $function$
DECLARE
    columns text[];
    wrong record;
BEGIN
    PERFORM skillrating_internal.ladder_types(ladder);
    EXECUTE format('SELECT m.state_columns FROM skillrating.models() AS m JOIN %I.ladder AS l ON l.model = m.name', ladder)
    INTO columns;
    SELECT e.player_id, e.state INTO wrong
    FROM ROWS FROM (unnest(players), jsonb_array_elements(states)) AS e(player_id, state)
    WHERE jsonb_typeof(e.state) <> 'object' OR e.state = '{}'
    LIMIT 1;
    IF FOUND THEN
        RAISE invalid_parameter_value USING
            MESSAGE = format('state of player %s must be an object of state columns, not %s', wrong.player_id, wrong.state),
            HINT = format('The state columns are %s.', array_to_string(columns, ', '));
    END IF;
    SELECT e.player_id, e.state, k.name INTO wrong
    FROM ROWS FROM (unnest(players), jsonb_array_elements(states)) AS e(player_id, state), jsonb_object_keys(e.state) AS k(name)
    WHERE NOT k.name = ANY (columns) OR jsonb_typeof(e.state->k.name) <> 'number'
    LIMIT 1;
    IF FOUND AND wrong.name = ANY (columns) THEN
        RAISE invalid_parameter_value USING
            MESSAGE = format('state column "%s" of player %s must be a number, not %s', wrong.name, wrong.player_id, wrong.state->wrong.name),
            HINT = format('The state columns are %s.', array_to_string(columns, ', '));
    END IF;
    IF FOUND THEN
        RAISE invalid_parameter_value USING
            MESSAGE = format('unknown state column "%s"', wrong.name),
            DETAIL = format('It is in the state of player %s.', wrong.player_id),
            HINT = format('The state columns are %s.', array_to_string(columns, ', '));
    END IF;
    RETURN QUERY
        SELECT e.player_id, (SELECT array_agg((e.state->>c.name)::float8 ORDER BY c.n) FROM unnest(columns) WITH ORDINALITY AS c(name, n))
        FROM ROWS FROM (unnest(players), jsonb_array_elements(states)) AS e(player_id, state);
EXCEPTION WHEN numeric_value_out_of_range THEN
    -- JSON has numbers that float8 cannot hold, and that error does not name the player.
    SELECT e.player_id, v.name, left(v.value, 40) AS value INTO wrong
    FROM ROWS FROM (unnest(players), jsonb_array_elements(states)) AS e(player_id, state), jsonb_each_text(e.state) AS v(name, value)
    WHERE abs(v.value::numeric) > 1.7976931348623157e308 OR abs(v.value::numeric) < 5e-324 AND v.value::numeric <> 0
    LIMIT 1;
    IF NOT FOUND THEN
        RAISE;
    END IF;
    RAISE numeric_value_out_of_range USING
        MESSAGE = format('state column "%s" of player %s is out of range', wrong.name, wrong.player_id),
        DETAIL = format('The value begins with %s.', wrong.value);
END
$function$;

COMMENT ON FUNCTION skillrating_internal.state_rows(text,text[],jsonb) IS
'A part of set_rating() and import_ratings(): states that are given as objects, one for each player,
as arrays in the order of the state columns of the ladder''s model. A column that an object lacks is
null, which keeps its value. Errors: 22023 for what is no object, is an empty one, or has a column
that the model lacks or a value that is no number, 22003 for a number that float8 cannot hold.';

CREATE OR REPLACE FUNCTION skillrating_internal.set_rating(ladder text, player_id anycompatible, state jsonb, pool text DEFAULT ''::text, at timestamp with time zone DEFAULT now(), reason text DEFAULT NULL::text, OUT operation bigint, OUT players bigint)
 RETURNS record
 LANGUAGE plpgsql
 SET search_path TO 'pg_catalog', 'pg_temp'
AS $function$
DECLARE
    state_values float8[];
BEGIN
    IF ladder IS NULL OR player_id IS NULL OR state IS NULL OR pool IS NULL OR at IS NULL THEN
        RAISE null_value_not_allowed USING
            MESSAGE = 'ladder, player_id, state, pool and at must not be null';
    END IF;
    PERFORM skillrating_internal.ladder_types(ladder);
    SELECT s.state INTO state_values
    FROM skillrating_internal.state_rows(ladder, ARRAY[player_id::text], jsonb_build_array(state)) AS s;
    PERFORM skillrating_internal.check_not_merged(ladder, player_id::text);
    operation := skillrating_internal.note_operation(ladder, 'set', player_id::text, pool => pool, at => at,
        state => state_values, reason => coalesce(reason, 'set by hand'));
    players := skillrating_internal.apply_operation(ladder, operation);
END
$function$;

COMMENT ON FUNCTION skillrating_internal.set_rating(text,anycompatible,jsonb,text,timestamp with time zone,text) IS
'The body of skillrating.set_rating(), called once the door to the ladder is open.';

CREATE OR REPLACE FUNCTION skillrating_internal.reset_rating(ladder text, player_id anycompatible, pool text DEFAULT NULL::text, at timestamp with time zone DEFAULT now(), reason text DEFAULT NULL::text, OUT operation bigint, OUT ratings bigint)
 RETURNS record
 LANGUAGE plpgsql
 SET search_path TO 'pg_catalog', 'pg_temp'
AS $function$
DECLARE
    t record;
    rated boolean;
BEGIN
    IF ladder IS NULL OR player_id IS NULL OR at IS NULL THEN
        RAISE null_value_not_allowed USING
            MESSAGE = 'ladder, player_id and at must not be null';
    END IF;
    t := skillrating_internal.ladder_types(ladder);
    PERFORM skillrating_internal.check_not_merged(ladder, player_id::text);
    EXECUTE format(
        'SELECT EXISTS (
            SELECT FROM %1$I.rating AS r
            WHERE r.player_id %2$s CAST($1 AS %3$s) AND r.pool = coalesce($2, r.pool)
                AND (r.games > 0 OR EXISTS (
                    SELECT FROM %1$I.event AS e
                    WHERE e.player_id %2$s r.player_id AND e.pool = r.pool)))',
        ladder, t.player_equals, t.player_type)
    INTO rated USING player_id::text, pool;
    IF NOT rated THEN
        RAISE undefined_object USING
            MESSAGE = CASE WHEN pool IS NULL THEN format('player %s has no rating in any pool of ladder "%s"', player_id, ladder)
                ELSE format('player %s has no rating in pool "%s" of ladder "%s"', player_id, pool, ladder) END;
    END IF;
    operation := skillrating_internal.note_operation(ladder, 'reset', player_id::text,
        pool => pool, at => at, reason => coalesce(reason, 'reset'));
    ratings := skillrating_internal.apply_operation(ladder, operation);
END
$function$;

COMMENT ON FUNCTION skillrating_internal.reset_rating(text,anycompatible,text,timestamp with time zone,text) IS
'The body of skillrating.reset_rating(), called once the door to the ladder is open.';

CREATE FUNCTION skillrating_internal.seed_players(ladder text, states text, pool text, overwrite boolean, at timestamp with time zone, params jsonb, reason text, given_players text[] DEFAULT NULL::text[], given_states jsonb DEFAULT NULL::jsonb, OUT operation bigint, OUT players bigint)
 RETURNS record
 LANGUAGE plpgsql
 SET search_path TO 'pg_catalog', 'pg_temp'
AS $function$
DECLARE
    t record := skillrating_internal.ladder_types(ladder);
BEGIN
    PERFORM skillrating_internal.check_operation_behind_horizon(ladder, at);
    operation := nextval(format('%I.event_seq', ladder));
    EXECUTE format(
        'INSERT INTO %1$I.operation (operation, seq, kind, pool, player_id, at, state, params, reason)
        SELECT $1, $1, ''seed'', $2, o.player_id, $4, o.state, $5, $6
        FROM (%2$s) AS o
        WHERE ($3 OR NOT EXISTS (
                SELECT FROM %1$I.rating AS r WHERE r.player_id %3$s o.player_id AND r.pool = $2))
            AND NOT EXISTS (
                SELECT FROM %1$I.operation AS m WHERE m.player_id %3$s o.player_id AND m.kind = ''merge'' AND m.undone_at IS NULL)',
        ladder, states, t.player_equals)
    USING operation, pool, overwrite, at, params, reason, given_players, given_states;
    GET DIAGNOSTICS players = ROW_COUNT;
    IF players > 0 THEN
        PERFORM skillrating_internal.apply_operation(ladder, operation);
    ELSE
        operation := NULL;
    END IF;
END
$function$;

COMMENT ON FUNCTION skillrating_internal.seed_players(text,text,text,boolean,timestamp with time zone,jsonb,text,text[],jsonb) IS
'A part of seed_from() and import_ratings(): one operation that gives players the states of a query,
whose columns are player_id and state, with null for a state column that stays. The query can refer
to given_players as $7 and to given_states as $8. Players who have a rating in the pool are left out
unless overwrite is true, and so are accounts that are merged into another. Returns the number of
the operation, null if nobody is left, and how many players it changed. Errors: 55000 for a time
before the horizon, 22003 if a state is out of range.';

CREATE OR REPLACE FUNCTION skillrating_internal.seed_from(ladder text, other text, pool text DEFAULT ''::text, other_pool text DEFAULT ''::text, overwrite boolean DEFAULT false, at timestamp with time zone DEFAULT now(), reason text DEFAULT NULL::text, OUT operation bigint, OUT players bigint)
 RETURNS record
 LANGUAGE plpgsql
 SET search_path TO 'pg_catalog', 'pg_temp'
AS $function$
DECLARE
    columns text[];
    other_columns text[];
    expressions text;
BEGIN
    IF ladder IS NULL OR other IS NULL OR pool IS NULL OR other_pool IS NULL OR overwrite IS NULL OR at IS NULL THEN
        RAISE null_value_not_allowed USING
            MESSAGE = 'ladder, other, pool, other_pool, overwrite and at must not be null';
    END IF;
    PERFORM skillrating_internal.check_operation_time(at);
    PERFORM skillrating_internal.ladder_types(ladder);
    PERFORM skillrating_internal.ladder_types(other);
    EXECUTE format('SELECT m.state_columns FROM skillrating.models() AS m JOIN %I.ladder AS l ON l.model = m.name', ladder) INTO columns;
    EXECUTE format('SELECT m.state_columns FROM skillrating.models() AS m JOIN %I.ladder AS l ON l.model = m.name', other) INTO other_columns;
    IF NOT columns && other_columns THEN
        RAISE invalid_parameter_value USING
            MESSAGE = format('ladders "%s" and "%s" have no state column in common', ladder, other),
            HINT = 'Set the states with set_rating() instead.';
    END IF;
    SELECT string_agg(CASE WHEN c.name = ANY (other_columns) THEN format('o.%I', c.name) ELSE 'NULL' END, ', ' ORDER BY c.n)
    INTO expressions
    FROM unnest(columns) WITH ORDINALITY AS c(name, n);
    SELECT s.operation, s.players INTO operation, players
    FROM skillrating_internal.seed_players(ladder,
        format('SELECT o.player_id, ARRAY[%s]::float8[] AS state FROM (%s) AS o', expressions,
            skillrating_internal.past_board(other, other_pool, at, 'true')),
        pool, overwrite, at, jsonb_build_object('ladder', other, 'pool', other_pool), coalesce(reason, 'seeded from ' || other)) AS s;
END
$function$;

COMMENT ON FUNCTION skillrating_internal.seed_from(text,text,text,text,boolean,timestamp with time zone,text) IS
'The body of skillrating.seed_from(), called once the door to the ladder is open.';

CREATE FUNCTION skillrating_internal.check_imported(ladder text, players text[])
 RETURNS void
 LANGUAGE plpgsql
 STABLE
 SET search_path TO 'pg_catalog', 'pg_temp'
AS $function$
DECLARE
    t record := skillrating_internal.ladder_types(ladder);
    wrong record;
BEGIN
    EXECUTE format(
        'SELECT min(g.player_id::text) AS player_id, count(*) AS n FROM (SELECT CAST(p AS %s) AS player_id FROM unnest($1) AS p) AS g
        GROUP BY g.player_id HAVING count(*) > 1 LIMIT 1', t.player_type)
    INTO wrong USING players;
    IF wrong.n > 1 THEN
        RAISE invalid_parameter_value USING
            MESSAGE = format('player %s occurs %s times in array players', wrong.player_id, wrong.n);
    END IF;
    EXECUTE format(
        'SELECT m.player_id::text AS player_id FROM %1$I.operation AS m
        JOIN (SELECT CAST(p AS %3$s) AS player_id FROM unnest($1) AS p) AS g ON g.player_id %2$s m.player_id
        WHERE m.kind = ''merge'' AND m.undone_at IS NULL LIMIT 1', ladder, t.player_equals, t.player_type)
    INTO wrong USING players;
    IF wrong.player_id IS NOT NULL THEN
        PERFORM skillrating_internal.check_not_merged(ladder, wrong.player_id);
    END IF;
END
$function$;

COMMENT ON FUNCTION skillrating_internal.check_imported(text,text[]) IS
'A part of import_ratings(): error 22023 for a player who is given twice or is merged into another.';

CREATE FUNCTION skillrating_internal.import_ratings(ladder text, players anycompatiblearray, states jsonb, pool text DEFAULT ''::text, overwrite boolean DEFAULT false, at timestamp with time zone DEFAULT now(), reason text DEFAULT NULL::text, OUT operation bigint, OUT ratings bigint)
 RETURNS record
 LANGUAGE plpgsql
 SET search_path TO 'pg_catalog', 'pg_temp'
AS $function$
DECLARE
    t record;
BEGIN
    IF ladder IS NULL OR players IS NULL OR states IS NULL OR pool IS NULL OR overwrite IS NULL OR at IS NULL THEN
        RAISE null_value_not_allowed USING
            MESSAGE = 'ladder, players, states, pool, overwrite and at must not be null';
    END IF;
    PERFORM skillrating_internal.check_operation_time(at);
    t := skillrating_internal.ladder_types(ladder);
    IF jsonb_typeof(states) <> 'array' THEN
        RAISE invalid_parameter_value USING
            MESSAGE = format('states must be a JSON array, not %s', left(states::text, 100)),
            HINT = 'It has one object for each player, such as {"rating": 1600}.';
    END IF;
    IF array_ndims(players) > 1 THEN
        RAISE array_subscript_error USING
            MESSAGE = format('array players must have one dimension, not %s', array_ndims(players));
    END IF;
    IF jsonb_array_length(states) <> cardinality(players) THEN
        RAISE array_subscript_error USING
            MESSAGE = format('array states has %s elements, not %s', jsonb_array_length(states), cardinality(players)),
            HINT = 'It has one element for each player.';
    END IF;
    IF array_position(players, NULL) IS NOT NULL THEN
        RAISE null_value_not_allowed USING
            MESSAGE = 'array players must not contain nulls';
    END IF;
    PERFORM skillrating_internal.check_imported(ladder, players::text[]);
    SELECT s.operation, s.players INTO operation, ratings
    FROM skillrating_internal.seed_players(ladder,
        format('SELECT CAST(s.player_id AS %s) AS player_id, s.state FROM skillrating_internal.state_rows(%L, $7, $8) AS s', t.player_type, ladder),
        pool, overwrite, at, '{"imported": true}', coalesce(reason, 'imported'), players::text[], states) AS s;
END
$function$;

COMMENT ON FUNCTION skillrating_internal.import_ratings(text,anycompatiblearray,jsonb,text,boolean,timestamp with time zone,text) IS
'The body of skillrating.import_ratings(), called once the door to the ladder is open.';

CREATE FUNCTION skillrating.import_ratings(ladder text, players anycompatiblearray, states jsonb, pool text DEFAULT ''::text, overwrite boolean DEFAULT false, at timestamp with time zone DEFAULT now(), reason text DEFAULT NULL::text, OUT operation bigint, OUT ratings bigint)
 RETURNS record
 LANGUAGE c
AS 'MODULE_PATHNAME', $function$skillrating_enter$function$;

COMMENT ON FUNCTION skillrating.import_ratings(text,anycompatiblearray,jsonb,text,boolean,timestamp with time zone,text) IS
'Starts players with ratings that another system has computed. states is a JSON array with one
object for each element of players, in the same order, such as {"mu": 27.1, "sigma": 3.2}; its keys
are state columns of the ladder''s model (see models()), in the model''s units, and columns that it
lacks have their initial values. Players who already have a rating in the pool keep it, so that a
repeated import changes nothing; with overwrite they take the imported one. All players are one
operation: undo_operation() takes it back, verify() replays it. It takes its place in the order:
matches before are rated without it, those after with it. Counts of games, wins and losses are those
of the rated matches, and begin at 0. Returns the number of the operation (null if nobody was
imported), and how many rows of rating it changed. Errors: 42704 for an unknown ladder, 22004 for
nulls, 2202E for arrays that do not fit, 22023 for a state column that the model lacks, a value that
is no number, or a player who is given twice or is merged into another, 22003 for a state out of
range, 22008 for an infinite time, 55000 for a time before the horizon.';

CREATE OR REPLACE FUNCTION skillrating_internal.set_leaderboard(ladder text, leaderboard text DEFAULT NULL::text)
 RETURNS text
 LANGUAGE plpgsql
 SET search_path TO 'pg_catalog', 'pg_temp'
AS $function$
DECLARE
    old record;
    chosen text;
BEGIN
    IF ladder IS NULL THEN
        RAISE null_value_not_allowed USING MESSAGE = 'ladder must not be null';
    END IF;
    PERFORM skillrating_internal.ladder_types(ladder);
    PERFORM skillrating_internal.check_leaderboard(leaderboard);
    EXECUTE format('SELECT l.* FROM %I.ladder AS l', ladder) INTO old;
    chosen := coalesce(leaderboard, old.leaderboard);
    IF chosen <> old.leaderboard THEN
        -- Who reads waits at the door, and is refused there if the snapshot is older: at a higher
        -- isolation level it would show the old choice with the new columns.
        PERFORM skillrating_internal.hold_tables(ladder, '{rating}');
        EXECUTE format('ALTER TABLE %I.ladder RESET (fillfactor)', ladder);
        IF to_regclass(format('%I.rating_pool_rating_player_id_idx', ladder)) IS NOT NULL THEN
            EXECUTE format('DROP INDEX %I.rating_pool_rating_player_id_idx', ladder);
        END IF;
        IF old.leaderboard = 'bands' THEN
            -- Its index goes with it.
            EXECUTE format('ALTER TABLE %I.rating DROP COLUMN band', ladder);
        END IF;
        IF chosen = 'bands' THEN
            EXECUTE format('ALTER TABLE %I.rating ADD COLUMN %s', ladder,
                ltrim(skillrating_internal.band_column(chosen, old.model, old.params), ', '));
        END IF;
        PERFORM skillrating_internal.create_leaderboard(ladder, chosen);
        EXECUTE format('UPDATE %I.ladder AS l SET leaderboard = $1', ladder) USING chosen;
    ELSE
        PERFORM skillrating_internal.hold_ladder(ladder, false);
    END IF;
    PERFORM skillrating_internal.rebuild_rating_counts(ladder);
    RETURN chosen;
END
$function$;

COMMENT ON FUNCTION skillrating_internal.set_leaderboard(text,text) IS
'The body of skillrating.set_leaderboard(), called once the door to the ladder is open.';

COMMENT ON FUNCTION skillrating.set_leaderboard(text,text) IS
'Changes what makes the boards of a ladder quick: ranks, bands or none, as create_ladder() takes it;
and counts the players by their ratings anew where that is ranks, also if it was before, or for
null, which leaves the choice as it is: after changes of table rating by hand, which verify() tells.
Rating waits meanwhile, and reading where the choice changes. Returns the choice. Errors: 42704 for
an unknown ladder, 22023 for another choice, 42501 unless the caller owns the ladder, 55P03 if
lock_timeout ends the wait for those who read.';

CREATE OR REPLACE FUNCTION skillrating_internal.fold_counts(ladder text)
 RETURNS bigint
 LANGUAGE plpgsql
 STRICT
 SET search_path TO 'pg_catalog', 'pg_temp'
AS $function$
BEGIN
    PERFORM skillrating_internal.ladder_types(ladder);
    IF current_setting('transaction_isolation') = 'serializable' THEN
        RAISE invalid_transaction_state USING
            MESSAGE = 'fold_counts() cannot run in a serializable transaction',
            DETAIL = 'Concurrent transactions that rate would fail.',
            HINT = format('Begin it with BEGIN ISOLATION LEVEL READ COMMITTED, or have work() do it: '
                'SELECT skillrating.schedule_work(%L, ''fold_counts'', ''1 minute'').', ladder);
    END IF;
    RETURN skillrating_internal.fold_rating_counts(ladder, false);
END
$function$;

COMMENT ON FUNCTION skillrating_internal.fold_counts(text) IS
'The body of skillrating.fold_counts(), called once the door to the ladder is open.';

COMMENT ON FUNCTION skillrating.fold_counts(text) IS
'Sums up what those who rate have noted of the counts that ranks come from, and returns how many
notes there were. They do so themselves now and then, but not in serializable transactions: where
all transactions are serializable, have work() do it, see schedule_work(). Does nothing, and returns
0, if another transaction is at it, or if the leaderboard is not "ranks". Nobody waits for it.
Errors: 42704 for an unknown ladder, 42501 unless the caller owns it, 25000 in a serializable
transaction, 40001 at REPEATABLE READ if others have done it since the snapshot.';

COMMENT ON FUNCTION skillrating_internal.solve_matches(text,text,jsonb,text,text,skillrating.context_estimate[],text[]) IS
'Solves the rated matches of a pool of a ladder, in rated order, as solve() does, beginning with the
estimates of the query start and with start_contexts (which may be null, and may lack players and
contexts); returns what solve_summary() does. The queries of write, if any, run in the end and read
the estimates as relation "solution". Without such matches there are no estimates. solve_ladder()
calls it. Errors: 42704 for an unknown ladder, 22004 for nulls elsewhere, and as solve().';

COMMENT ON FUNCTION skillrating_internal.solve_ladder(text,text,jsonb,text,boolean) IS
'The body of skillrating.solve_ladder(), called once the door to the ladder is open.';

COMMENT ON FUNCTION skillrating.solve_ladder(text,text,jsonb,text,boolean) IS
'Solves all rated matches of a pool of a ladder together, by a solver of solvers() with its
parameters, and keeps what comes out in the table solved of the ladder''s schema, in place of what
the same solver has left there for the pool; rows that are the same stay untouched. What contexts
are worth to side 1 is estimated with the skills by solvers that know contexts, where each match has
one for all, and kept in the table solved_context. Voided matches and those of excluded players do
not count, merged players are one, as in rating. With warm the search begins where the last one has
ended (not under through_time): the solution is the same to its last digits. Ratings are not
changed; new_season(..., toward => solver) can take them over. Returns the summary, in which matches
is 0 where none counts; a warning if the search has not converged. Errors: 42704 for an unknown
ladder, and as solve().';

COMMENT ON FUNCTION skillrating_internal.components(text,anycompatible,text,text,timestamp with time zone) IS
'The body of skillrating.components(), called once the door to the ladder is open.';

COMMENT ON FUNCTION skillrating.components(text,anycompatible,text,text,timestamp with time zone) IS
'What a ladder has learned of components: of home advantage, maps, clubs, players on a map, or
whatever its model has. A row for each that was in a rated match, of one player, kind or pool, or,
where these are null, of all, by kind, pool, key and player.

kind: one of the model''s kinds of components. key: the context or the club, null for a kind
without. player_id: whose it is, null for what is nobody''s.
mu, deviation: the mean, in units of the rating or of whatever the model says of the kind, and its
deviation, as of the time at, past or future, null for now. A component without a match by then has
no row. state: all state columns of the kind, mu among them.
games, last_played: in how many rated matches, and when in the last one.

An account that is merged counts as the player it is merged into. No rows under a model without
components. Errors: 42704 for an unknown ladder, 22008 for an infinite at, 55000 for one before the
horizon; 42501 for a time of the past unless the caller may read table component_event.';

COMMENT ON AGGREGATE skillrating_internal.last_division(rating double precision, cuts double precision[], margin double precision, promotion_margin double precision) IS
'The division that a player is in after all these ratings, given in order: the first one by the
cuts, each further one with the margins of division_number().';

CREATE OR REPLACE FUNCTION skillrating_internal.check_display(display jsonb)
 RETURNS void
 LANGUAGE plpgsql
 IMMUTABLE STRICT
 SET search_path TO 'pg_catalog', 'pg_temp'
AS $function$
DECLARE
    numbers constant text[] := '{placement_games,factor,shift,floor,levels,low,high,margin,promotion_margin}';
    wrong text;
BEGIN
    IF jsonb_typeof(display) <> 'object' THEN
        RAISE invalid_parameter_value USING
            MESSAGE = format('display must be an object, not %s', display),
            HINT = 'As in {"levels": 50, "low": 0, "high": 50, "placement_games": 10}.';
    END IF;
    SELECT k INTO wrong FROM jsonb_object_keys(display) AS k
    WHERE NOT k = ANY (numbers || '{cuts,labels}'::text[]) LIMIT 1;
    IF wrong IS NOT NULL THEN
        RAISE invalid_parameter_value USING
            MESSAGE = format('invalid key "%s" in display', wrong),
            HINT = format('Valid keys are %s, cuts and labels.', array_to_string(numbers, ', '));
    END IF;
    SELECT k INTO wrong FROM jsonb_object_keys(display) AS k
    WHERE jsonb_typeof(display->k) <> CASE WHEN k = ANY (numbers) THEN 'number' ELSE 'array' END
        OR k = 'cuts' AND jsonb_path_exists(display, '$.cuts[*] ? (@.type() != "number")')
        OR k = 'labels' AND jsonb_path_exists(display, '$.labels[*] ? (@.type() != "string")') LIMIT 1;
    IF wrong IS NOT NULL THEN
        RAISE invalid_parameter_value USING
            MESSAGE = CASE wrong
                WHEN 'cuts' THEN format('cuts in display must be an array of numbers, not %s', display->wrong)
                WHEN 'labels' THEN format('labels in display must be an array of texts, not %s', display->wrong)
                ELSE format('%s in display must be a number, not %s', wrong, display->wrong) END;
    END IF;
    PERFORM skillrating_internal.check_display_number(n.key, n.number)
    FROM (
        SELECT k, display->>k FROM unnest(numbers) AS k
        UNION ALL
        SELECT 'cuts', c FROM jsonb_array_elements_text(coalesce(display->'cuts', '[]')) AS c
    ) AS n(key, number);
    SELECT k INTO wrong FROM unnest('{placement_games,levels}'::text[]) AS k
    WHERE (display->>k)::numeric <> trunc((display->>k)::numeric)
        OR NOT (display->>k)::numeric BETWEEN CASE k WHEN 'levels' THEN 2 ELSE 0 END
            AND CASE k WHEN 'levels' THEN 1000 ELSE 1000000 END LIMIT 1;
    IF wrong IS NOT NULL THEN
        RAISE numeric_value_out_of_range USING
            MESSAGE = CASE wrong
                WHEN 'levels' THEN format('levels in display must be an integer from 2 to 1000, not %s', display->wrong)
                ELSE format('%s in display must be an integer from 0 to 1000000, not %s', wrong, display->wrong) END;
    END IF;
    IF (display->>'factor')::numeric <= 0 THEN
        RAISE numeric_value_out_of_range USING
            MESSAGE = format('factor in display must be positive, not %s', display->'factor');
    END IF;
    IF display ? 'levels' AND NOT coalesce((display->>'low')::numeric < (display->>'high')::numeric, false)
        OR NOT display ? 'levels' AND display ?| '{low,high}' THEN
        RAISE invalid_parameter_value USING
            MESSAGE = 'levels in display takes low and high, with low below high',
            HINT = 'The levels divide the ratings between them evenly.';
    END IF;
    IF display ? 'cuts' <> (display ? 'labels')
        OR jsonb_array_length(display->'labels') <> jsonb_array_length(display->'cuts') + 1 THEN
        RAISE invalid_parameter_value USING
            MESSAGE = 'cuts in display takes labels, one more than there are cuts';
    END IF;
    -- Ascending cuts and margins that are not negative, also where the board is empty.
    PERFORM skillrating.division_number(0,
        ARRAY(SELECT c::float8 FROM jsonb_array_elements_text(coalesce(display->'cuts', '[]')) AS c),
        0, coalesce((display->>'margin')::float8, 0), coalesce((display->>'promotion_margin')::float8, 0));
END
$function$;

COMMENT ON FUNCTION skillrating_internal.history(text,anycompatible,integer,text,timestamp with time zone,timestamp with time zone) IS
'The body of skillrating.history(), called once the door to the ladder is open.';

COMMENT ON FUNCTION skillrating_internal.rating_at(text,anycompatible,timestamp with time zone,text) IS
'The body of skillrating.rating_at(), called once the door to the ladder is open.';

COMMENT ON FUNCTION skillrating_internal.match_rows(text,text,bigint) IS
'A part of match_journal(): the participants of a match as its source has it now, each with the
event of the match, which has that place; and events of players who are not in it any more, without
an account.';

COMMENT ON FUNCTION skillrating_internal.match_journal(text,anycompatible) IS
'The body of skillrating.match_journal(), called once the door to the ladder is open.';

COMMENT ON FUNCTION skillrating.match_journal(text,anycompatible) IS
'All that is known of one match: a row for each account that takes part, by team and player; one
without a player if its rows are gone or cannot be read.
status, reason, detail: rated, unrated or void, null if it was not looked at yet; and why it does
not count, as why_unrated() has it.
seq: its place in the order.
player_id, account: whom the result counts for, and the account in the source, which differs if it
is merged into another; null if the source has the player no more.
team, rank, weight: the team on which most was played, its rank (1 is best) and the share of the
match played, as rating takes them from the source now; rank and weight are null where its rows make
no match.
win_probability, score: the forecast before, and what came of it (1 won, 0.5 drew, 0 lost).
rating_before to state_after: what it did to the player: the displayed rating, and all state columns
of the model by their names. Null for a match that does not count, as is the forecast.
operations: those in force that concern the account in this match (merge, exclude and refund), an
array of objects with operation, kind, player_id, into_id, reason, made_by and made_at.
rated_at, corrections: when it was last decided on, and how often catch_up() has changed that.
waiting: corrections that wait for catch_up() and may change it, an array of objects with kind,
noticed_at and own (of this match, or else of what lies before it).
Errors: 42704 for an unknown ladder, or a match that neither the ladder nor its source knows.';

COMMENT ON FUNCTION skillrating_internal.past_board(text,text,timestamp with time zone,text,bigint) IS
'A part of board(): a query for rows as rating has them, in a pool at a finite time, of the players
r whom a condition names: after the last event up to that time, in rated order, and idle time
since, of which a reset starts anew. Players without an event by then are not in it. Events up to
the place last have no say, as the caller knows. Error 55000 for a time before the horizon.';

COMMENT ON FUNCTION skillrating_internal.board(text,text,timestamp with time zone,text) IS
'A part of leaderboard() and its like: what follows WITH board AS, the rows of rating of the players
r whom a condition names, or those that it had in a pool at a time. Null for a null ladder or pool.
Errors: 22008 for an infinite time, 42501 unless the caller may read table event too where a time is
given.';

CREATE FUNCTION skillrating_internal.check_min_games(min_games bigint)
 RETURNS void
 LANGUAGE plpgsql
 IMMUTABLE PARALLEL SAFE STRICT
 SET search_path TO 'pg_catalog', 'pg_temp'
AS $function$
BEGIN
    IF min_games < 0 THEN
        RAISE invalid_parameter_value USING
            MESSAGE = format('min_games must not be negative, not %s', min_games);
    END IF;
END
$function$;

COMMENT ON FUNCTION skillrating_internal.check_min_games(bigint) IS
'A part of the functions that take the least number of rated matches of players to show: error 22023
for a negative one.';

CREATE OR REPLACE FUNCTION skillrating_internal.leaderboard(ladder text, n integer DEFAULT 10, pool text DEFAULT ''::text, min_games bigint DEFAULT 1, after_player anycompatible DEFAULT NULL::unknown, active_since timestamp with time zone DEFAULT NULL::timestamp with time zone, max_deviation double precision DEFAULT NULL::double precision, at timestamp with time zone DEFAULT NULL::timestamp with time zone, display jsonb DEFAULT NULL::jsonb, statistics jsonb DEFAULT NULL::jsonb)
 RETURNS SETOF skillrating.ranked_player
 LANGUAGE plpgsql
 STABLE
 SET search_path TO 'pg_catalog', 'pg_temp'
AS $function$
DECLARE
    t record := skillrating_internal.ladder_types(ladder);
    board text := skillrating_internal.board(ladder, pool, at);
    shown text := skillrating_internal.display_query(ladder, display, at);
    eligible text := skillrating_internal.eligible_players(ladder, min_games, max_deviation);
    has_ranks boolean := skillrating_internal.has_ranks(ladder, at, max_deviation);
    band_order text := skillrating_internal.band_order(ladder, at);
    ranked boolean := has_ranks AND min_games = 1 AND active_since IS NULL;
    statistics_columns text := 'NULL::boolean, NULL::boolean, NULL::float8, NULL::timestamptz, NULL::integer, NULL::float8, NULL::float8';
    page text := '';
    place text;
    further text := '';
    above bigint := 0;
    at_least bigint := 0;
    after text;
    after_rating float8;
    active text[];
BEGIN
    IF ladder IS NULL OR n IS NULL OR pool IS NULL OR min_games IS NULL THEN
        RAISE null_value_not_allowed USING
            MESSAGE = 'ladder, n, pool and min_games must not be null';
    END IF;
    IF n < 0 THEN
        RAISE invalid_parameter_value USING
            MESSAGE = format('n must not be negative, not %s', n);
    END IF;
    IF after_player IS NOT NULL THEN
        -- The page before may have ended with a row of an account that is merged.
        FOREACH after IN ARRAY ARRAY[after_player::text, skillrating_internal.counted_player(ladder, after_player::text)] LOOP
            EXECUTE format('WITH board AS %s SELECT r.rating FROM board AS r WHERE r.player_id %s CAST($1 AS %s) AND r.pool = $2', board, t.player_equals, t.player_type)
            INTO after_rating USING after, pool;
            EXIT WHEN after_rating IS NOT NULL;
        END LOOP;
        IF after_rating IS NULL THEN
            RAISE undefined_object USING
                MESSAGE = format('ladder "%s" has no player %s in pool "%s"', ladder, after_player, pool);
        END IF;
        EXECUTE format('WITH board AS %s SELECT c.above, c.at_least FROM (%s) AS c', board,
            skillrating_internal.counts_query(ladder, ranked, band_order <> '', eligible, '$6'))
        INTO above, at_least USING pool, min_games, active_since, max_deviation, n, after_rating;
        -- Each part in the order of an index, however many share the rating.
        page := format('(SELECT r.* FROM board AS r WHERE %s AND r.rating = $6%s AND CAST($7 AS %s) %s r.player_id ORDER BY r.player_id LIMIT $5) UNION ALL ',
            eligible, CASE WHEN band_order <> '' THEN ' AND r.band = skillrating_internal.rating_band($6)' ELSE '' END,
            t.player_type, t.player_less);
        further := ' AND r.rating < $6' || CASE WHEN band_order <> '' THEN ' AND r.band <= skillrating_internal.rating_band($6)' ELSE '' END;
    END IF;
    IF has_ranks AND isfinite(active_since) AND NOT skillrating_internal.has_time_index(ladder) THEN
        active := skillrating_internal.active_players(ladder, pool, active_since, min_games, after_rating, n);
        further := further || format(' AND r.player_id %s ANY (CAST($10 AS %s[]))', t.player_equals, t.player_type);
    END IF;
    page := format('(SELECT r.* FROM (%s(SELECT r.* FROM board AS r WHERE %s%s ORDER BY %sr.rating DESC, r.player_id LIMIT $5)) AS r ORDER BY r.rating DESC, r.player_id LIMIT $5) AS r',
        page, eligible, further, band_order);
    place := 'CASE WHEN r.rating = $6 THEN 1 + $8 ELSE $9 + rank() OVER (PARTITION BY r.rating = $6 ORDER BY r.rating DESC) END';
    IF statistics IS NOT NULL THEN
        page := format('(SELECT r.*, %s AS place FROM %s) AS r %s', place, page,
            skillrating_internal.statistics_join(ladder, statistics, display, at, eligible, ranked));
        place := 'r.place';
        statistics_columns := 's.provisional, s.inactive, s.peak, s.peak_at, s.streak, s.last_change, s.percentile';
    END IF;
    RETURN QUERY EXECUTE format(
        'WITH board AS %s
        SELECT %s, r.player_id::text, r.rating, r.games, r.wins, r.draws, r.losses, r.last_played,
            d.shown, d.level, d.division, d.placement_left, %s
        FROM %s CROSS JOIN LATERAL (%s) AS d
        ORDER BY r.rating DESC, r.player_id', board, place, statistics_columns, page, shown)
    USING pool, min_games, active_since, max_deviation, n, after_rating, after, above, at_least, active;
END
$function$;

COMMENT ON FUNCTION skillrating_internal.leaderboard(text,integer,text,bigint,anycompatible,timestamp with time zone,double precision,timestamp with time zone,jsonb,jsonb) IS
'The body of skillrating.leaderboard(), called once the door to the ladder is open.';

COMMENT ON FUNCTION skillrating.leaderboard(text,integer,text,bigint,anycompatible,timestamp with time zone,double precision,timestamp with time zone,jsonb,jsonb) IS
'The n players with the highest displayed rating in a pool, among those with at least min_games
rated matches, the last one not before active_since, and a deviation of no more than max_deviation;
equal ratings share a place. after_player is the last player of the page before; an account that was
merged meanwhile, and has no row any more, stands for the player it is merged into.

Without at, ratings and deviations are those that are stored: each player''s as of the last match
or operation, such as settle(). They are read through an index, without sorting the table. With at
they are those of that time, past or future, from the events up to then in rated order and idle
time since, and so are games, wins, draws, losses and last_played. That computes all players of the
pool, and takes SELECT on event too. 
display: what to show in the place of ratings, an object of: placement_games (10 by default), during
which there is nothing to show; factor, shift and floor of the rating to show (see
display_rating()); levels, between the ratings low and high, where the first begins and the last
ends; cuts and labels of divisions (see division()); margin and promotion_margin, in the unit of
rating, by which a player has to be below or above a border to go down or up, counted from the end
of placement on. With margins it takes SELECT on event, too.
statistics: an object, {} for all, which fills the last columns of the result: columns, an array of
those wanted of provisional, inactive, peak (with peak_at), streak, last_change and percentile;
provisional_games and provisional_deviation, fewer and above which a rating is provisional; and
inactive_after, an interval as text (30 days by default). Peak, streak and last change take SELECT
on event, too.
Errors: 42704 for an unknown ladder or player, 22023 for a negative n or min_games or a
max_deviation under a model that has none, 22008 for an infinite at, 22023 and 22003 for a display
or statistics that are wrong, 22007 for an interval that is none.';

CREATE FUNCTION skillrating_internal.eligible_players(ladder text, min_games bigint, max_deviation double precision)
 RETURNS text
 LANGUAGE plpgsql
 STABLE
 SET search_path TO 'pg_catalog', 'pg_temp'
AS $function$
DECLARE
    deviation_column text;
    model_name text;
BEGIN
    IF ladder IS NULL THEN
        RETURN NULL;
    END IF;
    PERFORM skillrating_internal.ladder_types(ladder);
    PERFORM skillrating_internal.check_min_games(min_games);
    IF max_deviation IS NULL THEN
        RETURN 'r.pool = $1 AND r.games >= $2 AND ($3 IS NULL OR r.last_played >= $3) AND $4 IS NULL';
    END IF;
    EXECUTE format('SELECT m.name, m.deviation_column FROM skillrating.models() AS m JOIN %I.ladder AS l ON l.model = m.name', ladder)
    INTO model_name, deviation_column;
    IF deviation_column IS NULL THEN
        RAISE invalid_parameter_value USING
            MESSAGE = format('model "%s" of ladder "%s" has no deviation', model_name, ladder);
    END IF;
    RETURN format('r.pool = $1 AND r.games >= $2 AND ($3 IS NULL OR r.last_played >= $3) AND r.%I <= $4', deviation_column);
END
$function$;

COMMENT ON FUNCTION skillrating_internal.eligible_players(text,bigint,double precision) IS
'A part of leaderboard() and its like: the condition on rows r of rating for pool $1, min_games $2,
active_since $3 and max_deviation $4. Error 22023 for a negative min_games, or a max_deviation under
a model that has none.';

CREATE OR REPLACE FUNCTION skillrating_internal.place_of(ladder text, player_id anycompatible, pool text DEFAULT ''::text, min_games bigint DEFAULT 1, active_since timestamp with time zone DEFAULT NULL::timestamp with time zone, max_deviation double precision DEFAULT NULL::double precision, at timestamp with time zone DEFAULT NULL::timestamp with time zone)
 RETURNS bigint
 LANGUAGE plpgsql
 STABLE
 SET search_path TO 'pg_catalog', 'pg_temp'
AS $function$
DECLARE
    t record := skillrating_internal.ladder_types(ladder);
    board text := skillrating_internal.board(ladder, pool, at);
    eligible text := skillrating_internal.eligible_players(ladder, min_games, max_deviation);
    player text := skillrating_internal.counted_player(ladder, player_id::text);
    ranked boolean := skillrating_internal.has_ranks(ladder, at, max_deviation) AND min_games = 1 AND active_since IS NULL;
    player_rating float8;
    place bigint;
BEGIN
    EXECUTE format('WITH board AS %s SELECT r.rating FROM board AS r WHERE %s AND r.player_id %s CAST($5 AS %s)', board, eligible, t.player_equals, t.player_type)
    INTO player_rating USING pool, min_games, active_since, max_deviation, player;
    IF player_rating IS NULL THEN
        RETURN NULL;
    END IF;
    EXECUTE format('WITH board AS %s SELECT 1 + c.above FROM (%s) AS c', board,
        skillrating_internal.counts_query(ladder, ranked, skillrating_internal.band_order(ladder, at) <> '', eligible, '$5'))
    INTO place USING pool, min_games, active_since, max_deviation, player_rating;
    RETURN place;
END
$function$;

COMMENT ON FUNCTION skillrating_internal.place_of(text,anycompatible,text,bigint,timestamp with time zone,double precision,timestamp with time zone) IS
'The body of skillrating.place_of(), called once the door to the ladder is open.';

CREATE OR REPLACE FUNCTION skillrating_internal.percentile_of(ladder text, player_id anycompatible, pool text DEFAULT ''::text, min_games bigint DEFAULT 1, active_since timestamp with time zone DEFAULT NULL::timestamp with time zone, max_deviation double precision DEFAULT NULL::double precision, at timestamp with time zone DEFAULT NULL::timestamp with time zone)
 RETURNS double precision
 LANGUAGE plpgsql
 STABLE
 SET search_path TO 'pg_catalog', 'pg_temp'
AS $function$
DECLARE
    t record := skillrating_internal.ladder_types(ladder);
    board text := skillrating_internal.board(ladder, pool, at);
    eligible text := skillrating_internal.eligible_players(ladder, min_games, max_deviation);
    player text := skillrating_internal.counted_player(ladder, player_id::text);
    ranked boolean := skillrating_internal.has_ranks(ladder, at, max_deviation) AND min_games = 1 AND active_since IS NULL;
    player_rating float8;
    percentile float8;
BEGIN
    EXECUTE format('WITH board AS %s SELECT r.rating FROM board AS r WHERE %s AND r.player_id %s CAST($5 AS %s)', board, eligible, t.player_equals, t.player_type)
    INTO player_rating USING pool, min_games, active_since, max_deviation, player;
    IF player_rating IS NULL THEN
        RETURN NULL;
    END IF;
    EXECUTE format(
        'WITH board AS %s
        SELECT 100 * (c.total - c.at_least + (c.at_least - c.above - 1) / 2.0) / nullif(c.total - 1, 0)
        FROM (%s) AS c', board,
        skillrating_internal.counts_query(ladder, ranked, skillrating_internal.band_order(ladder, at) <> '', eligible, '$5'))
    INTO percentile USING pool, min_games, active_since, max_deviation, player_rating;
    RETURN percentile;
END
$function$;

COMMENT ON FUNCTION skillrating_internal.percentile_of(text,anycompatible,text,bigint,timestamp with time zone,double precision,timestamp with time zone) IS
'The body of skillrating.percentile_of(), called once the door to the ladder is open.';

COMMENT ON FUNCTION skillrating_internal.near_query(text,text,boolean) IS
'A part of around(): the query, below WITH board AS, of player $6, rated $5, with $7 players above
and $7 below, by the condition of the board, which may have bands. Error 55000 unless the door to
the ladder is open.';

CREATE OR REPLACE FUNCTION skillrating_internal.around(ladder text, player_id anycompatible, n integer DEFAULT 2, pool text DEFAULT ''::text, min_games bigint DEFAULT 1, active_since timestamp with time zone DEFAULT NULL::timestamp with time zone, max_deviation double precision DEFAULT NULL::double precision, at timestamp with time zone DEFAULT NULL::timestamp with time zone, display jsonb DEFAULT NULL::jsonb, statistics jsonb DEFAULT NULL::jsonb)
 RETURNS SETOF skillrating.ranked_player
 LANGUAGE plpgsql
 STABLE
 SET search_path TO 'pg_catalog', 'pg_temp'
AS $function$
DECLARE
    t record := skillrating_internal.ladder_types(ladder);
    board text := skillrating_internal.board(ladder, pool, at);
    shown text := skillrating_internal.display_query(ladder, display, at);
    eligible text := skillrating_internal.eligible_players(ladder, min_games, max_deviation);
    statistics_columns text := 'NULL::boolean, NULL::boolean, NULL::float8, NULL::timestamptz, NULL::integer, NULL::float8, NULL::float8';
    statistics_join text := '';
    player text := skillrating_internal.counted_player(ladder, player_id::text);
    band_order text := skillrating_internal.band_order(ladder, at);
    ranked boolean := skillrating_internal.has_ranks(ladder, at, max_deviation) AND min_games = 1 AND active_since IS NULL;
    player_rating float8;
BEGIN
    IF n IS NULL OR n < 0 THEN
        RAISE invalid_parameter_value USING
            MESSAGE = format('n must not be negative or null, not %s', n);
    END IF;
    EXECUTE format('WITH board AS %s SELECT r.rating FROM board AS r WHERE %s AND r.player_id %s CAST($5 AS %s)', board, eligible, t.player_equals, t.player_type)
    INTO player_rating USING pool, min_games, active_since, max_deviation, player;
    IF player_rating IS NULL THEN
        RETURN;
    END IF;
    IF statistics IS NOT NULL THEN
        statistics_columns := 's.provisional, s.inactive, s.peak, s.peak_at, s.streak, s.last_change, s.percentile';
        statistics_join := skillrating_internal.statistics_join(ladder, statistics, display, at, eligible, ranked);
    END IF;
    RETURN QUERY EXECUTE format(
        'WITH board AS %1$s, near AS (%2$s), top AS (SELECT c.* FROM (SELECT max(n.rating) AS rating FROM near AS n) AS t CROSS JOIN LATERAL (
            SELECT t.rating, c.* FROM (%3$s) AS c) AS c)
        SELECT r.place, r.player_id::text, r.rating, r.games, r.wins, r.draws, r.losses, r.last_played,
            d.shown, d.level, d.division, d.placement_left, %5$s
        -- Not all of those who share the first place here need be near.
        FROM (SELECT n.*, CASE WHEN n.rating = t.rating THEN 1 + t.above
                  ELSE t.at_least + rank() OVER (PARTITION BY n.rating = t.rating ORDER BY n.rating DESC) END AS place
              FROM near AS n CROSS JOIN top AS t) AS r
        CROSS JOIN LATERAL (%4$s) AS d %6$s
        ORDER BY r.rating DESC, r.player_id', board,
        skillrating_internal.near_query(ladder, eligible, band_order <> ''),
        skillrating_internal.counts_query(ladder, ranked, band_order <> '', eligible, 't.rating'), shown,
        statistics_columns, statistics_join)
    USING pool, min_games, active_since, max_deviation, player_rating, player, n;
END
$function$;

COMMENT ON FUNCTION skillrating_internal.around(text,anycompatible,integer,text,bigint,timestamp with time zone,double precision,timestamp with time zone,jsonb,jsonb) IS
'The body of skillrating.around(), called once the door to the ladder is open.';

COMMENT ON FUNCTION skillrating_internal.win_probability(text,anycompatiblearray,integer[],double precision[],double precision[],double precision[],double precision[],integer[],bigint[],text,double precision,timestamp with time zone,text[],text[]) IS
'The body of skillrating.win_probability(), called once the door to the ladder is open.';

COMMENT ON FUNCTION skillrating.win_probability(text,anycompatiblearray,integer[],double precision[],double precision[],double precision[],double precision[],integer[],bigint[],text,double precision,timestamp with time zone,text[],text[]) IS
'The probability that each team of a match at a time wins, a draw counted half, and that of a draw
of two teams, where the model has one; a part of preview(), with the same arguments but for gains,
which change no prediction, and the same errors.';

COMMENT ON FUNCTION skillrating_internal.player_status(text,text,timestamp with time zone,integer,integer,anycompatible) IS
'The body of skillrating.player_status(), called once the door to the ladder is open.';

COMMENT ON FUNCTION skillrating.player_status(text,text,timestamp with time zone,integer,integer,anycompatible) IS
'Which ratings of a pool to show, of all players or of one: status is ''shadow'' for players with
fewer than shadow_games matches (by default the parameter shadow_games of the model, or else 10),
''stale'' for those who have not played for stale_days days, else ''visible'' (the rule of SynElo).
Without at the ratings are those that are stored, and days are counted to now; with at all is as of
that time, as in leaderboard(), and takes SELECT on event too. Errors: 42704 for an unknown ladder,
22008 for an infinite at.';

CREATE OR REPLACE FUNCTION skillrating_internal.surprising_players(ladder text, pool text DEFAULT ''::text, since timestamp with time zone DEFAULT '-infinity'::timestamp with time zone, min_games bigint DEFAULT 5, OUT player_id text, OUT games bigint, OUT expected double precision, OUT scored double precision, OUT mean_surprise double precision, OUT surprise double precision)
 RETURNS SETOF record
 LANGUAGE plpgsql
 STABLE STRICT
 SET search_path TO 'pg_catalog', 'pg_temp'
AS $function$
BEGIN
    PERFORM skillrating_internal.ladder_types(ladder);
    PERFORM skillrating_internal.check_min_games(min_games);
    RETURN QUERY EXECUTE format(
        'SELECT s.player_id::text, s.games, s.expected, s.scored, s.surplus / s.games,
            s.surplus / nullif(sqrt(s.variance), 0)
        FROM (
            SELECT e.player_id, count(*) AS games, sum(e.win_probability) AS expected,
                sum(e.score) AS scored, sum(e.score - e.win_probability) AS surplus,
                sum(e.win_probability * (1 - e.win_probability)) AS variance
            FROM %I.event AS e
            WHERE e.kind = ''match'' AND e.pool = $1 AND e.played_at >= $2
            GROUP BY e.player_id
            HAVING count(*) >= $3) AS s
        ORDER BY 6 DESC NULLS LAST, 1', ladder)
    USING pool, since, min_games;
END
$function$;

COMMENT ON FUNCTION skillrating_internal.surprising_players(text,text,timestamp with time zone,bigint) IS
'The body of skillrating.surprising_players(), called once the door to the ladder is open.';

COMMENT ON FUNCTION skillrating.surprising_players(text,text,timestamp with time zone,bigint) IS
'Who scores more than predicted, such as good players under a new account: for each player of a pool
with at least min_games matches since then, games, the wins expected and scored (a draw counts
half), mean_surprise, the mean of score less prediction, and surprise, its z score, as the aggregate
surprise() has it. A surprise beyond 3 is worth a look, and one far below 0 is that of a player who
loses on purpose. Draws make it a little too small. Errors: 42704 for an unknown ladder,
22023 for a negative min_games.';

COMMENT ON FUNCTION skillrating_internal.pool_quality(text,text,interval,timestamp with time zone,integer) IS
'The body of skillrating.pool_quality(), called once the door to the ladder is open.';

COMMENT ON FUNCTION skillrating.pool_quality(text,text,interval,timestamp with time zone,integer) IS
'How a pool fares over time, a row a period: matches; Brier score and log loss of their predictions,
one a match (0.25 and 0.693 are those of a coin); the z score of the Brier score against what the
predictions p expect of themselves, the sum of (1 - 2p)(score - p) over the root of the sum of its
squares (beyond 2: overconfident; below -2: too timid); the players active in it, the mean of their
displayed ratings after their last match (that rises: inflation) and their spread, a standard
deviation; and the share of them that is settled: a deviation below half of the initial one, or,
under models without, at least settled_games matches. step is whole months of the calendar, such as
1 month, 3 months or 1 year, or days and less, counted from Monday, 1 January 2001. Errors: 42704
for an unknown ladder, 22023 for a step that is not positive, or of months and days.';

CREATE OR REPLACE FUNCTION skillrating_internal.seasons(ladder text, pool text DEFAULT ''::text, OUT season text, OUT operation bigint, OUT began_at timestamp with time zone, OUT ended_at timestamp with time zone, OUT running boolean, OUT matches bigint, OUT players bigint)
 RETURNS SETOF record
 LANGUAGE plpgsql
 STABLE STRICT ROWS 10
 SET search_path TO 'pg_catalog', 'pg_temp'
AS $function$
DECLARE
    horizon bigint;
BEGIN
    PERFORM skillrating_internal.ladder_types(ladder);
    EXECUTE format('SELECT l.horizon FROM %I.ladder AS l', ladder) INTO horizon;
    RETURN QUERY EXECUTE format(
        'SELECT s.name, s.operation, s.at, s.next_at, s.next_seq IS NULL, m.matches, m.players
        FROM (
            SELECT o.*, lead(o.at) OVER (ORDER BY o.seq) AS next_at, lead(o.seq) OVER (ORDER BY o.seq) AS next_seq
            FROM (
                SELECT o.params->>''name'' AS name, o.operation, o.at, o.seq FROM %1$I.operation AS o
                WHERE o.kind = ''season'' AND o.undone_at IS NULL AND (o.pool IS NULL OR o.pool = $1)
                UNION ALL
                SELECT '''', NULL, NULL, 0) AS o) AS s
        CROSS JOIN LATERAL (
            SELECT count(DISTINCT e.seq) + coalesce(sum(e.matches), 0)::bigint AS matches,
                count(DISTINCT e.player_id) AS players
            FROM (
                SELECT e.player_id, e.seq, NULL::bigint AS matches FROM %1$I.event AS e
                WHERE e.kind = ''match'' AND e.pool = $1 AND e.seq > greatest(s.seq, $2)
                    AND (s.next_seq IS NULL OR e.seq < s.next_seq)%2$s) AS e) AS m
        ORDER BY s.seq', ladder,
        CASE WHEN horizon IS NOT NULL THEN format(
            ' UNION ALL SELECT k.player_id, NULL, k.matches FROM %I.season_horizon AS k
            WHERE k.began = s.seq AND k.pool = $1 AND k.games > 0', ladder) ELSE '' END)
    USING pool, horizon;
END
$function$;

COMMENT ON FUNCTION skillrating_internal.seasons(text,text) IS
'The body of skillrating.seasons(), called once the door to the ladder is open.';

CREATE OR REPLACE FUNCTION skillrating_internal.season_players(ladder text, bounds record, pool text, min_games bigint, quick boolean)
 RETURNS text
 LANGUAGE plpgsql
 STABLE
 SET search_path TO 'pg_catalog', 'pg_temp'
AS $function$
DECLARE
    t record := skillrating_internal.ladder_types(ladder);
    l record;
    kept record;
    matches text;
BEGIN
    IF bounds.next_seq IS NOT NULL AND min_games > 0 THEN
        RETURN format(
            'SELECT s.player_id, s.rating FROM %I.standing AS s
            WHERE s.operation = %L::bigint AND s.pool = $3%s', ladder, bounds.operation,
            CASE WHEN min_games > 1 THEN ' AND s.games >= $4' ELSE '' END);
    END IF;
    EXECUTE format('SELECT l.* FROM %I.ladder AS l', ladder) INTO l;
    kept := skillrating_internal.kept_season(ladder, bounds.first_seq);
    matches := format(
        'FROM %I.event AS m WHERE m.pool = $3 AND m.kind = ''match''
            AND m.seq > %s AND ($2::bigint IS NULL OR m.seq < $2)', ladder, kept.behind);
    RETURN format('SELECT r.player_id, r.rating FROM %s WHERE %s',
        -- The season that followed has an event for every player, with the state that it found.
        CASE WHEN bounds.next_seq IS NULL
            THEN format('(SELECT r.player_id, r.rating FROM %I.rating AS r WHERE r.pool = $3) AS r', ladder)
            WHEN bounds.next_seq <= l.horizon THEN format(
                '(SELECT k.player_id, k.rating_before AS rating FROM %I.season_horizon AS k
                WHERE k.began = $2 AND k.pool = $3 AND k.rating_before IS NOT NULL) AS r', ladder)
            ELSE format(
                '(SELECT e.player_id, %s AS rating FROM %I.event AS e
                WHERE e.kind = ''season'' AND e.seq = $2 AND e.pool = $3) AS r',
                skillrating_internal.display_columns(l.model, l.params, 'e.', '_before'), ladder) END,
        CASE WHEN min_games <= 0 THEN 'true'
            WHEN quick THEN format(
                '(SELECT count(*) FROM (
                    SELECT %s AND m.player_id %s r.player_id LIMIT $4) AS m)%s >= $4%s', matches,
                t.player_equals,
                ' + coalesce((SELECT k.games FROM ' || kept.players
                    || format(' AND k.player_id %s r.player_id), 0)', t.player_equals),
                CASE WHEN kept.players IS NULL THEN
                    skillrating_internal.new_season_players(ladder, bounds.first_seq, pool) END)
            ELSE format(
                'r.player_id IN (
                    SELECT m.player_id FROM (
                        SELECT m.player_id, count(*) AS games %s GROUP BY m.player_id%s) AS m
                    GROUP BY m.player_id HAVING sum(m.games) >= $4)', matches,
                ' UNION ALL SELECT k.player_id, k.games FROM ' || kept.players) END);
END
$function$;

COMMENT ON FUNCTION skillrating_internal.season_end_rating(text,record,text,text) IS
'A part of season_table() and season_place_of(): the rating of a player at the end of a season, or
now if it is running; null for a player who had none. Error 55000 unless the door to the ladder is
open.';

CREATE OR REPLACE FUNCTION skillrating_internal.season_place_of(ladder text, player_id anycompatible, season text DEFAULT NULL::text, pool text DEFAULT ''::text, min_games bigint DEFAULT 1)
 RETURNS bigint
 LANGUAGE plpgsql
 STABLE
 SET search_path TO 'pg_catalog', 'pg_temp'
AS $function$
DECLARE
    t record := skillrating_internal.ladder_types(ladder);
    bounds record := skillrating_internal.season_bounds(ladder, season, pool);
    player text := skillrating_internal.counted_player(ladder, player_id::text);
    rating float8;
BEGIN
    IF ladder IS NULL OR pool IS NULL OR min_games IS NULL THEN
        RAISE null_value_not_allowed USING
            MESSAGE = 'ladder, pool and min_games must not be null';
    END IF;
    PERFORM skillrating_internal.check_min_games(min_games);
    rating := skillrating_internal.season_end_rating(ladder, bounds, pool, player);
    EXECUTE format(
        'SELECT q.rating FROM (%s) AS q WHERE q.player_id %s CAST($5 AS %s) AND q.rating = $6',
        skillrating_internal.season_players(ladder, bounds, pool, min_games, true),
        t.player_equals, t.player_type)
    INTO rating USING bounds.first_seq, bounds.next_seq, pool, min_games, player, rating;
    RETURN 1 + (SELECT c.above FROM skillrating_internal.season_counts(ladder, bounds, pool,
        min_games, rating) AS c WHERE rating IS NOT NULL);
END
$function$;

COMMENT ON FUNCTION skillrating_internal.season_place_of(text,anycompatible,text,text,bigint) IS
'The body of skillrating.season_place_of(), called once the door to the ladder is open.';

COMMENT ON FUNCTION skillrating.season_place_of(text,anycompatible,text,text,bigint) IS
'The place of a player in the table of a season, as season_table() has it, 1 is first and equal
ratings share a place; null for a player who is not in it. An account that is merged counts as the
player it is merged into. season is the name that new_season() gave it, the empty name for the time
before the first season, or null for the running one. Of a season that has ended, and with min_games
1, the place comes from counts, otherwise those above are counted. Errors: 42704 for an unknown
ladder or season, 22004 for a null ladder, pool or min_games, 22023 for a negative min_games.';

CREATE FUNCTION skillrating_internal.season_details(ladder text, bounds record)
 RETURNS text
 LANGUAGE plpgsql
 STABLE
 SET search_path TO 'pg_catalog', 'pg_temp'
AS $function$
DECLARE
    t record := skillrating_internal.ladder_types(ladder);
    s record := skillrating_internal.state_expressions(ladder);
    kept record := skillrating_internal.kept_season(ladder, bounds.first_seq);
BEGIN
    RETURN format(
        'LEFT JOIN LATERAL (%6$s) AS k ON true
        CROSS JOIN LATERAL (
            SELECT count(*) + coalesce(k.games, 0) AS games,
                count(*) FILTER (WHERE m.score = 1) + coalesce(k.wins, 0) AS wins,
                count(*) FILTER (WHERE m.score = 0.5) + coalesce(k.draws, 0) AS draws,
                count(*) FILTER (WHERE m.score = 0) + coalesce(k.losses, 0) AS losses,
                greatest(max(m.played_at), k.last_played) AS last_played
            FROM %1$I.event AS m
            WHERE m.player_id %2$s q.player_id AND m.pool = $3 AND m.kind = ''match''
                AND m.seq > %5$s AND ($2 IS NULL OR m.seq < $2)) AS c
        LEFT JOIN LATERAL (
            (SELECT k.start_rating AS rating, %5$s + 1 AS seq WHERE k.games IS NOT NULL)
            UNION ALL
            (SELECT CASE WHEN e.seq <= $6 THEN skillrating.state_rating(l.model, %3$s, l.params)
                ELSE skillrating.state_rating(l.model, %4$s, l.params) END AS rating, e.seq
            FROM %1$I.ladder AS l CROSS JOIN %1$I.event AS e
            WHERE k.games IS NULL AND e.player_id %2$s q.player_id AND e.pool = $3 AND e.seq > %7$s
                AND e.seq >= coalesce((
                    SELECT max(x.seq) FROM %1$I.event AS x
                    WHERE x.player_id %2$s q.player_id AND x.pool = $3 AND x.seq <= $6), 0)
            ORDER BY e.seq LIMIT 1)) AS b ON true
        LEFT JOIN LATERAL (
            SELECT skillrating.state_rating(l.model, %3$s, l.params) AS rating, e.played_at, e.seq
            FROM %1$I.ladder AS l CROSS JOIN %1$I.event AS e
            WHERE e.player_id %2$s q.player_id AND e.pool = $3 AND e.seq >= b.seq
                AND ($2 IS NULL OR e.seq < $2)
            ORDER BY 1 DESC, e.seq LIMIT 1) AS p ON true
        CROSS JOIN LATERAL (
            SELECT greatest(k.peak, p.rating) AS peak,
                CASE WHEN k.peak < p.rating THEN p.played_at ELSE coalesce(k.peak_at, p.played_at) END AS peak_at
            ) AS h',
        ladder, t.player_equals, s.after, s.before, kept.behind,
        coalesce('SELECT k.* FROM ' || kept.players || format(' AND k.player_id %s q.player_id', t.player_equals),
            'SELECT NULL::bigint AS games, NULL::bigint AS wins, NULL::bigint AS draws, NULL::bigint AS losses,
                NULL::timestamptz AS last_played, NULL::float8 AS start_rating, NULL::float8 AS peak,
                NULL::timestamptz AS peak_at'),
        CASE WHEN kept.players IS NULL THEN 0 ELSE kept.behind END);
END
$function$;

COMMENT ON FUNCTION skillrating_internal.season_details(text,record) IS
'A part of season_table(): what joins a player q of a page with the counts (c) of the matches in the
season, the rating with which it began (b) and the peak (h), of events and of what is kept of those
before the horizon. Its parameters are those of season_table(). Error 55000 unless the door to the
ladder is open.';

CREATE OR REPLACE FUNCTION skillrating_internal.season_table(ladder text, season text DEFAULT NULL::text, n integer DEFAULT 10, pool text DEFAULT ''::text, min_games bigint DEFAULT 1, after_player anycompatible DEFAULT NULL::unknown, OUT place bigint, OUT player_id text, OUT rating double precision, OUT games bigint, OUT wins bigint, OUT draws bigint, OUT losses bigint, OUT last_played timestamp with time zone, OUT start_rating double precision, OUT peak double precision, OUT peak_at timestamp with time zone)
 RETURNS SETOF record
 LANGUAGE plpgsql
 STABLE
 SET search_path TO 'pg_catalog', 'pg_temp'
AS $function$
DECLARE
    bounds record := skillrating_internal.season_bounds(ladder, season, pool);
    p record;
BEGIN
    IF ladder IS NULL OR n IS NULL OR pool IS NULL OR min_games IS NULL THEN
        RAISE null_value_not_allowed USING
            MESSAGE = 'ladder, n, pool and min_games must not be null';
    END IF;
    IF n < 0 THEN
        RAISE invalid_parameter_value USING
            MESSAGE = format('n must not be negative, not %s', n);
    END IF;
    PERFORM skillrating_internal.check_min_games(min_games);
    p := skillrating_internal.season_page(ladder, bounds, pool, min_games, after_player::text);
    -- Only of the players that are shown.
    RETURN QUERY EXECUTE format(
        'SELECT CASE WHEN q.rating = $7 THEN 1 + $9
                ELSE $10 + rank() OVER (PARTITION BY q.rating = $7 ORDER BY q.rating DESC) END,
            q.player_id::text, q.rating, c.games, c.wins, c.draws, c.losses, c.last_played,
            b.rating, h.peak, h.peak_at
        FROM (%s) AS q %s
        ORDER BY q.rating DESC, q.player_id', p.page,
        skillrating_internal.season_details(ladder, bounds))
    USING bounds.first_seq, bounds.next_seq, pool, min_games, n, bounds.start_seq,
        p.after_rating, p.after, p.above, p.at_least;
END
$function$;

COMMENT ON FUNCTION skillrating_internal.season_table(text,text,integer,text,bigint,anycompatible) IS
'The body of skillrating.season_table(), called once the door to the ladder is open.';

COMMENT ON FUNCTION skillrating.season_table(text,text,integer,text,bigint,anycompatible) IS
'The table of a season: the n players with the highest displayed rating at its end, or that is
stored if it has not ended, among those with at least min_games matches in it, and the counts of
these matches and the time of the last one. Equal ratings share a place.
season: the name that new_season() gave it, the empty name for the time before the first season, or
null for the running one.
after_player: the last player of the page before; an account that was merged meanwhile, and is not
in the season any more, stands for the player it is merged into.
start_rating: the rating with which the player began it, that of a newcomer for one who came later.
peak, peak_at: the highest rating in it, with the one that the season began with where that is no
newcomer''s, and when it came first.
Corrections reach it as everything else. Errors: 42704 for an unknown ladder, season or player,
22023 for a negative n or min_games.';

CREATE OR REPLACE FUNCTION skillrating_internal.standings_query(ladder text, from_seq bigint)
 RETURNS text
 LANGUAGE plpgsql
 STABLE STRICT
 SET search_path TO 'pg_catalog', 'pg_temp'
AS $function$
DECLARE
    t record := skillrating_internal.ladder_types(ladder);
    l record;
    places bigint[];
    began bigint;
    kept text := '';
BEGIN
    EXECUTE format(
        'SELECT array_agg(o.seq ORDER BY o.seq), min(o.began) FILTER (WHERE o.seq >= $1)
        FROM (
            SELECT o.seq, coalesce((
                SELECT max(x.seq) FROM %1$I.operation AS x
                WHERE x.kind = ''season'' AND x.undone_at IS NULL AND x.seq < o.seq
                    AND (x.pool IS NULL OR x.pool = o.pool)), 0) AS began
            FROM %1$I.operation AS o WHERE o.kind = ''season'' AND o.undone_at IS NULL) AS o', ladder)
    INTO places, began USING from_seq;
    IF began IS NULL THEN
        RETURN NULL;
    END IF;
    EXECUTE format('SELECT l.model, l.params, l.horizon FROM %I.ladder AS l', ladder) INTO l;
    -- Events before a horizon may be gone: what they said of a season is kept.
    IF began <= l.horizon THEN
        kept := format(
            ' UNION ALL SELECT k.player_id, k.pool, width_bucket(k.began, %2$L::bigint[]), k.games
            FROM %1$I.season_horizon AS k WHERE k.games > 0 AND k.began >= %3$L::bigint', ladder, places,
            began);
    END IF;
    RETURN format(
        'WITH season AS (
            SELECT o.operation, o.seq, o.pool FROM %1$I.operation AS o
            WHERE o.kind = ''season'' AND o.undone_at IS NULL
        ), part AS MATERIALIZED (
            SELECT m.player_id, m.pool, width_bucket(m.seq, %2$L::bigint[]) AS span, count(*) AS games
            FROM %1$I.event AS m
            WHERE m.kind = ''match'' AND m.seq > %3$L::bigint AND m.seq < %4$L::bigint
            GROUP BY 1, 2, 3%8$s
        ), place AS MATERIALIZED (
            SELECT p.pool, p.span, (
                SELECT min(s.seq) FROM season AS s
                WHERE s.seq > coalesce((%2$L::bigint[])[p.span], 0)
                    AND (s.pool IS NULL OR s.pool = p.pool)) AS seq
            FROM (SELECT DISTINCT p.pool, p.span FROM part AS p) AS p
        ), played AS (
            SELECT p.player_id, p.pool, q.seq, sum(p.games)::bigint AS games
            FROM part AS p JOIN place AS q ON q.pool = p.pool AND q.span = p.span
            GROUP BY 1, 2, 3
        ), ended AS (
            SELECT e.player_id, e.pool, s.operation, %5$s AS rating, coalesce(p.games, 0) AS games
            FROM %1$I.event AS e
            JOIN season AS s ON s.seq = e.seq
            LEFT JOIN played AS p ON p.player_id %6$s e.player_id AND p.pool = e.pool AND p.seq = e.seq
            WHERE e.kind = ''season'' AND e.seq = ANY (%7$L::bigint[])
        )
        SELECT q.player_id, q.pool, q.operation, q.rating, q.games,
            CASE WHEN q.marked THEN q.above END AS above,
            CASE WHEN q.marked THEN q.at_least END AS at_least
        FROM (
            SELECT e.*, rank() OVER rated - 1 AS above, count(*) OVER rated AS at_least,
                row_number() OVER placed %% 256 = 0
                    OR row_number() OVER placed = count(*) OVER (PARTITION BY e.operation, e.pool)
                    AS marked
            FROM ended AS e WHERE e.games > 0
            WINDOW rated AS (PARTITION BY e.operation, e.pool ORDER BY e.rating DESC),
                placed AS (PARTITION BY e.operation, e.pool ORDER BY e.rating DESC, e.player_id)) AS q',
        ladder, places, greatest(began, l.horizon), places[cardinality(places)],
        skillrating_internal.display_columns(l.model, l.params, 'e.', '_before'), t.player_equals,
        ARRAY(SELECT u.seq FROM unnest(places) AS u(seq) WHERE u.seq >= from_seq), kept);
END
$function$;

CREATE OR REPLACE FUNCTION skillrating_internal.check_statistics(statistics jsonb)
 RETURNS void
 LANGUAGE plpgsql
 STABLE STRICT
 SET search_path TO 'pg_catalog', 'pg_temp'
AS $function$
DECLARE
    all_columns constant text[] := '{provisional,inactive,peak,streak,last_change,percentile}';
    wrong text;
BEGIN
    IF jsonb_typeof(statistics) <> 'object' THEN
        RAISE invalid_parameter_value USING
            MESSAGE = format('statistics must be an object, not %s', statistics),
            HINT = 'As in {"inactive_after": "30 days", "columns": ["inactive", "peak"]}.';
    END IF;
    SELECT k INTO wrong FROM jsonb_object_keys(statistics) AS k
    WHERE k NOT IN ('columns', 'provisional_games', 'provisional_deviation', 'inactive_after') LIMIT 1;
    IF wrong IS NOT NULL THEN
        RAISE invalid_parameter_value USING
            MESSAGE = format('invalid key "%s" in statistics', wrong),
            HINT = 'Valid keys are columns, provisional_games, provisional_deviation and inactive_after.';
    END IF;
    SELECT k INTO wrong FROM jsonb_object_keys(statistics) AS k
    WHERE jsonb_typeof(statistics->k) <> CASE k
        WHEN 'columns' THEN 'array' WHEN 'inactive_after' THEN 'string' ELSE 'number' END LIMIT 1;
    IF wrong IS NOT NULL THEN
        RAISE invalid_parameter_value USING
            MESSAGE = CASE wrong
                WHEN 'columns' THEN format('columns in statistics must be an array of texts, not %s', statistics->wrong)
                WHEN 'inactive_after' THEN format('inactive_after in statistics must be an interval as text, not %s', statistics->wrong)
                ELSE format('%s in statistics must be a number, not %s', wrong, statistics->wrong) END;
    END IF;
    SELECT c::text INTO wrong FROM jsonb_array_elements(statistics->'columns') AS c
    WHERE jsonb_typeof(c) <> 'string' OR NOT c #>> '{}' = ANY (all_columns) LIMIT 1;
    IF wrong IS NOT NULL THEN
        RAISE invalid_parameter_value USING
            MESSAGE = format('invalid column %s in statistics', wrong),
            HINT = format('Valid columns are %s.', array_to_string(all_columns, ', '));
    END IF;
    IF (statistics->>'provisional_games')::numeric <> trunc((statistics->>'provisional_games')::numeric)
        OR NOT (statistics->>'provisional_games')::numeric BETWEEN 0 AND 1000000 THEN
        RAISE numeric_value_out_of_range USING
            MESSAGE = format('provisional_games in statistics must be an integer from 0 to 1000000, not %s',
                statistics->'provisional_games');
    END IF;
    IF (statistics->>'provisional_deviation')::numeric < 0 THEN
        RAISE numeric_value_out_of_range USING
            MESSAGE = format('provisional_deviation in statistics must not be negative, not %s',
                statistics->'provisional_deviation');
    END IF;
    IF (statistics->>'inactive_after')::interval < '0' THEN
        RAISE numeric_value_out_of_range USING
            MESSAGE = format('inactive_after in statistics must not be negative, not %s',
                statistics->'inactive_after');
    END IF;
END
$function$;

COMMENT ON FUNCTION skillrating_internal.statistics_join(text,jsonb,jsonb,timestamp with time zone,text,boolean) IS
'A part of leaderboard() and around(): what joins a row s of the columns that the argument
statistics adds to a row r of the board at a time, which has its place; empty without it. eligible
is the condition of the board, and ranked says that the counts of the ladder are those of it. Errors
as for check_statistics() and provisional_condition(), 42501 unless the caller may read table event
too where the peak, the streak or the last change is asked for.';

CREATE TYPE skillrating_internal.queue_settings AS (
    queue text,
    teams integer,
    team_size integer,
    rating_pool text,
    context text,
    sides boolean,
    commanders boolean,
    caution double precision,
    log_odds double precision,
    initial_window double precision,
    widening double precision,
    max_window double precision,
    min_quality double precision,
    ticket_lifetime interval,
    accept_within interval,
    max_tickets integer,
    keep interval,
    excludes boolean,
    model text,
    params jsonb,
    nstate integer,
    deviation integer,
    side integer,
    command integer);

COMMENT ON TYPE skillrating_internal.queue_settings IS
'What a queue is: a row of table queue, with the window and the widening that stand for null there;
whether players are excluded from its ladder; the model of its ladder with its parameters; and as in
split_model() the number of state columns and the places of those with a role.';

CREATE TYPE skillrating_internal.queue_found AS (
    match_number integer,
    player_id text,
    team integer,
    ticket bigint,
    waited double precision,
    pool text,
    region bigint,
    win_probability double precision,
    quality double precision,
    difference double precision,
    commands boolean,
    why jsonb);

COMMENT ON TYPE skillrating_internal.queue_found IS
'A player for whom a tick has found a seat: columns of pair_queue() and of the player''s ticket.';

CREATE TYPE skillrating_internal.queued_players AS (
    players text[],
    tickets bigint[],
    waited double precision[],
    party integer[],
    region bigint[],
    pool text[],
    commander boolean[]);

COMMENT ON TYPE skillrating_internal.queued_players IS
'The players of some tickets, an element of each array for each, as pair_queue() takes them.';

CREATE FUNCTION skillrating_internal.has_queue_tables(ladder text)
 RETURNS boolean
 LANGUAGE plpgsql
 STABLE STRICT
 SET search_path TO 'pg_catalog', 'pg_temp'
AS $function$
BEGIN
    RETURN skillrating_internal.has_tables(ladder,
        '{queue,queue_ticket,queue_player,queue_proposal,queue_seat,queue_backfill,
        queue_backfill_player}');
END
$function$;

COMMENT ON FUNCTION skillrating_internal.has_queue_tables(text) IS
'Whether a ladder has the tables of queues. Errors as has_tables().';

CREATE FUNCTION skillrating_internal.create_ticket_tables(ladder text, player text)
 RETURNS void
 LANGUAGE plpgsql
 STRICT
 SET search_path TO 'pg_catalog', 'pg_temp'
AS $function$
BEGIN
    PERFORM skillrating_internal.check_inside(ladder);
    EXECUTE format(
        'CREATE TABLE %I.queue_ticket (
            ticket bigint GENERATED BY DEFAULT AS IDENTITY PRIMARY KEY,
            queue text NOT NULL,
            pool text NOT NULL,
            region bigint CHECK (region <> 0),
            size integer NOT NULL,
            mu float8 NOT NULL,
            joined_at timestamptz NOT NULL,
            expires_at timestamptz,
            tried_at timestamptz NOT NULL,
            status text NOT NULL DEFAULT ''waiting''
                CHECK (status IN (''waiting'', ''proposed'', ''matched'', ''ended'')),
            reason text CHECK (reason IS NOT NULL OR status <> ''ended''),
            proposal bigint
                CHECK (proposal IS NOT NULL OR status NOT IN (''proposed'', ''matched'')),
            ended_at timestamptz
                CHECK (ended_at IS NOT NULL OR status NOT IN (''matched'', ''ended'')))
        WITH (fillfactor = 50)', ladder);
    EXECUTE format(
        'CREATE INDEX ON %I.queue_ticket (queue, pool, mu) WHERE status = ''waiting''', ladder);
    EXECUTE format('CREATE INDEX ON %I.queue_ticket (queue, ended_at)', ladder);
    EXECUTE format('COMMENT ON TABLE %I.queue_ticket IS %L', ladder,
        'Tickets of players who queue together, or of one who queues alone: in which queue; whom they meet (pool) and where (region, a set of bits, null for everywhere); how many they are (size) and their mean estimate when they joined (mu), by which a tick finds neighbours; since when they wait, until when, and when a tick has looked at them last (tried_at). status: waiting; proposed, in a match that has not been accepted by all; matched; or ended, with the reason.');

    -- Nobody has two tickets, under whatever account.
    EXECUTE format(
        'CREATE TABLE %1$I.queue_player (
            counts_as %2$s PRIMARY KEY,
            player_id %2$s NOT NULL,
            ticket bigint NOT NULL,
            commander boolean)', ladder, player);
    EXECUTE format('CREATE INDEX ON %I.queue_player (ticket)', ladder);
    EXECUTE format('COMMENT ON TABLE %I.queue_player IS %L', ladder,
        'The players of all tickets that are waiting or proposed: the account that joined (player_id), the player whom it counts as, who has no other ticket, and whether the player may command (null for yes).');
END
$function$;

COMMENT ON FUNCTION skillrating_internal.create_ticket_tables(text,text) IS
'A part of create_queue(): the tables queue_ticket and queue_player. Error 55000 unless the door to
the ladder is open.';

CREATE FUNCTION skillrating_internal.create_proposal_tables(ladder text, player text)
 RETURNS void
 LANGUAGE plpgsql
 STRICT
 SET search_path TO 'pg_catalog', 'pg_temp'
AS $function$
BEGIN
    PERFORM skillrating_internal.check_inside(ladder);
    EXECUTE format(
        'CREATE TABLE %I.queue_proposal (
            proposal bigint GENERATED BY DEFAULT AS IDENTITY PRIMARY KEY,
            queue text NOT NULL,
            backfill bigint,
            pool text NOT NULL,
            region bigint,
            status text NOT NULL CHECK (status IN (''open'', ''made'', ''cancelled'')),
            reason text CHECK (reason IS NOT NULL OR status <> ''cancelled''),
            proposed_at timestamptz NOT NULL,
            accept_by timestamptz CHECK (accept_by IS NOT NULL OR status <> ''open''),
            ended_at timestamptz CHECK (ended_at IS NOT NULL OR status = ''open''),
            quality float8 NOT NULL,
            difference float8 NOT NULL,
            why jsonb)
        WITH (fillfactor = 80)', ladder);
    EXECUTE format(
        'CREATE INDEX ON %I.queue_proposal (queue, accept_by) WHERE status = ''open''', ladder);
    EXECUTE format('CREATE INDEX ON %I.queue_proposal (queue, ended_at)', ladder);
    EXECUTE format('COMMENT ON TABLE %I.queue_proposal IS %L', ladder,
        'Matches that ticks have made, or players for the free seats of one that is running (backfill). status: open until all have accepted, made, or cancelled, with the reason. quality, difference and why are those of pair_queue(), region the one that all have in common.');

    EXECUTE format(
        'CREATE TABLE %I.queue_seat (
            proposal bigint NOT NULL,
            player_id %s NOT NULL,
            team integer NOT NULL,
            ticket bigint NOT NULL,
            waited float8 NOT NULL,
            win_probability float8,
            commands boolean,
            accepted_at timestamptz,
            PRIMARY KEY (proposal, player_id))', ladder, player);
    EXECUTE format('COMMENT ON TABLE %I.queue_seat IS %L', ladder,
        'The players of proposals: the team, the ticket, the seconds waited until then, the probability that the own team wins, whether the player commands it, and when the player accepted.');

    EXECUTE format(
        'CREATE TABLE %I.queue_backfill (
            backfill bigint GENERATED BY DEFAULT AS IDENTITY PRIMARY KEY,
            queue text NOT NULL,
            proposal bigint,
            pool text NOT NULL,
            region bigint CHECK (region <> 0),
            status text NOT NULL DEFAULT ''open''
                CHECK (status IN (''open'', ''filled'', ''ended'')),
            reason text CHECK (reason IS NOT NULL OR status <> ''ended''),
            asked_at timestamptz NOT NULL,
            expires_at timestamptz,
            ended_at timestamptz CHECK (ended_at IS NOT NULL OR status = ''open''))', ladder);
    EXECUTE format(
        'CREATE INDEX ON %I.queue_backfill (queue, asked_at) WHERE status = ''open''', ladder);
    EXECUTE format('CREATE INDEX ON %I.queue_backfill (queue, ended_at)', ladder);
    EXECUTE format('COMMENT ON TABLE %I.queue_backfill IS %L', ladder,
        'Matches that are running and ask for players: in which queue, whom they take (pool) and where they run (region), since when and until when, and the proposal that they began as.');

    EXECUTE format(
        'CREATE TABLE %2$I.queue_backfill_player (
            backfill bigint NOT NULL,
            player_id %1$s NOT NULL,
            counts_as %1$s NOT NULL,
            team integer NOT NULL,
            proposal bigint,
            PRIMARY KEY (backfill, player_id))', player, ladder);
    EXECUTE format('COMMENT ON TABLE %I.queue_backfill_player IS %L', ladder,
        'Who is in a running match that asks for players, and whom the account counts as, on which team, and by which proposal, null for those who were there when it asked.');
END
$function$;

COMMENT ON FUNCTION skillrating_internal.create_proposal_tables(text,text) IS
'A part of create_queue(): the tables queue_proposal, queue_seat, queue_backfill and
queue_backfill_player. Error 55000 unless the door to the ladder is open.';

CREATE FUNCTION skillrating_internal.create_queue_tables(ladder text)
 RETURNS void
 LANGUAGE plpgsql
 STRICT
 SET search_path TO 'pg_catalog', 'pg_temp'
AS $function$
DECLARE
    t record := skillrating_internal.ladder_types(ladder);
BEGIN
    IF skillrating_internal.has_queue_tables(ladder) THEN
        RETURN;
    END IF;
    EXECUTE format(
        'CREATE TABLE %I.queue (
            queue text PRIMARY KEY,
            teams integer NOT NULL CHECK (teams >= 2),
            team_size integer NOT NULL CHECK (team_size >= 1),
            rating_pool text NOT NULL,
            context text,
            sides boolean NOT NULL,
            commanders boolean NOT NULL,
            caution float8 NOT NULL,
            log_odds float8 NOT NULL,
            initial_window float8 CHECK (initial_window >= 0),
            widening float8 CHECK (widening >= 0),
            max_window float8 CHECK (max_window >= 0),
            min_quality float8 NOT NULL CHECK (min_quality BETWEEN 0 AND 1),
            ticket_lifetime interval CHECK (ticket_lifetime > ''0''),
            accept_within interval CHECK (accept_within > ''0''),
            max_tickets integer NOT NULL CHECK (max_tickets BETWEEN 2 AND 10000),
            keep interval CHECK (keep >= ''0''),
            channel text,
            CHECK (teams::bigint * team_size <= 128),
            CHECK (team_size::bigint * max_tickets <= 100000))', ladder);
    EXECUTE format('COMMENT ON TABLE %I.queue IS %L', ladder,
        'The queues of the ladder, with what skillrating.create_queue() was told. The owner may change all but the name; it counts from the next call on.');
    PERFORM skillrating_internal.create_ticket_tables(ladder, t.player_type),
        skillrating_internal.create_proposal_tables(ladder, t.player_type);
END
$function$;

COMMENT ON FUNCTION skillrating_internal.create_queue_tables(text) IS
'A part of create_queue(): the tables of a ladder''s queues unless it has them. Errors as
has_queue_tables().';

CREATE FUNCTION skillrating_internal.queue_settings(ladder text, queue text)
 RETURNS skillrating_internal.queue_settings
 LANGUAGE plpgsql
 STABLE
 SET search_path TO 'pg_catalog', 'pg_temp'
AS $function$
DECLARE
    q skillrating_internal.queue_settings;
BEGIN
    PERFORM skillrating_internal.check_inside(ladder);
    IF skillrating_internal.has_queue_tables(ladder) THEN
        EXECUTE format(
            'SELECT q.queue, q.teams, q.team_size, q.rating_pool, q.context, q.sides, q.commanders,
                q.caution, q.log_odds, q.initial_window, q.widening, q.max_window, q.min_quality,
                q.ticket_lifetime, q.accept_within, q.max_tickets, q.keep, EXISTS (
                    SELECT FROM %1$I.operation AS o
                    WHERE o.kind = ''exclude'' AND o.undone_at IS NULL), l.model, l.params
            FROM %1$I.queue AS q CROSS JOIN %1$I.ladder AS l
            WHERE q.queue = $1', ladder)
        INTO q USING queue;
    END IF;
    IF q.queue IS NULL THEN
        RAISE undefined_object USING
            MESSAGE = format('ladder "%s" has no queue "%s"', ladder, queue),
            HINT = 'Queues are made by skillrating.create_queue().';
    END IF;
    IF q.initial_window IS NULL THEN
        q.initial_window := 0.5 * skillrating.log_odds_unit(q.model, q.params);
    END IF;
    q.widening := coalesce(q.widening, q.initial_window / 30);
    SELECT cardinality(m.state_columns), array_position(m.state_columns, m.deviation_column),
        array_position(m.state_columns, m.side_column),
        array_position(m.state_columns, m.command_column)
    INTO q.nstate, q.deviation, q.side, q.command
    FROM skillrating.models() AS m WHERE m.name = q.model;
    -- Another model may have come by swap_ladders(): the error says what it lacks.
    IF q.caution <> 0 AND q.deviation IS NULL OR q.sides AND q.side IS NULL
        OR q.commanders AND q.command IS NULL
    THEN
        PERFORM FROM skillrating_internal.split_model(ladder, q.caution, q.sides, q.commanders);
    END IF;
    RETURN q;
END
$function$;

COMMENT ON FUNCTION skillrating_internal.queue_settings(text,text) IS
'What a queue of a ladder is. Errors: 42704 if there is none of that name, 22023 if the model of the
ladder has no column for what it takes, 55000 unless the door to the ladder is open, and those of
has_queue_tables().';

CREATE FUNCTION skillrating_internal.check_queue(ladder text, q skillrating_internal.queue_settings)
 RETURNS void
 LANGUAGE plpgsql
 STABLE
 SET search_path TO 'pg_catalog', 'pg_temp'
AS $function$
DECLARE
    model record;
    wrong text;
BEGIN
    PERFORM skillrating_internal.check_inside(ladder);
    IF NOT abs(q.caution) < 'Infinity' THEN
        RAISE numeric_value_out_of_range USING
            MESSAGE = format('caution must be finite, not %s', q.caution);
    END IF;
    model := skillrating_internal.split_model(ladder, q.caution, q.sides, q.commanders);
    -- Of nobody it makes no match, and checks all else.
    PERFORM FROM skillrating.pair_queue('{}'::text[], '{}',
        mu_2 => CASE WHEN q.sides THEN '{}'::float8[] END,
        command_mu => CASE WHEN q.commanders THEN '{}'::float8[] END,
        teams => q.teams, team_size => q.team_size, log_odds => q.log_odds, model => model.name,
        params => model.params, initial_window => q.initial_window, widening => q.widening,
        max_window => q.max_window, min_quality => q.min_quality);
    SELECT format(i.message, i.value) INTO wrong
    FROM (VALUES ('ticket_lifetime must be positive, not %s', q.ticket_lifetime, q.ticket_lifetime > '0'),
        ('accept_within must be positive, not %s', q.accept_within, q.accept_within > '0'),
        ('keep must be 0 or more, not %s', q.keep, q.keep >= '0')) AS i(message, value, ok)
    WHERE NOT i.ok LIMIT 1;
    IF wrong IS NOT NULL THEN
        RAISE invalid_parameter_value USING MESSAGE = wrong;
    END IF;
    IF NOT q.max_tickets BETWEEN 2 AND 10000 OR q.max_tickets::bigint * q.team_size > 100000 THEN
        RAISE invalid_parameter_value USING
            MESSAGE = format('max_tickets must be at least 2 and at most %s, not %s',
                least(10000, 100000 / q.team_size), q.max_tickets);
    END IF;
END
$function$;

COMMENT ON FUNCTION skillrating_internal.check_queue(text,skillrating_internal.queue_settings) IS
'A part of create_queue(): errors for what cannot be a queue, as pair_queue() and split_ladder()
have them.';

CREATE FUNCTION skillrating_internal.create_queue(ladder text, queue text, teams integer DEFAULT 2, team_size integer DEFAULT 1, rating_pool text DEFAULT ''::text, context text DEFAULT NULL::text, sides boolean DEFAULT false, commanders boolean DEFAULT false, caution double precision DEFAULT 0, log_odds double precision DEFAULT 0, initial_window double precision DEFAULT NULL::double precision, widening double precision DEFAULT NULL::double precision, max_window double precision DEFAULT NULL::double precision, min_quality double precision DEFAULT 0, ticket_lifetime interval DEFAULT '00:10:00'::interval, accept_within interval DEFAULT NULL::interval, max_tickets integer DEFAULT 1000, keep interval DEFAULT '1 day'::interval, channel text DEFAULT NULL::text)
 RETURNS void
 LANGUAGE plpgsql
 SET search_path TO 'pg_catalog', 'pg_temp'
AS $function$
DECLARE
    n bigint;
BEGIN
    IF ladder IS NULL OR queue IS NULL OR teams IS NULL OR team_size IS NULL OR rating_pool IS NULL
        OR sides IS NULL OR commanders IS NULL OR caution IS NULL OR log_odds IS NULL
        OR min_quality IS NULL OR max_tickets IS NULL
    THEN
        RAISE null_value_not_allowed USING
            MESSAGE = 'ladder, queue, teams, team_size, rating_pool, sides, commanders, caution, '
                'log_odds, min_quality and max_tickets must not be null';
    END IF;
    PERFORM skillrating_internal.ladder_types(ladder);
    -- A notification has both.
    PERFORM skillrating_internal.check_short_name('queue', queue),
        skillrating_internal.check_short_name('channel', channel);
    PERFORM skillrating_internal.check_queue(ladder, ROW(queue, teams, team_size, rating_pool,
        context, sides, commanders, caution, log_odds, initial_window, widening, max_window,
        min_quality, ticket_lifetime, accept_within, max_tickets, keep, NULL, NULL, NULL, NULL,
        NULL, NULL, NULL)::skillrating_internal.queue_settings);
    PERFORM skillrating_internal.create_queue_tables(ladder);
    EXECUTE format(
        'INSERT INTO %I.queue (queue, teams, team_size, rating_pool, context, sides, commanders,
            caution, log_odds, initial_window, widening, max_window, min_quality, ticket_lifetime,
            accept_within, max_tickets, keep, channel)
        VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18)
        ON CONFLICT DO NOTHING', ladder)
    USING queue, teams, team_size, rating_pool, context, sides, commanders, caution, log_odds,
        initial_window, widening, max_window, min_quality, ticket_lifetime, accept_within,
        max_tickets, keep, channel;
    GET DIAGNOSTICS n = ROW_COUNT;
    IF n = 0 THEN
        RAISE duplicate_object USING
            MESSAGE = format('ladder "%s" has a queue "%s" already', ladder, queue),
            HINT = format('Change its row in %I.queue, or remove it by skillrating.drop_queue().',
                ladder);
    END IF;
END
$function$;

COMMENT ON FUNCTION skillrating_internal.create_queue(text,text,integer,integer,text,text,boolean,boolean,double precision,double precision,double precision,double precision,double precision,double precision,interval,interval,integer,interval,text) IS
'The body of skillrating.create_queue(), called once the door to the ladder is open.';

CREATE FUNCTION skillrating.create_queue(ladder text, queue text, teams integer DEFAULT 2, team_size integer DEFAULT 1, rating_pool text DEFAULT ''::text, context text DEFAULT NULL::text, sides boolean DEFAULT false, commanders boolean DEFAULT false, caution double precision DEFAULT 0, log_odds double precision DEFAULT 0, initial_window double precision DEFAULT NULL::double precision, widening double precision DEFAULT NULL::double precision, max_window double precision DEFAULT NULL::double precision, min_quality double precision DEFAULT 0, ticket_lifetime interval DEFAULT '00:10:00'::interval, accept_within interval DEFAULT NULL::interval, max_tickets integer DEFAULT 1000, keep interval DEFAULT '1 day'::interval, channel text DEFAULT NULL::text)
 RETURNS void
 LANGUAGE c
AS 'MODULE_PATHNAME', $function$skillrating_enter$function$;

COMMENT ON FUNCTION skillrating.create_queue(text,text,integer,integer,text,text,boolean,boolean,double precision,double precision,double precision,double precision,double precision,double precision,interval,interval,integer,interval,text) IS
'Makes a queue of that name, in which players of a ladder wait for matches: queue_join() puts them
in, and queue_tick() makes matches of them. It is a row in table queue of the ladder, which the
owner may change; the first one makes the tables, whose names begin with queue_.

teams, team_size, sides, commanders, caution, log_odds: the matches, as for split_ladder().
rating_pool: of the ladder, whose ratings count.  context: where or as what all play, or null.
initial_window, widening, max_window, min_quality: whom players may meet, as for pair_queue().
ticket_lifetime: a ticket that has waited so long ends; null for never.
accept_within: players have so much time to accept a match by queue_accept(); null for matches that
need no accepting.
max_tickets: a tick looks at so many tickets at most, 2 to 10000, and leaves the others to other
workers, or to the next tick.
keep: tickets and matches are deleted so long after they have ended; null for never.
channel: notified of each match, with a JSON object: {"ladder": ..., "queue": ...,
"proposal": number, "status": "open", "made" or "cancelled"}; null for nobody.  Any role that may
connect can listen.  A transaction that notifies cannot be prepared (PREPARE TRANSACTION).

Waits until nobody rates. Errors: 42704 for an unknown ladder, 42501 unless the caller owns it,
42710 if there is a queue of that name, 22004 for nulls, 22003 and 22023 for values out of range and
what the model has no column for.';

CREATE FUNCTION skillrating_internal.drop_queue(ladder text, queue text, OUT tickets bigint)
 RETURNS bigint
 LANGUAGE plpgsql
 STRICT
 SET search_path TO 'pg_catalog', 'pg_temp'
AS $function$
DECLARE
    q skillrating_internal.queue_settings;
BEGIN
    q := skillrating_internal.queue_settings(ladder, queue);
    EXECUTE format(
        'DELETE FROM %1$I.queue_player AS p USING %1$I.queue_ticket AS t
        WHERE t.ticket = p.ticket AND t.queue = $1', ladder)
    USING q.queue;
    EXECUTE format(
        'SELECT count(*) FROM %I.queue_ticket AS t
        WHERE t.queue = $1 AND t.status IN (''waiting'', ''proposed'')', ladder)
    INTO tickets USING q.queue;
    EXECUTE format(
        'DELETE FROM %1$I.queue_seat AS s USING %1$I.queue_proposal AS p
        WHERE p.proposal = s.proposal AND p.queue = $1', ladder)
    USING q.queue;
    EXECUTE format(
        'DELETE FROM %1$I.queue_backfill_player AS p USING %1$I.queue_backfill AS b
        WHERE b.backfill = p.backfill AND b.queue = $1', ladder)
    USING q.queue;
    EXECUTE format('DELETE FROM %I.queue_ticket AS t WHERE t.queue = $1', ladder) USING q.queue;
    EXECUTE format('DELETE FROM %I.queue_proposal AS p WHERE p.queue = $1', ladder) USING q.queue;
    EXECUTE format('DELETE FROM %I.queue_backfill AS b WHERE b.queue = $1', ladder) USING q.queue;
    EXECUTE format('DELETE FROM %I.queue AS q WHERE q.queue = $1', ladder) USING q.queue;
END
$function$;

COMMENT ON FUNCTION skillrating_internal.drop_queue(text,text) IS
'The body of skillrating.drop_queue(), called once the door to the ladder is open.';

CREATE FUNCTION skillrating.drop_queue(ladder text, queue text, OUT tickets bigint)
 RETURNS bigint
 LANGUAGE c
 STRICT
AS 'MODULE_PATHNAME', $function$skillrating_enter$function$;

COMMENT ON FUNCTION skillrating.drop_queue(text,text) IS
'Removes a queue with all its tickets and matches, and returns how many tickets were waiting or in a
match that had not been accepted. Waits until nobody is at work on a queue of the ladder. Errors:
42704 for an unknown ladder or queue, 42501 unless the caller owns the ladder.';

CREATE FUNCTION skillrating_internal.queue_status(ladder text, queue text DEFAULT NULL::text, since timestamp with time zone DEFAULT NULL::timestamp with time zone, at timestamp with time zone DEFAULT NULL::timestamp with time zone)
 RETURNS TABLE(queue_name text, pool text, waiting_tickets bigint, waiting_players bigint, longest_wait double precision, open_proposals bigint, open_backfills bigint, matches bigint, cancelled bigint, matched_tickets bigint, ended jsonb, wait_p50 double precision, wait_p90 double precision, wait_p99 double precision, quality_mean double precision, quality_p10 double precision)
 LANGUAGE plpgsql
 STABLE
 SET search_path TO 'pg_catalog', 'pg_temp'
AS $function$
BEGIN
    PERFORM skillrating_internal.ladder_types(ladder);
    IF queue IS NOT NULL THEN
        PERFORM skillrating_internal.queue_settings(ladder, queue);
    ELSIF NOT skillrating_internal.has_queue_tables(ladder) THEN
        RETURN;
    END IF;
    RETURN QUERY EXECUTE format(
        'WITH t AS (
            SELECT t.*, extract(epoch FROM coalesce(t.ended_at, $3) - t.joined_at)::float8 AS waited
            FROM %1$I.queue_ticket AS t
            WHERE t.ended_at IS NULL OR t.ended_at >= $2
        ), ticket AS (
            SELECT t.queue, t.pool, count(*) FILTER (WHERE w.waits) AS waiting_tickets,
                coalesce(sum(t.size) FILTER (WHERE w.waits), 0) AS waiting_players,
                max(greatest(0, t.waited)) FILTER (WHERE w.waits) AS longest_wait,
                count(*) FILTER (WHERE t.status = ''matched'') AS matched,
                percentile_cont(''{0.5,0.9,0.99}''::float8[]) WITHIN GROUP (ORDER BY t.waited)
                    FILTER (WHERE t.status = ''matched'') AS wait
            FROM t, LATERAL (SELECT t.status = ''waiting'') AS w(waits) GROUP BY t.queue, t.pool
        ), ended AS (
            SELECT e.queue, e.pool, jsonb_object_agg(e.reason, e.n) AS reasons
            FROM (SELECT t.queue, t.pool, t.reason, count(*) AS n FROM t
                WHERE t.status = ''ended'' GROUP BY t.queue, t.pool, t.reason) AS e
            GROUP BY e.queue, e.pool
        ), proposal AS (
            SELECT p.queue, p.pool, count(*) FILTER (WHERE p.status = ''open'') AS open,
                count(*) FILTER (WHERE p.status = ''made'' AND p.backfill IS NULL) AS made,
                count(*) FILTER (WHERE p.status = ''cancelled'') AS cancelled,
                avg(p.quality) FILTER (WHERE p.status = ''made'') AS quality,
                percentile_cont(0.1) WITHIN GROUP (ORDER BY p.quality)
                    FILTER (WHERE p.status = ''made'') AS quality_p10
            FROM %1$I.queue_proposal AS p WHERE p.ended_at IS NULL OR p.ended_at >= $2
            GROUP BY p.queue, p.pool
        ), backfill AS (
            SELECT b.queue, b.pool, count(*) AS open
            FROM %1$I.queue_backfill AS b WHERE b.status = ''open'' GROUP BY b.queue, b.pool
        ), place AS (
            SELECT t.queue, t.pool FROM ticket AS t UNION SELECT p.queue, p.pool FROM proposal AS p
            UNION SELECT b.queue, b.pool FROM backfill AS b
        )
        SELECT q.queue, a.pool, coalesce(t.waiting_tickets, 0),
            coalesce(t.waiting_players, 0)::bigint, t.longest_wait, coalesce(p.open, 0),
            coalesce(b.open, 0), coalesce(p.made, 0), coalesce(p.cancelled, 0),
            coalesce(t.matched, 0), coalesce(e.reasons, ''{}''), t.wait[1], t.wait[2], t.wait[3],
            p.quality, p.quality_p10
        FROM %1$I.queue AS q
        LEFT JOIN place AS a USING (queue)
        LEFT JOIN ticket AS t USING (queue, pool) LEFT JOIN ended AS e USING (queue, pool)
        LEFT JOIN proposal AS p USING (queue, pool) LEFT JOIN backfill AS b USING (queue, pool)
        WHERE q.queue = $1 OR $1 IS NULL
        ORDER BY q.queue, a.pool', ladder)
    USING queue, coalesce(since, '-infinity'), coalesce(at, clock_timestamp());
END
$function$;

COMMENT ON FUNCTION skillrating_internal.queue_status(text,text,timestamp with time zone,timestamp with time zone) IS
'The body of skillrating.queue_status(), called once the door to the ladder is open.';

CREATE FUNCTION skillrating.queue_status(ladder text, queue text DEFAULT NULL::text, since timestamp with time zone DEFAULT NULL::timestamp with time zone, at timestamp with time zone DEFAULT NULL::timestamp with time zone)
 RETURNS TABLE(queue_name text, pool text, waiting_tickets bigint, waiting_players bigint, longest_wait double precision, open_proposals bigint, open_backfills bigint, matches bigint, cancelled bigint, matched_tickets bigint, ended jsonb, wait_p50 double precision, wait_p90 double precision, wait_p99 double precision, quality_mean double precision, quality_p10 double precision)
 LANGUAGE c
 STABLE
AS 'MODULE_PATHNAME', $function$skillrating_enter$function$;

COMMENT ON FUNCTION skillrating.queue_status(text,text,timestamp with time zone,timestamp with time zone) IS
'How a queue does, or with null each queue of a ladder: a row for each of its pools, and one with
null for a queue that has seen nobody.

waiting_tickets, waiting_players, longest_wait (in seconds), open_proposals (matches that not all
have accepted), open_backfills: at the time at, now by default.
matches, cancelled, matched_tickets, and ended (other tickets, by the reason): since a time, by
default as far back as tickets are kept.
wait_p50, wait_p90, wait_p99: percentiles of the seconds from joining to the match, of tickets that
got one.  quality_mean, quality_p10: the mean and the tenth percentile of the quality of matches.
No rows for a ladder without queues. Error 42704 for an unknown ladder or queue.';

CREATE FUNCTION skillrating_internal.drop_tickets(ladder text, tickets bigint[], reason text)
 RETURNS void
 LANGUAGE plpgsql
 STRICT
 SET search_path TO 'pg_catalog', 'pg_temp'
AS $function$
DECLARE
    proposals bigint[];
BEGIN
    PERFORM skillrating_internal.check_inside(ladder);
    EXECUTE format(
        'SELECT coalesce(array_agg(DISTINCT t.proposal), ''{}'') FROM %I.queue_ticket AS t
        WHERE t.ticket = ANY ($1) AND t.status = ''proposed''', ladder)
    INTO proposals USING tickets;
    PERFORM skillrating_internal.cancel_proposals(ladder, proposals, reason, tickets,
        clock_timestamp());
    PERFORM skillrating_internal.end_tickets(ladder, tickets, reason, clock_timestamp());
END
$function$;

COMMENT ON FUNCTION skillrating_internal.drop_tickets(text,bigint[],text) IS
'Ends tickets that are waiting or proposed, on a ladder that the caller has for itself. Error 55000
unless the door to the ladder is open.';

CREATE FUNCTION skillrating_internal.recount_backfills(ladder text)
 RETURNS void
 LANGUAGE plpgsql
 STRICT
 SET search_path TO 'pg_catalog', 'pg_temp'
AS $function$
DECLARE
    t record := skillrating_internal.ladder_types(ladder);
    backfills bigint[];
BEGIN
    EXECUTE format(
        'UPDATE %1$I.queue_backfill_player AS p SET counts_as = a.counts_as
        FROM (
            SELECT o.backfill, o.player_id,
                coalesce(CAST(m.into_id AS %2$s), o.player_id) AS counts_as
            FROM %1$I.queue_backfill_player AS o
            LEFT JOIN skillrating_internal.merged_accounts(%4$L) AS m
                ON CAST(m.player_id AS %2$s) %3$s o.player_id) AS a
        WHERE a.backfill = p.backfill AND a.player_id %3$s p.player_id
            AND NOT a.counts_as %3$s p.counts_as', ladder, t.player_type, t.player_equals, ladder);
    EXECUTE format(
        'SELECT array_agg(DISTINCT p.backfill)
        FROM %1$I.queue_backfill_player AS p JOIN %1$I.queue_backfill_player AS o
            ON o.backfill = p.backfill AND o.counts_as %2$s p.counts_as
        WHERE NOT o.player_id %2$s p.player_id', ladder, t.player_equals)
    INTO backfills;
    PERFORM skillrating_internal.end_backfill(ladder, b.backfill, 'merged', clock_timestamp())
    FROM unnest(backfills) AS b(backfill);
END
$function$;

COMMENT ON FUNCTION skillrating_internal.recount_backfills(text) IS
'A part of recount_queues(): a running match in which one player has two accounts now asks for
nobody any more, because no model knows such a match. Error 55000 unless the door to the ladder is
open.';

CREATE FUNCTION skillrating_internal.recount_queues(ladder text)
 RETURNS void
 LANGUAGE plpgsql
 STRICT
 SET search_path TO 'pg_catalog', 'pg_temp'
AS $function$
DECLARE
    t record := skillrating_internal.ladder_types(ladder);
    accounts text;
    tickets bigint[];
BEGIN
    IF NOT skillrating_internal.has_queue_tables(ladder) THEN
        RETURN;
    END IF;
    accounts := format(
        'WITH account AS (
            SELECT p.player_id, k.ticket, k.joined_at,
                coalesce(CAST(m.into_id AS %2$s), p.player_id) AS counts_as
            FROM %1$I.queue_player AS p
            JOIN %1$I.queue_ticket AS k ON k.ticket = p.ticket
            LEFT JOIN skillrating_internal.merged_accounts(%4$L) AS m
                ON CAST(m.player_id AS %2$s) %3$s p.player_id)',
        ladder, t.player_type, t.player_equals, ladder);
    -- Of two tickets of one player the older one stays.
    EXECUTE accounts || format(
        'SELECT array_agg(DISTINCT a.ticket)
        FROM account AS a JOIN account AS o ON o.counts_as %1$s a.counts_as
        WHERE NOT o.player_id %1$s a.player_id
            AND (o.ticket = a.ticket OR (o.joined_at, o.ticket) < (a.joined_at, a.ticket))',
        t.player_equals)
    INTO tickets;
    PERFORM skillrating_internal.drop_tickets(ladder, tickets, 'merged');
    EXECUTE accounts || format(
        'UPDATE %I.queue_player AS p SET counts_as = a.counts_as FROM account AS a
        WHERE a.player_id %2$s p.player_id AND NOT a.counts_as %2$s p.counts_as',
        ladder, t.player_equals);
    EXECUTE format(
        'SELECT array_agg(DISTINCT p.ticket)
        FROM %1$I.queue_player AS p
        JOIN %1$I.operation AS o ON o.player_id %2$s p.player_id OR o.player_id %2$s p.counts_as
        WHERE o.kind = ''exclude'' AND o.undone_at IS NULL AND o.since <= clock_timestamp()
            AND o.until > clock_timestamp()', ladder, t.player_equals)
    INTO tickets;
    PERFORM skillrating_internal.drop_tickets(ladder, tickets, 'excluded');
    PERFORM skillrating_internal.recount_backfills(ladder);
END
$function$;

COMMENT ON FUNCTION skillrating_internal.recount_queues(text) IS
'A part of merge_players() and all that changes which account counts as which player, on a ladder
that the caller has for itself: no player has two tickets after that, and none who is excluded has
one. Error 55000 unless the door to the ladder is open.';

CREATE FUNCTION skillrating_internal.forget_in_queues(ladder text, players text[])
 RETURNS void
 LANGUAGE plpgsql
 STRICT
 SET search_path TO 'pg_catalog', 'pg_temp'
AS $function$
DECLARE
    t record := skillrating_internal.ladder_types(ladder);
    tickets bigint[];
BEGIN
    IF NOT skillrating_internal.has_queue_tables(ladder) THEN
        RETURN;
    END IF;
    EXECUTE format(
        'SELECT array_agg(DISTINCT p.ticket) FROM %1$I.queue_player AS p
        WHERE EXISTS (
            SELECT FROM unnest(CAST($1 AS %2$s[])) AS u(id)
            WHERE u.id %3$s p.player_id OR u.id %3$s p.counts_as)',
        ladder, t.player_type, t.player_equals)
    INTO tickets USING players;
    PERFORM skillrating_internal.drop_tickets(ladder, tickets, 'forgotten');
END
$function$;

COMMENT ON FUNCTION skillrating_internal.forget_in_queues(text,text[]) IS
'A part of forget_player(): ends the tickets of players, before they are renamed. Error 55000 unless
the door to the ladder is open.';

CREATE FUNCTION skillrating_internal.backfill_candidates(ladder text, q skillrating_internal.queue_settings, backfill bigint, mean double precision, free integer, at timestamp with time zone)
 RETURNS bigint[]
 LANGUAGE plpgsql
 SET search_path TO 'pg_catalog', 'pg_temp'
AS $function$
DECLARE
    -- More would only make the search for teams longer.
    most constant integer := 16;
    t record := skillrating_internal.ladder_types(ladder);
    tickets bigint[];
BEGIN
    EXECUTE format(
        'SELECT array_agg(t.ticket) FROM (
            SELECT t.ticket
            FROM %1$I.queue_backfill AS b
            JOIN %1$I.queue_ticket AS t ON t.queue = b.queue AND t.pool = b.pool
            WHERE b.backfill = $1 AND t.status = ''waiting'' AND t.size <= $2
                AND (t.region IS NULL OR b.region IS NULL OR t.region & b.region <> 0)
                AND abs(t.mu - $3) <= least(coalesce($6, ''Infinity''), $4
                    + $5 * greatest(0, extract(epoch FROM $7 - t.joined_at)::float8))
                AND NOT EXISTS (
                    SELECT FROM %1$I.queue_player AS p
                    JOIN %1$I.queue_backfill_player AS o ON o.counts_as %2$s p.counts_as
                    WHERE p.ticket = t.ticket AND o.backfill = b.backfill)
            ORDER BY t.joined_at, abs(t.mu - $3), (
                SELECT p.player_id FROM %1$I.queue_player AS p WHERE p.ticket = t.ticket
                ORDER BY p.player_id %4$s LIMIT 1) %4$s
            LIMIT %3$s FOR UPDATE OF t SKIP LOCKED) AS t',
        ladder, t.player_equals, most, t.player_order)
    INTO tickets
    USING backfill, free, mean, q.initial_window, q.widening,
        coalesce(q.max_window, 'Infinity'), at;
    RETURN tickets;
END
$function$;

COMMENT ON FUNCTION skillrating_internal.backfill_candidates(text,skillrating_internal.queue_settings,bigint,double precision,integer,timestamp with time zone) IS
'A part of queue_tick(): locks tickets of at most so many players who may join a running match with
that mean estimate, the longest waiting first; null if there are none. Error 55000 unless the door
to the ladder is open.';

CREATE FUNCTION skillrating_internal.fill_evenly(ladder text, q skillrating_internal.queue_settings, present text[], teams integer[], p skillrating_internal.queued_players, size integer, at timestamp with time zone)
 RETURNS skillrating_internal.queue_found[]
 LANGUAGE plpgsql
 STABLE
 SET search_path TO 'pg_catalog', 'pg_temp'
AS $function$
DECLARE
    n integer := cardinality(present);
    states float8[];
    e record;
    found_players skillrating_internal.queue_found[];
BEGIN
    PERFORM skillrating_internal.check_inside(ladder);
    states := skillrating_internal.queue_states(ladder, q, present || p.players, at);
    e := skillrating_internal.queue_estimates(q, states);
    SELECT array_agg(ROW(1, u.player, s.team, u.ticket, u.waited, u.pool, NULL, s.win_probability,
        s.quality, s.difference, NULL, NULL)::skillrating_internal.queue_found ORDER BY u.place)
    INTO found_players
    FROM (
        SELECT s.*, q.teams * min(s.win_probability) OVER () AS quality
        FROM skillrating_internal.split_states(
            ARRAY(SELECT generate_series(1, n + cardinality(p.players))), e.mu, e.mu_2,
            party => array_fill(NULL::integer, ARRAY[n]) || p.party,
            locked => fill_evenly.teams || array_fill(NULL::integer, ARRAY[cardinality(p.players)]),
            teams => q.teams, team_size => size, log_odds => q.log_odds, model => q.model,
            params => q.params, budget => 20, state => states) AS s) AS s
    JOIN unnest(p.players, p.tickets, p.waited, p.pool) WITH ORDINALITY
        AS u(player, ticket, waited, pool, place) ON u.place + n = s.player_id
    WHERE s.team IS NOT NULL;
    RETURN found_players;
EXCEPTION
    -- Parties may not fit, or the search ends before it has found how.
    WHEN invalid_parameter_value OR program_limit_exceeded THEN
        RETURN NULL;
END
$function$;

COMMENT ON FUNCTION skillrating_internal.fill_evenly(text,skillrating_internal.queue_settings,text[],integer[],skillrating_internal.queued_players,integer,timestamp with time zone) IS
'A part of queue_tick(): of those who wait, the ones who make the teams of a running match as even
as can be, with so many players in each; null if they cannot. Error 55000 unless the door to the
ladder is open.';

CREATE FUNCTION skillrating_internal.fill_smallest(ladder text, q skillrating_internal.queue_settings, present text[], teams integer[], p skillrating_internal.queued_players, at timestamp with time zone)
 RETURNS skillrating_internal.queue_found[]
 LANGUAGE plpgsql
 STABLE
 SET search_path TO 'pg_catalog', 'pg_temp'
AS $function$
DECLARE
    smallest record;
    joiners skillrating_internal.queue_found[];
    players text[];
    in_team integer[];
    found_players skillrating_internal.queue_found[];
BEGIN
    PERFORM skillrating_internal.check_inside(ladder);
    SELECT s.team, max(s.n) OVER () - s.n AS lack INTO smallest
    FROM (
        SELECT g.team, count(u.team) AS n
        FROM generate_series(1, q.teams) AS g(team)
        LEFT JOIN unnest(teams) AS u(team) ON u.team = g.team
        GROUP BY g.team) AS s
    ORDER BY s.n, s.team LIMIT 1;
    -- All of the ticket that has waited longest of those who fit.
    SELECT array_agg(ROW(1, u.player, smallest.team, u.ticket, u.waited, u.pool, NULL, NULL, NULL,
        NULL, NULL, NULL)::skillrating_internal.queue_found ORDER BY u.n)
    INTO joiners
    FROM (
        SELECT u.*, min(u.n) OVER (PARTITION BY u.ticket) AS first
        FROM unnest(p.players, p.tickets, p.waited, p.pool) WITH ORDINALITY
            AS u(player, ticket, waited, pool, n)) AS u
    WHERE u.first = (
        SELECT min(o.n)
        FROM (
            SELECT o.n, count(*) OVER (PARTITION BY o.ticket) AS size
            FROM unnest(p.tickets) WITH ORDINALITY AS o(ticket, n)) AS o
        WHERE o.size <= smallest.lack);
    IF joiners IS NULL THEN
        RETURN NULL;
    END IF;
    players := present || ARRAY(SELECT j.player_id FROM unnest(joiners) AS j);
    in_team := teams || array_fill(smallest.team, ARRAY[cardinality(joiners)]);
    SELECT array_agg(ROW(1, j.player_id, j.team, j.ticket, j.waited, j.pool, NULL,
        w.win_probability, w.quality, 0, NULL, NULL)::skillrating_internal.queue_found ORDER BY w.n)
    INTO found_players
    FROM (
        SELECT w.player_id, w.win_probability, w.n,
            q.teams * min(w.win_probability) OVER () AS quality
        FROM skillrating.preview(ladder, players, in_team, pool => q.rating_pool,
            log_odds => q.log_odds, at => fill_smallest.at) WITH ORDINALITY
            AS w(player_id, team, rating, win_probability, win_change, draw_change, loss_change,
                draw_probability, n)) AS w
    JOIN unnest(joiners) AS j ON j.player_id = w.player_id;
    RETURN found_players;
END
$function$;

COMMENT ON FUNCTION skillrating_internal.fill_smallest(text,skillrating_internal.queue_settings,text[],integer[],skillrating_internal.queued_players,timestamp with time zone) IS
'A part of queue_tick(): the ticket that has waited longest, of those who fit, for the smallest team
of a running match whose teams cannot be made equal; null if there is none. Error 55000 unless the
door to the ladder is open.';

CREATE FUNCTION skillrating_internal.fill_seats(ladder text, q skillrating_internal.queue_settings, backfill bigint, at timestamp with time zone)
 RETURNS skillrating_internal.queue_found[]
 LANGUAGE plpgsql
 SET search_path TO 'pg_catalog', 'pg_temp'
AS $function$
DECLARE
    t record := skillrating_internal.ladder_types(ladder);
    present text[];
    teams integer[];
    smallest integer;
    largest integer;
    mean float8;
    tickets bigint[];
    p skillrating_internal.queued_players;
    found_players skillrating_internal.queue_found[];
    longest float8;
BEGIN
    EXECUTE format(
        'SELECT array_agg(p.player_id::text ORDER BY p.team, p.player_id %2$s),
            array_agg(p.team ORDER BY p.team, p.player_id %2$s)
        FROM %1$I.queue_backfill_player AS p WHERE p.backfill = $1', ladder, t.player_order)
    INTO present, teams USING backfill;
    SELECT min(s.n), max(s.n) INTO smallest, largest
    FROM (
        SELECT count(u.team) AS n
        FROM generate_series(1, q.teams) AS g(team)
        LEFT JOIN unnest(teams) AS u(team) ON u.team = g.team
        GROUP BY g.team) AS s;
    SELECT avg(u.mu) INTO mean
    FROM skillrating_internal.queue_estimates(q,
        skillrating_internal.queue_states(ladder, q, present, at)) AS e, unnest(e.mu) AS u(mu);
    tickets := skillrating_internal.backfill_candidates(ladder, q, backfill, mean,
        q.team_size - smallest, at);
    -- In a statement of its own, whose snapshot is not older than the locks.
    p := skillrating_internal.queued_players(ladder, tickets, at);
    IF p.players IS NULL THEN
        RETURN NULL;
    END IF;
    -- As large as those who wait can make the teams, and equal; or else less unequal.
    FOR size IN REVERSE q.team_size .. largest LOOP
        CONTINUE WHEN q.teams * size <= cardinality(present)
            OR q.teams * size > cardinality(present) + cardinality(p.players);
        found_players := skillrating_internal.fill_evenly(ladder, q, present, teams, p, size, at);
        EXIT WHEN found_players IS NOT NULL;
    END LOOP;
    IF found_players IS NULL AND smallest < largest THEN
        found_players := skillrating_internal.fill_smallest(ladder, q, present, teams, p, at);
    END IF;
    -- A match that is short of players on one side gets some in any case.
    IF smallest = largest AND found_players IS NOT NULL THEN
        SELECT max(f.waited) INTO longest FROM unnest(found_players) AS f;
        IF found_players[1].quality * greatest(q.initial_window, least(q.max_window,
            q.initial_window + q.widening * longest)) < q.min_quality * q.initial_window
        THEN
            RETURN NULL;
        END IF;
    END IF;
    RETURN found_players;
END
$function$;

COMMENT ON FUNCTION skillrating_internal.fill_seats(text,skillrating_internal.queue_settings,bigint,timestamp with time zone) IS
'A part of queue_tick(): whom a running match gets for its free seats, of those who wait; null for
nobody. Error 55000 unless the door to the ladder is open.';

CREATE FUNCTION skillrating_internal.fill_backfills(ladder text, q skillrating_internal.queue_settings, max_matches bigint, at timestamp with time zone)
 RETURNS bigint[]
 LANGUAGE plpgsql
 SET search_path TO 'pg_catalog', 'pg_temp'
AS $function$
DECLARE
    b record;
    f skillrating_internal.queue_found;
    found_players skillrating_internal.queue_found[];
    made bigint[] := '{}';
BEGIN
    PERFORM skillrating_internal.check_inside(ladder);
    FOR b IN EXECUTE format(
        'SELECT b.backfill, b.region FROM %1$I.queue_backfill AS b
        WHERE b.queue = $1 AND b.status = ''open''
            AND $2 * $3 > (
                SELECT count(*) FROM %1$I.queue_backfill_player AS p WHERE p.backfill = b.backfill)
        ORDER BY b.asked_at, b.backfill LIMIT 100
        FOR UPDATE OF b SKIP LOCKED', ladder)
    USING q.queue, q.teams, q.team_size
    LOOP
        EXIT WHEN cardinality(made) >= max_matches;
        found_players := skillrating_internal.fill_seats(ladder, q, b.backfill, at);
        CONTINUE WHEN found_players IS NULL;
        -- They play where the others do.
        FOR i IN 1 .. cardinality(found_players) LOOP
            f := found_players[i];
            f.region := b.region;
            found_players[i] := f;
        END LOOP;
        made := made
            || skillrating_internal.write_proposals(ladder, q, found_players, b.backfill, at);
    END LOOP;
    RETURN made;
END
$function$;

COMMENT ON FUNCTION skillrating_internal.fill_backfills(text,skillrating_internal.queue_settings,bigint,timestamp with time zone) IS
'A part of queue_tick(): finds players for running matches, those that have asked first coming
first, and returns the numbers of the proposals. Error 55000 unless the door to the ladder is
open.';

CREATE FUNCTION skillrating_internal.check_present(ladder text, q skillrating_internal.queue_settings, players text[], team integer[])
 RETURNS void
 LANGUAGE plpgsql
 STABLE
 SET search_path TO 'pg_catalog', 'pg_temp'
AS $function$
DECLARE
    wrong record;
BEGIN
    PERFORM skillrating_internal.check_inside(ladder);
    IF cardinality(players) = 0 THEN
        RAISE array_subscript_error USING
            MESSAGE = 'array players must not be empty',
            HINT = 'A match that asks for players has at least one.';
    END IF;
    IF cardinality(players) <> cardinality(team) THEN
        RAISE array_subscript_error USING
            MESSAGE = format('array team must have %s elements, not %s', cardinality(players),
                cardinality(team));
    END IF;
    SELECT u.team, count(*) AS n INTO wrong
    FROM unnest(team) AS u(team)
    GROUP BY u.team
    HAVING u.team IS NULL OR u.team NOT BETWEEN 1 AND q.teams OR count(*) > q.team_size
    ORDER BY u.team LIMIT 1;
    IF wrong.n IS NOT NULL THEN
        RAISE invalid_parameter_value USING
            MESSAGE = format('queue "%s" has no match with %s players in team %s', q.queue, wrong.n,
                coalesce(wrong.team::text, 'null')),
            HINT = format('Its matches have %s teams of %s.', q.teams, q.team_size);
    END IF;
    -- So that no tick fails by it.
    PERFORM skillrating_internal.queue_states(ladder, q, players, now());
END
$function$;

COMMENT ON FUNCTION skillrating_internal.check_present(text,skillrating_internal.queue_settings,text[],integer[]) IS
'A part of queue_backfill(): errors 2202E and 22023 for players and teams that no match of the queue
has.';

CREATE FUNCTION skillrating_internal.replace_backfill(ladder text, queue text, proposal bigint, at timestamp with time zone, OUT pool text, OUT region bigint)
 RETURNS record
 LANGUAGE plpgsql
 STRICT
 SET search_path TO 'pg_catalog', 'pg_temp'
AS $function$
BEGIN
    PERFORM skillrating_internal.check_inside(ladder);
    EXECUTE format(
        'SELECT p.pool, p.region FROM %I.queue_proposal AS p
        WHERE p.proposal = $1 AND p.queue = $2 AND p.status = ''made'' FOR UPDATE', ladder)
    INTO pool, region USING proposal, queue;
    IF pool IS NULL THEN
        RAISE undefined_object USING
            MESSAGE = format('queue "%s" has made no match %s', queue, proposal);
    END IF;
    EXECUTE format(
        'SELECT skillrating_internal.end_backfill($1, b.backfill, ''replaced'', $4)
        FROM %I.queue_backfill AS b
        WHERE b.queue = $2 AND b.proposal = $3 AND b.status = ''open''', ladder)
    USING ladder, queue, proposal, at;
END
$function$;

COMMENT ON FUNCTION skillrating_internal.replace_backfill(text,text,bigint,timestamp with time zone) IS
'A part of queue_backfill(): ends the request of a match that has one, and returns the pool and
region of the match. Error 42704 for a match that the queue has not made, 55000 unless the door to
the ladder is open.';

CREATE FUNCTION skillrating_internal.end_backfill(ladder text, backfill bigint, reason text, at timestamp with time zone)
 RETURNS boolean
 LANGUAGE plpgsql
 STRICT
 SET search_path TO 'pg_catalog', 'pg_temp'
AS $function$
DECLARE
    proposals bigint[];
    n bigint;
BEGIN
    PERFORM skillrating_internal.check_inside(ladder);
    -- No tick finds any more players from here on, and nobody who accepts takes the last seat.
    EXECUTE format(
        'UPDATE %I.queue_backfill AS b SET status = ''ended'', reason = $2, ended_at = $3
        WHERE b.backfill = $1 AND b.status = ''open''', ladder)
    USING backfill, reason, at;
    GET DIAGNOSTICS n = ROW_COUNT;
    EXECUTE format(
        'SELECT coalesce(array_agg(p.proposal), ''{}'') FROM (
            SELECT p.proposal FROM %1$I.queue_proposal AS p
            WHERE p.queue = (SELECT b.queue FROM %1$I.queue_backfill AS b WHERE b.backfill = $1)
                AND p.status = ''open'' AND p.backfill = $1
            ORDER BY p.proposal FOR UPDATE) AS p', ladder)
    INTO proposals USING backfill;
    -- Those who have not accepted yet wait again.
    PERFORM skillrating_internal.cancel_proposals(ladder, proposals, reason, '{}', at);
    RETURN n > 0;
END
$function$;

COMMENT ON FUNCTION skillrating_internal.end_backfill(text,bigint,text,timestamp with time zone) IS
'Ends the request of a running match for players, and cancels proposals for it that are open;
returns whether it was open. Error 55000 unless the door to the ladder is open.';

CREATE FUNCTION skillrating_internal.queue_backfill(ladder text, queue text, players anycompatiblearray, team integer[], proposal bigint DEFAULT NULL::bigint, pool text DEFAULT NULL::text, region bigint DEFAULT NULL::bigint, lifetime interval DEFAULT NULL::interval, at timestamp with time zone DEFAULT NULL::timestamp with time zone, OUT backfill bigint)
 RETURNS bigint
 LANGUAGE plpgsql
 SET search_path TO 'pg_catalog', 'pg_temp'
AS $function$
DECLARE
    t record;
    q skillrating_internal.queue_settings;
    asked_at timestamptz := coalesce(at, clock_timestamp());
    ids text[];
    teams integer[];
    old record;
BEGIN
    IF ladder IS NULL OR queue IS NULL OR players IS NULL OR team IS NULL THEN
        RAISE null_value_not_allowed USING
            MESSAGE = 'ladder, queue, players and team must not be null';
    END IF;
    t := skillrating_internal.ladder_types(ladder);
    q := skillrating_internal.queue_settings(ladder, queue);
    PERFORM skillrating_internal.check_queue_time('at', asked_at),
        skillrating_internal.check_every('lifetime', lifetime);
    ids := skillrating_internal.id_texts(ARRAY(SELECT unnest(players)::text), t.player_type,
        'players');
    teams := ARRAY(SELECT unnest(team));
    PERFORM skillrating_internal.check_present(ladder, q, ids, teams);
    SELECT r.pool, r.region INTO old
    FROM skillrating_internal.replace_backfill(ladder, queue, proposal, asked_at) AS r;
    EXECUTE format(
        'INSERT INTO %I.queue_backfill (queue, proposal, pool, region, asked_at, expires_at)
        VALUES ($1, $2, $3, $4, $5, $5 + $6) RETURNING backfill', ladder)
    INTO backfill
    USING queue, proposal, coalesce(pool, old.pool, ''), nullif(coalesce(region, old.region), 0),
        asked_at, coalesce(lifetime, q.ticket_lifetime);
    EXECUTE format(
        'INSERT INTO %1$I.queue_backfill_player (backfill, player_id, counts_as, team)
        SELECT $1, CAST(u.id AS %2$s), CAST(skillrating_internal.counted_player(%3$L, u.id) AS %2$s),
            u.team
        FROM unnest($2, $3) AS u(id, team)',
        ladder, t.player_type, ladder)
    USING backfill, ids, teams;
END
$function$;

COMMENT ON FUNCTION skillrating_internal.queue_backfill(text,text,anycompatiblearray,integer[],bigint,text,bigint,interval,timestamp with time zone) IS
'The body of skillrating.queue_backfill(), called once the door to the ladder is open.';

CREATE FUNCTION skillrating.queue_backfill(ladder text, queue text, players anycompatiblearray, team integer[], proposal bigint DEFAULT NULL::bigint, pool text DEFAULT NULL::text, region bigint DEFAULT NULL::bigint, lifetime interval DEFAULT NULL::interval, at timestamp with time zone DEFAULT NULL::timestamp with time zone, OUT backfill bigint)
 RETURNS bigint
 LANGUAGE c
AS 'MODULE_PATHNAME', $function$skillrating_enter$function$;

COMMENT ON FUNCTION skillrating.queue_backfill(text,text,anycompatiblearray,integer[],bigint,text,bigint,interval,timestamp with time zone) IS
'Asks for players for a running match that has free seats, and returns the number of the request in
table queue_backfill.  Ticks of the queue seat those who wait there before they make new matches: as
many as leave the teams equal in number, and of those within each other''s windows the ones who make
the match most even; or, where too few wait for that, whoever has waited longest on the smallest
team. It asks until all seats are taken, queue_cancel_backfill() is called, or its time is over.

players, team: who is there, and on which team, from 1 on.
proposal: the match, if this queue has made it; it then has one request at most, and a new one takes
the place of the old.  pool, region: who may join, by default those of the proposal, or '''' and
null.
lifetime: as for queue_join().  at: now by default.

Takes INSERT on table queue_ticket and SELECT on rating and component, see grant_matchmaker().
Errors: 42704 for an unknown ladder, queue or proposal, 22023 for players or teams that no match of
the queue has, 2202E for arrays of different lengths, 22004 for nulls, 22008 for an infinite time.';

CREATE FUNCTION skillrating_internal.queue_cancel_backfill(ladder text, backfill bigint, at timestamp with time zone DEFAULT NULL::timestamp with time zone, OUT cancelled boolean)
 RETURNS boolean
 LANGUAGE plpgsql
 SET search_path TO 'pg_catalog', 'pg_temp'
AS $function$
BEGIN
    IF ladder IS NULL OR backfill IS NULL THEN
        RAISE null_value_not_allowed USING MESSAGE = 'ladder and backfill must not be null';
    END IF;
    PERFORM skillrating_internal.ladder_types(ladder);
    at := coalesce(at, clock_timestamp());
    PERFORM skillrating_internal.check_queue_time('at', at);
    cancelled := skillrating_internal.has_queue_tables(ladder)
        AND skillrating_internal.end_backfill(ladder, backfill, 'cancelled', at);
END
$function$;

COMMENT ON FUNCTION skillrating_internal.queue_cancel_backfill(text,bigint,timestamp with time zone) IS
'The body of skillrating.queue_cancel_backfill(), called once the door to the ladder is open.';

CREATE FUNCTION skillrating.queue_cancel_backfill(ladder text, backfill bigint, at timestamp with time zone DEFAULT NULL::timestamp with time zone, OUT cancelled boolean)
 RETURNS boolean
 LANGUAGE c
AS 'MODULE_PATHNAME', $function$skillrating_enter$function$;

COMMENT ON FUNCTION skillrating.queue_cancel_backfill(text,bigint,timestamp with time zone) IS
'Asks for no more players for a running match, because it ends or has enough, and returns whether it
still asked. Players who have not accepted yet wait again. at: now by default. Takes INSERT on table
queue_ticket, see grant_matchmaker(). Errors: 42704 for an unknown ladder, 22004 for nulls, 22008
for an infinite time.';

CREATE FUNCTION skillrating_internal.check_queue_time(name text, at timestamp with time zone)
 RETURNS void
 LANGUAGE plpgsql
 STABLE
 SET search_path TO 'pg_catalog', 'pg_temp'
AS $function$
BEGIN
    IF NOT isfinite(at) THEN
        RAISE datetime_field_overflow USING
            MESSAGE = format('%s must be finite, not %s', name, at);
    END IF;
END
$function$;

COMMENT ON FUNCTION skillrating_internal.check_queue_time(text,timestamp with time zone) IS
'Error 22008 for an infinite time, in an argument of that name.';

CREATE FUNCTION skillrating_internal.queue_estimates(q skillrating_internal.queue_settings, states double precision[], OUT mu double precision[], OUT mu_2 double precision[], OUT command_mu double precision[])
 RETURNS record
 LANGUAGE plpgsql
 IMMUTABLE
 SET search_path TO 'pg_catalog', 'pg_temp'
AS $function$
BEGIN
    SELECT array_agg(e.mu + e.side_offset ORDER BY e.n),
        array_agg(e.mu - e.side_offset ORDER BY e.n) FILTER (WHERE q.sides),
        array_agg(e.command ORDER BY e.n) FILTER (WHERE q.commanders)
    INTO mu, mu_2, command_mu
    FROM (
        SELECT p.n, states[p.n + 1] - CASE WHEN q.caution = 0 THEN 0
                ELSE q.caution * states[p.n + q.deviation] END AS mu,
            CASE WHEN q.sides THEN states[p.n + q.side] ELSE 0 END AS side_offset,
            states[p.n + q.command] AS command
        FROM generate_series(0, cardinality(states) - 1, q.nstate) AS p(n)) AS e;
END
$function$;

COMMENT ON FUNCTION skillrating_internal.queue_estimates(skillrating_internal.queue_settings,double precision[]) IS
'What players with these states, one after another, are worth in a queue: on the first team, on the
second where sides differ, and as commanders where there are some.';

CREATE FUNCTION skillrating_internal.queue_states(ladder text, q skillrating_internal.queue_settings, players text[], at timestamp with time zone)
 RETURNS double precision[]
 LANGUAGE plpgsql
 STABLE
 SET search_path TO 'pg_catalog', 'pg_temp'
AS $function$
DECLARE
    -- As many as states_at() takes.
    most constant integer := 10000;
    states float8[] := '{}';
BEGIN
    PERFORM skillrating_internal.check_inside(ladder);
    FOR start IN 1 .. cardinality(players) BY most LOOP
        states := states || skillrating_internal.states_at(ladder,
            players[start : start + most - 1], q.rating_pool, at,
            CASE WHEN q.context IS NOT NULL THEN ARRAY[q.context] END);
    END LOOP;
    RETURN states;
END
$function$;

COMMENT ON FUNCTION skillrating_internal.queue_states(text,skillrating_internal.queue_settings,text[],timestamp with time zone) IS
'The states with which players would go into a match of a queue at a time, one after another, as
states_at() has them, of any number of players. Error 55000 unless the door to the ladder is open.';

CREATE FUNCTION skillrating_internal.notify_proposals(ladder text, proposals bigint[])
 RETURNS void
 LANGUAGE plpgsql
 STRICT
 SET search_path TO 'pg_catalog', 'pg_temp'
AS $function$
BEGIN
    PERFORM skillrating_internal.check_inside(ladder);
    EXECUTE format(
        'SELECT pg_notify(n.channel, n.payload::text)
        FROM (
            SELECT q.channel, jsonb_build_object(''ladder'', $2, ''queue'', p.queue,
                ''proposal'', p.proposal, ''status'', p.status) AS payload
            FROM %1$I.queue_proposal AS p JOIN %1$I.queue AS q ON q.queue = p.queue
            WHERE p.proposal = ANY ($1) AND q.channel IS NOT NULL
            ORDER BY p.proposal) AS n', ladder)
    USING proposals, ladder;
END
$function$;

COMMENT ON FUNCTION skillrating_internal.notify_proposals(text,bigint[]) IS
'Notifies the channels of queues, at commit, of what has become of proposals. Error 55000 unless the
door to the ladder is open.';

CREATE FUNCTION skillrating_internal.end_tickets(ladder text, tickets bigint[], reason text, at timestamp with time zone)
 RETURNS void
 LANGUAGE plpgsql
 STRICT
 SET search_path TO 'pg_catalog', 'pg_temp'
AS $function$
BEGIN
    PERFORM skillrating_internal.check_inside(ladder);
    EXECUTE format(
        'UPDATE %I.queue_ticket AS t SET status = ''ended'', reason = $2, ended_at = $3
        WHERE t.ticket = ANY ($1)', ladder)
    USING tickets, reason, at;
    EXECUTE format('DELETE FROM %I.queue_player AS p WHERE p.ticket = ANY ($1)', ladder)
    USING tickets;
END
$function$;

COMMENT ON FUNCTION skillrating_internal.end_tickets(text,bigint[],text,timestamp with time zone) IS
'Ends tickets that the caller has locked. Error 55000 unless the door to the ladder is open.';

CREATE FUNCTION skillrating_internal.cancel_proposals(ladder text, proposals bigint[], reason text, faulty bigint[], at timestamp with time zone)
 RETURNS void
 LANGUAGE plpgsql
 STRICT
 SET search_path TO 'pg_catalog', 'pg_temp'
AS $function$
BEGIN
    PERFORM skillrating_internal.check_inside(ladder);
    IF proposals = '{}' THEN
        RETURN;
    END IF;
    EXECUTE format(
        'UPDATE %I.queue_proposal AS p SET status = ''cancelled'', reason = $2, ended_at = $3
        WHERE p.proposal = ANY ($1)', ladder)
    USING proposals, reason, at;
    EXECUTE format(
        'UPDATE %1$I.queue_ticket AS t SET status = ''waiting'', proposal = NULL
        WHERE t.ticket IN (SELECT s.ticket FROM %1$I.queue_seat AS s WHERE s.proposal = ANY ($1))
            AND t.ticket <> ALL ($2) AND t.status = ''proposed''', ladder)
    USING proposals, faulty;
    PERFORM skillrating_internal.end_tickets(ladder, faulty, reason, at);
    EXECUTE format(
        'DELETE FROM %1$I.queue_backfill_player AS b USING %1$I.queue_proposal AS p
        WHERE p.proposal = ANY ($1) AND b.backfill = p.backfill AND b.proposal = p.proposal',
        ladder)
    USING proposals;
    PERFORM skillrating_internal.notify_proposals(ladder, proposals);
END
$function$;

COMMENT ON FUNCTION skillrating_internal.cancel_proposals(text,bigint[],text,bigint[],timestamp with time zone) IS
'Cancels open proposals that the caller has locked: the faulty tickets end for the same reason, and
the others wait again, as if they had never stopped. Error 55000 unless the door to the ladder is
open.';

CREATE FUNCTION skillrating_internal.close_full_backfills(ladder text, proposals bigint[], at timestamp with time zone)
 RETURNS void
 LANGUAGE plpgsql
 STRICT
 SET search_path TO 'pg_catalog', 'pg_temp'
AS $function$
BEGIN
    PERFORM skillrating_internal.check_inside(ladder);
    EXECUTE format(
        'UPDATE %1$I.queue_backfill AS b SET status = ''filled'', ended_at = $2
        FROM %1$I.queue AS q
        WHERE b.backfill IN (
                SELECT p.backfill FROM %1$I.queue_proposal AS p WHERE p.proposal = ANY ($1))
            AND b.status = ''open'' AND q.queue = b.queue
            AND q.teams * q.team_size <= (
                SELECT count(*) FROM %1$I.queue_backfill_player AS p WHERE p.backfill = b.backfill)
            AND NOT EXISTS (
                SELECT FROM %1$I.queue_proposal AS p
                WHERE p.queue = b.queue AND p.status = ''open'' AND p.backfill = b.backfill)',
        ladder)
    USING proposals, at;
END
$function$;

COMMENT ON FUNCTION skillrating_internal.close_full_backfills(text,bigint[],timestamp with time zone) IS
'Of the running matches that proposals are for, those without a free seat ask for nobody any more.
Error 55000 unless the door to the ladder is open.';

CREATE FUNCTION skillrating_internal.finish_proposal(ladder text, proposal bigint, at timestamp with time zone)
 RETURNS void
 LANGUAGE plpgsql
 STRICT
 SET search_path TO 'pg_catalog', 'pg_temp'
AS $function$
BEGIN
    PERFORM skillrating_internal.check_inside(ladder);
    EXECUTE format(
        'UPDATE %I.queue_proposal AS p SET status = ''made'', ended_at = $2
        WHERE p.proposal = $1', ladder)
    USING proposal, at;
    EXECUTE format(
        'WITH s AS (SELECT s.ticket FROM %1$I.queue_seat AS s WHERE s.proposal = $1),
        t AS (
            UPDATE %1$I.queue_ticket AS t SET status = ''matched'', ended_at = $2
            WHERE t.ticket IN (SELECT s.ticket FROM s))
        DELETE FROM %1$I.queue_player AS p WHERE p.ticket IN (SELECT s.ticket FROM s)', ladder)
    USING proposal, at;
    PERFORM skillrating_internal.close_full_backfills(ladder, ARRAY[proposal], at),
        skillrating_internal.notify_proposals(ladder, ARRAY[proposal]);
END
$function$;

COMMENT ON FUNCTION skillrating_internal.finish_proposal(text,bigint,timestamp with time zone) IS
'An open proposal that the caller has locked is a match, and its tickets are matched. Error 55000
unless the door to the ladder is open.';

CREATE FUNCTION skillrating_internal.lock_ticket(ladder text, ticket bigint, OUT status text, OUT proposal bigint)
 RETURNS record
 LANGUAGE plpgsql
 STRICT
 SET search_path TO 'pg_catalog', 'pg_temp'
AS $function$
DECLARE
    expected bigint;
BEGIN
    PERFORM skillrating_internal.check_inside(ladder);
    LOOP
        EXECUTE format('SELECT t.proposal FROM %I.queue_ticket AS t WHERE t.ticket = $1', ladder)
        INTO expected USING ticket;
        EXECUTE format('SELECT FROM %I.queue_proposal AS p WHERE p.proposal = $1 FOR UPDATE',
            ladder)
        USING expected;
        BEGIN
            EXECUTE format(
                'SELECT t.status, t.proposal FROM %I.queue_ticket AS t WHERE t.ticket = $1
                FOR UPDATE', ladder)
            INTO status, proposal USING ticket;
            IF proposal IS NOT DISTINCT FROM expected THEN
                RETURN;
            END IF;
            RAISE SQLSTATE 'SR001' USING MESSAGE = 'ticket is in another proposal now';
        EXCEPTION
            -- The lock of the ticket is given back, to come after that of the proposal.
            WHEN SQLSTATE 'SR001' THEN
                NULL;
        END;
    END LOOP;
END
$function$;

COMMENT ON FUNCTION skillrating_internal.lock_ticket(text,bigint) IS
'Locks a ticket, and before that the proposal that it is in, if any; returns what it then is, nulls
if it is gone. Error 55000 unless the door to the ladder is open.';

CREATE FUNCTION skillrating_internal.check_party(ladder text, q skillrating_internal.queue_settings, players text[], counted text[], at timestamp with time zone)
 RETURNS void
 LANGUAGE plpgsql
 STABLE
 SET search_path TO 'pg_catalog', 'pg_temp'
AS $function$
DECLARE
    t record := skillrating_internal.ladder_types(ladder);
    excluded text;
BEGIN
    IF array_position(players, NULL) IS NOT NULL THEN
        RAISE null_value_not_allowed USING
            MESSAGE = 'array players must not contain nulls';
    END IF;
    IF cardinality(players) = 0 OR cardinality(players) > q.team_size THEN
        RAISE invalid_parameter_value USING
            MESSAGE = format('%s players cannot join queue "%s" together', cardinality(players),
                q.queue),
            HINT = format('A team of that queue has room for %s.', q.team_size);
    END IF;
    IF NOT q.excludes THEN
        RETURN;
    END IF;
    EXECUTE format(
        'SELECT min(u.player)
        FROM unnest($1, $2) AS u(player, counted)
        JOIN %1$I.operation AS o ON o.player_id %2$s CAST(u.player AS %3$s)
            OR o.player_id %2$s CAST(u.counted AS %3$s)
        WHERE o.kind = ''exclude'' AND o.undone_at IS NULL AND o.since <= $3 AND o.until > $3',
        ladder, t.player_equals, t.player_type)
    INTO excluded USING players, counted, at;
    IF excluded IS NOT NULL THEN
        RAISE invalid_parameter_value USING
            MESSAGE = format('player %s is excluded from ladder "%s"', excluded, ladder),
            DETAIL = 'A match of that player would not be rated.';
    END IF;
END
$function$;

COMMENT ON FUNCTION skillrating_internal.check_party(text,skillrating_internal.queue_settings,text[],text[],timestamp with time zone) IS
'A part of queue_join(): error 22004 for nulls, 22023 for a party that is empty or larger than a
team, and for a player whom exclude_player() has excluded.';

CREATE FUNCTION skillrating_internal.enter_players(ladder text, ticket bigint, players text[], counted text[], commander boolean[], at timestamp with time zone)
 RETURNS void
 LANGUAGE plpgsql
 SET search_path TO 'pg_catalog', 'pg_temp'
AS $function$
DECLARE
    t record := skillrating_internal.ladder_types(ladder);
    n bigint;
    expired bigint[];
    other record;
BEGIN
    EXECUTE format(
        'SELECT array_agg(k.ticket) FROM (
            SELECT k.ticket FROM %1$I.queue_ticket AS k
            WHERE k.status = ''waiting'' AND k.expires_at <= $2 AND k.ticket IN (
                SELECT p.ticket FROM unnest(CAST($1 AS %2$s[])) AS u(counted)
                JOIN %1$I.queue_player AS p ON p.counts_as %3$s u.counted)
            ORDER BY k.ticket FOR UPDATE) AS k', ladder, t.player_type, t.player_equals)
    INTO expired USING counted, at;
    PERFORM skillrating_internal.end_tickets(ladder, expired, 'expired', at);
    -- Those who were entered before are still there.
    EXECUTE format(
        'WITH p AS (
            INSERT INTO %1$I.queue_player (counts_as, player_id, ticket, commander)
            SELECT u.counted, u.player, $1, u.commander
            FROM unnest(CAST($2 AS %2$s[]), CAST($3 AS %2$s[]), $4)
                AS u(player, counted, commander)
            ORDER BY u.counted %3$s
            ON CONFLICT DO NOTHING
            RETURNING 1)
        SELECT (SELECT count(*) FROM p)
            + (SELECT count(*) FROM %1$I.queue_player AS p WHERE p.ticket = $1)',
        ladder, t.player_type, t.player_order)
    INTO n USING ticket, players, counted, commander;
    IF n = cardinality(players) THEN
        RETURN;
    END IF;
    EXECUTE format(
        'SELECT p.player_id::text AS player, k.ticket, k.queue
        FROM unnest(CAST($1 AS %2$s[])) AS u(counted)
        JOIN %1$I.queue_player AS p ON p.counts_as %3$s u.counted
        JOIN %1$I.queue_ticket AS k ON k.ticket = p.ticket
        WHERE k.ticket <> $2 ORDER BY p.counts_as %4$s LIMIT 1',
        ladder, t.player_type, t.player_equals, t.player_order)
    INTO other USING counted, ticket;
    IF other.ticket IS NULL THEN
        RAISE invalid_parameter_value USING
            MESSAGE = 'array players contains duplicates';
    END IF;
    RAISE unique_violation USING
        MESSAGE = format('player %s has a ticket already', other.player),
        DETAIL = format('It is ticket %s in queue "%s".', other.ticket, other.queue),
        HINT = 'skillrating.queue_leave() ends it.';
END
$function$;

COMMENT ON FUNCTION skillrating_internal.enter_players(text,bigint,text[],text[],boolean[],timestamp with time zone) IS
'A part of queue_join(), where players of a ticket could not be entered: enters them if the tickets
in the way have expired, and ends these. Errors: 23505 for a player who has another ticket, 22023
for one who occurs twice.';

CREATE FUNCTION skillrating_internal.queue_join(ladder text, queue text, players anycompatiblearray, pool text DEFAULT ''::text, region bigint DEFAULT NULL::bigint, commander boolean[] DEFAULT NULL::boolean[], lifetime interval DEFAULT NULL::interval, at timestamp with time zone DEFAULT NULL::timestamp with time zone, OUT ticket bigint)
 RETURNS bigint
 LANGUAGE plpgsql
 SET search_path TO 'pg_catalog', 'pg_temp'
AS $function$
DECLARE
    t record;
    q skillrating_internal.queue_settings;
    joined_at timestamptz := coalesce(at, clock_timestamp());
    ids text[];
    counted text[];
    mean float8;
    entered bigint;
BEGIN
    IF ladder IS NULL OR queue IS NULL OR players IS NULL OR pool IS NULL THEN
        RAISE null_value_not_allowed USING
            MESSAGE = 'ladder, queue, players and pool must not be null';
    END IF;
    t := skillrating_internal.ladder_types(ladder);
    q := skillrating_internal.queue_settings(ladder, queue);
    PERFORM skillrating_internal.check_queue_time('at', joined_at),
        skillrating_internal.check_every('lifetime', lifetime);
    IF region = 0 THEN
        RAISE invalid_parameter_value USING
            MESSAGE = 'region must not be 0',
            HINT = 'It is a set of bits, 1 for the first region, 2 for the second, 3 for both; '
                'null for all.';
    END IF;
    ids := ARRAY(SELECT unnest(players)::text);
    IF cardinality(commander) <> cardinality(ids) THEN
        RAISE array_subscript_error USING
            MESSAGE = format('array commander must have %s elements, not %s', cardinality(ids),
                cardinality(commander));
    END IF;
    counted := ARRAY(
        SELECT skillrating_internal.counted_player(ladder, u.id)
        FROM unnest(ids) WITH ORDINALITY AS u(id, n) ORDER BY u.n);
    PERFORM skillrating_internal.check_party(ladder, q, ids, counted, joined_at);
    SELECT avg(u.mu) INTO mean
    FROM skillrating_internal.queue_estimates(q,
            skillrating_internal.queue_states(ladder, q, ids, joined_at)) AS e,
        unnest(e.mu) AS u(mu);
    -- In one order, so that two parties that share players do not wait for each other.
    EXECUTE format(
        'WITH t AS (
            INSERT INTO %1$I.queue_ticket (queue, pool, region, size, mu, joined_at, expires_at,
                tried_at)
            VALUES ($1, $2, $3, cardinality($4), $7, $8, $8 + $9, $8) RETURNING ticket
        ), p AS (
            INSERT INTO %1$I.queue_player (counts_as, player_id, ticket, commander)
            SELECT u.counted, u.player, t.ticket, u.commander
            FROM t, unnest(CAST($4 AS %2$s[]), CAST($5 AS %2$s[]), $6)
                AS u(player, counted, commander)
            ORDER BY u.counted %3$s
            ON CONFLICT DO NOTHING
            RETURNING 1)
        SELECT t.ticket, (SELECT count(*) FROM p) FROM t', ladder, t.player_type, t.player_order)
    INTO ticket, entered
    USING queue, pool, region, ids, counted, ARRAY(SELECT unnest(commander)), mean, joined_at,
        coalesce(lifetime, q.ticket_lifetime);
    IF entered < cardinality(ids) THEN
        PERFORM skillrating_internal.enter_players(ladder, ticket, ids, counted,
            ARRAY(SELECT unnest(commander)), joined_at);
    END IF;
END
$function$;

COMMENT ON FUNCTION skillrating_internal.queue_join(text,text,anycompatiblearray,text,bigint,boolean[],interval,timestamp with time zone) IS
'The body of skillrating.queue_join(), called once the door to the ladder is open.';

CREATE FUNCTION skillrating.queue_join(ladder text, queue text, players anycompatiblearray, pool text DEFAULT ''::text, region bigint DEFAULT NULL::bigint, commander boolean[] DEFAULT NULL::boolean[], lifetime interval DEFAULT NULL::interval, at timestamp with time zone DEFAULT NULL::timestamp with time zone, OUT ticket bigint)
 RETURNS bigint
 LANGUAGE c
AS 'MODULE_PATHNAME', $function$skillrating_enter$function$;

COMMENT ON FUNCTION skillrating.queue_join(text,text,anycompatiblearray,text,bigint,boolean[],interval,timestamp with time zone) IS
'Has players wait for a match, together on one team, or a single player, and returns the number of
their ticket in table queue_ticket.

Their ratings are those at the time of the match.  Whoever has no rating in the rating_pool of the
queue is a new player.  A player has one ticket at a time in all queues of the ladder, under
whatever account.
pool: only tickets with the same meet.  region: a set of bits, such as the data centers within reach
at an acceptable latency; null for all.
commander: whether each player may command, null for all, in a queue with commanders.
lifetime: the ticket ends when it has waited so long, in place of the ticket_lifetime of the queue.
at: since when they wait, now by default.

Takes INSERT on table queue_ticket and SELECT on rating and component, see grant_matchmaker().
Errors: 42704 for an unknown ladder or queue, 23505 for a player who has a ticket, 22023 for a party
larger than a team, a player who occurs twice or is excluded, two accounts of one player, and a
region of 0; 22004 for nulls, 2202E for an array of another length, 22008 for an infinite time.';

CREATE FUNCTION skillrating_internal.queue_leave(ladder text, players anycompatiblearray, at timestamp with time zone DEFAULT NULL::timestamp with time zone)
 RETURNS TABLE(ticket bigint, queue_name text, waited double precision)
 LANGUAGE plpgsql
 ROWS 1
 SET search_path TO 'pg_catalog', 'pg_temp'
AS $function$
DECLARE
    t record;
    left_at timestamptz := coalesce(at, clock_timestamp());
    ids text[];
    tickets bigint[];
    locked record;
BEGIN
    IF ladder IS NULL OR players IS NULL THEN
        RAISE null_value_not_allowed USING MESSAGE = 'ladder and players must not be null';
    END IF;
    t := skillrating_internal.ladder_types(ladder);
    PERFORM skillrating_internal.check_queue_time('at', left_at);
    IF NOT skillrating_internal.has_queue_tables(ladder) THEN
        RETURN;
    END IF;
    ids := skillrating_internal.id_texts(ARRAY(SELECT unnest(players)::text), t.player_type,
        'players');
    EXECUTE format(
        'SELECT coalesce(array_agg(DISTINCT p.ticket), ''{}'')
        FROM unnest(CAST($1 AS %2$s[])) AS u(counted)
        JOIN %1$I.queue_player AS p ON p.counts_as %3$s u.counted',
        ladder, t.player_type, t.player_equals)
    INTO tickets
    USING ARRAY(SELECT skillrating_internal.counted_player(ladder, u.id) FROM unnest(ids) AS u(id));
    -- In one order, whichever tickets they are of.
    EXECUTE format(
        'SELECT FROM %1$I.queue_proposal AS p
        WHERE p.proposal IN (
            SELECT k.proposal FROM %1$I.queue_ticket AS k WHERE k.ticket = ANY ($1))
        ORDER BY p.proposal FOR UPDATE', ladder)
    USING tickets;
    FOREACH ticket IN ARRAY tickets LOOP
        locked := skillrating_internal.lock_ticket(ladder, ticket);
        IF locked.status = 'waiting' THEN
            PERFORM skillrating_internal.end_tickets(ladder, ARRAY[ticket], 'left', left_at);
        ELSIF locked.status = 'proposed' THEN
            PERFORM skillrating_internal.cancel_proposals(ladder, ARRAY[locked.proposal], 'left',
                ARRAY[ticket], left_at);
        ELSE
            CONTINUE;
        END IF;
        EXECUTE format(
            'SELECT k.queue, greatest(0, extract(epoch FROM k.ended_at - k.joined_at))::float8
            FROM %I.queue_ticket AS k WHERE k.ticket = $1', ladder)
        INTO queue_name, waited USING ticket;
        RETURN NEXT;
    END LOOP;
END
$function$;

COMMENT ON FUNCTION skillrating_internal.queue_leave(text,anycompatiblearray,timestamp with time zone) IS
'The body of skillrating.queue_leave(), called once the door to the ladder is open.';

CREATE FUNCTION skillrating.queue_leave(ladder text, players anycompatiblearray, at timestamp with time zone DEFAULT NULL::timestamp with time zone)
 RETURNS TABLE(ticket bigint, queue_name text, waited double precision)
 LANGUAGE c
 ROWS 1
AS 'MODULE_PATHNAME', $function$skillrating_enter$function$;

COMMENT ON FUNCTION skillrating.queue_leave(text,anycompatiblearray,timestamp with time zone) IS
'Takes players out of the queue of a ladder that they are in, with all of their party: a row for
each ticket that ends, with the seconds that it has waited. No row for a player who has none, or
whose match was just made. A match that not all have accepted is cancelled, and the others wait
again.
at: now by default. Waits for a tick that is looking at the ticket. Takes INSERT on table
queue_ticket, see grant_matchmaker(). Errors: 42704 for an unknown ladder, 22004 for nulls, 22023
for a player who occurs twice, 22008 for an infinite time.';

CREATE FUNCTION skillrating_internal.lock_proposal(ladder text, proposal bigint, players anycompatiblearray, at timestamp with time zone, OUT status text, OUT ids text[])
 RETURNS record
 LANGUAGE plpgsql
 SET search_path TO 'pg_catalog', 'pg_temp'
AS $function$
DECLARE
    t record;
    accept_by timestamptz;
    stranger text;
BEGIN
    IF ladder IS NULL OR proposal IS NULL THEN
        RAISE null_value_not_allowed USING MESSAGE = 'ladder and proposal must not be null';
    END IF;
    t := skillrating_internal.ladder_types(ladder);
    PERFORM skillrating_internal.check_queue_time('at', at);
    IF skillrating_internal.has_queue_tables(ladder) THEN
        -- The last seat of a running match ends its request, whose lock comes first.
        EXECUTE format(
            'SELECT FROM %1$I.queue_backfill AS b
            WHERE b.backfill = (
                SELECT p.backfill FROM %1$I.queue_proposal AS p WHERE p.proposal = $1)
            FOR UPDATE', ladder)
        USING proposal;
        EXECUTE format(
            'UPDATE %I.queue_proposal AS p SET status = p.status WHERE p.proposal = $1
            RETURNING p.status, p.accept_by', ladder)
        INTO status, accept_by USING proposal;
    END IF;
    IF status IS NULL THEN
        RAISE undefined_object USING
            MESSAGE = format('ladder "%s" has no proposal %s', ladder, proposal);
    END IF;
    IF players IS NOT NULL THEN
        ids := skillrating_internal.id_texts(ARRAY(SELECT unnest(players)::text), t.player_type,
            'players');
        EXECUTE format(
            'SELECT min(u.id::text) FROM unnest(CAST($2 AS %2$s[])) AS u(id)
            WHERE NOT EXISTS (
                SELECT FROM %1$I.queue_seat AS s WHERE s.proposal = $1 AND s.player_id %3$s u.id)',
            ladder, t.player_type, t.player_equals)
        INTO stranger USING proposal, ids;
        IF stranger IS NOT NULL THEN
            RAISE invalid_parameter_value USING
                MESSAGE = format('player %s has no seat in proposal %s', stranger, proposal);
        END IF;
    END IF;
    IF status = 'open' AND accept_by <= at THEN
        PERFORM skillrating_internal.cancel_late_proposals(ladder, ARRAY[proposal], at);
        status := 'cancelled';
    END IF;
END
$function$;

COMMENT ON FUNCTION skillrating_internal.lock_proposal(text,bigint,anycompatiblearray,timestamp with time zone) IS
'A part of queue_accept() and queue_decline(): locks a proposal, which is cancelled if its time is
over, and returns what it is, and the players as texts. Errors: 42704 for an unknown proposal, 22023
for a player without a seat in it, 22004 for nulls, 22008 for an infinite time.';

CREATE FUNCTION skillrating_internal.cancel_late_proposals(ladder text, proposals bigint[], at timestamp with time zone)
 RETURNS void
 LANGUAGE plpgsql
 STRICT
 SET search_path TO 'pg_catalog', 'pg_temp'
AS $function$
DECLARE
    faulty bigint[];
BEGIN
    PERFORM skillrating_internal.check_inside(ladder);
    -- Where nobody has answered, perhaps nobody was asked.
    EXECUTE format(
        'SELECT coalesce(array_agg(DISTINCT s.ticket), ''{}'') FROM %1$I.queue_seat AS s
        WHERE s.proposal = ANY ($1) AND s.accepted_at IS NULL AND EXISTS (
            SELECT FROM %1$I.queue_seat AS o
            WHERE o.proposal = s.proposal AND o.accepted_at IS NOT NULL)', ladder)
    INTO faulty USING proposals;
    PERFORM skillrating_internal.cancel_proposals(ladder, proposals, 'not_accepted', faulty, at);
END
$function$;

COMMENT ON FUNCTION skillrating_internal.cancel_late_proposals(text,bigint[],timestamp with time zone) IS
'Cancels open proposals that the caller has locked, because their time is over. Tickets with a
player who has not accepted end, unless nobody in the match has. Error 55000 unless the door to the
ladder is open.';

CREATE FUNCTION skillrating_internal.queue_accept(ladder text, proposal bigint, players anycompatiblearray, at timestamp with time zone DEFAULT NULL::timestamp with time zone, OUT status text)
 RETURNS text
 LANGUAGE plpgsql
 SET search_path TO 'pg_catalog', 'pg_temp'
AS $function$
DECLARE
    t record;
    accepted_at timestamptz := coalesce(at, clock_timestamp());
    ids text[];
    complete boolean;
BEGIN
    SELECT l.status, l.ids INTO status, ids
    FROM skillrating_internal.lock_proposal(ladder, proposal, players, accepted_at) AS l;
    IF status <> 'open' THEN
        RETURN;
    END IF;
    t := skillrating_internal.ladder_types(ladder);
    EXECUTE format(
        'UPDATE %1$I.queue_seat AS s SET accepted_at = $2
        WHERE s.proposal = $1 AND s.accepted_at IS NULL AND ($3 IS NULL OR EXISTS (
            SELECT FROM unnest(CAST($3 AS %2$s[])) AS u(id) WHERE u.id %3$s s.player_id))',
        ladder, t.player_type, t.player_equals)
    USING proposal, accepted_at, ids;
    EXECUTE format(
        'SELECT bool_and(s.accepted_at IS NOT NULL) FROM %I.queue_seat AS s
        WHERE s.proposal = $1', ladder)
    INTO complete USING proposal;
    IF complete THEN
        PERFORM skillrating_internal.finish_proposal(ladder, proposal, accepted_at);
        status := 'made';
    END IF;
END
$function$;

COMMENT ON FUNCTION skillrating_internal.queue_accept(text,bigint,anycompatiblearray,timestamp with time zone) IS
'The body of skillrating.queue_accept(), called once the door to the ladder is open.';

CREATE FUNCTION skillrating.queue_accept(ladder text, proposal bigint, players anycompatiblearray, at timestamp with time zone DEFAULT NULL::timestamp with time zone, OUT status text)
 RETURNS text
 LANGUAGE c
AS 'MODULE_PATHNAME', $function$skillrating_enter$function$;

COMMENT ON FUNCTION skillrating.queue_accept(text,bigint,anycompatiblearray,timestamp with time zone) IS
'Notes that players accept a match that queue_tick() has proposed, or with a null in players that
all do, and returns what the proposal is now: open while others have not accepted, made, or
cancelled, also because its time is over. at: now by default. Takes INSERT on table queue_ticket,
see grant_matchmaker(). Errors: 42704 for an unknown ladder or proposal, 22004 for nulls, 22023 for
a player without a seat in it, 22008 for an infinite time.';

CREATE FUNCTION skillrating_internal.queue_decline(ladder text, proposal bigint, players anycompatiblearray, at timestamp with time zone DEFAULT NULL::timestamp with time zone, OUT status text)
 RETURNS text
 LANGUAGE plpgsql
 SET search_path TO 'pg_catalog', 'pg_temp'
AS $function$
DECLARE
    t record;
    declined_at timestamptz := coalesce(at, clock_timestamp());
    ids text[];
    faulty bigint[];
BEGIN
    SELECT l.status, l.ids INTO status, ids
    FROM skillrating_internal.lock_proposal(ladder, proposal, players, declined_at) AS l;
    IF status <> 'open' OR ids = '{}' THEN
        RETURN;
    END IF;
    t := skillrating_internal.ladder_types(ladder);
    EXECUTE format(
        'SELECT coalesce(array_agg(DISTINCT s.ticket), ''{}'') FROM %1$I.queue_seat AS s
        WHERE s.proposal = $1 AND EXISTS (
            SELECT FROM unnest(CAST($2 AS %2$s[])) AS u(id) WHERE u.id %3$s s.player_id)',
        ladder, t.player_type, t.player_equals)
    INTO faulty USING proposal, ids;
    PERFORM skillrating_internal.cancel_proposals(ladder, ARRAY[proposal], 'declined', faulty,
        declined_at);
    status := 'cancelled';
END
$function$;

COMMENT ON FUNCTION skillrating_internal.queue_decline(text,bigint,anycompatiblearray,timestamp with time zone) IS
'The body of skillrating.queue_decline(), called once the door to the ladder is open.';

CREATE FUNCTION skillrating.queue_decline(ladder text, proposal bigint, players anycompatiblearray, at timestamp with time zone DEFAULT NULL::timestamp with time zone, OUT status text)
 RETURNS text
 LANGUAGE c
AS 'MODULE_PATHNAME', $function$skillrating_enter$function$;

COMMENT ON FUNCTION skillrating.queue_decline(text,bigint,anycompatiblearray,timestamp with time zone) IS
'Cancels a match that not all have accepted, because players decline it: their tickets end, with all
of their parties, and the others wait again, since when they did. With a null in players nobody
is to blame, as if no server is free, and all wait again. Returns what the proposal is: cancelled,
or made if it was too late. at: now by default. Takes INSERT on table queue_ticket, see
grant_matchmaker(). Errors: 42704 for an unknown ladder or proposal, 22004 for nulls, 22023 for a
player without a seat in it, 22008 for an infinite time.';

CREATE FUNCTION skillrating_internal.pair_states(players anycompatiblearray, mu double precision[], mu_2 double precision[], deviation double precision[], weight double precision[], waited double precision[], party integer[], region bigint[], pool text[], command_mu double precision[], commander boolean[], teams integer, team_size integer, log_odds double precision, model text, params jsonb, initial_window double precision, widening double precision, max_window double precision, min_quality double precision, explain boolean, state double precision[])
 RETURNS TABLE(match_number integer, player_id anycompatible, team integer, difference double precision, win_probability double precision, quality double precision, region bigint, commands boolean, why jsonb)
 LANGUAGE c
 STABLE PARALLEL SAFE
AS 'MODULE_PATHNAME', $function$skillrating_pair_queue$function$;

COMMENT ON FUNCTION skillrating_internal.pair_states(anycompatiblearray,double precision[],double precision[],double precision[],double precision[],double precision[],integer[],bigint[],text[],double precision[],boolean[],integer,integer,double precision,text,jsonb,double precision,double precision,double precision,double precision,boolean,double precision[]) IS
'pair_queue() of players whose whole states are known: state has all state columns of the model for
each player, one player after another.  mu and the other arrays take the place of their columns.';

CREATE FUNCTION skillrating_internal.queued_players(ladder text, tickets bigint[], at timestamp with time zone)
 RETURNS skillrating_internal.queued_players
 LANGUAGE plpgsql
 STABLE STRICT
 SET search_path TO 'pg_catalog', 'pg_temp'
AS $function$
DECLARE
    t record := skillrating_internal.ladder_types(ladder);
    result skillrating_internal.queued_players;
BEGIN
    -- In an order that does not depend on who has come first to the table.
    EXECUTE format(
        'WITH p AS (
            SELECT p.player_id::text AS player, coalesce(p.commander, true) AS commander, t.*,
                row_number() OVER (ORDER BY t.joined_at, p.player_id %2$s)::integer AS n
            FROM %1$I.queue_ticket AS t JOIN %1$I.queue_player AS p ON p.ticket = t.ticket
            WHERE t.ticket = ANY ($1)
        ), o AS (
            SELECT p.*, min(p.n) OVER (PARTITION BY p.ticket) AS party FROM p
        )
        SELECT array_agg(o.player ORDER BY o.n), array_agg(o.ticket ORDER BY o.n),
            array_agg(greatest(0, extract(epoch FROM $2 - o.joined_at))::float8 ORDER BY o.n),
            array_agg(CASE WHEN o.size > 1 THEN o.party END ORDER BY o.n),
            array_agg(o.region ORDER BY o.n), array_agg(o.pool ORDER BY o.n),
            array_agg(o.commander ORDER BY o.n)
        FROM o', ladder, t.player_order)
    INTO result USING tickets, at;
    RETURN result;
END
$function$;

COMMENT ON FUNCTION skillrating_internal.queued_players(text,bigint[],timestamp with time zone) IS
'The players of tickets, the longest waiting first. Error 55000 unless the door to the ladder is
open.';

CREATE FUNCTION skillrating_internal.queue_slice(ladder text, q skillrating_internal.queue_settings, at timestamp with time zone)
 RETURNS bigint[]
 LANGUAGE plpgsql
 SET search_path TO 'pg_catalog', 'pg_temp'
AS $function$
DECLARE
    waiting constant text := format(' FROM %I.queue_ticket AS t
        WHERE t.queue = $1 AND t.status = ''waiting''', ladder);
    n bigint;
    anchor record;
    tickets bigint[];
BEGIN
    PERFORM skillrating_internal.check_inside(ladder);
    EXECUTE 'SELECT count(*)' || waiting INTO n USING q.queue;
    IF n <= q.max_tickets THEN
        EXECUTE 'SELECT array_agg(s.ticket) FROM (SELECT t.ticket' || waiting
            || ' FOR UPDATE SKIP LOCKED) AS s'
        INTO tickets USING q.queue;
        RETURN coalesce(tickets, '{}');
    END IF;
    -- The one whom no tick has looked at for longest, and the nearest who may meet.
    EXECUTE 'SELECT t.ticket, t.pool, t.region, t.mu' || waiting
        || ' ORDER BY t.tried_at, t.joined_at, t.mu, t.ticket LIMIT 1 FOR UPDATE SKIP LOCKED'
    INTO anchor USING q.queue;
    IF anchor.ticket IS NULL THEN
        RETURN '{}';
    END IF;
    EXECUTE format(
        'WITH above AS MATERIALIZED (
            %1$s AND t.mu >= $3 ORDER BY t.mu LIMIT $5 FOR UPDATE SKIP LOCKED
        ), below AS MATERIALIZED (
            %1$s AND t.mu < $3 ORDER BY t.mu DESC LIMIT $5 FOR UPDATE SKIP LOCKED
        ), near AS (
            SELECT a.ticket FROM above AS a UNION SELECT b.ticket FROM below AS b UNION SELECT $6
        ), tried AS (
            UPDATE %2$I.queue_ticket AS t SET tried_at = $7 FROM near AS n WHERE t.ticket = n.ticket
        )
        SELECT array_agg(n.ticket) FROM near AS n',
        'SELECT t.ticket' || waiting || ' AND t.pool = $2 AND ($4 IS NULL OR t.region IS NULL
            OR t.region & $4 <> 0)', ladder)
    INTO tickets
    USING q.queue, anchor.pool, anchor.mu, anchor.region, q.max_tickets / 2, anchor.ticket, at;
    RETURN tickets;
END
$function$;

COMMENT ON FUNCTION skillrating_internal.queue_slice(text,skillrating_internal.queue_settings,timestamp with time zone) IS
'Locks the tickets that a tick looks at, and that no other session is at work on: all that wait, or
if these are more than max_tickets, those nearest in skill to the one that has not been looked at
for longest, in its pool and regions. So workers at the same time have different parts of the range
of skills, in each of which there are neighbours. Error 55000 unless the door to the ladder is
open.';

CREATE FUNCTION skillrating_internal.write_proposals(ladder text, q skillrating_internal.queue_settings, seats skillrating_internal.queue_found[], backfill bigint, at timestamp with time zone)
 RETURNS bigint[]
 LANGUAGE plpgsql
 SET search_path TO 'pg_catalog', 'pg_temp'
AS $function$
DECLARE
    t record := skillrating_internal.ladder_types(ladder);
    made boolean := q.accept_within IS NULL;
    proposals bigint[];
BEGIN
    EXECUTE format(
        'WITH f AS MATERIALIZED (
            SELECT f.* FROM unnest($1) AS f
        ), n AS MATERIALIZED (
            SELECT nextval(%3$L) AS proposal, n.*
            FROM (
                SELECT f.match_number, min(f.pool) AS pool, min(f.region) AS region,
                    min(f.quality) AS quality, min(f.difference) AS difference,
                    (array_agg(f.why ORDER BY f.why IS NULL))[1] AS why
                FROM f GROUP BY f.match_number ORDER BY f.match_number) AS n
        ), p AS (
            INSERT INTO %1$I.queue_proposal (proposal, queue, backfill, pool, region, status,
                proposed_at, accept_by, ended_at, quality, difference, why)
            SELECT n.proposal, $2, $3, n.pool, n.region,
                CASE WHEN $5 THEN ''made'' ELSE ''open'' END, $4, $4 + $6, CASE WHEN $5 THEN $4 END,
                n.quality, n.difference, n.why
            FROM n
        ), s AS (
            INSERT INTO %1$I.queue_seat (proposal, player_id, team, ticket, waited, win_probability,
                commands)
            SELECT n.proposal, CAST(f.player_id AS %2$s), f.team, f.ticket, f.waited,
                f.win_probability, f.commands
            FROM f JOIN n ON n.match_number = f.match_number
        ), k AS (
            UPDATE %1$I.queue_ticket AS k
            SET status = CASE WHEN $5 THEN ''matched'' ELSE ''proposed'' END, proposal = n.proposal,
                ended_at = CASE WHEN $5 THEN $4 END
            FROM (SELECT DISTINCT f.ticket, f.match_number FROM f) AS f
            JOIN n ON n.match_number = f.match_number
            WHERE k.ticket = f.ticket
        ), d AS (
            DELETE FROM %1$I.queue_player AS p
            WHERE $5 AND p.ticket IN (SELECT f.ticket FROM f)
        ), b AS (
            INSERT INTO %1$I.queue_backfill_player (backfill, player_id, counts_as, team, proposal)
            SELECT $3, p.player_id, p.counts_as, f.team, n.proposal
            FROM f JOIN n ON n.match_number = f.match_number
            JOIN %1$I.queue_player AS p ON p.ticket = f.ticket
                AND p.player_id %4$s CAST(f.player_id AS %2$s)
            WHERE $3 IS NOT NULL
        ), r AS (
            UPDATE %1$I.queue_backfill AS r SET status = r.status WHERE r.backfill = $3
        )
        SELECT coalesce(array_agg(n.proposal ORDER BY n.proposal), ''{}'') FROM n',
        ladder, t.player_type,
        pg_get_serial_sequence(format('%I.queue_proposal', ladder), 'proposal'), t.player_equals)
    INTO proposals USING seats, q.queue, backfill, at, made, q.accept_within;
    IF made AND backfill IS NOT NULL THEN
        PERFORM skillrating_internal.close_full_backfills(ladder, proposals, at);
    END IF;
    PERFORM skillrating_internal.notify_proposals(ladder, proposals);
    RETURN proposals;
END
$function$;

COMMENT ON FUNCTION skillrating_internal.write_proposals(text,skillrating_internal.queue_settings,skillrating_internal.queue_found[],bigint,timestamp with time zone) IS
'Writes the matches that a tick has found, or players for a running match (backfill), of tickets
that it has locked, and returns their numbers. Error 55000 unless the door to the ladder is open.';

CREATE FUNCTION skillrating_internal.make_matches(ladder text, q skillrating_internal.queue_settings, max_matches bigint, explain boolean, at timestamp with time zone)
 RETURNS bigint[]
 LANGUAGE plpgsql
 SET search_path TO 'pg_catalog', 'pg_temp'
AS $function$
DECLARE
    tickets bigint[];
    p skillrating_internal.queued_players;
    e record;
    states float8[];
    found_players skillrating_internal.queue_found[];
BEGIN
    PERFORM skillrating_internal.check_inside(ladder);
    IF max_matches <= 0 THEN
        RETURN '{}';
    END IF;
    tickets := skillrating_internal.queue_slice(ladder, q, at);
    IF tickets = '{}' THEN
        RETURN '{}';
    END IF;
    p := skillrating_internal.queued_players(ladder, tickets, at);
    states := skillrating_internal.queue_states(ladder, q, p.players, at);
    e := skillrating_internal.queue_estimates(q, states);
    -- With the number of each player in the place of the name, planned for as many as there are.
    EXECUTE
        'SELECT array_agg(ROW(m.match_number, u.player, m.team, u.ticket, u.waited, u.pool,
            m.region, m.win_probability, m.quality, m.difference, m.commands, m.why)
            ::skillrating_internal.queue_found ORDER BY m.match_number, m.n)
        FROM skillrating_internal.pair_states(ARRAY(SELECT generate_series(1, cardinality($1))), $2,
            $3, NULL, NULL, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18,
            $19, $20) WITH ORDINALITY AS m(match_number, player, team, difference, win_probability,
                quality, region, commands, why, n)
        JOIN unnest($1, $21, $4, $7) WITH ORDINALITY AS u(player, ticket, waited, pool, n)
            ON u.n = m.player
        WHERE m.match_number <= $22'
    INTO found_players
    USING p.players, e.mu, e.mu_2, p.waited, p.party, p.region, p.pool, e.command_mu,
        CASE WHEN q.commanders THEN p.commander END, q.teams, q.team_size, q.log_odds, q.model,
        q.params, q.initial_window, q.widening, q.max_window, q.min_quality, explain, states,
        p.tickets, max_matches;
    RETURN CASE WHEN found_players IS NULL THEN '{}'
        ELSE skillrating_internal.write_proposals(ladder, q, found_players, NULL, at) END;
END
$function$;

COMMENT ON FUNCTION skillrating_internal.make_matches(text,skillrating_internal.queue_settings,bigint,boolean,timestamp with time zone) IS
'A part of queue_tick(): makes matches of a part of the queue, by pair_queue(), and returns the
numbers of their proposals. Error 55000 unless the door to the ladder is open.';

CREATE FUNCTION skillrating_internal.end_overdue(ladder text, q skillrating_internal.queue_settings, at timestamp with time zone)
 RETURNS void
 LANGUAGE plpgsql
 SET search_path TO 'pg_catalog', 'pg_temp'
AS $function$
DECLARE
    overdue bigint[];
BEGIN
    PERFORM skillrating_internal.check_inside(ladder);
    EXECUTE format(
        'SELECT coalesce(array_agg(p.proposal), ''{}'') FROM (
            SELECT p.proposal FROM %I.queue_proposal AS p
            WHERE p.queue = $1 AND p.status = ''open'' AND p.accept_by <= $2
            FOR UPDATE SKIP LOCKED) AS p', ladder)
    INTO overdue USING q.queue, at;
    PERFORM skillrating_internal.cancel_late_proposals(ladder, overdue, at);
    EXECUTE format(
        'SELECT array_agg(t.ticket) FROM (
            SELECT t.ticket FROM %I.queue_ticket AS t
            WHERE t.queue = $1 AND t.status = ''waiting'' AND t.expires_at <= $2
            FOR UPDATE SKIP LOCKED) AS t', ladder)
    INTO overdue USING q.queue, at;
    PERFORM skillrating_internal.end_tickets(ladder, overdue, 'expired', at);
    EXECUTE format(
        'UPDATE %1$I.queue_backfill AS b SET status = ''ended'', reason = ''expired'', ended_at = $2
        WHERE b.backfill IN (
            SELECT o.backfill FROM %1$I.queue_backfill AS o
            WHERE o.queue = $1 AND o.status = ''open'' AND o.expires_at <= $2
            FOR UPDATE SKIP LOCKED)', ladder)
    USING q.queue, at;
    -- A proposal that somebody is answering is left to the next tick.
    EXECUTE format(
        'SELECT coalesce(array_agg(p.proposal), ''{}'') FROM (
            SELECT p.proposal FROM %1$I.queue_proposal AS p
            JOIN %1$I.queue_backfill AS b ON b.backfill = p.backfill
            WHERE p.queue = $1 AND p.status = ''open'' AND b.status = ''ended''
            ORDER BY p.proposal FOR UPDATE OF p SKIP LOCKED) AS p', ladder)
    INTO overdue USING q.queue;
    PERFORM skillrating_internal.cancel_proposals(ladder, overdue, 'expired', '{}', at);
END
$function$;

COMMENT ON FUNCTION skillrating_internal.end_overdue(text,skillrating_internal.queue_settings,timestamp with time zone) IS
'A part of queue_tick(): ends what has waited too long: proposals for players to accept, and tickets
and backfills for a match, with the open proposals of these. Error 55000 unless the door to the
ladder is open.';

CREATE FUNCTION skillrating_internal.trim_queue(ladder text, q skillrating_internal.queue_settings, at timestamp with time zone)
 RETURNS void
 LANGUAGE plpgsql
 SET search_path TO 'pg_catalog', 'pg_temp'
AS $function$
DECLARE
    -- So many at a time, to keep ticks short.
    most constant integer := 2000;
    old constant text := format(' AS o WHERE o.queue = $1 AND o.ended_at < $2 LIMIT %s
        FOR UPDATE SKIP LOCKED', most);
BEGIN
    PERFORM skillrating_internal.check_inside(ladder);
    IF q.keep IS NULL THEN
        RETURN;
    END IF;
    EXECUTE format(
        'DELETE FROM %1$I.queue_ticket AS t
        WHERE t.ticket = ANY (ARRAY(SELECT o.ticket FROM %1$I.queue_ticket%2$s))', ladder, old)
    USING q.queue, at - q.keep;
    EXECUTE format(
        'WITH o AS MATERIALIZED (SELECT o.proposal FROM %1$I.queue_proposal%2$s),
        s AS (DELETE FROM %1$I.queue_seat AS s USING o WHERE s.proposal = o.proposal)
        DELETE FROM %1$I.queue_proposal AS p USING o WHERE p.proposal = o.proposal',
        ladder, old)
    USING q.queue, at - q.keep;
    EXECUTE format(
        'WITH o AS MATERIALIZED (SELECT o.backfill FROM %1$I.queue_backfill%2$s),
        p AS (DELETE FROM %1$I.queue_backfill_player AS p USING o WHERE p.backfill = o.backfill)
        DELETE FROM %1$I.queue_backfill AS b USING o WHERE b.backfill = o.backfill',
        ladder, old)
    USING q.queue, at - q.keep;
END
$function$;

COMMENT ON FUNCTION skillrating_internal.trim_queue(text,skillrating_internal.queue_settings,timestamp with time zone) IS
'A part of queue_tick(): deletes tickets, proposals and backfills that have ended longer ago than
they are to be kept, some at a time. Error 55000 unless the door to the ladder is open.';

CREATE FUNCTION skillrating_internal.queue_tick(ladder text, queue text, max_matches integer DEFAULT NULL::integer, explain boolean DEFAULT false, at timestamp with time zone DEFAULT NULL::timestamp with time zone)
 RETURNS TABLE(proposal bigint, backfill bigint, status text, player_id text, team integer, ticket bigint, waited double precision, win_probability double precision, quality double precision, difference double precision, region bigint, commands boolean, why jsonb)
 LANGUAGE plpgsql
 ROWS 100
 SET search_path TO 'pg_catalog', 'pg_temp'
AS $function$
DECLARE
    t record;
    q skillrating_internal.queue_settings;
    tick_at timestamptz := coalesce(at, clock_timestamp());
    most bigint := coalesce(max_matches, 2147483647);
    made bigint[];
BEGIN
    IF ladder IS NULL OR queue IS NULL OR explain IS NULL THEN
        RAISE null_value_not_allowed USING
            MESSAGE = 'ladder, queue and explain must not be null';
    END IF;
    IF max_matches < 0 THEN
        RAISE invalid_parameter_value USING
            MESSAGE = format('max_matches must not be negative, not %s', max_matches);
    END IF;
    t := skillrating_internal.ladder_types(ladder);
    PERFORM skillrating_internal.check_queue_time('at', tick_at);
    q := skillrating_internal.queue_settings(ladder, queue);
    PERFORM skillrating_internal.end_overdue(ladder, q, tick_at),
        skillrating_internal.trim_queue(ladder, q, tick_at);
    made := skillrating_internal.fill_backfills(ladder, q, most, tick_at);
    made := made || skillrating_internal.make_matches(ladder, q, most - cardinality(made), explain,
        tick_at);
    RETURN QUERY EXECUTE format(
        'SELECT p.proposal, p.backfill, p.status, s.player_id::text, s.team, s.ticket, s.waited,
            s.win_probability, p.quality, p.difference, p.region, s.commands,
            CASE WHEN row_number() OVER (
                PARTITION BY p.proposal ORDER BY s.team, s.player_id %2$s) = 1 THEN p.why END
        FROM %1$I.queue_proposal AS p JOIN %1$I.queue_seat AS s ON s.proposal = p.proposal
        WHERE p.proposal = ANY ($1)
        ORDER BY p.proposal, s.team, s.player_id %2$s', ladder, t.player_order)
    USING made;
END
$function$;

COMMENT ON FUNCTION skillrating_internal.queue_tick(text,text,integer,boolean,timestamp with time zone) IS
'The body of skillrating.queue_tick(), called once the door to the ladder is open.';

CREATE FUNCTION skillrating.queue_tick(ladder text, queue text, max_matches integer DEFAULT NULL::integer, explain boolean DEFAULT false, at timestamp with time zone DEFAULT NULL::timestamp with time zone)
 RETURNS TABLE(proposal bigint, backfill bigint, status text, player_id text, team integer, ticket bigint, waited double precision, win_probability double precision, quality double precision, difference double precision, region bigint, commands boolean, why jsonb)
 LANGUAGE c
 ROWS 100
AS 'MODULE_PATHNAME', $function$skillrating_enter$function$;

COMMENT ON FUNCTION skillrating.queue_tick(text,text,integer,boolean,timestamp with time zone) IS
'Does what is due for a queue, in one transaction: ends tickets and proposals whose time is over,
finds players for running matches that ask for some (queue_backfill()), and then makes matches of
those who wait, as pair_queue() does, of their ratings now. Several workers can do that at the same
time: what one has locked the others leave alone.

Result: a row for each player who got a seat, by match and team.
proposal: the match, in tables queue_proposal and queue_seat.  backfill: the running match that the
player joins, or null.  status: made, or open where the queue has accept_within: queue_accept() and
queue_decline() follow.
ticket, waited: of the player, and its seconds in the queue.
win_probability, quality, difference, region, commands, why: as for pair_queue(), by the model of
the ladder and all that it knows of each player, but not of sides, maps and clubs: see preview().

max_matches: at most so many, null for no limit.  explain: says why, as in pair_queue().
at: the time, now by default.

With more tickets than max_tickets of the queue, a call looks at a part of them, and the next one at
another: call it while it returns rows, and again a moment later.

Takes INSERT on table queue_ticket and SELECT on rating and component, see grant_matchmaker().
Errors: 42704 for an unknown ladder or queue, 22004 for nulls, 22023 for a negative max_matches,
22008 for an infinite time, and those of pair_queue().';

CREATE FUNCTION skillrating_internal.tick_queues(ladder text)
 RETURNS bigint
 LANGUAGE plpgsql
 STRICT
 SET search_path TO 'pg_catalog', 'pg_temp'
AS $function$
DECLARE
    q record;
    matches bigint := 0;
    n bigint;
BEGIN
    PERFORM skillrating_internal.check_inside(ladder);
    IF NOT skillrating_internal.has_queue_tables(ladder) THEN
        RETURN 0;
    END IF;
    -- As often as it takes to look at each ticket.
    FOR q IN EXECUTE format(
        'SELECT q.queue,
            greatest(1, ceil(count(t.ticket)::numeric / q.max_tickets))::integer AS ticks
        FROM %1$I.queue AS q
        LEFT JOIN %1$I.queue_ticket AS t ON t.queue = q.queue AND t.status = ''waiting''
        GROUP BY q.queue ORDER BY q.queue', ladder)
    LOOP
        FOR tick IN 1 .. q.ticks LOOP
            SELECT count(DISTINCT m.proposal) INTO n
            FROM skillrating.queue_tick(ladder, q.queue) AS m;
            matches := matches + n;
        END LOOP;
    END LOOP;
    RETURN matches;
END
$function$;

COMMENT ON FUNCTION skillrating_internal.tick_queues(text) IS
'A part of work_step(): ticks of all queues of a ladder, and how many matches they made. Error 55000
unless the door to the ladder is open.';

CREATE OR REPLACE FUNCTION skillrating_internal.split_model(ladder text, caution double precision, sides boolean, commanders boolean)
 RETURNS TABLE(name text, params jsonb, nstate integer, deviation integer, side integer, command integer)
 LANGUAGE plpgsql
 STABLE
 SET search_path TO 'pg_catalog', 'pg_temp'
AS $function$
BEGIN
    PERFORM skillrating_internal.ladder_types(ladder);
    EXECUTE format(
        'SELECT m.name, l.params, cardinality(m.state_columns),
            array_position(m.state_columns, m.deviation_column),
            array_position(m.state_columns, m.side_column),
            array_position(m.state_columns, m.command_column)
        FROM %I.ladder AS l JOIN skillrating.models() AS m ON m.name = l.model', ladder)
    INTO name, params, nstate, deviation, side, command;
    IF caution <> 0 AND deviation IS NULL THEN
        RAISE invalid_parameter_value USING
            MESSAGE = format('model "%s" has no deviation to be cautious about', name);
    END IF;
    IF sides AND side IS NULL OR commanders AND command IS NULL THEN
        RAISE invalid_parameter_value USING
            MESSAGE = CASE WHEN sides AND side IS NULL THEN format('model "%s" has no sides', name)
                ELSE format('model "%s" has no commanders', name) END;
    END IF;
    RETURN NEXT;
END
$function$;

COMMENT ON FUNCTION skillrating_internal.split_model(text,double precision,boolean,boolean) IS
'The model of a ladder, with its parameters, the number of its state columns, and the places of
those with a role.  Errors: 22023 for caution, sides or commanding that the model has no column for.';

COMMENT ON FUNCTION skillrating_internal.check_components_readable(text) IS
'Error 42501 unless the caller of a function may read table component, or the ladder has none in
use.
A forecast is made of components, and preview(), called from inside, asks the owner''s rights only.';

COMMENT ON FUNCTION skillrating_internal.split_ladder(text,anycompatiblearray,double precision[],integer[],integer[],text[],integer[],double precision[],integer[],boolean[],text[],text[],integer,integer,text,boolean,boolean,double precision,double precision,text,text,double precision,double precision,bigint,timestamp with time zone,boolean) IS
'The body of skillrating.split_ladder(), called once the door to the ladder is open.';

COMMENT ON FUNCTION skillrating.split_ladder(text,anycompatiblearray,double precision[],integer[],integer[],text[],integer[],double precision[],integer[],boolean[],text[],text[],integer,integer,text,boolean,boolean,double precision,double precision,text,text,double precision,double precision,bigint,timestamp with time zone,boolean) IS
'split_teams() with the estimates that players have in a pool of a ladder, and with its model, which
says what teams are and when a split is balanced, from all that it knows of the players.  A
player without a rating has the initial state.

Result: a row for each player, in the order of players.  mu: the estimate that was used, after the
time since the last match, on no side and less caution.  difference: as in split_teams(), in the
points of the model.
win_probability: of the player''s own team, as preview() says for these teams with squad => party
and the same weight, log_odds and, where asked for, sides and commanders; null on the bench.
The other columns are those of split_teams().

caution: so many deviations are taken off each estimate, under a model that has them, so that
players of whom little is known count less.
sides: under hive, the first team is on side 1, and players count with their side offsets.
commanders: each team gets a commander, one of those whom commander allows (null: all), who counts
by command skill.
at: the time of the match, now by default, to which the players'' states are aged as by preview().
context, club: where or as what each plays, one element being that of all, and for whom, as in
preview().  What a player has in a context counts to the estimate; what contexts and clubs mean to
sides and teams shows in win_probability, and log_odds can even it out.
An account that is merged has the state of the player it is merged into, and its row comes back
under the identifier that was given.
The other arguments are those of split_teams().
Under a model with components it takes SELECT on table component besides.

Errors: 42704 for an unknown ladder; 22023 for caution, sides or commanders under a model without,
and for two accounts of one player; 22004 for nulls; 22008 for an infinite at; and as
split_teams().';

CREATE OR REPLACE FUNCTION skillrating_internal.find_opponents(ladder text, player_id anycompatible, n integer DEFAULT 10, pool text DEFAULT ''::text, min_games bigint DEFAULT 0, active_since timestamp with time zone DEFAULT NULL::timestamp with time zone, max_deviation double precision DEFAULT NULL::double precision, at timestamp with time zone DEFAULT NULL::timestamp with time zone, context text DEFAULT NULL::text, explain boolean DEFAULT false)
 RETURNS SETOF skillrating.opponent
 LANGUAGE plpgsql
 STABLE
 SET search_path TO 'pg_catalog', 'pg_temp'
AS $function$
DECLARE
    t record := skillrating_internal.ladder_types(ladder);
    board text := skillrating_internal.board(ladder, pool, at);
    eligible text := skillrating_internal.eligible_players(ladder, min_games, max_deviation)
        || ' AND ' || skillrating_internal.counting_rows(ladder);
    player text := skillrating_internal.counted_player(ladder, player_id::text);
    player_rating float8;
    terms jsonb;
    costliest jsonb;
    nearest float8;
BEGIN
    IF n IS NULL OR n < 0 THEN
        RAISE invalid_parameter_value USING
            MESSAGE = format('n must not be negative or null, not %s', n);
    END IF;
    IF player_id IS NULL THEN
        RETURN;
    END IF;
    PERFORM skillrating_internal.check_components_readable(ladder);
    EXECUTE format(
        'WITH board AS %4$s
        SELECT coalesce((SELECT r.rating FROM board AS r WHERE r.pool = $1 AND r.player_id %2$s CAST($2 AS %3$s)),
            skillrating.state_rating(l.model, skillrating.initial_state(l.model, l.params), l.params)) FROM %1$I.ladder AS l',
        ladder, t.player_equals, t.player_type, board)
    INTO player_rating USING pool, player;
    IF explain THEN
        -- The condition without which an opponent would be nearer; of the others none is dropped.
        SELECT abs(o.win_probability - 0.5) INTO nearest
        FROM skillrating.find_opponents(ladder, player_id, 1, pool, min_games, active_since,
            max_deviation, at => at, context => context) AS o;
        SELECT jsonb_build_object('if', 'there is no ' || c.condition, 'opponent', o.player_id,
            'win_probability', o.win_probability, 'off', abs(o.win_probability - 0.5),
            'cost', nearest - abs(o.win_probability - 0.5))
        INTO costliest
        FROM (VALUES ('min_games', min_games > 0), ('active_since', active_since IS NOT NULL),
                ('max_deviation', max_deviation IS NOT NULL)) AS c(condition, is_there),
            skillrating.find_opponents(ladder, player_id, 1, pool,
                CASE c.condition WHEN 'min_games' THEN 0 ELSE min_games END,
                CASE c.condition WHEN 'active_since' THEN NULL ELSE active_since END,
                CASE c.condition WHEN 'max_deviation' THEN NULL ELSE max_deviation END,
                at => at, context => context) AS o
        WHERE c.is_there AND abs(o.win_probability - 0.5) < coalesce(nearest, 1)
        ORDER BY abs(o.win_probability - 0.5), c.condition LIMIT 1;
        terms := jsonb_build_object('rating', player_rating);
    END IF;
    -- The index gives twice as many as are wanted on either side, among whom the model decides.
    RETURN QUERY EXECUTE format(
        'WITH board AS %1$s, near AS (
            (SELECT r.* FROM board AS r
                WHERE %2$s AND r.rating >= $5 AND NOT r.player_id %3$s CAST($6 AS %4$s)
                ORDER BY r.rating, r.player_id DESC LIMIT 2 * $7)
            UNION ALL
            (SELECT r.* FROM board AS r
                WHERE %2$s AND r.rating < $5 AND NOT r.player_id %3$s CAST($6 AS %4$s)
                ORDER BY r.rating DESC, r.player_id LIMIT 2 * $7)
        )
        SELECT n.player_id::text, n.rating, n.games, w.win_probability,
            CASE WHEN $9 IS NOT NULL THEN jsonb_build_object(
                ''terms'', $9 || jsonb_build_object(''difference'', $5 - n.rating,
                    ''off'', abs(w.win_probability - 0.5)),
                ''alternative'', lead(n.player_id::text) OVER (
                    ORDER BY abs(w.win_probability - 0.5), n.rating DESC, n.player_id),
                ''constraint'', $10) END
        FROM near AS n,
            skillrating.win_probability($8, ARRAY[CAST($6 AS %4$s), n.player_id], ARRAY[1, 2],
                pool => $1, at => coalesce($11, now()), context => ARRAY[$12]) AS w
        WHERE w.team = 1
        ORDER BY abs(w.win_probability - 0.5), n.rating DESC, n.player_id LIMIT $7',
        board, eligible, t.player_equals, t.player_type)
    USING pool, min_games, active_since, max_deviation, player_rating, player, n, ladder,
        terms, costliest, at, context;
END
$function$;

COMMENT ON FUNCTION skillrating_internal.find_opponents(text,anycompatible,integer,text,bigint,timestamp with time zone,double precision,timestamp with time zone,text,boolean) IS
'The body of skillrating.find_opponents(), called once the door to the ladder is open.';

COMMENT ON FUNCTION skillrating.find_opponents(text,anycompatible,integer,text,bigint,timestamp with time zone,double precision,timestamp with time zone,text,boolean) IS
'The n opponents with whom a match of two would be most even, the most even first.

Of the 2 n players above and the 2 n below in the leaderboard with the same conditions (see
leaderboard()), these are the ones whose win probability by the ladder''s model is nearest to one
half; win_probability is that of the player.  A player without a rating has the initial state.
at: the time of the match, for which ratings are computed as in leaderboard(); by default it is
played now, among the ratings that are stored.  context: where or as what both play, for the win
probability.
explain: each row says why: the player''s rating, the difference, and how far the probability is
from one half (terms), the next best opponent (alternative), and the condition without which the
best opponent would be nearer (constraint).

No rows for a null player.  An account that is merged counts as the player it is merged into, and
is nobody''s opponent.  Under a model with components it takes SELECT on table component besides.
Errors: 42704 for an unknown ladder, 22023 for a negative n or min_games, 22008 for an infinite at.';

CREATE OR REPLACE FUNCTION skillrating_internal.keep_changes(ladder text, keep boolean DEFAULT true)
 RETURNS void
 LANGUAGE plpgsql
 STRICT
 SET search_path TO 'pg_catalog', 'pg_temp'
AS $function$
DECLARE
    t record := skillrating_internal.ladder_types(ladder);
    kept boolean := to_regclass(format('%I.change', ladder)) IS NOT NULL;
BEGIN
    IF kept = keep THEN
        IF keep THEN
            RAISE NOTICE 'ladder "%" keeps its changes already', ladder;
        ELSE
            RAISE NOTICE 'ladder "%" does not keep its changes', ladder;
        END IF;
        RETURN;
    END IF;
    IF NOT keep THEN
        -- Whoever does these tasks ends before the table goes.
        IF (SELECT bool_or(skillrating_internal.end_task(ladder, e.task))
            FROM unnest('{notify,trim_changes}'::text[]) AS e(task))
        THEN
            RAISE NOTICE 'work() no longer notifies of changes of ladder "%", and no longer trims them', ladder;
        END IF;
        IF skillrating_internal.end_pushes(ladder) THEN
            RAISE NOTICE 'ratings of ladder "%" are no longer pushed to other tables', ladder;
        END IF;
        EXECUTE format('DROP TABLE %I.change', ladder);
        RETURN;
    END IF;
    EXECUTE format(
        'CREATE TABLE %I.change (
            number bigint GENERATED BY DEFAULT AS IDENTITY PRIMARY KEY,
            origin bigint NOT NULL,
            xact xid8 NOT NULL,
            changed_at timestamptz NOT NULL DEFAULT clock_timestamp(),
            kind text NOT NULL,
            operation bigint,
            player_id %s[] NOT NULL,
            pool text[] NOT NULL,
            match_id %s[],
            counts bigint[] NOT NULL,
            times timestamptz[] NOT NULL,
            numbers float8[] NOT NULL)
        WITH (toast_tuple_target = 8160)', ladder, t.player_type, t.match_type);
    EXECUTE format('CREATE INDEX ON %I.change (xact)', ladder);
    EXECUTE format('COMMENT ON TABLE %I.change IS %L', ladder,
        'What happened to ratings, for skillrating.changes(): a row for up to 64 rows of rating that the same piece of work changed, with the transaction that did it. The arrays have, for each of them: player_id, pool, the last match (match_id), counts (games before, or -1 if there was no row; games, or -1 if there is none any more; wins, draws, losses), times (last_played, as_of; -infinity is null) and numbers (displayed rating before and after, the state). Row 0 has the last transaction whose rows trim_changes() removed.');
    PERFORM skillrating_internal.renew_ladder_cache(ladder);
END
$function$;

COMMENT ON FUNCTION skillrating_internal.keep_changes(text,boolean) IS
'The body of skillrating.keep_changes(), called once the door to the ladder is open.';

COMMENT ON FUNCTION skillrating_internal.changes(text,text,bigint) IS
'The body of skillrating.changes(), called once the door to the ladder is open.';

COMMENT ON FUNCTION skillrating.changes(text,text,bigint) IS
'What has happened to the ratings of a ladder since a cursor, or with a null cursor all ratings as
they are: a row for each change of a row of rating, in the order in which it changed, at most
max_changes of them after a cursor, and last a row that has nothing but the next cursor. kind says
why: match, correction, season, decay, settle, set, seed, reset, refund, forget, swap, empty (by
reset_ladder), or start for a null cursor; match_id is the last match of the batch, operation the
number in table operation.
What is after the change is all that rating has, with the state in the order of its columns; null
in games_after says that the row is gone. Changes come once their transaction has committed, each
exactly once, and not those of the calling transaction. Errors: 22023 for what is no cursor, 24000
if a reader has to start again: after a restore, a promotion, or when trim_changes() has removed
what the reader has not had; 40001 for a transaction whose snapshot is older than the cursor or the
ladder''s tables; 55000 on a standby or a subscriber, if the ladder does not keep its changes, or if
the transaction that starts has changed ratings.';

COMMENT ON FUNCTION skillrating_internal.trim_changes(text,timestamp with time zone) IS
'The body of skillrating.trim_changes(), called once the door to the ladder is open.';

CREATE OR REPLACE FUNCTION skillrating_internal.write_inserted()
 RETURNS trigger
 LANGUAGE plpgsql
 SET search_path TO 'pg_catalog', 'pg_temp'
AS $function$
DECLARE
    ladder constant text := TG_ARGV[0];
    t record := skillrating_internal.ladder_types(ladder);
    m record;
    players text[];
BEGIN
    FOR m IN SELECT w.* FROM skillrating_internal.working_mirrors(ladder, TG_RELID) AS w LOOP
        IF TG_LEVEL = 'ROW' THEN
            EXECUTE format('SELECT ARRAY[($1).%I::text]', m.key) INTO players USING NEW;
        ELSE
            EXECUTE format('SELECT array_agg(DISTINCT i.%1$I::text) FROM inserted AS i', m.key)
            INTO players;
        END IF;
        players := coalesce(array_remove(players, NULL), '{}');
        -- Whoever is rating them does not see these rows: one waits for the other, and the second
        -- writes what is right. In the order in which those who rate lock players.
        EXECUTE format(
            'SELECT FROM unnest(CAST($1 AS %2$s[])) AS u(player)
            JOIN %1$I.rating AS r ON r.player_id %3$s u.player
            WHERE r.pool = $2 ORDER BY r.player_id%4$s FOR SHARE OF r',
            ladder, t.player_type, t.player_equals, t.player_order)
        USING players, m.pool;
        PERFORM skillrating_internal.write_mirror(ladder, TG_RELID, m.key, m.pool, m.columns,
            players);
    END LOOP;
    RETURN NULL;
END
$function$;

COMMENT ON FUNCTION skillrating_internal.write_inserted() IS
'The body of fill_mirror(): gives the rows that were inserted into a mirrored table the ratings of
their players, whom nobody rates until the end of the transaction. The argument is the ladder; the
rows are the transition table inserted, or NEW.';

CREATE OR REPLACE FUNCTION skillrating_internal.check_mirror(ladder text, relation regclass, key text, columns jsonb, pool text)
 RETURNS void
 LANGUAGE plpgsql
 STRICT
 SET search_path TO 'pg_catalog', 'pg_temp'
AS $function$
DECLARE
    t record := skillrating_internal.ladder_types(ladder);
    kind "char" := (SELECT c.relkind FROM pg_class AS c WHERE c.oid = relation);
    key_type regtype;
    c record;
BEGIN
    IF kind NOT IN ('r', 'p', 'f') THEN
        RAISE wrong_object_type USING
            MESSAGE = format('%s is not a table', relation),
            HINT = 'Ratings are written to tables, partitioned and foreign ones too. Name the '
                'table behind a view.';
    END IF;
    PERFORM skillrating_internal.check_mirror_owner(ladder, relation);
    IF relation IN (
        SELECT to_regclass(format('%I.%I', ladder, n.name))
        FROM unnest(ARRAY['attached', 'change', 'component', 'component_event', 'correction', 'event',
            'component_horizon', 'horizon', 'season_horizon',
            'ladder', 'match', 'match_player', 'mirror', 'operation', 'pending', 'rated_match', 'rating', 'rating_count', 'rating_count_delta', 'solved',
            'solved_context', 'standing', 'work', 'replica_note', 'push', 'push_failure']) AS n(name))
    THEN
        RAISE invalid_parameter_value USING
            MESSAGE = format('table %s is one of the ladder''s own', relation);
    END IF;
    IF jsonb_typeof(columns) <> 'object' OR columns = '{}' THEN
        RAISE invalid_parameter_value USING
            MESSAGE = format('columns must be an object of columns and those of rating, not %s',
                columns),
            HINT = 'As in {"elo": "rating", "played": "games"}.';
    END IF;
    FOR c IN SELECT e.name, e.value FROM jsonb_each(columns) AS e(name, value)
        WHERE jsonb_typeof(e.value) <> 'string'
    LOOP
        RAISE invalid_parameter_value USING
            MESSAGE = format('column "%s" in columns must map to a column of rating, not %s',
                c.name, c.value),
            HINT = 'As in {"elo": "rating", "played": "games"}.';
    END LOOP;
    IF columns ? key THEN
        RAISE invalid_parameter_value USING
            MESSAGE = format('column "%s" of table %s identifies players, and cannot mirror %s',
                key, relation, columns->>key);
    END IF;
    SELECT a.atttypid INTO key_type
    FROM pg_attribute AS a
    WHERE a.attrelid = relation AND a.attname = key AND a.attnum > 0 AND NOT a.attisdropped;
    IF key_type IS NULL THEN
        RAISE undefined_column USING MESSAGE = format('table %s has no column "%s"', relation, key);
    END IF;
    IF key_type IS DISTINCT FROM t.player_type::regtype THEN
        RAISE datatype_mismatch USING
            MESSAGE = format('column "%s" of table %s is of type %s, not %s', key, relation,
                key_type, t.player_type::regtype),
            HINT = 'The key must identify players as the ladder does.';
    END IF;
    -- Planning a statement for each column shows what its type and the table do not allow.
    FOR c IN
        SELECT m.* FROM skillrating_internal.mirror_columns(ladder, relation, columns, 'r') AS m
    LOOP
        BEGIN
            EXECUTE 'EXPLAIN ' || (skillrating_internal.mirror_statement(ladder, relation, key,
                pool, jsonb_build_object(c.name, c.source_name),
                format('SELECT r.player_id FROM %I.rating AS r', ladder))).statement;
        EXCEPTION
            WHEN datatype_mismatch OR cannot_coerce OR undefined_function OR generated_always THEN
                RAISE USING
                    ERRCODE = SQLSTATE,
                    MESSAGE = format('column "%s" of table %s cannot be kept equal to %s: %s',
                        c.name, relation, c.source_name, SQLERRM);
        END;
    END LOOP;
END
$function$;

COMMENT ON FUNCTION skillrating_internal.mirror_rating(text,regclass,text,jsonb,text) IS
'The body of skillrating.mirror_rating(), called once the door to the ladder is open.';

COMMENT ON FUNCTION skillrating.mirror_rating(text,regclass,text,jsonb,text) IS
'Keeps columns of a table of the user''s own equal to those of rating in a pool, from now on, in the
transaction that rates and for the rows that change only; a row that is inserted there gets the
rating of its player at once. Players who have no rating yet keep what the table has; for those
whose rating goes, as by merge_players(), the columns get their defaults, and columns that may not
be null and have none keep the last value. columns maps the table''s columns to those of rating, as
in {"elo": "rating", "played": "games"}, and key is its column that identifies players, of the
ladder''s type. The table may be partitioned or foreign. Called again for the same table and pool it
replaces what was. Returns the number of players whose rows it wrote at once. Errors: 42704 for an
unknown ladder, 42809 for a view, 42804 for a key of another type or a column that cannot have the
value, 0A000 for a table that Citus distributes, 428C9 for a generated column, 42703 for an unknown
column, 22023 for columns that are no object of names, 42501 if the table does not belong to the
ladder''s owner. A value that does not fit is an error of what rates, which names the column, the
table and the player. While the table, or a partition of it, belongs to another role than the ladder
it gets no ratings, with a warning, and matches are rated all the same.';

COMMENT ON FUNCTION skillrating_internal.unmirror_rating(text,regclass,text) IS
'The body of skillrating.unmirror_rating(), called once the door to the ladder is open.';

CREATE TYPE skillrating_internal.push_target AS (
    relation regclass,
    key_column text,
    pool_column text,
    position_column text,
    names text[],
    sources text[],
    types text[]);

COMMENT ON TYPE skillrating_internal.push_target IS
'A table to which push() writes ratings: its columns for the player, for the pool (null if it has
none) and for the position, and the others (names), with the columns of rating that they get
(sources) and their types.';

CREATE FUNCTION skillrating_internal.has_push_tables(ladder text)
 RETURNS boolean
 LANGUAGE plpgsql
 STABLE STRICT
 SET search_path TO 'pg_catalog', 'pg_temp'
AS $function$
BEGIN
    RETURN skillrating_internal.has_tables(ladder, '{push,push_failure}');
END
$function$;

COMMENT ON FUNCTION skillrating_internal.has_push_tables(text) IS
'Whether a ladder has the tables push and push_failure. Errors as has_tables().';

CREATE FUNCTION skillrating_internal.check_pushed(ladder text, relation regclass)
 RETURNS void
 LANGUAGE plpgsql
 STABLE STRICT
 SET search_path TO 'pg_catalog', 'pg_temp'
AS $function$
DECLARE
    n bigint := 0;
BEGIN
    IF skillrating_internal.has_push_tables(ladder) THEN
        EXECUTE format('SELECT count(*) FROM %I.push AS p WHERE p.relation = $1', ladder)
        INTO n USING relation;
    END IF;
    IF n = 0 THEN
        RAISE undefined_object USING
            MESSAGE = format('ratings of ladder "%s" are not pushed to table %s', ladder, relation);
    END IF;
END
$function$;

COMMENT ON FUNCTION skillrating_internal.check_pushed(text,regclass) IS
'Error 42704 unless push_rating() was given a table, 55000 unless the door to the ladder is open.';

CREATE FUNCTION skillrating_internal.create_push_tables(ladder text)
 RETURNS void
 LANGUAGE plpgsql
 STRICT
 SET search_path TO 'pg_catalog', 'pg_temp'
AS $function$
DECLARE
    t record := skillrating_internal.ladder_types(ladder);
BEGIN
    IF skillrating_internal.has_push_tables(ladder) THEN
        RETURN;
    END IF;
    EXECUTE format(
        'CREATE TABLE %1$I.push (
            relation regclass PRIMARY KEY,
            columns jsonb NOT NULL,
            pool text,
            position_column text NOT NULL,
            every interval CHECK (every > ''0''),
            due_at timestamptz NOT NULL DEFAULT clock_timestamp(),
            phase text NOT NULL DEFAULT ''compare'' CHECK (phase IN (''compare'', ''remove'', ''follow'')),
            cursor text,
            last_player %2$s,
            last_pool text,
            position bigint NOT NULL DEFAULT 0,
            target_position bigint NOT NULL DEFAULT 0,
            attempts integer NOT NULL DEFAULT 0,
            pushed_at timestamptz,
            pushed bigint NOT NULL DEFAULT 0,
            failed_at timestamptz,
            error text)', ladder, t.player_type);
    EXECUTE format('COMMENT ON TABLE %I.push IS %L', ladder,
        'Tables to which skillrating.push() writes ratings, and how far it is with each: the phase (compare all ratings, remove rows without rating, follow changes), the cursor of changes(), the last row compared, the number of the last push that wrote anything (position), the greatest position that it left in the table (target_position), and attempts since the last one that succeeded. See push_rating().');
    EXECUTE format(
        'CREATE TABLE %1$I.push_failure (
            relation regclass NOT NULL,
            player_id %2$s NOT NULL,
            pool text NOT NULL,
            attempts integer NOT NULL,
            failed_at timestamptz NOT NULL DEFAULT clock_timestamp(),
            retry_at timestamptz NOT NULL,
            error text NOT NULL)', ladder, t.player_type);
    EXECUTE format('CREATE INDEX ON %I.push_failure (relation, pool, player_id)', ladder);
    EXECUTE format('COMMENT ON TABLE %I.push_failure IS %L', ladder,
        'Ratings that a table did not take when skillrating.push() wrote them there, with the error of the last attempt, and when the next one is due (retry_at).');
END
$function$;

COMMENT ON FUNCTION skillrating_internal.create_push_tables(text) IS
'A part of push_rating(): the tables push and push_failure, unless the ladder has them. Error 55000
unless the door to the ladder is open.';

CREATE FUNCTION skillrating_internal.check_push_columns(ladder text, relation regclass, columns jsonb)
 RETURNS void
 LANGUAGE plpgsql
 STABLE STRICT
 SET search_path TO 'pg_catalog', 'pg_temp'
AS $function$
DECLARE
    name text;
    n bigint;
BEGIN
    PERFORM skillrating_internal.check_inside(ladder);
    IF jsonb_typeof(columns) <> 'object' OR columns = '{}' THEN
        RAISE invalid_parameter_value USING
            MESSAGE = format('columns must be an object of columns and those of rating, not %s',
                columns),
            HINT = 'As in {"player": "player_id", "elo": "rating"}.';
    END IF;
    SELECT c.key INTO name FROM jsonb_each(columns) AS c WHERE jsonb_typeof(c.value) <> 'string';
    IF name IS NOT NULL THEN
        RAISE invalid_parameter_value USING
            MESSAGE = format('column "%s" in columns must map to a column of rating, not %s', name,
                columns -> name),
            HINT = 'As in {"player": "player_id", "elo": "rating"}.';
    END IF;
    -- Names of columns that do not exist are an error of this one.
    PERFORM FROM skillrating_internal.mirror_columns(ladder, relation, columns, 'r');
    SELECT count(*) FILTER (WHERE c.value = 'player_id') INTO n FROM jsonb_each_text(columns) AS c;
    IF n <> 1 THEN
        RAISE invalid_parameter_value USING
            MESSAGE = format('columns must map one column of table %s to player_id, not %s', relation,
                n);
    END IF;
    SELECT count(*) FILTER (WHERE c.value = 'pool') INTO n FROM jsonb_each_text(columns) AS c;
    IF n > 1 THEN
        RAISE invalid_parameter_value USING
            MESSAGE = format('columns must map one column of table %s at most to pool, not %s',
                relation, n);
    END IF;
    SELECT count(*) INTO n
    FROM jsonb_each_text(columns) AS c WHERE c.value NOT IN ('player_id', 'pool');
    IF n = 0 THEN
        RAISE invalid_parameter_value USING
            MESSAGE = format('columns must map a column of table %s to more than player_id and pool',
                relation);
    END IF;
END
$function$;

COMMENT ON FUNCTION skillrating_internal.check_push_columns(text,regclass,jsonb) IS
'A part of push_rating(): error 22023 for columns that are no object of names or have not one for
the player, 42703 for a column that does not exist.';

CREATE FUNCTION skillrating_internal.push_target(ladder text, relation regclass, columns jsonb, position_column text)
 RETURNS skillrating_internal.push_target
 LANGUAGE plpgsql
 STABLE STRICT
 SET search_path TO 'pg_catalog', 'pg_temp'
AS $function$
DECLARE
    target skillrating_internal.push_target;
BEGIN
    PERFORM skillrating_internal.check_inside(ladder);
    target.relation := relation;
    target.position_column := position_column;
    SELECT min(c.key) FILTER (WHERE c.value = 'player_id'), min(c.key) FILTER (WHERE c.value = 'pool'),
        array_agg(c.key ORDER BY c.key) FILTER (WHERE c.value NOT IN ('player_id', 'pool')),
        array_agg(c.value ORDER BY c.key) FILTER (WHERE c.value NOT IN ('player_id', 'pool')),
        array_agg(format_type(a.atttypid, a.atttypmod) ORDER BY c.key)
            FILTER (WHERE c.value NOT IN ('player_id', 'pool'))
    INTO target.key_column, target.pool_column, target.names, target.sources, target.types
    FROM jsonb_each_text(columns) AS c
    LEFT JOIN pg_attribute AS a
        ON a.attrelid = relation AND a.attname = c.key AND a.attnum > 0 AND NOT a.attisdropped;
    IF array_position(target.types, NULL) IS NOT NULL THEN
        RAISE undefined_column USING
            MESSAGE = format('table %s has no column "%s"', relation,
                target.names[array_position(target.types, NULL)]);
    END IF;
    RETURN target;
END
$function$;

COMMENT ON FUNCTION skillrating_internal.push_target(text,regclass,jsonb,text) IS
'A part of push(): the columns of a table as the catalogs have them now. Error 55000 unless the door
to the ladder is open.';

CREATE FUNCTION skillrating_internal.check_push_target(ladder text, target skillrating_internal.push_target)
 RETURNS void
 LANGUAGE plpgsql
 SET search_path TO 'pg_catalog', 'pg_temp'
AS $function$
DECLARE
    t record := skillrating_internal.ladder_types(ladder);
    kind "char" := (SELECT c.relkind FROM pg_class AS c WHERE c.oid = target.relation);
    type regtype;
BEGIN
    IF kind NOT IN ('r', 'p', 'f') THEN
        RAISE wrong_object_type USING
            MESSAGE = format('%s is not a table', target.relation),
            HINT = 'Ratings are written to tables, partitioned and foreign ones too.';
    END IF;
    PERFORM skillrating_internal.check_mirror_owner(ladder, target.relation);
    SELECT a.atttypid INTO type FROM pg_attribute AS a
    WHERE a.attrelid = target.relation AND a.attname = target.key_column;
    IF type <> t.player_type::regtype THEN
        RAISE datatype_mismatch USING
            MESSAGE = format('column "%s" of table %s is of type %s, not %s', target.key_column,
                target.relation, type, t.player_type::regtype),
            HINT = 'It must identify players as the ladder does.';
    END IF;
    SELECT a.atttypid INTO type FROM pg_attribute AS a
    WHERE a.attrelid = target.relation AND a.attname = target.position_column AND a.attnum > 0
        AND NOT a.attisdropped;
    IF type IS DISTINCT FROM 'bigint'::regtype THEN
        RAISE datatype_mismatch USING
            MESSAGE = CASE WHEN type IS NULL
                THEN format('table %s has no column "%s"', target.relation, target.position_column)
                ELSE format('column "%s" of table %s is of type %s, not bigint',
                    target.position_column, target.relation, type) END,
            HINT = 'push() keeps the number of the last change there.';
    END IF;
    -- What cannot be cast fails here.
    PERFORM FROM skillrating_internal.push_page(ladder, target, '', '{}');
END
$function$;

COMMENT ON FUNCTION skillrating_internal.check_push_target(text,skillrating_internal.push_target) IS
'A part of push_rating(): errors 42809 for what is no table, 42501 for one that is not the ladder''s
owner''s, 42804 for columns for the player or the position of other types, and whatever is wrong
with the others.';

CREATE FUNCTION skillrating_internal.push_page(ladder text, target skillrating_internal.push_target, pool text, players text[], OUT rated text[], OUT rows text[], OUT columns text[])
 RETURNS record
 LANGUAGE plpgsql
 SET search_path TO 'pg_catalog', 'pg_temp'
AS $function$
DECLARE
    t record := skillrating_internal.ladder_types(ladder);
    n constant integer := cardinality(target.names);
BEGIN
    -- OFFSET keeps the planner from casting the ratings of others, which need not fit.
    EXECUTE format(
        'SELECT coalesce(array_agg(k.player_id::text), ''{}''),
            coalesce(array_agg(ROW(%1$s)::text), ''{}''), ARRAY[%2$s]
        FROM (
            SELECT o.player_id, %3$s
            FROM (
                SELECT r.* FROM unnest(CAST($1 AS %4$s[])) AS u(player_id)
                JOIN %5$I.rating AS r ON r.player_id %6$s u.player_id
                WHERE r.pool = $2 OFFSET 0) AS o) AS k',
        (SELECT string_agg(format('k.c%s', i), ', ' ORDER BY i) FROM generate_series(1, n) AS i),
        (SELECT string_agg(format('array_agg(k.c%s)::text', i), ', ' ORDER BY i)
        FROM generate_series(1, n) AS i),
        (SELECT string_agg(format('CAST(o.%I AS %s) AS c%s', target.sources[i], target.types[i], i),
            ', ' ORDER BY i) FROM generate_series(1, n) AS i),
        t.player_type, ladder, t.player_equals)
    INTO rated, rows, columns USING players, pool;
END
$function$;

COMMENT ON FUNCTION skillrating_internal.push_page(text,skillrating_internal.push_target,text,text[]) IS
'A part of push(): what a table is to have of some players of a pool: those who have a rating
(rated), their rows without the key, as text (rows), and for each column the values of all of them,
as the text of an array (columns).';

CREATE FUNCTION skillrating_internal.write_push(ladder text, target skillrating_internal.push_target, pool text, players text[], number bigint, OUT written bigint, OUT deleted bigint)
 RETURNS record
 LANGUAGE plpgsql
 SET search_path TO 'pg_catalog', 'pg_temp'
AS $function$
DECLARE
    t record := skillrating_internal.ladder_types(ladder);
    page record := skillrating_internal.push_page(ladder, target, pool, players);
    of_pool constant text := CASE WHEN target.pool_column IS NOT NULL
        THEN format('AND t.%I = %L', target.pool_column, pool) END;
    -- Arrays of values go over in one statement, which the other server runs by itself.
    keys constant text := t.player_type || '[]';
    there record;
    changed text[];
    new text[];
    gone text[];
    n bigint;
BEGIN
    written := 0;
    deleted := 0;
    EXECUTE format(
        'SELECT coalesce(array_agg(t.%1$I::text), ''{}'') AS players,
            coalesce(array_agg(ROW(%2$s)::text), ''{}'') AS rows
        FROM (SELECT * FROM %3$s AS t WHERE t.%1$I = ANY (%4$L::%5$s) %6$s) AS t',
        target.key_column,
        (SELECT string_agg(format('t.%I', c.name), ', ' ORDER BY c.n)
        FROM unnest(target.names) WITH ORDINALITY AS c(name, n)),
        target.relation, players, keys, of_pool)
    INTO there;
    SELECT array_agg(p.player) FILTER (WHERE h.player IS NOT NULL AND h.row <> p.row),
        array_agg(p.player) FILTER (WHERE h.player IS NULL)
    INTO changed, new
    FROM unnest(page.rated, page.rows) AS p(player, row)
    LEFT JOIN unnest(there.players, there.rows) AS h(player, row) ON h.player = p.player;
    gone := ARRAY(SELECT unnest(there.players) EXCEPT SELECT unnest(page.rated));
    IF changed IS NOT NULL THEN
        EXECUTE format(
            'UPDATE %1$s AS t SET %2$s, %3$I = %4$s
            WHERE t.%5$I = ANY (%6$L::%7$s) %8$s AND (t.%3$I IS NULL OR t.%3$I < %4$s)',
            target.relation,
            (SELECT string_agg(format('%I = (%L::%s[])[array_position(%L::%s, t.%I)]', c.name,
                page.columns[c.n], target.types[c.n], page.rated, keys, target.key_column), ', ')
            FROM unnest(target.names) WITH ORDINALITY AS c(name, n)),
            target.position_column, number, target.key_column, changed, keys, of_pool);
        GET DIAGNOSTICS n = ROW_COUNT;
        written := n;
    END IF;
    IF new IS NOT NULL THEN
        EXECUTE format(
            'INSERT INTO %1$s (%2$s) SELECT u.key, %3$s %4$s, %5$s
            FROM unnest(%6$L::%7$s, %8$s) AS u(key, %4$s) WHERE u.key = ANY (%9$L::%7$s)',
            target.relation,
            (SELECT string_agg(quote_ident(c), ', ') FROM unnest(array_remove(
                ARRAY[target.key_column, target.pool_column] || target.names
                || target.position_column, NULL)) AS c),
            CASE WHEN target.pool_column IS NOT NULL THEN format('%L,', pool) END,
            (SELECT string_agg(format('c%s', i), ', ' ORDER BY i)
            FROM generate_series(1, cardinality(target.names)) AS i),
            number, page.rated, keys,
            (SELECT string_agg(format('%L::%s[]', page.columns[i], target.types[i]), ', ' ORDER BY i)
            FROM generate_series(1, cardinality(target.names)) AS i), new);
        GET DIAGNOSTICS n = ROW_COUNT;
        written := written + n;
    END IF;
    IF gone <> '{}' THEN
        EXECUTE format('DELETE FROM %s AS t WHERE t.%I = ANY (%L::%s) %s', target.relation,
            target.key_column, gone, keys, of_pool);
        GET DIAGNOSTICS deleted = ROW_COUNT;
    END IF;
END
$function$;

COMMENT ON FUNCTION skillrating_internal.write_push(text,skillrating_internal.push_target,text,text[],bigint) IS
'A part of push(): makes the rows of some players of a pool equal to their ratings, at a position,
in at most four statements: rows that differ and have no later position are updated, missing ones
are inserted, and those without a rating are deleted.';

CREATE FUNCTION skillrating_internal.note_push_failure(ladder text, relation regclass, pool text, player text, message text)
 RETURNS void
 LANGUAGE plpgsql
 STRICT
 SET search_path TO 'pg_catalog', 'pg_temp'
AS $function$
DECLARE
    t record := skillrating_internal.ladder_types(ladder);
    n bigint;
BEGIN
    EXECUTE format(
        'UPDATE %I.push_failure AS f SET attempts = f.attempts + 1, failed_at = clock_timestamp(),
            retry_at = clock_timestamp() + skillrating_internal.push_delay(f.attempts + 1),
            error = $4
        WHERE f.relation = $1 AND f.pool = $2 AND f.player_id %s CAST($3 AS %s)', ladder,
        t.player_equals, t.player_type)
    USING relation, pool, player, message;
    GET DIAGNOSTICS n = ROW_COUNT;
    IF n = 0 THEN
        EXECUTE format(
            'INSERT INTO %I.push_failure (relation, pool, player_id, attempts, retry_at, error)
            VALUES ($1, $2, CAST($3 AS %s), 1,
                clock_timestamp() + skillrating_internal.push_delay(1), $4)', ladder, t.player_type)
        USING relation, pool, player, message;
    END IF;
END
$function$;

COMMENT ON FUNCTION skillrating_internal.note_push_failure(text,regclass,text,text,text) IS
'A part of push(): notes that a table did not take the rating of a player, and when to try again.';

CREATE FUNCTION skillrating_internal.push_delay(attempts integer)
 RETURNS interval
 LANGUAGE sql
 IMMUTABLE PARALLEL SAFE STRICT
 SET search_path TO 'pg_catalog', 'pg_temp'
AS $function$
    SELECT make_interval(secs => least(2.0 ^ least(attempts - 1, 20), 300))
$function$;

COMMENT ON FUNCTION skillrating_internal.push_delay(integer) IS
'A part of push(): how long to wait after so many attempts that failed, from a second to five
minutes.';

CREATE FUNCTION skillrating_internal.push_players(ladder text, target skillrating_internal.push_target, pool text, players text[], number bigint, OUT written bigint, OUT deleted bigint, OUT failed bigint)
 RETURNS record
 LANGUAGE plpgsql
 SET search_path TO 'pg_catalog', 'pg_temp'
AS $function$
DECLARE
    t record := skillrating_internal.ladder_types(ladder);
    n constant integer := cardinality(players);
    message text;
    part record;
BEGIN
    written := 0;
    deleted := 0;
    failed := 0;
    BEGIN
        SELECT w.written, w.deleted INTO written, deleted
        FROM skillrating_internal.write_push(ladder, target, pool, players, number) AS w;
    EXCEPTION
        WHEN data_exception OR integrity_constraint_violation OR raise_exception
            OR with_check_option_violation OR program_limit_exceeded THEN
            message := SQLERRM;
    END;
    IF message IS NULL THEN
        EXECUTE format(
            'DELETE FROM %I.push_failure AS f USING unnest(CAST($3 AS %s[])) AS k(player_id)
            WHERE f.relation = $1 AND f.pool = $2 AND f.player_id %s k.player_id', ladder,
            t.player_type, t.player_equals)
        USING target.relation, pool, players;
        RETURN;
    END IF;
    IF n = 1 THEN
        PERFORM skillrating_internal.note_push_failure(ladder, target.relation, pool, players[1],
            message);
        failed := 1;
        RETURN;
    END IF;
    FOR part IN
        SELECT d.*
        FROM (VALUES (1, players[:n / 2]), (2, players[n / 2 + 1:])) AS h(half, players),
            skillrating_internal.push_players(ladder, target, pool, h.players, number) AS d
        ORDER BY h.half
    LOOP
        written := written + part.written;
        deleted := deleted + part.deleted;
        failed := failed + part.failed;
    END LOOP;
    -- A table that takes nobody is not a matter of single rows.
    IF n > 16 AND failed = n THEN
        RAISE object_not_in_prerequisite_state USING
            MESSAGE = format('table %s takes none of %s ratings: %s', target.relation, n, message);
    END IF;
END
$function$;

COMMENT ON FUNCTION skillrating_internal.push_players(text,skillrating_internal.push_target,text,text[],bigint) IS
'A part of push(): write_push(), where a row that the table does not take is found by halves, noted
in push_failure, and keeps no other from being written. Error 55000 if it takes none of many.';

CREATE FUNCTION skillrating_internal.push_keys(ladder text, target skillrating_internal.push_target, only_pool text, players text[], pools text[], number bigint, batch_size integer, OUT written bigint, OUT deleted bigint)
 RETURNS record
 LANGUAGE plpgsql
 SET search_path TO 'pg_catalog', 'pg_temp'
AS $function$
DECLARE
    shared_pool text := skillrating_internal.shared_pool(ladder);
    k record;
    step record;
BEGIN
    written := 0;
    deleted := 0;
    FOR k IN
        SELECT q.pool, array_agg(q.player ORDER BY q.n) AS players
        FROM (
            SELECT d.*, row_number() OVER (PARTITION BY d.pool ORDER BY d.player) AS n
            FROM (SELECT DISTINCT u.player, u.pool FROM unnest(players, pools) AS u(player, pool)) AS d
            WHERE d.pool IS DISTINCT FROM shared_pool AND d.pool = coalesce(only_pool, d.pool)) AS q
        GROUP BY q.pool, (q.n - 1) / batch_size
        ORDER BY q.pool, min(q.n)
    LOOP
        step := skillrating_internal.push_players(ladder, target, k.pool, k.players, number);
        written := written + step.written;
        deleted := deleted + step.deleted;
    END LOOP;
END
$function$;

COMMENT ON FUNCTION skillrating_internal.push_keys(text,skillrating_internal.push_target,text,text[],text[],bigint,integer) IS
'A part of push(): push_players() for players in pools, once each, so many at a time; of one pool
only, if that is given. What pools share is left out.';

CREATE FUNCTION skillrating_internal.mark_push(target skillrating_internal.push_target, number bigint)
 RETURNS boolean
 LANGUAGE plpgsql
 STRICT
 SET search_path TO 'pg_catalog', 'pg_temp'
AS $function$
DECLARE
    player text;
    pool text;
    n bigint;
BEGIN
    EXECUTE format('SELECT t.%I::text, %s FROM %s AS t ORDER BY t.%I DESC NULLS LAST LIMIT 1',
        target.key_column, CASE WHEN target.pool_column IS NULL THEN 'NULL'
            ELSE format('t.%I::text', target.pool_column) END, target.relation, target.position_column)
    INTO player, pool;
    EXECUTE format('UPDATE %s AS t SET %I = %s WHERE t.%I = %L %s', target.relation,
        target.position_column, number, target.key_column, player,
        CASE WHEN pool IS NOT NULL THEN format('AND t.%I = %L', target.pool_column, pool) END);
    GET DIAGNOSTICS n = ROW_COUNT;
    RETURN n > 0;
END
$function$;

COMMENT ON FUNCTION skillrating_internal.mark_push(skillrating_internal.push_target,bigint) IS
'A part of push(): after rows have only been deleted, gives another row the position, so that the
target shows if it loses that. False if there is none.';

CREATE FUNCTION skillrating_internal.next_compared(ladder text, pool text, last_player text, last_pool text, page_size integer, OUT players text[], OUT pools text[])
 RETURNS record
 LANGUAGE plpgsql
 SET search_path TO 'pg_catalog', 'pg_temp'
AS $function$
DECLARE
    t record := skillrating_internal.ladder_types(ladder);
BEGIN
    EXECUTE format(
        'SELECT coalesce(array_agg(k.player_id::text ORDER BY k.n), ''{}''),
            coalesce(array_agg(k.pool ORDER BY k.n), ''{}'')
        FROM (
            SELECT r.player_id, r.pool, row_number() OVER (ORDER BY r.player_id%2$s, r.pool) AS n
            FROM %1$I.rating AS r
            WHERE r.pool = coalesce($1, r.pool) AND ($2 IS NULL OR CAST($2 AS %3$s) %4$s r.player_id
                OR (CAST($2 AS %3$s) %5$s r.player_id AND $3 < r.pool))
            ORDER BY r.player_id%2$s, r.pool LIMIT $4) AS k', ladder, t.player_order,
        t.player_type, t.player_less, t.player_equals)
    INTO players, pools USING pool, last_player, last_pool, page_size;
END
$function$;

COMMENT ON FUNCTION skillrating_internal.next_compared(text,text,text,text,integer) IS
'A part of push(): the next page of all rows of rating, in the order of its key, behind the last row
of the page before.';

CREATE FUNCTION skillrating_internal.targets_without_rating(ladder text, target skillrating_internal.push_target, pool text, OUT players text[], OUT pools text[])
 RETURNS record
 LANGUAGE plpgsql
 SET search_path TO 'pg_catalog', 'pg_temp'
AS $function$
DECLARE
    t record := skillrating_internal.ladder_types(ladder);
BEGIN
    EXECUTE format(
        'SELECT coalesce(array_agg(k.player::text), ''{}''), coalesce(array_agg(k.pool), ''{}'')
        FROM (SELECT t.%1$I AS player, %2$s AS pool FROM %3$s AS t) AS k
        WHERE k.pool = coalesce($1, k.pool) AND NOT EXISTS (
            SELECT FROM %4$I.rating AS r WHERE r.player_id %5$s k.player AND r.pool = k.pool)',
        target.key_column, CASE WHEN target.pool_column IS NULL THEN '$1::text'
            ELSE format('t.%I::text', target.pool_column) END, target.relation, ladder, t.player_equals)
    INTO players, pools USING pool;
END
$function$;

COMMENT ON FUNCTION skillrating_internal.targets_without_rating(text,skillrating_internal.push_target,text) IS
'A part of push(): the rows of a table that have no rating any more.';

CREATE FUNCTION skillrating_internal.changed_players(ladder text, relation regclass, cursor text, max_changes integer, OUT players text[], OUT pools text[], OUT next_cursor text, OUT more boolean)
 RETURNS record
 LANGUAGE plpgsql
 SET search_path TO 'pg_catalog', 'pg_temp'
AS $function$
DECLARE
    retried record;
BEGIN
    SELECT coalesce(array_agg(c.player_id) FILTER (WHERE c.next_cursor IS NULL), '{}'),
        coalesce(array_agg(c.pool) FILTER (WHERE c.next_cursor IS NULL), '{}'), max(c.next_cursor)
    INTO players, pools, next_cursor
    FROM skillrating_internal.changes(ladder, cursor, max_changes) AS c;
    more := cardinality(players) >= max_changes;
    EXECUTE format(
        'SELECT array_agg(f.player_id::text) AS players, array_agg(f.pool) AS pools
        FROM (
            SELECT f.* FROM %I.push_failure AS f
            WHERE f.relation = $1 AND f.retry_at <= clock_timestamp()
            ORDER BY f.retry_at LIMIT 100) AS f', ladder)
    INTO retried USING relation;
    players := players || retried.players;
    pools := pools || retried.pools;
EXCEPTION
    WHEN invalid_cursor_state THEN
        players := '{}';
        pools := '{}';
        next_cursor := NULL;
        more := true;
END
$function$;

COMMENT ON FUNCTION skillrating_internal.changed_players(text,regclass,text,integer) IS
'A part of push(): whose ratings have changed since a cursor, with those whose rows a table did not
take before and that are due again; the next cursor, null if one has to start again; and whether
there may be more.';

CREATE FUNCTION skillrating_internal.push_phase(ladder text, target skillrating_internal.push_target, state jsonb, number bigint, batch_size integer, OUT next_state jsonb, OUT written bigint, OUT deleted bigint, OUT more boolean)
 RETURNS record
 LANGUAGE plpgsql
 SET search_path TO 'pg_catalog', 'pg_temp'
AS $function$
DECLARE
    pages_at_once constant integer := 10;
    page_size constant integer := batch_size * pages_at_once;
    pool text := state ->> 'pool';
    k record;
    step record;
BEGIN
    PERFORM skillrating_internal.check_inside(ladder);
    next_state := state;
    more := true;
    CASE state ->> 'phase'
        WHEN 'compare' THEN
            k := skillrating_internal.next_compared(ladder, pool, state ->> 'last_player',
                state ->> 'last_pool', page_size);
            next_state := next_state || CASE WHEN cardinality(k.players) < page_size
                THEN '{"phase": "remove", "last_player": null, "last_pool": null}'
                ELSE jsonb_build_object('last_player', k.players[page_size],
                    'last_pool', k.pools[page_size]) END;
        WHEN 'remove' THEN
            k := skillrating_internal.targets_without_rating(ladder, target, pool);
            next_state := next_state || '{"phase": "follow"}';
        ELSE
            k := skillrating_internal.changed_players(ladder, target.relation, state ->> 'cursor',
                batch_size);
            more := k.more;
            next_state := next_state || CASE WHEN k.next_cursor IS NULL
                THEN jsonb_build_object('phase', 'compare', 'cursor',
                    skillrating_internal.newest_cursor(ladder))
                ELSE jsonb_build_object('cursor', k.next_cursor) END;
    END CASE;
    step := skillrating_internal.push_keys(ladder, target, pool, k.players, k.pools, number,
        batch_size);
    written := step.written;
    deleted := step.deleted;
END
$function$;

COMMENT ON FUNCTION skillrating_internal.push_phase(text,skillrating_internal.push_target,jsonb,bigint,integer) IS
'A part of push_step(): does the next piece of the phase in which the push of a table is, and
returns the state of the next one.';

CREATE FUNCTION skillrating_internal.lock_push(ladder text, relation regclass, OUT target skillrating_internal.push_target, OUT state jsonb, OUT number bigint, OUT target_position bigint)
 RETURNS record
 LANGUAGE plpgsql
 STRICT
 SET search_path TO 'pg_catalog', 'pg_temp'
AS $function$
DECLARE
    p record;
BEGIN
    PERFORM skillrating_internal.check_inside(ladder);
    EXECUTE format(
        'SELECT p.columns, p.position_column, p.position, p.target_position,
            jsonb_build_object(''pool'', p.pool, ''phase'', p.phase, ''cursor'', p.cursor,
                ''last_player'', p.last_player::text, ''last_pool'', p.last_pool) AS state
        FROM %I.push AS p WHERE p.relation = $1 FOR UPDATE SKIP LOCKED', ladder)
    INTO p USING relation;
    IF p.columns IS NULL THEN
        RETURN;
    END IF;
    -- From here on a local table cannot be given away; nobody but its owner may have code there.
    IF EXISTS (
        SELECT FROM pg_class AS c WHERE c.oid = relation AND c.relkind IN ('r', 'p'))
    THEN
        EXECUTE format('LOCK TABLE %s IN ROW EXCLUSIVE MODE', relation);
    END IF;
    PERFORM skillrating_internal.check_mirror_owner(ladder, relation);
    target := skillrating_internal.push_target(ladder, relation, p.columns, p.position_column);
    state := p.state;
    EXECUTE format('SELECT coalesce(max(t.%I), 0) FROM %s AS t', p.position_column, relation)
    INTO target_position;
    -- One more than the last is a push of ours whose end was not noted here: it is repeated.
    IF state ->> 'cursor' IS NULL
        OR target_position NOT IN (p.target_position, p.position + 1)
    THEN
        state := state || jsonb_build_object('phase', 'compare', 'last_player', NULL,
            'last_pool', NULL, 'cursor', skillrating_internal.newest_cursor(ladder));
    END IF;
    number := greatest(target_position, p.position);
END
$function$;

COMMENT ON FUNCTION skillrating_internal.lock_push(text,regclass) IS
'A part of push_step(): locks the row of a table in push, unless another session has done so, and
returns what is known of it, the state of its push, the greatest number of a push so far, and the
greatest position in the table. Where that is none that we have left there, all ratings are compared
anew. Error 42501 for a table that is not the ladder''s owner''s any more.';

CREATE FUNCTION skillrating_internal.push_step(ladder text, relation regclass, batch_size integer DEFAULT 1000, failure text DEFAULT NULL::text, OUT pushed bigint, OUT more boolean)
 RETURNS record
 LANGUAGE plpgsql
 SET search_path TO 'pg_catalog', 'pg_temp'
AS $function$
DECLARE
    p record;
    step record;
    number bigint;
    left_there bigint;
BEGIN
    more := false;
    IF ladder IS NULL OR relation IS NULL OR batch_size IS NULL THEN
        RAISE null_value_not_allowed USING
            MESSAGE = 'ladder, relation and batch_size must not be null';
    END IF;
    PERFORM skillrating_internal.ladder_types(ladder);
    PERFORM skillrating_internal.check_backfill(batch_size, true);
    PERFORM skillrating_internal.check_pushed(ladder, relation);
    IF failure IS NOT NULL THEN
        EXECUTE format(
            'UPDATE %I.push AS p SET failed_at = clock_timestamp(), error = $2
            WHERE p.relation = $1', ladder)
        USING relation, failure;
        RETURN;
    END IF;
    p := skillrating_internal.lock_push(ladder, relation);
    IF p.state IS NULL THEN
        RETURN;
    END IF;
    number := p.number + 1;
    step := skillrating_internal.push_phase(ladder, p.target, p.state, number, batch_size);
    left_there := CASE WHEN step.written > 0 THEN number
        WHEN step.deleted = 0 THEN p.target_position
        WHEN skillrating_internal.mark_push(p.target, number) THEN number ELSE 0 END;
    EXECUTE format(
        'UPDATE %I.push AS p
        SET phase = $2 ->> ''phase'', cursor = $2 ->> ''cursor'',
            last_player = CAST($2 ->> ''last_player'' AS %s), last_pool = $2 ->> ''last_pool'',
            position = $3, target_position = $4, attempts = 0, pushed = p.pushed + $5,
            pushed_at = clock_timestamp(), failed_at = NULL, error = NULL,
            due_at = clock_timestamp() + CASE WHEN $6 THEN interval ''0''
                ELSE coalesce(p.every, interval ''1 second'') END
        WHERE p.relation = $1', ladder,
        (skillrating_internal.ladder_types(ladder)).player_type)
    USING relation, step.next_state,
        CASE WHEN step.written + step.deleted > 0 THEN number ELSE p.number END, left_there,
        step.written + step.deleted, step.more;
    pushed := step.written + step.deleted;
    more := step.more;
END
$function$;

COMMENT ON FUNCTION skillrating_internal.push_step(text,regclass,integer,text) IS
'The body of skillrating.push_step(), called once the door to the ladder is open.';

CREATE FUNCTION skillrating.push_step(ladder text, relation regclass, batch_size integer DEFAULT 1000, failure text DEFAULT NULL::text, OUT pushed bigint, OUT more boolean)
 RETURNS record
 LANGUAGE c
AS 'MODULE_PATHNAME', $function$skillrating_enter$function$;

COMMENT ON FUNCTION skillrating.push_step(text,regclass,integer,text) IS
'A step of push(): writes the next ratings of a ladder to a table that push_rating() was given, at
most about ten times batch_size of them, and returns how many rows that changed there (pushed; null
if another session is doing it) and whether there may be more. A row that the table does not take is
noted in push_failure. With a failure it notes that in table push instead. Errors: 42704 for an
unknown ladder, or a table to which nothing is pushed, 42501 unless the caller owns it, and the
table belongs to its owner, 22004 for nulls, 22003 for a batch_size below 1, 55000 if the table
takes none of many rows or the ladder does not keep its changes, and those of the table or its
server.';

CREATE FUNCTION skillrating_internal.push_begin(ladder text, relation regclass DEFAULT NULL::regclass, at_once boolean DEFAULT false, scheduled boolean DEFAULT false, OUT relations regclass[])
 RETURNS regclass[]
 LANGUAGE plpgsql
 SET search_path TO 'pg_catalog', 'pg_temp'
AS $function$
BEGIN
    relations := '{}';
    IF ladder IS NULL OR at_once IS NULL OR scheduled IS NULL THEN
        RAISE null_value_not_allowed USING
            MESSAGE = 'ladder, at_once and scheduled must not be null';
    END IF;
    PERFORM skillrating_internal.ladder_types(ladder);
    IF relation IS NOT NULL THEN
        PERFORM skillrating_internal.check_pushed(ladder, relation);
    ELSIF NOT skillrating_internal.has_push_tables(ladder) THEN
        RETURN;
    END IF;
    EXECUTE format(
        'WITH due AS MATERIALIZED (
            SELECT p.relation FROM %1$I.push AS p
            WHERE p.relation = coalesce($1, p.relation)
                AND ($2 OR p.due_at <= clock_timestamp()) AND (p.every IS NOT NULL OR NOT $3)
            FOR UPDATE SKIP LOCKED
        ), begun AS (
            UPDATE %1$I.push AS p
            SET attempts = p.attempts + 1,
                due_at = clock_timestamp() + skillrating_internal.push_delay(p.attempts + 1)
            FROM due WHERE p.relation = due.relation
            RETURNING p.relation)
        SELECT coalesce(array_agg(b.relation ORDER BY b.relation::text), ''{}'') FROM begun AS b',
        ladder)
    INTO relations USING relation, at_once, scheduled;
END
$function$;

COMMENT ON FUNCTION skillrating_internal.push_begin(text,regclass,boolean,boolean) IS
'The body of skillrating.push_begin(), called once the door to the ladder is open.';

CREATE FUNCTION skillrating.push_begin(ladder text, relation regclass DEFAULT NULL::regclass, at_once boolean DEFAULT false, scheduled boolean DEFAULT false, OUT relations regclass[])
 RETURNS regclass[]
 LANGUAGE c
AS 'MODULE_PATHNAME', $function$skillrating_enter$function$;

COMMENT ON FUNCTION skillrating.push_begin(text,regclass,boolean,boolean) IS
'A step of push(): the tables, or the one given, to which ratings are due to be written, or all with
at_once; with scheduled, only those that work() does. It notes the attempt, in a transaction before
the one that makes it: whatever ends that, the next one is due only a second later, and twice as
late each time, up to five minutes. Errors: 42704 for an unknown ladder, 42501 unless the caller
owns it, 22004 for nulls.';

CREATE FUNCTION skillrating_internal.push_rating(ladder text, relation regclass, columns jsonb, pool text DEFAULT NULL::text, every interval DEFAULT '00:00:01'::interval, position_column text DEFAULT 'position'::text)
 RETURNS void
 LANGUAGE plpgsql
 SET search_path TO 'pg_catalog', 'pg_temp'
AS $function$
DECLARE
    target skillrating_internal.push_target;
BEGIN
    IF ladder IS NULL OR relation IS NULL OR columns IS NULL OR position_column IS NULL THEN
        RAISE null_value_not_allowed USING
            MESSAGE = 'ladder, relation, columns and position_column must not be null';
    END IF;
    PERFORM skillrating_internal.ladder_types(ladder);
    PERFORM skillrating_internal.check_relation(relation);
    PERFORM skillrating_internal.check_changes_kept(ladder);
    PERFORM skillrating_internal.check_every('every', every);
    PERFORM skillrating_internal.check_push_columns(ladder, relation, columns);
    target := skillrating_internal.push_target(ladder, relation, columns, position_column);
    PERFORM skillrating_internal.check_push_target(ladder, target);
    PERFORM skillrating_internal.create_push_tables(ladder);
    -- Where the table has no pools it has the ratings of one.
    EXECUTE format(
        'INSERT INTO %I.push AS p (relation, columns, pool, every, position_column)
        VALUES ($1, $2, $3, $4, $5)
        ON CONFLICT (relation) DO UPDATE
        SET columns = excluded.columns, pool = excluded.pool, every = excluded.every,
            position_column = excluded.position_column, phase = ''compare'', cursor = NULL,
            last_player = NULL, last_pool = NULL, attempts = 0, due_at = excluded.due_at,
            failed_at = NULL, error = NULL', ladder)
    USING relation, columns, CASE WHEN target.pool_column IS NULL THEN coalesce(pool, '') ELSE pool END,
        every, position_column;
    EXECUTE format('DELETE FROM %I.push_failure AS f WHERE f.relation = $1', ladder) USING relation;
END
$function$;

COMMENT ON FUNCTION skillrating_internal.push_rating(text,regclass,jsonb,text,interval,text) IS
'The body of skillrating.push_rating(), called once the door to the ladder is open.';

CREATE FUNCTION skillrating.push_rating(ladder text, relation regclass, columns jsonb, pool text DEFAULT NULL::text, every interval DEFAULT '00:00:01'::interval, position_column text DEFAULT 'position'::text)
 RETURNS void
 LANGUAGE c
AS 'MODULE_PATHNAME', $function$skillrating_enter$function$;

COMMENT ON FUNCTION skillrating.push_rating(text,regclass,jsonb,text,interval,text) IS
'Has push() write the ratings of a ladder to a table from now on, in transactions of its own: a
foreign table whose server may be down, or a local one. The table is the ladder''s: it has a row for
each player and pool with a rating, with the values of rating, and no others.
columns maps the table''s columns to those of rating, as in {"player": "player_id", "pool": "pool",
"elo": "rating", "played": "games"}: one to player_id, of the ladder''s type, which with the one for
pool is the key; without one for pool the table has the ratings of one pool.
pool: only ratings of this pool; the empty one where the table has no column for it.
every: work() writes what has changed when so much time has passed; null: only push() does.
position_column: a column of type bigint, which says how new a row is; it only grows. Index it.
Called again for the same table it replaces what was, and has all rows compared. The first push
compares them, too: rows that differ are written, and those without rating deleted. The ladder must
keep its changes, see keep_changes(). Writing is done with the rights of the ladder''s owner, whose
user mapping a foreign table takes. Errors: 42704 for an unknown ladder, 42P01 for an unknown table,
42809 for a view, 42501 unless the caller owns the ladder, and its owner the table, 42703 for an
unknown column, 42804 for columns of other types, 42846 for a value that cannot be cast, 22023 for
columns that are no object of names or an every that is not positive, 22004 for nulls, 55000 if the
ladder does not keep its changes.';

CREATE FUNCTION skillrating_internal.unpush_rating(ladder text, relation regclass)
 RETURNS void
 LANGUAGE plpgsql
 STRICT
 SET search_path TO 'pg_catalog', 'pg_temp'
AS $function$
BEGIN
    PERFORM skillrating_internal.ladder_types(ladder);
    PERFORM skillrating_internal.check_pushed(ladder, relation);
    EXECUTE format('DELETE FROM %I.push AS p WHERE p.relation = $1', ladder) USING relation;
    EXECUTE format('DELETE FROM %I.push_failure AS f WHERE f.relation = $1', ladder) USING relation;
END
$function$;

COMMENT ON FUNCTION skillrating_internal.unpush_rating(text,regclass) IS
'The body of skillrating.unpush_rating(), called once the door to the ladder is open.';

CREATE FUNCTION skillrating.unpush_rating(ladder text, relation regclass)
 RETURNS void
 LANGUAGE c
 STRICT
AS 'MODULE_PATHNAME', $function$skillrating_enter$function$;

COMMENT ON FUNCTION skillrating.unpush_rating(text,regclass) IS
'Undoes push_rating(): the table keeps what it has. Works as well if the table was dropped (give its
OID). Errors: 42704 for an unknown ladder or a table to which nothing is pushed, 42501 unless the
caller owns the ladder.';

CREATE FUNCTION skillrating_internal.push_status(ladder text, OUT relation regclass, OUT columns jsonb, OUT pool text, OUT every interval, OUT phase text, OUT "position" bigint, OUT attempts integer, OUT due_at timestamp with time zone, OUT pushed bigint, OUT pushed_at timestamp with time zone, OUT refused bigint, OUT failed_at timestamp with time zone, OUT error text)
 RETURNS SETOF record
 LANGUAGE plpgsql
 STABLE STRICT ROWS 1
 SET search_path TO 'pg_catalog', 'pg_temp'
AS $function$
BEGIN
    PERFORM skillrating_internal.ladder_types(ladder);
    IF NOT skillrating_internal.has_push_tables(ladder) THEN
        RETURN;
    END IF;
    RETURN QUERY EXECUTE format(
        'SELECT p.relation, p.columns, p.pool, p.every, p.phase, p.position, p.attempts, p.due_at,
            p.pushed, p.pushed_at,
            (SELECT count(*) FROM %1$I.push_failure AS f WHERE f.relation = p.relation),
            p.failed_at, p.error
        FROM %1$I.push AS p ORDER BY p.relation::text', ladder);
END
$function$;

COMMENT ON FUNCTION skillrating_internal.push_status(text) IS
'The body of skillrating.push_status(), called once the door to the ladder is open.';

CREATE FUNCTION skillrating.push_status(ladder text, OUT relation regclass, OUT columns jsonb, OUT pool text, OUT every interval, OUT phase text, OUT "position" bigint, OUT attempts integer, OUT due_at timestamp with time zone, OUT pushed bigint, OUT pushed_at timestamp with time zone, OUT refused bigint, OUT failed_at timestamp with time zone, OUT error text)
 RETURNS SETOF record
 LANGUAGE c
 STABLE STRICT ROWS 1
AS 'MODULE_PATHNAME', $function$skillrating_enter$function$;

COMMENT ON FUNCTION skillrating.push_status(text) IS
'To which tables push() writes the ratings of a ladder, a row for each, and how it goes: what
push_rating() was given; the phase (compare and remove: all ratings, follow: what changes); the
number of the last push that wrote anything (position); attempts since the last one that succeeded,
and when the next one is due; how many rows were written, and when that succeeded last (pushed,
pushed_at); how many ratings the table has refused, see push_failure; and when it failed, and why,
if that was since. Errors: 42704 for an unknown ladder, 42501 unless the caller owns it.';

CREATE PROCEDURE skillrating.push(IN ladder text, IN relation regclass DEFAULT NULL::regclass, IN run_for interval DEFAULT '00:00:00'::interval, IN scheduled boolean DEFAULT false, INOUT pushed bigint DEFAULT NULL::bigint, INOUT failures bigint DEFAULT NULL::bigint)
 LANGUAGE plpgsql
AS $procedure$
DECLARE
    max_steps constant pg_catalog.int4 := 100;
    until pg_catalog.timestamptz;
    at_once pg_catalog.bool := NOT scheduled;
    targets pg_catalog.regclass[];
    target pg_catalog.regclass;
    step pg_catalog.record;
    steps pg_catalog.int4;
    failure pg_catalog.text;
BEGIN
    -- As in backfill(), no bare operators or names here. Whatever works on a ladder checks the
    -- rights of the caller.
    COMMIT;
    SET TRANSACTION ISOLATION LEVEL READ COMMITTED;
    PERFORM skillrating_internal.check_run_for(run_for);
    until := pg_catalog.clock_timestamp() OPERATOR(pg_catalog.+) run_for;
    pushed := 0;
    failures := 0;
    LOOP
        targets := '{}';
        BEGIN
            targets := skillrating.push_begin(ladder, relation, at_once, scheduled);
        EXCEPTION WHEN OTHERS OR assert_failure THEN
            -- work() goes on with other ladders.
            IF scheduled IS NOT TRUE THEN
                RAISE;
            END IF;
            RAISE WARNING 'no ratings of ladder "%" are written: %', ladder, SQLERRM;
            failures := failures OPERATOR(pg_catalog.+) 1;
            EXIT;
        END;
        at_once := false;
        FOREACH target IN ARRAY targets LOOP
            steps := 0;
            LOOP
                COMMIT AND CHAIN;
                failure := NULL;
                BEGIN
                    SELECT s.pushed, s.more INTO step FROM skillrating.push_step(ladder, target) AS s;
                    -- What is deferred here fails here, and not at the commit.
                    SET CONSTRAINTS ALL IMMEDIATE;
                EXCEPTION WHEN OTHERS OR assert_failure THEN
                    failure := SQLERRM;
                END;
                EXIT WHEN failure IS NOT NULL;
                pushed := pushed OPERATOR(pg_catalog.+) COALESCE(step.pushed, 0);
                steps := steps OPERATOR(pg_catalog.+) 1;
                EXIT WHEN NOT step.more OR steps OPERATOR(pg_catalog.>=) max_steps;
            END LOOP;
            CONTINUE WHEN failure IS NULL;
            RAISE WARNING 'ratings of ladder "%" cannot be written to table %: %', ladder, target,
                failure;
            failures := failures OPERATOR(pg_catalog.+) 1;
            -- A connection that is lost keeps the transaction from being committed.
            ROLLBACK AND CHAIN;
            BEGIN
                PERFORM FROM skillrating.push_step(ladder, target, failure => failure);
            EXCEPTION WHEN OTHERS OR assert_failure THEN
                NULL;
            END;
        END LOOP;
        COMMIT AND CHAIN;
        EXIT WHEN pg_catalog.clock_timestamp() OPERATOR(pg_catalog.>=) until;
        PERFORM pg_catalog.pg_sleep(0.1);
        COMMIT AND CHAIN;
    END LOOP;
END
$procedure$;

COMMENT ON PROCEDURE skillrating.push(text,regclass,interval,boolean,bigint,bigint) IS
'Writes the ratings of a ladder to the tables that push_rating() was given, or to one of them, as
far as they have changed. Rating never waits for that. The steps for each table are transactions of
their own, and a session that writes to one keeps others from it. Whatever ends it, the next call
goes on there: what was written and not noted is compared again, and a row is never replaced by an
older one. A table that cannot be written to, as because its server is down, is a warning, is noted
in table push, and is tried again after a second, then after two, up to five minutes. A row that a
table refuses is noted in push_failure, keeps no other waiting, and is tried again in the same way,
or when the rating changes. If a table is not as it was left, as after a failover to a standby that
lacked the last changes, all ratings are compared with it.
run_for: go on for so long. scheduled: as work() does, only tables that have every and are due;
otherwise it begins with all at once. Then an error of the ladder as a whole is a warning and counts
as a failure.
pushed, failures: return how many rows were written, and how often a table could not be; values
given in the call are ignored. work() does the same for tables with every, see push_rating().
Errors: 2D000 within a transaction block, 42704 for an unknown ladder, or a table to which nothing
is pushed, 42501 unless the caller owns it, 22004 for nulls in run_for or scheduled, 22023 for a
run_for less than 0; and whatever a server that ends its part at the commit says.';

CREATE FUNCTION skillrating_internal.end_pushes(ladder text)
 RETURNS boolean
 LANGUAGE plpgsql
 STRICT
 SET search_path TO 'pg_catalog', 'pg_temp'
AS $function$
DECLARE
    n bigint;
BEGIN
    IF NOT skillrating_internal.has_push_tables(ladder) THEN
        RETURN false;
    END IF;
    EXECUTE format('DELETE FROM %I.push', ladder);
    GET DIAGNOSTICS n = ROW_COUNT;
    EXECUTE format('DELETE FROM %I.push_failure', ladder);
    RETURN n > 0;
END
$function$;

COMMENT ON FUNCTION skillrating_internal.end_pushes(text) IS
'A part of keep_changes(): ends push_rating() for all tables, and returns whether there were any.
Error 55000 unless the door to the ladder is open.';

CREATE OR REPLACE FUNCTION skillrating_internal.create_work_table(ladder text)
 RETURNS void
 LANGUAGE plpgsql
 STRICT
 SET search_path TO 'pg_catalog', 'pg_temp'
AS $function$
BEGIN
    PERFORM skillrating_internal.check_inside(ladder);
    -- Of two who both find no table, the second one waits and then finds that of the first.
    IF NOT skillrating_internal.has_tables(ladder, '{work}') THEN
        EXECUTE format('LOCK TABLE %I.ladder IN SHARE UPDATE EXCLUSIVE MODE', ladder);
    END IF;
    IF skillrating_internal.has_tables(ladder, '{work}') THEN
        RETURN;
    END IF;
    EXECUTE format(
        'CREATE TABLE %I.work (
            task text PRIMARY KEY,
            every interval CHECK (every > ''0''),
            due_at timestamptz,
            keep interval,
            channel text,
            players boolean,
            cursor text,
            done_at timestamptz,
            done bigint,
            failed_at timestamptz,
            error text)', ladder);
    EXECUTE format('COMMENT ON TABLE %I.work IS %L', ladder,
        'What skillrating.work() does for the ladder, a row for each task: how often (every; null for notifications at commit) and when next (due_at); for trim_changes how long changes are kept (keep); for notify the channel, whether payloads name players, and how far it is (cursor). done_at and done say when it was done last and how much that was, failed_at and error what has failed since.');
END
$function$;

CREATE OR REPLACE FUNCTION skillrating_internal.end_task(ladder text, task text)
 RETURNS boolean
 LANGUAGE plpgsql
 STRICT
 SET search_path TO 'pg_catalog', 'pg_temp'
AS $function$
DECLARE
    n bigint := 0;
BEGIN
    PERFORM skillrating_internal.check_inside(ladder);
    IF skillrating_internal.has_tables(ladder, '{work}') THEN
        EXECUTE format('DELETE FROM %I.work AS w WHERE w.task = $1', ladder) USING task;
        GET DIAGNOSTICS n = ROW_COUNT;
    END IF;
    RETURN n > 0;
END
$function$;

CREATE OR REPLACE FUNCTION skillrating_internal.check_every(name text, every interval)
 RETURNS void
 LANGUAGE plpgsql
 STABLE PARALLEL SAFE
 SET search_path TO 'pg_catalog', 'pg_temp'
AS $function$
BEGIN
    IF every <= '0' THEN
        RAISE invalid_parameter_value USING
            MESSAGE = format('%s must be positive, not %s', name, every);
    END IF;
END
$function$;

CREATE FUNCTION skillrating_internal.check_short_name(name text, value text)
 RETURNS void
 LANGUAGE plpgsql
 IMMUTABLE PARALLEL SAFE
 SET search_path TO 'pg_catalog', 'pg_temp'
AS $function$
BEGIN
    IF value = '' OR value <> value::name::text THEN
        RAISE invalid_parameter_value USING
            MESSAGE = format('%s must be a name of 1 to 63 bytes, not "%s"', name, value);
    END IF;
END
$function$;

COMMENT ON FUNCTION skillrating_internal.check_short_name(text,text) IS
'Error 22023 for a text that cannot be the name of a channel or a queue, in an argument of that
name. A null is none.';

CREATE OR REPLACE FUNCTION skillrating_internal.schedule_work(ladder text, task text, every interval, keep interval DEFAULT NULL::interval, starting_at timestamp with time zone DEFAULT now())
 RETURNS void
 LANGUAGE plpgsql
 SET search_path TO 'pg_catalog', 'pg_temp'
AS $function$
BEGIN
    IF ladder IS NULL OR task IS NULL OR starting_at IS NULL THEN
        RAISE null_value_not_allowed USING
            MESSAGE = 'ladder, task and starting_at must not be null';
    END IF;
    PERFORM skillrating_internal.ladder_types(ladder);
    IF task NOT IN ('drain', 'catch_up', 'settle', 'fold_counts', 'trim_changes', 'make_partitions',
        'queue_tick')
    THEN
        RAISE invalid_parameter_value USING
            MESSAGE = format('task must be "drain", "catch_up", "settle", "fold_counts", '
                '"trim_changes", "make_partitions" or "queue_tick", not "%s"', task),
            HINT = 'skillrating.notify_changes() begins and ends notifications, and push_rating() '
                'has ratings written to other tables.';
    END IF;
    IF NOT isfinite(starting_at) THEN
        RAISE datetime_field_overflow USING
            MESSAGE = format('starting_at must be finite, not %s', starting_at);
    END IF;
    IF every IS NULL THEN
        PERFORM skillrating_internal.end_task(ladder, task);
        RETURN;
    END IF;
    PERFORM skillrating_internal.check_every('every', every);
    IF (task = 'trim_changes') <> (keep IS NOT NULL) OR keep < '0' THEN
        RAISE invalid_parameter_value USING
            MESSAGE = CASE WHEN keep < '0' THEN format('keep must be 0 or more, not %s', keep)
                WHEN keep IS NULL
                    THEN 'task "trim_changes" needs keep, the time for which changes are kept'
                ELSE format('keep is for task "trim_changes", not for "%s"', task) END;
    END IF;
    IF task = 'trim_changes' THEN
        PERFORM skillrating_internal.check_changes_kept(ladder);
    END IF;
    IF task = 'make_partitions'
        AND NOT EXISTS (SELECT FROM skillrating_internal.partitioned_tables(ladder))
    THEN
        RAISE object_not_in_prerequisite_state USING
            MESSAGE = format('table event of ladder "%s" is not partitioned by seq', ladder),
            HINT = format('SELECT skillrating.partition_history(%L, rows => ...) does that.', ladder);
    END IF;
    PERFORM skillrating_internal.create_work_table(ladder);
    EXECUTE format(
        'INSERT INTO %I.work AS w (task, every, keep, due_at) VALUES ($1, $2, $3, $4)
        ON CONFLICT (task) DO UPDATE
        SET every = excluded.every, keep = excluded.keep, due_at = excluded.due_at', ladder)
    USING task, every, keep, starting_at;
END
$function$;

COMMENT ON FUNCTION skillrating_internal.schedule_work(text,text,interval,interval,timestamp with time zone) IS
'The body of skillrating.schedule_work(), called once the door to the ladder is open.';

COMMENT ON FUNCTION skillrating.schedule_work(text,text,interval,interval,timestamp with time zone) IS
'Has work() do a task for a ladder from now on, in place of what was said of it before; with a null
in every no more.
task: drain (at most 10 000 rows of the queue at a time, see attach() with replica), catch_up (if
matches wait in pending or corrections in correction), settle (idle time up to then), fold_counts
(for a database in which all transactions are serializable), trim_changes (of changes from before
now() - keep), make_partitions (two ahead, of tables that partition_history() has partitioned), or
queue_tick (of all queues of the ladder).
every: at the least so much time lies between; keep: for trim_changes only, how long changes are
kept; starting_at: when it is due first, now by default, and from then on at the same time of day if
every is 1 day.
Nothing happens without calls of work(). Errors: 42704 for an unknown ladder, 42501 unless the
caller owns it, 22004 for nulls, 22023 for another task, an interval that is not positive, or keep
where it does not belong, 22008 for an infinite time, 55000 if there are to be changes and the
ladder does not keep them, or partitions and its table event has none.';

CREATE OR REPLACE FUNCTION skillrating_internal.notify_changes(ladder text, channel text, notify_interval interval DEFAULT '00:00:01'::interval, at_commit boolean DEFAULT false, players boolean DEFAULT true)
 RETURNS void
 LANGUAGE plpgsql
 SET search_path TO 'pg_catalog', 'pg_temp'
AS $function$
DECLARE
    w record;
BEGIN
    IF ladder IS NULL OR notify_interval IS NULL OR at_commit IS NULL OR players IS NULL THEN
        RAISE null_value_not_allowed USING
            MESSAGE = 'ladder, notify_interval, at_commit and players must not be null';
    END IF;
    PERFORM skillrating_internal.ladder_types(ladder);
    PERFORM skillrating_internal.check_every('notify_interval', notify_interval);
    IF channel IS NULL THEN
        PERFORM skillrating_internal.end_task(ladder, 'notify'),
            skillrating_internal.drop_notify_triggers(ladder);
        RETURN;
    END IF;
    PERFORM skillrating_internal.check_short_name('channel', channel);
    PERFORM skillrating_internal.check_changes_kept(ladder);
    PERFORM skillrating_internal.create_work_table(ladder);
    -- What waits for work() is told now, if nobody will come back to it.
    IF at_commit THEN
        EXECUTE format(
            'SELECT w.channel, w.players, w.cursor FROM %I.work AS w
            WHERE w.task = ''notify'' AND w.cursor IS NOT NULL FOR UPDATE', ladder)
        INTO w;
        IF w.cursor IS NOT NULL THEN
            PERFORM FROM skillrating_internal.send_notification(ladder, w.channel, w.players,
                w.cursor);
        END IF;
    END IF;
    -- Who listens from now on has missed nothing: changes of this transaction come later.
    EXECUTE format(
        'INSERT INTO %I.work AS w (task, every, due_at, channel, players, cursor)
        VALUES (''notify'', $1, clock_timestamp(), $2, $3, $4)
        ON CONFLICT (task) DO UPDATE
        SET every = excluded.every, due_at = excluded.due_at, channel = excluded.channel,
            players = excluded.players,
            cursor = CASE WHEN excluded.every IS NOT NULL
                THEN coalesce(w.cursor, excluded.cursor) END',
        ladder)
    USING CASE WHEN NOT at_commit THEN notify_interval END, channel, players,
        CASE WHEN NOT at_commit THEN skillrating_internal.newest_cursor(ladder) END;
    PERFORM skillrating_internal.drop_notify_triggers(ladder);
    IF at_commit THEN
        EXECUTE format(
            'CREATE TRIGGER skillrating_notify AFTER INSERT ON %I.change
            REFERENCING NEW TABLE AS changed FOR EACH STATEMENT
            EXECUTE FUNCTION skillrating_internal.notify_of_changes(%L, %L)',
            ladder, channel, players);
    END IF;
END
$function$;

COMMENT ON FUNCTION skillrating_internal.notify_changes(text,text,interval,boolean,boolean) IS
'The body of skillrating.notify_changes(), called once the door to the ladder is open.';

CREATE OR REPLACE FUNCTION skillrating_internal.work_step(ladder text, task text, failure text DEFAULT NULL::text, OUT done bigint)
 RETURNS bigint
 LANGUAGE plpgsql
 SET search_path TO 'pg_catalog', 'pg_temp'
AS $function$
DECLARE
    w record;
    next_cursor text;
    drained record;
    again boolean := false;
BEGIN
    IF ladder IS NULL OR task IS NULL THEN
        RAISE null_value_not_allowed USING MESSAGE = 'ladder and task must not be null';
    END IF;
    PERFORM skillrating_internal.ladder_types(ladder);
    IF NOT skillrating_internal.has_tables(ladder, '{work}') THEN
        RETURN;
    END IF;
    -- Another session may be doing it, or have done it. The lock on the row is taken before
    -- any that rating waits for, and nobody waits for it who holds one of these.
    EXECUTE format(
        'SELECT w.task, w.channel, w.players, w.cursor, w.keep FROM %I.work AS w
        WHERE w.task = $1 AND w.every IS NOT NULL AND w.due_at <= clock_timestamp()
        FOR UPDATE SKIP LOCKED', ladder)
    INTO w USING task;
    IF w.task IS NULL THEN
        RETURN;
    END IF;
    IF failure IS NOT NULL THEN
        EXECUTE format(
            'UPDATE %I.work AS w SET failed_at = clock_timestamp(), error = $2,
                due_at = clock_timestamp() + least(w.every, interval ''1 minute'')
            WHERE w.task = $1', ladder)
        USING task, failure;
        RETURN;
    END IF;
    PERFORM skillrating_internal.note_task(ladder, task);
    CASE task
        WHEN 'drain' THEN
            drained := skillrating_internal.drain_batch(ladder);
            done := drained.looked_at;
            again := drained.taken > 0;
        WHEN 'catch_up' THEN
            done := skillrating_internal.catch_up_if_any(ladder);
        WHEN 'settle' THEN
            done := (
                SELECT s.players FROM skillrating.settle(ladder, clock_timestamp(), 'work') AS s);
        WHEN 'fold_counts' THEN
            done := skillrating.fold_counts(ladder);
        WHEN 'trim_changes' THEN
            done := skillrating_internal.trim_changes(ladder, now() - w.keep);
        WHEN 'queue_tick' THEN
            done := skillrating_internal.tick_queues(ladder);
        WHEN 'make_partitions' THEN
            done := skillrating_internal.make_partitions_ahead(ladder);
        WHEN 'notify' THEN
            SELECT s.cursor, s.changes INTO next_cursor, done
            FROM skillrating_internal.send_notification(ladder, w.channel, w.players, w.cursor)
                AS s;
        ELSE
            RAISE invalid_parameter_value USING
                MESSAGE = format('unknown task "%s" in table work of ladder "%s"', task, ladder);
    END CASE;
    EXECUTE format(
        'UPDATE %I.work AS w
        SET done_at = clock_timestamp(), done = $2, failed_at = NULL, error = NULL, cursor = $3,
            due_at = CASE WHEN $4 THEN w.due_at ELSE greatest(clock_timestamp(),
                w.due_at + w.every * (1 + floor(
                    extract(epoch FROM clock_timestamp() - w.due_at)
                    / extract(epoch FROM w.every))::float8)) END
        WHERE w.task = $1', ladder)
    USING task, done, next_cursor, again;
END
$function$;

COMMENT ON FUNCTION skillrating_internal.work_step(text,text,text) IS
'The body of skillrating.work_step(), called once the door to the ladder is open.';

COMMENT ON FUNCTION skillrating.work_step(text,text,text) IS
'A step of work(): does a task of a ladder if it is due and nobody else is doing it, and returns how
much that was, null if it did nothing: for drain matches that were looked at (it stays due while
rows wait), for notify changes that were notified of, for catch_up and settle rows of rating that
changed, for fold_counts rows of rating_count_delta, for trim_changes rows of change, for
make_partitions partitions, for queue_tick matches. With a failure it notes that in table work
instead, and the task is due again in a minute, or sooner if it is to be done more often.
Errors: 42704 for an unknown ladder, 42501 unless the caller owns it, 22004 for nulls, 22023 for a
task in table work that is none, and those of the function that does the task.';

CREATE OR REPLACE FUNCTION skillrating_internal.scheduled_work(ladder text, OUT task text, OUT every interval, OUT due_at timestamp with time zone, OUT keep interval, OUT channel text, OUT players boolean, OUT done_at timestamp with time zone, OUT done bigint, OUT failed_at timestamp with time zone, OUT error text)
 RETURNS SETOF record
 LANGUAGE plpgsql
 STABLE STRICT ROWS 4
 SET search_path TO 'pg_catalog', 'pg_temp'
AS $function$
BEGIN
    PERFORM skillrating_internal.ladder_types(ladder);
    IF NOT skillrating_internal.has_tables(ladder, '{work}') THEN
        RETURN;
    END IF;
    -- Listeners are told what those before have changed, and that is trimmed afterwards.
    RETURN QUERY EXECUTE format(
        'SELECT w.task, w.every, w.due_at, w.keep, w.channel, w.players, w.done_at, w.done,
            w.failed_at, w.error
        FROM %I.work AS w
        ORDER BY array_position(ARRAY[''queue_tick'', ''make_partitions'', ''drain'', ''catch_up'',
            ''settle'',
            ''fold_counts'', ''notify'', ''trim_changes''], w.task)',
        ladder);
END
$function$;

COMMENT ON FUNCTION skillrating_internal.scheduled_work(text) IS
'The body of skillrating.scheduled_work(), called once the door to the ladder is open.';

CREATE OR REPLACE FUNCTION skillrating_internal.check_work(run_for interval, ladder text)
 RETURNS void
 LANGUAGE plpgsql
 STABLE
 SET search_path TO 'pg_catalog', 'pg_temp'
AS $function$
BEGIN
    PERFORM skillrating_internal.check_run_for(run_for);
    PERFORM FROM skillrating.scheduled_work(ladder);
END
$function$;

CREATE OR REPLACE FUNCTION skillrating_internal.ladders_with_work(ladder text)
 RETURNS text[]
 LANGUAGE sql
 STABLE
 SET search_path TO 'pg_catalog', 'pg_temp'
AS $function$
    SELECT coalesce(array_agg(n.nspname::text ORDER BY n.nspname), '{}')
    FROM pg_namespace AS n
    JOIN pg_class AS c ON c.relnamespace = n.oid AND c.relname = 'ladder' AND c.relkind = 'r'
    WHERE (n.nspname = ladder OR ladder IS NULL) AND pg_has_role(c.relowner, 'USAGE')
        AND has_schema_privilege(n.oid, 'USAGE')
        AND EXISTS (
            SELECT FROM pg_class AS w
            WHERE w.relnamespace = n.oid AND w.relname IN ('work', 'push') AND w.relkind = 'r')
        AND EXISTS (
            SELECT FROM pg_class AS r WHERE r.relnamespace = n.oid AND r.relname = 'rated_match')
$function$;

CREATE FUNCTION skillrating_internal.push_is_due(ladder text)
 RETURNS boolean
 LANGUAGE sql
 STRICT
 SET search_path TO 'pg_catalog', 'pg_temp'
AS $function$
    SELECT EXISTS (
        SELECT FROM skillrating.push_status(ladder) AS s
        WHERE s.every IS NOT NULL AND s.due_at <= clock_timestamp())
$function$;

COMMENT ON FUNCTION skillrating_internal.push_is_due(text) IS
'A part of work(): whether ratings of a ladder are due to be written to a table.';

CREATE OR REPLACE FUNCTION skillrating_internal.idle_seconds(ladder text, seconds double precision)
 RETURNS double precision
 LANGUAGE sql
 SET search_path TO 'pg_catalog', 'pg_temp'
AS $function$
    SELECT CASE WHEN d.rest IS NULL THEN seconds ELSE
        least(seconds, CASE WHEN d.rest > 0 THEN greatest(0.01, d.rest) ELSE 0.1 END) END
    FROM (
        SELECT extract(epoch FROM min(s.due_at) - clock_timestamp())::float8 AS rest
        FROM (
            SELECT w.due_at FROM skillrating.scheduled_work(ladder) AS w WHERE w.every IS NOT NULL
            UNION ALL
            SELECT p.due_at FROM skillrating.push_status(ladder) AS p WHERE p.every IS NOT NULL
        ) AS s) AS d
$function$;

CREATE OR REPLACE PROCEDURE skillrating.work(IN ladder text DEFAULT NULL::text, IN run_for interval DEFAULT '00:00:00'::interval, INOUT done jsonb DEFAULT NULL::jsonb, INOUT failures bigint DEFAULT NULL::bigint)
 LANGUAGE plpgsql
AS $procedure$
DECLARE
    until pg_catalog.timestamptz;
    name pg_catalog.text;
    task pg_catalog.text;
    tasks pg_catalog.text[];
    n pg_catalog.int8;
    idle pg_catalog.float8;
    failure pg_catalog.text;
    pushes pg_catalog.bool;
    push_failures pg_catalog.int8;
BEGIN
    -- As in backfill(), no bare operators or names here. Whatever works on a ladder checks the
    -- rights of the caller.
    COMMIT;
    -- Of two at once the later must see what the first has done; COMMIT AND CHAIN keeps that.
    SET TRANSACTION ISOLATION LEVEL READ COMMITTED;
    PERFORM skillrating_internal.check_work(run_for, ladder);
    until := pg_catalog.clock_timestamp() OPERATOR(pg_catalog.+) run_for;
    done := '{}';
    failures := 0;
    LOOP
        idle := 1;
        FOREACH name IN ARRAY skillrating_internal.ladders_with_work(ladder) LOOP
            tasks := '{}';
            pushes := false;
            BEGIN
                tasks := skillrating_internal.due_tasks(name);
                pushes := skillrating_internal.push_is_due(name);
            EXCEPTION WHEN OTHERS OR assert_failure THEN
                RAISE WARNING 'skipping ladder "%": %', name, SQLERRM;
                failures := failures OPERATOR(pg_catalog.+) 1;
            END;
            FOREACH task IN ARRAY tasks LOOP
                COMMIT AND CHAIN;
                failure := NULL;
                BEGIN
                    n := skillrating.work_step(name, task);
                    -- What is deferred fails here rather than at the commit.
                    SET CONSTRAINTS ALL IMMEDIATE;
                EXCEPTION WHEN OTHERS OR assert_failure THEN
                    failure := SQLERRM;
                    RAISE WARNING 'task "%" of ladder "%" failed: %', task, name, failure;
                    failures := failures OPERATOR(pg_catalog.+) 1;
                END;
                IF failure IS NULL THEN
                    done := skillrating_internal.add_done(done, name, task, n);
                    CONTINUE;
                END IF;
                -- A connection that is lost keeps the transaction from being committed.
                ROLLBACK AND CHAIN;
                BEGIN
                    PERFORM FROM skillrating.work_step(name, task, failure);
                EXCEPTION WHEN OTHERS OR assert_failure THEN
                    NULL;
                END;
            END LOOP;
            IF pushes THEN
                COMMIT AND CHAIN;
                CALL skillrating.push(name, scheduled => true, pushed => n,
                    failures => push_failures);
                done := skillrating_internal.add_done(done, name, 'push', n);
                failures := failures OPERATOR(pg_catalog.+) push_failures;
            END IF;
            COMMIT AND CHAIN;
            BEGIN
                idle := skillrating_internal.idle_seconds(name, idle);
            EXCEPTION WHEN OTHERS OR assert_failure THEN
                NULL;
            END;
        END LOOP;
        COMMIT AND CHAIN;
        EXIT WHEN pg_catalog.clock_timestamp()
            OPERATOR(pg_catalog.+) pg_catalog.make_interval(secs => idle)
            OPERATOR(pg_catalog.>=) until;
        PERFORM pg_catalog.pg_sleep(idle);
        COMMIT AND CHAIN;
    END LOOP;
END
$procedure$;

COMMENT ON PROCEDURE skillrating.work(text,interval,jsonb,bigint) IS
'Does what is due: what schedule_work(), notify_changes() and push_rating() have asked for, on a
ladder, or on all that the caller owns, as a member of the owner too. Each task of each ladder is a
transaction. Whatever ends it, what was done before stays, and the next call goes on there. Two
calls at once are harmless: what one is doing the other leaves alone. A task that fails is a
warning, and keeps no other task or ladder waiting; it is noted in table work, see scheduled_work(),
and tried again after a minute, or sooner if it is to be done more often. progress() shows what it
is doing.
run_for: go on for so long, sleeping while nothing is due.
done: returns what was done, as {"ladder": {"task": how much}}; failures: how many tasks have
failed. Values given in the call are ignored.
Errors: 2D000 within a transaction block, 22004 or 22023 for a run_for that is null or less than 0,
and for a ladder that is named 42704 if it does not exist and 42501 unless the caller owns it.';

COMMENT ON FUNCTION skillrating_internal.build_ladder(text,text) IS
'A part of rerate(): replays a new ladder, made of the first one, that has matches and no events
yet.
Error 55000 unless the door to the first one is open.';

CREATE OR REPLACE FUNCTION skillrating_internal.rerate(ladder text, model text DEFAULT NULL::text, params jsonb DEFAULT NULL::jsonb, "into" text DEFAULT NULL::text, OUT matches bigint)
 RETURNS bigint
 LANGUAGE plpgsql
 SET search_path TO 'pg_catalog', 'pg_temp'
AS $function$
DECLARE
    t record := skillrating_internal.ladder_types(ladder);
    new_ladder text := "into";
    old record;
    new_model text := model;
    new_params jsonb := params;
    left_out bigint[];
BEGIN
    IF ladder IS NULL OR new_ladder IS NULL THEN
        RAISE null_value_not_allowed USING
            MESSAGE = 'ladder and into must not be null',
            HINT = 'Give the name of the new ladder: rerate(ladder, model, params, "into").';
    END IF;
    EXECUTE format('SELECT l.* FROM %I.ladder AS l', ladder) INTO old;
    new_model := coalesce(new_model, old.model);
    IF new_params IS NULL THEN
        new_params := CASE WHEN new_model = old.model THEN old.params ELSE '{}' END;
    END IF;
    PERFORM skillrating_internal.create_ladder_schema(new_ladder, new_model, new_params, t.player_type::regtype, t.match_type::regtype,
        old.apply_at, format('%I.source', ladder)::regclass, old.late, old."strict", '{}', old.leaderboard,
        beside => ladder);
    PERFORM skillrating_internal.partition_like(new_ladder, ladder);

    -- The same matches and operations in the same order; how they count is for the new model to say.
    PERFORM skillrating_internal.copy_matches(format('%I.rated_match', ladder), new_ladder);
    EXECUTE format('INSERT INTO %I.correction SELECT c.* FROM %I.correction AS c', new_ladder, ladder);
    EXECUTE format(
        'INSERT INTO %1$I.operation SELECT o.* FROM %2$I.operation AS o
        WHERE $1 OR o.kind NOT IN (''set'', ''seed'', ''refund'')', new_ladder, ladder)
    USING new_model = old.model;
    EXECUTE format(
        'SELECT array_agg(DISTINCT o.operation ORDER BY o.operation) FROM %2$I.operation AS o
        WHERE o.undone_at IS NULL AND NOT EXISTS (
            SELECT FROM %1$I.operation AS n WHERE n.operation = o.operation)', new_ladder, ladder)
    INTO left_out;
    PERFORM skillrating_internal.warn_of_states(ladder, new_ladder, left_out);
    -- The number of an operation is never given again, not even that of one that is left out here.
    EXECUTE format('SELECT setval(%L, s.last_value) FROM %I.event_seq AS s', format('%I.event_seq', new_ladder), ladder);
    PERFORM skillrating_internal.build_ladder(ladder, new_ladder);
    -- What is otherwise here than in the first ladder was not corrected.
    EXECUTE format('UPDATE %I.rated_match AS m SET corrections = 0 WHERE m.corrections > 0', new_ladder);
    EXECUTE format('SELECT count(*) FROM %I.rated_match AS m WHERE m.status = ''rated''', new_ladder) INTO matches;
END
$function$;

COMMENT ON FUNCTION skillrating_internal.rerate(text,text,jsonb,text) IS
'The body of skillrating.rerate(), called once the door to the ladder is open.';

COMMENT ON FUNCTION skillrating_internal.compare_ladders(text,text,text,timestamp with time zone) IS
'The body of skillrating.compare_ladders(), called once the door to the ladder is open.';

CREATE OR REPLACE FUNCTION skillrating_internal.swap_ladders(a text, b text)
 RETURNS void
 LANGUAGE plpgsql
 STRICT
 SET search_path TO 'pg_catalog', 'pg_temp'
AS $function$
DECLARE
    prepared record;
    constraints text[];
BEGIN
    PERFORM skillrating_internal.check_inside(a), skillrating_internal.check_inside(b);
    PERFORM skillrating_internal.check_swap(a, b);
    PERFORM skillrating_internal.hold_ladder(b, false);
    PERFORM skillrating_internal.match_leaderboard(a, b);
    prepared := skillrating_internal.prepare_exchange(a, b);
    constraints := skillrating_internal.held_constraints(a, b);
    PERFORM skillrating_internal.begin_carrying(a, b);
    PERFORM skillrating_internal.carry_and_hold(a, b);
    -- From here on nobody else is at work on either.
    PERFORM skillrating_internal.end_carrying(b);
    IF constraints IS DISTINCT FROM skillrating_internal.held_constraints(a, b) THEN
        RAISE serialization_failure USING
            MESSAGE = format('constraints of tables of ladder "%s" were changed meanwhile', a),
            HINT = 'Try again.';
    END IF;
    PERFORM skillrating_internal.settle_constraints(a), skillrating_internal.settle_constraints(b);
    PERFORM skillrating_internal.check_references(a, b), skillrating_internal.check_references(b, a);
    PERFORM skillrating_internal.check_bounds(a, b), skillrating_internal.check_bounds(b, a);
    PERFORM skillrating_internal.exchange_storage(a, b, t.name) FROM unnest(prepared.alike) AS t(name);
    PERFORM skillrating_internal.exchange_table(a, b, t.name)
    FROM unnest(prepared.differing) AS t(name);
    PERFORM skillrating_internal.exchange_pending(a, b),
        skillrating_internal.exchange_comments(a, b);
    IF prepared.moved <> '{}' THEN
        PERFORM skillrating_internal.move_tables(a, b, prepared.moved);
    END IF;
    PERFORM skillrating_internal.swap_horizons(a, b);
    PERFORM skillrating_internal.renew_mirrors(a, b), skillrating_internal.renew_mirrors(b, a);
    PERFORM skillrating_internal.swap_changes(a, b), skillrating_internal.swap_changes(b, a);
    PERFORM skillrating_internal.recount_queues(a), skillrating_internal.recount_queues(b);
END
$function$;

COMMENT ON FUNCTION skillrating_internal.swap_ladders(text,text) IS
'The body of skillrating.swap_ladders(), called once the door to the ladder is open.';

CREATE OR REPLACE FUNCTION skillrating_internal.make_room(a text, b text, whole boolean)
 RETURNS void
 LANGUAGE plpgsql
 STRICT
 SET search_path TO 'pg_catalog', 'pg_temp'
AS $function$
DECLARE
    t record := skillrating_internal.ladder_types(a);
    own bigint[] := skillrating_internal.own_operations(a, b);
    sequence constant text := format('%I.event_seq', b);
    own_places constant text := format(
        'SELECT m.seq, m.played_at AS at FROM %1$I.rated_match AS m
        JOIN %1$I.carried_own AS n ON n.match_id %2$s m.match_id
        WHERE m.seq IS NOT NULL
        UNION
        SELECT o.seq, o.at FROM %1$I.operation AS o WHERE o.operation = ANY ($1)',
        b, t.match_equals);
    place bigint;
    since timestamptz;
    first_taken bigint;
    behind bigint;
    moved bigint[];
BEGIN
    EXECUTE format(
        'SELECT setval(%L, greatest(x.last_value, y.last_value))
        FROM %I.event_seq AS x, %I.event_seq AS y', sequence, a, b)
    INTO behind;
    EXECUTE format(
        'SELECT min(p.seq) FROM (%s) AS p
        WHERE p.seq IN (SELECT n.seq FROM %2$I.carried_match AS n WHERE n.seq IS NOT NULL
            UNION ALL SELECT n.seq FROM %2$I.carried_operation AS n)', own_places, b)
    INTO first_taken USING own;
    EXECUTE format('SELECT min(p.seq), min(p.at) FROM (%s) AS p WHERE $2 OR p.seq >= $3', own_places)
    INTO place, since USING own, whole, first_taken;
    PERFORM skillrating_internal.note_correction(b, 'carried', place, played_at => since);
    EXECUTE format(
        'WITH place AS MATERIALIZED (
            SELECT p.seq, $3 + row_number() OVER (ORDER BY p.seq) AS new_seq
            FROM (SELECT DISTINCT p.seq FROM (%1$s) AS p) AS p WHERE p.seq >= $2
        ), matches AS (
            UPDATE %2$I.rated_match AS m SET seq = p.new_seq FROM place AS p WHERE m.seq = p.seq
        ), operations AS (
            UPDATE %2$I.operation AS o SET seq = p.new_seq FROM place AS p
            WHERE o.seq = p.seq AND o.operation = ANY ($1) RETURNING o.operation, o.undone_at
        )
        SELECT setval(%3$L, $3 + (SELECT count(*) FROM place)),
            (SELECT array_agg(DISTINCT o.operation ORDER BY o.operation)
             FROM operations AS o WHERE o.undone_at IS NULL)',
        own_places, b, sequence)
    INTO behind, moved USING own, first_taken, behind;
    IF moved IS NOT NULL THEN
        RAISE NOTICE USING
            MESSAGE = format(
                'operations of ladder "%s" now come after all matches and operations of ladder "%s": %s',
                b, a, array_to_string(moved, ', '));
    END IF;
END
$function$;

CREATE OR REPLACE FUNCTION skillrating_internal.renumber_operations(a text, b text)
 RETURNS void
 LANGUAGE plpgsql
 STRICT
 SET search_path TO 'pg_catalog', 'pg_temp'
AS $function$
DECLARE
    number bigint;
    next_number bigint;
    active boolean;
BEGIN
    PERFORM skillrating_internal.check_inside(a), skillrating_internal.check_inside(b);
    FOR number IN EXECUTE format(
        'SELECT DISTINCT n.operation FROM %I.carried_operation AS n
        WHERE n.operation = ANY ($1) ORDER BY n.operation', b)
    USING skillrating_internal.own_operations(a, b)
    LOOP
        next_number := nextval(format('%I.event_seq', b));
        EXECUTE format(
            'WITH renumbered AS (
                UPDATE %1$I.operation AS o SET operation = $2 WHERE o.operation = $1
                RETURNING o.undone_at
            ), standings AS (
                UPDATE %1$I.standing AS s SET operation = $2 WHERE s.operation = $1)
            SELECT bool_or(r.undone_at IS NULL) FROM renumbered AS r', b)
        INTO active USING number, next_number;
        IF active THEN
            RAISE NOTICE USING
                MESSAGE = format('operation %s of ladder "%s" now has number %s',
                    number, b, next_number),
                DETAIL = format('Ladder "%s" has another operation of that number.', a);
        END IF;
    END LOOP;
END
$function$;

COMMENT ON FUNCTION skillrating_internal.copy_matches(text,text) IS
'A part of rerate() and swap_ladders(): takes matches that ladder b does not know over to it, at
their places, from a table like rated_match, given as SQL. Matches that have not been rated there
have none; what b makes of them is to be seen, so that they go into pending and have a digest that
is none of theirs.';

COMMENT ON FUNCTION skillrating_internal.begin_carrying(text,text) IS
'A part of swap_ladders(): makes the tables for survey() in the schema of ladder b, which nobody
else ever sees: carried_match has the rows of rated_match of ladder a that b has otherwise or not,
and matches that a does not know (not known); carried_own the matches that b alone has placed, as
far as they may be in the way; carried_waiting what waits in a; carried_operation the operations of
a.';

COMMENT ON FUNCTION skillrating_internal.survey(text,text,xid8) IS
'A part of swap_ladders(): copies what ladder a has otherwise than ladder b into the tables of
begin_carrying(), of matches only those whose row in a was changed by a transaction from a certain
one on, all for null. Returns how many matches differ, whether operations may, and the smallest
place of a match that does.';

CREATE OR REPLACE FUNCTION skillrating_internal.check_document(keys jsonb, document jsonb)
 RETURNS void
 LANGUAGE plpgsql
 STABLE
 SET jit TO 'off'
 SET search_path TO 'pg_catalog', 'pg_temp'
AS $function$
DECLARE
    fault record;
    place text;
    wanted text;
    whole text;
BEGIN
    IF document IS NULL THEN
        RAISE null_value_not_allowed USING MESSAGE = 'document must not be null';
    END IF;
    WITH team AS MATERIALIZED (
        SELECT t.n, format('teams[%s]', t.n - 1) AS path, t.value
        FROM jsonb_array_elements(
            CASE WHEN keys ? 'team' AND jsonb_typeof(document->'teams') = 'array'
                THEN document->'teams' ELSE '[]' END) WITH ORDINALITY AS t(value, n)
    ), object AS MATERIALIZED (
        SELECT 0 AS team, 0 AS n, '' AS path, 'document' AS level, document AS value
        UNION ALL
        SELECT t.n, 0, t.path, 'team', t.value FROM team AS t
        UNION ALL
        SELECT l.n, p.n, format('%splayers[%s]', l.path, p.n - 1), 'player', p.value
        FROM (
            SELECT 0 AS n, '' AS path, document->'players' AS players WHERE NOT keys ? 'team'
            UNION ALL
            SELECT t.n, t.path || '.', t.value->'players' FROM team AS t
        ) AS l, jsonb_array_elements(
            CASE jsonb_typeof(l.players) WHEN 'array' THEN l.players ELSE '[]' END)
            WITH ORDINALITY AS p(value, n)
    )
    SELECT f.* INTO fault FROM (
        SELECT o.team, o.n, o.path, o.level, NULL AS key, o.value, '' AS kind
        FROM object AS o WHERE jsonb_typeof(o.value) <> 'object'
        UNION ALL
        SELECT o.team, o.n, o.path, o.level, e.key, e.value,
            CASE WHEN keys->o.level ? e.key THEN 'type' ELSE 'invalid' END
        FROM object AS o
        CROSS JOIN jsonb_each(
            CASE jsonb_typeof(o.value) WHEN 'object' THEN o.value ELSE '{}' END) AS e
        WHERE NOT (keys->o.level ? e.key) OR CASE
            WHEN e.value = 'null' THEN keys->'needed'->o.level ? e.key
            ELSE NOT skillrating_internal.document_value_fits(e.value, keys->o.level->>e.key) END
        UNION ALL
        SELECT o.team, o.n, o.path, o.level, k.key, NULL, 'missing'
        FROM object AS o
        CROSS JOIN jsonb_array_elements_text(keys->'needed'->o.level) AS k(key)
        WHERE jsonb_typeof(o.value) = 'object' AND NOT o.value ? k.key) AS f
    ORDER BY f.team, f.n, f.kind COLLATE "C", f.key COLLATE "C" LIMIT 1;
    IF fault.kind IS NULL THEN
        RETURN;
    END IF;
    place := coalesce(nullif(fault.path, ''), 'document');
    whole := coalesce(nullif(concat_ws('.', nullif(fault.path, ''), fault.key), ''), place);
    wanted := CASE WHEN fault.key IS NULL THEN 'an object'
        ELSE (skillrating_internal.document_type(keys->fault.level->>fault.key)).name END;
    RAISE invalid_parameter_value USING
        MESSAGE = CASE fault.kind
            WHEN 'invalid' THEN format('invalid key "%s" in %s', fault.key, place)
            WHEN 'missing' THEN format('key "%s" is missing in %s', fault.key, place)
            ELSE format('%s must be %s, not %s', whole, wanted, left(fault.value::text, 100)) END,
        HINT = CASE fault.kind
            WHEN 'missing' THEN format('It is %s.', wanted)
            ELSE format('Valid keys are %s.', (
                SELECT string_agg(k.key, ', ' ORDER BY k.key COLLATE "C")
                FROM jsonb_object_keys(keys->fault.level) AS k(key))) END;
END
$function$;

CREATE OR REPLACE FUNCTION skillrating_internal.create_document_function(function text)
 RETURNS void
 LANGUAGE plpgsql
 STRICT
 SET search_path TO 'pg_catalog', 'pg_temp'
AS $function$
DECLARE
    on_ladder boolean := EXISTS (
        SELECT FROM skillrating_internal.ladder_entries() AS e
        WHERE e.function = create_document_function.function);
    schema text := CASE WHEN on_ladder THEN 'skillrating_internal' ELSE 'skillrating' END;
    unknown text;
    result record;
BEGIN
    SELECT k.type INTO unknown
    FROM skillrating_internal.document_keys(function) AS k
    CROSS JOIN skillrating_internal.document_type(k.type) AS t
    WHERE t.name IS NULL;
    IF unknown IS NOT NULL THEN
        RAISE feature_not_supported USING
            MESSAGE = format('arguments of type %s are not supported in a document', unknown);
    END IF;
    SELECT p.provolatile, p.prorows, string_agg(format('%I %s', u.name, regexp_replace(
            format_type(u.type, NULL), '^any(element|compatible)$', 'text')), ', ' ORDER BY u.n)
        AS columns
    INTO STRICT result
    FROM skillrating_internal.document_base(function) AS p
    CROSS JOIN unnest(p.proallargtypes, p.proargnames, p.proargmodes)
        WITH ORDINALITY AS u(type, name, mode, n)
    WHERE u.mode IN ('o', 't')
    GROUP BY p.provolatile, p.prorows;
    EXECUTE format(
        'CREATE FUNCTION %I.%I(%s) RETURNS TABLE (%s) LANGUAGE plpgsql %s ROWS %s SET jit = off
        SET search_path = pg_catalog, pg_temp AS %L',
        schema, function || '_document',
        CASE WHEN on_ladder THEN 'ladder text, document jsonb' ELSE 'document jsonb' END,
        result.columns,
        CASE result.provolatile WHEN 'v' THEN 'VOLATILE' ELSE 'STABLE' END, result.prorows,
        format('
#variable_conflict use_column
DECLARE
    keys CONSTANT jsonb := %L;
BEGIN%s
    PERFORM skillrating_internal.check_document(keys, document);
    RETURN QUERY %s;
END
',
            skillrating_internal.document_check_keys(function),
            CASE WHEN on_ladder THEN '
    PERFORM skillrating_internal.ladder_types(ladder);' ELSE '' END,
            skillrating_internal.document_call(function, schema, on_ladder)));
    IF on_ladder THEN
        PERFORM skillrating_internal.create_entry(function || '_document');
    END IF;
END
$function$;

CREATE OR REPLACE FUNCTION skillrating_internal.report_match_document(ladder text, document jsonb)
 RETURNS TABLE(player_id text, rating_before double precision, rating_after double precision, win_probability double precision, score double precision, state_before double precision[], state_after double precision[], outcome text, reason text, detail text, correction text, correction_seq bigint)
 LANGUAGE plpgsql
 ROWS 12
 SET jit TO 'off'
 SET search_path TO 'pg_catalog', 'pg_temp'
AS $function$
#variable_conflict use_column
DECLARE
    keys CONSTANT jsonb := '{"team": {"rank": "integer", "side": "integer", "score": "double precision", "players": "filled"}, "needed": {"team": ["players"], "player": ["id"], "document": ["match_id", "teams"]}, "player": {"id": "identifier", "bot": "boolean", "club": "text", "gain": "double precision", "left": "double precision", "quit": "boolean", "kills": "integer", "squad": "bigint", "deaths": "integer", "joined": "double precision", "weight": "double precision", "context": "text", "commanding": "double precision", "experience": "integer"}, "document": {"gain": "double precision", "pool": "text", "teams": "filled", "duration": "double precision", "log_odds": "double precision", "match_id": "identifier", "played_at": "timestamp with time zone", "surrendered": "boolean"}}';
BEGIN
    PERFORM skillrating_internal.ladder_types(ladder);
    PERFORM skillrating_internal.check_document(keys, document);
    RETURN QUERY SELECT r.* FROM (
            SELECT array_agg(CAST(t.n AS integer) ORDER BY t.n, p.n) AS team, CASE WHEN bool_or(jsonb_typeof(p.value->'id') <> 'null')
                THEN array_agg(CAST(p.value->>'id' AS text) ORDER BY t.n, p.n) END AS players, CASE WHEN bool_or(jsonb_typeof(t.value->'rank') <> 'null')
                THEN array_agg(CAST(CAST(t.value->>'rank' AS numeric) AS integer) ORDER BY t.n, p.n) END AS rank, CASE WHEN bool_or(jsonb_typeof(t.value->'score') <> 'null')
                THEN array_agg(CAST(t.value->>'score' AS double precision) ORDER BY t.n, p.n) END AS team_score, CASE WHEN bool_or(jsonb_typeof(p.value->'weight') <> 'null')
                THEN array_agg(CAST(p.value->>'weight' AS double precision) ORDER BY t.n, p.n) END AS weight, CASE WHEN bool_or(jsonb_typeof(p.value->'joined') <> 'null')
                THEN array_agg(CAST(p.value->>'joined' AS double precision) ORDER BY t.n, p.n) END AS joined, CASE WHEN bool_or(jsonb_typeof(p.value->'left') <> 'null')
                THEN array_agg(CAST(p.value->>'left' AS double precision) ORDER BY t.n, p.n) END AS "left", CASE WHEN bool_or(jsonb_typeof(p.value->'commanding') <> 'null')
                THEN array_agg(CAST(p.value->>'commanding' AS double precision) ORDER BY t.n, p.n) END AS commanding, CASE WHEN bool_or(jsonb_typeof(t.value->'side') <> 'null')
                THEN array_agg(CAST(CAST(t.value->>'side' AS numeric) AS integer) ORDER BY t.n, p.n) END AS side, CASE WHEN bool_or(jsonb_typeof(p.value->'squad') <> 'null')
                THEN array_agg(CAST(CAST(p.value->>'squad' AS numeric) AS bigint) ORDER BY t.n, p.n) END AS squad, CASE WHEN bool_or(jsonb_typeof(p.value->'kills') <> 'null')
                THEN array_agg(CAST(CAST(p.value->>'kills' AS numeric) AS integer) ORDER BY t.n, p.n) END AS kills, CASE WHEN bool_or(jsonb_typeof(p.value->'deaths') <> 'null')
                THEN array_agg(CAST(CAST(p.value->>'deaths' AS numeric) AS integer) ORDER BY t.n, p.n) END AS deaths, CASE WHEN bool_or(jsonb_typeof(p.value->'quit') <> 'null')
                THEN array_agg(CAST(p.value->>'quit' AS boolean) ORDER BY t.n, p.n) END AS quit, CASE WHEN bool_or(jsonb_typeof(p.value->'experience') <> 'null')
                THEN array_agg(CAST(CAST(p.value->>'experience' AS numeric) AS integer) ORDER BY t.n, p.n) END AS experience, CASE WHEN bool_or(jsonb_typeof(p.value->'gain') <> 'null')
                THEN array_agg(CAST(p.value->>'gain' AS double precision) ORDER BY t.n, p.n) END AS player_gain, CASE WHEN bool_or(jsonb_typeof(p.value->'bot') <> 'null')
                THEN array_agg(CAST(p.value->>'bot' AS boolean) ORDER BY t.n, p.n) END AS bot, CASE WHEN bool_or(jsonb_typeof(p.value->'context') <> 'null')
                THEN array_agg(CAST(p.value->>'context' AS text) ORDER BY t.n, p.n) END AS context, CASE WHEN bool_or(jsonb_typeof(p.value->'club') <> 'null')
                THEN array_agg(CAST(p.value->>'club' AS text) ORDER BY t.n, p.n) END AS club
            FROM jsonb_array_elements(document->'teams') WITH ORDINALITY AS t(value, n), jsonb_array_elements(t.value->'players')
                WITH ORDINALITY AS p(value, n)) AS a,
        skillrating_internal.report_match(ladder => ladder, team => a.team, match_id => document->>'match_id', players => a.players, rank => a.rank, played_at => coalesce(CAST(document->>'played_at' AS timestamp with time zone), NULL::timestamp with time zone), team_score => a.team_score, weight => a.weight, joined => a.joined, "left" => a."left", commanding => a.commanding, side => a.side, squad => a.squad, kills => a.kills, deaths => a.deaths, quit => a.quit, experience => a.experience, player_gain => a.player_gain, pool => coalesce(CAST(document->>'pool' AS text), ''::text), log_odds => coalesce(CAST(document->>'log_odds' AS double precision), 0), gain => coalesce(CAST(document->>'gain' AS double precision), 1), duration => coalesce(CAST(document->>'duration' AS double precision), NULL::double precision), surrendered => coalesce(CAST(document->>'surrendered' AS boolean), NULL::boolean), bot => a.bot, context => a.context, club => a.club) AS r;
END
$function$;

COMMENT ON FUNCTION skillrating_internal.report_match_document(text,jsonb) IS
'The body of skillrating.report_match_document(), called once the door to the ladder is open.';

COMMENT ON FUNCTION skillrating.report_match_document(text,jsonb) IS
'report_match() with its arguments as one document, and the same result:

    {"match_id": "final", "played_at": "2024-05-05T20:15:00Z", "teams": [
        {"rank": 1, "players": [{"id": "ada"}, {"id": "ben", "weight": 0.5}]},
        {"rank": 2, "players": [{"id": "cleo"}, {"id": "dan"}]}]}

Teams are numbered in their order, from 1 on. rank and side, and score (the argument team_score),
are keys of a team; weight, joined, left, commanding, squad, kills, deaths, quit, experience,
gain (the argument player_gain), bot, context and club of a player; the other arguments of the
document. Identifiers are strings or integers. Null is as if the key were not there.
document_schema() has all of it as a JSON Schema.
Errors: 22023 for a key that does not exist or is missing, or for a value of another type, with
where it stands, 22004 for a null document, and those of report_match(), without that place.';

CREATE OR REPLACE FUNCTION skillrating_internal.preview_document(ladder text, document jsonb)
 RETURNS TABLE(player_id text, team integer, rating double precision, win_probability double precision, win_change double precision, draw_change double precision, loss_change double precision, draw_probability double precision)
 LANGUAGE plpgsql
 STABLE ROWS 12
 SET jit TO 'off'
 SET search_path TO 'pg_catalog', 'pg_temp'
AS $function$
#variable_conflict use_column
DECLARE
    keys CONSTANT jsonb := '{"team": {"side": "integer", "players": "filled"}, "needed": {"team": ["players"], "player": ["id"], "document": ["teams"]}, "player": {"id": "identifier", "club": "text", "gain": "double precision", "left": "double precision", "squad": "bigint", "joined": "double precision", "weight": "double precision", "context": "text", "commanding": "double precision"}, "document": {"at": "timestamp with time zone", "gain": "double precision", "pool": "text", "teams": "filled", "log_odds": "double precision"}}';
BEGIN
    PERFORM skillrating_internal.ladder_types(ladder);
    PERFORM skillrating_internal.check_document(keys, document);
    RETURN QUERY SELECT r.* FROM (
            SELECT array_agg(CAST(t.n AS integer) ORDER BY t.n, p.n) AS team, CASE WHEN bool_or(jsonb_typeof(p.value->'id') <> 'null')
                THEN array_agg(CAST(p.value->>'id' AS text) ORDER BY t.n, p.n) END AS players, CASE WHEN bool_or(jsonb_typeof(p.value->'weight') <> 'null')
                THEN array_agg(CAST(p.value->>'weight' AS double precision) ORDER BY t.n, p.n) END AS weight, CASE WHEN bool_or(jsonb_typeof(p.value->'joined') <> 'null')
                THEN array_agg(CAST(p.value->>'joined' AS double precision) ORDER BY t.n, p.n) END AS joined, CASE WHEN bool_or(jsonb_typeof(p.value->'left') <> 'null')
                THEN array_agg(CAST(p.value->>'left' AS double precision) ORDER BY t.n, p.n) END AS "left", CASE WHEN bool_or(jsonb_typeof(p.value->'commanding') <> 'null')
                THEN array_agg(CAST(p.value->>'commanding' AS double precision) ORDER BY t.n, p.n) END AS commanding, CASE WHEN bool_or(jsonb_typeof(t.value->'side') <> 'null')
                THEN array_agg(CAST(CAST(t.value->>'side' AS numeric) AS integer) ORDER BY t.n, p.n) END AS side, CASE WHEN bool_or(jsonb_typeof(p.value->'squad') <> 'null')
                THEN array_agg(CAST(CAST(p.value->>'squad' AS numeric) AS bigint) ORDER BY t.n, p.n) END AS squad, CASE WHEN bool_or(jsonb_typeof(p.value->'gain') <> 'null')
                THEN array_agg(CAST(p.value->>'gain' AS double precision) ORDER BY t.n, p.n) END AS player_gain, CASE WHEN bool_or(jsonb_typeof(p.value->'context') <> 'null')
                THEN array_agg(CAST(p.value->>'context' AS text) ORDER BY t.n, p.n) END AS context, CASE WHEN bool_or(jsonb_typeof(p.value->'club') <> 'null')
                THEN array_agg(CAST(p.value->>'club' AS text) ORDER BY t.n, p.n) END AS club
            FROM jsonb_array_elements(document->'teams') WITH ORDINALITY AS t(value, n), jsonb_array_elements(t.value->'players')
                WITH ORDINALITY AS p(value, n)) AS a,
        skillrating_internal.preview(ladder => ladder, team => a.team, players => a.players, weight => a.weight, joined => a.joined, "left" => a."left", commanding => a.commanding, side => a.side, squad => a.squad, player_gain => a.player_gain, pool => coalesce(CAST(document->>'pool' AS text), ''::text), log_odds => coalesce(CAST(document->>'log_odds' AS double precision), 0), gain => coalesce(CAST(document->>'gain' AS double precision), 1), at => coalesce(CAST(document->>'at' AS timestamp with time zone), now()), context => a.context, club => a.club) AS r;
END
$function$;

COMMENT ON FUNCTION skillrating_internal.preview_document(text,jsonb) IS
'The body of skillrating.preview_document(), called once the door to the ladder is open.';

CREATE OR REPLACE FUNCTION skillrating_internal.win_probability_document(ladder text, document jsonb)
 RETURNS TABLE(team integer, win_probability double precision, draw_probability double precision)
 LANGUAGE plpgsql
 STABLE ROWS 2
 SET jit TO 'off'
 SET search_path TO 'pg_catalog', 'pg_temp'
AS $function$
#variable_conflict use_column
DECLARE
    keys CONSTANT jsonb := '{"team": {"side": "integer", "players": "filled"}, "needed": {"team": ["players"], "player": ["id"], "document": ["teams"]}, "player": {"id": "identifier", "club": "text", "left": "double precision", "squad": "bigint", "joined": "double precision", "weight": "double precision", "context": "text", "commanding": "double precision"}, "document": {"at": "timestamp with time zone", "pool": "text", "teams": "filled", "log_odds": "double precision"}}';
BEGIN
    PERFORM skillrating_internal.ladder_types(ladder);
    PERFORM skillrating_internal.check_document(keys, document);
    RETURN QUERY SELECT r.* FROM (
            SELECT array_agg(CAST(t.n AS integer) ORDER BY t.n, p.n) AS team, CASE WHEN bool_or(jsonb_typeof(p.value->'id') <> 'null')
                THEN array_agg(CAST(p.value->>'id' AS text) ORDER BY t.n, p.n) END AS players, CASE WHEN bool_or(jsonb_typeof(p.value->'weight') <> 'null')
                THEN array_agg(CAST(p.value->>'weight' AS double precision) ORDER BY t.n, p.n) END AS weight, CASE WHEN bool_or(jsonb_typeof(p.value->'joined') <> 'null')
                THEN array_agg(CAST(p.value->>'joined' AS double precision) ORDER BY t.n, p.n) END AS joined, CASE WHEN bool_or(jsonb_typeof(p.value->'left') <> 'null')
                THEN array_agg(CAST(p.value->>'left' AS double precision) ORDER BY t.n, p.n) END AS "left", CASE WHEN bool_or(jsonb_typeof(p.value->'commanding') <> 'null')
                THEN array_agg(CAST(p.value->>'commanding' AS double precision) ORDER BY t.n, p.n) END AS commanding, CASE WHEN bool_or(jsonb_typeof(t.value->'side') <> 'null')
                THEN array_agg(CAST(CAST(t.value->>'side' AS numeric) AS integer) ORDER BY t.n, p.n) END AS side, CASE WHEN bool_or(jsonb_typeof(p.value->'squad') <> 'null')
                THEN array_agg(CAST(CAST(p.value->>'squad' AS numeric) AS bigint) ORDER BY t.n, p.n) END AS squad, CASE WHEN bool_or(jsonb_typeof(p.value->'context') <> 'null')
                THEN array_agg(CAST(p.value->>'context' AS text) ORDER BY t.n, p.n) END AS context, CASE WHEN bool_or(jsonb_typeof(p.value->'club') <> 'null')
                THEN array_agg(CAST(p.value->>'club' AS text) ORDER BY t.n, p.n) END AS club
            FROM jsonb_array_elements(document->'teams') WITH ORDINALITY AS t(value, n), jsonb_array_elements(t.value->'players')
                WITH ORDINALITY AS p(value, n)) AS a,
        skillrating_internal.win_probability(ladder => ladder, team => a.team, players => a.players, weight => a.weight, joined => a.joined, "left" => a."left", commanding => a.commanding, side => a.side, squad => a.squad, pool => coalesce(CAST(document->>'pool' AS text), ''::text), log_odds => coalesce(CAST(document->>'log_odds' AS double precision), 0), at => coalesce(CAST(document->>'at' AS timestamp with time zone), now()), context => a.context, club => a.club) AS r;
END
$function$;

COMMENT ON FUNCTION skillrating_internal.win_probability_document(text,jsonb) IS
'The body of skillrating.win_probability_document(), called once the door to the ladder is open.';

CREATE OR REPLACE FUNCTION skillrating_internal.split_ladder_document(ladder text, document jsonb)
 RETURNS TABLE(player_id text, team integer, mu double precision, difference double precision, win_probability double precision, exact boolean, bound double precision, commands boolean, why jsonb)
 LANGUAGE plpgsql
 STABLE
 SET jit TO 'off'
 SET search_path TO 'pg_catalog', 'pg_temp'
AS $function$
#variable_conflict use_column
DECLARE
    keys CONSTANT jsonb := '{"needed": {"player": ["id"], "document": ["players"]}, "player": {"id": "identifier", "club": "text", "party": "integer", "locked": "integer", "weight": "double precision", "context": "text", "current": "integer", "priority": "double precision", "commander": "boolean", "split_evenly": "integer"}, "document": {"at": "timestamp with time zone", "pool": "text", "seed": "bigint", "avoid": "pairs", "sides": "boolean", "teams": "integer", "budget": "double precision", "caution": "double precision", "explain": "boolean", "players": "filled", "log_odds": "double precision", "objective": "text", "secondary": "text", "team_size": "integer", "tolerance": "double precision", "commanders": "boolean"}}';
BEGIN
    PERFORM skillrating_internal.ladder_types(ladder);
    PERFORM skillrating_internal.check_document(keys, document);
    RETURN QUERY SELECT r.* FROM (
            SELECT array_agg(CAST(t.n AS integer) ORDER BY t.n, p.n) AS team, CASE WHEN bool_or(jsonb_typeof(p.value->'id') <> 'null')
                THEN array_agg(CAST(p.value->>'id' AS text) ORDER BY t.n, p.n) END AS players, CASE WHEN bool_or(jsonb_typeof(p.value->'weight') <> 'null')
                THEN array_agg(CAST(p.value->>'weight' AS double precision) ORDER BY t.n, p.n) END AS weight, CASE WHEN bool_or(jsonb_typeof(p.value->'party') <> 'null')
                THEN array_agg(CAST(CAST(p.value->>'party' AS numeric) AS integer) ORDER BY t.n, p.n) END AS party, CASE WHEN bool_or(jsonb_typeof(p.value->'locked') <> 'null')
                THEN array_agg(CAST(CAST(p.value->>'locked' AS numeric) AS integer) ORDER BY t.n, p.n) END AS locked, CASE WHEN bool_or(jsonb_typeof(p.value->'split_evenly') <> 'null')
                THEN array_agg(CAST(CAST(p.value->>'split_evenly' AS numeric) AS integer) ORDER BY t.n, p.n) END AS split_evenly, CASE WHEN bool_or(jsonb_typeof(p.value->'priority') <> 'null')
                THEN array_agg(CAST(p.value->>'priority' AS double precision) ORDER BY t.n, p.n) END AS priority, CASE WHEN bool_or(jsonb_typeof(p.value->'current') <> 'null')
                THEN array_agg(CAST(CAST(p.value->>'current' AS numeric) AS integer) ORDER BY t.n, p.n) END AS current, CASE WHEN bool_or(jsonb_typeof(p.value->'commander') <> 'null')
                THEN array_agg(CAST(p.value->>'commander' AS boolean) ORDER BY t.n, p.n) END AS commander, CASE WHEN bool_or(jsonb_typeof(p.value->'context') <> 'null')
                THEN array_agg(CAST(p.value->>'context' AS text) ORDER BY t.n, p.n) END AS context, CASE WHEN bool_or(jsonb_typeof(p.value->'club') <> 'null')
                THEN array_agg(CAST(p.value->>'club' AS text) ORDER BY t.n, p.n) END AS club
            FROM (SELECT document AS value, 1 AS n) AS t, jsonb_array_elements(t.value->'players')
                WITH ORDINALITY AS p(value, n)) AS a,
        skillrating_internal.split_ladder(ladder => ladder, players => a.players, weight => a.weight, party => a.party, locked => a.locked, avoid => coalesce((SELECT array_agg(ARRAY[i.pair->>0, i.pair->>1])
                    FROM jsonb_array_elements(nullif(document->'avoid', 'null')) AS i(pair)), NULL::text[]), split_evenly => a.split_evenly, priority => a.priority, current => a.current, commander => a.commander, context => a.context, club => a.club, teams => coalesce(CAST(CAST(document->>'teams' AS numeric) AS integer), 2), team_size => coalesce(CAST(CAST(document->>'team_size' AS numeric) AS integer), NULL::integer), pool => coalesce(CAST(document->>'pool' AS text), ''::text), sides => coalesce(CAST(document->>'sides' AS boolean), false), commanders => coalesce(CAST(document->>'commanders' AS boolean), false), caution => coalesce(CAST(document->>'caution' AS double precision), 0), log_odds => coalesce(CAST(document->>'log_odds' AS double precision), 0), objective => coalesce(CAST(document->>'objective' AS text), 'squares'::text), secondary => coalesce(CAST(document->>'secondary' AS text), NULL::text), tolerance => coalesce(CAST(document->>'tolerance' AS double precision), 0), budget => coalesce(CAST(document->>'budget' AS double precision), NULL::double precision), seed => coalesce(CAST(CAST(document->>'seed' AS numeric) AS bigint), NULL::bigint), at => coalesce(CAST(document->>'at' AS timestamp with time zone), NULL::timestamp with time zone), explain => coalesce(CAST(document->>'explain' AS boolean), false)) AS r;
END
$function$;

COMMENT ON FUNCTION skillrating_internal.split_ladder_document(text,jsonb) IS
'The body of skillrating.split_ladder_document(), called once the door to the ladder is open.';

CREATE OR REPLACE FUNCTION skillrating.pair_queue_document(document jsonb)
 RETURNS TABLE(match_number integer, player_id text, team integer, difference double precision, win_probability double precision, quality double precision, region bigint, commands boolean, why jsonb)
 LANGUAGE plpgsql
 STABLE
 SET jit TO 'off'
 SET search_path TO 'pg_catalog', 'pg_temp'
AS $function$
#variable_conflict use_column
DECLARE
    keys CONSTANT jsonb := '{"needed": {"player": ["id", "mu"], "document": ["players"]}, "player": {"id": "identifier", "mu": "double precision", "mu_2": "double precision", "pool": "text", "party": "integer", "region": "bigint", "waited": "double precision", "weight": "double precision", "commander": "boolean", "deviation": "double precision", "command_mu": "double precision"}, "document": {"model": "text", "teams": "integer", "params": "jsonb", "explain": "boolean", "players": "filled", "log_odds": "double precision", "widening": "double precision", "team_size": "integer", "max_window": "double precision", "min_quality": "double precision", "initial_window": "double precision"}}';
BEGIN
    PERFORM skillrating_internal.check_document(keys, document);
    RETURN QUERY SELECT r.* FROM (
            SELECT array_agg(CAST(t.n AS integer) ORDER BY t.n, p.n) AS team, CASE WHEN bool_or(jsonb_typeof(p.value->'id') <> 'null')
                THEN array_agg(CAST(p.value->>'id' AS text) ORDER BY t.n, p.n) END AS players, CASE WHEN bool_or(jsonb_typeof(p.value->'mu') <> 'null')
                THEN array_agg(CAST(p.value->>'mu' AS double precision) ORDER BY t.n, p.n) END AS mu, CASE WHEN bool_or(jsonb_typeof(p.value->'mu_2') <> 'null')
                THEN array_agg(CAST(p.value->>'mu_2' AS double precision) ORDER BY t.n, p.n) END AS mu_2, CASE WHEN bool_or(jsonb_typeof(p.value->'deviation') <> 'null')
                THEN array_agg(CAST(p.value->>'deviation' AS double precision) ORDER BY t.n, p.n) END AS deviation, CASE WHEN bool_or(jsonb_typeof(p.value->'weight') <> 'null')
                THEN array_agg(CAST(p.value->>'weight' AS double precision) ORDER BY t.n, p.n) END AS weight, CASE WHEN bool_or(jsonb_typeof(p.value->'waited') <> 'null')
                THEN array_agg(CAST(p.value->>'waited' AS double precision) ORDER BY t.n, p.n) END AS waited, CASE WHEN bool_or(jsonb_typeof(p.value->'party') <> 'null')
                THEN array_agg(CAST(CAST(p.value->>'party' AS numeric) AS integer) ORDER BY t.n, p.n) END AS party, CASE WHEN bool_or(jsonb_typeof(p.value->'region') <> 'null')
                THEN array_agg(CAST(CAST(p.value->>'region' AS numeric) AS bigint) ORDER BY t.n, p.n) END AS region, CASE WHEN bool_or(jsonb_typeof(p.value->'pool') <> 'null')
                THEN array_agg(CAST(p.value->>'pool' AS text) ORDER BY t.n, p.n) END AS pool, CASE WHEN bool_or(jsonb_typeof(p.value->'command_mu') <> 'null')
                THEN array_agg(CAST(p.value->>'command_mu' AS double precision) ORDER BY t.n, p.n) END AS command_mu, CASE WHEN bool_or(jsonb_typeof(p.value->'commander') <> 'null')
                THEN array_agg(CAST(p.value->>'commander' AS boolean) ORDER BY t.n, p.n) END AS commander
            FROM (SELECT document AS value, 1 AS n) AS t, jsonb_array_elements(t.value->'players')
                WITH ORDINALITY AS p(value, n)) AS a,
        skillrating.pair_queue(players => a.players, mu => a.mu, mu_2 => a.mu_2, deviation => a.deviation, weight => a.weight, waited => a.waited, party => a.party, region => a.region, pool => a.pool, command_mu => a.command_mu, commander => a.commander, teams => coalesce(CAST(CAST(document->>'teams' AS numeric) AS integer), 2), team_size => coalesce(CAST(CAST(document->>'team_size' AS numeric) AS integer), 1), log_odds => coalesce(CAST(document->>'log_odds' AS double precision), 0), model => coalesce(CAST(document->>'model' AS text), 'elo'::text), params => coalesce(nullif(document->'params', 'null'), '{}'::jsonb), initial_window => coalesce(CAST(document->>'initial_window' AS double precision), NULL::double precision), widening => coalesce(CAST(document->>'widening' AS double precision), NULL::double precision), max_window => coalesce(CAST(document->>'max_window' AS double precision), NULL::double precision), min_quality => coalesce(CAST(document->>'min_quality' AS double precision), 0), explain => coalesce(CAST(document->>'explain' AS boolean), false)) AS r;
END
$function$;

COMMENT ON FUNCTION skillrating.pair_queue_document(jsonb) IS
'pair_queue() with its arguments as one document, and the same result, with identifiers as text:

    {"players": [{"id": "ada", "mu": 1510, "waited": 3}, {"id": "ben", "mu": 1490, "waited": 12}],
     "team_size": 1}

mu, deviation, waited, party, region and pool, a label that keeps players apart, are keys of a
player. Errors as for report_match_document(), and those of pair_queue().';

CREATE OR REPLACE FUNCTION skillrating.document_schema(function text DEFAULT 'report_match_document'::text)
 RETURNS jsonb
 LANGUAGE plpgsql
 STABLE STRICT
 SET search_path TO 'pg_catalog', 'pg_temp'
AS $function$
DECLARE
    base text := regexp_replace(function, '_document$', '');
    valid text[] := ARRAY(
        SELECT p.proname::text FROM pg_proc AS p
        WHERE p.pronamespace = 'skillrating'::regnamespace AND p.proname LIKE '%\_document'
        ORDER BY p.proname COLLATE "C");
    players jsonb;
    schema jsonb;
BEGIN
    IF NOT function = ANY (valid) THEN
        RAISE invalid_parameter_value USING
            MESSAGE = format('no function "%s" takes a document', function),
            HINT = format('Functions that take a document are %s.', array_to_string(valid, ', '));
    END IF;
    players := jsonb_build_object('players', jsonb_build_object('type', 'array', 'minItems', 1,
        'items', skillrating_internal.document_object_schema(base, 'player', '{}', '{}')));
    IF skillrating_internal.document_in_teams(base) THEN
        schema := skillrating_internal.document_object_schema(base, 'document',
            jsonb_build_object('teams', jsonb_build_object('type', 'array', 'minItems', 1,
                'description', 'the teams, numbered from 1 on',
                'items', skillrating_internal.document_object_schema(
                    base, 'team', players, '{players}'))), '{teams}')
            || coalesce(skillrating_internal.document_result_schema(base), '{}');
    ELSE
        schema := skillrating_internal.document_object_schema(
            base, 'document', players, '{players}');
    END IF;
    RETURN jsonb_build_object('$schema', 'https://json-schema.org/draft/2020-12/schema',
        'title', function) || schema;
END
$function$;

COMMENT ON FUNCTION skillrating_internal.check_single_columns(text,text,text) IS
'A part of swap_ladders(): errors 55000 for columns of a ladder''s table that the other one''s lacks
and that are no states of its model, and 2BP01 if they are, but views, indexes or other things
depend on them.';

CREATE OR REPLACE FUNCTION skillrating_internal.check_columns(a text, b text, relation text)
 RETURNS void
 LANGUAGE plpgsql
 STABLE STRICT
 SET search_path TO 'pg_catalog', 'pg_temp'
AS $function$
DECLARE
    table_a regclass := to_regclass(format('%I.%I', a, relation));
    table_b regclass := to_regclass(format('%I.%I', b, relation));
    moved text;
    children text;
BEGIN
    PERFORM skillrating_internal.check_inside(a), skillrating_internal.check_inside(b);
    PERFORM skillrating_internal.check_single_columns(a, b, relation),
        skillrating_internal.check_single_columns(b, a, relation);
    IF skillrating_internal.columns_differ(table_a, table_b) THEN
        SELECT string_agg(i.inhrelid::regclass::text, ', ' ORDER BY i.inhrelid) INTO children
        FROM pg_inherits AS i WHERE i.inhparent IN (table_a, table_b);
        IF children IS NOT NULL THEN
            RAISE object_not_in_prerequisite_state USING
                MESSAGE = format('tables inherit from %I.%I or %I.%I, whose columns are not the same: %s',
                    a, relation, b, relation, children),
                HINT = 'See ALTER TABLE ... NO INHERIT.';
        END IF;
    END IF;
    SELECT string_agg(quote_ident(x.attname), ', ' ORDER BY x.attnum) INTO moved
    FROM pg_attribute AS x JOIN pg_attribute AS y ON x.attnum = y.attnum OR x.attname = y.attname
    WHERE x.attrelid = table_a AND y.attrelid = table_b AND x.attnum > 0
        AND CASE WHEN x.attnum <> y.attnum THEN NOT x.attisdropped AND NOT y.attisdropped
            -- A column that was dropped takes the space of its type.
            WHEN x.attisdropped OR y.attisdropped
                THEN (x.attlen, x.attalign) <> (y.attlen, y.attalign)
            WHEN x.attname <> y.attname THEN (x.attlen, x.attalign) <> (y.attlen, y.attalign)
            ELSE (x.atttypid, x.atttypmod, x.attcollation, x.attnotnull)
                <> (y.atttypid, y.atttypmod, y.attcollation, y.attnotnull) END;
    IF moved IS NOT NULL THEN
        RAISE object_not_in_prerequisite_state USING
            MESSAGE = format('columns of %I.%I and %I.%I are in other places or of other types: %s', a,
                relation, b, relation, moved),
            HINT = CASE WHEN moved = 'band' THEN format(
                'SELECT skillrating.set_leaderboard(%L, ''ranks'') lets them be swapped; it can be ''bands'' again afterwards.', a)
                ELSE format('Recreate ladder "%s" with skillrating.rerate().', b) END;
    END IF;
END
$function$;

COMMENT ON FUNCTION skillrating_internal.held_constraints(text,text) IS
'A part of swap_ladders(): the constraints of the tables of both ladders, to see whether one has
come since prepare_exchange().';

COMMENT ON FUNCTION skillrating_internal.prepare_exchange(text,text) IS
'A part of swap_ladders(): prepare_table() for each of them. Returns those whose rows can be
exchanged as they are, those of which columns have to change over, and those that have to move.';

COMMENT ON FUNCTION skillrating_internal.settle_constraints(text) IS
'A part of swap_ladders(): checks deferred constraints that users have added to tables of a ladder
now, because what waits for the commit refers to rows by their place in the file, and cannot be
checked once another file is there.';

COMMENT ON FUNCTION skillrating_internal.check_references(text,text) IS
'A part of swap_ladders(): error 23503 if a foreign key of another table to a table of ladder a
would refer to nothing once it has the rows of ladder b.';

COMMENT ON FUNCTION skillrating_internal.check_bounds(text,text) IS
'A part of swap_ladders(): error 23514 if a table of ladder a is a partition of a table of the
user''s, and rows that ladder b has for it lie outside of its bounds.';

COMMENT ON FUNCTION skillrating_internal.missing_room(regclass,regclass) IS
'A part of swap_ladders(): types of columns that have to be added to a table, and dropped, so that
it has as many as another one.';

CREATE OR REPLACE FUNCTION skillrating_internal.known_players(ladder text, players text[], of_matches boolean)
 RETURNS text[]
 LANGUAGE plpgsql
 STABLE STRICT
 SET search_path TO 'pg_catalog', 'pg_temp'
AS $function$
DECLARE
    t record := skillrating_internal.ladder_types(ladder);
    columns text[] :=
        '{event.player_id,operation.player_id,operation.into_id,solved.player_id}';
    queries text;
    known text[];
BEGIN
    IF of_matches THEN
        columns := columns || CASE WHEN to_regclass(format('%I.match_player', ladder)) IS NULL
            THEN 'source.player_id' ELSE 'match_player.player_id' END;
    END IF;
    IF to_regclass(format('%I.queue_seat', ladder)) IS NOT NULL THEN
        columns := columns
            || '{queue_seat.player_id,queue_player.player_id,queue_backfill_player.player_id}'::text[];
    END IF;
    SELECT string_agg(format(
        'SELECT p.id FROM p WHERE EXISTS (SELECT FROM %I.%I AS u WHERE u.%I %s p.id)',
        ladder, split_part(c.name, '.', 1), split_part(c.name, '.', 2), t.player_equals),
        ' UNION ALL ')
    INTO queries
    FROM unnest(columns) AS c(name);
    EXECUTE format(
        'WITH p AS MATERIALIZED (SELECT u.id FROM unnest(CAST($1 AS %s[])) AS u(id))
        SELECT coalesce(array_agg(DISTINCT k.id::text), ''{}'')
        FROM (%s) AS k', t.player_type, queries)
    INTO known USING players;
    RETURN known;
END
$function$;

COMMENT ON FUNCTION skillrating_internal.known_players(text,text[],boolean) IS
'A part of forget_player(): those players who occur in the events, operations, solved skills or
queues of a ladder, or with of_matches in its matches.';

CREATE OR REPLACE FUNCTION skillrating_internal.rename_players(ladder text, players text[], pseudonyms text[])
 RETURNS void
 LANGUAGE plpgsql
 STRICT
 SET search_path TO 'pg_catalog', 'pg_temp'
AS $function$
DECLARE
    t record := skillrating_internal.ladder_types(ladder);
    renamed constant text := format(
        'unnest(CAST($1 AS %1$s[]), CAST($2 AS %1$s[])) AS p(player, pseudonym)', t.player_type);
    rename constant text := format(
        'UPDATE %%1$I.%%2$I AS u SET %%3$I = p.pseudonym FROM %s WHERE u.%%3$I %s p.player',
        renamed, t.player_equals);
    relation text;
    identifier text;
    m record;
    statement text;
BEGIN
    PERFORM skillrating_internal.forget_changes(ladder, players, pseudonyms),
        skillrating_internal.forget_in_queues(ladder, players);
    -- Room that a pseudonym took when the source had it before us.
    EXECUTE format(
        'DELETE FROM %I.rating AS u USING %s WHERE u.player_id %s p.pseudonym AND u.games = 0',
        ladder, renamed, t.player_equals)
    USING players, pseudonyms;
    EXECUTE format(
        'DELETE FROM %I.component AS u USING %s WHERE u.player_id %s p.pseudonym AND u.games = 0',
        ladder, renamed, t.player_equals)
    USING players, pseudonyms;
    FOR relation, identifier IN
        VALUES ('event', 'player_id'), ('rating', 'player_id'), ('standing', 'player_id'), ('component_event', 'player_id'),
            ('component', 'player_id'), ('solved', 'player_id'), ('operation', 'player_id'), ('operation', 'into_id'),
            ('horizon', 'player_id'), ('component_horizon', 'player_id'), ('season_horizon', 'player_id'),
            ('push_failure', 'player_id'),
            ('queue_seat', 'player_id'), ('queue_backfill_player', 'player_id'),
            ('queue_backfill_player', 'counts_as')
    LOOP
        CONTINUE WHEN to_regclass(format('%I.%I', ladder, relation)) IS NULL;
        EXECUTE format(rename, ladder, relation, identifier) USING players, pseudonyms;
    END LOOP;

    -- Whatever looks at the matches of this statement finds all of it done.
    IF to_regclass(format('%I.match_player', ladder)) IS NOT NULL THEN
        EXECUTE format(
            'WITH m AS (
                UPDATE %I.match AS m
                SET unrated_reason = skillrating_internal.replace_words(m.unrated_reason, $1, $3)
                WHERE skillrating_internal.replace_words(m.unrated_reason, $1, $3)
                    <> m.unrated_reason)
            ', ladder) || format(rename, ladder, 'match_player', 'player_id')
        USING players, pseudonyms, '[forgotten]';
    END IF;

    -- Under the old name there is no rating any more.
    FOR m IN SELECT w.* FROM skillrating_internal.working_mirrors(ladder) AS w LOOP
        statement := skillrating_internal.unrated_statement(
            ladder, m.relation, m.key, m.pool, m.columns,
            format('SELECT p.player AS player_id FROM %s
                JOIN %I.rating AS r ON r.player_id %s p.pseudonym AND r.pool = %L AND %s',
                renamed, ladder, t.player_equals, m.pool,
                skillrating_internal.rated_condition(ladder, 'r')));
        IF statement IS NOT NULL THEN
            EXECUTE statement USING players, pseudonyms;
        END IF;
    END LOOP;
END
$function$;

COMMENT ON FUNCTION skillrating_internal.forget_player(text,anycompatible,anycompatible) IS
'The body of skillrating.forget_player(), called once the door to the ladder is open.';

COMMENT ON FUNCTION skillrating.forget_player(text,anycompatible,anycompatible) IS
'Erases persons from a ladder, one or an array of them: puts pseudonyms in their place in matches,
events, ratings, solved skills, operations, matches of queues and reasons, and leaves every number
as it is, so that nothing has to be replayed. Their tickets in queues end. Without pseudonyms it
makes random ones, which have no link to the player. In reasons that users wrote, [forgotten] takes
the place of an identifier that is a word.
Where the ladder has a source, put the same pseudonyms into the tables behind it, in the same
transaction, before or after. Returns a row for each player: the pseudonym, and whether the ladder
knew the player. Errors: 42704 for an unknown ladder, 22004 for nulls, 2202E unless there are as
many pseudonyms as players, 22023 for one who is given twice and for a type that no pseudonyms can
be made of, 23505 if a pseudonym is taken.';

COMMENT ON FUNCTION skillrating_internal.forget_players(text,anycompatiblearray,text[]) IS
'The body of skillrating.forget_players(), called once the door to the ladder is open.';

CREATE OR REPLACE FUNCTION skillrating_internal.note_not_kept(a text, b text)
 RETURNS void
 LANGUAGE plpgsql
 STABLE STRICT
 SET search_path TO 'pg_catalog', 'pg_temp'
AS $function$
DECLARE
    followers text;
    goes text;
BEGIN
    PERFORM skillrating_internal.check_inside(a), skillrating_internal.check_inside(b);
    SELECT string_agg(DISTINCT w.ev_class::regclass::text, ', ' ORDER BY w.ev_class::regclass::text)
    INTO followers
    FROM skillrating_internal.swapped_tables(a, b) AS t
    JOIN pg_depend AS d ON d.refclassid = 'pg_class'::regclass AND d.refobjid = t.kept
        AND d.classid = 'pg_rewrite'::regclass
    JOIN pg_rewrite AS w ON w.oid = d.objid
    WHERE w.ev_class <> t.kept AND NOT t.exchanged;
    IF followers IS NOT NULL THEN
        RAISE NOTICE USING
            MESSAGE = format('views still read what is now in schema "%s": %s', b, followers),
            HINT = 'Create them again to read the new tables.';
    END IF;
    SELECT string_agg(n.what, '; ') INTO goes FROM skillrating_internal.not_kept(a, b) AS n(what);
    IF goes IS NOT NULL THEN
        RAISE NOTICE USING
            MESSAGE = format(
                'additions to tables of ladder "%s" move with them to schema "%s"', a, b),
            DETAIL = goes,
            HINT = 'Add it to the new tables, too, if they need it.';
    END IF;
END
$function$;

COMMENT ON FUNCTION skillrating_internal.changed_since(text,text,name,xid8) IS
'A part of swap_ladders(): a column of the rows of a ladder''s table that were made, changed or
deleted by a transaction from a certain one on, and perhaps of others; null if that cannot be known.
The current transaction must have seen that one running, or behind it.';

COMMENT ON FUNCTION skillrating_internal.match_leaderboard(text,text) IS
'A part of swap_ladders(): has ladder b make boards quick as ladder a does: that stays with the
ladder in use, as all that belongs to its tables.';

CREATE OR REPLACE FUNCTION skillrating_internal.hold_both(a text, b text)
 RETURNS void
 LANGUAGE plpgsql
 STRICT
 SET search_path TO 'pg_catalog', 'pg_temp'
AS $function$
DECLARE
    name text;
BEGIN
    PERFORM skillrating_internal.hold_ladder(a, true), skillrating_internal.hold_ladder(b, true);
    -- No weaker lock before: two sessions that both hold one would wait for each other.
    FOREACH name IN ARRAY ARRAY(
        SELECT t.name::text FROM skillrating_internal.swapped_tables(a, b) AS t WHERE NOT t.is_sequence)
        || 'pending'::text
    LOOP
        EXECUTE format('LOCK TABLE %1$I.%3$I, %2$I.%3$I IN ACCESS EXCLUSIVE MODE',
            a, b, name);
    END LOOP;
    -- These move, and one of the ladders may have none.
    FOREACH name IN ARRAY ARRAY(
        SELECT format('%I.%I', l.ladder, t.name)
        FROM unnest('{horizon,component_horizon,season_horizon}'::text[]) AS t(name), unnest(ARRAY[a, b]) AS l(ladder)
        WHERE to_regclass(format('%I.%I', l.ladder, t.name)) IS NOT NULL)
    LOOP
        EXECUTE format('LOCK TABLE %s IN ACCESS EXCLUSIVE MODE', name);
    END LOOP;
END
$function$;

CREATE OR REPLACE FUNCTION skillrating_internal.check_swap(a text, b text)
 RETURNS void
 LANGUAGE plpgsql
 STABLE STRICT
 SET search_path TO 'pg_catalog', 'pg_temp'
AS $function$
DECLARE
    types_a record := skillrating_internal.ladder_types(a);
    types_b record := skillrating_internal.ladder_types(b);
BEGIN
    IF NOT EXISTS (
        SELECT FROM pg_rewrite AS w
        JOIN pg_depend AS d ON d.classid = 'pg_rewrite'::regclass AND d.objid = w.oid
        WHERE w.ev_class = to_regclass(format('%I.source', b))
            AND d.refobjid = to_regclass(format('%I.source', a)))
        OR a = b OR types_a IS DISTINCT FROM types_b
    THEN
        RAISE invalid_parameter_value USING
            MESSAGE = format('ladder "%s" is not made of the source of ladder "%s"', b, a),
            HINT = 'Create it with skillrating.rerate().';
    END IF;
    IF EXISTS (
        SELECT FROM skillrating_internal.swapped_tables(a, b) AS t
        JOIN pg_class AS k ON k.oid = t.kept JOIN pg_class AS m ON m.oid = t.moved
        WHERE k.relowner <> m.relowner)
    THEN
        RAISE insufficient_privilege USING
            MESSAGE = format('ladders "%s" and "%s" belong to two roles', a, b),
            HINT = 'Give both to one role.';
    END IF;
END
$function$;

CREATE FUNCTION skillrating_internal.check_upgradable(ladder text)
 RETURNS void
 LANGUAGE plpgsql
 STABLE STRICT
 SET search_path TO 'pg_catalog', 'pg_temp'
AS $function$
DECLARE
    wrong record;
BEGIN
    PERFORM skillrating_internal.check_inside(ladder);
    IF to_regclass(format('%I.ladder', ladder)) IS NULL
        OR to_regclass(format('%I.rating', ladder)) IS NULL
        OR to_regclass(format('%I.rated_match', ladder)) IS NULL
    THEN
        RAISE undefined_object USING
            MESSAGE = format('ladder "%s" does not exist', ladder),
            HINT = 'Ladders are made by skillrating.create_ladder().';
    END IF;
    -- What is read here must be a table, which runs no code of others, and the owner's.
    SELECT c.relname, c.relkind, pg_get_userbyid(c.relowner) = current_user AS is_own INTO wrong
    FROM pg_class AS c
    WHERE c.oid IN (to_regclass(format('%I.ladder', ladder)),
            to_regclass(format('%I.rating', ladder)),
            to_regclass(format('%I.rated_match', ladder)))
        AND (c.relkind NOT IN ('r', 'p') OR pg_get_userbyid(c.relowner) <> current_user)
    ORDER BY c.relname LIMIT 1;
    IF wrong.relkind = 'f' THEN
        RAISE object_not_in_prerequisite_state USING
            MESSAGE = format(
                'cannot call skillrating.upgrade_ladder() on ladder "%s", whose tables are foreign',
                ladder),
            HINT = 'Call it on the server that has the ladder.';
    ELSIF wrong.is_own THEN
        RAISE wrong_object_type USING
            MESSAGE = format('relation %I.%I is not a table', ladder, wrong.relname);
    ELSIF NOT wrong.is_own THEN
        RAISE insufficient_privilege USING
            MESSAGE = format('relation %I.%I is not owned by the owner of the ladder', ladder,
                wrong.relname),
            HINT = 'Give all relations of a ladder to one role.';
    END IF;
    IF to_regclass(format('%I.source', ladder)) IS NULL THEN
        RAISE object_not_in_prerequisite_state USING
            MESSAGE = format('ladder "%s" has no relation "source"', ladder),
            HINT = format('SELECT skillrating.refresh_source(%L, source => ...) makes it again.',
                ladder);
    END IF;
END
$function$;

COMMENT ON FUNCTION skillrating_internal.check_upgradable(text) IS
'A part of upgrade_ladder(): error 42704 if there is no such ladder, 55000 if its tables are
foreign, it has no source or the door to it is not open, 42809 or 42501 if the relations that say
what it is are no tables or belong to another role.';

CREATE FUNCTION skillrating_internal.create_pattern(ladder text, pattern text)
 RETURNS void
 LANGUAGE plpgsql
 STRICT
 SET search_path TO 'pg_catalog', 'pg_temp'
AS $function$
DECLARE
    l record;
    t record;
BEGIN
    PERFORM skillrating_internal.check_inside(ladder);
    EXECUTE format(
        'SELECT l.model, l.params, l.apply_at, l.late, l.strict, l.leaderboard FROM %I.ladder AS l',
        ladder)
    INTO l;
    SELECT p.atttypid::regtype AS player_type, m.atttypid::regtype AS match_type INTO t
    FROM pg_attribute AS p, pg_attribute AS m
    WHERE p.attrelid = to_regclass(format('%I.rating', ladder)) AND p.attname = 'player_id'
        AND m.attrelid = to_regclass(format('%I.rated_match', ladder)) AND m.attname = 'match_id';
    PERFORM skillrating_internal.create_ladder_schema(pattern, l.model, l.params, t.player_type,
        t.match_type, l.apply_at,
        CASE WHEN to_regclass(format('%I.match', ladder)) IS NULL
            THEN to_regclass(format('%I.source', ladder)) END,
        l.late, l."strict", '{}', l.leaderboard);
    -- What can be switched on, by one of its tables: an earlier version may lack others.
    IF to_regclass(format('%I.horizon', ladder)) IS NOT NULL THEN
        PERFORM skillrating_internal.create_horizon_tables(pattern);
    END IF;
    IF to_regclass(format('%I.change', ladder)) IS NOT NULL THEN
        PERFORM skillrating_internal.keep_changes(pattern, true);
    END IF;
    IF to_regclass(format('%I.work', ladder)) IS NOT NULL THEN
        PERFORM skillrating_internal.create_work_table(pattern);
    END IF;
    IF to_regclass(format('%I.replica_note', ladder)) IS NOT NULL THEN
        PERFORM skillrating_internal.create_replica_note(pattern);
    END IF;
    IF to_regclass(format('%I.queue', ladder)) IS NOT NULL THEN
        PERFORM skillrating_internal.create_queue_tables(pattern);
    END IF;
    IF to_regclass(format('%I.push', ladder)) IS NOT NULL THEN
        PERFORM skillrating_internal.create_push_tables(pattern);
    END IF;
END
$function$;

COMMENT ON FUNCTION skillrating_internal.create_pattern(text,text) IS
'A part of upgrade_ladder(): a new ladder, without matches, of the model, types and options of a
ladder, with the tables of what is switched on there. Errors as for create_ladder().';

CREATE FUNCTION skillrating_internal.missing_tables(ladder text, pattern text)
 RETURNS SETOF text
 LANGUAGE sql
 STABLE STRICT
 SET search_path TO 'pg_catalog', 'pg_temp'
AS $function$
    SELECT p.relname::text
    FROM pg_class AS p
    WHERE p.relnamespace = to_regnamespace(quote_ident(pattern)) AND p.relkind IN ('r', 'p')
        AND to_regclass(format('%I.%I', ladder, p.relname)) IS NULL
    ORDER BY p.relname
$function$;

COMMENT ON FUNCTION skillrating_internal.missing_tables(text,text) IS
'A part of upgrade_ladder(): tables that a pattern has and a ladder lacks.';

CREATE FUNCTION skillrating_internal.take_tables(ladder text, pattern text, tables text[])
 RETURNS SETOF text
 LANGUAGE sql
 STABLE STRICT
 SET search_path TO 'pg_catalog', 'pg_temp'
AS $function$
    SELECT s.statement
    FROM (
        -- With its indexes, constraints, sequences and comments, but for triggers, which name
        -- where they are: create_own_triggers() makes them again.
        SELECT 1, t.relation, format('ALTER TABLE %I.%I SET SCHEMA %I', pattern, t.relation, ladder)
        FROM unnest(tables) AS t(relation)
        UNION ALL
        SELECT 2, t.relation, format('DROP TRIGGER %I ON %I.%I', g.tgname, ladder, t.relation)
        FROM unnest(tables) AS t(relation)
        JOIN pg_trigger AS g ON g.tgrelid = to_regclass(format('%I.%I', pattern, t.relation))
        WHERE NOT g.tgisinternal
        UNION ALL
        -- A foreign key is to the table of the ladder, and not to that of the pattern.
        SELECT k.n, t.relation, format(k.words, ladder, t.relation, c.conname,
            replace(pg_get_constraintdef(c.oid), quote_ident(pattern) || '.',
                quote_ident(ladder) || '.'))
        FROM unnest(tables) AS t(relation)
        JOIN pg_constraint AS c ON c.conrelid = to_regclass(format('%I.%I', pattern, t.relation))
        JOIN pg_class AS r ON r.oid = c.confrelid
        CROSS JOIN (VALUES
            (3, 'ALTER TABLE %I.%I DROP CONSTRAINT %I'),
            (4, 'ALTER TABLE %I.%I ADD CONSTRAINT %I %s')) AS k(n, words)
        WHERE c.contype = 'f' AND r.relnamespace = to_regnamespace(quote_ident(pattern))
    ) AS s(n, relation, statement)
    ORDER BY s.n, s.relation, s.statement
$function$;

COMMENT ON FUNCTION skillrating_internal.take_tables(text,text,text[]) IS
'A part of upgrade_ladder(): the statements that move tables from a pattern to a ladder.';

CREATE FUNCTION skillrating_internal.common_tables(ladder text, pattern text, OUT relation text, OUT old_table oid, OUT new_table oid)
 RETURNS SETOF record
 LANGUAGE sql
 STABLE STRICT
 SET search_path TO 'pg_catalog', 'pg_temp'
AS $function$
    SELECT p.relname, l.oid, p.oid
    FROM pg_class AS p
    JOIN pg_class AS l ON l.relname = p.relname AND l.relkind IN ('r', 'p')
    WHERE p.relnamespace = to_regnamespace(quote_ident(pattern)) AND p.relkind IN ('r', 'p')
        AND l.relnamespace = to_regnamespace(quote_ident(ladder))
$function$;

COMMENT ON FUNCTION skillrating_internal.common_tables(text,text) IS
'A part of upgrade_ladder(): the tables that both a ladder and a pattern have.';

CREATE FUNCTION skillrating_internal.missing_columns(ladder text, pattern text)
 RETURNS SETOF text
 LANGUAGE sql
 STABLE STRICT
 SET search_path TO 'pg_catalog', 'pg_temp'
AS $function$
    SELECT s.statement
    FROM (
        SELECT 1, t.relation, a.attnum, format('ALTER TABLE %I.%I ADD COLUMN %I %s', ladder,
            t.relation, a.attname, concat_ws(' ',
                format_type(a.atttypid, a.atttypmod),
                CASE WHEN a.attgenerated = 's'
                    THEN format('GENERATED ALWAYS AS (%s) STORED', d.text)
                    WHEN a.attidentity = 'd' THEN 'GENERATED BY DEFAULT AS IDENTITY'
                    WHEN a.attidentity = 'a' THEN 'GENERATED ALWAYS AS IDENTITY'
                    ELSE 'DEFAULT ' || d.text END,
                CASE WHEN a.attnotnull THEN 'NOT NULL' END))
        FROM skillrating_internal.common_tables(ladder, pattern) AS t
        JOIN pg_attribute AS a ON a.attrelid = t.new_table AND a.attnum > 0 AND NOT a.attisdropped
        LEFT JOIN LATERAL (
            SELECT pg_get_expr(e.adbin, e.adrelid) AS text FROM pg_attrdef AS e
            WHERE e.adrelid = a.attrelid AND e.adnum = a.attnum) AS d ON true
        WHERE NOT EXISTS (
            SELECT FROM pg_attribute AS o
            WHERE o.attrelid = t.old_table AND o.attname = a.attname AND NOT o.attisdropped)
        UNION ALL
        SELECT 2, t.relation, a.attnum, format('COMMENT ON COLUMN %I.%I.%I IS %L', ladder,
            t.relation, a.attname, col_description(a.attrelid, a.attnum))
        FROM skillrating_internal.common_tables(ladder, pattern) AS t
        JOIN pg_attribute AS a ON a.attrelid = t.new_table AND a.attnum > 0 AND NOT a.attisdropped
        WHERE col_description(a.attrelid, a.attnum) IS NOT NULL AND NOT EXISTS (
            SELECT FROM pg_attribute AS o
            WHERE o.attrelid = t.old_table AND o.attname = a.attname AND NOT o.attisdropped)
    ) AS s(n, relation, attnum, statement)
    ORDER BY s.n, s.relation, s.attnum
$function$;

COMMENT ON FUNCTION skillrating_internal.missing_columns(text,text) IS
'A part of upgrade_ladder(): the statements that add the columns that tables of a ladder lack.
Existing columns are left as they are.';

CREATE FUNCTION skillrating_internal.missing_constraints(ladder text, pattern text)
 RETURNS SETOF text
 LANGUAGE sql
 STABLE STRICT
 SET search_path TO 'pg_catalog', 'pg_temp'
AS $function$
    WITH missing AS (
        SELECT t.relation, t.old_table, c.conname, c.definition
        FROM skillrating_internal.common_tables(ladder, pattern) AS t
        CROSS JOIN LATERAL (
            SELECT c.conname, replace(pg_get_constraintdef(c.oid), quote_ident(pattern) || '.',
                quote_ident(ladder) || '.') AS definition
            FROM pg_constraint AS c
            WHERE c.conrelid = t.new_table AND c.contype IN ('c', 'f', 'p', 'u')) AS c
        WHERE NOT EXISTS (
            SELECT FROM pg_constraint AS o
            WHERE o.conrelid = t.old_table AND pg_get_constraintdef(o.oid) = c.definition)
    )
    SELECT s.statement
    FROM (
        SELECT 1, m.relation, m.conname, format('ALTER TABLE %I.%I DROP CONSTRAINT %I', ladder,
            m.relation, m.conname)
        FROM missing AS m
        WHERE EXISTS (
            SELECT FROM pg_constraint AS o
            WHERE o.conrelid = m.old_table AND o.conname = m.conname)
        UNION ALL
        SELECT 2, m.relation, m.conname, format('ALTER TABLE %I.%I ADD CONSTRAINT %I %s', ladder,
            m.relation, m.conname, m.definition)
        FROM missing AS m
    ) AS s(n, relation, conname, statement)
    ORDER BY s.n, s.relation, s.conname
$function$;

COMMENT ON FUNCTION skillrating_internal.missing_constraints(text,text) IS
'A part of upgrade_ladder(): the statements that give tables of a ladder the checks and keys that
they lack, in the place of one of the same name. Others, as users may have added, stay.';

CREATE FUNCTION skillrating_internal.missing_indexes(ladder text, pattern text)
 RETURNS SETOF text
 LANGUAGE sql
 STABLE STRICT
 SET search_path TO 'pg_catalog', 'pg_temp'
AS $function$
    SELECT format('CREATE %sINDEX ON %I.%I %s', CASE WHEN i.indisunique THEN 'UNIQUE ' END, ladder,
        t.relation, d.text)
    FROM skillrating_internal.common_tables(ladder, pattern) AS t
    JOIN pg_index AS i ON i.indrelid = t.new_table
    CROSS JOIN LATERAL (
        SELECT substring(pg_get_indexdef(i.indexrelid) FROM ' (USING .*)$')) AS d(text)
    WHERE NOT EXISTS (SELECT FROM pg_constraint AS c WHERE c.conindid = i.indexrelid)
        AND NOT EXISTS (
            SELECT FROM pg_index AS o
            WHERE o.indrelid = t.old_table AND o.indisunique = i.indisunique
                AND substring(pg_get_indexdef(o.indexrelid) FROM ' (USING .*)$') = d.text)
    ORDER BY t.relation, d.text
$function$;

COMMENT ON FUNCTION skillrating_internal.missing_indexes(text,text) IS
'A part of upgrade_ladder(): the statements that make the indexes that tables of a ladder lack.';

CREATE FUNCTION skillrating_internal.newer_source(ladder text, pattern text)
 RETURNS SETOF text
 LANGUAGE sql
 STABLE STRICT
 SET search_path TO 'pg_catalog', 'pg_temp'
AS $function$
    SELECT format('CREATE OR REPLACE VIEW %I.source AS %s', ladder, n.text)
    FROM (SELECT rtrim(replace(pg_get_viewdef(to_regclass(format('%I.source', pattern))),
        quote_ident(pattern) || '.', quote_ident(ladder) || '.'), ';')) AS n(text)
    WHERE to_regclass(format('%I.match', ladder)) IS NOT NULL
        AND n.text <> rtrim(pg_get_viewdef(to_regclass(format('%I.source', ladder))), ';')
$function$;

COMMENT ON FUNCTION skillrating_internal.newer_source(text,text) IS
'A part of upgrade_ladder(): the statement that makes the view source of a ladder''s own tables as
it is today; that of a user''s source is for refresh_source().';

CREATE FUNCTION skillrating_internal.grants_on(ladder text, tables text[])
 RETURNS SETOF text
 LANGUAGE sql
 STABLE STRICT
 SET search_path TO 'pg_catalog', 'pg_temp'
AS $function$
    SELECT format('GRANT %s ON %I.%I TO %s', p.privilege, ladder, p.relation, g.quoted_role)
    FROM (VALUES ('reader', 'ladder', 'SELECT'), ('reporter', 'match', 'INSERT'),
        ('matchmaker', 'queue_ticket', 'INSERT')) AS k(kind, marks, by)
    CROSS JOIN LATERAL (
        SELECT DISTINCT CASE a.grantee WHEN 0 THEN 'PUBLIC'
            ELSE quote_ident(pg_get_userbyid(a.grantee)) END AS quoted_role
        FROM pg_class AS c CROSS JOIN LATERAL aclexplode(c.relacl) AS a
        WHERE c.oid = to_regclass(format('%I.%I', ladder, k.marks)) AND a.privilege_type = k.by
            AND a.grantee <> c.relowner) AS g
    CROSS JOIN LATERAL skillrating_internal.granted_privileges(ladder, k.kind) AS p
    WHERE p.relation = ANY (tables)
    ORDER BY p.relation, g.quoted_role, p.privilege
$function$;

COMMENT ON FUNCTION skillrating_internal.grants_on(text,text[]) IS
'A part of upgrade_ladder(): the statements that grant what readers, reporters and matchmakers of a
ladder get on tables that it has not had before.';

CREATE FUNCTION skillrating_internal.upgrade_ladder(ladder text)
 RETURNS SETOF text
 LANGUAGE plpgsql
 STRICT ROWS 10
 SET search_path TO 'pg_catalog', 'pg_temp'
AS $function$
DECLARE
    -- Who upgrades another ladder meanwhile waits until this schema is gone.
    pattern constant text := 'skillrating_upgrade';
    old_format integer;
    new_format integer;
    horizon bigint;
    new_tables text[];
    step text;
    statement text;
BEGIN
    PERFORM skillrating_internal.check_upgradable(ladder);
    EXECUTE format('SELECT l.format_version, l.horizon FROM %I.ladder AS l', ladder)
    INTO STRICT old_format, horizon;
    PERFORM skillrating_internal.create_pattern(ladder, pattern);
    EXECUTE format('SELECT l.format_version FROM %I.ladder AS l', pattern) INTO STRICT new_format;
    IF old_format > new_format THEN
        RAISE feature_not_supported USING
            MESSAGE = format(
                'ladder "%s" has format %s, which this version of skillrating does not know',
                ladder, old_format),
            DETAIL = format('It makes ladders of format %s.', new_format),
            HINT = 'Install a later version of skillrating.';
    END IF;
    new_tables := ARRAY(SELECT skillrating_internal.missing_tables(ladder, pattern));
    -- Each step sees what the one before has done.
    FOREACH step IN ARRAY ARRAY[
        'SELECT skillrating_internal.take_tables($1, $2, $3)',
        'SELECT skillrating_internal.missing_columns($1, $2)',
        'SELECT skillrating_internal.missing_constraints($1, $2)',
        'SELECT skillrating_internal.missing_indexes($1, $2)',
        'SELECT skillrating_internal.newer_source($1, $2)',
        'SELECT skillrating_internal.grants_on($1, $3)']
    LOOP
        FOR statement IN EXECUTE step USING ladder, pattern, new_tables LOOP
            EXECUTE statement;
            RETURN NEXT statement;
        END LOOP;
    END LOOP;
    -- An earlier version read the seasons from events before the horizon, as far as they still exist.
    IF 'season_horizon' = ANY (new_tables) THEN
        PERFORM skillrating_internal.keep_seasons(ladder, NULL, horizon);
    END IF;
    -- Without CASCADE: nothing of the ladder may depend on what the pattern still has.
    PERFORM skillrating_internal.drop_tables(pattern);
    IF old_format < new_format THEN
        statement := format('UPDATE %I.ladder SET format_version = %s', ladder, new_format);
        EXECUTE statement;
        RETURN NEXT statement;
    END IF;
    PERFORM skillrating_internal.restore_own_triggers(ladder);
END
$function$;

COMMENT ON FUNCTION skillrating_internal.upgrade_ladder(text) IS
'The body of skillrating.upgrade_ladder(), called once the door to the ladder is open.';

CREATE FUNCTION skillrating.upgrade_ladder(ladder text)
 RETURNS SETOF text
 LANGUAGE c
 STRICT ROWS 10
AS 'MODULE_PATHNAME', $function$skillrating_enter$function$;

COMMENT ON FUNCTION skillrating.upgrade_ladder(text) IS
'Brings a ladder that an earlier version has made up to what create_ladder() makes today: adds the
tables, columns, constraints and indexes that it lacks, with the privileges of readers, reporters
and matchmakers, and gives it the format of today. Of a ladder with a horizon it keeps what the
events before it still say of seasons, as set_horizon() does. Rows, comments, existing columns and
whatever users have added stay. Returns the statements that it has executed, none if there was
nothing to do; it may be called again. A ladder of an earlier version goes on rating without it;
functions that set it up, such as attach(), may not find what they need. Waits until nobody is at
work on the ladder, and takes CREATE on the database, because it makes a ladder to compare with.
Errors: 42704 for an unknown ladder, 42501 unless the caller owns the ladder, 0A000 for a ladder of
a later version, 55000 for one whose tables are foreign or that has no source.';

COMMENT ON FUNCTION skillrating_internal.api_functions(text) IS
'A part of create_api(): what a function of the schema for applications is made of, for each
function on ladders that concerns matches and players: who may call it (reader, reporter or owner),
its arguments, their types, its result, query, attributes and comment.';

-- As after a new installation, all belongs to one role, whoever runs this.
DO LANGUAGE plpgsql
$do$
DECLARE
    owner pg_catalog.oid;
    statement pg_catalog.text;
BEGIN
    SELECT n.nspowner INTO STRICT owner
    FROM pg_catalog.pg_namespace AS n WHERE n.nspname = 'skillrating';
    FOR statement IN
        SELECT format('ALTER ROUTINE %s OWNER TO %I', p.oid::regprocedure, pg_get_userbyid(owner))
        FROM pg_catalog.pg_depend AS d
        JOIN pg_catalog.pg_extension AS e ON e.oid = d.refobjid
        JOIN pg_catalog.pg_proc AS p ON p.oid = d.objid
        WHERE e.extname = 'skillrating' AND d.refclassid = 'pg_extension'::regclass
            AND d.deptype = 'e' AND d.classid = 'pg_proc'::regclass AND p.proowner <> owner
        UNION ALL
        SELECT format('ALTER TYPE %s OWNER TO %I', t.oid::regtype, pg_get_userbyid(owner))
        FROM pg_catalog.pg_depend AS d
        JOIN pg_catalog.pg_extension AS e ON e.oid = d.refobjid
        JOIN pg_catalog.pg_type AS t ON t.oid = d.objid
        WHERE e.extname = 'skillrating' AND d.refclassid = 'pg_extension'::regclass
            AND d.deptype = 'e' AND d.classid = 'pg_type'::regclass
            AND t.typtype = 'c' AND t.typowner <> owner
    LOOP
        EXECUTE statement;
    END LOOP;
END
$do$;
