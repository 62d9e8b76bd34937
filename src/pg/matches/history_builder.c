/*
 * history_builder.c
 *		A history in memory, from the rows of an ordered aggregate or from matches.
 */
#include "pg/matches/history_builder.h"

#include "catalog/pg_type.h"
#include "miscadmin.h"
#include "nodes/execnodes.h"
#include "utils/builtins.h"
#include "utils/datum.h"
#include "utils/float.h"
#include "utils/lsyscache.h"
#include "utils/memutils.h"

#include "core/rating/history_components.h"
#include "pg/matches/batch.h"

/* Of a tuple of a worker, what is not its rows: other aggregates and what groups are by. */
#define ROOM_FOR_OTHERS (1024 * 1024)

void
history_builder_init(HistoryBuilder *builder, Oid player_type, bool pools_share)
{
	memset(builder, 0, sizeof(HistoryBuilder));
	builder->pools_share = pools_share;
	id_type_init(&builder->player_type, player_type, "player_id");
	builder->players = id_table_create(&builder->player_type);
	id_type_init(&builder->text_type, TEXTOID, "context");
	builder->judging = AllocSetContextCreate(CurrentMemoryContext,
											 "skillrating judged match",
											 ALLOCSET_SMALL_SIZES);
}

/* The number of a player in a pool. */
static int32
player_number(HistoryBuilder *builder, Datum id, const char *pool)
{
	History    *history = &builder->history;
	bool		found;
	void	  **place = id_table_enter(builder->players, id, pool, &found);
	int32		number;

	if (found)
		return (int32) (intptr_t) *place - 1;
	if (history->nplayers == builder->max_players)
	{
		if (builder->max_players > PG_INT32_MAX / 2)
			ereport(ERROR,
					(errcode(ERRCODE_PROGRAM_LIMIT_EXCEEDED),
					 errmsg("too many players: more than %d", builder->max_players)));
		builder->max_players = Max(1024, 2 * builder->max_players);
		huge_array_grow(builder->player_id, Datum, builder->max_players);
		huge_array_grow(history->shared, int32, builder->max_players);
		huge_array_grow(builder->seat, BuilderSeat, builder->max_players);
	}
	number = history->nplayers++;
	builder->seat[number].number = 0;
	*place = (void *) (intptr_t) (number + 1);
	builder->player_id[number] = datumCopy(id, builder->player_type.typbyval,
										   builder->player_type.typlen);
	history->shared[number] = number;

	/* This may move the arrays. */
	if (builder->pools_share && strcmp(pool, SHARED_POOL) != 0)
	{
		int32		shared = player_number(builder, id, SHARED_POOL);

		history->shared[number] = shared;
	}
	return number;
}

/* Room for so many more participants. */
static void
reserve_participants(HistoryBuilder *builder, int n)
{
	History    *history = &builder->history;
	int			j;

	if (history->nparticipants + n <= builder->max_participants)
		return;
	builder->max_participants = Max(history->nparticipants + n,
									Max(4096, 2 * builder->max_participants));
	huge_array_grow(history->player, int32, builder->max_participants);
	huge_array_grow(history->team, int32, builder->max_participants);
	for (j = 0; j < PARTICIPANT_NUMBERS; j++)
		if (history->number[j] != NULL)
			huge_array_grow(history->number[j], double, builder->max_participants);
	if (history->contexts.number != NULL)
		huge_array_grow(history->contexts.number, int32, builder->max_participants);
	if (history->clubs.number != NULL)
		huge_array_grow(history->clubs.number, int32, builder->max_participants);
}

/* The number of a name, which may be new. */
static int32
name_number(HistoryBuilder *builder, BuilderNames *names, const char *name)
{
	Datum		text = CStringGetTextDatum(name);
	bool		found;
	void	  **place;

	if (names->table == NULL)
		names->table = id_table_create(&builder->text_type);
	place = id_table_enter(names->table, text, "", &found);
	pfree(DatumGetPointer(text));
	if (!found)
		*place = (void *) (intptr_t) ++names->n;
	return (int32) (intptr_t) *place - 1;
}

