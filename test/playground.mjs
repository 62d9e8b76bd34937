// The playground in a browser: everything that a visitor can do, by clicks and keys.
//
//   node test/playground.mjs DIRECTORY CHROMIUM [SCREENSHOTS]
//
// Prints "ok playground: ..." and "not ok playground: ..." lines; the status is 1 if there is one of
// the latter.  NODE_PATH leads to playwright-core.
import { createReadStream, existsSync, mkdirSync, readFileSync, statSync } from 'node:fs';
import { createServer } from 'node:http';
import { createRequire } from 'node:module';
import { extname, join, normalize } from 'node:path';

const [directory, executablePath, screenshots] = process.argv.slice(2);
const { chromium } = createRequire(join(process.env.NODE_PATH, 'index.js'))('playwright-core');
const { aligned } = await import(new URL('../web/playground/site/text.js', import.meta.url));
const TYPES = {
	'.html': 'text/html',
	'.js': 'text/javascript',
	'.css': 'text/css',
	'.json': 'application/json',
	'.wasm': 'application/wasm',
	'.svg': 'image/svg+xml',
	'.csv': 'text/csv',
	'.gz': 'application/gzip',
};
const WAIT = 120000;

let failed = 0;
function check(name, right, detail = '') {
	console.log(`${right ? 'ok' : 'not ok'} playground: ${name}${right || !detail ? '' : ` (${detail})`}`);
	if (!right) failed++;
}

// ---- A web server that knows nothing but files ----

const server = createServer((request, response) => {
	const path = join(directory, normalize(decodeURIComponent(new URL(request.url, 'http://x').pathname)));
	const file = existsSync(path) && statSync(path).isDirectory() ? join(path, 'index.html') : path;
	if (!existsSync(file)) {
		response.writeHead(404).end();
		return;
	}
	response.writeHead(200, {
		'content-type': TYPES[extname(file)] ?? 'application/octet-stream',
		'content-length': statSync(file).size,
	});
	createReadStream(file).pipe(response);
});
await new Promise((resolve) => {
	server.listen(0, '127.0.0.1', resolve);
});
const origin = `http://127.0.0.1:${server.address().port}`;

const browser = await chromium.launch({ executablePath, args: ['--no-sandbox', '--disable-dev-shm-usage'] });
const complaints = [];

async function open(options, hash = '', prepare = async () => {}) {
	const context = await browser.newContext({ viewport: { width: 1280, height: 900 }, ...options });
	const page = await context.newPage();
	page.setDefaultTimeout(WAIT);
	page.on('console', (message) => {
		if (['error', 'warning'].includes(message.type())) complaints.push(`${message.type()}: ${message.text()}`);
	});
	page.on('pageerror', (error) => complaints.push(String(error)));
	page.on('requestfailed', (request) => {
		if (!request.failure()?.errorText.includes('ABORTED'))
			complaints.push(`${request.url()}: ${request.failure()?.errorText}`);
	});
	page.on('request', (request) => {
		if (!request.url().startsWith(origin) && !/^(data|blob):/.test(request.url()))
			complaints.push(`request to ${request.url()}`);
	});
	page.on('response', (response) => {
		if (response.status() >= 400) complaints.push(`${response.status()} ${response.url()}`);
	});
	await prepare(page);
	await page.goto(`${origin}/${hash}`);
	return page;
}

let picture = 0;
async function shoot(page, name, fullPage = false) {
	if (!screenshots) return;
	mkdirSync(screenshots, { recursive: true });
	await page.screenshot({
		path: join(screenshots, `${String(++picture).padStart(2, '0')}-${name}.png`),
		fullPage,
	});
}

const text = (page, selector) => page.locator(selector).first().innerText();
const gamesOf = (page) =>
	page
		.locator('.board tr td:nth-child(4)')
		.allInnerTexts()
		.then((all) => all.reduce((sum, games) => sum + Number(games), 0));
const idle = (page) =>
	page.waitForFunction(
		() => !document.querySelector('.one').disabled && document.querySelector('.matches button:not(:disabled)'),
	);

// ---- The ladder ----

