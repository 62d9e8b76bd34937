/*
 * through_time_state.c
 *		The solver through_time at work on a history, which may grow.
 */
#include "pg/history/through_time_state.h"

#include "miscadmin.h"
#include "utils/builtins.h"
#include "utils/float.h"
#include "utils/memutils.h"
#include "utils/timestamp.h"

#include "core/rating/history_components.h"
#include "core/solve/solver.h"

/* The joint distribution takes at most so many products for an iteration unasked. */
#define AUTO_PRODUCTS 1e8

/* Its sites converge as closely as this; the evidence is off by the square. */
#define JOINT_TOLERANCE 1e-6
#define JOINT_MAX_ITERATIONS 200

void
through_time_state_init(ThroughTimeState *state, const char *caller,
						const ParamValue *params, HistoryBuilder *builder)
{
	memset(state, 0, sizeof(ThroughTimeState));
	state->caller = caller;
	state->params = params;
	state->builder = builder;
	state->context = CurrentMemoryContext;
	state->working = AllocSetContextCreate(CurrentMemoryContext,
										   "skillrating through time",
										   ALLOCSET_DEFAULT_SIZES);
	through_time_configure(&state->tt, params, state->model_params);
	through_time_begin(&state->tt);
	state->tt.history = &builder->history;
	state->tt.interrupt = check_interrupts;
}

/* Room in which matches of the history are built, as large as it is now. */
static void
make_work(ThroughTimeState *state)
{
	const History *history = &state->builder->history;
	ThroughTime *tt = &state->tt;
	MemoryContext old;

	/*
	 * Matches of a grown history need more room, and nothing of the old room
	 * is kept.
	 */
	MemoryContextReset(state->working);
	old = MemoryContextSwitchTo(state->working);
	tt->work = history_work_make(history, STATE_SPACE_NSTATE, &tt->model->rules);
	tt->appearance = huge_array(Appearance,
								mul_size(history->max_participants, THROUGH_TIME_UNKNOWNS));
	MemoryContextSwitchTo(old);
}

/* Room for players and components who are new, and let them begin. */
static void
begin_unknowns(ThroughTimeState *state)
{
	ThroughTime *tt = &state->tt;
	int32		players = state->builder->history.nplayers;
	int			k;

	if (players > state->max_players || state->max_players == 0)
	{
		/*
		 * Twice as much at a time, so that a history that grows match by
		 * match is not copied for each.
		 */
		state->max_players = Max(players, Max(64, Min(2 * (int64) state->max_players,
													  PG_INT32_MAX)));
		huge_array_grow(tt->last, uint32_t, mul_size(state->max_players, PLAYER_UNKNOWNS));
		huge_array_grow(tt->games, int64_t, state->max_players);
		huge_array_grow(tt->component, int32_t, state->max_players);
		huge_array_grow(tt->start, double, state->max_players);
	}
	through_time_begin_players(tt, state->players, players);
	state->players = players;
	for (k = 0; k < STATE_SPACE_NCOMPONENTS; k++)
	{
		int32		count = tt->work->components->count[k];

		if (count > state->max_components[k])
		{
			state->max_components[k] = Max(count, Min(2 * (int64) state->max_components[k],
													  PG_INT32_MAX));
			huge_array_grow(tt->last_of_component[k], uint32_t, state->max_components[k]);
			huge_array_grow(tt->component_games[k], int64_t, state->max_components[k]);
		}
		through_time_begin_components(tt, k, state->components[k], count);
		state->components[k] = count;
	}
}

static void
check_size(const ThroughTimeState *state, Size size)
{
	check_memory(state->caller, &through_time_solver.params, state->params, size,
				 psprintf("There are %zu appearances in matches.", state->tt.appearances),
				 ", or solve fewer matches at once");
}

