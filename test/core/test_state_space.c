/*
 * test_state_space.c
 *		The state-space model against its mathematics: matches of two teams, invariances,
 *		time, and parts.
 */
#include "state_space_oracle.h"

/*
 * ---- Two teams ----
 */

/* The result of a match of two teams: a value that was observed, or the order. */
typedef struct Result
{
	double		value;			/* NaN: the order */
	double		lead;			/* of the order, 0 for a draw */
	double		margin;
} Result;

/* The likelihood of a result, if the difference is normal with this mean and deviation. */
static double
likelihood(const Result *r, double mean, double deviation)
{
	if (!isnan(r->value))
		return normal_density((r->value - mean) / deviation);
	if (r->lead == 0)
		return normal_cdf((r->margin - mean) / deviation) -
			normal_cdf((-r->margin - mean) / deviation);
	return normal_cdf(((r->lead > 0 ? mean : -mean) - r->margin) / deviation);
}

/* The posterior of one unknown by Simpson's rule: prior times likelihood. */
static void
exact_posterior(const Unknown *u, double coefficient, double mean, double variance,
				const Result *r, double *posterior_mean, double *posterior_deviation)
{
	const int	intervals = 2000;
	double		deviation = sqrt(u->variance);
	double		rest = sqrt(variance - square(coefficient) * u->variance);
	double		moment[3] = {0, 0, 0};
	int			k;

	for (k = 0; k <= intervals; k++)
	{
		double		z = -10 + 20.0 * k / intervals;
		double		weight = normal_density(z) *
			likelihood(r, mean + coefficient * deviation * z, rest) *
			(k == 0 || k == intervals ? 1 : k % 2 ? 4 : 2);

		moment[0] += weight;
		moment[1] += weight * z;
		moment[2] += weight * z * z;
	}
	moment[1] /= moment[0];
	moment[2] /= moment[0];
	*posterior_mean = u->mean + deviation * moment[1];
	*posterior_deviation = deviation * sqrt(moment[2] - square(moment[1]));
}

/* Check a match of two teams that was rated, of which the result is known. */
static void
check_two_teams(Fixture *f, double lead, double value)
{
	Oracle		o;
	int			first = f->team[0].side == 2;
	Result		result = {value, lead, 0};
	double		mean;
	double		variance;
	int			i;

	find_oracle(f, &o);
	mean = team_mean(&o, first) - team_mean(&o, 1 - first);
	variance = team_covariance(&o, 0, 0) + team_covariance(&o, 1, 1) -
		2 * team_covariance(&o, 0, 1);
	result.margin = o.margin * sqrt(o.noise[0] + o.noise[1]);
	if (first == 1)
	{
		result.lead = -result.lead;
		result.value = -result.value;
	}
	assert_near(f->team[first].win, (normal_cdf((mean - result.margin) / sqrt(variance)) +
									 normal_cdf((mean + result.margin) / sqrt(variance))) / 2,
				1e-12);
	for (i = 0; i < o.n; i++)
	{
		const Unknown *u = &o.unknown[i];
		double		coefficient = u->coefficient[first] - u->coefficient[1 - first];
		double		posterior_mean;
		double		posterior_deviation;

		exact_posterior(u, coefficient, mean, variance, &result, &posterior_mean,
						&posterior_deviation);
		assert_near(u->after[0], posterior_mean, 1e-8);
		assert_near(u->after[1], posterior_deviation, 1e-8);
	}
}

static void
test_order_against_integration(void **state)
{
	static const double ranks[3][2] = {{1, 2}, {1, 1}, {2, 1}};
	Random		random = {70};
	Fixture		f;
	int			round,
				i;

	(void) state;
	fixture_init(&f, "state_space");
	for (round = 0; round < 150; round++)
	{
		const double *rank = ranks[round % 3];

		random_full_match(&random, &f, 2);
		for (i = 0; i < f.n; i++)
			f.row[i].rank = rank[f.row[i].team - 1];
		fixture_rate(&f);
		check_two_teams(&f, rank[1] - rank[0], NAN);
	}
}

