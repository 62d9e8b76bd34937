/*
 * entries.c
 *		The functions of SQL that work on ladders.
 *
 * A function of the schema skillrating that works on a ladder is skillrating_enter().
 * It enters the ladder as the list below says, calls its body, the function of the same
 * name in skillrating_internal, and leaves the ladder.  The body may be in any language.
 * Its arguments are the same, but that an entry may have text for one that is
 * polymorphic there: several entries can share a body.  One in C that nothing else calls is no
 * function of SQL: the entry is a function of its own, with enter_ladder().  A ladder that SQL could
 * enter by itself would leave the caller switched to another role.
 */
#include "pg/ladder/arrive/entries.h"

#include "pg/ladder/entry/entry.h"

#include "access/htup_details.h"
#include "access/transam.h"
#include "access/xact.h"
#include "catalog/pg_proc.h"
#include "catalog/pg_type.h"
#include "funcapi.h"
#include "nodes/primnodes.h"
#include "nodes/value.h"
#include "parser/parse_func.h"
#include "storage/lock.h"
#include "utils/builtins.h"
#include "utils/lsyscache.h"
#include "utils/memutils.h"
#include "utils/snapmgr.h"
#include "utils/syscache.h"
#include "utils/timestamp.h"
#include "utils/tuplestore.h"

#include "pg/ladder/entry/cache.h"
#include "pg/ladder/entry/config.h"
#include "pg/ladder/entry/plans.h"
#include "pg/matches/batch.h"

#define READS_RATING {{"rating", ACL_SELECT}}
#define READS_EVENT {{"event", ACL_SELECT}}
#define REPORTS \
	{{"match", ACL_INSERT}, {"match_player", ACL_INSERT}, {"event", ACL_SELECT}}
#define READS_BOTH {{"rating", ACL_SELECT}, {"event", ACL_SELECT}}
#define TAKES_POOL .nladders = 1,.pool = POOL_MAY_BE_NEW
#define SHOWS_POOL .nladders = 1,.pool = POOL_OF_BOARD