async function testLadder(page) {
	const games = await gamesOf(page);
	check(
		'the ladder that was prepared is shown',
		(await page.locator('.board tr').count()) === 12 && games === 320 && (await page.locator('.plot img.plot').count()) === 1,
		`${games} games`,
	);
	await page.locator('.one').focus();
	await page.keyboard.press('Enter');
	await page.waitForFunction(
		(before) =>
			[...document.querySelectorAll('.board tr td:nth-child(4)')].reduce(
				(sum, cell) => sum + Number(cell.textContent),
				0,
			) ===
			before + 4,
		games,
	);
	await idle(page);
	check(
		'a match is played, and said',
		/beat .* which was expected with/.test(await text(page, '.news')),
		await text(page, '.news'),
	);
	await page.click('.ten');
	await page.waitForFunction(
		(before) =>
			[...document.querySelectorAll('.board tr td:nth-child(4)')].reduce(
				(sum, cell) => sum + Number(cell.textContent),
				0,
			) ===
			before + 44,
		games,
	);
	await idle(page);
	await page.click('.go');
	await page.waitForFunction(
		(before) =>
			[...document.querySelectorAll('.board tr td:nth-child(4)')].reduce(
				(sum, cell) => sum + Number(cell.textContent),
				0,
			) >=
			before + 52,
		games,
	);
	await page.click('.go');
	await idle(page);
	const played = await gamesOf(page);
	await page.waitForTimeout(1500);
	check(
		'the ladder grows until it is paused',
		(await gamesOf(page)) === played && played >= games + 52,
		`${games} games, then ${played}`,
	);

	for (let i = 0; i < 3; i++) {
		await page.click('.older');
		await idle(page);
	}
	const [winners] = (await text(page, '.matches li span')).match(/[A-Z]\w+ and \w+/);
	await page.locator('.matches li button').first().click();
	await page.waitForFunction(() => /catch_up/.test(document.querySelector('.news').textContent));
	await idle(page);
	const changes = await page.locator('.changes li').allInnerTexts();
	check(
		'an old match is corrected, and what changes is listed',
		(await text(page, '.news')).includes(`not by ${winners}`) &&
			changes.length >= 4 &&
			changes.every((line) => /^\w+ [\d.]+ → [\d.]+ [+−][\d.]+$/.test(line)),
		JSON.stringify(changes),
	);
	await shoot(page, 'ladder-corrected', true);
	await page.click('.verify');
	await page.waitForFunction(() => /^Verified/.test(document.querySelector('.news').textContent));
	check('the corrected ladder is verified', true);
	await idle(page);
	await page.selectOption('.model', 'trueskill');
	await page.waitForFunction(() => /TrueSkill|ERROR|Ended/.test(document.querySelector('.news').textContent));
	await idle(page);
	check(
		'another model rates the same matches',
		(await gamesOf(page)) === played &&
			Number(await text(page, '.board tr td:nth-child(3)')) < 100 &&
			/TrueSkill in \d+ ms: the Brier score of its forecasts is 0\.\d+, and was 0\.\d+/.test(await text(page, '.news')),
		await text(page, '.news'),
	);
}

// ---- Teams ----

const asked = (page) =>
	page.waitForTimeout(150).then(() => page.waitForFunction(() => document.getElementById('status').className === 'ready'));
const members = (page, team) => page.locator(`.team-${team} .chip .name`).allInnerTexts();

