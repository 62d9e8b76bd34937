/*
 * inputs.h
 *		What functions are told of a participant besides player, team and rank:
 *		optional arguments, a composite of the type inputs, or arrays.
 */
#ifndef PG_MATCHES_INPUTS_H
#define PG_MATCHES_INPUTS_H

#include "pg/sql/glue.h"

#include "access/tupdesc.h"
#include "utils/array.h"

#include "pg/matches/source.h"

/*
 * How many there are; the first is the weight.  All but the period and the season are columns
 * of a source.
 */
#define INPUTS_COUNT 24

/* Rows of inputs have slots for what is no column of a source, behind these. */
#define INPUT_PERIOD SOURCE_NCOLUMNS
#define INPUT_SEASON (SOURCE_NCOLUMNS + 1)
#define INPUT_NSLOTS (SOURCE_NCOLUMNS + 2)

/* How a history has its times, all zero at first. */
typedef struct InputTimes
{
	bool		played_at;		/* some row has a time, */
	bool		period;			/* or an ordinal, */
	bool		converted;		/* which is the time of the current row */
} InputTimes;

/* The place of a column among the inputs, from 0. */
extern int	source_input(SourceColumn column);

/* The name of an input that may differ among participants of a match, or NULL for another. */
extern const char *input_name_of_participant(int input);

/* A row of inputs, with its INPUT_NSLOTS values, of which nothing is known yet. */
extern void source_row_clear(Datum *values, bool *nulls);

/* Put an input in its place in a row; a null is nothing that is known. */
extern void source_row_set(Datum *values, bool *nulls, int input, Datum value,
						   bool null);

/*
 * Take back the time that source_row_time() made of a period: what a row does not set is
 * as in the row before.
 */
static inline void
source_row_untime(InputTimes *times, bool *nulls)
{
	if (times->converted)
		nulls[SOURCE_PLAYED_AT] = true;
	times->converted = false;
}

/*
 * Make the time of a row of its period, if that is given: as many days after the epoch,
 * and an infinite time if there is none.  Errors (22023) if a row has both, or if others
 * of the history have the other one.
 */
extern void source_row_time(InputTimes *times, Datum *values, bool *nulls);

/*
 * Put all inputs of a composite in their places.  Its description is looked up
 * once and kept in *desc, at first NULL, in that memory.
 */
extern void source_row_set_all(Datum *values, bool *nulls, TupleDesc *desc,
							   MemoryContext memory, Datum composite);

/*
 * The arguments match_id, player_id, team and rank of an aggregate, which stand together,
 * and inputs behind them, which may be missing.
 */
typedef struct ParticipantArguments
{
	int			first;			/* argument with the match */
	int			inputs;			/* argument with the inputs, or -1 */
	IdType		match_type;
	Oid			player_type;
	bool		ordered;		/* there is an ORDER BY */
	MemoryContext memory;		/* of what lives on to the next row */
	bool		begun;			/* a match has begun: */
	Datum		match_id;
	TupleDesc	desc;			/* of the inputs */
	InputTimes	times;
	Datum		values[INPUT_NSLOTS];	/* the row read last */
	bool		nulls[INPUT_NSLOTS];
} ParticipantArguments;

/*
 * Begin, in the current context.  Errors unless the call is that of an aggregate
 * with an ORDER BY that includes the match: without it the rows of a match need not
 * stand together.  With any_order there may be none, but not one without the match;
 * the caller has to bring rows together then.  Errors name the aggregate that is called,
 * or, where there is none, this one.
 */
extern void participant_arguments_init(ParticipantArguments *rows, FunctionCallInfo fcinfo,
									   const char *aggregate, int first,
									   bool any_order);

/* Read a row; whether another match begins with it. */
extern bool participant_arguments_read(ParticipantArguments *rows, FunctionCallInfo fcinfo);

/* An array with an element for each participant, as values of a column of a source. */
typedef struct ColumnArray
{
	SourceColumn column;
	Datum	   *value;
	bool	   *null;			/* or NULL: none is */
} ColumnArray;

/* The elements of an array of texts, or of any numbers or booleans for a column of numbers. */
extern ColumnArray column_array(SourceColumn column, ArrayType *array);

/*
 * Read a match of n participants, whose rows have the elements of these arrays; where there is no
 * array, or the element is null, they have what all rows share, INPUT_NSLOTS values.  The gain of
 * a participant is times that of all.
 */
extern void source_match_read(SourceMatch *match, int n, const ColumnArray *arrays, int narrays,
							  const Datum *shared, const bool *shared_null);

#endif							/* PG_MATCHES_INPUTS_H */
