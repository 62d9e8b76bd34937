/*
 * order_end.c
 *		Where the order of a ladder has got to, for work that leaves it as it was.
 */
#include "pg/ladder/order_end.h"

#include "utils/fmgrprotos.h"

#include "pg/ladder/plans.h"

static LadderQuery last_place_query = {
	.text = "SELECT last_value, is_called FROM {event_seq}"
};

enum
{
	LAST_PLACE = 1,
	LAST_PLACE_IS_TAKEN
};

OrderEnd
read_order_end(Ladder *ladder)
{
	OrderEnd	last;
	bool		isnull;

	(void) ladder_execute(ladder, &last_place_query, NULL, NULL, NULL);
	last.place = DatumGetInt64(SPI_getbinval(SPI_tuptable->vals[0],
											 SPI_tuptable->tupdesc, LAST_PLACE,
											 &isnull));
	last.is_taken = DatumGetBool(SPI_getbinval(SPI_tuptable->vals[0],
											   SPI_tuptable->tupdesc,
											   LAST_PLACE_IS_TAKEN, &isnull));
	SPI_freetuptable(SPI_tuptable);
	return last;
}

static bool
same_place(const OrderEnd *a, const OrderEnd *b)
{
	return a->place == b->place && a->is_taken == b->is_taken;
}

void
restore_order_end(Ladder *ladder, const OrderEnd *before, const OrderEnd *after)
{
	OrderEnd	now = read_order_end(ladder);

	/*
	 * Setting a sequence is not transactional: it is set back only where
	 * nobody else has taken a place in the meantime.
	 */
	if (same_place(&now, after) && !same_place(&now, before))
		(void) DirectFunctionCall3(setval3_oid,
								   ObjectIdGetDatum(ladder->relation[LADDER_EVENT_SEQ]),
								   Int64GetDatum(before->place),
								   BoolGetDatum(before->is_taken));
}
