/*
 * filters.c
 *		Which matches and players count in a ladder, by its operations.
 *
 * Whoever rates reads table operation under a lock that keeps out maintenance, which writes it.
 */
#include "pg/ladder/rate/filters.h"

#include "access/table.h"
#include "access/xact.h"
#include "catalog/pg_am.h"
#include "catalog/pg_class.h"
#include "miscadmin.h"
#include "storage/bufmgr.h"
#include "utils/builtins.h"
#include "utils/jsonb.h"
#include "utils/rel.h"
#include "utils/timestamp.h"

#include "pg/ladder/entry/entry.h"
#include "pg/ladder/entry/plans.h"
#include "pg/sql/json.h"

/*
 * Players who are merged into others, and who are excluded for a time, and rules of
 * eligibility.  The number of an operation says when it was declared, while a ladder that
 * reorders may give it another place.
 */
static LadderQuery read_filters_query = {
	.text = "SELECT kind, since, COALESCE(until, 'infinity'), params, player_id, into_id FROM {operation} WHERE "
	OPERATION_FILTERS " ORDER BY operation"
};

typedef struct Exclusion
{
	TimestampTz since;
	TimestampTz until;
	struct Exclusion *next;
} Exclusion;

/* Rules for matches from a time on. */
typedef struct EligibilitySince
{
	TimestampTz since;
	const ParamValue *rules;	/* NULL: none is in force */
} EligibilitySince;

struct Filters
{
	IdType	   *type;
	IdTable    *merged;			/* to the identifier that counts */
	IdTable    *excluded;		/* to Exclusion */
	EligibilitySince *eligibility;	/* in the order in which they were
									 * declared */
	int			neligibility;
	int			max_eligibility;
};

/*
 * The row is freed with the result of the query, so that the identifier is copied; the table
 * copies its key itself.
 */
static void
add_merge(Filters *filters, Datum player, Datum into)
{
	Datum	   *copy = palloc_object(Datum);

	*copy = id_copy(filters->type, into);
	id_table_set(filters->merged, player, copy);
}

static void
add_exclusion(Filters *filters, Datum player, TimestampTz since,
			  TimestampTz until)
{
	Exclusion  *exclusion = palloc_object(Exclusion);
	bool		found;
	void	  **place = id_table_enter(filters->excluded, player, "", &found);

	/*
	 * Several exclusions of one player are a list, in no order: any of them
	 * excludes.
	 */
	exclusion->since = since;
	exclusion->until = until;
	exclusion->next = *place;
	*place = exclusion;
}

/* Rules of eligibility in the current context, or NULL if none is in force. */
static const ParamValue *
read_rules(Jsonb *json)
{
	const ParamValue *rules = get_params(&eligibility_params, json);

	return eligibility_limits_newcomers(rules) || eligibility_limits_repeats(rules) ? rules : NULL;
}

/*
 * Add a filter of a kind, as its row in operation has it.  The rows come in the order of
 * declaration. A later merge of the same account replaces the earlier one, and of two rules the
 * later one is found first by eligibility_at().
 */
static void
add_filter(void *arg, QueryRow row)
{
	Filters    *filters = (Filters *) arg;
	char	   *kind = next_text(&row);
	TimestampTz since = next_time(&row);
	TimestampTz until = next_time(&row);
	Datum		params = next_datum(&row);
	bool		of_player = !next_is_null(&row);
	Datum		player = next_datum(&row);

	if (strcmp(kind, "eligibility") == 0)
	{
		EligibilitySince *declared;

		huge_array_grow_for_next(filters->eligibility, EligibilitySince, filters->neligibility,
								 filters->max_eligibility);
		declared = &filters->eligibility[filters->neligibility++];
		declared->since = since;
		declared->rules = read_rules(DatumGetJsonbP(params));
	}
	else if (of_player && strcmp(kind, "merge") == 0)
	{
		/* Only an owner who writes to the table leaves it out. */
		if (!next_is_null(&row))
			add_merge(filters, player, next_datum(&row));
	}
	else if (of_player)
		add_exclusion(filters, player, since, until);
}

