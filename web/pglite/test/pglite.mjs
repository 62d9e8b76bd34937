// PGlite of the packages that test/node_modules.sh has installed, whose folder is NODE_PATH.

import { pathToFileURL } from "node:url";

export const { PGlite } = await import(pathToFileURL(`${process.env.NODE_PATH}/@electric-sql/pglite/dist/index.js`));
