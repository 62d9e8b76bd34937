/*
 * server.c
 *		What src/pg asks of the server, in a build without one.
 *
 * Memory is a stack of pieces from the end of the module's data on.  A piece is freed at once
 * if it is the last one, or when those behind it are, and all of them at the beginning of the
 * next call from outside, so that nothing is lost when an exception leaves the module.  What
 * the module has ever taken from the host it keeps, for the next call.
 */
#include "postgres.h"

#include "lib/stringinfo.h"
#include "utils/memutils.h"

#include "core/util/shell_sort.h"
#include "pg/sql/glue.h"
#include "pg/sql/ids.h"
#include "arena.h"
#include "host.h"

#define PAGE_SIZE 65536
#define ROUNDED(size) (((size) + 15) / 16 * 16)

/* The largest piece, and the largest element that can be sorted. */
#define MAX_PIECE ((Size) 1 << 30)
#define MAX_ELEMENT 64

/* In front of each piece, as long as what pieces are rounded to. */
typedef struct Piece
{
	struct Piece *before;
	bool		freed;
	char		unused[11];
} Piece;

_Static_assert(sizeof(Piece) == 16, "the head of a piece is not as long as a piece is rounded to");

/* Where the linker says that data end. */
extern char __heap_base;

static Piece *last;
static char *top;

struct MemoryContextData
{
	Piece	   *last;			/* when it was made */
	char	   *top;
};

static struct MemoryContextData first_context;
MemoryContext CurrentMemoryContext = &first_context;

void
arena_empty(void)
{
	last = NULL;
	top = (char *) ROUNDED((uintptr_t) &__heap_base);
	CurrentMemoryContext = &first_context;
}

static _Noreturn void
report_out_of_memory(Size size)
{
	ereport(ERROR,
			(errcode(ERRCODE_PROGRAM_LIMIT_EXCEEDED),
			 errmsg("out of memory"),
			 errdetail("Failed on request of size %zu.", size)));
}

void *
palloc(Size size)
{
	Size		pages = __builtin_wasm_memory_size(0);
	Piece	   *piece = (Piece *) top;
	char	   *end;

	if (size > MAX_PIECE || (Size) top > SIZE_MAX - MAX_PIECE - PAGE_SIZE)
		report_out_of_memory(size);
	end = top + sizeof(Piece) + ROUNDED(size);
	if (((Size) end + PAGE_SIZE - 1) / PAGE_SIZE > pages &&
		__builtin_wasm_memory_grow(0, ((Size) end + PAGE_SIZE - 1) / PAGE_SIZE - pages) == SIZE_MAX)
		report_out_of_memory(size);
	piece->before = last;
	piece->freed = false;
	last = piece;
	top = end;
	return piece + 1;
}

void *
palloc_extended(Size size, int flags)
{
	void	   *pointer = palloc(size);

	if (flags & MCXT_ALLOC_ZERO)
		memset(pointer, 0, size);
	return pointer;
}

void *
palloc0(Size size)
{
	return palloc_extended(size, MCXT_ALLOC_ZERO);
}

void
pfree(void *pointer)
{
	((Piece *) pointer - 1)->freed = true;
	while (last != NULL && last->freed)
	{
		top = (char *) last;
		last = last->before;
	}
}

void *
limited_alloc(MemoryContext context, Size element, Size n, int flags)
{
	(void) context;
	if (n > MAX_PIECE / element)
		report_out_of_memory(MAX_PIECE);
	return palloc_extended(element * n, flags);
}

Size
mul_size(Size a, Size b)
{
	if (b != 0 && a > MAX_PIECE / b)
		report_out_of_memory(MAX_PIECE);
	return a * b;
}

MemoryContext
AllocSetContextCreate(MemoryContext parent, const char *name, int sizes)
{
	MemoryContext context = palloc(sizeof(struct MemoryContextData));

	(void) parent;
	(void) name;
	(void) sizes;
	context->last = last;
	context->top = top;
	return context;
}

MemoryContext
MemoryContextSwitchTo(MemoryContext context)
{
	MemoryContext before = CurrentMemoryContext;

	CurrentMemoryContext = context;
	return before;
}

void
MemoryContextReset(MemoryContext context)
{
	last = context->last;
	top = context->top;
}

void
MemoryContextDelete(MemoryContext context)
{
	(void) context;
}

/*
 * ---- Strings ----
 */

char *
pstrdup(const char *string)
{
	Size		size = strlen(string) + 1;

	return memcpy(palloc(size), string, size);
}

static char *
formatted(const char *format, const void *arguments)
{
	int			size = host_measure(format, arguments);
	char	   *string = palloc(size + 1);

	host_format(format, arguments, string);
	string[size] = '\0';
	return string;
}

char *
psprintf(const char *format,...)
{
	va_list		arguments;
	char	   *string;

	va_start(arguments, format);
	string = formatted(format, arguments);
	va_end(arguments);
	return string;
}

void
initStringInfo(StringInfo string)
{
	string->data = pstrdup("");
	string->len = 0;
}

/* Lists of names are short, and all memory is gone after the call. */
static void
append(StringInfo string, const char *text, int length)
{
	char	   *longer = palloc(string->len + length + 1);

	memcpy(longer, string->data, string->len);
	memcpy(longer + string->len, text, length);
	string->data = longer;
	string->len += length;
	string->data[string->len] = '\0';
}

void
appendStringInfo(StringInfo string, const char *format,...)
{
	va_list		arguments;
	const char *text;

	va_start(arguments, format);
	text = formatted(format, arguments);
	va_end(arguments);
	append(string, text, (int) strlen(text));
}

void
appendStringInfoChar(StringInfo string, char character)
{
	append(string, &character, 1);
}

/* The identifier of a player is its place among the arguments. */
char *
id_text(IdType *id_type, Datum id)
{
	int			size = host_measure_player((int) id);
	char	   *name = palloc(size + 1);

	(void) id_type;
	host_name_player((int) id, name);
	name[size] = '\0';
	return name;
}

/*
 * ---- Errors ----
 */

int
errcode(int code)
{
	host_code(code);
	return 0;
}

#define REPORT(field) \
	do { \
		va_list		arguments; \
		va_start(arguments, format); \
		host_report((field), format, arguments); \
		va_end(arguments); \
	} while (0)

int
errmsg(const char *format,...)
{
	REPORT(REPORT_MESSAGE);
	return 0;
}

int
errdetail(const char *format,...)
{
	REPORT(REPORT_DETAIL);
	return 0;
}

int
errhint(const char *format,...)
{
	REPORT(REPORT_HINT);
	return 0;
}

void
errfinish(void)
{
	host_throw();
}

/*
 * ---- Sorting ----
 */

typedef struct SortOrder
{
	int			(*compare) (const void *a, const void *b, void *arg);
	void	   *arg;
} SortOrder;

static int
compare_by_order(const void *context, const void *a, const void *b)
{
	const SortOrder *order = context;

	return order->compare(a, b, order->arg);
}

/* All orders that are sorted by are total, so that the method has no part in the result. */
void
qsort_interruptible(void *base, size_t n, size_t size,
					int (*compare) (const void *a, const void *b, void *arg), void *arg)
{
	SortOrder	order = {compare, arg};
	_Alignas(16) char spare[MAX_ELEMENT];

	if (size > MAX_ELEMENT)
		__builtin_trap();
	shell_sort(base, (int) n, size, spare, compare_by_order, &order);
}
