/*
 * last_events.c
 *		Where the last events of a player are, without a plan over all partitions.
 *
 * A query on a partitioned table costs planning for each of its partitions, unless constants
 * of the query rule them out.  The places of a player's last events are such constants, and
 * the index of one partition after the other has them, from the last one back.
 */
#include "pg/sql/glue.h"

#include "miscadmin.h"
#include "utils/builtins.h"
#include "utils/snapmgr.h"

#include "pg/ladder/door.h"
#include "pg/ladder/event_index.h"

SKILLRATING_FUNCTION(skillrating_last_events_from);

static const char *const seq_column[] = {"seq"};

/*
 * last_events_from(ladder, player_id, pool, n): the least place of the last n events of a
 * player in a pool, or of all if they are less; 0 if it cannot be told by the index, or there
 * is no event.
 */
Datum
skillrating_last_events_from(PG_FUNCTION_ARGS)
{
	Ladder	   *ladder = ladder_inside(text_to_cstring(PG_GETARG_TEXT_PP(0)),
									   "last_events_from");
	Datum		player = id_from_text(ladder->player_type,
									  text_to_cstring(PG_GETARG_TEXT_PP(1)), "player_id");
	int64		wanted = PG_GETARG_INT64(3);
	EventIndex *events = event_index_open(ladder, GetActiveSnapshot(), seq_column, 1);
	int64		first = 0;
	int64		found = 0;
	bool		more = event_index_last(events, player, PG_GETARG_DATUM(2), PG_INT64_MAX);

	for (; more && found < wanted; found++)
	{
		bool		isnull;

		CHECK_FOR_INTERRUPTS();
		first = DatumGetInt64(event_index_value(events, 0, &isnull));
		more = event_index_back(events);
	}
	if (!event_index_usable(events))
		first = 0;
	event_index_close(events);
	PG_RETURN_INT64(first);
}
