/*
 * partitions.h
 *		Tables event and component_event in partitions by seq.
 *
 * partition_history() makes them so (sql/62-ladder-partitions.sql): consecutive ranges of
 * places, without a default partition, which every new one would have to wait for and read.
 * New partitions are made ahead by work() and, where that does not run, by whoever rates.
 * A table that the owner has partitioned in another way is one to which queries write, and
 * nobody makes partitions for.
 */
#ifndef PG_LADDER_PARTITIONS_H
#define PG_LADDER_PARTITIONS_H

#include "pg/sql/glue.h"

#include "partitioning/partdefs.h"
#include "utils/rel.h"

#include "pg/ladder/ladder.h"

/* Whether a table is partitioned by ranges of its column seq alone. */
extern bool is_partitioned_by_seq(Relation table);

/*
 * The partition of such a table, which the caller has locked, that takes rows of a place:
 * InvalidOid if there is none, or only a default one.  With next, where the range of that
 * partition ends: the first place that is not in it.
 */
extern Oid	partition_of_seq(Relation table, int64 seq, int64 *next);

/*
 * See to it that there are partitions for rows of one of both tables up to a place, which
 * are about to be inserted; nothing to do for one that is not partitioned.  When half of the
 * last partition is used up, further ones are made in this transaction, unless others are
 * at it, or the table is in use by a query around us; a failure is then a warning.
 * Without any room this waits for others, and a failure is the error.
 *
 * May invalidate what the session knows of the ladder.  Takes ShareUpdateExclusiveLock on
 * event, which keeps nobody from reading or rating, to the end of the transaction.  The
 * caller has no relation of the ladder open.
 */
extern void make_room_for_events(Ladder *ladder, LadderRelation relation, int64 seq);

#endif							/* PG_LADDER_PARTITIONS_H */
