// The WebAssembly module: what goes in and out of its memory, and what its registry knows.

import {
	INVALID,
	OUT_OF_RANGE,
	TOO_MUCH,
	WRONG_SIZE,
	fail,
	finite,
	formatG,
	isAbsent,
	isNumber,
	notNegative,
	quoted,
	shown,
} from './checks.js';

// The numbers of enums in exports.c and the core, in their order.
const TEXTS = [
	'modelName',
	'modelSummary',
	'modelSource',
	'stateName',
	'stateDescription',
	'paramName',
	'paramUnit',
	'paramDescription',
	'paramChoice',
	'componentName',
	'componentDescription',
	'componentStateName',
	'statusCode',
	'statusMessage',
	'statusHint',
];
const NUMBERS = [
	'models',
	'statuses',
	'lastUnrated',
	'states',
	'params',
	'components',
	'supports',
	'stateMin',
	'stateShared',
	'stateRole',
	'paramListed',
	'paramType',
	'paramDefault',
	'paramMin',
	'paramMax',
	'paramAboveMin',
	'paramChoices',
	'paramMaxSteps',
	'componentScope',
	'componentKey',
	'componentStates',
	'componentStateMin',
];
const PARAM_TYPES = ['number', 'choice', 'flag', 'table'];
const ROLES = ['none', 'deviation', 'side', 'command'];
const SCOPES = ['match', 'match', 'side', 'team', 'player'];
const KEYS = [null, 'context', 'club'];
const SUPPORTS = [
	'many_teams',
	'draws',
	'weight',
	'side',
	'commanding',
	'log_odds',
	'gain',
	'score',
	'one_team',
	'squad',
	'counts',
	'quit',
	'experience',
	'context',
	'club',
];

/** The module with its memory, its registry of models, and their parameters and states. */
export class Module {
	constructor(module) {
		const host = {
			measure: (format, args) => this.bytes(this.format(format, args)).length,
			format: (format, args, string) => {
				this.memory8().set(this.bytes(this.format(format, args)), string);
			},
			code: (code) => {
				this.report = [undefined, undefined, undefined];
				this.reportCode = String(code).padStart(5, '0');
			},
			report: (field, format, args) => {
				this.report[field] = this.format(format, args);
			},
			throw: () => fail(this.reportCode, this.report[0], { detail: this.report[1], hint: this.report[2] }),
			measure_player: (player) => this.bytes(this.names[player]).length,
			name_player: (player, name) => {
				this.memory8().set(this.bytes(this.names[player]), name);
			},
		};
		this.decoder = new TextDecoder();
		this.encoder = new TextEncoder();
		this.names = [];
		this.instance = new WebAssembly.Instance(module, { host });
		this.wasm = this.instance.exports;
		this.stack = this.wasm.__stack_pointer?.value;
		this.describe();
	}

	// ---- Memory ----

	memory8() {
		return new Uint8Array(this.wasm.memory.buffer);
	}
	bytes(text) {
		return this.encoder.encode(text);
	}

	// Call what may throw out of the module, which then leaves its stack as it was.
	call(work) {
		this.wasm.begin();
		try {
			return work();
		} catch (error) {
			if (this.stack !== undefined) this.wasm.__stack_pointer.value = this.stack;
			throw error;
		}
	}

	// Room for numbers; the array must be looked at before the next call, by get().
	room(n) {
		return this.wasm.allocate(Math.max(8 * n, 8));
	}
	put(numbers) {
		const place = this.room(numbers.length);
		new Float64Array(this.wasm.memory.buffer, place, numbers.length).set(numbers);
		return place;
	}
	putIntegers(numbers) {
		const place = this.wasm.allocate(Math.max(4 * numbers.length, 8));
		new Int32Array(this.wasm.memory.buffer, place, numbers.length).set(numbers);
		return place;
	}
	get(place, n) {
		return Array.from(new Float64Array(this.wasm.memory.buffer, place, n));
	}
	getIntegers(place, n) {
		return Array.from(new Int32Array(this.wasm.memory.buffer, place, n));
	}

	text(place) {
		if (place === 0) return null;
		const memory = this.memory8();
		return this.decoder.decode(memory.subarray(place, memory.indexOf(0, place)));
	}

	// A format of printf() with its arguments, of which the core uses these few.
	format(format, args) {
		const view = new DataView(this.wasm.memory.buffer);
		const next = (size) => {
			args = Math.ceil(args / size) * size;
			args += size;
			return args - size;
		};
		return this.text(format).replace(/%(s|d|zu|g|%)/g, (all, kind) => {
			switch (kind) {
				case 's':
					return this.text(view.getUint32(next(4), true));
				case 'd':
					return String(view.getInt32(next(4), true));
				case 'zu':
					return String(view.getUint32(next(4), true));
				case 'g':
					return formatG(view.getFloat64(next(8), true));
				default:
					return '%';
			}
		});
	}

