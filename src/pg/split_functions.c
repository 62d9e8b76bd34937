/*
 * split_functions.c
 *		Players in a lobby split into teams and a bench.
 */
#include "lobby.h"

#include "funcapi.h"
#include "miscadmin.h"
#include "utils/builtins.h"
#include "utils/tuplestore.h"

#include "explain.h"
#include "math/logistic.h"
#include "team_match.h"

/* A model's even difference is bracketed, and then found by halves. */
#define MOST_DOUBLINGS 60
#define MOST_HALVINGS 60

/* Splits are found again for another even difference, if it differs by this share. */
#define MOST_AIMS 8
#define AIM_NOISE 1e-9

SKILLRATING_FUNCTION(skillrating_split_teams);
SKILLRATING_FUNCTION(skillrating_split_all_sizes);

/* A player's place in the order of priorities. */
typedef struct Claim
{
	double		priority;
	int			player;
} Claim;

static int
compare_claims(const void *a, const void *b, void *arg)
{
	const Claim *x = (const Claim *) a;
	const Claim *y = (const Claim *) b;

	(void) arg;
	if (x->priority != y->priority)
		return x->priority > y->priority ? -1 : 1;
	return (x->player > y->player) - (x->player < y->player);
}

/* Who may sit out, highest priority first; a party comes with its first. */
static int
list_claims(const Lobby *lobby, Claim *claim)
{
	int			n = 0;
	int			i,
				j;

	for (i = 0; i < lobby->n; i++)
	{
		if (lobby->places != NULL && lobby->places[i] == SPLIT_MAY(SPLIT_BENCH))
			continue;
		claim[n] = (Claim) {lobby->priority[i], i};
		for (j = 0; j < lobby->n && lobby->party != NULL && lobby->party[i] != 0; j++)
			if (lobby->party[j] == lobby->party[i])
				claim[n].priority = Max(claim[n].priority, lobby->priority[j]);
		n++;
	}
	qsort_interruptible(claim, n, sizeof(Claim), compare_claims, NULL);
	return n;
}

/*
 * The same, where those with the highest priority play.  Only those whose priority is
 * just what it takes may do either; if no split allows for that, those next to them,
 * and so on.
 */
static void
split_by_priority(Lobby *lobby, const SplitRequest *request, Split *split)
{
	int			playing = lobby->nteams * request->size[0];
	Claim	   *claim = palloc_array(Claim, lobby->n + 1);
	int			n = list_claims(lobby, claim);
	const int  *before = lobby->locks;
	int		   *places = palloc_array(int, lobby->n + 1);
	int			slack;

	for (slack = 0;; slack = 2 * slack + 1)
	{
		double		high = claim[Max(playing - 1 - slack, 0)].priority;
		double		low = claim[Min(playing - 1 + slack, n - 1)].priority;
		int			i;

		for (i = 0; i < lobby->n; i++)
			places[i] = before != NULL ? before[i] : SPLIT_ANYWHERE(lobby->nteams);
		for (i = 0; i < n; i++)
		{
			int			player = claim[i].player;
			int			only = claim[i].priority > high ? ~SPLIT_MAY(SPLIT_BENCH) :
				claim[i].priority < low ? SPLIT_MAY(SPLIT_BENCH) : ~0;

			/* Locks are stronger. */
			if ((places[player] & only) != 0)
				places[player] &= only;
		}
		lobby->places = places;
		split_lobby(lobby, request, split);
		if (split->answer.found || slack >= n)
			return;
	}
}

static const char *const objectives[] = {"squares", "range"};
static const char *const secondaries[] = {"none", "spread", "best"};

/*
 * The numbers of teams of a size, or with none of all who are not locked to the bench;
 * false if there is nobody at all.
 */
static bool
make_request(const Lobby *lobby, int team_size, SplitRequest *request)
{
	int			playing = lobby->n - lobby->benched;
	int			i;

	if (team_size > 0 || playing >= lobby->nteams)
	{
		for (i = 0; i < lobby->nteams; i++)
			request->size[i] = team_size > 0 ? team_size :
				playing / lobby->nteams + (i < playing % lobby->nteams ? 1 : 0);
		return true;
	}
	if (lobby->n == 0)
		return false;
	ereport(ERROR,
			(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
			 errmsg("there must be at least %d players who are not locked to the bench",
					lobby->nteams)));
}

