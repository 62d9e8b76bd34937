// Random matches and lobbies, once through the core as WebAssembly and once through SQL.
//
//   node test/wasm_core.mjs DIRECTORY make >statements      DIRECTORY has the package
//   node test/wasm_core.mjs DIRECTORY compare RESULTS       of the statements, in their order
//   node test/wasm_core.mjs DIRECTORY memory
//   node test/wasm_core.mjs DIRECTORY errors
//
// A line of the statements is a query for one JSON value, which must be that of the package: all
// numbers to the last bit.  Both runs make the same ones, as random numbers come from a seed.
import { readFileSync } from 'node:fs';
import { pathToFileURL } from 'node:url';

const [directory, what, file] = process.argv.slice(2);
const core = await import(new URL('index.js', pathToFileURL(`${directory}/`)));
const { load, SkillratingError } = core;
const api = await load();
const { models, rate, winProbability, preview, splitTeams } = api;

// Mulberry32, after Tommy Ettinger.
let seed = Number(process.env.SEED ?? 20260101);
const random = () => {
	seed = (seed + 0x6d2b79f5) | 0;
	let t = Math.imul(seed ^ (seed >>> 15), seed | 1);
	t ^= t + Math.imul(t ^ (t >>> 7), t | 61);
	return ((t ^ (t >>> 14)) >>> 0) / 2 ** 32;
};
const chance = (p) => random() < p;
const below = (n) => Math.floor(random() * n);
const pick = (list) => list[below(list.length)];
const shuffled = (list) =>
	list
		.map((value) => [random(), value])
		.sort(([a], [b]) => a - b)
		.map(([, value]) => value);

// ---- SQL ----

const text = (value) => `'${String(value).replaceAll("'", "''")}'`;
const json = (value) => `${text(JSON.stringify(value))}::jsonb`;
const float = (value) =>
	value === null || value === undefined
		? 'NULL'
		: Number.isNaN(value)
			? "'NaN'"
			: typeof value === 'boolean'
				? String(value)
				: `'${Object.is(value, -0) ? '-0' : value}'`;
const array = (values, type) =>
	values.some((value) => value !== null && value !== undefined)
		? `ARRAY[${values.map((value) => (type === 'text' ? (value === null || value === undefined ? 'NULL' : text(value)) : float(value))).join(',')}]::${type}[]`
		: 'NULL';

// ---- Random parameters ----

function randomParam({ type, default: value, min, max, aboveMin, choices }) {
	if (type === 'flag') return chance(0.5);
	if (type === 'choice') return pick(choices);
	if (type === 'table') return null;
	const low = min ?? -10,
		high = Math.min(max ?? 10, Math.max(2 * Math.abs(value ?? 1), low + 1));
	const number = value === null || value === 0 ? low + random() * Math.min(high - low, 1) : value * (0.5 + random());
	return Math.min(max ?? Infinity, Math.max(number, low + (aboveMin ? 1e-6 : 0)));
}

function randomParams(model) {
	const params = {};
	for (const parameter of model.parameters)
		// A strict state has sums over its rounds, which random numbers are not.
		if (chance(0.3) && parameter.name !== 'strict') {
			const value = randomParam(parameter);
			if (value !== null) params[parameter.name] = value;
			else if (!parameter.name.includes('rating'))
				params[parameter.name] = [
					[5, (parameter.min ?? 0) + 40],
					[20, (parameter.min ?? 0) + 20],
				];
		}
	return params;
}

// Random parameters that the model takes, also together.
function soundParams(model) {
	for (let i = 0; i < 50; i++) {
		const params = randomParams(model);
		try {
			api.logOddsUnit(model.name, params);
			return params;
		} catch (error) {
			if (!(error instanceof SkillratingError)) throw error;
		}
	}
	return {};
}

// ---- Histories ----

const PEOPLE = 14,
	MATCHES = 30;

