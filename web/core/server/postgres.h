/*
 * postgres.h
 *		As much of the server's headers as the team makers in src/pg need, for a build
 *		without a server.
 *
 * Memory comes from one arena (see arena.c), which is empty again before the next call from
 * outside.  An error is handed to the host, which throws an exception: nothing below it
 * returns.
 */
#ifndef POSTGRES_H
#define POSTGRES_H

#include <math.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

/* The newest version, whose headers need the least help of pg/sql/compat.h. */
#define PG_VERSION_NUM 180000

typedef int16_t int16;
typedef int32_t int32;
typedef int64_t int64;
typedef uint32_t uint32;
typedef uint64_t uint64;
typedef double float8;
typedef size_t Size;
typedef uintptr_t Datum;
typedef unsigned int Oid;
typedef struct text text;
typedef struct Jsonb Jsonb;
typedef struct FunctionCallInfoBaseData *FunctionCallInfo;
typedef struct FmgrInfo
{
	Oid			fn_oid;
} FmgrInfo;

#define PG_FUNCTION_ARGS FunctionCallInfo fcinfo
#define PG_MODULE_MAGIC struct Jsonb
#define PGDLLEXPORT
#define PG_INT32_MAX INT32_MAX
#define pg_noreturn _Noreturn
#define pg_unreachable() __builtin_unreachable()
#define likely(x) __builtin_expect((x) != 0, 1)
#define unlikely(x) __builtin_expect((x) != 0, 0)
#define lengthof(array) (sizeof(array) / sizeof((array)[0]))
#define Max(x, y) ((x) > (y) ? (x) : (y))
#define Min(x, y) ((x) < (y) ? (x) : (y))

/* Nobody interrupts: whoever wants to ends the worker that this runs in. */
#define CHECK_FOR_INTERRUPTS() ((void) 0)

/* Texts are those of SQL, of which there are none. */
#define DatumGetTextPP(datum) ((text *) (datum))
#define VARSIZE_ANY_EXHDR(pointer) ((void) (pointer), (Size) 0)
#define VARDATA_ANY(pointer) ((const char *) (pointer))

/*
 * ---- Memory ----
 */
typedef struct MemoryContextData *MemoryContext;

extern MemoryContext CurrentMemoryContext;

#define MCXT_ALLOC_ZERO 4

extern void *palloc(Size size);
extern void *palloc0(Size size);
extern void *palloc_extended(Size size, int flags);
extern void pfree(void *pointer);
extern char *pstrdup(const char *string);
extern char *psprintf(const char *format,...) __attribute__((format(printf, 1, 2)));
extern Size mul_size(Size a, Size b);
extern void qsort_interruptible(void *base, size_t n, size_t size,
								int (*compare) (const void *a, const void *b, void *arg),
								void *arg);

/*
 * ---- Errors ----
 */

/* The fields of a report, as the host numbers them. */
enum
{
	REPORT_MESSAGE,
	REPORT_DETAIL,
	REPORT_HINT
};

#define ERROR 21
#define ERRCODE_INVALID_PARAMETER_VALUE 22023
#define ERRCODE_NUMERIC_VALUE_OUT_OF_RANGE 22003
#define ERRCODE_PROGRAM_LIMIT_EXCEEDED 54000

extern int	errcode(int code);
extern int	errmsg(const char *format,...) __attribute__((format(printf, 1, 2)));
extern int	errdetail(const char *format,...) __attribute__((format(printf, 1, 2)));
extern int	errhint(const char *format,...) __attribute__((format(printf, 1, 2)));
extern _Noreturn void errfinish(void);

#define ereport(level, fields) ((void) (level), (void) (fields), errfinish())

#endif							/* POSTGRES_H */
