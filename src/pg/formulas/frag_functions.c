/*
 * frag_functions.c
 *		Frag ranking: scalar functions, and the aggregates over a log of frags, frag_ratings(), which
 *		rates frag after frag, and frag_scores(), which looks at who killed whom how often.
 */
#include "pg/sql/arrays.h"

#include "catalog/pg_type.h"
#include "miscadmin.h"
#include "utils/builtins.h"
#include "utils/hsearch.h"
#include "utils/memutils.h"

#include "core/models/frag.h"
#include "core/solve/frag_graph.h"
#include "core/util/union_find.h"
#include "pg/sql/aggregate.h"
#include "pg/sql/composite.h"
#include "pg/sql/ids.h"

/* Checked rules; a floor of minus infinity is none. */
static FragRules
rules_arguments(double k, double scale, double points, double floor)
{
	FragRules	rules = {k, scale, points, check_floor(floor)};

	check_not_negative("k", k);
	check_positive("scale", scale);
	check_not_negative("points", points);
	return rules;
}

/* frag_share(score_a, score_b) */
SQL_FUNCTION(skillrating_frag_share)
{
	float8		score_a = check_finite("score_a", PG_GETARG_FLOAT8(0));
	float8		score_b = check_finite("score_b", PG_GETARG_FLOAT8(1));

	PG_RETURN_FLOAT8(check_result(frag_share(score_a, score_b)));
}

/* frag_win_share(rating_a, rating_b, scale) */
SQL_FUNCTION(skillrating_frag_win_share)
{
	float8		rating_a = check_finite("rating_a", PG_GETARG_FLOAT8(0));
	float8		rating_b = check_finite("rating_b", PG_GETARG_FLOAT8(1));
	float8		scale = check_positive("scale", PG_GETARG_FLOAT8(2));

	PG_RETURN_FLOAT8(frag_win_share(rating_a - rating_b, scale, 0));
}

/*
 * frag_update(rating_a, rating_b, score_a, score_b, k, scale, points, floor)
 */
SQL_FUNCTION(skillrating_frag_update)
{
	float8		rating_a = check_finite("rating_a", PG_GETARG_FLOAT8(0));
	float8		rating_b = check_finite("rating_b", PG_GETARG_FLOAT8(1));
	float8		score_a = check_finite("score_a", PG_GETARG_FLOAT8(2));
	float8		score_b = check_finite("score_b", PG_GETARG_FLOAT8(3));
	FragRules	rules = rules_arguments(PG_GETARG_FLOAT8(4), PG_GETARG_FLOAT8(5),
										PG_GETARG_FLOAT8(6), PG_GETARG_FLOAT8(7));
	double		change;
	double		result[2];

	/*
	 * The floor is applied to each of the two alone, so that points may be
	 * made there.
	 */
	change = frag_duel(&rules, rating_a - rating_b, score_a, score_b);
	result[0] = frag_apply(&rules, rating_a, change);
	result[1] = frag_apply(&rules, rating_b, -change);
	return return_numbers(fcinfo, result, 2);
}

/* frag_suicide(rating, k, frags, points, floor) */
SQL_FUNCTION(skillrating_frag_suicide)
{
	float8		rating = check_finite("rating", PG_GETARG_FLOAT8(0));
	float8		frags = check_not_negative("frags", PG_GETARG_FLOAT8(2));
	FragRules	rules = rules_arguments(PG_GETARG_FLOAT8(1), 1,
										PG_GETARG_FLOAT8(3), PG_GETARG_FLOAT8(4));

	PG_RETURN_FLOAT8(check_result(frag_apply(&rules, rating,
											  frag_alone(&rules, -frags))));
}

/* frag_event(rating, opponent_rating, event_points, k, scale, points) */
SQL_FUNCTION(skillrating_frag_event)
{
	float8		rating = check_finite("rating", PG_GETARG_FLOAT8(0));
	int			n = -1;
	const float8 *opponent = finite_array_argument(fcinfo, 1, "opponent_rating", &n);
	float8		event_points = check_finite("event_points", PG_GETARG_FLOAT8(2));
	FragRules	rules = rules_arguments(PG_GETARG_FLOAT8(3), PG_GETARG_FLOAT8(4),
										PG_GETARG_FLOAT8(5), -INFINITY);
	double		mean = 0;
	int			i;

	if (n == 0)
		ereport(ERROR,
				(errcode(ERRCODE_ARRAY_SUBSCRIPT_ERROR),
				 errmsg("array opponent_rating must not be empty")));
	for (i = 0; i < n; i++)
	{
		check_interrupts_at(i);

		/* Divided first: the sum of many ratings could overflow. */
		mean += opponent[i] / n;
	}
	PG_RETURN_FLOAT8(check_result(rating + frag_duel(&rules, rating - mean,
													 event_points, 0)));
}

