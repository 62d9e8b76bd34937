-- Why matches do not count.

SELECT skillrating_internal.make_function('skillrating.reasons', '',
    'TABLE (reason text, mistake boolean, description text, remedy text, notice boolean)', 'IMMUTABLE PARALLEL SAFE ROWS 50',
'All reasons why a match does not count, as rated_match, rate(), tune() and others have them.
reason: the code, which later versions keep.  mistake: whether it is one in the rows of the match,
which is an error where strict is true.
description: what it means.  remedy: what can be done about it, a sentence.
notice: whether the first match of a session that comes to a ladder and does not count for the
reason raises a notice, unless skillrating.unrated_notices is off. Not where somebody has decided so
(the source, an operation, a rule of eligibility), and not where the match is rated later.');
