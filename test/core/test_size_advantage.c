/*
 * test_size_advantage.c
 *		The advantage of the larger team, of every registered model: against log-odds that
 *		are given, against the definition of what is learned, and in simulations.
 */
#include "random_match.h"

#include "core/math/logistic.h"

#define ROUNDS 100

/* The participants of the largest match of test_extremes(). */
#define MANY 5001

static Fixture box;
static Fixture other;

static void
set_advantage(Fixture *f, int choice, double ratio, double difference)
{
	fixture_param(f, "size_advantage")->choice = choice;
	fixture_param(f, "size_advantage_ratio")->number = ratio;
	fixture_param(f, "size_advantage_difference")->number = difference;
}

/* The component of a match that was built, or NULL. */
static MatchComponent *
find_component(Fixture *f)
{
	MatchComponent *found = NULL;
	int			i;

	for (i = 0; i < f->match.ncomponents; i++)
		if (f->component[i].spec->init == size_advantage_init)
		{
			assert_null(found);
			found = &f->component[i];
		}
	return found;
}

/*
 * A match of teams of these sizes, in a random order of the result.  Players are about
 * equal, and all play all of it.
 */
static void
match_of_sizes(Random *random, Fixture *f, const int *size, int nteams)
{
	double		rank[MAX_TEAMS];
	int			players = 0;
	int			i,
				j;

	fixture_clear(f);
	random_ranks(random, nteams, 0, rank);
	for (i = 0; i < nteams; i++)
		for (j = 0; j < size[i]; j++)
			fixture_add(f, players++, i + 1, rank[i]);
	random_states(random, f, players, ORDINARY);
}

/* The same match, players and states under other parameters. */
static void
copy_match(Fixture *to, const Fixture *from)
{
	int			i;

	*to = *from;
	to->match.team = to->team;
	to->match.player = to->player;
	to->match.entry = to->entry;
	to->match.component = to->component;
	to->match.share = to->share;
	for (i = 0; i < TEST_MAX_ROWS; i++)
	{
		to->player[i].before = to->before[i];
		to->player[i].after = to->after[i];
	}
}

/* The results of two fixtures that were rated, to the last bit. */
static void
assert_same_results(const Fixture *a, const Fixture *b)
{
	int			i,
				j;

	for (i = 0; i < a->match.nteams; i++)
		assert_same(a->team[i].win, b->team[i].win);
	for (i = 0; i < a->match.nplayers; i++)
	{
		assert_same(a->player[i].gradient, b->player[i].gradient);
		for (j = 0; j < a->model->nstate; j++)
			assert_same(a->after[i][j], b->after[i][j]);
	}
}

static void
test_every_model_has_it(void **state)
{
	int			m;

	(void) state;
	for (m = 0; m < model_count; m++)
	{
		const Model *model = model_registry[m];
		int			n = model->rules.ncomponents;

		assert_int_equal(param_find(&model->params, "size_advantage"), SIZE_ADVANTAGE);
		assert_int_equal(param_find(&model->params, "size_advantage_difference"),
						 SIZE_ADVANTAGE_PARAM_DIFFERENCE);
		assert_true(model->rules.component[n - 2].init == size_advantage_init);
	}
}

/* On by default, but where the formula favours the larger team itself. */
static void
test_defaults(void **state)
{
	static const int sizes[] = {3, 4};
	Random		random = {1};
	int			m,
				choice;

	(void) state;
	for (m = 0; m < model_count; m++)
	{
		bool		hive = strcmp(model_registry[m]->name, "hive") == 0;
		bool		synelo = strcmp(model_registry[m]->name, "synelo") == 0;

		fixture_init(&box, model_registry[m]->name);
		match_of_sizes(&random, &box, sizes, 2);
		for (choice = SIZE_ADVANTAGE_AUTO; choice <= SIZE_ADVANTAGE_FIXED; choice++)
		{
			bool		learned = choice == SIZE_ADVANTAGE_LEARNED ||
				(choice == SIZE_ADVANTAGE_AUTO && !hive);

			set_advantage(&box, choice, 0, 0);
			assert_status(fixture_build(&box), MATCH_OK);
			assert_int_equal(find_component(&box) != NULL, learned);
		}
		if (!synelo)
			continue;
		fixture_param(&box, "strict")->flag = true;
		box.model = model_variant(box.model, box.params);
		set_advantage(&box, SIZE_ADVANTAGE_AUTO, 0, 0);
		assert_status(fixture_build(&box), MATCH_OK);
		assert_null(find_component(&box));
		set_advantage(&box, SIZE_ADVANTAGE_LEARNED, 0, 0);
		assert_status(fixture_build(&box), MATCH_OK);
		assert_non_null(find_component(&box));
	}
}

