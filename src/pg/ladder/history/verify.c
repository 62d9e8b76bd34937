/*
 * verify.c
 *		Recompute a ladder from its source, and compare bit for bit.
 *
 * Everything is read under one snapshot.
 */
#include "pg/sql/glue.h"

#include "funcapi.h"
#include "utils/builtins.h"

#include "pg/ladder/arrive/entries.h"
#include "pg/ladder/arrive/feed.h"
#include "pg/ladder/entry/columns.h"
#include "pg/ladder/entry/entry.h"
#include "pg/ladder/entry/plans.h"
#include "pg/ladder/history/recorded.h"
#include "pg/ladder/history/replay.h"
#include "pg/ladder/rate/component_states.h"
#include "pg/ladder/rate/match_reader.h"

/* What a check has found: how many faults, and the first of them. */
typedef struct Check
{
	const char *name;
	uint64		examined;
	const char *unit;			/* of what was examined */
	uint64		faults;
	char	   *first;
	char	   *summary;		/* what to say of the faults instead, or NULL */
	const char *note;			/* another fault, which is none of what was
								 * examined, or NULL */
} Check;

/* Count a fault; the first one, for which this is true, is to be described. */
static bool
fault(Check *check)
{
	return check->faults++ == 0;
}

static void
return_check(FunctionCallInfo fcinfo, const Check *check)
{
	ResultRow	row = {0};
	char	   *detail;

	if (check->faults == 0)
		detail = psprintf(UINT64_FORMAT " %s", check->examined, check->unit);
	else if (check->summary != NULL)
		detail = check->summary;
	else
		detail = psprintf(UINT64_FORMAT " of " UINT64_FORMAT " %s wrong, first: %s",
						  check->faults, check->examined, check->unit,
						  check->first);
	if (check->note != NULL)
		detail = psprintf("%s; %s", detail, check->note);
	put_text(&row, check->name);
	put_bool(&row, check->faults == 0 && check->note == NULL);
	put_text(&row, detail);
	add_result_row(fcinfo, &row);
}

/* The checks that a replay makes. */
typedef struct Verification
{
	ReplaySink	sink;
	Check	   *content;
	Check	   *events[NROWS_OF];
	MemoryContext context;		/* of what is found */
} Verification;

/* A component in words, in the current context. */
static char *
component_text(Ladder *ladder, const BatchComponent *component)
{
	StringInfoData text;

	initStringInfo(&text);
	appendStringInfo(&text, "component %s", component->spec->name);
	if (component->key[0] != '\0')
		appendStringInfo(&text, " \"%s\"", component->key);
	if (component->player != NULL)
		appendStringInfo(&text, " of player %s",
						 id_text(ladder->player_type, component->player->id));
	return text.data;
}

/* What is wrong with an event, in the current context. */
static char *
event_fault(Ladder *ladder, const BatchStep *step, const ReplayedEvent *event)
{
	RowReader  *stored = event->stored;
	char	   *subject;
	char	   *what;

	if (event->verdict == EVENT_SURPLUS && event->of == OF_COMPONENTS)
		return psprintf("event " INT64_FORMAT " of component %s has no cause",
						DatumGetInt64(row_key_column(stored, COMPONENT_EVENT_SEQ)),
						TextDatumGetCString(row_key_column(stored, COMPONENT_EVENT_KIND)));
	if (event->verdict == EVENT_SURPLUS)
		return psprintf("event " INT64_FORMAT " of player %s has no cause",
						DatumGetInt64(row_key_column(stored, EVENT_SEQ)),
						id_text(ladder->player_type, row_key_column(stored, EVENT_PLAYER_ID)));
	subject = event->of == OF_COMPONENTS ? component_text(ladder, event->row->component) :
		psprintf("player %s", id_text(ladder->player_type, event->row->player->id));
	what = step->is_match ?
		psprintf("match %s", id_text(ladder->match_type, step->match_id)) :
		psprintf("%s " INT64_FORMAT, step->kind, step->seq);
	return psprintf("%s %s %s", subject,
					event->verdict == EVENT_MISSING ? "has no event of" :
					event->verdict != EVENT_SAME ? "in" :
					event->of == OF_COMPONENTS ? "was played later than" : "played later than", what);
}

/*
 * The replay resets its own context after each match; what a check keeps must outlive it.
 */
static void
check_event(ReplaySink *sink, Replay *replay, const ReplayedEvent *event)
{
	Verification *verification = (Verification *) sink;
	Check	   *check = verification->events[event->of];
	const BatchStep *step = &replay->batch->step;
	bool		in_order = !replay->ladder->reorders || event->row == NULL ||
		event->row->last_played <= step->at;
	MemoryContext old;

	check->examined++;
	if ((event->verdict == EVENT_SAME && in_order) || !fault(check))
		return;
	old = MemoryContextSwitchTo(verification->context);
	check->first = event_fault(replay->ladder, step, event);
	MemoryContextSwitchTo(old);
}

