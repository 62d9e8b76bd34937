/*
 * attempts.c
 *		Rating the matches of a ladder so that errors do not stop those who brought them.
 *
 * Relies on apply_batch() leaving nothing behind in memory when its subtransaction is undone, and on
 * whoever fails alone to fail again alone: parts are the same matches in the same order.
 */
#include "pg/ladder/arrive/attempts.h"

#include "catalog/pg_namespace.h"
#include "miscadmin.h"
#include "utils/memutils.h"
#include "utils/syscache.h"

#include "pg/ladder/arrive/failures.h"
#include "pg/ladder/arrive/pending.h"
#include "pg/ladder/entry/cache.h"
#include "pg/ladder/entry/careful.h"
#include "pg/ladder/entry/entry.h"
#include "pg/ladder/entry/waiting.h"
#include "pg/ladder/rate/change_log.h"
#include "pg/ladder/rate/match_reader.h"
#include "pg/sql/once.h"
#include "pg/sql/subtransaction.h"

/* From this many matches on, statistics beat the habit of using the keys. */
#define MIN_LARGE_BATCH 1000

/* Where a batch fails it is tried in so many parts: more try less again, fewer need fewer tries. */
#define NPARTS 8

/*
 * Of a piece of work so many matches may fail one after another, in some seconds.  Where more might,
 * which would take minutes, and NSAMPLES of them, evenly spread, fail alone in the same way, all are
 * taken to fail.  Of matches nine in ten of which fail one sample in a thousand is like that; then
 * the others wait along for once.
 */
#define MAX_FAILED 3000
#define NSAMPLES 64

/* What comes in while matches are rated is rated after them, in so many rounds at most. */
#define MAX_ROUNDS 1000

/* A piece of work: one batch, or its parts one after another. */
typedef struct Attempts
{
	Ladder	   *ladder;
	bool		has_failed;		/* rows of some matches in pending have failed */
	bool		sorted;			/* parts are in the order of time */
	Failures	failures;
	UnratedNotices notices;
	Applied		applied;
} Attempts;

/*
 * ---- One attempt ----
 */

/* A batch to be rated in a subtransaction, with memory that goes with it. */
typedef struct Attempt
{
	Attempts   *attempts;
	Datum	   *ids;
	int			n;
	MemoryContext context;
	BatchTrial	trial;
	bool		is_probe;		/* to be undone in any case */
	bool		is_complete;	/* not to be tried again as the trial says now */
	Applied		applied;
} Attempt;

static bool
rate_batch(void *arg)
{
	Attempt    *attempt = (Attempt *) arg;
	Ladder	   *ladder = attempt->attempts->ladder;

	MemoryContextSwitchTo(attempt->context);

	/* Before the source is read, so that a row that comes meanwhile stays. */
	if (attempt->attempts->has_failed)
		take_failed(ladder, attempt->ids, attempt->n);
	attempt->is_complete = apply_batch(ladder, attempt->ids, attempt->n, &attempt->trial,
									   &attempt->applied);
	return attempt->is_complete && !attempt->is_probe;
}

/*
 * Try to rate a batch.  The error that it raises is undone and returned, or else NULL.  What an attempt
 * logs of ratings counts only if it succeeds.
 */
static ErrorData *
attempt_batch(Attempt *attempt)
{
	Attempts   *attempts = attempt->attempts;
	Ladder	   *ladder = attempts->ladder;
	ChangeLog  *changes = ladder->changes;
	bool		read_only = ladder->read_only;
	int			nnotices = attempts->notices.n;
	int64		nchanges = changes != NULL ? change_log_length(changes) : 0;
	ErrorData  *error;
	bool		done;

	attempt->trial.notices = &attempts->notices;
	do
	{
		attempt->context = AllocSetContextCreate(CurrentMemoryContext, "skillrating attempt",
												 ALLOCSET_DEFAULT_SIZES);
		error = try_in_subtransaction(rate_batch, attempt, &done);
		if (done)
		{
			attempts->applied.looked_at += attempt->applied.looked_at;
			attempts->applied.late += attempt->applied.late;
			attempts->applied.unrated += attempt->applied.unrated;
		}
		else
		{
			/* The frame is further out than the subtransaction, whose end pops none. */
			ladder->state->states_taken = false;
			ladder->state->hidden_from_mirrors = false;
			ladder->read_only = read_only;
			attempts->notices.n = nnotices;
			if (changes != NULL)
				change_log_truncate(changes, nchanges);
		}
		MemoryContextDelete(attempt->context);
	} while (error == NULL && !attempt->is_complete);
	return error;
}

