#!/bin/bash
# Write the update script from one version of the extension to the next.
#
#   release/draft_update.sh [OLD [NEW [SCRIPT]]]
#
# OLD is the release before NEW unless it is given, and NEW the version in the control file.
# `make update-script` calls this; it can be run again and again until the release.  Both
# versions are installed on a throw-away cluster, and release/draft.sql writes the statements for
# what differs: functions, aggregates and types that are new, changed or gone, comments and
# privileges.  The result is SCRIPT, sql/updates/skillrating--OLD--NEW.sql unless it is given, to
# be reviewed and committed.
#
# What it cannot know, as how a table of the extension changes, is written by hand into that
# file, above the line that says "From here on".  These statements are kept and come first; the
# rest is what is still missing then.  Anything missing that is left for the hand is named, and
# the status is 1.

set -euo pipefail
root=$(realpath -- "$(dirname -- "${BASH_SOURCE[0]}")/..")
cd "$root"

die() { echo "draft_update.sh: $*" >&2; exit 1; }

new=${2:-$(sed -n "s/^default_version = '\(.*\)'/\1/p" skillrating.control)}
old=${1:-$(awk -v new="$new" '!/^#/ && $1 != new { last = $1 } END { print last }' sql/releases/RELEASES)}
[ "$old" != "$new" ] || die "the control file still has the version of release $old"
[ -n "${3:-}" ] || [ ! -e "sql/releases/skillrating--$new.sql" ] || die "version $new is released: raise it in skillrating.control"
script=${3:-sql/updates/skillrating--$old--$new.sql}
border='-- From here on written by release/draft_update.sh: what is changed below is lost.'

if [ -z "${CLUSTER_DIRECTORY:-}" ]; then
	exec test/cluster.sh bash release/draft_update.sh "$old" "$new" "$script"
fi

scratch=$(mktemp -d)
ask() { psql -qXAt -v ON_ERROR_STOP=1 "$@"; }
clean_up() {
	rm -rf "$scratch"
	ask -d postgres -c 'DROP DATABASE IF EXISTS draft_old' -c 'DROP DATABASE IF EXISTS draft_new' 2>/dev/null
}
trap clean_up EXIT
extensions=$CLUSTER_DIRECTORY/stage$("${PG_CONFIG:-pg_config}" --sharedir)/extension
[ -e "$extensions/skillrating--$new.sql" ] && grep -q stage "$CLUSTER_DIRECTORY/extension.conf" ||
	die "it takes a server that finds the staged extension, with version $new"
[ -e "$extensions/skillrating--$old.sql" ] || die "there is no release $old"

head_of() {
	cat <<-END
		-- skillrating: from $old to $new.
		\\echo Use "ALTER EXTENSION skillrating UPDATE TO '$new'" to load this file. \\quit

		-- The script runs as a superuser in a database where others have been at work: CONTRIBUTING.md
		-- has the rules for it.
		SET LOCAL search_path = pg_catalog, pg_temp;
	END
}

# What was written by hand.
if [ -e "$script" ] && grep -qxF -- "$border" "$script"; then
	awk -v border="$border" '$0 == border { exit } { print }' "$script" >"$scratch/head"
else
	{ head_of; echo; } >"$scratch/head"
fi
cp "$scratch/head" "$extensions/skillrating--$old--draft.sql"

ask -d postgres -c 'CREATE DATABASE draft_old' -c 'CREATE DATABASE draft_new'
ask -d draft_old -c "CREATE EXTENSION skillrating VERSION '$old'" -c "ALTER EXTENSION skillrating UPDATE TO 'draft'"
ask -d draft_new -c "CREATE EXTENSION skillrating VERSION '$new'"
ask -d draft_old -f release/members.sql -c "\\copy pg_temp.property TO '$scratch/old'"
ask -d draft_new -f release/members.sql \
	-c "CREATE TEMP TABLE old_property (member text, name text, value jsonb)" \
	-c "\\copy pg_temp.old_property FROM '$scratch/old'" -f release/draft.sql >"$scratch/statements"

{
	cat "$scratch/head"
	echo "$border"
	if [ -s "$scratch/statements" ]; then
		echo
		cat "$scratch/statements"
	fi
	cat <<-'SQL'

		-- As after a new installation, all belongs to one role, whoever runs this.
		DO LANGUAGE plpgsql
		$do$
		DECLARE
		    owner pg_catalog.oid;
		    statement pg_catalog.text;
		BEGIN
		    SELECT n.nspowner INTO STRICT owner
		    FROM pg_catalog.pg_namespace AS n WHERE n.nspname = 'skillrating';
		    FOR statement IN
		        SELECT format('ALTER ROUTINE %s OWNER TO %I', p.oid::regprocedure, pg_get_userbyid(owner))
		        FROM pg_catalog.pg_depend AS d
		        JOIN pg_catalog.pg_extension AS e ON e.oid = d.refobjid
		        JOIN pg_catalog.pg_proc AS p ON p.oid = d.objid
		        WHERE e.extname = 'skillrating' AND d.refclassid = 'pg_extension'::regclass
		            AND d.deptype = 'e' AND d.classid = 'pg_proc'::regclass AND p.proowner <> owner
		        UNION ALL
		        SELECT format('ALTER TYPE %s OWNER TO %I', t.oid::regtype, pg_get_userbyid(owner))
		        FROM pg_catalog.pg_depend AS d
		        JOIN pg_catalog.pg_extension AS e ON e.oid = d.refobjid
		        JOIN pg_catalog.pg_type AS t ON t.oid = d.objid
		        WHERE e.extname = 'skillrating' AND d.refclassid = 'pg_extension'::regclass
		            AND d.deptype = 'e' AND d.classid = 'pg_type'::regclass
		            AND t.typtype = 'c' AND t.typowner <> owner
		    LOOP
		        EXECUTE statement;
		    END LOOP;
		END
		$do$;
	SQL
} >"$scratch/script"
cat "$scratch/script" >"$script"
echo "$script: $(grep -c . "$scratch/statements" || :) lines of statements"
if grep '^By hand, above: ' "$scratch/statements" >&2; then
	die "write the statements for these into $script, above the line \"From here on\""
fi