/* The list, by room; docs/ladders.md has the same, and a test compares them. */
static const LadderEntry entries[] = {
	/* A ladder as such */
	{"create_ladder", NoLock, RIGHTS_TO_CREATE,.nladders = 0},
	/* Takes a stronger lock together with those on tables that feed it: drop_source_triggers(). */
	{"drop_ladder", AccessShareLock, RIGHTS_OF_OWNER,.nladders = 1,.maintains = true,.drops = true,
	.incomplete = true},
	{"attach", RowShareLock, RIGHTS_OF_OWNER,.nladders = 1,
	.as_caller = "create_collect_triggers"},
	{"detach", RowShareLock, RIGHTS_OF_OWNER,.nladders = 1,.incomplete = true},
	{"restore_triggers", AccessShareLock, RIGHTS_OF_OWNER,.nladders = 1,.maintains = true,.incomplete = true},

	/* Each takes a stronger lock together with those on tables: hold_objects(). */
	{"refresh_source", AccessShareLock, RIGHTS_OF_OWNER,.nladders = 1,.maintains = true,.incomplete = true},
	{"set_ranks", AccessShareLock, RIGHTS_OF_OWNER,.nladders = 1,.maintains = true},
	{"reset_ladder", AccessShareLock, RIGHTS_OF_OWNER,.nladders = 1,.maintains = true},

	{"grant_ladder", ExclusiveLock, RIGHTS_OF_OWNER,.nladders = 1,.maintains = true,.body = "change_rights"},
	{"revoke_ladder", ExclusiveLock, RIGHTS_OF_OWNER,.nladders = 1,.maintains = true,.body = "change_rights"},

	/* The same: hold_objects(). */
	{"mirror_rating", AccessShareLock, RIGHTS_OF_OWNER,.nladders = 1,.maintains = true},
	{"unmirror_rating", AccessShareLock, RIGHTS_OF_OWNER,.nladders = 1,.maintains = true},

	/* Matches */
	{"report_match", RowShareLock, RIGHTS_BY_GRANT, REPORTS,
	.nladders = 1,.takes_nulls = true,.reenters = true},
	{"preview", AccessShareLock, RIGHTS_BY_GRANT, READS_RATING,TAKES_POOL,.takes_nulls = true},
	{"match_outcome", AccessShareLock, RIGHTS_BY_GRANT, {{"rated_match", ACL_SELECT}},.nladders = 1},
	{"eligibility", AccessShareLock, RIGHTS_BY_GRANT, {{"operation", ACL_SELECT}},.nladders = 1},
	{"match_journal", AccessShareLock, RIGHTS_BY_GRANT,
		{{"event", ACL_SELECT}, {"rated_match", ACL_SELECT}, {"operation", ACL_SELECT},
	{"correction", ACL_SELECT}, {"source", ACL_SELECT}},.nladders = 1},
	{"ladder_status", AccessShareLock, RIGHTS_BY_GRANT,
		{{"rated_match", ACL_SELECT}, {"pending", ACL_SELECT}, {"correction", ACL_SELECT}},.nladders = 1},
	{"verify", AccessShareLock, RIGHTS_BY_GRANT,
		{{"rating", ACL_SELECT}, {"event", ACL_SELECT}, {"rated_match", ACL_SELECT},
		{"operation", ACL_SELECT}, {"source", ACL_SELECT}, {"component", ACL_SELECT},
	{"component_event", ACL_SELECT}, {"pending", ACL_SELECT}},.nladders = 1,.work = WORK_VERIFY},

	/* History */
	{"set_horizon", ExclusiveLock, RIGHTS_OF_OWNER,.nladders = 1,.maintains = true},
	{"catch_up", ExclusiveLock, RIGHTS_OF_OWNER,.nladders = 1,.maintains = true,.concurrent = true,.work = WORK_CATCH_UP},
	{"void_match", ExclusiveLock, RIGHTS_OF_OWNER,.nladders = 1,.body = "decide_match"},
	{"restore_match", ExclusiveLock, RIGHTS_OF_OWNER,.nladders = 1,.body = "decide_match"},
	{"exclude_player", ExclusiveLock, RIGHTS_OF_OWNER,.nladders = 1,.maintains = true},
	{"merge_players", ExclusiveLock, RIGHTS_OF_OWNER,.nladders = 1,.maintains = true},
	{"forget_players", ExclusiveLock, RIGHTS_OF_OWNER,.nladders = 1,.maintains = true},
	{"set_eligibility", ExclusiveLock, RIGHTS_OF_OWNER,.nladders = 1,.maintains = true},
	{"undo_operation", ExclusiveLock, RIGHTS_OF_OWNER,.nladders = 1,.maintains = true},
	{"new_season", ExclusiveLock, RIGHTS_OF_OWNER,.nladders = 1,.maintains = true,.concurrent = true},
	{"decay", ExclusiveLock, RIGHTS_OF_OWNER,.nladders = 1,.maintains = true,.concurrent = true},
	{"settle", ExclusiveLock, RIGHTS_OF_OWNER,.nladders = 1,.maintains = true,.concurrent = true},
	{"set_rating", ExclusiveLock, RIGHTS_OF_OWNER, TAKES_POOL},
	{"reset_rating", ExclusiveLock, RIGHTS_OF_OWNER,.nladders = 1},
	{"set_fixed", ExclusiveLock, RIGHTS_OF_OWNER,.nladders = 1},
	{"import_ratings", ExclusiveLock, RIGHTS_OF_OWNER, TAKES_POOL,.maintains = true},
	{"seed_from", ExclusiveLock, RIGHTS_OF_OWNER,.nladders = 2,.maintains = true,.pool = POOL_MAY_BE_NEW},
	{"solve_ladder", AccessShareLock, RIGHTS_OF_OWNER,.nladders = 1,
	.work = WORK_SOLVE_LADDER,.pool = POOL_OF_BOARD},

	/* Reading */
	{"leaderboard", AccessShareLock, RIGHTS_BY_GRANT, READS_RATING,SHOWS_POOL},
	{"place_of", AccessShareLock, RIGHTS_BY_GRANT, READS_RATING,SHOWS_POOL,.takes_nobody = true},
	{"around", AccessShareLock, RIGHTS_BY_GRANT, READS_RATING,SHOWS_POOL,.takes_nobody = true},
	{"player_status", AccessShareLock, RIGHTS_BY_GRANT, READS_RATING,SHOWS_POOL,.takes_nobody = true},
	{"lobby", AccessShareLock, RIGHTS_BY_GRANT, READS_RATING,TAKES_POOL,.takes_nobody = true},
	{"find_opponents", AccessShareLock, RIGHTS_BY_GRANT, READS_RATING,TAKES_POOL,.takes_nobody = true},
	{"history", AccessShareLock, RIGHTS_BY_GRANT, READS_EVENT,SHOWS_POOL,.takes_nobody = true},
	{"rating_at", AccessShareLock, RIGHTS_BY_GRANT, READS_BOTH,SHOWS_POOL},
	{"surprising_players", AccessShareLock, RIGHTS_BY_GRANT, READS_EVENT,SHOWS_POOL},
	{"pool_quality", AccessShareLock, RIGHTS_BY_GRANT, READS_EVENT,SHOWS_POOL},
	{"season_table", AccessShareLock, RIGHTS_BY_GRANT, READS_BOTH,SHOWS_POOL},

	/* Another formula */
	{"compare_ladders", AccessShareLock, RIGHTS_BY_GRANT, READS_BOTH,.nladders = 2,.pool = POOL_OF_BOARD},

	{"shadow_ladder", AccessShareLock, RIGHTS_OF_OWNER,.nladders = 1,
	.maintains = true,.work = WORK_SHADOW_LADDER},

	/* Takes stronger locks when it needs them: hold_objects(). */
	{"promote_ladder", AccessShareLock, RIGHTS_OF_OWNER,.nladders = 1,
	.maintains = true,.renames = true},
};

