/*
 * match_relation.c
 *		A table, view or partitioned table of matches: its partitions, and its columns as
 *		arguments of an aggregate.
 */
#include "pg/history/match_relation.h"

#include "access/relation.h"
#include "access/table.h"
#include "catalog/partition.h"
#include "catalog/pg_class.h"
#include "catalog/pg_inherits.h"
#include "catalog/pg_type.h"
#include "lib/stringinfo.h"
#include "utils/builtins.h"
#include "utils/lsyscache.h"
#include "utils/partcache.h"
#include "utils/rel.h"

#include "pg/matches/source.h"
#include "pg/sql/json.h"

/*
 * What of a source the solvers that can be distributed make use of, besides match,
 * player, team and rank.
 */
static const SourceColumn leaf_inputs[] = {
	SOURCE_WEIGHT, SOURCE_SCORE, SOURCE_WON, SOURCE_JOINED, SOURCE_LEFT,
	SOURCE_COMMANDING, SOURCE_SIDE, SOURCE_LOG_ODDS, SOURCE_GAIN,
	SOURCE_UNRATED_REASON, SOURCE_CONTEXT
};

/* The name of the argument in messages. */
#define COLUMNS "columns"

/* The key of the column by which a relation has parts; no column of a source. */
#define PART "part"

/* What takes matches apart, if partitions or parts go by it. */
static const SourceColumn apart[] = {
	SOURCE_PLAYER_ID, SOURCE_TEAM, SOURCE_RANK
};

/*
 * The name of the column that stands for a column of a source: what columns say, or the
 * source's own; NULL if the relation has none.
 */
static char *
column_name(Relation relation, Jsonb *columns, const char *source)
{
	JsonReader	reader;
	char	   *name;
	bool		renamed;

	json_reader_begin(&reader, columns, COLUMNS, NULL);
	renamed = json_reader_find(&reader, source);
	name = renamed ? json_member_text(&reader, "a text") : pstrdup(source);
	if (get_attnum(RelationGetRelid(relation), name) > 0)
		return name;
	if (renamed)
		ereport(ERROR,
				(errcode(ERRCODE_UNDEFINED_COLUMN),
				 errmsg("column \"%s\" of relation \"%s\" does not exist", name,
						RelationGetRelationName(relation))));
	return NULL;
}

static char *
needed_column(Relation relation, Jsonb *columns, SourceColumn column)
{
	char	   *name = column_name(relation, columns, source_column_name(column));

	if (name == NULL)
		ereport(ERROR,
				(errcode(ERRCODE_UNDEFINED_COLUMN),
				 errmsg("relation \"%s\" has no column \"%s\"",
						RelationGetRelationName(relation), source_column_name(column)),
				 errhint("columns => '{\"%s\": ...}' says which one it is.",
						 source_column_name(column))));
	return name;
}

/* Errors for keys of columns that a distributed solver does not read. */
static void
check_columns(Jsonb *columns)
{
	static const SourceColumn always[] = {
		SOURCE_MATCH_ID, SOURCE_PLAYER_ID, SOURCE_TEAM, SOURCE_RANK
	};
	JsonReader	reader;

	json_reader_begin(&reader, columns, COLUMNS,
					  "For example '{\"match_id\": \"game\"}'.");
	while (json_reader_next(&reader))
	{
		StringInfoData valid;
		bool		known = false;
		int			n = (int) (lengthof(always) + lengthof(leaf_inputs));
		int			i;

		initStringInfo(&valid);
		for (i = 0; i < n; i++)
		{
			const char *name =
				source_column_name(i < (int) lengthof(always) ? always[i] :
								   leaf_inputs[i - lengthof(always)]);

			known = known || strcmp(reader.key, name) == 0;
			appendStringInfo(&valid, "%s\"%s\"", i == 0 ? "" : ", ", name);
		}
		known = known || strcmp(reader.key, PART) == 0;
		appendStringInfoString(&valid, " and \"" PART "\"");
		if (!known)
			json_invalid_key(&reader, valid.data);
		pfree(valid.data);
	}
}

/* Append an argument of inputs(), if the relation has the column. */
static bool
append_input(StringInfo text, Relation relation, Jsonb *columns,
			 const char *source, const char *type)
{
	char	   *name = column_name(relation, columns, source);
	const char *column;

	if (name == NULL)
		return false;
	column = quote_identifier(name);
	appendStringInfo(text, "%s%s => ", text->len > 0 ? ", " : "",
					 quote_identifier(source));
	if (strcmp(source, source_column_name(SOURCE_WON)) != 0)
		appendStringInfo(text, "CAST(%s AS %s)", column, type);
	else if (get_atttype(RelationGetRelid(relation),
						 get_attnum(RelationGetRelid(relation), name)) == BOOLOID)
		appendStringInfoString(text, column);
	else
		appendStringInfo(text, "%s OPERATOR(pg_catalog.>) 0", column);
	return true;
}

static char *
team_argument(Relation relation, Jsonb *columns)
{
	return psprintf("CAST(%s AS pg_catalog.int4)",
					quote_identifier(needed_column(relation, columns, SOURCE_TEAM)));
}

/*
 * The arguments of solve_survey(), from the match to the inputs.  Texts are left out
 * where there are none, see number_inputs().
 */
