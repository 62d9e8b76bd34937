/*
 * operate.c
 *		Operations on the states of players.
 *
 * One on few players is done while the ladder is held.  One on all players is done beside
 * rating, where that is possible: it takes its place while the ladder is held for a moment,
 * and matches that are rated meanwhile come behind it.
 */
#include "pg/sql/glue.h"

#include "utils/builtins.h"
#include "utils/timestamp.h"

#include "pg/ladder/change_writer.h"
#include "pg/ladder/columns.h"
#include "pg/ladder/component_states.h"
#include "pg/ladder/corrections.h"
#include "pg/ladder/door.h"
#include "pg/ladder/feed.h"
#include "pg/ladder/maintenance.h"
#include "pg/ladder/outbox.h"
#include "pg/ladder/plans.h"
#include "pg/ladder/standings.h"
#include "pg/ladder/states.h"

SKILLRATING_FUNCTION(skillrating_apply_operation);
SKILLRATING_FUNCTION(skillrating_begin_operation);
SKILLRATING_FUNCTION(skillrating_operate_beside);

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
	Datum		values[2];

	values[0] = TimestampTzGetDatum(operation->at);
	values[1] = Int64GetDatum(operation->seq);
	return ladder->reorders && ladder_execute(ladder, query, values, NULL, NULL) > 0;
}

static void
correct_place(Ladder *ladder, const LadderOperation *operation)
{
	Corrections corrections = corrections_make();

	corrections_add(&corrections, operation->seq, "operation", operation->at);
	corrections_send(ladder, &corrections);
}

/* Load the players whom n operations are about. */
static void
load_operated(Batch *batch, Ladder *ladder, const LadderOperation *operation,
			  int n)
{
	int			i;

	if (!operation[0].has_player)
	{
		batch_load_all(batch, ladder);
		components_load_all(batch, ladder);
		return;
	}

	/*
	 * A row that only has room for the first match is no player yet, but for what makes one of
	 * it.
	 */
	if (operation[0].operation.kind != OPERATION_SET &&
		(operation[0].operation.kind != OPERATION_FIX || operation[0].pool == NULL))
	{
		Datum	   *ids = palloc_array(Datum, n);

		for (i = 0; i < n; i++)
			ids[i] = operation[i].player;
		batch_load_some(batch, ladder, ids, n);
		components_load_some(batch, ladder, ids, n);
		return;
	}
	for (i = 0; i < n; i++)
	{
		BatchPlayer *player = batch_player(batch, operation[i].player,
										   operation[i].pool);

		player->wanted = true;
		if (player->shared != NULL)
			player->shared->wanted = true;
	}
	batch_load(batch, ladder);
}

/*
 * Write the events of an operation, and the ratings of its players; of a player in a
 * pool that includes what pools share, of which there may be no event.
 */
static void
write_operation(Batch *batch, Ladder *ladder, ChangeWriter *changes)
{
	Outbox	   *events = event_outbox(ladder);
	Outbox	   *inserted = rating_outbox(ladder);
	Outbox	   *updated = rating_outbox(ladder);
	Outbox	   *component_events = component_event_outbox(ladder);
	Outbox	   *components = component_outbox(ladder);
	BatchPlayer **player = (BatchPlayer **) id_table_values(batch->players);
	int			i;

	for (i = 0; i < batch->step.n; i++)
		put_event(events, &batch->step, &batch->step.row[i]);
	for (i = 0; i < id_table_count(batch->players); i++)
		if (player[i]->touched)
		{
			put_rating(player[i]->loaded ? updated : inserted, player[i]);
			change_writer_put(changes, player[i]);
		}
	outbox_send(events, OUTBOX_INSERT);
	outbox_send(updated, OUTBOX_UPDATE);
	outbox_send(inserted, OUTBOX_INSERT);
	for (i = 0; i < batch->step.ncomponents; i++)
	{
		put_component_event(component_events, &batch->step, &batch->step.component[i]);
		put_component(components, batch->step.component[i].component);
	}
	outbox_send(component_events, OUTBOX_INSERT);
	outbox_send(components, OUTBOX_UPDATE);
	change_writer_end(changes);
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

/* Do operations on a ladder that is held; returns how many states they changed. */
static int
operate(Ladder *ladder, const LadderOperation *operation, int n)
{
	Batch	   *batch = ladder_batch(ladder);
	ChangeWriter *changes;

	ladder_take_states(ladder);
	load_operated(batch, ladder, operation, n);
	changes = change_writer_begin(ladder, operation[0].kind, &operation[0].seq);
	change_writer_note(changes, batch);
	(void) batch_apply_operation(batch, operation, n);
	write_operation(batch, ladder, changes);
	if (operation[0].operation.kind == OPERATION_SEASON)
		renew_standings(ladder, operation[0].seq);
	if (is_misplaced(ladder, operation, &earlier_place_query))
		correct_place(ladder, operation);
	ladder_release_states(ladder);
	return batch->step.n;
}

static Ladder *
open_to_operate(FunctionCallInfo fcinfo, const char *function)
{
	Ladder	   *ladder =
		ladder_open(ladder_inside(text_to_cstring(PG_GETARG_TEXT_PP(0)), function));

	ladder_require_triggers(ladder);
	ladder_maintain(ladder);
	return ladder;
}

/* apply_operation(ladder, seq): do what table operation has at the end. */
Datum
skillrating_apply_operation(PG_FUNCTION_ARGS)
{
	Ladder	   *ladder = open_to_operate(fcinfo, "apply_operation");
	LadderOperation *operation;
	int			n;

	operation = read_last_operations(ladder, PG_GETARG_INT64(1), &n);
	n = operate(ladder, operation, n);
	ladder_close(ladder);
	PG_RETURN_INT64(n);
}

/* begin_operation(ladder): before an operation takes its place. */
Datum
skillrating_begin_operation(PG_FUNCTION_ARGS)
{
	ladder_hold(ladder_inside(text_to_cstring(PG_GETARG_TEXT_PP(0)), "begin_operation"));
	PG_RETURN_VOID();
}

/* An operation on all players. */
typedef struct OperationWork
{
	Maintenance work;			/* first: the protocol has this */
	int			nchanged;		/* states */
} OperationWork;

/* The first part: the operation alone, from the current states. */
static void
replay_operation(Maintenance *work)
{
	OperationWork *operation = (OperationWork *) work;

	rewrite_begin_part(&work->rewrite, read_removed(work->ladder));
	work->replay = replay_begin(work->ladder, work->operation, REPLAY_CURRENT_PLAYERS, true);
	replay_on(work->replay, &work->rewrite.sink);
	operation->nchanged = work->replay->batch->step.n;
}

/* operate_beside(ladder, seq): the same as apply_operation(), after begin_operation(). */
Datum
skillrating_operate_beside(PG_FUNCTION_ARGS)
{
	Ladder	   *ladder = open_to_operate(fcinfo, "operate_beside");
	int64		seq = PG_GETARG_INT64(1);
	int			n;
	LadderOperation *operation = read_last_operations(ladder, seq, &n);
	OperationWork all = {
		.work = {.ladder = ladder,.kind = operation[0].kind,.operation = seq,
		.held = !ladder_works_beside(ladder),.begun = true,.first = replay_operation}
	};
	bool		misplaced = is_misplaced(ladder, operation, &earlier_place_query);

	maintain(&all.work);
	if (misplaced || is_misplaced(ladder, operation, &later_place_query))
		correct_place(ladder, operation);
	ladder_close(ladder);
	PG_RETURN_INT64(all.nchanged);
}
