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
    EXECUTE format(
        'ALTER TABLE %I.component_event DROP CONSTRAINT component_event_player_id_kind_pool_key_seq_key',
        new_ladder);
    EXECUTE format('DROP INDEX %I.component_event_seq_idx', new_ladder);
    PERFORM skillrating.catch_up(new_ladder, rebuild => true);
    EXECUTE format('ALTER TABLE %I.event ADD PRIMARY KEY (player_id, pool, seq)', new_ladder);
    EXECUTE format('CREATE INDEX ON %I.event (seq)', new_ladder);
    EXECUTE format(
        'ALTER TABLE %I.component_event ADD UNIQUE NULLS NOT DISTINCT (player_id, kind, pool, key, seq)',
        new_ladder);
    EXECUTE format('CREATE INDEX ON %I.component_event (seq)', new_ladder);
END
$function$;

COMMENT ON FUNCTION skillrating_internal.build_ladder(text, text) IS
'A part of rerate(): replays a new ladder, made of the first one, that has matches and no events
yet.
Error 55000 unless the door to the first one is open.';

CREATE FUNCTION skillrating_internal.arrange_states(
    ladder text,
    relation text,
    other text)
RETURNS void
LANGUAGE plpgsql VOLATILE STRICT
SET search_path = pg_catalog, pg_temp
AS $function$
DECLARE
    mine record;
    theirs record;
BEGIN
    PERFORM skillrating_internal.check_inside(ladder);
    EXECUTE format('SELECT m.name, m.state_columns FROM %I.ladder AS l, skillrating_internal.model_under(l.model, l.params) AS m', ladder) INTO mine;
    EXECUTE format('SELECT m.name, m.state_columns FROM %I.ladder AS l, skillrating_internal.model_under(l.model, l.params) AS m', other) INTO theirs;
    IF mine.name = theirs.name AND mine.state_columns <> theirs.state_columns THEN
        EXECUTE format(
            'UPDATE %I.%I AS o SET state = (
                SELECT array_agg(o.state[array_position($1, c.name)] ORDER BY c.n) FROM unnest($2) WITH ORDINALITY AS c(name, n))
            WHERE o.state IS NOT NULL', ladder, relation)
        USING theirs.state_columns, mine.state_columns;
    END IF;
END
$function$;

COMMENT ON FUNCTION skillrating_internal.arrange_states(text, text, text) IS
'A part of rerate() and swap_ladders(): brings the states that operations set, which a table of a
ladder has from another one, into the order of its state columns, where both have one model under
different parameters. A column that the other one lacks keeps its value, and one that it alone has
is left out.';

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
    left_out bigint[];
