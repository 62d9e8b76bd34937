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

#include "pg/matches/source.h"
#include "pg/sql/arrays.h"

static bool
has_column(Oid source, SourceColumn column)
{
	return get_attnum(source, source_column_name(column)) != InvalidAttrNumber;
}

/* unused_columns(source, model, params) */
SQL_FUNCTION(skillrating_unused_columns)
{
	Oid			source = PG_GETARG_OID(0);
	const Model *model = get_model(text_to_cstring(PG_GETARG_TEXT_PP(1)));
	const ParamValue *params = get_model_params(&model, PG_GETARG_JSONB_P(2));
	SourceColumns unused = source_unread(source, source_unused(model, params));
	const char *name[SOURCE_NCOLUMNS];
	int			n = 0;
	int			i;

	/* A score beside ranks is read for matches without them, and says nothing of others. */
	if (has_column(source, SOURCE_RANK) &&
		(model_uses(model, params) & (MODEL_SCORE | MODEL_ONE_TEAM)) == 0)
		unused |= SOURCE_COLUMNS(SOURCE_TEAM_SCORE) | SOURCE_COLUMNS(SOURCE_PLAYER_SCORE);
	for (i = 0; i < SOURCE_NCOLUMNS; i++)
		if ((unused & SOURCE_COLUMNS(i)) != 0 && has_column(source, i))
			name[n++] = source_column_name(i);
	return text_array(name, n);
}

/* Whether a name is the first or the last word of another, as score is of team_score. */
static bool
is_word_of(const char *given, int length, const char *name)
{
	int			rest = (int) strlen(name) - length;

	return length > 3 && rest > 0 &&
		((name[length] == '_' && memcmp(name, given, length) == 0) ||
		 (name[rest - 1] == '_' && memcmp(name + rest, given, length) == 0));
}

/*
 * nearest_source_column(source, name): of those that the source lacks, the first of which it is a
 * word, unless it is one of a column that the source has, or that of the least distance, a third of
 * the letters at most.
 */
SQL_FUNCTION(skillrating_nearest_source_column)
{
	Oid			source = PG_GETARG_OID(0);
	text	   *given = PG_GETARG_TEXT_PP(1);
	int			length = (int) VARSIZE_ANY_EXHDR(given);
	int			least = length / 3 + 1;
	const char *nearest = NULL;
	int			i;

	for (i = 0; i < SOURCE_NCOLUMNS && length < NAMEDATALEN; i++)
	{
		const char *name = source_column_name(i);
		bool		word = is_word_of(VARDATA_ANY(given), length, name);
		int			distance = word ? 0 :
			varstr_levenshtein_less_equal(VARDATA_ANY(given), length,
										  name, (int) strlen(name), 1, 1, 1, least, true);

		if (word && has_column(source, i))
			PG_RETURN_NULL();
		if (distance < least && !has_column(source, i))
		{
			least = distance;
			nearest = name;
		}
	}
	if (nearest == NULL)
		PG_RETURN_NULL();
	PG_RETURN_TEXT_P(cstring_to_text(nearest));
}
