// Compare what a side module imports with what PGlite has.
//
//   node web/pglite/check_symbols.mjs MODULE DIST
//
// DIST is the folder of PGlite's pglite.wasm and pglite.js.  A function that is missing is an
// error at its first call only, in the middle of somebody's work, which is why it is one here.

import { readFileSync } from "node:fs";
import { readModule } from "./wasm.mjs";

const [module, dist] = process.argv.slice(2);
const host = readModule(readFileSync(`${dist}/pglite.wasm`));
const script = readFileSync(`${dist}/pglite.js`, "utf8");
const side = readModule(readFileSync(module));

// What the script of the host gives to modules, besides what WebAssembly exports.
const given = /wasmImports=\{([^}]*)\}/.exec(script);
if (!given) throw new Error("pglite.js does not list what it gives to modules");
const offered = new Set(given[1].split(",").map((entry) => entry.split(":")[0].trim()));
for (const { name } of host.exports) offered.add(name);

// The dynamic linker makes these: memory and the table, the module's own places, and calls that
// come back by longjmp().
const LINKED = /^(memory|__indirect_function_table|__stack_pointer|__memory_base|__table_base|invoke_[a-z]+)$/;
const own = new Set(side.exports.map(({ name }) => name));
const missing = side.imports.filter(({ name }) => !offered.has(name) && !own.has(name) && !LINKED.test(name));

for (const { module: from, name } of missing) console.error(`PGlite does not export ${name} (${from})`);
console.log(`${side.imports.length} imports, ${side.exports.length} exports, ${missing.length} missing`);
process.exit(missing.length === 0 ? 0 : 1);
