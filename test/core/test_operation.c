/*
 * test_operation.c
 *		Seasons, decay, states set by hand or put back, and points given back, under
 *		every model.
 */
#include "random_match.h"
#include "test.h"

#include "core/rating/operation.h"

/* A state that has moved away from the initial one. */
static void
moved_state(const Model *model, const ParamValue *params, double *state)
{
	int			i;

	model->init(params, state);
	for (i = 0; i < model->nstate; i++)
		state[i] = model->state[i].role == ROLE_DEVIATION ? state[i] / 3 + 1 :
			state[i] + 7.25 + i;
}

static double
displayed_after(const Operation *operation, const Model *model,
				const ParamValue *params, double days, double *state)
{
	assert_status(operation_apply(operation, model, params, days, state),
				  MATCH_OK);
	return model_display(model, params, state);
}

/* Keep all, keep nothing, and two seasons in one. */
static void
test_season(void **test_state)
{
	int			m;

	(void) test_state;
	for (m = 0; m < model_count; m++)
	{
		const Model *model = model_registry[m];
		ParamValue	params[TEST_MAX_PARAMS];
		double		initial[MODEL_MAX_STATE];
		double		moved[MODEL_MAX_STATE];
		double		state[MODEL_MAX_STATE];
		double		twice[MODEL_MAX_STATE];
		Operation	season = {.kind = OPERATION_SEASON,.keep = 1};
		int			i;

		param_defaults(&model->params, params);
		model->init(params, initial);
		moved_state(model, params, moved);

		memcpy(state, moved, sizeof(state));
		displayed_after(&season, model, params, 0, state);
		for (i = 0; i < model->nstate; i++)
			assert_relative(state[i], moved[i], 1e-14);

		season.keep = 0;
		displayed_after(&season, model, params, 0, state);
		for (i = 0; i < model->nstate; i++)
			assert_same(state[i], initial[i]);

		memcpy(state, moved, sizeof(state));
		memcpy(twice, moved, sizeof(twice));
		season.keep = 0.25;
		displayed_after(&season, model, params, 0, state);
		season.keep = 0.5;
		displayed_after(&season, model, params, 0, twice);
		displayed_after(&season, model, params, 0, twice);
		for (i = 0; i < model->nstate; i++)
		{
			assert_near(twice[i], state[i], 1e-12 * (1 + fabs(state[i])));
			if (model->state[i].role == ROLE_DEVIATION)
				assert_near(state[i] * state[i],
							moved[i] * moved[i] / 16 + initial[i] * initial[i] * 15 / 16,
							1e-9 * (1 + state[i] * state[i]));
			else
				assert_near(state[i] - initial[i], (moved[i] - initial[i]) / 4,
							1e-12 * (1 + fabs(moved[i])));
		}

		/*
		 * With a mean of its own the first column goes there, and the others
		 * as before.
		 */
		memcpy(twice, moved, sizeof(twice));
		season = (Operation)
		{
			.kind = OPERATION_SEASON,.keep = 0.25,.has_mean = true,
				.mean = initial[0] + 5
		};
		displayed_after(&season, model, params, 0, twice);
		assert_near(twice[0] - state[0], 0.75 * 5, 1e-12 * (1 + fabs(state[0])));
		for (i = 1; i < model->nstate; i++)
			assert_same(twice[i], state[i]);

		/* Where deviations are kept, the others go all the same. */
		memcpy(twice, moved, sizeof(twice));
		season = (Operation)
		{
			.kind = OPERATION_SEASON,.keep = 0.25,.keep_deviations = true
		};
		displayed_after(&season, model, params, 0, twice);
		for (i = 0; i < model->nstate; i++)
			assert_same(twice[i], model->state[i].role == ROLE_DEVIATION ? moved[i] : state[i]);
	}
}

