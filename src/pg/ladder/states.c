/*
 * states.c
 *		What a batch takes from a ladder: states of players, and operations.
 */
#include "pg/ladder/states.h"

#include "miscadmin.h"
#include "utils/builtins.h"
#include "utils/datum.h"
#include "utils/float.h"
#include "utils/timestamp.h"

Batch *
ladder_batch(Ladder *ladder)
{
	return batch_create(ladder->model, ladder->params, ladder->player_type);
}

/* A numeric column of a player's row, as read by SPI. */
static Datum
player_column(HeapTuple tuple, TupleDesc desc, int column)
{
	bool		isnull;
	Datum		value = SPI_getbinval(tuple, desc, column, &isnull);

	if (isnull)
		ereport(ERROR,
				(errcode(ERRCODE_NULL_VALUE_NOT_ALLOWED),
				 errmsg("column \"%s\" of a rating is null",
						NameStr(TupleDescAttr(desc, column - 1)->attname))));
	return value;
}

/* Take over a row of rating, as append_player_list() in ladder.c has it. */
static void
load_row(Batch *batch, HeapTuple tuple, TupleDesc desc)
{
	const Model *model = batch->model;
	char	   *pool = TextDatumGetCString(player_column(tuple, desc, 2));
	BatchPlayer *player = batch_player(batch, player_column(tuple, desc, 1),
									   pool);
	int			column = 3;
	bool		isnull;
	Datum		last_played;
	int			i;

	for (i = 0; i < model->nstate; i++)
		player->state[i] = DatumGetFloat8(player_column(tuple, desc, column++));
	player->games = DatumGetInt64(player_column(tuple, desc, column++));
	player->wins = DatumGetInt64(player_column(tuple, desc, column++));
	player->draws = DatumGetInt64(player_column(tuple, desc, column++));
	player->losses = DatumGetInt64(player_column(tuple, desc, column++));
	last_played = SPI_getbinval(tuple, desc, column, &isnull);
	player->last_played = isnull ? DT_NOBEGIN : DatumGetTimestampTz(last_played);
	player->exists = player->loaded = true;
	pfree(pool);
}

void
batch_load_all(Batch *batch, Ladder *ladder)
{
	uint64		nrows = ladder_execute(ladder, QUERY_PLAYED, NULL, NULL,
									   NULL);
	uint64		row;

	for (row = 0; row < nrows; row++)
	{
		CHECK_FOR_INTERRUPTS();
		load_row(batch, SPI_tuptable->vals[row], SPI_tuptable->tupdesc);
	}
	SPI_freetuptable(SPI_tuptable);
}

void
batch_load(Batch *batch, Ladder *ladder, bool lock)
{
	const Model *model = batch->model;
	int			nplayers = id_table_count(batch->players);
	BatchPlayer **player = (BatchPlayer **) id_table_values(batch->players);
	Datum	   *id = palloc_array(Datum, Max(nplayers, 1));
	Datum	   *pool = palloc_array(Datum, Max(nplayers, 1));
	Datum		values[2];
	uint64		nrows;
	uint64		row;
	int			n = 0;
	int			i;

	for (i = 0; i < nplayers; i++)
	{
		if (!player[i]->wanted)
			continue;
		id[n] = player[i]->id;
		pool[n++] = CStringGetTextDatum(player[i]->pool);
	}
	if (n == 0)
		return;
	values[0] = id_array(ladder->player_type, id, n);
	values[1] = PointerGetDatum(construct_array(pool, n, TEXTOID, -1, false,
												TYPALIGN_INT));

	if (lock)
	{
		Datum		new_values[3];
		Datum		initial[MODEL_MAX_STATE];

		for (i = 0; i < model->nstate; i++)
			initial[i] = Float8GetDatum(batch->initial[i]);
		new_values[0] = values[0];
		new_values[1] = values[1];
		new_values[2] =
			PointerGetDatum(construct_array(initial, model->nstate, FLOAT8OID,
											sizeof(float8), FLOAT8PASSBYVAL,
											TYPALIGN_DOUBLE));
		ladder_execute(ladder, QUERY_NEW_PLAYERS, new_values, NULL, NULL);
	}

	nrows = ladder_execute(ladder, lock ? QUERY_LOCK_PLAYERS :
						   QUERY_PEEK_PLAYERS, values, NULL, NULL);
	if (lock && nrows != (uint64) n)
		ereport(ERROR,
				(errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
				 errmsg("ladder \"%s\" shows " UINT64_FORMAT " of %d players",
						ladder->name, nrows, n),
				 errhint("Row-level security or a trigger on table rating hides players from the ladder's owner.")));

	for (row = 0; row < nrows; row++)
		load_row(batch, SPI_tuptable->vals[row], SPI_tuptable->tupdesc);
	SPI_freetuptable(SPI_tuptable);
}

