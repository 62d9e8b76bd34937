// Previews of ratings where there is no database, such as in a game's client: the core of the
// PostgreSQL extension skillrating, compiled to WebAssembly.  Results are, bit for bit, those of
// the functions of SQL with the same names.

import {
	INVALID,
	NO_NULL,
	OUT_OF_RANGE,
	TOO_MUCH,
	byNumber,
	byText,
	checkKeys,
	fail,
	finite,
	formatG,
	integer,
	isAbsent,
	isNumber,
	notNegative,
	oneOf,
	positive,
	shown,
} from './checks.js';
import { Module } from './module.js';

export { SkillratingError, formatG } from './checks.js';

const STRENGTHS = ['mean', 'sum', 'share'];
const OBJECTIVES = ['squares', 'range'];
const SECONDARIES = ['none', 'spread', 'best'];
// The numbers of a participant, in the order in which the core has them.
const PARTICIPANT = [
	'rank',
	'score',
	'won',
	'weight',
	'joined',
	'left',
	'commanding',
	'side',
	'squad',
	'kills',
	'deaths',
	'quit',
	'experience',
	'gain',
	'bot',
	'fixed',
];
// What may be said of a player of a match besides.
const OF_PLAYER = ['id', 'team', 'context', 'club', 'state', 'mu', 'deviation', 'games', 'past'];
// The columns of a lobby.
const LOBBY = [
	'mu',
	'mu2',
	'deviation',
	'weight',
	'party',
	'locked',
	'splitEvenly',
	'priority',
	'current',
	'commandMu',
	'commandMu2',
	'commander',
];
const TWO_TEAMS_ONLY = ['mu2', 'commandMu', 'current', 'splitEvenly'];
const TEAM_NUMBERS = 3;
const PLAYER_NUMBERS = 3;
const MAX_TEAMS = 10;
const MAX_LOBBY = 1000;
const MAX_POINTS = 1e12;
const MIN_WEIGHT = 1e-6,
	MAX_WEIGHT = 1e6;
const STEPS_PER_MILLISECOND = 1e6,
	MAX_STEPS = 1e10;
const INT_MAX = 2 ** 31 - 1;

async function moduleOf(source) {
	if (source instanceof WebAssembly.Module) return source;
	if (source instanceof ArrayBuffer || ArrayBuffer.isView(source)) return WebAssembly.compile(source);
	const url = source ?? new URL('./core.wasm', import.meta.url);
	if (url instanceof URL && url.protocol === 'file:' && typeof process !== 'undefined' && process.versions?.node) {
		const { readFile } = await import('node:fs/promises');
		return WebAssembly.compile(await readFile(url));
	}
	const response = await fetch(url);
	if (!response.ok) throw new Error(`cannot load ${url}: ${response.status} ${response.statusText}`);
	return WebAssembly.compile(await response.arrayBuffer());
}

/**
 * Loads the module and returns its functions.  source: a WebAssembly.Module, the bytes of
 * core.wasm, or its address; core.wasm beside this file by default.
 */
export async function load(source) {
	return new Core(await moduleOf(source)).interface();
}

class Core extends Module {
	// ---- Matches ----

	// A status as an error.
	failStatus(status, value, player) {
		const { code, message, hint } = this.status[status];
		const sqlstate =
			code === 'too_many_participants' || code === 'too_many_teams'
				? TOO_MUCH
				: code === 'overflow'
					? OUT_OF_RANGE
					: INVALID;
		fail(sqlstate, Number.isNaN(value) ? message : `${message}: ${formatG(value)}`, {
			detail: player === undefined ? undefined : `It is in a row of player ${player}.`,
			hint: hint ?? undefined,
			value: Number.isNaN(value) ? undefined : value,
			reason: code,
		});
	}