/* The displayed rating falls by the day, down to a floor, and nothing else does. */
static void
test_decay(void **test_state)
{
	int			m;

	(void) test_state;
	for (m = 0; m < model_count; m++)
	{
		const Model *model = model_registry[m];
		ParamValue	params[TEST_MAX_PARAMS];
		double		before[MODEL_MAX_STATE];
		double		state[MODEL_MAX_STATE];
		Operation	decay = {.kind = OPERATION_DECAY,.rate = 0.5};
		double		rating;
		int			i;

		param_defaults(&model->params, params);
		moved_state(model, params, before);
		rating = model_display(model, params, before);
		decay.floor = rating - 20;

		memcpy(state, before, sizeof(state));
		assert_same(displayed_after(&decay, model, params, 0, state), rating);
		assert_near(displayed_after(&decay, model, params, 10, state),
					rating - 5, 1e-10 * (1 + fabs(rating)));
		for (i = 1; i < model->nstate; i++)
			assert_same(state[i], before[i]);
		assert_near(displayed_after(&decay, model, params, 1000, state),
					rating - 20, 1e-10 * (1 + fabs(rating)));

		/* Nobody is lifted. */
		decay.floor = rating + 100;
		memcpy(state, before, sizeof(state));
		assert_same(displayed_after(&decay, model, params, 10, state), rating);
	}
}

/* Half of the distance to the mean in a half-life, however it is cut up. */
static void
test_regression(void **test_state)
{
	int			m;

	(void) test_state;
	for (m = 0; m < model_count; m++)
	{
		const Model *model = model_registry[m];
		ParamValue	params[TEST_MAX_PARAMS];
		double		state[MODEL_MAX_STATE];
		Operation	regression = {.kind = OPERATION_REGRESSION,.half_life_days = 8};
		double		rating;
		int			i;

		param_defaults(&model->params, params);
		moved_state(model, params, state);
		rating = model_display(model, params, state);
		regression.mean = rating - 64;
		for (i = 0; i < 4; i++)
			displayed_after(&regression, model, params, 2, state);
		assert_near(model_display(model, params, state), rating - 32,
					1e-9 * (1 + fabs(rating)));
		assert_near(displayed_after(&regression, model, params, 1e6, state),
					rating - 64, 1e-9 * (1 + fabs(rating)));
	}
}

static void
test_set(void **test_state)
{
	const Model *model = model_find("glicko2");
	ParamValue	params[TEST_MAX_PARAMS];
	double		state[MODEL_MAX_STATE];
	double		value[MODEL_MAX_STATE] = {1700, NAN, 0.05};
	Operation	set = {.kind = OPERATION_SET,.value = value};

	(void) test_state;
	param_defaults(&model->params, params);
	model->init(params, state);
	state[1] = 77;
	assert_status(operation_apply(&set, model, params, 0, state), MATCH_OK);
	assert_same(state[0], 1700);
	assert_same(state[1], 77);
	assert_same(state[2], 0.05);

	/* What no state may be is refused. */
	value[1] = -1;
	assert_status(operation_apply(&set, model, params, 0, state), MATCH_OVERFLOW);
	value[1] = INFINITY;
	assert_status(operation_apply(&set, model, params, 0, state), MATCH_OVERFLOW);
	value[1] = 50;
	value[0] = -INFINITY;
	assert_status(operation_apply(&set, model, params, 0, state), MATCH_OVERFLOW);
}

/* A settle leaves a state that has been aged as it is, to the bit. */
static void
test_settle(void **test_state)
{
	Operation	settle = {.kind = OPERATION_SETTLE};
	int			m;

	(void) test_state;
	for (m = 0; m < model_count; m++)
	{
		const Model *model = model_registry[m];
		ParamValue	params[TEST_MAX_PARAMS];
		double		state[MODEL_MAX_STATE];
		double		before[MODEL_MAX_STATE];

		param_defaults(&model->params, params);
		moved_state(model, params, state);
		memcpy(before, state, model->nstate * sizeof(double));
		assert_status(operation_apply(&settle, model, params, 99, state), MATCH_OK);
		assert_memory_equal(state, before, model->nstate * sizeof(double));
	}
}