static void
check_match(ReplaySink *sink, Replay *replay, const SourceMatch *source,
			Verdict verdict, const Unrated *why)
{
	Check	   *check = ((Verification *) sink)->content;
	MemoryContext old;
	char	   *id;

	(void) why;
	check->examined++;
	if (!source->vanished && source->digest == source->rated_digest &&
		strcmp(verdict_status(source, verdict), source->status) == 0)
		return;
	if (!fault(check))
		return;
	old = MemoryContextSwitchTo(((Verification *) sink)->context);
	id = id_text(replay->ladder->match_type, source->id);
	if (source->vanished)
		check->first = psprintf("match %s is no longer in the source", id);
	else if (source->digest != source->rated_digest)
		check->first = psprintf("match %s", id);
	else
		check->first = psprintf("match %s is %s and should be %s", id,
								source->status,
								verdict_status(source, verdict));
	MemoryContextSwitchTo(old);
}

/*
 * Compare the rows of rating with where the players have got to.  A player whom the replay has not
 * met is expected in the initial state with no games, as batch_player() makes one.
 */
static void
check_ratings(Ladder *ladder, Batch *batch, Check *states, Check *counters)
{
	BatchPlayer **players = (BatchPlayer **) id_table_values(batch->players);
	int			i;

	for (i = 0; i < id_table_count(batch->players); i++)
	{
		const BatchPlayer *player = players[i];
		const StoredRow *row = player->stored;
		bool		found = row != NULL && row->found;

		/* Rows that nobody has are faults too: a reader sees the table only. */
		if (!found && !player->exists)
			continue;
		states->examined++;
		counters->examined += found;
		if ((!found || memcmp(row->state, player->state,
							  ladder->model->nstate * sizeof(double)) != 0) && fault(states))
			states->first = psprintf("player %s%s", id_text(ladder->player_type, player->id),
									 found ? "" : " has no row");
		if (found && memcmp(&row->record, &player->record, sizeof(PlayerRecord)) != 0 &&
			fault(counters))
			counters->first = psprintf("player %s", id_text(ladder->player_type, player->id));
	}
}

/* A row of component that nothing gives. */
static void
check_surplus_component(void *arg, QueryRow row)
{
	Check	   *check = (Check *) arg;

	check->examined++;
	if (fault(check))
		check->first = psprintf("a row of component %s has no cause",
								TextDatumGetCString(row.value[COMPONENT_KIND - 1]));
}

/* Compare the table component with where the components have got to, which may be nowhere. */
static void
check_components(Ladder *ladder, Batch *batch, Check *check)
{
	int			i;

	components_store_rows(batch, ladder, true, check_surplus_component, check);
	for (i = 0; i < batch->ncomponents; i++)
	{
		const BatchComponent *component = batch->components[i];
		bool		found = component->stored != NULL;

		check->examined += found || component->exists;
		if (same_row(component->stored, component->exists, &component->record, component->state,
					 component->spec->nstate) || !fault(check))
			continue;
		check->first = !component->exists ?
			psprintf("a row of component %s has no cause", component->spec->name) :
			psprintf("%s%s", component_text(ladder, component), found ? "" : " has no row");
	}
}

/* Matches that were never looked at, that were, and corrections and matches that wait. */
static LadderQuery counts_query = {
	.text = "SELECT (SELECT pg_catalog.count(DISTINCT s.match_id) FROM {source} AS s WHERE NOT EXISTS "
	"(SELECT FROM {rated_match} AS m WHERE m.match_id {match =} s.match_id)), "
	"(SELECT pg_catalog.count(*) FROM {rated_match}), (SELECT pg_catalog.count(*) FROM {correction}), "
	"(SELECT pg_catalog.count(DISTINCT p.match_id) FROM {pending} AS p)"
};

/* Matches that have no place, and what was seen of them. */
static LadderQuery unplaced_query = {
	.text = "SELECT m.match_id, " RECORDED_COLUMNS " FROM {rated_match} AS m WHERE m.seq IS NULL"
};

/*
 * A replay meets only matches that have a place.  One that could not be rated and has
 * changed since was overlooked no less than one that is new.
 */
static void
check_unplaced(Ladder *ladder, Check *complete)
{
	IdTable    *unplaced = compare_recorded(ladder, &unplaced_query, NULL);
	int			n = id_table_count(unplaced);
	Datum	   *ids = id_table_ids(unplaced);
	int			i;

	for (i = 0; i < n; i++)
	{
		const RecordedMatch *match = id_table_find(unplaced, ids[i], "");

		if (match->compared.met && !match->compared.same && fault(complete))
			complete->first = psprintf("match %s has changed since it was looked at",
									   id_text(ladder->match_type, ids[i]));
	}
}

