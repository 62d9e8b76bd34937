/*
 * rater.h
 *		Rating matches that come as the rows of a query.
 */
#ifndef PG_MATCHES_RATER_H
#define PG_MATCHES_RATER_H

#include "pg/sql/glue.h"

#include "pg/matches/batch.h"

/* How players go from one season to the next. */
typedef struct SeasonRules
{
	double		keep;			/* share of the last one, 0 to 1 */
	double		mean;			/* of the first state column; NaN: its initial
								 * value */
} SeasonRules;

/* What a new season keeps unless something else is said, as in new_season(). */
#define SEASON_KEEP_DEFAULT 0.5

/* A season, an ordinal, of which nothing may be known. */
typedef struct Season
{
	bool		known;
	int64		number;
} Season;

/* Players, and the match that is being read or was rated last. */
typedef struct Rater
{
	IdType		player_type;
	Batch	   *batch;			/* after rating, batch->step has the events */
	SourceMatch match;
	MemoryContext context;		/* of the match's identifiers and texts */
	Verdict		verdict;
	Unrated		why;			/* what is against rating, or nothing */
	bool		forecast;		/* the match has no result, and was predicted:
								 * batch->match has what comes of it */
	SeasonRules season_rules;
	Season		season;			/* that of the last rated match that has one */
	Season		match_season;	/* and that of the match */
	bool		timed;			/* a match before this one has had a time */

	/*
	 * Called before a match, whose rows are all there, is looked at, and
	 * after it has been rated; NULL for nothing.  They may set states.
	 */
	void		(*before_match) (struct Rater *rater);
	void		(*after_match) (struct Rater *rater);
	void	   *hook_argument;	/* for them */
} Rater;

/*
 * A rater of nobody yet; match_type is NULL where matches have no identifiers.  Where strict a mistake
 * in a match is an error, else it keeps the match from being rated.  All its memory comes from the
 * current context.  Errors for an unknown model, unknown or unsound parameters, and a type that cannot
 * serve for players.
 */
extern Rater *rater_create(const char *model_name, Jsonb *json, Oid player_type,
						   IdType *match_type, bool strict);

/*
 * Begin a match with its first row, and add a row to it (that one, too); false if the
 * row is not among the participants.  Rows have INPUT_NSLOTS values.
 */
extern void rater_begin(Rater *rater, const Datum *values, const bool *nulls);
extern bool rater_add(Rater *rater, const Datum *values, const bool *nulls);

/*
 * Rate the match, or find a reason not to.  With the first rated match of a season all
 * players go into it as with new_season() at that time.  A match without a result is
 * predicted, and changes nothing.
 */
extern void rater_rate(Rater *rater);

/* Instead of rating the match that has begun: it stays unrated for a reason. */
extern void rater_refuse(Rater *rater, Unrated why);

/*
 * ---- starting_states.c: players and components whom a history finds in a state ----
 *
 * They are rows of the types final_rating and final_component (sql/history/40-rate.sql), as
 * final_ratings(), starting_rating() and final_components() make them.
 */

/*
 * Put the players of an array of final_rating into a rater of nobody, which is in the
 * season that the latest of them has.  Rating goes on, bit for bit, as if the matches had
 * been rated by which players came into these states; but for models that look back on
 * last matches, which such a row does not have.
 *
 * Errors: 22004 for a null row or player_id, 22P02 or whatever the type of identifiers
 * raises for a text that is none, 22023 for a player who occurs twice in a pool, 2202E for
 * a state with too many columns, 22003 for one that is not sound, 22008 for infinite times,
 * 42939 for the pool that the model reserves.
 */
extern void rater_start(Rater *rater, Datum ratings);

/*
 * Put the components of an array of final_component, the argument of that name, into a batch
 * that has rated nothing yet.  Those of kinds that the parameters do not use take part in nothing.
 *
 * Errors: 22004 for a null row, or for a kind, key or player_id that is null and must not
 * be; 22023 for a kind that the model does not have, a key or player_id of a kind without,
 * and a component that occurs twice; the others of rater_start().
 */
extern void batch_start_components(Batch *batch, Datum components, const char *argument);

#endif							/* PG_MATCHES_RATER_H */
