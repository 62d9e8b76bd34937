-- Static frag ranking.

CREATE TYPE skillrating.frag_score AS (
    player text,
    score float8,
    standard_error float8,
    frags float8,
    deaths float8,
    suicides float8,
    opponents integer,
    component integer,
    cyclic_share float8);

COMMENT ON TYPE skillrating.frag_score IS
'What frag_scores() found of a player: the identifier as text; the score (two players should differ by (a - b) / (a + b) of their frags against each other, so that it lies within some multiple of 1; log-odds under method logistic); its standard error from what the player''s own pairs miss by (null without enough pairs); frags, deaths and suicides; opponents that count for the core; the component: scores of players who are not connected by frags are not comparable (1 is the largest); and the share of all differences in the component that no score can explain, as rock, paper and scissors (least squares only).';

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

CREATE AGGREGATE skillrating.frag_scores(killer anyelement, victim anyelement) (
    SFUNC = skillrating_internal.frag_scores_transition,
    STYPE = internal,
    FINALFUNC = skillrating_internal.frag_scores_final,
    PARALLEL = SAFE
);

COMMENT ON AGGREGATE skillrating.frag_scores(anyelement, anyelement) IS
'Scores from a log of frags, or from counts of who killed whom: each row a frag; f.* FROM (SELECT skillrating.frag_scores(killer, victim) AS scores FROM ...) AS q, unnest(q.scores) AS f. Differences in score fit (a - b) / (a + b), where a and b are the frags of two players against each other, by least squares over all pairs that met, weighted by their frags, and with one frag added to both sides of each (see solver_parameters(''frag_scores'')). In order of component (the largest first) and score (the highest first), and where these are equal in that in which players first occur. Killed by nobody (null) or by oneself is a suicide. Killer and victim are of any type with a hash function and an order; rows come in any order. Null without rows. Memory: 40 bytes a pair that met and some numbers a player. Errors: 22004 for a null victim, 42804 for another type.';

CREATE AGGREGATE skillrating.frag_scores(killer anyelement, victim anyelement, frags float8, team_kill boolean) (
    SFUNC = skillrating_internal.frag_scores_transition,
    STYPE = internal,
    FINALFUNC = skillrating_internal.frag_scores_final,
    PARALLEL = SAFE
);

COMMENT ON AGGREGATE skillrating.frag_scores(anyelement, anyelement, float8, boolean) IS
'As the form with two arguments, where a row is so many frags (null is 1); kills among team mates are left out.';

CREATE AGGREGATE skillrating.frag_scores(killer anyelement, victim anyelement, frags float8, team_kill boolean, params jsonb) (
    SFUNC = skillrating_internal.frag_scores_transition,
    STYPE = internal,
    FINALFUNC = skillrating_internal.frag_scores_final,
    PARALLEL = SAFE
);

COMMENT ON AGGREGATE skillrating.frag_scores(anyelement, anyelement, float8, boolean, jsonb) IS
'As the form with four arguments, with parameters; those of the first row hold. Errors besides: 22023 and 22003 for unsound parameters, 54000 beyond the memory allowed.';
