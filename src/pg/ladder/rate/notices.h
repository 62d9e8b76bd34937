/*
 * notices.h
 *		Notices of matches that do not count.
 *
 * Nobody looks into rated_match on the first day.  So the first match that comes in a session and
 * does not count for a reason of the kind that unrated_is_news() says raises a NOTICE.
 */
#ifndef PG_LADDER_RATE_NOTICES_H
#define PG_LADDER_RATE_NOTICES_H

#include "pg/ladder/entry/ladder.h"
#include "pg/matches/unrated.h"

/* The first match of a piece of work with a reason. */
typedef struct UnratedNotice
{
	int			reason;
	char	   *match;			/* its identifier, and the detail, for people */
	char	   *detail;
} UnratedNotice;

/* All of a piece of work, one for each reason.  Whoever takes work back sets n back. */
typedef struct UnratedNotices
{
	bool		wanted;
	int			n;
	UnratedNotice *notice;		/* NULL until there is one */
	MemoryContext context;		/* of the array and what it leads to */
} UnratedNotices;

/* As much of a message, and of the identifier of a match, as goes into a message to a client. */
extern char *clip_message(const char *message);
extern char *clip_match(const Ladder *ladder, Datum match_id);

/* Keep a match that does not count, if that is wanted, is news, and is the first. */
extern void notices_add(UnratedNotices *notices, const Ladder *ladder, Datum match_id,
						const Unrated *why);

/* Raise those that the session has not had yet of this ladder. */
extern void notices_send(const UnratedNotices *notices, const Ladder *ladder);

#endif							/* PG_LADDER_RATE_NOTICES_H */