/* Room for so many appearances, which may be more than there were. */
static void
reserve_appearances(ThroughTimeState *state)
{
	ThroughTime *tt = &state->tt;
	size_t		n = tt->appearances;

	/*
	 * Appearances and chains have numbers of 32 bits, of which the last is
	 * none.
	 */
	if (n >= NO_APPEARANCE || state->builder->history.nplayers >= PG_INT32_MAX / PLAYER_UNKNOWNS)
		ereport(ERROR,
				(errcode(ERRCODE_PROGRAM_LIMIT_EXCEEDED),
				 errmsg("too many appearances for %s()", state->caller)));
	state->memory = add_size(mul_size(n, 4 * sizeof(uint32_t) + 3 * sizeof(Belief)),
							 mul_size(tt->counted, sizeof(size_t)));
	check_size(state, state->memory);
	if (n <= state->max_appearances && state->max_appearances > 0)
		return;
	state->max_appearances = state->max_appearances == 0 ? n : Max(n, n / 2 * 3);
	huge_array_grow(tt->match, uint32_t, state->max_appearances);
	huge_array_grow(tt->chain, uint32_t, state->max_appearances);
	huge_array_grow(tt->previous, uint32_t, state->max_appearances);
	huge_array_grow(tt->next, uint32_t, state->max_appearances);
	huge_array_grow(tt->site, Belief, state->max_appearances);
	huge_array_grow(tt->forward, Belief, state->max_appearances);
	huge_array_grow(tt->backward, Belief, state->max_appearances);
}

void
through_time_state_extend(ThroughTimeState *state)
{
	const History *history = &state->builder->history;
	ThroughTime *tt = &state->tt;
	MemoryContext old = MemoryContextSwitchTo(state->context);
	MatchStatus status;
	size_t		match;
	int			offender;

	make_work(state);
	begin_unknowns(state);
	if (history->nmatches + 1 > state->max_matches)
	{
		state->max_matches = Max(history->nmatches + 1, 2 * state->max_matches);
		huge_array_grow(tt->first, size_t, state->max_matches);
	}

	/*
	 * Counted before anything is linked, so that a match with a mistake is
	 * never linked in part.
	 */
	status = through_time_count(tt, &match, &offender);
	if (status != MATCH_OK)
		history_report_mistake(state->builder, state->caller, tt->work, status, match,
							   offender);
	reserve_appearances(state);
	through_time_link(tt);
	MemoryContextSwitchTo(old);
}

/*
 * Room for more of the joint distribution, besides so many bytes; NULL if that is more than is
 * allowed, or an error where it is asked for.
 */
static void *
joint_room(const ThroughTimeState *state, Size more, bool asked, Size *size)
{
	double		limit = state->params[param_find(&through_time_solver.params,
												 "memory")].number;

	*size = add_size(*size, more);
	if (asked)
		check_size(state, *size);
	else if (*size > limit * 1024 * 1024)
		return NULL;
	return huge_array(char, more);
}

/*
 * Make the joint distribution, if its memory may be had; where it is not asked for, only if
 * that is little work, too.
 */
static void
make_joint(ThroughTimeState *state, bool asked)
{
	ThroughTimeJoint *joint = palloc_object(ThroughTimeJoint);
	Size		size = state->memory;
	void	   *room = joint_room(state, mul_size(state->tt.appearances, sizeof(uint32_t)), asked,
								  &size);

	if (room == NULL)
		return;
	through_time_joint_begin(joint, &state->tt, room);
	if (joint->unsupported && asked)
		ereport(ERROR,
				(errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
				 errmsg("joint distribution does not support gain or ties in rankings of more than two teams"),
				 errhint("Leave the gain out, set parameter \"ties\" to \"chain\", or \"errors\" and \"evidence\" to \"messages\".")));
	if (joint->unsupported)
		return;

	/*
	 * Each step says how much room the next one takes, which is known only
	 * then.
	 */
	room = joint_room(state, through_time_joint_size(joint), asked, &size);
	if (room == NULL)
		return;
	through_time_joint_fill(joint, room);
	room = joint_room(state, through_time_joint_analysis_size(joint), asked, &size);
	if (room == NULL)
		return;
	through_time_joint_analyze(joint, room);
	if (!asked && through_time_joint_products(joint) > AUTO_PRODUCTS)
		return;
	room = joint_room(state, through_time_joint_factor_size(joint), asked, &size);
	if (room == NULL)
		return;
	state->joint_result = through_time_joint_solve(joint, room, JOINT_TOLERANCE,
												   JOINT_MAX_ITERATIONS);
	state->memory = size;
	state->joint = joint;
}

