/*
 * through_time_box.h
 *		A history with room for everything, to be solved through time in tests.
 */
#ifndef TEST_CORE_THROUGH_TIME_BOX_H
#define TEST_CORE_THROUGH_TIME_BOX_H

#include <stdlib.h>

#include "test.h"

#include "core/math/normal.h"
#include "core/solve/solvers.h"
#include "core/solve/through_time_joint.h"

#define DAY INT64_C(86400000000)
#define MAX_MATCHES 20000
#define MAX_PARTICIPANTS 60000
#define MAX_APPEARANCES 60000
#define MAX_PLAYERS 3000
#define MAX_COMPONENTS 1000
#define MAX_BLOCKS 16

typedef struct Box
{
	ThroughTime tt;
	const ParamSet *set;
	ParamValue	solver_params[TEST_MAX_PARAMS];
	ParamValue	params[THROUGH_TIME_MODEL_PARAMS];
	History		history;
	HistoryMatch match[MAX_MATCHES];
	int32_t		player[MAX_PARTICIPANTS];
	int32_t		team[MAX_PARTICIPANTS];
	double		number[PARTICIPANT_NUMBERS][MAX_PARTICIPANTS];
	int32_t		name[2][MAX_PARTICIPANTS];
	int32_t		name_of[2][MAX_PARTICIPANTS];
	HistoryWork work;
	HistoryComponents components;
	size_t		first[MAX_MATCHES + 1];
	uint32_t	match_of[MAX_APPEARANCES];
	uint32_t	chain[MAX_APPEARANCES];
	uint32_t	previous[MAX_APPEARANCES];
	uint32_t	next[MAX_APPEARANCES];
	Belief		site[MAX_APPEARANCES];
	Belief		forward[MAX_APPEARANCES];
	Belief		backward[MAX_APPEARANCES];
	uint32_t	unknown[MAX_APPEARANCES];
	uint32_t	last[MAX_PLAYERS * PLAYER_UNKNOWNS];
	int64_t		games[MAX_PLAYERS];
	int32_t		component[MAX_PLAYERS];
	double		start[MAX_PLAYERS];
	uint32_t	last_of_component[STATE_SPACE_NCOMPONENTS][MAX_COMPONENTS];
	int64_t		component_games[STATE_SPACE_NCOMPONENTS][MAX_COMPONENTS];
	void	   *block[MAX_BLOCKS];
	int			nblocks;
} Box;

static inline Box *
box_make(void)
{
	Box		   *box = calloc(1, sizeof(Box));
	ThroughTime *tt = &box->tt;
	int			i;

	box->set = &solver_find("through_time")->params;
	assert_true(box->set->count <= TEST_MAX_PARAMS);
	param_defaults(box->set, box->solver_params);
	box->solver_params[param_find(box->set, "initial_mu")].number = 25;
	box->solver_params[param_find(box->set, "initial_sigma")].number = 25.0 / 3;
	box->solver_params[param_find(box->set, "beta")].number = 25.0 / 6;
	box->solver_params[param_find(box->set, "tau")].number = 0;
	box->solver_params[param_find(box->set, "drift")].number = 0;
	box->solver_params[param_find(box->set, "draw_probability")].number = 0;
	tt->history = &box->history;
	tt->work = &box->work;
	tt->first = box->first;
	tt->match = box->match_of;
	tt->chain = box->chain;
	tt->previous = box->previous;
	tt->next = box->next;
	tt->site = box->site;
	tt->forward = box->forward;
	tt->backward = box->backward;
	tt->last = box->last;
	tt->games = box->games;
	tt->component = box->component;
	tt->start = box->start;
	for (i = 0; i < STATE_SPACE_NCOMPONENTS; i++)
	{
		tt->last_of_component[i] = box->last_of_component[i];
		tt->component_games[i] = box->component_games[i];
	}
	box->history.match = box->match;
	box->history.player = box->player;
	box->history.team = box->team;
	for (i = 0; i < PARTICIPANT_NUMBERS; i++)
		box->history.number[i] = box->number[i];
	box->history.npools = 1;
	box->history.contexts.number = box->name[0];
	box->history.contexts.name = box->name_of[0];
	box->history.clubs.number = box->name[1];
	box->history.clubs.name = box->name_of[1];
	return box;
}

/* A parameter of the solver. */
static inline ParamValue *
box_param(Box *box, const char *name)
{
	int			i = param_find(box->set, name);

	assert_true(i >= 0);
	return &box->solver_params[i];
}

static inline void *
box_block(Box *box, size_t size)
{
	assert_true(box->nblocks < MAX_BLOCKS);
	return box->block[box->nblocks++] = malloc(size + 1);
}

static inline void
box_free_blocks(Box *box)
{
	while (box->nblocks > 0)
		free(box->block[--box->nblocks]);
}

static inline void
box_free(Box *box)
{
	box_free_blocks(box);
	free(box);
}

