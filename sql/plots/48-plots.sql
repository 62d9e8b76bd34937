-- Pictures, as SVG text.

SELECT skillrating_internal.make_function('skillrating.plot_calibration', '
    calibration skillrating.calibration,
    title text DEFAULT ''Calibration'',
    x_title text DEFAULT ''forecast probability'',
    y_title text DEFAULT ''frequency'',
    width integer DEFAULT 500',
    'text', 'IMMUTABLE PARALLEL SAFE',
'A picture of what calibration() found, as SVG text. Dots show the frequency of what was forecast,
for each bin at its mean forecast, with two standard errors. The dashed diagonal is that of perfect
forecasts, the solid line the logistic recalibration, and bars count the forecasts of each bin.
SELECT skillrating.plot_calibration(skillrating.calibration(p, outcome, 10)) FROM ...
In psql, \t \a \o picture.svg puts it into a file.
title: above the picture, and for screen readers.  x_title, y_title: of the axes.
width: in pixels, 320 to 4000; text keeps its size and wraps.  Nulls stand for the defaults.
Colours suit light and dark. Null for null.
Errors: 22003 for another width, 54000 for more than 1000 bins.');

SELECT skillrating_internal.make_function('skillrating.plot_history', '
    player_id text[],
    at anycompatiblearray,
    rating float8[],
    deviation float8[] DEFAULT NULL,
    title text DEFAULT ''Ratings'',
    x_title text DEFAULT NULL,
    y_title text DEFAULT ''rating'',
    width integer DEFAULT 720',
    'text', 'STABLE PARALLEL SAFE',
'A picture of ratings over time, as SVG text, with a line for each of up to 40 players:
SELECT skillrating.plot_history(array_agg(player_id::text), array_agg(played_at),
array_agg(rating_after)) FROM ...
player_id, at, rating: arrays of equal length, one element a point.
at: of timestamptz; or of float8, for any numbers, such as the matches played before.
deviation: null, or an array as long, 0 or more, in the unit of rating, for bands of two deviations.
title, x_title, y_title, width: as for plot_calibration(); x_title is time or matches by default.
Eight colours, which people with any colour vision can tell apart, begin again with each of five
styles of line. A name stands beside the end of its line, with a leader where it had to move; one
that takes more than about 24 letters, or two fifths of the width, is cut and ends with an ellipsis.
Times are shown in the time zone of the session.  The order of the elements decides colours only.
Nulls (except in deviation) and infinite times do not count; null if none counts.
Errors: 42804 for at of another type, 2202E for arrays of different length, 22003 for numbers that
are not finite, negative deviations and another width, 54000 for more players and for numbers more
than 1e305 apart.');

SELECT skillrating_internal.make_function('skillrating.plot_distribution', '
    value float8[],
    title text DEFAULT ''Distribution'',
    x_title text DEFAULT ''value'',
    y_title text DEFAULT ''count'',
    width integer DEFAULT 620',
    'text', 'IMMUTABLE PARALLEL SAFE',
'A histogram of values, such as ratings, as SVG text, with mean and median.
SELECT skillrating.plot_distribution(array_agg(rating)) FROM arena.rating
Bins are about as wide as Freedman and Diaconis (1981) advise, between round numbers; around them
if all values are multiples of the width.
The others are as for plot_calibration().  Nulls do not count; null if no value counts.
Errors: 22003 for values that are not finite and another width, 54000 for a span above 1e305.');
