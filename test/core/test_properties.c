/*
 * test_properties.c
 *		What one match may do to a rating, for every model in the registry.
 *
 * A winner does not lose and a loser does not gain, but for the exceptions listed here, each
 * of which has to occur; no rating changes by more than the model's page says; states stay in
 * range; equals with equal results get equal states; and so after one more match.
 */
#include <stdio.h>
#include <stdlib.h>

#include "model_bounds.h"
#include "property_match.h"

/* The heading that every page of a model has. */
#define HEADING "## What one match can do\n"

/* The matches of each model; fewer of one whose work grows with the square of the players. */
#define MATCHES 10000

static int
matches_of(const Model *model)
{
	return model->rules.max_players > 0 ? MATCHES / 5 : MATCHES;
}

/* ---- Exceptions ---- */

typedef enum Direction
{
	WINNER_FALLS,
	LOSER_RISES,
	DEVIATION_GROWS,
	EQUALS_DIFFER
} Direction;

static const char *const direction_names[] = {
	"winner falls", "loser rises", "deviation grows beyond its drift", "equals differ"
};

/* Whether the displayed rating alone is an exception, or the main column too. */
typedef enum Extent
{
	OF_DISPLAY,
	OF_MAIN
} Extent;

typedef struct Exception
{
	const char *model;
	const char *named;			/* in the page's section, as code, or NULL */
	Extent		extent;
	Direction	direction;
	bool		(*applies) (const Fixture *f, int player);
} Exception;

static bool
has_scores(const Fixture *f, int player)
{
	(void) player;
	return !isnan(f->team[0].score);
}

static bool
has_counts(const Fixture *f, int player)
{
	(void) player;
	return trueskill2_counts(f);
}

static bool
has_experience_offset(const Fixture *f, int player)
{
	int			i = param_find(&f->model->params, "experience_offset");

	(void) player;
	return f->params[i].steps.n > 0;
}

static bool
has_score_margin(const Fixture *f, int player)
{
	return number_of(f, "margin") > 0 && has_scores(f, player);
}

static bool
is_newcomer(const Fixture *f, int player)
{
	return (number_of(f, "newcomer_offset") != 0 || number_of(f, "newcomer_company") != 0) &&
		f->player[player].games == 0 && f->before[player][0] == number_of(f, "initial_mu");
}

static bool
rounds(const Fixture *f, int player)
{
	double		before = f->before[player][0];

	return (flag_of(f, "strict") || flag_of(f, "round")) && before != floor(before);
}

static bool
graduates(const Fixture *f, int player)
{
	return (flag_of(f, "strict") || number_of(f, "graduation_cap") > 0) &&
		f->player[player].games + 1 == number_of(f, "shadow_games");
}

static bool
below_strict_floor(const Fixture *f, int player)
{
	return flag_of(f, "strict") && f->before[player][0] < number_of(f, "floor");
}

/* The neighbours of tied teams are by their places, which go by number. */
static bool
has_neighbours(const Fixture *f, int player)
{
	(void) player;
	return choice_is(f, "variant", "bradley_terry_part") ||
		choice_is(f, "variant", "thurstone_mosteller_part");
}

/* Teams tied in a field are a chain, in the order of their numbers. */
static bool
has_chain(const Fixture *f, int player)
{
	(void) player;
	return f->match.nteams > 2;
}

static bool
has_chain_if_asked(const Fixture *f, int player)
{
	return has_chain(f, player) && choice_is(f, "ties", "chain");
}

/* What is known better is shown higher, and what has drifted lower. */
static bool
shows_deviations(const Fixture *f, int player)
{
	(void) player;
	return number_of(f, "display_deviations") > 0;
}

static bool
drifts(const Fixture *f, int player)
{
	return shows_deviations(f, player) && number_of(f, "tau") > 0;
}

