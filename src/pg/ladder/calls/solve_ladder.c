/*
 * solve_ladder.c
 *		The part of solve_ladder() in C: a solver at work on the matches of a
 *		ladder.
 */
#include "pg/sql/glue.h"

#include "executor/spi.h"
#include "utils/builtins.h"

#include "pg/history/solve_state.h"
#include "pg/ladder/entry/entry.h"
#include "pg/ladder/rate/match_reader.h"
#include "pg/ladder/rate/states.h"
#include "pg/sql/progress.h"

/* Whether a match that was read from a ladder counts. */
static bool
match_counts(const SourceMatch *match)
{
	return !match->vanished && match->unreadable.detail == NULL &&
		match->fault.detail == NULL && match->set_aside.detail == NULL &&
		match->void_reason == NULL && strcmp(match->status, "rated") == 0;
}

/* solve_matches(ladder, solver, params, pool, start, start_contexts, write) */
SQL_FUNCTION(skillrating_solve_matches)
{
	MemoryContext context = CurrentMemoryContext;
	MemoryContext old;
	SolveState *state = palloc_object(SolveState);
	Ladder	   *ladder;
	MatchReader *reader;
	int64		nread = 0;
	int			i;

	for (i = 0; i < 4; i++)
		if (PG_ARGISNULL(i))
			ereport(ERROR,
					(errcode(ERRCODE_NULL_VALUE_NOT_ALLOWED),
					 errmsg("ladder, solver, params and pool must not be null")));
	solve_state_init(state, text_to_cstring(PG_GETARG_TEXT_PP(1)), OPTION_EXACT_FOR,
					 PG_GETARG_JSONB_P(2));
	state->pool = text_to_cstring(PG_GETARG_TEXT_PP(3));
	if (!PG_ARGISNULL(4))
		state->start = text_to_cstring(PG_GETARG_TEXT_PP(4));
	if (!PG_ARGISNULL(5))
		state->start_contexts = PG_GETARG_DATUM(5);

	ladder = ladder_open_inside(fcinfo);
	ladder_expect_many(ladder);
	old = MemoryContextSwitchTo(context);
	history_builder_init(&state->builder, ladder->player_type->type, false);
	solve_state_judge(state);

	/*
	 * A ladder has its contexts for its model, which may have one for each
	 * row.
	 */
	if (state->builder.context_use == CONTEXT_OF_MATCHES)
		state->builder.context_use = CONTEXT_OF_MATCHES_IF_ANY;
	MemoryContextSwitchTo(old);
	progress_phase(PHASE_READING, PROGRESS_UNKNOWN);

	/* Not only what its own model makes use of; plans for many rows are not kept. */
	ladder->unused = 0;
	reader = reader_open_rated(ladder, PG_INT64_MIN);
	reader->match.unused = state->builder.match.unused;
	while (reader_next(reader))
	{
		progress_done(++nread);
		if (!match_counts(&reader->match) ||
			strcmp(reader->match.pool, state->pool) != 0)
			continue;
		old = MemoryContextSwitchTo(context);
		history_builder_add(&state->builder, &reader->match);
		MemoryContextSwitchTo(old);
	}
	reader_close(reader);
	ladder_close(ladder);

	progress_phase(PHASE_SOLVING, PROGRESS_UNKNOWN);
	solve_state_run(state);
	if (!PG_ARGISNULL(6))
		solution_write(state, PG_GETARG_ARRAYTYPE_P(6));
	return solve_state_summary(state, fcinfo);
}
