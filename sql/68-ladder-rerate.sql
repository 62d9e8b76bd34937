-- Another formula for the same matches.

CREATE FUNCTION skillrating_internal.build_ladder(
    ladder text,
    new_ladder text)
RETURNS void
LANGUAGE plpgsql VOLATILE STRICT
SET search_path = pg_catalog, pg_temp
AS $function$
DECLARE
    t record := skillrating_internal.ladder_types(ladder);
    n bigint;
BEGIN
    -- What the source no longer has cannot be rated by another formula.
    EXECUTE format(
        'INSERT INTO %1$I.correction (seq, match_id, kind, played_at)
        SELECT m.seq, m.match_id, ''removed'', m.played_at FROM %1$I.rated_match AS m
        WHERE m.seq IS NOT NULL
            AND NOT EXISTS (SELECT FROM %1$I.source AS s WHERE s.match_id %2$s m.match_id)
            AND NOT EXISTS (
                SELECT FROM %1$I.correction AS c
                WHERE c.match_id %2$s m.match_id AND c.kind = ''removed'')',
        new_ladder, t.match_equals);
    GET DIAGNOSTICS n = ROW_COUNT;
    IF n > 0 THEN
        RAISE WARNING USING
            MESSAGE = format('%s matches that the source no longer has are left out of ladder "%s"',
                n, new_ladder);
    END IF;
    -- Indexes that are made of all rows at once cost a fraction of those that grow with them.
    EXECUTE format('ALTER TABLE %I.event DROP CONSTRAINT event_pkey', new_ladder);
    EXECUTE format('DROP INDEX %I.event_seq_idx', new_ladder);
    PERFORM skillrating.catch_up(new_ladder, rebuild => true);
    EXECUTE format('ALTER TABLE %I.event ADD PRIMARY KEY (player_id, pool, seq)', new_ladder);
    EXECUTE format('CREATE INDEX ON %I.event (seq)', new_ladder);
END
$function$;

COMMENT ON FUNCTION skillrating_internal.build_ladder(text, text) IS
'A part of rerate(): replays a new ladder, made of the first one, that has matches and no events yet.
Error 55000 unless the door to the first one is open.';

CREATE FUNCTION skillrating_internal.rerate(
    ladder text,
    model text DEFAULT NULL,
    params jsonb DEFAULT NULL,
    "into" text DEFAULT NULL,
    OUT matches bigint)
LANGUAGE plpgsql VOLATILE
SET search_path = pg_catalog, pg_temp
AS $function$
DECLARE
    t record := skillrating_internal.ladder_types(ladder);
    new_ladder text := "into";
    old record;
    new_model text := model;
    new_params jsonb := params;
    lost bigint := 0;