static const Exception exceptions[] = {
	{"elo_mmr", "display_deviations", OF_DISPLAY, LOSER_RISES, shows_deviations},
	{"elo_mmr", "tau", OF_DISPLAY, WINNER_FALLS, drifts},
	{"frag", "team_score", OF_MAIN, WINNER_FALLS, has_scores},
	{"frag", "team_score", OF_MAIN, LOSER_RISES, has_scores},
	{"state_space", "ties", OF_MAIN, EQUALS_DIFFER, has_chain_if_asked},
	{"state_space", "display_deviations", OF_DISPLAY, LOSER_RISES, shows_deviations},
	{"state_space", "tau", OF_DISPLAY, WINNER_FALLS, drifts},
	{"state_space", "margin", OF_MAIN, WINNER_FALLS, has_score_margin},
	{"state_space", "margin", OF_MAIN, LOSER_RISES, has_score_margin},
	{"state_space", "newcomer_offset", OF_MAIN, WINNER_FALLS, is_newcomer},
	{"state_space", "newcomer_company", OF_MAIN, LOSER_RISES, is_newcomer},
	{"synelo", "round", OF_MAIN, WINNER_FALLS, rounds},
	{"synelo", "round", OF_MAIN, LOSER_RISES, rounds},
	{"synelo", "graduation_cap", OF_MAIN, WINNER_FALLS, graduates},
	{"synelo", "floor", OF_MAIN, LOSER_RISES, below_strict_floor},
	{"trueskill", "ties", OF_MAIN, EQUALS_DIFFER, has_chain_if_asked},
	{"trueskill", "display_deviations", OF_DISPLAY, LOSER_RISES, shows_deviations},
	{"trueskill", "tau", OF_DISPLAY, WINNER_FALLS, drifts},
	{"trueskill2", NULL, OF_MAIN, EQUALS_DIFFER, has_chain},
	{"trueskill2", "display_deviations", OF_DISPLAY, LOSER_RISES, shows_deviations},
	{"trueskill2", "tau", OF_DISPLAY, WINNER_FALLS, drifts},
	{"trueskill2", "kill_variance", OF_MAIN, WINNER_FALLS, has_counts},
	{"trueskill2", "kill_variance", OF_MAIN, LOSER_RISES, has_counts},
	{"trueskill2", "quit_related", OF_MAIN, DEVIATION_GROWS, has_quits},
	{"trueskill2", "experience_offset", OF_MAIN, WINNER_FALLS, has_experience_offset},
	{"trueskill2", "experience_offset", OF_MAIN, LOSER_RISES, has_experience_offset},
	{"weng_lin", "display_deviations", OF_DISPLAY, LOSER_RISES, shows_deviations},
	{"weng_lin", "tau", OF_DISPLAY, WINNER_FALLS, drifts},
	{"weng_lin", "span", OF_MAIN, EQUALS_DIFFER, has_neighbours},
};

#define NEXCEPTIONS (sizeof(exceptions) / sizeof(exceptions[0]))

/* How often each occurred. */
static int	occurred[NEXCEPTIONS];

/*
 * Whether a change in the wrong direction is an exception; each is counted where no other
 * would do.
 */
static bool
is_exception(const Fixture *f, int player, Extent extent, Direction direction)
{
	int			found = -1;
	int			n = 0;
	size_t		i;

	for (i = 0; i < NEXCEPTIONS; i++)
		if (strcmp(exceptions[i].model, f->model->name) == 0 &&
			exceptions[i].extent >= extent && exceptions[i].direction == direction &&
			exceptions[i].applies(f, player))
		{
			found = i;
			n++;
		}
	if (n == 1)
		occurred[found]++;
	return n > 0;
}

/* ---- Checks of one match ---- */

