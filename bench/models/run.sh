#!/bin/bash
# Time a match under the models, against public libraries on the same matches.
#
#   bench/models/run.sh
#
# `make bench` calls this.  It works on a throw-away cluster unless PGHOST is set, and
# installs the libraries that package.json names from the npm registry into build/.
# They are called in their own process with everything in memory; the extension by
# SQL, reading the matches from a table.

set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."

if [ -z "${CLUSTER_DIRECTORY:-}" ]; then
	command -v npm >/dev/null || test/prerequisites.sh nodejs npm
	export CLUSTER_OPTIONS="shared_buffers=256MB jit=off max_parallel_workers_per_gather=0 enable_memoize=off"
	exec test/cluster.sh bench/models/run.sh
fi

scale=${SCALE:-1}
rounds=${ROUNDS:-5}
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
. bench/common.sh

libraries=build/bench/models
mkdir -p "$libraries"
cp bench/models/package.json bench/models/libraries.js "$libraries"
npm install --silent --no-audit --no-fund --prefix "$libraries" >&2

matches=$(sized 10000)
echo "PostgreSQL $(sql -c 'SHOW server_version'), Node.js $(node --version), $(nproc) cores, load $(cut -d' ' -f1 /proc/loadavg), $matches matches, $rounds rounds"
sql -c 'CREATE EXTENSION IF NOT EXISTS skillrating'

# A table of matches for each shape: teams of so many players, ratings about where
# they start, the last two drawn in one match of ten.  Whatever repeats would only be
# computed once.
make_matches() {
	sql -o /dev/null <<SQL
SELECT setseed(0.5);
CREATE TABLE $1 AS
SELECT m AS match_id, array_agg(t ORDER BY t, p) AS team, array_agg(r.rank ORDER BY t, p) AS rank,
	array_agg(25 + 8 * (random() - 0.5) ORDER BY t, p) AS mu, array_agg(1 + 7 * random() ORDER BY t, p) AS sigma,
	array_agg(1500 + 600 * (random() - 0.5) ORDER BY t, p) AS rating, array_agg(40 + 200 * random() ORDER BY t, p) AS deviation,
	array_agg(0.04 + 0.03 * random() ORDER BY t, p) AS volatility
FROM generate_series(1, $matches) AS m, generate_series(1, $2) AS t,
	LATERAL (SELECT least(1 + ((hashint8(m) & 1023) + t) % $2, CASE WHEN m % 10 = 0 THEN $2 - 1 ELSE $2 END) AS rank) AS r,
	generate_series(1, $3) AS p
GROUP BY m ORDER BY m;
VACUUM ANALYZE $1;
SQL
	sql -c "\\copy (SELECT row_to_json(m) FROM $1 AS m ORDER BY match_id) TO '$scratch/$1.json'"
}
make_matches duel 2 1
make_matches four 2 4
make_matches free 8 1

# Rate the matches of a table: the new ratings, by match and player.
declare -A query=(
	[elo]='LATERAL skillrating.elo_update(rating[1], rating[2], (1 + sign(rank[2] - rank[1])) / 2) AS new,
		LATERAL (VALUES (1, new_rating_a), (2, new_rating_b)) AS u (ordinal, new_mu)'
	[glicko2]='LATERAL skillrating.glicko2_update(rating[1], deviation[1], volatility[1],
			ARRAY[rating[2]], ARRAY[deviation[2]], ARRAY[(1 + sign(rank[2] - rank[1])) / 2]) AS a,
		LATERAL skillrating.glicko2_update(rating[2], deviation[2], volatility[2],
			ARRAY[rating[1]], ARRAY[deviation[1]], ARRAY[(1 + sign(rank[1] - rank[2])) / 2]) AS b,
		LATERAL (VALUES (1, a.new_rating), (2, b.new_rating)) AS u (ordinal, new_mu)'
	[trueskill]='LATERAL skillrating.trueskill_update(team, rank, mu, sigma) AS u'
	[weng_lin]="LATERAL skillrating.weng_lin_update('plackett_luce', team, rank, mu, sigma) AS u"
)
declare -A title=([duel]='one against one' [four]='four against four' [free]='eight, each for himself')

# compare MODEL SHAPE LIBRARY PASSES [other]: so many passes of the library, some are slow;
# unless it has another model, both must have computed the same.
compare() {
	local passes=20 ours="$scratch/ours" theirs="$scratch/theirs"
	rm -f "$ours" "$theirs"
	for _ in $(seq "$rounds"); do
		for _ in $(seq "$passes"); do
			echo "SELECT sum(new_mu) FROM $2, ${query[$1]};"
		done | timed | awk -v n="$((passes * matches))" '{ print $1 * 1e6 / n }' >>"$ours"
		node "$libraries/libraries.js" "$3" "$scratch/$2.json" "$4" "$scratch/results.csv" >>"$theirs"
	done
	report "$1, ${title[$2]}, against $3" "$ours" "$theirs" ''
	printf '    %.2f us a match against %.2f us' "$(median "$ours")" "$(median "$theirs")"
	if [ $# -eq 5 ]; then
		printf ' for another model\n'
		return
	fi
	sql -c 'CREATE TEMP TABLE theirs (match_id int, ordinal int, new_mu float8)' \
		-c "\\copy theirs FROM '$scratch/results.csv' CSV" \
		-c "SELECT '; largest difference of a new rating' || to_char(max(abs(t.new_mu - u.new_mu)), '9.9EEEE')
			FROM $2, ${query[$1]} JOIN theirs AS t USING (ordinal) WHERE t.match_id = $2.match_id"
}

printf '\n%-62s %6s  %s\n' 'what against what' 'ratio' 'range'
compare elo duel elo-rank 100
compare glicko2 duel glicko2 5
for shape in duel four free; do
	compare trueskill $shape ts-trueskill 1
	compare trueskill $shape openskill 10 other
	compare weng_lin $shape openskill 10
done
