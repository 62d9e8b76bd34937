/*
 * bytes.h
 *		Numbers from arbitrary bytes.
 */
#ifndef TEST_FUZZ_BYTES_H
#define TEST_FUZZ_BYTES_H

#include <math.h>
#include <stdint.h>
#include <string.h>

/* What is left of the bytes; there are zeros behind them. */
typedef struct Bytes
{
	const uint8_t *data;
	size_t		size;
} Bytes;

static inline int
next_byte(Bytes *bytes)
{
	if (bytes->size == 0)
		return 0;
	bytes->size--;
	return *bytes->data++;
}

static inline int
next_below(Bytes *bytes, int n)
{
	return next_byte(bytes) % n;
}

/* Any double, among them those that are likely to hurt. */
static inline double
next_number(Bytes *bytes)
{
	static const double special[] = {
		0, -0.0, 1, -1, 0.5, 1e-300, 5e-324, 1e300, -1e300, 1.7976931348623157e308,
		1e-12, 25, 1500, 86400, NAN, INFINITY, -INFINITY
	};
	int			kind = next_byte(bytes);
	double		number;

	if (kind < 64)
		return special[kind % (sizeof(special) / sizeof(special[0]))];
	if (kind < 160)
		return next_byte(bytes) - 40 + next_byte(bytes) / 256.0;
	if (kind < 240)
		return 20.0 * next_byte(bytes) + next_byte(bytes);
	if (bytes->size < sizeof(number))
		return 0;
	memcpy(&number, bytes->data, sizeof(number));
	bytes->data += sizeof(number);
	bytes->size -= sizeof(number);
	return number;
}

#endif							/* TEST_FUZZ_BYTES_H */
