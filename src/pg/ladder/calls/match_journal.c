/*
 * match_journal.c
 *		A part of match_journal(): a match as its source has it now.
 */
#include "pg/sql/glue.h"

#include "funcapi.h"
#include "utils/builtins.h"
#include "utils/timestamp.h"
#include "utils/tuplestore.h"

#include "pg/ladder/entry/entry.h"
#include "pg/ladder/rate/match_reader.h"
#include "pg/ladder/rate/states.h"

SKILLRATING_FUNCTION(skillrating_match_participants);

/* The columns that match_participants() returns, from 0. */
enum
{
	PARTICIPANT_ACCOUNT,
	PARTICIPANT_PLAYER_ID,
	PARTICIPANT_POOL,
	PARTICIPANT_PLAYED_AT,
	PARTICIPANT_TEAM,
	PARTICIPANT_RANK,
	PARTICIPANT_WEIGHT,
	PARTICIPANT_NCOLUMNS
};

/* Return a row for each account of the match that was just read. */
static void
return_participants(ReturnSetInfo *rsinfo, Batch *batch, SourceMatch *source)
{
	IdTable    *met = id_table_create(source->player_type);
	Datum	   *counted = palloc_array(Datum, Max(source->n, 1));
	Unrated		why;
	bool		whole;
	int			i;

	/*
	 * Whether the participants make a match, whatever else keeps it from being rated: its players
	 * are the accounts, two of which may count as one player.
	 */
	memcpy(counted, source->player_id, source->n * sizeof(Datum));
	memcpy(source->player_id, source->account_id, source->n * sizeof(Datum));
	source->unrated_reason = NULL;
	whole = batch_judge(batch, source, &why) != VERDICT_UNRATED;
	for (i = 0; i < source->n; i++)
	{
		const Participant *participant = &source->participant[i];
		Datum		values[PARTICIPANT_NCOLUMNS];
		bool		nulls[PARTICIPANT_NCOLUMNS] = {false};

		/* Stints of one account are one row. */
		if (!id_table_add(met, source->account_id[i]))
			continue;
		values[PARTICIPANT_ACCOUNT] =
			CStringGetTextDatum(id_text(source->player_type, source->account_id[i]));
		values[PARTICIPANT_PLAYER_ID] =
			CStringGetTextDatum(id_text(source->player_type, counted[i]));
		values[PARTICIPANT_POOL] = CStringGetTextDatum(source->pool);
		values[PARTICIPANT_PLAYED_AT] = TimestampTzGetDatum(source->played_at);
		nulls[PARTICIPANT_PLAYED_AT] = TIMESTAMP_NOT_FINITE(source->played_at);
		values[PARTICIPANT_TEAM] = Int32GetDatum(participant->team);
		nulls[PARTICIPANT_RANK] = nulls[PARTICIPANT_WEIGHT] = !whole;
		if (whole)
		{
			const MatchPlayer *player = &batch->match.player[participant->player];
			const MatchTeam *team = &batch->match.team[player->team];

			values[PARTICIPANT_TEAM] = Int32GetDatum(team->number);
			values[PARTICIPANT_RANK] = Float8GetDatum(team->rank);
			values[PARTICIPANT_WEIGHT] = Float8GetDatum(player->weight);
		}
		tuplestore_putvalues(rsinfo->setResult, rsinfo->setDesc, values, nulls);
	}
}

/* match_participants(ladder, match_id) */
Datum
skillrating_match_participants(PG_FUNCTION_ARGS)
{
	ReturnSetInfo *rsinfo = (ReturnSetInfo *) fcinfo->resultinfo;
	Ladder	   *ladder;
	IdType	   *type;
	MatchReader *reader;
	Datum		id;

	InitMaterializedSRF(fcinfo, 0);
	ladder = ladder_open_inside(fcinfo);
	type = ladder->match_type;
	id = id_from_text(type, text_to_cstring(PG_GETARG_TEXT_PP(1)), "match_id");
	reader = reader_open_matches(ladder, id_array(type, &id, 1), false, true);

	/* One with several times comes in pieces. */
	while (reader_next(reader))
		return_participants(rsinfo, ladder_batch(ladder), &reader->match);
	reader_close(reader);
	ladder_close(ladder);
	return (Datum) 0;
}
