/*
 * mirrors.c
 *		Tables of the user that mirror ratings.
 *
 * Whatever hangs on a mirrored table runs with the rights of the ladder's owner.  So the table is
 * locked first, and then must belong to that role, with all that inherits from it: nobody gives it
 * away, renames it or adds a partition until the transaction ends.
 */
#include "pg/ladder/arrive/mirrors.h"

#include "access/htup_details.h"
#include "catalog/pg_class.h"
#include "catalog/pg_inherits.h"
#include "executor/spi.h"
#include "storage/lmgr.h"
#include "utils/builtins.h"
#include "utils/lsyscache.h"
#include "utils/memutils.h"
#include "utils/plancache.h"
#include "utils/syscache.h"

#include "pg/ladder/arrive/feed.h"
#include "pg/ladder/entry/cache.h"
#include "pg/ladder/entry/careful.h"
#include "pg/ladder/entry/entry.h"
#include "pg/ladder/entry/plans.h"
#include "pg/ladder/entry/settings.h"

/* A row of table mirror. */
typedef struct Mirror
{
	Oid			relation;
	char	   *pool;
	char	   *what;				/* all of the row */
} Mirror;

/*
 * ---- Whose table it is ----
 */

static const char *
table_name(Oid relid)
{
	return quote_qualified_identifier(get_namespace_name(get_rel_namespace(relid)),
									  get_rel_name(relid));
}

/* Error unless a relation belongs to the owner of the ladder; false if there is none. */
static bool
check_mirror_owner(const Ladder *ladder, Oid relid)
{
	HeapTuple	tuple = SearchSysCache1(RELOID, ObjectIdGetDatum(relid));
	bool		owned;

	if (!HeapTupleIsValid(tuple))
		return false;
	owned = ((Form_pg_class) GETSTRUCT(tuple))->relowner == ladder->owner;
	ReleaseSysCache(tuple);
	if (!owned)
		ereport(ERROR,
				(errcode(ERRCODE_INSUFFICIENT_PRIVILEGE),
				 errmsg("table %s does not belong to the owner of ladder \"%s\"",
						table_name(relid), ladder->name),
				 errhint("Give it to role \"%s\", with its partitions and tables that inherit from it, or end the mirror by skillrating.unmirror_rating().",
						 GetUserNameFromId(ladder->owner, false))));
	return true;
}

/*
 * Lock a mirrored table, to write to it, and check its owner; false if it was dropped.  Whose it is
 * is asked before, too: nobody locks a table of others.
 */
static bool
lock_mirror(const Ladder *ladder, Oid relid)
{
	ListCell   *cell;

	if (!check_mirror_owner(ladder, relid))
		return false;
	LockRelationOid(relid, RowExclusiveLock);
	if (!check_mirror_owner(ladder, relid))
	{
		UnlockRelationOid(relid, RowExclusiveLock);
		return false;
	}
	if (has_subclass(relid))
		foreach(cell, find_all_inheritors(relid, RowExclusiveLock, NULL))
			(void) check_mirror_owner(ladder, lfirst_oid(cell));
	return true;
}

/* lock_mirror(ladder, relation) */
SQL_FUNCTION(skillrating_lock_mirror)
{
	const Ladder *ladder = ladder_inside(fcinfo);

	PG_RETURN_BOOL(lock_mirror(ladder, PG_GETARG_OID(1)));
}

/*
 * ---- Plans ----
 */

static LadderQuery statement_query = {
	.text = "SELECT skillrating_internal.mirror_statement({this}, m.relation, m.pool, m.key, m.columns, $3, m.pool_key) "
	"FROM {own mirror} AS m WHERE m.relation OPERATOR(pg_catalog.=) $1 AND m.pool OPERATOR(pg_catalog.=) $2",
	.param = {VALUE_OID, VALUE_TEXT, VALUE_TEXT}
};

/* Plan the statement for a mirror and an event; NULL if there is nothing to write. */
static SPIPlanPtr
make_plan(Ladder *ladder, const Mirror *mirror, const char *event)
{
	char	   *statement = ladder_read_text(ladder, &statement_query,
											 DATUMS(ObjectIdGetDatum(mirror->relation),
													CStringGetTextDatum(mirror->pool),
													CStringGetTextDatum(event)));
	SPIPlanPtr	plan;

	if (statement == NULL)
		return NULL;
	settings_for_plans();
	plan = SPI_prepare_cursor(statement, 0, NULL, CURSOR_OPT_GENERIC_PLAN);
	if (plan == NULL || SPI_keepplan(plan) != 0)
		elog(ERROR, "could not prepare \"%s\": %s", statement, SPI_result_code_string(SPI_result));
	return plan;
}

