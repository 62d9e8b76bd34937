-- What roles may do on a ladder.

CREATE FUNCTION skillrating_internal.granted_privileges(
    ladder text,
    kind text,
    OUT relation text,
    OUT privilege text)
RETURNS SETOF record
LANGUAGE sql STABLE STRICT
AS $function$
    SELECT k.relation, p.privilege
    FROM (
        VALUES
            ('reader', '{SELECT}'::text[], '{ladder,rating,event,component,component_event,rated_match,
                pending,correction,operation,source,leaderboard,history,components,solved,solved_context}'::text[]),
            -- To report a match again with other content, and to see what became of it.
            ('reporter', '{INSERT,SELECT,UPDATE}', '{match}'),
            ('reporter', '{DELETE,INSERT,SELECT}', '{match_player}'),
            ('reporter', '{SELECT}', '{event,rated_match}')
    ) AS v(kind, privileges, relations),
        unnest(v.privileges) AS p(privilege), unnest(v.relations) AS k(relation)
    WHERE v.kind = granted_privileges.kind
        -- Matches of a ladder over a source are reported to other tables.
        AND (v.kind = 'reader' OR skillrating_internal.has_table(ladder, 'match'))
        AND skillrating_internal.owns_relation(to_regclass(format('%I.%I', ladder, k.relation)))
$function$;

COMMENT ON FUNCTION skillrating_internal.granted_privileges(text, text) IS
'A part of grant_ladder() and revoke_ladder(): the privileges on relations of a ladder that a kind of
role has. They are those that the functions of its kind need, as ladder_entries() has them.';

CREATE FUNCTION skillrating_internal.acl_of(acl aclitem[], quoted_role text)
RETURNS SETOF text
LANGUAGE sql STABLE STRICT
AS $function$
    SELECT a.privilege_type FROM aclexplode(acl) AS a
    WHERE quoted_role = CASE a.grantee WHEN 0 THEN 'PUBLIC'
        ELSE quote_ident(pg_get_userbyid(a.grantee)) END
$function$;

COMMENT ON FUNCTION skillrating_internal.acl_of(aclitem[], text) IS
'A part of grant_ladder() and revoke_ladder(): the privileges that a role has itself, and not as a
member of another.';

CREATE FUNCTION skillrating_internal.check_kind(
    ladder text,
    role text,
    kind text)
RETURNS text
LANGUAGE plpgsql STABLE STRICT
AS $function$
BEGIN
    PERFORM skillrating_internal.ladder_types(ladder);
    IF kind NOT IN ('reader', 'reporter') THEN
        RAISE invalid_parameter_value USING
            MESSAGE = format('unknown kind of role "%s"', kind),
            HINT = 'Valid kinds are "reader" and "reporter".';
    END IF;
    IF role = 'public' THEN
        RETURN 'PUBLIC';
    END IF;
    IF NOT EXISTS (SELECT FROM pg_roles AS r WHERE r.rolname = role) THEN
        RAISE undefined_object USING
            MESSAGE = format('role "%s" does not exist', role),
            HINT = 'Give its name as it is, without quotes, or "public" for all roles.';
    END IF;
    -- The owner of a ladder has all privileges and keeps them.
    RETURN (
        SELECT quote_ident(role) FROM pg_class AS c
        WHERE c.oid = to_regclass(format('%I.ladder', ladder))
            AND pg_get_userbyid(c.relowner) <> role);
END
$function$;

COMMENT ON FUNCTION skillrating_internal.check_kind(text, text, text) IS
'A part of grant_ladder() and revoke_ladder(): a role as GRANT takes it; public is all roles, and the
ladder''s owner is null. Errors: 42704 for an unknown role, 22023 for an unknown kind.';

CREATE FUNCTION skillrating_internal.grant_ladder(
    ladder text,
    role text,
    kind text)
RETURNS void
LANGUAGE plpgsql VOLATILE STRICT
AS $function$
DECLARE
    quoted_role text := skillrating_internal.check_kind(ladder, role, kind);
    statement text;