static char *
match_arguments(Relation relation, Jsonb *columns)
{
	StringInfoData inputs;
	StringInfoData text;
	char	   *rank;
	bool		texts = false;
	int			i;

	initStringInfo(&inputs);
	for (i = 0; i < (int) lengthof(leaf_inputs); i++)
	{
		SourceColumn column = leaf_inputs[i];
		bool		present = append_input(&inputs, relation, columns,
										   source_column_name(column),
										   source_columns[column].type);

		texts = texts || (present && (column == SOURCE_UNRATED_REASON ||
									  column == SOURCE_CONTEXT));
	}
	initStringInfo(&text);
	appendStringInfo(&text, "%s, ",
					 quote_identifier(needed_column(relation, columns, SOURCE_MATCH_ID)));
	appendStringInfo(&text, "%s, ",
					 quote_identifier(needed_column(relation, columns, SOURCE_PLAYER_ID)));
	appendStringInfo(&text, "%s, ", team_argument(relation, columns));
	rank = column_name(relation, columns, source_column_name(SOURCE_RANK));
	if (rank != NULL)
		appendStringInfo(&text, "CAST(%s AS pg_catalog.float8), ",
						 quote_identifier(rank));
	else
		appendStringInfoString(&text, "CAST(NULL AS pg_catalog.float8), ");
	if (inputs.len == 0)
		appendStringInfoString(&text, "CAST(NULL AS skillrating.inputs)");
	else
		appendStringInfo(&text, "%s(%s)",
						 texts ? "skillrating.inputs" : "skillrating_internal.number_inputs", inputs.data);
	return text.data;
}

/* The column that parts go by, as SQL text, or NULL. */
static char *
part_column(Relation relation, Jsonb *columns)
{
	JsonReader	reader;
	char	   *name;
	int			i;

	json_reader_begin(&reader, columns, COLUMNS, NULL);
	if (!json_reader_find(&reader, PART))
		return NULL;
	name = column_name(relation, columns, PART);
	for (i = 0; i < (int) lengthof(apart); i++)
	{
		char	   *of_match = column_name(relation, columns, source_column_name(apart[i]));

		if (of_match != NULL && strcmp(of_match, name) == 0)
			ereport(ERROR,
					(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
					 errmsg("parts by \"%s\" split matches", name),
					 errhint("All rows of a match must be in one part: the season, region or time of the match.")));
	}
	return pstrdup(quote_identifier(name));
}

/* Errors if partitions take the players of a match apart. */
static void
check_partition_key(Relation relation, Jsonb *columns)
{
	PartitionKey key = RelationGetPartitionKey(relation);
	int			i,
				j;

	for (i = 0; i < key->partnatts; i++)
		for (j = 0; j < (int) lengthof(apart); j++)
		{
			char	   *name = column_name(relation, columns,
										   source_column_name(apart[j]));

			if (name != NULL && key->partattrs[i] ==
				get_attnum(RelationGetRelid(relation), name))
				ereport(ERROR,
						(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
						 errmsg("table \"%s\" is partitioned by \"%s\", which splits matches",
								RelationGetRelationName(relation), name),
						 errhint("All rows of a match must be in one partition: partition by the match, or by its season, region or time.")));
		}
}

void
match_relation_find(MatchRelation *matches, Oid relid, Jsonb *columns)
{
	Relation	relation = try_relation_open(relid, AccessShareLock);
	List	   *all;
	ListCell   *cell;

	/* A number can be cast to regclass. */
	if (relation == NULL)
		ereport(ERROR,
				(errcode(ERRCODE_UNDEFINED_TABLE),
				 errmsg("relation with OID %u does not exist", relid)));
	switch (relation->rd_rel->relkind)
	{
		case RELKIND_RELATION:
		case RELKIND_PARTITIONED_TABLE:
		case RELKIND_VIEW:
		case RELKIND_MATVIEW:
		case RELKIND_FOREIGN_TABLE:
			break;
		default:
			ereport(ERROR,
					(errcode(ERRCODE_WRONG_OBJECT_TYPE),
					 errmsg("\"%s\" is no table or view of matches",
							RelationGetRelationName(relation))));
	}
	check_columns(columns);
	matches->arguments = match_arguments(relation, columns);
	matches->team = team_argument(relation, columns);
	matches->player_type =
		get_atttype(relid, get_attnum(relid, needed_column(relation, columns,
														   SOURCE_PLAYER_ID)));
	matches->part = part_column(relation, columns);
	matches->name =
		quote_qualified_identifier(get_namespace_name(RelationGetNamespace(relation)),
								   RelationGetRelationName(relation));
	all = relation->rd_rel->relkind == RELKIND_PARTITIONED_TABLE ?
		find_all_inheritors(relid, AccessShareLock, NULL) : list_make1_oid(relid);
	matches->partition = palloc0_array(MatchPartition, list_length(all));
	matches->npartitions = 0;
	foreach(cell, all)
	{
		Relation	leaf = table_open(lfirst_oid(cell), NoLock);

		if (leaf->rd_rel->relkind == RELKIND_PARTITIONED_TABLE)
			check_partition_key(leaf, columns);
		else if (matches->part == NULL)
			matches->partition[matches->npartitions++] = (MatchPartition)
		{
			.oid = RelationGetRelid(leaf),
				.name = quote_qualified_identifier(get_namespace_name(RelationGetNamespace(leaf)),
												   RelationGetRelationName(leaf)),
				.foreign = leaf->rd_rel->relkind == RELKIND_FOREIGN_TABLE
		};
		table_close(leaf, NoLock);
	}
	relation_close(relation, NoLock);
	if (matches->npartitions > MATCH_MAX_PARTITIONS)
		ereport(ERROR,
				(errcode(ERRCODE_PROGRAM_LIMIT_EXCEEDED),
				 errmsg("too many partitions: %d", matches->npartitions),
				 errdetail("There can be at most %d.", MATCH_MAX_PARTITIONS)));
}