/* The team size of an argument, 0 for null. */
static int
get_team_size(FunctionCallInfo fcinfo, int arg, const Lobby *lobby)
{
	int			playing = lobby->n - lobby->benched;
	int			team_size;

	if (!given(fcinfo, arg))
		return 0;
	team_size = PG_GETARG_INT32(arg);
	if (team_size < 1 || team_size > playing / lobby->nteams)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("team_size must be at least 1 and at most %d, not %d",
						playing / lobby->nteams, team_size),
				 errdetail("There are %d players who are not locked to the bench.",
						   playing)));
	return team_size;
}

/* A model that is to say what teams are, and where they stand among the arguments. */
enum
{
	ARG_TEAM_SIZE = 3,
	ARG_OBJECTIVE = 18,
	ARG_CURRENT,
	ARG_SECONDARY,
	ARG_TOLERANCE,
	ARG_MODEL,
	ARG_PARAMS,
	ARG_DEVIATION,
	ARG_EXPLAIN
};

/* Everybody's state under a model; what a team is to it is how the lobby is split. */
static void
read_model(FunctionCallInfo fcinfo, Lobby *lobby, TeamMatch *team_match)
{
	const Model *model = get_model(text_to_cstring(PG_GETARG_TEXT_PP(ARG_MODEL)));
	ParamValue *params = get_params(model, given(fcinfo, ARG_PARAMS) ?
									PG_GETARG_JSONB_P(ARG_PARAMS) : NULL);
	int			deviation_column = model_state_column(model, ROLE_DEVIATION);
	int			side_column = model_state_column(model, ROLE_SIDE);
	int			command_column = model_state_column(model, ROLE_COMMAND);
	const double *deviation = NULL;
	int			i;

	if (lobby->nteams > 2 && (model->inputs & MODEL_MANY_TEAMS) == 0)
		report_match_status(MATCH_TOO_MANY_TEAMS_FOR_MODEL, lobby->nteams, NULL);
	if (given(fcinfo, ARG_DEVIATION))
	{
		if (deviation_column < 0)
			report_no_column(model, "deviation");
		deviation = lobby_numbers(fcinfo, ARG_DEVIATION, "deviation", lobby);
	}
	if (lobby->rating[0] != lobby->rating[1] && side_column < 0)
		report_no_column(model, "rating_2");
	if (lobby->command[0] != NULL && command_column < 0)
		report_no_column(model, "command_rating");
	if (lobby->command[0] != lobby->command[1])
		report_no_column(model, "command_rating_2");
	team_match_init(team_match, model, params, lobby->n, lobby->n);
	for (i = 0; i < lobby->n; i++)
	{
		double	   *state = team_match_state(team_match, i);

		state[0] = (lobby->rating[0][i] + lobby->rating[1][i]) / 2;
		if (side_column >= 0)
			state[side_column] = (lobby->rating[0][i] - lobby->rating[1][i]) / 2;
		if (lobby->command[0] != NULL)
			state[command_column] = lobby->command[0][i];
		if (deviation != NULL)
			state[deviation_column] = deviation[i];
		if (!model_state_valid(model, state))
			report_match_status(MATCH_BAD_STATE,
								state[deviation != NULL ? deviation_column : 0],
								id_text(&lobby->type, lobby->player[i]));
	}
	lobby->strength = model_team_strength(model, params);
	lobby->scale = model_log_odds_unit(model, params);

	/* That is of a duel, in which either has a half of the share. */
	if (lobby->strength == TEAM_STRENGTH_SHARE)
		lobby->scale /= 2;
	check_positive("scale", lobby->scale);
	lobby->wanted = -lobby->log_odds * lobby->scale;
}

/* What the model says of a split, with so much added to every player of the first team. */
static void
predict(const Lobby *lobby, TeamMatch *team_match, const Split *split, double ahead,
		double *probability)
{
	int		   *player = palloc_array(int, lobby->n + 1);
	int		   *team = palloc_array(int, lobby->n + 1);
	int			n = 0;
	int			i;

	for (i = 0; i < lobby->n; i++)
	{
		if (split->answer.team[i] == SPLIT_BENCH)
			continue;
		if (split->answer.team[i] == 1)
			team_match_state(team_match, i)[0] += ahead;
		player[n] = i;
		team[n++] = split->answer.team[i];
	}
	team_match_predict(team_match, player, team, n, lobby->nteams,
					   lobby->rating[0] != lobby->rating[1], split->answer.commander,
					   lobby->log_odds);
	for (i = 0; i < lobby->n; i++)
		if (split->answer.team[i] == 1)
			team_match_state(team_match, i)[0] -= ahead;
	for (i = 0; i < lobby->nteams; i++)
		probability[i] = team_match->match.team[i].win;
	pfree(player);
	pfree(team);
}