/*
 * ---- Logs ----
 */

/* The arguments of both aggregates, rows of a log; those from the score on may be null. */
enum
{
	FRAG_ARG_KILLER = 1,
	FRAG_ARG_VICTIM,
	FRAG_ARG_SCORE,				/* of frag_scores(): how many frags */
	FRAG_ARG_TEAM_KILL,
	FRAG_ARG_OPTIONS
};

/* Errors if a row has no victim. */
static void
check_victim(FunctionCallInfo fcinfo)
{
	if (PG_ARGISNULL(FRAG_ARG_VICTIM))
		ereport(ERROR,
				(errcode(ERRCODE_NULL_VALUE_NOT_ALLOWED),
				 errmsg("victim_id must not be null"),
				 errhint("Leave rows that are no frags out with FILTER (WHERE ...).")));
}

/* A player of a log. */
typedef struct FragPlayer
{
	char	   *name;
	int32		number;			/* in the order of the log */
	double		rating;
	int64		frags;
	int64		deaths;
	double		suicides;
	int64		team_kills;
} FragPlayer;

/* A log as far as it has been read.  All of it lives in the memory of the aggregate. */
typedef struct FragLog
{
	OptionsState head;
	MemoryContext context;
	IdType		type;
	IdTable    *players;
	ParamValue *params;
	FragRules	rules;			/* of frag_ratings() */
	double		initial_rating;
	HTAB	   *pairs;			/* of frag_scores(): of FragEdge, by its players */
} FragLog;

static FragLog *
log_begin(FunctionCallInfo fcinfo, const ParamSet *set, Jsonb *options)
{
	FragLog    *log = palloc0_object(FragLog);

	log->context = CurrentMemoryContext;
	log->params = get_params(set, options);
	id_type_init(&log->type, get_fn_expr_argtype(fcinfo->flinfo, FRAG_ARG_VICTIM), "victim_id");
	log->players = id_table_create(&log->type);
	return log;
}

static FragPlayer *
log_player(FragLog *log, Datum id)
{
	bool		found;
	void	  **place = id_table_enter(log->players, id, "", &found);

	if (!found)
	{
		MemoryContext old = MemoryContextSwitchTo(log->context);
		FragPlayer *player = palloc0_object(FragPlayer);

		/* The text is made once: it is the name in errors and in the result. */
		player->name = id_text(&log->type, id);
		player->number = id_table_count(log->players) - 1;
		player->rating = log->initial_rating;
		*place = player;
		MemoryContextSwitchTo(old);
	}
	return (FragPlayer *) *place;
}

/*
 * ---- frag_ratings() ----
 */

static void *
frag_ratings_begin(FunctionCallInfo fcinfo, Jsonb *options)
{
	const ParamSet *set = &get_model("frag")->params;
	FragLog    *log = log_begin(fcinfo, set, options);

	log->rules.k = log->params[param_find(set, "k")].number;
	log->rules.scale = log->params[param_find(set, "scale")].number;
	log->rules.points = log->params[param_find(set, "points")].number;
	log->rules.floor = log->params[param_find(set, "floor")].number;
	log->initial_rating = log->params[param_find(set, "initial_rating")].number;

	/* In a log every frag is a duel. */
	if (log->rules.points == 0)
		log->rules.points = 1;
	return log;
}

static void
log_change(FragLog *log, FragPlayer *player, double change)
{
	player->rating = frag_apply(&log->rules, player->rating, change);
	if (isnan(player->rating) || isinf(player->rating))
		report_match_status(MATCH_OVERFLOW, NAN, player->name);
}

