-- Aggregates over matches: scores of forecasts and log-odds of contexts.
--
-- Their states are float8 arrays, so that partial results can be stored, merged
-- and computed on other servers.

CREATE FUNCTION skillrating.brier_score_transition(float8[], float8, float8)
RETURNS float8[]
AS 'MODULE_PATHNAME', 'skillrating_brier_score_transition'
LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;

COMMENT ON FUNCTION skillrating.brier_score_transition(float8[], float8, float8) IS
'Transition function of brier_score(): state {count, sum, low part of sum}.';

CREATE FUNCTION skillrating.log_loss_transition(float8[], float8, float8)
RETURNS float8[]
AS 'MODULE_PATHNAME', 'skillrating_log_loss_transition'
LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;

COMMENT ON FUNCTION skillrating.log_loss_transition(float8[], float8, float8) IS
'Transition function of log_loss(): state {count, sum, low part of sum}.';

CREATE FUNCTION skillrating.mean_combine(float8[], float8[])
RETURNS float8[]
AS 'MODULE_PATHNAME', 'skillrating_mean_combine'
LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;

COMMENT ON FUNCTION skillrating.mean_combine(float8[], float8[]) IS
'Merges two states {count, sum, low part of sum} of brier_score() or log_loss().';

CREATE FUNCTION skillrating.mean_final(float8[])
RETURNS float8
AS 'MODULE_PATHNAME', 'skillrating_mean_final'
LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;

COMMENT ON FUNCTION skillrating.mean_final(float8[]) IS
'The mean of a state {count, sum, low part of sum}, or null if the count is 0.';

CREATE AGGREGATE skillrating.brier_score(probability float8, outcome float8) (
    SFUNC = skillrating.brier_score_transition,
    STYPE = float8[],
    INITCOND = '{0,0,0}',
    FINALFUNC = skillrating.mean_final,
    COMBINEFUNC = skillrating.mean_combine,
    PARALLEL = SAFE
);

COMMENT ON AGGREGATE skillrating.brier_score(float8, float8) IS
'Mean squared distance of predicted probabilities from outcomes (1 won, 0.5 drew, 0 lost); 0 is perfect, a constant 0.5 scores 0.25 without draws. Rows with a null do not count; null if none counts. Error 22003 outside 0 to 1. Brier, Monthly Weather Review 78 (1950).';

CREATE AGGREGATE skillrating.log_loss(probability float8, outcome float8) (
    SFUNC = skillrating.log_loss_transition,
    STYPE = float8[],
    INITCOND = '{0,0,0}',
    FINALFUNC = skillrating.mean_final,
    COMBINEFUNC = skillrating.mean_combine,
    PARALLEL = SAFE
);

COMMENT ON AGGREGATE skillrating.log_loss(float8, float8) IS
'Mean negative log likelihood, in nats, of outcomes (1 won, 0.5 drew, 0 lost) under predicted probabilities; a constant 0.5 scores ln 2 = 0.6931, and a probability of exactly 0 for what then happened makes it infinite. Rows with a null do not count; null if none counts. Error 22003 outside 0 to 1.';

CREATE FUNCTION skillrating.context_log_odds(
    wins float8,
    games float8,
    prior_rate float8 DEFAULT 0.5,
    prior_weight float8 DEFAULT 1)
RETURNS float8
AS 'MODULE_PATHNAME', 'skillrating_context_log_odds'
LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;

COMMENT ON FUNCTION skillrating.context_log_odds(float8, float8, float8, float8) IS
'Log-odds of a win rate of wins (draws count half) out of games, shrunk as if prior_weight further games had been won at prior_rate: ln((wins + w r) / (games - wins + w (1 - r))). Finite for 0 of n and n of n; the defaults are Jeffreys'' prior. Error 22003 unless 0 <= wins <= games, 0 < prior_rate < 1 and prior_weight > 0.';

CREATE FUNCTION skillrating.context_log_odds_transition(float8[], boolean)
RETURNS float8[]
AS 'MODULE_PATHNAME', 'skillrating_context_log_odds_transition'
LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;

COMMENT ON FUNCTION skillrating.context_log_odds_transition(float8[], boolean) IS
'Transition function of context_log_odds(boolean): state {wins, games, prior rate, prior weight}.';

CREATE FUNCTION skillrating.context_log_odds_transition(float8[], boolean, float8, float8)
RETURNS float8[]
AS 'MODULE_PATHNAME', 'skillrating_context_log_odds_transition'
LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;

COMMENT ON FUNCTION skillrating.context_log_odds_transition(float8[], boolean, float8, float8) IS
'Transition function of context_log_odds(boolean, float8, float8): state {wins, games, prior rate, prior weight}.';

CREATE FUNCTION skillrating.context_log_odds_combine(float8[], float8[])
RETURNS float8[]
AS 'MODULE_PATHNAME', 'skillrating_context_log_odds_combine'
LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;

COMMENT ON FUNCTION skillrating.context_log_odds_combine(float8[], float8[]) IS
'Merges two states {wins, games, prior rate, prior weight} of context_log_odds().';

CREATE FUNCTION skillrating.context_log_odds_final(float8[])
RETURNS float8
AS 'MODULE_PATHNAME', 'skillrating_context_log_odds_final'
LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;

COMMENT ON FUNCTION skillrating.context_log_odds_final(float8[]) IS
'The log-odds of a state {wins, games, prior rate, prior weight}, or null without games.';

CREATE AGGREGATE skillrating.context_log_odds(won boolean) (
    SFUNC = skillrating.context_log_odds_transition,
    STYPE = float8[],
    INITCOND = '{0,0,0.5,1}',
    FINALFUNC = skillrating.context_log_odds_final,
    COMBINEFUNC = skillrating.context_log_odds_combine,
    PARALLEL = SAFE
);

COMMENT ON AGGREGATE skillrating.context_log_odds(boolean) IS
'Log-odds of the win rate in a context (a side, a map, a size), under Jeffreys'' prior: finite for 0 of n and n of n. Nulls do not count; null if none counts. For draws or another prior see the function of the same name.';

CREATE AGGREGATE skillrating.context_log_odds(won boolean, prior_rate float8, prior_weight float8) (
    SFUNC = skillrating.context_log_odds_transition,
    STYPE = float8[],
    INITCOND = '{0,0,0.5,1}',
    FINALFUNC = skillrating.context_log_odds_final,
    COMBINEFUNC = skillrating.context_log_odds_combine,
    PARALLEL = SAFE
);

COMMENT ON AGGREGATE skillrating.context_log_odds(boolean, float8, float8) IS
'Log-odds of the win rate in a context, shrunk towards prior_rate as if prior_weight further games had been seen at that rate; both must be the same in all rows. Nulls do not count; null if none counts. Errors: 22003 unless 0 < prior_rate < 1 and prior_weight > 0, 22023 if the prior varies.';
