/*
 * history.c
 *		All matches of a history in compact form, to be rated over and over.
 *
 * A history is read only: replays write into a HistoryWork, of which each replay at the same time
 * needs its own.  The pointers of a match that is built lead into the work and last until the next
 * match is built.  slot[] is -1 for everybody between matches, so that a match costs no more than
 * its participants; history_build_match() keeps to that also if it fails.
 */
#include "core/rating/history.h"

#include <math.h>
#include <string.h>

#include "core/math/elementary.h"
#include "core/math/score.h"
#include "core/rating/history_components.h"
#include "core/util/block.h"
#include "core/util/extremes.h"

/* After how many participants there may be an interrupt. */
#define PARTICIPANTS_BETWEEN_CHECKS 1000

/* No forecast is scored as more certain than this. */
#define MIN_PROBABILITY 1e-15

/* Lay the arrays out, or only add up what they take where there is no block. */
static size_t
lay_out(HistoryWork *work, char *block, const History *history, int nstate)
{
	size_t		players = (size_t) history->nplayers;
	size_t		n = (size_t) history->max_participants;
	size_t		total = 0;

#define TAKE(array, count) \
	work->array = block_take(&block, &total, sizeof(*work->array), count)

	TAKE(state, players * (size_t) nstate);
	TAKE(games, players);
	TAKE(last_played, players);
	TAKE(fixed, players);
	TAKE(slot, players);
	TAKE(participant, n);
	TAKE(team, n);
	TAKE(match_player, n);
	TAKE(entry, n);
	TAKE(player, n);
	TAKE(before, n * (size_t) nstate);
	TAKE(after, n * (size_t) nstate);
#undef TAKE
	return total;
}

size_t
history_work_size(const History *history, int nstate)
{
	HistoryWork work;

	return lay_out(&work, NULL, history, nstate);
}

void
history_work_init(HistoryWork *work, void *block, const History *history,
				  int nstate)
{
	int32_t		i;

	lay_out(work, block, history, nstate);

	/* What only some replays have, from blocks of their own. */
	work->past = NULL;
	work->first_past = NULL;
	work->npast = NULL;
	work->side_log_odds = 0;
	work->on_score = NULL;
	work->on_score_argument = NULL;
	work->components = NULL;
	work->component = NULL;
	work->share = NULL;
	work->left_out = NULL;
	for (i = 0; i < history->nplayers; i++)
		work->slot[i] = -1;
}

/* The same of the states that players look back on. */
static size_t
lay_out_past(HistoryWork *work, char *block, const History *history, int nstate)
{
	size_t		total = 0;

	work->past = block_take(&block, &total, nstate * sizeof(double), history->nparticipants);
	work->first_past = block_take(&block, &total, sizeof(size_t), history->nplayers);
	work->npast = block_take(&block, &total, sizeof(int32_t), history->nplayers);
	return total;
}

size_t
history_past_size(const History *history, int nstate)
{
	HistoryWork work;

	return lay_out_past(&work, NULL, history, nstate);
}

void
history_past_init(HistoryWork *work, void *block, const History *history, int nstate)
{
	size_t		first = 0;
	size_t		j;
	int32_t		i;

	/* Nobody has more matches than rows. */
	lay_out_past(work, block, history, nstate);
	for (i = 0; i < history->nplayers; i++)
		work->npast[i] = 0;
	for (j = 0; j < history->nparticipants; j++)
		work->npast[history->player[j]]++;
	for (i = 0; i < history->nplayers; i++)
	{
		work->first_past[i] = first;
		first += work->npast[i];
		work->npast[i] = 0;
	}
}

MatchStatus
history_build_match(const History *history, size_t number,
					const MatchRules *rules, const ParamValue *params,
					HistoryWork *work, Match *match, int *offender)
{
	const HistoryMatch *source = &history->match[number];
	MatchStatus status;
	int			i,
				j;

	match->team = work->team;
	match->player = work->match_player;
	match->entry = work->entry;
	match->component = work->component;
	match->share = work->share;
	match->log_odds = source->log_odds;
	match->nplayers = 0;
	for (i = 0; i < source->n; i++)
	{
		Participant *p = &work->participant[i];
		int32_t		player = history->player[source->first + i];

		*p = participant_default;

		/* A player with several stints is one player of the match. */
		if (work->slot[player] < 0)
		{
			work->slot[player] = match->nplayers;
			work->player[match->nplayers++] = player;
		}
		p->player = work->slot[player];
		p->team = history->team[source->first + i];
		for (j = 0; j < PARTICIPANT_NUMBERS; j++)
			if (history->number[j] != NULL)
				p->number[j] = history->number[j][source->first + i];
		if (history->contexts.number != NULL)
			p->context = history->contexts.number[source->first + i];
		if (history->clubs.number != NULL)
			p->club = history->clubs.number[source->first + i];
	}
	status = match_build(rules, params, work->participant, source->n, match,
						 offender);
	for (i = 0; i < match->nplayers; i++)
		work->slot[work->player[i]] = -1;
	if (match->log_odds == 0 && status == MATCH_OK && match->nteams == 2 &&
		match->team[0].side != 0)
		match->log_odds = work->side_log_odds;
	return status;
}

/* The states of a player that a model may look back on. */
static double *
past_states(const HistoryWork *work, int32_t player, int nstate)
{
	return work->past + work->first_past[player] * nstate;
}

/*
 * Put a player of a match that was built into the state before it.  Who is fixed, or was up to here,
 * has not aged, and what pools share is fixed as the player's last match in any pool says.
 */
