/*
 * door.c
 *		The one door to a ladder: rights, locks and settings of all work on it.
 */
#include "pg/ladder/door/door.h"

#include "access/htup_details.h"
#include "access/transam.h"
#include "access/xact.h"
#include "catalog/namespace.h"
#include "catalog/pg_namespace.h"
#include "executor/spi.h"
#include "miscadmin.h"
#include "storage/lmgr.h"
#include "utils/inval.h"
#include "utils/acl.h"
#include "utils/builtins.h"
#include "utils/guc.h"
#include "utils/lsyscache.h"
#include "utils/memutils.h"
#include "utils/rls.h"
#include "utils/syscache.h"

#include "pg/ladder/door/cache.h"
#include "pg/ladder/door/config.h"
#include "pg/ladder/door/hold.h"
#include "pg/ladder/door/plans.h"
#include "pg/ladder/door/settings.h"
#include "pg/ladder/door/shape.h"
#include "pg/ladder/door/snapshot_age.h"
#include "pg/ladder/door/waiting.h"

/* Which version of a row of pg_namespace is current: any change makes another. */
typedef struct NamespaceVersion
{
	TransactionId xmin;
	ItemPointerData tid;
} NamespaceVersion;

/* A door that is open. */
typedef struct LadderDoor
{
	Ladder		ladder;
	MemoryContext context;		/* of this; keeps the cache in place */
	const LadderEntry *entry;
	LOCKMODE	lockmode;		/* that of the entry, or a stronger one */
	struct LadderDoor *outer;
	struct LadderDoor *beside;	/* to a ladder that was made behind this one */
	int			nest_level;		/* of the subtransaction that opened it */
	Oid			caller;
	int			caller_context;
	bool		restricted;		/* works in a security-restricted operation */
	bool		lets_rate;		/* others may rate meanwhile */
	int			guc_level;
	bool		settles_late;	/* it may go without settings: what it calls of
								 * a type is the server's own */
	bool		settled;		/* the settings are those for its work */
	NamespaceVersion version;	/* of the schema */
	bool		ending;			/* its own work is done */
	bool		states_taken;
	bool		hidden_from_mirrors;
} LadderDoor;

/*
 * The innermost door that is open.  It is the only state that outlives a call, and
 * the callbacks below take from it whatever an abort ends.
 */
static LadderDoor *innermost = NULL;

static bool callbacks_registered = false;

/* Take the innermost door from the stack. */
static void
pop_door(void)
{
	LadderDoor *door = innermost;

	innermost = door->outer;
	MemoryContextDelete(door->context);
}

/*
 * ---- Aborts ----
 */

static void
at_end_of_transaction(XactEvent event, void *arg)
{
	(void) arg;
	switch (event)
	{
		case XACT_EVENT_COMMIT:
		case XACT_EVENT_ABORT:
		case XACT_EVENT_PREPARE:
			innermost = NULL;
			forget_all_waiting();
			break;
		default:
			break;
	}
}

static void
at_end_of_subtransaction(SubXactEvent event, SubTransactionId id,
						 SubTransactionId parent, void *arg)
{
	(void) id;
	(void) parent;
	(void) arg;
	if (event != SUBXACT_EVENT_ABORT_SUB || innermost == NULL)
		return;
	while (innermost != NULL &&
		   innermost->nest_level >= GetCurrentTransactionNestLevel())
		pop_door();
	if (innermost == NULL)
		forget_all_waiting();
}

/*
 * ---- Names ----
 */

static void
no_ladder(const char *name)
{
	ereport(ERROR,
			(errcode(ERRCODE_UNDEFINED_OBJECT),
			 errmsg("ladder \"%s\" does not exist", name),
			 errhint("Ladders are made by skillrating.create_ladder().")));
}

Oid
ladder_schema(const char *name)
{
	Oid			schema = get_namespace_oid(name, true);

	if (!OidIsValid(schema) || !OidIsValid(ladder_owner(schema)))
		no_ladder(name);
	return schema;
}

