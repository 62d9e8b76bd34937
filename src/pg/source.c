/*
 * source.c
 *		What matches are rated from.
 */
#include "source.h"

#define IDENTIFIER(name, description) \
	{#name, NULL, "yes", 0, description}
#define COLUMN(name, type, needed, description) \
	{#name, "pg_catalog." type, needed, 0, description}
#define NUMBER(name, needed, description) \
	{#name, "pg_catalog.float8", needed, offsetof(Participant, name), description}

const SourceColumnSpec source_columns[SOURCE_NCOLUMNS] = {
	[SOURCE_MATCH_ID] = IDENTIFIER(match_id, "which match"),
	[SOURCE_PLAYED_AT] = COLUMN(played_at, "timestamptz", "yes", "when it was played"),
	[SOURCE_TEAM] = COLUMN(team, "int4", "yes", "number of the team within the match"),
	[SOURCE_PLAYER_ID] = IDENTIFIER(player_id, "which player"),
	[SOURCE_POOL] = COLUMN(pool, "text", "no", "queue, mode or season whose ratings are its own"),
	[SOURCE_LOG_ODDS] = COLUMN(log_odds, "float8", "no", "log-odds of the context in favour of the first side"),
	[SOURCE_GAIN] = COLUMN(gain, "float8", "no", "weight of the whole update, 1 by default"),
	[SOURCE_UNRATED_REASON] = COLUMN(unrated_reason, "text", "no", "not null: keep the match and do not rate it"),
	[SOURCE_RANK] = NUMBER(rank, "one", "rank of the team, 1 is best and equal ranks are a draw"),
	[SOURCE_SCORE] = NUMBER(score, "one", "score of the team, high is best"),
	[SOURCE_WON] = NUMBER(won, "one", "whether the team won"),
	[SOURCE_WEIGHT] = NUMBER(weight, "no", "share of the match played, 1 by default"),
	[SOURCE_JOINED] = NUMBER(joined, "no", "when the stint began, seconds from the start"),
	[SOURCE_LEFT] = NUMBER(left, "no", "when the stint ended, seconds from the start"),
	[SOURCE_COMMANDING] = NUMBER(commanding, "no", "share of the stint spent commanding, or seconds if more than 1"),
	[SOURCE_SIDE] = NUMBER(side, "no", "1 or 2, where sides differ"),
	[SOURCE_SQUAD] = NUMBER(squad, "no", "the same number for all who queued together"),
	[SOURCE_KILLS] = NUMBER(kills, "no", "kills of the player"),
	[SOURCE_DEATHS] = NUMBER(deaths, "no", "deaths of the player"),
	[SOURCE_QUIT] = NUMBER(quit, "no", "whether the player left early on purpose"),
	[SOURCE_EXPERIENCE] = NUMBER(experience, "no", "matches that the player had played before, also elsewhere"),
};

const char *
source_column_name(SourceColumn column)
{
	return source_columns[column].name;
}

void
source_column_text(SourceColumn column, const char **type,
				   const char **needed, const char **description)
{
	const SourceColumnSpec *spec = &source_columns[column];

	*type = "number";
	if (spec->type == NULL)
		*type = "identifier";
	else if (column == SOURCE_PLAYED_AT)
		*type = "time";
	else if (column == SOURCE_POOL || column == SOURCE_UNRATED_REASON)
		*type = "text";
	*needed = spec->needed;
	*description = spec->description;
}

double *
source_number(Participant *participant, SourceColumn column)
{
	return (double *) ((char *) participant + source_columns[column].offset);
}

void
source_match_reserve(SourceMatch *match, int n)
{
	bool		first = (match->max == 0);

#define RESERVE(array, type) \
	match->array = first ? palloc_array(type, n) : \
		repalloc_array(match->array, type, n)

	RESERVE(participant, Participant);
	RESERVE(player_id, Datum);
	RESERVE(account_id, Datum);
	RESERVE(order, int);
	RESERVE(sorted_participant, Participant);
	RESERVE(sorted_id, Datum);
#undef RESERVE
	match->max = n;
}

Participant *
source_match_add(SourceMatch *match, Datum player_id)
{
	Participant *p;

	if (match->n == match->max)
		source_match_reserve(match, 2 * match->max);
	p = &match->participant[match->n];
	*p = participant_default;
	p->player = p->team = 0;
	match->account_id[match->n] = match->player_id[match->n] = player_id;
	match->n++;
	return p;
}

static int
compare_numbers(double a, double b)
{
	/* What is absent comes last. */
	if (isnan(a) || isnan(b))
		return isnan(a) - isnan(b);
	return (a > b) - (a < b);
}

typedef struct SortContext
{
	SourceMatch *match;
	const IdType *player_type;
} SortContext;

static int
compare_participants(const void *a, const void *b, void *arg)
{
	const SortContext *context = (const SortContext *) arg;
	SourceMatch *match = context->match;
	int			i = *(const int *) a;
	int			j = *(const int *) b;
	Participant *p = &match->participant[i];
	Participant *q = &match->participant[j];
	int			result = (p->team > q->team) - (p->team < q->team);
	int			column;

	if (result == 0)
		result = id_compare(context->player_type, match->account_id[i],
							match->account_id[j]);
	for (column = SOURCE_RANK; column < SOURCE_NCOLUMNS && result == 0; column++)
		result = compare_numbers(*source_number(p, column),
								 *source_number(q, column));
	return result;
}

static void
permute_ids(SourceMatch *match, Datum **ids)
{
	Datum	   *old = *ids;
	int			i;

	for (i = 0; i < match->n; i++)
		match->sorted_id[i] = old[match->order[i]];
	*ids = match->sorted_id;
	match->sorted_id = old;
}

void
source_match_sort(SourceMatch *match, const IdType *player_type)
{
	SortContext context = {match, player_type};
	Participant *old = match->participant;
	int			i;

	for (i = 0; i < match->n; i++)
		match->order[i] = i;
	qsort_arg(match->order, match->n, sizeof(int), compare_participants,
			  &context);
	for (i = 0; i < match->n; i++)
		match->sorted_participant[i] = old[match->order[i]];
	match->participant = match->sorted_participant;
	match->sorted_participant = old;
	permute_ids(match, &match->player_id);
	permute_ids(match, &match->account_id);
}