	// The rows of a match as the core wants them: its numbers, ordered as the server orders them.
	rows(players, result) {
		const index = new Map(),
			people = [],
			contexts = new Map(),
			clubs = new Map();
		const numbered = (names, name) => {
			if (isAbsent(name)) return -1;
			if (!names.has(String(name))) names.set(String(name), names.size);
			return names.get(String(name));
		};
		if (!Array.isArray(players)) fail(INVALID, `players must be an array, not ${shown(players)}`, { value: players });
		const rows = players.map((player, place) => {
			checkKeys(player, [...OF_PLAYER, ...PARTICIPANT], `player ${place + 1}`);
			const id = isAbsent(player.id) ? place + 1 : player.id;
			integer(`team of player ${id}`, player.team, -INT_MAX - 1, INT_MAX);
			if (!index.has(id)) {
				index.set(id, people.length);
				people.push({ id, row: player });
			}
			const numbers = PARTICIPANT.map((name) => {
				const value = name === 'rank' && result !== undefined ? result : player[name];
				if (isAbsent(value)) return NaN;
				if (typeof value === 'boolean' && ['won', 'quit', 'bot', 'fixed'].includes(name)) return Number(value);
				if (typeof value !== 'number')
					fail(INVALID, `${name} of player ${id} must be a number, not ${shown(value)}`, { value });
				return value;
			});
			return {
				place,
				id,
				player: index.get(id),
				team: player.team,
				numbers,
				context: player.context,
				club: player.club,
			};
		});
		rows.sort((a, b) => {
			let order = a.team - b.team || a.player - b.player;
			for (let i = 0; order === 0 && i < PARTICIPANT.length; i++) order = byNumber(a.numbers[i], b.numbers[i]);
			return order || byText(a.context, b.context) || byText(a.club, b.club);
		});
		const flat = rows.flatMap((row) => [
			row.player,
			row.team,
			...row.numbers,
			numbered(contexts, row.context),
			numbered(clubs, row.club),
		]);
		return { rows, people, flat, names: { context: [...contexts.keys()], club: [...clubs.keys()] } };
	}

	// Build a match of players and put everybody, and every component, into a state.
	enter(m, players, { params: given, logOdds = 0, components = [] }, result) {
		const params = this.params(m, given);
		const match = { m, params, ...this.rows(players, result), nstate: this.models[m].states.length };
		finite('logOdds', logOdds);
		match.status = this.wasm.build_match(m, params, this.put(match.flat), match.rows.length, match.people.length, logOdds);
		if (match.status > this.lastUnrated) {
			const offender = this.wasm.match_offender();
			this.failStatus(
				match.status,
				this.wasm.status_value(match.status),
				offender < 0 ? undefined : match.rows[offender].id,
			);
		}
		match.people.forEach((person, i) => this.enterPlayer(match, person, i));
		this.enterComponents(match, components);
		return match;
	}

	enterPlayer(match, person, i) {
		const { m, params, nstate } = match;
		const columns = this.models[m].states;
		person.before = this.stateOf(m, params, person.row, person.id);
		person.before.forEach((number, column) => {
			if (!Number.isFinite(number) || number < this.wasm.state_min(m, params, column))
				this.failStatus(
					this.status.findIndex(({ code }) => code === 'bad_state'),
					number,
					person.id,
				);
		});
		person.games = isAbsent(person.row.games) ? 0 : notNegative(`games of player ${person.id}`, person.row.games);
		person.place = this.put(person.before);
		person.afterPlace = this.room(nstate);
		const past = person.row.past ?? [];
		const numbers = past.flatMap((state) => columns.map((_, column) => finite('past', state[column])));
		this.wasm.enter_player(
			i,
			person.place,
			person.afterPlace,
			person.games,
			this.put(numbers),
			past.length,
		);
	}