/* A number of an operation; what its kind does not have is null. */
static double
operation_number(HeapTuple tuple, TupleDesc desc, int column)
{
	bool		isnull;
	Datum		value = SPI_getbinval(tuple, desc, column, &isnull);

	return isnull ? 0 : DatumGetFloat8(value);
}

/* The values of a state, NaN for those that it leaves. */
static const double *
operation_values(const Ladder *ladder, Datum array)
{
	double	   *value = palloc_array(double, ladder->model->nstate);
	Datum	   *element;
	bool	   *null;
	int			n;
	int			i;

	deconstruct_array(DatumGetArrayTypeP(array), FLOAT8OID, sizeof(float8),
					  FLOAT8PASSBYVAL, TYPALIGN_DOUBLE, &element, &null, &n);
	if (n != ladder->model->nstate)
		ereport(ERROR,
				(errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
				 errmsg("an operation of ladder \"%s\" has %d values for a state of %d",
						ladder->name, n, ladder->model->nstate)));
	for (i = 0; i < n; i++)
		value[i] = null[i] ? get_float8_nan() : DatumGetFloat8(element[i]);
	return value;
}

LadderOperation *
read_operations(Ladder *ladder, int64 from, int *n)
{
	Datum		values[1];
	SPITupleTable *rows;
	LadderOperation *operations;
	IdType	   *type = ladder->player_type;
	uint64		nrows;
	uint64		i;

	values[0] = Int64GetDatum(from);
	nrows = ladder_execute(ladder, QUERY_READ_OPERATIONS, values, NULL, NULL);
	rows = SPI_tuptable;
	operations = MemoryContextAllocExtended(CurrentMemoryContext,
											mul_size(sizeof(LadderOperation),
													 Max(nrows, 1)),
											MCXT_ALLOC_HUGE | MCXT_ALLOC_ZERO);
	for (i = 0; i < nrows; i++)
	{
		HeapTuple	tuple = rows->vals[i];
		TupleDesc	desc = rows->tupdesc;
		LadderOperation *operation = &operations[i];
		bool		isnull;
		Datum		value;

		CHECK_FOR_INTERRUPTS();
		operation->seq = DatumGetInt64(SPI_getbinval(tuple, desc, 1, &isnull));
		operation->kind = SPI_getvalue(tuple, desc, 2);
		operation->pool = SPI_getvalue(tuple, desc, 3);
		value = SPI_getbinval(tuple, desc, 4, &isnull);
		operation->has_player = !isnull;
		if (!isnull)
			operation->player = datumCopy(value, type->typbyval, type->typlen);
		operation->at = DatumGetTimestampTz(SPI_getbinval(tuple, desc, 5,
														  &isnull));
		operation->reason = SPI_getvalue(tuple, desc, 6);
		value = SPI_getbinval(tuple, desc, 7, &isnull);
		if (!isnull)
			operation->operation.value = operation_values(ladder, value);
		operation->operation.keep = operation_number(tuple, desc, 8);
		operation->operation.rate = operation_number(tuple, desc, 9);
		operation->operation.floor = operation_number(tuple, desc, 10);
		operation->operation.mean = operation_number(tuple, desc, 11);
		operation->operation.half_life_days = operation_number(tuple, desc, 12);
		operation->grace_days = operation_number(tuple, desc, 13);
		value = SPI_getbinval(tuple, desc, 14, &isnull);
		operation->counted_from = isnull ? DT_NOBEGIN : DatumGetTimestampTz(value);

		if (strcmp(operation->kind, "season") == 0)
			operation->operation.kind = OPERATION_SEASON;
		else if (strcmp(operation->kind, "decay") == 0)
			operation->operation.kind =
				operation->operation.half_life_days > 0 ?
				OPERATION_REGRESSION : OPERATION_DECAY;
		else
			operation->operation.kind = OPERATION_SET;
		if (operation->operation.kind == OPERATION_SET &&
			(operation->operation.value == NULL || !operation->has_player))
			ereport(ERROR,
					(errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
					 errmsg("operation " INT64_FORMAT " of ladder \"%s\" lacks its player or state",
							operation->seq, ladder->name)));
	}
	SPI_freetuptable(rows);
	*n = (int) nrows;
	return operations;
}
