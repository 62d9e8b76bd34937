/*
 * batch_components.c
 *		Components while a batch of matches is rated, the matches in which its players have met,
 *		and rows about what it does.
 *
 * Components are in an array, in the order in which they were first seen, and in a table.  Each
 * player has a list of matches, with the team played for; those of a whole match are found by the
 * list of the player who has the fewest.
 */
#include "pg/matches/batch_components.h"

#include <math.h>

#include "catalog/pg_type.h"
#include "miscadmin.h"

#define FIRST_COMPONENTS 64

/*
 * ---- Rows of a step ----
 */

const PlayerRecord no_record = {.last_played = DT_NOBEGIN,.as_of = DT_NOBEGIN};

void
batch_reserve_rows(Batch *batch, RowsOf of, int n, bool states)
{
	EventRows  *rows = &batch->step.rows[of];

	rows->n = 0;

	if (n > rows->max)
	{
		int			max = Max(n, 2 * rows->max);

		huge_array_grow_in(batch->context, rows->row, EventRow, max);
		rows->max = max;
	}
	if (states && n > rows->max_state)
	{
		int			nstate = of == OF_PLAYERS ? batch->model->nstate : batch->component_nstate;

		huge_array_grow_in(batch->context, rows->state, double, 2 * (Size) nstate * n);
		rows->max_state = n;
	}
}

EventRow *
batch_add_row(EventRows *rows, const PlayerRecord *record, const double *before,
			  const double *after)
{
	EventRow   *row = &rows->row[rows->n++];

	row->component = NULL;
	row->before = before;
	row->after = after;
	row->games = record->games;
	row->last_played = record->last_played;

	/* Nothing where last_played says it. */
	row->as_of = record->as_of == record->last_played ? DT_NOBEGIN : record->as_of;
	return row;
}

/*
 * ---- The table ----
 *
 * A component belongs to a player of a pool, or to nobody in a pool.  In either there is an address
 * for each kind, which together with the key tells what is meant.
 */

StaticAssertDecl(sizeof(BatchPlayer) >= COMPONENT_MAX_KINDS,
				 "a player has fewer addresses than there are kinds of components");

/* A pool whose components are nobody's. */
typedef struct ComponentPool
{
	char		address[COMPONENT_MAX_KINDS];
	const char *name;
} ComponentPool;

/* The type of addresses as identifiers, which lives as long as the session. */
static const IdType *
address_type(void)
{
	static IdType *type = NULL;

	if (type == NULL)
	{
		MemoryContext old = MemoryContextSwitchTo(TopMemoryContext);
		IdType	   *made = palloc_object(IdType);

		id_type_init(made, INT8OID, "component");
		type = made;
		MemoryContextSwitchTo(old);
	}
	return type;
}

/* The pool of a name; the batch then has the tables. */
static const ComponentPool *
component_pool(Batch *batch, const char *name)
{
	MemoryContext old = MemoryContextSwitchTo(batch->context);
	bool		found;
	void	  **place;
	Datum		id;

	if (batch->component_table == NULL)
	{
		batch->component_pools = id_table_create(address_type());
		batch->component_table = id_table_create(address_type());
	}
	place = id_table_enter(batch->component_pools, Int64GetDatum(0), name, &found);
	if (*place == NULL)
	{
		ComponentPool *pool = palloc0_object(ComponentPool);

		id_table_key(place, &id, &pool->name);
		*place = pool;
	}
	MemoryContextSwitchTo(old);
	return *place;
}

/* The address for components of a kind that belong to a player, or else to a pool. */
static Datum
address_in(const BatchPlayer *player, const ComponentPool *pool, int number)
{
	const char *owner = player != NULL ? (const char *) player : pool->address;

	return Int64GetDatum((int64) (uintptr_t) (owner + number));
}

BatchComponent *
batch_find_component(const Batch *batch, int number, const BatchPlayer *player,
					 const char *pool, const char *key)
{
	const ComponentPool *of = batch->component_table == NULL ? NULL :
		id_table_find(batch->component_pools, Int64GetDatum(0), pool);

	return of == NULL ? NULL :
		id_table_find(batch->component_table, address_in(player, of, number), key);
}