/* The version of a schema's row; false if there is no such schema. */
static bool
namespace_version(Oid schema, NamespaceVersion *version)
{
	HeapTuple	tuple = SearchSysCache1(NAMESPACEOID, ObjectIdGetDatum(schema));

	if (!HeapTupleIsValid(tuple))
		return false;
	version->xmin = HeapTupleHeaderGetRawXmin(tuple->t_data);
	version->tid = tuple->t_self;
	ReleaseSysCache(tuple);
	return true;
}

/*
 * Queries name the schema.  If it has been renamed, and another has got its name,
 * they may have found that one's tables.
 */
static void
check_not_renamed(LadderDoor *door)
{
	NamespaceVersion version;

	AcceptInvalidationMessages();
	if (namespace_version(door->ladder.schema, &version))
	{
		const char *name = get_namespace_name(door->ladder.schema);

		if (version.xmin == door->version.xmin &&
			ItemPointerCompare(&version.tid, &door->version.tid) == 0)
			return;

		/*
		 * This transaction has granted or revoked USAGE, as grant_ladder()
		 * does.
		 */
		if (TransactionIdIsCurrentTransactionId(version.xmin) &&
			name != NULL && strcmp(name, door->ladder.name) == 0)
			return;
	}
	ereport(ERROR,
			(errcode(ERRCODE_T_R_SERIALIZATION_FAILURE),
			 errmsg("schema \"%s\" was altered by another transaction during work on the ladder",
					door->ladder.name),
			 errhint("Try again.")));
}

/*
 * ---- Rights ----
 */

/* The kind of role that has what an entry takes: by what its callers may insert, if anything. */
static const char *
role_kind(const LadderEntry *entry)
{
	int			i;

	for (i = 0; entry->privilege[i].relation != NULL; i++)
		if (entry->privilege[i].mode & ACL_INSERT)
			return "reporter";
	return "reader";
}

/* A hint for a role that lacks a privilege which an entry takes. */
static int
grant_hint(Oid schema, const LadderEntry *entry, Oid role)
{
	return errhint("The owner of the ladder can give this right by SELECT skillrating.grant_ladder(%s, %s, '%s').",
				   quote_literal_cstr(get_namespace_name(schema)),
				   quote_literal_cstr(GetUserNameFromId(role, false)), role_kind(entry));
}

/* A hint for a role that calls what is for the owner. */
static int
owner_hint(Oid schema, const LadderEntry *entry)
{
	return errhint("Only role \"%s\" and its members may call skillrating.%s() on this ladder.",
				   GetUserNameFromId(ladder_owner(schema), false), entry->function);
}

static void
check_usage(Oid schema, Oid role, const LadderEntry *entry)
{
	if (schema_aclcheck(schema, role, ACL_USAGE) != ACLCHECK_OK)
		ereport(ERROR,
				(errcode(ERRCODE_INSUFFICIENT_PRIVILEGE),
				 errmsg("permission denied for schema %s", get_namespace_name(schema)),
				 entry->rights == RIGHTS_OF_OWNER ? owner_hint(schema, entry) :
				 grant_hint(schema, entry, role)));
}

/*
 * A role for which policies hide rows would see them as the owner, who works for it.
 */
static void
check_privilege(Oid schema, const LadderEntry *entry, const char *relation, Oid role,
				AclMode mode)
{
	Oid			relid = get_relname_relid(relation, schema);
	AclResult	result;
	AclMode		one;

	/* A ladder whose matches come from elsewhere has no tables of them. */
	if (!OidIsValid(relid))
		return;
	for (one = 1; one <= mode; one <<= 1)
		if (mode & one)
		{
			result = pg_class_aclcheck(relid, role, one);
			if (result != ACLCHECK_OK)
				ereport(ERROR,
						(errcode(ERRCODE_INSUFFICIENT_PRIVILEGE),
						 get_rel_relkind(relid) == RELKIND_VIEW ?
						 errmsg("permission denied for view %s", relation) :
						 errmsg("permission denied for table %s", relation),
						 grant_hint(schema, entry, role)));
		}
	if (check_enable_rls(relid, role, true) == RLS_ENABLED)
		ereport(ERROR,
				(errcode(ERRCODE_INSUFFICIENT_PRIVILEGE),
				 errmsg("row-level security of table \"%s\" applies to role \"%s\"",
						relation, GetUserNameFromId(role, false)),
				 errhint("This function works with all rows, as the ladder's owner: query the table instead.")));
}

