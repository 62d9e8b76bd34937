/*
 * frag_graph_functions.c
 *		The aggregate frag_scores(): scores from who killed whom how often.
 */
#include "pg/sql/glue.h"

#include "catalog/pg_type.h"
#include "utils/builtins.h"
#include "utils/datum.h"
#include "utils/hsearch.h"
#include "utils/memutils.h"

#include "core/solve/frag_graph.h"
#include "core/util/union_find.h"
#include "pg/formulas/frag_arguments.h"
#include "pg/sql/aggregate.h"
#include "pg/sql/composite.h"
#include "pg/sql/ids.h"

SKILLRATING_FUNCTION(skillrating_frag_scores_transition);
SKILLRATING_FUNCTION(skillrating_frag_scores_final);

/* The columns of the type frag_score. */
enum
{
	SCORE_PLAYER,
	SCORE_SCORE,
	SCORE_STANDARD_ERROR,
	SCORE_FRAGS,
	SCORE_DEATHS,
	SCORE_SUICIDES,
	SCORE_OPPONENTS,
	SCORE_COMPONENT,
	SCORE_CYCLIC,
	SCORE_NCOLUMNS
};

/* The state of frag_scores(). */
typedef struct FragState
{
	IdType		type;
	IdTable    *players;		/* to their numbers, plus one */
	Datum	   *id;				/* by number */
	double	   *suicides;
	int32		nplayers;
	int32		max_players;
	HTAB	   *pairs;			/* of FragEdge, by its players */
	Jsonb	   *options;		/* as given, or NULL */
	ParamValue *params;
} FragState;

static FragState *
frag_state_begin(FunctionCallInfo fcinfo, MemoryContext context)
{
	MemoryContext old = MemoryContextSwitchTo(context);
	FragState  *state = palloc0_object(FragState);
	HASHCTL		control;

	/*
	 * The state lives in the context of the aggregate, and so does all that
	 * hangs on it: it is never handed to another process.
	 */
	id_type_init(&state->type, get_fn_expr_argtype(fcinfo->flinfo, FRAG_ARG_VICTIM), "victim_id");
	state->players = id_table_create(&state->type);
	state->options = options_argument(fcinfo, FRAG_ARG_OPTIONS);
	state->params = get_params(&frag_graph_params, state->options);
	memset(&control, 0, sizeof(control));
	control.keysize = offsetof(FragEdge, ab);
	control.entrysize = sizeof(FragEdge);
	control.hcxt = context;
	state->pairs = hash_create("skillrating frags", 1024, &control,
							   HASH_ELEM | HASH_BLOBS | HASH_CONTEXT);
	MemoryContextSwitchTo(old);
	return state;
}

static int32
frag_player(FragState *state, Datum id)
{
	bool		found;
	void	  **place = id_table_enter(state->players, id, "", &found);

	if (found)
		return (int32) (intptr_t) *place - 1;
	if (state->nplayers == state->max_players)
	{
		int32		n = Max(1024, 2 * state->max_players);

		if (state->max_players > PG_INT32_MAX / 4)
			ereport(ERROR,
					(errcode(ERRCODE_PROGRAM_LIMIT_EXCEEDED),
					 errmsg("too many players for frag_scores()")));
		huge_array_grow(state->id, Datum, n);
		huge_array_grow(state->suicides, double, n);
		state->max_players = n;
	}
	state->id[state->nplayers] = datumCopy(id, state->type.typbyval,
										   state->type.typlen);
	state->suicides[state->nplayers] = 0;

	/*
	 * Numbers begin at one in the table, because a null pointer is a player
	 * who is new.
	 */
	*place = (void *) (intptr_t) ++state->nplayers;
	return state->nplayers - 1;
}

/*
 * A pair that met for the first time.  The pairs are in memory of their table, which is
 * estimated.
 */
static void
begin_pair(FragState *state, FragEdge *pair)
{
	long		n = hash_get_num_entries(state->pairs);

	pair->ab = pair->ba = 0;
	if (n % MEMORY_LIMIT_PIECES == 0)
		memory_limit_reserve(CurrentMemoryContext,
							 hash_estimate_size(n, sizeof(FragEdge)));
}

