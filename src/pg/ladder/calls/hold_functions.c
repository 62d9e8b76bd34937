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
	ladder_strengthen(ladder_inside(fcinfo),
					  PG_GETARG_BOOL(1) ? AccessExclusiveLock : ExclusiveLock);
	PG_RETURN_VOID();
}

/* Error unless the current user may lock an object, as it is to be moved or to get a trigger. */
static void
check_may_hold(const ObjectAddress *object, LOCKMODE mode)
{
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
				 errmsg("permission denied to lock \"%s\"",
						object->classId == NamespaceRelationId ?
						get_namespace_name(object->objectId) : get_rel_name(object->objectId))));
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

/* hold_objects(held, classes, objects, shared) */
SQL_FUNCTION(skillrating_hold_objects)
{
	const char *ladder = text_to_cstring(PG_GETARG_TEXT_PP(0));
	int			nshared = PG_GETARG_INT32(3);
	Datum	   *class;
	Datum	   *oid;
	int			nclasses;
	int			n;
	int			i;
	ObjectAddress *object;

	deconstruct_array(PG_GETARG_ARRAYTYPE_P(1), REGCLASSOID, sizeof(Oid), true, TYPALIGN_INT,
					  &class, NULL, &nclasses);
	deconstruct_array(PG_GETARG_ARRAYTYPE_P(2), OIDOID, sizeof(Oid), true, TYPALIGN_INT, &oid,
					  NULL, &n);
	if (nclasses != n)
		ereport(ERROR,
				(errcode(ERRCODE_ARRAY_SUBSCRIPT_ERROR),
				 errmsg("classes has %d elements, and objects %d", nclasses, n)));
	object = palloc0_array(ObjectAddress, n);
	for (i = 0; i < n; i++)
	{
		object[i].classId = DatumGetObjectId(class[i]);
		object[i].objectId = DatumGetObjectId(oid[i]);
		check_may_hold(&object[i], i < nshared ? ShareRowExclusiveLock : AccessExclusiveLock);
	}
	objects_hold(object, n, nshared, ladder);
	PG_RETURN_VOID();
}