Datum *
history_builder_names(const BuilderNames *names)
{
	Datum	   *by_number = palloc_array(Datum, names->n + 1);
	Datum	   *name = names->table != NULL ? id_table_ids(names->table) : NULL;
	int32		i;

	for (i = 0; i < names->n; i++)
		by_number[(intptr_t) id_table_find(names->table, name[i], "") - 1] = name[i];
	return by_number;
}

/*
 * Add the contexts or clubs of a match, whose participants are the last n of the history;
 * where they begin.
 */
static size_t
add_names(HistoryBuilder *builder, BuilderNames *names, HistoryNames *column,
		  const SourceNames *source, const Participant *participant, int n,
		  size_t field)
{
	const History *history = &builder->history;
	size_t		first = column->nnames;
	size_t		place = history->nparticipants - n;
	size_t		k;
	int			i;

	if (source->n == 0 && column->number == NULL)
		return first;

	/* The column begins with the first name. */
	if (column->number == NULL)
	{
		huge_array_grow(column->number, int32, builder->max_participants);
		for (k = 0; k < place; k++)
			column->number[k] = -1;
	}
	if (first + source->n > names->max_names)
	{
		names->max_names = Max(first + source->n, Max(1024, 2 * names->max_names));
		huge_array_grow(column->name, int32, names->max_names);
	}
	for (i = 0; i < source->n; i++)
		column->name[column->nnames++] = name_number(builder, names, source->name[i]);
	for (i = 0; i < n; i++)
		column->number[place + i] = *(const int *) ((const char *) &participant[i] + field);
	column->n = names->n;
	return first;
}

/* Whether all rows of a match have the same context, which may be none. */
static bool
has_one_context(const SourceMatch *source)
{
	int			i;

	for (i = 0; i < source->n; i++)
		if (source->participant[i].context != source->participant[0].context)
			return false;
	return true;
}

/* Where contexts are those of matches, look at a match with several. */
static void
check_context(const HistoryBuilder *builder, SourceMatch *source)
{
	int			i;

	if (builder->context_use == CONTEXT_OF_ROWS || has_one_context(source))
		return;
	if (builder->context_use == CONTEXT_OF_MATCHES)
		source_match_differs(source, "context");
	for (i = 0; i < source->n; i++)
		source->participant[i].context = -1;
	source->contexts.n = 0;
}

/* The number of a pool; mostly it is that of the match before. */
static int32
pool_number(HistoryBuilder *builder, const char *pool)
{
	if (builder->last_pool != NULL && strcmp(builder->last_pool, pool) == 0)
		return builder->pool_number;
	if (builder->last_pool != NULL)
		pfree(builder->last_pool);
	builder->last_pool = pstrdup(pool);
	return builder->pool_number = name_number(builder, &builder->pools, pool);
}

/* What the last match of the history, whose participants are there, has of names. */
static void
add_match_names(HistoryBuilder *builder, const SourceMatch *source, HistoryMatch *match)
{
	History    *history = &builder->history;

	match->pool = pool_number(builder, source->pool);
	history->npools = builder->pools.n;
	match->first_context = add_names(builder, &builder->contexts, &history->contexts,
									 &source->contexts, source->participant, source->n,
									 offsetof(Participant, context));
	match->first_club = add_names(builder, &builder->clubs, &history->clubs,
								  &source->clubs, source->participant, source->n,
								  offsetof(Participant, club));
	builder->context_of[match - history->match] =
		source->contexts.n == 1 && has_one_context(source) ?
		history->contexts.name[match->first_context] : -1;
}

/*
 * ---- Judging ----
 */

