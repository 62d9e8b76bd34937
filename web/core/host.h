/*
 * host.h
 *		What the JavaScript around the module does for it.
 *
 * Format strings and their arguments go to the host as they lie in memory: on wasm32 a
 * va_list is a pointer to the arguments, one after another, each at a multiple of its size.
 */
#ifndef WEB_CORE_HOST_H
#define WEB_CORE_HOST_H

#include <stdarg.h>

#define HOST_FUNCTION(name) __attribute__((import_module("host"), import_name(name)))

/* The bytes of a formatted string without its end, and the string itself. */
extern int	host_measure(const char *format, const void *arguments) HOST_FUNCTION("measure");
extern void host_format(const char *format, const void *arguments, char *string)
			HOST_FUNCTION("format");

/* The SQLSTATE of the error that is being reported, and a field of it. */
extern void host_code(int code) HOST_FUNCTION("code");
extern void host_report(int field, const char *format, const void *arguments)
			HOST_FUNCTION("report");

/* Throw the error that was reported. */
extern _Noreturn void host_throw(void) HOST_FUNCTION("throw");

/* The bytes of what a player is called, without an end, and what it is. */
extern int	host_measure_player(int player) HOST_FUNCTION("measure_player");
extern void host_name_player(int player, char *name) HOST_FUNCTION("name_player");

#endif							/* WEB_CORE_HOST_H */
