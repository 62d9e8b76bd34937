/*
 * ladder.c
 *		Ladders: finding them, and the queries on their tables.
 *
 * The plans of a ladder's queries are kept for the session.  Their texts are
 * made of names looked up by OID and printed back qualified, operators too, so
 * that no search_path has a say; any change to one of the ladder's relations
 * has them made again.
 */
#include "pg/ladder/ladder.h"

#include <stddef.h>

#include "access/htup_details.h"
#include "access/table.h"
#include "catalog/namespace.h"
#include "catalog/pg_class.h"
#include "catalog/pg_type.h"
#include "lib/stringinfo.h"
#include "miscadmin.h"
#include "rewrite/rewriteHandler.h"
#include "storage/lmgr.h"
#include "utils/acl.h"
#include "utils/builtins.h"
#include "utils/guc.h"
#include "utils/hsearch.h"
#include "utils/inval.h"
#include "utils/lsyscache.h"
#include "utils/memutils.h"
#include "utils/rel.h"
#include "utils/syscache.h"

static const char *const relation_names[LADDER_NRELATIONS] = {
	"ladder", "rating", "event", "rated_match", "pending", "correction",
	"operation", "source", "attached", "event_seq"
};

struct LadderCache
{
	Oid			schema;			/* hash key */
	bool		valid;
	MemoryContext context;		/* of all that follows */
	Oid			relation[LADDER_NRELATIONS];
	Oid			owner;
	Oid			view;			/* of the user, that the source is made of */
	char	   *name;
	IdType		player_type;
	IdType		match_type;
	SPIPlanPtr	plan[LADDER_NQUERIES];
};

static HTAB *ladder_caches = NULL;

/* A number among the parameters of an operation. */
#define NUMBER_OF(name) \
	"CAST(pg_catalog.jsonb_object_field_text(params, '" name "') AS pg_catalog.float8)"

/* Operations that change which matches and players count. */
#define FILTERS_ARE_SET "kind IN ('exclude', 'merge') AND undone_at IS NULL"

/* The optional arrays: which source column each is, and its type in SQL. */
typedef struct LadderArraySpec
{
	SourceColumn column;
	Oid			type;
} LadderArraySpec;

static const LadderArraySpec ladder_arrays[LADDER_NARRAYS] = {
	[ARRAY_RANK] = {SOURCE_RANK, INT4ARRAYOID},
	[ARRAY_WEIGHT] = {SOURCE_WEIGHT, FLOAT8ARRAYOID},
	[ARRAY_JOINED] = {SOURCE_JOINED, FLOAT8ARRAYOID},
	[ARRAY_LEFT] = {SOURCE_LEFT, FLOAT8ARRAYOID},
	[ARRAY_COMMANDING] = {SOURCE_COMMANDING, FLOAT8ARRAYOID},
	[ARRAY_SIDE] = {SOURCE_SIDE, INT4ARRAYOID},
	[ARRAY_SCORE] = {SOURCE_SCORE, FLOAT8ARRAYOID},
	[ARRAY_SQUAD] = {SOURCE_SQUAD, INT8ARRAYOID},
	[ARRAY_KILLS] = {SOURCE_KILLS, INT4ARRAYOID},
	[ARRAY_DEATHS] = {SOURCE_DEATHS, INT4ARRAYOID},
	[ARRAY_QUIT] = {SOURCE_QUIT, BOOLARRAYOID},
	[ARRAY_EXPERIENCE] = {SOURCE_EXPERIENCE, INT4ARRAYOID},
};

const char *
ladder_array_name(LadderArray array)
{
	return source_columns[ladder_arrays[array].column].name;
}

/* A relation of a ladder as SQL text, from what it is called now. */
static char *
relation_sql(const LadderCache *cache, LadderRelation relation)
{
	return quote_qualified_identifier(cache->name, relation_names[relation]);
}

/* A sibling that is no relation of every ladder, such as match. */
static char *
sibling_sql(const LadderCache *cache, const char *name)
{
	return quote_qualified_identifier(cache->name, name);
}

/*
 * The select list over a source aliased s: every canonical column, those that
 * it lacks as nulls.
 */
static void
append_source_list(StringInfo sql, const LadderCache *cache)
{
	int			i;

	for (i = 0; i < SOURCE_NCOLUMNS; i++)
	{
		const SourceColumnSpec *spec = &source_columns[i];
		AttrNumber	attnum = get_attnum(cache->relation[LADDER_SOURCE],
										spec->name);
		const char *type = spec->type ? spec->type :
			i == SOURCE_MATCH_ID ? cache->match_type.name :
			cache->player_type.name;

		if (i > 0)
			appendStringInfoString(sql, ", ");
		if (attnum == InvalidAttrNumber)
		{
			if (strcmp(spec->needed, "yes") == 0)
				ereport(ERROR,
						(errcode(ERRCODE_UNDEFINED_COLUMN),
						 errmsg("view %s has no column \"%s\"",
								relation_sql(cache, LADDER_SOURCE), spec->name),
						 errhint("A source needs match_id, played_at, player_id, team, and rank, score or won.")));
			appendStringInfo(sql, "CAST(NULL AS %s)", type);
		}
		else if (get_atttype(cache->relation[LADDER_SOURCE], attnum) == BOOLOID)
			appendStringInfo(sql, "CAST(CAST(s.%s AS pg_catalog.int4) AS %s)",
							 quote_identifier(spec->name), type);
		else
			appendStringInfo(sql, "CAST(s.%s AS %s)",
							 quote_identifier(spec->name), type);
		appendStringInfo(sql, " AS %s", quote_identifier(spec->name));
	}
}

/* The types of the optional arrays, as further parameters of a query. */
static void
append_array_types(Oid *argtypes, int *nargs)
{
	int			i;

	for (i = 0; i < LADDER_NARRAYS; i++)
		argtypes[(*nargs)++] = ladder_arrays[i].type;
}

/*
 * A FROM item a over parallel arrays: players and teams are the parameters
 * from first on, and behind them come the optional arrays.
 */
static void
append_unnest(StringInfo sql, int first, bool ordinality)
{
	int			i;

	appendStringInfoString(sql, " FROM ROWS FROM (");
	for (i = 0; i < 2 + LADDER_NARRAYS; i++)
		appendStringInfo(sql, "%spg_catalog.unnest($%d)", i > 0 ? ", " : "",
						 first + i);
	appendStringInfo(sql, ")%s AS a(player_id, team",
					 ordinality ? " WITH ORDINALITY" : "");
	for (i = 0; i < LADDER_NARRAYS; i++)
		appendStringInfo(sql, ", %s", quote_identifier(ladder_array_name(i)));
	appendStringInfo(sql, "%s)", ordinality ? ", n" : "");
}

