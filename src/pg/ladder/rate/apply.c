/*
 * apply.c
 *		Rating the matches of a ladder, in batches.
 *
 * The matches of a batch are locked, so that of two sessions that touched the
 * same one the second sees all that the first has written (match_locks.h).  They
 * are read from the source in order, the players are locked, and states are loaded
 * once and written once.
 */
#include "pg/ladder/rate/apply.h"

#include "access/xact.h"
#include "catalog/pg_type.h"
#include "commands/sequence.h"
#include "miscadmin.h"
#include "tcop/dest.h"
#include "utils/builtins.h"
#include "utils/datum.h"
#include "utils/memutils.h"
#include "utils/snapmgr.h"
#include "utils/timestamp.h"

#include "pg/ladder/entry/entry.h"
#include "pg/ladder/entry/plans.h"
#include "pg/ladder/rate/component_states.h"
#include "pg/ladder/rate/corrections.h"
#include "pg/ladder/rate/filters.h"
#include "pg/ladder/rate/match_digest.h"
#include "pg/ladder/rate/match_locks.h"
#include "pg/ladder/rate/match_reader.h"
#include "pg/ladder/rate/outbox.h"
#include "pg/ladder/rate/past.h"
#include "pg/ladder/rate/states.h"

/*
 * What no match may precede in a ladder that reorders, other than matches of its own
 * players: operations, and matches that only the players' past kept from being rated,
 * because their events, of which there are none, cannot say so.
 */
typedef struct LastPlace
{
	TimestampTz at;				/* DT_NOBEGIN: nothing yet */
	bool		is_match;
	Datum		match_id;
} LastPlace;

/* What is known of a match of the batch. */
typedef struct KnownMatch
{
	ComparedMatch compared;		/* with the source as others see it; first, as
								 * reader_compare() has it */
	const LockedMatch *record;	/* or NULL */
	bool		seen;			/* the source has it */
	bool		many_times;			/* the source has it at several times */
	bool		done;			/* such a one was looked at */
} KnownMatch;

/* A batch of matches on its way from the source into the ladder. */
typedef struct Application
{
	Ladder	   *ladder;
	Datum	   *ids;			/* of the matches, distinct */
	int			n;
	KnownMatch *match;			/* what is known of each, and the way there, */
	IdTable    *known;			/* from its identifier */
	bool		inserted;		/* matches without a row have got one */
	MatchReader *reader;
	bool		at_match;		/* that the reader has is at work */
	Batch	   *batch;
	Corrections corrections;
	Outbox	   *events;
	Outbox	   *component_events;
	Outbox	   *matches;
	TimestampTz first_played;	/* the earliest time of a match to be rated */
	LastPlace	last;			/* where ladders that reorder are up to */
	Applied    *applied;		/* what has become of the matches so far */
	UnratedNotices *notices;	/* of those that do not count */
} Application;

static void
match_error_context(void *arg)
{
	const Application *application = (const Application *) arg;
	const MatchReader *reader = application->reader;

	if (application->at_match && reader->match.n > 0)
		errcontext("match %s of ladder \"%s\"",
				   id_text(application->ladder->match_type, reader->match.id),
				   application->ladder->name);
}

/*
 * ---- What is known of the matches ----
 */

/* Unrated matches that the source no longer has. */
static LadderQuery forget_unrated_query = {
	.text = "DELETE FROM {rated_match} AS m WHERE m.match_id {match =} ANY ($1) "
	"AND m.status OPERATOR(pg_catalog.=) 'unrated'",
	.param = {ARRAY_OF(VALUE_MATCH)}
};

/*
 * Correct or forget the matches that the source no longer has, and delete the rows that only lock
 * matches which it does not have.
 */
static void
check_vanished(Application *application)
{
	Ladder	   *ladder = application->ladder;
	Datum	   *vanished = huge_array(Datum, application->n);
	Datum	   *absent = huge_array(Datum, application->n);
	int			nvanished = 0;
	int			nabsent = 0;
	int			i;

	for (i = 0; i < application->n; i++)
	{
		Datum		id = application->ids[i];
		KnownMatch *match = &application->match[i];

		if (match->seen)
			continue;
		if (match->record == NULL)
			absent[nabsent++] = id;
		else if (match->record->placed)
			corrections_add_match(&application->corrections, id, DIGEST_OF_NOTHING,
								  match->record->seq, "removed", match->record->played_at);
		else
			vanished[nvanished++] = id;
	}
	application->applied->looked_at -= nabsent;
	if (nvanished > 0)
		(void) ladder_execute(ladder, &forget_unrated_query,
							  DATUMS(id_array(ladder->match_type, vanished, nvanished)), NULL, NULL);
	if (nabsent > 0 && application->inserted)
		forget_locked_matches(ladder, absent, nabsent);
	pfree(vanished);
	pfree(absent);
}

