-- skillrating: install script, joined from the parts in sql/.
\echo Use "CREATE EXTENSION skillrating" to load this file. \quit

-- Every function works with the rights of whoever calls it, but for those on ladders,
-- which check these and then work as the ladder's owner.
GRANT USAGE ON SCHEMA skillrating TO PUBLIC;

-- What the functions of the schema skillrating are made of stands in a schema of
-- its own, so that \df skillrating.* shows what there is to call.  Everybody may
-- use it: what is there works with the rights of its caller, or not at all.
CREATE SCHEMA skillrating_internal;
GRANT USAGE ON SCHEMA skillrating_internal TO PUBLIC;

COMMENT ON SCHEMA skillrating_internal IS
'Parts of the functions in the schema skillrating: transition, final and combine functions, trigger
functions, and steps of longer work. They can change with any version.';
