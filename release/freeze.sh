#!/bin/bash
# Freeze the install script of the version in the control file, and the update script that leads
# to it: from then on they never change.
#
#   release/freeze.sh
#
# `make release` calls this, as the last step before the tag; docs/releasing.md has them all.  It
# writes sql/releases/skillrating--VERSION.sql, the checksums in SHA256SUMS and the line of the release
# in RELEASES, and changes nothing if anything is not ready.

set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

version=$(sed -n "s/^default_version = '\(.*\)'/\1/p" skillrating.control)
last=$(awk '!/^#/ { last = $1 } END { print last }' sql/releases/RELEASES)
wrong=()
[ -z "$(git status --porcelain)" ] || wrong+=("what is not committed would not be in the release")
[ ! -e "sql/releases/skillrating--$version.sql" ] || wrong+=("version $version is released: raise it in skillrating.control")
[ -e "sql/updates/skillrating--$last--$version.sql" ] || wrong+=("no way leads from $last to $version: make update-script")
grep -qE "^## $version \([0-9]{4}-[0-9]{2}-[0-9]{2}\)$" CHANGELOG.md || wrong+=("CHANGELOG.md gives version $version no date")
! head -n 1 debian/changelog | grep -q UNRELEASED || wrong+=("debian/changelog says UNRELEASED")
if [ ${#wrong[@]} -gt 0 ]; then
	printf 'freeze.sh: %s\n' "${wrong[@]}" >&2
	exit 1
fi
cat sql/*.sql >"sql/releases/skillrating--$version.sql"
(cd sql/releases && sha256sum "skillrating--$version.sql" "../updates/skillrating--$last--$version.sql" >>SHA256SUMS)
echo "$version $(git rev-parse HEAD) $(date -u +%Y-%m-%d)" >>sql/releases/RELEASES
git --no-pager diff --stat -- sql/releases
echo "Version $version is frozen: commit sql/releases, and tag that commit."
