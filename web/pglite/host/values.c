/*
 * values.c
 *		Numbers, texts, arrays, times, and how values are sorted and kept.
 */
#include "postgres.h"

#include <time.h>

#include "access/detoast.h"
#include "access/htup_details.h"
#include "access/stratnum.h"
#include "common/pg_prng.h"
#include "common/shortest_dec.h"
#include "fmgr.h"
#include "mb/pg_wchar.h"
#include "miscadmin.h"
#include "pgtime.h"
#include "port/pg_bitutils.h"
#include "utils/array.h"
#include "utils/builtins.h"
#include "utils/datum.h"
#include "utils/expandeddatum.h"
#include "utils/float.h"
#include "utils/fmgroids.h"
#include "utils/lsyscache.h"
#include "utils/sortsupport.h"
#include "utils/timestamp.h"
#include "utils/typcache.h"
#include "varatt.h"

/*
 * ---- Numbers ----
 */

/* The output function of float8 writes the shortest form if this setting says so. */
char *
double_to_shortest_decimal(double f)
{
	int			digits = extra_float_digits;
	char	   *text;

	extra_float_digits = 1;
	text = float8out_internal(f);
	extra_float_digits = digits;
	return text;
}

int
double_to_shortest_decimal_buf(double f, char *result)
{
	char	   *text = double_to_shortest_decimal(f);
	int			length = (int) strlen(text);

	memcpy(result, text, length + 1);
	pfree(text);
	return length;
}

/*
 * The state of a generator from one number: by SplitMix64 of Steele, Lea and Flood (2014), which
 * the authors of xoroshiro128** recommend for it.
 */
static uint64
splitmix64(uint64 *state)
{
	uint64		z = (*state += UINT64CONST(0x9E3779B97F4A7C15));

	z = (z ^ (z >> 30)) * UINT64CONST(0xBF58476D1CE4E5B9);
	z = (z ^ (z >> 27)) * UINT64CONST(0x94D049BB133111EB);
	return z ^ (z >> 31);
}

void
pg_prng_seed(pg_prng_state *state, uint64 seed)
{
	state->s0 = splitmix64(&seed);
	state->s1 = splitmix64(&seed);
}

/* The upper bits of a number, as many as the range has, until they are within it. */
uint64
pg_prng_uint64_range(pg_prng_state *state, uint64 rmin, uint64 rmax)
{
	uint64		range = rmax - rmin;
	uint64		value = 0;

	if (rmax > rmin)
	{
		int			shift = 63 - pg_leftmost_one_pos64(range);

		do
			value = pg_prng_uint64(state) >> shift;
		while (value > range);
	}
	return rmin + value;
}

/*
 * ---- Texts ----
 */

int
pg_mbstrlen(const char *mbstr)
{
	return pg_mbstrlen_with_len(mbstr, (int) strlen(mbstr));
}

static const char hex_digits[] = "0123456789abcdef";

uint64
hex_encode(const char *src, size_t len, char *dst)
{
	size_t		i;

	for (i = 0; i < len; i++)
	{
		unsigned char byte = (unsigned char) src[i];

		dst[2 * i] = hex_digits[byte >> 4];
		dst[2 * i + 1] = hex_digits[byte & 15];
	}
	return (uint64) len * 2;
}

static int
hex_value(char digit)
{
	const char *place = digit == '\0' ? NULL : strchr(hex_digits, pg_tolower((unsigned char) digit));

	if (place == NULL)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("invalid hexadecimal digit: \"%c\"", digit)));
	return (int) (place - hex_digits);
}

uint64
hex_decode(const char *src, size_t len, char *dst)
{
	size_t		i;

	if (len % 2 != 0)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("invalid hexadecimal data: odd number of digits")));
	for (i = 0; i < len; i += 2)
		dst[i / 2] = (char) (hex_value(src[i]) << 4 | hex_value(src[i + 1]));
	return (uint64) len / 2;
}

/* As POSIX has it. */
char *
strtok_r(char *restrict s, const char *restrict sep, char **restrict lasts)
{
	if (s == NULL)
		s = *lasts;
	s += strspn(s, sep);
	*lasts = s + strcspn(s, sep);
	if (**lasts != '\0')
		*(*lasts)++ = '\0';
	return *s == '\0' ? NULL : s;
}