/*
 * frag_scores(killer_id, victim_id [, frags, team_kill, options]): a row of a log, or
 * a count.
 */
Datum
skillrating_frag_scores_transition(PG_FUNCTION_ARGS)
{
	MemoryContext context = aggregate_context(fcinfo, "frag_scores");
	MemoryContext old;
	FragState  *state;
	int32		killer = -1;
	int32		victim;
	double		frags = 1;

	state = PG_ARGISNULL(FRAG_ARG_STATE) ? frag_state_begin(fcinfo, context) :
		(FragState *) PG_GETARG_POINTER(FRAG_ARG_STATE);
	check_options_stay(fcinfo, FRAG_ARG_OPTIONS, state->options, "frag_scores");
	check_victim(fcinfo);
	if (!PG_ARGISNULL(FRAG_ARG_SCORE))
		frags = check_not_negative("frags", PG_GETARG_FLOAT8(FRAG_ARG_SCORE));

	/* Kills among team mates say nothing of skill. */
	if (!PG_ARGISNULL(FRAG_ARG_TEAM_KILL) &&
		PG_GETARG_BOOL(FRAG_ARG_TEAM_KILL))
		PG_RETURN_POINTER(state);

	old = MemoryContextSwitchTo(context);
	victim = frag_player(state, PG_GETARG_DATUM(FRAG_ARG_VICTIM));
	if (!PG_ARGISNULL(FRAG_ARG_KILLER))
		killer = frag_player(state, PG_GETARG_DATUM(FRAG_ARG_KILLER));
	if (killer < 0 || killer == victim)
		state->suicides[victim] += frags;
	else
	{
		FragEdge	key = {.a = Min(killer, victim),.b = Max(killer, victim)};
		FragEdge   *pair;
		bool		found;

		pair = hash_search(state->pairs, &key, HASH_ENTER, &found);
		if (!found)
			begin_pair(state, pair);
		*(killer == key.a ? &pair->ab : &pair->ba) += frags;
	}
	MemoryContextSwitchTo(old);
	PG_RETURN_POINTER(state);
}

/* Pairs in the order of their players, so that sums are always the same. */
static int
compare_edges(const void *a, const void *b, void *arg)
{
	const FragEdge *x = (const FragEdge *) a;
	const FragEdge *y = (const FragEdge *) b;

	(void) arg;
	if (x->a != y->a)
		return x->a < y->a ? -1 : 1;
	return (x->b > y->b) - (x->b < y->b);
}

/*
 * Make the problem, having checked that its memory may be had: an edge for each pair
 * that met, and the players by number.
 */
static void
make_graph(const FragState *state, FragGraph *graph)
{
	HASH_SEQ_STATUS scan;
	FragEdge   *pair;
	Size		size;
	int32		i;

	memset(graph, 0, sizeof(FragGraph));
	graph->nplayers = state->nplayers;
	graph->nedges = hash_get_num_entries(state->pairs);
	graph->params = state->params;
	graph->interrupt = check_interrupts;

	size = add_size(frag_graph_room(graph),
					add_size(mul_size(sizeof(FragEdge), graph->nedges),
							 mul_size(sizeof(FragScore), graph->nplayers)));
	check_memory("frag_scores", &frag_graph_params, state->params, size,
				 psprintf("There are %d players and %zu pairs of them.",
						  graph->nplayers, graph->nedges), "");
	graph->edge = huge_array(FragEdge, graph->nedges);
	graph->player = huge_array0(FragScore, graph->nplayers);
	graph->room = huge_array(char, frag_graph_room(graph));
	graph->nedges = 0;
	hash_seq_init(&scan, state->pairs);
	while ((pair = hash_seq_search(&scan)) != NULL)
	{
		CHECK_FOR_INTERRUPTS();
		graph->edge[graph->nedges++] = *pair;
	}

	/*
	 * The order of a hash table depends on its history; the sums over edges
	 * must not.
	 */
	qsort_interruptible(graph->edge, graph->nedges, sizeof(FragEdge),
						compare_edges, NULL);
	for (i = 0; i < graph->nplayers; i++)
		graph->player[i].suicides = state->suicides[i];
}

