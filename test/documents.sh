#!/bin/bash
# Compare what ajv, a validator of JSON Schema, says of documents with what the functions
# that take them say, on the server that PGHOST leads to.
#
#   test/documents.sh
#
# Random documents, most of them wrong somewhere, are valid under document_schema() if and
# only if the function finds no fault in their keys and types.  Those of the comments must
# be valid.  It takes node and npm, which fetches ajv.  Where these are missing it prints a
# line "not run documents ...", which counts neither as passed nor as failed; otherwise "ok
# documents ..." or "not ok documents ...".

set -uo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.." || exit 1

database=skillrating_documents
export PGOPTIONS='-c client_min_messages=warning'
count=${DOCUMENTS:-1000}
scratch=$(mktemp -d)
drop() { psql -qX -d postgres -c "DROP DATABASE IF EXISTS $database" 2>/dev/null; }
trap 'drop; rm -rf "$scratch"' EXIT
ask() { psql -qXAt -v ON_ERROR_STOP=1 -d "$database" "$@"; }
failed=0
result() {
	if [ "$1" -eq 0 ]; then
		echo "ok documents $2"
	else
		echo "not ok documents $2"
		failed=1
	fi
}

for command in node npm; do
	command -v "$command" >/dev/null || { echo "not run documents: there is no $command"; exit 0; }
done
NODE_PATH=$(test/node_modules.sh test/node) || { echo "not run documents: npm cannot install ajv"; exit 0; }
export NODE_PATH

drop
psql -qX -d postgres -c "CREATE DATABASE $database"
ask <<-'SQL' || { result 1 "a database is made"; exit 1; }
	CREATE EXTENSION skillrating;
	DO $$ BEGIN PERFORM skillrating.create_ladder('arena', 'elo', player_type => 'text', match_type => 'text'); END $$;
	CREATE TABLE document (n bigint GENERATED ALWAYS AS IDENTITY, function text, valid boolean, document jsonb, fault text);

	-- What a function finds wrong with the keys and types of a document, and nothing else.
	CREATE FUNCTION fault(function text, document jsonb) RETURNS text LANGUAGE plpgsql AS $$
	BEGIN
	    EXECUTE format(CASE WHEN function ~ '^pair_queue' THEN 'SELECT count(*) FROM skillrating.%I($1)'
	        ELSE 'SELECT count(*) FROM skillrating.%I(''arena'', $1)' END, function) USING document;
	    RETURN NULL;
	EXCEPTION WHEN OTHERS THEN
	    IF SQLSTATE = '22023' AND SQLERRM ~ '^(invalid key ".*" in|key ".*" is missing in|.* must be (an?|true or false)\M.*, not )'
	        OR SQLERRM ~ '^(rank must not be null|array (rank|team_score) must not contain nulls)$'
	        OR SQLERRM ~ '(integer|smallint) out of range$' OR SQLSTATE IN ('22007', '22008')
	    THEN
	        RETURN SQLSTATE || ' ' || SQLERRM;
	    ELSIF SQLSTATE !~ '^22' AND SQLSTATE <> '54000' THEN
	        RAISE;
	    END IF;
	    RETURN NULL;
	END
	$$;
SQL

ask -c "SELECT jsonb_object_agg(p.proname, skillrating.document_schema(p.proname))
	FROM pg_proc AS p WHERE p.pronamespace = 'skillrating'::regnamespace AND p.proname LIKE '%\_document'" >"$scratch/schemas.json"
node test/documents.js "$scratch/schemas.json" "$count" >"$scratch/documents"
result $? "ajv takes the schemas"
ask -c "COPY document (function, valid, document) FROM STDIN" <"$scratch/documents"
ask -c "UPDATE document SET fault = fault(function, document)"
result $? "the functions read the documents, or say what is wrong"

# Both kinds must be there, or the comparison says nothing.
while IFS='|' read -r function documents valid others; do
	[ "$documents" -eq "$count" ] && [ "$valid" -gt $((count / 10)) ] && [ $((documents - valid)) -gt $((count / 10)) ] && [ "$others" -eq 0 ]
	result $? "$function: $documents random documents, $valid of them valid; ajv and the function differ about $others"
done < <(ask -c "SELECT function, count(*), count(*) FILTER (WHERE valid), count(*) FILTER (WHERE valid <> (fault IS NULL))
	FROM document GROUP BY function ORDER BY function")
ask -c "SELECT function, valid, fault, document FROM document WHERE valid <> (fault IS NULL) ORDER BY n LIMIT 10"

# The documents in the comments, which begin on a line of their own with a brace.
ask -c "SELECT format('%s' || E'\t' || '%s', p.proname, d[1]::jsonb)
	FROM pg_proc AS p, regexp_matches(obj_description(p.oid), E'\n\n    (\\\\{.*\\\\})\n\n') AS d
	WHERE p.pronamespace = 'skillrating'::regnamespace AND p.proname LIKE '%\_document'" >"$scratch/examples"
node -e '
	const fs = require("fs"), Ajv = require("ajv/dist/2020"), ajv = new Ajv({ strict: true, allowUnionTypes: true });
	require("ajv-formats")(ajv);
	const schemas = JSON.parse(fs.readFileSync(process.argv[1])), lines = fs.readFileSync(process.argv[2], "utf8").trim().split("\n");
	const wrong = lines.filter((line) => { const [name, text] = line.split("\t"); return !ajv.validate(schemas[name], JSON.parse(text)); });
	wrong.forEach((line) => console.log(line));
	process.exit(wrong.length === 0 && lines.length === 3 ? 0 : 1);
' "$scratch/schemas.json" "$scratch/examples"
result $? "the documents in comments are valid"
exit "$failed"