/* y = unit * |D|^alpha, times the size of the match's noise. */
static void
test_margin_against_integration(void **state)
{
	Random		random = {71};
	Fixture		f;
	int			round;

	(void) state;
	fixture_init(&f, "state_space");
	for (round = 0; round < 150; round++)
	{
		double		score[2] = {random_below(&random, 5), random_below(&random, 5)};
		double		lead = score[0] - score[1];
		Oracle		o;
		double		value;

		random_full_match(&random, &f, 2);
		set_scores(&f, score, 2);
		set_number(&f, "margin", random_between(&random, 0.1, 1));
		set_number(&f, "margin_exponent", round % 2 ? 1 : random_between(&random, 0.3, 1.5));
		fixture_rate(&f);
		find_oracle(&f, &o);
		value = copysign(number(&f, "margin") *
						 pow(fabs(lead), number(&f, "margin_exponent")), lead) *
			sqrt((o.noise[0] + o.noise[1]) / 2) / number(&f, "beta");
		check_two_teams(&f, lead, value);
	}
}

/* Both teams by name; the ranks in favour of team 1 (lead > 0), neither, or team 2. */
static void
rate_with_lead(Fixture *f, double lead)
{
	int			i;

	for (i = 0; i < f->n; i++)
		f->row[i].rank = (f->row[i].team == 1 ? lead >= 0 : lead <= 0) ? 1 : 2;
	fixture_rate(f);
}

/* On average over the results that are forecast, no mean changes. */
static void
test_expected_change_is_zero(void **state)
{
	Random		random = {72};
	Fixture		f;
	int			round,
				i,
				lead;

	(void) state;
	fixture_init(&f, "state_space");
	for (round = 0; round < 300; round++)
	{
		double		change[MAX_UNKNOWNS] = {0};
		double		gradient = 0;
		double		log_margin = 0;
		Oracle		o;

		random_full_match(&random, &f, 2);
		for (lead = -1; lead <= 1; lead++)
		{
			double		draw;
			double		p;

			rate_with_lead(&f, lead);
			draw = model_draw(f.model, f.params, &f.match);
			p = lead == 0 ? draw : f.team[lead > 0 ? 0 : 1].win - draw / 2;
			assert_true(p > 0 && p < 1);
			rate_with_lead(&f, lead);
			find_oracle(&f, &o);
			for (i = 0; i < o.n; i++)
				change[i] += p * (o.unknown[i].after[0] - o.unknown[i].mean);
			gradient += p * f.player[0].gradient;
			for (i = 0; i < f.match.ncomponents; i++)
				if (f.component[i].number == STATE_SPACE_DRAW)
					log_margin += p * (f.component[i].after[0] - f.component[i].before[0]);
		}
		for (i = 0; i < o.n; i++)
			assert_near(change[i], 0, 1e-11);
		assert_near(gradient, 0, 1e-11);
		assert_near(log_margin, 0, 1e-11);
	}
}

/* The gradient is the derivative of the log likelihood by the mean of the skill. */
static void
test_gradient_by_differences(void **state)
{
	Random		random = {73};
	Fixture		f;
	int			round,
				i;

	(void) state;
	fixture_init(&f, "state_space");
	for (round = 0; round < 300; round++)
	{
		const double h = 1e-5;
		int			lead = round % 3 - 1;
		double		log_likelihood[2];
		double		gradient;
		int			who;

		random_full_match(&random, &f, 2);
		who = random_below(&random, f.match.nplayers);
		rate_with_lead(&f, lead);
		gradient = f.player[who].gradient;
		for (i = 0; i < 2; i++)
		{
			double		draw;

			f.before[who][STATE_SPACE_MU] += i == 0 ? -h : 2 * h;
			assert_status(model_predict(f.model, f.params, &f.match), MATCH_OK);
			draw = model_draw(f.model, f.params, &f.match);
			log_likelihood[i] = log(lead == 0 ? draw :
									f.team[lead > 0 ? 0 : 1].win - draw / 2);
		}
		assert_near(gradient, (log_likelihood[1] - log_likelihood[0]) / (2 * h), 1e-7);
	}
}

