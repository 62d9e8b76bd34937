/*
 * compat.h
 *		The differences between the versions of the server, 15 to 18: all of them
 *		are here, and no other file asks for PG_VERSION_NUM.
 *
 * A name of the server's that only later versions have is given to the earlier ones.  Where
 * arguments differ, a macro of our own takes those that we have a choice about.  They are macros,
 * and this header includes next to nothing, because every file of the glue includes it, while
 * each of them is used by one or two, which include the header of what it calls.
 */
#ifndef PG_SQL_COMPAT_H
#define PG_SQL_COMPAT_H

#include "postgres.h"

/*
 * Before version 16 the server's macros do not mark what they export, while we
 * hide everything that is not marked.
 */
#if PG_VERSION_NUM < 160000 && defined(__GNUC__)
#undef PGDLLEXPORT
#define PGDLLEXPORT __attribute__((visibility("default")))
#endif

/* Version 16 took VARDATA_ANY() and its like out of postgres.h. */
#if PG_VERSION_NUM >= 160000
#include "varatt.h"
#endif

/* Version 18 has this in front of a declaration; before, it may be there. */
#ifndef pg_noreturn
#define pg_noreturn pg_attribute_noreturn()
#endif

/* Version 16 renamed the reports of server processes by their index. */
#if PG_VERSION_NUM < 160000
#define pgstat_get_local_beentry_by_index(index) pgstat_fetch_stat_local_beentry(index)
#endif

/* The function of lib/simplehash.h that sets the size of a table; version 16 renamed it. */
#if PG_VERSION_NUM >= 160000
#define SIMPLEHASH_SET_SIZE(prefix) prefix##_update_parameters
#else
#define SIMPLEHASH_SET_SIZE(prefix) prefix##_compute_parameters
#endif

/*
 * Whether a role owns a relation, and what it may do with a schema (an AclResult).  Version 16
 * has one function for all kinds of objects.
 */
#if PG_VERSION_NUM >= 160000
#define owns_relation(relid, role) object_ownercheck(RelationRelationId, relid, role)
#define schema_aclcheck(schema, role, mode) \
	object_aclcheck(NamespaceRelationId, schema, role, mode)
#else
#define owns_relation(relid, role) pg_class_ownercheck(relid, role)
#define schema_aclcheck(schema, role, mode) pg_namespace_aclcheck(schema, role, mode)
#endif

/* Whether this session holds a lock of exactly this mode.  Version 17 can ask for more. */
#if PG_VERSION_NUM >= 170000
#define holds_lock(tag, mode) LockHeldByMe(tag, mode, false)
#else
#define holds_lock(tag, mode) LockHeldByMe(tag, mode)
#endif

/*
 * The expression that a column of the entry for GROUP BY stands for, NULL for any other entry.
 * Version 18 has such entries.
 */
#if PG_VERSION_NUM >= 180000
#define group_expression(rte, column) \
	((rte)->rtekind == RTE_GROUP ? (Node *) list_nth((rte)->groupexprs, (column) - 1) : NULL)
#else
#define group_expression(rte, column) NULL
#endif

#endif