/*
 * ---- Sorting ----
 */

/* The same order of equal elements as the server's, whose algorithm is the same for all three. */
void
qsort_interruptible(void *base, size_t nel, size_t elsize, qsort_arg_comparator cmp, void *arg)
{
	CHECK_FOR_INTERRUPTS();
	qsort_arg(base, nel, elsize, cmp, arg);
}

static int
compare_by_function(Datum x, Datum y, SortSupport ssup)
{
	return DatumGetInt32(FunctionCall2Coll((FmgrInfo *) ssup->ssup_extra, ssup->ssup_collation,
										   x, y));
}

/* Sort by the default comparison of a type, of which the operator is the one for "less". */
void
PrepareSortSupportFromOrderingOp(Oid orderingOp, SortSupport ssup)
{
	Oid			type;
	Oid			right;
	TypeCacheEntry *entry;

	op_input_types(orderingOp, &type, &right);
	entry = lookup_type_cache(type, TYPECACHE_CMP_PROC_FINFO | TYPECACHE_LT_OPR);
	if (entry->lt_opr != orderingOp || !OidIsValid(entry->cmp_proc_finfo.fn_oid))
		elog(ERROR, "operator %u is not the default ordering operator of its type", orderingOp);
	ssup->ssup_reverse = false;
	ssup->ssup_extra = &entry->cmp_proc_finfo;
	ssup->comparator = compare_by_function;
}

/*
 * ---- Values ----
 */

HeapTuple
heap_copytuple(HeapTuple tuple)
{
	HeapTuple	copy;

	if (!HeapTupleIsValid(tuple) || tuple->t_data == NULL)
		return NULL;
	copy = palloc(HEAPTUPLESIZE + tuple->t_len);
	*copy = *tuple;
	copy->t_data = (HeapTupleHeader) ((char *) copy + HEAPTUPLESIZE);
	memcpy(copy->t_data, tuple->t_data, tuple->t_len);
	return copy;
}

/* A row whose values are all in it. */
static HeapTuple
fetch_values_out_of_line(HeapTuple tuple, TupleDesc desc)
{
	Datum	   *values = palloc_array(Datum, desc->natts);
	bool	   *nulls = palloc_array(bool, desc->natts);
	int			i;

	heap_deform_tuple(tuple, desc, values, nulls);
	for (i = 0; i < desc->natts; i++)
		if (!nulls[i] && TupleDescAttr(desc, i)->attlen == -1 &&
			VARATT_IS_EXTERNAL(DatumGetPointer(values[i])))
			values[i] = PointerGetDatum(detoast_external_attr((struct varlena *) DatumGetPointer(values[i])));
	return heap_form_tuple(desc, values, nulls);
}

Datum
heap_copy_tuple_as_datum(HeapTuple tuple, TupleDesc tupleDesc)
{
	HeapTupleHeader copy;

	if (HeapTupleHasExternal(tuple))
		tuple = fetch_values_out_of_line(tuple, tupleDesc);
	copy = palloc(tuple->t_len);
	memcpy(copy, tuple->t_data, tuple->t_len);
	HeapTupleHeaderSetDatumLength(copy, tuple->t_len);
	HeapTupleHeaderSetTypeId(copy, tupleDesc->tdtypeid);
	HeapTupleHeaderSetTypMod(copy, tupleDesc->tdtypmod);
	return PointerGetDatum(copy);
}

ExpandedArrayHeader *
construct_empty_expanded_array(Oid element_type, MemoryContext parentcontext,
							   ArrayMetaState *metacache)
{
	ArrayType  *array = construct_empty_array(element_type);
	Datum		expanded = expand_array(PointerGetDatum(array), parentcontext, metacache);

	pfree(array);
	return (ExpandedArrayHeader *) DatumGetEOHP(expanded);
}

/*
 * A value as bytes: its length, -1 if it stands for itself and -2 if it is null, and then the
 * value.  Whoever reads it is the one who has written it; row_log.c knows this form.
 */