	enterComponents(match, given) {
		const { m, params } = match;
		const kinds = this.models[m].components;
		const known = new Map();
		const key = (kind, name, id) =>
			JSON.stringify([kind, isAbsent(name) ? '' : String(name), isAbsent(id) ? null : [typeof id, id]]);
		if (!Array.isArray(given)) fail(INVALID, `components must be an array, not ${shown(given)}`, { value: given });
		for (const component of given) {
			checkKeys(component, ['kind', 'key', 'id', 'state', 'games', 'stateBefore', 'stateAfter'], 'component');
			oneOf(
				'kind of component',
				component.kind,
				kinds.map(({ kind }) => kind),
			);
			known.set(key(component.kind, component.key, component.id), component);
		}
		match.components = Array.from({ length: this.wasm.match_components() }, (_, i) => {
			const number = this.wasm.match_component(i, 0),
				player = this.wasm.match_component(i, 1),
				index = this.wasm.match_component(i, 2);
			const spec = kinds[number],
				n = spec.stateColumns.length;
			const component = {
				kind: spec.kind,
				key: spec.key === null ? null : match.names[spec.key][index],
				id: player < 0 ? null : match.people[player].id,
			};
			const before = known.get(key(component.kind, component.key, component.id));
			component.n = n;
			component.games = isAbsent(before?.games) ? 0 : notNegative(`games of component "${spec.kind}"`, before.games);
			component.place = this.room(n);
			if (isAbsent(before?.state)) this.wasm.component_initial(m, params, number, component.place);
			else {
				const state = this.numbersOf(`state of component "${spec.kind}"`, before.state, n, spec.stateColumns);
				state.forEach((value, column) => {
					if (!Number.isFinite(value) || value < spec.min[column])
						this.failStatus(
							this.status.findIndex(({ code }) => code === 'bad_state'),
							value,
						);
				});
				component.place = this.put(state);
			}
			component.afterPlace = this.room(n);
			this.wasm.enter_component(i, component.place, component.afterPlace, component.games);
			return component;
		});
	}

	// The teams of a match that was rated or predicted, and the probability of a draw.
	teams(place, draw) {
		const numbers = this.get(place, TEAM_NUMBERS * this.wasm.match_teams());
		const [drawProbability] = this.get(draw, 1);
		const teams = [];
		for (let i = 0; i < numbers.length; i += TEAM_NUMBERS)
			teams.push({ team: numbers[i], winProbability: numbers[i + 1], score: numbers[i + 2] });
		return { teams, drawProbability: Number.isNaN(drawProbability) ? null : drawProbability };
	}

	predicted(match) {
		const team = this.room(TEAM_NUMBERS * match.rows.length),
			draw = this.room(1);
		const status = this.wasm.predict_match(team, draw);
		if (status !== 0) this.failStatus(status, NaN);
		return this.teams(team, draw);
	}

	rated(match) {
		const team = this.room(TEAM_NUMBERS * match.rows.length),
			draw = this.room(1),
			player = this.room(PLAYER_NUMBERS * match.people.length);
		const status = this.wasm.rate_match(team, player, draw);
		if (status !== 0) this.failStatus(status, NaN);
		const numbers = this.get(player, PLAYER_NUMBERS * match.people.length);
		return {
			...this.teams(team, draw),
			player: match.people.map((_, i) => numbers.slice(PLAYER_NUMBERS * i, PLAYER_NUMBERS * (i + 1))),
		};
	}

	winProbability(name, players, options = {}) {
		checkKeys(options, ['params', 'logOdds', 'components'], 'options');
		return this.call(() => {
			const match = this.enter(this.model(name), players, options, 1);
			if (match.status !== 0) this.failStatus(match.status, NaN);
			const { teams, drawProbability } = this.predicted(match);
			return {
				teams: teams.map(({ team, winProbability }) => ({ team, winProbability })),
				drawProbability,
			};
		});
	}

	// What becomes of the players of a match that is not rated: nothing.
	unrated(match) {
		const { code, message } = this.status[match.status];
		const forecast = code === 'no_result' ? this.predicted(match) : null;
		const win = (id) =>
			forecast?.teams.find(({ team }) => team === match.rows.find((row) => row.id === id).team).winProbability ?? null;
		return {
			unratedReason: code,
			unratedDetail: message,
			teams: (forecast?.teams ?? []).map((team) => ({ ...team, score: null })),
			drawProbability: forecast?.drawProbability ?? null,
			players: match.people.map(({ id, row, before, games }) => {
				const rating = this.wasm.state_rating(match.m, match.params, this.put(before));
				return {
					id,
					team: row.team,
					winProbability: win(id),
					score: null,
					ratingBefore: rating,
					ratingAfter: rating,
					stateBefore: before,
					stateAfter: [...before],
					games,
					past: row.past ?? [],
				};
			}),
			components: match.components.map(({ kind, key, id, games, place, n }) => ({
				kind,
				key,
				id,
				state: this.get(place, n),
				stateBefore: this.get(place, n),
				games,
			})),
		};
	}

