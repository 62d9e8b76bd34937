// Run the examples of the package's README, and compare what they print with what it shows.
//
//   node web/pglite/test/readme.mjs README PROJECT
//
// The blocks of JavaScript are one program, which runs in the folder PROJECT, where the package is
// installed; each block of text is what the one before it prints.

import { execFileSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";

const [readme, project] = process.argv.slice(2);
const blocks = [...readFileSync(readme, "utf8").matchAll(/^```(js|text)\n([^]*?)^```$/gm)];
const of = (kind) => blocks.filter(([, type]) => type === kind).map(([, , body]) => body).join("");
const program = join(project, "readme.mjs");

writeFileSync(program, of("js"));
const printed = execFileSync(process.execPath, [program], { cwd: project, encoding: "utf8" });
if (printed !== of("text") || printed === "") {
	console.error(`the README shows\n${of("text")}and its examples print\n${printed}`);
	process.exit(1);
}
