/*
 * ending.c
 *		The end of work on a ladder.
 */
#include "pg/sql/glue.h"

#include "catalog/pg_namespace.h"
#include "miscadmin.h"
#include "utils/syscache.h"

#include "pg/ladder/arrive/attempts.h"
#include "pg/ladder/entry/entry.h"
#include "pg/ladder/entry/waiting.h"

/* What comes in while matches are rated is rated after them. */
#define MAX_ROUNDS 1000

static const LadderEntry rate_waiting_entry = {
	"rate_waiting", RowShareLock, RIGHTS_OF_TRIGGER,.nladders = 1,.reenters = true,
	.bears_owners = true
};

/* Rate the matches of one ladder that wait. */
static void
rate_waiting_of(Oid schema)
{
	Ladder	   *entered = ladder_begin(schema, &rate_waiting_entry);
	Ladder	   *ladder = ladder_open(entered);

	apply_waiting(ladder);
	ladder_close(ladder);
	ladder_end(entered);
}

static void
rate_waiting(void)
{
	Oid			schema;
	int			round;

	for (round = 0; OidIsValid(schema = next_waiting()); round++)
	{
		CHECK_FOR_INTERRUPTS();
		if (round >= MAX_ROUNDS)
			ereport(ERROR,
					(errcode(ERRCODE_STATEMENT_TOO_COMPLEX),
					 errmsg("rating of matches has inserted further matches %d times in a row",
							MAX_ROUNDS),
					 errhint("A trigger on a ladder inserts a match for every rated match.")));
		if (SearchSysCacheExists1(NAMESPACEOID, ObjectIdGetDatum(schema)))
			rate_waiting_of(schema);
		else
			forget_waiting(schema);
	}
}

void
ladder_end(Ladder *ladder)
{
	ladder_end_work(ladder);
	if (!ladder_is_nested(ladder) && OidIsValid(next_waiting()))
		rate_waiting();
	ladder_leave(ladder);
}
