/*
 * lobby_states.c
 *		The states with which players would go into a match, for team makers.
 */
#include "pg/sql/glue.h"

#include <math.h>

#include "catalog/pg_type.h"
#include "utils/builtins.h"
#include "utils/timestamp.h"

#include "core/math/square.h"
#include "pg/ladder/component_states.h"
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
	STATES_ARG_AT,
	STATES_ARG_CONTEXT
};

/* The kinds of components that tell a player in a context from the player elsewhere. */
static bool
is_player_in_context(const Batch *batch, const ComponentSpec *spec)
{
	return spec->scope == COMPONENT_OF_PLAYER && spec->key == COMPONENT_BY_CONTEXT &&
		spec->used(batch->params);
}

/* The component of such a kind, of a player in a context that is a text. */
static BatchComponent *
component_in(Batch *batch, int kind, BatchPlayer *player, Datum context)
{
	char	   *key = TextDatumGetCString(context);
	BatchComponent *component = batch_component(batch, kind, player, player->pool, key);

	pfree(key);
	return component;
}

/* Load what players have in their contexts, which are null where that is unknown. */
static void
load_contexts(Batch *batch, Ladder *ladder, BatchPlayer **player, const Datum *context,
			  const bool *unknown, int n)
{
	const MatchRules *rules = &batch->model->rules;
	int			kind;
	int			i;

	for (kind = 0; kind < rules->ncomponents; kind++)
		for (i = 0; i < n && is_player_in_context(batch, &rules->component[kind]); i++)
			if (!unknown[i])
				component_in(batch, kind, player[i], context[i])->wanted = true;
	if (batch->ncomponents == 0)
		return;
	ladder_check_privilege(ladder, "component", ACL_SELECT);
	components_peek(batch, ladder);
}

/*
 * Put what a player has in a context into the state, whose first column is in the same
 * units: the means add up, and, being independent, the variances.
 */
static void
add_context(Batch *batch, BatchPlayer *player, Datum context, TimestampTz at, double *state)
{
	const MatchRules *rules = &batch->model->rules;
	int			deviation = model_state_column(batch->model, ROLE_DEVIATION);
	int			kind;
	int			i;

	for (kind = 0; kind < rules->ncomponents; kind++)
	{
		const ComponentSpec *spec = &rules->component[kind];
		double		own[COMPONENT_MAX_STATE];

		if (!is_player_in_context(batch, spec))
			continue;
		batch_component_state_at(batch, component_in(batch, kind, player, context), at, own);
		state[0] += own[0];
		for (i = 1; i < spec->nstate && deviation >= 0; i++)
			if (spec->state[i].role == ROLE_DEVIATION)
				state[deviation] = sqrt(square(state[deviation]) + square(own[i]));
	}
}

/*
 * states_at(ladder, players, pool, at, context): the state columns of each player one after
 * another, as preview() has them, with what the player has in that context.
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
	Datum	   *context = NULL;
	bool	   *unknown = NULL;
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
	batch_load(batch, ladder);
	optional_arrays(fcinfo, STATES_ARG_CONTEXT, ARRAY_CONTEXT, ARRAY_CONTEXT, &arrays);
	if (arrays.has_array[ARRAY_CONTEXT])
	{
		deconstruct_array(DatumGetArrayTypeP(arrays.array[ARRAY_CONTEXT]), TEXTOID, -1, false,
						  TYPALIGN_INT, &context, &unknown, &i);
		load_contexts(batch, ladder, player, context, unknown, arrays.n);
	}

	/* ladder_close() frees all but the result. */
	MemoryContextSwitchTo(caller);
	result = float8_array_make(arrays.n * batch->model->nstate);
	MemoryContextSwitchTo(work);
	state = (float8 *) ARR_DATA_PTR(result);
	for (i = 0; i < arrays.n; i++)
	{
		batch_state_at(batch, player[i], at, 0, state + (Size) i * batch->model->nstate);
		if (context != NULL && !unknown[i])
			add_context(batch, player[i], context[i], at,
						state + (Size) i * batch->model->nstate);
	}
	ladder_close(ladder);
	PG_RETURN_ARRAYTYPE_P(result);
}
