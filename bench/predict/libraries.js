// Fit a library from the npm registry to the first matches of a file, and forecast all.
//
//   node libraries.js LIBRARY FILE TRAIN EVALUATIONS SEED [PARAMS]
//
// bench/predict.sh calls this, as it calls every forecaster: it describes what the
// arguments and the output are.  Nothing is random, so the seed has no influence.
//
// Parameters are searched as tune() does for the models of the extension: from the
// library's defaults, from a hundredth to a hundred times that on a log scale, by the
// mean log loss of the first part without its first tenth, with as many evaluations at
// the most.  The search is that of Nelder and Mead (The Computer Journal 7, 1965).

import { readFileSync } from 'node:fs'

const DAY = 86400000

// Matches in order: teams are arrays of players, ranks go with them.
function readMatches (file) {
  const [header, ...lines] = readFileSync(file, 'utf8').trimEnd().split('\n').map(line => line.split('\t'))
  const column = Object.fromEntries(header.map((name, i) => [name, i]))
  const matches = new Map()
  for (const line of lines) {
    const number = +line[column.match]
    const team = +line[column.team]
    const player = +line[column.player]
    if (!matches.has(number)) {
      matches.set(number, { number, at: Date.parse(line[column.at]) / DAY, teams: new Map() })
    }
    const { teams } = matches.get(number)
    if (!teams.has(team)) teams.set(team, { team, rank: +line[column.rank], players: [] })
    // Stints of a player are one part to a library.
    if (!teams.get(team).players.includes(player)) teams.get(team).players.push(player)
  }
  return [...matches.values()].map(match => {
    const teams = [...match.teams.values()].sort((a, b) => a.team - b.team)
    const best = Math.min(...teams.map(({ rank }) => rank))
    const winners = teams.filter(({ rank }) => rank === best).length
    return {
      ...match,
      names: teams.map(({ team }) => team),
      ranks: teams.map(({ rank }) => rank),
      players: teams.map(({ players }) => players),
      won: teams.map(({ rank }) => rank === best ? 1 / winners : 0)
    }
  })
}

// Each makes, of parameters and what is known before, a forecaster: forecast(match) gives
// the probability of each team, or nothing; then learn(match) tells it the result.
const libraries = {
  ...Object.fromEntries([['plackett_luce', 'plackettLuce'], ['bradley_terry', 'bradleyTerryFull'], ['thurstone_mosteller', 'thurstoneMostellerFull']]
    .map(([name, model]) => [`openskill/${name}`, async () => {
      const { rate, predictWin } = await import('openskill')
      const models = await import('openskill/models')
      return {
        start: { sigma: 25 / 3, tau: 25 / 300 },
        make: ({ sigma, tau }) => byPlayer(() => ({ mu: 25, sigma }), {
          forecast: teams => predictWin(teams),
          learn: (teams, { ranks }) => rate(teams, { model: models[model], rank: ranks, tau })
        })
      }
    }])),

  async 'ts-trueskill' (train) {
    const { TrueSkill, Rating } = await import('ts-trueskill')
    // The library's own forecast is of two teams, and does without draws.
    const duels = train.filter(({ names }) => names.length === 2)
    const draws = duels.filter(({ ranks }) => ranks[0] === ranks[1]).length
    const drawProbability = (draws + 1) / (duels.length + 2)
    return {
      start: { sigma: 25 / 3, tau: 25 / 300 },
      known: { drawProbability },
      make: ({ sigma, tau }) => {
        const environment = new TrueSkill(25, sigma, 25 / 6, tau, drawProbability)
        return byPlayer(() => new Rating(25, sigma), {
          forecast: teams => {
            if (teams.length !== 2) return undefined
            const p = environment.winProbability(teams[0], teams[1])
            return [p, 1 - p]
          },
          learn: (teams, { ranks }) => environment.rate(teams, ranks)
        })
      }
    }
  },

  async glicko2 () {
    const { default: { Glicko2 } } = await import('glicko2')
    return {
      start: { rd: 350, vol: 0.06, tau: 0.5, period: 7 },
      bounds: { rd: [10, 350], tau: [0.2, 1.2], period: [1, 700] },
      make: params => byPeriod(new Glicko2(params), params)
    }
  }
}

// A library that rates a match at once, from ratings of its own form.
function byPlayer (newcomer, { forecast, learn }) {
  const ratings = new Map()
  const rated = ({ players }) => players.map(team => team.map(player => ratings.get(player) ?? newcomer()))
  return {
    forecast: match => forecast(rated(match)),
    learn: match => learn(rated(match), match).forEach((team, i) =>
      team.forEach((rating, j) => ratings.set(match.players[i][j], rating)))
  }
}

