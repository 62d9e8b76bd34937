/*
 * elo_mmr_functions.c
 *		Elo-MMR for one contest given as arrays.
 */
#include "pg/sql/arrays.h"

#include "funcapi.h"

#include "core/models/elo_mmr.h"
#include "pg/sql/composite.h"

/* The arguments of elo_mmr_update(). */
enum
{
	ARG_TEAM,
	ARG_RANK,
	ARG_MU,
	ARG_SIGMA,
	ARG_WEIGHT,
	ARG_BETA,
	ARG_TAU,
	ARG_FORM,
	ARG_SPLIT_TIES
};

/*
 * elo_mmr_update(team, rank, mu, sigma, weight, beta, tau, form, split_ties)
 */
SQL_FUNCTION(skillrating_elo_mmr_update)
{
	static const MatchArguments arguments = {
		.team = ARG_TEAM,.rank = ARG_RANK,.state = ARG_MU,.weight = ARG_WEIGHT
	};
	const Model *model = get_model("elo_mmr");
	ParamValue	params[ELO_MMR_NPARAMS];
	Match	   *match;
	int			i;

	InitMaterializedSRF(fcinfo, MAT_SRF_USE_EXPECTED_DESC);
	if (argument_is_null(fcinfo, arguments.weight))
		return (Datum) 0;

	param_defaults(&model->params, params);
	number_argument(model, params, ELO_MMR_BETA, PG_GETARG_FLOAT8(ARG_BETA));
	number_argument(model, params, ELO_MMR_TAU, PG_GETARG_FLOAT8(ARG_TAU));
	choice_argument(model, params, ELO_MMR_FORM, PG_GETARG_TEXT_PP(ARG_FORM));
	params[ELO_MMR_SPLIT_TIES].flag = PG_GETARG_BOOL(ARG_SPLIT_TIES);

	match = match_from_arrays(fcinfo, model, params, &arguments);
	elo_mmr_update(params, match);
	for (i = 0; i < match->nplayers; i++)
	{
		const MatchPlayer *player = &match->player[i];
		ResultRow	row = {0};

		if (!model_state_valid(model, player->after))
			report_match_status(MATCH_OVERFLOW, NAN, psprintf("%d", i + 1));
		put_int32(&row, i + 1);
		put_number(&row, player->after[ELO_MMR_MU]);
		put_number(&row, player->after[ELO_MMR_SIGMA]);
		put_number(&row, elo_mmr_performance(match, player->team));
		add_result_row(fcinfo, &row);
	}
	return (Datum) 0;
}
