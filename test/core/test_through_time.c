/*
 * test_through_time.c
 *		TrueSkill Through Time: golden values, the filter, what is known in closed
 *		form, warm restarts.
 */
#include <stdlib.h>

#include "csv.h"
#include "test.h"

#include "core/math/normal.h"
#include "core/solve/through_time.h"

#define DAY INT64_C(86400000000)
#define MAX_MATCHES 20000
#define MAX_APPEARANCES 60000
#define MAX_PLAYERS 3000

typedef struct Box
{
	ThroughTime tt;
	ParamValue	params[TEST_MAX_PARAMS];
	History		history;
	HistoryMatch match[MAX_MATCHES];
	int32_t		player[MAX_APPEARANCES];
	int32_t		team[MAX_APPEARANCES];
	double		rank[MAX_APPEARANCES];
	double		weight[MAX_APPEARANCES];
	HistoryWork work;
	size_t		first[MAX_MATCHES + 1];
	uint32_t	match_of[MAX_APPEARANCES];
	uint32_t	previous[MAX_APPEARANCES];
	uint32_t	next[MAX_APPEARANCES];
	Message		site[MAX_APPEARANCES];
	Message		forward[MAX_APPEARANCES];
	Message		backward[MAX_APPEARANCES];
	uint32_t	last[MAX_PLAYERS];
	int64_t		games[MAX_PLAYERS];
	int32_t		component[MAX_PLAYERS];
	int32_t		set[MAX_MATCHES];
	uint32_t	follower[MAX_MATCHES];
	void	   *block;
} Box;

static Box *
box_make(void)
{
	Box		   *box = calloc(1, sizeof(Box));
	ThroughTime *tt = &box->tt;

	tt->model = model_find("trueskill");
	param_defaults(&tt->model->params, box->params);
	tt->params = box->params;
	tt->history = &box->history;
	tt->work = &box->work;
	tt->first = box->first;
	tt->match = box->match_of;
	tt->previous = box->previous;
	tt->next = box->next;
	tt->site = box->site;
	tt->forward = box->forward;
	tt->backward = box->backward;
	tt->last = box->last;
	tt->games = box->games;
	tt->component = box->component;
	tt->set = box->set;
	tt->follower = box->follower;
	tt->mu = 25;
	tt->sigma = 25.0 / 3;
	tt->trueskill.beta = 25.0 / 6;
	box->history.match = box->match;
	box->history.player = box->player;
	box->history.team = box->team;
	box->history.number[0] = box->rank;
	box->history.number[3] = box->weight;	/* see participant_number() */
	return box;
}

static void
box_free(Box *box)
{
	free(box->block);
	free(box);
}

static void
box_begin(Box *box, int64_t at)
{
	HistoryMatch *match = &box->match[box->history.nmatches++];

	match->played_at = at;
	match->first = box->history.nparticipants;
	match->n = 0;
}

static void
box_add(Box *box, int32_t player, int32_t team, double rank)
{
	size_t		place = box->history.nparticipants++;
	HistoryMatch *match = &box->match[box->history.nmatches - 1];

	assert_true(place < MAX_APPEARANCES && player < MAX_PLAYERS);
	box->player[place] = player;
	box->team[place] = team;
	box->rank[place] = rank;
	box->weight[place] = 1;
	if (++match->n > box->history.max_participants)
		box->history.max_participants = match->n;
	if (player >= box->history.nplayers)
		box->history.nplayers = player + 1;
}

static void
box_duel(Box *box, int64_t at, int32_t winner, int32_t loser)
{
	box_begin(box, at);
	box_add(box, winner, 1, 1);
	box_add(box, loser, 2, 2);
}

static void
box_link(Box *box)
{
	size_t		match;
	int			offender;

	free(box->block);
	box->block = malloc(history_work_size(&box->history, box->tt.model->nstate));
	history_work_init(&box->work, box->block, &box->history, box->tt.model->nstate);
	assert_status(through_time_count(&box->tt, &match, &offender), MATCH_OK);
	assert_true(box->tt.appearances <= MAX_APPEARANCES);
	through_time_link(&box->tt);
}

