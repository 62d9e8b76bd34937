/*
 * component_functions.c
 *		Bodies of functions that read the components of a ladder.
 */
#include "pg/sql/glue.h"

#include "access/xact.h"
#include "funcapi.h"
#include "miscadmin.h"
#include "utils/builtins.h"
#include "utils/timestamp.h"
#include "utils/tuplestore.h"

#include "pg/ladder/columns.h"
#include "pg/ladder/component_states.h"
#include "pg/ladder/door.h"
#include "pg/ladder/filters.h"
#include "pg/ladder/match_arrays.h"
#include "pg/ladder/plans.h"
#include "pg/ladder/states.h"
#include "pg/sql/arrays.h"

SKILLRATING_FUNCTION(skillrating_components);

/* The arguments of components(). */
enum
{
	COMPONENTS_ARG_LADDER,
	COMPONENTS_ARG_PLAYER_ID,
	COMPONENTS_ARG_KIND,
	COMPONENTS_ARG_POOL,
	COMPONENTS_ARG_AT
};

/* The columns that it returns, from 0. */
enum
{
	COMPONENTS_KIND,
	COMPONENTS_POOL,
	COMPONENTS_KEY,
	COMPONENTS_PLAYER_ID,
	COMPONENTS_MU,
	COMPONENTS_DEVIATION,
	COMPONENTS_GAMES,
	COMPONENTS_LAST_PLAYED,
	COMPONENTS_STATE,
	COMPONENTS_NCOLUMNS
};

#define SHOWN_COMPONENTS(components) \
	"SELECT {component columns c} FROM " components " AS c WHERE c.games OPERATOR(pg_catalog.>) 0 " \
	"AND ($1 IS NULL OR c.kind OPERATOR(pg_catalog.=) $1) AND ($2 IS NULL OR c.pool OPERATOR(pg_catalog.=) $2)"
#define IN_ORDER \
	" ORDER BY c.kind COLLATE pg_catalog.\"C\", c.pool COLLATE pg_catalog.\"C\", " \
	"c.key COLLATE pg_catalog.\"C\", c.player_id{player order}"

/*
 * Components as they were after their last event up to the time $4, in rated order: with the
 * state that it left, and the counts that the next one found, or those of today if there is none.
 * Before the events behind the horizon, $5, comes the row of the horizon.
 */
#define PAST_COMPONENTS \
	"(SELECT DISTINCT ON (w.player_id, w.kind, w.pool, w.key) w.player_id, w.kind, w.pool, w.key, " \
	"w.games, w.last_played, w.as_of, w.state " \
	"FROM (SELECT x.player_id, x.kind, x.pool, x.key, x.seq, x.at, x.state, " \
	"pg_catalog.lead(x.games) OVER places AS games, " \
	"pg_catalog.lead(x.last_played) OVER places AS last_played, " \
	"pg_catalog.lead(x.as_of) OVER places AS as_of " \
	"FROM (SELECT e.player_id, e.kind, e.pool, e.key, e.seq, e.played_at AS at, e.after AS state, " \
	"e.games_before AS games, e.last_played_before AS last_played, " \
	"COALESCE(e.as_of_before, e.last_played_before) AS as_of " \
	"FROM {component_event} AS e WHERE e.seq OPERATOR(pg_catalog.>) $5 UNION ALL " \
	"SELECT h.player_id, h.kind, h.pool, h.key, $5, '-infinity', h.state, h.games, h.last_played, h.as_of " \
	"FROM {component_horizon} AS h UNION ALL " \
	"SELECT t.player_id, t.kind, t.pool, t.key, 9223372036854775807, 'infinity', t.state, " \
	"t.games, t.last_played, t.as_of FROM {component} AS t) AS x " \
	"WINDOW places AS (PARTITION BY x.player_id, x.kind, x.pool, x.key ORDER BY x.seq)) AS w " \
	"WHERE w.at OPERATOR(pg_catalog.<=) $4 " \
	"ORDER BY w.player_id, w.kind, w.pool, w.key, w.seq DESC)"