static const LadderEntry *
ladder_entry(const char *function)
{
	int			i;

	for (i = 0; i < (int) lengthof(entries); i++)
		if (strcmp(entries[i].function, function) == 0)
			return &entries[i];
	ereport(ERROR,
			(errcode(ERRCODE_UNDEFINED_FUNCTION),
			 errmsg("function skillrating.%s() is not known to the library that this session has loaded",
					function),
			 errhint("Reconnect if skillrating has been updated since.")));
	return NULL;				/* for the compiler */
}

/*
 * ---- Bodies ----
 */

/* What a call site of an entry keeps. */
typedef struct EntryCall
{
	const LadderEntry *entry;
	FmgrInfo	body;
	FmgrInfo	as_caller;
	int			identifier[FUNC_MAX_ARGS];	/* arguments of any type */
	int			nidentifiers;
	int			pool;			/* which argument it is, where it has a use */
	const char *required[FUNC_MAX_ARGS];	/* names of arguments, where not null */
	int			at;				/* which argument is the time, or -1, */
	int			count[2];		/* and which must not be negative, or -1 */
} EntryCall;

/* The one function of a name in skillrating_internal. */
static void
find_function(FmgrInfo *found, const char *name, FunctionCallInfo fcinfo)
{
	Oid			function =
		LookupFuncName(list_make2(makeString("skillrating_internal"),
								  makeString(pstrdup(name))),
					   -1, NULL, false);

	fmgr_info_cxt(function, found, fcinfo->flinfo->fn_mcxt);

	/* The types of its arguments, where they are polymorphic. */
	fmgr_info_set_expr(fcinfo->flinfo->fn_expr, found);
}

/* Which of n arguments has a name, or -1. */
static int
argument_number(char **name, int n, const char *wanted)
{
	int			i;

	for (i = 0; i < n; i++)
		if (strcmp(name[i], wanted) == 0)
			return i;
	return -1;
}

/* The defaults of a function's last arguments. */
static List *
argument_defaults(HeapTuple function)
{
	bool		isnull;
	Datum		defaults = SysCacheGetAttr(PROCOID, function, Anum_pg_proc_proargdefaults, &isnull);

	return isnull ? NIL : castNode(List, stringToNode(TextDatumGetCString(defaults)));
}

