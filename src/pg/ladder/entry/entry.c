/*
 * entry.c
 *		Entering a ladder: rights, locks and settings of all work on it.
 *
 * Relies on PostgreSQL to put back role and settings with a (sub)transaction, on memory of a frame
 * living in CurTransactionContext, and on lock modes of the schema alone to keep others out.
 */
#include "pg/ladder/entry/entry.h"

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

#include "pg/ladder/entry/cache.h"
#include "pg/ladder/entry/config.h"
#include "pg/ladder/entry/hold.h"
#include "pg/ladder/entry/plans.h"
#include "pg/ladder/entry/settings.h"
#include "pg/ladder/entry/shape.h"
#include "pg/ladder/entry/waiting.h"

/* Which version of a row of pg_namespace is current: any change makes another. */
typedef struct NamespaceVersion
{
	TransactionId xmin;
	ItemPointerData tid;
} NamespaceVersion;

/* A ladder that has been entered. */
typedef struct EntryFrame
{
	Ladder		ladder;
	MemoryContext context;		/* of this; keeps the cache in place */
	const LadderEntry *entry;
	LOCKMODE	lockmode;		/* that of the entry, or a stronger one */
	struct EntryFrame *outer;
	struct EntryFrame *sibling;	/* of a ladder that was made in this one */
	int			nest_level;		/* of the subtransaction that opened it */
	int			caller_context;
	bool		restricted;		/* works in a security-restricted operation */
	int			guc_level;
	bool		pins_late;		/* it may go without settings: what it calls of
								 * a type is the server's own */
	NamespaceVersion version;	/* of the schema */
	LadderState state;
} EntryFrame;

/*
 * The frame of the ladder that was entered last.  It is the only state that outlives a call, and
 * the callbacks below take from it whatever an abort ends.
 */
static EntryFrame *innermost = NULL;

static bool callbacks_registered = false;

/* Take the innermost frame from the stack. */
static void
pop_frame(void)
{
	EntryFrame *frame = innermost;

	innermost = frame->outer;
	MemoryContextDelete(frame->context);
}

/*
 * ---- Aborts ----
 */

