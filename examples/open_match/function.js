// A match function of Open Match: asks the query service for the tickets of a profile's pools, has
// pair_queue() in PostgreSQL make matches of them, and streams these back as proposals.
//
//   PGHOST, PGPORT, PGDATABASE, PGUSER  the database; the role needs no table but for LADDER
//   LADDER                              a ladder in which players are looked up who come without mu
//   QUERY_SERVICE                       host:port of openmatch-query (default 127.0.0.1:50503)
//   PORT                                where to listen (default 50502; 0 for a free one)
//   HOST                                and on which address (default 127.0.0.1)
//
// README.md says what tickets and profiles have.

'use strict';

const { Pool } = require('pg');
const { grpc, openmatch, packScore, packStruct, unpackStruct } = require('./wire');

const { status } = grpc;
const name = 'skillrating';
// Within the limit of the server on a message, 4 MB, with tickets of a few kB.
const MAX_PLAYERS = 100000;
const DEFAULT_TIMEOUT = 30000;

const connections = new Pool({ max: 4, connectionTimeoutMillis: 2000 });
connections.on('error', (error) => console.error(`connection lost: ${error.message}`));
const queries = new openmatch.QueryService(process.env.QUERY_SERVICE || '127.0.0.1:50503',
  grpc.credentials.createInsecure());

class Failure extends Error {
  constructor(code, message) {
    super(message);
    this.code = code;
  }
}

// ---- What comes in ----

// The arguments of pair_queue() that are one value for the whole queue.
const scalars = {
  teams: 'integer', team_size: 'integer', log_odds: 'number', model: 'string', params: 'object',
  initial_window: 'number', widening: 'number', max_window: 'number', min_quality: 'number',
};

function isOf(type, value) {
  switch (type) {
    case 'integer': return Number.isInteger(value);
    case 'object': return typeof value === 'object' && value !== null && !Array.isArray(value);
    default: return typeof value === type;
  }
}

// The shape of a match, in the extension "match" of the profile.
function shapeOf(profile) {
  const any = (profile.extensions || {}).match;
  let shape;
  try {
    shape = any ? unpackStruct(any) : {};
  } catch (error) {
    throw new Failure(status.INVALID_ARGUMENT, `extension "match" of the profile: ${error.message}`);
  }
  for (const [key, value] of Object.entries(shape)) {
    if (!Object.hasOwn(scalars, key)) {
      throw new Failure(status.INVALID_ARGUMENT,
        `invalid key "${key}" in extension "match": valid keys are ${Object.keys(scalars).join(', ')}`);
    }
    if (!isOf(scalars[key], value)) {
      throw new Failure(status.INVALID_ARGUMENT,
        `"${key}" in extension "match" must be of type ${scalars[key]}`);
    }
  }
  return shape;
}

// The players of a ticket, a party or one: their identifiers where it names them.
function playersOf(ticket) {
  const { double_args: numbers = {}, string_args: words = {} } = ticket.search_fields || {};
  let ids = words.player_id !== undefined ? [words.player_id] : undefined;
  if (words.players !== undefined) {
    try {
      ids = JSON.parse(words.players);
    } catch {
      ids = undefined;
    }
    if (!Array.isArray(ids) || ids.length === 0 || !ids.every((id) => typeof id === 'string')) {
      throw new Failure(status.INVALID_ARGUMENT,
        `string_args.players of ticket ${ticket.id} must be a JSON array of strings`);
    }
  }
  if (numbers.mu === undefined && (ids === undefined || !process.env.LADDER)) {
    throw new Failure(status.INVALID_ARGUMENT, `ticket ${ticket.id} has neither double_args.mu nor ${
      process.env.LADDER ? 'a player' : 'a ladder in which its players are'}`);
  }
  return (ids || [null]).map((id) => ({ id, mu: numbers.mu, deviation: numbers.deviation }));
}

// All tickets of a pool, which the query service streams in pages.
function queryTickets(call, wanted, deadline) {
  return new Promise((resolve, reject) => {
    const tickets = [];
    const stream = queries.queryTickets({ pool: wanted }, { deadline });
    const stop = () => stream.cancel();
    call.on('cancelled', stop);
    stream.on('data', (page) => tickets.push(...(page.tickets || [])));
    stream.on('end', () => resolve(tickets));
    stream.on('error', (error) => {
      reject(new Failure(error.code, `query service: ${error.details || error.message}`));
    });
    stream.on('close', () => call.off('cancelled', stop));
  });
}