typedef struct ScoreOrder
{
	const FragGraph *graph;
	const int32 *component;
} ScoreOrder;

static int
compare_scores(const void *a, const void *b, void *arg)
{
	const ScoreOrder *order = (const ScoreOrder *) arg;
	int32		i = *(const int32 *) a;
	int32		j = *(const int32 *) b;
	const FragScore *x = &order->graph->player[i];
	const FragScore *y = &order->graph->player[j];

	/*
	 * Players by number last: the order is total, and the same on every
	 * platform.
	 */
	if (x->component != y->component)
		return order->component[x->component] < order->component[y->component] ? -1 : 1;
	if (x->score != y->score)
		return x->score > y->score ? -1 : 1;
	return (i > j) - (i < j);
}

/* The players of the core by component, the largest first, and score. */
static Datum
graph_scores(FunctionCallInfo fcinfo, FragState *state, const FragGraph *graph)
{
	ScoreOrder	order;
	int32	   *sorted = huge_array(int32, graph->nplayers);
	int32	   *root_of = huge_array(int32, graph->nplayers);
	int32	   *number;
	RowArray	rows;
	int32		n = 0;
	int32		i;

	for (i = 0; i < graph->nplayers; i++)
	{
		const FragScore *player = &graph->player[i];

		root_of[i] = player->in_core ? player->component : -1;
		if (player->in_core)
			sorted[n++] = i;
	}
	order.graph = graph;
	number = huge_array(int32, graph->nplayers);
	(void) union_numbers(root_of, graph->nplayers, number,
						 huge_array(int32, graph->nplayers + 1));
	order.component = number;
	qsort_interruptible(sorted, n, sizeof(int32), compare_scores, &order);
	rows = row_array_make(fcinfo, n);
	for (i = 0; i < n; i++)
	{
		const FragScore *player = &graph->player[sorted[i]];
		Datum		values[SCORE_NCOLUMNS];
		bool		nulls[SCORE_NCOLUMNS] = {false};

		CHECK_FOR_INTERRUPTS();
		values[SCORE_PLAYER] =
			CStringGetTextDatum(id_text(&state->type, state->id[sorted[i]]));
		values[SCORE_SCORE] = Float8GetDatum(player->score);
		put_number(values, nulls, SCORE_STANDARD_ERROR, player->error);
		values[SCORE_FRAGS] = Float8GetDatum(player->frags);
		values[SCORE_DEATHS] = Float8GetDatum(player->deaths);
		values[SCORE_SUICIDES] = Float8GetDatum(player->suicides);
		values[SCORE_OPPONENTS] = Int32GetDatum(player->opponents);
		values[SCORE_COMPONENT] = Int32GetDatum(order.component[player->component]);
		put_number(values, nulls, SCORE_CYCLIC, player->cyclic);
		row_array_add(&rows, values, nulls);
	}
	return return_row_array(&rows);
}

Datum
skillrating_frag_scores_final(PG_FUNCTION_ARGS)
{
	FragState  *state = aggregate_state(fcinfo, "frag_scores");
	FragGraph	graph;

	if (state == NULL)
		PG_RETURN_NULL();

	/*
	 * The final function may be called again for the same state, in a window:
	 * it reads the state and does not change it.
	 */
	make_graph(state, &graph);
	frag_graph_solve(&graph);
	if (!graph.converged)
		ereport(ERROR,
				(errcode(ERRCODE_DATA_EXCEPTION),
				 errmsg("frag_scores() did not converge after %d iterations",
						graph.iterations),
				 errhint("A larger \"tolerance\" or a \"ridge\" above 0 makes it easier.")));
	PG_RETURN_DATUM(graph_scores(fcinfo, state, &graph));
}
