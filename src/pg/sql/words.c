/*
 * words.c
 *		Taking words out of texts.
 *
 * Words are looked up by their hash, by each of their lengths at each place where one
 * can begin, so that thousands of them cost as much as a few.
 */
#include "pg/sql/words.h"

#include "catalog/pg_type.h"
#include "lib/stringinfo.h"
#include "utils/builtins.h"

#include "pg/sql/ids.h"

SKILLRATING_FUNCTION(skillrating_replace_words);

struct Words
{
	IdType		type;			/* text */
	IdTable    *table;			/* to anything but NULL */
	int		   *length;			/* of any word: distinct, the largest first */
	int			nlengths;
	text	   *room;			/* for a candidate of the largest length */
};

static int
compare_descending(const void *a, const void *b)
{
	int			i = *(const int *) a;
	int			j = *(const int *) b;

	return (i < j) - (i > j);
}

Words *
words_create(ArrayType *array)
{
	Words	   *words = palloc0_object(Words);
	Datum	   *word;
	int			n;
	int			i;

	deconstruct_array(array, TEXTOID, -1, false, TYPALIGN_INT, &word, NULL, &n);
	id_type_init(&words->type, TEXTOID, "words");
	words->table = id_table_create(&words->type);
	words->length = palloc_array(int, Max(n, 1));
	for (i = 0; i < n; i++)
	{
		bool		found;

		*id_table_enter(words->table, word[i], "", &found) = words;
		words->length[i] = VARSIZE_ANY_EXHDR(DatumGetTextPP(word[i]));
	}
	qsort(words->length, n, sizeof(int), compare_descending);
	for (i = 0; i < n; i++)
		if (words->length[i] > 0 &&
			(words->nlengths == 0 ||
			 words->length[i] != words->length[words->nlengths - 1]))
			words->length[words->nlengths++] = words->length[i];
	words->room = palloc(VARHDRSZ + (words->nlengths > 0 ? words->length[0] : 0));
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
	for (i = 0; i < words->nlengths; i++)
	{
		int			size = words->length[i];

		if (size > length - place || splits_word(string, place + size))
			continue;
		SET_VARSIZE(words->room, VARHDRSZ + size);
		memcpy(VARDATA(words->room), string + place, size);
		if (id_table_find(words->table, PointerGetDatum(words->room), "") != NULL)
			return size;
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

/* What a call site of replace_words() keeps. */
typedef struct KeptWords
{
	MemoryContext context;		/* of this */
	ArrayType  *array;			/* a copy of what the words are made of */
	Words	   *words;
} KeptWords;

static KeptWords *
keep_words(FmgrInfo *flinfo, ArrayType *array)
{
	KeptWords  *kept = flinfo->fn_extra;
	MemoryContext context;
	MemoryContext old;

	if (kept != NULL)
	{
		flinfo->fn_extra = NULL;
		MemoryContextDelete(kept->context);
	}
	context = AllocSetContextCreate(flinfo->fn_mcxt, "skillrating words",
									ALLOCSET_SMALL_SIZES);
	old = MemoryContextSwitchTo(context);
	kept = palloc0_object(KeptWords);
	kept->context = context;
	kept->array = (ArrayType *) palloc(VARSIZE(array));
	memcpy(kept->array, array, VARSIZE(array));
	kept->words = words_create(kept->array);
	MemoryContextSwitchTo(old);
	flinfo->fn_extra = kept;
	return kept;
}

/* replace_words(string, words, replacement) */
Datum
skillrating_replace_words(PG_FUNCTION_ARGS)
{
	KeptWords  *kept = fcinfo->flinfo->fn_extra;
	ArrayType  *array = PG_GETARG_ARRAYTYPE_P(1);
	char	   *replacement = text_to_cstring(PG_GETARG_TEXT_PP(2));
	const char *result;

	/* The same words in one row after the other are taken up once. */
	if (kept == NULL || VARSIZE(array) != VARSIZE(kept->array) ||
		memcmp(array, kept->array, VARSIZE(array)) != 0)
		kept = keep_words(fcinfo->flinfo, array);
	result = words_replace(kept->words, text_to_cstring(PG_GETARG_TEXT_PP(0)), replacement);
	PG_RETURN_TEXT_P(cstring_to_text(result));
}
