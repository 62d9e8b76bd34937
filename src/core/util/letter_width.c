/*
 * letter_width.c
 *		How wide letters are drawn.
 */
#include "core/util/letter_width.h"

#define WIDE_LETTER 18

/* Those of ASCII from the space on: 'a' is 0. */
static const char ascii_width[] =
	"ghiolqnfhhioggggllllllllllggooojqllmnlknnffljomnknmlkmlqlklhghoiikljlkgllffkfqlkllhjhlkokkjlglo";

/* The same of others, up to a code point; and letters that are wider. */
static const struct
{
	uint32_t	last;
	int			width;
}			other_widths[] = {
	{0xBF, 16}, {0xDE, 13}, {0xFF, 11}, {0x24F, 13}, {0x3FF, 14}, {0x40F, 13}, {0x42F, 15},
	{0x45F, 12}, {0x52F, 18}, {UINT32_MAX, 16}
};

static const uint32_t wide_letters[] = {
	0xC6, 0xE6, 0x152, 0x153, 0x174, 0x409, 0x40A, 0x416, 0x428, 0x429, 0x42E, 0x436, 0x444,
	0x448, 0x449, 0x44B, 0x44E, 0x459, 0x45A
};

int
letter_width(uint32_t letter)
{
	int			i;

	if (letter < 0x7F)
		return ascii_width[letter < ' ' ? 0 : letter - ' '] - 'a';
	for (i = 0; i < (int) (sizeof(wide_letters) / sizeof(wide_letters[0])); i++)
		if (wide_letters[i] == letter)
			return WIDE_LETTER;
	for (i = 0; other_widths[i].last < letter; i++)
		;
	return other_widths[i].width;
}