void
history_builder_judge_by(HistoryBuilder *builder, const char *caller,
						 const MatchRules *rules, const ParamValue *params,
						 bool strict, SourceTimes times)
{
	builder->caller = caller;
	builder->rules = rules;
	builder->params = params;
	builder->strict = strict;
	builder->match.tolerant = !strict;
	builder->match.times = times;

	/* A solver has contexts of matches, and a study log-odds of a side, under any rules. */
	builder->match.unused = source_columns_without(rules->supports | MODEL_CONTEXT | MODEL_SIDE);
}

/* The match that an error is about, among those that a function has read. */
typedef struct Place
{
	const char *caller;
	uint32		number;
} Place;

static void
place_error_context(void *arg)
{
	const Place *place = (const Place *) arg;

	errcontext("match %u in the order of %s()", place->number, place->caller);
}

/* Report a mistake in a match, with the player in whose row it shows, or NULL. */
pg_noreturn static void
report_mistake(const char *caller, uint32 number, MatchStatus status, double value,
			   const char *player)
{
	Place		place = {caller, number};
	ErrorContextCallback callback = {error_context_stack, place_error_context, &place};

	error_context_stack = &callback;
	report_match_status(status, value, player);
}

/* Room for a match of n participants that is judged. */
static void
reserve_judged(HistoryBuilder *builder, int n)
{
	Match	   *match = &builder->judged;

	if (n <= builder->max_judged)
		return;
	builder->max_judged = Max(32, 2 * n);
	huge_array_grow(match->team, MatchTeam, builder->max_judged);
	huge_array_grow(match->player, MatchPlayer, builder->max_judged);
	huge_array_grow(match->entry, MatchEntry, builder->max_judged);
	huge_array_grow(builder->known, int32, builder->max_judged);
	huge_array_grow(builder->seated, int32, builder->max_judged);
}

/* The pointer that the table of players has for a participant, or NULL. */
static void *
find_player(HistoryBuilder *builder, const SourceMatch *source, int participant)
{
	Datum		id = source->player_id[participant];

	if (builder->hashes == source->n)
		return id_table_find_hashed(builder->players, id, source->pool,
									builder->hash[source->order[participant]]);
	return id_table_find(builder->players, id, source->pool);
}

/*
 * The index of a participant's player, which known[] has, in the match that is judged, where
 * the next one is free.  Players whom no match before has brought are not added yet: what is
 * left out must not show, not even in the order of players.
 */
static int
judged_seat(HistoryBuilder *builder, const SourceMatch *source, int participant)
{
	int32		known = builder->known[participant];
	int			next = builder->judged.nplayers;
	bool		found;
	void	  **place;

	if (known >= 0)
	{
		BuilderSeat *seat = &builder->seat[known];

		if (seat->number != builder->number)
		{
			seat->number = builder->number;
			seat->seat = next;
		}
		return seat->seat;
	}
	if (builder->newcomers == NULL)
	{
		MemoryContext old = MemoryContextSwitchTo(builder->judging);

		builder->newcomers = id_table_create(&builder->player_type);
		MemoryContextSwitchTo(old);
	}
	place = id_table_enter(builder->newcomers, source->player_id[participant], source->pool,
						   &found);
	if (!found)
		*place = (void *) (intptr_t) (next + 1);
	return (int) ((intptr_t) *place - 1);
}

/*
 * Build a match, whose participants are sorted, to see whether it counts; a mistake is an
 * error where strict.
 */
