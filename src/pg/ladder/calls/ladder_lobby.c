/*
 * ladder_lobby.c
 *		Players of a ladder as a lobby, for team makers.
 *
 * Team makers know no ladder: a lobby has all that they need, the states with which players would
 * go into a match, of their components too, and by which model and parameters.
 */
#include "pg/sql/glue.h"

#include <math.h>

#include "catalog/pg_type.h"
#include "executor/spi.h"
#include "utils/builtins.h"
#include "utils/jsonb.h"
#include "utils/timestamp.h"

#include "core/math/square.h"
#include "pg/ladder/arrive/entries.h"
#include "pg/ladder/calls/match_arrays.h"
#include "pg/ladder/entry/entry.h"
#include "pg/ladder/entry/plans.h"
#include "pg/ladder/rate/component_states.h"
#include "pg/ladder/rate/filters.h"
#include "pg/ladder/rate/states.h"
#include "pg/sql/arrays.h"
#include "pg/sql/composite.h"
#include "pg/teams/lobby_reader.h"

/* The positions of the arguments. */
enum
{
	LOBBY_ARG_LADDER,
	LOBBY_ARG_PLAYERS,
	LOBBY_ARG_WEIGHT,
	LOBBY_ARG_PARTY,
	LOBBY_ARG_LOCKED,
	LOBBY_ARG_AVOID,
	LOBBY_ARG_SPLIT_EVENLY,
	LOBBY_ARG_PRIORITY,
	LOBBY_ARG_CURRENT,
	LOBBY_ARG_COMMANDERS,
	LOBBY_ARG_CONTEXT,
	LOBBY_ARG_CLUB,
	LOBBY_ARG_POOL,
	LOBBY_ARG_SIDES,
	LOBBY_ARG_CAUTION,
	LOBBY_ARG_LOG_ODDS,
	LOBBY_ARG_AT,
	LOBBY_ARG_WISHES,
	LOBBY_ARG_STRICT
};

/* Arguments that are columns as they are. */
static const struct
{
	int			arg;
	LobbyColumn column;
}			copied[] = {
	{LOBBY_ARG_WEIGHT, LOBBY_WEIGHT}, {LOBBY_ARG_PARTY, LOBBY_PARTY},
	{LOBBY_ARG_LOCKED, LOBBY_LOCKED}, {LOBBY_ARG_AVOID, LOBBY_AVOID},
	{LOBBY_ARG_SPLIT_EVENLY, LOBBY_SPLIT_EVENLY}, {LOBBY_ARG_PRIORITY, LOBBY_PRIORITY},
	{LOBBY_ARG_CURRENT, LOBBY_CURRENT}, {LOBBY_ARG_LOG_ODDS, LOBBY_LOG_ODDS},
	{LOBBY_ARG_WISHES, LOBBY_WISHES}, {LOBBY_ARG_STRICT, LOBBY_STRICT}
};

static LadderQuery params_query = {.text = "SELECT params FROM {ladder}"};

/* A lobby in the making. */
typedef struct LobbyDraft
{
	FunctionCallInfo fcinfo;
	Ladder	   *ladder;
	Batch	   *batch;
	TimestampTz at;
	const char *pool;
	MatchArrays arrays;			/* players, contexts and clubs */
	BatchPlayer **player;
	Datum	   *context;		/* or NULL, */
	bool	   *no_context;		/* and whether it is null */
	Datum	   *club;			/* likewise */
	bool	   *no_club;
	Datum		value[LOBBY_NCOLUMNS];
	bool		null[LOBBY_NCOLUMNS];
} LobbyDraft;

static void
set_column(LobbyDraft *draft, LobbyColumn column, Datum value)
{
	draft->value[column] = value;
	draft->null[column] = false;
}

/* A column of so many numbers, all 0 so far. */
static double *
make_numbers(LobbyDraft *draft, LobbyColumn column, int n)
{
	ArrayType  *array = float8_array_make(n);

	set_column(draft, column, PointerGetDatum(array));
	return (double *) ARR_DATA_PTR(array);
}

