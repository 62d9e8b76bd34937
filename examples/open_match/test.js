// End to end: a query service that is a fake, the match function as a process, and a director that
// calls it, all over gRPC on 127.0.0.1.
//
// PGHOST and so on lead to a database with the extension and setup.sql, a ladder "arena" with players
// p1 to p12 of rising ratings, and the role match_function.  Prints lines "ok open_match ...".

'use strict';

const assert = require('assert');
const path = require('path');
const { spawn } = require('child_process');
const { Client } = require('pg');
const protobuf = require('protobufjs');
const { grpc, openmatch, packStruct, unpackScore, unpackStruct } = require('./wire');

const { status } = grpc;
const children = [];
let failed = 0;

async function check(title, work) {
  try {
    await work();
    console.log(`ok open_match ${title}`);
  } catch (error) {
    console.log(`not ok open_match ${title}: ${error.stack}`);
    failed = 1;
  }
}
const sleep = (ms) => new Promise((resolve) => setTimeout(resolve, ms));

// ---- The fake query service: what it answers, by the name of a pool ----

const pools = new Map();
const seen = { cancelled: 0, requests: [] };

function queryTickets(call) {
  const { pool } = call.request;
  seen.requests.push(pool);
  call.on('cancelled', () => { seen.cancelled++; });
  const answer = pools.get(pool.name) || [];
  if (answer === 'hang') return;
  if (answer instanceof Error) {
    call.emit('error', answer);
    return;
  }
  // In pages, as the real one.
  for (let i = 0; i < answer.length; i += 3) call.write({ tickets: answer.slice(i, i + 3) });
  call.end();
}

function listen(server) {
  return new Promise((resolve, reject) => {
    server.bindAsync('127.0.0.1:0', grpc.ServerCredentials.createInsecure(), (error, port) => (error ? reject(error) : resolve(port)));
  });
}

// ---- The match function ----

function start(env) {
  return new Promise((resolve, reject) => {
    const child = spawn(process.execPath, [path.join(__dirname, 'function.js')], {
      env: { ...process.env, PORT: '0', ...env }, stdio: ['ignore', 'pipe', 'inherit'],
    });
    children.push(child);
    child.on('exit', (code) => reject(new Error(`the function ended with ${code}`)));
    child.stdout.on('data', (data) => {
      const found = /listening on (\d+)/.exec(data);
      if (found) resolve(new openmatch.MatchFunction(`127.0.0.1:${found[1]}`, grpc.credentials.createInsecure()));
    });
  });
}

// The proposals of a call, or its error.
function run(client, profile, { deadline, cancelAfter } = {}) {
  return new Promise((resolve, reject) => {
    const proposals = [];
    const call = client.run({ profile }, deadline ? { deadline: Date.now() + deadline } : {});
    if (cancelAfter) setTimeout(() => call.cancel(), cancelAfter);
    call.on('data', (response) => proposals.push(response.proposal));
    call.on('end', () => resolve(proposals));
    call.on('error', reject);
  });
}
async function fails(promise, code, text) {
  const error = await promise.then(() => undefined, (thrown) => thrown);
  assert(error, 'it did not fail');
  assert.strictEqual(error.code, code, `status ${error.code}: ${error.details}`);
  if (text) assert.match(error.details, text);
}

const ticket = (id, fields, more) => ({ id, search_fields: fields, ...more });
const withMu = (id, mu, more = {}) => ticket(id, { double_args: { mu }, ...more });
const profileOf = (names, match) => ({
  name: 'ranked', pools: names.map((name) => ({ name })), extensions: match ? { match: packStruct(match) } : {},
});
const teamsOf = (proposal) => unpackStruct(proposal.extensions.teams);
const ids = (proposal) => proposal.tickets.map((t) => t.id).sort();

