/*
 * module.c
 *		The module, and the way from a core status to an error report.
 */
#include "pg/sql/glue.h"

#include "utils/guc.h"

#include "pg/sql/once.h"

PG_MODULE_MAGIC;

extern PGDLLEXPORT void _PG_init(void);

void
_PG_init(void)
{
	memory_limit_define();
	once_define();
	MarkGUCPrefixReserved("skillrating");
}

void
report_null(const char *name)
{
	ereport(ERROR,
			(errcode(ERRCODE_NULL_VALUE_NOT_ALLOWED),
			 errmsg("%s must not be null", name)));
}

void
report_number(const char *name, const char *must, double value)
{
	ereport(ERROR,
			(errcode(ERRCODE_NUMERIC_VALUE_OUT_OF_RANGE),
			 errmsg("%s must %s, not %g", name, must, value)));
}

void
report_match_status(MatchStatus status, double value, const char *player)
{
	const char *hint = match_status_hint(status);
	int			code = ERRCODE_INVALID_PARAMETER_VALUE;

	if (status == MATCH_TOO_MANY_PARTICIPANTS || status == MATCH_TOO_MANY_TEAMS)
		code = ERRCODE_PROGRAM_LIMIT_EXCEEDED;
	else if (status == MATCH_OVERFLOW)
		code = ERRCODE_NUMERIC_VALUE_OUT_OF_RANGE;

	ereport(ERROR,
			(errcode(code),
			 isnan(value) ?
			 errmsg("%s", match_status_message(status)) :
			 errmsg("%s: %g", match_status_message(status), value),
			 player ? errdetail("It is in a row of player %s.", player) : 0,
			 hint ? errhint("%s", hint) : 0));
}
