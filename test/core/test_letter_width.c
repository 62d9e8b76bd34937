/*
 * test_letter_width.c
 *		How wide letters are drawn, against the font.
 */
#include "test.h"

#include "core/util/letter_width.h"

/* Advances of DejaVu Sans, in 2048ths of its size. */
static const struct
{
	uint32_t	letter;
	int			advance;
}			advances[] = {
	{' ', 651}, {'@', 2048}, {'A', 1401}, {'F', 1178}, {'G', 1587}, {'H', 1540}, {'I', 604},
	{'K', 1343}, {'L', 1141}, {'M', 1767}, {'N', 1532}, {'O', 1612}, {'S', 1300}, {'W', 2025},
	{'n', 1298}, {0xDF, 1290}, {0x429, 2240}, {0x2026, 2048}
};

/* None is narrower than in the font; those of ASCII are no wider than rounding makes them. */
static void
test_widths(void **state)
{
	size_t		i;

	(void) state;
	for (i = 0; i < sizeof(advances) / sizeof(advances[0]); i++)
	{
		int			width = letter_width(advances[i].letter) * 128;

		assert_true(width >= advances[i].advance);
		if (advances[i].letter < 0x7F)
			assert_true(width < advances[i].advance + 128);
	}
	assert_int_equal(letter_width('\t'), letter_width(' '));
	assert_int_equal(letter_width(0x7F), letter_width(0x80));
	assert_true(letter_width(UINT32_MAX) > 0);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_widths),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