/* The rules in force that were declared last for matches played at a time, or NULL. */
static const ParamValue *
eligibility_at(const Filters *filters, TimestampTz played_at)
{
	int			i;

	for (i = filters->neligibility - 1; i >= 0; i--)
		if (filters->eligibility[i].since <= played_at)
			return filters->eligibility[i].rules;
	return NULL;
}

static LadderQuery has_filters_query = {
	.text = "SELECT FROM {operation} WHERE " OPERATION_FILTERS " LIMIT 1"
};

/*
 * Mostly the table of operations has never had a row, or none since it was emptied, which spares
 * the query.  At SERIALIZABLE that also notes that somebody has looked.
 */
bool
ladder_has_filters(Ladder *ladder)
{
	Relation	table;

	if (ladder->filters_known)
		return ladder->filters;
	table = table_open(ladder->relation[LADDER_OPERATION], AccessShareLock);
	ladder->filters = IsolationIsSerializable() ||
		table->rd_rel->relkind != RELKIND_RELATION ||
		table->rd_rel->relhassubclass || table->rd_rel->relam != HEAP_TABLE_AM_OID ||
		RelationGetNumberOfBlocks(table) > 0;
	table_close(table, NoLock);
	if (ladder->filters)
	{
		ladder->filters = ladder_execute(ladder, &has_filters_query, NULL, NULL, NULL) > 0;
		SPI_freetuptable(SPI_tuptable);
	}
	ladder->filters_known = true;
	return ladder->filters;
}

/*
 * In the current context, which belongs to the caller: filters are read once for a batch, under the
 * snapshot of the query, and kept for as long as the batch needs them.
 */
Filters *
read_filters(Ladder *ladder)
{
	Filters    *filters = palloc0_object(Filters);

	filters->type = ladder->player_type;
	filters->merged = id_table_create(ladder->player_type);
	filters->excluded = id_table_create(ladder->player_type);
	(void) ladder_execute_each(ladder, &read_filters_query, NULL, NULL, add_filter, filters);
	return filters;
}

/* From since on, and up to but not including until. */
static bool
is_excluded(const Filters *filters, Datum player, TimestampTz played_at)
{
	const Exclusion *exclusion = id_table_find(filters->excluded, player, "");

	for (; exclusion != NULL; exclusion = exclusion->next)
		if (played_at >= exclusion->since && played_at < exclusion->until)
			return true;
	return false;
}

/*
 * A chain of merges is at most as long as there are merges. The count ends the loop even where an
 * owner has written a cycle into the table.
 */
Datum
merged_player(const Filters *filters, Datum player, TimestampTz played_at,
			  bool *excluded)
{
	int			steps = id_table_count(filters->merged);
	const Datum *into;

	*excluded = is_excluded(filters, player, played_at);
	while (steps-- > 0 &&
		   (into = id_table_find(filters->merged, player, "")) != NULL)
	{
		player = *into;
		*excluded = *excluded || is_excluded(filters, player, played_at);
	}
	return player;
}

/* Whether a participant is a player who is before in the match by another account. */
static bool
has_other_account(const SourceMatch *match, int participant)
{
	const IdType *type = match->player_type;
	int			i;

	for (i = 0; i < participant; i++)
		if (id_equal(type, match->player_id[i], match->player_id[participant]) &&
			!id_equal(type, match->account_id[i], match->account_id[participant]))
			return true;
	return false;
}

