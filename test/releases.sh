#!/bin/bash
# Check that what was released stays as it was, and that the library serves it.
#
#   test/releases.sh
#
# Scripts of releases never change, and that of a version that is released is the one
# that the parts in sql/ make, so that whoever changes those must raise the version.  Each
# function in C that any release has must be in the library, which sessions load before the
# update of the extension.  Every release can be updated to the version of today, and all files say
# the same version.  The library has to be built first.  Prints lines "ok releases: ..." and
# "not ok releases: ...", with what is wrong in front of them; the checks are checked first.

set -uo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.." || exit 1
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
status=0

result() {
	if [ -z "$1" ]; then
		echo "ok releases: $2"
	else
		echo "$1"
		echo "not ok releases: $2"
		status=1
	fi
}

# The versions in RELEASES of the checkout $1, the oldest first.
released() { awk '!/^#/ && NF { print $1 }' "$1/sql/releases/RELEASES"; }
control_version() { sed -n "s/^default_version = '\(.*\)'/\1/p" "$1/skillrating.control"; }

# Scripts of releases in the checkout $1 that are not as they were released.
changed_scripts() {
	( cd "$1/sql/releases" || exit
		sha256sum --check --quiet --strict SHA256SUMS 2>&1 | grep -v '^sha256sum: WARNING'
		comm -3 <(ls skillrating--*.sql | LC_ALL=C sort) <(awk '$2 !~ /\// { print $2 }' SHA256SUMS | LC_ALL=C sort) |
			awk '{ print $1 " is not in both the directory and SHA256SUMS" }'
		comm -3 <(ls skillrating--*.sql | sed 's/^skillrating--//; s/\.sql$//' | LC_ALL=C sort) \
			<(released ../.. | LC_ALL=C sort) | awk '{ print $1 " is not in both the directory and RELEASES" }' )
}

