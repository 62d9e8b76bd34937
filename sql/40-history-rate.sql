-- Rating whole histories in a query.

CREATE TYPE skillrating.rated AS (
    rating_before float8,
    rating_after float8,
    deviation_before float8,
    deviation_after float8,
    displayed_before float8,
    displayed_after float8,
    games bigint,
    score float8,
    win_probability float8,
    state_before float8[],
    state_after float8[],
    unrated_reason text);

COMMENT ON TYPE skillrating.rated IS
'What rate() says of a participant: rating (the first state column of the model: rating, mu or skill) and deviation (null under models without one) before and after the match; the displayed rating before and after; rated matches of the player before; score of the row''s team (1 won, 0.5 drew, 0 lost) and the win probability that was predicted for it (a draw counts half); the whole state before and after, in the order of state_columns in models(); and why the match was not rated (null if it was; score and win probability are null otherwise).';

CREATE FUNCTION skillrating.rate(
    model text,
    player anyelement,
    team integer,
    rank float8 DEFAULT NULL,
    weight float8 DEFAULT NULL,
    params jsonb DEFAULT NULL,
    played_at timestamptz DEFAULT NULL,
    score float8 DEFAULT NULL,
    won boolean DEFAULT NULL,
    joined float8 DEFAULT NULL,
    "left" float8 DEFAULT NULL,
    commanding float8 DEFAULT NULL,
    side float8 DEFAULT NULL,
    squad float8 DEFAULT NULL,
    kills float8 DEFAULT NULL,
    deaths float8 DEFAULT NULL,
    quit boolean DEFAULT NULL,
    experience float8 DEFAULT NULL,
    pool text DEFAULT NULL,
    log_odds float8 DEFAULT NULL,
    gain float8 DEFAULT NULL,
    unrated_reason text DEFAULT NULL)
RETURNS skillrating.rated
AS 'MODULE_PATHNAME', 'skillrating_rate'
LANGUAGE C WINDOW IMMUTABLE PARALLEL SAFE;

COMMENT ON FUNCTION skillrating.rate(text, anyelement, integer, float8, float8, jsonb, timestamptz, float8, boolean, float8, float8, float8, float8, float8, float8, float8, boolean, float8, text, float8, float8, text) IS
'Rates a history of matches in a query, with no table of its own: (r).* FROM (SELECT *, skillrating.rate(''elo'', player_id, team, rank) OVER (ORDER BY played_at, match_id) AS r FROM ...) AS q. A row is a participant (or a stint of one); rows that are equal under ORDER BY are one match, in whatever order; PARTITION BY starts afresh. Any model of models(); model and params, the parameters that differ from their defaults, are those of the first row of a partition. player: any type that can be hashed and ordered. Result of the team by rank (1 is best, equal ranks are a draw), else score (high is best), else won. The other arguments, best given by name, mean what source_columns() says; played_at makes models count idle time (in the order of the window; without it nobody is ever idle), pool separates ratings within a partition. Memory: the states and one match. Bit for bit what a ladder makes of the same matches in the same order. A match that does not count, such as one of a single team, says why and changes nothing. Errors: 42P20 without ORDER BY and for a frame clause, 22023 and 22003 for unsound parameters and rows, 22004 for nulls in model, player or team.';

CREATE TYPE skillrating.inputs AS (
    weight float8,
    played_at timestamptz,
    score float8,
    won boolean,
    joined float8,
    "left" float8,
    commanding float8,
    side float8,
    squad float8,
    kills float8,
    deaths float8,
    quit boolean,
    experience float8,
    pool text,
    log_odds float8,
    gain float8,
    unrated_reason text,
    context text);

COMMENT ON TYPE skillrating.inputs IS
'What is known of a participant besides player, team and rank, for aggregates over matches, which take no arguments by name: made by the function inputs(). The columns mean what source_columns() says; null is unknown. context, which only solve() knows, is where a match was played (a map, a mode): what favours a side there is an unknown of its own.';

CREATE FUNCTION skillrating.inputs(
    weight float8 DEFAULT NULL,
    played_at timestamptz DEFAULT NULL,
    score float8 DEFAULT NULL,
    won boolean DEFAULT NULL,
    joined float8 DEFAULT NULL,
    "left" float8 DEFAULT NULL,
    commanding float8 DEFAULT NULL,
    side float8 DEFAULT NULL,
    squad float8 DEFAULT NULL,
    kills float8 DEFAULT NULL,
    deaths float8 DEFAULT NULL,
    quit boolean DEFAULT NULL,
    experience float8 DEFAULT NULL,
    pool text DEFAULT NULL,
    log_odds float8 DEFAULT NULL,
    gain float8 DEFAULT NULL,
    unrated_reason text DEFAULT NULL,
    context text DEFAULT NULL)
RETURNS skillrating.inputs
AS 'MODULE_PATHNAME', 'skillrating_inputs'
LANGUAGE C IMMUTABLE PARALLEL SAFE;

COMMENT ON FUNCTION skillrating.inputs(float8, timestamptz, float8, boolean, float8, float8, float8, float8, float8, float8, float8, boolean, float8, text, float8, float8, text, text) IS
'What is known of a participant besides player, team and rank, by name: skillrating.inputs(played_at => played_at, score => goals). See source_columns() for what each means.';

CREATE FUNCTION skillrating_internal.number_inputs(
    weight float8 DEFAULT NULL,
    played_at timestamptz DEFAULT NULL,
    score float8 DEFAULT NULL,
    won boolean DEFAULT NULL,
    joined float8 DEFAULT NULL,
    "left" float8 DEFAULT NULL,
    commanding float8 DEFAULT NULL,
    side float8 DEFAULT NULL,
    squad float8 DEFAULT NULL,
    kills float8 DEFAULT NULL,
    deaths float8 DEFAULT NULL,
    quit boolean DEFAULT NULL,
    experience float8 DEFAULT NULL,
    log_odds float8 DEFAULT NULL,
    gain float8 DEFAULT NULL)
