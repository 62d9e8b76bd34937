// Time a library from the npm registry on matches from a file.
//
//   node libraries.js LIBRARY MATCHES PASSES RESULTS
//
// MATCHES has one match a line: {"team": [...], "rank": [...], and for each player
// what the library's model takes}.  Prints microseconds a match over so many passes,
// and writes the new rating of each player of each match to RESULTS.  What a user
// would have at hand, ratings in the library's own form, is made before time is taken.

import { readFileSync, writeFileSync } from 'node:fs'

// Each gives a function of a match that prepares it, one that rates what was prepared,
// and one that reads the new ratings off what came out, in the order of players.
const libraries = {
  async 'elo-rank' () {
    const { default: EloRank } = await import('elo-rank')
    const elo = new EloRank(32)
    return {
      prepare: match => ({ a: match.rating[0], b: match.rating[1], score: score(match) }),
      rate: ({ a, b, score }) => [
        elo.updateRating(elo.getExpected(a, b), score, a),
        elo.updateRating(elo.getExpected(b, a), 1 - score, b)
      ],
      read: ratings => ratings
    }
  },

  async glicko2 () {
    const { default: glicko2 } = await import('glicko2')
    const ranking = new glicko2.Glicko2({ tau: 0.5, rating: 1500, rd: 350, vol: 0.06 })
    const players = [ranking.makePlayer(), ranking.makePlayer()]
    return {
      prepare: match => ({ match, score: score(match) }),
      rate: ({ match, score }) => {
        for (let i = 0; i < 2; i++) {
          players[i].setRating(match.rating[i])
          players[i].setRd(match.deviation[i])
          players[i].setVol(match.volatility[i])
        }
        ranking.updateRatings([[players[0], players[1], score]])
        return players
      },
      read: players => players.map(player => player.getRating())
    }
  },

  async openskill () {
    const { rate } = await import('openskill')
    const { plackettLuce } = await import('openskill/models')
    return {
      prepare: match => ({
        teams: teams(match, (mu, sigma) => ({ mu, sigma })),
        options: { model: plackettLuce, rank: teamRanks(match), tau: 25 / 300 }
      }),
      rate: ({ teams, options }) => rate(teams, options),
      read: teams => teams.flat().map(player => player.mu)
    }
  },

  async 'ts-trueskill' () {
    const { TrueSkill, Rating } = await import('ts-trueskill')
    const trueskill = new TrueSkill()
    return {
      prepare: match => ({
        teams: teams(match, (mu, sigma) => new Rating(mu, sigma)),
        rank: teamRanks(match)
      }),
      rate: ({ teams, rank }) => trueskill.rate(teams, rank),
      read: teams => teams.flat().map(player => player.mu)
    }
  }
}

function score ({ rank }) {
  return rank[0] === rank[1] ? 0.5 : rank[0] < rank[1] ? 1 : 0
}

function teams ({ team, mu, sigma }, player) {
  const teams = []
  team.forEach((t, i) => (teams[t - 1] ??= []).push(player(mu[i], sigma[i])))
  return teams
}

function teamRanks ({ team, rank }) {
  const ranks = []
  team.forEach((t, i) => { ranks[t - 1] = rank[i] })
  return ranks
}

const [name, file, passes, results] = process.argv.slice(2)
const { prepare, rate, read } = await libraries[name]()
const matches = readFileSync(file, 'utf8').trim().split('\n').map(JSON.parse)
const prepared = matches.map(prepare)

// The compiler of the engine shall have seen it all before.
for (const match of prepared.slice(0, 2000)) rate(match)

const start = process.hrtime.bigint()
for (let pass = 0; pass < passes; pass++) {
  for (const match of prepared) rate(match)
}
const elapsed = Number(process.hrtime.bigint() - start)
console.log(elapsed / 1e3 / passes / prepared.length)

writeFileSync(results, prepared.map((match, i) =>
  read(rate(match)).map((rating, j) => `${i + 1},${j + 1},${rating}\n`).join('')).join(''))