/* Teams of one size have no component, and their results are the same bits. */
static void
test_even_teams_are_untouched(void **state)
{
	Random		random = {2};
	int			m,
				round,
				choice,
				i;

	(void) state;
	for (m = 0; m < model_count; m++)
		for (round = 0; round < ROUNDS; round++)
		{
			bool		many = model_registry[m]->rules.supports & MODEL_MANY_TEAMS;
			int			nteams = many ? 2 + random_below(&random, MAX_TEAMS - 1) : 2;
			int			size[MAX_TEAMS];

			fixture_init(&box, model_registry[m]->name);
			size[0] = 1 + random_below(&random, 6);
			for (i = 1; i < nteams; i++)
				size[i] = size[0];
			match_of_sizes(&random, &box, size, nteams);
			if (nteams == 2)
				box.match.log_odds = random_between(&random, -1, 1);
			copy_match(&other, &box);
			set_advantage(&box, SIZE_ADVANTAGE_NONE, 0, 0);
			fixture_rate(&box);
			for (choice = SIZE_ADVANTAGE_AUTO; choice <= SIZE_ADVANTAGE_FIXED; choice++)
			{
				set_advantage(&other, choice, 2, 0.5);
				fixture_rate(&other);
				assert_null(find_component(&other));
				assert_same_results(&box, &other);
			}
		}
}

/* Who takes a place for the rest of the match keeps the size of the team. */
static void
test_substitutes(void **state)
{
	int			i;

	(void) state;
	fixture_init(&box, "elo");
	for (i = 0; i < 2; i++)
		fixture_add(&box, i, 1, 1)->weight = i == 0 ? 1 : 0.7;
	fixture_add(&box, 2, 1, 1)->weight = 0.3 + 1e-15;
	for (i = 3; i < 5; i++)
		fixture_add(&box, i, 2, 2);
	assert_status(fixture_build(&box), MATCH_OK);
	assert_true(box.team[0].size != box.team[1].size);
	assert_null(find_component(&box));
	box.row[2].weight = 0.25;
	assert_status(fixture_build(&box), MATCH_OK);
	assert_near(box.team[0].size, 1.95, 1e-14);
	assert_non_null(find_component(&box));

	/* Contributions are no play time. */
	fixture_init(&box, "weng_lin");
	fixture_param(&box, "weights")->choice = 1;
	fixture_add(&box, 0, 1, 1)->weight = 0.5;
	fixture_add(&box, 1, 2, 2)->weight = 7;
	assert_status(fixture_build(&box), MATCH_OK);
	assert_null(find_component(&box));
	fixture_add(&box, 2, 2, 2)->weight = 7;
	assert_status(fixture_build(&box), MATCH_OK);
	assert_near(box.team[1].size, 2, 0);
	assert_non_null(find_component(&box));
}

/* What is fixed is log-odds of the match, and what was learned counts in the same way. */
static void
test_two_teams_are_log_odds(void **state)
{
	Random		random = {3};
	int			m,
				round;

	(void) state;
	for (m = 0; m < model_count; m++)
		for (round = 0; round < ROUNDS; round++)
		{
			double		ratio = random_between(&random, -3, 3);
			double		difference = random_between(&random, -0.5, 0.5);
			int			size[2];
			int			first;
			double		n,
						against,
						context,
						draw;

			fixture_init(&box, model_registry[m]->name);
			size[0] = 1 + random_below(&random, 6);
			size[1] = size[0] + 1 + random_below(&random, 3);
			match_of_sizes(&random, &box, size, 2);
			if (random_below(&random, 2))
			{
				int			i;

				for (i = 0; i < box.n; i++)
					box.row[i].side = 3 - box.row[i].team;
			}
			first = isnan(box.row[0].side) ? 0 : 1;
			context = random_between(&random, -1, 1);
			box.match.log_odds = context;
			copy_match(&other, &box);
			n = size[first];
			against = size[1 - first];

			set_advantage(&box, SIZE_ADVANTAGE_FIXED, ratio, difference);
			set_advantage(&other, SIZE_ADVANTAGE_NONE, 0, 0);
			other.match.log_odds += ratio * ((n - against) / (n + against)) +
				difference * (n - against);
			fixture_rate(&box);
			fixture_rate(&other);
			assert_same_results(&box, &other);

			/* Which leaves no gradients. */
			draw = model_draw(box.model, box.params, &box.match);
			if (isnan(draw))
				assert_true(isnan(model_draw(other.model, other.params, &other.match)));
			else
				assert_same(model_draw(other.model, other.params, &other.match), draw);
			fixture_rate(&other);

			/* A state that begins there. */
			set_advantage(&box, SIZE_ADVANTAGE_LEARNED, ratio, difference);
			fixture_rate(&box);
			assert_same_results(&box, &other);
			assert_same(box.match.log_odds, context);
			assert_status(model_predict(box.model, box.params, &box.match), MATCH_OK);
			assert_same(box.team[0].win, other.team[0].win);
		}
}