// ---- What the database makes of it ----

// The status for an error of the database or the way to it.
function databaseFailure(error) {
  if (error instanceof Failure) return error;
  const message = `database: ${error.message}`;
  if (error.severity === undefined) {
    const ours = error instanceof TypeError || error instanceof RangeError || error instanceof ReferenceError;
    return new Failure(ours ? status.INTERNAL : status.UNAVAILABLE, ours ? error.message : message);
  }
  switch (true) {
    case error.code === '57014': return new Failure(status.DEADLINE_EXCEEDED, message);
    case /^(08|53|57P)/.test(error.code): return new Failure(status.UNAVAILABLE, message);
    case /^(40)/.test(error.code): return new Failure(status.ABORTED, message);
    case error.code === '42501': return new Failure(status.PERMISSION_DENIED, message);
    case /^22/.test(error.code): return new Failure(status.INVALID_ARGUMENT, message);
    default: return new Failure(status.INTERNAL, message);
  }
}

// The work of a connection, which ends when the time is over, and whose result is of no use
// when the caller is gone.
async function withDatabase(call, deadline, work) {
  const client = await connections.connect();
  let broken;
  const stop = () => client.connection.stream.destroy();
  // Whoever waits for a query hears of a lost connection; nobody else has to.
  const lost = (error) => { broken = error; };
  client.on('error', lost);
  call.on('cancelled', stop);
  try {
    if (call.cancelled) throw new Failure(status.CANCELLED, 'the caller is gone');
    const left = Math.max(1, Math.min(DEFAULT_TIMEOUT, deadline - Date.now()));
    await client.query(`SET statement_timeout = ${Math.ceil(left)}`);
    return await work(client);
  } catch (error) {
    broken = error;
    throw error;
  } finally {
    call.off('cancelled', stop);
    client.off('error', lost);
    client.release(broken);
  }
}

// Skills in the ladder, under its model and parameters; whoever has none is new.
async function lookUp(client, shape, players) {
  const unknown = players.filter((player) => player.mu === undefined);
  if (unknown.length === 0) return;
  const { rows } = await client.query('SELECT * FROM matchmaking.skills($1, $2)',
    [process.env.LADDER, unknown.map((player) => player.id)]);
  const skills = new Map(rows.map((row) => [row.player_id, row]));
  for (const player of unknown) {
    const found = skills.get(player.id);
    player.mu = found.mu;
    if (player.deviation === undefined) player.deviation = found.deviation ?? undefined;
  }
  if (shape.model === undefined) {
    shape.model = rows[0].model;
    shape.params = rows[0].params;
  }
}

const pairing = `
  SELECT match_number, player_id, team, win_probability, quality, difference
  FROM skillrating.pair_queue(
    skillrating.lobby($1::text[], $2::float8[], sigma => $3, party => $5, log_odds => coalesce($10, 0),
      model => coalesce($11, 'elo'), params => coalesce($12::jsonb, '{}')),
    waited => $4, region => $6, pool => $7, teams => coalesce($8, 2), team_size => coalesce($9, 1),
    initial_window => $13, widening => $14, max_window => $15, min_quality => coalesce($16, 0))`;

// The seconds from when a ticket was made to a time, in milliseconds.
function waited({ create_time: created }, now) {
  if (!created) return 0;
  return Math.max(0, now / 1000 - Number(created.seconds || 0) - (created.nanos || 0) / 1e9);
}

// The regions of tickets as sets of bits: a function that numbers the tags as they come.
function regionNumbers() {
  const numbers = new Map();
  return ({ search_fields: { tags = [] } = {} }) => {
    let bits = null;
    for (const tag of tags.filter((t) => t.startsWith('region.'))) {
      if (!numbers.has(tag)) numbers.set(tag, 1n << BigInt(numbers.size));
      bits = (bits || 0n) | numbers.get(tag);
    }
    if (numbers.size > 63) {
      throw new Failure(status.INVALID_ARGUMENT, 'tickets name more than 63 regions');
    }
    return bits && String(bits);
  };
}

