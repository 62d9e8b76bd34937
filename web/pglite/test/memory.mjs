// Call functions over and over, and see whether memory grows.
//
//   node web/pglite/test/memory.mjs CALLS
//
// After a warm-up, neither the memory contexts of the server that outlive a statement nor the memory
// of WebAssembly may be larger at the end of CALLS calls of each function than before.

import { PGlite } from "./pglite.mjs";
import { skillrating } from "../package/index.js";

const calls = Number(process.argv[2]);
const db = await PGlite.create({ extensions: { skillrating } });
await db.exec(`CREATE EXTENSION skillrating;
	SELECT skillrating.create_ladder('arena', 'trueskill');
	SELECT count(*) FROM skillrating.report_match('arena', 1, '{1,2}'::bigint[], '{1,2}', '{1,2}');
	CREATE FUNCTION attempt(query text) RETURNS void LANGUAGE plpgsql AS
	$$ BEGIN EXECUTE query; EXCEPTION WHEN OTHERS THEN NULL; END $$`);

// A match that is known, which writes nothing, a formula, a search, a window, and an error.
const statements = [
	"SELECT count(*) FROM skillrating.report_match('arena', 1, '{1,2}'::bigint[], '{1,2}', '{1,2}')",
	"SELECT count(*) FROM skillrating.preview('arena', '{1,2,3,4}'::bigint[], '{1,1,2,2}')",
	"SELECT skillrating.elo_win_probability(1500, 1600)",
	"SELECT count(*) FROM skillrating.split_teams('{a,b,c,d,e,f}'::text[], '{1,2,3,4,5,6}')",
	"SELECT attempt('SELECT skillrating.create_ladder(''none'', ''no_such_model'')')",
];

const contexts = async () => Number((await db.query(
	"SELECT sum(total_bytes) AS bytes FROM pg_backend_memory_contexts")).rows[0].bytes);
const wasm = () => db.Module.HEAPU8.length;

async function round(n) {
	for (let i = 0; i < n; i++) for (const statement of statements) await db.exec(statement);
	await contexts();
	return { contexts: await contexts(), wasm: wasm() };
}

const before = await round(Math.ceil(calls / 10)), after = await round(calls);
console.log(`${calls} calls of each of ${statements.length} functions: the contexts have ${before.contexts} bytes before and ${after.contexts} after, WebAssembly ${before.wasm} and ${after.wasm}`);
await db.close();
process.exit(after.contexts <= before.contexts && after.wasm <= before.wasm ? 0 : 1);