static void
set_booleans(LobbyDraft *draft, LobbyColumn column, Datum *element)
{
	set_column(draft, column,
			   PointerGetDatum(construct_array(element, draft->arrays.n, BOOLOID, sizeof(bool),
											   true, TYPALIGN_CHAR)));
}

/* Who is in the lobby, for whom each counts, and whether that player is excluded. */
static void
read_accounts(LobbyDraft *draft)
{
	Ladder	   *ladder = draft->ladder;
	int			n = draft->arrays.n;
	Filters    *filters = ladder_has_filters(ladder) ? read_filters(ladder) : NULL;
	const char **id = palloc_array(const char *, n);
	const char **counts_as = palloc_array(const char *, n);
	Datum	   *excluded = palloc_array(Datum, n);
	int			i;

	draft->player = palloc_array(BatchPlayer *, n);
	for (i = 0; i < n; i++)
	{
		Datum		account = draft->arrays.player[i];
		bool		is_excluded = false;
		Datum		counted = filters == NULL ? account :
			merged_player(filters, account, draft->at, &is_excluded);

		CHECK_FOR_INTERRUPTS();
		id[i] = id_text(ladder->player_type, account);
		counts_as[i] = filters == NULL ? id[i] : id_text(ladder->player_type, counted);
		excluded[i] = BoolGetDatum(is_excluded);
		draft->player[i] = batch_player(draft->batch, counted, draft->pool);
		draft->player[i]->wanted = true;
		if (draft->player[i]->shared != NULL)
			draft->player[i]->shared->wanted = true;
	}
	set_column(draft, LOBBY_PLAYERS, text_array(id, n));
	set_column(draft, LOBBY_COUNTS_AS, text_array(counts_as, n));
	set_booleans(draft, LOBBY_EXCLUDED, excluded);
}

/* The names in an array of the match, as a column too, or NULL. */
static Datum *
read_names(LobbyDraft *draft, GivenPart which, LobbyColumn column, bool **unknown)
{
	Datum	   *name;
	int			n;

	if (draft->arrays.null[which])
		return NULL;
	set_column(draft, column, draft->arrays.value[which]);
	deconstruct_array(DatumGetArrayTypeP(draft->arrays.value[which]), TEXTOID, -1, false,
					  TYPALIGN_INT, &name, unknown, &n);
	return name;
}

/*
 * The component of a kind in which a player of the lobby would take part, or NULL: there is none
 * without a context or a club if these tell components of the kind apart.
 */
static BatchComponent *
component_with(const LobbyDraft *draft, int kind, int i)
{
	const ComponentSpec *spec = &draft->batch->model->rules.component[kind];
	BatchPlayer *owner = spec->scope == COMPONENT_OF_PLAYER ? draft->player[i] : NULL;
	const Datum *name = spec->key == COMPONENT_BY_CLUB ? draft->club : draft->context;
	const bool *unknown = spec->key == COMPONENT_BY_CLUB ? draft->no_club : draft->no_context;
	BatchComponent *component;
	char	   *key;

	if (spec->key == COMPONENT_BY_NOTHING)
		return batch_component(draft->batch, kind, owner, draft->pool, "");
	if (name == NULL || unknown[i])
		return NULL;
	key = TextDatumGetCString(name[i]);
	component = batch_component(draft->batch, kind, owner, draft->pool, key);
	pfree(key);
	return component;
}

/* Load the states of players, and of components if the model has any in use. */
static void
load_states(LobbyDraft *draft)
{
	Batch	   *batch = draft->batch;
	const MatchRules *rules = &batch->model->rules;
	int			kind;
	int			i;

	batch_load(batch, draft->ladder);
	for (kind = 0; kind < rules->ncomponents; kind++)
		for (i = 0; i < draft->arrays.n && rules->component[kind].used(batch->params); i++)
		{
			BatchComponent *component = component_with(draft, kind, i);

			CHECK_FOR_INTERRUPTS();
			if (component != NULL)
				component->wanted = true;
		}
	if (batch->ncomponents > 0)
		components_peek(batch, draft->ladder);
}

