/*
 * history_components.c
 *		The components of a history, numbered once for all of its replays.
 *
 * Memory comes from the caller, in blocks whose sizes are asked for before: the numbers and the
 * states live as long as the history is replayed, and the room for names only while numbers are
 * found.  A pair of functions cuts each block, so that size and layout cannot differ.
 *
 * A replay changes states only by history_components_after(), and begins with
 * history_components_reset(); replays of one history at the same time need a work each.
 */
#include "core/rating/history_components.h"

#include <string.h>

#include "core/util/block.h"

/* What tells a component of a kind from others: of whom, and where; or nothing is. */
typedef struct ComponentName
{
	int32_t		owner;			/* a player, who is one in one pool; or a pool */
	int32_t		key;			/* a context or club, or 0; -1: no component */
} ComponentName;

/* Names that were seen, and a hash table of their numbers. */
typedef struct NameTable
{
	ComponentName *name;		/* by number */
	int32_t		n;
	int32_t    *bucket;			/* number, or -1 */
	size_t		nbuckets;		/* a power of 2 */
} NameTable;

/* A power of two that leaves at least half of the buckets empty. */
static size_t
count_buckets(const History *history)
{
	size_t		n = 4;

	while (n < 2 * history->nparticipants)
		n *= 2;
	return n;
}

/* Cut the room for names, or with NULL count its bytes; each kind uses it anew. */
static size_t
lay_out_room(NameTable *table, char *room, const History *history)
{
	size_t		total = 0;

	table->n = 0;
	table->nbuckets = count_buckets(history);
	table->name = block_take(&room, &total, sizeof(ComponentName), history->nparticipants);
	table->bucket = block_take(&room, &total, sizeof(int32_t), table->nbuckets);
	return total;
}

size_t
history_components_room(const History *history)
{
	NameTable	table;

	return lay_out_room(&table, NULL, history);
}

/* Whether a history has what tells components of a kind apart. */
static bool
has_key(const History *history, ComponentKey key)
{
	switch (key)
	{
		case COMPONENT_BY_CONTEXT:
			return history->contexts.number != NULL;
		case COMPONENT_BY_CLUB:
			return history->clubs.number != NULL;
		case COMPONENT_BY_NOTHING:
			break;
	}
	return true;
}

/* The same of the numbers: by kind, an array by participant, or NULL where none has a key. */
static size_t
lay_out_numbers(HistoryComponents *components, char *block, const History *history,
				const MatchRules *rules)
{
	size_t		total = 0;
	int			k;

	components->nkinds = rules->ncomponents;
	components->spec = rules->component;
	for (k = 0; k < components->nkinds; k++)
	{
		components->count[k] = 0;
		components->of[k] = has_key(history, rules->component[k].key) ?
			block_take(&block, &total, sizeof(int32_t), history->nparticipants) : NULL;
	}
	return total;
}

size_t
history_components_size(const History *history, const MatchRules *rules)
{
	HistoryComponents components;

	return lay_out_numbers(&components, NULL, history, rules);
}

/* The context or club of a participant, among those of the history. */
static int32_t
history_name(const HistoryNames *names, size_t first, size_t participant)
{
	int32_t		number = names->number[participant];

	return number < 0 ? -1 : names->name[first + (size_t) number];
}

/* The name of a participant's component of a kind, with key -1 if there is none. */
static ComponentName
participant_name(const History *history, const HistoryMatch *match, size_t participant,
				 const ComponentSpec *spec)
{
	ComponentName name = {match->pool, 0};

	if (spec->scope == COMPONENT_OF_PLAYER)
		name.owner = history->player[participant];
	switch (spec->key)
	{
		case COMPONENT_BY_CONTEXT:
			name.key = history_name(&history->contexts, match->first_context, participant);
			break;
		case COMPONENT_BY_CLUB:
			name.key = history_name(&history->clubs, match->first_club, participant);
			break;
		case COMPONENT_BY_NOTHING:
			break;
	}
	return name;
}