	rate(name, players, options = {}) {
		checkKeys(options, ['params', 'logOdds', 'components'], 'options');
		return this.call(() => {
			const match = this.enter(this.model(name), players, options);
			if (match.status !== 0) return this.unrated(match);
			const { teams, drawProbability, player } = this.rated(match);
			return {
				unratedReason: null,
				unratedDetail: null,
				teams,
				drawProbability,
				players: match.people.map(({ id, row, before, games, afterPlace }, i) => {
					const [index, ratingBefore, ratingAfter] = player[i];
					const { team, winProbability, score } = teams[index];
					const stateAfter = this.get(afterPlace, match.nstate);
					const looksBack = this.wasm.model_looks_back(match.m, match.params, afterPlace);
					const known = row.past ?? [];
					const moved = stateAfter.some((number, column) => number !== before[column]);
					const past = looksBack > 0 ? (moved ? [...known, stateAfter] : known).slice(-looksBack) : [];
					return {
						id,
						team,
						winProbability,
						score,
						ratingBefore,
						ratingAfter,
						stateBefore: before,
						stateAfter,
						games: games + 1,
						past,
					};
				}),
				components: match.components.map(({ kind, key, id, games, place, afterPlace, n }) => ({
					kind,
					key,
					id,
					state: this.get(afterPlace, n),
					stateBefore: this.get(place, n),
					games: games + 1,
				})),
			};
		});
	}

	preview(name, players, options = {}) {
		checkKeys(options, ['params', 'logOdds', 'components'], 'options');
		return this.call(() => {
			const match = this.enter(this.model(name), players, options, 1);
			if (match.status !== 0) this.failStatus(match.status, NaN);
			const nteams = this.wasm.match_teams();
			const change = match.people.map(() => ({}));
			let last;
			for (const [outcome, rank] of [
				['winChange', 1],
				['drawChange', 1.5],
				['lossChange', 2],
			])
				for (let t = 0; t < nteams; t++) {
					// All draws are the same draw.
					if (outcome !== 'drawChange' || t === 0) {
						for (let i = 0; i < nteams; i++) this.wasm.set_rank(i, i === t ? rank : 1.5);
						last = this.rated(match);
					}
					last.player.forEach(([team, before, after], i) => {
						if (team === t) Object.assign(change[i], { rating: before, [outcome]: after - before });
					});
				}
			const { teams, drawProbability } = last;
			return {
				drawProbability,
				teams: teams.map(({ team, winProbability }) => ({ team, winProbability })),
				players: match.people.map(({ id }, i) => {
					const { team, winProbability } = teams[last.player[i][0]];
					return { id, team, winProbability, ...change[i] };
				}),
			};
		});
	}

	// ---- Teams ----

	splitTeams(players, options = {}) {
		checkKeys(
			options,
			[
				'teams',
				'teamSize',
				'logOdds',
				'strength',
				'logOddsUnit',
				'commandWeight',
				'model',
				'params',
				'objective',
				'secondary',
				'tolerance',
				'budget',
				'avoid',
			],
			'options',
		);
		if (!Array.isArray(players)) fail(INVALID, `players must be an array, not ${shown(players)}`, { value: players });
		if (players.length > MAX_LOBBY)
			fail(TOO_MUCH, `there are ${players.length} players, more than ${MAX_LOBBY}`, {
				value: players.length,
			});
		const teams = integer('teams', options.teams ?? 2, 2, MAX_TEAMS);
		const lobby = this.lobby(players, teams);
		const scalar = this.scalars(players, teams, options, lobby);
		if (players.length === 0) return { players: [], difference: null, exact: null, bound: null };
		return this.call(() => {
			const m = isAbsent(options.model) ? -1 : this.model(options.model);
			const params = m < 0 ? 0 : this.params(m, options.params ?? {});
			const states = this.lobbyStates(m, params, players, lobby);
			const pairs = this.pairs(options.avoid ?? [], lobby.ids);
			const team = this.wasm.allocate(4 * players.length),
				result = this.room(5 + teams);
			this.names = lobby.ids.map(String);
			this.wasm.split(
				this.put(scalar),
				this.put(lobby.columns.flat()),
				this.putIntegers(pairs.flat()),
				pairs.length,
				m,
				params,
				states,
				team,
				result,
			);
			return this.splitResult(lobby, this.getIntegers(team, players.length), this.get(result, 5 + teams));
		});
	}