// Glicko-2 rates periods.  A player's opponent is the other team: its mean rating, and the
// deviation of that mean.  It is for two teams.
function byPeriod (ranking, { rd, vol, period }) {
  const players = new Map()
  const opponents = []
  let begun
  let games = []
  let used = 0
  const get = id => {
    if (!players.has(id)) players.set(id, ranking.makePlayer())
    return players.get(id)
  }
  const composite = team => {
    if (used === opponents.length) opponents.push(ranking.makePlayer())
    const together = opponents[used++]
    const mean = team.reduce((sum, player) => sum + player.getRating(), 0) / team.length
    const deviation = Math.sqrt(team.reduce((sum, player) => sum + player.getRd() ** 2, 0)) / team.length
    together.setRating(mean)
    together.setRd(deviation)
    together.setVol(vol)
    return together
  }
  // Of a long time without matches, deviations at their limit are all that comes.
  const close = at => {
    if (begun === undefined) begun = at
    for (let closed = 0; at - begun >= period; closed++) {
      if (closed < 100) ranking.updateRatings(games)
      for (const player of players.values()) if (player.getRd() > rd) player.setRd(rd)
      games = []
      used = 0
      begun = closed < 100 ? begun + period : at
    }
  }
  return {
    forecast: ({ at, players: teams }) => {
      if (teams.length !== 2) return undefined
      close(at)
      const sides = teams.map(team => composite(team.map(get)))
      const p = ranking.predict(sides[0], sides[1])
      used -= 2
      return [p, 1 - p]
    },
    learn: ({ at, players: teams, ranks }) => {
      if (teams.length !== 2) return
      close(at)
      const rated = teams.map(team => team.map(get))
      const sides = rated.map(composite)
      const score = (1 + Math.sign(ranks[1] - ranks[0])) / 2
      for (const player of rated[0]) games.push([player, sides[1], score])
      for (const player of rated[1]) games.push([player, sides[0], 1 - score])
    }
  }
}

// The mean log loss of forecasts from one match to another.
function loss (forecaster, matches, from) {
  let sum = 0
  let n = 0
  matches.forEach((match, i) => {
    const p = forecaster.forecast(match)
    forecaster.learn(match)
    if (i < from || p === undefined) return
    n++
    match.won.forEach((won, j) => {
      if (won > 0) sum -= won * Math.log(Math.min(Math.max(p[j], 1e-15), 1 - 1e-15))
    })
  })
  return n > 0 && Number.isFinite(sum) ? sum / n : Infinity
}

// The least value of a function of so many variables between bounds, found by as many
// evaluations at the most.
function minimize (f, start, low, high, evaluations) {
  const clip = x => x.map((v, i) => Math.min(Math.max(v, low[i]), high[i]))
  let left = evaluations
  const point = x => ({ x: clip(x), value: left-- > 0 ? f(clip(x)) : Infinity })
  const simplex = [point(start)]
  for (let i = 0; i < start.length && left > 0; i++) {
    simplex.push(point(start.map((v, j) => j === i ? (v + 1 <= high[i] ? v + 1 : v - 1) : v)))
  }
  const byValue = (a, b) => a.value - b.value
  const along = (from, to, t) => from.map((v, i) => v + t * (to[i] - v))
  while (left > 0) {
    simplex.sort(byValue)
    const worst = simplex.at(-1)
    const size = Math.max(...simplex.flatMap(({ x }) => x.map((v, i) => Math.abs(v - simplex[0].x[i]))))
    if (size < 0.01) break
    const centre = start.map((_, i) => simplex.slice(0, -1).reduce((sum, { x }) => sum + x[i], 0) / (simplex.length - 1))
    const reflected = point(along(centre, worst.x, -1))
    let better = reflected
    if (reflected.value < simplex[0].value) {
      const expanded = point(along(centre, worst.x, -2))
      if (expanded.value < reflected.value) better = expanded
    } else if (reflected.value >= simplex.at(-2).value) {
      better = point(along(centre, reflected.value < worst.value ? reflected.x : worst.x, 0.5))
      if (better.value >= Math.min(reflected.value, worst.value)) {
        for (let i = 1; i < simplex.length; i++) simplex[i] = point(along(simplex[0].x, simplex[i].x, 0.5))
        continue
      }
    }
    simplex[simplex.length - 1] = better
  }
  simplex.sort(byValue)
  return { x: simplex[0].x, evaluations: evaluations - Math.max(left, 0) }
}

function fit ({ start, bounds = {}, make }, train, evaluations) {
  const names = Object.keys(start)
  const params = x => Object.fromEntries(names.map((name, i) => [name, Math.exp(x[i])]))
  const limit = which => names.map(name => Math.log(bounds[name]?.[which] ?? start[name] * [0.01, 100][which]))
  const found = minimize(x => loss(make(params(x)), train, Math.floor(train.length / 10)),
    names.map(name => Math.log(start[name])), limit(0), limit(1), evaluations)
  return { ...params(found.x), evaluations: found.evaluations }
}

const [name, file, trainSize, evaluations, , given] = process.argv.slice(2)
const matches = readMatches(file)
const train = matches.filter(({ number }) => number <= +trainSize)
if (!Object.hasOwn(libraries, name)) throw new Error(`no library "${name}"; there are ${Object.keys(libraries).join(', ')}`)
const library = await libraries[name](train)
const params = given === undefined ? { ...fit(library, train, +evaluations), ...library.known } : JSON.parse(given)
const forecaster = library.make(params)
const output = [JSON.stringify(params)]
for (const match of matches) {
  const p = forecaster.forecast(match)
  forecaster.learn(match)
  match.names.forEach((team, i) => { if (p !== undefined) output.push(`${match.number}\t${team}\t${p[i]}`) })
}
process.stdout.write(output.join('\n') + '\n')
