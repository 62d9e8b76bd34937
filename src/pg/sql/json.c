/*
 * json.c
 *		Reading jsonb: the members of an object, and values of a required type.
 */
#include "pg/sql/json.h"

#include "utils/builtins.h"
#include "utils/numeric.h"

/*
 * ---- Values ----
 */

bool
json_value_number(const JsonbValue *value, double *number)
{
	if (value->type != jbvNumeric)
		return false;

	/* What overflows becomes infinite, which no range includes. */
	*number = DatumGetFloat8(DirectFunctionCall1(numeric_float8_no_overflow,
												 NumericGetDatum(value->val.numeric)));
	return true;
}

bool
json_value_boolean(const JsonbValue *value, bool *boolean)
{
	if (value->type != jbvBool)
		return false;
	*boolean = value->val.boolean;
	return true;
}

char *
json_value_text(const JsonbValue *value)
{
	if (value->type != jbvString)
		return NULL;

	/* The string in a jsonb is not terminated. */
	return pnstrdup(value->val.string.val, value->val.string.len);
}

int
json_value_choice(const JsonbValue *value, const char *const *choices)
{
	int			i;

	if (value->type != jbvString)
		return -1;
	for (i = 0; choices[i] != NULL; i++)
		if (value->val.string.len == (int) strlen(choices[i]) &&
			memcmp(value->val.string.val, choices[i],
				   value->val.string.len) == 0)
			return i;
	return -1;
}

int
json_value_size(const JsonbValue *value)
{
	if (value->type != jbvBinary || !JsonContainerIsArray(value->val.binary.data))
		return -1;
	return (int) JsonContainerSize(value->val.binary.data);
}

JsonbValue *
json_value_element(const JsonbValue *array, int i)
{
	Assert(i >= 0 && i < json_value_size(array));
	return getIthJsonbValueFromContainer(array->val.binary.data, (uint32) i);
}

/*
 * ---- Members of an object ----
 */

void
json_reader_begin(JsonReader *reader, Jsonb *json, const char *object,
				  const char *hint)
{
	if (!JB_ROOT_IS_OBJECT(json))
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("%s must be a jsonb object", object),
				 hint != NULL ? errhint("%s", hint) : 0));
	memset(reader, 0, sizeof(JsonReader));
	reader->object = object;
	reader->json = json;
}

bool
json_reader_next(JsonReader *reader)
{
	JsonbIteratorToken token;

	if (reader->iterator == NULL)
		reader->iterator = JsonbIteratorInit(&reader->json->root);

	/* Nested values are skipped, so that every key is one of the object. */
	do
		token = JsonbIteratorNext(&reader->iterator, &reader->value, true);
	while (token != WJB_KEY && token != WJB_DONE);
	if (token == WJB_DONE)
		return false;

	/*
	 * Keys are allocated in the current context and are not freed: an object
	 * of parameters has a few dozen at most.
	 */
	reader->key = json_value_text(&reader->value);
	(void) JsonbIteratorNext(&reader->iterator, &reader->value, true);
	return true;
}

bool
json_reader_find(JsonReader *reader, const char *key)
{
	JsonbValue	name;
	JsonbValue *value;

	/*
	 * The lookup allocates its result, which is copied into the reader and
	 * freed.
	 */
	name.type = jbvString;
	name.val.string.val = unconstify(char *, key);
	name.val.string.len = (int) strlen(key);
	value = findJsonbValueFromContainer(&reader->json->root, JB_FOBJECT, &name);
	if (value == NULL)
		return false;
	reader->key = pstrdup(key);
	reader->value = *value;
	pfree(value);
	return true;
}

void
json_invalid_value(const JsonReader *reader, const char *expected)
{
	ereport(ERROR,
			(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
			 errmsg("value of \"%s\" in %s must be %s", reader->key,
					reader->object, expected)));
}
