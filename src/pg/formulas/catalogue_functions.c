/*
 * catalogue_functions.c
 *		The registry of rating models, and the parameters of all that has some, as SQL sees
 *		them.
 */
#include "pg/formulas/catalogue_functions.h"

#include "pg/sql/glue.h"

#include "funcapi.h"
#include "utils/builtins.h"

#include "core/models/registry.h"
#include "core/rating/behaviour.h"
#include "core/rating/eligibility.h"
#include "core/solve/frag_graph.h"
#include "core/solve/solvers.h"
#include "pg/sql/arrays.h"
#include "pg/sql/composite.h"

SKILLRATING_FUNCTION(skillrating_models);
SKILLRATING_FUNCTION(skillrating_parameters);

/* The columns of models(). */
enum
{
	MODEL_NAME,
	MODEL_SUMMARY,
	MODEL_STATE_COLUMNS,
	MODEL_STATE_DESCRIPTIONS,
	MODEL_SUPPORTS,
	MODEL_SOURCE,
	MODEL_DEVIATION_COLUMN,
	MODEL_SIDE_COLUMN,
	MODEL_COMMAND_COLUMN,
	MODEL_LOG_ODDS_UNIT,
	MODEL_PARAMETERS,
	MODEL_PARTS,
	MODEL_COMPONENTS,
	MODEL_NCOLUMNS
};

/* The columns of the type model_component. */
enum
{
	COMPONENT_KIND,
	COMPONENT_SCOPE,
	COMPONENT_KEY,
	COMPONENT_USED,
	COMPONENT_STATE_COLUMNS,
	COMPONENT_INITIAL_STATE,
	COMPONENT_DESCRIPTION,
	COMPONENT_NCOLUMNS
};

/* The words for what a model supports, by bit of ModelSupport. */
static const char *const support_names[] = {
	"many_teams", "draws", "weight", "side", "commanding", "log_odds", "gain",
	"score", "one_team", "squad", "counts", "quit", "experience",
	"context", "club", "uneven_teams"
};

/*
 * The words in the order of the bits, which is the order that models() and tune() show. name
 * has room for MAX_SUPPORT_NAMES of them.
 */
int
support_words(unsigned supports, const char **name)
{
	int			n = 0;
	int			i;

	for (i = 0; i < (int) lengthof(support_names); i++)
		if (supports & (1 << i))
			name[n++] = support_names[i];
	return n;
}

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

/* The kinds of components of a model as an array of model_component. */
static Datum
component_array(const Model *model, const ParamValue *params, Oid row_type)
{
	RowArray	rows = row_array_of(row_type, model->rules.ncomponents);
	int			k;

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
		Datum		values[COMPONENT_NCOLUMNS];
		bool		nulls[COMPONENT_NCOLUMNS] = {false};
		int			i;

		for (i = 0; i < spec->nstate; i++)
			states[i] = spec->state[i].name;
		values[COMPONENT_KIND] = CStringGetTextDatum(spec->name);
		values[COMPONENT_SCOPE] = CStringGetTextDatum(scope_word(spec->scope));
		nulls[COMPONENT_KEY] = key == NULL;
		if (key != NULL)
			values[COMPONENT_KEY] = CStringGetTextDatum(key);
		values[COMPONENT_USED] = BoolGetDatum(used);
		values[COMPONENT_STATE_COLUMNS] = text_array(states, spec->nstate);
		nulls[COMPONENT_INITIAL_STATE] = !used;
		if (used)
		{
			spec->init(params, initial);
			values[COMPONENT_INITIAL_STATE] = float8_array(initial, spec->nstate);
		}
		values[COMPONENT_DESCRIPTION] = CStringGetTextDatum(spec->description);
		row_array_add(&rows, values, nulls);
	}
	return return_row_array(&rows);
}

/* The parts of a model as an array of model_part. */
static Datum
part_array(const Model *model, Oid row_type)
{
	RowArray	rows = row_array_of(row_type, model->nparts);
	int			i,
				j;

	for (i = 0; i < model->nparts; i++)
	{
		const ModelPart *part = &model->part[i];
		const char *params[MODEL_PART_MAX_PARAMS];
		const char *needs[MAX_SUPPORT_NAMES + 1];
		int			nneeds = support_words(part->needs, needs);
		Datum		values[4];
		bool		nulls[4] = {false};

		for (j = 0; j < part->nparams; j++)
			params[j] = param_spec(&model->params, part->param[j].param)->name;
		if (part->needs_times)
			needs[nneeds++] = "times";
		values[0] = CStringGetTextDatum(part->name);
		values[1] = CStringGetTextDatum(part->description);
		values[2] = text_array(params, part->nparams);
		values[3] = text_array(needs, nneeds);
		row_array_add(&rows, values, nulls);
	}
	return return_row_array(&rows);
}

