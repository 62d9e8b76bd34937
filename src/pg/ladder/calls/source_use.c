/*
 * source_use.c
 *		Which columns of a source a model makes use of, and what others may be meant for.
 */
#include "pg/sql/glue.h"

#include "access/attnum.h"
#include "utils/builtins.h"
#include "utils/jsonb.h"
#include "utils/lsyscache.h"
#include "utils/varlena.h"

#include "core/evaluate/tune_parts.h"
#include "core/rating/period.h"
#include "pg/matches/source.h"
#include "pg/sql/arrays.h"

SKILLRATING_FUNCTION(skillrating_unused_columns);
SKILLRATING_FUNCTION(skillrating_nearest_source_column);

/*
 * Columns that another one makes use of, or the lack of another one: log-odds favour a side, and a
 * match without ranks goes by scores.
 */
static bool
is_used_beside(Oid source, SourceColumn column)
{
	if (column == SOURCE_SIDE)
		return get_attnum(source, source_column_name(SOURCE_LOG_ODDS)) != InvalidAttrNumber;
	if (column == SOURCE_SCORE || column == SOURCE_PLAYER_SCORE)
		return get_attnum(source, source_column_name(SOURCE_RANK)) == InvalidAttrNumber;
	return false;
}

/* Whether tournaments are the rating periods: no time tells one then. */
static bool
goes_by_tournaments(const Model *model, const ParamValue *params)
{
	return model->period != 0 && period_of(model, params, 0, 0).key == 0;
}

/*
 * Whether a model takes any of these parts of a match into account.  What only parts of the model
 * need that are off has no effect, unless the state has a column for it.
 */
static bool
takes_account(const Model *model, const ParamValue *params, unsigned supports)
{
	unsigned	switched = 0;
	int			i;

	for (i = 0; i < model->nparts; i++)
	{
		const ModelPart *part = &model->part[i];

		if ((part->needs & supports) == 0)
			continue;
		if (tune_part_is_on(model, params, part))
			return true;
		if (part->kind == PART_OF_MODEL)
			switched |= part->needs;
	}
	return (model->rules.supports & supports & ~switched) != 0 ||
		((supports & MODEL_SIDE) != 0 && model_state_column(model, ROLE_SIDE) >= 0) ||
		((supports & MODEL_COMMANDING) != 0 && model_state_column(model, ROLE_COMMAND) >= 0);
}

/* unused_columns(source, model, params) */
Datum
skillrating_unused_columns(PG_FUNCTION_ARGS)
{
	Oid			source = PG_GETARG_OID(0);
	const Model *model = get_model(text_to_cstring(PG_GETARG_TEXT_PP(1)));
	const ParamValue *params = get_model_params(&model, PG_GETARG_JSONB_P(2));
	const char *unused[SOURCE_NCOLUMNS];
	int			n = 0;
	int			i;

	for (i = 0; i < SOURCE_NCOLUMNS; i++)
	{
		const char *name = source_column_name(i);

		if (get_attnum(source, name) != InvalidAttrNumber && !is_used_beside(source, i) &&
			(i == SOURCE_TOURNAMENT ? !goes_by_tournaments(model, params) :
			 source_column_supports(i) != 0 && !takes_account(model, params, source_column_supports(i))))
			unused[n++] = name;
	}
	return text_array(unused, n);
}

/* nearest_source_column(name): that of the least distance, a third of the letters at most. */
Datum
skillrating_nearest_source_column(PG_FUNCTION_ARGS)
{
	text	   *given = PG_GETARG_TEXT_PP(0);
	int			length = (int) VARSIZE_ANY_EXHDR(given);
	int			least = length / 3 + 1;
	const char *nearest = NULL;
	int			i;

	for (i = 0; i < SOURCE_NCOLUMNS && length < NAMEDATALEN; i++)
	{
		const char *name = source_column_name(i);
		int			distance = varstr_levenshtein_less_equal(VARDATA_ANY(given), length,
															 name, (int) strlen(name), 1, 1, 1, least, true);

		if (distance < least && distance > 0)
		{
			least = distance;
			nearest = name;
		}
	}
	if (nearest == NULL)
		PG_RETURN_NULL();
	PG_RETURN_TEXT_P(cstring_to_text(nearest));
}
