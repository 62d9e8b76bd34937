/*
 * careful.c
 *		Reading from a source where the rows of some matches raise errors.
 */
#include "pg/ladder/careful.h"

#include "access/xact.h"
#include "miscadmin.h"
#include "tcop/dest.h"
#include "utils/memutils.h"
#include "utils/resowner.h"

/* Take an error over, unless it is none of the data, or raise it again. */
static void
take_error(ErrorData *data, SourceError *error)
{
	int			category = ERRCODE_TO_CATEGORY(data->sqlerrcode);

	if (category != ERRCODE_DATA_EXCEPTION &&
		category != ERRCODE_INTEGRITY_CONSTRAINT_VIOLATION)
		ReThrowError(data);
	error->match_id = (Datum) 0;
	error->sqlstate = pstrdup(unpack_sql_state(data->sqlerrcode));
	error->message = psprintf("error %s in the source: %s", error->sqlstate,
							  data->message);
	FreeErrorData(data);
}

bool
careful_do(void (*work) (void *), void *arg, SourceError *error)
{
	MemoryContext context = CurrentMemoryContext;
	ResourceOwner owner = CurrentResourceOwner;
	volatile bool done = false;

	BeginInternalSubTransaction(NULL);
	MemoryContextSwitchTo(context);
	PG_TRY();
	{
		work(arg);
		ReleaseCurrentSubTransaction();
		MemoryContextSwitchTo(context);
		CurrentResourceOwner = owner;
		done = true;
	}
	PG_CATCH();
	{
		ErrorData  *data;

		MemoryContextSwitchTo(context);
		data = CopyErrorData();
		FlushErrorState();
		RollbackAndReleaseCurrentSubTransaction();
		MemoryContextSwitchTo(context);
		CurrentResourceOwner = owner;
		take_error(data, error);
	}
	PG_END_TRY();
	return done;
}

bool
in_subtransaction(bool (*work) (void *), void *arg)
{
	MemoryContext context = CurrentMemoryContext;
	ResourceOwner owner = CurrentResourceOwner;
	ErrorData  *volatile error = NULL;
	volatile bool done = false;

	BeginInternalSubTransaction(NULL);
	MemoryContextSwitchTo(context);
	PG_TRY();
	{
		done = work(arg);
	}
	PG_CATCH();
	{
		MemoryContextSwitchTo(context);
		error = CopyErrorData();
		FlushErrorState();
	}
	PG_END_TRY();
	if (done)
		ReleaseCurrentSubTransaction();
	else
		RollbackAndReleaseCurrentSubTransaction();
	MemoryContextSwitchTo(context);
	CurrentResourceOwner = owner;
	if (error != NULL)
		ReThrowError(error);
	return done;
}

/* A query on some matches whose rows nobody looks at. */
typedef struct Trial
{
	Ladder	   *ladder;
	LadderQuery *query;
	Datum		ids;			/* an array */
} Trial;

static void
run_trial(void *arg)
{
	Trial	   *trial = (Trial *) arg;

	(void) ladder_execute(trial->ladder, trial->query, &trial->ids, NULL,
						  None_Receiver);
}

int
careful_find(Ladder *ladder, LadderQuery *query, Datum *ids, int n,
			 SourceError *errors)
{
	Trial		trial = {ladder, query, id_array(ladder->match_type, ids, n)};
	bool		readable;
	int			half = n / 2;
	int			found;

	CHECK_FOR_INTERRUPTS();
	readable = careful_do(run_trial, &trial, &errors[0]);
	pfree(DatumGetPointer(trial.ids));
	if (readable)
		return 0;
	if (n == 1)
	{
		errors[0].match_id = ids[0];
		return 1;
	}
	found = careful_find(ladder, query, ids, half, errors);
	return found + careful_find(ladder, query, ids + half, n - half,
								errors + found);
}
