#!/bin/bash
# Build the core alone as WebAssembly (web/core) and compare it with the functions of SQL, on the
# server that PGHOST leads to.
#
#   test/wasm_core.sh
#
# Random histories, forecasts, previews and lobbies, under all models of the registry and random
# parameters, must come out the same to the last bit, and errors with the same words.  Also:
# memory does not grow, errors name the offending value, the examples of the README print what it
# shows, and the types of all parameters are those of the registry.  It takes node, clang, lld and
# Debian's wasi-libc, and npm for the compiler that checks the types; where one of them is missing
# it prints "not run wasm_core ...", else "ok wasm_core ..." or "not ok wasm_core ...".

set -uo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.." || exit 1
# shellcheck source=test/common.sh
. "$PWD/test/common.sh"

# "status" in words.
passes() { [ "$1" -eq 0 ] && echo t || echo "status $1"; }

command -v node >/dev/null || { echo "not run wasm_core: there is no node"; exit 0; }
test/prerequisites.sh clang lld wasi-libc libclang-rt-dev-wasm32 >&2 ||
	{ echo "not run wasm_core: clang for WebAssembly cannot be installed"; exit 0; }
begin_database wasm_core
package=$scratch/package
built=$(web/core/build.sh "$package" 2>&1)
check "the package is built without a warning" "$(passes $?)"
echo "# $built"
[ -e "$package/parameters.d.ts" ] || { echo "$built"; exit 1; }

# The host functions, and nothing of a system.
# shellcheck disable=SC2016 # a program of node
imports=$(node -e 'WebAssembly.compile(require("fs").readFileSync(process.argv[1])).then((m) =>
	console.log(WebAssembly.Module.imports(m).filter((i) => i.module !== "host").map((i) => `${i.module}.${i.name}`).join(" ")))' "$package/core.wasm")
check "the module needs nothing of a system" "$([ -z "$imports" ] && echo t || echo "$imports")"

ask <<-'SQL'
	CREATE EXTENSION skillrating;
	CREATE TABLE statement (n bigint GENERATED ALWAYS AS IDENTITY, sql text);
	-- The value of a query, or its error.
	CREATE FUNCTION attempt(sql text) RETURNS jsonb LANGUAGE plpgsql AS $$
	DECLARE
	    value jsonb;
	    code text;
	    message text;
	    detail text;
	    hint text;
	BEGIN
	    EXECUTE sql INTO value;
	    RETURN value;
	EXCEPTION WHEN OTHERS THEN
	    GET STACKED DIAGNOSTICS code = RETURNED_SQLSTATE, message = MESSAGE_TEXT, detail = PG_EXCEPTION_DETAIL,
	        hint = PG_EXCEPTION_HINT;
	    RETURN jsonb_build_object('code', code, 'message', message, 'detail', detail, 'hint', hint);
	END
	$$;
SQL
node test/wasm_core.mjs "$package" make >"$scratch/statements"
ask -c "COPY statement (sql) FROM STDIN" <"$scratch/statements"
ask -c "SELECT attempt(sql) FROM statement ORDER BY n" >"$scratch/results"
node test/wasm_core.mjs "$package" compare "$scratch/results"
check "what it computes is what SQL computes, to the last bit" "$(passes $?)"
node test/wasm_core.mjs "$package" errors
check "an error has the code, the words and the value" "$(passes $?)"
node test/wasm_core.mjs "$package" memory
check "memory does not grow" "$(passes $?)"

# The blocks of the README: js is run, as one program, and text is what it prints.
fenced() { awk -v kind="$2" '/^```/ { inside = $0 == "```" kind; next } inside' "$1"; }
mkdir -p "$scratch/node_modules"
ln -s "$package" "$scratch/node_modules/skillrating-core"
fenced web/core/README.md js >"$scratch/examples.mjs"
fenced web/core/README.md text >"$scratch/shown"
(cd "$scratch" && node examples.mjs) >"$scratch/printed" 2>&1
diff "$scratch/shown" "$scratch/printed"
check "the examples of the README print what it shows" "$(passes $?)"
[ -s "$scratch/shown" ] || check "the README has examples" f

# A value of every parameter that the server knows, so that none is forgotten.
ask -c "SELECT format(E'const %s: ModelParameters[''%s''] = %s;', m.name, m.name, jsonb_object_agg(p.name,
		CASE p.type WHEN 'choice' THEN to_jsonb(p.choices[1]) WHEN 'table' THEN '[[1, 2]]' WHEN 'number' THEN '1' ELSE p.default_value END))
	FROM skillrating.models() AS m, skillrating.model_parameters(m.name) AS p GROUP BY m.name ORDER BY m.name" >"$scratch/values"
missing=$(ask -c "SELECT m.name || ' ' || p.name FROM skillrating.models() AS m, skillrating.model_parameters(m.name) AS p" | while read -r model name; do
	awk -v name="$name" -v model="${model//_/}" '
		/^export interface/ { inside = tolower($3) == model "parameters" }
		inside && $1 == name "?:" { found = 1 }
		END { exit !found }' "$package/parameters.d.ts" || echo "$model.$name"
done)
check "every parameter has a type" "$([ -z "$missing" ] && echo t || echo "$missing")"
if modules=$(test/node_modules.sh web/core/test 2>/dev/null); then
	{
		cat web/core/test/types.mts "$scratch/values"
		echo "export const values: { [name in ModelName]: ModelParameters[name] } = {$(sed 's/^const \([a-z_0-9]*\):.*/\1/' "$scratch/values" | paste -sd ,)};"
	} >"$scratch/types.mts"
	(cd "$scratch" && node "$modules/typescript/bin/tsc" --noEmit --strict --noUncheckedIndexedAccess --target es2022 --module nodenext --lib es2022,dom types.mts)
	check "the types take every parameter, and refuse what is wrong" "$(passes $?)"
else
	echo "not run wasm_core: npm cannot install the compiler of types"
fi
exit "$failed"
