/*
 * batch.c
 *		Players while a batch of matches is rated.
 */
#include "pg/matches/batch.h"

#include <math.h>

#include "miscadmin.h"
#include "utils/builtins.h"
#include "utils/float.h"

#include "pg/matches/batch_components.h"

/*
 * ---- Players ----
 */

Batch *
batch_create(const Model *model, const ParamValue *params, IdType *player_type)
{
	Batch	   *batch = palloc0_object(Batch);
	int			i;

	batch->model = model;
	batch->params = params;
	batch->player_type = player_type;
	batch->context = CurrentMemoryContext;
	batch->players = id_table_create(player_type);
	batch->shares = model->shares != NULL && model->shares(params);
	batch->rests = !batch->shares && model->age == NULL && model->period == 0;
	model->init(params, batch->initial);
	for (i = 0; i < model->rules.ncomponents; i++)
		if (model->rules.component[i].used(params))
		{
			batch->nkinds++;
			batch->component_nstate = Max(batch->component_nstate,
										  model->rules.component[i].nstate);
		}
	return batch;
}

Datum
batch_shared_pool(const Batch *batch, bool *isnull)
{
	*isnull = !batch->shares;
	return batch->shares ? CStringGetTextDatum(SHARED_POOL) : (Datum) 0;
}

/* The most players whose memory is allocated at once. */
#define MAX_PLAYERS_AT_ONCE 1024

/*
 * Memory for a player, all zero.  One by one they would take a quarter more, because the server
 * rounds what it allocates up to powers of two.
 */
static BatchPlayer *
new_player(Batch *batch)
{
	Size		size = MAXALIGN(sizeof(BatchPlayer) + batch->model->nstate * sizeof(double));
	BatchPlayer *player;

	if (batch->nunused == 0)
	{
		batch->nunused = Min(MAX_PLAYERS_AT_ONCE, Max(8, id_table_count(batch->players)));
		batch->unused = (char *) huge_array0(char, batch->nunused * size);
	}
	player = (BatchPlayer *) batch->unused;
	batch->unused += size;
	batch->nunused--;
	return player;
}

BatchPlayer *
batch_player(Batch *batch, Datum id, const char *pool)
{
	bool		found;
	void	  **place = id_table_enter(batch->players, id, pool, &found);

	if (!found)
	{
		MemoryContext old = MemoryContextSwitchTo(batch->context);
		BatchPlayer *player = new_player(batch);

		id_table_key(place, &player->id, &player->pool);
		player->state = (double *) (player + 1);
		memcpy(player->state, batch->initial, batch->model->nstate * sizeof(double));
		player->record = no_record;
		*place = player;
		MemoryContextSwitchTo(old);

		/* This may move the place. */
		if (batch->shares && strcmp(pool, SHARED_POOL) != 0)
			player->shared = batch_player(batch, id, SHARED_POOL);
		return player;
	}
	return (BatchPlayer *) *place;
}

BatchPlayer **
batch_take_players(Batch *batch, int *n)
{
	BatchPlayer **players = (BatchPlayer **) id_table_values(batch->players);

	*n = id_table_count(batch->players);
	id_table_free(batch->players);
	batch->players = NULL;
	return players;
}

void
batch_request_states(Batch *batch)
{
	int			i;

	for (i = 0; i < batch->match.nplayers; i++)
	{
		BatchPlayer *player = batch->player[i];

		player->wanted = true;
		if (player->shared != NULL)
			player->shared->wanted = true;
	}
	for (i = 0; i < batch->match.ncomponents; i++)
		batch->component[i]->wanted = true;
}

/*
 * ---- Rating ----
 */

static void
reserve(Batch *batch, int n)
{
	int			nstate = batch->model->nstate;
	MemoryContext old;

	if (n <= batch->max)
		return;
	n = Max(n, 2 * batch->max);
	old = MemoryContextSwitchTo(batch->context);
	batch->match.team = palloc_array(MatchTeam, n);
	batch->match.player = palloc_array(MatchPlayer, n);
	batch->match.entry = palloc_array(MatchEntry, n);
	batch->player = palloc_array(BatchPlayer *, n);
	batch->seated = palloc_array(BatchPlayer *, n);
	if (batch->nkinds > 0)
		components_reserve(batch, n);
	batch->before = palloc_array(double, (Size) n * nstate);
	batch->after = palloc_array(double, (Size) n * nstate);
	batch->max = n;
	MemoryContextSwitchTo(old);
}