async function testTeams(page) {
	await page.click('nav [data-view=teams]');
	await page.waitForSelector('.team-1 .chip');
	const [first, second] = [await members(page, 1), await members(page, 2)];
	check(
		'ten players are split into two teams',
		first.length === 5 && second.length === 5 && /^(49|50)\.\d %/.test(await text(page, '.team-1 .chance strong')),
		`${first} ${second}`,
	);
	await shoot(page, 'teams', true);

	await page.locator('.team-1 .chip').first().click();
	await page.locator('.team-2 .here').click();
	await asked(page);
	check(
		'a player who is chosen can be put into the other team',
		(await members(page, 2)).includes(first[0]) && (await text(page, `[data-player=${first[0]}]`)).includes('📌'),
		await members(page, 2),
	);
	await page.locator(`[data-player=${first[1]}]`).dragTo(page.locator('.team-2'));
	await asked(page);
	check('and one who is dragged', (await members(page, 2)).includes(first[1]));
	await page.click('details.players summary');
	const before = await text(page, '.team-2 .chance strong');
	await page.fill(`[aria-label="Rating of ${first[0]}"]`, '2500');
	await page.waitForFunction((was) => document.querySelector('.team-2 .chance strong').textContent !== was, before);
	check(
		'another rating changes the chances at once',
		Number.parseFloat(await text(page, '.team-2 .chance strong')) > Number.parseFloat(before),
		`${before}, then ${await text(page, '.team-2 .chance strong')}`,
	);
	await page.selectOption('[name=size]', '3');
	await asked(page);
	check('a size leaves a bench', (await members(page, 0)).length === 4 && (await members(page, 1)).length === 3);
	await page.selectOption('[name=size]', '0');
	await page.selectOption('[name=teams]', '3');
	await asked(page);
	check('three teams', (await members(page, 3)).length === 3 && (await page.locator('.odds span').count()) === 3);
	await page.selectOption('[name=teams]', '2');
	await asked(page);
	for (const [name, team] of [
		[first[0], '1'],
		[second[0], '2'],
	]) {
		await page.selectOption(`[aria-label="Where ${name} plays"]`, team);
		await page.selectOption(`[aria-label="Party of ${name}"]`, 'A');
	}
	await page.waitForSelector('.split .error');
	check(
		'contradictions are an error that says what would help',
		/contradict one another/.test(await text(page, '.split .error')) && /Detail: /.test(await text(page, '.split .error')),
		await text(page, '.split .error'),
	);
	await page.selectOption(`[aria-label="Party of ${first[0]}"]`, '');
	await page.waitForSelector('.split .columns');
	check('and are forgotten when they are gone', (await page.locator('.split .error').count()) === 0);
}

// ---- The guide ----

// As docs.sh has it: last digits depend on the machine, and widths on digits.
const normal = (shown) =>
	shown
		.replace(/([0-9]\.[0-9]{10})[0-9]+/g, '$1')
		.split('\n')
		.map((line) =>
			line
				.replace(/ +$/, '')
				.replace(/ {2,}/g, ' ')
				.replace(/-+(\+|$)/g, '-$1'),
		)
		.filter((line) => line !== '')
		.join('\n');

// What an outcome shows, as psql prints it.
async function printed(outcome) {
	const found = await outcome.evaluate((element) => ({
		notices: [...element.querySelectorAll('.notice')].map((notice) =>
			[...notice.querySelectorAll('p')].map((line) => line.textContent),
		),
		done: element.querySelector('.tag')?.dataset.fields ?? null,
		error: element.querySelector('.error')?.textContent ?? null,
		fields: [...element.querySelectorAll('table.result thead th')].map((head) => ({
			name: head.textContent,
			type: head.classList.contains('number') ? 23 : 25,
		})),
		rows: [...element.querySelectorAll('table.result tbody tr')].map((row) =>
			[...row.children].map((cell) => cell.textContent),
		),
	}));
	const lines = found.notices.flatMap(([message, ...more]) => [
		message.replace(': ', ':  '),
		...more.map((line) => line.replace(/^(\w+): /, (all, word) => `${word.toUpperCase()}:  `)),
	]);
	if (found.error) lines.push(found.error);
	if (found.done)
		lines.push(
			aligned({
				fields: JSON.parse(found.done).map((name) => ({ name, type: 25 })),
				rows: [JSON.parse(found.done).map(() => '')],
			}),
		);
	if (found.fields.length > 0) lines.push(aligned(found));
	return lines.join('\n');
}

