/*
 * operate.c
 *		Operations on the states of players.
 *
 * One on all players is done while others rate, where that is possible: it takes its place while the
 * ladder is held for a moment, and matches that are rated meanwhile come behind it.  One on few
 * players is the same work on a ladder that is held from the beginning.
 */
#include "pg/sql/glue.h"

#include "utils/builtins.h"
#include "utils/timestamp.h"

#include "pg/ladder/arrive/feed.h"
#include "pg/ladder/entry/entry.h"
#include "pg/ladder/entry/plans.h"
#include "pg/ladder/history/maintenance.h"
#include "pg/ladder/rate/corrections.h"
#include "pg/ladder/rate/states.h"

/* A row if a match before the place $2 was played then or later, or one behind it before. */
static LadderQuery earlier_place_query = {
	.text = "SELECT FROM {rated_match} WHERE seq OPERATOR(pg_catalog.<) $2 "
	"AND played_at OPERATOR(pg_catalog.>=) $1 LIMIT 1",
	.param = {VALUE_TIME, VALUE_INT8}
};

static LadderQuery later_place_query = {
	.text = "SELECT FROM {rated_match} WHERE seq OPERATOR(pg_catalog.>) $2 "
	"AND played_at OPERATOR(pg_catalog.<) $1 LIMIT 1",
	.param = {VALUE_TIME, VALUE_INT8}
};

/* Whether, where time makes the order, an operation has its place further back or ahead. */
static bool
is_misplaced(Ladder *ladder, const LadderOperation *operation, LadderQuery *query)
{
	return ladder->reorders && ladder_execute(ladder, query,
											  DATUMS(TimestampTzGetDatum(operation->at),
													 Int64GetDatum(operation->seq)),
											  NULL, NULL) > 0;
}

static void
correct_place(Ladder *ladder, const LadderOperation *operation)
{
	Corrections corrections = {.ladder = ladder};

	corrections_add(&corrections, operation->seq, "operation", operation->at);
	corrections_send(&corrections);
}

/* The operations at the end of table operation, which have one place; an error for others. */
static LadderOperation *
read_last_operations(Ladder *ladder, int64 seq, int *n)
{
	LadderOperation *operation = read_operations(ladder, seq, n);

	if (*n == 0 || operation[0].seq != seq || operation[*n - 1].seq != seq)
		ereport(ERROR,
				(errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
				 errmsg("operation " INT64_FORMAT " is not the last one of ladder \"%s\"",
						seq, ladder->name)));
	return operation;
}

typedef struct OperationWork
{
	Maintenance work;			/* first: the protocol has this */
	const LadderOperation *operation;	/* of these, */
	int			n;				/* so many */
	int			nchanged;		/* states */
} OperationWork;

/* How many players it has changed, apart from the time of their states. */
static int
count_changed(const OperationWork *all)
{
	const EventRows *rows = &all->work.replay->batch->step.rows[OF_PLAYERS];
	int			n = 0;
	int			i;

	for (i = 0; i < rows->n; i++)
		n += !operation_leaves_out(all->operation, &rows->row[i].player->record);
	return n;
}

/* The first part: the operation alone, from the current states. */
static void
replay_operation(Maintenance *work)
{
	OperationWork *all = (OperationWork *) work;

	rewrite_begin_part(&work->rewrite, NULL);
	work->replay = replay_new_operation(work->ladder, all->operation, all->n, &work->rewrite.sink);
	all->nchanged = count_changed(all);
}

/* apply_operation(ladder, seq): do what table operation has at the end. */
SQL_FUNCTION(skillrating_apply_operation)
{
	Ladder	   *ladder =
		ladder_open_inside(fcinfo);
	OperationWork all = {.work = {.ladder = ladder,.first = replay_operation}};
	bool		misplaced;

	ladder_require_triggers(ladder);
	ladder_maintain(ladder);
	all.operation = read_last_operations(ladder, PG_GETARG_INT64(1), &all.n);
	all.work.begun = ladder->concurrent;
	misplaced = is_misplaced(ladder, all.operation, &earlier_place_query);
	maintain(&all.work);
	if (misplaced || is_misplaced(ladder, all.operation, &later_place_query))
		correct_place(ladder, all.operation);
	ladder_close(ladder);
	PG_RETURN_INT64(all.nchanged);
}