void
ladder_check_privilege(const Ladder *ladder, const char *relation, AclMode mode)
{
	check_privilege(ladder->schema, ladder->door->entry, relation, ladder->door->caller, mode);
}

/* Error unless the current user may use an entry to a ladder. */
static void
check_rights(Oid schema, const LadderEntry *entry)
{
	Oid			role = GetUserId();
	const LadderPrivilege *privilege;

	switch (entry->rights)
	{
		case RIGHTS_OF_TRIGGER:
		case RIGHTS_TO_CREATE:
			break;
		case RIGHTS_OF_OWNER:
			check_usage(schema, role, entry);
			if (!has_privs_of_role(role, ladder_owner(schema)))
				ereport(ERROR,
						(errcode(ERRCODE_INSUFFICIENT_PRIVILEGE),
						 errmsg("must be owner of ladder \"%s\"",
								get_namespace_name(schema)),
						 owner_hint(schema, entry)));
			break;
		case RIGHTS_BY_GRANT:
			check_usage(schema, role, entry);
			for (privilege = entry->privilege; privilege->relation != NULL; privilege++)
				check_privilege(schema, entry, privilege->relation, role, privilege->mode);
			break;
	}
}

/*
 * The lock for an entry.  What works beside rating must not have one that conflicts with
 * that of a small piece of maintenance, because others would queue behind that.
 */
static LOCKMODE
entry_lockmode(const LadderEntry *entry, Oid schema)
{
	return entry->beside && !ladder_is_new(schema) ? AccessShareLock : entry->lockmode;
}

/*
 * Whoever writes to tables of the ladder locks them before the ladder itself, in the order in which
 * an INSERT of the user's and its triggers do: promote_ladder() waits for them in that order.
 */
static void
lock_written_tables(Oid schema, const LadderEntry *entry)
{
	const LadderPrivilege *privilege;

	if (entry->rights != RIGHTS_BY_GRANT)
		return;
	for (privilege = entry->privilege; privilege->relation != NULL; privilege++)
	{
		Oid			relid = privilege->mode & ACL_INSERT ?
			get_relname_relid(privilege->relation, schema) : InvalidOid;

		if (OidIsValid(relid))
			LockRelationOid(relid, RowExclusiveLock);
	}
}

/*
 * Lock the ladder of that name, or take the turn to maintain it.  A role without rights must not keep
 * others waiting by a lock, so that these are checked first; ladder_begin() checks them again.
 */
static Oid
lock_by_name(const char *name, const LadderEntry *entry, bool turn)
{
	for (;;)
	{
		Oid			schema = ladder_schema(name);
		LOCKMODE	lockmode;

		check_rights(schema, entry);
		lockmode = entry_lockmode(entry, schema);
		if ((turn || entry->lockmode >= ExclusiveLock) && !entry->drops)
			require_read_committed(schema, entry->function);
		if (turn)
			schema_take_turn(schema);
		else
		{
			lock_written_tables(schema, entry);
			schema_hold(schema, lockmode);
		}
		if (get_namespace_oid(name, true) == schema)
			return schema;
		if (turn)
			schema_give_turn(schema);
		else
			schema_let_go(schema, lockmode);
	}
}

Oid
ladder_lock(const char *name, const LadderEntry *entry)
{
	return lock_by_name(name, entry, false);
}

Oid
ladder_take_turn(const char *name, const LadderEntry *entry)
{
	return entry->maintains ? lock_by_name(name, entry, true) : InvalidOid;
}

/*
 * ---- The door ----
 */

