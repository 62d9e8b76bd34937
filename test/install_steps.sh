#!/bin/bash
# What test/install.sh does in one suite of Debian, as root on a system of which nothing
# stays: it installs and purges, so never run it on another.
#
#   test/install_steps.sh SUITE

set -uo pipefail
suite=$1
[ -e /etc/skillrating_packages ] || { echo "not a system of test/chroot.sh" >&2; exit 1; }
page=/src/docs/install.md
failed=0
major=$(pg_config --version | sed -E 's/^PostgreSQL ([0-9]+).*/\1/')
export PG_CONFIG=/usr/lib/postgresql/$major/bin/pg_config

check() {
	if [ "$2" -eq 0 ]; then echo "ok install: $suite, $1"; else echo "not ok install: $suite, $1"; failed=1; fi
}

# The commands of the section of the page with that heading: its indented blocks, without
# those of SQL.
commands() {
	awk -v heading="$1" '
		/^##+ / { inside = substr($0, index($0, " ") + 1) == heading; next }
		!/^    / { block = 0; next }
		!block { block = /^    (CREATE|ALTER|DROP|SELECT) / ? 2 : 1 }
		inside && block == 1 { print substr($0, 5) }
	' "$page"
}

# Run the commands of sections, one after the other in one shell, in a directory.  Whoever is
# root needs no sudo.
follow() {
	local directory=$1 heading
	shift
	{
		echo 'sudo() { "$@"; }'
		for heading; do
			commands "$heading" | grep . || echo "echo 'no commands in: $heading'; exit 1"
		done
	} >/tmp/commands
	cat /tmp/commands
	(cd "$directory" && MAKEFLAGS="-j$(nproc)" "${as[@]}" bash -eu /tmp/commands)
}
as=()
as_tester=(setpriv --reuid=tester --regid=tester --init-groups -- env HOME=/home/tester)

# Whether a server can make the extension, on a cluster of a user who is no superuser of this
# machine, and whether a ladder rates.
works() {
	"${as_tester[@]}" pg_virtualenv -v "$major" psql -qXAt -v ON_ERROR_STOP=1 -c 'CREATE EXTENSION skillrating' \
		-c "SELECT skillrating.create_ladder('arena', 'elo')" \
		-c "SELECT count(*) FROM skillrating.report_match('arena', 1, ARRAY[1, 2], ARRAY[1, 2], ARRAY[1, 2])" \
		>/tmp/works 2>&1 && grep -qx 2 /tmp/works && return
	cat /tmp/works
	return 1
}

left() { find "$($PG_CONFIG --sharedir)" "$($PG_CONFIG --pkglibdir)" -name '*skillrating*'; }

# Before anything is installed, a look whether works() can fail.
status=0
works >/dev/null && status=1
[ -z "$(left)" ] || status=1
check "the extension is not there at first" "$status"

as=("${as_tester[@]}")
status=0
follow /src "Without root" \
	"$([ "$major" -ge 18 ] && echo "PostgreSQL 18 and later" || echo "PostgreSQL 15 to 17, as Debian builds them")" \
	"The server" || status=$?
"${as[@]}" "$($PG_CONFIG --bindir)/pg_ctl" -D /home/tester/cluster -m immediate stop || status=1
[ -z "$(left)" ] || { left; status=1; }
check "without root" "$status"
as=()

status=0
follow /src "From source" || status=$?
works || status=1
check "from source" "$status"

status=0
follow /src "Removing" || status=$?
# No empty directory of bitcode counts, but no file may stay.
left=$(left)
[ -z "$left" ] || { echo "$left"; status=1; }
works >/dev/null && status=1
check "removing it" "$status"

# The lines that the image runs; the directory is as in the image.
status=0
sed -n 's/^RUN //p' /src/docker/Dockerfile >/tmp/run
[ "$(wc -l </tmp/run)" -ge 3 ] || status=1
PG_MAJOR=$major bash -eu /tmp/run || status=$?
cp -a /install/. / && works || status=1
(cd /install && find . -type f -exec rm "/{}" \;)
rm -r /install
check "the commands of the Dockerfile" "$status"

# A checkout is a repository, which the copy in this system is not.
cp -r /src /root/checkout
(cd /root/checkout && make -s clean with_llvm=no && git init -q && git add -A &&
	git -c user.name=tester -c user.email=tester@example.org commit -q -m all) || exit 1
status=0
follow /root/checkout "From an archive of PGXN's format" || status=$?
works || status=1
pgxn uninstall --yes /root/checkout/skillrating-1.0.0.zip || status=1
left=$(find "$($PG_CONFIG --sharedir)" "$($PG_CONFIG --pkglibdir)" -name '*skillrating*' -type f)
[ -z "$left" ] || { echo "$left"; status=1; }
check "from an archive, by PGXN's client" "$status"

mkdir /root/package
cp -r /root/checkout /root/package/skillrating
status=0
follow /root/package/skillrating "A package for Debian or Ubuntu" || status=$?
works || status=1
apt-get -q -y purge "postgresql-$major-skillrating" || status=1
check "a package" "$status"
exit $failed
