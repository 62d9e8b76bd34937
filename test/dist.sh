#!/bin/bash
# Test the archive of a release: that `make dist` makes the same bytes of the same commit,
# that META.json is what PGXN's specification asks for, and that what is in it can be built in
# another directory and installed below one, into the same files as in the source tree.
#
#   test/dist.sh
#
# The archive is of what is committed.  The library has to be built before, to compare with.

set -uo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.." || exit 1
source=$PWD
make=${MAKE:-make}
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
failed=0

check() {
	if [ "$2" -eq 0 ]; then echo "ok dist: $1"; else echo "not ok dist: $1"; failed=1; fi
}

if [ ! -e .git ] || ! command -v git >/dev/null || ! command -v unzip >/dev/null; then
	echo "not run dist: it takes a checkout of git, git and unzip"
	exit 0
fi

# What is wrong with the META.json in the directory $1, by version 1.0.0 of the specification.
# shellcheck disable=SC2016 # a program of perl
wrong_meta() {
	perl -MJSON::PP -e '
		my ($directory) = @ARGV;
		open my $file, "<", "$directory/META.json" or die;
		my $meta = eval { decode_json(join "", <$file>) } or die "no JSON: $@";
		my $version = qr/^(0|[1-9]\d*)\.(0|[1-9]\d*)\.(0|[1-9]\d*)(-[0-9A-Za-z.-]+)?$/;
		my %licenses = map { $_ => 1 } qw(agpl_3 apache_1_1 apache_2_0 artistic_1 artistic_2 bsd
			freebsd gfdl_1_2 gfdl_1_3 gpl_1 gpl_2 gpl_3 lgpl_2_1 lgpl_3_0 mit mozilla_1_0 mozilla_1_1
			openssl perl_5 postgresql qpl_1_0 ssleay sun zlib open_source restricted unrestricted unknown);
		my %known = map { $_ => 1 } qw(abstract license maintainer meta-spec name provides version
			description generated_by no_index prereqs release_status resources tags);
		sub wrong { print "META.json: @_\n" }
		for (qw(abstract license maintainer meta-spec name provides version)) {
			wrong("no $_") unless defined $meta->{$_};
		}
		for (keys %$meta) { wrong("unknown $_") unless $known{$_} || /^x_/i }
		wrong("name") unless $meta->{name} =~ /^[^\s\\\/[:cntrl:]]{2,}$/;
		wrong("version") unless $meta->{version} =~ $version;
		wrong("license") unless !ref $meta->{license} && $licenses{$meta->{license}};
		wrong("meta-spec") unless $meta->{"meta-spec"}{version} eq "1.0.0";
		wrong("release_status") unless ($meta->{release_status} // "stable") =~ /^(stable|testing|unstable)$/;
		wrong("provides nothing") unless ref $meta->{provides} eq "HASH" && %{$meta->{provides}};
		for my $name (keys %{$meta->{provides}}) {
			my $extension = $meta->{provides}{$name};
			wrong("$name: version") unless $extension->{version} =~ $version;
			for (grep { defined $extension->{$_} || $_ eq "file" } qw(file docfile)) {
				wrong("$name: $_ $extension->{$_} is not there") unless -f "$directory/$extension->{$_}";
			}
		}
		for my $phase (keys %{$meta->{prereqs} // {}}) {
			wrong("phase $phase") unless $phase =~ /^(configure|build|test|runtime|develop|x_.*)$/i;
			for my $relation (values %{$meta->{prereqs}{$phase}}) {
				for (keys %$relation) {
					wrong("version of $_") unless $relation->{$_} eq "0" || $relation->{$_} =~ $version;
				}
			}
		}
		wrong("tags") if grep { ref || length > 255 || m{[/\\\x00-\x1f]} } @{$meta->{tags} // []};
	' "$1"
}

#
# ---- The archive ----
#

git clone -q "$source" "$scratch/clone"
(cd "$scratch/clone" && git checkout -q --detach "$(git -C "$source" rev-parse HEAD)")
mkdir "$scratch/first" "$scratch/second"
status=0
(cd "$scratch/first" && "$make" -s -f "$source/Makefile" dist 2>/dev/null) || status=$?
(cd "$scratch/second" && umask 077 && TZ=Asia/Kathmandu "$make" -s -f "$scratch/clone/Makefile" dist) || status=$?
archive=$(cd "$scratch/first" && echo *.zip)
cmp "$scratch/first/$archive" "$scratch/second/$archive" || status=1
check "two checkouts of a commit make the same archive, byte for byte" "$status"

unzip -q "$scratch/first/$archive" -d "$scratch"
root=$scratch/${archive%.zip}
version=${archive#skillrating-}
version=${version%.zip}
wrong=$(wrong_meta "$root" 2>&1)
[ -z "$wrong" ] || echo "$wrong"
check "META.json is valid" "${#wrong}"

# Mistakes that it must find.
mkdir "$scratch/wrong"
sed -e 's/"license": .*/"license": "secret",/; s/"version": "1/"version": "one/; s/"tags"/"labels"/' \
	"$root/META.json" >"$scratch/wrong/META.json"
found=$(wrong_meta "$scratch/wrong" 2>&1)
status=0
for what in license 'unknown labels' 'skillrating: version' 'is not there'; do
	grep -qF "$what" <<<"$found" || { echo "not found: $what"; status=1; }
done
check "mistakes in META.json are found" "$status"

extension=$(sed -n "s/^default_version = '\(.*\)'/\1/p" "$root/skillrating.control")
status=0
[ "${version%.*}" = "$extension" ] || { echo "META.json has $version, the extension $extension"; status=1; }
grep -q "^## $extension\b" "$root/CHANGELOG.md" || { echo "CHANGELOG.md has no $extension"; status=1; }
[ "$(sed -n '1s/.*(\(.*\)-[^-]*).*/\1/p' "$root/debian/changelog")" = "$version" ] || { echo "debian/changelog"; status=1; }
! grep -rohE 'skillrating-[0-9]+(\.[0-9]+)+\.zip' "$root/README.md" "$root/docs" | grep -vxF "$archive" || status=1
check "all files agree on the version" "$status"

#
# ---- A build elsewhere ----
#

chmod -R a-w "$root"
mkdir "$scratch/build"
status=0
(cd "$scratch/build" && "$make" -s -j2 -f "$root/Makefile" VPATH="$root" with_llvm=no &&
	"$make" -s -f "$root/Makefile" VPATH="$root" with_llvm=no install DESTDIR="$scratch/elsewhere") || status=$?
"$make" -s with_llvm=no install DESTDIR="$scratch/here" || status=$?
diff <(cd "$scratch/here" && find . -type f | sort) <(cd "$scratch/elsewhere" && find . -type f | sort) || status=1
[ "$(find "$scratch/here" -name 'skillrating--*.sql' -exec basename {} \;)" = "skillrating--$extension.sql" ] || status=1
check "it is built in another directory, and installs the same files" "$status"
names() { nm -D --defined-only "$(find "$1" -name skillrating.so)" | awk '{ print $3 }'; }
status=0
[ -n "$(names "$scratch/here")" ] || status=1
diff <(names "$scratch/here") <(names "$scratch/elsewhere") || status=1
if [ -z "$(git status --porcelain -- sql skillrating.control)" ]; then
	diff -r -x '*.so' "$scratch/here" "$scratch/elsewhere" || status=1
fi
check "with the same symbols and scripts" "$status"
chmod -R u+w "$root"
exit $failed