	splitResult(lobby, team, [difference, exact, bound, first, second, ...win]) {
		return {
			players: lobby.ids.map((id, i) => ({
				id,
				team: team[i] === 0 ? null : team[i],
				winProbability: team[i] === 0 ? null : win[team[i] - 1],
				commands: lobby.given.has('commandMu') ? first === i || second === i : null,
			})),
			difference,
			exact: exact !== 0,
			bound,
		};
	}

	// The columns of a lobby, NaN where a player has nothing in them.
	lobby(players, teams) {
		const ids = players.map((player, i) => {
			checkKeys(player, ['id', 'state', ...LOBBY], `player ${i + 1}`);
			return isAbsent(player.id) ? i + 1 : player.id;
		});
		const twice = ids.find((id, i) => ids.indexOf(id) !== i);
		if (twice !== undefined) fail(INVALID, `player ${twice} occurs twice`, { value: twice });
		const given = new Set(LOBBY.filter((name) => players.some((player) => !isAbsent(player[name]))));
		if (teams > 2)
			for (const name of TWO_TEAMS_ONLY)
				if (given.has(name)) fail(INVALID, `${name} is for two teams only, not for ${teams}`, { value: teams });
		const columns = LOBBY.map((name) => {
			const groups = new Map();
			return players.map((player, i) => this.lobbyNumber(name, player, ids[i], teams, groups, given));
		});
		given.add('mu');
		return { ids, given, columns };
	}

	lobbyNumber(name, player, id, teams, groups, given) {
		const value = player[name];
		const required = (otherwise) =>
			given.has(name) && otherwise === undefined
				? fail(NO_NULL, `${name} of player ${id} is missing`, {
						hint: 'Either all players have it, or none.',
					})
				: (otherwise ?? NaN);
		const points = (least = -MAX_POINTS) => {
			if (!isNumber(value) || value < least || value > MAX_POINTS)
				fail(OUT_OF_RANGE, `${name} of player ${id} is out of range: ${shown(value)}`, {
					hint: `It must lie between ${formatG(least)} and ${formatG(MAX_POINTS)}.`,
					value,
				});
			return value;
		};
		switch (name) {
			case 'mu':
				if (!isAbsent(value)) return points();
				return isAbsent(player.state) ? fail(NO_NULL, `mu of player ${id} is missing`) : player.state[0];
			case 'party':
			case 'splitEvenly':
				if (isAbsent(value)) return NaN;
				if (!groups.has(value)) groups.set(value, groups.size + 1);
				return groups.get(value);
			case 'locked':
				if (isAbsent(value)) return NaN;
				if (!Number.isInteger(value) || value < 0 || value > teams)
					fail(INVALID, `player ${id} cannot be locked to team ${shown(value)}`, {
						hint: `locked is a team from 1 to ${teams}, 0 for the bench, or null.`,
						value,
					});
				return value;
			case 'current':
				if (isAbsent(value)) return NaN;
				if (![0, 1, 2].includes(value))
					fail(INVALID, `player ${id} cannot be in team ${shown(value)}`, {
						hint: 'current is 1 or 2, 0 for the bench, or null for a player who was not there.',
						value,
					});
				return value;
			case 'weight':
				if (isAbsent(value)) return given.has(name) ? 1 : NaN;
				if (!(value >= MIN_WEIGHT && value <= MAX_WEIGHT))
					fail(OUT_OF_RANGE, `weight of player ${id} is out of range: ${shown(value)}`, {
						hint: `A weight is the share of the match that a player plays, from ${formatG(MIN_WEIGHT)} to ${formatG(MAX_WEIGHT)}.`,
						value,
					});
				return value;
			case 'commander':
				return isAbsent(value)
					? required(1)
					: typeof value === 'boolean'
						? Number(value)
						: fail(INVALID, `commander of player ${id} must be true or false, not ${shown(value)}`, { value });
			case 'priority':
				return isAbsent(value) ? required(0) : points();
			default:
				return isAbsent(value) ? required() : points();
		}
	}

