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
'A factor for gain, or for k, that lets newcomers move faster: it falls from boost in the first
match to 1 after over matches.
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
'A rating after idle time that moves towards a mean: beyond grace, half of the distance is gone
after each half_life.
rating, mean: finite.  idle, grace: not negative; half_life: positive; a month has 30 days.
Error 22003 for numbers out of range.';
