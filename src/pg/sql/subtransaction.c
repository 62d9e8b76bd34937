/*
 * subtransaction.c
 *		Work that can be taken back.
 */
#include "pg/sql/subtransaction.h"

#include "access/xact.h"
#include "utils/memutils.h"
#include "utils/resowner.h"

ErrorData *
try_in_subtransaction(bool (*work) (void *), void *arg, bool *done)
{
	MemoryContext context = CurrentMemoryContext;
	ResourceOwner owner = CurrentResourceOwner;
	ErrorData  *volatile error = NULL;
	volatile bool good = false;

	BeginInternalSubTransaction(NULL);

	/*
	 * The subtransaction has made a context of its own current; what the work
	 * returns belongs to the caller.
	 */
	MemoryContextSwitchTo(context);
	PG_TRY();
	{
		good = work(arg);
	}
	PG_CATCH();
	{
		/* The copy is the caller's: it outlives the subtransaction. */
		MemoryContextSwitchTo(context);
		error = CopyErrorData();
		FlushErrorState();
	}
	PG_END_TRY();
	if (good)
		ReleaseCurrentSubTransaction();
	else
		RollbackAndReleaseCurrentSubTransaction();
	MemoryContextSwitchTo(context);
	CurrentResourceOwner = owner;
	*done = good;
	return error;
}

bool
in_subtransaction(bool (*work) (void *), void *arg, TakesError takes)
{
	bool		done;
	ErrorData  *error = try_in_subtransaction(work, arg, &done);

	if (error == NULL)
		return done;
	if (takes == NULL || !takes(error->sqlerrcode))
		ReThrowError(error);
	FreeErrorData(error);
	return false;
}
