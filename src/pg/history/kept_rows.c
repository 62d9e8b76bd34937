/*
 * kept_rows.c
 *		The rows of a partition, kept in the process that has read its matches.
 *
 * Rows lie in blocks, one for each batch of matches, as the core lays them out, which
 * has no addresses in it: a block can be written to a file and read into any other
 * place.  The registry is a list, because a process keeps as many entries as a solve
 * has partitions there.
 *
 * Entries live in contexts below TopMemoryContext and own their file.  The callbacks at
 * the end of transactions are the only place that releases them after an error.  The file
 * is one without a buffer, because closing a BufFile writes what is in its buffer: where
 * that has failed before, as on a full disk, it would fail again while the transaction
 * is being aborted.
 */
#include "pg/history/kept_rows.h"

#include "access/xact.h"
#include "commands/tablespace.h"
#include "storage/fd.h"
#include "utils/datum.h"
#include "utils/memutils.h"
#include "utils/wait_event.h"

#include "pg/history/solve_pass.h"
#include "pg/sql/huge.h"

/* A block goes to the file, and comes back, in pieces of so many bytes at most. */
#define MAX_PIECE ((Size) 64 * 1024 * 1024)

typedef struct KeptBlock
{
	LogitShape	shape;
	Size		size;
	char	   *rows;			/* NULL: in the file, */
	off_t		offset;			/* from here on */
	double	   *curvature;		/* of each row; not of rows in the file */
	struct KeptBlock *next;
} KeptBlock;

struct KeptRows
{
	struct KeptRows *next;
	uint64		number;			/* that no others have */
	char		key[KEPT_KEY_SIZE];
	Oid			user;
	SubTransactionId subtransaction;
	bool		lasting;
	bool		used;			/* in the current transaction */
	bool		held;			/* even if that is aborted */
	bool		ended;
	MemoryContext context;		/* of all this */
	Datum		survey;
	SolverLayout layout;		/* only what solver_lay_out_part() sets */

	/* In the order in which they were made: */
	KeptBlock  *first;
	KeptBlock  *last;
	File		file;			/* if there are blocks in it, */
	off_t		end;			/* of so many bytes */
	Size		largest;		/* block there */
	size_t		most_rows;		/* of a block there */
	char	   *buffer;			/* for one of these, */
	double	   *curvature;		/* and for the curvature of its rows */

	/* Where products are taken: */
	bool		evaluated;
	double		draw;
	double	   *point;			/* for the curvature of rows in the file */
};

static KeptRows *registry = NULL;

/*
 * ---- Keys ----
 */

const char *
kept_rows_process(void)
{
	static char token[KEPT_TOKEN_SIZE];
	static bool drawn = false;

	/* Processes share what their parent has drawn, which is nothing. */
	if (!drawn && !pg_strong_random(token, KEPT_TOKEN_SIZE))
		ereport(ERROR,
				(errcode(ERRCODE_INTERNAL_ERROR),
				 errmsg("could not generate random bytes")));
	drawn = true;
	return token;
}

void
kept_key_make(const char *token, uint32 number, char *key)
{
	memcpy(key, token, KEPT_TOKEN_SIZE);
	(void) pass_put_uint32(key + KEPT_TOKEN_SIZE, number);
}

uint32
kept_key_number(const char *key)
{
	uint32		number;

	(void) pass_get_uint32(key + KEPT_TOKEN_SIZE, &number);
	return number;
}

void
kept_rows_new_key(const char *token, char *key)
{
	static uint32 last = 0;

	if (++last == 0)
		last++;
	kept_key_make(token, last, key);
}

/*
 * ---- The registry ----
 */

void
kept_rows_release(KeptRows *kept)
{
	KeptRows  **place = &registry;

	while (*place != kept)
		place = &(*place)->next;
	*place = kept->next;
	if (kept->end > 0)
		FileClose(kept->file);
	MemoryContextDelete(kept->context);
}

