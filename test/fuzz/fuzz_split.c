/*
 * fuzz_split.c
 *		Splits lobbies made of arbitrary bytes.
 *
 * Whatever the bytes, a lobby is refused with a status, or every answer keeps the
 * ties and is as good as it says: both methods agree, but for their bounds.
 */
#include "core/split/split.h"
#include "core/split/split_internal.h"

#include "../constraints.h"
#include "bytes.h"
#include "targets.h"

#define MAX_PLAYERS	12
#define MAX_SIZES	6
#define MAX_PAIRS	8

typedef struct Lobby
{
	SplitProblem problem;
	double		value[2][MAX_PLAYERS];
	double		command_value[2][MAX_PLAYERS];
	int			party[MAX_PLAYERS];
	int			allowed_teams[MAX_PLAYERS];
	bool		commander[MAX_PLAYERS];
	int			current[MAX_PLAYERS];
	int			evenly[MAX_PLAYERS];
	int			home[MAX_PLAYERS];
	SplitPair	apart[MAX_PAIRS];
	SplitSize	size[MAX_SIZES];
	double		target[MAX_SIZES];
	int			member[MAX_PLAYERS];
	int			root[MAX_PLAYERS];
	int			order[MAX_PLAYERS];
	SplitGroup	group[MAX_PLAYERS];
	double		largest;		/* of all values */
} Lobby;

static double
next_points(Bytes *bytes, Lobby *lobby)
{
	double		number = next_number(bytes);

	if (!(fabs(number) <= MAX_POINTS))
		number = 1000;
	lobby->largest = fmax(lobby->largest, fabs(number));
	return number;
}

static void
next_lobby(Bytes *bytes, Lobby *lobby)
{
	SplitProblem *p = &lobby->problem;
	bool		whole = next_below(bytes, 2);
	int			i,
				j;

	p->n = 1 + next_below(bytes, MAX_PLAYERS);
	for (i = 0; i < p->n; i++)
	{
		for (j = 0; j < 2; j++)
		{
			lobby->value[j][i] = next_points(bytes, lobby);
			lobby->command_value[j][i] = next_points(bytes, lobby);
			if (whole)
				lobby->value[j][i] = round(lobby->value[j][i]);
		}
		lobby->party[i] = next_below(bytes, 8) / 2;
		lobby->allowed_teams[i] = next_below(bytes, 3) ? SPLIT_ANYWHERE(2) :
			next_below(bytes, SPLIT_ANYWHERE(2) + 1);
		lobby->commander[i] = next_below(bytes, 2);
		lobby->current[i] = SPLIT_NOWHERE + next_below(bytes, 4);
	}
	for (j = 0; j < 2; j++)
	{
		p->value[j] = lobby->value[j];
		p->command_value[j] = lobby->command_value[j];
	}
	if (next_below(bytes, 2))
		p->command_value[0] = p->command_value[1] = NULL;
	p->party = next_below(bytes, 2) ? lobby->party : NULL;
	p->allowed_teams = next_below(bytes, 2) ? lobby->allowed_teams : NULL;
	p->commander = next_below(bytes, 2) ? lobby->commander : NULL;
	p->current = next_below(bytes, 2) ? lobby->current : NULL;
	p->apart = lobby->apart;
	for (i = next_below(bytes, MAX_PAIRS + 1); i > 0; i--)
	{
		SplitPair	pair = {next_below(bytes, p->n), next_below(bytes, p->n)};

		if (pair.a != pair.b)
			lobby->apart[p->napart++] = pair;
	}
	p->size = lobby->size;
	p->target = lobby->target;
	p->nsizes = 1 + next_below(bytes, MAX_SIZES);
	for (i = 0; i < p->nsizes; i++)
	{
		lobby->size[i].count[0] = next_below(bytes, p->n + 1);
		lobby->size[i].count[1] = next_below(bytes, p->n + 1);
		lobby->size[i].moves = p->current != NULL ? next_below(bytes, p->n + 1) : 0;
		lobby->target[i] = next_below(bytes, 2) ? next_points(bytes, lobby) : 0;
	}
	p->max_room = (size_t) 1 << (12 + next_below(bytes, 7));
	p->max_work = pow(10, 3 + next_below(bytes, 4));

	/* Behind all else, so that bytes found before these mean what they meant. */
	p->evenly = next_below(bytes, 2) ? lobby->evenly : NULL;
	p->home = next_below(bytes, 4) == 3 ? lobby->home : NULL;
	for (i = 0; i < p->n; i++)
	{
		lobby->evenly[i] = next_below(bytes, 4);
		lobby->home[i] = 1 + next_below(bytes, 2);
	}

	/* A home is where a player is now, so that sizes are moves already. */
	if (p->home != NULL)
		p->current = NULL;
	for (i = 0; i < p->nsizes && p->home != NULL; i++)
		lobby->size[i].moves = 0;
	p->member = lobby->member;
	p->root = lobby->root;
	p->order = lobby->order;
	p->group = lobby->group;
}