/* Fisher's scoring of the draw margin, the derivative by differences. */
static void
test_draw_margin(void **state)
{
	Random		random = {74};
	Fixture		f;
	int			round,
				i;

	(void) state;
	fixture_init(&f, "state_space");
	for (round = 0; round < 300; round++)
	{
		const double h = 1e-5;
		int			lead = round % 3 - 1;
		int			learner = -1;
		double		draw[3];
		double		before[2];
		double		slope;
		double		information;
		double		variance;

		random_full_match(&random, &f, 2);
		rate_with_lead(&f, lead);
		for (i = 0; i < f.match.ncomponents; i++)
			if (f.component[i].number == STATE_SPACE_DRAW)
				learner = i;
		assert_true(learner >= 0);
		memcpy(before, f.component_before[learner], sizeof(before));
		for (i = 0; i < 3; i++)
		{
			f.component_before[learner][0] = before[0] + (i - 1) * h;
			draw[i] = model_draw(f.model, f.params, &f.match);
		}
		slope = (draw[2] - draw[0]) / (2 * h);
		information = square(slope) / (draw[1] * (1 - draw[1]));
		variance = 1 / (1 / square(before[1]) + information);
		assert_near(f.component_after[learner][1], sqrt(variance), 1e-8);
		assert_near(f.component_after[learner][0], before[0] + variance *
					(lead == 0 ? slope / draw[1] : -slope / (1 - draw[1])), 1e-8);
	}

	/* After many matches of which a quarter is drawn, so many are forecast. */
	fixture_init(&f, "state_space");
	set_number(&f, "draw_sigma", 0.5);
	{
		double		learnt[2] = {log(0.05), 0.5};

		for (round = 0; round < 4000; round++)
		{
			fixture_clear(&f);
			fixture_add(&f, 0, 1, 1);
			fixture_add(&f, 1, 2, round % 4 == 0 ? 1 : 2);
			f.before[0][STATE_SPACE_MU] = f.before[1][STATE_SPACE_MU] = 3;
			f.before[0][STATE_SPACE_SIGMA] = f.before[1][STATE_SPACE_SIGMA] = 0.01;
			f.player[0].games = f.player[1].games = 9;
			assert_status(fixture_build(&f), MATCH_OK);
			assert_int_equal(f.match.ncomponents, 1);
			memcpy(f.component_before[0], learnt, sizeof(learnt));
			assert_status(model_rate(f.model, f.params, &f.match), MATCH_OK);
			memcpy(learnt, f.component_after[0], sizeof(learnt));
		}
		assert_near(model_draw(f.model, f.params, &f.match), 0.25, 0.01);
	}
}

/*
 * ---- Invariances ----
 */

/* Only differences of scores count. */
static void
test_scores_from_another_zero(void **state)
{
	Random		random = {80};
	static Fixture f;
	static Fixture moved;
	int			round,
				i,
				j;

	(void) state;
	fixture_init(&f, "state_space");
	for (round = 0; round < 500; round++)
	{
		int			nteams = 2 + random_below(&random, 4);
		double		constant = random_below(&random, 1000) - 500;
		double		score[MAX_TEAMS];

		random_full_match(&random, &f, nteams);
		set_number(&f, "margin", 0.5);
		for (i = 0; i < nteams; i++)
			score[i] = random_below(&random, 10);
		set_scores(&f, score, nteams);
		fixture_rate(&f);
		moved = f;
		moved.match.team = moved.team;
		moved.match.player = moved.player;
		moved.match.entry = moved.entry;
		moved.match.component = moved.component;
		moved.match.share = moved.share;
		for (i = 0; i < f.match.nplayers; i++)
		{
			moved.player[i].before = moved.before[i];
			moved.player[i].after = moved.after[i];
		}
		for (i = 0; i < nteams; i++)
			score[i] += constant;
		set_scores(&moved, score, nteams);
		fixture_rate(&moved);
		for (i = 0; i < f.match.nplayers; i++)
			for (j = 0; j < STATE_SPACE_NSTATE; j++)
				assert_near(moved.after[i][j], f.after[i][j], 1e-11);
		for (i = 0; i < f.match.ncomponents; i++)
			for (j = 0; j < 2; j++)
				assert_near(moved.component_after[i][j], f.component_after[i][j], 1e-11);
	}
}

