/*
 * window.h
 *		What window functions need to know of the window that they are called over.
 */
#ifndef PG_SQL_WINDOW_H
#define PG_SQL_WINDOW_H

#include "pg/sql/glue.h"

#include "windowapi.h"

/* What a function says to whoever calls it over a window that it cannot use. */
typedef struct WindowMessages
{
	const char *function;
	const char *order_detail;	/* without ORDER BY */
	const char *order_hint;
	const char *frame_detail;	/* with a frame clause */
	const char *frame_hint;
} WindowMessages;

/*
 * Error 42P20 unless the window has an order and no frame clause: without an order all rows
 * are one moment, and a frame would promise what a function over a whole history does not
 * do.
 */
extern void check_window(WindowObject window, const WindowMessages *messages);

#endif							/* PG_SQL_WINDOW_H */
