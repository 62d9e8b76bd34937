/*
 * once.c
 *		What a session tells its client once.
 */
#include "pg/sql/once.h"

#include "utils/guc.h"

bool		unrated_notices = true;

#define NTOLD 256

/*
 * Hashes of what was told, in a ring.  It outlives calls and transactions, and no error leaves it
 * wrong: an entry says that a message was about to go out.
 */
static uint64 told[NTOLD];
static int	ntold = 0;

void
once_define(void)
{
	DefineCustomBoolVariable("skillrating.unrated_notices",
							 "Raises a notice for a session's first match that does not count for a reason.",
							 "It names the ladder, the match, the reason and a remedy.",
							 &unrated_notices, true, PGC_USERSET, 0, NULL, NULL, NULL);
}

bool
first_in_session(uint64 hash)
{
	int			i;

	for (i = 0; i < Min(ntold, NTOLD); i++)
		if (told[i] == hash)
			return false;
	told[ntold % NTOLD] = hash;

	/* Kept between NTOLD and twice that once it is full. */
	ntold++;
	if (ntold == 2 * NTOLD)
		ntold = NTOLD;
	return true;
}
