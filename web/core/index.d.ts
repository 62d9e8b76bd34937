// Previews of ratings without a database: see README.md.
import type { ModelParameters } from './parameters.js';

export type * from './parameters.js';

/** The name of a rating model. */
export type ModelName = keyof ModelParameters;

/** What identifies a player: whatever the caller likes. */
export type Id = string | number;

/** An error of an argument. */
export class SkillratingError extends Error {
	/** The SQLSTATE that the extension gives the same error, such as '22023'. */
	code: string;
	detail?: string;
	hint?: string;
	/** The offending value. */
	value?: unknown;
	/** Of a match that cannot be rated: what unrated_reasons() calls it, such as 'bad_weight'. */
	reason?: string;
}

export interface Parameter {
	name: string;
	type: 'number' | 'choice' | 'flag' | 'table';
	/** null is none, or infinite. */
	default: number | string | boolean | null | [];
	min: number | null;
	max: number | null;
	/** Whether min itself is excluded. */
	aboveMin: boolean;
	choices: string[] | null;
	unit: string | null;
	description: string;
}

export interface ComponentKind {
	kind: string;
	description: string;
	scope: 'match' | 'side' | 'team' | 'player';
	key: 'context' | 'club' | null;
	stateColumns: string[];
}

export interface Model {
	name: ModelName;
	summary: string;
	source: string;
	stateColumns: string[];
	states: Array<{ name: string; role: 'none' | 'deviation' | 'side' | 'command'; shared: boolean; description: string; min: number | null }>;
	/** What of a match the model takes into account: 'many_teams', 'draws', 'weight' and so on. */
	supports: string[];
	deviationColumn: string | null;
	sideColumn: string | null;
	commandColumn: string | null;
	parameters: Parameter[];
	components: ComponentKind[];
}

/**
 * A player's part in a match, or one stint of it: rows with the same id are one player.  What a
 * field means is what source_columns() says of the column of that name.
 */
export interface MatchPlayer {
	/** 1, 2 and so on by default. */
	id?: Id;
	team: number;
	/** Of the team: 1 is best, equal ranks are a draw. */
	rank?: number | null;
	/** Of the team: the highest is best, where there is no rank. */
	score?: number | null;
	/** Where there is neither. */
	won?: boolean | null;
	/** The share of the match, which is all of it by default. */
	weight?: number | null;
	/** Seconds from the start of the match, in place of weight. */
	joined?: number | null;
	left?: number | null;
	/** The share of the stint, or seconds if above 1. */
	commanding?: number | null;
	side?: 1 | 2 | null;
	/** The same number: queued together. */
	squad?: number | null;
	kills?: number | null;
	deaths?: number | null;
	quit?: boolean | null;
	experience?: number | null;
	/** The weight of the player's update. */
	gain?: number | null;
	bot?: boolean | null;
	/** Whether the state stays as it is. */
	fixed?: boolean | null;
	/** Where or as what was played, and for which club. */
	context?: string | null;
	club?: string | null;
	/** The whole state before the match; that of a new player by default, */
	state?: readonly number[] | null;
	/** with another first state column */
	mu?: number | null;
	/** and deviation. */
	deviation?: number | null;
	/** Rated matches before this one, 0 by default. */
	games?: number | null;
	/** The states after the last matches, oldest first, under a model that looks back. */
	past?: readonly (readonly number[])[] | null;
}

/** The state of something else than a player: a club, a map, a player on a map. */
export interface ComponentState {
	kind: string;
	/** The context or the club, of kinds that go by one. */
	key?: string | null;
	/** Of kinds that belong to players. */
	id?: Id | null;
	state?: readonly number[] | null;
	games?: number | null;
}

export interface MatchOptions<M extends ModelName = ModelName> {
	/** Those that differ from their defaults, by the names of SQL. */
	params?: ModelParameters[M];
	/** What the first side, or the first team, has in advance. */
	logOdds?: number;
	/** Others are as before their first match. */
	components?: readonly ComponentState[];
}

export interface TeamForecast {
	team: number;
	/** A draw counts half. */
	winProbability: number;
}

export interface Forecast {
	teams: TeamForecast[];
	/** Of two teams, under a model that knows it. */
	drawProbability: number | null;
}

export interface RatedPlayer {
	id: Id;
	team: number;
	winProbability: number | null;
	score: number | null;
	/** What a leaderboard shows. */
	ratingBefore: number;
	ratingAfter: number;
	stateBefore: number[];
	stateAfter: number[];
	/** Rated matches, this one among them if it was rated. */
	games: number;
	/** For the next match, under a model that looks back. */
	past: readonly (readonly number[])[];
}

export interface RatedMatch {
	/** A code of unrated_reasons(), or null for a match that was rated. */
	unratedReason: string | null;
	unratedDetail: string | null;
	teams: Array<TeamForecast & { score: number | null }>;
	drawProbability: number | null;
	players: RatedPlayer[];
	/** state is that after the match, so that they can be passed on to the next one. */
	components: Array<ComponentState & { state: number[]; stateBefore: number[]; games: number }>;
}