/* An answer keeps all ties, and has the difference that it says. */
static void
check_answer(const Lobby *lobby, int size, const SplitAnswer *answer)
{
	const SplitProblem *p = &lobby->problem;
	double		difference = p->home != NULL ? p->target[size] : -p->target[size];
	int			does[MAX_PLAYERS];
	int			count[3] = {0, 0, 0};
	int			moves = 0;
	int			i;

	for (i = 0; i < p->n; i++)
	{
		int			team = answer->team[i];

		CHECK(team >= (p->home == NULL ? 0 : 1) && team <= 2);

		/* With homes sizes are of those who leave, and parties leave together or not. */
		does[i] = p->home == NULL ? team : team == p->home[i] ? SPLIT_BENCH : p->home[i];
		count[does[i]]++;
		moves += p->current != NULL && p->current[i] != SPLIT_NOWHERE && p->current[i] != team;
		if (team != SPLIT_BENCH)
			difference += (team == 1 ? 1 : -1) *
				(answer->commander[team - 1] == i ? p->command_value : p->value)[team - 1][i];

		/* The target of moves is what they take off the lead. */
		if (p->home != NULL)
			difference -= (p->home[i] == 1 ? 1 : -1) * p->value[p->home[i] - 1][i];
	}
	CHECK(keeps_constraints(p->n, p->party, NULL, NULL, 0, does));
	CHECK(keeps_constraints(p->n, NULL, p->allowed_teams, p->apart, p->napart, answer->team));
	CHECK(divides_evenly(p->n, p->evenly, answer->team));
	CHECK(count[1] == p->size[size].count[0] && count[2] == p->size[size].count[1] &&
		  moves == p->size[size].moves);
	for (i = 0; i < 2; i++)
		CHECK(p->command_value[0] == NULL ? answer->commander[i] == -1 :
			  answer->team[answer->commander[i]] == i + 1 &&
			  (p->commander == NULL || p->commander[answer->commander[i]]));
	CHECK(fabs(difference - answer->difference) <= 1e-12 * p->n * lobby->largest);
	CHECK(answer->bound >= 0 && answer->bound <= fabs(answer->difference));
}

static void
solve(Lobby *lobby, SplitAnswer *answer, int team[][MAX_PLAYERS])
{
	SplitProblem *p = &lobby->problem;
	void	   *room = malloc(p->room + 1);
	int			i;

	for (i = 0; i < p->nsizes; i++)
		answer[i].team = team[i];
	split_solve(p, room, answer);
	free(room);
	for (i = 0; i < p->nsizes; i++)
		if (answer[i].found)
			check_answer(lobby, i, &answer[i]);
}

void
fuzz_split(const uint8_t *data, size_t size)
{
	Bytes		bytes = {data, size};
	Lobby	   *lobby = calloc(1, sizeof(Lobby));
	SplitProblem *p = &lobby->problem;
	SplitAnswer answer[2][MAX_SIZES];
	int			team[2][MAX_SIZES][MAX_PLAYERS];
	SplitStatus status;
	int			i;

	next_lobby(&bytes, lobby);
	status = split_group(p);
	if (status != SPLIT_OK)
	{
		CHECK(p->at_fault >= 0 && p->at_fault < p->ngroups);
		free(lobby);
		return;
	}
	p->option = malloc((p->noptions + 1) * sizeof(SplitOption));
	split_make_options(p);
	split_choose(p);
	solve(lobby, answer[0], team[0]);

	/* The other method finds the same, but for rounding and bounds. */
	p->method = p->method == SPLIT_BY_REACH ? SPLIT_BY_HALVES : SPLIT_BY_REACH;
	p->room = (p->method == SPLIT_BY_HALVES ? split_halves_room(p) : split_reach_room(p)) + 4096;
	if (p->room < (size_t) 1 << 18)
	{
		solve(lobby, answer[1], team[1]);
		for (i = 0; i < p->nsizes; i++)
		{
			double		noise = 1e-8 * (1 + p->n * lobby->largest);

			CHECK(answer[0][i].found == answer[1][i].found);
			if (!answer[0][i].found)
				continue;
			CHECK(fabs(answer[0][i].difference) <=
				  fabs(answer[1][i].difference) + answer[0][i].bound + noise);
			CHECK(fabs(answer[1][i].difference) <=
				  fabs(answer[0][i].difference) + answer[1][i].bound + noise);
		}
	}
	free(p->option);
	free(lobby);
}
