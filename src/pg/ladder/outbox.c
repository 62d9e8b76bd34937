/*
 * outbox.c
 *		Rows on their way into the tables of a ladder, many at once.
 */
#include "pg/ladder/outbox.h"

#include "access/table.h"
#include "access/xact.h"
#include "catalog/pg_class.h"
#include "catalog/pg_type.h"
#include "commands/copy.h"
#include "executor/spi.h"
#include "libpq/pqformat.h"
#include "miscadmin.h"
#include "nodes/makefuncs.h"
#include "parser/parse_node.h"
#include "parser/parse_relation.h"
#include "utils/acl.h"
#include "utils/builtins.h"
#include "utils/memutils.h"
#include "utils/rel.h"
#include "utils/rls.h"
#include "utils/timestamp.h"

static Outbox *
outbox_create(Ladder *ladder, const char *name, TupleDesc desc)
{
	Outbox	   *outbox = palloc0_object(Outbox);

	outbox->ladder = ladder;
	outbox->name = name;
	outbox->desc = desc;
	outbox->context = AllocSetContextCreate(CurrentMemoryContext,
											"skillrating row",
											ALLOCSET_SMALL_SIZES);
	return outbox;
}

/* With rows that a query can read. */
static Outbox *
query_outbox(Ladder *ladder, const char *name, TupleDesc desc)
{
	Outbox	   *outbox = outbox_create(ladder, name, desc);

	outbox->rows = tuplestore_begin_heap(true, false, work_mem);
	return outbox;
}

Outbox *
event_outbox(Ladder *ladder)
{
	return query_outbox(ladder, BATCH_EVENT, ladder_event_desc(ladder));
}

/*
 * Whether COPY may insert events: rights, policies and rules are checked by
 * who calls it, and identifiers need a binary form.
 */
static bool
can_copy_events(Ladder *ladder)
{
	Oid			relid = ladder->relation[LADDER_EVENT];
	Relation	relation;
	bool		plain;

	if (!OidIsValid(ladder->player_type->send.fn_oid) ||
		!OidIsValid(ladder->match_type->send.fn_oid) ||
		pg_class_aclcheck(relid, GetUserId(), ACL_INSERT) != ACLCHECK_OK ||
		check_enable_rls(relid, InvalidOid, true) == RLS_ENABLED)
		return false;
	relation = table_open(relid, RowExclusiveLock);
	plain = relation->rd_rel->relkind == RELKIND_RELATION &&
		!relation->rd_rel->relhasrules;
	table_close(relation, NoLock);
	return plain;
}

Outbox *
new_event_outbox(Ladder *ladder)
{
	static const char signature[] = "PGCOPY\n\377\r\n";
	Outbox	   *outbox;

	if (!ladder->large || !can_copy_events(ladder))
		return event_outbox(ladder);
	outbox = outbox_create(ladder, BATCH_EVENT, ladder_event_desc(ladder));
	outbox->file = BufFileCreateTemp(false);
	initStringInfo(&outbox->line);

	/* With the zero byte at the end, no flags, and no more header. */
	appendBinaryStringInfo(&outbox->line, signature, sizeof(signature));
	pq_sendint32(&outbox->line, 0);
	pq_sendint32(&outbox->line, 0);
	BufFileWrite(outbox->file, outbox->line.data, outbox->line.len);
	return outbox;
}

Outbox *
match_outbox(Ladder *ladder)
{
	return query_outbox(ladder, BATCH_MATCH, ladder_match_desc(ladder));
}

Outbox *
rating_outbox(Ladder *ladder)
{
	return query_outbox(ladder, BATCH_RATING, ladder_rating_desc(ladder));
}

static void
outbox_put(Outbox *outbox, Datum *values, bool *nulls)
{
	tuplestore_putvalues(outbox->rows, outbox->desc, values, nulls);
	outbox->nrows++;
}

/* A text column that may be null. */
static void
text_column(Datum *values, bool *nulls, int column, const char *text)
{
	nulls[column] = (text == NULL);
	if (text != NULL)
		values[column] = CStringGetTextDatum(text);
}

static void
send_null(StringInfo line)
{
	pq_sendint32(line, -1);
}