static Size
datum_size(Datum value, int typLen)
{
	return
		typLen == -1 ? (VARATT_IS_EXTERNAL_EXPANDED(DatumGetPointer(value)) ?
						EOH_get_flat_size(DatumGetEOHP(value)) :
						VARSIZE_ANY(DatumGetPointer(value))) :
		typLen == -2 ? strlen(DatumGetCString(value)) + 1 : (Size) typLen;
}

Size
datumEstimateSpace(Datum value, bool isnull, bool typByVal, int typLen)
{
	return sizeof(int) + (isnull ? 0 : typByVal ? sizeof(Datum) : datum_size(value, typLen));
}

void
datumSerialize(Datum value, bool isnull, bool typByVal, int typLen, char **start_address)
{
	int			header = isnull ? -2 : typByVal ? -1 : (int) datum_size(value, typLen);

	memcpy(*start_address, &header, sizeof(int));
	*start_address += sizeof(int);
	if (isnull)
		return;
	if (typByVal)
	{
		memcpy(*start_address, &value, sizeof(Datum));
		*start_address += sizeof(Datum);
		return;
	}
	if (typLen == -1 && VARATT_IS_EXTERNAL_EXPANDED(DatumGetPointer(value)))
	{
		/* It is made where it is aligned, as the server wants it. */
		void	   *flat = palloc(header);

		EOH_flatten_into(DatumGetEOHP(value), flat, header);
		memcpy(*start_address, flat, header);
		pfree(flat);
	}
	else
		memcpy(*start_address, DatumGetPointer(value), header);
	*start_address += header;
}

/*
 * ---- Times ----
 *
 * The zone of the session is a variable of the server's, whom other functions have ask for it.
 */

pg_tz	   *session_timezone = NULL;

/* How far a local time is off UTC, in seconds to the west. */
int
DetermineTimeZoneOffset(struct pg_tm *tm, pg_tz *tzp)
{
	Timestamp	local;
	TimestampTz at;

	(void) tzp;
	if (tm2timestamp(tm, 0, NULL, &local) != 0)
		return 0;
	at = DatumGetTimestampTz(OidFunctionCall1(F_TIMESTAMPTZ_TIMESTAMP,
											  TimestampGetDatum(local)));
	return (int) ((at - local) / USECS_PER_SEC);
}

#define UNIX_EPOCH_OFFSET ((int64) (POSTGRES_EPOCH_JDATE - UNIX_EPOCH_JDATE) * SECS_PER_DAY)

pg_time_t
timestamptz_to_time_t(TimestampTz t)
{
	return (pg_time_t) (t / USECS_PER_SEC + UNIX_EPOCH_OFFSET);
}

/*
 * The date and time in the session's zone, in the units of the C library; not the days of the
 * week and of the year, for which nobody asks.
 */
struct pg_tm *
pg_localtime(const pg_time_t *timep, const pg_tz *tz)
{
	static struct pg_tm tm;
	TimestampTz at = (*timep - UNIX_EPOCH_OFFSET) * USECS_PER_SEC;
	fsec_t		fsec;
	int			offset;

	(void) tz;
	memset(&tm, 0, sizeof(tm));
	if (timestamp2tm(at, &offset, &tm, &fsec, NULL, NULL) != 0)
		return NULL;
	tm.tm_year -= 1900;
	tm.tm_mon--;
	return &tm;
}

size_t
pg_strftime(char *s, size_t maxsize, const char *format, const struct pg_tm *t)
{
	struct tm	tm = {0};

	tm.tm_sec = t->tm_sec;
	tm.tm_min = t->tm_min;
	tm.tm_hour = t->tm_hour;
	tm.tm_mday = t->tm_mday;
	tm.tm_mon = t->tm_mon;
	tm.tm_year = t->tm_year;
	tm.tm_wday = t->tm_wday;
	tm.tm_yday = t->tm_yday;
	tm.tm_isdst = t->tm_isdst;
	return strftime(s, maxsize, format, &tm);
}

bool
TimestampDifferenceExceeds(TimestampTz start_time, TimestampTz stop_time, int msec)
{
	return stop_time - start_time >= msec * INT64CONST(1000);
}
