/*
 * plans.c
 *		Queries on a ladder, and their plans.
 *
 * The texts that are planned have names looked up by OID and printed back
 * qualified, the operators of identifiers too, so that no search_path has a say.
 */
#include "pg/ladder/entry/plans.h"

#include "access/htup_details.h"
#include "miscadmin.h"
#include "tcop/dest.h"
#include "utils/builtins.h"
#include "utils/lsyscache.h"
#include "utils/plancache.h"
#include "utils/snapmgr.h"

#include "pg/ladder/entry/settings.h"
#include "pg/ladder/entry/shape.h"

/*
 * ---- Texts ----
 */

/* The part of the query's own; false if it has none of that name. */
static bool
append_part(QueryDraft *draft, const char *name)
{
	if (draft->query->part.name == NULL || strcmp(draft->query->part.name, name) != 0)
		return false;
	draft->query->part.append(draft);
	return true;
}

/*
 * A relation by its fixed name; false if that is none.  That of a horizon which the ladder does
 * not have is empty.
 */
static bool
append_relation(QueryDraft *draft, const char *name)
{
	LadderRelation relation = ladder_relation_named(name);

	if (relation == LADDER_NRELATIONS)
		return false;
	if ((relation == LADDER_HORIZON || relation == LADDER_COMPONENT_HORIZON) &&
		!OidIsValid(draft->ladder->relation[relation]))
	{
		appendStringInfo(&draft->sql, "(SELECT * FROM %s WHERE false)",
						 ladder_relation_sql(draft->ladder->cache,
											 relation == LADDER_HORIZON ?
											 LADDER_RATING : LADDER_COMPONENT));
		return true;
	}
	draft->query->relations |= 1U << relation;
	appendStringInfoString(&draft->sql,
						   ladder_relation_sql(draft->ladder->cache, relation));
	return true;
}

/* Something of the type of players or matches; false if what is neither. */
static bool
append_id_syntax(QueryDraft *draft, const char *what, const char *syntax)
{
	const IdType *type = strcmp(what, "player") == 0 ? draft->ladder->player_type :
		strcmp(what, "match") == 0 ? draft->ladder->match_type : NULL;

	if (type == NULL)
		return false;
	if (strcmp(syntax, "=") == 0)
		appendStringInfoString(&draft->sql, type->equals);
	else if (strcmp(syntax, "order") == 0)
		appendStringInfoString(&draft->sql, type->order);
	else if (strcmp(syntax, "type") == 0)
		appendStringInfoString(&draft->sql, type->name);
	else
		return false;
	return true;
}

/* A list of the columns of a table; false if there is no such list. */
static bool
append_table_list(QueryDraft *draft, const char *name, const char *list,
				  const char *prefix)
{
	const LadderTable *table = ladder_table_named(name);

	if (table == NULL)
		return false;
	if (strcmp(list, "columns") == 0)
		append_columns(&draft->sql, table, draft->ladder->model, prefix);
	else if (strcmp(list, "set") == 0)
		append_assignments(&draft->sql, table, draft->ladder->model, prefix);
	else
		return false;
	return true;
}

/* Append the text for the words of a placeholder; false if they mean nothing. */
static bool
append_words(QueryDraft *draft, char **word, int nwords)
{
	if (nwords == 0)
		return false;
	if (strcmp(word[0], "states") == 0)
	{
		append_states(&draft->sql, draft->ladder->model,
					  nwords > 1 ? psprintf("%s.", word[1]) : "",
					  nwords > 2 ? word[2] : "");
		return true;
	}
	if (strcmp(word[0], "this") == 0)
	{
		appendStringInfoString(&draft->sql, quote_literal_cstr(draft->ladder->name));
		return true;
	}
	if (strcmp(word[0], "own") == 0 && nwords == 2)
	{
		appendStringInfoString(&draft->sql, quote_qualified_identifier(draft->ladder->name, word[1]));
		return true;
	}
	if (nwords == 1)
		return append_part(draft, word[0]) || append_relation(draft, word[0]);
	return (nwords == 2 && append_id_syntax(draft, word[0], word[1])) ||
		append_table_list(draft, word[0], word[1],
						  nwords > 2 ? psprintf("%s.", word[2]) : "");
}