MatchStatus
batch_build(Batch *batch, SourceMatch *source, int *offender)
{
	Match	   *match = &batch->match;
	MatchStatus status;
	int			i;

	if (batch->shares && strcmp(source->pool, SHARED_POOL) == 0)
		ereport(ERROR,
				(errcode(ERRCODE_RESERVED_NAME),
				 errmsg("pool \"%s\" is reserved", source->pool),
				 errdetail("Under model \"%s\" it has what players have in all pools.",
						   batch->model->name)));

	reserve(batch, source->n);
	batch->build++;
	match->nplayers = 0;
	match->log_odds = source->log_odds;

	/* First find all, so that they come into the cache beside one another. */
	for (i = 0; i < source->n; i++)
		(void) id_table_hash(batch->players, source->player_id[i], source->pool);
	for (i = 0; i < source->n; i++)
	{
		batch->seated[i] = batch_player(batch, source->player_id[i], source->pool);
#ifdef __GNUC__
		__builtin_prefetch(batch->seated[i]);
		__builtin_prefetch(&batch->seated[i]->build, 1);
#endif
	}
	for (i = 0; i < source->n; i++)
	{
		BatchPlayer *player = batch->seated[i];

		if (player->build != batch->build)
		{
			player->build = batch->build;
			player->slot = match->nplayers;
			batch->player[match->nplayers++] = player;
		}
		source->participant[i].player = player->slot;
	}

	status = match_build(&batch->model->rules, batch->params, source->participant,
						 source->n, match, offender);
	if (status <= MATCH_LAST_UNRATED && match->ncomponents > 0)
		components_find(batch, source);
	match->interrupt = check_interrupts;
	return status;
}

void
batch_report(Batch *batch, SourceMatch *source, MatchStatus status,
			 int offender)
{
	const Participant *p = offender >= 0 ? &source->participant[offender] : NULL;

	report_match_status(status, match_status_value(status, p, &batch->match),
						p != NULL ? id_text(batch->player_type,
											source->player_id[offender]) : NULL);
}

/* A status as a reason, with the number that it is about unless that is NaN. */
static Unrated
status_with_value(MatchStatus status, double value)
{
	return unrated(status, isnan(value) ? match_status_message(status) :
				   psprintf("%s: %g", match_status_message(status), value));
}

Unrated
batch_mistake(Batch *batch, const SourceMatch *source, MatchStatus status,
			  int offender)
{
	return status_with_value(status,
							 match_status_value(status,
												offender >= 0 ? &source->participant[offender] : NULL,
												&batch->match));
}

Verdict
batch_judge(Batch *batch, SourceMatch *source, Unrated *why)
{
	int			offender;
	MatchStatus status;

	*why = unrated_nothing;
	if (source->tolerant)
		*why = source_match_reason(source);
	if (source->tolerant && why->detail == NULL && batch->shares &&
		strcmp(source->pool, SHARED_POOL) == 0)
		*why = unrated(UNRATED_RESERVED_POOL, RESERVED_POOL_DETAIL);
	if (why->detail != NULL)
		return VERDICT_UNRATED;
	if (source->unrated_reason != NULL)
	{
		*why = unrated(UNRATED_BY_SOURCE, source->unrated_reason);
		return VERDICT_UNRATED;
	}
	status = batch_build(batch, source, &offender);

	/*
	 * Two accounts that met are one player, on two teams or twice on one, only while they are
	 * merged.
	 */
	if ((status == MATCH_SELF_MATCH || status == MATCH_LISTED_TWICE) &&
		source->set_aside.detail != NULL)
		status = MATCH_OK;
	if (status > MATCH_LAST_UNRATED && !source->tolerant)
		batch_report(batch, source, status, offender);
	if (status != MATCH_OK)
	{
		*why = batch_mistake(batch, source, status, offender);
		return VERDICT_UNRATED;
	}
	if (!TIMESTAMP_IS_NOBEGIN(source->arrived_at) && source->void_reason == NULL)
	{
		*why = unrated(UNRATED_FUTURE_TIME, unrated_description(UNRATED_FUTURE_TIME));
		return VERDICT_UNRATED;
	}
	if (source->void_reason != NULL)
		*why = unrated(UNRATED_VOID, source->void_reason);
	else
		*why = source->set_aside;
	return why->detail != NULL ? VERDICT_SET_ASIDE : VERDICT_RATE;
}