BEGIN
    IF ladder IS NULL OR new_ladder IS NULL THEN
        RAISE null_value_not_allowed USING
            MESSAGE = 'ladder and into must not be null',
            HINT = 'Give the name of the new ladder: rerate(ladder, model, params, "into").';
    END IF;
    EXECUTE format('SELECT l.* FROM %I.ladder AS l', ladder) INTO old;
    new_model := coalesce(new_model, old.model);
    IF new_params IS NULL THEN
        new_params := CASE WHEN new_model = old.model THEN old.params ELSE '{}' END;
    END IF;
    PERFORM skillrating_internal.create_ladder_schema(new_ladder, new_model, new_params, t.player_type::regtype, t.match_type::regtype,
        old.apply_at, format('%I.source', ladder)::regclass, old.late, old."strict", '{}', skillrating_internal.ranks(ladder),
        old.on_error, beside => ladder);

    -- The same matches and operations in the same order; how they count is for the new model to say.
    PERFORM skillrating_internal.copy_matches(format('%I.rated_match', ladder), new_ladder);
    EXECUTE format('INSERT INTO %I.correction SELECT c.* FROM %I.correction AS c', new_ladder, ladder);
    EXECUTE format(
        'INSERT INTO %1$I.operation SELECT o.* FROM %2$I.operation AS o
        WHERE $1 OR o.kind NOT IN (''set'', ''seed'', ''refund'')', new_ladder, ladder)
    USING new_model = old.model;
    PERFORM skillrating_internal.arrange_states(new_ladder, 'operation', ladder);
    EXECUTE format(
        'SELECT array_agg(DISTINCT o.operation ORDER BY o.operation) FROM %2$I.operation AS o
        WHERE o.undone_at IS NULL AND NOT EXISTS (
            SELECT FROM %1$I.operation AS n WHERE n.operation = o.operation)', new_ladder, ladder)
    INTO left_out;
    PERFORM skillrating_internal.warn_of_states(ladder, new_ladder, left_out);
    -- The number of an operation is never given again, not even that of one that is left out here.
    EXECUTE format('SELECT setval(%L, s.last_value) FROM %I.event_seq AS s', format('%I.event_seq', new_ladder), ladder);
    PERFORM skillrating_internal.build_ladder(ladder, new_ladder);
    -- What is otherwise here than in the first ladder was not corrected.
    EXECUTE format('UPDATE %I.rated_match AS m SET corrections = 0 WHERE m.corrections > 0', new_ladder);
    EXECUTE format('SELECT count(*) FROM %I.rated_match AS m WHERE m.status = ''rated''', new_ladder) INTO matches;
END
$function$;

SELECT skillrating_internal.create_entry('rerate');

COMMENT ON FUNCTION skillrating.rerate(text, text, jsonb, text) IS
'Makes a second ladder, named by into, of the same matches and operations in the same order, with
another model or other parameters (null: as they are; for another model, its defaults). The first
one goes on rating meanwhile; catch_up(into, search => true) takes over the matches that have come,
changed or gone since, and swap_ladders() everything. compare_ladders() says which is better,
swap_ladders() puts it in place. States set by hand or seeded, and points given back, go over only
if the model is the same. Matches that only the new model can rate come behind those that the first
ladder has rated, unless late is reorder. Returns the number of rated matches. Errors as for
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
-- Without statistics, as just after rerate(), a join of both histories looks small: all matches of a
-- player would be read for each of them.
SET enable_nestloop = off
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
    prepared record;
    constraints text[];
BEGIN
    PERFORM skillrating_internal.check_inside(a), skillrating_internal.check_inside(b);
    PERFORM skillrating_internal.check_swap(a, b);
    PERFORM skillrating_internal.hold_ladder(b, false);
    PERFORM skillrating_internal.match_ranks(a, b);
    prepared := skillrating_internal.prepare_exchange(a, b);
    constraints := skillrating_internal.held_constraints(a, b);
    PERFORM skillrating_internal.begin_carrying(a, b);
    PERFORM skillrating_internal.carry_and_hold(a, b);
    -- From here on nobody else is at work on either.
    PERFORM skillrating_internal.end_carrying(b);
    IF constraints IS DISTINCT FROM skillrating_internal.held_constraints(a, b) THEN
        RAISE serialization_failure USING
            MESSAGE = format('constraints of tables of ladder "%s" were changed meanwhile', a),
            HINT = 'Try again.';
    END IF;
    PERFORM skillrating_internal.settle_constraints(a), skillrating_internal.settle_constraints(b);
    PERFORM skillrating_internal.check_references(a, b), skillrating_internal.check_references(b, a);
    PERFORM skillrating_internal.check_bounds(a, b), skillrating_internal.check_bounds(b, a);
    PERFORM skillrating_internal.exchange_storage(a, b, t.name) FROM unnest(prepared.alike) AS t(name);
    PERFORM skillrating_internal.exchange_table(a, b, t.name)
    FROM unnest(prepared.differing) AS t(name);
    PERFORM skillrating_internal.exchange_pending(a, b),
        skillrating_internal.exchange_comments(a, b);
    IF prepared.moved <> '{}' THEN
        PERFORM skillrating_internal.move_tables(a, b, prepared.moved);
    END IF;
    PERFORM skillrating_internal.swap_horizons(a, b);
    PERFORM skillrating_internal.renew_mirrors(a, b), skillrating_internal.renew_mirrors(b, a);
END
$function$;

SELECT skillrating_internal.create_entry('swap_ladders');

COMMENT ON FUNCTION skillrating.swap_ladders(text, text) IS
'Puts ladder b, which rerate() made of a, in the place of a, and a in that of b: their tables
exchange their rows, in one transaction. Before that b gets whatever has happened to a since:
matches that came, changed or went, with their places in the order, void and restored matches, and
operations, with their numbers; states that were set by hand or seeded only if the models are the
same, with a warning that names them. What was done to b itself stays, and comes behind the rest if
a has given its place to something else, which a notice says. The tables stay where they are, with
all that users have hung on them: views, privileges, policies, triggers, foreign keys, indexes,
publications, comments; b gets the same indexes and constraints before. Mirrors are written anew.
Only partitioned tables move, and take along what notices name. Swapping again brings the old
formula back, with all that has happened since. Errors: 42704 for an unknown ladder, 22023 if b was
not made of a, 42501 if they belong to two roles, 55000 if operations of b contradict those of a, or
if tables of b have columns, indexes or constraints that those of a lack, or lack columns that users
have added to these, 2BP01 if views or other things need states of a that the model of b lacks,
23503 if a foreign key would refer to nothing.';