static ThroughTimeResult
box_solve(Box *box)
{
	box_link(box);
	return through_time_solve(&box->tt, false, 1e-9, 1000);
}

/* Everybody beat one and lost to the other: all equal, and the published deviation. */
static void
test_cycle(void **state)
{
	Box		   *box = box_make();
	ThroughTimeResult result;
	size_t		a;

	(void) state;
	box_duel(box, 0, 0, 1);
	box_duel(box, 0, 1, 2);
	box_duel(box, 0, 2, 0);
	result = box_solve(box);
	assert_int_equal(result.status, SOLVE_CONVERGED);
	assert_int_equal(box->tt.appearances, 6);
	for (a = 0; a < 6; a++)
	{
		double		mu,
					sigma;

		through_time_skill(&box->tt, a, &mu, &sigma);
		assert_near(mu, 25, 1e-6);
		assert_near(sigma, 5.41921, 1e-5);
	}
	box_free(box);
}

/* The players of a golden case by name. */
typedef struct Names
{
	char		name[MAX_PLAYERS][32];
	int			n;
} Names;

static int32_t
number_of(Names *names, const char *name)
{
	int			i;

	for (i = 0; i < names->n; i++)
		if (strcmp(names->name[i], name) == 0)
			return i;
	snprintf(names->name[names->n], sizeof(names->name[0]), "%s", name);
	return names->n++;
}

static void
load_case(Box *box, Names *names, const char *name)
{
	char		line[CSV_MAX_LINE];
	char	   *field[CSV_MAX_FIELDS];
	FILE	   *events = csv_open("ttt_events.csv", line, sizeof(line));
	char		event[32] = "";
	int			first = 0;
	int			row;

	while (fgets(line, sizeof(line), events) != NULL)
	{
		bool		timed;

		(void) csv_split(line, field);
		if (strcmp(field[0], name) != 0)
			continue;
		timed = *field[2] != '\0';
		if (strcmp(event, field[1]) != 0)
		{
			snprintf(event, sizeof(event), "%s", field[1]);
			box_begin(box, timed ? (int64_t) (csv_number(field[2]) * DAY) : NEVER_PLAYED);
			first = (int) box->history.nparticipants;
		}
		box_add(box, number_of(names, field[4]), atoi(field[3]),
				-csv_number(field[5]));
		box->weight[box->history.nparticipants - 1] = csv_number(field[6]);
		box->tt.mu = csv_number(field[7]);
		box->tt.sigma = csv_number(field[8]);
		box->tt.trueskill.beta = csv_number(field[9]);
		box->tt.tau = timed ? 0 : csv_number(field[10]);
		box->tt.drift = timed ? csv_number(field[10]) : 0;
		box->tt.trueskill.draw_probability = csv_number(field[11]);

		/* High results are best, and ranks are at least 1. */
		for (row = first; row < (int) box->history.nparticipants; row++)
			box->rank[row] = box->rank[row] <= 0 ? box->rank[row] + 1000 : box->rank[row];
	}
	fclose(events);
}

