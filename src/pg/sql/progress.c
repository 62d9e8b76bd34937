/*
 * progress.c
 *		What other sessions can see of long work.
 */
#include "pg/sql/progress.h"

#include "access/xact.h"
#include "catalog/pg_authid.h"
#include "funcapi.h"
#include "utils/acl.h"
#include "utils/backend_progress.h"
#include "utils/backend_status.h"
#include "utils/lsyscache.h"
#include "utils/timestamp.h"

#include "pg/sql/composite.h"

/* None of the server's commands, which count from 0. */
#define PROGRESS_COMMAND_SKILLRATING ((ProgressCommandType) 0x534b)

/* Parameters of a report. */
enum
{
	PARAM_WORK,
	PARAM_PHASE,
	PARAM_DONE,
	PARAM_TOTAL,
	PARAM_STARTED_AT,
	PARAM_PHASE_STARTED_AT,
	PARAM_OWNER,				/* of the ladder */
	NPARAMS
};

/* Of many rows, or nobody knows how many, not each is reported. */
#define MANY_ROWS 65536
#define ROWS_BETWEEN_REPORTS 256

/* The outermost work of this session. */
static struct
{
	bool		active;
	int			nest_level;		/* of the subtransaction that began it */
	Oid			schema;
	int64		param[NPARAMS];
}			current;

static const char *const work_names[] = {
	[WORK_BACKFILL] = "backfill",
	[WORK_CATCH_UP] = "catch_up",
	[WORK_SHADOW_LADDER] = "shadow_ladder",
	[WORK_SOLVE_LADDER] = "solve_ladder",
	[WORK_SUGGEST_MODEL] = "suggest_model",
	[WORK_TUNE] = "tune",
	[WORK_VERIFY] = "verify",
};

static const char *const phase_names[] = {
	[PHASE_BEGINNING] = "beginning",
	[PHASE_SEARCHING] = "searching",
	[PHASE_RATING] = "rating",
	[PHASE_ORDERING] = "ordering",
	[PHASE_REPLAYING] = "replaying",
	[PHASE_WRITING] = "writing",
	[PHASE_READING] = "reading",
	[PHASE_SOLVING] = "solving",
	[PHASE_FITTING] = "fitting",
};

/*
 * ---- Reporting ----
 */

/* Whether the report in shared memory is ours. */
static bool
is_reported(void)
{
	return MyBEEntry != NULL &&
		MyBEEntry->st_progress_command == PROGRESS_COMMAND_SKILLRATING;
}

/* Make the report, whoever had its place before. */
static void
report(void)
{
	int			index[NPARAMS];
	int			i;

	StaticAssertStmt((int) NPARAMS <= PGSTAT_NUM_PROGRESS_PARAM,
					 "a report has more parameters than the server has room for");
	for (i = 0; i < NPARAMS; i++)
		index[i] = i;
	if (!is_reported())
		pgstat_progress_start_command(PROGRESS_COMMAND_SKILLRATING, current.schema);
	pgstat_progress_update_multi_param(NPARAMS, index, current.param);
}

/* The server itself ends the report of a (sub)transaction that is aborted. */
static void
at_end_of_subtransaction(SubXactEvent event, SubTransactionId id,
						 SubTransactionId parent, void *arg)
{
	(void) id;
	(void) parent;
	(void) arg;
	if (event == SUBXACT_EVENT_ABORT_SUB && current.active &&
		current.nest_level >= GetCurrentTransactionNestLevel())
		current.active = false;
}

static void
at_end_of_transaction(XactEvent event, void *arg)
{
	(void) event;
	(void) arg;
	current.active = false;
}

bool
progress_begin(LongWork work, Oid schema, Oid owner)
{
	static bool registered = false;
	TimestampTz now;

	if (current.active)
		return false;
	if (!registered)
	{
		RegisterXactCallback(at_end_of_transaction, NULL);
		RegisterSubXactCallback(at_end_of_subtransaction, NULL);
		registered = true;
	}
	now = GetCurrentTimestamp();
	current.active = true;
	current.nest_level = GetCurrentTransactionNestLevel();
	current.schema = schema;
	current.param[PARAM_WORK] = work;
	current.param[PARAM_PHASE] = PHASE_BEGINNING;
	current.param[PARAM_DONE] = PROGRESS_UNKNOWN;
	current.param[PARAM_TOTAL] = PROGRESS_UNKNOWN;
	current.param[PARAM_STARTED_AT] = now;
	current.param[PARAM_PHASE_STARTED_AT] = now;
	current.param[PARAM_OWNER] = (int64) owner;
	report();
	return true;
}

