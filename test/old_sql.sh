#!/bin/bash
# Check that the library of today serves the functions of every release, as it does for all
# sessions that connect between the installation of new files and ALTER EXTENSION UPDATE.
#
#   test/cluster.sh bash test/old_sql.sh
#
# For each release in sql/releases, its own regression tests run on its own install script and the
# library of today; the wording of messages may differ.  With OLD_LIBRARY=yes, which `make
# test-release` sets, its own library is built too: a session that has loaded that one goes on
# before and after another session updates the extension, and every function of today is called on
# it: it works or fails with an error, and never crashes.  The files of a release are those of its
# commit in RELEASES; where neither git nor RELEASE_ARCHIVES has them, that is said as "not run".
# Prints one line for each check, "ok NAME" or "not ok NAME", and fails if any check does.
#
# Environment:
#   RELEASE_TESTS     names of regression tests, or "all", with the isolation tests (default: a few)
#   RELEASE_ARCHIVES  directory with skillrating-VERSION.tar, in place of the history of git
#   OLD_LIBRARY       "yes" for the tests of old libraries, which are built for that

set -euo pipefail
root=$(realpath -- "$(dirname -- "${BASH_SOURCE[0]}")/..")
# shellcheck source=test/common.sh
source "$root/test/common.sh"
title=old_sql
failed=0
scratch=$(mktemp -d)
databases=(old_sql_session old_sql_calls)
roles=(old_sql_app)
clear_all() {
	local name
	for name in "${databases[@]}"; do psql -qX -d postgres -c "DROP DATABASE IF EXISTS $name WITH (FORCE)" 2>/dev/null; done
	for name in "${roles[@]}"; do psql -qX -d postgres -c "DROP ROLE IF EXISTS $name" 2>/dev/null; done
}
trap 'rm -rf "$scratch"; clear_all' EXIT
cd "$root"
pg_config=${PG_CONFIG:-pg_config}
make=${MAKE:-make}
extensions=$CLUSTER_DIRECTORY/stage$("$pg_config" --sharedir)/extension
library=$CLUSTER_DIRECTORY/stage$("$pg_config" --pkglibdir)/skillrating.so
today=$(sed -n "s/^default_version = '\(.*\)'/\1/p" skillrating.control)
few="elo_functions ladder_api ladder_corrections ladder_documents ladder_left_behind ladder_source rate_window"
tests=${RELEASE_TESTS:-$few}

if ! grep -q stage "$CLUSTER_DIRECTORY/extension.conf" || [ ! -e "$extensions/skillrating.control" ]; then
	echo "not run old_sql: it takes a server that finds the staged extension"
	exit 0
fi

# Which version CREATE EXTENSION makes.
install_version() { sed -i "s/^default_version = .*/default_version = '$1'/" "$extensions/skillrating.control"; }

# In place of the library, so that it is another file, and sessions keep the one they have.
install_library() { cp "$1" "$library.next" && mv "$library.next" "$library"; }

# The files of release $1, whose commit is $2, in $scratch/$1.
fetch_release() {
	mkdir -p "$scratch/$1"
	if [ -n "${RELEASE_ARCHIVES:-}" ] && [ -e "$RELEASE_ARCHIVES/skillrating-$1.tar" ]; then
		tar -x -C "$scratch/$1" -f "$RELEASE_ARCHIVES/skillrating-$1.tar"
	elif [ -e .git ] && git cat-file -e "$2^{commit}" 2>/dev/null; then
		git archive "$2" | tar -x -C "$scratch/$1"
	else
		return 1
	fi
	# The control file of the first release has the number of the next.
	sed -i "s/^default_version = .*/default_version = '$1'/" "$scratch/$1/skillrating.control"
}

#
# ---- The old functions on the library of today ----
#

# The regression tests of release $1 that are to run, without the exceptions.
tests_of() {
	local name
	for name in $([ "$tests" = all ] && cd "$scratch/$1/test/sql" && printf '%s\n' *.sql | sed 's/\.sql$//' || echo "$tests"); do
		if grep -q "^$1 $name " sql/releases/EXCEPTIONS; then
			echo "not run old_sql: $1: $name: $(sed -n "s/^$1 $name //p" sql/releases/EXCEPTIONS)" >&2
		else
			echo "$name"
		fi
	done
}

