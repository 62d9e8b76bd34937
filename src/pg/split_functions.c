/*
 * split_functions.c
 *		Players in a lobby split into two teams and a bench.
 */
#include "lobby.h"

#include "funcapi.h"
#include "miscadmin.h"
#include "utils/tuplestore.h"

#include "math/logistic.h"

SKILLRATING_FUNCTION(skillrating_split_teams);
SKILLRATING_FUNCTION(skillrating_split_all_sizes);

/* Whether it does not matter which team is the first. */
static bool
is_symmetric(const Lobby *lobby)
{
	return lobby->rating[0] == lobby->rating[1] && lobby->log_odds == 0 &&
		lobby->places == NULL && lobby->command[0] == lobby->command[1];
}

/* Split into teams of these numbers, whichever is the larger one. */
static SplitStatus
split_either_way(const Lobby *lobby, SplitSize size, SplitProblem *problem,
				 Split *split)
{
	SplitStatus status = split_one_size(lobby, size, problem, split);
	SplitSize	other = {{size.count[1], size.count[0]}};
	Split		mirror;

	if (size.count[0] == size.count[1] || is_symmetric(lobby) ||
		split_one_size(lobby, other, problem, &mirror) != SPLIT_OK ||
		!mirror.answer.found ||
		(status == SPLIT_OK && split->answer.found &&
		 fabs(mirror.logit) >= fabs(split->logit)))
		return status;
	*split = mirror;
	return SPLIT_OK;
}

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
static SplitStatus
split_by_priority(Lobby *lobby, SplitSize size, SplitProblem *problem, Split *split)
{
	int			playing = size.count[0] + size.count[1];
	Claim	   *claim = palloc_array(Claim, lobby->n + 1);
	int			n = list_claims(lobby, claim);
	const int  *before = lobby->places;
	int		   *places = palloc_array(int, lobby->n + 1);
	SplitStatus status;
	int			slack;

	for (slack = 0;; slack = 2 * slack + 1)
	{
		double		high = claim[Max(playing - 1 - slack, 0)].priority;
		double		low = claim[Min(playing - 1 + slack, n - 1)].priority;
		int			i;

		for (i = 0; i < lobby->n; i++)
			places[i] = before != NULL ? before[i] : SPLIT_ANYWHERE;
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
		status = split_either_way(lobby, size, problem, split);
		if ((status == SPLIT_OK && split->answer.found) || slack >= n)
			return status;
	}
}

/*
 * split_teams(players, rating, teams, team_size, party, locked, avoid, rating_2,
 * log_odds, strength, scale, command_rating, command_rating_2, command_weight,
 * commander, budget, seed, priority)
 */
Datum
skillrating_split_teams(PG_FUNCTION_ARGS)
{
	static const LobbyArguments arguments = {
		.players = 0,.rating = 1,.party = 4,.locked = 5,.avoid = 6,.rating_2 = 7,
		.log_odds = 8,.strength = 9,.scale = 10,.command_rating = 11,
		.command_rating_2 = 12,.command_weight = 13,.commander = 14,.budget = 15,
		.seed = 16,.priority = 17
	};
	ReturnSetInfo *rsinfo = (ReturnSetInfo *) fcinfo->resultinfo;
	Lobby		lobby;
	SplitProblem problem;
	SplitStatus status;
	SplitSize	size;
	Split		split;
	int			playing;
	int			i;

	InitMaterializedSRF(fcinfo, 0);
	if (!read_lobby(fcinfo, &arguments, &lobby))
		return (Datum) 0;
	if (given(fcinfo, 2) && PG_GETARG_INT32(2) != 2)
		ereport(ERROR,
				(errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
				 errmsg("teams must be 2, not %d", PG_GETARG_INT32(2))));
	playing = lobby.n - lobby.benched;
	size.count[0] = (playing + 1) / 2;
	size.count[1] = playing / 2;
	if (given(fcinfo, 3))
	{
		int			team_size = PG_GETARG_INT32(3);

		if (team_size < 1 || team_size > playing / 2)
			ereport(ERROR,
					(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
					 errmsg("team_size must be at least 1 and at most %d, not %d",
							playing / 2, team_size),
					 errdetail("There are %d players who are not locked to the bench.",
							   playing)));
		size.count[0] = size.count[1] = team_size;
	}
	else if (playing < 2)
	{
		if (lobby.n == 0)
			return (Datum) 0;
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("there must be at least two players who are not locked to the bench")));
	}
	if (lobby.priority != NULL && given(fcinfo, 3))
		status = split_by_priority(&lobby, size, &problem, &split);
	else
		status = split_either_way(&lobby, size, &problem, &split);
	problem.size = &size;
	if (status != SPLIT_OK || !split.answer.found)
		report_no_split(&lobby, &problem, status);
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
		values[3] = Float8GetDatum(logistic(split.logit));
		values[4] = BoolGetDatum(split.bound == 0);
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
		.players = 0,.rating = 1,.party = 2,.locked = 3,.avoid = 4,.rating_2 = 5,
		.log_odds = 6,.strength = 7,.scale = 8,.command_rating = -1,
		.command_rating_2 = -1,.command_weight = -1,.commander = -1,.budget = 9,
		.seed = 10,.priority = -1
	};
	ReturnSetInfo *rsinfo = (ReturnSetInfo *) fcinfo->resultinfo;
	Lobby		lobby;
	SplitProblem problem;
	SplitStatus status;
	SplitSize  *size;
	SplitAnswer *answer;
	double	   *target;
	LobbyScale *scale;
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

		size[s] = (SplitSize) {{k, k}};
		scale[s] = lobby_scale(&lobby, size[s]);
		target[s] = -lobby.log_odds * lobby.scale * scale[s].factor;
		answer[s].team = palloc_array(int, lobby.n);
	}
	problem.size = size;
	problem.nsizes = nsizes;
	problem.target = target;
	problem.value[0] = lobby.rating[0];
	problem.value[1] = lobby.rating[1];
	status = solve_problem(&problem, answer);
	if (status != SPLIT_OK)
		report_no_split(&lobby, &problem, status);
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
