/*
 * trueskill.h
 *		TrueSkill, as the functions in SQL and the model share it.
 */
#ifndef CORE_MODELS_TRUESKILL_H
#define CORE_MODELS_TRUESKILL_H

#include <stdbool.h>

#include "core/math/normal.h"
#include "core/models/team_chain.h"
#include "core/rating/model.h"

/* The state columns. */
enum
{
	TRUESKILL_MU,
	TRUESKILL_SIGMA,
	TRUESKILL_NSTATE
};

/* The parameters, by index. */
enum
{
	TRUESKILL_INITIAL_MU = MODEL_COMMON_PARAMS,
	TRUESKILL_INITIAL_SIGMA,
	TRUESKILL_BETA,
	TRUESKILL_TAU,
	TRUESKILL_DRIFT,
	TRUESKILL_DRAW_PROBABILITY,
	TRUESKILL_DRAW_MARGIN,
	TRUESKILL_TIES,
	TRUESKILL_STRENGTH,
	TRUESKILL_DISPLAY_DEVIATIONS,
	TRUESKILL_NPARAMS
};

/* What TrueSkill's formulas take besides a match. */
typedef struct TrueSkill
{
	double		beta;			/* deviation of one performance */
	double		tau;			/* drift of a skill from match to match */
	double		draw_probability;	/* of two equal teams, 0 <= p < 1 */
	bool		margin_by_weight;	/* draw margin from weights, not players */
	Ties		ties;			/* in matches of more than two teams */
	bool		centered;		/* members count by match_center() */
} TrueSkill;

/* The performances of a match's teams as independent normal variables. */
typedef struct TrueSkillTeams
{
	double		mean[MATCH_MAX_TEAMS];
	double		variance[MATCH_MAX_TEAMS];
	double		size[MATCH_MAX_TEAMS];	/* players, or squared weights */
	double		factor[MATCH_MAX_TEAMS];	/* what a unit of weight counts */
} TrueSkillTeams;

/*
 * Fill in the match->nteams performances, from the states before the match.  drift is the
 * variance to add to every skill, tau^2 for a match that is to be rated.
 */
extern void trueskill_teams(const TrueSkill *ts, const Match *match,
							double drift, TrueSkillTeams *teams);

/*
 * The difference of two teams' performances, from side 1 (or team 0), as a normal
 * variable and with the draw margin.  Each player's part in it is left in gradient:
 * with entries on both teams, it is their difference.
 */
typedef struct Difference
{
	double		mean;
	double		deviation;
	double		margin;
} Difference;

extern Difference trueskill_difference(const TrueSkill *ts, Match *match, double drift);

/* The draw margin per square root of the two teams' summed sizes. */
extern double trueskill_margin(const TrueSkill *ts);

/*
 * The states after the match, by the ranks of its teams: exact for two teams
 * (up to the normal shape of the posterior), expectation propagation for more.
 * Predictions are not looked at.  The match's log_odds shift the difference of
 * two teams by sqrt(pi / 8) of its deviation each.
 */
extern void trueskill_update(const TrueSkill *ts, Match *match);

/*
 * The place of a team: place[r - 1] is the probability that r - 1 teams beat it,
 * with the draw margin between them.  *win is the probability that it beats all
 * others, and *draw that none beats it and it does not beat all.  check is
 * called in between.
 */
extern void trueskill_places(const TrueSkill *ts, const TrueSkillTeams *teams,
							 int nteams, int team, double *win, double *draw,
							 double *place, double *work,
							 InterruptCheck check);

/*
 * Match quality: the probability of a draw of all teams, relative to that with
 * equal skills known for certain; between 0 and 1.
 */
extern double trueskill_quality(const TrueSkill *ts, const Match *match);

#endif							/* CORE_MODELS_TRUESKILL_H */
