/*
 * copy_file.c
 *		Rows of events in a temporary file, which COPY inserts.
 */
#include "pg/ladder/copy_file.h"

#include "access/table.h"
#include "access/xact.h"
#include "catalog/pg_class.h"
#include "catalog/pg_type.h"
#include "commands/copy.h"
#include "lib/stringinfo.h"
#include "libpq/pqformat.h"
#include "miscadmin.h"
#include "nodes/makefuncs.h"
#include "parser/parse_node.h"
#include "parser/parse_relation.h"
#include "storage/buffile.h"
#include "utils/acl.h"
#include "utils/memutils.h"
#include "utils/rel.h"
#include "utils/rls.h"

#include "pg/ladder/columns.h"
#include "pg/sql/progress.h"

struct CopyFile
{
	Ladder	   *ladder;
	const TableMap *map;
	BufFile    *file;			/* in binary COPY format */
	StringInfoData line;		/* a row of it */
	MemoryContext context;		/* of a row in the making */
};

/* What COPY itself would check of a statement, which there is none of here. */
bool
can_copy(const Ladder *ladder, LadderRelation relation)
{
	Oid			relid = ladder->relation[relation];
	Relation	table;
	bool		plain;

	if (!HAVE_DIRECT_ROWS || !OidIsValid(ladder->player_type->send.fn_oid) ||
		!OidIsValid(ladder->match_type->send.fn_oid) ||
		pg_class_aclcheck(relid, GetUserId(), ACL_INSERT) != ACLCHECK_OK ||
		check_enable_rls(relid, InvalidOid, true) == RLS_ENABLED)
		return false;
	table = table_open(relid, RowExclusiveLock);
	plain = (table->rd_rel->relkind == RELKIND_RELATION ||
			 table->rd_rel->relkind == RELKIND_PARTITIONED_TABLE) &&
		!table->rd_rel->relhasrules;
	table_close(table, NoLock);
	return plain;
}

/*
 * The file belongs to the resource owner of now: an error, or the end of a subtransaction that is
 * taken back, removes it.
 */
CopyFile *
copy_file_begin(Ladder *ladder, const TableMap *map)
{
	static const char signature[] = "PGCOPY\n\377\r\n";
	CopyFile   *copy = palloc_object(CopyFile);

	copy->ladder = ladder;
	copy->map = map;
	copy->file = BufFileCreateTemp(false);
	copy->context = AllocSetContextCreate(CurrentMemoryContext, "skillrating row",
										  ALLOCSET_SMALL_SIZES);
	initStringInfo(&copy->line);

	/* With the zero byte at the end, no flags, and no more header. */
	appendBinaryStringInfo(&copy->line, signature, sizeof(signature));
	pq_sendint32(&copy->line, 0);
	pq_sendint32(&copy->line, 0);
	BufFileWrite(copy->file, copy->line.data, copy->line.len);
	return copy;
}

static void
send_null(StringInfo line)
{
	pq_sendint32(line, -1);
}

static void
send_int64(StringInfo line, int64 value)
{
	pq_sendint32(line, sizeof(int64));
	pq_sendint64(line, value);
}

static void
send_float8(StringInfo line, double value)
{
	pq_sendint32(line, sizeof(float8));
	pq_sendfloat8(line, value);
}

static void
send_text(StringInfo line, const char *text)
{
	int			length = (int) strlen(text);

	pq_sendint32(line, length);
	appendBinaryStringInfo(line, text, length);
}

static void
send_id(StringInfo line, IdType *type, Datum id)
{
	bytea	   *bytes;

	if (type->type == INT8OID)
	{
		send_int64(line, DatumGetInt64(id));
		return;
	}
	bytes = SendFunctionCall(&type->send, id);
	pq_sendint32(line, VARSIZE(bytes) - VARHDRSZ);
	appendBinaryStringInfo(line, VARDATA(bytes), VARSIZE(bytes) - VARHDRSZ);
}

/* A column that is not null, in binary COPY format. */
static void
send_column(StringInfo line, const Ladder *ladder, const LadderColumn *column,
			const void *field)
{
	switch (column->type)
	{
		case VALUE_PLAYER:
			send_id(line, ladder->player_type, *(const Datum *) field);
			break;
		case VALUE_MATCH:
			send_id(line, ladder->match_type, *(const Datum *) field);
			break;
		case VALUE_BOOL:
			pq_sendint32(line, 1);
			pq_sendbyte(line, *(const int64 *) field != 0);
			break;
		case VALUE_INT4:
			pq_sendint32(line, sizeof(int32));
			pq_sendint32(line, column_int4(column, field));
			break;
		case VALUE_INT8:
			send_int64(line, *(const int64 *) field);
			break;
		case VALUE_TIME:
			send_int64(line, *(const TimestampTz *) field);
			break;
		case VALUE_FLOAT8:
			send_float8(line, *(const double *) field);
			break;
		case VALUE_TEXT:
			send_text(line, *(const char *const *) field);
			break;
		default:
			elog(ERROR, "column \"%s\" has unknown type %d", column->name,
				 (int) column->type);
	}
}

