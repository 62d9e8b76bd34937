/*
 * test_crossings.c
 *		Rows that put a player on two teams at once, against all pairs of rows.
 */
#include <stdlib.h>

#include "test.h"

#include "core/models/registry.h"
#include "core/rating/crossings.h"

/* Whether two rows of one player clash, as the documentation says it. */
static bool
clash(const Participant *p, const Participant *q, double last_left)
{
	double		share[2];
	int			i;

	if (p->player != q->player || p->team == q->team)
		return false;
	if (!isnan(p->joined) && !isnan(q->joined))
		return fmax(p->joined, q->joined) < fmin(p->left, q->left);
	for (i = 0; i < 2; i++)
	{
		const Participant *row = i == 0 ? p : q;

		share[i] = !isnan(row->weight) ? row->weight :
			!isnan(row->joined) && last_left > 0 ?
			(row->left - row->joined) / last_left : 1;
	}
	return share[0] + share[1] > 1 + 1e-9;
}

static int
first_by_pairs(const Participant *row, int n)
{
	double		last_left = 0;
	int			i,
				j;

	for (i = 0; i < n; i++)
		if (row[i].left > last_left)
			last_left = row[i].left;
	for (i = 0; i < n; i++)
		for (j = 0; j < i; j++)
			if (clash(&row[i], &row[j], last_left))
				return i;
	return -1;
}

#define MAX_ROWS 10000

typedef struct Rows
{
	Participant row[MAX_ROWS];
	MatchTeam	team[MAX_ROWS];
	MatchPlayer player[MAX_ROWS];
	MatchEntry	entry[MAX_ROWS];
	int			n;
	int			nplayers;
} Rows;

/* The row that match_build() finds at fault for crossing, or -1. */
static int
offender_of(Rows *rows)
{
	const Model *model = model_find("elo");
	ParamValue	params[TEST_MAX_PARAMS];
	Match		match = {.nplayers = rows->nplayers,.team = rows->team,
	.player = rows->player,.entry = rows->entry};
	MatchStatus status;
	int			offender;

	param_defaults(&model->params, params);
	status = match_build(&model->rules, params, rows->row, rows->n, &match, &offender);
	if (status != MATCH_SELF_MATCH)
	{
		assert_true(status == MATCH_OK || status == MATCH_NO_PLAY_TIME ||
					status == MATCH_ONE_TEAM);
		return -1;
	}
	assert_true(offender >= 0);
	return offender;
}

static Participant *
add_row(Rows *rows, int player, int team)
{
	Participant *row = &rows->row[rows->n++];

	*row = participant_default;
	row->player = player;
	row->team = team;
	row->rank = team;
	if (player >= rows->nplayers)
		rows->nplayers = player + 1;
	return row;
}

/* Few times and shares, so that many rows touch, and about half of the matches are sound. */
static void
test_random_rows(void **state)
{
	Rows	   *rows = calloc(1, sizeof(Rows));
	Random		random = {17};
	int			found[2] = {0, 0};
	int			i;

	(void) state;
	for (i = 0; i < 60000; i++)
	{
		int			players = 2 + random_below(&random, 6);
		int			teams = 2 + random_below(&random, 4);
		int			times = 2 + random_below(&random, 60);
		int			untimed = random_below(&random, 3);
		int			t,
					p;

		rows->n = rows->nplayers = 0;
		for (t = 1; t <= teams; t++)
			for (p = 0; p < players; p++)
			{
				int			stints = t == 1 ? 1 : random_below(&random, 3);

				for (; stints > 0; stints--)
				{
					Participant *row = add_row(rows, p, t);
					int			joined = random_below(&random, times);

					if (random_below(&random, 8) < untimed)
						row->weight = random_below(&random, 6) / 10.0;
					else
					{
						row->joined = joined;
						row->left = joined + random_below(&random, 4);
					}
					if (random_below(&random, 20) == 0)
						row->weight = random_below(&random, 3) / 2.0;
				}
			}
		p = first_by_pairs(rows->row, rows->n);
		found[p >= 0]++;
		assert_int_equal(offender_of(rows), p);
	}
	print_message("%d sound, %d not\n", found[0], found[1]);
	assert_true(found[0] > 5000 && found[1] > 5000);
	free(rows);
}

/* As many stints as there can be of two who change places all the time; then one overlaps. */
static void
test_many_stints(void **state)
{
	Rows	   *rows = calloc(1, sizeof(Rows));
	int			i;

	(void) state;
	for (i = 0; i < MAX_ROWS; i++)
	{
		int			team = i < MAX_ROWS / 2 ? 1 : 2;
		int			player = i % 2;
		int			k = i % (MAX_ROWS / 2) / 2;
		Participant *row = add_row(rows, player, team);

		row->joined = 2 * k + (team == 1 + player);
		row->left = row->joined + 1;
	}
	assert_int_equal(offender_of(rows), -1);
	rows->row[MAX_ROWS - 77].left += 0.5;
	assert_int_equal(offender_of(rows), MAX_ROWS - 77);
	assert_int_equal(first_by_pairs(rows->row, rows->n), MAX_ROWS - 77);
	free(rows);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_random_rows),
		cmocka_unit_test(test_many_stints),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