function randomMatch(model, people) {
	const has = (feature) => model.supports.includes(feature);
	const nteams = has('many_teams') && chance(0.3) ? 3 + below(3) : 2;
	const size = nteams > 3 ? 1 : 1 + below(3);
	const players = shuffled(people).slice(0, nteams * size + below(2));
	const [stints, sides, byScore, drawn, squads] = [chance(0.3), chance(0.4), chance(0.5), chance(0.25), chance(0.5)];
	const score = Array.from({ length: nteams }, (_, t) => (drawn ? 3 : below(9) + t / 16));
	return players.map((id, i) => {
		const team = 1 + (i % nteams);
		const row = { id, team };
		if (byScore) row.score = score[team - 1];
		else row.rank = drawn ? 1 : 1 + ((team + nteams) % nteams);
		if (stints) Object.assign(row, { joined: below(200), left: 300 + below(300) });
		else if (chance(0.3)) row.weight = 0.25 + 0.75 * random();
		if (sides && nteams === 2) row.side = team;
		if (chance(0.15)) row.commanding = 0.75;
		if (squads && i < 2 * nteams && size > 1) row.squad = team;
		if (chance(0.8)) Object.assign(row, { kills: below(20), deaths: below(20) });
		if (chance(0.1)) row.quit = true;
		if (chance(0.2)) row.experience = below(50);
		if (chance(0.2)) row.gain = random() * 2;
		if (chance(0.9)) row.context = `map ${id.length % 2}${below(3)}`;
		if (chance(0.5)) row.club = `club ${team}${below(2)}`;
		return row;
	});
}

// A history as rows of SQL, and what the package makes of it.
function history(model, params) {
	const people = Array.from({ length: PEOPLE }, (_, i) => `player ${i}`);
	const players = new Map(),
		components = new Map(),
		sql = [],
		expected = [];
	const keyOf = ({ kind, key, id }) => JSON.stringify([kind, key ?? '', id]);
	let at = 0,
		played = 0;
	for (let match = 1; match <= MATCHES; match++) {
		at += below(200) * 3600 + 1;
		const rows = randomMatch(model, people);
		const logOdds = rows.some(({ team }) => team > 2) || chance(0.6) ? 0 : random() - 0.5;
		const ready = rows.map((row) => {
			const known = players.get(row.id);
			if (known === undefined) return row;
			const idle = at - known.at;
			return {
				...row,
				state: api.stateAfterIdle(model.name, known.state, idle, {
					params,
					sharedState: known.state,
					sharedIdle: idle,
				}),
				games: known.games,
				past: known.past,
			};
		});
		const aged = [...components.values()].map((component) =>
			api.componentAfterIdle(model.name, component, at - component.at, { params }),
		);
		let result;
		try {
			result = rate(model.name, ready, {
				params,
				logOdds,
				components: aged.map(({ at: then, ...component }) => component),
			});
			result.reason = result.unratedReason;
		} catch (error) {
			if (error.reason === undefined) throw error;
			result = { reason: error.reason };
		}
		if (result.reason === null) {
			played++;
			for (const player of result.players)
				players.set(player.id, {
					state: player.stateAfter,
					games: player.games,
					past: player.past,
					at,
				});
			for (const component of result.components) components.set(keyOf(component), { ...component, at });
		}
		rows.forEach((row, i) => {
			sql.push({ match, at, log_odds: logOdds, n: i + 1, ...row });
			const player = result.players?.find(({ id }) => id === row.id);
			const of = result.teams?.find(({ team }) => team === row.team);
			expected.push(
				result.reason === null
					? {
							m: match,
							n: i + 1,
							before: player.stateBefore,
							after: player.stateAfter,
							shown: [player.ratingBefore, player.ratingAfter],
							win: of.winProbability,
							draw: result.drawProbability,
							score: of.score,
							games: player.games - 1,
							reason: null,
						}
					: { m: match, n: i + 1, reason: result.reason },
			);
		});
	}
	const states = [...components.values()].map(({ kind, key, id, state, games }) => ({
		kind,
		key: key ?? null,
		id: id ?? null,
		state,
		games,
	}));
	return { sql, expected, components: states.sort((a, b) => (keyOf(a) < keyOf(b) ? -1 : 1)), played };
}

