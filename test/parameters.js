// Run the examples of pages twice, with literals and with parameters, and compare all rows.
//
//     node test/parameters.js FOLDER [--floor STATEMENTS CALLS PARAMETERS] PAGE...
//
// FOLDER/PAGE has the statements of a page.  test/parameters.sh says what is printed.

'use strict';
const fs = require('fs');
const { isDeepStrictEqual } = require('util');
const { execFileSync } = require('child_process');
const { Client } = require('pg');

// ---- SQL, as far as examples go ----

const LEXEMES = [
	['space', /\s+|--[^\n]*/y],
	['string', /'(?:[^']|'')*'/y],
	['dollar', /\$(\w*)\$[^]*?\$\1\$/y],
	['name', /"(?:[^"]|"")*"/y],
	['number', /(?:\d+\.?\d*|\.\d+)(?:e[-+]?\d+)?/yi],
	['word', /[a-z_]\w*/yi],
	['sign', /::|=>|[^]/y],
];

// Lexemes with their places; a statement is put together again from their texts.
function lex(text) {
	const lexemes = [];
	for (let at = 0; at < text.length;) {
		for (const [kind, pattern] of LEXEMES) {
			pattern.lastIndex = at;
			const found = pattern.exec(text);
			if (found) {
				lexemes.push({ kind, text: found[0] });
				at += found[0].length;
				break;
			}
		}
	}
	return lexemes;
}

// The statements of a page, and lines that are for psql.
function statements(text) {
	const found = [];
	let current = '';
	for (const line of text.split(/^(\\.*\n)/m)) {
		if (line.startsWith('\\')) {
			found.push(line.trim());
			continue;
		}
		for (const lexeme of lex(line)) {
			if (lexeme.text === ';') {
				found.push(current.trim());
				current = '';
			} else {
				current += lexeme.text;
			}
		}
	}
	if (current.trim() !== '') throw new Error(`no end of ${current}`);
	return found;
}

const solid = (lexemes) => lexemes.filter((lexeme) => lexeme.kind !== 'space');
const depth = (lexeme) => (lexeme.kind !== 'sign' ? 0 : { '(': 1, '[': 1, ')': -1, ']': -1 }[lexeme.text] || 0);
const word = (lexeme) => (lexeme && lexeme.kind === 'word' ? lexeme.text.toLowerCase() : '');

// The value that a driver gets for a literal, or undefined if the lexemes are something else.
// Casts go: what is sent has no type.
function literal(lexemes) {
	let rest = solid(lexemes);
	const cast = rest.findIndex((lexeme) => lexeme.text === '::');
	if (cast >= 0) {
		if (!rest.slice(cast + 1).every((lexeme) => /^(\w+|".*"|[[\]().,]|::)$/.test(lexeme.text))) return undefined;
		rest = rest.slice(0, cast);
	}
	if (rest.length === 2 && rest[1].kind === 'string' && rest[0].kind === 'word') rest = rest.slice(1);
	if (rest.length === 2 && rest[0].text === '-' && rest[1].kind === 'number') rest = [{ kind: 'number', text: `-${rest[1].text}` }];
	if (word(rest[0]) === 'array' && rest.length > 2) return elements(rest.slice(1));
	return rest.length === 1 ? scalar(rest[0]) : undefined;
}

function scalar({ kind, text }) {
	switch (kind) {
		case 'string': return json(text.slice(1, -1).replaceAll("''", "'"));
		case 'dollar': return text.slice(text.indexOf('$', 1) + 1, text.lastIndexOf('$', text.length - 2));
		case 'number': return Number.isInteger(Number(text)) && !Number.isSafeInteger(Number(text)) ? text : Number(text);
		case 'word': return { true: true, false: false, null: null }[text.toLowerCase()];
		default: return undefined;
	}
}

// An object is sent as such, as node-pg writes JSON of it.
function json(text) {
	try {
		const value = JSON.parse(text);
		return value !== null && typeof value === 'object' && !Array.isArray(value) && text !== '{}' ? value : text;
	} catch (error) {
		return text;
	}
}

// Those of [...], perhaps of arrays.
function elements(lexemes) {
	if (lexemes[0].text !== '[' || lexemes.at(-1).text !== ']') return undefined;
	const values = split(lexemes.slice(1, -1)).map((part) => (part[0].text === '[' ? elements(part) : literal(part)));
	return values.includes(undefined) ? undefined : values;
}