static void
at_end_of_transaction(XactEvent event, void *arg)
{
	KeptRows   *kept = registry;

	(void) arg;
	if (event != XACT_EVENT_COMMIT && event != XACT_EVENT_ABORT &&
		event != XACT_EVENT_PREPARE && event != XACT_EVENT_PARALLEL_COMMIT &&
		event != XACT_EVENT_PARALLEL_ABORT)
		return;
	while (kept != NULL)
	{
		KeptRows   *next = kept->next;

		if (kept->lasting && kept->ended && kept->used &&
			(kept->held || (event != XACT_EVENT_ABORT &&
							event != XACT_EVENT_PARALLEL_ABORT)))
			kept->used = kept->held = false;
		else
			kept_rows_release(kept);
		kept = next;
	}
}

/*
 * What an aborted subtransaction began goes with it.  Lasting rows that are complete stay, so
 * that whoever catches the error can hold them.
 */
static void
at_end_of_subtransaction(SubXactEvent event, SubTransactionId id,
						 SubTransactionId parent, void *arg)
{
	KeptRows   *kept = registry;

	(void) arg;
	if (event != SUBXACT_EVENT_ABORT_SUB && event != SUBXACT_EVENT_COMMIT_SUB)
		return;
	while (kept != NULL)
	{
		KeptRows   *next = kept->next;

		if (kept->subtransaction == id)
		{
			if (event == SUBXACT_EVENT_ABORT_SUB && !(kept->lasting && kept->ended))
				kept_rows_release(kept);
			else
				kept->subtransaction = parent;
		}
		kept = next;
	}
}

/* The entry of the current user under a key, complete or not, or NULL. */
static KeptRows *
find_entry(const char *key)
{
	KeptRows   *kept;

	for (kept = registry; kept != NULL; kept = kept->next)
		if (kept->user == GetUserId() && memcmp(kept->key, key, KEPT_KEY_SIZE) == 0)
			return kept;
	return NULL;
}

KeptRows *
kept_rows_begin(const char *key, bool lasting)
{
	static bool registered = false;
	static uint64 last = 0;
	KeptRows   *before = find_entry(key);
	MemoryContext context;
	KeptRows   *kept;

	if (!registered)
	{
		RegisterXactCallback(at_end_of_transaction, NULL);
		RegisterSubXactCallback(at_end_of_subtransaction, NULL);
		registered = true;
	}
	if (before != NULL && !before->ended)
		ereport(ERROR,
				(errcode(ERRCODE_OBJECT_IN_USE),
				 errmsg("rows are already being kept under this key")));
	if (before != NULL)
		kept_rows_release(before);
	context = AllocSetContextCreate(TopMemoryContext, "skillrating kept rows",
									ALLOCSET_DEFAULT_SIZES);
	kept = huge_array_in(context, KeptRows, 1);
	memset(kept, 0, sizeof(KeptRows));
	kept->number = ++last;
	memcpy(kept->key, key, KEPT_KEY_SIZE);
	kept->user = GetUserId();
	kept->subtransaction = GetCurrentSubTransactionId();
	kept->lasting = lasting;
	kept->used = true;
	kept->context = context;
	kept->next = registry;
	registry = kept;
	return kept;
}

uint64
kept_rows_number(const KeptRows *kept)
{
	return kept->number;
}

KeptRows *
kept_rows_of_number(uint64 number)
{
	KeptRows   *kept = registry;

	while (kept != NULL && kept->number != number)
		kept = kept->next;
	if (kept == NULL || kept->ended)
		ereport(ERROR,
				(errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
				 errmsg("kept rows no longer exist"),
				 errdetail("The savepoint behind which the query began to read was rolled back to.")));
	return kept;
}

KeptRows *
kept_rows_find(const char *key)
{
	KeptRows   *kept = find_entry(key);

	if (kept == NULL || !kept->ended)
		return NULL;
	kept->used = true;
	return kept;
}

int
kept_rows_of_token(const char *token, KeptRows ***all)
{
	KeptRows   *kept;
	int			n = 0;
	int			place;

	for (kept = registry; kept != NULL; kept = kept->next)
		n++;
	*all = palloc_array(KeptRows *, n);
	place = n;
	for (kept = registry; kept != NULL; kept = kept->next)
		if (kept->user == GetUserId() && kept->ended &&
			memcmp(kept->key, token, KEPT_TOKEN_SIZE) == 0)
		{
			kept->used = true;
			(*all)[--place] = kept;
		}
	n -= place;
	memmove(*all, *all + place, sizeof(KeptRows *) * n);
	return n;
}

