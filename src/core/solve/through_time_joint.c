/*
 * through_time_joint.c
 *		The joint distribution of all unknowns of TrueSkill Through Time.
 *
 * The unknowns are those at the appearances, in the order of their last ones: what is
 * eliminated then depends on those who play on, and the factor is as wide as they are
 * many.  An order of many teams has the performances of the teams for unknowns besides,
 * and scores of many teams their level; these come first, as they concern one match only.
 */
#include "core/solve/through_time_joint.h"

#include <math.h>

#include "core/math/elementary.h"
#include "core/math/square.h"
#include "core/math/sum.h"
#include "core/util/block.h"
#include "core/util/extremes.h"

#define LOG_2_PI 1.8378770664093453

/* After how many matches there may be an interrupt. */
#define MATCHES_BETWEEN_CHECKS 1000

/* How a match is observed. */
typedef enum Form
{
	FORM_NONE,					/* of no weight */
	FORM_DIFFERENCE,			/* of two teams */
	FORM_ORDER,					/* of many */
	FORM_SCORES
} Form;

/* A match that was built, for the joint distribution. */
typedef struct FormMatch
{
	StateSpaceMatch m;
	StateSpaceTeams teams;
	Match		match;
	Form		form;
	double		gain;
	int			n;				/* appearances */
	int			order[MATCH_MAX_TEAMS];
} FormMatch;

/*
 * Build a match, of which states do not matter: those before are 0, of no variance.
 */
static void
build_form(const ThroughTime *tt, size_t m, FormMatch *form)
{
	static const double none[STATE_SPACE_NSTATE] = {0};
	Match	   *match = &form->match;
	int			offender;
	int			i;

	(void) through_time_build(tt, m, match, &offender);
	form->n = through_time_appearances(tt, m, match);
	form->gain = match_mean_gain(match);
	for (i = 0; i < match->nplayers; i++)
		match->player[i].before = none;
	for (i = 0; i < match->ncomponents; i++)
		match->component[i].before = none;
	match_teams_by_rank(match, form->order);
	state_space_begin(&tt->space, match, &form->m);
	if (form->gain == 0)
		form->form = FORM_NONE;
	else if (match->nteams == 2)
		form->form = FORM_DIFFERENCE;
	else
	{
		state_space_teams(&form->m, &form->teams);
		form->form = state_space_scores_count(&tt->space, match, form->order) ?
			FORM_SCORES : FORM_ORDER;
	}
}

/* Whether nothing changes from an appearance to the next of the same unknown. */
static bool
is_same(const ThroughTime *tt, size_t a)
{
	Transition	t;

	if (tt->next[a] == NO_APPEARANCE)
		return false;
	t = through_time_transition(tt, through_time_kind(tt, a), tt->match[a],
								tt->match[tt->next[a]]);

	/*
	 * Such appearances are one unknown, which keeps the matrix regular: a
	 * transition without variance would be a row of infinite weight.
	 */
	return t.variance == 0 && t.share == 1;
}

static void
check(const ThroughTime *tt, size_t m)
{
	if (tt->interrupt != NULL && m % MATCHES_BETWEEN_CHECKS == 0)
		tt->interrupt();
}

/* Whether there are ties that are alike, whose level has no place here. */
static bool
has_alike(const FormMatch *form)
{
	const Match *match = &form->match;
	int			i;

	for (i = 1; i < match->nteams && form->m.model->ties == TIES_ALIKE; i++)
		if (match->team[form->order[i]].rank == match->team[form->order[i - 1]].rank)
			return true;
	return false;
}

/* Count the rows of a match, their entries, and the unknowns that are its own. */
static void
count_match(ThroughTimeJoint *joint, const FormMatch *form)
{
	const Match *match = &form->match;
	uint32_t	teams = (uint32_t) match->nteams;

	/* An unknown that is on several teams has an entry for each. */
	size_t		entries = (size_t) match->nentries * PLAYER_UNKNOWNS + (size_t) match->nshares;

	switch (form->form)
	{
		case FORM_NONE:
			return;
		case FORM_DIFFERENCE:
			joint->nsites++;
			joint->nentries += (size_t) form->n;
			break;
		case FORM_ORDER:
			joint->nextra += teams;
			joint->nsites += teams - 1;
			joint->nentries += entries + teams + 2 * (teams - 1);
			joint->unsupported = joint->unsupported || form->gain != 1 || has_alike(form);
			break;
		case FORM_SCORES:
			joint->nextra++;
			joint->nsites += teams;
			joint->nentries += entries + teams;
			break;
	}
}