/*
 * ---- Late matches ----
 */

/* When the latest operation was, which no later match precedes. */
static LadderQuery last_operation_query = {
	.text = "SELECT pg_catalog.max(at) FROM {operation} WHERE " OPERATION_CHANGES_STATES
};

/* The last match that its players' past kept from being rated; rated_match has an index for it. */
static LadderQuery last_judged_query = {
	.text = "SELECT m.played_at, m.match_id FROM {rated_match} AS m "
	"WHERE m.reason IN ('too_many_newcomers', 'repeated_opponents') AND m.seq IS NOT NULL "
	"ORDER BY m.played_at DESC, m.match_id{match order} DESC LIMIT 1"
};

/* A match that its players' past kept from being rated: later ones may not precede it. */
static void
advance_last_place(Ladder *ladder, LastPlace *last, Datum match_id, TimestampTz played_at)
{
	MemoryContext old;

	if (played_at < last->at ||
		(played_at == last->at && last->is_match &&
		 id_compare(ladder->match_type, match_id, last->match_id) <= 0))
		return;
	last->at = played_at;
	last->is_match = true;

	/* Whoever rates a match does so in memory that goes with it. */
	old = MemoryContextSwitchTo(ladder->context);
	last->match_id = id_copy(ladder->match_type, match_id);
	MemoryContextSwitchTo(old);
}

static LastPlace
find_last_place(Ladder *ladder, bool judges_players)
{
	LastPlace	last = {DT_NOBEGIN, false, (Datum) 0};
	QueryRow	row;

	if (ladder_read_row(ladder, &last_operation_query, NULL, &row))
		last.at = next_time(&row);
	if (judges_players && ladder_read_row(ladder, &last_judged_query, NULL, &row) &&
		!next_is_null(&row))
	{
		TimestampTz at = next_time(&row);

		advance_last_place(ladder, &last, next_datum(&row), at);
	}
	return last;
}

/* Whether a match precedes that place. */
static bool
precedes(const Ladder *ladder, const SourceMatch *source, const LastPlace *last)
{
	return source->played_at < last->at ||
		(source->played_at == last->at && last->is_match &&
		 id_compare(ladder->match_type, source->id, last->match_id) < 0);
}

/*
 * A row if, of the matches of some players in a pool at one time, another than the
 * given one comes last by its identifier.
 */
static LadderQuery tied_match_query = {
	.text = "SELECT FROM (SELECT u.match_id FROM "
	"(SELECT e.match_id FROM {event} AS e WHERE e.player_id {player =} ANY ($1) "
	"AND e.pool OPERATOR(pg_catalog.=) $2 AND e.played_at OPERATOR(pg_catalog.=) $3 "
	"AND e.match_id IS NOT NULL UNION ALL SELECT $4) AS u(match_id) "
	"ORDER BY u.match_id{match order} DESC LIMIT 1) AS l WHERE NOT l.match_id {match =} $4",
	.param = {ARRAY_OF(VALUE_PLAYER), VALUE_TEXT, VALUE_TIME, VALUE_MATCH}
};

/*
 * A row if one of some components has its last match at one time, and that is another than
 * the given one and comes behind it by its identifier.  In a ladder that reorders, this is
 * the last of them by seq.
 */