/*
 * ---- Parts ----
 */

/* Raise an error again that is not for a match to wait for. */
static void
check_error(const Attempt *attempt, ErrorData *error)
{
	const Ladder *ladder = attempt->attempts->ladder;
	bool		reads = attempt->trial.phase == BATCH_READS || attempt->trial.phase == BATCH_RATES;

	if (ladder->raises || !error_is_bearable(error->sqlerrcode) ||
		(ladder->strict && reads && error_is_about_data(error->sqlerrcode)))
		ReThrowError(error);
}

static void
add_failure(Attempts *attempts, Datum id, const ErrorData *error)
{
	failures_add(&attempts->failures, attempts->ladder, id, error->sqlerrcode, error->message,
				 error->hint);
}

/* Whether one match fails alone in a given way. */
static bool
fails_likewise(const Attempt *attempt, Datum *id, int sqlerrcode)
{
	Attempts   *attempts = attempt->attempts;
	Attempt		probe = {.attempts = attempts,.ids = id,.n = 1,.trial = attempt->trial,.is_probe = true};
	ErrorData  *error;
	bool		likewise;

	CHECK_FOR_INTERRUPTS();
	error = attempt_batch(&probe);
	if (error == NULL)
		return false;
	check_error(&probe, error);
	likewise = error->sqlerrcode == sqlerrcode;
	FreeErrorData(error);
	return likewise;
}

/* Whether a batch that has failed is taken to fail as a whole, by a sample. */
static bool
fails_as_a_whole(const Attempt *attempt, int sqlerrcode)
{
	int			i;

	if (attempt->n <= NSAMPLES || attempt->attempts->failures.n + attempt->n <= MAX_FAILED ||
		(attempt->trial.phase == BATCH_READS && error_is_about_data(sqlerrcode)))
		return false;
	for (i = 0; i < NSAMPLES; i++)
		if (!fails_likewise(attempt, &attempt->ids[(int64) i * attempt->n / NSAMPLES],
							sqlerrcode))
			return false;
	return true;
}

/*
 * Take those out of n matches for which the source raises an error that is not about their data;
 * returns how many are left, in their order.
 */
static int
drop_unreadable(Attempts *attempts, Datum *ids, int n)
{
	SourceError *errors = huge_array(SourceError, n);
	int			nerrors = reader_find_errors(attempts->ladder, ids, n, error_is_bearable, errors);
	int			next = 0;
	int			left = 0;
	int			i;

	/* The errors are in the order of the matches, and point at the same ones. */
	for (i = 0; i < n; i++)
	{
		const SourceError *error = next < nerrors && errors[next].match_id == ids[i] ?
			&errors[next++] : NULL;

		if (error != NULL && !error_is_about_data(error->sqlerrcode))
			failures_add(&attempts->failures, attempts->ladder, ids[i], error->sqlerrcode,
						 error->message, NULL);
		else
			ids[left++] = ids[i];
	}
	pfree(errors);
	return left;
}

/* Put the matches of a batch into the order in which the source has them, the others behind. */
static bool
order_by_source(void *arg)
{
	const Attempt *attempt = (const Attempt *) arg;
	IdType	   *type = attempt->attempts->ladder->match_type;
	MatchReader *reader = reader_open_matches(attempt->attempts->ladder,
											  id_array(type, attempt->ids, attempt->n), false, true);
	IdTable    *unmet = id_table_create(type);
	Datum	   *ordered = huge_array(Datum, attempt->n);
	int			next = 0;
	bool		found;
	int			i;

	for (i = 0; i < attempt->n; i++)
		id_table_set(unmet, attempt->ids[i], &attempt->ids[i]);
	while (reader_next(reader))
	{
		void	  **place = id_table_enter(unmet, reader->match.id, "", &found);

		if (*place != NULL)
			ordered[next++] = *(Datum *) *place;
		*place = NULL;
	}
	reader_close(reader);
	for (i = 0; i < attempt->n; i++)
		if (id_table_find(unmet, attempt->ids[i], "") != NULL)
			ordered[next++] = attempt->ids[i];
	memcpy(attempt->ids, ordered, attempt->n * sizeof(Datum));
	id_table_free(unmet);
	pfree(ordered);
	return true;
}

