#!/bin/bash
# Compare forecasts: every model of the extension, and public libraries, on match files.
#
#   bench/predict.sh [OPTION]... DIRECTORY...
#
#   -o PAGE           write the tables into this page (default: build/prediction.md)
#   -f FOLDER         write all forecasts there (default: build/predictions)
#   -m REGEX          only forecasters whose names match
#   -s SET.KEY=VALUE  a setting of the file SET.csv or SET.csv.gz; may be repeated
#   -x NAME=COMMAND   another forecaster; may be repeated
#
# Environment:
#   EVALUATIONS  how often a forecaster may rate the first part to find parameters (10000)
#   MATCHES      only the last so many matches of each file; 0 for all (default: 5000)
#   SHARE        of the matches, the first ones, that parameters are fitted to (0.7)
#   SEED         where the proof of no peeking cuts, and for forecasters that want one (1)
#   TIMEOUT      seconds for one run of a forecaster (1800)
#
# Files are *.csv and *.csv.gz in the long form of demo/README.md; docs/prediction.md says
# which other columns are understood, and the settings.  A setting can also stand in a file
# SET.conf beside SET.csv, a line KEY = VALUE each.  It works on a throw-away cluster
# unless PGHOST is set, and needs node and npm for the libraries.
#
# A forecaster is a command, called as
#
#   COMMAND FILE TRAIN EVALUATIONS SEED [PARAMS]
#
# FILE has a header and a row for each participant, separated by tabs, \N for null: see
# "told" below.  It fits its parameters to the matches up to number TRAIN, unless PARAMS
# has them, and prints them as a JSON object on the first line; then, for each match that
# it forecasts, a line MATCH, TEAM, PROBABILITY for each team, separated by tabs and in
# this order.  It is refused if a result that it forecasts, or a later one, changes a byte
# of this up to and including the match: it is run again with other results from the first
# match on that is judged, which fits again, and with its parameters with other results, and
# without any matches, behind a random cut.

set -euo pipefail
here=$PWD
cd "$(dirname "${BASH_SOURCE[0]}")/.."

usage() { sed -n 's/^# \{0,1\}//; 4,10p' bench/predict.sh >&2; exit 2; }