/* The columns of a player's row, states in the middle. */
static void
append_state_columns(StringInfo sql, const Model *model, const char *prefix)
{
	int			i;

	for (i = 0; i < model->nstate; i++)
		appendStringInfo(sql, "%s%s, ", prefix,
						 quote_identifier(model->state[i].name));
}

static void
append_player_list(StringInfo sql, const Model *model)
{
	appendStringInfoString(sql, "SELECT r.player_id, r.pool, ");
	append_state_columns(sql, model, "r.");
	appendStringInfoString(sql,
						   "r.games, r.wins, r.draws, r.losses, r.last_played ");
}

static void
append_event_list(StringInfo sql, const Model *model)
{
	int			i;

	appendStringInfoString(sql,
						   "seq, match_id, player_id, pool, kind, team, games, played_at, last_played, score, "
						   "win_probability, reason");
	for (i = 0; i < model->nstate; i++)
		appendStringInfo(sql, ", %s, %s",
						 quote_identifier(psprintf("%s_before", model->state[i].name)),
						 quote_identifier(psprintf("%s_after", model->state[i].name)));
}

/* Whether the player of a row r of rating has events. */
static void
append_has_events(StringInfo sql, const LadderCache *cache)
{
	appendStringInfo(sql,
					 "EXISTS (SELECT FROM %s AS e WHERE e.player_id %s r.player_id "
					 "AND e.pool OPERATOR(pg_catalog.=) r.pool)",
					 relation_sql(cache, LADDER_EVENT),
					 cache->player_type.equals);
}

static void
append_event_key(StringInfo sql, const LadderCache *cache)
{
	appendStringInfo(sql,
					 "e.player_id %s b.player_id AND e.pool OPERATOR(pg_catalog.=) b.pool "
					 "AND e.seq OPERATOR(pg_catalog.=) b.seq",
					 cache->player_type.equals);
}

/*
 * Players as they were before $1: the row that rating has now (null if none),
 * what of its counts came from $1 on, and the last event before (null if none).
 * The columns are in replay.c.
 */
static void
append_players_at(StringInfo sql, const Ladder *ladder, LadderQuery query,
				  Oid *argtypes, int *nargs)
{
	static const char counts[] =
		"pg_catalog.count(score) AS games, "
		"pg_catalog.count(*) FILTER (WHERE score OPERATOR(pg_catalog.=) 1) AS wins, "
		"pg_catalog.count(*) FILTER (WHERE score OPERATOR(pg_catalog.=) 0.5) AS draws, "
		"pg_catalog.count(*) FILTER (WHERE score OPERATOR(pg_catalog.=) 0) AS losses";
	const LadderCache *cache = ladder->cache;
	const Model *model = ladder->model;
	const char *events = relation_sql(cache, LADDER_EVENT);
	const char *equals = cache->player_type.equals;
	int			i;

	argtypes[(*nargs)++] = INT8OID;
	appendStringInfoString(sql, "SELECT c.player_id, c.pool, r.player_id IS NOT NULL, ");
	append_state_columns(sql, model, "r.");
	appendStringInfoString(sql,
						   "r.games, r.wins, r.draws, r.losses, r.last_played, "
						   "c.games, c.wins, c.draws, c.losses, "
						   "e.seq IS NOT NULL, ");
	for (i = 0; i < model->nstate; i++)
		appendStringInfo(sql, "e.%s, ",
						 quote_identifier(psprintf("%s_after", model->state[i].name)));
	if (query == QUERY_SHARED_AT)
		appendStringInfo(sql,
						 "(SELECT pg_catalog.max(p.played_at) FROM %s AS p WHERE p.player_id %s c.player_id "
						 "AND p.seq OPERATOR(pg_catalog.<) $1 AND p.score IS NOT NULL) ",
						 events, equals);
	else
		appendStringInfoString(sql,
							   "CASE WHEN e.score IS NULL THEN e.last_played ELSE "
							   "GREATEST(e.last_played, e.played_at) END ");

	if (query == QUERY_PLAYERS_AT)
		appendStringInfo(sql,
						 "FROM (SELECT player_id, pool, %s FROM %s WHERE seq OPERATOR(pg_catalog.>=) $1 "
						 "GROUP BY player_id, pool) AS c ",
						 counts, events);
	else
	{
		argtypes[(*nargs)++] = cache->player_type.array_type;
		argtypes[(*nargs)++] = TEXTARRAYOID;
		appendStringInfo(sql,
						 "FROM (SELECT k.player_id, k.pool, n.games, n.wins, n.draws, n.losses "
						 "FROM ROWS FROM (pg_catalog.unnest($2), pg_catalog.unnest($3)) AS k(player_id, pool) "
						 "CROSS JOIN LATERAL (SELECT %s FROM %s AS m WHERE m.player_id %s k.player_id "
						 "%s AND m.seq OPERATOR(pg_catalog.>=) $1) AS n) AS c ",
						 counts, events, equals,
						 query == QUERY_SHARED_AT ? "" : "AND m.pool OPERATOR(pg_catalog.=) k.pool");
	}
	appendStringInfo(sql,
					 "LEFT JOIN %s AS r ON r.player_id %s c.player_id AND r.pool OPERATOR(pg_catalog.=) c.pool "
					 "LEFT JOIN LATERAL (SELECT * FROM %s AS l WHERE l.player_id %s c.player_id %s "
					 "AND l.seq OPERATOR(pg_catalog.<) $1 ORDER BY l.seq DESC LIMIT 1) AS e ON true",
					 relation_sql(cache, LADDER_RATING), equals, events, equals,
					 query == QUERY_SHARED_AT ? "" : "AND l.pool OPERATOR(pg_catalog.=) c.pool");
}

/*
 * The text of a query and the types of its parameters.  Model-dependent parts
 * come from the ladder, the rest from its cache.
 */
