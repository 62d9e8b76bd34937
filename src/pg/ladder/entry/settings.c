/*
 * settings.c
 *		The settings for work on a ladder, whatever those of the session are.
 */
#include "pg/ladder/entry/settings.h"

#include "utils/guc.h"

/*
 * What names, casts and texts in a source view or in our queries could depend on.
 * Times without a zone are those of UTC.  Plans are not compiled: those of bodies run
 * once, for few rows of tables that are often not analyzed, so that they look dear.
 */
static const struct
{
	const char *name;
	const char *value;
}			pinned_settings[] = {
	{"search_path", "pg_catalog, pg_temp"},
	{"TimeZone", "UTC"},
	{"timezone_abbreviations", "Default"},
	{"DateStyle", "ISO, MDY"},
	{"IntervalStyle", "postgres"},
	{"extra_float_digits", "1"},
	{"bytea_output", "hex"},
	{"lc_monetary", "C"},
	{"lc_numeric", "C"},
	{"lc_time", "C"},
	{"xmlbinary", "base64"},
	{"xmloption", "content"},
	{"default_text_search_config", "pg_catalog.simple"},
	{"row_security", "on"},
	{"transform_null_equals", "off"},
	{"array_nulls", "on"},
	{"backslash_quote", "safe_encoding"},
	{"standard_conforming_strings", "on"},
	{"quote_all_identifiers", "off"},
	{"plpgsql.variable_conflict", "error"},
	{"plpgsql.check_asserts", "on"},
	{"plpgsql.extra_errors", "none"},
	{"plpgsql.extra_warnings", "none"},
	{"jit", "off"},
};

void
settings_set(const char *name, const char *value)
{
	(void) set_config_option(name, value, PGC_USERSET, PGC_S_SESSION,
							 GUC_ACTION_SAVE, true, 0, false);
}

void
settings_set_number(const char *name, int value)
{
	settings_set(name, psprintf("%d", value));
}

/* Settings of a language that is not loaded are not there. */
void
settings_pin(void)
{
	int			i;

	for (i = 0; i < (int) lengthof(pinned_settings); i++)
	{
		const char *current = GetConfigOption(pinned_settings[i].name, true, false);

		if (current != NULL && strcmp(current, pinned_settings[i].value) != 0)
			settings_set(pinned_settings[i].name, pinned_settings[i].value);
	}
}

void
settings_for_plans(void)
{
	settings_set("enable_seqscan", "off");
	settings_set("enable_bitmapscan", "off");
}

void
ladder_settle(const Ladder *ladder)
{
	if (ladder->state->pinned)
		return;
	settings_pin();
	settings_for_plans();
	ladder->state->pinned = true;
}
