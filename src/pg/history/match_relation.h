/*
 * match_relation.h
 *		A table, view or partitioned table of matches: its partitions, and its columns as
 *		arguments of an aggregate.
 */
#ifndef PG_HISTORY_MATCH_RELATION_H
#define PG_HISTORY_MATCH_RELATION_H

#include "pg/sql/glue.h"

/* A partition, or all of a relation that has none. */
typedef struct MatchPartition
{
	Oid			oid;
	char	   *name;			/* as SQL text */
	bool		foreign;		/* a foreign table */
} MatchPartition;

/* A query over all of them has parameters for each, and 65535 at most. */
#define MATCH_MAX_PARTITIONS 16000

/* The query over parts may hold what is read of all of them at the same time. */
#define MATCH_MAX_PARTS 4000

typedef struct MatchRelation
{
	Oid			player_type;
	char	   *arguments;		/* match_id, player_id, team, rank, inputs, as
								 * SQL text */
	char	   *team;			/* the third of these */
	char	   *part;			/* the column whose values are the parts, as
								 * SQL text, or NULL */
	char	   *name;			/* of the relation, as SQL text */
	MatchPartition *partition;
	int			npartitions;	/* 0 if there are parts */
} MatchRelation;

/*
 * Find them, in memory from the current context; partitions are locked for reading to the
 * end of the transaction.  columns says which columns have other names than those of a source,
 * and which one has the part.
 * Errors: 42P01 for no relation, 42809 for another kind of one, 42703 for missing columns,
 * 22023 for unknown ones and where partitions or parts take matches apart, 54000 for more than
 * MATCH_MAX_PARTITIONS.
 */
extern void match_relation_find(MatchRelation *matches, Oid relid, Jsonb *columns);

#endif							/* PG_HISTORY_MATCH_RELATION_H */
