/*
 * skill_functions.c
 *		Models of skills with deviations for one match given as arrays: TrueSkill, those of Weng
 *		and Lin, and Elo-MMR.
 *
 * The match and all of its arrays are allocated in the current context, with room for one element
 * where there are none.
 */
#include "pg/sql/arrays.h"

#include "catalog/pg_type.h"
#include "funcapi.h"

#include "core/models/elo_mmr.h"
#include "core/models/trueskill.h"
#include "core/models/weng_lin.h"
#include "pg/sql/composite.h"

/*
 * ---- What they have in common ----
 */

/*
 * The states before, as rows of the match's players: from arrays by column to one array by player,
 * which is how the core has them.
 */
static double *
states_before(FunctionCallInfo fcinfo, const Model *model, int arg, int n)
{
	double	   *before = palloc_array(double, (Size) n * model->nstate);
	int			i,
				j;

	for (j = 0; j < model->nstate; j++)
	{
		const StateSpec *spec = &model->state[j];
		const float8 *element = float8_array_argument(fcinfo, arg + j,
													  spec->name, n);

		check_finite_elements(spec->name, element, n);
		for (i = 0; i < n; i++)
		{
			/*
			 * Checked against the range of the model here: the core assumes
			 * valid states and does not check them again.
			 */
			if (!state_value_valid(spec, element[i]))
				ereport(ERROR,
						(errcode(ERRCODE_NUMERIC_VALUE_OUT_OF_RANGE),
						 errmsg("%s is out of range: %g", spec->name, element[i]),
						 errdetail("It is element %d of the array.", i + 1),
						 errhint("It must lie between %g and %g.",
								 Max(spec->min, -STATE_LIMIT), STATE_LIMIT)));
			before[i * model->nstate + j] = element[i];
		}
	}
	return before;
}

/* By team, and within a team in the order of the arrays. */
static int
compare_rows(const void *a, const void *b)
{
	const Participant *x = a;
	const Participant *y = b;

	if (x->team != y->team)
		return x->team < y->team ? -1 : 1;
	return x->player - y->player;
}

/*
 * A match from the arguments team int[], from the given one on, rank float8[], one array of float8
 * for each state column, the states, and weight float8[], which may be null.  There are ranks and
 * weights only where that is said; without ranks all teams come first.  Player i of the match is
 * element i of the arrays, and its state after has room.  Without params, NULL, they are the
 * defaults.
 *
 * Errors for arrays that do not fit, and for whatever match_build() minds except,
 * between two teams, one of no weight at all.
 */
static Match *
match_from_arrays(FunctionCallInfo fcinfo, const Model *model, const ParamValue *params,
				  int arg, bool ranked, bool weighted)
{
	int			states = ranked ? arg + 2 : arg + 1;
	int			weights = states + model->nstate;
	ArrayType  *teams = array_argument(fcinfo, arg, "team", -1);
	const int32 *team = (const int32 *) ARR_DATA_PTR(teams);
	int			n = array_size(teams);
	int			room = Max(n, 1);
	const float8 *rank = NULL;
	const float8 *weight = NULL;
	Match	   *match = palloc0_object(Match);
	ParamValue *defaults = palloc_array(ParamValue, model->params.count);
	Participant *row;
	double	   *before;
	double	   *after;
	MatchStatus status;
	int			offender;
	int			i;

	if (n > MATCH_MAX_PARTICIPANTS)
		report_match_status(MATCH_TOO_MANY_PARTICIPANTS, n, NULL);
	if (ranked)
		rank = finite_array_argument(fcinfo, arg + 1, "rank", &n);
	if (weighted && !PG_ARGISNULL(weights))
		weight = finite_array_argument(fcinfo, weights, "weight", &n);
	before = states_before(fcinfo, model, states, n);
	after = palloc_array(double, (Size) room * model->nstate);
	match->team = palloc_array(MatchTeam, room);
	match->player = palloc_array(MatchPlayer, room);
	match->entry = palloc_array(MatchEntry, room);
	match->nplayers = n;
	row = palloc_array(Participant, room);
	for (i = 0; i < n; i++)
	{
		match->player[i].before = before + i * model->nstate;
		match->player[i].after = after + i * model->nstate;
		match->player[i].games = 0;
		row[i] = participant_default;
		row[i].player = i;
		row[i].team = team[i];
		row[i].rank = rank ? rank[i] : 1;
		if (weight)
			row[i].weight = weight[i];
	}

	/*
	 * match_build() takes rows by team, in an order that is total, so that
	 * sums are the same everywhere; errors name players by their place.
	 */
	qsort(row, n, sizeof(Participant), compare_rows);
	param_defaults(&model->params, defaults);
	status = match_build(&model->rules, params != NULL ? params : defaults, row, n, match,
						 &offender);
	match->interrupt = check_interrupts;
	if (status != MATCH_OK && !(status == MATCH_NO_PLAY_TIME && match->nteams == 2))
	{
		const Participant *whose = offender >= 0 ? &row[offender] : NULL;

		report_match_status(status, match_status_value(status, whose, match),
							whose ? psprintf("%d", whose->player + 1) : NULL);
	}
	return match;
}