static MatchStatus
judge_match(HistoryBuilder *builder, SourceMatch *source)
{
	Match	   *match = &builder->judged;
	MatchStatus status;
	int			offender;
	int			i;

	reserve_judged(builder, source->n);
	match->nplayers = 0;
	match->log_odds = source->log_odds;
	for (i = 0; i < source->n; i++)
	{
		builder->known[i] = (int32) (intptr_t) find_player(builder, source, i) - 1;
#ifdef __GNUC__
		if (builder->known[i] >= 0)
			__builtin_prefetch(&builder->seat[builder->known[i]], 1);
#endif
	}
	for (i = 0; i < source->n; i++)
	{
		int			seat = judged_seat(builder, source, i);

		if (seat == match->nplayers)
			match->nplayers++;
		source->participant[i].player = seat;
	}
	if (builder->newcomers != NULL)
	{
		builder->newcomers = NULL;
		MemoryContextReset(builder->judging);
	}
	status = match_build(builder->rules, builder->params, source->participant,
						 source->n, match, &offender);
	if (builder->strict && status > MATCH_LAST_UNRATED)
		report_mistake(builder->caller, builder->number, status,
					   match_status_value(status,
										  offender < 0 ? NULL : &source->participant[offender],
										  match),
					   offender < 0 ? NULL :
					   id_text(&builder->player_type, source->player_id[offender]));
	return status;
}

/* Why a match that has been read does not count, or MATCH_OK; its rows are sorted. */
static int
reason_against(HistoryBuilder *builder, SourceMatch *source)
{
	Unrated		why = source_match_reason(source);

	if (why.detail != NULL)
		return why.reason;
	if (builder->pools_share && strcmp(source->pool, SHARED_POOL) == 0)
	{
		if (builder->strict)
			ereport(ERROR,
					(errcode(ERRCODE_RESERVED_NAME),
					 errmsg("pool \"%s\" is reserved", source->pool)));
		return UNRATED_RESERVED_POOL;
	}
	source_match_sort(source);
	return builder->rules != NULL ? judge_match(builder, source) : MATCH_OK;
}

/* Add the participants of a match to the history's. */
static void
add_participants(HistoryBuilder *builder, const SourceMatch *source, const int32 *known)
{
	History    *history = &builder->history;
	int			i,
				j;

	for (i = 0; i < source->n; i++)
	{
		size_t		place = history->nparticipants++;

		history->player[place] = known != NULL && known[i] >= 0 ? known[i] :
			player_number(builder, source->player_id[i], source->pool);
		history->team[place] = source->participant[i].team;
		for (j = 0; j < PARTICIPANT_NUMBERS; j++)
		{
			double		number = source->participant[i].number[j];
			size_t		k;

			/* A column begins with the first number that is known. */
			if (history->number[j] == NULL)
			{
				if (isnan(number))
					continue;
				huge_array_grow(history->number[j], double, builder->max_participants);
				for (k = 0; k < place; k++)
					history->number[j][k] = get_float8_nan();
			}
			history->number[j][place] = number;
		}
	}
}

/* Show the match that was judged, and is the last of the history now, to whoever looks. */
static void
show_judged(HistoryBuilder *builder, const SourceMatch *source)
{
	const History *history = &builder->history;
	const int32 *player = history->player + history->match[history->nmatches - 1].first;
	int			i;

	if (builder->on_match == NULL)
		return;
	for (i = 0; i < source->n; i++)
		builder->seated[source->participant[i].player] = player[i];
	builder->on_match(builder, &builder->judged, builder->seated, builder->argument);
}

/* Players keep their numbers, and arrays their room. */
static void
forget_matches(HistoryBuilder *builder)
{
	builder->forgotten += builder->history.nmatches;
	builder->history.nmatches = builder->history.nparticipants = 0;
	builder->history.contexts.nnames = builder->history.clubs.nnames = 0;
}

void
history_builder_append(HistoryBuilder *builder, const SourceMatch *source, const int32 *known)
{
	History    *history = &builder->history;
	HistoryMatch *match;

	if (history->nmatches == builder->max_matches)
	{
		builder->max_matches = Max(1024, 2 * builder->max_matches);
		huge_array_grow(history->match, HistoryMatch, builder->max_matches);
		huge_array_grow(builder->context_of, int32, builder->max_matches);
	}
	reserve_participants(builder, source->n);

	match = &history->match[history->nmatches++];
	match->played_at = source->played_at;
	match->log_odds = source->log_odds;
	match->tournament = source->tournament;
	match->number = builder->number;
	match->first = history->nparticipants;
	match->n = source->n;
	history->max_participants = Max(history->max_participants, source->n);
	add_participants(builder, source, known);
	add_match_names(builder, source, match);
	if (known != NULL)
		show_judged(builder, source);
	if (history->nmatches == builder->batch)
		forget_matches(builder);
}

