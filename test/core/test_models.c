/*
 * test_models.c
 *		What holds for every model in the registry, whatever its mathematics.
 */
#include <float.h>

#include "random_match.h"

static void
test_registry(void **state)
{
	int			i,
				j;

	(void) state;
	assert_true(model_count >= 2);
	for (i = 0; i < model_count; i++)
	{
		const Model *model = model_registry[i];

		assert_true(model->name[0] != '\0');
		assert_true(model->summary[0] != '\0');
		assert_true(model->source[0] != '\0');
		assert_ptr_equal(model_find(model->name), model);
		assert_string_equal(model->params.kind, "model");
		assert_string_equal(model->params.name, model->name);
		for (j = 0; j < i; j++)
			assert_string_not_equal(model_registry[j]->name, model->name);

		assert_non_null(model->init);
		assert_non_null(model->predict);
		assert_non_null(model->rate);
		assert_non_null(model->display);
		assert_true(model->nstate >= 1 && model->nstate <= MODEL_MAX_STATE);
		for (j = 0; j < model->nstate; j++)
		{
			assert_true(model->state[j].name[0] != '\0');
			assert_true(model->state[j].description[0] != '\0');
			assert_false(isnan(model->state[j].min));
		}
	}
	assert_null(model_find("none"));
	assert_null(model_find(""));
	assert_null(model_find("ELO"));
}

static void
test_parameters(void **state)
{
	int			m,
				i,
				j;

	(void) state;
	for (m = 0; m < model_count; m++)
	{
		const Model *model = model_registry[m];
		ParamValue	params[TEST_MAX_PARAMS];

		assert_true(model->params.count <= TEST_MAX_PARAMS);
		param_defaults(&model->params, params);
		assert_int_equal(param_find(&model->params, "none"), -1);
		/* By its defaults a model is as the registry has it. */
		assert_ptr_equal(model_variant(model, params), model);
		for (i = 0; i < model->params.count; i++)
		{
			const ParamSpec *spec = param_spec(&model->params, i);

			assert_int_equal(param_find(&model->params, spec->name), i);
			assert_true(spec->description[0] != '\0');
			switch (spec->type)
			{
				case PARAM_NUMBER:
					assert_non_null(spec->unit);
					assert_true(spec->min <= spec->max);
					assert_true(param_in_range(spec, spec->default_value));
					assert_same(params[i].number, spec->default_value);
					break;
				case PARAM_CHOICE:
					assert_non_null(spec->choices);
					assert_true(params[i].choice == spec->default_value);
					assert_true(params[i].choice >= 0 && params[i].choice <= number_of_choices(spec) - 1);
					for (j = 1; j < number_of_choices(spec); j++)
						assert_string_not_equal(spec->choices[j - 1],
												spec->choices[j]);
					break;
				case PARAM_FLAG:
					assert_true(spec->default_value == 0 || spec->default_value == 1);
					assert_int_equal(params[i].flag, spec->default_value != 0);
					break;
				case PARAM_STEPS:
					assert_non_null(spec->unit);
					assert_int_equal(params[i].steps.n, 0);
					break;
			}
		}
	}
}

/* A value of a parameter of a part is one that the parameter can have. */
static void
check_part_value(const ParamSpec *spec, double value)
{
	if (spec->type == PARAM_NUMBER)
		assert_true(param_in_range(spec, value));
	else if (spec->type == PARAM_FLAG)
		assert_true(value == 0 || value == 1);
	else
	{
		assert_int_equal(spec->type, PARAM_CHOICE);
		assert_true(value >= 0 && value < number_of_choices(spec) && value == floor(value));
	}
}