/* The plan for a mirror and an event: the one that is kept, or a new one.  SPI is connected. */
static SPIPlanPtr
find_plan(Ladder *ladder, const Mirror *mirror, const char *event)
{
	char	   *what = psprintf("%s %s %s", event, table_name(mirror->relation), mirror->what);
	SPIPlanPtr	made;
	MirrorPlan *plan;

	for (plan = ladder->cache->mirror_plans; plan != NULL; plan = plan->next)
		if (strcmp(plan->what, what) == 0)
			return plan->plan;
	made = make_plan(ladder, mirror, event);
	plan = MemoryContextAllocZero(ladder->cache->context, sizeof(MirrorPlan));
	plan->what = MemoryContextStrdup(ladder->cache->context, what);
	plan->plan = made;
	plan->next = ladder->cache->mirror_plans;
	ladder->cache->mirror_plans = plan;
	return made;
}

/*
 * ---- Writing ----
 */

/*
 * Run the plan.  Error if it is about another table than the mirror's, one that has got the name of
 * this one's schema meanwhile: its triggers would run as the ladder's owner.  Once the plan has been
 * looked up, all its tables are locked, so that executing it accepts no news of another name.
 */
static void
run_plan(const Mirror *mirror, SPIPlanPtr plan)
{
	const CachedPlanSource *source = linitial(SPI_plan_get_plan_sources(plan));
	CachedPlan *cached = SPI_plan_get_cached_plan(plan);
	bool		about = list_member_oid(source->relationOids, mirror->relation);
	int			result;

	if (cached != NULL)
		ReleaseCachedPlan(cached, CurrentResourceOwner);
	if (!about)
		ereport(ERROR,
				(errcode(ERRCODE_T_R_SERIALIZATION_FAILURE),
				 errmsg("table \"%s\" was replaced while ratings were written to it",
						get_rel_name(mirror->relation)),
				 errhint("Try again.")));
	result = SPI_execute_plan(plan, NULL, NULL, false, 0);
	if (result < 0)
		elog(ERROR, "could not write to a mirror: %s", SPI_result_code_string(result));
}

/* Raise the error of a mirror with its name. */
pg_noreturn static void
rethrow_for_mirror(const Ladder *ladder, const Mirror *mirror, MemoryContext context)
{
	ErrorData  *error;

	MemoryContextSwitchTo(context);
	error = CopyErrorData();
	FlushErrorState();
	if (error_is_bearable(error->sqlerrcode))
	{
		error->message = psprintf("table %s cannot mirror ladder \"%s\": %s",
								  table_name(mirror->relation), ladder->name, error->message);
		error->hint = psprintf("Mend the table, or call skillrating.mirror_rating() with other columns, or end the mirror by skillrating.unmirror_rating(%s, %s).",
							   quote_literal_cstr(ladder->name),
							   quote_literal_cstr(table_name(mirror->relation)));
	}
	ReThrowError(error);
}

/*
 * Write to one mirror what a trigger has to tell.  After an error statements are spelled out anew,
 * because the table may have changed.
 */
static void
write_mirror(Ladder *ladder, const Mirror *mirror, const char *event)
{
	MemoryContext context = CurrentMemoryContext;

	PG_TRY();
	{
		SPIPlanPtr	plan = find_plan(ladder, mirror, event);

		if (plan != NULL)
			run_plan(mirror, plan);
	}
	PG_CATCH();
	{
		ladder_cache_outdate(ladder->cache);
		rethrow_for_mirror(ladder, mirror, context);
	}
	PG_END_TRY();
}

/* Its owner can have altered the list. */
#define MIRROR_ROW "ROW(m.relation, m.pool, m.key, m.columns, m.pool_key)"

static LadderQuery mirrors_query = {
	.text = "SELECT m.relation::pg_catalog.oid, m.pool::pg_catalog.text, " MIRROR_ROW "::pg_catalog.text "
	"FROM {own mirror} AS m WHERE " MIRROR_ROW " IS NOT NULL ORDER BY 1, 2"
};

void
write_mirrors(Ladder *ladder, TriggerData *trigdata)
{
	Oid			fired = RelationGetRelid(trigdata->tg_relation);
	bool		on_rating = fired == ladder->relation[LADDER_RATING];
	const char *event = !on_rating ? "inserted" :
		TRIGGER_FIRED_BY_DELETE(trigdata->tg_event) ? "gone" : "changed";
	SPITupleTable *rows;
	uint64		n;
	uint64		i;

	if (!ladder_owns_table(get_relname_relid("mirror", ladder->schema)))
		return;
	SPI_connect();
	if (SPI_register_trigger_data(trigdata) != SPI_OK_TD_REGISTER)
		elog(ERROR, "could not register the transition table");

	/* Work that writes ratings has set the settings already. */
	if (ladder_is_at_work(ladder))
		ladder->state->pinned = true;

	/* The list as it is now, and not as the statement that has fired the trigger saw it. */
	ladder->read_only = false;
	n = ladder_execute(ladder, &mirrors_query, NULL, NULL, NULL);
	rows = SPI_tuptable;
	for (i = 0; i < n; i++)
	{
		QueryRow	row = spi_row(rows, i);
		Mirror		mirror;

		mirror.relation = next_oid(&row);
		mirror.pool = next_text(&row);
		mirror.what = next_text(&row);
		if ((on_rating || mirror.relation == fired) && lock_mirror(ladder, mirror.relation))
			write_mirror(ladder, &mirror, event);
	}
	SPI_finish();
}
