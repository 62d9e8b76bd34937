/*
 * rewrite.c
 *		Writing what a replay makes of a ladder's history where it comes out otherwise.
 *
 * Relies on the replay to load the row of rating, or of component, beside whatever it changes.
 */
#include "pg/ladder/history/rewrite.h"

#include "miscadmin.h"
#include "utils/builtins.h"
#include "utils/memutils.h"
#include "utils/timestamp.h"

#include "pg/ladder/entry/columns.h"
#include "pg/ladder/entry/plans.h"
#include "pg/ladder/ranks/hook.h"
#include "pg/ladder/rate/component_states.h"

/* A player, or a component, has been in a later match before this step. */
static void
note_misplaced(Rewrite *rewrite, const BatchStep *step)
{
	if (!rewrite->ladder->reorders)
		return;
	if (rewrite->misplaced_seq == 0)
	{
		rewrite->misplaced_seq = step->seq;
		rewrite->misplaced_at = step->at;
	}
	rewrite->misplaced_at = Min(rewrite->misplaced_at, step->at);
}

static void
note_event(ReplaySink *sink, Replay *replay, const ReplayedEvent *event)
{
	Rewrite    *rewrite = (Rewrite *) sink;
	const BatchStep *step = &replay->batch->step;
	Outbox	   *outbox = rewrite->events[event->of];

	if (event->row != NULL && event->row->last_played > step->at)
		note_misplaced(rewrite, step);
	if (event->verdict == EVENT_SURPLUS)
		put_key(outbox, reader_row(event->stored));
	else if (event->verdict != EVENT_SAME)
		put_event(outbox, event->verdict == EVENT_MISSING ? OUTBOX_INSERT : OUTBOX_UPDATE, step,
				  event->row);
}

static bool
same_string(const char *a, const char *b)
{
	return a == NULL || b == NULL ? a == b : strcmp(a, b) == 0;
}

/* Whether rated_match has this reason and detail, or none. */
static bool
same_reason(const SourceMatch *source, const Unrated *why)
{
	const char *code = why->detail != NULL ? unrated_code(why->reason) : NULL;

	return same_string(code, source->reason) && same_string(why->detail, source->detail);
}

/* Enter a match into a table, in the memory of the rewrite. */
static void
enter_match(Rewrite *rewrite, IdTable *table, Datum id)
{
	MemoryContext old = MemoryContextSwitchTo(rewrite->context);

	id_table_add(table, id);
	MemoryContextSwitchTo(old);
}

/*
 * A match that the source no longer has.  If its removal was noticed, or it was voided,
 * it leaves history; otherwise it may be missing by accident, or because old partitions
 * are detached, and must not take the ratings of its players along: what is out of date
 * before a rated one cannot be replayed.
 */
static void
note_vanished(Rewrite *rewrite, const SourceMatch *source)
{
	const Ladder *ladder = rewrite->ladder;
	bool		rated = strcmp(source->status, "rated") == 0;

	if (id_table_holds(rewrite->removed, source->id) ||
		(rated && source->void_reason != NULL))
		enter_match(rewrite, rewrite->gone, source->id);
	else if (rated)
	{
		rewrite->missing_seq = source->seq;
		rewrite->missing = MemoryContextStrdup(rewrite->context,
											   id_text(ladder->match_type,
													   source->id));
	}
}

static void
note_match(ReplaySink *sink, Replay *replay, const SourceMatch *source,
		   Verdict verdict, const Unrated *why)
{
	Rewrite    *rewrite = (Rewrite *) sink;
	const char *status = verdict_status(source, verdict);

	(void) replay;
	if (source->vanished)
		note_vanished(rewrite, source);
	else if (strcmp(status, source->status) != 0 ||
			 !same_reason(source, why) ||
			 source->digest != source->rated_digest)
	{
		/*
		 * A digest that changed alone is written too: the next search
		 * compares with it.
		 */
		put_match(rewrite->matches, OUTBOX_UPDATE, source, status, why, true, source->seq);
		enter_match(rewrite, rewrite->looked_at, source->id);
	}
}

/*
 * ---- Ratings ----
 */

/* How a row that was there, or not, becomes one that is there, or not. */
static OutboxAction
change_of(bool was, bool is)
{
	return !was ? OUTBOX_INSERT : is ? OUTBOX_UPDATE : OUTBOX_DELETE;
}

/* Write and log the rows of rating that come out otherwise. */
static void
write_ratings(Replay *replay)
{
	BatchPlayer **players = (BatchPlayer **) id_table_values(replay->batch->players);
	int			n = id_table_count(replay->batch->players);
	int			nstate = replay->batch->model->nstate;
	RatingWriter writer;
	int			i;

	ratings_begin(&writer, replay->ladder);
	for (i = 0; i < n; i++)
	{
		const BatchPlayer *player = players[i];
		const StoredRow *row = player->stored;

		CHECK_FOR_INTERRUPTS();
		if (!same_row(row, player->exists, &player->record, player->state, nstate))
			ratings_put(&writer, player, change_of(row != NULL && row->found, player->exists));
	}

	/*
	 * Triggers of the ladder's owner may run in these statements; whatever
	 * they report to this ladder waits.
	 */
	ratings_end(&writer);
}

