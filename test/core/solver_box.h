/*
 * solver_box.h
 *		A history with room for everything, to be solved in tests.
 */
#ifndef SOLVER_BOX_H
#define SOLVER_BOX_H

#include <stdlib.h>

#include "test.h"

#include "core/solve/solvers.h"

#define DAY INT64_C(86400000000)
#define MAX_MATCHES 30000
#define MAX_PARTICIPANTS 200000
#define MAX_PLAYERS 2000
#define MAX_UNKNOWNS 20000

/* A history with room for everything, and all that solving it takes. */
typedef struct Box
{
	SolverTask	task;
	ParamValue	params[TEST_MAX_PARAMS];
	History		history;
	HistoryMatch match[MAX_MATCHES];
	int32_t		player[MAX_PARTICIPANTS];
	int32_t		team[MAX_PARTICIPANTS];
	double		number[PARTICIPANT_NUMBERS][MAX_PARTICIPANTS];
	int32_t		context_of[MAX_MATCHES];
	uint32_t	first_skill[MAX_PLAYERS + 1];
	int32_t		day[MAX_PARTICIPANTS];
	int64_t		games[MAX_PLAYERS];
	int32_t		component[MAX_PLAYERS];
	HistoryWork work;
	double		x[MAX_UNKNOWNS];
	double		error[MAX_UNKNOWNS];
	double		room[3 * MAX_UNKNOWNS];
	void	   *blocks[2];
} Box;

static inline Box *
box_make(const char *solver)
{
	Box		   *box = calloc(1, sizeof(Box));
	int			i;

	box->task.solver = solver_find(solver);
	assert_non_null(box->task.solver);
	param_defaults(&box->task.solver->params, box->params);
	box->task.params = box->params;
	box->task.history = &box->history;
	box->history.match = box->match;
	box->history.player = box->player;
	box->history.team = box->team;
	for (i = 0; i < PARTICIPANT_NUMBERS; i++)
		box->history.number[i] = box->number[i];
	box->task.layout.first_skill = box->first_skill;
	box->task.layout.day = box->day;
	box->task.layout.games = box->games;
	box->task.layout.component = box->component;
	return box;
}

static inline void
box_free(Box *box)
{
	free(box->blocks[0]);
	free(box->blocks[1]);
	free(box);
}

static inline double *
box_param(Box *box, const char *name)
{
	int			i = param_find(&box->task.solver->params, name);

	assert_true(i >= 0);
	return &box->params[i].number;
}

static inline void
box_choice(Box *box, const char *name, int choice)
{
	int			i = param_find(&box->task.solver->params, name);

	assert_true(i >= 0);
	box->params[i].choice = choice;
}

static inline HistoryMatch *
box_match(Box *box, int64_t at)
{
	HistoryMatch *match = &box->match[box->history.nmatches++];

	assert_true(box->history.nmatches <= MAX_MATCHES);
	match->played_at = at;
	match->log_odds = 0;
	match->first = box->history.nparticipants;
	match->n = 0;
	return match;
}

static inline Participant
box_participant(int32_t team, double rank)
{
	Participant p = participant_default;

	p.team = team;
	p.rank = rank;
	return p;
}

static inline void
box_add(Box *box, HistoryMatch *match, int32_t player, Participant p)
{
	size_t		place = box->history.nparticipants++;
	int			i;

	assert_true(place < MAX_PARTICIPANTS && player < MAX_PLAYERS);
	box->player[place] = player;
	box->team[place] = p.team;
	for (i = 0; i < PARTICIPANT_NUMBERS; i++)
		box->number[i][place] = p.number[i];
	match->n++;
	if (match->n > box->history.max_participants)
		box->history.max_participants = match->n;
	if (player >= box->history.nplayers)
		box->history.nplayers = player + 1;
}

static inline HistoryMatch *
box_duel(Box *box, int64_t at, int32_t a, int32_t b, double score)
{
	HistoryMatch *match = box_match(box, at);

	box_add(box, match, a, box_participant(1, score == 0 ? 2 : 1));
	box_add(box, match, b, box_participant(2, score == 1 ? 2 : 1));
	return match;
}

/* Call a function with each match of a task that counts. */
static inline void
task_each_match(SolverTask *task,
				void (*see) (SolverTask *, const Match *, const int32_t *))
{
	const History *history = task->history;

	for (task->match = 0; task->match < history->nmatches; task->match++)
	{
		Match		match;
		MatchStatus status;
		int			offender;

		status = history_build_match(history, task->match, &task->solver->rules,
									 task->params, task->work, &match, &offender);
		assert_true(status <= MATCH_LAST_UNRATED);
		if (status == MATCH_OK)
			see(task, &match, task->work->player);
	}
}

/* Count them, and virtual rows. */
static inline void
task_count(SolverTask *task)
{
	solver_count_begin(task);
	task_each_match(task, solver_count_match);
	solver_count_end(task);
}

/* Count what there is, and lay it out. */
static inline void
box_lay_out(Box *box)
{
	free(box->blocks[0]);
	free(box->blocks[1]);
	box->blocks[0] = malloc(history_work_size(&box->history, 0));
	history_work_init(&box->work, box->blocks[0], &box->history, 0);
	box->task.work = &box->work;
	solver_count_players(&box->task, 0);
	task_count(&box->task);
	solver_lay_out(&box->task);
}

static inline LogitResult
box_solve(Box *box)
{
	box_lay_out(box);
	assert_true(box->task.layout.n <= MAX_UNKNOWNS);
	box->blocks[1] = malloc(solver_problem_size(&box->task));
	solver_fill(&box->task, box->blocks[1]);
	logit_start(&box->task.problem, box->x);
	return solver_run(&box->task, box->x);
}

#endif							/* SOLVER_BOX_H */