/* Nothing is left of what was. */
static void
test_reset(void **test_state)
{
	int			m;

	(void) test_state;
	for (m = 0; m < model_count; m++)
	{
		const Model *model = model_registry[m];
		ParamValue	params[TEST_MAX_PARAMS];
		double		initial[MODEL_MAX_STATE];
		double		state[MODEL_MAX_STATE];
		Operation	reset = {.kind = OPERATION_RESET};
		int			i;

		param_defaults(&model->params, params);
		model->init(params, initial);
		moved_state(model, params, state);
		assert_status(operation_apply(&reset, model, params, 100, state), MATCH_OK);
		for (i = 0; i < model->nstate; i++)
			assert_same(state[i], initial[i]);
	}
}

/* The displayed rating gets the amount, up to the peak, and nothing else changes. */
static void
test_refund(void **test_state)
{
	int			m;

	(void) test_state;
	for (m = 0; m < model_count; m++)
	{
		const Model *model = model_registry[m];
		ParamValue	params[TEST_MAX_PARAMS];
		double		before[MODEL_MAX_STATE];
		double		state[MODEL_MAX_STATE];
		Operation	refund = {.kind = OPERATION_REFUND,.amount = 12,.peak = INFINITY};
		double		rating;
		int			i;

		param_defaults(&model->params, params);
		moved_state(model, params, before);
		rating = model_display(model, params, before);
		memcpy(state, before, sizeof(state));
		assert_near(displayed_after(&refund, model, params, 0, state), rating + 12,
					1e-10 * (1 + fabs(rating)));
		for (i = 1; i < model->nstate; i++)
			assert_same(state[i], before[i]);

		memcpy(state, before, sizeof(state));
		refund.peak = rating + 5;
		assert_near(displayed_after(&refund, model, params, 0, state), rating + 5,
					1e-10 * (1 + fabs(rating)));

		/* Nobody is lowered. */
		memcpy(state, before, sizeof(state));
		refund.peak = rating - 5;
		assert_same(displayed_after(&refund, model, params, 0, state), rating);
	}
}

/*
 * Any sound state of any player, aged by any time, has a sound one after any operation, so that a
 * replay in order of time can do each operation somewhere else than where it was accepted.
 */
static void
test_states_stay_sound(void **test_state)
{
	static const Period no_period = {0, 0};
	static const double moderate[] = {0, 1e-300, 0.5, 1, 1500, 1e9};
	Random		random = {33};
	Fixture		f;
	int			round;

	(void) test_state;
	for (round = 0; round < 4000 * model_count; round++)
	{
		Size		size = round % 2 ? LIMITLESS : EXTREME;
		double		state[MODEL_MAX_STATE];
		double		value[MODEL_MAX_STATE];
		double		half_life = fabs(random_number(&random, size));
		Operation	operation = {.keep = random_below(&random, 3) / 2.0,
			.has_mean = random_below(&random, 2),.mean = random_number(&random, size),
			.rate = fabs(random_number(&random, size)),.floor = random_number(&random, size),
			.half_life_days = half_life > 0 ? half_life : 1,.value = value,
		.amount = fabs(random_number(&random, size)),.peak = INFINITY};
		double		idle = random_below(&random, 2) ? fabs(random_number(&random, size)) :
			moderate[random_below(&random, 6)];
		int			i;

		fixture_init(&f, model_registry[round % model_count]->name);
		random_params(&random, &f, size);
		random_states(&random, &f, 2, size);
		operation.kind = (OperationKind) random_below(&random, OPERATION_FIX + 1);
		for (i = 0; i < f.model->nstate; i++)
			value[i] = random_below(&random, 2) ? f.before[1][i] : NAN;
		model_state_before(f.model, f.params, f.before[0], idle, no_period, NULL, 0, state);
		assert_true(model_state_valid(f.model, state));
		assert_status(operation_apply(&operation, f.model, f.params, idle / 86400, state),
					  MATCH_OK);
		assert_true(model_state_valid(f.model, state));
	}
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_season),
		cmocka_unit_test(test_decay),
		cmocka_unit_test(test_regression),
		cmocka_unit_test(test_set),
		cmocka_unit_test(test_settle),
		cmocka_unit_test(test_reset),
		cmocka_unit_test(test_refund),
		cmocka_unit_test(test_states_stay_sound),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
