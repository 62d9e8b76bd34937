/*
 * split_many.c
 *		Players split into more than two teams, and a bench, as evenly as can be.
 */
#include "core/split/split_many.h"

#include <math.h>
#include <string.h>

#include "core/split/split_search.h"
#include "core/util/block.h"

/* Drafts from which teams are made more even. */
#define MAX_DRAFTS 4

static size_t
lay_out(const SplitManyProblem *problem, char *block, SplitSearch *search)
{
	size_t		total = 0;
	size_t		n = (size_t) problem->n;

	/*
	 * The table over sets of parties is the largest part by far; without it the
	 * search goes through splits one by one.
	 */
	size_t		sets = split_search_has_table(search) ? (size_t) 1 << search->nparties : 0;

	search->party = block_take(&block, &total, sizeof(SplitParty), n);
	search->member = block_take(&block, &total, sizeof(int), n);
	search->party_of = block_take(&block, &total, sizeof(int), n);
	search->apart = block_take(&block, &total, sizeof(uint64_t), SPLIT_MAX_PARTIES);
	search->team = block_take(&block, &total, sizeof(int), n);
	search->best_team = block_take(&block, &total, sizeof(int), n);
	search->pair_value = block_take(&block, &total, sizeof(double), n);
	search->pair_party = block_take(&block, &total, sizeof(int), n);
	search->pair_places = block_take(&block, &total, sizeof(int), n);
	search->pair_player = block_take(&block, &total, sizeof(int), n);
	search->pair_place = block_take(&block, &total, sizeof(int), n);
	search->pair_team = block_take(&block, &total, sizeof(int), n);
	search->pair_apart = block_take(&block, &total, sizeof(SplitPair),
									(size_t) problem->napart);
	search->pair.member = block_take(&block, &total, sizeof(int), n);
	search->pair.root = block_take(&block, &total, sizeof(int), n);
	search->pair.order = block_take(&block, &total, sizeof(int), n);
	search->pair.group = block_take(&block, &total, sizeof(SplitGroup), n);
	search->pair.option = block_take(&block, &total, sizeof(SplitOption), SPLIT_PAIR_OPTIONS);
	search->pair_room = block_take(&block, &total, 1, SPLIT_PAIR_ROOM);
	search->least = block_take(&block, &total, sizeof(double), sets);
	search->last = block_take(&block, &total, sizeof(uint32_t), sets);
	return total;
}

/* How many parties there are: parties, and players who are in none. */
static int
count_parties(const SplitManyProblem *problem)
{
	int			n = 0;
	int			i,
				j;

	for (i = 0; i < problem->n; i++)
	{
		for (j = 0; j < i; j++)
			if (problem->party != NULL && problem->party[i] != 0 &&
				problem->party[j] == problem->party[i])
				break;
		n += j == i;
	}
	return n;
}

size_t
split_many_room(const SplitManyProblem *problem)
{
	SplitSearch search = {.problem = problem,.nparties = count_parties(problem)};

	return lay_out(problem, NULL, &search);
}

SplitProof
split_many(const SplitManyProblem *problem, void *room, int *team, double *left)
{
	SplitSearch search = {
		.problem = problem,.nparties = count_parties(problem),.best = INFINITY
	};
	uint64_t	random = 1;
	int			playing = 0;
	bool		proven = false;
	int			n,
				i;

	(void) lay_out(problem, room, &search);
	split_search_make_parties(&search);
	split_search_find_alike(&search);
	for (i = 0; i < problem->nteams; i++)
		playing += problem->size[i];
	search.benches = playing < problem->n;
	for (i = 0; i < problem->n; i++)
		search.total += problem->value[i];

	/*
	 * With a bench nobody knows yet who plays, so that the center is that of
	 * an average choice of players.
	 */
	search.center = search.benches ?
		search.total * problem->share * playing / problem->n :
		search.total * problem->share;
	for (n = 0; n < MAX_DRAFTS && !split_search_is_even(&search); n++)
	{
		int			seats[SPLIT_MAX_TEAMS];

		memcpy(seats, problem->size, sizeof(seats));
		search.steps = 0;

		/*
		 * The first draft is by strength; later ones are random, from a fixed
		 * seed, so that the same lobby gives the same teams.
		 */
		if (!split_draft(&search, 0, seats, problem->n - playing, n == 0 ? NULL : &random))
		{
			if (n == 0)
				return split_draft_gave_up(&search) ?
					SPLIT_NONE_FOUND : SPLIT_IMPOSSIBLE;
			continue;
		}
		search.work += (double) search.steps;
		split_draft_improve(&search);
		split_search_keep_best(&search);

		/* Two teams alone are the pair that was split. */
		proven = problem->nteams == 2 && !search.benches && search.pair_exact;
		if (proven || search.work > problem->max_work / 2)
			break;
	}
	if (proven || split_search_is_even(&search))
		proven = true;
	else if (search.nparties <= SPLIT_MAX_PARTIES)
		proven = split_exhaustive(&search);
	for (i = 0; i < problem->n; i++)
		team[i] = search.best_team[search.party_of[i]];
	*left = search.best;
	return proven ? SPLIT_PROVEN : SPLIT_FOUND;
}