static void
test_golden(void **state)
{
	char		line[CSV_MAX_LINE];
	char	   *field[CSV_MAX_FIELDS];
	char		name[32] = "";
	char		stage[32] = "";
	Box		   *box = NULL;
	Names	   *names = NULL;
	FILE	   *expected = csv_open("ttt_expected.csv", line, sizeof(line));
	int			compared = 0;

	(void) state;
	while (fgets(line, sizeof(line), expected) != NULL)
	{
		int32_t		player;
		size_t		a;
		double		mu = NAN,
					sigma = NAN;

		(void) csv_split(line, field);
		if (strcmp(name, field[0]) != 0 || strcmp(stage, field[1]) != 0)
		{
			if (box != NULL)
				box_free(box);
			free(names);
			box = box_make();
			names = calloc(1, sizeof(Names));
			snprintf(name, sizeof(name), "%s", field[0]);
			snprintf(stage, sizeof(stage), "%s", field[1]);
			load_case(box, names, name);
			box_link(box);
			(void) through_time_solve(&box->tt, false, 1e-9,
									  strcmp(stage, "filter") == 0 ? 1 : 1000);
		}

		/*
		 * That of the last appearance at that time; of the filter, up to
		 * there.
		 */
		player = number_of(names, field[2]);
		for (a = 0; a < box->tt.appearances; a++)
		{
			const HistoryMatch *match = &box->match[box->match_of[a]];
			size_t		place = a - box->first[box->match_of[a]];

			if (box->player[match->first + place] != player)
				continue;
			if (*field[3] != '\0' &&
				(box->tt.drift > 0 || box->tt.tau == 0) &&
				match->played_at != (int64_t) (csv_number(field[3]) * DAY))
				continue;
			/* Without times the column has the number of the match. */
			if (box->tt.tau > 0 && *field[3] != '\0' &&
				box->match_of[a] + 1 != (uint32_t) csv_number(field[3]))
				continue;
			if (strcmp(stage, "filter") == 0)
			{
				Message		m = {box->forward[a].precision + box->site[a].precision,
				box->forward[a].weighted + box->site[a].weighted};

				mu = m.weighted / m.precision;
				sigma = 1 / sqrt(m.precision);
			}
			else
				through_time_skill(&box->tt, a, &mu, &sigma);
		}
		if (isnan(mu))
			print_message("%s %s %s %s not found\n", name, stage, field[2], field[3]);
		assert_near(mu, csv_number(field[4]), csv_number(field[6]));
		assert_near(sigma, csv_number(field[5]), csv_number(field[6]));
		compared++;
	}
	fclose(expected);
	box_free(box);
	free(names);
	print_message("%d golden values\n", compared);
	assert_true(compared > 20);
}

/* One match, and then nothing: the filter and the smoother are TrueSkill. */
static void
test_one_match(void **state)
{
	Box		   *box = box_make();
	double		mu,
				sigma;
	ThroughTimeResult result;

	(void) state;
	box_duel(box, 0, 0, 1);
	result = box_solve(box);
	assert_int_equal(result.status, SOLVE_CONVERGED);
	through_time_skill(&box->tt, 0, &mu, &sigma);
	assert_near(mu, 29.2052209, 1e-6);
	assert_near(sigma, 7.1944814, 1e-6);
	assert_near(result.log_evidence, log(0.5), 1e-12);
	assert_int_equal(result.matches, 1);
	box_free(box);
}

/*
 * Without drift a player's skill is one number, and the same at every appearance;
 * with it those near in time are nearer.
 */
static void
test_drift(void **state)
{
	Box		   *box = box_make();
	double		mu[3],
				sigma[3];
	int			i;
	uint32_t	a;

	(void) state;
	for (i = 0; i < 20; i++)
		box_duel(box, i * DAY, i < 10 ? 0 : 1 + i, i < 10 ? 1 + i : 0);
	assert_int_equal(box_solve(box).status, SOLVE_CONVERGED);
	through_time_skill(&box->tt, 0, &mu[0], &sigma[0]);
	through_time_skill(&box->tt, box->first[9], &mu[1], &sigma[1]);
	assert_near(mu[0], mu[1], 1e-6);
	assert_near(sigma[0], sigma[1], 1e-6);
	box->tt.drift = 0.5;
	assert_int_equal(box_solve(box).status, SOLVE_CONVERGED);
	for (i = 0, a = 0; i < 3; i++, a = i == 1 ? (uint32_t) box->first[9] : box->last[0])
		through_time_skill(&box->tt, a, &mu[i], &sigma[i]);
	assert_true(mu[0] > mu[1] && mu[1] > mu[2]);

	/* A quarter of a day is a quarter of the variance. */
	for (i = 0; i < 20; i++)
		box->match[i].played_at /= 4;
	box->tt.drift *= 2;
	assert_int_equal(box_solve(box).status, SOLVE_CONVERGED);
	for (i = 0, a = 0; i < 3; i++, a = i == 1 ? (uint32_t) box->first[9] : box->last[0])
	{
		double		same,
					unused;

		through_time_skill(&box->tt, a, &same, &unused);
		assert_near(same, mu[i], 1e-9);
	}
	box_free(box);
}