bool
ladder_is_at_work(const Ladder *ladder)
{
	const LadderDoor *door;

	for (door = ladder->door->outer; door != NULL; door = door->outer)
		if (door->ladder.schema == ladder->schema && !door->ending &&
			door->lockmode >= RowShareLock)
			return true;
	return false;
}

bool
ladder_works_beside(const Ladder *ladder)
{
	return ladder->door->lets_rate;
}

/* Whatever is known of the ladder may have changed meanwhile; queries look again. */
void
ladder_hold(const Ladder *ladder)
{
	if (ladder->door->lets_rate)
		schema_hold(ladder->schema, ExclusiveLock);
}

void
ladder_let_go(const Ladder *ladder)
{
	if (ladder->door->lets_rate)
		schema_let_go(ladder->schema, ExclusiveLock);
}

Oid
ladder_caller(const Ladder *ladder)
{
	return ladder->door->caller;
}

bool
ladder_is_nested(const Ladder *ladder)
{
	return ladder->door->outer != NULL;
}

/* Become the owner of the ladder that a door is open to, whose work is restricted. */
static void
become_owner(const LadderDoor *door)
{
	SetUserIdAndSecContext(door->ladder.owner, door->caller_context |
						   SECURITY_LOCAL_USERID_CHANGE |
						   SECURITY_RESTRICTED_OPERATION);
}

/*
 * Look the ladder of a door up, in the memory of the door.  What may be incomplete is
 * looked up where it is needed, see ladder_inside_complete().
 */
static void
complete_ladder(LadderDoor *door)
{
	Ladder	   *ladder = &door->ladder;
	MemoryContext old = MemoryContextSwitchTo(door->context);
	LadderCache *cache = ladder_cache_open(ladder->schema);

	MemoryContextSwitchTo(old);
	ladder->name = cache->name;
	ladder->owner = cache->owner;
	memcpy(ladder->relation, cache->relation, sizeof(cache->relation));
	ladder->player_type = cache->player_type;
	ladder->match_type = cache->match_type;
	ladder->cache = cache;
	ladder->context = door->context;
}

/* A door to a ladder, which is not open yet, with its own context below another. */
static LadderDoor *
make_door(Oid schema, const LadderEntry *entry, MemoryContext parent)
{
	MemoryContext context = AllocSetContextCreate(parent, "skillrating door",
												  ALLOCSET_SMALL_SIZES);
	LadderDoor *door = MemoryContextAllocZero(context, sizeof(LadderDoor));

	door->context = context;
	door->entry = entry;
	door->lockmode = entry->lockmode;
	door->outer = innermost;
	door->nest_level = GetCurrentTransactionNestLevel();
	GetUserIdAndSecContext(&door->caller, &door->caller_context);
	door->ladder.door = door;
	door->ladder.settled = &door->settled;
	door->ladder.schema = schema;
	door->ladder.read_only = (entry->lockmode == AccessShareLock);
	door->lets_rate = entry->beside && !ladder_is_new(schema);
	if (entry->incomplete)
	{
		door->ladder.name = MemoryContextStrdup(context, get_namespace_name(schema));
		door->ladder.owner = ladder_owner(schema);
	}
	else
	{
		complete_ladder(door);
		door->settles_late = entry->settles_late &&
			door->ladder.match_type->type < FirstNormalObjectId;
	}
	return door;
}

