-- The page's part about administration: the match that the application reported is taken back.

SELECT $$<h2 id="administrator">As an administrator</h2>
<h3>Voiding a match</h3>
<p>The match of Chelsea and Arsenal that the application reported above never took place. An
administrator takes it back, with a reason that stays in the history. <code>restore_match</code> would
undo that.</p>$$;
\set void 'SELECT skillrating.void_match(''league'', 9001, ''reported by mistake'')'
:void \g /dev/null
SELECT demo.statement(:'void');
SELECT demo.shown($$
SELECT player_id AS club, round(rating_before::numeric, 1) AS before,
    round(rating_after::numeric, 1) AS after
FROM skillrating.catch_up('league') ORDER BY player_id$$, 'Ratings before and after the match was voided, in points');

SELECT $$<h3>Every rating verified</h3>
<p><code>verify</code> rates every match again, and compares every bit with what is stored.</p>$$;
SELECT demo.shown($$
SELECT * FROM skillrating.verify('league')$$, 'Checks of the football ladder');
SELECT demo.require_sound('league') \g /dev/null
SELECT demo.require_sound('premier') \g /dev/null