/* The evidence of results of two players, by Simpson's rule over both skills. */
static double
evidence_by_quadrature(const double *rank_of_second, int n, double margin, double beta)
{
	const int	steps = 400;
	double		sum = 0;
	int			i,
				j,
				k;

	for (i = 0; i <= steps; i++)
		for (j = 0; j <= steps; j++)
		{
			double		x = -8 + 16.0 * i / steps;
			double		y = -8 + 16.0 * j / steps;
			double		lead = (x - y) * 25.0 / 3 / (sqrt(2) * beta);
			double		e = margin / beta / sqrt(2);
			double		value = normal_density(x) * normal_density(y);
			double		weight = (i == 0 || i == steps ? 1 : i % 2 ? 4 : 2) *
				(j == 0 || j == steps ? 1 : j % 2 ? 4 : 2);

			for (k = 0; k < n; k++)
				value *= rank_of_second[k] > 1 ? normal_cdf(lead - e) :
					rank_of_second[k] < 1 ? normal_cdf(-lead - e) :
					normal_cdf(e - lead) - normal_cdf(-e - lead);
			sum += weight * value;
		}
	return log(sum * pow(16.0 / steps / 3, 2));
}

/* One match is exact; several of the same two at one time are near, in any order. */
static void
test_evidence_of_two(void **state)
{
	const double ranks[5] = {2, 1, 2, 0.5, 2};
	double		beta = 25.0 / 6;
	double		margin = normal_quantile(0.65) * sqrt(2) * beta;
	double		evidence[2];
	int			n,
				order,
				i;

	(void) state;
	for (n = 1; n <= 5; n++)
	{
		double		exact = evidence_by_quadrature(ranks, n, margin, beta);

		for (order = 0; order < 2; order++)
		{
			Box		   *box = box_make();
			ThroughTimeResult result;

			box->tt.trueskill.draw_probability = 0.3;
			for (i = 0; i < n; i++)
			{
				double		rank = ranks[order == 0 ? i : n - 1 - i];

				box_begin(box, DAY);
				box_add(box, 0, 1, rank < 1 ? 2 : 1);
				box_add(box, 1, 2, rank < 1 ? 1 : rank);
			}
			box->tt.tau = 2;	/* not between matches of one time */
			result = box_solve(box);
			assert_int_equal(result.status, SOLVE_CONVERGED);
			assert_int_equal(result.matches, n);
			evidence[order] = result.log_evidence;
			box_free(box);
		}
		assert_near(evidence[0], evidence[1], 1e-9);
		for (order = 0; order < 2; order++)
			assert_near(evidence[order], exact, n == 1 ? 1e-9 : 5e-4 * n);
	}
}

/*
 * Whatever the order of rows and the numbers of players, simultaneous matches have one
 * evidence: few of two teams, which are taken together, and many or with rankings, which
 * are not.
 */
static void
test_evidence_in_any_order(void **state)
{
	static const int matches[3] = {12, 100, 12};
	Random		random = {21};
	int			kind,
				round,
				i;

	(void) state;
	for (kind = 0; kind < 3; kind++)
	{
		int			n = matches[kind];
		int			row[100][3];
		int			drawn[100];
		int			order[100];
		int			name[12];
		double		evidence = 0;

		for (i = 0; i < n; i++)
		{
			row[i][0] = random_below(&random, 12);
			row[i][1] = (row[i][0] + 1 + random_below(&random, 5)) % 12;
			row[i][2] = (row[i][1] + 1 + random_below(&random, 5)) % 12;
			drawn[i] = random_below(&random, 4) == 0;
			order[i] = i;
		}
		for (i = 0; i < 12; i++)
			name[i] = i;
		for (round = 0; round < 6; round++)
		{
			Box		   *box = box_make();
			ThroughTimeResult result;

			box->tt.trueskill.draw_probability = 0.2;
			box->tt.tau = 0.5;
			for (i = 0; i < n; i++)
			{
				const int  *who = row[order[i]];

				box_begin(box, DAY);
				box_add(box, name[who[0]], 1, 1);
				box_add(box, name[who[1]], 2, drawn[order[i]] ? 1 : 2);
				if (kind == 2 && order[i] % 3 == 0)
					box_add(box, name[who[2]], 3, 3);
			}
			result = box_solve(box);
			assert_int_equal(result.status, SOLVE_CONVERGED);
			if (round == 0)
				evidence = result.log_evidence;
			assert_near(result.log_evidence, evidence, kind == 0 ? 1e-9 : 1e-6);
			box_free(box);
			for (i = n - 1; i > 0; i--)
			{
				int			j = random_below(&random, i + 1);
				int			swap = order[i];

				order[i] = order[j];
				order[j] = swap;
			}
			for (i = 11; i > 0; i--)
			{
				int			j = random_below(&random, i + 1);
				int			swap = name[i];

				name[i] = name[j];
				name[j] = swap;
			}
		}
	}
}

