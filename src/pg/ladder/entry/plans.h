/*
 * plans.h
 *		Queries on a ladder, and their plans.
 *
 * A query is a static LadderQuery beside the function that runs it, with an enum
 * of its result columns where it has any.  Its plan is kept for the session, for
 * each ladder; any change to one of the ladder's relations has it made again.
 */
#ifndef PG_LADDER_ENTRY_PLANS_H
#define PG_LADDER_ENTRY_PLANS_H

#include "pg/sql/glue.h"

#include "executor/spi.h"
#include "lib/stringinfo.h"

#include "pg/ladder/entry/columns.h"
#include "pg/ladder/entry/ladder.h"
#include "pg/sql/composite.h"

/* The most parameters of a query. */
#define MAX_QUERY_PARAMS 29

/* A query in the making. */
typedef struct QueryDraft
{
	const Ladder *ladder;
	struct LadderQuery *query;
	StringInfoData sql;
} QueryDraft;

/*
 * The text is SQL with these in braces:
 *
 *		{rating}			a relation of the ladder by its fixed name: qualified
 *		{own mirror}		the same of a table that not all work on a ladder locks
 *		{this}				the name of the ladder, as a literal
 *		{player =}			the equality operator of players; {match =} of matches
 *		{player order}		the rest of an ORDER BY item of theirs
 *		{player type}		and their type
 *		{event columns e}	all columns of event, rating, component, component_event
 *							or rated_match as listed in columns.h, prefixed with "e." if there is a name
 *		{event set b}		assignments to all of them but the key, from "b."
 *		{states r}			state columns of rating, prefixed; {states r _after}
 *							those of event after a match
 *		{name}				the part of the query's own
 *
 * All other operators and functions that are not schema-qualified must be safe
 * under the search_path that ladder_begin() sets.
 */
typedef struct LadderQuery
{
	const char *text;
	ValueType	param[MAX_QUERY_PARAMS + 1];	/* up to VALUE_NONE */
	struct
	{
		const char *name;
		void		(*append) (QueryDraft *draft);
	}			part;			/* of its own */
	bool		pinned;			/* no setting can change what it does: they
								 * may be those of the session */
	int			slot;			/* in the plans of a ladder, handed out at the
								 * first use */
	uint32		relations;		/* bits of those that the text names, likewise */
} LadderQuery;

/* Values of parameters, for one call. */
#define DATUMS(...) ((const Datum[]) {__VA_ARGS__})

/* The result column of a query that has only one. */
#define ONLY_COLUMN 1

/*
 * Run a query with the values of its parameters (nulls may be NULL).  Its rows
 * go to dest, or to SPI_tuptable if dest is NULL.
 * Returns how many were processed.
 */
extern uint64 ladder_execute(Ladder *ladder, LadderQuery *query,
							 const Datum *values, const bool *nulls,
							 DestReceiver *dest);

/*
 * Error 55000 unless the tables of a ladder have taken as many rows as they were given: exactly once
 * means that no row gets lost on the way either.
 */
extern void ladder_check_taken(const Ladder *ladder, uint64 taken, uint64 given);

/* The first row of a query's result, in the memory of the open ladder; false if there is none. */
extern bool ladder_read_row(Ladder *ladder, LadderQuery *query, const Datum *values, QueryRow *row);

/* The number in the one row and column of a query's result; false if it is null. */
extern bool ladder_read_number(Ladder *ladder, LadderQuery *query, const Datum *values,
							   int64 *number);

/* The text there, or NULL if it is null or there is no row. */
extern char *ladder_read_text(Ladder *ladder, LadderQuery *query, const Datum *values);

/*
 * Run one that writes rows under the active snapshot, so that it finds those that this sees and no
 * newer ones.
 */
extern void ladder_write_seen(Ladder *ladder, LadderQuery *query, const Datum *values);

/*
 * The same with each row given to a function, which copies what it keeps.  No tuples are formed.
 */
typedef void (*TakesRow) (void *arg, QueryRow row);
extern uint64 ladder_execute_each(Ladder *ladder, LadderQuery *query,
								  const Datum *values, const bool *nulls,
								  TakesRow take, void *arg);

/* Add the identifiers of matches in the one column of a query's rows to a table. */
extern void add_query_ids(Ladder *ladder, LadderQuery *query, const Datum *values, IdTable *ids);

/* Open a cursor on a query that returns rows. */
extern Portal ladder_cursor(Ladder *ladder, LadderQuery *query,
							const Datum *values);

#endif							/* PG_LADDER_ENTRY_PLANS_H */
