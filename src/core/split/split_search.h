/*
 * split_search.h
 *		A split into more than two teams in the making: its parties, the split as it is
 *		and the best one so far.
 *
 * split_many() lays a SplitSearch out in the caller's block and owns it for the call.
 * split_draft.c finds splits and makes them more even, split_exhaustive.c goes through
 * all that can be better, and split_search.c is below both.
 */
#ifndef CORE_SPLIT_SPLIT_SEARCH_H
#define CORE_SPLIT_SPLIT_SEARCH_H

#include "core/split/split_many_problem.h"

/* Sets of more parties are not gone through one after another, */
#define SPLIT_MAX_TABLE_PARTIES 22

/* and with more than these there are too many splits to go through. */
#define SPLIT_MAX_PARTIES 32

/* The room in which two teams are split again. */
#define SPLIT_PAIR_ROOM ((size_t) 4 << 20)
#define SPLIT_PAIR_OPTIONS 8192

/* Gains of a smaller share are rounding error. */
#define SPLIT_MIN_GAIN 1e-9

/* How often to look for an interrupt. */
#define SPLIT_STEPS_BETWEEN_INTERRUPTS 4096

/* Players who stay together; a player without a party is a party of one. */
typedef struct SplitParty
{
	int			first_member;	/* of member[] */
	int			size;
	int			allowed_teams;
	double		value;
} SplitParty;

typedef struct SplitSearch
{
	const SplitManyProblem *problem;
	SplitParty *party;			/* large ones first, then of much value */
	int			nparties;
	int		   *member;			/* players by party */
	int		   *party_of;		/* by player */
	uint64_t   *apart;			/* by party, the set of parties that must not be
								 * with it; only for up to SPLIT_MAX_PARTIES */
	bool		benches;		/* some players sit out who might play */
	int			alike[SPLIT_MAX_TEAMS]; /* the first team like each */
	double		center;			/* mean strength, as far as it is known before */
	int		   *team;			/* by party, as it is now, */
	int		   *best_team;		/* and in the best split so far, */
	double		best;			/* which has this objective */
	double		work;
	uint64_t	steps;			/* of the search that goes on */

	/* Two teams split again. */
	SplitProblem pair;
	SplitSize	pair_size;
	double		pair_target;
	double	   *pair_value;
	int		   *pair_party;
	int		   *pair_places;
	int		   *pair_player;
	int		   *pair_place;		/* by player, or -1 */
	SplitPair  *pair_apart;
	int		   *pair_team;
	void	   *pair_room;
	bool		pair_exact;		/* the last pair was split as well as it can
								 * be */

	/* Sets of parties gone through: teams in an order in which some are alike. */
	int			order[SPLIT_MAX_TEAMS];
	int			alike_first;	/* of which these may be exchanged */
	int			alike_end;
	uint64_t	may[SPLIT_MAX_TEAMS];	/* parties, by place in the order */
	uint64_t	must[SPLIT_MAX_TEAMS];
	uint64_t	must_play;		/* parties that may not sit out */
	uint64_t	used;			/* parties of the teams before */
	int			level;			/* teams before */
	double		sum;			/* of the parties used */
	double		total;			/* of all parties */
	uint64_t	path[SPLIT_MAX_TEAMS];
	double		low[SPLIT_MAX_TEAMS + 1];	/* strengths before each team, */
	double		high[SPLIT_MAX_TEAMS + 1];
	double		squares[SPLIT_MAX_TEAMS + 1];	/* and squares about the
												 * center */
	double	   *least;			/* by set of parties: squares, of which the last */
	uint32_t   *last;			/* team is these */
} SplitSearch;

/* Whether there is a table over sets of parties, which takes a step for each set. */
static inline bool
split_search_has_table(const SplitSearch *search)
{
	return search->problem->objective == SPLIT_SQUARES &&
		search->nparties <= SPLIT_MAX_TABLE_PARTIES &&
		(double) (UINT64_C(1) << search->nparties) <= search->problem->max_work;
}

/* Count a step, and check for interrupts now and then; false if max_work is reached. */
static inline bool
split_search_step(SplitSearch *search)
{
	const SplitManyProblem *problem = search->problem;

	search->steps++;
	if (problem->interrupt != NULL &&
		search->steps % SPLIT_STEPS_BETWEEN_INTERRUPTS == 0)
		problem->interrupt();
	return search->work + (double) search->steps <= problem->max_work;
}

/*
 * ---- split_search.c ----
 */

/* Fill in the parties, of which nparties is found, with member[], party_of[] and apart[]. */
extern void split_search_make_parties(SplitSearch *search);

/* Which teams are like one another, so that one may stand for the others. */
extern void split_search_find_alike(SplitSearch *search);

/*
 * The sums of the values of the teams in search->team[], of which sum[0] is the bench;
 * sum[] has room for SPLIT_MAX_TEAMS + 1.
 */
extern void split_search_team_sums(const SplitSearch *search, double *sum);

/* Keep search->team[] in best_team[], if its objective is less than that so far. */
extern void split_search_keep_best(SplitSearch *search);

/* Whether the best split is even but for rounding error. */
extern bool split_search_is_even(const SplitSearch *search);

/*
 * ---- split_draft.c ----
 */

/*
 * Find a team or the bench for the party u and all behind it, by backtracking, into
 * search->team[].  Teams are tried in the order of a snake draft, from the first to the
 * last and back again, or, if random is not NULL, from a random one on.  left[] has the
 * free seats of each team and spare those of the bench; both are changed.  False if there
 * is no such split, or if steps run out: see split_draft_gave_up().
 */
extern bool split_draft(SplitSearch *search, int u, int *left, int spare, uint64_t *random);

/* Split pairs of teams again until no pair can be made more even. */
extern void split_draft_improve(SplitSearch *search);

/* After split_draft() has failed: whether steps ran out, so that there may be a split. */
extern bool split_draft_gave_up(SplitSearch *search);

/*
 * ---- split_exhaustive.c ----
 */

/*
 * Go through all splits that can be better than the best one so far, which there must be,
 * for at most SPLIT_MAX_PARTIES parties.  True if the steps sufficed for all of them.
 */
extern bool split_exhaustive(SplitSearch *search);

#endif							/* CORE_SPLIT_SPLIT_SEARCH_H */
