// The guide: pages of the documentation whose examples can be changed and run.
import { copy, onStatus, restart, run } from './database.js';
import { el, field, options } from './dom.js';
import { outcome, problem } from './result.js';
import { statements } from './statements.js';

const OWN = {
	path: 'own',
	title: 'Your own queries',
	reading: 'docs/reference.html',
	parts: [
		{
			html: '<p>The ladder <code>arcade</code> has some weeks of a small gaming café in it. Everything that <a href="docs/reference.html">the reference</a> lists can be called, and nothing can be broken: <em>Restart</em> puts all back.</p>',
		},
		{
			example: [
				{
					sql: "SELECT place, player_id, round(rating::numeric, 1) AS rating, games, wins, losses\nFROM skillrating.leaderboard('arcade', 5);",
					shown: null,
				},
			],
		},
		{
			example: [
				{
					sql: "SELECT skillrating.plot_history(array_agg(b.player_id ORDER BY h.seq), array_agg(h.seq::float8 ORDER BY h.seq),\n    array_agg(h.rating_after ORDER BY h.seq), NULL::float8[], 'Ratings by match')\nFROM skillrating.leaderboard('arcade', 4) AS b,\n    skillrating.history('arcade', b.player_id) AS h;",
					shown: null,
				},
			],
		},
		{
			example: [
				{
					sql: "SELECT skillrating.plot_calibration(\n    skillrating.calibration(win_probability, score), 'Forecasts of arcade')\nFROM (SELECT DISTINCT ON (seq) * FROM arcade.event\n    WHERE kind = 'match' ORDER BY seq, team) AS forecast;",
					shown: null,
				},
			],
		},
		{
			example: [
				{
					sql: '-- Anything you like.\nSELECT name, summary FROM skillrating.models();',
					shown: null,
				},
			],
		},
	],
};

let pages, host;
// Which page the database has the tables of, and how many of its examples have run.
let inDatabase = null;
const ran = new Set();

// Whatever a page made is gone when the database begins anew.
onStatus((now) => {
	if (now !== 'loading') return;
	inDatabase = null;
	ran.clear();
	for (const cell of document.querySelectorAll('.cell.ran')) cell.classList.remove('ran');
});

const META = [
	[/^\\copy (.+?) FROM '(?:demo\/)?(data\/[a-z_]+\.csv)' (.*?);?$/is, ([, name, path, rest]) => copy(name, path, rest)],
];

// Run a statement of a script, or a command of psql's of which the page has the like.
async function runOne({ sql, command }) {
	if (sql !== undefined) return run(sql);
	for (const [pattern, work] of META) {
		const match = pattern.exec(command);
		if (match) return work(match);
	}
	return {
		fields: null,
		rows: [],
		notices: [],
		tag: `${command.split(' ')[0]} is a command of psql, which is not needed here`,
		error: null,
	};
}

class Cell {
	constructor(page, number, example) {
		this.page = page;
		this.number = number;
		this.source = example.map(({ sql }) => sql).join('\n');
		this.editor = el('textarea', {
			class: 'sql',
			spellcheck: 'false',
			autocapitalize: 'off',
			autocomplete: 'off',
			wrap: 'off',
			'aria-label': `SQL of example ${number + 1}`,
			value: this.source,
			input: () => this.changed(),
			keydown: (event) => {
				if (event.key === 'Enter' && (event.ctrlKey || event.metaKey)) {
					event.preventDefault();
					this.start();
				}
			},
		});
		this.runButton = el('button', { type: 'button', class: 'run primary', click: () => this.start() }, 'Run');
		this.undo = el(
			'button',
			{
				type: 'button',
				hidden: true,
				click: () => {
					this.editor.value = this.source;
					this.changed();
					this.editor.focus();
				},
			},
			'Undo changes',
		);
		this.time = el('span', { class: 'time' });
		this.output = el('div', { class: 'output', 'aria-live': 'polite' });
		const shown = example
			.map((statement) => statement.shown)
			.filter(Boolean)
			.join('\n');
		if (shown)
			this.output.append(
				el('pre', { class: 'shown scroll', tabindex: '0', 'aria-label': 'Result in the documentation' }, shown),
			);
		this.element = el(
			'section',
			{ class: 'cell', 'aria-label': `Example ${number + 1}`, id: `example-${number + 1}` },
			this.editor,
			el('div', { class: 'cell-bar' }, this.runButton, this.undo, this.time),
			this.output,
		);
		this.changed();
	}