/*
 * What a call site has to know of the arguments, of which those that go in come first.  One that
 * is not null by default must not be null, unless the body judges nulls, but for the ladder, or is
 * strict and reads.
 */
static void
learn_arguments(EntryCall *call, HeapTuple function, MemoryContext context)
{
	Form_pg_proc proc = (Form_pg_proc) GETSTRUCT(function);
	bool		judged = proc->proisstrict ||
		(call->body.fn_strict && proc->provolatile != PROVOLATILE_VOLATILE && proc->pronargs > 1);
	List	   *defaults = argument_defaults(function);
	int			first = proc->pronargs - list_length(defaults);
	Oid		   *type;
	char	  **name;
	char	   *mode;
	int			i;

	(void) get_func_arg_info(function, &type, &name, &mode);
	for (i = 0; i < proc->pronargs; i++)
	{
		Node	   *given = i < first ? NULL : list_nth(defaults, i - first);

		if (IsPolymorphicType(type[i]))
		{
			call->identifier[call->nidentifiers++] = i;
			if (call->entry->takes_nobody)
				continue;
		}
		if (!judged && !(i > 0 && call->entry->takes_nulls) &&
			!(given != NULL && IsA(given, Const) && castNode(Const, given)->constisnull))
			call->required[i] = MemoryContextStrdup(context, name[i]);
	}
	call->at = argument_number(name, proc->pronargs, "at");
	call->count[0] = argument_number(name, proc->pronargs, "n");
	call->count[1] = argument_number(name, proc->pronargs, "min_games");
	call->pool = argument_number(name, proc->pronargs, "pool");
	if (call->entry->pool != POOL_AS_GIVEN && call->pool < 0)
		elog(ERROR, "function has no argument pool");
}

static EntryCall *
entry_call(FunctionCallInfo fcinfo, PGFunction body)
{
	EntryCall  *call = fcinfo->flinfo->fn_extra;
	HeapTuple	tuple;
	const char *name;

	if (call != NULL)
		return call;
	tuple = SearchSysCache1(PROCOID, ObjectIdGetDatum(fcinfo->flinfo->fn_oid));
	if (!HeapTupleIsValid(tuple))
		elog(ERROR, "cache lookup failed for function %u", fcinfo->flinfo->fn_oid);
	name = NameStr(((Form_pg_proc) GETSTRUCT(tuple))->proname);
	call = MemoryContextAllocZero(fcinfo->flinfo->fn_mcxt, sizeof(EntryCall));
	call->entry = ladder_entry(name);
	if (body == NULL)
		find_function(&call->body, call->entry->body != NULL ? call->entry->body : name, fcinfo);
	else
	{
		call->body = *fcinfo->flinfo;
		call->body.fn_addr = body;
	}
	if (call->entry->as_caller != NULL)
		find_function(&call->as_caller, call->entry->as_caller, fcinfo);
	learn_arguments(call, tuple, fcinfo->flinfo->fn_mcxt);
	ReleaseSysCache(tuple);
	fcinfo->flinfo->fn_extra = call;
	return call;
}

/*
 * Call a function with the first of some arguments of another, and where its result goes.  A last
 * argument that is not NULL follows them, and nulls before it.
 */
static Datum
call_with_arguments(FmgrInfo *function, FunctionCallInfo fcinfo, const NullableDatum *args,
					const char *last, bool *isnull)
{
	LOCAL_FCINFO(inner, FUNC_MAX_ARGS);
	Datum		result;
	int			i;

	InitFunctionCallInfoData(*inner, function, function->fn_nargs, fcinfo->fncollation,
							 fcinfo->context, fcinfo->resultinfo);
	memcpy(inner->args, args, Min(function->fn_nargs, fcinfo->nargs) * sizeof(NullableDatum));
	for (i = fcinfo->nargs; i < function->fn_nargs; i++)
		inner->args[i].isnull = true;
	if (last != NULL)
	{
		inner->args[function->fn_nargs - 1].value = CStringGetTextDatum(last);
		inner->args[function->fn_nargs - 1].isnull = false;
	}
	result = FunctionCallInvoke(inner);
	*isnull = inner->isnull;
	return result;
}

