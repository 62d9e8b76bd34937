-- skillrating: install script, joined from the parts in sql/.
\echo Use "CREATE EXTENSION skillrating" to load this file. \quit

-- The script runs as a superuser, also if an ordinary role installs the extension.  No schema that
-- somebody else can write to may decide what a name or an operator in it means: expressions in
-- DEFAULT and bodies of the form RETURN are bound now and for good.  The server sets this path
-- anyway, because the control file says schema = pg_catalog; it would append the schema of an
-- extension that this one requires.
SET LOCAL search_path = pg_catalog, pg_temp;

-- Both schemas belong to the extension, and to the role that the script runs as: nobody else
-- creates anything in them, and DROP EXTENSION takes them along.  One that exists is refused, whoever
-- owns it and even if it is empty: its owner, and all whom its privileges or default privileges name,
-- could add an overload that catches a qualified call, or use it to hold on to our functions.
CREATE SCHEMA skillrating;
-- Every function works with the rights of whoever calls it, but for those on ladders,
-- which check these and then work as the ladder's owner.
GRANT USAGE ON SCHEMA skillrating TO PUBLIC;

COMMENT ON SCHEMA skillrating IS
'Functions, aggregates and types of the extension skillrating.';

-- What the functions of the schema skillrating are made of stands in a schema of
-- its own, so that \df skillrating.* shows what there is to call.  Everybody may
-- use it: what is there works with the rights of its caller, or not at all.
CREATE SCHEMA skillrating_internal;
GRANT USAGE ON SCHEMA skillrating_internal TO PUBLIC;

COMMENT ON SCHEMA skillrating_internal IS
'Parts of the functions in the schema skillrating: transition, final and combine functions, trigger
functions, and steps of longer work. They can change with any version.';
