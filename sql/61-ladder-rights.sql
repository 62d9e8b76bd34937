-- What roles may do on a ladder.

CREATE FUNCTION skillrating_internal.granted_privileges(
    ladder text,
    kind text,
    OUT relation text,
    OUT privilege text)
RETURNS SETOF record
LANGUAGE sql STABLE STRICT
SET search_path = pg_catalog, pg_temp
AS $function$
    SELECT p.relation, p.privilege
    FROM (
        SELECT CASE WHEN e.needs ~ 'INSERT' THEN 'reporter' ELSE 'reader' END, m[2], m[1]
        FROM skillrating_internal.ladder_entries() AS e
        CROSS JOIN regexp_matches(e.needs, '\m(SELECT|INSERT) on (\w+)', 'g') AS m
        UNION
        VALUES
            ('reader', 'ladder', 'SELECT'), ('reader', 'solved', 'SELECT'),
            ('reader', 'solved_context', 'SELECT'), ('reader', 'leaderboard', 'SELECT'),
            ('reader', 'history', 'SELECT'), ('reader', 'components', 'SELECT'),
            -- To report a match again with other content, and to see what became of it.
            ('reporter', 'match', 'UPDATE'), ('reporter', 'match_player', 'DELETE'),
            ('reporter', 'match', 'SELECT'), ('reporter', 'match_player', 'SELECT'),
            ('reporter', 'rated_match', 'SELECT')
    ) AS p(kind, relation, privilege)
    WHERE p.kind = granted_privileges.kind
        AND to_regclass(format('%I.%I', ladder, p.relation)) IS NOT NULL
    ORDER BY p.relation, p.privilege
$function$;

COMMENT ON FUNCTION skillrating_internal.granted_privileges(text, text) IS
'A part of grant_reader() and its like: the privileges on relations of a ladder that a reader or a
reporter has: those that ladder_entries() says functions need that read or that report; those to
correct by reporting again; and those to see the configuration and solved skills.';

CREATE FUNCTION skillrating_internal.grantee(role text)
RETURNS text
LANGUAGE plpgsql STABLE STRICT
SET search_path = pg_catalog, pg_temp
AS $function$
BEGIN
    IF role = 'public' THEN
        RETURN 'PUBLIC';
    END IF;
    IF NOT EXISTS (SELECT FROM pg_roles AS r WHERE r.rolname = role) THEN
        RAISE undefined_object USING
            MESSAGE = format('role "%s" does not exist', role),
            HINT = 'Give its name as it is, without quotes, or "public" for all roles.';
    END IF;
    RETURN quote_ident(role);
END
$function$;

COMMENT ON FUNCTION skillrating_internal.grantee(text) IS
'A part of grant_reader() and its like: a role as GRANT takes it; public is all roles. Error 42704
for an unknown one.';

CREATE FUNCTION skillrating_internal.is_ladder_owner(
    ladder text,
    role text)
RETURNS boolean
LANGUAGE sql STABLE STRICT
SET search_path = pg_catalog, pg_temp
AS $function$
    SELECT EXISTS (
        SELECT FROM pg_class AS c
        WHERE c.oid = to_regclass(format('%I.ladder', ladder))
            AND pg_get_userbyid(c.relowner) = role)
$function$;

COMMENT ON FUNCTION skillrating_internal.is_ladder_owner(text, text) IS
'A part of grant_reader() and its like: whether a role owns a ladder, which has all privileges and
keeps them.';

CREATE FUNCTION skillrating_internal.has_grant(
    ladder text,
    quoted_role text,
    relation text,
    privilege text)
RETURNS boolean
LANGUAGE sql STABLE STRICT
SET search_path = pg_catalog, pg_temp
AS $function$
    SELECT EXISTS (
        SELECT FROM pg_class AS c CROSS JOIN LATERAL aclexplode(c.relacl) AS a
        WHERE c.oid = to_regclass(format('%I.%I', ladder, has_grant.relation))
            AND a.privilege_type = has_grant.privilege AND a.grantor = c.relowner
            AND quoted_role = CASE a.grantee WHEN 0 THEN 'PUBLIC'
                ELSE quote_ident(pg_get_userbyid(a.grantee)) END)
$function$;

COMMENT ON FUNCTION skillrating_internal.has_grant(text, text, text, text) IS
'A part of grant_reader() and its like: whether the owner of a ladder has granted a privilege on a
relation of it to a role itself, and not to one that it is a member of.';

CREATE FUNCTION skillrating_internal.has_usage_grant(
    ladder text,
    quoted_role text)
