/*
 * json.h
 *		Reading jsonb: the members of an object, and values of a required type.
 *
 * All errors about an argument of type jsonb come from here, so that they read
 * alike: what is invalid, in which argument, and what is valid.
 */
#ifndef PG_SQL_JSON_H
#define PG_SQL_JSON_H

#include "pg/sql/glue.h"

/*
 * A reader of an object's members.  It stands at the member that json_reader_next() or
 * json_reader_find() has found last; key and value are that member's.  The key is a copy in
 * the memory context that was current then, whereas the value points into the object,
 * which must outlive it.
 */
typedef struct JsonReader
{
	const char *object;			/* its name in messages, such as "plan" */
	Jsonb	   *json;
	JsonbIterator *iterator;	/* NULL before the first json_reader_next() */
	char	   *key;
	JsonbValue	value;
} JsonReader;

/*
 * Begin to read an object of that name; error 22023, with a hint unless that is NULL,
 * if json is something else.  Name and json are referred to, not copied.
 */
extern void json_reader_begin(JsonReader *reader, Jsonb *json,
							  const char *object, const char *hint);

/* Move to the next member; false behind the last one. */
extern bool json_reader_next(JsonReader *reader);

/*
 * Move to the member of that key; false, without moving, if there is none.  This does
 * not disturb json_reader_next().
 */
extern bool json_reader_find(JsonReader *reader, const char *key);

/* Error 22023: the value must be what is expected, such as "a number". */
pg_noreturn extern void json_invalid_value(const JsonReader *reader,
										   const char *expected);

/*
 * Values of a type, for those whose errors say more: false, NULL or -1 if they are of another one.
 * json_value_choice() gives the index of a text among the choices, of which NULL is the last;
 * json_value_size() the number of elements of an array, and json_value_element() one of them, from
 * 0.  Texts and elements are newly allocated.
 */
extern bool json_value_number(const JsonbValue *value, double *number);
extern bool json_value_boolean(const JsonbValue *value, bool *boolean);
extern char *json_value_text(const JsonbValue *value);
extern int	json_value_choice(const JsonbValue *value,
							  const char *const *choices);
extern int	json_value_size(const JsonbValue *value);
extern JsonbValue *json_value_element(const JsonbValue *array, int i);

#endif							/* PG_SQL_JSON_H */
