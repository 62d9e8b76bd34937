// A ladder that grows while one watches, and whose past can be corrected.
import { arrayOf, literal, onStatus, query } from './database.js';
import { el, field, options } from './dom.js';
import { picture, problem } from './result.js';

const LADDER = 'arcade';
const PAUSE = 450;
const SHOWN = 6;
// How well players really play, in points: the ladder does not know.
const SKILL = {
	Ada: 1780,
	Ben: 1690,
	Cleo: 1640,
	Dan: 1600,
	Eve: 1560,
	Finn: 1520,
	Gia: 1480,
	Hugo: 1450,
	Ivy: 1410,
	Jon: 1360,
	Kim: 1300,
	Leo: 1220,
};
const MODELS = [
	['elo', 'Elo'],
	['glicko2', 'Glicko-2'],
	['trueskill', 'TrueSkill'],
	['weng_lin', 'Weng and Lin (OpenSkill)'],
];

let host,
	playing = false,
	working = Promise.resolve(),
	ready = false,
	older = 0,
	busy = false;
const part = (name) => host.querySelector(`.${name}`);

// ---- Work, one after another ----

function say(...content) {
	part('news').replaceChildren(...content);
}

// Work on the ladder; what goes wrong is shown.
function work(task) {
	working = working.then(async () => {
		busy = true;
		setButtons();
		try {
			await task();
		} catch (error) {
			stop();
			if (error.code) say(problem(error));
			else if (ready) say(problem({ severity: 'Ended', message: error.message }));
		} finally {
			busy = false;
			setButtons();
		}
	});
	return working;
}

function setButtons() {
	for (const control of host.querySelectorAll('.controls select, .matches button'))
		control.disabled = !ready || busy || playing;
	for (const name of ['one', 'ten']) part(name).disabled = !ready || playing;
	part('go').disabled = !ready;
	part('go').textContent = playing ? 'Pause' : 'Keep playing';
	part('go').setAttribute('aria-pressed', String(playing));
}

// ---- A round ----

const pick = (list) => list.splice(Math.floor(Math.random() * list.length), 1)[0];

async function round() {
	const [{ next, at }] = await query(
		`SELECT coalesce(max(match_id), 0) + 1 AS next, coalesce(max(played_at), '2026-01-01') + interval '95 minutes' AS at FROM ${LADDER}.match`,
	);
	const free = Object.keys(SKILL);
	const players = [pick(free), pick(free), pick(free), pick(free)];
	const lead = (SKILL[players[0]] + SKILL[players[1]] - SKILL[players[2]] - SKILL[players[3]]) / 2;
	const first = Math.random() < 1 / (1 + 10 ** (-lead / 400)) ? 1 : 2;
	const rows = await query(
		`SELECT player_id, rating_before, rating_after, win_probability, score FROM skillrating.report_match('${LADDER}', ${next}, ${arrayOf(players, 'text')}, '{1,1,2,2}', '{${first},${first},${3 - first},${3 - first}}', ${literal(at)})`,
	);
	tell(rows);
}

// One line about a match that was just rated.
function tell(rows) {
	const [won, lost] = [1, 0].map((score) => rows.filter((row) => Number(row.score) === score));
	const names = (list) => list.map(({ player_id: name }) => name).join(' and ');
	const change = ({ rating_before: old, rating_after: now }) => Number(now) - Number(old);
	const gained = won.map(change);
	say(
		el(
			'p',
			{},
			el('strong', {}, names(won)),
			` beat ${names(lost)}, which was expected with `,
			el('strong', {}, `${(100 * Number(won[0].win_probability)).toFixed(0)} %`),
			`: ${gained.every((gain) => Math.abs(gain - gained[0]) < 0.005) ? `${gained[0].toFixed(2)} points each` : won.map((row, i) => `${row.player_id} ${gained[i].toFixed(2)}`).join(', ')}.`,
		),
	);
}

function stop() {
	playing = false;
	if (host) setButtons();
}

async function keepPlaying() {
	playing = !playing;
	setButtons();
	while (playing) {
		await work(async () => {
			await round();
			await show();
		});
		await new Promise((resolve) => {
			setTimeout(resolve, document.hidden ? 2000 : PAUSE);
		});
	}
	if (ready) work(show);
}

// ---- What is shown ----

let places = new Map();

