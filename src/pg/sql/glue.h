/*
 * glue.h
 *		What the files of the glue share: the server's headers, and the path from a core status to ereport.
 */
#ifndef PG_SQL_GLUE_H
#define PG_SQL_GLUE_H

#include "postgres.h"

#include <math.h>

#include "fmgr.h"
#include "miscadmin.h"
#include "nodes/execnodes.h"
#include "storage/shmem.h"
#include "utils/jsonb.h"

#include "core/rating/model.h"
#include "pg/sql/compat.h"
#include "pg/sql/memory_limit.h"

/*
 * The head of an SQL-callable function, which it declares and exports: before version 16,
 * PG_FUNCTION_INFO_V1 exports only the record beside it.
 */
#define SQL_FUNCTION(name) \
	extern PGDLLEXPORT Datum name(PG_FUNCTION_ARGS); \
	PG_FUNCTION_INFO_V1(name); \
	Datum name(PG_FUNCTION_ARGS)

/*
 * Has compilers check arguments against a format.  Not pg_attribute_printf(), which names the
 * dialect of the compiler that the server was built with.
 */
#define printf_like(format_argument, first) \
	__attribute__((format(printf, format_argument, first)))

/* The model of that name; an error that lists the models if there is none. */
extern const Model *get_model(const char *name);

/*
 * The parameters of a model or a solver from a jsonb object, or from NULL; defaults
 * are filled in.  An unknown name, a wrong type or a value out of range is an error.
 */
extern ParamValue *get_params(const ParamSet *set, Jsonb *json);

/*
 * The same of a model, whose variant with the state columns that the parameters need is
 * then in *model.  A parameter that others leave without effect is an error too.
 */
extern ParamValue *get_model_params(const Model **model, Jsonb *json);

/* All parameters as a jsonb object, numbers exactly. */
extern Datum params_jsonb(const ParamSet *set, const ParamValue *params);

/* The index of a parameter; an error that lists them if there is none. */
extern int	get_param(const ParamSet *set, const char *name);

/*
 * Set a parameter of a model from an argument of a function that has its name; errors for a number
 * that is out of its range.
 */
extern void number_argument(const Model *model, ParamValue *params, int index,
							double value);

/*
 * The index of a text, which must not be null, among words, of which NULL is the last; an error
 * (22023) that lists them, and says what it is, for another one.
 */
extern int	word_index(const char *what, Datum value, const char *const *words);

/*
 * Errors if a problem takes more bytes than parameter memory allows, which the set
 * must have; otherwise ends the hint with what else could be done, or is "".
 */
extern void check_memory(const char *function, const ParamSet *set,
						 const ParamValue *params, Size size, const char *detail,
						 const char *otherwise);

/* The rows of parameters() about a set. */
extern void put_parameters(FunctionCallInfo fcinfo, const ParamSet *set);

/*
 * Report a status as an error, with the number that it is about (NaN for none)
 * and the player who shows it (NULL for none).
 */
pg_noreturn extern void report_match_status(MatchStatus status, double value,
											const char *player);

/* Whether the name of a curve is logistic and not normal; an error for another one. */
extern bool is_logistic(Datum curve);

/* Whether a text, which must not be null, has the bytes of a string. */
static inline bool
same_text(Datum value, const char *string)
{
	text	   *bytes = DatumGetTextPP(value);
	Size		length = strlen(string);

	return VARSIZE_ANY_EXHDR(bytes) == length &&
		memcmp(VARDATA_ANY(bytes), string, length) == 0;
}

/* What the core calls now and then, as an InterruptCheck. */
static inline void
check_interrupts(void)
{
	CHECK_FOR_INTERRUPTS();
}

/* Error 22004: what has that name is null. */
pg_noreturn extern void report_null(const char *name);

/* Error 22003: a number of that name is none that it must be, such as "be finite". */
pg_noreturn extern void report_number(const char *name, const char *must, double value);

/* The value; errors unless it is finite.  Name is that of the argument. */
static inline double
check_finite(const char *name, double value)
{
	if (unlikely(isnan(value) || isinf(value)))
		report_number(name, "be finite", value);
	return value;
}

/* The value; errors unless it is finite and positive. */
static inline double
check_positive(const char *name, double value)
{
	if (unlikely(!(value > 0) || isinf(value)))
		report_number(name, "be positive and finite", value);
	return value;
}

/* The value; errors unless it is finite and not negative. */
static inline double
check_not_negative(const char *name, double value)
{
	if (unlikely(!(value >= 0) || isinf(value)))
		report_number(name, "be finite and not negative", value);
	return value;
}

/* The value; errors unless it lies between these. */
static inline double
check_range(const char *name, double value, double least, double most)
{
	if (unlikely(!(value >= least && value <= most)))
		report_number(name, psprintf("lie between %g and %g", least, most), value);
	return value;
}

/* The value; errors unless it lies from 0 to 1. */
static inline double
check_probability(const char *name, double value)
{
	return check_range(name, value, 0, 1);
}

/* The floor of a rating; errors unless it is finite or minus infinity, none. */
static inline double
check_floor(double floor)
{
	if (unlikely(isnan(floor) || floor == INFINITY))
		report_number("floor", "be finite or -infinity", floor);
	return floor;
}

/* The value of a formula; one that is not finite is reported as an overflow. */
static inline double
check_result(double value)
{
	if (unlikely(isnan(value) || isinf(value)))
		ereport(ERROR,
				(errcode(ERRCODE_NUMERIC_VALUE_OUT_OF_RANGE),
				 errmsg("result is out of range: %g", value),
				 errhint("The arguments are too large or too small to compute with.")));
	return value;
}

#endif							/* PG_SQL_GLUE_H */