static char *
query_text(const Ladder *ladder, LadderQuery query, Oid *argtypes, int *nargs)
{
	const LadderCache *cache = ladder->cache;
	const Model *model = ladder->model;
	Oid			match_array = cache->match_type.array_type;
	Oid			player_array = cache->player_type.array_type;
	StringInfoData sql;
	int			i;

	initStringInfo(&sql);
	*nargs = 0;
	switch (query)
	{
		case QUERY_CONFIG:
			appendStringInfo(&sql,
							 "SELECT model, params, apply_at, format_version, EXISTS (SELECT FROM %s WHERE "
							 FILTERS_ARE_SET "), late FROM %s",
							 relation_sql(cache, LADDER_OPERATION),
							 relation_sql(cache, LADDER_CONFIG));
			break;

		case QUERY_FILTERS:
			appendStringInfo(&sql,
							 "SELECT kind, player_id, into_id, since, until FROM %s WHERE "
							 FILTERS_ARE_SET " ORDER BY seq",
							 relation_sql(cache, LADDER_OPERATION));
			break;

		case QUERY_READ_OPERATIONS:
			argtypes[(*nargs)++] = INT8OID;
			appendStringInfo(&sql,
							 "SELECT seq, kind, pool, player_id, at, reason, state, "
							 NUMBER_OF("keep") ", " NUMBER_OF("rate") ", " NUMBER_OF("floor") ", "
							 NUMBER_OF("mean") ", " NUMBER_OF("half_life_days") ", " NUMBER_OF("grace_days") ", "
							 "CAST(pg_catalog.jsonb_object_field_text(params, 'counted_from') AS pg_catalog.timestamptz) "
							 "FROM %s AS o "
							 "WHERE undone_at IS NULL AND kind IN ('season', 'decay', 'set', 'seed') "
							 "AND seq OPERATOR(pg_catalog.>=) $1 AND NOT EXISTS (SELECT FROM %s AS m WHERE m.kind IN ('merge') "
							 "AND m.undone_at IS NULL AND m.player_id %s o.player_id) "
							 "ORDER BY seq, player_id%s, pool COLLATE pg_catalog.\"C\"",
							 relation_sql(cache, LADDER_OPERATION),
							 relation_sql(cache, LADDER_OPERATION),
							 cache->player_type.equals,
							 cache->player_type.order);
			break;

		case QUERY_CORRECT:
			argtypes[(*nargs)++] = INT8ARRAYOID;
			argtypes[(*nargs)++] = match_array;
			argtypes[(*nargs)++] = TEXTARRAYOID;
			argtypes[(*nargs)++] = TIMESTAMPTZARRAYOID;
			appendStringInfo(&sql,
							 "INSERT INTO %s (seq, match_id, kind, played_at) "
							 "SELECT CASE WHEN c.kind OPERATOR(pg_catalog.<>) 'late' THEN c.seq END, c.match_id, c.kind, c.played_at "
							 "FROM ROWS FROM (pg_catalog.unnest($1), pg_catalog.unnest($2), pg_catalog.unnest($3), "
							 "pg_catalog.unnest($4)) AS c(seq, match_id, kind, played_at)",
							 relation_sql(cache, LADDER_CORRECTION));
			break;

		case QUERY_LAST_OPERATION:
			appendStringInfo(&sql,
							 "SELECT pg_catalog.max(at) FROM %s WHERE undone_at IS NULL "
							 "AND kind IN ('season', 'decay', 'set', 'seed')",
							 relation_sql(cache, LADDER_OPERATION));
			break;

		case QUERY_PLAYED_AT_LEAST:
			argtypes[(*nargs)++] = TIMESTAMPTZOID;
			appendStringInfo(&sql,
							 "SELECT FROM %s WHERE seq IS NOT NULL AND played_at OPERATOR(pg_catalog.>=) $1 LIMIT 1",
							 relation_sql(cache, LADDER_RATED_MATCH));
			break;

		case QUERY_TIED:
			argtypes[(*nargs)++] = player_array;
			argtypes[(*nargs)++] = TEXTOID;
			argtypes[(*nargs)++] = TIMESTAMPTZOID;
			argtypes[(*nargs)++] = cache->match_type.type;
			appendStringInfo(&sql,
							 "SELECT FROM (SELECT u.match_id FROM "
							 "(SELECT e.match_id FROM %s AS e WHERE e.player_id %s ANY ($1) "
							 "AND e.pool OPERATOR(pg_catalog.=) $2 AND e.played_at OPERATOR(pg_catalog.=) $3 "
							 "AND e.match_id IS NOT NULL UNION ALL SELECT $4) AS u(match_id) "
							 "ORDER BY u.match_id%s DESC LIMIT 1) AS l WHERE NOT l.match_id %s $4",
							 relation_sql(cache, LADDER_EVENT),
							 cache->player_type.equals,
							 cache->match_type.order,
							 cache->match_type.equals);
			break;

		case QUERY_RESEQUENCE:
			argtypes[(*nargs)++] = TEXTOID;
			argtypes[(*nargs)++] = BOOLOID;
			appendStringInfoString(&sql, "SELECT skillrating_internal.resequence($1, $2)");
			break;

		case QUERY_TAKE_CORRECTIONS:
			appendStringInfo(&sql,
							 "WITH c AS (DELETE FROM %s RETURNING seq) SELECT pg_catalog.min(seq) FROM c",
							 relation_sql(cache, LADDER_CORRECTION));
			break;

		case QUERY_COLLECT:
			argtypes[(*nargs)++] = match_array;
			argtypes[(*nargs)++] = BOOLOID;
			appendStringInfo(&sql,
							 "INSERT INTO %s (match_id, xact, fires) "
							 "SELECT i.id, pg_catalog.pg_current_xact_id(), $2 AND i.n OPERATOR(pg_catalog.=) 1 "
							 "FROM pg_catalog.unnest($1) WITH ORDINALITY AS i(id, n)",
							 relation_sql(cache, LADDER_PENDING));
			break;

		case QUERY_ATTACHED:
			argtypes[(*nargs)++] = OIDOID;
			appendStringInfo(&sql,
							 "SELECT match_id FROM %s WHERE relation OPERATOR(pg_catalog.=) $1",
							 relation_sql(cache, LADDER_ATTACHED));
			break;

		case QUERY_DRAIN:
			appendStringInfo(&sql,
							 "DELETE FROM %s WHERE xact OPERATOR(pg_catalog.=) pg_catalog.pg_current_xact_id() "
							 "RETURNING match_id",
							 relation_sql(cache, LADDER_PENDING));
			break;

		case QUERY_DRAIN_ALL:
			appendStringInfo(&sql, "DELETE FROM %s RETURNING match_id",
							 relation_sql(cache, LADDER_PENDING));
			break;

		case QUERY_READ:
			argtypes[(*nargs)++] = match_array;
			appendStringInfoString(&sql, "SELECT ");
			append_source_list(&sql, cache);
			appendStringInfo(&sql,
							 " FROM %s AS s WHERE s.match_id %s ANY ($1)"
							 " ORDER BY 2, \"match_id\"%s",
							 relation_sql(cache, LADDER_SOURCE),
							 cache->match_type.equals,
							 cache->match_type.order);
			break;

		case QUERY_READ_ARRAYS:
			argtypes[(*nargs)++] = cache->match_type.type;
			argtypes[(*nargs)++] = TIMESTAMPTZOID;
			argtypes[(*nargs)++] = TEXTOID; /* pool */
			argtypes[(*nargs)++] = FLOAT8OID;	/* log_odds */
			argtypes[(*nargs)++] = FLOAT8OID;	/* gain */
			argtypes[(*nargs)++] = player_array;
			argtypes[(*nargs)++] = INT4ARRAYOID;	/* team */
			append_array_types(argtypes, nargs);
			appendStringInfoString(&sql,
								   "SELECT $1 AS match_id, $2 AS played_at, a.team, a.player_id, $3 AS pool, $4 AS log_odds, "
								   "$5 AS gain, CAST(NULL AS pg_catalog.text) AS unrated_reason");
			for (i = SOURCE_RANK; i < SOURCE_NCOLUMNS; i++)
			{
				const char *name = source_columns[i].name;

				if (i == SOURCE_WON)
					appendStringInfoString(&sql, ", CAST(NULL AS pg_catalog.float8)");
				else if (i == SOURCE_QUIT)
					appendStringInfoString(&sql, ", CAST(CAST(a.quit AS pg_catalog.int4) AS pg_catalog.float8)");
				else
					appendStringInfo(&sql, ", CAST(a.%s AS pg_catalog.float8)",
									 quote_identifier(name));
			}
			append_unnest(&sql, 6, false);
			break;

		case QUERY_READ_RATED:
			argtypes[(*nargs)++] = INT8OID;
			appendStringInfoString(&sql, "SELECT ");
			append_source_list(&sql, cache);
			appendStringInfo(&sql,
							 ", m.seq, m.digest, m.status, m.reason, m.void_reason, m.match_id "
							 "FROM %s AS m LEFT JOIN %s AS s ON s.match_id %s m.match_id "
							 "WHERE m.seq OPERATOR(pg_catalog.>=) $1 ORDER BY m.seq",
							 relation_sql(cache, LADDER_RATED_MATCH),
							 relation_sql(cache, LADDER_SOURCE),
							 cache->match_type.equals);
			break;

		case QUERY_NEW_PLAYERS:
			argtypes[(*nargs)++] = player_array;
			argtypes[(*nargs)++] = TEXTARRAYOID;
			argtypes[(*nargs)++] = FLOAT8ARRAYOID;

			/*
			 * Most players are known, and looking first costs less than to
			 * find the conflict; the conflict is for those who come
			 * meanwhile.
			 */
			appendStringInfo(&sql, "INSERT INTO %s (",
							 relation_sql(cache, LADDER_RATING));
			append_state_columns(&sql, model, "");
			appendStringInfoString(&sql, "player_id, pool) SELECT ");
			for (i = 0; i < model->nstate; i++)
				appendStringInfo(&sql, "$3[%d], ", i + 1);
			appendStringInfo(&sql,
							 "k.player_id, k.pool FROM ROWS FROM (pg_catalog.unnest($1), pg_catalog.unnest($2)) "
							 "AS k(player_id, pool) WHERE NOT EXISTS (SELECT FROM %s AS r WHERE r.player_id %s k.player_id "
							 "AND r.pool OPERATOR(pg_catalog.=) k.pool) "
							 "ORDER BY k.player_id%s, k.pool COLLATE pg_catalog.\"C\" "
							 "ON CONFLICT (player_id, pool) DO NOTHING",
							 relation_sql(cache, LADDER_RATING),
							 cache->player_type.equals,
							 cache->player_type.order);
			break;

		case QUERY_LOCK_PLAYERS:
		case QUERY_PEEK_PLAYERS:
			argtypes[(*nargs)++] = player_array;
			argtypes[(*nargs)++] = TEXTARRAYOID;
			append_player_list(&sql, model);
			appendStringInfo(&sql,
							 "FROM ROWS FROM (pg_catalog.unnest($1), pg_catalog.unnest($2)) AS k(player_id, pool) "
							 "JOIN %s AS r ON r.player_id %s k.player_id AND r.pool OPERATOR(pg_catalog.=) k.pool ",
							 relation_sql(cache, LADDER_RATING),
							 cache->player_type.equals);
			if (query == QUERY_LOCK_PLAYERS)
				appendStringInfo(&sql,
								 "ORDER BY r.player_id%s, r.pool COLLATE pg_catalog.\"C\" FOR NO KEY UPDATE OF r",
								 cache->player_type.order);
			break;

		case QUERY_ALL_PLAYERS:
		case QUERY_PLAYED:
			append_player_list(&sql, model);
			appendStringInfo(&sql, "FROM %s AS r",
							 relation_sql(cache, LADDER_RATING));
			if (query == QUERY_PLAYED)
			{
				appendStringInfoString(&sql, " WHERE r.games OPERATOR(pg_catalog.>) 0 OR ");
				append_has_events(&sql, cache);
			}
			break;

		case QUERY_PLAYERS_AT:
		case QUERY_SOME_PLAYERS_AT:
		case QUERY_SHARED_AT:
			append_players_at(&sql, ladder, query, argtypes, nargs);
			break;

		case QUERY_RATED:
			argtypes[(*nargs)++] = match_array;
			appendStringInfo(&sql,
							 "SELECT m.match_id, m.status OPERATOR(pg_catalog.=) 'rated', m.digest, m.seq, m.void_reason, m.played_at "
							 "FROM %s AS m WHERE m.match_id %s ANY ($1)",
							 relation_sql(cache, LADDER_RATED_MATCH),
							 cache->match_type.equals);
			break;

		case QUERY_FORGET_UNRATED:
			argtypes[(*nargs)++] = match_array;
			appendStringInfo(&sql,
							 "DELETE FROM %s AS m WHERE m.match_id %s ANY ($1) AND m.status OPERATOR(pg_catalog.=) 'unrated'",
							 relation_sql(cache, LADDER_RATED_MATCH),
							 cache->match_type.equals);
			break;

		case QUERY_FORGET_MATCHES:
			argtypes[(*nargs)++] = match_array;
			appendStringInfo(&sql,
							 "DELETE FROM %s AS m WHERE m.match_id %s ANY ($1)",
							 relation_sql(cache, LADDER_RATED_MATCH),
							 cache->match_type.equals);
			break;

		case QUERY_UPDATE_EVENTS:
			appendStringInfo(&sql, "UPDATE %s AS e SET (",
							 relation_sql(cache, LADDER_EVENT));
			append_event_list(&sql, model);
			appendStringInfoString(&sql, ") = ROW (b.*) FROM " BATCH_EVENT " AS b WHERE ");
			append_event_key(&sql, cache);
			break;

		case QUERY_DELETE_EVENTS:
			appendStringInfo(&sql, "DELETE FROM %s AS e USING " BATCH_EVENT " AS b WHERE ",
							 relation_sql(cache, LADDER_EVENT));
			append_event_key(&sql, cache);
			break;

		case QUERY_INSERT_EVENTS:
			appendStringInfo(&sql, "INSERT INTO %s (",
							 relation_sql(cache, LADDER_EVENT));
			append_event_list(&sql, model);
			appendStringInfoString(&sql, ") SELECT ");
			append_event_list(&sql, model);
			appendStringInfoString(&sql, " FROM " BATCH_EVENT);
			break;

		case QUERY_INSERT_RATED:
			appendStringInfo(&sql,
							 "INSERT INTO %s AS m (match_id, status, reason, digest, seq, played_at) "
							 "SELECT match_id, status, reason, digest, seq, played_at FROM " BATCH_MATCH
							 " ON CONFLICT (match_id) DO UPDATE SET status = excluded.status, reason = excluded.reason, "
							 "digest = excluded.digest, seq = excluded.seq, played_at = excluded.played_at, "
							 "rated_at = excluded.rated_at WHERE m.seq IS NULL",
							 relation_sql(cache, LADDER_RATED_MATCH));
			break;

		case QUERY_UPDATE_RATED:
			appendStringInfo(&sql,
							 "UPDATE %s AS m SET status = b.status, reason = b.reason, digest = b.digest, "
							 "played_at = b.played_at, rated_at = pg_catalog.now() "
							 "FROM " BATCH_MATCH " AS b WHERE m.match_id %s b.match_id",
							 relation_sql(cache, LADDER_RATED_MATCH),
							 cache->match_type.equals);
			break;

		case QUERY_INSERT_RATINGS:
			appendStringInfo(&sql, "INSERT INTO %s (player_id, pool, ",
							 relation_sql(cache, LADDER_RATING));
			append_state_columns(&sql, model, "");
			appendStringInfoString(&sql,
								   "games, wins, draws, losses, last_played) "
								   "SELECT b.player_id, b.pool, ");
			append_state_columns(&sql, model, "b.");
			appendStringInfoString(&sql,
								   "b.games, b.wins, b.draws, b.losses, b.last_played FROM " BATCH_RATING " AS b");
			break;

		case QUERY_DELETE_RATINGS:
			appendStringInfo(&sql,
							 "DELETE FROM %s AS r USING " BATCH_RATING " AS b "
							 "WHERE r.player_id %s b.player_id AND r.pool OPERATOR(pg_catalog.=) b.pool",
							 relation_sql(cache, LADDER_RATING),
							 cache->player_type.equals);
			break;

		case QUERY_UPDATE_RATINGS:
			appendStringInfo(&sql, "UPDATE %s AS r SET ",
							 relation_sql(cache, LADDER_RATING));
			for (i = 0; i < model->nstate; i++)
				appendStringInfo(&sql, "%s = b.%s, ",
								 quote_identifier(model->state[i].name),
								 quote_identifier(model->state[i].name));
			appendStringInfo(&sql,
							 "games = b.games, wins = b.wins, draws = b.draws, losses = b.losses, "
							 "last_played = b.last_played FROM " BATCH_RATING " AS b "
							 "WHERE r.player_id %s b.player_id AND r.pool OPERATOR(pg_catalog.=) b.pool",
							 cache->player_type.equals);
			break;

		case QUERY_READ_EVENTS:
		case QUERY_MATCH_EVENTS:
			appendStringInfoString(&sql, "SELECT ");
			append_event_list(&sql, model);
			appendStringInfo(&sql, " FROM %s WHERE seq OPERATOR(pg_catalog.%s) $1",
							 relation_sql(cache, LADDER_EVENT),
							 query == QUERY_MATCH_EVENTS ? "=" : ">=");
			argtypes[(*nargs)++] = INT8OID;
			if (query == QUERY_MATCH_EVENTS)
			{
				argtypes[(*nargs)++] = player_array;
				appendStringInfo(&sql,
								 " AND player_id %s ANY ($2) ORDER BY player_id%s",
								 cache->player_type.equals,
								 cache->player_type.order);
			}
			else
				appendStringInfoString(&sql, " ORDER BY seq");
			break;

		case QUERY_COUNTS:
			appendStringInfo(&sql,
							 "SELECT (SELECT pg_catalog.count(DISTINCT s.match_id) FROM %s AS s WHERE NOT EXISTS "
							 "(SELECT FROM %s AS m WHERE m.match_id %s s.match_id)), "
							 "(SELECT pg_catalog.count(*) FROM %s), (SELECT pg_catalog.count(*) FROM %s)",
							 relation_sql(cache, LADDER_SOURCE),
							 relation_sql(cache, LADDER_RATED_MATCH),
							 cache->match_type.equals,
							 relation_sql(cache, LADDER_RATED_MATCH),
							 relation_sql(cache, LADDER_CORRECTION));
			break;

		case QUERY_UNPLACED:
			appendStringInfo(&sql,
							 "SELECT s.match_id FROM %s AS s WHERE NOT EXISTS (SELECT FROM %s AS m "
							 "WHERE m.match_id %s s.match_id AND m.seq IS NOT NULL) "
							 "UNION SELECT m.match_id FROM %s AS m WHERE m.seq IS NULL",
							 relation_sql(cache, LADDER_SOURCE),
							 relation_sql(cache, LADDER_RATED_MATCH),
							 cache->match_type.equals,
							 relation_sql(cache, LADDER_RATED_MATCH));
			break;

		case QUERY_DELETE_UNPLAYED:
			appendStringInfo(&sql, "DELETE FROM %s AS r WHERE r.games OPERATOR(pg_catalog.=) 0 AND NOT ",
							 relation_sql(cache, LADDER_RATING));
			append_has_events(&sql, cache);
			break;

		case QUERY_DELETE_PARTICIPANTS:
			argtypes[(*nargs)++] = cache->match_type.type;
			appendStringInfo(&sql, "DELETE FROM %s AS p WHERE p.match_id %s $1",
							 sibling_sql(cache, "match_player"),
							 cache->match_type.equals);
			break;

		case QUERY_INSERT_MATCH:
		case QUERY_UPDATE_MATCH:
			argtypes[(*nargs)++] = cache->match_type.type;
			argtypes[(*nargs)++] = TIMESTAMPTZOID;
			argtypes[(*nargs)++] = TEXTOID;
			argtypes[(*nargs)++] = FLOAT8OID;
			argtypes[(*nargs)++] = FLOAT8OID;
			if (query == QUERY_UPDATE_MATCH)
			{
				appendStringInfo(&sql,
								 "UPDATE %s AS m SET played_at = $2, pool = $3, log_odds = $4, gain = $5 "
								 "WHERE m.match_id %s $1",
								 sibling_sql(cache, "match"),
								 cache->match_type.equals);
				break;
			}
			appendStringInfo(&sql,
							 "INSERT INTO %s (match_id, played_at, pool, log_odds, gain) "
							 "VALUES ($1, COALESCE($2, pg_catalog.now()), $3, $4, $5) ON CONFLICT (match_id) DO NOTHING",
							 sibling_sql(cache, "match"));
			break;

		case QUERY_INSERT_PARTICIPANTS:
			argtypes[(*nargs)++] = cache->match_type.type;
			argtypes[(*nargs)++] = player_array;
			argtypes[(*nargs)++] = INT4ARRAYOID;	/* team */
			append_array_types(argtypes, nargs);
			appendStringInfo(&sql,
							 "INSERT INTO %s (match_id, player_id, stint, team",
							 sibling_sql(cache, "match_player"));
			for (i = 0; i < LADDER_NARRAYS; i++)
				appendStringInfo(&sql, ", %s",
								 quote_identifier(ladder_array_name(i)));
			appendStringInfoString(&sql,
								   ") SELECT $1, a.player_id, pg_catalog.row_number() OVER (PARTITION BY a.player_id ORDER BY a.n), a.team");
			for (i = 0; i < LADDER_NARRAYS; i++)
				appendStringInfo(&sql, ", a.%s",
								 quote_identifier(ladder_array_name(i)));
			append_unnest(&sql, 2, true);
			break;

		case LADDER_NQUERIES:
			elog(ERROR, "no such query");
	}
	return sql.data;
}