	// ---- The registry ----

	describe() {
		const text = (what, model, i = 0, j = 0) => this.text(this.wasm.describe_text(TEXTS.indexOf(what), model, i, j));
		const number = (what, model, i = 0, j = 0) => this.wasm.describe_number(NUMBERS.indexOf(what), model, i, j);
		const list = (n, make) => Array.from({ length: n }, (_, i) => make(i));
		const bound = (value) => (Number.isFinite(value) ? value : null);
		this.lastUnrated = number('lastUnrated', 0);
		this.status = list(number('statuses', 0), (i) => ({
			code: text('statusCode', 0, i),
			message: text('statusMessage', 0, i),
			hint: text('statusHint', 0, i),
		}));
		this.models = list(number('models', 0), (m) => this.describeModel(m, text, number, list, bound));
		this.byName = new Map(this.models.map((model, m) => [model.name, m]));
	}

	describeModel(m, text, number, list, bound) {
		const param = (i) => {
			const type = PARAM_TYPES[number('paramType', m, i)];
			const ranged = type === 'number' || type === 'table';
			const value = number('paramDefault', m, i);
			const choices = type === 'choice' ? list(number('paramChoices', m, i), (j) => text('paramChoice', m, i, j)) : null;
			return {
				name: text('paramName', m, i),
				type,
				default:
					type === 'choice' ? choices[value] : type === 'flag' ? value !== 0 : type === 'table' ? [] : bound(value),
				min: ranged ? bound(number('paramMin', m, i)) : null,
				max: ranged ? bound(number('paramMax', m, i)) : null,
				aboveMin: ranged && number('paramAboveMin', m, i) !== 0,
				choices,
				unit: text('paramUnit', m, i),
				description: text('paramDescription', m, i),
			};
		};
		const params = list(number('params', m), param);
		const states = list(number('states', m), (i) => ({
			name: text('stateName', m, i),
			role: ROLES[number('stateRole', m, i)],
			shared: number('stateShared', m, i) !== 0,
			description: text('stateDescription', m, i),
			min: bound(number('stateMin', m, i)),
		}));
		const column = (role) => states.find((state) => state.role === role)?.name ?? null;
		const supports = number('supports', m);
		return {
			name: text('modelName', m),
			summary: text('modelSummary', m),
			source: text('modelSource', m),
			stateColumns: states.map((state) => state.name),
			states,
			supports: SUPPORTS.filter((_, bit) => supports & (1 << bit)),
			deviationColumn: column('deviation'),
			sideColumn: column('side'),
			commandColumn: column('command'),
			// As the core numbers them, and as they are listed.
			params,
			parameters: list(params.length, (i) => params[number('paramListed', m, i)]),
			maxSteps: number('paramMaxSteps', m),
			components: list(number('components', m), (i) => ({
				kind: text('componentName', m, i),
				description: text('componentDescription', m, i),
				scope: SCOPES[number('componentScope', m, i)],
				key: KEYS[number('componentKey', m, i)],
				stateColumns: list(number('componentStates', m, i), (j) => text('componentStateName', m, i, j)),
				min: list(number('componentStates', m, i), (j) => number('componentStateMin', m, i, j)),
			})),
		};
	}

	// What a user sees of a model.
	publicModel({
		name,
		summary,
		source,
		stateColumns,
		states,
		supports,
		deviationColumn,
		sideColumn,
		commandColumn,
		parameters,
		components,
	}) {
		return {
			name,
			summary,
			source,
			stateColumns,
			supports,
			deviationColumn,
			sideColumn,
			commandColumn,
			parameters,
			states: states.map(({ min, ...state }) => ({ ...state, min })),
			components: components.map(({ min, ...component }) => component),
		};
	}

	model(name) {
		const m = this.byName.get(name);
		if (m === undefined)
			fail(INVALID, `unknown rating model ${shown(name)}`, {
				hint: `The models are ${quoted([...this.byName.keys()])}.`,
				value: name,
			});
		return m;
	}

	// ---- Parameters ----

