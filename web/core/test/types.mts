// What a game's client in TypeScript writes: test/wasm_core.sh has the compiler check it.
import { load, SkillratingError, type MatchPlayer, type ModelName, type ModelParameters, type RatedMatch, type Skillrating } from 'skillrating-core';

const core: Skillrating = await load();
const players: MatchPlayer[] = [{ id: 'ann', team: 1, rank: 1, mu: 25, deviation: 8 }, { id: 2, team: 2, rank: 2, state: [25, 25 / 3], quit: true }];
const rated: RatedMatch = core.rate('trueskill', players, { params: { beta: 4 }, logOdds: 0.1 });
core.rate('synelo', rated.players.map(({ id, team, stateAfter, games, past }) => ({ id, team, rank: team, state: stateAfter, games, past })), { components: rated.components });
const names: ModelName[] = core.models.map(({ name }) => name);
const chance: number | undefined = core.winProbability(names[0]!, players).teams[0]?.winProbability;
const change: number[] = core.preview('elo', players, { params: { k_by_rating: [[2400, 10]] } }).players.map(({ winChange }) => winChange);
const bench: boolean = core.splitTeams([{ mu: 1, party: 'a' }, { mu: 2 }], { model: 'elo', params: { k: 20 }, avoid: [[1, 2]] }).players.some(({ team }) => team === null);
const shown: number = core.displayRating(25, 8, { z: 2 }) + core.divisionNumber(25, [10, 20]) + core.stateRating('glicko', core.initialState('glicko'));
const idle: number[] = core.stateAfterIdle('glicko2', core.initialState('glicko2'), 86400, { params: { tau: 0.5 } });
export const hints: (string | undefined)[] = [new Error()].map((error) => (error instanceof SkillratingError ? error.hint : undefined));
export const all = { chance, change, bench, shown, idle };

// @ts-expect-error: no such parameter
export const wrongParameter: ModelParameters['elo'] = { kk: 1 };
// @ts-expect-error: no such model
core.initialState('eloo');
// @ts-expect-error: a player needs a team
core.rate('elo', [{ rank: 1 }]);
