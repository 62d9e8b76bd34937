/*
 * batch_components.c
 *		Components while a batch of matches is rated.
 *
 * They are in an array, in the order in which they were first seen, and in a hash table with
 * open addressing.  Both count to skillrating.memory_limit.
 */
#include "pg/matches/batch_components.h"

#include "common/hashfn.h"
#include "miscadmin.h"

#include "pg/sql/huge.h"

#define FIRST_BUCKETS 64

/* Begin to bring memory into the cache, where the compiler knows how. */
#ifdef __GNUC__
#define prefetch(address) __builtin_prefetch(address)
#else
#define prefetch(address) ((void) 0)
#endif

void
components_create(Batch *batch)
{
	const MatchRules *rules = &batch->model->rules;
	int			i;

	for (i = 0; i < rules->ncomponents; i++)
		if (rules->component[i].used(batch->params))
		{
			batch->nkinds++;
			batch->component_nstate = Max(batch->component_nstate, rules->component[i].nstate);
		}
}

/*
 * ---- The table ----
 */

static uint32
hash_text(const char *text)
{
	return hash_bytes((const unsigned char *) text, (int) strlen(text));
}

static uint32
component_hash(int number, const BatchPlayer *player, const char *pool, const char *key)
{
	uint32		hash = hash_combine(hash_text(key), (uint32) number);

	/* A player is one in one pool. */
	if (player == NULL)
		return hash_combine(hash, hash_text(pool));
	return hash_combine(hash, hash_bytes((const unsigned char *) &player, sizeof(player)));
}

static BatchComponent *
find_component(const Batch *batch, uint32 hash, int number, const BatchPlayer *player,
			   const char *pool, const char *key)
{
	int64		mask = batch->nbuckets - 1;
	int64		place = hash & mask;

	if (batch->nbuckets == 0)
		return NULL;
	for (; batch->bucket[place].component != NULL; place = (place + 1) & mask)
	{
		BatchComponent *component = batch->bucket[place].component;

		if (batch->bucket[place].hash == hash && component->number == number &&
			component->player == player && strcmp(component->key, key) == 0 &&
			(player != NULL || strcmp(component->pool, pool) == 0))
			return component;
	}
	return NULL;
}

BatchComponent *
batch_find_component(const Batch *batch, int number, const BatchPlayer *player,
					 const char *pool, const char *key)
{
	return find_component(batch, component_hash(number, player, pool, key), number,
						  player, pool, key);
}

static void
put_in_bucket(Batch *batch, BatchComponent *component)
{
	int64		mask = batch->nbuckets - 1;
	int64		place = component->hash & mask;

	while (batch->bucket[place].component != NULL)
		place = (place + 1) & mask;
	batch->bucket[place].component = component;
	batch->bucket[place].hash = component->hash;
}

/*
 * Room for one more component.  An error leaves all as it was, because whoever catches it
 * may go on with the batch.
 */
static void
reserve_component(Batch *batch)
{
	if (batch->ncomponents == batch->max_components)
	{
		int64		max = Max(FIRST_BUCKETS, 2 * batch->max_components);

		if (batch->components == NULL)
			batch->components = huge_array(BatchComponent *, max);
		else
			huge_array_grow(batch->components, BatchComponent *, max);
		batch->max_components = max;
	}

	/* At least half of the buckets are empty. */
	if (2 * (batch->ncomponents + 1) > batch->nbuckets)
	{
		int64		nbuckets = Max(FIRST_BUCKETS, 2 * batch->nbuckets);
		ComponentBucket *bucket = huge_array0(ComponentBucket, nbuckets);
		int64		i;

		if (batch->bucket != NULL)
			pfree(batch->bucket);
		batch->bucket = bucket;
		batch->nbuckets = nbuckets;
		for (i = 0; i < batch->ncomponents; i++)
			put_in_bucket(batch, batch->components[i]);
	}
}

