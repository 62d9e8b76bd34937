/*
 * memory_limit.c
 *		The memory that this extension may hold in a process.
 *
 * What is held is asked of the memory contexts themselves, so that nothing has to be
 * counted down and no error can leave a wrong number behind.
 */
#include "pg/sql/memory_limit.h"

#include <limits.h>
#include <math.h>

#include "miscadmin.h"
#include "utils/guc.h"

/* The setting, in kB. */
#define DEFAULT_LIMIT (4 * 1024 * 1024)
#define MIN_LIMIT 64
static int	memory_limit = DEFAULT_LIMIT;

/* Sorts and tuplestores may take this share of the limit. */
#define WORK_MEM_SHARE 4

/*
 * A context in which large arrays were allocated.  The entry lives in that context, and
 * its callback takes it off the list when the context is reset or deleted.
 */
typedef struct LimitedContext
{
	MemoryContextCallback callback;
	MemoryContext context;
	struct LimitedContext *next;
} LimitedContext;

static LimitedContext *limited_contexts = NULL;

void
memory_limit_define(void)
{
	DefineCustomIntVariable("skillrating.memory_limit",
							"Sets the maximum memory that skillrating may hold in a process.",
							"Larger requests fail with error 53200. Sorts and result sets count to work_mem instead.",
							&memory_limit, DEFAULT_LIMIT, MIN_LIMIT, MAX_KILOBYTES,
							PGC_SUSET, GUC_UNIT_KB, NULL, NULL, NULL);
}

int
memory_limit_work_mem(void)
{
	return Max(Min(work_mem, memory_limit / WORK_MEM_SHARE), 64);
}

/* The context of an entry is reset or deleted: nothing is held there any more. */
static void
forget_context(void *argument)
{
	LimitedContext **place = &limited_contexts;

	while (*place != NULL && *place != (LimitedContext *) argument)
		place = &(*place)->next;
	if (*place != NULL)
		*place = (*place)->next;
}

/* Put a context on the list, in front, unless it is there. */
static void
register_context(MemoryContext context)
{
	LimitedContext *entry;

	for (entry = limited_contexts; entry != NULL; entry = entry->next)
		if (entry->context == context)
			return;
	entry = MemoryContextAlloc(context, sizeof(LimitedContext));
	entry->callback.func = forget_context;
	entry->callback.arg = entry;
	entry->context = context;
	entry->next = limited_contexts;
	limited_contexts = entry;
	MemoryContextRegisterResetCallback(context, &entry->callback);
}

/* What the contexts on the list hold, in bytes. */
static double
held_memory(void)
{
	double		held = 0;
	LimitedContext *entry;

	for (entry = limited_contexts; entry != NULL; entry = entry->next)
		held += MemoryContextMemAllocated(entry->context, false);
	return held;
}

void
memory_limit_reserve(MemoryContext context, double size)
{
	double		limit = memory_limit * 1024.0;
	double		held;

	register_context(context);
	held = held_memory();
	if (held + size <= limit)
		return;
	ereport(ERROR,
			(errcode(ERRCODE_OUT_OF_MEMORY),
			 errmsg("memory limit of skillrating exceeded"),
			 errdetail("This process holds %.0f kB, needs %.0f kB more, and may hold %d kB.",
					   held / 1024, ceil(size / 1024), memory_limit),
			 errhint("Work on fewer rows at once, or have a superuser raise skillrating.memory_limit.")));
}

void *
limited_alloc(MemoryContext context, Size element, Size n, int flags)
{
	if (n >= MEMORY_LIMIT_GRAIN / element)
		memory_limit_reserve(context, (double) element * n);
	return MemoryContextAllocExtended(context, element * n, flags | MCXT_ALLOC_HUGE);
}

void *
limited_realloc(void *array, Size element, Size n)
{
	if (array == NULL)
		return limited_array(element, n, 0);
	if (n >= MEMORY_LIMIT_GRAIN / element)
		memory_limit_reserve(GetMemoryChunkContext(array),
					Max((double) element * n - GetMemoryChunkSpace(array), 0));
	return repalloc_huge(array, element * n);
}