const COLUMNS =
	'match int, at float8, log_odds float8, n int, id text, team int, rank float8, score float8, weight float8, joined float8, "left" float8, commanding float8, side float8, squad float8, kills float8, deaths float8, quit boolean, experience float8, gain float8, context text, club text';

function historyQuery({ sql }, model, params) {
	return (
		`WITH r AS MATERIALIZED (SELECT *, timestamptz 'epoch' + at * interval '1 second' AS played_at FROM jsonb_to_recordset(${json(sql)}) AS s(${COLUMNS})),` +
		` q AS (SELECT match, n, skillrating.rate(${text(model.name)}, id, team, rank, weight, played_at, score, NULL, joined, "left", commanding, side, squad, kills, deaths, quit, experience,` +
		` log_odds => log_odds, gain => gain, context => context, club => club, params => ${json(params)}) OVER (ORDER BY match) AS r FROM r)` +
		` SELECT jsonb_build_object('rows', (SELECT jsonb_agg(CASE WHEN (r).unrated_reason IS NULL THEN jsonb_build_object('m', match, 'n', n, 'before', (r).state_before, 'after', (r).state_after,` +
		` 'shown', ARRAY[(r).rating_before, (r).rating_after], 'win', (r).win_probability, 'draw', (r).draw_probability, 'score', (r).score, 'games', (r).games_before, 'reason', NULL)` +
		` ELSE jsonb_build_object('m', match, 'n', n, 'reason', (r).unrated_reason) END ORDER BY match, n) FROM q),` +
		` 'components', (SELECT coalesce(jsonb_agg(jsonb_build_object('kind', kind, 'key', key, 'id', player_id, 'state', state, 'games', games)), '[]') FROM` +
		` unnest((SELECT skillrating.final_components(${text(model.name)}, match, id, team, rank, skillrating.inputs(weight, played_at, score, NULL, joined, "left", commanding, side, squad, kills, deaths, quit, experience,` +
		` log_odds => log_odds, gain => gain, context => context, club => club), ${json(params)} ORDER BY match) FROM r)) AS c WHERE games > 0))`
	);
}

// ---- States and forecasts ----

function randomState(model, params) {
	const state = api.initialState(model.name, params);
	return state.map((number, i) => {
		const moved = number + (random() - 0.5) * (Math.abs(number) / 4 + 0.5);
		const { min } = model.states[i];
		return min !== null && moved <= min ? number : moved;
	});
}

