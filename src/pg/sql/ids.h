/*
 * ids.h
 *		Identifiers of players and matches: values of any type that can be
 *		hashed, compared and ordered.
 */
#ifndef PG_SQL_IDS_H
#define PG_SQL_IDS_H

#include "pg/sql/glue.h"

/* What is needed to work with the values of a type. */
typedef struct IdType
{
	Oid			type;
	int16		typlen;
	bool		typbyval;
	char		typalign;
	Oid			array_type;
	Oid			collation;
	int			integer_bytes;	/* 4 or 8 where values are compared as
								 * integers of that size, which needs no
								 * calls; or 0 */
	FmgrInfo	hash;			/* 64 bits, stable across versions */
	FmgrInfo	equal;
	FmgrInfo	compare;
	FmgrInfo	output;
	FmgrInfo	input;
	Oid			input_param;
	char	   *name;			/* type, as SQL text */
	char	   *equals;			/* operator, as SQL text */
	char	   *less;			/* likewise */
	char	   *order;			/* what follows a column in ORDER BY */
} IdType;

/*
 * Look a type up, with memory from the current context; an error that names
 * the column if the type cannot serve.
 */
extern void id_type_init(IdType *id_type, Oid type, const char *column);

/* Below, equal or above zero, in the order that goes by no locale. */
extern int	id_compare(const IdType *id_type, Datum a, Datum b);

extern bool id_equal(const IdType *id_type, Datum a, Datum b);
extern uint64 id_hash(const IdType *id_type, Datum id);
extern char *id_text(IdType *id_type, Datum id);

/* A copy in the current memory context. */
extern Datum id_copy(const IdType *id_type, Datum id);

/*
 * The identifier that a text stands for.  An error of the type's input function has the text and
 * the name of its argument or column as context.
 */
extern Datum id_from_text(IdType *id_type, const char *text, const char *name);

/*
 * A hash table from identifiers, each together with a string (the pool; "" for
 * matches), to pointers.
 */
typedef struct IdTable IdTable;

extern IdTable *id_table_create(const IdType *id_type);

/*
 * Free a table, but not what its pointers lead to, nor the identifiers, which id_table_ids()
 * may have given away.
 */
extern void id_table_free(IdTable *table);

/*
 * The place of the pointer for an identifier; *found tells whether it was
 * there.  A new identifier is copied, and its pointer is NULL.
 */
extern void **id_table_enter(IdTable *table, Datum id, const char *pool,
							 bool *found);

/* Put an identifier with no string into a table, with a pointer, or whatever it has. */
static inline void
id_table_set(IdTable *table, Datum id, void *pointer)
{
	bool		found;

	*id_table_enter(table, id, "", &found) = pointer;
}

static inline bool
id_table_add(IdTable *table, Datum id)
{
	bool		found;

	(void) id_table_enter(table, id, "", &found);
	return !found;
}

/* The copy that the table keeps of an identifier and its string, by the place of the pointer. */
extern void id_table_key(void **place, Datum *id, const char **pool);

/* The pointer for an identifier, or NULL. */
extern void *id_table_find(IdTable *table, Datum id, const char *pool);

/* Whether it has an identifier, whatever the pointer is. */
extern bool id_table_holds(IdTable *table, Datum id);

/*
 * The same in two steps: the hash, with which the memory that is to be looked at is already on its
 * way, and a little later the pointer.
 */
extern uint32 id_table_hash(const IdTable *table, Datum id, const char *pool);
extern void *id_table_find_hashed(IdTable *table, Datum id, const char *pool, uint32 hash);

extern int	id_table_count(IdTable *table);

/* All pointers, or identifiers, of a table, in no order. */
extern void **id_table_values(IdTable *table);
extern Datum *id_table_ids(IdTable *table);

/* An array of n identifiers, in the current memory context, as all that it leaves behind. */
extern Datum id_array(const IdType *id_type, const Datum *ids, int n);

#endif							/* PG_SQL_IDS_H */