/* A row of component of no kind that the model has goes. */
static void
delete_component(void *arg, QueryRow row)
{
	put_key((Outbox *) arg, row);
}

/* Write the rows of component that come out otherwise. */
static void
write_components(Replay *replay)
{
	Batch	   *batch = replay->batch;
	Outbox	   *outbox = outbox_create(replay->ladder, OUTBOX_COMPONENTS);
	int			i;

	components_store_rows(batch, replay->ladder, replay->whole, delete_component, outbox);
	for (i = 0; i < batch->ncomponents; i++)
	{
		const BatchComponent *component = batch->components[i];
		const StoredRow *row = component->stored;

		CHECK_FOR_INTERRUPTS();
		if (!same_row(row, component->exists, &component->record, component->state,
					  component->spec->nstate))
			put_component(outbox, change_of(row != NULL, component->exists), component);
	}
	outbox_send(outbox);
}

/* Matches that the source no longer has, and history no more. */
static LadderQuery forget_matches_query = {
	.text = "DELETE FROM {rated_match} AS m WHERE m.match_id {match =} ANY ($1)",
	.param = {ARRAY_OF(VALUE_MATCH)}
};

/* The matches whose removal a trigger, or a search, has noticed, and those that wait. */
static LadderQuery removed_query = {
	.text = "SELECT c.match_id FROM {correction} AS c "
	"WHERE c.kind OPERATOR(pg_catalog.=) 'removed' AND c.match_id IS NOT NULL "
	"UNION ALL SELECT p.match_id FROM {pending} AS p"
};

IdTable *
read_removed(Ladder *ladder)
{
	IdTable    *removed = id_table_create(ladder->match_type);

	add_query_ids(ladder, &removed_query, NULL, removed);
	return removed;
}

/*
 * ---- Parts ----
 */

/* Rows of matches, and which ones go. */
static void
begin_matches(Rewrite *rewrite)
{
	MemoryContext old = MemoryContextSwitchTo(rewrite->context);

	rewrite->matches = outbox_create(rewrite->ladder, OUTBOX_MATCHES);
	rewrite->gone = id_table_create(rewrite->ladder->match_type);
	MemoryContextSwitchTo(old);
}

void
rewrite_begin(Rewrite *rewrite, Ladder *ladder)
{
	memset(rewrite, 0, sizeof(Rewrite));
	rewrite->sink.event = note_event;
	rewrite->sink.match = note_match;
	rewrite->ladder = ladder;
	rewrite->context = CurrentMemoryContext;
	rewrite->looked_at = id_table_create(ladder->match_type);
	begin_matches(rewrite);
}

void
rewrite_begin_part(Rewrite *rewrite, IdTable *removed)
{
	rewrite->events[OF_PLAYERS] = outbox_create(rewrite->ladder, OUTBOX_EVENTS);
	rewrite->events[OF_COMPONENTS] = outbox_create(rewrite->ladder, OUTBOX_COMPONENT_EVENTS);
	rewrite->removed = removed;
	rewrite->missing_seq = 0;
	rewrite->missing = NULL;
	rewrite->misplaced_seq = 0;
}

void
rewrite_send_events(Rewrite *rewrite)
{
	outbox_send(rewrite->events[OF_PLAYERS]);
	outbox_send(rewrite->events[OF_COMPONENTS]);
}

/* What was found of matches goes too: a replay that begins again finds it again. */
void
rewrite_discard_part(Rewrite *rewrite)
{
	outbox_discard(rewrite->events[OF_PLAYERS]);
	outbox_discard(rewrite->events[OF_COMPONENTS]);
	outbox_discard(rewrite->matches);
	rewrite->looked_at = id_table_create(rewrite->ladder->match_type);
	begin_matches(rewrite);
}

void
rewrite_send_matches(Rewrite *rewrite)
{
	Ladder	   *ladder = rewrite->ladder;
	int			ngone = id_table_count(rewrite->gone);

	outbox_send(rewrite->matches);
	if (ngone > 0)
	{
		Datum	   *ids = id_table_ids(rewrite->gone);
		int			i;

		for (i = 0; i < ngone; i++)
			enter_match(rewrite, rewrite->looked_at, ids[i]);
		(void) ladder_execute(ladder, &forget_matches_query,
							  DATUMS(id_array(ladder->match_type, ids, ngone)), NULL, NULL);
	}
	begin_matches(rewrite);
}

void
rewrite_end(Rewrite *rewrite)
{
	outbox_discard(rewrite->matches);
}

void
rewrite_states(Replay *replay)
{
	write_ratings(replay);
	write_components(replay);
}
