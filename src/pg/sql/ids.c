/*
 * ids.c
 *		Identifiers of players and matches.
 */
#include "pg/sql/ids.h"

#include "access/htup_details.h"
#include "catalog/pg_collation.h"
#include "catalog/pg_operator.h"
#include "catalog/pg_type.h"
#include "common/hashfn.h"
#include "utils/array.h"
#include "utils/builtins.h"
#include "utils/datum.h"
#include "utils/fmgroids.h"
#include "utils/lsyscache.h"
#include "utils/syscache.h"
#include "utils/typcache.h"

/*
 * The equality operator of a type, qualified: the type may live outside
 * pg_catalog, and no search_path may decide what "=" means.
 */
static char *
qualified_operator(Oid opno)
{
	HeapTuple	tuple = SearchSysCache1(OPEROID, ObjectIdGetDatum(opno));
	Form_pg_operator form;
	char	   *result;

	if (!HeapTupleIsValid(tuple))
		elog(ERROR, "cache lookup failed for operator %u", opno);
	form = (Form_pg_operator) GETSTRUCT(tuple);
	result = psprintf("OPERATOR(%s.%s)",
					  quote_identifier(get_namespace_name(form->oprnamespace)),
					  NameStr(form->oprname));
	ReleaseSysCache(tuple);
	return result;
}

/* The size of the integers that a type compares as, or 0. */
static int
integer_bytes(const IdType *id_type)
{
	if (!id_type->typbyval)
		return 0;
	if (id_type->compare.fn_oid == F_BTINT8CMP && id_type->equal.fn_oid == F_INT8EQ)
		return sizeof(int64);
	if (id_type->compare.fn_oid == F_BTINT4CMP && id_type->equal.fn_oid == F_INT4EQ)
		return sizeof(int32);
	return 0;
}

void
id_type_init(IdType *id_type, Oid type, const char *column)
{
	TypeCacheEntry *entry;
	Oid			function;
	bool		is_varlena;

	entry = lookup_type_cache(type, TYPECACHE_EQ_OPR | TYPECACHE_LT_OPR |
							  TYPECACHE_EQ_OPR_FINFO |
							  TYPECACHE_CMP_PROC_FINFO |
							  TYPECACHE_HASH_EXTENDED_PROC_FINFO);
	if (!OidIsValid(entry->eq_opr) || !OidIsValid(entry->lt_opr) ||
		!OidIsValid(entry->hash_extended_proc_finfo.fn_oid))
		ereport(ERROR,
				(errcode(ERRCODE_DATATYPE_MISMATCH),
				 errmsg("type %s cannot be used for %s",
						format_type_be(type), column),
				 errhint("Identifiers need a type that can be hashed and ordered, such as bigint, uuid or text.")));

	id_type->type = type;
	get_typlenbyvalalign(type, &id_type->typlen, &id_type->typbyval,
						 &id_type->typalign);
	id_type->array_type = get_array_type(type);
	if (!OidIsValid(id_type->array_type))
		ereport(ERROR,
				(errcode(ERRCODE_DATATYPE_MISMATCH),
				 errmsg("type %s cannot be used for %s, because it has no array type",
						format_type_be(type), column),
				 errhint("Identifiers need a type that can be hashed and ordered, such as bigint, uuid or text.")));

	/*
	 * The default collation of the database decides nothing but equality and
	 * hashes, for which a deterministic one compares bytes.
	 */
	id_type->collation = OidIsValid(entry->typcollation) ?
		DEFAULT_COLLATION_OID : InvalidOid;

	/*
	 * Copies, because the entry of the type cache may be rebuilt whenever an
	 * invalidation is processed.
	 */
	fmgr_info_copy(&id_type->hash, &entry->hash_extended_proc_finfo,
				   CurrentMemoryContext);
	fmgr_info_copy(&id_type->compare, &entry->cmp_proc_finfo,
				   CurrentMemoryContext);
	fmgr_info_copy(&id_type->equal, &entry->eq_opr_finfo,
				   CurrentMemoryContext);
	id_type->integer_bytes = integer_bytes(id_type);
	getTypeOutputInfo(type, &function, &is_varlena);
	fmgr_info(function, &id_type->output);
	getTypeInputInfo(type, &function, &id_type->input_param);
	fmgr_info(function, &id_type->input);

	/* Without a given typmod, that of -1, bpchar would be character(1). */
	id_type->name = format_type_extended(type, -1, FORMAT_TYPE_TYPEMOD_GIVEN |
										 FORMAT_TYPE_FORCE_QUALIFY);
	id_type->equals = qualified_operator(entry->eq_opr);
	id_type->less = qualified_operator(entry->lt_opr);

	/* The order decides how sums round: no locale may change it. */
	id_type->order = OidIsValid(entry->typcollation) ?
		pstrdup(" COLLATE pg_catalog.\"C\"") : pstrdup("");
}