/* The component of that hash, which may be new. */
static BatchComponent *
enter_component(Batch *batch, uint32 hash, int number, BatchPlayer *player,
				const char *pool, const char *key)
{
	BatchComponent *component = find_component(batch, hash, number, player, pool, key);
	const ComponentSpec *spec = &batch->model->rules.component[number];
	Size		state_size = spec->nstate * sizeof(double);
	Size		key_size = strlen(key) + 1;
	MemoryContext old;

	if (component != NULL)
		return component;
	old = MemoryContextSwitchTo(batch->context);
	reserve_component(batch);
	component = palloc0(sizeof(BatchComponent) + state_size + key_size);
	component->spec = spec;
	component->number = number;
	component->player = player;

	/*
	 * The state and the key follow the struct, in one allocation: there may
	 * be millions of components.
	 */
	component->pool = player != NULL ? player->pool : pstrdup(pool);
	component->state = (double *) (component + 1);
	component->key = (char *) component->state + state_size;
	memcpy((char *) component->state + state_size, key, key_size);
	spec->init(batch->params, component->state);
	component->record.last_played = component->record.as_of = DT_NOBEGIN;
	component->hash = hash;
	if (player != NULL)
	{
		component->next = player->component;
		player->component = component;
	}
	put_in_bucket(batch, component);
	batch->components[batch->ncomponents++] = component;
	MemoryContextSwitchTo(old);
	return component;
}