#define OF_PLAYER " AND c.player_id {player =} $3"
#define SHOWN_PARAMS {VALUE_TEXT, VALUE_TEXT, VALUE_PLAYER}
#define PAST_PARAMS {VALUE_TEXT, VALUE_TEXT, VALUE_PLAYER, VALUE_TIME, VALUE_INT8}

static LadderQuery shown_query = {
	.text = SHOWN_COMPONENTS("{component}") IN_ORDER,
	.param = SHOWN_PARAMS
};

static LadderQuery shown_of_player_query = {
	.text = SHOWN_COMPONENTS("{component}") OF_PLAYER IN_ORDER,
	.param = SHOWN_PARAMS
};

static LadderQuery past_query = {
	.text = SHOWN_COMPONENTS(PAST_COMPONENTS) IN_ORDER,
	.param = PAST_PARAMS
};

static LadderQuery past_of_player_query = {
	.text = SHOWN_COMPONENTS(PAST_COMPONENTS) OF_PLAYER IN_ORDER,
	.param = PAST_PARAMS
};

static LadderQuery later_query = {
	.text = "SELECT FROM {component} AS c WHERE c.as_of OPERATOR(pg_catalog.>) $1 LIMIT 1",
	.param = {VALUE_TIME}
};

static LadderQuery check_past_query = {
	.text = "SELECT skillrating_internal.horizon_relation($1, $2)",
	.param = {VALUE_TEXT, VALUE_TIME}
};

/*
 * Whether a component has changed after a time, so that its past has to be read.  Errors for a
 * time before the horizon, and unless the caller may read the events.
 */
static bool
needs_past(Ladder *ladder, TimestampTz at)
{
	Datum		values[2];

	values[0] = TimestampTzGetDatum(at);
	if (ladder_execute(ladder, &later_query, values, NULL, NULL) == 0)
		return false;

	/*
	 * The query runs as the ladder's owner.  The privilege is that of the
	 * caller, who must not read the past through it.
	 */
	ladder_check_privilege(ladder, "component_event", ACL_SELECT);
	values[0] = CStringGetTextDatum(ladder->name);
	values[1] = TimestampTzGetDatum(at);
	(void) ladder_execute(ladder, &check_past_query, values, NULL, NULL);
	SPI_freetuptable(SPI_tuptable);
	return true;
}

/* A component as of a time; stored is the row in the table. */
static void
return_component(ReturnSetInfo *rsinfo, Ladder *ladder, Batch *batch,
				 const BatchComponent *component, TimestampTz at)
{
	const ComponentSpec *spec = component->spec;
	const ComponentRecord *record = &component->record;
	double		state[COMPONENT_MAX_STATE];
	Datum		values[COMPONENTS_NCOLUMNS];
	bool		nulls[COMPONENTS_NCOLUMNS] = {false};
	int			i;

	/*
	 * The deviation has grown since the last match, as it would have at a
	 * match now.
	 */
	batch_component_state_at(batch, component, at, state);
	values[COMPONENTS_KIND] = CStringGetTextDatum(spec->name);
	values[COMPONENTS_POOL] = CStringGetTextDatum(component->pool);
	values[COMPONENTS_KEY] = CStringGetTextDatum(component->key);
	nulls[COMPONENTS_KEY] = spec->key == COMPONENT_BY_NOTHING;
	nulls[COMPONENTS_PLAYER_ID] = component->player == NULL;
	if (component->player != NULL)
		values[COMPONENTS_PLAYER_ID] =
			CStringGetTextDatum(id_text(ladder->player_type, component->player->id));
	values[COMPONENTS_MU] = Float8GetDatum(state[0]);
	nulls[COMPONENTS_DEVIATION] = true;
	for (i = 0; i < spec->nstate && nulls[COMPONENTS_DEVIATION]; i++)
		if (spec->state[i].role == ROLE_DEVIATION)
		{
			values[COMPONENTS_DEVIATION] = Float8GetDatum(state[i]);
			nulls[COMPONENTS_DEVIATION] = false;
		}
	values[COMPONENTS_GAMES] = Int64GetDatum(record->games);
	values[COMPONENTS_LAST_PLAYED] = TimestampTzGetDatum(record->last_played);
	nulls[COMPONENTS_LAST_PLAYED] = TIMESTAMP_IS_NOBEGIN(record->last_played);
	values[COMPONENTS_STATE] = float8_array(state, spec->nstate);
	tuplestore_putvalues(rsinfo->setResult, rsinfo->setDesc, values, nulls);
}

