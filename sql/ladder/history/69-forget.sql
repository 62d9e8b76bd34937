-- Erasure: persons who want to be forgotten.

CREATE FUNCTION skillrating_internal.known_players(ladder text, players text[], of_matches boolean)
RETURNS text[]
LANGUAGE plpgsql STABLE STRICT
AS $function$
DECLARE
    t record := skillrating_internal.ladder_facts(ladder);
    queries text;
    known text[];
BEGIN
    SELECT string_agg(format('SELECT p.id FROM p WHERE EXISTS (SELECT FROM %I.%I AS u WHERE u.%I %s p.id)',
        ladder, c.relation, c.name, t.player_equals), ' UNION ALL ')
    INTO queries
    FROM (VALUES ('event', 'player_id', true), ('operation', 'player_id', true), ('operation', 'into_id', true),
        ('solved', 'player_id', skillrating_internal.has_table(ladder, 'solved')),
        (CASE WHEN skillrating_internal.has_table(ladder, 'match_player') THEN 'match_player' ELSE 'source' END, 'player_id', of_matches)
    ) AS c(relation, name, is_there)
    WHERE c.is_there;
    EXECUTE format(
        'WITH p AS MATERIALIZED (SELECT u.id FROM unnest(CAST($1 AS %s[])) AS u(id))
        SELECT coalesce(array_agg(DISTINCT k.id::text), ''{}'') FROM (%s) AS k', t.player_type, queries)
    INTO known USING players;
    RETURN known;
END
$function$;

COMMENT ON FUNCTION skillrating_internal.known_players(text, text[], boolean) IS
'Those players who occur in the events, operations or solved skills of a ladder, or with of_matches
in its matches.';

CREATE FUNCTION skillrating_internal.rename_players(ladder text, players text[], pseudonyms text[])
RETURNS void
LANGUAGE plpgsql VOLATILE STRICT
AS $function$
DECLARE
    t record := skillrating_internal.ladder_facts(ladder);
    own boolean := skillrating_internal.has_table(ladder, 'match_player');
    forget constant text := 'UPDATE %1$I.%2$I AS u SET %3$I = skillrating_internal.replace_words(u.%3$I, $1, $3)
        WHERE skillrating_internal.replace_words(u.%3$I, $1, $3) <> u.%3$I';
    renamed constant text := format('unnest(CAST($1 AS %1$s[]), CAST($2 AS %1$s[])) AS p(player, pseudonym)', t.player_type);
    rename constant text := format(
        'UPDATE %%1$I.%%2$I AS u SET %%3$I = p.pseudonym FROM %s WHERE u.%%3$I %s p.player', renamed, t.player_equals);
    -- No default of ours.
    given constant text := format(
        'FROM %I.operation AS o
        WHERE o.reason NOT IN (''decay'', ''settle'', ''set by hand'', ''reset'', ''fixed'', ''no longer fixed'',
            ''season '' || coalesce(o.params->>''name'', o.params->>''season'', ''''),
            ''seeded from '' || coalesce(o.params->>''ladder'', ''''))', ladder);
    m record;
    statement text;
BEGIN
    -- What the ladder has written of players, what users have written, and what it took over from there;
    -- room that a pseudonym took when the source had it before us; and last a statement after which
    -- whatever looks at the matches finds all of it done.
    FOR statement IN
        SELECT format('UPDATE %I.rated_match AS u SET detail = format(%L, p.pseudonym) FROM unnest($1, $2) AS p(player, pseudonym)
            WHERE u.reason = %L AND u.detail = format(%2$L, p.player)', ladder, f.format, f.reason)
        FROM (VALUES ('excluded_player', 'player %s is excluded'),
            ('merged_accounts', 'player %s takes part under two accounts')) AS f(reason, format)
        UNION ALL
        SELECT format(forget, ladder, f.relation, f.name) || ' AND ' || f.condition
        FROM (VALUES
            ('rated_match', 'detail', CASE WHEN own THEN format('u.reason = ''by_source'' AND EXISTS (SELECT FROM %I.match AS m
                WHERE m.match_id %s u.match_id AND m.unrated_reason = u.detail)', ladder, t.match_equals) END),
            ('rated_match', 'detail', 'u.reason = ''void'' AND u.detail = u.void_reason AND u.void_reason <> ''void'''),
            ('rated_match', 'void_reason', 'u.void_reason <> ''void'''),
            ('event', 'reason', format('u.kind <> ''match'' AND u.seq IN (
                SELECT o.seq %s AND skillrating_internal.replace_words(o.reason, $1, $3) <> o.reason)', given)),
            ('operation', 'reason', format('u.operation IN (SELECT o.operation %s)', given)),
            ('pending', 'message', 'true')) AS f(relation, name, condition)
        WHERE f.condition IS NOT NULL
        UNION ALL
        SELECT format('DELETE FROM %I.%I AS u USING %s WHERE u.player_id %s p.pseudonym AND u.games = 0',
            ladder, r.name, renamed, t.player_equals)
        FROM (VALUES ('rating'), ('component')) AS r(name)
        UNION ALL
        SELECT format(rename, ladder, r.name, r.identifier)
        FROM (VALUES ('event', 'player_id'), ('rating', 'player_id'), ('standing', 'player_id'), ('component_event', 'player_id'),
            ('component', 'player_id'), ('solved', 'player_id'), ('operation', 'player_id'), ('operation', 'into_id'),
            ('horizon', 'player_id'), ('component_horizon', 'player_id'), ('season_horizon', 'player_id')) AS r(name, identifier)
        WHERE skillrating_internal.has_table(ladder, r.name)
        UNION ALL
        SELECT format('WITH m AS (%s) %s', format(forget, ladder, 'match', 'unrated_reason'),
            format(rename, ladder, 'match_player', 'player_id'))
        WHERE own
    LOOP
        EXECUTE statement USING players, pseudonyms, '[forgotten]'::text;
    END LOOP;

    -- Under the old name there is no rating any more.
    FOR m IN SELECT r.* FROM skillrating_internal.mirrors(ladder) AS r ORDER BY r.relation::oid, r.pool LOOP
        CONTINUE WHEN NOT skillrating_internal.lock_mirror(ladder, m.relation);
        statement := skillrating_internal.mirror_statement(ladder, m.relation, m.pool, m.key, m.columns, 'gone', m.pool_key,
            format('SELECT p.player AS player_id, r.pool FROM %s JOIN %I.rating AS r ON r.player_id %s p.pseudonym',
                renamed, ladder, t.player_equals));
        IF statement IS NOT NULL THEN
            EXECUTE statement USING players, pseudonyms;
        END IF;
    END LOOP;
END
$function$;

COMMENT ON FUNCTION skillrating_internal.rename_players(text, text[], text[]) IS
'Puts pseudonyms in place of players in all tables of a ladder and the reasons that it has written,
and [forgotten] where an identifier is a word of a reason that a user gave or of an error, and
takes the ratings of the old names out of mirrors.';

CREATE FUNCTION skillrating_internal.forget_players(
    ladder text,
    players anycompatiblearray,
    pseudonyms text[] DEFAULT NULL,
    OUT player_id text,
    OUT pseudonym text,
    OUT found boolean)
RETURNS SETOF record
LANGUAGE plpgsql VOLATILE
AS $function$
DECLARE
    t record := skillrating_internal.ladder_facts(ladder);
    own boolean := skillrating_internal.has_table(ladder, 'match_player');
    old_ids text[];
    new_ids text[];
    twice text;
    known text[];
    n integer;
    form text;
BEGIN
    IF array_position(players, NULL) IS NOT NULL OR array_position(pseudonyms, NULL) IS NOT NULL THEN
        RAISE null_value_not_allowed USING
            MESSAGE = 'elements of players and pseudonyms must not be null';
    END IF;
    -- As the type of players writes them.
    EXECUTE format(
        'SELECT CAST(o.ids AS text[]), CAST(n.ids AS text[]),
            (SELECT min(u.id::text)
            FROM (SELECT 1, unnest(o.ids) UNION ALL SELECT 2, unnest(n.ids)) AS u(n, id)
            GROUP BY u.n, u.id HAVING count(*) > 1 LIMIT 1)
        FROM CAST($1 AS %1$s[]) AS o(ids), CAST($2 AS %1$s[]) AS n(ids)', t.player_type)
    INTO old_ids, new_ids, twice USING players::text[], pseudonyms;
    IF twice IS NOT NULL THEN
        RAISE invalid_parameter_value USING MESSAGE = format('%s is given twice', twice);
    END IF;
    n := cardinality(old_ids);
    -- Whatever the type takes first: hexadecimal digits, which make a uuid, too, or a negative or
    -- else a positive number of 60, 31 or 15 bits.
    FOREACH form IN ARRAY CASE WHEN pseudonyms IS NULL THEN ARRAY['r.digits', '-1 - r.bits', '-1 - (r.bits >> 29)', '-1 - (r.bits >> 45)',
        '1 + (r.bits >> 1)', '1 + (r.bits >> 30)', '1 + (r.bits >> 46)'] ELSE '{}' END
    LOOP
        BEGIN
            -- Random numbers of the operating system make these, and nothing else goes in; more than are
            -- needed, because some may be taken; and in no order, which would be that of the players.
            EXECUTE format(
                'SELECT ARRAY(
                    SELECT u.id FROM unnest(m.ids) AS u(id)
                    WHERE u.id <> ALL ((SELECT skillrating_internal.known_players($1, m.ids, true))::text[])
                    ORDER BY gen_random_uuid() LIMIT $2)
                FROM (
                    SELECT array_agg(DISTINCT CAST(CAST(%s AS text) AS %s)::text) AS ids
                    FROM (
                        SELECT d.digits, (''x'' || right(d.digits, 15))::bit(60)::bigint AS bits
                        FROM (SELECT replace(gen_random_uuid()::text, ''-'', '''')
                            FROM generate_series(1, 2 * $2 + 100)) AS d(digits)) AS r) AS m',
                form, t.player_type)
            INTO new_ids USING ladder, n;
            EXIT WHEN cardinality(new_ids) = n;
        EXCEPTION
            WHEN data_exception OR integrity_constraint_violation THEN
                CONTINUE;
        END;
    END LOOP;
    IF cardinality(new_ids) IS DISTINCT FROM n THEN
        RAISE USING
            ERRCODE = CASE WHEN pseudonyms IS NULL THEN 'invalid_parameter_value' ELSE 'array_subscript_error' END,
            MESSAGE = CASE WHEN pseudonyms IS NULL THEN format('cannot make %s unused pseudonyms of type %s', n, t.player_type)
                ELSE format('%s players need as many pseudonyms, not %s', n, cardinality(new_ids)) END,
            HINT = 'Give one pseudonym for each player.';
    ELSIF pseudonyms IS NOT NULL THEN
        -- A source may have them already, if it has been changed before.
        known := skillrating_internal.known_players(ladder, new_ids, own)
            || ARRAY(SELECT unnest(new_ids) INTERSECT SELECT unnest(old_ids));
        IF known <> '{}' THEN
            RAISE unique_violation USING
                MESSAGE = format('pseudonym %s is taken in ladder "%s"', known[1], ladder);
        END IF;
    END IF;
    known := skillrating_internal.known_players(ladder, old_ids, true);
    PERFORM skillrating_internal.rename_digests(ladder, old_ids, new_ids, own),
        skillrating_internal.rename_players(ladder, old_ids, new_ids);
    RETURN QUERY SELECT p.player, p.pseudonym, p.player = ANY (known)
        FROM unnest(old_ids, new_ids) AS p(player, pseudonym);
END
$function$;

COMMENT ON FUNCTION skillrating_internal.forget_players(text, anycompatiblearray, text[]) IS
'Erases persons from a ladder: puts pseudonyms in their place in matches, events, ratings, solved
skills, operations and reasons, and leaves every number as it is, so that nothing has to be
replayed. Without pseudonyms it makes random ones. In reasons that users wrote, and in messages of
errors, [forgotten] takes the place of an identifier that is a word. Where the ladder has a source,
put the same pseudonyms into the tables behind it, in the same transaction, before or after. Returns
a row for each player: the pseudonym, and whether the ladder knew the player. Errors: 42704 for an
unknown ladder, 22004 for nulls, 2202E unless there are as many pseudonyms as players, 22023 for one
who is given twice and for a type that no pseudonyms can be made of, 23505 if a pseudonym is taken.';