void
progress_since(TimestampTz started_at)
{
	if (!current.active)
		return;
	current.param[PARAM_STARTED_AT] = started_at;
	report();
}

void
progress_phase(WorkPhase phase, int64 total)
{
	if (!current.active)
		return;
	current.param[PARAM_PHASE] = phase;
	current.param[PARAM_DONE] = PROGRESS_UNKNOWN;
	current.param[PARAM_TOTAL] = total;
	current.param[PARAM_PHASE_STARTED_AT] = GetCurrentTimestamp();
	report();
}

void
progress_done(int64 done)
{
	int64		before = current.param[PARAM_DONE];
	int64		total = current.param[PARAM_TOTAL];

	if (!current.active)
		return;
	if ((total < 0 || total >= MANY_ROWS) && done != total && before >= 0 &&
		done >= before && done - before < ROWS_BETWEEN_REPORTS)
		return;
	current.param[PARAM_DONE] = done;
	if (is_reported())
		pgstat_progress_update_param(PARAM_DONE, done);
	else
		report();
}

void
progress_end(bool begun)
{
	if (!begun)
		return;
	current.active = false;
	if (is_reported())
		pgstat_progress_end_command();
}

/*
 * ---- Reading ----
 */

/* Whether the current role may see a report. */
static bool
may_see(const PgBackendStatus *status)
{
	Oid			role = GetUserId();
	Oid			owner = (Oid) status->st_progress_param[PARAM_OWNER];

	return has_privs_of_role(role, ROLE_PG_READ_ALL_STATS) ||
		(OidIsValid(status->st_userid) && has_privs_of_role(role, status->st_userid)) ||
		(OidIsValid(owner) && has_privs_of_role(role, owner));
}

/* A row of progress(). */
static void
show_report(FunctionCallInfo fcinfo, const PgBackendStatus *status)
{
	const int64 *param = status->st_progress_param;
	int64		work = param[PARAM_WORK];
	int64		phase = param[PARAM_PHASE];
	ResultRow	row = {0};

	/* Another version of the library may have made it. */
	if (work <= WORK_NONE || work >= (int64) lengthof(work_names) ||
		phase < 0 || phase >= (int64) lengthof(phase_names))
		return;
	put_int32(&row, status->st_procpid);
	put_text(&row, work_names[work]);
	put_text(&row, get_namespace_name(status->st_progress_command_target));
	put_text(&row, phase_names[phase]);
	put_datum(&row, Int64GetDatum(param[PARAM_DONE]), param[PARAM_DONE] < 0);
	put_datum(&row, Int64GetDatum(param[PARAM_TOTAL]), param[PARAM_TOTAL] < 0);
	put_time(&row, param[PARAM_STARTED_AT]);
	put_time(&row, param[PARAM_PHASE_STARTED_AT]);
	add_result_row(fcinfo, &row);
}

/* progress() */
SQL_FUNCTION(skillrating_progress)
{
	int			n;
	int			i;

	InitMaterializedSRF(fcinfo, 0);

	/* Each call shows the present, also within one transaction. */
	pgstat_clear_backend_activity_snapshot();
	n = pgstat_fetch_stat_numbackends();
	for (i = 1; i <= n; i++)
	{
		const LocalPgBackendStatus *local = pgstat_get_local_beentry_by_index(i);

		if (local != NULL && local->backendStatus.st_procpid > 0 &&
			local->backendStatus.st_databaseid == MyDatabaseId &&
			local->backendStatus.st_progress_command == PROGRESS_COMMAND_SKILLRATING &&
			may_see(&local->backendStatus))
			show_report(fcinfo, &local->backendStatus);
	}
	return (Datum) 0;
}
