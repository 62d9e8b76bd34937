// A lobby to balance: players who are dragged or clicked, and split_teams() as soon as something
// has changed.
import { arrayOf, onStatus, query } from './database.js';
import { el, field, options, percent } from './dom.js';
import { problem } from './result.js';

const NAMES = [
	'Ada',
	'Ben',
	'Cleo',
	'Dan',
	'Eve',
	'Finn',
	'Gia',
	'Hugo',
	'Ivy',
	'Jon',
	'Kim',
	'Leo',
	'Mia',
	'Noah',
	'Olga',
	'Pia',
	'Quin',
	'Rosa',
	'Sam',
	'Tom',
];
const RATINGS = [1720, 1655, 1610, 1585, 1540, 1525, 1490, 1470, 1435, 1390];
const PARTIES = ['', 'A', 'B', 'C'];
const MIME = 'application/x-skillrating-player';

// Nobody is locked, and everybody alone, until somebody says so.
const newPlayer = (name, mu) => ({ name, mu, locked: null, party: '' });

const lobby = {
	players: RATINGS.map((mu, i) => newPlayer(NAMES[i], mu)),
	teams: 2,
	size: 0,
	secondary: 'none',
	logOdds: 0,
};
let split = null,
	chosen = null,
	asked = 0,
	host,
	before = null,
	ready = false;

// What is asked of the database.
function statement() {
	const { players, teams, size, secondary, logOdds } = lobby;
	const column = (values, type) => (values.some((value) => value !== null) ? arrayOf(values, type) : null);
	const given = [
		[
			'party',
			column(
				players.map(({ party }) => (party === '' ? null : PARTIES.indexOf(party))),
				'integer',
			),
		],
		[
			'locked',
			column(
				players.map(({ locked }) => locked),
				'integer',
			),
		],
		['teams', teams === 2 ? null : teams],
		['team_size', size === 0 ? null : size],
		['log_odds', teams === 2 && logOdds !== 0 ? logOdds : null],
		['secondary', teams === 2 && secondary !== 'none' ? `'${secondary}', tolerance => 20` : null],
	]
		.filter(([, value]) => value !== null)
		.map(([name, value]) => `,\n    ${name} => ${value}`);
	return `SELECT player_id, team, difference, win_probability, exact\nFROM skillrating.split_teams(${arrayOf(
		players.map(({ name }) => name),
		'text',
	)},\n    ${arrayOf(
		players.map(({ mu }) => mu),
		'float8',
	)}${given.join('')});`;
}

async function ask() {
	const mine = ++asked;
	const sql = statement();
	host.querySelector('.query').textContent = sql;
	if (!ready) return;
	let found,
		error = null;
	try {
		found = await query(sql);
	} catch (failure) {
		error = failure;
	}
	// Only the last answer counts.
	if (mine !== asked) return;
	if (error === null) {
		split = new Map(
			found.map((row) => [
				row.player_id,
				{
					team: row.team === null ? 0 : Number(row.team),
					win: row.win_probability === null ? null : Number(row.win_probability),
				},
			]),
		);
		split.difference = Number(found[0]?.difference ?? 0);
		split.exact = found[0]?.exact === 't';
	}
	draw(error);
}

function place(player, team) {
	player.locked = team;
	chosen = null;
	drawPlayers();
	ask();
}

// A player of a team, who can be dragged, or chosen and then put somewhere.
function chip(player) {
	const isChosen = chosen === player;
	return el(
		'li',
		{},
		el(
			'button',
			{
				type: 'button',
				class: `chip${isChosen ? ' chosen' : ''}${player.party ? ` party-${player.party}` : ''}`,
				draggable: 'true',
				'aria-pressed': String(isChosen),
				'data-player': player.name,
				click: () => {
					chosen = isChosen ? null : player;
					draw(null);
					document.querySelector(`[data-player="${player.name}"]`)?.focus();
				},
				dragstart: (event) => {
					event.dataTransfer.setData(MIME, player.name);
					event.dataTransfer.effectAllowed = 'move';
				},
			},
			el(
				'span',
				{ class: 'name' },
				player.name,
				player.party ? el('sup', { title: `Party ${player.party}` }, player.party) : null,
			),
			el('span', { class: 'mu' }, String(player.mu)),
			player.locked === null ? null : el('span', { class: 'pin', title: 'Locked here' }, '📌'),
		),
		player.locked === null
			? null
			: el(
					'button',
					{
						type: 'button',
						class: 'quiet',
						'aria-label': `Let ${player.name} go anywhere`,
						click: () => place(player, null),
					},
					'Free',
				),
	);
}