/* Parts have names of their own, parameters that there are, and need what counts. */
static void
test_parts(void **state)
{
	int			m,
				p,
				i;

	(void) state;
	for (m = 0; m < model_count; m++)
	{
		const Model *model = model_registry[m];

		assert_true(model->nparts >= 0 && model->nparts <= MODEL_MAX_PARTS);
		for (p = 0; p < model->nparts; p++)
		{
			const ModelPart *part = &model->part[p];
			unsigned	supports = model->rules.supports;

			assert_true(part->name[0] != '\0' && part->description[0] != '\0');
			for (i = 0; i < p; i++)
				assert_string_not_equal(model->part[i].name, part->name);

			/*
			 * The parts that all models have take sides and sizes into
			 * account themselves.
			 */
			if (p >= model->nparts - MODEL_NCOMMON_PARTS)
				supports |= MODEL_SIDE | MODEL_UNEVEN;
			assert_int_equal(part->needs & ~supports, 0);
			assert_true(part->nparams >= 1 && part->nparams <= MODEL_PART_MAX_PARAMS);
			for (i = 0; i < part->nparams; i++)
			{
				const PartParam *param = &part->param[i];

				assert_true(param->param >= 0 && param->param < model->params.count);
				check_part_value(param_spec(&model->params, param->param), param->off);
				check_part_value(param_spec(&model->params, param->param), param->on);
			}

			/*
			 * A number that only waits for another part begins at its
			 * default.
			 */
			assert_true(part->beside != NULL || part->param[0].on != part->param[0].off);
		}
	}
}

/* Equal parameters are equal bytes, whatever the memory held before. */
static void
test_default_parameters_are_equal_bytes(void **state)
{
	static ParamValue a[TEST_MAX_PARAMS];
	static ParamValue b[TEST_MAX_PARAMS];
	int			m;

	(void) state;
	for (m = 0; m < model_count; m++)
	{
		size_t		size = model_registry[m]->params.count * sizeof(ParamValue);

		memset(a, 0x55, sizeof(a));
		memset(b, 0xAA, sizeof(b));
		param_defaults(&model_registry[m]->params, a);
		param_defaults(&model_registry[m]->params, b);
		assert_memory_equal(a, b, size);
	}
}

static void
test_range_of_a_parameter(void **state)
{
	ParamSpec	spec = {.name = "x",.type = PARAM_NUMBER,.min = 0,.max = 10};
	ParamSpec	open = {.name = "x",.type = PARAM_NUMBER,.min = -INFINITY,
	.max = INFINITY};

	(void) state;
	assert_true(param_in_range(&spec, 0));
	assert_true(param_in_range(&spec, 10));
	assert_false(param_in_range(&spec, -5e-324));
	assert_false(param_in_range(&spec, nextafter(10, 11)));
	assert_false(param_in_range(&spec, NAN));
	assert_false(param_in_range(&spec, INFINITY));
	assert_false(param_in_range(&spec, -INFINITY));
	spec.above_min = true;
	assert_false(param_in_range(&spec, 0));
	assert_true(param_in_range(&spec, 5e-324));
	assert_true(param_in_range(&open, -INFINITY));
	assert_true(param_in_range(&open, INFINITY));
	assert_false(param_in_range(&open, NAN));
}

static void
test_new_players(void **state)
{
	Random		random = {40};
	Fixture		f;
	int			m,
				i,
				j;

	(void) state;
	for (m = 0; m < model_count; m++)
	{
		fixture_init(&f, model_registry[m]->name);
		for (i = 0; i < 1000; i++)
		{
			double		first[MODEL_MAX_STATE];
			double		coefficient[MODEL_MAX_STATE + 1];
			double		sum;

			random_params(&random, &f, i == 0 ? ORDINARY : EXTREME);
			f.model->init(f.params, first);
			assert_true(model_state_valid(f.model, first));
			assert_true(isfinite(model_display(f.model, f.params, first)));

			/* The displayed rating is the linear form that it says it is. */
			f.model->display(f.params, coefficient);
			sum = coefficient[f.model->nstate];
			for (j = 0; j < f.model->nstate; j++)
			{
				assert_true(isfinite(coefficient[j]));
				sum += coefficient[j] * first[j];
			}
			assert_near(model_display(f.model, f.params, first), sum,
						1e-12 * (1 + fabs(sum)));
		}
	}
}