Verdict
batch_judge_players(Batch *batch, SourceMatch *source, Unrated *why)
{
	const ParamValue *rules = source->eligibility;
	const Match *match = &batch->match;
	double	   *games = palloc_array(double, match->nplayers);
	double		value;
	MatchStatus status;
	int			i;

	/* Games before this match: records are counted up after it. */
	for (i = 0; i < match->nplayers; i++)
		games[i] = batch->player[i]->record.games;
	status = eligibility_judge_newcomers(rules, match, games, &value);
	pfree(games);

	/* Meetings are counted last, which is the rule that costs most. */
	if (status == MATCH_OK && eligibility_limits_repeats(rules))
	{
		double		limit = rules[ELIGIBILITY_MAX_REPEATS].number;

		value = batch_count_meetings(batch, source->played_at,
									 rules[ELIGIBILITY_REPEAT_WINDOW].number, limit);
		if (value >= limit)
			status = MATCH_REPEATED_OPPONENTS;
	}
	*why = status == MATCH_OK ? unrated_nothing : status_with_value(status, value);
	return status == MATCH_OK ? VERDICT_RATE : VERDICT_SET_ASIDE;
}

const char *
verdict_status(const SourceMatch *source, Verdict verdict)
{
	if (verdict == VERDICT_RATE)
		return "rated";
	return verdict == VERDICT_SET_ASIDE && source->void_reason != NULL ?
		"void" : "unrated";
}

/*
 * The state of a player at a time.  If the player rests it is as it was left, and what pools share
 * rests besides as the player's last event in any of them says.
 */
static void
state_at(const Batch *batch, const BatchPlayer *player, TimestampTz at, double tournament,
		 bool rests, double *before)
{
	static const Period no_period = {0, 0};
	const BatchPlayer *shared = player->shared;
	bool		is_shared = batch->shares && shared == NULL;

	StaticAssertStmt(DT_NOBEGIN == NEVER_PLAYED,
					 "times without a beginning differ");

	/* The row of what pools share has nothing else that ages. */
	if (is_shared)
		shared = player;
	model_state_before(batch->model, batch->params, player->state,
					   is_shared || rests ? 0 : idle_seconds(player->record.as_of, at),
					   rests ? no_period :
					   period_of(batch->model, batch->params, at, tournament),
					   shared ? shared->state : NULL,
					   shared && !rests && !shared->record.fixed ?
					   idle_seconds(shared->record.as_of, at) : 0,
					   before);
}

void
batch_state_at(const Batch *batch, const BatchPlayer *player, TimestampTz at,
			   double tournament, double *before)
{
	state_at(batch, player, at, tournament, player->record.fixed != 0, before);
}

/* The row of an event of a player, who has not been put into the state after it yet. */
static EventRow *
add_player_row(BatchStep *step, BatchPlayer *player, const double *before,
			   const double *after)
{
	EventRows  *rows = &step->rows[OF_PLAYERS];
	EventRow   *row = batch_add_row(rows, &player->record, before, after);

	row->player = player;
	player->step = step->seq;
	player->row = rows->n - 1;
	return row;
}

/*
 * Put a player into the state after an event, with the columns that pools share, which
 * were aged to the same time: the last event in any pool tells all of them.
 */
static void
take_state(Batch *batch, BatchPlayer *player, const double *after, TimestampTz at)
{
	const Model *model = batch->model;
	BatchPlayer *shared = player->shared;
	int			i;

	memcpy(player->state, after, model->nstate * sizeof(double));
	player->record.as_of = Max(player->record.as_of, at);
	player->exists = player->touched = true;
	if (shared == NULL)
		return;
	for (i = 0; i < model->nstate; i++)
		if (model->state[i].shared)
			shared->state[i] = after[i];
	shared->record.fixed = player->record.fixed;
	shared->record.as_of = Max(shared->record.as_of, at);
	shared->exists = shared->touched = true;
}

/*
 * Do the operation before the match to a state of a player that is as of then.  MATCH_OK,
 * or MATCH_OVERFLOW if it leads out of range.
 */
