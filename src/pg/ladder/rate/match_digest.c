/*
 * match_digest.c
 *		What a match is known by: a digest of all that is in it.
 */
#include "pg/ladder/rate/match_digest.h"

#include <math.h>

#include "common/hashfn.h"

/* What of a participant goes into the digest, without padding. */
typedef struct DigestRow
{
	uint64		player;
	int64		team;
	double		number[SOURCE_PLAYER_GAIN - SOURCE_RANK];
} DigestRow;

static inline uint64
digest_bytes(const void *bytes, int length)
{
	return hash_bytes_extended((const unsigned char *) bytes, length, 0);
}

int64
digest_text(const char *text)
{
	return (int64) digest_bytes(text, (int) strlen(text));
}

/* Add a number that most matches do not have, under the name of its column. */
static uint64
combine_number(uint64 digest, SourceColumn column, double number)
{
	digest = hash_combine64(digest, (uint64) digest_text(source_column_name(column)));
	return hash_combine64(digest, digest_bytes(&number, sizeof(number)));
}

/* The same of a context or a club. */
static uint64
combine_name(uint64 digest, SourceColumn column, const SourceNames *names, int number)
{
	digest = hash_combine64(digest, (uint64) digest_text(source_column_name(column)));
	return hash_combine64(digest, (uint64) digest_text(names->name[number]));
}

static uint64
digest_participant(const SourceMatch *match, Participant *p, Datum player)
{
	DigestRow	row;
	uint64		digest;
	int			i;

	row.player = id_hash(match->player_type, player);
	row.team = p->team;
	for (i = SOURCE_RANK; i < SOURCE_PLAYER_GAIN; i++)
		row.number[i - SOURCE_RANK] = p->number[i - SOURCE_RANK];
	digest = digest_bytes(&row, sizeof(row));

	/*
	 * A match without gains has the digest that it would have without the
	 * column, and so for contexts and clubs.
	 */
	if (!isnan(p->gain))
		digest = hash_combine64(digest, digest_bytes(&p->gain, sizeof(p->gain)));
	if (!isnan(p->fixed))
		digest = combine_number(digest, SOURCE_FIXED, p->fixed);
	if (p->context >= 0)
		digest = combine_name(digest, SOURCE_CONTEXT, &match->contexts, p->context);
	if (p->club >= 0)
		digest = combine_name(digest, SOURCE_CLUB, &match->clubs, p->club);
	return digest;
}

/* An identifier by the name that a table has for it, or as it is. */
static Datum
renamed(IdTable *names, Datum player)
{
	const Datum *name = id_table_find(names, player, "");

	return name != NULL ? *name : player;
}

void
match_digests_add(MatchDigests *digests, const SourceMatch *match,
				  const Renaming *renaming, Participant *p, Datum player)
{
	digests->as_read += digest_participant(match, p, player);
	if (renaming == NULL)
		return;
	digests->old_names += digest_participant(match, p, renamed(renaming->old_id, player));
	digests->new_names += digest_participant(match, p, renamed(renaming->new_id, player));
}

/* The digest of a match whose participants have that sum of digests. */
static uint64
digest_match(const SourceMatch *match, const char *unrated_reason, uint64 participants)
{
	double		numbers[3];
	uint64		digest;

	if (match->fault.detail != NULL)
		return hash_combine64((uint64) digest_text(match->fault.detail),
							  unrated_reason == NULL ? 0 :
							  (uint64) digest_text(unrated_reason));
	numbers[0] = match->log_odds;
	numbers[1] = 1;				/* where a gain of the whole match was */
	numbers[2] = unrated_reason != NULL;
	digest = digest_bytes(numbers, sizeof(numbers));
	digest = hash_combine64(digest, digest_bytes(&match->played_at,
												 sizeof(match->played_at)));
	digest = hash_combine64(digest, (uint64) digest_text(match->pool));
	if (unrated_reason != NULL)
		digest = hash_combine64(digest, (uint64) digest_text(unrated_reason));
	if (match->tournament != 0)
		digest = combine_number(digest, SOURCE_TOURNAMENT, match->tournament);
	return participants + digest;
}

void
match_digests_finish(MatchDigests *digests, const Renaming *renaming,
					 SourceMatch *match)
{
	const char *reason = match->unrated_reason;

	digests->as_read = digest_match(match, reason, digests->as_read);
	match->digest = (int64) digests->as_read;
	if (renaming == NULL)
		return;
	digests->old_names = digest_match(match, reason, digests->old_names);
	if (renaming->words != NULL && reason != NULL)
		reason = words_replace(renaming->words, reason, FORGOTTEN_WORD);
	digests->new_names = digest_match(match, reason, digests->new_names);
}