/* Columns that the linear form leaves out are not looked at, even if NaN. */
static void
test_display_ignores_what_does_not_count(void **state)
{
	Fixture		f;
	int			m,
				j;

	(void) state;
	for (m = 0; m < model_count; m++)
	{
		double		coefficient[MODEL_MAX_STATE + 1];
		double		expected;

		fixture_init(&f, model_registry[m]->name);
		expected = model_display(f.model, f.params, f.before[0]);
		f.model->display(f.params, coefficient);
		for (j = 0; j < f.model->nstate; j++)
			if (coefficient[j] == 0)
				f.before[0][j] = NAN;
		assert_same(model_display(f.model, f.params, f.before[0]), expected);
	}
}

/* NaN, infinity or less than the minimum, in any column of any player. */
static void
test_unsound_states_are_refused(void **state)
{
	static const double bad[] = {NAN, INFINITY, -INFINITY};
	Fixture		f;
	int			m,
				i,
				j,
				k;

	(void) state;
	for (m = 0; m < model_count; m++)
		for (i = 0; i < 3; i++)
			for (j = 0; j < model_registry[m]->nstate; j++)
				for (k = 0; k < 4; k++)
				{
					double		min = model_registry[m]->state[j].min;

					fixture_init(&f, model_registry[m]->name);
					fixture_add(&f, 0, 1, 1);
					fixture_add(&f, 1, 2, 2);
					/* One more that the match knows. */
					f.match.nplayers = 3;
					fixture_rate(&f);

					if (k < 3)
						f.before[i][j] = bad[k];
					else if (isfinite(min))
						f.before[i][j] = nextafter(min, -INFINITY);
					else
						continue;
					assert_false(model_state_valid(f.model, f.before[i]));
					assert_status(model_rate(f.model, f.params, &f.match),
								  MATCH_BAD_STATE);
					if (isfinite(min))
					{
						f.before[i][j] = min;
						assert_true(model_state_valid(f.model, f.before[i]));
					}
				}
}

/* Players who exchange wins of the highest gain leave every range in the end. */
static void
test_overflow_is_reported(void **state)
{
	Fixture		f;
	int			m;

	(void) state;
	for (m = 0; m < model_count; m++)
	{
		MatchStatus status = MATCH_OK;
		int			round;

		if (!(model_registry[m]->rules.supports & MODEL_GAIN))
			continue;
		fixture_init(&f, model_registry[m]->name);
		for (round = 0; round < 10 && status == MATCH_OK; round++)
		{
			fixture_clear(&f);
			fixture_add(&f, 0, 1, 1 + round % 2);
			fixture_add(&f, 1, 2, 2 - round % 2);
			fixture_gain(&f, DBL_MAX);
			assert_status(fixture_build(&f), MATCH_OK);
			status = model_rate(f.model, f.params, &f.match);
			fixture_advance(&f);
		}
		assert_status(status, MATCH_OVERFLOW);
	}
}

/* What was predicted before is what the history of the match will say. */
static void
test_predict_equals_rate_to_the_last_bit(void **state)
{
	Random		random = {41};
	Fixture		f;
	int			m,
				round,
				i;

	(void) state;
	for (m = 0; m < model_count; m++)
	{
		fixture_init(&f, model_registry[m]->name);
		for (round = 0; round < 5000; round++)
		{
			double		predicted[MAX_TEAMS];
			double		total = 0;

			random_params(&random, &f, ORDINARY);
			random_match(&random, &f, ORDINARY);
			assert_status(fixture_build(&f), MATCH_OK);
			for (i = 0; i < f.match.nteams; i++)
				assert_true(isnan(f.team[i].win));
			assert_status(model_predict(f.model, f.params, &f.match), MATCH_OK);
			for (i = 0; i < f.match.nteams; i++)
			{
				predicted[i] = f.team[i].win;
				total += f.team[i].win;
			}
			/* A team on its own meets an equal. */
			assert_near(total, f.match.nteams == 1 ? 0.5 : 1, 1e-12);
			fixture_rate(&f);
			for (i = 0; i < f.match.nteams; i++)
				assert_same(f.team[i].win, predicted[i]);
		}
	}
}

/*
 * Of two teams each wins by at least half of the draws, whatever the result of the match;
 * asking does not change what rating says.
 */
