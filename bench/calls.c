/*
 * calls.c
 *		Count the functions of the extension that a piece of work passes.
 *
 * bench/calls.sh compiles this into the extension, with -finstrument-functions: the
 * compiler then calls the first two functions below at the beginning and at the end of
 * each other one, inlined ones included.  The last two are functions of SQL.
 */
#include "postgres.h"

#include <dlfcn.h>

#include "fmgr.h"
#include "lib/stringinfo.h"
#include "utils/builtins.h"

#define NOT_COUNTED __attribute__((no_instrument_function))
#define EXPORTED __attribute__((no_instrument_function, visibility("default")))

#define MAX_FUNCTIONS 16384		/* a power of 2 */

extern NOT_COUNTED void __cyg_profile_func_enter(void *function, void *caller);
extern NOT_COUNTED void __cyg_profile_func_exit(void *function, void *caller);
extern EXPORTED Datum calls_begin(PG_FUNCTION_ARGS);
extern EXPORTED Datum calls_end(PG_FUNCTION_ARGS);
extern EXPORTED const Pg_finfo_record *pg_finfo_calls_begin(void);
extern EXPORTED const Pg_finfo_record *pg_finfo_calls_end(void);

static void *called[MAX_FUNCTIONS]; /* a hash table with linear probing */
static int	ncalled;
static long ncalls;
static bool counting;

void
__cyg_profile_func_enter(void *function, void *caller)
{
	size_t		i = ((size_t) function >> 2) & (MAX_FUNCTIONS - 1);

	(void) caller;
	if (!counting)
		return;
	ncalls++;
	while (called[i] != NULL && called[i] != function)
		i = (i + 1) & (MAX_FUNCTIONS - 1);
	if (called[i] == NULL && ncalled < MAX_FUNCTIONS / 2)
	{
		called[i] = function;
		ncalled++;
	}
}

void
__cyg_profile_func_exit(void *function, void *caller)
{
	(void) function;
	(void) caller;
}

PG_FUNCTION_INFO_V1(calls_begin);
Datum
calls_begin(PG_FUNCTION_ARGS)
{
	(void) fcinfo;
	memset(called, 0, sizeof(called));
	ncalled = 0;
	ncalls = 0;
	counting = true;
	PG_RETURN_VOID();
}

/* How many calls there were, then the address of each function within the library. */
PG_FUNCTION_INFO_V1(calls_end);
Datum
calls_end(PG_FUNCTION_ARGS)
{
	StringInfoData answer;
	int			i;

	(void) fcinfo;
	counting = false;
	initStringInfo(&answer);
	appendStringInfo(&answer, "%ld", ncalls);
	for (i = 0; i < MAX_FUNCTIONS; i++)
	{
		Dl_info		library;

		if (called[i] != NULL && dladdr(called[i], &library) != 0)
			appendStringInfo(&answer, " 0x%zx", (size_t) ((char *) called[i] - (char *) library.dli_fbase));
	}
	PG_RETURN_TEXT_P(cstring_to_text(answer.data));
}