page=build/prediction.md
folder=build/predictions
only=
settings=()
extra=()
absolute() { case $1 in /*) echo "$1" ;; *) echo "$here/$1" ;; esac; }
given=("$@")
while getopts o:f:m:s:x: option; do
	case $option in
		o) page=$(absolute "$OPTARG") ;;
		f) folder=$(absolute "$OPTARG") ;;
		m) only=$OPTARG ;;
		s) settings+=("$OPTARG") ;;
		x) extra+=("$OPTARG") ;;
		*) usage ;;
	esac
done
shift $((OPTIND - 1))
[ $# -gt 0 ] || usage
directories=()
for directory in "$@"; do
	directory=$(absolute "$directory")
	[ -d "$directory" ] || { echo "predict.sh: $directory is not a directory" >&2; exit 2; }
	directories+=("$directory")
done

# number NAME VALUE PATTERN MEANING: refuse a value that is no such number.
number() { [[ $2 =~ ^($3)$ ]] || { echo "predict.sh: $1 must be $4, not $2" >&2; exit 2; }; }
number EVALUATIONS "${EVALUATIONS:-10000}" '[1-9][0-9]{0,8}' 'a whole number above 0'
number MATCHES "${MATCHES:-5000}" '[0-9]{1,9}' 'a whole number, 0 for all'
number SHARE "${SHARE:-0.7}" '0?\.[0-9]*[1-9][0-9]*' 'above 0 and below 1'
number SEED "${SEED:-1}" '[0-9]{1,9}' 'a whole number'
number TIMEOUT "${TIMEOUT:-1800}" '[1-9][0-9]{0,8}' 'a whole number of seconds above 0'

# What can be set of a file: the columns of the table in docs/prediction.md.
columns_known=(match_id played_at team rank player weight pct_played joined left_at commanding side
	home score squad kills deaths quit context club series)
for line in "${settings[@]}"; do
	key=${line%%=*}
	[[ $line == ?*.?*=* && " ${columns_known[*]} " == *" ${key##*.} "* ]] ||
		{ echo "predict.sh: a setting is SET.KEY=VALUE with one of the keys ${columns_known[*]}, not $line" >&2; exit 2; }
	known=
	for directory in "${directories[@]}"; do
		[ ! -e "$directory/${key%.*}.csv" ] && [ ! -e "$directory/${key%.*}.csv.gz" ] || known=1
	done
	[ -n "$known" ] || { echo "predict.sh: there is no file ${key%.*}.csv or ${key%.*}.csv.gz for the setting $line" >&2; exit 2; }
done

if [ -z "${CLUSTER_DIRECTORY:-}" ]; then
	# node for the libraries; without it the models are compared among themselves.
	export CLUSTER_OPTIONS="shared_buffers=256MB work_mem=256MB max_wal_size=4GB synchronous_commit=off jit=off"
	cd "$here"
	exec "$OLDPWD/test/cluster.sh" bash -c 'cd "$1" && shift && exec "$@"' - "$here" "$OLDPWD/bench/predict.sh" "${given[@]}"
fi

evaluations=${EVALUATIONS:-10000}
last=${MATCHES:-5000}
share=${SHARE:-0.7}
seed=${SEED:-1}
limit=${TIMEOUT:-1800}
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
mkdir -p "$folder" "$(dirname "$page")"
export PGOPTIONS="-c client_min_messages=warning -c jit=off -c TimeZone=UTC -c DateStyle=ISO"
sql() { psql -qXAt -v ON_ERROR_STOP=1 "$@"; }
sql -c 'CREATE EXTENSION IF NOT EXISTS skillrating' -c 'DROP SCHEMA IF EXISTS predict CASCADE'
sql -f bench/predict/setup.sql -f bench/predict/model.sql

# The setting of a data set, from its .conf or the command line.
setting() {
	local line value=
	if [ -e "$2" ]; then
		value=$(sed -nE "s/^[[:space:]]*$3[[:space:]]*=[[:space:]]*(.*[^[:space:]])[[:space:]]*$/\1/p" "$2" | tail -n 1)
	fi
	for line in "${settings[@]}"; do
		[ "${line%%=*}" != "$1.$3" ] || value=${line#*=}
	done
	echo "$value"
}

# The names of the columns, one a line, as demo/files.sh reads them.
columns() {
	head -n 1 "$1" | tr -d '\r\0' |
		LC_ALL=C sed -E 's/^\xEF\xBB\xBF//; :a; s/^(([^"]*"[^"]*")*[^"]*"[^",]*),/\1_/; ta; s/"//g; s/,/\n/g'
}

# Columns that mean each thing, the first of which is taken that a file has.
aliases() {
	case $1 in
		score) echo team_score score ;;
		context) echo context map surface venue hero mode ;;
		club) echo club group faction clan constructor country ;;
		series) echo series series_id tournament_id ;;
		*) echo "$1" ;;
	esac
}

# load FILE: into the database; the status is not 0 if it cannot be.
load() {
	local file=$1 name conf plain=$scratch/plain.csv width column alias wanted where used='' first=false arguments=()
	name=$(basename "$file")
	name=${name%.gz}
	name=${name%.csv}
	conf=${file%.gz}
	conf=${conf%.csv}.conf
	zcat -f -- "$file" | sed 's/\r$//' | grep -v '^[[:space:],]*$' >"$plain" || { echo "$name: cannot be read"; return 1; }
	if [ -e "$conf" ]; then
		column=$(sed -nE 's/^[[:space:]]*([^#=[:space:]]+)[[:space:]]*=.*/\1/p' "$conf" | grep -vxF -m 1 "$(printf '%s\n' "${columns_known[@]}")" || :)
		[ -z "$column" ] || { echo "$name: passed over, as $conf sets $column, which is none of ${columns_known[*]}"; return 1; }
	fi
	for column in "${columns_known[@]}"; do
		where=
		alias=$(setting "$name" "$conf" "$column")
		wanted=$alias
		if [ "$column" = home ] && [ "$alias" = first ]; then
			first=true
			used="$used home=first"
			alias=none
			wanted=
		fi
		for alias in ${alias:-$(aliases "$column")}; do
			where=$(columns "$plain" | grep -nxF -m 1 -- "$alias" | cut -d: -f1 || :)
			[ -z "$where" ] || break
		done
		if [ -z "$where" ] && [ -n "$wanted" ]; then
			echo "$name: passed over, as it has no column $wanted, which is set for $column"
			return 1
		fi
		arguments+=(-v "$column=${where:+c}${where:-NULL}")
		if [ -n "$where" ]; then
			case $column in
				match_id | played_at | team | rank | player) ;;
				"$alias") used="$used $column" ;;
				*) used="$used $column=$alias" ;;
			esac
		else
			case $column in
				match_id | played_at | team | rank | player)
					echo "$name: passed over, as it has no column $column"
					return 0 ;;
			esac
		fi
	done
	width=$(columns "$plain" | wc -l)
	sql -c 'DROP TABLE IF EXISTS predict.staging' -c "CREATE UNLOGGED TABLE predict.staging ($(seq -s ', ' -f 'c%.0f text' "$width"))" &&
		sql -c "\\copy predict.staging FROM pstdin WITH (FORMAT csv, HEADER)" <"$plain" &&
		sql -v name="$name" -v sha256="$(sha256sum <"$file" | cut -d' ' -f1)" -v columns="${used# }" -v first_at_home=$first \
			-v share="$share" -v last="$last" "${arguments[@]}" -f bench/predict/load.sql ||
		{ echo "$name: passed over, as it cannot be read"; return 1; }
}