/* The component of an owner and a key, which may be new. */
static BatchComponent *
enter_component(Batch *batch, int number, BatchPlayer *player, const ComponentPool *pool,
				const char *key)
{
	const ComponentSpec *spec = &batch->model->rules.component[number];
	Datum		address = address_in(player, pool, number);
	bool		found;
	void	  **place = id_table_enter(batch->component_table, address, key, &found);
	BatchComponent *component = *place;
	MemoryContext old;

	if (component != NULL)
		return component;
	old = MemoryContextSwitchTo(batch->context);

	/* An error leaves all as it was. */
	if (batch->ncomponents == batch->max_components)
	{
		int			max = Max(FIRST_COMPONENTS, 2 * batch->max_components);

		huge_array_grow(batch->components, BatchComponent *, max);
		batch->max_components = max;
	}

	/* The state follows the struct, in one allocation: there may be millions of components. */
	component = palloc0(sizeof(BatchComponent) + spec->nstate * sizeof(double));
	component->spec = spec;
	component->number = number;
	component->player = player;
	component->pool = player != NULL ? player->pool : pool->name;
	id_table_key(place, &address, &component->key);
	component->state = (double *) (component + 1);
	spec->init(batch->params, component->state);
	component->record = no_record;
	*place = component;
	batch->components[batch->ncomponents++] = component;
	MemoryContextSwitchTo(old);
	return component;
}

BatchComponent *
batch_component(Batch *batch, int number, BatchPlayer *player, const char *pool,
				const char *key)
{
	return enter_component(batch, number, player, component_pool(batch, pool), key);
}

/*
 * ---- The components of a match ----
 */

void
components_reserve(Batch *batch, int n)
{
	Size		room = (Size) n * batch->nkinds;

	batch->match.component = palloc_array(MatchComponent, room);
	batch->match.share = palloc_array(MatchShare, room);
	batch->component = palloc_array(BatchComponent *, room);
	batch->component_before = palloc_array(double, room * batch->component_nstate);
	batch->component_after = palloc_array(double, room * batch->component_nstate);
}

/* The context or club of a component of the match. */
static const char *
key_of(const MatchComponent *component, const SourceMatch *source)
{
	switch (component->spec->key)
	{
		case COMPONENT_BY_CONTEXT:
			return source->contexts.name[component->key];
		case COMPONENT_BY_CLUB:
			return source->clubs.name[component->key];
		case COMPONENT_BY_NOTHING:
			break;
	}
	return "";
}

/* The player of a component of the match, or NULL. */
static BatchPlayer *
player_of(const Batch *batch, const MatchComponent *component)
{
	return component->player < 0 ? NULL : batch->player[component->player];
}

void
components_find(Batch *batch, const SourceMatch *source)
{
	const Match *match = &batch->match;
	const ComponentPool *pool = component_pool(batch, source->pool);
	int			i;

	/* First the places of all, so that they come into the cache beside one another. */
	for (i = 0; i < match->ncomponents; i++)
	{
		const MatchComponent *component = &match->component[i];
		Datum		address = address_in(player_of(batch, component), pool, component->number);

		(void) id_table_hash(batch->component_table, address, key_of(component, source));
	}
	for (i = 0; i < match->ncomponents; i++)
	{
		const MatchComponent *component = &match->component[i];

		batch->component[i] = enter_component(batch, component->number,
											  player_of(batch, component), pool,
											  key_of(component, source));
	}
}

/* The state of a component at a time; what belongs to a player who is fixed does not age. */
static void
state_at(const Batch *batch, const BatchComponent *component, TimestampTz at, bool rests,
		 double *before)
{
	component_state_before(component->spec, batch->params, component->state,
						   rests ? 0 : idle_seconds(component->record.as_of, at), before);
}

static bool
owner_is_fixed(const BatchComponent *component)
{
	return component->player != NULL && component->player->record.fixed;
}

void
batch_component_state_at(const Batch *batch, const BatchComponent *component,
						 TimestampTz at, double *before)
{
	state_at(batch, component, at, owner_is_fixed(component), before);
}

