/*
 * split_functions.c
 *		Players in a lobby split into teams and a bench.
 */
#include "lobby.h"

#include "funcapi.h"
#include "miscadmin.h"
#include "utils/builtins.h"
#include "utils/tuplestore.h"

#include "math/logistic.h"

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
	const int  *before = lobby->places;
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
static const char *const secondaries[] = {"spread", "best"};

/* The objective by its name. */
static SplitObjective
get_objective(const char *name)
{
	int			i;

	for (i = 0; i < (int) lengthof(objectives); i++)
		if (strcmp(objectives[i], name) == 0)
			return (SplitObjective) i;
	ereport(ERROR,
			(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
			 errmsg("unknown objective \"%s\"", name),
			 errhint("Objectives are \"squares\" of what teams are off their mean, and \"range\" between the strongest and the weakest.")));
}

/* What else decides, by its name. */
static Secondary
get_secondary(const char *name)
{
	int			i;

	for (i = 0; i < (int) lengthof(secondaries); i++)
		if (strcmp(secondaries[i], name) == 0)
			return (Secondary) (SECONDARY_NONE + 1 + i);
	ereport(ERROR,
			(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
			 errmsg("unknown secondary objective \"%s\"", name),
			 errhint("Secondary objectives are the \"spread\" within teams, and their \"best\" players.")));
}

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

/*
 * The probability of each team to win: of two by their log-odds, of more as Plackett
 * and Luce have it (R. D. Luce, "Individual choice behavior", 1959).
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
	team_strengths(lobby, split->answer.team, strength);
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
 * commander, budget, seed, priority, objective, current, secondary, tolerance)
 */
Datum
skillrating_split_teams(PG_FUNCTION_ARGS)
{
	static const LobbyArguments arguments = {
		.rating = 1,.teams = 2,.party = 4,.locked = 5,.avoid = 6,.rating_2 = 7,
		.log_odds = 8,.strength = 9,.scale = 10,.command_rating = 11,
		.command_rating_2 = 12,.command_weight = 13,.commander = 14,.budget = 15,
		.seed = 16,.priority = 17,.current = 19
	};
	ReturnSetInfo *rsinfo = (ReturnSetInfo *) fcinfo->resultinfo;
	Lobby		lobby;
	SplitRequest request = {.objective = SPLIT_SQUARES};
	Split		split;
	double		probability[SPLIT_MAX_TEAMS];
	int			team_size;
	int			i;

	InitMaterializedSRF(fcinfo, 0);
	if (!read_lobby(fcinfo, &arguments, &lobby))
		return (Datum) 0;
	if (given(fcinfo, 18))
		request.objective = get_objective(text_to_cstring(PG_GETARG_TEXT_PP(18)));
	if (given(fcinfo, 20))
		request.secondary = get_secondary(text_to_cstring(PG_GETARG_TEXT_PP(20)));
	if (request.secondary != SECONDARY_NONE && lobby.nteams > 2)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("secondary is for two teams only, not for %d", lobby.nteams)));
	if (given(fcinfo, 21))
		request.tolerance = check_not_negative("tolerance", PG_GETARG_FLOAT8(21));
	team_size = get_team_size(fcinfo, 3, &lobby);
	if (!make_request(&lobby, team_size, &request))
		return (Datum) 0;
	if (lobby.priority != NULL && team_size > 0)
		split_by_priority(&lobby, &request, &split);
	else
		split_lobby(&lobby, &request, &split);
	if (!split.answer.found)
		report_no_split(&lobby, &request, &split);
	win_probabilities(&lobby, &split, probability);
	for (i = 0; i < lobby.n; i++)
	{
		Datum		values[7];
		bool		nulls[7] = {false};
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
		tuplestore_putvalues(rsinfo->setResult, rsinfo->setDesc, values, nulls);
	}
	return (Datum) 0;
}

/*
 * split_all_sizes(players, rating, party, locked, avoid, rating_2, log_odds, strength,
 * scale, budget, seed)
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
		target[s] = -lobby.log_odds * lobby.scale * scale[s].factor;
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
			Datum		values[7];
			bool		nulls[7] = {false};
			int			place = lobby.place[i];

			values[0] = Int32GetDatum(s + 2);
			values[1] = lobby.player[place];
			values[2] = Int32GetDatum(split.answer.team[place]);
			nulls[2] = split.answer.team[place] == SPLIT_BENCH;
			values[3] = Float8GetDatum(split.difference);
			values[4] = BoolGetDatum(split.bound == 0);
			values[5] = Float8GetDatum(split.bound);
			values[6] = Float8GetDatum(logistic(split.logit));
			tuplestore_putvalues(rsinfo->setResult, rsinfo->setDesc, values, nulls);
		}
	}
	return (Datum) 0;
}
