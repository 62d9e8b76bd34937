-- skillrating: install script, joined from the parts in sql/.
\echo Use "CREATE EXTENSION skillrating" to load this file. \quit

-- The script runs as a superuser, also if an ordinary role installs the extension.  No schema that
-- somebody else can write to may decide what a name or an operator in it means: expressions in
-- DEFAULT and bodies of the form RETURN are bound now and for good.  The server sets this path
-- anyway, because the control file says schema = pg_catalog; it would append the schema of an
-- extension that this one requires.
SET LOCAL search_path = pg_catalog, pg_temp;

-- A schema that exists is refused, whoever owns it and even if it is empty: its owner, and all
-- whom its privileges or default privileges name, could add an overload that catches a qualified
-- call, or use it to hold on to our functions.  CREATE SCHEMA would fail as well, and does so if
-- somebody is faster; this says why.
DO LANGUAGE plpgsql
$do$
DECLARE
    existing pg_catalog.record;
BEGIN
    SELECT n.nspname, n.nspowner::regrole AS owner INTO existing
    FROM pg_catalog.pg_namespace AS n
    WHERE n.nspname IN ('skillrating', 'skillrating_internal')
    ORDER BY n.nspname
    LIMIT 1;
    IF FOUND THEN
        RAISE duplicate_schema USING
            MESSAGE = format('schema "%s" already exists', existing.nspname),
            DETAIL = format('It belongs to role %s, and the extension creates its schemas itself.',
                existing.owner),
            HINT = format('See what it contains, then drop or rename it: DROP SCHEMA %I.',
                existing.nspname);
    END IF;
END
$do$;

-- Both schemas belong to the extension, and to the role that the script runs as: nobody else
-- creates anything in them, and DROP EXTENSION takes them along.
CREATE SCHEMA skillrating;
-- Every function works with the rights of whoever calls it, but for those on ladders,
-- which check these and then work as the ladder's owner.
GRANT USAGE ON SCHEMA skillrating TO PUBLIC;

COMMENT ON SCHEMA skillrating IS
'Functions, aggregates and types of the extension skillrating.';

-- What the functions of the schema skillrating are made of stands in a schema of
-- its own, so that \df skillrating.* shows what there is to call.  Everybody may
-- use it: what is there works with the rights of its caller, or not at all.
CREATE SCHEMA skillrating_internal;
GRANT USAGE ON SCHEMA skillrating_internal TO PUBLIC;

COMMENT ON SCHEMA skillrating_internal IS
'Parts of the functions in the schema skillrating: transition, final and combine functions, trigger
functions, and steps of longer work. They can change with any version.';
-- The registry of rating models.

CREATE FUNCTION skillrating.models(
    OUT name text,
    OUT summary text,
    OUT state_columns text[],
    OUT supports text[],
    OUT source text,
    OUT deviation_column text,
    OUT side_column text,
    OUT command_column text)
RETURNS SETOF record
AS 'MODULE_PATHNAME', 'skillrating_models'
LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE ROWS 10;

COMMENT ON FUNCTION skillrating.models() IS
'Every rating model, sorted by name: its name, one line about it, the state columns that a player
has under it (all float8), what of a match it takes into account, the paper or document that it
comes from, and the state columns that are the deviation of the skill, what it is more on side 1 and
less on side 2, and the skill of a commander, null where there are none.';

CREATE FUNCTION skillrating.model_parameters(
    model text,
    OUT name text,
    OUT type text,
    OUT default_value jsonb,
    OUT min float8,
    OUT max float8,
    OUT choices text[],
    OUT unit text,
    OUT description text)
RETURNS SETOF record
AS 'MODULE_PATHNAME', 'skillrating_model_parameters'
LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE ROWS 10;

COMMENT ON FUNCTION skillrating.model_parameters(text) IS
'Every parameter of a model, one a row, in the order of the model''s definition: type is number,
choice, flag (true or false) or table (an array of [bound, value] pairs, ascending by bound).  A
null min or max is no limit; a default of null is a bound that is absent.
Error 22023 if there is no such model.';

CREATE FUNCTION skillrating.model_parts(
    model text,
    OUT name text,
    OUT description text,
    OUT parameters text[],
    OUT needs text[])
RETURNS SETOF record
AS 'MODULE_PATHNAME', 'skillrating_model_parts'
LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE ROWS 5;

COMMENT ON FUNCTION skillrating.model_parts(text) IS
'Every part of a model, one a row: what can be switched on, one line about it, the parameters that
switch it on and are fitted with it, and what of a match it needs, in the words of models() and
"times".  See tune().
Error 22023 if there is no such model.';

CREATE FUNCTION skillrating.complete_parameters(model text, params jsonb)
RETURNS jsonb
AS 'MODULE_PATHNAME', 'skillrating_complete_parameters'
LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;

COMMENT ON FUNCTION skillrating.complete_parameters(text, jsonb) IS
'The parameters given, checked, with the defaults of all others filled in. Errors: 22023 for an
unknown model or parameter or a wrong type, 22003 for a value out of range.';

CREATE FUNCTION skillrating.initial_state(model text, params jsonb DEFAULT '{}')
RETURNS float8[]
AS 'MODULE_PATHNAME', 'skillrating_initial_state'
LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;

COMMENT ON FUNCTION skillrating.initial_state(text, jsonb) IS
'The state of a player who has not played, in the order of the model''s state columns. Errors as for
complete_parameters().';

CREATE FUNCTION skillrating.state_rating(model text, state float8[], params jsonb DEFAULT '{}')
RETURNS float8
AS 'MODULE_PATHNAME', 'skillrating_state_rating'
LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;

COMMENT ON FUNCTION skillrating.state_rating(text, float8[], jsonb) IS
'The displayed rating of a state, given in the order of the model''s state columns. Errors as for
complete_parameters(), 2202E for an array of another length, 22004 for nulls in it.';

CREATE FUNCTION skillrating.state_after_idle(
    model text,
    state float8[],
    idle interval,
    params jsonb DEFAULT '{}',
    shared_state float8[] DEFAULT NULL,
    shared_idle interval DEFAULT NULL)
RETURNS float8[]
AS 'MODULE_PATHNAME', 'skillrating_state_after_idle'
LANGUAGE C IMMUTABLE PARALLEL SAFE;

COMMENT ON FUNCTION skillrating.state_after_idle(text, float8[], interval, jsonb, float8[], interval) IS
'The state of a player after idle time, with which a match would find it: deviations grow and
ratings decay as the model''s parameters say.
state, shared_state: in the order of the model''s state columns.
idle, shared_idle: not negative; a month has 30 days.  shared_idle is 0 by default.
shared_state: where the model shares columns among pools (see initial_base_sigma of trueskill2),
the state that these columns come from, and age in by shared_idle; otherwise it is ignored, and
without it these columns stay.
Null if another argument is null.  Errors as for complete_parameters(), 2202E for an array of
another length, 22004 for nulls in it, 22003 for negative idle time or a state out of range.';

CREATE FUNCTION skillrating.log_odds_unit(model text, params jsonb DEFAULT '{}')
RETURNS float8
AS 'MODULE_PATHNAME', 'skillrating_log_odds_unit'
LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;

COMMENT ON FUNCTION skillrating.log_odds_unit(text, jsonb) IS
'How much of the first state column (rating, mu or skill) is worth odds of e : 1 in a duel, if the
ratings of both are sure: what skills in log-odds, as solve() has them, are multiplied by. 400 / ln
10 under elo; in the limit of small differences where the model is not logistic. Errors as for
complete_parameters(), and 22003 where parameters leave no number.';

CREATE FUNCTION skillrating_internal.display_expression(model text, params jsonb DEFAULT '{}')
RETURNS text
AS 'MODULE_PATHNAME', 'skillrating_display_expression'
LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;

COMMENT ON FUNCTION skillrating_internal.display_expression(text, jsonb) IS
'The displayed rating, which leaderboards sort by, as an SQL expression over the model''s state
columns. Errors as for complete_parameters().';
-- The components of rating models.

CREATE FUNCTION skillrating.model_components(
    model text,
    params jsonb DEFAULT '{}',
    OUT kind text,
    OUT scope text,
    OUT key text,
    OUT used boolean,
    OUT state_columns text[],
    OUT initial_state float8[],
    OUT description text)
RETURNS SETOF record
AS 'MODULE_PATHNAME', 'skillrating_model_components'
LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE ROWS 5;

COMMENT ON FUNCTION skillrating.model_components(text, jsonb) IS
'The kinds of components of a model: states that belong to something else than a player alone, such
as a side, a map, a club, or a player on a map.  No rows for a model without any.
kind: its name.  description: what its first state column is.
scope: match, side (in favour of side 1, where sides differ), team, or player (each has its own).
key: context or club, the source column by which there is one each; null for a kind without.
used: whether there are any under these parameters.
state_columns, initial_state: as models() and initial_state() have them of players; initial_state
is null if there are none.
Errors as for complete_parameters().';
-- Why matches do not count.

CREATE FUNCTION skillrating.unrated_reasons(
    OUT reason text,
    OUT mistake boolean,
    OUT description text)
RETURNS SETOF record
AS 'MODULE_PATHNAME', 'skillrating_unrated_reasons'
LANGUAGE C IMMUTABLE PARALLEL SAFE ROWS 50;

COMMENT ON FUNCTION skillrating.unrated_reasons() IS
'All reasons why a match does not count, as rated_match, rate(), solve_summary(), tune() and
why_unrated() have them.
reason: the code, which later versions keep.
mistake: whether it is a mistake in the rows of the match, which is an error where strict is true.
description: what it means.';
-- What other sessions can see of long work.

CREATE FUNCTION skillrating.progress(
    OUT pid integer,
    OUT work text,
    OUT ladder text,
    OUT phase text,
    OUT done bigint,
    OUT total bigint,
    OUT started_at timestamptz,
    OUT phase_started_at timestamptz)
RETURNS SETOF record
AS 'MODULE_PATHNAME', 'skillrating_progress'
LANGUAGE C STABLE PARALLEL RESTRICTED ROWS 10;

COMMENT ON FUNCTION skillrating.progress() IS
'Long work that sessions are doing in this database at the moment: a row each, with the process
(pid, as in pg_stat_activity), the function (work: backfill, catch_up, rerate, solve_ladder,
swap_ladders, tune, verify or work), the ladder (null for tune), what it is doing, how much of that is
done and how much there is to do (null where that is not known), and since when it works and does
this.
The phases are beginning; searching (the source for matches); rating (matches are counted);
ordering (by time, late matches among the others); replaying (places in the order are counted);
writing (rows, where they are many); reading (matches); solving; fitting (evaluations are
counted); and, within work(), notifying, settling and trimming. While rerate() makes indexes, pg_stat_progress_create_index has its progress. Nothing
waits for it or is written for it. Roles see the work of those whose rights they have, and work on
ladders that they own; members of pg_read_all_stats see all. Nothing is shown of sessions where the
setting track_activities is off.';
-- Elo for two players, and for contests of many.

CREATE FUNCTION skillrating.elo_win_probability(
    rating_a float8,
    rating_b float8,
    scale float8 DEFAULT 400)
RETURNS float8
AS 'MODULE_PATHNAME', 'skillrating_elo_win_probability'
LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;

COMMENT ON FUNCTION skillrating.elo_win_probability(float8, float8, float8) IS
'Expected score of player a against player b, 0 to 1, by Elo''s logistic curve:
1 / (1 + 10^((rating_b - rating_a) / scale)).
rating_a, rating_b: in points, finite.
scale: lead in points at which the odds are 10 to 1, above 0.
Error 22003 for numbers out of range.';

CREATE FUNCTION skillrating.elo_normal_win_probability(
    rating_a float8,
    rating_b float8,
    beta float8 DEFAULT 200)
RETURNS float8
AS 'MODULE_PATHNAME', 'skillrating_elo_normal_win_probability'
LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;

COMMENT ON FUNCTION skillrating.elo_normal_win_probability(float8, float8, float8) IS
'Expected score of player a against player b, 0 to 1, in Elo''s original form: each player performs
with a normal distribution around the rating, so that it is
Phi((rating_a - rating_b) / (sqrt(2) * beta)).
rating_a, rating_b: in points, finite.
beta: standard deviation of one performance in points, above 0.
Error 22003 for numbers out of range.';

CREATE FUNCTION skillrating.elo_update(
    rating_a float8,
    rating_b float8,
    score_a float8,
    k float8 DEFAULT 32,
    scale float8 DEFAULT 400,
    OUT new_rating_a float8,
    OUT new_rating_b float8)
AS 'MODULE_PATHNAME', 'skillrating_elo_update'
LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;

COMMENT ON FUNCTION skillrating.elo_update(float8, float8, float8, float8, float8) IS
'Both ratings after a game: a gains and b loses
k * (score_a - elo_win_probability(rating_a, rating_b, scale)).
rating_a, rating_b: in points, finite.
score_a: 1 won, 0.5 drew, 0 lost; anything from 0 to 1.
k: the most that a game can move a rating, in points, 0 or more.
scale: lead in points at which the odds are 10 to 1, above 0.
Error 22003 for numbers out of range.';

CREATE FUNCTION skillrating.elo_contest_update(
    rating float8[],
    rank float8[],
    k float8 DEFAULT 32,
    scale float8 DEFAULT 400,
    score_base float8 DEFAULT 1,
    OUT ordinal integer,
    OUT expected_share float8,
    OUT new_rating float8)
RETURNS SETOF record
AS 'MODULE_PATHNAME', 'skillrating_elo_contest_update'
LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE ROWS 10;

COMMENT ON FUNCTION skillrating.elo_contest_update(float8[], float8[], float8, float8, float8) IS
'Ratings after a contest of 2 to 1000 players, each against all others; one row a player, in the
order of the arrays; ordinal is the position in them, from 1.
rating, rank: arrays with one element a player.  rating: in points, finite.  rank: 1 is best, equal
ranks are a tie.
k: points for each of the n - 1 games of a player, 0 or more; the change is k * (n - 1) * (score -
expected_share).
scale: lead in points at which the odds of a game are 10 to 1, above 0.
score_base: 1 or more.  With 1 scores fall evenly from the first place to the last, which is Elo for
every pair; with more they are as score_base^(n - place) - 1, for contests where the first places
count most.  They add up to 1, and ties share those of their places.
expected_share: the mean of elo_win_probability() over all pairs; all of them add up to 1.
Errors: 22023 for another number of players, 22004 for null elements, 2202E for arrays of different
length, 22003 for numbers out of range.';
-- Elo-MMR for one contest given as arrays.

CREATE FUNCTION skillrating.elo_mmr_update(
    team integer[],
    rank integer[],
    mu float8[],
    sigma float8[],
    weight float8[] DEFAULT NULL,
    beta float8 DEFAULT 200,
    tau float8 DEFAULT 35,
    form text DEFAULT 'normal',
    split_ties boolean DEFAULT false,
    OUT ordinal integer,
    OUT new_mu float8,
    OUT new_sigma float8,
    OUT performance float8)
RETURNS SETOF record
AS 'MODULE_PATHNAME', 'skillrating_elo_mmr_update'
LANGUAGE C IMMUTABLE PARALLEL SAFE ROWS 100;

COMMENT ON FUNCTION skillrating.elo_mmr_update(integer[], integer[], float8[], float8[], float8[], float8, float8, text, boolean) IS
'Skills after a contest by Elo-MMR (Ebtekar and Liu, 2021), and performances in it; one row a player,
in the order of the arrays; ordinal is the position in them, from 1.
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
-- Frag ranking: duels, events, suicides, and logs of frags.

CREATE FUNCTION skillrating.frag_share(score_a float8, score_b float8)
RETURNS float8
AS 'MODULE_PATHNAME', 'skillrating_frag_share'
LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;

COMMENT ON FUNCTION skillrating.frag_share(float8, float8) IS
'The score of player a in a duel of score_a to score_b frags, 0 to 1: a / (a + b), 0.5 for 0 : 0.
A negative score counts for the other player first: 6 : -2 is 8 : 0, and -3 : -5 is 5 : 3
(Becker, 2001).
score_a, score_b: frags, finite.
Error 22003 for numbers that are not finite.';

CREATE FUNCTION skillrating.frag_win_share(
    rating_a float8,
    rating_b float8,
    scale float8 DEFAULT 400)
RETURNS float8
AS 'MODULE_PATHNAME', 'skillrating_frag_win_share'
LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;

COMMENT ON FUNCTION skillrating.frag_win_share(float8, float8, float8) IS
'The expected share of the frags that player a makes against player b, 0 to 1:
1 / (1 + 10^((rating_b - rating_a) / scale)).  It is not a probability to win.
rating_a, rating_b: in points, finite.
scale: lead in points at which the frags are expected 10 to 1, above 0.
Error 22003 for numbers out of range.';

CREATE FUNCTION skillrating.frag_update(
    rating_a float8,
    rating_b float8,
    score_a float8,
    score_b float8,
    k float8 DEFAULT 40,
    scale float8 DEFAULT 400,
    points float8 DEFAULT 0,
    floor float8 DEFAULT '-infinity',
    OUT new_rating_a float8,
    OUT new_rating_b float8)
AS 'MODULE_PATHNAME', 'skillrating_frag_update'
LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;

COMMENT ON FUNCTION skillrating.frag_update(float8, float8, float8, float8, float8, float8, float8, float8) IS
'Both ratings after a duel (Becker, 2001): a gains and b loses k * (frag_share - frag_win_share).
rating_a, rating_b: in points, finite.  score_a, score_b: frags, finite.
k: the most that a duel can move a rating, in points, 0 or more.
scale: lead in points at which the frags are expected 10 to 1, above 0.
points: the score that is one duel, 0 or more; with 1, 7 : 0 moves seven times as far as 1 : 0;
with 0 any score is one duel.
floor: no loss takes a rating below it, in points; -infinity is none.
Error 22003 for numbers out of range.';

CREATE FUNCTION skillrating.frag_suicide(
    rating float8,
    k float8 DEFAULT 40,
    frags float8 DEFAULT 1,
    points float8 DEFAULT 0,
    floor float8 DEFAULT '-infinity')
RETURNS float8
AS 'MODULE_PATHNAME', 'skillrating_frag_suicide'
LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;

COMMENT ON FUNCTION skillrating.frag_suicide(float8, float8, float8, float8, float8) IS
'The rating of a player after a suicide, or after killing a team mate: a duel lost frags : 0 against
an equal, which costs half of k, times frags / points if points is above 0.
rating: in points, finite.  k: in points, 0 or more.  frags: 0 or more.
points: the score that is one duel, 0 or more.
floor: no loss takes the rating below it, in points; -infinity is none.
Error 22003 for numbers out of range.';

CREATE FUNCTION skillrating.frag_event(
    rating float8,
    opponent_rating float8[],
    event_points float8 DEFAULT 1,
    k float8 DEFAULT 40,
    scale float8 DEFAULT 400,
    points float8 DEFAULT 1)
RETURNS float8
AS 'MODULE_PATHNAME', 'skillrating_frag_event'
LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;

COMMENT ON FUNCTION skillrating.frag_event(float8, float8[], float8, float8, float8, float8) IS
'The rating of a player after an event without a single opponent, such as a capture: duels won
against the mean rating of the other team, whose ratings do not change (Becker, 2001).
rating: in points, finite.
opponent_rating: in points, one element for each player of the other team.
event_points: worth of the event as a score, finite.  points: the score that is one duel, 0 or more;
with 0 any score is one duel.
k: in points, 0 or more.
scale: lead in points at which the frags are expected 10 to 1, above 0.
Errors: 22003 for numbers out of range, 22004 for null elements, 2202E for an empty array.';

CREATE FUNCTION skillrating.frag_decay(
    rating float8,
    days float8,
    rate float8,
    decay_floor float8 DEFAULT 0)
RETURNS float8
AS 'MODULE_PATHNAME', 'skillrating_frag_decay'
LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;

COMMENT ON FUNCTION skillrating.frag_decay(float8, float8, float8, float8) IS
'A rating after idle days: rate points less for each day, but not below decay_floor; a lower rating
stays as it is.  Two stretches of time in succession are as one.
rating: in points, finite.  days: 0 or more.  rate: points a day, 0 or more.
decay_floor: in points, finite.
Error 22003 for numbers out of range.';

CREATE TYPE skillrating.frag_rating AS (
    player_id text,
    rating float8,
    frags bigint,
    deaths bigint,
    suicides bigint,
    team_kills bigint);

COMMENT ON TYPE skillrating.frag_rating IS
'Result of frag_ratings() for a player at the end of a log of frags.
player_id: the identifier as text.  rating: in points.
frags, deaths, suicides, team_kills: how many the log has.';

CREATE FUNCTION skillrating_internal.frag_ratings_transition(internal, anyelement, anyelement)
RETURNS internal
AS 'MODULE_PATHNAME', 'skillrating_frag_ratings_transition'
LANGUAGE C IMMUTABLE PARALLEL SAFE;

COMMENT ON FUNCTION skillrating_internal.frag_ratings_transition(internal, anyelement, anyelement) IS
'Transition function of frag_ratings().';

CREATE FUNCTION skillrating_internal.frag_ratings_final(internal)
RETURNS skillrating.frag_rating[]
AS 'MODULE_PATHNAME', 'skillrating_frag_ratings_final'
LANGUAGE C IMMUTABLE PARALLEL SAFE;

COMMENT ON FUNCTION skillrating_internal.frag_ratings_final(internal) IS
'Final function of frag_ratings().';

CREATE AGGREGATE skillrating.frag_ratings(killer_id anyelement, victim_id anyelement) (
    SFUNC = skillrating_internal.frag_ratings_transition,
    STYPE = internal,
    FINALFUNC = skillrating_internal.frag_ratings_final,
    PARALLEL = SAFE
);

COMMENT ON AGGREGATE skillrating.frag_ratings(anyelement, anyelement) IS
'The ratings at the end of a log of frags, from the default parameters of model frag:
SELECT f.* FROM (SELECT skillrating.frag_ratings(killer_id, victim_id ORDER BY at) AS ratings
FROM ...) AS q, unnest(q.ratings) AS f
Each row is a duel that the killer won 1 : 0, in the order of ORDER BY within the call.
killer_id: null, or equal to victim_id, is a suicide: a duel lost against an equal.
victim_id: not null.  Both are of one type that can be hashed and ordered.  A clan that is rated
as one player is an identifier like any other.
The highest rating comes first; players with equal ratings are sorted by player_id.
Memory: a few numbers a player.
Null without rows.  Errors: 22004 for a null victim_id, 42804 for another type.';

CREATE FUNCTION skillrating_internal.frag_ratings_transition(internal, anyelement, anyelement, float8, boolean)
RETURNS internal
AS 'MODULE_PATHNAME', 'skillrating_frag_ratings_transition'
LANGUAGE C IMMUTABLE PARALLEL SAFE;

COMMENT ON FUNCTION skillrating_internal.frag_ratings_transition(internal, anyelement, anyelement, float8, boolean) IS
'Transition function of frag_ratings().';

CREATE AGGREGATE skillrating.frag_ratings(killer_id anyelement, victim_id anyelement, score float8, team_kill boolean) (
    SFUNC = skillrating_internal.frag_ratings_transition,
    STYPE = internal,
    FINALFUNC = skillrating_internal.frag_ratings_final,
    PARALLEL = SAFE
);

COMMENT ON AGGREGATE skillrating.frag_ratings(anyelement, anyelement, float8, boolean) IS
'As the form with two arguments, with the score of a row and a flag for kills among team mates.
score: of the killer in the duel, 0 or more; null is 1.
team_kill: whether the players are team mates; the killer loses as for a suicide and the victim
nothing.  Null is false.';

CREATE FUNCTION skillrating_internal.frag_ratings_transition(internal, anyelement, anyelement, float8, boolean, jsonb)
RETURNS internal
AS 'MODULE_PATHNAME', 'skillrating_frag_ratings_transition'
LANGUAGE C IMMUTABLE PARALLEL SAFE;

COMMENT ON FUNCTION skillrating_internal.frag_ratings_transition(internal, anyelement, anyelement, float8, boolean, jsonb) IS
'Transition function of frag_ratings().';

CREATE AGGREGATE skillrating.frag_ratings(killer_id anyelement, victim_id anyelement, score float8, team_kill boolean, params jsonb) (
    SFUNC = skillrating_internal.frag_ratings_transition,
    STYPE = internal,
    FINALFUNC = skillrating_internal.frag_ratings_final,
    PARALLEL = SAFE
);

COMMENT ON AGGREGATE skillrating.frag_ratings(anyelement, anyelement, float8, boolean, jsonb) IS
'As the form with four arguments, with params, an object of parameters of model frag (see
model_parameters()), read from the first row.  k, scale, points (0 is 1 here), floor and
initial_rating are used.';
-- Glicko and Glicko-2 for one player and a rating period.

CREATE FUNCTION skillrating.glicko_win_probability(
    rating_a float8,
    deviation_a float8,
    rating_b float8,
    deviation_b float8)
RETURNS float8
AS 'MODULE_PATHNAME', 'skillrating_glicko_win_probability'
LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;

COMMENT ON FUNCTION skillrating.glicko_win_probability(float8, float8, float8, float8) IS
'Expected score of player a against player b, 0 to 1, under Glicko: Elo''s curve, flattened by g of
the root of both squared deviations (Glickman, The Glicko system).
rating_a, rating_b: in points, finite.  deviation_a, deviation_b: in points, 0 or more.
Error 22003 for numbers out of range.';

CREATE FUNCTION skillrating.glicko_update(
    rating float8,
    deviation float8,
    opponent_rating float8[],
    opponent_deviation float8[],
    score float8[],
    c float8 DEFAULT 0,
    OUT new_rating float8,
    OUT new_deviation float8)
AS 'MODULE_PATHNAME', 'skillrating_glicko_update'
LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;

COMMENT ON FUNCTION skillrating.glicko_update(float8, float8, float8[], float8[], float8[], float8) IS
'The rating and deviation of a player after a rating period under Glicko (Glickman, 1999).
rating: in points, finite.  deviation: in points, above 0.
opponent_rating, opponent_deviation, score: arrays with one element for each game: rating and
deviation of the opponent before the period, in points, and the score of the player (1 won, 0.5
drew, 0 lost).  Empty arrays are a period without games.
c: growth of a deviation, in points per root of a period, 0 or more; the deviation first grows to
sqrt(deviation^2 + c^2), at most 350.
Errors: 22003 for numbers out of range, 22004 for null elements, 2202E for arrays of different
length.';

CREATE FUNCTION skillrating.glicko_idle_deviation(
    deviation float8,
    c float8,
    elapsed float8 DEFAULT 1,
    deviation_max float8 DEFAULT 350)
RETURNS float8
AS 'MODULE_PATHNAME', 'skillrating_glicko_idle_deviation'
LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;

COMMENT ON FUNCTION skillrating.glicko_idle_deviation(float8, float8, float8, float8) IS
'The deviation after idle time under Glicko: sqrt(deviation^2 + c^2 * elapsed), which does not grow
beyond deviation_max.
deviation, deviation_max: in points, above 0.
c: in points per root of a rating period, 0 or more.  elapsed: rating periods, 0 or more, also
fractions.
Error 22003 for numbers out of range.';

CREATE FUNCTION skillrating.glicko2_win_probability(
    rating_a float8,
    deviation_a float8,
    rating_b float8,
    deviation_b float8)
RETURNS float8
AS 'MODULE_PATHNAME', 'skillrating_glicko_win_probability'
LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;

COMMENT ON FUNCTION skillrating.glicko2_win_probability(float8, float8, float8, float8) IS
'Expected score of player a against player b, 0 to 1, under Glicko-2: the same as
glicko_win_probability(), because both systems have the same points.
rating_a, rating_b: in points, finite.  deviation_a, deviation_b: in points, 0 or more.
Error 22003 for numbers out of range.';

CREATE FUNCTION skillrating.glicko2_update(
    rating float8,
    deviation float8,
    volatility float8,
    opponent_rating float8[],
    opponent_deviation float8[],
    score float8[],
    tau float8 DEFAULT 0.5,
    elapsed float8 DEFAULT 1,
    deviation_max float8 DEFAULT 350,
    OUT new_rating float8,
    OUT new_deviation float8,
    OUT new_volatility float8)
AS 'MODULE_PATHNAME', 'skillrating_glicko2_update'
LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;

COMMENT ON FUNCTION skillrating.glicko2_update(float8, float8, float8, float8[], float8[], float8[], float8, float8, float8) IS
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
deviation_max: the deviation grows to this at most, in points, above 0; ''infinity'' is no limit, as in
the paper.
Errors: 22003 for numbers out of range, 22004 for null elements, 2202E for arrays of different
length.';

CREATE FUNCTION skillrating.glicko2_idle_deviation(
    deviation float8,
    volatility float8,
    elapsed float8 DEFAULT 1,
    deviation_max float8 DEFAULT 350)
RETURNS float8
AS 'MODULE_PATHNAME', 'skillrating_glicko2_idle_deviation'
LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;

COMMENT ON FUNCTION skillrating.glicko2_idle_deviation(float8, float8, float8, float8) IS
'The deviation after idle time under Glicko-2:
sqrt(deviation^2 + (173.7178 * volatility)^2 * elapsed), which does not grow beyond deviation_max.
deviation, deviation_max: in points, above 0.  volatility: above 0.
elapsed: rating periods, 0 or more, also fractions.
Error 22003 for numbers out of range.';
-- The Hive model over the players of one match.

CREATE FUNCTION skillrating.hive_weight(
    joined float8,
    "left" float8,
    median_round float8)
RETURNS float8
AS 'MODULE_PATHNAME', 'skillrating_hive_weight'
LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;

COMMENT ON FUNCTION skillrating.hive_weight(float8, float8, float8) IS
'Weight of a stint: a^-joined - a^-left with a = 2^(2 / median_round).  The first half of a median
round weighs 0.5, the second 0.25, and everything after it 0.25.  Weights of several stints add up.
joined, left: seconds from the start of the match, 0 <= joined <= left.
median_round: median length of a match in seconds, above 0.
Error 22003 for numbers out of range.';

CREATE TYPE skillrating.hive_state AS (
    skill float8,
    skill_squares float8,
    side_offset float8,
    command_skill float8,
    command_squares float8);

COMMENT ON TYPE skillrating.hive_state IS
'State of a player under the Hive model, made by the function hive_state().
skill: mean of the skills on both sides, in log-odds.
skill_squares: sum of the squared gradients of skill, 0 or more.
side_offset: added to skill on side 1 and subtracted on side 2, in log-odds.
command_skill: skill as a commander, in log-odds.
command_squares: sum of the squared gradients of command_skill, 0 or more.';

CREATE FUNCTION skillrating.hive_state(
    skill float8 DEFAULT 4,
    skill_squares float8 DEFAULT 0,
    side_offset float8 DEFAULT 0,
    command_skill float8 DEFAULT 4,
    command_squares float8 DEFAULT 0)
RETURNS skillrating.hive_state
AS 'MODULE_PATHNAME', 'skillrating_hive_state'
LANGUAGE C IMMUTABLE PARALLEL SAFE;

COMMENT ON FUNCTION skillrating.hive_state(float8, float8, float8, float8, float8) IS
'The state of a player for hive_win_probability() and hive_update(), best given by name:
skillrating.hive_state(skill => 5.2, side_offset => 0.1).
What is left out has the value of a new player under the default parameters.  Units and ranges are
those of the type hive_state; the aggregates check them.';

CREATE TYPE skillrating.hive_rating AS (
    player_id text,
    skill float8,
    skill_squares float8,
    side_offset float8,
    command_skill float8,
    command_squares float8,
    gradient float8,
    win_probability float8);

COMMENT ON TYPE skillrating.hive_rating IS
'Result of hive_update() for a player after a match.
player_id: the identifier as text.
skill, skill_squares, side_offset, command_skill, command_squares: the new state, as in hive_state.
gradient: derivative of the log likelihood by skill.
win_probability: 0 to 1, predicted for the side of the player; a draw counts half.';
-- SynElo's formulas.

CREATE FUNCTION skillrating.synelo_theta(team_size_max integer)
RETURNS float8
AS 'MODULE_PATHNAME', 'skillrating_synelo_theta'
LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;

COMMENT ON FUNCTION skillrating.synelo_theta(integer) IS
'The scale of SynElo''s curve for teams of up to team_size_max players, in points: 400 times the
median of 1 to team_size_max, rounded down (F1 of the source); 2400 for 12.
team_size_max: 1 or more.
Error 22003 below 1.';

CREATE FUNCTION skillrating.synelo_win_probability(
    sum_a float8,
    sum_b float8,
    theta float8 DEFAULT 2400)
RETURNS float8
AS 'MODULE_PATHNAME', 'skillrating_synelo_win_probability'
LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;

COMMENT ON FUNCTION skillrating.synelo_win_probability(float8, float8, float8) IS
'Probability that team a beats team b, 0 to 1: 1 / (1 + e^((sum_b - sum_a) / theta)) (F1 of SynElo;
base e).
sum_a, sum_b: sums of the ratings of a team, in points, finite.
theta: in points, above 0; see synelo_theta().
Error 22003 for numbers out of range.';

CREATE FUNCTION skillrating.synelo_convergence(
    rating float8[],
    expected float8[],
    outcome float8[],
    k_high float8 DEFAULT 72,
    velocity_weight float8 DEFAULT 0.25,
    surprise_weight float8 DEFAULT 0.25,
    volatility_weight float8 DEFAULT 0.5,
    saturate boolean DEFAULT false)
RETURNS float8
AS 'MODULE_PATHNAME', 'skillrating_synelo_convergence'
LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;

COMMENT ON FUNCTION skillrating.synelo_convergence(float8[], float8[], float8[], float8, float8, float8, float8, boolean) IS
'SynElo''s convergence score (F3) of a player, 0 (settled) to 1, from the last rounds.
rating, expected, outcome: arrays with one element a round, the oldest first: the rating after it,
in points; the expected score before it, 0 to 1; and the outcome, 0, 0.5 or 1.
k_high: in points, above 0.
velocity_weight, surprise_weight, volatility_weight: weights of three terms, 0 or more: the drift
between both halves over k_high, the mean of outcome less expected over 0.1, and the deviation of
the ratings over k_high.
saturate: no term counts for more than 1.
Fewer than two rounds have no drift; without rounds the score is 0.
Errors: 22003 for numbers out of range, 22004 for null elements, 2202E for arrays of different
length.';

CREATE FUNCTION skillrating.synelo_k(
    rating float8,
    convergence float8,
    k_low float8 DEFAULT 2,
    k_high float8 DEFAULT 72,
    initial_rating float8 DEFAULT 1000,
    compression_width float8 DEFAULT 400)
RETURNS float8
AS 'MODULE_PATHNAME', 'skillrating_synelo_k'
LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;

COMMENT ON FUNCTION skillrating.synelo_k(float8, float8, float8, float8, float8, float8) IS
'SynElo''s K factor, in points (F4 and F5): k_low + (k_high - k_low) * convergence
* exp(-(rating - initial_rating)^2 / (2 * compression_width^2)).
rating, initial_rating: in points, finite.  convergence: of synelo_convergence(), 0 to 1.
k_low, k_high: in points, 0 or more.  compression_width: in points, above 0.
Error 22003 for numbers out of range.';

CREATE FUNCTION skillrating.synelo_update(
    rating float8,
    k float8,
    score float8,
    expected float8,
    floor float8 DEFAULT 100,
    rounded boolean DEFAULT false)
RETURNS float8
AS 'MODULE_PATHNAME', 'skillrating_synelo_update'
LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;

COMMENT ON FUNCTION skillrating.synelo_update(float8, float8, float8, float8, float8, boolean) IS
'A rating after a round under SynElo (F2): rating + k * (score - expected), at least floor.
rating, floor: in points, finite.  k: in points, 0 or more.
score: 1 won, 0.5 drew, 0 lost.  expected: expected score, 0 to 1.
rounded: the result is an integer, half to even as in the source; a small k then moves nobody.
Error 22003 for numbers out of range.';

CREATE FUNCTION skillrating.synelo_status(
    games bigint,
    last_played timestamptz,
    at timestamptz,
    shadow_games integer DEFAULT 50,
    stale_days integer DEFAULT 30)
RETURNS text
AS 'MODULE_PATHNAME', 'skillrating_synelo_status'
LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;

COMMENT ON FUNCTION skillrating.synelo_status(bigint, timestamptz, timestamptz, integer, integer) IS
'Whether to show a rating under SynElo: ''shadow'' before shadow_games games, ''stale'' if the last
game was more than stale_days days before the time at, otherwise ''visible''.
games, shadow_games, stale_days: 0 or more.
Error 22003 for negative numbers.';
-- TrueSkill for one match given as arrays.

CREATE FUNCTION skillrating.trueskill_update(
    team integer[],
    rank integer[],
    mu float8[],
    sigma float8[],
    weight float8[] DEFAULT NULL,
    beta float8 DEFAULT 25 / 6.0,
    tau float8 DEFAULT 25 / 300.0,
    draw_probability float8 DEFAULT 0.1,
    OUT ordinal integer,
    OUT new_mu float8,
    OUT new_sigma float8)
RETURNS SETOF record
AS 'MODULE_PATHNAME', 'skillrating_trueskill_update'
LANGUAGE C IMMUTABLE PARALLEL SAFE ROWS 10;

COMMENT ON FUNCTION skillrating.trueskill_update(integer[], integer[], float8[], float8[], float8[], float8, float8, float8) IS
'Skills after a match under TrueSkill (Herbrich, Minka and Graepel, 2006), one row a player, in the
order of the arrays; ordinal is the position in them, from 1.
team, rank, mu, sigma, weight: arrays with one element a player.
team: any number; two teams or more.
rank: of the team; 1 is best, equal ranks are a draw (of more than two teams, those that drew
count in the order of their numbers).
mu, sigma: skill and deviation, in the unit of beta; sigma is above 0.
weight: share of the match played, 0 or more; 1 by default.
beta: deviation of one performance, above 0.
tau: drift of a skill before the match, in the unit of beta, 0 or more.
draw_probability: between equal players, at least 0 and below 1.
No rows if an argument other than weight is null.
Errors: 22004 for null elements, 2202E for arrays of different length, 22003 for numbers out of
range, 22023 for fewer than two teams.';

CREATE TYPE skillrating.trueskill_prediction AS (
    team integer,
    win_probability float8,
    draw_probability float8,
    rank_probability float8[]);

COMMENT ON TYPE skillrating.trueskill_prediction IS
'Prediction of trueskill_win_probability() for a team; all probabilities lie between 0 and 1.
team: its number.
win_probability: that it beats all others.  This is the probability of a win alone, whereas the
win_probability of event, rate() and preview() counts a draw half.
draw_probability: that it shares the first place.
rank_probability: element r is the probability that r - 1 teams beat it.';

CREATE FUNCTION skillrating.trueskill_win_probability(
    team integer[],
    mu float8[],
    sigma float8[],
    weight float8[] DEFAULT NULL,
    beta float8 DEFAULT 25 / 6.0,
    draw_probability float8 DEFAULT 0.1)
RETURNS SETOF skillrating.trueskill_prediction
AS 'MODULE_PATHNAME', 'skillrating_trueskill_win_probability'
LANGUAGE C IMMUTABLE PARALLEL SAFE ROWS 10;

COMMENT ON FUNCTION skillrating.trueskill_win_probability(integer[], float8[], float8[], float8[], float8, float8) IS
'Predicts a match of two or more teams under TrueSkill; one row a team, in ascending order of its
number.
A team beats another if its performance is ahead by more than their draw margin.
win_probability is the probability that the team beats all others, a win alone; the
win_probability of event, rate() and preview() counts a draw half.  draw_probability is the
probability that no team beats it and it does not beat all (a shared first place).
Element r of rank_probability is the probability that r - 1 teams beat it: the elements add up to 1,
and the first equals win_probability + draw_probability.
The method integrates over the performances of all teams, to 1e-8.
Arguments and errors as for trueskill_update().';

CREATE FUNCTION skillrating.trueskill_quality(
    team integer[],
    mu float8[],
    sigma float8[],
    weight float8[] DEFAULT NULL,
    beta float8 DEFAULT 25 / 6.0)
RETURNS float8
AS 'MODULE_PATHNAME', 'skillrating_trueskill_quality'
LANGUAGE C IMMUTABLE PARALLEL SAFE;

COMMENT ON FUNCTION skillrating.trueskill_quality(integer[], float8[], float8[], float8[], float8) IS
'How balanced a match of two or more teams would be under TrueSkill, 0 to 1: the probability that
all draw, relative to that between equals whose skills are certain.
Arguments and errors as for trueskill_update().';
-- Weng and Lin's models for one match given as arrays.

CREATE FUNCTION skillrating.weng_lin_update(
    variant text,
    team integer[],
    rank integer[],
    mu float8[],
    sigma float8[],
    weight float8[] DEFAULT NULL,
    beta float8 DEFAULT 25 / 6.0,
    kappa float8 DEFAULT 1e-4,
    tau float8 DEFAULT 25 / 300.0,
    "window" integer DEFAULT 4,
    prevent_sigma_increase boolean DEFAULT false,
    epsilon float8 DEFAULT 0.1,
    weights text DEFAULT 'partial',
    OUT ordinal integer,
    OUT new_mu float8,
    OUT new_sigma float8)
RETURNS SETOF record
AS 'MODULE_PATHNAME', 'skillrating_weng_lin_update'
LANGUAGE C IMMUTABLE PARALLEL SAFE ROWS 10;

COMMENT ON FUNCTION skillrating.weng_lin_update(text, integer[], integer[], float8[], float8[], float8[], float8, float8, float8, integer, boolean, float8, text) IS
'Skills after a match under a model of Weng and Lin (2011), known from OpenSkill; one row a player,
in the order of the arrays; ordinal is the position in them, from 1.
variant: plackett_luce, bradley_terry_full, bradley_terry_part, thurstone_mosteller_full or
thurstone_mosteller_part.
team, rank, mu, sigma, weight: arrays with one element a player.
team: any number; two teams or more.  rank: of the team; 1 is best, equal ranks are a draw.
mu, sigma: skill and deviation, in the unit of beta; sigma is above 0.
weight: share of the match played, 0 or more, 1 by default; with weights => ''openskill'' a
contribution in the sense of that library.
beta: deviation of one performance, above 0.
kappa: the least share of a variance that is kept, above 0 and at most 1.
tau: drift of a skill before the match, in the unit of beta, 0 or more.
window: neighbours in the result that the part variants compare on either side, 1 to 1000 (1 in
OpenSkill for JavaScript, 4 in that for Python).
prevent_sigma_increase: a deviation never becomes larger.
epsilon: draw margin of the variants by Thurstone and Mosteller, in the unit of beta, 0 or more.
weights: partial or openskill.
No rows if an argument other than weight is null.
Errors: 22023 for an unknown variant or fewer than two teams, 22004 for null elements, 2202E for
arrays of different length, 22003 for numbers out of range.';

CREATE FUNCTION skillrating.weng_lin_win_probability(
    team integer[],
    mu float8[],
    sigma float8[],
    beta float8 DEFAULT 25 / 6.0,
    curve text DEFAULT 'normal',
    variant text DEFAULT 'plackett_luce',
    epsilon float8 DEFAULT 0.1,
    OUT team_number integer,
    OUT win_probability float8,
    OUT exact_win_probability float8)
RETURNS SETOF record
AS 'MODULE_PATHNAME', 'skillrating_weng_lin_win_probability'
LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE ROWS 10;

COMMENT ON FUNCTION skillrating.weng_lin_win_probability(integer[], float8[], float8[], float8, text, text, float8) IS
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
Errors: 22023 for an unknown curve or variant or fewer than two teams, 22004 for null elements, 2202E
for arrays of different length, 22003 for numbers out of range.';

CREATE FUNCTION skillrating.weng_lin_draw_probability(
    team integer[],
    mu float8[],
    sigma float8[],
    beta float8 DEFAULT 25 / 6.0)
RETURNS float8
AS 'MODULE_PATHNAME', 'skillrating_weng_lin_draw_probability'
LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;

COMMENT ON FUNCTION skillrating.weng_lin_draw_probability(integer[], float8[], float8[], float8) IS
'The probability of a draw as OpenSkill predicts it (predict_draw): the mean over all pairs of teams of
that of a difference within sqrt(n) * beta * Phi^-1((1 + 1 / n) / 2), n being the number of players.
It measures how even a match is, and no share of draws.
team, mu, sigma, beta: as for weng_lin_win_probability().
Errors: 22023 for fewer than two teams, 22004 for null elements, 2202E for arrays of different length,
22003 for numbers out of range.';
-- What players see of ratings, and where newcomers start.

CREATE FUNCTION skillrating.display_rating(
    mu float8,
    deviation float8,
    z float8 DEFAULT 3,
    factor float8 DEFAULT 1,
    shift float8 DEFAULT 0,
    floor float8 DEFAULT '-infinity')
RETURNS float8
AS 'MODULE_PATHNAME', 'skillrating_display_rating'
LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;

COMMENT ON FUNCTION skillrating.display_rating(float8, float8, float8, float8, float8, float8) IS
'A rating to show for an uncertain skill: shift + factor * (mu - z * deviation), at least floor.
mu: the skill, finite.  deviation: of mu, in its unit, 0 or more.
z: deviations to subtract; with z = 3 the true skill is almost certainly higher.
factor: points per unit of mu, above 0.  shift: points added.
floor: in points; -infinity is none.
Error 22003 for numbers out of range.';

CREATE FUNCTION skillrating.shown_rating(
    rating float8,
    games bigint,
    shadow_games bigint DEFAULT 10)
RETURNS float8
AS 'MODULE_PATHNAME', 'skillrating_shown_rating'
LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;

COMMENT ON FUNCTION skillrating.shown_rating(float8, bigint, bigint) IS
'The rating, or null while a player has fewer than shadow_games games and the rating still settles.
rating: finite.  games, shadow_games: numbers of games.
Error 22003 for a rating that is not finite.';

CREATE FUNCTION skillrating.division_number(
    rating float8,
    cuts float8[],
    current integer DEFAULT NULL,
    margin float8 DEFAULT 0,
    promotion_margin float8 DEFAULT 0)
RETURNS integer
AS 'MODULE_PATHNAME', 'skillrating_division_number'
LANGUAGE C IMMUTABLE PARALLEL SAFE;

COMMENT ON FUNCTION skillrating.division_number(float8, float8[], integer, float8, float8) IS
'The division of a rating, from 0 (below the first cut) to the number of cuts (at or above the
last).
rating: finite.  cuts: ascending, in the unit of rating.
current: the present division, or null; a player then moves up only at promotion_margin above a cut
and down only below a cut less margin, so that nobody moves back and forth at a border.  Several
divisions at once are possible.
margin, promotion_margin: in the unit of rating, 0 or more.
Null if an argument other than current is null.
Errors: 22023 for cuts that do not ascend, 22003 for numbers out of range.';

CREATE FUNCTION skillrating.division(
    rating float8,
    cuts float8[],
    labels text[],
    current text DEFAULT NULL,
    margin float8 DEFAULT 0,
    promotion_margin float8 DEFAULT 0)
RETURNS text
AS 'MODULE_PATHNAME', 'skillrating_division'
LANGUAGE C IMMUTABLE PARALLEL SAFE;

COMMENT ON FUNCTION skillrating.division(float8, float8[], text[], text, float8, float8) IS
'The division of a rating by its label, as division_number() by its number.
labels: one more than cuts, lowest first.  current: one of them, or null.
Other arguments and errors as for division_number(); also 2202E for another number of labels, and
22023 if current is none of them.';

CREATE FUNCTION skillrating.placement_step(
    low float8,
    high float8,
    score float8,
    shrink float8 DEFAULT 0.5,
    OUT new_low float8,
    OUT new_high float8,
    OUT rating float8)
AS 'MODULE_PATHNAME', 'skillrating_placement_step'
LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;

COMMENT ON FUNCTION skillrating.placement_step(float8, float8, float8, float8) IS
'A step of the search for the initial rating of a newcomer between low and high, after a calibration
match against the middle of them.
low, high: in the unit of the ratings, low <= high.
score: of the newcomer; 1 won, 0.5 drew, 0 lost.
shrink: share by which the end on the wrong side moves to the middle, 0 to 1.  1 is plain
bisection, which one odd result misleads for good; less is more careful and takes more matches.
new_low, new_high: what is left.  rating: the new middle.
Error 22003 for numbers out of range.';

CREATE FUNCTION skillrating.placement_gain(
    games bigint,
    boost float8 DEFAULT 2,
    over float8 DEFAULT 10)
RETURNS float8
AS 'MODULE_PATHNAME', 'skillrating_placement_gain'
LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;

COMMENT ON FUNCTION skillrating.placement_gain(bigint, float8, float8) IS
'A factor for gain, or for k, that lets newcomers move faster: it falls from boost in the first match
to 1 after over matches.
games: matches played before, 0 or more.  boost: 0 or more.  over: matches, 0 or more.
Error 22003 for negative numbers.';

CREATE FUNCTION skillrating.season_rating(
    rating float8,
    mean float8,
    keep float8 DEFAULT 0.5)
RETURNS float8
AS 'MODULE_PATHNAME', 'skillrating_season_rating'
LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;

COMMENT ON FUNCTION skillrating.season_rating(float8, float8, float8) IS
'A rating at the start of a season, by soft reset: mean + keep * (rating - mean).
rating, mean: finite.  keep: 0 (all new) to 1 (unchanged).
Error 22003 for numbers out of range.';

CREATE FUNCTION skillrating.season_deviation(
    deviation float8,
    initial_deviation float8,
    keep float8 DEFAULT 0.5)
RETURNS float8
AS 'MODULE_PATHNAME', 'skillrating_season_deviation'
LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;

COMMENT ON FUNCTION skillrating.season_deviation(float8, float8, float8) IS
'The deviation that goes with season_rating(): what is not kept is as uncertain as a newcomer,
sqrt(keep^2 * deviation^2 + (1 - keep^2) * initial_deviation^2).
deviation: before, 0 or more.  initial_deviation: of a newcomer, 0 or more.
keep: 0 (all new) to 1 (unchanged).
Error 22003 for numbers out of range.';

CREATE FUNCTION skillrating.inactivity_decay(
    rating float8,
    idle interval,
    grace interval DEFAULT '30 days',
    rate float8 DEFAULT 1,
    floor float8 DEFAULT 0)
RETURNS float8
AS 'MODULE_PATHNAME', 'skillrating_inactivity_decay'
LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;

COMMENT ON FUNCTION skillrating.inactivity_decay(float8, interval, interval, float8, float8) IS
'A rating to show after idle time: rate points less for each day beyond grace, but not below floor;
a lower rating stays as it is.
rating, floor: finite.  idle, grace: not negative; a month has 30 days.
rate: points a day, 0 or more.
For the rating itself prefer a model whose deviation grows in idle time (glicko, trueskill with
drift).
Error 22003 for numbers out of range.';

CREATE FUNCTION skillrating.inactivity_regression(
    rating float8,
    idle interval,
    half_life interval,
    mean float8,
    grace interval DEFAULT '30 days')
RETURNS float8
AS 'MODULE_PATHNAME', 'skillrating_inactivity_regression'
LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;

COMMENT ON FUNCTION skillrating.inactivity_regression(float8, interval, interval, float8, interval) IS
'A rating after idle time that moves towards a mean: beyond grace, half of the distance is gone after
each half_life.
rating, mean: finite.  idle, grace: not negative; half_life: positive; a month has 30 days.
Error 22003 for numbers out of range.';
-- Linear regression on match statistics, for initial ranks.

CREATE TYPE skillrating.linear_model AS (
    intercept float8,
    coefficient float8[],
    r_squared float8,
    residual_deviation float8,
    observations bigint);

COMMENT ON TYPE skillrating.linear_model IS
'What linear_fit() found: y = intercept + sum of coefficient * x, the share of the variance of y
that it explains (null if y does not vary), the standard deviation of what is left (null without
degrees of freedom), and the number of rows.';

CREATE FUNCTION skillrating_internal.linear_fit_transition(float8[], float8, float8[])
RETURNS float8[]
AS 'MODULE_PATHNAME', 'skillrating_linear_fit_transition'
LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;

COMMENT ON FUNCTION skillrating_internal.linear_fit_transition(float8[], float8, float8[]) IS
'Transition function of linear_fit(): state {features, rows, weight, ridge, means, sums of products}.';

CREATE FUNCTION skillrating_internal.linear_fit_transition(float8[], float8, float8[], float8, float8)
RETURNS float8[]
AS 'MODULE_PATHNAME', 'skillrating_linear_fit_transition'
LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;

COMMENT ON FUNCTION skillrating_internal.linear_fit_transition(float8[], float8, float8[], float8, float8) IS
'Transition function of linear_fit() with weight and ridge.';

CREATE FUNCTION skillrating_internal.linear_fit_combine(float8[], float8[])
RETURNS float8[]
AS 'MODULE_PATHNAME', 'skillrating_linear_fit_combine'
LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;

COMMENT ON FUNCTION skillrating_internal.linear_fit_combine(float8[], float8[]) IS
'Merges two states of linear_fit() with as many features and the same ridge.';

CREATE FUNCTION skillrating_internal.linear_fit_final(float8[])
RETURNS skillrating.linear_model
AS 'MODULE_PATHNAME', 'skillrating_linear_fit_final'
LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;

COMMENT ON FUNCTION skillrating_internal.linear_fit_final(float8[]) IS
'The fit of a state of linear_fit(), or null if it has no rows.';

CREATE AGGREGATE skillrating.linear_fit(y float8, x float8[]) (
    SFUNC = skillrating_internal.linear_fit_transition,
    STYPE = float8[],
    INITCOND = '{}',
    FINALFUNC = skillrating_internal.linear_fit_final,
    COMBINEFUNC = skillrating_internal.linear_fit_combine,
    PARALLEL = SAFE
);

COMMENT ON AGGREGATE skillrating.linear_fit(float8, float8[]) IS
'The least squares fit of y on up to 100 features, for example of a rank on match statistics:
linear_fit(rank, ARRAY[kills, deaths, damage]). Rows with a null, also in x, do not count; null if
none counts. Errors: 2202E if x has another length in some row, 22003 for numbers that are not
finite or whose squares (from about 1e154 on) do not fit into a double precision, 22023 if a
feature is constant or depends on those before it.';

CREATE AGGREGATE skillrating.linear_fit(y float8, x float8[], weight float8, ridge float8) (
    SFUNC = skillrating_internal.linear_fit_transition,
    STYPE = float8[],
    INITCOND = '{}',
    FINALFUNC = skillrating_internal.linear_fit_final,
    COMBINEFUNC = skillrating_internal.linear_fit_combine,
    PARALLEL = SAFE
);

COMMENT ON AGGREGATE skillrating.linear_fit(float8, float8[], float8, float8) IS
'As the form with two arguments, with a weight of each row and a ridge, the same in all rows, that
is added to the diagonal of the features'' correlations: it keeps coefficients small, and finite
where features depend on each other.';

CREATE FUNCTION skillrating.linear_predict(fit skillrating.linear_model, x float8[])
RETURNS float8
AS 'MODULE_PATHNAME', 'skillrating_linear_predict'
LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;

COMMENT ON FUNCTION skillrating.linear_predict(skillrating.linear_model, float8[]) IS
'The prediction of a fit for the features x: intercept + sum of coefficient * x.
fit: found by linear_fit().  x: one element for each of its coefficients.
Errors: 2202E for an array of another length, 22004 for null elements, 22003 for a result that is
out of range.';
-- Aggregates over matches: scores of forecasts and log-odds of contexts.
--
-- Their states are float8 arrays, so that partial results can be stored, merged
-- and computed on other servers.

CREATE FUNCTION skillrating_internal.sums_combine(float8[], float8[])
RETURNS float8[]
AS 'MODULE_PATHNAME', 'skillrating_sums_combine'
LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;

COMMENT ON FUNCTION skillrating_internal.sums_combine(float8[], float8[]) IS
'Merges two states {count, sum, low part of sum, ...} of equal length, of brier_score(), log_loss(),
logit_log_loss(), ranked_probability_score(), accuracy(), skill_score() or surprise().';

CREATE FUNCTION skillrating_internal.mean_final(float8[])
RETURNS float8
AS 'MODULE_PATHNAME', 'skillrating_mean_final'
LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;

COMMENT ON FUNCTION skillrating_internal.mean_final(float8[]) IS
'The mean of a state {count, sum, low part of sum}, or null if the count is 0.';

CREATE FUNCTION skillrating_internal.brier_score_transition(float8[], float8, float8)
RETURNS float8[]
AS 'MODULE_PATHNAME', 'skillrating_brier_score_transition'
LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;

COMMENT ON FUNCTION skillrating_internal.brier_score_transition(float8[], float8, float8) IS
'Transition function of brier_score(): state {count, sum, low part of sum}.';

CREATE FUNCTION skillrating_internal.log_loss_transition(float8[], float8, float8)
RETURNS float8[]
AS 'MODULE_PATHNAME', 'skillrating_log_loss_transition'
LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;

COMMENT ON FUNCTION skillrating_internal.log_loss_transition(float8[], float8, float8) IS
'Transition function of log_loss(): state {count, sum, low part of sum}.';

CREATE FUNCTION skillrating_internal.accuracy_transition(float8[], float8, float8)
RETURNS float8[]
AS 'MODULE_PATHNAME', 'skillrating_accuracy_transition'
LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;

COMMENT ON FUNCTION skillrating_internal.accuracy_transition(float8[], float8, float8) IS
'Transition function of accuracy(): state {count, sum, low part of sum}.';

CREATE FUNCTION skillrating_internal.logit_log_loss_transition(float8[], float8, float8)
RETURNS float8[]
AS 'MODULE_PATHNAME', 'skillrating_logit_log_loss_transition'
LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;

COMMENT ON FUNCTION skillrating_internal.logit_log_loss_transition(float8[], float8, float8) IS
'Transition function of logit_log_loss(): state {count, sum, low part of sum}.';

CREATE FUNCTION skillrating_internal.log_loss_transition(float8[], float8, float8, float8)
RETURNS float8[]
AS 'MODULE_PATHNAME', 'skillrating_three_way_log_loss_transition'
LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;

COMMENT ON FUNCTION skillrating_internal.log_loss_transition(float8[], float8, float8, float8) IS
'Transition function of log_loss() of wins, draws and losses: state {count, sum, low part of sum}.';

CREATE FUNCTION skillrating_internal.ranked_probability_score_transition(float8[], float8, float8, float8)
RETURNS float8[]
AS 'MODULE_PATHNAME', 'skillrating_ranked_probability_score_transition'
LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;

COMMENT ON FUNCTION skillrating_internal.ranked_probability_score_transition(float8[], float8, float8, float8) IS
'Transition function of ranked_probability_score(): state {count, sum, low part of sum}.';

CREATE FUNCTION skillrating_internal.skill_score_transition(float8[], float8, float8)
RETURNS float8[]
AS 'MODULE_PATHNAME', 'skillrating_skill_score_transition'
LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;

COMMENT ON FUNCTION skillrating_internal.skill_score_transition(float8[], float8, float8) IS
'Transition function of skill_score(): state {count, sums of squared distance, outcome and squared
outcome, each with its low part}.';

CREATE FUNCTION skillrating_internal.skill_score_final(float8[])
RETURNS float8
AS 'MODULE_PATHNAME', 'skillrating_skill_score_final'
LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;

COMMENT ON FUNCTION skillrating_internal.skill_score_final(float8[]) IS
'The skill score of a state of skill_score(), or null if outcomes do not vary.';

CREATE FUNCTION skillrating_internal.surprise_transition(float8[], float8, float8)
RETURNS float8[]
AS 'MODULE_PATHNAME', 'skillrating_surprise_transition'
LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;

COMMENT ON FUNCTION skillrating_internal.surprise_transition(float8[], float8, float8) IS
'Transition function of surprise(): state {count, sums of outcome less probability and of its
variance, each with its low part}.';

CREATE FUNCTION skillrating_internal.surprise_final(float8[])
RETURNS float8
AS 'MODULE_PATHNAME', 'skillrating_surprise_final'
LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;

COMMENT ON FUNCTION skillrating_internal.surprise_final(float8[]) IS
'The z score of a state of surprise(), or null if nothing was uncertain.';

CREATE AGGREGATE skillrating.brier_score(probability float8, outcome float8) (
    SFUNC = skillrating_internal.brier_score_transition,
    STYPE = float8[],
    INITCOND = '{0,0,0}',
    FINALFUNC = skillrating_internal.mean_final,
    COMBINEFUNC = skillrating_internal.sums_combine,
    PARALLEL = SAFE
);

COMMENT ON AGGREGATE skillrating.brier_score(float8, float8) IS
'Mean squared distance of predicted probabilities from outcomes; 0 is perfect, a constant 0.5 scores
0.25 without draws.
probability: predicted, 0 to 1.  outcome: 1 won, 0.5 drew, 0 lost.
Rows with a null do not count; null if none counts.
Error 22003 outside 0 to 1.
Brier, Monthly Weather Review 78 (1950).';

CREATE AGGREGATE skillrating.log_loss(probability float8, outcome float8) (
    SFUNC = skillrating_internal.log_loss_transition,
    STYPE = float8[],
    INITCOND = '{0,0,0}',
    FINALFUNC = skillrating_internal.mean_final,
    COMBINEFUNC = skillrating_internal.sums_combine,
    PARALLEL = SAFE
);

COMMENT ON AGGREGATE skillrating.log_loss(float8, float8) IS
'Mean negative log likelihood, in nats, of outcomes under predicted probabilities; a constant 0.5
scores ln 2 = 0.6931.  A probability of exactly 0 for what then happened makes it infinite;
logit_log_loss() never is.
probability: predicted, 0 to 1.  outcome: 1 won, 0.5 drew, 0 lost.
Rows with a null do not count; null if none counts.
Error 22003 outside 0 to 1.';

CREATE AGGREGATE skillrating.log_loss(win_probability float8, draw_probability float8, outcome float8) (
    SFUNC = skillrating_internal.log_loss_transition,
    STYPE = float8[],
    INITCOND = '{0,0,0}',
    FINALFUNC = skillrating_internal.mean_final,
    COMBINEFUNC = skillrating_internal.sums_combine,
    PARALLEL = SAFE
);

COMMENT ON AGGREGATE skillrating.log_loss(float8, float8, float8) IS
'Mean negative log likelihood, in nats, of outcomes where a draw is a class of its own.
win_probability: predicted probability of a win alone, 0 to 1.  The win_probability of event, rate()
and preview() counts a draw half: subtract half of the draw_probability from it.
draw_probability: predicted, 0 to 1; the rest is the loss.
outcome: 1 won, 0.5 drew, 0 lost.
A uniform forecast scores ln 3 = 1.0986.
Rows with a null do not count; null if none counts.
Error 22003 outside 0 to 1, if the two probabilities add up to more than 1, and for any other
outcome.';

CREATE AGGREGATE skillrating.logit_log_loss(logit float8, outcome float8) (
    SFUNC = skillrating_internal.logit_log_loss_transition,
    STYPE = float8[],
    INITCOND = '{0,0,0}',
    FINALFUNC = skillrating_internal.mean_final,
    COMBINEFUNC = skillrating_internal.sums_combine,
    PARALLEL = SAFE
);

COMMENT ON AGGREGATE skillrating.logit_log_loss(float8, float8) IS
'Mean negative log likelihood, in nats, of outcomes under predicted log-odds ln(p / (1 - p)): the
same as log_loss(), but finite and exact also where p would round to 0 or 1.
logit: predicted log-odds, finite.  outcome: 1 won, 0.5 drew, 0 lost.
Rows with a null do not count; null if none counts.
Error 22003 for log-odds that are not finite and outcomes outside 0 to 1.';

CREATE AGGREGATE skillrating.ranked_probability_score(win_probability float8, draw_probability float8, outcome float8) (
    SFUNC = skillrating_internal.ranked_probability_score_transition,
    STYPE = float8[],
    INITCOND = '{0,0,0}',
    FINALFUNC = skillrating_internal.mean_final,
    COMBINEFUNC = skillrating_internal.sums_combine,
    PARALLEL = SAFE
);

COMMENT ON AGGREGATE skillrating.ranked_probability_score(float8, float8, float8) IS
'Mean ranked probability score of forecasts of win, draw and loss, in this order: half the squared
distance of their cumulative probabilities from the outcome.  0 is perfect, 1 is certain of the
opposite.
win_probability: predicted probability of a win alone, 0 to 1.  The win_probability of event, rate()
and preview() counts a draw half: subtract half of the draw_probability from it.
draw_probability: predicted, 0 to 1; the rest is the loss.
outcome: 1 won, 0.5 drew, 0 lost.
Rows with a null do not count; null if none counts.
Error 22003 outside 0 to 1, if the two probabilities add up to more than 1, and for any other
outcome.
Epstein, Journal of Applied Meteorology 8 (1969).';

CREATE AGGREGATE skillrating.accuracy(probability float8, outcome float8) (
    SFUNC = skillrating_internal.accuracy_transition,
    STYPE = float8[],
    INITCOND = '{0,0,0}',
    FINALFUNC = skillrating_internal.mean_final,
    COMBINEFUNC = skillrating_internal.sums_combine,
    PARALLEL = SAFE
);

COMMENT ON AGGREGATE skillrating.accuracy(float8, float8) IS
'Share of matches that the favourite won, 0 to 1; a forecast of 0.5 and a drawn match count half.  It
depends on how balanced the matches are: compare it on the same matches only.
probability: predicted, 0 to 1.  outcome: 1 won, 0.5 drew, 0 lost.
Rows with a null do not count; null if none counts.
Error 22003 outside 0 to 1.';

CREATE AGGREGATE skillrating.skill_score(probability float8, outcome float8) (
    SFUNC = skillrating_internal.skill_score_transition,
    STYPE = float8[],
    INITCOND = '{0,0,0,0,0,0,0}',
    FINALFUNC = skillrating_internal.skill_score_final,
    COMBINEFUNC = skillrating_internal.sums_combine,
    PARALLEL = SAFE
);

COMMENT ON AGGREGATE skillrating.skill_score(float8, float8) IS
'Brier skill score against a constant forecast of the mean outcome:
1 - brier_score / (mean squared distance of outcomes from their mean).  1 is perfect, 0 no better
than the base rate, a negative number worse.
probability: predicted, 0 to 1.  outcome: 1 won, 0.5 drew, 0 lost.
Rows with a null do not count; null if none counts or all outcomes are equal.
Error 22003 outside 0 to 1.
Murphy, Monthly Weather Review 116 (1988).';

CREATE AGGREGATE skillrating.surprise(probability float8, outcome float8) (
    SFUNC = skillrating_internal.surprise_transition,
    STYPE = float8[],
    INITCOND = '{0,0,0,0,0}',
    FINALFUNC = skillrating_internal.surprise_final,
    COMBINEFUNC = skillrating_internal.sums_combine,
    PARALLEL = SAFE
);

COMMENT ON AGGREGATE skillrating.surprise(float8, float8) IS
'Number of standard deviations by which results exceed their prediction: the sum of
outcome - probability over the root of the sum of probability * (1 - probability).
Computed with GROUP BY for each player, a value beyond 3 deserves a look (a new account of a good
player), and so does one below -3.  Draws vary less than that formula says, which makes it a little
too small.
probability: predicted, 0 to 1.  outcome: 1 won, 0.5 drew, 0 lost.
Rows with a null do not count; null if none counts or nothing was uncertain.
Error 22003 outside 0 to 1.';

CREATE FUNCTION skillrating.context_log_odds(
    wins float8,
    games float8,
    prior_rate float8 DEFAULT 0.5,
    prior_weight float8 DEFAULT 1)
RETURNS float8
AS 'MODULE_PATHNAME', 'skillrating_context_log_odds'
LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;

COMMENT ON FUNCTION skillrating.context_log_odds(float8, float8, float8, float8) IS
'Log-odds of a win rate, shrunk as if prior_weight further games had been won at prior_rate:
ln((wins + w r) / (games - wins + w (1 - r))).  Finite for 0 of n and n of n; the defaults are
Jeffreys'' prior.
wins: draws count half, 0 <= wins <= games.  games: finite.
prior_rate: above 0 and below 1.  prior_weight: games, above 0.
Error 22003 for numbers out of range.';

CREATE FUNCTION skillrating_internal.context_log_odds_transition(float8[], boolean)
RETURNS float8[]
AS 'MODULE_PATHNAME', 'skillrating_context_log_odds_transition'
LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;

COMMENT ON FUNCTION skillrating_internal.context_log_odds_transition(float8[], boolean) IS
'Transition function of context_log_odds(boolean): state {wins, games, prior rate, prior weight}.';

CREATE FUNCTION skillrating_internal.context_log_odds_transition(float8[], boolean, float8, float8)
RETURNS float8[]
AS 'MODULE_PATHNAME', 'skillrating_context_log_odds_transition'
LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;

COMMENT ON FUNCTION skillrating_internal.context_log_odds_transition(float8[], boolean, float8, float8) IS
'Transition function of context_log_odds(boolean, float8, float8): state {wins, games, prior rate,
prior weight}.';

CREATE FUNCTION skillrating_internal.context_log_odds_combine(float8[], float8[])
RETURNS float8[]
AS 'MODULE_PATHNAME', 'skillrating_context_log_odds_combine'
LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;

COMMENT ON FUNCTION skillrating_internal.context_log_odds_combine(float8[], float8[]) IS
'Merges two states {wins, games, prior rate, prior weight} of context_log_odds().';

CREATE FUNCTION skillrating_internal.context_log_odds_final(float8[])
RETURNS float8
AS 'MODULE_PATHNAME', 'skillrating_context_log_odds_final'
LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;

COMMENT ON FUNCTION skillrating_internal.context_log_odds_final(float8[]) IS
'The log-odds of a state {wins, games, prior rate, prior weight}, or null without games.';

CREATE AGGREGATE skillrating.context_log_odds(won boolean) (
    SFUNC = skillrating_internal.context_log_odds_transition,
    STYPE = float8[],
    INITCOND = '{0,0,0.5,1}',
    FINALFUNC = skillrating_internal.context_log_odds_final,
    COMBINEFUNC = skillrating_internal.context_log_odds_combine,
    PARALLEL = SAFE
);

COMMENT ON AGGREGATE skillrating.context_log_odds(boolean) IS
'Log-odds of the win rate in a context (a side, a map, a size) under Jeffreys'' prior: finite for 0
of
n and n of n.
won: nulls do not count; null if none counts.
For draws or another prior see the function of the same name.';

CREATE AGGREGATE skillrating.context_log_odds(won boolean, prior_rate float8, prior_weight float8) (
    SFUNC = skillrating_internal.context_log_odds_transition,
    STYPE = float8[],
    INITCOND = '{0,0,0.5,1}',
    FINALFUNC = skillrating_internal.context_log_odds_final,
    COMBINEFUNC = skillrating_internal.context_log_odds_combine,
    PARALLEL = SAFE
);

COMMENT ON AGGREGATE skillrating.context_log_odds(boolean, float8, float8) IS
'Log-odds of the win rate in a context, shrunk towards prior_rate as if prior_weight further games
had been seen at that rate.
won: nulls do not count; null if none counts.
prior_rate: above 0 and below 1.  prior_weight: games, above 0.  Both are the same in all rows.
Errors: 22003 for numbers out of range, 22023 if the prior varies.';
-- Whether what is forecast with a probability happens that often.

CREATE TYPE skillrating.calibration_bin AS (
    low float8,
    high float8,
    forecasts bigint,
    mean_probability float8,
    mean_outcome float8);

COMMENT ON TYPE skillrating.calibration_bin IS
'Forecasts with probabilities from low to below high (up to and including 1 in the last bin).
forecasts: how many.  mean_probability, mean_outcome: 0 to 1; null without forecasts.';

CREATE TYPE skillrating.calibration AS (
    forecasts bigint,
    base_rate float8,
    mean_probability float8,
    brier_score float8,
    log_loss float8,
    reliability float8,
    resolution float8,
    uncertainty float8,
    within_bins float8,
    expected_calibration_error float8,
    intercept float8,
    intercept_error float8,
    slope float8,
    slope_error float8,
    z float8,
    bins skillrating.calibration_bin[]);

COMMENT ON TYPE skillrating.calibration IS
'Result of calibration().
forecasts: how many.  base_rate: the mean outcome.  mean_probability: the mean forecast.
brier_score, log_loss: as the aggregates of that name.
reliability, resolution, uncertainty, within_bins: parts of the Brier score over the bins (Murphy):
reliability (0 is best) - resolution (more is better) + uncertainty (of the outcomes themselves)
+ within_bins (differences among the forecasts of a bin).
expected_calibration_error: mean distance of the probability of a bin from its outcome.
intercept, slope, and their standard errors: of the logistic recalibration
ln(q / (1 - q)) = intercept + slope ln(p / (1 - p)).  Calibrated forecasts have 0 and 1; a slope
below 1 is overconfident.  Null where it is not determined: when all were won, or a threshold
separates won from lost.
z: by how many standard deviations the Brier score is worse than the probabilities expect of
themselves; beyond 2 is overconfident, below -2 too timid.  Null if nothing was uncertain.
bins: an array of calibration_bin.';

CREATE FUNCTION skillrating_internal.calibration_transition(float8[], float8, float8)
RETURNS float8[]
AS 'MODULE_PATHNAME', 'skillrating_calibration_transition'
LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;

COMMENT ON FUNCTION skillrating_internal.calibration_transition(float8[], float8, float8) IS
'Transition function of calibration() with 10 bins: state {bins, first cell, cells, count, sums, then
per bin and per cell of log-odds a count and sums}.';

CREATE FUNCTION skillrating_internal.calibration_transition(float8[], float8, float8, integer)
RETURNS float8[]
AS 'MODULE_PATHNAME', 'skillrating_calibration_transition'
LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;

COMMENT ON FUNCTION skillrating_internal.calibration_transition(float8[], float8, float8, integer) IS
'Transition function of calibration() with a number of bins.';

CREATE FUNCTION skillrating_internal.calibration_combine(float8[], float8[])
RETURNS float8[]
AS 'MODULE_PATHNAME', 'skillrating_calibration_combine'
LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;

COMMENT ON FUNCTION skillrating_internal.calibration_combine(float8[], float8[]) IS
'Merges two states of calibration() with as many bins.';

CREATE FUNCTION skillrating_internal.calibration_final(float8[])
RETURNS skillrating.calibration
AS 'MODULE_PATHNAME', 'skillrating_calibration_final'
LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;

COMMENT ON FUNCTION skillrating_internal.calibration_final(float8[]) IS
'What a state of calibration() says, or null if it has no rows.';

CREATE AGGREGATE skillrating.calibration(probability float8, outcome float8) (
    SFUNC = skillrating_internal.calibration_transition,
    STYPE = float8[],
    INITCOND = '{}',
    FINALFUNC = skillrating_internal.calibration_final,
    COMBINEFUNC = skillrating_internal.calibration_combine,
    SSPACE = 16000,
    PARALLEL = SAFE
);

COMMENT ON AGGREGATE skillrating.calibration(float8, float8) IS
'How well predicted probabilities fit outcomes, with 10 bins of equal width; see the type
calibration.
SELECT (c).* FROM (SELECT skillrating.calibration(p, outcome) AS c FROM ...) AS q;
unnest((c).bins) returns the bins.
probability: predicted, 0 to 1.  outcome: 1 won, 0.5 drew, 0 lost.
Give one forecast a match: the forecast for the other team repeats it.  Draws count half, which
makes z and the standard errors a little cautious.  Log-odds beyond +-32 count as those.
Rows with a null do not count; null if none counts.
Error 22003 outside 0 to 1.
Murphy, Journal of Applied Meteorology 12 (1973); Cox, Biometrika 45 (1958); Spiegelhalter,
Statistics in Medicine 5 (1986).';

CREATE AGGREGATE skillrating.calibration(probability float8, outcome float8, bins integer) (
    SFUNC = skillrating_internal.calibration_transition,
    STYPE = float8[],
    INITCOND = '{}',
    FINALFUNC = skillrating_internal.calibration_final,
    COMBINEFUNC = skillrating_internal.calibration_combine,
    SSPACE = 16000,
    PARALLEL = SAFE
);

COMMENT ON AGGREGATE skillrating.calibration(float8, float8, integer) IS
'As the form with two arguments, with a number of bins.
bins: 1 to 1000, the same in all rows.
Further errors: 22003 for any other number, 22023 if it varies.';
-- Forecasts corrected and combined online.

CREATE FUNCTION skillrating.recalibrate(
    probability float8,
    outcome float8,
    weight float8 DEFAULT 1,
    played_at timestamptz DEFAULT NULL,
    deviation float8 DEFAULT 0.5,
    half_life_matches float8 DEFAULT 0,
    half_life_days float8 DEFAULT 0,
    side float8 DEFAULT NULL,
    side_deviation float8 DEFAULT 0.5)
RETURNS float8
AS 'MODULE_PATHNAME', 'skillrating_recalibrate'
LANGUAGE C WINDOW IMMUTABLE PARALLEL SAFE;

COMMENT ON FUNCTION skillrating.recalibrate(float8, float8, float8, timestamptz, float8, float8, float8, float8, float8) IS
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
side: 1 or 2 where the forecast is that of a fixed side (home, white, attack), in favour of which, 1,
there is an intercept; null: none, so that forecasts for both opponents stay complementary.
side_deviation: prior standard deviation of the intercept, whose prior mean is 0.
deviation, side_deviation and both half-lives are read from the first row of a partition.
Errors: 42P20 without ORDER BY or with a frame clause, 22003 for numbers out of range, 22004 for a
parameter that is null and for half_life_days without played_at, 22008 for an infinite played_at.';

CREATE FUNCTION skillrating.recalibrate(
    probability float8,
    outcome boolean,
    weight float8 DEFAULT 1,
    played_at timestamptz DEFAULT NULL,
    deviation float8 DEFAULT 0.5,
    half_life_matches float8 DEFAULT 0,
    half_life_days float8 DEFAULT 0,
    side float8 DEFAULT NULL,
    side_deviation float8 DEFAULT 0.5)
RETURNS float8
AS 'MODULE_PATHNAME', 'skillrating_recalibrate'
LANGUAGE C WINDOW IMMUTABLE PARALLEL SAFE;

COMMENT ON FUNCTION skillrating.recalibrate(float8, boolean, float8, timestamptz, float8, float8, float8, float8, float8) IS
'As the form with numbers, where outcome is whether it happened.';

CREATE FUNCTION skillrating.recalibrate(
    probability float8[],
    outcome float8[],
    weight float8 DEFAULT 1,
    played_at timestamptz DEFAULT NULL,
    deviation float8 DEFAULT 0.5,
    half_life_matches float8 DEFAULT 0,
    half_life_days float8 DEFAULT 0)
RETURNS float8[]
AS 'MODULE_PATHNAME', 'skillrating_recalibrate'
LANGUAGE C WINDOW IMMUTABLE PARALLEL SAFE;

COMMENT ON FUNCTION skillrating.recalibrate(float8[], float8[], float8, timestamptz, float8, float8, float8) IS
'The same for matches of more than two teams, a row a match: slope times the logarithms of the
probabilities, which then add up to 1 again.
probability: of each team to win, adding up to 1.  outcome: the share of each in the first place,
adding up to 1 (1 for the winner, 0.5 for each of two who share it).
An array with a null counts as null.
Further errors: 2202E for arrays that do not fit together, 22023 for sums other than 1.';

CREATE FUNCTION skillrating.recalibrate_coefficients(
    probability float8,
    outcome float8,
    weight float8 DEFAULT 1,
    played_at timestamptz DEFAULT NULL,
    deviation float8 DEFAULT 0.5,
    half_life_matches float8 DEFAULT 0,
    half_life_days float8 DEFAULT 0,
    side float8 DEFAULT NULL,
    side_deviation float8 DEFAULT 0.5)
RETURNS float8[]
AS 'MODULE_PATHNAME', 'skillrating_recalibrate_coefficients'
LANGUAGE C WINDOW IMMUTABLE PARALLEL SAFE;

COMMENT ON FUNCTION skillrating.recalibrate_coefficients(float8, float8, float8, timestamptz, float8, float8, float8, float8, float8) IS
'The coefficients with which recalibrate() corrects the forecast of the row: {intercept, slope}.
The intercept is in favour of side 1, and applies to rows with a side.  Arguments and errors are those
of recalibrate().';

CREATE FUNCTION skillrating.recalibrate_coefficients(
    probability float8,
    outcome boolean,
    weight float8 DEFAULT 1,
    played_at timestamptz DEFAULT NULL,
    deviation float8 DEFAULT 0.5,
    half_life_matches float8 DEFAULT 0,
    half_life_days float8 DEFAULT 0,
    side float8 DEFAULT NULL,
    side_deviation float8 DEFAULT 0.5)
RETURNS float8[]
AS 'MODULE_PATHNAME', 'skillrating_recalibrate_coefficients'
LANGUAGE C WINDOW IMMUTABLE PARALLEL SAFE;

COMMENT ON FUNCTION skillrating.recalibrate_coefficients(float8, boolean, float8, timestamptz, float8, float8, float8, float8, float8) IS
'As the form with numbers, where outcome is whether it happened.';

CREATE FUNCTION skillrating.recalibrate_coefficients(
    probability float8[],
    outcome float8[],
    weight float8 DEFAULT 1,
    played_at timestamptz DEFAULT NULL,
    deviation float8 DEFAULT 0.5,
    half_life_matches float8 DEFAULT 0,
    half_life_days float8 DEFAULT 0)
RETURNS float8[]
AS 'MODULE_PATHNAME', 'skillrating_recalibrate_coefficients'
LANGUAGE C WINDOW IMMUTABLE PARALLEL SAFE;

COMMENT ON FUNCTION skillrating.recalibrate_coefficients(float8[], float8[], float8, timestamptz, float8, float8, float8) IS
'The same for matches of more than two teams, whose intercept is 0.';

CREATE FUNCTION skillrating.stack(
    probability float8[],
    outcome float8,
    weight float8 DEFAULT 1,
    played_at timestamptz DEFAULT NULL,
    deviation float8 DEFAULT 0.5,
    half_life_matches float8 DEFAULT 0,
    half_life_days float8 DEFAULT 0,
    side float8 DEFAULT NULL,
    side_deviation float8 DEFAULT 0.5)
RETURNS float8
AS 'MODULE_PATHNAME', 'skillrating_stack'
LANGUAGE C WINDOW IMMUTABLE PARALLEL SAFE;

COMMENT ON FUNCTION skillrating.stack(float8[], float8, float8, timestamptz, float8, float8, float8, float8, float8) IS
'Combines the forecasts of up to 16 models into one, by what the rows before it have taught:
ln(q / (1 - q)) = intercept + sum of b_k ln(p_k / (1 - p_k)), with coefficients that are refitted
online.
SELECT *, skillrating.stack(ARRAY[elo, glicko], won) OVER (ORDER BY played_at) ...
probability: the forecasts of all models, in the same order in all rows; an array with a null counts
as null.
deviation: prior standard deviation of each b_k, whose prior mean is 1 / k for k models.
The other arguments and errors are those of recalibrate(), which has one model.
Further errors: 2202E if the number of models varies, 54000 beyond 16.';

CREATE FUNCTION skillrating.stack(
    probability float8[],
    outcome boolean,
    weight float8 DEFAULT 1,
    played_at timestamptz DEFAULT NULL,
    deviation float8 DEFAULT 0.5,
    half_life_matches float8 DEFAULT 0,
    half_life_days float8 DEFAULT 0,
    side float8 DEFAULT NULL,
    side_deviation float8 DEFAULT 0.5)
RETURNS float8
AS 'MODULE_PATHNAME', 'skillrating_stack'
LANGUAGE C WINDOW IMMUTABLE PARALLEL SAFE;

COMMENT ON FUNCTION skillrating.stack(float8[], boolean, float8, timestamptz, float8, float8, float8, float8, float8) IS
'As the form with numbers, where outcome is whether it happened.';

CREATE FUNCTION skillrating.stack(
    probability float8[],
    outcome float8[],
    weight float8 DEFAULT 1,
    played_at timestamptz DEFAULT NULL,
    deviation float8 DEFAULT 0.5,
    half_life_matches float8 DEFAULT 0,
    half_life_days float8 DEFAULT 0)
RETURNS float8[]
AS 'MODULE_PATHNAME', 'skillrating_stack'
LANGUAGE C WINDOW IMMUTABLE PARALLEL SAFE;

COMMENT ON FUNCTION skillrating.stack(float8[], float8[], float8, timestamptz, float8, float8, float8) IS
'The same for matches of more than two teams, a row a match: the b_k multiply the logarithms of the
probabilities, which then add up to 1 again.
probability: an array with two dimensions: a row for each model, with the probability of each team to
win.  outcome: the share of each team in the first place, adding up to 1.
Further errors: those of recalibrate() with arrays.';

CREATE FUNCTION skillrating.stack_coefficients(
    probability float8[],
    outcome float8,
    weight float8 DEFAULT 1,
    played_at timestamptz DEFAULT NULL,
    deviation float8 DEFAULT 0.5,
    half_life_matches float8 DEFAULT 0,
    half_life_days float8 DEFAULT 0,
    side float8 DEFAULT NULL,
    side_deviation float8 DEFAULT 0.5)
RETURNS float8[]
AS 'MODULE_PATHNAME', 'skillrating_stack_coefficients'
LANGUAGE C WINDOW IMMUTABLE PARALLEL SAFE;

COMMENT ON FUNCTION skillrating.stack_coefficients(float8[], float8, float8, timestamptz, float8, float8, float8, float8, float8) IS
'The coefficients with which stack() combines the forecasts of the row: the intercept in favour of
side 1, then b_k of each model.  Arguments and errors are those of stack().';

CREATE FUNCTION skillrating.stack_coefficients(
    probability float8[],
    outcome boolean,
    weight float8 DEFAULT 1,
    played_at timestamptz DEFAULT NULL,
    deviation float8 DEFAULT 0.5,
    half_life_matches float8 DEFAULT 0,
    half_life_days float8 DEFAULT 0,
    side float8 DEFAULT NULL,
    side_deviation float8 DEFAULT 0.5)
RETURNS float8[]
AS 'MODULE_PATHNAME', 'skillrating_stack_coefficients'
LANGUAGE C WINDOW IMMUTABLE PARALLEL SAFE;

COMMENT ON FUNCTION skillrating.stack_coefficients(float8[], boolean, float8, timestamptz, float8, float8, float8, float8, float8) IS
'As the form with numbers, where outcome is whether it happened.';

CREATE FUNCTION skillrating.stack_coefficients(
    probability float8[],
    outcome float8[],
    weight float8 DEFAULT 1,
    played_at timestamptz DEFAULT NULL,
    deviation float8 DEFAULT 0.5,
    half_life_matches float8 DEFAULT 0,
    half_life_days float8 DEFAULT 0)
RETURNS float8[]
AS 'MODULE_PATHNAME', 'skillrating_stack_coefficients'
LANGUAGE C WINDOW IMMUTABLE PARALLEL SAFE;

COMMENT ON FUNCTION skillrating.stack_coefficients(float8[], float8[], float8, timestamptz, float8, float8, float8) IS
'The same for matches of more than two teams, whose intercept is 0.';
-- How well players behave.

CREATE FUNCTION skillrating.score_parameters(
    score text,
    OUT name text,
    OUT type text,
    OUT default_value jsonb,
    OUT min float8,
    OUT max float8,
    OUT choices text[],
    OUT unit text,
    OUT description text)
RETURNS SETOF record
AS 'MODULE_PATHNAME', 'skillrating_score_parameters'
LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE ROWS 8;

COMMENT ON FUNCTION skillrating.score_parameters(text) IS
'The parameters of the score ''behaviour'', see behaviour_score(), one a row, in the order of its
definition, with the columns of model_parameters().
Error 22023 for an unknown score.';

CREATE FUNCTION skillrating_internal.behaviour_score_transition(
    state internal,
    played_at timestamptz,
    reports float8,
    commends float8,
    quits float8)
RETURNS internal
AS 'MODULE_PATHNAME', 'skillrating_behaviour_score_transition'
LANGUAGE C IMMUTABLE PARALLEL SAFE;

COMMENT ON FUNCTION skillrating_internal.behaviour_score_transition(internal, timestamptz, float8, float8, float8) IS
'Transition function of behaviour_score().';

CREATE FUNCTION skillrating_internal.behaviour_score_transition(
    state internal,
    played_at timestamptz,
    reports float8,
    commends float8,
    quits float8,
    as_of timestamptz,
    params jsonb)
RETURNS internal
AS 'MODULE_PATHNAME', 'skillrating_behaviour_score_transition'
LANGUAGE C IMMUTABLE PARALLEL SAFE;

COMMENT ON FUNCTION skillrating_internal.behaviour_score_transition(internal, timestamptz, float8, float8, float8, timestamptz, jsonb) IS
'Transition function of behaviour_score() with options.';

CREATE FUNCTION skillrating_internal.behaviour_score_final(state internal)
RETURNS float8
AS 'MODULE_PATHNAME', 'skillrating_behaviour_score_final'
LANGUAGE C IMMUTABLE PARALLEL SAFE;

COMMENT ON FUNCTION skillrating_internal.behaviour_score_final(internal) IS
'Final function of behaviour_score().';

CREATE AGGREGATE skillrating.behaviour_score(
    played_at timestamptz, reports float8, commends float8, quits float8) (
    SFUNC = skillrating_internal.behaviour_score_transition,
    STYPE = internal,
    FINALFUNC = skillrating_internal.behaviour_score_final,
    FINALFUNC_MODIFY = READ_ONLY,
    PARALLEL = SAFE
);

COMMENT ON AGGREGATE skillrating.behaviour_score(timestamptz, float8, float8, float8) IS
'How well a player behaves, above 0 and below 1 (the best), from a row for each game, which must come
in order of time: behaviour_score(... ORDER BY played_at).  Games at one time count in the order
given; order them by their identifiers, too.

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

CREATE AGGREGATE skillrating.behaviour_score(
    played_at timestamptz, reports float8, commends float8, quits float8, as_of timestamptz,
    params jsonb) (
    SFUNC = skillrating_internal.behaviour_score_transition,
    STYPE = internal,
    FINALFUNC = skillrating_internal.behaviour_score_final,
    FINALFUNC_MODIFY = READ_ONLY,
    PARALLEL = SAFE
);

COMMENT ON AGGREGATE skillrating.behaviour_score(timestamptz, float8, float8, float8, timestamptz, jsonb) IS
'behaviour_score() at a time, from the games up to then, and with parameters; both are taken from the
first row.

as_of: null for the time of the last game.
params: those of score_parameters(''behaviour''): half_life_days (90), half_life_games (50), 0 for no such forgiveness; prior_score (0.9),
prior_games (10), report_weight (1), max_reports (3), commend_weight (0.25), quit_weight (2).
Errors: as the other behaviour_score(), and 22023 for unknown or unsound parameters.';
-- Rating whole histories in a query.

CREATE TYPE skillrating.final_rating AS (
    player_id text,
    pool text,
    rating float8,
    mu float8,
    deviation float8,
    games bigint,
    wins bigint,
    draws bigint,
    losses bigint,
    last_played timestamptz,
    state float8[],
    as_of timestamptz,
    as_of_season bigint);

COMMENT ON TYPE skillrating.final_rating IS
'Result of final_ratings() for a player at the end of a history, from which another history can
start.
player_id: the identifier as text.  pool: '''' by default.
rating: the displayed rating.  mu: the first state column of the model (rating, mu or skill).
deviation: of mu; null under models without one.
games: rated matches; wins (sole first), draws (shared first) and losses.
last_played: the time of the last rated match; null without times.  With periods it is so many days
after 2000-01-01 00:00 UTC.
state: the whole state, in the order of state_columns in models().
as_of: the time as of which the state is: that of the last match, or of a season that began later.
as_of_season: that which the history has reached, the same for all players; null without seasons.';

CREATE FUNCTION skillrating.starting_rating(
    player_id anycompatible,
    mu float8 DEFAULT NULL,
    deviation float8 DEFAULT NULL,
    state float8[] DEFAULT NULL,
    pool text DEFAULT '',
    games bigint DEFAULT 0,
    last_played timestamptz DEFAULT NULL,
    as_of_season bigint DEFAULT NULL)
RETURNS skillrating.final_rating
AS 'MODULE_PATHNAME', 'skillrating_starting_rating'
LANGUAGE C STABLE PARALLEL SAFE;

COMMENT ON FUNCTION skillrating.starting_rating(anycompatible, float8, float8, float8[], text, bigint, timestamptz, bigint) IS
'Where a player starts: an element of the argument start of rate() and final_ratings(), such as
start => (SELECT array_agg(skillrating.starting_rating(club, elo)) FROM last_year)
mu: the first state column of the model.  deviation: of mu, under models with one.
state: the state columns instead, in the order of state_columns in models(), such as state_after of
rate().  Columns that are null or left out are those of a player who has not played.
games: rated matches so far.  last_played: the time of the last one, from which idle time counts.
as_of_season: the season as of which the state is, so that a match of a later one begins a new one;
a history begins in the latest of all that are given.
The other columns are null.  Whether a state is sound is checked where a history starts from it.';

CREATE TYPE skillrating.final_component AS (
    kind text,
    pool text,
    key text,
    player_id text,
    mu float8,
    deviation float8,
    games bigint,
    last_played timestamptz,
    state float8[],
    as_of timestamptz);

COMMENT ON TYPE skillrating.final_component IS
'Result of final_components() for a component at the end of a history, from which another history
can start.
kind: a name of model_components().  pool: '''' by default.
key: the context or the club, null for a kind that goes by neither.
player_id: the identifier as text, of a kind that belongs to players, else null.
mu, deviation: the first state column of the kind, as a rule its mean in units of the skill, and
the deviation of that.
games: rated matches in which it took part.  last_played: as that of final_rating.
state: the whole state, in the order of state_columns in model_components().
as_of: the time as of which the state is, as that of final_rating.';

CREATE TYPE skillrating.rated AS (
    rating_before float8,
    rating_after float8,
    mu_before float8,
    mu_after float8,
    deviation_before float8,
    deviation_after float8,
    games_before bigint,
    score float8,
    win_probability float8,
    sole_win_probability float8,
    draw_probability float8,
    loss_probability float8,
    first_probability float8,
    state_before float8[],
    state_after float8[],
    unrated_reason text,
    unrated_detail text);

COMMENT ON TYPE skillrating.rated IS
'Result of rate() for a participant of a match.
rating_before, rating_after: the displayed rating, as leaderboards sort it.
mu_before, mu_after: the first state column of the model (rating, mu or skill).
deviation_before, deviation_after: the deviation of mu; null under models without one.
games_before: rated matches of the player before this one.
score: of the team of the row: 1 won, 0.5 drew, 0 lost; null if the match was not rated.
win_probability: predicted for that team, 0 to 1, a draw counts half; null if nothing was predicted.
sole_win_probability, draw_probability, loss_probability: the three outcomes of two teams.  They add
up to 1, and the first with half of the second to win_probability.  Null for more teams, and under
models that do not say how probable draws are (see predict()).
first_probability: of more than two teams, that this one comes first, alone or by its share of a
shared first place; null for two.
state_before, state_after: the whole state, in the order of state_columns in models().
unrated_reason: why the match was not rated, a code of unrated_reasons(); null if it was.  A match
with no_result has predictions, and the states with which its players would go into it.
unrated_detail: the same in words, with the value that is wrong.  A row without a player has
nothing but these two.';

CREATE FUNCTION skillrating.rate(
    model text,
    player_id anyelement,
    team integer,
    rank float8 DEFAULT NULL,
    weight float8 DEFAULT NULL,
    played_at timestamptz DEFAULT NULL,
    score float8 DEFAULT NULL,
    won boolean DEFAULT NULL,
    joined float8 DEFAULT NULL,
    "left" float8 DEFAULT NULL,
    commanding float8 DEFAULT NULL,
    side float8 DEFAULT NULL,
    squad float8 DEFAULT NULL,
    kills float8 DEFAULT NULL,
    deaths float8 DEFAULT NULL,
    quit boolean DEFAULT NULL,
    experience float8 DEFAULT NULL,
    pool text DEFAULT NULL,
    log_odds float8 DEFAULT NULL,
    gain float8 DEFAULT NULL,
    unrated_reason text DEFAULT NULL,
    period bigint DEFAULT NULL,
    context text DEFAULT NULL,
    club text DEFAULT NULL,
    season bigint DEFAULT NULL,
    params jsonb DEFAULT NULL,
    strict boolean DEFAULT false,
    start skillrating.final_rating[] DEFAULT NULL,
    start_components skillrating.final_component[] DEFAULT NULL,
    season_keep float8 DEFAULT 0.5,
    season_mean float8 DEFAULT NULL)
RETURNS skillrating.rated
AS 'MODULE_PATHNAME', 'skillrating_rate'
LANGUAGE C WINDOW IMMUTABLE PARALLEL SAFE;

COMMENT ON FUNCTION skillrating.rate(text, anyelement, integer, float8, float8, timestamptz, float8, boolean, float8, float8, float8, float8, float8, float8, float8, boolean, float8, text, float8, float8, text, bigint, text, text, bigint, jsonb, boolean, skillrating.final_rating[], skillrating.final_component[], float8, float8) IS
'Rates a history of matches in a query, without a table of its own:
SELECT *, skillrating.rate(''elo'', player_id, team, rank) OVER (ORDER BY played_at, match_id) ...
A row is a participant of a match, or one stint of a participant.  Rows that are equal under
ORDER BY are one match, in any order among themselves; PARTITION BY starts afresh.
model: one of models().  params: an object of the parameters that differ from their defaults.
strict: make a mistake in a match an error.
start: where players start who do not start from the initial state: the result of final_ratings(),
or an array of starting_rating().  Going on from final_ratings() of earlier matches gives, bit for
bit, what all matches together give, except under synelo with strict, which looks back on matches.
start_components: the same of components, the result of final_components().  Kinds that the
parameters do not use take part in nothing.
season_keep, season_mean: what a new season keeps, see season.
All these are read from the first row of a partition.
player_id: of any type that can be hashed and ordered.  team: any number.
rank: of the team, 1 or more; 1 is best, equal ranks are a draw.  Without rank the score decides
(high is best), and without that won.
The other arguments, best given by name, mean what source_columns() says.  With played_at the
models count idle time, in the order of the window; pool separates ratings within a partition.
period: an ordinal in place of played_at, such as the number of a season or a round.  From one to
the next is a day to the parameters of the model: with 1 for the period of glicko and glicko2 it is
a rating period, and a drift is one per square root of a season.
season: an ordinal, the same in all rows of a match, which must not fall from match to match.  With
the first rated match of another season all players keep the share season_keep, 0 to 1, of their
distance from season_mean in the first state column, and from the initial value in the others, as
by new_season() at that time; deviations so that variances do.  season_mean null is the initial
value, too.  Who is absent for two seasons takes this step twice.
A match without a result (neither rank, score nor won) is predicted from the states with which its
players would go into it, in its season, and changes nothing.
Memory: the states of the players, and one match.  The results equal, bit for bit, those of a
ladder with the same matches in the same order.  A match that does not count, such as one with a
single team or with a mistake in its rows, changes nothing and gives its reason.  A match without a
time after others that have one is such a mistake.
Errors: 42P20 without ORDER BY or with a frame clause, 22004 for a null model or strict, 22023 and
22003 for invalid parameters, 22023 for a history with both played_at and period; in start 22004 for
nulls, 22P02 for a player_id that is not of the type, 22023 for a player who occurs twice, 2202E for
too many state columns, 22003 for unsound states and 22008 for infinite times; in start_components
the same, and 22023 for a kind that the model does not have; where strict, for
mistakes in rows 22004 for nulls, 22023, 22003, and 22008 for an infinite played_at.';

CREATE TYPE skillrating.rated_participants AS (
    rating_before float8[],
    rating_after float8[],
    mu_before float8[],
    mu_after float8[],
    deviation_before float8[],
    deviation_after float8[],
    games_before bigint[],
    score float8[],
    win_probability float8[],
    sole_win_probability float8[],
    loss_probability float8[],
    first_probability float8[],
    state_before float8[],
    state_after float8[],
    draw_probability float8,
    unrated_reason text,
    unrated_detail text);

COMMENT ON TYPE skillrating.rated_participants IS
'Result of rate_match() for a match: the columns of rated, each as an array with an element for each
element of players, in their order.
state_before, state_after: arrays of two dimensions, by participant and by column of the state.
draw_probability, unrated_reason, unrated_detail: of the match.
A column is null as a whole where that of rated is null.  If an element of players is null the match
is not rated, and all arrays are null.';

CREATE FUNCTION skillrating.rate_match(
    model text,
    players anyarray,
    team integer[],
    rank float8[] DEFAULT NULL,
    weight float8[] DEFAULT NULL,
    played_at timestamptz DEFAULT NULL,
    score float8[] DEFAULT NULL,
    won boolean[] DEFAULT NULL,
    joined float8[] DEFAULT NULL,
    "left" float8[] DEFAULT NULL,
    commanding float8[] DEFAULT NULL,
    side float8[] DEFAULT NULL,
    squad float8[] DEFAULT NULL,
    kills float8[] DEFAULT NULL,
    deaths float8[] DEFAULT NULL,
    quit boolean[] DEFAULT NULL,
    experience float8[] DEFAULT NULL,
    pool text DEFAULT NULL,
    log_odds float8 DEFAULT NULL,
    gain float8[] DEFAULT NULL,
    unrated_reason text DEFAULT NULL,
    period bigint DEFAULT NULL,
    context text[] DEFAULT NULL,
    club text[] DEFAULT NULL,
    season bigint DEFAULT NULL,
    params jsonb DEFAULT NULL,
    strict boolean DEFAULT false,
    start skillrating.final_rating[] DEFAULT NULL,
    start_components skillrating.final_component[] DEFAULT NULL,
    season_keep float8 DEFAULT 0.5,
    season_mean float8 DEFAULT NULL)
RETURNS skillrating.rated_participants
AS 'MODULE_PATHNAME', 'skillrating_rate_match'
LANGUAGE C WINDOW IMMUTABLE PARALLEL SAFE;

COMMENT ON FUNCTION skillrating.rate_match(text, anyarray, integer[], float8[], float8[], timestamptz, float8[], boolean[], float8[], float8[], float8[], float8[], float8[], float8[], float8[], boolean[], float8[], text, float8, float8[], text, bigint, text[], text[], bigint, jsonb, boolean, skillrating.final_rating[], skillrating.final_component[], float8, float8) IS
'rate() for tables with a row for each match, whose players are arrays:
SELECT *, skillrating.rate_match(''elo'', players, team, rank) OVER (ORDER BY played_at, match_id) ...
The results are, bit for bit, those of rate() over the same participants, for matches of twelve in less
than half of the time.
players: an array of any type that can be hashed and ordered.  team, rank and the other arrays have
an element for each element of players; an array or an element that is null is not known.
All other arguments, and what the results mean, are those of rate().  No two matches of a partition
may be equal under ORDER BY.
Errors: those of rate(), 2202E for arrays of several dimensions or of other lengths than players,
and 22023 for a match that is equal to the one before under ORDER BY.';

CREATE TYPE skillrating.inputs AS (
    weight float8,
    played_at timestamptz,
    score float8,
    won boolean,
    joined float8,
    "left" float8,
    commanding float8,
    side float8,
    squad float8,
    kills float8,
    deaths float8,
    quit boolean,
    experience float8,
    pool text,
    log_odds float8,
    gain float8,
    unrated_reason text,
    period bigint,
    context text,
    club text,
    season bigint);

COMMENT ON TYPE skillrating.inputs IS
'Optional facts about a participant, for aggregates over matches, made by the function inputs().
The columns mean what source_columns() says; null is unknown.  context is where or as what was
played (a map, a mode, a hero), and may differ in a match: models with components learn what it is
worth.  solve() estimates how much it favours a side, for which it must be that of the match.
period: as in rate(), an ordinal in place of played_at.  Times in results are then so many days
after 2000-01-01 00:00 UTC.
season: as in rate(), an ordinal, which only final_ratings() uses.';

CREATE FUNCTION skillrating.inputs(
    weight float8 DEFAULT NULL,
    played_at timestamptz DEFAULT NULL,
    score float8 DEFAULT NULL,
    won boolean DEFAULT NULL,
    joined float8 DEFAULT NULL,
    "left" float8 DEFAULT NULL,
    commanding float8 DEFAULT NULL,
    side float8 DEFAULT NULL,
    squad float8 DEFAULT NULL,
    kills float8 DEFAULT NULL,
    deaths float8 DEFAULT NULL,
    quit boolean DEFAULT NULL,
    experience float8 DEFAULT NULL,
    pool text DEFAULT NULL,
    log_odds float8 DEFAULT NULL,
    gain float8 DEFAULT NULL,
    unrated_reason text DEFAULT NULL,
    period bigint DEFAULT NULL,
    context text DEFAULT NULL,
    club text DEFAULT NULL,
    season bigint DEFAULT NULL)
RETURNS skillrating.inputs
AS 'MODULE_PATHNAME', 'skillrating_inputs'
LANGUAGE C IMMUTABLE PARALLEL SAFE;

COMMENT ON FUNCTION skillrating.inputs(float8, timestamptz, float8, boolean, float8, float8, float8, float8, float8, float8, float8, boolean, float8, text, float8, float8, text, bigint, text, text, bigint) IS
'Collects by name what an aggregate is told of a participant besides player_id, team and rank:
skillrating.inputs(played_at => played_at, score => goals).
Units and ranges of all arguments are those of source_columns(); period and season are those of
rate().';

CREATE FUNCTION skillrating_internal.number_inputs(
    weight float8 DEFAULT NULL,
    played_at timestamptz DEFAULT NULL,
    score float8 DEFAULT NULL,
    won boolean DEFAULT NULL,
    joined float8 DEFAULT NULL,
    "left" float8 DEFAULT NULL,
    commanding float8 DEFAULT NULL,
    side float8 DEFAULT NULL,
    squad float8 DEFAULT NULL,
    kills float8 DEFAULT NULL,
    deaths float8 DEFAULT NULL,
    quit boolean DEFAULT NULL,
    experience float8 DEFAULT NULL,
    log_odds float8 DEFAULT NULL,
    gain float8 DEFAULT NULL)
RETURNS skillrating.inputs
AS 'MODULE_PATHNAME', 'skillrating_number_inputs'
LANGUAGE C IMMUTABLE PARALLEL SAFE;

COMMENT ON FUNCTION skillrating_internal.number_inputs(float8, timestamptz, float8, boolean, float8, float8, float8, float8, float8, float8, float8, boolean, float8, float8, float8) IS
'inputs() without period, season and its text arguments.  postgres_fdw does not send a function to a remote
server if all its text arguments are constants, as the defaults of inputs() are; it sends this one.';

CREATE FUNCTION skillrating_internal.final_ratings_transition(internal, text, anycompatible, anyelement, integer, float8)
RETURNS internal
AS 'MODULE_PATHNAME', 'skillrating_final_ratings_transition'
LANGUAGE C IMMUTABLE PARALLEL SAFE;

COMMENT ON FUNCTION skillrating_internal.final_ratings_transition(internal, text, anycompatible, anyelement, integer, float8) IS
'Transition function of final_ratings().';

CREATE FUNCTION skillrating_internal.final_ratings_transition(internal, text, anycompatible, anyelement, integer, float8, jsonb)
RETURNS internal
AS 'MODULE_PATHNAME', 'skillrating_final_ratings_transition'
LANGUAGE C IMMUTABLE PARALLEL SAFE;

COMMENT ON FUNCTION skillrating_internal.final_ratings_transition(internal, text, anycompatible, anyelement, integer, float8, jsonb) IS
'Transition function of final_ratings().';

CREATE FUNCTION skillrating_internal.final_ratings_transition(internal, text, anycompatible, anyelement, integer, float8, skillrating.inputs, jsonb)
RETURNS internal
AS 'MODULE_PATHNAME', 'skillrating_final_ratings_transition'
LANGUAGE C IMMUTABLE PARALLEL SAFE;

COMMENT ON FUNCTION skillrating_internal.final_ratings_transition(internal, text, anycompatible, anyelement, integer, float8, skillrating.inputs, jsonb) IS
'Transition function of final_ratings().';

CREATE FUNCTION skillrating_internal.final_ratings_transition(internal, text, anycompatible, anyelement, integer, float8, skillrating.inputs, jsonb, boolean)
RETURNS internal
AS 'MODULE_PATHNAME', 'skillrating_final_ratings_transition'
LANGUAGE C IMMUTABLE PARALLEL SAFE;

COMMENT ON FUNCTION skillrating_internal.final_ratings_transition(internal, text, anycompatible, anyelement, integer, float8, skillrating.inputs, jsonb, boolean) IS
'Transition function of final_ratings().';

CREATE FUNCTION skillrating_internal.final_ratings_transition(internal, text, anycompatible, anyelement, integer, float8, skillrating.inputs, jsonb, boolean, skillrating.final_rating[])
RETURNS internal
AS 'MODULE_PATHNAME', 'skillrating_final_ratings_transition'
LANGUAGE C IMMUTABLE PARALLEL SAFE;

COMMENT ON FUNCTION skillrating_internal.final_ratings_transition(internal, text, anycompatible, anyelement, integer, float8, skillrating.inputs, jsonb, boolean, skillrating.final_rating[]) IS
'Transition function of final_ratings().';

CREATE FUNCTION skillrating_internal.final_ratings_transition(internal, text, anycompatible, anyelement, integer, float8, skillrating.inputs, jsonb, boolean, skillrating.final_rating[], skillrating.final_component[], float8, float8)
RETURNS internal
AS 'MODULE_PATHNAME', 'skillrating_final_ratings_transition'
LANGUAGE C IMMUTABLE PARALLEL SAFE;

COMMENT ON FUNCTION skillrating_internal.final_ratings_transition(internal, text, anycompatible, anyelement, integer, float8, skillrating.inputs, jsonb, boolean, skillrating.final_rating[], skillrating.final_component[], float8, float8) IS
'Transition function of final_ratings().';

CREATE FUNCTION skillrating_internal.final_ratings_final(internal)
RETURNS skillrating.final_rating[]
AS 'MODULE_PATHNAME', 'skillrating_final_ratings_final'
LANGUAGE C IMMUTABLE PARALLEL SAFE;

COMMENT ON FUNCTION skillrating_internal.final_ratings_final(internal) IS
'Final function of final_ratings().';

CREATE AGGREGATE skillrating.final_ratings(model text, match_id anycompatible, player_id anyelement, team integer, rank float8) (
    SFUNC = skillrating_internal.final_ratings_transition,
    STYPE = internal,
    FINALFUNC = skillrating_internal.final_ratings_final,
    FINALFUNC_MODIFY = READ_WRITE,
    PARALLEL = SAFE
);

COMMENT ON AGGREGATE skillrating.final_ratings(text, anycompatible, anyelement, integer, float8) IS
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
54000 for a copy beyond 1 GB, 53200 beyond the memory limit, and those of rate().';

CREATE AGGREGATE skillrating.final_ratings(model text, match_id anycompatible, player_id anyelement, team integer, rank float8, params jsonb) (
    SFUNC = skillrating_internal.final_ratings_transition,
    STYPE = internal,
    FINALFUNC = skillrating_internal.final_ratings_final,
    FINALFUNC_MODIFY = READ_WRITE,
    PARALLEL = SAFE
);

COMMENT ON AGGREGATE skillrating.final_ratings(text, anycompatible, anyelement, integer, float8, jsonb) IS
'As the form with five arguments, with params, an object of the parameters of the model that
differ from their defaults (see model_parameters()), read from the first row.';

CREATE AGGREGATE skillrating.final_ratings(model text, match_id anycompatible, player_id anyelement, team integer, rank float8, inputs skillrating.inputs, params jsonb) (
    SFUNC = skillrating_internal.final_ratings_transition,
    STYPE = internal,
    FINALFUNC = skillrating_internal.final_ratings_final,
    FINALFUNC_MODIFY = READ_WRITE,
    PARALLEL = SAFE
);

COMMENT ON AGGREGATE skillrating.final_ratings(text, anycompatible, anyelement, integer, float8, skillrating.inputs, jsonb) IS
'As the form with six arguments, with inputs, made by inputs(): times, scores, stints, sides and
other facts about a participant; null is nothing known.';

CREATE AGGREGATE skillrating.final_ratings(model text, match_id anycompatible, player_id anyelement, team integer, rank float8, inputs skillrating.inputs, params jsonb, strict boolean) (
    SFUNC = skillrating_internal.final_ratings_transition,
    STYPE = internal,
    FINALFUNC = skillrating_internal.final_ratings_final,
    FINALFUNC_MODIFY = READ_WRITE,
    PARALLEL = SAFE
);

COMMENT ON AGGREGATE skillrating.final_ratings(text, anycompatible, anyelement, integer, float8, skillrating.inputs, jsonb, boolean) IS
'As the form with seven arguments, of which inputs and params may be null, with strict, read from
the first row: whether a mistake in a match is an error.';

CREATE AGGREGATE skillrating.final_ratings(model text, match_id anycompatible, player_id anyelement, team integer, rank float8, inputs skillrating.inputs, params jsonb, strict boolean, start skillrating.final_rating[]) (
    SFUNC = skillrating_internal.final_ratings_transition,
    STYPE = internal,
    FINALFUNC = skillrating_internal.final_ratings_final,
    FINALFUNC_MODIFY = READ_WRITE,
    PARALLEL = SAFE
);

COMMENT ON AGGREGATE skillrating.final_ratings(text, anycompatible, anyelement, integer, float8, skillrating.inputs, jsonb, boolean, skillrating.final_rating[]) IS
'As the form with eight arguments, with start, which is that of rate(), read from the first row: where
players start.  Those who do not play are in the result, too.';

CREATE AGGREGATE skillrating.final_ratings(model text, match_id anycompatible, player_id anyelement, team integer, rank float8, inputs skillrating.inputs, params jsonb, strict boolean, start skillrating.final_rating[], start_components skillrating.final_component[], season_keep float8, season_mean float8) (
    SFUNC = skillrating_internal.final_ratings_transition,
    STYPE = internal,
    FINALFUNC = skillrating_internal.final_ratings_final,
    FINALFUNC_MODIFY = READ_WRITE,
    PARALLEL = SAFE
);

COMMENT ON AGGREGATE skillrating.final_ratings(text, anycompatible, anyelement, integer, float8, skillrating.inputs, jsonb, boolean, skillrating.final_rating[], skillrating.final_component[], float8, float8) IS
'As the form with nine arguments, of which start may be null, with start_components, season_keep
(null: 0.5) and season_mean (null: the initial value), which are those of rate(), read from the
first row: where components start, and what a new season keeps, where inputs() has the season.';
-- What models have learned of components at the end of a history.

CREATE FUNCTION skillrating_internal.final_components_final(internal)
RETURNS skillrating.final_component[]
AS 'MODULE_PATHNAME', 'skillrating_final_components_final'
LANGUAGE C IMMUTABLE PARALLEL SAFE;

COMMENT ON FUNCTION skillrating_internal.final_components_final(internal) IS
'Final function of final_components().';

CREATE AGGREGATE skillrating.final_components(model text, match_id anycompatible, player_id anyelement, team integer, rank float8, inputs skillrating.inputs, params jsonb) (
    SFUNC = skillrating_internal.final_ratings_transition,
    STYPE = internal,
    FINALFUNC = skillrating_internal.final_components_final,
    FINALFUNC_MODIFY = READ_WRITE,
    PARALLEL = SAFE
);

COMMENT ON AGGREGATE skillrating.final_components(text, anycompatible, anyelement, integer, float8, skillrating.inputs, jsonb) IS
'What a model has learned, at the end of a history of matches, of components: of home advantage,
maps, clubs, players on a map, as model_components() lists them.  The arguments are those of
final_ratings(), and the states those with which final_ratings() and rate() rate:
SELECT c.* FROM (SELECT skillrating.final_components(''state_space'', match_id, player_id, team,
rank, skillrating.inputs(side => side, context => map, club => club), NULL ORDER BY played_at,
match_id) AS components FROM ...) AS q, unnest(q.components) AS c
Sorted by kind, in the order of model_components(), pool, key and player_id.
Null without rows; an empty array under a model without components.  Errors: those of
final_ratings().';

CREATE AGGREGATE skillrating.final_components(model text, match_id anycompatible, player_id anyelement, team integer, rank float8, inputs skillrating.inputs, params jsonb, strict boolean) (
    SFUNC = skillrating_internal.final_ratings_transition,
    STYPE = internal,
    FINALFUNC = skillrating_internal.final_components_final,
    FINALFUNC_MODIFY = READ_WRITE,
    PARALLEL = SAFE
);

COMMENT ON AGGREGATE skillrating.final_components(text, anycompatible, anyelement, integer, float8, skillrating.inputs, jsonb, boolean) IS
'As the form with seven arguments, of which inputs and params may be null, with strict, read from
the first row: whether a mistake in a match is an error.';

CREATE AGGREGATE skillrating.final_components(model text, match_id anycompatible, player_id anyelement, team integer, rank float8, inputs skillrating.inputs, params jsonb, strict boolean, start skillrating.final_rating[], start_components skillrating.final_component[], season_keep float8, season_mean float8) (
    SFUNC = skillrating_internal.final_ratings_transition,
    STYPE = internal,
    FINALFUNC = skillrating_internal.final_components_final,
    FINALFUNC_MODIFY = READ_WRITE,
    PARALLEL = SAFE
);

COMMENT ON AGGREGATE skillrating.final_components(text, anycompatible, anyelement, integer, float8, skillrating.inputs, jsonb, boolean, skillrating.final_rating[], skillrating.final_component[], float8, float8) IS
'As the form with eight arguments, with where players and components start, and what a new season
keeps: as the form of final_ratings() with twelve arguments.';
-- Predicting and rating one match under the Hive model.

CREATE FUNCTION skillrating_internal.hive_win_probability_transition(float8[], float8, integer, float8)
RETURNS float8[]
AS 'MODULE_PATHNAME', 'skillrating_hive_win_probability_transition'
LANGUAGE C IMMUTABLE PARALLEL SAFE;

COMMENT ON FUNCTION skillrating_internal.hive_win_probability_transition(float8[], float8, integer, float8) IS
'Transition function of hive_win_probability(skill, side, weight).  State: weight, signed skill,
side offset, command weight, signed command skill, rows, log-odds.';

CREATE FUNCTION skillrating_internal.hive_win_probability_transition(float8[], skillrating.hive_state, integer, skillrating.inputs)
RETURNS float8[]
AS 'MODULE_PATHNAME', 'skillrating_hive_win_probability_inputs_transition'
LANGUAGE C IMMUTABLE PARALLEL SAFE;

COMMENT ON FUNCTION skillrating_internal.hive_win_probability_transition(float8[], skillrating.hive_state, integer, skillrating.inputs) IS
'Transition function of hive_win_probability(state, side, inputs).  State: weight, signed skill,
side offset, command weight, signed command skill, rows, log-odds.';

CREATE FUNCTION skillrating_internal.hive_win_probability_combine(float8[], float8[])
RETURNS float8[]
AS 'MODULE_PATHNAME', 'skillrating_hive_win_probability_combine'
LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;

COMMENT ON FUNCTION skillrating_internal.hive_win_probability_combine(float8[], float8[]) IS
'Merges two states of hive_win_probability().';

CREATE FUNCTION skillrating_internal.hive_win_probability_final(float8[])
RETURNS float8
AS 'MODULE_PATHNAME', 'skillrating_hive_win_probability_final'
LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;

COMMENT ON FUNCTION skillrating_internal.hive_win_probability_final(float8[]) IS
'The probability of a state of hive_win_probability(), or null if nobody played.';

CREATE AGGREGATE skillrating.hive_win_probability(skill float8, side integer, weight float8) (
    SFUNC = skillrating_internal.hive_win_probability_transition,
    STYPE = float8[],
    INITCOND = '{0,0,0,0,0,0,0}',
    FINALFUNC = skillrating_internal.hive_win_probability_final,
    COMBINEFUNC = skillrating_internal.hive_win_probability_combine,
    PARALLEL = SAFE
);

COMMENT ON AGGREGATE skillrating.hive_win_probability(float8, integer, float8) IS
'Probability that side 1 wins, 0 to 1, from the players of a match; one row for each player or for
each stint.  Its log-odds are the difference of the weighted skills over the total weight.
skill: in log-odds.  side: 1 or 2.
weight: play time, 0 or more: a share of the match, or hive_weight().
Rows with a null are no players; null if nobody played.
Errors: 22023 for another side, 22003 for a number that is not finite or a negative weight.
Source: A Skill Ranking System for Natural Selection 2.';

CREATE AGGREGATE skillrating.hive_win_probability(state skillrating.hive_state, side integer, inputs skillrating.inputs) (
    SFUNC = skillrating_internal.hive_win_probability_transition,
    STYPE = float8[],
    INITCOND = '{0,0,0,0,0,0,0}',
    FINALFUNC = skillrating_internal.hive_win_probability_final,
    COMBINEFUNC = skillrating_internal.hive_win_probability_combine,
    PARALLEL = SAFE
);

COMMENT ON AGGREGATE skillrating.hive_win_probability(skillrating.hive_state, integer, skillrating.inputs) IS
'As the form with skill, side and weight, with side offsets, commanders and context.  The log-odds
are the difference of the weighted skills over the total weight of play, plus that of the command
skills over the total weight of commanding (no term if nobody commanded), plus log_odds.
state: made by hive_state().  side: 1 or 2.
inputs: made by inputs(), may be null; of its columns these count:
weight: share of the match, 0 or more; without it joined and left (seconds from the start) weigh as
in hive_weight() under the default median_round, and without those the weight is 1.
commanding: share of the row spent commanding, 0 to 1, or seconds of the stint if more than 1; it
is not play.
log_odds: of the context (map, size) in favour of side 1, the same in all rows; 0 by default.
Rows without state or side are no players; null if nobody played.
Errors: 22004 for a null in a state and for joined without left, 22023 for another side, numbers
out of range and log_odds that vary, 22003 for numbers that are not finite.';

CREATE FUNCTION skillrating_internal.hive_update_transition(internal, anyelement, skillrating.hive_state, integer, float8)
RETURNS internal
AS 'MODULE_PATHNAME', 'skillrating_hive_update_transition'
LANGUAGE C IMMUTABLE PARALLEL SAFE;

COMMENT ON FUNCTION skillrating_internal.hive_update_transition(internal, anyelement, skillrating.hive_state, integer, float8) IS
'Transition function of hive_update().';

CREATE FUNCTION skillrating_internal.hive_update_transition(internal, anyelement, skillrating.hive_state, integer, float8, skillrating.inputs)
RETURNS internal
AS 'MODULE_PATHNAME', 'skillrating_hive_update_transition'
LANGUAGE C IMMUTABLE PARALLEL SAFE;

COMMENT ON FUNCTION skillrating_internal.hive_update_transition(internal, anyelement, skillrating.hive_state, integer, float8, skillrating.inputs) IS
'Transition function of hive_update().';

CREATE FUNCTION skillrating_internal.hive_update_transition(internal, anyelement, skillrating.hive_state, integer, float8, skillrating.inputs, jsonb)
RETURNS internal
AS 'MODULE_PATHNAME', 'skillrating_hive_update_transition'
LANGUAGE C IMMUTABLE PARALLEL SAFE;

COMMENT ON FUNCTION skillrating_internal.hive_update_transition(internal, anyelement, skillrating.hive_state, integer, float8, skillrating.inputs, jsonb) IS
'Transition function of hive_update().';

CREATE FUNCTION skillrating_internal.hive_update_transition(internal, anyelement, skillrating.hive_state, integer, float8, skillrating.inputs, jsonb, boolean)
RETURNS internal
AS 'MODULE_PATHNAME', 'skillrating_hive_update_transition'
LANGUAGE C IMMUTABLE PARALLEL SAFE;

COMMENT ON FUNCTION skillrating_internal.hive_update_transition(internal, anyelement, skillrating.hive_state, integer, float8, skillrating.inputs, jsonb, boolean) IS
'Transition function of hive_update().';

CREATE FUNCTION skillrating_internal.hive_update_final(internal)
RETURNS skillrating.hive_rating[]
AS 'MODULE_PATHNAME', 'skillrating_hive_update_final'
LANGUAGE C IMMUTABLE PARALLEL SAFE;

COMMENT ON FUNCTION skillrating_internal.hive_update_final(internal) IS
'Final function of hive_update().';

CREATE AGGREGATE skillrating.hive_update(player_id anyelement, state skillrating.hive_state, side integer, score float8) (
    SFUNC = skillrating_internal.hive_update_transition,
    STYPE = internal,
    FINALFUNC = skillrating_internal.hive_update_final,
    PARALLEL = SAFE
);

COMMENT ON AGGREGATE skillrating.hive_update(anyelement, skillrating.hive_state, integer, float8) IS
'The players of a match after it, all of whom played it in full:
SELECT u.* FROM (SELECT skillrating.hive_update(player_id, skillrating.hive_state(skill => skill),
side, score) AS players FROM ...) AS q, unnest(q.players) AS u
player_id: of any type that can be hashed and ordered.
state: of the player before the match, made by hive_state().
side: 1 or 2.  score: of the side, 1 won, 0.5 drew, 0 lost; the same in all its rows.
A player with several stints has several rows with the same state.
The result has one element a player, in the order of the first row of each.
Null for a match that does not count: without two sides that played, or with a mistake in its rows,
such as a null, a number out of range, rows that contradict each other, a player on both sides at
once or more than 10000 rows.  Such a match keeps no other from being rated; rate() says what is
wrong, and the form with strict raises an error.';

CREATE AGGREGATE skillrating.hive_update(player_id anyelement, state skillrating.hive_state, side integer, score float8, inputs skillrating.inputs) (
    SFUNC = skillrating_internal.hive_update_transition,
    STYPE = internal,
    FINALFUNC = skillrating_internal.hive_update_final,
    PARALLEL = SAFE
);

COMMENT ON AGGREGATE skillrating.hive_update(anyelement, skillrating.hive_state, integer, float8, skillrating.inputs) IS
'As the form with four arguments, with inputs, made by inputs(); null is nothing known.  They mean
what source_columns() says, and those that the model takes into account count: weight, or joined
and left; commanding; gain; log_odds of the match.  side and score are those of the arguments.
Null if unrated_reason is not null.
With several stints, play and commanding add up: hence one row with weight => 1 and one with
weight => 0.5, commanding => 1 is a player who played all the match and commanded with weight 0.5.';

CREATE AGGREGATE skillrating.hive_update(player_id anyelement, state skillrating.hive_state, side integer, score float8, inputs skillrating.inputs, params jsonb) (
    SFUNC = skillrating_internal.hive_update_transition,
    STYPE = internal,
    FINALFUNC = skillrating_internal.hive_update_final,
    PARALLEL = SAFE
);

COMMENT ON AGGREGATE skillrating.hive_update(anyelement, skillrating.hive_state, integer, float8, skillrating.inputs, jsonb) IS
'As the form with five arguments, with params, an object of the parameters of the model that differ
from their defaults (see model_parameters(''hive'')), read from the first row.';

CREATE AGGREGATE skillrating.hive_update(player_id anyelement, state skillrating.hive_state, side integer, score float8, inputs skillrating.inputs, params jsonb, strict boolean) (
    SFUNC = skillrating_internal.hive_update_transition,
    STYPE = internal,
    FINALFUNC = skillrating_internal.hive_update_final,
    PARALLEL = SAFE
);

COMMENT ON AGGREGATE skillrating.hive_update(anyelement, skillrating.hive_state, integer, float8, skillrating.inputs, jsonb, boolean) IS
'As the form with six arguments, of which inputs and params may be null, with strict, read from the
first row: whether a mistake in the match is an error.
Errors where strict: 22004 for a null, 22023 for rows that contradict each other, 22003 for numbers
out of range, 54000 for more than 10000 rows.';
-- Parameters that predict a history best.

CREATE TYPE skillrating.tuned_parameter AS (
    name text,
    start float8,
    value float8,
    standard_error float8,
    low float8,
    high float8,
    at_bound boolean,
    choice_start text,
    choice text);

COMMENT ON TYPE skillrating.tuned_parameter IS
'A parameter fitted by tune(), in its own unit.
name: the parameter.  start: where the search began.  value: the best value.
standard_error: from the curvature of what is searched, which is the likelihood, and the priors
unless they are switched off.  low, high: ends of the 95 % interval.  The interval is symmetric on
the scale of the search.  All three are null at a bound, and where the matches tell less than the
priors, or without these next to nothing.
at_bound: whether the search ended at a bound.
choice_start, choice: the same as start and value of a choice or flag, for which all the others are
null.';

CREATE TYPE skillrating.tuned_part AS (
    name text,
    taken boolean,
    gain float8,
    standard_error float8,
    matches bigint);

COMMENT ON TYPE skillrating.tuned_part IS
'A part of a model that tune() tried.
name: the part, see model_parts(), or log_odds.  taken: whether it is on in the result.
gain: by how much it lowered the log loss of later matches, when last judged; null if it was not.
standard_error: of the gain, by blocks of time.  matches: those it was judged on.';

CREATE TYPE skillrating.tuning AS (
    model text,
    params jsonb,
    log_odds float8,
    fitted skillrating.tuned_parameter[],
    parts skillrating.tuned_part[],
    matches bigint,
    log_loss_before float8,
    log_loss float8,
    held_out_matches bigint,
    held_out_log_loss_before float8,
    held_out_log_loss float8,
    held_out_gain float8,
    held_out_gain_error float8,
    evaluations bigint,
    starts integer,
    starts_agreeing integer,
    converged boolean,
    stopped text,
    warnings text[],
    unrated bigint,
    unrated_reasons jsonb);

COMMENT ON TYPE skillrating.tuning IS
'Result of tune().
model: the model.  params: all its parameters, ready for rate(), create_ladder() or rerate().
log_odds: what a side is worth, in favour of side 1: to be given as log_odds of matches with sides.
fitted: the parameters that were searched, those of parts that were taken too.
parts: the parts that were tried.
matches: matches that the search scored.
log_loss_before, log_loss: their mean log loss, one step ahead, in nats, at the start and the end.
held_out_matches, held_out_log_loss_before, held_out_log_loss: the same for the matches held out,
which the search never saw; null without any.
held_out_gain, held_out_gain_error: the mean difference of the two, match by match, positive where
the fit is better, and its standard error by blocks of time; null for fewer than 20 matches.
evaluations: how often the history, or the first part of it, was rated.
starts: searches from different starts, for the choices that were found.
starts_agreeing: how many of them ended at the same likelihood, within one nat: the fewer, the more
the result is a matter of luck.
converged: whether the search converged, false where the start was kept.  stopped: why it ended.
warnings: reasons not to trust the result, which are raised as warnings too.
unrated: matches that do not count and are left out.  unrated_reasons: how many, by the codes of
unrated_reasons().';

CREATE FUNCTION skillrating_internal.tune_transition(internal, text, text[], anycompatible, anyelement, integer, float8)
RETURNS internal
AS 'MODULE_PATHNAME', 'skillrating_tune_transition'
LANGUAGE C IMMUTABLE PARALLEL SAFE;

COMMENT ON FUNCTION skillrating_internal.tune_transition(internal, text, text[], anycompatible, anyelement, integer, float8) IS
'Transition function of tune().';

CREATE FUNCTION skillrating_internal.tune_transition(internal, text, text[], anycompatible, anyelement, integer, float8, jsonb)
RETURNS internal
AS 'MODULE_PATHNAME', 'skillrating_tune_transition'
LANGUAGE C IMMUTABLE PARALLEL SAFE;

COMMENT ON FUNCTION skillrating_internal.tune_transition(internal, text, text[], anycompatible, anyelement, integer, float8, jsonb) IS
'Transition function of tune().';

CREATE FUNCTION skillrating_internal.tune_transition(internal, text, text[], anycompatible, anyelement, integer, float8, skillrating.inputs, jsonb)
RETURNS internal
AS 'MODULE_PATHNAME', 'skillrating_tune_transition'
LANGUAGE C IMMUTABLE PARALLEL SAFE;

COMMENT ON FUNCTION skillrating_internal.tune_transition(internal, text, text[], anycompatible, anyelement, integer, float8, skillrating.inputs, jsonb) IS
'Transition function of tune().';

CREATE FUNCTION skillrating_internal.tune_transition(internal, text, text[], anycompatible, anyelement, integer, float8, skillrating.inputs, jsonb, boolean)
RETURNS internal
AS 'MODULE_PATHNAME', 'skillrating_tune_transition'
LANGUAGE C IMMUTABLE PARALLEL SAFE;

COMMENT ON FUNCTION skillrating_internal.tune_transition(internal, text, text[], anycompatible, anyelement, integer, float8, skillrating.inputs, jsonb, boolean) IS
'Transition function of tune().';

CREATE FUNCTION skillrating_internal.tune_final(internal)
RETURNS skillrating.tuning
AS 'MODULE_PATHNAME', 'skillrating_tune_final'
LANGUAGE C IMMUTABLE PARALLEL SAFE;

COMMENT ON FUNCTION skillrating_internal.tune_final(internal) IS
'Final function of tune().';

CREATE AGGREGATE skillrating.tune(model text, fit text[], match_id anycompatible, player_id anyelement, team integer, rank float8) (
    SFUNC = skillrating_internal.tune_transition,
    STYPE = internal,
    FINALFUNC = skillrating_internal.tune_final,
    FINALFUNC_MODIFY = READ_WRITE,
    PARALLEL = SAFE
);

COMMENT ON AGGREGATE skillrating.tune(text, text[], anycompatible, anyelement, integer, float8) IS
'The parameters of a model that predict a history best:
SELECT (t).* FROM (SELECT skillrating.tune(''elo'', ARRAY[''k''], match_id, player_id, team, rank
ORDER BY played_at, match_id) AS t FROM ...) AS q
tune() maximises the likelihood of who won, each match predicted from those before it, times weak
priors of the numbers, which keep few matches from driving them to the ends of their range; the log
losses are without these.  The first tenth of the matches only sets the ratings (burn-in); the last fifth is held out and scored at
the end.
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

CREATE AGGREGATE skillrating.tune(model text, fit text[], match_id anycompatible, player_id anyelement, team integer, rank float8, options jsonb) (
    SFUNC = skillrating_internal.tune_transition,
    STYPE = internal,
    FINALFUNC = skillrating_internal.tune_final,
    FINALFUNC_MODIFY = READ_WRITE,
    PARALLEL = SAFE
);

COMMENT ON AGGREGATE skillrating.tune(text, text[], anycompatible, anyelement, integer, float8, jsonb) IS
'As the form with six arguments, with options, an object read from the first row:
params: an object of parameters; the search starts there, and what is not fitted keeps its value.
bounds: an object of pairs such as {"k": [4, 64]}.  The scale is linear where the lower bound is
below 0.
parts: the parts to try, an array of names (see model_parts()), true for all for which the matches
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
progress: the level of a message for each evaluation: debug2, debug1 (the default), log, info or
notice.';

CREATE AGGREGATE skillrating.tune(model text, fit text[], match_id anycompatible, player_id anyelement, team integer, rank float8, inputs skillrating.inputs, options jsonb) (
    SFUNC = skillrating_internal.tune_transition,
    STYPE = internal,
    FINALFUNC = skillrating_internal.tune_final,
    FINALFUNC_MODIFY = READ_WRITE,
    PARALLEL = SAFE
);

COMMENT ON AGGREGATE skillrating.tune(text, text[], anycompatible, anyelement, integer, float8, skillrating.inputs, jsonb) IS
'As the form with seven arguments, with inputs, made by inputs(): times, scores, stints, sides and
other facts about a participant; null is nothing known.';

CREATE AGGREGATE skillrating.tune(model text, fit text[], match_id anycompatible, player_id anyelement, team integer, rank float8, inputs skillrating.inputs, options jsonb, strict boolean) (
    SFUNC = skillrating_internal.tune_transition,
    STYPE = internal,
    FINALFUNC = skillrating_internal.tune_final,
    FINALFUNC_MODIFY = READ_WRITE,
    PARALLEL = SAFE
);

COMMENT ON AGGREGATE skillrating.tune(text, text[], anycompatible, anyelement, integer, float8, skillrating.inputs, jsonb, boolean) IS
'As the form with eight arguments, of which inputs and options may be null, with strict, read from
the first row: whether a mistake in a match is an error.';

-- The model that predicts a history best.

CREATE TYPE skillrating.model_suggestion AS (
    model text,
    params jsonb,
    log_odds float8,
    parts text[],
    matches bigint,
    held_out_matches bigint,
    held_out_log_loss_before float8,
    held_out_log_loss float8,
    held_out_accuracy float8,
    difference float8,
    difference_error float8,
    verdict text,
    warnings text[]);

COMMENT ON TYPE skillrating.model_suggestion IS
'A model as suggest_model() found it.
model: the model.  params: all its parameters, ready for rate(), create_ladder() or rerate().
log_odds: what a side is worth, in favour of side 1.  parts: those that were taken.
matches: matches that the search scored.
held_out_matches: matches that no search saw and that all these models have forecast.
held_out_log_loss_before, held_out_log_loss: their mean log loss, at the defaults and as fitted.
held_out_accuracy: how often the favourite won; a draw counts half.
difference, difference_error: by how much the log loss is above the best model''s, match by match,
with its standard error by blocks of time; the error is null for fewer than 20 matches.
verdict: a phrase, which says where a study was cut short.  warnings: as in tuning, not raised.
All but model and verdict are null for a model that cannot rate these matches, or none of those that
no search saw.';

CREATE FUNCTION skillrating_internal.suggest_model_transition(internal, anycompatible, anyelement, integer, float8)
RETURNS internal
AS 'MODULE_PATHNAME', 'skillrating_suggest_model_transition'
LANGUAGE C IMMUTABLE PARALLEL SAFE;

COMMENT ON FUNCTION skillrating_internal.suggest_model_transition(internal, anycompatible, anyelement, integer, float8) IS
'Transition function of suggest_model().';

CREATE FUNCTION skillrating_internal.suggest_model_transition(internal, anycompatible, anyelement, integer, float8, jsonb)
RETURNS internal
AS 'MODULE_PATHNAME', 'skillrating_suggest_model_transition'
LANGUAGE C IMMUTABLE PARALLEL SAFE;

COMMENT ON FUNCTION skillrating_internal.suggest_model_transition(internal, anycompatible, anyelement, integer, float8, jsonb) IS
'Transition function of suggest_model().';

CREATE FUNCTION skillrating_internal.suggest_model_transition(internal, anycompatible, anyelement, integer, float8, skillrating.inputs, jsonb)
RETURNS internal
AS 'MODULE_PATHNAME', 'skillrating_suggest_model_transition'
LANGUAGE C IMMUTABLE PARALLEL SAFE;

COMMENT ON FUNCTION skillrating_internal.suggest_model_transition(internal, anycompatible, anyelement, integer, float8, skillrating.inputs, jsonb) IS
'Transition function of suggest_model().';

CREATE FUNCTION skillrating_internal.suggest_model_transition(internal, anycompatible, anyelement, integer, float8, skillrating.inputs, jsonb, boolean)
RETURNS internal
AS 'MODULE_PATHNAME', 'skillrating_suggest_model_transition'
LANGUAGE C IMMUTABLE PARALLEL SAFE;

COMMENT ON FUNCTION skillrating_internal.suggest_model_transition(internal, anycompatible, anyelement, integer, float8, skillrating.inputs, jsonb, boolean) IS
'Transition function of suggest_model().';

CREATE FUNCTION skillrating_internal.suggest_model_final(internal)
RETURNS skillrating.model_suggestion[]
AS 'MODULE_PATHNAME', 'skillrating_suggest_model_final'
LANGUAGE C IMMUTABLE PARALLEL SAFE;

COMMENT ON FUNCTION skillrating_internal.suggest_model_final(internal) IS
'Final function of suggest_model().';

CREATE AGGREGATE skillrating.suggest_model(match_id anycompatible, player_id anyelement, team integer, rank float8) (
    SFUNC = skillrating_internal.suggest_model_transition,
    STYPE = internal,
    FINALFUNC = skillrating_internal.suggest_model_final,
    FINALFUNC_MODIFY = READ_WRITE,
    PARALLEL = SAFE
);

COMMENT ON AGGREGATE skillrating.suggest_model(anycompatible, anyelement, integer, float8) IS
'The model that predicts a history best, of all that can rate it, the best first:
SELECT s.* FROM (SELECT skillrating.suggest_model(match_id, player_id, team, rank
ORDER BY played_at, match_id) AS found FROM ...) AS q, unnest(found) AS s
Each model is fitted as tune() does it, with its usual parameters and all parts for which the
matches have what they need, to all but the last fifth of the matches, which judges them.
match_id, player_id, team, rank: as in final_ratings().
Deterministic.  Memory: as tune(), and 24 bytes a match for each model.
Null without rows.  Errors: 22023 unless ORDER BY includes match_id, for unknown models and options,
and without matches to fit to or to judge by.';

CREATE AGGREGATE skillrating.suggest_model(match_id anycompatible, player_id anyelement, team integer, rank float8, options jsonb) (
    SFUNC = skillrating_internal.suggest_model_transition,
    STYPE = internal,
    FINALFUNC = skillrating_internal.suggest_model_final,
    FINALFUNC_MODIFY = READ_WRITE,
    PARALLEL = SAFE
);

COMMENT ON AGGREGATE skillrating.suggest_model(anycompatible, anyelement, integer, float8, jsonb) IS
'As the form with four arguments, with options, an object read from the first row:
budget: evaluations of all models together, 1 or more (10000).
models: names of the models to try (all).
parts, priors: as in tune() (true).
starts, burn_in, holdout, tolerance, progress: as in tune() (3, 0.1, 0.2, 1e-3, debug1).';

CREATE AGGREGATE skillrating.suggest_model(match_id anycompatible, player_id anyelement, team integer, rank float8, inputs skillrating.inputs, options jsonb) (
    SFUNC = skillrating_internal.suggest_model_transition,
    STYPE = internal,
    FINALFUNC = skillrating_internal.suggest_model_final,
    FINALFUNC_MODIFY = READ_WRITE,
    PARALLEL = SAFE
);

COMMENT ON AGGREGATE skillrating.suggest_model(anycompatible, anyelement, integer, float8, skillrating.inputs, jsonb) IS
'As the form with five arguments, with inputs, made by inputs(): times, scores, stints, sides and
other facts about a participant; null is nothing known.';

CREATE AGGREGATE skillrating.suggest_model(match_id anycompatible, player_id anyelement, team integer, rank float8, inputs skillrating.inputs, options jsonb, strict boolean) (
    SFUNC = skillrating_internal.suggest_model_transition,
    STYPE = internal,
    FINALFUNC = skillrating_internal.suggest_model_final,
    FINALFUNC_MODIFY = READ_WRITE,
    PARALLEL = SAFE
);

COMMENT ON AGGREGATE skillrating.suggest_model(anycompatible, anyelement, integer, float8, skillrating.inputs, jsonb, boolean) IS
'As the form with six arguments, of which inputs and options may be null, with strict, read from
the first row: whether a mistake in a match is an error.';
-- Forecasts of a match between players of given states.

CREATE FUNCTION skillrating.predict(
    model text,
    state float8[],
    team integer[],
    weight float8[] DEFAULT NULL,
    joined float8[] DEFAULT NULL,
    "left" float8[] DEFAULT NULL,
    commanding float8[] DEFAULT NULL,
    side integer[] DEFAULT NULL,
    squad bigint[] DEFAULT NULL,
    experience integer[] DEFAULT NULL,
    log_odds float8 DEFAULT 0,
    params jsonb DEFAULT '{}',
    context text[] DEFAULT NULL,
    club text[] DEFAULT NULL,
    player_id text[] DEFAULT NULL,
    pool text DEFAULT '',
    components skillrating.final_component[] DEFAULT NULL,
    OUT team integer,
    OUT win_probability float8,
    OUT draw_probability float8)
RETURNS SETOF record
AS 'MODULE_PATHNAME', 'skillrating_predict'
LANGUAGE C IMMUTABLE PARALLEL SAFE ROWS 2;

COMMENT ON FUNCTION skillrating.predict(text, float8[], integer[], float8[], float8[], float8[], float8[], integer[], bigint[], integer[], float8, jsonb, text[], text[], text[], text, skillrating.final_component[]) IS
'What a model says of a match between players of given states, without a ladder: what preview() says
of players who go into the match with these states.

Result: a row for each team, in the order of their numbers.
win_probability: of the team; a draw counts half.
draw_probability: that two teams draw; null for more teams, and where the model knows no draws.
state_space, trueskill, trueskill2 and the variants thurstone_mosteller of weng_lin know them.

model, params: one of models(), and an object of its parameters that differ from their defaults.
state: all state columns of each player (state_columns in models()), one player after another or,
from array_agg(), a row for each, such as state_after of rate() or state of final_ratings().  Idle
time has to be in them already.
team: of each player; any numbers.  The other arrays have an element for each player, too, and mean
what source_columns() says.  weight, or joined and left: the share of the match, which is all of it
by default.  experience: matches played before, 0 by default.
context, club: an element may be null; under models that know components (model_components()).
components: these, such as final_components() returns them, with idle time in them already; others
are as before their first match.  player_id: who the players are, for components that have one;
1, 2 and so on by default.  pool: theirs.
log_odds: what the first side, or the first team where there are no sides, has in advance.

No rows if state or team are null or empty.  Errors: 22023 for an unknown model and for a match that
could not be rated, 22003 for numbers out of range and states that are not sound, 22004 for nulls,
2202E for arrays that do not fit.';
-- Ratings that all matches together imply.

CREATE FUNCTION skillrating.solvers(
    OUT name text,
    OUT summary text,
    OUT source text,
    OUT supports text[])
RETURNS SETOF record
AS 'MODULE_PATHNAME', 'skillrating_solvers'
LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE ROWS 5;

COMMENT ON FUNCTION skillrating.solvers() IS
'The solvers of solve(), one a row, sorted by name: name, a summary, the paper or document that it
comes from, and what of a match it takes into account, in the words of models(), with context and
played_at.
Other facts of inputs() have no effect, except that commanding counts as play, that a side orients
log_odds and contexts, and that a context is error 0A000 for a solver that has none.';

CREATE FUNCTION skillrating.solver_parameters(
    solver text,
    OUT name text,
    OUT type text,
    OUT default_value jsonb,
    OUT min float8,
    OUT max float8,
    OUT choices text[],
    OUT unit text,
    OUT description text)
RETURNS SETOF record
AS 'MODULE_PATHNAME', 'skillrating_solver_parameters'
LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE ROWS 12;

COMMENT ON FUNCTION skillrating.solver_parameters(text) IS
'The parameters of a solver, or of frag_scores() by that name, one a row, in the order of its
definition, with the columns of model_parameters().
Error 22023 for an unknown solver.';

CREATE TYPE skillrating.estimate AS (
    player_id text,
    at timestamptz,
    mu float8,
    standard_error float8,
    side_offset float8,
    command_skill float8,
    games bigint,
    component integer);

COMMENT ON TYPE skillrating.estimate IS
'Estimate of solve() for a player.
player_id: the identifier as text.
at: the day, for a solver with a skill for each day; under through_time the time of the match, in
the last of several rows at one time; null otherwise.  The rows of a player are so the learning
curve, with its band of errors.
mu: the skill, in log-odds; under through_time in the units of initial_mu.  Null where the
likelihood has no maximum, as for a player who always loses, without a prior.
standard_error: of mu, in the same unit.
side_offset: what playing the first side adds, in the unit of mu: to this player under hive and
through_time, and under a solver with one advantage for everybody the same number in all rows; null
where there is none.
command_skill: the skill as a commander, in the unit of mu; null where the solver has none.
games: matches that counted.
component: skills in different components are not comparable, because no matches connect their
players, directly or through others; 1 is the largest component.';

CREATE TYPE skillrating.component_estimate AS (
    kind text,
    key text,
    player_id text,
    at timestamptz,
    mu float8,
    standard_error float8,
    games bigint);

COMMENT ON TYPE skillrating.component_estimate IS
'Estimate of solve_components() for something else than a player alone, at a time.
kind: what it is, as model_components(''state_space'') lists it: home, home_context, player_context
or club.
key: the context or the club, null for a kind that goes by neither.
player_id: the identifier as text, of a kind that belongs to players, else null.
at: the time of the match, in the last of several rows at one time; null without times.
mu: what it is worth, in the units of initial_mu.  standard_error: of mu, in the same unit.
games: matches in which it took part.';

CREATE TYPE skillrating.context_estimate AS (
    context text,
    log_odds float8,
    standard_error float8);

COMMENT ON TYPE skillrating.context_estimate IS
'The advantage of the first side in a context, in log-odds, estimated together with the skills, and
its standard error.
context: null for the advantage in all matches whose sides differ, to which that of a context is
added.';

CREATE TYPE skillrating.solve_summary AS (
    solver text,
    matches bigint,
    players bigint,
    unknowns bigint,
    observations bigint,
    components integer,
    converged boolean,
    status text,
    iterations integer,
    products bigint,
    log_posterior float8,
    log_evidence float8,
    evidence text,
    gradient float8,
    draw float8,
    memory bigint,
    contexts skillrating.context_estimate[],
    unrated bigint,
    unrated_reasons jsonb);

COMMENT ON TYPE skillrating.solve_summary IS
'How solve() went.
solver: the solver.  matches, players, components: how many there are.
unknowns: numbers estimated; under through_time, appearances of players in matches.
observations: terms of the likelihood: comparisons of teams, and virtual games of a prior; under
plackett_luce, teams in rankings, and two for each virtual game.
converged: whether the search ended within the tolerance.  status: why it ended:
converged: twice the distance to the maximum, in nats, is below the parameter tolerance, by either
method; under through_time, no skill changes by more than the tolerance, in deviations.
there is no maximum: some skills grow for ever; they are null.
numbers out of range: a sum or a derivative has overflowed; all skills are null.
no further progress: no step, however short, improves the objective, because rounding leaves nothing
to gain or the tolerance is too small.
max_iterations reached: as many iterations as are allowed.
iterations: of Newton''s method; under through_time, passes forward and backward.
products: multiplications with the matrix of second derivatives.
log_posterior: the logarithm of the likelihood times the priors at the end, without constants; null
under through_time.
log_evidence: under through_time, the logarithm of the probability of all results, with their draws
and orders, integrated over all skills: what comparing parameters calls for; -Infinity for a draw of
two without a draw_probability.  Null under other solvers.
evidence: where log_evidence comes from: joint, the joint distribution of all skills, or messages,
which take skills to be independent given all other matches.
gradient: the largest derivative; under through_time, the largest change in the last two passes,
in deviations.
draw: Davidson''s parameter of draws, or null.
memory: bytes of the problem.
contexts: the advantage of the first side, of two: in all matches, where sides differ, and in each
context.
unrated: matches that do not count and are left out.  unrated_reasons: how many, by the codes of
unrated_reasons().';

CREATE FUNCTION skillrating_internal.solve_hint(status text)
RETURNS text
LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
RETURN CASE status WHEN 'there is no maximum' THEN 'A prior gives everybody a skill, see skillrating.solver_parameters().'
    WHEN 'numbers out of range' THEN 'Check log-odds, gains, times and parameters for extreme values.'
    WHEN 'no further progress' THEN 'Raise parameter "tolerance", or use method "newton".'
    ELSE 'Raise parameter "max_iterations".' END;

COMMENT ON FUNCTION skillrating_internal.solve_hint(text) IS
'The hint for the status of a summary that has not converged.';

CREATE FUNCTION skillrating_internal.solve_transition(internal, text, anycompatible, anyelement, integer, float8)
RETURNS internal
AS 'MODULE_PATHNAME', 'skillrating_solve_transition'
LANGUAGE C IMMUTABLE PARALLEL SAFE;

COMMENT ON FUNCTION skillrating_internal.solve_transition(internal, text, anycompatible, anyelement, integer, float8) IS
'Transition function of solve() and solve_summary().';

CREATE FUNCTION skillrating_internal.solve_transition(internal, text, anycompatible, anyelement, integer, float8, jsonb)
RETURNS internal
AS 'MODULE_PATHNAME', 'skillrating_solve_transition'
LANGUAGE C IMMUTABLE PARALLEL SAFE;

COMMENT ON FUNCTION skillrating_internal.solve_transition(internal, text, anycompatible, anyelement, integer, float8, jsonb) IS
'Transition function of solve() and solve_summary().';

CREATE FUNCTION skillrating_internal.solve_transition(internal, text, anycompatible, anyelement, integer, float8, skillrating.inputs, jsonb)
RETURNS internal
AS 'MODULE_PATHNAME', 'skillrating_solve_transition'
LANGUAGE C IMMUTABLE PARALLEL SAFE;

COMMENT ON FUNCTION skillrating_internal.solve_transition(internal, text, anycompatible, anyelement, integer, float8, skillrating.inputs, jsonb) IS
'Transition function of solve() and solve_summary().';

CREATE FUNCTION skillrating_internal.solve_transition(internal, text, anycompatible, anyelement, integer, float8, skillrating.inputs, jsonb, boolean)
RETURNS internal
AS 'MODULE_PATHNAME', 'skillrating_solve_transition'
LANGUAGE C IMMUTABLE PARALLEL SAFE;

COMMENT ON FUNCTION skillrating_internal.solve_transition(internal, text, anycompatible, anyelement, integer, float8, skillrating.inputs, jsonb, boolean) IS
'Transition function of solve() and solve_summary().';

CREATE FUNCTION skillrating_internal.solve_final(internal)
RETURNS skillrating.estimate[]
AS 'MODULE_PATHNAME', 'skillrating_solve_final'
LANGUAGE C IMMUTABLE PARALLEL SAFE;

COMMENT ON FUNCTION skillrating_internal.solve_final(internal) IS
'Final function of solve().';

CREATE FUNCTION skillrating_internal.solve_components_final(internal)
RETURNS skillrating.component_estimate[]
AS 'MODULE_PATHNAME', 'skillrating_solve_components_final'
LANGUAGE C IMMUTABLE PARALLEL SAFE;

COMMENT ON FUNCTION skillrating_internal.solve_components_final(internal) IS
'Final function of solve_components().';

CREATE FUNCTION skillrating_internal.solve_summary_final(internal)
RETURNS skillrating.solve_summary
AS 'MODULE_PATHNAME', 'skillrating_solve_summary_final'
LANGUAGE C IMMUTABLE PARALLEL SAFE;

COMMENT ON FUNCTION skillrating_internal.solve_summary_final(internal) IS
'Final function of solve_summary().';

CREATE AGGREGATE skillrating.solve(solver text, match_id anycompatible, player_id anyelement, team integer, rank float8) (
    SFUNC = skillrating_internal.solve_transition,
    STYPE = internal,
    FINALFUNC = skillrating_internal.solve_final,
    FINALFUNC_MODIFY = SHAREABLE,
    PARALLEL = SAFE
);

COMMENT ON AGGREGATE skillrating.solve(text, anycompatible, anyelement, integer, float8) IS
'The skills that make all results together most probable:
SELECT e.* FROM (SELECT skillrating.solve(''bradley_terry'', match_id, player_id, team, rank)
AS estimates FROM ...) AS q, unnest(q.estimates) AS e
solver: one of solvers(): bradley_terry, hive, plackett_luce, through_time or whole_history.
A row is a participant of a match, or one stint of a participant.
match_id, player_id: of any types that can be hashed and ordered.  team: any number.
rank: of the team, 1 or more; 1 is best, equal ranks are a draw.
Rows may come in any order.  Without ORDER BY they are taken as they come as long as they ascend by
match, as in a table that is filled match by match, and from the first one that does not, or with
strict, they are sorted by match, in work_mem or on disk.  through_time needs the order of time,
ORDER BY played_at, match_id.
Players are in the order of their first matches, within a match by team and player_id, and a
player''s days in their order; under through_time the matches are in the order of ORDER BY.
A match that does not count, or with a mistake in its rows, is left out and counted by
solve_summary().
Skills are in log-odds; times 400 / ln 10 = 173.7 they are Elo points.
Newton''s method with conjugate gradients finds the maximum to the last digits.  solve_summary()
with the same arguments reports on it at no further cost.  GROUP BY solves each group.
Memory: 8 bytes a participant and 8 for each column that is not null, then 4 to 12 a participant,
60 a match and 120 a player, at most the parameter memory.  The result takes 90 bytes or more a row;
unnest() reads it row by row, as that of final_ratings(), and what cannot fit into
skillrating.memory_limit is an error before the search.
Null without rows.  Errors: 22023 for an ORDER BY without match_id and for unknown solvers and
parameters, 54000 beyond the memory allowed, 22004 without times where they are needed, 0A000 for
a context under a solver that has none, and those of rate().';

CREATE AGGREGATE skillrating.solve(solver text, match_id anycompatible, player_id anyelement, team integer, rank float8, params jsonb) (
    SFUNC = skillrating_internal.solve_transition,
    STYPE = internal,
    FINALFUNC = skillrating_internal.solve_final,
    FINALFUNC_MODIFY = SHAREABLE,
    PARALLEL = SAFE
);

COMMENT ON AGGREGATE skillrating.solve(text, anycompatible, anyelement, integer, float8, jsonb) IS
'As the form with five arguments, with params, an object read from the first row: the parameters
of the solver that differ from their defaults (see solver_parameters()), and exact_for, an array
of players whose standard errors are computed exactly.';

CREATE AGGREGATE skillrating.solve(solver text, match_id anycompatible, player_id anyelement, team integer, rank float8, inputs skillrating.inputs, params jsonb) (
    SFUNC = skillrating_internal.solve_transition,
    STYPE = internal,
    FINALFUNC = skillrating_internal.solve_final,
    FINALFUNC_MODIFY = SHAREABLE,
    PARALLEL = SAFE
);

COMMENT ON AGGREGATE skillrating.solve(text, anycompatible, anyelement, integer, float8, skillrating.inputs, jsonb) IS
'As the form with six arguments, with inputs, made by inputs(): times, scores, stints, sides,
contexts and other facts about a participant; null is nothing known.';

CREATE AGGREGATE skillrating.solve(solver text, match_id anycompatible, player_id anyelement, team integer, rank float8, inputs skillrating.inputs, params jsonb, strict boolean) (
    SFUNC = skillrating_internal.solve_transition,
    STYPE = internal,
    FINALFUNC = skillrating_internal.solve_final,
    FINALFUNC_MODIFY = SHAREABLE,
    PARALLEL = SAFE
);

COMMENT ON AGGREGATE skillrating.solve(text, anycompatible, anyelement, integer, float8, skillrating.inputs, jsonb, boolean) IS
'As the form with seven arguments, of which inputs and params may be null, with strict, read from
the first row: whether a mistake in a match is an error.';

CREATE AGGREGATE skillrating.solve_components(solver text, match_id anycompatible, player_id anyelement, team integer, rank float8, inputs skillrating.inputs, params jsonb) (
    SFUNC = skillrating_internal.solve_transition,
    STYPE = internal,
    FINALFUNC = skillrating_internal.solve_components_final,
    FINALFUNC_MODIFY = SHAREABLE,
    PARALLEL = SAFE
);

COMMENT ON AGGREGATE skillrating.solve_components(text, anycompatible, anyelement, integer, float8, skillrating.inputs, jsonb) IS
'What solve() with the same arguments finds besides skills, under through_time: what side 1 is worth
(home), and is worth in a context (home_context), clubs (club), and players in contexts
(player_context), each at every time when it took part:
SELECT c.* FROM (SELECT skillrating.solve_components(''through_time'', match_id, player_id, team,
rank, skillrating.inputs(played_at => played_at, side => side), NULL ORDER BY played_at, match_id)
AS components FROM ...) AS q, unnest(q.components) AS c
Parameters such as home_sigma say which kinds there are.  In the order of the matches.  An empty
array under other solvers, of which solve_summary() has what they find.  Null without rows.  Beside
solve() it costs nothing.';

CREATE AGGREGATE skillrating.solve_components(solver text, match_id anycompatible, player_id anyelement, team integer, rank float8, inputs skillrating.inputs, params jsonb, strict boolean) (
    SFUNC = skillrating_internal.solve_transition,
    STYPE = internal,
    FINALFUNC = skillrating_internal.solve_components_final,
    FINALFUNC_MODIFY = SHAREABLE,
    PARALLEL = SAFE
);

COMMENT ON AGGREGATE skillrating.solve_components(text, anycompatible, anyelement, integer, float8, skillrating.inputs, jsonb, boolean) IS
'As the form with seven arguments, of which inputs and params may be null, with strict, read from
the first row: whether a mistake in a match is an error.';

CREATE AGGREGATE skillrating.solve_summary(solver text, match_id anycompatible, player_id anyelement, team integer, rank float8) (
    SFUNC = skillrating_internal.solve_transition,
    STYPE = internal,
    FINALFUNC = skillrating_internal.solve_summary_final,
    FINALFUNC_MODIFY = SHAREABLE,
    PARALLEL = SAFE
);

COMMENT ON AGGREGATE skillrating.solve_summary(text, anycompatible, anyelement, integer, float8) IS
'How solve() with the same arguments goes: whether it converges, and at what cost.';

CREATE AGGREGATE skillrating.solve_summary(solver text, match_id anycompatible, player_id anyelement, team integer, rank float8, params jsonb) (
    SFUNC = skillrating_internal.solve_transition,
    STYPE = internal,
    FINALFUNC = skillrating_internal.solve_summary_final,
    FINALFUNC_MODIFY = SHAREABLE,
    PARALLEL = SAFE
);

COMMENT ON AGGREGATE skillrating.solve_summary(text, anycompatible, anyelement, integer, float8, jsonb) IS
'How solve() with the same arguments goes, with parameters.';

CREATE AGGREGATE skillrating.solve_summary(solver text, match_id anycompatible, player_id anyelement, team integer, rank float8, inputs skillrating.inputs, params jsonb) (
    SFUNC = skillrating_internal.solve_transition,
    STYPE = internal,
    FINALFUNC = skillrating_internal.solve_summary_final,
    FINALFUNC_MODIFY = SHAREABLE,
    PARALLEL = SAFE
);

COMMENT ON AGGREGATE skillrating.solve_summary(text, anycompatible, anyelement, integer, float8, skillrating.inputs, jsonb) IS
'How solve() with the same arguments goes, with parameters and inputs.';

CREATE AGGREGATE skillrating.solve_summary(solver text, match_id anycompatible, player_id anyelement, team integer, rank float8, inputs skillrating.inputs, params jsonb, strict boolean) (
    SFUNC = skillrating_internal.solve_transition,
    STYPE = internal,
    FINALFUNC = skillrating_internal.solve_summary_final,
    FINALFUNC_MODIFY = SHAREABLE,
    PARALLEL = SAFE
);

COMMENT ON AGGREGATE skillrating.solve_summary(text, anycompatible, anyelement, integer, float8, skillrating.inputs, jsonb, boolean) IS
'How solve() with the same arguments goes, with parameters, inputs and strict.';
-- Rating whole histories by a filter that goes on from what all matches before say together.

CREATE FUNCTION skillrating.rate_through_time(
    model text,
    player_id anyelement,
    team integer,
    rank float8 DEFAULT NULL,
    weight float8 DEFAULT NULL,
    played_at timestamptz DEFAULT NULL,
    score float8 DEFAULT NULL,
    won boolean DEFAULT NULL,
    joined float8 DEFAULT NULL,
    "left" float8 DEFAULT NULL,
    commanding float8 DEFAULT NULL,
    side float8 DEFAULT NULL,
    squad float8 DEFAULT NULL,
    kills float8 DEFAULT NULL,
    deaths float8 DEFAULT NULL,
    quit boolean DEFAULT NULL,
    experience float8 DEFAULT NULL,
    pool text DEFAULT NULL,
    log_odds float8 DEFAULT NULL,
    gain float8 DEFAULT NULL,
    unrated_reason text DEFAULT NULL,
    period bigint DEFAULT NULL,
    context text DEFAULT NULL,
    club text DEFAULT NULL,
    season bigint DEFAULT NULL,
    params jsonb DEFAULT NULL,
    strict boolean DEFAULT false,
    refit_matches integer DEFAULT 1000,
    refit_days float8 DEFAULT NULL)
RETURNS skillrating.rated
AS 'MODULE_PATHNAME', 'skillrating_rate_through_time'
LANGUAGE C WINDOW IMMUTABLE PARALLEL SAFE;

COMMENT ON FUNCTION skillrating.rate_through_time(text, anyelement, integer, float8, float8, timestamptz, float8, boolean, float8, float8, float8, float8, float8, float8, float8, boolean, float8, text, float8, float8, text, bigint, text, text, bigint, jsonb, boolean, integer, float8) IS
'Rates a history as rate() does, and solves what has been played so far every now and then:
SELECT *, skillrating.rate_through_time(''state_space'', player_id, team, rank,
played_at => played_at) OVER (ORDER BY played_at, match_id) ...
A filter learns from each match once.  Solver through_time corrects early matches by what later ones
say of the opponents, and the filter goes on from the skills, deviations and components at the end
of that solution.  Forecasts are made from matches before alone.
model: state_space, whose parameters params are, as for rate(); the only model with such a solver.
refit_matches: solve after so many rated matches, 1 or more.  refit_days: and once so many days have
passed since the first match or the last solution, above 0.  Null is never; both null, rate().
A solution comes before a match of a later time than all before, so that matches of one time are
forecast from the same solution.  Each begins with the last one, and takes passes of all matches so
far until no skill moves by .001 of its deviation, at most 30.
The other arguments are those of rate(), but season has no effect.
Memory: the states of the players, and all matches of the partition: some 100 bytes for each
participant, within skillrating.memory_limit; beyond 4 GB error 54000.
Errors: those of rate(), 0A000 for another model, 22003 for refit_matches or refit_days out of
range.';
-- Histories solved where they lie, in partitions and on other servers.

CREATE TYPE skillrating_internal.survey AS (
    players text[],
    games bigint[],
    component integer[],
    contexts text[],
    matches bigint,
    observations bigint,
    sides boolean,
    unrated jsonb,
    packed bytea,
    kept integer);

COMMENT ON TYPE skillrating_internal.survey IS
'Result of solve_survey().
players: as text.  games: of each player, the matches that count.
component: of each player, the position in the array of the player who represents all those whom
matches connect.
contexts: those that occur.  matches: their number.
observations: comparisons or rankings of teams, which are the terms of the likelihood.
sides: whether those of a match differ.
unrated: how many matches do not count, by the codes of unrated_reasons().
packed: the rows that another process is to keep, from a parallel worker or where home is another
process; otherwise null.
kept: the number of the key under which this process keeps the rows, if the plan has a token;
otherwise null.';

CREATE FUNCTION skillrating_internal.solve_survey_transition(internal, jsonb, anycompatible, anyelement, integer, float8, skillrating.inputs)
RETURNS internal
AS 'MODULE_PATHNAME', 'skillrating_solve_survey_transition'
LANGUAGE C IMMUTABLE PARALLEL SAFE;

COMMENT ON FUNCTION skillrating_internal.solve_survey_transition(internal, jsonb, anycompatible, anyelement, integer, float8, skillrating.inputs) IS
'Transition function of solve_survey().';

CREATE FUNCTION skillrating_internal.solve_survey_final(internal)
RETURNS skillrating_internal.survey
AS 'MODULE_PATHNAME', 'skillrating_solve_survey_final'
LANGUAGE C IMMUTABLE PARALLEL SAFE;

COMMENT ON FUNCTION skillrating_internal.solve_survey_final(internal) IS
'Final function of solve_survey().';

CREATE AGGREGATE skillrating_internal.solve_survey(plan jsonb, match_id anycompatible, player_id anyelement, team integer, rank float8, inputs skillrating.inputs) (
    SFUNC = skillrating_internal.solve_survey_transition,
    STYPE = internal,
    FINALFUNC = skillrating_internal.solve_survey_final,
    FINALFUNC_MODIFY = READ_WRITE,
    PARALLEL = SAFE
);

COMMENT ON AGGREGATE skillrating_internal.solve_survey(jsonb, anycompatible, anyelement, integer, float8, skillrating.inputs) IS
'The first pass over matches: who plays; called by solve_distributed().
plan: {"solver": ..., "params": {...}}, the solver bradley_terry, hive or plackett_luce, and with
"strict": true a mistake in a match is an error.  With "keep", a key in hex, the process keeps rows
of the solver made of the matches, for solve_pass(), up to the end of the transaction. With a token,
the first 32 digits, each group has a key of its own, and processes other than "home" hand the rows
over.  With
"lasting": true rows are kept until a transaction ends that has not used them.
The rows are those of solve(), in any order; inputs may be null.
Matches are forgotten as soon as they are counted; sorting takes work_mem, or disk.  What is kept
takes 8 to 40 bytes a participant, of skillrating.memory_limit up to the half and of a temporary
file beyond.
Null without rows.  Errors: 0A000 for a solver that cannot be distributed, 22023 for anything else
in the plan, and those of solve().';

CREATE FUNCTION skillrating_internal.solve_near(plan jsonb)
RETURNS jsonb
AS 'MODULE_PATHNAME', 'skillrating_solve_near'
LANGUAGE C STABLE STRICT PARALLEL SAFE;

COMMENT ON FUNCTION skillrating_internal.solve_near(jsonb) IS
'The plan as it is.
Stable, so that postgres_fdw, which sends only what is immutable, fetches rows in place of having an
unknown server hand over what solve_distributed() believes.';

CREATE FUNCTION skillrating_internal.solve_reads_support(internal)
RETURNS internal
AS 'MODULE_PATHNAME', 'skillrating_solve_reads_support'
LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;

COMMENT ON FUNCTION skillrating_internal.solve_reads_support(internal) IS
'Planner support of solve_reads().';

CREATE FUNCTION skillrating_internal.solve_reads(key bytea, if_not_kept boolean, team integer)
RETURNS boolean
AS 'MODULE_PATHNAME', 'skillrating_solve_reads'
LANGUAGE C IMMUTABLE PARALLEL RESTRICTED
SUPPORT skillrating_internal.solve_reads_support;

COMMENT ON FUNCTION skillrating_internal.solve_reads(bytea, boolean, integer) IS
'Whether a query of solve_distributed() has to read the rows of a partition: only if_not_kept, and if
this process keeps nothing under the key.
team: a column, so that the question goes to the server that has the rows; has no influence.
Where key and if_not_kept are known in advance, the planner leaves out a scan that is not needed.
Immutable for postgres_fdw, which sends nothing else.';

CREATE FUNCTION skillrating_internal.solve_kept(key bytea, survey skillrating_internal.survey)
RETURNS skillrating_internal.survey
AS 'MODULE_PATHNAME', 'skillrating_solve_kept'
LANGUAGE C IMMUTABLE PARALLEL RESTRICTED;

COMMENT ON FUNCTION skillrating_internal.solve_kept(bytea, skillrating_internal.survey) IS
'The survey, or in place of null the one of the rows that this process keeps under the key, if these
are lasting.
Immutable for postgres_fdw, which sends nothing else.';

CREATE FUNCTION skillrating_internal.solve_pass(key bytea, request bytea, rows bigint)
RETURNS bytea
AS 'MODULE_PATHNAME', 'skillrating_solve_pass'
LANGUAGE C IMMUTABLE STRICT PARALLEL RESTRICTED;

COMMENT ON FUNCTION skillrating_internal.solve_pass(bytea, bytea, bigint) IS
'One of the passes over matches that solving them takes: what the results say of the unknowns at a
point, without the prior; called by solve_distributed().
key: of the rows that this process keeps for the user, see solve_survey().
request: what is asked, and a number for each unknown: the skills of the players in the order of the
survey, then, under hive, their side offsets if offset_deviation is not 0 and their command skills if
command is true; the advantage of the first side if side_deviation is not 0; those of contexts.
rows: a count of rows, so that the pass goes to the server that has them; has no influence.
Result: null if nothing is kept under the key.  Both are bytes, see solve_pass.h; passes over
different matches add up.
Immutable for postgres_fdw, which sends nothing else.
Errors: 22023 for a key or a request that is none, 2202E for another number of unknowns, 55000 for
a product before derivatives.';

CREATE FUNCTION skillrating_internal.solve_relation(
    relation regclass,
    solver text,
    params jsonb,
    columns jsonb,
    start text,
    start_contexts skillrating.context_estimate[],
    strict boolean,
    token bytea,
    write text[])
RETURNS skillrating.solve_summary
AS 'MODULE_PATHNAME', 'skillrating_solve_relation'
LANGUAGE C VOLATILE;

COMMENT ON FUNCTION skillrating_internal.solve_relation(regclass, text, jsonb, jsonb, text, skillrating.context_estimate[], boolean, bytea, text[]) IS
'Solves as solve() does, and returns what solve_summary() does, for the matches in a table, a view or all partitions of a
table, which are read once and kept as rows where they were read; called by solve_distributed(),
where errors are listed.
start: a query of the estimates to begin with, or null; start_contexts: the same of contexts, an
array.  strict: make a mistake in a match an error.
write: queries that run in the end, as the caller, and read the estimates as relation "solution"; or
null.
token: from solve_token(), under which rows are kept beyond the transaction, and found if they are
kept already; null to keep them no longer than this call.
Each partition is read in one snapshot.  Needs the right to read the partitions themselves.';

CREATE FUNCTION skillrating_internal.solve_token()
RETURNS bytea
AS 'MODULE_PATHNAME', 'skillrating_solve_token'
LANGUAGE C VOLATILE;

COMMENT ON FUNCTION skillrating_internal.solve_token() IS
'Random bytes that name the rows of one call of solve_distributed() to those who keep them.';

CREATE FUNCTION skillrating_internal.solve_release(relation regclass, columns jsonb, token bytea)
RETURNS void
AS 'MODULE_PATHNAME', 'skillrating_solve_release'
LANGUAGE C VOLATILE STRICT;

COMMENT ON FUNCTION skillrating_internal.solve_release(regclass, jsonb, bytea) IS
'Frees the rows that solve_relation() has kept under a token, here and on all servers.';

CREATE FUNCTION skillrating_internal.solve_hold(relation regclass, columns jsonb, token bytea)
RETURNS void
AS 'MODULE_PATHNAME', 'skillrating_solve_hold'
LANGUAGE C VOLATILE STRICT;

COMMENT ON FUNCTION skillrating_internal.solve_hold(regclass, jsonb, bytea) IS
'Has everybody who keeps rows of solve_relation() under a token keep them even if this transaction is
aborted.';

CREATE FUNCTION skillrating_internal.solve_retry(relation regclass, columns jsonb, token bytea, failures integer, message text)
RETURNS integer
LANGUAGE plpgsql VOLATILE
SET search_path = pg_catalog, pg_temp
AS $function$
DECLARE
    part regclass;
BEGIN
    RAISE NOTICE USING
        MESSAGE = format('a server was lost, trying again: %s', message);
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

COMMENT ON FUNCTION skillrating_internal.solve_retry(regclass, jsonb, bytea, integer, text) IS
'What solve_distributed() does with commits when a server is lost, before it rolls back and tries
again: has the others hold their rows, and waits a moment.
failures: so many in a row before this one.  Returns one more.';

CREATE FUNCTION skillrating_internal.check_result(result regclass, type regclass)
RETURNS void
LANGUAGE plpgsql STABLE STRICT
SET search_path = pg_catalog, pg_temp
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
            MESSAGE = format('%s cannot take the solution', result),
            DETAIL = 'It is no table, or one of the system or of another session.',
            HINT = format('CREATE TABLE ... (LIKE %s) makes one that can.', type);
    END IF;
    SELECT string_agg(format('"%s"', e.attname), ', ' ORDER BY e.attnum) INTO missing
    FROM pg_attribute AS e
    WHERE e.attrelid = type AND e.attnum > 0 AND NOT EXISTS (
        SELECT FROM pg_attribute AS a
        WHERE a.attrelid = result AND a.attname = e.attname AND NOT a.attisdropped);
    IF missing IS NOT NULL THEN
        RAISE undefined_column USING
            MESSAGE = format('table %s has no column %s', result, missing),
            HINT = format('CREATE TABLE ... (LIKE %s) makes a table with all of them.', type);
    END IF;
END
$function$;

COMMENT ON FUNCTION skillrating_internal.check_result(regclass, regclass) IS
'A part of solve_distributed(), which replaces all rows of a result: error 42809 unless that is a
table that is none of the system or of another session, 42703 unless it has the columns of the
type, 42P01 if there is none.  Checks nothing for a null.';

CREATE FUNCTION skillrating_internal.solve_distributed_step(
    relation regclass,
    result regclass,
    solver text,
    params jsonb,
    columns jsonb,
    warm boolean,
    commits boolean,
    strict boolean,
    contexts regclass,
    before skillrating.solve_summary,
    token bytea,
    OUT summary skillrating.solve_summary,
    OUT done boolean)
LANGUAGE plpgsql VOLATILE
SET search_path = pg_catalog, pg_temp
AS $function$
DECLARE
    start text;
    start_contexts skillrating.context_estimate[] := before.contexts;
    most float8;
    write text[] := ARRAY[
        format('DELETE FROM %s', result),
        format('INSERT INTO %s (player_id, at, mu, standard_error, side_offset, command_skill, games, component)
            SELECT player_id, at, mu, standard_error, side_offset, command_skill, games, component FROM solution', result)];
BEGIN
    IF relation IS NULL OR result IS NULL OR solver IS NULL OR params IS NULL OR columns IS NULL OR warm IS NULL OR commits IS NULL OR strict IS NULL THEN
        RAISE null_value_not_allowed USING
            MESSAGE = 'relation, result, solver, params, columns, warm, commits and strict must not be null';
    END IF;
    PERFORM skillrating_internal.check_result(r.relation, r.type)
    FROM (VALUES (result, 'skillrating.estimate'::regclass), (contexts, 'skillrating.context_estimate')) AS r(relation, type);
    IF result = contexts THEN
        RAISE invalid_parameter_value USING
            MESSAGE = format('result and contexts are both %s', result),
            HINT = 'The skills and the advantages of contexts go into tables of their own.';
    END IF;
    -- One after another; reading goes on.
    EXECUTE format('LOCK TABLE %s IN SHARE ROW EXCLUSIVE MODE', concat_ws(', ', result, contexts));
    IF warm OR before.iterations IS NOT NULL THEN
        start := format(
            'SELECT player_id::text, at::timestamptz, mu::float8, standard_error::float8, side_offset::float8, command_skill::float8, games::bigint, component::integer FROM %s',
            result);
    END IF;
    IF warm AND before.iterations IS NULL AND contexts IS NOT NULL THEN
        EXECUTE format('SELECT array_agg(ROW(context, log_odds, standard_error)::skillrating.context_estimate) FROM %s', contexts)
        INTO start_contexts;
    END IF;
    IF NOT commits THEN
        summary := skillrating_internal.solve_relation(relation, solver, params, columns, start, start_contexts, strict, NULL, write);
        done := true;
    ELSE
        -- An iteration at a time, and errors that cost something only at the end.
        summary := skillrating_internal.solve_relation(relation, solver, params - 'exact_for' || '{"max_iterations": 1, "errors": "bound"}', columns, start, start_contexts, strict, token, write);
        SELECT coalesce((params ->> p.name)::float8, p.default_value::float8) INTO STRICT most
        FROM skillrating.solver_parameters(solver) AS p WHERE p.name = 'max_iterations';
        summary.iterations := summary.iterations + coalesce(before.iterations, 0);
        summary.products := summary.products + coalesce(before.products, 0);
        done := (summary.status <> 'max_iterations reached' OR summary.iterations >= most) IS NOT FALSE;
        IF summary.converged AND (params ? 'exact_for' OR params ->> 'errors' <> 'bound') THEN
            -- It begins with what has just been written.
            PERFORM skillrating_internal.solve_relation(relation, solver, params, columns, start, summary.contexts, strict, token, write);
        END IF;
        RAISE NOTICE USING
            MESSAGE = format('iteration %s: log posterior %s, largest derivative %s', summary.iterations, round(summary.log_posterior::numeric, 6), to_char(summary.gradient, '9.9EEEE'));
    END IF;
    IF contexts IS NOT NULL THEN
        EXECUTE format('DELETE FROM %s', contexts);
        EXECUTE format(
            'INSERT INTO %s (context, log_odds, standard_error) SELECT context, log_odds, standard_error FROM unnest($1)', contexts)
        USING summary.contexts;
    END IF;
    IF done AND commits THEN
        PERFORM skillrating_internal.solve_release(relation, columns, token);
    END IF;
    IF done AND NOT summary.converged THEN
        RAISE WARNING USING
            MESSAGE = format('solver "%s" has not converged: %s', solver, summary.status),
            HINT = skillrating_internal.solve_hint(summary.status);
    END IF;
END
$function$;

COMMENT ON FUNCTION skillrating_internal.solve_distributed_step(regclass, regclass, text, jsonb, jsonb, boolean, boolean, boolean, regclass, skillrating.solve_summary, bytea) IS
'All of solve_distributed(), or, with commits, one iteration of it.
before: the summary of the iterations before, or null.  token: under which rows are kept from one
iteration to the next.';

CREATE PROCEDURE skillrating.solve_distributed(
    relation regclass,
    result regclass,
    solver text DEFAULT 'bradley_terry',
    params jsonb DEFAULT '{}',
    columns jsonb DEFAULT '{}',
    warm boolean DEFAULT true,
    commits boolean DEFAULT false,
    strict boolean DEFAULT false,
    contexts regclass DEFAULT NULL,
    INOUT summary skillrating.solve_summary DEFAULT NULL)
LANGUAGE plpgsql
AS $procedure$
DECLARE
    step pg_catalog.record;
    token pg_catalog.bytea;
    lost pg_catalog.bool;
    failures pg_catalog.int4 := 0;
BEGIN
    -- No operators or bare names here: what commits cannot have a search_path of its own.
    summary := NULL;
    IF commits IS NOT TRUE THEN
        SELECT * INTO step
        FROM skillrating_internal.solve_distributed_step(relation, result, solver, params, columns, warm, commits, strict, contexts, NULL, NULL) AS s;
        summary := step.summary;
        RETURN;
    END IF;
    token := skillrating_internal.solve_token();
    LOOP
        BEGIN
            SELECT * INTO step
            FROM skillrating_internal.solve_distributed_step(relation, result, solver, params, columns, warm, commits, strict, contexts, summary, token) AS s;
            lost := false;
            failures := 0;
        EXCEPTION WHEN connection_exception OR admin_shutdown OR crash_shutdown THEN
            IF failures OPERATOR(pg_catalog.=) 10 THEN
                RAISE;
            END IF;
            lost := true;
            failures := skillrating_internal.solve_retry(relation, columns, token, failures, SQLERRM);
        END;
        IF lost THEN
            ROLLBACK;
        ELSE
            summary := step.summary;
            EXIT WHEN step.done;
            COMMIT;
        END IF;
    END LOOP;
END
$procedure$;

COMMENT ON PROCEDURE skillrating.solve_distributed(regclass, regclass, text, jsonb, jsonb, boolean, boolean, boolean, regclass, skillrating.solve_summary) IS
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
columns: which columns have other names: {"match_id": "game"}.  With {"part": "season"} each value of
that column is a partition, and one query that is grouped by it reads all; where Citus distributes
the table by it, the workers read, and hand over the rows that passes need.  All rows of a match
must be in one part.
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
to 40 bytes a participant, of skillrating.memory_limit up to the half and of a temporary file beyond.
Needs the right to read the partitions and to change result.
Errors: 0A000 for other solvers, 42P01 for unknown relations, 42809 for a result or contexts that
are no table, or one of the system or of another session, 42703 for missing columns, 22023 for
unknown columns, for a table that is partitioned by player, team or rank, for a part by one of these,
and for one table as both result and contexts, 2D000 for commits within a transaction block, 54000
for more than 16000 partitions or 4000 parts, and for more than 268 MB that another process has to hand
over of a part, and those of solve().';
-- Static frag ranking.

CREATE TYPE skillrating.frag_score AS (
    player_id text,
    score float8,
    standard_error float8,
    frags float8,
    deaths float8,
    suicides float8,
    opponents integer,
    component integer,
    cyclic_share float8);

COMMENT ON TYPE skillrating.frag_score IS
'Result of frag_scores() for a player.
player_id: the identifier as text.
score: two players are expected to differ by (a - b) / (a + b) of their frags against each other,
so that scores lie within a small multiple of 1; log-odds under method logistic.
standard_error: of score, from the residuals of the player''s own pairs; null without enough pairs.
frags, deaths, suicides: totals of the log.
opponents: opponents that count for the core.
component: scores in different components are not comparable, because no frags connect their
players; 1 is the largest component.
cyclic_share: 0 to 1, the share of all differences in the component that no score can explain, as
in rock, paper and scissors; null under method logistic.';

CREATE FUNCTION skillrating_internal.frag_scores_transition(internal, anyelement, anyelement)
RETURNS internal
AS 'MODULE_PATHNAME', 'skillrating_frag_scores_transition'
LANGUAGE C IMMUTABLE PARALLEL SAFE;

COMMENT ON FUNCTION skillrating_internal.frag_scores_transition(internal, anyelement, anyelement) IS
'Transition function of frag_scores().';

CREATE FUNCTION skillrating_internal.frag_scores_transition(internal, anyelement, anyelement, float8, boolean)
RETURNS internal
AS 'MODULE_PATHNAME', 'skillrating_frag_scores_transition'
LANGUAGE C IMMUTABLE PARALLEL SAFE;

COMMENT ON FUNCTION skillrating_internal.frag_scores_transition(internal, anyelement, anyelement, float8, boolean) IS
'Transition function of frag_scores().';

CREATE FUNCTION skillrating_internal.frag_scores_transition(internal, anyelement, anyelement, float8, boolean, jsonb)
RETURNS internal
AS 'MODULE_PATHNAME', 'skillrating_frag_scores_transition'
LANGUAGE C IMMUTABLE PARALLEL SAFE;

COMMENT ON FUNCTION skillrating_internal.frag_scores_transition(internal, anyelement, anyelement, float8, boolean, jsonb) IS
'Transition function of frag_scores().';

CREATE FUNCTION skillrating_internal.frag_scores_final(internal)
RETURNS skillrating.frag_score[]
AS 'MODULE_PATHNAME', 'skillrating_frag_scores_final'
LANGUAGE C IMMUTABLE PARALLEL SAFE;

COMMENT ON FUNCTION skillrating_internal.frag_scores_final(internal) IS
'Final function of frag_scores().';

CREATE AGGREGATE skillrating.frag_scores(killer_id anyelement, victim_id anyelement) (
    SFUNC = skillrating_internal.frag_scores_transition,
    STYPE = internal,
    FINALFUNC = skillrating_internal.frag_scores_final,
    PARALLEL = SAFE
);

COMMENT ON AGGREGATE skillrating.frag_scores(anyelement, anyelement) IS
'Scores from a log of frags, one frag a row:
SELECT f.* FROM (SELECT skillrating.frag_scores(killer_id, victim_id) AS scores FROM ...) AS q,
unnest(q.scores) AS f
Differences of scores fit (a - b) / (a + b), where a and b are the frags of two players against
each other, by least squares over all pairs that met, weighted by their frags, with one frag added
to both sides of each pair (see solver_parameters(''frag_scores'')).
killer_id: null, or equal to victim_id, is a suicide.  victim_id: not null.  Both are of one type
that can be hashed and ordered.
Rows may come in any order.
Players are sorted by component, the largest first, then by score, the highest first, and where
these are equal by first occurrence.
Memory: 40 bytes a pair that met, and a few numbers a player.
Null without rows.  Errors: 22004 for a null victim_id, 42804 for another type.';

CREATE AGGREGATE skillrating.frag_scores(killer_id anyelement, victim_id anyelement, frags float8, team_kill boolean) (
    SFUNC = skillrating_internal.frag_scores_transition,
    STYPE = internal,
    FINALFUNC = skillrating_internal.frag_scores_final,
    PARALLEL = SAFE
);

COMMENT ON AGGREGATE skillrating.frag_scores(anyelement, anyelement, float8, boolean) IS
'As the form with two arguments, with the number of frags that a row stands for and a flag for
kills among team mates, which do not count.
frags: 0 or more; null is 1.  team_kill: null is false.';

CREATE AGGREGATE skillrating.frag_scores(killer_id anyelement, victim_id anyelement, frags float8, team_kill boolean, params jsonb) (
    SFUNC = skillrating_internal.frag_scores_transition,
    STYPE = internal,
    FINALFUNC = skillrating_internal.frag_scores_final,
    PARALLEL = SAFE
);

COMMENT ON AGGREGATE skillrating.frag_scores(anyelement, anyelement, float8, boolean, jsonb) IS
'As the form with four arguments, with params, an object of the parameters that differ from their
defaults (see solver_parameters(''frag_scores'')), read from the first row.
Further errors: 22023 and 22003 for invalid parameters, 54000 beyond the memory allowed.';
-- Pictures, as SVG text.

CREATE FUNCTION skillrating.plot_calibration(
    calibration skillrating.calibration,
    title text DEFAULT 'Calibration')
RETURNS text
AS 'MODULE_PATHNAME', 'skillrating_plot_calibration'
LANGUAGE C IMMUTABLE PARALLEL SAFE;

COMMENT ON FUNCTION skillrating.plot_calibration(skillrating.calibration, text) IS
'A picture of what calibration() found, as SVG text: for each bin the frequency of what was forecast
at its mean forecast, with two standard errors, the diagonal of perfect forecasts, the logistic
recalibration as a line, and how many forecasts each bin has: SELECT
skillrating.plot_calibration(skillrating.calibration(p, outcome)) FROM ... . In psql, \t \a \o
picture.svg puts it into a file. Title and description are there for screen readers, colours for
light and dark. Null for null. Error 54000 for more than 1000 bins.';

CREATE FUNCTION skillrating.plot_history(
    player_id text[],
    at timestamptz[],
    rating float8[],
    deviation float8[] DEFAULT NULL,
    title text DEFAULT 'Ratings')
RETURNS text
AS 'MODULE_PATHNAME', 'skillrating_plot_history'
LANGUAGE C STABLE PARALLEL SAFE;

COMMENT ON FUNCTION skillrating.plot_history(text[], timestamptz[], float8[], float8[], text) IS
'A picture of ratings over time, as SVG text, with a line for each of up to 16 players:
SELECT skillrating.plot_history(array_agg(player_id::text), array_agg(played_at),
array_agg(rating_after)) FROM ...
player_id, at, rating: arrays of equal length, one element a point.
deviation: null, or an array of the same length, 0 or more, in the unit of rating; it gives each
line a band of two deviations.
Times are shown in the time zone of the session.  The order of the elements decides colours only.
Elements with a null (except in deviation) or an infinite time do not count; null if none counts.
Errors: 2202E for arrays of different length, 22003 for numbers that are not finite and negative
deviations, 54000 for more players and for numbers more than 1e305 apart.';

CREATE FUNCTION skillrating.plot_history(
    player_id text[],
    at float8[],
    rating float8[],
    deviation float8[] DEFAULT NULL,
    title text DEFAULT 'Ratings')
RETURNS text
AS 'MODULE_PATHNAME', 'skillrating_plot_history'
LANGUAGE C IMMUTABLE PARALLEL SAFE;

COMMENT ON FUNCTION skillrating.plot_history(text[], float8[], float8[], float8[], text) IS
'As the form with times, over any numbers, such as the matches played before.';

CREATE FUNCTION skillrating.plot_distribution(
    value float8[],
    title text DEFAULT 'Distribution')
RETURNS text
AS 'MODULE_PATHNAME', 'skillrating_plot_distribution'
LANGUAGE C IMMUTABLE PARALLEL SAFE;

COMMENT ON FUNCTION skillrating.plot_distribution(float8[], text) IS
'A histogram of values, such as ratings, as SVG text, with mean and median: SELECT
skillrating.plot_distribution(array_agg(rating)) FROM arena.rating. Bins are about as wide as
Freedman and Diaconis (1981) advise, between round numbers. Nulls do not count; null if no value
counts. Errors: 22003 for values that are not finite, 54000 for values more than 1e305 apart.';
-- Fair teams.
--
-- All team makers have their arguments in one order: who (players, what they are worth, the teams
-- at present), with what (one element a player), how (scalars), and explain last.  The test
-- team_options compares them.

CREATE FUNCTION skillrating.split_teams(
    players anycompatiblearray,
    mu float8[],
    mu_2 float8[] DEFAULT NULL,
    deviation float8[] DEFAULT NULL,
    weight float8[] DEFAULT NULL,
    party integer[] DEFAULT NULL,
    locked integer[] DEFAULT NULL,
    avoid text[] DEFAULT NULL,
    split_evenly integer[] DEFAULT NULL,
    priority float8[] DEFAULT NULL,
    current integer[] DEFAULT NULL,
    command_mu float8[] DEFAULT NULL,
    command_mu_2 float8[] DEFAULT NULL,
    commander boolean[] DEFAULT NULL,
    teams integer DEFAULT 2,
    team_size integer DEFAULT NULL,
    log_odds float8 DEFAULT 0,
    strength text DEFAULT 'mean',
    log_odds_unit float8 DEFAULT 173.71779276130073,
    command_weight float8 DEFAULT 0.5,
    model text DEFAULT NULL,
    params jsonb DEFAULT '{}',
    objective text DEFAULT 'squares',
    secondary text DEFAULT NULL,
    tolerance float8 DEFAULT 0,
    budget float8 DEFAULT NULL,
    seed bigint DEFAULT NULL,
    explain boolean DEFAULT false)
RETURNS TABLE (
    player_id anycompatible,
    team integer,
    difference float8,
    win_probability float8,
    exact boolean,
    bound float8,
    commands boolean,
    why jsonb)
AS 'MODULE_PATHNAME', 'skillrating_split_teams'
LANGUAGE C STABLE PARALLEL SAFE ROWS 24;

COMMENT ON FUNCTION skillrating.split_teams(anycompatiblearray, float8[], float8[], float8[], float8[], integer[], integer[], text[], integer[], float8[], integer[], float8[], float8[], boolean[], integer, integer, float8, text, float8, float8, text, jsonb, text, text, float8, float8, bigint, boolean) IS
'Splits players into two to ten teams that are as even as possible.

Result: a row for each player, in the order of players, with the team (null: the bench), its
probability to win and, the same in every row, how good the split is.
difference: the strength of the first team less that of the second; with more teams, of the
strongest less that of the weakest.
win_probability: of the player''s own team, null on the bench.  Of two teams the first has the
logistic function of difference / log_odds_unit + log_odds, and the second the rest; of more, each
has exp(strength / log_odds_unit) by the sum of these (Luce 1959) to come first.
exact: no split is more even, or moves fewer, or is better by the secondary objective.  Otherwise
no split is more even by more than bound, in points of difference; with more than two teams, of the
root mean square deviation, or of the range.
commands: whether the player commands the team; null without command_mu.

Players, up to 1000 (arrays have one element for each player):
mu: the estimate of skill, in points of the model, at most 1e12.  Pass the estimate, such as the
column mu of a ladder, and not a displayed rating such as mu - 3 sigma; for Elo they are the same.
mu_2: the same on the second team, where sides differ.
deviation: of the estimate, for a model that has one.
weight: the share of the match that each will play, above 0, such as 0.5 for one who has to leave at
half-time; null for all of it.  A team''s mean is then weighted, and shares are of all weights.
Except for sums, exact is false unless the teams are even.
party: players with the same number stay together, on a team or on the bench; null for none.  With a
model they are a squad, as players with the same squad in preview().
locked: the team on which a player has to be; 0 is the bench, null leaves the player free.
avoid: pairs of players, as text, who must not be on one team: ''{{a,b},{c,d}}''.  Players who are
not in the lobby do not matter.
split_evenly: players with the same number are divided between two teams as equally as possible,
such as last round''s winners: of those who play, no team gets two more than the other.  Null for
none.
priority: with team_size, players with higher priority play, such as those who have waited longest
(a party has the priority of its first member).  Among the lowest priority that still plays, the
split decides.  Locks, and other constraints that leave no such split, are stronger.
current: the team of each at present, 1 or 2, 0 for the bench, null for a player who was not there
and so does not move: of the splits within the tolerance, the one that moves the fewest players.
command_mu: what players are worth as commanders: each team gets one, who counts by command_mu times
command_weight and not as a player.  command_mu_2: the same on the second team.
commander: whether a player may command; null for all players.

Scalars:
teams: the number of teams, 2 to 10.  mu_2, split_evenly, current, command_mu, log_odds and
secondary are for two.
team_size: players on each team; the others sit out.  Null: all players play, in teams as equal in
size as possible.
log_odds: a handicap that favours the first team, in log-odds.
strength: a team is the ''mean'' or the ''sum'' of its players, or their ''share'': their sum by
the number of all who play, as in the Hive model.
log_odds_unit: points of strength for a log-odds of 1; 400 / ln 10 for Elo.
command_weight: 0 to 1e6.
model, params: a rating model that says what teams are and when they are balanced, in place of
strength, log_odds_unit and command_weight.  mu is its first state column, half of mu - mu_2 its
side offset.
win_probability is what it predicts, for players with this estimate and deviation who are otherwise
new: what preview() says, with squad => party, weight, side => team if there is a mu_2, and
commanding for commanders.  Strengths and difference contain what the model says that squads add.
With log_odds and a bench, exact is false, because the worth of log_odds depends on who plays.
objective: with more than two teams, the ''squares'' of the deviations of strengths from their mean,
or the ''range'' from the weakest to the strongest.
secondary: of the splits within the tolerance, the one whose teams are most alike in ''spread''
(mean square distance from the mean of all players), or in their ''best'' players; ''none'' or null.
tolerance: points of strength farther from even than the best split, for current and secondary.
budget: milliseconds that the search may take, roughly, up to 10000.  Null: about a second for up to
300 players.  The search becomes coarser where it would take longer; it does not depend on the
clock.
seed: another order in which players are considered, and so another one of equally good splits.
explain: the first row says in why what the split consists of (terms), the most even other split
(alternative), and the lock, party, pair to avoid or priority without which the split would be most
even, with its cost in points (constraint).  They are sought within half of the budget besides, so
that in a large lobby there may be better alternatives.

No rows if players or mu are null, or there are no players.  At most 64 MB of memory.
Errors: 22023 for constraints that contradict one another, naming one of them, for a player who
occurs twice, and for unknown names; 22003 for numbers out of range; 2202E for arrays of other
lengths; 22004 for nulls in arrays; 54000 for more than 1000 players, and for more than 24 who are
tied to one another, or in too many ways.
Source: sums that can be reached, or all sums of both halves (Horowitz and Sahni 1974); for more
than two teams a snake draft, whose pairs of teams are split again, and dynamic programming over
sets of players.';

CREATE FUNCTION skillrating_internal.split_states(
    players anycompatiblearray,
    mu float8[],
    mu_2 float8[] DEFAULT NULL,
    deviation float8[] DEFAULT NULL,
    weight float8[] DEFAULT NULL,
    party integer[] DEFAULT NULL,
    locked integer[] DEFAULT NULL,
    avoid text[] DEFAULT NULL,
    split_evenly integer[] DEFAULT NULL,
    priority float8[] DEFAULT NULL,
    current integer[] DEFAULT NULL,
    command_mu float8[] DEFAULT NULL,
    command_mu_2 float8[] DEFAULT NULL,
    commander boolean[] DEFAULT NULL,
    teams integer DEFAULT 2,
    team_size integer DEFAULT NULL,
    log_odds float8 DEFAULT 0,
    strength text DEFAULT 'mean',
    log_odds_unit float8 DEFAULT 173.71779276130073,
    command_weight float8 DEFAULT 0.5,
    model text DEFAULT NULL,
    params jsonb DEFAULT '{}',
    objective text DEFAULT 'squares',
    secondary text DEFAULT NULL,
    tolerance float8 DEFAULT 0,
    budget float8 DEFAULT NULL,
    seed bigint DEFAULT NULL,
    explain boolean DEFAULT false,
    state float8[] DEFAULT NULL)
RETURNS TABLE (
    player_id anycompatible,
    team integer,
    difference float8,
    win_probability float8,
    exact boolean,
    bound float8,
    commands boolean,
    why jsonb)
AS 'MODULE_PATHNAME', 'skillrating_split_teams'
LANGUAGE C STABLE PARALLEL SAFE ROWS 24;

COMMENT ON FUNCTION skillrating_internal.split_states(anycompatiblearray, float8[], float8[], float8[], float8[], integer[], integer[], text[], integer[], float8[], integer[], float8[], float8[], boolean[], integer, integer, float8, text, float8, float8, text, jsonb, text, text, float8, float8, bigint, boolean, float8[]) IS
'split_teams() of players whose whole states are known: state has all state columns of the model for
each player, one player after another.  mu and the other arrays take the place of their columns.';

CREATE FUNCTION skillrating.split_all_sizes(
    players anycompatiblearray,
    mu float8[],
    mu_2 float8[] DEFAULT NULL,
    deviation float8[] DEFAULT NULL,
    weight float8[] DEFAULT NULL,
    party integer[] DEFAULT NULL,
    locked integer[] DEFAULT NULL,
    avoid text[] DEFAULT NULL,
    split_evenly integer[] DEFAULT NULL,
    command_mu float8[] DEFAULT NULL,
    command_mu_2 float8[] DEFAULT NULL,
    commander boolean[] DEFAULT NULL,
    log_odds float8 DEFAULT 0,
    strength text DEFAULT 'mean',
    log_odds_unit float8 DEFAULT 173.71779276130073,
    command_weight float8 DEFAULT 0.5,
    model text DEFAULT NULL,
    params jsonb DEFAULT '{}',
    budget float8 DEFAULT NULL,
    seed bigint DEFAULT NULL,
    explain boolean DEFAULT false)
RETURNS TABLE (
    team_size integer,
    player_id anycompatible,
    team integer,
    difference float8,
    win_probability float8,
    exact boolean,
    bound float8,
    commands boolean,
    why jsonb)
AS 'MODULE_PATHNAME', 'skillrating_split_all_sizes'
LANGUAGE C STABLE PARALLEL SAFE ROWS 200;

COMMENT ON FUNCTION skillrating.split_all_sizes(anycompatiblearray, float8[], float8[], float8[], float8[], integer[], integer[], text[], integer[], float8[], float8[], boolean[], float8, text, float8, float8, text, jsonb, float8, bigint, boolean) IS
'The most even split into two teams for every team size from 2 to half of the players, with the
other players on the bench, so that a game server has one ready whoever is still there.

Result: for each size, smallest first, a row for each player, in the order of players.  Sizes that
the constraints rule out are left out.  Columns, arguments and errors are those of split_teams().
budget: for all sizes together, and half of it for all explanations.
All sizes are one search; with a model or commanders each size is a search of its own.';
-- Existing teams adjusted.

CREATE FUNCTION skillrating.suggest_swaps(
    players anycompatiblearray,
    mu float8[],
    team integer[],
    mu_2 float8[] DEFAULT NULL,
    deviation float8[] DEFAULT NULL,
    weight float8[] DEFAULT NULL,
    party integer[] DEFAULT NULL,
    locked integer[] DEFAULT NULL,
    avoid text[] DEFAULT NULL,
    command_mu float8[] DEFAULT NULL,
    command_mu_2 float8[] DEFAULT NULL,
    commander boolean[] DEFAULT NULL,
    max_swaps integer DEFAULT NULL,
    log_odds float8 DEFAULT 0,
    strength text DEFAULT 'mean',
    log_odds_unit float8 DEFAULT 173.71779276130073,
    command_weight float8 DEFAULT 0.5,
    model text DEFAULT NULL,
    params jsonb DEFAULT '{}',
    method text DEFAULT 'exact',
    budget float8 DEFAULT NULL,
    seed bigint DEFAULT NULL,
    explain boolean DEFAULT false)
RETURNS TABLE (
    swaps integer,
    player_id_a anycompatible,
    player_id_b anycompatible,
    difference float8,
    win_probability float8,
    exact boolean,
    bound float8,
    commander_1 anycompatible,
    commander_2 anycompatible,
    why jsonb)
AS 'MODULE_PATHNAME', 'skillrating_suggest_swaps'
LANGUAGE C STABLE PARALLEL SAFE ROWS 24;

COMMENT ON FUNCTION skillrating.suggest_swaps(anycompatiblearray, float8[], integer[], float8[], float8[], float8[], integer[], integer[], text[], float8[], float8[], boolean[], integer, float8, text, float8, float8, text, jsonb, text, float8, bigint, boolean) IS
'The fewest swaps that make two existing teams even: for each number of swaps that is better than
any smaller number, the players who change places, and the difference that is left.

Result: the rows with the same number of swaps are one suggestion, fewest swaps first.  In each row
player_id_a, of the first team, changes places with player_id_b, of the second.  Of the players who
move, the strongest are paired; rows come in the order of player_id_a among players, by the method
greedy in the order of the swaps.  The rows with 0 swaps say how the match is now: one for each
player without a team, who is placed first as by place_joiner(), as player_id_a in the first team or
player_id_b in the second; or one with nulls.
difference, exact and bound: after these swaps, as in split_teams(); exact: no other swaps of as
many players are better, nor more swaps than were tried within the budget.
win_probability: of the first team after these swaps, in every row, because a row is about two
players.
commander_1, commander_2: who commands either team then; null without command_mu.

team: the team at present, 1 or 2, or null for a player without a team.
party: players of a party who are in one team move together or not at all.  With a model they are a
squad; of a party in both teams, those in one team are one.
locked: the team on which a player has to be: null, or the team at present.  A player without a team
is placed on that team.
avoid: pairs who are not to come into one team; those who are in one team already may stay.
command_mu: what players are worth as commanders.  Each team gets one, who is chosen anew for each
number of swaps; to keep those who command now, say by commander that nobody else may.
max_swaps: the largest number of swaps; null for no limit.
method: exact, or greedy: the best swap of two, then the best after that, as in the Natural
Selection 2 document.
explain: the first row of each number says in why what the difference was and is, and how far that
is from even (terms), the best other swaps of as many players (alternative), and the lock, party or
pair without which as many swaps would do most (constraint); for 0 swaps, as in split_teams().
Where the budget does not suffice for all numbers, the larger ones have only terms.
The other arguments are those of split_teams().

No rows if players, mu or team are null, or there are no players.
Errors: 22023 for a player who is locked to the bench or to another team, for players without a team
who cannot be placed, for a team that nobody may command, and for values out of range; and as
split_teams().';

CREATE FUNCTION skillrating.suggest_transfers(
    players anycompatiblearray,
    mu float8[],
    team integer[],
    mu_2 float8[] DEFAULT NULL,
    deviation float8[] DEFAULT NULL,
    weight float8[] DEFAULT NULL,
    party integer[] DEFAULT NULL,
    locked integer[] DEFAULT NULL,
    avoid text[] DEFAULT NULL,
    command_mu float8[] DEFAULT NULL,
    command_mu_2 float8[] DEFAULT NULL,
    commander boolean[] DEFAULT NULL,
    max_swaps integer DEFAULT 0,
    max_lead integer DEFAULT 1,
    log_odds float8 DEFAULT 0,
    strength text DEFAULT 'mean',
    log_odds_unit float8 DEFAULT 173.71779276130073,
    command_weight float8 DEFAULT 0.5,
    model text DEFAULT NULL,
    params jsonb DEFAULT '{}',
    budget float8 DEFAULT NULL,
    seed bigint DEFAULT NULL,
    explain boolean DEFAULT false)
RETURNS TABLE (
    player_id anycompatible,
    from_team integer,
    to_team integer,
    difference float8,
    win_probability float8,
    exact boolean,
    bound float8,
    commander_1 anycompatible,
    commander_2 anycompatible,
    why jsonb)
AS 'MODULE_PATHNAME', 'skillrating_suggest_transfers'
LANGUAGE C STABLE PARALLEL SAFE ROWS 4;

COMMENT ON FUNCTION skillrating.suggest_transfers(anycompatiblearray, float8[], integer[], float8[], float8[], float8[], integer[], integer[], text[], float8[], float8[], boolean[], integer, integer, float8, text, float8, float8, text, jsonb, float8, bigint, boolean) IS
'The players who change teams when one of two existing teams has too many more players than the
other: as few as it takes, and of these the ones with whom the match is as even as possible.  All
who move are chosen together, and by the sign of the difference, so that no strong player leaves the
weaker team.

Result: a row for each player who moves, in the order of players; no rows if nobody has to.
difference, exact and bound: after all moves, as in split_teams(); exact: no other moves of as many
players are better.
win_probability: of the first team after all moves, in every row.
commander_1, commander_2: who commands either team then; null without command_mu.

max_swaps: pairs who may change places besides, as few as are needed.
max_lead: a team may have so many players more than the other; from a larger lead on, players move
until it is no larger.  By default they move from a lead of two on.  More than the fewest move only
if party, locked and avoid leave no other way.
explain: the first row says in why what suggest_swaps() does.
The other arguments are those of suggest_swaps(); a locked player stays.

Errors: as suggest_swaps(); 22023 also if a player has no team, or too many players are locked.
Source: the rule for mid-round joins and the target of a transfer (F11) of the SynElo document.';

CREATE FUNCTION skillrating.place_joiner(
    players anycompatiblearray,
    mu float8[],
    team integer[],
    mu_2 float8[] DEFAULT NULL,
    deviation float8[] DEFAULT NULL,
    weight float8[] DEFAULT NULL,
    party integer[] DEFAULT NULL,
    locked integer[] DEFAULT NULL,
    avoid text[] DEFAULT NULL,
    command_mu float8[] DEFAULT NULL,
    command_mu_2 float8[] DEFAULT NULL,
    commander boolean[] DEFAULT NULL,
    max_lead integer DEFAULT 1,
    log_odds float8 DEFAULT 0,
    strength text DEFAULT 'mean',
    log_odds_unit float8 DEFAULT 173.71779276130073,
    command_weight float8 DEFAULT 0.5,
    model text DEFAULT NULL,
    params jsonb DEFAULT '{}',
    budget float8 DEFAULT NULL,
    seed bigint DEFAULT NULL,
    explain boolean DEFAULT false)
RETURNS TABLE (
    player_id anycompatible,
    team integer,
    difference float8,
    win_probability float8,
    exact boolean,
    bound float8,
    commander_1 anycompatible,
    commander_2 anycompatible,
    why jsonb)
AS 'MODULE_PATHNAME', 'skillrating_place_joiner'
LANGUAGE C STABLE PARALLEL SAFE ROWS 1;

COMMENT ON FUNCTION skillrating.place_joiner(anycompatiblearray, float8[], integer[], float8[], float8[], float8[], integer[], integer[], text[], float8[], float8[], boolean[], integer, float8, text, float8, float8, text, jsonb, float8, bigint, boolean) IS
'Teams for players who have none yet (team is null), chosen together so that the match is as even as
possible.

Result: a row for each of them, in the order of players.
difference, exact and bound: with them, as in split_teams().
win_probability: of the first team with them, in every row.
commander_1, commander_2: who commands either team then; null without command_mu.

max_lead: no team gets more than so many players more than the other; if one has them anyway, the
lead becomes as small as possible.
locked: the team on which a player has to be: a joiner is placed there.
explain: the first row says in why what split_teams() does.
The other arguments and the errors are those of suggest_swaps().';

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
SET search_path = pg_catalog, pg_temp
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
            MESSAGE = format('the winner of a round cannot be %s',
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
streak, rounds: as above.
waiting_over: waiting for players is over, a reason in all modes, before the first round too.

Errors: 22023 for an unknown mode, winner or number of rounds, 2202E for captures of another number
of rounds, 22004 for nulls.
Source: "Scramble Triggers By Gamemode" of the SynElo document.';
-- Draws that nobody can predict, and everybody can check afterwards.

CREATE FUNCTION skillrating_internal.hmac_sha256(
    key bytea,
    message bytea)
RETURNS bytea
LANGUAGE plpgsql IMMUTABLE STRICT PARALLEL SAFE
SET search_path = pg_catalog, pg_temp
AS $function$
DECLARE
    short_key bytea := CASE WHEN length(key) > 64 THEN sha256(key) ELSE key END;
    inner_pad bytea := decode(repeat('36', 64), 'hex');
    outer_pad bytea := decode(repeat('5c', 64), 'hex');
BEGIN
    FOR i IN 0 .. length(short_key) - 1 LOOP
        inner_pad := set_byte(inner_pad, i, get_byte(short_key, i) # 54);
        outer_pad := set_byte(outer_pad, i, get_byte(short_key, i) # 92);
    END LOOP;
    RETURN sha256(outer_pad || sha256(inner_pad || message));
END
$function$;

COMMENT ON FUNCTION skillrating_internal.hmac_sha256(bytea, bytea) IS
'The authentication code HMAC-SHA-256 of a message under a key (RFC 2104).';

CREATE FUNCTION skillrating.draw_number(
    secret bytea,
    draw text)
RETURNS bigint
LANGUAGE plpgsql IMMUTABLE STRICT PARALLEL SAFE
SET search_path = pg_catalog, pg_temp
AS $function$
DECLARE
    code bytea;
BEGIN
    IF length(secret) < 16 THEN
        RAISE invalid_parameter_value USING
            MESSAGE = format('secret must have at least 16 bytes, not %s', length(secret)),
            HINT = 'Shorter secrets can be found by trying all of them; gen_random_uuid() makes one.';
    END IF;
    code := skillrating_internal.hmac_sha256(secret, convert_to(draw, 'UTF8'));
    RETURN ('x' || encode(substring(code FROM 1 FOR 8), 'hex'))::bit(64)::bigint;
END
$function$;

COMMENT ON FUNCTION skillrating.draw_number(bytea, text) IS
'A number that is drawn by a secret, such as the seed of split_teams(): nobody can predict it without
the secret, who draws cannot choose it, and everybody can check it when the secret is revealed.

Publish sha256(secret) before the draws, and the secret when all of them are over.  Each draw of a
secret needs a name of its own, fixed by a rule that is known in advance, such as ''round 7''.
secret: at least 16 bytes that nobody can guess.
Result: the first 8 bytes of HMAC-SHA-256 of the name under the secret, as a signed number.
Null for nulls.  Error 22023 for a shorter secret.';

CREATE FUNCTION skillrating.draw_sides(
    secret bytea,
    draw text,
    teams integer DEFAULT 2)
RETURNS integer[]
LANGUAGE plpgsql IMMUTABLE STRICT PARALLEL SAFE
SET search_path = pg_catalog, pg_temp
AS $function$
DECLARE
    ignored bigint := skillrating.draw_number(secret, draw);
BEGIN
    IF teams NOT BETWEEN 2 AND 10 THEN
        RAISE invalid_parameter_value USING
            MESSAGE = format('teams must be at least 2 and at most 10, not %s', teams);
    END IF;
    -- A text has no zero byte, so that no two draws have a message in common.
    RETURN ARRAY(
        SELECT rank() OVER (ORDER BY skillrating_internal.hmac_sha256(secret,
            convert_to(draw, 'UTF8') || '\x00'::bytea || convert_to(t::text, 'UTF8')))::integer
        FROM generate_series(1, teams) AS t ORDER BY t);
END
$function$;

COMMENT ON FUNCTION skillrating.draw_sides(bytea, text, integer) IS
'The side of each team, 1 to teams, by a secret draw; all orders are equally likely.  Element t is the
side of team t.  See draw_number() for the secret and the name of the draw.

teams: 2 to 10.
Result: the places of the teams by HMAC-SHA-256 of the name, a zero byte and the team''s number.
Null for nulls.  Errors: 22023 for a short secret and for teams out of range.';
-- Match making.

CREATE FUNCTION skillrating.pair_queue(
    players anycompatiblearray,
    mu float8[],
    mu_2 float8[] DEFAULT NULL,
    deviation float8[] DEFAULT NULL,
    weight float8[] DEFAULT NULL,
    waited float8[] DEFAULT NULL,
    party integer[] DEFAULT NULL,
    region bigint[] DEFAULT NULL,
    pool text[] DEFAULT NULL,
    command_mu float8[] DEFAULT NULL,
    commander boolean[] DEFAULT NULL,
    teams integer DEFAULT 2,
    team_size integer DEFAULT 1,
    log_odds float8 DEFAULT 0,
    model text DEFAULT 'elo',
    params jsonb DEFAULT '{}',
    initial_window float8 DEFAULT NULL,
    widening float8 DEFAULT NULL,
    max_window float8 DEFAULT NULL,
    min_quality float8 DEFAULT 0,
    explain boolean DEFAULT false)
RETURNS TABLE (
    match_number integer,
    player_id anycompatible,
    team integer,
    difference float8,
    win_probability float8,
    quality float8,
    region bigint,
    commands boolean,
    why jsonb)
AS 'MODULE_PATHNAME', 'skillrating_pair_queue'
LANGUAGE C STABLE PARALLEL SAFE ROWS 1000;

COMMENT ON FUNCTION skillrating.pair_queue(anycompatiblearray, float8[], float8[], float8[], float8[], float8[], integer[], bigint[], text[], float8[], boolean[], integer, integer, float8, text, jsonb, float8, float8, float8, float8, boolean) IS
'Groups queued players into matches of teams that are as even as possible.

Result: a row for each player who got a match.  The rows of a match come by team, and within a team
in the order of players.
match_number: of the match within this call, from 1 as they are made, for the longest waiting player
first.
difference: the strength of the first team less that of the second; with more teams, of the
strongest less that of the weakest, as split_teams() has it for these players with the model.
win_probability: of the player''s own team by the model: what preview() says, as in split_teams().
quality: the least win_probability times the number of teams, 1 for a balanced match.
region: the bit of the region that all of the match have in common; null without regions.
commands: whether the player commands the team; null without command_mu.

Players, up to 100000 (arrays have one element for each player):
mu: the estimate of skill, the first state column of the model (see split_teams()).  mu_2: the same
on the second team, where sides differ; the queue goes by the mean of both.
deviation: of the estimate, for a model that has one; null for that of a new player.
weight: the share of the match that each will play; null for all of it.
waited: seconds in the queue; null for nobody has waited.
party: players with the same number come into one team; null for none.  They are a squad to the
model, and count in the queue and in difference by what they are worth together.
region: a set of bits, such as the data centers within reach at an acceptable latency; null for all.
pool: only players with the same label meet, and those with null.
command_mu: what players are worth as commanders.  Each team gets one; commander: whether a player
may command, null for all players.  A match of too few who may is not made.

Scalars:
teams, team_size: up to 128 seats.  mu_2, command_mu and log_odds are for two teams.
log_odds: a handicap that favours the first team, in log-odds, such as that of the map.
initial_window: the longest waiting player meets the nearest ones within so many points; null for
half a log-odds of the model.  widening: points more for each second waited; null for as much as the
initial window in 30 seconds.  max_window: points; null for no limit.  Without a limit nobody
starves, see docs/teams.md.
min_quality: matches of less than that, 0 to 1, are not made; as the window of the longest waiting
player widens, it falls in proportion.
explain: the first row of each match says in why how long its first player has waited, how far from
them others might be and are, and what quality was needed (match), and what split_teams() says of
the teams.

A party that is larger than a team, in several pools or in no common region stays in the queue.
No rows if players or mu are null.
Errors: 22023 for an unknown model, a player who occurs twice or is in no region, a deviation of a
model that has none (as mu_2 and command_mu), and counts out of range; 22003 for other numbers out
of range; 2202E for arrays of other lengths; 22004 for nulls; 54000 for more than 100000 players, or
if their regions take more than 64 MB.';
-- Ladders: schemas of ordinary tables that keep ratings up to date.
--
-- Whatever works on a ladder comes through one door, which is in C.  Here stand the
-- bodies, in skillrating_internal; create_entry() makes the functions to call, with the
-- same arguments.
--
-- The functions in PL/pgSQL pin their search_path, and name what they make with
-- format(), so that no caller's search_path or odd name can bend them.

CREATE FUNCTION skillrating_internal.ladder_entries(
    OUT function text,
    OUT runs_as text,
    OUT lock text,
    OUT needs text,
    OUT in_api boolean)
RETURNS SETOF record
AS 'MODULE_PATHNAME', 'skillrating_ladder_entries'
LANGUAGE C IMMUTABLE PARALLEL SAFE ROWS 40;

COMMENT ON FUNCTION skillrating_internal.ladder_entries() IS
'The functions of the schema skillrating that work on ladders: as whom they run, which lock they take
on the schema of the ladder, and what the caller needs besides USAGE on it, and
whether create_api() makes one of the same name.';

CREATE FUNCTION skillrating_internal.create_entry(name text)
RETURNS void
LANGUAGE plpgsql VOLATILE STRICT
SET search_path = pg_catalog, pg_temp
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
        'CREATE FUNCTION skillrating.%I(%%s) RETURNS %s AS ''MODULE_PATHNAME'', ''skillrating_enter''
        LANGUAGE C %s %s %s',
        name, replace(body.result, '%', '%%'),
        CASE body.provolatile WHEN 'v' THEN 'VOLATILE' ELSE 'STABLE' END,
        CASE WHEN body.proisstrict THEN 'STRICT' END,
        CASE WHEN body.proretset THEN format('ROWS %s', body.prorows) END);
    EXECUTE format(entry, body.arguments);
    EXECUTE format('COMMENT ON FUNCTION %s IS %L', body.oid::regprocedure,
        format('The body of skillrating.%s(), which calls it once the door to the ladder is open.', name));

    -- A parameter without a type is no anyelement; beside one of type text it is that.
    IF body.signature ~ '\manyelement\M' THEN
        overload := regexp_replace(body.signature, '\manyelement\M', 'text');
        EXECUTE format(entry, regexp_replace(body.arguments, '\manyelement\M', 'text'));
        EXECUTE format('COMMENT ON FUNCTION skillrating.%I(%s) IS %L', name, overload, format(
            'skillrating.%s() for an identifier that is a text, a literal or a parameter without a type.',
            name));
    END IF;
END
$function$;

COMMENT ON FUNCTION skillrating_internal.create_entry(text) IS
'A part of the install script, for superusers: makes the function of the schema skillrating that
opens the door to a ladder and calls the body of the same name and arguments in
skillrating_internal.

Identifiers are of the type anycompatible or anycompatiblearray, which take parameters without a
type as text. Where a function has identifiers of two kinds, of matches and of players, that of the
match is anyelement, which would refuse such a parameter: the same body then gets a second entry,
with text in its place.';

CREATE TYPE skillrating_internal.ladder_types AS (
    player_type text,
    player_equals text,
    player_order text,
    match_type text,
    match_equals text,
    match_order text,
    player_less text);

COMMENT ON TYPE skillrating_internal.ladder_types IS
'The types of the players and matches of a ladder, and for each the operator of equality and what
follows an expression in ORDER BY; player_less is the operator that orders players. All are SQL text
that does not depend on search_path.';

CREATE FUNCTION skillrating_internal.ladder_types(ladder text)
RETURNS skillrating_internal.ladder_types
AS 'MODULE_PATHNAME', 'skillrating_ladder_types'
LANGUAGE C STABLE STRICT;

COMMENT ON FUNCTION skillrating_internal.ladder_types(text) IS
'The types of a ladder''s players and matches and the operators that compare them. The body of a
function begins with it, because it gives error 55000 unless the door to the ladder is open.';

CREATE FUNCTION skillrating_internal.check_inside(ladder text)
RETURNS void
AS 'MODULE_PATHNAME', 'skillrating_check_inside'
LANGUAGE C STABLE STRICT;

COMMENT ON FUNCTION skillrating_internal.check_inside(text) IS
'Error 55000 unless the door to the ladder is open. Bodies that put up with an incomplete ladder
begin with it, and others with ladder_types().';

CREATE FUNCTION skillrating_internal.check_pending(ladder text)
RETURNS void
AS 'MODULE_PATHNAME', 'skillrating_check_pending'
LANGUAGE C VOLATILE STRICT;

COMMENT ON FUNCTION skillrating_internal.check_pending(text) IS
'For bodies that insert into the table pending: locks it, and is error 55000 if anything of the
user''s hangs on it, such as a default, a check or a trigger, or unless the door to the ladder is
open.';

CREATE FUNCTION skillrating_internal.check_readable(ladder text, relation text)
RETURNS void
AS 'MODULE_PATHNAME', 'skillrating_check_readable'
LANGUAGE C STABLE STRICT;

COMMENT ON FUNCTION skillrating_internal.check_readable(text, text) IS
'For bodies that read more than their entry asks for, with some arguments: error 42501 unless the
role that called may SELECT from this relation of the ladder and sees all of its rows, 55000 unless
the door to the ladder is open.';

CREATE FUNCTION skillrating_internal.shared_pool(ladder text)
RETURNS text
AS 'MODULE_PATHNAME', 'skillrating_shared_pool'
LANGUAGE C STABLE STRICT;

COMMENT ON FUNCTION skillrating_internal.shared_pool(text) IS
'The pool of the rows that have what a player has in all pools, null where the ladder''s model
shares nothing. Error 55000 unless the door to the ladder is open.';

CREATE FUNCTION skillrating_internal.collect_matches()
RETURNS trigger
AS 'MODULE_PATHNAME', 'skillrating_collect_matches'
LANGUAGE C;

COMMENT ON FUNCTION skillrating_internal.collect_matches() IS
'Trigger function on the tables match and match_player of a ladder, and on those that attach() gave
it, after each statement: the matches that it touched are rated at commit or at once, as the
ladder''s apply_at says, with the rights of the ladder''s owner. On an attached table the WHEN
condition of the trigger names the view source of the ladder. Error 39P01 if it is attached
otherwise, 55000 on any other table.';

CREATE FUNCTION skillrating_internal.apply_pending()
RETURNS trigger
AS 'MODULE_PATHNAME', 'skillrating_apply_pending'
LANGUAGE C;

COMMENT ON FUNCTION skillrating_internal.apply_pending() IS
'Deferred constraint trigger function on the table pending of a ladder: at commit it rates the
matches that the transaction touched, in one batch, in the order of played_at and match_id. SET
CONSTRAINTS ALL IMMEDIATE rates them now.';

CREATE FUNCTION skillrating_internal.refuse_truncate()
RETURNS trigger
AS 'MODULE_PATHNAME', 'skillrating_refuse_truncate'
LANGUAGE C;

COMMENT ON FUNCTION skillrating_internal.refuse_truncate() IS
'Trigger function on the tables of a ladder''s matches and on attached ones: refuses TRUNCATE with
error 55000, because rated matches cannot vanish.';

CREATE FUNCTION skillrating_internal.check_identifier_type(type regtype, column_name text)
RETURNS void
AS 'MODULE_PATHNAME', 'skillrating_check_identifier_type'
LANGUAGE C STABLE STRICT PARALLEL SAFE;

COMMENT ON FUNCTION skillrating_internal.check_identifier_type(regtype, text) IS
'Error 42804 that names the column unless values of the type can identify players or matches, which
takes a hash function, an order and an array type; bigint, uuid and text have them. Nor may it be
composite, an array, a name of an object, or a domain without null, or have a nondeterministic
collation. Error 42704 for an unknown type.';

CREATE FUNCTION skillrating_internal.check_relation(relation regclass)
RETURNS void
LANGUAGE plpgsql STABLE STRICT
SET search_path = pg_catalog, pg_temp
AS $function$
BEGIN
    IF NOT EXISTS (SELECT FROM pg_class AS c WHERE c.oid = relation) THEN
        RAISE undefined_table USING
            MESSAGE = format('relation with OID %s does not exist', relation::oid);
    END IF;
END
$function$;

COMMENT ON FUNCTION skillrating_internal.check_relation(regclass) IS
'Error 42P01 unless there is a relation with this OID, as a number can be cast to regclass.';

CREATE FUNCTION skillrating_internal.identifier_equals(type regtype, column_name text)
RETURNS text
AS 'MODULE_PATHNAME', 'skillrating_identifier_equals'
LANGUAGE C STABLE STRICT PARALLEL SAFE;

COMMENT ON FUNCTION skillrating_internal.identifier_equals(regtype, text) IS
'The equality operator of a type of identifiers, as an expression has it: OPERATOR(schema.=). It is
that of the type''s default operator class, whatever operators there are beside it. Errors as for
check_identifier_type().';

CREATE FUNCTION skillrating.source_columns(
    OUT column_name text,
    OUT type text,
    OUT needed text,
    OUT description text)
RETURNS SETOF record
AS 'MODULE_PATHNAME', 'skillrating_source_columns'
LANGUAGE C IMMUTABLE PARALLEL SAFE ROWS 24;

COMMENT ON FUNCTION skillrating.source_columns() IS
'The columns that a source of matches may have, a row of which is a participant: the name, the type
(identifier, time, number, boolean or number, or text), whether it is needed (yes, no, or
one: at least one of them), and what it is.';

CREATE FUNCTION skillrating.describe_source(
    source regclass,
    OUT column_name text,
    OUT present boolean,
    OUT ok boolean,
    OUT source_type text,
    OUT wanted_type text,
    OUT needed text,
    OUT description text)
RETURNS SETOF record
LANGUAGE plpgsql STABLE STRICT
SET search_path = pg_catalog, pg_temp
AS $function$
DECLARE
    source_type_oid oid;
    deterministic boolean;
    results integer := (
        SELECT count(*)
        FROM skillrating.source_columns() AS c
        JOIN pg_attribute AS a ON a.attname = c.column_name
        WHERE c.needed = 'one' AND a.attrelid = source AND NOT a.attisdropped);
BEGIN
    PERFORM skillrating_internal.check_relation(source);
    FOR column_name, wanted_type, needed, description, source_type_oid, source_type, deterministic IN
        SELECT c.column_name, c.type, c.needed, c.description, a.atttypid, format_type(a.atttypid, a.atttypmod),
            NOT EXISTS (SELECT FROM pg_collation AS l WHERE l.oid = a.attcollation AND NOT l.collisdeterministic)
        FROM skillrating.source_columns() WITH ORDINALITY AS c(column_name, type, needed, description, n)
        LEFT JOIN pg_attribute AS a
            ON a.attrelid = source AND a.attname = c.column_name AND NOT a.attisdropped
        ORDER BY c.n
    LOOP
        present := source_type_oid IS NOT NULL;
        IF NOT present THEN
            ok := needed = 'no' OR (needed = 'one' AND results > 0);
        ELSIF wanted_type = 'identifier' THEN
            BEGIN
                PERFORM skillrating_internal.check_identifier_type(source_type_oid, column_name);
                ok := deterministic;
            EXCEPTION
                WHEN datatype_mismatch THEN
                    ok := false;
            END;
        ELSE
            ok := wanted_type = 'text' OR EXISTS (
                SELECT FROM pg_type AS t
                WHERE t.oid = source_type_oid AND CASE wanted_type
                    WHEN 'number' THEN t.typcategory IN ('N', 'B')
                    WHEN 'boolean or number' THEN t.typcategory IN ('N', 'B')
                    WHEN 'time' THEN t.oid IN ('timestamptz'::regtype, 'timestamp'::regtype, 'date'::regtype)
                    END);
        END IF;
        RETURN NEXT;
    END LOOP;

    -- Whatever else is there.
    present := true;
    ok := true;
    wanted_type := NULL;
    needed := 'no';
    description := 'not used';
    FOR column_name, source_type IN
        SELECT a.attname, format_type(a.atttypid, a.atttypmod)
        FROM pg_attribute AS a
        WHERE a.attrelid = source AND a.attnum > 0 AND NOT a.attisdropped
            AND NOT EXISTS (SELECT FROM skillrating.source_columns() AS c WHERE c.column_name = a.attname)
        ORDER BY a.attnum
    LOOP
        RETURN NEXT;
    END LOOP;
    PERFORM skillrating_internal.warn_of_slow_source(source);
END
$function$;

COMMENT ON FUNCTION skillrating.describe_source(regclass) IS
'What a view (or table) has to offer as the source of a ladder: a row for each column that one may
have, whether it is present, its type there and the one wanted, and whether that is in order; and
then those columns that are not used. If ok is nowhere false, create_ladder() takes it. If the
source is your own, a warning names tables of half a megabyte and more that it reads from end to end
for a single match. Error 42P01 for an unknown relation.';

CREATE FUNCTION skillrating_internal.ladder_columns(
    relation text,
    model text,
    player_type regtype,
    match_type regtype,
    display text)
RETURNS text
AS 'MODULE_PATHNAME', 'skillrating_ladder_columns'
LANGUAGE C STABLE STRICT PARALLEL SAFE;

COMMENT ON FUNCTION skillrating_internal.ladder_columns(text, text, regtype, regtype, text) IS
'The column definitions of table rating, event, component or component_event of a ladder, as CREATE
TABLE takes them; display is the expression of the displayed rating, for table rating. Errors: 22023 for another relation or an unknown model.';

CREATE FUNCTION skillrating_internal.check_source(source regclass)
RETURNS text
LANGUAGE plpgsql STABLE STRICT
SET search_path = pg_catalog, pg_temp
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
            HINT = 'Whoever owns a ladder must own its source view.';
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
            DETAIL = faults || '.',
            HINT = format('See SELECT * FROM skillrating.describe_source(%L).', source);
    END IF;
    RETURN source_list;
END
$function$;

COMMENT ON FUNCTION skillrating_internal.check_source(regclass) IS
'A part of create_ladder(): the select list, over a relation aliased s, of the columns that a source
has. Errors: 42501 for a view of another role, 22023 unless describe_source() finds it in order.';

CREATE FUNCTION skillrating_internal.create_rating_tables(
    ladder text,
    model text,
    params jsonb,
    apply_at text,
    late text,
    strict boolean,
    leaderboard text,
    player_type regtype,
    match_type regtype,
    beside text)
RETURNS void
LANGUAGE plpgsql VOLATILE
SET search_path = pg_catalog, pg_temp
AS $function$
DECLARE
    match text := format_type(match_type, -1);
    display text := skillrating_internal.display_expression(model, params);
BEGIN
    EXECUTE format(
        'CREATE TABLE %I.ladder (
            model text NOT NULL,
            params jsonb NOT NULL,
            apply_at text NOT NULL CHECK (apply_at IN (''commit'', ''statement'', ''manual'')),
            late text NOT NULL CHECK (late IN (''append'', ''reorder'')),
            strict boolean NOT NULL DEFAULT false,
            leaderboard text NOT NULL DEFAULT ''ranks'' CHECK (leaderboard IN (''ranks'', ''bands'', ''none'')),
            format_version integer NOT NULL DEFAULT 1,
            horizon bigint,
            horizon_at timestamptz,
            partition_rows bigint CHECK (partition_rows > 0),
            only_row boolean PRIMARY KEY DEFAULT true CHECK (only_row))', ladder);
    EXECUTE format('COMMENT ON TABLE %I.ladder IS %L', ladder,
        'One row: the model, all its parameters, when matches are rated (apply_at), what becomes of late ones (late), whether a mistake in a match is an error (strict), what makes boards quick (leaderboard), the format of these tables, and, set by set_horizon(), the last place in the order that can be corrected no more (horizon) and the time before which its matches were played (horizon_at); and, set by partition_history(), how many places a partition of event has (partition_rows).');
    EXECUTE format('INSERT INTO %I.ladder (model, params, apply_at, late, strict, leaderboard) VALUES ($1, $2, $3, $4, $5, $6)', ladder)
    USING model, params, apply_at, late, strict, leaderboard;

    EXECUTE format('CREATE TABLE %I.rating (%s, PRIMARY KEY (player_id, pool)) WITH (fillfactor = 90)', ladder,
        skillrating_internal.arranged_columns(ladder, 'rating', beside,
            skillrating_internal.ladder_columns('rating', model, player_type, match_type, display)
                || skillrating_internal.band_column(leaderboard, model, params)));
    PERFORM skillrating_internal.drop_room(ladder, 'rating');
    PERFORM skillrating_internal.create_leaderboard(ladder, leaderboard);
    EXECUTE format('COMMENT ON TABLE %I.rating IS %L', ladder,
        'A row for each player and pool: the state under the model and the time as of which it is (as_of: that of the last event), the displayed rating, and counts of rated matches.');

    EXECUTE format('CREATE TABLE %I.event (%s, PRIMARY KEY (player_id, pool, seq))', ladder,
        skillrating_internal.arranged_columns(ladder, 'event', beside,
            skillrating_internal.ladder_columns('event', model, player_type, match_type, display)));
    PERFORM skillrating_internal.drop_room(ladder, 'event');
    EXECUTE format('CREATE INDEX ON %I.event (seq)', ladder);
    EXECUTE format('CREATE SEQUENCE %1$I.event_seq OWNED BY %1$I.event.seq', ladder);
    EXECUTE format('COMMENT ON TABLE %I.event IS %L', ladder,
        'History: a row for each player and rated match with the state before and after, games_before, last_played_before, as_of_before (the time as of which the player''s state was; null where that is last_played_before), the team (the one on which most was played), its predicted probability to win and its score (1 won, 0.5 drew, 0 lost); and one for each player whom an operation touched, with its kind. All rows of a match or operation share seq, which gives the order of rating.');

    EXECUTE format(
        'CREATE TABLE %I.rated_match (
            match_id %s PRIMARY KEY,
            status text NOT NULL CHECK (status IN (''rated'', ''unrated'', ''void'')),
            reason text CHECK (reason IS NOT NULL OR status = ''rated''),
            detail text,
            digest bigint NOT NULL,
            seq bigint UNIQUE CHECK (seq IS NOT NULL OR status = ''unrated''),
            played_at timestamptz CHECK (played_at IS NOT NULL OR seq IS NULL),
            void_reason text,
            decided_at timestamptz,
            rated_at timestamptz NOT NULL DEFAULT now(),
            corrections integer NOT NULL DEFAULT 0)', ladder, match);
    -- Every batch asks a ladder that reorders for the last match that its players' past kept out.
    EXECUTE format(
        'CREATE INDEX ON %I.rated_match (played_at)
        WHERE reason IN (''too_many_newcomers'', ''repeated_opponents'')', ladder);
    EXECUTE format('COMMENT ON TABLE %I.rated_match IS %L', ladder,
        'A row for each match that was looked at: rated, with its place in the order (seq), or unrated or void, with the reason (a code of skillrating.unrated_reasons()) and the detail in words; and a digest of the content that was seen. A match that has had a place keeps it. void_reason is set by void_match() and takes effect with catch_up(); decided_at is when that or restore_match() was last called; corrections is how often catch_up() has changed what is here of a match that had a place, at last at rated_at.');
END
$function$;

COMMENT ON FUNCTION skillrating_internal.create_rating_tables(text, text, jsonb, text, text, boolean, text, regtype, regtype, text) IS
'A part of create_ladder(): the tables ladder, rating, event and rated_match, with the sequence of
places. params are complete. Columns are in the places that they have in ladder beside, if that is
not null.';

CREATE FUNCTION skillrating_internal.create_waiting_tables(
    ladder text,
    player_type regtype,
    match_type regtype)
RETURNS void
LANGUAGE plpgsql VOLATILE
SET search_path = pg_catalog, pg_temp
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
        'Matches that wait for the end of the transaction that touched them, or for catch_up() where apply_at is manual.');

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

COMMENT ON FUNCTION skillrating_internal.create_waiting_tables(text, regtype, regtype) IS
'A part of create_ladder(): the tables pending, correction and operation.';

CREATE FUNCTION skillrating_internal.create_eligibility(
    ladder text,
    rules jsonb)
RETURNS void
LANGUAGE plpgsql VOLATILE STRICT
SET search_path = pg_catalog, pg_temp
AS $function$
BEGIN
    IF rules <> '{}' THEN
        EXECUTE format(
            'INSERT INTO %I.operation (operation, seq, kind, since, params)
            SELECT n.n, n.n, ''eligibility'', ''-infinity'', $1 FROM (SELECT nextval(%L) AS n) AS n',
            ladder, format('%I.event_seq', ladder))
        USING rules;
    END IF;
END
$function$;

COMMENT ON FUNCTION skillrating_internal.create_eligibility(text, jsonb) IS
'A part of create_ladder(): the operation that declares the rules of a ladder without matches, which
are complete; none for {}.';

CREATE FUNCTION skillrating_internal.create_lists(
    ladder text,
    player_type regtype)
RETURNS void
LANGUAGE plpgsql VOLATILE
SET search_path = pg_catalog, pg_temp
AS $function$
DECLARE
    player text := format_type(player_type, -1);
BEGIN
    EXECUTE format(
        'CREATE TABLE %I.attached (
            relation regclass PRIMARY KEY,
            match_id text NOT NULL)', ladder);
    EXECUTE format('COMMENT ON TABLE %I.attached IS %L', ladder,
        'Tables of the user whose triggers feed the ladder, and the column or expression that gives the match of a row; see attach().');

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

COMMENT ON FUNCTION skillrating_internal.create_lists(text, regtype) IS
'A part of create_ladder(): the tables attached, mirror, solved and solved_context.';

CREATE FUNCTION skillrating_internal.check_schema_is_local(schema text)
RETURNS void
LANGUAGE plpgsql STABLE STRICT
SET search_path = pg_catalog, pg_temp
AS $function$
DECLARE
    is_tenant boolean := false;
BEGIN
    IF to_regclass('pg_catalog.pg_dist_schema') IS NOT NULL THEN
        EXECUTE 'SELECT EXISTS (SELECT FROM pg_catalog.pg_dist_schema AS d WHERE d.schemaid = $1)'
        INTO is_tenant
        USING to_regnamespace(quote_ident(schema));
    END IF;
    IF is_tenant THEN
        RAISE feature_not_supported USING
            MESSAGE = format('schema "%s" would be distributed by Citus', schema),
            HINT = 'SET citus.enable_schema_based_sharding = off before the ladder is created.';
    END IF;
END
$function$;

COMMENT ON FUNCTION skillrating_internal.check_schema_is_local(text) IS
'A part of create_ladder(): error 0A000 if Citus keeps the tables of a new schema on another server,
where triggers and sequences of a ladder would not work.';

CREATE FUNCTION skillrating_internal.create_ladder_schema(
    ladder text,
    model text,
    params jsonb,
    player_type regtype,
    match_type regtype,
    apply_at text,
    source regclass,
    late text,
    strict boolean,
    eligibility jsonb,
    leaderboard text,
    beside text DEFAULT NULL)
RETURNS void
LANGUAGE plpgsql VOLATILE
SET search_path = pg_catalog, pg_temp
AS $function$
DECLARE
    all_params jsonb := skillrating.complete_parameters(model, params);
    rules jsonb := skillrating_internal.complete_eligibility(eligibility);
    source_list text;
BEGIN
    IF ladder IS NULL OR model IS NULL OR params IS NULL OR apply_at IS NULL OR late IS NULL OR strict IS NULL
        OR eligibility IS NULL OR leaderboard IS NULL
    THEN
        RAISE null_value_not_allowed USING
            MESSAGE = 'ladder, model, params, apply_at, late, strict, eligibility and leaderboard must not be null';
    END IF;
    PERFORM skillrating_internal.check_leaderboard(leaderboard);
    IF apply_at NOT IN ('commit', 'statement', 'manual') THEN
        RAISE invalid_parameter_value USING
            MESSAGE = format('apply_at must be "commit", "statement" or "manual", not "%s"', apply_at);
    END IF;
    IF late NOT IN ('append', 'reorder') THEN
        RAISE invalid_parameter_value USING
            MESSAGE = format('late must be "append" or "reorder", not "%s"', late);
    END IF;
    IF ladder <> ladder::name::text THEN
        RAISE name_too_long USING
            MESSAGE = format('name of a ladder is too long: "%s"', ladder),
            HINT = format('The longest possible is "%s".', ladder::name);
    END IF;
    IF source IS NOT NULL THEN
        source_list := skillrating_internal.check_source(source);
        SELECT coalesce(player_type, a.atttypid) INTO player_type
        FROM pg_attribute AS a WHERE a.attrelid = source AND a.attname = 'player_id';
        SELECT coalesce(match_type, a.atttypid) INTO match_type
        FROM pg_attribute AS a WHERE a.attrelid = source AND a.attname = 'match_id';
    END IF;
    player_type := coalesce(player_type, 'int8'::regtype);
    match_type := coalesce(match_type, 'int8'::regtype);
    PERFORM skillrating_internal.check_identifier_type(player_type, 'player_id');
    PERFORM skillrating_internal.check_identifier_type(match_type, 'match_id');
    IF EXISTS (SELECT FROM pg_namespace WHERE nspname = ladder) THEN
        RAISE duplicate_schema USING
            MESSAGE = format('schema "%s" already exists', ladder),
            HINT = 'A ladder is a schema of its own: choose a name that is not taken.';
    END IF;

    EXECUTE format('CREATE SCHEMA %I', ladder);
    PERFORM skillrating_internal.check_schema_is_local(ladder);
    EXECUTE format('COMMENT ON SCHEMA %I IS %L', ladder,
        format('A skillrating ladder under the model %s.', model));
    PERFORM skillrating_internal.create_rating_tables(ladder, model, all_params, apply_at, late, strict, leaderboard, player_type, match_type,
        beside);
    PERFORM skillrating_internal.create_count_tables(ladder);
    PERFORM skillrating_internal.create_standing_table(ladder, player_type);
    PERFORM skillrating_internal.create_component_tables(ladder, model, player_type, match_type);
    PERFORM skillrating_internal.create_waiting_tables(ladder, player_type, match_type);
    PERFORM skillrating_internal.create_lists(ladder, player_type);
    PERFORM skillrating_internal.create_eligibility(ladder, rules);
    IF source IS NOT NULL THEN
        EXECUTE format('CREATE VIEW %I.source AS SELECT %s FROM %s AS s', ladder, source_list, source);
        EXECUTE format('COMMENT ON VIEW %I.source IS %L', ladder,
            format('What the ladder rates, from %s.', source));
    ELSE
        PERFORM skillrating_internal.create_match_tables(ladder, player_type, match_type);
        PERFORM skillrating_internal.create_own_source(ladder, match_type);
    END IF;
    PERFORM skillrating_internal.create_own_triggers(ladder);
END
$function$;

COMMENT ON FUNCTION skillrating_internal.create_ladder_schema(text, text, jsonb, regtype, regtype, text, regclass, text, boolean, jsonb, text, text) IS
'create_ladder() without the notice of matches that wait. Arguments and errors as there.';

CREATE FUNCTION skillrating.create_ladder(
    ladder text,
    model text,
    params jsonb DEFAULT '{}',
    player_type regtype DEFAULT NULL,
    match_type regtype DEFAULT NULL,
    apply_at text DEFAULT 'commit',
    source regclass DEFAULT NULL,
    late text DEFAULT 'append',
    strict boolean DEFAULT false,
    eligibility jsonb DEFAULT '{}',
    leaderboard text DEFAULT 'ranks')
RETURNS void
LANGUAGE plpgsql VOLATILE
SET search_path = pg_catalog, pg_temp
AS $function$
BEGIN
    PERFORM skillrating_internal.create_ladder_schema(ladder, model, params, player_type,
        match_type, apply_at, source, late, strict, eligibility, leaderboard);
    IF source IS NOT NULL THEN
        PERFORM skillrating_internal.note_waiting(format('%I.source', ladder), ladder);
    END IF;
END
$function$;

COMMENT ON FUNCTION skillrating.create_ladder(text, text, jsonb, regtype, regtype, text, regclass, text, boolean, jsonb, text) IS
'Creates a ladder: a schema of that name with ordinary tables, owned by the caller. Matches that are
inserted into match and match_player are rated by the model with the parameters given (see
model_parameters()) at commit, or after each statement for apply_at => statement, which then must
carry whole matches, or by catch_up() for manual. A match that is older than others of its players
is rated as it arrives (late => append), or in its place, once catch_up() is called (reorder). A
match with a mistake in its rows stays unrated, with a reason of unrated_reasons(); where strict it
is an error of the statement or commit that brings it. eligibility has rules for all matches, see
set_eligibility(). leaderboard says what makes boards quick: ranks (an index on the rating, and
counts of players by rating, for ranks), bands (an index on coarse bands of ratings, which matches
are cheaper with, and ranks dearer) or none; set_leaderboard() changes it. With a source, a view on tables of your own
with a row for each participant of each finished match (see describe_source()), there are no such
tables, and attach() says which tables the matches come from; a notice says how many matches it has
already, which backfill() rates. Players and matches are identified by any type that can be hashed
and ordered, bigint or that of the source unless it is given; not by composites, arrays, names of
objects, domains without null, or texts of a nondeterministic collation. Errors: 42804 for such a
type, 42P01 for an unknown source, 22023 for an unknown model or
parameter or a source that will not do, 22003 for a parameter out of range, 42P06 if the schema
exists, 42501 if the source view is another role''s.';

CREATE FUNCTION skillrating_internal.report_match(
    ladder text,
    match_id anyelement,
    players anycompatiblearray,
    team integer[],
    rank integer[] DEFAULT NULL,
    played_at timestamptz DEFAULT NULL,
    team_score float8[] DEFAULT NULL,
    weight float8[] DEFAULT NULL,
    joined float8[] DEFAULT NULL,
    "left" float8[] DEFAULT NULL,
    commanding float8[] DEFAULT NULL,
    side integer[] DEFAULT NULL,
    squad bigint[] DEFAULT NULL,
    kills integer[] DEFAULT NULL,
    deaths integer[] DEFAULT NULL,
    quit boolean[] DEFAULT NULL,
    experience integer[] DEFAULT NULL,
    player_gain float8[] DEFAULT NULL,
    pool text DEFAULT '',
    log_odds float8 DEFAULT 0,
    gain float8 DEFAULT 1,
    duration float8 DEFAULT NULL,
    surrendered boolean DEFAULT NULL,
    bot boolean[] DEFAULT NULL,
    context text[] DEFAULT NULL,
    club text[] DEFAULT NULL,
    OUT player_id text,
    OUT rating_before float8,
    OUT rating_after float8,
    OUT win_probability float8,
    OUT score float8,
    OUT state_before float8[],
    OUT state_after float8[],
    OUT outcome text,
    OUT reason text,
    OUT detail text,
    OUT correction text,
    OUT correction_seq bigint)
RETURNS SETOF record
AS 'MODULE_PATHNAME', 'skillrating_report_match'
LANGUAGE C VOLATILE ROWS 12;

SELECT skillrating_internal.create_entry('report_match');

COMMENT ON FUNCTION skillrating.report_match(text, anyelement, anycompatiblearray, integer[], integer[], timestamptz, float8[], float8[], float8[], float8[], float8[], integer[], bigint[], integer[], integer[], boolean[], integer[], float8[], text, float8, float8, float8, boolean, boolean[], text[], text[]) IS
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
  repeated: it was rated before with this content, and nothing has changed.
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

CREATE FUNCTION skillrating_internal.preview(
    ladder text,
    players anycompatiblearray,
    team integer[],
    weight float8[] DEFAULT NULL,
    joined float8[] DEFAULT NULL,
    "left" float8[] DEFAULT NULL,
    commanding float8[] DEFAULT NULL,
    side integer[] DEFAULT NULL,
    squad bigint[] DEFAULT NULL,
    player_gain float8[] DEFAULT NULL,
    pool text DEFAULT '',
    log_odds float8 DEFAULT 0,
    gain float8 DEFAULT 1,
    at timestamptz DEFAULT now(),
    context text[] DEFAULT NULL,
    club text[] DEFAULT NULL,
    OUT player_id text,
    OUT team integer,
    OUT rating float8,
    OUT win_probability float8,
    OUT win_change float8,
    OUT draw_change float8,
    OUT loss_change float8,
    OUT draw_probability float8)
RETURNS SETOF record
AS 'MODULE_PATHNAME', 'skillrating_preview'
LANGUAGE C STABLE ROWS 12;

SELECT skillrating_internal.create_entry('preview');

COMMENT ON FUNCTION skillrating.preview(text, anycompatiblearray, integer[], float8[], float8[], float8[], float8[], integer[], bigint[], float8[], text, float8, float8, timestamptz, text[], text[]) IS
'What a match at a time would bring, without playing it: for every player the displayed rating with
which the player goes into it, after idle time up to then, the probability that the own team wins
(a draw counts half), and the change of the rating if it wins, draws or loses against all others.
draw_probability is that of a draw of two teams, null of more and under a model that has none, as in
predict(): a win alone has win_probability less half of it.
at is now by default, also where it is null; settled_at() gives the ratings that leaderboards show.
The rows are in the order of players; one who occurs several times has a row, at the first place. Players without a row
start from the initial state. An account that is merged counts as the player it is merged into, and
its row comes back under the identifier that was given. Under a model with components it takes
SELECT on table component besides. Errors as for report_match(), 22023 if the match could not be rated, also for two accounts of one player, 22008 for an infinite at.';

CREATE FUNCTION skillrating_internal.verify(
    ladder text,
    OUT check_name text,
    OUT ok boolean,
    OUT detail text)
RETURNS SETOF record
AS 'MODULE_PATHNAME', 'skillrating_verify'
LANGUAGE C STABLE STRICT ROWS 7;

SELECT skillrating_internal.create_entry('verify');

COMMENT ON FUNCTION skillrating.verify(text) IS
'Rates all matches of a ladder, or all behind its horizon (see set_horizon()), again, from the source
and in rated order, and compares bit for bit:
content (the matches are what was rated, and all columns of the source are read), events (states
before and after, predictions and scores), ratings (the state of every player, and the counts that ranks
come from), counters (games, wins, draws, losses, last played), components (all of these of components, of a model that has
some), complete (no finished match was overlooked, nor one that could
not be rated and has changed), corrections (none waits for catch_up()), and, of a ladder that
partition_history() has partitioned, partitions (every place has one). Everything is read under one
snapshot, and nobody is kept from rating. Errors: 42704 for an unknown ladder, 55000 if its triggers
are gone, see restore_triggers().';
-- What feeds a ladder: its triggers, tables of the user that are attached, and its source; and
-- dropping it.
--
-- A trigger on a table of the user depends on the view source of its ladder, which its WHEN
-- condition names. It goes when the view is dropped with CASCADE, and nothing of a ladder that is
-- gone keeps users from writing to their tables.

CREATE FUNCTION skillrating_internal.create_own_triggers(ladder text)
RETURNS bigint
LANGUAGE plpgsql VOLATILE STRICT
SET search_path = pg_catalog, pg_temp
AS $function$
DECLARE
    collect constant text := 'FOR EACH STATEMENT
        EXECUTE FUNCTION skillrating_internal.collect_matches()';
    refuse constant text := 'FOR EACH STATEMENT
        EXECUTE FUNCTION skillrating_internal.refuse_truncate()';
    relation regclass;
    t record;
    n bigint := 0;
BEGIN
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
        CONTINUE WHEN relation IS NULL
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
'A part of create_ladder() and restore_triggers(): makes those triggers of pending, match and
match_player that do not exist, and returns how many.';

CREATE FUNCTION skillrating_internal.drop_collect_triggers(
    source regclass,
    relation regclass DEFAULT NULL)
RETURNS bigint
AS 'MODULE_PATHNAME', 'skillrating_drop_collect_triggers'
LANGUAGE C VOLATILE;

COMMENT ON FUNCTION skillrating_internal.drop_collect_triggers(regclass, regclass) IS
'Drops the triggers that attach() made for the ladder with this view source, on one table or on all,
and returns how many; 0 if the source is null or gone. They depend on the view, so that its owner
may drop them whoever owns the table. Errors: 42501 unless the caller owns the view, 55006 if a
table is in use.';

CREATE FUNCTION skillrating_internal.create_collect_triggers(
    ladder text,
    relation regclass)
RETURNS void
LANGUAGE plpgsql VOLATILE STRICT
SET search_path = pg_catalog, pg_temp
AS $function$
DECLARE
    t record;
    n integer;
BEGIN
    FOR t IN
        SELECT v.*
        FROM (VALUES
            ('insert', 'AFTER INSERT', 'REFERENCING NEW TABLE AS new_rows', 'collect_matches'),
            ('update', 'AFTER UPDATE', 'REFERENCING OLD TABLE AS old_rows NEW TABLE AS new_rows',
                'collect_matches'),
            ('delete', 'AFTER DELETE', 'REFERENCING OLD TABLE AS old_rows', 'collect_matches'),
            ('truncate', 'BEFORE TRUNCATE', '', 'refuse_truncate')
        ) AS v(kind, event, transition_tables, trigger_function)
    LOOP
        -- A table may feed several ladders. Nothing is found by these names.
        n := 1;
        LOOP
            BEGIN
                EXECUTE format(
                    'CREATE TRIGGER %I %s ON %s %s
                    FOR EACH STATEMENT WHEN (%L::regclass IS NOT NULL)
                    EXECUTE FUNCTION skillrating_internal.%I()',
                    format('skillrating_%s%s', t.kind, '_' || nullif(n, 1)), t.event, relation,
                    t.transition_tables, format('%I.source', ladder), t.trigger_function);
                EXIT;
            EXCEPTION
                WHEN duplicate_object THEN
                    n := n + 1;
            END;
        END LOOP;
    END LOOP;
END
$function$;

COMMENT ON FUNCTION skillrating_internal.create_collect_triggers(text, regclass) IS
'The part of attach() and restore_triggers() that makes the triggers of a table, and touches nothing
of the ladder; its view source must exist. Error 42501 unless the caller may create triggers on the
table.';

CREATE FUNCTION skillrating_internal.attach(
    ladder text,
    relation regclass,
    match_id text DEFAULT 'match_id')
RETURNS void
LANGUAGE plpgsql VOLATILE STRICT
SET search_path = pg_catalog, pg_temp
AS $function$
DECLARE
    t record := skillrating_internal.ladder_types(ladder);
    match text;
    n bigint;
BEGIN
    IF to_regclass(format('%I.match', ladder)) IS NOT NULL THEN
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
        EXECUTE format('SELECT CAST((%s) AS %s) FROM %s LIMIT 0', match_id, match, relation);
    END IF;
    EXECUTE format(
        'INSERT INTO %I.attached (relation, match_id) VALUES ($1, $2)
        ON CONFLICT DO NOTHING', ladder)
    USING relation, match_id;
    GET DIAGNOSTICS n = ROW_COUNT;
    IF n = 0 THEN
        RAISE duplicate_object USING
            MESSAGE = format('table %s is attached to ladder "%s" already', relation, ladder),
            HINT = 'If its triggers are gone, skillrating.restore_triggers() puts them back.';
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

SELECT skillrating_internal.create_entry('attach');

COMMENT ON FUNCTION skillrating.attach(text, regclass, text) IS
'Lets a table feed a ladder that has a source: rows that are inserted, updated or deleted there have
their matches looked at, at commit or after the statement as the ladder''s apply_at says. match_id
is the column with the match, or an expression over the row''s columns that gives what the source
calls match_id; an expression, or a column of another type, needs the table and the ladder to
belong to one role. Attach each table whose rows make a match; a partitioned one as a whole, and a
partition too if rows are written to it directly. A notice says how many matches of the source are
not rated yet, which backfill() does; of several tables behind a new ladder the first one says so.
TRUNCATE of an attached table is refused: use DELETE, or detach() the table first. The triggers depend on the view source of the
ladder: they go when it is dropped, and follow when its schema is renamed. Errors: 42704 for an
unknown ladder, 42P01 for an unknown table, 42710 if it is attached already, 55000 if the ladder has
matches of its own, 42501 unless the caller owns the ladder and may create triggers on the table,
and whatever is wrong with the expression.';

CREATE FUNCTION skillrating_internal.detach(
    ladder text,
    relation regclass)
RETURNS void
LANGUAGE plpgsql VOLATILE STRICT
SET search_path = pg_catalog, pg_temp
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
END
$function$;

SELECT skillrating_internal.create_entry('detach');

COMMENT ON FUNCTION skillrating.detach(text, regclass) IS
'Undoes attach(): the table no longer feeds the ladder, which keeps what it has rated. Works as well
if the table has been dropped (give its OID, which table attached shows) or belongs to another role
by now, and if parts of the ladder are gone. Errors: 42704 for an unknown ladder or a table that is
not attached, 42501 unless the caller owns the ladder.';

CREATE FUNCTION skillrating_internal.restore_own_triggers(ladder text)
RETURNS bigint
LANGUAGE plpgsql VOLATILE STRICT
SET search_path = pg_catalog, pg_temp
AS $function$
DECLARE
    list text;
BEGIN
    PERFORM skillrating_internal.ladder_types(ladder);
    -- A table that was dropped feeds nothing.
    FOREACH list IN ARRAY ARRAY['attached', 'mirror'] LOOP
        EXECUTE format(
            'DELETE FROM %I.%I AS l
            WHERE NOT EXISTS (SELECT FROM pg_class AS c WHERE c.oid = l.relation)', ladder, list);
    END LOOP;
    RETURN skillrating_internal.create_own_triggers(ladder)
        + skillrating_internal.mirror_triggers(ladder);
END
$function$;

COMMENT ON FUNCTION skillrating_internal.restore_own_triggers(text) IS
'The part of restore_triggers() that works on the ladder: the triggers of its own tables, and the
lists of attached tables and mirrors. Returns how many triggers it made. Errors as for
restore_triggers().';

CREATE FUNCTION skillrating_internal.restore_collect_triggers(ladder text)
RETURNS bigint
LANGUAGE plpgsql VOLATILE STRICT
SET search_path = pg_catalog, pg_temp
AS $function$
DECLARE
    source regclass := format('%I.source', ladder);
    relation regclass;
    found_triggers bigint;
    n bigint := 0;
BEGIN
    PERFORM skillrating_internal.check_inside(ladder);
    FOR relation, found_triggers IN EXECUTE format(
        'SELECT a.relation, (
            SELECT count(*) FROM pg_depend AS d JOIN pg_trigger AS t ON t.oid = d.objid
            WHERE d.refclassid = ''pg_class''::regclass AND d.refobjid = $1
                AND d.classid = ''pg_trigger''::regclass AND t.tgrelid = a.relation
                AND t.tgfoid IN (''skillrating_internal.collect_matches''::regproc,
                    ''skillrating_internal.refuse_truncate''::regproc))
        FROM %I.attached AS a JOIN pg_class AS c ON c.oid = a.relation
        ORDER BY a.relation', ladder)
    USING source
    LOOP
        CONTINUE WHEN found_triggers = 4;
        PERFORM skillrating_internal.drop_collect_triggers(source, relation);
        PERFORM skillrating_internal.create_collect_triggers(ladder, relation);
        n := n + 4 - found_triggers;
    END LOOP;
    RETURN n;
END
$function$;

COMMENT ON FUNCTION skillrating_internal.restore_collect_triggers(text) IS
'The part of restore_triggers() that makes the triggers of attached tables. Returns how many were
missing. Error 42501 unless the caller may create triggers on them.';

CREATE FUNCTION skillrating_internal.restore_triggers(
    ladder text,
    OUT triggers bigint)
LANGUAGE plpgsql VOLATILE STRICT
SET search_path = pg_catalog, pg_temp
AS $function$
BEGIN
    triggers := skillrating_internal.restore_own_triggers(ladder);
    triggers := triggers + skillrating_internal.restore_collect_triggers(ladder);
END
$function$;

SELECT skillrating_internal.create_entry('restore_triggers');

COMMENT ON FUNCTION skillrating.restore_triggers(text) IS
'Puts back the triggers of a ladder that are gone, as after DROP EXTENSION ... CASCADE and CREATE
EXTENSION: those of its own tables, of attached tables and of mirrors. Returns how many were
missing. No trigger has reported the matches that came meanwhile: catch_up(search => true, rebuild
=> true) finds them and what has changed. Errors: 42704 for an unknown ladder, 42501 unless the
caller owns the ladder and may create triggers on the attached tables, 55000 if it has no source.';

CREATE FUNCTION skillrating_internal.source_relation(source regclass)
RETURNS regclass
LANGUAGE sql STABLE STRICT
SET search_path = pg_catalog, pg_temp
AS $function$
    SELECT CASE WHEN count(DISTINCT d.refobjid) = 1 THEN min(d.refobjid)::regclass END
    FROM pg_rewrite AS w
    JOIN pg_depend AS d ON d.classid = 'pg_rewrite'::regclass AND d.objid = w.oid
    WHERE w.ev_class = source AND d.refclassid = 'pg_class'::regclass AND d.refobjid <> w.ev_class
$function$;

COMMENT ON FUNCTION skillrating_internal.source_relation(regclass) IS
'The relation of the user that the view source of a ladder selects from; null if it is more than
one, as that of a ladder with matches of its own.';

CREATE FUNCTION skillrating_internal.unread_source_columns(source regclass)
RETURNS text
LANGUAGE sql STABLE STRICT
SET search_path = pg_catalog, pg_temp
AS $function$
    SELECT string_agg(c.column_name, ', ' ORDER BY c.n)
    FROM skillrating.source_columns()
        WITH ORDINALITY AS c(column_name, type, needed, description, n)
    JOIN pg_attribute AS a
        ON a.attrelid = skillrating_internal.source_relation(source)
            AND a.attname = c.column_name AND NOT a.attisdropped
    WHERE NOT EXISTS (
        SELECT FROM pg_attribute AS s
        WHERE s.attrelid = source AND s.attname = c.column_name AND NOT s.attisdropped)
$function$;

COMMENT ON FUNCTION skillrating_internal.unread_source_columns(regclass) IS
'The known columns that the relation behind the view source of a ladder has got since that was made;
null if there are none. refresh_source() takes them up.';

CREATE FUNCTION skillrating_internal.source_list(
    ladder text,
    new_source regclass)
RETURNS text
LANGUAGE plpgsql STABLE STRICT
SET search_path = pg_catalog, pg_temp
AS $function$
DECLARE
    source regclass := to_regclass(format('%I.source', ladder));
    source_list text;
    lost text;
BEGIN
    PERFORM skillrating_internal.check_inside(ladder);
    source_list := skillrating_internal.check_source(new_source);
    IF source IS NULL THEN
        RETURN source_list;
    END IF;
    -- A view that is replaced keeps its columns in their order, and gets others behind them.
    SELECT string_agg(format('s.%I', c.column_name), ', ' ORDER BY old.attnum, c.n),
        string_agg(c.column_name, ', ' ORDER BY c.n) FILTER (WHERE new.attname IS NULL)
    INTO source_list, lost
    FROM skillrating.source_columns()
        WITH ORDINALITY AS c(column_name, type, needed, description, n)
    LEFT JOIN pg_attribute AS old
        ON old.attrelid = source AND old.attname = c.column_name AND NOT old.attisdropped
    LEFT JOIN pg_attribute AS new
        ON new.attrelid = new_source AND new.attname = c.column_name AND NOT new.attisdropped
    WHERE old.attname IS NOT NULL OR new.attname IS NOT NULL;
    IF lost IS NOT NULL THEN
        RAISE object_not_in_prerequisite_state USING
            MESSAGE = format('%s lacks columns that the source of ladder "%s" has: %s',
                new_source, ladder, lost),
            HINT = format('To do without them use DROP VIEW %I.source CASCADE first.', ladder);
    END IF;
    RETURN source_list;
END
$function$;

COMMENT ON FUNCTION skillrating_internal.source_list(text, regclass) IS
'A part of refresh_source(): the select list of the new view source, over a relation aliased s.
Errors as for refresh_source().';

CREATE FUNCTION skillrating_internal.replace_source(
    ladder text,
    new_source regclass)
RETURNS void
LANGUAGE plpgsql VOLATILE
SET search_path = pg_catalog, pg_temp
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
            HINT = 'Its view source is that of its tables match and match_player.';
    END IF;
    PERFORM skillrating_internal.check_relation(new_source);
    new_source := coalesce(new_source, skillrating_internal.source_relation(source));
    IF new_source IS NULL THEN
        RAISE null_value_not_allowed USING
            MESSAGE = format('source must not be null for ladder "%s"', ladder),
            HINT = 'Its view source is gone, or selects from several relations.';
    END IF;
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

COMMENT ON FUNCTION skillrating_internal.replace_source(text, regclass) IS
'The part of refresh_source() that works on the ladder. Errors as for refresh_source().';

CREATE FUNCTION skillrating_internal.refresh_source(
    ladder text,
    source regclass DEFAULT NULL)
RETURNS void
LANGUAGE plpgsql VOLATILE
SET search_path = pg_catalog, pg_temp
AS $function$
BEGIN
    IF ladder IS NULL THEN
        RAISE null_value_not_allowed USING
            MESSAGE = 'ladder must not be null';
    END IF;
    PERFORM skillrating_internal.replace_source(ladder, source);
    PERFORM skillrating_internal.restore_triggers(ladder);
END
$function$;

SELECT skillrating_internal.create_entry('refresh_source');

COMMENT ON FUNCTION skillrating.refresh_source(text, regclass) IS
'Takes up the columns that the source of a ladder has got since create_ladder(), or another source,
which has all the columns of the one before; if the view source of the ladder is gone, which takes
the triggers of attached tables along, it makes both again. Whatever differs counts with catch_up(),
and catch_up(search => true, rebuild => true) also finds matches that rated otherwise or not at all.
Errors: 42704 for an unknown ladder, 42P01 for an unknown relation, 55000 for a ladder with matches
of its own or columns that the new source lacks, 42804 for identifiers of another type, 22004 if it
does not know which source, 22023 and 42501 as for create_ladder().';

CREATE FUNCTION skillrating_internal.settle_pending(ladder text)
RETURNS void
LANGUAGE plpgsql VOLATILE STRICT
SET search_path = pg_catalog, pg_temp
AS $function$
BEGIN
    PERFORM skillrating_internal.check_inside(ladder);
    IF NOT EXISTS (
        SELECT FROM pg_constraint AS c
        WHERE c.conrelid = to_regclass(format('%I.pending', ladder))
            AND c.conname = 'apply_pending')
    THEN
        RETURN;
    END IF;
    -- With no row left the triggers have nothing to do.
    EXECUTE format('DELETE FROM %I.pending', ladder);
    EXECUTE format('SET CONSTRAINTS %I.apply_pending IMMEDIATE', ladder);
END
$function$;

COMMENT ON FUNCTION skillrating_internal.settle_pending(text) IS
'A part of drop_ladder() and reset_ladder(): forgets the matches that wait for the end of the
transaction, so that no trigger waits for the table pending.';

CREATE FUNCTION skillrating_internal.drop_tables(ladder text)
RETURNS void
LANGUAGE plpgsql VOLATILE STRICT
SET search_path = pg_catalog, pg_temp
AS $function$
DECLARE
    tables text;
BEGIN
    PERFORM skillrating_internal.check_inside(ladder);
    IF to_regclass(format('%I.source', ladder)) IS NOT NULL THEN
        EXECUTE format('DROP VIEW %I.source', ladder);
    END IF;
    SELECT string_agg(format('%I.%I', ladder, c.relname), ', ') INTO tables
    FROM pg_class AS c
    WHERE c.relnamespace = to_regnamespace(quote_ident(ladder)) AND c.relkind IN ('r', 'p')
        AND c.relname IN ('horizon', 'component_horizon', 'change', 'match', 'match_player', 'solved', 'solved_context', 'mirror',
            'attached', 'operation',
            'correction', 'pending', 'rated_match', 'component_event', 'component', 'event', 'standing',
            'rating_count_delta', 'rating_count', 'rating', 'ladder', 'work');
    IF tables IS NOT NULL THEN
        EXECUTE 'DROP TABLE ' || tables;
    END IF;
    -- Goes with event, unless that is gone otherwise.
    IF to_regclass(format('%I.event_seq', ladder)) IS NOT NULL THEN
        EXECUTE format('DROP SEQUENCE %I.event_seq', ladder);
    END IF;
    EXECUTE format('DROP SCHEMA %I', ladder);
EXCEPTION
    WHEN object_in_use THEN
        RAISE object_in_use USING
            MESSAGE = SQLERRM,
            HINT = 'Drop the ladder in a transaction of its own, or after SET CONSTRAINTS ALL '
                'IMMEDIATE and closing cursors.';
END
$function$;

COMMENT ON FUNCTION skillrating_internal.drop_tables(text) IS
'A part of drop_ladder(): drops those tables that exist, and the schema.';

CREATE FUNCTION skillrating_internal.drop_ladder(ladder text)
RETURNS void
LANGUAGE plpgsql VOLATILE STRICT
SET search_path = pg_catalog, pg_temp
AS $function$
BEGIN
    PERFORM skillrating_internal.check_inside(ladder);
    -- Any table that only a ladder has will do.
    IF NOT EXISTS (
        SELECT
        FROM (VALUES
            ('ladder', 'format_version'), ('rated_match', 'void_reason'), ('rating', 'last_played'),
            ('event', 'last_played_before'), ('component_event', 'last_played_before'),
            ('pending', 'fires'), ('correction', 'noticed_at'),
            ('operation', 'undone_at'), ('attached', 'relation'), ('mirror', 'relation'),
            ('solved', 'standard_error')
        ) AS v(table_name, column_name)
        JOIN pg_attribute AS a
            ON a.attrelid = to_regclass(format('%I.%I', ladder, v.table_name))
                AND a.attname = v.column_name AND NOT a.attisdropped)
    THEN
        RAISE undefined_object USING
            MESSAGE = format('ladder "%s" does not exist', ladder),
            HINT = 'Ladders are made by skillrating.create_ladder().';
    END IF;
    PERFORM skillrating_internal.drop_collect_triggers(to_regclass(format('%I.source', ladder)));
    PERFORM skillrating_internal.drop_mirror_triggers(to_regclass(format('%I.source', ladder)));
    PERFORM skillrating_internal.settle_pending(ladder);
    PERFORM skillrating_internal.drop_tables(ladder);
END
$function$;

SELECT skillrating_internal.create_entry('drop_ladder');

COMMENT ON FUNCTION skillrating.drop_ladder(text) IS
'Drops a ladder with all its tables and its schema, and detaches all tables, whoever owns them,
mirrored ones too; matches that wait for the end of this transaction are forgotten. Works as well if
some of it is gone. Errors: 42704 if there is none, 2BP01 if something else depends on it or lives
in its schema, 42501 unless the caller owns it, 55006 while something else is at work on it in this
session.';

CREATE FUNCTION skillrating_internal.reset_ladder(
    ladder text,
    OUT matches bigint,
    OUT players bigint)
LANGUAGE plpgsql VOLATILE STRICT
SET search_path = pg_catalog, pg_temp
AS $function$
DECLARE
    relation text;
    sequence text;
    rules jsonb;
BEGIN
    PERFORM skillrating_internal.ladder_types(ladder);
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
        'horizon', 'component_horizon',
        'operation', 'solved', 'solved_context', 'rated_match', 'match_player', 'match']
    LOOP
        IF to_regclass(format('%I.%I', ladder, relation)) IS NOT NULL THEN
            EXECUTE format('DELETE FROM %I.%I', ladder, relation);
        END IF;
    END LOOP;
    PERFORM skillrating_internal.fill_gaps(ladder);
    -- Unlike setval(), this is taken back with the transaction.
    FOREACH sequence IN ARRAY ARRAY[format('%I.event_seq', ladder), (
        SELECT pg_get_serial_sequence(format('%I.match', ladder), 'match_id')
        WHERE to_regclass(format('%I.match', ladder)) IS NOT NULL)]
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

SELECT skillrating_internal.create_entry('reset_ladder');

COMMENT ON FUNCTION skillrating.reset_ladder(text) IS
'Empties a ladder, as between tests: all ratings, history, operations, solved skills and matches that
wait are gone, and the matches in its own tables match and match_player. A ladder with a source of
your own forgets what it has rated, and the source stays as it is: its matches are rated again when
their rows are touched, or by catch_up(search => true). The configuration, mirrors, attached tables,
triggers, privileges and rules of eligibility stay; mirrored columns get their defaults, and sequences start anew. Fed
with the same matches it has the same ratings as a new ladder. Returns how many matches were rated
and how many players had a rating. Errors: 42704 for an unknown ladder, 42501 unless the caller owns
it, 23503 if rows of yours refer to a match, 55006 within the work on it.';

CREATE FUNCTION skillrating_internal.restore_sequences(
    ladder text,
    OUT sequences bigint)
LANGUAGE plpgsql VOLATILE STRICT
SET search_path = pg_catalog, pg_temp
AS $function$
DECLARE
    s record;
    last bigint;
    used bigint;
BEGIN
    PERFORM skillrating_internal.ladder_types(ladder);
    sequences := 0;
    FOR s IN
        SELECT d.objid::regclass AS sequence, c.relname AS relation, a.attname AS attribute
        FROM pg_depend AS d
        JOIN pg_class AS q ON q.oid = d.objid AND q.relkind = 'S'
        JOIN pg_class AS c ON c.oid = d.refobjid
        JOIN pg_attribute AS a ON a.attrelid = d.refobjid AND a.attnum = d.refobjsubid
        WHERE d.classid = 'pg_class'::regclass AND d.refclassid = 'pg_class'::regclass
            AND c.relnamespace = to_regnamespace(quote_ident(ladder))
            AND q.relnamespace = c.relnamespace
        ORDER BY q.relname
    LOOP
        -- Places in the order of a ladder are in more tables than the one that has the sequence.
        EXECUTE CASE WHEN s.relation = 'event' THEN
            format(
                'SELECT greatest(
                    (SELECT max(e.seq) FROM %1$I.event AS e),
                    (SELECT max(e.seq) FROM %1$I.component_event AS e),
                    (SELECT max(m.seq) FROM %1$I.rated_match AS m),
                    (SELECT max(greatest(o.operation, o.seq)) FROM %1$I.operation AS o),
                    (SELECT max(c.seq) FROM %1$I.correction AS c))', ladder)
            ELSE format('SELECT max(t.%1$I) FROM %2$I.%3$I AS t', s.attribute, ladder, s.relation) END
        INTO used;
        EXECUTE format('SELECT CASE WHEN q.is_called THEN q.last_value END FROM %s AS q', s.sequence)
        INTO last;
        IF used > coalesce(last, 0) THEN
            PERFORM setval(s.sequence, used);
            sequences := sequences + 1;
        END IF;
    END LOOP;
END
$function$;

SELECT skillrating_internal.create_entry('restore_sequences');

COMMENT ON FUNCTION skillrating.restore_sequences(text) IS
'Moves the sequences of a ladder behind the greatest numbers in its tables. Logical replication
copies rows and not sequences: call it on a subscriber that takes over, once nothing arrives any
more and before the first match. Returns how many sequences were behind; they never go back.
Errors: 42704 for an unknown ladder, 42501 unless the caller owns it.';
-- What roles may do on a ladder.

CREATE FUNCTION skillrating_internal.granted_privileges(
    ladder text,
    kind text,
    OUT relation text,
    OUT privilege text)
RETURNS SETOF record
LANGUAGE sql STABLE STRICT
SET search_path = pg_catalog, pg_temp
AS $function$
    SELECT p.relation, p.privilege
    FROM (
        SELECT CASE WHEN e.needs ~ 'INSERT' THEN 'reporter' ELSE 'reader' END, m[2], m[1]
        FROM skillrating_internal.ladder_entries() AS e
        CROSS JOIN regexp_matches(e.needs, '\m(SELECT|INSERT) on (\w+)', 'g') AS m
        UNION
        VALUES
            ('reader', 'ladder', 'SELECT'), ('reader', 'solved', 'SELECT'),
            ('reader', 'solved_context', 'SELECT'),
            -- To report a match again with other content, and to see what became of it.
            ('reporter', 'match', 'UPDATE'), ('reporter', 'match_player', 'DELETE'),
            ('reporter', 'match', 'SELECT'), ('reporter', 'match_player', 'SELECT'),
            ('reporter', 'rated_match', 'SELECT')
    ) AS p(kind, relation, privilege)
    WHERE p.kind = granted_privileges.kind
        AND to_regclass(format('%I.%I', ladder, p.relation)) IS NOT NULL
    ORDER BY p.relation, p.privilege
$function$;

COMMENT ON FUNCTION skillrating_internal.granted_privileges(text, text) IS
'A part of grant_reader() and its like: the privileges on relations of a ladder that a reader or a
reporter has: those that ladder_entries() says functions need that read, or that report; those to
correct by reporting again; and those to see the configuration and solved skills.';

CREATE FUNCTION skillrating_internal.grantee(role text)
RETURNS text
LANGUAGE plpgsql STABLE STRICT
SET search_path = pg_catalog, pg_temp
AS $function$
BEGIN
    IF role = 'public' THEN
        RETURN 'PUBLIC';
    END IF;
    IF NOT EXISTS (SELECT FROM pg_roles AS r WHERE r.rolname = role) THEN
        RAISE undefined_object USING
            MESSAGE = format('role "%s" does not exist', role),
            HINT = 'Give its name as it is, without quotes, or "public" for all roles.';
    END IF;
    RETURN quote_ident(role);
END
$function$;

COMMENT ON FUNCTION skillrating_internal.grantee(text) IS
'A part of grant_reader() and its like: a role as GRANT takes it; public is all roles. Error 42704
for an unknown one.';

CREATE FUNCTION skillrating_internal.is_ladder_owner(
    ladder text,
    role text)
RETURNS boolean
LANGUAGE sql STABLE STRICT
SET search_path = pg_catalog, pg_temp
AS $function$
    SELECT EXISTS (
        SELECT FROM pg_class AS c
        WHERE c.oid = to_regclass(format('%I.ladder', ladder))
            AND pg_get_userbyid(c.relowner) = role)
$function$;

COMMENT ON FUNCTION skillrating_internal.is_ladder_owner(text, text) IS
'A part of grant_reader() and its like: whether a role owns a ladder, which has all privileges and
keeps them.';

CREATE FUNCTION skillrating_internal.has_grant(
    ladder text,
    quoted_role text,
    relation text,
    privilege text)
RETURNS boolean
LANGUAGE sql STABLE STRICT
SET search_path = pg_catalog, pg_temp
AS $function$
    SELECT EXISTS (
        SELECT FROM pg_class AS c CROSS JOIN LATERAL aclexplode(c.relacl) AS a
        WHERE c.oid = to_regclass(format('%I.%I', ladder, has_grant.relation))
            AND a.privilege_type = has_grant.privilege AND a.grantor = c.relowner
            AND quoted_role = CASE a.grantee WHEN 0 THEN 'PUBLIC'
                ELSE quote_ident(pg_get_userbyid(a.grantee)) END)
$function$;

COMMENT ON FUNCTION skillrating_internal.has_grant(text, text, text, text) IS
'A part of grant_reader() and its like: whether the owner of a ladder has granted a privilege on a
relation of it to a role itself, and not to one that it is a member of.';

CREATE FUNCTION skillrating_internal.has_usage_grant(
    ladder text,
    quoted_role text)
RETURNS boolean
LANGUAGE sql STABLE STRICT
SET search_path = pg_catalog, pg_temp
AS $function$
    SELECT EXISTS (
        SELECT FROM pg_namespace AS n CROSS JOIN LATERAL aclexplode(n.nspacl) AS a
        WHERE n.nspname = ladder AND a.privilege_type = 'USAGE'
            AND quoted_role = CASE a.grantee WHEN 0 THEN 'PUBLIC'
                ELSE quote_ident(pg_get_userbyid(a.grantee)) END)
$function$;

COMMENT ON FUNCTION skillrating_internal.has_usage_grant(text, text) IS
'The same for USAGE on the schema of a ladder, by whomever.';

CREATE FUNCTION skillrating_internal.grant_kind(
    ladder text,
    role text,
    kind text)
RETURNS void
LANGUAGE plpgsql VOLATILE STRICT
SET search_path = pg_catalog, pg_temp
AS $function$
DECLARE
    quoted_role text;
    statement text;
BEGIN
    PERFORM skillrating_internal.ladder_types(ladder);
    quoted_role := skillrating_internal.grantee(role);
    IF skillrating_internal.is_ladder_owner(ladder, role) THEN
        RETURN;
    END IF;
    -- A schema whose privileges change has everybody who is at work on it try again.
    IF NOT skillrating_internal.has_usage_grant(ladder, quoted_role) THEN
        EXECUTE format('GRANT USAGE ON SCHEMA %I TO %s', ladder, quoted_role);
    END IF;
    FOR statement IN
        SELECT format('GRANT %s ON %I.%I TO %s', string_agg(p.privilege, ', '), ladder,
            p.relation, quoted_role)
        FROM skillrating_internal.granted_privileges(ladder, kind) AS p
        GROUP BY p.relation ORDER BY p.relation
    LOOP
        EXECUTE statement;
    END LOOP;
END
$function$;

COMMENT ON FUNCTION skillrating_internal.grant_kind(text, text, text) IS
'A part of grant_reader() and grant_reporter(): grants a role what a kind of role has, and USAGE on
the schema.';

CREATE FUNCTION skillrating_internal.revoke_kind(
    ladder text,
    role text,
    kind text)
RETURNS void
LANGUAGE plpgsql VOLATILE STRICT
SET search_path = pg_catalog, pg_temp
AS $function$
DECLARE
    quoted_role text;
    other text := CASE kind WHEN 'reader' THEN 'reporter' ELSE 'reader' END;
    keeps_other boolean;
    statement text;
BEGIN
    PERFORM skillrating_internal.ladder_types(ladder);
    quoted_role := skillrating_internal.grantee(role);
    IF skillrating_internal.is_ladder_owner(ladder, role) THEN
        RETURN;
    END IF;
    -- A role is of a kind that has all of its privileges; what both need stays then.
    SELECT coalesce(bool_and(
        skillrating_internal.has_grant(ladder, quoted_role, p.relation, p.privilege)), false)
    INTO keeps_other
    FROM skillrating_internal.granted_privileges(ladder, other) AS p;
    FOR statement IN
        SELECT format('REVOKE %s ON %I.%I FROM %s', string_agg(p.privilege, ', '), ladder,
            p.relation, quoted_role)
        FROM (
            SELECT * FROM skillrating_internal.granted_privileges(ladder, kind)
            EXCEPT
            SELECT * FROM skillrating_internal.granted_privileges(ladder, other)
            WHERE keeps_other) AS p
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

COMMENT ON FUNCTION skillrating_internal.revoke_kind(text, text, text) IS
'A part of revoke_reader() and revoke_reporter(): takes from a role what a kind of role has, but for
what it has as the other kind; and USAGE on the schema if no privilege on anything in it is left.';

CREATE FUNCTION skillrating_internal.check_match_tables(ladder text)
RETURNS void
LANGUAGE plpgsql STABLE STRICT
SET search_path = pg_catalog, pg_temp
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
        HINT = format('They come from %s: GRANT what writing there takes, and nothing on ratings.',
            coalesce(attached, 'the tables behind its source'));
END
$function$;

COMMENT ON FUNCTION skillrating_internal.check_match_tables(text) IS
'A part of grant_reporter(): error 42809 for a ladder with a source of the user''s own.';

CREATE FUNCTION skillrating_internal.grant_reader(
    ladder text,
    role text)
RETURNS void
LANGUAGE plpgsql VOLATILE STRICT
SET search_path = pg_catalog, pg_temp
AS $function$
BEGIN
    PERFORM skillrating_internal.grant_kind(ladder, role, 'reader');
END
$function$;

SELECT skillrating_internal.create_entry('grant_reader');

COMMENT ON FUNCTION skillrating.grant_reader(text, text) IS
'Lets a role call every function that reads a ladder, such as leaderboard(), preview(), history()
and verify(), and query what these read: SELECT on component, component_event, correction, event,
ladder, operation, rated_match, rating, solved, solved_context and source, and USAGE on the schema.
role is a name as it is, or public for all roles. It may be called again, as after an update that
brings functions. The ladder''s owner has these rights anyway, and keeps them. Errors: 42704 for an unknown ladder or role, 42501 unless
the caller owns the ladder.';

CREATE FUNCTION skillrating_internal.grant_reporter(
    ladder text,
    role text)
RETURNS void
LANGUAGE plpgsql VOLATILE STRICT
SET search_path = pg_catalog, pg_temp
AS $function$
BEGIN
    PERFORM skillrating_internal.ladder_types(ladder);
    PERFORM skillrating_internal.check_match_tables(ladder);
    PERFORM skillrating_internal.grant_kind(ladder, role, 'reporter');
END
$function$;

SELECT skillrating_internal.create_entry('grant_reporter');

COMMENT ON FUNCTION skillrating.grant_reporter(text, text) IS
'Lets a role report matches to a ladder by report_match() or INSERT, correct them by reporting them
again, and see what became of them: SELECT, INSERT and UPDATE on match, SELECT, INSERT and DELETE on
match_player, SELECT on event and rated_match, and USAGE on the schema. It gives no right to change
ratings in another way, and none to read them, which is what grant_reader() gives. role is a name as
it is, or public for all roles. Errors: 42704 for an unknown ladder or role, 42501 unless the caller
owns the ladder, 42809 for a ladder with a source of your own, whose tables take your own grants.';

CREATE FUNCTION skillrating_internal.revoke_reader(
    ladder text,
    role text)
RETURNS void
LANGUAGE plpgsql VOLATILE STRICT
SET search_path = pg_catalog, pg_temp
AS $function$
BEGIN
    PERFORM skillrating_internal.revoke_kind(ladder, role, 'reader');
END
$function$;

SELECT skillrating_internal.create_entry('revoke_reader');

COMMENT ON FUNCTION skillrating.revoke_reader(text, text) IS
'Undoes grant_reader(): a role that reports matches can still do that. USAGE on the schema goes with
the last privilege on a relation in it. What the role has as a member of another, or as one of
public, stays. Errors: 42704 for an unknown ladder or role, 42501 unless the caller owns the ladder,
2BP01 if the role has granted a privilege to others.';

CREATE FUNCTION skillrating_internal.revoke_reporter(
    ladder text,
    role text)
RETURNS void
LANGUAGE plpgsql VOLATILE STRICT
SET search_path = pg_catalog, pg_temp
AS $function$
BEGIN
    PERFORM skillrating_internal.revoke_kind(ladder, role, 'reporter');
END
$function$;

SELECT skillrating_internal.create_entry('revoke_reporter');

COMMENT ON FUNCTION skillrating.revoke_reporter(text, text) IS
'Undoes grant_reporter(): a role that reads the ladder can still do that. Otherwise as
revoke_reader().';
-- What a source costs: tables that it reads from end to end for each match.

CREATE FUNCTION skillrating_internal.tables_read_whole(source regclass)
RETURNS text
LANGUAGE plpgsql VOLATILE STRICT
SET search_path = pg_catalog, pg_temp
SET enable_seqscan = off
SET enable_hashjoin = off
SET enable_mergejoin = off
AS $function$
DECLARE
    min_size constant bigint := 512 * 1024;
    match_type text := (
        SELECT format_type(a.atttypid, -1) FROM pg_attribute AS a
        WHERE a.attrelid = source AND a.attname = 'match_id' AND NOT a.attisdropped);
    -- Of a condition: constants, types of casts, and the alias of the relation itself.
    own constant text := '''(''''|[^''])*''|::[\w".]+|\m%s\.';
    plan jsonb;
BEGIN
    -- Planning may call functions of a view, with the rights of whoever asks.
    IF match_type IS NULL OR NOT EXISTS (
        SELECT FROM pg_class AS c WHERE c.oid = source AND pg_get_userbyid(c.relowner) = current_user)
    THEN
        RETURN NULL;
    END IF;
    EXECUTE format(
        'EXPLAIN (FORMAT JSON, VERBOSE) SELECT s.* FROM %1$s AS s
        WHERE s.match_id %2$s ANY ((SELECT NULL::%3$s[])::%3$s[])',
        source, skillrating_internal.identifier_equals(match_type::regtype, 'match_id'), match_type)
    INTO plan;
    -- A scan for single matches has an index condition with the parameter, or with a column of
    -- another relation: what is left of any other has neither $ nor a dot.
    RETURN (
        WITH RECURSIVE node AS (
            SELECT plan #> '{0,Plan}' AS n
            UNION ALL
            SELECT child.n FROM node, jsonb_array_elements(node.n -> 'Plans') AS child(n)
        ), scan AS (
            SELECT to_regclass(format('%I.%I', n ->> 'Schema', n ->> 'Relation Name')) AS relation,
                regexp_replace(coalesce(n ->> 'Index Cond', n ->> 'Recheck Cond', ''),
                    format(own, n ->> 'Alias'), '', 'g') AS condition
            FROM node
            WHERE n ->> 'Node Type' IN (
                'Seq Scan', 'Index Scan', 'Index Only Scan', 'Bitmap Heap Scan')
        )
        SELECT string_agg(DISTINCT scan.relation::text, ', ')
        FROM scan
        WHERE scan.condition !~ '[$.]|InitPlan|SubPlan'
            AND pg_relation_size(scan.relation) >= min_size);
EXCEPTION
    -- What cannot be planned is not for us to say.
    WHEN OTHERS THEN
        RETURN NULL;
END
$function$;

COMMENT ON FUNCTION skillrating_internal.tables_read_whole(regclass) IS
'A part of describe_source(): the tables, from half a megabyte on, that a source of the current
role reads from end to end for a single match, whatever the planner tries; null if there are none.
Volatile because EXPLAIN is refused elsewhere.';

CREATE FUNCTION skillrating_internal.warn_of_slow_source(source regclass)
RETURNS void
LANGUAGE plpgsql STABLE STRICT
SET search_path = pg_catalog, pg_temp
AS $function$
DECLARE
    tables text := skillrating_internal.tables_read_whole(source);
BEGIN
    IF tables IS NOT NULL THEN
        RAISE WARNING USING
            MESSAGE = format('source %s reads all rows of %s for each match', source, tables),
            HINT = 'Each table needs an index on its column (or expression) of the match; for '
                'totals, PARTITION BY the column that the view calls match_id, or compare with it. '
                'See "Totals" in docs/ladders.md.';
    END IF;
END
$function$;

COMMENT ON FUNCTION skillrating_internal.warn_of_slow_source(regclass) IS
'A part of describe_source(): a warning that names the tables that a source reads from end to end
for each match.';
-- The tables of a ladder's components, and those of its matches where it has no source of the
-- user's; and the places of columns in tables that are to exchange their rows with others.

CREATE FUNCTION skillrating_internal.room_type(length smallint, alignment "char")
RETURNS text
LANGUAGE sql IMMUTABLE STRICT
SET search_path = pg_catalog, pg_temp
AS $function$
    SELECT CASE length WHEN 1 THEN 'boolean' WHEN 2 THEN 'smallint' WHEN 4 THEN 'integer'
        WHEN 8 THEN 'float8' WHEN 16 THEN 'uuid' WHEN 64 THEN 'name'
        ELSE CASE alignment WHEN 'd' THEN 'float8[]' ELSE 'text' END END
$function$;

COMMENT ON FUNCTION skillrating_internal.room_type(smallint, "char") IS
'A part of rerate() and swap_ladders(): a type whose values take the space of a column that was
dropped.';

CREATE FUNCTION skillrating_internal.arranged_columns(
    ladder text,
    relation text,
    beside text,
    columns text)
RETURNS text
LANGUAGE plpgsql VOLATILE
SET search_path = pg_catalog, pg_temp
AS $function$
DECLARE
    definitions text;
BEGIN
    IF beside IS NULL THEN
        RETURN columns;
    END IF;
    -- The server reads the definitions.
    EXECUTE format('CREATE TABLE %I.skillrating_columns (%s)', ladder, columns);
    WITH wanted AS (
        SELECT t.attnum, t.attname, t.atttypid, concat_ws(' ', quote_ident(t.attname),
            format_type(t.atttypid, t.atttypmod), CASE WHEN t.attnotnull THEN 'NOT NULL' END,
            CASE WHEN t.attgenerated = '' THEN 'DEFAULT ' || pg_get_expr(d.adbin, d.adrelid)
                ELSE format('GENERATED ALWAYS AS (%s) STORED', pg_get_expr(d.adbin, d.adrelid))
            END) AS definition
        FROM pg_attribute AS t
        LEFT JOIN pg_attrdef AS d ON d.adrelid = t.attrelid AND d.adnum = t.attnum
        WHERE t.attrelid = to_regclass(format('%I.skillrating_columns', ladder)) AND t.attnum > 0
    ), place AS (
        SELECT t.attnum, t.attlen, t.attalign, w.definition,
            -- States that ladder beside lacks take the places of those that it alone has.
            CASE WHEN w.attname IS NULL AND t.attlen = 8 AND t.attalign = 'd' THEN row_number()
                OVER (PARTITION BY w.attname IS NULL AND t.attlen = 8 AND t.attalign = 'd'
                    ORDER BY t.attnum) END AS room
        FROM pg_attribute AS t
        LEFT JOIN wanted AS w ON w.attname = t.attname AND w.atttypid = t.atttypid
        WHERE t.attrelid = to_regclass(format('%I.%I', beside, relation)) AND t.attnum > 0
    ), new AS (
        SELECT w.definition, row_number() OVER (ORDER BY w.attnum) AS n
        FROM wanted AS w
        WHERE NOT EXISTS (SELECT FROM place AS p WHERE p.definition = w.definition)
    )
    SELECT string_agg(coalesce(p.definition, n.definition,
            format('skillrating_room_%s %s', p.attnum,
                skillrating_internal.room_type(p.attlen, p.attalign))), ', '
            ORDER BY p.attnum NULLS LAST, n.n)
    INTO definitions
    FROM place AS p FULL JOIN new AS n ON n.n = p.room;
    EXECUTE format('DROP TABLE %I.skillrating_columns', ladder);
    RETURN definitions;
END
$function$;

COMMENT ON FUNCTION skillrating_internal.arranged_columns(text, text, text, text) IS
'A part of create_ladder() and rerate(): definitions of columns in the places where the table of that
name of another ladder has them, with room in the places of columns that it alone has, see
drop_room(). With null for the other ladder, the definitions as they are.';

CREATE FUNCTION skillrating_internal.drop_room(
    ladder text,
    relation text)
RETURNS void
LANGUAGE plpgsql VOLATILE STRICT
SET search_path = pg_catalog, pg_temp
AS $function$
DECLARE
    drops text;
BEGIN
    SELECT string_agg(format('DROP COLUMN %I', t.attname), ', ') INTO drops
    FROM pg_attribute AS t
    WHERE t.attrelid = to_regclass(format('%I.%I', ladder, relation)) AND t.attnum > 0
        AND NOT t.attisdropped AND starts_with(t.attname, 'skillrating_room_');
    IF drops IS NOT NULL THEN
        EXECUTE format('ALTER TABLE %I.%I %s', ladder, relation, drops);
    END IF;
END
$function$;

COMMENT ON FUNCTION skillrating_internal.drop_room(text, text) IS
'A part of create_ladder() and rerate(): drops the columns of a new table that only keep a place, see
arranged_columns().';

CREATE FUNCTION skillrating_internal.create_component_tables(
    ladder text,
    model text,
    player_type regtype,
    match_type regtype)
RETURNS void
LANGUAGE plpgsql VOLATILE
SET search_path = pg_catalog, pg_temp
AS $function$
BEGIN
    EXECUTE format(
        'CREATE TABLE %I.component (%s, UNIQUE NULLS NOT DISTINCT (player_id, kind, pool, key))
        WITH (fillfactor = 70)', ladder,
        skillrating_internal.ladder_columns('component', model, player_type, match_type, ''));
    EXECUTE format('ALTER TABLE %I.component REPLICA IDENTITY FULL', ladder);
    EXECUTE format('COMMENT ON TABLE %I.component IS %L', ladder,
        'States that belong to something else than a player alone, as the model has kinds of them: a side, a context, a club, a player in a context. A row for each kind, pool, key (the context or the club; empty where the kind has none) and player (null where it belongs to none), with the state, the time as of which it is (as_of), and the number and time of rated matches.');

    EXECUTE format(
        'CREATE TABLE %I.component_event (%s, UNIQUE NULLS NOT DISTINCT (player_id, kind, pool, key, seq))', ladder,
        skillrating_internal.ladder_columns('component_event', model, player_type, match_type, ''));
    EXECUTE format('CREATE INDEX ON %I.component_event (seq)', ladder);
    EXECUTE format('ALTER TABLE %I.component_event REPLICA IDENTITY FULL', ladder);
    EXECUTE format('COMMENT ON TABLE %I.component_event IS %L', ladder,
        'History of table component: a row for each component and rated match with the state before and after, games_before, last_played_before and as_of_before (null where that is last_played_before); and one without match_id for each component that a season, settle() or reset_rating() changed. All rows of a match or operation have the seq that its rows in event have; cause is the kind of these.');
END
$function$;

COMMENT ON FUNCTION skillrating_internal.create_component_tables(text, text, regtype, regtype) IS
'A part of create_ladder(): the tables component and component_event, which every ladder has,
whatever its model.';

CREATE FUNCTION skillrating_internal.create_count_tables(ladder text)
RETURNS void
LANGUAGE plpgsql VOLATILE STRICT
SET search_path = pg_catalog, pg_temp
AS $function$
BEGIN
    EXECUTE format(
        'CREATE TABLE %I.rating_count (
            pool text NOT NULL,
            level integer NOT NULL,
            place integer NOT NULL,
            total bigint NOT NULL,
            ranges integer[],
            active integer[],
            active_counts integer[],
            PRIMARY KEY (pool, level, place)) WITH (fillfactor = 50)', ladder);
    EXECUTE format('COMMENT ON TABLE %I.rating_count IS %L', ladder,
        'How many players of a pool with rated matches have a displayed rating in which range, where the leaderboard is "ranks": what ranks are counted from, together with table rating_count_delta. A row of level 0 is about 64 ranges, with the count of each, and counts by the period of the last match; a row of level 1 is the sum of 64 of these.');
    EXECUTE format(
        'CREATE TABLE %I.rating_count_delta (
            pool text NOT NULL,
            cells bigint[] NOT NULL,
            nets integer[] NOT NULL) WITH (autovacuum_vacuum_scale_factor = 0,
                autovacuum_vacuum_threshold = 1000)', ladder);
    -- A publication of all tables must not keep rows from being deleted.
    EXECUTE format('ALTER TABLE %I.rating_count_delta REPLICA IDENTITY FULL', ladder);
    EXECUTE format('COMMENT ON TABLE %I.rating_count_delta IS %L', ladder,
        'What has changed in table rating_count since it was last written: a row a batch, with the net changes of its cells.');
END
$function$;

COMMENT ON FUNCTION skillrating_internal.create_count_tables(text) IS
'A part of create_ladder(): the tables rating_count and rating_count_delta, which every ladder has;
they stay empty unless its leaderboard is "ranks".';

CREATE FUNCTION skillrating_internal.create_match_tables(
    ladder text,
    player_type regtype,
    match_type regtype)
RETURNS void
LANGUAGE plpgsql VOLATILE
SET search_path = pg_catalog, pg_temp
AS $function$
DECLARE
    player text := format_type(player_type, -1);
    match text := format_type(match_type, -1);
BEGIN
    EXECUTE format(
        'CREATE TABLE %I.match (
            match_id %s PRIMARY KEY %s,
            played_at timestamptz NOT NULL DEFAULT now(),
            finished boolean NOT NULL DEFAULT true,
            pool text NOT NULL DEFAULT '''',
            log_odds float8 NOT NULL DEFAULT 0,
            gain float8 NOT NULL DEFAULT 1,
            context text,
            unrated_reason text,
            duration float8,
            surrendered boolean)',
        ladder, match,
        CASE
            WHEN match_type IN ('int2'::regtype, 'int4'::regtype, 'int8'::regtype)
                THEN 'GENERATED BY DEFAULT AS IDENTITY'
            WHEN match_type = 'uuid'::regtype THEN 'DEFAULT gen_random_uuid()'
            ELSE ''
        END);
    EXECUTE format('COMMENT ON TABLE %I.match IS %L', ladder,
        'Matches: when played, whether finished (only then rated), in which pool of ratings, with which log-odds of the context in favour of the first side, with which weight of the updates of all players (gain), where or as what all of them play (context), to keep one unrated, why, and for rules of eligibility how long it lasted in seconds (duration) and whether a team gave up (surrendered).');

    EXECUTE format(
        'CREATE TABLE %1$I.match_player (
            match_id %2$s NOT NULL REFERENCES %1$I.match ON DELETE CASCADE,
            player_id %3$s NOT NULL,
            stint smallint NOT NULL DEFAULT 1,
            team integer NOT NULL,
            rank integer,
            score float8,
            won boolean,
            weight float8,
            joined float8,
            "left" float8,
            commanding float8,
            side smallint,
            context text,
            club text,
            squad bigint,
            kills integer,
            deaths integer,
            quit boolean,
            experience integer,
            gain float8,
            bot boolean,
            PRIMARY KEY (match_id, player_id, stint))', ladder, match, player);
    EXECUTE format('COMMENT ON TABLE %I.match_player IS %L', ladder,
        'Participants: the team, its result (rank, 1 is best and equal ranks are a draw; or score, high is best; or won), and optionally the share of the match played (weight, or joined and left in seconds), the side (1 or 2), where or as what this player plays (context; that of the match if null), for which group, such as a club or a country (club), and the share of the stint spent commanding (or seconds, if more than 1), the squad (the same number for all who queued together), kills and deaths, whether the player quit, how many matches the player had played elsewhere (experience), the weight of the update of this player alone (gain, times that of the match; 1 if null), and whether it is a program (bot). A player with several stints has several rows.');
END
$function$;

COMMENT ON FUNCTION skillrating_internal.create_match_tables(text, regtype, regtype) IS
'A part of create_ladder(): the tables match and match_player of a ladder that has no source of the
user.';

CREATE FUNCTION skillrating_internal.create_own_source(
    ladder text,
    match_type regtype)
RETURNS void
LANGUAGE plpgsql VOLATILE
SET search_path = pg_catalog, pg_temp
AS $function$
BEGIN
    -- Equality of identifiers is that of their type, wherever the type lives, and not one that
    -- somebody else has put beside the type.
    EXECUTE format(
        'CREATE VIEW %1$I.source AS
        SELECT m.match_id, m.played_at, m.pool, m.log_odds,
            m.gain * coalesce(p.gain, 1) AS gain, m.unrated_reason, m.duration, m.surrendered,
            p.player_id, p.team, p.rank, p.score, p.won,
            p.weight, p.joined, p."left", p.commanding, p.side,
            coalesce(p.context, m.context) AS context, p.club, p.squad, p.kills, p.deaths, p.quit, p.experience, p.bot
        FROM %1$I.match AS m
        JOIN %1$I.match_player AS p ON p.match_id %2$s m.match_id
        WHERE m.finished', ladder, skillrating_internal.identifier_equals(match_type, 'match_id'));
    EXECUTE format('COMMENT ON VIEW %I.source IS %L', ladder,
        'A row for each participant of every finished match: what the ladder rates.');
END
$function$;

COMMENT ON FUNCTION skillrating_internal.create_own_source(text, regtype) IS
'A part of create_ladder(): the view source over match and match_player.';
-- Existing matches: rating the history that a ladder begins with.

CREATE FUNCTION skillrating_internal.note_waiting(
    source regclass,
    ladder text,
    condition text DEFAULT 'true')
RETURNS void
LANGUAGE plpgsql VOLATILE STRICT
SET search_path = pg_catalog, pg_temp
AS $function$
DECLARE
    -- Not more rows are read, and none where that already costs more than a second or so.
    max_rows constant bigint := 10000;
    max_cost constant float8 := 100000;
    rows text := format('SELECT s.match_id FROM %s AS s WHERE s.match_id IS NOT NULL AND %s',
        source, condition);
    plan jsonb;
    n bigint;
    n_rows bigint;
    message text;
BEGIN
    -- The functions of a view run with the rights of who reads it.
    IF NOT EXISTS (
        SELECT FROM pg_class AS c WHERE c.oid = source AND pg_get_userbyid(c.relowner) = current_user)
    THEN
        RETURN;
    END IF;
    EXECUTE format('EXPLAIN (FORMAT JSON) %s LIMIT %s', rows, max_rows) INTO plan;
    IF (plan #>> '{0,Plan,Total Cost}')::float8 <= max_cost THEN
        EXECUTE format(
            'SELECT count(DISTINCT w.match_id), count(*) FROM (%s LIMIT %s) AS w', rows, max_rows)
        INTO n, n_rows;
        IF n = 0 THEN
            RETURN;
        END IF;
        message := CASE
            WHEN n_rows = max_rows THEN format('at least %s existing matches wait to be rated', n)
            WHEN n = 1 THEN '1 existing match waits to be rated'
            ELSE format('%s existing matches wait to be rated', n)
        END;
    ELSE
        EXECUTE format('EXPLAIN (FORMAT JSON) %s', rows) INTO plan;
        message := format(
            'existing matches wait to be rated, by the planner''s estimate in %s rows',
            plan #>> '{0,Plan,Plan Rows}');
    END IF;
    RAISE NOTICE USING
        MESSAGE = message,
        HINT = format('CALL skillrating.backfill(%L) rates them.', ladder);
EXCEPTION
    -- Whatever a view of the user's does, a notice is not what it may keep a ladder from.
    WHEN OTHERS THEN
        NULL;
END
$function$;

COMMENT ON FUNCTION skillrating_internal.note_waiting(regclass, text, text) IS
'A part of attach(): says in a notice how many matches of a ladder''s view source, with alias s, meet
a condition and wait for backfill(). Does nothing for a view of another role. Of many it gives a lower bound, and the planner''s estimate where counting costs too much.
Volatile because EXPLAIN is refused elsewhere.';

CREATE FUNCTION skillrating_internal.check_backfill(
    batch_size integer,
    catch_up boolean)
RETURNS void
LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE
SET search_path = pg_catalog, pg_temp
AS $function$
BEGIN
    IF batch_size IS NULL OR catch_up IS NULL THEN
        RAISE null_value_not_allowed USING
            MESSAGE = 'batch_size and catch_up must not be null';
    END IF;
    IF batch_size < 1 THEN
        RAISE numeric_value_out_of_range USING
            MESSAGE = format('batch_size must be at least 1, not %s', batch_size);
    END IF;
END
$function$;

COMMENT ON FUNCTION skillrating_internal.check_backfill(integer, boolean) IS
'A part of backfill(): error 22004 for nulls, 22003 for a batch_size below 1. Other arguments are
checked by the functions on ladders that backfill() calls.';

CREATE FUNCTION skillrating_internal.check_backfill_block()
RETURNS void
AS 'MODULE_PATHNAME', 'skillrating_check_backfill_block'
LANGUAGE C STABLE;

COMMENT ON FUNCTION skillrating_internal.check_backfill_block() IS
'A part of backfill(): error 2D000 in a transaction block, with a hint.';

CREATE FUNCTION skillrating_internal.backfill_batches(
    ladder text,
    batch_size integer DEFAULT 10000,
    OUT matches text[],
    OUT done bigint,
    OUT total bigint)
RETURNS SETOF record
LANGUAGE plpgsql STABLE STRICT
SET search_path = pg_catalog, pg_temp
AS $function$
DECLARE
    t record := skillrating_internal.ladder_types(ladder);
BEGIN
    PERFORM skillrating_internal.check_backfill(batch_size, true);
    RETURN QUERY EXECUTE format(
        'SELECT array_agg(format(''%%s'', o.match_id) ORDER BY o.n), min(o.n) - 1, max(o.total)
        FROM (
            SELECT w.match_id, row_number() OVER (ORDER BY w.at, w.match_id%2$s) AS n,
                count(*) OVER () AS total
            FROM (
                SELECT u.match_id, min(u.at) AS at
                FROM (
                    SELECT s.match_id, CAST(s.played_at AS timestamptz) AS at FROM %1$I.source AS s
                    WHERE s.match_id IS NOT NULL AND NOT EXISTS (
                        SELECT FROM %1$I.rated_match AS m WHERE m.match_id %3$s s.match_id)
                    UNION ALL
                    SELECT p.match_id, CAST(s.played_at AS timestamptz)
                    FROM %1$I.pending AS p
                    LEFT JOIN %1$I.source AS s ON s.match_id %3$s p.match_id
                ) AS u
                GROUP BY u.match_id
            ) AS w
        ) AS o
        GROUP BY (o.n - 1) / $1
        ORDER BY 2', ladder, t.match_order, t.match_equals)
    USING batch_size;
END
$function$;

SELECT skillrating_internal.create_entry('backfill_batches');

COMMENT ON FUNCTION skillrating.backfill_batches(text, integer) IS
'The matches that backfill() has yet to look at, by time and match: those of the source that have
no row in rated_match, and those in pending. A row for each batch: the identifiers as text, how
many matches come before them, and how many there are in all. Errors: 42704 for an unknown ladder,
42501 unless the caller owns it, 22003 for a batch_size below 1, and those that the source raises.';

CREATE FUNCTION skillrating_internal.backfill_batch(
    ladder text,
    matches text[],
    late text DEFAULT 'reorder',
    done bigint DEFAULT NULL,
    total bigint DEFAULT NULL,
    started_at timestamptz DEFAULT NULL,
    OUT looked_at bigint,
    OUT late_matches bigint,
    OUT unrated bigint)
AS 'MODULE_PATHNAME', 'skillrating_backfill_batch'
LANGUAGE C VOLATILE;

SELECT skillrating_internal.create_entry('backfill_batch');

COMMENT ON FUNCTION skillrating.backfill_batch(text, text[], text, bigint, bigint, timestamptz) IS
'A step of backfill(): rates the matches with these identifiers, as text, in the order of time, as
far as they are finished and not rated yet; they wait in pending no longer. Returns how many it
looked at that were new, changed or gone, and how many of them are older than others of their
players and wait for catch_up() to get their place; with late => append they get the next place
instead. unrated: how many of the others do not count; rated_match has the reasons.
done, total and started_at are what progress() shows: how many matches came before, how many there
are, and when that began. Errors: 42704 for an unknown ladder, 42501 unless the caller owns it,
22004 for nulls, 22P02 for texts that are no identifiers, 22023 for another late, or append where
the ladder reorders, 55000 if its triggers are gone, see restore_triggers().';

CREATE PROCEDURE skillrating.backfill(
    ladder text,
    batch_size integer DEFAULT 10000,
    late text DEFAULT 'reorder',
    catch_up boolean DEFAULT true,
    INOUT matches bigint DEFAULT NULL,
    INOUT late_matches bigint DEFAULT NULL,
    INOUT unrated bigint DEFAULT NULL)
LANGUAGE plpgsql
AS $procedure$
DECLARE
    started_at pg_catalog.timestamptz := pg_catalog.clock_timestamp();
    batch pg_catalog.record;
    step pg_catalog.record;
    matches_before pg_catalog.int8;
    waiting pg_catalog.int8;
BEGIN
    -- No bare operators or names here: what commits cannot have a search_path of its own. Whatever
    -- works on the ladder checks the rights of the caller; an empty batch does that at once.
    PERFORM skillrating_internal.check_backfill(batch_size, catch_up);
    PERFORM skillrating_internal.check_backfill_block();
    PERFORM FROM skillrating.backfill_batch(ladder, '{}', late);
    matches := 0;
    late_matches := 0;
    unrated := 0;
    LOOP
        COMMIT;
        matches_before := matches;
        waiting := 0;
        FOR batch IN
            SELECT b.matches, b.done, b.total
            FROM skillrating.backfill_batches(ladder, batch_size) AS b
        LOOP
            -- The rows that are left outlive the transaction.
            COMMIT;
            SELECT b.looked_at, b.late_matches, b.unrated INTO step
            FROM skillrating.backfill_batch(ladder, batch.matches, late, batch.done, batch.total,
                started_at) AS b;
            matches := matches OPERATOR(pg_catalog.+) step.looked_at;
            late_matches := late_matches OPERATOR(pg_catalog.+) step.late_matches;
            unrated := unrated OPERATOR(pg_catalog.+) step.unrated;
            waiting := batch.total;
        END LOOP;
        -- What came meanwhile and rates nothing by itself; not for ever, if that does not end.
        EXIT WHEN matches OPERATOR(pg_catalog.=) matches_before;
        EXIT WHEN waiting OPERATOR(pg_catalog.<=) batch_size;
    END LOOP;
    COMMIT;
    IF catch_up THEN
        PERFORM FROM skillrating.catch_up(ladder);
    END IF;
END
$procedure$;

COMMENT ON PROCEDURE skillrating.backfill(text, integer, text, boolean, bigint, bigint, bigint) IS
'Rates the existing matches of a ladder: those of the source that nobody has looked at, and those
that wait in pending. They are rated in the order of played_at and match_id, batch_size of them in
a transaction; other sessions rate matches between these, and may run backfill() as well. Whatever
ends it, the batches before stay, and the next call goes on there. progress() shows how far it is.
late: what becomes of matches that are older than those that the ladder has rated, of the same
players. reorder: they wait until all others are rated, and catch_up() then gives each match from
the first of them on the place that its time gives it, also where the ladder appends matches that
come late. append: they get the next place, and no rating changes; an error in a ladder that
reorders.
catch_up: call catch_up() at the end, in a transaction of its own, which replays what is out of
date while rating waits; otherwise the late matches and corrections wait for you to call it.
matches, late_matches, unrated: return how many matches this call has looked at, how many of them
were late, and how many of the others do not count, for the reasons in table rated_match; values
given in the call are ignored.
Errors: 2D000 within a transaction block, 42704 for an unknown ladder, 42501 unless the caller owns
it, 22004 for nulls, 22003 for a batch_size below 1, 22023 for another late, 55000 if its triggers
are gone, see restore_triggers(), and those that the source raises.';
-- Corrections: what changes the history of a ladder, and bringing it up to date.

CREATE FUNCTION skillrating_internal.check_operation_time(at timestamptz)
RETURNS void
LANGUAGE plpgsql STABLE STRICT
SET search_path = pg_catalog, pg_temp
AS $function$
BEGIN
    IF NOT isfinite(at) THEN
        RAISE datetime_field_overflow USING
            MESSAGE = format('at must be finite, not %s', at),
            HINT = 'The time gives an operation its place among the matches.';
    END IF;
END
$function$;

COMMENT ON FUNCTION skillrating_internal.check_operation_time(timestamptz) IS
'Error 22008 for an infinite time: no match could come behind the operation, or none before it.';

CREATE FUNCTION skillrating_internal.note_operation(
    ladder text,
    kind text,
    player_id text DEFAULT NULL,
    into_id text DEFAULT NULL,
    pool text DEFAULT NULL,
    since timestamptz DEFAULT NULL,
    until timestamptz DEFAULT NULL,
    at timestamptz DEFAULT now(),
    state float8[] DEFAULT NULL,
    params jsonb DEFAULT '{}',
    reason text DEFAULT NULL)
RETURNS bigint
LANGUAGE plpgsql VOLATILE
SET search_path = pg_catalog, pg_temp
AS $function$
DECLARE
    t record := skillrating_internal.ladder_types(ladder);
    operation bigint := nextval(format('%I.event_seq', ladder));
BEGIN
    PERFORM skillrating_internal.check_operation_time(at);
    PERFORM skillrating_internal.check_operation_behind_horizon(ladder, at);
    EXECUTE format(
        'INSERT INTO %1$I.operation (operation, seq, kind, player_id, into_id, pool, since, until, at, state, params, reason)
        VALUES ($1, $1, $2, CAST($3 AS %2$s), CAST($4 AS %2$s), $5, $6, $7, $8, $9, $10, $11)', ladder, t.player_type)
    USING operation, kind, player_id, into_id, pool, since, until, at, state, params, reason;
    RETURN operation;
END
$function$;

COMMENT ON FUNCTION skillrating_internal.note_operation(text, text, text, text, text, timestamptz, timestamptz, timestamptz, float8[], jsonb, text) IS
'Writes an operation into table operation of a ladder, whose door is open, at the next place in the
order, and returns its number, which is that place until a ladder with late => reorder gives it
another; the number stays. Identifiers are texts. Errors: 42704 for an unknown ladder, 22008 for an
infinite time, 55000 for one before the horizon where time gives operations their places.';

CREATE FUNCTION skillrating_internal.note_correction(
    ladder text,
    kind text,
    seq bigint,
    match_id text DEFAULT NULL,
    played_at timestamptz DEFAULT NULL)
RETURNS void
LANGUAGE plpgsql VOLATILE
SET search_path = pg_catalog, pg_temp
AS $function$
DECLARE
    t record := skillrating_internal.ladder_types(ladder);
BEGIN
    PERFORM skillrating_internal.check_behind_horizon(ladder, kind, seq, match_id);
    IF seq IS NOT NULL THEN
        EXECUTE format('INSERT INTO %I.correction (seq, match_id, kind, played_at) VALUES ($1, CAST($2 AS %s), $3, $4)',
            ladder, t.match_type)
        USING seq, match_id, kind, played_at;
    END IF;
END
$function$;

COMMENT ON FUNCTION skillrating_internal.note_correction(text, text, bigint, text, timestamptz) IS
'Writes into table correction of a ladder that history is out of date from a place in the order on;
nothing if that is null. The match and the time are those that a ladder with late => reorder has to
find a new place for. Errors: 42704 for an unknown ladder, 55000 for a place before the horizon.';

CREATE FUNCTION skillrating_internal.catch_up(
    ladder text,
    search boolean DEFAULT false,
    rebuild boolean DEFAULT false,
    dry_run boolean DEFAULT false,
    OUT player_id text,
    OUT pool text,
    OUT rating_before float8,
    OUT rating_after float8,
    OUT games_before bigint,
    OUT games_after bigint,
    OUT place_before bigint,
    OUT place_after bigint)
RETURNS SETOF record
AS 'MODULE_PATHNAME', 'skillrating_catch_up'
LANGUAGE C VOLATILE STRICT ROWS 1000;

SELECT skillrating_internal.create_entry('catch_up');

COMMENT ON FUNCTION skillrating.catch_up(text, boolean, boolean, boolean) IS
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
most of the work lies behind a late match, and above READ COMMITTED, they wait from the beginning. Reading goes
on. What is out of date before a rated match that has gone from the source unreported waits, with a
warning; another names columns that the source has got since, see refresh_source(). Errors: 42704
for an unknown ladder, 42501 unless the caller owns it, 55006 within the work on it, 40P01 if the
transaction has rated matches of the ladder and another one maintains it, 55000 if triggers are
missing, see restore_triggers(), or, with rebuild, such a match.';

CREATE FUNCTION skillrating_internal.void_match(
    ladder text,
    match_id anycompatible,
    reason text DEFAULT 'void')
RETURNS void
LANGUAGE plpgsql VOLATILE STRICT
SET search_path = pg_catalog, pg_temp
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
            MESSAGE = format('ladder "%s" has not looked at match %s', ladder, match_id),
            HINT = 'Matches that it knows are in its table rated_match.';
    END IF;
    PERFORM skillrating_internal.note_correction(ladder, 'void', place, match_id::text);
END
$function$;

SELECT skillrating_internal.create_entry('void_match');

COMMENT ON FUNCTION skillrating.void_match(text, anycompatible, text) IS
'Takes a match out of the rating, whatever the source says, for the reason given; takes effect with
catch_up(). restore_match() brings it back. Error 42704 for an unknown ladder or match.';

CREATE FUNCTION skillrating_internal.restore_match(
    ladder text,
    match_id anycompatible)
RETURNS void
LANGUAGE plpgsql VOLATILE STRICT
SET search_path = pg_catalog, pg_temp
AS $function$
DECLARE
    t record := skillrating_internal.ladder_types(ladder);
    place bigint;
    played_at timestamptz;
    n bigint;
BEGIN
    EXECUTE format('UPDATE %I.rated_match AS m SET void_reason = NULL, decided_at = clock_timestamp() WHERE m.match_id %s CAST($1 AS %s) AND m.void_reason IS NOT NULL RETURNING m.seq, m.played_at',
        ladder, t.match_equals, t.match_type)
    INTO place, played_at USING match_id::text;
    GET DIAGNOSTICS n = ROW_COUNT;
    IF n = 0 THEN
        RAISE undefined_object USING
            MESSAGE = format('match %s of ladder "%s" is not void', match_id, ladder);
    END IF;
    PERFORM skillrating_internal.note_correction(ladder, 'restore', place, match_id::text, played_at);
END
$function$;

SELECT skillrating_internal.create_entry('restore_match');

COMMENT ON FUNCTION skillrating.restore_match(text, anycompatible) IS
'Undoes void_match(): the match counts again, at its old place in the order; takes effect with
catch_up(). Error 42704 for an unknown ladder or a match that is not void.';

CREATE FUNCTION skillrating_internal.note_exclusion(
    ladder text,
    player_id text,
    since timestamptz,
    until timestamptz,
    at timestamptz,
    reason text)
RETURNS bigint
LANGUAGE plpgsql VOLATILE
SET search_path = pg_catalog, pg_temp
AS $function$
DECLARE
    t record := skillrating_internal.ladder_types(ladder);
    place bigint;
    operation bigint;
    refund bigint;
BEGIN
    -- Points that were given back would come twice if the matches were taken out as well.
    EXECUTE format(
        'SELECT o.operation FROM %1$I.operation AS o
        WHERE o.kind = ''refund'' AND o.undone_at IS NULL AND o.into_id %3$s CAST($1 AS %2$s)
            AND EXISTS (
                SELECT FROM jsonb_array_elements_text(o.params->''matches'') AS k(id)
                JOIN %1$I.rated_match AS m ON m.match_id %5$s CAST(k.id AS %4$s)
                WHERE m.played_at >= $2 AND m.played_at < $3)
        LIMIT 1', ladder, t.player_type, t.player_equals, t.match_type, t.match_equals)
    INTO refund USING player_id, since, until;
    IF refund IS NOT NULL THEN
        RAISE invalid_parameter_value USING
            MESSAGE = format('operation %s of ladder "%s" has given back points of matches with player %s in that time',
                refund, ladder, player_id),
            HINT = 'Undo it first, or begin behind these matches.';
    END IF;
    PERFORM skillrating_internal.check_player_behind_horizon(ladder,
        skillrating_internal.counted_player(ladder, player_id), since);
    EXECUTE format(
        'WITH RECURSIVE account(id) AS (
            SELECT CAST($1 AS %2$s)
            UNION ALL
            SELECT o.into_id FROM account AS a JOIN %1$I.operation AS o ON o.player_id %3$s a.id
            WHERE o.kind = ''merge'' AND o.undone_at IS NULL)
        SELECT min(e.seq) FROM account AS a JOIN %1$I.event AS e ON e.player_id %3$s a.id
        WHERE e.kind = ''match'' AND e.played_at >= $2 AND e.played_at < $3',
        ladder, t.player_type, t.player_equals)
    INTO place USING player_id, since, until;
    operation := skillrating_internal.note_operation(ladder, 'exclude', player_id,
        since => since, until => until, at => at, reason => reason);
    PERFORM skillrating_internal.note_correction(ladder, 'exclude', place);
    RETURN operation;
END
$function$;

COMMENT ON FUNCTION skillrating_internal.note_exclusion(text, text, timestamptz, timestamptz, timestamptz, text) IS
'The part of exclude_player() for policy void: writes the operation, and from where on history is
out of date. Returns its number.';

CREATE FUNCTION skillrating_internal.counted_player(
    ladder text,
    player_id text)
RETURNS text
AS 'MODULE_PATHNAME', 'skillrating_counted_player'
LANGUAGE C STABLE STRICT;

COMMENT ON FUNCTION skillrating_internal.counted_player(text, text) IS
'The player that an account counts as, now and whatever catch_up() has still to do: the account that
it is merged into in the end, or itself. Functions of a ladder that take a player ask this one.
Error 55000 unless the door to the ladder is open.';

CREATE FUNCTION skillrating_internal.counting_rows(ladder text)
RETURNS text
LANGUAGE plpgsql STABLE STRICT
SET search_path = pg_catalog, pg_temp
AS $function$
DECLARE
    t record := skillrating_internal.ladder_types(ladder);
    merged text := format('FROM %I.operation AS o
        WHERE o.kind = ''merge'' AND o.undone_at IS NULL AND o.player_id %s r.player_id',
        ladder, t.player_equals);
    left_over boolean;
BEGIN
    EXECUTE format('SELECT EXISTS (SELECT FROM %I.rating AS r, LATERAL (SELECT %s) AS m)',
        ladder, merged)
    INTO left_over;
    RETURN CASE WHEN left_over THEN format('NOT EXISTS (SELECT %s)', merged) ELSE 'true' END;
END
$function$;

COMMENT ON FUNCTION skillrating_internal.counting_rows(text) IS
'A part of find_opponents(): the condition on rows r of rating that they are of players who count,
and not of accounts that are merged, which have some until catch_up() only.';

CREATE FUNCTION skillrating_internal.merged_accounts(
    ladder text,
    OUT player_id text,
    OUT into_id text)
RETURNS SETOF record
LANGUAGE plpgsql STABLE STRICT ROWS 10
SET search_path = pg_catalog, pg_temp
AS $function$
DECLARE
    t record := skillrating_internal.ladder_types(ladder);
BEGIN
    RETURN QUERY EXECUTE format(
        'WITH RECURSIVE merged(player_id, into_id) AS (
            SELECT o.player_id, o.into_id FROM %1$I.operation AS o
            WHERE o.kind = ''merge'' AND o.undone_at IS NULL
            UNION ALL
            SELECT m.player_id, o.into_id
            FROM merged AS m JOIN %1$I.operation AS o ON o.player_id %2$s m.into_id
            WHERE o.kind = ''merge'' AND o.undone_at IS NULL)
        SELECT m.player_id::text, m.into_id::text FROM merged AS m
        WHERE NOT EXISTS (
            SELECT FROM %1$I.operation AS o
            WHERE o.kind = ''merge'' AND o.undone_at IS NULL AND o.player_id %2$s m.into_id)',
        ladder, t.player_equals);
END
$function$;

COMMENT ON FUNCTION skillrating_internal.merged_accounts(text) IS
'The players of a ladder who are merged into others, each with the account that counts in the end.
Until catch_up() events may still have the former.';

CREATE FUNCTION skillrating_internal.lost_points(
    ladder text,
    player_id text,
    since timestamptz,
    until timestamptz,
    at timestamptz,
    OUT victim text,
    OUT pool text,
    OUT seq bigint,
    OUT match_id text,
    OUT points float8,
    OUT season_seq bigint)
RETURNS SETOF record
LANGUAGE plpgsql STABLE
SET search_path = pg_catalog, pg_temp
AS $function$
DECLARE
    t record := skillrating_internal.ladder_types(ladder);
    s record := skillrating_internal.state_expressions(ladder);
BEGIN
    RETURN QUERY EXECUTE format(
        'SELECT l.player_id::text, l.pool, l.seq, l.match_id::text, l.points, l.season_seq
        FROM (
            SELECT coalesce(CAST(a.into_id AS %2$s), e.player_id) AS player_id, e.pool, e.seq,
                e.match_id, b.season_seq,
                skillrating.state_rating(l.model, %4$s, l.params)
                    - skillrating.state_rating(l.model, %5$s, l.params) AS points
            FROM %1$I.ladder AS l
            CROSS JOIN %1$I.event AS c
            CROSS JOIN LATERAL (
                SELECT coalesce(max(o.seq), 0) AS season_seq FROM %1$I.operation AS o
                WHERE o.kind = ''season'' AND o.undone_at IS NULL AND o.at <= $4
                    AND (o.pool IS NULL OR o.pool = c.pool)) AS b
            JOIN %1$I.event AS e ON e.seq = c.seq AND e.pool = c.pool
            -- Merges that wait for catch_up() have not reached the events.
            LEFT JOIN skillrating_internal.merged_accounts(%6$L) AS a
                ON e.player_id %3$s CAST(a.player_id AS %2$s)
            WHERE c.player_id %3$s CAST($1 AS %2$s) AND c.kind = ''match''
                AND c.played_at >= $2 AND c.played_at < least($3, $4) AND c.seq > b.season_seq
                AND e.team <> c.team AND e.score <= c.score
                -- A rating that began anew since then knows nothing of the loss.
                AND NOT EXISTS (
                    SELECT FROM %1$I.event AS n
                    WHERE n.player_id %3$s e.player_id AND n.pool = e.pool AND n.seq > e.seq
                        AND n.kind IN (''reset'', ''set'', ''seed'') AND n.played_at <= $4)
                AND NOT EXISTS (
                    SELECT FROM %1$I.operation AS x
                    WHERE x.kind = ''exclude'' AND x.undone_at IS NULL AND x.player_id %3$s c.player_id
                        AND x.since <= c.played_at AND c.played_at < x.until)) AS l
        WHERE l.points > 0 AND NOT (l.player_id %3$s CAST($1 AS %2$s))
            AND NOT EXISTS (
                SELECT FROM %1$I.operation AS o
                WHERE o.kind = ''refund'' AND o.undone_at IS NULL
                    AND (o.into_id %3$s l.player_id
                        OR o.player_id %3$s l.player_id AND o.pool = l.pool
                            AND o.params->''matches'' ? l.match_id::text))',
        ladder, t.player_type, t.player_equals, s.before, s.after, ladder)
    USING player_id, since, until, at;
END
$function$;

COMMENT ON FUNCTION skillrating_internal.lost_points(text, text, timestamptz, timestamptz, timestamptz) IS
'A part of exclude_player() for policy refund: who lost how many points of the displayed rating in
which match against a player whom the own team did not beat, from since on and before until and at,
in the season of that time, which began at season_seq; but for matches that were refunded before
or are excluded, losses before a rating was set or reset, and players to whom others lost what they
got back. victim is the account that counts, also if a merge waits for catch_up().';

CREATE FUNCTION skillrating_internal.note_refund(
    ladder text,
    player_id text,
    since timestamptz,
    until timestamptz,
    at timestamptz,
    reason text,
    cap_at_peak boolean)
RETURNS bigint
LANGUAGE plpgsql VOLATILE
SET search_path = pg_catalog, pg_temp
AS $function$
DECLARE
    t record := skillrating_internal.ladder_types(ladder);
    s record := skillrating_internal.state_expressions(ladder);
    operation bigint := nextval(format('%I.event_seq', ladder));
    n bigint;
BEGIN
    PERFORM skillrating_internal.check_operation_time(at);
    PERFORM skillrating_internal.check_not_merged(ladder, player_id);
    EXECUTE format(
        'INSERT INTO %1$I.operation (operation, seq, kind, pool, player_id, into_id, since, until, at, params, reason)
        SELECT $1, $1, ''refund'', v.pool, CAST(v.victim AS %2$s), CAST($2 AS %2$s), $3, $4, $5,
            jsonb_strip_nulls(jsonb_build_object(''amount'', v.amount, ''matches'', v.matches,
                ''peak'', p.peak)), $6
        FROM (
            SELECT l.victim, l.pool, l.season_seq, sum(l.points ORDER BY l.seq) AS amount,
                jsonb_agg(l.match_id ORDER BY l.seq) AS matches
            FROM skillrating_internal.lost_points(%4$L, $2, $3, $4, $5) AS l
            GROUP BY l.victim, l.pool, l.season_seq) AS v
        LEFT JOIN LATERAL (
            SELECT max(greatest(skillrating.state_rating(r.model, %5$s, r.params),
                skillrating.state_rating(r.model, %6$s, r.params))) AS peak
            FROM %1$I.ladder AS r
            CROSS JOIN (
                SELECT CAST(v.victim AS %2$s)
                UNION ALL
                SELECT CAST(a.player_id AS %2$s)
                FROM skillrating_internal.merged_accounts(%4$L) AS a
                WHERE CAST(a.into_id AS %2$s) %3$s CAST(v.victim AS %2$s)) AS k(player_id)
            JOIN %1$I.event AS e ON e.player_id %3$s k.player_id
            WHERE e.pool = v.pool AND e.seq > v.season_seq AND e.played_at <= $5
                AND NOT EXISTS (
                    SELECT FROM %1$I.event AS n
                    WHERE n.player_id %3$s e.player_id AND n.pool = e.pool AND n.seq >= e.seq
                        AND n.kind IN (''reset'', ''set'', ''seed'') AND n.played_at <= $5)) AS p ON $7',
        ladder, t.player_type, t.player_equals, ladder, s.before, s.after)
    USING operation, player_id, since, until, at, reason, cap_at_peak;
    GET DIAGNOSTICS n = ROW_COUNT;
    IF n = 0 THEN
        RETURN NULL;
    END IF;
    PERFORM skillrating_internal.apply_operation(ladder, operation);
    RETURN operation;
END
$function$;

COMMENT ON FUNCTION skillrating_internal.note_refund(text, text, timestamptz, timestamptz, timestamptz, text, boolean) IS
'The part of exclude_player() for policy refund: writes the operation, a row for each opponent and
pool with the amount, the matches and with cap_at_peak the highest rating of the season, and does
it. Returns its number, or null if nobody gets anything.';

CREATE FUNCTION skillrating_internal.check_known_player(
    ladder text,
    player_id text)
RETURNS void
LANGUAGE plpgsql STABLE STRICT
SET search_path = pg_catalog, pg_temp
AS $function$
BEGIN
    -- Their matches need not have an index by players, and are looked at last.
    IF skillrating_internal.known_players(ladder, ARRAY[player_id], false) = '{}'
        AND skillrating_internal.known_players(ladder, ARRAY[player_id], true) = '{}'
    THEN
        RAISE undefined_object USING
            MESSAGE = format('ladder "%s" does not know player %s', ladder, player_id),
            HINT = 'It knows the players of its matches, and those whom an operation is about. '
                'For others set allow_unknown to true.';
    END IF;
END
$function$;

COMMENT ON FUNCTION skillrating_internal.check_known_player(text, text) IS
'A part of exclude_player() and merge_players(): error 42704 for a player of whom a ladder has no
match, rated or not, and no operation, so that a typing error does not pass for a ban.';

CREATE FUNCTION skillrating_internal.exclude_player(
    ladder text,
    player_id anycompatible,
    since timestamptz DEFAULT '-infinity',
    until timestamptz DEFAULT 'infinity',
    reason text DEFAULT NULL,
    policy text DEFAULT 'void',
    at timestamptz DEFAULT now(),
    cap_at_peak boolean DEFAULT false,
    allow_unknown boolean DEFAULT false,
    OUT operation bigint)
LANGUAGE plpgsql VOLATILE
SET search_path = pg_catalog, pg_temp
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
        WHEN 'refund' THEN
            operation := skillrating_internal.note_refund(ladder, player_id::text, since, until,
                at, reason, cap_at_peak);
        ELSE
            RAISE invalid_parameter_value USING
                MESSAGE = format('policy must be "void" or "refund", not "%s"', policy);
    END CASE;
END
$function$;

SELECT skillrating_internal.create_entry('exclude_player');

COMMENT ON FUNCTION skillrating.exclude_player(text, anycompatible, timestamptz, timestamptz, text, text, timestamptz, boolean, boolean) IS
'Makes good for a player, for instance a cheater, in the matches played from since on and before
until. Policy void takes them out of the rating, those to come too, with effect for everybody who
played since; what was rated changes with catch_up(). Policy refund leaves them in, and at once
gives opponents back what they lost in those that they did not win: a match is given back once, in
the season of the time at and before it, and with cap_at_peak up to the highest rating of that
season only. Amounts are points of the displayed rating, as history has it at the moment, and come
on top of the first state column; they keep their place in the order and their size when history is
corrected. Returns the number of the operation, for undo_operation(); null if there is nothing to
give back. A player of whom the ladder has no match and no operation is an error, because that may
be a typing error; allow_unknown is for those who are to be kept out before their first match.
Errors: 42704 for an unknown ladder or player, 22023 for an empty time, an unknown policy, or the
refund of a player who is merged into another, or for policy void of matches whose points were given
back, 22008 for an infinite at.';

CREATE FUNCTION skillrating_internal.merge_players(
    ladder text,
    player_id anycompatible,
    into_id anycompatible,
    reason text DEFAULT NULL,
    allow_unknown boolean DEFAULT false,
    OUT operation bigint)
LANGUAGE plpgsql VOLATILE
SET search_path = pg_catalog, pg_temp
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
    PERFORM skillrating_internal.check_player_behind_horizon(ladder, player_id::text, '-infinity');
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
    PERFORM skillrating_internal.note_correction(ladder, 'merge', place, played_at => first_played_at);
END
$function$;

SELECT skillrating_internal.create_entry('merge_players');

COMMENT ON FUNCTION skillrating.merge_players(text, anycompatible, anycompatible, text, boolean) IS
'Makes one player of two accounts: all matches of player_id, past and future, count as those of
into_id, as if it had always been one; what was set by hand, seeded, reset or given back for
player_id no longer counts. What was rated changes with catch_up(), after which player_id has no
rating. Returns the number of the operation, for undo_operation(). A player of whom the ladder has
no match and no operation is an error unless allow_unknown is true. Errors: 42704 for an unknown
ladder or player, 22023 if player_id is merged already
or into_id leads back to it.';

CREATE FUNCTION skillrating_internal.undo_operation(
    ladder text,
    operation bigint)
RETURNS void
LANGUAGE plpgsql VOLATILE STRICT
SET search_path = pg_catalog, pg_temp
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
    PERFORM skillrating_internal.note_correction(ladder, 'undo', place, played_at => first_played_at);
END
$function$;

SELECT skillrating_internal.create_entry('undo_operation');

COMMENT ON FUNCTION skillrating.undo_operation(text, bigint) IS
'Undoes a season, decay, settle(), set_rating(), reset_rating(), seed_from(), exclude_player(),
merge_players() or set_eligibility() by its number in table operation, as if it had never been;
takes effect with catch_up(). Error 42704 for an unknown ladder or operation.';

CREATE FUNCTION skillrating_internal.why_unrated(
    ladder text,
    match_id anycompatible,
    OUT reason text,
    OUT detail text)
LANGUAGE plpgsql STABLE STRICT
SET search_path = pg_catalog, pg_temp
AS $function$
DECLARE
    t record := skillrating_internal.ladder_types(ladder);
    m record;
    there boolean;
    waits boolean;
BEGIN
    EXECUTE format('SELECT m.status, m.reason, m.detail, m.void_reason FROM %I.rated_match AS m WHERE m.match_id %s CAST($1 AS %s)',
        ladder, t.match_equals, t.match_type)
    INTO m USING match_id::text;
    IF m.status = 'rated' THEN
        IF m.void_reason IS NOT NULL THEN
            reason := 'void';
            detail := 'rated until catch_up(): ' || m.void_reason;
        END IF;
        RETURN;
    ELSIF m.status IS NOT NULL THEN
        reason := m.reason;
        detail := m.detail;
        RETURN;
    END IF;
    EXECUTE format(
        'SELECT EXISTS (SELECT FROM %1$I.source AS s WHERE s.match_id %2$s CAST($1 AS %3$s)),
            EXISTS (SELECT FROM %1$I.pending AS p WHERE p.match_id %2$s CAST($1 AS %3$s))',
        ladder, t.match_equals, t.match_type)
    INTO there, waits USING match_id::text;
    reason := CASE WHEN waits THEN 'waiting' WHEN there THEN 'not_reported' ELSE 'no_match' END;
    SELECT r.description INTO STRICT detail
    FROM skillrating.unrated_reasons() AS r WHERE r.reason = why_unrated.reason;
END
$function$;

SELECT skillrating_internal.create_entry('why_unrated');

COMMENT ON FUNCTION skillrating.why_unrated(text, anycompatible) IS
'Why a match does not count.
reason: a code of unrated_reasons(), null for a match that is rated.
detail: in words: the reason that the source or a user gave, the value that is wrong in its rows, or
what it waits for. Error 42704 for an unknown ladder.';
-- The horizon of a ladder: the place in the order where its history begins.

CREATE FUNCTION skillrating_internal.horizon_relation(
    ladder text,
    at timestamptz)
RETURNS text
LANGUAGE plpgsql STABLE STRICT
SET search_path = pg_catalog, pg_temp
AS $function$
DECLARE
    horizon_at timestamptz;
BEGIN
    PERFORM skillrating_internal.check_inside(ladder);
    EXECUTE format('SELECT l.horizon_at FROM %I.ladder AS l', ladder) INTO horizon_at;
    IF at < horizon_at THEN
        RAISE object_not_in_prerequisite_state USING
            MESSAGE = format('history of ladder "%s" begins at %s, and %s is before', ladder,
                horizon_at, at),
            HINT = 'See the columns horizon and horizon_at of its table ladder, and set_horizon().';
    END IF;
    RETURN CASE WHEN horizon_at IS NOT NULL THEN format('%I.horizon', ladder)
        ELSE format('(SELECT r.* FROM %I.rating AS r WHERE false)', ladder) END;
END
$function$;

COMMENT ON FUNCTION skillrating_internal.horizon_relation(text, timestamptz) IS
'A part of past_board(): the rows of the horizon of a ladder as SQL, none where it has no horizon.
Error 55000 for a time before it.';

CREATE FUNCTION skillrating_internal.check_behind_horizon(
    ladder text,
    kind text,
    seq bigint,
    match_id text)
RETURNS void
LANGUAGE plpgsql STABLE
SET search_path = pg_catalog, pg_temp
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
            HINT = 'Make this ladder anew by skillrating.rerate().';
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

COMMENT ON FUNCTION skillrating_internal.check_behind_horizon(text, text, bigint, text) IS
'A part of what corrects history: error 55000 for a place in the order that lies before the horizon
of the ladder; it names the match, if there is one.';

CREATE FUNCTION skillrating_internal.check_operation_behind_horizon(
    ladder text,
    at timestamptz)
RETURNS void
LANGUAGE plpgsql STABLE STRICT
SET search_path = pg_catalog, pg_temp
AS $function$
DECLARE
    w record;
BEGIN
    PERFORM skillrating_internal.check_inside(ladder);
    EXECUTE format('SELECT l.late, l.horizon_at FROM %I.ladder AS l', ladder) INTO w;
    IF w.late = 'reorder' AND at < w.horizon_at THEN
        RAISE object_not_in_prerequisite_state USING
            MESSAGE = format('operation at %s lies before the horizon of ladder "%s"', at, ladder),
            DETAIL = format('History can be corrected from %s on.', w.horizon_at);
    END IF;
END
$function$;

COMMENT ON FUNCTION skillrating_internal.check_operation_behind_horizon(text, timestamptz) IS
'A part of what writes operations: error 55000 for one whose time gives it a place before the
horizon.';

CREATE FUNCTION skillrating_internal.check_player_behind_horizon(
    ladder text,
    player_id text,
    since timestamptz)
RETURNS void
LANGUAGE plpgsql STABLE STRICT
SET search_path = pg_catalog, pg_temp
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
            HINT = format('exclude_player() can begin since %s.', w.horizon_at);
    END IF;
END
$function$;

COMMENT ON FUNCTION skillrating_internal.check_player_behind_horizon(text, text, timestamptz) IS
'A part of exclude_player() and merge_players(): error 55000 if a player has played before the
horizon of the ladder, unless only matches from it on are meant.';

CREATE FUNCTION skillrating_internal.write_horizon(ladder text, seq bigint)
RETURNS void
AS 'MODULE_PATHNAME', 'skillrating_write_horizon'
LANGUAGE C VOLATILE STRICT;

COMMENT ON FUNCTION skillrating_internal.write_horizon(text, bigint) IS
'A part of set_horizon(): puts into the tables horizon and component_horizon of a ladder how players
and components were behind a place in the order. Error 55000 unless the door to the ladder is
open.';

CREATE FUNCTION skillrating_internal.create_horizon_tables(ladder text)
RETURNS void
LANGUAGE plpgsql VOLATILE STRICT
SET search_path = pg_catalog, pg_temp
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
    PERFORM skillrating_internal.renew_ladder_cache(ladder);
END
$function$;

COMMENT ON FUNCTION skillrating_internal.create_horizon_tables(text) IS
'A part of set_horizon(): the tables horizon and component_horizon.';

CREATE FUNCTION skillrating_internal.last_place_before(
    ladder text,
    at timestamptz,
    OUT seq bigint,
    OUT first_behind bigint,
    OUT first_at timestamptz)
LANGUAGE plpgsql STABLE STRICT
SET search_path = pg_catalog, pg_temp
AS $function$
BEGIN
    PERFORM skillrating_internal.check_inside(ladder);
    EXECUTE format(
        'WITH place AS MATERIALIZED (
            SELECT m.seq, m.played_at AS at FROM %1$I.rated_match AS m WHERE m.seq IS NOT NULL
            UNION ALL
            SELECT o.seq, o.at FROM %1$I.operation AS o
            WHERE o.kind NOT IN (''exclude'', ''merge'', ''eligibility'') AND o.undone_at IS NULL
        ), last(seq) AS (
            SELECT coalesce((SELECT min(p.seq) FROM place AS p WHERE p.at >= $1) - 1,
                (SELECT max(p.seq) FROM place AS p), 0))
        SELECT l.seq, min(p.seq), min(p.at)
        FROM last AS l LEFT JOIN place AS p ON p.seq > l.seq AND p.at < $1
        GROUP BY l.seq', ladder)
    INTO seq, first_behind, first_at USING at;
END
$function$;

COMMENT ON FUNCTION skillrating_internal.last_place_before(text, timestamptz) IS
'A part of set_horizon(): the last place in the order before all matches and operations of a time
and later, and of what is earlier and nevertheless comes behind, the first place and the first
time.';

CREATE FUNCTION skillrating_internal.check_nothing_waits(ladder text, horizon bigint)
RETURNS void
LANGUAGE plpgsql STABLE STRICT
SET search_path = pg_catalog, pg_temp
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
            DETAIL = 'Before the horizon they could not be made any more.';
    END IF;
END
$function$;

COMMENT ON FUNCTION skillrating_internal.check_nothing_waits(text, bigint) IS
'A part of set_horizon(): error 55000 if corrections up to a place in the order, or matches, wait
for catch_up().';

CREATE FUNCTION skillrating_internal.set_horizon(
    ladder text,
    at timestamptz,
    OUT horizon bigint,
    OUT players bigint)
LANGUAGE plpgsql VOLATILE STRICT
SET search_path = pg_catalog, pg_temp
AS $function$
DECLARE
    t record := skillrating_internal.ladder_types(ladder);
    w record;
    place record;
BEGIN
    PERFORM skillrating_internal.check_operation_time(at);
    EXECUTE format('SELECT l.late, l.horizon, l.horizon_at FROM %I.ladder AS l', ladder) INTO w;
    place := skillrating_internal.last_place_before(ladder, at);
    horizon := place.seq;
    IF horizon < w.horizon OR at < w.horizon_at THEN
        RAISE invalid_parameter_value USING
            MESSAGE = format('the horizon of ladder "%s" cannot move back', ladder),
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
    EXECUTE format('UPDATE %I.ladder AS l SET horizon = $1, horizon_at = $2', ladder)
    USING horizon, at;
    EXECUTE format('SELECT count(DISTINCT h.player_id) FROM %I.horizon AS h', ladder) INTO players;
END
$function$;

SELECT skillrating_internal.create_entry('set_horizon');

COMMENT ON FUNCTION skillrating.set_horizon(text, timestamptz) IS
'Has the history of a ladder begin at a time: keeps, in its tables horizon and component_horizon,
how everybody was behind the last place in the order before all matches and operations of that time
and later. catch_up(), with rebuild too, and verify() start from there, bit for bit as without a
horizon, and rows of event and component_event up to that place, and matches of the source, may be
deleted, detached or moved. What would correct history before it is refused, by name; a match of it
that changes or goes stays as it was rated, with a warning. A later call moves the horizon on.
Returns the place, and how many players were there. Errors: 42704 for an unknown ladder, 42501
unless the caller owns it, 22008 for an infinite time, 22023 for one before the horizon that there
is, 55000 if corrections wait for catch_up(), or if events of before are gone already.';

CREATE FUNCTION skillrating_internal.swap_horizons(
    a text,
    b text)
RETURNS void
LANGUAGE plpgsql VOLATILE STRICT
SET search_path = pg_catalog, pg_temp
AS $function$
DECLARE
    name text;
    has_a boolean;
    has_b boolean;
BEGIN
    FOREACH name IN ARRAY '{horizon,component_horizon}'::text[] LOOP
        has_a := to_regclass(format('%I.%I', a, name)) IS NOT NULL;
        has_b := to_regclass(format('%I.%I', b, name)) IS NOT NULL;
        IF has_a THEN
            EXECUTE format('ALTER TABLE %I.%I RENAME TO %I', a, name, 'skillrating_' || name);
            EXECUTE format('ALTER TABLE %I.%I SET SCHEMA %I', a, 'skillrating_' || name, b);
        END IF;
        IF has_b THEN
            EXECUTE format('ALTER TABLE %I.%I SET SCHEMA %I', b, name, a);
        END IF;
        IF has_a THEN
            EXECUTE format('ALTER TABLE %I.%I RENAME TO %I', b, 'skillrating_' || name, name);
        END IF;
    END LOOP;
    PERFORM skillrating_internal.renew_ladder_cache(a), skillrating_internal.renew_ladder_cache(b);
END
$function$;

COMMENT ON FUNCTION skillrating_internal.swap_horizons(text, text) IS
'A part of swap_ladders(): gives each of two ladders the tables of the other''s horizon.';
-- The order of matches and operations, by time, and how it is put right.

CREATE FUNCTION skillrating_internal.first_out_of_place(
    ladder text,
    kind text)
RETURNS timestamptz
LANGUAGE plpgsql STABLE
SET search_path = pg_catalog, pg_temp
AS $function$
DECLARE
    first_at timestamptz;
BEGIN
    PERFORM skillrating_internal.check_inside(ladder);
    -- Where rules look at what players have done, a correction may bring back matches behind it.
    -- Those had no events that others could come too late for.
    EXECUTE format(
        'SELECT least(
            (SELECT min(c.played_at) FROM %1$I.correction AS c WHERE c.kind = coalesce($1, c.kind)),
            (SELECT min(p.at)
             FROM (
                SELECT m.played_at AS at
                FROM %1$I.correction AS c JOIN %1$I.rated_match AS m ON m.seq = c.seq
                UNION ALL
                SELECT o.at
                FROM %1$I.correction AS c JOIN %1$I.operation AS o ON o.seq = c.seq) AS p
             WHERE $1 IS NULL AND EXISTS (
                SELECT FROM %1$I.operation AS o
                WHERE o.kind = ''eligibility'' AND o.undone_at IS NULL
                    AND o.params ?| ''{max_newcomer_share,max_repeats}'')))', ladder)
    INTO first_at USING kind;
    RETURN first_at;
END
$function$;

COMMENT ON FUNCTION skillrating_internal.first_out_of_place(text, text) IS
'A part of catch_up() that orders by time: the time from which on places may have changed, by the
corrections that wait, of one kind or, if that is null, of any; null for none.';

CREATE FUNCTION skillrating_internal.resequence(
    ladder text,
    whole boolean)
RETURNS bigint
LANGUAGE plpgsql VOLATILE STRICT
SET search_path = pg_catalog, pg_temp
AS $function$
DECLARE
    t record := skillrating_internal.ladder_types(ladder);
    from_time timestamptz;
    from_seq bigint;
    last_seq bigint;
    n bigint;
    waits boolean;
    kind text;
BEGIN
    -- Where late matches are appended, a backfill alone gives some a place by time.
    EXECUTE format('SELECT CASE l.late WHEN ''append'' THEN ''late'' END FROM %I.ladder AS l', ladder)
    INTO kind;
    EXECUTE format('SELECT EXISTS (SELECT FROM %I.correction)', ladder) INTO waits;
    IF NOT (whole OR waits) THEN
        RETURN 0;
    END IF;

    -- When matches were played may have changed.
    EXECUTE format(
        'UPDATE %1$I.rated_match AS m SET played_at = s.played_at
        FROM (SELECT s.match_id, min(CAST(s.played_at AS timestamptz)) AS played_at
              FROM %1$I.source AS s
              WHERE $1 OR s.match_id %2$s ANY (ARRAY(
                  SELECT c.match_id FROM %1$I.correction AS c WHERE c.match_id IS NOT NULL))
              GROUP BY s.match_id
              -- What is no time of a match changes no place.
              HAVING count(*) = count(s.played_at)
                  AND min(CAST(s.played_at AS timestamptz)) = max(CAST(s.played_at AS timestamptz))
                  AND isfinite(min(CAST(s.played_at AS timestamptz)))) AS s
        WHERE m.match_id %2$s s.match_id AND m.played_at <> s.played_at AND NOT EXISTS (
            SELECT FROM %1$I.ladder AS l WHERE m.seq <= l.horizon)', ladder, t.match_equals)
    USING whole;

    -- All that comes behind the first match whose place may be another.
    from_time := CASE WHEN whole THEN '-infinity'
        ELSE skillrating_internal.first_out_of_place(ladder, kind) END;
    EXECUTE format(
        'SELECT greatest(least((SELECT min(m.seq) FROM %1$I.rated_match AS m WHERE m.played_at >= $1),
                (SELECT min(o.seq) FROM %1$I.operation AS o WHERE o.at >= $1 AND o.undone_at IS NULL),
                (SELECT min(c.seq) FROM %1$I.correction AS c
                WHERE c.played_at IS NOT NULL AND c.kind = coalesce($2, c.kind))),
            (SELECT l.horizon + 1 FROM %1$I.ladder AS l))', ladder)
    INTO from_seq USING from_time, kind;
    last_seq := nextval(format('%I.event_seq', ladder));
    PERFORM skillrating_internal.make_room_to_move(ladder, coalesce(from_seq, last_seq), last_seq);

    EXECUTE format(
        'WITH place AS (
            SELECT p.seq, p.at, p.match_id,
                row_number() OVER (ORDER BY p.at, p.match_id IS NOT NULL, p.match_id%2$s, p.seq) AS n,
                row_number() OVER (ORDER BY p.seq) AS old_n
            FROM (
                SELECT m.seq, m.played_at AS at, m.match_id FROM %1$I.rated_match AS m
                WHERE m.seq >= $2 OR (m.seq IS NULL AND m.played_at IS NOT NULL AND EXISTS (
                    SELECT FROM %1$I.correction AS c WHERE c.kind = ''late'' AND c.match_id %3$s m.match_id))
                UNION ALL
                SELECT DISTINCT o.seq, o.at, NULL::%4$s FROM %1$I.operation AS o WHERE o.seq >= $2
            ) AS p
        ), moved AS MATERIALIZED (
            SELECT p.match_id, p.seq AS old_seq, $1 + row_number() OVER (ORDER BY p.n) AS seq
            FROM place AS p
            WHERE p.n >= (SELECT min(f.n) FROM place AS f WHERE f.n <> f.old_n OR f.seq IS NULL)
        ), matches AS (
            UPDATE %1$I.rated_match AS m SET seq = p.seq FROM moved AS p WHERE m.match_id %3$s p.match_id
        ), operations AS (
            UPDATE %1$I.operation AS o SET seq = p.seq FROM moved AS p
            WHERE o.seq = p.old_seq AND p.match_id IS NULL
        ), events AS (
            UPDATE %1$I.event AS e SET seq = p.seq FROM moved AS p WHERE e.seq = p.old_seq AND e.seq >= $2
        ), component_events AS (
            UPDATE %1$I.component_event AS e SET seq = p.seq FROM moved AS p
            WHERE e.seq = p.old_seq AND e.seq >= $2
        ), corrections AS (
            INSERT INTO %1$I.correction (seq, kind) SELECT min(p.seq), ''reorder'' FROM moved AS p HAVING count(*) > 0
        )
        SELECT count(*), setval(%5$L, $1 + count(*)) FROM moved',
        ladder, t.match_order, t.match_equals, t.match_type, format('%I.event_seq', ladder))
    INTO n USING last_seq, coalesce(from_seq, last_seq);
    RETURN n;
END
$function$;

COMMENT ON FUNCTION skillrating_internal.resequence(text, boolean) IS
'The part of catch_up() for ladders with late => reorder: gives matches and operations new places in
the order, by time and match_id, from the first one on whose place has changed. Returns how many
got one.';

CREATE FUNCTION skillrating_internal.order_changes_from(ladder text)
RETURNS bigint
LANGUAGE plpgsql STABLE STRICT
SET search_path = pg_catalog, pg_temp
AS $function$
DECLARE
    t record := skillrating_internal.ladder_types(ladder);
    first_at timestamptz := skillrating_internal.first_out_of_place(ladder, NULL);
    ruled boolean;
    from_time timestamptz;
    from_seq bigint;
BEGIN
    EXECUTE format(
        'SELECT EXISTS (SELECT FROM %I.operation AS o WHERE o.kind = ''eligibility'' AND o.undone_at IS NULL
            AND o.params ?| ''{max_newcomer_share,max_repeats}'')', ladder)
    INTO ruled;
    -- Where places that are taken are not in the order of time, a replay finds out whether that
    -- matters, but not at equal times. With rules about what players have done it always does.
    EXECUTE format(
        'SELECT f.seq
        FROM %1$I.ladder AS l, least((SELECT min(m.seq) FROM %1$I.rated_match AS m WHERE m.played_at >= $1),
            (SELECT min(o.seq) FROM %1$I.operation AS o WHERE o.at >= $1 AND o.undone_at IS NULL),
            (SELECT min(c.seq) FROM %1$I.correction AS c WHERE c.played_at IS NOT NULL)) AS f(seq)
        WHERE l.late = ''reorder'' AND EXISTS (
            SELECT FROM (
                SELECT row_number() OVER (PARTITION BY p.part ORDER BY p.at, p.match_id IS NOT NULL, p.match_id%2$s, p.seq) AS n,
                    row_number() OVER (PARTITION BY p.part ORDER BY p.seq) AS old_n
                FROM (
                    SELECT m.seq, m.played_at AS at, m.match_id, CASE WHEN NOT $2 THEN m.played_at END AS part
                    FROM %1$I.rated_match AS m WHERE m.seq >= f.seq
                    UNION ALL
                    SELECT DISTINCT o.seq, o.at, NULL::%3$s, CASE WHEN NOT $2 THEN o.at END
                    FROM %1$I.operation AS o WHERE o.seq >= f.seq) AS p) AS q
            WHERE q.n <> q.old_n)',
        ladder, t.match_order, t.match_type)
    INTO from_seq USING first_at, ruled;
    IF from_seq IS NOT NULL THEN RETURN from_seq; END IF;

    -- Late matches and operations, and times that have changed, get other places.
    EXECUTE format(
        'SELECT min(c.played_at), min(c.seq) FROM %1$I.correction AS c CROSS JOIN %1$I.ladder AS l
        WHERE c.kind = ''late'' OR l.late = ''reorder'' AND (c.kind IN (''operation'', ''reorder'') OR EXISTS (
            SELECT FROM %1$I.rated_match AS m JOIN %1$I.source AS s ON s.match_id %2$s m.match_id
            WHERE m.match_id %2$s c.match_id
                AND CAST(s.played_at AS timestamptz) IS DISTINCT FROM m.played_at))',
        ladder, t.match_equals)
    INTO from_time, from_seq;
    IF from_time IS NULL THEN RETURN NULL; END IF;
    EXECUTE format(
        'SELECT least($2, (SELECT min(m.seq) FROM %1$I.rated_match AS m WHERE m.played_at >= $1),
            (SELECT min(o.seq) FROM %1$I.operation AS o WHERE o.at >= $1), 9223372036854775807)', ladder)
    INTO from_seq USING CASE WHEN ruled THEN first_at ELSE from_time END, from_seq;
    RETURN from_seq;
END
$function$;

COMMENT ON FUNCTION skillrating_internal.order_changes_from(text) IS
'A part of catch_up(): the first place that resequence() has to give to something else, null if there
is none. What lies before can be put right beside rating.';
-- Tables event and component_event of a ladder in partitions: ranges of places in the order.

CREATE FUNCTION skillrating_internal.has_components(ladder text)
RETURNS boolean
AS 'MODULE_PATHNAME', 'skillrating_has_components'
LANGUAGE C STABLE STRICT;

COMMENT ON FUNCTION skillrating_internal.has_components(text) IS
'Whether the model and the parameters of a ladder make states of components. Error 55000 unless the
door to the ladder is open.';

CREATE FUNCTION skillrating_internal.last_events_from(
    ladder text,
    player_id text,
    pool text,
    n bigint)
RETURNS bigint
AS 'MODULE_PATHNAME', 'skillrating_last_events_from'
LANGUAGE C STABLE STRICT;

COMMENT ON FUNCTION skillrating_internal.last_events_from(text, text, text, bigint) IS
'The first place of the last n events of a player in a pool, or 0 if it cannot be told, for queries
that are to read no more partitions than have them. Error 55000 unless the door to the ladder is
open.';

CREATE FUNCTION skillrating_internal.event_partitions(
    ladder text,
    relation text,
    OUT partition oid,
    OUT name name,
    OUT lower bigint,
    OUT upper bigint,
    OUT fault text)
RETURNS SETOF record
LANGUAGE sql STABLE STRICT
SET search_path = pg_catalog, pg_temp
AS $function$
    SELECT c.oid, c.relname,
        CASE WHEN b.part[1] <> 'MINVALUE' THEN b.part[1]::bigint END,
        CASE WHEN b.part[2] <> 'MAXVALUE' THEN b.part[2]::bigint END,
        CASE WHEN b.part IS NULL THEN 'is a default partition'
            WHEN b.part[2] = 'MAXVALUE' THEN 'has no upper bound'
            WHEN i.inhdetachpending THEN 'is being detached'
            WHEN c.relkind <> 'r' THEN 'is not a table' END
    FROM pg_inherits AS i
    JOIN pg_class AS c ON c.oid = i.inhrelid
    LEFT JOIN LATERAL regexp_match(pg_get_expr(c.relpartbound, c.oid),
        '^FOR VALUES FROM \(''?(-?[0-9]+|MINVALUE)''?\) TO \(''?(-?[0-9]+|MAXVALUE)''?\)$')
        AS b(part) ON true
    WHERE i.inhparent = to_regclass(format('%I.%I', ladder, relation))
    ORDER BY 4 NULLS LAST
$function$;

COMMENT ON FUNCTION skillrating_internal.event_partitions(text, text) IS
'The partitions of table event or component_event of a ladder in their order: rows of places from
lower (null: from the first one on) to before upper; and what is wrong with one, null for nothing.';

CREATE FUNCTION skillrating_internal.partitioned_tables(ladder text)
RETURNS SETOF text
LANGUAGE sql STABLE STRICT
SET search_path = pg_catalog, pg_temp
AS $function$
    SELECT c.relname::text
    FROM pg_partitioned_table AS p
    JOIN pg_class AS c ON c.oid = p.partrelid
    JOIN pg_attribute AS a ON a.attrelid = c.oid AND a.attnum = p.partattrs[0]
    WHERE c.relnamespace = to_regnamespace(quote_ident(ladder))
        AND c.relname IN ('event', 'component_event')
        AND p.partstrat = 'r' AND p.partnatts = 1 AND a.attname = 'seq'
    ORDER BY c.relname DESC
$function$;

COMMENT ON FUNCTION skillrating_internal.partitioned_tables(text) IS
'Which of the tables event and component_event of a ladder are partitioned by ranges of seq.';

CREATE FUNCTION skillrating_internal.unused_name(
    schema text,
    name text)
RETURNS text
LANGUAGE plpgsql STABLE STRICT
SET search_path = pg_catalog, pg_temp
AS $function$
BEGIN
    WHILE to_regclass(format('%I.%I', schema, name)) IS NOT NULL LOOP
        name := name || '_';
    END LOOP;
    RETURN name;
END
$function$;

COMMENT ON FUNCTION skillrating_internal.unused_name(text, text) IS
'A name, with underscores added until no relation of a schema has it.';

CREATE FUNCTION skillrating_internal.revoke_defaults(
    ladder text,
    relation text)
RETURNS void
LANGUAGE plpgsql VOLATILE STRICT
SET search_path = pg_catalog, pg_temp
AS $function$
DECLARE
    grantee oid;
BEGIN
    PERFORM skillrating_internal.check_inside(ladder);
    FOR grantee IN
        SELECT DISTINCT x.grantee
        FROM pg_class AS c CROSS JOIN LATERAL aclexplode(c.relacl) AS x
        WHERE c.oid = to_regclass(format('%I.%I', ladder, relation)) AND x.grantee <> c.relowner
    LOOP
        EXECUTE format('REVOKE ALL ON TABLE %I.%I FROM %s', ladder, relation,
            CASE grantee WHEN 0 THEN 'PUBLIC' ELSE quote_ident(pg_get_userbyid(grantee)) END);
    END LOOP;
END
$function$;

COMMENT ON FUNCTION skillrating_internal.revoke_defaults(text, text) IS
'Takes back what ALTER DEFAULT PRIVILEGES has given to others on a new table of a ladder: a partition
is read through the table above it, and a table that replaces another one has the privileges of that.
Error 55000 unless the door to the ladder is open.';

CREATE FUNCTION skillrating_internal.make_partition(
    ladder text,
    relation text,
    lower bigint,
    upper bigint)
RETURNS void
LANGUAGE plpgsql VOLATILE
SET search_path = pg_catalog, pg_temp
AS $function$
DECLARE
    name text := skillrating_internal.unused_name(ladder,
        format('%s_%s', relation, coalesce(lower, 0)));
    last record;
BEGIN
    PERFORM skillrating_internal.check_inside(ladder);
    SELECT array_to_string(c.reloptions, ', ') AS options INTO last
    FROM skillrating_internal.event_partitions(ladder, relation) AS p
    JOIN pg_class AS c ON c.oid = p.partition
    ORDER BY p.upper DESC LIMIT 1;
    -- A table that comes into being beside the others: whoever rates or reads does not notice.
    EXECUTE format('CREATE TABLE %1$I.%2$I (LIKE %1$I.%3$I INCLUDING ALL)%4$s', ladder, name,
        relation, ' WITH (' || last.options || ')');
    PERFORM skillrating_internal.revoke_defaults(ladder, name);
    IF relation = 'component_event' THEN
        EXECUTE format('ALTER TABLE %I.%I REPLICA IDENTITY FULL', ladder, name);
    END IF;
    EXECUTE format('ALTER TABLE %1$I.%2$I ATTACH PARTITION %1$I.%3$I FOR VALUES FROM (%4$s) TO (%5$s)',
        ladder, relation, name, coalesce(lower::text, 'MINVALUE'), upper);
END
$function$;

COMMENT ON FUNCTION skillrating_internal.make_partition(text, text, bigint, bigint) IS
'A part of make_partitions() and partition_history(): a new partition of table event or
component_event of a ladder for places from lower (null: from the first one on) to before upper, with
the storage parameters of the last one.';

CREATE FUNCTION skillrating_internal.make_partitions(
    ladder text,
    seq bigint,
    ahead integer)
RETURNS bigint
LANGUAGE plpgsql VOLATILE STRICT
SET search_path = pg_catalog, pg_temp
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
            PERFORM skillrating_internal.make_partition(ladder, relation, last, next);
            last := next;
            made := made + 1;
        END LOOP;
    END LOOP;
    RETURN made;
END
$function$;

COMMENT ON FUNCTION skillrating_internal.make_partitions(text, bigint, integer) IS
'Makes those partitions of event and component_event of a ladder that places up to seq need, and so
many more; returns how many. Nothing for a ladder whose tables partition_history() has not
partitioned, or that have a partition for everything else. Takes SHARE UPDATE EXCLUSIVE on event,
which neither reading nor rating waits for. Error 55000 unless the door to the ladder is open.';

CREATE FUNCTION skillrating_internal.make_partitions_ahead(ladder text)
RETURNS bigint
LANGUAGE plpgsql VOLATILE STRICT
SET search_path = pg_catalog, pg_temp
AS $function$
DECLARE
    last bigint;
BEGIN
    PERFORM skillrating_internal.check_inside(ladder);
    EXECUTE format('SELECT s.last_value FROM %I.event_seq AS s', ladder) INTO last;
    RETURN skillrating_internal.make_partitions(ladder, last, 2);
END
$function$;

COMMENT ON FUNCTION skillrating_internal.make_partitions_ahead(text) IS
'A part of work_step(): makes partitions of event and component_event of a ladder until two are
behind that of the last place, and returns how many. Error 55000 unless the door to the ladder is
open.';

CREATE FUNCTION skillrating_internal.make_room_to_move(
    ladder text,
    from_seq bigint,
    last_seq bigint)
RETURNS void
LANGUAGE plpgsql VOLATILE STRICT
SET search_path = pg_catalog, pg_temp
AS $function$
DECLARE
    places bigint;
BEGIN
    PERFORM skillrating_internal.check_inside(ladder);
    IF EXISTS (SELECT FROM skillrating_internal.partitioned_tables(ladder)) THEN
        EXECUTE format(
            'SELECT (SELECT count(*) FROM %1$I.rated_match AS m WHERE m.seq >= $1 OR m.seq IS NULL)
                + (SELECT count(*) FROM %1$I.operation AS o WHERE o.seq >= $1)', ladder)
        INTO places USING from_seq;
        PERFORM skillrating_internal.make_partitions(ladder, last_seq + places, 0);
    END IF;
END
$function$;

COMMENT ON FUNCTION skillrating_internal.make_room_to_move(text, bigint, bigint) IS
'A part of resequence(): partitions for all that has a place from from_seq on, or has none yet, in
case it gets one behind last_seq.';

CREATE FUNCTION skillrating_internal.check_partitionable(
    ladder text,
    relation text)
RETURNS void
LANGUAGE plpgsql STABLE STRICT
SET search_path = pg_catalog, pg_temp
AS $function$
DECLARE
    followers text;
BEGIN
    PERFORM skillrating_internal.check_inside(ladder);
    SELECT string_agg(f.what, ', ' ORDER BY f.what) INTO followers
    FROM pg_class AS c CROSS JOIN LATERAL (
        SELECT DISTINCT coalesce(pg_describe_object('pg_class'::regclass, w.ev_class, 0),
            pg_describe_object(d.classid, d.objid, 0))
        FROM pg_depend AS d
        LEFT JOIN pg_rewrite AS w ON d.classid = 'pg_rewrite'::regclass AND w.oid = d.objid
        WHERE d.refclassid = 'pg_class'::regclass AND d.refobjid = c.oid AND d.deptype = 'n'
            AND d.classid <> 'pg_attrdef'::regclass
            AND NOT (d.classid = 'pg_constraint'::regclass AND EXISTS (
                SELECT FROM pg_constraint AS k
                WHERE k.oid = d.objid AND k.conrelid = c.oid AND k.contype <> 'f'))
        UNION
        -- Functions and columns of the type of its rows.
        SELECT pg_describe_object(d.classid, d.objid, d.objsubid)
        FROM pg_type AS y
        JOIN pg_depend AS d ON d.refclassid = 'pg_type'::regclass AND d.refobjid IN (y.oid, y.typarray)
        WHERE y.oid = c.reltype AND d.deptype = 'n'
        UNION
        SELECT pg_describe_object('pg_trigger'::regclass, g.oid, 0) FROM pg_trigger AS g
        WHERE g.tgrelid = c.oid AND NOT g.tgisinternal
        UNION
        SELECT pg_describe_object('pg_policy'::regclass, p.oid, 0) FROM pg_policy AS p
        WHERE p.polrelid = c.oid
        UNION
        SELECT 'row-level security' WHERE c.relrowsecurity
        UNION
        SELECT pg_describe_object('pg_constraint'::regclass, k.oid, 0) FROM pg_constraint AS k
        WHERE c.oid IN (k.conrelid, k.confrelid) AND k.contype = 'f'
        UNION
        SELECT 'publication ' || quote_ident(b.pubname) FROM pg_publication_rel AS r
        JOIN pg_publication AS b ON b.oid = r.prpubid
        WHERE r.prrelid = c.oid
        UNION
        SELECT pg_describe_object('pg_class'::regclass, i.inhparent, 0) FROM pg_inherits AS i
        WHERE i.inhrelid = c.oid
        UNION
        SELECT pg_describe_object('pg_class'::regclass, i.inhrelid, 0) FROM pg_inherits AS i
        WHERE i.inhparent = c.oid AND c.relkind = 'r') AS f(what)
    WHERE c.oid = to_regclass(format('%I.%I', ladder, relation));
    IF followers IS NOT NULL THEN
        RAISE dependent_objects_still_exist USING
            MESSAGE = format('other objects depend on table %I.%I', ladder, relation),
            DETAIL = format('These would stay behind: %s.', followers),
            HINT = 'Drop them, and make them again afterwards.';
    END IF;
END
$function$;

COMMENT ON FUNCTION skillrating_internal.check_partitionable(text, text) IS
'A part of partition_history(), which replaces a table by another one: error 2BP01 if users have hung
anything on it but privileges, comments, indexes, constraints and statistics.';

CREATE FUNCTION skillrating_internal.put_aside(
    ladder text,
    relation text,
    name text)
RETURNS void
LANGUAGE plpgsql VOLATILE STRICT
SET search_path = pg_catalog, pg_temp
AS $function$
DECLARE
    index record;
BEGIN
    PERFORM skillrating_internal.check_inside(ladder);
    EXECUTE format('ALTER TABLE %I.%I RENAME TO %I', ladder, relation, name);
    FOR index IN
        SELECT c.relname, skillrating_internal.unused_name(ladder,
            left(name || substr(c.relname, CASE WHEN starts_with(c.relname, relation || '_')
                THEN length(relation) + 1 ELSE 1 END), 60)) AS new_name
        FROM pg_index AS x JOIN pg_class AS c ON c.oid = x.indexrelid
        WHERE x.indrelid = to_regclass(format('%I.%I', ladder, name))
    LOOP
        EXECUTE format('ALTER INDEX %I.%I RENAME TO %I', ladder, index.relname, index.new_name);
    END LOOP;
END
$function$;

COMMENT ON FUNCTION skillrating_internal.put_aside(text, text, text) IS
'A part of partition_history(): renames a table and its indexes, so that another one can have their
names.';

CREATE FUNCTION skillrating_internal.take_over(
    ladder text,
    relation text,
    old text)
RETURNS void
LANGUAGE plpgsql VOLATILE STRICT
SET search_path = pg_catalog, pg_temp
AS $function$
DECLARE
    statement text;
BEGIN
    PERFORM skillrating_internal.check_inside(ladder);
    PERFORM skillrating_internal.revoke_defaults(ladder, relation);
    FOR statement IN
        WITH c AS (
            SELECT c.* FROM pg_class AS c WHERE c.oid = to_regclass(format('%I.%I', ladder, old))
        ), given AS (
            SELECT x.privilege_type AS privilege, x.grantee, x.is_grantable
            FROM c CROSS JOIN LATERAL aclexplode(c.relacl) AS x
            WHERE x.grantee <> c.relowner
            UNION ALL
            SELECT format('%s (%I)', x.privilege_type, a.attname), x.grantee, x.is_grantable
            FROM c JOIN pg_attribute AS a ON a.attrelid = c.oid AND NOT a.attisdropped
            CROSS JOIN LATERAL aclexplode(a.attacl) AS x
            WHERE x.grantee <> c.relowner
        ), role AS (
            SELECT g.*, CASE g.grantee WHEN 0 THEN 'PUBLIC'
                ELSE quote_ident(pg_get_userbyid(g.grantee)) END AS name
            FROM given AS g)
        SELECT format('GRANT %s ON TABLE %I.%I TO %s%s', r.privilege, ladder, relation, r.name,
            CASE WHEN r.is_grantable THEN ' WITH GRANT OPTION' ELSE '' END)
        FROM role AS r
        UNION ALL
        -- Whoever may read reads through the table above.
        SELECT DISTINCT format('REVOKE ALL ON TABLE %I.%I FROM %s CASCADE', ladder, old, r.name)
        FROM role AS r
        UNION ALL
        SELECT format('COMMENT ON TABLE %I.%I IS %L', ladder, relation,
            obj_description(c.oid, 'pg_class'))
        FROM c WHERE obj_description(c.oid, 'pg_class') IS NOT NULL
        UNION ALL
        SELECT format('ALTER TABLE %I.%I REPLICA IDENTITY FULL', ladder, relation)
        FROM c WHERE c.relreplident = 'f'
        UNION ALL
        SELECT format('ALTER SEQUENCE %1$I.event_seq OWNED BY %1$I.event.seq', ladder)
        WHERE relation = 'event'
    LOOP
        EXECUTE statement;
    END LOOP;
END
$function$;

COMMENT ON FUNCTION skillrating_internal.take_over(text, text, text) IS
'A part of partition_history(): gives the table that takes the place of another one its privileges,
its comment, its replica identity and the sequence of places.';

CREATE FUNCTION skillrating_internal.insert_all(
    ladder text,
    relation text,
    old text)
RETURNS void
LANGUAGE plpgsql VOLATILE STRICT
SET search_path = pg_catalog, pg_temp
AS $function$
DECLARE
    columns text := (
        SELECT string_agg(quote_ident(a.attname), ', ' ORDER BY a.attnum)
        FROM pg_attribute AS a
        WHERE a.attrelid = to_regclass(format('%I.%I', ladder, old)) AND a.attnum > 0
            AND NOT a.attisdropped AND a.attgenerated = '');
BEGIN
    PERFORM skillrating_internal.check_inside(ladder);
    EXECUTE format('INSERT INTO %1$I.%2$I (%4$s) SELECT %4$s FROM %1$I.%3$I ORDER BY seq',
        ladder, relation, old, columns);
END
$function$;

COMMENT ON FUNCTION skillrating_internal.insert_all(text, text, text) IS
'A part of partition_history(): copies all rows of a table into the one that takes its place.';

CREATE FUNCTION skillrating_internal.partition_table(
    ladder text,
    relation text,
    rows bigint,
    move boolean)
RETURNS void
LANGUAGE plpgsql VOLATILE STRICT
SET search_path = pg_catalog, pg_temp
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
        PERFORM skillrating_internal.make_partition(ladder, relation, NULL, upper);
        WHILE upper <= last LOOP
            PERFORM skillrating_internal.make_partition(ladder, relation, upper, upper + rows);
            upper := upper + rows;
        END LOOP;
        PERFORM skillrating_internal.insert_all(ladder, relation, old);
        EXECUTE format('DROP TABLE %I.%I', ladder, old);
    END IF;
END
$function$;

COMMENT ON FUNCTION skillrating_internal.partition_table(text, text, bigint, boolean) IS
'A part of partition_history(): replaces table event or component_event of a ladder by a partitioned
one, into whose partitions its rows go; or whose first partition it becomes, if they are not to move.
Error 2BP01 for what users have hung on it.';

CREATE FUNCTION skillrating_internal.join_partitions(
    ladder text,
    relation text)
RETURNS void
LANGUAGE plpgsql VOLATILE STRICT
SET search_path = pg_catalog, pg_temp
AS $function$
DECLARE
    old text := skillrating_internal.unused_name(ladder, relation || '_old');
BEGIN
    PERFORM skillrating_internal.check_inside(ladder);
    PERFORM skillrating_internal.check_partitionable(ladder, relation);
    PERFORM skillrating_internal.put_aside(ladder, relation, old);
    EXECUTE format('CREATE TABLE %1$I.%2$I (LIKE %1$I.%3$I INCLUDING ALL)', ladder, relation, old);
    PERFORM skillrating_internal.take_over(ladder, relation, old);
    PERFORM skillrating_internal.insert_all(ladder, relation, old);
    EXECUTE format('DROP TABLE %I.%I', ladder, old);
END
$function$;

COMMENT ON FUNCTION skillrating_internal.join_partitions(text, text) IS
'A part of partition_history(): replaces a partitioned table by one that is not. Error 2BP01 for what
users have hung on it.';

CREATE FUNCTION skillrating_internal.partition_history(
    ladder text,
    rows bigint,
    move boolean DEFAULT true,
    OUT partitions bigint)
LANGUAGE plpgsql VOLATILE
SET search_path = pg_catalog, pg_temp
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
    PERFORM skillrating_internal.ladder_types(ladder);
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

SELECT skillrating_internal.create_entry('partition_history');

COMMENT ON FUNCTION skillrating.partition_history(text, bigint, boolean) IS
'Has the table event of a ladder, and component_event if the model has components, be partitioned by
seq, in ranges of so many places each, of which every match and operation takes one; null for rows
makes tables of them again that are not partitioned. If they are partitioned already, partitions to
come have the new size. Returns how many partitions table event has.
move: rows that exist go into ranges too, which copies them; without, they stay where they are, in
one first partition, and are only read once.
Two partitions are made ahead, and from then on by the task make_partitions of work(), see
schedule_work(); if half of the last one is used up, by whoever rates. Nobody waits for that.
detach_history() takes partitions off. The ladder is held meanwhile, readers too. Errors: 42704 for
an unknown ladder, 42501 unless the caller owns it, 22004 for nulls, 22023 for rows below 1, 2BP01 if
views, triggers, policies, foreign keys or publications are about the tables, 55006 while the
transaction uses one of them.';

CREATE FUNCTION skillrating_internal.detach_history(
    ladder text,
    at timestamptz,
    OUT horizon bigint,
    OUT players bigint,
    OUT detached text[])
LANGUAGE plpgsql VOLATILE STRICT
SET search_path = pg_catalog, pg_temp
AS $function$
DECLARE
    relation text;
    name text;
    last bigint;
BEGIN
    PERFORM skillrating_internal.ladder_types(ladder);
    IF NOT EXISTS (SELECT FROM skillrating_internal.partitioned_tables(ladder)) THEN
        RAISE object_not_in_prerequisite_state USING
            MESSAGE = format('table event of ladder "%s" is not partitioned by seq', ladder),
            HINT = format('SELECT skillrating.partition_history(%L, rows => ...) does that.', ladder);
    END IF;
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
END
$function$;

SELECT skillrating_internal.create_entry('detach_history');

COMMENT ON FUNCTION skillrating.detach_history(text, timestamptz) IS
'set_horizon(), and then detaches those partitions of event and component_event that have nothing but
places up to the horizon. They stay in the schema of the ladder as tables of their own, whose names
it returns (detached) beside what set_horizon() returns, for the owner to move, archive or drop; and
ALTER TABLE ... ATTACH PARTITION brings one back for those who read. Waits for whoever reads or
rates, and keeps them waiting to the end of the transaction. Errors: those of set_horizon(), 55000 if
event is not partitioned by partition_history(), 55006 while the transaction uses it.';

CREATE FUNCTION skillrating_internal.fill_gaps(ladder text)
RETURNS void
LANGUAGE plpgsql VOLATILE STRICT
SET search_path = pg_catalog, pg_temp
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
        PERFORM skillrating_internal.make_partition(ladder, gap.relation, gap.lower, gap.upper);
    END LOOP;
END
$function$;

COMMENT ON FUNCTION skillrating_internal.fill_gaps(text) IS
'A part of reset_ladder(), after which places are given anew from the first one on: partitions in
place of those that were detached. Error 55000 unless the door to the ladder is open.';

CREATE FUNCTION skillrating_internal.first_place(ladder text)
RETURNS bigint
LANGUAGE plpgsql STABLE STRICT
SET search_path = pg_catalog, pg_temp
AS $function$
DECLARE
    first bigint;
BEGIN
    PERFORM skillrating_internal.check_inside(ladder);
    EXECUTE format('SELECT coalesce(l.horizon, 0) + 1 FROM %I.ladder AS l', ladder) INTO first;
    RETURN first;
END
$function$;

COMMENT ON FUNCTION skillrating_internal.first_place(text) IS
'The first place in the order of a ladder that a match or an operation can have behind its horizon.';

CREATE FUNCTION skillrating_internal.wrong_partitions(
    ladder text,
    OUT examined bigint,
    OUT faults bigint,
    OUT first_fault text)
LANGUAGE sql STABLE STRICT
SET search_path = pg_catalog, pg_temp
AS $function$
    SELECT count(w.name), count(w.fault), (array_agg(w.fault ORDER BY w.n) FILTER (WHERE w.fault IS NOT NULL))[1]
    FROM (
        SELECT p.name, row_number() OVER (ORDER BY t.relation DESC, p.upper) AS n,
            CASE
                WHEN p.name IS NULL THEN format('table %s has no partition', t.relation)
                WHEN p.fault IS NOT NULL THEN format('partition %s %s', p.name, p.fault)
                WHEN p.lower > greatest(lag(p.upper) OVER same, h.first)
                    THEN format('places %s to %s have no partition',
                        greatest(lag(p.upper) OVER same, h.first), p.lower - 1)
            END AS fault
        FROM skillrating_internal.partitioned_tables(ladder) AS t(relation)
        LEFT JOIN LATERAL skillrating_internal.event_partitions(ladder, t.relation) AS p ON true
        CROSS JOIN skillrating_internal.first_place(ladder) AS h(first)
        WINDOW same AS (PARTITION BY t.relation ORDER BY p.upper)) AS w
$function$;

COMMENT ON FUNCTION skillrating_internal.wrong_partitions(text) IS
'A part of verify(): how many partitions event and component_event of a ladder have, how many of them
are wrong or come behind a gap, and the first fault in words. Places up to the horizon need none.';

CREATE FUNCTION skillrating_internal.partition_like(
    ladder text,
    other text)
RETURNS void
LANGUAGE plpgsql VOLATILE STRICT
SET search_path = pg_catalog, pg_temp
AS $function$
DECLARE
    size bigint;
BEGIN
    PERFORM skillrating_internal.check_inside(other);
    EXECUTE format('SELECT l.partition_rows FROM %I.ladder AS l', other) INTO size;
    IF size IS NOT NULL THEN
        PERFORM skillrating.partition_history(ladder, size);
    END IF;
END
$function$;

COMMENT ON FUNCTION skillrating_internal.partition_like(text, text) IS
'A part of rerate(): partitions the tables of a new ladder, which is empty, if those of another one
are.';

CREATE FUNCTION skillrating_internal.move_partitions(
    ladder text,
    relation text,
    from_schema text,
    into_schema text)
RETURNS void
LANGUAGE plpgsql VOLATILE STRICT
SET search_path = pg_catalog, pg_temp
AS $function$
DECLARE
    partition record;
BEGIN
    PERFORM skillrating_internal.check_inside(ladder);
    FOR partition IN
        SELECT p.name, skillrating_internal.unused_name(into_schema, p.name) AS new_name
        FROM skillrating_internal.event_partitions(from_schema, relation) AS p
        JOIN pg_class AS c ON c.oid = p.partition
        WHERE c.relnamespace = to_regnamespace(quote_ident(from_schema))
    LOOP
        IF partition.new_name <> partition.name THEN
            partition.new_name := skillrating_internal.unused_name(from_schema, partition.new_name);
            EXECUTE format('ALTER TABLE %I.%I RENAME TO %I', from_schema, partition.name,
                partition.new_name);
        END IF;
        EXECUTE format('ALTER TABLE %I.%I SET SCHEMA %I', from_schema, partition.new_name,
            into_schema);
    END LOOP;
END
$function$;

COMMENT ON FUNCTION skillrating_internal.move_partitions(text, text, text, text) IS
'A part of swap_ladders(), for a ladder whose door is open: moves the partitions of a table that lie
in its schema into another schema, with underscores behind names that are taken there.';
-- Eligibility: which matches a ladder wants to rate.

CREATE FUNCTION skillrating.eligibility_rules(
    OUT rule text,
    OUT type text,
    OUT default_value jsonb,
    OUT min_value float8,
    OUT max_value float8,
    OUT choices text[],
    OUT unit text,
    OUT reason text,
    OUT description text)
RETURNS SETOF record
AS 'MODULE_PATHNAME', 'skillrating_eligibility_rules'
LANGUAGE C IMMUTABLE PARALLEL SAFE ROWS 13;

COMMENT ON FUNCTION skillrating.eligibility_rules() IS
'The rules that set_eligibility() takes, in the order in which a match is judged by them.
default_value: null where a rule is not in force unless it is given.
min_value, max_value: what a number may be.
reason: the code of unrated_reasons() of matches that break the rule; null for those that only say
more about another one.';

CREATE FUNCTION skillrating_internal.complete_eligibility(rules jsonb)
RETURNS jsonb
AS 'MODULE_PATHNAME', 'skillrating_complete_eligibility'
LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;

COMMENT ON FUNCTION skillrating_internal.complete_eligibility(jsonb) IS
'Rules of eligibility, checked, with the defaults of those that belong to rules in force. Errors:
22023 for an unknown rule, one of another type, or rules that make no sense together, 22003 for a
value out of range.';

CREATE FUNCTION skillrating_internal.note_eligibility(
    ladder text,
    since timestamptz,
    kind text)
RETURNS void
LANGUAGE plpgsql VOLATILE STRICT
SET search_path = pg_catalog, pg_temp
AS $function$
DECLARE
    place bigint;
    first_played_at timestamptz;
    leaves_out boolean;
BEGIN
    PERFORM skillrating_internal.check_inside(ladder);
    EXECUTE format(
        'SELECT min(m.seq), min(m.played_at) FROM %I.rated_match AS m
        WHERE m.seq IS NOT NULL AND m.played_at >= $1', ladder)
    INTO place, first_played_at USING since;
    PERFORM skillrating_internal.note_correction(ladder, kind, place, played_at => first_played_at);
    -- Without some participants matches may be rated that could not be, and have no place yet.
    EXECUTE format(
        'SELECT EXISTS (
            SELECT FROM %I.operation AS o
            WHERE o.kind = ''eligibility'' AND o.undone_at IS NULL
                AND (o.params ?| ''{min_play_time,min_play_share}''
                    OR o.params->>''no_show'' = ''leave_out''))', ladder)
    INTO leaves_out;
    IF NOT leaves_out THEN
        RETURN;
    END IF;
    PERFORM skillrating_internal.check_pending(ladder);
    EXECUTE format(
        'WITH unplaced AS (
            UPDATE %1$I.rated_match AS m SET digest = ~m.digest
            WHERE m.seq IS NULL AND m.reason IN (''one_team'', ''no_result'', ''no_play_time'',
                ''too_many_teams_for_model'', ''too_many_players_for_model'')
            RETURNING m.match_id)
        INSERT INTO %1$I.pending (match_id, xact, fires)
        SELECT u.match_id, pg_current_xact_id(), false FROM unplaced AS u', ladder);
END
$function$;

COMMENT ON FUNCTION skillrating_internal.note_eligibility(text, timestamptz, text) IS
'A part of what changes the rules of a ladder for matches played since a time: notes that history
is out of date from the first of them on, and puts those that have no place, and may get one by
rules that leave participants out, into pending with a digest that is none of theirs.';

CREATE FUNCTION skillrating_internal.set_eligibility(
    ladder text,
    rules jsonb,
    since timestamptz DEFAULT '-infinity',
    reason text DEFAULT NULL,
    OUT operation bigint)
LANGUAGE plpgsql VOLATILE
SET search_path = pg_catalog, pg_temp
AS $function$
BEGIN
    IF ladder IS NULL OR rules IS NULL OR since IS NULL THEN
        RAISE null_value_not_allowed USING
            MESSAGE = 'ladder, rules and since must not be null',
            HINT = 'The rules {} keep no match from being rated.';
    END IF;
    IF since = 'infinity' THEN
        RAISE datetime_field_overflow USING
            MESSAGE = 'since must not be infinity';
    END IF;
    operation := skillrating_internal.note_operation(ladder, 'eligibility', since => since,
        params => skillrating_internal.complete_eligibility(rules), reason => reason);
    PERFORM skillrating_internal.note_eligibility(ladder, since, 'eligibility');
END
$function$;

SELECT skillrating_internal.create_entry('set_eligibility');

COMMENT ON FUNCTION skillrating.set_eligibility(text, jsonb, timestamptz, text) IS
'Declares which matches a ladder rates: those played from since on are judged by these rules and no
others, until rules are declared for a later time or again. Without since they replace the rules of
all times. A match that breaks one is kept
unrated, with the reason of the rule; some rules leave single participants out instead.
rules: an object with a member for each rule in force, see eligibility_rules(); {} for none.
What was rated changes with catch_up(). Returns the number of the operation, for undo_operation().
Errors: 42704 for an unknown ladder, 22023 for an unknown rule, one of another type or rules that
make no sense together, 22003 for a value out of range, 22008 for an infinite since.';

CREATE FUNCTION skillrating_internal.eligibility(
    ladder text,
    OUT since timestamptz,
    OUT until timestamptz,
    OUT rules jsonb,
    OUT operation bigint,
    OUT reason text)
RETURNS SETOF record
LANGUAGE plpgsql STABLE STRICT
SET search_path = pg_catalog, pg_temp
AS $function$
BEGIN
    PERFORM skillrating_internal.ladder_types(ladder);
    RETURN QUERY EXECUTE format(
        'WITH declared AS (
            SELECT o.operation, o.since, o.params, o.reason FROM %I.operation AS o
            WHERE o.kind = ''eligibility'' AND o.undone_at IS NULL
        ), period AS (
            SELECT b.since, d.params, d.operation, d.reason,
                lag(d.operation) OVER (ORDER BY b.since) AS previous
            FROM (SELECT DISTINCT d.since FROM declared AS d) AS b
            CROSS JOIN LATERAL (
                SELECT * FROM declared AS d WHERE d.since <= b.since
                ORDER BY d.operation DESC LIMIT 1) AS d
        )
        SELECT p.since, lead(p.since, 1, ''infinity'') OVER (ORDER BY p.since), p.params,
            p.operation, p.reason
        FROM period AS p WHERE p.previous IS DISTINCT FROM p.operation
        ORDER BY p.since', ladder);
END
$function$;

SELECT skillrating_internal.create_entry('eligibility');

COMMENT ON FUNCTION skillrating.eligibility(text) IS
'The rules by which a ladder judges matches: a row for each period that has rules of its own,
matches played from since on and before until, with the number of the operation that declared them
and the reason given. Matches played before the first period are judged by none. Error 42704 for an
unknown ladder.';
-- Operations: what changes states at a place in the order, other than matches.

CREATE FUNCTION skillrating_internal.apply_operation(
    ladder text,
    seq bigint)
RETURNS bigint
AS 'MODULE_PATHNAME', 'skillrating_apply_operation'
LANGUAGE C VOLATILE STRICT;

COMMENT ON FUNCTION skillrating_internal.apply_operation(text, bigint) IS
'Does the last operation of table operation to the states of its players, and writes their events;
new_season() and its like call it. Returns the number of players. Errors: 55000 if it is not the
last one, 22003 if a state comes out of range.';

CREATE FUNCTION skillrating_internal.begin_operation(ladder text)
RETURNS void
AS 'MODULE_PATHNAME', 'skillrating_begin_operation'
LANGUAGE C VOLATILE STRICT;

COMMENT ON FUNCTION skillrating_internal.begin_operation(text) IS
'A part of new_season() and its like, before note_operation(): keeps others from rating the ladder,
so that the operation comes behind whatever has been rated. Error 55000 unless the door to the
ladder is open.';

CREATE FUNCTION skillrating_internal.operate_beside(
    ladder text,
    seq bigint)
RETURNS bigint
AS 'MODULE_PATHNAME', 'skillrating_operate_beside'
LANGUAGE C VOLATILE STRICT;

COMMENT ON FUNCTION skillrating_internal.operate_beside(text, bigint) IS
'The same as apply_operation(), for an operation on all players and after begin_operation(): others
rate meanwhile, behind the operation, until the ratings are written. Errors as there, and 55000 if a
match that was rated meanwhile has gone from the source unreported.';

CREATE FUNCTION skillrating_internal.check_new_season(
    ladder text,
    season text,
    pool text)
RETURNS void
LANGUAGE plpgsql STABLE
SET search_path = pg_catalog, pg_temp
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

COMMENT ON FUNCTION skillrating_internal.check_new_season(text, text, text) IS
'A part of new_season(): error 42710 if a pool in which the season is to begin, all of them where it
is null, has one of that name; and a notice if there is no rating in the pool.';

CREATE FUNCTION skillrating_internal.new_season(
    ladder text,
    season text,
    keep float8 DEFAULT 0.5,
    toward text DEFAULT NULL,
    pool text DEFAULT NULL,
    at timestamptz DEFAULT now(),
    reason text DEFAULT NULL,
    OUT operation bigint,
    OUT players bigint)
LANGUAGE plpgsql VOLATILE
SET search_path = pg_catalog, pg_temp
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
                MESSAGE = format('skills of solver "%s" are no prior for model "%s"', toward, model.name),
                HINT = 'Those of "bradley_terry" and "whole_history" are, for any model.';
        END IF;
        EXECUTE format('SELECT EXISTS (SELECT FROM %I.solved AS s WHERE s.solver = $1 AND s.mu IS NOT NULL AND s.pool = coalesce($2, s.pool))', ladder)
        INTO taken USING toward, pool;
        IF NOT taken THEN
            RAISE no_data_found USING
                MESSAGE = format('ladder "%s" has not been solved by "%s"', ladder, toward),
                HINT = format('Do so first: skillrating.solve_ladder(%L, %L).', ladder, toward);
        END IF;
    END IF;
    PERFORM skillrating_internal.check_new_season(ladder, season, pool);
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

SELECT skillrating_internal.create_entry('new_season');

COMMENT ON FUNCTION skillrating.new_season(text, text, float8, text, text, timestamptz, text) IS
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
season of that name, 22023 for an empty name and for estimates that do not suit the model, P0002 if there are
none, 22008 for an infinite time.';

CREATE FUNCTION skillrating_internal.decay(
    ladder text,
    grace interval DEFAULT '30 days',
    rate float8 DEFAULT 1,
    floor float8 DEFAULT 0,
    half_life interval DEFAULT NULL,
    mean float8 DEFAULT NULL,
    pool text DEFAULT NULL,
    at timestamptz DEFAULT now(),
    reason text DEFAULT 'decay',
    OUT operation bigint,
    OUT players bigint)
LANGUAGE plpgsql VOLATILE
SET search_path = pg_catalog, pg_temp
AS $function$
DECLARE
    counted_from timestamptz;
    parameters jsonb;
    day constant float8 := 86400;
BEGIN
    IF ladder IS NULL OR grace IS NULL OR rate IS NULL OR floor IS NULL OR at IS NULL THEN
        RAISE null_value_not_allowed USING
            MESSAGE = 'ladder, grace, rate, floor and at must not be null';
    END IF;
    IF NOT (rate >= 0 AND rate < 'Infinity') OR NOT (abs(floor) < 'Infinity') OR NOT coalesce(abs(mean) < 'Infinity', true) THEN
        RAISE numeric_value_out_of_range USING
            MESSAGE = format('rate (%s) must be finite and not negative, floor (%s) and mean (%s) finite', rate, floor, mean);
    END IF;
    IF grace < '0' THEN
        RAISE numeric_value_out_of_range USING
            MESSAGE = format('grace must not be negative, not %s', grace);
    END IF;
    IF half_life <= '0' THEN
        RAISE numeric_value_out_of_range USING
            MESSAGE = format('half_life must be positive, not %s', half_life);
    END IF;
    PERFORM skillrating_internal.ladder_types(ladder);

    -- Days that an earlier decay has counted are not counted again.
    EXECUTE format(
        'SELECT max(o.at) FROM %I.operation AS o WHERE o.kind = ''decay'' AND o.undone_at IS NULL AND (o.pool IS NULL OR $1 IS NULL OR o.pool = $1)', ladder)
    INTO counted_from USING pool;
    IF half_life IS NOT NULL AND mean IS NULL THEN
        EXECUTE format('SELECT skillrating.state_rating(l.model, skillrating.initial_state(l.model, l.params), l.params) FROM %I.ladder AS l', ladder) INTO mean;
    END IF;
    parameters := jsonb_build_object('grace_days', extract(epoch FROM grace) / day, 'counted_from', counted_from)
        || CASE WHEN half_life IS NULL THEN jsonb_build_object('rate', rate, 'floor', floor)
            ELSE jsonb_build_object('half_life_days', extract(epoch FROM half_life) / day, 'mean', mean) END;
    PERFORM skillrating_internal.begin_operation(ladder);
    operation := skillrating_internal.note_operation(ladder, 'decay', pool => pool, at => at,
        params => jsonb_strip_nulls(parameters), reason => reason);
    players := skillrating_internal.operate_beside(ladder, operation);
END
$function$;

SELECT skillrating_internal.create_entry('decay');

COMMENT ON FUNCTION skillrating.decay(text, interval, float8, float8, interval, float8, text, timestamptz, text) IS
'Lets the displayed ratings of idle players fall: by rate points a day beyond grace since the last
match, down to floor; or, with a half_life, drift to mean (that of a newcomer by default). What an
earlier decay has counted is not counted again, so that it can be called every day. The points come
off the first state column. Returns the number of the operation, for undo_operation(), and how many
players it changed. Errors: 42704 for an unknown ladder, 22003 for arguments out of range, 22008
for an infinite time.';

CREATE FUNCTION skillrating_internal.settled_at(ladder text)
RETURNS timestamptz
LANGUAGE plpgsql STABLE STRICT
SET search_path = pg_catalog, pg_temp
AS $function$
DECLARE
    at timestamptz;
BEGIN
    PERFORM skillrating_internal.ladder_types(ladder);
    EXECUTE format(
        'SELECT max(o.at) FROM %I.operation AS o WHERE o.kind = ''settle'' AND o.undone_at IS NULL',
        ladder)
    INTO at;
    RETURN at;
END
$function$;

SELECT skillrating_internal.create_entry('settled_at');

COMMENT ON FUNCTION skillrating.settled_at(text) IS
'The time up to which settle() has counted idle time, null if it never has. A leaderboard has each
player as of this time, or of the player''s last match or operation if that is later. Error 42704
for an unknown ladder.';

CREATE FUNCTION skillrating_internal.settle(
    ladder text,
    at timestamptz DEFAULT now(),
    reason text DEFAULT 'settle',
    OUT operation bigint,
    OUT players bigint)
LANGUAGE plpgsql VOLATILE
SET search_path = pg_catalog, pg_temp
AS $function$
DECLARE
    reorders boolean;
    last_at timestamptz;
    same boolean;
BEGIN
    IF ladder IS NULL OR at IS NULL THEN
        RAISE null_value_not_allowed USING
            MESSAGE = 'ladder and at must not be null';
    END IF;
    PERFORM skillrating_internal.check_operation_time(at);
    PERFORM skillrating_internal.ladder_types(ladder);
    EXECUTE format(
        'SELECT l.late = ''reorder'', max(o.at), coalesce(bool_or(o.at = $1), false)
        FROM %1$I.ladder AS l
        LEFT JOIN %1$I.operation AS o ON o.kind = ''settle'' AND o.undone_at IS NULL
        GROUP BY l.late', ladder)
    INTO reorders, last_at, same USING at;
    IF at < last_at AND NOT reorders THEN
        RAISE invalid_parameter_value USING
            MESSAGE = format('ladder "%s" was settled at %s, and cannot be settled at %s', ladder, last_at, at),
            HINT = 'Settle at a later time, or undo the later settle first.';
    END IF;
    players := 0;
    -- Where time makes the order, a second one has nothing to do: its place is next to the first.
    IF same AND reorders THEN
        RETURN;
    END IF;
    PERFORM skillrating_internal.begin_operation(ladder);
    operation := skillrating_internal.note_operation(ladder, 'settle', at => at, reason => reason);
    players := skillrating_internal.operate_beside(ladder, operation);
    -- In the order in which they came, matches may lie between.
    IF same AND players = 0 THEN
        EXECUTE format('DELETE FROM %I.operation AS o WHERE o.operation = $1', ladder) USING operation;
        operation := NULL;
    END IF;
END
$function$;

SELECT skillrating_internal.create_entry('settle');

COMMENT ON FUNCTION skillrating.settle(text, timestamptz, text) IS
'Counts idle time up to at in the stored states of all players, in all pools: deviations grow, and
ratings decay, as the model says, so that leaderboards, mirrors and predictions for that time
agree. Each player whose state changes gets an event, and what is counted is not counted again
before the next match: how often a ladder is settled does not change its ratings. It can be called
every day. Games and last_played stay. Under a model without idle time only settled_at() advances.
Returns the number of the operation, for undo_operation() (null if the ladder was settled at that
time and nothing has changed), and how many states it changed. Errors: 42704 for an unknown ladder,
22008 for an infinite time, 22023 for a time before the last settle unless late is reorder, 22003
if a state comes out of range.';

CREATE FUNCTION skillrating_internal.check_not_merged(
    ladder text,
    player_id text)
RETURNS void
LANGUAGE plpgsql STABLE STRICT
SET search_path = pg_catalog, pg_temp
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
            HINT = format('What is done to that account does not count: name player %s.', counted);
    END IF;
END
$function$;

COMMENT ON FUNCTION skillrating_internal.check_not_merged(text, text) IS
'A part of set_rating() and its like: error 22023 for a player who is merged into another, because
what is done to that account does not count.';

CREATE FUNCTION skillrating_internal.set_rating(
    ladder text,
    player_id anycompatible,
    state jsonb,
    pool text DEFAULT '',
    at timestamptz DEFAULT now(),
    reason text DEFAULT NULL,
    OUT operation bigint,
    OUT players bigint)
LANGUAGE plpgsql VOLATILE
SET search_path = pg_catalog, pg_temp
AS $function$
DECLARE
    columns text[];
    wrong text;
    state_values float8[];
BEGIN
    IF ladder IS NULL OR player_id IS NULL OR state IS NULL OR pool IS NULL OR at IS NULL THEN
        RAISE null_value_not_allowed USING
            MESSAGE = 'ladder, player_id, state, pool and at must not be null';
    END IF;
    PERFORM skillrating_internal.ladder_types(ladder);
    EXECUTE format('SELECT m.state_columns FROM skillrating.models() AS m JOIN %I.ladder AS l ON l.model = m.name', ladder)
    INTO columns;
    IF jsonb_typeof(state) <> 'object' OR state = '{}' THEN
        RAISE invalid_parameter_value USING
            MESSAGE = format('state must be an object of state columns, not %s', state),
            HINT = format('The state columns are %s.', array_to_string(columns, ', '));
    END IF;
    SELECT k INTO wrong
    FROM jsonb_object_keys(state) AS k
    WHERE NOT k = ANY (columns) OR jsonb_typeof(state->k) <> 'number'
    LIMIT 1;
    IF wrong IS NOT NULL THEN
        RAISE invalid_parameter_value USING
            MESSAGE = CASE WHEN wrong = ANY (columns) THEN format('state column "%s" must be a number, not %s', wrong, state->wrong)
                ELSE format('there is no state column "%s"', wrong) END,
            HINT = format('The state columns are %s.', array_to_string(columns, ', '));
    END IF;
    SELECT array_agg((state->>c.name)::float8 ORDER BY c.n) INTO state_values
    FROM unnest(columns) WITH ORDINALITY AS c(name, n);
    PERFORM skillrating_internal.check_not_merged(ladder, player_id::text);
    operation := skillrating_internal.note_operation(ladder, 'set', player_id::text, pool => pool, at => at,
        state => state_values, reason => coalesce(reason, 'set by hand'));
    players := skillrating_internal.apply_operation(ladder, operation);
END
$function$;

SELECT skillrating_internal.create_entry('set_rating');

COMMENT ON FUNCTION skillrating.set_rating(text, anycompatible, jsonb, text, timestamptz, text) IS
'Sets state columns of a player by hand, as in {"rating": 1600}; the others stay. A player whom the
ladder does not know gets a rating, so that newcomers can be placed. It takes its place
in the order: matches before are replayed without it, those after with it. Returns the number of
the operation, for undo_operation(), and how many players it changed. Errors: 42704 for an unknown
ladder, 22023 for a state column that there is not or a player who is merged into another, 22003
for a state out of range, 22008 for an infinite time.';

CREATE FUNCTION skillrating_internal.reset_rating(
    ladder text,
    player_id anycompatible,
    pool text DEFAULT NULL,
    at timestamptz DEFAULT now(),
    reason text DEFAULT NULL,
    OUT operation bigint,
    OUT ratings bigint)
LANGUAGE plpgsql VOLATILE
SET search_path = pg_catalog, pg_temp
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
            MESSAGE = format('player %s has no rating in %s of ladder "%s"', player_id,
                CASE WHEN pool IS NULL THEN 'any pool' ELSE format('pool "%s"', pool) END, ladder);
    END IF;
    operation := skillrating_internal.note_operation(ladder, 'reset', player_id::text,
        pool => pool, at => at, reason => coalesce(reason, 'reset'));
    ratings := skillrating_internal.apply_operation(ladder, operation);
END
$function$;

SELECT skillrating_internal.create_entry('reset_rating');

COMMENT ON FUNCTION skillrating.reset_rating(text, anycompatible, text, timestamptz, text) IS
'Makes a newcomer of a player, in one pool or in all: every state column gets its initial value,
counts and last_played of the rating begin again, and so does whatever a model or a leaderboard
makes of the number of games; the events before stay. In all pools (null) that includes what pools
share. It takes its place in the order: matches before are replayed without it, those after with it.
Returns the number of the operation, for undo_operation(), and how many rows of rating it changed.
Errors: 42704 for an unknown ladder or a player who has no rating there, 22023 for a player who is
merged into another, 22008 for an infinite time.';

CREATE FUNCTION skillrating_internal.seed_from(
    ladder text,
    other text,
    pool text DEFAULT '',
    other_pool text DEFAULT '',
    overwrite boolean DEFAULT false,
    at timestamptz DEFAULT now(),
    reason text DEFAULT NULL,
    OUT operation bigint,
    OUT players bigint)
LANGUAGE plpgsql VOLATILE
SET search_path = pg_catalog, pg_temp
AS $function$
DECLARE
    t record;
    columns text[];
    other_columns text[];
    expressions text;
BEGIN
    IF ladder IS NULL OR other IS NULL OR pool IS NULL OR other_pool IS NULL OR overwrite IS NULL OR at IS NULL THEN
        RAISE null_value_not_allowed USING
            MESSAGE = 'ladder, other, pool, other_pool, overwrite and at must not be null';
    END IF;
    PERFORM skillrating_internal.check_operation_time(at);
    t := skillrating_internal.ladder_types(ladder);
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
    operation := nextval(format('%I.event_seq', ladder));
    EXECUTE format(
        'INSERT INTO %1$I.operation (operation, seq, kind, pool, player_id, at, state, params, reason)
        SELECT $1, $1, ''seed'', $2, o.player_id, $5, ARRAY[%4$s]::float8[], jsonb_build_object(''ladder'', %5$L::text, ''pool'', $3), $6
        FROM (%2$s) AS o
        WHERE ($4 OR NOT EXISTS (
                SELECT FROM %1$I.rating AS r WHERE r.player_id %3$s o.player_id AND r.pool = $2))
            AND NOT EXISTS (
                SELECT FROM %1$I.operation AS m WHERE m.player_id %3$s o.player_id AND m.kind = ''merge'' AND m.undone_at IS NULL)',
        ladder, skillrating_internal.past_board(other, other_pool, at, 'true'), t.player_equals,
        expressions, other)
    USING operation, pool, other_pool, overwrite, at, coalesce(reason, 'seeded from ' || other);
    GET DIAGNOSTICS players = ROW_COUNT;
    IF players > 0 THEN
        PERFORM skillrating_internal.apply_operation(ladder, operation);
    ELSE
        operation := NULL;
    END IF;
END
$function$;

SELECT skillrating_internal.create_entry('seed_from');

COMMENT ON FUNCTION skillrating.seed_from(text, text, text, text, boolean, timestamptz, text) IS
'Starts players of a ladder from their states in another one: those columns that both models have,
as they are there at that time (see rating_at()), for players who have no row here yet, or for all
with overwrite.
new_season() afterwards moves them towards the initial state. Returns the number of the operation,
for undo_operation() (null if there was nothing to do), and how many players it changed. Errors:
42704 for an unknown ladder, 22023 if the models have no state column in common, 22008 for an
infinite time.';
-- What makes boards quick: the index on ratings, and the counts that ranks come from.

CREATE FUNCTION skillrating_internal.rating_cell(rating float8, last_played timestamptz)
RETURNS bigint
AS 'MODULE_PATHNAME', 'skillrating_rating_cell'
LANGUAGE C IMMUTABLE PARALLEL SAFE;

COMMENT ON FUNCTION skillrating_internal.rating_cell(float8, timestamptz) IS
'The cell in which a player with this displayed rating and last match is counted: the range of the
rating in the upper 32 bits, the period of the match in the lower ones.';

CREATE FUNCTION skillrating_internal.rating_band(rating float8)
RETURNS integer
AS 'MODULE_PATHNAME', 'skillrating_rating_band'
LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;

COMMENT ON FUNCTION skillrating_internal.rating_band(float8) IS
'The band of ratings that a rating is in, of which there are 16 from each power of two to the next:
a higher rating is in the same band or a higher one.';

CREATE FUNCTION skillrating_internal.fold_rating_counts(ladder text, wait boolean DEFAULT true)
RETURNS bigint
AS 'MODULE_PATHNAME', 'skillrating_fold_rating_counts'
LANGUAGE C VOLATILE STRICT;

COMMENT ON FUNCTION skillrating_internal.fold_rating_counts(text, boolean) IS
'Folds all changes in table rating_count_delta into table rating_count, as those who rate do now and
then, and returns how many rows these were. If another transaction is at it, waits for its end, or
does nothing. Error 55000 unless the door to the ladder is open.';

CREATE FUNCTION skillrating_internal.range_counts(
    ladder text,
    pool text,
    rating float8,
    OUT above bigint,
    OUT below bigint,
    OUT total bigint,
    OUT bottom float8,
    OUT top float8)
AS 'MODULE_PATHNAME', 'skillrating_range_counts'
LANGUAGE C STABLE STRICT;

COMMENT ON FUNCTION skillrating_internal.range_counts(text, text, float8) IS
'How many players of a pool with rated matches there are, and of them above and below the range of
ratings from bottom to top that a rating is in; where the leaderboard is "ranks". Error 55000 unless
the door to the ladder is open.';

CREATE FUNCTION skillrating_internal.active_players(
    ladder text,
    pool text,
    since timestamptz,
    min_games bigint,
    below float8,
    n integer)
RETURNS text[]
AS 'MODULE_PATHNAME', 'skillrating_active_players'
LANGUAGE C STABLE;

COMMENT ON FUNCTION skillrating_internal.active_players(text, text, timestamptz, bigint, float8, integer) IS
'The n players of a pool with the highest displayed ratings, below one unless that is null, among
those with so many rated matches and the last one since then; where the leaderboard is "ranks". It
passes over ranges of ratings in which nobody has played lately. Nothing but below may be null.
Error 55000 unless the door to the ladder is open.';

CREATE FUNCTION skillrating_internal.check_leaderboard(leaderboard text)
RETURNS void
LANGUAGE plpgsql IMMUTABLE STRICT
SET search_path = pg_catalog, pg_temp
AS $function$
BEGIN
    IF leaderboard NOT IN ('ranks', 'bands', 'none') THEN
        RAISE invalid_parameter_value USING
            MESSAGE = format('leaderboard must be "ranks", "bands" or "none", not "%s"', leaderboard);
    END IF;
END
$function$;

COMMENT ON FUNCTION skillrating_internal.check_leaderboard(text) IS
'Error 22023 unless this is a choice of create_ladder() and set_leaderboard().';

CREATE FUNCTION skillrating_internal.band_column(
    leaderboard text,
    model text,
    params jsonb)
RETURNS text
LANGUAGE sql STABLE STRICT
SET search_path = pg_catalog, pg_temp
AS $function$
    SELECT CASE WHEN leaderboard = 'bands' THEN format(
        ', band integer NOT NULL GENERATED ALWAYS AS (skillrating_internal.rating_band(%s)) STORED',
        skillrating_internal.display_expression(model, params)) ELSE '' END
$function$;

COMMENT ON FUNCTION skillrating_internal.band_column(text, text, jsonb) IS
'A part of create_ladder() and set_leaderboard(): the definition of the column of table rating for
bands, behind a comma, where the leaderboard has them, else nothing. params are complete.';

CREATE FUNCTION skillrating_internal.create_leaderboard(
    ladder text,
    leaderboard text)
RETURNS void
LANGUAGE plpgsql VOLATILE STRICT
SET search_path = pg_catalog, pg_temp
AS $function$
BEGIN
    IF leaderboard = 'ranks' THEN
        EXECUTE format('CREATE INDEX ON %I.rating (pool, rating DESC, player_id)', ladder);
    ELSIF leaderboard = 'bands' THEN
        EXECUTE format('CREATE INDEX ON %I.rating (pool, band DESC)', ladder);
    END IF;
    -- Without the index on the rating an update stays on its page, if there is room.
    EXECUTE format('ALTER TABLE %I.rating %s', ladder,
        CASE WHEN leaderboard = 'ranks' THEN 'RESET (fillfactor)' ELSE 'SET (fillfactor = 70)' END);
END
$function$;

COMMENT ON FUNCTION skillrating_internal.create_leaderboard(text, text) IS
'A part of create_ladder() and set_leaderboard(): the index of table rating that boards are read by,
which has the column of bands where they need it.';

CREATE FUNCTION skillrating_internal.rebuild_rating_counts(ladder text)
RETURNS void
LANGUAGE plpgsql VOLATILE STRICT
SET search_path = pg_catalog, pg_temp
AS $function$
DECLARE
    leaderboard text;
BEGIN
    PERFORM skillrating_internal.ladder_types(ladder);
    EXECUTE format('SELECT l.leaderboard FROM %I.ladder AS l', ladder) INTO leaderboard;
    EXECUTE format('DELETE FROM %I.rating_count', ladder);
    EXECUTE format('DELETE FROM %I.rating_count_delta', ladder);
    IF leaderboard <> 'ranks' THEN
        RETURN;
    END IF;
    EXECUTE format(
        'INSERT INTO %1$I.rating_count_delta (pool, cells, nets)
        SELECT g.pool, array_agg(g.cell), array_agg(g.n)
        FROM (
            SELECT c.pool, c.cell, c.n,
                (row_number() OVER (PARTITION BY c.pool ORDER BY c.cell) - 1) / 500 AS part
            FROM (
                SELECT r.pool, skillrating_internal.rating_cell(r.rating, r.last_played) AS cell,
                    count(*)::integer AS n
                FROM %1$I.rating AS r WHERE r.games > 0 GROUP BY 1, 2) AS c) AS g
        GROUP BY g.pool, g.part', ladder);
    PERFORM skillrating_internal.fold_rating_counts(ladder);
END
$function$;

COMMENT ON FUNCTION skillrating_internal.rebuild_rating_counts(text) IS
'A part of set_leaderboard(): counts the players of a ladder by their ratings anew, if it is to keep
counts. Nobody rates meanwhile. Error 55000 unless the door to the ladder is open.';

CREATE FUNCTION skillrating_internal.wrong_rating_counts(ladder text)
RETURNS bigint
LANGUAGE plpgsql STABLE STRICT
SET search_path = pg_catalog, pg_temp
AS $function$
DECLARE
    wrong bigint;
BEGIN
    PERFORM skillrating_internal.ladder_types(ladder);
    -- Sums by range, by quarter and period, and over 64 rows: each has to be 0.
    EXECUTE format(
        'WITH cell AS (
            SELECT r.pool, skillrating_internal.rating_cell(r.rating, r.last_played) AS cell, 1 AS n
            FROM %1$I.rating AS r WHERE r.games > 0
            UNION ALL
            SELECT d.pool, u.cell, -u.net
            FROM %1$I.rating_count_delta AS d CROSS JOIN LATERAL unnest(d.cells, d.nets) AS u(cell, net)
        ), part AS (
            SELECT c.pool, 0 AS kind, c.cell >> 32 AS key, 0 AS period, c.n FROM cell AS c
            UNION ALL
            SELECT c.pool, 1, c.cell >> 36, c.cell::bit(32)::integer, c.n FROM cell AS c
            UNION ALL
            SELECT c.pool, 2 + l.level, c.cell >> (38 + 6 * l.level), 0, c.n
            FROM cell AS c CROSS JOIN (VALUES (0), (1)) AS l(level)
            UNION ALL
            SELECT c.pool, 0, c.place * 64::bigint + u.i - 1, 0, -u.n
            FROM %1$I.rating_count AS c CROSS JOIN LATERAL unnest(c.ranges) WITH ORDINALITY AS u(n, i)
            UNION ALL
            SELECT c.pool, 1, c.place * 4::bigint + (u.key & 3), u.key >> 2, -u.n
            FROM %1$I.rating_count AS c CROSS JOIN LATERAL unnest(c.active, c.active_counts) AS u(key, n)
            UNION ALL
            SELECT c.pool, 2 + c.level, c.place, 0, -c.total FROM %1$I.rating_count AS c
        )
        SELECT count(*) FROM (
            SELECT FROM part AS p GROUP BY p.pool, p.kind, p.key, p.period HAVING sum(p.n) <> 0) AS w',
        ladder)
    INTO wrong;
    RETURN wrong;
END
$function$;

COMMENT ON FUNCTION skillrating_internal.wrong_rating_counts(text) IS
'A part of verify(): how many counts of players by rating are not what table rating says; where the
leaderboard is "ranks". Error 55000 unless the door to the ladder is open.';

CREATE FUNCTION skillrating_internal.set_leaderboard(
    ladder text,
    leaderboard text DEFAULT NULL)
RETURNS text
LANGUAGE plpgsql VOLATILE
SET search_path = pg_catalog, pg_temp
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
        PERFORM skillrating_internal.hold_ladder(ladder, true);
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
    END IF;
    PERFORM skillrating_internal.rebuild_rating_counts(ladder);
    RETURN chosen;
END
$function$;

SELECT skillrating_internal.create_entry('set_leaderboard');

COMMENT ON FUNCTION skillrating.set_leaderboard(text, text) IS
'Changes what makes the boards of a ladder quick: ranks, bands or none, as create_ladder() takes it;
and counts the players by their ratings anew where that is ranks, also if it was before, or for null,
which leaves the choice as it is: after changes of table rating by hand, which verify() tells.
Rating waits meanwhile, and reading where the choice changes. Returns the choice. Errors: 42704 for
an unknown ladder, 22023 for another choice, 42501 unless the caller owns the ladder.';

CREATE FUNCTION skillrating_internal.fold_counts(ladder text)
RETURNS bigint
LANGUAGE plpgsql VOLATILE STRICT
SET search_path = pg_catalog, pg_temp
AS $function$
BEGIN
    PERFORM skillrating_internal.ladder_types(ladder);
    IF current_setting('transaction_isolation') = 'serializable' THEN
        RAISE invalid_transaction_state USING
            MESSAGE = 'fold_counts() cannot run in a serializable transaction',
            DETAIL = 'It would make transactions fail that rate meanwhile.',
            HINT = 'Begin it with BEGIN ISOLATION LEVEL READ COMMITTED, or have work() do it: '
                || format('SELECT skillrating.schedule_work(%L, ''fold_counts'', ''1 minute'').', ladder);
    END IF;
    RETURN skillrating_internal.fold_rating_counts(ladder, false);
END
$function$;

SELECT skillrating_internal.create_entry('fold_counts');

COMMENT ON FUNCTION skillrating.fold_counts(text) IS
'Sums up what those who rate have noted of the counts that ranks come from, and returns how many notes
there were. They do so themselves now and then, but not in serializable transactions: where all
transactions are serializable, have work() do it, see schedule_work(). Does nothing, and returns 0,
if another transaction is at it, or if the leaderboard is not "ranks". Nobody waits for it. Errors:
42704 for an unknown ladder, 42501 unless the caller owns it, 25000 in a serializable transaction,
40001 at REPEATABLE READ if others have done it since the snapshot.';

CREATE FUNCTION skillrating_internal.has_ranks(
    ladder text,
    at timestamptz,
    max_deviation float8)
RETURNS boolean
LANGUAGE plpgsql STABLE
SET search_path = pg_catalog, pg_temp
AS $function$
DECLARE
    leaderboard text;
BEGIN
    PERFORM skillrating_internal.ladder_types(ladder);
    IF ladder IS NULL OR at IS NOT NULL OR max_deviation IS NOT NULL THEN
        RETURN false;
    END IF;
    EXECUTE format('SELECT l.leaderboard FROM %I.ladder AS l', ladder) INTO leaderboard;
    RETURN leaderboard = 'ranks';
END
$function$;

COMMENT ON FUNCTION skillrating_internal.has_ranks(text, timestamptz, float8) IS
'A part of leaderboard() and its like: whether the counts of a ladder say anything of a board at a
time, with a limit to the deviation. Error 55000 unless the door to the ladder is open.';

CREATE FUNCTION skillrating_internal.has_time_index(ladder text)
RETURNS boolean
LANGUAGE sql STABLE STRICT
SET search_path = pg_catalog, pg_temp
AS $function$
    SELECT EXISTS (
        SELECT FROM pg_index AS x
        JOIN pg_attribute AS p ON p.attrelid = x.indrelid AND p.attnum = x.indkey[0]
        JOIN pg_attribute AS t ON t.attrelid = x.indrelid AND t.attnum = x.indkey[1]
        WHERE x.indrelid = to_regclass(format('%I.rating', ladder)) AND x.indisvalid
            AND x.indpred IS NULL AND p.attname = 'pool' AND t.attname = 'last_played')
$function$;

COMMENT ON FUNCTION skillrating_internal.has_time_index(text) IS
'A part of leaderboard(): whether table rating has an index on the pool and the time of the last
match, with which the server finds active players by itself, be they few or many.';

CREATE FUNCTION skillrating_internal.band_order(
    ladder text,
    at timestamptz)
RETURNS text
LANGUAGE plpgsql STABLE
SET search_path = pg_catalog, pg_temp
AS $function$
DECLARE
    leaderboard text;
BEGIN
    PERFORM skillrating_internal.ladder_types(ladder);
    IF ladder IS NULL OR at IS NOT NULL THEN
        RETURN '';
    END IF;
    EXECUTE format('SELECT l.leaderboard FROM %I.ladder AS l', ladder) INTO leaderboard;
    RETURN CASE WHEN leaderboard = 'bands' THEN 'r.band DESC, ' ELSE '' END;
END
$function$;

COMMENT ON FUNCTION skillrating_internal.band_order(text, timestamptz) IS
'A part of leaderboard(): what comes before the rating in the ORDER BY of a board at a time: the
band, by which an index can give the order, or nothing. It does not change the order. Error 55000
unless the door to the ladder is open.';

CREATE FUNCTION skillrating_internal.counts_query(
    ladder text,
    ranked boolean,
    banded boolean,
    eligible text,
    rating text)
RETURNS text
LANGUAGE plpgsql STABLE STRICT
SET search_path = pg_catalog, pg_temp
AS $function$
BEGIN
    PERFORM skillrating_internal.ladder_types(ladder);
    IF ranked THEN
        RETURN format(
            'SELECT c.above + (
                    SELECT count(*) FROM %1$I.rating AS r
                    WHERE r.pool = $1 AND r.games > 0 AND r.rating > %2$s AND r.rating <= c.top) AS above,
                c.total - c.below - (
                    SELECT count(*) FROM %1$I.rating AS r
                    WHERE r.pool = $1 AND r.games > 0 AND r.rating < %2$s AND r.rating >= c.bottom) AS at_least,
                c.total
            FROM skillrating_internal.range_counts(%1$L, $1, %2$s) AS c', ladder, rating);
    END IF;
    RETURN format(
        'SELECT (SELECT count(*) FROM board AS r WHERE %1$s AND r.rating > %2$s%3$s) AS above,
            (SELECT count(*) FROM board AS r WHERE %1$s AND r.rating >= %2$s%3$s) AS at_least,
            (SELECT count(*) FROM board AS r WHERE %1$s) AS total', eligible, rating,
        CASE WHEN banded
            THEN format(' AND r.band >= skillrating_internal.rating_band(%s)', rating) ELSE '' END);
END
$function$;

COMMENT ON FUNCTION skillrating_internal.counts_query(text, boolean, boolean, text, text) IS
'A part of leaderboard() and its like: the query, below WITH board AS, of how many players of the
board are rated above an expression, at least as high, and in all. ranked says that the counts of
the ladder are those of this board, banded that it has bands, and eligible is its condition. Its
parameters are those of eligible_players(). Error 55000 unless the door to the ladder is open.';
-- Ladders solved as a whole.

CREATE FUNCTION skillrating_internal.solve_matches(
    ladder text,
    solver text,
    params jsonb,
    pool text,
    start text,
    start_contexts skillrating.context_estimate[],
    write text[])
RETURNS skillrating.solve_summary
AS 'MODULE_PATHNAME', 'skillrating_solve_matches'
LANGUAGE C VOLATILE;

COMMENT ON FUNCTION skillrating_internal.solve_matches(text, text, jsonb, text, text, skillrating.context_estimate[], text[]) IS
'Solves the rated matches of a pool of a ladder, in rated order, as solve() does, beginning with the
estimates of the query start and with start_contexts (which may be null, and may lack players
and contexts); returns what solve_summary() does. The queries of write, if any, run in the end and
read the estimates as relation "solution". Without such
matches there are no estimates. solve_ladder() calls it. Errors: 42704 for an unknown ladder, 22004
for nulls elsewhere, and as solve().';

CREATE FUNCTION skillrating_internal.solve_ladder(
    ladder text,
    solver text DEFAULT 'bradley_terry',
    params jsonb DEFAULT '{}',
    pool text DEFAULT '',
    warm boolean DEFAULT true)
RETURNS skillrating.solve_summary
LANGUAGE plpgsql VOLATILE
SET search_path = pg_catalog, pg_temp
AS $function$
DECLARE
    t record := skillrating_internal.ladder_types(ladder);
    start text;
    start_contexts skillrating.context_estimate[];
    summary skillrating.solve_summary;
BEGIN
    IF ladder IS NULL OR solver IS NULL OR params IS NULL OR pool IS NULL OR warm IS NULL THEN
        RAISE null_value_not_allowed USING
            MESSAGE = 'ladder, solver, params, pool and warm must not be null';
    END IF;
    -- One after another; reading goes on.
    EXECUTE format('LOCK TABLE %I.solved IN SHARE ROW EXCLUSIVE MODE', ladder);
    IF warm THEN
        start := format(
            'SELECT s.player_id::text, s.at, s.mu, s.standard_error, s.side_offset, s.command_skill, s.games, s.component
            FROM %I.solved AS s WHERE s.solver = %L AND s.pool = %L', ladder, solver, pool);
        EXECUTE format(
            'SELECT array_agg(ROW(c.context, c.log_odds, c.standard_error)::skillrating.context_estimate)
            FROM %I.solved_context AS c WHERE c.solver = $1 AND c.pool = $2', ladder)
        INTO start_contexts USING solver, pool;
    END IF;
    summary := skillrating_internal.solve_matches(ladder, solver, params, pool, start, start_contexts, ARRAY[
        -- Rows that the solution lacks; a join of the table with it would go wrong where the
        -- planner knows nothing of the table yet.
        format(
            'WITH gone AS MATERIALIZED (
                SELECT max(k.place) AS place
                FROM (SELECT s.player_id, s.at, s.ctid AS place FROM %1$I.solved AS s WHERE s.solver = %3$L AND s.pool = %4$L
                    UNION ALL SELECT CAST(u.player_id AS %2$s), u.at, NULL FROM solution AS u) AS k
                GROUP BY k.player_id, k.at HAVING bool_and(k.place IS NOT NULL)
            )
            DELETE FROM %1$I.solved AS s USING gone WHERE s.ctid = gone.place',
            ladder, t.player_type, solver, pool),
        format(
            'INSERT INTO %1$I.solved AS s (solver, pool, player_id, at, mu, standard_error, side_offset, command_skill, games, component)
            SELECT %3$L, %4$L, CAST(u.player_id AS %2$s), u.at, u.mu, u.standard_error, u.side_offset, u.command_skill, u.games, u.component
            FROM solution AS u
            ON CONFLICT (solver, pool, player_id, at) DO UPDATE
            SET mu = excluded.mu, standard_error = excluded.standard_error, side_offset = excluded.side_offset,
                command_skill = excluded.command_skill, games = excluded.games, component = excluded.component
            WHERE (s.mu, s.standard_error, s.side_offset, s.command_skill, s.games, s.component)
                IS DISTINCT FROM (excluded.mu, excluded.standard_error, excluded.side_offset, excluded.command_skill, excluded.games, excluded.component)',
            ladder, t.player_type, solver, pool)]);
    IF NOT summary.converged THEN
        RAISE WARNING USING
            MESSAGE = format('solver "%s" has not converged on ladder "%s": %s', solver, ladder, summary.status),
            HINT = skillrating_internal.solve_hint(summary.status);
    END IF;
    EXECUTE format('DELETE FROM %I.solved_context AS c WHERE c.solver = $1 AND c.pool = $2', ladder)
    USING solver, pool;
    EXECUTE format(
        'INSERT INTO %I.solved_context (solver, pool, context, log_odds, standard_error)
        SELECT $1, $2, c.context, c.log_odds, c.standard_error FROM unnest($3) AS c', ladder)
    USING solver, pool, summary.contexts;
    RETURN summary;
END
$function$;

SELECT skillrating_internal.create_entry('solve_ladder');

COMMENT ON FUNCTION skillrating.solve_ladder(text, text, jsonb, text, boolean) IS
'Solves all rated matches of a pool of a ladder together, by a solver of solvers() with its
parameters, and keeps what comes out in the table solved of the ladder''s schema, in place of what
the same solver has left there for the pool; rows that are the same stay untouched. What contexts
are worth to side 1 is estimated with the skills by solvers that know contexts, where each match has
one for all, and kept in the table solved_context. Voided matches
and those of excluded players do not count, merged players are one, as in rating. With warm the
search begins where the last one has ended (not under through_time): the solution is the same to
its last digits. Ratings are not changed; new_season(..., toward => solver) can take them over.
Returns the summary, in which matches is 0 where none counts; a warning if the search has not
converged. Errors: 42704 for an unknown ladder, and as
solve().';
-- What a ladder knows of components: states that belong to something else than a player alone.

CREATE FUNCTION skillrating_internal.components(
    ladder text,
    player_id anycompatible DEFAULT NULL,
    kind text DEFAULT NULL,
    pool text DEFAULT NULL,
    at timestamptz DEFAULT now(),
    OUT kind text,
    OUT pool text,
    OUT key text,
    OUT player_id text,
    OUT mu float8,
    OUT deviation float8,
    OUT games bigint,
    OUT last_played timestamptz,
    OUT state float8[])
RETURNS SETOF record
AS 'MODULE_PATHNAME', 'skillrating_components'
LANGUAGE C STABLE ROWS 100;

SELECT skillrating_internal.create_entry('components');

COMMENT ON FUNCTION skillrating.components(text, anycompatible, text, text, timestamptz) IS
'What a ladder has learned of components: of home advantage, maps, clubs, players on a map, or
whatever its model has. A row for each that was in a rated match, of one player, kind or pool, or,
where these are null, of all, by kind, pool, key and player.

kind: one of the model''s kinds of components. key: the context or the club, null for a kind
without. player_id: whose it is, null for what is nobody''s.
mu, deviation: the mean, in units of the rating or of whatever the model says of the kind, and its
deviation, as of the time at, null for now. state: all state columns of the kind, mu among them.
games, last_played: in how many rated matches, and when in the last one.

An account that is merged counts as the player it is merged into. No rows under a model without
components. Errors: 42704 for an unknown ladder, 22008 for an infinite at.';
-- What a leaderboard shows in the place of ratings: points, levels, divisions, placement games.

CREATE FUNCTION skillrating_internal.next_division(
    current integer,
    rating float8,
    cuts float8[],
    margin float8,
    promotion_margin float8)
RETURNS integer
LANGUAGE sql IMMUTABLE PARALLEL SAFE
SET search_path = pg_catalog, pg_temp
RETURN skillrating.division_number(rating, cuts, current, margin, promotion_margin);

COMMENT ON FUNCTION skillrating_internal.next_division(integer, float8, float8[], float8, float8) IS
'Transition function of last_division(): division_number() with the state as the current division.';

CREATE AGGREGATE skillrating_internal.last_division(
    rating float8, cuts float8[], margin float8, promotion_margin float8
) (
    SFUNC = skillrating_internal.next_division,
    STYPE = integer
);

COMMENT ON AGGREGATE skillrating_internal.last_division(float8, float8[], float8, float8) IS
'The division that a player is in after all these ratings, given in order: the first one by the cuts,
each further one with the margins of division_number().';

CREATE FUNCTION skillrating_internal.check_display_number(
    key text,
    number text)
RETURNS void
LANGUAGE plpgsql IMMUTABLE STRICT
SET search_path = pg_catalog, pg_temp
AS $function$
BEGIN
    PERFORM number::float8;
EXCEPTION
    WHEN numeric_value_out_of_range THEN
        RAISE numeric_value_out_of_range USING
            MESSAGE = format('%s in display is out of range for type double precision', key);
END
$function$;

COMMENT ON FUNCTION skillrating_internal.check_display_number(text, text) IS
'A part of check_display(): error 22003 that names the key unless a number fits into double
precision.';

CREATE FUNCTION skillrating_internal.level_cuts(display jsonb)
RETURNS float8[]
LANGUAGE plpgsql IMMUTABLE STRICT
SET search_path = pg_catalog, pg_temp
AS $function$
DECLARE
    levels numeric := (display->>'levels')::numeric;
    low numeric := (display->>'low')::numeric;
    high numeric := (display->>'high')::numeric;
    cuts float8[];
BEGIN
    -- As numeric, because high - low may be beyond double precision; the digits that the division
    -- needs come from the scale of the factor.
    cuts := ARRAY(
        SELECT ((low * (levels - k) + high * k) * 1.00000000000000000000 / levels)::float8
        FROM generate_series(1, levels - 1) AS k
        ORDER BY k);
    IF (SELECT count(DISTINCT c) FROM unnest(cuts) AS c) < cardinality(cuts) THEN
        RAISE invalid_parameter_value USING
            MESSAGE = format('%s levels in display do not fit between low %s and high %s',
                display->'levels', display->'low', display->'high'),
            HINT = 'Give fewer levels, or low and high that differ by more.';
    END IF;
    RETURN cuts;
END
$function$;

COMMENT ON FUNCTION skillrating_internal.level_cuts(jsonb) IS
'A part of display_query(): the ratings at which the levels of a display begin, but for the first;
null without levels. Error 22023 if two of them are equal in double precision.';

CREATE FUNCTION skillrating_internal.check_display(display jsonb)
RETURNS void
LANGUAGE plpgsql IMMUTABLE STRICT
SET search_path = pg_catalog, pg_temp
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
            MESSAGE = format('%s in display must be %s, not %s', wrong,
                CASE wrong WHEN 'cuts' THEN 'an array of numbers' WHEN 'labels' THEN 'an array of texts' ELSE 'a number' END,
                display->wrong);
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
            MESSAGE = format('%s in display must be an integer from %s, not %s', wrong,
                CASE wrong WHEN 'levels' THEN '2 to 1000' ELSE '0 to 1000000' END, display->wrong);
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

COMMENT ON FUNCTION skillrating_internal.check_display(jsonb) IS
'Error 22023 or 22003 that says what is wrong with the argument display of leaderboard().';

CREATE FUNCTION skillrating_internal.division_expression(
    ladder text,
    display jsonb,
    cuts float8[],
    at timestamptz)
RETURNS text
LANGUAGE plpgsql STABLE
SET search_path = pg_catalog, pg_temp
AS $function$
DECLARE
    t record := skillrating_internal.ladder_types(ladder);
    s record := skillrating_internal.state_expressions(ladder);
    margin float8 := coalesce((display->>'margin')::float8, 0);
    promotion_margin float8 := coalesce((display->>'promotion_margin')::float8, 0);
BEGIN
    IF margin = 0 AND promotion_margin = 0 THEN
        RETURN format('skillrating.division_number(r.rating, %L)', cuts);
    END IF;
    PERFORM skillrating_internal.check_readable(ladder, 'event');
    -- From the end of placement on, with the rating of the board behind the last event.
    RETURN format(
        '(SELECT skillrating_internal.last_division(u.rating, %1$L, %2$L, %3$L ORDER BY u.seq)
        FROM (
            SELECT e.seq, skillrating.state_rating(l.model, %4$s, l.params) AS rating
            FROM %5$I.ladder AS l CROSS JOIN %5$I.event AS e
            WHERE e.player_id %6$s r.player_id AND e.pool = r.pool
                AND e.games_before + (e.score IS NOT NULL)::integer >= %7$L
                AND e.seq > coalesce((
                    SELECT max(n.seq) FROM %5$I.event AS n
                    WHERE n.player_id %6$s r.player_id AND n.pool = r.pool AND n.kind = ''reset''
                        AND (%8$L::timestamptz IS NULL OR n.played_at <= %8$L)), 0)
                AND (%8$L::timestamptz IS NULL OR e.seq <= (
                    SELECT max(x.seq) FROM %5$I.event AS x
                    WHERE x.player_id %6$s r.player_id AND x.pool = r.pool AND x.played_at <= %8$L))
            UNION ALL
            SELECT 9223372036854775807, r.rating) AS u)',
        cuts, margin, promotion_margin, s.after, ladder, t.player_equals,
        coalesce((display->>'placement_games')::numeric::bigint, 10), at);
END
$function$;

COMMENT ON FUNCTION skillrating_internal.division_expression(text, jsonb, float8[], timestamptz) IS
'A part of display_query(): the number of the division of a row r of the board at a time, by these
cuts. With margins it depends on the way there, which the events tell. Errors: 22003 for a negative
margin, 42501 unless the caller may read table event too where there are margins.';

CREATE FUNCTION skillrating_internal.display_query(
    ladder text,
    display jsonb,
    at timestamptz)
RETURNS text
LANGUAGE plpgsql STABLE
SET search_path = pg_catalog, pg_temp
AS $function$
DECLARE
    level text := 'NULL::integer';
    division text := 'NULL::text';
BEGIN
    PERFORM skillrating_internal.ladder_types(ladder);
    IF ladder IS NULL OR display IS NULL THEN
        RETURN 'SELECT NULL::float8 AS shown, NULL::integer AS level, NULL::text AS division, '
            'NULL::bigint AS placement_left';
    END IF;
    PERFORM skillrating_internal.check_display(display);
    IF display ? 'levels' THEN
        level := '1 + ' || skillrating_internal.division_expression(ladder, display,
            skillrating_internal.level_cuts(display), at);
    END IF;
    IF display ? 'cuts' THEN
        division := format('(%L::text[])[1 + %s]', ARRAY(SELECT jsonb_array_elements_text(display->'labels')),
            skillrating_internal.division_expression(ladder, display,
                ARRAY(SELECT c::float8 FROM jsonb_array_elements_text(display->'cuts') AS c), at));
    END IF;
    RETURN format(
        'SELECT CASE WHEN p.left = 0 THEN skillrating.display_rating(r.rating, 0, 0, %1$L, %2$L, %3$L) END AS shown,
            CASE WHEN p.left = 0 THEN %4$s END AS level, CASE WHEN p.left = 0 THEN %5$s END AS division,
            p.left AS placement_left
        FROM (SELECT greatest(%6$L - r.games, 0)) AS p("left")',
        coalesce((display->>'factor')::float8, 1), coalesce((display->>'shift')::float8, 0),
        coalesce((display->>'floor')::float8, '-Infinity'), level, division,
        coalesce((display->>'placement_games')::numeric::bigint, 10));
END
$function$;

COMMENT ON FUNCTION skillrating_internal.display_query(text, jsonb, timestamptz) IS
'A part of leaderboard() and around(): the query of the columns that the argument display adds to a
row r of the board at a time, nulls without it. Errors as for check_display() and
division_expression().';
-- What happened to a player of a ladder, and in a match.

CREATE FUNCTION skillrating_internal.history(
    ladder text,
    player_id anycompatible,
    n integer DEFAULT NULL,
    pool text DEFAULT '',
    since timestamptz DEFAULT '-infinity',
    until timestamptz DEFAULT 'infinity',
    OUT seq bigint,
    OUT kind text,
    OUT match_id text,
    OUT played_at timestamptz,
    OUT games_before integer,
    OUT team integer,
    OUT score float8,
    OUT win_probability float8,
    OUT rating_before float8,
    OUT rating_after float8,
    OUT reason text,
    OUT rest_change float8,
    OUT state_before jsonb,
    OUT state_after jsonb)
RETURNS SETOF record
LANGUAGE plpgsql STABLE
SET search_path = pg_catalog, pg_temp
AS $function$
DECLARE
    t record := skillrating_internal.ladder_types(ladder);
    s record := skillrating_internal.state_expressions(ladder);
    o record := skillrating_internal.state_objects(ladder);
    player text := skillrating_internal.counted_player(ladder, player_id::text);
BEGIN
    RETURN QUERY EXECUTE format(
        'SELECT e.seq, e.kind, e.match_id::text, e.played_at, e.games_before, e.team, e.score, e.win_probability,
            skillrating.state_rating(l.model, %1$s, l.params), skillrating.state_rating(l.model, %2$s, l.params), e.reason,
            skillrating.state_rating(l.model, %1$s, l.params) - p.rating_after,
            %6$s, %7$s
        FROM %3$I.ladder AS l CROSS JOIN (
            SELECT e.* FROM %3$I.event AS e
            WHERE e.player_id %4$s CAST($1 AS %5$s) AND e.pool = $2 AND e.played_at >= $3 AND e.played_at < $4
                AND e.seq >= $6
            ORDER BY e.seq DESC LIMIT $5) AS q
        CROSS JOIN LATERAL (SELECT q.*) AS e
        LEFT JOIN LATERAL (
            SELECT skillrating.state_rating(l.model, %2$s, l.params) AS rating_after
            FROM %3$I.event AS e
            WHERE e.player_id %4$s q.player_id AND e.pool = q.pool AND e.seq < q.seq AND e.seq >= $6
            ORDER BY e.seq DESC LIMIT 1) AS p ON true
        ORDER BY e.seq', s.before, s.after, ladder, t.player_equals, t.player_type,
        o.before, o.after)
    -- The last n events, and the one before: of a partitioned table no more is planned for.
    USING player, pool, since, until, n,
        CASE WHEN n IS NULL OR since > '-infinity' OR until < 'infinity' THEN 0
            ELSE coalesce(skillrating_internal.last_events_from(ladder, player, pool, n::bigint + 1), 0) END;
END
$function$;

SELECT skillrating_internal.create_entry('history');

COMMENT ON FUNCTION skillrating.history(text, anycompatible, integer, text, timestamptz, timestamptz) IS
'What happened to a player in a pool, from since on and before until, in rated order, at most the
last n: matches and operations with the displayed rating before and after, the games before, the
predicted probability to win and the score. rating_before is as of played_at: rest_change is what
idle time has done to the rating since the event before, and, where pools share some of a state,
what matches in other pools have (0: nothing; null: this is the first event). A settle has what it
counted between rating_before and rating_after. An account that is merged counts as the player it is
merged into, whom its matches reach with catch_up(). Error 42704 for an unknown ladder.';

CREATE FUNCTION skillrating_internal.state_expressions(
    ladder text,
    OUT before text,
    OUT after text)
LANGUAGE plpgsql STABLE STRICT
SET search_path = pg_catalog, pg_temp
AS $function$
BEGIN
    PERFORM skillrating_internal.ladder_types(ladder);
    EXECUTE format(
        'SELECT format(''ARRAY[%%s]'', string_agg(format(''e.%%I'', c || ''_before''), '', '' ORDER BY n)),
            format(''ARRAY[%%s]'', string_agg(format(''e.%%I'', c || ''_after''), '', '' ORDER BY n))
        FROM skillrating.models() AS m
        JOIN %I.ladder AS l ON l.model = m.name
        CROSS JOIN unnest(m.state_columns) WITH ORDINALITY AS u(c, n)', ladder)
    INTO before, after;
END
$function$;

COMMENT ON FUNCTION skillrating_internal.state_expressions(text) IS
'The states before and after in a row e of event, as SQL expressions that give arrays for
state_rating(). Error 42P01 for an unknown ladder.';

CREATE FUNCTION skillrating_internal.state_objects(
    ladder text,
    OUT before text,
    OUT after text)
LANGUAGE plpgsql STABLE STRICT
SET search_path = pg_catalog, pg_temp
AS $function$
BEGIN
    PERFORM skillrating_internal.ladder_types(ladder);
    EXECUTE format(
        'SELECT format(''jsonb_build_object(%%s)'', string_agg(format(''%%L, e.%%I'', c, c || ''_before''), '', '' ORDER BY n)),
            format(''jsonb_build_object(%%s)'', string_agg(format(''%%L, e.%%I'', c, c || ''_after''), '', '' ORDER BY n))
        FROM skillrating.models() AS m
        JOIN %I.ladder AS l ON l.model = m.name
        CROSS JOIN unnest(m.state_columns) WITH ORDINALITY AS u(c, n)', ladder)
    INTO before, after;
END
$function$;

COMMENT ON FUNCTION skillrating_internal.state_objects(text) IS
'The states before and after in a row e of event, as SQL expressions that give objects of the state
columns by their names. Error 42P01 for an unknown ladder.';

CREATE FUNCTION skillrating_internal.rating_at(
    ladder text,
    player_id anycompatible,
    at timestamptz,
    pool text DEFAULT '')
RETURNS float8
LANGUAGE plpgsql STABLE STRICT
SET search_path = pg_catalog, pg_temp
AS $function$
DECLARE
    t record := skillrating_internal.ladder_types(ladder);
    player text := skillrating_internal.counted_player(ladder, player_id::text);
    which text := format('r.player_id %s CAST($1 AS %s)', t.player_equals, t.player_type);
    last bigint;
    rating float8;
BEGIN
    PERFORM skillrating_internal.check_operation_time(at);
    -- If all that the player has is older than that time, no event has a say.
    EXECUTE format(
        'SELECT CASE WHEN bool_and(r.as_of IS NOT NULL AND r.as_of <= $2)
            THEN 9223372036854775807 ELSE 0 END
        FROM %1$I.rating AS r WHERE %2$s', ladder, which)
    INTO last USING player, at;
    EXECUTE format('SELECT q.rating FROM (%s) AS q', skillrating_internal.past_board(ladder, pool, at,
        which, last))
    INTO rating USING player;
    RETURN rating;
END
$function$;

SELECT skillrating_internal.create_entry('rating_at');

COMMENT ON FUNCTION skillrating.rating_at(text, anycompatible, timestamptz, text) IS
'The displayed rating of a player at a time, as in leaderboard(at => ...): after the last of the
matches and operations up to then, in rated order, and idle time since; null before the first. An
account that is merged counts as the player it is merged into.
Errors: 42704 for an unknown ladder, 22008 for an infinite time.';

CREATE FUNCTION skillrating_internal.match_participants(
    ladder text,
    match_id text,
    OUT account text,
    OUT player_id text,
    OUT pool text,
    OUT played_at timestamptz,
    OUT team integer,
    OUT rank float8,
    OUT weight float8)
RETURNS SETOF record
AS 'MODULE_PATHNAME', 'skillrating_match_participants'
LANGUAGE C STABLE STRICT ROWS 12;

COMMENT ON FUNCTION skillrating_internal.match_participants(text, text) IS
'A part of match_journal(): the accounts in a match as its source has it now, with the player whom
each counts as, and what rating makes of their rows: the team on which most was played, its rank and
the weight of all stints, null for rank and weight of rows that make no match. No rows if the source
has none, or raises an error about its data. Error 55000 unless the door to the ladder is open.';

CREATE FUNCTION skillrating_internal.operations_in_match(
    ladder text,
    match_id text,
    account text,
    player_id text,
    pool text,
    played_at timestamptz)
RETURNS jsonb
LANGUAGE plpgsql STABLE
SET search_path = pg_catalog, pg_temp
AS $function$
DECLARE
    t record := skillrating_internal.ladder_types(ladder);
    operations jsonb;
BEGIN
    EXECUTE format(
        'WITH RECURSIVE name(id) AS (
            SELECT CAST($2 AS %2$s)
            UNION
            SELECT o.into_id FROM name AS a JOIN %1$I.operation AS o ON o.player_id %3$s a.id
            WHERE o.kind = ''merge'' AND o.undone_at IS NULL)
        SELECT coalesce(jsonb_agg(jsonb_strip_nulls(jsonb_build_object(
            ''operation'', o.operation, ''kind'', o.kind, ''player_id'', o.player_id::text,
            ''into_id'', o.into_id::text, ''reason'', o.reason, ''made_by'', o.made_by, ''made_at'', o.made_at))
            ORDER BY o.operation), ''[]'')
        FROM %1$I.operation AS o
        WHERE o.undone_at IS NULL AND CASE o.kind
            WHEN ''merge'' THEN EXISTS (SELECT FROM name AS a WHERE a.id %3$s o.player_id)
            WHEN ''exclude'' THEN o.since <= $5 AND $5 < o.until
                AND EXISTS (SELECT FROM name AS a WHERE a.id %3$s o.player_id)
            WHEN ''refund'' THEN o.pool = $4 AND o.params->''matches'' ? $1
                AND CAST($3 AS %2$s) %3$s ANY (ARRAY[o.player_id, o.into_id])
            END', ladder, t.player_type, t.player_equals)
    INTO operations USING match_id, account, player_id, pool, played_at;
    RETURN operations;
END
$function$;

COMMENT ON FUNCTION skillrating_internal.operations_in_match(text, text, text, text, text, timestamptz) IS
'A part of match_journal(): the operations in force that concern an account in a match: merges of
it, exclusions of the account or of whom it is merged into, and points of that match that were given
back to the player or for the player.';

CREATE FUNCTION skillrating_internal.match_rows(
    ladder text,
    match_id text,
    seq bigint,
    OUT account text,
    OUT player_id text,
    OUT pool text,
    OUT played_at timestamptz,
    OUT team integer,
    OUT rank float8,
    OUT weight float8,
    OUT win_probability float8,
    OUT score float8,
    OUT rating_before float8,
    OUT rating_after float8,
    OUT state_before jsonb,
    OUT state_after jsonb)
RETURNS SETOF record
LANGUAGE plpgsql STABLE
SET search_path = pg_catalog, pg_temp
AS $function$
DECLARE
    t record := skillrating_internal.ladder_types(ladder);
    s record := skillrating_internal.state_expressions(ladder);
    o record := skillrating_internal.state_objects(ladder);
BEGIN
    -- The event of an account is its own or, if it is merged, that of the player whom it counts as;
    -- before catch_up() it can be either.
    RETURN QUERY EXECUTE format(
        'WITH source AS MATERIALIZED (
            SELECT p.* FROM skillrating_internal.match_participants(%7$L, $1) AS p
        ), rated AS MATERIALIZED (
            SELECT e.* FROM %1$I.event AS e WHERE e.seq = $2 AND e.kind = ''match''
        ), found AS (
            SELECT p.*, r.own, r.counts FROM source AS p
            CROSS JOIN LATERAL (
                SELECT CAST(p.account AS %2$s) AS own, CAST(p.player_id AS %2$s) AS counts) AS r
        ), line AS (
            SELECT f.account, f.player_id, f.pool, f.played_at, f.team, f.rank, f.weight, e.player_id AS event
            FROM found AS f LEFT JOIN LATERAL (
                SELECT e.player_id FROM rated AS e
                WHERE e.player_id %3$s f.own OR e.player_id %3$s f.counts
                ORDER BY e.player_id %3$s f.own DESC LIMIT 1) AS e ON true
            UNION ALL
            SELECT NULL, e.player_id::text, e.pool, e.played_at, e.team, NULL, NULL, e.player_id FROM rated AS e
            WHERE NOT EXISTS (
                SELECT FROM found AS f WHERE e.player_id %3$s f.own OR e.player_id %3$s f.counts)
        )
        SELECT l.account, coalesce(e.player_id::text, l.player_id), coalesce(e.pool, l.pool),
            coalesce(e.played_at, l.played_at), coalesce(e.team, l.team), l.rank, l.weight,
            e.win_probability, e.score,
            (SELECT skillrating.state_rating(c.model, %4$s, c.params) FROM %1$I.ladder AS c WHERE e.seq IS NOT NULL),
            (SELECT skillrating.state_rating(c.model, %5$s, c.params) FROM %1$I.ladder AS c WHERE e.seq IS NOT NULL),
            CASE WHEN e.seq IS NOT NULL THEN %6$s END, CASE WHEN e.seq IS NOT NULL THEN %8$s END
        FROM line AS l LEFT JOIN rated AS e ON e.player_id %3$s l.event
        ORDER BY 5, coalesce(e.player_id, CAST(l.player_id AS %2$s)), 1',
        ladder, t.player_type, t.player_equals, s.before, s.after, o.before, ladder, o.after)
    USING match_id, seq;
END
$function$;

COMMENT ON FUNCTION skillrating_internal.match_rows(text, text, bigint) IS
'A part of match_journal(): the participants of a match as its source has it now, each with the event
of the match, which has that place; and events of players who are not in it any more, without an
account.';

CREATE FUNCTION skillrating_internal.match_journal(
    ladder text,
    match_id anycompatible,
    OUT status text,
    OUT reason text,
    OUT detail text,
    OUT seq bigint,
    OUT played_at timestamptz,
    OUT pool text,
    OUT player_id text,
    OUT account text,
    OUT team integer,
    OUT rank float8,
    OUT weight float8,
    OUT win_probability float8,
    OUT score float8,
    OUT rating_before float8,
    OUT rating_after float8,
    OUT rating_change float8,
    OUT state_before jsonb,
    OUT state_after jsonb,
    OUT operations jsonb,
    OUT rated_at timestamptz,
    OUT corrections integer,
    OUT waiting jsonb)
RETURNS SETOF record
LANGUAGE plpgsql STABLE STRICT ROWS 12
SET search_path = pg_catalog, pg_temp
AS $function$
DECLARE
    t record := skillrating_internal.ladder_types(ladder);
    m record;
BEGIN
    EXECUTE format(
        'SELECT m.* FROM %I.rated_match AS m WHERE m.match_id %s CAST($1 AS %s)', ladder, t.match_equals, t.match_type)
    INTO m USING match_id::text;
    SELECT w.reason, w.detail INTO reason, detail
    FROM skillrating_internal.why_unrated(ladder, match_id) AS w;
    IF m.status IS NULL AND reason = 'no_match' THEN
        RAISE undefined_object USING
            MESSAGE = format('ladder "%s" has no match %s', ladder, match_id),
            HINT = 'A match that is not finished is not in its source yet.';
    END IF;
    status := m.status;
    seq := m.seq;
    rated_at := m.rated_at;
    corrections := m.corrections;
    EXECUTE format(
        'SELECT coalesce(jsonb_agg(jsonb_build_object(''kind'', c.kind, ''noticed_at'', c.noticed_at,
                ''own'', coalesce(c.match_id %2$s CAST($1 AS %3$s), false)) ORDER BY c.noticed_at, c.seq), ''[]'')
        FROM %1$I.correction AS c
        WHERE c.match_id %2$s CAST($1 AS %3$s) OR c.seq <= $2
            -- A late match that has no place yet.
            OR c.seq IS NULL AND c.played_at <= $3', ladder, t.match_equals, t.match_type)
    INTO waiting USING match_id::text, m.seq, CASE WHEN m.seq IS NOT NULL THEN m.played_at END;
    FOR account, player_id, pool, played_at, team, rank, weight, win_probability, score,
        rating_before, rating_after, state_before, state_after IN
        SELECT r.* FROM skillrating_internal.match_rows(ladder, match_id::text, m.seq) AS r
    LOOP
        rating_change := rating_after - rating_before;
        played_at := coalesce(played_at, m.played_at);
        operations := skillrating_internal.operations_in_match(ladder, match_id::text,
            coalesce(account, player_id), player_id, pool, played_at);
        RETURN NEXT;
    END LOOP;
    -- Its rows are gone, or cannot be read.
    IF NOT FOUND THEN
        played_at := m.played_at;
        operations := '[]';
        RETURN NEXT;
    END IF;
END
$function$;

SELECT skillrating_internal.create_entry('match_journal');

COMMENT ON FUNCTION skillrating.match_journal(text, anycompatible) IS
'All that is known of one match: a row for each account that takes part, by team and player; one
without a player if its rows are gone or cannot be read.
status, reason, detail: rated, unrated or void, null if it was not looked at yet; and why it does not
count, as why_unrated() has it.
seq: its place in the order.
player_id, account: whom the result counts for, and the account in the source, which differs if it is
merged into another; null if the source has the player no more.
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
-- Reading a ladder.

CREATE TYPE skillrating.ranked_player AS (
    place bigint,
    player_id text,
    rating float8,
    games bigint,
    wins bigint,
    draws bigint,
    losses bigint,
    last_played timestamptz,
    shown float8,
    level integer,
    division text,
    placement_left bigint,
    provisional boolean,
    inactive boolean,
    peak float8,
    peak_at timestamptz,
    streak integer,
    last_change float8,
    percentile float8);

COMMENT ON TYPE skillrating.ranked_player IS
'A line of a leaderboard: the place (1 is first; equal ratings share one), the player''s identifier
as text, the displayed rating, the rated matches, and how many of them were won (sole first), drawn
(shared first) and lost, and the time of the last one. Where a display was asked for: the rating to
show, the level from 1 on and the division, null during placement, and placement_left, how many
matches of it are left; null otherwise. Where statistics were asked for, else null:
provisional: whether the rating still has to settle, by the games or the deviation.
inactive: whether the last match was too long ago.
peak, peak_at: the highest rating since the last reset, in the unit of rating, and when it came
first; with a display only after placement.
streak: so many matches in a row were won or, if negative, lost; 0 after a draw.
last_change: of the rating, in the last match since the last reset.
percentile: how many percent of the other players of the board are rated lower, equals counted
half; null for a player who is alone.';

CREATE FUNCTION skillrating_internal.past_shared_state(
    ladder text,
    at timestamptz,
    now_state text,
    then_state text,
    horizon_state text,
    horizon text,
    behind bigint)
RETURNS text
LANGUAGE plpgsql STABLE STRICT
SET search_path = pg_catalog, pg_temp
AS $function$
DECLARE
    t record := skillrating_internal.ladder_types(ladder);
    shared_pool text := skillrating_internal.shared_pool(ladder);
BEGIN
    IF shared_pool IS NULL THEN
        RETURN 'SELECT NULL::float8[] AS state, NULL::timestamptz AS as_of';
    END IF;
    RETURN format(
        'SELECT %2$s AS state, r.as_of FROM %1$I.rating AS r
        WHERE r.player_id %3$s o.player_id AND r.pool = %4$L AND r.as_of <= %5$L
        UNION ALL
        SELECT %6$s, greatest((
                SELECT max(p.played_at) FROM %1$I.event AS p
                WHERE p.player_id %3$s o.player_id AND p.seq <= e.seq
                    AND p.seq > coalesce(z.seq, %8$s) AND p.seq > %8$s),
            (SELECT h.as_of FROM %7$s AS h
            WHERE h.player_id %3$s o.player_id AND h.pool = %4$L AND z.seq IS NULL))
        FROM (
            SELECT e.* FROM %1$I.event AS e
            WHERE e.player_id %3$s o.player_id AND e.played_at <= %5$L AND e.seq > %8$s
            ORDER BY e.seq DESC LIMIT 1) AS e
        CROSS JOIN LATERAL (
            SELECT max(s.seq) AS seq FROM %1$I.event AS s
            WHERE s.player_id %3$s o.player_id AND s.pool = %4$L AND s.seq <= e.seq
                AND s.seq > %8$s AND s.kind = ''reset'') AS z
        UNION ALL
        SELECT %9$s, h.as_of FROM %7$s AS h
        WHERE h.player_id %3$s o.player_id AND h.pool = %4$L
        LIMIT 1', ladder, now_state, t.player_equals, shared_pool, at, then_state, horizon,
        behind, horizon_state);
END
$function$;

COMMENT ON FUNCTION skillrating_internal.past_shared_state(text, timestamptz, text, text, text, text, bigint) IS
'A part of past_board(): a query for what the player o has in all pools at a time, with the time as
of which it is; a row of nulls under a model that shares nothing.';

CREATE FUNCTION skillrating_internal.past_board(
    ladder text,
    pool text,
    at timestamptz,
    which text,
    last bigint DEFAULT 0)
RETURNS text
LANGUAGE plpgsql STABLE STRICT
SET search_path = pg_catalog, pg_temp
AS $function$
DECLARE
    t record := skillrating_internal.ladder_types(ladder);
    columns text[];
    horizon text := skillrating_internal.horizon_relation(ladder, at);
    behind bigint;
    now_state text;
    then_state text;
    horizon_state text;
    aged_columns text;
    shared text;
BEGIN
    EXECUTE format(
        'SELECT m.state_columns
        FROM skillrating.models() AS m JOIN %I.ladder AS l ON l.model = m.name', ladder)
    INTO columns;
    EXECUTE format('SELECT greatest(l.horizon, %s, 0) FROM %I.ladder AS l', last, ladder) INTO behind;
    SELECT format('ARRAY[%s]', string_agg(format('r.%I', u.c), ', ' ORDER BY u.n)),
        format('ARRAY[%s]', string_agg(format('h.%I', u.c), ', ' ORDER BY u.n)),
        format('ARRAY[%s]', string_agg(format('e.%I', u.c || '_after'), ', ' ORDER BY u.n)),
        string_agg(format(', q.state[%s] AS %I', u.n, u.c), '' ORDER BY u.n)
            FILTER (WHERE u.c <> 'rating')
    INTO now_state, horizon_state, then_state, aged_columns
    FROM unnest(columns) WITH ORDINALITY AS u(c, n);
    shared := skillrating_internal.past_shared_state(ladder, at, now_state, then_state,
        horizon_state, horizon, behind);
    -- Whose state is older than that time needs no events; OFFSET keeps it from being aged twice.
    RETURN format(
        'SELECT q.player_id, q.pool, skillrating.state_rating(l.model, q.state, l.params) AS rating,
            q.games, q.wins, q.draws, q.losses, q.last_played%2$s
        FROM %1$I.ladder AS l CROSS JOIN LATERAL (
            SELECT o.*, skillrating.state_after_idle(l.model, o.own,
                greatest(%5$L - o.as_of, ''0''), l.params,
                s.state, greatest(%5$L - s.as_of, ''0'')) AS state
            FROM (
                SELECT r.player_id, r.pool, r.games, r.wins, r.draws, r.losses, r.last_played,
                    r.as_of, %3$s AS own
                FROM %1$I.rating AS r WHERE r.pool = %6$L AND r.as_of <= %5$L AND %9$s
                UNION ALL
                SELECT r.player_id, r.pool, c.games + coalesce(h.games, 0), c.wins + coalesce(h.wins, 0),
                    c.draws + coalesce(h.draws, 0), c.losses + coalesce(h.losses, 0),
                    CASE WHEN e.kind = ''reset'' THEN NULL
                        WHEN e.score IS NULL THEN e.last_played_before
                        ELSE greatest(e.last_played_before, e.played_at) END,
                    CASE WHEN e.kind <> ''reset'' THEN
                        greatest(e.last_played_before, e.as_of_before, e.played_at) END, %4$s
                FROM %1$I.rating AS r
                CROSS JOIN LATERAL (
                    SELECT e.* FROM %1$I.event AS e
                    WHERE e.player_id %7$s r.player_id AND e.pool = r.pool AND e.played_at <= %5$L
                        AND e.seq > %11$s
                    ORDER BY e.seq DESC LIMIT 1) AS e
                CROSS JOIN LATERAL (
                    SELECT max(s.seq) AS seq FROM %1$I.event AS s
                    WHERE s.player_id %7$s r.player_id AND s.pool = r.pool AND s.seq <= e.seq
                        AND s.seq > %11$s AND s.kind = ''reset'') AS z
                LEFT JOIN %10$s AS h
                    ON h.player_id %7$s r.player_id AND h.pool = r.pool AND z.seq IS NULL
                CROSS JOIN LATERAL (
                    SELECT count(c.score) AS games, count(*) FILTER (WHERE c.score = 1) AS wins,
                        count(*) FILTER (WHERE c.score = 0.5) AS draws,
                        count(*) FILTER (WHERE c.score = 0) AS losses
                    FROM %1$I.event AS c
                    WHERE c.player_id %7$s r.player_id AND c.pool = r.pool AND c.seq <= e.seq
                        AND c.seq > coalesce(z.seq, %11$s) AND c.seq > %11$s) AS c
                WHERE r.pool = %6$L AND (r.as_of > %5$L OR r.as_of IS NULL) AND %9$s
                UNION ALL
                SELECT r.player_id, r.pool, h.games, h.wins, h.draws, h.losses, h.last_played,
                    h.as_of, %12$s
                FROM %1$I.rating AS r
                JOIN %10$s AS h ON h.player_id %7$s r.player_id AND h.pool = r.pool
                WHERE r.pool = %6$L AND (r.as_of > %5$L OR r.as_of IS NULL) AND %9$s
                    AND NOT EXISTS (
                        SELECT FROM %1$I.event AS e
                        WHERE e.player_id %7$s r.player_id AND e.pool = r.pool
                            AND e.played_at <= %5$L AND e.seq > %11$s)
            ) AS o LEFT JOIN LATERAL (%8$s) AS s ON true
            OFFSET 0) AS q',
        ladder, aged_columns, now_state, then_state, at, pool, t.player_equals, shared, which,
        horizon, behind, horizon_state);
END
$function$;

COMMENT ON FUNCTION skillrating_internal.past_board(text, text, timestamptz, text, bigint) IS
'A part of board(): a query for rows as rating has them, in a pool at a finite time, of the players
r whom a condition names: after the last event up to that time, in rated order, and idle time
since, of which a reset starts anew. Players without an event by then are not in it. Events up to the
place last have no say, as the caller knows. Error 55000 for a time before the horizon.';

CREATE FUNCTION skillrating_internal.board(
    ladder text,
    pool text,
    at timestamptz,
    which text DEFAULT 'true')
RETURNS text
LANGUAGE plpgsql STABLE
SET search_path = pg_catalog, pg_temp
AS $function$
BEGIN
    IF ladder IS NULL OR pool IS NULL THEN
        RETURN NULL;
    END IF;
    PERFORM skillrating_internal.ladder_types(ladder);
    IF at IS NULL THEN
        RETURN format('NOT MATERIALIZED (SELECT r.* FROM %I.rating AS r WHERE %s)', ladder, which);
    END IF;
    IF NOT isfinite(at) THEN
        RAISE datetime_field_overflow USING
            MESSAGE = format('at must be finite, not %s', at),
            HINT = 'Leave it null for the ratings that are stored.';
    END IF;
    PERFORM skillrating_internal.check_readable(ladder, 'event');
    RETURN format('MATERIALIZED (%s)', skillrating_internal.past_board(ladder, pool, at, which));
END
$function$;

COMMENT ON FUNCTION skillrating_internal.board(text, text, timestamptz, text) IS
'A part of leaderboard() and its like: what follows WITH board AS, the rows of rating of the players
r whom a condition names, or those that it had in a pool at a time. Null for a null ladder or pool. Errors: 22008 for an infinite
time, 42501 unless the caller may read table event too where a time is given.';

CREATE FUNCTION skillrating_internal.leaderboard(
    ladder text,
    n integer DEFAULT 10,
    pool text DEFAULT '',
    min_games bigint DEFAULT 1,
    after_player anycompatible DEFAULT NULL,
    active_since timestamptz DEFAULT NULL,
    max_deviation float8 DEFAULT NULL,
    at timestamptz DEFAULT NULL,
    display jsonb DEFAULT NULL,
    statistics jsonb DEFAULT NULL)
RETURNS SETOF skillrating.ranked_player
LANGUAGE plpgsql STABLE
SET search_path = pg_catalog, pg_temp
AS $function$
DECLARE
    t record := skillrating_internal.ladder_types(ladder);
    board text := skillrating_internal.board(ladder, pool, at);
    shown text := skillrating_internal.display_query(ladder, display, at);
    eligible text := skillrating_internal.eligible_players(ladder, max_deviation);
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

SELECT skillrating_internal.create_entry('leaderboard');

COMMENT ON FUNCTION skillrating.leaderboard(text, integer, text, bigint, anycompatible, timestamptz, float8, timestamptz, jsonb, jsonb) IS
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
Errors: 42704 for an unknown ladder or player, 22023 for a
negative n or a max_deviation under a model that has none, 22008 for an infinite at, 22023 and 22003 for a
display or statistics that are wrong, 22007 for an interval that is none.';

CREATE FUNCTION skillrating_internal.eligible_players(
    ladder text,
    max_deviation float8 DEFAULT NULL)
RETURNS text
LANGUAGE plpgsql STABLE
SET search_path = pg_catalog, pg_temp
AS $function$
DECLARE
    deviation_column text;
    model_name text;
BEGIN
    IF ladder IS NULL THEN
        RETURN NULL;
    END IF;
    PERFORM skillrating_internal.ladder_types(ladder);
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

COMMENT ON FUNCTION skillrating_internal.eligible_players(text, float8) IS
'A part of leaderboard() and its like: the condition on rows r of rating for pool $1, min_games $2,
active_since $3 and max_deviation $4. Error 22023 for a max_deviation under a model that has none.';

CREATE FUNCTION skillrating_internal.place_of(
    ladder text,
    player_id anycompatible,
    pool text DEFAULT '',
    min_games bigint DEFAULT 1,
    active_since timestamptz DEFAULT NULL,
    max_deviation float8 DEFAULT NULL,
    at timestamptz DEFAULT NULL)
RETURNS bigint
LANGUAGE plpgsql STABLE
SET search_path = pg_catalog, pg_temp
AS $function$
DECLARE
    t record := skillrating_internal.ladder_types(ladder);
    board text := skillrating_internal.board(ladder, pool, at);
    eligible text := skillrating_internal.eligible_players(ladder, max_deviation);
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

SELECT skillrating_internal.create_entry('place_of');

COMMENT ON FUNCTION skillrating.place_of(text, anycompatible, text, bigint, timestamptz, float8, timestamptz) IS
'The place of a player in the leaderboard with the same conditions and time, 1 is first and equal
ratings share a place; null for a player who is not in it. Without at, it counts those above
through an index. An account that is merged counts as the player it is merged into. Errors as for
leaderboard().';

CREATE FUNCTION skillrating_internal.percentile_of(
    ladder text,
    player_id anycompatible,
    pool text DEFAULT '',
    min_games bigint DEFAULT 1,
    active_since timestamptz DEFAULT NULL,
    max_deviation float8 DEFAULT NULL,
    at timestamptz DEFAULT NULL)
RETURNS float8
LANGUAGE plpgsql STABLE
SET search_path = pg_catalog, pg_temp
AS $function$
DECLARE
    t record := skillrating_internal.ladder_types(ladder);
    board text := skillrating_internal.board(ladder, pool, at);
    eligible text := skillrating_internal.eligible_players(ladder, max_deviation);
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

SELECT skillrating_internal.create_entry('percentile_of');

COMMENT ON FUNCTION skillrating.percentile_of(text, anycompatible, text, bigint, timestamptz, float8, timestamptz) IS
'How many percent of the other players in the leaderboard with the same conditions and time are
rated lower, equals counted half; null for a player who is not in it, or alone. An account that is
merged counts as the player it is merged into. Errors as for leaderboard().';

CREATE FUNCTION skillrating_internal.near_query(
    ladder text,
    eligible text,
    banded boolean)
RETURNS text
LANGUAGE plpgsql STABLE STRICT
SET search_path = pg_catalog, pg_temp
AS $function$
DECLARE
    t record := skillrating_internal.ladder_types(ladder);
BEGIN
    -- The index backwards and forwards from the player, however many share the rating.
    RETURN format(
        'SELECT u.* FROM (
            (SELECT r.* FROM board AS r
             WHERE %1$s AND r.rating = $5%5$s AND r.player_id %2$s CAST($6 AS %3$s)
             ORDER BY r.player_id DESC LIMIT $7)
            UNION ALL
            (SELECT r.* FROM board AS r WHERE %1$s AND r.rating > $5%6$s
             ORDER BY %7$sr.rating, r.player_id DESC LIMIT $7)
            ORDER BY rating, player_id DESC LIMIT $7) AS u
        UNION ALL
        SELECT u.* FROM (
            (SELECT r.* FROM board AS r
             WHERE %1$s AND r.rating = $5%5$s AND r.player_id %4$s CAST($6 AS %3$s))
            UNION ALL
            (SELECT r.* FROM board AS r
             WHERE %1$s AND r.rating = $5%5$s AND CAST($6 AS %3$s) %2$s r.player_id
             ORDER BY r.player_id LIMIT $7)
            UNION ALL
            (SELECT r.* FROM board AS r WHERE %1$s AND r.rating < $5%8$s
             ORDER BY %9$sr.rating DESC, r.player_id LIMIT $7)
            ORDER BY rating DESC, player_id LIMIT $7 + 1) AS u',
        eligible, t.player_less, t.player_type, t.player_equals,
        CASE WHEN banded THEN ' AND r.band = skillrating_internal.rating_band($5)' ELSE '' END,
        CASE WHEN banded THEN ' AND r.band >= skillrating_internal.rating_band($5)' ELSE '' END,
        CASE WHEN banded THEN 'r.band, ' ELSE '' END,
        CASE WHEN banded THEN ' AND r.band <= skillrating_internal.rating_band($5)' ELSE '' END,
        CASE WHEN banded THEN 'r.band DESC, ' ELSE '' END);
END
$function$;

COMMENT ON FUNCTION skillrating_internal.near_query(text, text, boolean) IS
'A part of around(): the query, below WITH board AS, of player $6, rated $5, with $7 players above and
$7 below, by the condition of the board, which may have bands. Error 55000 unless the door to the
ladder is open.';

CREATE FUNCTION skillrating_internal.around(
    ladder text,
    player_id anycompatible,
    n integer DEFAULT 2,
    pool text DEFAULT '',
    min_games bigint DEFAULT 1,
    active_since timestamptz DEFAULT NULL,
    max_deviation float8 DEFAULT NULL,
    at timestamptz DEFAULT NULL,
    display jsonb DEFAULT NULL,
    statistics jsonb DEFAULT NULL)
RETURNS SETOF skillrating.ranked_player
LANGUAGE plpgsql STABLE
SET search_path = pg_catalog, pg_temp
AS $function$
DECLARE
    t record := skillrating_internal.ladder_types(ladder);
    board text := skillrating_internal.board(ladder, pool, at);
    shown text := skillrating_internal.display_query(ladder, display, at);
    eligible text := skillrating_internal.eligible_players(ladder, max_deviation);
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

SELECT skillrating_internal.create_entry('around');

COMMENT ON FUNCTION skillrating.around(text, anycompatible, integer, text, bigint, timestamptz, float8, timestamptz, jsonb, jsonb) IS
'A player in the leaderboard with the same conditions and time, with the n players above and the n
below; no rows for a player who is not in it. An account that is merged counts as the player it is
merged into. Errors as for leaderboard().';

CREATE FUNCTION skillrating_internal.win_probability(
    ladder text,
    players anycompatiblearray,
    team integer[],
    weight float8[] DEFAULT NULL,
    joined float8[] DEFAULT NULL,
    "left" float8[] DEFAULT NULL,
    commanding float8[] DEFAULT NULL,
    side integer[] DEFAULT NULL,
    squad bigint[] DEFAULT NULL,
    pool text DEFAULT '',
    log_odds float8 DEFAULT 0,
    at timestamptz DEFAULT now(),
    context text[] DEFAULT NULL,
    club text[] DEFAULT NULL,
    OUT team integer,
    OUT win_probability float8,
    OUT draw_probability float8)
RETURNS SETOF record
LANGUAGE sql STABLE ROWS 2
SET search_path = pg_catalog, pg_temp
AS $function$
    SELECT p.team, min(p.win_probability), min(p.draw_probability)
    FROM skillrating_internal.preview($1, $2, $3, weight => $4, joined => $5, "left" => $6,
        commanding => $7, side => $8, squad => $9, pool => $10, log_odds => $11, at => $12,
        context => $13, club => $14) AS p
    GROUP BY p.team
    ORDER BY p.team
$function$;

SELECT skillrating_internal.create_entry('win_probability');

COMMENT ON FUNCTION skillrating.win_probability(text, anycompatiblearray, integer[], float8[], float8[], float8[], float8[], integer[], bigint[], text, float8, timestamptz, text[], text[]) IS
'The probability that each team of a match at a time wins, a draw counted half, and that of a draw of
two teams, where the model has one; a part of preview(), with the same arguments but for gains, which
change no prediction, and the same errors.';

CREATE FUNCTION skillrating_internal.player_status(
    ladder text,
    pool text DEFAULT '',
    at timestamptz DEFAULT NULL,
    shadow_games integer DEFAULT NULL,
    stale_days integer DEFAULT 30,
    player anycompatible DEFAULT NULL,
    OUT player_id text,
    OUT rating float8,
    OUT games bigint,
    OUT last_played timestamptz,
    OUT status text)
RETURNS SETOF record
LANGUAGE plpgsql STABLE
SET search_path = pg_catalog, pg_temp
AS $function$
DECLARE
    t record := skillrating_internal.ladder_types(ladder);
    board text;
    which text := 'true';
BEGIN
    IF player IS NOT NULL THEN
        which := format('r.player_id %s CAST(%L AS %s)', t.player_equals,
            skillrating_internal.counted_player(ladder, player::text), t.player_type);
    END IF;
    board := skillrating_internal.board(ladder, pool, at, which);
    RETURN QUERY EXECUTE format(
        'WITH board AS %2$s
        SELECT r.player_id::text, r.rating, r.games, r.last_played,
            skillrating.synelo_status(r.games, r.last_played, coalesce($2, now()),
                coalesce($3, (l.params->>''shadow_games'')::float8::integer, 10), $4)
        FROM %1$I.ladder AS l CROSS JOIN board AS r WHERE r.pool = $1 AND r.games > 0', ladder,
        board)
    USING pool, at, shadow_games, stale_days;
END
$function$;

SELECT skillrating_internal.create_entry('player_status');

COMMENT ON FUNCTION skillrating.player_status(text, text, timestamptz, integer, integer, anycompatible) IS
'Which ratings of a pool to show, of all players or of one: status is ''shadow'' for players with fewer than shadow_games
matches (by default the parameter shadow_games of the model, or else 10), ''stale'' for those who
have not played for stale_days days, else ''visible'' (the rule of SynElo). Without at the ratings
are those that are stored, and days are counted to now; with at all is as of that time, as in
leaderboard(), and takes SELECT on event too. Errors: 42704 for an unknown ladder, 22008 for an
infinite at.';

CREATE FUNCTION skillrating_internal.surprising_players(
    ladder text,
    pool text DEFAULT '',
    since timestamptz DEFAULT '-infinity',
    min_games bigint DEFAULT 5,
    OUT player_id text,
    OUT games bigint,
    OUT expected float8,
    OUT scored float8,
    OUT mean_surprise float8,
    OUT surprise float8)
RETURNS SETOF record
LANGUAGE plpgsql STABLE STRICT
SET search_path = pg_catalog, pg_temp
AS $function$
BEGIN
    PERFORM skillrating_internal.ladder_types(ladder);
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

SELECT skillrating_internal.create_entry('surprising_players');

COMMENT ON FUNCTION skillrating.surprising_players(text, text, timestamptz, bigint) IS
'Who scores more than predicted, such as good players under a new account: for each player of a pool
with at least min_games matches since then, games, the wins expected and scored (a draw counts
half), mean_surprise, the mean of score less prediction, and surprise, its z score, as the aggregate
surprise() has it. A surprise beyond 3 is worth a look, and one far below 0 is that of a player who
loses on purpose. Draws make it a little too small. Error 42704 for an unknown ladder.';

CREATE FUNCTION skillrating_internal.pool_quality(
    ladder text,
    pool text DEFAULT '',
    step interval DEFAULT '1 month',
    since timestamptz DEFAULT '-infinity',
    settled_games integer DEFAULT 20,
    OUT period timestamptz,
    OUT matches bigint,
    OUT brier_score float8,
    OUT log_loss float8,
    OUT calibration_z float8,
    OUT active_players bigint,
    OUT mean_rating float8,
    OUT rating_spread float8,
    OUT settled float8)
RETURNS SETOF record
LANGUAGE plpgsql STABLE STRICT
SET search_path = pg_catalog, pg_temp
AS $function$
DECLARE
    model record;
    is_settled text;
    bin text;
    months numeric := extract(year FROM step) * 12 + extract(month FROM step);
    first_whole timestamptz;
BEGIN
    PERFORM skillrating_internal.ladder_types(ladder);
    EXECUTE format('SELECT m.deviation_column, m.state_columns, l.params, l.model FROM skillrating.models() AS m JOIN %I.ladder AS l ON l.model = m.name', ladder)
    INTO model;
    IF step <= '0' THEN
        RAISE invalid_parameter_value USING
            MESSAGE = format('step must be positive, not %s', step);
    END IF;
    IF months <> 0 AND step - make_interval(months => months::integer) <> '0' THEN
        RAISE invalid_parameter_value USING
            MESSAGE = format('step must not mix months with shorter units: %s', step),
            HINT = 'It has years and months only, such as 3 months, or days and less, such as 90 days.';
    END IF;
    -- Months are those of the calendar, counted from January of 1 BC (the year 0), so that those of a
    -- quarter, a year or a decade stay together.  Days and less are counted from Monday, 1 January 2001.
    -- Both are not told apart by comparison, as 30 days are equal to a month.
    -- A period that would begin before all timestamps begins at -infinity.
    BEGIN
        first_whole := timestamptz '4714-11-24 00:00:00+00 BC' + interval '2 days' + step;
    EXCEPTION
        WHEN datetime_field_overflow OR interval_field_overflow THEN
            first_whole := 'infinity';
    END;
    bin := 'CASE WHEN e.played_at >= $6 THEN ' || CASE
        WHEN months = 0 THEN 'date_bin($4, e.played_at, timestamptz ''2001-01-01'')'
        -- The same as below, for a fifth of the time.
        WHEN months IN (1, 3, 12) THEN format('date_trunc(%L, e.played_at)',
            CASE months WHEN 1 THEN 'month' WHEN 3 THEN 'quarter' ELSE 'year' END)
        ELSE 'date_trunc(''month'', e.played_at) - make_interval(months => mod(mod(extract(month FROM e.played_at) - 1
                + 12 * (extract(year FROM e.played_at) + (extract(year FROM e.played_at) < 0)::integer), $7) + $7, $7)::integer)'
        END || ' ELSE ''-infinity'' END';
    is_settled := CASE
        WHEN model.deviation_column IS NULL THEN 'e.games_before + 1 >= $3'
        ELSE format('e.%I < $5 / 2', model.deviation_column || '_after') END;
    RETURN QUERY EXECUTE format(
        'WITH e AS NOT MATERIALIZED (
            SELECT e.*, %1$s AS period FROM %2$I.event AS e WHERE e.kind = ''match'' AND e.pool = $1 AND e.played_at >= $2
        ), forecast AS (
            -- One a match: the others of two teams say the same.
            SELECT DISTINCT ON (e.seq) e.period, e.win_probability AS p, e.score AS y FROM e ORDER BY e.seq, e.team
        ), scores AS (
            SELECT f.period, count(*) AS matches,
                skillrating.brier_score(f.p, f.y) AS brier,
                skillrating.log_loss(f.p, f.y) AS log_loss,
                sum((1 - 2 * f.p) * (f.y - f.p)) / nullif(sqrt(sum(((1 - 2 * f.p) * (f.y - f.p)) ^ 2)), 0) AS z
            FROM forecast AS f GROUP BY f.period
        ), last AS (
            SELECT DISTINCT ON (e.period, e.player_id) e.period, %3$s AS rating, %4$s AS settled
            FROM e ORDER BY e.period, e.player_id, e.seq DESC
        ), players AS (
            SELECT l.period, count(*) AS n, avg(l.rating) AS mean, stddev_samp(l.rating) AS deviation, avg(l.settled::integer)::float8 AS settled
            FROM last AS l GROUP BY l.period
        )
        SELECT s.period, s.matches, s.brier, s.log_loss, s.z, p.n, p.mean, p.deviation, p.settled
        FROM scores AS s JOIN players AS p ON p.period = s.period ORDER BY s.period', bin, ladder,
        skillrating_internal.display_columns(model.model, model.params, 'e.', '_after'), is_settled)
    USING pool, since, settled_games, step,
        (skillrating.initial_state(model.model, model.params))[array_position(model.state_columns, model.deviation_column)],
        first_whole, months;
END
$function$;

SELECT skillrating_internal.create_entry('pool_quality');

COMMENT ON FUNCTION skillrating.pool_quality(text, text, interval, timestamptz, integer) IS
'How a pool fares over time, a row a period: matches; Brier score and log loss of their predictions,
one a match (0.25 and 0.693 are those of a coin); the z score of the Brier score against what the
predictions p expect of themselves, the sum of (1 - 2p)(score - p) over the root of the sum of its
squares (beyond 2: overconfident; below -2: too timid); the players active in it, the mean of their
displayed ratings after their last match (that rises: inflation) and their spread, a standard
deviation; and the share of them that is settled: a deviation below half of the initial one, or, under models
without, at least settled_games matches. step is whole months of the calendar, such as 1 month, 3
months or 1 year, or days and less, counted from Monday, 1 January 2001. Errors: 42704 for an unknown
ladder, 22023 for a step that is not positive, or of months and days.';
-- The tables of a ladder's seasons.

CREATE FUNCTION skillrating_internal.seasons(
    ladder text,
    pool text DEFAULT '',
    OUT season text,
    OUT operation bigint,
    OUT began_at timestamptz,
    OUT ended_at timestamptz,
    OUT running boolean,
    OUT matches bigint,
    OUT players bigint)
RETURNS SETOF record
LANGUAGE plpgsql STABLE STRICT ROWS 10
SET search_path = pg_catalog, pg_temp
AS $function$
BEGIN
    PERFORM skillrating_internal.ladder_types(ladder);
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
            SELECT count(DISTINCT e.seq) AS matches, count(DISTINCT e.player_id) AS players
            FROM %1$I.event AS e
            WHERE e.kind = ''match'' AND e.pool = $1 AND e.seq > s.seq
                AND (s.next_seq IS NULL OR e.seq < s.next_seq)) AS m
        ORDER BY s.seq', ladder)
    USING pool;
END
$function$;

SELECT skillrating_internal.create_entry('seasons');

COMMENT ON FUNCTION skillrating.seasons(text, text) IS
'The seasons of a pool, in rated order: the name that new_season() gave it (empty: the time before
the first season) and the number of that operation, when it began and ended (null: it has not), if
it is the running one, and the rated matches in it, with how many players. Error 42704 for an
unknown ladder.';

CREATE FUNCTION skillrating_internal.season_bounds(
    ladder text,
    season text,
    pool text,
    OUT first_seq bigint,
    OUT start_seq bigint,
    OUT next_seq bigint,
    OUT operation bigint)
LANGUAGE plpgsql STABLE
SET search_path = pg_catalog, pg_temp
AS $function$
BEGIN
    IF ladder IS NULL OR pool IS NULL THEN
        RETURN;
    END IF;
    PERFORM skillrating_internal.ladder_types(ladder);
    first_seq := 0;
    IF season IS DISTINCT FROM '' THEN
        EXECUTE format(
            'SELECT max(o.seq) FROM %I.operation AS o
            WHERE o.kind = ''season'' AND o.undone_at IS NULL AND o.params->>''name'' = coalesce($1, o.params->>''name'')
                AND (o.pool IS NULL OR o.pool = $2)', ladder)
        INTO first_seq USING season, pool;
        IF first_seq IS NULL AND season IS NOT NULL THEN
            RAISE undefined_object USING
                MESSAGE = format('ladder "%s" has no season "%s" in pool "%s"', ladder, season, pool),
                HINT = 'A season has the name that new_season() gave it when it began; see seasons().';
        END IF;
        first_seq := coalesce(first_seq, 0);
    END IF;
    -- A season that begins towards solved skills is two operations.
    EXECUTE format(
        'SELECT coalesce(max(o.seq), $1) FROM %1$I.operation AS o
        WHERE o.kind = ''seed'' AND o.undone_at IS NULL AND o.pool = $2 AND o.params->>''season'' = (
            SELECT s.params->>''name'' FROM %1$I.operation AS s WHERE s.seq = $1 AND s.kind = ''season'')', ladder)
    INTO start_seq USING first_seq, pool;
    EXECUTE format(
        'SELECT o.seq, o.operation FROM %I.operation AS o
        WHERE o.kind = ''season'' AND o.undone_at IS NULL AND o.seq > $1 AND (o.pool IS NULL OR o.pool = $2)
        ORDER BY o.seq LIMIT 1', ladder)
    INTO next_seq, operation USING first_seq, pool;
END
$function$;

COMMENT ON FUNCTION skillrating_internal.season_bounds(text, text, text) IS
'The places of the seasons that begin and end a season of a pool, by its name, the empty one for the
time before the first and null for the running one: 0 where there is none before, null where it has
not ended. start_seq is the place of the last operation with which it begins, and operation the
number of that which ends it. Error 42704 for an unknown ladder or season.';

CREATE FUNCTION skillrating_internal.display_columns(
    model text,
    params jsonb,
    prefix text,
    suffix text)
RETURNS text
LANGUAGE sql STABLE STRICT
SET search_path = pg_catalog, pg_temp
AS $function$
    -- Whether names are in quotes, and what a backslash is, are settings of the session.
    SELECT regexp_replace(skillrating_internal.display_expression(model, params),
        E'"?\\m(' || array_to_string(m.state_columns, '|') || E')\\M"?',
        prefix || E'\\1' || suffix, 'g')
    FROM skillrating.models() AS m WHERE m.name = model
$function$;

COMMENT ON FUNCTION skillrating_internal.display_columns(text, jsonb, text, text) IS
'The displayed rating before or after an event as an SQL expression of columns of event, each
between a prefix and a suffix; of a model with complete parameters.';

CREATE FUNCTION skillrating_internal.new_season_players(
    ladder text,
    first_seq bigint,
    pool text)
RETURNS text
LANGUAGE plpgsql STABLE STRICT
SET search_path = pg_catalog, pg_temp
AS $function$
DECLARE
    t record := skillrating_internal.ladder_types(ladder);
    most constant integer := 500;
    events bigint;
    players text[];
BEGIN
    EXECUTE format(
        'SELECT count(*), array_agg(DISTINCT e.player_id::text) FILTER (WHERE e.kind = ''match'' AND e.pool = $2)
        FROM (SELECT e.* FROM %I.event AS e WHERE e.seq > $1 ORDER BY e.seq LIMIT $3) AS e', ladder)
    INTO events, players USING first_seq, pool, most + 1;
    IF events > most THEN
        RETURN '';
    END IF;
    RETURN format(' AND r.player_id %s ANY (CAST(%L AS %s[]))', t.player_equals,
        coalesce(players, '{}'), t.player_type);
END
$function$;

COMMENT ON FUNCTION skillrating_internal.new_season_players(text, bigint, text) IS
'A part of season_table(): a further condition on rows r of rating, for those who have played in a
season that has just begun; empty once there is more of it than is read in a moment. Error 55000
unless the door to the ladder is open.';

CREATE FUNCTION skillrating_internal.season_players(
    ladder text,
    bounds record,
    pool text,
    min_games bigint,
    quick boolean)
RETURNS text
LANGUAGE plpgsql STABLE
SET search_path = pg_catalog, pg_temp
AS $function$
DECLARE
    t record := skillrating_internal.ladder_types(ladder);
    l record;
    matches text;
BEGIN
    IF bounds.next_seq IS NOT NULL AND min_games > 0 THEN
        RETURN format(
            'SELECT s.player_id, s.rating FROM %I.standing AS s
            WHERE s.operation = %L::bigint AND s.pool = $3%s', ladder, bounds.operation,
            CASE WHEN min_games > 1 THEN ' AND s.games >= $4' ELSE '' END);
    END IF;
    EXECUTE format('SELECT l.* FROM %I.ladder AS l', ladder) INTO l;
    matches := format(
        'FROM %I.event AS m WHERE m.pool = $3 AND m.kind = ''match''
            AND m.seq > $1 AND ($2::bigint IS NULL OR m.seq < $2)', ladder);
    RETURN format('SELECT r.player_id, r.rating FROM %s WHERE %s',
        -- The season that followed has an event for every player, with the state that it found.
        CASE WHEN bounds.next_seq IS NULL
            THEN format('(SELECT r.player_id, r.rating FROM %I.rating AS r WHERE r.pool = $3) AS r', ladder)
            ELSE format(
                '(SELECT e.player_id, %s AS rating FROM %I.event AS e
                WHERE e.kind = ''season'' AND e.seq = $2 AND e.pool = $3) AS r',
                skillrating_internal.display_columns(l.model, l.params, 'e.', '_before'), ladder) END,
        CASE WHEN min_games <= 0 THEN 'true'
            WHEN quick THEN format(
                '(SELECT count(*) FROM (
                    SELECT %s AND m.player_id %s r.player_id LIMIT $4) AS m) >= $4%s', matches,
                t.player_equals,
                skillrating_internal.new_season_players(ladder, bounds.first_seq, pool))
            ELSE format(
                'r.player_id IN (SELECT m.player_id %s GROUP BY m.player_id HAVING count(*) >= $4)',
                matches) END);
END
$function$;

COMMENT ON FUNCTION skillrating_internal.season_players(text, record, text, bigint, boolean) IS
'A part of season_table() and season_place_of(): a query for the players with so many matches in a
season, with their ratings at its end, or now if it is running. quick says that a few of them are
wanted, in order. Its parameters are those of season_table(). Error 55000 unless the door to the
ladder is open.';

CREATE FUNCTION skillrating_internal.season_counts(
    ladder text,
    bounds record,
    pool text,
    min_games bigint,
    rating float8,
    OUT above bigint,
    OUT at_least bigint)
LANGUAGE plpgsql STABLE
SET search_path = pg_catalog, pg_temp
AS $function$
BEGIN
    PERFORM skillrating_internal.ladder_types(ladder);
    IF bounds.next_seq IS NULL OR min_games <> 1 THEN
        EXECUTE format(
            'SELECT count(*) FILTER (WHERE q.rating > $5), count(*) FROM (%s) AS q WHERE q.rating >= $5',
            skillrating_internal.season_players(ladder, bounds, pool, min_games, false))
        INTO above, at_least USING bounds.first_seq, bounds.next_seq, pool, min_games, rating;
        RETURN;
    END IF;
    -- From the next marked row above, or of the same rating; fewer than 256 lie between.
    EXECUTE format(
        'SELECT CASE WHEN m.rating = $3 THEN m.above ELSE coalesce(m.at_least, 0) + c.above END,
            CASE WHEN m.rating = $3 THEN m.at_least
                ELSE coalesce(m.at_least, 0) + c.above + c.same END
        FROM (VALUES (0)) AS one(x)
        LEFT JOIN LATERAL (
            SELECT s.rating, s.above, s.at_least FROM %1$I.standing AS s
            WHERE s.operation = $1 AND s.pool = $2 AND s.above IS NOT NULL AND s.rating >= $3
            ORDER BY s.rating LIMIT 1) AS m ON true
        CROSS JOIN LATERAL (
            SELECT count(*) FILTER (WHERE s.rating > $3) AS above,
                count(*) FILTER (WHERE s.rating = $3) AS same
            FROM %1$I.standing AS s
            WHERE s.operation = $1 AND s.pool = $2 AND s.rating >= $3
                AND m.rating IS DISTINCT FROM $3 AND s.rating < coalesce(m.rating, ''Infinity'')) AS c',
        ladder)
    INTO above, at_least USING bounds.operation, pool, rating;
END
$function$;

COMMENT ON FUNCTION skillrating_internal.season_counts(text, record, text, bigint, float8) IS
'A part of season_table() and season_place_of(): how many players of the table of a season are rated
above, and at least as high. Error 55000 unless the door to the ladder is open.';

CREATE FUNCTION skillrating_internal.season_end_rating(
    ladder text,
    bounds record,
    pool text,
    player text)
RETURNS float8
LANGUAGE plpgsql STABLE
SET search_path = pg_catalog, pg_temp
AS $function$
DECLARE
    t record := skillrating_internal.ladder_types(ladder);
    l record;
    rating float8;
BEGIN
    EXECUTE format('SELECT l.* FROM %I.ladder AS l', ladder) INTO l;
    EXECUTE CASE WHEN bounds.next_seq IS NULL
        THEN format('SELECT r.rating FROM %I.rating AS r WHERE r.player_id %s CAST($1 AS %s) AND r.pool = $2',
            ladder, t.player_equals, t.player_type)
        ELSE format('SELECT %s FROM %I.event AS e WHERE e.player_id %s CAST($1 AS %s) AND e.pool = $2 AND e.seq = $3',
            skillrating_internal.display_columns(l.model, l.params, 'e.', '_before'), ladder,
            t.player_equals, t.player_type) END
    INTO rating USING player, pool, bounds.next_seq;
    -- The events of a season before the horizon may be gone; the table has no index by player.
    IF rating IS NULL AND bounds.next_seq <= l.horizon THEN
        EXECUTE format(
            'SELECT s.rating FROM %I.standing AS s
            WHERE s.operation = $3 AND s.pool = $2 AND s.player_id %s CAST($1 AS %s)',
            ladder, t.player_equals, t.player_type)
        INTO rating USING player, pool, bounds.operation;
    END IF;
    RETURN rating;
END
$function$;

COMMENT ON FUNCTION skillrating_internal.season_end_rating(text, record, text, text) IS
'A part of season_table() and season_place_of(): the rating of a player at the end of a season, or now
if it is running; null for a player who had none. Error 55000 unless the door to the ladder is
open.';

CREATE FUNCTION skillrating_internal.season_place_of(
    ladder text,
    player_id anycompatible,
    season text DEFAULT NULL,
    pool text DEFAULT '',
    min_games bigint DEFAULT 1)
RETURNS bigint
LANGUAGE plpgsql STABLE
SET search_path = pg_catalog, pg_temp
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

SELECT skillrating_internal.create_entry('season_place_of');

COMMENT ON FUNCTION skillrating.season_place_of(text, anycompatible, text, text, bigint) IS
'The place of a player in the table of a season, as season_table() has it, 1 is first and equal
ratings share a place; null for a player who is not in it. An account that is merged counts as the
player it is merged into. season is the name that new_season() gave it, the empty name for the time
before the first season, or null for the running one. Of a season that has ended, and with min_games
1, the place comes from counts, otherwise those above are counted. Errors: 42704 for an unknown
ladder or season, 22004 for a null ladder, pool or min_games.';

CREATE FUNCTION skillrating_internal.season_page(
    ladder text,
    bounds record,
    pool text,
    min_games bigint,
    after_player text,
    OUT page text,
    OUT above bigint,
    OUT at_least bigint,
    OUT after text,
    OUT after_rating float8)
LANGUAGE plpgsql STABLE
SET search_path = pg_catalog, pg_temp
AS $function$
DECLARE
    t record := skillrating_internal.ladder_types(ladder);
    players text := skillrating_internal.season_players(ladder, bounds, pool, min_games, true);
BEGIN
    above := 0;
    at_least := 0;
    page := format('SELECT q.* FROM (%s) AS q ORDER BY q.rating DESC, q.player_id LIMIT $5', players);
    IF after_player IS NULL THEN
        RETURN;
    END IF;
    -- The page before may have ended with a row of an account that is merged.
    FOREACH after IN ARRAY ARRAY[after_player, skillrating_internal.counted_player(ladder, after_player)] LOOP
        after_rating := skillrating_internal.season_end_rating(ladder, bounds, pool, after);
        EXIT WHEN after_rating IS NOT NULL;
    END LOOP;
    IF after_rating IS NULL THEN
        RAISE undefined_object USING
            MESSAGE = format('player %s has no rating in the season in pool "%s" of ladder "%s"',
                after_player, pool, ladder);
    END IF;
    SELECT c.above, c.at_least INTO above, at_least
    FROM skillrating_internal.season_counts(ladder, bounds, pool, min_games, after_rating) AS c;
    -- Each part in the order of an index, however many share the rating.
    page := format(
        'SELECT q.* FROM (
            (SELECT q.* FROM (%1$s) AS q WHERE q.rating = $7 AND CAST($8 AS %2$s) %3$s q.player_id
             ORDER BY q.player_id LIMIT $5)
            UNION ALL
            (SELECT q.* FROM (%1$s) AS q WHERE q.rating < $7 ORDER BY q.rating DESC, q.player_id LIMIT $5)
        ) AS q ORDER BY q.rating DESC, q.player_id LIMIT $5', players, t.player_type, t.player_less);
END
$function$;

COMMENT ON FUNCTION skillrating_internal.season_page(text, record, text, bigint, text) IS
'A part of season_table(): the query of the players of a page, and, if it comes after a player, how
many are rated above that one, and at least as high, that player, and the rating. Error 42704 for a
player without one, 55000 unless the door to the ladder is open.';

CREATE FUNCTION skillrating_internal.season_table(
    ladder text,
    season text DEFAULT NULL,
    n integer DEFAULT 10,
    pool text DEFAULT '',
    min_games bigint DEFAULT 1,
    after_player anycompatible DEFAULT NULL,
    OUT place bigint,
    OUT player_id text,
    OUT rating float8,
    OUT games bigint,
    OUT wins bigint,
    OUT draws bigint,
    OUT losses bigint,
    OUT last_played timestamptz,
    OUT start_rating float8,
    OUT peak float8,
    OUT peak_at timestamptz)
RETURNS SETOF record
LANGUAGE plpgsql STABLE
SET search_path = pg_catalog, pg_temp
AS $function$
DECLARE
    t record := skillrating_internal.ladder_types(ladder);
    s record := skillrating_internal.state_expressions(ladder);
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
    p := skillrating_internal.season_page(ladder, bounds, pool, min_games, after_player::text);
    -- Only of the players that are shown.
    RETURN QUERY EXECUTE format(
        'SELECT CASE WHEN q.rating = $7 THEN 1 + $9
                ELSE $10 + rank() OVER (PARTITION BY q.rating = $7 ORDER BY q.rating DESC) END,
            q.player_id::text, q.rating, c.games, c.wins, c.draws, c.losses, c.last_played,
            b.rating, p.rating, p.played_at
        FROM (%1$s) AS q
        CROSS JOIN LATERAL (
            SELECT count(*) AS games, count(*) FILTER (WHERE m.score = 1) AS wins,
                count(*) FILTER (WHERE m.score = 0.5) AS draws, count(*) FILTER (WHERE m.score = 0) AS losses,
                max(m.played_at) AS last_played
            FROM %2$I.event AS m
            WHERE m.player_id %3$s q.player_id AND m.pool = $3 AND m.kind = ''match''
                AND m.seq > $1 AND ($2 IS NULL OR m.seq < $2)) AS c
        LEFT JOIN LATERAL (
            SELECT CASE WHEN e.seq <= $6 THEN skillrating.state_rating(l.model, %4$s, l.params)
                ELSE skillrating.state_rating(l.model, %5$s, l.params) END AS rating, e.seq
            FROM %2$I.ladder AS l CROSS JOIN %2$I.event AS e
            WHERE e.player_id %3$s q.player_id AND e.pool = $3 AND e.seq >= coalesce((
                SELECT max(x.seq) FROM %2$I.event AS x
                WHERE x.player_id %3$s q.player_id AND x.pool = $3 AND x.seq <= $6), 0)
            ORDER BY e.seq LIMIT 1) AS b ON true
        LEFT JOIN LATERAL (
            SELECT skillrating.state_rating(l.model, %4$s, l.params) AS rating, e.played_at, e.seq
            FROM %2$I.ladder AS l CROSS JOIN %2$I.event AS e
            WHERE e.player_id %3$s q.player_id AND e.pool = $3 AND e.seq >= b.seq
                AND ($2 IS NULL OR e.seq < $2)
            ORDER BY 1 DESC, e.seq LIMIT 1) AS p ON true
        ORDER BY q.rating DESC, q.player_id', p.page, ladder, t.player_equals, s.after, s.before)
    USING bounds.first_seq, bounds.next_seq, pool, min_games, n, bounds.start_seq,
        p.after_rating, p.after, p.above, p.at_least;
END
$function$;

SELECT skillrating_internal.create_entry('season_table');

COMMENT ON FUNCTION skillrating.season_table(text, text, integer, text, bigint, anycompatible) IS
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
22023 for a negative n.';
-- The standings of seasons that have ended, kept so that their tables need not read all players.

CREATE FUNCTION skillrating_internal.create_standing_table(
    ladder text,
    player_type regtype)
RETURNS void
LANGUAGE plpgsql VOLATILE STRICT
SET search_path = pg_catalog, pg_temp
AS $function$
BEGIN
    EXECUTE format(
        'CREATE TABLE %I.standing (
            player_id %s NOT NULL,
            pool text NOT NULL,
            operation bigint NOT NULL,
            rating float8 NOT NULL,
            games bigint NOT NULL,
            above bigint,
            at_least bigint)', ladder, format_type(player_type, -1));
    -- Rows are written in this order, so that it costs little; one by player would cost most.
    EXECUTE format('CREATE INDEX ON %I.standing (operation, pool, rating DESC, player_id)', ladder);
    EXECUTE format('CREATE INDEX ON %I.standing (operation, pool, rating) WHERE above IS NOT NULL', ladder);
    -- A publication of all tables must not keep rows from being deleted.
    EXECUTE format('ALTER TABLE %I.standing REPLICA IDENTITY FULL', ladder);
    EXECUTE format('COMMENT ON TABLE %I.standing IS %L', ladder,
        'How seasons have ended: a row for each player who has played in one, with the operation that ended it, which is the next season, the displayed rating then and the number of rated matches in the season. Every 256th row, and the last one, also has the numbers of players who were rated higher (above) and at least as high (at_least).');
END
$function$;

COMMENT ON FUNCTION skillrating_internal.create_standing_table(text, regtype) IS
'A part of create_ladder(): the table standing, which every ladder has.';

CREATE FUNCTION skillrating_internal.first_unsettled(
    ladder text,
    from_seq bigint,
    OUT first_seq bigint,
    OUT unsettled bigint[])
LANGUAGE plpgsql STABLE STRICT
SET search_path = pg_catalog, pg_temp
AS $function$
BEGIN
    PERFORM skillrating_internal.ladder_types(ladder);
    EXECUTE format('SELECT greatest($1, l.horizon + 1) FROM %I.ladder AS l', ladder)
    INTO first_seq USING from_seq;
    -- From one operation in the index to the next.
    EXECUTE format(
        'WITH RECURSIVE known AS (
            SELECT (SELECT min(s.operation) FROM %1$I.standing AS s) AS operation
            UNION ALL
            SELECT (SELECT min(s.operation) FROM %1$I.standing AS s WHERE s.operation > k.operation)
            FROM known AS k WHERE k.operation IS NOT NULL)
        SELECT array_agg(k.operation) FROM known AS k
        WHERE k.operation IS NOT NULL AND NOT EXISTS (
            SELECT FROM %1$I.operation AS o
            WHERE o.operation = k.operation AND o.kind = ''season'' AND o.undone_at IS NULL
                AND o.seq < $1)', ladder)
    INTO unsettled USING first_seq;
END
$function$;

COMMENT ON FUNCTION skillrating_internal.first_unsettled(text, bigint) IS
'A part of renew_standings() and wrong_standings(): the place in the order from which on standings
can be told, not before the horizon, and the operations in table standing that are no end of a
season before it. Error 55000 unless the door to the ladder is open.';

CREATE FUNCTION skillrating_internal.standings_query(
    ladder text,
    from_seq bigint)
RETURNS text
LANGUAGE plpgsql STABLE STRICT
SET search_path = pg_catalog, pg_temp
AS $function$
DECLARE
    t record := skillrating_internal.ladder_types(ladder);
    l record;
    places bigint[];
    began bigint;
    is_cut boolean;
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
    -- Events before a horizon may be gone: then what was counted before stays.
    EXECUTE format(
        'SELECT NOT EXISTS (SELECT FROM %I.event AS e WHERE e.seq > $1 AND e.seq <= $2)', ladder)
    INTO is_cut USING began, l.horizon;
    RETURN format(
        'WITH season AS (
            SELECT o.operation, o.seq, o.pool FROM %1$I.operation AS o
            WHERE o.kind = ''season'' AND o.undone_at IS NULL
        ), part AS MATERIALIZED (
            SELECT m.player_id, m.pool, width_bucket(m.seq, %2$L::bigint[]) AS span, count(*) AS games
            FROM %1$I.event AS m
            WHERE m.kind = ''match'' AND m.seq > %3$L::bigint AND m.seq < %4$L::bigint
            GROUP BY 1, 2, 3
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
            SELECT e.player_id, e.pool, s.operation, %5$s AS rating, %6$s AS games
            FROM %1$I.event AS e
            JOIN season AS s ON s.seq = e.seq
            LEFT JOIN played AS p ON p.player_id %7$s e.player_id AND p.pool = e.pool AND p.seq = e.seq
            %8$s
            WHERE e.kind = ''season'' AND e.seq = ANY (%9$L::bigint[])
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
        ladder, places, began, places[cardinality(places)],
        skillrating_internal.display_columns(l.model, l.params, 'e.', '_before'),
        CASE WHEN is_cut AND began < l.horizon
            THEN 'greatest(coalesce(p.games, 0), CASE WHEN began.seq < ' || l.horizon
                || ' THEN old.games END)'
            ELSE 'coalesce(p.games, 0)' END,
        t.player_equals,
        CASE WHEN is_cut AND began < l.horizon
            THEN format(
                'CROSS JOIN LATERAL (
                    SELECT coalesce(max(x.seq), 0) AS seq FROM season AS x
                    WHERE x.seq < e.seq AND (x.pool IS NULL OR x.pool = e.pool)) AS began
                LEFT JOIN %I.standing AS old ON old.player_id %s e.player_id AND old.pool = e.pool
                    AND old.operation = s.operation', ladder, t.player_equals)
            ELSE '' END,
        ARRAY(SELECT u.seq FROM unnest(places) AS u(seq) WHERE u.seq >= from_seq));
END
$function$;

COMMENT ON FUNCTION skillrating_internal.standings_query(text, bigint) IS
'A part of renew_standings() and wrong_standings(): a query for the rows of table standing of the
seasons that have ended at a place in the order or behind it, or null if there is none. Error 55000
unless the door to the ladder is open.';

CREATE FUNCTION skillrating_internal.renew_standings(
    ladder text,
    from_seq bigint)
RETURNS void
LANGUAGE plpgsql VOLATILE STRICT
SET search_path = pg_catalog, pg_temp
-- Without statistics, as in a new ladder, a join of all players would look small.
SET enable_nestloop = off
SET work_mem = '4MB'
AS $function$
DECLARE
    t record := skillrating_internal.ladder_types(ladder);
    s record := skillrating_internal.first_unsettled(ladder, from_seq);
    query text := skillrating_internal.standings_query(ladder, s.first_seq);
BEGIN
    IF query IS NULL THEN
        EXECUTE format('DELETE FROM %I.standing AS s WHERE s.operation = ANY ($1)', ladder)
        USING s.unsettled;
        RETURN;
    END IF;
    -- The memory that an index of as many rows would get; it ends with the function.
    PERFORM set_config('work_mem', current_setting('maintenance_work_mem'), true);
    IF s.unsettled IS NULL THEN
        EXECUTE format(
            'INSERT INTO %I.standing (player_id, pool, operation, rating, games, above, at_least) %s',
            ladder, query);
        RETURN;
    END IF;
    EXECUTE format(
        'WITH difference AS MATERIALIZED (
            SELECT old.tid, x.*
            FROM (%2$s) AS x FULL JOIN (
                SELECT s.*, s.ctid AS tid FROM %1$I.standing AS s WHERE s.operation = ANY ($1)) AS old
                ON old.player_id %3$s x.player_id AND old.pool = x.pool AND old.operation = x.operation
            WHERE old.rating IS DISTINCT FROM x.rating OR old.games IS DISTINCT FROM x.games
                OR old.above IS DISTINCT FROM x.above OR old.at_least IS DISTINCT FROM x.at_least
        ), gone AS (
            DELETE FROM %1$I.standing AS s
            WHERE s.ctid = ANY (ARRAY(SELECT d.tid FROM difference AS d WHERE d.tid IS NOT NULL)))
        INSERT INTO %1$I.standing AS s (player_id, pool, operation, rating, games, above, at_least)
        SELECT d.player_id, d.pool, d.operation, d.rating, d.games, d.above, d.at_least
        FROM difference AS d WHERE d.operation IS NOT NULL
        ORDER BY d.operation, d.pool, d.rating DESC, d.player_id', ladder, query, t.player_equals)
    USING s.unsettled;
END
$function$;

COMMENT ON FUNCTION skillrating_internal.renew_standings(text, bigint) IS
'Brings table standing up to date after events from a place in the order on were written: writes
rows that have changed, and no others. Error 55000 unless the door to the ladder is open.';

CREATE FUNCTION skillrating_internal.wrong_standings(ladder text)
RETURNS bigint
LANGUAGE plpgsql STABLE STRICT
SET search_path = pg_catalog, pg_temp
SET enable_nestloop = off
AS $function$
DECLARE
    t record := skillrating_internal.ladder_types(ladder);
    s record := skillrating_internal.first_unsettled(ladder, 0);
    wrong bigint;
BEGIN
    -- Of those with the same rating it does not matter who is marked.
    EXECUTE format(
        'WITH x AS MATERIALIZED (%2$s), s AS MATERIALIZED (
            SELECT s.* FROM %1$I.standing AS s WHERE s.operation = ANY ($1)
        ), mark AS (
            SELECT DISTINCT x.operation, x.pool, x.rating, x.above, x.at_least
            FROM x WHERE x.above IS NOT NULL
        ), stored_mark AS (
            SELECT DISTINCT s.operation, s.pool, s.rating, s.above, s.at_least
            FROM s WHERE ROW(s.above, s.at_least) IS DISTINCT FROM ROW(NULL::bigint, NULL::bigint)
        )
        SELECT (SELECT count(*) FROM x FULL JOIN s
                ON s.player_id %3$s x.player_id AND s.pool = x.pool AND s.operation = x.operation
                WHERE ROW(s.rating, s.games) IS DISTINCT FROM ROW(x.rating, x.games))
            + (SELECT count(*) FROM (TABLE mark EXCEPT TABLE stored_mark) AS m)
            + (SELECT count(*) FROM (TABLE stored_mark EXCEPT TABLE mark) AS m)', ladder,
        coalesce(skillrating_internal.standings_query(ladder, s.first_seq),
            format('SELECT s.* FROM %I.standing AS s WHERE false', ladder)), t.player_equals)
    INTO wrong USING s.unsettled;
    RETURN wrong;
END
$function$;

COMMENT ON FUNCTION skillrating_internal.wrong_standings(text) IS
'A part of verify(): how many rows of table standing are not what the events say. Error 55000 unless
the door to the ladder is open.';
-- What a leaderboard says of its players beside the rating: marks, peaks, streaks and the like.

CREATE FUNCTION skillrating_internal.check_statistics(statistics jsonb)
RETURNS void
LANGUAGE plpgsql STABLE STRICT
SET search_path = pg_catalog, pg_temp
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
            MESSAGE = format('%s in statistics must be %s, not %s', wrong,
                CASE wrong WHEN 'columns' THEN 'an array of texts'
                    WHEN 'inactive_after' THEN 'an interval as text' ELSE 'a number' END,
                statistics->wrong);
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

COMMENT ON FUNCTION skillrating_internal.check_statistics(jsonb) IS
'Error 22023, 22003 or 22007 that says what is wrong with the argument statistics of leaderboard().';

CREATE FUNCTION skillrating_internal.provisional_condition(
    ladder text,
    statistics jsonb)
RETURNS text
LANGUAGE plpgsql STABLE STRICT
SET search_path = pg_catalog, pg_temp
AS $function$
DECLARE
    model record;
    initial_deviation float8;
BEGIN
    PERFORM skillrating_internal.ladder_types(ladder);
    EXECUTE format(
        'SELECT m.name, m.deviation_column, m.state_columns, l.params
        FROM skillrating.models() AS m JOIN %I.ladder AS l ON l.model = m.name', ladder)
    INTO model;
    IF statistics ? 'provisional_deviation' THEN
        IF model.deviation_column IS NULL THEN
            RAISE invalid_parameter_value USING
                MESSAGE = format('model "%s" of ladder "%s" has no deviation', model.name, ladder),
                HINT = 'Give provisional_games instead.';
        END IF;
        RETURN format('(r.games < %L OR r.%I > %L)',
            coalesce((statistics->>'provisional_games')::numeric::bigint, 0),
            model.deviation_column, (statistics->>'provisional_deviation')::float8);
    ELSIF statistics ? 'provisional_games' OR model.deviation_column IS NULL THEN
        RETURN format('r.games < %L', coalesce((statistics->>'provisional_games')::numeric,
            (model.params->>'shadow_games')::numeric, 10)::bigint);
    END IF;
    initial_deviation := (skillrating.initial_state(model.name, model.params))[
        array_position(model.state_columns, model.deviation_column)];
    RETURN format('NOT r.%I < %L', model.deviation_column, initial_deviation / 2);
END
$function$;

COMMENT ON FUNCTION skillrating_internal.provisional_condition(text, jsonb) IS
'A part of statistics_join(): the condition on a row r of the board for a rating that is
provisional, by the argument statistics of leaderboard(). If that does not say, it is that of
pool_quality(): a deviation not below half of the initial one, or, under models without, fewer games
than the parameter shadow_games, or else 10. Error 22023 for a provisional_deviation under a model
that has none.';

CREATE FUNCTION skillrating_internal.peak_query(
    ladder text,
    span text,
    placement_games bigint,
    at timestamptz)
RETURNS text
LANGUAGE plpgsql STABLE
SET search_path = pg_catalog, pg_temp
AS $function$
DECLARE
    t record := skillrating_internal.ladder_types(ladder);
    s record := skillrating_internal.state_expressions(ladder);
BEGIN
    -- At a time the rating of the board also has idle time, and what pools share.
    RETURN format(
        'SELECT greatest(p.rating, r.rating) AS peak,
            CASE WHEN r.rating > p.rating THEN coalesce(%6$L, r.last_played) ELSE p.played_at END AS peak_at
        FROM (
            SELECT skillrating.state_rating(l.model, %2$s, l.params) AS rating, e.played_at, e.seq
            FROM %1$I.ladder AS l CROSS JOIN %1$I.event AS e
            WHERE %3$s AND e.games_before + (e.score IS NOT NULL)::integer >= %4$L
                AND e.seq > coalesce((
                    SELECT n.seq FROM %1$I.event AS n
                    WHERE n.player_id %5$s r.player_id AND n.pool = r.pool AND n.kind = ''reset''
                        AND (%6$L::timestamptz IS NULL OR n.seq <= w.last_seq)
                    ORDER BY n.seq DESC LIMIT 1), 0)
            ORDER BY rating DESC, e.seq LIMIT 1) AS p',
        ladder, s.after, span, placement_games, t.player_equals, at);
END
$function$;

COMMENT ON FUNCTION skillrating_internal.peak_query(text, text, bigint, timestamptz) IS
'A part of statistics_join(): the query of the highest rating of a row r of the board, and when it
came, among the events e of a span since the last reset that are behind placement_games matches.';

CREATE FUNCTION skillrating_internal.last_matches_query(
    ladder text,
    span text,
    streak boolean,
    last_change boolean)
RETURNS text
LANGUAGE plpgsql STABLE STRICT
SET search_path = pg_catalog, pg_temp
AS $function$
DECLARE
    t record := skillrating_internal.ladder_types(ladder);
    s record := skillrating_internal.state_expressions(ladder);
BEGIN
    -- Matches since the last reset are those that the row of the board counts.
    RETURN format(
        'SELECT CASE WHEN %5$L THEN coalesce(e.sign * least(r.games, (
                SELECT count(*) FROM %1$I.event AS c
                WHERE c.player_id %2$s e.player_id AND c.pool = e.pool AND c.score IS NOT NULL
                    AND c.seq <= e.seq AND c.seq > coalesce((
                        SELECT d.seq FROM %1$I.event AS d
                        WHERE d.player_id %2$s e.player_id AND d.pool = e.pool
                            AND d.score <> e.score AND d.seq < e.seq
                        ORDER BY d.seq DESC LIMIT 1), 0))), 0) END::integer AS streak,
            CASE WHEN %6$L AND e.seq IS NOT NULL THEN skillrating.state_rating(l.model, %4$s, l.params)
                - skillrating.state_rating(l.model, %3$s, l.params) END AS last_change
        FROM %1$I.ladder AS l LEFT JOIN (
            SELECT e.*, CASE e.score WHEN 1 THEN 1 WHEN 0 THEN -1 ELSE 0 END AS sign
            FROM %1$I.event AS e
            WHERE r.games > 0 AND e.score IS NOT NULL AND %7$s
            ORDER BY e.seq DESC LIMIT 1) AS e ON true',
        ladder, t.player_equals, s.before, s.after, streak, last_change, span);
END
$function$;

COMMENT ON FUNCTION skillrating_internal.last_matches_query(text, text, boolean, boolean) IS
'A part of statistics_join(): the query of the streak of a row r of the board and of what its last
match changed, among the events e of a span; it reads no more matches than the streak has.';

CREATE FUNCTION skillrating_internal.statistics_join(
    ladder text,
    statistics jsonb,
    display jsonb,
    at timestamptz,
    eligible text,
    ranked boolean)
RETURNS text
LANGUAGE plpgsql STABLE
SET search_path = pg_catalog, pg_temp
AS $function$
DECLARE
    t record;
    asked jsonb;
    last_seq text := 'NULL::bigint';
    span text;
    peak text := 'SELECT NULL::float8 AS peak, NULL::timestamptz AS peak_at';
    last_matches text := 'SELECT NULL::integer AS streak, NULL::float8 AS last_change';
    percentile text := 'NULL::float8';
BEGIN
    IF ladder IS NULL OR statistics IS NULL OR eligible IS NULL THEN
        RETURN '';
    END IF;
    t := skillrating_internal.ladder_types(ladder);
    PERFORM skillrating_internal.check_statistics(statistics);
    asked := coalesce(statistics->'columns',
        '["provisional", "inactive", "peak", "streak", "last_change", "percentile"]');
    IF asked ?| '{peak,streak,last_change}' THEN
        PERFORM skillrating_internal.check_readable(ladder, 'event');
        span := format('e.player_id %s r.player_id AND e.pool = r.pool', t.player_equals);
        IF at IS NOT NULL THEN
            last_seq := format(
                '(SELECT e.seq FROM %I.event AS e WHERE %s AND e.played_at <= %L ORDER BY e.seq DESC LIMIT 1)',
                ladder, span, at);
            span := span || ' AND e.seq <= w.last_seq';
        END IF;
    END IF;
    IF asked ? 'peak' THEN
        peak := skillrating_internal.peak_query(ladder, span,
            CASE WHEN display IS NULL THEN 0
                ELSE coalesce((display->>'placement_games')::numeric::bigint, 10) END, at);
    END IF;
    IF asked ?| '{streak,last_change}' THEN
        last_matches := skillrating_internal.last_matches_query(ladder, span, asked ? 'streak',
            asked ? 'last_change');
    END IF;
    IF asked ? 'percentile' THEN
        percentile := format(
            '(SELECT (100 * (a.n - (q.place - 1) - b.n + (b.n - 1) / 2.0) / nullif(a.n - 1, 0))::float8
            FROM (SELECT (%2$s) AS n OFFSET 0) AS a,
                (SELECT %3$s AS n FROM (SELECT FROM board AS r WHERE %1$s AND r.rating = q.rating%4$s) AS r) AS b)',
            eligible,
            CASE WHEN ranked THEN format('SELECT c.total FROM skillrating_internal.range_counts(%L, $1, 0) AS c', ladder)
                ELSE format('SELECT count(*) FROM board AS r WHERE %s', eligible) END,
            -- Where many share a rating, it is the counts that know how many.
            CASE WHEN ranked THEN format('CASE WHEN count(*) <= 100 THEN count(*) ELSE (SELECT c.at_least - c.above FROM (%s) AS c) END',
                skillrating_internal.counts_query(ladder, true, false, eligible, 'q.rating')) ELSE 'count(*)' END,
            CASE WHEN ranked THEN ' LIMIT 101' ELSE '' END);
    END IF;
    RETURN format(
        'CROSS JOIN LATERAL (SELECT r.*) AS q
        CROSS JOIN LATERAL (
            SELECT %1$s AS provisional, %2$s AS inactive, p.peak, p.peak_at, m.streak, m.last_change,
                %3$s AS percentile
            FROM (SELECT %4$s AS last_seq) AS w
            LEFT JOIN LATERAL (%5$s) AS p ON true
            LEFT JOIN LATERAL (%6$s) AS m ON true) AS s',
        CASE WHEN asked ? 'provisional'
            THEN skillrating_internal.provisional_condition(ladder, statistics) ELSE 'NULL::boolean' END,
        CASE WHEN asked ? 'inactive' THEN format('coalesce(r.last_played < %L, true)',
                coalesce(at, now()) - coalesce((statistics->>'inactive_after')::interval, '30 days'))
            ELSE 'NULL::boolean' END,
        percentile, last_seq, peak, last_matches);
END
$function$;

COMMENT ON FUNCTION skillrating_internal.statistics_join(text, jsonb, jsonb, timestamptz, text, boolean) IS
'A part of leaderboard() and around(): what joins a row s of the columns that the argument statistics
adds to a row r of the board at a time, which has its place; empty without it. eligible is the
condition of the board, and ranked says that the counts of the ladder are those of it. Errors as for check_statistics() and provisional_condition(), 42501 unless
the caller may read table event too where the peak, the streak or the last change is asked for.';
-- Fair teams of a ladder's players.

CREATE FUNCTION skillrating_internal.states_at(
    ladder text,
    players anyarray,
    pool text,
    at timestamptz,
    context text[])
RETURNS float8[]
AS 'MODULE_PATHNAME', 'skillrating_states_at'
LANGUAGE C STABLE;

COMMENT ON FUNCTION skillrating_internal.states_at(text, anyarray, text, timestamptz, text[]) IS
'The state with which each player would go into a match at a time, as preview() has it: all state
columns, one player after another, with what the player has in a context, which may be null, as a
part of the skill.  Players without a row have the initial state.  Errors 2202E for
no players or too many, 22004 for nulls, 22008 for an infinite time, 22023 for two accounts of one
player.';

CREATE FUNCTION skillrating_internal.split_model(
    ladder text,
    caution float8,
    sides boolean,
    commanders boolean)
RETURNS TABLE (
    name text,
    params jsonb,
    nstate integer,
    deviation integer,
    side integer,
    command integer)
LANGUAGE plpgsql STABLE
SET search_path = pg_catalog, pg_temp
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
            MESSAGE = format('model "%s" has no %s', name,
                CASE WHEN sides AND side IS NULL THEN 'sides' ELSE 'commanders' END);
    END IF;
    RETURN NEXT;
END
$function$;

COMMENT ON FUNCTION skillrating_internal.split_model(text, float8, boolean, boolean) IS
'The model of a ladder, with its parameters, the number of its state columns, and the places of those
with a role.  Errors: 22023 for caution, sides or commanding that the model has no column for.';

CREATE FUNCTION skillrating_internal.check_components_readable(ladder text)
RETURNS void
LANGUAGE plpgsql STABLE
SET search_path = pg_catalog, pg_temp
AS $function$
DECLARE
    has_components boolean;
BEGIN
    PERFORM skillrating_internal.ladder_types(ladder);
    EXECUTE format(
        'SELECT EXISTS (SELECT FROM %I.ladder AS l
            CROSS JOIN skillrating.model_components(l.model, l.params) AS c WHERE c.used)', ladder)
    INTO has_components;
    IF has_components THEN
        PERFORM skillrating_internal.check_readable(ladder, 'component');
    END IF;
END
$function$;

COMMENT ON FUNCTION skillrating_internal.check_components_readable(text) IS
'Error 42501 unless the caller of a function may read table component, or the ladder has none in use.
A forecast is made of components, and preview(), called from inside, asks the owner''s rights only.';

CREATE FUNCTION skillrating_internal.split_ladder(
    ladder text,
    players anycompatiblearray,
    weight float8[] DEFAULT NULL,
    party integer[] DEFAULT NULL,
    locked integer[] DEFAULT NULL,
    avoid text[] DEFAULT NULL,
    split_evenly integer[] DEFAULT NULL,
    priority float8[] DEFAULT NULL,
    current integer[] DEFAULT NULL,
    commander boolean[] DEFAULT NULL,
    context text[] DEFAULT NULL,
    club text[] DEFAULT NULL,
    teams integer DEFAULT 2,
    team_size integer DEFAULT NULL,
    pool text DEFAULT '',
    sides boolean DEFAULT false,
    commanders boolean DEFAULT false,
    caution float8 DEFAULT 0,
    log_odds float8 DEFAULT 0,
    objective text DEFAULT 'squares',
    secondary text DEFAULT NULL,
    tolerance float8 DEFAULT 0,
    budget float8 DEFAULT NULL,
    seed bigint DEFAULT NULL,
    at timestamptz DEFAULT NULL,
    explain boolean DEFAULT false)
RETURNS TABLE (
    player_id anycompatible,
    team integer,
    mu float8,
    difference float8,
    win_probability float8,
    exact boolean,
    bound float8,
    commands boolean,
    why jsonb)
LANGUAGE plpgsql STABLE
SET search_path = pg_catalog, pg_temp
AS $function$
DECLARE
    model record;
    states float8[];
    estimates float8[];
    offsets float8[];
    command_skills float8[];
BEGIN
    IF players IS NULL OR cardinality(players) = 0 THEN
        RETURN;
    END IF;
    IF pool IS NULL OR log_odds IS NULL OR caution IS NULL OR sides IS NULL OR commanders IS NULL THEN
        RAISE null_value_not_allowed USING
            MESSAGE = 'pool, sides, commanders, caution and log_odds must not be null';
    END IF;
    PERFORM skillrating_internal.check_components_readable(ladder);
    model := skillrating_internal.split_model(ladder, caution, sides, commanders);
    states := skillrating_internal.states_at(ladder, players, pool, coalesce(at, now()),
        context);
    -- Subscripts from 1 on, whatever the arguments have.
    weight := CASE WHEN weight IS NOT NULL THEN ARRAY(SELECT unnest(weight)) END;
    party := CASE WHEN party IS NOT NULL THEN ARRAY(SELECT unnest(party)) END;
    context := CASE cardinality(context) WHEN 1
        THEN array_fill((SELECT unnest(context)), ARRAY[cardinality(players)])
        ELSE ARRAY(SELECT unnest(context)) END;
    club := CASE WHEN club IS NOT NULL THEN ARRAY(SELECT unnest(club)) END;
    -- The column at a place of all players.
    SELECT array_agg(states[p + 1] - CASE WHEN caution = 0 THEN 0
                ELSE caution * states[p + model.deviation] END ORDER BY p),
        array_agg(states[p + model.side] ORDER BY p) FILTER (WHERE sides),
        array_agg(states[p + model.command] ORDER BY p) FILTER (WHERE commanders)
    INTO estimates, offsets, command_skills
    FROM generate_series(0, cardinality(states) - 1, model.nstate) AS p;
    -- The probability is that of the model for these teams, from all that it knows.
    RETURN QUERY
    WITH split AS MATERIALIZED (
        SELECT s.*
        FROM skillrating_internal.split_states(players,
            mu => CASE WHEN offsets IS NULL THEN estimates
                ELSE ARRAY(SELECT e + o FROM unnest(estimates, offsets) AS u(e, o)) END,
            mu_2 => CASE WHEN offsets IS NOT NULL
                THEN ARRAY(SELECT e - o FROM unnest(estimates, offsets) AS u(e, o)) END,
            weight => weight, party => party, locked => locked, avoid => avoid,
            split_evenly => split_evenly, priority => priority,
            current => current, command_mu => command_skills,
            commander => commander, teams => teams, team_size => team_size, log_odds => log_odds,
            model => model.name, params => model.params, objective => objective,
            secondary => secondary, tolerance => tolerance, budget => budget, seed => seed,
            explain => explain, state => states)
            WITH ORDINALITY AS s(player, team, difference, win_probability, exact, bound, commands,
                why, n)
    ), playing AS (
        SELECT array_agg(s.player ORDER BY s.n) AS who, array_agg(s.team ORDER BY s.n) AS team,
            array_agg(s.commands::int::float8 ORDER BY s.n) AS commanding,
            CASE WHEN weight IS NOT NULL THEN array_agg(weight[s.n] ORDER BY s.n) END AS weights,
            CASE WHEN party IS NOT NULL THEN array_agg(party[s.n] ORDER BY s.n) END AS squads,
            CASE WHEN context <> '{}' THEN array_agg(context[s.n] ORDER BY s.n) END AS contexts,
            CASE WHEN club IS NOT NULL THEN array_agg(club[s.n] ORDER BY s.n) END AS clubs
        FROM split AS s WHERE s.team IS NOT NULL
    ), predicted AS MATERIALIZED (
        SELECT w.team, min(w.win_probability) AS p
        FROM playing AS p,
            skillrating.preview(ladder, p.who, p.team, weight => p.weights,
                squad => p.squads, pool => pool, log_odds => log_odds,
                side => CASE WHEN sides THEN p.team END,
                commanding => CASE WHEN commanders THEN p.commanding END,
                at => coalesce(at, now()), context => p.contexts, club => p.clubs) AS w
        GROUP BY w.team
    )
    SELECT s.player, s.team, estimates[s.n], s.difference,
        (SELECT p.p FROM predicted AS p WHERE p.team = s.team), s.exact, s.bound, s.commands, s.why
    FROM split AS s ORDER BY s.n;
END
$function$;

SELECT skillrating_internal.create_entry('split_ladder');

COMMENT ON FUNCTION skillrating.split_ladder(text, anycompatiblearray, float8[], integer[], integer[], text[], integer[], float8[], integer[], boolean[], text[], text[], integer, integer, text, boolean, boolean, float8, float8, text, text, float8, float8, bigint, timestamptz, boolean) IS
'split_teams() with the estimates that players have in a pool of a ladder, and with its model, which
says what teams are and when a split is balanced, from all that it knows of the players.  A
player without a rating has the initial state.

Result: a row for each player, in the order of players.  mu: the estimate that was used, after the
time since the last match, on no side and less caution.  difference: as in split_teams(), in the points of the model.
win_probability: of the player''s own team, as preview() says for these teams with squad => party and the same
weight, log_odds and, where asked for, sides and commanders; null on the bench.
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
and for two accounts of one player;
22004 for nulls; 22008 for an infinite at; and as split_teams().';

CREATE TYPE skillrating.opponent AS (
    player_id text,
    rating float8,
    games bigint,
    win_probability float8,
    why jsonb);

COMMENT ON TYPE skillrating.opponent IS
'A result of find_opponents(): the opponent, with the rating and games on the ladder.
win_probability: of the player who asked, against this opponent.
why: with explain, the reason for this opponent.';

CREATE FUNCTION skillrating_internal.find_opponents(
    ladder text,
    player_id anycompatible,
    n integer DEFAULT 10,
    pool text DEFAULT '',
    min_games bigint DEFAULT 0,
    active_since timestamptz DEFAULT NULL,
    max_deviation float8 DEFAULT NULL,
    at timestamptz DEFAULT NULL,
    context text DEFAULT NULL,
    explain boolean DEFAULT false)
RETURNS SETOF skillrating.opponent
LANGUAGE plpgsql STABLE
SET search_path = pg_catalog, pg_temp
AS $function$
DECLARE
    t record := skillrating_internal.ladder_types(ladder);
    board text := skillrating_internal.board(ladder, pool, at);
    eligible text := skillrating_internal.eligible_players(ladder, max_deviation)
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

SELECT skillrating_internal.create_entry('find_opponents');

COMMENT ON FUNCTION skillrating.find_opponents(text, anycompatible, integer, text, bigint, timestamptz, float8, timestamptz, text, boolean) IS
'The n opponents with whom a match of two would be most even, the most even first.

Of the 2 n players above and the 2 n below in the leaderboard with the same conditions (see
leaderboard()), these are the ones whose win probability by the ladder''s model is nearest to one
half; win_probability is that of the player.  A player without a rating has the initial state.
at: the time of the match, for which ratings are computed as in leaderboard(); by default it is
played now, among the ratings that are stored.  context: where or as what both play, for the win
probability.
explain: each row says why: the player''s rating, the difference, and how far the probability is
from one half (terms), the next best opponent (alternative), and the condition without which the
best
opponent would be nearer (constraint).

No rows for a null player.  An account that is merged counts as the player it is merged into, and
is nobody''s opponent.  Under a model with components it takes SELECT on table component besides.
Errors: 42704 for an unknown ladder, 22023 for a negative n, 22008 for an infinite at.';
-- Changes of ratings, for readers who follow them.

CREATE FUNCTION skillrating_internal.change_origin(ladder text)
RETURNS bigint
AS 'MODULE_PATHNAME', 'skillrating_change_origin'
LANGUAGE C STABLE STRICT;

COMMENT ON FUNCTION skillrating_internal.change_origin(text) IS
'What marks the rows of a ladder''s table change that this server wrote in this table, null if the
ladder keeps no changes. Those that a dump or logical replication has brought have another. Error
55000 unless the door to the ladder is open.';

CREATE FUNCTION skillrating_internal.renew_ladder_cache(ladder text)
RETURNS void
AS 'MODULE_PATHNAME', 'skillrating_renew_ladder_cache'
LANGUAGE C VOLATILE STRICT;

COMMENT ON FUNCTION skillrating_internal.renew_ladder_cache(text) IS
'A part of keep_changes(): has all sessions look the relations of a ladder up again. Error 55000
unless the door to the ladder is open.';

CREATE FUNCTION skillrating_internal.keep_changes(
    ladder text,
    keep boolean DEFAULT true)
RETURNS void
LANGUAGE plpgsql VOLATILE STRICT
SET search_path = pg_catalog, pg_temp
AS $function$
DECLARE
    t record := skillrating_internal.ladder_types(ladder);
    kept boolean := to_regclass(format('%I.change', ladder)) IS NOT NULL;
BEGIN
    IF kept = keep THEN
        RAISE NOTICE '%', CASE WHEN keep THEN format('ladder "%s" keeps its changes already', ladder)
            ELSE format('ladder "%s" does not keep its changes', ladder) END;
        RETURN;
    END IF;
    IF NOT keep THEN
        -- Whoever does these tasks ends before the table goes.
        IF (SELECT bool_or(skillrating_internal.end_task(ladder, e.task))
            FROM unnest('{notify,trim_changes}'::text[]) AS e(task))
        THEN
            RAISE NOTICE 'work() neither notifies of changes of ladder "%" any more nor trims them', ladder;
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

SELECT skillrating_internal.create_entry('keep_changes');

COMMENT ON FUNCTION skillrating.keep_changes(text, boolean) IS
'Has a ladder keep its changes from now on, for readers who follow them with changes(), in a table
change; with keep false it does so no more, and the table is gone, with the tasks of work() that
need it. A notice if that is so already.
Waits until nobody rates. Errors: 42704 for an unknown ladder.';

CREATE FUNCTION skillrating_internal.changes(
    ladder text,
    cursor text DEFAULT NULL,
    max_changes bigint DEFAULT NULL,
    OUT player_id text,
    OUT pool text,
    OUT kind text,
    OUT match_id text,
    OUT operation bigint,
    OUT changed_at timestamptz,
    OUT rating_before float8,
    OUT rating_after float8,
    OUT games_before bigint,
    OUT games_after bigint,
    OUT wins bigint,
    OUT draws bigint,
    OUT losses bigint,
    OUT last_played timestamptz,
    OUT as_of timestamptz,
    OUT state float8[],
    OUT next_cursor text)
RETURNS SETOF record
AS 'MODULE_PATHNAME', 'skillrating_changes'
LANGUAGE C VOLATILE ROWS 1000;

SELECT skillrating_internal.create_entry('changes');

COMMENT ON FUNCTION skillrating.changes(text, text, bigint) IS
'What has happened to the ratings of a ladder since a cursor, or with a null cursor all ratings as
they are: a row for each change of a row of rating, in the order in which it changed, at most
max_changes of them after a cursor, and last a row that has nothing but the next cursor. kind says
why: match, correction, season, decay, settle, set, seed, reset, refund, forget, swap, empty (by
reset_ladder), or start for a null cursor; match_id is the last match of the batch, operation the number in table operation.
What is after the change is all that rating has, with the state in the order of its columns; null
in games_after says that the row is gone. Changes come once their transaction has committed, each
exactly once, and not those of the calling transaction. Errors: 22023 for what is no cursor, 24000
if a reader has to start again: after a restore, a promotion, or when trim_changes() has removed
what the reader has not had; 40001 for a transaction whose snapshot is older than the cursor or the
ladder''s tables; 55000 on a standby or a subscriber, if the ladder does not keep its changes, or if
the transaction that starts has changed ratings.';

CREATE FUNCTION skillrating_internal.trim_changes(
    ladder text,
    before timestamptz)
RETURNS bigint
LANGUAGE plpgsql VOLATILE STRICT
SET search_path = pg_catalog, pg_temp
AS $function$
DECLARE
    t record := skillrating_internal.ladder_types(ladder);
    ours bigint := skillrating_internal.change_origin(ladder);
    horizon xid8;
    removed bigint;
    last_removed xid8;
BEGIN
    IF ours IS NULL THEN
        RAISE object_not_in_prerequisite_state USING
            MESSAGE = format('ladder "%s" does not keep its changes', ladder),
            HINT = format('SELECT skillrating.keep_changes(%L) begins to keep them.', ladder);
    END IF;
    -- All of a transaction or nothing, and nothing of those behind one that is in progress.
    EXECUTE format(
        'SELECT c.xact FROM (
            SELECT c.xact FROM %I.change AS c
            WHERE c.number > 0 AND c.origin = $1 AND c.changed_at >= $2
            UNION ALL SELECT pg_snapshot_xmin(pg_current_snapshot())) AS c
        ORDER BY c.xact LIMIT 1', ladder)
    INTO horizon USING ours, before;
    EXECUTE format(
        'WITH removed AS (
            DELETE FROM %1$I.change AS c
            WHERE c.origin <> $1 OR (c.number > 0 AND c.xact < $2)
            RETURNING c.origin, c.xact)
        SELECT (SELECT count(*) FROM removed),
            (SELECT r.xact FROM removed AS r WHERE r.origin = $1 ORDER BY r.xact DESC LIMIT 1)',
        ladder)
    INTO removed, last_removed USING ours, horizon;
    IF last_removed IS NOT NULL THEN
        EXECUTE format(
            'INSERT INTO %I.change AS c (number, origin, xact, kind, player_id, pool, counts, times, numbers)
            VALUES (0, $1, $2, ''trim'', ''{}'', ''{}'', ''{}'', ''{}'', ''{}'')
            ON CONFLICT (number) DO UPDATE
            SET origin = excluded.origin, changed_at = excluded.changed_at,
                xact = CASE WHEN c.origin = excluded.origin AND c.xact > excluded.xact
                    THEN c.xact ELSE excluded.xact END', ladder)
        USING ours, last_removed;
    END IF;
    RETURN removed;
END
$function$;

SELECT skillrating_internal.create_entry('trim_changes');

COMMENT ON FUNCTION skillrating.trim_changes(text, timestamptz) IS
'Removes the changes of a ladder from before a time, and those that a dump has brought: all of a
transaction or nothing, and none that came after the beginning of a transaction that is in progress.
Readers who have not had all of them get error 24000 from changes() and start again. Returns the
number of rows of table change that were removed. Errors: 42704 for an unknown ladder, 55000 if it
does not keep its changes.';

CREATE FUNCTION skillrating_internal.put_changes(
    ladder text,
    kind text,
    query text,
    first text[],
    second text[])
RETURNS void
LANGUAGE plpgsql VOLATILE
SET search_path = pg_catalog, pg_temp
AS $function$
DECLARE
    t record := skillrating_internal.ladder_types(ladder);
BEGIN
    EXECUTE format(
        'INSERT INTO %I.change (origin, xact, kind, player_id, pool, counts, times, numbers)
        SELECT $3, pg_current_xact_id(), $4, array_agg(q.player_id ORDER BY q.n),
            array_agg(q.pool ORDER BY q.n),
            array_agg(ARRAY[coalesce(q.games_before, -1), coalesce(q.games, -1), coalesce(q.wins, 0),
                coalesce(q.draws, 0), coalesce(q.losses, 0)] ORDER BY q.n),
            array_agg(ARRAY[coalesce(q.last_played, ''-infinity''), coalesce(q.as_of, ''-infinity'')]
                ORDER BY q.n),
            array_agg(ARRAY[coalesce(q.rating_before, 0), coalesce(q.rating, 0)]
                || coalesce(q.state, array_fill(0::float8, ARRAY[$5])) ORDER BY q.n)
        FROM (SELECT q.*, row_number() OVER () AS n FROM (%s) AS q) AS q
        GROUP BY (q.n - 1) / 64 ORDER BY (q.n - 1) / 64', ladder, query)
    USING first, second, skillrating_internal.change_origin(ladder), kind,
        cardinality(skillrating_internal.state_names(ladder));
END
$function$;

COMMENT ON FUNCTION skillrating_internal.put_changes(text, text, text, text[], text[]) IS
'Appends to the table change of a ladder what the rows of a query say, whose $1 and $2 are the
arrays given: player_id, pool, rating_before and games_before (null: there was no row), and the
columns of rating (null: there is none any more), with the state columns as an array.';

CREATE FUNCTION skillrating_internal.state_names(ladder text)
RETURNS text[]
LANGUAGE plpgsql STABLE STRICT
SET search_path = pg_catalog, pg_temp
AS $function$
DECLARE
    model text;
BEGIN
    PERFORM skillrating_internal.check_inside(ladder);
    EXECUTE format('SELECT l.model FROM %I.ladder AS l', ladder) INTO model;
    RETURN (SELECT m.state_columns FROM skillrating.models() AS m WHERE m.name = model);
END
$function$;

COMMENT ON FUNCTION skillrating_internal.state_names(text) IS
'The names of the state columns of table rating of a ladder, in the order of its model. Error 55000
unless the door to the ladder is open.';

CREATE FUNCTION skillrating_internal.rating_row(ladder text, alias text)
RETURNS text
LANGUAGE sql STABLE STRICT
SET search_path = pg_catalog, pg_temp
AS $function$
    SELECT format('%1$s.rating, %1$s.games, %1$s.wins, %1$s.draws, %1$s.losses, %1$s.last_played,
        %1$s.as_of, CASE WHEN %1$s.games IS NOT NULL THEN ARRAY[%2$s] END AS state', alias,
        (SELECT string_agg(format('%s.%I', alias, s.name), ', ' ORDER BY s.n)
        FROM unnest(skillrating_internal.state_names(ladder)) WITH ORDINALITY AS s(name, n)))
$function$;

COMMENT ON FUNCTION skillrating_internal.rating_row(text, text) IS
'The columns of a row of rating as the query of put_changes() has them: a select list over a
relation of that alias, in which all may be null.';

CREATE FUNCTION skillrating_internal.forget_changes(
    ladder text,
    players text[],
    pseudonyms text[])
RETURNS void
LANGUAGE plpgsql VOLATILE STRICT
SET search_path = pg_catalog, pg_temp
AS $function$
DECLARE
    t record := skillrating_internal.ladder_types(ladder);
    renamed constant text := format(
        'unnest(CAST($1 AS %1$s[]), CAST($2 AS %1$s[])) AS p(player, pseudonym)', t.player_type);
    told text[];
    told_pools text[];
BEGIN
    IF skillrating_internal.change_origin(ladder) IS NULL THEN
        RETURN;
    END IF;
    -- A reader who is behind may have rows that are gone by now, under names that are gone, too.
    EXECUTE format(
        'SELECT coalesce(array_agg(k.player::text), ''{}''), coalesce(array_agg(k.pool), ''{}'')
        FROM (
            SELECT u.player, u.pool
            FROM %1$I.change AS c, unnest(c.player_id, c.pool) AS u(player, pool)
            JOIN %2$s ON p.player %3$s u.player
            UNION
            SELECT r.player_id, r.pool FROM %1$I.rating AS r JOIN %2$s ON p.player %3$s r.player_id) AS k',
        ladder, renamed, t.player_equals)
    INTO told, told_pools USING players, pseudonyms;
    EXECUTE format(
        'UPDATE %I.change AS c
        SET player_id = ARRAY(
            SELECT coalesce(p.pseudonym, u.player)
            FROM unnest(c.player_id) WITH ORDINALITY AS u(player, n)
            LEFT JOIN %s ON p.player %s u.player
            ORDER BY u.n)
        WHERE EXISTS (
            SELECT FROM unnest(c.player_id) AS u(player) JOIN %2$s ON p.player %3$s u.player)',
        ladder, renamed, t.player_equals)
    USING players, pseudonyms;
    -- These rows have the old names until they are removed.
    PERFORM skillrating_internal.put_changes(ladder, 'forget', format(
        'SELECT k.player AS player_id, k.pool, r.rating AS rating_before, r.games AS games_before, %s
        FROM unnest(CAST($1 AS %s[]), $2) AS k(player, pool)
        LEFT JOIN %I.rating AS r ON r.player_id %s k.player AND r.pool = k.pool
        LEFT JOIN %3$I.rating AS g ON false',
        skillrating_internal.rating_row(ladder, 'g'), t.player_type, ladder, t.player_equals),
        told, told_pools);
    PERFORM skillrating_internal.put_changes(ladder, 'forget', format(
        'SELECT p.pseudonym AS player_id, r.pool, n.rating AS rating_before, n.games AS games_before, %s
        FROM %s JOIN %I.rating AS r ON r.player_id %s p.player
        LEFT JOIN %3$I.rating AS n ON n.player_id %4$s p.pseudonym AND n.pool = r.pool
        UNION ALL
        SELECT n.player_id, n.pool, n.rating, n.games, %5$s
        FROM %2$s JOIN %3$I.rating AS n ON n.player_id %4$s p.pseudonym AND n.games = 0
        LEFT JOIN %3$I.rating AS g ON false
        WHERE NOT EXISTS (
            SELECT FROM %3$I.rating AS r WHERE r.player_id %4$s p.player AND r.pool = n.pool)
        ORDER BY 1, 2',
        skillrating_internal.rating_row(ladder, 'r'), renamed, ladder, t.player_equals,
        skillrating_internal.rating_row(ladder, 'g')),
        players, pseudonyms);
END
$function$;

COMMENT ON FUNCTION skillrating_internal.forget_changes(text, text[], text[]) IS
'A part of forget_player(), before it renames: puts the pseudonyms into the changes that a ladder
keeps, and adds those that tell readers of the new names.';

CREATE FUNCTION skillrating_internal.swap_changes(
    ladder text,
    other text)
RETURNS void
LANGUAGE plpgsql VOLATILE STRICT
SET search_path = pg_catalog, pg_temp
AS $function$
DECLARE
    t record := skillrating_internal.ladder_types(ladder);
BEGIN
    IF skillrating_internal.change_origin(ladder) IS NULL THEN
        RETURN;
    END IF;
    PERFORM skillrating_internal.put_changes(ladder, 'swap', format(
        'SELECT coalesce(r.player_id, o.player_id) AS player_id, coalesce(r.pool, o.pool) AS pool,
            o.rating AS rating_before, o.games AS games_before, %s
        FROM %I.rating AS r FULL JOIN %I.rating AS o ON r.player_id %s o.player_id AND r.pool = o.pool',
        skillrating_internal.rating_row(ladder, 'r'), ladder, other, t.player_equals),
        NULL, NULL);
END
$function$;

COMMENT ON FUNCTION skillrating_internal.swap_changes(text, text) IS
'A part of swap_ladders(), after the tables have changed schemas: adds to the changes that a ladder
keeps, which stay with its name, what the other formula makes of all ratings.';

CREATE FUNCTION skillrating_internal.empty_changes(ladder text)
RETURNS void
LANGUAGE plpgsql VOLATILE STRICT
SET search_path = pg_catalog, pg_temp
AS $function$
BEGIN
    IF skillrating_internal.change_origin(ladder) IS NULL THEN
        RETURN;
    END IF;
    PERFORM skillrating_internal.put_changes(ladder, 'empty', format(
        'SELECT r.player_id, r.pool, r.rating AS rating_before, r.games AS games_before, %s
        FROM %I.rating AS r LEFT JOIN %2$I.rating AS g ON false',
        skillrating_internal.rating_row(ladder, 'g'), ladder),
        NULL, NULL);
END
$function$;

COMMENT ON FUNCTION skillrating_internal.empty_changes(text) IS
'A part of reset_ladder(), before it deletes: adds to the changes that a ladder keeps, which stay,
that no rating is there any more.';
-- Ratings in a table of the user's own.

CREATE FUNCTION skillrating_internal.mirror_columns(
    ladder text,
    relation regclass,
    columns jsonb,
    alias text,
    OUT name text,
    OUT source_name text,
    OUT value text,
    OUT cast_value text,
    OUT converts boolean,
    OUT has_default boolean)
RETURNS SETOF record
LANGUAGE plpgsql STABLE STRICT
SET search_path = pg_catalog, pg_temp
AS $function$
DECLARE
    rating regclass := to_regclass(format('%I.rating', ladder));
    wrong text;
BEGIN
    PERFORM skillrating_internal.check_inside(ladder);
    SELECT format('table %s has no column "%s"', w.relation, w.name) INTO wrong
    FROM (
        SELECT mirror_columns.relation, c.key AS name FROM jsonb_each_text(columns) AS c
        UNION ALL SELECT rating, c.value FROM jsonb_each_text(columns) AS c) AS w(relation, name)
    WHERE NOT EXISTS (
        SELECT FROM pg_attribute AS a
        WHERE a.attrelid = w.relation AND a.attname = w.name AND a.attnum > 0
            AND NOT a.attisdropped)
    LIMIT 1;
    IF wrong IS NOT NULL THEN
        RAISE undefined_column USING MESSAGE = wrong;
    END IF;
    -- Where the table wants a value and rating may have none, the value stays.
    RETURN QUERY
    SELECT c.key, c.value,
        CASE WHEN required.v AND NOT b.attnotnull
            THEN format('coalesce(CAST(%s.%I AS %s), u.%I)', alias, c.value, type.v, c.key)
            ELSE format('%s.%I', alias, c.value) END,
        CASE WHEN required.v AND NOT b.attnotnull
            THEN format('coalesce(CAST(%s.%I AS %s), u.%I)', alias, c.value, type.v, c.key)
            ELSE format('CAST(%s.%I AS %s)', alias, c.value, type.v) END,
        (a.atttypid, a.atttypmod) <> (b.atttypid, b.atttypmod),
        a.atthasdef OR t.typdefault IS NOT NULL OR NOT required.v
    FROM jsonb_each_text(columns) AS c
    JOIN pg_attribute AS a ON a.attrelid = relation AND a.attname = c.key
    JOIN pg_attribute AS b ON b.attrelid = rating AND b.attname = c.value
    JOIN pg_type AS t ON t.oid = a.atttypid
    CROSS JOIN LATERAL (SELECT a.attnotnull OR t.typnotnull) AS required(v)
    CROSS JOIN LATERAL (SELECT format_type(a.atttypid, a.atttypmod)) AS type(v);
END
$function$;

COMMENT ON FUNCTION skillrating_internal.mirror_columns(text, regclass, jsonb, text) IS
'A part of mirror_rating(): for each column of a table that mirrors one of rating, its new value
over rows u of the table and those of rating under an alias, as it is assigned and cast to the
column''s type; whether the types differ, so that a value may not fit; and whether there is a value
for a row without rating: a default, or null. Error 42703 for a column that is not there.';

CREATE FUNCTION skillrating_internal.check_mirror_owner(
    ladder text,
    relation regclass)
RETURNS void
LANGUAGE plpgsql STABLE STRICT
SET search_path = pg_catalog, pg_temp
AS $function$
BEGIN
    PERFORM skillrating_internal.check_inside(ladder);
    -- What hangs on a table of another role would run with the rights of the ladder's owner.
    IF NOT skillrating_internal.owns_mirror(ladder, relation) THEN
        RAISE insufficient_privilege USING
            MESSAGE = format('table %s does not belong to the owner of ladder "%s"', relation,
                ladder),
            HINT = 'Its partitions, and tables that inherit from it, must belong to that role as well.';
    END IF;
END
$function$;

COMMENT ON FUNCTION skillrating_internal.check_mirror_owner(text, regclass) IS
'A part of mirror_rating(): error 42501 unless a table belongs to the owner of the ladder.';

CREATE FUNCTION skillrating_internal.owns_mirror(
    ladder text,
    relation regclass)
RETURNS boolean
LANGUAGE sql STABLE STRICT
SET search_path = pg_catalog, pg_temp
AS $function$
    SELECT EXISTS (
        SELECT FROM pg_class AS c
        JOIN pg_class AS r ON r.relowner = c.relowner
        WHERE c.oid = relation AND r.oid = to_regclass(format('%I.rating', ladder))
            -- What hangs on a table below it runs as well.
            AND NOT EXISTS (
                WITH RECURSIVE below(oid) AS (
                    SELECT i.inhrelid FROM pg_inherits AS i WHERE i.inhparent = c.oid
                    UNION
                    SELECT i.inhrelid FROM below AS b JOIN pg_inherits AS i ON i.inhparent = b.oid)
                SELECT FROM below AS b JOIN pg_class AS d ON d.oid = b.oid
                WHERE d.relowner <> r.relowner))
$function$;

COMMENT ON FUNCTION skillrating_internal.owns_mirror(text, regclass) IS
'Whether a table exists and belongs to the owner of a ladder, with all partitions and tables that
inherit from it.';

CREATE FUNCTION skillrating_internal.rated_condition(
    ladder text,
    alias text)
RETURNS text
LANGUAGE plpgsql STABLE STRICT
SET search_path = pg_catalog, pg_temp
AS $function$
DECLARE
    t record := skillrating_internal.ladder_types(ladder);
BEGIN
    RETURN format(
        '(%2$s.games > 0 OR EXISTS (
            SELECT FROM %1$I.event AS e
            WHERE e.player_id %3$s %2$s.player_id AND e.pool = %2$s.pool)%4$s)',
        ladder, alias, t.player_equals,
        CASE WHEN to_regclass(format('%I.horizon', ladder)) IS NOT NULL THEN format(' OR EXISTS (
            SELECT FROM %1$I.horizon AS h
            WHERE h.player_id %3$s %2$s.player_id AND h.pool = %2$s.pool)', ladder, alias,
            t.player_equals) END);
END
$function$;

COMMENT ON FUNCTION skillrating_internal.rated_condition(text, text) IS
'A part of mirror_rating(): the condition that a match or an operation has made a row of rating,
which otherwise only has room for the first match of a player.';

CREATE FUNCTION skillrating_internal.mirror_statement(
    ladder text,
    relation regclass,
    key text,
    pool text,
    columns jsonb,
    players text,
    OUT statement text,
    OUT converts boolean)
LANGUAGE plpgsql STABLE STRICT
SET search_path = pg_catalog, pg_temp
AS $function$
DECLARE
    t record := skillrating_internal.ladder_types(ladder);
BEGIN
    PERFORM skillrating_internal.check_mirror_owner(ladder, relation);
    -- OFFSET keeps the planner from casting the ratings of others, which need not fit.
    SELECT format(
            'UPDATE %1$s AS u SET %2$s
            FROM (
                SELECT r.* FROM (%3$s) AS k(player_id)
                JOIN %4$I.rating AS r ON r.player_id %5$s k.player_id AND r.pool = %6$L
                WHERE %8$s OFFSET 0) AS r
            WHERE u.%7$I %5$s r.player_id AND (%9$s)',
            relation, string_agg(format('%I = %s', c.name, c.value), ', '), players, ladder,
            t.player_equals, pool, mirror_statement.key,
            skillrating_internal.rated_condition(ladder, 'r'),
            string_agg(format('u.%I IS DISTINCT FROM %s', c.name, c.cast_value), ' OR ')),
        bool_or(c.converts)
    INTO statement, converts
    FROM skillrating_internal.mirror_columns(ladder, relation, columns, 'r') AS c;
END
$function$;

COMMENT ON FUNCTION skillrating_internal.mirror_statement(text, regclass, text, text, jsonb, text) IS
'A part of mirror_rating(): the statement that makes the columns of a table equal to those of
rating, for those of the players that a query gives who have a rating, and whether a value is
converted on the way, so that it may not fit. Errors: 42501 if the table is not the ladder''s
owner''s, 42703 for a column that does not exist.';

CREATE FUNCTION skillrating_internal.unrated_statement(
    ladder text,
    relation regclass,
    key text,
    pool text,
    columns jsonb,
    players text)
RETURNS text
LANGUAGE plpgsql STABLE STRICT
SET search_path = pg_catalog, pg_temp
AS $function$
DECLARE
    t record := skillrating_internal.ladder_types(ladder);
BEGIN
    PERFORM skillrating_internal.check_mirror_owner(ladder, relation);
    RETURN (
        SELECT format(
            'UPDATE %1$s AS u SET %2$s
            FROM (%3$s) AS o
            WHERE u.%4$I %5$s o.player_id
                AND NOT EXISTS (
                    SELECT FROM %6$I.rating AS r
                    WHERE r.player_id %5$s o.player_id AND r.pool = %7$L AND %8$s)',
            relation, string_agg(format('%I = DEFAULT', c.name), ', '), players,
            unrated_statement.key, t.player_equals, ladder, pool,
            skillrating_internal.rated_condition(ladder, 'r'))
        FROM skillrating_internal.mirror_columns(ladder, relation, columns, 'r') AS c
        WHERE c.has_default
        HAVING count(*) > 0);
END
$function$;

COMMENT ON FUNCTION skillrating_internal.unrated_statement(text, regclass, text, text, jsonb, text) IS
'A part of mirror_rating(): the statement that gives the columns of a table their defaults for those
of the players, rows o that a query gives, who have no rating any more; columns that may not be null
and have no default stay. Null if all do. Errors as for mirror_statement().';

CREATE FUNCTION skillrating_internal.mirror_fault(
    ladder text,
    relation regclass,
    key text,
    pool text,
    columns jsonb,
    players text[])
RETURNS void
LANGUAGE plpgsql VOLATILE STRICT
SET search_path = pg_catalog, pg_temp
AS $function$
DECLARE
    t record := skillrating_internal.ladder_types(ladder);
    query constant text := format('SELECT unnest(CAST($1 AS %s[]))', t.player_type);
    half integer;
    c record;
    detail text;
BEGIN
    WHILE cardinality(players) > 1 LOOP
        half := cardinality(players) / 2;
        BEGIN
            EXECUTE (skillrating_internal.mirror_statement(ladder, relation, key, pool, columns,
                query)).statement
            USING players[:half];
            players := players[half + 1:];
        EXCEPTION
            WHEN data_exception OR integrity_constraint_violation THEN
                players := players[:half];
        END;
    END LOOP;
    FOR c IN SELECT * FROM jsonb_each_text(columns) AS e(name, source_name) LOOP
        BEGIN
            EXECUTE (skillrating_internal.mirror_statement(ladder, relation, key, pool,
                jsonb_build_object(c.name, c.source_name), query)).statement
            USING players;
        EXCEPTION
            WHEN data_exception OR integrity_constraint_violation THEN
                GET STACKED DIAGNOSTICS detail = PG_EXCEPTION_DETAIL;
                RAISE USING
                    ERRCODE = SQLSTATE,
                    MESSAGE = format('column "%s" of table %s cannot have the %s of player %s: %s',
                        c.name, relation, c.source_name, players[1], SQLERRM),
                    DETAIL = detail,
                    HINT = 'Give the column another type, or end the mirror by '
                        'skillrating.unmirror_rating().';
        END;
    END LOOP;
END
$function$;

COMMENT ON FUNCTION skillrating_internal.mirror_fault(text, regclass, text, text, jsonb, text[]) IS
'A part of mirror_rating(), after mirror_statement() has failed for one of some players: finds by
halves who that is and in which column, and raises the error with their names.';

CREATE FUNCTION skillrating_internal.write_mirror(
    ladder text,
    relation regclass,
    key text,
    pool text,
    columns jsonb,
    players text[])
RETURNS bigint
LANGUAGE plpgsql VOLATILE
SET search_path = pg_catalog, pg_temp
AS $function$
DECLARE
    t record := skillrating_internal.ladder_types(ladder);
    write record;
    n bigint;
BEGIN
    IF players = '{}' THEN
        RETURN 0;
    END IF;
    write := skillrating_internal.mirror_statement(ladder, relation, key, pool, columns,
        CASE WHEN players IS NULL
            THEN format('SELECT p.player_id FROM %I.rating AS p WHERE p.pool = %L', ladder, pool)
            ELSE format('SELECT unnest(CAST($1 AS %s[]))', t.player_type) END);
    -- Values of the same type fit, and the errors of constraints and triggers name the row.
    IF NOT write.converts THEN
        EXECUTE write.statement USING players;
        GET DIAGNOSTICS n = ROW_COUNT;
        RETURN n;
    END IF;
    BEGIN
        EXECUTE write.statement USING players;
        GET DIAGNOSTICS n = ROW_COUNT;
        RETURN n;
    EXCEPTION
        WHEN data_exception OR integrity_constraint_violation THEN
            IF players IS NULL THEN
                EXECUTE format(
                    'SELECT array_agg(p.player_id::text) FROM %I.rating AS p WHERE p.pool = $1',
                    ladder)
                INTO players USING pool;
            END IF;
            PERFORM skillrating_internal.mirror_fault(ladder, relation, key, pool, columns,
                players);
            RAISE;
    END;
END
$function$;

COMMENT ON FUNCTION skillrating_internal.write_mirror(text, regclass, text, text, jsonb, text[]) IS
'A part of mirror_rating(): writes the ratings of some players, or of all (null), to a table, and
returns how many rows that were. An error because a value does not fit names the column, the table
and the player.';

CREATE FUNCTION skillrating_internal.working_mirrors(
    ladder text,
    table_oid regclass DEFAULT NULL,
    OUT relation regclass,
    OUT pool text,
    OUT key text,
    OUT columns jsonb)
RETURNS SETOF record
LANGUAGE plpgsql VOLATILE
SET search_path = pg_catalog, pg_temp
AS $function$
DECLARE
    suspended regclass;
BEGIN
    PERFORM skillrating_internal.check_inside(ladder);
    FOR relation, pool, key, columns IN EXECUTE format(
        'SELECT m.relation, m.pool, m.key, m.columns
        FROM %I.mirror AS m JOIN pg_class AS c ON c.oid = m.relation
        WHERE m.relation = coalesce($1, m.relation) ORDER BY m.relation::oid, m.pool', ladder)
    USING table_oid
    LOOP
        IF skillrating_internal.owns_mirror(ladder, relation) THEN
            -- From here on it cannot be given away: what writes to it asks again who owns it.
            IF EXISTS (
                SELECT FROM pg_class AS c WHERE c.oid = relation AND c.relkind IN ('r', 'p'))
            THEN
                EXECUTE format('LOCK TABLE %s IN ROW EXCLUSIVE MODE', relation);
            END IF;
            RETURN NEXT;
        ELSIF relation IS DISTINCT FROM suspended THEN
            suspended := relation;
            RAISE WARNING USING
                ERRCODE = 'insufficient_privilege',
                MESSAGE = format('table %s mirrors ladder "%s" and gets no ratings, because it '
                    'does not belong to the ladder''s owner', relation, ladder),
                HINT = 'Give it and its partitions to that role and call '
                    'skillrating.mirror_rating() again, or end the mirror by '
                    'skillrating.unmirror_rating().';
        END IF;
    END LOOP;
END
$function$;

COMMENT ON FUNCTION skillrating_internal.working_mirrors(text, regclass) IS
'A part of mirror_rating(): the rows of table mirror of a ladder, or those of one table, that are to
be written to. A table that was dropped is left out; one that belongs to another role by now is left
out with a warning, because what hangs on it would run with the rights of the ladder''s owner, and
keeps nobody from rating.';

CREATE FUNCTION skillrating_internal.update_mirrors()
RETURNS trigger
AS 'MODULE_PATHNAME', 'skillrating_update_mirrors'
LANGUAGE C;

COMMENT ON FUNCTION skillrating_internal.update_mirrors() IS
'Trigger function on the table rating of a ladder, after each statement: opens the door to the
ladder and calls write_mirrors(). Error 39P01 if it is attached otherwise, 55000 on any other
table.';

CREATE FUNCTION skillrating_internal.write_mirrors()
RETURNS trigger
LANGUAGE plpgsql
SET search_path = pg_catalog, pg_temp
AS $function$
DECLARE
    m record;
    players text[];
    statement text;
BEGIN
    FOR m IN SELECT w.* FROM skillrating_internal.working_mirrors(TG_TABLE_SCHEMA) AS w LOOP
        IF TG_OP <> 'DELETE' THEN
            players := ARRAY(
                SELECT c.player_id::text FROM changed AS c WHERE c.pool = m.pool);
            PERFORM skillrating_internal.write_mirror(TG_TABLE_SCHEMA, m.relation, m.key, m.pool,
                m.columns, players);
            CONTINUE;
        END IF;
        statement := skillrating_internal.unrated_statement(TG_TABLE_SCHEMA, m.relation, m.key,
            m.pool, m.columns, format('SELECT r.player_id FROM changed AS r WHERE r.pool = %L',
                m.pool));
        IF statement IS NOT NULL THEN
            EXECUTE statement;
        END IF;
    END LOOP;
    RETURN NULL;
END
$function$;

COMMENT ON FUNCTION skillrating_internal.write_mirrors() IS
'The body of update_mirrors(): writes what changed to the tables that mirror_rating() has named.';

CREATE FUNCTION skillrating_internal.fill_mirror()
RETURNS trigger
AS 'MODULE_PATHNAME', 'skillrating_fill_mirror'
LANGUAGE C;

COMMENT ON FUNCTION skillrating_internal.fill_mirror() IS
'Trigger function on a table that mirrors a ladder, after rows are inserted: opens the door to the
ladder, whose view source the WHEN condition of the trigger names, and calls write_inserted(). Error
39P01 if it is attached otherwise, 55000 on a table that mirror_rating() was not given.';

CREATE FUNCTION skillrating_internal.write_inserted()
RETURNS trigger
LANGUAGE plpgsql
SET search_path = pg_catalog, pg_temp
AS $function$
DECLARE
    ladder constant text := TG_ARGV[0];
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
        players := array_remove(players, NULL);
        PERFORM skillrating_internal.write_mirror(ladder, TG_RELID, m.key, m.pool, m.columns,
            coalesce(players, '{}'));
    END LOOP;
    RETURN NULL;
END
$function$;

COMMENT ON FUNCTION skillrating_internal.write_inserted() IS
'The body of fill_mirror(): gives the rows that were inserted into a mirrored table the ratings of
their players. The argument is the ladder; the rows are the transition table inserted, or NEW.';

CREATE FUNCTION skillrating_internal.drop_mirror_triggers(
    source regclass,
    relation regclass DEFAULT NULL)
RETURNS bigint
AS 'MODULE_PATHNAME', 'skillrating_drop_mirror_triggers'
LANGUAGE C VOLATILE;

COMMENT ON FUNCTION skillrating_internal.drop_mirror_triggers(regclass, regclass) IS
'The same as drop_collect_triggers() for the triggers that mirror_rating() made on mirrored
tables.';

CREATE FUNCTION skillrating_internal.create_fill_triggers(ladder text)
RETURNS bigint
LANGUAGE plpgsql VOLATILE STRICT
SET search_path = pg_catalog, pg_temp
AS $function$
DECLARE
    source regclass := to_regclass(format('%I.source', ladder));
    m record;
    name text;
    n bigint := 0;
BEGIN
    PERFORM skillrating_internal.check_inside(ladder);
    FOR m IN EXECUTE format(
        'SELECT DISTINCT m.relation, c.relkind FROM %I.mirror AS m
        JOIN pg_class AS c ON c.oid = m.relation
        WHERE skillrating_internal.owns_mirror($1, m.relation) AND NOT EXISTS (
            SELECT FROM pg_depend AS d JOIN pg_trigger AS t ON t.oid = d.objid
            WHERE d.refclassid = ''pg_class''::regclass AND d.refobjid = $2
                AND d.classid = ''pg_trigger''::regclass AND t.tgrelid = m.relation
                AND t.tgfoid = ''skillrating_internal.fill_mirror''::regproc)
        ORDER BY m.relation', ladder)
    USING ladder, source
    LOOP
        -- A table may mirror several ladders. Nothing is found by these names.
        SELECT format('skillrating_mirror%s', '_' || nullif(s.i, 1)) INTO name
        FROM generate_series(1, 1000) AS s(i)
        WHERE NOT EXISTS (
            SELECT FROM pg_trigger AS t
            WHERE t.tgrelid = m.relation
                AND t.tgname = format('skillrating_mirror%s', '_' || nullif(s.i, 1)))
        ORDER BY s.i LIMIT 1;
        -- Foreign tables have no transition tables.
        EXECUTE format(
            'CREATE TRIGGER %I AFTER INSERT ON %s %s WHEN (%L::regclass IS NOT NULL)
            EXECUTE FUNCTION skillrating_internal.fill_mirror()', name, m.relation,
            CASE m.relkind WHEN 'f' THEN 'FOR EACH ROW'
                ELSE 'REFERENCING NEW TABLE AS inserted FOR EACH STATEMENT' END, source);
        n := n + 1;
    END LOOP;
    RETURN n;
END
$function$;

COMMENT ON FUNCTION skillrating_internal.create_fill_triggers(text) IS
'A part of mirror_rating() and restore_triggers(): makes those triggers on mirrored tables that do
not exist, as far as the tables belong to the ladder''s owner, and returns how many.';

CREATE FUNCTION skillrating_internal.mirror_triggers(ladder text)
RETURNS bigint
LANGUAGE plpgsql VOLATILE STRICT
SET search_path = pg_catalog, pg_temp
AS $function$
DECLARE
    rating regclass := to_regclass(format('%I.rating', ladder));
    wanted boolean;
    t record;
    there boolean;
    n bigint := 0;
BEGIN
    -- Error unless the door to the ladder is open.
    PERFORM skillrating_internal.ladder_types(ladder);
    EXECUTE format('SELECT EXISTS (SELECT FROM %I.mirror)', ladder) INTO wanted;
    FOR t IN
        SELECT v.*
        FROM (VALUES
            ('mirror_insert', 'INSERT', 'NEW'),
            ('mirror_update', 'UPDATE', 'NEW'),
            ('mirror_delete', 'DELETE', 'OLD')) AS v(trigger_name, event, rows)
    LOOP
        there := EXISTS (
            SELECT FROM pg_trigger AS g
            WHERE g.tgrelid = rating AND g.tgname = t.trigger_name);
        IF wanted AND NOT there THEN
            EXECUTE format(
                'CREATE TRIGGER %I AFTER %s ON %s REFERENCING %s TABLE AS changed
                FOR EACH STATEMENT EXECUTE FUNCTION skillrating_internal.update_mirrors()',
                t.trigger_name, t.event, rating, t.rows);
            n := n + 1;
        ELSIF there AND NOT wanted THEN
            EXECUTE format('DROP TRIGGER %I ON %s', t.trigger_name, rating);
        END IF;
    END LOOP;
    RETURN n + skillrating_internal.create_fill_triggers(ladder);
END
$function$;

COMMENT ON FUNCTION skillrating_internal.mirror_triggers(text) IS
'A part of mirror_rating(): makes or drops the triggers of the table rating, as there are mirrors or
not, and makes those of mirrored tables. Returns how many it made.';

CREATE FUNCTION skillrating_internal.check_mirror(
    ladder text,
    relation regclass,
    key text,
    columns jsonb,
    pool text)
RETURNS void
LANGUAGE plpgsql VOLATILE STRICT
SET search_path = pg_catalog, pg_temp
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
            'component_horizon', 'horizon',
            'ladder', 'match', 'match_player', 'mirror', 'operation', 'pending', 'rated_match', 'rating', 'rating_count', 'rating_count_delta', 'solved',
            'solved_context', 'standing', 'work']) AS n(name))
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
    IF key_type IS DISTINCT FROM t.player_type::regtype THEN
        RAISE datatype_mismatch USING
            MESSAGE = CASE WHEN key_type IS NULL
                THEN format('table %s has no column "%s"', relation, key)
                ELSE format('column "%s" of table %s is of type %s, not %s', key, relation,
                    key_type, t.player_type::regtype) END,
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

COMMENT ON FUNCTION skillrating_internal.check_mirror(text, regclass, text, jsonb, text) IS
'A part of mirror_rating(): errors for a relation, a key or columns that cannot be written to, which
name the column.';

CREATE FUNCTION skillrating_internal.check_table_is_local(relation regclass)
RETURNS void
LANGUAGE plpgsql STABLE STRICT
SET search_path = pg_catalog, pg_temp
AS $function$
DECLARE
    is_distributed boolean := false;
BEGIN
    IF to_regclass('pg_catalog.pg_dist_partition') IS NOT NULL THEN
        EXECUTE 'SELECT EXISTS (SELECT FROM pg_catalog.pg_dist_partition AS d WHERE d.logicalrelid = $1)'
        INTO is_distributed
        USING relation;
    END IF;
    IF is_distributed THEN
        RAISE feature_not_supported USING
            MESSAGE = format('table %s is distributed by Citus', relation),
            HINT = 'Mirror into a local table, or read the ladder''s table rating.';
    END IF;
END
$function$;

COMMENT ON FUNCTION skillrating_internal.check_table_is_local(regclass) IS
'A part of mirror_rating(): error 0A000 for a table whose rows Citus keeps on other servers, where
the ladder''s triggers do not see them.';

CREATE FUNCTION skillrating_internal.mirror_rating(
    ladder text,
    relation regclass,
    key text,
    columns jsonb,
    pool text DEFAULT '',
    OUT players bigint)
LANGUAGE plpgsql VOLATILE STRICT
SET search_path = pg_catalog, pg_temp
AS $function$
BEGIN
    PERFORM skillrating_internal.ladder_types(ladder);
    PERFORM skillrating_internal.check_relation(relation);
    PERFORM skillrating_internal.check_table_is_local(relation);
    PERFORM skillrating_internal.check_mirror(ladder, relation, key, columns, pool);
    EXECUTE format(
        'INSERT INTO %I.mirror (relation, pool, key, columns) VALUES ($1, $2, $3, $4)
        ON CONFLICT (relation, pool) DO UPDATE
        SET key = excluded.key, columns = excluded.columns', ladder)
    USING relation, pool, key, columns;
    PERFORM skillrating_internal.mirror_triggers(ladder);
    -- Players without a rating keep what the table has: it may be all that is known of them.
    players := skillrating_internal.write_mirror(ladder, relation, key, pool, columns, NULL);
END
$function$;

SELECT skillrating_internal.create_entry('mirror_rating');

COMMENT ON FUNCTION skillrating.mirror_rating(text, regclass, text, jsonb, text) IS
'Keeps columns of a table of the user''s own equal to those of rating in a pool, from now on, in the
transaction that rates and for the rows that change only; a row that is inserted there gets the
rating of its player at once. Players who have no rating yet keep what the table has; for those
whose rating goes, as by merge_players(), the columns get their defaults, and columns that may not
be null and have none keep the last value. columns maps the table''s columns to those of rating, as
in {"elo": "rating", "played": "games"}, and key is its column that identifies players, of the
ladder''s type. The table may be partitioned or foreign. Called again for the same table and pool it
replaces what was. Returns the number of players whose rows it wrote at once. Errors: 42704 for an
unknown ladder, 42809 for a view, 42804 for a key of another type or a column that cannot have the
value, 0A000 for a table that Citus distributes, 428C9 for a generated column, 42703 for an unknown column, 22023 for columns that are no
object of names, 42501 if the table does not belong to the ladder''s owner. A value that does not
fit is an error of what rates, which names the column, the table and the player. While the table,
or a partition of it, belongs to another role than the ladder it gets no ratings, with a warning,
and matches are rated all the same.';

CREATE FUNCTION skillrating_internal.unmirror_rating(
    ladder text,
    relation regclass,
    pool text DEFAULT '')
RETURNS void
LANGUAGE plpgsql VOLATILE STRICT
SET search_path = pg_catalog, pg_temp
AS $function$
DECLARE
    n bigint;
    wanted boolean;
BEGIN
    PERFORM skillrating_internal.ladder_types(ladder);
    EXECUTE format('DELETE FROM %I.mirror AS m WHERE m.relation = $1 AND m.pool = $2', ladder)
    USING relation, pool;
    GET DIAGNOSTICS n = ROW_COUNT;
    IF n = 0 THEN
        RAISE undefined_object USING
            MESSAGE = format('table %s mirrors no rating of pool "%s" of ladder "%s"', relation,
                pool, ladder);
    END IF;
    EXECUTE format('SELECT EXISTS (SELECT FROM %I.mirror AS m WHERE m.relation = $1)', ladder)
    INTO wanted USING relation;
    IF NOT wanted THEN
        PERFORM skillrating_internal.drop_mirror_triggers(
            to_regclass(format('%I.source', ladder)), relation);
    END IF;
    PERFORM skillrating_internal.mirror_triggers(ladder);
END
$function$;

SELECT skillrating_internal.create_entry('unmirror_rating');

COMMENT ON FUNCTION skillrating.unmirror_rating(text, regclass, text) IS
'Undoes mirror_rating(): the table keeps what it has. Error 42704 for an unknown ladder or a table
that is no mirror.';
-- What is done beside rating: notifications, and whatever else a schedule asks for.

CREATE FUNCTION skillrating_internal.newest_cursor(ladder text)
RETURNS text
AS 'MODULE_PATHNAME', 'skillrating_newest_cursor'
LANGUAGE C VOLATILE STRICT;

COMMENT ON FUNCTION skillrating_internal.newest_cursor(text) IS
'The cursor of a reader of changes() who has had all that is committed, without reading it. Error
55000 unless the door to the ladder is open.';

CREATE FUNCTION skillrating_internal.note_task(ladder text, task text)
RETURNS void
AS 'MODULE_PATHNAME', 'skillrating_note_task'
LANGUAGE C VOLATILE STRICT;

COMMENT ON FUNCTION skillrating_internal.note_task(text, text) IS
'A part of work_step(): has progress() show the task that begins. Error 55000 unless the door to the
ladder is open.';

CREATE FUNCTION skillrating_internal.has_work_table(ladder text)
RETURNS boolean
LANGUAGE plpgsql STABLE STRICT
SET search_path = pg_catalog, pg_temp
AS $function$
DECLARE
    w record;
BEGIN
    PERFORM skillrating_internal.check_inside(ladder);
    SELECT c.relkind, c.relowner = l.relowner AS is_owned INTO w
    FROM pg_class AS c JOIN pg_class AS l ON l.oid = to_regclass(format('%I.ladder', ladder))
    WHERE c.oid = to_regclass(format('%I.work', ladder));
    IF NOT FOUND THEN
        RETURN false;
    END IF;
    IF NOT w.is_owned THEN
        RAISE insufficient_privilege USING
            MESSAGE = format('relation %I.work is not owned by the owner of the ladder', ladder),
            HINT = 'Give all relations of a ladder to one role.';
    END IF;
    IF w.relkind <> 'r' THEN
        RAISE wrong_object_type USING
            MESSAGE = format('relation %I.work is not a table', ladder);
    END IF;
    RETURN true;
END
$function$;

COMMENT ON FUNCTION skillrating_internal.has_work_table(text) IS
'Whether a ladder has a table work. Work on it runs as the ladder''s owner, so that nobody else may
have put it there: error 42501 if it belongs to another role, 42809 if it is no table, 55000 unless
the door to the ladder is open.';

CREATE FUNCTION skillrating_internal.create_work_table(ladder text)
RETURNS void
LANGUAGE plpgsql VOLATILE STRICT
SET search_path = pg_catalog, pg_temp
AS $function$
BEGIN
    PERFORM skillrating_internal.check_inside(ladder);
    -- Of two who both find no table, the second one waits and then finds that of the first.
    IF NOT skillrating_internal.has_work_table(ladder) THEN
        EXECUTE format('LOCK TABLE %I.ladder IN SHARE UPDATE EXCLUSIVE MODE', ladder);
    END IF;
    IF skillrating_internal.has_work_table(ladder) THEN
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

COMMENT ON FUNCTION skillrating_internal.create_work_table(text) IS
'Creates the table work of a ladder unless it has one. Error 55000 unless the door to the ladder is
open.';

CREATE FUNCTION skillrating_internal.end_task(ladder text, task text)
RETURNS boolean
LANGUAGE plpgsql VOLATILE STRICT
SET search_path = pg_catalog, pg_temp
AS $function$
DECLARE
    n bigint := 0;
BEGIN
    PERFORM skillrating_internal.check_inside(ladder);
    IF skillrating_internal.has_work_table(ladder) THEN
        EXECUTE format('DELETE FROM %I.work AS w WHERE w.task = $1', ladder) USING task;
        GET DIAGNOSTICS n = ROW_COUNT;
    END IF;
    RETURN n > 0;
END
$function$;

COMMENT ON FUNCTION skillrating_internal.end_task(text, text) IS
'Takes a task from the table work of a ladder; false if it was not there. Waits for whoever is doing
it. Error 55000 unless the door to the ladder is open.';

CREATE FUNCTION skillrating_internal.check_every(name text, every interval)
RETURNS void
LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE
SET search_path = pg_catalog, pg_temp
AS $function$
BEGIN
    IF every <= '0' THEN
        RAISE invalid_parameter_value USING
            MESSAGE = format('%s must be more than 0, not %s', name, every);
    END IF;
END
$function$;

COMMENT ON FUNCTION skillrating_internal.check_every(text, interval) IS
'Error 22023 for an interval of 0 or less, in an argument of that name.';

CREATE FUNCTION skillrating_internal.schedule_work(
    ladder text,
    task text,
    every interval,
    keep interval DEFAULT NULL,
    starting_at timestamptz DEFAULT now())
RETURNS void
LANGUAGE plpgsql VOLATILE
SET search_path = pg_catalog, pg_temp
AS $function$
BEGIN
    IF ladder IS NULL OR task IS NULL OR starting_at IS NULL THEN
        RAISE null_value_not_allowed USING
            MESSAGE = 'ladder, task and starting_at must not be null';
    END IF;
    PERFORM skillrating_internal.ladder_types(ladder);
    IF task NOT IN ('catch_up', 'settle', 'fold_counts', 'trim_changes', 'make_partitions') THEN
        RAISE invalid_parameter_value USING
            MESSAGE = format('task must be "catch_up", "settle", "fold_counts", "trim_changes" or '
                '"make_partitions", not "%s"', task),
            HINT = 'skillrating.notify_changes() begins and ends notifications.';
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

SELECT skillrating_internal.create_entry('schedule_work');

COMMENT ON FUNCTION skillrating.schedule_work(text, text, interval, interval, timestamptz) IS
'Has work() do a task for a ladder from now on, in place of what was said of it before; with a null
in every no more.
task: catch_up (if matches wait in pending or corrections in correction), settle (idle time up to
then), fold_counts (for a database in which all transactions are serializable), trim_changes (of
changes from before now() - keep), or make_partitions (two ahead, of tables that
partition_history() has partitioned).
every: at the least so much time lies between; keep: for trim_changes only, how long changes are
kept; starting_at: when it is due first, now by default, and from then on at the same time of day if
every is 1 day.
Nothing happens without calls of work(). Errors: 42704 for an unknown ladder, 42501 unless the
caller owns it, 22004 for nulls, 22023 for another task, an interval that is not positive, or keep
where it does not belong, 22008 for an infinite time, 55000 if there are to be changes and the
ladder does not keep them, or partitions and its table event has none.';

CREATE FUNCTION skillrating_internal.check_changes_kept(ladder text)
RETURNS void
LANGUAGE plpgsql STABLE STRICT
SET search_path = pg_catalog, pg_temp
AS $function$
BEGIN
    IF skillrating_internal.change_origin(ladder) IS NULL THEN
        RAISE object_not_in_prerequisite_state USING
            MESSAGE = format('ladder "%s" does not keep its changes', ladder),
            HINT = format('SELECT skillrating.keep_changes(%L) begins to keep them.', ladder);
    END IF;
END
$function$;

COMMENT ON FUNCTION skillrating_internal.check_changes_kept(text) IS
'Error 55000 if a ladder does not keep its changes, or the door to it is not open.';

CREATE FUNCTION skillrating_internal.notification(
    name text,
    changes bigint,
    players text[],
    number bigint DEFAULT NULL)
RETURNS text
LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE
SET search_path = pg_catalog, pg_temp
AS $function$
DECLARE
    max_bytes constant integer := 7999;
    head jsonb := jsonb_strip_nulls(jsonb_build_object('ladder', name, 'changes', changes,
        'number', number, 'start_again', CASE WHEN changes IS NULL THEN true END));
    whole text := head || jsonb_build_object('players', players);
BEGIN
    RETURN CASE WHEN players IS NULL OR octet_length(whole) > max_bytes THEN head::text
        ELSE whole END;
END
$function$;

COMMENT ON FUNCTION skillrating_internal.notification(text, bigint, text[], bigint) IS
'The payload of a notification: a JSON object with the name of a ladder, how many changes there
were, the players if they are given and it stays below 8000 bytes, and a number that makes it
different from others; with null for changes one that says start_again.';

CREATE FUNCTION skillrating_internal.notify_of_changes()
RETURNS trigger
LANGUAGE plpgsql
SET search_path = pg_catalog, pg_temp
AS $function$
DECLARE
    n bigint;
    number bigint;
    players text[];
BEGIN
    IF TG_TABLE_NAME <> 'change' OR TG_NARGS <> 2 OR TG_LEVEL <> 'STATEMENT' OR TG_OP <> 'INSERT'
    THEN
        RAISE trigger_protocol_violated USING
            MESSAGE = 'skillrating_internal.notify_of_changes() is attached by '
                'skillrating.notify_changes()';
    END IF;
    SELECT sum(cardinality(c.pool)), max(c.number) INTO n, number FROM changed AS c;
    IF n > 0 THEN
        IF TG_ARGV[1]::boolean THEN
            players := ARRAY(
                SELECT DISTINCT u.player::text FROM changed AS c, unnest(c.player_id) AS u(player)
                ORDER BY 1);
        END IF;
        PERFORM pg_notify(TG_ARGV[0],
            skillrating_internal.notification(TG_TABLE_SCHEMA, n, players, number));
    END IF;
    RETURN NULL;
END
$function$;

COMMENT ON FUNCTION skillrating_internal.notify_of_changes() IS
'Trigger function on the table change of a ladder, after rows are inserted: notifies the channel of
the first argument at commit, with players if the second one is true. Error 39P01 if it is attached
otherwise.';

CREATE FUNCTION skillrating_internal.drop_notify_triggers(ladder text)
RETURNS void
LANGUAGE plpgsql VOLATILE STRICT
SET search_path = pg_catalog, pg_temp
AS $function$
DECLARE
    name name;
BEGIN
    PERFORM skillrating_internal.check_inside(ladder);
    FOR name IN
        SELECT t.tgname FROM pg_trigger AS t
        WHERE t.tgrelid = to_regclass(format('%I.change', ladder))
            AND t.tgfoid = 'skillrating_internal.notify_of_changes'::regproc
    LOOP
        EXECUTE format('DROP TRIGGER %I ON %I.change', name, ladder);
    END LOOP;
END
$function$;

COMMENT ON FUNCTION skillrating_internal.drop_notify_triggers(text) IS
'A part of notify_changes(): no transaction that rates notifies any more. Error 55000 unless the
door to the ladder is open.';

CREATE FUNCTION skillrating_internal.notify_changes(
    ladder text,
    channel text,
    notify_interval interval DEFAULT '1 second',
    at_commit boolean DEFAULT false,
    players boolean DEFAULT true)
RETURNS void
LANGUAGE plpgsql VOLATILE
SET search_path = pg_catalog, pg_temp
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
    IF channel = '' OR channel <> channel::name::text THEN
        RAISE invalid_parameter_value USING
            MESSAGE = format('channel must be a name of 1 to 63 bytes, not "%s"', channel);
    END IF;
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

SELECT skillrating_internal.create_entry('notify_changes');

COMMENT ON FUNCTION skillrating.notify_changes(text, text, interval, boolean, boolean) IS
'Has listeners on a channel notified that ratings of a ladder have changed, from now on; with a null
channel no more. The ladder must keep its changes, see keep_changes().
A payload is a JSON object below 8000 bytes: {"ladder": ..., "changes": how many, "players": [...]},
without players if they do not fit; {"ladder": ..., "start_again": true} says that nobody knows how
many changes there were, as after a restore.
notify_interval: work() sends one notification for all changes since the last one, when at least so
much time has passed. Nothing is sent without calls of work(); nothing is lost between them.
at_commit: the transaction that changes ratings notifies itself instead, once for up to 64 changes.
Transactions that notify commit one after another, which costs throughput, and cannot be prepared
(PREPARE TRANSACTION gives error 0A000).
players: whether payloads name players; any role that may connect can listen. Waits until nobody
rates. Errors: 42704 for an unknown ladder, 42501 unless the caller owns it, 22004 for nulls, 22023
for a channel that is no name or an interval that is not positive, 55000 if the ladder does not keep
its changes.';

CREATE FUNCTION skillrating_internal.send_notification(
    ladder text,
    channel text,
    with_players boolean,
    INOUT cursor text,
    OUT changes bigint)
LANGUAGE plpgsql VOLATILE
SET search_path = pg_catalog, pg_temp
AS $function$
DECLARE
    max_changes constant bigint := 10000;
    max_players constant integer := 2000;    -- no more can fit: each takes 4 bytes at least
    since text := cursor;
    players text[] := CASE WHEN with_players THEN '{}'::text[] END;
    who text[];
    n bigint := max_changes;
BEGIN
    changes := 0;
    WHILE n >= max_changes LOOP
        SELECT count(*) FILTER (WHERE c.next_cursor IS NULL), max(c.next_cursor),
            array_agg(DISTINCT c.player_id) FILTER (WHERE c.next_cursor IS NULL)
        INTO n, since, who
        FROM skillrating_internal.changes(ladder, since, max_changes) AS c;
        changes := changes + n;
        players := ARRAY(
            SELECT DISTINCT u.player FROM unnest(players || who) AS u(player) ORDER BY 1);
        IF NOT with_players OR cardinality(players) > max_players THEN
            players := NULL;
            with_players := false;
        END IF;
    END LOOP;
    cursor := since;
    IF changes > 0 THEN
        PERFORM pg_notify(channel, skillrating_internal.notification(ladder, changes, players));
    END IF;
EXCEPTION
    WHEN invalid_cursor_state THEN
        changes := 0;
        cursor := skillrating_internal.newest_cursor(ladder);
        PERFORM pg_notify(channel, skillrating_internal.notification(ladder, NULL, NULL));
END
$function$;

COMMENT ON FUNCTION skillrating_internal.send_notification(text, text, boolean, text) IS
'A part of work_step(): notifies a channel of what has changed since a cursor, if anything, and
returns the next one and how many changes it were. Error 55000 unless the door to the ladder is
open.';

CREATE FUNCTION skillrating_internal.catch_up_if_any(ladder text)
RETURNS bigint
LANGUAGE plpgsql VOLATILE STRICT
SET search_path = pg_catalog, pg_temp
AS $function$
DECLARE
    waiting boolean;
BEGIN
    PERFORM skillrating_internal.ladder_types(ladder);
    -- Nobody is kept from rating for nothing.
    EXECUTE format(
        'SELECT EXISTS (SELECT FROM %1$I.pending) OR EXISTS (SELECT FROM %1$I.correction)', ladder)
    INTO waiting;
    RETURN CASE WHEN waiting THEN (SELECT count(*) FROM skillrating.catch_up(ladder)) ELSE 0 END;
END
$function$;

COMMENT ON FUNCTION skillrating_internal.catch_up_if_any(text) IS
'A part of work_step(): catch_up(), if anything waits for it, and how many rows of rating it
changed. Error 55000 unless the door to the ladder is open.';

CREATE FUNCTION skillrating_internal.work_step(
    ladder text,
    task text,
    failure text DEFAULT NULL,
    OUT done bigint)
LANGUAGE plpgsql VOLATILE
SET search_path = pg_catalog, pg_temp
AS $function$
DECLARE
    w record;
    next_cursor text;
BEGIN
    IF ladder IS NULL OR task IS NULL THEN
        RAISE null_value_not_allowed USING MESSAGE = 'ladder and task must not be null';
    END IF;
    PERFORM skillrating_internal.ladder_types(ladder);
    IF NOT skillrating_internal.has_work_table(ladder) THEN
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
        WHEN 'catch_up' THEN
            done := skillrating_internal.catch_up_if_any(ladder);
        WHEN 'settle' THEN
            done := (
                SELECT s.players FROM skillrating.settle(ladder, clock_timestamp(), 'work') AS s);
        WHEN 'fold_counts' THEN
            done := skillrating.fold_counts(ladder);
        WHEN 'trim_changes' THEN
            done := skillrating_internal.trim_changes(ladder, now() - w.keep);
        WHEN 'make_partitions' THEN
            done := skillrating_internal.make_partitions_ahead(ladder);
        WHEN 'notify' THEN
            SELECT s.cursor, s.changes INTO next_cursor, done
            FROM skillrating_internal.send_notification(ladder, w.channel, w.players, w.cursor)
                AS s;
        ELSE
            RAISE invalid_parameter_value USING
                MESSAGE = format('"%s" in table work of ladder "%s" is no task', task, ladder);
    END CASE;
    EXECUTE format(
        'UPDATE %I.work AS w
        SET done_at = clock_timestamp(), done = $2, failed_at = NULL, error = NULL, cursor = $3,
            due_at = greatest(clock_timestamp(), w.due_at + w.every * (1 + floor(
                extract(epoch FROM clock_timestamp() - w.due_at)
                / extract(epoch FROM w.every))::float8))
        WHERE w.task = $1', ladder)
    USING task, done, next_cursor;
END
$function$;

SELECT skillrating_internal.create_entry('work_step');

COMMENT ON FUNCTION skillrating.work_step(text, text, text) IS
'A step of work(): does a task of a ladder if it is due and nobody else is doing it, and returns how
much that was, null if it did nothing: for notify changes that were notified of, for catch_up and
settle rows of rating that changed, for fold_counts rows of rating_count_delta, for trim_changes
rows of change, for make_partitions partitions. With a failure it notes that in
table work instead, and the task is due again in a minute, or sooner if it is to be done more often.
Errors: 42704 for an unknown ladder, 42501 unless the caller owns it, 22004 for nulls, 22023 for a
task in table work that is none, and those of the function that does the task.';

CREATE FUNCTION skillrating_internal.scheduled_work(
    ladder text,
    OUT task text,
    OUT every interval,
    OUT due_at timestamptz,
    OUT keep interval,
    OUT channel text,
    OUT players boolean,
    OUT done_at timestamptz,
    OUT done bigint,
    OUT failed_at timestamptz,
    OUT error text)
RETURNS SETOF record
LANGUAGE plpgsql STABLE STRICT ROWS 4
SET search_path = pg_catalog, pg_temp
AS $function$
BEGIN
    PERFORM skillrating_internal.ladder_types(ladder);
    IF NOT skillrating_internal.has_work_table(ladder) THEN
        RETURN;
    END IF;
    -- Listeners are told what those before have changed, and that is trimmed afterwards.
    RETURN QUERY EXECUTE format(
        'SELECT w.task, w.every, w.due_at, w.keep, w.channel, w.players, w.done_at, w.done,
            w.failed_at, w.error
        FROM %I.work AS w
        ORDER BY array_position(ARRAY[''make_partitions'', ''catch_up'', ''settle'',
            ''fold_counts'', ''notify'', ''trim_changes''], w.task)',
        ladder);
END
$function$;

SELECT skillrating_internal.create_entry('scheduled_work');

COMMENT ON FUNCTION skillrating.scheduled_work(text) IS
'What work() does for a ladder, a row for each task, in the order in which they are done: how often
(every, null for notifications at commit), when next (due_at), and what schedule_work() or
notify_changes() was given besides; when it was done last, and how much that was, as work_step()
returns it; and, if it has failed since, when and by what error. Errors: 42704 for an unknown
ladder, 42501 unless the caller owns it.';

CREATE FUNCTION skillrating_internal.check_work(run_for interval, ladder text)
RETURNS void
LANGUAGE plpgsql STABLE
SET search_path = pg_catalog, pg_temp
AS $function$
BEGIN
    IF run_for IS NULL THEN
        RAISE null_value_not_allowed USING MESSAGE = 'run_for must not be null';
    END IF;
    IF run_for < '0' THEN
        RAISE invalid_parameter_value USING
            MESSAGE = format('run_for must be 0 or more, not %s', run_for);
    END IF;
    PERFORM FROM skillrating.scheduled_work(ladder);
END
$function$;

COMMENT ON FUNCTION skillrating_internal.check_work(interval, text) IS
'A part of work(): error 22004 or 22023 for a run_for that will not do, and if a ladder is given,
those of scheduled_work().';

CREATE FUNCTION skillrating_internal.ladders_with_work(ladder text)
RETURNS text[]
LANGUAGE sql STABLE
SET search_path = pg_catalog, pg_temp
AS $function$
    SELECT coalesce(array_agg(n.nspname::text ORDER BY n.nspname), '{}')
    FROM pg_namespace AS n
    JOIN pg_class AS c ON c.relnamespace = n.oid AND c.relname = 'ladder' AND c.relkind = 'r'
    JOIN pg_class AS w ON w.relnamespace = n.oid AND w.relname = 'work' AND w.relkind = 'r'
    WHERE (n.nspname = ladder OR ladder IS NULL) AND pg_has_role(c.relowner, 'USAGE')
        AND has_schema_privilege(n.oid, 'USAGE')
        AND EXISTS (
            SELECT FROM pg_class AS r WHERE r.relnamespace = n.oid AND r.relname = 'rated_match')
$function$;

COMMENT ON FUNCTION skillrating_internal.ladders_with_work(text) IS
'A part of work(): the ladder of that name, or with null all ladders that the caller owns, as a
member of the owner too, if anything is scheduled for them. It reads the catalogs only.';

CREATE FUNCTION skillrating_internal.due_tasks(ladder text)
RETURNS text[]
LANGUAGE sql VOLATILE STRICT
SET search_path = pg_catalog, pg_temp
AS $function$
    SELECT coalesce(array_agg(s.task), '{}') FROM skillrating.scheduled_work(ladder) AS s
    WHERE s.every IS NOT NULL AND s.due_at <= clock_timestamp()
$function$;

COMMENT ON FUNCTION skillrating_internal.due_tasks(text) IS
'A part of work(): the tasks of a ladder that are due, in order.';

CREATE FUNCTION skillrating_internal.idle_seconds(ladder text, seconds float8)
RETURNS float8
LANGUAGE sql VOLATILE
SET search_path = pg_catalog, pg_temp
AS $function$
    SELECT CASE WHEN d.rest IS NULL THEN seconds ELSE
        least(seconds, CASE WHEN d.rest > 0 THEN greatest(0.01, d.rest) ELSE 0.1 END) END
    FROM (
        SELECT extract(epoch FROM min(s.due_at) - clock_timestamp())::float8 AS rest
        FROM skillrating.scheduled_work(ladder) AS s WHERE s.every IS NOT NULL) AS d
$function$;

COMMENT ON FUNCTION skillrating_internal.idle_seconds(text, float8) IS
'A part of work(): for how long nothing is due on a ladder, at most so many seconds, and at least
one hundredth. What is due by now another session is doing: then a tenth.';

CREATE FUNCTION skillrating_internal.add_done(
    done jsonb,
    ladder text,
    task text,
    n bigint)
RETURNS jsonb
LANGUAGE sql IMMUTABLE PARALLEL SAFE
SET search_path = pg_catalog, pg_temp
AS $function$
    SELECT CASE WHEN n IS NULL THEN done ELSE done || jsonb_build_object(ladder,
        coalesce(done -> ladder, '{}') || jsonb_build_object(task,
            coalesce((done -> ladder ->> task)::bigint, 0) + n)) END
$function$;

COMMENT ON FUNCTION skillrating_internal.add_done(jsonb, text, text, bigint) IS
'A part of work(): adds to a list of what was done, by ladder and task, how much it was.';

CREATE PROCEDURE skillrating.work(
    ladder text DEFAULT NULL,
    run_for interval DEFAULT '0',
    INOUT done jsonb DEFAULT NULL,
    INOUT failures bigint DEFAULT NULL)
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
            BEGIN
                tasks := skillrating_internal.due_tasks(name);
            EXCEPTION WHEN OTHERS OR assert_failure THEN
                RAISE WARNING 'nothing is done for ladder "%": %', name, SQLERRM;
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
                BEGIN
                    PERFORM FROM skillrating.work_step(name, task, failure);
                EXCEPTION WHEN OTHERS OR assert_failure THEN
                    NULL;
                END;
            END LOOP;
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

COMMENT ON PROCEDURE skillrating.work(text, interval, jsonb, bigint) IS
'Does what is due: what schedule_work() and notify_changes() have asked for, on a ladder, or on all
that the caller owns, as a member of the owner too. Each task of each ladder is a transaction.
Whatever ends it, what was done before stays, and the next call goes on there. Two calls at once are
harmless: what one is doing the other leaves alone. A task that fails is a warning, and keeps no
other task or ladder waiting; it is noted in table work, see scheduled_work(), and tried again after
a minute, or sooner if it is to be done more often. progress() shows what it is doing.
run_for: go on for so long, sleeping while nothing is due.
done: returns what was done, as {"ladder": {"task": how much}}; failures: how many tasks have
failed. Values given in the call are ignored.
Errors: 2D000 within a transaction block, 22004 or 22023 for a run_for that is null or less than 0,
and for a ladder that is named 42704 if it does not exist and 42501 unless the caller owns it.';
-- Another formula for the same matches.

CREATE FUNCTION skillrating_internal.build_ladder(
    ladder text,
    new_ladder text)
RETURNS void
LANGUAGE plpgsql VOLATILE STRICT
SET search_path = pg_catalog, pg_temp
AS $function$
DECLARE
    t record := skillrating_internal.ladder_types(ladder);
    n bigint;
BEGIN
    -- What the source no longer has cannot be rated by another formula.
    EXECUTE format(
        'INSERT INTO %1$I.correction (seq, match_id, kind, played_at)
        SELECT m.seq, m.match_id, ''removed'', m.played_at FROM %1$I.rated_match AS m
        WHERE m.seq IS NOT NULL
            AND NOT EXISTS (SELECT FROM %1$I.source AS s WHERE s.match_id %2$s m.match_id)
            AND NOT EXISTS (
                SELECT FROM %1$I.correction AS c
                WHERE c.match_id %2$s m.match_id AND c.kind = ''removed'')',
        new_ladder, t.match_equals);
    GET DIAGNOSTICS n = ROW_COUNT;
    IF n > 0 THEN
        RAISE WARNING USING
            MESSAGE = format('%s matches that the source no longer has are left out of ladder "%s"',
                n, new_ladder);
    END IF;
    -- Indexes that are made of all rows at once cost a fraction of those that grow with them.
    EXECUTE format('ALTER TABLE %I.event DROP CONSTRAINT event_pkey', new_ladder);
    EXECUTE format('DROP INDEX %I.event_seq_idx', new_ladder);
    EXECUTE format(
        'ALTER TABLE %I.component_event DROP CONSTRAINT component_event_player_id_kind_pool_key_seq_key',
        new_ladder);
    EXECUTE format('DROP INDEX %I.component_event_seq_idx', new_ladder);
    PERFORM skillrating.catch_up(new_ladder, rebuild => true);
    EXECUTE format('ALTER TABLE %I.event ADD PRIMARY KEY (player_id, pool, seq)', new_ladder);
    EXECUTE format('CREATE INDEX ON %I.event (seq)', new_ladder);
    EXECUTE format(
        'ALTER TABLE %I.component_event ADD UNIQUE NULLS NOT DISTINCT (player_id, kind, pool, key, seq)',
        new_ladder);
    EXECUTE format('CREATE INDEX ON %I.component_event (seq)', new_ladder);
END
$function$;

COMMENT ON FUNCTION skillrating_internal.build_ladder(text, text) IS
'A part of rerate(): replays a new ladder, made of the first one, that has matches and no events yet.
Error 55000 unless the door to the first one is open.';

CREATE FUNCTION skillrating_internal.rerate(
    ladder text,
    model text DEFAULT NULL,
    params jsonb DEFAULT NULL,
    "into" text DEFAULT NULL,
    OUT matches bigint)
LANGUAGE plpgsql VOLATILE
SET search_path = pg_catalog, pg_temp
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
            HINT = 'Say what the new ladder is called: rerate(ladder, model, params, "into").';
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

SELECT skillrating_internal.create_entry('rerate');

COMMENT ON FUNCTION skillrating.rerate(text, text, jsonb, text) IS
'Makes a second ladder, named by into, of the same matches and operations in the same order, with
another model or other parameters (null: as they are; for another model, its defaults). The first
one goes on rating meanwhile; catch_up(into, search => true) takes over the matches that have come,
changed or gone since, and swap_ladders() everything. compare_ladders() says which is better,
swap_ladders() puts it in place. States set by hand or seeded, and points given back, go over only
if the model is the same. Matches that only the new model can rate come behind those that the first
ladder has rated, unless late is reorder. Returns the number of rated matches. Errors as for
create_ladder().';

CREATE FUNCTION skillrating_internal.compare_ladders(
    a text,
    b text,
    pool text DEFAULT '',
    since timestamptz DEFAULT '-infinity',
    OUT matches bigint,
    OUT brier_a float8,
    OUT brier_b float8,
    OUT brier_difference float8,
    OUT brier_error float8,
    OUT log_loss_a float8,
    OUT log_loss_b float8,
    OUT log_loss_difference float8,
    OUT log_loss_error float8,
    OUT players bigint,
    OUT rank_correlation float8,
    OUT mean_place_change float8,
    OUT max_place_change bigint,
    OUT same_top_ten bigint)
LANGUAGE plpgsql STABLE STRICT
SET search_path = pg_catalog, pg_temp
-- Without statistics, as just after rerate(), a join of both histories looks small: all matches of a
-- player would be read for each of them.
SET enable_nestloop = off
AS $function$
DECLARE
    t record := skillrating_internal.ladder_types(a);
BEGIN
    PERFORM skillrating_internal.ladder_types(b);
    -- One forecast a match, of the same team in both.
    EXECUTE format(
        'WITH forecast AS (
            SELECT DISTINCT ON (a.seq) a.win_probability AS p, b.win_probability AS q, a.score AS y
            FROM %1$I.event AS a
            JOIN %2$I.event AS b ON b.match_id %3$s a.match_id AND b.player_id %4$s a.player_id AND b.pool = a.pool AND b.kind = ''match''
            WHERE a.kind = ''match'' AND a.pool = $1 AND a.played_at >= $2
            ORDER BY a.seq, a.team
        ), loss AS (
            SELECT (f.p - f.y) ^ 2 AS brier_a, (f.q - f.y) ^ 2 AS brier_b,
                -f.y * ln(greatest(f.p, 1e-300)) - (1 - f.y) * ln(greatest(1 - f.p, 1e-300)) AS log_a,
                -f.y * ln(greatest(f.q, 1e-300)) - (1 - f.y) * ln(greatest(1 - f.q, 1e-300)) AS log_b
            FROM forecast AS f
        )
        SELECT count(*), avg(l.brier_a), avg(l.brier_b), avg(l.brier_b - l.brier_a), stddev_samp(l.brier_b - l.brier_a) / sqrt(count(*)),
            avg(l.log_a), avg(l.log_b), avg(l.log_b - l.log_a), stddev_samp(l.log_b - l.log_a) / sqrt(count(*))
        FROM loss AS l', a, b, t.match_equals, t.player_equals)
    INTO matches, brier_a, brier_b, brier_difference, brier_error, log_loss_a, log_loss_b, log_loss_difference, log_loss_error
    USING pool, since;
    EXECUTE format(
        'SELECT count(*), corr(r.place_a, r.place_b), avg(abs(r.place_a - r.place_b)), max(abs(r.place_a - r.place_b)),
            count(*) FILTER (WHERE r.place_a <= 10 AND r.place_b <= 10)
        FROM (
            SELECT rank() OVER (ORDER BY a.rating DESC) AS place_a, rank() OVER (ORDER BY b.rating DESC) AS place_b
            FROM %1$I.rating AS a JOIN %2$I.rating AS b ON b.player_id %3$s a.player_id AND b.pool = a.pool
            WHERE a.pool = $1 AND a.games > 0 AND b.games > 0) AS r', a, b, t.player_equals)
    INTO players, rank_correlation, mean_place_change, max_place_change, same_top_ten
    USING pool;
END
$function$;

SELECT skillrating_internal.create_entry('compare_ladders');

COMMENT ON FUNCTION skillrating.compare_ladders(text, text, text, timestamptz) IS
'Which of two ladders on the same matches predicts better, and how much their rankings differ: Brier
score and log loss of both over the matches that both rated (one forecast a match, the same in
both, before it was rated), the mean differences b less a (below 0: b is better) with their
standard errors; and over the players of both the correlation of the places, the mean and the
largest change of place, and how many of the ten first are the same. Error 42704 for an unknown
ladder.';

CREATE FUNCTION skillrating_internal.swap_ladders(
    a text,
    b text)
RETURNS void
LANGUAGE plpgsql VOLATILE STRICT
SET search_path = pg_catalog, pg_temp
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
END
$function$;

SELECT skillrating_internal.create_entry('swap_ladders');

COMMENT ON FUNCTION skillrating.swap_ladders(text, text) IS
'Puts ladder b, which rerate() made of a, in the place of a, and a in that of b: their tables
exchange their rows, in one transaction. Before that b gets whatever has happened to a since:
matches that came, changed or went, with their places in the order, void and restored matches, and
operations, with their numbers; states that were set by hand or seeded only if the models are the
same, with a warning that names them. What was done to b itself stays, and comes behind the rest if
a has given its place to something else, which a notice says. The tables stay where they are, with
all that users have hung on them: views, privileges, policies, triggers, foreign keys, indexes,
publications, comments; b gets the same indexes and constraints before. Mirrors are written anew.
Only partitioned tables move, and take along what notices name. Swapping again brings the old
formula back, with all that has happened since. Errors: 42704 for an unknown ladder, 22023 if b was
not made of a, 42501 if they belong to two roles, 55000 if operations of b contradict those of a, or
if tables of b have columns, indexes or constraints that those of a lack, or lack columns that users
have added to these, 2BP01 if views or other things need states of a that the model of b lacks,
23503 if a foreign key would refer to nothing.';
-- Parts of swap_ladders(): what happened to ladder a since rerate() made ladder b of it.
--
-- The history of a counts, because a is the one in use: b gets its places, its operations by their
-- numbers and its void matches.  What b alone has stays.  An operation is the same in both if
-- number and made_at are: of numbers both may have given one.  Each part notes in table correction
-- of b from where on history is out of date; catch_up(b) replays it from there.
--
-- Ladder b is locked, and a goes on meanwhile.  So one statement, survey(), copies what a has
-- otherwise than b into tables of ours in the schema of b, and everything else goes by these.
-- What comes to a after that is for the next survey, which looks only at rows that have changed
-- since; the last one, when a is locked as well, finds what came in the moment before.

CREATE FUNCTION skillrating_internal.origin(ladder text)
RETURNS text
LANGUAGE sql STABLE STRICT
SET search_path = pg_catalog, pg_temp
AS $function$
    SELECT n.nspname::text
    FROM pg_class AS source
    JOIN pg_rewrite AS w ON w.ev_class = source.oid
    JOIN pg_depend AS d ON d.classid = 'pg_rewrite'::regclass AND d.objid = w.oid
    JOIN pg_class AS c ON c.oid = d.refobjid AND d.refclassid = 'pg_class'::regclass
    JOIN pg_namespace AS n ON n.oid = c.relnamespace
    JOIN pg_class AS l
        ON l.relnamespace = n.oid AND l.relname = 'ladder' AND l.relowner = source.relowner
    WHERE source.oid = to_regclass(format('%I.source', ladder))
        AND c.relname = 'source' AND c.oid <> source.oid AND c.relowner = source.relowner
    LIMIT 1
$function$;

COMMENT ON FUNCTION skillrating_internal.origin(text) IS
'The ladder that a ladder shares its matches with, because rerate() made it of that one: null if
there is none, or if it belongs to another role.';

CREATE FUNCTION skillrating_internal.note_changed_matches(ladder text)
RETURNS void
LANGUAGE plpgsql VOLATILE STRICT
SET search_path = pg_catalog, pg_temp
AS $function$
DECLARE
    origin text := skillrating_internal.origin(ladder);
    t record;
BEGIN
    PERFORM skillrating_internal.check_inside(ladder);
    IF origin IS NULL THEN
        RETURN;
    END IF;
    -- Triggers report to the origin only.
    t := skillrating_internal.ladder_types(ladder);
    PERFORM skillrating_internal.check_pending(ladder);
    EXECUTE format(
        'INSERT INTO %1$I.pending (match_id, xact, fires)
        SELECT m.match_id, pg_current_xact_id(), false
        FROM %1$I.rated_match AS m
        LEFT JOIN %2$I.rated_match AS n ON n.match_id %3$s m.match_id
        WHERE n.digest IS DISTINCT FROM m.digest
        UNION ALL
        SELECT p.match_id, pg_current_xact_id(), false FROM %2$I.pending AS p
        UNION ALL
        SELECT c.match_id, pg_current_xact_id(), false FROM %2$I.correction AS c
        WHERE c.match_id IS NOT NULL', ladder, origin, t.match_equals);
END
$function$;

COMMENT ON FUNCTION skillrating_internal.note_changed_matches(text) IS
'A part of catch_up() with search: puts into pending the matches of which the ladder''s origin has
seen other content, or has none, and those that wait there.';

CREATE FUNCTION skillrating_internal.own_operations(
    a text,
    b text)
RETURNS bigint[]
LANGUAGE plpgsql STABLE STRICT
SET search_path = pg_catalog, pg_temp
AS $function$
DECLARE
    own bigint[];
BEGIN
    PERFORM skillrating_internal.check_inside(a), skillrating_internal.check_inside(b);
    EXECUTE format(
        'SELECT array_agg(DISTINCT o.operation) FROM %2$I.operation AS o
        WHERE NOT EXISTS (
            SELECT FROM %2$I.carried_operation AS n
            WHERE n.operation = o.operation AND n.kind = o.kind AND n.made_at = o.made_at)', a, b)
    INTO own;
    RETURN coalesce(own, '{}');
END
$function$;

COMMENT ON FUNCTION skillrating_internal.own_operations(text, text) IS
'A part of swap_ladders(): the numbers of the operations that ladder b has and ladder a has not.';

CREATE FUNCTION skillrating_internal.make_room(
    a text,
    b text,
    whole boolean)
RETURNS void
LANGUAGE plpgsql VOLATILE STRICT
SET search_path = pg_catalog, pg_temp
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
                'operations of ladder "%s" now come after everything that ladder "%s" has: %s',
                b, a, array_to_string(moved, ', '));
    END IF;
END
$function$;

COMMENT ON FUNCTION skillrating_internal.make_room(text, text, boolean) IS
'A part of swap_ladders(): gives what ladder b alone has new places behind everything, from the
first place on that ladder a has given to something else, and says so in a notice. The sequence of b
goes on behind both.';

CREATE FUNCTION skillrating_internal.renumber_operations(
    a text,
    b text)
RETURNS void
LANGUAGE plpgsql VOLATILE STRICT
SET search_path = pg_catalog, pg_temp
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
                MESSAGE = format('operation %s of ladder "%s" has the number %s now',
                    number, b, next_number),
                DETAIL = format('Ladder "%s" has another operation of that number.', a);
        END IF;
    END LOOP;
END
$function$;

COMMENT ON FUNCTION skillrating_internal.renumber_operations(text, text) IS
'A part of swap_ladders(): gives new numbers to operations of ladder b''s own whose number ladder a
has given to another one, which notices say. The sequence of b is behind both, see make_room().';

CREATE FUNCTION skillrating_internal.carry_matches(
    a text,
    b text)
RETURNS void
LANGUAGE plpgsql VOLATILE STRICT
SET search_path = pg_catalog, pg_temp
AS $function$
DECLARE
    t record := skillrating_internal.ladder_types(a);
    place bigint;
    since timestamptz;
BEGIN
    -- By way of negative places, because a place is taken until its match has left it.
    EXECUTE format(
        'WITH moved AS MATERIALIZED (
            SELECT m.match_id, m.seq, n.seq AS new_seq, n.played_at
            FROM %1$I.rated_match AS m JOIN %1$I.carried_match AS n ON n.match_id %2$s m.match_id
            WHERE n.seq IS NOT NULL AND m.seq IS DISTINCT FROM n.seq
        ), placed AS (
            UPDATE %1$I.rated_match AS m SET seq = -v.new_seq FROM moved AS v
            WHERE m.match_id %2$s v.match_id
        )
        SELECT min(least(v.seq, v.new_seq)), min(v.played_at) FROM moved AS v',
        b, t.match_equals)
    INTO place, since;
    EXECUTE format('UPDATE %I.rated_match AS m SET seq = -m.seq WHERE m.seq < 0', b);
    PERFORM skillrating_internal.note_correction(b, 'carried', place, played_at => since);

    -- Later decisions count.
    EXECUTE format(
        'WITH decided AS (
            UPDATE %1$I.rated_match AS m SET void_reason = n.void_reason, decided_at = n.decided_at
            FROM %1$I.carried_match AS n
            WHERE n.match_id %2$s m.match_id AND n.known AND n.void_reason IS DISTINCT FROM m.void_reason
                AND coalesce(n.decided_at, ''-infinity'') >= coalesce(m.decided_at, ''-infinity'')
            RETURNING m.seq, m.played_at)
        SELECT min(d.seq), min(d.played_at) FROM decided AS d', b, t.match_equals)
    INTO place, since;
    PERFORM skillrating_internal.note_correction(b, 'carried_match', place, played_at => since);

    PERFORM skillrating_internal.check_pending(b);
    EXECUTE format(
        'INSERT INTO %1$I.pending (match_id, xact, fires)
        SELECT n.match_id, pg_current_xact_id(), false
        FROM %1$I.carried_match AS n JOIN %1$I.rated_match AS m ON n.match_id %2$s m.match_id
        WHERE n.digest IS DISTINCT FROM m.digest
        UNION ALL
        SELECT w.match_id, pg_current_xact_id(), false FROM %1$I.carried_waiting AS w',
        b, t.match_equals);
    PERFORM skillrating_internal.copy_matches(format('%I.carried_match', b), b);
END
$function$;

COMMENT ON FUNCTION skillrating_internal.carry_matches(text, text) IS
'A part of swap_ladders(): gives the matches of ladder b the places that they have in ladder a, the
later of what void_match() and restore_match() said in either, and the matches that only a knows.
Nothing else of b may be at a place of a, see make_room().';

CREATE FUNCTION skillrating_internal.copy_matches(
    known text,
    b text)
RETURNS void
LANGUAGE plpgsql VOLATILE STRICT
SET search_path = pg_catalog, pg_temp
AS $function$
DECLARE
    t record := skillrating_internal.ladder_types(b);
    place bigint;
    since timestamptz;
BEGIN
    EXECUTE format(
        'WITH copied AS (
            INSERT INTO %2$I.rated_match (match_id, status, reason, detail, digest, seq, played_at,
                void_reason, decided_at)
            SELECT n.match_id, n.status, n.reason, n.detail,
                CASE WHEN n.seq IS NULL THEN ~n.digest ELSE n.digest END, n.seq, n.played_at,
                n.void_reason, n.decided_at
            FROM %1$s AS n
            WHERE n.status IS NOT NULL AND NOT EXISTS (SELECT FROM %2$I.rated_match AS m WHERE m.match_id %3$s n.match_id)
            RETURNING match_id, seq, played_at
        ), unplaced AS (
            INSERT INTO %2$I.pending (match_id, xact, fires)
            SELECT c.match_id, pg_current_xact_id(), false FROM copied AS c WHERE c.seq IS NULL
        )
        SELECT min(c.seq), min(c.played_at) FROM copied AS c WHERE c.seq IS NOT NULL',
        known, b, t.match_equals)
    INTO place, since;
    PERFORM skillrating_internal.note_correction(b, 'carried_match', place, played_at => since);
END
$function$;

COMMENT ON FUNCTION skillrating_internal.copy_matches(text, text) IS
'A part of rerate() and swap_ladders(): takes matches that ladder b does not know over to it, at
their places, from a table like rated_match, given as SQL. Matches that have not been rated there have none; what b makes of them is to be seen, so
that they go into pending and have a digest that is none of theirs.';

CREATE FUNCTION skillrating_internal.note_accounts(
    ladder text,
    operations bigint[])
RETURNS void
LANGUAGE plpgsql VOLATILE STRICT
SET search_path = pg_catalog, pg_temp
AS $function$
DECLARE
    t record := skillrating_internal.ladder_types(ladder);
    place bigint;
    since timestamptz;
BEGIN
    PERFORM skillrating_internal.check_inside(ladder);
    EXECUTE format(
        'WITH RECURSIVE account(id) AS (
            SELECT i.id FROM %1$I.operation AS o
            CROSS JOIN LATERAL unnest(ARRAY[o.player_id, o.into_id]) AS i(id)
            WHERE o.operation = ANY ($1) AND o.kind IN (''exclude'', ''merge'') AND i.id IS NOT NULL
            UNION
            SELECT i.id FROM account AS a
            JOIN %1$I.operation AS o
                ON o.kind = ''merge'' AND (o.player_id %2$s a.id OR o.into_id %2$s a.id)
            CROSS JOIN LATERAL unnest(ARRAY[o.player_id, o.into_id]) AS i(id)
        ), place(seq, at) AS (
            SELECT m.seq, m.played_at
            FROM account AS a
            JOIN %1$I.source AS s ON s.player_id %2$s a.id
            JOIN %1$I.rated_match AS m ON m.match_id %3$s s.match_id
            UNION ALL
            SELECT e.seq, e.played_at
            FROM account AS a JOIN %1$I.event AS e ON e.player_id %2$s a.id
            UNION ALL
            SELECT o.seq, o.at
            FROM account AS a JOIN %1$I.operation AS o ON o.player_id %2$s a.id
            WHERE o.kind IN (''set'', ''seed'', ''reset'', ''refund''))
        SELECT min(p.seq), min(p.at) FROM place AS p', ladder, t.player_equals, t.match_equals)
    INTO place, since USING operations;
    PERFORM skillrating_internal.note_correction(ladder, 'carried', place, played_at => since);
END
$function$;

COMMENT ON FUNCTION skillrating_internal.note_accounts(text, bigint[]) IS
'A part of swap_ladders(): of operations that exclude or merge players, now or before, notes that
history is out of date from the first match, event or state on of whoever may count as one of
them.';

CREATE FUNCTION skillrating_internal.note_rules(
    ladder text,
    operations bigint[])
RETURNS void
LANGUAGE plpgsql VOLATILE STRICT
SET search_path = pg_catalog, pg_temp
AS $function$
DECLARE
    first_since timestamptz;
BEGIN
    PERFORM skillrating_internal.check_inside(ladder);
    EXECUTE format(
        'SELECT min(o.since) FROM %I.operation AS o
        WHERE o.operation = ANY ($1) AND o.kind = ''eligibility''', ladder)
    INTO first_since USING operations;
    PERFORM skillrating_internal.note_eligibility(ladder, first_since, 'carried');
END
$function$;

COMMENT ON FUNCTION skillrating_internal.note_rules(text, bigint[]) IS
'A part of swap_ladders(): of operations that declare rules of eligibility, now or before, notes
that history is out of date from the first match on that they judge.';

CREATE FUNCTION skillrating_internal.check_operations(
    a text,
    b text)
RETURNS void
LANGUAGE plpgsql STABLE STRICT
SET search_path = pg_catalog, pg_temp
AS $function$
DECLARE
    t record := skillrating_internal.ladder_types(b);
    own bigint[] := skillrating_internal.own_operations(a, b);
    faults bigint[];
BEGIN
    EXECUTE format(
        'WITH RECURSIVE active AS (
            SELECT true AS own, true AS new, o.operation, o.kind, o.player_id, o.into_id, o.pool,
                o.params
            FROM %2$I.operation AS o WHERE o.operation = ANY ($1) AND o.undone_at IS NULL
            UNION ALL
            SELECT false, o.operation IS NULL, n.operation, n.kind, n.player_id, n.into_id, n.pool,
                n.params
            FROM %2$I.carried_operation AS n
            LEFT JOIN (SELECT DISTINCT o.operation, o.undone_at FROM %2$I.operation AS o
                WHERE NOT o.operation = ANY ($1)) AS o ON o.operation = n.operation
            WHERE n.undone_at IS NULL AND o.undone_at IS NULL
        ), path(operation, first_id, id, steps) AS (
            SELECT m.operation, m.player_id, m.into_id, 1 FROM active AS m
            WHERE m.kind = ''merge'' AND m.own
            UNION ALL
            SELECT p.operation, p.first_id, m.into_id, p.steps + 1
            FROM path AS p JOIN active AS m ON m.kind = ''merge'' AND m.player_id %3$s p.id
            WHERE NOT p.id %3$s p.first_id
                AND p.steps < (SELECT count(*) FROM active AS m WHERE m.kind = ''merge'')
        )
        SELECT array_agg(DISTINCT f.operation ORDER BY f.operation) FROM (
            SELECT p.operation FROM path AS p WHERE p.id %3$s p.first_id
            UNION ALL
            SELECT y.operation
            FROM active AS y JOIN active AS x ON y.own AND NOT x.own AND x.kind = y.kind
            WHERE CASE y.kind
                WHEN ''merge'' THEN x.player_id %3$s y.player_id AND NOT x.into_id %3$s y.into_id
                WHEN ''season'' THEN x.params->>''name'' = y.params->>''name''
                    AND coalesce(x.pool = y.pool, true)
                WHEN ''decay'' THEN x.new AND coalesce(x.pool = y.pool, true)
                WHEN ''eligibility'' THEN x.new
                WHEN ''refund'' THEN x.player_id %3$s y.player_id AND x.pool = y.pool
                    AND EXISTS (
                        SELECT FROM jsonb_array_elements_text(x.params->''matches'') AS k(id)
                        WHERE y.params->''matches'' ? k.id) END
        ) AS f', a, b, t.player_equals)
    INTO faults USING own;
    IF faults IS NOT NULL THEN
        RAISE object_not_in_prerequisite_state USING
            MESSAGE = format('operations of ladder "%s" contradict those of ladder "%s": %s',
                b, a, array_to_string(faults, ', ')),
            DETAIL = 'They merge players in another way, begin a season of the same name, count '
                'idle time that the other ladder has counted, give back points of a match twice, '
                'or declare rules of eligibility where the other ladder has new ones.',
            HINT = format('Undo them first, as in SELECT skillrating.undo_operation(%L, %s).',
                b, faults[1]);
    END IF;
END
$function$;

COMMENT ON FUNCTION skillrating_internal.check_operations(text, text) IS
'A part of swap_ladders(): error 55000 that names operations of ladder b''s own that cannot stand
beside those of ladder a: merges of one player into two or in a circle, seasons of one name in a
pool, and decay and rules of eligibility if both have some since they parted.';

CREATE FUNCTION skillrating_internal.carry_operations(
    a text,
    b text)
RETURNS void
LANGUAGE plpgsql VOLATILE STRICT
SET search_path = pg_catalog, pg_temp
AS $function$
DECLARE
    columns constant text := 'operation, seq, kind, pool, player_id, into_id, since, until, at, '
        'state, params, reason, made_by, made_at';
    wanted text;
    same_model boolean;
    undone bigint[];
    undone_at timestamptz[];
    carried bigint[];
    left_out bigint[];
    place bigint;
    first_at timestamptz;
BEGIN
    PERFORM skillrating_internal.check_inside(a), skillrating_internal.check_inside(b);
    EXECUTE format('SELECT x.model = y.model FROM %I.ladder AS x, %I.ladder AS y', a, b)
    INTO same_model;
    -- What is undone in one of them is undone.
    EXECUTE format(
        'SELECT array_agg(o.operation), array_agg(o.undone_at) FROM %I.operation AS o
        WHERE o.undone_at IS NOT NULL AND NOT o.operation = ANY ($1)', b)
    INTO undone, undone_at USING skillrating_internal.own_operations(a, b);
    wanted := format(
        'SELECT %s, coalesce((SELECT min(u.at) FROM unnest($1, $2) AS u(operation, at)
            WHERE u.operation = n.operation), n.undone_at)
        FROM %I.carried_operation AS n WHERE $3 OR n.kind NOT IN (''set'', ''seed'', ''refund'')',
        'n.' || replace(columns, ', ', ', n.'), b);
    EXECUTE format(
        'SELECT coalesce(array_agg(DISTINCT w.operation), ''{}'')
        FROM (%s EXCEPT SELECT %s, o.undone_at FROM %I.operation AS o) AS w',
        wanted, 'o.' || replace(columns, ', ', ', o.'), b)
    INTO carried USING undone, undone_at, same_model;

    PERFORM skillrating_internal.note_accounts(b, carried);
    PERFORM skillrating_internal.note_rules(b, carried);
    EXECUTE format(
        'WITH removed AS (
            DELETE FROM %I.operation AS o WHERE o.operation = ANY ($1)
            RETURNING o.kind, o.seq, o.at)
        SELECT min(r.seq), min(r.at) FROM removed AS r
        WHERE r.kind NOT IN (''exclude'', ''merge'', ''eligibility'')', b)
    INTO place, first_at USING carried;
    PERFORM skillrating_internal.note_correction(b, 'carried', place, played_at => first_at);
    EXECUTE format(
        'WITH added AS (
            INSERT INTO %I.operation (%s, undone_at)
            SELECT * FROM (%s) AS w WHERE w.operation = ANY ($4) RETURNING kind, seq, at)
        SELECT min(d.seq), min(d.at) FROM added AS d
        WHERE d.kind NOT IN (''exclude'', ''merge'', ''eligibility'')', b, columns, wanted)
    INTO place, first_at USING undone, undone_at, same_model, carried;
    PERFORM skillrating_internal.note_correction(b, 'carried', place, played_at => first_at);
    PERFORM skillrating_internal.note_accounts(b, carried);
    PERFORM skillrating_internal.note_rules(b, carried);

    EXECUTE format(
        'SELECT array_agg(DISTINCT n.operation ORDER BY n.operation) FROM %1$I.carried_operation AS n
        WHERE n.undone_at IS NULL
            AND NOT EXISTS (SELECT FROM %1$I.operation AS o WHERE o.operation = n.operation)', b)
    INTO left_out;
    PERFORM skillrating_internal.warn_of_states(a, b, left_out);
END
$function$;

COMMENT ON FUNCTION skillrating_internal.carry_operations(text, text) IS
'A part of swap_ladders(): gives ladder b the operations of ladder a, by their numbers and at their
places, and undoes what has been undone in either. States that were set by hand or seeded and points
that were given back under another model are left out, with a warning.';

CREATE FUNCTION skillrating_internal.warn_of_states(
    a text,
    b text,
    operations bigint[])
RETURNS void
LANGUAGE plpgsql STABLE
SET search_path = pg_catalog, pg_temp
AS $function$
DECLARE
    models text[];
BEGIN
    PERFORM skillrating_internal.check_inside(a), skillrating_internal.check_inside(b);
    IF operations IS NULL THEN
        RETURN;
    END IF;
    EXECUTE format('SELECT ARRAY[x.model, y.model] FROM %I.ladder AS x, %I.ladder AS y', a, b)
    INTO models;
    RAISE WARNING USING
        MESSAGE = format('operations of ladder "%s" that set, seed or refund are left out: %s',
            a, array_to_string(operations, ', ')),
        DETAIL = format('They are states or points of model "%s", and those of model "%s" are others.',
            models[1], models[2]);
END
$function$;

COMMENT ON FUNCTION skillrating_internal.warn_of_states(text, text, bigint[]) IS
'A part of rerate() and swap_ladders(): the warning that names operations of ladder a that mean
nothing under the model of ladder b; none if operations is null.';

CREATE FUNCTION skillrating_internal.begin_carrying(
    a text,
    b text)
RETURNS void
LANGUAGE plpgsql VOLATILE STRICT
SET search_path = pg_catalog, pg_temp
AS $function$
BEGIN
    PERFORM skillrating_internal.check_inside(a), skillrating_internal.check_inside(b);
    EXECUTE format(
        'CREATE UNLOGGED TABLE %2$I.carried_match AS
        SELECT m.match_id, m.status, m.reason, m.detail, m.digest, m.seq, m.played_at, m.void_reason,
            m.decided_at, true AS known
        FROM %1$I.rated_match AS m WITH NO DATA', a, b);
    EXECUTE format('CREATE UNLOGGED TABLE %2$I.carried_own AS SELECT m.match_id
        FROM %1$I.rated_match AS m WITH NO DATA', a, b);
    EXECUTE format('CREATE UNLOGGED TABLE %2$I.carried_waiting AS SELECT m.match_id
        FROM %1$I.rated_match AS m WITH NO DATA', a, b);
    EXECUTE format(
        'CREATE UNLOGGED TABLE %2$I.carried_operation AS
        SELECT o.operation, o.seq, o.kind, o.pool, o.player_id, o.into_id, o.since, o.until, o.at,
            o.state, o.params, o.reason, o.made_by, o.made_at, o.undone_at
        FROM %1$I.operation AS o WITH NO DATA', a, b);
END
$function$;

COMMENT ON FUNCTION skillrating_internal.begin_carrying(text, text) IS
'A part of swap_ladders(): makes the tables for survey() in the schema of ladder b, which nobody else
ever sees: carried_match has the rows of rated_match of ladder a that b has otherwise or not, and
matches that a does not know (not known); carried_own the matches that b alone has placed, as far as
they may be in the way; carried_waiting what waits in a; carried_operation the operations of a.';

CREATE FUNCTION skillrating_internal.end_carrying(b text)
RETURNS void
LANGUAGE plpgsql VOLATILE STRICT
SET search_path = pg_catalog, pg_temp
AS $function$
BEGIN
    PERFORM skillrating_internal.check_inside(b);
    EXECUTE format('DROP TABLE %1$I.carried_match, %1$I.carried_own, %1$I.carried_waiting,
        %1$I.carried_operation', b);
END
$function$;

COMMENT ON FUNCTION skillrating_internal.end_carrying(text) IS
'A part of swap_ladders(): drops what begin_carrying() has made.';

CREATE FUNCTION skillrating_internal.survey(
    a text,
    b text,
    since xid8,
    OUT changes bigint,
    OUT operations boolean,
    OUT first_place bigint)
LANGUAGE plpgsql VOLATILE
SET search_path = pg_catalog, pg_temp
AS $function$
DECLARE
    t record := skillrating_internal.ladder_types(b);
    recent text[];
    whole boolean := true;
    recently text := '';
BEGIN
    operations := since IS NULL OR EXISTS (
        SELECT FROM skillrating_internal.changed_since(a, 'operation', 'seq', since));
    IF since IS NOT NULL THEN
        recent := ARRAY(SELECT DISTINCT c.value
            FROM skillrating_internal.changed_since(a, 'rated_match', 'match_id', since) AS c(value));
        whole := array_position(recent, NULL) IS NOT NULL;
    END IF;
    IF NOT whole THEN
        recently := format('WHERE m.match_id %s ANY (CAST($1 AS %s[]))', t.match_equals, t.match_type);
    END IF;
    EXECUTE format('TRUNCATE %1$I.carried_match, %1$I.carried_own, %1$I.carried_waiting', b);
    IF operations THEN
        EXECUTE format('TRUNCATE %I.carried_operation', b);
    END IF;
    -- All of it under one snapshot.
    EXECUTE format(
        'WITH horizon AS (
            SELECT x.horizon AS a, y.horizon AS b FROM %1$I.ladder AS x, %2$I.ladder AS y
        ), differing AS MATERIALIZED (
            SELECT coalesce(n.match_id, o.match_id) AS match_id, n.status, n.reason, n.detail, n.digest,
                n.seq, n.played_at, n.void_reason, n.decided_at, n.match_id IS NOT NULL AS known,
                least(n.seq, o.seq) AS place
            FROM (SELECT m.* FROM %1$I.rated_match AS m %4$s) AS n
            FULL JOIN (SELECT m.* FROM %2$I.rated_match AS m %4$s) AS o ON o.match_id %3$s n.match_id
            CROSS JOIN horizon AS h
            WHERE (n.match_id IS NULL OR o.match_id IS NULL OR n.seq IS DISTINCT FROM o.seq
                    OR n.void_reason IS DISTINCT FROM o.void_reason OR n.digest <> o.digest)
                -- What has gone from the source stays only in the one that has it before its horizon.
                AND (CASE WHEN o.match_id IS NULL THEN n.seq <= h.a
                        WHEN n.match_id IS NULL THEN o.seq <= h.b END
                    AND NOT EXISTS (SELECT FROM %2$I.source AS s
                        WHERE s.match_id %3$s coalesce(n.match_id, o.match_id))) IS NOT TRUE
        ), matches AS (
            INSERT INTO %2$I.carried_match
            SELECT d.match_id, d.status, d.reason, d.detail, d.digest, d.seq, d.played_at,
                d.void_reason, d.decided_at, d.known
            FROM differing AS d
        ), own AS (
            INSERT INTO %2$I.carried_own SELECT m.match_id FROM %2$I.rated_match AS m
            CROSS JOIN horizon AS h
            WHERE m.seq >= CASE WHEN $2 THEN -9223372036854775808
                    ELSE (SELECT min(d.seq) FROM differing AS d) END
                AND NOT EXISTS (
                    SELECT FROM %1$I.rated_match AS n
                    WHERE n.match_id %3$s m.match_id AND n.seq IS NOT NULL)
                AND (m.seq > h.b OR h.b IS NULL
                    OR EXISTS (SELECT FROM %2$I.source AS s WHERE s.match_id %3$s m.match_id)
                    OR EXISTS (SELECT FROM %1$I.rated_match AS n WHERE n.seq = m.seq))
        ), waiting AS (
            INSERT INTO %2$I.carried_waiting
            SELECT p.match_id FROM %1$I.pending AS p
            UNION
            SELECT c.match_id FROM %1$I.correction AS c WHERE c.match_id IS NOT NULL
        ), operations AS (
            INSERT INTO %2$I.carried_operation
            SELECT o.operation, o.seq, o.kind, o.pool, o.player_id, o.into_id, o.since, o.until, o.at,
                o.state, o.params, o.reason, o.made_by, o.made_at, o.undone_at
            FROM %1$I.operation AS o WHERE $3
        )
        SELECT count(*), min(d.place) FROM differing AS d', a, b, t.match_equals, recently)
    INTO changes, first_place USING recent, operations OR whole, operations;
END
$function$;

COMMENT ON FUNCTION skillrating_internal.survey(text, text, xid8) IS
'A part of swap_ladders(): copies what ladder a has otherwise than ladder b into the tables of
begin_carrying(), of matches only those whose row in a was changed by a transaction from a certain
one on, all for null. Returns how many matches differ, whether operations may, and the smallest place
of a match that does.';

CREATE FUNCTION skillrating_internal.carry_over(
    a text,
    b text,
    operations boolean,
    whole boolean)
RETURNS boolean
LANGUAGE plpgsql VOLATILE STRICT
SET search_path = pg_catalog, pg_temp
AS $function$
DECLARE
    last_place bigint;
    reordered boolean;
BEGIN
    PERFORM skillrating_internal.check_inside(a), skillrating_internal.check_inside(b);
    IF operations THEN
        PERFORM skillrating_internal.check_operations(a, b);
    END IF;
    PERFORM skillrating_internal.forget_vanished(a, b);
    PERFORM skillrating_internal.make_room(a, b, whole);
    IF operations THEN
        PERFORM skillrating_internal.renumber_operations(a, b);
    END IF;
    PERFORM skillrating_internal.carry_matches(a, b);
    IF operations THEN
        PERFORM skillrating_internal.carry_operations(a, b);
    END IF;
    EXECUTE format('SELECT s.last_value FROM %I.event_seq AS s', b) INTO last_place;
    PERFORM skillrating_internal.catch_up(b, search => whole);
    EXECUTE format(
        'SELECT l.late = ''reorder'' AND s.last_value > $1 FROM %1$I.ladder AS l, %1$I.event_seq AS s', b)
    INTO reordered USING last_place;
    RETURN reordered;
END
$function$;

COMMENT ON FUNCTION skillrating_internal.carry_over(text, text, boolean, boolean) IS
'A part of swap_ladders(): brings ladder b, which was made of ladder a, to the history of a as
survey() has found it, with what b alone has: places, void matches, the content of matches and, if
they may have changed, operations. If whole, it also looks for what no trigger has reported. Returns
whether b may have put matches into the order that wait in a, so that those behind have other places
than in a, where nothing has changed. Ladder b is locked. Error 55000 if operations of b''s own
contradict those of a.';

CREATE FUNCTION skillrating_internal.forget_vanished(
    a text,
    b text)
RETURNS void
LANGUAGE plpgsql VOLATILE STRICT
SET search_path = pg_catalog, pg_temp
AS $function$
DECLARE
    t record := skillrating_internal.ladder_types(a);
    place bigint;
    since timestamptz;
BEGIN
    EXECUTE format(
        'WITH gone AS (
            DELETE FROM %1$I.rated_match AS m USING %1$I.carried_match AS n
            WHERE n.match_id %2$s m.match_id AND NOT n.known
                AND NOT EXISTS (
                    SELECT FROM %1$I.source AS s WHERE s.match_id %2$s m.match_id)
            RETURNING m.seq, m.played_at)
        SELECT min(g.seq), min(g.played_at) FROM gone AS g', b, t.match_equals)
    INTO place, since;
    PERFORM skillrating_internal.note_correction(b, 'carried', place, played_at => since);
END
$function$;

COMMENT ON FUNCTION skillrating_internal.forget_vanished(text, text) IS
'A part of swap_ladders(): takes matches out of ladder b that neither ladder a nor the source has
any more, so that their places are free.';
-- A call as one JSON document, and the JSON Schema of it.
--
-- A document has what the function takes as arguments: arrays with an element for each player
-- become keys of the players, those about teams keys of the teams.  It is turned into the arrays,
-- so that there is one implementation.  Which keys there are is read from the function itself: an
-- argument that is added to it comes along.  That is done when the functions are made, so that a
-- call need not read the catalogs.

CREATE FUNCTION skillrating_internal.document_base(function text)
RETURNS SETOF pg_proc
LANGUAGE sql STABLE STRICT ROWS 1
SET search_path = pg_catalog, pg_temp
AS $function$
    SELECT p.* FROM pg_proc AS p
    WHERE p.proname = function AND p.pronamespace IN (
        'skillrating_internal'::regnamespace, 'skillrating'::regnamespace)
    ORDER BY p.pronamespace = 'skillrating'::regnamespace LIMIT 1
$function$;

COMMENT ON FUNCTION skillrating_internal.document_base(text) IS
'The function that a document is for: the body behind the door, of one on ladders.';

CREATE FUNCTION skillrating_internal.document_in_teams(function text)
RETURNS boolean
LANGUAGE sql STABLE STRICT
SET search_path = pg_catalog, pg_temp
AS $function$
    SELECT 'team' = ANY (p.proargnames[1:p.pronargs])
    FROM skillrating_internal.document_base(function) AS p
$function$;

COMMENT ON FUNCTION skillrating_internal.document_in_teams(text) IS
'Whether the document of a function has its players in teams, and not in one list.';

CREATE FUNCTION skillrating_internal.document_keys(
    function text,
    OUT n bigint,
    OUT level text,
    OUT key text,
    OUT argument text,
    OUT type text,
    OUT needed boolean,
    OUT default_value text,
    OUT description text)
RETURNS SETOF record
LANGUAGE sql STABLE STRICT ROWS 20
SET search_path = pg_catalog, pg_temp
AS $function$
    WITH a AS (
        SELECT u.n, u.name, u.n <= p.pronargs - p.pronargdefaults AS needed,
            pg_get_function_arg_default(p.oid, u.n::integer) AS default_value,
            t.typcategory IN ('A', 'P') AND u.name NOT IN ('avoid', 'match_id') AS of_players,
            skillrating_internal.document_in_teams(function) AS in_teams,
            CASE WHEN u.name IN ('match_id', 'players') THEN 'identifier'
                WHEN u.name = 'avoid' THEN 'pairs'
                ELSE format_type(coalesce(nullif(t.typelem, 0), t.oid), NULL) END AS type,
            CASE u.name WHEN 'players' THEN 'id' WHEN 'team_score' THEN 'score'
                WHEN 'player_gain' THEN 'gain' ELSE u.name END AS key
        FROM skillrating_internal.document_base(function) AS p
        CROSS JOIN unnest(p.proargtypes::oid[], p.proargnames[1:p.pronargs])
            WITH ORDINALITY AS u(type, name, n)
        JOIN pg_type AS t ON t.oid = u.type
        WHERE u.name <> 'ladder'
    )
    SELECT a.n, CASE WHEN NOT a.of_players THEN 'document'
            WHEN a.in_teams AND a.name IN ('rank', 'team_score', 'side') THEN 'team'
            ELSE 'player' END,
        a.key, a.name, a.type, a.needed, a.default_value,
        CASE WHEN a.name = 'gain' AND NOT a.of_players
                THEN 'how much the match counts for all players, 1 by default'
            WHEN a.name = 'pool' AND a.of_players
                THEN 'a label; only players with the same one, or none, meet'
            WHEN a.key = 'id' THEN 'the player' ELSE s.description END
    FROM a LEFT JOIN skillrating.source_columns() AS s ON s.column_name = a.key
    -- Of teams the place in the document is the number.
    WHERE NOT (a.in_teams AND a.name = 'team')
    ORDER BY a.n
$function$;

COMMENT ON FUNCTION skillrating_internal.document_keys(text) IS
'The keys of the document of a function, with the argument that each becomes and the place of that.
level: where the key stands, document, team or player.
type: that of an element, as SQL has it; identifier; or pairs, of players.
needed: the argument has no default; default_value: that, as SQL.
description: that of source_columns(), where a column of a source is called so and means that.';

CREATE FUNCTION skillrating_internal.document_type(
    type text,
    OUT name text,
    OUT schema jsonb)
LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
SET search_path = pg_catalog, pg_temp
AS $function$
    SELECT t.name, t.schema FROM (VALUES
        ('identifier', 'a string or an integer', '{"type": ["string", "integer"]}'::jsonb),
        ('filled', 'an array that is not empty', '{"type": "array", "minItems": 1}'),
        ('pairs', 'an array of pairs of identifiers', '{"type": "array", "items": {"type": "array",
            "minItems": 2, "maxItems": 2, "items": {"type": ["string", "integer"]}}}'),
        ('integer', 'an integer',
            '{"type": "integer", "minimum": -2147483648, "maximum": 2147483647}'),
        ('bigint', 'an integer', '{"type": "integer"}'),
        ('double precision', 'a number', '{"type": "number"}'),
        ('boolean', 'true or false', '{"type": "boolean"}'),
        ('text', 'a string', '{"type": "string"}'),
        ('jsonb', 'an object', '{"type": "object"}'),
        ('timestamp with time zone',
            'a time with its offset from UTC, such as "2024-05-05T20:15:00Z"',
            '{"type": "string", "format": "date-time"}')) AS t(type, name, schema)
    WHERE t.type = document_type.type
$function$;

COMMENT ON FUNCTION skillrating_internal.document_type(text) IS
'What the values of a key of this type are in a document: in words, and as a JSON Schema.';

CREATE FUNCTION skillrating_internal.document_value_fits(value jsonb, type text)
RETURNS boolean
LANGUAGE plpgsql IMMUTABLE STRICT PARALLEL SAFE
SET search_path = pg_catalog, pg_temp
AS $function$
DECLARE
    found text := jsonb_typeof(value);
BEGIN
    RETURN CASE type
        WHEN 'identifier' THEN CASE found WHEN 'string' THEN true
            WHEN 'number' THEN value::numeric = trunc(value::numeric) ELSE false END
        WHEN 'double precision' THEN found = 'number'
        WHEN 'text' THEN found = 'string'
        WHEN 'integer' THEN CASE found WHEN 'number' THEN value::numeric = trunc(value::numeric)
            ELSE false END
        WHEN 'bigint' THEN CASE found WHEN 'number' THEN value::numeric = trunc(value::numeric)
            ELSE false END
        WHEN 'boolean' THEN found = 'boolean'
        WHEN 'jsonb' THEN found = 'object'
        WHEN 'filled' THEN found = 'array' AND value <> '[]'
        WHEN 'timestamp with time zone' THEN found = 'string' AND value #>> '{}'
            ~* '^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?(Z|[+-]\d\d:\d\d)$'
        WHEN 'pairs' THEN CASE found WHEN 'array' THEN NOT EXISTS (
                SELECT FROM jsonb_array_elements(value) AS p(pair)
                WHERE CASE jsonb_typeof(p.pair)
                    WHEN 'array' THEN jsonb_array_length(p.pair) <> 2
                        OR NOT skillrating_internal.document_value_fits(p.pair->0, 'identifier')
                        OR NOT skillrating_internal.document_value_fits(p.pair->1, 'identifier')
                    ELSE true END) ELSE false END
        END;
END
$function$;

COMMENT ON FUNCTION skillrating_internal.document_value_fits(jsonb, text) IS
'Whether a value in a document is one of this type, as document_type() says.';

-- The planner takes each array in a document for one of a hundred elements, and compiling the query
-- for a million of them would take longer than all else.
CREATE FUNCTION skillrating_internal.check_document(keys jsonb, document jsonb)
RETURNS void
LANGUAGE plpgsql STABLE
SET jit = off
SET search_path = pg_catalog, pg_temp
AS $function$
DECLARE
    fault record;
    place text;
    wanted text;
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
    wanted := CASE WHEN fault.key IS NULL THEN 'an object'
        ELSE (skillrating_internal.document_type(keys->fault.level->>fault.key)).name END;
    RAISE invalid_parameter_value USING
        MESSAGE = CASE fault.kind
            WHEN 'invalid' THEN format('invalid key "%s" in %s', fault.key, place)
            WHEN 'missing' THEN format('key "%s" is missing in %s', fault.key, place)
            ELSE format('%s must be %s, not %s',
                coalesce(nullif(concat_ws('.', nullif(fault.path, ''), fault.key), ''), place),
                wanted, left(fault.value::text, 100)) END,
        HINT = CASE fault.kind
            WHEN 'missing' THEN format('It is %s.', wanted)
            ELSE format('Valid keys are %s.', (
                SELECT string_agg(k.key, ', ' ORDER BY k.key COLLATE "C")
                FROM jsonb_object_keys(keys->fault.level) AS k(key))) END;
END
$function$;

COMMENT ON FUNCTION skillrating_internal.check_document(jsonb, jsonb) IS
'Error 22023, or 22004 for null, unless the document has these keys, with where the fault stands: a
key that does not exist, with a hint that names those that do, one that is missing, or a value of
another type. keys is what document_check_keys() makes.';

CREATE FUNCTION skillrating_internal.document_check_keys(function text)
RETURNS jsonb
LANGUAGE sql STABLE STRICT
SET search_path = pg_catalog, pg_temp
AS $function$
    WITH k AS (
        SELECT k.level, k.key, k.type, k.needed
        FROM skillrating_internal.document_keys(function) AS k
        UNION ALL
        SELECT l.level, l.key, 'filled', true
        FROM (VALUES (true, 'document', 'teams'), (true, 'team', 'players'),
            (false, 'document', 'players')) AS l(in_teams, level, key)
        WHERE l.in_teams = skillrating_internal.document_in_teams(function)
    ), l AS (
        SELECT k.level, jsonb_object_agg(k.key, k.type) AS types,
            coalesce(jsonb_agg(k.key ORDER BY k.key) FILTER (WHERE k.needed), '[]') AS needed
        FROM k GROUP BY k.level
    )
    SELECT jsonb_object_agg(l.level, l.types)
        || jsonb_build_object('needed', jsonb_object_agg(l.level, l.needed))
    FROM l
$function$;

COMMENT ON FUNCTION skillrating_internal.document_check_keys(text) IS
'The keys of the document of a function, for check_document(): an object of types for each level,
and needed, those that must be there. There are teams if the players are in teams.';

CREATE FUNCTION skillrating_internal.document_call(function text, schema text, on_ladder boolean)
RETURNS text
LANGUAGE plpgsql STABLE STRICT
SET search_path = pg_catalog, pg_temp
AS $function$
DECLARE
    in_teams boolean := skillrating_internal.document_in_teams(function);
    arrays text;
    arguments text;
BEGIN
    -- An array of which nobody has the key is null; a scalar without the key is as by default.
    SELECT string_agg(format(
            ', CASE WHEN bool_or(jsonb_typeof(%1$s.value->%2$L) <> ''null'')
                THEN array_agg(%3$s ORDER BY t.n, p.n) END AS %4$I',
            left(k.level, 1), k.key,
            format(CASE WHEN k.type IN ('integer', 'bigint')
                    THEN 'CAST(CAST(%s.value->>%L AS numeric) AS %s)'
                    ELSE 'CAST(%s.value->>%L AS %s)' END,
                left(k.level, 1), k.key,
                CASE k.type WHEN 'identifier' THEN 'text' ELSE k.type END),
            k.argument), '' ORDER BY k.n) FILTER (WHERE k.level <> 'document'),
        string_agg(format(
            CASE WHEN k.level <> 'document' THEN ', %1$I => a.%1$I'
                WHEN k.needed THEN ', %1$I => %2$s'
                ELSE ', %1$I => coalesce(%2$s, %3$s)' END,
            k.argument,
            format(CASE k.type
                WHEN 'identifier' THEN 'document->>%1$L'
                WHEN 'jsonb' THEN 'nullif(document->%1$L, ''null'')'
                WHEN 'pairs' THEN '(SELECT array_agg(ARRAY[i.pair->>0, i.pair->>1])
                    FROM jsonb_array_elements(nullif(document->%1$L, ''null'')) AS i(pair))'
                WHEN 'integer' THEN 'CAST(CAST(document->>%1$L AS numeric) AS integer)'
                WHEN 'bigint' THEN 'CAST(CAST(document->>%1$L AS numeric) AS bigint)'
                ELSE 'CAST(document->>%1$L AS %2$s)' END, k.key, k.type),
            k.default_value), '' ORDER BY k.n)
    INTO arrays, arguments
    FROM skillrating_internal.document_keys(function) AS k;
    RETURN format(
        'SELECT r.* FROM (
            SELECT array_agg(CAST(t.n AS integer) ORDER BY t.n, p.n) AS team%s
            FROM %s, jsonb_array_elements(t.value->''players'')
                WITH ORDINALITY AS p(value, n)) AS a,
        %I.%I(%s) AS r',
        arrays,
        CASE WHEN in_teams
            THEN 'jsonb_array_elements(document->''teams'') WITH ORDINALITY AS t(value, n)'
            ELSE '(SELECT document AS value, 1 AS n) AS t' END,
        schema, function,
        substr(CASE WHEN on_ladder THEN ', ladder => ladder' ELSE '' END
            || CASE WHEN in_teams THEN ', team => a.team' ELSE '' END || arguments, 3));
END
$function$;

COMMENT ON FUNCTION skillrating_internal.document_call(text, text, boolean) IS
'A part of create_document_function(): the query that calls a function of a schema with what is in a
document.';

CREATE FUNCTION skillrating_internal.create_document_function(function text)
RETURNS void
LANGUAGE plpgsql VOLATILE STRICT
SET search_path = pg_catalog, pg_temp
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
            MESSAGE = format('arguments of type %s have no place in a document', unknown);
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
BEGIN%s
    PERFORM skillrating_internal.check_document(%L, document);
    RETURN QUERY %s;
END
',
            CASE WHEN on_ladder THEN '
    PERFORM skillrating_internal.ladder_types(ladder);' ELSE '' END,
            skillrating_internal.document_check_keys(function),
            skillrating_internal.document_call(function, schema, on_ladder)));
    IF on_ladder THEN
        PERFORM skillrating_internal.create_entry(function || '_document');
    END IF;
END
$function$;

COMMENT ON FUNCTION skillrating_internal.create_document_function(text) IS
'A part of the install script, for superusers: makes the function that takes the arguments of
another one as a document, and returns the same rows, with identifiers as text.';

SELECT skillrating_internal.create_document_function(f)
FROM unnest(ARRAY['report_match', 'preview', 'win_probability', 'split_ladder', 'pair_queue']) AS f;

COMMENT ON FUNCTION skillrating.report_match_document(text, jsonb) IS
'report_match() with its arguments as one document, and the same result:

    {"match_id": "final", "played_at": "2024-05-05T20:15:00Z", "teams": [
        {"rank": 1, "players": [{"id": "ada"}, {"id": "ben", "weight": 0.5}]},
        {"rank": 2, "players": [{"id": "cleo"}, {"id": "dan"}]}]}

Teams are numbered in their order, from 1 on. rank and side, and score (the argument team_score),
are keys of a team; weight, joined, left, commanding, squad, kills, deaths, quit, experience,
gain (the argument player_gain), bot, context and club of a player; the other arguments of the document. Identifiers are
strings or integers. Null is as if the key were not there. document_schema() has all of it as a JSON
Schema.
Errors: 22023 for a key that does not exist or is missing, or for a value of another type, with
where it stands, 22004 for a null document, and those of report_match(), without that place.';

COMMENT ON FUNCTION skillrating.preview_document(text, jsonb) IS
'preview() with its arguments as one document, and the same result: as for report_match_document(),
without a result of the teams. Errors as there, and those of preview().';

COMMENT ON FUNCTION skillrating.win_probability_document(text, jsonb) IS
'win_probability() with its arguments as one document, and the same result: as for
preview_document(), without gains. Errors as there.';

COMMENT ON FUNCTION skillrating.split_ladder_document(text, jsonb) IS
'split_ladder() with its arguments as one document, and the same result, with identifiers as text:

    {"players": [{"id": "ada"}, {"id": "ben", "party": 1}, {"id": "cleo", "party": 1},
                 {"id": "dan"}],
     "teams": 2, "avoid": [["ada", "dan"]]}

weight, party, locked, split_evenly, priority, current and commander are keys of a player. Errors as
for report_match_document(), and those of split_ladder().';

COMMENT ON FUNCTION skillrating.pair_queue_document(jsonb) IS
'pair_queue() with its arguments as one document, and the same result, with identifiers as text:

    {"players": [{"id": "ada", "mu": 1510, "waited": 3}, {"id": "ben", "mu": 1490, "waited": 12}],
     "team_size": 1}

mu, deviation, waited, party, region and pool, a label that keeps players apart, are keys of a
player. Errors as for
report_match_document(), and those of pair_queue().';

CREATE FUNCTION skillrating_internal.document_object_schema(
    function text,
    level text,
    more jsonb,
    needed text[])
RETURNS jsonb
LANGUAGE sql STABLE
SET search_path = pg_catalog, pg_temp
AS $function$
    SELECT jsonb_build_object('type', 'object', 'additionalProperties', false,
        'required', to_jsonb(document_object_schema.needed || ARRAY(
            SELECT k.key FROM skillrating_internal.document_keys(function) AS k
            WHERE k.level = document_object_schema.level AND k.needed ORDER BY k.n)),
        'properties', more || coalesce(jsonb_object_agg(k.key,
            CASE WHEN k.description IS NULL THEN '{}'
                ELSE jsonb_build_object('description', k.description) END
            || t.schema || CASE WHEN k.needed THEN '{}'
                ELSE jsonb_build_object('type',
                    CASE jsonb_typeof(t.schema->'type') WHEN 'array' THEN t.schema->'type'
                        ELSE jsonb_build_array(t.schema->'type') END || '["null"]') END), '{}'))
    FROM skillrating_internal.document_keys(function) AS k
    CROSS JOIN skillrating_internal.document_type(k.type) AS t
    WHERE k.level = document_object_schema.level
$function$;

COMMENT ON FUNCTION skillrating_internal.document_object_schema(text, text, jsonb, text[]) IS
'A part of document_schema(): the objects of a level, with more properties and needed keys besides
those of document_keys(). A key that is not needed can be null.';

CREATE FUNCTION skillrating_internal.document_result_schema(function text)
RETURNS jsonb
LANGUAGE sql STABLE STRICT
SET search_path = pg_catalog, pg_temp
AS $function$
    SELECT jsonb_build_object('anyOf', jsonb_agg(a.of_all ORDER BY k.n),
        'allOf', jsonb_agg(
            jsonb_build_object('anyOf', jsonb_build_array(a.of_all, a.of_none)) ORDER BY k.n))
    FROM skillrating_internal.document_keys(function) AS k
    CROSS JOIN LATERAL (VALUES (
        jsonb_build_object('type', 'object', 'required', jsonb_build_array(k.key),
            'properties', jsonb_build_object(k.key, '{"not": {"type": "null"}}'::jsonb)),
        jsonb_build_object('type', 'object',
            'properties', jsonb_build_object(k.key, '{"type": "null"}'::jsonb)))) AS t(has, lacks)
    CROSS JOIN LATERAL (VALUES (
        jsonb_build_object('properties', jsonb_build_object('teams',
            jsonb_build_object('type', 'array', 'items', t.has))),
        jsonb_build_object('properties', jsonb_build_object('teams',
            jsonb_build_object('type', 'array', 'items', t.lacks))))) AS a(of_all, of_none)
    WHERE k.level = 'team' AND k.key IN ('rank', 'score')
    HAVING count(*) > 0
$function$;

COMMENT ON FUNCTION skillrating_internal.document_result_schema(text) IS
'A part of document_schema(): that all teams have a rank, or all a score, or both, and that it is
never some of them only. No row for a function that takes no result.';

CREATE FUNCTION skillrating.document_schema(function text DEFAULT 'report_match_document')
RETURNS jsonb
LANGUAGE plpgsql STABLE STRICT
SET search_path = pg_catalog, pg_temp
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
            HINT = format('Those that do are %s.', array_to_string(valid, ', '));
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

COMMENT ON FUNCTION skillrating.document_schema(text) IS
'The JSON Schema (draft 2020-12) of the document that a function takes, such as
report_match_document, with the keys of this version and what source_columns() says of them. A
document that it allows has the right keys and types; what values make sense, the function says.
Errors: 22023 for a function that takes no document.';
-- Parts of swap_ladders(): tables that stay where they are, with all that users have hung on
-- them, and exchange their rows.
--
-- The rows of two tables are exchanged as files (exchange.c), which takes columns in the same
-- places, and for each index one of the same definition.  rerate() makes tables like that
-- (arranged_columns()); what users have added to ladder a since, ladder b gets before
-- (prepare_exchange()).  State columns that only one of the models has change over while no
-- file is in the way (exchange_table()).

CREATE FUNCTION skillrating_internal.exchange_storage(a text, b text, relation text)
RETURNS void
AS 'MODULE_PATHNAME', 'skillrating_exchange_storage'
LANGUAGE C VOLATILE STRICT;

COMMENT ON FUNCTION skillrating_internal.exchange_storage(text, text, text) IS
'A part of swap_ladders(): exchanges the rows of a table of ladder a with those of the same table of
ladder b, with indexes and statistics, by exchanging their files; or two sequences. Errors: 55000
unless columns and indexes are the same, 55006 if the transaction uses one of them.';

CREATE FUNCTION skillrating_internal.unpaired_indexes(
    a text,
    b text,
    relation text,
    OUT index regclass,
    OUT is_of_b boolean)
RETURNS SETOF record
AS 'MODULE_PATHNAME', 'skillrating_unpaired_indexes'
LANGUAGE C STABLE STRICT;

COMMENT ON FUNCTION skillrating_internal.unpaired_indexes(text, text, text) IS
'A part of swap_ladders(): the indexes of a table of two ladders for which the other table has none
of the same definition. Error 55000 for an index that is not valid.';

CREATE FUNCTION skillrating_internal.revive_column(
    ladder text,
    relation text,
    number smallint,
    name name)
RETURNS void
AS 'MODULE_PATHNAME', 'skillrating_revive_column'
LANGUAGE C VOLATILE STRICT;

COMMENT ON FUNCTION skillrating_internal.revive_column(text, text, smallint, name) IS
'A part of swap_ladders(): makes a dropped column of a ladder''s table one of type double precision,
with what rows have in its place. It is nullable. Error 55000 unless it had a type of eight bytes.';

CREATE FUNCTION skillrating_internal.set_generated(
    ladder text,
    relation text,
    name name,
    expression text)
RETURNS void
AS 'MODULE_PATHNAME', 'skillrating_set_generated'
LANGUAGE C VOLATILE STRICT;

COMMENT ON FUNCTION skillrating_internal.set_generated(text, text, name, text) IS
'A part of swap_ladders(): has a column of a ladder''s table be generated by an expression from now
on, without computing it for rows that exist.';

CREATE FUNCTION skillrating_internal.single_columns(
    relation regclass,
    other regclass,
    OUT name name,
    OUT number smallint,
    OUT not_null boolean)
RETURNS SETOF record
LANGUAGE sql STABLE STRICT
SET search_path = pg_catalog, pg_temp
AS $function$
    SELECT x.attname, x.attnum, x.attnotnull
    FROM pg_attribute AS x
    WHERE x.attrelid = relation AND x.attnum > 0 AND NOT x.attisdropped
        AND NOT EXISTS (
            SELECT FROM pg_attribute AS y
            WHERE y.attrelid = other AND y.attname = x.attname AND y.attnum > 0
                AND NOT y.attisdropped)
    ORDER BY x.attnum
$function$;

COMMENT ON FUNCTION skillrating_internal.single_columns(regclass, regclass) IS
'A part of swap_ladders(): the columns of a table that another one lacks.';

CREATE FUNCTION skillrating_internal.generated_columns(
    relation regclass,
    OUT name name,
    OUT expression text)
RETURNS SETOF record
LANGUAGE sql STABLE STRICT
SET search_path = pg_catalog, pg_temp
AS $function$
    SELECT t.attname, pg_get_expr(e.adbin, e.adrelid)
    FROM pg_attribute AS t JOIN pg_attrdef AS e ON e.adrelid = t.attrelid AND e.adnum = t.attnum
    WHERE t.attrelid = relation AND t.attgenerated <> '' AND NOT t.attisdropped
    ORDER BY t.attnum
$function$;

COMMENT ON FUNCTION skillrating_internal.generated_columns(regclass) IS
'A part of swap_ladders(): the columns of a table that are generated, and how.';

CREATE FUNCTION skillrating_internal.columns_differ(
    relation regclass,
    other regclass)
RETURNS boolean
LANGUAGE sql STABLE STRICT
SET search_path = pg_catalog, pg_temp
AS $function$
    SELECT EXISTS (SELECT FROM skillrating_internal.single_columns(relation, other))
        OR EXISTS (SELECT FROM skillrating_internal.single_columns(other, relation))
        OR EXISTS (
            SELECT FROM skillrating_internal.generated_columns(relation) AS x
            FULL JOIN skillrating_internal.generated_columns(other) AS y USING (name)
            WHERE x.expression IS DISTINCT FROM y.expression)
        OR (SELECT count(DISTINCT c.relnatts) > 1 FROM pg_class AS c WHERE c.oid IN (relation, other))
$function$;

COMMENT ON FUNCTION skillrating_internal.columns_differ(regclass, regclass) IS
'A part of swap_ladders(): whether columns of two tables have to change over with their rows.';

CREATE FUNCTION skillrating_internal.column_followers(
    relation regclass,
    numbers smallint[])
RETURNS text
LANGUAGE sql STABLE STRICT
SET search_path = pg_catalog, pg_temp
AS $function$
    SELECT string_agg(DISTINCT coalesce(
            pg_describe_object('pg_class'::regclass, w.ev_class, 0),
            pg_describe_object(d.classid, d.objid, d.objsubid)), ', ')
    FROM pg_depend AS d
    LEFT JOIN pg_rewrite AS w ON d.classid = 'pg_rewrite'::regclass AND w.oid = d.objid
    WHERE d.refclassid = 'pg_class'::regclass AND d.refobjid = relation
        AND d.refobjsubid = ANY (numbers)
        -- The displayed rating is generated from states, and so is its band.
        AND NOT (d.classid = 'pg_attrdef'::regclass AND EXISTS (
            SELECT FROM pg_attrdef AS e
            JOIN pg_attribute AS t ON t.attrelid = e.adrelid AND t.attnum = e.adnum
            WHERE e.oid = d.objid AND e.adrelid = relation AND t.attname IN ('rating', 'band')))
        AND NOT (d.classid = 'pg_constraint'::regclass AND EXISTS (
            SELECT FROM pg_constraint AS k WHERE k.oid = d.objid AND k.contype = 'n'))
$function$;

COMMENT ON FUNCTION skillrating_internal.column_followers(regclass, smallint[]) IS
'A part of swap_ladders(): what depends on some columns of a table and was not there when the ladder
was made, in words; null for nothing.';

CREATE FUNCTION skillrating_internal.check_single_columns(
    ladder text,
    other text,
    relation text)
RETURNS void
LANGUAGE plpgsql STABLE STRICT
SET search_path = pg_catalog, pg_temp
AS $function$
DECLARE
    this regclass := to_regclass(format('%I.%I', ladder, relation));
    that regclass := to_regclass(format('%I.%I', other, relation));
    model text;
    states text[];
    added text;
    followers text;
BEGIN
    PERFORM skillrating_internal.check_inside(ladder), skillrating_internal.check_inside(other);
    EXECUTE format('SELECT l.model FROM %I.ladder AS l', ladder) INTO model;
    SELECT array_agg(s.name || x.suffix) INTO states
    FROM skillrating.models() AS m CROSS JOIN unnest(m.state_columns) AS s(name)
    JOIN (VALUES ('rating', ''), ('event', '_before'), ('event', '_after')) AS x(relation, suffix)
        ON x.relation = check_single_columns.relation
    WHERE m.name = model;
    SELECT string_agg(quote_ident(c.name), ', ') INTO added
    FROM skillrating_internal.single_columns(this, that) AS c
    WHERE NOT c.name = ANY (coalesce(states, '{}'));
    IF added IS NOT NULL THEN
        RAISE object_not_in_prerequisite_state USING
            MESSAGE = format('table %I.%I lacks columns that %I.%I has: %s', other, relation,
                ladder, relation, added),
            HINT = 'Add them there, with their values, or drop them.';
    END IF;
    SELECT skillrating_internal.column_followers(this, array_agg(c.number)) INTO followers
    FROM skillrating_internal.single_columns(this, that) AS c;
    IF followers IS NOT NULL THEN
        RAISE dependent_objects_still_exist USING
            MESSAGE = format('ladder "%s" has no use for columns of table %I.%I that others need',
                other, ladder, relation),
            DETAIL = format('They are states of model "%s": %s are about them.', model, followers),
            HINT = 'Drop these first, or have them do without the columns.';
    END IF;
END
$function$;

COMMENT ON FUNCTION skillrating_internal.check_single_columns(text, text, text) IS
'A part of swap_ladders(): errors 55000 for columns of a ladder''s table that the other one''s lacks
and that are no states of its model, and 2BP01 if they are, but views, indexes or other things depend
on them.';

CREATE FUNCTION skillrating_internal.check_columns(
    a text,
    b text,
    relation text)
RETURNS void
LANGUAGE plpgsql STABLE STRICT
SET search_path = pg_catalog, pg_temp
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
                ELSE format('Make ladder "%s" anew by skillrating.rerate().', b) END;
    END IF;
END
$function$;

COMMENT ON FUNCTION skillrating_internal.check_columns(text, text, text) IS
'A part of swap_ladders(): errors, before anything is done, unless the rows of a table of ladder a
and of ladder b can be exchanged. See check_single_columns(); 55000 if columns of the same name are
in different places, or of different types.';

CREATE FUNCTION skillrating_internal.missing_constraints(
    a text,
    b text,
    relation text)
RETURNS SETOF text
LANGUAGE sql STABLE STRICT
SET search_path = pg_catalog, pg_temp
AS $function$
    -- A foreign key to a table that is exchanged as well is to the one beside.
    WITH constraint_of(ladder, definition) AS (
        SELECT l.name, CASE WHEN n.nspname IS NULL THEN pg_get_constraintdef(k.oid)
            ELSE replace(pg_get_constraintdef(k.oid),
                format(' REFERENCES %I.%I(', n.nspname, t.relname),
                format(' REFERENCES %I.%I(', b, t.relname)) END
        FROM unnest(ARRAY[a, b]) AS l(name)
        JOIN pg_constraint AS k
            ON k.conrelid = to_regclass(format('%I.%I', l.name, missing_constraints.relation))
        LEFT JOIN (
            SELECT s.kept AS oid FROM skillrating_internal.swapped_tables(a, b) AS s
            UNION ALL SELECT s.moved FROM skillrating_internal.swapped_tables(a, b) AS s) AS s
            ON s.oid = k.confrelid
        LEFT JOIN pg_class AS t ON t.oid = s.oid
        LEFT JOIN pg_namespace AS n ON n.oid = t.relnamespace
        WHERE k.contype IN ('c', 'f'))
    SELECT c.definition FROM constraint_of AS c WHERE c.ladder = a
    EXCEPT
    SELECT c.definition FROM constraint_of AS c WHERE c.ladder = b
$function$;

COMMENT ON FUNCTION skillrating_internal.missing_constraints(text, text, text) IS
'A part of swap_ladders(): the definitions of the checks and foreign keys that a table of ladder a
has and that of ladder b has not, as they are for b.';

CREATE FUNCTION skillrating_internal.prepare_table(
    a text,
    b text,
    relation text)
RETURNS void
LANGUAGE plpgsql VOLATILE STRICT
SET search_path = pg_catalog, pg_temp
AS $function$
DECLARE
    definition text;
    index record;
    only_b text;
BEGIN
    PERFORM skillrating_internal.check_columns(a, b, relation);
    SELECT string_agg(what, ', ') INTO only_b
    FROM (
        SELECT u.index::text FROM skillrating_internal.unpaired_indexes(a, b, relation) AS u
        WHERE u.is_of_b
        UNION ALL
        SELECT skillrating_internal.missing_constraints(b, a, relation)) AS s(what);
    IF only_b IS NOT NULL THEN
        RAISE object_not_in_prerequisite_state USING
            MESSAGE = format('table %I.%I has indexes or constraints that %I.%I lacks: %s',
                b, relation, a, relation, only_b),
            HINT = 'Drop them, or make the same on the other table.';
    END IF;
    FOR definition IN SELECT * FROM skillrating_internal.missing_constraints(a, b, relation) LOOP
        EXECUTE format('ALTER TABLE %I.%I ADD %s', b, relation, definition);
    END LOOP;
    FOR index IN
        SELECT c.relname AS name, x.indisunique, k.oid AS constraint_of,
            pg_get_indexdef(c.oid) AS definition
        FROM skillrating_internal.unpaired_indexes(a, b, relation) AS u
        JOIN pg_index AS x ON x.indexrelid = u.index
        JOIN pg_class AS c ON c.oid = u.index
        LEFT JOIN pg_constraint AS k ON k.conindid = u.index AND k.contype IN ('u', 'x')
        WHERE NOT u.is_of_b
    LOOP
        EXECUTE CASE WHEN index.constraint_of IS NOT NULL
            THEN format('ALTER TABLE %I.%I ADD %s', b, relation,
                pg_get_constraintdef(index.constraint_of))
            -- The name of the index, and of its table, come first.
            ELSE format('CREATE %sINDEX ON %I.%I%s', CASE WHEN index.indisunique THEN 'UNIQUE ' END,
                b, relation, substr(index.definition, length(format('CREATE %sINDEX %I ON %I.%I',
                    CASE WHEN index.indisunique THEN 'UNIQUE ' END, index.name, a, relation)) + 1))
            END;
    END LOOP;
END
$function$;

COMMENT ON FUNCTION skillrating_internal.prepare_table(text, text, text) IS
'A part of swap_ladders(): gives a table of ladder b the indexes, checks and foreign keys that users
have added to that of ladder a, so that its rows satisfy what will hold for them. Errors as
check_columns(), and 55000 for those that b alone has.';

CREATE FUNCTION skillrating_internal.held_constraints(
    a text,
    b text)
RETURNS text[]
LANGUAGE sql STABLE STRICT
SET search_path = pg_catalog, pg_temp
AS $function$
    SELECT array_agg(format('%s %s', k.oid, k.convalidated) ORDER BY k.oid)
    FROM pg_constraint AS k JOIN pg_class AS c ON c.oid = k.conrelid
    WHERE c.relnamespace IN (to_regnamespace(quote_ident(a)), to_regnamespace(quote_ident(b)))
        -- Whoever rates may make partitions.
        AND NOT EXISTS (
            SELECT FROM pg_inherits AS i WHERE i.inhrelid = c.oid AND i.inhparent IN (
                to_regclass(format('%I.event', a)), to_regclass(format('%I.event', b)),
                to_regclass(format('%I.component_event', a)),
                to_regclass(format('%I.component_event', b))))
$function$;

COMMENT ON FUNCTION skillrating_internal.held_constraints(text, text) IS
'A part of swap_ladders(): the constraints of the tables of both ladders, to see whether one has come
since prepare_exchange().';

CREATE FUNCTION skillrating_internal.prepare_exchange(
    a text,
    b text,
    OUT alike text[],
    OUT differing text[],
    OUT moved text[])
LANGUAGE plpgsql VOLATILE STRICT
SET search_path = pg_catalog, pg_temp
AS $function$
BEGIN
    PERFORM skillrating_internal.check_inside(a), skillrating_internal.check_inside(b);
    PERFORM skillrating_internal.prepare_table(a, b, t.name)
    FROM skillrating_internal.swapped_tables(a, b) AS t
    WHERE t.exchanged AND NOT t.is_sequence;
    SELECT coalesce(array_agg(t.name) FILTER (WHERE t.exchanged AND NOT t.differs), '{}'),
        coalesce(array_agg(t.name) FILTER (WHERE t.exchanged AND t.differs), '{}'),
        coalesce(array_agg(t.name) FILTER (WHERE NOT t.exchanged AND NOT t.is_sequence), '{}')
    INTO alike, differing, moved
    FROM (
        SELECT s.name::text, s.exchanged, s.is_sequence,
            NOT s.is_sequence AND skillrating_internal.columns_differ(s.kept, s.moved) AS differs
        FROM skillrating_internal.swapped_tables(a, b) AS s) AS t;
END
$function$;

COMMENT ON FUNCTION skillrating_internal.prepare_exchange(text, text) IS
'A part of swap_ladders(): prepare_table() for each of them. Returns those whose rows can be exchanged
as they are, those of which columns have to change over, and those that have to move.';

CREATE FUNCTION skillrating_internal.settle_constraints(ladder text)
RETURNS void
LANGUAGE plpgsql VOLATILE STRICT
SET search_path = pg_catalog, pg_temp
AS $function$
DECLARE
    names text;
BEGIN
    PERFORM skillrating_internal.check_inside(ladder);
    SELECT string_agg(format('%I.%I', ladder, k.conname), ', ') INTO names
    FROM pg_constraint AS k JOIN pg_class AS c ON c.oid = k.conrelid
    WHERE c.relnamespace = to_regnamespace(quote_ident(ladder)) AND k.condeferrable
        AND c.relname <> 'pending';
    IF names IS NOT NULL THEN
        EXECUTE format('SET CONSTRAINTS %s IMMEDIATE', names);
    END IF;
END
$function$;

COMMENT ON FUNCTION skillrating_internal.settle_constraints(text) IS
'A part of swap_ladders(): checks deferred constraints that users have added to tables of a ladder now,
because what waits for the commit refers to rows by their place in the file, and cannot be checked
once another file is there.';

CREATE FUNCTION skillrating_internal.check_references(
    a text,
    b text)
RETURNS void
LANGUAGE plpgsql STABLE STRICT
SET search_path = pg_catalog, pg_temp
SET row_security = off
AS $function$
DECLARE
    reference record;
    lacks boolean;
BEGIN
    PERFORM skillrating_internal.check_inside(a), skillrating_internal.check_inside(b);
    IF NOT EXISTS (
        SELECT FROM pg_constraint AS k JOIN pg_class AS c ON c.oid = k.confrelid
        WHERE k.contype = 'f' AND c.relnamespace = to_regnamespace(quote_ident(a)))
    THEN
        RETURN;
    END IF;
    FOR reference IN
        SELECT k.conname, k.conrelid::regclass AS relation, t.name, k.convalidated,
            string_agg(format('k.%I OPERATOR(%I.%s) f.%I', y.attname, n.nspname, p.oprname,
                x.attname), ' AND ') AS matches,
            string_agg(format('f.%I IS NOT NULL', x.attname), ' AND ') AS given
        FROM skillrating_internal.swapped_tables(a, b) AS t
        JOIN pg_constraint AS k ON k.confrelid = t.kept AND k.contype = 'f' AND k.conparentid = 0
        CROSS JOIN LATERAL unnest(k.conkey, k.confkey, k.conpfeqop) AS c(x, y, equals)
        JOIN pg_operator AS p ON p.oid = c.equals
        JOIN pg_namespace AS n ON n.oid = p.oprnamespace
        JOIN pg_attribute AS x ON x.attrelid = k.conrelid AND x.attnum = c.x
        JOIN pg_attribute AS y ON y.attrelid = k.confrelid AND y.attnum = c.y
        WHERE t.exchanged AND NOT EXISTS (
            SELECT FROM skillrating_internal.swapped_tables(a, b) AS o WHERE o.kept = k.conrelid)
        GROUP BY k.oid, k.conname, k.conrelid, t.name, k.convalidated
    LOOP
        EXECUTE format('SELECT EXISTS (SELECT FROM %s AS f WHERE %s AND NOT EXISTS (
            SELECT FROM %I.%I AS k WHERE %s))', reference.relation, reference.given, b,
            reference.name, reference.matches)
        INTO lacks;
        IF lacks AND reference.convalidated THEN
            RAISE foreign_key_violation USING
                MESSAGE = format('foreign key "%s" of table %s refers to rows of %I.%I that %I.%I lacks',
                    reference.conname, reference.relation, a, reference.name, b, reference.name);
        END IF;
    END LOOP;
END
$function$;

COMMENT ON FUNCTION skillrating_internal.check_references(text, text) IS
'A part of swap_ladders(): error 23503 if a foreign key of another table to a table of ladder a would
refer to nothing once it has the rows of ladder b.';

CREATE FUNCTION skillrating_internal.check_bounds(
    a text,
    b text)
RETURNS void
LANGUAGE plpgsql STABLE STRICT
SET search_path = pg_catalog, pg_temp
SET row_security = off
AS $function$
DECLARE
    bound record;
    violated boolean;
BEGIN
    PERFORM skillrating_internal.check_inside(a), skillrating_internal.check_inside(b);
    FOR bound IN
        SELECT t.name, pg_get_partition_constraintdef(t.kept) AS definition
        FROM skillrating_internal.swapped_tables(a, b) AS t
        JOIN pg_class AS c ON c.oid = t.kept
        WHERE t.exchanged AND c.relispartition
    LOOP
        EXECUTE format('SELECT EXISTS (SELECT FROM %I.%I WHERE NOT (%s))', b, bound.name,
            coalesce(bound.definition, 'true'))
        INTO violated;
        IF violated THEN
            RAISE check_violation USING
                MESSAGE = format('table %I.%I is a partition, and %I.%I has rows that its bounds exclude',
                    a, bound.name, b, bound.name),
                DETAIL = bound.definition,
                HINT = 'See ALTER TABLE ... DETACH PARTITION.';
        END IF;
    END LOOP;
END
$function$;

COMMENT ON FUNCTION skillrating_internal.check_bounds(text, text) IS
'A part of swap_ladders(): error 23514 if a table of ladder a is a partition of a table of the user''s,
and rows that ladder b has for it lie outside of its bounds.';

CREATE FUNCTION skillrating_internal.missing_room(
    relation regclass,
    other regclass)
RETURNS text[]
LANGUAGE sql STABLE STRICT
SET search_path = pg_catalog, pg_temp
AS $function$
    SELECT ARRAY(
        SELECT skillrating_internal.room_type(y.attlen, y.attalign)
        FROM pg_attribute AS y
        WHERE y.attrelid = other
            AND y.attnum > (SELECT c.relnatts FROM pg_class AS c WHERE c.oid = relation)
        ORDER BY y.attnum)
$function$;

COMMENT ON FUNCTION skillrating_internal.missing_room(regclass, regclass) IS
'A part of swap_ladders(): types of columns that have to be added to a table, and dropped, so that it
has as many as another one.';

CREATE FUNCTION skillrating_internal.empty_columns(
    ladder text,
    relation text,
    singles name[],
    generated name[],
    room text[])
RETURNS void
LANGUAGE plpgsql VOLATILE STRICT
SET search_path = pg_catalog, pg_temp
AS $function$
DECLARE
    name name;
    type text;
BEGIN
    PERFORM skillrating_internal.check_inside(ladder);
    FOREACH name IN ARRAY generated LOOP
        EXECUTE format('ALTER TABLE %I.%I ALTER COLUMN %I DROP EXPRESSION', ladder, relation, name);
    END LOOP;
    FOREACH name IN ARRAY singles LOOP
        EXECUTE format('ALTER TABLE %I.%I DROP COLUMN %I', ladder, relation, name);
    END LOOP;
    FOREACH type IN ARRAY room LOOP
        EXECUTE format('ALTER TABLE %I.%I ADD COLUMN skillrating_room %s', ladder, relation, type);
        EXECUTE format('ALTER TABLE %I.%I DROP COLUMN skillrating_room', ladder, relation);
    END LOOP;
END
$function$;

COMMENT ON FUNCTION skillrating_internal.empty_columns(text, text, name[], name[], text[]) IS
'A part of swap_ladders(): drops columns of a table that the other ladder''s model has no use for,
has generated ones be ordinary, and makes room, for values of these types, in which the other table
has more columns.';

CREATE FUNCTION skillrating_internal.fill_columns(
    ladder text,
    relation text,
    singles jsonb,
    generated jsonb)
RETURNS void
LANGUAGE plpgsql VOLATILE STRICT
SET search_path = pg_catalog, pg_temp
AS $function$
DECLARE
    constraints text;
BEGIN
    PERFORM skillrating_internal.check_inside(ladder);
    PERFORM skillrating_internal.revive_column(ladder, relation, (s.value->>'number')::smallint,
        (s.value->>'name')::name)
    FROM jsonb_array_elements(singles) AS s;
    SELECT string_agg(format('ALTER COLUMN %I SET NOT NULL', s.value->>'name'), ', ')
    INTO constraints
    FROM jsonb_array_elements(singles) AS s
    WHERE (s.value->>'not_null')::boolean;
    IF constraints IS NOT NULL THEN
        EXECUTE format('ALTER TABLE %I.%I %s', ladder, relation, constraints);
    END IF;
    PERFORM skillrating_internal.set_generated(ladder, relation, (g.value->>'name')::name,
        g.value->>'expression')
    FROM jsonb_array_elements(generated) AS g;
END
$function$;

COMMENT ON FUNCTION skillrating_internal.fill_columns(text, text, jsonb, jsonb) IS
'A part of swap_ladders(), after empty_columns() of both and exchange_storage(): gives a table the
columns that belong to its rows, in the places where these have them.';

CREATE FUNCTION skillrating_internal.exchange_table(
    a text,
    b text,
    relation text)
RETURNS void
LANGUAGE plpgsql VOLATILE STRICT
SET search_path = pg_catalog, pg_temp
AS $function$
DECLARE
    table_a regclass := to_regclass(format('%I.%I', a, relation));
    table_b regclass := to_regclass(format('%I.%I', b, relation));
    singles_a jsonb;
    singles_b jsonb;
    generated_a jsonb;
    generated_b jsonb;
BEGIN
    PERFORM skillrating_internal.check_inside(a), skillrating_internal.check_inside(b);
    SELECT coalesce((SELECT jsonb_agg(to_jsonb(s)) FROM skillrating_internal.single_columns(table_a, table_b) AS s), '[]'),
        coalesce((SELECT jsonb_agg(to_jsonb(s)) FROM skillrating_internal.single_columns(table_b, table_a) AS s), '[]'),
        coalesce((SELECT jsonb_agg(to_jsonb(g)) FROM skillrating_internal.generated_columns(table_a) AS g), '[]'),
        coalesce((SELECT jsonb_agg(to_jsonb(g)) FROM skillrating_internal.generated_columns(table_b) AS g), '[]')
    INTO singles_a, singles_b, generated_a, generated_b;
    IF NOT skillrating_internal.columns_differ(table_a, table_b) THEN
        PERFORM skillrating_internal.exchange_storage(a, b, relation);
        RETURN;
    END IF;
    PERFORM skillrating_internal.empty_columns(a, relation,
            ARRAY(SELECT (s.value->>'name')::name FROM jsonb_array_elements(singles_a) AS s),
            ARRAY(SELECT (s.value->>'name')::name FROM jsonb_array_elements(generated_a) AS s),
            skillrating_internal.missing_room(table_a, table_b)),
        skillrating_internal.empty_columns(b, relation,
            ARRAY(SELECT (s.value->>'name')::name FROM jsonb_array_elements(singles_b) AS s),
            ARRAY(SELECT (s.value->>'name')::name FROM jsonb_array_elements(generated_b) AS s),
            skillrating_internal.missing_room(table_b, table_a));
    PERFORM skillrating_internal.exchange_storage(a, b, relation);
    PERFORM skillrating_internal.fill_columns(a, relation, singles_b, generated_b),
        skillrating_internal.fill_columns(b, relation, singles_a, generated_a);
END
$function$;

COMMENT ON FUNCTION skillrating_internal.exchange_table(text, text, text) IS
'A part of swap_ladders(): exchanges the rows of a table of ladder a and of ladder b, with the
columns that only one of their models has. Both are locked, and have what prepare_table() makes.';

CREATE FUNCTION skillrating_internal.exchange_pending(
    a text,
    b text)
RETURNS void
LANGUAGE plpgsql VOLATILE STRICT
SET search_path = pg_catalog, pg_temp
AS $function$
BEGIN
    -- Events of deferred triggers refer to rows of these tables by their place in the file.
    PERFORM skillrating_internal.check_pending(a), skillrating_internal.check_pending(b);
    EXECUTE format(
        'WITH of_a AS (DELETE FROM %1$I.pending AS p RETURNING p.match_id, p.xact),
        of_b AS (DELETE FROM %2$I.pending AS p RETURNING p.match_id, p.xact),
        to_a AS (INSERT INTO %1$I.pending (match_id, xact, fires)
            SELECT p.match_id, p.xact, false FROM of_b AS p)
        INSERT INTO %2$I.pending (match_id, xact, fires)
        SELECT p.match_id, p.xact, false FROM of_a AS p', a, b);
END
$function$;

COMMENT ON FUNCTION skillrating_internal.exchange_pending(text, text) IS
'A part of swap_ladders(): exchanges the matches that wait in ladder a and in ladder b, row by row.
Those in b wait for catch_up().';
-- Erasure: persons who want to be forgotten.

CREATE FUNCTION skillrating_internal.replace_words(string text, words text[], replacement text)
RETURNS text
AS 'MODULE_PATHNAME', 'skillrating_replace_words'
LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;

COMMENT ON FUNCTION skillrating_internal.replace_words(text, text[], text) IS
'A text with a replacement in the place of each of some words. A word does not count where letters
or digits continue it.';

CREATE FUNCTION skillrating_internal.rename_digests(
    ladder text,
    players text[],
    pseudonyms text[],
    own boolean)
RETURNS bigint
AS 'MODULE_PATHNAME', 'skillrating_rename_digests'
LANGUAGE C VOLATILE STRICT;

COMMENT ON FUNCTION skillrating_internal.rename_digests(text, text[], text[], boolean) IS
'A part of forget_player(): gives the matches of players the digests that they have under the
pseudonyms, if they are otherwise what the ladder has looked at, and takes back the corrections that
only the change of names made. own says that unrated_reason will be rewritten as well. Returns the
number of matches.';

CREATE FUNCTION skillrating_internal.id_texts(
    ids anyelement,
    player_type text,
    argument text)
RETURNS text[]
LANGUAGE plpgsql STABLE STRICT
SET search_path = pg_catalog, pg_temp
AS $function$
DECLARE
    texts text[];
    twice text;
BEGIN
    IF (SELECT t.typcategory FROM pg_type AS t WHERE t.oid = pg_typeof(ids)) = 'A' THEN
        texts := ids::text[];
    ELSE
        texts := ARRAY[ids::text];
    END IF;
    IF EXISTS (SELECT FROM unnest(texts) AS u(id) WHERE u.id IS NULL) THEN
        RAISE null_value_not_allowed USING
            MESSAGE = format('array %s must not contain nulls', argument);
    END IF;
    EXECUTE format(
        'SELECT coalesce(array_agg(u.id::text ORDER BY u.n), ''{}''),
            min(u.id::text) FILTER (WHERE u.again > 1)
        FROM (SELECT u.id, u.n, row_number() OVER (PARTITION BY u.id) AS again
              FROM unnest(CAST($1 AS %s[])) WITH ORDINALITY AS u(id, n)) AS u', player_type)
    INTO texts, twice USING texts;
    IF twice IS NOT NULL THEN
        RAISE invalid_parameter_value USING
            MESSAGE = format('array %s contains %s twice', argument, twice);
    END IF;
    RETURN texts;
END
$function$;

COMMENT ON FUNCTION skillrating_internal.id_texts(anyelement, text, text) IS
'A part of forget_player(): an identifier, or an array of them, as texts, each as the type of
players writes it. Errors that name the argument: 22004 for nulls, 22023 for one that is given
twice.';

CREATE FUNCTION skillrating_internal.known_players(
    ladder text,
    players text[],
    of_matches boolean)
RETURNS text[]
LANGUAGE plpgsql STABLE STRICT
SET search_path = pg_catalog, pg_temp
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

COMMENT ON FUNCTION skillrating_internal.known_players(text, text[], boolean) IS
'A part of forget_player(): those players who occur in the events, operations or solved skills of a
ladder, or with of_matches in its matches.';

CREATE FUNCTION skillrating_internal.pseudonym_form(player_type text)
RETURNS text
LANGUAGE plpgsql STABLE STRICT
SET search_path = pg_catalog, pg_temp
AS $function$
DECLARE
    -- As expressions over 32 hexadecimal digits, the last 15 of which are random.
    forms constant text[] := ARRAY['r.digits'] || ARRAY(
        SELECT format('%s ((''x'' || right(r.digits, 15))::bit(60)::bigint >> %s)',
            s.start, b.shift)
        FROM (VALUES (1, '-1 -', 0), (2, '1 +', 1)) AS s(n, start, less)
        CROSS JOIN LATERAL (VALUES (s.less), (29 + s.less), (45 + s.less)) AS b(shift)
        ORDER BY s.n, b.shift);
    form text;
BEGIN
    FOREACH form IN ARRAY forms LOOP
        BEGIN
            EXECUTE format(
                'SELECT CAST(CAST(%s AS text) AS %s)
                FROM (VALUES (repeat(''f'', 32)), (rpad(''a'', 32, ''0''))) AS r(digits)',
                form, player_type);
            RETURN form;
        EXCEPTION
            WHEN OTHERS THEN
                CONTINUE;
        END;
    END LOOP;
    RAISE invalid_parameter_value USING
        MESSAGE = format('cannot make pseudonyms of type %s', player_type),
        HINT = 'Give the pseudonyms: skillrating.forget_player(ladder, players, pseudonyms).';
END
$function$;

COMMENT ON FUNCTION skillrating_internal.pseudonym_form(text) IS
'A part of forget_player(): the first expression over 32 random hexadecimal digits, r.digits, whose
text the type takes for a value: the digits, which make a uuid, too; a negative number of 60, 31 or
15 bits; or a positive one. Error 22023 if there is none.';

CREATE FUNCTION skillrating_internal.make_pseudonyms(
    ladder text,
    n integer)
RETURNS text[]
LANGUAGE plpgsql VOLATILE STRICT
SET search_path = pg_catalog, pg_temp
AS $function$
DECLARE
    t record := skillrating_internal.ladder_types(ladder);
    form constant text := skillrating_internal.pseudonym_form(t.player_type);
    made text[] := '{}';
    fresh text[];
    known text[];
    round integer := 0;
BEGIN
    WHILE cardinality(made) < n LOOP
        round := round + 1;
        IF round > 100 THEN
            RAISE program_limit_exceeded USING
                MESSAGE = format('type %s has too few unused values for %s pseudonyms',
                    t.player_type, n);
        END IF;
        -- Random numbers of the operating system make these, and nothing else goes in.
        EXECUTE format(
            'SELECT array_agg(DISTINCT CAST(CAST(%s AS text) AS %s)::text)
            FROM (
                SELECT replace(gen_random_uuid()::text, ''-'', '''')
                FROM generate_series(1, $1)) AS r(digits)',
            form, t.player_type)
        INTO fresh USING n - cardinality(made);
        known := skillrating_internal.known_players(ladder, fresh, true);
        -- In no order, which would be that of the players.
        made := made || ARRAY(
            SELECT f.id FROM unnest(fresh) AS f(id)
            WHERE f.id <> ALL (known) AND f.id <> ALL (made)
            ORDER BY gen_random_uuid());
    END LOOP;
    RETURN made;
END
$function$;

COMMENT ON FUNCTION skillrating_internal.make_pseudonyms(text, integer) IS
'A part of forget_player(): n random identifiers of the type of players, as texts, that do not
occur in the ladder. Errors: 22023 for a type that none can be made of, 54000 if it has too few
values.';

CREATE FUNCTION skillrating_internal.forget_texts(
    ladder text,
    players text[],
    pseudonyms text[])
RETURNS void
LANGUAGE plpgsql VOLATILE STRICT
SET search_path = pg_catalog, pg_temp
AS $function$
DECLARE
    t record := skillrating_internal.ladder_types(ladder);
    forgotten constant text := '[forgotten]';
BEGIN
    -- What the ladder has written of players.
    EXECUTE format(
        'UPDATE %I.rated_match AS m SET detail = format(f.format, p.pseudonym)
        FROM unnest($1, $2) AS p(player, pseudonym)
        CROSS JOIN (VALUES
            (''excluded_player'', ''player %%s is excluded''),
            (''merged_accounts'', ''player %%s takes part under two accounts'')) AS f(reason, format)
        WHERE m.reason = f.reason AND m.detail = format(f.format, p.player)', ladder)
    USING players, pseudonyms;

    -- What users have written, and what the ladder took over from there; no default of ours.
    IF to_regclass(format('%I.match', ladder)) IS NOT NULL THEN
        EXECUTE format(
            'UPDATE %1$I.rated_match AS m
            SET detail = skillrating_internal.replace_words(m.detail, $1, $2)
            FROM %1$I.match AS u
            WHERE u.match_id %2$s m.match_id AND m.reason = ''by_source''
                AND u.unrated_reason = m.detail
                AND skillrating_internal.replace_words(m.detail, $1, $2) <> m.detail',
            ladder, t.match_equals)
        USING players, forgotten;
    END IF;
    EXECUTE format(
        'UPDATE %I.rated_match AS m
        SET void_reason = skillrating_internal.replace_words(m.void_reason, $1, $2),
            detail = CASE WHEN m.reason = ''void'' AND m.detail = m.void_reason
                THEN skillrating_internal.replace_words(m.detail, $1, $2) ELSE m.detail END
        WHERE m.void_reason <> ''void''
            AND skillrating_internal.replace_words(m.void_reason, $1, $2) <> m.void_reason', ladder)
    USING players, forgotten;
    EXECUTE format(
        'WITH o AS (
            UPDATE %1$I.operation AS o
            SET reason = skillrating_internal.replace_words(o.reason, $1, $2)
            WHERE o.reason NOT IN (''decay'', ''settle'', ''set by hand'', ''reset'',
                    ''season '' || coalesce(o.params->>''name'', o.params->>''season'', ''''),
                    ''seeded from '' || coalesce(o.params->>''ladder'', ''''))
                AND skillrating_internal.replace_words(o.reason, $1, $2) <> o.reason
            RETURNING o.seq)
        UPDATE %1$I.event AS e SET reason = skillrating_internal.replace_words(e.reason, $1, $2)
        WHERE e.kind <> ''match'' AND e.seq IN (SELECT o.seq FROM o)', ladder)
    USING players, forgotten;
END
$function$;

COMMENT ON FUNCTION skillrating_internal.forget_texts(text, text[], text[]) IS
'A part of forget_player(): puts pseudonyms in place of players in the reasons that the ladder has
written, and [forgotten] where an identifier is a word of a reason that a user gave.';

CREATE FUNCTION skillrating_internal.rename_players(
    ladder text,
    players text[],
    pseudonyms text[])
RETURNS void
LANGUAGE plpgsql VOLATILE STRICT
SET search_path = pg_catalog, pg_temp
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
    PERFORM skillrating_internal.forget_changes(ladder, players, pseudonyms);
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
            ('horizon', 'player_id'), ('component_horizon', 'player_id')
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

COMMENT ON FUNCTION skillrating_internal.rename_players(text, text[], text[]) IS
'A part of forget_player(): puts pseudonyms in place of players in all tables of a ladder, and takes
the ratings of the old names out of the tables that mirror them.';

CREATE FUNCTION skillrating_internal.forget_player(
    ladder text,
    players anycompatible,
    pseudonyms anycompatible DEFAULT NULL,
    OUT player_id text,
    OUT pseudonym text,
    OUT found boolean)
RETURNS SETOF record
LANGUAGE plpgsql VOLATILE
SET search_path = pg_catalog, pg_temp
AS $function$
DECLARE
    t record;
    old_ids text[];
    new_ids text[];
    known text[];
    own boolean;
BEGIN
    IF ladder IS NULL OR players IS NULL THEN
        RAISE null_value_not_allowed USING
            MESSAGE = 'ladder and players must not be null';
    END IF;
    t := skillrating_internal.ladder_types(ladder);
    own := to_regclass(format('%I.match_player', ladder)) IS NOT NULL;
    old_ids := skillrating_internal.id_texts(players, t.player_type, 'players');
    IF pseudonyms IS NULL THEN
        new_ids := skillrating_internal.make_pseudonyms(ladder, cardinality(old_ids));
    ELSE
        new_ids := skillrating_internal.id_texts(pseudonyms, t.player_type, 'pseudonyms');
        IF cardinality(new_ids) <> cardinality(old_ids) THEN
            RAISE array_subscript_error USING
                MESSAGE = format('%s players need as many pseudonyms, not %s',
                    cardinality(old_ids), cardinality(new_ids));
        END IF;

        -- A source may have them already, if it has been changed before.
        known := skillrating_internal.known_players(ladder, new_ids, own)
            || ARRAY(SELECT unnest(new_ids) INTERSECT SELECT unnest(old_ids));
        IF known <> '{}' THEN
            RAISE unique_violation USING
                MESSAGE = format('pseudonym %s is taken in ladder "%s"', known[1], ladder);
        END IF;
    END IF;

    known := skillrating_internal.known_players(ladder, old_ids, true);
    PERFORM skillrating_internal.rename_digests(ladder, old_ids, new_ids, own);
    PERFORM skillrating_internal.forget_texts(ladder, old_ids, new_ids);
    PERFORM skillrating_internal.rename_players(ladder, old_ids, new_ids);
    RETURN QUERY SELECT p.player, p.pseudonym, p.player = ANY (known)
        FROM unnest(old_ids, new_ids) AS p(player, pseudonym);
END
$function$;

SELECT skillrating_internal.create_entry('forget_player');

COMMENT ON FUNCTION skillrating.forget_player(text, anycompatible, anycompatible) IS
'Erases persons from a ladder, one or an array of them: puts pseudonyms in their place in matches,
events, ratings, solved skills, operations and reasons, and leaves every number as it is, so that
nothing has to be replayed. Without pseudonyms it makes random ones, which have no link to the
player. In reasons that users wrote, [forgotten] takes the place of an identifier that is a word.
Where the ladder has a source, put the same pseudonyms into the tables behind it, in the same
transaction, before or after. Returns a row for each player: the pseudonym, and whether the ladder
knew the player. Errors: 42704 for an unknown ladder, 22004 for nulls, 2202E unless there are as
many pseudonyms as players, 22023 for one who is given twice and for a type that no pseudonyms can
be made of, 23505 if a pseudonym is taken.';

CREATE FUNCTION skillrating_internal.forget_players(
    ladder text,
    players anycompatiblearray,
    pseudonyms text[] DEFAULT NULL,
    OUT player_id text,
    OUT pseudonym text,
    OUT found boolean)
RETURNS SETOF record
LANGUAGE sql VOLATILE
SET search_path = pg_catalog, pg_temp
AS $function$
    SELECT f.player_id, f.pseudonym, f.found
    FROM skillrating_internal.forget_player($1, $2::text[], $3) AS f
$function$;

SELECT skillrating_internal.create_entry('forget_players');

COMMENT ON FUNCTION skillrating.forget_players(text, anycompatiblearray, text[]) IS
'forget_player() for an array of players, which can also be a parameter without a type: for
forget_player() that is one player. Pseudonyms are texts of the type of players. Errors as there.';
-- Parts of swap_ladders(): locks, checks, and what belongs to a table that cannot exchange its rows
-- with another because it is partitioned: it moves, and what can be made again stays with its name.

CREATE FUNCTION skillrating_internal.swapped_tables(
    a text,
    b text,
    OUT name name,
    OUT kept oid,
    OUT moved oid,
    OUT is_sequence boolean,
    OUT exchanged boolean)
RETURNS SETOF record
LANGUAGE sql STABLE STRICT
SET search_path = pg_catalog, pg_temp
AS $function$
    SELECT x.relname, x.oid, y.oid, x.relkind = 'S',
        CASE WHEN x.relkind <> 'S' THEN x.relkind = 'r' AND y.relkind = 'r'
        -- A sequence moves with the table that owns it.
        ELSE NOT EXISTS (
            SELECT FROM pg_class AS e
            WHERE e.relname = 'event' AND e.relkind <> 'r'
                AND e.relnamespace IN (x.relnamespace, y.relnamespace)) END
    FROM unnest('{ladder,rating,rating_count,rating_count_delta,standing,event,component,component_event,rated_match,correction,operation,event_seq}'::name[])
        WITH ORDINALITY AS t(name, n)
    JOIN pg_class AS x ON x.relname = t.name AND x.relnamespace = to_regnamespace(quote_ident(a))
    JOIN pg_class AS y ON y.relname = t.name AND y.relnamespace = to_regnamespace(quote_ident(b))
    ORDER BY t.n
$function$;

COMMENT ON FUNCTION skillrating_internal.swapped_tables(text, text) IS
'A part of swap_ladders(): the relations that go from ladder b to ladder a (moved), each with the
one whose place it takes (kept). If exchanged, both stay where they are and exchange their rows,
otherwise both move, and what belongs to the place is to be kept.';

CREATE FUNCTION skillrating_internal.kept_rights(
    a text,
    b text)
RETURNS SETOF text
LANGUAGE sql STABLE STRICT
SET search_path = pg_catalog, pg_temp
AS $function$
    WITH relation AS (
        SELECT t.*, format('%s %I.%I', CASE WHEN t.is_sequence THEN 'SEQUENCE' ELSE 'TABLE' END,
            a, t.name) AS target
        FROM skillrating_internal.swapped_tables(a, b) AS t WHERE NOT t.exchanged
    ), given(relid, relowner, privilege, grantee, is_grantable) AS (
        SELECT c.oid, c.relowner, x.privilege_type, x.grantee, x.is_grantable
        FROM pg_class AS c CROSS JOIN LATERAL aclexplode(c.relacl) AS x
        UNION ALL
        SELECT c.oid, c.relowner, format('%s (%I)', x.privilege_type, t.attname), x.grantee,
            x.is_grantable
        FROM relation AS r
        JOIN pg_class AS c ON c.oid IN (r.kept, r.moved)
        JOIN pg_attribute AS t ON t.attrelid = c.oid AND NOT t.attisdropped
        CROSS JOIN LATERAL aclexplode(t.attacl) AS x
        WHERE EXISTS (
            SELECT FROM pg_attribute AS o WHERE o.attrelid = r.moved AND o.attname = t.attname)
    ), role AS (
        SELECT g.*, CASE g.grantee WHEN 0 THEN 'PUBLIC'
            ELSE quote_ident(pg_get_userbyid(g.grantee)) END AS name
        FROM given AS g WHERE g.grantee <> g.relowner
    )
    SELECT s.statement
    FROM (
        SELECT DISTINCT 1, format('REVOKE ALL ON %s FROM %s CASCADE', r.target, g.name)
        FROM relation AS r JOIN role AS g ON g.relid = r.moved
        UNION ALL
        SELECT 2, format('GRANT %s ON %s TO %s%s', g.privilege, r.target, g.name,
            CASE WHEN g.is_grantable THEN ' WITH GRANT OPTION' ELSE '' END)
        FROM relation AS r JOIN role AS g ON g.relid = r.kept
    ) AS s(step, statement)
    ORDER BY s.step
$function$;

COMMENT ON FUNCTION skillrating_internal.kept_rights(text, text) IS
'A part of swap_ladders(): statements that give what comes from ladder b into ladder a the
privileges of what it replaces, and no others; those on columns, as far as it has them.';

CREATE FUNCTION skillrating_internal.kept_policies(
    a text,
    b text)
RETURNS SETOF text
LANGUAGE sql STABLE STRICT
SET search_path = pg_catalog, pg_temp
AS $function$
    SELECT s.statement
    FROM skillrating_internal.swapped_tables(a, b) AS t
    JOIN pg_class AS k ON k.oid = t.kept
    JOIN pg_class AS m ON m.oid = t.moved
    CROSS JOIN LATERAL (
        SELECT 1, format('DROP POLICY %I ON %I.%I', p.polname, a, t.name)
        FROM pg_policy AS p WHERE p.polrelid = t.moved
        UNION ALL
        SELECT 2, format('CREATE POLICY %I ON %I.%I AS %s FOR %s TO %s%s%s', p.polname, a, t.name,
            CASE WHEN p.polpermissive THEN 'PERMISSIVE' ELSE 'RESTRICTIVE' END,
            CASE p.polcmd WHEN 'r' THEN 'SELECT' WHEN 'a' THEN 'INSERT' WHEN 'w' THEN 'UPDATE'
                WHEN 'd' THEN 'DELETE' ELSE 'ALL' END,
            (SELECT string_agg(CASE r.oid WHEN 0 THEN 'PUBLIC'
                ELSE quote_ident(pg_get_userbyid(r.oid)) END, ', ')
             FROM unnest(p.polroles) AS r(oid)),
            ' USING (' || pg_get_expr(p.polqual, p.polrelid) || ')',
            ' WITH CHECK (' || pg_get_expr(p.polwithcheck, p.polrelid) || ')')
        FROM pg_policy AS p WHERE p.polrelid = t.kept
        UNION ALL
        SELECT 3, format('ALTER TABLE %I.%I %s ROW LEVEL SECURITY, %s ROW LEVEL SECURITY',
            a, t.name,
            CASE WHEN k.relrowsecurity THEN 'ENABLE' ELSE 'DISABLE' END,
            CASE WHEN k.relforcerowsecurity THEN 'FORCE' ELSE 'NO FORCE' END)
        WHERE (k.relrowsecurity, k.relforcerowsecurity)
            <> (m.relrowsecurity, m.relforcerowsecurity)
    ) AS s(step, statement)
    WHERE NOT t.exchanged
    ORDER BY s.step
$function$;

COMMENT ON FUNCTION skillrating_internal.kept_policies(text, text) IS
'A part of swap_ladders(): statements that give the tables that come from ladder b into ladder a the
row-level security of those that they replace. A policy on a column that the new one lacks makes
the swap fail.';

CREATE FUNCTION skillrating_internal.kept_comments(
    a text,
    b text)
RETURNS SETOF text
LANGUAGE sql STABLE STRICT
SET search_path = pg_catalog, pg_temp
AS $function$
    SELECT format('COMMENT ON %s %I.%I IS %L',
        CASE WHEN t.is_sequence THEN 'SEQUENCE' ELSE 'TABLE' END, a, t.name,
        obj_description(t.kept, 'pg_class'))
    FROM skillrating_internal.swapped_tables(a, b) AS t
    WHERE NOT t.exchanged AND obj_description(t.kept, 'pg_class')
        IS DISTINCT FROM obj_description(t.moved, 'pg_class')
    UNION ALL
    SELECT format('COMMENT ON COLUMN %I.%I.%I IS %L', a, t.name, k.attname,
        col_description(t.kept, k.attnum))
    FROM skillrating_internal.swapped_tables(a, b) AS t
    JOIN pg_attribute AS k ON k.attrelid = t.kept AND k.attnum > 0 AND NOT k.attisdropped
    JOIN pg_attribute AS m ON m.attrelid = t.moved AND m.attname = k.attname
    WHERE NOT t.exchanged AND col_description(t.kept, k.attnum) IS DISTINCT FROM col_description(t.moved, m.attnum)
$function$;

COMMENT ON FUNCTION skillrating_internal.kept_comments(text, text) IS
'A part of swap_ladders(): statements that give what comes from ladder b into ladder a the comments
of what it replaces.';

CREATE FUNCTION skillrating_internal.not_kept(
    a text,
    b text)
RETURNS SETOF text
LANGUAGE sql STABLE STRICT
SET search_path = pg_catalog, pg_temp
AS $function$
    WITH belonging(relid, kind, name) AS (
        SELECT x.indrelid, 'index', c.relname::text
        FROM pg_index AS x JOIN pg_class AS c ON c.oid = x.indexrelid
        UNION ALL
        SELECT g.tgrelid, 'trigger', g.tgname FROM pg_trigger AS g
        WHERE NOT g.tgisinternal
            AND g.tgfoid <> 'skillrating_internal.update_mirrors'::regproc
        UNION ALL
        SELECT w.ev_class, 'rule', w.rulename FROM pg_rewrite AS w
        UNION ALL
        SELECT s.conrelid, 'constraint', s.conname FROM pg_constraint AS s WHERE s.contype <> 'n'
        UNION ALL
        SELECT s.confrelid, 'foreign key of ' || s.conrelid::regclass, s.conname
        FROM pg_constraint AS s WHERE s.contype = 'f'
        UNION ALL
        SELECT e.stxrelid, 'statistics', e.stxname FROM pg_statistic_ext AS e
        UNION ALL
        SELECT i.inhparent, 'child table', i.inhrelid::regclass::text FROM pg_inherits AS i
        -- Those of partition_history() do.
        WHERE NOT EXISTS (
            SELECT FROM pg_class AS p JOIN pg_class AS c ON c.relnamespace = p.relnamespace
            WHERE p.oid = i.inhparent AND c.oid = i.inhrelid AND c.relispartition)
        UNION ALL
        SELECT r.prrelid, 'publication', p.pubname
        FROM pg_publication_rel AS r JOIN pg_publication AS p ON p.oid = r.prpubid
        UNION ALL
        SELECT c.oid, 'storage parameters', array_to_string(c.reloptions, ', ')
        FROM pg_class AS c WHERE c.reloptions IS NOT NULL
    )
    SELECT format('%s of %I.%I: %s', k.kind, a, t.name, k.name)
    FROM skillrating_internal.swapped_tables(a, b) AS t
    JOIN belonging AS k ON k.relid = t.kept
    WHERE NOT t.exchanged AND NOT EXISTS (
        SELECT FROM belonging AS m
        WHERE m.relid = t.moved AND m.kind = k.kind AND m.name = k.name)
    ORDER BY 1
$function$;

COMMENT ON FUNCTION skillrating_internal.not_kept(text, text) IS
'A part of swap_ladders(): what users have added to tables of ladder a and goes with them to ladder
b, because nothing there says the same.';

CREATE FUNCTION skillrating_internal.note_not_kept(
    a text,
    b text)
RETURNS void
LANGUAGE plpgsql STABLE STRICT
SET search_path = pg_catalog, pg_temp
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
                'what was added to tables of ladder "%s" goes with them to schema "%s"', a, b),
            DETAIL = goes,
            HINT = 'Add it to the new tables, too, if they need it.';
    END IF;
END
$function$;

COMMENT ON FUNCTION skillrating_internal.note_not_kept(text, text) IS
'A part of swap_ladders(): notices that name views over the tables of ladder a, and what not_kept()
finds.';

CREATE FUNCTION skillrating_internal.hold_ladder(ladder text, readers boolean)
RETURNS void
AS 'MODULE_PATHNAME', 'skillrating_hold_ladder'
LANGUAGE C VOLATILE STRICT;

COMMENT ON FUNCTION skillrating_internal.hold_ladder(text, boolean) IS
'A part of swap_ladders(), whose door is open to read: from now on nobody else may write to the
ladder or, if so, read it. Error 40001 for an old snapshot.';

CREATE FUNCTION skillrating_internal.changed_since(
    ladder text,
    relation text,
    column_name name,
    since xid8)
RETURNS SETOF text
AS 'MODULE_PATHNAME', 'skillrating_changed_since'
LANGUAGE C VOLATILE STRICT;

COMMENT ON FUNCTION skillrating_internal.changed_since(text, text, name, xid8) IS
'A part of swap_ladders(): a column of the rows of a ladder''s table that were made, changed or deleted
by a transaction from a certain one on, and perhaps of others; null if that cannot be known. The
current transaction must have seen that one running, or behind it.';

CREATE FUNCTION skillrating_internal.match_leaderboard(
    a text,
    b text)
RETURNS void
LANGUAGE plpgsql VOLATILE STRICT
SET search_path = pg_catalog, pg_temp
AS $function$
DECLARE
    table_a regclass := to_regclass(format('%I.rating', a));
    table_b regclass := to_regclass(format('%I.rating', b));
    choice text;
    places_before integer;
BEGIN
    PERFORM skillrating_internal.check_inside(a), skillrating_internal.check_inside(b);
    EXECUTE format('SELECT x.leaderboard FROM %I.ladder AS x, %I.ladder AS y
        WHERE x.leaderboard <> y.leaderboard', a, b)
    INTO choice;
    IF choice IS NULL THEN
        RETURN;
    END IF;
    -- The column of bands gets the place that it has in the other table, where that is free.
    SELECT x.attnum - 1 - y.relnatts INTO places_before
    FROM pg_attribute AS x CROSS JOIN pg_class AS y
    WHERE x.attrelid = table_a AND x.attname = 'band' AND NOT x.attisdropped AND y.oid = table_b;
    IF places_before > 0 THEN
        PERFORM skillrating_internal.empty_columns(b, 'rating', '{}', '{}',
            (skillrating_internal.missing_room(table_b, table_a))[1:places_before]);
    END IF;
    PERFORM skillrating_internal.set_leaderboard(b, choice);
END
$function$;

COMMENT ON FUNCTION skillrating_internal.match_leaderboard(text, text) IS
'A part of swap_ladders(): has ladder b make boards quick as ladder a does: that stays with the ladder
in use, as all that belongs to its tables.';

CREATE FUNCTION skillrating_internal.hold_both(
    a text,
    b text)
RETURNS void
LANGUAGE plpgsql VOLATILE STRICT
SET search_path = pg_catalog, pg_temp
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
        FROM unnest('{horizon,component_horizon}'::text[]) AS t(name), unnest(ARRAY[a, b]) AS l(ladder)
        WHERE to_regclass(format('%I.%I', l.ladder, t.name)) IS NOT NULL)
    LOOP
        EXECUTE format('LOCK TABLE %s IN ACCESS EXCLUSIVE MODE', name);
    END LOOP;
END
$function$;

COMMENT ON FUNCTION skillrating_internal.hold_both(text, text) IS
'A part of swap_ladders(): locks two ladders and their tables, so that nobody reads them.';

CREATE FUNCTION skillrating_internal.carry_and_hold(
    a text,
    b text)
RETURNS void
LANGUAGE plpgsql VOLATILE STRICT
SET search_path = pg_catalog, pg_temp
AS $function$
DECLARE
    few constant bigint := 20;
    many constant bigint := 2000;
    first_wait constant int := 50;
    longest_wait constant int := 2000;
    lock_timeout text := current_setting('lock_timeout');
    wait int := first_wait;
    since xid8;
    snapshot xid8;
    found record;
    behind bigint;
    last_changes bigint;
    reordered boolean := false;
    tries int := 0;
BEGIN
    LOOP
        -- What differs, and what came meanwhile, until that is little; a goes on.
        LOOP
            snapshot := pg_snapshot_xmin(pg_current_snapshot());
            -- Places that b has given anew are no change of a: only all rows show them, and always
            -- many while the matches wait that b has put between.
            found := skillrating_internal.survey(a, b, CASE WHEN NOT reordered THEN since END);
            reordered := skillrating_internal.carry_over(a, b, found.operations, since IS NULL);
            EXIT WHEN since IS NOT NULL
                -- It gets no less any more.
                AND (found.changes <= few OR found.changes > 0.7 * last_changes);
            last_changes := CASE WHEN since IS NOT NULL THEN found.changes END;
            since := snapshot;
        END LOOP;
        since := snapshot;
        -- The rest when nobody else is at work.  While this waits, so do all who come behind: not for
        -- long, or long readers would keep everybody from rating.
        BEGIN
            PERFORM set_config('lock_timeout', wait::text, true);
            PERFORM skillrating_internal.hold_both(a, b);
            PERFORM set_config('lock_timeout', lock_timeout, true);
            found := skillrating_internal.survey(a, b, CASE WHEN NOT reordered THEN since END);
            EXECUTE format('SELECT s.last_value - $1 FROM %I.event_seq AS s', a)
            INTO behind USING found.first_place;
            IF (tries < 2 OR tries < 8 AND NOT reordered)
                AND (found.changes > many OR behind > 10 * many)
            THEN
                RAISE lock_not_available;
            END IF;
            EXIT;
        EXCEPTION WHEN lock_not_available THEN
            -- In the end for long enough to notice who waits for this transaction.
            tries := tries + 1;
            IF tries > 8 THEN
                wait := least(4 * wait, longest_wait);
            END IF;
        END;
    END LOOP;
    PERFORM skillrating_internal.carry_over(a, b, found.operations, false);
END
$function$;

COMMENT ON FUNCTION skillrating_internal.carry_and_hold(text, text) IS
'A part of swap_ladders(): has ladder b catch up with ladder a in rounds, while a goes on, and then
locks both for the last one. Waits for these locks only for moments at a time, and gives them back
if too much has come meanwhile.';

CREATE FUNCTION skillrating_internal.check_swap(
    a text,
    b text)
RETURNS void
LANGUAGE plpgsql STABLE STRICT
SET search_path = pg_catalog, pg_temp
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
            HINT = 'Make it by skillrating.rerate().';
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

COMMENT ON FUNCTION skillrating_internal.check_swap(text, text) IS
'A part of swap_ladders(): errors 22023 unless ladder b is made of the source of ladder a, with the
same types, 42501 unless they belong to one role.';

CREATE FUNCTION skillrating_internal.renew_mirrors(
    ladder text,
    other text)
RETURNS void
LANGUAGE plpgsql VOLATILE STRICT
SET search_path = pg_catalog, pg_temp
AS $function$
DECLARE
    mirror record;
    statement text;
BEGIN
    PERFORM skillrating_internal.mirror_triggers(ladder);
    FOR mirror IN SELECT w.* FROM skillrating_internal.working_mirrors(ladder) AS w LOOP
        PERFORM skillrating_internal.write_mirror(ladder, mirror.relation, mirror.key,
            mirror.pool, mirror.columns, NULL);
        statement := skillrating_internal.unrated_statement(ladder, mirror.relation, mirror.key,
            mirror.pool, mirror.columns,
            format('SELECT r.player_id FROM %I.rating AS r WHERE r.pool = %L AND %s', other,
                mirror.pool, skillrating_internal.rated_condition(other, 'r')));
        IF statement IS NOT NULL THEN
            EXECUTE statement;
        END IF;
    END LOOP;
END
$function$;

COMMENT ON FUNCTION skillrating_internal.renew_mirrors(text, text) IS
'A part of swap_ladders(): the tables that mirror_rating() has named get the ratings of the tables
that are now in the ladder, and defaults where only those that are in the other ladder have one.';

CREATE FUNCTION skillrating_internal.exchange_comments(
    a text,
    b text)
RETURNS void
LANGUAGE plpgsql VOLATILE STRICT
SET search_path = pg_catalog, pg_temp
AS $function$
DECLARE
    comment_a text := obj_description(to_regnamespace(quote_ident(a)), 'pg_namespace');
    comment_b text := obj_description(to_regnamespace(quote_ident(b)), 'pg_namespace');
BEGIN
    PERFORM skillrating_internal.check_inside(a), skillrating_internal.check_inside(b);
    IF starts_with(comment_a, 'A skillrating ladder under the model ')
        AND starts_with(comment_b, 'A skillrating ladder under the model ')
        AND comment_a <> comment_b
    THEN
        EXECUTE format('COMMENT ON SCHEMA %I IS %L', a, comment_b);
        EXECUTE format('COMMENT ON SCHEMA %I IS %L', b, comment_a);
    END IF;
END
$function$;

COMMENT ON FUNCTION skillrating_internal.exchange_comments(text, text) IS
'A part of swap_ladders(): exchanges the comments of create_ladder(), which name the models.';

CREATE FUNCTION skillrating_internal.move_tables(
    a text,
    b text,
    tables text[])
RETURNS void
LANGUAGE plpgsql VOLATILE STRICT
SET search_path = pg_catalog, pg_temp
AS $function$
DECLARE
    -- Any name of a ladder may be as long as names can be.
    between text := 'skillrating_swap';
    name text;
    statement text;
    kept text[];
BEGIN
    PERFORM skillrating_internal.check_inside(a), skillrating_internal.check_inside(b);
    SELECT array_agg(k.statement) INTO kept
    FROM (
        SELECT * FROM skillrating_internal.kept_rights(a, b)
        UNION ALL SELECT * FROM skillrating_internal.kept_rights(b, a)
        UNION ALL SELECT * FROM skillrating_internal.kept_policies(a, b)
        UNION ALL SELECT * FROM skillrating_internal.kept_policies(b, a)
        UNION ALL SELECT * FROM skillrating_internal.kept_comments(a, b)
        UNION ALL SELECT * FROM skillrating_internal.kept_comments(b, a)) AS k(statement);
    PERFORM skillrating_internal.note_not_kept(a, b);
    WHILE to_regnamespace(between) IS NOT NULL LOOP
        between := between || '_';
    END LOOP;
    EXECUTE format('CREATE SCHEMA %I', between);
    FOREACH name IN ARRAY tables LOOP
        -- Their partitions first, which are found by the names of the tables.
        PERFORM skillrating_internal.move_partitions(a, name, a, between),
            skillrating_internal.move_partitions(b, name, b, a);
        EXECUTE format('ALTER TABLE %I.%I SET SCHEMA %I', a, name, between);
        EXECUTE format('ALTER TABLE %I.%I SET SCHEMA %I', b, name, a);
        PERFORM skillrating_internal.move_partitions(b, name, between, b);
        EXECUTE format('ALTER TABLE %I.%I SET SCHEMA %I', between, name, b);
    END LOOP;
    EXECUTE format('DROP SCHEMA %I', between);
    FOREACH statement IN ARRAY coalesce(kept, '{}') LOOP
        EXECUTE statement;
    END LOOP;
END
$function$;

COMMENT ON FUNCTION skillrating_internal.move_tables(text, text, text[]) IS
'A part of swap_ladders(), when both are locked: has tables that cannot exchange their rows, because
one of them is partitioned, change schemas.';
-- A schema for applications: a ladder's functions and tables in the types of its identifiers,
-- without its name in every call and without its inside.

CREATE FUNCTION skillrating_internal.api_types(
    ladder text,
    OUT player_type text,
    OUT match_type text)
RETURNS SETOF record
LANGUAGE sql STABLE STRICT ROWS 1
SET search_path = pg_catalog, pg_temp
AS $function$
    SELECT format_type(p.atttypid, NULL), format_type(m.atttypid, NULL)
    FROM pg_attribute AS p, pg_attribute AS m
    WHERE p.attrelid = to_regclass(format('%I.rating', ladder)) AND p.attname = 'player_id'
        AND m.attrelid = to_regclass(format('%I.rated_match', ladder)) AND m.attname = 'match_id'
        AND to_regclass(format('%I.source', ladder)) IS NOT NULL
$function$;

COMMENT ON FUNCTION skillrating_internal.api_types(text) IS
'A part of create_api(): the types of a ladder''s players and matches, as SQL text; no row if there
is no ladder of that name.';

CREATE FUNCTION skillrating_internal.api_type(
    name text,
    type regtype,
    player_type text,
    match_type text)
RETURNS text
LANGUAGE sql STABLE
SET search_path = pg_catalog, pg_temp
AS $function$
    SELECT CASE
        WHEN NOT (t.typtype = 'p' OR t.oid = 'text'::regtype AND (
            name ~ '^(pseudonym|match_id|(player|opponent)_id(_[a-z]+)?)$'))
            THEN format_type(t.oid, NULL)
        WHEN name ~ '^match_id' THEN match_type
        -- forget_player() takes one identifier or several.
        WHEN t.typelem <> 0 OR t.oid IN ('anyarray'::regtype, 'anycompatiblearray'::regtype)
            OR name IN ('players', 'pseudonyms') THEN player_type || '[]'
        ELSE player_type
    END
    FROM pg_type AS t WHERE t.oid = type
$function$;

COMMENT ON FUNCTION skillrating_internal.api_type(text, regtype, text, text) IS
'A part of create_api(): the type of an argument or column of a function on ladders once the types
of its players and matches are known. Identifiers are what is polymorphic, and texts that are named
as identifiers.';

CREATE FUNCTION skillrating_internal.api_functions(
    ladder text,
    OUT function text,
    OUT role text,
    OUT arguments text,
    OUT signature text,
    OUT result text,
    OUT query text,
    OUT attributes text,
    OUT comment text)
RETURNS SETOF record
LANGUAGE sql STABLE STRICT
SET search_path = pg_catalog, pg_temp
AS $function$
    WITH body AS (
        SELECT p.*, e.function,
            CASE WHEN e.needs ~ '^to be' THEN 'owner' WHEN e.needs ~ 'INSERT' THEN 'reporter'
                ELSE 'reader' END AS role,
            t.typtype = 'c' AS is_composite, t.typrelid, k.*
        FROM skillrating_internal.ladder_entries() AS e
        JOIN pg_proc AS p ON p.proname = e.function
            AND p.pronamespace = 'skillrating_internal'::regnamespace
        JOIN pg_type AS t ON t.oid = p.prorettype
        CROSS JOIN skillrating_internal.api_types(ladder) AS k
        WHERE e.in_api
    ), argument AS (
        SELECT b.oid, u.n, b.proargnames[u.n] AS name, u.type::regtype AS old_type,
            skillrating_internal.api_type(b.proargnames[u.n], u.type, b.player_type, b.match_type)
                AS type,
            pg_get_function_arg_default(b.oid, u.n::integer) AS default_value
        FROM body AS b
        CROSS JOIN unnest(b.proargtypes::oid[]) WITH ORDINALITY AS u(type, n)
    ), input AS (
        SELECT a.oid,
            string_agg(format('%I %s%s', a.name, a.type, ' DEFAULT ' || d.value), ', ' ORDER BY a.n)
                FILTER (WHERE a.n > 1) AS arguments,
            string_agg(a.type, ', ' ORDER BY a.n) FILTER (WHERE a.n > 1) AS signature,
            -- Whoever cannot leave an argument out passes null in its place.
            string_agg(
                CASE WHEN a.n = 1 THEN quote_literal(ladder)
                    ELSE format(CASE WHEN a.old_type = 'text'::regtype AND a.type <> 'text'
                            THEN 'CAST(%s AS text)' ELSE '%s' END,
                        CASE WHEN d.value IS NULL OR d.value = 'NULL'
                            THEN format('$%s', a.n - 1)
                            ELSE format('coalesce($%s, %s)', a.n - 1, d.value) END)
                END, ', ' ORDER BY a.n) AS passed
        FROM argument AS a
        -- A null has the type that the argument has in the body.
        CROSS JOIN LATERAL (
            SELECT regexp_replace(a.default_value, '^NULL::.*$', 'NULL')) AS d(value)
        GROUP BY a.oid
    ), result_column AS (
        SELECT b.oid, u.n, b.proargnames[u.n] AS name, u.type AS old_type
        FROM body AS b
        CROSS JOIN unnest(b.proallargtypes, b.proargmodes) WITH ORDINALITY AS u(type, mode, n)
        WHERE u.mode IN ('o', 't')
        UNION ALL
        SELECT b.oid, a.attnum, a.attname, a.atttypid
        FROM body AS b
        JOIN pg_attribute AS a ON a.attrelid = b.typrelid AND a.attnum > 0 AND NOT a.attisdropped
        WHERE b.is_composite
    ), output AS (
        SELECT c.oid,
            string_agg(format('%I %s', c.name, t.type), ', ' ORDER BY c.n) AS columns,
            string_agg(format(CASE WHEN t.type = format_type(c.old_type, NULL)
                THEN 'q.%I' ELSE 'CAST(q.%I AS %s)' END, c.name, t.type), ', ' ORDER BY c.n)
                AS list
        FROM result_column AS c
        JOIN body AS b ON b.oid = c.oid
        CROSS JOIN LATERAL (SELECT skillrating_internal.api_type(c.name, c.old_type, b.player_type,
            b.match_type)) AS t(type)
        GROUP BY c.oid
    )
    SELECT b.function, b.role, coalesce(i.arguments, ''), coalesce(i.signature, ''),
        coalesce('TABLE (' || o.columns || ')',
            CASE WHEN b.proretset THEN 'SETOF ' ELSE '' END || format_type(b.prorettype, NULL)),
        -- Names of types may have percent signs, and so are no part of a format.
        format('SELECT %sskillrating.%I(%s)%s', o.list || ' FROM ', b.function, i.passed,
            CASE WHEN o.list IS NOT NULL THEN ' AS q' END),
        concat_ws(' ', CASE b.provolatile WHEN 'v' THEN 'VOLATILE' ELSE 'STABLE' END,
            'ROWS ' || nullif(CASE WHEN o.list IS NOT NULL THEN greatest(b.prorows, 1)
                ELSE b.prorows END, 0)),
        obj_description(f.oid, 'pg_proc')
    FROM body AS b
    JOIN input AS i ON i.oid = b.oid
    LEFT JOIN output AS o ON o.oid = b.oid AND (b.is_composite OR b.prorettype = 'record'::regtype)
    CROSS JOIN LATERAL (
        SELECT p.oid FROM pg_proc AS p
        WHERE p.pronamespace = 'skillrating'::regnamespace AND p.proname = b.function
        ORDER BY obj_description(p.oid, 'pg_proc') IS NULL, p.oid LIMIT 1) AS f
$function$;

COMMENT ON FUNCTION skillrating_internal.api_functions(text) IS
'A part of create_api(): what a function of the schema for applications is made of, for each function
on ladders that concerns matches and players: who may call it (reader, reporter or owner), its
arguments, their types, its result, query, attributes and comment.';

CREATE FUNCTION skillrating_internal.create_api_view(
    ladder text,
    schema text,
    relation text,
    tags text)
RETURNS void
LANGUAGE plpgsql VOLATILE STRICT
SET search_path = pg_catalog, pg_temp
AS $function$
DECLARE
    list text;
    columns text;
    about text := obj_description(to_regclass(format('%I.%I', ladder, relation)), 'pg_class');
    made record;
BEGIN
    SELECT string_agg(format('r.%I', a.attname), ', ' ORDER BY a.attnum),
        string_agg(format('%I %s', a.attname, format_type(a.atttypid, a.atttypmod)), ', '
            ORDER BY a.attnum)
    INTO list, columns
    FROM pg_attribute AS a
    WHERE a.attrelid = to_regclass(format('%I.%I', ladder, relation)) AND a.attnum > 0
        AND NOT a.attisdropped;
    -- A view that named the table would follow it to where swap_ladders() takes it. This text
    -- is read when it is used, and is then a part of the query around it.
    EXECUTE format('CREATE FUNCTION %1$I.%2$I() RETURNS TABLE (%3$s) LANGUAGE sql STABLE AS %4$L',
        schema, relation || '_rows', columns,
        format('SELECT %s FROM %I.%I AS r', list, ladder, relation));
    EXECUTE format('REVOKE ALL ON FUNCTION %I.%I() FROM PUBLIC', schema, relation || '_rows');
    EXECUTE format('COMMENT ON FUNCTION %I.%I() IS %L', schema, relation || '_rows',
        E'@omit\n' || format('The rows of view %I.', relation));
    EXECUTE format('CREATE VIEW %1$I.%2$I AS SELECT * FROM %1$I.%3$I() AS r', schema, relation,
        relation || '_rows');
    EXECUTE format('COMMENT ON VIEW %I.%I IS %L', schema, relation, concat_ws(E'\n', tags, about));
    FOR made IN
        SELECT a.attname, col_description(a.attrelid, a.attnum) AS about
        FROM pg_attribute AS a
        WHERE a.attrelid = to_regclass(format('%I.%I', ladder, relation)) AND a.attnum > 0
            AND NOT a.attisdropped
    LOOP
        EXECUTE format('COMMENT ON COLUMN %I.%I.%I IS %L', schema, relation, made.attname,
            made.about);
    END LOOP;
END
$function$;

COMMENT ON FUNCTION skillrating_internal.create_api_view(text, text, text, text) IS
'A part of create_api(): a view of the rows of a table of the ladder, whichever table has that name
when the view is read, with the comments of the table behind tags for PostGraphile.';

CREATE FUNCTION skillrating_internal.create_api_grants(
    ladder text,
    schema text,
    role text,
    kind text)
RETURNS void
LANGUAGE plpgsql VOLATILE STRICT
SET search_path = pg_catalog, pg_temp
AS $function$
DECLARE
    grantee text := skillrating_internal.grantee(role);
    statement text;
BEGIN
    PERFORM skillrating.grant_reader(ladder, role);
    IF kind = 'reporter' THEN
        PERFORM skillrating.grant_reporter(ladder, role);
    END IF;
    FOR statement IN
        SELECT format('GRANT USAGE ON SCHEMA %I TO %s', schema, grantee)
        UNION ALL
        SELECT format('GRANT SELECT ON %s TO %s', c.oid::regclass, grantee)
        FROM pg_class AS c
        WHERE c.relnamespace = to_regnamespace(quote_ident(schema)) AND c.relkind = 'v'
        UNION ALL
        SELECT format('GRANT EXECUTE ON FUNCTION %s TO %s', p.oid::regprocedure, grantee)
        FROM pg_proc AS p
        LEFT JOIN skillrating_internal.api_functions(ladder) AS f ON f.function = p.proname
        WHERE p.pronamespace = to_regnamespace(quote_ident(schema))
            AND (f.role IS NULL OR f.role IN ('reader', kind))
    LOOP
        EXECUTE statement;
    END LOOP;
END
$function$;

COMMENT ON FUNCTION skillrating_internal.create_api_grants(text, text, text, text) IS
'A part of create_api(): lets a role read, or read and report, through the schema and in the ladder.
Errors as for grant_reader() and grant_reporter().';

CREATE FUNCTION skillrating.create_api(
    ladder text,
    schema text,
    readers text[] DEFAULT '{}',
    reporters text[] DEFAULT '{}',
    OUT functions bigint,
    OUT views bigint)
LANGUAGE plpgsql VOLATILE
SET search_path = pg_catalog, pg_temp
AS $function$
DECLARE
    made record;
    name text;
BEGIN
    IF ladder IS NULL OR schema IS NULL OR readers IS NULL OR reporters IS NULL THEN
        RAISE null_value_not_allowed USING
            MESSAGE = 'ladder, schema, readers and reporters must not be null';
    END IF;
    IF NOT EXISTS (SELECT FROM skillrating_internal.api_types(ladder)) THEN
        RAISE undefined_object USING
            MESSAGE = format('ladder "%s" does not exist', ladder);
    END IF;
    IF schema <> schema::name::text THEN
        RAISE name_too_long USING
            MESSAGE = format('name of a schema is too long: "%s"', schema),
            HINT = format('The longest possible is "%s".', schema::name);
    END IF;
    IF EXISTS (SELECT FROM pg_namespace AS n WHERE n.nspname = schema) THEN
        RAISE duplicate_schema USING
            MESSAGE = format('schema "%s" already exists', schema),
            HINT = 'Drop it to make it again, or choose a name that is not taken.';
    END IF;
    EXECUTE format('CREATE SCHEMA %I', schema);
    EXECUTE format('COMMENT ON SCHEMA %I IS %L', schema,
        format('Ladder %s for applications.', ladder));
    views := 0;
    FOR made IN
        SELECT v.*
        FROM (VALUES
            ('rating', '@primaryKey player_id,pool'),
            ('rated_match', '@primaryKey match_id'),
            ('event', concat_ws(E'\n', '@primaryKey player_id,pool,seq',
                '@foreignKey (player_id, pool) references rating (player_id, pool)',
                '@foreignKey (match_id) references rated_match (match_id)')),
            ('operation', '')) AS v(name, tags)
    LOOP
        PERFORM skillrating_internal.create_api_view(ladder, schema, made.name, made.tags);
        views := views + 1;
    END LOOP;
    functions := 0;
    FOR made IN SELECT f.* FROM skillrating_internal.api_functions(ladder) AS f LOOP
        EXECUTE format('CREATE FUNCTION %I.%I(%s) RETURNS %s LANGUAGE sql %s AS %L', schema,
            made.function, made.arguments, made.result, made.attributes, made.query);
        name := format('%I.%I(%s)', schema, made.function, made.signature);
        EXECUTE format('REVOKE ALL ON FUNCTION %s FROM PUBLIC', name);
        EXECUTE format('COMMENT ON FUNCTION %s IS %L', name, made.comment);
        functions := functions + 1;
    END LOOP;
    PERFORM skillrating_internal.create_api_grants(ladder, schema, r, 'reader') FROM unnest(readers) AS r;
    PERFORM skillrating_internal.create_api_grants(ladder, schema, r, 'reporter')
    FROM unnest(reporters) AS r;
END
$function$;

COMMENT ON FUNCTION skillrating.create_api(text, text, text[], text[]) IS
'Makes a schema for applications, owned by the caller: a function of the same name for every
function that concerns the matches and players of a ladder, without the argument ladder, and the
views rating, event, rated_match and operation. Identifiers have the ladder''s own types, also in
results, where they are text otherwise; null stands for the default of an argument that has one.
Comments come along, with tags by which PostGraphile finds keys; nothing of the inside of the ladder
shows. The functions run with the rights of whoever calls them. readers, and reporters, who read as
well, are roles that get what grant_reader() and grant_reporter() give, and the right to what they
may call here; all else is the owner''s. Returns how many functions and views there are. The schema
follows the name of the ladder, through swap_ladders() too; drop it and make it again after an
update, a change of the model, or another name. Errors: 42704 for an unknown ladder or role, 42P06
if the schema exists, 42501 unless the caller may create schemas and, to name roles, owns the
ladder.';