function column(team) {
	const title = team === 0 ? 'Bench' : `Team ${team}`;
	const players = lobby.players.filter(({ name }) => (split?.get(name)?.team ?? 0) === team);
	const win = players.map(({ name }) => split?.get(name)?.win).find((value) => value !== null && value !== undefined);
	const strength = players.reduce((sum, { mu }) => sum + mu, 0) / (players.length || 1);
	const was = before?.[team];
	const change = win !== undefined && was !== undefined ? win - was : 0;
	return el(
		'section',
		{
			class: `team team-${team}`,
			'aria-label': title,
			dragover: (event) => {
				if (event.dataTransfer.types.includes(MIME)) {
					event.preventDefault();
					event.currentTarget.classList.add('over');
				}
			},
			dragleave: ({ currentTarget }) => currentTarget.classList.remove('over'),
			drop: (event) => {
				event.preventDefault();
				const player = lobby.players.find(({ name }) => name === event.dataTransfer.getData(MIME));
				if (player) place(player, team);
			},
		},
		el('h3', {}, title),
		team === 0
			? null
			: el(
					'p',
					{ class: 'chance' },
					el('strong', {}, win === undefined ? '–' : percent(win)),
					' to win',
					Math.abs(change) >= 0.0005
						? el(
								'span',
								{ class: change > 0 ? 'up' : 'down' },
								` ${change > 0 ? '+' : '−'}${percent(Math.abs(change))}`,
							)
						: null,
				),
		team === 0 || players.length === 0
			? null
			: el('p', { class: 'note' }, `${players.length} players, mean ${strength.toFixed(0)}`),
		el('ul', {}, players.map(chip)),
		chosen && (split?.get(chosen.name)?.team !== team || chosen.locked !== team)
			? el(
					'button',
					{ type: 'button', class: 'here', click: () => place(chosen, team) },
					`${split?.get(chosen.name)?.team === team ? 'Keep' : 'Put'} ${chosen.name} ${team === 0 ? 'on the bench' : `in team ${team}`}`,
				)
			: null,
	);
}

function draw(error) {
	const result = host.querySelector('.split');
	if (error) {
		result.replaceChildren(problem(error));
		return;
	}
	if (split === null) return;
	const teams = Array.from({ length: lobby.teams }, (_, i) => i + 1);
	const wins = teams.map(
		(team) => lobby.players.map(({ name }) => split.get(name)).find((seat) => seat?.team === team)?.win ?? 0,
	);
	const hasBench = lobby.players.some(({ name, locked }) => split.get(name)?.team === 0 || locked === 0);
	const sizes = new Set(teams.map((team) => lobby.players.filter(({ name }) => split.get(name)?.team === team).length));
	result.replaceChildren(
		el(
			'div',
			{
				class: 'odds',
				role: 'img',
				'aria-label': teams.map((team, i) => `Team ${team} ${percent(wins[i])}`).join(', '),
			},
			wins.map((win, i) =>
				el('span', { class: `odds-${i + 1}`, style: `flex-grow: ${Math.max(win, 0.02)}` }, percent(win)),
			),
		),
		el(
			'p',
			{ class: 'verdict', 'aria-live': 'polite' },
			Math.abs(split.difference) < 0.05
				? 'All teams are equally strong.'
				: lobby.teams === 2
					? `Team 1 is ${Math.abs(split.difference).toFixed(1)} points ${split.difference >= 0 ? 'stronger' : 'weaker'} than team 2.`
					: `The strongest team is ${split.difference.toFixed(1)} points above the weakest.`,
			split.exact ? ' No split is more even.' : ' There may be a more even split.',
			sizes.size > 1 ? ' The teams differ in size.' : '',
		),
		el('div', { class: 'columns' }, teams.map(column), hasBench || chosen ? column(0) : null),
	);
	before = Object.fromEntries(teams.map((team, i) => [team, wins[i]]));
}