static MatchStatus
operate_before_match(const Batch *batch, const BatchPlayer *player, double *state)
{
	const Model *model = batch->model;
	double		operated[MODEL_MAX_STATE];
	MatchStatus status;
	int			i;

	memcpy(operated, state, model->nstate * sizeof(double));
	status = operation_apply(batch->before_match, model, batch->params, 0, operated);

	/* Newcomers and who is fixed are no part of it, each row for itself. */
	for (i = 0; i < model->nstate; i++)
	{
		const BatchPlayer *row = player->shared != NULL && model->state[i].shared ?
			player->shared : player;

		if (row->exists && !row->record.fixed)
			state[i] = operated[i];
	}
	return status;
}

/*
 * Put a player of the match that was built into the state with which the player goes into
 * it.
 */
static MatchStatus
enter_match(Batch *batch, const SourceMatch *source, int i)
{
	BatchPlayer *player = batch->player[i];
	MatchPlayer *p = &batch->match.player[i];
	double	   *before = batch->before + i * batch->model->nstate;

	/* Who is fixed from this match on has aged up to an operation before it. */
	bool		rests = player->record.fixed ||
		(p->fixed == 1 && batch->before_match == NULL);

	if (isnan(p->fixed))
		p->fixed = player->record.fixed;
	if (batch->rests)
		memcpy(before, player->state, batch->model->nstate * sizeof(double));
	else
		state_at(batch, player, source->played_at, source->tournament, rests, before);
	p->before = before;
	p->after = batch->after + i * batch->model->nstate;
	p->games = player->record.games;
	if (batch->before_match != NULL)
		return operate_before_match(batch, player, before);
	if (batch->model->look_back != NULL)
		model_look_back(batch->model, batch->params, player->past, player->npast, p);
	return MATCH_OK;
}

/* Put all players of the match into their states before it; the first status not OK. */
static MatchStatus
enter_players(Batch *batch, const SourceMatch *source)
{
	MatchStatus status = MATCH_OK;
	int			i;

	if (batch->model->period != 0)
		batch->match.period = period_of(batch->model, batch->params, source->played_at,
										source->tournament);
	for (i = 0; i < batch->match.nplayers && status == MATCH_OK; i++)
		status = enter_match(batch, source, i);
	if (status == MATCH_OK && batch->match.ncomponents > 0)
		status = components_prepare(batch, source);
	return status;
}

MatchStatus
batch_rate(Batch *batch, SourceMatch *source)
{
	MatchStatus status = enter_players(batch, source);

	return status != MATCH_OK ? status :
		model_rate(batch->model, batch->params, &batch->match);
}

MatchStatus
batch_predict(Batch *batch, SourceMatch *source)
{
	MatchStatus status = enter_players(batch, source);
	int			i;

	for (i = 0; i < batch->match.nplayers && status == MATCH_OK; i++)
		if (!model_state_valid(batch->model, batch->match.player[i].before))
			status = MATCH_BAD_STATE;
	return status != MATCH_OK ? status :
		model_predict(batch->model, batch->params, &batch->match);
}

/* Drop the states that a player looks back on no more: the oldest of what is asked for ascends. */
static void
forget_past(const Batch *batch, BatchPlayer *player)
{
	const Model *model = batch->model;
	int			column = model_state_column(model, ROLE_ROUNDS);
	double		number[MATCH_MAX_PAST];
	int			first = 0;

	model->look_back(batch->params, player->state, number);
	while (first < player->npast &&
		   player->past[(Size) first * model->nstate + column] < number[0])
		first++;
	player->npast -= first;
	if (first > 0)
		memmove(player->past, player->past + (Size) first * model->nstate,
				(Size) player->npast * model->nstate * sizeof(double));
}

void
batch_remember(Batch *batch, BatchPlayer *player, const double *after)
{
	int			nstate = batch->model->nstate;

	if (player->npast == player->max_past)
	{
		forget_past(batch, player);

		/* Half of it is free, so that moving costs next to nothing for each match. */
		if (player->npast >= player->max_past / 2)
		{
			int			max = Max(8, 2 * player->max_past);

			huge_array_grow_in(batch->context, player->past, double, (Size) max * nstate);
			player->max_past = max;
		}
	}
	player->npast = model_remember(batch->model, after, player->past, player->npast);
}

