// Make the data directory that the playground starts from: the extension, and a ladder.
//
//   node prepare.js PGLITE BUNDLE FILE
//
// PGLITE is the directory of PGlite's modules, BUNDLE that of the package skillrating-pglite.
import { readFileSync, writeFileSync } from 'node:fs';
import { pathToFileURL } from 'node:url';

const [pglite, bundle, file] = process.argv.slice(2);
const { PGlite } = await import(new URL('index.js', pathToFileURL(`${pglite}/`)));
const { skillrating } = await import(new URL('index.js', pathToFileURL(`${bundle}/`)));

// What visitors download should be small: files of the log that are done with are removed.
const settings = ['wal_recycle=off', 'min_wal_size=32MB', 'max_wal_size=32MB', 'full_page_writes=off'];
const db = await PGlite.create({
	extensions: { skillrating },
	startParams: [...PGlite.defaultStartParams, ...settings.flatMap((setting) => ['-c', setting])],
});
await db.exec("SET timezone = 'UTC'");
await db.exec(readFileSync(new URL('arcade.sql', import.meta.url), 'utf8'));
const {
	rows: [{ wrong }],
} = await db.query("SELECT count(*)::int AS wrong FROM skillrating.verify('arcade') WHERE NOT ok");
if (wrong > 0) throw new Error('the ladder of the playground is not verified');

// Nobody makes databases there, so that templates, which are two thirds of all files, can go.
const { rows: others } = await db.query('SELECT datname AS name FROM pg_database WHERE datname <> current_database()');
await db.exec('UPDATE pg_database SET datistemplate = false');
for (const { name } of others) await db.exec(`DROP DATABASE ${name}`);
for (const statement of ['VACUUM FREEZE ANALYZE', 'SELECT pg_switch_wal()', 'CHECKPOINT']) await db.exec(statement);
const dump = await db.dumpDataDir('gzip');
writeFileSync(file, Buffer.from(await dump.arrayBuffer()));
await db.close();
