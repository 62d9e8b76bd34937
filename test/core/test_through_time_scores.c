/*
 * test_through_time_scores.c
 *		TrueSkill Through Time where scores are observed: skills, errors and evidence against
 *		dense matrices.
 */
#include "through_time_box.h"

#define DENSE_MATCHES 25
#define DENSE_UNKNOWNS 400
#define DENSE_SLOTS 40

/*
 * What the test knows of a history of scores: values of unknowns at matches, in the order of
 * time, their means and covariances before any match, and which sums are observed.
 */
typedef struct Dense
{
	int			n;
	double		mean[DENSE_UNKNOWNS];
	double		covariance[DENSE_UNKNOWNS][DENSE_UNKNOWNS];
	double		time[DENSE_UNKNOWNS];
	int			slot[DENSE_UNKNOWNS];
	int			slot_last[DENSE_SLOTS]; /* the last value of each, or -1 */
	int			nrows;
	double		row[2 * DENSE_MATCHES][DENSE_UNKNOWNS];
	double		noise[2 * DENSE_MATCHES][2 * DENSE_MATCHES];
	double		observed[2 * DENSE_MATCHES];
} Dense;

/* The value of an unknown at a time: a process of Ornstein and Uhlenbeck, with steps. */
static int
dense_value(Dense *d, int slot, double time, double mean, double sigma, double reversion,
			double drift, double step)
{
	int			last = d->slot_last[slot];
	int			now = d->n;
	double		days;
	double		share;
	int			i;

	if (last >= 0 && d->time[last] == time)
		return last;
	assert_true(d->n < DENSE_UNKNOWNS);
	d->n++;
	d->slot_last[slot] = now;
	d->time[now] = time;
	d->slot[now] = slot;
	d->mean[now] = mean;
	for (i = 0; i <= now; i++)
		d->covariance[i][now] = d->covariance[now][i] = 0;
	if (last < 0)
	{
		d->covariance[now][now] = sigma * sigma;
		return now;
	}
	days = time - d->time[last];
	share = exp(-reversion * days);
	for (i = 0; i < now; i++)
		d->covariance[i][now] = d->covariance[now][i] = share * d->covariance[last][i];
	d->covariance[now][now] = share * share * d->covariance[last][last] + step * step +
		sigma * sigma * (1 - share * share) + drift * drift *
		(reversion > 0 ? (1 - share * share) / (2 * reversion) : days);
	return now;
}

/* The value of an unknown at a time when there is one. */
static int
dense_at(const Dense *d, int slot, double time)
{
	int			i = 0;

	while (d->slot[i] != slot || d->time[i] != time)
		assert_true(++i < d->n);
	return i;
}

/* Solve a x = b by Gauss's algorithm, a symmetric and positive definite; log |a|. */
static double
dense_solve(double (*a)[2 * DENSE_MATCHES], int n, double *b)
{
	double		log_determinant = 0;
	int			i,
				j,
				k;

	for (k = 0; k < n; k++)
	{
		log_determinant += log(a[k][k]);
		for (i = k + 1; i < n; i++)
		{
			double		factor = a[i][k] / a[k][k];

			for (j = k; j < n; j++)
				a[i][j] -= factor * a[k][j];
			b[i] -= factor * b[k];
		}
	}
	for (k = n - 1; k >= 0; k--)
	{
		for (j = k + 1; j < n; j++)
			b[k] -= a[k][j] * b[j];
		b[k] /= a[k][k];
	}
	return log_determinant;
}

/* The covariance of what is observed. */
static void
dense_covariance(const Dense *d, double (*k)[2 * DENSE_MATCHES])
{
	int			r,
				q,
				i,
				j;

	for (r = 0; r < d->nrows; r++)
		for (q = 0; q < d->nrows; q++)
		{
			k[r][q] = d->noise[r][q];
			for (i = 0; i < d->n; i++)
				for (j = 0; d->row[r][i] != 0 && j < d->n; j++)
					k[r][q] += d->row[r][i] * d->covariance[i][j] * d->row[q][j];
		}
}

