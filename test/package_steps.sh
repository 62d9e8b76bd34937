#!/bin/bash
# What test/packages.sh does in one suite of Debian, as root on a system of which nothing
# stays: it builds, installs and purges packages, so never run it on another.
#
#   test/package_steps.sh SUITE TESTS
#
# TESTS is "all" or "one", the regression tests of autopkgtest.  Packages are copied to /share.

set -euo pipefail
suite=$1
tests=$2
[ -e /etc/skillrating_packages ] || { echo "not a system of test/chroot.sh" >&2; exit 1; }
failed=0

check() {
	if [ "$2" -eq 0 ]; then echo "ok packages: $suite, $1"; else echo "not ok packages: $suite, $1"; failed=1; fi
}

as_tester() { setpriv --reuid=tester --regid=tester --init-groups -- env HOME=/home/tester "$@"; }
as_postgres() { setpriv --reuid=postgres --regid=postgres --init-groups -- psql -qXAt -v ON_ERROR_STOP=1 "$@"; }

#
# ---- Build ----
#

version=$(dpkg-parsechangelog -l debian/changelog -S Version)
upstream=${version%-*}
build=/home/tester/build
as_tester mkdir "$build"
as_tester cp -r /src "$build/skillrating-$upstream"
as_tester tar -C "$build" --exclude=debian -czf "$build/skillrating_$upstream.orig.tar.gz" "skillrating-$upstream"
cd "$build/skillrating-$upstream"
# autopkgtest has the tests, on what is installed.
status=0
as_tester env DEB_BUILD_OPTIONS="nocheck parallel=$(nproc)" DEB_BUILD_PROFILES=nocheck \
	dpkg-buildpackage -us -uc 2>&1 || status=$?
check "source and binary packages are built out of tree" "$status"
[ "$status" -eq 0 ] || exit 1
major=$(pg_buildext supported-versions | tail -n 1)
name=postgresql-$major-skillrating
deb=$(echo "$build/${name}_${version}"_*.deb)
cp "$build"/*.deb /share/

# An older lintian does not know the current version of Debian's policy.
status=0
as_tester lintian --display-info --pedantic --fail-on error,warning \
	--suppress-tags newer-standards-version "$build"/*.changes || status=$?
check "lintian finds neither errors nor warnings" "$status"

dpkg-deb -c "$deb" | awk '$1 !~ /^d/ { print $6 }' | sed 's/^\.//' >/tmp/content
cat /tmp/content
status=0
for file in "/usr/lib/postgresql/$major/lib/skillrating.so" \
	"/usr/lib/postgresql/$major/lib/bitcode/skillrating.index.bc" \
	"/usr/lib/postgresql/$major/lib/bitcode/skillrating/src/core/models/elo.bc" \
	"/usr/share/postgresql/$major/extension/skillrating.control" \
	"/usr/share/postgresql/$major/extension/skillrating_queue.control" \
	"/usr/share/postgresql/$major/extension/skillrating--${upstream%.*}.sql"; do
	grep -qxF "$file" /tmp/content || { echo "no $file"; status=1; }
done
! grep -vE "^/usr/(lib|share)/postgresql/$major/|^/usr/share/(doc|lintian/overrides)/$name(/|$)" /tmp/content || status=1
check "the package has library, bitcode and scripts, and nothing elsewhere" "$status"

#
# ---- Install, use, upgrade, purge ----
#

# The release before is the same package under another number.
mkdir /tmp/old
dpkg-deb -R "$deb" /tmp/old/root
sed -i "s/^Version: .*/Version: 0~$version/" /tmp/old/root/DEBIAN/control
old_deb=/tmp/old/old.deb
dpkg-deb --root-owner-group -b /tmp/old/root "$old_deb" >/dev/null

status=0
apt-get -q -y install "$old_deb" || status=$?
check "apt installs the release before" "$status"
pg_createcluster "$major" main -- --no-sync >/dev/null
pg_ctlcluster "$major" main start
as_postgres -c "CREATE ROLE anna LOGIN" -c "CREATE DATABASE game OWNER anna"
cat >/tmp/begin.sql <<'SQL'
SET ROLE anna;
CREATE EXTENSION skillrating;
SELECT skillrating.create_ladder('arena', 'elo');
SELECT count(*) FROM generate_series(1, 50) AS n,
	LATERAL skillrating.report_match('arena', n, ARRAY[n % 7, n % 5 + 10], ARRAY[1, 2], ARRAY[1, 2]);
SQL
status=0
as_postgres -d game -f /tmp/begin.sql >/dev/null || status=$?
check "a role that is no superuser creates the extension and a ladder" "$status"

mkfifo /tmp/session
as_postgres -d game -f /tmp/session >/tmp/session.out 2>&1 &
session=$!
exec 8>/tmp/session
echo "SELECT count(*) FROM skillrating.leaderboard('arena', 12);" >&8
until [ -s /tmp/session.out ]; do kill -0 "$session"; sleep 0.1; done
status=0
apt-get -q -y install "$deb" || status=$?
[ "$(dpkg-query -W -f '${Version}' "$name")" = "$version" ] || status=1
check "apt upgrades it while a session has the library loaded" "$status"
echo "SELECT count(*) FROM skillrating.report_match('arena', 51, ARRAY[1, 10], ARRAY[1, 2], ARRAY[1, 2]);" >&8
exec 8>&-
status=0
wait "$session" || status=$?
[ "$(cat /tmp/session.out)" = $'12\n2' ] || { cat /tmp/session.out; status=1; }
[ "$(as_postgres -d game -c "SELECT games > 0 FROM skillrating.leaderboard('arena') LIMIT 1")" = t ] || status=1
check "that session goes on, and a new one reads what it wrote" "$status"
status=0
[ "$(as_postgres -d game -c "SELECT bool_and(ok) FROM skillrating.verify('arena')")" = t ] || status=1
check "verify() after the upgrade" "$status"

dpkg -L "$name" | while read -r file; do [ -d "$file" ] || echo "$file"; done >/tmp/files
status=0
apt-get -q -y purge "$name" || status=$?
while read -r file; do [ ! -e "$file" ] || { echo "$file is left"; status=1; }; done </tmp/files
[ ! -e "/usr/lib/postgresql/$major/lib/bitcode/skillrating" ] || status=1
! dpkg-query -W -f '${db:Status-Status}' "$name" 2>/dev/null | grep -q '^installed\|^config-files' || status=1
check "purging it leaves no file" "$status"
status=0
as_postgres -d game -c "SELECT count(*) FROM arena.match" || status=$?
message=$(as_postgres -d game -c "SELECT skillrating.verify('arena')" 2>&1) && status=1
grep -q 'could not access file ".*skillrating"' <<<"$message" || { echo "$message"; status=1; }
check "without it tables can be read, and calls say which library is missing" "$status"
pg_dropcluster --stop "$major" main

#
# ---- autopkgtest ----
#

makevars=
[ "$tests" = all ] || makevars="REGRESS=elo_functions ISOLATION="
status=0
autopkgtest --env="MAKEVARS=$makevars" "$deb" "$build"/*.dsc -- null || status=$?
check "autopkgtest passes ($tests)" "$status"
exit $failed