/* A descriptor from names and types. */
static void
desc_column(TupleDesc desc, int *n, const char *name, Oid type)
{
	TupleDescInitEntry(desc, (AttrNumber) ++(*n), name, type, -1, 0);
}

TupleDesc
ladder_event_desc(const Ladder *ladder)
{
	const Model *model = ladder->model;
	TupleDesc	desc = CreateTemplateTupleDesc(EVENT_NCOLUMNS + 2 * model->nstate);
	int			n = 0;
	int			i;

	desc_column(desc, &n, "seq", INT8OID);
	desc_column(desc, &n, "match_id", ladder->match_type->type);
	desc_column(desc, &n, "player_id", ladder->player_type->type);
	desc_column(desc, &n, "pool", TEXTOID);
	desc_column(desc, &n, "kind", TEXTOID);
	desc_column(desc, &n, "team", INT4OID);
	desc_column(desc, &n, "games", INT4OID);
	desc_column(desc, &n, "played_at", TIMESTAMPTZOID);
	desc_column(desc, &n, "last_played", TIMESTAMPTZOID);
	desc_column(desc, &n, "score", FLOAT8OID);
	desc_column(desc, &n, "win_probability", FLOAT8OID);
	desc_column(desc, &n, "reason", TEXTOID);
	for (i = 0; i < model->nstate; i++)
	{
		desc_column(desc, &n, psprintf("%s_before", model->state[i].name),
					FLOAT8OID);
		desc_column(desc, &n, psprintf("%s_after", model->state[i].name),
					FLOAT8OID);
	}
	return desc;
}