// Lexemes between commas.
function split(lexemes) {
	const parts = [[]];
	let level = 0;
	for (const lexeme of lexemes) {
		level += depth(lexeme);
		if (level === 0 && lexeme.text === ',') parts.push([]);
		else parts.at(-1).push(lexeme);
	}
	return solid(parts[0]).length === 0 ? [] : parts;
}

// Where the arguments of an aggregate end, and ORDER BY begins.
function orderOf(lexemes) {
	let level = 0;
	const found = lexemes.findIndex((lexeme) => {
		level += depth(lexeme);
		return level === 0 && word(lexeme) === 'order';
	});
	return found < 0 ? lexemes.length : found;
}

// Where the parenthesis that opens at a place closes.
function closing(lexemes, open) {
	let level = 0;
	for (let i = open; i < lexemes.length; i++) {
		level += depth(lexemes[i]);
		if (level === 0) return i;
	}
	throw new Error(`no end of ${lexemes.map((lexeme) => lexeme.text).join('')}`);
}

// A statement with parameters in place of literal arguments: {text, values, calls}.  A name without
// a schema is one of ours if the page has set search_path so.
function rewrite(statement, functions, unqualified) {
	const values = [];
	let calls = 0;
	const rewritten = (lexemes) => {
		let text = '';
		for (let i = 0; i < lexemes.length; i++) {
			const before = solid(lexemes.slice(0, i)).slice(-2).map((lexeme) => lexeme.text);
			const ours = before[1] === '.' ? before[0] === 'skillrating' : unqualified && word({ kind: 'word', text: before[1] || '' }) !== 'as';
			text += lexemes[i].text;
			if (!ours || !functions.has(word(lexemes[i])) || lexemes[i + 1]?.text !== '(') continue;
			const end = closing(lexemes, i + 1);
			const given = values.length;
			const order = orderOf(lexemes.slice(i + 2, end)) + i + 2;
			text += `(${split(lexemes.slice(i + 2, order)).map(argument).join(',')}${rewritten(lexemes.slice(order, end))})`;
			if (values.length > given) calls++;
			i = end;
		}
		return text;
	};
	// An argument may have a name before it.
	const argument = (lexemes) => {
		const arrow = lexemes.findIndex((lexeme) => lexeme.text === '=>') + 1;
		const named = solid(lexemes.slice(0, arrow)).length === 2 ? arrow : 0;
		const value = literal(lexemes.slice(named));
		if (value === undefined) return rewritten(lexemes);
		values.push(value);
		return `${rewritten(lexemes.slice(0, named))} $${values.length} `;
	};
	return { text: rewritten(lex(statement)), values, calls };
}

// Why a statement can have no parameters, or undefined.
function refusal(statement, { values }) {
	const [first, second] = solid(lex(statement)).map(word);
	if (!['select', 'with', 'insert', 'update', 'delete', 'call', 'values', 'table'].includes(first)) {
		return `${first} ${first === 'create' ? second : ''}`.trim().toUpperCase() + ' takes no parameters';
	}
	return values.length === 0 ? 'no argument is a literal' : undefined;
}

// ---- Runs ----

// A database with the extension; a copy of it is made faster than the extension is created.
const extended = 'skillrating_extended';

const connect = async (database) => {
	// All values as the texts that the server sends, so that nothing is lost or made equal.
	const client = new Client({ database, types: { getTypeParser: () => (text) => text } });
	client.notices = [];
	client.on('notice', (notice) => client.notices.push(notice.message));
	await client.connect();
	return client;
};

// What the statements of a page return, one after another; rewriting(statement) is what to send.
async function run(database, page, rewriting) {
	const admin = await connect('postgres');
	await admin.query(`DROP DATABASE IF EXISTS ${database}`);
	const bare = page.some((statement) => /^CREATE EXTENSION/.test(statement));
	await admin.query(`CREATE DATABASE ${database} TEMPLATE ${bare ? 'template1' : extended}`);
	await admin.end();
	const client = await connect(database);
	const results = [];
	try {
		for (const statement of page) {
			if (statement.startsWith('\\')) {
				execFileSync('psql', ['-qX', '-v', 'ON_ERROR_STOP=1', '-d', database, '-c', statement.replace(/;$/, '')]);
				results.push({});
				continue;
			}
			client.notices.length = 0;
			const result = await client.query(rewriting(statement)).catch((error) => ({ error: `${error.code} ${error.message}` }));
			results.push({ error: result.error, rows: result.rows, command: result.command, notices: [...client.notices].sort() });
		}
		results.push({ rows: await ratings(client) });
	} finally {
		await client.end();
	}
	return results;
}

