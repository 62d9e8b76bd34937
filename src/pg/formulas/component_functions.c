/*
 * component_functions.c
 *		The kinds of components of rating models, as SQL sees them.
 */
#include "pg/sql/glue.h"

#include "funcapi.h"
#include "utils/builtins.h"

#include "core/models/registry.h"
#include "pg/sql/arrays.h"

SKILLRATING_FUNCTION(skillrating_model_components);

/* The columns of model_components(). */
enum
{
	COLUMN_KIND,
	COLUMN_SCOPE,
	COLUMN_KEY,
	COLUMN_USED,
	COLUMN_STATE_COLUMNS,
	COLUMN_INITIAL_STATE,
	COLUMN_DESCRIPTION,
	NCOLUMNS
};

static const char *
scope_word(ComponentScope scope)
{
	switch (scope)
	{
		case COMPONENT_OF_MATCH:
		case COMPONENT_OF_UNEVEN:
			return "match";
		case COMPONENT_OF_SIDE:
			return "side";
		case COMPONENT_OF_TEAM:
			return "team";
		case COMPONENT_OF_PLAYER:
			return "player";
	}
	pg_unreachable();
}

/* The source column that a kind goes by, or NULL. */
static const char *
key_word(ComponentKey key)
{
	switch (key)
	{
		case COMPONENT_BY_CONTEXT:
			return "context";
		case COMPONENT_BY_CLUB:
			return "club";
		case COMPONENT_BY_NOTHING:
			break;
	}
	return NULL;
}

/* model_components(model, params) */
Datum
skillrating_model_components(PG_FUNCTION_ARGS)
{
	const Model *model = get_model(text_to_cstring(PG_GETARG_TEXT_PP(0)));
	ParamValue *params = get_model_params(&model, PG_GETARG_JSONB_P(1));
	ReturnSetInfo *rsinfo = (ReturnSetInfo *) fcinfo->resultinfo;
	int			k;

	InitMaterializedSRF(fcinfo, 0);
	for (k = 0; k < model->rules.ncomponents; k++)
	{
		const ComponentSpec *spec = &model->rules.component[k];
		const char *key = key_word(spec->key);

		/*
		 * Kinds that the parameters leave out are listed too, without an
		 * initial state.
		 */
		bool		used = spec->used(params);
		const char *states[COMPONENT_MAX_STATE];
		double		initial[COMPONENT_MAX_STATE];
		Datum		values[NCOLUMNS];
		bool		nulls[NCOLUMNS] = {false};
		int			i;

		for (i = 0; i < spec->nstate; i++)
			states[i] = spec->state[i].name;
		values[COLUMN_KIND] = CStringGetTextDatum(spec->name);
		values[COLUMN_SCOPE] = CStringGetTextDatum(scope_word(spec->scope));
		nulls[COLUMN_KEY] = key == NULL;
		if (key != NULL)
			values[COLUMN_KEY] = CStringGetTextDatum(key);
		values[COLUMN_USED] = BoolGetDatum(used);
		values[COLUMN_STATE_COLUMNS] = text_array(states, spec->nstate);
		nulls[COLUMN_INITIAL_STATE] = !used;
		if (used)
		{
			spec->init(params, initial);
			values[COLUMN_INITIAL_STATE] = float8_array(initial, spec->nstate);
		}
		values[COLUMN_DESCRIPTION] = CStringGetTextDatum(spec->description);
		tuplestore_putvalues(rsinfo->setResult, rsinfo->setDesc, values, nulls);
	}
	return (Datum) 0;
}
