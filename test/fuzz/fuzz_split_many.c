/*
 * fuzz_split_many.c
 *		Splits lobbies made of arbitrary bytes into more than two teams.
 *
 * Whatever the bytes, a split keeps the ties and is what it says; one that is proven is
 * no worse than any there is, and where there is said to be none there is none.
 */
#include "../constraints.h"
#include "bytes.h"
#include "targets.h"

#define MAX_PLAYERS	7
#define MAX_TEAMS	4
#define MAX_PAIRS	5

typedef struct Lobby
{
	SplitManyProblem problem;
	double		value[MAX_PLAYERS];
	int			party[MAX_PLAYERS];
	int			allowed_teams[MAX_PLAYERS];
	SplitPair	apart[MAX_PAIRS];
	double		largest;
} Lobby;

static void
next_lobby(Bytes *bytes, Lobby *lobby)
{
	SplitManyProblem *p = &lobby->problem;
	bool		sums;
	int			playing;
	int			i;

	p->nteams = 2 + next_below(bytes, MAX_TEAMS - 1);
	p->n = p->nteams + next_below(bytes, MAX_PLAYERS - p->nteams + 1);
	playing = next_below(bytes, 2) ? p->n : p->n / p->nteams * p->nteams;
	sums = next_below(bytes, 2);
	for (i = 0; i < p->nteams; i++)
	{
		p->size[i] = playing / p->nteams + (i < playing % p->nteams);
		p->factor[i] = sums ? 1 : 1.0 / p->size[i];
	}
	p->share = sums ? 1.0 / p->nteams : 1.0 / playing;
	p->objective = next_below(bytes, 2) ? SPLIT_RANGE : SPLIT_SQUARES;
	p->max_work = pow(10, 3 + next_below(bytes, 5));
	for (i = 0; i < p->n; i++)
	{
		double		number = next_number(bytes);

		lobby->value[i] = fabs(number) <= MAX_POINTS ? number : 1000;
		lobby->largest = fmax(lobby->largest, fabs(lobby->value[i]));
		lobby->party[i] = next_below(bytes, 8) / 2;
		lobby->allowed_teams[i] = next_below(bytes, 3) ? SPLIT_ANYWHERE(p->nteams) :
			1 + next_below(bytes, SPLIT_ANYWHERE(p->nteams));
	}
	p->value = lobby->value;
	p->party = next_below(bytes, 2) ? lobby->party : NULL;
	p->allowed_teams = next_below(bytes, 2) ? lobby->allowed_teams : NULL;
	p->apart = lobby->apart;
	for (i = next_below(bytes, MAX_PAIRS + 1); i > 0; i--)
	{
		SplitPair	pair = {next_below(bytes, p->n), next_below(bytes, p->n)};

		if (pair.a != pair.b)
			lobby->apart[p->napart++] = pair;
	}
}

void
fuzz_split_many(const uint8_t *data, size_t size)
{
	Bytes		bytes = {data, size};
	Lobby	   *lobby = calloc(1, sizeof(Lobby));
	const SplitManyProblem *p = &lobby->problem;
	int			team[MAX_PLAYERS];
	double		left;
	double		best = INFINITY;
	double		noise;
	SplitProof	proof;
	void	   *room;
	int			other[MAX_PLAYERS];

	next_lobby(&bytes, lobby);
	room = malloc(split_many_room(p));
	proof = split_many(p, room, team, &left);
	free(room);
	if (proof != SPLIT_FOUND)
		best = least_objective(p, other);
	noise = 1e-6 * lobby->largest * p->n;
	if (p->objective == SPLIT_SQUARES)
	{
		best = sqrt(best);
		left = sqrt(left);
	}
	CHECK(proof != SPLIT_IMPOSSIBLE || best == INFINITY);
	if (proof >= SPLIT_FOUND)
	{
		double		objective = many_objective(p, team);

		if (p->objective == SPLIT_SQUARES)
			objective = sqrt(objective);
		CHECK(keeps_many_constraints(p, team));
		CHECK(fabs(objective - left) <= noise);
		CHECK(proof != SPLIT_PROVEN || objective <= best + noise);
	}
	free(lobby);
}
