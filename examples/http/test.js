// What the HTTP layer promises, over real HTTP: 64 clients at once, each request sent twice, the
// layer killed between, wrong secrets.  Prints a line "ok http ..." or "not ok http ..." for each.
//
// It starts server.js itself, against the database that the PG* variables lead to, after setup.sql.

'use strict';

const { spawn } = require('child_process');
const http = require('http');
const { Client } = require('pg');

const CLIENTS = 64;
const ROUNDS = Number(process.env.HTTP_ROUNDS || 8);
const KILLS = 5;
const PLAYERS = 40;
const secrets = { game: 'a secret of the game', admin: 'a secret of the admin' };

let failed = 0;
function result(ok, what, detail) {
  if (!ok) failed++;
  console.log(`${ok ? 'ok' : 'not ok'} http ${what}`);
  if (!ok && detail !== undefined) console.log(JSON.stringify(detail));
}

// ---- The layer ----

let layer;
let port = 0;

function start() {
  return new Promise((resolve, reject) => {
    layer = spawn(process.execPath, [`${__dirname}/server.js`], {
      env: { ...process.env, PGUSER: 'game_http', PORT: String(port), GAME_SECRET: secrets.game, ADMIN_SECRET: secrets.admin },
      stdio: ['ignore', 'pipe', process.env.HTTP_VERBOSE ? 'inherit' : 'ignore'],
    });
    layer.once('exit', () => reject(new Error('server.js ended')));
    layer.stdout.once('data', (line) => {
      port = Number(/:(\d+)\n/.exec(line)[1]);
      resolve();
    });
  });
}

function stop() {
  return new Promise((resolve) => {
    layer.removeAllListeners('exit');
    layer.once('exit', resolve);
    layer.kill('SIGKILL');
  });
}

// ---- A client ----

function send(method, path, secret, body) {
  return new Promise((resolve, reject) => {
    const request = http.request({
      host: '127.0.0.1', port, method, path, agent: false,
      headers: { 'content-type': 'application/json', ...(secret === undefined ? {} : { 'x-secret': secret }) },
    }, (response) => {
      let text = '';
      response.setEncoding('utf8');
      response.on('data', (chunk) => { text += chunk; });
      response.on('end', () => {
        try {
          resolve({ status: response.statusCode, body: JSON.parse(text) });
        } catch (error) { reject(error); }
      });
      response.on('error', reject);
    });
    request.on('error', reject);
    request.end(body === undefined ? undefined : JSON.stringify(body));
  });
}