/*
 * A third team of the mean size that has no chance changes nothing of the advantage of the
 * others: what the advantage is worth in their log-odds is the same with it and without.
 */
static void
test_many_teams_are_two_teams(void **state)
{
	static const int size[] = {5, 3, 4};
	int			m,
				nteams,
				i;

	(void) state;
	for (m = 0; m < model_count; m++)
	{
		double		worth[2];
		double		unit;

		fixture_init(&box, model_registry[m]->name);
		if (!(box.model->rules.supports & MODEL_MANY_TEAMS))
			continue;
		unit = model_log_odds_unit(box.model, box.params);
		for (nteams = 2; nteams <= 3; nteams++)
		{
			double		log_odds[2];

			for (i = 0; i < 2; i++)
			{
				Random		random = {4};
				int			j;

				match_of_sizes(&random, &box, size, nteams);
				for (j = 0; j < box.n; j++)
				{
					box.model->init(box.params, box.before[j]);
					if (box.row[j].team == 3)
						box.before[j][0] -= 1000 * unit;
				}
				set_advantage(&box, SIZE_ADVANTAGE_FIXED, i * 2, i * 0.25);
				fixture_rate(&box);
				log_odds[i] = log(box.team[0].win / box.team[1].win);
			}
			worth[nteams - 2] = log_odds[1] - log_odds[0];
		}

		/* Of two teams about .5 + .5; normal curves and draws make a difference. */
		assert_true(worth[0] > 0.8 && worth[0] < 1.2);
		assert_near(worth[1], worth[0], 0.15);
		print_message("%s: %.3f, of three teams %.3f\n", box.model->name, worth[0], worth[1]);
	}
}

/* Under Luce's choice rule, exactly the advantages of a match of many teams. */
static void
test_luce(void **state)
{
	static const int size[] = {1, 2, 3, 6};
	static const char *const names[] = {"elo", "frag", "glicko"};
	int			k,
				i;

	(void) state;
	for (k = 0; k < 3; k++)
	{
		Random		random = {5};
		double		total = 0;
		double		share[4];

		fixture_init(&box, names[k]);
		match_of_sizes(&random, &box, size, 4);
		for (i = 0; i < box.n; i++)
			box.model->init(box.params, box.before[i]);
		set_advantage(&box, SIZE_ADVANTAGE_FIXED, 1.2, -0.3);
		fixture_rate(&box);
		for (i = 0; i < 4; i++)
			total += share[i] = exp(1.2 * size[i] / (2 * 3) - 0.3 * size[i]);
		for (i = 0; i < 4; i++)
			assert_near(box.team[i].win, share[i] / total, 1e-13);
	}
}

/*
 * Teams of 1, 2 and 3 players at 1500, 1400 and 1650, of which a lead of 100 counts, and who
 * come in in this order.  One more player is worth log-odds of 0.5, which no limit takes: the
 * last team leads both others by 100, as the first does the second.
 */
static void
capped_field(const char *model)
{
	static const double rating[] = {1500, 1400, 1400, 1650, 1650, 1650};
	int			i;

	fixture_init(&box, model);
	for (i = 0; i < 6; i++)
	{
		int			team = i == 0 ? 1 : i < 3 ? 2 : 3;

		fixture_add(&box, i, team, team);
		box.model->init(box.params, box.before[i]);
		box.before[i][0] = rating[i];
	}
	fixture_param(&box, "max_lead")->number = 100;
	set_advantage(&box, SIZE_ADVANTAGE_FIXED, 0, 0.5);
}