# told SET CUT HOW: what a forecaster is told.  HOW is "all", "changed" (other results from
# match CUT on) or "removed" (no matches after it).  Teams keep their order among those of
# equal rank; "changed" turns the order round or draws, by the number of the match.
told() {
	local late="match >= $2"
	[ "$3" = changed ] || late=false
	sql -c "COPY (
		SELECT match, at, team, player, CASE WHEN NOT late THEN rank WHEN match % 5 = 0 THEN 1 ELSE worst + 1 - rank END AS rank,
			CASE WHEN NOT late OR score IS NULL THEN score WHEN match % 5 = 0 THEN 1 ELSE 3 - score END AS team_score, side, weight, joined, left_at, commanding,
			squad, CASE WHEN NOT late THEN kills WHEN kills IS NOT NULL THEN team END AS kills, CASE WHEN NOT late THEN deaths WHEN deaths IS NOT NULL THEN player % 7 END AS deaths,
			CASE WHEN NOT late THEN quit WHEN quit IS NOT NULL THEN player % 9 = 0 END AS quit, context, club
		FROM (SELECT *, $late AS late, max(rank) OVER (PARTITION BY match) AS worst FROM predict.participant WHERE data_set = $1) AS p
		WHERE '$3' <> 'removed' OR match <= $2 ORDER BY match, team, player, joined) TO STDOUT (HEADER)"
}

# The lines of a forecast up to a match, and the parameters if it had to find them itself.
up_to() { awk -F '\t' -v cut="$2" -v from="$3" 'NR == 1 ? from == 1 : $1 + 0 <= cut' "$1"; }

# What a forecaster that failed said: its error, or its last line.
reason() { grep -m 1 'ERROR:\|Error:' "$scratch/error" || tail -n 1 "$scratch/error"; }

