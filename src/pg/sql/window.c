/*
 * window.c
 *		What window functions need to know of the window that they are called over.
 */
#include "pg/sql/window.h"

#include "executor/executor.h"
#include "nodes/execnodes.h"
#include "nodes/plannodes.h"

/*
 * The beginning of the server's struct, which is private there: nothing else
 * tells how the window was written.  It has begun like this since window
 * functions exist (version 8.4), and what is found is checked.
 */
typedef struct WindowObjectHead
{
	NodeTag		type;
	WindowAggState *winstate;
} WindowObjectHead;

void
check_window(WindowObject window, const WindowMessages *messages)
{
	WindowAggState *state = ((WindowObjectHead *) window)->winstate;

	if (state == NULL || !IsA(state, WindowAggState) ||
		!IsA(state->ss.ps.plan, WindowAgg))
		elog(ERROR, "%s() does not find its window", messages->function);
	if (((WindowAgg *) state->ss.ps.plan)->ordNumCols == 0)
		ereport(ERROR,
				(errcode(ERRCODE_WINDOWING_ERROR),
				 errmsg("%s() needs ORDER BY in its window", messages->function),
				 errdetail_internal("%s", messages->order_detail),
				 errhint("%s", messages->order_hint)));
	if (state->frameOptions & FRAMEOPTION_NONDEFAULT)
		ereport(ERROR,
				(errcode(ERRCODE_WINDOWING_ERROR),
				 errmsg("%s() takes no frame clause", messages->function),
				 errdetail_internal("%s", messages->frame_detail),
				 errhint("%s", messages->frame_hint)));
}