static void
at_end_of_transaction(XactEvent event, void *arg)
{
	(void) arg;
	if (event == XACT_EVENT_COMMIT || event == XACT_EVENT_ABORT || event == XACT_EVENT_PREPARE)
	{
		innermost = NULL;
		forget_all_waiting();
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
		pop_frame();
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
check_not_renamed(EntryFrame *frame)
{
	NamespaceVersion version;

	AcceptInvalidationMessages();
	if (namespace_version(frame->ladder.schema, &version))
	{
		const char *name = get_namespace_name(frame->ladder.schema);

		if (version.xmin == frame->version.xmin &&
			ItemPointerCompare(&version.tid, &frame->version.tid) == 0)
			return;

		/*
		 * This transaction has granted or revoked USAGE, as grant_ladder()
		 * does.
		 */
		if (TransactionIdIsCurrentTransactionId(version.xmin) &&
			name != NULL && strcmp(name, frame->ladder.name) == 0)
			return;
	}
	ereport(ERROR,
			(errcode(ERRCODE_T_R_SERIALIZATION_FAILURE),
			 errmsg("schema \"%s\" was altered by another transaction during work on the ladder",
					frame->ladder.name),
			 errhint("Try again.")));
}

/*
 * ---- Rights ----
 */

char *
owner_lacks_hint(Oid owner)
{
	return psprintf("The work is done as role \"%s\", who owns the ladder and needs the right: by GRANT, by ownership or, where row-level security is the cause, by a policy or BYPASSRLS.",
					GetUserNameFromId(owner, false));
}

void
rethrow_with_hint(char *hint)
{
	ErrorData  *error;

	if (hint == NULL || geterrcode() != ERRCODE_INSUFFICIENT_PRIVILEGE)
		PG_RE_THROW();
	error = CopyErrorData();
	FlushErrorState();
	if (error->hint == NULL)
		error->hint = hint;
	ReThrowError(error);
}

/* A hint for a role that calls what is for the owner. */
static int
owner_hint(Oid schema, const LadderEntry *entry)
{
	return errhint("Only role \"%s\" and its members may call skillrating.%s() on this ladder.",
				   GetUserNameFromId(ladder_owner(schema), false), entry->function);
}

/* A hint for a role that lacks a privilege which an entry takes. */
static int
grant_hint(Oid schema, const LadderEntry *entry, Oid role)
{
	const char *ladder = get_namespace_name(schema);
	const char *owner = GetUserNameFromId(ladder_owner(schema), false);

	/* The schema or the relation is another role's, who alone can grant it. */
	if (has_privs_of_role(role, ladder_owner(schema)))
		return errhint("Give schema %s and all its relations to role \"%s\", who owns the ladder.",
					   quote_identifier(ladder), owner);
	if (entry->rights == RIGHTS_OF_OWNER)
		return owner_hint(schema, entry);
	return errhint("The owner of the ladder can give this right by SELECT skillrating.grant_ladder(%s, %s, '%s').",
				   quote_literal_cstr(ladder), quote_literal_cstr(GetUserNameFromId(role, false)),
				   entry->privilege[0].mode == ACL_INSERT ? "reporter" : "reader");
}

static void
check_usage(Oid schema, Oid role, const LadderEntry *entry)
{
	if (schema_aclcheck(schema, role, ACL_USAGE) != ACLCHECK_OK)
		ereport(ERROR,
				(errcode(ERRCODE_INSUFFICIENT_PRIVILEGE),
				 errmsg("permission denied for schema %s", get_namespace_name(schema)),
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

	/* A ladder whose matches come from elsewhere has no tables of them. */
	if (!OidIsValid(relid))
		return;
	if (pg_class_aclcheck(relid, role, mode) != ACLCHECK_OK)
		ereport(ERROR,
				(errcode(ERRCODE_INSUFFICIENT_PRIVILEGE),
				 get_rel_relkind(relid) == RELKIND_VIEW ?
				 errmsg("permission denied for view %s", relation) :
				 errmsg("permission denied for table %s", relation),
				 grant_hint(schema, entry, role)));
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
	check_privilege(ladder->schema, ladder->frame->entry, relation, ladder->caller, mode);
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
 * The lock for an entry.  What works while others rate must not have one that conflicts with
 * that of a small piece of maintenance, because others would queue behind that.
 */
static LOCKMODE
entry_lockmode(const LadderEntry *entry, Oid schema)
{
	return entry->concurrent && !ladder_is_new(schema) ? AccessShareLock : entry->lockmode;
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
 * A role without rights must not keep others waiting by a lock, so that these are checked first;
 * ladder_begin() checks them again.
 */
Oid
ladder_lock(const char *name, const LadderEntry *entry, bool maintenance)
{
	for (;;)
	{
		Oid			schema = ladder_schema(name);
		LOCKMODE	lockmode;

		check_rights(schema, entry);
		lockmode = entry_lockmode(entry, schema);
		if ((maintenance || entry->lockmode >= ExclusiveLock) && !entry->drops)
			require_read_committed(schema, entry->function);
		if (maintenance)
			schema_lock_maintenance(schema);
		else
		{
			lock_written_tables(schema, entry);
			schema_hold(schema, lockmode);
		}
		if (get_namespace_oid(name, true) == schema)
			return schema;
		if (maintenance)
			schema_unlock_maintenance(schema);
		else
			schema_let_go(schema, lockmode);
	}
}

/*
 * ---- Entering and leaving ----
 */

bool
ladder_is_at_work(const Ladder *ladder)
{
	const EntryFrame *frame;

	for (frame = ladder->frame->outer; frame != NULL; frame = frame->outer)
		if (frame->ladder.schema == ladder->schema && !frame->state.ending &&
			frame->lockmode >= RowShareLock)
			return true;
	return false;
}

/* Whatever is known of the ladder may have changed meanwhile; queries look again. */
void
ladder_hold(const Ladder *ladder)
{
	if (ladder->concurrent)
		schema_hold(ladder->schema, ExclusiveLock);
}

void
ladder_let_go(const Ladder *ladder)
{
	if (ladder->concurrent)
		schema_let_go(ladder->schema, ExclusiveLock);
}

/* Become the owner of the ladder of a frame, whose work is restricted. */
static void
become_owner(const EntryFrame *frame)
{
	SetUserIdAndSecContext(frame->ladder.owner, frame->caller_context |
						   SECURITY_LOCAL_USERID_CHANGE |
						   SECURITY_RESTRICTED_OPERATION);
}

/*
 * Look the ladder of a frame up, in the memory of the frame.  What may be incomplete is
 * looked up where it is needed, see ladder_open().
 */
static void
complete_ladder(EntryFrame *frame)
{
	Ladder	   *ladder = &frame->ladder;
	MemoryContext old = MemoryContextSwitchTo(frame->context);
	LadderCache *cache = ladder_cache_open(ladder->schema);

	MemoryContextSwitchTo(old);
	ladder->bears_owners = frame->entry->bears_owners;
	if (!ladder->bears_owners)
		ladder_check_owners(cache);
	ladder->name = cache->name;
	ladder->owner = cache->owner;
	memcpy(ladder->relation, cache->relation, sizeof(cache->relation));
	ladder->player_type = cache->player_type;
	ladder->match_type = cache->match_type;
	ladder->cache = cache;
	ladder->context = frame->context;
}

/* The frame of a ladder that is not entered yet, with its own context below another. */
static EntryFrame *
make_frame(Oid schema, const LadderEntry *entry, MemoryContext parent)
{
	MemoryContext context = AllocSetContextCreate(parent, "skillrating entry",
												  ALLOCSET_SMALL_SIZES);
	EntryFrame *frame = MemoryContextAllocZero(context, sizeof(EntryFrame));

	frame->context = context;
	frame->entry = entry;
	frame->lockmode = entry->lockmode;
	frame->outer = innermost;
	frame->nest_level = GetCurrentTransactionNestLevel();
	GetUserIdAndSecContext(&frame->ladder.caller, &frame->caller_context);
	frame->ladder.frame = frame;
	frame->ladder.state = &frame->state;
	frame->ladder.nested = innermost != NULL;
	frame->ladder.schema = schema;
	frame->ladder.read_only = (entry->lockmode == AccessShareLock);
	frame->ladder.concurrent = entry->concurrent && !ladder_is_new(schema);
	if (entry->incomplete)
	{
		frame->ladder.name = MemoryContextStrdup(context, get_namespace_name(schema));
		frame->ladder.owner = ladder_owner(schema);
	}
	else
	{
		complete_ladder(frame);
		frame->pins_late = entry->pins_late &&
			frame->ladder.match_type->type < FirstNormalObjectId;
	}
	return frame;
}

Ladder *
ladder_begin(Oid schema, const LadderEntry *entry)
{
	EntryFrame *frame;
	Ladder	   *ladder;

	if (!callbacks_registered)
	{
		RegisterXactCallback(at_end_of_transaction, NULL);
		RegisterSubXactCallback(at_end_of_subtransaction, NULL);
		callbacks_registered = true;
	}
	LockDatabaseObject(NamespaceRelationId, schema, 0,
					   entry->concurrent ? entry_lockmode(entry, schema) : entry->lockmode);
	if (entry->rights != RIGHTS_OF_TRIGGER)
		check_rights(schema, entry);
	frame = make_frame(schema, entry, CurTransactionContext);
	ladder = &frame->ladder;
	if (!namespace_version(schema, &frame->version))
		elog(ERROR, "cache lookup failed for schema %u", schema);
	if ((entry->lockmode >= RowShareLock || entry->maintains) && !entry->reenters &&
		ladder_is_at_work(ladder))
		ereport(ERROR,
				(errcode(ERRCODE_OBJECT_IN_USE),
				 errmsg("cannot call skillrating.%s() on ladder \"%s\" while this session is at work on it",
						entry->function, ladder->name),
				 errhint("Triggers and views of a ladder may insert matches, which are rated afterwards.")));

	innermost = frame;

	/*
	 * The work is restricted, unless the owner asks for it.  From version 18 on
	 * a deferred trigger runs as the role that queued it, which is the owner for
	 * rows in pending: so the role of the transaction is asked for.
	 */
	frame->restricted = ladder->caller != ladder->owner ||
		(entry->rights == RIGHTS_OF_TRIGGER && GetOuterUserId() != ladder->owner);
	if (frame->restricted)
		become_owner(frame);
	frame->guc_level = NewGUCNestLevel();
	if (!frame->pins_late)
	{
		settings_pin();
		frame->state.pinned = true;
	}
	if (IsolationUsesXactSnapshot() && !entry->incomplete)
		check_snapshot_age(ladder, entry->lockmode >= RowShareLock);
	return ladder;
}

void
ladder_strengthen(Ladder *ladder, LOCKMODE lockmode)
{
	if (lockmode >= ExclusiveLock)
		require_read_committed(ladder->schema, ladder->frame->entry->function);
	schema_hold(ladder->schema, lockmode);
	check_not_renamed(ladder->frame);
	if (IsolationUsesXactSnapshot())
		check_snapshot_age(ladder, true);
	ladder->frame->lockmode = lockmode;
	ladder->read_only = false;
}

void
ladder_leave(Ladder *ladder)
{
	EntryFrame *frame = ladder->frame;

	if (frame != innermost || &frame->ladder != ladder)
		elog(ERROR, "ladders are left out of order");
	if (!frame->entry->drops && !frame->entry->renames)
		check_not_renamed(frame);
	AtEOXact_GUC(false, frame->guc_level);
	SetUserIdAndSecContext(ladder->caller, frame->caller_context);
	pop_frame();
}

/* The innermost frame of the ladder in a schema, or NULL. */
static EntryFrame *
find_frame(Oid schema)
{
	EntryFrame *frame;
	EntryFrame *sibling;

	for (frame = innermost; frame != NULL; frame = frame->outer)
		for (sibling = frame; sibling != NULL; sibling = sibling->sibling)
			if (sibling->ladder.schema == schema)
				return sibling;
	return NULL;
}

/* Error if a ladder of that name has been entered, which has another one now. */
static void
check_names(const char *name)
{
	EntryFrame *frame;

	for (frame = innermost; frame != NULL; frame = frame->outer)
		if (strcmp(frame->ladder.name, name) == 0)
			check_not_renamed(frame);
}

/*
 * A ladder that this transaction has made is nobody else's business yet: behind the
 * frame of another one of the same owner, whose rights and settings are those that it
 * takes, it needs no more than a place next to that.
 */
static EntryFrame *
enter_sibling(Oid schema)
{
	EntryFrame *frame;

	if (innermost == NULL || GetUserId() != innermost->ladder.owner ||
		ladder_owner(schema) != innermost->ladder.owner || !ladder_is_new(schema))
		return NULL;
	frame = make_frame(schema, innermost->entry, innermost->context);
	frame->state.pinned = innermost->state.pinned;
	frame->sibling = innermost->sibling;
	innermost->sibling = frame;
	return frame;
}

Ladder *
ladder_inside(FunctionCallInfo fcinfo)
{
	const char *name = PG_ARGISNULL(0) ? "" : text_to_cstring(PG_GETARG_TEXT_PP(0));
	Oid			schema = get_namespace_oid(name, true);
	EntryFrame *frame = OidIsValid(schema) ? find_frame(schema) : NULL;

	if (frame == NULL && OidIsValid(schema))
		frame = enter_sibling(schema);

	/* A body asks by the name that the ladder had when it was entered. */
	if (frame == NULL)
		check_names(name);
	if (frame == NULL)
		ereport(ERROR,
				(errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
				 errmsg("skillrating_internal.%s() cannot be called by itself",
						get_func_name(fcinfo->flinfo->fn_oid)),
				 errhint("Call a function of schema skillrating instead.")));
	return &frame->ladder;
}

void
ladder_lift_restriction(const Ladder *ladder)
{
	const EntryFrame *frame = ladder->frame;

	if (frame->restricted)
		SetUserIdAndSecContext(ladder->owner, frame->caller_context |
							   SECURITY_LOCAL_USERID_CHANGE);
}

void
ladder_restore_restriction(const Ladder *ladder)
{
	if (ladder->frame->restricted)
		become_owner(ladder->frame);
}

bool
ladder_is_restricted_outside(const Ladder *ladder)
{
	return (ladder->frame->caller_context & SECURITY_RESTRICTED_OPERATION) != 0;
}

/*
 * ---- States in memory ----
 */

void
ladder_take_states(Ladder *ladder)
{
	const EntryFrame *frame;
	const EntryFrame *sibling;

	for (frame = innermost; frame != NULL; frame = frame->outer)
		for (sibling = frame; sibling != NULL; sibling = sibling->sibling)
			if (sibling->ladder.schema == ladder->schema && sibling->state.states_taken)
				ereport(ERROR,
						(errcode(ERRCODE_OBJECT_IN_USE),
						 errmsg("ladder \"%s\" is being rated by this session",
								ladder->name)));
	ladder->state->states_taken = true;
}

bool
ladder_is_hidden_from_mirrors(const Ladder *ladder)
{
	const EntryFrame *frame;

	for (frame = ladder->frame->outer; frame != NULL; frame = frame->outer)
		if (frame->ladder.schema == ladder->schema && frame->state.hidden_from_mirrors)
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

	/* Where ladders are renamed, tables move from one to the other. */
	if (inside->cache == NULL || (inside->frame->entry->renames && !inside->cache->valid))
		complete_ladder(inside->frame);
	ladder = palloc_object(Ladder);
	*ladder = *inside;
	ladder->context = CurrentMemoryContext;

	/* Columns are read by their types, which nobody may change from here on, nor whose they are. */
	for (i = 0; i < LADDER_NRELATIONS; i++)
		if (OidIsValid(ladder->relation[i]))
			LockRelationOid(ladder->relation[i], AccessShareLock);
	for (i = 0; i < ladder->cache->nbelow; i++)
		LockRelationOid(list_nth_oid(ladder->cache->touched, i), AccessShareLock);
	if (!ladder->cache->valid)
		ladder_cache_recheck(ladder);
	ladder->guc_level = NewGUCNestLevel();
	if (ladder->state->pinned)
		settings_for_plans();
	read_ladder_config(ladder);
	return ladder;
}

Ladder *
ladder_open_inside(FunctionCallInfo fcinfo)
{
	return ladder_open(ladder_inside(fcinfo));
}

void
ladder_close(Ladder *ladder)
{
	AtEOXact_GUC(false, ladder->guc_level);

	/* What was set late is gone with the rest. */
	if (ladder->frame->pins_late)
		ladder->state->pinned = false;
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
	ladder_expect_many(ladder);
	if (work_mem < maintenance_work_mem)
		settings_set_number("work_mem", maintenance_work_mem);
}
