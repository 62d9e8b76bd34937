-- Another formula for the same matches: a second ladder that rates along with the first.

CREATE FUNCTION skillrating_internal.follow_ladder(ladder text, shadow text, last_place bigint)
RETURNS void
LANGUAGE plpgsql VOLATILE STRICT
AS $function$
DECLARE
    t record := skillrating_internal.ladder_facts(shadow);
    l record := skillrating_internal.ladder_facts(ladder);
    place bigint;
    since timestamptz;
    operations bigint[];
    waits boolean;
BEGIN
    -- What the shadow makes of matches without a place is to be seen: their digest is none of theirs.
    EXECUTE format(
        'WITH copied AS (
            INSERT INTO %2$I.rated_match (match_id, status, reason, detail, digest, seq, played_at,
                arrived_at, void_reason, decided_at)
            SELECT n.match_id, n.status, n.reason, n.detail,
                CASE WHEN n.seq IS NULL THEN ~n.digest ELSE n.digest END, n.seq, n.played_at,
                n.arrived_at, n.void_reason, n.decided_at
            FROM %1$I.rated_match AS n
            WHERE (n.seq > $1 OR n.seq IS NULL) AND n.status IS NOT NULL
                AND NOT EXISTS (SELECT FROM %2$I.rated_match AS m WHERE m.match_id %3$s n.match_id)
            RETURNING match_id, seq, played_at
        ), unplaced AS (
            INSERT INTO %2$I.pending (match_id, xact, fires, since)
            SELECT c.match_id, pg_current_xact_id(), false, now() FROM copied AS c WHERE c.seq IS NULL
        )
        SELECT min(c.seq), min(c.played_at) FROM copied AS c WHERE c.seq IS NOT NULL',
        ladder, shadow, t.match_equals)
    INTO place, since USING last_place;
    PERFORM skillrating_internal.note_correction(shadow, 'copied_match', place, played_at => since);
    EXECUTE format(
        'WITH copied AS (
            INSERT INTO %1$I.operation SELECT o.* FROM %2$I.operation AS o
            WHERE ($1 OR o.kind NOT IN (''set'', ''seed'', ''refund''))
                AND NOT EXISTS (SELECT FROM %1$I.operation AS s WHERE s.operation = o.operation)
            RETURNING seq, at, operation)
        SELECT min(c.seq), min(c.at), array_agg(c.operation) FROM copied AS c', shadow, ladder)
    INTO place, since, operations USING l.model = t.model;
    -- One model under other parameters can have its states in another order. A column that only the
    -- shadow has keeps its value, and one that it lacks is left out.
    IF l.model = t.model AND l.state_columns <> t.state_columns THEN
        EXECUTE format(
            'UPDATE %I.operation AS o SET state = (
                SELECT array_agg(o.state[array_position($1, c.name)] ORDER BY c.n) FROM unnest($2) WITH ORDINALITY AS c(name, n))
            WHERE o.state IS NOT NULL AND o.operation = ANY ($3)', shadow)
        USING l.state_columns, t.state_columns, operations;
    END IF;
    PERFORM skillrating_internal.note_correction(shadow, 'carried', place, played_at => since);
    -- The number of an operation is never given again, not even that of one that is left out here.
    EXECUTE format(
        'SELECT setval(%L, greatest(s.last_value, l.last_value)),
            EXISTS (SELECT FROM %3$I.pending) OR EXISTS (SELECT FROM %3$I.correction)
        FROM %2$I.event_seq AS l, %3$I.event_seq AS s', format('%I.event_seq', shadow), ladder, shadow)
    INTO place, waits;
    IF waits AND last_place > 0 THEN
        PERFORM skillrating.catch_up(shadow);
    END IF;
END
$function$;

COMMENT ON FUNCTION skillrating_internal.follow_ladder(text, text, bigint) IS
'Takes to a shadow what it does not have: matches behind a place in the order, at their places, and
others into pending; operations, states and points only under the same model. Rates them, unless the
place is 0.';

CREATE FUNCTION skillrating_internal.replay_shadow(ladder text, shadow text, last_place bigint)
RETURNS void
LANGUAGE plpgsql VOLATILE STRICT
AS $function$
DECLARE
    -- So many matches may come to the first ladder meanwhile.
    room constant bigint := 1000000;
    t record := skillrating_internal.ladder_facts(ladder);
    left_out text;
    n bigint;
    statement text;
BEGIN
    -- The same matches and operations in the same order; how they count is for the new model to say.
    PERFORM skillrating_internal.follow_ladder(ladder, shadow, 0);
    -- What the source no longer has cannot be rated by another formula.
    EXECUTE format(
        'INSERT INTO %1$I.correction (seq, match_id, kind, played_at)
        SELECT m.seq, m.match_id, ''removed'', m.played_at FROM %1$I.rated_match AS m
        WHERE m.seq IS NOT NULL
            AND NOT EXISTS (SELECT FROM %1$I.source AS s WHERE s.match_id %2$s m.match_id)',
        shadow, t.match_equals);
    -- Of those whose end was reported the first ladder has noted a correction, too.
    EXECUTE format(
        'SELECT (SELECT count(*) FROM %1$I.correction AS c WHERE c.kind = ''removed'' AND NOT EXISTS (
                SELECT FROM %2$I.correction AS o WHERE o.match_id %3$s c.match_id AND o.kind = ''removed'')),
            (SELECT array_to_string(array_agg(DISTINCT o.operation ORDER BY o.operation), '', '') FROM %2$I.operation AS o
            WHERE o.undone_at IS NULL AND NOT EXISTS (SELECT FROM %1$I.operation AS n WHERE n.operation = o.operation))',
        shadow, ladder, t.match_equals)
    INTO n, left_out;
    IF left_out IS NOT NULL THEN
        RAISE WARNING USING
            MESSAGE = format('operations of ladder "%s" that set, seed or refund are left out: %s', ladder, left_out),
            DETAIL = format('They are states or points of model "%s", and those of model "%s" are others.',
                t.model, (skillrating_internal.ladder_facts(shadow)).model);
    END IF;
    IF n > 0 THEN
        RAISE WARNING USING
            MESSAGE = format('%s matches that the source no longer has are left out of ladder "%s"', n, shadow);
    END IF;
    -- Matches that only the new formula rates must not take places that come to others.
    EXECUTE format(
        'SELECT setval(%L, %s) WHERE EXISTS (SELECT FROM %I.rated_match AS m WHERE m.seq IS NULL)',
        format('%I.event_seq', shadow), last_place + room, ladder);
    -- Indexes that are made of all rows at once cost a fraction of those that grow with them.
    FOREACH statement IN ARRAY ARRAY[
        'ALTER TABLE %1$I.event DROP CONSTRAINT event_pkey',
        'DROP INDEX %1$I.event_seq_idx',
        'ALTER TABLE %1$I.component_event DROP CONSTRAINT component_event_player_id_kind_pool_key_seq_key',
        'DROP INDEX %1$I.component_event_seq_idx',
        'SELECT FROM skillrating.catch_up(%1$L, rebuild => true)',
        'ALTER TABLE %1$I.event ADD PRIMARY KEY (player_id, pool, seq)',
        'CREATE INDEX ON %1$I.event (seq)',
        'ALTER TABLE %1$I.component_event ADD UNIQUE NULLS NOT DISTINCT (player_id, kind, pool, key, seq)',
        'CREATE INDEX ON %1$I.component_event (seq)',
        'ANALYZE ' || replace((SELECT string_agg(o, ', ') FROM skillrating_internal.own_tables(shadow) AS o), '%', '%%')]
    LOOP
        EXECUTE format(statement, shadow);
    END LOOP;
    PERFORM skillrating_internal.follow_ladder(ladder, shadow, last_place);