/* Three players who all met one another, by Simpson's rule over all skills. */
static void
test_evidence_of_three(void **state)
{
	static const int pair[5][2] = {{0, 1}, {1, 2}, {2, 0}, {0, 1}, {1, 0}};
	const int	steps = 80;
	Box		   *box = box_make();
	double		sum = 0;
	ThroughTimeResult result;
	int			at[3];
	int			i;

	(void) state;
	for (at[0] = 0; at[0] <= steps; at[0]++)
		for (at[1] = 0; at[1] <= steps; at[1]++)
			for (at[2] = 0; at[2] <= steps; at[2]++)
			{
				double		x[3];
				double		value = 1;

				for (i = 0; i < 3; i++)
				{
					x[i] = -6 + 12.0 * at[i] / steps;
					value *= normal_density(x[i]) * (at[i] == 0 || at[i] == steps ? 1 :
													 at[i] % 2 ? 4 : 2);
				}
				for (i = 0; i < 5; i++)
					value *= normal_cdf((x[pair[i][0]] - x[pair[i][1]]) * sqrt(2));
				sum += value;
			}
	for (i = 0; i < 5; i++)
		box_duel(box, DAY, pair[i][0], pair[i][1]);
	result = box_solve(box);
	print_message("%g, exactly %g\n", result.log_evidence,
				  log(sum * pow(12.0 / steps / 3, 3)));
	assert_near(result.log_evidence, log(sum * pow(12.0 / steps / 3, 3)), 0.01);
	box_free(box);
}

/*
 * Rankings: of one match the probability of the order; and those of all orders that can
 * follow a first match add up to 1, given that.
 */
static void
test_evidence_of_rankings(void **state)
{
	static const int order[6][3] = {
		{1, 2, 3}, {1, 3, 2}, {2, 1, 3}, {2, 3, 1}, {3, 1, 2}, {3, 2, 1}
	};
	double		sum = 0;
	double		first = 0;
	int			o;

	(void) state;
	for (o = -1; o < 6; o++)
	{
		Box		   *box = box_make();
		ThroughTimeResult result;
		int			i;

		box_begin(box, 0);
		for (i = 0; i < 3; i++)
			box_add(box, i, i, i + 1);
		if (o >= 0)
		{
			box_begin(box, 5 * DAY);
			for (i = 0; i < 3; i++)
				box_add(box, i, i, order[o][i]);
		}
		box->tt.drift = 0.3;
		result = box_solve(box);
		assert_int_equal(result.status, SOLVE_CONVERGED);
		if (o < 0)
			first = result.log_evidence;
		else
			sum += exp(result.log_evidence - first);
		box_free(box);
	}
	assert_near(first, -log(6), 1e-8);
	assert_near(sum, 1, 1e-8);
}

/*
 * Matches of one time are one batch: the skill of a player there is one, whichever
 * row it is read from, and all orders of the matches give the same.
 */
