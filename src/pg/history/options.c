/*
 * options.c
 *		The last argument of functions over a history: its options, an object.
 */
#include "pg/history/options.h"

#include <float.h>

#include "lib/stringinfo.h"
#include "utils/builtins.h"
#include "utils/float.h"

#include "pg/sql/json.h"

/* How many matches rate_through_time() rates before it solves, unless it is told otherwise. */
#define DEFAULT_REFIT_MATCHES 1000

/* The options, in the order in which a hint lists them. */
static const struct
{
	const char *name;
	unsigned	set;
}			known[] = {
	{"strict_rows", OPTION_STRICT},
	{"season_keep", OPTION_SEASON},
	{"season_mean", OPTION_SEASON},
	{"exact_for", OPTION_EXACT_FOR},
	{"refit_matches", OPTION_REFITS},
	{"refit_days", OPTION_REFITS}
};

enum
{
	STRICT_ROWS,
	SEASON_KEEP,
	SEASON_MEAN,
	EXACT_FOR,
	REFIT_MATCHES,
	REFIT_DAYS
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
		if (known[i].set & valid)
			appendStringInfo(&names, "\"%s\", ", known[i].name);
	appendStringInfo(&names, "and the parameters of %s \"%s\": ", set->kind, set->name);
	for (i = 0; i < set->count; i++)
		appendStringInfo(&names, "%s\"%s\"", i > 0 ? ", " : "",
						 param_spec(set, param_listed(set, i))->name);
	ereport(ERROR,
			(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
			 errmsg("%s() has no option \"%s\"", function, reader->key),
			 errhint("Its options are %s.", names.data)));
}

/* A number that may be null, and is what stands for that then. */
static double
number_or_null(const JsonReader *reader, double null, double min, double max,
			   const char *expected)
{
	if (reader->value.type == jbvNull)
		return null;
	return json_member_number(reader, min, max, expected);
}

/* Take the value of an option. */
static void
take_option(HistoryOptions *options, int option, const JsonReader *reader)
{
	switch (option)
	{
		case STRICT_ROWS:
			if (!json_value_boolean(&reader->value, &options->strict))
				json_invalid_value(reader, "true or false");
			break;
		case SEASON_KEEP:
			options->season.keep = number_or_null(reader, SEASON_KEEP_DEFAULT, 0, 1,
												  "a number from 0 to 1");
			break;
		case SEASON_MEAN:
			options->season.mean = number_or_null(reader, get_float8_nan(), -DBL_MAX, DBL_MAX,
												  "a number");
			break;
		case EXACT_FOR:
			options->exact_for = json_member_texts(reader, true, &options->nexact_for,
												   "an array of players");
			break;
		case REFIT_MATCHES:
			options->refits.matches = (int32)
				number_or_null(reader, 0, 1, PG_INT32_MAX, "a number of matches, or null for never");
			break;
		case REFIT_DAYS:
			options->refits.days = number_or_null(reader, 0, DBL_MIN, DBL_MAX,
												  "a number of days above 0, or null for never");
			break;
	}
}

HistoryOptions
history_options(const char *function, const ParamSet *set, unsigned valid, Jsonb *json)
{
	HistoryOptions options = {
		.given = json,.params = json,
		.season = {SEASON_KEEP_DEFAULT, get_float8_nan()},
		.refits = {DEFAULT_REFIT_MATCHES, 0}
	};
	JsonReader	reader;

	if (json == NULL)
		return options;
	json_reader_begin(&reader, json, psprintf("options of %s()", function),
					  psprintf("For example '{\"%s\": ...}'.", set->own[0].name));
	while (json_reader_next(&reader))
	{
		int			option = 0;

		while (option < (int) lengthof(known) &&
			   ((known[option].set & valid) == 0 || strcmp(known[option].name, reader.key) != 0))
			option++;
		if (option == lengthof(known) && param_find(set, reader.key) < 0)
			unknown_option(&reader, function, set, valid);
		if (option == lengthof(known))
			continue;
		take_option(&options, option, &reader);
		options.params =
			DatumGetJsonbP(DirectFunctionCall2(jsonb_delete, JsonbPGetDatum(options.params),
											   CStringGetTextDatum(reader.key)));
	}
	return options;
}