# Whether the parts of the checkout $1 make another script than the one that is released as
# this version.
changed_version() {
	local version
	version=$(control_version "$1")
	[ -e "$1/sql/releases/skillrating--$version.sql" ] || return 0
	cat "$1"/sql/*.sql | cmp -s - "$1/sql/releases/skillrating--$version.sql" ||
		echo "version $version is released, and sql/ makes another script: raise default_version in skillrating.control"
}

# The functions that the script on standard input takes from the library.
symbols() {
	grep -oE "AS 'MODULE_PATHNAME'(, *'\w+'|'', ''\w+'')|''MODULE_PATHNAME'', ''\w+''" |
		grep -oE "\w+'+$" | tr -d "'" | LC_ALL=C sort -u
}

# Of the scripts in the checkout $1, functions that the library $2 lacks.
missing_symbols() {
	local script
	nm -D --defined-only "$2" | awk '{ print $3 }' | LC_ALL=C sort -u >"$scratch/exports"
	for script in "$1"/sql/releases/skillrating--*.sql; do
		symbols <"$script" | comm -23 - "$scratch/exports" |
			sed "s/\$/ of $(basename "$script") is not in the library/"
	done
}

# Releases of the checkout $1 from which no chain of update scripts leads to today's version.
stranded() {
	local version newer found
	newer=$(control_version "$1")
	# From today's version back, until nothing is added.
	found=" $newer "
	for _ in $(released "$1"); do
		for version in $(released "$1"); do
			[[ $found != *" $version "* ]] || continue
			for newer in $found; do
				[ ! -e "$1/sql/updates/skillrating--$version--$newer.sql" ] || { found+="$version "; break; }
			done
		done
	done
	for version in $(released "$1"); do
		[[ $found == *" $version "* ]] || echo "no update script leads from $version to $(control_version "$1")"
	done
}

# Files of the checkout $1 that have another version than the control file.
disagreeing() {
	local version
	version=$(control_version "$1")
	( cd "$1" || exit
		[ "$(sed '/"meta-spec"/,$d' META.json | grep -c "\"version\": \"$version\.[0-9]")" -eq 2 ] || echo "META.json has not version $version twice"
		head -n 1 debian/changelog | grep -q "^skillrating ($version\.[0-9]" || echo "debian/changelog begins with another version than $version"
		grep -m 1 '^## ' CHANGELOG.md | grep -qE "^## $version( |$)" || echo "CHANGELOG.md begins with another version than $version"
		grep -oE 'skillrating-[0-9]+(\.[0-9]+)+\.zip' docs/*.md README.md test/*.sh | grep -v "skillrating-$version\.[0-9]*\.zip" |
			sed "s/\$/ is no archive of $version/"
		if [ -e "sql/releases/skillrating--$version.sql" ] && grep -q "^## $version (unreleased)" CHANGELOG.md; then
			echo "CHANGELOG.md calls $version unreleased"
		fi )
}

#
# ---- The checks, checked ----
#

# Whether each line that standard input has says the next of these.
says() {
	local found text
	for text; do
		IFS= read -r found
		[[ $found == *"$text"* ]] || { echo "\"$found\" instead of \"$text\""; return; }
	done
	! IFS= read -r found || echo "\"$found\" besides"
}

mkdir -p "$scratch"/made/sql/{releases,updates} "$scratch"/made/{debian,docs,test}
(
	cd "$scratch/made" || exit
	echo "default_version = '2.0'" >skillrating.control
	printf '{ "version": "2.0.1", "provides": { "version": "2.0.1" } }\n' | tr ',' '\n' >META.json
	echo 'skillrating (2.0.1-1) unstable; urgency=medium' >debian/changelog
	printf '%s\n' '# Changelog' '## 2.0 (2030-01-01)' >CHANGELOG.md
	touch README.md docs/a.md test/a.sh
	printf '%s\n' '# Releases' '1.0 a' '1.1 b' '2.0 c' >sql/releases/RELEASES
	for version in 1.0 1.1 2.0; do
		printf '%s\n' "SELECT $version;" "AS 'MODULE_PATHNAME', 'skillrating_enter'" >"sql/releases/skillrating--$version.sql"
	done
	cp sql/releases/skillrating--2.0.sql sql/10-a.sql
	touch sql/updates/skillrating--1.0--1.1.sql sql/updates/skillrating--1.1--2.0.sql
	cd sql/releases && sha256sum skillrating--*.sql ../updates/skillrating--1.0--1.1.sql >SHA256SUMS
)
made=$scratch/made
result "$(changed_scripts "$made"; changed_version "$made"; missing_symbols "$made" skillrating.so; stranded "$made"; disagreeing "$made")" \
	"nothing is said of releases that are right"
echo 'SELECT 1;' >>"$made/sql/10-a.sql"
result "$(changed_version "$made" | says 'raise default_version')" "a released version that changes is found"
echo 'SELECT 2;' >>"$made/sql/releases/skillrating--1.1.sql"
echo 'SELECT 2;' >"$made/sql/releases/skillrating--1.2.sql"
echo 'SELECT 2;' >"$made/sql/updates/skillrating--1.0--1.1.sql"
result "$(changed_scripts "$made" | says 'skillrating--1.1.sql: FAILED' '../updates/skillrating--1.0--1.1.sql: FAILED' 'skillrating--1.2.sql is not in both the directory and SHA256SUMS' \
	'1.2 is not in both the directory and RELEASES')" "a script that changes, and one that nobody released, are found"
cat >>"$made/sql/releases/skillrating--1.0.sql" <<'SQL'
CREATE FUNCTION a.b() RETURNS int AS 'MODULE_PATHNAME', 'skillrating_gone' LANGUAGE C;
        'CREATE FUNCTION skillrating.%I(%%s) RETURNS %s AS ''MODULE_PATHNAME'', ''skillrating_quoted''
SQL
result "$(missing_symbols "$made" skillrating.so | says 'skillrating_gone of skillrating--1.0.sql' 'skillrating_quoted of skillrating--1.0.sql')" \
	"functions that the library lacks are found"
rm "$made/sql/updates/skillrating--1.0--1.1.sql"
result "$(stranded "$made" | says 'from 1.0 to 2.0')" "a release that cannot be updated is found"
echo 'sudo pgxn install ./skillrating-1.0.0.zip' >"$made/docs/a.md"
sed -i 's/2\.0\.1/2.1.0/' "$made/META.json" "$made/debian/changelog"
sed -i 's/^## 2.0.*/## 2.0 (unreleased)/' "$made/CHANGELOG.md"
result "$(disagreeing "$made" | says META.json debian/changelog 'skillrating-1.0.0.zip' unreleased)" "files that disagree on the version are found"

#
# ---- The releases ----
#

count=$(symbols <sql/releases/skillrating--0.9.sql | wc -l)
result "$([ "$count" -gt 150 ] || echo "only $count functions in C")" "the functions in C of a release are found"
result "$(changed_scripts .)" "the install scripts of releases are what was released"
result "$(changed_version .)" "a version that is released does not change"
result "$(missing_symbols . skillrating.so)" "the library has every function in C of every release"
result "$(stranded .)" "every release can be updated"
result "$(disagreeing .)" "all files agree on the version"
exit $status
