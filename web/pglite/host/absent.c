/*
 * absent.c
 *		Functions of the server for which there is nothing in their place.
 *
 * They are about generated columns and exclusion constraints, and called by swap_ladders() alone,
 * where the tables of the two ladders have different columns, or such constraints.
 */
#include "postgres.h"

#include "catalog/heap.h"
#include "catalog/pg_attrdef.h"
#include "fmgr.h"
#include "utils/relcache.h"

pg_noreturn static void
absent(const char *function)
{
	ereport(ERROR,
			(errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
			 errmsg("PGlite does not offer what this takes"),
			 errdetail_internal("It does not export %s().", function),
			 errhint("Do it on a server, and load its data into PGlite.")));
}

/* Arguments without a use are the point here. */
#pragma clang diagnostic ignored "-Wunused-parameter"

List *
AddRelationNewConstraints(Relation rel, List *newColDefaults, List *newConstraints, bool
		allow_merge, bool is_local, bool is_internal, const char *queryString)
{
	absent("AddRelationNewConstraints");
}

Oid
GetAttrDefaultOid(Oid relid, AttrNumber attnum)
{
	absent("GetAttrDefaultOid");
}

void
RelationGetExclusionInfo(Relation indexRelation, Oid **operators, Oid **procs, uint16
		**strategies)
{
	absent("RelationGetExclusionInfo");
}

void
RemoveAttrDefault(Oid relid, AttrNumber attnum, DropBehavior behavior, bool complain, bool
		internal)
{
	absent("RemoveAttrDefault");
}