void
history_builder_add(HistoryBuilder *builder, SourceMatch *source)
{
	int			reason;

	/*
	 * Matches that do not count have a number too, because errors name places
	 * in the order.
	 */
	builder->number++;
	check_context(builder, source);
	reason = reason_against(builder, source);
	if (reason != MATCH_OK)
		unrated_count(&builder->unrated, reason);
	else
		history_builder_append(builder, source,
							   builder->rules != NULL ? builder->known : NULL);
}

HistoryWork *
history_work_make(const History *history, int nstate, const MatchRules *rules)
{
	HistoryWork *work = palloc_object(HistoryWork);
	HistoryComponents *components;
	char	   *room;

	history_work_init(work, huge_array(char, history_work_size(history, nstate)), history,
					  nstate);
	if (rules == NULL || rules->ncomponents == 0)
		return work;
	components = palloc_object(HistoryComponents);
	room = huge_array(char, history_components_room(history));
	history_components_find(components,
							huge_array(char, history_components_size(history, rules)),
							room, history, rules);
	pfree(room);
	history_component_states_init(work,
								  huge_array(char,
											 history_component_states_size(history, components)),
								  history, components);
	return work;
}

/*
 * ---- Rows of an aggregate ----
 */

/* The executor gives the aggregate up: so are files on disk. */
static void
end_rows(Datum argument)
{
	match_rows_end((MatchRows *) DatumGetPointer(argument));
}

/*
 * The most bytes that a worker can hand over: each of the aggregates that share its state sends
 * them, in one tuple of less than 1 GB.
 */
static Size
max_rows_size(FunctionCallInfo fcinfo)
{
	const AggState *node = castNode(AggState, fcinfo->context);
	const Aggref *aggref = AggGetAggref(fcinfo);
	ListCell   *cell;
	int			n = 0;

	foreach(cell, node->aggs)
		if (lfirst_node(Aggref, cell)->aggtransno == aggref->aggtransno)
			n++;
	return (MaxAllocSize - ROOM_FOR_OTHERS) / Max(n, 1);
}

/* Prepare to take rows that come in no order: the arguments from the match on, but options. */
static void
prepare_rows(HistoryBuilder *builder, FunctionCallInfo fcinfo)
{
	const ParticipantArguments *rows = &builder->rows;
	const Aggref *aggref = AggGetAggref(fcinfo);
	int			ncolumns = rows->inputs >= 0 ? 5 : 4;
	TupleDesc	desc = CreateTemplateTupleDesc(ncolumns);
	int			i;

	for (i = 0; i < ncolumns; i++)
		TupleDescInitEntry(desc, i + 1, NULL,
						   list_nth_oid(aggref->aggargtypes, rows->first - 1 + i), -1, 0);
	builder->row = palloc0(SizeForFunctionCallInfo(rows->first + ncolumns));
	builder->unordered = match_rows_create(desc, &builder->rows.match_type,
										   DO_AGGSPLIT_SKIPFINAL(aggref->aggsplit) ?
										   max_rows_size(fcinfo) : 0,
										   get_func_name(aggref->aggfnoid));
	AggRegisterCallback(fcinfo, end_rows, PointerGetDatum(builder->unordered));
}

