// Make the guide of the playground, and pages to read, of the README and docs/.
//
//   node extract.js ROOT TARGET
//
// TARGET/guide.json has the examples of some pages, which can be run, with what the pages show;
// TARGET/docs has all pages as HTML.  An example is what test/examples.sh takes for one.
import { cpSync, mkdirSync, readFileSync, readdirSync, writeFileSync } from 'node:fs';
import { dirname, join, posix } from 'node:path';
import { anchor, blocks, escape } from './markdown.js';

const [root, target] = process.argv.slice(2);

// The pages whose examples run in the playground, as they are listed there.  The others need
// roles, several sessions, files or servers.
const GUIDE = [
	['README.md', 'First steps'],
	['docs/guide.md', 'Guide'],
	['docs/teams.md', 'Fair teams'],
	['docs/cookbook.md', 'Cookbook: four football leagues'],
	['docs/display.md', 'What players see'],
	['docs/solve.md', 'Whole histories'],
	['docs/calibration.md', 'Calibration'],
	['docs/models/elo.md', 'Elo'],
	['docs/models/glicko.md', 'Glicko'],
	['docs/models/glicko2.md', 'Glicko-2'],
	['docs/models/trueskill.md', 'TrueSkill'],
	['docs/models/trueskill2.md', 'TrueSkill 2'],
	['docs/models/weng_lin.md', 'Weng and Lin'],
	['docs/models/elo_mmr.md', 'Elo-MMR'],
	['docs/models/state_space.md', 'State space'],
	['docs/models/hive.md', 'Hive'],
	['docs/models/synelo.md', 'SynElo'],
	['docs/models/frag.md', 'Frag ranking'],
];

const KEYWORD =
	/^((ALTER|BEGIN|CALL|CREATE|DELETE|DROP|GRANT|INSERT|PREPARE|RESET|REVOKE|SELECT|SET|UPDATE|WITH) |(BEGIN|COMMIT|ROLLBACK);)/;
// Pictures are put into files by psql, before the query.
const isExample = (code) => KEYWORD.test(code.replace(/^\\t \\a \\o .*\n/, ''));

// What PGlite cannot do, and an example whose result depends on it.
const SERVER_ONLY = [/\bswap_ladders\(/, /FROM arena\.event WHERE kind = 'match' ORDER BY seq, team\) AS forecast/];

const pages = [
	'README.md',
	...readdirSync(join(root, 'docs'), { recursive: true })
		.map(String)
		.filter((name) => name.endsWith('.md'))
		.map((name) => `docs/${name.replaceAll('\\', '/')}`)
		.sort(),
];
const htmlOf = (page) => (page === 'README.md' ? 'docs/index.html' : page.replace(/\.md$/, '.html'));

// Where a link of a page leads to, seen from a file of the target.
function linker(page, from) {
	return (link) => {
		if (/^[a-z]+:/.test(link)) return link;
		const [path, hash] = link.split('#');
		const file = path === '' ? page : posix.join(posix.dirname(page), path);
		if (!pages.includes(file) && !file.endsWith('.svg')) return null;
		const html = pages.includes(file) ? htmlOf(file) : file;
		return `${posix.relative(posix.dirname(from), html) || posix.basename(html)}${hash ? `#${hash}` : ''}`;
	};
}

/** The statements of an example, with what the page shows of each: null where it shows nothing. */
function examples(code) {
	const found = [];
	let running = false;
	for (const line of code.split('\n')) {
		if (!running && /^([ -]|NOTICE:|WARNING:|HINT:)/.test(line) && found.length > 0) {
			const last = found.at(-1);
			last.shown = last.shown === null ? line : `${last.shown}\n${line}`;
			continue;
		}
		if (!running) found.push({ sql: line, shown: null });
		else found.at(-1).sql += `\n${line}`;
		running = !line.endsWith(';') && !(line.startsWith('\\') && !running);
	}
	return found;
}

function guidePage([path, title]) {
	const parts = [];
	let skipping = false;
	for (const block of blocks(readFileSync(join(root, path), 'utf8').split('\n'), linker(path, 'index.html'))) {
		if (block.level === 1) continue;
		// The extension is installed here.
		if (block.level === 2) skipping = path === 'README.md' && ['Try it', 'Install'].includes(block.heading);
		if (skipping) continue;
		const onServer = SERVER_ONLY.some((pattern) => pattern.test(block.code));
		if (onServer) block.html = `<p class="note">On a server only:</p>${block.html}`;
		if (block.code !== undefined && isExample(block.code) && !onServer) parts.push({ example: examples(block.code) });
		else if (block.heading)
			parts.push({
				heading: block.heading.replaceAll('`', ''),
				level: block.level,
				id: anchor(block.heading),
			});
		else if (parts.at(-1)?.html) parts.at(-1).html += block.html;
		else parts.push({ html: block.html });
	}
	// What follows the last example is for readers of the page.
	parts.length = parts.findLastIndex((part) => part.example) + 1;
	return { path, title, reading: htmlOf(path), parts };
}

function readingPage(path) {
	const file = htmlOf(path);
	const up = posix.relative(posix.dirname(file), '.') || '.';
	const body = blocks(readFileSync(join(root, path), 'utf8').split('\n'), linker(path, file));
	const title = body.find(({ level }) => level === 1)?.heading ?? path;
	mkdirSync(dirname(join(target, file)), { recursive: true });
	writeFileSync(
		join(target, file),
		`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${escape(title.replaceAll('`', ''))}</title>
<link rel="stylesheet" href="${up}/style.css">
<link rel="icon" href="${up}/icon.svg" type="image/svg+xml">
</head>
<body class="reading">
<header class="bar"><a class="brand" href="${up}/index.html">skillrating <span>playground</span></a><nav aria-label="Pages"><a href="${up}/docs/index.html">Documentation</a></nav></header>
<main class="prose">${body.map(({ html }) => html).join('\n')}</main>
</body>
</html>
`,
	);
}

mkdirSync(target, { recursive: true });
writeFileSync(join(target, 'guide.json'), JSON.stringify(GUIDE.map(guidePage)));
pages.forEach(readingPage);
cpSync(join(root, 'docs'), join(target, 'docs'), {
	recursive: true,
	filter: (source) => !/\.[a-z]+$/.test(source) || source.endsWith('.svg'),
});