static double
dense_residual(const Dense *d, int r)
{
	double		residual = d->observed[r];
	int			i;

	for (i = 0; i < d->n; i++)
		residual -= d->row[r][i] * d->mean[i];
	return residual;
}

static double
dense_evidence(const Dense *d)
{
	static double k[2 * DENSE_MATCHES][2 * DENSE_MATCHES];
	double		b[2 * DENSE_MATCHES];
	double		sum = d->nrows * log(2 * M_PI);
	int			r;

	dense_covariance(d, k);
	for (r = 0; r < d->nrows; r++)
		b[r] = dense_residual(d, r);
	sum += dense_solve(k, d->nrows, b);
	for (r = 0; r < d->nrows; r++)
		sum += b[r] * dense_residual(d, r);
	return -sum / 2;
}

/* The mean and variance of a value, given everything. */
static void
dense_posterior(const Dense *d, int value, double *mean, double *variance)
{
	static double k[2 * DENSE_MATCHES][2 * DENSE_MATCHES];
	double		b[2 * DENSE_MATCHES],
				c[2 * DENSE_MATCHES];
	int			r,
				i;

	for (r = 0; r < d->nrows; r++)
	{
		b[r] = 0;
		for (i = 0; i < d->n; i++)
			b[r] += d->row[r][i] * d->covariance[i][value];
		c[r] = b[r];
	}
	dense_covariance(d, k);
	(void) dense_solve(k, d->nrows, b);
	*mean = d->mean[value];
	*variance = d->covariance[value][value];
	for (r = 0; r < d->nrows; r++)
	{
		*mean += b[r] * dense_residual(d, r);
		*variance -= b[r] * c[r];
	}
}

/* The slots of unknowns in the test: players, then what else there is. */
enum
{
	DENSE_PLAYERS = 6,
	DENSE_HOME = DENSE_PLAYERS,
	DENSE_HOME_CONTEXT,
	DENSE_PLAYER_CONTEXT = DENSE_HOME_CONTEXT + 2,
	DENSE_CLUB = DENSE_PLAYER_CONTEXT + 2 * DENSE_PLAYERS
};

static int
dense_drawn(Dense *d, int slot, double time)
{
	if (slot < DENSE_PLAYERS)
		return dense_value(d, slot, time, 25, 8, 0.02, 0.5, 0.7);
	if (slot == DENSE_HOME)
		return dense_value(d, slot, time, 0, 3, 0, 0.1, 0);
	if (slot < DENSE_PLAYER_CONTEXT)
		return dense_value(d, slot, time, 0, 2, 0, 0, 0);
	if (slot < DENSE_CLUB)
		return dense_value(d, slot, time, 0, 1.5, 0, 0, 0);
	return dense_value(d, slot, time, 0, 2.5, 0, 0.2, 0.3);
}

static void
dense_parameters(Box *box)
{
	static const struct
	{
		const char *name;
		double		value;
	}			given[] = {
		{"initial_sigma", 8}, {"reversion", 0.02}, {"drift", 0.5}, {"tau", 0.7},
		{"home_sigma", 3}, {"home_drift", 0.1}, {"home_context_sigma", 2},
		{"player_context_sigma", 1.5}, {"club_sigma", 2.5}, {"club_drift", 0.2},
		{"club_tau", 0.3}, {"margin", 1.5}, {"margin_exponent", 1}
	};
	size_t		i;

	for (i = 0; i < sizeof(given) / sizeof(given[0]); i++)
		box_param(box, given[i].name)->number = given[i].value;
}

/*
 * Add a match of two teams of so many players with everything that the model has, in the
 * history and as a row of the dense problem.
 */