static void
count_match(BatchPlayer *player, MatchOutcome outcome, TimestampTz played_at)
{
	player->record.games++;
	switch (outcome)
	{
		case MATCH_WON:
			player->record.wins++;
			break;
		case MATCH_DREW:
			player->record.draws++;
			break;
		case MATCH_LOST:
			player->record.losses++;
			break;
	}
	player->record.last_played = Max(player->record.last_played, played_at);
}

void
batch_commit(Batch *batch, SourceMatch *source, int64 seq)
{
	Match	   *match = &batch->match;
	BatchStep  *step = &batch->step;
	int			i;

	batch_reserve_rows(batch, OF_PLAYERS, match->nplayers, false);
	step->seq = seq;
	step->kind = "match";
	step->is_match = true;
	step->match_id = source->id;
	step->at = source->played_at;
	step->reason = NULL;
	for (i = 0; i < match->nplayers; i++)
	{
		BatchPlayer *player = batch->player[i];
		const MatchTeam *team = &match->team[match->player[i].team];
		const double *after = match->player[i].after;
		MatchOutcome outcome = match_outcome(match, match->player[i].team);
		EventRow   *row = add_player_row(step, player, match->player[i].before, after);

		row->team = team->number;
		row->score = outcome / 2.0;
		row->win_probability = team->win;
		row->fixed = player->record.fixed = match->player[i].fixed == 1;

		take_state(batch, player, after, source->played_at);
		if (batch->model->look_back != NULL)
			batch_remember(batch, player, after);
		if (batch->keeps_meetings)
			batch_add_meeting(batch, player, seq, source->played_at, team->number);
		count_match(player, outcome, source->played_at);
		if (player->shared != NULL)
			count_match(player->shared, outcome, source->played_at);
	}
	step->rows[OF_COMPONENTS].n = 0;
	if (match->ncomponents > 0)
		components_commit(batch, source);
}

/*
 * ---- Operations ----
 */

/* Idle days that an operation counts for a player. */
static double
operation_idle_days(const LadderOperation *operation, const BatchPlayer *player)
{
	double		days;

	if (TIMESTAMP_IS_NOBEGIN(player->record.last_played))
		return 0;
	days = (operation->at - player->record.last_played) / (double) USECS_PER_DAY -
		operation->grace_days;
	if (!TIMESTAMP_IS_NOBEGIN(operation->counted_from))
		days = Min(days, (operation->at - operation->counted_from) /
				   (double) USECS_PER_DAY);
	return Max(days, 0);
}

/* A state for an error, as in "mu = 25, sigma = -2". */
static char *
state_text(const Model *model, const double *state)
{
	StringInfoData text;
	int			i;

	initStringInfo(&text);
	for (i = 0; i < model->nstate; i++)
		appendStringInfo(&text, "%s%s = %s", i > 0 ? ", " : "",
						 model->state[i].name, float8out_internal(state[i]));
	return text.data;
}

/* A state that is set begins the rounds anew, so that sums of others would be lost without a word. */
static void
check_set(const Batch *batch, const double *value)
{
	const Model *model = batch->model;
	double		initial[MODEL_MAX_STATE];
	int			i;

	model->init(batch->params, initial);
	for (i = 0; i < model->nstate; i++)
		if (model->state[i].role == ROLE_ROUNDS && !isnan(value[i]) && value[i] != initial[i])
			ereport(ERROR,
					(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
					 errmsg("state column \"%s\" cannot be set to %g",
							model->state[i].name, value[i]),
					 errhint("It is about the rounds since the state was set: leave it out.")));
}