/* What went wrong, with all that another look at it takes. */
static void
complain(const Fixture *f, int player, const char *what, double value, double bound)
{
	int			i,
				j;

	print_error("%s: %s of player %d: %.17g, %.17g\n", f->model->name, what, player, value, bound);
	for (i = 0; i < f->model->params.count; i++)
	{
		const ParamSpec *spec = param_spec(&f->model->params, i);

		if (spec->type == PARAM_CHOICE)
			print_error(" %s=%s", spec->name, spec->choices[f->params[i].choice]);
		else if (spec->type == PARAM_FLAG)
			print_error(" %s=%d", spec->name, f->params[i].flag);
		else if (spec->type == PARAM_NUMBER && f->params[i].number != spec->default_value)
			print_error(" %s=%g", spec->name, f->params[i].number);
	}
	print_error(" log_odds=%g\n", f->match.log_odds);
	for (i = 0; i < f->match.nentries; i++)
	{
		const MatchEntry *e = &f->entry[i];

		print_error(" team %d rank %g score %g player %d weight %.17g gain %g games %g win %g:",
					e->team, f->team[e->team].rank, f->team[e->team].score, e->player,
					e->weight, f->player[e->player].gain, f->player[e->player].games,
					f->team[e->team].win);
		for (j = 0; j < f->model->nstate; j++)
			print_error(" %.17g>%.17g", f->before[e->player][j], f->after[e->player][j]);
		print_error("\n");
	}
	_fail(__FILE__, __LINE__);
}

/* Whether a player was on one team only, and had part in the match there. */
static bool
has_one_team(const Fixture *f, int player)
{
	int			last = f->player[player].last_entry;

	return last >= 0 && f->entry[last].previous < 0 && f->player[player].weight > 0;
}

/* 1 for the sole first, -1 for the sole last, of two teams or more; 0 for all others. */
static int
outcome_of_team(const Fixture *f, int team)
{
	bool		last = true;
	int			i;

	if (f->match.nteams == 1 || match_outcome(&f->match, team) == MATCH_WON)
		return (int) match_outcome(&f->match, team) - 1;
	for (i = 0; i < f->match.nteams; i++)
		last = last && (i == team || f->team[i].rank < f->team[team].rank);
	return last ? -1 : 0;
}

static void
check_direction(const Fixture *f, int player)
{
	double		main_change = f->after[player][0] - f->before[player][0];
	double		display_change = model_display(f->model, f->params, f->after[player]) -
		model_display(f->model, f->params, f->before[player]);
	int			outcome;
	Direction	wrong;

	if (!has_one_team(f, player))
		return;
	outcome = outcome_of_team(f, f->entry[f->player[player].last_entry].team);
	wrong = outcome > 0 ? WINNER_FALLS : LOSER_RISES;
	if (outcome * main_change < 0 && !is_exception(f, player, OF_MAIN, wrong))
		complain(f, player, outcome > 0 ? "a win cost" : "a loss gave", main_change, 0);
	if (outcome * display_change < 0 && !is_exception(f, player, OF_DISPLAY, wrong))
		complain(f, player, outcome > 0 ? "a win cost display" : "a loss gave display",
				 display_change, 0);
}

static void
check_bound(const Fixture *f, const ModelBound *bound, int player)
{
	static Fixture rated;
	double		change = fabs(f->after[player][0] - f->before[player][0]);
	int			place = match_as_rated(f, player, &rated);
	double		most = bound->main(&rated, place);

	/* Rounding of the sum, and of the bound. */
	if (!(change <= most * (1 + 1e-9) +
		  4 * DBL_EPSILON * (fabs(f->before[player][0]) + fabs(f->after[player][0]))))
		complain(f, player, "more than its bound", change, most);
}

/* Deviations grow by the drift of a match alone, and nothing falls below its least. */
static void
check_range(const Fixture *f, int player)
{
	int			j;

	if (!model_state_valid(f->model, f->after[player]))
		complain(f, player, "unsound state", 0, 0);
	for (j = 0; j < f->model->nstate; j++)
	{
		double		before = f->before[player][j];
		double		after = f->after[player][j];

		if (f->model->state[j].role == ROLE_DEVIATION &&
			!(after <= sqrt(squared(before) + f->player[player].gain *
							deviation_drift(f, j)) * (1 + 1e-12)) &&
			!is_exception(f, player, OF_MAIN, DEVIATION_GROWS))
			complain(f, player, f->model->state[j].name, after, before);
		if (strcmp(f->model->state[j].name, "volatility") == 0 &&
			!volatility_in_bounds(f, player, before, after))
			complain(f, player, "volatility", after, before);
	}
}