static void
send_int32(StringInfo line, int32 value)
{
	pq_sendint32(line, sizeof(int32));
	pq_sendint32(line, value);
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
	int			length;

	if (text == NULL)
	{
		send_null(line);
		return;
	}
	length = (int) strlen(text);
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

/* An event in binary COPY format, with the columns in the order of EventColumn. */
static void
send_event(Outbox *outbox, const BatchStep *step, const EventRow *row)
{
	Ladder	   *ladder = outbox->ladder;
	StringInfo	line = &outbox->line;
	MemoryContext old = MemoryContextSwitchTo(outbox->context);
	int			i;

	resetStringInfo(line);
	pq_sendint16(line, EVENT_NCOLUMNS + 2 * ladder->model->nstate);
	send_int64(line, step->seq);
	if (step->is_match)
		send_id(line, ladder->match_type, step->match_id);
	else
		send_null(line);
	send_id(line, ladder->player_type, row->player->id);
	send_text(line, row->player->pool);
	send_text(line, step->kind);
	if (step->is_match)
		send_int32(line, row->team);
	else
		send_null(line);
	send_int32(line, (int32) Min(row->games, PG_INT32_MAX));
	send_int64(line, step->at);
	if (TIMESTAMP_IS_NOBEGIN(row->last_played))
		send_null(line);
	else
		send_int64(line, row->last_played);
	if (step->is_match)
	{
		send_float8(line, row->score);
		send_float8(line, row->win_probability);
	}
	else
	{
		send_null(line);
		send_null(line);
	}
	send_text(line, step->reason);
	for (i = 0; i < ladder->model->nstate; i++)
	{
		send_float8(line, row->before[i]);
		send_float8(line, row->after[i]);
	}
	BufFileWrite(outbox->file, line->data, line->len);
	outbox->nrows++;
	MemoryContextSwitchTo(old);
	MemoryContextReset(outbox->context);
}

/* The file that COPY reads from; set for each COPY, as it passes nothing on. */
static BufFile *copy_source;

static int
read_copy_source(void *buffer, int least, int most)
{
	(void) least;
	return (int) BufFileRead(copy_source, buffer, most);
}

/* Insert the events in an outbox's file by COPY; returns how many. */
static uint64
copy_events(Outbox *outbox)
{
	Relation	relation = table_open(outbox->ladder->relation[LADDER_EVENT],
									  RowExclusiveLock);
	ParseState *parse = make_parsestate(NULL);
	List	   *columns = NIL;
	CopyFromState copy;
	uint64		nrows;
	int			i;

	resetStringInfo(&outbox->line);
	pq_sendint16(&outbox->line, -1);
	BufFileWrite(outbox->file, outbox->line.data, outbox->line.len);
	if (BufFileSeek(outbox->file, 0, 0, SEEK_SET) != 0)
		elog(ERROR, "could not rewind events");

	for (i = 0; i < outbox->desc->natts; i++)
		columns = lappend(columns,
						  makeString(pstrdup(NameStr(TupleDescAttr(outbox->desc, i)->attname))));
	(void) addRangeTableEntryForRelation(parse, relation, RowExclusiveLock,
										 NULL, false, false);
	copy_source = outbox->file;
	copy = BeginCopyFrom(parse, relation, NULL, NULL, false, read_copy_source,
						 columns,
						 list_make1(makeDefElem("format",
												(Node *) makeString("binary"),
												-1)));
	nrows = CopyFrom(copy);
	EndCopyFrom(copy);
	table_close(relation, NoLock);
	CommandCounterIncrement();
	return nrows;
}

void
put_event(Outbox *outbox, const BatchStep *step, const EventRow *row)
{
	int			nstate = outbox->ladder->model->nstate;
	Datum		values[EVENT_NCOLUMNS + 2 * MODEL_MAX_STATE];
	bool		nulls[EVENT_NCOLUMNS + 2 * MODEL_MAX_STATE] = {false};
	MemoryContext old;
	int			i;

	if (outbox->file != NULL)
	{
		send_event(outbox, step, row);
		return;
	}
	old = MemoryContextSwitchTo(outbox->context);
	values[EVENT_SEQ - 1] = Int64GetDatum(step->seq);
	values[EVENT_MATCH_ID - 1] = step->match_id;
	values[EVENT_PLAYER_ID - 1] = row->player->id;
	values[EVENT_POOL - 1] = CStringGetTextDatum(row->player->pool);
	values[EVENT_KIND - 1] = CStringGetTextDatum(step->kind);
	values[EVENT_TEAM - 1] = Int32GetDatum(row->team);
	values[EVENT_GAMES - 1] = Int32GetDatum((int32) Min(row->games, PG_INT32_MAX));
	values[EVENT_PLAYED_AT - 1] = TimestampTzGetDatum(step->at);
	values[EVENT_LAST_PLAYED - 1] = TimestampTzGetDatum(row->last_played);
	nulls[EVENT_LAST_PLAYED - 1] = TIMESTAMP_IS_NOBEGIN(row->last_played);
	values[EVENT_SCORE - 1] = Float8GetDatum(row->score);
	values[EVENT_WIN_PROBABILITY - 1] = Float8GetDatum(row->win_probability);
	text_column(values, nulls, EVENT_REASON - 1, step->reason);
	for (i = 0; i < nstate; i++)
	{
		values[EVENT_BEFORE(i) - 1] = Float8GetDatum(row->before[i]);
		values[EVENT_AFTER(i) - 1] = Float8GetDatum(row->after[i]);
	}
	nulls[EVENT_MATCH_ID - 1] = nulls[EVENT_TEAM - 1] =
		nulls[EVENT_SCORE - 1] = nulls[EVENT_WIN_PROBABILITY - 1] =
		!step->is_match;
	outbox_put(outbox, values, nulls);
	MemoryContextSwitchTo(old);
	MemoryContextReset(outbox->context);
}

void
put_event_key(Outbox *outbox, int64 seq, Datum player_id, Datum pool)
{
	Datum		values[EVENT_NCOLUMNS + 2 * MODEL_MAX_STATE] = {0};
	bool		nulls[EVENT_NCOLUMNS + 2 * MODEL_MAX_STATE];

	memset(nulls, true, sizeof(nulls));
	values[EVENT_SEQ - 1] = Int64GetDatum(seq);
	values[EVENT_PLAYER_ID - 1] = player_id;
	values[EVENT_POOL - 1] = pool;
	nulls[EVENT_SEQ - 1] = nulls[EVENT_PLAYER_ID - 1] =
		nulls[EVENT_POOL - 1] = false;
	outbox_put(outbox, values, nulls);
}

void
put_match(Outbox *outbox, const SourceMatch *source, const char *status,
		  const char *reason, bool has_seq, int64 seq)
{
	Datum		values[6] = {0};
	bool		nulls[6] = {false};
	MemoryContext old = MemoryContextSwitchTo(outbox->context);

	values[0] = source->id;
	values[1] = CStringGetTextDatum(status);
	text_column(values, nulls, 2, reason);
	values[3] = Int64GetDatum(source->digest);
	values[4] = Int64GetDatum(seq);
	nulls[4] = !has_seq;
	values[5] = TimestampTzGetDatum(source->played_at);
	outbox_put(outbox, values, nulls);
	MemoryContextSwitchTo(old);
	MemoryContextReset(outbox->context);
}

void
put_rating(Outbox *outbox, const BatchPlayer *player)
{
	const Model *model = outbox->ladder->model;
	Datum		values[7 + MODEL_MAX_STATE];
	bool		nulls[7 + MODEL_MAX_STATE] = {false};
	MemoryContext old = MemoryContextSwitchTo(outbox->context);
	int			n = 0;
	int			i;

	values[n++] = player->id;
	values[n++] = CStringGetTextDatum(player->pool);
	for (i = 0; i < model->nstate; i++)
		values[n++] = Float8GetDatum(player->state[i]);
	values[n++] = Int64GetDatum(player->games);
	values[n++] = Int64GetDatum(player->wins);
	values[n++] = Int64GetDatum(player->draws);
	values[n++] = Int64GetDatum(player->losses);
	nulls[n] = TIMESTAMP_IS_NOBEGIN(player->last_played);
	values[n++] = TimestampTzGetDatum(player->last_played);
	outbox_put(outbox, values, nulls);
	MemoryContextSwitchTo(old);
	MemoryContextReset(outbox->context);
}

void
outbox_send(Outbox *outbox, LadderQuery query)
{
	uint64		nrows = 0;

	if (outbox->nrows > 0 && outbox->file != NULL)
	{
		Assert(query == QUERY_INSERT_EVENTS);
		nrows = copy_events(outbox);
	}
	else if (outbox->nrows > 0)
	{
		EphemeralNamedRelation enr = palloc0_object(EphemeralNamedRelationData);

		enr->md.name = unconstify(char *, outbox->name);
		enr->md.reliddesc = InvalidOid;
		enr->md.tupdesc = outbox->desc;
		enr->md.enrtype = ENR_NAMED_TUPLESTORE;
		enr->md.enrtuples = outbox->nrows;
		enr->reldata = outbox->rows;
		if (SPI_register_relation(enr) != SPI_OK_REL_REGISTER)
			elog(ERROR, "could not register \"%s\"", outbox->name);
		nrows = ladder_execute(outbox->ladder, query, NULL, NULL, NULL);
		if (SPI_unregister_relation(outbox->name) != SPI_OK_REL_UNREGISTER)
			elog(ERROR, "could not unregister \"%s\"", outbox->name);
	}

	/* Exactly once means that no row gets lost on the way either. */
	if (nrows != outbox->nrows)
		ereport(ERROR,
				(errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
				 errmsg("ladder \"%s\" took " UINT64_FORMAT " of " UINT64_FORMAT " rows",
						outbox->ladder->name, nrows, outbox->nrows),
				 errhint("A trigger, a rule or row-level security on its tables keeps rows out.")));
	if (outbox->file != NULL)
		BufFileClose(outbox->file);
	else
		tuplestore_end(outbox->rows);
	MemoryContextDelete(outbox->context);
}
