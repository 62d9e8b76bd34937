/*
 * words.c
 *		Taking words out of texts.
 */
#include "pg/sql/words.h"

#include "catalog/pg_type.h"
#include "lib/stringinfo.h"
#include "utils/builtins.h"

typedef struct Word
{
	const char *bytes;			/* not terminated */
	int			size;
} Word;

struct Words
{
	Word	   *word;			/* the longest first */
	int			n;
};

static int
compare_words(const void *a, const void *b)
{
	return ((const Word *) b)->size - ((const Word *) a)->size;
}

Words *
words_create(ArrayType *array)
{
	Words	   *words = palloc0_object(Words);
	Datum	   *element;
	int			n;
	int			i;

	deconstruct_array(array, TEXTOID, -1, false, TYPALIGN_INT, &element, NULL, &n);
	words->word = palloc_array(Word, n);
	for (i = 0; i < n; i++)
	{
		text	   *word = DatumGetTextPP(element[i]);

		/* The bytes stay in the array; an empty word would be everywhere. */
		words->word[words->n].bytes = VARDATA_ANY(word);
		words->word[words->n].size = VARSIZE_ANY_EXHDR(word);
		words->n += words->word[words->n].size > 0;
	}
	qsort(words->word, words->n, sizeof(Word), compare_words);
	return words;
}

/* Of a character of several bytes, each is part of a word; no locale has a say. */
static bool
in_word(char c)
{
	return IS_HIGHBIT_SET(c) || (c >= '0' && c <= '9') ||
		(c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

/* Whether both sides of a place are in one word. */
static bool
splits_word(const char *string, int place)
{
	return place > 0 && in_word(string[place - 1]) && in_word(string[place]);
}

/* The length of the word at a place, or 0. */
static int
word_at(const Words *words, const char *string, int length, int place)
{
	int			i;

	if (splits_word(string, place))
		return 0;
	for (i = 0; i < words->n; i++)
	{
		const Word *word = &words->word[i];

		if (word->size <= length - place &&
			memcmp(word->bytes, string + place, word->size) == 0 &&
			!splits_word(string, place + word->size))
			return word->size;
	}
	return 0;
}

const char *
words_replace(const Words *words, const char *string, const char *replacement)
{
	int			length = strlen(string);
	StringInfoData result;
	int			done = 0;		/* bytes of the string that are in the result */
	int			place = 0;

	/*
	 * By bytes: in encodings of a server those of ASCII are part of no other
	 * character, and splits_word() keeps out what begins or ends within one.
	 */
	while (place < length)
	{
		int			size = word_at(words, string, length, place);

		if (size == 0)
		{
			place++;
			continue;
		}
		if (done == 0)
			initStringInfo(&result);
		appendBinaryStringInfo(&result, string + done, place - done);
		appendStringInfoString(&result, replacement);
		place += size;
		done = place;
	}
	if (done == 0)
		return string;
	appendStringInfoString(&result, string + done);
	return result.data;
}

/* replace_words(string, words, replacement) */
SQL_FUNCTION(skillrating_replace_words)
{
	PG_RETURN_TEXT_P(cstring_to_text(words_replace(words_create(PG_GETARG_ARRAYTYPE_P(1)),
												   text_to_cstring(PG_GETARG_TEXT_PP(0)),
												   text_to_cstring(PG_GETARG_TEXT_PP(2)))));
}