void
filter_match(const Filters *filters, SourceMatch *match)
{
	IdType	   *type = match->player_type;
	bool		merged = false;
	int			i;

	match->eligibility = eligibility_at(filters, match->played_at);
	for (i = 0; i < match->n; i++)
	{
		bool		excluded;

		match->player_id[i] = merged_player(filters, match->account_id[i], match->played_at,
											&excluded);
		merged = merged || !id_equal(type, match->player_id[i], match->account_id[i]);
		if (excluded && match->set_aside.detail == NULL)
			match->set_aside = unrated(UNRATED_EXCLUDED_PLAYER,
									   psprintf("player %s is excluded",
												id_text(type, match->account_id[i])));
	}
	for (i = 0; i < match->n && merged && match->set_aside.detail == NULL; i++)
	{
		/* Each is compared with all before, and a match may have thousands. */
		CHECK_FOR_INTERRUPTS();
		if (has_other_account(match, i))
			match->set_aside = unrated(UNRATED_MERGED_ACCOUNTS,
									   psprintf("player %s takes part under two accounts",
												id_text(type, match->player_id[i])));
	}
}

void
check_accounts(IdType *type, const Datum *account, const Datum *player, int n)
{
	IdTable    *accounts = id_table_create(type);
	int			i;

	for (i = 0; i < n; i++)
	{
		bool		found;
		void	  **place = id_table_enter(accounts, player[i], "", &found);
		const Datum *other = *place;

		if (!found)
			*place = unconstify(Datum *, &account[i]);
		else if (!id_equal(type, *other, account[i]))
			ereport(ERROR,
					(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
					 errmsg("player %s takes part under two accounts",
							id_text(type, player[i])),
					 errdetail("Accounts %s and %s count as one player, see skillrating.merge_players().",
							   id_text(type, *other), id_text(type, account[i]))));
	}
}

/* counted_player(ladder, player_id) */
SQL_FUNCTION(skillrating_counted_player)
{
	text	   *account = PG_GETARG_TEXT_PP(1);
	MemoryContext caller = CurrentMemoryContext;
	Ladder	   *ladder = ladder_open_inside(fcinfo);
	text	   *result = account;

	if (ladder_has_filters(ladder))
	{
		IdType	   *type = ladder->player_type;
		Datum		id = id_from_text(type, text_to_cstring(account), "player_id");
		bool		excluded;	/* no matter */
		const char *player = id_text(type, merged_player(read_filters(ladder), id, DT_NOBEGIN,
														 &excluded));

		/* ladder_close() frees all but the result. */
		MemoryContextSwitchTo(caller);
		result = cstring_to_text(player);
	}
	ladder_close(ladder);
	PG_RETURN_TEXT_P(result);
}

double
filters_repeat_window(const Filters *filters)
{
	double		window = 0;
	int			i;

	for (i = 0; filters != NULL && i < filters->neligibility; i++)
	{
		const ParamValue *rules = filters->eligibility[i].rules;

		if (rules != NULL && eligibility_limits_repeats(rules))
			window = Max(window, rules[ELIGIBILITY_REPEAT_WINDOW].number);
	}
	return window;
}

bool
filters_have_rules(const Filters *filters)
{
	int			i;

	if (filters != NULL)
		for (i = 0; i < filters->neligibility; i++)
			if (filters->eligibility[i].rules != NULL)
				return true;
	return false;
}

/* check_eligibility(rules) */
SQL_FUNCTION(skillrating_check_eligibility)
{
	/* What says more about a rule, and that rule. */
	static const int refines[][2] = {
		{ELIGIBILITY_NEWCOMER_GAMES, ELIGIBILITY_MAX_NEWCOMER_SHARE},
		{ELIGIBILITY_REPEAT_WINDOW, ELIGIBILITY_MAX_REPEATS}
	};
	Jsonb	   *json = PG_GETARG_JSONB_P(0);
	JsonReader	reader;
	int			i;

	(void) get_params(&eligibility_params, json);
	json_reader_begin(&reader, json, "rules of eligibility", NULL);
	for (i = 0; i < (int) lengthof(refines); i++)
	{
		const char *name = param_spec(&eligibility_params, refines[i][0])->name;
		const char *of = param_spec(&eligibility_params, refines[i][1])->name;

		/* It would do nothing without that, and nobody would notice. */
		if (json_reader_find(&reader, name) && !json_reader_find(&reader, of))
			ereport(ERROR,
					(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
					 errmsg("rule \"%s\" of eligibility needs rule \"%s\"", name, of)));
	}
	PG_RETURN_VOID();
}
