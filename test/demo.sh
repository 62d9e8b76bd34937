#!/bin/bash
# Run the demo on the cluster that test/cluster.sh has started, and check its page, which goes
# elsewhere: build/demo.html stays as it is.
#
#   test/cluster.sh bash test/demo.sh [SCREENSHOTS]
#
# All that can be counted is: the parts of the page, its links, captions, titles of axes, and the
# sentences about calibration, which must come from the data.  Where chromium is installed, the
# page must fit a phone and a desktop; the directory SCREENSHOTS receives pictures of both.  Prints
# "ok demo: ..." and "not ok demo: ..." lines, and fails if any check does.

set -uo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.." || exit 1
scratch=$(mktemp -d)
database=skillrating_demo
clear_all() {
	rm -rf "$scratch"
	psql -qX -d postgres -c "DROP DATABASE IF EXISTS $database" 2>/dev/null
}
trap clear_all EXIT
failed=0
# check NAME STATUS [WHAT IS WRONG]
check() {
	if [ "$2" -eq 0 ]; then
		echo "ok demo: $1"
	else
		[ -z "${3:-}" ] || echo "$3"
		echo "not ok demo: $1"
		failed=1
	fi
}
# The same by what is wrong, which must be nothing.
nothing() { check "$1" "${#2}" "$2"; }

page=$scratch/page/demo.html
before=$(stat -c '%Y %s' build/demo.html 2>/dev/null)
psql -qX -d postgres -c "CREATE DATABASE $database"
PGDATABASE=$database REPORT=$page demo/run.sh >"$scratch/log" 2>&1
status=$?
[ $status -eq 0 ] || cat "$scratch/log"
check "it runs" $status
[ -s "$page" ] || exit 1

[ "$before" = "$(stat -c '%Y %s' build/demo.html 2>/dev/null)" ]
check "build/demo.html is left alone" $?
! "${MAKE:-make}" -n clean KEEP=build | grep -qE ' build( |$)'
check "cleaning between the builds of tests leaves it alone too" $?

# Sections and links.
missing=
for part in application analyst trigger administrator next; do
	[ "$(grep -c "<h2 id=\"$part\">" "$page")" -eq 1 ] || missing="$missing $part"
done
nothing "it has the four parts, and the next step" "$missing"
nothing "each link within the page leads somewhere" "$(
	grep -oE 'href="#[a-z]+"' "$page" | cut -d'"' -f2 | while read -r link; do
		grep -q "id=\"${link#\#}\"" "$page" || echo "$link"
	done)"
nothing "each link to a file leads to one" "$(
	grep -oE 'href="[^#"][^"]*"' "$page" | cut -d'"' -f2 | while read -r link; do
		[ -e "$scratch/page/${link%%#*}" ] || echo "$link"
	done)"

# Pictures and captions.
pictures=$(grep -c '<svg ' "$page")
[ "$pictures" -ge 6 ]
check "it has pictures: $pictures" $?
for axis in x y; do
	[ "$(grep -cE "class=\"middle $axis-title\"[^>]*>[^<]+</text>" "$page")" -eq "$pictures" ]
	check "each picture has a title on its $axis axis" $?
done
nothing "no heading or caption comes twice" "$(
	grep -oE '<(h[1-3]|figcaption)[^>]*>[^<]*|class="title">[^<]*' "$page" | sed 's/^[^>]*>//' | sort | uniq -d)"
[ "$(grep -c '<figcaption>' "$page")" -eq "$(grep -c '<table>' "$page")" ]
check "each table has a caption" $?
[ "$(grep -c '<div class="scroll" tabindex="0"><table>' "$page")" -eq "$(grep -c '<table>' "$page")" ]
check "each table scrolls in its own box" $?