static void rate_part(Attempts *attempts, Datum *ids, int n, bool careful);

/* After an error parts are small, and plans that are kept spare making many. */
static void
plan_for(Ladder *ladder, int n)
{
	if (n >= MIN_LARGE_BATCH)
		ladder_expect_many(ladder);
	else
		ladder_expect_few(ladder);
}

/*
 * What to do with a batch of which an attempt has failed: a single match waits.  If the source
 * could not be read, those are found that it cannot give, and all others are rated at once.
 * Otherwise parts are tried, the earlier matches first, so that they are rated in the order of time.
 */
static void
rate_after_error(Attempt *attempt, const ErrorData *error)
{
	Attempts   *attempts = attempt->attempts;
	Datum	   *ids = attempt->ids;
	int			n = attempt->n;
	bool		careful = attempt->trial.careful;
	int			nparts = Min(n, NPARTS);
	int			i;

	plan_for(attempts->ladder, 1);
	if (fails_as_a_whole(attempt, error->sqlerrcode))
	{
		for (i = 0; i < n; i++)
			add_failure(attempts, ids[i], error);
		return;
	}
	if (attempt->trial.phase == BATCH_READS && !careful &&
		(n > 1 || error_is_about_data(error->sqlerrcode)))
	{
		bool		strict = attempts->ladder->strict;

		if (n > 1)
			n = drop_unreadable(attempts, ids, n);

		/*
		 * A strict ladder has raised errors about data, and raises them again.  An error that no
		 * match raises alone would come again too, as of another plan: then parts are tried.
		 */
		if (n < attempt->n || !strict)
		{
			plan_for(attempts->ladder, n);
			if (n > 0)
				rate_part(attempts, ids, n, !strict);
			return;
		}
	}
	if (n == 1)
	{
		add_failure(attempts, ids[0], error);
		return;
	}

	/* If the source cannot be read they stay as they are. */
	if (!attempts->sorted)
	{
		Attempt		whole = {.attempts = attempts,.ids = ids,.n = n};

		(void) in_subtransaction(order_by_source, &whole, error_is_bearable);
	}
	attempts->sorted = true;
	for (i = 0; i < nparts; i++)
	{
		int			first = (int) ((int64) i * n / nparts);
		int			next = (int) ((int64) (i + 1) * n / nparts);

		plan_for(attempts->ladder, next - first);
		rate_part(attempts, ids + first, next - first, careful);
	}
}

/* Rate a batch as well as it can be; careful: its source raises errors about data. */
static void
rate_part(Attempts *attempts, Datum *ids, int n, bool careful)
{
	Attempt		attempt = {.attempts = attempts,.ids = ids,.n = n,.trial = {.careful = careful}};
	ErrorData  *error;

	CHECK_FOR_INTERRUPTS();
	check_stack_depth();
	error = attempt_batch(&attempt);
	if (error != NULL)
	{
		check_error(&attempt, error);
		rate_after_error(&attempt, error);
		FreeErrorData(error);
	}
}

static bool
check_owners(void *arg)
{
	ladder_check_owners(((const Ladder *) arg)->cache);
	return true;
}

/*
 * Whether matches wait because a relation is another role's, whose code would run as the ladder's
 * owner: then nothing of it may be touched, not even to find the matches that it is about.
 */
static bool
wait_for_owner(Attempts *attempts, const Datum *ids, int n)
{
	Ladder	   *ladder = attempts->ladder;
	bool		done;
	ErrorData  *error = try_in_subtransaction(check_owners, ladder, &done);
	int			i;

	if (error == NULL)
		return false;
	if (ladder->raises || ladder->cache->notes_foreign)
		ReThrowError(error);
	for (i = 0; i < n; i++)
		add_failure(attempts, ids[i], error);
	return true;
}