/* frag_ratings(killer_id, victim_id [, score, team_kill, options]): one row of the log. */
SQL_FUNCTION(skillrating_frag_ratings_transition)
{
	FragLog    *log = options_state(fcinfo, "frag_ratings", FRAG_ARG_OPTIONS,
									frag_ratings_begin);
	FragPlayer *killer = NULL;
	FragPlayer *victim;
	double		score = 1;
	bool		team_kill = false;

	check_victim(fcinfo);
	if (!PG_ARGISNULL(FRAG_ARG_SCORE))
		score = check_not_negative("score", PG_GETARG_FLOAT8(FRAG_ARG_SCORE));
	if (!PG_ARGISNULL(FRAG_ARG_TEAM_KILL))
		team_kill = PG_GETARG_BOOL(FRAG_ARG_TEAM_KILL);

	victim = log_player(log, PG_GETARG_DATUM(FRAG_ARG_VICTIM));
	if (!PG_ARGISNULL(FRAG_ARG_KILLER))
		killer = log_player(log, PG_GETARG_DATUM(FRAG_ARG_KILLER));

	if (killer == NULL || killer == victim)
	{
		victim->suicides++;
		log_change(log, victim, frag_alone(&log->rules, -score));
	}
	else if (team_kill)
	{
		/* It costs the killer as a suicide does, and the victim nothing. */
		killer->team_kills++;
		log_change(log, killer, frag_alone(&log->rules, -score));
	}
	else
	{
		double		change = frag_duel(&log->rules,
									   killer->rating - victim->rating,
									   score, 0);

		killer->frags++;
		victim->deaths++;
		log_change(log, killer, change);
		log_change(log, victim, -change);
	}
	PG_RETURN_POINTER(log);
}

/* Highest first, and by name where ratings are equal. */
static int
compare_players(const void *a, const void *b)
{
	const FragPlayer *x = *(FragPlayer *const *) a;
	const FragPlayer *y = *(FragPlayer *const *) b;

	if (x->rating != y->rating)
		return x->rating > y->rating ? -1 : 1;
	return strcmp(x->name, y->name);
}

SQL_FUNCTION(skillrating_frag_ratings_final)
{
	FragLog    *log = aggregate_state(fcinfo, "frag_ratings");
	FragPlayer **players;
	RowArray	rows;
	int			n,
				i;

	if (log == NULL)
		PG_RETURN_NULL();
	n = id_table_count(log->players);

	/* The log is read and not changed, because a window may go on with it. */
	players = (FragPlayer **) id_table_values(log->players);
	qsort(players, n, sizeof(FragPlayer *), compare_players);

	rows = row_array_make(fcinfo, n);
	for (i = 0; i < n; i++)
	{
		ResultRow	row = {0};

		CHECK_FOR_INTERRUPTS();
		put_text(&row, players[i]->name);
		put_number(&row, players[i]->rating);
		put_int64(&row, players[i]->frags);
		put_int64(&row, players[i]->deaths);
		put_int64(&row, (int64) players[i]->suicides);
		put_int64(&row, players[i]->team_kills);
		row_array_add(&rows, &row);
	}
	return return_row_array(&rows);
}

/*
 * ---- frag_scores() ----
 */

static void *
frag_scores_begin(FunctionCallInfo fcinfo, Jsonb *options)
{
	FragLog    *log = log_begin(fcinfo, &frag_graph_params, options);
	HASHCTL		control = {
		.keysize = offsetof(FragEdge, ab),.entrysize = sizeof(FragEdge),.hcxt = log->context
	};

	log->pairs = hash_create("skillrating frags", 1024, &control,
							 HASH_ELEM | HASH_BLOBS | HASH_CONTEXT);
	return log;
}

/*
 * frag_scores(killer_id, victim_id [, frags, team_kill, options]): a row of a log, or
 * a count.
 */