void
through_time_joint_begin(ThroughTimeJoint *joint, ThroughTime *tt, uint32_t *unknown)
{
	SparseRows *rows = &joint->posterior.rows;
	FormMatch	form;
	uint32_t	n;
	size_t		m;
	size_t		a;

	*joint = (ThroughTimeJoint)
	{
		.tt = tt,.unknown = unknown
	};
	for (m = 0; m < tt->linked; m++)
	{
		check(tt, m);
		if (tt->first[m] == tt->first[m + 1])
			continue;
		build_form(tt, m, &form);
		joint->posterior.nfixed += form.form == FORM_ORDER ? (uint32_t) form.match.nteams : 0;
		count_match(joint, &form);
	}
	rows->n = joint->nextra;
	for (a = 0; a < tt->appearances; a++)
		if (!is_same(tt, a))
		{
			joint->nentries += 2;
			joint->posterior.nfixed++;
			rows->n++;
		}

	/* Numbered from the last appearance back, behind the unknowns of matches. */
	n = rows->n;
	for (a = tt->appearances; a-- > 0;)
		unknown[a] = is_same(tt, a) ? unknown[tt->next[a]] : --n;
	rows->nrows = joint->posterior.nfixed + joint->nsites;
}

static size_t
lay_out(ThroughTimeJoint *joint, char *block)
{
	JointPosterior *posterior = &joint->posterior;
	SparseRows *rows = &posterior->rows;
	size_t		total = 0;

	rows->first = block_take(&block, &total, sizeof(size_t), (size_t) rows->nrows + 1);
	rows->unknown = block_take(&block, &total, sizeof(uint32_t), joint->nentries);
	rows->coefficient = block_take(&block, &total, sizeof(double), joint->nentries);
	rows->weight = block_take(&block, &total, sizeof(double), rows->nrows);
	posterior->site = block_take(&block, &total, sizeof(JointSite), joint->nsites);
	posterior->mean = block_take(&block, &total, sizeof(double), rows->n);
	posterior->sum = block_take(&block, &total, sizeof(double), rows->n);
	joint->prior_mean = block_take(&block, &total, sizeof(double), rows->n);
	return total;
}

size_t
through_time_joint_size(const ThroughTimeJoint *joint)
{
	ThroughTimeJoint copy = *joint;

	return lay_out(&copy, NULL);
}

/*
 * ---- Rows ----
 */

/* Where the next row begins, and how many extra unknowns there are. */
typedef struct Filling
{
	ThroughTimeJoint *joint;
	uint32_t	row;
	uint32_t	extra;
} Filling;

static void
begin_row(Filling *f, double weight)
{
	SparseRows *rows = &f->joint->posterior.rows;

	rows->weight[f->row] = weight;
	rows->first[f->row + 1] = rows->first[f->row];
	f->row++;
}

/* Add an entry to the last row, whose unknowns ascend; the same one adds up. */
static void
add_entry(Filling *f, uint32_t unknown, double coefficient)
{
	SparseRows *rows = &f->joint->posterior.rows;
	size_t		first = rows->first[f->row - 1];
	size_t		e = rows->first[f->row];
	size_t		i;

	if (coefficient == 0)
		return;

	/* By insertion, as rows are short. */
	while (e > first && rows->unknown[e - 1] > unknown)
		e--;
	if (e > first && rows->unknown[e - 1] == unknown)
	{
		rows->coefficient[e - 1] += coefficient;
		return;
	}
	for (i = rows->first[f->row]; i > e; i--)
	{
		rows->unknown[i] = rows->unknown[i - 1];
		rows->coefficient[i] = rows->coefficient[i - 1];
	}
	rows->unknown[e] = unknown;
	rows->coefficient[e] = coefficient;
	rows->first[f->row]++;
}

/* The mean of a row's sum before anything is observed. */
static double
row_prior(const Filling *f)
{
	const SparseRows *rows = &f->joint->posterior.rows;
	double		mean = 0;
	size_t		e;

	for (e = rows->first[f->row - 1]; e < rows->first[f->row]; e++)
		mean += rows->coefficient[e] * f->joint->prior_mean[rows->unknown[e]];
	return mean;
}

/* The residuals of the chains: how unknowns begin, and how they go on. */
static void
fill_chains(Filling *f)
{
	ThroughTimeJoint *joint = f->joint;
	const ThroughTime *tt = joint->tt;
	size_t		a;

	for (a = 0; a < tt->appearances; a++)
	{
		int			kind = through_time_kind(tt, a);
		const ChainPrior *prior = &tt->prior[kind];
		uint32_t	p = tt->previous[a];
		uint32_t	u = joint->unknown[a];
		Transition	t;

		if (p == NO_APPEARANCE)
		{
			begin_row(f, 1 / prior->variance);
			add_entry(f, u, 1);
			joint->prior_mean[u] = prior->mean +
				(kind == UNKNOWN_SKILL ? tt->start[tt->chain[a] / PLAYER_UNKNOWNS] : 0);
		}
		else if (joint->unknown[p] != u)
		{
			t = through_time_transition(tt, kind, tt->match[p], tt->match[a]);
			begin_row(f, 1 / t.variance);
			add_entry(f, joint->unknown[p], -t.share);
			add_entry(f, u, 1);
			joint->prior_mean[u] = prior->mean +
				t.share * (joint->prior_mean[joint->unknown[p]] - prior->mean);
		}
	}
}

