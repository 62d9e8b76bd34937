#!/bin/bash
# Move ratings that openskill of npm has computed into ladders, as docs/migration.md says, and
# compare what comes out, on the server that PGHOST leads to.
#
#   test/migration.sh
#
# Programs with several options of the library rate the same matches.  For each, one ladder rates
# all matches by backfill(), another one takes the program's ratings after half of them by
# import_ratings() and rates the rest.  Both must end with the program's numbers.  Prints a line
# for each check, "ok migration ..." or "not ok migration ...".  It takes node and npm, which
# fetches openskill.  Where these are missing it prints a line "not run migration ...", which
# counts neither as passed nor as failed.

set -uo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.." || exit 1

for program in node npm; do
	command -v $program >/dev/null || { echo "not run migration: there is no $program"; exit 0; }
done
NODE_PATH=$(test/node_modules.sh bench/match) || { echo "not run migration: npm cannot install openskill"; exit 0; }
export NODE_PATH

database=skillrating_migration
export PGOPTIONS='-c client_min_messages=warning'
scratch=$(mktemp -d)
drop() { psql -qX -d postgres -c "DROP DATABASE IF EXISTS $database" 2>/dev/null; }
trap 'drop; rm -rf "$scratch"' EXIT
ask() { psql -qXAt -v ON_ERROR_STOP=1 -d "$database" "$@"; }
failed=0
check() {
	if [ "$2" = t ]; then echo "ok migration: $1"; else echo "not ok migration: $1 ($2)"; failed=1; fi
}

node test/migration.js "$scratch/matches" "$scratch/states"
check "openskill rates the matches" "$([ -s "$scratch/states" ] && echo t)"

drop
psql -qX -d postgres -c "CREATE DATABASE $database"
ask -o /dev/null <<'SQL'
CREATE EXTENSION skillrating;
CREATE TABLE played (match_id int, player text, team int, rank int, PRIMARY KEY (match_id, player));
CREATE TABLE program_state (program text, params jsonb, last_match int, player text, mu float8, sigma float8, PRIMARY KEY (program, last_match, player));
SQL
ask -c "\\copy played FROM '$scratch/matches'" -c "\\copy program_state FROM '$scratch/states'"
half=$(ask -c 'SELECT min(last_match) FROM program_state')

# In units of a newcomer's sigma, because the scales differ.
compare="SELECT CASE WHEN count(*) <> (SELECT count(DISTINCT player) FROM played) THEN count(*) || ' players'
		WHEN max(d) < 1e-10 AND (SELECT bool_and(ok) FROM skillrating.verify(:'ladder')) THEN 't'
		ELSE 'differs by ' || max(d) END
	FROM (
		SELECT greatest(abs(r.mu - s.mu), abs(r.sigma - s.sigma)) / coalesce((s.params->>'initial_sigma')::float8, 25 / 3.0) AS d
		FROM program_state AS s JOIN :\"ladder\".rating AS r ON r.player_id = s.player
		WHERE s.program = :'program' AND s.last_match <> $half) AS c"

for program in $(ask -c 'SELECT DISTINCT program FROM program_state ORDER BY 1'); do
	ask -o /dev/null -v program="$program" -v whole="${program}_whole" -v late="${program}_late" <<-SQL
		SELECT DISTINCT params FROM program_state WHERE program = :'program' \\gset
		CREATE VIEW :"whole" AS
		    SELECT match_id, '2024-01-01Z'::timestamptz + match_id * interval '1 hour' AS played_at, player AS player_id, team, rank FROM played;
		SELECT skillrating.create_ladder(:'whole', 'weng_lin', :'params'::jsonb || '{"size_advantage": "none"}', source => format('%I', :'whole'));
		SELECT skillrating.attach(:'whole', 'played', match_id => 'match_id');
		CALL skillrating.backfill(:'whole', batch_size => 100);
		CREATE VIEW :"late" AS SELECT * FROM :"whole" WHERE match_id > $half;
		SELECT skillrating.create_ladder(:'late', 'weng_lin', :'params'::jsonb || '{"size_advantage": "none"}', source => format('%I', :'late'));
		SELECT i.*
		FROM (SELECT array_agg(player) AS players, jsonb_agg(jsonb_build_object('mu', mu, 'sigma', sigma)) AS states
		    FROM program_state WHERE program = :'program' AND last_match = $half) AS s,
		    skillrating.import_ratings(:'late', s.players, s.states, at => '2024-01-01Z'::timestamptz + $half * interval '1 hour') AS i;
		SELECT skillrating.attach(:'late', 'played', match_id => 'match_id');
		CALL skillrating.backfill(:'late', batch_size => 100);
	SQL
	check "$program: all matches come to the same" "$(ask -v program="$program" -v ladder="${program}_whole" <<<"$compare")"
	check "$program: imported ratings and the later matches come to the same" \
		"$(ask -v program="$program" -v ladder="${program}_late" <<<"$compare")"
done
exit $failed