function forecasts(model, params) {
	const nteams = model.supports.includes('many_teams') && chance(0.3) ? 3 : 2;
	const players = Array.from({ length: nteams * (1 + below(3)) }, (_, i) => ({
		id: i + 1,
		team: 1 + (i % nteams),
		state: randomState(model, params),
		weight: chance(0.3) ? 0.5 : 1,
		squad: chance(0.4) ? i % nteams : null,
	}));
	const logOdds = nteams === 2 && chance(0.4) ? random() - 0.5 : 0;
	const seconds = below(1e7),
		state = randomState(model, params);
	const statement = (sql, compute) => ({ sql, compute });
	return [
		statement(
			`SELECT jsonb_agg(jsonb_build_array(team, win_probability, draw_probability) ORDER BY team) FROM skillrating.predict(${text(model.name)}, ${array(
				players.flatMap((player) => player.state),
				'float8',
			)},` +
				` ${array(
					players.map(({ team }) => team),
					'int',
				)}, weight => ${array(
					players.map(({ weight }) => weight),
					'float8',
				)}, squad => ${array(
					players.map(({ squad }) => squad),
					'bigint',
				)}, log_odds => ${float(logOdds)}, params => ${json(params)})`,
			() => {
				const { teams, drawProbability } = winProbability(model.name, players, { params, logOdds });
				return teams.map(({ team, winProbability: win }) => [team, win, drawProbability]);
			},
		),
		statement(
			`SELECT jsonb_build_array(skillrating.initial_state(${text(model.name)}, ${json(params)}), skillrating.log_odds_unit(${text(model.name)}, ${json(params)}),` +
				` skillrating.state_rating(${text(model.name)}, ${array(state, 'float8')}, ${json(params)}), skillrating.state_after_idle(${text(model.name)}, ${array(state, 'float8')}, ${seconds} * interval '1 second', ${json(params)}))`,
			() => [
				api.initialState(model.name, params),
				api.logOddsUnit(model.name, params),
				api.stateRating(model.name, state, params),
				api.stateAfterIdle(model.name, state, seconds, { params }),
			],
		),
		statement(
			`SELECT jsonb_agg(jsonb_build_array(kind, scope, key, used, state_columns, initial_state)) FROM skillrating.model_components(${text(model.name)}, ${json(params)})`,
			() =>
				api
					.modelComponents(model.name, params)
					.map(({ kind, scope, key, used, stateColumns, initialState }) => [
						kind,
						scope,
						key,
						used,
						stateColumns,
						initialState,
					]),
		),
	];
}

// preview() of a ladder whose players have been set to random states, at that time.
function previews(model) {
	const players = ['ann', 'bob', 'cid', 'dan', 'eve'].map((id, i) => ({
		id,
		team: 1 + (i % 2),
		state: randomState(model, {}),
		weight: i === 2 ? 0.5 : 1,
	}));
	const set = ({ id, state }) =>
		`(SELECT count(*) FROM skillrating.set_rating('preview_${model.name}', ${text(id)}::text, ${json(Object.fromEntries(model.stateColumns.map((column, i) => [column, state[i]])))}))`;
	const make = `SELECT to_jsonb(count(*)) FROM skillrating.create_ladder('preview_${model.name}', ${text(model.name)}, player_type => 'text')`;
	return [
		{ sql: make, compute: () => 1 },
		{
			sql: `SELECT jsonb_build_array(${players.map(set).join(', ')})`,
			compute: () => players.map(() => 1),
		},
		{
			sql:
				`SELECT jsonb_agg(jsonb_build_array(player_id, team, rating, win_probability, win_change, draw_change, loss_change, draw_probability)) FROM skillrating.preview('preview_${model.name}', ${array(
					players.map(({ id }) => id),
					'text',
				)},` +
				` ${array(
					players.map(({ team }) => team),
					'int',
				)}, weight => ${array(
					players.map(({ weight }) => weight),
					'float8',
				)}, at => (SELECT max(as_of) FROM preview_${model.name}.rating))`,
			compute: () => {
				const { players: all, drawProbability } = preview(model.name, players);
				return all.map(({ id, team, rating, winProbability: win, winChange, drawChange, lossChange }) => [
					id,
					team,
					rating,
					win,
					winChange,
					drawChange,
					lossChange,
					drawProbability,
				]);
			},
		},
	];
}

// ---- Lobbies ----