async function showBoard() {
	const board = await query(
		`SELECT place, player_id, rating, games, wins, losses FROM skillrating.leaderboard('${LADDER}', 12)`,
	);
	const arrow = ({ player_id: name, place }) => {
		const was = places.get(name);
		if (was === undefined || was === Number(place)) return null;
		const up = was > Number(place);
		return el('span', { class: up ? 'up' : 'down', title: `was ${was}` }, up ? ' ▲' : ' ▼');
	};
	part('board').replaceChildren(
		...board.map((row) =>
			el(
				'tr',
				{},
				el('td', { class: 'number' }, row.place, arrow(row)),
				el('th', { scope: 'row' }, row.player_id),
				el('td', { class: 'number' }, Number(row.rating).toFixed(1)),
				el('td', { class: 'number' }, row.games),
				el('td', { class: 'number' }, `${row.wins}–${row.losses}`),
			),
		),
	);
	places = new Map(board.map(({ player_id: name, place }) => [name, Number(place)]));
}

async function showPlot() {
	const [{ svg, brier, matches }] = await query(`
		SELECT (SELECT skillrating.plot_history(array_agg(b.player_id ORDER BY h.seq), array_agg(h.seq::float8 ORDER BY h.seq),
				array_agg(h.rating_after ORDER BY h.seq), NULL::float8[], 'Ratings of the best five')
			FROM skillrating.leaderboard('${LADDER}', 5) AS b, LATERAL skillrating.history('${LADDER}', b.player_id) AS h) AS svg,
			(SELECT skillrating.brier_score(win_probability, score)
			FROM (SELECT DISTINCT ON (seq) * FROM ${LADDER}.event WHERE kind = 'match' ORDER BY seq, team) AS forecast) AS brier,
			(SELECT count(*) FROM ${LADDER}.rated_match WHERE status = 'rated') AS matches`);
	part('plot').replaceChildren(svg === null ? el('p', { class: 'note' }, 'No matches yet.') : picture(svg));
	part('score').textContent =
		`${matches} matches. Brier score of the forecasts ${brier === null ? '–' : Number(brier).toFixed(3)}; 0.25 is what tossing a coin has.`;
}

async function showMatches() {
	const matches =
		await query(`SELECT m.match_id, string_agg(p.player_id, ' and ' ORDER BY p.player_id) FILTER (WHERE p.rank = 1) AS won, string_agg(p.player_id, ' and ' ORDER BY p.player_id) FILTER (WHERE p.rank = 2) AS lost
		FROM ${LADDER}.match AS m JOIN ${LADDER}.match_player AS p USING (match_id) GROUP BY m.match_id ORDER BY m.match_id DESC LIMIT ${SHOWN} OFFSET ${older}`);
	part('matches').replaceChildren(
		...matches.map(({ match_id: id, won, lost }) =>
			el(
				'li',
				{},
				el('span', {}, el('b', {}, `${id}. `), `${won} beat ${lost}`),
				el(
					'button',
					{
						type: 'button',
						'aria-label': `Match ${id} was won by ${lost}`,
						click: () => work(() => correct(id, won, lost)),
					},
					'Swap',
				),
			),
		),
	);
	part('newer').hidden = older === 0;
	part('older').hidden = matches.length < SHOWN;
}

async function show() {
	await showBoard();
	await showPlot();
	await showMatches();
}

// ---- Corrections ----

async function correct(id, won, lost) {
	await query(`UPDATE ${LADDER}.match_player SET rank = 3 - rank WHERE match_id = ${id}`);
	const began = performance.now();
	const changed = await query(
		`SELECT player_id, rating_before, rating_after FROM skillrating.catch_up('${LADDER}') ORDER BY abs(rating_after - rating_before) DESC, player_id`,
	);
	const time = Math.round(performance.now() - began);
	const signed = (number) => `${number < 0 ? '−' : '+'}${Math.abs(number).toFixed(1)}`;
	await show();
	say(
		el(
			'p',
			{},
			`Match ${id} was won by `,
			el('strong', {}, lost),
			`, not by ${won}. catch_up() rated everything from there on again in ${time} ms, and ${changed.length} players have other ratings:`,
		),
		el(
			'ul',
			{ class: 'changes' },
			changed.map(({ player_id: name, rating_before: old, rating_after: now }) =>
				el(
					'li',
					{},
					`${name} ${Number(old).toFixed(1)} → ${Number(now).toFixed(1)} `,
					el('span', { class: Number(now) >= Number(old) ? 'up' : 'down' }, signed(Number(now) - Number(old))),
				),
			),
		),
	);
}

async function check() {
	const checks = await query(`SELECT * FROM skillrating.verify('${LADDER}')`);
	const wrong = checks.filter(({ ok }) => ok !== 't');
	say(
		el(
			'p',
			{},
			wrong.length === 0
				? `Verified: rated again from the first match, all is the same to the last bit (${checks.map(({ detail }) => detail).join(', ')}).`
				: `Not as it should be: ${wrong.map(({ check_name: name, detail }) => `${name}: ${detail}`).join('; ')}`,
		),
	);
}

