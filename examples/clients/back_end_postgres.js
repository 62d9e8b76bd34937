// A small back end on a ladder, with postgres.js: report, lobby, leaderboard, correction.
//
// The PG* variables lead to a database that setup.sql has prepared.  Identifiers are strings, as
// the functions of a ladder return them: a number of JavaScript cannot hold a SteamID64.

'use strict';

const fs = require('fs');
const postgres = require('postgres');

const MAX_ATTEMPTS = 8;
// Without prepared statements it also works through PgBouncer, whose transactions of one client go
// through several connections.
const pool = postgres({ host: process.env.PGHOST, user: 'back_end', max: 4, prepare: false, onnotice: () => {} });

// Run work(sql) in a transaction, again if other transactions were in the way: 40001 is a failure
// to serialize, 40P01 a deadlock.
async function transact(work) {
  for (let attempt = 1; ; attempt++) {
    try {
      return await pool.begin(work);
    } catch (error) {
      if (!['40001', '40P01'].includes(error.code) || attempt === MAX_ATTEMPTS) throw error;
    }
    await new Promise((resolve) => setTimeout(resolve, Math.random() * 20 * attempt));
  }
}

// The players of teams and the numbers of their teams, as arrays.
const players = (teams) => teams.flatMap((team) => team.players);
const numbers = (teams) => teams.flatMap((team, t) => team.players.map(() => t + 1));

// ---- Report ----

// A game counts once, however often it is reported under its identifier.
function report(game) {
  return transact(async (sql) => {
    await sql`INSERT INTO site.game (game_id, map) VALUES (${game.game_id}, ${game.map}) ON CONFLICT DO NOTHING`;
    return sql`
      SELECT player_id, round(rating_before)::int AS before, round(rating_after)::int AS after, outcome, reason
      FROM skillrating.report_match('arena', match_id => ${game.game_id}, players => ${players(game.teams)},
        team => ${numbers(game.teams)}, rank => ${game.teams.flatMap((team) => team.players.map(() => team.rank))},
        played_at => ${game.played_at})`;
  });
}

async function tellReport(game) {
  const rows = await report(game);
  console.log(`report ${game.game_id.slice(-1)}: ${rows[0].outcome}${rows[0].reason ? `, ${rows[0].reason}` : ''}`);
  for (const row of rows) console.log(`  ${row.player_id} ${row.before} -> ${row.after}`);
}

// ---- Lobby ----

// The most even teams, and what a game between them would bring.
async function tellLobby(ids) {
  const split = await pool`SELECT player_id, team FROM skillrating.split_teams(skillrating.lobby('arena', ${ids})) ORDER BY team, player_id`;
  const rows = await pool`
    SELECT player_id, team, round(100 * win_probability)::int AS chance, round(win_change)::int AS win, round(loss_change)::int AS loss
    FROM skillrating.preview('arena', ${split.map((row) => row.player_id)}, ${split.map((row) => row.team)})`;
  console.log('lobby:');
  for (const row of rows) console.log(`  team ${row.team} (${row.chance} %): ${row.player_id} +${row.win} ${row.loss}`);
}

// ---- Leaderboard ----

// A page of the board; the next one begins after its last player.
async function tellLeaderboard(n, after) {
  const rows = await pool`
    SELECT place, player_id, round(rating)::int AS rating, games FROM skillrating.leaderboard('arena', ${n}, after_player => ${after})`;
  for (const row of rows) console.log(`  ${row.place}. ${row.player_id} ${row.rating} (${row.games} games)`);
  return rows.at(-1)?.player_id;
}

// ---- Correction ----

// What only the owner may do.  A scheduler would call catch_up() now and then.
function asOwner(query) {
  return transact(async (sql) => {
    await sql`SET LOCAL ROLE arena_owner`;
    return (await query(sql))[0];
  });
}

// ---- The story ----

async function main() {
  const games = JSON.parse(fs.readFileSync(`${__dirname}/games.json`, 'utf8'));
  for (const game of games) await tellReport(game);
  await tellReport(games[0]);
  await tellLobby([...Array(6).keys()].map((i) => String(76561190000000002n + BigInt(i))));
  console.log('leaderboard:');
  const last = await tellLeaderboard(4, null);
  console.log('next page:');
  await tellLeaderboard(4, last);

  console.log('the second game was won by the others:');
  const [first, second] = games[1].teams;
  await tellReport({ ...games[1], teams: [{ ...first, rank: 2 }, { ...second, rank: 1 }] });
  const { players: changed } = await asOwner((sql) => sql`SELECT count(*) AS players FROM skillrating.catch_up('arena')`);
  console.log(`catch up: ${changed} players`);
  console.log('leaderboard:');
  await tellLeaderboard(10, null);

  await pool.end();
}

main().catch((error) => {
  console.error(error);
  process.exit(1);
});
