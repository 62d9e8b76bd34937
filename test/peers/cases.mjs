// Matches at random, with extremes, as libraries of npm rate them.
//
//     node test/peers/cases.mjs SEED COUNT
//
// Prints a line for each of COUNT matches and each library.  A line has numbers only, but for
// its first word, and "|" before what the library says ("nan" where it fails or says so):
//
//     glicko2 TAU  RATING DEVIATION VOLATILITY  N  (RATING DEVIATION SCORE) * N  |  RATING DEVIATION VOLATILITY
//     trueskill BETA TAU DRAW_PROBABILITY  TEAMS  (RANK N  (MU SIGMA) * N) * TEAMS  |  (MU SIGMA) * players
//     weng_lin VARIANT BETA TAU  TEAMS  (as above)

import { createRequire } from 'node:module';
import { pathToFileURL } from 'node:url';

// Packages are where NODE_PATH says, which modules of this kind do not look at.
const require = createRequire(`${process.env.NODE_PATH}/../`);
const { Glicko2 } = require('glicko2');
const { rate: openskill } = require('openskill');
const models = require('openskill/models');
const { TrueSkill, Rating } = await import(pathToFileURL(`${process.env.NODE_PATH}/ts-trueskill/dist/src/index.js`));

const [seed, count] = process.argv.slice(2).map(Number);

// Mulberry32 (T. Ettinger), so that no run differs from another.
let state = seed;
function uniform() {
	state = (state + 0x6D2B79F5) | 0;
	let t = Math.imul(state ^ (state >>> 15), 1 | state);
	t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
	return ((t ^ (t >>> 14)) >>> 0) / 4294967296;
}
const below = (n) => Math.floor(uniform() * n);
const between = (low, high) => low + (high - low) * uniform();
const magnitude = (low, high) => 10 ** between(low, high);
const pick = (...choices) => choices[below(choices.length)];

// What a library makes of it, or NaN for all of it.
function attempt(size, compute) {
	try {
		const result = compute();
		return result.length === size && result.every(Number.isFinite) ? result : Array(size).fill(NaN);
	} catch {
		return Array(size).fill(NaN);
	}
}

const print = (...numbers) => process.stdout.write(numbers.flat(Infinity).join(' ') + '\n');

function glicko2Case() {
	const tau = pick(0.5, 0.5, between(0.2, 1.2), magnitude(-2, 0.5));
	const deviation = () => pick(350, between(30, 350), between(30, 350), magnitude(-2, 3));
	const rating = () => 1500 + pick(between(-800, 800), between(-800, 800), between(-4000, 4000), between(-10000, 10000));
	const player = [rating(), deviation(), pick(0.06, 0.06, between(0.03, 0.1), magnitude(-3, 0))];
	const games = Array.from({ length: pick(1, 1, 1 + below(10), 1 + below(40)) }, () => [rating(), deviation(), below(3) / 2]);
	const result = attempt(3, () => {
		const ranking = new Glicko2({ tau, rating: 1500, rd: 350, vol: 0.06 });
		const own = ranking.makePlayer(...player);
		ranking.updateRatings(games.map(([r, d, score]) => [own, ranking.makePlayer(r, d, 0.06), score]));
		return [own.getRating(), own.getRd(), own.getVol()];
	});
	print('glicko2', tau, player, games.length, games, '|', result);
}

// Teams of a match in which mu and sigma are on the scale of a newcomer's 25 and 25 / 3.
function teams(scale) {
	const sigma = pick(() => 25 / 3, () => between(1, 8), () => between(1, 8), () => magnitude(-4, 2));
	const far = pick(0, 0, 1);
	const largest = pick(1, 1, 2, 5);
	const drawn = pick(false, true);
	const n = pick(2, 2, 2 + below(3), 2 + below(8));
	return Array.from({ length: n }, (_, i) => ({
		rank: drawn ? 1 + below(n) : 1 + i,
		members: Array.from({ length: 1 + below(largest) }, () => ({
			mu: (25 + (far ? pick(between(-50, 50), between(-500, 500), between(-1, 1) * magnitude(1, 4)) : between(-20, 20))) * scale,
			sigma: sigma() * scale,
		})),
	})).sort(() => uniform() - 0.5);
}

const flat = (rated) => rated.flat().flatMap(({ mu, sigma }) => [mu, sigma]);
const described = (match) => [match.length, match.map(({ rank, members }) => [rank, members.length, members.map(({ mu, sigma }) => [mu, sigma])])];
const size = (match) => 2 * match.reduce((sum, { members }) => sum + members.length, 0);

function trueskillCase() {
	const scale = pick(1, 1, 60);
	const beta = pick(25 / 6, 25 / 6, between(1, 10)) * scale;
	const tau = pick(25 / 300, 0, between(0, 2)) * scale;
	const draw = pick(0.1, 0.1, between(0.01, 0.9));
	const match = teams(scale);
	const result = attempt(size(match), () => flat(
		new TrueSkill(25 * scale, 25 / 3 * scale, beta, tau, draw).rate(
			match.map(({ members }) => members.map(({ mu, sigma }) => new Rating(mu, sigma))),
			match.map(({ rank }) => rank), null, 1e-11)));
	print('trueskill', beta, tau, draw, described(match), '|', result);
}

const variants = [models.plackettLuce, models.bradleyTerryFull, models.bradleyTerryPart,
	models.thurstoneMostellerFull, models.thurstoneMostellerPart];

function wengLinCase(number) {
	const scale = pick(1, 1, 60);
	const beta = pick(25 / 6, 25 / 6, between(1, 10)) * scale;
	const tau = pick(25 / 300, 0, between(0, 2)) * scale;
	const variant = number % variants.length;
	const match = teams(scale);
	const result = attempt(size(match), () => flat(
		openskill(match.map(({ members }) => members), { model: variants[variant], beta, tau, rank: match.map(({ rank }) => rank) })));
	print('weng_lin', variant, beta, tau, described(match), '|', result);
}

for (let number = 0; number < count; number++) {
	glicko2Case();
	trueskillCase();
	wengLinCase(number);
}
