/*
 * test_idle_parameters.c
 *		Parameters that have an effect only together with another one.
 */
#include "random_match.h"

/* Give a parameter the value of that number among those of PARAM_VALUE(). */
static void
set_value(const ParamSpec *spec, ParamValue *value, int number)
{
	memset(value, 0, sizeof(*value));
	if (spec->type == PARAM_CHOICE)
		value->choice = number;
	else if (spec->type == PARAM_FLAG)
		value->flag = number == 1;
	else if (spec->type == PARAM_NUMBER)
		value->number = number;
	else if (number == 1)
	{
		value->steps.n = 1;
		value->steps.value[0] = 1;
	}
}

/* Another value than the default. */
static void
set_other(const ParamSpec *spec, ParamValue *value)
{
	if (spec->type == PARAM_NUMBER)
		value->number = param_in_range(spec, 2 * spec->default_value + 1) ?
			2 * spec->default_value + 1 : spec->min;
	else
		set_value(spec, value, spec->default_value == 0);
}

/* That parameter, of a model with these, changes no rating and no forecast, also after time. */
static void
check_no_effect(Random *random, const Model *model, const ParamValue *params, int idle)
{
	int			round,
				i,
				j;

	for (round = 0; round < 50; round++)
	{
		Fixture		f;
		ParamValue	standard[TEST_MAX_PARAMS];
		double		after[TEST_MAX_ROWS][MODEL_MAX_STATE];
		double		win[TEST_MAX_ROWS];

		fixture_init(&f, model->name);
		memcpy(f.params, params, model->params.count * sizeof(ParamValue));
		memcpy(standard, f.params, sizeof(standard));
		param_default(param_spec(&model->params, idle), &standard[idle]);
		random_match(random, &f, ORDINARY);
		for (i = 0; i < TEST_MAX_ROWS && model->age != NULL; i++)
		{
			memcpy(after[i], f.before[i], sizeof(after[i]));
			model->age(standard, after[i], 5e6);
			model->age(f.params, f.before[i], 5e6);
			for (j = 0; j < model->nstate; j++)
				assert_same(f.before[i][j], after[i][j]);
		}
		if (fixture_build(&f) != MATCH_OK)
			continue;
		fixture_rate(&f);
		for (i = 0; i < f.match.nteams; i++)
			win[i] = f.team[i].win;
		memcpy(after, f.after, sizeof(after));
		memcpy(f.params, standard, sizeof(standard));
		fixture_rate(&f);
		for (i = 0; i < f.match.nplayers; i++)
			for (j = 0; j < model->nstate; j++)
				assert_same(f.after[i][j], after[i][j]);
		for (i = 0; i < f.match.nteams; i++)
			assert_same(f.team[i].win, win[i]);
	}
}

/*
 * A parameter that has an effect only under some values of another is found under all other
 * ones, unless it has its default, and has no effect indeed.
 */
static void
test_idle_parameters(void **state)
{
	Random		random = {76};
	int			found = 0;
	int			m,
				i,
				k;

	(void) state;
	for (m = 0; m < model_count; m++)
	{
		const Model *model = model_registry[m];

		for (i = 0; i < model->params.count; i++)
		{
			const ParamSpec *spec = param_spec(&model->params, i);
			ParamValue	params[TEST_MAX_PARAMS];
			const ParamSpec *governor;
			int			other;
			int			n;

			if (spec->only_with == NULL)
				continue;
			other = param_find(&model->params, spec->only_with);
			assert_true(other >= 0 && other != i);
			governor = param_spec(&model->params, other);
			n = governor->type == PARAM_CHOICE ? number_of_choices(governor) : 2;
			for (k = 0; k < n; k++)
			{
				bool		effective = (spec->only_values & PARAM_VALUE(k)) != 0;

				param_defaults(&model->params, params);
				set_value(governor, &params[other], k);
				assert_int_equal(param_idle(&model->params, params), -1);
				set_other(spec, &params[i]);
				assert_int_equal(param_idle(&model->params, params), effective ? -1 : i);
				if (effective)
					continue;
				found++;
				if (model_variant(model, params) == model)
					check_no_effect(&random, model, params, i);
				model_reset_idle_params(model, params);
				assert_int_equal(param_idle(&model->params, params), -1);
			}
		}
	}
	assert_true(found > 30);
}

/* Where the advantage of the larger team is off by default, "auto" is as good as "none". */
static void
test_idle_size_advantage(void **state)
{
	int			m;

	(void) state;
	for (m = 0; m < model_count; m++)
	{
		const Model *model = model_registry[m];
		ParamValue	params[TEST_MAX_PARAMS];

		param_defaults(&model->params, params);
		params[SIZE_ADVANTAGE_PARAM_DIFFERENCE].number = 1;
		assert_int_equal(model_idle_param(model, params),
						 strcmp(model->name, "hive") == 0 ? SIZE_ADVANTAGE_PARAM_DIFFERENCE : -1);
		if (strcmp(model->name, "synelo") == 0)
		{
			params[param_find(&model->params, "strict")].flag = true;
			assert_int_equal(model_idle_param(model, params), SIZE_ADVANTAGE_PARAM_DIFFERENCE);
		}
		params[SIZE_ADVANTAGE].choice = SIZE_ADVANTAGE_LEARNED;
		assert_int_equal(model_idle_param(model, params), -1);
	}
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_idle_parameters),
		cmocka_unit_test(test_idle_size_advantage),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
