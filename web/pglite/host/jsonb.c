/*
 * jsonb.c
 *		Reading jsonb, as utils/jsonb.h describes its format.
 *
 * Keys and values of an object are its children, keys first, in the order of their lengths and
 * then of their bytes.  A child's entry has its length, or now and then where it ends.
 */
#include "postgres.h"

#include "utils/jsonb.h"
#include "utils/numeric.h"

/* Where child i of a container begins, counted from the first one. */
static uint32
child_begin(const JsonbContainer *container, int i)
{
	uint32		begin = 0;

	while (--i >= 0)
	{
		begin += JBE_OFFLENFLD(container->children[i]);
		if (JBE_HAS_OFF(container->children[i]))
			break;
	}
	return begin;
}

static uint32
child_length(const JsonbContainer *container, int i, uint32 begin)
{
	JEntry		entry = container->children[i];

	return JBE_HAS_OFF(entry) ? JBE_OFFLENFLD(entry) - begin : JBE_OFFLENFLD(entry);
}

static int
number_of_children(const JsonbContainer *container)
{
	return (int) JsonContainerSize(container) * (JsonContainerIsObject(container) ? 2 : 1);
}

/* Child i as a value, which points into the container. */
static void
get_child(const JsonbContainer *container, int i, JsonbValue *value)
{
	JEntry		entry = container->children[i];
	uint32		begin = child_begin(container, i);
	uint32		length = child_length(container, i, begin);
	char	   *base = (char *) &container->children[number_of_children(container)];

	if (JBE_ISNULL(entry))
		value->type = jbvNull;
	else if (JBE_ISSTRING(entry))
	{
		value->type = jbvString;
		value->val.string.val = base + begin;
		value->val.string.len = (int) length;
	}
	else if (JBE_ISNUMERIC(entry))
	{
		value->type = jbvNumeric;
		value->val.numeric = (Numeric) (base + INTALIGN(begin));
	}
	else if (JBE_ISBOOL(entry))
	{
		value->type = jbvBool;
		value->val.boolean = JBE_ISBOOL_TRUE(entry);
	}
	else
	{
		/* The padding in front of a container is part of its child. */
		value->type = jbvBinary;
		value->val.binary.data = (JsonbContainer *) (base + INTALIGN(begin));
		value->val.binary.len = (int) (length - (INTALIGN(begin) - begin));
	}
}

JsonbValue *
getIthJsonbValueFromContainer(JsonbContainer *container, uint32 i)
{
	JsonbValue *value;

	if (!JsonContainerIsArray(container))
		elog(ERROR, "not a jsonb array");
	if (i >= JsonContainerSize(container))
		return NULL;
	value = palloc_object(JsonbValue);
	get_child(container, (int) i, value);
	return value;
}

/* Keys of another length than the one looked for come before or after it as a whole. */
static int
compare_keys(const JsonbValue *a, const JsonbValue *b)
{
	if (a->val.string.len != b->val.string.len)
		return a->val.string.len < b->val.string.len ? -1 : 1;
	return memcmp(a->val.string.val, b->val.string.val, a->val.string.len);
}

/* Only keys of objects are looked for here. */
JsonbValue *
findJsonbValueFromContainer(JsonbContainer *container, uint32 flags, JsonbValue *key)
{
	int			low = 0;
	int			high = (int) JsonContainerSize(container);

	Assert(key->type == jbvString);
	if ((flags & JB_FOBJECT) == 0 || !JsonContainerIsObject(container))
		return NULL;
	while (low < high)
	{
		int			middle = low + (high - low) / 2;
		JsonbValue	candidate;
		int			order;

		get_child(container, middle, &candidate);
		order = compare_keys(&candidate, key);
		if (order == 0)
		{
			JsonbValue *value = palloc_object(JsonbValue);

			get_child(container, middle + (int) JsonContainerSize(container), value);
			return value;
		}
		if (order < 0)
			low = middle + 1;
		else
			high = middle;
	}
	return NULL;
}

/*
 * An iterator over one object whose nested values are skipped, which is all that is asked of it:
 * the members one after another, each as its key and its value.
 */
JsonbIterator *
JsonbIteratorInit(JsonbContainer *container)
{
	JsonbIterator *iterator = palloc0_object(JsonbIterator);

	if (!JsonContainerIsObject(container))
		elog(ERROR, "not a jsonb object");
	iterator->container = container;
	iterator->nElems = JsonContainerSize(container);
	iterator->state = JBI_OBJECT_START;
	return iterator;
}

JsonbIteratorToken
JsonbIteratorNext(JsonbIterator **it, JsonbValue *val, bool skipNested)
{
	JsonbIterator *iterator = *it;

	if (!skipNested)
		elog(ERROR, "nested values are not iterated");
	if (iterator == NULL)
		return WJB_DONE;
	if (iterator->state == JBI_OBJECT_START)
	{
		val->type = jbvObject;
		val->val.object.nPairs = (int) iterator->nElems;
		iterator->state = JBI_OBJECT_KEY;
		return WJB_BEGIN_OBJECT;
	}
	if (iterator->state == JBI_OBJECT_VALUE)
	{
		get_child(iterator->container, iterator->curIndex + (int) iterator->nElems, val);
		iterator->curIndex++;
		iterator->state = JBI_OBJECT_KEY;
		return WJB_VALUE;
	}
	if (iterator->curIndex < (int) iterator->nElems)
	{
		get_child(iterator->container, iterator->curIndex, val);
		iterator->state = JBI_OBJECT_VALUE;
		return WJB_KEY;
	}
	pfree(iterator);
	*it = NULL;
	return WJB_END_OBJECT;
}
