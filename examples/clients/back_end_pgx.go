// A small back end on a ladder, with pgx: report, lobby, leaderboard, correction.
//
// The PG* variables lead to a database that setup.sql has prepared.  Identifiers are
// strings, as the functions of a ladder return them: pgx asks the server for the type of each
// parameter, and gets text for one that can have any.  Send an int64 to $1::bigint.
package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log"
	"math/rand"
	"os"
	"time"

	"github.com/jackc/pgconn"
	"github.com/jackc/pgx/v4"
	"github.com/jackc/pgx/v4/pgxpool"
)

const maxAttempts = 8

type team struct {
	Rank    int32    `json:"rank"`
	Players []string `json:"players"`
}

type game struct {
	ID       string    `json:"game_id"`
	PlayedAt time.Time `json:"played_at"`
	Map      string    `json:"map"`
	Teams    []team    `json:"teams"`
}

var (
	ctx  = context.Background()
	pool *pgxpool.Pool
)

func isError(err error, codes ...string) bool {
	var failure *pgconn.PgError
	if errors.As(err, &failure) {
		for _, code := range codes {
			if failure.Code == code {
				return true
			}
		}
	}
	return false
}

// Run work in a transaction, again if other transactions were in the way: 40001 is a failure to
// serialize, 40P01 a deadlock.
func transact(work func(pgx.Tx) error) error {
	for attempt := 1; ; attempt++ {
		err := pool.BeginFunc(ctx, work)
		if !isError(err, "40001", "40P01") || attempt == maxAttempts {
			return err
		}
		time.Sleep(time.Duration(rand.Intn(20*attempt)) * time.Millisecond)
	}
}

func check(err error) {
	if err != nil {
		log.Fatal(err)
	}
}

// ---- Report ----

type rated struct {
	player        string
	before, after int32
	outcome       string
	reason        *string
}

// A game counts once, however often it is reported under its identifier.
func report(g game) (result []rated, err error) {
	var players []string
	var numbers, ranks []int32
	for t, team := range g.Teams {
		for _, player := range team.Players {
			players = append(players, player)
			numbers = append(numbers, int32(t+1))
			ranks = append(ranks, team.Rank)
		}
	}
	err = transact(func(tx pgx.Tx) error {
		result = nil
		_, err := tx.Exec(ctx, "INSERT INTO site.game (game_id, map) VALUES ($1, $2) ON CONFLICT DO NOTHING", g.ID, g.Map)
		if err != nil {
			return err
		}
		var r rated
		_, err = tx.QueryFunc(ctx,
			`SELECT player_id, round(rating_before)::int, round(rating_after)::int, outcome, reason
			FROM skillrating.report_match('arena', match_id => $1, players => $2, team => $3, rank => $4, played_at => $5)`,
			[]interface{}{g.ID, players, numbers, ranks, g.PlayedAt},
			[]interface{}{&r.player, &r.before, &r.after, &r.outcome, &r.reason},
			func(pgx.QueryFuncRow) error {
				result = append(result, r)
				return nil
			})
		return err
	})
	return result, err
}

func tellReport(g game) {
	rows, err := report(g)
	check(err)
	reason := ""
	if rows[0].reason != nil {
		reason = ", " + *rows[0].reason
	}
	fmt.Printf("report %s: %s%s\n", g.ID[len(g.ID)-1:], rows[0].outcome, reason)
	for _, row := range rows {
		fmt.Printf("  %s %d -> %d\n", row.player, row.before, row.after)
	}
}

// ---- Lobby ----

// The most even teams, and what a game between them would bring.
func tellLobby(ids []string) {
	var players []string
	var teams []int32
	var player string
	var number, chance, win, loss int32
	_, err := pool.QueryFunc(ctx,
		"SELECT player_id, team FROM skillrating.split_teams(skillrating.lobby('arena', $1)) ORDER BY team, player_id",
		[]interface{}{ids}, []interface{}{&player, &number}, func(pgx.QueryFuncRow) error {
			players = append(players, player)
			teams = append(teams, number)
			return nil
		})
	check(err)
	fmt.Println("lobby:")
	_, err = pool.QueryFunc(ctx,
		`SELECT player_id, team, round(100 * win_probability)::int, round(win_change)::int, round(loss_change)::int
		FROM skillrating.preview('arena', $1, $2)`,
		[]interface{}{players, teams}, []interface{}{&player, &number, &chance, &win, &loss}, func(pgx.QueryFuncRow) error {
			fmt.Printf("  team %d (%d %%): %s +%d %d\n", number, chance, player, win, loss)
			return nil
		})
	check(err)
}

// ---- Leaderboard ----

// A page of the board; the next one begins after its last player.
func tellLeaderboard(n int32, after *string) *string {
	var place, games int64
	var player string
	var rating int32
	_, err := pool.QueryFunc(ctx,
		"SELECT place, player_id, round(rating)::int, games FROM skillrating.leaderboard('arena', $1, after_player => $2)",
		[]interface{}{n, after}, []interface{}{&place, &player, &rating, &games}, func(pgx.QueryFuncRow) error {
			fmt.Printf("  %d. %s %d (%d games)\n", place, player, rating, games)
			return nil
		})
	check(err)
	return &player
}

// ---- Correction ----

// What only the owner may do.  A scheduler would call catch_up() now and then.
func asOwner(query string, result ...interface{}) {
	check(transact(func(tx pgx.Tx) error {
		if _, err := tx.Exec(ctx, "SET LOCAL ROLE arena_owner"); err != nil {
			return err
		}
		return tx.QueryRow(ctx, query).Scan(result...)
	}))
}

// ---- The story ----

func main() {
	// Without prepared statements it also works through PgBouncer, whose transactions of one client
	// go through several connections.
	config, err := pgxpool.ParseConfig("user=back_end statement_cache_mode=describe")
	check(err)
	config.MaxConns = 4
	pool, err = pgxpool.ConnectConfig(ctx, config)
	check(err)
	defer pool.Close()
	var games []game
	text, err := os.ReadFile(os.Args[1])
	check(err)
	check(json.Unmarshal(text, &games))
	for _, g := range games {
		tellReport(g)
	}
	tellReport(games[0])
	var ids []string
	for i := int64(0); i < 6; i++ {
		ids = append(ids, fmt.Sprint(76561190000000002+i))
	}
	tellLobby(ids)
	fmt.Println("leaderboard:")
	last := tellLeaderboard(4, nil)
	fmt.Println("next page:")
	tellLeaderboard(4, last)

	fmt.Println("the second game was won by the others:")
	games[1].Teams[0].Rank, games[1].Teams[1].Rank = 2, 1
	tellReport(games[1])
	var changed int64
	asOwner("SELECT count(*) FROM skillrating.catch_up('arena')", &changed)
	fmt.Printf("catch up: %d players\n", changed)
	fmt.Println("leaderboard:")
	tellLeaderboard(10, nil)

}