// The rows of pair_queue() for tickets, in which a player has a number.
async function pair(call, deadline, shape, entries) {
  const now = Date.now();
  const regionOf = regionNumbers();
  const players = entries.flatMap((entry, party) => {
    const region = regionOf(entry.ticket);
    return playersOf(entry.ticket).map((player) => ({ ...player, entry, party, region }));
  });
  if (players.length > MAX_PLAYERS) {
    throw new Failure(status.RESOURCE_EXHAUSTED,
      `${players.length} players are more than ${MAX_PLAYERS}`);
  }
  const rows = await withDatabase(call, deadline, async (client) => {
    await lookUp(client, shape, players);
    const result = await client.query(pairing, [
      players.map((player, number) => number),
      players.map((player) => player.mu),
      players.some((player) => player.deviation !== undefined)
        ? players.map((player) => player.deviation ?? null) : null,
      players.map((player) => waited(player.entry.ticket, now)),
      players.map((player) => player.party),
      players.map((player) => player.region),
      players.map((player) => player.entry.pool),
      ...['teams', 'team_size', 'log_odds', 'model'].map((key) => shape[key] ?? null),
      shape.params === undefined ? null : JSON.stringify(shape.params),
      ...['initial_window', 'widening', 'max_window', 'min_quality'].map((key) => shape[key] ?? null)]);
    return result.rows;
  });
  return rows.map((row) => ({ ...row, ...players[row.player_id] }));
}

// ---- What goes out ----

// A match of rows of the same number: the tickets, and in extensions their teams.
function proposalOf(profile, shape, rows) {
  const tickets = new Map(rows.map((row) => [row.entry.ticket.id, row.entry.ticket]));
  const teams = [];
  const win = [];
  for (const row of rows) {
    const team = teams[row.team - 1] || (teams[row.team - 1] = []);
    if (!team.includes(row.entry.ticket.id)) team.push(row.entry.ticket.id);
    win[row.team - 1] = row.win_probability;
  }
  const ids = [...tickets.keys()].sort();
  return {
    match_id: `${profile.name}-${ids.join('-')}`,
    match_profile: profile.name,
    match_function: name,
    tickets: [...tickets.values()],
    extensions: {
      evaluation_input: packScore(rows[0].quality),
      teams: packStruct({
        pool: rows[0].entry.pool,
        teams,
        win_probability: win,
        quality: rows[0].quality,
        difference: rows[0].difference,
      }),
    },
  };
}

async function run(call) {
  const { profile } = call.request;
  if (!profile || !(profile.pools || []).length) {
    throw new Failure(status.INVALID_ARGUMENT, 'the profile has no pools');
  }
  const shape = shapeOf(profile);
  const given = call.getDeadline();
  const deadline = Math.min(Date.now() + DEFAULT_TIMEOUT, given instanceof Date ? given.getTime() : given);
  const found = await Promise.all(profile.pools.map((wanted) => queryTickets(call, wanted, deadline)));
  // A ticket that is in several pools plays in the first one.
  const entries = new Map();
  found.forEach((tickets, p) => {
    const pool = profile.pools[p].name || '';
    for (const ticket of tickets) if (!entries.has(ticket.id)) entries.set(ticket.id, { ticket, pool });
  });
  if (entries.size === 0) return;
  const rows = await pair(call, deadline, shape, [...entries.values()]);
  const matches = new Map();
  for (const row of rows) {
    if (!matches.has(row.match_number)) matches.set(row.match_number, []);
    matches.get(row.match_number).push(row);
  }
  for (const players of matches.values()) {
    if (call.cancelled) return;
    if (!call.write({ proposal: proposalOf(profile, shape, players) })) {
      await new Promise((resolve) => {
        call.once('drain', resolve);
        call.once('cancelled', resolve);
      });
    }
  }
}

const server = new grpc.Server();
server.addService(openmatch.MatchFunction.service, {
  Run(call) {
    run(call).then(() => call.end(), (error) => {
      const failure = databaseFailure(error);
      if (failure.code === status.INTERNAL) console.error(error);
      call.emit('error', { code: failure.code, details: failure.message });
    });
  },
});
const address = `${process.env.HOST || '127.0.0.1'}:${process.env.PORT || 50502}`;
server.bindAsync(address, grpc.ServerCredentials.createInsecure(), (error, port) => {
  if (error) {
    console.error(error.message);
    process.exit(1);
  }
  console.log(`listening on ${port}`);
});
for (const signal of ['SIGINT', 'SIGTERM']) {
  process.on(signal, () => server.tryShutdown(() => connections.end().then(() => process.exit(0))));
}