Ladder *
ladder_begin(Oid schema, const LadderEntry *entry)
{
	LadderDoor *door;
	Ladder	   *ladder;

	if (!callbacks_registered)
	{
		RegisterXactCallback(at_end_of_transaction, NULL);
		RegisterSubXactCallback(at_end_of_subtransaction, NULL);
		callbacks_registered = true;
	}
	LockDatabaseObject(NamespaceRelationId, schema, 0,
					   entry->beside ? entry_lockmode(entry, schema) : entry->lockmode);
	if (entry->rights != RIGHTS_OF_TRIGGER)
		check_rights(schema, entry);
	door = make_door(schema, entry, CurTransactionContext);
	ladder = &door->ladder;
	if (!namespace_version(schema, &door->version))
		elog(ERROR, "cache lookup failed for schema %u", schema);
	if ((entry->lockmode >= RowShareLock || entry->maintains) && !entry->reenters &&
		ladder_is_at_work(ladder))
		ereport(ERROR,
				(errcode(ERRCODE_OBJECT_IN_USE),
				 errmsg("cannot call skillrating.%s() on ladder \"%s\" while this session is at work on it",
						entry->function, ladder->name),
				 errhint("Triggers and views of a ladder may insert matches, which are rated afterwards.")));

	innermost = door;

	/*
	 * The work is restricted, unless the owner asks for it.  A deferred
	 * trigger runs as who queued it from version 18 on, which is the owner
	 * for rows in pending: there it counts whose transaction it is.
	 */
	door->restricted = door->caller != ladder->owner ||
		(entry->rights == RIGHTS_OF_TRIGGER && GetOuterUserId() != ladder->owner);
	if (door->restricted)
		become_owner(door);
	door->guc_level = NewGUCNestLevel();
	if (!door->settles_late)
	{
		settings_pin();
		door->settled = true;
	}
	if (IsolationUsesXactSnapshot() && !entry->incomplete)
		check_snapshot_age(ladder, entry->lockmode >= RowShareLock);
	return ladder;
}

void
ladder_strengthen(Ladder *ladder, LOCKMODE lockmode)
{
	if (lockmode >= ExclusiveLock)
		require_read_committed(ladder->schema, ladder->door->entry->function);
	schema_hold(ladder->schema, lockmode);
	check_not_renamed(ladder->door);
	if (IsolationUsesXactSnapshot())
		check_snapshot_age(ladder, true);
	ladder->door->lockmode = lockmode;
	ladder->read_only = false;
}

void
ladder_end_work(Ladder *ladder)
{
	ladder->door->ending = true;
}

void
ladder_leave(Ladder *ladder)
{
	LadderDoor *door = ladder->door;

	if (door != innermost || &door->ladder != ladder)
		elog(ERROR, "doors to ladders are closed out of order");
	if (!door->entry->drops && !door->entry->renames)
		check_not_renamed(door);
	AtEOXact_GUC(false, door->guc_level);
	SetUserIdAndSecContext(door->caller, door->caller_context);
	pop_door();
}

/* The innermost door to the ladder in a schema, or NULL. */
static LadderDoor *
find_door(Oid schema)
{
	LadderDoor *door;
	LadderDoor *beside;

	for (door = innermost; door != NULL; door = door->outer)
		for (beside = door; beside != NULL; beside = beside->beside)
			if (beside->ladder.schema == schema)
				return beside;
	return NULL;
}

/* Error if an open door is to a ladder of that name, which has another one now. */
static void
check_names(const char *name)
{
	LadderDoor *door;

	for (door = innermost; door != NULL; door = door->outer)
		if (strcmp(door->ladder.name, name) == 0)
			check_not_renamed(door);
}

/*
 * A ladder that this transaction has made is nobody else's business yet: behind the
 * door to another one of the same owner, whose rights and settings are those that it
 * takes, it needs no more than a place beside that.
 */
static LadderDoor *
open_beside(Oid schema)
{
	LadderDoor *door;

	if (innermost == NULL || GetUserId() != innermost->ladder.owner ||
		ladder_owner(schema) != innermost->ladder.owner || !ladder_is_new(schema))
		return NULL;
	door = make_door(schema, innermost->entry, innermost->context);
	door->settled = innermost->settled;
	door->beside = innermost->beside;
	innermost->beside = door;
	return door;
}

Ladder *
ladder_inside(const char *name, const char *function)
{
	Oid			schema = get_namespace_oid(name, true);
	LadderDoor *door = OidIsValid(schema) ? find_door(schema) : NULL;

	if (door == NULL && OidIsValid(schema))
		door = open_beside(schema);

	/* A body asks by the name that the ladder had when its door was opened. */
	if (door == NULL)
		check_names(name);
	if (door == NULL)
		ereport(ERROR,
				(errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
				 errmsg("skillrating_internal.%s() cannot be called by itself",
						function),
				 errhint("Call a function of schema skillrating instead.")));
	return &door->ladder;
}

