/*
 * tune_options.c
 *		Options of tune() and suggest_model().
 */
#include "pg/history/tune_options.h"

#include "pg/sql/json.h"

/* What is valid where options share a range. */
#define SHARE "a share from 0 to 0.9"

/* The evaluations of suggest_model(), unless it is told otherwise. */
#define DEFAULT_BUDGET 10000

/* The level of messages that the member of a reader names. */
static int
level_option(const JsonReader *reader)
{
	static const char *const names[] = {
		"debug2", "debug1", "log", "info", "notice", NULL
	};
	static const int levels[] = {DEBUG2, DEBUG1, LOG, INFO, NOTICE};
	int			choice = json_value_choice(&reader->value, names);

	if (choice < 0)
		json_invalid_value(reader,
						   "\"debug2\", \"debug1\", \"log\", \"info\" or \"notice\"");
	return levels[choice];
}

/* True for all parts, false for none, or an array of their names. */
static void
parts_option(const JsonReader *reader, TuneOptions *options)
{
	/*
	 * Whether a model has parts of these names is checked when the model is
	 * known.
	 */
	if (json_value_boolean(&reader->value, &options->all_parts))
		return;
	options->all_parts = false;
	options->parts = json_member_texts(reader, false, &options->nparts,
									   "true, false or an array of names of parts");
}

/* Null for the model's own choice, or an array of names. */
static void
fit_option(const JsonReader *reader, TuneOptions *options)
{
	if (reader->value.type != jbvNull)
		options->fit = json_member_texts(reader, false, &options->nfit,
										 "an array of names of parameters, or null");
}

/* An option that both functions have; false for others. */
static bool
common_option(const JsonReader *reader, TuneOptions *options)
{
	if (strcmp(reader->key, "burn_in") == 0)
		options->burn_in = json_member_number(reader, 0, 0.9, SHARE);
	else if (strcmp(reader->key, "holdout") == 0)
		options->holdout = json_member_number(reader, 0, 0.9, SHARE);
	else if (strcmp(reader->key, "starts") == 0)
		options->starts = (int) json_member_number(reader, 1, 16, "a number from 1 to 16");
	else if (strcmp(reader->key, "tolerance") == 0)
		options->tolerance = json_member_number(reader, 1e-10, 0.5,
												"a number from 1e-10 to 0.5");
	else if (strcmp(reader->key, "progress") == 0)
		options->progress = level_option(reader);
	else if (strcmp(reader->key, "strict_rows") == 0)
	{
		if (!json_value_boolean(&reader->value, &options->strict))
			json_invalid_value(reader, "true or false");
	}
	else if (strcmp(reader->key, "priors") == 0)
	{
		if (!json_value_boolean(&reader->value, &options->priors))
			json_invalid_value(reader, "true or false");
	}
	else if (strcmp(reader->key, "parts") == 0)
		parts_option(reader, options);
	else
		return false;
	return true;
}

TuneOptions
tune_options(Jsonb *json)
{
	TuneOptions options = {
		.burn_in = 0.1,.holdout = 0.2,.tolerance = 1e-4,.starts = 4,.progress = DEBUG1,
		.priors = true,.given = json
	};
	JsonReader	reader;

	/* Options that are left out keep these defaults. */
	if (json == NULL)
		return options;
	json_reader_begin(&reader, json, "options of tune()",
					  "For example '{\"params\": {\"k\": 20}, \"holdout\": 0.2}'.");
	while (json_reader_next(&reader))
	{
		if (strcmp(reader.key, "fit") == 0)
			fit_option(&reader, &options);
		else if (strcmp(reader.key, "params") == 0)
			options.params = json_member_object(&reader, "an object");
		else if (strcmp(reader.key, "bounds") == 0)
			options.bounds = json_member_object(&reader, "an object");
		else if (strcmp(reader.key, "max_evaluations") == 0)
			options.max_evaluations = (int)
				json_member_number(&reader, 1, 1e6,
								   "a number from 1 to 1000000");
		else if (!common_option(&reader, &options))
			json_invalid_key(&reader,
							 "\"fit\", \"params\", \"bounds\", \"parts\", \"priors\", \"starts\", \"burn_in\", \"holdout\", \"max_evaluations\", \"tolerance\", \"strict_rows\" and \"progress\"");
	}
	return options;
}

TuneOptions
suggest_options(Jsonb *json)
{
	TuneOptions options = {
		.burn_in = 0.1,.holdout = 0.2,.tolerance = 1e-3,.starts = 3,.progress = DEBUG1,
		.priors = true,.all_parts = true,.max_evaluations = DEFAULT_BUDGET,.given = json
	};
	JsonReader	reader;

	/* Coarser than tune(), because many models share the budget. */
	if (json == NULL)
		return options;
	json_reader_begin(&reader, json, "options of suggest_model()",
					  "For example '{\"budget\": 2000, \"holdout\": 0.3}'.");
	while (json_reader_next(&reader))
	{
		if (strcmp(reader.key, "budget") == 0)
			options.max_evaluations = (int)
				json_member_number(&reader, 1, 1e7, "a number from 1 to 10000000");
		else if (strcmp(reader.key, "models") == 0)
		{
			options.models = json_member_texts(&reader, false, &options.nmodels,
											   "an array of names of models");
			if (options.nmodels == 0)
				json_invalid_value(&reader, "an array of names of models, or left out for all");
		}
		else if (!common_option(&reader, &options))
			json_invalid_key(&reader,
							 "\"budget\", \"models\", \"parts\", \"priors\", \"starts\", \"burn_in\", \"holdout\", \"tolerance\", \"strict_rows\" and \"progress\"");
	}
	return options;
}

bool
tune_given_bounds(const TuneOptions *options, const Model *model,
				  const ParamSpec *spec, double *low, double *high)
{
	JsonReader	reader;
	double		bound[2];
	int			i;

	if (options->bounds == NULL)
		return false;
	json_reader_begin(&reader, options->bounds, TUNE_BOUNDS, NULL);
	if (!json_reader_find(&reader, spec->name))
		return false;
	json_member_numbers(&reader, bound, 2, "a pair of numbers, such as [4, 64]");
	for (i = 0; i < 2; i++)

		/*
		 * The range of a parameter holds for its bounds: the search evaluates
		 * the model at both ends.
		 */
		if (!param_in_range(spec, bound[i]))
			ereport(ERROR,
					(errcode(ERRCODE_NUMERIC_VALUE_OUT_OF_RANGE),
					 errmsg("bound %g of parameter \"%s\" is out of range",
							bound[i], spec->name),
					 errhint("See skillrating.parameters('%s').",
							 model->name)));
	*low = bound[0];
	*high = bound[1];
	if (!(*low < *high))
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("bounds %g and %g of parameter \"%s\" do not ascend",
						*low, *high, spec->name)));
	return true;
}
