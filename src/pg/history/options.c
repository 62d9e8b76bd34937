/*
 * options.c
 *		The last argument of functions over a history: its options, an object.
 */
#include "pg/history/options.h"

#include <float.h>

#include "lib/stringinfo.h"
#include "utils/builtins.h"
#include "utils/float.h"
#include "utils/numeric.h"

#include "pg/sql/json.h"

/* How many matches rate_through_time() rates before it solves, unless it is told otherwise. */
#define DEFAULT_REFIT_MATCHES 1000

/* The defaults.  suggest_model() is coarser than tune(), because many models share its budget. */
static const StudyOptions tune_defaults = {
	.burn_in = 0.1,.holdout = 0.2,.tolerance = 1e-4,.starts = 4,.priors = true
};

static const StudyOptions suggest_defaults = {
	.burn_in = 0.1,.holdout = 0.2,.tolerance = 1e-3,.starts = 3,.priors = true,
	.all_parts = true,.max_evaluations = 10000
};

/* What the field of an option is. */
typedef enum OptionType
{
	OPTION_FLAG,				/* bool */
	OPTION_NUMBER,				/* double, */
	OPTION_COUNT,				/* or int, within the range */
	OPTION_OBJECT,				/* Jsonb * */
	OPTION_TEXTS,				/* OptionTexts, so many at least */
	OPTION_PARTS				/* StudyOptions */
} OptionType;

typedef struct OptionSpec
{
	const char *name;
	unsigned	sets;			/* it is in any of them */
	OptionType	type;
	size_t		field;
	double		min;
	double		max;
	bool		nullable;		/* null takes the field back to */
	double		null;			/* this number, or to no texts */
	const char *expected;		/* in the error of another value */
} OptionSpec;

#define FIELD(name) offsetof(HistoryOptions, name)

/* The options, in the order in which a hint lists them. */
static const OptionSpec known[] = {
	{"fit", OPTION_TUNE, OPTION_TEXTS, FIELD(fit), 0, 0, true, 0,
	"an array of names of parameters, or null"},
	{"params", OPTION_TUNE, OPTION_OBJECT, FIELD(params), 0, 0, false, 0, "an object"},
	{"bounds", OPTION_TUNE, OPTION_OBJECT, FIELD(bounds), 0, 0, false, 0, "an object"},
	{"max_evaluations", OPTION_TUNE, OPTION_COUNT, FIELD(study.max_evaluations), 1, 1e6, false, 0,
	"a number from 1 to 1000000"},
	{"budget", OPTION_SUGGEST, OPTION_COUNT, FIELD(study.max_evaluations), 1, 1e7, false, 0,
	"a number from 1 to 10000000"},
	{"models", OPTION_SUGGEST, OPTION_TEXTS, FIELD(models), 1, 0, false, 0,
	"an array of names of models, or left out for all"},
	{"parts", OPTION_STUDY, OPTION_PARTS, FIELD(study), 0, 0, false, 0,
	"true, false or an array of names of parts"},
	{"priors", OPTION_STUDY, OPTION_FLAG, FIELD(study.priors), 0, 0, false, 0, "true or false"},
	{"starts", OPTION_STUDY, OPTION_COUNT, FIELD(study.starts), 1, 16, false, 0,
	"a number from 1 to 16"},
	{"burn_in", OPTION_STUDY, OPTION_NUMBER, FIELD(study.burn_in), 0, 0.9, false, 0,
	"a share from 0 to 0.9"},
	{"holdout", OPTION_STUDY, OPTION_NUMBER, FIELD(study.holdout), 0, 0.9, false, 0,
	"a share from 0 to 0.9"},
	{"tolerance", OPTION_STUDY, OPTION_NUMBER, FIELD(study.tolerance), 1e-10, 0.5, false, 0,
	"a number from 1e-10 to 0.5"},
	{"strict_rows", OPTION_STRICT, OPTION_FLAG, FIELD(strict), 0, 0, false, 0, "true or false"},
	{"season_keep", OPTION_SEASON, OPTION_NUMBER, FIELD(season.keep), 0, 1, true,
	SEASON_KEEP_DEFAULT, "a number from 0 to 1"},
	{"season_mean", OPTION_SEASON, OPTION_NUMBER, FIELD(season.mean), -DBL_MAX, DBL_MAX, true, NAN,
	"a number"},
	{"exact_for", OPTION_EXACT_FOR, OPTION_TEXTS, FIELD(exact_for), 0, 0, false, 0,
	"an array of players"},
	{"refit_matches", OPTION_REFITS, OPTION_COUNT, FIELD(refits.matches), 1, PG_INT32_MAX, true, 0,
	"a number of matches, or null for never"},
	{"refit_days", OPTION_REFITS, OPTION_NUMBER, FIELD(refits.days), DBL_MIN, DBL_MAX, true, 0,
	"a number of days above 0, or null for never"}
};