/*
 * A component is as good as two whose sum it is: what side 1 is worth, or that and what it
 * is worth besides in a context that all have.
 */
static void
test_component_split_in_two(void **state)
{
	Random		random = {81};
	Fixture		f;
	int			round,
				i;

	(void) state;
	fixture_init(&f, "state_space");
	for (round = 0; round < 300; round++)
	{
		double		mean[2] = {random_between(&random, -1, 1), random_between(&random, -1, 1)};
		double		sigma[2] = {random_between(&random, 0.1, 1), random_between(&random, 0.1, 1)};
		double		win[2];
		double		player[2];
		double		sum[2] = {0, 0};
		int			split;

		random_full_match(&random, &f, 2);
		for (i = 0; i < f.n; i++)
			f.row[i].context = 0;
		set_number(&f, "player_context_sigma", 0);
		for (split = 0; split < 2; split++)
		{
			set_number(&f, "home_context_sigma", split);
			assert_status(fixture_build(&f), MATCH_OK);
			for (i = 0; i < f.match.ncomponents; i++)
				if (f.component[i].number <= STATE_SPACE_HOME_CONTEXT)
				{
					int			part = f.component[i].number == STATE_SPACE_HOME_CONTEXT;

					f.component_before[i][0] = split ? mean[part] : mean[0] + mean[1];
					f.component_before[i][1] = split ? sigma[part] :
						hypot(sigma[0], sigma[1]);
				}
			assert_status(model_rate(f.model, f.params, &f.match), MATCH_OK);
			for (i = 0; i < f.match.ncomponents; i++)
				if (f.component[i].number <= STATE_SPACE_HOME_CONTEXT)
					sum[split] += f.component_after[i][0];
			win[split] = f.team[0].win;
			player[split] = f.after[0][STATE_SPACE_MU];
		}
		assert_near(win[1], win[0], 1e-12);
		assert_near(player[1], player[0], 1e-12);
		assert_near(sum[1], sum[0], 1e-11);
	}
}

/* A player with two stints is one with both together. */
static void
test_stints_add_up(void **state)
{
	Random		random = {82};
	Fixture		f;
	int			round,
				i,
				j;

	(void) state;
	fixture_init(&f, "state_space");
	for (round = 0; round < 300; round++)
	{
		double		after[TEST_MAX_ROWS][MODEL_MAX_STATE];
		double		win;
		int			whom;

		random_full_match(&random, &f, 2 + random_below(&random, 3));
		fixture_rate(&f);
		memcpy(after, f.after, sizeof(after));
		win = f.team[0].win;
		whom = random_below(&random, f.n);
		for (i = f.n++; i > whom; i--)
			f.row[i] = f.row[i - 1];
		f.row[whom].weight *= 0.25;
		f.row[whom + 1].weight *= 0.75;
		fixture_rate(&f);
		assert_near(f.team[0].win, win, 1e-12);
		for (i = 0; i < f.match.nplayers; i++)
			for (j = 0; j < STATE_SPACE_NSTATE; j++)
				assert_near(f.after[i][j], after[i][j], 1e-12);
	}
}