/*
 * Whether two states are the same bit for bit.  Those of trueskill2 are so but for rounding, as
 * its joint distribution of all players is a triangular root, in which they are one after another.
 */
static bool
same_states(const Fixture *f, const double *a, const double *b)
{
	double		tolerance = strcmp(f->model->name, "trueskill2") == 0 ? 1e-14 : 0;
	int			i;

	for (i = 0; i < f->model->nstate; i++)
		if (!(fabs(a[i] - b[i]) <= tolerance * fabs(a[i])))
			return false;
	return true;
}

/*
 * In a match of nobody but equals, each the only one of a team, or of the same team, those
 * with the same rank are the same after it.
 */
static void
check_equals(const Fixture *f)
{
	int			i,
				j;

	for (i = 1; i < f->match.nplayers; i++)
		if (memcmp(f->before[i], f->before[0], sizeof(f->before[0])) != 0)
			return;
	for (i = 0; i < f->n; i++)
		for (j = 0; j < i; j++)
		{
			const Participant *a = &f->row[i];
			const Participant *b = &f->row[j];

			if (a->rank == b->rank &&
				!same_states(f, f->after[a->player], f->after[b->player]) &&
				!is_exception(f, a->player, OF_MAIN, EQUALS_DIFFER))
				complain(f, a->player, "equals differ", f->after[a->player][0],
						 f->after[b->player][0]);
		}
}

static void
check_match(const Fixture *f, const ModelBound *bound)
{
	int			i;

	for (i = 0; i < f->match.nplayers; i++)
	{
		check_range(f, i);
		check_direction(f, i);
		check_bound(f, bound, i);
	}
}

/*
 * Whether a field has deviations so different that expectation propagation may not settle:
 * such a match is refused, and as seldom as the last test says.
 */
static int	refused;

static bool
is_field_of_unlike_deviations(const Fixture *f)
{
	int			column = model_state_column(f->model, ROLE_DEVIATION);
	double		least = INFINITY;
	double		most = 0;
	int			i;

	if (f->match.nteams == 2 || column < 0)
		return false;
	for (i = 0; i < f->match.nplayers; i++)
	{
		least = fmin(least, f->before[i][column]);
		most = fmax(most, f->before[i][column]);
	}
	return most > 1e5 * least;
}

/* Rate what must be possible. */
static bool
rate_property_match(Fixture *f)
{
	MatchStatus status = fixture_build(f);

	if (status == MATCH_NO_PLAY_TIME)
		return false;
	assert_status(status, MATCH_OK);
	status = model_rate(f->model, f->params, &f->match);

	/*
	 * What does not settle is refused: under trueskill2 also quits that
	 * contradict the order, and ties of a field of whom nothing is known.
	 */
	if (status == MATCH_OVERFLOW &&
		(is_field_of_unlike_deviations(f) || strcmp(f->model->name, "trueskill2") == 0))
	{
		refused++;
		return false;
	}
	if (status != MATCH_OK)
		complain(f, 0, match_status_message(status), 0, 0);
	return true;
}

/* ---- Tests ---- */

/* A player of the match meets an equal, as good and as well known, and wins or loses. */
static void
check_next(const Fixture *f, const ModelBound *bound, int player, bool wins)
{
	static Fixture next;
	int			i;

	fixture_init(&next, f->model->name);
	memcpy(next.params, f->params, sizeof(next.params));
	for (i = 0; i < 2; i++)
	{
		memcpy(next.before[i], f->after[player], sizeof(next.before[i]));
		next.player[i].games = f->player[player].games + 1;
		fixture_add(&next, i, i + 1, wins == (i == 0) ? 1 : 2);
	}
	if (rate_property_match(&next))
		check_match(&next, bound);
}

static void
test_one_match_and_the_next(void **state)
{
	static Fixture f;
	Random		random = {33};
	int			m,
				round;

	(void) state;
	for (m = 0; m < model_count; m++)
	{
		const ModelBound *bound = bound_of_model(model_registry[m]);

		assert_non_null(bound);
		fixture_init(&f, model_registry[m]->name);
		for (round = 0; round < matches_of(f.model); round++)
		{
			property_params(&random, &f);
			property_match(&random, &f);
			if (!rate_property_match(&f))
				continue;
			check_match(&f, bound);
			check_next(&f, bound, random_below(&random, f.match.nplayers),
					   random_below(&random, 2));
		}
	}
}

