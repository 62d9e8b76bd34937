// Make random documents, most of them wrong somewhere, and have ajv say which are valid.
//
//     node test/documents.js SCHEMAS COUNT
//
// SCHEMAS is a file with an object of JSON Schemas by the name of their function.  Prints a line
// for each document, with a tabulator between: the function, whether ajv takes it, and the
// document.  The documents are the same in every run.

'use strict';
const fs = require('fs');
const Ajv = require('ajv/dist/2020');
const addFormats = require('ajv-formats');

const schemas = JSON.parse(fs.readFileSync(process.argv[2], 'utf8'));
const count = Number(process.argv[3]);

// A linear congruential generator (Numerical Recipes), so that no run differs from another.
let state = 18;
function below(n) {
	state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
	return Math.floor(state / 4294967296 * n);
}
const one = (list) => structuredClone(list[below(list.length)]);

const anything = [null, true, false, 0, 1, 2, 0.5, -1, 3e9, 1e300, '', 'ada', '7', '0.5', 'yesterday',
	'2024-05-05', '2024-05-05T20:15:00', '2024-05-05T20:15:00Z', '2024-05-05T20:15:00.25+02:00',
	'2024-13-05T20:15:00Z', [], {}, ['ada', 'ben'], [['ada', 'ben']], [['ada']], [['ada', 1, 2]],
	[['ada', 1]], [['ada', 1.5]], { id: 'ada' }, [{ id: 'ada' }], [{ id: 1 }, { id: 'b' }]];

// A value that a schema allows.
function likely(schema) {
	const type = [].concat(schema.type)[0];

	if (schema.items && type === 'array')
		return [['ada', 'cleo']];
	switch (type) {
		case 'integer': return one([1, 2]);
		case 'number': return one([1, 0.5]);
		case 'boolean': return below(2) === 0;
		case 'object': return {};
		default: return schema.format === 'date-time' ? '2024-05-05T20:15:00Z' : one(['', 'x']);
	}
}

// Some of the properties of an object, besides those that are given.
function fill(schema, given) {
	for (const [key, value] of Object.entries(schema.properties))
		if (!(key in given) && below(4) === 0)
			given[key] = likely(value);
	return given;
}

function valid(schema) {
	let id = 0;
	const player = (players) => {
		const given = { id: below(3) ? 'p' + ++id : ++id };

		if (players.items.required.includes('mu'))
			given.mu = 1500 + below(100);
		return fill(players.items, given);
	};
	const list = (players, n) => Array.from({ length: n }, () => player(players));
	const given = schema.required.includes('match_id') ? { match_id: one(['m1', 1, '7']) } : {};

	if (schema.properties.players)
		return fill(schema, { ...given, players: list(schema.properties.players, 2 + below(4)) });
	const team = schema.properties.teams.items;
	const key = one(['rank', 'score']);
	given.teams = [1, 2].map((rank) => fill(team, {
		players: list(team.properties.players, 1 + below(2)),
		...(team.properties.rank ? { [key]: rank } : {}),
	}));
	return fill(schema, given);
}

// Every object and array in a document.
function places(value, found = []) {
	if (value !== null && typeof value === 'object') {
		found.push(value);
		for (const inner of Object.values(value))
			places(inner, found);
	}
	return found;
}

function spoil(document) {
	const all = places(document);
	const place = all[below(all.length)];
	if (place === undefined)
		return document;
	const keys = Object.keys(place);
	const key = one(keys.concat(['weight', 'rank', 'score', 'wieght', 'party', 'mu']));

	switch (below(4)) {
		case 0:
			if (Array.isArray(place))
				place.pop();
			else
				delete place[key];
			break;
		case 1:
			if (Array.isArray(place))
				place.push(one(anything));
			else
				place[one(['wieght', 'Rank', 'player', 'teams ', 'weight', 'id', 'gain', 'explain'])] = one(anything);
			break;
		default:
			if (Array.isArray(place))
				place[below(place.length + 1)] = one(anything);
			else
				place[key] = one(anything);
	}
	return document;
}

const ajv = new Ajv({ strict: true, allowUnionTypes: true });
addFormats(ajv);
for (const [name, schema] of Object.entries(schemas)) {
	const check = ajv.compile(schema);

	for (let n = 0; n < count; n++) {
		let document = valid(schema);

		for (let spoilt = below(3); spoilt > 0; spoilt--)
			document = spoil(document);
		if (below(200) === 0)
			document = one(anything);
		// COPY reads backslashes.
		process.stdout.write([name, check(document) ? 't' : 'f',
			JSON.stringify(document).replace(/\\/g, '\\\\')].join('\t') + '\n');
	}
}
