// Print the schema of GraphQL that PostGraphile makes of the schema "game", without the
// descriptions, for whoever the PG* variables say.

'use strict';

const { createPostGraphileSchema } = require('postgraphile');
const { lexicographicSortSchema, printSchema } = require('graphql');
const { Pool } = require('pg');

async function main() {
  const pool = new Pool();
  const schema = await createPostGraphileSchema(pool, ['game'], {
    ignoreRBAC: false, dynamicJson: true, legacyRelations: 'omit',
  });
  const text = printSchema(lexicographicSortSchema(schema), { commentDescriptions: true });
  console.log(text.replace(/^ *"""(?:[^"]|"(?!""))*"""\n/gm, '').replace(/^ *#.*\n/gm, ''));
  await pool.end();
}

main().catch((error) => { console.error(error); process.exit(1); });
