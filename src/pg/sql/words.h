/*
 * words.h
 *		Taking words out of texts.
 */
#ifndef PG_SQL_WORDS_H
#define PG_SQL_WORDS_H

#include "pg/sql/glue.h"

#include "utils/array.h"

typedef struct Words Words;

/* The elements of an array of texts without nulls, with memory from the current context. */
extern Words *words_create(ArrayType *array);

/*
 * A text with a replacement in the place of each word; the same pointer if there is
 * none.  A word must not go on, to either side, with letters or digits, unless it ends
 * there with another character.  Where several begin, the longest counts.
 */
extern const char *words_replace(const Words *words, const char *string,
								 const char *replacement);

#endif							/* PG_SQL_WORDS_H */