SQL_FUNCTION(skillrating_identifier_equals)
{
	IdType		id_type;

	id_type_init(&id_type, PG_GETARG_OID(0),
				 text_to_cstring(PG_GETARG_TEXT_PP(1)));
	PG_RETURN_TEXT_P(cstring_to_text(id_type.equals));
}

int
id_compare(const IdType *id_type, Datum a, Datum b)
{
	if (id_type->integer_bytes == sizeof(int64))
		return (DatumGetInt64(a) > DatumGetInt64(b)) - (DatumGetInt64(a) < DatumGetInt64(b));
	if (id_type->integer_bytes == sizeof(int32))
		return (DatumGetInt32(a) > DatumGetInt32(b)) - (DatumGetInt32(a) < DatumGetInt32(b));
	return DatumGetInt32(FunctionCall2Coll(unconstify(FmgrInfo *, &id_type->compare),
										   OidIsValid(id_type->collation) ?
										   C_COLLATION_OID : InvalidOid,
										   a, b));
}

bool
id_equal(const IdType *id_type, Datum a, Datum b)
{
	if (id_type->integer_bytes == sizeof(int64))
		return DatumGetInt64(a) == DatumGetInt64(b);
	if (id_type->integer_bytes == sizeof(int32))
		return DatumGetInt32(a) == DatumGetInt32(b);
	return DatumGetBool(FunctionCall2Coll(unconstify(FmgrInfo *, &id_type->equal),
										  id_type->collation, a, b));
}

uint64
id_hash(const IdType *id_type, Datum id)
{
	return DatumGetUInt64(FunctionCall2Coll(unconstify(FmgrInfo *, &id_type->hash),
											id_type->collation, id,
											UInt64GetDatum(0)));
}

char *
id_text(IdType *id_type, Datum id)
{
	return OutputFunctionCall(&id_type->output, id);
}

/* A text that becomes an identifier, for the context of an error. */
typedef struct IdSource
{
	const char *text;
	const char *name;
} IdSource;

static void
name_id_source(void *arg)
{
	const IdSource *source = arg;

	errcontext("value \"%s\" of %s", source->text, source->name);
}

Datum
id_from_text(IdType *id_type, const char *text, const char *name)
{
	IdSource	source = {text, name};
	ErrorContextCallback callback = {error_context_stack, name_id_source, &source};
	Datum		id;

	error_context_stack = &callback;
	id = InputFunctionCall(&id_type->input, unconstify(char *, text), id_type->input_param, -1);
	error_context_stack = callback.previous;
	return id;
}

typedef struct IdKey
{
	Datum		id;
	const char *pool;
} IdKey;

typedef struct IdEntry
{
	IdKey		key;
	uint32		hash;
	char		status;
	void	   *value;
} IdEntry;

/* Mostly there is one pool, which has no name. */
static bool
id_key_equal(const IdType *id_type, IdKey a, IdKey b)
{
	return a.pool[0] == b.pool[0] && id_equal(id_type, a.id, b.id) &&
		(a.pool[0] == '\0' || strcmp(a.pool, b.pool) == 0);
}

static uint32
id_key_hash(const IdType *id_type, IdKey key)
{
	uint64		hash = id_hash(id_type, key.id);
	uint32		pool = 0;

	if (key.pool[0] != '\0')
		pool = hash_bytes((const unsigned char *) key.pool, strlen(key.pool));
	return hash_combine((uint32) hash, pool);
}

#define SH_PREFIX id_hash_table
#define SH_ELEMENT_TYPE IdEntry
#define SH_KEY_TYPE IdKey
#define SH_KEY key
#define SH_HASH_KEY(tb, k) id_key_hash((const IdType *) (tb)->private_data, k)
#define SH_EQUAL(tb, a, b) \
	id_key_equal((const IdType *) (tb)->private_data, a, b)
#define SH_STORE_HASH
#define SH_GET_HASH(tb, a) (a)->hash
#define SH_USE_NONDEFAULT_ALLOCATOR
#define SH_SCOPE static inline
#define SH_DECLARE
#define SH_DEFINE
#include "lib/simplehash.h"

/* The memory of a table counts to the limit; all zero is a table of nobody. */
static inline void *
id_hash_table_allocate(id_hash_table_hash * hash, Size size)
{
	uint64		new_size = size / sizeof(IdEntry);
	void	   *pointer;

	/*
	 * A table doubles when it grows.  Version 15 of simplehash has set its
	 * new size by now, and later ones set it after the allocation.  An error
	 * must leave the table with the size that its entries have, because
	 * whoever catches the error may go on with the table.
	 */
	if (hash->data == NULL)
		return limited_alloc(hash->ctx, 1, size, MCXT_ALLOC_ZERO);
	SIMPLEHASH_SET_SIZE(id_hash_table) (hash, new_size / 2);
	pointer = limited_alloc(hash->ctx, 1, size, MCXT_ALLOC_ZERO);
	SIMPLEHASH_SET_SIZE(id_hash_table) (hash, new_size);
	return pointer;
}

