// Rate made-up matches by openskill of npm, as a program does that stores its ratings.
//
//     node test/migration.js MATCHES STATES
//
// Writes two files for COPY.  MATCHES has a line for each participant: match, player, team,
// rank.  STATES has the ratings of a program after half of the matches and after all: its name,
// the parameters of a ladder that should come to the same, the number of the last match, player,
// mu, sigma.  Both are the same in every run.

'use strict';
const fs = require('fs');
const { rate } = require('openskill');
const models = require('openskill/models');

const [matchesFile, statesFile] = process.argv.slice(2);
const players = 40;
const count = 600;

// A linear congruential generator (Numerical Recipes), so that no run differs from another.
let state = 22;
function below(n) {
	state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
	return Math.floor(state / 4294967296 * n);
}

// The sizes of teams: duels, teams, teams of unequal size, more than two teams.
const shapes = [[1, 1], [2, 2], [4, 4], [1, 3], [2, 1], [1, 1, 1], [2, 2, 2], [1, 2, 1, 3], [1, 1, 1, 1, 1, 1]];
const matches = Array.from({ length: count }, () => {
	const shape = shapes[below(shapes.length)];
	const pool = Array.from({ length: players }, (_, i) => `p${i}`);
	return {
		teams: shape.map((size) => Array.from({ length: size }, () => pool.splice(below(pool.length), 1)[0])),
		// Drawn ranks are equal now and then, and have gaps.
		rank: shape.map(() => 1 + below(2 * shape.length)),
	};
});

const programs = [
	{ name: 'defaults', options: {}, params: {} },
	{ name: 'limited', options: { tau: 1 / 3, limitSigma: true }, params: { tau: 1 / 3, prevent_sigma_increase: true } },
	{ name: 'another_scale', options: { mu: 1500, sigma: 500, beta: 250, tau: 5, kappa: 0.001 },
		params: { initial_mu: 1500, initial_sigma: 500, beta: 250, tau: 5, kappa: 0.001 } },
	{ name: 'bradley_terry_full', options: { model: models.bradleyTerryFull, tau: 0 }, params: { variant: 'bradley_terry_full', tau: 0 } },
	{ name: 'bradley_terry_part', options: { model: models.bradleyTerryPart }, params: { variant: 'bradley_terry_part', span: 1 } },
];

fs.writeFileSync(matchesFile, matches.flatMap(({ teams, rank }, m) => teams.flatMap((team, t) =>
	team.map((player) => [m + 1, player, t + 1, rank[t]].join('\t') + '\n'))).join(''));

const lines = [];
for (const { name, options, params } of programs) {
	const ratings = new Map();
	const first = { mu: options.mu ?? 25, sigma: options.sigma ?? 25 / 3 };
	matches.forEach(({ teams, rank }, m) => {
		const rated = rate(teams.map((team) => team.map((player) => ratings.get(player) ?? first)), { ...options, rank });
		teams.forEach((team, t) => team.forEach((player, i) => ratings.set(player, rated[t][i])));
		if (m + 1 === count / 2 || m + 1 === count) {
			for (const [player, { mu, sigma }] of ratings) {
				lines.push([name, JSON.stringify({ strength: 'sum', ...params }), m + 1, player, mu, sigma].join('\t') + '\n');
			}
		}
	});
}
fs.writeFileSync(statesFile, lines.join(''));