	changed() {
		this.editor.rows = Math.min(24, Math.max(1, this.editor.value.split('\n').length));
		this.undo.hidden = this.editor.value === this.source;
	}

	// By a click: first all before it that have not run.
	async start() {
		const { cells } = this.page;
		if (cells.some((cell) => cell.running)) return;
		try {
			if (inDatabase !== this.page.path && inDatabase !== null) await restart();
			inDatabase = this.page.path;
			if (this.page.path !== 'own')
				for (const cell of cells.slice(0, this.number))
					if (!ran.has(cell) && !(await cell.run())) {
						cell.element.scrollIntoView({ block: 'nearest' });
						return;
					}
			await this.run();
		} catch (error) {
			this.output.replaceChildren(problem({ message: error.message }));
		}
	}

	async run() {
		const began = performance.now();
		const found = [];
		let failed = false;
		this.running = true;
		this.runButton.disabled = true;
		this.element.classList.add('running');
		try {
			for (const statement of statements(this.editor.value)) {
				const result = await runOne(statement);
				found.push(outcome(result, statement.sql));
				failed = result.error !== null;
				if (failed) break;
			}
			this.output.replaceChildren(...found);
			this.time.textContent = `${Math.round(performance.now() - began)} ms`;
		} catch (error) {
			failed = true;
			this.output.replaceChildren(...found, problem({ severity: 'Ended', message: error.message }));
		} finally {
			this.running = false;
			this.runButton.disabled = false;
			this.element.classList.remove('running');
		}
		if (!failed) ran.add(this);
		this.element.classList.toggle('ran', !failed);
		this.element.classList.toggle('failed', failed);
		return !failed;
	}
}

function showPage(path) {
	const page = pages.find((other) => other.path === path) ?? pages[1];
	page.cells = [];
	const body = page.parts.map((part) => {
		if (part.html !== undefined) return el('div', { class: 'prose', html: part.html });
		if (part.heading !== undefined) return el(`h${Math.min(part.level, 6)}`, { id: `section-${part.id}` }, part.heading);
		const cell = new Cell(page, page.cells.length, part.example);
		page.cells.push(cell);
		return cell.element;
	});
	const sections = page.parts.filter(({ level }) => level === 2);
	const all = el(
		'button',
		{
			type: 'button',
			click: async () => {
				await page.cells.at(-1).start();
			},
		},
		'Run all',
	);
	host.querySelector('select').value = page.path;
	host.querySelector('.sections').replaceChildren(
		...sections.map(({ heading, id }) =>
			el(
				'li',
				{},
				el(
					'a',
					{
						href: `#guide/${page.path}`,
						click: (event) => {
							event.preventDefault();
							document.getElementById(`section-${id}`).scrollIntoView();
						},
					},
					heading,
				),
			),
		),
	);
	host.querySelector('.page').replaceChildren(
		el(
			'div',
			{ class: 'page-head' },
			el('h1', {}, page.title),
			el(
				'div',
				{},
				page.path === 'own' ? null : all,
				' ',
				el('a', { href: page.reading }, page.path === 'own' ? 'Reference' : 'Read the page'),
			),
		),
		el(
			'p',
			{ class: 'note' },
			page.path === 'own'
				? 'Ctrl+Enter runs a query.'
				: 'Change what you like. Run first runs the examples before it that have not run yet; grey results are those of the documentation.',
		),
		...body,
	);
	host.querySelector('details').hidden = sections.length === 0;
	host.querySelector('details').open = matchMedia('(min-width: 60rem)').matches;
}

/** Show a page of the guide. */
export async function showGuide(element, path, first) {
	host = element;
	if (first) {
		host.append(el('p', { class: 'note' }, 'Loading the guide'));
		const response = await fetch(new URL('guide.json', import.meta.url));
		pages = [OWN, ...(await response.json())];
		host.replaceChildren(
			el(
				'div',
				{ class: 'guide' },
				el(
					'aside',
					{},
					field(
						'Page',
						el(
							'select',
							{
								change: ({ target }) => {
									location.hash = `guide/${target.value}`;
								},
							},
							options(pages.map((page) => [page.path, page.title])),
						),
					),
					el('details', {}, el('summary', {}, 'Sections'), el('ul', { class: 'sections' })),
				),
				el('article', { class: 'page' }),
			),
		);
	}
	if (pages) showPage(path);
}