function lobby(model, params) {
	const two = model === null || !model.supports.includes('many_teams') || chance(0.7);
	const teams = two ? 2 : 3 + below(2);
	const n = teams * (1 + below(4)) + below(4);
	const whole = chance(0.5);
	const ids = shuffled(Array.from({ length: n }, (_, i) => `p${i}`));
	const whether = Object.fromEntries(
		['mu2', 'deviation', 'weight', 'party', 'locked', 'splitEvenly', 'priority', 'current', 'commandMu', 'state'].map(
			(name) => [name, chance(0.3)],
		),
	);
	if (!two) whether.mu2 = whether.splitEvenly = whether.current = whether.commandMu = false;
	if (model !== null) {
		whether.mu2 &&= model.sideColumn !== null;
		whether.commandMu &&= model.commandColumn !== null;
		whether.deviation &&= model.deviationColumn !== null;
	} else whether.deviation = whether.state = false;
	const scale = model === null ? 200 : 2 * api.logOddsUnit(model.name, params);
	const base = model === null ? 1500 : api.initialState(model.name, params)[0];
	const estimate = () =>
		whole && scale > 20 ? Math.round(base + (random() - 0.5) * scale * 2) : base + (random() - 0.5) * scale * 2;
	const players = ids.map((id, i) => {
		const player = { id, mu: estimate() };
		if (whether.mu2) player.mu2 = estimate();
		if (whether.deviation)
			player.deviation =
				api.initialState(model.name, params)[model.stateColumns.indexOf(model.deviationColumn)] * (0.3 + random());
		if (whether.weight) player.weight = 0.5 + 0.5 * random();
		if (whether.party && i < 4) player.party = 1 + (i >> 1);
		if (whether.locked && i > 4 && i < 7) player.locked = below(teams + 1);
		if (whether.splitEvenly && i >= n - 3) player.splitEvenly = 7;
		if (whether.priority) player.priority = below(4);
		if (whether.current) player.current = chance(0.1) ? null : below(3);
		if (whether.commandMu) player.commandMu = estimate();
		if (whether.state) player.state = randomState(model, params);
		return player;
	});
	const options = { teams };
	if (chance(0.4)) options.teamSize = 1 + below(3);
	if (two && chance(0.3)) options.logOdds = random() - 0.5;
	if (chance(0.3))
		options.avoid = [[ids[0], ids[2 % n]].filter((id, i, both) => i === 0 || id !== both[0]), [ids[1 % n], 'nobody']].filter(
			(pair) => pair.length === 2,
		);
	if (two && chance(0.3)) Object.assign(options, { secondary: pick(['spread', 'best', 'none']), tolerance: scale / 4 });
	if (!two && chance(0.5)) options.objective = 'range';
	if (model !== null) Object.assign(options, { model: model.name, params });
	else if (chance(0.6)) options.strength = pick(['mean', 'sum', 'share']);
	return { players, options };
}

function lobbyStatement({ players, options }) {
	const column = (name, type) =>
		array(
			players.map((player) => player[name]),
			type,
		);
	const groups = (name) =>
		array(
			players.map((player) => player[name]),
			'int',
		);
	const states = players.some(({ state }) => state);
	const call =
		`${states ? 'skillrating_internal.split_states' : 'skillrating.split_teams'}(${array(
			players.map(({ id }) => id),
			'text',
		)}, ${column('mu', 'float8')}, ${column('mu2', 'float8')}, ${column('deviation', 'float8')},` +
		` ${column('weight', 'float8')}, ${groups('party')}, ${groups('locked')}, ${options.avoid?.length > 0 ? `ARRAY[${options.avoid.map((pair) => `ARRAY[${pair.map(text).join(',')}]`).join(',')}]` : 'NULL'}, ${groups('splitEvenly')},` +
		` ${column('priority', 'float8')}, ${groups('current')}, ${column('commandMu', 'float8')}, teams => ${options.teams}, team_size => ${options.teamSize ?? 'NULL'}, log_odds => ${float(options.logOdds ?? 0)},` +
		` strength => ${text(options.strength ?? 'mean')}, model => ${options.model ? text(options.model) : 'NULL'}, params => ${json(options.params ?? {})}, objective => ${text(options.objective ?? 'squares')},` +
		` secondary => ${options.secondary ? text(options.secondary) : 'NULL'}, tolerance => ${float(options.tolerance ?? 0)}${
			states
				? `, state => ${array(
						players.flatMap(({ state }) => state),
						'float8',
					)}`
				: ''
		})`;
	return {
		sql: `SELECT jsonb_agg(jsonb_build_array(player_id, team, difference, win_probability, exact, bound, commands) ORDER BY ordinality) FROM ${call} WITH ORDINALITY`,
		compute: () => {
			const split = splitTeams(players, options);
			return split.players.map(({ id, team, winProbability: win, commands }) => [
				id,
				team,
				split.difference,
				win,
				split.exact,
				split.bound,
				commands,
			]);
		},
	};
}