/* Nobody but equals, of whom some tie. */
static void
test_equals(void **state)
{
	static Fixture f;
	Random		random = {34};
	int			m,
				round,
				i,
				j;

	(void) state;
	for (m = 0; m < model_count; m++)
	{
		fixture_init(&f, model_registry[m]->name);
		for (round = 0; round < matches_of(f.model) / 10; round++)
		{
			double		rank[MOST_OPPONENTS + 1];
			int			size = 1 + random_below(&random, 3);
			int			n = 2;

			if (f.model->rules.supports & MODEL_MANY_TEAMS)
				n += random_below(&random, random_below(&random, 10) == 0 ? 19 : 5);
			property_params(&random, &f);
			fixture_clear(&f);
			random_ranks(&random, n, f.model->rules.supports & MODEL_DRAWS, rank);
			for (i = 0; i < n; i++)
				for (j = 0; j < size; j++)
					fixture_add(&f, size * i + j, i + 1, rank[i]);
			f.component_seed = 0;
			do
				property_states(&random, &f);
			while (memcmp(f.before[0], f.before[1], sizeof(f.before[0])) != 0);
			for (i = 0; i < f.match.nplayers; i++)
			{
				memcpy(f.before[i], f.before[0], sizeof(f.before[0]));
				f.player[i].games = f.player[0].games;
			}
			assert_true(rate_property_match(&f));
			check_equals(&f);
		}
	}
}

/* One of ten thousand matches at most. */
static void
test_few_are_refused(void **state)
{
	(void) state;
	print_message("refused: %d of %d\n", refused, model_count * MATCHES);
	assert_true(refused <= model_count * MATCHES / 10000);
}

/* An exception that no longer occurs is none. */
static void
test_exceptions_occur(void **state)
{
	size_t		i;
	int			stale = 0;

	(void) state;
	for (i = 0; i < NEXCEPTIONS; i++)
		if (occurred[i] == 0)
		{
			print_error("%s: \"%s\" by %s does not occur\n", exceptions[i].model,
						direction_names[exceptions[i].direction],
						exceptions[i].named != NULL ? exceptions[i].named : "chains");
			stale++;
		}
	assert_int_equal(stale, 0);
}

/* The page of each model has the section, which names the model's exceptions. */
static void
test_pages(void **state)
{
	static char page[200000];
	int			m;
	size_t		i;

	(void) state;
	for (m = 0; m < model_count; m++)
	{
		char		name[1000];
		char		code[100];
		FILE	   *file;
		char	   *section;
		char	   *end;

		snprintf(name, sizeof(name), "%s/../../docs/models/%s.md", TEST_DATA, model_registry[m]->name);
		file = fopen(name, "r");
		assert_non_null(file);
		page[fread(page, 1, sizeof(page) - 1, file)] = '\0';
		fclose(file);
		section = strstr(page, HEADING);
		if (section == NULL)
			print_error("%s has no section \"%s\"\n", name, HEADING);
		assert_non_null(section);
		end = strstr(section + strlen(HEADING), "\n## ");
		if (end != NULL)
			*end = '\0';
		for (i = 0; i < NEXCEPTIONS; i++)
		{
			if (strcmp(exceptions[i].model, model_registry[m]->name) != 0 ||
				exceptions[i].named == NULL)
				continue;
			snprintf(code, sizeof(code), "`%s`", exceptions[i].named);
			if (strstr(section, code) == NULL)
				print_error("%s does not name %s there\n", name, code);
			assert_non_null(strstr(section, code));
		}
	}
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_one_match_and_the_next),
		cmocka_unit_test(test_equals),
		cmocka_unit_test(test_few_are_refused),
		cmocka_unit_test(test_exceptions_occur),
		cmocka_unit_test(test_pages),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