/*
 * The states as a ladder knows them, and the estimates by which teams are searched: with what
 * players have in their contexts, which is in the units of the first column, so that means add up
 * and, being independent, variances, and less caution.
 */
static void
put_states(LobbyDraft *draft, double caution, bool sides, bool commanders)
{
	Batch	   *batch = draft->batch;
	const Model *model = batch->model;
	int			n = draft->arrays.n;
	int			deviation = model_state_column(model, ROLE_DEVIATION);
	int			side = model_state_column(model, ROLE_SIDE);
	int			ncomponent = component_columns(model, batch->params, model->rules.ncomponents);
	double	   *state = make_numbers(draft, LOBBY_STATE, n * model->nstate);
	double	   *component = ncomponent == 0 ? NULL :
		make_numbers(draft, LOBBY_COMPONENT, n * ncomponent);
	double	   *mu = make_numbers(draft, LOBBY_MU, n);
	double	   *sigma = deviation < 0 || draft->context == NULL ? NULL :
		make_numbers(draft, LOBBY_SIGMA, n);
	double	   *mu_2 = sides ? make_numbers(draft, LOBBY_MU_2, n) : NULL;
	double	   *command = commanders ? make_numbers(draft, LOBBY_COMMAND_MU, n) : NULL;
	int			kind;
	int			i,
				j;

	for (i = 0; i < n; i++, state += model->nstate)
	{
		double		spread;

		CHECK_FOR_INTERRUPTS();
		batch_state_at(batch, draft->player[i], draft->at, 0, state);
		mu[i] = state[0];
		spread = deviation >= 0 ? state[deviation] : 0;
		for (kind = 0; kind < model->rules.ncomponents; kind++)
		{
			const ComponentSpec *spec = &model->rules.component[kind];
			BatchComponent *with;

			if (!spec->used(batch->params))
				continue;
			with = component_with(draft, kind, i);
			if (with == NULL)
				spec->init(batch->params, component);
			else
				batch_component_state_at(batch, with, draft->at, component);
			if (with != NULL && spec->scope == COMPONENT_OF_PLAYER &&
				spec->key == COMPONENT_BY_CONTEXT)
			{
				mu[i] += component[0];
				for (j = 1; j < spec->nstate; j++)
					if (spec->state[j].role == ROLE_DEVIATION)
						spread = sqrt(square(spread) + square(component[j]));
			}
			component += spec->nstate;
		}
		if (sigma != NULL)
			sigma[i] = spread;
		if (caution != 0)
			mu[i] -= caution * spread;
		if (sides)
		{
			mu_2[i] = mu[i] - state[side];
			mu[i] += state[side];
		}
		if (commanders)
			command[i] = state[model_state_column(model, ROLE_COMMAND)];
	}
}

/* How many matches each has played, by which team makers number teams anew. */
static void
put_games(LobbyDraft *draft)
{
	Datum	   *games = palloc_array(Datum, draft->arrays.n);
	int			i;

	for (i = 0; i < draft->arrays.n; i++)
		games[i] = Int64GetDatum(draft->player[i]->record.games);
	set_column(draft, LOBBY_GAMES,
			   PointerGetDatum(construct_array(games, draft->arrays.n, INT8OID, sizeof(int64),
											   FLOAT8PASSBYVAL, TYPALIGN_DOUBLE)));
}

/* The model and its parameters, which has what is asked for. */
static void
put_model(LobbyDraft *draft, double caution, bool sides, bool commanders)
{
	const Model *model = draft->batch->model;
	QueryRow	params;

	if (caution != 0 && model_state_column(model, ROLE_DEVIATION) < 0)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("model \"%s\" has no deviation to be cautious about", model->name)));
	if (sides && model_state_column(model, ROLE_SIDE) < 0)
		report_no_column(model, "sides");
	if (commanders && model_state_column(model, ROLE_COMMAND) < 0)
		report_no_column(model, "commanders");

	/* A tournament is not known before its match. */
	if (periods_are_tournaments(model, draft->batch->params))
		report_match_status(MATCH_NO_PERIOD, NAN, NULL);
	if (match_components_used(&model->rules, draft->batch->params) > 0)
		ladder_check_privilege(draft->ladder, "component", ACL_SELECT);
	set_column(draft, LOBBY_MODEL, CStringGetTextDatum(model->name));
	if (ladder_read_row(draft->ladder, &params_query, NULL, &params))
		set_column(draft, LOBBY_PARAMS, next_datum(&params));
}