// ---- Everything ----

function* statements() {
	yield {
		kind: 'registry',
		sql:
			`SELECT jsonb_agg(jsonb_build_array(m.name, m.summary, m.source, m.state_columns, m.supports, m.deviation_column, m.side_column, m.command_column, (SELECT jsonb_agg(to_jsonb(p)) FROM skillrating.model_parameters(m.name) AS p)))` +
			' FROM skillrating.models() AS m',
		compute: () =>
			models.map((m) => [
				m.name,
				m.summary,
				m.source,
				m.stateColumns,
				m.supports,
				m.deviationColumn,
				m.sideColumn,
				m.commandColumn,
				m.parameters.map((p) => ({
					name: p.name,
					type: p.type,
					default_value: p.default,
					min: p.min,
					max: p.max,
					choices: p.choices,
					unit: p.unit,
					description: p.description,
				})),
			]),
	};
	for (const model of models)
		for (let variant = 0; variant < 5; variant++) {
			const params = variant === 0 ? {} : soundParams(model);
			const made = history(model, params);
			yield {
				kind: `history ${model.name}`,
				played: made.played,
				sql: historyQuery(made, model, params),
				compute: () => ({ rows: made.expected, components: made.components }),
				unordered: true,
			};
			for (let i = 0; i < 4; i++)
				yield* forecasts(model, params).map((statement) => ({
					kind: `forecast ${model.name}`,
					...statement,
				}));
			for (let i = 0; i < 4; i++) yield { kind: `split ${model.name}`, ...lobbyStatement(lobby(model, params)) };
		}
	for (const model of models) yield* previews(model).map((statement) => ({ kind: `preview ${model.name}`, ...statement }));
	for (let i = 0; i < 60; i++) yield { kind: 'split without a model', ...lobbyStatement(lobby(null, {})) };
	for (let i = 0; i < 20; i++) {
		const [mu, deviation, z, factor, shift] = [random() * 50, random() * 9, random() * 4, 10 + random(), random() * 100];
		yield {
			kind: 'display',
			sql: `SELECT to_jsonb(skillrating.display_rating(${float(mu)}, ${float(deviation)}, ${float(z)}, ${float(factor)}, ${float(shift)}, ${float(20)}))`,
			compute: () => api.displayRating(mu, deviation, { z, factor, shift, floor: 20 }),
		};
		const cuts = [10, 20, 30.5],
			current = below(4);
		yield {
			kind: 'display',
			sql: `SELECT jsonb_build_array(skillrating.division_number(${float(mu)}, ${array(cuts, 'float8')}), skillrating.division_number(${float(mu)}, ${array(cuts, 'float8')}, ${current}, 1, 2))`,
			compute: () => [
				api.divisionNumber(mu, cuts),
				api.divisionNumber(mu, cuts, { current, margin: 1, promotionMargin: 2 }),
			],
		};
	}
}

// An error as attempt() in the test's database tells it.
function computed({ compute }) {
	try {
		return compute();
	} catch (error) {
		if (!(error instanceof SkillratingError)) throw error;
		return {
			code: error.code,
			message: error.message,
			detail: error.detail ?? '',
			hint: error.hint ?? '',
		};
	}
}

// JSON of SQL keeps no sign of 0.
const same = (a, b) => {
	if (Array.isArray(a)) return Array.isArray(b) && a.length === b.length && a.every((value, i) => same(value, b[i]));
	if (typeof a === 'object' && a !== null)
		return (
			typeof b === 'object' &&
			b !== null &&
			Object.keys({ ...a, ...b }).every((key) => same(a[key] ?? null, b[key] ?? null))
		);
	return a === b;
};

