#!/bin/sh
# Install what building and testing need and the system lacks, through apt.
#
#   test/prerequisites.sh [PACKAGE...]
#
# Needed are a C compiler, make, and a PostgreSQL server (15 or later) with
# its headers; PACKAGEs are Debian packages wanted besides.  An installed
# PostgreSQL is used when PG_CONFIG, or pg_config, leads to one, else the
# newest installed server gets its headers, else Debian's default version is
# installed.  When nothing is missing, nothing is said or done.

set -eu

oldest=15
pg_config=${PG_CONFIG:-pg_config}
sudo=
apart=
dropin=
dropin_dir=/etc/postgresql-common/createcluster.d
made_dropin_dir=
log=

say() { echo "prerequisites: $*"; }
die() { say "$*" >&2; exit 1; }
by_hand() { echo "install by hand (these are Debian's names): ${missing# }"; }

# The one version that PG_CONFIG asks for, or the newest server there is, or
# the one that the distribution offers; empty when even that is not known,
# because the package lists were never fetched.
choose_major() {
	major=
	case $pg_config in
		pg_config) ;;
		/usr/lib/postgresql/*/bin/pg_config)
			major=${pg_config#/usr/lib/postgresql/}
			major=${major%%/*}
			return ;;
		*) die "PG_CONFIG=$pg_config does not lead to PostgreSQL $oldest or later with server headers" ;;
	esac
	for postgres in /usr/lib/postgresql/*/bin/postgres; do
		[ -x "$postgres" ] || continue
		version=${postgres#/usr/lib/postgresql/}
		version=${version%%/*}
		[ "$version" -lt "${major:-$oldest}" ] || major=$version
	done
	[ -n "$major" ] || major=$(LC_ALL=C apt-cache policy postgresql 2>/dev/null |
		sed -n 's/^ *Candidate: *\([0-9]*\)[^0-9].*/\1/p')
}

# Set $missing to the packages to install and $major to the PostgreSQL version.
look() {
	missing='' major='' bindir='' headers='' pgxs=''
	# Several options in one call, because every call costs some milliseconds.
	if answer=$("$pg_config" --version --bindir --includedir-server --pgxs 2>/dev/null); then
		{ read -r major; read -r bindir; read -r headers; read -r pgxs; } <<-EOF
			$answer
		EOF
		major=$(expr "$major" : 'PostgreSQL \([0-9]*\)' || :)
	fi
	if [ "${major:-0}" -lt "$oldest" ] || [ ! -f "$headers/postgres.h" ] || [ ! -f "$pgxs" ]; then
		choose_major
		[ "${major:-$oldest}" -ge "$oldest" ] ||
			die "PostgreSQL $oldest or later is needed, not $major; for newer packages see https://wiki.postgresql.org/wiki/Apt"
		# Without a known version the meta-packages' names must do.
		missing="postgresql-server-dev-${major:-all}"
		bindir=/usr/lib/postgresql/$major/bin
	fi
	if [ ! -x "$bindir/postgres" ] || [ ! -x "$bindir/psql" ]; then
		missing="postgresql${major:+-$major}${missing:+ $missing}"
	fi
	command -v make >/dev/null || missing="$missing make"
	# gcc only recommends the C library's headers, so that they must be named.
	command -v gcc >/dev/null && [ -f /usr/include/stdio.h ] || missing="$missing gcc libc6-dev"
	[ $# -gt 0 ] || return 0
	if command -v dpkg-query >/dev/null; then
		installed=$(dpkg-query -W -f '${db:Status-Status} ${Package}\n' "$@" 2>/dev/null || :)
		for package; do
			echo "$installed" | grep -qxF "installed $package" || missing="$missing $package"
		done
	elif [ -z "$missing" ]; then
		say "there is no dpkg to ask whether these are installed: $*" >&2
	fi
}

clean_up() {
	trap '' HUP INT TERM
	[ -z "$dropin" ] || $sudo rm -f "$dropin"
	[ -z "$made_dropin_dir" ] || $sudo rmdir "$dropin_dir" 2>/dev/null || :
	[ -z "$log" ] || rm -f "$log"
}

# Apt's many lines are only of interest when it fails.
apt() {
	# shellcheck disable=SC2086 # $sudo and $apart are lists of words
	$sudo env DEBIAN_FRONTEND=noninteractive NEEDRESTART_SUSPEND=1 \
		$apart apt-get -q -y -o DPkg::Lock::Timeout=300 "$@" >"$log" 2>&1 </dev/null
}

# Fetching may be interrupted, but dpkg, which would leave packages half
# installed, shall not see Ctrl-C: it gets a session of its own.
install_packages() {
	apt install --no-install-recommends --download-only "$@" || return
	( trap '' HUP INT QUIT; apart='setsid -w'; apt install --no-install-recommends "$@" )
}

look "$@"
[ -n "$missing" ] || exit 0

command -v apt-get >/dev/null || die "there is no apt-get here; $(by_hand)"
if [ "$(id -u)" -ne 0 ]; then
	# sudo may only ask for a password where there is someone to give it.
	if command -v sudo >/dev/null && { [ -t 0 ] || sudo -n true 2>/dev/null; }; then
		sudo=sudo
	else
		die "neither root nor able to use sudo; $(by_hand)"
	fi
fi

trap clean_up EXIT
trap 'exit 129' HUP
trap 'exit 130' INT
trap 'exit 143' TERM
log=$(mktemp)

say "missing: ${missing# }"
say "fetching apt's package lists"
# One unreachable source must not stop what the others can deliver.
apt update || say "apt-get update failed in part: $(tail -n 1 "$log")" >&2
look "$@"

# Debian's packages would create and start a cluster named "main".  A file in
# this directory, there for as long as apt runs, turns that off and leaves the
# administrator's own createcluster.conf alone.
[ -d "$dropin_dir" ] || made_dropin_dir=yes
$sudo mkdir -p "$dropin_dir"
dropin=$dropin_dir/zz-prerequisites-$$.conf
echo "create_main_cluster = false" | $sudo tee "$dropin" >/dev/null
$sudo chmod 644 "$dropin"
conf=/etc/postgresql-common/createcluster.conf
if [ -f "$conf" ] && command -v pg_conftool >/dev/null; then
	create=$(pg_conftool "$conf" show -bs create_main_cluster 2>/dev/null || :)
	[ "$create" = off ] || die "cannot keep apt from creating a cluster ($conf does not include $dropin_dir); $(by_hand)"
fi

say "installing with apt: ${missing# } (and what they need; this can take some minutes)"
# shellcheck disable=SC2086 # a list of words
if ! install_packages $missing; then
	tail -n 30 "$log" >&2
	die "apt-get failed; $(by_hand)"
fi
look "$@"
[ -z "$missing" ] || die "still missing after the installation: ${missing# }"
say "PostgreSQL $major and all else that is needed is installed"