BEGIN
    IF kind = 'reporter' AND NOT skillrating_internal.has_table(ladder, 'match') THEN
        RAISE wrong_object_type USING
            MESSAGE = format('matches of ladder "%s" are not reported to tables of its own', ladder),
            HINT = 'Grant the privileges to write to the tables behind its source, and none on ratings.';
    END IF;
    IF quoted_role IS NULL THEN
        RETURN;
    END IF;
    -- A schema whose privileges change has everybody who is at work on it try again.
    IF 'USAGE' NOT IN (SELECT skillrating_internal.acl_of(n.nspacl, quoted_role) FROM pg_namespace AS n WHERE n.nspname = ladder) THEN
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

COMMENT ON FUNCTION skillrating_internal.grant_ladder(text, text, text) IS
'Gives a role what a kind of role needs, with USAGE on the schema. role is a name as it is, or public
for all roles. The ladder''s owner has these rights anyway, and keeps them.
kind reader: calls every function that reads a ladder, such as leaderboard(), preview(), history()
and verify(), and queries what these read: SELECT on component, component_event, correction, event,
ladder, operation, pending, rated_match, rating, solved, solved_context and source, and on the three
views.
kind reporter: reports matches by report_match() or INSERT, corrects them by reporting them again,
and sees what became of them: SELECT, INSERT and UPDATE on match, SELECT, INSERT and DELETE on
match_player, SELECT on event and rated_match. It does not read ratings, nor the messages of errors
in table pending.
Errors: 42704 for an unknown ladder or role, 22023 for an unknown kind, 42501 unless the caller owns
the ladder, 42809 for a reporter of a ladder with a source of your own, whose tables take your own
grants.';

CREATE FUNCTION skillrating_internal.revoke_ladder(
    ladder text,
    role text,
    kind text)
RETURNS void
LANGUAGE plpgsql VOLATILE STRICT
AS $function$
DECLARE
    quoted_role text := skillrating_internal.check_kind(ladder, role, kind);
    other constant text := CASE kind WHEN 'reader' THEN 'reporter' ELSE 'reader' END;
    statement text;
BEGIN
    -- A role is of a kind that has all of its privileges; what that needs too stays then.
    FOR statement IN
        WITH has AS (
            SELECT c.relname::text AS relation, p AS privilege
            FROM pg_class AS c, skillrating_internal.acl_of(c.relacl, quoted_role) AS p
            WHERE c.relnamespace = to_regnamespace(quote_ident(ladder))
        ), others AS (
            SELECT o.* FROM skillrating_internal.granted_privileges(ladder, other) AS o
            WHERE NOT EXISTS (
                SELECT * FROM skillrating_internal.granted_privileges(ladder, other)
                EXCEPT SELECT * FROM has)
        )
        SELECT format('REVOKE %s ON %I.%I FROM %s', string_agg(p.privilege, ', '), ladder,
            p.relation, quoted_role)
        FROM (
            SELECT * FROM skillrating_internal.granted_privileges(ladder, kind)
            INTERSECT SELECT * FROM has
            EXCEPT SELECT * FROM others) AS p
        GROUP BY p.relation ORDER BY p.relation
    LOOP
        EXECUTE statement;
    END LOOP;
    IF 'USAGE' IN (SELECT skillrating_internal.acl_of(n.nspacl, quoted_role) FROM pg_namespace AS n WHERE n.nspname = ladder) AND NOT EXISTS (
        SELECT FROM pg_class AS c, skillrating_internal.acl_of(c.relacl, quoted_role)
        WHERE c.relnamespace = to_regnamespace(quote_ident(ladder)))
    THEN
        EXECUTE format('REVOKE USAGE ON SCHEMA %I FROM %s', ladder, quoted_role);
    END IF;
END
$function$;

COMMENT ON FUNCTION skillrating_internal.revoke_ladder(text, text, text) IS
'Undoes grant_ladder(): takes from a role what a kind of role has, but for what it has as one of the
other kind. USAGE on the schema goes with the last privilege on a relation in it. What the role has
as a member of another, or as one of public, stays. Errors: 42704 for an unknown ladder or role,
22023 for an unknown kind, 42501 unless the caller owns the ladder, 2BP01 if the role has granted a
privilege to others.';
