/*
 * careful.c
 *		Reading from a source where the rows of some matches raise errors.
 *
 * An error ends the query that raises it, with all rows that it has given, and does not say which
 * match it is about.  So a query that has failed is tried again on halves of its matches, each in a
 * subtransaction: of n matches one that fails costs two queries for each halving, and those that can be
 * read are read once more by whoever asked.
 */
#include "pg/ladder/entry/careful.h"

#include "miscadmin.h"
#include "tcop/dest.h"
#include "utils/builtins.h"

bool
error_is_about_data(int sqlerrcode)
{
	int			category = ERRCODE_TO_CATEGORY(sqlerrcode);

	return category == ERRCODE_DATA_EXCEPTION ||
		category == ERRCODE_INTEGRITY_CONSTRAINT_VIOLATION;
}

/*
 * What is passed on is what a client tries again or what makes all else in the transaction doubtful:
 * to note it down as the fault of a match would hide a deadlock, a cancellation or a full disk.
 */
bool
error_is_bearable(int sqlerrcode)
{
	int			category = ERRCODE_TO_CATEGORY(sqlerrcode);

	return sqlerrcode != ERRCODE_T_R_SERIALIZATION_FAILURE &&
		sqlerrcode != ERRCODE_T_R_DEADLOCK_DETECTED &&
		sqlerrcode != ERRCODE_QUERY_CANCELED &&
		sqlerrcode != ERRCODE_LOCK_NOT_AVAILABLE &&
		category != ERRCODE_INSUFFICIENT_RESOURCES &&
		category != ERRCODE_SYSTEM_ERROR &&
		sqlerrcode != ERRCODE_DATA_CORRUPTED &&
		sqlerrcode != ERRCODE_INDEX_CORRUPTED;
}

/* error_is_bearable(sqlstate) */
SQL_FUNCTION(skillrating_error_is_bearable)
{
	const char *code = text_to_cstring(PG_GETARG_TEXT_PP(0));

	if (strlen(code) != 5)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("invalid SQLSTATE \"%s\"", code)));
	PG_RETURN_BOOL(error_is_bearable(MAKE_SQLSTATE(code[0], code[1], code[2], code[3], code[4])));
}

/* A query on some matches whose rows nobody looks at. */
typedef struct Trial
{
	Ladder	   *ladder;
	LadderQuery *query;
	Datum		ids;			/* an array */
} Trial;

static bool
run_trial(void *arg)
{
	Trial	   *trial = (Trial *) arg;

	(void) ladder_execute(trial->ladder, trial->query, &trial->ids, NULL,
						  None_Receiver);
	return true;
}

int
careful_find(Ladder *ladder, LadderQuery *query, Datum *ids, int n,
			 TakesError takes, SourceError *errors)
{
	Trial		trial = {ladder, query, id_array(ladder->match_type, ids, n)};
	ErrorData  *error;
	bool		done;
	int			half = n / 2;
	int			found;

	CHECK_FOR_INTERRUPTS();
	error = try_in_subtransaction(run_trial, &trial, &done);
	pfree(DatumGetPointer(trial.ids));
	if (error == NULL)
		return 0;
	if (!takes(error->sqlerrcode))
		ReThrowError(error);
	if (n == 1)
		errors[0] = (SourceError) {ids[0], error->sqlerrcode, pstrdup(error->message)};
	FreeErrorData(error);
	if (n == 1)
		return 1;
	found = careful_find(ladder, query, ids, half, takes, errors);
	return found + careful_find(ladder, query, ids + half, n - half, takes,
								errors + found);
}