/* The finalizer of splitmix64, which spreads names over the buckets. */
static uint64_t
hash_name(ComponentName name)
{
	uint64_t	x = ((uint64_t) (uint32_t) name.owner << 32) | (uint32_t) name.key;

	x = (x ^ (x >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
	x = (x ^ (x >> 27)) * UINT64_C(0x94d049bb133111eb);
	return x ^ (x >> 31);
}

/* The number of a name, which may be new. */
static int32_t
name_number(NameTable *table, ComponentName name)
{
	size_t		mask = table->nbuckets - 1;
	size_t		place = (size_t) hash_name(name) & mask;

	/* At least half of the buckets are empty, so that this ends. */
	while (table->bucket[place] >= 0)
	{
		const ComponentName *seen = &table->name[table->bucket[place]];

		if (seen->owner == name.owner && seen->key == name.key)
			return table->bucket[place];
		place = (place + 1) & mask;
	}
	table->name[table->n] = name;
	table->bucket[place] = table->n;
	return table->n++;
}

void
history_components_find(HistoryComponents *components, void *block, void *room,
						const History *history, const MatchRules *rules)
{
	int			k;

	(void) lay_out_numbers(components, block, history, rules);
	for (k = 0; k < components->nkinds; k++)
	{
		NameTable	table;
		size_t		m;
		size_t		i;

		if (components->of[k] == NULL)
			continue;
		(void) lay_out_room(&table, room, history);
		for (i = 0; i < table.nbuckets; i++)
			table.bucket[i] = -1;
		for (m = 0; m < history->nmatches; m++)
		{
			const HistoryMatch *match = &history->match[m];

			for (i = match->first; i < match->first + (size_t) match->n; i++)
			{
				ComponentName name = participant_name(history, match, i,
													  &rules->component[k]);

				components->of[k][i] = name.key < 0 ? -1 : name_number(&table, name);
			}
		}
		components->count[k] = table.n;
	}
}

/* The most state columns of a component. */
static size_t
max_nstate(const HistoryComponents *components)
{
	int			most = 0;
	int			k;

	for (k = 0; k < components->nkinds; k++)
		if (components->spec[k].nstate > most)
			most = components->spec[k].nstate;
	return (size_t) most;
}

/* Cut the block of states: those of all components, and those of a match before and after. */
static size_t
lay_out_states(HistoryWork *work, char *block, const History *history,
			   const HistoryComponents *components)
{
	size_t		room = (size_t) history->max_participants * (size_t) components->nkinds;
	size_t		total = 0;
	int			k;

	for (k = 0; k < components->nkinds; k++)
	{
		size_t		count = (size_t) components->count[k];

		work->component_state[k] = block_take(&block, &total, sizeof(double),
											  count * (size_t) components->spec[k].nstate);
		work->component_games[k] = block_take(&block, &total, sizeof(int64_t), count);
		work->component_last_played[k] = block_take(&block, &total, sizeof(int64_t), count);
	}
	work->component = block_take(&block, &total, sizeof(MatchComponent), room);
	work->share = block_take(&block, &total, sizeof(MatchShare), room);
	work->component_before = block_take(&block, &total, sizeof(double),
										room * max_nstate(components));
	work->component_after = block_take(&block, &total, sizeof(double),
									   room * max_nstate(components));
	return total;
}

size_t
history_component_states_size(const History *history, const HistoryComponents *components)
{
	HistoryWork work;

	return lay_out_states(&work, NULL, history, components);
}

void
history_component_states_init(HistoryWork *work, void *block, const History *history,
							  const HistoryComponents *components)
{
	(void) lay_out_states(work, block, history, components);
	work->components = components;
}

void
history_components_reset(HistoryWork *work, const ParamValue *params)
{
	const HistoryComponents *components = work->components;
	double		initial[COMPONENT_MAX_STATE];
	int			k;
	int32_t		i;

	for (k = 0; k < components->nkinds; k++)
	{
		const ComponentSpec *spec = &components->spec[k];

		if (!spec->used(params))
			continue;
		spec->init(params, initial);
		for (i = 0; i < components->count[k]; i++)
		{
			memcpy(work->component_state[k] + (size_t) i * (size_t) spec->nstate, initial,
				   (size_t) spec->nstate * sizeof(double));
			work->component_games[k][i] = 0;
			work->component_last_played[k][i] = NEVER_PLAYED;
		}
	}
}

int32_t
history_component(const HistoryWork *work, const HistoryMatch *source,
				  const MatchComponent *component)
{
	return work->components->of[component->number]
		[source->first + (size_t) component->participant];
}

void
history_components_before(const HistoryWork *work, const HistoryMatch *source,
						  const ParamValue *params, Match *match)
{
	size_t		stride = max_nstate(work->components);
	int			i;

	for (i = 0; i < match->ncomponents; i++)
	{
		MatchComponent *component = &match->component[i];
		int			k = component->number;
		int32_t		which = history_component(work, source, component);
		double	   *before = work->component_before + (size_t) i * stride;
		int			player = component->player;
		bool		rests = player >= 0 && (match->player[player].fixed == 1 ||
											work->fixed[work->player[player]]);

		component_state_before(component->spec, params,
							   work->component_state[k] +
							   (size_t) which * (size_t) component->spec->nstate,
							   rests ? 0 : idle_seconds(work->component_last_played[k][which],
														source->played_at),
							   before);
		component->before = before;
		component->after = work->component_after + (size_t) i * stride;
		component->games = (double) work->component_games[k][which];
	}
}

void
history_components_after(HistoryWork *work, const HistoryMatch *source, const Match *match)
{
	int			i;

	for (i = 0; i < match->ncomponents; i++)
	{
		const MatchComponent *component = &match->component[i];
		int			k = component->number;
		int32_t		which = history_component(work, source, component);
		size_t		nstate = (size_t) component->spec->nstate;

		memcpy(work->component_state[k] + (size_t) which * nstate, component->after,
			   nstate * sizeof(double));
		work->component_games[k][which]++;
		if (source->played_at > work->component_last_played[k][which])
			work->component_last_played[k][which] = source->played_at;
	}
}