RETURNS skillrating.inputs
AS 'MODULE_PATHNAME', 'skillrating_number_inputs'
LANGUAGE C IMMUTABLE PARALLEL SAFE;

COMMENT ON FUNCTION skillrating_internal.number_inputs(float8, timestamptz, float8, boolean, float8, float8, float8, float8, float8, float8, float8, boolean, float8, float8, float8) IS
'inputs() without those that are texts. postgres_fdw sends no function to a remote server whose text arguments are all constants, as the defaults of inputs() are; this one it sends.';

CREATE TYPE skillrating.final_rating AS (
    player text,
    pool text,
    rating float8,
    deviation float8,
    displayed float8,
    games bigint,
    wins bigint,
    draws bigint,
    losses bigint,
    last_played timestamptz,
    state float8[]);

COMMENT ON TYPE skillrating.final_rating IS
'A player at the end of a history: the identifier as text; the pool; rating (the first state column of the model) and deviation (null under models without one); the displayed rating; rated matches, won (sole first), drawn (shared first) and lost; the time of the last one (null without times); and the whole state, in the order of state_columns in models().';

CREATE FUNCTION skillrating_internal.final_ratings_transition(internal, text, anycompatible, anyelement, integer, float8)
RETURNS internal
AS 'MODULE_PATHNAME', 'skillrating_final_ratings_transition'
LANGUAGE C IMMUTABLE PARALLEL SAFE;

COMMENT ON FUNCTION skillrating_internal.final_ratings_transition(internal, text, anycompatible, anyelement, integer, float8) IS
'Transition function of final_ratings().';

CREATE FUNCTION skillrating_internal.final_ratings_transition(internal, text, anycompatible, anyelement, integer, float8, jsonb)
RETURNS internal
AS 'MODULE_PATHNAME', 'skillrating_final_ratings_transition'
LANGUAGE C IMMUTABLE PARALLEL SAFE;

COMMENT ON FUNCTION skillrating_internal.final_ratings_transition(internal, text, anycompatible, anyelement, integer, float8, jsonb) IS
'Transition function of final_ratings().';

CREATE FUNCTION skillrating_internal.final_ratings_transition(internal, text, anycompatible, anyelement, integer, float8, skillrating.inputs, jsonb)
RETURNS internal
AS 'MODULE_PATHNAME', 'skillrating_final_ratings_transition'
LANGUAGE C IMMUTABLE PARALLEL SAFE;

COMMENT ON FUNCTION skillrating_internal.final_ratings_transition(internal, text, anycompatible, anyelement, integer, float8, skillrating.inputs, jsonb) IS
'Transition function of final_ratings().';

CREATE FUNCTION skillrating_internal.final_ratings_final(internal)
RETURNS skillrating.final_rating[]
AS 'MODULE_PATHNAME', 'skillrating_final_ratings_final'
LANGUAGE C IMMUTABLE PARALLEL SAFE;

COMMENT ON FUNCTION skillrating_internal.final_ratings_final(internal) IS
'Final function of final_ratings().';

CREATE AGGREGATE skillrating.final_ratings(model text, match anycompatible, player anyelement, team integer, rank float8) (
    SFUNC = skillrating_internal.final_ratings_transition,
    STYPE = internal,
    FINALFUNC = skillrating_internal.final_ratings_final,
    FINALFUNC_MODIFY = READ_WRITE,
    PARALLEL = SAFE
);

COMMENT ON AGGREGATE skillrating.final_ratings(text, anycompatible, anyelement, integer, float8) IS
'The ratings that a history of matches ends with, highest displayed one first, and by player and pool where they are equal: f.* FROM (SELECT skillrating.final_ratings(''elo'', match_id, player_id, team, rank ORDER BY played_at, match_id) AS ratings FROM ...) AS q, unnest(q.ratings) AS f. A row is a participant (or a stint of one) of a match; match and player are of any types that can be hashed and ordered; rank is that of the team (1 is best, equal ranks are a draw). The same as the last rows of rate() over the same matches, in the memory of the states and one match, and with GROUP BY once a group. Null without rows. Errors: 22023 without the match in ORDER BY, and as rate().';

CREATE AGGREGATE skillrating.final_ratings(model text, match anycompatible, player anyelement, team integer, rank float8, params jsonb) (
    SFUNC = skillrating_internal.final_ratings_transition,
    STYPE = internal,
    FINALFUNC = skillrating_internal.final_ratings_final,
    FINALFUNC_MODIFY = READ_WRITE,
    PARALLEL = SAFE
);

COMMENT ON AGGREGATE skillrating.final_ratings(text, anycompatible, anyelement, integer, float8, jsonb) IS
'As the form with five arguments, with the parameters of the model that differ from their defaults; those of the first row hold.';

CREATE AGGREGATE skillrating.final_ratings(model text, match anycompatible, player anyelement, team integer, rank float8, inputs skillrating.inputs, params jsonb) (
    SFUNC = skillrating_internal.final_ratings_transition,
    STYPE = internal,
    FINALFUNC = skillrating_internal.final_ratings_final,
    FINALFUNC_MODIFY = READ_WRITE,
    PARALLEL = SAFE
);

COMMENT ON AGGREGATE skillrating.final_ratings(text, anycompatible, anyelement, integer, float8, skillrating.inputs, jsonb) IS
'As the form with six arguments, with all else that is known of a participant, made by inputs(): times, scores, stints, sides and so on.';
