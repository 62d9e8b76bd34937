/*
 * work.c
 *		What the tasks of a ladder, which work() does, need of C.
 *
 * The tasks themselves are functions like any other; work_step() in SQL chooses one,
 * under a lock on its row in table work.
 */
#include "pg/sql/glue.h"

#include "utils/builtins.h"
#include "utils/snapmgr.h"

#include "pg/ladder/change_cursor.h"
#include "pg/ladder/door.h"
#include "pg/sql/progress.h"

SKILLRATING_FUNCTION(skillrating_newest_cursor);
SKILLRATING_FUNCTION(skillrating_note_task);

/* What progress() shows of a task before it shows phases of its own. */
static const struct
{
	const char *task;
	WorkPhase	phase;
}			task_phases[] = {
	{"notify", PHASE_NOTIFYING},
	{"settle", PHASE_SETTLING},
	{"trim_changes", PHASE_TRIMMING},
};

/*
 * newest_cursor(ladder): a cursor that has seen all that is committed.  A start of
 * changes() has the same one after all ratings, which here nobody wants.
 */
Datum
skillrating_newest_cursor(PG_FUNCTION_ARGS)
{
	Ladder	   *ladder = ladder_inside(text_to_cstring(PG_GETARG_TEXT_PP(0)), "newest_cursor");
	ChangeCursor cursor = {0};

	PushActiveSnapshot(GetTransactionSnapshot());
	cursor.seen = change_snapshot();
	PopActiveSnapshot();
	PG_RETURN_TEXT_P(cstring_to_text(change_cursor_text(ladder, &cursor)));
}

/* note_task(ladder, task) */
Datum
skillrating_note_task(PG_FUNCTION_ARGS)
{
	const char *task = text_to_cstring(PG_GETARG_TEXT_PP(1));
	int			i;

	(void) ladder_inside(text_to_cstring(PG_GETARG_TEXT_PP(0)), "note_task");
	for (i = 0; i < (int) lengthof(task_phases); i++)
		if (strcmp(task_phases[i].task, task) == 0)
			progress_phase(task_phases[i].phase, PROGRESS_UNKNOWN);
	PG_RETURN_VOID();
}