# Whether a file of results differs from what is expected in the wording of messages alone: that
# may change in any version, and tests of the release see the severity of each message still.
worded_otherwise() {
	diff -q <(without_wording "$1/expected/$2.out") <(without_wording "$1/results/$2.out") >/dev/null 2>&1
}
without_wording() { sed -E '/^(DETAIL|HINT|CONTEXT|QUERY|LINE [0-9]+):/d; s/^((psql:[^ ]+: )?(ERROR|WARNING|NOTICE|INFO)):.*/\1/' "$1"; }

# pg_regress says "test NAME ... ok" up to version 15, and "ok N - NAME" after.
run_tests() {
	local version=$1 kind=$2 names=$3 name
	"$make" -s -C "$scratch/$version" "PG_CONFIG=$pg_config" with_llvm=no REGRESS= ISOLATION= "$kind=$names" installcheck >"$scratch/log" 2>&1 || :
	for name in $names; do
		check "$version: its test $name passes on the library of today" \
			"$(grep -qE "^test $name +\.\.\. ok|^ok [0-9]+ +- $name " "$scratch/log" || worded_otherwise "$scratch/$version" "$name" && echo t || echo failed)"
	done
	[ ! -s "$scratch/$version/regression.diffs" ] || head -n 200 "$scratch/$version/regression.diffs"
	rm -f "$scratch/$version/regression.diffs"
}

#
# ---- Sessions with the old library ----
#

# A session that stays, which reads statements from descriptor 8; its output is $scratch/said.
begin_session() {
	mkfifo "$scratch/session"
	psql -qXAt -d old_sql_session <"$scratch/session" >"$scratch/said" 2>&1 &
	session=$!
	exec 8>"$scratch/session"
	rm "$scratch/session"
}

# Have it do what standard input says, and wait until it has; what it says is printed.
in_session() {
	local end
	end="done $(wc -l <"$scratch/said")"
	{ cat; echo "SELECT '$end';"; } >&8
	until grep -qxF "$end" "$scratch/said"; do
		kill -0 "$session" 2>/dev/null || { echo "the session has ended"; return; }
		sleep 0.05
	done
	awk -v end="$end" '$0 == end { printf "%s", answer } { answer = answer $0 "\n" } /^done [0-9]+$/ { answer = "" }' "$scratch/said"
}

# Whether each line on standard input is as it should be.
all_t() { ! grep -qvx t; }

# What an application does, a line "t" for each; $1 is a number that is different each time.
use() {
	cat <<-SQL
		SELECT count(*) = 2 FROM skillrating.report_match('arena', 100 * $1, ARRAY[$1, $1 + 1], ARRAY[1, 2], ARRAY[1, 2]);
		INSERT INTO arena.match (match_id) VALUES (100 * $1 + 1);
		INSERT INTO arena.match_player (match_id, player_id, team, rank) VALUES (100 * $1 + 1, 1, 1, 1), (100 * $1 + 1, 2, 2, 2);
		SELECT status = 'rated' FROM arena.rated_match WHERE match_id = 100 * $1 + 1;
		UPDATE arena.match_player SET rank = 3 - rank WHERE match_id = 100 * $1 + 1;
		SELECT count(*) > 0 FROM skillrating.catch_up('arena');
		SELECT bool_and(ok) FROM skillrating.verify('arena');
		SELECT count(*) > 1 FROM skillrating.leaderboard('arena');
		SELECT skillrating.elo_win_probability(1600, 1500) > 0.5;
	SQL
}

