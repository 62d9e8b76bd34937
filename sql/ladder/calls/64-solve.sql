-- Ladders solved as a whole.

CREATE FUNCTION skillrating_internal.solve_ladder(
    ladder text,
    solver text DEFAULT 'bradley_terry',
    params jsonb DEFAULT '{}',
    pool text DEFAULT NULL,
    warm boolean DEFAULT true)
RETURNS skillrating.solve_summary
LANGUAGE plpgsql VOLATILE
AS $function$
DECLARE
    t record := skillrating_internal.ladder_facts(ladder);
    reader text;
    start text;
    start_contexts skillrating.context_estimate[];
    summary skillrating.solve_summary;
BEGIN
    IF NOT (skillrating_internal.has_table(ladder, 'solved') AND skillrating_internal.has_table(ladder, 'solved_context')) THEN
        -- One makes them; rating goes on.
        EXECUTE format('LOCK TABLE %I.ladder IN SHARE ROW EXCLUSIVE MODE', ladder);
        PERFORM skillrating_internal.create_tables(ladder, '{solved,solved_context}', t.player_type::regtype);
        -- To those who may see the configuration, as grant_ladder() does.
        FOR reader IN
            SELECT CASE a.grantee WHEN 0 THEN 'PUBLIC' ELSE quote_ident(pg_get_userbyid(a.grantee)) END
            FROM pg_class AS c CROSS JOIN LATERAL aclexplode(c.relacl) AS a
            WHERE c.oid = to_regclass(format('%I.ladder', ladder)) AND a.privilege_type = 'SELECT' AND a.grantee <> c.relowner
        LOOP
            EXECUTE format('GRANT SELECT ON %1$I.solved, %1$I.solved_context TO %2$s', ladder, reader);
        END LOOP;
    END IF;
    -- One after another; reading goes on.
    EXECUTE format('LOCK TABLE %I.solved IN SHARE ROW EXCLUSIVE MODE', ladder);
    IF warm THEN
        start := format(
            'SELECT s.player_id::text, s.at, s.mu, s.standard_error, s.side_offset, s.command_skill, s.games, s.component
            FROM %I.solved AS s WHERE s.solver = %L AND s.pool = %L', ladder, solver, pool);
        EXECUTE format(
            'SELECT array_agg(ROW(c.context, c.log_odds, c.standard_error)::skillrating.context_estimate)
            FROM %I.solved_context AS c WHERE c.solver = $1 AND c.pool = $2', ladder)
        INTO start_contexts USING solver, pool;
    END IF;
    summary := skillrating_internal.solve_matches(ladder, solver, params, pool, start, start_contexts, ARRAY[
        -- Rows that the solution lacks; a join of the table with it would go wrong where the
        -- planner knows nothing of the table yet.
        format(
            'WITH gone AS MATERIALIZED (
                SELECT max(k.place) AS place
                FROM (SELECT s.player_id, s.at, s.ctid AS place FROM %1$I.solved AS s WHERE s.solver = %3$L AND s.pool = %4$L
                    UNION ALL SELECT CAST(u.player_id AS %2$s), u.at, NULL FROM solution AS u) AS k
                GROUP BY k.player_id, k.at HAVING bool_and(k.place IS NOT NULL)
            )
            DELETE FROM %1$I.solved AS s USING gone WHERE s.ctid = gone.place',
            ladder, t.player_type, solver, pool),
        format(
            'INSERT INTO %1$I.solved AS s (solver, pool, player_id, at, mu, standard_error, side_offset, command_skill, games, component)
            SELECT %3$L, %4$L, CAST(u.player_id AS %2$s), u.at, u.mu, u.standard_error, u.side_offset, u.command_skill, u.games, u.component
            FROM solution AS u
            ON CONFLICT (solver, pool, player_id, at) DO UPDATE
            SET mu = excluded.mu, standard_error = excluded.standard_error, side_offset = excluded.side_offset,
                command_skill = excluded.command_skill, games = excluded.games, component = excluded.component
            WHERE (s.mu, s.standard_error, s.side_offset, s.command_skill, s.games, s.component)
                IS DISTINCT FROM (excluded.mu, excluded.standard_error, excluded.side_offset, excluded.command_skill, excluded.games, excluded.component)',
            ladder, t.player_type, solver, pool)]);
    IF NOT summary.converged THEN
        RAISE WARNING USING
            MESSAGE = format('solver "%s" has not converged on ladder "%s": %s', solver, ladder, summary.status),
            HINT = CASE summary.status WHEN 'there is no maximum' THEN 'A prior gives everybody a skill, see skillrating.parameters().'
                WHEN 'numbers out of range' THEN 'Check log-odds, gains, times and parameters for extreme values.'
                WHEN 'no further progress' THEN 'Raise parameter "tolerance", or use method "newton".'
                ELSE 'Raise parameter "max_iterations".' END;
    END IF;
    EXECUTE format('DELETE FROM %I.solved_context AS c WHERE c.solver = $1 AND c.pool = $2', ladder)
    USING solver, pool;
    EXECUTE format(
        'INSERT INTO %I.solved_context (solver, pool, context, log_odds, standard_error)
        SELECT $1, $2, c.context, c.log_odds, c.standard_error FROM unnest($3) AS c', ladder)
    USING solver, pool, summary.contexts;
    RETURN summary;
END
$function$;

COMMENT ON FUNCTION skillrating_internal.solve_ladder(text, text, jsonb, text, boolean) IS
'Solves all rated matches of a pool of a ladder together, by a solver of solvers() with its
parameters, and keeps what comes out in the table solved of the ladder''s schema, in place of what
the same solver has left there for the pool. What contexts are worth to side 1 is estimated with the
skills by solvers that know contexts, where each match has one for all, and kept in the table
solved_context. Voided matches and those of excluded players do not count, merged players are one,
as in rating. With warm the search begins where the last one has ended (not under through_time): the
solution is the same to its last digits. Ratings are not changed; new_season(..., toward => solver)
can take them over. Returns the summary; a warning if the search has not converged. pool and its
errors are those of leaderboard(), and further errors those of solve().';
