/*
 * change_cursor.c
 *		How far a reader of a ladder's changes has got.
 *
 * The text of a cursor is, with slashes between: the version of this form; the origin of
 * the table change, in hexadecimal, which has the server, the database and the table in
 * it; the timeline of the server; a snapshot as pg_snapshot writes it; and for a cursor
 * between two snapshots the second one, the last number, the next one and the index.
 */
#include "pg/ladder/change_cursor.h"

#include "access/transam.h"
#include "access/xact.h"
#include "access/xlog.h"
#include "lib/stringinfo.h"
#include "utils/builtins.h"
#include "utils/fmgroids.h"
#include "utils/fmgrprotos.h"

#include "pg/ladder/change_writer.h"

#define CURSOR_VERSION "1"

/* The parts of a cursor. */
enum
{
	PART_VERSION,
	PART_ORIGIN,
	PART_TIMELINE,
	PART_SEEN,
	PART_UPTO,
	PART_LAST,
	PART_NUMBER,
	PART_INDEX,
	CURSOR_MAX_PARTS
};

pg_noreturn static void
report_no_cursor(const char *text)
{
	ereport(ERROR,
			(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
			 errmsg("invalid cursor \"%s\"", text),
			 errhint("A cursor is a next_cursor that skillrating.changes() returned, or null to start.")));
}

pg_noreturn void
report_start_again(const Ladder *ladder, const char *detail)
{
	ereport(ERROR,
			(errcode(ERRCODE_INVALID_CURSOR_STATE),
			 errmsg("cursor cannot continue in the changes of ladder \"%s\"",
					ladder->name),
			 errdetail_internal("%s", detail),
			 errhint("Start again: call skillrating.changes() with a null cursor, and replace all stored ratings by its result.")));
}

/*
 * ---- Snapshots ----
 */

static int
compare_xids(const void *a, const void *b)
{
	uint64		x = *(const uint64 *) a;
	uint64		y = *(const uint64 *) b;

	return x < y ? -1 : x > y;
}

/* Read a number and go past it; false if there is none. */
static bool
read_number(const char **text, uint64 *number)
{
	const char *first = *text;

	for (*number = 0; **text >= '0' && **text <= '9'; (*text)++)
	{
		uint64		digit = **text - '0';

		if (*number > (PG_UINT64_MAX - digit) / 10)
			return false;
		*number = *number * 10 + digit;
	}
	return *text > first;
}

uint64
change_xid(Datum value)
{
	const char *digits = TextDatumGetCString(value);
	uint64		xid;

	if (!read_number(&digits, &xid) || *digits != '\0')
		elog(ERROR, "could not read the number of a transaction");
	return xid;
}

/* Read a snapshot as pg_snapshot_out() writes it; false if it is none. */
static bool
read_snapshot(const char *text, ChangeSnapshot *snapshot)
{
	int			room = 1;
	const char *p;

	for (p = text; *p != '\0'; p++)
		room += *p == ',';
	snapshot->xip = palloc_array(uint64, room + 1); /* one more may come */
	snapshot->nxip = 0;
	if (!read_number(&text, &snapshot->xmin) || *text++ != ':' ||
		!read_number(&text, &snapshot->xmax) || *text++ != ':' ||
		snapshot->xmin > snapshot->xmax)
		return false;
	while (*text != '\0')
	{
		uint64	   *xid = &snapshot->xip[snapshot->nxip++];

		if (!read_number(&text, xid) || *xid < snapshot->xmin || *xid >= snapshot->xmax ||
			(snapshot->nxip > 1 && *xid <= xid[-1]))
			return false;
		if (*text == ',' && text[1] != '\0')
			text++;
		else if (*text != '\0')
			return false;
	}
	return true;
}

bool
change_snapshot_sees(const ChangeSnapshot *snapshot, uint64 xid)
{
	if (xid < snapshot->xmin)
		return true;
	if (xid >= snapshot->xmax)
		return false;
	return bsearch(&xid, snapshot->xip, snapshot->nxip, sizeof(uint64), compare_xids) == NULL;
}

bool
change_snapshot_covers(const ChangeSnapshot *snapshot, const ChangeSnapshot *other)
{
	int			i;

	if (snapshot->xmax < other->xmax)
		return false;
	for (i = 0; i < snapshot->nxip; i++)
		if (change_snapshot_sees(other, snapshot->xip[i]))
			return false;
	return true;
}

/*
 * What the current transaction has done may still be taken back, and more may come: it is
 * in no snapshot of a cursor until it has committed.  The server's snapshot does not list
 * it.
 */
