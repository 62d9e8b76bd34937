/*
 * participant_arguments.h
 *		Rows of matches as arguments of an ordered aggregate.
 */
#ifndef PG_MATCHES_PARTICIPANT_ARGUMENTS_H
#define PG_MATCHES_PARTICIPANT_ARGUMENTS_H

#include "pg/sql/glue.h"

#include "access/tupdesc.h"

#include "pg/matches/inputs.h"

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

/* The error of a row without a match. */
pg_noreturn extern void participant_arguments_lack_match(void);

/* Read a row; whether another match begins with it. */
extern bool participant_arguments_read(ParticipantArguments *rows, FunctionCallInfo fcinfo);

#endif							/* PG_MATCHES_PARTICIPANT_ARGUMENTS_H */
