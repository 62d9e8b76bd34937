/*
 * failures.c
 *		Matches that could not be rated because of an error that is not about their data.
 *
 * They wait in table pending, with the cause.  The client that has brought a match learns of the
 * error by a warning.  Its message comes from code that runs with the rights of the ladder's
 * owner, and may have data in it: whoever may not read it in pending sees the SQLSTATE alone,
 * unless the error is about rights or missing objects.
 */
#include "pg/ladder/arrive/failures.h"

#include "common/hashfn.h"
#include "miscadmin.h"
#include "utils/acl.h"
#include "utils/builtins.h"

#include "pg/ladder/arrive/pending.h"
#include "pg/ladder/entry/entry.h"
#include "pg/ladder/rate/notices.h"
#include "pg/sql/once.h"

/* So many rows of pending are written by one query, whose arrays must fit into memory. */
#define WRITTEN_AT_ONCE 10000

static bool
same_cause(const Failure *a, const Failure *b)
{
	return a->sqlerrcode == b->sqlerrcode &&
		(a->message == b->message || strcmp(a->message, b->message) == 0);
}

void
failures_add(Failures *failures, Ladder *ladder, Datum match_id, int sqlerrcode,
			 const char *message, const char *hint)
{
	MemoryContext old = MemoryContextSwitchTo(failures->context);
	Failure    *failure;

	huge_array_grow_for_next(failures->failure, Failure, failures->n, failures->room);
	failure = &failures->failure[failures->n++];
	failure->match_id = id_copy(ladder->match_type, match_id);
	failure->sqlerrcode = sqlerrcode;
	failure->message = clip_message(message);
	failure->hint = hint != NULL && sqlerrcode == ERRCODE_INSUFFICIENT_PRIVILEGE ?
		clip_message(hint) : NULL;

	/* Thousands with the same cause share its text. */
	if (failures->n > 1 && same_cause(&failure[-1], failure))
	{
		pfree(failure->message);
		failure->message = failure[-1].message;
	}
	MemoryContextSwitchTo(old);
}

/*
 * ---- Warnings ----
 */

/* Whether this is the first time that the session meets a cause, which it is no more after. */
static bool
is_new_cause(const Ladder *ladder, const Failure *failure)
{
	uint64		hash = hash_bytes_extended((const unsigned char *) failure->message,
										   (int) strlen(failure->message),
										   (uint64) ladder->schema);

	return first_in_session(hash_combine64(hash, (uint64) failure->sqlerrcode));
}

/* Errors whose messages name objects of the database, and no data. */
static bool
is_about_objects(int sqlerrcode)
{
	return sqlerrcode == ERRCODE_INSUFFICIENT_PRIVILEGE ||
		sqlerrcode == ERRCODE_UNDEFINED_FUNCTION ||
		sqlerrcode == ERRCODE_UNDEFINED_TABLE ||
		sqlerrcode == ERRCODE_UNDEFINED_COLUMN ||
		sqlerrcode == ERRCODE_UNDEFINED_OBJECT;
}

bool
may_see_message(const Ladder *ladder, const char *sqlstate, Oid role)
{
	/* The owner can write anything into the column that it comes from. */
	bool		about_objects = strlen(sqlstate) == 5 &&
		is_about_objects(MAKE_SQLSTATE(sqlstate[0], sqlstate[1], sqlstate[2], sqlstate[3],
									   sqlstate[4]));

	return about_objects ||
		pg_class_aclcheck(ladder->relation[LADDER_PENDING], role, ACL_SELECT) == ACLCHECK_OK;
}

/* The cause of a failure, as far as the client may see it, who alone gets warnings. */
static int
cause_detail(const Ladder *ladder, int sqlerrcode, const char *message)
{
	const char *sqlstate = unpack_sql_state(sqlerrcode);

	errdetail_log("Error %s: %s.", sqlstate, message);
	if (may_see_message(ladder, sqlstate, GetOuterUserId()))
		return errdetail("Error %s: %s.", sqlstate, message);
	return errdetail("Error %s.", sqlstate);
}

/* What would mend it. */
static int
remedy_hint(const Ladder *ladder, const Failure *failure)
{
	const char *name = quote_literal_cstr(ladder->name);

	if (failure->sqlerrcode == ERRCODE_INSUFFICIENT_PRIVILEGE)
		return errhint("%s Then SELECT skillrating.catch_up(%s) rates what waits.",
					   failure->hint != NULL ? failure->hint : owner_lacks_hint(ladder->owner), name);
	if (is_about_objects(failure->sqlerrcode))
		return errhint("Restore what is missing; then SELECT skillrating.catch_up(%s) rates what waits.",
					   name);
	return errhint("Remove the cause; then SELECT skillrating.catch_up(%s) rates what waits. See skillrating.ladder_status(%s).",
				   name, name);
}

/* Warn of one failure of n. */
static void
warn_of(Ladder *ladder, const Failure *failure, int n)
{
	const char *match = clip_match(ladder, failure->match_id);

	ereport(WARNING,
			(n == 1 ?
			 errmsg("match %s of ladder \"%s\" could not be rated, and waits", match, ladder->name) :
			 errmsg("%d matches of ladder \"%s\" could not be rated, and wait, such as %s", n,
					ladder->name, match),
			 cause_detail(ladder, failure->sqlerrcode, failure->message),
			 remedy_hint(ladder, failure)));
}

/*
 * The failure to warn of: the first by its identifier of those with the first cause that is new to
 * the session, or, if loud, with any.  NULL if there is none.  All causes are known then.
 */
static const Failure *
find_reported(const Ladder *ladder, const Failures *failures, bool loud)
{
	const Failure *reported = NULL;
	int			i;

	for (i = 0; i < failures->n; i++)
	{
		const Failure *failure = &failures->failure[i];

		if (reported != NULL && same_cause(failure, reported))
		{
			if (id_compare(ladder->match_type, failure->match_id, reported->match_id) < 0)
				reported = failure;
		}
		else if ((is_new_cause(ladder, failure) || loud) && reported == NULL)
			reported = failure;
	}
	return reported;
}

void
failures_send(Ladder *ladder, const Failures *failures, bool loud)
{
	const Failure *reported;
	int			i;

	for (i = 0; i < failures->n; i += WRITTEN_AT_ONCE)
		write_failed(ladder, &failures->failure[i], Min(failures->n - i, WRITTEN_AT_ONCE));
	reported = find_reported(ladder, failures, loud);
	if (reported != NULL)
		warn_of(ladder, reported, failures->n);
}

void
warn_of_unfilled_mirror(const Ladder *ladder, const char *table, const ErrorData *error)
{
	ereport(WARNING,
			(errmsg("new rows of table \"%s\" did not get the ratings of ladder \"%s\", which it mirrors",
					table, ladder->name),
			 cause_detail(ladder, error->sqlerrcode, clip_message(error->message)),
			 errhint("Remove the cause; then skillrating.mirror_rating() writes all ratings.")));
}
