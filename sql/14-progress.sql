-- What other sessions can see of long work.

SELECT skillrating_internal.make_function('skillrating.progress', '',
    'TABLE (pid integer, work text, ladder text, phase text, done bigint, total bigint,
        started_at timestamptz, phase_started_at timestamptz)', 'STABLE PARALLEL RESTRICTED ROWS 10',
'Long work of sessions in this database at the moment: a row each, with the process
(pid, as in pg_stat_activity), the function (work: backfill, catch_up, shadow_ladder, solve_ladder,
suggest_model, tune or verify), the ladder (null for tune), what it is doing, how much of that is
done and how much there is to do (null where that is not known), and since when it works and does
this.
The phases are beginning; searching (the source for matches); rating (matches are counted); ordering
(by time, late matches among the others); replaying (places in the order are counted); writing
(rows, where they are many); reading (matches); solving; fitting (evaluations are counted). While
shadow_ladder() makes indexes, pg_stat_progress_create_index has its progress. Nothing waits for it
or is written for it. Roles see the work of those whose rights they have, and work on ladders that
they own; members of pg_read_all_stats see all. Sessions without track_activities show nothing.');