/* Error 22023: what the reader stands at is neither an option nor a parameter. */
pg_noreturn static void
unknown_option(const JsonReader *reader, const char *function, const ParamSet *set,
			   unsigned valid)
{
	StringInfoData names;
	int			i;

	initStringInfo(&names);
	for (i = 0; i < (int) lengthof(known); i++)
		if (known[i].sets & valid)
			appendStringInfo(&names, "%s\"%s\"", names.len > 0 ? ", " : "", known[i].name);
	if (set != NULL)
		appendStringInfo(&names, ", and the parameters of %s \"%s\": ", set->kind, set->name);
	for (i = 0; set != NULL && i < set->count; i++)
		appendStringInfo(&names, "%s\"%s\"", i > 0 ? ", " : "",
						 param_spec(set, param_listed(set, i))->name);
	ereport(ERROR,
			(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
			 errmsg("%s() has no option \"%s\"", function, reader->key),
			 errhint("Its options are %s.", names.data)));
}

/* A number that the reader stands at. */
static double
number_option(const OptionSpec *spec, const JsonReader *reader)
{
	double		number;

	/* Written so that a NaN would fail too. */
	if (!json_value_number(&reader->value, &number) ||
		!(number >= spec->min && number <= spec->max))
		json_invalid_value(reader, spec->expected);
	return number;
}

/* An array of texts, or of numbers, which become texts: players may be either. */
static OptionTexts
texts_option(const OptionSpec *spec, const JsonReader *reader)
{
	int			n = json_value_size(&reader->value);
	OptionTexts list = {NULL, n};
	int			i;

	if (n < 0 || n < spec->min)
		json_invalid_value(reader, spec->expected);
	list.text = palloc_array(char *, Max(n, 1));
	for (i = 0; i < n; i++)
	{
		const JsonbValue *element = json_value_element(&reader->value, i);

		if (element->type == jbvNumeric)
			list.text[i] = DatumGetCString(DirectFunctionCall1(numeric_out,
															   NumericGetDatum(element->val.numeric)));
		else
			list.text[i] = json_value_text(element);
		if (list.text[i] == NULL)
			json_invalid_value(reader, spec->expected);
	}
	return list;
}

/*
 * True for all parts, false for none, or an array of their names.  Whether a model has parts of these
 * names is checked when the model is known.
 */
static void
parts_option(const OptionSpec *spec, const JsonReader *reader, StudyOptions *study)
{
	OptionTexts parts;

	if (json_value_boolean(&reader->value, &study->all_parts))
		return;
	parts = texts_option(spec, reader);
	study->all_parts = false;
	study->parts = parts.text;
	study->nparts = parts.n;
}

/* Take the value of an option that the reader stands at. */
static void
take_option(HistoryOptions *options, const OptionSpec *spec, const JsonReader *reader)
{
	void	   *field = (char *) options + spec->field;
	bool		null = spec->nullable && reader->value.type == jbvNull;
	JsonbValue	value = reader->value;

	switch (spec->type)
	{
		case OPTION_FLAG:
			if (!json_value_boolean(&value, field))
				json_invalid_value(reader, spec->expected);
			break;
		case OPTION_NUMBER:
			*(double *) field = null ? spec->null : number_option(spec, reader);
			break;
		case OPTION_COUNT:
			*(int *) field = (int) (null ? spec->null : number_option(spec, reader));
			break;
		case OPTION_OBJECT:
			if (value.type != jbvBinary || !JsonContainerIsObject(value.val.binary.data))
				json_invalid_value(reader, spec->expected);
			*(Jsonb **) field = JsonbValueToJsonb(&value);
			break;
		case OPTION_TEXTS:
			if (!null)
				*(OptionTexts *) field = texts_option(spec, reader);
			break;
		case OPTION_PARTS:
			parts_option(spec, reader, field);
			break;
	}
}

HistoryOptions
history_options(const char *function, const ParamSet *set, unsigned valid, Jsonb *json)
{
	HistoryOptions options = {
		.params = set != NULL ? json : NULL,
		.season = {SEASON_KEEP_DEFAULT, get_float8_nan()},
		.refits = {DEFAULT_REFIT_MATCHES, 0},
		.study = valid & OPTION_SUGGEST ? suggest_defaults : tune_defaults
	};
	JsonReader	reader;

	if (json == NULL)
		return options;
	json_reader_begin(&reader, json, psprintf("options of %s()", function),
					  psprintf("For example '{\"%s\": ...}'.",
							   set != NULL ? set->own[0].name : "holdout"));
	while (json_reader_next(&reader))
	{
		int			i = 0;

		while (i < (int) lengthof(known) &&
			   ((known[i].sets & valid) == 0 || strcmp(known[i].name, reader.key) != 0))
			i++;
		if (i < (int) lengthof(known))
			take_option(&options, &known[i], &reader);
		else if (set == NULL || param_find(set, reader.key) < 0)
			unknown_option(&reader, function, set, valid);

		/* What is left of the object are parameters. */
		if (i < (int) lengthof(known) && set != NULL)
			options.params =
				DatumGetJsonbP(DirectFunctionCall2(jsonb_delete, JsonbPGetDatum(options.params),
												   CStringGetTextDatum(reader.key)));
	}
	return options;
}