/* The same in a memory context of its own. */
static void
solve_jointly(ThroughTimeState *state, bool asked)
{
	MemoryContext old;

	state->jointly = AllocSetContextCreate(state->context, "skillrating joint distribution",
										   ALLOCSET_DEFAULT_SIZES);
	old = MemoryContextSwitchTo(state->jointly);
	make_joint(state, asked);
	MemoryContextSwitchTo(old);
}

void
through_time_state_solve(ThroughTimeState *state, bool warm)
{
	state->result = through_time_solve(&state->tt, warm, through_time_tolerance(state->params),
									   through_time_max_passes(state->params));
	if (through_time_errors(state->params) == THROUGH_TIME_JOINT &&
		state->result.status != SOLVE_NOT_FINITE)
		solve_jointly(state, true);
}

/* Mean and deviation of the unknown at an appearance, by the method of the parameters. */
static void
through_time_state_skill(ThroughTimeState *state, size_t a, double *mu, double *sigma)
{
	if (state->joint != NULL && through_time_errors(state->params) == THROUGH_TIME_JOINT)
		through_time_joint_skill(state->joint, a, mu, sigma);
	else
		through_time_skill(&state->tt, a, mu, sigma);
}

double
through_time_state_evidence(ThroughTimeState *state)
{
	ThroughTimeMethod method = through_time_evidence(state->params);
	bool		lasting = state->joint != NULL;

	if (state->judged)
		return state->log_evidence;
	state->judged = true;
	if (state->result.status == SOLVE_NOT_FINITE)
		return state->log_evidence = get_float8_nan();

	/*
	 * A joint distribution that was made for the evidence alone is freed
	 * below.
	 */
	if (method != THROUGH_TIME_MESSAGES && !lasting)
		solve_jointly(state, method == THROUGH_TIME_JOINT);
	state->by_joint = method != THROUGH_TIME_MESSAGES && state->joint != NULL &&
		state->joint_result.status == SOLVE_CONVERGED;
	state->log_evidence = state->by_joint ? state->joint_result.log_evidence :
		method == THROUGH_TIME_JOINT ? get_float8_nan() :
		through_time_log_evidence(&state->tt);
	if (!lasting && state->jointly != NULL)
	{
		MemoryContextDelete(state->jointly);
		state->jointly = NULL;
		state->joint = NULL;
	}
	return state->log_evidence;
}

/*
 * ---- Rows ----
 */

/* Whether the same unknown appears again at the same time. */
static bool
appears_again(const ThroughTime *tt, size_t a)
{
	const HistoryMatch *match = tt->history->match;
	int64_t		at = match[tt->match[a]].played_at;

	return at != NEVER_PLAYED && tt->next[a] != NO_APPEARANCE &&
		match[tt->match[tt->next[a]]].played_at == at;
}

int64
through_time_state_rows(const ThroughTimeState *state)
{
	const ThroughTime *tt = &state->tt;
	int64		rows = 0;
	size_t		a;

	for (a = 0; a < tt->appearances; a++)
		rows += through_time_kind(tt, a) == UNKNOWN_SKILL && !appears_again(tt, a);
	return rows;
}

/* Time, mean and deviation of an appearance. */
static void
put_belief(ThroughTimeState *state, size_t a, ResultRow *row)
{
	bool		unknown = state->result.status == SOLVE_NOT_FINITE;
	double		mu,
				sigma;

	through_time_state_skill(state, a, &mu, &sigma);
	put_time(row, state->tt.history->match[state->tt.match[a]].played_at);
	put_datum(row, Float8GetDatum(mu), unknown);
	put_datum(row, Float8GetDatum(sigma), unknown);
}