static inline HistoryMatch *
box_begin(Box *box, int64_t at)
{
	HistoryMatch *match = &box->match[box->history.nmatches++];

	assert_true(box->history.nmatches <= MAX_MATCHES);
	match->played_at = at;
	match->first = box->history.nparticipants;
	match->n = 0;
	match->first_context = box->history.contexts.nnames;
	match->first_club = box->history.clubs.nnames;
	return match;
}

/* Name what a participant of the last match brings, each with a number of its own there. */
static inline void
box_name(Box *box, int which, int32_t name)
{
	HistoryNames *names = which == 0 ? &box->history.contexts : &box->history.clubs;
	HistoryMatch *match = &box->match[box->history.nmatches - 1];
	size_t		first = which == 0 ? match->first_context : match->first_club;
	size_t		place = box->history.nparticipants - 1;
	size_t		i;

	names->number[place] = -1;
	if (name < 0)
		return;
	for (i = first; i < names->nnames && names->name[i] != name; i++)
		;
	if (i == names->nnames)
		names->name[names->nnames++] = name;
	names->number[place] = (int32_t) (i - first);
	if (name >= names->n)
		names->n = name + 1;
}

/* Add a participant; returns its place, for more numbers. */
static inline size_t
box_add(Box *box, int32_t player, int32_t team, double rank)
{
	size_t		place = box->history.nparticipants++;
	HistoryMatch *match = &box->match[box->history.nmatches - 1];
	Participant p = participant_default;
	int			i;

	assert_true(place < MAX_PARTICIPANTS && player < MAX_PLAYERS);
	p.rank = rank;
	box->player[place] = player;
	box->team[place] = team;
	for (i = 0; i < PARTICIPANT_NUMBERS; i++)
		box->number[i][place] = p.number[i];
	if (++match->n > box->history.max_participants)
		box->history.max_participants = match->n;
	if (player >= box->history.nplayers)
		box->history.nplayers = player + 1;
	box_name(box, 0, -1);
	box_name(box, 1, -1);
	return place;
}

/* A column of participants, by one of its numbers. */
static inline double *
box_column(Box *box, size_t offset)
{
	Participant p;
	int			i = 0;

	while ((char *) &p.number[i] != (char *) &p + offset)
		i++;
	return box->number[i];
}

#define box_number(box, name, place) \
	box_column(box, offsetof(Participant, name))[place]

static inline void
box_duel(Box *box, int64_t at, int32_t winner, int32_t loser)
{
	box_begin(box, at);
	box_add(box, winner, 1, 1);
	box_add(box, loser, 2, 2);
}

/* Room for the matches that are there, and their links, with parameters as they are. */
static inline void
box_link(Box *box)
{
	const MatchRules *rules;
	size_t		match;
	int			offender;
	int			k;
	void	   *room;

	box_free_blocks(box);
	through_time_configure(&box->tt, box->solver_params, box->params);
	rules = &box->tt.model->rules;
	history_work_init(&box->work, box_block(box, history_work_size(&box->history, STATE_SPACE_NSTATE)),
					  &box->history, STATE_SPACE_NSTATE);
	room = malloc(history_components_room(&box->history));
	history_components_find(&box->components,
							box_block(box, history_components_size(&box->history, rules)), room,
							&box->history, rules);
	free(room);
	history_component_states_init(&box->work,
								  box_block(box, history_component_states_size(&box->history, &box->components)),
								  &box->history, &box->components);
	box->tt.appearance = box_block(box, (size_t) box->history.max_participants *
								   THROUGH_TIME_UNKNOWNS * sizeof(Appearance));
	through_time_begin(&box->tt);
	through_time_begin_players(&box->tt, 0, box->history.nplayers);
	for (k = 0; k < STATE_SPACE_NCOMPONENTS; k++)
	{
		assert_true(box->components.count[k] <= MAX_COMPONENTS);
		through_time_begin_components(&box->tt, k, 0, box->components.count[k]);
	}
	assert_status(through_time_count(&box->tt, &match, &offender), MATCH_OK);
	assert_true(box->tt.appearances <= MAX_APPEARANCES);
	through_time_link(&box->tt);
}

/* The joint distribution of what was solved. */
static inline JointResult
box_joint(Box *box, ThroughTimeJoint *joint)
{
	through_time_joint_begin(joint, &box->tt, box->unknown);
	through_time_joint_fill(joint, box_block(box, through_time_joint_size(joint)));
	assert_int_equal(joint->posterior.rows.first[joint->posterior.rows.nrows] <= joint->nentries, 1);
	through_time_joint_analyze(joint, box_block(box, through_time_joint_analysis_size(joint)));
	return through_time_joint_solve(joint, box_block(box, through_time_joint_factor_size(joint)),
									1e-9, 200);
}

static inline double
box_joint_evidence(Box *box)
{
	ThroughTimeJoint joint;
	JointResult result = box_joint(box, &joint);

	assert_int_equal(result.status, SOLVE_CONVERGED);
	return result.log_evidence;
}

static inline ThroughTimeResult
box_solve(Box *box)
{
	box_link(box);
	return through_time_solve(&box->tt, false, 1e-9, 1000);
}

#endif							/* TEST_CORE_THROUGH_TIME_BOX_H */