bool
component_can_be_given(const BatchComponent *component)
{
	return component->spec->scope == COMPONENT_OF_UNEVEN;
}

/* Whether a match takes what it is given, and does not change the component. */
static bool
is_given(const SourceMatch *source, const BatchComponent *component)
{
	return source->advantage_given && component_can_be_given(component);
}

MatchStatus
components_prepare(Batch *batch, const SourceMatch *source)
{
	MatchStatus status = MATCH_OK;
	int			i;

	for (i = 0; i < batch->match.ncomponents && status == MATCH_OK; i++)
	{
		MatchComponent *c = &batch->match.component[i];
		BatchComponent *component = batch->component[i];
		double	   *before = batch->component_before + (Size) i * batch->component_nstate;

		bool		fixed = owner_is_fixed(component);
		bool		becomes_fixed = c->player >= 0 &&
			batch->match.player[c->player].fixed == 1;

		state_at(batch, component, source->played_at,
				 fixed || (becomes_fixed && batch->before_match == NULL), before);
		if (is_given(source, component))
			memcpy(before, source->advantage, sizeof(source->advantage));
		if (batch->before_match != NULL && component->exists && !fixed)
			status = operation_apply_to_component(batch->before_match, component->spec,
												  batch->params, before);
		c->before = before;
		c->after = batch->component_after + (Size) i * batch->component_nstate;
		c->games = component->record.games;
	}
	return status;
}

/* Add a row of the step, and put the component into the state after it. */
static void
add_row(Batch *batch, BatchComponent *component, const double *before,
		const double *after, TimestampTz at)
{
	EventRows  *rows = &batch->step.rows[OF_COMPONENTS];
	PlayerRecord *record = &component->record;
	EventRow   *row = batch_add_row(rows, record, before, after);

	row->component = component;
	row->player = component->player;
	component->step = batch->step.seq;
	component->row = rows->n - 1;

	/*
	 * The row points to the states of the match, which last until the next
	 * step; the component has its own copy.
	 */
	memcpy(component->state, after, component->spec->nstate * sizeof(double));
	record->as_of = Max(record->as_of, at);
	component->exists = component->touched = true;
}

void
components_commit(Batch *batch, const SourceMatch *source)
{
	Match	   *match = &batch->match;
	int			i;

	batch_reserve_rows(batch, OF_COMPONENTS, match->ncomponents, false);
	for (i = 0; i < match->ncomponents; i++)
	{
		BatchComponent *component = batch->component[i];

		if (is_given(source, component))
			continue;
		add_row(batch, component, match->component[i].before,
				match->component[i].after, source->played_at);
		component->record.games++;
		component->record.last_played = Max(component->record.last_played,
											source->played_at);
	}
}

/*
 * ---- Operations ----
 */

/* Whether an operation, whose players have been marked as those of a build, is about a component. */
static bool
is_about(const Batch *batch, const LadderOperation *operation,
		 const BatchComponent *component)
{
	if (!component->exists || (owner_is_fixed(component) &&
							   operation_leaves_fixed(operation->operation.kind)))
		return false;
	if (operation->has_player)
		return component->player != NULL && component->player->build == batch->build;
	return operation->pool == NULL || strcmp(operation->pool, component->pool) == 0;
}

/* Do an operation to one component, with a row if that changes it. */
static void
operate(Batch *batch, const LadderOperation *operation, BatchComponent *component)
{
	const ComponentSpec *spec = component->spec;
	const EventRows *rows = &batch->step.rows[OF_COMPONENTS];
	Operation	done = operation_for(operation, &component->record);
	Size		size = spec->nstate * sizeof(double);
	bool		settles = operation->operation.kind == OPERATION_SETTLE;
	double	   *before = rows->state + (Size) 2 * batch->component_nstate * rows->n;
	double	   *after = before + batch->component_nstate;

	CHECK_FOR_INTERRUPTS();
	batch_component_state_at(batch, component, operation->at, after);
	memcpy(before, settles ? component->state : after, size);
	if (operation_apply_to_component(&done, spec, batch->params, after) != MATCH_OK)
		ereport(ERROR,
				(errcode(ERRCODE_NUMERIC_VALUE_OUT_OF_RANGE),
				 errmsg("operation \"%s\" gives component \"%s\" a state that is out of range",
						operation->kind, spec->name)));
	if (settles && memcmp(before, after, size) == 0)
		return;
	add_row(batch, component, before, after, operation->at);

	/* The state of one that was in no match does not age. */
	if (operation->operation.kind == OPERATION_RESET)
		component->record = no_record;
}