RETURNS boolean
LANGUAGE sql STABLE STRICT
SET search_path = pg_catalog, pg_temp
AS $function$
    SELECT EXISTS (
        SELECT FROM pg_namespace AS n CROSS JOIN LATERAL aclexplode(n.nspacl) AS a
        WHERE n.nspname = ladder AND a.privilege_type = 'USAGE'
            AND quoted_role = CASE a.grantee WHEN 0 THEN 'PUBLIC'
                ELSE quote_ident(pg_get_userbyid(a.grantee)) END)
$function$;

COMMENT ON FUNCTION skillrating_internal.has_usage_grant(text, text) IS
'The same for USAGE on the schema of a ladder, by whomever.';

CREATE FUNCTION skillrating_internal.grant_kind(
    ladder text,
    role text,
    kind text)
RETURNS void
LANGUAGE plpgsql VOLATILE STRICT
SET search_path = pg_catalog, pg_temp
AS $function$
DECLARE
    quoted_role text;
    statement text;
BEGIN
    PERFORM skillrating_internal.ladder_types(ladder);
    quoted_role := skillrating_internal.grantee(role);
    IF skillrating_internal.is_ladder_owner(ladder, role) THEN
        RETURN;
    END IF;
    -- A schema whose privileges change has everybody who is at work on it try again.
    IF NOT skillrating_internal.has_usage_grant(ladder, quoted_role) THEN
        EXECUTE format('GRANT USAGE ON SCHEMA %I TO %s', ladder, quoted_role);
    END IF;
    FOR statement IN
        SELECT format('GRANT %s ON %I.%I TO %s', string_agg(p.privilege, ', '), ladder,
            p.relation, quoted_role)
        FROM skillrating_internal.granted_privileges(ladder, kind) AS p
        GROUP BY p.relation ORDER BY p.relation
    LOOP
        EXECUTE statement;
    END LOOP;
END
$function$;

COMMENT ON FUNCTION skillrating_internal.grant_kind(text, text, text) IS
'A part of grant_reader() and grant_reporter(): grants a role what a kind of role has, and USAGE on
the schema.';

CREATE FUNCTION skillrating_internal.revoke_kind(
    ladder text,
    role text,
    kind text)
RETURNS void
LANGUAGE plpgsql VOLATILE STRICT
SET search_path = pg_catalog, pg_temp
AS $function$
DECLARE
    quoted_role text;
    others text[] := array_remove('{reader,reporter}', kind);
    statement text;
BEGIN
    PERFORM skillrating_internal.ladder_types(ladder);
    quoted_role := skillrating_internal.grantee(role);
    IF skillrating_internal.is_ladder_owner(ladder, role) THEN
        RETURN;
    END IF;
    -- A role is of a kind that has all of its privileges; what that needs too stays then.
    others := ARRAY(
        SELECT o.kind
        FROM unnest(others) AS o(kind)
        CROSS JOIN LATERAL skillrating_internal.granted_privileges(ladder, o.kind) AS p
        GROUP BY o.kind
        HAVING bool_and(
            skillrating_internal.has_grant(ladder, quoted_role, p.relation, p.privilege)));
    FOR statement IN
        SELECT format('REVOKE %s ON %I.%I FROM %s', string_agg(p.privilege, ', '), ladder,
            p.relation, quoted_role)
        FROM (
            SELECT * FROM skillrating_internal.granted_privileges(ladder, kind)
            EXCEPT
            SELECT p.*
            FROM unnest(others) AS o(kind)
            CROSS JOIN LATERAL skillrating_internal.granted_privileges(ladder, o.kind) AS p) AS p
        WHERE skillrating_internal.has_grant(ladder, quoted_role, p.relation, p.privilege)
        GROUP BY p.relation ORDER BY p.relation
    LOOP
        EXECUTE statement;
    END LOOP;
    IF skillrating_internal.has_usage_grant(ladder, quoted_role) AND NOT EXISTS (
        SELECT FROM pg_class AS c CROSS JOIN LATERAL aclexplode(c.relacl) AS a
        WHERE c.relnamespace = to_regnamespace(quote_ident(ladder))
            AND quoted_role = CASE a.grantee WHEN 0 THEN 'PUBLIC'
                ELSE quote_ident(pg_get_userbyid(a.grantee)) END)
    THEN
        EXECUTE format('REVOKE USAGE ON SCHEMA %I FROM %s', ladder, quoted_role);
    END IF;
END
$function$;

COMMENT ON FUNCTION skillrating_internal.revoke_kind(text, text, text) IS
'A part of revoke_reader() and revoke_reporter(): takes from a role what a kind of role has, but for
what it has as one of the other kinds; and USAGE on the schema if no privilege on anything in it is
left.';