/* Teams by other numbers: they, and their sides, are the same. */
static void
test_order_of_teams_does_not_matter(void **state)
{
	Random		random = {83};
	Fixture		f;
	int			round,
				i,
				j;

	(void) state;
	fixture_init(&f, "state_space");
	for (round = 0; round < 500; round++)
	{
		int			nteams = 2 + random_below(&random, 4);
		double		after[TEST_MAX_ROWS][MODEL_MAX_STATE];
		double		win[MAX_TEAMS];
		Participant row[TEST_MAX_ROWS];
		int			n = 0;

		random_full_match(&random, &f, nteams);
		fixture_rate(&f);
		memcpy(after, f.after, sizeof(after));
		for (i = 0; i < nteams; i++)
			win[i] = f.team[i].win;
		for (i = nteams; i >= 1; i--)
			for (j = 0; j < f.n; j++)
				if (f.row[j].team == i)
				{
					row[n] = f.row[j];
					row[n++].team = nteams + 1 - i;
				}
		memcpy(f.row, row, n * sizeof(Participant));
		fixture_rate(&f);
		for (i = 0; i < nteams; i++)
			assert_near(f.team[nteams - 1 - i].win, win[i], 1e-12);
		for (i = 0; i < f.match.nplayers; i++)
			for (j = 0; j < STATE_SPACE_NSTATE; j++)
				assert_near(f.after[i][j], after[i][j], 1e-11);
	}
}

/*
 * ---- What else there is ----
 */

/* Rate, and keep the states after and the forecast. */
static double
rate_and_keep(Fixture *f, double after[][MODEL_MAX_STATE])
{
	fixture_rate(f);
	memcpy(after, f->after, sizeof(f->after));
	return f->team[0].win;
}

/*
 * Without scores, or with scores that contradict the ranks, the order counts; and the
 * forecast is the same whether scores will be known or not.
 */
static void
test_scores_that_do_not_count(void **state)
{
	static const double wrong[][3] = {{NAN, NAN, NAN}, {1, 2, 3}, {2, 2, 1}};
	static double order[TEST_MAX_ROWS][MODEL_MAX_STATE];
	static double other[TEST_MAX_ROWS][MODEL_MAX_STATE];
	Random		random = {84};
	Fixture		f;
	int			round,
				i,
				j;

	(void) state;
	fixture_init(&f, "state_space");
	for (round = 0; round < 200; round++)
	{
		int			nteams = 2 + round % 2;
		double		win;

		random_full_match(&random, &f, nteams);
		win = rate_and_keep(&f, order);
		set_number(&f, "margin", 0.7);
		for (j = 0; j < LENGTH(wrong); j++)
		{
			for (i = 0; i < f.n; i++)
				f.row[i].score = wrong[j][f.row[i].team - 1];
			assert_same(rate_and_keep(&f, other), win);
			assert_memory_equal(other, order, f.match.nplayers * sizeof(order[0]));
		}

		/* Scores that count change what is learnt, not what was forecast. */
		for (i = 0; i < f.n; i++)
			f.row[i].score = 10 - f.row[i].team;
		assert_same(rate_and_keep(&f, other), win);
		assert_true(memcmp(other, order, sizeof(order[0])) != 0);
	}
}

/* A newcomer is as one who was rated what the company says. */
static void
test_newcomers(void **state)
{
	static double known[TEST_MAX_ROWS][MODEL_MAX_STATE];
	static double newcomer[TEST_MAX_ROWS][MODEL_MAX_STATE];
	Random		random = {85};
	Fixture		f;
	int			round,
				i;

	(void) state;
	fixture_init(&f, "state_space");
	for (round = 0; round < 300; round++)
	{
		double		sum = 0;
		double		weight = 0;
		double		shift;
		double		win;

		random_full_match(&random, &f, 2 + round % 2);
		set_number(&f, "initial_mu", 0.5);
		f.model->init(f.params, f.before[1]);
		for (i = 0; i < f.n; i++)
			if (f.row[i].player != 1)
			{
				sum += f.row[i].weight * f.before[f.row[i].player][STATE_SPACE_MU];
				weight += f.row[i].weight;
			}
		shift = 0.3 + 0.8 * (sum / weight - 0.5);
		f.before[1][STATE_SPACE_MU] += shift;
		win = rate_and_keep(&f, known);

		f.before[1][STATE_SPACE_MU] = 0.5;
		f.player[1].games = 0;
		set_number(&f, "newcomer_offset", 0.3);
		set_number(&f, "newcomer_company", 0.8);
		assert_near(rate_and_keep(&f, newcomer), win, 1e-12);
		for (i = 0; i < f.match.nplayers; i++)
			assert_near(newcomer[i][0], known[i][0], 1e-12);

		/* One of whom somebody has said how good they are is none. */
		f.before[1][STATE_SPACE_MU] += shift;
		assert_near(rate_and_keep(&f, newcomer), win, 1e-12);
		fixture_gain(&f, 0);
		f.before[1][STATE_SPACE_MU] = 0.5;
		fixture_rate(&f);
		assert_same(f.after[1][STATE_SPACE_MU], 0.5);
	}
}

