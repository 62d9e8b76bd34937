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

/* Error 22023: the object must not have the key; the hint lists those that are valid. */
pg_noreturn extern void json_invalid_key(const JsonReader *reader,
										 const char *valid);

/* Error 22023: the value must be what is expected, such as "a number". */
pg_noreturn extern void json_invalid_value(const JsonReader *reader,
										   const char *expected);

/*
 * The value of the member, of the type that the name says; json_invalid_value() with
 * expected if it is of another one, or a number that is not from min to max.  What is
 * returned is a copy in the current memory context.
 */
extern double json_member_number(const JsonReader *reader, double min,
								 double max, const char *expected);
extern Jsonb *json_member_object(const JsonReader *reader,
								 const char *expected);

/* Read an array of exactly n numbers, all finite. */
extern void json_member_numbers(const JsonReader *reader, double *number,
								int n, const char *expected);

/*
 * An array of n texts, followed by NULL.  With numbers, elements may be numbers too,
 * which become texts.
 */
extern char **json_member_texts(const JsonReader *reader, bool numbers,
								int *n, const char *expected);

/*
 * The same of any value, for those whose errors say more: false or -1 if it is of
 * another type.  json_value_choice() gives the index of a text among the choices, of which
 * NULL is the last; json_value_size() the number of elements of an array, and
 * json_value_element() one of them, from 0, newly allocated.
 */
extern bool json_value_number(const JsonbValue *value, double *number);
extern bool json_value_boolean(const JsonbValue *value, bool *boolean);
extern int	json_value_choice(const JsonbValue *value,
							  const char *const *choices);
extern int	json_value_size(const JsonbValue *value);
extern JsonbValue *json_value_element(const JsonbValue *array, int i);

#endif							/* PG_SQL_JSON_H */