/* The forecast, where a lead of 100 points is worth these log-odds, and advantages come on top. */
static void
assert_capped_shares(double log_odds)
{
	double		share[] = {exp(0.5 - log_odds), exp(1 - log_odds), exp(1.5)};
	int			i;

	for (i = 0; i < 3; i++)
		assert_near(box.team[i].win, share[i] / (share[0] + share[1] + share[2]), 1e-13);
}

/* The limit of the lead is one of ratings, and not of what the larger team has in advance. */
static void
test_advantage_above_the_limit(void **state)
{
	double		capped = 0.25 * M_LN10;
	double		z = 100 / (M_SQRT2 * 200);
	double		p[3],
				change[3];
	int			form,
				i;

	(void) state;
	capped_field("glicko");
	fixture_rate(&box);
	/* All deviations are 350. */
	assert_capped_shares(capped / sqrt(1 + 3 * 2 * pow(350 * M_LN10 / 400 / M_PI, 2)));

	/* The first against the second, the first and the second against the third. */
	for (form = 0; form < 2; form++)
	{
		capped_field("elo");
		if (form == 0)
		{
			p[0] = 1 / (1 + exp(0.5 - capped));
			p[1] = 1 / (1 + exp(1 + capped));
			p[2] = 1 / (1 + exp(0.5 + capped));
		}
		else
		{
			/* A log-odds of 1 is sqrt(pi / 8) of the deviation of a difference. */
			fixture_param(&box, "form")->choice = 1;
			fixture_param(&box, "beta")->number = 200;
			p[0] = 0.5 * erfc((0.5 * sqrt(M_PI / 8) - z) / M_SQRT2);
			p[1] = 0.5 * erfc((sqrt(M_PI / 8) + z) / M_SQRT2);
			p[2] = 0.5 * erfc((0.5 * sqrt(M_PI / 8) + z) / M_SQRT2);
		}
		fixture_rate(&box);
		if (form == 0)
			assert_capped_shares(capped);
		change[0] = 16 * (1 - p[0] + 1 - p[1]);
		change[1] = 16 * (p[0] - 1 + 1 - p[2]);
		change[2] = 16 * (p[1] - 1 + p[2] - 1);
		for (i = 0; i < 6; i++)
			assert_near(box.after[i][0] - box.before[i][0],
						change[i == 0 ? 0 : i < 3 ? 1 : 2], 1e-10);
	}

	/* What a pair exchanges goes to each member of the smaller team, and is shared by the larger. */
	capped_field("frag");
	fixture_rate(&box);
	assert_capped_shares(capped);
	p[0] = 1 / (1 + exp(0.5 - capped));
	p[1] = 1 / (1 + exp(1 + capped));
	p[2] = 1 / (1 + exp(0.5 + capped));
	change[0] = 20 * (1 - p[0] + 1 - p[1]);
	change[1] = 20 * ((p[0] - 1) / 2 + 1 - p[2]);
	change[2] = 20 * ((p[1] - 1) / 3 + (p[2] - 1) * 2 / 3);
	for (i = 0; i < 6; i++)
		assert_near(box.after[i][0] - box.before[i][0], change[i == 0 ? 0 : i < 3 ? 1 : 2], 1e-10);
}

/* In whichever order players and teams are. */
static void
test_order(void **state)
{
	Random		random = {6};
	int			m,
				round;

	(void) state;
	for (m = 0; m < model_count; m++)
		for (round = 0; round < ROUNDS; round++)
		{
			bool		many = model_registry[m]->rules.supports & MODEL_MANY_TEAMS;
			int			nteams = many ? 2 + random_below(&random, 3) : 2;
			int			size[MAX_TEAMS];
			int			i,
						j;
			double		after[2];

			fixture_init(&box, model_registry[m]->name);
			set_advantage(&box, SIZE_ADVANTAGE_LEARNED, 2, 0.3);
			for (i = 0; i < nteams; i++)
				size[i] = 1 + random_below(&random, 5);
			size[0] = size[1] + 1;
			match_of_sizes(&random, &box, size, nteams);
			for (i = 0; i < box.n; i++)
				box.row[i].weight = random_between(&random, 0.9, 1);
			copy_match(&other, &box);
			fixture_rate(&box);

			/* The last team first, and its players from the last on. */
			for (i = 0; i < box.n; i++)
			{
				j = box.n - 1 - i;
				other.row[i] = box.row[j];
				other.row[i].player = i;
				other.row[i].team = nteams - other.row[i].team;
				memcpy(other.before[i], box.before[j], sizeof(box.before[j]));
				other.player[i].games = box.player[j].games;
			}
			fixture_rate(&other);
			for (i = 0; i < nteams; i++)
				assert_near(other.team[i].win, box.team[nteams - 1 - i].win, 1e-10);
			for (i = 0; i < 2; i++)
			{
				after[0] = find_component(&box)->after[i];
				after[1] = find_component(&other)->after[i];
				assert_near(after[1], after[0], 1e-9);
			}
		}
}