/* The process of Ornstein and Uhlenbeck, by steps so small that they add up. */
static void
test_reversion_by_small_steps(void **state)
{
	const int	steps = 200000;
	const double days = 400;
	Fixture		f;
	double		player[STATE_SPACE_NSTATE];
	double		mean = 5;
	double		variance = 0.04;
	int			i;

	(void) state;
	fixture_init(&f, "state_space");
	set_number(&f, "initial_mu", 3);
	set_number(&f, "initial_sigma", 1);
	set_number(&f, "reversion", 0.002);
	set_number(&f, "drift", 0.01);
	f.model->init(f.params, player);
	player[STATE_SPACE_MU] = mean;
	player[STATE_SPACE_SIGMA] = 0.2;
	f.model->age(f.params, player, 86400 * days);
	for (i = 0; i < steps; i++)
	{
		double		dt = days / steps;

		mean += 0.002 * (3 - mean) * dt;
		variance += (2 * 0.002 * (1 - variance) + 0.0001) * dt;
	}
	assert_near(player[STATE_SPACE_MU], mean, 1e-5);
	assert_near(square(player[STATE_SPACE_SIGMA]), variance, 1e-5);

	/* In the long run a player is new, and no more uncertain than that. */
	f.model->age(f.params, player, 86400 * 1e6);
	assert_near(player[STATE_SPACE_MU], 3, 1e-12);
	assert_same(player[STATE_SPACE_SIGMA], 1);

	/* Sides stay as they are. */
	assert_same(player[STATE_SPACE_SIDE_OFFSET], 0);
	assert_same(player[STATE_SPACE_SIDE_SIGMA], 0);
}

/* A club drifts up to its prior deviation, and so does what a side is worth. */
static void
test_age_of_components(void **state)
{
	Fixture		f;
	double		club[2] = {1, 0.3};
	double		home[2] = {1, 0.1};
	const ComponentSpec *spec;

	(void) state;
	fixture_init(&f, "state_space");
	set_number(&f, "club_drift", 0.02);
	set_number(&f, "home_drift", 0.01);
	spec = f.model->rules.component;
	spec[STATE_SPACE_CLUB].age(f.params, club, 86400.0 * 100);
	assert_near(club[1], sqrt(0.09 + 0.04), 1e-15);
	spec[STATE_SPACE_CLUB].age(f.params, club, 86400.0 * 1e5);
	assert_same(club[1], number(&f, "club_sigma"));
	spec[STATE_SPACE_HOME].age(f.params, home, 86400.0 * 100);
	assert_near(home[1], sqrt(0.01 + 0.01), 1e-15);
	assert_same(home[0], 1);
	assert_null(spec[STATE_SPACE_PLAYER_CONTEXT].age);
}

/* Between equals who are known, the context decides: about its logistic function. */
static void
test_log_odds(void **state)
{
	Fixture		f;
	int			i;

	(void) state;
	fixture_init(&f, "state_space");
	set_number(&f, "draw_probability", 0);
	for (i = 0; i < 2; i++)
	{
		f.before[i][STATE_SPACE_SIGMA] = 1e-6;
		fixture_add(&f, i, i + 1, 1);
	}
	f.match.log_odds = 0.1;
	assert_status(fixture_build(&f), MATCH_OK);
	assert_status(model_predict(f.model, f.params, &f.match), MATCH_OK);
	assert_near(f.team[0].win, 1 / (1 + exp(-0.1)), 1e-4);
	assert_near(f.team[0].win, normal_cdf(sqrt(M_PI / 8) * 0.1), 1e-9);
}

