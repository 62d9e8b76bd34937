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
'The privileges on relations that a kind of role has: what its functions need by ladder_entries().';

CREATE FUNCTION skillrating_internal.change_rights(
    ladder text,
    role text,
    kind text,
    called text)
RETURNS void
LANGUAGE plpgsql VOLATILE STRICT
AS $function$
DECLARE
    granted constant boolean := called = 'grant_ladder';
    quoted_role text := CASE role WHEN 'public' THEN 'PUBLIC' ELSE quote_ident(role) END;
    role_oid oid := CASE role WHEN 'public' THEN 0 ELSE (SELECT r.oid FROM pg_roles AS r WHERE r.rolname = role) END;
    other constant text := CASE kind WHEN 'reader' THEN 'reporter' ELSE 'reader' END;
    statement text;
    schema record;
BEGIN
    PERFORM skillrating_internal.ladder_facts(ladder);
    PERFORM skillrating_internal.check_choice('kind', kind, 'reader', 'reporter');
    IF role_oid IS NULL THEN
        RAISE undefined_object USING
            MESSAGE = format('role "%s" does not exist', role),
            HINT = 'Give its name as it is, without quotes, or "public" for all roles.';
    END IF;
    IF granted AND kind = 'reporter' AND NOT skillrating_internal.has_table(ladder, 'match') THEN
        RAISE wrong_object_type USING
            MESSAGE = format('matches of ladder "%s" are not reported to tables of its own', ladder),
            HINT = 'Grant the privileges to write to the tables behind its source, and none on ratings.';
    END IF;
    -- The owner of a ladder has all privileges and keeps them.
    IF EXISTS (SELECT FROM pg_class AS c WHERE c.oid = to_regclass(format('%I.ladder', ladder)) AND c.relowner = role_oid) THEN
        RETURN;
    END IF;
    -- A role is of a kind that has all of its privileges; what that needs too stays then.
    FOR statement IN
        WITH has(relation, privilege) AS (
            SELECT c.relname::text, a.privilege_type FROM pg_class AS c, aclexplode(c.relacl) AS a
            WHERE c.relnamespace = to_regnamespace(quote_ident(ladder)) AND a.grantee = role_oid
        ), wanted AS (
            SELECT p.* FROM skillrating_internal.granted_privileges(ladder, kind) AS p
        ), others AS (
            SELECT p.* FROM skillrating_internal.granted_privileges(ladder, other) AS p
            WHERE NOT EXISTS (SELECT * FROM skillrating_internal.granted_privileges(ladder, other) EXCEPT TABLE has)
        )
        SELECT format(CASE WHEN granted THEN 'GRANT %s ON %I.%I TO %s' ELSE 'REVOKE %s ON %I.%I FROM %s' END,
            string_agg(p.privilege, ', '), ladder, p.relation, quoted_role)
        FROM (SELECT * FROM wanted WHERE granted
            UNION ALL (SELECT * FROM wanted WHERE NOT granted INTERSECT TABLE has EXCEPT TABLE others)) AS p
        GROUP BY p.relation ORDER BY p.relation
    LOOP
        EXECUTE statement;
    END LOOP;
    SELECT EXISTS (SELECT FROM aclexplode(n.nspacl) AS a WHERE a.grantee = role_oid AND a.privilege_type = 'USAGE') AS is_open,
        EXISTS (SELECT FROM pg_class AS c, aclexplode(c.relacl) AS a WHERE c.relnamespace = n.oid AND a.grantee = role_oid) AS is_used
    INTO schema FROM pg_namespace AS n WHERE n.nspname = ladder;
    -- A schema whose privileges change has everybody who is at work on it try again.
    IF granted AND NOT schema.is_open THEN
        EXECUTE format('GRANT USAGE ON SCHEMA %I TO %s', ladder, quoted_role);
    ELSIF NOT granted AND schema.is_open AND NOT schema.is_used THEN
        EXECUTE format('REVOKE USAGE ON SCHEMA %I FROM %s', ladder, quoted_role);
    END IF;
END
$function$;

COMMENT ON FUNCTION skillrating_internal.change_rights(text, text, text, text) IS
'The body of grant_ladder() and revoke_ladder(), called with the name of one.';

SELECT skillrating_internal.make_function('skillrating.grant_ladder', 'ladder text, role text, kind text',
    'void', 'VOLATILE',
'Gives a role what a kind of role needs, with USAGE on the schema. role is a name as it is, or public
for all roles. The ladder''s owner has these rights anyway, and keeps them.
kind reader: calls every function that reads a ladder, such as leaderboard(), preview(), history()
and verify(), and queries what these read: SELECT on component, component_event, correction, event,
ladder, operation, pending, rated_match, rating, solved, solved_context, source and the views.
kind reporter: reports matches by report_match() or INSERT, corrects them by reporting them again,
and sees what became of them: SELECT, INSERT and UPDATE on match, SELECT, INSERT and DELETE on
match_player, SELECT on event and rated_match. It reads neither ratings nor table pending.
Errors: 42704 for an unknown ladder or role, 22023 for an unknown kind, 42501 unless the caller owns
the ladder, 42809 for a reporter of a ladder with a source, whose tables take your own grants.', 'skillrating_enter');

SELECT skillrating_internal.make_function('skillrating.revoke_ladder', 'ladder text, role text, kind text',
    'void', 'VOLATILE',
'Undoes grant_ladder(): takes from a role what a kind of role has, but for what it has as one of the
other kind. USAGE on the schema goes with the last privilege on a relation in it. What the role has
as a member of another, or as one of public, stays. Errors: 42704 for an unknown ladder or role,
22023 for an unknown kind, 42501 unless the caller owns the ladder, 2BP01 if the role has granted a
privilege to others.', 'skillrating_enter');
