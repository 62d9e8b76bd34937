/*
 * lobby_states.c
 *		The states with which players would go into a match, for team makers.
 */
#include "pg/sql/glue.h"

#include "utils/builtins.h"
#include "utils/timestamp.h"

#include "pg/ladder/door.h"
#include "pg/ladder/filters.h"
#include "pg/ladder/match_arrays.h"
#include "pg/ladder/states.h"
#include "pg/sql/arrays.h"

SKILLRATING_FUNCTION(skillrating_states_at);

/* The positions of the arguments. */
enum
{
	STATES_ARG_LADDER,
	STATES_ARG_PLAYERS,
	STATES_ARG_POOL,
	STATES_ARG_AT
};

/*
 * states_at(ladder, players, pool, at): the state columns of each player one after another,
 * as preview() has them.
 */
Datum
skillrating_states_at(PG_FUNCTION_ARGS)
{
	MatchArrays arrays = {0};
	TimestampTz at;
	const char *pool;
	const char *name;
	MemoryContext caller = CurrentMemoryContext;
	MemoryContext work;
	Ladder	   *ladder;
	Batch	   *batch;
	BatchPlayer **player;
	Datum	   *counted;
	ArrayType  *result;
	float8	   *state;
	int			i;

	required_argument(fcinfo, STATES_ARG_LADDER, "ladder");
	required_argument(fcinfo, STATES_ARG_POOL, "pool");
	required_argument(fcinfo, STATES_ARG_AT, "at");
	at = PG_GETARG_TIMESTAMPTZ(STATES_ARG_AT);
	if (TIMESTAMP_NOT_FINITE(at))
		ereport(ERROR,
				(errcode(ERRCODE_DATETIME_VALUE_OUT_OF_RANGE),
				 errmsg("at must be finite, not %s", timestamptz_to_str(at))));
	name = text_to_cstring(PG_GETARG_TEXT_PP(STATES_ARG_LADDER));
	pool = text_to_cstring(PG_GETARG_TEXT_PP(STATES_ARG_POOL));
	ladder = ladder_open(ladder_inside(name, "states_at"));
	work = CurrentMemoryContext;
	players_argument(fcinfo, STATES_ARG_PLAYERS, ladder->player_type, &arrays);
	counted = counted_players(ladder, arrays.player, arrays.n);
	check_accounts(ladder->player_type, arrays.player, counted, arrays.n);
	batch = ladder_batch(ladder);
	player = palloc_array(BatchPlayer *, arrays.n);
	for (i = 0; i < arrays.n; i++)
	{
		player[i] = batch_player(batch, counted[i], pool);
		player[i]->wanted = true;
		if (player[i]->shared != NULL)
			player[i]->shared->wanted = true;
	}
	batch_load(batch, ladder, false);

	/* ladder_close() frees all but the result. */
	MemoryContextSwitchTo(caller);
	result = float8_array_make(arrays.n * batch->model->nstate);
	MemoryContextSwitchTo(work);
	state = (float8 *) ARR_DATA_PTR(result);
	for (i = 0; i < arrays.n; i++)
		batch_state_at(batch, player[i], at, state + (Size) i * batch->model->nstate);
	ladder_close(ladder);
	PG_RETURN_ARRAYTYPE_P(result);
}
