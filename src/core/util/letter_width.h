/*
 * letter_width.h
 *		How wide letters are drawn.
 */
#ifndef CORE_UTIL_LETTER_WIDTH_H
#define CORE_UTIL_LETTER_WIDTH_H

#include <stdint.h>

/*
 * The width of a character of one column, by its code point, in sixteenths of the font's size:
 * that in DejaVu Sans, the widest font that is common.  Nobody knows which font will draw a
 * picture.  A control character is drawn as a space.
 */
extern int	letter_width(uint32_t letter);

/* The widths of an ellipsis, and of a character of two columns. */
#define ELLIPSIS_WIDTH 16
#define TWO_COLUMNS_WIDTH 20

#endif							/* CORE_UTIL_LETTER_WIDTH_H */
