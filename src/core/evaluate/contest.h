/*
 * contest.h
 *		Studies of several models on one history: which of them predicts it best.
 */
#ifndef CORE_EVALUATE_CONTEST_H
#define CORE_EVALUATE_CONTEST_H

#include "core/evaluate/study.h"

/* A model and what came of it. */
typedef struct Candidate
{
	const Model *model;
	Study	   *study;			/* NULL if it cannot rate the matches */
	double		log_loss;		/* of the matches held out that all can rate */
	PairedDifference behind;	/* the best one, there */
} Candidate;

/*
 * Leave out candidates, of which all studies have begun, that cannot rate what another one can,
 * or nothing that is held out.  False unless any of the others has matches to fit to.
 */
extern bool contest_admit(Candidate *candidate, int n);

/*
 * The share of candidate i in all evaluations of the contest, of which so many are done.  What
 * those before it have left of theirs is for those behind; where they took more, as they do of
 * very few, it does not get less.
 */
extern int	contest_share(const Candidate *candidate, int n, int i, int evaluations,
						  int64_t done);

/*
 * Judge all on the matches held out that all have forecast: losses of others become NaN, at the
 * start too.  Sorts them: the best first, by name where there is no difference, those without a
 * score behind, and those left out last.
 */
extern void contest_judge(Candidate *candidate, int n);

/*
 * What to think of the candidate in that place, in words, and a word more if its study was cut
 * short, or "": it may be better than it looks.  The best one is the best even so.
 */
extern const char *contest_verdict(const Candidate *candidate, int place, const char **addition);

#endif							/* CORE_EVALUATE_CONTEST_H */