// All ratings of all ladders at the end.
async function ratings(client) {
	await client.query('RESET ROLE');
	const { rows } = await client.query(`SELECT format('SELECT %L AS ladder, player_id::text, pool, rating, games, wins, draws, losses FROM %I.rating', n.nspname, n.nspname) AS query
		FROM pg_namespace AS n JOIN pg_class AS c ON c.relnamespace = n.oid WHERE c.relname = 'rating' ORDER BY n.nspname`);
	const all = [];
	for (const { query } of rows) all.push(...(await client.query(`${query} ORDER BY 2, 3`)).rows);
	return all;
}

// ---- Checks ----

let failed = 0;
function check(ok, what) {
	if (!ok) failed = 1;
	console.log(`${ok ? 'ok' : 'not ok'} parameters ${what}`);
}

// What rewriting makes of a statement with everything in it.
function checkRewriting() {
	const { text, values, calls } = rewrite(
		`SELECT skillrating.f(a, 'it''s', x => ARRAY[[1, -2], [3, NULL]]::int[], y => '{"k": 1}'::jsonb, z => $$q$$ ORDER BY b, 'c'),
		g('no'), skillrating.g(skillrating.f(timestamptz '2024-01-01') + 1, true, 'a' || 'b', '{1,2}'::text[]), 'skillrating.f(1)' -- f(1)`,
		new Set(['f', 'g']), false);
	check(text.replace(/\s+/g, ' ') === `SELECT skillrating.f(a, $1 , x => $2 , y => $3 , z => $4 ORDER BY b, 'c'), `
		+ `g('no'), skillrating.g(skillrating.f( $5 ) + 1, $6 , 'a' || 'b', $7 ), 'skillrating.f(1)' -- f(1)`
		&& calls === 3 && isDeepStrictEqual(values, ["it's", [[1, -2], [3, null]], { k: 1 }, 'q', '2024-01-01', true, '{1,2}']),
	'literals are recognized');
}

async function checkPage(name, page, functions, total) {
	const unqualified = page.some((statement) => /^SET search_path.*skillrating/.test(statement));
	const sent = new Map();
	const here = { statements: 0, calls: 0, parameters: 0 };
	for (const statement of page) {
		const changed = rewrite(statement, functions, unqualified);
		const ours = unqualified ? new RegExp(`\\b(${[...functions].join('|')})\\(`) : /\bskillrating\.\w+\(/;
		if (!ours.test(statement)) continue;
		const reason = refusal(statement, changed);
		if (reason) {
			console.log(`without parameters ${name}: ${reason}: ${statement.replace(/\s+/g, ' ').slice(0, 100)}`);
			continue;
		}
		sent.set(statement, { text: changed.text, values: changed.values });
		here.statements++;
		here.calls += changed.calls;
		here.parameters += changed.values.length;
	}
	if (here.statements === 0) return;
	for (const key of Object.keys(total)) total[key] += here[key];

	const literals = await run('skillrating_literals', page, (statement) => statement);
	const parameters = await run('skillrating_parameters', page, (statement) => sent.get(statement) || statement);
	let differ = 0;
	literals.forEach((result, i) => {
		if (!result.error && isDeepStrictEqual(result, parameters[i])) return;
		differ++;
		console.log(`${page[i] || 'the ratings at the end'}\nliterals:   ${JSON.stringify(result)}\nparameters: ${JSON.stringify(parameters[i])}`);
	});
	check(differ === 0, `${name}: ${here.statements} statements with ${here.calls} calls and ${here.parameters} parameters give the rows of their literals`);
}

async function main(folder, ...pages) {
	const floor = pages[0] === '--floor' ? pages.splice(0, 4).slice(1).map(Number) : [1, 1, 1];
	checkRewriting();
	const total = { statements: 0, calls: 0, parameters: 0 };
	const admin = await connect('postgres');
	await admin.query(`CREATE DATABASE ${extended}`);
	await admin.end();
	const client = await connect(extended);
	await client.query('CREATE EXTENSION skillrating');
	const { rows } = await client.query("SELECT DISTINCT proname FROM pg_proc WHERE pronamespace = 'skillrating'::regnamespace");
	await client.end();
	const functions = new Set(rows.map((row) => row.proname));
	for (const name of pages) await checkPage(name, statements(fs.readFileSync(`${folder}/${name}`, 'utf8')), functions, total);
	check(Object.values(total).every((count, i) => count >= floor[i]),
		`at all ${total.statements} statements, ${total.calls} calls and ${total.parameters} parameters, at least ${floor.join(', ')}`);
}

main(...process.argv.slice(2)).then(() => process.exit(failed), (error) => {
	console.error(error);
	process.exit(1);
});
