/** skillrating for PGlite: see README.md. */

const { join } = require("node:path");
const { pathToFileURL } = require("node:url");

const setup = async () => ({ bundlePath: pathToFileURL(join(__dirname, "skillrating.tar.gz")) });

exports.skillrating = { name: "skillrating", setup };
exports.default = exports.skillrating;
