-- What players see of ratings, and where newcomers start.

SELECT skillrating_internal.make_function('skillrating.display_rating', '
    mu float8,
    deviation float8,
    z float8 DEFAULT 3,
    factor float8 DEFAULT 1,
    shift float8 DEFAULT 0,
    floor float8 DEFAULT ''-infinity''',
    'float8', 'IMMUTABLE STRICT PARALLEL SAFE',
'A rating to show for an uncertain skill: shift + factor * (mu - z * deviation), at least floor.
mu: the skill, finite.  deviation: of mu, in its unit, 0 or more.
z: deviations to subtract; with z = 3 the true skill is almost certainly higher.
factor: points per unit of mu, above 0.  shift: points added.
floor: in points; -infinity is none.
Error 22003 for numbers out of range.');

SELECT skillrating_internal.make_function('skillrating.division', '
    rating float8,
    cuts float8[],
    labels text[] DEFAULT NULL,
    current integer DEFAULT NULL,
    margin float8 DEFAULT 0,
    promotion_margin float8 DEFAULT 0,
    OUT number integer,
    OUT label text,
    OUT low float8,
    OUT high float8',
    NULL, 'IMMUTABLE PARALLEL SAFE',
'The division of a rating.
rating: finite.  cuts: ascending, in the unit of rating.
labels: one more than cuts, lowest first, or null.
current: the number of the present division, or null; a player then moves up only at
promotion_margin above a cut and down only below a cut less margin, so that nobody moves back and
forth at a border.  Several divisions at once are possible.
margin, promotion_margin: in the unit of rating, 0 or more.
number: from 0 (below the first cut) to the number of cuts (at or above the last).  label: that of
labels.  low, high: the cuts around the division, -infinity and infinity at the ends.
Null if an argument other than labels and current is null.
Errors: 22023 for cuts that do not ascend, 22003 for numbers out of range, 2202E for another number
of labels.');

SELECT skillrating_internal.make_function('skillrating.placement_step', '
    low float8,
    high float8,
    score float8,
    shrink float8 DEFAULT 0.5,
    OUT new_low float8,
    OUT new_high float8,
    OUT rating float8',
    NULL, 'IMMUTABLE STRICT PARALLEL SAFE',
'A step of the search for a newcomer''s rating between low and high, after a match against their
middle. low, high: ratings, low <= high.  score: of the newcomer; 1 won, 0.5 drew, 0 lost.
shrink: share by which the end on the wrong side moves to the middle, 0 to 1.  1 is plain
bisection, which one odd result misleads for good; less is more careful and takes more matches.
new_low, new_high: what is left.  rating: the new middle.
Error 22003 for numbers out of range.');

SELECT skillrating_internal.make_function('skillrating.placement_gain', '
    games bigint,
    boost float8 DEFAULT 2,
    over float8 DEFAULT 10',
    'float8', 'IMMUTABLE STRICT PARALLEL SAFE',
'A factor for gain or k that lets newcomers move faster: from boost at first to 1 after over matches.
games: matches played before, 0 or more.  boost: 0 or more.  over: matches, 0 or more.
Error 22003 for negative numbers.');