SQL_FUNCTION(skillrating_frag_scores_transition)
{
	FragLog    *log = options_state(fcinfo, "frag_scores", FRAG_ARG_OPTIONS, frag_scores_begin);
	FragPlayer *killer = NULL;
	FragPlayer *victim;
	double		frags = 1;

	check_victim(fcinfo);
	if (!PG_ARGISNULL(FRAG_ARG_SCORE))
		frags = check_not_negative("frags", PG_GETARG_FLOAT8(FRAG_ARG_SCORE));

	/* Kills among team mates say nothing of skill. */
	if (!PG_ARGISNULL(FRAG_ARG_TEAM_KILL) &&
		PG_GETARG_BOOL(FRAG_ARG_TEAM_KILL))
		PG_RETURN_POINTER(log);

	victim = log_player(log, PG_GETARG_DATUM(FRAG_ARG_VICTIM));
	if (!PG_ARGISNULL(FRAG_ARG_KILLER))
		killer = log_player(log, PG_GETARG_DATUM(FRAG_ARG_KILLER));
	if (killer == NULL || killer == victim)
		victim->suicides += frags;
	else
	{
		FragEdge	key = {
			.a = Min(killer->number, victim->number),.b = Max(killer->number, victim->number)
		};
		FragEdge   *pair;
		bool		found;

		pair = hash_search(log->pairs, &key, HASH_ENTER, &found);
		if (!found)
		{
			long		n = hash_get_num_entries(log->pairs);

			/* In memory of their table, which is estimated. */
			pair->ab = pair->ba = 0;
			if (n % MEMORY_LIMIT_PIECES == 0)
				memory_limit_reserve(log->context, hash_estimate_size(n, sizeof(FragEdge)));
		}
		*(killer->number == key.a ? &pair->ab : &pair->ba) += frags;
	}
	PG_RETURN_POINTER(log);
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
make_graph(const FragLog *log, FragPlayer *const *player, FragGraph *graph)
{
	HASH_SEQ_STATUS scan;
	FragEdge   *pair;
	Size		size;
	int32		i;

	memset(graph, 0, sizeof(FragGraph));
	graph->nplayers = id_table_count(log->players);
	graph->nedges = hash_get_num_entries(log->pairs);
	graph->params = log->params;
	graph->interrupt = check_interrupts;

	size = add_size(frag_graph_room(graph),
					add_size(mul_size(sizeof(FragEdge), graph->nedges),
							 mul_size(sizeof(FragScore), graph->nplayers)));
	check_memory("frag_scores", &frag_graph_params, log->params, size,
				 psprintf("There are %d players and %zu pairs of them.",
						  graph->nplayers, graph->nedges), "");
	graph->edge = huge_array(FragEdge, graph->nedges);
	graph->player = huge_array0(FragScore, graph->nplayers);
	graph->room = huge_array(char, frag_graph_room(graph));
	graph->nedges = 0;
	hash_seq_init(&scan, log->pairs);
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
		graph->player[player[i]->number].suicides = player[i]->suicides;
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
graph_scores(FunctionCallInfo fcinfo, FragPlayer *const *players, const FragGraph *graph)
{
	ScoreOrder	order;
	int32	   *sorted = huge_array(int32, graph->nplayers);
	int32	   *root_of = huge_array(int32, graph->nplayers);
	int32	   *number;
	const char **name = huge_array(const char *, graph->nplayers);
	RowArray	rows;
	int32		n = 0;
	int32		i;

	for (i = 0; i < graph->nplayers; i++)
	{
		const FragScore *player = &graph->player[i];

		name[players[i]->number] = players[i]->name;
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
		ResultRow	row = {0};

		CHECK_FOR_INTERRUPTS();
		put_text(&row, name[sorted[i]]);
		put_number(&row, player->score);
		put_number(&row, player->error);
		put_number(&row, player->frags);
		put_number(&row, player->deaths);
		put_number(&row, player->suicides);
		put_int32(&row, player->opponents);
		put_int32(&row, order.component[player->component]);
		put_number(&row, player->cyclic);
		row_array_add(&rows, &row);
	}
	return return_row_array(&rows);
}

SQL_FUNCTION(skillrating_frag_scores_final)
{
	FragLog    *log = aggregate_state(fcinfo, "frag_scores");
	FragPlayer **players;
	FragGraph	graph;

	if (log == NULL)
		PG_RETURN_NULL();

	/*
	 * The final function may be called again for the same state, in a window:
	 * it reads the state and does not change it.
	 */
	players = (FragPlayer **) id_table_values(log->players);
	make_graph(log, players, &graph);
	frag_graph_solve(&graph);
	if (!graph.converged)
		ereport(ERROR,
				(errcode(ERRCODE_DATA_EXCEPTION),
				 errmsg("frag_scores() did not converge after %d iterations",
						graph.iterations),
				 errhint("A larger \"tolerance\" or a \"ridge\" above 0 makes it easier.")));
	PG_RETURN_DATUM(graph_scores(fcinfo, players, &graph));
}