/*
 * Call the body.  One that is strict gets no null, though the caller may have left out a pool: it
 * returns null, or no rows.
 */
static Datum
call_body(FunctionCallInfo fcinfo, EntryCall *call, const NullableDatum *args, bool *isnull)
{
	int			i;

	for (i = 0; i < fcinfo->nargs && call->body.fn_strict; i++)
		if (args[i].isnull)
		{
			if (fcinfo->flinfo->fn_retset)
				((ReturnSetInfo *) fcinfo->resultinfo)->isDone = ExprEndResult;
			*isnull = true;
			return (Datum) 0;
		}
	return call_with_arguments(&call->body, fcinfo, args,
							   call->entry->body != NULL ? call->entry->function : NULL, isnull);
}

/*
 * The same once the ladder is entered.  Who calls a function by rights of their own is told whose
 * rights an error without a hint is about; the name is looked up before there is an error.
 */
static Datum
call_inside(FunctionCallInfo fcinfo, EntryCall *call, const NullableDatum *args, Oid owner,
			bool *isnull)
{
	MemoryContext context = CurrentMemoryContext;
	char	   *hint = owner_lacks_hint(owner);
	Datum		result;

	PG_TRY();
	{
		result = call_body(fcinfo, call, args, isnull);
	}
	PG_CATCH();
	{
		MemoryContextSwitchTo(context);
		rethrow_with_hint(hint);
	}
	PG_END_TRY();
	return result;
}

/*
 * ---- The rating pool that a function is about ----
 */

/* Messages name so many. */
#define MAX_NAMED 10

/*
 * A range, and not =, for the sake of the planner: it expects few rows in one, and goes by the index
 * on pool and rating.  Where the owner has dropped that, any row of the pool that comes first will do.
 */
static LadderQuery has_pool_query = {
	.text = "SELECT FROM {rating} AS r WHERE r.pool OPERATOR(pg_catalog.>=) $1 "
	"AND r.pool OPERATOR(pg_catalog.<=) $1 LIMIT 1",
	.param = {VALUE_TEXT}
};

/* From pool to pool by that index. */
static LadderQuery pools_query = {
	.text = "WITH RECURSIVE p AS ((SELECT r.pool FROM {rating} AS r ORDER BY r.pool LIMIT 1) "
	"UNION ALL SELECT (SELECT r.pool FROM {rating} AS r WHERE r.pool OPERATOR(pg_catalog.>) p.pool "
	"ORDER BY r.pool LIMIT 1) FROM p WHERE p.pool IS NOT NULL) "
	"SELECT p.pool FROM p WHERE p.pool OPERATOR(pg_catalog.<>) '" SHARED_POOL "' "
	"LIMIT 1 + " CppAsString2(MAX_NAMED)
};

/* The pools that the last query has found, for a message. */
static char *
pool_list(int n)
{
	StringInfoData list;
	int			i;

	initStringInfo(&list);
	for (i = 0; i < Min(n, MAX_NAMED); i++)
		appendStringInfo(&list, "%s\"%s\"", i > 0 ? ", " : "",
						 SPI_getvalue(SPI_tuptable->vals[i], SPI_tuptable->tupdesc, ONLY_COLUMN));
	if (n > MAX_NAMED)
		appendStringInfoString(&list, " and more");
	return list.data;
}

/* A pool is not among the first n, which the last query has found. */
static void
report_unknown_pool(const Ladder *ladder, PoolUse use, const char *pool, int n)
{
	if (use == POOL_OF_BOARD)
		ereport(ERROR,
				(errcode(ERRCODE_UNDEFINED_OBJECT),
				 errmsg("ladder \"%s\" has no rating pool \"%s\"", ladder->name, pool),
				 errhint_plural("Its rating pool is %s.", "Its rating pools are %s.", n,
								pool_list(n))));
	/* The call that this one is a part of has said it. */
	if (!ladder->nested)
		ereport(NOTICE,
				(errmsg("ladder \"%s\" has no rating pool \"%s\" yet", ladder->name, pool),
				 errdetail("All players are newcomers there."),
				 errhint_plural("Its rating pool is %s.", "Its rating pools are %s.", n,
								pool_list(n))));
}

