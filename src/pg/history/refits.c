/*
 * refits.c
 *		Solving the history so far, now and then, while it is rated.
 */
#include "pg/history/through_time_state.h"

#include "utils/builtins.h"
#include "utils/float.h"
#include "utils/memutils.h"
#include "utils/timestamp.h"

#include "core/solve/solver.h"

/* A refit ends when no unknown changes by more than this, in deviations, or after passes. */
#define REFIT_TOLERANCE 1e-3
#define REFIT_MAX_PASSES 30

typedef struct Refits
{
	RefitRules	rules;
	MemoryContext context;
	HistoryBuilder builder;		/* all rated matches so far */
	ThroughTimeState state;
	ParamValue *params;			/* of the solver: those of the model, and
								 * defaults */
	bool		solved;			/* once at least */
	int64		pending;		/* rated matches since */
	TimestampTz last;			/* of the last rated match, or DT_NOBEGIN */
	TimestampTz since;			/* when days are counted from: the first
								 * match, or the last refit */
} Refits;

/* Whether a refit is due before the match. */
static bool
is_due(const Refits *refits, const SourceMatch *match)
{
	bool		timed = match->played_at != DT_NOBEGIN;

	if (refits->pending == 0 || (timed && match->played_at <= refits->last))
		return false;
	if (refits->rules.matches > 0 && refits->pending >= refits->rules.matches)
		return true;
	return refits->rules.days > 0 && timed && refits->since != DT_NOBEGIN &&
		(double) (match->played_at - refits->since) >= refits->rules.days * USECS_PER_DAY;
}

/*
 * Put what was found into the states of players, which are as of their last matches, but for those
 * who are fixed.
 */
static void
set_players(Refits *refits, Batch *batch)
{
	const ThroughTime *tt = &refits->state.tt;
	BatchPlayer **players = (BatchPlayer **) id_table_values(batch->players);
	int			n = id_table_count(batch->players);
	int			i;
	int			j;

	for (i = 0; i < n; i++)
	{
		void	   *number = id_table_find(refits->builder.players, players[i]->id,
										   players[i]->pool);

		/* Numbers begin at one in the table. */
		for (j = 0; number != NULL && !players[i]->record.fixed && j < PLAYER_UNKNOWNS; j++)
			(void) through_time_end(tt, (int32) (intptr_t) number - 1, j,
									&players[i]->state[2 * j]);
	}
	pfree(players);
}

/* The component of the batch that a participant of a match of the history brings. */
static BatchComponent *
component_of(Refits *refits, const Batch *batch, int kind, const HistoryMatch *match,
			 size_t participant, const Datum *pools, const Datum *contexts, const Datum *clubs)
{
	const History *history = &refits->builder.history;
	const ComponentSpec *spec = &batch->model->rules.component[kind];
	const char *pool = TextDatumGetCString(pools[match->pool]);
	Datum		key = component_key(history, spec, match, participant, contexts, clubs);
	const BatchPlayer *player = NULL;

	if (spec->scope == COMPONENT_OF_PLAYER)
		player = id_table_find(batch->players,
							   refits->builder.player_id[history->player[participant]], pool);
	return batch_find_component(batch, kind, player, pool,
								key == 0 ? "" : TextDatumGetCString(key));
}

/*
 * The same of components.  Those of a kind are numbered in the order in which participants
 * bring them, so that each is new where the next number is.
 */