/* Add what counts for a team of many to a row, as often as that. */
static void
add_team(Filling *f, size_t m, const FormMatch *form, int team, double times)
{
	const ThroughTime *tt = f->joint->tt;
	const Match *match = &form->match;
	int			i,
				j;

	for (i = 0; i < form->n; i++)
	{
		const Appearance *a = &tt->appearance[i];
		uint32_t	u = f->joint->unknown[tt->first[m] + (size_t) i];

		if (a->player >= 0)
			for (j = match->player[a->player].last_entry; j >= 0; j = match->entry[j].previous)
			{
				double		part[PLAYER_UNKNOWNS];

				if (match->entry[j].team != team)
					continue;
				state_space_entry(&form->m, &match->entry[j], part);
				add_entry(f, u, times * part[a->kind]);
			}
		else
			for (j = match->component[a->component].last_share; j >= 0;
				 j = match->share[j].previous)
				if (match->share[j].team == team)
					add_entry(f, u, times *
							  state_space_share_coefficient(&form->m, &match->share[j],
															form->teams.size));
	}
}

/* The performances of the teams of an order of many. */
static void
fill_performances(Filling *f, size_t m, const FormMatch *form)
{
	int			i;

	for (i = 0; i < form->match.nteams; i++)
	{
		uint32_t	u = f->extra + (uint32_t) i;

		begin_row(f, 1 / form->teams.noise[i]);
		add_team(f, m, form, i, -1);
		f->joint->prior_mean[u] = -row_prior(f);
		add_entry(f, u, 1);
	}
	f->extra += (uint32_t) form->match.nteams;
}

/* The site of the row that was filled in last. */
static JointSite *
last_site(const Filling *f)
{
	return &f->joint->posterior.site[f->row - 1 - f->joint->posterior.nfixed];
}

static void
fill_difference(Filling *f, size_t m, const FormMatch *form)
{
	const ThroughTime *tt = f->joint->tt;
	const Match *match = &form->match;
	StateSpaceDifference d = state_space_difference(&form->m);
	const MatchTeam *first = &match->team[match_first_side(match)];
	const MatchTeam *second = &match->team[1 - match_first_side(match)];
	bool		scores = state_space_scores_count(&tt->space, match, form->order);
	double		sign = first->rank > second->rank && !scores ? -1 : 1;
	JointSite  *site;
	int			i;

	begin_row(f, 0);
	for (i = 0; i < form->n; i++)
	{
		const Appearance *a = &tt->appearance[i];
		double		part[PLAYER_UNKNOWNS];

		if (a->player >= 0)
			state_space_player_coefficients(&form->m, &match->player[a->player], part);
		add_entry(f, f->joint->unknown[tt->first[m] + (size_t) i],
				  sign * (a->player >= 0 ? part[a->kind] :
						  state_space_component_coefficient(&form->m,
															&match->component[a->component],
															d.size)));
	}
	site = last_site(f);
	*site = (JointSite)
	{
		.kind = scores ? JOINT_OBSERVED : first->rank == second->rank ? JOINT_WITHIN :
			JOINT_ABOVE,.offset = row_prior(f),.noise = d.noise,.margin = d.margin,
			.shift = sign * sqrt(M_PI / 8) * match->log_odds,.gain = form->gain
	};
	if (scores)
	{
		site->observed = d.size * state_space_score(&tt->space, first->score - second->score);
		f->joint->constant += form->gain *
			state_space_log_points(&tt->space, match, &d.size);
	}
	else if (site->kind == JOINT_WITHIN && d.margin == 0)
		f->joint->impossible = true;
}

/* Neighbours in the order; performances have no noise left. */
static void
fill_order(Filling *f, const FormMatch *form)
{
	const Match *match = &form->match;
	int			i;

	for (i = 0; i + 1 < match->nteams; i++)
	{
		int			above = form->order[i];
		int			below = form->order[i + 1];
		bool		drew = match->team[above].rank == match->team[below].rank;

		begin_row(f, 0);
		add_entry(f, f->extra + (uint32_t) above, 1);
		add_entry(f, f->extra + (uint32_t) below, -1);
		*last_site(f) = (JointSite)
		{
			.kind = drew ? JOINT_WITHIN : JOINT_ABOVE,.offset = row_prior(f),
				.margin = form->m.margin *
				sqrt(form->teams.noise[above] + form->teams.noise[below]),
				.gain = form->gain
		};
		if (drew && form->m.margin == 0)
			f->joint->impossible = true;
	}
	f->extra += (uint32_t) match->nteams;
}