async function testGuide(page) {
	await page.click('nav [data-view=guide]');
	await page.waitForSelector('.guide select');
	const guide = JSON.parse(readFileSync(join(directory, 'guide.json'), 'utf8'));
	let examples = 0;
	for (const { path, parts } of guide) {
		await page.selectOption('.guide select', path);
		await page.waitForFunction(
			(value) => document.querySelector('.guide select').value === value && location.hash === `#guide/${value}`,
			path,
		);
		const cells = parts.filter(({ example }) => example).map(({ example }) => example);
		await page.waitForFunction((n) => document.querySelectorAll('.cell').length === n, cells.length);
		const began = Date.now();
		await page.click('.page-head button');
		await page.waitForFunction(
			(n) => document.querySelectorAll('.cell.ran').length === n || document.querySelector('.cell.failed'),
			cells.length,
		);
		let wrong = '';
		for (const [i, statements] of cells.entries()) {
			const outcomes = await page.locator('.cell').nth(i).locator('.outcome').all();
			const problem = await page.locator('.cell').nth(i).locator('.error').allInnerTexts();
			if (problem.length > 0) wrong ||= `example ${i + 1}: ${problem.join(' ')}`;
			for (const [j, { shown, sql }] of statements.entries()) {
				examples++;
				if (shown === null || wrong) continue;
				const found = outcomes[j] ? normal(await printed(outcomes[j])) : 'nothing';
				if (found !== normal(shown)) wrong = `${sql.slice(0, 200)}\n${found}\ninstead of\n${normal(shown)}`;
			}
		}
		check(`${path}: its examples print what the page shows`, wrong === '', wrong);
		console.log(`# ${path}: ${cells.length} examples in ${Date.now() - began} ms`);
		if (path === 'README.md') await shoot(page, 'guide');
		if (path === 'docs/cookbook.md') {
			const pictures = await page
				.locator('.cell img.plot')
				.evaluateAll((images) => images.filter((image) => image.naturalWidth > 0).length);
			check('pictures are shown', pictures > 0);
			if (pictures > 0) await page.locator('.cell img.plot').first().scrollIntoViewIfNeeded();
			await shoot(page, 'guide-picture');
		}
	}
	console.log(`# ${guide.length} pages, ${examples} statements`);

	await page.selectOption('.guide select', 'own');
	await page.waitForFunction(() => document.querySelector('.page h1').textContent === 'Your own queries');
	const editor = page.locator('textarea.sql').first(),
		cell = page.locator('.cell').first();
	for (const n of [0, 1, 2, 3]) {
		await page.locator('.cell .run').nth(n).click();
		await page.waitForFunction((i) => document.querySelectorAll('.cell')[i].matches('.ran, .failed'), n);
	}
	check(
		'own queries and pictures',
		(await page.locator('.cell.ran').count()) === 4 && (await page.locator('.cell img.plot').count()) === 2,
	);
	await shoot(page, 'own', true);
	await editor.fill("SELECT skillrating.create_ladder('mine', 'eloo');");
	await editor.press('Control+Enter');
	await page.waitForSelector('.cell .error');
	check(
		'an error has its hint',
		/ERROR: .*unknown rating model "eloo"[\s\S]*Hint: The models are "elo"[\s\S]*SQLSTATE 22023/.test(await cell.innerText()),
		await cell.innerText(),
	);
	await editor.fill('SELECT 1,\n    2 FORM x;');
	await editor.press('Control+Enter');
	await page.waitForFunction(() => document.querySelector('.cell .place')?.textContent.includes('^'));
	check(
		'an error shows its place',
		(await text(page, '.cell .place')).split('\n')[1].indexOf('^') === '    2 FORM x;'.indexOf('x'),
		await text(page, '.cell .place'),
	);
	await shoot(page, 'error');
	await cell.getByRole('button', { name: 'Undo changes' }).click();
	check('changes can be undone', /leaderboard\('arcade', 5\)/.test(await editor.inputValue()));

	await editor.fill('SELECT count(*) FROM generate_series(1, 2000000000);');
	await editor.press('Control+Enter');
	await page.waitForFunction(() => document.getElementById('status').textContent === 'Running');
	await page.click('#restart');
	await page.waitForFunction(
		() => document.getElementById('status').className === 'ready' && !document.querySelector('.cell .run').disabled,
	);
	await editor.fill('SELECT 41 + 1 AS answer;');
	await editor.press('Control+Enter');
	await page.waitForFunction(() => document.querySelector('.cell td')?.textContent === '42');
	check('what runs too long can be ended', true);
	await page.click('nav [data-view=ladder]');
	await idle(page);
	check('and the ladder is as it was at first', (await gamesOf(page)) === 320);
}

// ---- The page as such ----

const overflow = (page) => page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth);
const unnamed = (page) =>
	page.evaluate(() =>
		[...document.querySelectorAll('button, select, input, textarea, a, img')]
			.filter(
				(control) =>
					control.offsetParent !== null &&
					!(
						control.getAttribute('aria-label') ||
						control.textContent.trim() ||
						control.labels?.length > 0 ||
						control.alt
					),
			)
			.map((control) => control.outerHTML.slice(0, 80)),
	);

