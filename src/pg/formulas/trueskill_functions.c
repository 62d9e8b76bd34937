/*
 * trueskill_functions.c
 *		TrueSkill for one match given as arrays.
 */
#include "pg/sql/arrays.h"

#include "funcapi.h"
#include "miscadmin.h"

#include "core/models/trueskill.h"
#include "pg/sql/composite.h"

/* Checked parameters; those that a function does not have are 0. */
static TrueSkill
trueskill_arguments(double beta, double tau, double draw_probability)
{
	TrueSkill	ts = {.beta = beta,.tau = tau,.draw_probability = draw_probability};

	check_positive("beta", beta);
	check_not_negative("tau", tau);
	if (!(draw_probability >= 0 && draw_probability < 1))
		ereport(ERROR,
				(errcode(ERRCODE_NUMERIC_VALUE_OUT_OF_RANGE),
				 errmsg("draw_probability must be at least 0 and below 1, not %g",
						draw_probability)));
	return ts;
}

/* The arguments of trueskill_update(). */
enum
{
	UPDATE_ARG_TEAM,
	UPDATE_ARG_RANK,
	UPDATE_ARG_MU,
	UPDATE_ARG_SIGMA,
	UPDATE_ARG_WEIGHT,
	UPDATE_ARG_BETA,
	UPDATE_ARG_TAU,
	UPDATE_ARG_DRAW_PROBABILITY,
	UPDATE_ARG_TIES
};

/*
 * trueskill_update(team, rank, mu, sigma, weight, beta, tau, draw_probability, ties)
 */
SQL_FUNCTION(skillrating_trueskill_update)
{
	static const MatchArguments arguments = {
		.team = UPDATE_ARG_TEAM,.rank = UPDATE_ARG_RANK,
		.state = UPDATE_ARG_MU,.weight = UPDATE_ARG_WEIGHT
	};
	const Model *model = get_model("trueskill");
	ParamValue	params[TRUESKILL_NPARAMS];
	TrueSkill	ts;
	Match	   *match;

	InitMaterializedSRF(fcinfo, MAT_SRF_USE_EXPECTED_DESC);
	if (argument_is_null(fcinfo, arguments.weight))
		return (Datum) 0;
	ts = trueskill_arguments(PG_GETARG_FLOAT8(UPDATE_ARG_BETA),
							 PG_GETARG_FLOAT8(UPDATE_ARG_TAU),
							 PG_GETARG_FLOAT8(UPDATE_ARG_DRAW_PROBABILITY));
	choice_argument(model, params, TRUESKILL_TIES, PG_GETARG_TEXT_PP(UPDATE_ARG_TIES));
	ts.ties = (Ties) params[TRUESKILL_TIES].choice;
	match = match_from_arrays(fcinfo, model, NULL, &arguments);
	trueskill_update(&ts, match);
	return_states_after(fcinfo, model, match);
	return (Datum) 0;
}

/*
 * trueskill_win_probability(team, mu, sigma, weight, beta, draw_probability)
 */
SQL_FUNCTION(skillrating_trueskill_win_probability)
{
	static const MatchArguments arguments = {
		.team = 0,.rank = -1,.state = 1,.weight = 3
	};
	TrueSkillTeams *teams;
	TrueSkill	ts;
	Match	   *match;
	double	   *place;
	double	   *work;
	int			team;

	InitMaterializedSRF(fcinfo, MAT_SRF_USE_EXPECTED_DESC);
	if (argument_is_null(fcinfo, arguments.weight))
		return (Datum) 0;
	ts = trueskill_arguments(PG_GETARG_FLOAT8(4), 0, PG_GETARG_FLOAT8(5));
	match = match_from_arrays(fcinfo, get_model("trueskill"), NULL, &arguments);

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

/*
 * trueskill_quality(team, mu, sigma, weight, beta)
 */
SQL_FUNCTION(skillrating_trueskill_quality)
{
	static const MatchArguments arguments = {
		.team = 0,.rank = -1,.state = 1,.weight = 3
	};
	TrueSkill	ts;
	double		quality;

	if (argument_is_null(fcinfo, arguments.weight))
		PG_RETURN_NULL();
	ts = trueskill_arguments(PG_GETARG_FLOAT8(4), 0, 0);
	quality = trueskill_quality(&ts, match_from_arrays(fcinfo,
													   get_model("trueskill"),
													   NULL, &arguments));
	PG_RETURN_FLOAT8(check_result(quality));
}
