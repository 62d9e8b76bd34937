/*
 * change_cursor.h
 *		How far a reader of a ladder's changes has got.
 *
 * Neither the time nor the number of a change says whether a reader has had it: changes
 * become visible when their transactions commit, in any order.  So a cursor is a snapshot:
 * what it sees the reader has had.  Between the calls that read a large set of changes
 * piece by piece it is two snapshots, and the place that has been reached among the
 * changes that the second one sees and the first one does not.
 */
#ifndef PG_LADDER_CHANGE_CURSOR_H
#define PG_LADDER_CHANGE_CURSOR_H

#include "pg/sql/glue.h"

#include "pg/ladder/ladder.h"

/* The transactions that a snapshot sees: below xmax, and not in xip. */
typedef struct ChangeSnapshot
{
	uint64		xmin;			/* it sees all below */
	uint64		xmax;
	uint64	   *xip;			/* in order */
	int			nxip;
} ChangeSnapshot;

typedef struct ChangeCursor
{
	ChangeSnapshot seen;
	bool		is_between;		/* what follows is set */
	ChangeSnapshot upto;
	int64		last;			/* the greatest number of those changes */
	int64		number;			/* the next one, */
	int			index;			/* and how many of its rows the reader has had */
} ChangeCursor;

/* The transactions that the active snapshot sees, but for the current one. */
extern ChangeSnapshot change_snapshot(void);

/* The number of a transaction from what the server writes for one. */
extern uint64 change_xid(Datum value);

extern bool change_snapshot_sees(const ChangeSnapshot *snapshot, uint64 xid);

/* Whether a snapshot sees all that another one does. */
extern bool change_snapshot_covers(const ChangeSnapshot *snapshot,
								   const ChangeSnapshot *other);

/*
 * The cursor of a ladder's change from its text.  Errors: 22023 if it is none, 24000 if it
 * is none of this table, on this server.
 */
extern ChangeCursor change_cursor_parse(const Ladder *ladder, const char *text);

extern char *change_cursor_text(const Ladder *ladder, const ChangeCursor *cursor);

/* Error 24000 for the reader to start again; detail is a sentence that says why. */
pg_noreturn extern void report_start_again(const Ladder *ladder, const char *detail);

#endif							/* PG_LADDER_CHANGE_CURSOR_H */
