/*
 * state_space_oracle.h
 *		A match of the state-space model as a sum of unknowns, found from its rows alone.
 */
#ifndef TEST_CORE_STATE_SPACE_ORACLE_H
#define TEST_CORE_STATE_SPACE_ORACLE_H

#include "random_match.h"

#include "core/math/normal.h"
#include "core/math/square.h"
#include "core/models/state_space.h"

#define MAX_UNKNOWNS (4 * TEST_MAX_ROWS)

/*
 * An unknown of a match as the test sees it, from the rows: what it counts in the strength
 * of each team, and where its mean and deviation are.
 */
typedef struct Unknown
{
	double		coefficient[MAX_TEAMS];
	double		mean;
	double		variance;		/* before the match, with drift */
	const double *after;
} Unknown;

/* A match as a sum of unknowns, by the rules of the docs. */
typedef struct Oracle
{
	int			nteams;
	int			n;
	Unknown		unknown[MAX_UNKNOWNS];
	double		factor[MAX_TEAMS];
	double		command_factor[MAX_TEAMS];
	double		noise[MAX_TEAMS];
	double		margin;			/* in deviations of the noise */
} Oracle;

static inline double
number(Fixture *f, const char *name)
{
	return fixture_param(f, name)->number;
}

static inline void
set_number(Fixture *f, const char *name, double value)
{
	fixture_param(f, name)->number = value;
}

static inline double
play_of(const Participant *row)
{
	return isnan(row->commanding) ? row->weight : (1 - row->commanding) * row->weight;
}

/* What a unit of weight counts of each team: 0 centered, 1 sum, 2 mean, 3 share. */
static inline void
find_factors(int strength, const double *weight, int n, double *factor)
{
	double		inverse = 0;
	double		sum = 0;
	int			i;

	for (i = 0; i < n; i++)
	{
		inverse += 1 / weight[i] / n;
		sum += weight[i] / n;
	}
	for (i = 0; i < n; i++)
		factor[i] = strength == 0 ? 1 / inverse / weight[i] :
			strength == 1 ? 1 : strength == 2 ? 1 / weight[i] : 1 / sum;
}

static inline Unknown *
add_unknown(Oracle *o, const double *before, const double *after, double drift)
{
	Unknown    *u = &o->unknown[o->n++];

	memset(u, 0, sizeof(*u));
	u->mean = before[0];
	u->variance = before[1] * before[1] + drift;
	u->after = after;
	return u;
}

/* The three unknowns of the player of each row, who has no other. */
static inline void
add_players(Oracle *o, Fixture *f)
{
	double		tau2 = square(number(f, "tau"));
	bool		sides = number(f, "initial_side_sigma") > 0;
	int			i;

	for (i = 0; i < f->n; i++)
	{
		const Participant *row = &f->row[i];
		int			team = row->team - 1;
		double		play = o->factor[team] * play_of(row);
		double		command = o->command_factor[team] * (row->weight - play_of(row));
		const double *before = f->before[row->player];
		const double *after = f->after[row->player];

		add_unknown(o, &before[0], &after[0], play > 0 ? tau2 : 0)->coefficient[team] = play;
		if (sides && !isnan(row->side))
			add_unknown(o, &before[2], &after[2], 0)->coefficient[team] =
				row->side == 1 ? play : -play;
		add_unknown(o, &before[4], &after[4], command > 0 ? tau2 : 0)->coefficient[team] =
			command;
		o->noise[team] += square(number(f, "beta")) * (square(play) + square(command));
	}
}

/* How much of a team's play, or of the match's (team -1), rows with a key have. */
static inline double
share_of(const Fixture *f, const int *key, int wanted, int team)
{
	double		part = 0;
	double		whole = 0;
	int			i;

	for (i = 0; i < f->n; i++)
		if (team < 0 || f->row[i].team == team + 1)
		{
			whole += f->row[i].weight;
			if (key[i] == wanted)
				part += f->row[i].weight;
		}
	return part / whole;
}

/*
 * Components count in units of the noise of a team (or, of a match of two, of the mean of
 * both); what favours side 1 is half for it and half against the other.
 */
static inline void
add_components(Oracle *o, Fixture *f)
{
	int			context[TEST_MAX_ROWS];
	int			club[TEST_MAX_ROWS];
	double		size[MAX_TEAMS];
	int			i,
				j;

	for (i = 0; i < f->n; i++)
	{
		context[i] = f->row[i].context;
		club[i] = f->row[i].club;
	}
	for (i = 0; i < o->nteams; i++)
		size[i] = sqrt(o->nteams == 2 ? (o->noise[0] + o->noise[1]) / 2 : o->noise[i]) /
			number(f, "beta");
	for (i = 0; i < f->match.ncomponents; i++)
	{
		const MatchComponent *c = &f->component[i];
		Unknown    *u;

		if (c->number == STATE_SPACE_DRAW)
		{
			o->margin = exp(c->before[0]);
			continue;
		}
		u = add_unknown(o, c->before, c->after, c->number == STATE_SPACE_CLUB ?
						square(number(f, "club_tau")) : 0);
		for (j = 0; j < o->nteams; j++)
			if (c->number == STATE_SPACE_CLUB)
				u->coefficient[j] = size[j] * share_of(f, club, c->key, j);
			else if (c->number != STATE_SPACE_PLAYER_CONTEXT)
				u->coefficient[j] = (f->team[j].side == 1 ? 0.5 : -0.5) * size[j] *
					(c->number == STATE_SPACE_HOME ? 1 : share_of(f, context, c->key, -1));
		for (j = 0; j < f->n && c->number == STATE_SPACE_PLAYER_CONTEXT; j++)
			if (f->row[j].player == c->player && context[j] == c->key)
				u->coefficient[f->row[j].team - 1] = o->factor[f->row[j].team - 1] *
					play_of(&f->row[j]);
	}
}