// The list of players, in which all can be done without a mouse.
function drawPlayers() {
	const places = [['', 'anywhere'], ...Array.from({ length: lobby.teams }, (_, i) => [i + 1, `team ${i + 1}`]), [0, 'bench']];
	host.querySelector('.players tbody').replaceChildren(
		...lobby.players.map((player) =>
			el(
				'tr',
				{},
				el('th', { scope: 'row' }, player.name),
				el(
					'td',
					{},
					el('input', {
						type: 'number',
						min: '0',
						max: '5000',
						step: '5',
						value: String(player.mu),
						'aria-label': `Rating of ${player.name}`,
						input: ({ target }) => {
							if (target.value !== '' && target.checkValidity()) {
								player.mu = Number(target.value);
								ask();
							}
						},
					}),
				),
				el(
					'td',
					{},
					el(
						'select',
						{
							'aria-label': `Where ${player.name} plays`,
							change: ({ target }) => place(player, target.value === '' ? null : Number(target.value)),
						},
						options(places, player.locked ?? ''),
					),
				),
				el(
					'td',
					{},
					el(
						'select',
						{
							'aria-label': `Party of ${player.name}`,
							change: ({ target }) => {
								player.party = target.value;
								ask();
							},
						},
						options(
							PARTIES.map((party) => [party, party || 'none']),
							player.party,
						),
					),
				),
				el(
					'td',
					{},
					el(
						'button',
						{
							type: 'button',
							class: 'quiet',
							'aria-label': `Remove ${player.name}`,
							disabled: lobby.players.length <= lobby.teams,
							click: () => {
								lobby.players = lobby.players.filter((other) => other !== player);
								chosen = null;
								drawPlayers();
								ask();
							},
						},
						'✕',
					),
				),
			),
		),
	);
	host.querySelector('.add').disabled = lobby.players.length >= NAMES.length;
	const size = host.querySelector('[name=size]');
	const most = Math.floor(lobby.players.length / lobby.teams);
	lobby.size = Math.min(lobby.size, most);
	size.replaceChildren(
		...options([[0, 'everybody plays'], ...Array.from({ length: most }, (_, i) => [i + 1, `${i + 1} a team`])], lobby.size),
	);
	for (const name of ['secondary', 'logOdds']) host.querySelector(`[name=${name}]`).disabled = lobby.teams > 2;
}

function add() {
	const name = NAMES.find((other) => !lobby.players.some((player) => player.name === other));
	lobby.players.push(newPlayer(name, 1300 + 5 * Math.floor(Math.random() * 81)));
	drawPlayers();
	ask();
}

function mix() {
	for (const player of lobby.players) Object.assign(player, { mu: 1300 + 5 * Math.floor(Math.random() * 81), locked: null });
	drawPlayers();
	ask();
}

function setTeams(teams) {
	lobby.teams = teams;
	before = null;
	for (const player of lobby.players) if (player.locked > teams) player.locked = null;
	while (lobby.players.length < teams) add();
	drawPlayers();
	ask();
}

/** Show the lobby. */
export function showTeams(element, path, first) {
	if (!first) return;
	host = element;
	host.append(
		el('div', { class: 'page-head' }, el('h1', {}, 'Fair teams'), el('a', { href: 'docs/teams.html' }, 'How it works')),
		el(
			'p',
			{ class: 'note' },
			'Every change is a call of split_teams(). Drag players to a team, or choose one and then the place: they are locked there, and all others are split as evenly as can be.',
		),
		el(
			'div',
			{ class: 'controls' },
			field(
				'Teams',
				el(
					'select',
					{ name: 'teams', change: ({ target }) => setTeams(Number(target.value)) },
					options(
						[
							[2, '2'],
							[3, '3'],
							[4, '4'],
						],
						2,
					),
				),
			),
			field(
				'Size',
				el('select', {
					name: 'size',
					change: ({ target }) => {
						lobby.size = Number(target.value);
						ask();
					},
				}),
			),
			field(
				'Alike in',
				el(
					'select',
					{
						name: 'secondary',
						change: ({ target }) => {
							lobby.secondary = target.value;
							ask();
						},
					},
					options(
						[
							['none', 'strength'],
							['spread', 'strength, then spread'],
							['best', 'strength, then best player'],
						],
						'none',
					),
				),
			),
			field(
				'Head start of team 1',
				el(
					'select',
					{
						name: 'logOdds',
						change: ({ target }) => {
							lobby.logOdds = Number(target.value);
							ask();
						},
					},
					options(
						[
							[0, 'none'],
							[0.25, 'small'],
							[0.5, 'large'],
							[-0.25, 'small, for team 2'],
							[-0.5, 'large, for team 2'],
						],
						0,
					),
				),
			),
			el('button', { type: 'button', class: 'mix', click: mix }, 'Mix'),
		),
		el('div', { class: 'split' }, el('p', { class: 'note' }, 'Waiting for the database')),
		el(
			'details',
			{ class: 'players' },
			el('summary', {}, 'Players: ratings, places and parties'),
			el(
				'div',
				{ class: 'scroll' },
				el(
					'table',
					{},
					el(
						'thead',
						{},
						el(
							'tr',
							{},
							['Player', 'Rating', 'Plays', 'Party', ''].map((name) =>
								el('th', { scope: 'col' }, name || el('span', { class: 'hidden' }, 'Remove')),
							),
						),
					),
					el('tbody'),
				),
			),
			el('button', { type: 'button', class: 'add', click: add }, 'Add a player'),
		),
		el('details', {}, el('summary', {}, 'The query'), el('pre', { class: 'query scroll', tabindex: '0' })),
	);
	drawPlayers();
	onStatus((now) => {
		if (now === 'loading') ready = false;
		else if (!ready && now === 'ready') {
			ready = true;
			ask();
		}
	});
}