BatchComponent *
batch_component(Batch *batch, int number, BatchPlayer *player, const char *pool,
				const char *key)
{
	return enter_component(batch, component_hash(number, player, pool, key), number,
						   player, pool, key);
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
	batch->component_hash = palloc_array(uint32, room);
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
	int			i;

	/*
	 * All buckets are asked for before any is looked into: where there are
	 * many components, each is a wait for memory, and these run side by side.
	 */
	for (i = 0; i < match->ncomponents; i++)
	{
		const MatchComponent *component = &match->component[i];

		batch->component_hash[i] =
			component_hash(component->number, player_of(batch, component), source->pool,
						   key_of(component, source));
		if (batch->nbuckets > 0)
			prefetch(&batch->bucket[batch->component_hash[i] & (batch->nbuckets - 1)]);
	}
	for (i = 0; i < match->ncomponents; i++)
	{
		const MatchComponent *component = &match->component[i];

		batch->component[i] = enter_component(batch, batch->component_hash[i],
											  component->number,
											  player_of(batch, component),
											  source->pool,
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

/* Room for so many rows of components in the step. */
static void
reserve_rows(Batch *batch, int64 n)
{
	BatchStep  *step = &batch->step;

	if (n <= step->max_components)
		return;
	n = Max(n, 2 * (int64) step->max_components);
	if (n > PG_INT32_MAX)
		ereport(ERROR,
				(errcode(ERRCODE_PROGRAM_LIMIT_EXCEEDED),
				 errmsg("too many components: more than %d", PG_INT32_MAX)));
	if (step->component != NULL)
		pfree(step->component);
	step->component = NULL;

	/*
	 * Set before the allocation, which may fail: the step then has no rows,
	 * and not freed ones.
	 */
	step->max_components = 0;
	step->component = huge_array_in(batch->context, ComponentRow, n);
	step->max_components = (int) n;
}

/* Add a row of the step, and put the component into the state after it. */
static ComponentRow *
add_row(Batch *batch, BatchComponent *component, const double *before,
		const double *after, TimestampTz at)
{
	BatchStep  *step = &batch->step;
	ComponentRow *row = &step->component[step->ncomponents];
	ComponentRecord *record = &component->record;

	row->component = component;
	row->before = before;
	row->after = after;
	row->games = record->games;
	row->last_played = record->last_played;
	row->as_of = record->as_of == record->last_played ? DT_NOBEGIN : record->as_of;
	component->step = step->seq;
	component->row = step->ncomponents++;

	/*
	 * The row points to the states of the match, which last until the next
	 * step; the component has its own copy.
	 */
	memcpy(component->state, after, component->spec->nstate * sizeof(double));
	record->as_of = Max(record->as_of, at);
	component->exists = component->touched = true;
	return row;
}

void
components_commit(Batch *batch, const SourceMatch *source)
{
	Match	   *match = &batch->match;
	int			i;

	reserve_rows(batch, match->ncomponents);
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

/* Do an operation to one component, with a row if that changes it. */
static void
operate(Batch *batch, const LadderOperation *operation, BatchComponent *component)
{
	const ComponentSpec *spec = component->spec;
	Size		size = spec->nstate * sizeof(double);
	bool		settles = operation->operation.kind == OPERATION_SETTLE;
	double	   *before = batch->operated_components +
		(Size) 2 * batch->component_nstate * batch->step.ncomponents;
	double	   *after = before + batch->component_nstate;

	CHECK_FOR_INTERRUPTS();
	if (!component->exists || (owner_is_fixed(component) &&
							   operation_leaves_fixed(operation->operation.kind)))
		return;
	batch_component_state_at(batch, component, operation->at, after);
	memcpy(before, settles ? component->state : after, size);
	if (operation_apply_to_component(&operation->operation, spec, batch->params,
									 after) != MATCH_OK)
		ereport(ERROR,
				(errcode(ERRCODE_NUMERIC_VALUE_OUT_OF_RANGE),
				 errmsg("operation \"%s\" gives component \"%s\" a state that is out of range",
						operation->kind, spec->name)));
	if (settles && memcmp(before, after, size) == 0)
		return;
	add_row(batch, component, before, after, operation->at);

	/* The state of one that was in no match does not age. */
	if (operation->operation.kind == OPERATION_RESET)
	{
		component->record.games = 0;
		component->record.last_played = component->record.as_of = DT_NOBEGIN;
	}
}

/* Whether operations of a kind change components. */
static bool
changes_components(OperationKind kind)
{
	switch (kind)
	{
		case OPERATION_SEASON:
		case OPERATION_SETTLE:
		case OPERATION_RESET:
			return true;
		case OPERATION_DECAY:
		case OPERATION_REGRESSION:
		case OPERATION_SET:
		case OPERATION_REFUND:
		case OPERATION_FIX:
			break;
	}
	return false;
}

/* Whether an operation that names no single players is about a component. */
static bool
is_about(const Batch *batch, const LadderOperation *operation,
		 const BatchComponent *component)
{
	if (operation->pool != NULL && strcmp(operation->pool, component->pool) != 0)
		return false;
	return !operation->has_player ||
		(component->player != NULL &&
		 id_equal(batch->player_type, operation->player, component->player->id));
}

/* Room for all components that there are, in rows and states. */
static void
reserve_operation(Batch *batch, int64 n)
{
	reserve_rows(batch, n);
	if (n <= batch->max_operated_components)
		return;
	if (batch->operated_components != NULL)
		pfree(batch->operated_components);
	batch->operated_components = NULL;
	batch->max_operated_components = 0;
	batch->operated_components =
		huge_array_in(batch->context, double, 2 * (Size) batch->component_nstate * n);
	batch->max_operated_components = n;
}

/* Do n operations, which name single players, to the components of these. */
static void
operate_on_players(Batch *batch, const LadderOperation *operation,
				   BatchPlayer *const *player, int n)
{
	BatchComponent *component;
	int64		most = 0;
	int			i;

	for (i = 0; i < n; i++)
		for (component = player[i]->component; component != NULL;
			 component = component->next)
			most++;

	/*
	 * Rows point into these states, so that they must not move while rows are
	 * added.
	 */
	reserve_operation(batch, most);
	for (i = 0; i < n; i++)
		for (component = player[i]->component; component != NULL;
			 component = component->next)
			operate(batch, &operation[i], component);
}

void
components_operate(Batch *batch, const LadderOperation *operation,
				   BatchPlayer *const *player, int n)
{
	int64		most = 0;
	int64		i;

	if (batch->ncomponents == 0 || !changes_components(operation->operation.kind))
		return;
	if (player != NULL)
	{
		operate_on_players(batch, operation, player, n);
		return;
	}
	for (i = 0; i < batch->ncomponents; i++)
		most += is_about(batch, operation, batch->components[i]);
	reserve_operation(batch, most);
	for (i = 0; i < batch->ncomponents; i++)
		if (is_about(batch, operation, batch->components[i]))
			operate(batch, operation, batch->components[i]);
}
