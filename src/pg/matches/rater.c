/*
 * rater.c
 *		Rating matches that come as the rows of a query.
 *
 * A match is rater_begin(), rater_add() for each row, and rater_rate() or rater_refuse().  The
 * context of the rater has what lives as long as a match, and is emptied when the next one begins:
 * identifiers, texts, and the detail of why.  Players are the batch's and stay.  An error anywhere
 * ends the history, because the match was perhaps noted in part.
 */
#include "pg/matches/rater.h"

#include "miscadmin.h"
#include "utils/float.h"
#include "utils/memutils.h"

#include "pg/matches/inputs.h"

Rater *
rater_create(const char *model_name, Jsonb *json, Oid player_type, IdType *match_type, bool strict)
{
	Rater	   *rater = palloc0_object(Rater);
	const Model *model = get_model(model_name);
	ParamValue *params = get_model_params(&model, json);

	id_type_init(&rater->player_type, player_type, "player_id");
	rater->batch = batch_create(model, params, &rater->player_type);
	source_match_init(&rater->match, match_type, &rater->player_type);
	rater->match.tolerant = !strict;
	rater->match.times = TIMES_LIKE_BEFORE;
	rater->match.unused = source_unused(model, params);
	rater->context = AllocSetContextCreate(CurrentMemoryContext,
										   "skillrating match",
										   ALLOCSET_SMALL_SIZES);
	rater->season_rules.keep = SEASON_KEEP_DEFAULT;
	rater->season_rules.mean = get_float8_nan();
	return rater;
}

/* The season that a row gives. */
static Season
row_season(const Datum *values, const bool *nulls)
{
	Season		season = {!nulls[INPUT_SEASON], 0};

	if (season.known)
		season.number = DatumGetInt64(values[INPUT_SEASON]);
	return season;
}

void
rater_begin(Rater *rater, const Datum *values, const bool *nulls)
{
	MemoryContext old;

	CHECK_FOR_INTERRUPTS();

	/* Here goes what the match before has left, also why.detail. */
	MemoryContextReset(rater->context);
	rater->timed = rater->match.timed;
	rater->match_season = row_season(values, nulls);
	old = MemoryContextSwitchTo(rater->context);
	source_match_begin(&rater->match, values, nulls);
	MemoryContextSwitchTo(old);
}

bool
rater_add(Rater *rater, const Datum *values, const bool *nulls)
{
	MemoryContext old = MemoryContextSwitchTo(rater->context);
	bool		added = source_match_add(&rater->match, values, nulls) != NULL;
	Season		season = row_season(values, nulls);

	if (season.known != rater->match_season.known ||
		season.number != rater->match_season.number)
		source_match_differs(&rater->match, "season");
	MemoryContextSwitchTo(old);
	return added;
}

/* Whether the match begins a season: none ends before the first one that is known. */
static bool
begins_season(const Rater *rater)
{
	return rater->match_season.known && rater->season.known &&
		rater->match_season.number > rater->season.number;
}

/* A match of a season that has ended is a mistake: an error, or a reason not to rate it. */
static void
check_season(Rater *rater)
{
	char	   *detail;

	if (!rater->match_season.known || !rater->season.known ||
		rater->match_season.number >= rater->season.number)
		return;
	detail = psprintf("season " INT64_FORMAT " comes after season " INT64_FORMAT,
					  rater->match_season.number, rater->season.number);
	if (!rater->match.tolerant)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("%s", detail),
				 errhint("Seasons must ascend in the order of the matches; those of several competitions can be partitions.")));
	rater->verdict = VERDICT_UNRATED;
	rater->why = unrated(UNRATED_SEASON_ORDER, detail);
}

/* The operation that begins the season of the match, when that is played. */
static LadderOperation
season_operation(const Rater *rater)
{
	LadderOperation operation = {0};

	operation.seq = (int64) rater->match.number;
	operation.kind = "season";
	operation.at = rater->match.played_at;
	operation.counted_from = DT_NOBEGIN;
	operation.operation.kind = OPERATION_SEASON;
	operation.operation.keep = rater->season_rules.keep;
	operation.operation.has_mean = !isnan(rater->season_rules.mean);
	operation.operation.mean = rater->season_rules.mean;
	return operation;
}

/*
 * Rate the match that counts, in its season.  That one begins with the match, so that one
 * of overflows, which does not count after all, begins none.
 */
static MatchStatus
rate_in_season(Rater *rater)
{
	Batch	   *batch = rater->batch;
	bool		begins = begins_season(rater);
	LadderOperation operation = season_operation(rater);
	MatchStatus status;

	/* On our stack: the batch has it for this call only. */
	batch->before_match = begins ? &operation.operation : NULL;
	status = batch_rate(batch, &rater->match);
	batch->before_match = NULL;
	if (status != MATCH_OK)
		return status;
	if (begins)
		(void) batch_apply_operation(batch, &operation, 1);
	if (rater->match_season.known)
		rater->season = rater->match_season;
	batch_commit(batch, &rater->match, (int64) rater->match.number);
	return MATCH_OK;
}

/*
 * Predict the match, which has no result; false if it could not be rated with any.  Nothing
 * is noted of it, not even that it has a time.
 */
static bool
predict(Rater *rater)
{
	Batch	   *batch = rater->batch;
	SourceMatch *match = &rater->match;
	LadderOperation operation = season_operation(rater);
	MatchStatus status;
	int			offender;
	int			i;

	match->timed = rater->timed;

	/* Some rows may have a part of a result, which is none. */
	for (i = 0; i < match->n; i++)
	{
		match->participant[i].rank = 1;
		match->participant[i].score = participant_default.score;
	}
	if (batch_build(batch, match, &offender) != MATCH_OK)
		return false;
	batch->before_match = begins_season(rater) ? &operation.operation : NULL;
	status = batch_predict(batch, match);
	batch->before_match = NULL;
	return status == MATCH_OK;
}

void
rater_rate(Rater *rater)
{
	Batch	   *batch = rater->batch;
	SourceMatch *match = &rater->match;
	MemoryContext old = MemoryContextSwitchTo(rater->context);

	source_match_sort(match);

	/* Hooks run in the context of the match. */
	if (rater->before_match != NULL)
		rater->before_match(rater);
	rater->forecast = false;
	rater->verdict = batch_judge(batch, match, &rater->why);
	if (rater->verdict == VERDICT_RATE || rater->why.reason == MATCH_NO_RESULT)
		check_season(rater);
	if (rater->verdict == VERDICT_RATE)
	{
		MatchStatus status = rate_in_season(rater);

		if (status != MATCH_OK && !match->tolerant)
			batch_report(batch, match, status, -1);
		if (status != MATCH_OK)
		{
			rater->verdict = VERDICT_UNRATED;
			rater->why = batch_mistake(batch, match, status, -1);
		}
		else if (rater->after_match != NULL)
			rater->after_match(rater);
	}
	else if (rater->why.reason == MATCH_NO_RESULT)
		rater->forecast = predict(rater);
	MemoryContextSwitchTo(old);
}

void
rater_refuse(Rater *rater, Unrated why)
{
	rater->forecast = false;
	rater->verdict = VERDICT_UNRATED;
	rater->why = why;

	/* Nothing is noted of it, not even that it has a time. */
	rater->match.timed = rater->timed;
}