# Sentences about calibration, in which characters of no width, or of a fixed one, forbid breaks.
sentences=$(grep '<p class="calibration">' "$page" | sed 's/\xE2\x81\xA0//g; s/\xC2\xA0/ /g')
[ "$(grep -cE 'forecasts of [A-Za-z_]+ are (not )?well calibrated: of the [0-9]+ matches given 60–70 %, [0-9.]+ % were won\. .* largest deviation.* in the group [0-9]+–[0-9]+ %, where [0-9.]+ % were won instead of [0-9.]+ %, which is [0-9.]+ standard errors' <<<"$sentences")" -eq 3 ]
check "it says of each model whether its forecasts are calibrated" $? "$sentences"
# 1000 forecasts in each of ten groups, as good as their outcomes are: exact, or off in one group.
judge() {
	PGCLIENTENCODING=UTF8 psql -qXAt -d "$database" -c "SELECT demo.calibration_sentence('test', skillrating.calibration(p, (i < n)::int::float8, 10))
		FROM (SELECT (g + 0.5) / 10 AS p, 100 * g + 50 + CASE WHEN g = 6 THEN $1 ELSE 0 END AS n FROM generate_series(0, 9) AS g) AS q, generate_series(0, 999) AS i"
}
good=$(judge -10)
[[ $good == *"are well calibrated: of the 1000 matches given 60–70 %, 64.0 % were won. No group deviates beyond chance;"*"60–70 %, where 64.0 % were won instead of 65.0 %, which is 0.7 standard errors"* ]]
check "forecasts that deviate by chance are called calibrated" $? "$good"
bad=$(judge 60)
[[ $bad == *"are not well calibrated: of the 1000 matches given 60–70 %, 71.0 % were won. The largest deviation beyond chance is in the group 60–70 %, where 71.0 % were won instead of 65.0 %, which is 4.0 standard errors"* ]]
check "forecasts that deviate by more are not" $? "$bad"

# The page as a browser shows it, in a frame, because windows have a least width.
chromium=${CHROMIUM:-$(command -v chromium)}
if [ -z "$chromium" ]; then
	echo "not run demo: there is no chromium"
	exit $failed
fi
{
	echo '<!DOCTYPE html><html><body style="margin:0"><iframe id="frame" style="border:0;width:100px;height:12000px" srcdoc="'
	sed 's/&/\&amp;/g; s/"/\&quot;/g' "$page"
	cat <<-'END'
		"></iframe><script>
		frame.onload = () => {
			const d = frame.contentDocument, widths = [];
			for (const width of [320, 360, 768, 1280]) {
				frame.style.width = width + 'px';
				const texts = [...d.querySelectorAll('svg text')].map((t) => parseFloat(frame.contentWindow.getComputedStyle(t).fontSize) *
					t.ownerSVGElement.getBoundingClientRect().width / t.ownerSVGElement.viewBox.baseVal.width);
				const cut = [...d.querySelectorAll('svg text')].filter((t) => {
					const box = t.getBoundingClientRect(), all = t.ownerSVGElement.getBoundingClientRect();
					return box.left < all.left - 1 || box.right > all.right + 1 || box.top < all.top - 1 || box.bottom > all.bottom + 1;
				});
				widths.push(width + ' scroll ' + (d.documentElement.scrollWidth - width) + ' small ' + texts.filter((size) => size < 10).length +
					' cut ' + cut.map((t) => t.textContent).join(','));
			}
			document.body.dataset.widths = widths.join(';');
		};
		</script></body></html>
	END
} >"$scratch/frame.html"
browse() { timeout 60 "$chromium" --headless --no-sandbox --disable-gpu --hide-scrollbars "$@" 2>/dev/null; }
widths=$(browse --window-size=1400,12000 --dump-dom "file://$scratch/frame.html" | grep -oE 'data-widths="[^"]*"' | cut -d'"' -f2 | tr ';' '\n')
if [ -n "${1:-}" ]; then
	mkdir -p "$1"
	for width in 360 1280; do
		sed "s/width:100px/width:${width}px/; s/\[320, 360, 768, 1280\]/[$width]/" "$scratch/frame.html" >"$scratch/frame_$width.html"
		browse --window-size="$width,12000" --screenshot="$1/demo_$width.png" "file://$scratch/frame_$width.html" >/dev/null
	done
fi
while read -r width _ scroll _ small _ cut; do
	[ "$scroll" -le 0 ]
	check "at $width pixels, nothing scrolls sideways but what is in boxes" $? "$scroll pixels too wide"
	if [ "$width" -ge 360 ]; then
		[ "$small" -eq 0 ]
		check "at $width pixels, the words in pictures can be read" $? "$small are too small"
	fi
	nothing "at $width pixels, no word of a picture is cut" "$cut"
done <<<"$widths"
[ "$(grep -c scroll <<<"$widths")" -eq 4 ]
check "a browser shows the page" $?
exit $failed