TupleDesc
ladder_match_desc(const Ladder *ladder)
{
	TupleDesc	desc = CreateTemplateTupleDesc(6);
	int			n = 0;

	desc_column(desc, &n, "match_id", ladder->match_type->type);
	desc_column(desc, &n, "status", TEXTOID);
	desc_column(desc, &n, "reason", TEXTOID);
	desc_column(desc, &n, "digest", INT8OID);
	desc_column(desc, &n, "seq", INT8OID);
	desc_column(desc, &n, "played_at", TIMESTAMPTZOID);
	return desc;
}

TupleDesc
ladder_rating_desc(const Ladder *ladder)
{
	const Model *model = ladder->model;
	TupleDesc	desc = CreateTemplateTupleDesc(7 + model->nstate);
	int			n = 0;
	int			i;

	desc_column(desc, &n, "player_id", ladder->player_type->type);
	desc_column(desc, &n, "pool", TEXTOID);
	for (i = 0; i < model->nstate; i++)
		desc_column(desc, &n, model->state[i].name, FLOAT8OID);
	desc_column(desc, &n, "games", INT8OID);
	desc_column(desc, &n, "wins", INT8OID);
	desc_column(desc, &n, "draws", INT8OID);
	desc_column(desc, &n, "losses", INT8OID);
	desc_column(desc, &n, "last_played", TIMESTAMPTZOID);
	return desc;
}