#define TIED_COMPONENT(owner_is) \
	"SELECT l.match_id FROM ROWS FROM (pg_catalog.unnest($1), pg_catalog.unnest($2), " \
	"pg_catalog.unnest($3), pg_catalog.unnest($4)) AS k(kind, pool, key, player_id) CROSS JOIN LATERAL (" \
	"SELECT e.match_id, e.played_at FROM {component_event} AS e WHERE e.player_id " owner_is \
	" AND e.kind OPERATOR(pg_catalog.=) k.kind AND e.pool OPERATOR(pg_catalog.=) k.pool " \
	"AND e.key OPERATOR(pg_catalog.=) k.key AND e.match_id IS NOT NULL " \
	"ORDER BY e.player_id DESC, e.kind DESC, e.pool DESC, e.key DESC, e.seq DESC LIMIT 1) AS l " \
	"WHERE l.played_at OPERATOR(pg_catalog.=) $5 AND NOT l.match_id {match =} $6 " \
	"AND (SELECT u.match_id FROM (SELECT l.match_id UNION ALL SELECT $6) AS u(match_id) " \
	"ORDER BY u.match_id{match order} DESC LIMIT 1) {match =} l.match_id"

/* Of players, and of nobody. */
static LadderQuery tied_component_query = {
	.text = "SELECT FROM (" TIED_COMPONENT("{player =} k.player_id") " UNION ALL "
	TIED_COMPONENT("IS NULL AND k.player_id IS NULL") ") AS t LIMIT 1",
	.param = {COMPONENT_KEY_PARAMS, VALUE_TIME, VALUE_MATCH}
};

/*
 * Whether one of these finds a row.  They are run for single matches, so that a large batch uses
 * the plans that are kept too.
 */
static bool
finds_tied(Ladder *ladder, LadderQuery *query, const Datum *values)
{
	bool		large = ladder->large;
	bool		found;

	if (large)
		ladder_expect_few(ladder);
	found = ladder_execute(ladder, query, values, NULL, None_Receiver) > 0;
	if (large)
		ladder_expect_many(ladder);
	return found;
}

/*
 * Whether one of the components of the match that was built has a later one, as is_late(): of
 * those that it may be given, or of the others.  That of a side, or without a key, is in most
 * matches of its pool, which is why any of them that comes out of order is late.
 */
static bool
has_late_component(Ladder *ladder, Batch *batch, const SourceMatch *source, bool given)
{
	const BatchComponent **tied = palloc_array(const BatchComponent *, batch->match.ncomponents);
	Datum		values[COMPONENT_KEY_NPARAMS + 2];
	int			ntied = 0;
	int			i;

	for (i = 0; i < batch->match.ncomponents; i++)
	{
		const BatchComponent *component = batch->component[i];

		if (component_can_be_given(component) != given)
			continue;
		if (component->record.last_played > source->played_at)
			return true;
		if (component->record.last_played == source->played_at && !component->touched)
			tied[ntied++] = component;
	}
	if (ntied == 0)
		return false;
	component_keys(ladder, tied, ntied, values);
	values[COMPONENT_KEY_NPARAMS] = TimestampTzGetDatum(source->played_at);
	values[COMPONENT_KEY_NPARAMS + 1] = source->id;
	return finds_tied(ladder, &tied_component_query, values);
}

/*
 * Whether the match that was built comes too late to be rated in its turn: one of
 * its players, or components, has a later one.  Matches of the same time go by match_id,
 * as they come in a batch; those from before are looked up.
 */
static bool
is_late(Ladder *ladder, Batch *batch, const SourceMatch *source,
		const LastPlace *last)
{
	Datum	   *tied = palloc_array(Datum, batch->match.nplayers);
	int			ntied = 0;
	int			i;

	if (precedes(ladder, source, last) || has_late_component(ladder, batch, source, false))
		return true;
	for (i = 0; i < batch->match.nplayers; i++)
	{
		const BatchPlayer *player = batch->player[i];

		if (player->record.last_played > source->played_at ||
			(player->shared != NULL &&
			 player->shared->record.last_played > source->played_at))
			return true;
		if (player->record.last_played == source->played_at && !player->touched)
			tied[ntied++] = player->id;
	}
	if (ntied == 0)
		return false;
	return finds_tied(ladder, &tied_match_query,
					  DATUMS(id_array(ladder->player_type, tied, ntied),
							 CStringGetTextDatum(source->pool),
							 TimestampTzGetDatum(source->played_at), source->id));
}

/*
 * Give the match that was built the advantage of the larger team as it is known, if it may not
 * learn it: another transaction is at it, or has rated a later match by it.  Nobody waits for
 * what matches of a pool have in common; what was given is recorded with the match.
 */
