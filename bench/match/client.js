// Write matches of twelve, one a transaction, from several connections at once.
//
//   node client.js SCHEMA HOW CLIENTS MATCHES PLAYERS
//
// SCHEMA is "application", whose ratings this computes with openskill, locks, updates and keeps
// the history of, as a back end would; or a ladder, which does so itself, or has its triggers
// disabled and stores the matches only.  HOW a match is stored: by "inserts", two in a
// transaction; by one "statement" that has both; or by one call of "report_match".  Every client is a thread of its own
// with a connection of its own, to the server that PGHOST leads to, on this machine.  Prints,
// for MATCHES of each client among so many players, after a tenth as many to warm up: the
// milliseconds of a match as a client sees it, the microseconds of the processor that it
// takes on the server, and in this program.

'use strict'

const { readFileSync } = require('node:fs')
const { Worker, isMainThread, parentPort, workerData } = require('node:worker_threads')
const { Client } = require('pg')
const { rate } = require('openskill')
const { plackettLuce } = require('openskill/models')

const TEAM_SIZE = 6
const options = { model: plackettLuce, tau: 25 / 300 }

// What a client sends.  Statements have a name, so that each connection prepares them once.
function statements (schema) {
  const text = {
    match: `INSERT INTO ${schema}.match (pool) VALUES ('') RETURNING match_id, played_at`,
    participants: `INSERT INTO ${schema}.match_player (match_id, player_id, team, rank)
      SELECT $1, p.player_id, p.team, p.rank
      FROM unnest($2::bigint[], $3::int[], $4::int[]) AS p(player_id, team, rank)`,
    both: `WITH m AS (INSERT INTO ${schema}.match (pool) VALUES ('') RETURNING match_id)
      INSERT INTO ${schema}.match_player (match_id, player_id, team, rank)
      SELECT m.match_id, p.player_id, p.team, p.rank
      FROM m, unnest($1::bigint[], $2::int[], $3::int[]) AS p(player_id, team, rank)`,
    report: `SELECT player_id, rating_before, rating_after
      FROM skillrating.report_match('${schema}', $1::bigint, $2::bigint[], $3::int[], $4::int[])`,
    newcomers: `INSERT INTO ${schema}.rating (player_id, pool)
      SELECT p.player_id, '' FROM unnest($1::bigint[]) AS p(player_id) ORDER BY p.player_id
      ON CONFLICT DO NOTHING`,
    lock: `SELECT player_id, mu, sigma FROM ${schema}.rating
      WHERE player_id = ANY ($1::bigint[]) AND pool = '' ORDER BY player_id FOR UPDATE`,
    update: `UPDATE ${schema}.rating AS r SET mu = n.mu, sigma = n.sigma, games = r.games + 1,
        wins = r.wins + (n.score = 1)::int, draws = r.draws + (n.score = 0.5)::int,
        losses = r.losses + (n.score = 0)::int, last_played = $5
      FROM unnest($1::bigint[], $2::float8[], $3::float8[], $4::float8[]) AS n(player_id, mu, sigma, score)
      WHERE r.player_id = n.player_id AND r.pool = ''`,
    history: `INSERT INTO ${schema}.event (match_id, player_id, pool, team, played_at, score,
        mu_before, sigma_before, mu_after, sigma_after)
      SELECT $1, n.player_id, '', n.team, $2, n.score, n.mu_before, n.sigma_before, n.mu_after, n.sigma_after
      FROM unnest($3::bigint[], $4::int[], $5::float8[], $6::float8[], $7::float8[], $8::float8[], $9::float8[])
        AS n(player_id, team, score, mu_before, sigma_before, mu_after, sigma_after)`
  }
  return Object.fromEntries(Object.entries(text).map(([name, text]) => [name, { name, text }]))
}

// A match by its number: who plays in which team, with which place.
function makeMatch (number, players) {
  const first = (number * 7919) % players
  const won = number % 2
  const match = { player: [], team: [], rank: [] }
  for (let p = 0; p < 2 * TEAM_SIZE; p++) {
    const team = p % 2
    match.player.push((first + p * 811) % players)
    match.team.push(team + 1)
    match.rank.push(team === won ? 1 : 2)
  }
  return match
}

// The ratings of players, by their number, locked until the end of the transaction.
async function lockRatings (run, player) {
  let { rows } = await run('lock', [player])
  if (rows.length < player.length) {
    await run('newcomers', [player])
    rows = (await run('lock', [player])).rows
  }
  return new Map(rows.map(row => [Number(row.player_id), { mu: row.mu, sigma: row.sigma }]))
}

