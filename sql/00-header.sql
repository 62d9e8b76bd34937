-- skillrating: install script, joined from the parts in sql/.
\echo Use "CREATE EXTENSION skillrating" to load this file. \quit

-- Every function works with the rights of whoever calls it.
GRANT USAGE ON SCHEMA skillrating TO PUBLIC;