/* Append the text for a placeholder. */
static void
append_placeholder(QueryDraft *draft, const char *placeholder)
{
	char	   *word[3];
	char	   *rest;
	char	   *next = strtok_r(pstrdup(placeholder), " ", &rest);
	int			nwords = 0;

	for (; next != NULL && nwords < 3; next = strtok_r(NULL, " ", &rest))
		word[nwords++] = next;
	if (next != NULL || !append_words(draft, word, nwords))
		elog(ERROR, "query has no part \"%s\": %s", placeholder,
			 draft->query->text);
}

/* Make the text of a query on a ladder. */
static void
make_query(QueryDraft *draft)
{
	const char *p = draft->query->text;

	initStringInfo(&draft->sql);
	while (*p != '\0')
	{
		size_t		length = strcspn(p, "{");

		appendBinaryStringInfo(&draft->sql, p, (int) length);
		p += length;
		if (*p == '{')
		{
			length = strcspn(++p, "}");
			append_placeholder(draft, pnstrdup(p, length));
			p += length + 1;
		}
	}
}

/*
 * ---- Plans ----
 */

/* The plan of a query: kept, or for many rows made for this once. */
static SPIPlanPtr
ladder_plan(Ladder *ladder, LadderQuery *query)
{
	static int	nslots = 0;
	LadderCache *cache;
	QueryDraft	draft = {.ladder = ladder,.query = query};
	Oid			param[MAX_QUERY_PARAMS];
	int			nparams;
	SPIPlanPtr	plan;

	if (!ladder->cache->valid)
		ladder_cache_recheck(ladder);
	cache = ladder->cache;
	if (query->slot == 0)
		query->slot = ++nslots;
	if (!ladder->large && query->slot < cache->nplans &&
		cache->plan[query->slot] != NULL)
		return cache->plan[query->slot];

	make_query(&draft);
	for (nparams = 0; query->param[nparams] != VALUE_NONE; nparams++)
		param[nparams] = ladder_type_oid(ladder, query->param[nparams]);
	plan = SPI_prepare_cursor(draft.sql.data, nparams, param,
							  ladder->large ? CURSOR_OPT_CUSTOM_PLAN :
							  CURSOR_OPT_GENERIC_PLAN);
	if (plan == NULL)
		elog(ERROR, "could not prepare \"%s\": %s", draft.sql.data,
			 SPI_result_code_string(SPI_result));
	if (!ladder->large)
		ladder_cache_keep_plan(cache, query->slot, plan);
	return plan;
}

/*
 * Whether a plan that is not about a relation of a ladder is about another one of its name, and
 * not only rid of it by a rule.
 */
static bool
is_about_other(const CachedPlanSource *source, const Ladder *ladder, LadderRelation relation)
{
	const char *name = get_rel_name(ladder->relation[relation]);
	ListCell   *cell;

	foreach(cell, source->relationOids)
	{
		const char *other = get_rel_name(lfirst_oid(cell));

		if (name == NULL || (other != NULL && strcmp(name, other) == 0))
			return true;
	}
	return false;
}

/*
 * Error unless a plan, which has just been used, with a result, is about the relations of the
 * ladder: their names lead elsewhere once the schema has been renamed and another
 * has got its name.  Of those that not every ladder has, this one may have none.  A plan that was made
 * for this once (once) goes, because there may be one for each of many matches.
 */
static void
end_plan(const Ladder *ladder, const LadderQuery *query, SPIPlanPtr plan, bool once, int result)
{
	CachedPlanSource *source = linitial(SPI_plan_get_plan_sources(plan));
	int			i;

	if (result < 0)
		elog(ERROR, "could not run \"%s\" on ladder \"%s\": %s", query->text,
			 ladder->name, SPI_result_code_string(result));
	for (i = 0; i < LADDER_NRELATIONS; i++)
		if ((query->relations & (1U << i)) != 0 && OidIsValid(ladder->relation[i]) &&
			!list_member_oid(source->relationOids, ladder->relation[i]) &&
			is_about_other(source, ladder, i))
			ereport(ERROR,
					(errcode(ERRCODE_T_R_SERIALIZATION_FAILURE),
					 errmsg("relation %s was replaced during work on the ladder",
							ladder_relation_sql(ladder->cache, i)),
					 errhint("Try again.")));
	if (once)
		SPI_freeplan(plan);
}

/* The parameters of a plan, or NULL. */
static ParamListInfo
plan_params(SPIPlanPtr plan, const Datum *values, const bool *nulls)
{
	int			nargs = SPI_getargcount(plan);
	ParamListInfo params;
	int			i;

	if (nargs == 0)
		return NULL;
	params = makeParamList(nargs);
	for (i = 0; i < nargs; i++)
	{
		params->params[i].value = values[i];
		params->params[i].isnull = nulls ? nulls[i] : false;
		params->params[i].pflags = PARAM_FLAG_CONST;
		params->params[i].ptype = SPI_getargtypeid(plan, i);
	}
	return params;
}