/* The difference of strengths at which the model finds a split even. */
static double
even_difference(const Lobby *lobby, TeamMatch *team_match, const Split *split)
{
	double		probability[SPLIT_MAX_TEAMS];
	double		step = lobby->scale * (1 + fabs(lobby->log_odds));
	double		low = 0;
	double		high = 0;
	int			size[SPLIT_MAX_TEAMS + 1] = {0};
	int			i;

	predict(lobby, team_match, split, 0, probability);
	if (probability[0] == 0.5)
		return split->difference;
	for (i = 0; i < MOST_DOUBLINGS; i++, step *= 2)
	{
		double		ahead = probability[0] > 0.5 ? -step : step;
		double		there[SPLIT_MAX_TEAMS];

		predict(lobby, team_match, split, ahead, there);
		low = Min(low, ahead);
		high = Max(high, ahead);
		if ((there[0] > 0.5) != (probability[0] > 0.5))
			break;
	}
	for (i = 0; i < MOST_HALVINGS; i++)
	{
		double		ahead = (low + high) / 2;

		check_interrupts();
		predict(lobby, team_match, split, ahead, probability);
		if (probability[0] > 0.5)
			high = ahead;
		else
			low = ahead;
	}
	for (i = 0; i < lobby->n; i++)
		if (split->answer.commander[0] != i && split->answer.commander[1] != i)
			size[split->answer.team[i]]++;
	switch (lobby->strength)
	{
		case TEAM_STRENGTH_MEAN:
			break;
		case TEAM_STRENGTH_SUM:
			low *= size[1];
			break;
		case TEAM_STRENGTH_SHARE:
			low *= (double) size[1] / Max(size[1] + size[2], 1);
			break;
	}
	return split->difference + low;
}

/* Split by priority, if that decides anything. */
static void
split_request(Lobby *lobby, const SplitRequest *request, Split *split)
{
	if (lobby->priority != NULL)
		split_by_priority(lobby, request, split);
	else
		split_lobby(lobby, request, split);
}

/*
 * The same for two teams of these sizes in this order, as the model has it.  What it
 * takes for even may be another difference in another split, so that is aimed at
 * until the split is the same.  The probability is that of the first team.
 */
static void
aim_by_model(Lobby *lobby, TeamMatch *team_match, const SplitRequest *request,
			 Split *split, double *probability)
{
	double		found[SPLIT_MAX_TEAMS];
	Split		other;
	int			again;

	split_request(lobby, request, split);
	if (!split->answer.found)
		return;
	predict(lobby, team_match, split, 0, probability);
	other = *split;
	for (again = 0; again < MOST_AIMS; again++)
	{
		double		even = even_difference(lobby, team_match, &other);

		if (fabs(even - lobby->wanted) <= AIM_NOISE * (lobby->scale + fabs(even)))
			break;
		lobby->wanted = even;
		split_request(lobby, request, &other);
		predict(lobby, team_match, &other, 0, found);
		if (fabs(found[0] - 0.5) < fabs(probability[0] - 0.5))
		{
			*split = other;
			probability[0] = found[0];
		}
	}

	/* With others on the bench it may be yet another difference. */
	if (lobby->log_odds != 0 &&
		request->size[0] + request->size[1] < lobby->n - lobby->benched)
		split->unproven = true;
}

/* The same for any teams, of two whichever is the larger one. */
static void
split_by_model(Lobby *lobby, TeamMatch *team_match, const SplitRequest *request,
			   Split *split, double *probability)
{
	SplitRequest ordered = *request;
	double		wanted = lobby->wanted;
	double		found[SPLIT_MAX_TEAMS];
	Split		other;

	if (lobby->nteams > 2)
	{
		split_request(lobby, request, split);
		if (split->answer.found)
			predict(lobby, team_match, split, 0, probability);
		return;
	}
	ordered.in_order = true;
	aim_by_model(lobby, team_match, &ordered, split, probability);
	if (request->size[0] == request->size[1])
		return;
	ordered.size[0] = request->size[1];
	ordered.size[1] = request->size[0];
	lobby->wanted = wanted;
	aim_by_model(lobby, team_match, &ordered, &other, found);
	if (other.answer.found &&
		(!split->answer.found || fabs(found[0] - 0.5) < fabs(probability[0] - 0.5)))
	{
		*split = other;
		probability[0] = found[0];
	}
}