static void
test_draws(void **state)
{
	Random		random = {45};
	Fixture		f;
	int			drawing = 0;
	int			m,
				round,
				i;

	(void) state;
	for (m = 0; m < model_count; m++)
	{
		int			draws = 0;

		fixture_init(&f, model_registry[m]->name);
		for (round = 0; round < 2000; round++)
		{
			double		after[MODEL_MAX_STATE];
			double		draw;

			random_params(&random, &f, ORDINARY);
			random_match(&random, &f, ORDINARY);
			fixture_rate(&f);
			memcpy(after, f.after[0], sizeof(double) * (size_t) f.model->nstate);
			draw = model_draw(f.model, f.params, &f.match);
			if (f.match.nteams != 2 || f.model->draw == NULL)
			{
				assert_true(isnan(draw));
				continue;
			}
			draws += draw > 0;
			for (i = 0; i < 2 && !isnan(draw); i++)
				assert_true(draw >= 0 && draw / 2 <= f.team[i].win + 1e-12);
			for (i = 0; i < 2; i++)
				f.match.team[i].rank = 3 - f.match.team[i].rank;
			assert_true(isnan(draw) || model_draw(f.model, f.params, &f.match) == draw);
			for (i = 0; i < 2; i++)
				f.match.team[i].rank = 3 - f.match.team[i].rank;
			fixture_rate(&f);
			assert_memory_equal(after, f.after[0], sizeof(double) * (size_t) f.model->nstate);
		}
		drawing += draws > 100;
		assert_int_equal(draws > 0, f.model->draw != NULL);
	}
	assert_int_equal(drawing, 4);
}

/* The same match twice gives the same bits, and its input stays as it was. */
static void
test_rating_is_a_function_of_its_input(void **state)
{
	static Fixture f;
	static Fixture saved;
	Random		random = {42};
	int			m,
				round,
				i;

	(void) state;
	for (m = 0; m < model_count; m++)
	{
		fixture_init(&f, model_registry[m]->name);
		for (round = 0; round < 2000; round++)
		{
			random_params(&random, &f, ORDINARY);
			random_match(&random, &f, ORDINARY);
			fixture_rate(&f);
			memcpy(&saved, &f, sizeof(f));
			fixture_rate(&f);
			assert_memory_equal(f.before, saved.before, sizeof(f.before));
			assert_memory_equal(f.after, saved.after, sizeof(f.after));
			assert_memory_equal(f.params, saved.params, sizeof(f.params));
			assert_memory_equal(f.entry, saved.entry, sizeof(f.entry));
			for (i = 0; i < f.match.nplayers; i++)
				assert_same(f.player[i].gradient, saved.player[i].gradient);
		}
	}
}

/* The order of the participants within a team changes nothing but rounding. */
static void
test_order_within_a_team_does_not_matter(void **state)
{
	Random		random = {43};
	Fixture		f;
	int			m,
				round,
				i,
				j;

	(void) state;
	for (m = 0; m < model_count; m++)
	{
		fixture_init(&f, model_registry[m]->name);
		for (round = 0; round < 5000; round++)
		{
			double		after[TEST_MAX_ROWS][MODEL_MAX_STATE];
			double		win[MAX_TEAMS];
			int			nteams;

			random_params(&random, &f, ORDINARY);
			random_match(&random, &f, ORDINARY);
			fixture_rate(&f);
			nteams = f.match.nteams;
			memcpy(after, f.after, sizeof(after));
			for (i = 0; i < nteams; i++)
				win[i] = f.team[i].win;

			for (i = f.n - 1; i > 0; i--)
			{
				j = random_below(&random, i + 1);
				if (f.row[i].team == f.row[j].team)
				{
					Participant swap = f.row[i];

					f.row[i] = f.row[j];
					f.row[j] = swap;
				}
			}
			fixture_rate(&f);
			for (i = 0; i < nteams; i++)
				assert_near(f.team[i].win, win[i], 1e-12);
			for (i = 0; i < f.match.nplayers; i++)
				for (j = 0; j < f.model->nstate; j++)
					assert_near(f.after[i][j], after[i][j],
								1e-12 * (1 + fabs(after[i][j])));
		}
	}
}

