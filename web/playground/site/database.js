// The page's side of the database: a worker that can be ended and begun anew at any time.

const listeners = new Set();
let worker,
	waiting,
	ready,
	files,
	number = 0;
let status = 'loading';

/** Call back with 'loading', 'ready', 'busy' or 'failed', and how long it took or why. */
export function onStatus(listener) {
	listeners.add(listener);
	listener(status);
}

function tell(now, detail) {
	status = now;
	for (const listener of listeners) listener(now, detail);
}

// What every start needs is fetched and compiled once.
function load() {
	const get = async (path) => {
		const response = await fetch(new URL(path, import.meta.url));
		if (!response.ok) throw new Error(`${path}: ${response.status} ${response.statusText}`);
		return response;
	};
	files ??= Promise.all([
		get('data/ready.tar.gz').then((response) => response.blob()),
		get('pglite/pglite.wasm')
			.then((response) => response.arrayBuffer())
			.then((bytes) => WebAssembly.compile(bytes)),
		get('pglite/pglite.data').then((response) => response.blob()),
	]);
	// What could not be fetched may be there when somebody tries again.
	files.catch(() => {
		files = undefined;
	});
	return files;
}

function ask(request, rest = {}) {
	return new Promise((resolve, reject) => {
		const id = ++number;
		waiting.set(id, { resolve, reject });
		worker.postMessage({ id, request, ...rest });
	});
}

/** Begin, or begin anew: everything is as it was when the page was opened. */
export function restart() {
	end(new Error('The database was restarted.'));
	waiting = new Map();
	worker = new Worker(new URL('worker.js', import.meta.url), { type: 'module' });
	const mine = worker,
		answers = waiting;
	worker.onmessage = ({ data: { id, result, failure } }) => {
		const { resolve, reject } = answers.get(id);
		answers.delete(id);
		if (failure === undefined) resolve(result);
		else reject(new Error(failure));
		if (answers.size === 0 && mine === worker && status !== 'failed') tell('ready');
	};
	worker.onerror = (event) => {
		if (mine !== worker) return;
		tell('failed', event.message ?? 'the worker cannot be loaded');
		for (const { reject } of answers.values()) reject(new Error(event.message));
	};
	tell('loading');
	const began = performance.now();
	ready = load()
		.then(([dataDirectory, wasm, fsBundle]) => {
			if (mine !== worker) throw new Error('The database was restarted.');
			return ask('start', { dataDirectory, wasm, fsBundle });
		})
		.then(
			() => tell('ready', performance.now() - began),
			(error) => {
				if (mine === worker) tell('failed', error.message);
				throw error;
			},
		);
	ready.catch(() => {});
	return ready;
}

function end(reason) {
	if (!worker) return;
	worker.terminate();
	for (const { reject } of waiting.values()) reject(reason);
}

/**
 * Run one statement: { fields, rows, notices, tag, error }, of which error is one of SQL.  It is
 * rejected if the database is restarted meanwhile.
 */
export async function run(sql) {
	await ready;
	tell('busy');
	return ask('run', { sql });
}

/** The same for psql's \copy from a file of the page. */
export async function copy(table, path, options) {
	await ready;
	tell('busy');
	return ask('copy', { table, path, options });
}

/** The rows of a query as objects of texts; an error of SQL is thrown. */
export async function query(sql) {
	const { fields, rows, error } = await run(sql);
	if (error) throw Object.assign(new Error(error.message), error);
	return rows.map((row) => Object.fromEntries(row.map((value, i) => [fields[i].name, value])));
}

// Literals of SQL.
export const literal = (value) =>
	value === null || value === undefined
		? 'NULL'
		: typeof value === 'string'
			? `'${value.replaceAll("'", "''")}'`
			: String(value);
export const arrayOf = (values, type) => `ARRAY[${values.map(literal).join(', ')}]::${type}[]`;
