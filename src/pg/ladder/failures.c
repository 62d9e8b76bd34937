/*
 * failures.c
 *		Matches that could not be rated because of an error that is not about their data.
 *
 * They wait in table pending, with the cause.  The client that has brought a match learns of the
 * error by a warning.  Its message comes from code that runs with the rights of the ladder's
 * owner, and may have data in it: whoever may not read it in pending sees the SQLSTATE alone,
 * unless it is of the class of rights and missing objects (42), whose messages name objects.
 */
#include "pg/ladder/failures.h"

#include "common/hashfn.h"
#include "mb/pg_wchar.h"
#include "miscadmin.h"
#include "utils/acl.h"
#include "utils/builtins.h"
#include "utils/datum.h"

#include "pg/ladder/pending.h"
#include "pg/sql/huge.h"

/* Of a message so many bytes are kept. */
#define MAX_MESSAGE 1000

/* So many rows of pending are written by one query, whose arrays must fit into memory. */
#define WRITTEN_AT_ONCE 10000

Failures
failures_make(void)
{
	Failures	failures = {NULL, 0, 0, CurrentMemoryContext};

	return failures;
}

/* The beginning of a text that ends at a character. */
static char *
clip_text(const char *text)
{
	Size		length = strnlen(text, 2 * MAX_MESSAGE);

	return pnstrdup(text, pg_mbcliplen(text, (int) length, MAX_MESSAGE));
}

void
failures_add(Failures *failures, Ladder *ladder, Datum match_id, int sqlerrcode,
			 const char *message)
{
	const IdType *type = ladder->match_type;
	MemoryContext old = MemoryContextSwitchTo(failures->context);
	Failure    *failure;

	if (failures->n == failures->room)
	{
		failures->room = Max(2 * failures->room, 8);
		huge_array_grow(failures->failure, Failure, failures->room);
	}
	failure = &failures->failure[failures->n++];
	failure->match_id = datumCopy(match_id, type->typbyval, type->typlen);
	failure->sqlerrcode = sqlerrcode;
	failure->message = clip_text(message);

	/* Thousands with the same cause share its text. */
	if (failures->n > 1 && strcmp(failure[-1].message, failure->message) == 0)
	{
		pfree(failure->message);
		failure->message = failure[-1].message;
	}
	MemoryContextSwitchTo(old);
}

bool
error_ends_transaction(int sqlerrcode)
{
	int			category = ERRCODE_TO_CATEGORY(sqlerrcode);

	return sqlerrcode == ERRCODE_T_R_SERIALIZATION_FAILURE ||
		sqlerrcode == ERRCODE_T_R_DEADLOCK_DETECTED ||
		sqlerrcode == ERRCODE_QUERY_CANCELED ||
		sqlerrcode == ERRCODE_LOCK_NOT_AVAILABLE ||
		category == ERRCODE_INSUFFICIENT_RESOURCES ||
		category == ERRCODE_SYSTEM_ERROR ||
		sqlerrcode == ERRCODE_DATA_CORRUPTED ||
		sqlerrcode == ERRCODE_INDEX_CORRUPTED;
}

/*
 * ---- Warnings ----
 */

/* So many causes are remembered; an older one is warned of again. */
#define NCAUSES 256

/* Hashes of those that this session has warned of.  Nothing else outlives a call. */
static uint64 warned_of[NCAUSES];
static int	nwarned = 0;

static uint64
cause_hash(const Ladder *ladder, const Failure *failure)
{
	uint64		hash = hash_bytes_extended((const unsigned char *) failure->message,
										   (int) strlen(failure->message),
										   (uint64) ladder->schema);

	return hash_combine64(hash, (uint64) failure->sqlerrcode);
}

/* Whether this is the first time that the session meets a cause, which it is no more after. */
static bool
is_new_cause(const Ladder *ladder, const Failure *failure)
{
	uint64		hash = cause_hash(ladder, failure);
	int			i;

	for (i = 0; i < Min(nwarned, NCAUSES); i++)
		if (warned_of[i] == hash)
			return false;
	warned_of[nwarned % NCAUSES] = hash;

	/* Kept between NCAUSES and twice that once it is full. */
	nwarned++;
	if (nwarned == 2 * NCAUSES)
		nwarned = NCAUSES;
	return true;
}

/* Whether the client may see the message. */
static bool
may_see_message(const Ladder *ladder, const Failure *failure)
{
	return ERRCODE_TO_CATEGORY(failure->sqlerrcode) ==
		ERRCODE_SYNTAX_ERROR_OR_ACCESS_RULE_VIOLATION ||
		pg_class_aclcheck(ladder->relation[LADDER_PENDING], GetOuterUserId(),
						  ACL_SELECT) == ACLCHECK_OK;
}

/* What would mend it. */
static int
remedy_hint(const Ladder *ladder, const Failure *failure)
{
	const char *name = quote_literal_cstr(ladder->name);

	switch (failure->sqlerrcode)
	{
		case ERRCODE_INSUFFICIENT_PRIVILEGE:
			return errhint("Grant role \"%s\", who owns the ladder, what it lacks; then SELECT skillrating.catch_up(%s) rates what waits.",
						   GetUserNameFromId(ladder->owner, false), name);
		case ERRCODE_UNDEFINED_FUNCTION:
		case ERRCODE_UNDEFINED_TABLE:
		case ERRCODE_UNDEFINED_COLUMN:
		case ERRCODE_UNDEFINED_OBJECT:
			return errhint("Restore what is missing; then SELECT skillrating.catch_up(%s) rates what waits.",
						   name);
		default:
			return errhint("Remove the cause; then SELECT skillrating.catch_up(%s) rates what waits. See skillrating.ladder_status(%s).",
						   name, name);
	}
}

/* Warn of one failure of n. */
static void
warn_of(Ladder *ladder, const Failure *failure, int n)
{
	const char *match = clip_text(id_text(ladder->match_type, failure->match_id));
	const char *sqlstate = unpack_sql_state(failure->sqlerrcode);

	ereport(WARNING,
			(n == 1 ?
			 errmsg("match %s of ladder \"%s\" could not be rated, and waits", match, ladder->name) :
			 errmsg("%d matches of ladder \"%s\" could not be rated, and wait, such as %s", n,
					ladder->name, match),
			 may_see_message(ladder, failure) ?
			 errdetail("Error %s: %s", sqlstate, failure->message) :
			 errdetail("Error %s.", sqlstate),
			 errdetail_log("Error %s: %s", sqlstate, failure->message),
			 remedy_hint(ladder, failure)));
}

void
failures_send(Ladder *ladder, const Failures *failures, bool loud)
{
	const Failure *reported = NULL;
	int			i;

	if (failures->n == 0)
		return;
	for (i = 0; i < failures->n; i += WRITTEN_AT_ONCE)
		write_failed(ladder, &failures->failure[i], Min(failures->n - i, WRITTEN_AT_ONCE));
	for (i = 0; i < failures->n; i++)
		if (is_new_cause(ladder, &failures->failure[i]) && reported == NULL)
			reported = &failures->failure[i];
	if (reported == NULL && loud)
		reported = &failures->failure[0];
	if (reported != NULL)
		warn_of(ladder, reported, failures->n);
}