BEGIN
    IF ladder IS NULL OR new_ladder IS NULL THEN
        RAISE null_value_not_allowed USING
            MESSAGE = 'ladder and into must not be null',
            HINT = 'Say what the new ladder is called: rerate(ladder, model, params, "into").';
    END IF;
    EXECUTE format('SELECT l.* FROM %I.ladder AS l', ladder) INTO old;
    new_model := coalesce(new_model, old.model);
    IF new_params IS NULL THEN
        new_params := CASE WHEN new_model = old.model THEN old.params ELSE '{}' END;
    END IF;
    PERFORM skillrating.create_ladder(new_ladder, new_model, new_params, t.player_type::regtype, t.match_type::regtype,
        old.apply_at, format('%I.source', ladder)::regclass, old.late);

    -- The same matches and operations in the same order; how they count is for the new model to say.
    EXECUTE format(
        'INSERT INTO %1$I.rated_match (match_id, status, reason, digest, seq, played_at, void_reason)
        SELECT m.match_id, m.status, m.reason, m.digest, m.seq, m.played_at, m.void_reason FROM %2$I.rated_match AS m', new_ladder, ladder);
    EXECUTE format('INSERT INTO %I.correction SELECT c.* FROM %I.correction AS c', new_ladder, ladder);
    IF new_model <> old.model THEN
        EXECUTE format('SELECT count(*) FROM %I.operation AS o WHERE o.kind IN (''set'', ''seed'') AND o.undone_at IS NULL', ladder) INTO lost;
    END IF;
    EXECUTE format(
        'INSERT INTO %1$I.operation SELECT o.* FROM %2$I.operation AS o
        WHERE o.undone_at IS NULL AND ($1 OR o.kind NOT IN (''set'', ''seed''))', new_ladder, ladder)
    USING new_model = old.model;
    IF lost > 0 THEN
        RAISE WARNING USING
            MESSAGE = format('%s states that were set by hand or seeded are left out', lost),
            DETAIL = format('They are states of model "%s", and those of model "%s" are others.', old.model, new_model);
    END IF;
    -- The number of an operation is never given again, not even that of one that is left out here.
    EXECUTE format('SELECT setval(%L, s.last_value) FROM %I.event_seq AS s', format('%I.event_seq', new_ladder), ladder);
    PERFORM skillrating_internal.build_ladder(ladder, new_ladder);
    EXECUTE format('SELECT count(*) FROM %I.rated_match AS m WHERE m.status = ''rated''', new_ladder) INTO matches;
END
$function$;

SELECT skillrating_internal.create_entry('rerate');

COMMENT ON FUNCTION skillrating.rerate(text, text, jsonb, text) IS
'Makes a second ladder, named by into, of the same matches and operations in the same order, with
another model or other parameters (null: as they are; for another model, its defaults). The first
one goes on rating meanwhile; catch_up(into, search => true) takes over what has come since.
compare_ladders() says which is better, swap_ladders() puts it in place. States set by hand or
seeded go over only if the model is the same. Returns the number of rated matches. Errors as for
create_ladder().';

CREATE FUNCTION skillrating_internal.compare_ladders(
    a text,
    b text,
    pool text DEFAULT '',
    since timestamptz DEFAULT '-infinity',
    OUT matches bigint,
    OUT brier_a float8,
    OUT brier_b float8,
    OUT brier_difference float8,
    OUT brier_error float8,
    OUT log_loss_a float8,
    OUT log_loss_b float8,
    OUT log_loss_difference float8,
    OUT log_loss_error float8,
    OUT players bigint,
    OUT rank_correlation float8,
    OUT mean_place_change float8,
    OUT max_place_change bigint,
    OUT same_top_ten bigint)
LANGUAGE plpgsql STABLE STRICT
SET search_path = pg_catalog, pg_temp
AS $function$
DECLARE
    t record := skillrating_internal.ladder_types(a);
BEGIN
    PERFORM skillrating_internal.ladder_types(b);
    -- One forecast a match, of the same team in both.
    EXECUTE format(
        'WITH forecast AS (
            SELECT DISTINCT ON (a.seq) a.win_probability AS p, b.win_probability AS q, a.score AS y
            FROM %1$I.event AS a
            JOIN %2$I.event AS b ON b.match_id %3$s a.match_id AND b.player_id %4$s a.player_id AND b.pool = a.pool AND b.kind = ''match''
            WHERE a.kind = ''match'' AND a.pool = $1 AND a.played_at >= $2
            ORDER BY a.seq, a.team
        ), loss AS (
            SELECT (f.p - f.y) ^ 2 AS brier_a, (f.q - f.y) ^ 2 AS brier_b,
                -f.y * ln(greatest(f.p, 1e-300)) - (1 - f.y) * ln(greatest(1 - f.p, 1e-300)) AS log_a,
                -f.y * ln(greatest(f.q, 1e-300)) - (1 - f.y) * ln(greatest(1 - f.q, 1e-300)) AS log_b
            FROM forecast AS f
        )
        SELECT count(*), avg(l.brier_a), avg(l.brier_b), avg(l.brier_b - l.brier_a), stddev_samp(l.brier_b - l.brier_a) / sqrt(count(*)),
            avg(l.log_a), avg(l.log_b), avg(l.log_b - l.log_a), stddev_samp(l.log_b - l.log_a) / sqrt(count(*))
        FROM loss AS l', a, b, t.match_equals, t.player_equals)
    INTO matches, brier_a, brier_b, brier_difference, brier_error, log_loss_a, log_loss_b, log_loss_difference, log_loss_error
    USING pool, since;
    EXECUTE format(
        'SELECT count(*), corr(r.place_a, r.place_b), avg(abs(r.place_a - r.place_b)), max(abs(r.place_a - r.place_b)),
            count(*) FILTER (WHERE r.place_a <= 10 AND r.place_b <= 10)
        FROM (
            SELECT rank() OVER (ORDER BY a.rating DESC) AS place_a, rank() OVER (ORDER BY b.rating DESC) AS place_b
            FROM %1$I.rating AS a JOIN %2$I.rating AS b ON b.player_id %3$s a.player_id AND b.pool = a.pool
            WHERE a.pool = $1 AND a.games > 0 AND b.games > 0) AS r', a, b, t.player_equals)
    INTO players, rank_correlation, mean_place_change, max_place_change, same_top_ten
    USING pool;
END
$function$;

SELECT skillrating_internal.create_entry('compare_ladders');

COMMENT ON FUNCTION skillrating.compare_ladders(text, text, text, timestamptz) IS
'Which of two ladders on the same matches predicts better, and how much their rankings differ: Brier
score and log loss of both over the matches that both rated (one forecast a match, the same in
both, before it was rated), the mean differences b less a (below 0: b is better) with their
standard errors; and over the players of both the correlation of the places, the mean and the
largest change of place, and how many of the ten first are the same. Error 42704 for an unknown
ladder.';

CREATE FUNCTION skillrating_internal.swap_ladders(
    a text,
    b text)
RETURNS void
LANGUAGE plpgsql VOLATILE STRICT
SET search_path = pg_catalog, pg_temp
AS $function$
DECLARE
    tables constant text[] := '{ladder,rating,event,rated_match,pending,correction,operation}';
    between text := format('skillrating_swap_%s', to_regnamespace(quote_ident(a))::oid);
    name text;
    statement text;
    grants text[];
    followers text;
    mirror record;
BEGIN
    PERFORM skillrating_internal.ladder_types(a), skillrating_internal.ladder_types(b);
    IF NOT EXISTS (
        SELECT FROM pg_rewrite AS w JOIN pg_depend AS d ON d.classid = 'pg_rewrite'::regclass AND d.objid = w.oid
        WHERE w.ev_class = format('%I.source', b)::regclass AND d.refobjid = format('%I.source', a)::regclass)
    THEN
        RAISE invalid_parameter_value USING
            MESSAGE = format('ladder "%s" is not made of the source of ladder "%s"', b, a),
            HINT = 'Make it by skillrating.rerate().';
    END IF;

    -- Nobody rates from here on, and what has been rated is taken over.
    FOREACH name IN ARRAY tables LOOP
        EXECUTE format('LOCK TABLE %1$I.%3$I, %2$I.%3$I IN ACCESS EXCLUSIVE MODE', a, b, name);
    END LOOP;
    PERFORM skillrating_internal.catch_up(b, search => true);

    SELECT coalesce(array_agg(format('GRANT %s ON %I.%I TO %s%s', x.privilege_type, a, c.relname,
        CASE x.grantee WHEN 0 THEN 'PUBLIC' ELSE quote_ident(pg_get_userbyid(x.grantee)) END,
        CASE WHEN x.is_grantable THEN ' WITH GRANT OPTION' ELSE '' END)), '{}')
    INTO grants
    FROM pg_class AS c CROSS JOIN LATERAL aclexplode(c.relacl) AS x
    WHERE c.relnamespace = quote_ident(a)::regnamespace AND c.relname = ANY (tables) AND x.grantee <> c.relowner;
    SELECT string_agg(DISTINCT w.ev_class::regclass::text, ', ') INTO followers
    FROM pg_class AS c
    JOIN pg_depend AS d ON d.refclassid = 'pg_class'::regclass AND d.refobjid = c.oid AND d.classid = 'pg_rewrite'::regclass
    JOIN pg_rewrite AS w ON w.oid = d.objid
    WHERE c.relnamespace = quote_ident(a)::regnamespace AND c.relname = ANY (tables) AND c.relkind = 'r';

    EXECUTE format('CREATE SCHEMA %I', between);
    FOREACH name IN ARRAY tables LOOP
        EXECUTE format('ALTER TABLE %I.%I SET SCHEMA %I', a, name, between);
        EXECUTE format('ALTER TABLE %I.%I SET SCHEMA %I', b, name, a);
        EXECUTE format('ALTER TABLE %I.%I SET SCHEMA %I', between, name, b);
    END LOOP;
    EXECUTE format('DROP SCHEMA %I', between);

    -- Whoever may use a table may use the one that has taken its place.
    FOREACH statement IN ARRAY grants LOOP
        EXECUTE statement;
    END LOOP;
    PERFORM skillrating_internal.mirror_triggers(a), skillrating_internal.mirror_triggers(b);
    FOR mirror IN EXECUTE format('SELECT * FROM %I.mirror', a) LOOP
        EXECUTE skillrating_internal.mirror_statement(a, mirror.relation, mirror.key, mirror.pool, mirror.columns,
            format('SELECT u.%I FROM %s AS u', mirror.key, mirror.relation));
    END LOOP;
    IF followers IS NOT NULL THEN
        RAISE NOTICE USING
            MESSAGE = format('views still read what is now in schema "%s": %s', b, followers),
            HINT = 'Create them again to read the new tables.';
    END IF;
END
$function$;

SELECT skillrating_internal.create_entry('swap_ladders');

COMMENT ON FUNCTION skillrating.swap_ladders(text, text) IS
'Puts ladder b, which rerate() made of a, in the place of a, and a in that of b: their tables change
schemas, in one transaction, after b has caught up. The matches and their triggers stay where they
are, so that clients notice nothing but other ratings; rights on the tables of a go over, and
mirrors are written anew. Views on the tables go on reading the old ones, which a notice says.
Swapping again brings the old state back. Errors: 42704 for an unknown ladder, 22023 if b was not
made of a.';
