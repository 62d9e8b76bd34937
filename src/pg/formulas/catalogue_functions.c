/*
 * catalogue_functions.c
 *		The registry of rating models, and the parameters of all that has some, as SQL sees
 *		them.
 */
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

/* The words for what a model supports, by bit of ModelSupport. */
static const char *const support_names[] = {
	"many_teams", "draws", "weight", "side", "commanding", "log_odds", "gain",
	"score", "one_team", "squad", "counts", "quit", "experience",
	"context", "club", "uneven_teams"
};

/* The words in the order of the bits, which is the order that models() and tune() show. */
static int
support_words(unsigned supports, const char **name)
{
	int			n = 0;
	int			i;

	for (i = 0; i < (int) lengthof(support_names); i++)
		if (supports & (1 << i))
			name[n++] = support_names[i];
	return n;
}

static const char *const scope_words[] = {
	[COMPONENT_OF_MATCH] = "match",
	[COMPONENT_OF_UNEVEN] = "match",
	[COMPONENT_OF_SIDE] = "side",
	[COMPONENT_OF_TEAM] = "team",
	[COMPONENT_OF_PLAYER] = "player"
};

/* The source column that a kind goes by, or NULL. */
static const char *const key_words[] = {
	[COMPONENT_BY_CONTEXT] = "context",
	[COMPONENT_BY_CLUB] = "club",
	[COMPONENT_BY_NOTHING] = NULL
};

/* The kinds of components of a model as an array of model_component. */
static Datum
component_array(const Model *model, const ParamValue *params, Oid row_type)
{
	RowArray	rows = row_array_of(row_type, model->rules.ncomponents);
	int			k;

	for (k = 0; k < model->rules.ncomponents; k++)
	{
		const ComponentSpec *spec = &model->rules.component[k];

		/*
		 * Kinds that the parameters leave out are listed too, without an
		 * initial state.
		 */
		bool		used = spec->used(params);
		const char *states[COMPONENT_MAX_STATE];
		double		initial[COMPONENT_MAX_STATE] = {0};
		ResultRow	row = {0};
		int			i;

		for (i = 0; i < spec->nstate; i++)
			states[i] = spec->state[i].name;
		if (used)
			spec->init(params, initial);
		put_text(&row, spec->name);
		put_text(&row, scope_words[spec->scope]);
		put_text(&row, key_words[spec->key]);
		put_bool(&row, used);
		put_datum(&row, text_array(states, spec->nstate), false);
		put_datum(&row, float8_array(initial, spec->nstate), !used);
		put_text(&row, spec->description);
		row_array_add(&rows, &row);
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
		const char *needs[lengthof(support_names) + 1];
		int			nneeds = support_words(part->needs, needs);
		ResultRow	row = {0};

		for (j = 0; j < part->nparams; j++)
			params[j] = param_spec(&model->params, part->param[j].param)->name;
		if (part->needs_times)
			needs[nneeds++] = "times";
		put_text(&row, part->name);
		put_text(&row, part->description);
		put_datum(&row, text_array(params, part->nparams), false);
		put_datum(&row, text_array(needs, nneeds), false);
		row_array_add(&rows, &row);
	}
	return return_row_array(&rows);
}

/* Put a row about a model into the result, under these parameters. */
static void
put_model(FunctionCallInfo fcinfo, const Model *model, Jsonb *json)
{
	static const StateRole roles[] = {ROLE_DEVIATION, ROLE_SIDE, ROLE_COMMAND};
	ParamValue *params = get_model_params(&model, json);
	const char *states[MODEL_MAX_STATE];
	const char *descriptions[MODEL_MAX_STATE];
	const char *supports[lengthof(support_names)];
	double		unit = model_log_odds_unit(model, params);
	ResultRow	row = {0};
	int			i;

	for (i = 0; i < model->nstate; i++)
	{
		states[i] = model->state[i].name;
		descriptions[i] = model->state[i].description;
	}

	put_text(&row, model->name);
	put_text(&row, model->summary);
	put_datum(&row, text_array(states, model->nstate), false);
	put_datum(&row, text_array(descriptions, model->nstate), false);
	put_datum(&row, text_array(supports, support_words(model->rules.supports, supports)), false);
	put_text(&row, model->source);
	for (i = 0; i < (int) lengthof(roles); i++)
	{
		int			column = model_state_column(model, roles[i]);

		put_text(&row, column < 0 ? NULL : model->state[column].name);
	}

	/* Extreme parameters leave no number. */
	put_datum(&row, Float8GetDatum(unit), isnan(unit) || isinf(unit));
	put_datum(&row, params_jsonb(&model->params, params), false);
	put_datum(&row, part_array(model, next_element_type(fcinfo, &row)), false);
	put_datum(&row, component_array(model, params, next_element_type(fcinfo, &row)), false);
	add_result_row(fcinfo, &row);
}

/* models(model, params) */
SQL_FUNCTION(skillrating_models)
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

SQL_FUNCTION(skillrating_solvers)
{
	int			i;

	InitMaterializedSRF(fcinfo, 0);
	for (i = 0; i < solver_count_registered; i++)
	{
		const Solver *solver = solver_registry[i];
		const char *supports[lengthof(support_names) + 2];
		int			n = support_words(solver->rules.supports, supports);
		ResultRow	row = {0};

		if (solver->contexts)
			supports[n++] = "context";
		if (solver->by_day || solver->rows == NULL)
			supports[n++] = "played_at";
		put_text(&row, solver->name);
		put_text(&row, solver->summary);
		put_text(&row, solver->source);
		put_datum(&row, text_array(supports, n), false);
		add_result_row(fcinfo, &row);
	}
	return (Datum) 0;
}

/* parameters(of) */
SQL_FUNCTION(skillrating_parameters)
{
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
		put_parameters(fcinfo, set[i]);
	return (Datum) 0;
}
