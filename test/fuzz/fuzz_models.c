/*
 * fuzz_models.c
 *		Rates matches made of arbitrary bytes, under a model.
 *
 * Whatever the bytes, a match is refused with a status, or what comes of it is
 * sound: probabilities, states, and the same again for the same match.
 */
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bytes.h"
#include "core/models/registry.h"
#include "targets.h"

#define MAX_ROWS	24
#define MAX_PARAMS	32
#define MAX_COMPONENTS (MAX_ROWS * COMPONENT_MAX_KINDS)

static const Model *model;

static void
next_params(Bytes *bytes, ParamValue *params)
{
	int			i,
				j;

	param_defaults(&model->params, params);
	for (i = 0; i < model->params.count; i++)
	{
		const ParamSpec *spec = param_spec(&model->params, i);
		int			nchoices = 0;
		double		number;

		if (next_below(bytes, 3) != 0)
			continue;
		switch (spec->type)
		{
			case PARAM_NUMBER:
				number = next_number(bytes);
				if (param_in_range(spec, number))
					params[i].number = number;
				break;
			case PARAM_CHOICE:
				while (spec->choices[nchoices] != NULL)
					nchoices++;
				params[i].choice = next_below(bytes, nchoices);
				break;
			case PARAM_FLAG:
				params[i].flag = next_below(bytes, 2);
				break;
			case PARAM_STEPS:
				params[i].steps.n = next_below(bytes, PARAM_MAX_STEPS + 1);
				for (j = 0; j < params[i].steps.n; j++)
				{
					params[i].steps.bound[j] = 10.0 * j + next_byte(bytes) / 32.0;
					number = next_number(bytes);
					params[i].steps.value[j] =
						param_in_range(spec, number) ? number : spec->max / 2;
				}
				break;
		}
	}
}

/* A number that mostly is unknown, and else mostly not negative. */
static double
next_optional(Bytes *bytes)
{
	double		number;

	if (next_below(bytes, 3) != 0)
		return NAN;
	number = next_number(bytes);
	return next_below(bytes, 32) ? fabs(number) : number;
}

/* The same for a number that has to be finite, if nothing else is to be seen. */
static double
next_finite(Bytes *bytes)
{
	double		number = next_optional(bytes);

	return isinf(number) && next_below(bytes, 32) ? 1 : number;
}

static int
next_participants(Bytes *bytes, Participant *row, int *nplayers)
{
	int			n = 0;
	int			nteams = (model->rules.supports & MODEL_MANY_TEAMS) && next_below(bytes, 2) ?
		1 + next_below(bytes, 6) : 2;
	int			sided = nteams == 2 && next_below(bytes, 4) == 0;
	int			team,
				i;

	*nplayers = 0;
	for (team = 0; team < nteams; team++)
	{
		int			rows = 1 + next_below(bytes, 4);
		double		rank = 1 + next_below(bytes, nteams);
		double		score = next_finite(bytes);

		for (i = 0; i < rows && n < MAX_ROWS; i++)
		{
			Participant *p = &row[n++];

			*p = participant_default;
			p->team = team;
			p->player = *nplayers > 0 && next_below(bytes, 8) == 0 ?
				next_below(bytes, *nplayers) : (*nplayers)++;
			p->rank = next_below(bytes, 64) ? rank : next_number(bytes);
			p->score = score;
			p->weight = next_finite(bytes);
			if (p->weight > 2)
				p->weight = 1 / p->weight;
			if (next_below(bytes, 4) == 0)
			{
				p->joined = fabs(next_finite(bytes));
				p->left = isnan(p->joined) ? NAN : p->joined + next_byte(bytes);
			}
			if (next_below(bytes, 4) == 0)
				p->commanding = next_byte(bytes) / 255.0;
			p->side = sided ? team + 1 : NAN;
			p->squad = next_finite(bytes);
			p->kills = next_finite(bytes);
			p->deaths = next_finite(bytes);
			p->quit = next_below(bytes, 4) == 0 ? next_below(bytes, 2) : NAN;
			p->experience = next_finite(bytes);
			if (model->rules.supports & MODEL_CONTEXT)
				p->context = next_below(bytes, 2) ? next_below(bytes, n) : -1;
			if (model->rules.supports & MODEL_CLUB)
				p->club = next_below(bytes, 4) == 0 ? next_below(bytes, n) : -1;
		}
	}
	return n;
}