# run SET NAME COMMAND...: forecasts, and the proof that they do not peek.
run() {
	local set=$1 name=$2 train matches cut begun seconds params status=0 failure=
	shift 2
	IFS='|' read -r train matches <<<"$(sql -c "SELECT train, matches FROM predict.data_set WHERE id = $set")"
	cut=$(awk -v seed="$seed" -v from=$((train + 2)) -v to="$matches" 'BEGIN { srand(seed); print int(from + rand() * (to - from)) }')
	begun=$(date +%s.%N)
	timeout "$limit" "$@" "$scratch/all.tsv" "$train" "$evaluations" "$seed" >"$scratch/forecast" 2>"$scratch/error" || status=$?
	seconds=$(awk -v a="$begun" -v b="$(date +%s.%N)" 'BEGIN { print b - a }')
	params=$(head -n 1 "$scratch/forecast")
	if [ $status -eq 124 ]; then
		failure="took more than $limit seconds"
	elif [ $status -ne 0 ]; then
		failure="failed: $(reason)"
	elif [ "$(wc -l <"$scratch/forecast")" -gt 1 ]; then
		told "$set" $((train + 1)) changed >"$scratch/changed.tsv"
		told "$set" "$cut" changed >"$scratch/cut.tsv"
		told "$set" "$cut" removed >"$scratch/removed.tsv"
		timeout "$limit" "$@" "$scratch/changed.tsv" "$train" "$evaluations" "$seed" >"$scratch/again" 2>"$scratch/error" || failure="failed with other results: $(reason)"
		cmp -s <(up_to "$scratch/forecast" $((train + 1)) 1) <(up_to "$scratch/again" $((train + 1)) 1) ||
			failure=${failure:-"refused: parameters or forecasts up to match $((train + 1)) depend on results from it on"}
		for how in cut removed; do
			timeout "$limit" "$@" "$scratch/$how.tsv" "$train" "$evaluations" "$seed" "$params" >"$scratch/again" 2>"$scratch/error" || failure=${failure:-"failed with other results: $(reason)"}
			cmp -s <(up_to "$scratch/forecast" "$cut" 0) <(up_to "$scratch/again" "$cut" 0) ||
				failure=${failure:-"refused: forecasts up to match $cut depend on results $([ $how = cut ] && echo from it on || echo after it)"}
		done
	fi
	store "$set" "$name" "$seconds" "$failure"
}

# store SET NAME SECONDS FAILURE: what was forecast, into the database, if it is sound.
store() {
	local failure=$4 params=null bad
	sql -c 'DROP TABLE IF EXISTS predict.said' -c 'CREATE UNLOGGED TABLE predict.said (match integer, team integer, p float8)'
	if [ -z "$failure" ]; then
		params=$(head -n 1 "$scratch/forecast")
		if ! tail -n +2 "$scratch/forecast" | sql -c '\copy predict.said FROM pstdin' 2>"$scratch/error"; then
			failure="failed: $(head -n 1 "$scratch/error")"
		else
			bad=$(sql -c "SELECT count(*) FROM (
				SELECT match FROM (SELECT * FROM predict.team WHERE data_set = $1) AS t FULL JOIN predict.said AS s USING (match, team)
				GROUP BY match HAVING count(s.p) > 0 AND NOT (count(*) = count(s.p) AND count(*) = count(t.rank)
					AND bool_and(s.p BETWEEN 0 AND 1) AND abs(sum(s.p) - 1) < 1e-6)) AS q")
			[ "$bad" = 0 ] || failure="failed: forecasts of $bad matches are no probabilities that add up to 1"
		fi
	fi
	[ -n "$failure" ] || sql -v name="$2" -c "\\set x 1" -f - <<-SQL
		INSERT INTO predict.forecast SELECT $1, :'name', match, team, p FROM predict.said;
	SQL
	sql -v name="$2" -v params="$params" -v failure="$failure" -f - <<-SQL
		INSERT INTO predict.run VALUES ($1, :'name', :'params', $3, nullif(:'failure', ''));
	SQL
	printf '  %s: %s\n' "$2" "${failure:-$(printf '%.1f s' "$3")}"
}

# Every forecaster, a line each: its name, a tab, and its command.
all_forecasters() {
	local name
	echo "even	bench/predict/even.sh"
	# Models, and those that other functions than rate() forecast by.
	sql -c "SELECT name FROM skillrating.models() UNION ALL
		SELECT 'state_space/' || proname FROM pg_proc WHERE pronamespace = 'skillrating'::regnamespace AND prokind = 'w'
			AND prorettype = 'skillrating.rated'::regtype AND proname <> 'rate' ORDER BY 1" | while read -r name; do
		echo "$name	bench/predict/model.sh $name"
	done
	if command -v node >/dev/null && command -v npm >/dev/null; then
		for name in glicko2 openskill/bradley_terry openskill/plackett_luce openskill/thurstone_mosteller ts-trueskill; do
			echo "npm:$name	node build/bench/predict/libraries.js $name"
		done
	fi
	for name in "${extra[@]}"; do
		echo "${name%%=*}	${name#*=}"
	done
}