static inline void
id_hash_table_free(id_hash_table_hash * hash, void *pointer)
{
	(void) hash;
	pfree(pointer);
}

struct IdTable
{
	const IdType *id_type;
	MemoryContext context;
	id_hash_table_hash *hash;
	const char *last_pool;		/* copy of the pool entered last */
};

IdTable *
id_table_create(const IdType *id_type)
{
	IdTable    *table = palloc_object(IdTable);

	table->id_type = id_type;
	table->context = CurrentMemoryContext;
	table->hash = id_hash_table_create(CurrentMemoryContext, 64,
									   unconstify(IdType *, id_type));
	table->last_pool = "";
	return table;
}

void
id_table_free(IdTable *table)
{
	id_hash_table_destroy(table->hash);
	pfree(table);
}

void	  **
id_table_enter(IdTable *table, Datum id, const char *pool, bool *found)
{
	IdKey		key = {id, pool};
	IdEntry    *entry = id_hash_table_insert(table->hash, key, found);

	/*
	 * The copy goes to the memory of the table whatever the current context
	 * is.  An error of memory here leaves an entry with the caller's
	 * identifier; it ends the whole query unless a subtransaction catches it.
	 */
	if (!*found)
	{
		MemoryContext old = MemoryContextSwitchTo(table->context);

		entry->key.id = datumCopy(id, table->id_type->typbyval,
								  table->id_type->typlen);

		/* Few pools, each in long runs: equal neighbours share a copy. */
		if (strcmp(pool, table->last_pool) != 0)
			table->last_pool = pstrdup(pool);
		entry->key.pool = table->last_pool;
		entry->value = NULL;
		MemoryContextSwitchTo(old);
		if (table->hash->members % MEMORY_LIMIT_PIECES == 0)
			memory_limit_reserve(table->context, 0);
	}
	return &entry->value;
}

void
id_table_key(void **place, Datum *id, const char **pool)
{
	const IdEntry *entry = (const IdEntry *) ((char *) place - offsetof(IdEntry, value));

	*id = entry->key.id;
	*pool = entry->key.pool;
}

void *
id_table_find(IdTable *table, Datum id, const char *pool)
{
	IdKey		key = {id, pool};
	IdEntry    *entry = id_hash_table_lookup(table->hash, key);

	return entry ? entry->value : NULL;
}

uint32
id_table_hash(const IdTable *table, Datum id, const char *pool)
{
	IdKey		key = {id, pool};
	uint32		hash = id_key_hash(table->id_type, key);

#ifdef __GNUC__
	__builtin_prefetch(&table->hash->data[hash & table->hash->sizemask]);
#endif
	return hash;
}

bool
id_table_holds(IdTable *table, Datum id)
{
	IdKey		key = {id, ""};

	return id_hash_table_lookup(table->hash, key) != NULL;
}

void *
id_table_find_hashed(IdTable *table, Datum id, const char *pool, uint32 hash)
{
	IdKey		key = {id, pool};
	IdEntry    *entry = id_hash_table_lookup_hash(table->hash, key, hash);

	return entry ? entry->value : NULL;
}

int
id_table_count(IdTable *table)
{
	return (int) table->hash->members;
}

/* Put pointers or identifiers, either of which may be NULL, into an array. */
static void
collect_entries(IdTable *table, void **values, Datum *ids)
{
	id_hash_table_iterator it;
	IdEntry    *entry;
	int			n;

	id_hash_table_start_iterate(table->hash, &it);
	for (n = 0; (entry = id_hash_table_iterate(table->hash, &it)) != NULL; n++)
		if (values != NULL)
			values[n] = entry->value;
		else
			ids[n] = entry->key.id;
}

void	  **
id_table_values(IdTable *table)
{
	void	  **values = palloc_array(void *, id_table_count(table));

	collect_entries(table, values, NULL);
	return values;
}

Datum *
id_table_ids(IdTable *table)
{
	Datum	   *ids = palloc_array(Datum, id_table_count(table));

	collect_entries(table, NULL, ids);
	return ids;
}

/* construct_array() puts what it has unpacked in the place of what it was given. */
Datum
id_array(const IdType *id_type, const Datum *ids, int n)
{
	Datum	   *copy = palloc_array(Datum, Max(n, 1));
	ArrayType  *array;

	/*
	 * The identifiers of the caller stay as they are; values by reference are
	 * copied into the array.
	 */
	memcpy(copy, ids, n * sizeof(Datum));
	array = construct_array(copy, n, id_type->type, id_type->typlen, id_type->typbyval,
							id_type->typalign);
	pfree(copy);
	return PointerGetDatum(array);
}
