// Run the README's first ladder in headless Chromium, in a new database and in one whose data
// directory is ready, and print how long each took from the call to the leaderboard.
//
//   node web/pglite/test/browser.mjs CHROMIUM

import { createReadStream, existsSync, statSync } from "node:fs";
import { createRequire } from "node:module";
import { createServer } from "node:http";
import { extname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { PGlite } from "./pglite.mjs";
import { skillrating } from "../package/index.js";

const { chromium } = createRequire(import.meta.url)("playwright-core");
const here = fileURLToPath(new URL(".", import.meta.url));

const made = await PGlite.create({ extensions: { skillrating } });
await made.exec("CREATE EXTENSION skillrating");
const image = Buffer.from(await (await made.dumpDataDir("gzip")).arrayBuffer());
await made.close();

const folders = { pglite: join(process.env.NODE_PATH, "@electric-sql/pglite/dist"), skillrating: join(here, "../package") };
const types = { ".html": "text/html", ".js": "text/javascript", ".wasm": "application/wasm" };
const server = createServer((request, response) => {
	const [, folder, ...rest] = new URL(request.url, "http://localhost").pathname.split("/");
	if (folder === "ready.tar.gz") return void response.end(image);
	const file = folder === "" ? join(here, "page.html") : join(folders[folder] ?? here, ...rest);
	if (!existsSync(file) || !statSync(file).isFile()) return void response.writeHead(404).end();
	response.writeHead(200, { "Content-Type": types[extname(file)] ?? "application/octet-stream" });
	createReadStream(file).pipe(response);
});
await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));

const browser = await chromium.launch({ executablePath: process.argv[2], args: ["--no-sandbox", "--disable-gpu"] });
let failed = false;
try {
	const page = await browser.newPage();
	page.on("console", (message) => { if (message.type() === "error") console.error(message.text()); });
	page.on("pageerror", (error) => console.error(error));
	await page.goto(`http://127.0.0.1:${server.address().port}/`);
	await page.waitForFunction(() => document.title === "ready");
	const expected = "1 10 1516 1\n1 20 1516 1\n3 30 1484 1\n3 40 1484 1";
	// The second time all files are in the browser's cache, as with a visitor who comes back.
	for (const ready of [false, true, true]) {
		const { seconds, rows } = await page.evaluate((with_image) => window.run(with_image), ready);
		console.log(`${ready ? "ready data directory" : "new database"}: first result after ${seconds.toFixed(1)} s`);
		if (rows.join("\n") !== expected) {
			console.error(`the leaderboard is\n${rows.join("\n")}`);
			failed = true;
		}
	}
} finally {
	await browser.close();
	server.close();
}
process.exit(failed ? 1 : 0);