// Rate a match by openskill, and write what comes out.
async function rateMatch (run, id, playedAt, match) {
  const before = await lockRatings(run, match.player)
  const teams = [[], []]
  const rank = []
  match.player.forEach((player, i) => {
    teams[match.team[i] - 1].push(before.get(player))
    rank[match.team[i] - 1] = match.rank[i]
  })
  const rated = rate(teams, { ...options, rank })
  const place = [0, 0]
  const after = match.team.map(team => rated[team - 1][place[team - 1]++])
  const score = match.rank.map(place => rank[0] === rank[1] ? 0.5 : place === 1 ? 1 : 0)
  const old = match.player.map(player => before.get(player))
  const [mu, sigma] = [after.map(p => p.mu), after.map(p => p.sigma)]
  await run('update', [match.player, mu, sigma, score, playedAt])
  await run('history', [id, playedAt, match.player, match.team, score,
    old.map(p => p.mu), old.map(p => p.sigma), mu, sigma])
}

async function transaction (client, run, match, how, rates, newId) {
  if (how === 'statement') return run('both', [match.player, match.team, match.rank])
  if (how === 'report_match') return run('report', [newId, match.player, match.team, match.rank])
  await client.query('BEGIN')
  try {
    const { match_id: id, played_at: playedAt } = (await run('match', [])).rows[0]
    await run('participants', [id, match.player, match.team, match.rank])
    if (rates) await rateMatch(run, id, playedAt, match)
    await client.query('COMMIT')
  } catch (error) {
    await client.query('ROLLBACK')
    throw error
  }
}

// A client: warms up, says so, and goes on when it is told to.
async function work () {
  const { schema, how, number, clients, matches, players, firstId } = workerData
  const statement = statements(schema)
  const client = new Client()
  await client.connect()
  const run = (name, values) => client.query({ ...statement[name], values })

  const several = async (from, n) => {
    for (let i = from; i < from + n; i++) {
      const place = i * clients + number
      await transaction(client, run, makeMatch(place, players), how, schema === 'application', firstId + place)
    }
  }
  const warm = Math.ceil(matches / 10)
  await several(0, warm)
  const { rows } = await client.query('SELECT pg_backend_pid() AS pid')
  await new Promise(resolve => {
    parentPort.once('message', resolve)
    parentPort.postMessage({ pid: rows[0].pid })
  })
  const start = process.hrtime.bigint()
  await several(warm, matches)
  const elapsed = Number(process.hrtime.bigint() - start) / 1e6
  await new Promise(resolve => {
    parentPort.once('message', resolve)
    parentPort.postMessage({ elapsed })
  })
  await client.end()
}

// Microseconds of the processor that processes have used.
function processor (pids) {
  let ticks = 0
  for (const pid of pids) {
    const stat = readFileSync(`/proc/${pid}/stat`, 'latin1').replace(/^.*\) /s, '').split(' ')
    ticks += Number(stat[11]) + Number(stat[12])
  }
  return ticks * 1e4
}

// The next message of each worker.
function hear (workers) {
  return Promise.all(workers.map(worker => new Promise((resolve, reject) => {
    worker.once('message', resolve)
    worker.once('error', reject)
  })))
}

async function main () {
  const [schema, how, ...numbers] = process.argv.slice(2)
  const [clients, matches, players] = numbers.map(Number)
  const workers = []
  // Whoever reports a match has its identifier already.
  const firstId = Date.now() * 1000
  for (let number = 0; number < clients; number++) {
    workers.push(new Worker(__filename, { workerData: { schema, how, number, clients, matches, players, firstId } }))
  }
  const pids = (await hear(workers)).map(message => message.pid)
  const before = processor(pids)
  const own = process.cpuUsage()
  const ended = hear(workers)
  for (const worker of workers) worker.postMessage('go')
  const elapsed = (await ended).map(message => message.elapsed)
  const used = process.cpuUsage(own)
  const after = processor(pids)
  for (const worker of workers) worker.postMessage('end')
  const n = clients * matches
  console.log((elapsed.reduce((a, b) => a + b) / n).toFixed(4),
    ((after - before) / n).toFixed(1), ((used.user + used.system) / n).toFixed(1))
}

if (isMainThread) main()
else work()
