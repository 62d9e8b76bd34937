/*
 * component.c
 *		The components of a match: which there are, and how much of each is where.
 *
 * The caller owns all arrays: the builder is on its stack, and match->component and match->share
 * have room for max_participants times the number of kinds, so that nothing here can run out
 * of it.  No function fails.  match->component is NULL where nobody asks for components.
 */
#include "core/rating/component.h"

#include <math.h>
#include <stddef.h>
#include <string.h>

#include "core/math/sum.h"
#include "core/rating/match_components.h"
#include "core/util/extremes.h"

bool
state_value_valid(const StateSpec *column, double value)
{
	return value >= column->min && value >= -STATE_LIMIT && value <= STATE_LIMIT;
}

void
state_bound(const StateSpec *column, int n, double *state)
{
	int			i;

	for (i = 0; i < n; i++)
		if (!isnan(state[i]) && !state_value_valid(&column[i], state[i]))
			state[i] = state[i] > 0 ? STATE_LIMIT : larger(column[i].min, -STATE_LIMIT);
}

bool
component_state_valid(const ComponentSpec *spec, const double *state)
{
	int			i;

	for (i = 0; i < spec->nstate; i++)
		if (!state_value_valid(&spec->state[i], state[i]))
			return false;
	return true;
}

int
component_state_column(const ComponentSpec *spec, StateRole role)
{
	int			i;

	for (i = 0; i < spec->nstate; i++)
		if (spec->state[i].role == role)
			return i;
	return -1;
}

int
match_components_used(const MatchRules *rules, const ParamValue *params)
{
	int			used = 0;
	int			i;

	for (i = 0; i < rules->ncomponents; i++)
		used += rules->component[i].used(params);
	return used;
}

int
match_component_kind(const MatchRules *rules, const char *name)
{
	int			i;

	for (i = 0; i < rules->ncomponents; i++)
		if (strcmp(rules->component[i].name, name) == 0)
			return i;
	return -1;
}

void
components_begin(ComponentBuilder *builder, const MatchRules *rules,
				 const ParamValue *params, Match *match,
				 const Participant *participant, int n)
{
	int			i;

	builder->match = match;
	builder->participant = participant;
	builder->nspecs = 0;
	builder->of_participants = false;
	for (i = 0; i < rules->ncomponents; i++)
		if (rules->component[i].used(params))
		{
			builder->number[builder->nspecs] = i;
			builder->spec[builder->nspecs++] = &rules->component[i];

			/* How large the teams are is known at the end. */
			if (rules->component[i].scope != COMPONENT_OF_UNEVEN)
				builder->of_participants = true;
		}
	if (builder->nspecs == 0)
		return;

	/*
	 * Contexts and clubs are numbered from 0 within a match, and there are at
	 * most n.
	 */
	builder->first_unkeyed = -1;
	for (i = 0; i < n; i++)
		builder->first_of_context[i] = builder->first_of_club[i] = -1;
	for (i = 0; i < match->nplayers; i++)
		match->player[i].last_component = -1;
}

/* What tells a participant's component of a kind from others, or -1 if there is none. */
static int
component_key(const ComponentSpec *spec, const Participant *p)
{
	switch (spec->key)
	{
		case COMPONENT_BY_CONTEXT:
			return p->context;
		case COMPONENT_BY_CLUB:
			return p->club;
		case COMPONENT_BY_NOTHING:
			break;
	}
	return 0;
}

/* Where the chain of components begins that a participant's of a kind is in. */
static int *
component_chain(ComponentBuilder *builder, const ComponentSpec *spec,
				const Participant *p)
{
	if (spec->scope == COMPONENT_OF_PLAYER)
		return &builder->match->player[p->player].last_component;
	switch (spec->key)
	{
		case COMPONENT_BY_CONTEXT:
			return &builder->first_of_context[p->context];
		case COMPONENT_BY_CLUB:
			return &builder->first_of_club[p->club];
		case COMPONENT_BY_NOTHING:
			break;
	}
	return &builder->first_unkeyed;
}

/* The component of a kind that a participant brings, new or seen before. */
static int
enter_component(ComponentBuilder *builder, int kind, const Participant *p, int key)
{
	const ComponentSpec *spec = builder->spec[kind];
	Match	   *match = builder->match;
	int		   *chain = component_chain(builder, spec, p);
	MatchComponent *component;
	int			i;

	for (i = *chain; i >= 0; i = match->component[i].previous)
		if (match->component[i].spec == spec && match->component[i].key == key)
			return i;
	component = &match->component[match->ncomponents];
	component->spec = spec;
	component->number = builder->number[kind];
	component->player = spec->scope == COMPONENT_OF_PLAYER ? p->player : -1;
	component->key = key;
	component->participant = (int) (p - builder->participant);
	component->previous = *chain;
	component->last_share = -1;

	/* The states are the caller's to give, once the match is built. */
	component->before = NULL;
	component->after = NULL;
	component->games = 0;
	*chain = match->ncomponents++;
	return *chain;
}

/*
 * Participants are ordered by team, so that the share in it is new or the last.  Within a
 * team they come in the order of their identifiers, which must not show in the sum.
 */
static void
add_share(Match *match, int number, int team, double weight)
{
	MatchComponent *component = &match->component[number];
	MatchShare *share;
	Sum			sum;

	/* A component in all of the match has one share, of team -1. */
	if (component->last_share < 0 || match->share[component->last_share].team != team)
	{
		share = &match->share[match->nshares];
		share->component = number;
		share->team = team;
		share->weight = share->low = 0;
		share->previous = component->last_share;
		component->last_share = match->nshares++;
	}
	share = &match->share[component->last_share];
	sum.high = share->weight;
	sum.low = share->low;
	sum_add(&sum, weight);
	share->weight = sum.high;
	share->low = sum.low;
}

void
components_add(ComponentBuilder *builder, const Participant *p, double play,
			   double command)
{
	int			i;

	for (i = 0; i < builder->nspecs; i++)
	{
		const ComponentSpec *spec = builder->spec[i];
		int			key = component_key(spec, p);
		bool		divided = spec->scope == COMPONENT_OF_TEAM ||
			spec->scope == COMPONENT_OF_PLAYER;

		if (key < 0 || (spec->scope == COMPONENT_OF_SIDE && isnan(p->side)) ||
			spec->scope == COMPONENT_OF_UNEVEN)
			continue;
		add_share(builder->match, enter_component(builder, i, p, key),
				  divided ? builder->match->nteams - 1 : -1,
				  spec->scope == COMPONENT_OF_PLAYER ? play : play + command);
	}
}

void
components_finish(ComponentBuilder *builder, const Sum *played, bool uneven)
{
	Match	   *match = builder->match;
	Sum			total = {0, 0};
	int			i;

	if (builder->nspecs == 0)
		return;

	/* A share of no play at all is none, rather than NaN. */
	for (i = 0; i < match->nteams; i++)
		sum_merge(&total, &played[i]);
	for (i = 0; i < builder->nspecs; i++)
		if (builder->spec[i]->scope == COMPONENT_OF_UNEVEN && uneven)
			add_share(match, enter_component(builder, i, builder->participant, 0), -1,
					  sum_value(&total));
	for (i = 0; i < match->nshares; i++)
	{
		MatchShare *share = &match->share[i];
		const Sum	weight = {share->weight, share->low};
		double		whole = sum_value(share->team < 0 ? &total : &played[share->team]);

		share->weight = sum_value(&weight);
		if (match->component[share->component].spec->scope != COMPONENT_OF_PLAYER)
			share->weight = whole > 0 ? share->weight / whole : 0;
	}
}