/*
 * The pool for a use other than POOL_AS_GIVEN, in a ladder that was entered: the one that is given,
 * or, where that is null, the only one of the ladder, or that of matches without one ('') if it has
 * none.
 * Errors: 22023 for null if it has several, 42704 on a board for one that it has not, unless it has
 * none; a forecast has a notice instead.  Both name the pools.
 */
static Datum
ladder_pool(const Ladder *inside, PoolUse use, NullableDatum given)
{
	MemoryContext caller = CurrentMemoryContext;
	Ladder	   *ladder = ladder_open(inside);
	int			n;

	if (given.isnull || ladder_execute(ladder, &has_pool_query, &given.value, NULL, NULL) == 0)
	{
		n = (int) ladder_execute(ladder, &pools_query, NULL, NULL, NULL);
		if (!given.isnull && n > 0)
			report_unknown_pool(ladder, use, TextDatumGetCString(given.value), n);
		else if (n > 1)
			ereport(ERROR,
					(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
					 errmsg("ladder \"%s\" has several rating pools: %s", ladder->name, pool_list(n)),
					 errhint("Pass one of them as pool.")));
		else if (given.isnull)
		{
			char	   *only = n == 0 ? "" : SPI_getvalue(SPI_tuptable->vals[0],
														 SPI_tuptable->tupdesc, ONLY_COLUMN);

			MemoryContextSwitchTo(caller);
			given.value = CStringGetTextDatum(only);
		}
	}
	ladder_close(ladder);
	return given.value;
}

/*
 * ---- Entering ----
 */

pg_noreturn static void
report_renamed(const char *name)
{
	ereport(ERROR,
			(errcode(ERRCODE_T_R_SERIALIZATION_FAILURE),
			 errmsg("ladder \"%s\" was renamed meanwhile", name),
			 errhint("Try again.")));
}

/*
 * Enter the ladders that the first arguments name, none if one is null.
 * Returns how many there are.
 */
static int
enter_ladders(FunctionCallInfo fcinfo, const LadderEntry *entry, Ladder **entered)
{
	char	   *name[2];
	Oid			maintained[2];
	Oid			schema[2];
	bool		swapped = false;
	int			i;

	for (i = 0; i < entry->nladders; i++)
	{
		if (PG_ARGISNULL(i))
			return 0;
		name[i] = text_to_cstring(PG_GETARG_TEXT_PP(i));
	}

	/* Whoever takes the same two locks them in the same order. */
	if (entry->nladders == 2)
		swapped = ladder_schema(name[1]) < ladder_schema(name[0]);
	for (i = 0; i < entry->nladders && entry->maintains; i++)
	{
		int			next = swapped ? 1 - i : i;

		maintained[next] = ladder_lock(name[next], entry, true);
	}
	for (i = 0; i < entry->nladders; i++)
	{
		int			next = swapped ? 1 - i : i;

		schema[next] = ladder_lock(name[next], entry, false);
		if (entry->maintains && schema[next] != maintained[next])
			report_renamed(name[next]);
	}

	/* One owner, who does the work on both. */
	if (entry->nladders == 2 && ladder_owner(schema[0]) != ladder_owner(schema[1]))
		ereport(ERROR,
				(errcode(ERRCODE_INSUFFICIENT_PRIVILEGE),
				 errmsg("ladders \"%s\" and \"%s\" belong to different roles",
						name[0], name[1])));
	for (i = 0; i < entry->nladders && (i == 0 || schema[1] != schema[0]); i++)
	{
		entered[i] = ladder_begin(schema[i], entry);

		/*
		 * Where renaming does not wait for the lock, it can come between the
		 * two.
		 */
		if (strcmp(entered[i]->name, name[i]) != 0)
			report_renamed(name[i]);
	}
	return i;
}

/* Finish the work of an entry outside of the ladder, for which it has the name only. */
static void
finish_as_caller(FunctionCallInfo fcinfo, EntryCall *call, Oid schema)
{
	const char *name = text_to_cstring(PG_GETARG_TEXT_PP(0));
	bool		isnull;

	(void) call_with_arguments(&call->as_caller, fcinfo, fcinfo->args, NULL, &isnull);
	if (ladder_schema(name) != schema)
		report_renamed(name);
}

