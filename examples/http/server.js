// A ladder over HTTP: what a game server asks for (update, scramble, player, preview), what an
// administrator does (admin), and a leaderboard for everybody.
//
// Every request of a game server or an administrator carries a secret, which decides the role
// that the request runs as.  The database decides what that role may do.
//
//   PGHOST, PGPORT, PGDATABASE, PGUSER  the database, as game_http
//   GAME_SECRET, ADMIN_SECRET           what the header "x-secret" must be
//   PORT                                where to listen, on loopback (default 8080)

'use strict';

const crypto = require('crypto');
const http = require('http');
const { Pool } = require('pg');

const MAX_BODY = 1 << 20;
const MAX_ATTEMPTS = 8;

// Identifiers and counts are bigint, and strings in JSON: a number in JavaScript holds no SteamID64.
const pool = new Pool({
  max: 16,
  connectionTimeoutMillis: 5000,
  options: '-c statement_timeout=10s -c idle_in_transaction_session_timeout=10s',
});
pool.on('error', (error) => console.error(`connection lost: ${error.message}`));

const digest = (text) => crypto.createHash('sha256').update(text).digest();
const roles = [
  { name: 'game_server', secret: process.env.GAME_SECRET },
  { name: 'game_admin', secret: process.env.ADMIN_SECRET },
].filter((role) => role.secret).map((role) => ({ name: role.name, digest: digest(role.secret) }));

class Refusal extends Error {
  constructor(status, message) {
    super(message);
    this.status = status;
  }
}

// The role of a secret.  All secrets are compared, in constant time.
function roleOf(secret) {
  const given = digest(secret || '');
  const found = roles.filter((role) => crypto.timingSafeEqual(role.digest, given));
  return found.length > 0 ? found[0].name : 'game_reader';
}

// Run work(client) in a transaction as a role, again if others were in the way.
async function transact(role, work) {
  for (let attempt = 1; ; attempt++) {
    const client = await pool.connect();
    let broken;
    try {
      await client.query('BEGIN');
      await client.query(`SET LOCAL ROLE ${role}`);
      const result = await work(client);
      await client.query('COMMIT');
      return result;
    } catch (error) {
      broken = !error.code || /^(08|57P)/.test(error.code) ? error : undefined;
      await client.query('ROLLBACK').catch((lost) => { broken = lost; });
      if (!['40001', '40P01'].includes(error.code) || attempt === MAX_ATTEMPTS) throw error;
    } finally {
      client.release(broken);
    }
    await new Promise((resolve) => setTimeout(resolve, Math.random() * 20 * attempt));
  }
}

// ---- What is sent ----

function check(condition, message) {
  if (!condition) throw new Refusal(400, message);
}

function checkId(id) {
  check(typeof id === 'string' || Number.isSafeInteger(id),
    'a player must be a string: numbers of that size are rounded on the way');
  return id;
}

function checkArray(value, name) {
  check(Array.isArray(value), `${name} must be an array`);
  return value;
}

// ---- What can be asked for ----

// {"round", "played_at", "server", "map", "teams": [{"rank", "players": [{"id", "weight"}]}]}.
// The round's name makes it safe to send again: an update counts once.
async function update(client, body) {
  const { round, server, map, played_at: playedAt } = body;
  check(typeof round === 'string', 'round must be a string');
  const players = checkArray(body.teams, 'teams').flatMap((team, t) => {
    check(team !== null && typeof team === 'object', 'a team must be an object');
    return checkArray(team.players, 'players').map((player) => {
      check(player !== null && typeof player === 'object', 'a player must be an object with an id');
      return { id: checkId(player.id), team: t + 1, rank: team.rank, weight: player.weight };
    });
  });
  await client.query(
    'INSERT INTO site.round (match_id, server, map) VALUES ($1, $2, $3) ON CONFLICT DO NOTHING',
    [round, server, map]);
  const rows = await client.query(
    `SELECT * FROM skillrating.report_match('rounds', match_id => $1, players => $2, team => $3,
       rank => $4, weight => $5, played_at => $6)`,
    [round, players.map((p) => p.id), players.map((p) => p.team), players.map((p) => p.rank),
      players.map((p) => p.weight), playedAt]);
  return { round, players: rows.rows };
}

// {"players": [id]}: the most even split for every size, as a plugin keeps them for later.
async function scramble(client, body) {
  const players = checkArray(body.players, 'players').map(checkId);
  check(players.length > 1, 'it takes two players');
  const rows = await client.query(
    `SELECT size, s.player_id, s.team, s.win_probability, s.difference
     FROM generate_series(1, array_length($1::bigint[], 1) / 2) AS size,
       LATERAL skillrating.split_teams(skillrating.lobby('rounds', $1::bigint[]), team_size => size) AS s
     ORDER BY size DESC, s.team, s.player_id::bigint`, [players]);
  const splits = new Map();
  for (const row of rows.rows) {
    if (!splits.has(row.size)) {
      splits.set(row.size, { size: row.size, win_probability: row.win_probability, difference: row.difference, teams: [[], []], waiting: [] });
    }
    const split = splits.get(row.size);
    (row.team === null ? split.waiting : split.teams[row.team - 1]).push(row.player_id);
  }
  return { splits: [...splits.values()] };
}