/* Scores are what the teams are worth, with noise and a common level that is flat. */
static void
fill_scores(Filling *f, size_t m, const FormMatch *form)
{
	const StateSpace *model = form->m.model;
	const Match *match = &form->match;
	double		performance[MATCH_MAX_TEAMS];
	Sum			precisions = {0, 0};
	int			i;

	state_space_scores(model, match, form->teams.size, performance);
	f->joint->prior_mean[f->extra] = 0;
	for (i = 0; i < match->nteams; i++)
	{
		begin_row(f, 0);
		add_team(f, m, form, i, 1);
		add_entry(f, f->extra, 1);
		*last_site(f) = (JointSite)
		{
			.kind = JOINT_OBSERVED,.offset = row_prior(f),.noise = form->teams.noise[i],
				.observed = performance[i],.gain = form->gain
		};
		sum_add(&precisions, 1 / form->teams.noise[i]);
	}
	f->extra++;

	/* A match that counts several times has a level each time. */
	f->joint->constant += form->gain * state_space_log_points(model, match, form->teams.size) +
		(form->gain - 1) / 2 * (LOG_2_PI - portable_log(sum_value(&precisions))) +
		portable_log(form->gain) / 2;
}

/* Fill in the residuals of all matches, or their sites. */
static void
fill_matches(Filling *f, bool sites)
{
	ThroughTime *tt = f->joint->tt;
	FormMatch	form;
	size_t		m;

	for (m = 0; m < tt->linked; m++)
	{
		check(tt, m);
		if (tt->first[m] == tt->first[m + 1])
			continue;
		build_form(tt, m, &form);
		if (!sites)
		{
			if (form.form == FORM_ORDER)
				fill_performances(f, m, &form);
			else if (form.form == FORM_SCORES)
				f->extra++;
		}
		else if (form.form == FORM_DIFFERENCE)
			fill_difference(f, m, &form);
		else if (form.form == FORM_ORDER)
			fill_order(f, &form);
		else if (form.form == FORM_SCORES)
			fill_scores(f, m, &form);
	}
}

void
through_time_joint_fill(ThroughTimeJoint *joint, void *block)
{
	Filling		f = {joint, 0, 0};

	lay_out(joint, block);
	joint->posterior.rows.first[0] = 0;
	fill_chains(&f);
	fill_matches(&f, false);
	f.extra = 0;
	fill_matches(&f, true);
}

/*
 * ---- The rest ----
 */

size_t
through_time_joint_analysis_size(const ThroughTimeJoint *joint)
{
	return sparse_analysis_size(&joint->posterior.rows);
}

void
through_time_joint_analyze(ThroughTimeJoint *joint, void *block)
{
	sparse_analyze(&joint->posterior.cholesky, &joint->posterior.rows, block,
				   joint->tt->interrupt);
}

size_t
through_time_joint_factor_size(const ThroughTimeJoint *joint)
{
	return sparse_factor_size(&joint->posterior.cholesky);
}

double
through_time_joint_products(const ThroughTimeJoint *joint)
{
	return 3 * sparse_products(&joint->posterior.cholesky);
}

/*
 * What orders of many teams add to the evidence, each as it is given the rest of the
 * history by the messages: the order of three is off by some 0.001 to expectation
 * propagation, and more of them by more.
 */
static double
excess_of_orders(const ThroughTimeJoint *joint)
{
	ThroughTime *tt = joint->tt;
	Sum			excess = {0, 0};
	FormMatch	form;
	Match		match;
	size_t		m;

	for (m = 0; m < tt->linked && joint->nextra > 0; m++)
	{
		if (tt->first[m] == tt->first[m + 1])
			continue;
		build_form(tt, m, &form);
		if (form.form != FORM_ORDER)
			continue;
		(void) through_time_given_rest(tt, m, &match);
		sum_add(&excess, state_space_order_excess(&tt->space, &match));
	}
	return sum_value(&excess);
}

JointResult
through_time_joint_solve(ThroughTimeJoint *joint, void *block, double tolerance,
						 int max_iterations)
{
	JointResult result;

	sparse_factor_init(&joint->posterior.cholesky, block);
	joint_begin(&joint->posterior);
	result = joint_solve(&joint->posterior, tolerance, max_iterations);
	result.log_evidence = joint->impossible ? -INFINITY :
		result.log_evidence + joint->constant + excess_of_orders(joint);
	return result;
}

void
through_time_joint_skill(const ThroughTimeJoint *joint, size_t a, double *mu, double *sigma)
{
	uint32_t	u = joint->unknown[a];

	*mu = joint->prior_mean[u] + joint->posterior.mean[u];
	*sigma = sqrt(joint_variance(&joint->posterior, u));
}
