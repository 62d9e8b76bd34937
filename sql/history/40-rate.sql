-- Rating whole histories in a query.

SELECT skillrating_internal.make_type('final_rating',
'Result of final_ratings() for a player at the end of a history, from which another history can
start. With periods times are so many days after 2000-01-01 00:00 UTC.', '
player_id text: The identifier as text.
pool text: The rating pool, empty by default.
rating float8: The displayed rating.
mu float8: The first state column of the model (rating, mu or skill).
deviation float8: Of mu; null under models without one.
games bigint: Rated matches.
wins bigint: Rated matches in which the player was sole first.
draws bigint: Rated matches in which the player shared the first place.
losses bigint: Rated matches that were lost.
last_played timestamptz: The time of the last rated match; null without times.
state float8[]: The whole state, in the order of state_columns in models().
as_of timestamptz: The time as of which the state is: that of the last match, or of a season that began later.
as_of_season bigint: The season that the history has reached, the same for all; null without seasons.
fixed boolean: Whether the state stays as it is, as in rate().');

CREATE FUNCTION skillrating.starting_rating(
    player_id anycompatible,
    mu float8 DEFAULT NULL,
    deviation float8 DEFAULT NULL,
    state float8[] DEFAULT NULL,
    pool text DEFAULT '',
    games bigint DEFAULT 0,
    last_played timestamptz DEFAULT NULL,
    as_of_season bigint DEFAULT NULL,
    fixed boolean DEFAULT false)
RETURNS skillrating.final_rating
LANGUAGE sql STABLE PARALLEL SAFE
AS $function$
    SELECT ROW(player_id::pg_catalog.text, pool, NULL, mu, deviation, games, NULL, NULL, NULL, last_played, state, NULL,
        as_of_season, fixed)::skillrating.final_rating
$function$;

COMMENT ON FUNCTION skillrating.starting_rating(anycompatible, float8, float8, float8[], text, bigint, timestamptz, bigint, boolean) IS
'Where a player starts: an element of the argument start of rate() and final_ratings(), such as
start => (SELECT array_agg(skillrating.starting_rating(club, elo)) FROM last_year)
mu: the first state column.  deviation: of mu, under models with one.  state: all of them instead,
in the order of models(), such as state_after of rate(). Null or left out are those of a newcomer.
games: rated matches so far.  last_played: the time of the last one, from which idle time counts.
as_of_season: the season of the state; a later match begins a new one, a history in the latest of
all.
fixed: whether the state stays as it is, until a match says otherwise.';

SELECT skillrating_internal.make_type('final_component',
'Result of final_components() for a component, from which another history can start.', '
kind text: One of components in models().
pool text
key text: The context or the club, null for a kind that goes by neither.
player_id text: The identifier as text, of a kind that belongs to players, else null.
mu float8: The first state column of the kind, as a rule its mean in units of the skill.
deviation float8: Of mu; null for a kind without one.
games bigint: Rated matches in which it took part.
last_played timestamptz
state float8[]: The whole state, in the order of state_columns of its kind in models().
as_of timestamptz');

SELECT skillrating_internal.make_type('rated',
'Result of rate() for a participant of a match.
A match with unrated_reason no_result has predictions, and the states with which its players would
go into it. A row without a player has nothing but the reason.', '
rating_before float8: The displayed rating before the match, as leaderboards sort it.
rating_after float8: The displayed rating after it.
mu_before float8: The first state column of the model (rating, mu or skill), before.
mu_after float8: The same after.
deviation_before float8: The deviation of mu before; null under models without one.
deviation_after float8: The same after.
games_before bigint: Rated matches of the player before this one.
score float8: Of the team: 1 won, 0.5 drew, 0 lost; null if the match was not rated.
win_probability float8: Predicted for the team, 0 to 1, a draw counts half; null without a prediction.
sole_win_probability float8: Of a win without draws, of two teams; null of more, or where draws are unknown.
draw_probability float8: Of a draw of two teams; null as sole_win_probability.
loss_probability float8: Of a loss, with which the two add up to 1; null as they.
first_probability float8: That the team comes first of more than two, or its share of that; null of two.
state_before float8[]: The whole state before, in the order of state_columns in models().
state_after float8[]: The same after.
unrated_reason text: Why the match was not rated, a code of reasons(); null if it was.
unrated_detail text: The same in words, with the value that is wrong.');

SELECT skillrating_internal.make_type('rated_participants',
'Result of rate_match() for a match: the columns of rated, each as an array by element of players.
state_before, state_after: arrays of two dimensions, by participant and by column of the state.
draw_probability, unrated_reason, unrated_detail: of the match.
A column is null as a whole where that of rated is null.  If an element of players is null the match
is not rated, and all arrays are null.',
    string_agg(format('%I %s%s', a.attname, format_type(a.atttypid, NULL), CASE WHEN a.attname NOT IN (
        'state_before', 'state_after', 'draw_probability', 'unrated_reason', 'unrated_detail') THEN '[]' END), E'\n' ORDER BY a.attnum))
FROM pg_attribute AS a WHERE a.attrelid = 'skillrating.rated'::regclass;

SELECT skillrating_internal.make_type('inputs',
'Optional facts about a participant, for aggregates over matches, made by the function inputs().
Null is unknown. context may differ in a match: models with components learn what it is worth.
solve() estimates how much it favours a side, for which it must be that of the match.', '
weight float8
played_at timestamptz
team_score float8
won boolean
joined float8
left_at float8
commanding float8
side float8
squad float8
kills float8
deaths float8
quit boolean
experience float8
pool text
log_odds float8
player_gain float8
unrated_reason text
period bigint: An ordinal in place of played_at; times in results are so many days after 2000-01-01 00:00 UTC.
context text
club text
season bigint: An ordinal of the season, which only final_ratings() uses.
tournament text
fixed boolean
player_score float8');

-- What may be said of a participant stands in the type inputs, and nowhere else: each of these
-- functions has its columns as arguments, as arrays in rate_match() unless they are of the match.
DO LANGUAGE plpgsql
$do$
DECLARE
    facts record;
    window_function CONSTANT text := 'CREATE FUNCTION skillrating.%1$I(model text, %2$s, %3$s, options jsonb DEFAULT NULL%4$s)
        RETURNS skillrating.%5$I AS ''MODULE_PATHNAME'', %6$L LANGUAGE C WINDOW IMMUTABLE PARALLEL SAFE';
    player CONSTANT text := 'player_id anyelement, team integer, rank float8 DEFAULT NULL';
    start CONSTANT text := ', start skillrating.final_rating[] DEFAULT NULL, start_components skillrating.final_component[] DEFAULT NULL';
BEGIN
    SELECT string_agg(format('%I', a.attname), ', ' ORDER BY a.attnum) AS names,
        string_agg(format('%I %s DEFAULT NULL', a.attname, t.name), ', ' ORDER BY a.attnum) AS arguments,
        string_agg(format('%I %s%s DEFAULT NULL', a.attname, t.name, CASE WHEN a.attname NOT IN ('played_at', 'pool',
            'log_odds', 'unrated_reason', 'period', 'season', 'tournament') THEN '[]' END), ', ' ORDER BY a.attnum) AS arrays
    INTO facts
    FROM pg_attribute AS a, format_type(a.atttypid, NULL) AS t(name)
    WHERE a.attrelid = 'skillrating.inputs'::regclass;
    EXECUTE format('CREATE FUNCTION skillrating.inputs(%s) RETURNS skillrating.inputs LANGUAGE sql IMMUTABLE PARALLEL SAFE
        RETURN ROW(%s)::skillrating.inputs', facts.arguments, facts.names);
    EXECUTE format(window_function, 'rate', player, facts.arguments, start, 'rated', 'skillrating_rate');
    EXECUTE format(window_function, 'rate_match', 'players anyarray, team integer[], rank float8[] DEFAULT NULL',
        facts.arrays, start, 'rated_participants', 'skillrating_rate_match');
    EXECUTE format(window_function, 'rate_through_time', player, facts.arguments, '', 'rated', 'skillrating_rate_through_time');
END
$do$;

COMMENT ON FUNCTION skillrating.inputs IS
'Collects by name what an aggregate is told of a participant besides player_id, team and rank:
skillrating.inputs(played_at => played_at, team_score => goals).
Units and ranges are those of source_columns(); period, season and tournament are those of rate().';

COMMENT ON FUNCTION skillrating.rate IS
'Rates a history of matches in a query, without a table of its own:
SELECT *, skillrating.rate(''elo'', player_id, team, rank) OVER (ORDER BY played_at, match_id) ...
A row is a participant of a match, or one stint of a participant.  Rows that are equal under ORDER
BY are one match; PARTITION BY starts afresh.
model: one of models().
options: an object of the parameters of the model that differ from their defaults, as {"k": 20},
see parameters(), of strict_rows, whether a mistake in a match is an error (false), and of
season_keep and season_mean, what a new season keeps, see season.
start: where players start who do not start from the initial state: the result of final_ratings(),
or an array of starting_rating().  Going on from final_ratings() of earlier matches gives, bit for
bit, what all matches together give, except under synelo with strict, which looks back on matches.
start_components: the same of components, the result of final_components().  Kinds that the
parameters do not use take part in nothing.
All these are read from the first row of a partition.
player_id: of any type that can be hashed and ordered.  team: any number.
rank: of the team, 1 or more; 1 is best, equal ranks are a draw.  Without rank team_score decides
(high is best), given or as the sum of player_score, and without that won.
The other arguments, best given by name, mean what source_columns() says.  With played_at the
models count idle time, in the order of the window; pool separates ratings within a partition.
period: an ordinal in place of played_at, such as the number of a season or a round.  From one to
the next is a day to the parameters of the model: with 1 for period_days of glicko and glicko2 it is
what their parameters call a period, and a drift is one per square root of a season.
season: an ordinal, the same in all rows of a match, which must not fall from match to match.  With
the first rated match of another season all players keep the share season_keep, 0 to 1 (0.5), of
their distance from season_mean in the first state column, and from the initial value in the others,
as by new_season() at that time; deviations so that variances do.  Without season_mean that is the
initial value, too.  Who is absent for two seasons takes this step twice.
tournament: any text, the same in all rows of a match.  Under models with rating periods (elo,
glicko, glicko2) and {"period": "tournament"} all games of a player in a tournament count from the
states at its start.  Calendar periods, as {"period": "month"}, go by played_at.
fixed: true from a bot, a puzzle or a course, whose state stays as it is: no match, no idle time and
no season changes it, and all others learn from it as from anybody.  It holds for the matches
behind, too, until one says false; null is as before, and at first not fixed.
A match without a result (no rank, team_score, player_score or won) is predicted, changing nothing.
Memory: the states of the players, and one match.  The results equal, bit for bit, those of a
ladder with the same parameters and the same matches in the same order, one at a time.  A match that
does not count changes nothing and gives its reason; no time where others have one is a mistake.
Errors: 42P20 without ORDER BY or with a frame clause, 22004 for a null model, 22023 and 22003 for
invalid parameters and options, 22023 for a history with both played_at and period; in start 22004
for nulls, 22P02 for a player_id that is not of the type, 22023 for a player who occurs twice, 2202E
for too many state columns, 22003 for unsound states and 22008 for infinite times; in
start_components the same, and 22023 for a kind that the model does not have; with strict_rows, for
mistakes in rows 22004 for nulls, 22023, 22003, and 22008 for an infinite played_at.';

COMMENT ON FUNCTION skillrating.rate_match IS
'rate() for tables with a row for each match, whose players are arrays:
SELECT *, skillrating.rate_match(''elo'', players, team, rank) OVER (ORDER BY played_at, match_id) ...
The results are, bit for bit, those of rate() over the same participants, in about half of the time.
players: an array of any type that can be hashed and ordered.  team, rank and the other arrays have
an element for each element of players; an array or an element that is null is not known.
All else is as in rate().  No two matches of a partition may be equal under ORDER BY.
Errors: those of rate(), 2202E for arrays of several dimensions or of other lengths than players,
and 22023 for a match that is equal to the one before under ORDER BY.';

SELECT skillrating_internal.make_aggregate('final_ratings', 'model text, PARTICIPANT', 'skillrating.final_rating[]',
'The ratings at the end of a history of matches:
SELECT f.* FROM (SELECT skillrating.final_ratings(''elo'', match_id, player_id, team, rank
ORDER BY played_at, match_id) AS ratings FROM ...) AS q, unnest(q.ratings) AS f
A row is a participant of a match, or one stint of a participant.
match_id, player_id: of any types that can be hashed and ordered.  team: any number.
rank: of the team, 1 or more; 1 is best, equal ranks are a draw.
The results equal the last rows of rate() over the same matches, in the memory of the states and
one match.  With GROUP BY each group is a history.
A match that does not count, or with a mistake in its rows, is left out; rate() says why.
The highest rating comes first; equal ratings are sorted by player_id and pool.
unnest() reads a large result row by row, in the select list or in FROM as above, and then only
skillrating.memory_limit bounds it, which is checked before the rows are sorted.  Copied as a whole,
by a sort, a table, a scalar subquery or a materialized CTE, it must be smaller than 1 GB.
Null without rows.  Errors: 22023 unless ORDER BY includes match_id, 22004 for a null match_id,
54000 for a copy beyond 1 GB, 53200 beyond the memory limit, and those of rate().');

SELECT skillrating_internal.make_aggregate('final_ratings',
    'model text, PARTICIPANT, FACTS', 'skillrating.final_rating[]',
'As the form with five arguments, with what else there is; null is nothing.
inputs: made by inputs(): times, scores, stints, sides and other facts about a participant.
options: an object, the same in all rows of a group, of
parameters of the model that differ from their defaults, as {"k": 20} (see parameters()),
strict_rows: whether a mistake in a match is an error (false),
season_keep, season_mean: what a new season keeps, where inputs() has the season, as in rate().
Error 22023 for other options, and for options that differ from row to row.');

SELECT skillrating_internal.make_aggregate('final_ratings',
    'model text, PARTICIPANT, FACTS, start skillrating.final_rating[], start_components skillrating.final_component[]',
    'skillrating.final_rating[]',
'As the form with seven arguments, with start and start_components, which are those of rate(), read
from the first row; either may be null.  Players who do not play are in the result, too.');