/*
 * The probability of each team to win, without a model: of two by their log-odds, of
 * more as Plackett and Luce have it (R. D. Luce, "Individual choice behavior", 1959).
 */
static void
win_probabilities(const Lobby *lobby, const Split *split, double *probability)
{
	double		strength[SPLIT_MAX_TEAMS];
	double		strongest = -INFINITY;
	double		sum = 0;
	int			i;

	if (lobby->nteams == 2)
	{
		probability[0] = logistic(split->logit);
		return;
	}
	team_strengths(lobby, &split->answer, strength);
	for (i = 0; i < lobby->nteams; i++)
		strongest = Max(strongest, strength[i]);
	for (i = 0; i < lobby->nteams; i++)
	{
		probability[i] = exp((strength[i] - strongest) / lobby->scale);
		sum += probability[i];
	}
	for (i = 0; i < lobby->nteams; i++)
		probability[i] /= sum;
}

/*
 * split_teams(players, rating, teams, team_size, party, locked, avoid, rating_2,
 * log_odds, strength, scale, command_rating, command_rating_2, command_weight,
 * commander, budget, seed, priority, objective, current, secondary, tolerance,
 * model, params, deviation, explain)
 */
Datum
skillrating_split_teams(PG_FUNCTION_ARGS)
{
	static const LobbyArguments arguments = {
		.rating = 1,.teams = 2,.party = 4,.locked = 5,.avoid = 6,.rating_2 = 7,
		.log_odds = 8,.strength = 9,.scale = 10,.command_rating = 11,
		.command_rating_2 = 12,.command_weight = 13,.commander = 14,.budget = 15,
		.seed = 16,.priority = 17,.current = ARG_CURRENT
	};
	ReturnSetInfo *rsinfo = (ReturnSetInfo *) fcinfo->resultinfo;
	Lobby		lobby;
	SplitRequest request = {.objective = SPLIT_SQUARES};
	Split		split;
	TeamMatch	team_match;
	double		probability[SPLIT_MAX_TEAMS];
	int			team_size;
	int			i;

	InitMaterializedSRF(fcinfo, 0);
	if (!read_lobby(fcinfo, &arguments, &lobby))
		return (Datum) 0;
	request.objective = (SplitObjective)
		name_argument(fcinfo, ARG_OBJECTIVE, "objective", objectives,
					  lengthof(objectives), SPLIT_SQUARES,
					  "Objectives are \"squares\" of what teams are off their mean, and \"range\" between the strongest and the weakest.");
	request.secondary = (Secondary)
		name_argument(fcinfo, ARG_SECONDARY, "secondary objective", secondaries,
					  lengthof(secondaries), SECONDARY_NONE,
					  "Secondary objectives are the \"spread\" within teams, their \"best\" players, and \"none\".");
	if (request.secondary != SECONDARY_NONE && lobby.nteams > 2)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("secondary is for two teams only, not for %d", lobby.nteams)));
	if (given(fcinfo, ARG_TOLERANCE))
		request.tolerance = check_not_negative("tolerance", PG_GETARG_FLOAT8(ARG_TOLERANCE));
	team_size = get_team_size(fcinfo, ARG_TEAM_SIZE, &lobby);
	if (!make_request(&lobby, team_size, &request))
		return (Datum) 0;
	if (team_size == 0)
		lobby.priority = NULL;
	if (given(fcinfo, ARG_MODEL))
	{
		read_model(fcinfo, &lobby, &team_match);
		split_by_model(&lobby, &team_match, &request, &split, probability);
	}
	else
	{
		split_request(&lobby, &request, &split);
		if (split.answer.found)
			win_probabilities(&lobby, &split, probability);
	}
	if (!split.answer.found)
		report_no_split(&lobby, &request, &split);
	for (i = 0; i < lobby.n; i++)
	{
		Datum		values[8];
		bool		nulls[8] = {false};
		int			place = lobby.place[i];
		int			team = split.answer.team[place];

		values[0] = lobby.player[place];
		values[1] = Int32GetDatum(team);
		nulls[1] = team == SPLIT_BENCH;
		values[2] = Float8GetDatum(split.difference);

		/* Of two teams it is always that of the first. */
		nulls[3] = lobby.nteams > 2 && team == SPLIT_BENCH;
		values[3] = Float8GetDatum(nulls[3] ? 0 :
								   probability[lobby.nteams > 2 ? team - 1 : 0]);
		values[4] = BoolGetDatum(split.bound == 0 && !split.unproven);
		values[5] = Float8GetDatum(split.bound);
		values[6] = BoolGetDatum(split.answer.commander[0] == place ||
								 split.answer.commander[1] == place);
		nulls[6] = lobby.command[0] == NULL;
		nulls[7] = i > 0 || !wants_why(fcinfo, ARG_EXPLAIN);
		if (!nulls[7])
			values[7] = why_split(&lobby, &request, &split);
		tuplestore_putvalues(rsinfo->setResult, rsinfo->setDesc, values, nulls);
	}
	return (Datum) 0;
}

