-- Reading a ladder.

SELECT skillrating_internal.make_type('ranked_player',
'A line of a leaderboard. The columns from peak on are null unless statistics were asked for.', '
place bigint
player_id text: The identifier as text.
rating float8
games bigint
wins bigint
draws bigint
losses bigint
last_played timestamptz
provisional boolean
peak float8: The highest rating since the last reset.
peak_at timestamptz: When it came first.
streak integer: Matches in a row that were won or, if negative, lost; 0 after a draw.
last_change float8: Change of the rating in the last match since the last reset.
percentile float8: Percent of the others who are rated lower, equals counted half; null for one alone.');

CREATE FUNCTION skillrating_internal.past_shared_state(
    ladder text,
    at timestamptz,
    now_state text,
    then_state text,
    horizon_state text,
    horizon text,
    behind bigint)
RETURNS text
LANGUAGE plpgsql STABLE STRICT
AS $function$
DECLARE
    t record := skillrating_internal.ladder_facts(ladder);
BEGIN
    IF t.shared_pool IS NULL THEN
        RETURN 'SELECT NULL::float8[] AS state, NULL::timestamptz AS as_of, NULL::boolean AS fixed';
    END IF;
    RETURN format(
        'SELECT %2$s AS state, r.as_of, r.fixed FROM %1$I.rating AS r
        WHERE r.player_id %3$s o.player_id AND r.pool = %4$L AND r.as_of <= %5$L
        UNION ALL
        SELECT %6$s, greatest((
                SELECT max(p.played_at) FROM %1$I.event AS p
                WHERE p.player_id %3$s o.player_id AND p.seq <= e.seq
                    AND p.seq > coalesce(z.seq, %8$s) AND p.seq > %8$s),
            (SELECT h.as_of FROM %7$s AS h
            WHERE h.player_id %3$s o.player_id AND h.pool = %4$L AND z.seq IS NULL)), e.fixed
        FROM (
            SELECT e.* FROM %1$I.event AS e
            WHERE e.player_id %3$s o.player_id AND e.played_at <= %5$L AND e.seq > %8$s
            ORDER BY e.seq DESC LIMIT 1) AS e
        CROSS JOIN LATERAL (
            SELECT max(s.seq) AS seq FROM %1$I.event AS s
            WHERE s.player_id %3$s o.player_id AND s.pool = %4$L AND s.seq <= e.seq
                AND s.seq > %8$s AND s.kind = ''reset'') AS z
        UNION ALL
        SELECT %9$s, h.as_of, h.fixed FROM %7$s AS h
        WHERE h.player_id %3$s o.player_id AND h.pool = %4$L
        LIMIT 1', ladder, now_state, t.player_equals, t.shared_pool, at, then_state, horizon,
        behind, horizon_state);
END
$function$;

COMMENT ON FUNCTION skillrating_internal.past_shared_state(text, timestamptz, text, text, text, text, bigint) IS
'A query for what the player o has in all pools at a time, as of when, and whether it is fixed.';

CREATE FUNCTION skillrating_internal.past_board(
    ladder text,
    pool text,
    at timestamptz,
    which text,
    last bigint DEFAULT 0)
RETURNS text
LANGUAGE plpgsql STABLE STRICT
AS $function$
DECLARE
    t record := skillrating_internal.ladder_facts(ladder);
    horizon text;
    behind bigint;
    now_state text;
    then_state text;
    horizon_state text;
    aged_columns text;
    shared text;
BEGIN
    IF at < t.horizon_at THEN
        RAISE object_not_in_prerequisite_state USING
            MESSAGE = format('history of ladder "%s" begins at %s, and %s is before', ladder, t.horizon_at, at),
            HINT = 'See the columns horizon and horizon_at of its table ladder, and set_horizon().';
    END IF;
    horizon := CASE WHEN t.horizon_at IS NOT NULL THEN format('%I.horizon', ladder)
        ELSE format('(SELECT r.* FROM %I.rating AS r WHERE false)', ladder) END;
    behind := greatest(t.horizon, last, 0);
    SELECT format('ARRAY[%s]', string_agg(format('r.%I', u.c), ', ' ORDER BY u.n)),
        format('ARRAY[%s]', string_agg(format('h.%I', u.c), ', ' ORDER BY u.n)),
        format('ARRAY[%s]', string_agg(format('e.%I', u.c || '_after'), ', ' ORDER BY u.n)),
        string_agg(format(', q.state[%s] AS %I', u.n, u.c), '' ORDER BY u.n) FILTER (WHERE u.c <> 'rating')
    INTO now_state, horizon_state, then_state, aged_columns
    FROM unnest(t.state_columns) WITH ORDINALITY AS u(c, n);
    shared := skillrating_internal.past_shared_state(ladder, at, now_state, then_state, horizon_state, horizon, behind);
    -- Whose state is older than that time needs no events; OFFSET keeps it from being aged twice.
    RETURN format(
        'SELECT q.player_id, q.pool, skillrating.state_rating(l.model, q.state, l.params) AS rating,
            q.games, q.wins, q.draws, q.losses, q.last_played, q.fixed%2$s
        FROM %1$I.ladder AS l CROSS JOIN LATERAL (
            SELECT o.*, CASE WHEN l.params->>''period'' <> ''none'' THEN CASE WHEN o.fixed THEN o.own
                    ELSE skillrating_internal.state_in_period(l.model, o.own, %5$L, l.params) END
                ELSE skillrating.idle_state(l.model, o.own,
                CASE WHEN o.fixed THEN ''0'' ELSE greatest(%5$L - o.as_of, ''0'') END, l.params,
                s.state, CASE WHEN o.fixed OR s.fixed THEN ''0'' ELSE greatest(%5$L - s.as_of, ''0'') END) END AS state
            FROM (
                SELECT r.player_id, r.pool, r.games, r.wins, r.draws, r.losses, r.last_played,
                    r.as_of, r.fixed, %3$s AS own
                FROM %1$I.rating AS r WHERE r.pool = %6$L AND r.as_of <= %5$L AND %9$s
                UNION ALL
                SELECT r.player_id, r.pool, c.games + coalesce(h.games, 0), c.wins + coalesce(h.wins, 0),
                    c.draws + coalesce(h.draws, 0), c.losses + coalesce(h.losses, 0),
                    CASE WHEN e.seq IS NULL THEN h.last_played WHEN e.kind = ''reset'' THEN NULL
                        WHEN e.score IS NULL THEN e.last_played_before ELSE greatest(e.last_played_before, e.played_at) END,
                    CASE WHEN e.seq IS NULL THEN h.as_of
                        WHEN e.kind <> ''reset'' THEN greatest(e.last_played_before, e.as_of_before, e.played_at) END,
                    CASE WHEN e.seq IS NULL THEN h.fixed ELSE e.fixed END, CASE WHEN e.seq IS NULL THEN %12$s ELSE %4$s END
                FROM %1$I.rating AS r
                LEFT JOIN LATERAL (
                    SELECT e.* FROM %1$I.event AS e
                    WHERE e.player_id %7$s r.player_id AND e.pool = r.pool AND e.played_at <= %5$L AND e.seq > %11$s
                    ORDER BY e.seq DESC LIMIT 1) AS e ON true
                CROSS JOIN LATERAL (
                    SELECT max(s.seq) AS seq FROM %1$I.event AS s
                    WHERE s.player_id %7$s r.player_id AND s.pool = r.pool AND s.seq <= e.seq
                        AND s.seq > %11$s AND s.kind = ''reset'') AS z
                LEFT JOIN %10$s AS h ON h.player_id %7$s r.player_id AND h.pool = r.pool AND z.seq IS NULL
                CROSS JOIN LATERAL (
                    SELECT count(c.score) AS games, count(*) FILTER (WHERE c.score = 1) AS wins,
                        count(*) FILTER (WHERE c.score = 0.5) AS draws, count(*) FILTER (WHERE c.score = 0) AS losses
                    FROM %1$I.event AS c
                    WHERE c.player_id %7$s r.player_id AND c.pool = r.pool AND c.seq <= e.seq
                        AND c.seq > coalesce(z.seq, %11$s) AND c.seq > %11$s) AS c
                WHERE r.pool = %6$L AND (r.as_of > %5$L OR r.as_of IS NULL) AND %9$s
                    AND (e.seq IS NOT NULL OR h.player_id IS NOT NULL)
            ) AS o LEFT JOIN LATERAL (%8$s) AS s ON true
            OFFSET 0) AS q',
        ladder, aged_columns, now_state, then_state, at, pool, t.player_equals, shared, which,
        horizon, behind, horizon_state);
END
$function$;

COMMENT ON FUNCTION skillrating_internal.past_board(text, text, timestamptz, text, bigint) IS
'A query for the rows that rating had in a pool at a time, of the players r whom a condition names;
events up to the place last have no say. Error 55000 for a time before the horizon.';

CREATE FUNCTION skillrating_internal.board(
    ladder text,
    pool text,
    at timestamptz,
    min_games bigint DEFAULT 1,
    active_since timestamptz DEFAULT NULL,
    max_deviation float8 DEFAULT NULL,
    fixed boolean DEFAULT NULL,
    which text DEFAULT 'true',
    OUT rows text,
    OUT eligible text,
    OUT counted boolean,
    OUT provisional text)
LANGUAGE plpgsql STABLE
AS $function$
DECLARE
    t record := skillrating_internal.ladder_facts(ladder);
    deviation_column text := (SELECT m.deviation_column FROM skillrating.models(t.model, t.params) AS m);
BEGIN
    IF max_deviation IS NOT NULL AND deviation_column IS NULL THEN
        RAISE invalid_parameter_value USING
            MESSAGE = format('model "%s" of ladder "%s" has no deviation', t.model, ladder);
    END IF;
    provisional := skillrating_internal.provisional_expression(t.model, t.params);
    eligible := concat_ws(' AND ', format('r.pool = %L AND r.games >= %s', pool, min_games),
        'r.last_played >= ' || quote_literal(active_since),
        CASE WHEN max_deviation IS NOT NULL THEN format('r.%I <= %L', deviation_column, max_deviation) END,
        'r.fixed = ' || quote_literal(fixed));
    counted := at IS NULL AND min_games = 1 AND num_nonnulls(active_since, max_deviation, fixed) = 0
        AND skillrating_internal.has_table(ladder, 'rating_count');
    IF at IS NULL THEN
        rows := format('WITH board AS NOT MATERIALIZED (SELECT r.* FROM %I.rating AS r WHERE %s)', ladder, which);
        RETURN;
    END IF;
    PERFORM skillrating_internal.check_inside(ladder, 'event');
    rows := format('WITH board AS MATERIALIZED (%s)', skillrating_internal.past_board(ladder, pool, at, which));
END
$function$;

COMMENT ON FUNCTION skillrating_internal.board(text, text, timestamptz, bigint, timestamptz, float8, boolean, text) IS
'Parts of a query: its beginning, with relation board, the rows that rating has, or had in a pool at
a time, of the players r whom a condition names; whether a row r is eligible, whether the counts of
the ladder are those of this board, and whether r is provisional. Errors as leaderboard().';

CREATE FUNCTION skillrating_internal.leaderboard(
    ladder text,
    n integer DEFAULT 10,
    pool text DEFAULT NULL,
    min_games bigint DEFAULT 1,
    after_player anycompatible DEFAULT NULL,
    active_since timestamptz DEFAULT NULL,
    max_deviation float8 DEFAULT NULL,
    at timestamptz DEFAULT NULL,
    statistics text[] DEFAULT NULL,
    fixed boolean DEFAULT NULL)
RETURNS SETOF skillrating.ranked_player
LANGUAGE plpgsql STABLE
AS $function$
DECLARE
    t record := skillrating_internal.ladder_facts(ladder);
    b record := skillrating_internal.board(ladder, pool, at, min_games, active_since, max_deviation, fixed);
    statistics_columns text := 'NULL::float8, NULL::timestamptz, NULL::integer, NULL::float8, NULL::float8';
    page text := '';
    place text := 'rank() OVER (ORDER BY r.rating DESC)';
    further text := '';
    above bigint;
    at_least bigint;
    after text;
    after_rating float8;
BEGIN
    IF after_player IS NOT NULL THEN
        -- The page before may have ended with a row of an account that is merged.
        FOREACH after IN ARRAY ARRAY[after_player::text, skillrating_internal.counted_player(ladder, after_player::text)] LOOP
            EXECUTE format('%s SELECT r.rating FROM board AS r WHERE r.pool = %L AND r.player_id %s CAST(%L AS %s)',
                b.rows, pool, t.player_equals, after, t.player_type)
            INTO after_rating;
            EXIT WHEN after_rating IS NOT NULL;
        END LOOP;
        IF after_rating IS NULL THEN
            RAISE undefined_object USING
                MESSAGE = format('ladder "%s" has no player %s in pool "%s"', ladder, after_player, pool);
        END IF;
        EXECUTE format('%s SELECT c.above, c.at_least FROM (%s) AS c', b.rows,
            skillrating_internal.counts_query(ladder, pool, b.counted, b.eligible, '$1'))
        INTO above, at_least USING after_rating;
        -- Each part in the order of an index, however many share the rating.
        page := format(
            '(SELECT r.* FROM board AS r WHERE %s AND r.rating = $1 AND CAST(%L AS %s) %s r.player_id
            ORDER BY r.player_id LIMIT $2) UNION ALL ', b.eligible, after, t.player_type, t.player_less);
        further := ' AND r.rating < $1';
        place := format('CASE WHEN r.rating = $1 THEN 1 + %s ELSE %s + rank() OVER (PARTITION BY r.rating = $1 ORDER BY r.rating DESC) END',
            above, at_least);
    END IF;
    page := format(
        '(SELECT r.* FROM (%s(SELECT r.* FROM board AS r WHERE %s%s ORDER BY r.rating DESC, r.player_id LIMIT $2)) AS r
        ORDER BY r.rating DESC, r.player_id LIMIT $2) AS r', page, b.eligible, further);
    IF statistics IS NOT NULL THEN
        page := format('(SELECT r.*, %s AS place FROM %s) AS r %s', place, page,
            skillrating_internal.statistics_join(ladder, statistics, pool, at, b.eligible, b.counted));
        place := 'r.place';
        statistics_columns := 's.peak, s.peak_at, s.streak, s.last_change, s.percentile';
    END IF;
    RETURN QUERY EXECUTE format(
        '%s SELECT %s, r.player_id::text, r.rating, r.games, r.wins, r.draws, r.losses, r.last_played, %s, %s
        FROM %s
        ORDER BY r.rating DESC, r.player_id', b.rows, place, b.provisional, statistics_columns, page)
    USING after_rating, n;
END
$function$;

COMMENT ON FUNCTION skillrating_internal.leaderboard(text, integer, text, bigint, anycompatible, timestamptz, float8, timestamptz, text[], boolean) IS
'The n players with the highest displayed rating in a pool, among those with at least min_games
rated matches, the last one not before active_since, and a deviation of no more than max_deviation;
by fixed, those who are, as bots and puzzles (see set_fixed()), or who are not; equal ratings share
a place. after_player is the last player of the page before; an account that was merged meanwhile,
and has no row any more, stands for the player it is merged into.

Without at, ratings and deviations are those that are stored, as of the last match or operation,
read through an index. With at they are those of that time, past or future, from the events up to
then in rated order and idle time since, and so are games and last_played. That computes all players
of the pool, and takes SELECT on event too.
statistics: which of the last columns of the result to fill: peak (with peak_at), streak,
last_change and percentile. All but the last take SELECT on event, too.
pool: the only one of the ladder by default. A ladder without a rating has an empty board.
Errors: 42704 for an unknown ladder, player or pool, 22023 for a negative n or min_games or a
max_deviation under a model that has none, for unknown statistics, or without a pool where there are
several, 22008 for an infinite at.';

CREATE FUNCTION skillrating_internal.place_of(
    ladder text,
    player_id anycompatible,
    pool text DEFAULT NULL,
    min_games bigint DEFAULT 1,
    active_since timestamptz DEFAULT NULL,
    max_deviation float8 DEFAULT NULL,
    at timestamptz DEFAULT NULL,
    fixed boolean DEFAULT NULL,
    OUT place bigint,
    OUT percentile float8)
LANGUAGE plpgsql STABLE
AS $function$
DECLARE
    t record := skillrating_internal.ladder_facts(ladder);
    b record := skillrating_internal.board(ladder, pool, at, min_games, active_since, max_deviation, fixed);
    player_rating float8;
BEGIN
    EXECUTE format('%s SELECT r.rating FROM board AS r WHERE %s AND r.player_id %s CAST(%L AS %s)', b.rows, b.eligible,
        t.player_equals, skillrating_internal.counted_player(ladder, player_id::text), t.player_type)
    INTO player_rating;
    IF player_rating IS NULL THEN
        RETURN;
    END IF;
    EXECUTE format(
        '%s SELECT 1 + c.above, 100 * (c.total - c.at_least + (c.at_least - c.above - 1) / 2.0) / nullif(c.total - 1, 0)
        FROM (%s) AS c', b.rows, skillrating_internal.counts_query(ladder, pool, b.counted, b.eligible, '$1'))
    INTO place, percentile USING player_rating;
END
$function$;

COMMENT ON FUNCTION skillrating_internal.place_of(text, anycompatible, text, bigint, timestamptz, float8, timestamptz, boolean) IS
'The place of a player in the leaderboard with the same conditions and time, 1 is first and equal
ratings share a place, and the percentile: how many percent of the other players there are rated
lower, equals counted half; null for a player who is alone. Both are null for a player who is not in
it. Without at, it counts through an index. An account that is merged counts as the player it is
merged into. Errors as for leaderboard().';

CREATE FUNCTION skillrating_internal.around(
    ladder text,
    player_id anycompatible,
    n integer DEFAULT 2,
    pool text DEFAULT NULL,
    min_games bigint DEFAULT 1,
    active_since timestamptz DEFAULT NULL,
    max_deviation float8 DEFAULT NULL,
    at timestamptz DEFAULT NULL,
    statistics text[] DEFAULT NULL,
    fixed boolean DEFAULT NULL)
RETURNS SETOF skillrating.ranked_player
LANGUAGE plpgsql STABLE
AS $function$
DECLARE
    t record := skillrating_internal.ladder_facts(ladder);
    b record := skillrating_internal.board(ladder, pool, at, min_games, active_since, max_deviation, fixed);
    above bigint;
    last text;
BEGIN
    -- The index backwards from the player, however many share the rating: the page begins behind the
    -- last of one more than are wanted.
    EXECUTE format(
        '%1$s SELECT a.n, a.last
        FROM (SELECT r.* FROM board AS r WHERE %2$s AND r.player_id %4$s CAST(%5$L AS %6$s)) AS p
        CROSS JOIN LATERAL (
            SELECT count(*) AS n, (array_agg(u.player_id::text ORDER BY u.rating DESC, u.player_id))[1] AS last
            FROM (
                (SELECT r.* FROM board AS r WHERE %2$s AND r.rating = p.rating AND r.player_id %3$s p.player_id
                ORDER BY r.player_id DESC LIMIT $1)
                UNION ALL
                (SELECT r.* FROM board AS r WHERE %2$s AND r.rating > p.rating ORDER BY r.rating, r.player_id DESC LIMIT $1)
                ORDER BY rating, player_id DESC LIMIT $1) AS u) AS a',
        b.rows, b.eligible, t.player_less, t.player_equals, skillrating_internal.counted_player(ladder, player_id::text),
        t.player_type)
    INTO above, last USING n + 1::bigint;
    IF above IS NOT NULL THEN
        RETURN QUERY SELECT l.* FROM skillrating_internal.leaderboard(ladder, least(least(above, n) + 1 + n, 2147483647)::integer, pool,
            min_games, CASE WHEN above > n THEN last END, active_since, max_deviation, at, statistics, fixed) AS l;
    END IF;
END
$function$;

COMMENT ON FUNCTION skillrating_internal.around(text, anycompatible, integer, text, bigint, timestamptz, float8, timestamptz, text[], boolean) IS
'A player in the leaderboard with the same conditions and time, with the n players above and the n
below; no rows for a player who is not in it. An account that is merged counts as the player it is
merged into. Errors as for leaderboard().';

CREATE FUNCTION skillrating_internal.player_status(
    ladder text,
    pool text DEFAULT NULL,
    at timestamptz DEFAULT NULL,
    shadow_games integer DEFAULT NULL,
    stale_days integer DEFAULT 30,
    player anycompatible DEFAULT NULL,
    OUT player_id text,
    OUT rating float8,
    OUT games bigint,
    OUT last_played timestamptz,
    OUT status text)
RETURNS SETOF record
LANGUAGE plpgsql STABLE
AS $function$
DECLARE
    t record := skillrating_internal.ladder_facts(ladder);
    b record := skillrating_internal.board(ladder, pool, at, which => CASE WHEN player IS NULL THEN 'true'
        ELSE format('r.player_id %s CAST(%L AS %s)', t.player_equals,
            skillrating_internal.counted_player(ladder, player::text), t.player_type) END);
BEGIN
    RETURN QUERY EXECUTE format(
        '%s SELECT r.player_id::text, r.rating, r.games, r.last_played,
            skillrating.synelo_status(r.games, r.last_played, coalesce($1, now()),
                coalesce($2, (l.params->>''shadow_games'')::float8::integer, 10), $3)
        FROM %I.ladder AS l CROSS JOIN board AS r WHERE %s', b.rows, ladder, b.eligible)
    USING at, shadow_games, stale_days;
END
$function$;

COMMENT ON FUNCTION skillrating_internal.player_status(text, text, timestamptz, integer, integer, anycompatible) IS
'Which ratings of a pool to show, of all players or of one: status is ''shadow'' for players with
fewer than shadow_games matches (by default the parameter shadow_games of the model, or else 10),
''stale'' for those who have not played for stale_days days, else ''visible'' (the rule of SynElo).
Without at the ratings are those that are stored, and days are counted to now; with at all is as of
that time, as in leaderboard(), and takes SELECT on event too. pool and errors are those of
leaderboard().';

CREATE FUNCTION skillrating_internal.surprising_players(
    ladder text,
    pool text DEFAULT NULL,
    since timestamptz DEFAULT '-infinity',
    min_games bigint DEFAULT 5,
    OUT player_id text,
    OUT games bigint,
    OUT expected float8,
    OUT scored float8,
    OUT mean_surprise float8,
    OUT surprise float8)
RETURNS SETOF record
LANGUAGE plpgsql STABLE STRICT
AS $function$
BEGIN
    PERFORM skillrating_internal.ladder_facts(ladder);
    RETURN QUERY EXECUTE format(
        'SELECT s.player_id::text, s.games, s.expected, s.scored, s.surplus / s.games,
            s.surplus / nullif(sqrt(s.variance), 0)
        FROM (
            SELECT e.player_id, count(*) AS games, sum(e.win_probability) AS expected,
                sum(e.score) AS scored, sum(e.score - e.win_probability) AS surplus,
                sum(e.win_probability * (1 - e.win_probability)) AS variance
            FROM %I.event AS e
            WHERE e.kind = ''match'' AND e.pool = $1 AND e.played_at >= $2
            GROUP BY e.player_id
            HAVING count(*) >= $3) AS s
        ORDER BY 6 DESC NULLS LAST, 1', ladder)
    USING pool, since, min_games;
END
$function$;

COMMENT ON FUNCTION skillrating_internal.surprising_players(text, text, timestamptz, bigint) IS
'Who scores more than predicted, such as good players under a new account: for each player of a pool
with at least min_games matches since then, games, the wins expected and scored (a draw counts
half), mean_surprise, the mean of score less prediction, and surprise, its z score, as the aggregate
surprise() has it. Beyond 3 it is worth a look, and far below 0 of one who loses on purpose. pool
and errors are those of leaderboard().';

CREATE FUNCTION skillrating_internal.pool_quality(
    ladder text,
    pool text DEFAULT NULL,
    step text DEFAULT 'month',
    since timestamptz DEFAULT '-infinity',
    OUT period timestamptz,
    OUT matches bigint,
    OUT brier_score float8,
    OUT log_loss float8,
    OUT calibration_z float8,
    OUT active_players bigint,
    OUT mean_rating float8,
    OUT rating_spread float8,
    OUT established float8)
RETURNS SETOF record
LANGUAGE plpgsql STABLE STRICT
AS $function$
DECLARE
    t record := skillrating_internal.ladder_facts(ladder);
    deviation_column text := (SELECT m.deviation_column FROM skillrating.models(t.model, t.params) AS m);
BEGIN
    PERFORM skillrating_internal.check_choice('step', step, 'day', 'week', 'month', 'quarter', 'year');
    RETURN QUERY EXECUTE format(
        'WITH e AS NOT MATERIALIZED (
            -- A period that would begin before all timestamps begins at -infinity.
            SELECT e.*, CASE WHEN e.played_at >= ''4712-01-01 BC'' THEN date_trunc($3, e.played_at) ELSE ''-infinity'' END AS period
            FROM %1$I.event AS e WHERE e.kind = ''match'' AND e.pool = $1 AND e.played_at >= $2
        ), forecast AS (
            -- One a match: the others of two teams say the same.
            SELECT DISTINCT ON (e.seq) e.period, e.win_probability AS p, e.score AS y FROM e ORDER BY e.seq, e.team
        ), scores AS (
            SELECT f.period, count(*) AS matches,
                skillrating.brier_score(f.p, f.y) AS brier,
                skillrating.log_loss(f.p, f.y) AS log_loss,
                sum((1 - 2 * f.p) * (f.y - f.p)) / nullif(sqrt(sum(((1 - 2 * f.p) * (f.y - f.p)) ^ 2)), 0) AS z
            FROM forecast AS f GROUP BY f.period
        ), last AS (
            -- As the table of ratings would have them then.
            SELECT DISTINCT ON (e.period, e.player_id) e.period, %2$s AS rating, NOT (
                SELECT %3$s FROM (SELECT e.games_before + 1 AS games%4$s) AS r) AS established
            FROM e ORDER BY e.period, e.player_id, e.seq DESC
        ), players AS (
            SELECT l.period, count(*) AS n, avg(l.rating) AS mean, stddev_samp(l.rating) AS deviation, avg(l.established::integer)::float8 AS established
            FROM last AS l GROUP BY l.period
        )
        SELECT s.period, s.matches, s.brier, s.log_loss, s.z, p.n, p.mean, p.deviation, p.established
        FROM scores AS s JOIN players AS p ON p.period = s.period ORDER BY s.period', ladder,
        skillrating_internal.display_expression(t.model, t.params, 'e.', '_after'), skillrating_internal.provisional_expression(t.model, t.params),
        CASE WHEN deviation_column IS NOT NULL THEN format(', e.%I AS %I', deviation_column || '_after', deviation_column) END)
    USING pool, since, step;
END
$function$;

COMMENT ON FUNCTION skillrating_internal.pool_quality(text, text, text, timestamptz) IS
'How a pool fares over time, a row a period: matches; Brier score and log loss of their predictions,
one a match (0.25 and 0.693 are those of a coin); the z score of the Brier score against what the
predictions p expect of themselves, the sum of (1 - 2p)(score - p) over the root of the sum of its
squares (beyond 2: overconfident; below -2: too timid); the players active in it, the mean of their
displayed ratings after their last match (that rises: inflation) and their spread, a standard
deviation; and the share of them whose rating is established, not provisional as leaderboard() has
it. step is day, week, month, quarter or year, in UTC. pool and its errors are those of
leaderboard(); 22023 for another step.';