static void
dense_match(Box *box, Dense *d, Random *random, int64_t day, int size, double gain)
{
	const double beta = 25.0 / 6;
	double		scale = sqrt(size);
	int			context = random_below(random, 2);
	int			first = random_below(random, DENSE_PLAYERS);
	int			score[2] = {random_below(random, 9), random_below(random, 9)};
	int			r = d->nrows++;
	int			i;
	size_t		place;

	box_begin(box, day * DAY);
	memset(d->row[r], 0, sizeof(d->row[r]));
	for (i = 0; i < 2 * size; i++)
	{
		int			player = (first + i) % DENSE_PLAYERS;
		int			team = i >= size;
		int			club = (int) ((day + team) % 3);
		double		sign = team == 0 ? 1 : -1;

		place = box_add(box, player, team + 1, score[team] < score[1 - team] ? 2 : 1);
		box_number(box, score, place) = score[team];
		box_number(box, side, place) = team + 1;
		box_number(box, gain, place) = gain;
		box_name(box, 0, context);
		box_name(box, 1, club);
		d->row[r][dense_drawn(d, player, day)] += sign;
		d->row[r][dense_drawn(d, DENSE_PLAYER_CONTEXT + 2 * player + context, day)] += sign;
		if (i % size == 0)
			d->row[r][dense_drawn(d, DENSE_CLUB + club, day)] += sign * scale;
	}
	d->row[r][dense_drawn(d, DENSE_HOME, day)] += scale;
	d->row[r][dense_drawn(d, DENSE_HOME_CONTEXT + context, day)] += scale;
	memset(d->noise[r], 0, sizeof(d->noise[r]));
	d->noise[r][r] = 2 * size * beta * beta / gain;
	d->observed[r] = 1.5 * (score[0] - score[1]) * scale;
}

/* The evidence of what dense_match() adds, beyond the density of what is observed. */
static double
dense_points(int size, double gain)
{
	double		noise = 2 * size * 25.0 / 6 * 25.0 / 6;

	return gain * log(1.5 * sqrt(size)) - (gain - 1) / 2 * log(2 * M_PI * noise) -
		log(gain) / 2;
}

/*
 * Scores with every kind of unknown: the joint distribution is that of dense matrices, in
 * skills, errors and evidence; messages find the same means.
 */
static void
check_scores(double gain)
{
	static Dense d;
	Box		   *box = box_make();
	Random		random = {31};
	ThroughTimeJoint joint;
	ThroughTimeResult solved;
	JointResult result;
	double		points = 0;
	size_t		a;
	int			i;

	memset(&d, 0, sizeof(d));
	for (i = 0; i < DENSE_SLOTS; i++)
		d.slot_last[i] = -1;
	dense_parameters(box);
	for (i = 0; i < DENSE_MATCHES; i++)
	{
		int			size = 1 + i % 2;
		double		weight = i % 5 == 4 ? gain : 1;

		dense_match(box, &d, &random, i / 2 * 3, size, weight);
		points += dense_points(size, weight);
	}
	solved = box_solve(box);
	assert_int_equal(solved.status, SOLVE_CONVERGED);
	result = box_joint(box, &joint);
	assert_int_equal(result.status, SOLVE_CONVERGED);
	assert_int_equal(result.iterations, 1);
	assert_near(result.log_evidence, dense_evidence(&d) + points, 1e-8);
	for (a = 0; a < box->tt.appearances; a++)
	{
		int			kind = through_time_kind(&box->tt, a);
		uint32_t	chain = box->tt.chain[a];
		double		time = (double) box->match[box->tt.match[a]].played_at / DAY;
		double		mu,
					sigma,
					by_messages,
					mean,
					variance;

		through_time_joint_skill(&joint, a, &mu, &sigma);
		through_time_skill(&box->tt, a, &by_messages, &variance);
		if (gain == 1)
			assert_near(by_messages, mu, 1e-6);
		if (kind != UNKNOWN_SKILL && kind != PLAYER_UNKNOWNS + STATE_SPACE_HOME)
			continue;
		dense_posterior(&d, dense_at(&d, kind == UNKNOWN_SKILL ?
									 (int) (chain / PLAYER_UNKNOWNS) : DENSE_HOME, time),
						&mean, &variance);
		assert_near(mu, mean, 1e-8);
		assert_near(sigma, sqrt(variance), 1e-8);
	}
	box_free(box);
}

static void
test_scores(void **state)
{
	(void) state;
	check_scores(1);
	check_scores(2.5);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_scores),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