async function testPhone() {
	for (const [name, options] of [
		['light', { colorScheme: 'light' }],
		['dark', { colorScheme: 'dark' }],
	]) {
		const page = await open({
			viewport: { width: 375, height: 812 },
			hasTouch: true,
			isMobile: true,
			...options,
		});
		const wide = [],
			nameless = [];
		await page.waitForSelector('.board tr');
		for (const view of ['ladder', 'teams', 'guide/README.md', 'guide/docs/teams.md', 'guide/own']) {
			await page.evaluate((hash) => {
				location.hash = hash;
			}, view);
			await page.waitForTimeout(600);
			if (view === 'teams') {
				await page.waitForSelector('.team-1 .chip');
				await page.tap('details.players summary');
				await page.tap('.team-1 .chip >> nth=0');
			}
			if (view === 'guide/own') {
				await page.tap('.cell .run >> nth=0');
				await page.waitForSelector('.cell.ran');
			}
			if ((await overflow(page)) > 0) wide.push(`${view} by ${await overflow(page)}`);
			nameless.push(...(await unnamed(page)));
			await shoot(page, `phone-${name}-${view.replace(/\W/g, '-')}`);
		}
		for (const path of ['docs/index.html', 'docs/teams.html', 'docs/models/elo.html', 'docs/reference.html']) {
			await page.goto(`${origin}/${path}`);
			if ((await overflow(page)) > 0) wide.push(`${path} by ${await overflow(page)}`);
		}
		await shoot(page, `phone-${name}-docs`);
		check(`no view of 375 pixels scrolls sideways, ${name}`, wide.length === 0, wide.join(', '));
		check(`all controls have names, ${name}`, nameless.length === 0, nameless.join(' '));
		await page.context().close();
	}
}

// A file that cannot be fetched is said, and fetched when somebody tries again.
async function testFailure() {
	const before = complaints.length;
	const page = await open({}, '', (other) => other.route('**/data/ready.tar.gz', (route) => route.abort()));
	await page.waitForSelector('#broken:not([hidden])');
	const said = await text(page, '#broken');
	await page.unroute('**/data/ready.tar.gz');
	await page.click('#restart');
	await page.waitForSelector('.board tr');
	check(
		'a download that fails is said, and tried again',
		/does not run here/.test(said) && (await page.locator('#broken').isHidden()),
		said,
	);
	await page.context().close();
	complaints.length = before;
}

async function testLinks() {
	const page = await open({}, 'docs/index.html');
	const seen = new Set(),
		broken = [];
	const visit = async (path) => {
		if (seen.has(path)) return;
		seen.add(path);
		await page.goto(`${origin}${path}`);
		const targets = await page.evaluate(() =>
			[...document.querySelectorAll('main a[href], main img[src]')].map((link) => link.href ?? link.src),
		);
		for (const target of targets) {
			const url = new URL(target);
			if (url.origin !== origin) continue;
			const file = join(directory, decodeURIComponent(url.pathname));
			if (!existsSync(file)) broken.push(`${path}: ${target}`);
			else if (file.endsWith('.html')) await visit(url.pathname);
		}
	};
	await visit('/docs/index.html');
	check(
		`${seen.size} pages of the documentation, whose links lead somewhere`,
		seen.size > 20 && broken.length === 0,
		broken.slice(0, 5).join(', '),
	);
	await page.context().close();
}

try {
	const began = Date.now();
	const page = await open({ colorScheme: 'light' });
	try {
		await page.waitForSelector('.board tr');
	} catch (error) {
		const seen = await Promise.all(['#status', '.news', '#broken'].map((selector) => page.locator(selector).innerText()));
		throw new Error(`no first result: ${seen.join(', ')}`, { cause: error });
	}
	console.log(
		`# the first result is there ${Date.now() - began} ms after the address was entered; ${await text(page, '#status')}`,
	);
	await idle(page);
	await shoot(page, 'ladder', true);
	await testLadder(page);
	await testTeams(page);
	await testGuide(page);
	check('wide views do not scroll sideways', (await overflow(page)) <= 0);
	await page.click('#theme');
	await page.click('#theme');
	check(
		'the theme can be chosen',
		await page.evaluate(
			() =>
				document.documentElement.dataset.theme === 'dark' &&
				getComputedStyle(document.body).backgroundColor === 'rgb(20, 23, 28)',
		),
	);
	await shoot(page, 'dark', true);
	await page.context().close();
	await testPhone();
	await testFailure();
	await testLinks();
	check(
		'the console has no complaints, and nothing is fetched from elsewhere',
		complaints.length === 0,
		complaints.slice(0, 5).join('; '),
	);
} catch (error) {
	check('the script comes to its end', false, `${error.stack}; ${complaints.slice(0, 5).join('; ')}`);
} finally {
	await browser.close();
	server.close();
}
process.exit(failed === 0 ? 0 : 1);