sessions() {
	local version=$1 answer
	psql -qX -v ON_ERROR_STOP=1 -d postgres -c 'CREATE DATABASE old_sql_session'
	install_library "$scratch/$version/skillrating.so"
	install_version "$version"
	begin_session
	answer=$({ echo "CREATE EXTENSION skillrating; SELECT skillrating.create_ladder('arena', 'elo') IS NOT NULL;"; use 1; } | in_session)
	check "$version: a session uses the old library" "$([ -n "$answer" ] && all_t <<<"$answer" && echo t || echo "$answer")"
	install_library "$scratch/today.so"
	install_version "$today"
	answer=$(use 2 | in_session)
	check "$version: it goes on once the new files are installed" "$(all_t <<<"$answer" && echo t || echo "$answer")"
	answer=$(use 3 | psql -qXAt -d old_sql_session 2>&1)
	check "$version: a new session works with the old functions" "$(all_t <<<"$answer" && echo t || echo "$answer")"
	ask -d old_sql_session -c 'ALTER EXTENSION skillrating UPDATE'
	answer=$(use 4 | in_session)
	check "$version: the old session goes on after the update" "$(all_t <<<"$answer" && echo t || echo "$answer")"
	answer=$(use 5 | psql -qXAt -d old_sql_session 2>&1)
	check "$version: a new session works after the update" "$(all_t <<<"$answer" && echo t || echo "$answer")"
	answer=$(echo "SELECT skillrating.upgrade_ladder('arena');" | in_session)
	check "$version: the old session works with a new function or says why not" \
		"$([ -z "$answer" ] || grep -qE 'could not find function|is not known to ' <<<"$answer" && echo t || echo "$answer")"
	# A ladder with a format that the old library must not work past.
	ask -d old_sql_session -c 'UPDATE arena.ladder SET format_version = 1000'
	answer=$(echo "SELECT count(*) FROM skillrating.verify('arena'); INSERT INTO arena.match (match_id) VALUES (1);
		INSERT INTO arena.match_player (match_id, player_id, team, rank) VALUES (1, 1, 1, 1), (1, 2, 2, 2);" | in_session)
	check "$version: the old session refuses a ladder of a format that it does not know" \
		"$([ "$(grep -c 'ERROR: .* format ' <<<"$answer")" -eq 2 ] && echo t || echo "$answer")"
	exec 8>&-
	wait "$session" || :
	psql -qX -d postgres -c 'DROP DATABASE old_sql_session'
}

# Every function of today, called by everybody with arguments of all kinds, on the old library:
# whatever it answers, the server stays.  New sessions would have the new library.
calls() {
	local version=$1 name
	psql -qX -v ON_ERROR_STOP=1 -d postgres -c 'CREATE DATABASE old_sql_calls'
	ask -d old_sql_calls -c 'CREATE EXTENSION skillrating'
	install_library "$scratch/$version/skillrating.so"
	for name in leaves_nothing ladder_hostile; do
		psql -qX -d old_sql_calls -f "test/sql/$name.sql" >"$scratch/$name" 2>&1 || :
		check "$version: functions of today answer on the old library ($name)" \
			"$([ "$(wc -l <"$scratch/$name")" -gt 20 ] && ! grep -q 'server closed the connection\|lost synchronization' "$scratch/$name" &&
			ask -c "SELECT true" && ! grep -q 'was terminated by signal' "$CLUSTER_DIRECTORY/server.log" || tail -n 5 "$scratch/$name")"
	done
	psql -qX -d postgres -c 'DROP DATABASE old_sql_calls WITH (FORCE)'
	install_library "$scratch/today.so"
}

cp "$library" "$scratch/today.so"
while read -r version commit _; do
	[[ -n $version && $version != \#* ]] || continue
	if ! fetch_release "$version" "$commit"; then
		echo "not run old_sql: $version: its files are neither in the history of git nor in RELEASE_ARCHIVES"
		continue
	fi
	names=$(tests_of "$version" 2>"$scratch/exceptions")
	cat "$scratch/exceptions"
	install_version "$version"
	run_tests "$version" REGRESS "$(tr '\n' ' ' <<<"$names")"
	[ "$tests" != all ] || run_tests "$version" ISOLATION \
		"$(cd "$scratch/$version/test/specs" && printf '%s\n' *.spec | sed 's/\.spec$//' | tr '\n' ' ')"
	install_version "$today"
	[ "${OLD_LIBRARY:-}" = yes ] || continue
	if ! "$make" -s -j"$(nproc)" -C "$scratch/$version" "PG_CONFIG=$pg_config" with_llvm=no >"$scratch/build" 2>&1; then
		tail -n 20 "$scratch/build"
		check "$version: its library is built" f
		continue
	fi
	sessions "$version"
	calls "$version"
done <sql/releases/RELEASES
exit $failed