/*
 * After one match of new players the coefficients are where the prior holds the likelihood:
 * the sum over teams of (share of the first place - probability) * feature * variance.  What
 * else the forecast consists of is its log-odds minus the advantage before.
 */
static void
test_learning(void **state)
{
	static const double variance[] = {9, 1};
	Random		random = {7};
	int			m,
				round,
				i,
				j;

	(void) state;
	for (m = 0; m < model_count; m++)
		for (round = 0; round < ROUNDS; round++)
		{
			bool		many = model_registry[m]->rules.supports & MODEL_MANY_TEAMS;
			int			nteams = many ? 2 + random_below(&random, 3) : 2;
			int			size[MAX_TEAMS];
			double		x[MAX_TEAMS][2];
			double		share[MAX_TEAMS];
			double		odds[MAX_TEAMS];
			double		mean = 0;
			double		total = 0;
			double		gain = random_between(&random, 0.1, 2);
			double		prior[2];
			MatchComponent *component;

			for (i = 0; i < 2; i++)
				prior[i] = round % 2 ? random_between(&random, -1, 1) : 0;
			fixture_init(&box, model_registry[m]->name);
			set_advantage(&box, SIZE_ADVANTAGE_LEARNED, prior[0], prior[1]);
			for (i = 0; i < nteams; i++)
				size[i] = 1 + random_below(&random, 5);
			size[0] = size[1] + 1;
			match_of_sizes(&random, &box, size, nteams);
			fixture_gain(&box, gain);
			fixture_rate(&box);
			component = find_component(&box);
			for (i = 0; i < nteams; i++)
				mean += (double) size[i] / nteams;
			for (i = 0; i < nteams; i++)
			{
				x[i][0] = (size[i] - mean) / (2 * mean);
				x[i][1] = size[i] - mean;
				odds[i] = box.team[i].win * exp((component->after[0] - prior[0]) * x[i][0] +
												(component->after[1] - prior[1]) * x[i][1]);
				total += odds[i];
				share[i] = box.team[i].rank == 1;
			}
			for (j = 0; j < 2; j++)
			{
				double		pull = 0;

				for (i = 0; i < nteams; i++)
					pull += (share[i] - odds[i] / total) * x[i][j];
				assert_near(component->after[j] - prior[j], variance[j] * gain * pull, 1e-8);
			}

			/* A match without weight teaches nothing. */
			fixture_gain(&box, 0);
			fixture_rate(&box);
			component = find_component(&box);
			for (j = 0; j < SIZE_ADVANTAGE_NSTATE; j++)
				assert_same(component->after[j], component->before[j]);
		}
}

/* A match of more players than a Fixture has. */
typedef struct Crowd
{
	Participant row[MANY];
	MatchTeam	team[MANY];
	MatchPlayer player[MANY];
	MatchEntry	entry[MANY];
	MatchComponent component[MANY];
	MatchShare	share[MANY];
	double		before[MANY][MODEL_MAX_STATE];
	double		after[MANY][MODEL_MAX_STATE];
	double		state[COMPONENT_MAX_STATE];
	double		state_after[COMPONENT_MAX_STATE];
} Crowd;

static Crowd crowd;