/* The rows that components() returns. */
typedef struct ShownComponents
{
	ReturnSetInfo *rsinfo;
	Ladder	   *ladder;
	Batch	   *batch;
	TimestampTz at;
} ShownComponents;

/*
 * Return a row, but for one that an owner has spoilt: a reader does not fail for it, and verify()
 * tells.
 */
static void
take_shown(void *arg, const Datum *values, const bool *nulls)
{
	const ShownComponents *shown = (const ShownComponents *) arg;
	BatchComponent *component = component_of_row(shown->batch, values, nulls);

	if (component != NULL &&
		component_row_read(component, values, nulls, &component->record, component->state))
		return_component(shown->rsinfo, shown->ladder, shown->batch, component, shown->at);
}

/* components(ladder, player_id, kind, pool, at) */
Datum
skillrating_components(PG_FUNCTION_ARGS)
{
	ReturnSetInfo *rsinfo = (ReturnSetInfo *) fcinfo->resultinfo;
	bool		of_player = !PG_ARGISNULL(COMPONENTS_ARG_PLAYER_ID);
	TimestampTz at;
	Datum		values[5];
	bool		nulls[5] = {false};
	LadderQuery *query;
	Ladder	   *ladder;
	ShownComponents shown;

	InitMaterializedSRF(fcinfo, 0);
	required_argument(fcinfo, COMPONENTS_ARG_LADDER, "ladder");
	at = PG_ARGISNULL(COMPONENTS_ARG_AT) ? GetCurrentTransactionStartTimestamp() :
		PG_GETARG_TIMESTAMPTZ(COMPONENTS_ARG_AT);
	if (TIMESTAMP_NOT_FINITE(at))
		ereport(ERROR,
				(errcode(ERRCODE_DATETIME_VALUE_OUT_OF_RANGE),
				 errmsg("at must be finite, not %s", timestamptz_to_str(at)),
				 errhint("Leave it null for the time now.")));
	ladder = ladder_open(ladder_inside(text_to_cstring(PG_GETARG_TEXT_PP(COMPONENTS_ARG_LADDER)),
									   "components"));
	values[0] = PG_GETARG_DATUM(COMPONENTS_ARG_KIND);
	nulls[0] = PG_ARGISNULL(COMPONENTS_ARG_KIND);
	values[1] = PG_GETARG_DATUM(COMPONENTS_ARG_POOL);
	nulls[1] = PG_ARGISNULL(COMPONENTS_ARG_POOL);
	nulls[2] = !of_player;
	if (of_player)
	{
		values[2] = id_argument(fcinfo, COMPONENTS_ARG_PLAYER_ID, ladder->player_type,
								"player_id");

		/*
		 * An account that was merged has the components of the player it
		 * counts as.
		 */
		values[2] = counted_players(ladder, &values[2], 1)[0];
	}
	values[3] = TimestampTzGetDatum(at);
	values[4] = Int64GetDatum(Max(ladder->horizon, 0));
	if (needs_past(ladder, at))
		query = of_player ? &past_of_player_query : &past_query;
	else
		query = of_player ? &shown_of_player_query : &shown_query;
	shown = (ShownComponents) {rsinfo, ladder, ladder_batch(ladder), at};
	(void) ladder_execute_each(ladder, query, values, nulls, take_shown, &shown);
	ladder_close(ladder);
	return (Datum) 0;
}
