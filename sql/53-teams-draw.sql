-- Draws that nobody can predict, and everybody can check afterwards.

CREATE FUNCTION skillrating_internal.hmac_sha256(
    key bytea,
    message bytea)
RETURNS bytea
LANGUAGE plpgsql IMMUTABLE STRICT PARALLEL SAFE
SET search_path = pg_catalog, pg_temp
AS $function$
DECLARE
    short_key bytea := CASE WHEN length(key) > 64 THEN sha256(key) ELSE key END;
    inner_pad bytea := decode(repeat('36', 64), 'hex');
    outer_pad bytea := decode(repeat('5c', 64), 'hex');
BEGIN
    FOR i IN 0 .. length(short_key) - 1 LOOP
        inner_pad := set_byte(inner_pad, i, get_byte(short_key, i) # 54);
        outer_pad := set_byte(outer_pad, i, get_byte(short_key, i) # 92);
    END LOOP;
    RETURN sha256(outer_pad || sha256(inner_pad || message));
END
$function$;

COMMENT ON FUNCTION skillrating_internal.hmac_sha256(bytea, bytea) IS
'The authentication code HMAC-SHA-256 of a message under a key (RFC 2104).';

CREATE FUNCTION skillrating.draw_number(
    secret bytea,
    draw text)
RETURNS bigint
LANGUAGE plpgsql IMMUTABLE STRICT PARALLEL SAFE
SET search_path = pg_catalog, pg_temp
AS $function$
DECLARE
    code bytea;
BEGIN
    IF length(secret) < 16 THEN
        RAISE invalid_parameter_value USING
            MESSAGE = format('secret must have at least 16 bytes, not %s', length(secret)),
            HINT = 'Shorter secrets can be found by trying all of them; gen_random_uuid() makes one.';
    END IF;
    code := skillrating_internal.hmac_sha256(secret, convert_to(draw, 'UTF8'));
    RETURN ('x' || encode(substring(code FROM 1 FOR 8), 'hex'))::bit(64)::bigint;
END
$function$;

COMMENT ON FUNCTION skillrating.draw_number(bytea, text) IS
'A number that is drawn by a secret, such as the seed of split_teams(): nobody can predict it
without the secret, who draws cannot choose it, and everybody can check it when the secret is
revealed.

Publish sha256(secret) before the draws, and the secret when all of them are over.  Each draw of a
secret needs a name of its own, fixed by a rule that is known in advance, such as ''round 7''.
secret: at least 16 bytes that nobody can guess.
Result: the first 8 bytes of HMAC-SHA-256 of the name under the secret, as a signed number.
Null for nulls.  Error 22023 for a shorter secret.';

CREATE FUNCTION skillrating.draw_sides(
    secret bytea,
    draw text,
    teams integer DEFAULT 2)
RETURNS integer[]
LANGUAGE plpgsql IMMUTABLE STRICT PARALLEL SAFE
SET search_path = pg_catalog, pg_temp
AS $function$
DECLARE
    ignored bigint := skillrating.draw_number(secret, draw);
BEGIN
    IF teams NOT BETWEEN 2 AND 10 THEN
        RAISE invalid_parameter_value USING
            MESSAGE = format('teams must be at least 2 and at most 10, not %s', teams);
    END IF;
    -- A text has no zero byte, so that no two draws have a message in common.
    RETURN ARRAY(
        SELECT rank() OVER (ORDER BY skillrating_internal.hmac_sha256(secret,
            convert_to(draw, 'UTF8') || '\x00'::bytea || convert_to(t::text, 'UTF8')))::integer
        FROM generate_series(1, teams) AS t ORDER BY t);
END
$function$;

COMMENT ON FUNCTION skillrating.draw_sides(bytea, text, integer) IS
'The side of each team, 1 to teams, by a secret draw; all orders are equally likely.  Element t is
the side of team t.  See draw_number() for the secret and the name of the draw.

teams: 2 to 10.
Result: the places of the teams by HMAC-SHA-256 of the name, a zero byte and the team''s number.
Null for nulls.  Errors: 22023 for a short secret and for teams out of range.';