void
history_builder_begin_rows(HistoryBuilder *builder, FunctionCallInfo fcinfo,
						   const char *aggregate, int first, bool any_order,
						   bool pools_share)
{
	ParticipantArguments rows;

	participant_arguments_init(&rows, fcinfo, aggregate, first, any_order);
	history_builder_init(builder, rows.player_type, pools_share);
	builder->rows = rows;
	source_match_init(&builder->match, &builder->rows.match_type,
					  &builder->player_type);
	builder->match_context = AllocSetContextCreate(CurrentMemoryContext,
												   "skillrating match",
												   ALLOCSET_SMALL_SIZES);
	builder->row_context = AllocSetContextCreate(CurrentMemoryContext,
												 "skillrating row",
												 ALLOCSET_SMALL_SIZES);
	if (!rows.ordered)
		prepare_rows(builder, fcinfo);
}

/* Add the match whose rows have all been read, if there is one. */
static void
add_read_match(HistoryBuilder *builder)
{
	if (builder->match.number > 0)
		history_builder_add(builder, &builder->match);
	builder->hashes = 0;
}

/*
 * Have the player whose row was added last looked up, so that the table is in the cache by the
 * time the match is complete.
 */
static void
hash_player(HistoryBuilder *builder)
{
	const SourceMatch *match = &builder->match;

	if (builder->hashes == builder->max_hashes)
	{
		builder->max_hashes = Max(32, 2 * builder->max_hashes);
		huge_array_grow(builder->hash, uint32, builder->max_hashes);
	}
	builder->hash[builder->hashes++] =
		id_table_hash(builder->players, match->player_id[match->n - 1], match->pool);
}

/*
 * Take the arguments of a row apart: whether it begins a match.  What that allocates, as of
 * inputs with a short header, which come from a sort, lasts until the next row.
 */
static bool
read_arguments(HistoryBuilder *builder, FunctionCallInfo fcinfo)
{
	MemoryContext old;
	bool		begins;

	MemoryContextReset(builder->row_context);
	old = MemoryContextSwitchTo(builder->row_context);
	begins = participant_arguments_read(&builder->rows, fcinfo);
	MemoryContextSwitchTo(old);
	return begins;
}

/* Read a row, whose match may be that of the one before. */
static void
read_row(HistoryBuilder *builder, FunctionCallInfo fcinfo)
{
	MemoryContext old = CurrentMemoryContext;
	bool		added;

	if (read_arguments(builder, fcinfo))
	{
		add_read_match(builder);
		MemoryContextReset(builder->match_context);
		MemoryContextSwitchTo(builder->match_context);
		source_match_begin(&builder->match, builder->rows.values,
						   builder->rows.nulls);
	}
	MemoryContextSwitchTo(builder->match_context);
	added = source_match_add(&builder->match, builder->rows.values,
							 builder->rows.nulls) != NULL;
	MemoryContextSwitchTo(old);
	if (added)
		hash_player(builder);
}

void
history_builder_read_row(HistoryBuilder *builder, FunctionCallInfo fcinfo)
{
	const NullableDatum *row = &fcinfo->args[builder->rows.first];

	if (builder->unordered == NULL)
		read_row(builder, fcinfo);
	else if (row[0].isnull)
		report_null("match_id");
	else
		match_rows_add(builder->unordered, row);
}

void
history_builder_end_rows(HistoryBuilder *builder)
{
	if (builder->unordered != NULL)
		while (match_rows_read(builder->unordered, &builder->row->args[builder->rows.first]))
			read_row(builder, builder->row);
	add_read_match(builder);
	if (builder->unordered != NULL)
		match_rows_end(builder->unordered);
}

void
history_report_mistake(HistoryBuilder *builder, const char *aggregate,
					   const HistoryWork *work, MatchStatus status,
					   size_t match, int offender)
{
	const History *history = &builder->history;
	const HistoryMatch *source = &history->match[match];
	Match		shape = {0};
	const Participant *participant = NULL;
	char	   *player = NULL;

	shape.log_odds = source->log_odds;
	if (offender >= 0)
	{
		participant = &work->participant[offender];
		player = id_text(&builder->player_type,
						 builder->player_id[history->player[source->first + offender]]);
	}
	report_mistake(aggregate, source->number, status,
				   match_status_value(status, participant, &shape), player);
}
