/*
 * starting_components.c
 *		Components that a history finds in a state.
 */
#include "pg/matches/starting_components.h"

#include "miscadmin.h"
#include "utils/builtins.h"
#include "utils/memutils.h"
#include "utils/timestamp.h"

#include "pg/matches/starting_columns.h"
#include "pg/sql/composite.h"

/* A row, and the kind that it is of. */
typedef struct StartingComponent
{
	Datum		values[FINAL_COMPONENT_NCOLUMNS];
	bool		nulls[FINAL_COMPONENT_NCOLUMNS];
	const char *kind;
	const ComponentSpec *spec;
	int			number;			/* of the kind in the model's rules */
} StartingComponent;

/* Find the kind of a row. */
static void
find_kind(const Model *model, StartingComponent *row)
{
	if (row->nulls[FINAL_COMPONENT_KIND])
		ereport(ERROR,
				(errcode(ERRCODE_NULL_VALUE_NOT_ALLOWED),
				 errmsg("kind of a starting component must not be null")));

	/* Kinds that are not in use under the parameters are accepted as well. */
	row->kind = TextDatumGetCString(row->values[FINAL_COMPONENT_KIND]);
	row->number = match_component_kind(&model->rules, row->kind);
	if (row->number < 0)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("model \"%s\" has no components of kind \"%s\"", model->name,
						row->kind),
				 errhint("See column components of skillrating.models('%s').", model->name)));
	row->spec = &model->rules.component[row->number];
}

/* The text in a column that must be there or must not; "" where it is not. */
static const char *
row_text(const StartingComponent *row, int column, const char *name, bool needed)
{
	if (row->nulls[column] && needed)
		ereport(ERROR,
				(errcode(ERRCODE_NULL_VALUE_NOT_ALLOWED),
				 errmsg("%s of a starting component of kind \"%s\" must not be null",
						name, row->kind)));
	if (!row->nulls[column] && !needed)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("a starting component of kind \"%s\" has no %s", row->kind, name)));
	return needed ? TextDatumGetCString(row->values[column]) : "";
}

/* The component of a row, which no other row must have made. */
static BatchComponent *
make_component(Batch *batch, const StartingComponent *row)
{
	IdType	   *type = batch->player_type;
	bool		of_player = row->spec->scope == COMPONENT_OF_PLAYER;
	const char *key = row_text(row, FINAL_COMPONENT_KEY, "key",
							   row->spec->key != COMPONENT_BY_NOTHING);
	const char *id = row_text(row, FINAL_COMPONENT_PLAYER, "player_id", of_player);
	const char *pool = row->nulls[FINAL_COMPONENT_POOL] ? "" :
		TextDatumGetCString(row->values[FINAL_COMPONENT_POOL]);
	BatchPlayer *player = NULL;
	BatchComponent *component;

	if (of_player)
		player = batch_player(batch, id_from_text(type, id, "player_id"), pool);
	component = batch_component(batch, row->number, player, pool, key);
	if (component->exists)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("a component of kind \"%s\" occurs twice", row->kind),
				 errdetail("Its key is \"%s\", its player_id \"%s\", and its pool \"%s\".",
						   key, id, pool)));
	component->exists = true;
	return component;
}

/* The state of a row: its columns, or mu and the deviation of it. */
static void
take_state(const StartingComponent *row, double *state)
{
	const ComponentSpec *spec = row->spec;
	int			deviation = component_state_column(spec, ROLE_DEVIATION);

	if (!row->nulls[FINAL_COMPONENT_STATE])
		state_column(row->values[FINAL_COMPONENT_STATE], spec->nstate, state);
	else
	{
		/* mu is the first column of every kind's state. */
		if (!row->nulls[FINAL_COMPONENT_MU])
			state[0] = DatumGetFloat8(row->values[FINAL_COMPONENT_MU]);
		if (!row->nulls[FINAL_COMPONENT_DEVIATION] && deviation >= 0)
			state[deviation] = DatumGetFloat8(row->values[FINAL_COMPONENT_DEVIATION]);
	}
	if (!component_state_valid(spec, state))
		ereport(ERROR,
				(errcode(ERRCODE_NUMERIC_VALUE_OUT_OF_RANGE),
				 errmsg("state of a component of kind \"%s\" is not sound", row->kind)));
}

static void
take_record(const StartingComponent *row, PlayerRecord *record)
{
	const Datum *values = row->values;
	const bool *nulls = row->nulls;

	record->games = count_column(values[FINAL_COMPONENT_GAMES],
								 nulls[FINAL_COMPONENT_GAMES], "games");
	record->last_played = time_column(values[FINAL_COMPONENT_LAST_PLAYED],
									  nulls[FINAL_COMPONENT_LAST_PLAYED],
									  "last_played", DT_NOBEGIN);
	record->as_of = time_column(values[FINAL_COMPONENT_AS_OF],
								nulls[FINAL_COMPONENT_AS_OF], "as_of",
								record->last_played);
}

static void
starting_component_context(void *arg)
{
	errcontext("starting component of kind \"%s\"", ((const StartingComponent *) arg)->kind);
}

/* Read a row, whose kind is known, and put its component into the batch. */
static void
start_component(Batch *batch, StartingComponent *row)
{
	ErrorContextCallback callback;
	BatchComponent *component;

	callback.callback = starting_component_context;
	callback.arg = row;
	callback.previous = error_context_stack;
	error_context_stack = &callback;
	component = make_component(batch, row);
	take_state(row, component->state);
	take_record(row, &component->record);
	error_context_stack = callback.previous;
}

void
batch_start_components(Batch *batch, Datum components, const char *argument)
{
	MemoryContext context = AllocSetContextCreate(CurrentMemoryContext,
												  "skillrating starting components",
												  ALLOCSET_SMALL_SIZES);
	MemoryContext old = MemoryContextSwitchTo(context);
	TupleDesc	desc = NULL;
	Datum	   *element;
	int			n = row_elements(components, argument, &element);
	int			i;

	for (i = 0; i < n; i++)
	{
		StartingComponent row;

		CHECK_FOR_INTERRUPTS();

		/*
		 * Texts and identifiers of a row live until the end of this function;
		 * the batch copies what it keeps into its own context.
		 */
		composite_columns(element[i], &desc, context, FINAL_COMPONENT_NCOLUMNS,
						  row.values, row.nulls);
		find_kind(batch->model, &row);
		start_component(batch, &row);
	}
	MemoryContextSwitchTo(old);
	MemoryContextDelete(context);
}