// {"teams": [[id], [id]]}: who is how likely to win, and what would change.
async function preview(client, body) {
  const teams = checkArray(body.teams, 'teams').map((team) => checkArray(team, 'a team').map(checkId));
  const rows = await client.query("SELECT * FROM skillrating.preview('rounds', $1, $2)",
    [teams.flat(), teams.flatMap((team, t) => team.map(() => t + 1))]);
  return { players: rows.rows };
}

// What a plugin shows when somebody connects.
async function player(client, query) {
  const rows = await client.query(
    `SELECT s.player_id, s.rating, s.games, s.status, skillrating.place_of('rounds', s.player_id) AS place
     FROM skillrating.player_status('rounds', player => $1) AS s`, [query.get('id')]);
  return rows.rows[0] || { player_id: query.get('id'), games: 0, status: 'new' };
}

async function leaderboard(client, query) {
  const rows = await client.query(
    `SELECT place, player_id, rating, games, wins, losses
     FROM skillrating.leaderboard('rounds', n => $1, after_player => $2)`,
    [query.get('n') || 10, query.get('after')]);
  return { players: rows.rows };
}

// {"action": "get" | "set" | "reset" | "quality" | "void" | "catch_up", ...}
const actions = {
  get: ['SELECT * FROM rounds.rating WHERE player_id = $1', 'player'],
  set: ["SELECT * FROM skillrating.set_rating('rounds', $1, $2, reason => 'admin')", 'player', 'state'],
  reset: ["SELECT * FROM skillrating.reset_rating('rounds', $1, reason => 'admin')", 'player'],
  quality: ["SELECT * FROM skillrating.pool_quality('rounds')"],
  void: ["SELECT skillrating.void_match('rounds', $1, $2)", 'round', 'reason'],
  catch_up: ["SELECT * FROM skillrating.catch_up('rounds')"],
};

async function admin(client, body) {
  if (!Object.hasOwn(actions, body.action)) {
    throw new Refusal(400, `action must be one of ${Object.keys(actions).join(', ')}`);
  }
  const [text, ...names] = actions[body.action];
  return { rows: (await client.query(text, names.map((name) => body[name]))).rows };
}

// Who may ask: any role in the list.
const routes = {
  'POST /update': { work: update, roles: ['game_server'] },
  'POST /scramble': { work: scramble, roles: ['game_server'] },
  'POST /preview': { work: preview, roles: ['game_server', 'game_admin', 'game_reader'] },
  'POST /admin': { work: admin, roles: ['game_admin'] },
  'GET /player': { work: player, roles: ['game_server', 'game_admin', 'game_reader'] },
  'GET /leaderboard': { work: leaderboard, roles: ['game_server', 'game_admin', 'game_reader'] },
};

// ---- HTTP ----

async function readBody(request) {
  const chunks = [];
  let size = 0;
  for await (const chunk of request) {
    size += chunk.length;
    if (size > MAX_BODY) throw new Refusal(413, 'the body is too large');
    chunks.push(chunk);
  }
  let body;
  try {
    body = JSON.parse(Buffer.concat(chunks).toString('utf8'));
  } catch (error) {
    throw new Refusal(400, `the body is not JSON: ${error.message}`);
  }
  if (body === null || typeof body !== 'object' || Array.isArray(body)) {
    throw new Refusal(400, 'the body must be an object');
  }
  return body;
}

// What went wrong, by SQLSTATE: the data, the rights, a moment, or us.
function statusOf(error) {
  if (error instanceof Refusal) return error.status;
  const code = error.code || '';
  if (/^(22|23|2202E|42704|42804)/.test(code)) return 400;
  if (code === '42501') return 403;
  if (/^(40|53|55|57|08)/.test(code) || !/^[0-9A-Z]{5}$/.test(code)) return 503;
  return 500;
}

async function answer(request, response) {
  const url = new URL(request.url, 'http://localhost');
  const route = routes[`${request.method} ${url.pathname}`];
  let status = 200;
  let result;
  try {
    if (route === undefined) throw new Refusal(404, 'no such page');
    const secret = request.headers['x-secret'];
    const role = roleOf(secret);
    if (secret !== undefined && role === 'game_reader') throw new Refusal(401, 'wrong secret');
    if (!route.roles.includes(role)) throw new Refusal(secret === undefined ? 401 : 403, 'not with this secret');
    const input = request.method === 'POST' ? await readBody(request) : url.searchParams;
    result = await transact(role, (client) => route.work(client, input));
  } catch (error) {
    status = statusOf(error);
    if (status >= 500) console.error(error.message);
    result = { error: error.message, hint: error.hint, code: error.code };
  }
  response.writeHead(status, { 'content-type': 'application/json' });
  response.end(JSON.stringify(result));
}

http.createServer((request, response) => {
  answer(request, response).catch((error) => { console.error(error); response.destroy(); });
}).listen(Number(process.env.PORT || 8080), '127.0.0.1', function listening() {
  console.log(`listening on http://127.0.0.1:${this.address().port}`);
});