/* One player of weight against n, several times over, who wins every other time. */
static void
play_crowd(const Model *model, ParamValue *params, int n, double weight, int matches)
{
	int			m,
				i,
				j;

	for (i = 0; i <= n; i++)
		model->init(params, crowd.before[i]);
	size_advantage_init(params, crowd.state);
	for (m = 0; m < matches; m++)
	{
		Match		match = {.nplayers = n + 1,.team = crowd.team,.player = crowd.player,
			.entry = crowd.entry,.component = crowd.component,
		.share = crowd.share};
		int			offender;
		MatchStatus status;

		for (i = 0; i <= n; i++)
		{
			crowd.row[i] = participant_default;
			crowd.row[i].player = i;
			crowd.row[i].team = i == 0 ? 1 : 2;
			crowd.row[i].rank = (i == 0) == (m % 2 == 0) ? 1 : 2;
			crowd.row[i].weight = i == 0 ? weight : 1;
		}
		status = match_build(&model->rules, params, crowd.row, n + 1, &match, &offender);
		if (status == MATCH_TOO_MANY_PLAYERS_FOR_MODEL)
			return;
		assert_status(status, MATCH_OK);
		for (i = 0; i <= n; i++)
		{
			crowd.player[i].before = crowd.before[i];
			crowd.player[i].after = crowd.after[i];
			crowd.player[i].games = m;
		}
		for (i = 0; i < match.ncomponents; i++)
		{
			assert_true(crowd.component[i].spec->init == size_advantage_init);
			crowd.component[i].before = crowd.state;
			crowd.component[i].after = crowd.state_after;
		}
		assert_status(model_rate(model, params, &match), MATCH_OK);
		assert_true(crowd.team[0].win >= 0 && crowd.team[0].win <= 1);
		for (j = 0; match.ncomponents > 0 && j < SIZE_ADVANTAGE_NSTATE; j++)
		{
			assert_true(isfinite(crowd.state_after[j]));
			crowd.state[j] = crowd.state_after[j];
		}
		for (i = 0; i <= n; i++)
			for (j = 0; j < model->nstate; j++)
			{
				assert_true(isfinite(crowd.after[i][j]));
				crowd.before[i][j] = crowd.after[i][j];
			}
	}
}

/* Crowds, tiny shares of a match and coefficients as large as parameters can be. */
static void
test_extremes(void **state)
{
	static ParamValue params[TEST_MAX_PARAMS];
	int			m,
				choice;

	(void) state;
	for (m = 0; m < model_count; m++)
		for (choice = SIZE_ADVANTAGE_LEARNED; choice <= SIZE_ADVANTAGE_FIXED; choice++)
		{
			const Model *model = model_registry[m];

			param_defaults(&model->params, params);
			params[SIZE_ADVANTAGE].choice = choice;
			params[SIZE_ADVANTAGE_PARAM_RATIO].number = choice == SIZE_ADVANTAGE_FIXED ? 1000 : 0;
			params[SIZE_ADVANTAGE_PARAM_DIFFERENCE].number = choice == SIZE_ADVANTAGE_FIXED ?
				1000 : 0;
			play_crowd(model, params, MANY - 1, 1, 4);
			play_crowd(model, params, 4, 0.001, 20);
			play_crowd(model, params, 1, 0.001, 20);
			play_crowd(model, params, 1, 1e-100, 4);
		}
}

/* No advantage is beyond 10 in log-odds, which of elo are the log-odds themselves. */
static void
test_bound(void **state)
{
	static const int size[] = {9, 1};
	Random		random = {8};
	int			i;

	(void) state;
	fixture_init(&box, "elo");
	match_of_sizes(&random, &box, size, 2);
	for (i = 0; i < 10; i++)
		box.before[i][0] = 1500;
	set_advantage(&box, SIZE_ADVANTAGE_FIXED, 0, 1.2);
	fixture_rate(&box);
	assert_near(box.team[0].win, 1 / (1 + exp(-9.6)), 1e-13);
	set_advantage(&box, SIZE_ADVANTAGE_FIXED, 0, -3);
	fixture_rate(&box);
	assert_near(box.team[0].win, 1 / (1 + exp(10)), 1e-13);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_every_model_has_it),
		cmocka_unit_test(test_defaults),
		cmocka_unit_test(test_even_teams_are_untouched),
		cmocka_unit_test(test_substitutes),
		cmocka_unit_test(test_two_teams_are_log_odds),
		cmocka_unit_test(test_many_teams_are_two_teams),
		cmocka_unit_test(test_luce),
		cmocka_unit_test(test_advantage_above_the_limit),
		cmocka_unit_test(test_order),
		cmocka_unit_test(test_learning),
		cmocka_unit_test(test_extremes),
		cmocka_unit_test(test_bound),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