static void
give_advantage(Ladder *ladder, Batch *batch, SourceMatch *source)
{
	int			i;

	for (i = 0; i < batch->match.ncomponents; i++)
	{
		const BatchComponent *component = batch->component[i];

		if (!component_can_be_given(component) ||
			!(component->taken ||
			  (ladder->reorders && has_late_component(ladder, batch, source, true))))
			continue;
		source->advantage_given = true;
		memcpy(source->advantage, component->state, sizeof(source->advantage));
	}
}

/*
 * ---- Applying ----
 */

/*
 * Lock the matches, and begin to read them.  The queries from here on see all that others
 * have committed about them.
 */
static void
begin_application(Application *application, BatchTrial *trial)
{
	Ladder	   *ladder = application->ladder;
	Datum	   *ids = application->ids;
	int			n = application->n;
	LockedMatch *recorded;
	int			nrecorded;
	int			i;

	trial->phase = BATCH_LOADS;
	recorded = lock_matches(ladder, ids, n, &nrecorded, &application->inserted);
	application->batch = ladder_batch(ladder);
	trial->phase = BATCH_READS;
	application->reader = reader_open_matches(ladder, id_array(ladder->match_type, ids, n),
											  ladder->strict, trial->careful);

	/* After that query, whose plan takes much memory while it is made. */
	application->known = id_table_create(ladder->match_type);
	application->match = huge_array0(KnownMatch, n);
	for (i = 0; i < n; i++)
		id_table_set(application->known, ids[i], &application->match[i]);
	for (i = 0; i < nrecorded; i++)
		((KnownMatch *) id_table_find(application->known, recorded[i].id, ""))->record =
			&recorded[i];
	application->events = outbox_create(ladder, OUTBOX_EVENTS);
	application->component_events = outbox_create(ladder, OUTBOX_COMPONENT_EVENTS);
	application->matches = outbox_create(ladder, OUTBOX_MATCHES);
	application->batch->keeps_meetings = application->reader->filters != NULL &&
		filters_repeat_window(application->reader->filters) > 0;
}

/* A strict ladder takes no match that was played at several times. */
pg_noreturn static void
report_torn_match(const Application *application)
{
	ereport(ERROR,
			(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
			 errmsg("%s of match %s differs among its participants",
					source_column_name(SOURCE_PLAYED_AT),
					id_text(application->ladder->match_type,
							application->reader->match.id))));
}

/* Find the matches that the source has, and the players whose states they need. */
static void
survey_matches(Application *application)
{
	MatchReader *reader = application->reader;
	Unrated		why;

	application->at_match = true;
	while (reader_next(reader))
	{
		SourceMatch *source = &reader->match;
		KnownMatch *match = id_table_find(application->known, source->id, "");

		if (match == NULL)
			elog(ERROR, "source returned a match that was not asked for");
		match->many_times = match->seen;
		match->seen = true;
		match->compared.digest = match->many_times ? digest_text(PLAYED_AT_DIFFERS) : source->digest;
		if (match->many_times && application->ladder->strict)
			report_torn_match(application);
		if (match->many_times)
			continue;
		if (batch_judge(application->batch, source, &why) != VERDICT_RATE)
			continue;
		batch_request_states(application->batch);
		application->first_played = Min(application->first_played, source->played_at);
	}
	application->at_match = false;
}

/*
 * Above READ COMMITTED, error 40001 if others have changed one of the matches since the snapshot
 * of the transaction: its locks do not tell where they left no row.
 */
static void
check_source_is_current(Application *application)
{
	Ladder	   *ladder = application->ladder;
	int			i;

	CommandCounterIncrement();
	PushActiveSnapshot(GetLatestSnapshot());
	ladder->read_only = true;
	reader_compare(ladder, application->known);
	ladder->read_only = false;
	PopActiveSnapshot();
	for (i = 0; i < application->n; i++)
	{
		const KnownMatch *match = &application->match[i];

		if (match->seen != match->compared.met || (match->seen && !match->compared.same))
			ereport(ERROR,
					(errcode(ERRCODE_T_R_SERIALIZATION_FAILURE),
					 errmsg("could not serialize access due to concurrent update"),
					 errdetail("Match %s of ladder \"%s\" was changed after this transaction began.",
							   id_text(ladder->match_type, application->ids[i]),
							   ladder->name),
					 errhint("Try again.")));
	}
}

