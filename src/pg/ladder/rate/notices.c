/*
 * notices.c
 *		Notices of matches that do not count.
 */
#include "pg/ladder/rate/notices.h"

#include "common/hashfn.h"
#include "mb/pg_wchar.h"
#include "miscadmin.h"
#include "utils/acl.h"

#include "pg/sql/once.h"

/* Of a message so many bytes are kept, and of an identifier so many are shown. */
#define MAX_MESSAGE 1000
#define MAX_ID 100

/* The beginning of a text that ends at a character. */
static char *
clip_text(const char *text, int limit)
{
	return pnstrdup(text, pg_mbcliplen(text, (int) strnlen(text, 2 * limit), limit));
}

char *
clip_message(const char *message)
{
	return clip_text(message, MAX_MESSAGE);
}

char *
clip_match(const Ladder *ladder, Datum match_id)
{
	return clip_text(id_text(ladder->match_type, match_id), MAX_ID);
}

void
notices_add(UnratedNotices *notices, const Ladder *ladder, Datum match_id, const Unrated *why)
{
	MemoryContext old;
	int			i;

	if (!notices->wanted || !unrated_is_news(why->reason))
		return;
	for (i = 0; i < notices->n; i++)
		if (notices->notice[i].reason == why->reason)
			return;
	old = MemoryContextSwitchTo(notices->context);
	if (notices->notice == NULL)
		notices->notice = palloc_array(UnratedNotice, UNRATED_NREASONS);
	notices->notice[notices->n].reason = why->reason;
	notices->notice[notices->n].match = clip_match(ladder, match_id);
	notices->notice[notices->n].detail = clip_message(why->detail);
	notices->n++;
	MemoryContextSwitchTo(old);
}

void
notices_send(const UnratedNotices *notices, const Ladder *ladder)
{
	int			i;

	for (i = 0; i < notices->n; i++)
	{
		const UnratedNotice *notice = &notices->notice[i];
		uint64		hash = hash_combine64((uint64) ladder->schema, (uint64) notice->reason);
		bool		sees_values;

		if (!first_in_session(hash))
			continue;

		/* The owner's view brought them, whose tables the client may not be meant to read. */
		sees_values = pg_class_aclcheck(ladder->relation[LADDER_RATED_MATCH],
										GetOuterUserId(), ACL_SELECT) == ACLCHECK_OK;
		ereport(NOTICE,
				(errmsg("match %s of ladder \"%s\" does not count (%s): %s", notice->match,
						ladder->name, unrated_code(notice->reason),
						sees_values ? notice->detail : unrated_description(notice->reason)),
				 errhint("%s", unrated_remedy(notice->reason))));
	}
}