CREATE FUNCTION skillrating_internal.check_match_tables(ladder text)
RETURNS void
LANGUAGE plpgsql STABLE STRICT
SET search_path = pg_catalog, pg_temp
AS $function$
DECLARE
    attached text;
BEGIN
    PERFORM skillrating_internal.check_inside(ladder);
    IF to_regclass(format('%I.match', ladder)) IS NOT NULL THEN
        RETURN;
    END IF;
    EXECUTE format(
        'SELECT string_agg(a.relation::text, '', '' ORDER BY a.relation::text) FROM %I.attached AS a',
        ladder)
    INTO attached;
    RAISE wrong_object_type USING
        MESSAGE = format('matches of ladder "%s" are not reported to tables of its own', ladder),
        HINT = format('They come from %s: grant the privileges to write there, and none on ratings.',
            coalesce(attached, 'the tables behind its source'));
END
$function$;

COMMENT ON FUNCTION skillrating_internal.check_match_tables(text) IS
'A part of grant_reporter(): error 42809 for a ladder with a source of the user''s own.';

CREATE FUNCTION skillrating_internal.grant_reader(
    ladder text,
    role text)
RETURNS void
LANGUAGE plpgsql VOLATILE STRICT
SET search_path = pg_catalog, pg_temp
AS $function$
BEGIN
    PERFORM skillrating_internal.grant_kind(ladder, role, 'reader');
END
$function$;

SELECT skillrating_internal.create_entry('grant_reader');

COMMENT ON FUNCTION skillrating.grant_reader(text, text) IS
'Lets a role call every function that reads a ladder, such as leaderboard(), preview(), history()
and verify(), and query what these read: SELECT on component, component_event, correction, event,
ladder, operation, pending, rated_match, rating, solved, solved_context and source, and USAGE on the
schema. role is a name as it is, or public for all roles. It may be called again, as after an update
that brings functions. The ladder''s owner has these rights anyway, and keeps them. Errors: 42704
for an unknown ladder or role, 42501 unless the caller owns the ladder.';

CREATE FUNCTION skillrating_internal.grant_reporter(
    ladder text,
    role text)
RETURNS void
LANGUAGE plpgsql VOLATILE STRICT
SET search_path = pg_catalog, pg_temp
AS $function$
BEGIN
    PERFORM skillrating_internal.ladder_types(ladder);
    PERFORM skillrating_internal.check_match_tables(ladder);
    PERFORM skillrating_internal.grant_kind(ladder, role, 'reporter');
END
$function$;

SELECT skillrating_internal.create_entry('grant_reporter');

COMMENT ON FUNCTION skillrating.grant_reporter(text, text) IS
'Lets a role report matches to a ladder by report_match() or INSERT, correct them by reporting them
again, and see what became of them: SELECT, INSERT and UPDATE on match, SELECT, INSERT and DELETE on
match_player, SELECT on event and rated_match, and USAGE on the schema. It gives no right to change
ratings in another way, and none to read them or the messages of errors in table pending, which is
what grant_reader() gives. role is a name as it is, or public for all roles. Errors: 42704 for an
unknown ladder or role, 42501 unless the caller owns the ladder, 42809 for a ladder with a source of
your own, whose tables take your own
grants.';

CREATE FUNCTION skillrating_internal.revoke_reader(
    ladder text,
    role text)
RETURNS void
LANGUAGE plpgsql VOLATILE STRICT
SET search_path = pg_catalog, pg_temp
AS $function$
BEGIN
    PERFORM skillrating_internal.revoke_kind(ladder, role, 'reader');
END
$function$;

SELECT skillrating_internal.create_entry('revoke_reader');

COMMENT ON FUNCTION skillrating.revoke_reader(text, text) IS
'Undoes grant_reader(): a role that reports matches can still do that. USAGE on the schema goes with
the last privilege on a relation in it. What the role has as a member of another, or as one of
public, stays. Errors: 42704 for an unknown ladder or role, 42501 unless the caller owns the ladder,
2BP01 if the role has granted a privilege to others.';

CREATE FUNCTION skillrating_internal.revoke_reporter(
    ladder text,
    role text)
RETURNS void
LANGUAGE plpgsql VOLATILE STRICT
SET search_path = pg_catalog, pg_temp
AS $function$
BEGIN
    PERFORM skillrating_internal.revoke_kind(ladder, role, 'reporter');
END
$function$;

SELECT skillrating_internal.create_entry('revoke_reporter');

COMMENT ON FUNCTION skillrating.revoke_reporter(text, text) IS
'Undoes grant_reporter(): a role that reads the ladder can still do that. Otherwise as
revoke_reader().';