void
through_time_state_add_estimates(ThroughTimeState *state, RowArray *rows,
								 const int32 *component)
{
	const ThroughTime *tt = &state->tt;
	HistoryBuilder *builder = state->builder;
	size_t		a;

	for (a = 0; a < tt->appearances; a++)
	{
		ResultRow	row = {0};
		double		also[2] = {NAN, NAN};	/* side offset and command skill */
		int32		player = (int32) (tt->chain[a] / PLAYER_UNKNOWNS);
		size_t		other;
		double		sigma;

		if (a % 1024 == 0)
			CHECK_FOR_INTERRUPTS();

		/* Of several at the same time the last one. */
		if (through_time_kind(tt, a) != UNKNOWN_SKILL || appears_again(tt, a))
			continue;
		row_array_begin_row(rows);
		put_text(&row, id_text(&builder->player_type, builder->player_id[player]));
		put_belief(state, a, &row);

		/* The others of this player in the match follow at once. */
		for (other = a + 1; other < tt->appearances && tt->match[other] == tt->match[a] &&
			 (tt->chain[other] & CHAIN_OF_COMPONENT) == 0 &&
			 tt->chain[other] / PLAYER_UNKNOWNS == (uint32) player; other++)
			if (state->result.status != SOLVE_NOT_FINITE)
				through_time_state_skill(state, other,
										 &also[through_time_kind(tt, other) != UNKNOWN_SIDE], &sigma);
		put_number(&row, also[0]);
		put_number(&row, also[1]);
		put_int64(&row, tt->games[player]);
		put_int32(&row, component[tt->component[player]]);
		row_array_add(rows, &row);
	}
}

Datum
component_key(const History *history, const ComponentSpec *spec, const HistoryMatch *match,
			  size_t participant, const Datum *context, const Datum *club)
{
	const HistoryNames *contexts = &history->contexts;
	const HistoryNames *clubs = &history->clubs;

	if (spec->key == COMPONENT_BY_CONTEXT)
		return context[contexts->name[match->first_context + contexts->number[participant]]];
	if (spec->key == COMPONENT_BY_CLUB)
		return club[clubs->name[match->first_club + clubs->number[participant]]];
	return 0;
}

void
through_time_state_add_components(ThroughTimeState *state, RowArray *rows)
{
	const ThroughTime *tt = &state->tt;
	HistoryBuilder *builder = state->builder;
	const History *history = &builder->history;
	Datum	   *context = history_builder_names(&builder->contexts);
	Datum	   *club = history_builder_names(&builder->clubs);
	size_t		a;

	for (a = 0; a < tt->appearances; a++)
	{
		const ComponentSpec *spec;
		const HistoryMatch *match = &history->match[tt->match[a]];
		int32		number = chain_number(tt->chain[a]);
		int			kind = through_time_kind(tt, a) - PLAYER_UNKNOWNS;
		size_t		place = match->first;
		ResultRow	row = {0};

		if (a % 1024 == 0)
			CHECK_FOR_INTERRUPTS();
		if (kind < 0 || appears_again(tt, a))
			continue;
		row_array_begin_row(rows);
		spec = &tt->model->rules.component[kind];

		/* In this match, where contexts and clubs have their numbers. */
		while (tt->work->components->of[kind][place] != number)
			place++;
		put_text(&row, spec->name);
		put_datum(&row, component_key(history, spec, match, place, context, club),
				  spec->key == COMPONENT_BY_NOTHING);
		put_text(&row, spec->scope != COMPONENT_OF_PLAYER ? NULL :
				 id_text(&builder->player_type, builder->player_id[history->player[place]]));
		put_belief(state, a, &row);
		put_int64(&row, tt->component_games[kind][number]);
		row_array_add(rows, &row);
	}
}
