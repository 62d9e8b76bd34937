#!/bin/bash
# Run a command in another release of Debian, on a system of which nothing stays.
#
#   test/chroot.sh SUITE COMMAND [ARGS...]
#
# SUITE is bookworm (PostgreSQL 15), trixie (17) or sid (18 and later).  Its system is made
# with debootstrap when it is missing, with all that the tests of versions and packages
# need, and kept for the next time.  COMMAND runs as root in a copy on write of it, in
# namespaces of its own: what it changes, mounts or starts is gone when it ends, however
# that comes about.  The files of this checkout, without what is built, are in /src there,
# owned by the user "tester".  The status is COMMAND's, or 77, after a line
# "skipped: REASON", if such a system cannot be had on this machine.
#
# Environment:
#   SKILLRATING_CHROOTS  directory of the systems that are kept, some 2 GB each
#                        (default: skillrating in XDG_CACHE_HOME, or else in /var/cache)
#   CHROOT_UPDATE        "yes" brings the system up to date first, which matters for sid
#   CHROOT_SHARE         directory that COMMAND sees as /share, and may write into

set -euo pipefail

# What the packages of any suite are built, checked and tested with, and what
# test/run.sh asks for; "all" is the PostgreSQL that the suite has.
packages="build-essential debhelper devscripts fakeroot lintian autopkgtest git"
packages+=" postgresql postgresql-server-dev-all clang libcmocka-dev libipc-run-perl"

skip() { echo "skipped: $*"; exit 77; }

[ $# -ge 2 ] || { echo "usage: $0 SUITE COMMAND [ARGS...]" >&2; exit 2; }
suite=$1
shift
checkout=$(realpath -- "$(dirname -- "${BASH_SOURCE[0]}")/..")
chroots=${SKILLRATING_CHROOTS:-${XDG_CACHE_HOME:-/var/cache}/skillrating}

[ "$(id -u)" -eq 0 ] || skip "only root can make a system of $suite"
command -v unshare >/dev/null || skip "there is no unshare (of util-linux)"
unshare --mount --pid --fork true 2>/dev/null || skip "this machine allows no namespaces"
mkdir -p "$chroots"
chroots=$(realpath -- "$chroots")
system=$chroots/$suite

# Debian's packages must start no server of their own.  Settings of apt such as a proxy
# hold inside too.
configure() {
	printf '#!/bin/sh\nexit 101\n' >"$1/usr/sbin/policy-rc.d"
	chmod +x "$1/usr/sbin/policy-rc.d"
	mkdir -p "$1/etc/postgresql-common/createcluster.d"
	echo "create_main_cluster = false" >"$1/etc/postgresql-common/createcluster.d/tests.conf"
	apt-config dump --no-empty Acquire 2>/dev/null |
		grep -E '^Acquire::(Check-|[a-z]+::Proxy|Retries)' >"$1/etc/apt/apt.conf.d/90host" || :
}

# Install what is missing in the directory $1, in namespaces of its own.
fill() {
	[ ! -e /etc/resolv.conf ] || cp -L /etc/resolv.conf "$1/etc/resolv.conf"
	# shellcheck disable=SC2016,SC2086 # a program of the inner shell; a list of words
	unshare --mount --pid --fork --kill-child sh -euc '
		mount -t proc proc "$1/proc"
		root=$1
		shift
		export DEBIAN_FRONTEND=noninteractive
		chroot "$root" apt-get -q update
		chroot "$root" apt-get -q -y dist-upgrade
		chroot "$root" apt-get -q -y install --no-install-recommends "$@"
		chroot "$root" apt-get clean
	' sh "$1" $packages
	chroot "$1" id tester >/dev/null 2>&1 || chroot "$1" useradd -m -s /bin/bash tester
	echo "$packages" >"$1/etc/skillrating_packages"
}

# A system that is only half there has another name, and is made again.
make_system() {
	command -v debootstrap >/dev/null || test/prerequisites.sh debootstrap >&2 ||
		skip "there is no debootstrap"
	rm -rf --one-file-system "$system.new"
	debootstrap --variant=minbase "$suite" "$system.new" >"$chroots/$suite.log" 2>&1 || return
	configure "$system.new"
	fill "$system.new" >>"$chroots/$suite.log" 2>&1 || return
	mv "$system.new" "$system"
}

# Whether the system is there, with all packages.
is_ready() { [ "$(cat "$system/etc/skillrating_packages" 2>/dev/null)" = "$packages" ]; }

prepare() {
	local what
	if [ ! -d "$system" ]; then
		what="no system of $suite could be made"
		echo "chroot.sh: making a system of $suite in $system" >&2
		make_system && return
	else
		what="the system of $suite could not be brought up to date"
		configure "$system"
		fill "$system" >"$chroots/$suite.log" 2>&1 && return
	fi
	tail -n 5 "$chroots/$suite.log" >&2
	skip "$what, see $chroots/$suite.log"
}

cd "$checkout"
# Nobody may change the system while it is in use.
exec 9>"$chroots/$suite.lock"
flock -s 9
if [ "${CHROOT_UPDATE:-}" = yes ] || ! is_ready; then
	flock 9
	if [ "${CHROOT_UPDATE:-}" = yes ] || ! is_ready; then prepare; fi
	flock -s 9
fi

scratch=$(mktemp -d "$chroots/run.XXXXXX")
trap 'rm -rf --one-file-system "$scratch"' EXIT
trap 'exit 129' HUP
trap 'exit 130' INT
trap 'exit 143' TERM
mkdir "$scratch"/{upper,work,root}

# What git knows and what it would not ignore; the archive of make dist has only that.
mkdir "$scratch/upper/src"
if [ -e .git ]; then
	git -c safe.directory='*' ls-files -z --cached --others --exclude-standard |
		while IFS= read -r -d '' file; do [ ! -e "$file" ] || printf '%s\0' "$file"; done |
		tar -c --null -T - -f -
else
	tar -c --exclude='*.o' --exclude='*.so' --exclude='*.bc' --exclude=./results --exclude=./build -f - .
fi | tar -x -C "$scratch/upper/src"
tester=$(chroot "$system" id -u tester):$(chroot "$system" id -g tester)
chown -R "$tester" "$scratch/upper/src"

# The first process of the namespaces is this shell; with it go all others.
# shellcheck disable=SC2016 # a program of the inner shell
unshare --mount --pid --fork --kill-child bash -euc '
	system=$1 scratch=$2 share=$3
	shift 3
	root=$scratch/root
	mount -t overlay overlay -o "lowerdir=$system,upperdir=$scratch/upper,workdir=$scratch/work" "$root"
	mount -t proc proc "$root/proc"
	mount -t tmpfs -o size=512m tmpfs "$root/dev/shm"
	mount -t devpts -o newinstance,ptmxmode=0666 devpts "$root/dev/pts" || :
	if [ -n "$share" ]; then
		mkdir -p "$root/share"
		mount --bind "$share" "$root/share"
	fi
	status=0
	env -i PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin HOME=/root \
		LC_ALL=C.UTF-8 DEBIAN_FRONTEND=noninteractive \
		chroot "$root" sh -c "cd /src && exec \"\$@\"" sh "$@" || status=$?
	exit "$status"
' bash "$system" "$scratch" "${CHROOT_SHARE:-}" "$@" 9>&-