/* A match of no gain is played for nothing: the whole state stays. */
static void
test_no_gain_leaves_the_state_unchanged(void **state)
{
	Random		random = {44};
	Fixture		f;
	int			m,
				round,
				i,
				j;

	(void) state;
	for (m = 0; m < model_count; m++)
	{
		if (!(model_registry[m]->rules.supports & MODEL_GAIN))
			continue;
		fixture_init(&f, model_registry[m]->name);
		for (round = 0; round < 5000; round++)
		{
			random_params(&random, &f, ORDINARY);
			random_match(&random, &f, ORDINARY);
			fixture_gain(&f, 0);
			fixture_rate(&f);
			for (i = 0; i < f.match.nplayers; i++)
				for (j = 0; j < f.model->nstate; j++)
					assert_same(f.after[i][j], f.before[i][j]);
		}
	}
}

/* Rate a match of which all participants of a player have that gain. */
static void
rate_with_gain(Fixture *f, int player, double gain)
{
	int			i;

	for (i = 0; i < f->n; i++)
		if (f->row[i].player == player)
			f->row[i].gain = gain;
	fixture_rate(f);
}

/* Nobody's part in a match differs in a bit, but for the state of who has the gain. */
static void
check_others(const Fixture *f, const Fixture *plain, int who, double gain)
{
	int			i,
				j;

	for (i = 0; i < f->match.nteams; i++)
		assert_same(f->team[i].win, plain->team[i].win);
	for (i = 0; i < f->match.nplayers; i++)
	{
		assert_same(f->player[i].gradient, plain->player[i].gradient);
		assert_same(f->player[i].gain, i == who ? gain : 1);
		for (j = 0; j < f->model->nstate; j++)
			if (i != who || gain == 1)
				assert_same(f->after[i][j], plain->after[i][j]);
			else if (gain == 0)
				assert_same(f->after[i][j], f->before[i][j]);
	}
}

/*
 * A gain is its player's alone.  The main column moves in proportion, but where a
 * floor or whole points are in the way.
 */
static void
test_gain_of_one_player(void **state)
{
	static const double gains[] = {0, 0.5, 2, 1};
	Random		random = {48};
	static Fixture plain;
	static Fixture f;
	int			m,
				round,
				g;

	(void) state;
	for (m = 0; m < model_count; m++)
	{
		int			moved = 0;
		int			doubled = 0;

		if (!(model_registry[m]->rules.supports & MODEL_GAIN))
			continue;
		fixture_init(&f, model_registry[m]->name);
		for (round = 0; round < 2000; round++)
		{
			double		change;
			int			who;

			random_params(&random, &f, ORDINARY);
			random_match(&random, &f, ORDINARY);
			fixture_gain(&f, NAN);
			fixture_rate(&f);
			plain = f;
			who = random_below(&random, f.match.nplayers);
			change = plain.after[who][0] - plain.before[who][0];
			for (g = 0; g < LENGTH(gains); g++)
			{
				rate_with_gain(&f, who, gains[g]);
				check_others(&f, &plain, who, gains[g]);
				moved += gains[g] == 2 && fabs(change) > 1e-6;
				doubled += gains[g] == 2 && fabs(change) > 1e-6 &&
					fabs(f.after[who][0] - f.before[who][0] - 2 * change) <=
					1e-9 * fabs(change) + 1e-12 * fabs(f.before[who][0]);
			}
		}
		assert_true(moved > 1000 && doubled > moved / 8);
	}
}

/* Players who all have the same gain have it exactly, whatever they played. */
static void
test_equal_gains_are_exact(void **state)
{
	Random		random = {49};
	static Fixture f;
	int			m,
				round,
				i;

	(void) state;
	for (m = 0; m < model_count; m++)
	{
		fixture_init(&f, model_registry[m]->name);
		for (round = 0; round < 2000; round++)
		{
			double		gain = random_magnitude(&random, 3);

			random_params(&random, &f, ORDINARY);
			random_match(&random, &f, ORDINARY);
			fixture_gain(&f, gain);
			assert_status(fixture_build(&f), MATCH_OK);
			for (i = 0; i < f.match.nplayers; i++)
				assert_same(f.player[i].gain, gain);
			assert_same(match_mean_gain(&f.match), gain);
		}
	}
}