/*
 * split_all_sizes(players, rating, party, locked, avoid, rating_2, log_odds, strength,
 * scale, budget, seed, explain)
 */
Datum
skillrating_split_all_sizes(PG_FUNCTION_ARGS)
{
	static const LobbyArguments arguments = {
		.rating = 1,.party = 2,.locked = 3,.avoid = 4,.rating_2 = 5,.log_odds = 6,
		.strength = 7,.scale = 8,.budget = 9,.seed = 10
	};
	ReturnSetInfo *rsinfo = (ReturnSetInfo *) fcinfo->resultinfo;
	Lobby		lobby;
	SplitProblem problem;
	SplitSize  *size;
	SplitAnswer *answer;
	double	   *target;
	LobbyScale *scale;
	Split		failed;
	int			nsizes;
	int			s,
				i;

	InitMaterializedSRF(fcinfo, 0);
	if (!read_lobby(fcinfo, &arguments, &lobby))
		return (Datum) 0;
	nsizes = Max((lobby.n - lobby.benched) / 2 - 1, 0);
	if (nsizes == 0)
		return (Datum) 0;
	begin_problem(&lobby, &problem);
	size = palloc_array(SplitSize, nsizes);
	target = palloc_array(double, nsizes);
	scale = palloc_array(LobbyScale, nsizes);
	answer = palloc0_array(SplitAnswer, nsizes);
	for (s = 0; s < nsizes; s++)
	{
		int			k = s + 2;

		size[s] = (SplitSize) {.count = {k, k}};
		scale[s] = lobby_scale(&lobby, size[s]);
		target[s] = lobby_target(&lobby, &scale[s]);
		answer[s].team = palloc_array(int, lobby.n);
	}
	problem.size = size;
	problem.nsizes = nsizes;
	problem.target = target;
	problem.value[0] = lobby.rating[0];
	problem.value[1] = lobby.rating[1];
	failed.status = solve_problem(&problem, answer);
	failed.problem = problem;
	if (failed.status != SPLIT_OK)
		report_no_split(&lobby, &(SplitRequest) {.size = {2, 2}}, &failed);
	for (s = 0; s < nsizes; s++)
	{
		Split		split = {.answer = answer[s]};

		describe_split(&lobby, &scale[s], target[s], &split);
		for (i = 0; i < lobby.n && split.answer.found; i++)
		{
			Datum		values[8];
			bool		nulls[8] = {false};
			int			place = lobby.place[i];

			values[0] = Int32GetDatum(s + 2);
			values[1] = lobby.player[place];
			values[2] = Int32GetDatum(split.answer.team[place]);
			nulls[2] = split.answer.team[place] == SPLIT_BENCH;
			values[3] = Float8GetDatum(split.difference);
			values[4] = BoolGetDatum(split.bound == 0);
			values[5] = Float8GetDatum(split.bound);
			values[6] = Float8GetDatum(logistic(split.logit));
			nulls[7] = i > 0 || !wants_why(fcinfo, 11);
			if (!nulls[7])
				values[7] = why_split(&lobby, &(SplitRequest) {.size = {s + 2, s + 2}},
									  &split);
			tuplestore_putvalues(rsinfo->setResult, rsinfo->setDesc, values, nulls);
		}
	}
	return (Datum) 0;
}
