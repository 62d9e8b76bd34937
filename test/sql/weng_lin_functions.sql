-- Weng and Lin's models: known values, variants, weights, errors, a ladder.
\pset format unaligned
\pset tuples_only on
SET extra_float_digits = 0;

SELECT ordinal, round(new_mu::numeric, 8) AS new_mu, round(new_sigma::numeric, 8) AS new_sigma
FROM skillrating.weng_lin_update('plackett_luce', '{1,2}', '{1,2}', '{25,25}', ARRAY[25 / 3.0, 25 / 3.0]::float8[], tau => 0);
-- Every variant on the same match of three unequal teams, two of which drew.
SELECT variant, ordinal, round(new_mu::numeric, 7) AS new_mu, round(new_sigma::numeric, 7) AS new_sigma
FROM unnest('{plackett_luce,bradley_terry_full,bradley_terry_part,thurstone_mosteller_full,thurstone_mosteller_part}'::text[])
        WITH ORDINALITY AS v(variant, n),
    skillrating.weng_lin_update(variant, '{3,1,2,1}', '{2,1,2,1}', '{30,25,28,20}', '{3,8,5,2}')
ORDER BY n, ordinal;
-- Neighbours alone, as in JavaScript, or a window, as in Python.
SELECT span, array_agg(round(new_mu::numeric, 7) ORDER BY ordinal) AS new_mu
FROM unnest(ARRAY[1, 2, 4]) AS span,
    skillrating.weng_lin_update('bradley_terry_part', '{1,2,3,4,5}', '{1,2,3,4,5}', '{25,25,25,25,25}', '{8,8,8,8,8}', span => span)
GROUP BY span ORDER BY span;
-- Shares of the match, and contributions as the library has them.
SELECT weights, array_agg(round(new_mu::numeric, 7) ORDER BY ordinal) AS new_mu, array_agg(round(new_sigma::numeric, 7) ORDER BY ordinal) AS new_sigma
FROM unnest('{partial,openskill}'::text[]) AS weights,
    skillrating.weng_lin_update('plackett_luce', '{1,1,2,2}', '{1,1,2,2}', '{25,25,25,25}', '{8,8,8,8}', '{1,0.5,1,0}', weights => weights)
GROUP BY weights ORDER BY weights DESC;
SELECT ordinal, round(new_sigma::numeric, 6) AS new_sigma
FROM skillrating.weng_lin_update('plackett_luce', '{1,2}', '{1,2}', '{25,25}', '{0.5,8}', tau => 1, prevent_sigma_increase => true);

-- Predictions of the library, and of the model.
SELECT curve, team_number, round(win_probability::numeric, 10) AS library, round(exact_win_probability::numeric, 10) AS exact
FROM unnest('{normal,logistic}'::text[]) WITH ORDINALITY AS c(curve, n),
    skillrating.weng_lin_win_probability('{2,1}', '{31,42}', '{1.2,2.1}', curve => curve, variant => 'bradley_terry_full')
ORDER BY n, team_number;
SELECT sum(win_probability)::numeric(12, 10) AS library, sum(exact_win_probability)::numeric(12, 10) AS exact
FROM skillrating.weng_lin_win_probability('{1,2,2,3,4}', '{25,12,14,33,20}', '{8,3,2,1,5}');
SELECT round(skillrating.weng_lin_draw_probability('{1,1,2,2}', '{25,32.444,35.881,25.188}', '{8.333333333333334,1.123,0.0001,0.00001}')::numeric, 7) AS published;
SELECT count(*) FROM skillrating.weng_lin_win_probability(NULL, '{25,25}', '{8,8}');
\set VERBOSITY terse
SELECT * FROM skillrating.weng_lin_win_probability('{1,2}', '{25,25}', '{8,8}', curve => 'straight');
SELECT * FROM skillrating.weng_lin_win_probability('{1,2}', '{25,25}', '{8,8}', variant => 'straight');
SELECT * FROM skillrating.weng_lin_win_probability('{1,1}', '{25,25}', '{8,8}');
SELECT skillrating.weng_lin_draw_probability('{1,2}', '{25,25}', '{8,8}', beta => 'infinity');

-- Nothing is known of a null.
SELECT * FROM skillrating.weng_lin_update(NULL, '{1,2}', '{1,2}', '{25,25}', '{8,8}');

-- Mistakes.
SELECT * FROM skillrating.weng_lin_update('plackett', '{1,2}', '{1,2}', '{25,25}', '{8,8}');
SELECT * FROM skillrating.weng_lin_update('plackett_luce', '{1,2}', '{1,2}', '{25,25}', '{8,8}', weights => 'some');
SELECT * FROM skillrating.weng_lin_update('plackett_luce', '{1,2}', '{1,2}', '{25,25}', '{8,-8}');
SELECT * FROM skillrating.weng_lin_update('plackett_luce', '{1,2}', '{1,2}', '{25}', '{8,8}');
SELECT * FROM skillrating.weng_lin_update('plackett_luce', '{1,1}', '{1,1}', '{25,25}', '{8,8}');
SELECT * FROM skillrating.weng_lin_update('plackett_luce', '{1,2}', '{1,2}', '{25,25}', '{8,8}', beta => 0);
SELECT * FROM skillrating.weng_lin_update('plackett_luce', '{1,2}', '{1,2}', '{25,25}', '{8,8}', kappa => 'NaN');
SELECT * FROM skillrating.weng_lin_update('plackett_luce', '{1,2}', '{1,2}', '{25,25}', '{8,8}', span => 0);

-- Ladders of every variant, with scores, draws and margins.
SELECT count(skillrating.create_ladder(variant, 'weng_lin', jsonb_build_object('variant', variant, 'margin', 2, 'drift', 0.1)))
FROM unnest('{plackett_luce,bradley_terry_full,bradley_terry_part,thurstone_mosteller_full,thurstone_mosteller_part}'::text[]) AS variant;
DO $$
DECLARE
    variant text;
    faults bigint;
BEGIN
    FOREACH variant IN ARRAY '{plackett_luce,bradley_terry_full,bradley_terry_part,thurstone_mosteller_full,thurstone_mosteller_part}'::text[] LOOP
        EXECUTE format('INSERT INTO %I.match (match_id, played_at) SELECT m, ''2026-01-01''::timestamptz + m * interval ''5 hours'' FROM generate_series(1, 120) AS m', variant);
        EXECUTE format('INSERT INTO %I.match_player (match_id, player_id, team, team_score)
            SELECT m, 1 + (m * 7 + p * 3) %% 14, p %% (2 + m %% 3), (p %% (2 + m %% 3) * 5 + m) %% 8
            FROM generate_series(1, 120) AS m, generate_series(0, 5) AS p', variant);
        SET CONSTRAINTS ALL IMMEDIATE;
        SET CONSTRAINTS ALL DEFERRED;
        EXECUTE format('SELECT count(*) FROM skillrating.verify(%L) WHERE NOT ok', variant) INTO faults;
        RAISE NOTICE '%: % faults', variant, faults;
        PERFORM skillrating.drop_ladder(variant);
    END LOOP;
END
$$;
