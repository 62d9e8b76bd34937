-- One run of a model; the file comes as standard input.

CREATE TEMP TABLE input (LIKE predict.input);
\copy input FROM pstdin WITH (HEADER)
ANALYZE input;
\if :{?plan}
\else
    SELECT predict.fit(:'model', :train, :evaluations) AS plan \gset
\endif
\echo :plan
SELECT set_config('predict.plan', :'plan', false) \g /dev/null
COPY (SELECT * FROM predict.forecasts(current_setting('predict.plan')::jsonb)) TO STDOUT;