static void
test_simultaneous(void **state)
{
	static const int order[3][4] = {{0, 1, 2, 3}, {3, 1, 0, 2}, {2, 3, 1, 0}};
	static const int pair[4][2] = {{0, 1}, {0, 2}, {1, 2}, {3, 0}};
	double		mu[3][4],
				sigma[3][4];
	int			o,
				i;

	(void) state;
	for (o = 0; o < 3; o++)
	{
		Box		   *box = box_make();
		size_t		a;
		double		unused;

		box_duel(box, 0, 0, 1);
		for (i = 0; i < 4; i++)
			box_duel(box, 3 * DAY, pair[order[o][i]][0], pair[order[o][i]][1]);
		box_duel(box, 4 * DAY, 2, 3);
		box->tt.tau = 1;
		box->tt.drift = 0.5;
		assert_int_equal(box_solve(box).status, SOLVE_CONVERGED);
		for (a = box->first[1]; a < box->first[5]; a++)
		{
			int32_t		player = box->player[a];
			double		at[2];

			through_time_skill(&box->tt, a, &at[0], &at[1]);
			if (box->next[a] != NO_APPEARANCE && box->next[a] < box->first[5])
			{
				double		next;

				through_time_skill(&box->tt, box->next[a], &next, &unused);
				assert_near(at[0], next, 1e-6);
				assert_near(at[1], unused, 1e-6);
			}
			mu[o][player] = at[0];
			sigma[o][player] = at[1];
		}
		for (i = 0; i < 4; i++)
		{
			assert_near(mu[o][i], mu[0][i], 1e-6);
			assert_near(sigma[o][i], sigma[0][i], 1e-6);
		}
		box_free(box);
	}
}

/* Log-odds that no double can bear are reported as such; impossible draws, too. */
static void
test_overflow(void **state)
{
	Box		   *box = box_make();
	ThroughTimeResult result;

	(void) state;
	box_begin(box, 0);
	box_add(box, 0, 1, 1);
	box_add(box, 1, 2, 1);
	result = box_solve(box);
	assert_int_equal(result.status, SOLVE_CONVERGED);
	assert_true(result.log_evidence == -INFINITY);
	box->match[0].log_odds = 1.7e308;
	assert_int_equal(box_solve(box).status, SOLVE_NOT_FINITE);
	box_free(box);
}

/* After more matches it goes on from where it was, and comes to the same. */
static void
test_warm_restart(void **state)
{
	Box		   *cold = box_make();
	Box		   *warm = box_make();
	Random		random = {8};
	ThroughTimeResult first,
				again;
	size_t		a,
				known = 0;
	int			i;

	(void) state;
	for (i = 0; i < 3000; i++)
	{
		int32_t		x = (int32_t) random_between(&random, 0, 100);
		int32_t		y = (x + 1 + (int32_t) random_between(&random, 0, 99)) % 100;

		if (i == 2990)
		{
			(void) box_solve(warm);
			known = warm->tt.appearances;
		}
		box_duel(cold, 0, x, y);
		box_duel(warm, 0, x, y);
	}
	first = box_solve(cold);
	{
		Message    *site = malloc(known * sizeof(Message));
		Message    *backward = malloc(known * sizeof(Message));

		memcpy(site, warm->site, known * sizeof(Message));
		memcpy(backward, warm->backward, known * sizeof(Message));
		box_link(warm);
		memcpy(warm->site, site, known * sizeof(Message));
		memcpy(warm->backward, backward, known * sizeof(Message));
		free(site);
		free(backward);
	}
	again = through_time_solve(&warm->tt, true, 1e-6, 1000);
	print_message("%d passes, %d from the solution without the last ten matches\n",
				  first.passes, again.passes);
	assert_true(again.status == SOLVE_CONVERGED && again.passes < first.passes);
	for (a = 0; a < cold->tt.appearances; a += 97)
	{
		double		mu[2],
					sigma[2];

		through_time_skill(&cold->tt, a, &mu[0], &sigma[0]);
		through_time_skill(&warm->tt, a, &mu[1], &sigma[1]);
		assert_near(mu[0], mu[1], 1e-4);
		assert_near(sigma[0], sigma[1], 1e-4);
	}
	box_free(cold);
	box_free(warm);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_cycle),
		cmocka_unit_test(test_golden),
		cmocka_unit_test(test_one_match),
		cmocka_unit_test(test_drift),
		cmocka_unit_test(test_evidence_of_two),
		cmocka_unit_test(test_evidence_in_any_order),
		cmocka_unit_test(test_evidence_of_three),
		cmocka_unit_test(test_evidence_of_rankings),
		cmocka_unit_test(test_simultaneous),
		cmocka_unit_test(test_overflow),
		cmocka_unit_test(test_warm_restart),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