/* Who may command: one element is that of all. */
static void
put_commanders(LobbyDraft *draft)
{
	ArrayType  *array = array_argument(draft->fcinfo, LOBBY_ARG_COMMANDERS, "commanders", -1);
	Datum	   *all;
	int			i;

	if (array_size(array) != 1)
	{
		set_column(draft, LOBBY_COMMANDERS, PointerGetDatum(array));
		return;
	}
	all = palloc_array(Datum, draft->arrays.n);
	for (i = 0; i < draft->arrays.n; i++)
		all[i] = BoolGetDatum(*(const bool *) ARR_DATA_PTR(array));
	set_booleans(draft, LOBBY_COMMANDERS, all);
}

/* Fill the columns from the ladder. */
static void
fill_lobby(LobbyDraft *draft)
{
	FunctionCallInfo fcinfo = draft->fcinfo;
	bool		sides = PG_GETARG_BOOL(LOBBY_ARG_SIDES);
	bool		commanders = !PG_ARGISNULL(LOBBY_ARG_COMMANDERS);
	double		caution = PG_GETARG_FLOAT8(LOBBY_ARG_CAUTION);

	check_finite("caution", caution);
	draft->batch = ladder_batch(draft->ladder);
	put_model(draft, caution, sides, commanders);
	players_in_argument(fcinfo, LOBBY_ARG_PLAYERS, draft->ladder->player_type, &draft->arrays);
	check_player_count(draft->arrays.n, MAX_QUEUED);
	array_in_argument(fcinfo, LOBBY_ARG_CONTEXT, GIVEN_CONTEXT, &draft->arrays);
	array_in_argument(fcinfo, LOBBY_ARG_CLUB, GIVEN_CLUB, &draft->arrays);
	read_accounts(draft);
	draft->context = read_names(draft, GIVEN_CONTEXT, LOBBY_CONTEXT, &draft->no_context);
	draft->club = read_names(draft, GIVEN_CLUB, LOBBY_CLUB, &draft->no_club);
	load_states(draft);
	put_games(draft);
	put_states(draft, caution, sides, commanders);
	if (commanders)
		put_commanders(draft);
}

/* lobby(ladder, players, ...), arguments as above. */
static Datum
ladder_lobby(PG_FUNCTION_ARGS)
{
	LobbyDraft	draft = {.fcinfo = fcinfo};
	MemoryContext caller = CurrentMemoryContext;
	Datum		result;
	int			i;

	memset(draft.null, true, sizeof(draft.null));
	draft.at = PG_ARGISNULL(LOBBY_ARG_AT) ? GetCurrentTransactionStartTimestamp() :
		PG_GETARG_TIMESTAMPTZ(LOBBY_ARG_AT);
	for (i = 0; i < (int) lengthof(copied); i++)
		if (!PG_ARGISNULL(copied[i].arg))
			set_column(&draft, copied[i].column, PG_GETARG_DATUM(copied[i].arg));
	draft.pool = text_to_cstring(PG_GETARG_TEXT_PP(LOBBY_ARG_POOL));
	draft.ladder = ladder_open_inside(fcinfo);
	if (!PG_ARGISNULL(LOBBY_ARG_PLAYERS))
		fill_lobby(&draft);

	/* ladder_close() frees all but the result. */
	MemoryContextSwitchTo(caller);
	result = return_row(fcinfo, draft.value, draft.null);
	ladder_close(draft.ladder);
	return result;
}

SQL_FUNCTION(skillrating_ladder_lobby)
{
	return enter_ladder(fcinfo, ladder_lobby);
}