static void
set_components(Refits *refits, Batch *batch)
{
	const ThroughTime *tt = &refits->state.tt;
	const History *history = &refits->builder.history;
	const HistoryComponents *components = tt->work->components;
	const Datum *pools = history_builder_names(&refits->builder.pools);
	const Datum *contexts = history_builder_names(&refits->builder.contexts);
	const Datum *clubs = history_builder_names(&refits->builder.clubs);
	int			k;

	for (k = 0; k < STATE_SPACE_NCOMPONENTS; k++)
	{
		int32		next = 0;
		size_t		m;
		size_t		i;

		for (m = 0; m < history->nmatches && next < components->count[k]; m++)
			for (i = history->match[m].first;
				 i < history->match[m].first + history->match[m].n; i++)
			{
				BatchComponent *component;

				if (components->of[k][i] != next)
					continue;
				component = component_of(refits, batch, k, &history->match[m], i, pools,
										 contexts, clubs);
				if (component != NULL &&
					(component->player == NULL || !component->player->record.fixed))
					(void) through_time_component_end(tt, k, next, component->state);
				next++;
			}
	}
}

/*
 * The draw margin that the filter has learned, in the pool with the most matches; solver
 * through_time takes it for known.
 */
static void
take_margin(Refits *refits, const Batch *batch)
{
	const BatchComponent *draw = NULL;
	int64		i;

	for (i = 0; i < batch->ncomponents; i++)
		if (batch->components[i]->number == STATE_SPACE_DRAW &&
			(draw == NULL || batch->components[i]->record.games > draw->record.games))
			draw = batch->components[i];
	if (draw != NULL)
		through_time_set_log_margin(&refits->state.tt, draw->state[0]);
}

/* Solve all that has been rated so far. */
static void
refit(Refits *refits, Batch *batch)
{
	MemoryContext working = AllocSetContextCreate(CurrentMemoryContext, "skillrating refit",
												  ALLOCSET_DEFAULT_SIZES);
	MemoryContext old = MemoryContextSwitchTo(working);

	take_margin(refits, batch);
	through_time_state_extend(&refits->state);
	refits->state.result = through_time_solve(&refits->state.tt, refits->solved,
											  REFIT_TOLERANCE, REFIT_MAX_PASSES);
	if (refits->state.result.status != SOLVE_NOT_FINITE)
	{
		refits->solved = true;
		set_players(refits, batch);
		set_components(refits, batch);
	}
	MemoryContextSwitchTo(old);
	MemoryContextDelete(working);
}

static void
before_match(Rater *rater)
{
	Refits	   *refits = (Refits *) rater->hook_argument;

	/* States are those of the solution, with no reversion but its own. */
	rater->match_season.known = false;
	if (!is_due(refits, &rater->match))
		return;
	refit(refits, rater->batch);
	refits->pending = 0;
	if (rater->match.played_at != DT_NOBEGIN)
		refits->since = rater->match.played_at;
}

static void
after_match(Rater *rater)
{
	Refits	   *refits = (Refits *) rater->hook_argument;
	MemoryContext old = MemoryContextSwitchTo(refits->context);
	TimestampTz at = rater->match.played_at;

	history_builder_append(&refits->builder, &rater->match, NULL);
	refits->pending++;
	if (at != DT_NOBEGIN)
	{
		refits->last = at;
		if (refits->since == DT_NOBEGIN)
			refits->since = at;
	}
	MemoryContextSwitchTo(old);
}

void
refits_begin(Rater *rater, const RefitRules *rules)
{
	const Model *model = rater->batch->model;
	Refits	   *refits;

	if (strcmp(model->name, "state_space") != 0)
		ereport(ERROR,
				(errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
				 errmsg("model \"%s\" has no solver through time", model->name),
				 errhint("Use model \"state_space\", whose solver is through_time.")));
	refits = palloc0_object(Refits);
	refits->rules = *rules;
	refits->context = CurrentMemoryContext;
	refits->last = refits->since = DT_NOBEGIN;
	history_builder_init(&refits->builder, rater->player_type.type, false);
	refits->params = palloc_array(ParamValue, through_time_solver.params.count);
	param_defaults(&through_time_solver.params, refits->params);
	through_time_set_model_params(refits->params, rater->batch->params);
	through_time_state_init(&refits->state, "rate_through_time", refits->params,
							&refits->builder);
	rater->before_match = before_match;
	rater->after_match = after_match;
	rater->hook_argument = refits;
}
