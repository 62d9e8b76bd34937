/*
 * final_components.c
 *		The aggregate final_components(): what a model has learned of components at the end
 *		of a history.  Its state is that of final_ratings().
 */
#include "pg/history/final_ratings.h"

#include "miscadmin.h"
#include "utils/builtins.h"
#include "utils/timestamp.h"

#include "pg/matches/starting_components.h"
#include "pg/sql/aggregate.h"
#include "pg/sql/arrays.h"
#include "pg/sql/composite.h"

SKILLRATING_FUNCTION(skillrating_final_components_final);

/* By kind, in the order of the model's, pool, key and player. */
static int
compare_components(const void *a, const void *b, void *arg)
{
	const BatchComponent *x = *(BatchComponent *const *) a;
	const BatchComponent *y = *(BatchComponent *const *) b;
	int			result = x->number - y->number;

	if (result == 0)
		result = strcmp(x->pool, y->pool);
	if (result == 0)
		result = strcmp(x->key, y->key);
	if (result == 0 && x->player != NULL)
		result = id_compare((const IdType *) arg, x->player->id, y->player->id);
	return result;
}

static void
add_component(RowArray *rows, Batch *batch, const BatchComponent *component)
{
	const ComponentSpec *spec = component->spec;
	int			deviation = component_state_column(spec, ROLE_DEVIATION);
	Datum		values[FINAL_COMPONENT_NCOLUMNS];
	bool		nulls[FINAL_COMPONENT_NCOLUMNS] = {false};

	/*
	 * The values of a row are freed by row_array_add(), which has copied
	 * them.
	 */
	row_array_begin_row(rows);
	values[FINAL_COMPONENT_KIND] = CStringGetTextDatum(spec->name);
	values[FINAL_COMPONENT_POOL] = CStringGetTextDatum(component->pool);
	nulls[FINAL_COMPONENT_KEY] = spec->key == COMPONENT_BY_NOTHING;
	values[FINAL_COMPONENT_KEY] = CStringGetTextDatum(component->key);
	nulls[FINAL_COMPONENT_PLAYER] = component->player == NULL;
	if (component->player != NULL)
		values[FINAL_COMPONENT_PLAYER] =
			CStringGetTextDatum(id_text(batch->player_type, component->player->id));
	values[FINAL_COMPONENT_MU] = Float8GetDatum(component->state[0]);
	nulls[FINAL_COMPONENT_DEVIATION] = deviation < 0;
	if (deviation >= 0)
		values[FINAL_COMPONENT_DEVIATION] = Float8GetDatum(component->state[deviation]);
	values[FINAL_COMPONENT_GAMES] = Int64GetDatum(component->record.games);
	values[FINAL_COMPONENT_LAST_PLAYED] = TimestampTzGetDatum(component->record.last_played);
	nulls[FINAL_COMPONENT_LAST_PLAYED] = TIMESTAMP_IS_NOBEGIN(component->record.last_played);
	values[FINAL_COMPONENT_STATE] = float8_array(component->state, spec->nstate);
	values[FINAL_COMPONENT_AS_OF] = TimestampTzGetDatum(component->record.as_of);
	nulls[FINAL_COMPONENT_AS_OF] = TIMESTAMP_IS_NOBEGIN(component->record.as_of);
	row_array_add(rows, values, nulls);
}

Datum
skillrating_final_components_final(PG_FUNCTION_ARGS)
{
	FinalRatings *state = aggregate_state(fcinfo, "final_components");
	Batch	   *batch;
	BatchComponent **component;
	RowArray	rows;
	int			n = 0;
	int			i;

	if (state == NULL)
		PG_RETURN_NULL();
	final_ratings_rate(state);
	batch = state->rater->batch;
	component = huge_array(BatchComponent *, batch->ncomponents);

	/* Others were in no match that counts. */
	for (i = 0; i < batch->ncomponents; i++)
		if (batch->components[i]->exists)
			component[n++] = batch->components[i];
	if (n > 1)
		qsort_arg(component, n, sizeof(BatchComponent *), compare_components,
				  batch->player_type);
	rows = row_array_make(fcinfo, n);
	for (i = 0; i < n; i++)
	{
		CHECK_FOR_INTERRUPTS();
		add_component(&rows, batch, component[i]);
	}
	return return_row_array(&rows);
}