/* Put a row about a model into the result, under these parameters. */
static void
put_model(FunctionCallInfo fcinfo, const Model *model, Jsonb *json)
{
	static const StateRole roles[] = {ROLE_DEVIATION, ROLE_SIDE, ROLE_COMMAND};
	ReturnSetInfo *rsinfo = (ReturnSetInfo *) fcinfo->resultinfo;
	ParamValue *params = get_model_params(&model, json);
	const char *states[MODEL_MAX_STATE];
	const char *descriptions[MODEL_MAX_STATE];
	const char *supports[MAX_SUPPORT_NAMES];
	double		unit = model_log_odds_unit(model, params);
	int			i;
	Datum		values[MODEL_NCOLUMNS];
	bool		nulls[MODEL_NCOLUMNS] = {false};

	for (i = 0; i < model->nstate; i++)
	{
		states[i] = model->state[i].name;
		descriptions[i] = model->state[i].description;
	}

	values[MODEL_NAME] = CStringGetTextDatum(model->name);
	values[MODEL_SUMMARY] = CStringGetTextDatum(model->summary);
	values[MODEL_STATE_COLUMNS] = text_array(states, model->nstate);
	values[MODEL_STATE_DESCRIPTIONS] = text_array(descriptions, model->nstate);
	values[MODEL_SUPPORTS] = text_array(supports,
										support_words(model->rules.supports, supports));
	values[MODEL_SOURCE] = CStringGetTextDatum(model->source);
	for (i = 0; i < (int) lengthof(roles); i++)
	{
		int			column = model_state_column(model, roles[i]);

		nulls[MODEL_DEVIATION_COLUMN + i] = column < 0;
		if (column >= 0)
			values[MODEL_DEVIATION_COLUMN + i] =
				CStringGetTextDatum(model->state[column].name);
	}

	/* Extreme parameters leave no number. */
	nulls[MODEL_LOG_ODDS_UNIT] = isnan(unit) || isinf(unit);
	values[MODEL_LOG_ODDS_UNIT] = Float8GetDatum(unit);
	values[MODEL_PARAMETERS] = params_jsonb(&model->params, params);
	values[MODEL_PARTS] = part_array(model, result_column_element_type(fcinfo, MODEL_PARTS));
	values[MODEL_COMPONENTS] =
		component_array(model, params, result_column_element_type(fcinfo, MODEL_COMPONENTS));
	tuplestore_putvalues(rsinfo->setResult, rsinfo->setDesc, values, nulls);
}

/* models(model, params) */
Datum
skillrating_models(PG_FUNCTION_ARGS)
{
	int			m;

	InitMaterializedSRF(fcinfo, 0);
	if (PG_ARGISNULL(0))
		for (m = 0; m < model_count; m++)
			put_model(fcinfo, model_registry[m], NULL);
	else
		put_model(fcinfo, get_model(text_to_cstring(PG_GETARG_TEXT_PP(0))),
				  PG_ARGISNULL(1) ? NULL : PG_GETARG_JSONB_P(1));
	return (Datum) 0;
}

/* parameters(of) */
Datum
skillrating_parameters(PG_FUNCTION_ARGS)
{
	ReturnSetInfo *rsinfo = (ReturnSetInfo *) fcinfo->resultinfo;
	char	   *of = text_to_cstring(PG_GETARG_TEXT_PP(0));
	const ParamSet *set[4];
	int			n = 0;
	int			i;

	/* A model and a solver can have one name, which then gives the rows of both. */
	for (i = 0; i < model_count; i++)
		if (strcmp(model_registry[i]->name, of) == 0)
			set[n++] = &model_registry[i]->params;
	for (i = 0; i < solver_count_registered; i++)
		if (strcmp(solver_registry[i]->name, of) == 0)
			set[n++] = &solver_registry[i]->params;
	if (strcmp(frag_graph_params.name, of) == 0)
		set[n++] = &frag_graph_params;
	if (strcmp(behaviour_params.name, of) == 0)
		set[n++] = &behaviour_params;
	if (strcmp(eligibility_params.name, of) == 0)
		set[n++] = &eligibility_params;

	InitMaterializedSRF(fcinfo, 0);
	if (n == 0)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("there are no parameters of \"%s\"", of),
				 errhint("There are some of models() and solvers(), of \"%s\", \"%s\" and \"%s\".",
						 behaviour_params.name, frag_graph_params.name, eligibility_params.name)));
	for (i = 0; i < n; i++)
		put_parameters(rsinfo, set[i]);
	return (Datum) 0;
}