const char *
kept_rows_key(const KeptRows *kept)
{
	return kept->key;
}

void
kept_rows_hold(KeptRows *kept)
{
	kept->held = true;
}

/*
 * ---- Blocks ----
 */

/* A new block at the end of the list, without rows; in the file if memory is short. */
static KeptBlock *
new_block(KeptRows *kept, LogitShape shape)
{
	KeptBlock  *block = huge_array_in(kept->context, KeptBlock, 1);
	Size		size = logit_rows_size(shape);

	*block = (KeptBlock)
	{
		.shape = shape,.size = size
	};
	if (memory_limit_has_room(size + sizeof(double) * shape.nrows))
	{
		block->rows = huge_array_in(kept->context, char, size);
		block->curvature = huge_array_in(kept->context, double, shape.nrows);
	}
	if (kept->last != NULL)
		kept->last->next = block;
	else
		kept->first = block;
	kept->last = block;
	return block;
}

/* Write the rows of a block that is to lie in the file behind what is there. */
static void
write_block(KeptRows *kept, KeptBlock *block, char *rows)
{
	Size		done = 0;

	if (kept->end == 0)
	{
		/* It may outlive the transaction: its end is ours to see to. */
		PrepareTempTablespaces();
		kept->file = OpenTemporaryFile(true);
	}
	block->offset = kept->end;

	/* From here on there is a file to close. */
	kept->end += block->size;
	while (done < block->size)
	{
		Size		piece = Min(block->size - done, MAX_PIECE);
		int			written;

		written = FileWrite(kept->file, rows + done, (int) piece, block->offset + done,
							WAIT_EVENT_BUFFILE_WRITE);
		if (written != (int) piece)
			ereport(ERROR,
					(errcode_for_file_access(),
					 errmsg("could not write temporary file of kept rows: %m")));
		done += piece;
	}
	kept->largest = Max(kept->largest, block->size);
	kept->most_rows = Max(kept->most_rows, block->shape.nrows);
}

/* Read the rows of a block that is in the file. */
static void
read_block(const KeptRows *kept, const KeptBlock *block, char *rows)
{
	Size		done = 0;

	while (done < block->size)
	{
		Size		piece = Min(block->size - done, MAX_PIECE);
		int			got;

		got = FileRead(kept->file, rows + done, (int) piece, block->offset + done,
					   WAIT_EVENT_BUFFILE_READ);
		if (got < 0)
			ereport(ERROR,
					(errcode_for_file_access(),
					 errmsg("could not read temporary file of kept rows: %m")));
		if (got == 0)
			ereport(ERROR,
					(errcode(ERRCODE_DATA_CORRUPTED),
					 errmsg("temporary file of kept rows ends too early")));
		done += got;
	}
}

void
kept_rows_add(KeptRows *kept, const SolverTask *task)
{
	LogitShape	shape = solver_rows_shape(task);
	KeptBlock  *block;
	char	   *rows;

	if (shape.nrows == 0)
		return;
	block = new_block(kept, shape);
	rows = block->rows != NULL ? block->rows : huge_array(char, block->size);
	logit_rows_copy(&task->problem.rows, rows, shape);
	if (block->rows == NULL)
	{
		write_block(kept, block, rows);
		pfree(rows);
	}
}

/*
 * Have the rows of a block, which are in the buffer until those of the next one in the
 * file are asked for.  Returns the place of their curvature.
 */
static double *
attach_block(KeptRows *kept, KeptBlock *block, LogitRows *rows)
{
	char	   *place = block->rows;

	if (place == NULL)
	{
		read_block(kept, block, kept->buffer);
		place = kept->buffer;
	}
	logit_rows_attach(rows, place, block->shape);
	if (block->rows == NULL)
		solver_close_rows(&kept->layout, rows);
	else if (kept->layout.noffsets > 0)
		rows->offset = kept->layout.offset;
	return block->rows != NULL ? block->curvature : kept->curvature;
}