/*
 * Add the states after, and what else there is of the player's team, as rows of (ordinal, state
 * ..., number) to the result; errors if a state is not sound.
 */
static Datum
return_states_after(FunctionCallInfo fcinfo, const Model *model, const Match *match,
					double (*of_team) (const Match *match, int team))
{
	int			i,
				j;

	for (i = 0; i < match->nplayers; i++)
	{
		const MatchPlayer *player = &match->player[i];
		ResultRow	row = {0};

		if (!model_state_valid(model, player->after))
			report_match_status(MATCH_OVERFLOW, NAN, psprintf("%d", i + 1));
		put_int32(&row, i + 1);
		for (j = 0; j < model->nstate; j++)
			put_number(&row, player->after[j]);
		if (of_team != NULL)
			put_number(&row, of_team(match, player->team));
		add_result_row(fcinfo, &row);
	}
	return (Datum) 0;
}

/* The choice of a parameter in an argument that has its name. */
static int
choice_argument(const Model *model, int index, Datum value)
{
	const ParamSpec *spec = param_spec(&model->params, index);

	return word_index(spec->name, value, spec->choices);
}

/* Parameters, n of them, that are arguments from the given one on; others have their defaults. */
static void
params_from_arguments(FunctionCallInfo fcinfo, const Model *model, int arg, const int *index, int n,
					  ParamValue *params)
{
	int			i;

	param_defaults(&model->params, params);
	for (i = 0; i < n; i++, arg++)
		switch (param_spec(&model->params, index[i])->type)
		{
			case PARAM_NUMBER:
				number_argument(model, params, index[i],
								get_fn_expr_argtype(fcinfo->flinfo, arg) == INT4OID ?
								PG_GETARG_INT32(arg) : PG_GETARG_FLOAT8(arg));
				break;
			case PARAM_CHOICE:
				params[index[i]].choice = choice_argument(model, index[i], PG_GETARG_DATUM(arg));
				break;
			case PARAM_FLAG:
				params[index[i]].flag = PG_GETARG_BOOL(arg);
				break;
			case PARAM_STEPS:
				pg_unreachable();
		}
}

/*
 * ---- TrueSkill ----
 */

/* Checked parameters; those that a function does not have are 0. */
static TrueSkill
trueskill_arguments(double beta, double tau, double draw_probability)
{
	TrueSkill	ts = {.beta = beta,.tau = tau,.draw_probability = draw_probability};

	check_positive("beta", beta);
	check_not_negative("tau", tau);
	if (!(draw_probability >= 0 && draw_probability < 1))
		report_number("draw_probability", "be at least 0 and below 1", draw_probability);
	return ts;
}

/* trueskill_update(team, rank, mu, sigma, weight, beta, tau, draw_probability, ties) */
SQL_FUNCTION(skillrating_trueskill_update)
{
	const Model *model = get_model("trueskill");
	TrueSkill	ts;
	Match	   *match;

	InitMaterializedSRF(fcinfo, MAT_SRF_USE_EXPECTED_DESC);
	if (argument_is_null(fcinfo, 4))
		return (Datum) 0;
	ts = trueskill_arguments(PG_GETARG_FLOAT8(5), PG_GETARG_FLOAT8(6), PG_GETARG_FLOAT8(7));
	ts.ties = (Ties) choice_argument(model, TRUESKILL_TIES, PG_GETARG_DATUM(8));
	match = match_from_arrays(fcinfo, model, NULL, 0, true, true);
	trueskill_update(&ts, match);
	return return_states_after(fcinfo, model, match, NULL);
}

/* trueskill_win_probability(team, mu, sigma, weight, beta, draw_probability) */
SQL_FUNCTION(skillrating_trueskill_win_probability)
{
	TrueSkillTeams *teams;
	TrueSkill	ts;
	Match	   *match;
	double	   *place;
	double	   *work;
	int			team;

	InitMaterializedSRF(fcinfo, MAT_SRF_USE_EXPECTED_DESC);
	if (argument_is_null(fcinfo, 3))
		return (Datum) 0;
	ts = trueskill_arguments(PG_GETARG_FLOAT8(4), 0, PG_GETARG_FLOAT8(5));
	match = match_from_arrays(fcinfo, get_model("trueskill"), NULL, 0, false, true);

	teams = palloc_object(TrueSkillTeams);
	place = palloc_array(double, match->nteams);
	work = palloc_array(double, NORMAL_WORK(match->nteams));
	trueskill_teams(&ts, match, 0, teams);
	for (team = 0; team < match->nteams; team++)
	{
		double		win,
					draw;
		ResultRow	row = {0};

		trueskill_places(&ts, teams, match->nteams, team, &win, &draw, place,
						 work, check_interrupts);
		put_int32(&row, match->team[team].number);
		put_number(&row, check_result(win));
		put_number(&row, draw);
		put_datum(&row, float8_array(place, match->nteams), false);
		add_result_row(fcinfo, &row);
	}
	return (Datum) 0;
}

