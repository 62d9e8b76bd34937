/*
 * frag_functions.c
 *		Frag ranking: scalar functions, and the rating of a log of frags.
 */
#include "pg/sql/arrays.h"

#include "catalog/pg_type.h"
#include "miscadmin.h"
#include "utils/builtins.h"

#include "core/models/frag.h"
#include "pg/formulas/frag_arguments.h"
#include "pg/sql/aggregate.h"
#include "pg/sql/composite.h"
#include "pg/sql/ids.h"

SKILLRATING_FUNCTION(skillrating_frag_share);
SKILLRATING_FUNCTION(skillrating_frag_win_share);
SKILLRATING_FUNCTION(skillrating_frag_update);
SKILLRATING_FUNCTION(skillrating_frag_suicide);
SKILLRATING_FUNCTION(skillrating_frag_event);
SKILLRATING_FUNCTION(skillrating_frag_ratings_transition);
SKILLRATING_FUNCTION(skillrating_frag_ratings_final);

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
Datum
skillrating_frag_share(PG_FUNCTION_ARGS)
{
	float8		score_a = PG_GETARG_FLOAT8(0);
	float8		score_b = PG_GETARG_FLOAT8(1);

	check_finite("score_a", score_a);
	check_finite("score_b", score_b);
	PG_RETURN_FLOAT8(check_result(frag_share(score_a, score_b)));
}

/* frag_win_share(rating_a, rating_b, scale) */
Datum
skillrating_frag_win_share(PG_FUNCTION_ARGS)
{
	float8		rating_a = PG_GETARG_FLOAT8(0);
	float8		rating_b = PG_GETARG_FLOAT8(1);
	float8		scale = PG_GETARG_FLOAT8(2);

	check_finite("rating_a", rating_a);
	check_finite("rating_b", rating_b);
	check_positive("scale", scale);
	PG_RETURN_FLOAT8(frag_win_share(rating_a - rating_b, scale, 0));
}

/* The arguments of frag_update(). */
enum
{
	UPDATE_ARG_RATING_A,
	UPDATE_ARG_RATING_B,
	UPDATE_ARG_SCORE_A,
	UPDATE_ARG_SCORE_B,
	UPDATE_ARG_K,
	UPDATE_ARG_SCALE,
	UPDATE_ARG_POINTS,
	UPDATE_ARG_FLOOR
};

/*
 * frag_update(rating_a, rating_b, score_a, score_b, k, scale, points, floor)
 */
Datum
skillrating_frag_update(PG_FUNCTION_ARGS)
{
	float8		rating_a = PG_GETARG_FLOAT8(UPDATE_ARG_RATING_A);
	float8		rating_b = PG_GETARG_FLOAT8(UPDATE_ARG_RATING_B);
	float8		score_a = PG_GETARG_FLOAT8(UPDATE_ARG_SCORE_A);
	float8		score_b = PG_GETARG_FLOAT8(UPDATE_ARG_SCORE_B);
	FragRules	rules = rules_arguments(PG_GETARG_FLOAT8(UPDATE_ARG_K),
										PG_GETARG_FLOAT8(UPDATE_ARG_SCALE),
										PG_GETARG_FLOAT8(UPDATE_ARG_POINTS),
										PG_GETARG_FLOAT8(UPDATE_ARG_FLOOR));
	double		change;
	double		result[2];

	check_finite("rating_a", rating_a);
	check_finite("rating_b", rating_b);
	check_finite("score_a", score_a);
	check_finite("score_b", score_b);

	/*
	 * The floor is applied to each of the two alone, so that points may be
	 * made there.
	 */
	change = frag_duel(&rules, rating_a - rating_b, score_a, score_b);
	result[0] = frag_settle(&rules, rating_a, change);
	result[1] = frag_settle(&rules, rating_b, -change);
	return return_numbers(fcinfo, result, 2);
}

/* frag_suicide(rating, k, frags, points, floor) */
Datum
skillrating_frag_suicide(PG_FUNCTION_ARGS)
{
	float8		rating = PG_GETARG_FLOAT8(0);
	float8		frags = PG_GETARG_FLOAT8(2);
	FragRules	rules = rules_arguments(PG_GETARG_FLOAT8(1), 1,
										PG_GETARG_FLOAT8(3), PG_GETARG_FLOAT8(4));

	check_finite("rating", rating);
	check_not_negative("frags", frags);
	PG_RETURN_FLOAT8(check_result(frag_settle(&rules, rating,
											  frag_alone(&rules, -frags))));
}