/* A player whom the match knows but who had no part in it stays the same. */
static void
test_absent_players_are_unchanged(void **state)
{
	Random		random = {45};
	Fixture		f;
	int			m,
				round;

	(void) state;
	for (m = 0; m < model_count; m++)
	{
		fixture_init(&f, model_registry[m]->name);
		for (round = 0; round < 1000; round++)
		{
			int			absent;

			random_match(&random, &f, ORDINARY);
			absent = f.match.nplayers++;
			f.model->init(f.params, f.before[absent]);
			fixture_rate(&f);
			assert_memory_equal(f.after[absent], f.before[absent],
								f.model->nstate * sizeof(double));
		}
	}
}

/*
 * Rates random matches.  Whatever the numbers, a result is sound or refused as
 * an overflow; returns how many were sound.
 */
static int
rate_random_matches(const Model *model, uint64_t seed, int rounds, Size size)
{
	Random		random = {seed};
	Fixture		f;
	int			rated = 0;
	int			round,
				i;

	fixture_init(&f, model->name);
	for (round = 0; round < rounds; round++)
	{
		MatchStatus status;

		random_params(&random, &f, size);
		random_match(&random, &f, size);
		if (fixture_build(&f) != MATCH_OK)
			continue;

		status = model_predict(f.model, f.params, &f.match);
		if (status == MATCH_OK)
			for (i = 0; i < f.match.nteams; i++)
				assert_true(f.team[i].win >= 0 && f.team[i].win <= 1);
		else
			assert_status(status, MATCH_OVERFLOW);

		status = model_rate(f.model, f.params, &f.match);
		if (status != MATCH_OK)
		{
			assert_status(status, MATCH_OVERFLOW);
			continue;
		}
		rated++;
		for (i = 0; i < f.match.nteams; i++)
			assert_true(f.team[i].win >= 0 && f.team[i].win <= 1);
		for (i = 0; i < f.match.nplayers; i++)
		{
			assert_true(model_state_valid(f.model, f.after[i]));
			assert_false(isnan(f.player[i].gradient));
		}
	}
	return rated;
}

/*
 * Most can be computed.  A joint distribution holds fewer decades, and such a
 * model refuses more; so does recalibration, of states whose information is that of no
 * outcomes, as random ones often are.
 */
static void
test_extreme_numbers(void **state)
{
	int			m;

	(void) state;
	for (m = 0; m < model_count; m++)
		assert_true(rate_random_matches(model_registry[m], 46, 2000, EXTREME) >
					(model_registry[m]->rules.max_players > 0 ? 400 : 1000));
}

/* Where sums and products overflow, that is said and not NaN. */
static void
test_limitless_numbers(void **state)
{
	int			m;

	(void) state;
	for (m = 0; m < model_count; m++)
		assert_true(rate_random_matches(model_registry[m], 47, 1500,
										LIMITLESS) > 75);
}

/* Ahead by a unit's small fraction, a sure player has as many log-odds. */
static void
test_log_odds_unit(void **state)
{
	int			m;

	(void) state;
	for (m = 0; m < model_count; m++)
	{
		const Model *model = model_registry[m];
		ParamValue	params[TEST_MAX_PARAMS];
		double		unit;
		int			scale = param_find(&model->params, "scale");

		param_defaults(&model->params, params);
		unit = model_log_odds_unit(model, params);
		assert_true(isfinite(unit) && unit > 0);
		if (strcmp(model->name, "elo") == 0)
		{
			assert_near(unit, 400 / log(10), 1e-6);
			params[scale].number = 200;
			assert_near(model_log_odds_unit(model, params), 200 / log(10), 1e-6);
		}

		/* Each of two players has half the weight in a Hive match. */
		if (strcmp(model->name, "hive") == 0)
			assert_near(unit, 2, 1e-7);
	}
}

