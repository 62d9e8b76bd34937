-- Ladders solved as a whole.

CREATE FUNCTION skillrating_internal.solve_matches(
    ladder text,
    solver text,
    params jsonb,
    pool text,
    start skillrating.estimate[],
    start_contexts skillrating.context_estimate[],
    OUT estimates skillrating.estimate[],
    OUT summary skillrating.solve_summary)
AS 'MODULE_PATHNAME', 'skillrating_solve_matches'
LANGUAGE C STABLE;

COMMENT ON FUNCTION skillrating_internal.solve_matches(text, text, jsonb, text, skillrating.estimate[], skillrating.context_estimate[]) IS
'Solves the rated matches of a pool of a ladder, in rated order, as solve() and solve_summary() do,
beginning with the estimates in start and start_contexts (which may be null, and may lack players
and contexts). Without such
matches there are no estimates. solve_ladder() calls it. Errors: 42704 for an unknown ladder, 22004
for nulls elsewhere, and as solve().';

CREATE FUNCTION skillrating_internal.solve_ladder(
    ladder text,
    solver text DEFAULT 'bradley_terry',
    params jsonb DEFAULT '{}',
    pool text DEFAULT '',
    warm boolean DEFAULT true)
RETURNS skillrating.solve_summary
LANGUAGE plpgsql VOLATILE
SET search_path = pg_catalog, pg_temp
AS $function$
DECLARE
    t record := skillrating_internal.ladder_types(ladder);
    start skillrating.estimate[];
    start_contexts skillrating.context_estimate[];
    found record;
BEGIN
    IF ladder IS NULL OR solver IS NULL OR params IS NULL OR pool IS NULL OR warm IS NULL THEN
        RAISE null_value_not_allowed USING
            MESSAGE = 'ladder, solver, params, pool and warm must not be null';
    END IF;
    -- One after another; reading goes on.
    EXECUTE format('LOCK TABLE %I.solved IN SHARE ROW EXCLUSIVE MODE', ladder);
    IF warm THEN
        EXECUTE format(
            'SELECT array_agg(ROW(s.player_id::text, s.at, s.mu, s.standard_error, s.side_offset, s.command_skill, s.games, s.component)::skillrating.estimate)
            FROM %I.solved AS s WHERE s.solver = $1 AND s.pool = $2', ladder)
        INTO start USING solver, pool;
        EXECUTE format(
            'SELECT array_agg(ROW(c.context, c.log_odds, c.standard_error)::skillrating.context_estimate)
            FROM %I.solved_context AS c WHERE c.solver = $1 AND c.pool = $2', ladder)
        INTO start_contexts USING solver, pool;
    END IF;
    SELECT * INTO found FROM skillrating_internal.solve_matches(ladder, solver, params, pool, start,
        start_contexts);
    IF NOT (found.summary).converged THEN
        RAISE WARNING USING
            MESSAGE = format('solver "%s" has not converged on ladder "%s": %s', solver, ladder, (found.summary).status),
            HINT = skillrating_internal.solve_hint((found.summary).status);
    END IF;
    EXECUTE format(
        'WITH e AS MATERIALIZED (
            SELECT CAST(u.player_id AS %2$s) AS player, u.* FROM unnest($3) AS u
        ), gone AS (
            DELETE FROM %1$I.solved AS s
            WHERE s.solver = $1 AND s.pool = $2
                AND NOT EXISTS (SELECT FROM e WHERE e.player %3$s s.player_id AND coalesce(e.at, ''-infinity'') = coalesce(s.at, ''-infinity''))
        )
        INSERT INTO %1$I.solved AS s (solver, pool, player_id, at, mu, standard_error, side_offset, command_skill, games, component)
        SELECT $1, $2, e.player, e.at, e.mu, e.standard_error, e.side_offset, e.command_skill, e.games, e.component
        FROM e
        ON CONFLICT (solver, pool, player_id, at) DO UPDATE
        SET mu = excluded.mu, standard_error = excluded.standard_error, side_offset = excluded.side_offset,
            command_skill = excluded.command_skill, games = excluded.games, component = excluded.component
        WHERE (s.mu, s.standard_error, s.side_offset, s.command_skill, s.games, s.component)
            IS DISTINCT FROM (excluded.mu, excluded.standard_error, excluded.side_offset, excluded.command_skill, excluded.games, excluded.component)',
        ladder, t.player_type, t.player_equals)
    USING solver, pool, found.estimates;
    EXECUTE format('DELETE FROM %I.solved_context AS c WHERE c.solver = $1 AND c.pool = $2', ladder)
    USING solver, pool;
    EXECUTE format(
        'INSERT INTO %I.solved_context (solver, pool, context, log_odds, standard_error)
        SELECT $1, $2, c.context, c.log_odds, c.standard_error FROM unnest($3) AS c', ladder)
    USING solver, pool, (found.summary).contexts;
    RETURN found.summary;
END
$function$;

SELECT skillrating_internal.create_entry('solve_ladder');

COMMENT ON FUNCTION skillrating.solve_ladder(text, text, jsonb, text, boolean) IS
'Solves all rated matches of a pool of a ladder together, by a solver of solvers() with its
parameters, and keeps what comes out in the table solved of the ladder''s schema, in place of what
the same solver has left there for the pool; rows that are the same stay untouched. What contexts
are worth to side 1 is estimated with the skills by solvers that know contexts, where each match has
one for all, and kept in the table solved_context. Voided matches
and those of excluded players do not count, merged players are one, as in rating. With warm the
search begins where the last one has ended (not under through_time): the solution is the same to
its last digits. Ratings are not changed; new_season(..., toward => solver) can take them over.
Returns the summary, in which matches is 0 where none counts; a warning if the search has not
converged. Errors: 42704 for an unknown ladder, and as
solve().';