const score = async () =>
	(
		await query(`SELECT round(skillrating.brier_score(win_probability, score)::numeric, 4) AS brier, count(*) AS matches
	FROM (SELECT DISTINCT ON (seq) * FROM ${LADDER}.event WHERE kind = 'match' ORDER BY seq, team) AS forecast`)
	)[0];

// A new ladder of another model with the same matches, which are rated when they are stored.
async function change(model) {
	const began = performance.now();
	const { brier: before } = await score();
	for (const sql of [
		'BEGIN',
		`CREATE TEMPORARY TABLE arcade_match AS TABLE ${LADDER}.match`,
		`CREATE TEMPORARY TABLE arcade_player AS TABLE ${LADDER}.match_player`,
		`SELECT skillrating.drop_ladder('${LADDER}')`,
		`SELECT skillrating.create_ladder('${LADDER}', '${model}', player_type => 'text')`,
		`INSERT INTO ${LADDER}.match (match_id, played_at) SELECT match_id, played_at FROM arcade_match ORDER BY played_at, match_id`,
		`INSERT INTO ${LADDER}.match_player (match_id, player_id, team, rank) SELECT match_id, player_id, team, rank FROM arcade_player`,
		'DROP TABLE arcade_match, arcade_player',
		'COMMIT',
	])
		await query(sql);
	const { brier: after, matches } = await score();
	places = new Map();
	await show();
	say(
		el(
			'p',
			{},
			`The same ${matches} matches, rated by ${MODELS.find(([name]) => name === model)[1]} in ${Math.round(performance.now() - began)} ms: the Brier score of its forecasts is ${after}, and was ${before}.`,
		),
	);
}

async function begin() {
	const [{ model }] = await query(`SELECT model FROM ${LADDER}.ladder`);
	part('model').value = model;
	places = new Map();
	older = 0;
	await show();
	say(
		el(
			'p',
			{},
			'Some weeks in a gaming café, two against two. Play on, or swap the result of an old match and see what follows from it.',
		),
	);
}

function turn(by) {
	older = Math.max(0, older + by);
	work(showMatches);
}

/** Show the ladder. */
export function showLadder(element, path, first) {
	if (!first) return;
	host = element;
	host.append(
		el(
			'div',
			{ class: 'page-head' },
			el('h1', {}, 'A ladder that grows'),
			el('a', { href: 'docs/ladders.html' }, 'How it works'),
		),
		el(
			'div',
			{ class: 'controls' },
			el('button', { type: 'button', class: 'primary go', click: keepPlaying }, 'Keep playing'),
			el(
				'button',
				{
					type: 'button',
					class: 'one',
					click: () =>
						work(async () => {
							await round();
							await show();
						}),
				},
				'Play one match',
			),
			el(
				'button',
				{
					type: 'button',
					class: 'ten',
					click: () =>
						work(async () => {
							for (let i = 0; i < 10; i++) await round();
							await show();
						}),
				},
				'Play ten',
			),
			field(
				'Model',
				el(
					'select',
					{ class: 'model', change: ({ target }) => work(() => change(target.value)) },
					options(MODELS, 'elo'),
				),
			),
		),
		el('div', { class: 'news', 'aria-live': 'polite' }, el('p', {}, 'Loading')),
		el(
			'div',
			{ class: 'ladder' },
			el(
				'section',
				{ 'aria-label': 'Leaderboard' },
				el('h2', {}, 'Leaderboard'),
				el(
					'div',
					{ class: 'scroll' },
					el(
						'table',
						{ class: 'leaderboard' },
						el(
							'thead',
							{},
							el(
								'tr',
								{},
								[['Place', true], ['Player'], ['Rating', true], ['Games', true], ['Won–lost', true]].map(
									([name, number]) => el('th', { scope: 'col', class: number ? 'number' : null }, name),
								),
							),
						),
						el('tbody', { class: 'board' }),
					),
				),
			),
			el(
				'section',
				{ 'aria-label': 'History' },
				el('h2', {}, 'History'),
				el('div', { class: 'plot' }),
				el('p', { class: 'score note' }),
			),
			el(
				'section',
				{ 'aria-label': 'Matches' },
				el('h2', {}, 'Matches'),
				el('p', { class: 'note' }, 'Somebody mistyped a result? Swap it.'),
				el('ul', { class: 'matches' }),
				el(
					'div',
					{ class: 'pages' },
					el('button', { type: 'button', class: 'newer', hidden: true, click: () => turn(-SHOWN) }, 'Newer'),
					el('button', { type: 'button', class: 'older', click: () => turn(SHOWN) }, 'Older'),
					el('button', { type: 'button', class: 'verify', click: () => work(check) }, 'Verify'),
				),
			),
		),
	);
	onStatus((now) => {
		if (now === 'loading') {
			ready = false;
			stop();
		} else if (!ready && now === 'ready') {
			ready = true;
			work(begin);
		}
		if (host) setButtons();
	});
}
