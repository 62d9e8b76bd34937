/*
 * erasure.c
 *		Forgetting players: digests of their matches under other names.
 *
 * A digest tells whether a match is still what was rated.  It covers the identifiers of
 * the players, so that it has to change with them, or the match would count as another
 * one.  Whether the source has the old names already or the new ones, or some of each,
 * both digests can be computed from it: a match whose content is, under the old names,
 * what was rated gets the digest that it has under the new ones.  Any other match has
 * really changed, and its digest stays, so that it will be corrected.
 */
#include "pg/sql/glue.h"

#include "catalog/pg_type.h"
#include "miscadmin.h"
#include "utils/array.h"
#include "utils/builtins.h"

#include "pg/ladder/entry/entry.h"
#include "pg/ladder/entry/plans.h"
#include "pg/ladder/rate/match_reader.h"

/* Matches with any of these players, by what the source calls both. */
static LadderQuery matches_of_query = {
	.text = "SELECT DISTINCT CAST(s.match_id AS {match type}) FROM {source} AS s "
	"WHERE CAST(s.player_id AS {player type}) {player =} ANY ($1) AND s.match_id IS NOT NULL",
	.param = {ARRAY_OF(VALUE_PLAYER)}
};

/*
 * Give matches that have a digest another one.  If the change of names was noticed as
 * one of content, before the source could be seen as a whole, that was a mistake.
 */
static LadderQuery rename_digests_query = {
	.text = "WITH renamed AS (UPDATE {rated_match} AS m SET digest = d.new_digest "
	"FROM ROWS FROM (pg_catalog.unnest($1), pg_catalog.unnest($2), pg_catalog.unnest($3)) "
	"AS d(match_id, old_digest, new_digest) "
	"WHERE m.match_id {match =} d.match_id AND m.digest OPERATOR(pg_catalog.=) d.old_digest "
	"RETURNING m.match_id), settled AS (DELETE FROM {correction} AS c USING renamed AS r "
	"WHERE c.match_id {match =} r.match_id AND c.kind IN ('changed', 'removed')) "
	"SELECT FROM renamed",
	.param = {ARRAY_OF(VALUE_MATCH), ARRAY_OF(VALUE_INT8), ARRAY_OF(VALUE_INT8)}
};

/* The identifiers that an array of texts, of one dimension and without nulls, has. */
static Datum *
read_ids(IdType *type, ArrayType *array, const char *name, int *n)
{
	Datum	   *element;
	int			i;

	deconstruct_array(array, TEXTOID, -1, false, TYPALIGN_INT, &element, NULL, n);
	for (i = 0; i < *n; i++)
		element[i] = id_from_text(type, TextDatumGetCString(element[i]), name);
	return element;
}

/* A table from identifiers to others. */
static IdTable *
name_table(IdType *type, const Datum *from, Datum *to, int n)
{
	IdTable    *table = id_table_create(type);
	int			i;

	for (i = 0; i < n; i++)
		id_table_set(table, from[i], &to[i]);
	return table;
}

/* The matches that any of the players takes part in, under either name. */
static IdTable *
matches_of(Ladder *ladder, const Datum *old_id, const Datum *new_id, int n)
{
	IdTable    *matches = id_table_create(ladder->match_type);
	Datum	   *both = palloc_array(Datum, Max(2 * n, 1));

	memcpy(both, old_id, n * sizeof(Datum));
	memcpy(both + n, new_id, n * sizeof(Datum));
	add_query_ids(ladder, &matches_of_query, DATUMS(id_array(ladder->player_type, both, 2 * n)),
				  matches);
	return matches;
}

static Datum
int8_array(Datum *element, int n)
{
	return PointerGetDatum(construct_array(element, n, INT8OID, sizeof(int64),
										   FLOAT8PASSBYVAL, TYPALIGN_DOUBLE));
}

/* Give the matches the digests that they have under the new names; returns how many. */
static int64
rename_matches(Ladder *ladder, IdTable *matches, const Renaming *renaming)
{
	int			nmatches = id_table_count(matches);
	Datum	   *match = id_table_ids(matches);
	MatchReader *reader = reader_open_matches(ladder, id_array(ladder->match_type, match,
															   nmatches), false, true);
	IdType	   *type = ladder->match_type;
	Datum	   *old_digest = huge_array(Datum, nmatches);
	Datum	   *new_digest = huge_array(Datum, nmatches);
	IdTable    *met = id_table_create(type);
	int			n = 0;

	reader->renaming = renaming;
	while (reader_next(reader))
	{
		/*
		 * One with several times comes in pieces, and is known by none of
		 * them.
		 */
		if (!id_table_add(met, reader->match.id))
			continue;
		if (n == nmatches)
			elog(ERROR, "source returned a match that was not asked for");

		/* The identifier lives only as long as the match. */
		match[n] = id_copy(type, reader->match.id);
		old_digest[n] = Int64GetDatum(reader->digests.old_names);
		new_digest[n] = Int64GetDatum(reader->digests.new_names);
		n++;
	}
	reader_close(reader);
	return (int64) ladder_execute(ladder, &rename_digests_query,
								  DATUMS(id_array(type, match, n), int8_array(old_digest, n),
										 int8_array(new_digest, n)),
								  NULL, NULL);
}

/* rename_digests(ladder, players, pseudonyms, own) */
SQL_FUNCTION(skillrating_rename_digests)
{
	ArrayType  *players = PG_GETARG_ARRAYTYPE_P(1);
	ArrayType  *pseudonyms = PG_GETARG_ARRAYTYPE_P(2);
	bool		own = PG_GETARG_BOOL(3);
	Ladder	   *ladder;
	Renaming	renaming;
	Datum	   *old_id;
	Datum	   *new_id;
	int			n;
	int			nnew;
	int64		result;

	ladder = ladder_open_inside(fcinfo);
	ladder_maintain(ladder);

	old_id = read_ids(ladder->player_type, players, "players", &n);
	new_id = read_ids(ladder->player_type, pseudonyms, "pseudonyms", &nnew);
	if (n != nnew)
		elog(ERROR, "%d players and %d pseudonyms", n, nnew);
	renaming.old_id = name_table(ladder->player_type, new_id, old_id, n);
	renaming.new_id = name_table(ladder->player_type, old_id, new_id, n);
	renaming.words = own ? words_create(players) : NULL;
	result = rename_matches(ladder, matches_of(ladder, old_id, new_id, n), &renaming);
	ladder_close(ladder);
	PG_RETURN_INT64(result);
}
