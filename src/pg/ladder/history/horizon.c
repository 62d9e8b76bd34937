/*
 * horizon.c
 *		The states that a ladder keeps of the place where its history begins.
 */
#include "pg/sql/glue.h"

#include "fmgr.h"
#include "miscadmin.h"
#include "utils/builtins.h"
#include "utils/inval.h"

#include "pg/ladder/entry/entry.h"
#include "pg/ladder/entry/plans.h"
#include "pg/ladder/history/replay.h"
#include "pg/ladder/rate/component_states.h"
#include "pg/ladder/rate/outbox.h"

static LadderQuery delete_horizon_query = {.text = "DELETE FROM {horizon}"};
static LadderQuery delete_component_horizon_query = {.text = "DELETE FROM {component_horizon}"};

static void
write_states(Ladder *ladder, Batch *batch)
{
	Outbox	   *ratings = outbox_create(ladder, OUTBOX_HORIZON);
	Outbox	   *components = outbox_create(ladder, OUTBOX_COMPONENT_HORIZON);
	BatchPlayer **player = (BatchPlayer **) id_table_values(batch->players);
	int			n = id_table_count(batch->players);
	int			i;

	for (i = 0; i < n; i++)
	{
		CHECK_FOR_INTERRUPTS();
		if (player[i]->exists)
			put_rating(ratings, OUTBOX_INSERT, player[i]);
	}
	for (i = 0; i < batch->ncomponents; i++)
	{
		CHECK_FOR_INTERRUPTS();
		if (batch->components[i]->exists)
			put_component(components, OUTBOX_INSERT, batch->components[i]);
	}
	outbox_send(ratings);
	outbox_send(components);
}

/*
 * write_horizon(ladder, seq): put into horizon and component_horizon what a replay from the place
 * behind starts with.  That they were there before, at an earlier place, is what it may start
 * from itself.
 */
SQL_FUNCTION(skillrating_write_horizon)
{
	int64		seq = PG_GETARG_INT64(1);
	Ladder	   *ladder;
	Replay	   *replay;

	ladder = ladder_open_inside(fcinfo);
	ladder_maintain(ladder);
	ladder_take_states(ladder);
	replay = replay_begin(ladder, seq + 1, REPLAY_ALL_PLAYERS);
	(void) ladder_execute(ladder, &delete_horizon_query, NULL, NULL, NULL);
	(void) ladder_execute(ladder, &delete_component_horizon_query, NULL, NULL, NULL);
	write_states(ladder, replay->batch);
	ladder->state->states_taken = false;
	ladder_close(ladder);
	PG_RETURN_VOID();
}

static LadderQuery note_change_query = {.text = "UPDATE {ladder} SET late = late"};

/*
 * note_change(ladder, tables): tell sessions with an older snapshot or, of tables, have all look the
 * ladder up again: a table that is new in its schema is no change of those that they know.
 */
SQL_FUNCTION(skillrating_note_change)
{
	Ladder	   *ladder = ladder_open_inside(fcinfo);

	if (PG_GETARG_BOOL(1))
		CacheInvalidateRelcacheByRelid(ladder->relation[LADDER_CONFIG]);
	else
		(void) ladder_execute(ladder, &note_change_query, NULL, NULL, NULL);
	ladder_close(ladder);
	PG_RETURN_VOID();
}