/* The plan of a query: kept, or for many rows made for this once. */
static SPIPlanPtr
ladder_plan(Ladder *ladder, LadderQuery query)
{
	SPIPlanPtr	plan = ladder->large ? NULL : ladder->cache->plan[query];
	Oid			argtypes[LADDER_MAX_ARGS];
	int			nargs;
	char	   *text;

	if (plan != NULL)
		return plan;
	text = query_text(ladder, query, argtypes, &nargs);
	plan = SPI_prepare_cursor(text, nargs, argtypes,
							  ladder->large ? CURSOR_OPT_CUSTOM_PLAN :
							  CURSOR_OPT_GENERIC_PLAN);
	if (plan == NULL)
		elog(ERROR, "could not prepare \"%s\": %s", text,
			 SPI_result_code_string(SPI_result));
	if (!ladder->large)
	{
		SPI_keepplan(plan);
		ladder->cache->plan[query] = plan;
	}
	return plan;
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
ladder_execute(Ladder *ladder, LadderQuery query, const Datum *values,
			   const bool *nulls, DestReceiver *dest)
{
	SPIPlanPtr	plan = ladder_plan(ladder, query);
	SPIExecuteOptions options = {0};
	int			result;

	options.params = plan_params(plan, values, nulls);
	options.read_only = ladder->read_only;
	options.dest = dest;
	result = SPI_execute_plan_extended(plan, &options);
	if (result < 0)
		elog(ERROR, "could not run query %d of ladder \"%s\": %s", query,
			 ladder->name, SPI_result_code_string(result));
	return SPI_processed;
}

Portal
ladder_cursor(Ladder *ladder, LadderQuery query, const Datum *values)
{
	SPIPlanPtr	plan = ladder_plan(ladder, query);

	return SPI_cursor_open_with_paramlist(NULL, plan,
										  plan_params(plan, values, NULL),
										  ladder->read_only);
}

/*
 * Plans that are out of date may be running at this moment, further up the
 * stack: they are freed with the transaction.
 */
typedef struct RetiredPlans
{
	MemoryContextCallback callback;
	SPIPlanPtr	plan[LADDER_NQUERIES];
	MemoryContext context;
} RetiredPlans;

static void
free_retired_plans(void *arg)
{
	RetiredPlans *retired = (RetiredPlans *) arg;
	int			i;

	for (i = 0; i < LADDER_NQUERIES; i++)
		if (retired->plan[i] != NULL)
			SPI_freeplan(retired->plan[i]);
	if (retired->context != NULL)
		MemoryContextDelete(retired->context);
}

static void
retire_plans(LadderCache *cache)
{
	RetiredPlans *retired = MemoryContextAlloc(TopTransactionContext,
											   sizeof(RetiredPlans));

	memcpy(retired->plan, cache->plan, sizeof(cache->plan));
	retired->context = cache->context;
	retired->callback.func = free_retired_plans;
	retired->callback.arg = retired;
	MemoryContextRegisterResetCallback(TopTransactionContext,
									   &retired->callback);
	memset(cache->plan, 0, sizeof(cache->plan));
	cache->context = NULL;
}

/* Mark the ladder of a relation, or all ladders, as out of date. */
static void
invalidate_ladders(Oid relid)
{
	HASH_SEQ_STATUS status;
	LadderCache *cache;
	int			i;

	hash_seq_init(&status, ladder_caches);
	while ((cache = hash_seq_search(&status)) != NULL)
		for (i = 0; i < LADDER_NRELATIONS; i++)
			if (!OidIsValid(relid) || cache->relation[i] == relid)
				cache->valid = false;
}

static void
invalidate_relation(Datum arg, Oid relid)
{
	(void) arg;
	invalidate_ladders(relid);
}

static void
invalidate_schema(Datum arg, int cache_id, uint32 hash_value)
{
	(void) arg;
	(void) cache_id;
	(void) hash_value;
	invalidate_ladders(InvalidOid);
}

static void
create_caches(void)
{
	HASHCTL		control = {0};

	control.keysize = sizeof(Oid);
	control.entrysize = sizeof(LadderCache);
	ladder_caches = hash_create("skillrating ladders", 16, &control,
								HASH_ELEM | HASH_BLOBS);
	CacheRegisterRelcacheCallback(invalidate_relation, (Datum) 0);
	CacheRegisterSyscacheCallback(NAMESPACEOID, invalidate_schema, (Datum) 0);
}

static Oid
relation_owner(Oid relid)
{
	HeapTuple	tuple = SearchSysCache1(RELOID, ObjectIdGetDatum(relid));
	Oid			owner;

	if (!HeapTupleIsValid(tuple))
		elog(ERROR, "cache lookup failed for relation %u", relid);
	owner = ((Form_pg_class) GETSTRUCT(tuple))->relowner;
	ReleaseSysCache(tuple);
	return owner;
}

/* The type of a column of one of the ladder's tables. */
static Oid
column_type(const LadderCache *cache, LadderRelation relation,
			const char *column)
{
	Oid			relid = cache->relation[relation];
	AttrNumber	attnum = get_attnum(relid, column);

	if (attnum == InvalidAttrNumber)
		ereport(ERROR,
				(errcode(ERRCODE_UNDEFINED_COLUMN),
				 errmsg("table %s has no column \"%s\"",
						relation_sql(cache, relation), column)));
	return get_atttype(relid, attnum);
}

/*
 * The view of the user that source selects from, if it is one.
 */
static Oid
underlying_view(Oid source)
{
	Relation	relation = table_open(source, AccessShareLock);
	Oid			view = InvalidOid;
	ListCell   *lc;

	if (relation->rd_rel->relkind == RELKIND_VIEW)
	{
		foreach(lc, get_view_query(relation)->rtable)
		{
			RangeTblEntry *entry = lfirst_node(RangeTblEntry, lc);

			if (entry->rtekind == RTE_RELATION && entry->relid != source &&
				get_rel_relkind(entry->relid) == RELKIND_VIEW)
				view = entry->relid;
		}
	}
	table_close(relation, AccessShareLock);
	return view;
}

/*
 * The functions in a view run with the rights of who reads it.  A view that has
 * become another role's could be replaced by it.
 */
static void
check_view_owner(const LadderCache *cache)
{
	if (OidIsValid(cache->view) && relation_owner(cache->view) != cache->owner)
		ereport(ERROR,
				(errcode(ERRCODE_INSUFFICIENT_PRIVILEGE),
				 errmsg("source view \"%s\" of ladder \"%s\" belongs to another role",
						get_rel_name(cache->view), cache->name),
				 errhint("Whoever owns a ladder must own its source view.")));
}

static void
fill_cache(LadderCache *cache)
{
	MemoryContext old;
	int			i;

	if (cache->context != NULL)
		retire_plans(cache);
	cache->context = AllocSetContextCreate(CacheMemoryContext,
										   "skillrating ladder",
										   ALLOCSET_SMALL_SIZES);
	old = MemoryContextSwitchTo(cache->context);
	cache->name = get_namespace_name(cache->schema);
	for (i = 0; i < LADDER_NRELATIONS; i++)
	{
		cache->relation[i] = get_relname_relid(relation_names[i],
											   cache->schema);
		if (!OidIsValid(cache->relation[i]))
			ereport(ERROR,
					(errcode(ERRCODE_UNDEFINED_TABLE),
					 errmsg("ladder \"%s\" has no relation \"%s\"",
							cache->name, relation_names[i]),
					 errhint("Ladders are made by skillrating.create_ladder().")));
	}

	/*
	 * The ladder's work runs as its owner, on what these names lead to:
	 * nobody else may have put one of them there.
	 */
	cache->owner = relation_owner(cache->relation[LADDER_CONFIG]);
	for (i = 0; i < LADDER_NRELATIONS; i++)
		if (relation_owner(cache->relation[i]) != cache->owner)
			ereport(ERROR,
					(errcode(ERRCODE_INSUFFICIENT_PRIVILEGE),
					 errmsg("relation %s is not owned by the owner of the ladder",
							relation_sql(cache, i)),
					 errhint("Give all relations of a ladder to one role.")));

	cache->view = underlying_view(cache->relation[LADDER_SOURCE]);

	id_type_init(&cache->player_type,
				 column_type(cache, LADDER_RATING, "player_id"), "player_id");
	id_type_init(&cache->match_type,
				 column_type(cache, LADDER_RATED_MATCH, "match_id"),
				 "match_id");
	MemoryContextSwitchTo(old);
	cache->valid = true;
}

Oid
ladder_schema(const char *name)
{
	Oid			schema = get_namespace_oid(name, true);

	if (!OidIsValid(schema) ||
		!OidIsValid(get_relname_relid(relation_names[LADDER_CONFIG], schema)))
		ereport(ERROR,
				(errcode(ERRCODE_UNDEFINED_OBJECT),
				 errmsg("ladder \"%s\" does not exist", name),
				 errhint("Ladders are made by skillrating.create_ladder().")));
	return schema;
}

static void
read_config(Ladder *ladder)
{
	bool		isnull;
	HeapTuple	tuple;
	TupleDesc	desc;
	const char *apply_at;

	if (ladder_execute(ladder, QUERY_CONFIG, NULL, NULL, NULL) != 1)
		ereport(ERROR,
				(errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
				 errmsg("table %s must have exactly one row",
						relation_sql(ladder->cache, LADDER_CONFIG))));
	tuple = SPI_tuptable->vals[0];
	desc = SPI_tuptable->tupdesc;
	if (DatumGetInt32(SPI_getbinval(tuple, desc, 4, &isnull)) != 1)
		ereport(ERROR,
				(errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
				 errmsg("ladder \"%s\" has a format that this version does not know",
						ladder->name)));
	ladder->model = get_model(SPI_getvalue(tuple, desc, 1));
	ladder->params = get_params(&ladder->model->params,
								DatumGetJsonbP(SPI_getbinval(tuple, desc, 2,
															 &isnull)));
	apply_at = SPI_getvalue(tuple, desc, 3);
	ladder->apply_at = strcmp(apply_at, "commit") == 0 ? APPLY_AT_COMMIT :
		strcmp(apply_at, "statement") == 0 ? APPLY_AT_STATEMENT :
		APPLY_AT_CATCH_UP;
	ladder->filters = DatumGetBool(SPI_getbinval(tuple, desc, 5, &isnull));
	ladder->reorders = strcmp(SPI_getvalue(tuple, desc, 6), "reorder") == 0;
	SPI_freetuptable(SPI_tuptable);
}

Ladder *
ladder_open(Oid schema, LOCKMODE lockmode)
{
	Ladder	   *ladder = palloc0_object(Ladder);
	Oid			relid = get_relname_relid(relation_names[LADDER_CONFIG],
										  schema);
	LadderCache *cache;
	bool		found;

	if (ladder_caches == NULL)
		create_caches();
	if (!OidIsValid(relid))
		ereport(ERROR,
				(errcode(ERRCODE_UNDEFINED_TABLE),
				 errmsg("schema \"%s\" holds no ladder",
						get_namespace_name(schema)),
				 errhint("Ladders are made by skillrating.create_ladder().")));

	/* Waiting for the lock also takes in what others have changed. */
	LockRelationOid(relid, lockmode);

	cache = hash_search(ladder_caches, &schema, HASH_ENTER, &found);
	if (!found)
	{
		cache->valid = false;
		cache->context = NULL;
		memset(cache->relation, 0, sizeof(cache->relation));
		memset(cache->plan, 0, sizeof(cache->plan));
	}
	if (!cache->valid)
		fill_cache(cache);
	check_view_owner(cache);

	ladder->cache = cache;
	ladder->schema = schema;
	ladder->name = cache->name;
	ladder->owner = cache->owner;
	ladder->read_only = (lockmode == AccessShareLock);
	memcpy(ladder->relation, cache->relation, sizeof(cache->relation));
	ladder->player_type = &cache->player_type;
	ladder->match_type = &cache->match_type;
	return ladder;
}

void
ladder_enter(Ladder *ladder, LadderRights rights, LadderScope *scope)
{
	GetUserIdAndSecContext(&scope->user, &scope->security_context);

	/*
	 * A superuser lends a ladder no more than its owner's rights: views and
	 * triggers can call anything.
	 */
	if (rights == RIGHTS_OF_OWNER ||
		(rights == RIGHTS_OF_MEMBER &&
		 has_privs_of_role(scope->user, ladder->owner)))
		SetUserIdAndSecContext(ladder->owner, scope->security_context |
							   SECURITY_LOCAL_USERID_CHANGE);

	scope->guc_level = NewGUCNestLevel();
	(void) set_config_option("search_path", "pg_catalog, pg_temp",
							 PGC_USERSET, PGC_S_SESSION, GUC_ACTION_SAVE,
							 true, 0, false);

	/*
	 * The plans that are kept serve few rows of tables that may grow a
	 * thousandfold before the plans are made again: they must use the keys,
	 * whatever the statistics of the moment say.  Where there is no key, the
	 * price put on that would have the plan compiled each time it runs.
	 */
	(void) set_config_option("enable_seqscan", "off",
							 PGC_USERSET, PGC_S_SESSION, GUC_ACTION_SAVE,
							 true, 0, false);
	(void) set_config_option("jit", "off",
							 PGC_USERSET, PGC_S_SESSION, GUC_ACTION_SAVE,
							 true, 0, false);
	read_config(ladder);
}

void
ladder_expect_many(Ladder *ladder)
{
	ladder->large = true;
	(void) set_config_option("enable_seqscan", "on",
							 PGC_USERSET, PGC_S_SESSION, GUC_ACTION_SAVE,
							 true, 0, false);
}

void
ladder_maintain(Ladder *ladder)
{
	char		kilobytes[32];

	ladder_expect_many(ladder);
	if (work_mem >= maintenance_work_mem)
		return;
	snprintf(kilobytes, sizeof(kilobytes), "%d", maintenance_work_mem);
	(void) set_config_option("work_mem", kilobytes,
							 PGC_USERSET, PGC_S_SESSION, GUC_ACTION_SAVE,
							 true, 0, false);
}

void
ladder_leave(const LadderScope *scope)
{
	AtEOXact_GUC(false, scope->guc_level);
	SetUserIdAndSecContext(scope->user, scope->security_context);
}
