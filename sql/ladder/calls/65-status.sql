-- What became of a match, and how a ladder fares.

SELECT skillrating_internal.make_function('skillrating_internal.match_outcome', '
    ladder text,
    match_id anycompatible,
    OUT outcome text,
    OUT reason text,
    OUT detail text,
    OUT sqlstate text,
    OUT since timestamptz',
    NULL, 'STABLE STRICT',
'What became of a match.
outcome: rated, unrated, waiting, or unknown for one that the ladder has not seen.
reason: a code of reasons(), null for a match that counts. A rated match has reason void if
it counts until the next catch_up(), and waiting if it counts as it was until then. One that waits
has reason late if its place is to be found, failed if rating it raised an error that is not about
its data, else waiting. An unknown one has not_reported or no_match.
detail: in words: the reason that the source or a user gave, the value that is wrong in its rows,
the message of the error for those who may read table pending, or what the match waits for.
sqlstate: of that error. A match that was rated before counts as it was until its change is rated.
since: when it began to wait, in table pending. Error 42704 for an unknown ladder.');

CREATE FUNCTION skillrating_internal.restored_data(ladder text)
RETURNS text
LANGUAGE plpgsql STABLE STRICT
AS $function$
DECLARE
    t record := skillrating_internal.ladder_facts(ladder);
    sign text;
BEGIN
    -- A subscriber has the places of its publisher and no sequence; restore_triggers() moves it.
    IF skillrating_internal.is_subscribed(format('%I.event', ladder)::regclass) THEN
        RETURN NULL;
    END IF;
    -- A place is drawn before anybody sees it, and a sample is enough: all places are doubled, or none.
    EXECUTE format(
        'SELECT CASE WHEN m.place > s.last_value
            THEN format(''sequence event_seq stands at %%s, before place %%s'', s.last_value, m.place)
            ELSE (
                SELECT format(''match %%s has events at places %%s and %%s'', e.match_id, e.seq, r.seq)
                FROM (SELECT e.match_id, e.seq FROM %1$I.event AS e WHERE e.kind = ''match'' ORDER BY e.seq LIMIT 100) AS e
                JOIN %1$I.rated_match AS r ON r.match_id %2$s e.match_id
                WHERE r.seq <> e.seq ORDER BY e.seq LIMIT 1) END
        FROM %1$I.event_seq AS s
        CROSS JOIN (
            SELECT greatest(
                (SELECT max(e.seq) FROM %1$I.event AS e), (SELECT max(m.seq) FROM %1$I.rated_match AS m),
                (SELECT max(o.seq) FROM %1$I.operation AS o)) AS place) AS m',
        ladder, t.match_equals)
    INTO sign;
    RETURN sign;
END
$function$;

COMMENT ON FUNCTION skillrating_internal.restored_data(text) IS
'What shows that a dump was restored into a ladder whose triggers rated its matches again, or null.';

CREATE FUNCTION skillrating_internal.ladder_status(
    ladder text,
    OUT rated bigint,
    OUT unrated jsonb,
    OUT examples jsonb,
    OUT waiting bigint,
    OUT oldest_waiting timestamptz,
    OUT last_error text,
    OUT last_error_at timestamptz,
    OUT put_aside bigint,
    OUT corrections bigint,
    OUT last_match timestamptz,
    OUT truncated bigint,
    OUT copied regclass[],
    OUT restored text,
    OUT triggers text)
LANGUAGE plpgsql STABLE STRICT
AS $function$
DECLARE
    t record := skillrating_internal.ladder_facts(ladder);
BEGIN
    -- A worker that has copied a table has caught up with the others from s on.
    EXECUTE format(
        'SELECT m.*, x.*, p.*, (SELECT count(*) FROM %1$I.correction), a.*, e.*
        FROM (
            SELECT coalesce(sum(r.n) FILTER (WHERE r.counts), 0),
                coalesce(jsonb_object_agg(r.reason, r.n) FILTER (WHERE NOT r.counts), ''{}''),
                max(r.last) FILTER (WHERE r.counts)
            FROM (
                SELECT m.status = ''rated'' AS counts, CASE WHEN m.status <> ''rated'' THEN coalesce(m.reason, m.status) END AS reason,
                    count(*) AS n, max(m.played_at) AS last
                FROM %1$I.rated_match AS m GROUP BY 1, 2) AS r) AS m
        CROSS JOIN (
            SELECT coalesce(jsonb_object_agg(f.reason, format(''%%s'', f.match_id)), ''{}'')
            FROM (
                SELECT DISTINCT ON (1) coalesce(m.reason, m.status) AS reason, m.match_id FROM %1$I.rated_match AS m
                WHERE m.status <> ''rated'' ORDER BY 1, m.match_id%2$s) AS f) AS x
        CROSS JOIN (SELECT count(DISTINCT p.match_id), min(p.since) FROM %1$I.pending AS p) AS p
        CROSS JOIN (
            SELECT coalesce(array_agg(DISTINCT a.relation ORDER BY a.relation), ''{}'')
            FROM %1$I.attached AS a
            JOIN pg_subscription_rel AS s ON s.srrelid IN (
                SELECT t.relid FROM pg_partition_tree(a.relation) AS t UNION ALL SELECT a.relation)
            WHERE a.replica AND s.srsubstate NOT IN (''s'', ''r'')) AS a
        LEFT JOIN LATERAL (
            SELECT p.sqlstate || '': '' || p.message, p.failed_at FROM %1$I.pending AS p
            WHERE p.sqlstate IS NOT NULL ORDER BY p.failed_at DESC, p.match_id DESC LIMIT 1) AS e ON true', ladder, t.match_order)
    INTO rated, unrated, last_match, examples, waiting, oldest_waiting, corrections, copied, last_error, last_error_at;
    put_aside := 0;
    truncated := 0;
    IF skillrating_internal.has_table(ladder, 'replica_note') THEN
        EXECUTE format(
            'SELECT count(*) FILTER (WHERE n.error IS NOT NULL), count(*) FILTER (WHERE n.error IS NULL)
            FROM %I.replica_note AS n', ladder)
        INTO put_aside, truncated;
    END IF;
    restored := skillrating_internal.restored_data(ladder);
    triggers := nullif(concat_ws(', ', 'table ' || skillrating_internal.lacking_triggers(ladder) || ' lacks triggers', (
            SELECT string_agg(format('trigger %I of table %s is disabled', i.name, i.relation), ', ' ORDER BY i.relation::text, i.name)
            FROM skillrating_internal.ladder_triggers(ladder) AS i WHERE i.idle),
        CASE WHEN current_setting('session_replication_role') = 'replica'
            THEN 'session_replication_role of this session is replica' END), '');
END
$function$;

COMMENT ON FUNCTION skillrating_internal.ladder_status(text) IS
'How a ladder fares, in one row.
rated, unrated: how many matches count, and for each code of reasons() (also late) how many do not.
examples: the first match of each of these reasons, as text.
waiting, oldest_waiting: matches in table pending, and since when the oldest of them has waited: for
catch_up(), or, with an error, until its cause is removed and catch_up() is called.
last_error, last_error_at: SQLSTATE and message of the last error for which a match waits, and when.
put_aside: rows of a publisher of which no match could be told, see table replica_note.
corrections: places in table correction that wait for catch_up().
last_match: when the latest rated match was played.
truncated, copied: how often tables of a publisher were truncated since catch_up() last searched,
and which of them a subscription is copying. Do not search meanwhile: matches to come would be taken
for gone.
restored: what shows that a dump was restored into the ladder while triggers rated its matches once
more, or null; catch_up(rebuild => true) repairs it.
triggers: what keeps changes from being noticed, or null: triggers that are missing or disabled,
which restore_triggers() puts back, or session_replication_role = replica in this session.
Error 42704 for an unknown ladder.';

SELECT skillrating_internal.make_function('skillrating.verify', 'ladder text',
    'TABLE (check_name text, ok boolean, detail text)', 'STABLE ROWS 7',
'Rates all matches of a ladder, or all behind its horizon (see set_horizon()), again, from the source
and in rated order, and compares bit for bit: content (the matches are what was rated, and all
columns of the source are read), events (states before and after, predictions and scores), ratings
(the state of every player, and the counts that ranks come from), counters (games, wins, draws,
losses, last played), components (all of these of components, of a model that has some), complete
(no finished match was overlooked, nor one that could not be rated and has changed, and no trigger
is disabled), corrections (none waits for catch_up()), where matches are in table pending, waiting.
Other sessions go on rating. catch_up(search => true, rebuild => true) mends content, events,
ratings, counters, components and complete, catch_up() corrections and waiting. Errors: 42704 for an
unknown ladder, 55000 if its triggers are gone.');