/* Lock and load players, and load what is known of the matches; false as apply_batch(). */
static bool
load_application(Application *application, BatchTrial *trial)
{
	Ladder	   *ladder = application->ladder;
	Batch	   *batch = application->batch;

	trial->phase = BATCH_LOADS;
	if (batch->ncomponents > 0)
		components_claim(batch, ladder);
	if (!batch_lock(batch, ladder, trial->newcomers))
	{
		trial->newcomers = true;
		return false;
	}
	if (batch->ncomponents > 0)
		components_load(batch, ladder);
	if (batch->model->look_back != NULL)
		load_past_of_wanted(batch, ladder, application->n);
	if (ratings_are_compared(ladder))
		store_loaded_rows(batch);
	check_vanished(application);
	if (batch->keeps_meetings)
		load_meetings_of_wanted(batch, ladder,
								seconds_before(application->first_played,
											   filters_repeat_window(application->reader->filters)));
	if (ladder->reorders)
		application->last = find_last_place(ladder,
											filters_have_rules(application->reader->filters));
	return true;
}

/* Correct history from a match on, which the reader has at this moment. */
static void
correct_match(Application *application, int64 seq, const char *kind,
			  TimestampTz played_at)
{
	corrections_add_match(&application->corrections, application->reader->match.id,
						  application->reader->match.digest, seq, kind, played_at);
}

/*
 * Rate a match that has no place yet, with the results into the outboxes; false if
 * it is late and has to wait.  A match that only the states of its players keep
 * from being rated takes its place: a correction of what was before can bring it
 * back.
 */
static bool
rate_match(Application *application, SourceMatch *source)
{
	Ladder	   *ladder = application->ladder;
	Batch	   *batch = application->batch;
	Unrated		why;
	Verdict		verdict = batch_judge(batch, source, &why);
	bool		placed = verdict != VERDICT_UNRATED;
	const char *status;
	int64		seq = 0;

	if (verdict == VERDICT_RATE && ladder->reorders &&
		is_late(ladder, batch, source, &application->last))
	{
		why = unrated(UNRATED_LATE, "late, waits for catch_up()");
		put_match(application->matches, OUTBOX_INSERT, source, "unrated", &why, false, 0);
		return false;
	}

	if (verdict == VERDICT_RATE && source->eligibility != NULL)
	{
		verdict = batch_judge_players(batch, source, &why);
		if (verdict != VERDICT_RATE && ladder->reorders)
			advance_last_place(ladder, &application->last, source->id, source->played_at);
	}

	/* Drawn under the locks, so that order in a player's history is. */
	if (placed)
		seq = nextval_internal(ladder->relation[LADDER_EVENT_SEQ], true);
	if (verdict == VERDICT_RATE)
	{
		MatchStatus rated;

		if (batch->match.ncomponents > 0)
			give_advantage(ladder, batch, source);
		rated = batch_rate(batch, source);

		if (rated == MATCH_OK)
		{
			batch_commit(batch, source, seq);
			put_events(application->events, &batch->step, OF_PLAYERS);
			put_events(application->component_events, &batch->step, OF_COMPONENTS);
		}
		else if (ladder->strict)
			batch_report(batch, source, rated, -1);
		else
		{
			verdict = VERDICT_UNRATED;
			why = batch_mistake(batch, source, rated, -1);
		}
	}
	status = verdict_status(source, verdict);
	put_match(application->matches, OUTBOX_INSERT, source, status, &why, placed, seq);
	if (strcmp(status, "unrated") == 0)
	{
		application->applied->unrated++;
		notices_add(application->notices, ladder, source->id, &why);
	}
	return true;
}

