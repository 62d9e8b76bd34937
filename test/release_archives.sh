#!/bin/bash
# Write the files of each release into a directory, as skillrating-VERSION.tar.
#
#   test/release_archives.sh DIRECTORY
#
# They are those of the commits in sql/releases/RELEASES.  Where the history of git lacks one, as
# in an archive, nothing is written for it, and who wants it says "not run".

set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
[ -e .git ] && command -v git >/dev/null || exit 0
while read -r version commit _; do
	[[ -n $version && $version != \#* ]] || continue
	! git -c safe.directory='*' cat-file -e "$commit^{commit}" 2>/dev/null ||
		git -c safe.directory='*' archive --output="$1/skillrating-$version.tar" "$commit"
done <sql/releases/RELEASES
