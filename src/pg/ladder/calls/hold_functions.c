/*
 * hold_functions.c
 *		Locks on ladders for functions in SQL.
 */
#include "pg/sql/glue.h"

#include "access/htup_details.h"
#include "catalog/pg_class.h"
#include "catalog/pg_namespace.h"
#include "catalog/pg_type.h"
#include "miscadmin.h"
#include "utils/acl.h"
#include "utils/array.h"
#include "utils/builtins.h"
#include "utils/lsyscache.h"

#include "pg/ladder/entry/cache.h"
#include "pg/ladder/entry/entry.h"
#include "pg/ladder/entry/hold.h"
#include "pg/sql/compat.h"

/* hold_ladder(ladder, readers) */
SQL_FUNCTION(skillrating_hold_ladder)
{
	Ladder	   *ladder = ladder_inside(fcinfo);

	if (ladder->read_only)
		ladder_strengthen(ladder, PG_GETARG_BOOL(1) ? AccessExclusiveLock : ExclusiveLock);
	else
		ladder_hold(ladder);
	PG_RETURN_VOID();
}

/* Error unless the current user may lock an object, as it is to be moved or to get a trigger. */
static void
check_may_hold(const ObjectAddress *object, LOCKMODE mode)
{
	char	   *name = object->classId == NamespaceRelationId ?
		get_namespace_name(object->objectId) : get_rel_name(object->objectId);
	bool		may;

	if (object->classId == NamespaceRelationId)
		may = has_privs_of_role(GetUserId(), ladder_owner(object->objectId));
	else if (mode == AccessExclusiveLock)
		may = owns_relation(object->objectId, GetUserId());
	else
		may = pg_class_aclcheck(object->objectId, GetUserId(), ACL_TRIGGER) == ACLCHECK_OK;
	if (!may)
		ereport(ERROR,
				(errcode(ERRCODE_INSUFFICIENT_PRIVILEGE),
				 errmsg("permission denied to lock \"%s\"", name != NULL ? name : psprintf("%u", object->objectId))));
}

/* lock_maintenance(schema) */
SQL_FUNCTION(skillrating_lock_maintenance)
{
	ObjectAddress schema;

	ObjectAddressSet(schema, NamespaceRelationId, PG_GETARG_OID(0));
	check_may_hold(&schema, ExclusiveLock);
	schema_lock_maintenance(schema.objectId);
	PG_RETURN_VOID();
}

/* hold_objects(held, before, schemas, behind, shared) */
SQL_FUNCTION(skillrating_hold_objects)
{
	const char *ladder = text_to_cstring(PG_GETARG_TEXT_PP(0));
	Datum	   *oid[3];
	int			count[3];
	int			nshared;
	int			n = 0;
	int			part;
	int			i;
	ObjectAddress *object;

	for (part = 0; part < 3; part++)
	{
		deconstruct_array(PG_GETARG_ARRAYTYPE_P(1 + part), OIDOID, sizeof(Oid), true, TYPALIGN_INT,
						  &oid[part], NULL, &count[part]);
		n += count[part];
	}
	nshared = Min(PG_GETARG_INT32(4), n);
	object = palloc0_array(ObjectAddress, n);
	n = 0;
	for (part = 0; part < 3; part++)
		for (i = 0; i < count[part]; i++, n++)
		{
			object[n].classId = part == 1 ? NamespaceRelationId : RelationRelationId;
			object[n].objectId = DatumGetObjectId(oid[part][i]);
			check_may_hold(&object[n], n < nshared ? ShareRowExclusiveLock : AccessExclusiveLock);
		}
	objects_hold(object, n, nshared, ladder);
	PG_RETURN_VOID();
}