static void
enter_match(const History *history, const HistoryMatch *source, const Model *model,
			const ParamValue *params, bool shares, HistoryWork *work, Period period, int i,
			MatchPlayer *p)
{
	static const Period no_period = {0, 0};
	int			nstate = model->nstate;
	int32_t		player = work->player[i];
	int32_t		shared = shares ? history->shared[player] : -1;
	double	   *before = work->before + (size_t) i * nstate;
	bool		rests = work->fixed[player] || p->fixed == 1;

	if (isnan(p->fixed))
		p->fixed = work->fixed[player];
	model_state_before(model, params, work->state + (size_t) player * nstate,
					   rests ? 0 : idle_seconds(work->last_played[player], source->played_at),
					   rests ? no_period : period,
					   shares ? work->state + (size_t) shared * nstate : NULL,
					   shares && !rests && !work->fixed[shared] ?
					   idle_seconds(work->last_played[shared], source->played_at) : 0,
					   before);
	p->before = before;
	p->after = work->after + (size_t) i * nstate;
	p->games = (double) work->games[player];
	if (work->past != NULL)
		model_look_back(model, params, past_states(work, player, nstate),
						work->npast[player], p);
}

/* Rate a match that was built, and let its players go on from there. */
static MatchStatus
rate_match(const History *history, const HistoryMatch *source,
		   const Model *model, const ParamValue *params, bool shares,
		   HistoryWork *work, Match *match)
{
	int			nstate = model->nstate;
	MatchStatus status;
	int			i,
				j;

	match->period = period_of(model, params, source->played_at, source->tournament);
	for (i = 0; i < match->nplayers; i++)
		enter_match(history, source, model, params, shares, work, match->period, i,
					&match->player[i]);
	if (work->components != NULL)
		history_components_before(work, source, params, match);
	status = model_rate(model, params, match);

	/*
	 * States after are in their own arrays, so that nothing has changed yet.
	 */
	if (status != MATCH_OK)
		return status;
	for (i = 0; i < match->nplayers; i++)
	{
		int32_t		player = work->player[i];
		const double *after = match->player[i].after;

		memcpy(work->state + (size_t) player * nstate, after,
			   nstate * sizeof(double));
		if (work->past != NULL)
			work->npast[player] =
				model_remember(model, after, past_states(work, player, nstate),
							   work->npast[player]);

		/* First the player in the pool, then who stands for all pools. */
		for (;;)
		{
			work->games[player]++;
			work->fixed[player] = match->player[i].fixed == 1;
			if (source->played_at > work->last_played[player])
				work->last_played[player] = source->played_at;
			if (!shares || history->shared[player] == player)
				break;
			player = history->shared[player];
			for (j = 0; j < nstate; j++)
				if (model->state[j].shared)
					work->state[(size_t) player * nstate + j] = after[j];
		}
	}
	if (work->components != NULL)
		history_components_after(work, source, match);
	return MATCH_OK;
}

double
match_log_loss(const Match *match)
{
	double		loss = 0;
	int			winners = 0;
	int			i;

	if (match->nteams == 2)
		return log_loss(smaller(larger(match->team[0].win, MIN_PROBABILITY),
								1 - MIN_PROBABILITY),
						match_outcome(match, 0) / 2.0);
	for (i = 0; i < match->nteams; i++)
		if (match_outcome(match, i) != MATCH_LOST)
		{
			loss -= portable_log(larger(match->team[i].win, MIN_PROBABILITY));
			winners++;
		}

	/* Of several who share the first place, the mean. */
	return loss / winners;
}

MatchStatus
history_replay(const History *history, const Model *model,
			   const ParamValue *params, HistoryWork *work,
			   const size_t *bound, int nscores, HistoryScore *score,
			   InterruptCheck interrupt, size_t *match_number, int *offender)
{
	bool		shares = history->shared != NULL && model->shares != NULL &&
		model->shares(params);
	double		initial[MODEL_MAX_STATE];
	size_t		unchecked = 0;
	size_t		m;
	int			part = -1;
	int32_t		i;

	/*
	 * Every replay begins anew: states of the replay before are overwritten
	 * and not read.
	 */
	model->init(params, initial);
	for (i = 0; i < history->nplayers; i++)
	{
		memcpy(work->state + (size_t) i * model->nstate, initial,
			   model->nstate * sizeof(double));
		work->games[i] = 0;
		work->last_played[i] = NEVER_PLAYED;
		work->fixed[i] = false;
		if (work->npast != NULL)
			work->npast[i] = 0;
	}
	if (work->components != NULL)
		history_components_reset(work, params);
	memset(score, 0, nscores * sizeof(HistoryScore));

	for (m = 0; m < bound[nscores]; m++)
	{
		const HistoryMatch *source = &history->match[m];
		MatchStatus status;
		Match		match;

		unchecked += source->n;
		if (interrupt != NULL && unchecked >= PARTICIPANTS_BETWEEN_CHECKS)
		{
			interrupt();
			unchecked = 0;
		}
		while (part < nscores - 1 && m >= bound[part + 1])
			part++;

		/* For whoever reports an error, or is interrupted. */
		*match_number = m;
		status = history_build_match(history, m, &model->rules, params, work,
									 &match, offender);
		match.interrupt = interrupt;
		if (status == MATCH_OK)
		{
			status = rate_match(history, source, model, params, shares, work, &match);
			*offender = -1;
		}
		if (status > MATCH_LAST_UNRATED)
		{
			if (work->left_out == NULL)
				return status;
			work->left_out[status]++;
		}
		if (status != MATCH_OK)
			continue;
		if (part >= 0 && match.nteams > 1)
		{
			score[part].matches++;
			sum_add(&score[part].log_loss, match_log_loss(&match));
			if (work->on_score != NULL)
				work->on_score(work->on_score_argument, m, &match);
		}
	}
	return MATCH_OK;
}
