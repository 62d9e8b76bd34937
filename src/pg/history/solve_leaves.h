/*
 * solve_leaves.h
 *		The partitions that solve_distributed() goes through: queries over them, and what
 *		reading them finds.
 */
#ifndef PG_HISTORY_SOLVE_LEAVES_H
#define PG_HISTORY_SOLVE_LEAVES_H

#include "pg/history/solve_state.h"

#include "executor/spi.h"

#include "pg/history/kept_rows.h"
#include "pg/history/match_relation.h"

/*
 * Parameters of queries: whether to read what is not kept, and for each partition its
 * key and what it is asked, a plan or a request.
 */
enum
{
	PARAM_IF_NOT_KEPT,
	PARAM_FIRST
};

enum
{
	LEAF_KEY,
	LEAF_REQUEST,
	LEAF_PARAMS
};

/* A partition, or a part of a relation (solve_parts.h). */
typedef struct Leaf
{
	const MatchPartition *partition;
	char		key[KEPT_KEY_SIZE];
	int32		nplayers;
	int32	   *player;			/* their numbers in all */
	int32		ncontexts;
	int32	   *context_number;
	uint32		n;				/* unknowns; 0: nothing was read */
	uint32	   *unknown;		/* by their place among all, or NO_UNKNOWN */
} Leaf;

typedef struct Distributed
{
	LogitElsewhere elsewhere;	/* first */
	SolveState	state;
	MatchRelation matches;
	char		token[KEPT_TOKEN_SIZE]; /* of all keys */
	Leaf	   *leaf;
	int			nleaves;
	bool		strict;			/* a mistake in a match is an error */
	bool		lasting;		/* rows are kept beyond the transaction */
	bool		mapped;			/* the unknowns of partitions are known */
	bool		remote;			/* other servers keep some */
	SPIPlanPtr	pass;			/* for these */
	MemoryContext memory;		/* of all this */
	MemoryContext scratch;		/* of one query */
} Distributed;

/*
 * Begin with a relation, in the current context.  Its partitions get keys, of the token and
 * their OID; where columns name a part there are none yet.  Errors: those of
 * match_relation_find().
 */
extern void leaves_find(Distributed *d, Oid relid, Jsonb *columns, const char *token);

/* The number of parameters of a query. */
extern int	leaves_nparams(const Distributed *d);

/* Parameters for all partitions, without requests, which are of a type. */
extern void leaves_make_params(const Distributed *d, Oid request_type, bool if_not_kept,
							   Oid *argtypes, Datum *values);

/*
 * Prepare a query with these parameters, of whose values no planner may know, because
 * postgres_fdw is to send them as they are at the time.
 */
extern SPIPlanPtr leaves_prepare(const Distributed *d, const char *query, Oid *argtypes,
								 int options);

/*
 * Run a query of rows (number of a partition, answer); answers by partition, 0 for one that
 * is missing or null.  They are in SPI_tuptable.
 */
extern Datum *leaves_run(const Distributed *d, SPIPlanPtr plan, Datum *values);

/*
 * What is solved in a partition, a jsonb: a plan of solve_survey(), which keeps rows under a
 * key or token of so many bytes.  With a token, this process keeps them and others hand
 * them over.
 */
extern Datum leaves_make_plan(const Distributed *d, const char *key, Size key_size);

/* The columns of a survey; with packless also as a row without what is packed. */
extern void survey_deform(Datum survey, Datum *values, bool *nulls,
						  HeapTupleHeader *packless);

/*
 * Take over what was read in a partition.  Rows that another process of ours has packed
 * become this process's own; those of a foreign table never are any, whatever its server
 * says.  False if they are neither kept nor packed.  *room is that of
 * solver_layout_reserve().
 */
extern bool leaf_take_survey(Distributed *d, Leaf *leaf, Datum survey, int32 *room);

/* Read all partitions that this process does not keep yet; with SPI connected. */
extern void leaves_survey(Distributed *d);

#endif							/* PG_HISTORY_SOLVE_LEAVES_H */