export interface PreviewPlayer extends TeamForecast {
	id: Id;
	rating: number;
	/** The change of the rating if the own team wins, draws or loses against all others. */
	winChange: number;
	drawChange: number;
	lossChange: number;
}

/** A player of a lobby: see split_teams().  A column is given for all players or for none. */
export interface LobbyPlayer {
	id?: Id;
	/** The estimate of skill, not a displayed rating; the first number of state by default. */
	mu?: number | null;
	mu2?: number | null;
	deviation?: number | null;
	weight?: number | null;
	party?: Id | null;
	/** The team, or 0 for the bench. */
	locked?: number | null;
	splitEvenly?: Id | null;
	priority?: number | null;
	current?: 0 | 1 | 2 | null;
	commandMu?: number | null;
	commandMu2?: number | null;
	commander?: boolean | null;
	/** The whole state, for a split by a model. */
	state?: readonly number[] | null;
}

export interface SplitOptions<M extends ModelName = ModelName> {
	/** 2 to 10, 2 by default. */
	teams?: number;
	/** All players play by default. */
	teamSize?: number | null;
	logOdds?: number;
	strength?: 'mean' | 'sum' | 'share';
	/** 400 / ln 10 by default, as for Elo. */
	logOddsUnit?: number;
	commandWeight?: number;
	/** What says what teams are and when they are balanced, in place of the four above. */
	model?: M | null;
	params?: ModelParameters[M];
	objective?: 'squares' | 'range';
	secondary?: 'none' | 'spread' | 'best' | null;
	tolerance?: number;
	/** Milliseconds that the search may take, roughly. */
	budget?: number | null;
	/** Pairs who must not be in one team. */
	avoid?: ReadonlyArray<readonly [Id, Id]>;
}

export interface SplitPlayer {
	id: Id;
	/** null: the bench. */
	team: number | null;
	winProbability: number | null;
	/** null without commanders. */
	commands: boolean | null;
}

export interface TeamSplit {
	players: SplitPlayer[];
	/** The strength of the first team less that of the second; of more, of the strongest less the weakest. */
	difference: number | null;
	exact: boolean | null;
	bound: number | null;
}

export interface Skillrating {
	models: Model[];
	initialState<M extends ModelName>(model: M, params?: ModelParameters[M]): number[];
	/** What a leaderboard shows of a state. */
	stateRating<M extends ModelName>(model: M, state: readonly number[], params?: ModelParameters[M]): number;
	/** Points for a log-odds of 1. */
	logOddsUnit<M extends ModelName>(model: M, params?: ModelParameters[M]): number;
	/** The state after so many seconds without a match. */
	stateAfterIdle<M extends ModelName>(model: M, state: readonly number[], idle: number,
		options?: { params?: ModelParameters[M]; sharedState?: readonly number[] | null; sharedIdle?: number }): number[];
	componentAfterIdle<M extends ModelName, C extends ComponentState>(model: M, component: C, idle: number,
		options?: { params?: ModelParameters[M] }): C & { state: number[] };
	/** The kinds of components of a model, and which of them these parameters use. */
	modelComponents<M extends ModelName>(model: M, params?: ModelParameters[M]): Array<ComponentKind & { used: boolean; initialState: number[] | null }>;
	/** Who is how likely to win. */
	winProbability<M extends ModelName>(model: M, players: readonly MatchPlayer[], options?: MatchOptions<M>): Forecast;
	/** A match that is over: the states after it. */
	rate<M extends ModelName>(model: M, players: readonly MatchPlayer[], options?: MatchOptions<M>): RatedMatch;
	/** What a match would bring, for each outcome. */
	preview<M extends ModelName>(model: M, players: readonly MatchPlayer[], options?: MatchOptions<M>): Forecast & { players: PreviewPlayer[] };
	/** The most even split. */
	splitTeams<M extends ModelName>(players: readonly LobbyPlayer[], options?: SplitOptions<M>): TeamSplit;
	/** shift + factor * (mu - z * deviation), at least floor. */
	displayRating(mu: number, deviation: number, options?: { z?: number; factor?: number; shift?: number; floor?: number }): number;
	/** 0, below the first cut, to the number of cuts. */
	divisionNumber(rating: number, cuts: readonly number[], options?: { current?: number | null; margin?: number; promotionMargin?: number }): number;
	/** What the module's memory has grown to. */
	memoryBytes(): number;
}

/**
 * Loads the module.  source: a WebAssembly.Module, the bytes of core.wasm, or its address;
 * core.wasm beside index.js by default.
 */
export function load(source?: WebAssembly.Module | ArrayBuffer | ArrayBufferView | URL | string): Promise<Skillrating>;
