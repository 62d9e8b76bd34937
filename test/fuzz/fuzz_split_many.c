/*
 * fuzz_split_many.c
 *		Splits lobbies made of arbitrary bytes into more than two teams.
 *
 * Whatever the bytes, a split keeps the ties and is what it says; one that is proven is
 * no worse than any there is, and where there is said to be none there is none.
 */
#include "bytes.h"
#include "split/split_many.h"
#include "targets.h"

#define MAX_PLAYERS	7
#define MAX_TEAMS	4
#define MAX_PAIRS	5

typedef struct Lobby
{
	SplitManyProblem problem;
	double		value[MAX_PLAYERS];
	int			party[MAX_PLAYERS];
	int			places[MAX_PLAYERS];
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
		p->by[i] = sums ? 1 : 1.0 / p->size[i];
	}
	p->share = sums ? 1.0 / p->nteams : 1.0 / playing;
	p->objective = next_below(bytes, 2) ? SPLIT_RANGE : SPLIT_SQUARES;
	p->max_work = pow(10, 3 + next_below(bytes, 5));
	for (i = 0; i < p->n; i++)
	{
		double		number = next_number(bytes);

		lobby->value[i] = fabs(number) <= MOST_POINTS ? number : 1000;
		lobby->largest = fmax(lobby->largest, fabs(lobby->value[i]));
		lobby->party[i] = next_below(bytes, 8) / 2;
		lobby->places[i] = next_below(bytes, 3) ? SPLIT_ANYWHERE(p->nteams) :
			1 + next_below(bytes, SPLIT_ANYWHERE(p->nteams));
	}
	p->value = lobby->value;
	p->party = next_below(bytes, 2) ? lobby->party : NULL;
	p->places = next_below(bytes, 2) ? lobby->places : NULL;
	p->apart = lobby->apart;
	for (i = next_below(bytes, MAX_PAIRS + 1); i > 0; i--)
	{
		SplitPair	pair = {next_below(bytes, p->n), next_below(bytes, p->n)};

		if (pair.a != pair.b)
			lobby->apart[p->napart++] = pair;
	}
}

/* Whether a split keeps all ties. */
static bool
fits(const SplitManyProblem *p, const int *team)
{
	int			count[SPLIT_MAX_TEAMS + 1] = {0};
	int			i,
				j;

	for (i = 0; i < p->n; i++)
	{
		count[team[i]]++;
		if (p->places != NULL && (p->places[i] & SPLIT_MAY(team[i])) == 0)
			return false;
		for (j = 0; j < i && p->party != NULL; j++)
			if (p->party[i] != 0 && p->party[i] == p->party[j] && team[i] != team[j])
				return false;
	}
	for (i = 0; i < p->napart; i++)
		if (team[p->apart[i].a] != SPLIT_BENCH &&
			team[p->apart[i].a] == team[p->apart[i].b])
			return false;
	for (i = 0; i < p->nteams; i++)
		if (count[i + 1] != p->size[i])
			return false;
	return true;
}

static double
objective(const SplitManyProblem *p, const int *team)
{
	double		sum[SPLIT_MAX_TEAMS + 1] = {0};
	double		all = 0;
	double		squares = 0;
	double		low = INFINITY;
	double		high = -INFINITY;
	int			i;

	for (i = 0; i < p->n; i++)
	{
		sum[team[i]] += p->value[i];
		if (team[i] != SPLIT_BENCH)
			all += p->value[i];
	}
	for (i = 0; i < p->nteams; i++)
	{
		double		off = sum[i + 1] * p->by[i] - all * p->share;

		squares += off * off;
		low = fmin(low, sum[i + 1] * p->by[i]);
		high = fmax(high, sum[i + 1] * p->by[i]);
	}
	return p->objective == SPLIT_RANGE ? high - low : sqrt(squares);
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
	long		code,
				ncodes = 1;
	int			i;

	next_lobby(&bytes, lobby);
	room = malloc(split_many_room(p));
	proof = split_many(p, room, team, &left);
	free(room);
	for (i = 0; i < p->n; i++)
		ncodes *= p->nteams + 1;
	for (code = 0; code < ncodes && proof != SPLIT_FOUND; code++)
	{
		long		rest = code;

		for (i = 0; i < p->n; i++, rest /= p->nteams + 1)
			other[i] = (int) (rest % (p->nteams + 1));
		if (fits(p, other))
			best = fmin(best, objective(p, other));
	}
	noise = 1e-6 * lobby->largest * p->n + 1e-9 * best;
	CHECK(proof != SPLIT_IMPOSSIBLE || best == INFINITY);
	if (proof >= SPLIT_FOUND)
	{
		CHECK(fits(p, team));
		CHECK(fabs(objective(p, team) - (p->objective == SPLIT_RANGE ? left : sqrt(left))) <=
			  1e-6 * lobby->largest * p->n);
	}
	CHECK(proof != SPLIT_PROVEN || objective(p, team) <= best + noise);
	free(lobby);
}
