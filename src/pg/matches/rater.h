/*
 * rater.h
 *		Rating matches that come as the rows of a query.
 */
#ifndef PG_MATCHES_RATER_H
#define PG_MATCHES_RATER_H

#include "pg/sql/glue.h"

#include "pg/matches/batch.h"

/* How to rate: the same for many raters, as a query can have many partitions. */
typedef struct RaterRules
{
	char	   *model_name;
	Jsonb	   *json;			/* of the parameters, or NULL */
	const Model *model;
	ParamValue *params;
	IdType		player_type;
} RaterRules;

/*
 * Rules in the current context.  Errors for an unknown model, unknown or unsound
 * parameters, and a type that cannot serve for players.
 */
extern RaterRules *rater_rules(const char *model, Jsonb *params,
							   Oid player_type);

/* Whether these are the rules of that model with those parameters. */
extern bool rater_rules_are(const RaterRules *rules, const char *model,
							const Jsonb *params);

/* Players, and the match that is being read or was rated last. */
typedef struct Rater
{
	RaterRules *rules;
	Batch	   *batch;			/* after rating, batch->step has the events */
	SourceMatch match;
	MemoryContext context;		/* of the match's identifiers and texts */
	Verdict		verdict;
	Unrated		why;			/* what is against rating, or nothing */
} Rater;

/*
 * A rater of nobody yet; match_type is NULL where matches have no identifiers.  Where
 * strict a mistake in a match is an error, else it keeps the match from being rated.  All
 * its memory comes from the current context.
 */
extern Rater *rater_create(RaterRules *rules, IdType *match_type, bool strict);

/*
 * Begin a match with its first row, and add a row to it (that one, too); false if the
 * row is not among the participants.
 */
extern void rater_begin(Rater *rater, const Datum *values, const bool *nulls);
extern bool rater_add(Rater *rater, const Datum *values, const bool *nulls);

/* Rate the match, or find a reason not to. */
extern void rater_rate(Rater *rater);

#endif							/* PG_MATCHES_RATER_H */
