-- Tables and functions that bench/predict.sh needs once.

CREATE SCHEMA predict;

CREATE TABLE predict.data_set (
    id integer GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    name text NOT NULL UNIQUE,
    sha256 text NOT NULL,
    columns text NOT NULL,
    matches integer,
    train integer,
    left_out integer
);

COMMENT ON TABLE predict.data_set IS
'A file of matches.  columns: the columns that the forecasters are told of.
matches: those of two or more teams with a result.  train: how many of them, the first ones,
parameters are fitted to.  left_out: the other matches of the file.';

CREATE TABLE predict.participant (
    data_set integer NOT NULL,
    match integer NOT NULL,
    match_id text NOT NULL,
    series text NOT NULL,
    at timestamptz NOT NULL,
    team integer NOT NULL,
    team_name text NOT NULL,
    player integer NOT NULL,
    rank float8 NOT NULL,
    score float8,
    weight float8,
    joined float8,
    left_at float8,
    commanding float8,
    side integer,
    squad float8,
    kills float8,
    deaths float8,
    quit boolean,
    context text,
    club text
);

COMMENT ON TABLE predict.participant IS
'A row of a match that counts.  match: its number in the order of time, from 1.
series: matches with the same one are not taken for independent.  team: from 1.
side: that of the file; without one 1 is at home and 2 away.';

CREATE TABLE predict.team (
    data_set integer NOT NULL,
    match integer NOT NULL,
    team integer NOT NULL,
    match_id text NOT NULL,
    team_name text NOT NULL,
    series text NOT NULL,
    rank float8 NOT NULL,
    score float8,
    teams integer NOT NULL,
    won float8 NOT NULL,
    PRIMARY KEY (data_set, match, team)
);

COMMENT ON TABLE predict.team IS
'The outcome of a match.  won: 1 for the team in first place, shared equally among several.';

CREATE TABLE predict.run (
    data_set integer NOT NULL,
    forecaster text NOT NULL,
    params jsonb,
    seconds float8,
    failure text,
    PRIMARY KEY (data_set, forecaster)
);

COMMENT ON TABLE predict.run IS
'How a forecaster fared on a data set.  params: what it chose, by the first part.
seconds: for the fit and all forecasts.  failure: why its forecasts do not count, or null.';

CREATE TABLE predict.forecast (
    data_set integer NOT NULL,
    forecaster text NOT NULL,
    match integer NOT NULL,
    team integer NOT NULL,
    p float8 NOT NULL,
    PRIMARY KEY (data_set, forecaster, match, team)
);

COMMENT ON TABLE predict.forecast IS
'The probability that a team comes first, as it was before the match; a draw of two counts half.';

CREATE FUNCTION predict.number(t text)
RETURNS float8
LANGUAGE sql IMMUTABLE
RETURN CASE WHEN t ~ '^\s*[-+]?(\d+\.?\d*|\.\d+)([eE][-+]?\d{1,2})?\s*$' THEN t::float8 END;

COMMENT ON FUNCTION predict.number(text) IS 'The number in a field, or null.';

CREATE FUNCTION predict.yes(t text)
RETURNS boolean
LANGUAGE sql IMMUTABLE
RETURN lower(trim(t)) IN ('1', '1.0', 't', 'true', 'y', 'yes', 'h', 'home');

COMMENT ON FUNCTION predict.yes(text) IS 'Whether a field says yes.';

CREATE FUNCTION predict.to_time(t text)
RETURNS timestamptz
LANGUAGE plpgsql STABLE
SET TimeZone = 'UTC'
AS $function$
BEGIN
    IF t ~ '^(1[89]|20)\d{2}(0[1-9]|1[0-2])(0[1-9]|[12]\d|3[01])$' THEN
        RETURN to_date(t, 'YYYYMMDD')::timestamp AT TIME ZONE 'UTC';
    ELSIF t ~ '^\s*-?\d{1,12}(\.\d*)?\s*$' THEN
        RETURN CASE WHEN abs(t::float8) >= 1e8 THEN to_timestamp(t::float8)
            WHEN abs(t::float8) <= 1e6 THEN '2000-01-01 00:00+00'::timestamptz + t::float8 * interval '1 day' END;
    END IF;
    RETURN nullif(nullif(t::timestamptz, 'infinity'), '-infinity');
EXCEPTION WHEN data_exception THEN
    RETURN NULL;
END
$function$;

COMMENT ON FUNCTION predict.to_time(text) IS
'The time in a field: a timestamp, a date, also as 20240131, seconds since 1970, or an ordinal up to
a million, which is a day to the models; null for anything else.';

CREATE FUNCTION predict.two_sided(t float8, degrees bigint)
RETURNS float8
LANGUAGE plpgsql IMMUTABLE STRICT
AS $function$
DECLARE
    odd boolean := degrees % 2 = 1;
    angle float8 := atan(abs(t) / sqrt(degrees));
    term float8 := CASE WHEN odd THEN cos(angle) ELSE 1 END;
    series float8 := CASE WHEN odd AND degrees = 1 THEN 0 ELSE term END;
    i bigint := CASE WHEN odd THEN 3 ELSE 2 END;
BEGIN
    -- The terms fall like powers of the cosine.
    WHILE i < degrees AND term > 1e-18 LOOP
        term := term * cos(angle) ^ 2 * (i - 1) / i;
        series := series + term;
        i := i + 2;
    END LOOP;
    RETURN greatest(0, 1 - CASE WHEN odd THEN 2 / pi() * (angle + sin(angle) * series) ELSE sin(angle) * series END);
END
$function$;

COMMENT ON FUNCTION predict.two_sided(float8, bigint) IS
'The probability that a variable with Student''s t distribution is beyond -t and t.
Abramowitz and Stegun, Handbook of Mathematical Functions (1964), 26.7.3 and 26.7.4.';