void
components_operate(Batch *batch, const LadderOperation *operation,
				   BatchPlayer *const *player, int nplayers)
{
	int			n = 0;
	int			i;

	if (!operation_is_on_components(operation->operation.kind))
		return;
	batch->build++;
	for (i = 0; i < nplayers; i++)
		player[i]->build = batch->build;
	for (i = 0; i < batch->ncomponents; i++)
		n += is_about(batch, operation, batch->components[i]);
	batch_reserve_rows(batch, OF_COMPONENTS, n, true);
	for (i = 0; i < batch->ncomponents; i++)
		if (is_about(batch, operation, batch->components[i]))
			operate(batch, operation, batch->components[i]);
}

/*
 * ---- Meetings ----
 */

void
batch_add_meeting(Batch *batch, BatchPlayer *player, int64 seq,
				  TimestampTz played_at, int team)
{
	Meeting    *meeting;

	if (player->nmeetings == player->max_meetings)
	{
		int			max = Max(8, 2 * player->max_meetings);

		huge_array_grow_in(batch->context, player->meeting, Meeting, max);
		player->max_meetings = max;
	}
	meeting = &player->meeting[player->nmeetings++];
	meeting->seq = seq;
	meeting->played_at = played_at;
	meeting->team = team;
}

/* What a player remembers of the match with a seq, or NULL. */
static const Meeting *
find_meeting(const BatchPlayer *player, int64 seq)
{
	int			low = 0;
	int			high = player->nmeetings;

	while (low < high)
	{
		int			middle = low + (high - low) / 2;

		if (player->meeting[middle].seq < seq)
			low = middle + 1;
		else
			high = middle;
	}
	return low < player->nmeetings && player->meeting[low].seq == seq ?
		&player->meeting[low] : NULL;
}

/* Whether two players of the match are on different teams. */
static bool
has_opponents(const Match *match)
{
	int			i;

	for (i = 1; i < match->nplayers; i++)
		if (match->player[i].team != match->player[0].team)
			return true;
	return false;
}

/*
 * Whether all players of the match took part in the one with a seq, and all opponents as
 * opponents; teams is room for them.
 */
static bool
met_in(const Batch *batch, int64 seq, TeamsOfPlayer *teams)
{
	const Match *match = &batch->match;
	int			i;

	for (i = 0; i < match->nplayers; i++)
	{
		const Meeting *meeting = find_meeting(batch->player[i], seq);

		if (meeting == NULL)
			return false;
		teams[i].before = meeting->team;
		teams[i].now = match->player[i].team;
	}
	return eligibility_same_opponents(teams, match->nplayers);
}

int64
batch_count_meetings(const Batch *batch, TimestampTz played_at, double window,
					 double limit)
{
	const Match *match = &batch->match;
	const BatchPlayer *fewest = NULL;
	TeamsOfPlayer *teams;
	int64		count = 0;
	int			i;

	Assert(batch->keeps_meetings);
	if (!has_opponents(match))
		return 0;
	for (i = 0; i < match->nplayers; i++)
		if (fewest == NULL || batch->player[i]->nmeetings < fewest->nmeetings)
			fewest = batch->player[i];
	teams = palloc_array(TeamsOfPlayer, match->nplayers);
	for (i = fewest->nmeetings - 1; i >= 0 && count < limit; i--)
	{
		const Meeting *meeting = &fewest->meeting[i];
		double		apart = ((double) meeting->played_at - (double) played_at) /
			USECS_PER_SEC;

		CHECK_FOR_INTERRUPTS();
		if (fabs(apart) <= window && met_in(batch, meeting->seq, teams))
			count++;
	}
	pfree(teams);
	return count;
}