/*
 * Identifiers come in any type, and a body turns them into that of the ladder: by a cast
 * that whoever owns their type may have made, and that would run as the ladder's owner.
 * So they must be of types of the server's, or of the ladder's own.  A domain is what
 * it is made of: it has neither casts nor an output function of its own, and its checks
 * ran when the caller made the value.
 */
static void
check_arguments(FunctionCallInfo fcinfo, const EntryCall *call, const Ladder *ladder)
{
	int			i;

	for (i = 0; i < call->nidentifiers; i++)
	{
		int			argument = call->identifier[i];
		Oid			type = get_fn_expr_argtype(fcinfo->flinfo, argument);
		Oid			element = get_base_element_type(type);
		Oid			base;

		if (OidIsValid(element))
			type = element;
		base = getBaseType(type);
		if (base < FirstNormalObjectId ||
			type == ladder->player_type->type || base == ladder->player_type->type ||
			type == ladder->match_type->type || base == ladder->match_type->type)
			continue;
		ereport(ERROR,
				(errcode(ERRCODE_DATATYPE_MISMATCH),
				 errmsg("identifiers of ladder \"%s\" cannot be given as %s",
						ladder->name, format_type_be(type)),
				 errhint("Cast them to the type of the ladder, or to text.")));
	}
}

/*
 * At READ COMMITTED a statement that has waited to enter for whoever has renamed or
 * rewritten tables of the ladder has a snapshot from before, under which they look empty, or
 * have other columns than the catalogs say.  So the body of a function that reads gets a new
 * one; true if there is one to be popped.  At the higher levels entering has raised an error.
 */
static bool
push_newer_snapshot(Ladder *const *entered, int nentered)
{
	int			i;

	if (IsolationUsesXactSnapshot() || !ActiveSnapshotSet())
		return false;
	for (i = 0; i < nentered; i++)
	{
		Oid			relid = entered[i]->relation[LADDER_CONFIG];

		if (OidIsValid(relid) && !snapshot_knows(GetActiveSnapshot(), relid))
		{
			PushActiveSnapshot(GetTransactionSnapshot());
			return true;
		}
	}
	return false;
}

/*
 * No match comes behind an infinite time, or none before it.  An operation further ahead than a day
 * would keep matches of today from being rated, as a match at that time would, which is unrated with
 * reason future_time.
 */
static void
check_time(const LadderEntry *entry, TimestampTz at)
{
	if (TIMESTAMP_NOT_FINITE(at))
		ereport(ERROR,
				(errcode(ERRCODE_DATETIME_VALUE_OUT_OF_RANGE),
				 errmsg("at must be finite, not %s", timestamptz_to_str(at))));
	if (entry->rights == RIGHTS_OF_OWNER &&
		at > GetCurrentTransactionStartTimestamp() + USECS_PER_DAY)
		ereport(ERROR,
				(errcode(ERRCODE_DATETIME_VALUE_OUT_OF_RANGE),
				 errmsg("at must not be more than a day ahead, not %s", timestamptz_to_str(at)),
				 errhint("Call the function when the time has come.")));
}

/* Check the arguments at, n and min_games: times as above, and counts that are not negative. */
static void
check_ranges(FunctionCallInfo fcinfo, const EntryCall *call)
{
	int			i;

	if (call->at >= 0 && !PG_ARGISNULL(call->at))
		check_time(call->entry, PG_GETARG_TIMESTAMPTZ(call->at));
	for (i = 0; i < (int) lengthof(call->count); i++)
	{
		int			argument = call->count[i];
		int64		value;

		if (argument < 0 || PG_ARGISNULL(argument))
			continue;
		value = get_fn_expr_argtype(fcinfo->flinfo, argument) == INT4OID ?
			PG_GETARG_INT32(argument) : PG_GETARG_INT64(argument);
		if (value < 0)
			ereport(ERROR,
					(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
					 errmsg("%s must not be negative, not " INT64_FORMAT,
							i == 0 ? "n" : "min_games", value)));
	}
}