	// All parameters of a model, as they are by default but for those that are given, in memory.
	params(m, given = {}) {
		const model = this.models[m];
		const numbers = [];
		const width = 1 + 2 * model.maxSteps;
		if (typeof given !== 'object' || given === null || Array.isArray(given))
			fail(INVALID, `parameters of model "${model.name}" must be an object, not ${shown(given)}`, {
				value: given,
			});
		for (const name of Object.keys(given))
			if (!model.params.some((param) => param.name === name))
				fail(INVALID, `model "${model.name}" has no parameter "${name}"`, {
					hint: `Its parameters are ${quoted(model.parameters.map((param) => param.name))}.`,
					value: name,
				});
		model.params.forEach((param) => {
			const value =
				Object.hasOwn(given, param.name) && given[param.name] !== undefined
					? this.param(model, param, given[param.name])
					: this.defaultParam(param);
			numbers.push(...value, ...new Array(width - value.length).fill(0));
		});
		return this.wasm.make_params(m, this.put(numbers));
	}

	defaultParam({ type, default: value, choices, min }) {
		if (type === 'choice') return [choices.indexOf(value)];
		if (type === 'table') return [0];
		if (type === 'flag') return [Number(value)];
		return [value ?? (min === null ? -Infinity : Infinity)];
	}

	param(model, param, value) {
		const wrong = (expected) =>
			fail(INVALID, `parameter "${param.name}" of model "${model.name}" must be ${expected}, not ${shown(value)}`, {
				value,
			});
		switch (param.type) {
			case 'flag':
				if (typeof value !== 'boolean') wrong('true or false');
				return [Number(value)];
			case 'choice':
				if (!param.choices.includes(value)) wrong(param.choices.map((choice) => `"${choice}"`).join(' or '));
				return [param.choices.indexOf(value)];
			case 'number':
				if (value === null && param.min === null) return [-Infinity];
				if (!isNumber(value)) wrong('a number');
				this.inRange(model, param, value, 'It');
				return [value];
			default:
				return this.steps(model, param, value, wrong);
		}
	}

	inRange(model, param, value, what) {
		const { min, max, aboveMin } = param;
		const low = min === null ? Number.isFinite(value) : aboveMin ? value > min : value >= min;
		if (!Number.isFinite(value) || !low || (max !== null && value > max))
			fail(OUT_OF_RANGE, `parameter "${param.name}" of model "${model.name}" is out of range: ${formatG(value)}`, {
				hint: `${what} must be ${min === null ? '' : `${aboveMin ? 'above' : 'at least'} ${formatG(min)} and `}at most ${formatG(max ?? Infinity)}.`,
				value,
			});
	}

	steps(model, param, value, wrong) {
		if (!Array.isArray(value) || !value.every((pair) => Array.isArray(pair) && pair.length === 2 && pair.every(isNumber)))
			wrong('an array of pairs of numbers');
		if (value.length > model.maxSteps)
			fail(TOO_MUCH, `parameter "${param.name}" of model "${model.name}" has more than ${model.maxSteps} steps`, { value });
		value.forEach(([bound, number], i) => {
			this.inRange(model, param, number, 'The values');
			if (!Number.isFinite(bound) || (i > 0 && bound <= value[i - 1][0]))
				fail(INVALID, `bounds of parameter "${param.name}" of model "${model.name}" do not ascend: ${formatG(bound)}`, {
					value: bound,
				});
		});
		return [value.length, ...value.flat()];
	}

	// ---- States ----

	newState(m, params) {
		const n = this.models[m].states.length;
		const place = this.room(n);
		this.wasm.initial_state(m, params, place);
		return this.get(place, n);
	}

	numbersOf(name, value, n, columns) {
		if (!Array.isArray(value) && !ArrayBuffer.isView(value))
			fail(INVALID, `${name} must be an array of numbers, not ${shown(value)}`, { value });
		if (value.length !== n)
			fail(WRONG_SIZE, `${name} has ${value.length} numbers, not ${n}`, {
				hint: `They are ${columns.join(', ')}.`,
				value,
			});
		return Array.from(value, (number) => {
			if (typeof number !== 'number')
				fail(INVALID, `${name} must be an array of numbers, not of ${shown(number)}`, {
					value: number,
				});
			return number;
		});
	}

	// The state of a player: whole, or of somebody new with another estimate and deviation.
	stateOf(m, params, player, name) {
		const model = this.models[m];
		if (!isAbsent(player.state))
			return this.numbersOf(`state of player ${name}`, player.state, model.states.length, model.stateColumns);
		const state = this.newState(m, params);
		if (!isAbsent(player.mu)) state[0] = finite(`mu of player ${name}`, player.mu);
		if (!isAbsent(player.deviation)) {
			const column = model.stateColumns.indexOf(model.deviationColumn);
			if (column < 0)
				fail(INVALID, `model "${model.name}" has no deviation`, {
					hint: 'Leave deviation out, or name another model.',
					value: player.deviation,
				});
			state[column] = notNegative(`deviation of player ${name}`, player.deviation);
		}
		return state;
	}
}