/* frag_event(rating, opponent_rating, event_points, k, scale, points) */
Datum
skillrating_frag_event(PG_FUNCTION_ARGS)
{
	float8		rating = PG_GETARG_FLOAT8(0);
	ArrayType  *opponents = array_argument(fcinfo, 1, "opponent_rating", -1);
	int			n = array_size(opponents);
	const float8 *opponent = (const float8 *) ARR_DATA_PTR(opponents);
	float8		event_points = PG_GETARG_FLOAT8(2);
	FragRules	rules = rules_arguments(PG_GETARG_FLOAT8(3), PG_GETARG_FLOAT8(4),
										PG_GETARG_FLOAT8(5), -INFINITY);
	double		mean = 0;
	int			i;

	check_finite("rating", rating);
	check_finite_elements("opponent_rating", opponent, n);
	check_finite("event_points", event_points);
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

/* A player of a log. */
typedef struct FragPlayer
{
	char	   *name;
	double		rating;
	int64		frags;
	int64		deaths;
	int64		suicides;
	int64		team_kills;
} FragPlayer;

/* A log as far as it has been read. */
typedef struct FragLog
{
	MemoryContext context;
	IdType		type;
	IdTable    *players;
	Jsonb	   *options;		/* as given, or NULL */
	FragRules	rules;
	double		initial_rating;
} FragLog;

static FragLog *
log_begin(FunctionCallInfo fcinfo, MemoryContext context)
{
	const Model *model = get_model("frag");
	MemoryContext old = MemoryContextSwitchTo(context);
	FragLog    *log = palloc0_object(FragLog);
	ParamValue *params;

	log->context = context;
	log->options = options_argument(fcinfo, FRAG_ARG_OPTIONS);
	params = get_params(&model->params, log->options);
	id_type_init(&log->type, get_fn_expr_argtype(fcinfo->flinfo, FRAG_ARG_VICTIM), "victim_id");

	/* All of the log lives in the context of the aggregate, which frees it. */
	log->players = id_table_create(&log->type);
	log->rules.k = params[param_find(&model->params, "k")].number;
	log->rules.scale = params[param_find(&model->params, "scale")].number;
	log->rules.points = params[param_find(&model->params, "points")].number;
	log->rules.floor = params[param_find(&model->params, "floor")].number;
	log->initial_rating = params[param_find(&model->params, "initial_rating")].number;

	/* In a log every frag is a duel. */
	if (log->rules.points == 0)
		log->rules.points = 1;
	pfree(params);
	MemoryContextSwitchTo(old);
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
		player->rating = log->initial_rating;
		*place = player;
		MemoryContextSwitchTo(old);
	}
	return (FragPlayer *) *place;
}

static void
log_change(FragLog *log, FragPlayer *player, double change)
{
	player->rating = frag_settle(&log->rules, player->rating, change);
	if (isnan(player->rating) || isinf(player->rating))
		report_match_status(MATCH_OVERFLOW, NAN, player->name);
}

/* frag_ratings(killer_id, victim_id [, score, team_kill, options]): one row of the log. */
Datum
skillrating_frag_ratings_transition(PG_FUNCTION_ARGS)
{
	MemoryContext context = aggregate_context(fcinfo, "frag_ratings");
	FragLog    *log;
	FragPlayer *killer = NULL;
	FragPlayer *victim;
	double		score = 1;
	bool		team_kill = false;

	log = PG_ARGISNULL(FRAG_ARG_STATE) ? log_begin(fcinfo, context) :
		(FragLog *) PG_GETARG_POINTER(FRAG_ARG_STATE);

	check_options_stay(fcinfo, FRAG_ARG_OPTIONS, log->options, "frag_ratings");
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

/* The columns of the type frag_rating. */
enum
{
	RATING_PLAYER,
	RATING_RATING,
	RATING_FRAGS,
	RATING_DEATHS,
	RATING_SUICIDES,
	RATING_TEAM_KILLS,
	RATING_NCOLUMNS
};

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

Datum
skillrating_frag_ratings_final(PG_FUNCTION_ARGS)
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
		Datum		values[RATING_NCOLUMNS];
		bool		nulls[RATING_NCOLUMNS] = {false};

		CHECK_FOR_INTERRUPTS();
		values[RATING_PLAYER] = CStringGetTextDatum(players[i]->name);
		values[RATING_RATING] = Float8GetDatum(players[i]->rating);
		values[RATING_FRAGS] = Int64GetDatum(players[i]->frags);
		values[RATING_DEATHS] = Int64GetDatum(players[i]->deaths);
		values[RATING_SUICIDES] = Int64GetDatum(players[i]->suicides);
		values[RATING_TEAM_KILLS] = Int64GetDatum(players[i]->team_kills);
		row_array_add(&rows, values, nulls);
	}
	return return_row_array(&rows);
}