/* An array of n numbers, in the form of array_send(). */
static void
send_array(StringInfo line, const double *value, int n)
{
	int			i;

	pq_sendint32(line, 5 * sizeof(int32) + n * (sizeof(int32) + sizeof(float8)));
	pq_sendint32(line, 1);		/* dimensions */
	pq_sendint32(line, 0);		/* no nulls */
	pq_sendint32(line, FLOAT8OID);
	pq_sendint32(line, n);
	pq_sendint32(line, 1);		/* the lower bound */
	for (i = 0; i < n; i++)
		send_float8(line, value[i]);
}

/* Begin a row of the file with its columns but for those of states. */
static void
send_columns(CopyFile *copy, const RowValues *values)
{
	const LadderTable *table = copy->map->columns;
	int			i;

	resetStringInfo(&copy->line);
	pq_sendint16(&copy->line, copy->map->desc->natts);
	for (i = 0; i < table->ncolumns; i++)
	{
		const LadderColumn *column = &table->column[i];

		if (column_is_null(column, values))
			send_null(&copy->line);
		else
			send_column(&copy->line, copy->ladder, column, column_field(column, values));
	}
}

/* Write the row that is in line to the file. */
static void
send_line(CopyFile *copy)
{
	BufFileWrite(copy->file, copy->line.data, copy->line.len);
}

void
copy_file_event(CopyFile *copy, const BatchStep *step, const EventRow *row)
{
	MemoryContext old = MemoryContextSwitchTo(copy->context);
	RowValues	values = event_values(step, row);
	int			i;

	send_columns(copy, &values);
	for (i = 0; i < copy->ladder->model->nstate; i++)
	{
		send_float8(&copy->line, row->before[i]);
		send_float8(&copy->line, row->after[i]);
	}
	send_line(copy);
	MemoryContextSwitchTo(old);
	MemoryContextReset(copy->context);
}

void
copy_file_component_event(CopyFile *copy, const BatchStep *step, const ComponentRow *row)
{
	MemoryContext old = MemoryContextSwitchTo(copy->context);
	ComponentIdentity identity;
	RowValues	values = component_event_values(step, row, &identity);

	send_columns(copy, &values);
	send_array(&copy->line, row->before, row->component->spec->nstate);
	send_array(&copy->line, row->after, row->component->spec->nstate);
	send_line(copy);
	MemoryContextSwitchTo(old);
	MemoryContextReset(copy->context);
}

/*
 * The file that the innermost COPY reads from, which passes nothing on.  A trigger on
 * its table can start another COPY, into another ladder, while one is running: each puts
 * back what it has found, also if it fails and the trigger goes on.
 */
static BufFile *copy_source;

static int
read_copy_source(void *buffer, int least, int most)
{
	(void) least;
	return (int) BufFileRead(copy_source, buffer, most);
}

/*
 * Runs as the ladder's owner, with the triggers and defaults of the table, which may be the
 * user's: all that they can reach of this is copy_source, which is put back in any case.
 */
uint64
copy_file_insert(CopyFile *copy)
{
	Relation	relation = table_open(copy->map->relid, RowExclusiveLock);
	ParseState *parse = make_parsestate(NULL);
	List	   *columns = NIL;
	BufFile    *outer = copy_source;
	volatile uint64 nrows = 0;
	int			i;

	resetStringInfo(&copy->line);
	pq_sendint16(&copy->line, -1);
	BufFileWrite(copy->file, copy->line.data, copy->line.len);
	if (BufFileSeek(copy->file, 0, 0, SEEK_SET) != 0)
		elog(ERROR, "could not rewind rows");

	for (i = 0; i < copy->map->desc->natts; i++)
		columns = lappend(columns,
						  makeString(pstrdup(NameStr(TupleDescAttr(copy->map->desc, i)->attname))));
	(void) addRangeTableEntryForRelation(parse, relation, RowExclusiveLock,
										 NULL, false, false);
	PG_TRY();
	{
		CopyFromState state;

		copy_source = copy->file;
		state = BeginCopyFrom(parse, relation, NULL, NULL, false, read_copy_source,
							  columns,
							  list_make1(makeDefElem("format",
													 (Node *) makeString("binary"),
													 -1)));
		progress_begin_copy();
		nrows = CopyFrom(state);
		EndCopyFrom(state);
	}
	PG_FINALLY();
	{
		copy_source = outer;
	}
	PG_END_TRY();
	table_close(relation, NoLock);
	CommandCounterIncrement();
	return nrows;
}

void
copy_file_close(CopyFile *copy)
{
	BufFileClose(copy->file);
	pfree(copy->line.data);
	MemoryContextDelete(copy->context);
	pfree(copy);
}
