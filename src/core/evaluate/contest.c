/*
 * contest.c
 *		Studies of several models on one history: which of them predicts it best.
 */
#include "core/evaluate/contest.h"

#include <math.h>
#include <string.h>

#include "core/util/extremes.h"
#include "core/util/shell_sort.h"

/* A model that cannot rate this share of the matches that another one can is left out. */
#define MIN_COVERAGE 0.95

/* How many matches a model forecasts at the start, in both spans. */
static int64_t
forecast_matches(const Study *study, int64_t *fitted, int64_t *held_out)
{
	(void) study_mean(study, study->loss_before, STUDY_FITTED, fitted);
	(void) study_mean(study, study->loss_before, STUDY_HELD_OUT, held_out);
	return *fitted + *held_out;
}

bool
contest_admit(Candidate *candidate, int n)
{
	bool		any_fitted = false;
	int64_t		most = 0;
	int64_t		fitted;
	int64_t		held_out;
	int			i;

	for (i = 0; i < n; i++)
	{
		int64_t		matches = forecast_matches(candidate[i].study, &fitted, &held_out);

		most = matches > most ? matches : most;
	}
	for (i = 0; i < n; i++)
	{
		/*
		 * One that forecasts nothing that is held out would keep all from
		 * being judged.
		 */
		if (forecast_matches(candidate[i].study, &fitted, &held_out) < MIN_COVERAGE * most ||
			held_out == 0)
			candidate[i].study = NULL;
		else
			any_fitted |= fitted > 0;
	}
	return any_fitted;
}

int
contest_share(const Candidate *candidate, int n, int i, int evaluations, int64_t done)
{
	int64_t		effort = study_effort(candidate[i].study);
	int64_t		all = 0;
	int64_t		left = 0;
	int			j;

	for (j = 0; j < n; j++)
		if (candidate[j].study != NULL)
		{
			all += study_effort(candidate[j].study);
			left += j >= i ? study_effort(candidate[j].study) : 0;
		}
	return (int) larger(1, larger(evaluations * effort / all,
								  (evaluations - done) * effort / left));
}

/* Forget what all forecast of a match that one of them has not forecast. */
static void
judge_alike(Candidate *candidate, int n, size_t match)
{
	bool		all = true;
	int			i;

	for (i = 0; i < n; i++)
		all &= candidate[i].study == NULL || !isnan(candidate[i].study->loss[match]);
	for (i = 0; i < n && !all; i++)
		if (candidate[i].study != NULL)
			candidate[i].study->loss[match] = candidate[i].study->accuracy[match] =
				candidate[i].study->loss_before[match] = NAN;
}

/* Those left out last, before them those without a score. */
static int
rank_of(const Candidate *candidate)
{
	return candidate->study == NULL ? 2 : isnan(candidate->log_loss) ? 1 : 0;
}

static int
compare_candidates(const void *context, const void *a, const void *b)
{
	const Candidate *p = (const Candidate *) a;
	const Candidate *q = (const Candidate *) b;

	(void) context;
	if (rank_of(p) != rank_of(q))
		return rank_of(p) - rank_of(q);
	if (rank_of(p) == 0 && p->log_loss != q->log_loss)
		return p->log_loss < q->log_loss ? -1 : 1;
	return strcmp(p->model->name, q->model->name);
}

void
contest_judge(Candidate *candidate, int n)
{
	Candidate	spare;
	const Study *best;
	size_t		match;
	int			i;

	for (i = 0; candidate[i].study == NULL; i++)
		;
	best = candidate[i].study;
	for (match = best->bound[STUDY_HELD_OUT]; match < best->bound[STUDY_NSPANS]; match++)
		judge_alike(candidate, n, match);
	for (i = 0; i < n; i++)
		if (candidate[i].study != NULL)
		{
			int64_t		matches;

			candidate[i].log_loss = study_mean(candidate[i].study, candidate[i].study->loss,
											   STUDY_HELD_OUT, &matches);
		}
	shell_sort(candidate, n, sizeof(Candidate), &spare, compare_candidates, NULL);
	best = candidate[0].study;
	for (i = 0; i < n; i++)
		if (candidate[i].study != NULL)
			candidate[i].behind = paired_difference(candidate[i].study->loss, best->loss,
													best->bound[STUDY_HELD_OUT],
													best->bound[STUDY_NSPANS]);
}

const char *
contest_verdict(const Candidate *candidate, int place, const char **addition)
{
	const PairedDifference *behind = &candidate->behind;

	*addition = "";
	if (candidate->study == NULL)
		return "cannot rate these matches";
	if (isnan(candidate->log_loss))
		return "not judged: no match held out that all models forecast";
	if (place == 0)
		return "best";
	if (!candidate->study->selection.complete)
		*addition = ", but not all of its parts were tried";
	else if (candidate->study->report.status == MINIMIZE_MAX_EVALUATIONS)
		*addition = ", but its search was cut off";
	if (isnan(behind->error))
		return "worse, on too few matches to tell";
	if (behind->mean <= behind->error ||
		behind->mean * (double) behind->matches <= TUNE_SAME_NATS)
		return "as good, as far as the matches tell";
	if (behind->mean <= 2 * behind->error)
		return "worse, within two standard errors";
	return "worse";
}
