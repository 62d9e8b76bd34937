-- What a careful back end would write by hand: team Elo in a PL/pgSQL statement
-- trigger that locks in order, rates each match once and keeps history.

CREATE SCHEMA handmade;

CREATE TABLE handmade.match (LIKE arena.match INCLUDING ALL);

CREATE TABLE handmade.match_player (
    LIKE arena.match_player INCLUDING ALL,
    FOREIGN KEY (match_id) REFERENCES handmade.match ON DELETE CASCADE);

CREATE TABLE handmade.rating (LIKE arena.rating INCLUDING ALL);

CREATE TABLE handmade.event (LIKE arena.event INCLUDING ALL);
CREATE SEQUENCE handmade.event_seq OWNED BY handmade.event.seq;

CREATE TABLE handmade.rated_match (LIKE arena.rated_match INCLUDING ALL);

CREATE FUNCTION handmade.rate()
RETURNS trigger
LANGUAGE plpgsql
SET search_path = pg_catalog, pg_temp
AS $function$
DECLARE
    this record;
    next_seq bigint;
BEGIN
    INSERT INTO handmade.rating (player_id, rating)
    SELECT DISTINCT n.player_id, 1500
    FROM new_rows AS n
    ORDER BY n.player_id
    ON CONFLICT DO NOTHING;

    PERFORM FROM handmade.rating AS r
    WHERE r.player_id IN (SELECT n.player_id FROM new_rows AS n)
    ORDER BY r.player_id
    FOR NO KEY UPDATE;

    FOR this IN
        SELECT DISTINCT m.match_id, m.played_at
        FROM new_rows AS n
        JOIN handmade.match AS m USING (match_id)
        WHERE NOT EXISTS (SELECT FROM handmade.rated_match AS d WHERE d.match_id = m.match_id)
        ORDER BY m.played_at, m.match_id
    LOOP
        next_seq := nextval('handmade.event_seq');
        INSERT INTO handmade.rated_match (match_id, status, digest, seq, played_at)
        VALUES (this.match_id, 'rated', 0, next_seq, this.played_at);

        WITH player AS (
            SELECT n.player_id, n.team, n.rank, r.rating, r.games, r.last_played,
                avg(r.rating) OVER (PARTITION BY n.team) AS team_rating,
                sum(r.rating) OVER () AS all_rating,
                sum(r.rating) OVER (PARTITION BY n.team) AS own_rating,
                count(*) OVER () - count(*) OVER (PARTITION BY n.team) AS opponents,
                min(n.rank) OVER () AS best_rank,
                max(n.rank) OVER () AS worst_rank
            FROM new_rows AS n
            JOIN handmade.rating AS r USING (player_id)
            WHERE n.match_id = this.match_id
        ), expected AS (
            SELECT p.player_id, p.team, p.rating, p.games, p.last_played,
                CASE
                    WHEN p.best_rank = p.worst_rank THEN 0.5
                    WHEN p.rank = p.best_rank THEN 1
                    ELSE 0
                END::float8 AS score,
                1 / (1 + 10 ^ (((p.all_rating - p.own_rating) / p.opponents - p.team_rating) / 400)) AS probability
            FROM player AS p
        ), history AS (
            INSERT INTO handmade.event (seq, match_id, player_id, team, games_before, played_at, last_played_before, score,
                win_probability, rating_before, rating_after)
            SELECT next_seq, this.match_id, e.player_id, e.team, e.games, this.played_at, e.last_played, e.score,
                e.probability, e.rating, e.rating + 32 * (e.score - e.probability)
            FROM expected AS e
            RETURNING player_id, rating_after, score
        )
        UPDATE handmade.rating AS r
        SET rating = h.rating_after,
            games = r.games + 1,
            wins = r.wins + (h.score = 1)::int,
            draws = r.draws + (h.score = 0.5)::int,
            losses = r.losses + (h.score = 0)::int,
            last_played = greatest(r.last_played, this.played_at)
        FROM history AS h
        WHERE r.player_id = h.player_id;
    END LOOP;
    RETURN NULL;
END
$function$;

CREATE TRIGGER rate AFTER INSERT ON handmade.match_player
REFERENCING NEW TABLE AS new_rows
FOR EACH STATEMENT EXECUTE FUNCTION handmade.rate();
