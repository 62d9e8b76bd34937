"""A small back end on a ladder, with psycopg 3: report, lobby, leaderboard, correction.

The PG* variables lead to a database that setup.sql has prepared.  Identifiers are strings,
as the functions of a ladder return them; integers can be sent too.  A program that serves many
requests at once takes its connections from psycopg_pool.
"""

import datetime
import json
import pathlib
import random
import time

import psycopg
from psycopg.rows import dict_row

MAX_ATTEMPTS = 8
# Without prepared statements it also works through PgBouncer, whose transactions of one client go
# through several connections.
connection = psycopg.connect(user="back_end", autocommit=True, prepare_threshold=None, row_factory=dict_row)


def query(statement, *arguments):
    return connection.execute(statement, arguments).fetchall()


def transact(work, *arguments):
    """Run work() in a transaction, again if other transactions were in the way."""
    for attempt in range(1, MAX_ATTEMPTS + 1):
        try:
            with connection.transaction():
                return work(*arguments)
        except (psycopg.errors.SerializationFailure, psycopg.errors.DeadlockDetected):
            if attempt == MAX_ATTEMPTS:
                raise
        time.sleep(random.random() * 0.02 * attempt)


# ---- Report ----


def report(game):
    """A game counts once, however often it is reported under its identifier."""
    connection.execute(
        "INSERT INTO site.game (game_id, map) VALUES (%s, %s) ON CONFLICT DO NOTHING",
        (game["game_id"], game["map"]))
    players = [(player, number, team["rank"])
               for number, team in enumerate(game["teams"], 1) for player in team["players"]]
    return query(
        """SELECT player_id, round(rating_before)::int AS before, round(rating_after)::int AS after, outcome, reason
           FROM skillrating.report_match('arena', match_id => %s, players => %s, team => %s, rank => %s, played_at => %s)""",
        game["game_id"], [p[0] for p in players], [p[1] for p in players], [p[2] for p in players],
        datetime.datetime.fromisoformat(game["played_at"].replace("Z", "+00:00")))


def tell_report(game):
    rows = transact(report, game)
    reason = rows[0]["reason"]
    print(f"report {game['game_id'][-1]}: {rows[0]['outcome']}{', ' + reason if reason else ''}")
    for row in rows:
        print(f"  {row['player_id']} {row['before']} -> {row['after']}")


# ---- Lobby ----


def tell_lobby(ids):
    """The most even teams, and what a game between them would bring."""
    split = query("SELECT player_id, team FROM skillrating.split_teams(skillrating.lobby('arena', %s)) ORDER BY team, player_id", ids)
    print("lobby:")
    for row in query(
            """SELECT player_id, team, round(100 * win_probability)::int AS chance, round(win_change)::int AS win, round(loss_change)::int AS loss
               FROM skillrating.preview('arena', %s, %s)""",
            [row["player_id"] for row in split], [row["team"] for row in split]):
        print(f"  team {row['team']} ({row['chance']} %): {row['player_id']} +{row['win']} {row['loss']}")


# ---- Leaderboard ----


def tell_leaderboard(n, after):
    """A page of the board; the next one begins after its last player."""
    rows = query(
        "SELECT place, player_id, round(rating)::int AS rating, games FROM skillrating.leaderboard('arena', %s, after_player => %s)",
        n, after)
    for row in rows:
        print(f"  {row['place']}. {row['player_id']} {row['rating']} ({row['games']} games)")
    return rows[-1]["player_id"] if rows else None


# ---- Correction ----


def as_owner(statement):
    """What only the owner may do.  A scheduler would call catch_up() now and then."""
    connection.execute("SET LOCAL ROLE arena_owner")
    return query(statement)[0]


# ---- The story ----


def main():
    games = json.loads(pathlib.Path(__file__).with_name("games.json").read_text())
    for game in games:
        tell_report(game)
    tell_report(games[0])
    tell_lobby([str(76561190000000002 + i) for i in range(6)])
    print("leaderboard:")
    last = tell_leaderboard(4, None)
    print("next page:")
    tell_leaderboard(4, last)

    print("the second game was won by the others:")
    first, second = games[1]["teams"]
    tell_report({**games[1], "teams": [{**first, "rank": 2}, {**second, "rank": 1}]})
    changed = transact(as_owner, "SELECT count(*) AS players FROM skillrating.catch_up('arena')")
    print(f"catch up: {changed['players']} players")
    print("leaderboard:")
    tell_leaderboard(10, None)

    connection.close()


main()