# Those that are wanted.
forecasters() {
	local name command
	all_forecasters | while IFS=$'\t' read -r name command; do
		[[ ! $name =~ $only ]] || printf '%s\t%s\n' "$name" "$command"
	done
}

[ -n "$(forecasters)" ] || { echo "predict.sh: no forecaster has a name that matches $only" >&2; exit 2; }
if [[ $(forecasters | cut -f1) =~ npm: ]]; then
	mkdir -p build/bench/predict
	cp bench/models/package.json bench/predict/libraries.js build/bench/predict
	npm install --silent --no-audit --no-fund --prefix build/bench/predict >&2
elif ! command -v npm >/dev/null; then
	echo 'not run libraries of npm, as there is no npm'
fi

failed=
shopt -s nullglob
for directory in "${directories[@]}"; do
	for file in "$directory"/*.csv "$directory"/*.csv.gz; do
		load "$file" || failed="$failed $file"
	done
done
sql -c "DELETE FROM predict.data_set WHERE matches < 20 OR matches IS NULL RETURNING name || ': passed over, as it has fewer than 20 matches'"
while IFS='|' read -r set name matches; do
	echo "$name: $matches matches"
	told "$set" 0 all >"$scratch/all.tsv"
	while IFS=$'\t' read -r forecaster command; do
		# shellcheck disable=SC2086
		run "$set" "$forecaster" $command </dev/null
	done < <(forecasters)
done < <(sql -c 'SELECT id, name, matches FROM predict.data_set ORDER BY name COLLATE "C"')
[ "$(sql -c 'SELECT count(*) FROM predict.run')" -gt 0 ] || { echo "There is no match file in ${directories[*]}; see demo/README.md." >&2; exit 1; }

sql -f bench/predict/score.sql

# Each match's forecast, to be scored elsewhere: a file for each set and forecaster.
sql -F ' ' -c "SELECT r.data_set, r.forecaster, d.name || '.' || translate(r.forecaster, '/: ', '---') FROM predict.run AS r JOIN predict.data_set AS d ON d.id = r.data_set WHERE r.failure IS NULL ORDER BY 1, 2" |
	while read -r set forecaster name; do
		sql -c "COPY (
			SELECT d.name AS data_set, r.forecaster, t.match_id, t.series, CASE WHEN t.match > d.train THEN 'judged' ELSE 'fitted' END AS part,
				json_agg(t.team_name ORDER BY t.team) AS teams, json_agg(f.p ORDER BY t.team) AS p, json_agg(t.rank ORDER BY t.team) AS ranks,
				r.params, $seed AS seed, d.sha256
			FROM predict.run AS r JOIN predict.data_set AS d ON d.id = r.data_set JOIN predict.team AS t USING (data_set) LEFT JOIN predict.forecast AS f USING (data_set, forecaster, match, team)
			WHERE r.data_set = $set AND r.forecaster = '$forecaster'
			GROUP BY d.id, r.data_set, r.forecaster, t.match, t.match_id, t.series ORDER BY t.match) TO STDOUT (FORMAT csv, HEADER)" | gzip -n >"$folder/$name.csv.gz"
	done

# The tables replace those between the marks of the page, or make a new one.
begin='<!-- results: written by bench/predict.sh -->'
end='<!-- end of results -->'
{
	echo "PostgreSQL $(sql -c 'SHOW server_version'); $evaluations evaluations, the first $share of the matches are fitted to, $([ "$last" -eq 0 ] && echo all matches || echo "the last $last matches of each file"), seed $seed."
	echo
	sql -f bench/predict/page.sql
} >"$scratch/tables"
grep -qxF -- "$begin" "$page" 2>/dev/null || printf '%s\n' '# Prediction' '' "$begin" "$end" >"$page"
awk -v begin="$begin" -v end="$end" -v tables="$scratch/tables" '
	$0 == end { inside = 0 }
	!inside { print }
	$0 == begin { inside = 1; print ""; while ((getline line < tables) > 0) print line; print "" }' "$page" >"$scratch/page"
cat "$scratch/page" >"$page"
echo "$page"
[ -z "$failed" ] || { echo "failed:$failed" >&2; exit 1; }