Applied
apply_matches(Ladder *ladder, Datum *ids, int n, bool has_failed, Occasion occasion)
{
	Attempts	attempts = {.ladder = ladder,.has_failed = has_failed};
	bool		large;

	attempts.failures.context = attempts.notices.context = CurrentMemoryContext;
	attempts.notices.wanted = occasion == MATCHES_COME && unrated_notices;

	if (n == 0)
		return attempts.applied;
	if (n >= MIN_LARGE_BATCH)
		ladder_expect_many(ladder);
	large = ladder->large;
	if (ladder->cache->foreign == NULL || !wait_for_owner(&attempts, ids, n))
	{
		ladder->bears_owners = false;
		rate_part(&attempts, ids, n, ladder->raises && !ladder->strict);
	}
	if (attempts.failures.n > 0)
		failures_send(ladder, &attempts.failures, occasion == MATCHES_RETRIED);
	if (attempts.notices.n > 0)
		notices_send(&attempts.notices, ladder);
	if (large)
		ladder_expect_many(ladder);
	return attempts.applied;
}

/*
 * ---- Matches that wait ----
 */

/* Apply the matches of a table, which is freed. */
static void
apply_table(Ladder *ladder, IdTable *ids, bool has_failed, Occasion occasion)
{
	Datum	   *id = id_table_ids(ids);
	int			n = id_table_count(ids);

	id_table_free(ids);
	(void) apply_matches(ladder, id, n, has_failed, occasion);
}

bool
apply_pending(Ladder *ladder, bool of_all)
{
	IdTable    *ids = id_table_create(ladder->match_type);
	bool		has_failed = drain_pending(ladder, of_all, ids);
	int			ndrained = id_table_count(ids);

	if (ladder_is_at_work(ladder))
	{
		keep_waiting(ladder, id_table_ids(ids), id_table_count(ids));
		return ndrained > 0;
	}
	take_waiting(ladder, ids);
	has_failed = has_failed || id_table_count(ids) > ndrained;
	apply_table(ladder, ids, has_failed, of_all ? MATCHES_RETRIED : MATCHES_COME);
	return ndrained > 0;
}

void
apply_failed(Ladder *ladder)
{
	IdTable    *ids = id_table_create(ladder->match_type);

	add_failed(ladder, ids);
	apply_table(ladder, ids, true, MATCHES_RETRIED);
}

/*
 * ---- The end of work on a ladder ----
 */

const LadderEntry rating_entry = {
	"apply_pending", RowShareLock, RIGHTS_OF_TRIGGER,.nladders = 1,.reenters = true,
	.bears_owners = true
};

void
rate_now(Oid schema, Datum *ids, int n)
{
	Ladder	   *entered = ladder_begin(schema, &rating_entry);
	Ladder	   *ladder = ladder_open(entered);

	if (ids != NULL)
		(void) apply_matches(ladder, ids, n, true, MATCHES_COME);
	else
	{
		IdTable    *waiting = id_table_create(ladder->match_type);

		take_waiting(ladder, waiting);
		apply_table(ladder, waiting, true, MATCHES_COME);
	}
	ladder_close(ladder);
	ladder_end(entered);
}

static void
rate_waiting(void)
{
	Oid			schema;
	int			round;

	for (round = 0; OidIsValid(schema = next_waiting()); round++)
	{
		CHECK_FOR_INTERRUPTS();
		if (round >= MAX_ROUNDS)
			ereport(ERROR,
					(errcode(ERRCODE_STATEMENT_TOO_COMPLEX),
					 errmsg("rating of matches has inserted further matches %d times in a row",
							MAX_ROUNDS),
					 errhint("A trigger on a ladder inserts a match for every rated match.")));
		if (SearchSysCacheExists1(NAMESPACEOID, ObjectIdGetDatum(schema)))
			rate_now(schema, NULL, 0);
		else
			forget_waiting(schema);
	}
}

void
ladder_end(Ladder *ladder)
{
	ladder->state->ending = true;
	if (!ladder->nested && OidIsValid(next_waiting()))
		rate_waiting();
	ladder_leave(ladder);
}