/* Go through the matches again, and rate those that are not rated. */
static void
rate_matches(Application *application)
{
	MatchReader *reader = application->reader;
	MemoryContext row_context = AllocSetContextCreate(CurrentMemoryContext,
													  "skillrating rows",
													  ALLOCSET_SMALL_SIZES);

	reader_rewind(reader);
	application->at_match = true;
	while (reader_next(reader))
	{
		SourceMatch *source = &reader->match;
		KnownMatch *match = id_table_find(application->known, source->id, "");
		const LockedMatch *record = match->record;
		MemoryContext old;
		bool		in_time;

		/*
		 * Of a match that has several times the first piece stands
		 * for all.
		 */
		if (match->many_times)
		{
			if (match->done)
				continue;
			match->done = true;
			reader_set_unreadable(reader, UNRATED_COLUMN_DIFFERS, PLAYED_AT_DIFFERS,
								  PLAYED_AT_DIFFERS);
		}
		if (record != NULL && record->digest == source->digest)
		{
			application->applied->looked_at--;
			continue;
		}
		if (record != NULL && record->placed)
		{
			correct_match(application, record->seq, "changed",
						  TIMESTAMP_NOT_FINITE(source->played_at) ?
						  record->played_at :
						  Min(record->played_at, source->played_at));
			continue;
		}

		source->void_reason = record != NULL ? record->void_reason : NULL;
		source_match_arrive(source, record != NULL ? record->played_at : DT_NOBEGIN,
							record != NULL ? record->arrived_at : DT_NOBEGIN);
		old = MemoryContextSwitchTo(row_context);
		in_time = rate_match(application, source);
		MemoryContextSwitchTo(old);
		MemoryContextReset(row_context);
		if (in_time)
			continue;
		correct_match(application, 0, "late", source->played_at);
		application->applied->late++;
	}
	application->at_match = false;
	MemoryContextDelete(row_context);
}

/*
 * Write the ratings of those who were rated.  A row that was made for a player who was not,
 * because the match is late or the new states are out of range, goes again: who has a row
 * has a rating.  Another batch that waits for that row makes one of its own.
 */
static void
write_ratings(Application *application)
{
	Ladder	   *ladder = application->ladder;
	Batch	   *batch = application->batch;
	int			n;
	BatchPlayer **players = batch_take_players(batch, &n);
	RatingWriter writer;
	int			i;

	/* The index of the key is gone through once, and not back and forth. */
	if (ladder->large)
		sort_players(ladder, players, n);
	ratings_begin(&writer, ladder);
	for (i = 0; i < n; i++)
		if (players[i]->touched)
			ratings_put(&writer, players[i], OUTBOX_UPDATE);
		else if (players[i]->created)
			ratings_put(&writer, players[i], OUTBOX_DELETE);
	ladder->state->hidden_from_mirrors = true;
	outbox_send_rows(writer.rows, OUTBOX_DELETE);
	ladder->state->hidden_from_mirrors = false;
	ratings_end(&writer);
}

/* The same of components. */
static void
write_components(Application *application)
{
	Batch	   *batch = application->batch;
	Outbox	   *outbox = outbox_create(application->ladder, OUTBOX_COMPONENTS);
	int			i;

	outbox_send(application->component_events);
	for (i = 0; i < batch->ncomponents; i++)
	{
		const BatchComponent *component = batch->components[i];

		if (component->touched)
			put_component(outbox, OUTBOX_INSERT, component);
		else if (component->created)
			put_component(outbox, OUTBOX_DELETE, component);
	}
	outbox_send(outbox);
}

/* Write the results, note corrections, and let others see to the matches. */
static void
write_application(Application *application)
{
	reader_close(application->reader);
	outbox_send(application->events);
	outbox_send(application->matches);
	write_ratings(application);
	if (application->batch->ncomponents > 0)
		write_components(application);
	if (application->corrections.rows != NULL || application->corrections.digests != NULL)
		corrections_send(&application->corrections);
}

bool
apply_batch(Ladder *ladder, Datum *ids, int n, BatchTrial *trial, Applied *applied)
{
	Application application = {
		.ladder = ladder,.ids = ids,.n = n,.corrections = {.ladder = ladder},
		.first_played = DT_NOEND,.applied = applied,.notices = trial->notices
	};
	ErrorContextCallback callback = {error_context_stack, match_error_context, &application};
	bool		loaded;

	*applied = (Applied) {.looked_at = n};
	ladder_take_states(ladder);
	begin_application(&application, trial);
	error_context_stack = &callback;
	survey_matches(&application);
	if (IsolationUsesXactSnapshot())
		check_source_is_current(&application);
	loaded = load_application(&application, trial);
	if (loaded)
	{
		trial->phase = BATCH_RATES;
		rate_matches(&application);
	}
	error_context_stack = callback.previous;
	if (!loaded)
		return false;

	trial->phase = BATCH_WRITES;
	id_table_free(application.known);
	pfree(application.match);
	write_application(&application);
	ladder->state->states_taken = false;
	return true;
}