ChangeSnapshot
change_snapshot(void)
{
	Datum		current = OidFunctionCall0(F_PG_CURRENT_SNAPSHOT);
	FullTransactionId own = GetTopFullTransactionIdIfAny();
	ChangeSnapshot snapshot;
	uint64		xid;

	if (!read_snapshot(DatumGetCString(DirectFunctionCall1(pg_snapshot_out, current)),
					   &snapshot))
		elog(ERROR, "could not read the current snapshot");
	if (!FullTransactionIdIsValid(own))
		return snapshot;
	xid = U64FromFullTransactionId(own);
	if (xid < snapshot.xmin)
		snapshot.xmin = xid;
	if (!change_snapshot_sees(&snapshot, xid))
		return snapshot;
	snapshot.xip[snapshot.nxip++] = xid;
	qsort(snapshot.xip, snapshot.nxip, sizeof(uint64), compare_xids);
	return snapshot;
}

/* The origin of a ladder's change, in hexadecimal. */
static char *
origin_text(const Ladder *ladder)
{
	uint64		origin = (uint64) change_origin(ladder->relation[LADDER_CHANGE]);

	return psprintf("%08x%08x", (uint32) (origin >> 32), (uint32) origin);
}

static void
append_snapshot(StringInfo text, const ChangeSnapshot *snapshot)
{
	int			i;

	appendStringInfo(text, "/" UINT64_FORMAT ":" UINT64_FORMAT ":", snapshot->xmin,
					 snapshot->xmax);
	for (i = 0; i < snapshot->nxip; i++)
		appendStringInfo(text, "%s" UINT64_FORMAT, i > 0 ? "," : "", snapshot->xip[i]);
}

/*
 * ---- Cursors ----
 */

char *
change_cursor_text(const Ladder *ladder, const ChangeCursor *cursor)
{
	StringInfoData text;

	initStringInfo(&text);
	appendStringInfo(&text, CURSOR_VERSION "/%s/%u", origin_text(ladder),
					 GetWALInsertionTimeLine());
	append_snapshot(&text, &cursor->seen);
	if (cursor->is_between)
	{
		append_snapshot(&text, &cursor->upto);
		appendStringInfo(&text, "/" INT64_FORMAT "/" INT64_FORMAT "/%d", cursor->last,
						 cursor->number, cursor->index);
	}
	return text.data;
}

/* Take a cursor apart; returns how many parts it has, 0 if too many. */
static int
split_cursor(const char *text, char **part)
{
	char	   *rest = pstrdup(text);
	int			n = 0;

	for (;;)
	{
		if (n == CURSOR_MAX_PARTS)
			return 0;
		part[n++] = rest;
		rest = strchr(rest, '/');
		if (rest == NULL)
			return n;
		*rest++ = '\0';
	}
}

/* A whole part as a number up to a limit; false if it is none. */
static bool
part_number(const char *part, uint64 most, uint64 *number)
{
	return read_number(&part, number) && *part == '\0' && *number <= most;
}

/* Read the place of a cursor between snapshots; false if it has none. */
static bool
read_place(char **part, ChangeCursor *cursor)
{
	uint64		last;
	uint64		number;
	uint64		index;

	if (!read_snapshot(part[PART_UPTO], &cursor->upto) ||
		!part_number(part[PART_LAST], PG_INT64_MAX, &last) ||
		!part_number(part[PART_NUMBER], PG_INT64_MAX, &number) ||
		!part_number(part[PART_INDEX], PG_INT32_MAX, &index))
		return false;
	cursor->is_between = true;
	cursor->last = (int64) last;
	cursor->number = (int64) number;
	cursor->index = (int) index;
	return true;
}

ChangeCursor
change_cursor_parse(const Ladder *ladder, const char *text)
{
	ChangeCursor cursor = {.is_between = false};
	char	   *part[CURSOR_MAX_PARTS];
	int			n = split_cursor(text, part);
	uint64		timeline;

	if ((n != PART_UPTO && n != CURSOR_MAX_PARTS) ||
		strcmp(part[PART_VERSION], CURSOR_VERSION) != 0 ||
		strlen(part[PART_ORIGIN]) != 16 ||
		strspn(part[PART_ORIGIN], "0123456789abcdef") != 16 ||
		!part_number(part[PART_TIMELINE], PG_UINT32_MAX, &timeline) ||
		!read_snapshot(part[PART_SEEN], &cursor.seen) ||
		(n == CURSOR_MAX_PARTS && !read_place(part, &cursor)))
		report_no_cursor(text);

	if (strcmp(part[PART_ORIGIN], origin_text(ladder)) != 0)
		report_start_again(ladder, "It is a cursor of another ladder, server or database, or from before the ladder was restored or began to keep its changes.");
	if (timeline != GetWALInsertionTimeLine())
		report_start_again(ladder, "The server has been promoted or recovered to a point in time, and may have lost what the reader has had.");

	/* A copy of the files of a server can be older than a cursor, too. */
	if (Max(cursor.seen.xmax, cursor.is_between ? cursor.upto.xmax : 0) >
		U64FromFullTransactionId(ReadNextFullTransactionId()))
		report_start_again(ladder, "It is newer than this server, whose files are an older copy.");
	return cursor;
}