function compare() {
	const results = readFileSync(file, 'utf8').split('\n');
	const counts = new Map();
	let line = 0,
		numbers = 0,
		differing = 0;
	const countNumbers = (value) => {
		if (typeof value === 'number') numbers++;
		else if (typeof value === 'object' && value !== null) Object.values(value).forEach(countNumbers);
	};
	for (const statement of statements()) {
		const expected = computed(statement);
		const found = JSON.parse(results[line++] || 'null');
		if (statement.unordered && found?.components)
			found.components.sort((a, b) =>
				JSON.stringify([a.kind, a.key ?? '', a.id]) < JSON.stringify([b.kind, b.key ?? '', b.id]) ? -1 : 1,
			);
		const kind = statement.kind.replace(/ .*/, '');
		const count = counts.get(kind) ?? { all: 0, errors: 0, played: 0 };
		count.all++;
		count.errors += expected !== null && expected.code !== undefined;
		count.played += statement.played ?? 0;
		counts.set(kind, count);
		countNumbers(expected);
		if (same(found, expected)) continue;
		if (++differing > 5) continue;
		console.log(`${statement.kind}: ${statement.sql.slice(0, 3000)}`);
		if (found?.rows && expected?.rows) {
			const i = expected.rows.findIndex((row, j) => !same(row, found.rows[j]));
			console.log(
				'SQL ',
				JSON.stringify(i < 0 ? found.components : found.rows[i]),
				'\ncore',
				JSON.stringify(i < 0 ? expected.components : expected.rows[i]),
			);
		} else console.log('SQL ', JSON.stringify(found)?.slice(0, 1500), '\ncore', JSON.stringify(expected)?.slice(0, 1500));
	}
	const {
		history: { played },
		split,
	} = Object.fromEntries(counts);
	console.log(
		`# ${[...counts].map(([kind, { all, errors }]) => `${all} of ${kind}${errors ? `, ${errors} of them errors` : ''}`).join('; ')}; ${played} matches rated, ${numbers} numbers`,
	);
	// Most matches must count, and most splits exist, or the comparison says little.
	if (played < 0.7 * MATCHES * 5 * models.length || split.errors > split.all / 2) {
		console.log('# too little was rated or split');
		differing++;
	}
	process.exit(differing === 0 ? 0 : 1);
}

function memory() {
	const model = models.find(({ name }) => name === 'trueskill2');
	const run = (n) => {
		for (let i = 0; i < n; i++) {
			rate('trueskill2', [
				{ team: 1, rank: 1 },
				{ team: 2, rank: 2 },
				{ team: 2, rank: 2 },
			]);
			preview('state_space', [{ team: 1 }, { team: 2 }]);
			splitTeams(Array.from({ length: 8 }, (_, j) => ({ mu: 1500 + ((i * j) % 7) * 10 })));
			try {
				splitTeams([{ mu: 1, party: 1, locked: 1 }, { mu: 2, party: 1, locked: 2 }, { mu: 3 }]);
				process.exit(1);
			} catch (error) {
				if (error.code !== '22023') throw error;
			}
			try {
				rate(model.name, [
					{ team: 1, rank: 1 },
					{ team: 2, rank: -1 },
				]);
			} catch (error) {
				if (error.reason !== 'bad_rank') throw error;
			}
		}
	};
	run(100);
	const before = api.memoryBytes();
	const start = performance.now();
	run(2000);
	console.log(
		`# 10000 calls in ${Math.round(performance.now() - start)} ms, ${before / 65536} pages of memory before and ${api.memoryBytes() / 65536} after`,
	);
	process.exit(api.memoryBytes() === before ? 0 : 1);
}

