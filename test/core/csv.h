/*
 * csv.h
 *		Reading golden values from the files in test/data.
 */
#ifndef TEST_CORE_CSV_H
#define TEST_CORE_CSV_H

#include <stdio.h>
#include <stdlib.h>

#include "test.h"

#define CSV_MAX_FIELDS	32
#define CSV_MAX_LINE	1024

/* A line of comma-separated values, quoted or not, is cut up in place. */
static inline int
csv_split(char *line, char **field)
{
	int			n = 0;
	char	   *from = line;
	char	   *to = line;
	int			quoted = 0;

	field[n++] = to;
	for (; *from != '\0' && *from != '\n' && *from != '\r'; from++)
	{
		if (*from == '"')
			quoted = !quoted;
		else if (*from == ',' && !quoted)
		{
			*to++ = '\0';
			assert_true(n < CSV_MAX_FIELDS);
			field[n++] = to;
		}
		else
			*to++ = *from;
	}
	*to = '\0';
	return n;
}

/* A number, or NaN where the field is empty. */
static inline double
csv_number(const char *field)
{
	return *field == '\0' ? NAN : strtod(field, NULL);
}

/* Open a file and read over its header. */
static inline FILE *
csv_open(const char *name, char *line, int size)
{
	char		path[CSV_MAX_LINE];
	FILE	   *file;

	snprintf(path, sizeof(path), "%s/%s", TEST_DATA, name);
	file = fopen(path, "r");
	if (file == NULL)
		print_error("could not open %s\n", path);
	assert_non_null(file);
	assert_non_null(fgets(line, size, file));
	return file;
}

#endif							/* TEST_CORE_CSV_H */