/* Commanders count as players unless they have a skill of their own. */
static void
test_commanders_as_players(void **state)
{
	static double plain[TEST_MAX_ROWS][MODEL_MAX_STATE];
	static double commanding[TEST_MAX_ROWS][MODEL_MAX_STATE];
	Random		random = {86};
	Fixture		f;
	int			round,
				i;

	(void) state;
	fixture_init(&f, "state_space");
	for (round = 0; round < 100; round++)
	{
		random_full_match(&random, &f, 2);
		set_number(&f, "initial_command_sigma", 0);
		set_number(&f, "player_context_sigma", 0);
		for (i = 0; i < f.match.nplayers; i++)
			f.before[i][STATE_SPACE_COMMAND_SIGMA] = 0;
		rate_and_keep(&f, commanding);
		for (i = 0; i < f.n; i++)
			f.row[i].commanding = NAN;
		rate_and_keep(&f, plain);
		for (i = 0; i < f.match.nplayers; i++)
		{
			assert_near(commanding[i][0], plain[i][0], 1e-12);
			assert_near(commanding[i][1], plain[i][1], 1e-12);
			assert_same(plain[i][STATE_SPACE_COMMAND_MU], f.before[i][STATE_SPACE_COMMAND_MU]);
		}
	}
}

/* What a part is to have, it has: on, it changes a match of everything; off, it is off. */
static void
test_parts(void **state)
{
	Random		random = {87};
	Fixture		f;
	int			p,
				i;

	(void) state;
	fixture_init(&f, "state_space");
	for (p = 0; p < f.model->nparts; p++)
	{
		const ModelPart *part = &f.model->part[p];
		bool		changed = false;
		int			round;

		for (round = 0; round < 20 && !changed; round++)
		{
			double		before[STATE_SPACE_NSTATE];
			double		after[2][STATE_SPACE_NSTATE];
			double		win[2];
			double		score[2] = {3, 1};
			int			on;

			random_full_match(&random, &f, 2);
			set_scores(&f, score, 2);
			param_defaults(&f.model->params, f.params);
			f.model->init(f.params, f.before[1]);
			f.player[1].games = 0;
			memcpy(before, f.before[1], sizeof(before));
			for (on = 0; on < 2; on++)
			{
				for (i = 0; i < part->nparams; i++)
					f.params[part->param[i].param].number = on ? part->param[i].on :
						part->param[i].off;
				memcpy(f.before[1], before, sizeof(before));
				f.model->age(f.params, f.before[0], 86400.0 * 30);
				fixture_rate(&f);
				win[on] = f.team[0].win;
				memcpy(after[on], f.after[2], sizeof(after[on]));
			}
			changed = win[0] != win[1] || memcmp(after[0], after[1], sizeof(after[0])) != 0;
		}
		if (!changed)
			print_error("part %s\n", part->name);
		assert_true(changed);
	}
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_order_against_integration),
		cmocka_unit_test(test_margin_against_integration),
		cmocka_unit_test(test_expected_change_is_zero),
		cmocka_unit_test(test_gradient_by_differences),
		cmocka_unit_test(test_draw_margin),
		cmocka_unit_test(test_scores_from_another_zero),
		cmocka_unit_test(test_component_split_in_two),
		cmocka_unit_test(test_stints_add_up),
		cmocka_unit_test(test_order_of_teams_does_not_matter),
		cmocka_unit_test(test_scores_that_do_not_count),
		cmocka_unit_test(test_newcomers),
		cmocka_unit_test(test_reversion_by_small_steps),
		cmocka_unit_test(test_age_of_components),
		cmocka_unit_test(test_log_odds),
		cmocka_unit_test(test_commanders_as_players),
		cmocka_unit_test(test_parts),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
