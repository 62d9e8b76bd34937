// Turns the league results of the npm package "football.json" into the one
// long CSV file that the demo loads.
//
// Usage (from the root of the repository):
//
//   npm install --prefix /tmp/football football.json@1.0.0
//   node demo/football_to_csv.js /tmp/football/node_modules/football.json \
//     > demo/data/football.csv
//
// The output depends on nothing but the files of the package, so the same
// version of the package always gives the same bytes.

'use strict';

const fs = require('fs');
const path = require('path');

// The seasons before 2012-13 hold only the last weeks of one league, so they
// are left out.  The last season was still being played when the package was
// made; its matches without a score are skipped below.
const SEASONS = ['2012-13', '2013-14', '2014-15', '2015-16'];

// Each league is given with the number of times that a club receives the same
// visitor in one season.  The Spanish league is not here because the source
// names the wrong visitor in many of its matches, and the second divisions are
// not here because one of them has kick-off times where the goals should be.
const LEAGUES = { 'at.1': 2, 'de.1': 1, 'en.1': 1, 'it.1': 1 };

// These are the only abbreviated names in the leagues above.  They are written
// out so that the tables of the demo read well, and so that no name has an
// apostrophe, which would be a nuisance in SQL literals.
const FULL_NAME = {
  "Borussia M'gladbach": 'Borussia Mönchengladbach',
  'Eintr. Braunschweig': 'Eintracht Braunschweig',
};

// A wrong result in the file would mislead everyone who tries the demo, so any
// doubt about the source stops the conversion.
function check(ok, message) {
  if (!ok) throw new Error(message);
}

// Plain code-unit order is used everywhere because the order of localeCompare
// depends on the machine.
function compare(a, b) {
  return a < b ? -1 : a > b ? 1 : 0;
}

function quote(value) {
  const text = String(value);
  return /[",\r\n]/.test(text) ? '"' + text.replace(/"/g, '""') + '"' : text;
}

function readMatches(dir) {
  const matches = [];
  const nameOf = new Map();        // league and club key -> name
  const keyOf = new Map();         // name -> league and club key
  const playedOn = new Set();      // name and date

  // One club must have one name through all seasons, and one name must belong
  // to one club across all leagues, because the demo rates clubs by name.
  function clubName(league, team) {
    const key = league + ' ' + team.key;
    const name = (FULL_NAME[team.name] || team.name).normalize('NFC');
    check((nameOf.get(key) || name) === name, `two names for ${key}`);
    check((keyOf.get(name) || key) === key, `two clubs are called ${name}`);
    nameOf.set(key, name);
    keyOf.set(name, key);
    return name;
  }

  for (const season of SEASONS) {
    for (const league of Object.keys(LEAGUES)) {
      const file = path.join(dir, season, league + '.json');
      if (!fs.existsSync(file)) continue;   // Italy starts one season later.
      const meetings = new Map();

      for (const round of JSON.parse(fs.readFileSync(file, 'utf8')).rounds) {
        for (const m of round.matches) {
          // A match that was not played yet, or whose result is not known, has
          // no score.
          if (m.score1 == null || m.score2 == null) continue;

          const home = clubName(league, m.team1);
          const away = clubName(league, m.team2);
          const where = `${league} ${m.date} ${home} - ${away}`;

          check(/^\d{4}-\d\d-\d\d$/.test(m.date), `bad date: ${where}`);
          check(m.date >= season.slice(0, 4) + '-07-01' &&
                m.date <= '20' + season.slice(5) + '-06-30',
                `date outside the season: ${where}`);
          check(home !== away, `a club against itself: ${where}`);

          // More than 12 goals of one side is not football but a clock time.
          for (const goals of [m.score1, m.score2]) {
            check(Number.isInteger(goals) && goals >= 0 && goals <= 12,
                  `bad score: ${where}`);
          }

          // A club that plays twice on one day, or receives the same visitor
          // too often, gives away a duplicate or a mistaken opponent.
          for (const club of [home, away]) {
            check(!playedOn.has(club + m.date), `played twice: ${where}`);
            playedOn.add(club + m.date);
          }
          const pair = home + ' - ' + away;
          meetings.set(pair, (meetings.get(pair) || 0) + 1);
          check(meetings.get(pair) <= LEAGUES[league], `too often: ${where}`);

          matches.push({ date: m.date, league, home, away,
                         goals: [m.score1, m.score2] });
        }
      }
    }
  }

  // The source gives days and no times, so the order within a day is arbitrary.
  // It does no harm, for no club plays twice on one day, but it must be fixed
  // so that the match numbers are always the same.
  return matches.sort((a, b) => compare(a.date, b.date) ||
                                compare(a.league, b.league) ||
                                compare(a.home, b.home));
}

function toCsv(matches) {
  const lines = ['match_id,played_at,team,rank,player,score,home,league'];
  matches.forEach((m, i) => {
    const [h, a] = m.goals;
    const row = (team, rank, player, score, home) => lines.push(
      [i + 1, m.date, team, rank, player, score, home, m.league]
        .map(quote).join(','));

    // Rank 1 is the best, and a draw is two ranks of 1.
    row(1, h < a ? 2 : 1, m.home, h, 1);
    row(2, a < h ? 2 : 1, m.away, a, 0);
  });
  return lines.join('\n') + '\n';
}

if (process.argv.length !== 3) {
  console.error('usage: node football_to_csv.js PACKAGE_DIRECTORY > football.csv');
  process.exitCode = 2;
} else {
  process.stdout.write(toCsv(readMatches(process.argv[2])));
}
