-- Eligibility: which matches a ladder wants to rate.

CREATE FUNCTION skillrating_internal.set_eligibility(
    ladder text,
    rules jsonb,
    since timestamptz DEFAULT '-infinity',
    reason text DEFAULT NULL,
    OUT operation bigint)
LANGUAGE plpgsql VOLATILE
AS $function$
DECLARE
    place bigint;
    first_played_at timestamptz;
BEGIN
    IF since = 'infinity' THEN
        RAISE datetime_field_overflow USING
            MESSAGE = 'since must not be infinity';
    END IF;
    PERFORM skillrating_internal.check_eligibility(rules);
    SELECT n.operation INTO operation
    FROM skillrating_internal.note_operation(ladder, 'eligibility', since => since, params => rules, reason => reason) AS n;
    EXECUTE format('SELECT min(m.seq), min(m.played_at) FROM %I.rated_match AS m WHERE m.seq IS NOT NULL AND m.played_at >= $1', ladder)
    INTO place, first_played_at USING since;
    PERFORM skillrating_internal.note_correction(ladder, 'eligibility', place, played_at => first_played_at);
END
$function$;

COMMENT ON FUNCTION skillrating_internal.set_eligibility(text, jsonb, timestamptz, text) IS
'Declares which matches a ladder rates: those played from since on are judged by these rules and no
others, until rules are declared for a later time or again. Without since they replace the rules of
all times. A match that breaks one is kept unrated, with the reason of the rule. The rules are
about what players did before; what a match itself says, its source can judge by unrated_reason.
rules: an object with a member for each rule in force, see parameters(''eligibility''); {} for none.
What was rated changes with catch_up(). Returns the number of the operation, for undo_operation().
Errors: 42704 for an unknown ladder, 22023 for a rule that is unknown, of another type, or only
about another that is not there, 22003 for a value out of range, 22008 for an infinite since.';

CREATE FUNCTION skillrating_internal.eligibility(
    ladder text,
    OUT since timestamptz,
    OUT until timestamptz,
    OUT rules jsonb,
    OUT operation bigint,
    OUT reason text)
RETURNS SETOF record
LANGUAGE plpgsql STABLE STRICT
AS $function$
BEGIN
    PERFORM skillrating_internal.ladder_facts(ladder);
    RETURN QUERY EXECUTE format(
        'WITH declared AS (
            SELECT o.operation, o.since, o.params, o.reason FROM %I.operation AS o
            WHERE o.kind = ''eligibility'' AND o.undone_at IS NULL
        ), period AS (
            SELECT b.since, d.params, d.operation, d.reason,
                lag(d.operation) OVER (ORDER BY b.since) AS previous
            FROM (SELECT DISTINCT d.since FROM declared AS d) AS b
            CROSS JOIN LATERAL (
                SELECT * FROM declared AS d WHERE d.since <= b.since
                ORDER BY d.operation DESC LIMIT 1) AS d
        )
        SELECT p.since, lead(p.since, 1, ''infinity'') OVER (ORDER BY p.since), p.params,
            p.operation, p.reason
        FROM period AS p WHERE p.previous IS DISTINCT FROM p.operation
        ORDER BY p.since', ladder);
END
$function$;

COMMENT ON FUNCTION skillrating_internal.eligibility(text) IS
'The rules by which a ladder judges matches: a row for each period that has rules of its own,
matches played from since on and before until, with the number of the operation that declared them
and the reason given. Before the first period there are none. Error 42704 for an unknown ladder.';