/* See a match that was built, in which each player has one row with a weight. */
static inline void
find_oracle(Fixture *f, Oracle *o)
{
	double		play[MAX_TEAMS] = {0};
	double		command[MAX_TEAMS] = {0};
	int			strength = fixture_param(f, "strength")->choice;
	int			i;

	memset(o, 0, sizeof(*o));
	o->nteams = f->match.nteams;
	o->margin = normal_quantile((number(f, "draw_probability") + 1) / 2);
	for (i = 0; i < f->n; i++)
	{
		play[f->row[i].team - 1] += play_of(&f->row[i]);
		command[f->row[i].team - 1] += f->row[i].weight - play_of(&f->row[i]);
	}
	find_factors(strength, play, o->nteams, o->factor);
	find_factors(strength, command, o->nteams, o->command_factor);
	add_players(o, f);
	for (i = 0; i < o->nteams && fixture_param(f, "noise")->choice == 1; i++)
		o->noise[i] = square(number(f, "beta"));
	add_components(o, f);
}

/* The mean and variance of a team's performance. */
static inline double
team_mean(const Oracle *o, int team)
{
	double		sum = 0;
	int			i;

	for (i = 0; i < o->n; i++)
		sum += o->unknown[i].coefficient[team] * o->unknown[i].mean;
	return sum;
}

/* The covariance of two teams' performances: of one with itself, the variance. */
static inline double
team_covariance(const Oracle *o, int a, int b)
{
	double		sum = a == b ? o->noise[a] : 0;
	int			i;

	for (i = 0; i < o->n; i++)
		sum += o->unknown[i].coefficient[a] * o->unknown[i].coefficient[b] *
			o->unknown[i].variance;
	return sum;
}

/*
 * A match in which everything is on: two to four players a team, of whom one commands for
 * a part, clubs, contexts, and, of two teams, sides.
 */
static inline void
random_full_match(Random *random, Fixture *f, int nteams)
{
	static const char *const drawn[] = {"initial_side_sigma", "initial_command_sigma",
	"home_sigma", "home_context_sigma", "player_context_sigma", "club_sigma", "tau", "club_tau"};
	int			swapped = random_below(random, 2);
	int			player = 0;
	int			i,
				j;

	fixture_clear(f);
	param_defaults(&f->model->params, f->params);

	/* The oracle knows the model's own unknowns. */
	f->params[SIZE_ADVANTAGE].choice = SIZE_ADVANTAGE_NONE;
	for (i = 0; i < LENGTH(drawn); i++)
		set_number(f, drawn[i], random_between(random, 0.1, 1));
	set_number(f, "beta", random_between(random, 0.5, 2));
	set_number(f, "draw_probability", 0.2);
	set_number(f, "draw_sigma", 0.5);
	fixture_param(f, "strength")->choice = random_below(random, 4);
	fixture_param(f, "noise")->choice = random_below(random, 2);
	for (i = 0; i < nteams; i++)
	{
		int			members = 2 + random_below(random, 3);

		for (j = 0; j < members; j++)
		{
			Participant *row = fixture_add(f, player, i + 1, i + 1);

			row->weight = random_between(random, 0.3, 1);
			row->commanding = j == 0 ? random_between(random, 0.2, 1) : NAN;
			row->context = random_below(random, 3) - 1;
			row->club = random_below(random, 3) - 1;
			if (nteams == 2)
				row->side = swapped ? 2 - i : 1 + i;
			f->before[player][STATE_SPACE_MU] = random_between(random, -1, 1);
			f->before[player][STATE_SPACE_SIGMA] = random_between(random, 0.2, 1);
			f->before[player][STATE_SPACE_SIDE_OFFSET] = random_between(random, -1, 1);
			f->before[player][STATE_SPACE_SIDE_SIGMA] = random_between(random, 0.1, 0.5);
			f->before[player][STATE_SPACE_COMMAND_MU] = random_between(random, -1, 1);
			f->before[player][STATE_SPACE_COMMAND_SIGMA] = random_between(random, 0.1, 1);
			f->player[player].games = 1;
			player++;
		}
	}
	f->component_seed = 1 + random_bits(random) % 1000000;
}

/* Give team i a score, and the rank that goes with it. */
static inline void
set_scores(Fixture *f, const double *score, int nteams)
{
	int			i,
				j;

	for (i = 0; i < f->n; i++)
	{
		f->row[i].score = score[f->row[i].team - 1];
		f->row[i].rank = 1;
		for (j = 0; j < nteams; j++)
			f->row[i].rank += score[j] > f->row[i].score;
	}
}

#endif							/* TEST_CORE_STATE_SPACE_ORACLE_H */