async function main() {
  const server = new grpc.Server();
  server.addService(openmatch.QueryService.service, { QueryTickets: queryTickets });
  const service = `127.0.0.1:${await listen(server)}`;
  const database = new Client();
  await database.connect();
  const client = await start({ QUERY_SERVICE: service, LADDER: 'arena', PGUSER: 'match_function' });

  await check('makes matches within each of two pools', async () => {
    for (const [name, base] of [['eu', 1000], ['us', 2000]]) {
      pools.set(name, Array.from({ length: 8 }, (_, i) => withMu(`${name}${i}`, base + 10 * i)));
    }
    const proposals = await run(client, profileOf(['eu', 'us'], { team_size: 2 }));
    assert.strictEqual(proposals.length, 4);
    const all = proposals.flatMap(ids);
    assert.strictEqual(new Set(all).size, 16);
    for (const proposal of proposals) {
      const { pool, teams, quality, win_probability: win } = teamsOf(proposal);
      assert(ids(proposal).every((id) => id.startsWith(pool)));
      assert.deepStrictEqual(teams.flat().sort(), ids(proposal));
      assert.deepStrictEqual(teams.map((team) => team.length), [2, 2]);
      assert(Math.abs(win[0] + win[1] - 1) < 1e-12);
      assert.strictEqual(unpackScore(proposal.extensions.evaluation_input), quality);
      assert(quality > 0.9 && quality <= 1);
      assert.strictEqual(proposal.match_profile, 'ranked');
    }
    assert.deepStrictEqual(seen.requests.slice(-2).map((pool) => pool.name), ['eu', 'us']);
  });

  await check('gives the same matches again, under the same names', async () => {
    const [first, second] = await Promise.all([1, 2].map(() => run(client, profileOf(['eu', 'us'], { team_size: 2 }))));
    assert.deepStrictEqual(first.map((p) => p.match_id), second.map((p) => p.match_id));
  });

  await check('returns tickets as they came', async () => {
    const given = withMu('whole', 1500, { string_args: { map: 'veil' }, tags: ['beta'] });
    given.create_time = { seconds: '1700000000', nanos: 5 };
    given.assignment = { connection: 'host:1', extensions: { x: packStruct({ a: [1, null, { b: true }] }) } };
    given.extensions = { mine: packStruct({ c: 'd' }) };
    given.persistent_field = { kept: packStruct({}) };
    pools.set('one', [given, withMu('other', 1500)]);
    const [proposal] = await run(client, profileOf(['one']));
    const returned = proposal.tickets.find((t) => t.id === 'whole');
    assert.strictEqual(returned.create_time.seconds, '1700000000');
    assert.strictEqual(returned.create_time.nanos, 5);
    assert.deepStrictEqual(returned.search_fields.string_args, { map: 'veil' });
    assert.deepStrictEqual(returned.search_fields.tags, ['beta']);
    assert.deepStrictEqual(unpackStruct(returned.assignment.extensions.x), { a: [1, null, { b: true }] });
    assert.deepStrictEqual(unpackStruct(returned.extensions.mine), { c: 'd' });
    assert(returned.persistent_field.kept);
  });

  await check('a ticket in two pools plays once', async () => {
    pools.set('a', [withMu('both', 1500), withMu('a1', 1500)]);
    pools.set('b', [withMu('both', 1500), withMu('b1', 1500)]);
    const proposals = await run(client, profileOf(['a', 'b']));
    assert.deepStrictEqual(proposals.map(ids), [['a1', 'both']]);
  });

  await check('who has waited longest comes first', async () => {
    const old = { create_time: { seconds: String(Math.floor(Date.now() / 1000) - 600) } };
    pools.set('wait', [withMu('new1', 1500), withMu('new2', 1500), ticket('old', { double_args: { mu: 1900 } }, old)]);
    const proposals = await run(client, profileOf(['wait'], { initial_window: 10, widening: 1 }));
    assert.strictEqual(proposals.length, 1);
    assert(ids(proposals[0]).includes('old'));
  });

  await check('regions that have nothing in common do not meet', async () => {
    pools.set('regions', [withMu('r1', 1500, { tags: ['region.eu'] }), withMu('r2', 1500, { tags: ['region.us'] }),
      withMu('r3', 1600, { tags: ['region.us', 'region.eu'] })]);
    const proposals = await run(client, profileOf(['regions'], { initial_window: 1000 }));
    assert.strictEqual(proposals.length, 1);
    assert(ids(proposals[0]).includes('r3'));
  });

  await check('looks players up in the ladder, parties too', async () => {
    const { rows } = await database.query("SELECT player_id, mu FROM arena.rating WHERE pool = ''");
    const mu = new Map(rows.map((row) => [row.player_id, row.mu]));
    assert(mu.get('p12') > mu.get('p1'));
    pools.set('named', [
      ticket('party', { string_args: { players: '["p1","p12"]' } }),
      ...['p2', 'p11'].map((id) => ticket(id, { string_args: { player_id: id } })),
      ticket('new', { string_args: { player_id: 'nobody knows' } })]);
    const [proposal] = await run(client, profileOf(['named'], { team_size: 2, initial_window: 1000 }));
    const { teams, quality } = teamsOf(proposal);
    assert(teams.some((team) => team.length === 1 && team[0] === 'party'));
    const direct = await database.query(
      `SELECT quality FROM skillrating.pair_queue(skillrating.lobby('{a,b,c,d}'::text[], $1::float8[], sigma => $2, party => '{1,1,2,3}',
         model => 'trueskill', params => (SELECT params FROM arena.ladder)), team_size => 2, initial_window => 1000)`,
      [['p1', 'p12', 'p2', 'p11'].map((id) => mu.get(id)),
        (await database.query("SELECT array_agg(sigma ORDER BY array_position('{p1,p12,p2,p11}', player_id)) AS s FROM arena.rating WHERE player_id IN ('p1', 'p12', 'p2', 'p11')")).rows[0].s]);
    if (!ids(proposal).includes('new')) assert.strictEqual(quality, direct.rows[0].quality);
    assert.strictEqual(proposal.tickets.length, 3);
  });

  await check('on the wire messages have the published numbers', async () => {
    const bytes = openmatch.MatchFunction.service.Run.responseSerialize({
      proposal: { match_id: 'm', match_profile: 'p', match_function: 'f', tickets: [withMu('t', 1)], extensions: { x: packStruct({}) } },
    });
    const numbers = (buffer) => {
      const found = [];
      const reader = protobuf.Reader.create(buffer);
      while (reader.pos < reader.len) {
        const tag = reader.uint32();
        assert.strictEqual(tag & 7, 2);
        found.push([tag >>> 3, reader.bytes()]);
      }
      return found;
    };
    const [[proposal, inner]] = numbers(bytes);
    assert.strictEqual(proposal, 1);
    assert.deepStrictEqual(numbers(inner).map(([n]) => n), [1, 2, 3, 4, 7]);
    const wireTicket = numbers(inner).find(([n]) => n === 4)[1];
    assert.deepStrictEqual(numbers(wireTicket).map(([n]) => n), [1, 4]);
    assert.strictEqual(openmatch.MatchFunction.service.Run.path, '/openmatch.MatchFunction/Run');
    assert.strictEqual(openmatch.QueryService.service.QueryTickets.path, '/openmatch.QueryService/QueryTickets');
  });

  await check('empty pools are no error', async () => assert.deepStrictEqual(await run(client, profileOf(['nobody'])), []));

  await check('what is wrong in a profile or a ticket is INVALID_ARGUMENT', async () => {
    await fails(run(client, { name: 'none' }), status.INVALID_ARGUMENT, /no pools/);
    await fails(run(client, profileOf(['eu'], { size: 2 })), status.INVALID_ARGUMENT, /invalid key "size"/);
    await fails(run(client, profileOf(['eu'], { team_size: 2.5 })), status.INVALID_ARGUMENT, /type integer/);
    await fails(run(client, profileOf(['eu'], { model: 'no such model' })), status.INVALID_ARGUMENT, /no such model/);
    await fails(run(client, profileOf(['eu'], { team_size: 1000 })), status.INVALID_ARGUMENT, /team_size/);
    pools.set('bad', [ticket('bad', { string_args: { players: '[1]' } })]);
    await fails(run(client, profileOf(['bad'])), status.INVALID_ARGUMENT, /ticket bad/);
    pools.set('bad', [ticket('bad', {})]);
    await fails(run(client, profileOf(['bad'])), status.INVALID_ARGUMENT, /ticket bad/);
    pools.set('bad', [withMu('bad', NaN), withMu('good', 1)]);
    await fails(run(client, profileOf(['bad'])), status.INVALID_ARGUMENT, /database/);
  });

  await check('an error of the query service is passed on', async () => {
    pools.set('error', Object.assign(new Error('no storage'), { code: status.RESOURCE_EXHAUSTED, details: 'no storage' }));
    await fails(run(client, profileOf(['error'])), status.RESOURCE_EXHAUSTED, /query service: .*no storage/);
  });

  await check('a deadline ends a query that hangs', async () => {
    pools.set('hang', 'hang');
    const began = Date.now();
    await fails(run(client, profileOf(['hang']), { deadline: 300 }), status.DEADLINE_EXCEEDED);
    assert(Date.now() - began < 3000);
  });

  await check('a cancelled call cancels its query', async () => {
    const before = seen.cancelled;
    await fails(run(client, profileOf(['hang']), { cancelAfter: 200 }), status.CANCELLED);
    for (let i = 0; i < 50 && seen.cancelled === before; i++) await sleep(50);
    assert(seen.cancelled > before);
  });

  await check('a deadline ends work in the database', async () => {
    await database.query('BEGIN; LOCK TABLE arena.rating IN ACCESS EXCLUSIVE MODE');
    await fails(run(client, profileOf(['named'], { team_size: 2 }), { deadline: 500 }), status.DEADLINE_EXCEEDED);
    let active;
    for (let i = 0; i < 50 && active !== '0'; i++) {
      await sleep(50);
      active = (await database.query("SELECT count(*) FROM pg_stat_activity WHERE usename = 'match_function' AND state = 'active'")).rows[0].count;
    }
    await database.query('ROLLBACK');
    assert.strictEqual(active, '0');
  });

  await check('lost connections are replaced', async () => {
    await database.query("SELECT pg_terminate_backend(pid, 5000) FROM pg_stat_activity WHERE usename = 'match_function'");
    await sleep(100);
    assert.strictEqual((await run(client, profileOf(['eu'], { team_size: 2 }))).length, 2);
  });

  await check('twenty calls at once', async () => {
    const all = await Promise.all(Array.from({ length: 20 }, () => run(client, profileOf(['eu', 'us'], { team_size: 2 }))));
    assert(all.every((proposals) => proposals.length === 4));
  });

  await check('without a database it is UNAVAILABLE', async () => {
    const lost = await start({ QUERY_SERVICE: service, PGHOST: '127.0.0.1', PGPORT: '1' });
    await fails(run(lost, profileOf(['eu'])), status.UNAVAILABLE, /database/);
    lost.close();
  });

  await check('without a query service it is UNAVAILABLE', async () => {
    const lost = await start({ QUERY_SERVICE: '127.0.0.1:1' });
    await fails(run(lost, profileOf(['eu']), { deadline: 5000 }), status.UNAVAILABLE, /query service/);
    lost.close();
  });

  await check('a signal ends it', async () => {
    const child = children[0];
    child.removeAllListeners('exit');
    const ended = new Promise((resolve) => { child.on('exit', resolve); });
    client.close();
    child.kill('SIGTERM');
    assert.strictEqual(await Promise.race([ended, sleep(5000).then(() => 'still there')]), 0);
  });

  await database.end();
  server.forceShutdown();
}

main().catch((error) => {
  console.log(`not ok open_match test: ${error.stack}`);
  failed = 1;
}).finally(() => {
  for (const child of children) child.removeAllListeners('exit').kill('SIGKILL');
  process.exitCode = failed;
});