void
kept_rows_end(KeptRows *kept, const Solver *solver, const ParamValue *params,
			  int32 nplayers, int32 ncontexts, Datum survey)
{
	KeptBlock  *block;

	solver_lay_out_part(solver, params, nplayers, ncontexts, &kept->layout);
	for (block = kept->first; block != NULL; block = block->next)
	{
		LogitRows	rows;

		if (block->rows == NULL)
			continue;
		logit_rows_attach(&rows, block->rows, block->shape);
		solver_close_rows(&kept->layout, &rows);
	}
	if (kept->end > 0)
	{
		kept->buffer = huge_array_in(kept->context, char, kept->largest);
		kept->curvature = huge_array_in(kept->context, double, kept->most_rows);
		kept->point = huge_array_in(kept->context, double, kept->layout.n);
	}
	if (survey != (Datum) 0)
	{
		MemoryContext old = MemoryContextSwitchTo(kept->context);

		kept->survey = datumCopy(survey, false, -1);
		MemoryContextSwitchTo(old);
	}
	kept->ended = true;
}

Datum
kept_rows_survey(const KeptRows *kept)
{
	return kept->survey;
}

uint32
kept_rows_unknowns(const KeptRows *kept)
{
	return kept->layout.n;
}

/*
 * ---- Passes ----
 */

void
kept_rows_evaluate(KeptRows *kept, double draw, const double *x, LogitSums *sums,
				   double *gradient, double *diagonal)
{
	KeptBlock  *block;

	if (diagonal != NULL)
	{
		kept->evaluated = true;
		kept->draw = draw;
		if (kept->point != NULL)
			memcpy(kept->point, x, sizeof(double) * kept->layout.n);
	}
	for (block = kept->first; block != NULL; block = block->next)
	{
		LogitRows	rows;
		double	   *curvature = attach_block(kept, block, &rows);

		logit_rows_evaluate(&rows, draw, x, sums, gradient, diagonal,
							diagonal != NULL ? curvature : NULL, check_interrupts);
		CHECK_FOR_INTERRUPTS();
	}
}

void
kept_rows_multiply(KeptRows *kept, const double *v, double *product)
{
	KeptBlock  *block;

	if (!kept->evaluated)
		ereport(ERROR,
				(errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
				 errmsg("kept rows have not been evaluated")));
	for (block = kept->first; block != NULL; block = block->next)
	{
		LogitRows	rows;
		double	   *curvature = attach_block(kept, block, &rows);

		if (block->rows == NULL)
			logit_rows_curvature(&rows, kept->draw, kept->point, curvature,
								 check_interrupts);
		logit_rows_multiply(&rows, curvature, v, product, check_interrupts);
		CHECK_FOR_INTERRUPTS();
	}
}

/*
 * ---- From process to process ----
 */

bytea *
kept_rows_pack(KeptRows *kept, Size most)
{
	KeptBlock  *block;
	Size		size = VARHDRSZ;
	bytea	   *packed;
	char	   *place;

	for (block = kept->first; block != NULL; block = block->next)
		size = add_size(size, sizeof(LogitShape) + block->size);
	if (size > most)
		return NULL;
	packed = (bytea *) huge_array(char, size);
	SET_VARSIZE(packed, size);
	place = VARDATA(packed);
	for (block = kept->first; block != NULL; block = block->next)
	{
		memcpy(place, &block->shape, sizeof(LogitShape));
		place += sizeof(LogitShape);
		if (block->rows != NULL)
			memcpy(place, block->rows, block->size);
		else
			read_block(kept, block, place);
		place += block->size;
	}
	return packed;
}

void
kept_rows_unpack(KeptRows *kept, bytea *packed)
{
	char	   *place = VARDATA_ANY(packed);
	char	   *end = place + VARSIZE_ANY_EXHDR(packed);

	while (place < end)
	{
		LogitShape	shape;
		KeptBlock  *block;

		memcpy(&shape, place, sizeof(LogitShape));
		place += sizeof(LogitShape);
		block = new_block(kept, shape);
		if (block->rows != NULL)
			memcpy(block->rows, place, block->size);
		else
			write_block(kept, block, place);
		place += block->size;
	}
}