static EntryCall *
checked_call(FunctionCallInfo fcinfo, PGFunction body)
{
	EntryCall  *call = entry_call(fcinfo, body);
	int			i;

	for (i = 0; i < fcinfo->nargs; i++)
		if (PG_ARGISNULL(i) && call->required[i] != NULL)
			ereport(ERROR,
					(errcode(ERRCODE_NULL_VALUE_NOT_ALLOWED),
					 errmsg("argument %s of %s() must not be null",
							call->required[i], call->entry->function)));
	check_ranges(fcinfo, call);
	return call;
}

/* Any function that works on a ladder, by its body in C, or NULL for that in skillrating_internal. */
Datum
enter_ladder(FunctionCallInfo fcinfo, PGFunction body)
{
	EntryCall  *call = checked_call(fcinfo, body);
	Ladder	   *entered[2];
	int			nentered = enter_ladders(fcinfo, call->entry, entered);
	Oid			schema = nentered > 0 ? entered[0]->schema : InvalidOid;
	bool		newer = push_newer_snapshot(entered, nentered);
	bool		reports = false;
	NullableDatum args[FUNC_MAX_ARGS];
	bool		isnull;
	Datum		result;

	if (nentered > 0)
		check_arguments(fcinfo, call, entered[0]);
	memcpy(args, fcinfo->args, fcinfo->nargs * sizeof(NullableDatum));
	if (nentered > 0 && call->entry->pool != POOL_AS_GIVEN)
	{
		args[call->pool].value = ladder_pool(entered[0], call->entry->pool, args[call->pool]);
		args[call->pool].isnull = false;
	}
	if (nentered > 0 && call->entry->work != WORK_NONE)
	{
		reports = progress_begin(call->entry->work, schema, entered[0]->owner);
		if (reports && call->entry->phase != PHASE_BEGINNING)
			progress_phase(call->entry->phase, PROGRESS_UNKNOWN);
	}
	result = nentered > 0 ? call_inside(fcinfo, call, args, entered[0]->owner, &isnull) :
		call_body(fcinfo, call, args, &isnull);
	progress_end(reports);
	if (newer)
		PopActiveSnapshot();
	while (nentered > 0)
		ladder_end(entered[--nentered]);
	if (call->entry->as_caller != NULL && OidIsValid(schema))
		finish_as_caller(fcinfo, call, schema);
	fcinfo->isnull = isnull;
	return result;
}

SQL_FUNCTION(skillrating_enter)
{
	return enter_ladder(fcinfo, NULL);
}

/*
 * ---- The list in SQL ----
 */

/* The privileges that an entry takes, as in "SELECT on event, INSERT on match". */
static char *
privilege_text(const LadderEntry *entry)
{
	StringInfoData text;
	int			i;

	if (entry->rights == RIGHTS_OF_OWNER)
		return pstrdup("to be the ladder's owner");
	if (entry->rights == RIGHTS_TO_CREATE)
		return pstrdup("CREATE on the database");
	initStringInfo(&text);
	for (i = 0; entry->privilege[i].relation != NULL; i++)
		appendStringInfo(&text, "%s%s on %s", i > 0 ? ", " : "",
						 entry->privilege[i].mode == ACL_SELECT ? "SELECT" : "INSERT",
						 entry->privilege[i].relation);
	return text.data;
}

/* ladder_entries() */
SQL_FUNCTION(skillrating_ladder_entries)
{
	int			i;

	InitMaterializedSRF(fcinfo, 0);
	for (i = 0; i < (int) lengthof(entries); i++)
	{
		const LadderEntry *entry = &entries[i];
		ResultRow	row = {0};

		put_text(&row, entry->function);
		put_text(&row, entry->nladders == 0 ? "caller" : "owner");
		put_text(&row, entry->lockmode == NoLock ? NULL :
				 GetLockmodeName(DEFAULT_LOCKMETHOD, entry->lockmode));
		put_text(&row, privilege_text(entry));
		add_result_row(fcinfo, &row);
	}
	return (Datum) 0;
}