// What is wrong is said, with the value, and nothing is left behind by it.
function errors() {
	const two = [
		{ id: 'ann', team: 1, rank: 1 },
		{ id: 'bob', team: 2, rank: 2 },
	];
	const cases = [
		[() => rate('eloo', two), '22023', 'eloo', 'unknown rating model "eloo"'],
		[() => rate('elo', two, { params: { kk: 1 } }), '22023', 'kk', 'model "elo" has no parameter "kk"'],
		[() => rate('elo', two, { params: { k: -1 } }), '22003', -1, 'parameter "k" of model "elo" is out of range: -1'],
		[
			() => rate('elo', two, { params: { k: '32' } }),
			'22023',
			'32',
			'parameter "k" of model "elo" must be a number, not "32"',
		],
		[
			() =>
				rate('elo', two, {
					params: {
						k_by_games: [
							[2, 1],
							[1, 2],
						],
					},
				}),
			'22023',
			1,
			'bounds of parameter "k_by_games" of model "elo" do not ascend: 1',
		],
		[() => rate('elo', two, { parms: {} }), '22023', 'parms', 'unknown key "parms" in options'],
		[() => rate('elo', [two[0], { ...two[1], weight: -0.5 }]), '22023', -0.5, 'weight out of range: -0.5'],
		[
			() => rate('elo', [two[0], { ...two[1], state: [1, 2] }]),
			'2202E',
			undefined,
			'state of player bob has 2 numbers, not 1',
		],
		[
			() => rate('glicko', [two[0], { ...two[1], deviation: -3 }]),
			'22003',
			-3,
			'deviation of player bob must be finite and not negative, not -3',
		],
		[() => winProbability('elo', two, { logOdds: Infinity }), '22003', Infinity, 'logOdds must be finite, not Infinity'],
		[
			() => splitTeams([{ mu: 1 }, { mu: 2 }], { teamSize: 2 }),
			'22023',
			undefined,
			'team_size must be at least 1 and at most 1, not 2',
		],
		[() => splitTeams([{ mu: 1 }, { mu: NaN }]), '22003', NaN, 'mu of player 2 is out of range: NaN'],
		[
			() =>
				splitTeams([
					{ id: 'a', mu: 1, party: 1, locked: 1 },
					{ id: 'é', mu: 1, party: 1, locked: 2 },
				]),
			'22023',
			undefined,
			'party, locked and avoid of a, é contradict one another',
		],
		[() => api.displayRating(25, -1), '22003', -1, 'deviation must be finite and not negative, not -1'],
		[() => api.divisionNumber(25, [2, 1]), '22023', 1, 'cuts must ascend: 1 does not after 2'],
	];
	let wrong = 0;
	for (const [call, code, value, message] of cases) {
		const found = (() => {
			try {
				call();
				return {};
			} catch (error) {
				return error;
			}
		})();
		if (
			found instanceof SkillratingError &&
			found.code === code &&
			Object.is(value === undefined ? undefined : found.value, value) &&
			found.message === message
		)
			continue;
		console.log(`expected ${code} ${message} (${value}), found ${found.code} ${found.message} (${found.value})`);
		wrong++;
	}
	for (const [number, shown] of [
		[1e6, '1e+06'],
		[123456.7, '123457'],
		[0.0001, '0.0001'],
		[0.00001234567, '1.23457e-05'],
		[-0, '-0'],
		[1 / 3, '0.333333'],
		[Infinity, 'inf'],
		[999999.9, '1e+06'],
	])
		if (core.formatG(number) !== shown) {
			console.log(`${number} is formatted as ${core.formatG(number)}, not ${shown}`);
			wrong++;
		}
	if (winProbability('elo', two).teams[0].winProbability !== 0.5) wrong++;
	process.exit(wrong === 0 ? 0 : 1);
}

if (what === 'make') for (const { sql } of statements()) console.log(sql.replaceAll('\\', '\\\\').replaceAll('\n', ' '));
else if (what === 'compare') compare();
else if (what === 'memory') memory();
else errors();
