/*
 * hive_matches.h
 *		Matches for the unit tests of Hive's model.
 */
#ifndef TEST_CORE_HIVE_MATCHES_H
#define TEST_CORE_HIVE_MATCHES_H

#include "test.h"

#include "core/models/hive.h"

static inline void
set_side(Fixture *f)
{
	int			i;

	for (i = 0; i < f->n; i++)
		f->row[i].side = f->row[i].team;
}

static inline void
stint(Participant *row, double joined, double left)
{
	row->joined = joined;
	row->left = left;
}

/* Random states, not too far from even matches. */
static inline void
random_states(Random *random, Fixture *f, int nplayers)
{
	int			i;

	for (i = 0; i < nplayers; i++)
	{
		f->before[i][HIVE_SKILL] = random_between(random, -2, 6);
		f->before[i][HIVE_SKILL_SQUARES] = random_between(random, 0, 2);
		f->before[i][HIVE_SIDE_OFFSET] = random_between(random, -1, 1);
		f->before[i][HIVE_COMMAND_SKILL] = random_between(random, -2, 6);
		f->before[i][HIVE_COMMAND_SQUARES] = random_between(random, 0, 2);
	}
}

/*
 * A match of nplayers with several stints each, on either side and partly
 * commanding, of teams 1 and 2 that play sides 1 and 2 if the sides differ.
 */
static inline void
random_match(Random *random, Fixture *f, int nplayers, int sided)
{
	int			result = random_below(random, 3);
	double		left[TEST_MAX_ROWS] = {0};
	int			team,
				i,
				j;

	fixture_clear(f);
	for (team = 1; team <= 2; team++)
	{
		double		rank = result == 0 ? 1 : result == team ? 1 : 2;

		for (i = 0; i < nplayers; i++)
		{
			/* One player at least on each team, the rest where they like. */
			int			stints = i == team - 1 ? 1 + random_below(random, 2) :
				random_below(random, 3);

			for (j = 0; j < stints; j++)
			{
				Participant *row = fixture_add(f, i, team, rank);
				double		joined = left[i] + random_between(random, 0, 700);

				/* One stint after another, on whichever team. */
				left[i] = joined + random_between(random, 10, 1000);
				stint(row, joined, left[i]);
				if (random_below(random, 2))
					row->commanding = random_between(random, 0, 1);
				if (sided)
					row->side = team;
			}
		}
	}
	f->match.nplayers = nplayers;
	if (random_below(random, 2))
		f->match.log_odds = random_between(random, -2, 2);
}

#endif							/* TEST_CORE_HIVE_MATCHES_H */