END
$function$;

COMMENT ON FUNCTION skillrating_internal.replay_shadow(text, text, bigint) IS
'Takes the history of a ladder, up to a place in the order, to a new shadow, replays it there, and
analyses its tables; then what came meanwhile.';

CREATE FUNCTION skillrating_internal.shadow_ladder(
    ladder text,
    name text,
    model text DEFAULT NULL,
    params jsonb DEFAULT NULL,
    OUT matches bigint)
LANGUAGE plpgsql VOLATILE
AS $function$
DECLARE
    t record := skillrating_internal.ladder_facts(ladder);
    shadow constant text := name;
    source regclass := format('%I.source', ladder);
    own boolean := skillrating_internal.has_table(ladder, 'match');
    old record;
    statement text;
    a record;
BEGIN
    EXECUTE format(
        'SELECT l.*, s.last_value AS last_place, ARRAY(SELECT c::text FROM %1$I.correction AS c) AS corrections
        FROM %1$I.ladder AS l, %1$I.event_seq AS s', ladder)
    INTO old;
    model := coalesce(model, old.model);
    -- Nobody's transaction fails because of a shadow.
    PERFORM skillrating_internal.create_ladder_schema(shadow, model,
        coalesce(params, CASE WHEN model = old.model THEN old.params ELSE '{}' END),
        t.player_type::regtype, t.match_type::regtype, old.apply_at, source, old.late, false, '{}',
        CASE WHEN skillrating_internal.has_table(ladder, 'rating_count') THEN 'counted' ELSE 'indexed' END, 'wait');
    -- Matches of the ladder's own come through its view, which follows the name. A view of the user's
    -- is read itself, so that either ladder can be dropped.
    IF NOT own THEN
        EXECUTE format('DROP VIEW %I.source', shadow);
        EXECUTE format('CREATE VIEW %I.source AS %s', shadow, pg_get_viewdef(source));
        EXECUTE format('COMMENT ON VIEW %I.source IS %L', shadow, obj_description(source, 'pg_class'));
        PERFORM skillrating_internal.create_comments(shadow, '{source}');
    END IF;
    EXECUTE format('UPDATE %I.ladder AS l SET shadow_of = $1', shadow)
    USING format('%I.ladder', ladder)::regclass;
    FOREACH statement IN ARRAY ARRAY(SELECT skillrating_internal.dress_statements(ladder, shadow)) LOOP
        EXECUTE statement;
    END LOOP;
    PERFORM skillrating_internal.replay_shadow(ladder, shadow, old.last_place);
    -- The tables that feed it. From here on nobody writes to them, so that nothing comes between the
    -- last matches that are taken over and the triggers.
    EXECUTE format(
        'INSERT INTO %1$I.attached (relation, match_id, replica)
        SELECT a.relation, a.match_id, a.replica FROM %2$I.attached AS a WHERE NOT $1
        UNION ALL
        SELECT c.oid, ''match_id'', EXISTS (SELECT FROM %2$I.attached AS a WHERE a.relation = c.oid)
        FROM pg_class AS c
        WHERE $1 AND c.relnamespace = to_regnamespace(quote_ident($2))
            AND c.relname IN (''match'', ''match_player'')', shadow, ladder)
    USING own, ladder;
    EXECUTE format(
        'SELECT skillrating_internal.hold_objects($1, array_agg(a.relation::oid ORDER BY a.relation), ''{}'', ''{}'', count(*)::integer)
        FROM %I.attached AS a HAVING count(*) > 0', shadow)
    USING ladder;
    FOR a IN EXECUTE format('SELECT a.* FROM %I.attached AS a ORDER BY a.relation', shadow) LOOP
        PERFORM skillrating_internal.create_collect_triggers(shadow, a.relation, a.match_id, a.replica);
        IF a.replica THEN
            PERFORM skillrating_internal.create_tables(shadow, '{replica_note}');
        END IF;
    END LOOP;
    PERFORM skillrating_internal.follow_ladder(ladder, shadow, old.last_place),
        skillrating_internal.check_pending(shadow);
    -- Decisions since then; what was changed meanwhile, which waits as it does there, while what waited
    -- before is in the replay; and what is otherwise here than in the first ladder was not corrected.
    FOREACH statement IN ARRAY ARRAY[
        'UPDATE %1$I.rated_match AS m SET void_reason = n.void_reason, decided_at = n.decided_at
        FROM %2$I.rated_match AS n
        WHERE n.match_id %3$s m.match_id AND n.void_reason IS DISTINCT FROM m.void_reason',
        'INSERT INTO %1$I.correction SELECT c.* FROM %2$I.correction AS c WHERE c::text <> ALL ($1)',
        'INSERT INTO %1$I.pending (match_id, xact, fires, since)
        SELECT p.match_id, pg_current_xact_id(), false, p.since FROM %2$I.pending AS p',
        'UPDATE %1$I.rated_match AS m SET corrections = 0 WHERE m.corrections > 0']
    LOOP
        EXECUTE format(statement, shadow, ladder, t.match_equals) USING old.corrections;
    END LOOP;
    EXECUTE format('SELECT count(*) FROM %I.rated_match AS m WHERE m.status = ''rated''', shadow) INTO matches;
END
$function$;

COMMENT ON FUNCTION skillrating_internal.shadow_ladder(text, text, text, jsonb) IS
'Makes a second ladder of that name over the matches of a ladder, with another model or other
parameters (null: as they are; for another model, its defaults): it has the operations, rules and
grants of the first, rates the history in the same order, and from the end of the transaction on
every match as it comes, neither strict nor raising errors while it is a shadow. States set by hand
or seeded, and points given back, go over only if the model is the same. Operations that come later
are to be called for both ladders. The first one goes on rating while the shadow replays; the tables
that feed it are locked for the last step. Returns the number of rated matches; then see
compare_ladders() and promote_ladder(). Errors as for create_ladder(), 42501 unless the caller owns
the ladder and its owner may create triggers on the tables that feed it, 55P03 if these cannot be
locked within 30 s or lock_timeout.';

CREATE FUNCTION skillrating_internal.compare_ladders(
    a text,
    b text,
    pool text DEFAULT NULL,
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
-- A join of both histories may look small: all matches of a player would be read for each of them.
SET enable_nestloop = off
AS $function$
DECLARE
    t record := skillrating_internal.ladder_facts(a);
BEGIN
    PERFORM skillrating_internal.ladder_facts(b);
    -- One forecast a match, of the same team in both.
    EXECUTE format(
        'WITH forecast AS (
            SELECT DISTINCT ON (a.seq) a.seq, a.win_probability AS p, b.win_probability AS q, a.score AS y
            FROM %1$I.event AS a
            JOIN %2$I.event AS b ON b.match_id %3$s a.match_id AND b.player_id %4$s a.player_id AND b.pool = a.pool AND b.kind = ''match''
            WHERE a.kind = ''match'' AND a.pool = $1 AND a.played_at >= $2
            ORDER BY a.seq, a.team
        ), loss AS (
            SELECT f.seq, (f.p - f.y) ^ 2 AS brier_a, (f.q - f.y) ^ 2 AS brier_b,
                -f.y * ln(greatest(f.p, 1e-300)) - (1 - f.y) * ln(greatest(1 - f.p, 1e-300)) AS log_a,
                -f.y * ln(greatest(f.q, 1e-300)) - (1 - f.y) * ln(greatest(1 - f.q, 1e-300)) AS log_b
            FROM forecast AS f
        ), forecasts AS (
            SELECT count(*) AS matches, avg(l.brier_a) AS brier_a, avg(l.brier_b) AS brier_b, avg(l.log_a) AS log_a, avg(l.log_b) AS log_b,
                skillrating_internal.paired_difference(array_agg(l.brier_b ORDER BY l.seq), array_agg(l.brier_a ORDER BY l.seq)) AS brier,
                skillrating_internal.paired_difference(array_agg(l.log_b ORDER BY l.seq), array_agg(l.log_a ORDER BY l.seq)) AS log
            FROM loss AS l
        )
        SELECT f.matches, f.brier_a, f.brier_b, f.brier[1], nullif(f.brier[2], ''NaN''),
            f.log_a, f.log_b, f.log[1], nullif(f.log[2], ''NaN''), r.*
        FROM forecasts AS f, (
            SELECT count(*), corr(r.place_a, r.place_b), avg(abs(r.place_a - r.place_b)), max(abs(r.place_a - r.place_b)),
                count(*) FILTER (WHERE r.place_a <= 10 AND r.place_b <= 10)
            FROM (
                SELECT rank() OVER (ORDER BY a.rating DESC) AS place_a, rank() OVER (ORDER BY b.rating DESC) AS place_b
                FROM %1$I.rating AS a JOIN %2$I.rating AS b ON b.player_id %4$s a.player_id AND b.pool = a.pool
                WHERE a.pool = $1 AND a.games > 0 AND b.games > 0) AS r) AS r', a, b, t.match_equals, t.player_equals)
    INTO matches, brier_a, brier_b, brier_difference, brier_error, log_loss_a, log_loss_b, log_loss_difference, log_loss_error,
        players, rank_correlation, mean_place_change, max_place_change, same_top_ten
    USING pool, since;
END
$function$;

COMMENT ON FUNCTION skillrating_internal.compare_ladders(text, text, text, timestamptz) IS
'Which of two ladders on the same matches predicts better, and how much their rankings differ: Brier
score and log loss of both over the matches that both rated (one forecast a match, the same in both,
before it was rated), the mean differences b less a (below 0: b is better) with their standard
errors by blocks of matches (null for fewer than 20); and over the players of both the correlation
of the places, the mean and the largest change of place, and how many of the ten first are the same.
Without pool it is the only one of a. Errors: 42704 for an unknown ladder, or a pool that a has not,
22023 without a pool where there are several.';