/* States of the components of a match, mostly sound. */
static void
next_components(Bytes *bytes, const ParamValue *params, Match *match,
				double before[][COMPONENT_MAX_STATE], double after[][COMPONENT_MAX_STATE])
{
	int			i,
				j;

	for (i = 0; i < match->ncomponents; i++)
	{
		MatchComponent *component = &match->component[i];
		const ComponentSpec *spec = component->spec;

		spec->init(params, before[i]);
		CHECK(component_state_valid(spec, before[i]));
		for (j = 0; j < spec->nstate; j++)
			if (next_below(bytes, 3) == 0)
				before[i][j] = next_number(bytes);
		if (spec->age != NULL && component_state_valid(spec, before[i]) &&
			next_below(bytes, 4) == 0)
			spec->age(params, before[i], 3600.0 * next_byte(bytes));
		component->before = before[i];
		component->after = after[i];
		component->games = next_byte(bytes);
	}
}

static void
check_components(const Match *match)
{
	int			i;

	for (i = 0; i < match->ncomponents; i++)
		CHECK(component_state_valid(match->component[i].spec, match->component[i].after));
}

static void
check_wins(const Match *match)
{
	int			i;

	for (i = 0; i < match->nteams; i++)
		CHECK(match->team[i].win >= 0 && match->team[i].win <= 1);
}

bool
fuzz_models_begin(const char *name)
{
	model = model_find(name);
	return model != NULL;
}

void
fuzz_models(const uint8_t *data, size_t size)
{
	static Participant row[MAX_ROWS];
	static MatchTeam team[MAX_ROWS];
	static MatchPlayer player[MAX_ROWS];
	static MatchEntry entry[MAX_ROWS];
	static double before[MAX_ROWS][MODEL_MAX_STATE];
	static double after[MAX_ROWS][MODEL_MAX_STATE];
	static double again[MAX_ROWS][MODEL_MAX_STATE];
	static MatchComponent component[MAX_COMPONENTS];
	static MatchShare share[MAX_COMPONENTS];
	static double component_before[MAX_COMPONENTS][COMPONENT_MAX_STATE];
	static double component_after[MAX_COMPONENTS][COMPONENT_MAX_STATE];
	static ParamValue params[MAX_PARAMS];
	Bytes		bytes = {data, size};
	Match		match = {.team = team,.player = player,.entry = entry,
	.component = component,.share = share};
	const Period period = {1000, 0};
	MatchStatus status;
	double		gain;
	int			offender;
	int			n;
	int			i,
				j;

	next_params(&bytes, params);
	model = model_variant(model, params);
	n = next_participants(&bytes, row, &match.nplayers);
	match.log_odds = next_below(&bytes, 4) == 0 ? next_finite(&bytes) : 0;
	if (isnan(match.log_odds))
		match.log_odds = 0;
	for (i = 0; i < match.nplayers; i++)
	{
		model->init(params, before[i]);
		CHECK(model_state_valid(model, before[i]));
		for (j = 0; j < model->nstate; j++)
			if (next_below(&bytes, 3) == 0)
				before[i][j] = next_number(&bytes);
		if (model->age != NULL && model_state_valid(model, before[i]) &&
			next_below(&bytes, 4) == 0)
			model->age(params, before[i], 3600.0 * next_byte(&bytes));
		if (model_state_valid(model, before[i]))
			period_turn(model, params, period, before[i]);
		player[i].before = before[i];
		player[i].after = after[i];
		player[i].games = next_byte(&bytes);
	}
	gain = next_below(&bytes, 4) == 3 ? fabs(next_finite(&bytes)) : NAN;
	for (i = 0; i < n; i++)
		row[i].gain = next_below(&bytes, 8) == 7 ? next_finite(&bytes) : gain;

	status = match_build(&model->rules, params, row, n, &match, &offender);
	CHECK(match_status_message(status) != NULL && match_status_code(status) != NULL);
	CHECK(offender >= -1 && offender < n);
	if (status != MATCH_OK)
		return;

	match.period = period;
	next_components(&bytes, params, &match, component_before, component_after);
	status = model_rate(model, params, &match);
	CHECK(status == MATCH_OK || status == MATCH_BAD_STATE ||
		  status == MATCH_OVERFLOW);
	if (status != MATCH_OK)
		return;
	check_wins(&match);
	check_components(&match);
	for (i = 0; i < match.nplayers; i++)
	{
		CHECK(model_state_valid(model, after[i]));
		CHECK(isfinite(player[i].gradient));
		memcpy(again[i], after[i], model->nstate * sizeof(double));
		player[i].gradient = 0;
	}

	/* A forecast is what rating says it was, and rating is a function. */
	CHECK(model_predict(model, params, &match) == MATCH_OK);
	check_wins(&match);
	for (i = 0; i < match.nplayers; i++)
		player[i].gradient = 0;
	CHECK(model_rate(model, params, &match) == MATCH_OK);
	for (i = 0; i < match.nplayers; i++)
		CHECK(memcmp(again[i], after[i], model->nstate * sizeof(double)) == 0);
}