/* Parameters of an ordinary size, so that rates per day are not 0 everywhere. */
static void
ageing_params(Random *random, Fixture *f)
{
	int			i;

	param_defaults(&f->model->params, f->params);
	for (i = 0; i < f->model->params.count; i++)
	{
		const ParamSpec *spec = param_spec(&f->model->params, i);
		double		value = spec->default_value > 0 ?
			spec->default_value * random_between(random, 0.2, 2) :
			random_between(random, 0, 3);

		if (spec->type == PARAM_NUMBER && random_below(random, 2) == 0 &&
			param_in_range(spec, value))
			f->params[i].number = value;
	}
}

/*
 * Time is continuous: two stretches of it are as long as both together, of whatever
 * state, so that settling a ladder often or seldom makes no difference.  No time at all
 * does nothing, and a sound state stays sound.
 */
static void
test_idle_time_adds_up(void **state)
{
	Random		random = {43};
	Fixture		f;
	int			aged = 0;
	int			m,
				i,
				j;

	(void) state;
	for (m = 0; m < model_count; m++)
	{
		fixture_init(&f, model_registry[m]->name);
		for (i = 0; i < 2000; i++)
		{
			double		first = random_below(&random, 4) == 0 ? 0 : random_between(&random, 0, 3e7);
			double		second = random_between(&random, 0, 3e7);
			double		start[MODEL_MAX_STATE];
			double		step[MODEL_MAX_STATE];
			double		twice[MODEL_MAX_STATE];
			double		once[MODEL_MAX_STATE];
			bool		shares;

			ageing_params(&random, &f);
			f.model->init(f.params, start);
			for (j = 0; j < f.model->nstate; j++)
				start[j] *= random_between(&random, 0.05, 1.5);
			assert_true(model_state_valid(f.model, start));
			shares = f.model->shares != NULL && f.model->shares(f.params);
			model_state_before(f.model, f.params, start, first, f.match.period,
							   shares ? start : NULL, first, step);
			assert_true(model_state_valid(f.model, step));
			if (first == 0)
				assert_memory_equal(step, start, f.model->nstate * sizeof(double));
			model_state_before(f.model, f.params, step, second, f.match.period,
							   shares ? step : NULL, second, twice);
			model_state_before(f.model, f.params, start, first + second, f.match.period,
							   shares ? start : NULL, first + second, once);
			for (j = 0; j < f.model->nstate; j++)
			{
				assert_near(twice[j], once[j], 1e-9 * (1 + fabs(once[j])));
				aged += once[j] != start[j];
				if (f.model->state[j].role == ROLE_DEVIATION)
					assert_true(step[j] >= start[j] && twice[j] >= step[j]);
			}
		}
	}
	assert_true(aged > 2000);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_registry),
		cmocka_unit_test(test_parameters),
		cmocka_unit_test(test_parts),
		cmocka_unit_test(test_default_parameters_are_equal_bytes),
		cmocka_unit_test(test_range_of_a_parameter),
		cmocka_unit_test(test_new_players),
		cmocka_unit_test(test_display_ignores_what_does_not_count),
		cmocka_unit_test(test_unsound_states_are_refused),
		cmocka_unit_test(test_overflow_is_reported),
		cmocka_unit_test(test_predict_equals_rate_to_the_last_bit),
		cmocka_unit_test(test_draws),
		cmocka_unit_test(test_rating_is_a_function_of_its_input),
		cmocka_unit_test(test_order_within_a_team_does_not_matter),
		cmocka_unit_test(test_no_gain_leaves_the_state_unchanged),
		cmocka_unit_test(test_gain_of_one_player),
		cmocka_unit_test(test_equal_gains_are_exact),
		cmocka_unit_test(test_absent_players_are_unchanged),
		cmocka_unit_test(test_extreme_numbers),
		cmocka_unit_test(test_limitless_numbers),
		cmocka_unit_test(test_log_odds_unit),
		cmocka_unit_test(test_idle_time_adds_up),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
