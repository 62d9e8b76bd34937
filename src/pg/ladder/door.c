/*
 * door.c
 *		Opening a ladder, and the rights and settings of work on it.
 */
#include "pg/ladder/door.h"

#include "access/htup_details.h"
#include "catalog/namespace.h"
#include "executor/spi.h"
#include "miscadmin.h"
#include "utils/acl.h"
#include "utils/guc.h"
#include "utils/lsyscache.h"

#include "pg/ladder/cache.h"
#include "pg/ladder/plans.h"
#include "pg/ladder/shape.h"

Oid
ladder_schema(const char *name)
{
	Oid			schema = get_namespace_oid(name, true);

	if (!OidIsValid(schema) ||
		!OidIsValid(ladder_relation_oid(schema, LADDER_CONFIG)))
		ereport(ERROR,
				(errcode(ERRCODE_UNDEFINED_OBJECT),
				 errmsg("ladder \"%s\" does not exist", name),
				 errhint("Ladders are made by skillrating.create_ladder().")));
	return schema;
}

/* The ladder's row. */
static LadderQuery read_config_query = {
	.text = "SELECT model, params, apply_at, late, format_version, "
	"EXISTS (SELECT FROM {operation} WHERE " OPERATION_FILTERS ") FROM {ladder}"
};

enum
{
	CONFIG_MODEL = 1,
	CONFIG_PARAMS,
	CONFIG_APPLY_AT,
	CONFIG_LATE,
	CONFIG_FORMAT_VERSION,
	CONFIG_FILTERS
};

static void
read_config(Ladder *ladder)
{
	bool		isnull;
	HeapTuple	tuple;
	TupleDesc	desc;
	const char *apply_at;

	if (ladder_execute(ladder, &read_config_query, NULL, NULL, NULL) != 1)
		ereport(ERROR,
				(errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
				 errmsg("table %s must have exactly one row",
						ladder_relation_sql(ladder->cache, LADDER_CONFIG))));
	tuple = SPI_tuptable->vals[0];
	desc = SPI_tuptable->tupdesc;
	if (DatumGetInt32(SPI_getbinval(tuple, desc, CONFIG_FORMAT_VERSION, &isnull)) != 1)
		ereport(ERROR,
				(errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
				 errmsg("ladder \"%s\" has a format that this version does not know",
						ladder->name)));
	ladder->model = get_model(SPI_getvalue(tuple, desc, CONFIG_MODEL));
	if (ladder->cache->model != ladder->model)
	{
		check_state_columns(ladder->cache, ladder->model);
		ladder->cache->model = ladder->model;
	}
	ladder->params = get_params(&ladder->model->params,
								DatumGetJsonbP(SPI_getbinval(tuple, desc,
															 CONFIG_PARAMS,
															 &isnull)));
	apply_at = SPI_getvalue(tuple, desc, CONFIG_APPLY_AT);
	ladder->apply_at = strcmp(apply_at, "commit") == 0 ? APPLY_AT_COMMIT :
		strcmp(apply_at, "statement") == 0 ? APPLY_AT_STATEMENT :
		APPLY_AT_CATCH_UP;
	ladder->reorders = strcmp(SPI_getvalue(tuple, desc, CONFIG_LATE), "reorder") == 0;
	ladder->filters = DatumGetBool(SPI_getbinval(tuple, desc, CONFIG_FILTERS, &isnull));
	SPI_freetuptable(SPI_tuptable);
}

Ladder *
ladder_open(Oid schema, LOCKMODE lockmode)
{
	Ladder	   *ladder = palloc0_object(Ladder);
	LadderCache *cache = ladder_cache_open(schema, lockmode);

	ladder->cache = cache;
	ladder->schema = schema;
	ladder->name = cache->name;
	ladder->owner = cache->owner;
	ladder->read_only = (lockmode == AccessShareLock);
	memcpy(ladder->relation, cache->relation, sizeof(cache->relation));
	ladder->player_type = cache->player_type;
	ladder->match_type = cache->match_type;
	return ladder;
}

void
ladder_enter(Ladder *ladder, LadderRights rights, LadderScope *scope)
{
	GetUserIdAndSecContext(&scope->user, &scope->security_context);

	/*
	 * A superuser lends a ladder no more than its owner's rights: views and
	 * triggers can call anything.
	 */
	if (rights == RIGHTS_OF_OWNER ||
		(rights == RIGHTS_OF_MEMBER &&
		 has_privs_of_role(scope->user, ladder->owner)))
		SetUserIdAndSecContext(ladder->owner, scope->security_context |
							   SECURITY_LOCAL_USERID_CHANGE);

	scope->guc_level = NewGUCNestLevel();
	(void) set_config_option("search_path", "pg_catalog, pg_temp",
							 PGC_USERSET, PGC_S_SESSION, GUC_ACTION_SAVE,
							 true, 0, false);

	/*
	 * The plans that are kept serve few rows of tables that may grow a
	 * thousandfold before the plans are made again: they must use the keys,
	 * whatever the statistics of the moment say.  Where there is no key, the
	 * price put on that would have the plan compiled each time it runs.
	 */
	(void) set_config_option("enable_seqscan", "off",
							 PGC_USERSET, PGC_S_SESSION, GUC_ACTION_SAVE,
							 true, 0, false);
	(void) set_config_option("jit", "off",
							 PGC_USERSET, PGC_S_SESSION, GUC_ACTION_SAVE,
							 true, 0, false);
	read_config(ladder);
}

void
ladder_expect_many(Ladder *ladder)
{
	ladder->large = true;
	(void) set_config_option("enable_seqscan", "on",
							 PGC_USERSET, PGC_S_SESSION, GUC_ACTION_SAVE,
							 true, 0, false);
}

void
ladder_maintain(Ladder *ladder)
{
	char		kilobytes[32];

	ladder_expect_many(ladder);
	if (work_mem >= maintenance_work_mem)
		return;
	snprintf(kilobytes, sizeof(kilobytes), "%d", maintenance_work_mem);
	(void) set_config_option("work_mem", kilobytes,
							 PGC_USERSET, PGC_S_SESSION, GUC_ACTION_SAVE,
							 true, 0, false);
}

void
ladder_leave(const LadderScope *scope)
{
	AtEOXact_GUC(false, scope->guc_level);
	SetUserIdAndSecContext(scope->user, scope->security_context);
}
