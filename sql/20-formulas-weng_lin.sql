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
'Skills after a match under a model of Weng and Lin (2011), known from OpenSkill: variant is plackett_luce, bradley_terry_full, bradley_terry_part, thurstone_mosteller_full or thurstone_mosteller_part. One element of each array a player, and one row of the result, with ordinal its place in the arrays. Rank 1 is best and equal ranks are a draw. Skills are in the units of beta; tau is the drift of a skill before the match; kappa is the least share of a variance that is left; window is how many neighbours in the result the part variants compare on either side (1 as OpenSkill for JavaScript, 4 as that for Python); epsilon is the draw margin of Thurstone and Mosteller''s model. The weight is the share of the match played, or with weights => ''openskill'' a contribution in the sense of that library. A null but for the weights gives no rows. Errors: 22023 for an unknown variant or fewer than two teams, 22004 for null elements, 2202E for arrays that do not fit, 22003 for numbers out of range.';
