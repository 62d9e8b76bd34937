// The database, in a worker, so that the page never waits for it.  Requests come one after
// another, and each is answered: { id, ... }.
import { PGlite, protocol } from './pglite/index.js';
import { skillrating } from './skillrating/index.js';

let db;

// The data directory is ready, so that nothing makes one: an empty module keeps PGlite from
// fetching what would.
const noInitdb = new WebAssembly.Module(Uint8Array.of(0, 0x61, 0x73, 0x6d, 1, 0, 0, 0));

async function start({ dataDirectory, wasm, fsBundle }) {
	db = await PGlite.create({
		loadDataDir: dataDirectory,
		pgliteWasmModule: wasm,
		initdbWasmModule: noInitdb,
		fsBundle,
		extensions: { skillrating },
	});
	await db.exec(
		"SET client_min_messages = notice; SET timezone = 'UTC'; SET datestyle = 'ISO, MDY'; SET intervalstyle = 'postgres'",
	);
}

const said = ({ severity, message, detail, hint, code, position, where }) => ({
	severity,
	message,
	detail,
	hint,
	code,
	position,
	where,
});

// Run one statement, and tell all that comes back as text, as psql has it.
async function run(sql) {
	const result = { fields: null, rows: [], notices: [], tag: null, error: null };
	const { messages } = await db.execProtocol(protocol.serialize.query(sql), {
		throwOnError: false,
		onNotice: () => {},
	});
	for (const message of messages)
		switch (message.name) {
			case 'rowDescription':
				result.fields = message.fields.map(({ name, dataTypeID }) => ({ name, type: dataTypeID }));
				break;
			case 'dataRow':
				result.rows.push(message.fields);
				break;
			case 'commandComplete':
				result.tag = message.text;
				break;
			case 'notice':
				result.notices.push(said(message));
				break;
			case 'error':
				result.error = said(message);
				break;
		}
	return result;
}

// COPY ... FROM a file of the page: psql's \copy.
async function copy(table, path, options) {
	const response = await fetch(new URL(path, import.meta.url));
	if (!response.ok)
		return {
			fields: null,
			rows: [],
			notices: [],
			tag: null,
			error: { severity: 'ERROR', message: `${path}: No such file`, code: '58P01' },
		};
	try {
		await db.query(`COPY ${table} FROM '/dev/blob' ${options}`, [], { blob: await response.blob() });
		return { fields: null, rows: [], notices: [], tag: 'COPY', error: null };
	} catch (error) {
		return { fields: null, rows: [], notices: [], tag: null, error: said(error) };
	}
}

onmessage = async ({ data: { id, request, ...rest } }) => {
	try {
		if (request === 'start') {
			await start(rest);
			postMessage({ id });
		} else if (request === 'copy') postMessage({ id, result: await copy(rest.table, rest.path, rest.options) });
		else postMessage({ id, result: await run(rest.sql) });
	} catch (error) {
		postMessage({ id, failure: String(error?.stack ?? error) });
	}
};