	// The states of all players, where somebody has a state, else none.
	lobbyStates(m, params, players, { ids, columns }) {
		if (!players.some((player) => !isAbsent(player.state))) return 0;
		if (m < 0) fail(INVALID, 'a state is for a split by a model', { hint: 'Name the model, or give mu only.' });
		return this.put(
			players.flatMap((player, i) => {
				const state = this.stateOf(m, params, player, ids[i]);
				state[0] = columns[0][i];
				return state;
			}),
		);
	}

	scalars(players, teams, options, { given }) {
		const {
			teamSize,
			logOdds = 0,
			strength = 'mean',
			logOddsUnit = 400 / Math.LN10,
			commandWeight = 0.5,
			objective = 'squares',
			secondary,
			tolerance = 0,
			budget,
		} = options;
		const bits = LOBBY.reduce((sum, name, bit) => sum + (given.has(name) ? 2 ** bit : 0), 0);
		finite('logOdds', logOdds);
		positive('logOddsUnit', logOddsUnit);
		if (Math.abs(logOdds * logOddsUnit) > MAX_POINTS)
			fail(OUT_OF_RANGE, `logOdds times logOddsUnit is out of range: ${formatG(logOdds * logOddsUnit)}`, {
				value: logOdds,
			});
		if (notNegative('commandWeight', commandWeight) > MAX_WEIGHT)
			fail(OUT_OF_RANGE, `commandWeight must be at most ${formatG(MAX_WEIGHT)}, not ${formatG(commandWeight)}`, {
				value: commandWeight,
			});
		if (teams > 2 && logOdds !== 0) fail(INVALID, `logOdds is for two teams only, not for ${teams}`, { value: logOdds });
		const second = oneOf('secondary objective', secondary ?? 'none', SECONDARIES);
		if (teams > 2 && second !== 0) fail(INVALID, `secondary is for two teams only, not for ${teams}`, { value: secondary });
		return [
			players.length,
			teams,
			isAbsent(teamSize) ? 0 : integer('teamSize', teamSize, 1, MAX_LOBBY),
			logOdds,
			oneOf('strength', strength, STRENGTHS),
			logOddsUnit,
			commandWeight,
			oneOf('objective', objective, OBJECTIVES),
			second,
			notNegative('tolerance', tolerance),
			isAbsent(budget) ? 0 : Math.min(MAX_STEPS, positive('budget', budget) * STEPS_PER_MILLISECOND),
			bits,
		];
	}

	// Pairs who must not be in one team, each once.
	pairs(avoid, ids) {
		const seen = new Set(),
			pairs = [];
		if (!Array.isArray(avoid) || !avoid.every((pair) => Array.isArray(pair) && pair.length === 2))
			fail(INVALID, `avoid must consist of pairs, not be ${shown(avoid)}`, { value: avoid });
		for (const [a, b] of avoid) {
			const places = [ids.indexOf(a), ids.indexOf(b)];
			// A player who is not in the lobby need not be avoided.
			if (places.includes(-1)) continue;
			if (places[0] === places[1]) fail(INVALID, `player ${a} cannot avoid themselves`, { value: a });
			const pair = [...places].sort((x, y) => x - y).join();
			if (!seen.has(pair)) pairs.push(places);
			seen.add(pair);
		}
		return pairs;
	}

	// ---- Display ----

	displayRating(mu, deviation, { z = 3, factor = 1, shift = 0, floor = -Infinity } = {}) {
		finite('mu', mu);
		notNegative('deviation', deviation);
		finite('z', z);
		positive('factor', factor);
		finite('shift', shift);
		if (!isNumber(floor) || floor === Infinity)
			fail(OUT_OF_RANGE, `floor must be finite or -Infinity, not ${shown(floor)}`, { value: floor });
		const shownRating = shift + factor * (mu - z * deviation);
		if (!Number.isFinite(shownRating))
			fail(OUT_OF_RANGE, `result is out of range: ${formatG(shownRating)}`, {
				hint: 'The arguments are too large or too small to compute with.',
				value: shownRating,
			});
		return shownRating < floor ? floor : shownRating;
	}