uint64
ladder_execute(Ladder *ladder, LadderQuery *query, const Datum *values,
			   const bool *nulls, DestReceiver *dest)
{
	bool		once = ladder->large;
	SPIPlanPtr	plan;
	SPIExecuteOptions options = {0};
	int			result;

	if (!query->pinned && !ladder->state->pinned)
		ladder_settle(ladder);
	plan = ladder_plan(ladder, query);
	options.params = plan_params(plan, values, nulls);
	options.read_only = ladder->read_only;
	options.dest = dest;
	result = SPI_execute_plan_extended(plan, &options);
	end_plan(ladder, query, plan, once, result);
	return SPI_processed;
}

void
ladder_check_taken(const Ladder *ladder, uint64 taken, uint64 given)
{
	if (taken != given)
		ereport(ERROR,
				(errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
				 errmsg("ladder \"%s\" took " UINT64_FORMAT " of " UINT64_FORMAT " rows",
						ladder->name, taken, given),
				 errhint("A trigger, a rule or row-level security on its tables keeps rows out.")));
}

bool
ladder_read_row(Ladder *ladder, LadderQuery *query, const Datum *values, QueryRow *row)
{
	if (ladder_execute(ladder, query, values, NULL, NULL) == 0)
		return false;
	*row = spi_row(SPI_tuptable, 0);
	return true;
}

bool
ladder_read_number(Ladder *ladder, LadderQuery *query, const Datum *values, int64 *number)
{
	QueryRow	row;

	*number = 0;
	if (!ladder_read_row(ladder, query, values, &row) || next_is_null(&row))
		return false;
	*number = next_int64(&row);
	return true;
}

char *
ladder_read_text(Ladder *ladder, LadderQuery *query, const Datum *values)
{
	QueryRow	row;

	return ladder_read_row(ladder, query, values, &row) ? next_text(&row) : NULL;
}

void
ladder_write_seen(Ladder *ladder, LadderQuery *query, const Datum *values)
{
	bool		once = ladder->large;
	SPIPlanPtr	plan = ladder_plan(ladder, query);
	int			result = SPI_execute_snapshot(plan, unconstify(Datum *, values), NULL,
											  GetActiveSnapshot(), InvalidSnapshot, false, true, 0);

	end_plan(ladder, query, plan, once, result);
}

/* Where rows go that are given to a function. */
typedef struct RowTaker
{
	DestReceiver receiver;
	TakesRow	take;
	void	   *arg;
	MemoryContext context;		/* of the caller */
} RowTaker;

static bool
take_row(TupleTableSlot *slot, DestReceiver *self)
{
	RowTaker   *taker = (RowTaker *) self;
	MemoryContext old = MemoryContextSwitchTo(taker->context);

	CHECK_FOR_INTERRUPTS();
	slot_getallattrs(slot);
	taker->take(taker->arg, (QueryRow) {slot->tts_values, slot->tts_isnull});
	MemoryContextSwitchTo(old);
	return true;
}

uint64
ladder_execute_each(Ladder *ladder, LadderQuery *query, const Datum *values, const bool *nulls,
					TakesRow take, void *arg)
{
	RowTaker	taker = {*None_Receiver, take, arg, CurrentMemoryContext};

	taker.receiver.receiveSlot = take_row;
	return ladder_execute(ladder, query, values, nulls, &taker.receiver);
}

static void
take_id(void *arg, QueryRow row)
{
	if (!next_is_null(&row))
		id_table_add((IdTable *) arg, next_datum(&row));
}

void
add_query_ids(Ladder *ladder, LadderQuery *query, const Datum *values, IdTable *ids)
{
	(void) ladder_execute_each(ladder, query, values, NULL, take_id, ids);
}

Portal
ladder_cursor(Ladder *ladder, LadderQuery *query, const Datum *values)
{
	bool		once = ladder->large;
	SPIPlanPtr	plan;
	Portal		portal;

	ladder_settle(ladder);
	plan = ladder_plan(ladder, query);
	portal = SPI_cursor_open_with_paramlist(NULL, plan, plan_params(plan, values, NULL),
											ladder->read_only);
	end_plan(ladder, query, plan, once, 0);
	return portal;
}
