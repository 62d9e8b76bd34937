/*
 * rater.c
 *		Rating matches that come as the rows of a query.
 */
#include "pg/matches/rater.h"

#include "miscadmin.h"
#include "utils/memutils.h"

RaterRules *
rater_rules(const char *model, Jsonb *params, Oid player_type)
{
	RaterRules *rules = palloc_object(RaterRules);

	rules->model = get_model(model);
	rules->params = get_params(&rules->model->params, params);
	rules->model_name = pstrdup(model);
	rules->json = NULL;
	if (params != NULL)
	{
		rules->json = palloc(VARSIZE(params));
		memcpy(rules->json, params, VARSIZE(params));
	}
	id_type_init(&rules->player_type, player_type, "player_id");
	return rules;
}

bool
rater_rules_are(const RaterRules *rules, const char *model,
				const Jsonb *params)
{
	if (strcmp(rules->model_name, model) != 0 ||
		(rules->json == NULL) != (params == NULL))
		return false;
	return params == NULL ||
		(VARSIZE(params) == VARSIZE(rules->json) &&
		 memcmp(params, rules->json, VARSIZE(params)) == 0);
}

Rater *
rater_create(RaterRules *rules, IdType *match_type, bool strict)
{
	Rater	   *rater = palloc0_object(Rater);

	rater->rules = rules;
	rater->batch = batch_create(rules->model, rules->params,
								&rules->player_type);
	source_match_init(&rater->match, match_type, &rules->player_type);
	rater->match.tolerant = !strict;
	rater->match.times = TIMES_LIKE_BEFORE;
	rater->context = AllocSetContextCreate(CurrentMemoryContext,
										   "skillrating match",
										   ALLOCSET_SMALL_SIZES);
	return rater;
}

void
rater_begin(Rater *rater, const Datum *values, const bool *nulls)
{
	MemoryContext old;

	CHECK_FOR_INTERRUPTS();
	MemoryContextReset(rater->context);
	old = MemoryContextSwitchTo(rater->context);
	source_match_begin(&rater->match, values, nulls);
	MemoryContextSwitchTo(old);
}

bool
rater_add(Rater *rater, const Datum *values, const bool *nulls)
{
	MemoryContext old = MemoryContextSwitchTo(rater->context);
	bool		added = source_match_add(&rater->match, values, nulls) != NULL;

	MemoryContextSwitchTo(old);
	return added;
}

void
rater_rate(Rater *rater)
{
	Batch	   *batch = rater->batch;
	SourceMatch *match = &rater->match;
	MemoryContext old = MemoryContextSwitchTo(rater->context);

	source_match_sort(match);
	rater->verdict = batch_judge(batch, match, &rater->why);
	if (rater->verdict == VERDICT_RATE)
	{
		MatchStatus status = batch_rate(batch, match);

		if (status == MATCH_OK)
			batch_commit(batch, match, (int64) match->number);
		else if (match->tolerant)
		{
			rater->verdict = VERDICT_UNRATED;
			rater->why = batch_mistake(batch, match, status, -1);
		}
		else
			batch_report(batch, match, status, -1);
	}
	MemoryContextSwitchTo(old);
}