	divisionNumber(rating, cuts, { current, margin = 0, promotionMargin = 0 } = {}) {
		if (!Array.isArray(cuts)) fail(INVALID, `cuts must be an array of numbers, not ${shown(cuts)}`, { value: cuts });
		cuts.forEach((cut, i) => {
			finite('cuts', cut);
			if (i > 0 && cut <= cuts[i - 1])
				fail(INVALID, `cuts must ascend: ${formatG(cut)} does not after ${formatG(cuts[i - 1])}`, {
					value: cut,
				});
		});
		finite('rating', rating);
		notNegative('margin', margin);
		notNegative('promotionMargin', promotionMargin);
		if (!isAbsent(current) && !(Number.isInteger(current) && current >= 0 && current <= cuts.length))
			fail(OUT_OF_RANGE, `current must lie between 0 and ${cuts.length}, not ${shown(current)}`, {
				value: current,
			});
		return this.call(() => this.wasm.division(rating, this.put(cuts), cuts.length, current ?? -1, margin, promotionMargin));
	}

	// A function of a model, its parameters and what else there is.
	ofModel(name, params, work) {
		return this.call(() => {
			const m = this.model(name);
			return work(m, this.params(m, params ?? {}), this.models[m]);
		});
	}

	interface() {
		const state = (model, value, name = 'state') => this.put(this.soundState(model, value, name));
		const seconds = (value, name) => {
			if (!isNumber(value) || !(value >= 0) || !Number.isFinite(value))
				fail(OUT_OF_RANGE, `${name} must be finite and not negative, not ${shown(value)}`, { value });
			return value;
		};
		return {
			models: this.models.map((model) => this.publicModel(model)),
			initialState: (model, params) => this.ofModel(model, params, (m, p) => this.newState(m, p)),
			stateRating: (model, value, params) =>
				this.ofModel(model, params, (m, p, spec) => this.wasm.state_rating(m, p, state(spec, value))),
			logOddsUnit: (model, params) => this.ofModel(model, params, (m, p) => this.wasm.log_odds_unit(m, p)),
			stateAfterIdle: (model, value, idle, { params, sharedState, sharedIdle = 0 } = {}) =>
				this.ofModel(model, params, (m, p, spec) => {
					const after = this.room(spec.states.length);
					this.wasm.state_after_idle(
						m,
						p,
						state(spec, value),
						seconds(idle, 'idle'),
						isAbsent(sharedState) ? 0 : state(spec, sharedState, 'sharedState'),
						seconds(sharedIdle, 'sharedIdle'),
						after,
					);
					return this.get(after, spec.states.length);
				}),
			componentAfterIdle: (model, component, idle, { params } = {}) =>
				this.ofModel(model, params, (m, p, spec) => {
					const number = oneOf(
						'kind of component',
						component?.kind,
						spec.components.map(({ kind }) => kind),
					);
					const { stateColumns } = spec.components[number];
					const after = this.room(stateColumns.length);
					this.wasm.component_after_idle(
						m,
						p,
						number,
						this.put(this.numbersOf('state', component.state, stateColumns.length, stateColumns)),
						seconds(idle, 'idle'),
						after,
					);
					return { ...component, state: this.get(after, stateColumns.length) };
				}),
			modelComponents: (model, params) =>
				this.ofModel(model, params, (m, p, spec) =>
					spec.components.map(({ min, ...component }, i) => {
						const used = this.wasm.component_used(m, p, i) !== 0,
							place = this.room(component.stateColumns.length);
						if (used) this.wasm.component_initial(m, p, i, place);
						return {
							...component,
							used,
							initialState: used ? this.get(place, component.stateColumns.length) : null,
						};
					}),
				),
			winProbability: this.winProbability.bind(this),
			rate: this.rate.bind(this),
			preview: this.preview.bind(this),
			splitTeams: this.splitTeams.bind(this),
			displayRating: this.displayRating.bind(this),
			divisionNumber: this.divisionNumber.bind(this),
			memoryBytes: () => this.wasm.memory.buffer.byteLength,
		};
	}

	// A state whose numbers are sound.
	soundState(model, value, name) {
		const numbers = this.numbersOf(name, value, model.states.length, model.stateColumns);
		numbers.forEach((number, i) => {
			if (!Number.isFinite(number)) fail(OUT_OF_RANGE, `${name} must be finite, not ${shown(number)}`, { value: number });
			if (model.states[i].min !== null && number < model.states[i].min)
				this.failStatus(
					this.status.findIndex(({ code }) => code === 'bad_state'),
					number,
				);
		});
		return numbers;
	}
}
