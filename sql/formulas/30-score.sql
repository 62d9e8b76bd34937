-- Aggregates over matches: scores of forecasts; and log-odds of contexts.
--
-- States are float8 arrays, so that partial results can be stored, merged
-- and computed on other servers.

-- Sums over forecasts of a win, from which sums_final() tells by the length of the state what is asked for.
DO LANGUAGE plpgsql
$do$
DECLARE
    score record;
BEGIN
    FOR score IN VALUES
        ('brier_score', '{0,0,0}', '',
'Mean squared distance of predicted probabilities from outcomes; 0 is perfect, a constant 0.5 scores
0.25 without draws (Brier, Monthly Weather Review 78, 1950).'),
        ('log_loss', '{0,0,0,0}', '',
'Mean negative log likelihood, in nats, of outcomes under predicted probabilities; a constant 0.5
scores ln 2 = 0.6931. A probability of exactly 0 for what then happened makes it infinite.
Where a draw is a class of its own: log_loss(CASE outcome WHEN 1 THEN win WHEN 0.5 THEN draw
ELSE 1 - win - draw END, 1), with the probability of a win alone.'),
        ('surprise', '{0,0,0,0,0}', ' or nothing was uncertain',
'Number of standard deviations by which results exceed their prediction: the sum of
outcome - probability over the root of the sum of probability * (1 - probability).
For a player (GROUP BY), beyond 3 it deserves a look (a new account of a good player), and so it
does below -3. Draws vary less than that formula says, which makes it a little too small.'),
        ('accuracy', '{0,0,0,0,0,0}', '',
'Share of matches that the favourite won, 0 to 1; a forecast of 0.5 and a drawn match count half.
It depends on how balanced the matches are: compare it on the same matches only.'),
        ('skill_score', '{0,0,0,0,0,0,0}', ' or all outcomes are equal',
'Brier skill score against a constant forecast of the mean outcome: 1 - brier_score / (mean squared
distance of outcomes from their mean). 1 is perfect, 0 no better than the base rate, a negative
number worse (Murphy, Monthly Weather Review 116, 1988).')
    LOOP
        PERFORM skillrating_internal.make_aggregate(score.column1, 'probability float8, outcome float8', 'float8',
            format(E'%s\nprobability: predicted, 0 to 1.  outcome: 1 won, 0.5 drew, 0 lost.\n'
                'Rows with a null do not count; null if none counts%s.\nError 22003 outside 0 to 1.', score.column4, score.column3),
            format('INITCOND = %L', score.column2), transition => 'sums', final => 'sums', combine => 'sums');
    END LOOP;
END
$do$;

COMMENT ON FUNCTION skillrating_internal.sums_transition(float8[], float8, float8) IS
'Transition function of brier_score(), log_loss(), surprise(), accuracy() and skill_score(), by the
length of the state, 3 to 7: {count, sums, each with its low part}, of squared distances; of losses,
and a 0; of outcomes less probabilities and their variances; of hits, and three 0; and of squared
distances, outcomes and squared outcomes.';

SELECT skillrating_internal.make_aggregate('ranked_probability_score',
    'win_probability float8, draw_probability float8, outcome float8', 'float8',
'Mean ranked probability score of forecasts of win, draw and loss, in this order: half the squared
distance of their cumulative probabilities from the outcome; 0 is perfect, 1 is certain of the
opposite (Epstein, Journal of Applied Meteorology 8, 1969).
win_probability: predicted probability of a win alone, 0 to 1.  The win_probability of event, rate()
and preview() counts a draw half: subtract half of the draw_probability from it.
draw_probability: predicted, 0 to 1; the rest is the loss.  outcome: 1 won, 0.5 drew, 0 lost.
Rows with a null do not count; null if none counts. Error 22003 outside 0 to 1, if the two
probabilities add up to more than 1, and for any other outcome.',
    'INITCOND = ''{0,0,0}''', final => 'sums', combine => 'sums');

SELECT skillrating_internal.make_function('skillrating.context_log_odds', '
    wins float8,
    games float8,
    prior_rate float8 DEFAULT 0.5,
    prior_weight float8 DEFAULT 1',
    'float8', 'IMMUTABLE STRICT PARALLEL SAFE',
'Log-odds of a win rate, shrunk as if prior_weight further games had been won at prior_rate:
ln((wins + w r) / (games - wins + w (1 - r))).  Finite for 0 of n and n of n; the defaults are
Jeffreys'' prior.  Over the matches of a context (a side, a map, a size):
context_log_odds(count(*) FILTER (WHERE won), count(*)).
wins: draws count half, 0 <= wins <= games.  games: finite.
prior_rate: above 0 and below 1.  prior_weight: games, above 0.
Error 22003 for numbers out of range.');

SELECT skillrating_internal.make_function('skillrating_internal.paired_difference', 'losses_a float8[], losses_b float8[]',
    'float8[]', 'IMMUTABLE STRICT PARALLEL SAFE',
'A part of compare_ladders(): the mean of the first less the second over matches in the order of
time, and its standard error, by blocks of them; NaN for the error of fewer than 20, and for both of
none. Error 22023 for arrays of different lengths.');
