/*
 * source.c
 *		What matches are rated from.
 */
#include "pg/matches/source.h"

#include "miscadmin.h"
#include "utils/builtins.h"
#include "utils/datum.h"
#include "utils/float.h"
#include "utils/lsyscache.h"
#include "utils/timestamp.h"


#define IDENTIFIER(name, description) \
	{#name, NULL, "identifier", "yes", description}
#define TEXT(name, description) \
	{#name, "pg_catalog.text", "text", "no", description}
#define NUMBER(name, needed, description) \
	{#name, "pg_catalog.float8", "number", needed, description}
#define DURATION(name, description) \
	{#name, "pg_catalog.float8", "interval or number", "no", description}
#define BOOLEAN(name, needed, description) \
	{#name, "pg_catalog.float8", "boolean or number", needed, description}

#define TOO_MANY_PARTICIPANTS \
	"too many participants: more than " CppAsString2(MATCH_MAX_PARTICIPANTS)

/* Room for so many names at first. */
#define FIRST_NAMES 16

const SourceColumnSpec source_columns[SOURCE_NCOLUMNS] = {
	[SOURCE_MATCH_ID] = IDENTIFIER(match_id, "which match"),
	[SOURCE_PLAYED_AT] = {"played_at", "pg_catalog.timestamptz", "time", "yes", "when it was played"},
	[SOURCE_TEAM] = {"team", "pg_catalog.int4", "number", "yes", "number of the team within the match"},
	[SOURCE_PLAYER_ID] = IDENTIFIER(player_id, "which player"),
	[SOURCE_POOL] = TEXT(pool, "queue, mode or season whose ratings are its own"),
	[SOURCE_LOG_ODDS] = NUMBER(log_odds, "no", "log-odds of the context in favour of the first side"),
	[SOURCE_UNRATED_REASON] = TEXT(unrated_reason, "not null: keep the match and do not rate it"),
	[SOURCE_CONTEXT] = TEXT(context, "where or as what was played: a map, a surface, a hero"),
	[SOURCE_CLUB] = TEXT(club, "club, country or faction for which the player plays"),
	[SOURCE_TOURNAMENT] = TEXT(tournament, "tournament of which all games are a rating period"),
	[SOURCE_RANK] = NUMBER(rank, "one", "rank of the team, 1 is best and equal ranks are a draw"),
	[SOURCE_TEAM_SCORE] = NUMBER(team_score, "one", "score of the team, high is best"),
	[SOURCE_PLAYER_SCORE] = NUMBER(player_score, "one", "score of the player, summed for the team"),
	[SOURCE_WON] = BOOLEAN(won, "one", "whether the team won"),
	[SOURCE_WEIGHT] = NUMBER(weight, "no", "share of the match played, 1 by default"),
	[SOURCE_JOINED] = DURATION(joined, "when the stint began, seconds from the start"),
	[SOURCE_LEFT_AT] = DURATION(left_at, "when the stint ended, seconds from the start"),
	[SOURCE_COMMANDING] = NUMBER(commanding, "no", "share of the stint spent commanding, or seconds if more than 1"),
	[SOURCE_SIDE] = NUMBER(side, "no", "1 or 2, where sides differ"),
	[SOURCE_SQUAD] = NUMBER(squad, "no", "the same number for all who queued together"),
	[SOURCE_KILLS] = NUMBER(kills, "no", "kills of the player"),
	[SOURCE_DEATHS] = NUMBER(deaths, "no", "deaths of the player"),
	[SOURCE_QUIT] = BOOLEAN(quit, "no", "whether the player left early on purpose"),
	[SOURCE_EXPERIENCE] = NUMBER(experience, "no", "matches that the player had played before, also elsewhere"),
	[SOURCE_PLAYER_GAIN] = NUMBER(player_gain, "no", "weight of the player's update, 1 by default"),
	[SOURCE_FIXED] = BOOLEAN(fixed, "no", "whether the state of the player stays as it is, as before by default"),
};

const char *
source_column_name(SourceColumn column)
{
	return source_columns[column].name;
}

SourceColumns
source_columns_without(unsigned supports)
{
	/* What of a match a column is for, any of which makes use of it. */
	static const unsigned use[SOURCE_NCOLUMNS] = {
		[SOURCE_LOG_ODDS] = MODEL_LOG_ODDS,
		[SOURCE_CONTEXT] = MODEL_CONTEXT,
		[SOURCE_CLUB] = MODEL_CLUB,
		[SOURCE_WEIGHT] = MODEL_WEIGHT,
		[SOURCE_JOINED] = MODEL_WEIGHT | MODEL_COMMANDING,
		[SOURCE_LEFT_AT] = MODEL_WEIGHT | MODEL_COMMANDING,
		[SOURCE_COMMANDING] = MODEL_COMMANDING,
		[SOURCE_SIDE] = MODEL_SIDE,
		[SOURCE_SQUAD] = MODEL_SQUAD,
		[SOURCE_KILLS] = MODEL_COUNTS,
		[SOURCE_DEATHS] = MODEL_COUNTS,
		[SOURCE_QUIT] = MODEL_QUIT,
		[SOURCE_PLAYER_GAIN] = MODEL_GAIN
	};
	SourceColumns unused = 0;
	int			i;

	for (i = 0; i < SOURCE_NCOLUMNS; i++)
		if (use[i] != 0 && (use[i] & supports) == 0)
			unused |= SOURCE_COLUMNS(i);
	return unused;
}

SourceColumns
source_unused(const Model *model, const ParamValue *params)
{
	return source_columns_without(model_uses(model, params)) |
		(periods_are_tournaments(model, params) ? 0 : SOURCE_COLUMNS(SOURCE_TOURNAMENT));
}

SourceColumns
source_unread(Oid source, SourceColumns unused)
{
	bool		has_log_odds = (unused & SOURCE_COLUMNS(SOURCE_LOG_ODDS)) == 0 &&
		get_attnum(source, source_column_name(SOURCE_LOG_ODDS)) != InvalidAttrNumber;

	return has_log_odds ? unused & ~SOURCE_COLUMNS(SOURCE_SIDE) : unused;
}

StaticAssertDecl(SOURCE_NCOLUMNS - SOURCE_RANK == PARTICIPANT_NUMBERS,
				 "source columns and numbers of a participant differ");

/*
 * ---- Names ----
 */

/*
 * The number of a name, which the caller keeps until the next match, if it is new.  A match has few
 * of them.
 */
static int
source_names_enter(SourceNames *names, const char *name)
{
	int			i;

	for (i = 0; i < names->n; i++)
		if (strcmp(names->name[i], name) == 0)
			return i;
	if (names->n == names->max)
	{
		names->max = Max(FIRST_NAMES, 2 * names->max);
		huge_array_grow_in(names->context, names->name, const char *, names->max);
	}
	names->name[names->n] = name;
	return names->n++;
}

/*
 * ---- Matches ----
 */

/* Room for so many participants: at first from the current context. */
static void
reserve_participants(SourceMatch *match, int n)
{
	/* Later calls grow the arrays in the context that they are in. */
	huge_array_grow(match->participant, Participant, n);
	huge_array_grow(match->player_id, Datum, n);
	huge_array_grow(match->account_id, Datum, n);
	huge_array_grow(match->order, int, n);
	huge_array_grow(match->sorted_participant, Participant, n);
	huge_array_grow(match->sorted_id, Datum, n);
	match->max = n;
}

void
source_match_init(SourceMatch *match, IdType *match_type, IdType *player_type)
{
	memset(match, 0, sizeof(SourceMatch));
	match->match_type = match_type;
	match->player_type = player_type;
	match->contexts.context = match->clubs.context = CurrentMemoryContext;
	reserve_participants(match, 32);
}

void
source_match_lacks(const SourceMatch *match, SourceColumn column)
{
	bool		known = column != SOURCE_MATCH_ID && match->match_type != NULL;

	ereport(ERROR,
			(errcode(ERRCODE_NULL_VALUE_NOT_ALLOWED),
			 errmsg("%s must not be null", source_column_name(column)),
			 known ? errdetail("Match %s has a row without it.",
							   id_text(match->match_type, match->id)) : 0));
}

/* Keep the mistake whose text comes first, wherever its row stands. */
static void
keep_first(Unrated *kept, int reason, const char *text)
{
	if (kept->detail == NULL || strcmp(text, kept->detail) < 0)
		*kept = unrated(reason, text);
}

/* A required column is null, which is an error unless the match is tolerant. */
static void
note_null(SourceMatch *match, SourceColumn column)
{
	/*
	 * A query that is strict stops at the first mistake; a ladder keeps the
	 * match as unrated, with the mistake as the reason.
	 */
	if (!match->tolerant)
		source_match_lacks(match, column);
	keep_first(&match->fault, UNRATED_NULL_VALUE,
			   psprintf("%s is null", source_column_name(column)));
}

/* A row has no time; that may be a mistake, see SourceTimes. */
static void
note_no_time(SourceMatch *match)
{
	if (match->times == TIMES_REQUIRED ||
		(match->times == TIMES_LIKE_BEFORE && match->timed))
		note_null(match, SOURCE_PLAYED_AT);
}

/* A time is infinite, which is an error unless the match is tolerant. */
static void
note_infinite_time(SourceMatch *match)
{
	if (!match->tolerant)
		ereport(ERROR,
				(errcode(ERRCODE_DATETIME_VALUE_OUT_OF_RANGE),
				 errmsg("played_at must be finite, not %s",
						timestamptz_to_str(match->given_played_at)),
				 errhint("Leave it null where the time of a match is not known.")));
	keep_first(&match->fault, UNRATED_INFINITE_TIME,
			   TIMESTAMP_IS_NOEND(match->given_played_at) ?
			   "played_at is infinity" : "played_at is -infinity");
}

/* A number is NaN, which is a mistake, and not one that is absent. */
static void
note_nan(SourceMatch *match, SourceColumn column, const Datum *player)
{
	if (!match->tolerant)
		ereport(ERROR,
				(errcode(ERRCODE_NUMERIC_VALUE_OUT_OF_RANGE),
				 errmsg("%s must not be NaN", source_column_name(column)),
				 player != NULL ? errdetail("It is the value of player %s.",
											id_text(match->player_type, *player)) : 0));
	keep_first(&match->fault, UNRATED_NAN_VALUE,
			   psprintf("%s is NaN", source_column_name(column)));
}

/* Whether a row has something in a column that is not without use. */
static inline bool
row_has(const SourceMatch *match, const bool *nulls, SourceColumn column)
{
	return !nulls[column] && (match->unused & SOURCE_COLUMNS(column)) == 0;
}

static double
row_log_odds(const SourceMatch *match, const Datum *values, const bool *nulls)
{
	return row_has(match, nulls, SOURCE_LOG_ODDS) ? DatumGetFloat8(values[SOURCE_LOG_ODDS]) : 0;
}

/* What the core has in place of the name of a tournament; 0 for none. */
static double
row_tournament(const SourceMatch *match, const Datum *values, const bool *nulls)
{
	const text *name;

	if (!row_has(match, nulls, SOURCE_TOURNAMENT))
		return 0;
	name = DatumGetTextPP(values[SOURCE_TOURNAMENT]);
	return period_tournament_key(VARDATA_ANY(name), VARSIZE_ANY_EXHDR(name));
}

/*
 * A text is too long: ladders have it in the keys of an index.  The same texts count in a query,
 * so that a ladder is what a query says.
 */
static void
note_long_name(SourceMatch *match, SourceColumn column, const char *name)
{
	if (!match->tolerant)
		ereport(ERROR,
				(errcode(ERRCODE_STRING_DATA_RIGHT_TRUNCATION),
				 errmsg("%s has %zu bytes, more than %d", source_column_name(column),
						strlen(name), MAX_NAME_BYTES)));
	keep_first(&match->fault, UNRATED_LONG_NAME,
			   psprintf("%s is longer than %d bytes", source_column_name(column),
						MAX_NAME_BYTES));
}

void
source_match_begin(SourceMatch *match, const Datum *values, const bool *nulls)
{
	IdType	   *type = match->match_type;

	/*
	 * Texts and identifiers of the match are copied into the current context;
	 * the arrays stay from match to match.
	 */
	match->number++;
	match->n = 0;
	match->contexts.n = match->clubs.n = 0;
	match->unreadable = match->fault = match->set_aside = unrated_nothing;
	if (type != NULL)
	{
		if (nulls[SOURCE_MATCH_ID])
			source_match_lacks(match, SOURCE_MATCH_ID);
		match->id = datumCopy(values[SOURCE_MATCH_ID], type->typbyval, type->typlen);
	}
	match->no_played_at = nulls[SOURCE_PLAYED_AT];
	match->given_played_at = DT_NOBEGIN;
	if (match->no_played_at)
		note_no_time(match);
	else
		match->given_played_at = DatumGetTimestampTz(values[SOURCE_PLAYED_AT]);
	match->played_at = match->given_played_at;
	if (!TIMESTAMP_NOT_FINITE(match->played_at))
		match->timed = true;
	else if (!match->no_played_at)
	{
		note_infinite_time(match);
		match->played_at = DT_NOBEGIN;
	}
	match->pool = nulls[SOURCE_POOL] ? pstrdup("") :
		TextDatumGetCString(values[SOURCE_POOL]);
	if (strlen(match->pool) > MAX_NAME_BYTES)
		note_long_name(match, SOURCE_POOL, match->pool);
	match->log_odds = row_log_odds(match, values, nulls);
	match->tournament = row_tournament(match, values, nulls);
	match->arrived_at = DT_NOBEGIN;
	match->eligibility = NULL;
	match->unrated_reason = NULL;
	if (match->tolerant && isnan(match->log_odds))
		keep_first(&match->fault, UNRATED_NAN_VALUE, "log_odds is NaN");
}

void
source_match_arrive(SourceMatch *match, TimestampTz known_played_at,
					TimestampTz known_arrived_at)
{
	TimestampTz now;

	if (match->played_at == known_played_at)
	{
		match->arrived_at = known_arrived_at;
		return;
	}

	/* The clock of the machine, as a transaction may have begun long ago. */
	now = GetCurrentTimestamp();
	match->arrived_at = match->played_at > now + USECS_PER_DAY ? now : DT_NOBEGIN;
}

void
source_match_differs(SourceMatch *match, const char *name)
{
	if (!match->tolerant)
	{
		char	   *id = match->match_type == NULL ? NULL : id_text(match->match_type, match->id);

		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 id == NULL ? errmsg("%s of the match differs among its participants", name) :
				 errmsg("%s of match %s differs among its participants", name, id)));
	}
	keep_first(&match->fault, UNRATED_COLUMN_DIFFERS,
			   psprintf("%s differs among its participants", name));
}

/*
 * A column of the match is not the same in all its rows.  Of several times none is that of the
 * match.
 */
static void
column_differs(SourceMatch *match, SourceColumn column)
{
	if (match->tolerant && column == SOURCE_PLAYED_AT)
		keep_first(&match->unreadable, UNRATED_COLUMN_DIFFERS, PLAYED_AT_DIFFERS);
	else
		source_match_differs(match, source_column_name(column));
}

/* Columns of the match must be the same in all its rows. */
static void
check_match_columns(SourceMatch *match, const Datum *values, const bool *nulls)
{
	double		log_odds = row_log_odds(match, values, nulls);

	if (nulls[SOURCE_PLAYED_AT])
		note_no_time(match);
	if (match->no_played_at != nulls[SOURCE_PLAYED_AT] ||
		(!match->no_played_at &&
		 DatumGetTimestampTz(values[SOURCE_PLAYED_AT]) != match->given_played_at))
		column_differs(match, SOURCE_PLAYED_AT);
	if (nulls[SOURCE_POOL] ? match->pool[0] != '\0' :
		!same_text(values[SOURCE_POOL], match->pool))
		column_differs(match, SOURCE_POOL);

	if (log_odds != match->log_odds && !(isnan(log_odds) && isnan(match->log_odds)))
		column_differs(match, SOURCE_LOG_ODDS);
	if (row_tournament(match, values, nulls) != match->tournament)
		column_differs(match, SOURCE_TOURNAMENT);
	if (!nulls[SOURCE_UNRATED_REASON] &&
		(match->unrated_reason == NULL ||
		 !same_text(values[SOURCE_UNRATED_REASON], match->unrated_reason)))
	{
		const char *given = TextDatumGetCString(values[SOURCE_UNRATED_REASON]);

		/* Again the first, wherever its row stands. */
		if (match->unrated_reason == NULL || strcmp(given, match->unrated_reason) < 0)
			match->unrated_reason = given;
	}
}

/* The number of a context or a club, or -1 for one that is no name. */
static int
read_name(SourceMatch *match, SourceNames *names, SourceColumn column, Datum value)
{
	char	   *name;

	/* Mostly there is one for all, or it is that of the row before. */
	if (names->n > 0 && same_text(value, names->name[names->n - 1]))
		return names->n - 1;
	name = TextDatumGetCString(value);
	if (strlen(name) <= MAX_NAME_BYTES)
		return source_names_enter(names, name);
	note_long_name(match, column, name);
	return -1;
}

Participant *
source_match_add(SourceMatch *match, const Datum *values, const bool *nulls)
{
	IdType	   *type = match->player_type;
	Participant *p;
	Datum		id;
	int			i;

	check_match_columns(match, values, nulls);

	/* One more than the limit is enough to see that it is exceeded. */
	if (match->n > MATCH_MAX_PARTICIPANTS)
	{
		if (match->tolerant)
			keep_first(&match->unreadable, MATCH_TOO_MANY_PARTICIPANTS,
					   TOO_MANY_PARTICIPANTS);
		return NULL;
	}
	if (match->n == match->max)
		reserve_participants(match, 2 * match->max);

	/* Both, so that of two mistakes none is missed. */
	if (nulls[SOURCE_PLAYER_ID])
		note_null(match, SOURCE_PLAYER_ID);
	if (nulls[SOURCE_TEAM])
		note_null(match, SOURCE_TEAM);
	if (nulls[SOURCE_PLAYER_ID] || nulls[SOURCE_TEAM])
		return NULL;
	id = values[SOURCE_PLAYER_ID];
	p = &match->participant[match->n];
	*p = participant_default;
	p->player = 0;
	p->team = DatumGetInt32(values[SOURCE_TEAM]);
	for (i = SOURCE_RANK; i < SOURCE_NCOLUMNS; i++)
		if (row_has(match, nulls, i) || (i == SOURCE_SIDE && !nulls[i] && match->log_odds != 0))
		{
			p->number[i - SOURCE_RANK] = DatumGetFloat8(values[i]);
			if (isnan(p->number[i - SOURCE_RANK]))
				note_nan(match, i, &id);
		}
	if (row_has(match, nulls, SOURCE_CONTEXT))
		p->context = read_name(match, &match->contexts, SOURCE_CONTEXT, values[SOURCE_CONTEXT]);
	if (row_has(match, nulls, SOURCE_CLUB))
		p->club = read_name(match, &match->clubs, SOURCE_CLUB, values[SOURCE_CLUB]);

	/*
	 * A gain of 1 is none: it takes no room in histories, nor changes a
	 * digest.
	 */
	if (p->gain == 1)
		p->gain = participant_default.gain;
	match->account_id[match->n] = type->typbyval ? id :
		datumCopy(id, type->typbyval, type->typlen);
	match->player_id[match->n] = match->account_id[match->n];
	match->n++;
	return p;
}

static int
compare_numbers(double a, double b)
{
	/* What is absent comes last. */
	if (isnan(a) || isnan(b))
		return isnan(a) - isnan(b);
	return (a > b) - (a < b);
}

/* By their texts, as numbers go by the order of the rows. */
static int
compare_names(const SourceNames *names, int a, int b)
{
	if (a == b)
		return 0;
	if (a < 0 || b < 0)
		return a < 0 ? 1 : -1;
	return strcmp(names->name[a], names->name[b]);
}

static int
compare_participants(const void *a, const void *b, void *arg)
{
	const SourceMatch *match = (const SourceMatch *) arg;
	int			i = *(const int *) a;
	int			j = *(const int *) b;
	Participant *p = &match->participant[i];
	Participant *q = &match->participant[j];
	int			result = (p->team > q->team) - (p->team < q->team);
	int			column;

	/*
	 * The order is total for rows that differ in anything, so that a match
	 * has one order, one digest and one result however its rows were stored;
	 * those that do not differ stay as they came.
	 */
	if (result == 0)
		result = id_compare(match->player_type, match->account_id[i],
							match->account_id[j]);
	for (column = SOURCE_RANK; column < SOURCE_NCOLUMNS && result == 0; column++)
		result = compare_numbers(p->number[column - SOURCE_RANK],
								 q->number[column - SOURCE_RANK]);
	if (result == 0)
		result = compare_names(&match->contexts, p->context, q->context);
	if (result == 0)
		result = compare_names(&match->clubs, p->club, q->club);
	return result != 0 ? result : i - j;
}

void
source_match_sort(SourceMatch *match)
{
	Participant *old = match->participant;
	Datum	   *old_id = match->account_id;
	bool		sorted = true;
	int			i;

	for (i = 0; i < match->n; i++)
		match->order[i] = i;
	qsort_arg(match->order, match->n, sizeof(int), compare_participants, match);
	for (i = 0; i < match->n && sorted; i++)
		sorted = match->order[i] == i;
	if (sorted)
		return;
	for (i = 0; i < match->n; i++)
	{
		match->sorted_participant[i] = old[match->order[i]];
		match->sorted_id[i] = match->player_id[i] = old_id[match->order[i]];
	}
	match->participant = match->sorted_participant;
	match->sorted_participant = old;
	match->account_id = match->sorted_id;
	match->sorted_id = old_id;
}

/*
 * A match that cannot be read has no columns to judge by.  Then the word of the source counts
 * before mistakes of its rows.
 */
Unrated
source_match_reason(const SourceMatch *match)
{
	if (match->unreadable.detail != NULL)
		return match->unreadable;
	if (match->unrated_reason != NULL)
		return unrated(UNRATED_BY_SOURCE, match->unrated_reason);
	return match->fault;
}