static void
check_counts(Ladder *ladder, Check *complete, Check *corrections, Check *waiting)
{
	QueryRow	count;

	(void) ladder_read_row(ladder, &counts_query, NULL, &count);
	complete->faults = next_int64(&count);
	complete->examined = complete->faults + next_int64(&count);
	if (complete->faults > 0)
		complete->first = pstrdup("one that was never looked at");
	corrections->faults = corrections->examined = next_int64(&count);
	/* Nothing is wrong with them. */
	corrections->summary = corrections->faults == 1 ?
		pstrdup("1 correction waits for catch_up()") :
		psprintf(UINT64_FORMAT " corrections wait for catch_up()", corrections->faults);
	waiting->faults = next_int64(&count);
	waiting->summary = psprintf(UINT64_FORMAT " in table pending, see ladder_status()",
								waiting->faults);
}

/* Counts that ranks come from, where the ladder counts, and that are not those of table rating. */
static LadderQuery wrong_counts_query = {
	.text = "SELECT pg_catalog.concat(wrong, ' counts of players by rating are wrong, see set_ranks()') "
	"FROM skillrating_internal.wrong_rating_counts({this}) AS wrong WHERE wrong OPERATOR(pg_catalog.>) 0"
};

/* Triggers of the ladder that do not fire. */
static LadderQuery silent_query = {
	.text = "SELECT s.triggers OPERATOR(pg_catalog.||) ', see restore_triggers()' "
	"FROM skillrating_internal.ladder_status({this}) AS s"
};

/* The cause if all of history is there twice. */
static LadderQuery restored_query = {
	.text = "SELECT pg_catalog.format('a dump of data was restored into the ladder: %s, "
	"see catch_up() with rebuild => true', sign) "
	"FROM skillrating_internal.restored_data({this}) AS sign WHERE sign IS NOT NULL"
};

/* Rows of the tables of seasons that have ended and are not as the events are. */
static LadderQuery wrong_standings_query = {
	.text = "SELECT pg_catalog.concat('wrong rows of table standing: ', wrong, ', see catch_up() with rebuild => true') "
	"FROM skillrating_internal.wrong_standings({this}) AS wrong WHERE wrong OPERATOR(pg_catalog.>) 0"
};

/* Name what one of these finds, if anything; a fault is a note. */
static void
check_by_query(Ladder *ladder, LadderQuery *query, Check *check)
{
	if (check->note == NULL)
		check->note = ladder_read_text(ladder, query, NULL);
}

static Datum
verify(PG_FUNCTION_ARGS)
{
	Check		content = {"content", 0, "matches", 0, NULL, NULL, NULL};
	Check		events = {"events", 0, "events", 0, NULL, NULL, NULL};
	Check		states = {"ratings", 0, "players", 0, NULL, NULL, NULL};
	Check		counters = {"counters", 0, "players", 0, NULL, NULL, NULL};
	Check		components = {"components", 0, "states and events of components", 0, NULL, NULL, NULL};
	Check		complete = {"complete", 0, "finished matches", 0, NULL, NULL, NULL};
	Check		corrections = {"corrections", 0, "corrections", 0, NULL, NULL, NULL};
	Check		waiting = {"waiting", 0, "matches", 0, NULL, NULL, NULL};
	Verification verification = {{check_event, check_match},
	&content, {&events, &components}, NULL};
	const char *unread;
	Ladder	   *ladder;
	Replay	   *replay;

	InitMaterializedSRF(fcinfo, 0);
	ladder = ladder_open_inside(fcinfo);

	/*
	 * Without its triggers a ladder does not notice changes, so that the
	 * result would be out of date at once.
	 */
	ladder_require_triggers(ladder);
	unread = unread_source_columns(ladder);
	if (unread != NULL)
		content.note = psprintf("columns of the source are new and not read: %s",
								unread);

	/* The plans of the next queries are those for whole tables. */
	ladder_expect_many(ladder);

	/*
	 * One snapshot serves every query from here on.  No lock keeps others
	 * from rating.
	 */
	verification.context = CurrentMemoryContext;
	replay = replay_begin(ladder, REPLAY_START, REPLAY_KNOWN_PLAYERS);
	replay_on(replay, &verification.sink);
	check_ratings(ladder, replay->batch, &states, &counters);
	check_components(ladder, replay->batch, &components);
	check_counts(ladder, &complete, &corrections, &waiting);
	check_unplaced(ladder, &complete);
	if (OidIsValid(ladder->relation[LADDER_RATING_COUNT]))
		check_by_query(ladder, &wrong_counts_query, &states);
	check_by_query(ladder, &silent_query, &complete);
	check_by_query(ladder, &restored_query, &events);
	check_by_query(ladder, &wrong_standings_query, &events);

	return_check(fcinfo, &content);
	return_check(fcinfo, &events);
	return_check(fcinfo, &states);
	return_check(fcinfo, &counters);

	/* Of most ladders there are none to look at. */
	if (components.examined > 0 || components.faults > 0)
		return_check(fcinfo, &components);
	return_check(fcinfo, &complete);
	return_check(fcinfo, &corrections);
	if (waiting.faults > 0)
		return_check(fcinfo, &waiting);
	ladder_close(ladder);
	return (Datum) 0;
}

SQL_FUNCTION(skillrating_verify)
{
	return enter_ladder(fcinfo, verify);
}