/* trueskill_quality(team, mu, sigma, weight, beta) */
SQL_FUNCTION(skillrating_trueskill_quality)
{
	TrueSkill	ts;
	Match	   *match;

	if (argument_is_null(fcinfo, 3))
		PG_RETURN_NULL();
	ts = trueskill_arguments(PG_GETARG_FLOAT8(4), 0, 0);
	match = match_from_arrays(fcinfo, get_model("trueskill"), NULL, 0, false, true);
	PG_RETURN_FLOAT8(check_result(trueskill_quality(&ts, match)));
}

/*
 * ---- Weng and Lin ----
 *
 * Teams are sums of members, as in the paper and the libraries.
 */

/*
 * weng_lin_update(variant, team, rank, mu, sigma, weight, beta, kappa, tau,
 *				   span, prevent_sigma_increase, epsilon, weights)
 */
SQL_FUNCTION(skillrating_weng_lin_update)
{
	static const int index[] = {
		WENG_LIN_BETA, WENG_LIN_KAPPA, WENG_LIN_TAU, WENG_LIN_SPAN,
		WENG_LIN_PREVENT_SIGMA_INCREASE, WENG_LIN_EPSILON, WENG_LIN_WEIGHTS
	};
	const Model *model = get_model("weng_lin");
	ParamValue	params[WENG_LIN_NPARAMS];
	Match	   *match;

	InitMaterializedSRF(fcinfo, MAT_SRF_USE_EXPECTED_DESC);
	if (argument_is_null(fcinfo, 5))
		return (Datum) 0;
	params_from_arguments(fcinfo, model, 6, index, lengthof(index), params);
	params[WENG_LIN_VARIANT].choice = choice_argument(model, WENG_LIN_VARIANT, PG_GETARG_DATUM(0));
	params[WENG_LIN_STRENGTH].choice = WENG_LIN_SUM;
	match = match_from_arrays(fcinfo, model, params, 1, true, true);
	weng_lin_update(params, match);
	return return_states_after(fcinfo, model, match, NULL);
}

/* weng_lin_win_probability(team, mu, sigma, beta, curve, variant, epsilon) */
SQL_FUNCTION(skillrating_weng_lin_win_probability)
{
	static const int index[] = {WENG_LIN_VARIANT, WENG_LIN_EPSILON};
	const Model *model = get_model("weng_lin");
	ParamValue	params[WENG_LIN_NPARAMS];
	MatchStatus status;
	Match	   *match;
	double	   *win;
	int			i;

	InitMaterializedSRF(fcinfo, MAT_SRF_USE_EXPECTED_DESC);
	params_from_arguments(fcinfo, model, 5, index, lengthof(index), params);
	number_argument(model, params, WENG_LIN_BETA, PG_GETARG_FLOAT8(3));
	params[WENG_LIN_STRENGTH].choice = WENG_LIN_SUM;
	params[WENG_LIN_TAU].number = 0;
	match = match_from_arrays(fcinfo, model, params, 0, false, false);
	win = palloc_array(double, match->nteams);
	weng_lin_pairwise_win(match, params[WENG_LIN_BETA].number,
						  is_logistic(PG_GETARG_DATUM(4)), win);
	status = model_predict(model, params, match);
	if (status != MATCH_OK)
		report_match_status(status, NAN, NULL);
	for (i = 0; i < match->nteams; i++)
	{
		ResultRow	row = {0};

		put_int32(&row, match->team[i].number);
		put_number(&row, check_result(win[i]));
		put_number(&row, match->team[i].win);
		add_result_row(fcinfo, &row);
	}
	return (Datum) 0;
}

/* weng_lin_draw_probability(team, mu, sigma, beta) */
SQL_FUNCTION(skillrating_weng_lin_draw_probability)
{
	float8		beta = check_positive("beta", PG_GETARG_FLOAT8(3));
	Match	   *match = match_from_arrays(fcinfo, get_model("weng_lin"), NULL, 0, false, false);

	PG_RETURN_FLOAT8(check_result(weng_lin_pairwise_draw(match, beta)));
}

/*
 * ---- Elo-MMR ----
 */

/* elo_mmr_update(team, rank, mu, sigma, weight, beta, tau, form, split_ties) */
SQL_FUNCTION(skillrating_elo_mmr_update)
{
	static const int index[] = {ELO_MMR_BETA, ELO_MMR_TAU, ELO_MMR_FORM, ELO_MMR_SPLIT_TIES};
	const Model *model = get_model("elo_mmr");
	ParamValue	params[ELO_MMR_NPARAMS];
	Match	   *match;

	InitMaterializedSRF(fcinfo, MAT_SRF_USE_EXPECTED_DESC);
	if (argument_is_null(fcinfo, 4))
		return (Datum) 0;
	params_from_arguments(fcinfo, model, 5, index, lengthof(index), params);
	match = match_from_arrays(fcinfo, model, params, 0, true, true);
	elo_mmr_update(params, match);
	return return_states_after(fcinfo, model, match, elo_mmr_performance);
}