Ladder *
ladder_inside_complete(const char *name, const char *function)
{
	Ladder	   *ladder = ladder_inside(name, function);

	if (ladder->cache == NULL)
		complete_ladder(ladder->door);
	return ladder;
}

void
ladder_lift_restriction(const Ladder *ladder)
{
	const LadderDoor *door = ladder->door;

	if (door->restricted)
		SetUserIdAndSecContext(ladder->owner, door->caller_context |
							   SECURITY_LOCAL_USERID_CHANGE);
}

void
ladder_restore_restriction(const Ladder *ladder)
{
	if (ladder->door->restricted)
		become_owner(ladder->door);
}

bool
ladder_is_restricted_outside(const Ladder *ladder)
{
	return (ladder->door->caller_context & SECURITY_RESTRICTED_OPERATION) != 0;
}

/*
 * ---- States in memory ----
 */

void
ladder_take_states(Ladder *ladder)
{
	const LadderDoor *door;
	const LadderDoor *beside;

	for (door = innermost; door != NULL; door = door->outer)
		for (beside = door; beside != NULL; beside = beside->beside)
			if (beside->ladder.schema == ladder->schema && beside->states_taken)
				ereport(ERROR,
						(errcode(ERRCODE_OBJECT_IN_USE),
						 errmsg("ladder \"%s\" is being rated by this session",
								ladder->name)));
	ladder->door->states_taken = true;
}

void
ladder_release_states(Ladder *ladder)
{
	ladder->door->states_taken = false;
}

void
ladder_hide_from_mirrors(Ladder *ladder)
{
	ladder->door->hidden_from_mirrors = true;
}

void
ladder_show_to_mirrors(Ladder *ladder)
{
	ladder->door->hidden_from_mirrors = false;
}

bool
ladder_is_hidden_from_mirrors(const Ladder *ladder)
{
	const LadderDoor *door;

	for (door = ladder->door->outer; door != NULL; door = door->outer)
		if (door->ladder.schema == ladder->schema && door->hidden_from_mirrors)
			return true;
	return false;
}

/*
 * ---- Work in C ----
 */

/*
 * Code of the user that comes back here while we work gets a copy of its own, so
 * that it changes nothing of ours.
 */
Ladder *
ladder_open(const Ladder *inside)
{
	Ladder	   *ladder;
	int			i;

	SPI_connect();
	if (inside->cache == NULL)
		complete_ladder(inside->door);
	ladder = palloc_object(Ladder);
	*ladder = *inside;
	ladder->context = CurrentMemoryContext;

	/* Columns are read by their types, which nobody may change from here on. */
	for (i = 0; i < LADDER_NRELATIONS; i++)
		if (OidIsValid(ladder->relation[i]))
			LockRelationOid(ladder->relation[i], AccessShareLock);
	if (!ladder->cache->valid)
		ladder_cache_recheck(ladder);
	ladder->guc_level = NewGUCNestLevel();
	if (ladder->door->settled)
		settings_for_plans();
	read_ladder_config(ladder);
	return ladder;
}

void
ladder_close(Ladder *ladder)
{
	AtEOXact_GUC(false, ladder->guc_level);

	/* What was set late is gone with the rest. */
	if (ladder->door->settles_late)
		ladder->door->settled = false;
	SPI_finish();
}

void
ladder_expect_many(Ladder *ladder)
{
	ladder->large = true;
	settings_set("enable_seqscan", "on");
	settings_set("enable_bitmapscan", "on");
}

void
ladder_expect_few(Ladder *ladder)
{
	ladder->large = false;
	settings_for_plans();
}

void
ladder_maintain(Ladder *ladder)
{
	char		kilobytes[32];

	ladder_expect_many(ladder);
	if (work_mem >= maintenance_work_mem)
		return;
	snprintf(kilobytes, sizeof(kilobytes), "%d", maintenance_work_mem);
	settings_set("work_mem", kilobytes);
}