/* Do an operation to one player, with an event if that is called for. */
static void
apply_operation_to_player(Batch *batch, const LadderOperation *operation, BatchPlayer *player)
{
	const Model *model = batch->model;
	EventRows  *rows = &batch->step.rows[OF_PLAYERS];
	double	   *before = rows->state + (Size) 2 * model->nstate * rows->n;
	double	   *after = before + model->nstate;
	EventRow   *row;
	OperationKind kind = operation->operation.kind;
	bool		settles = kind == OPERATION_SETTLE;
	bool		idles = kind == OPERATION_DECAY || kind == OPERATION_REGRESSION;
	double		days = idles ? operation_idle_days(operation, player) : 0;
	Operation	done = operation_for(operation, &player->record);
	int			i;

	CHECK_FOR_INTERRUPTS();
	if (idles && days == 0)
		return;

	/* Only a state that is set, or a mark in a pool, makes a player. */
	if (!player->exists && kind != OPERATION_SET && kind != OPERATION_FIX)
		return;

	/* A state that a season sets after a solution is no decision about a player. */
	if (player->record.fixed &&
		(operation_leaves_fixed(kind) || strcmp(operation->kind, "seed") == 0))
		return;
	state_at(batch, player, operation->at, 0,
			 player->record.fixed || kind == OPERATION_FIX, after);
	memcpy(before, settles ? player->state : after, model->nstate * sizeof(double));
	if (kind == OPERATION_SET)
		check_set(batch, operation->operation.value);
	if (operation_apply(&done, model, batch->params, days, after) != MATCH_OK)
		ereport(ERROR,
				(errcode(ERRCODE_NUMERIC_VALUE_OUT_OF_RANGE),
				 errmsg("operation \"%s\" gives player %s a state that is out of range",
						operation->kind,
						id_text(batch->player_type, player->id)),
				 errdetail("The state is %s.", state_text(model, after))));

	/* From then on a newcomer rests. */
	if (kind == OPERATION_SET)
		period_begin(model, batch->params, operation->at, after);

	/* What pools share changes in its own row, and nothing else there. */
	if (batch->shares && !settles)
		for (i = 0; i < model->nstate; i++)
			if (model->state[i].shared == (player->shared != NULL))
				after[i] = before[i];
	if ((idles || settles || kind == OPERATION_REFUND) &&
		memcmp(before, after, model->nstate * sizeof(double)) == 0)
		return;
	row = add_player_row(&batch->step, player, before, after);
	if (kind == OPERATION_FIX)
		player->record.fixed = operation->operation.fixed;
	else if (kind == OPERATION_RESET)
		player->record.fixed = false;
	row->fixed = player->record.fixed;
	take_state(batch, player, after, operation->at);

	/*
	 * Models, boards and rules go by the games since then, and the state of a
	 * newcomer does not age.
	 */
	if (kind == OPERATION_RESET)
	{
		player->record = no_record;
		player->nmeetings = 0;
		player->meetings_loaded = true;
		if (player->shared != NULL && operation->pool == NULL)
			player->shared->record.as_of = DT_NOBEGIN;
	}
}

/*
 * The players who exist and whom an operation is about that does not name single ones: in
 * one pool or in all, everybody or the player that it names.  First those rows that others
 * share.
 */
static BatchPlayer **
operated_players(Batch *batch, const LadderOperation *operation, int *nplayers)
{
	int			count = id_table_count(batch->players);
	BatchPlayer **all = (BatchPlayer **) id_table_values(batch->players);
	BatchPlayer **player = palloc_array(BatchPlayer *, Max(count, 1));
	int			n = 0;
	int			pass;
	int			i;

	for (pass = 0; pass < 2; pass++)
		for (i = 0; i < count; i++)
			if (all[i]->exists && (all[i]->shared != NULL) == (pass == 1) &&
				(operation->pool == NULL ||
				 strcmp(operation->pool, all[i]->pool) == 0) &&
				(!operation->has_player ||
				 id_equal(batch->player_type, operation->player, all[i]->id)))
				player[n++] = all[i];
	pfree(all);
	*nplayers = n;
	return player;
}

int
batch_apply_operation(Batch *batch, const LadderOperation *operation, int n)
{
	BatchStep  *step = &batch->step;
	bool		single = operation->has_player && operation->pool != NULL;
	BatchPlayer **player;
	int			nplayers;
	int			same = 1;
	int			i;

	while (same < n && operation[same].seq == operation->seq)
		same++;
	if (single)
	{
		nplayers = same;
		player = palloc_array(BatchPlayer *, same);
		for (i = 0; i < same; i++)
			player[i] = batch_player(batch, operation[i].player, operation[i].pool);
	}
	else
		player = operated_players(batch, operation, &nplayers);
	batch_reserve_rows(batch, OF_PLAYERS, nplayers, true);
	step->seq = operation->seq;
	step->kind = operation->kind;
	step->is_match = false;
	step->at = operation->at;
	step->reason = operation->reason;
	step->rows[OF_COMPONENTS].n = 0;
	if (batch->ncomponents > 0)
		components_operate(batch, operation, player, nplayers);
	for (i = 0; i < nplayers; i++)
		apply_operation_to_player(batch, &operation[single ? i : 0], player[i]);
	pfree(player);
	return same;
}
