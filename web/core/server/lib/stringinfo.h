/*
 * stringinfo.h
 *		Strings that grow, for a build without a server.
 */
#ifndef STRINGINFO_H
#define STRINGINFO_H

#include "postgres.h"

typedef struct StringInfoData
{
	char	   *data;
	int			len;
} StringInfoData;

typedef StringInfoData *StringInfo;

extern void initStringInfo(StringInfo string);
extern void appendStringInfo(StringInfo string, const char *format,...)
			__attribute__((format(printf, 2, 3)));
extern void appendStringInfoChar(StringInfo string, char character);

#endif							/* STRINGINFO_H */