// Until there is an answer: what a client has to do that must lose nothing.
async function insist(...request) {
  for (;;) {
    try {
      const response = await send(...request);
      if (response.status !== 503) return response;
    } catch (error) { /* the layer is away */ }
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}

// Numbers that are the same in every run.
let seed = 1;
const random = (n) => {
  seed = (Math.imul(seed, 1103515245) + 12345) & 0x7fffffff;
  return (seed >> 8) % n;
};

function makeRound(name, number) {
  const ids = [...Array(PLAYERS).keys()].map((i) => [random(1 << 20), 76561190000000001n + BigInt(i)]).sort((a, b) => a[0] - b[0]).map((pair) => String(pair[1])).slice(0, 8);
  const winner = random(2);
  return {
    round: name, server: 'one', map: 'veil', played_at: new Date(Date.UTC(2026, 0, 1) + number * 60000).toISOString(),
    teams: [0, 1].map((t) => ({ rank: t === winner ? 1 : 2, players: ids.slice(t * 4, t * 4 + 4).map((id) => ({ id })) })),
  };
}

const same = (a, b) => JSON.stringify(a) === JSON.stringify(b);

// ---- The tests ----

async function main() {
  const database = new Client({ user: process.env.PGUSER });
  await database.connect();
  await start();

  // Secrets.
  const round = makeRound('first', 0);
  const statuses = [];
  for (const [method, path, secret, body] of [
    ['POST', '/update', undefined, round], ['POST', '/update', 'wrong', round], ['POST', '/update', secrets.admin, round],
    ['POST', '/admin', undefined, { action: 'quality' }], ['POST', '/admin', secrets.game, { action: 'quality' }],
    ['GET', '/leaderboard', 'wrong', undefined]]) {
    statuses.push((await send(method, path, secret, body)).status);
  }
  result(same(statuses, [401, 401, 403, 401, 403, 401]), 'a wrong secret, and the secret of another, are refused', statuses);
  const { rows: none } = await database.query('SELECT count(*)::int AS n FROM rounds.match');
  result(none[0].n === 0, 'nothing came of it', none);

  // Bad requests.
  const bad = [];
  for (const body of [{ ...round, teams: 'none' }, { ...round, teams: [] }, { ...round, round: 7 },
    { ...round, teams: [{ rank: 1, players: [{ id: 'no number' }] }] }, [], { ...round, teams: [null] },
    { ...round, teams: [{ rank: 1, players: [{ id: 76561190000000001 }] }, { rank: 2, players: [{ id: '2' }] }] }]) {
    bad.push((await send('POST', '/update', secrets.game, body)).status);
  }
  for (const body of [{ teams: ['a', 'b'] }, { teams: { a: 1 } }, {}]) bad.push((await send('POST', '/preview', undefined, body)).status);
  bad.push((await send('POST', '/scramble', secrets.game, { players: ['1'] })).status);
  bad.push((await send('GET', '/nowhere')).status, (await send('POST', '/admin', secrets.admin, { action: 'drop' })).status);
  result(same(bad, [...Array(11).fill(400), 404, 400]), 'bad requests are refused with what is wrong', bad);

  // 64 clients, everything twice, the layer killed now and then.
  const work = [...Array(CLIENTS).keys()].map((c) => [...Array(ROUNDS).keys()].map((r) => makeRound(`${c}-${r}`, c * ROUNDS + r)));
  let done = 0;
  let differ = 0;
  let refused = 0;
  const clients = work.map(async (rounds) => {
    for (const one of rounds) {
      const answers = await Promise.all([insist('POST', '/update', secrets.game, one), insist('POST', '/update', secrets.game, one)]);
      if (answers.some((a) => a.status !== 200)) refused++;
      const ratings = answers.map((a) => (a.body.players || []).map((p) => [p.player_id, p.rating_before, p.rating_after]));
      if (!same(ratings[0], ratings[1]) || ratings[0].length !== 8) differ++;
      done++;
    }
  });
  let kills = 0;
  const killer = (async () => {
    while (kills < KILLS) {
      while (done < ((kills + 1) * CLIENTS * ROUNDS) / (KILLS + 1)) await new Promise((resolve) => setTimeout(resolve, 5));
      await stop();
      kills++;
      await start();
    }
  })();
  await Promise.all([...clients, killer]);
  result(done === CLIENTS * ROUNDS && refused === 0, `${done} rounds of ${CLIENTS} clients were taken, with ${kills} kills`, { done, refused });
  result(differ === 0, 'both answers to a request sent twice are the same', differ);
  const { rows: counts } = await database.query(`SELECT
    (SELECT count(*) FROM rounds.rated_match WHERE status = 'rated')::int AS rated, (SELECT count(*) FROM site.round)::int AS known,
    (SELECT count(*) FROM rounds.event WHERE kind = 'match')::int AS events, (SELECT sum(games) FROM rounds.rating)::int AS games,
    (SELECT count(*) FROM rounds.correction)::int AS corrections, (SELECT bool_and(ok) FROM skillrating.verify('rounds')) AS ok`);
  const all = CLIENTS * ROUNDS;
  result(same(counts[0], { rated: all, known: all, events: 8 * all, games: 8 * all, corrections: 0, ok: true }), 'nothing twice, nothing lost', counts[0]);

  // The rest of the pages.
  const board = await send('GET', '/leaderboard?n=3');
  const { rows: places } = await database.query("SELECT place::text, player_id, rating, games::text, wins::text, losses::text FROM skillrating.leaderboard('rounds', 3)");
  result(board.status === 200 && same(board.body.players, places), 'the leaderboard is that of the database', board);
  const ids = board.body.players.map((p) => p.player_id).concat(['1', '2', '3']);
  const before = await send('POST', '/preview', undefined, { teams: [ids.slice(0, 3), ids.slice(3)] });
  result(before.body.players.length === 6 && before.body.players[0].win_probability > 0.5, 'a preview favours the better team', before);
  const splits = await send('POST', '/scramble', secrets.game, { players: ids });
  result(same(splits.body.splits.map((s) => [s.size, s.teams[0].length, s.teams[1].length, s.waiting.length]), [[3, 3, 3, 0], [2, 2, 2, 2], [1, 1, 1, 4]]),
    'a scramble has a split for every size', splits);
  const shown = await send('GET', `/player?id=${ids[0]}`);
  const unknown = await send('GET', '/player?id=12');
  result(shown.body.place === '1' && unknown.body.status === 'new', 'a player who connects is shown, a newcomer too', [shown, unknown]);
  const set = await send('POST', '/admin', secrets.admin, { action: 'set', player: ids[0], state: { rating: 1500 } });
  const got = await send('POST', '/admin', secrets.admin, { action: 'get', player: ids[0] });
  result(set.status === 200 && got.body.rows[0].rating === 1500, 'an administrator sets a rating', [set, got]);

  await stop();
  await database.end();
}

main().then(() => process.exit(failed > 0 ? 1 : 0), (error) => {
  console.error(error);
  if (layer) layer.kill('SIGKILL');
  process.exit(1);
});
