-- What came of all files; an error if a ladder does not verify.

SELECT file, model, matches, participants, players, unrated, seconds
FROM demo.result ORDER BY number, model;

\echo 'Forecasts of matches between two teams (less is better), against the share of the first team:'
SELECT file, model, forecasts, brier, brier_base, log_loss, log_loss_base, sound AS ok
FROM demo.result ORDER BY number, model;

SELECT DISTINCT file, reasons AS why_unrated FROM demo.result WHERE reasons IS NOT NULL ORDER BY file;

DO $$
BEGIN
    IF EXISTS (SELECT FROM demo.result WHERE sound IS NOT TRUE) THEN
        RAISE EXCEPTION 'a ladder does not verify';
    END IF;
END
$$;
