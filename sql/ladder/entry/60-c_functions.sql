-- The functions in C behind those on ladders, which no user calls, as make_function() takes them.
DO LANGUAGE plpgsql
$do$
DECLARE
    f record;
BEGIN
    FOR f IN VALUES
        ('ladder_entries(OUT function text, OUT runs_as text, OUT lock text, OUT needs text)',
            'SETOF record', 'STABLE PARALLEL SAFE ROWS 100',
'The functions of the schema skillrating that work on ladders: as whom they run, which lock they
take on the schema of the ladder, and what the caller needs besides USAGE on it.'),
        ('ladder_facts(ladder text, OUT player_type text, OUT player_equals text, OUT player_order text,
            OUT match_type text, OUT match_equals text, OUT match_order text, OUT player_less text,
            OUT state_columns text[], OUT state_before text, OUT state_after text, OUT object_before text,
            OUT object_after text, OUT shared_pool text, OUT model text, OUT params jsonb, OUT late text,
            OUT horizon bigint, OUT horizon_at timestamptz)', NULL, 'STABLE STRICT',
'The types of a ladder''s players and matches, and for each the operator of equality and what follows
an expression in ORDER BY, and the operator that orders players, as SQL that does not depend on
search_path; the state columns of the model, and the states before and after in a row e of event, as
SQL that gives arrays, and objects by the names of the columns; the pool of the rows that have what
a player has in all pools, or null; and columns of table ladder. Error 55000 unless the ladder has
been entered, so that bodies begin with it.'),
        ('check_inside(ladder text, relation text DEFAULT '''')', 'void', 'STABLE STRICT',
'Error 55000 unless the ladder has been entered, for bodies that put up with an incomplete ladder;
and 42501 unless the role that called may read all rows of a relation of it, which not every call
reads. Nobody needs a right on component if the ladder uses none.'),
        ('check_pending(ladder text)', 'void', 'VOLATILE STRICT',
'Locks table pending. Error 55000 if anything of the user''s hangs on it, such as a default or a
trigger, or unless the ladder has been entered.'),
        ('collect_matches()', 'trigger', '',
'Trigger function on tables of matches, after each statement: has the matches that it touched rated,
at commit or at once. On an attached table the WHEN condition names the view source of the ladder.
Errors: 39P01 if it is attached otherwise, 55000 on another table and for TRUNCATE.'),
        ('enqueue_matches()', 'trigger', '',
'Trigger function on tables attached with replica => true: puts the matches of a row into table
pending, and what has no match, or TRUNCATE, into replica_note. Errors as collect_matches().'),
        ('apply_pending()', 'trigger', '',
'Deferred constraint trigger function on table pending: at commit it rates the matches that the
transaction touched, in one batch, by played_at and match_id.'),
        ('identifier_equals(type regtype, column_name text)', 'text', 'STABLE STRICT PARALLEL SAFE',
'The default equality operator of a type, as an expression has it. Errors as check_identifier_type().'),
        ('nearest_source_column(source regclass, name text)', 'text', 'STABLE STRICT PARALLEL SAFE',
'The column in source_columns() that a source lacks and another one may stand for, by its name; or
null.'),
        ('ladder_columns(relation text, model text, params jsonb, player_type regtype,
            match_type regtype, display text)', 'text', 'STABLE STRICT PARALLEL SAFE',
'The column definitions of table rating, event, component or component_event; display is the
expression of the displayed rating. Errors: 22023 for another relation, and those of models().'),
        ('has_table(ladder text, name text)', 'boolean', 'STABLE STRICT',
'Whether a ladder has a table that not every ladder has. What belongs to another role is none: work
on it would run that role''s code as the ladder''s owner.'),
        ('drop_source_triggers(source regclass, relation regclass, mirrors boolean)', 'bigint', 'VOLATILE',
'Drops the triggers of attach(), of mirror_rating() (mirrors), or both (null) that depend on a view
source, from one table or all (null), locked as by hold_objects(), and counts them. Errors: 42501
unless the caller owns the view, 55006 for a table in use, 55P03.'),
        ('error_is_bearable(sqlstate text)', 'boolean', 'IMMUTABLE STRICT PARALLEL SAFE',
'Whether a transaction can go on after an error: not where it asks for another attempt, or tells of
a lack of resources or of damaged data. Error 22023 if it is no SQLSTATE.'),
        ('source_tables(source regclass, column_name text, OUT relation regclass,
            OUT function regprocedure, OUT columns text[], OUT elsewhere boolean, OUT through text,
            OUT mixed boolean)', 'SETOF record', 'STABLE STRICT ROWS 4',
'The tables below a view: the columns of each that equal a column of the view; whether it is also
used where none does (elsewhere), and then an expression over its rows that gives the value
(through); and whether a LIMIT, DISTINCT ON or window reads it over several values (mixed). Besides,
the functions that may read tables. Error 42703 for an unknown column.'),
        ('lock_mirror(ladder text, relation regclass)', 'boolean', 'VOLATILE STRICT',
'Locks a table that is to be written to; false if it is gone. Error 42501 unless it belongs to the
owner of the ladder, with all that inherits from it: what hangs on them runs as that role.'),
        ('update_mirrors()', 'trigger', '',
'Trigger function on table rating: writes what has changed to its mirrors. Errors: 39P01 if it is
attached otherwise, 55000 on another table.'),
        ('fill_mirror()', 'trigger', '',
'Trigger function on a mirroring table, as collect_matches() on an attached one: gives inserted rows
the ratings of their players.'),
        ('note_change(ladder text, tables boolean DEFAULT false)', 'void', 'VOLATILE STRICT',
'Part of what changes who is who, what counts or mirrors: writes a new version of the row of table
ladder, by which higher isolation levels see that their snapshot is older; with tables all sessions
look up its tables again.'),
        ('counted_player(ladder text, player_id text)', 'text', 'STABLE STRICT',
'The player that an account counts as at last: the one that it is merged into in the end, or itself.'),
        ('write_horizon(ladder text, seq bigint)', 'void', 'VOLATILE STRICT',
'A part of set_horizon(): puts into the tables horizon and component_horizon of a ladder how players
and components were behind a place in the order.'),
        ('apply_operation(ladder text, seq bigint)', 'bigint', 'VOLATILE STRICT',
'Does the last operation of table operation, while others rate behind it after hold_ladder().
Returns the number of players. Errors: 55000 if it is not the last one, or if a match that was rated
meanwhile has gone from the source unreported, 22003 for a state out of range.'),
        ('unused_columns(source regclass, model text, params jsonb)', 'text[]', 'STABLE STRICT',
'The columns of a source that neither a model uses under these parameters nor the ladder or its rules
of eligibility: a ladder does not read them, but for scores beside ranks. Errors as for models().'),
        ('replace_words(string text, words text[], replacement text)', 'text', 'IMMUTABLE STRICT PARALLEL SAFE',
'A text with a replacement for each of some words, unless letters or digits continue it.'),
        ('rename_digests(ladder text, players text[], pseudonyms text[], own boolean)', 'bigint', 'VOLATILE STRICT',
'Gives the matches of players the digests that they have under pseudonyms, if they are otherwise as
before, and takes back the corrections that the change of names made. own says that unrated_reason
will be rewritten, too. Returns the number of matches.'),
        ('hold_ladder(ladder text, readers boolean)', 'void', 'VOLATILE STRICT',
'From now on nobody else may write to a ladder or, where it was entered to read and readers is true,
read it: an operation comes behind whatever has been rated. Error 40001 for an old snapshot.'),
        ('hold_objects(held text, before oid[], schemas oid[], behind oid[], shared integer)', 'void', 'VOLATILE STRICT',
'Locks relations, schemas of ladders and other relations, in this order, all or none, by attempts of
50 ms at most: as many as shared says by SHARE ROW EXCLUSIVE, schemas by EXCLUSIVE, the others by
ACCESS EXCLUSIVE. Errors: 42501 unless the caller may make triggers on the former, and owns the
latter and schemas; 55P03, naming who is in the way, after 30 s.'),
        ('lock_maintenance(schema oid)', 'void', 'VOLATILE STRICT',
'Waits until nobody else maintains the ladder in a schema, to the end of the transaction. Errors:
42501 unless the caller owns it, 40P01 if this transaction has rated its matches and another waits.'),
        ('check_eligibility(rules jsonb)', 'void', 'IMMUTABLE STRICT PARALLEL SAFE',
'Errors: 22023 for a rule of eligibility that is unknown, of another type, or only says more about
one that is not there; 22003 for a value out of range.'),
        ('solve_matches(ladder text, solver text, params jsonb, pool text, start text,
            start_contexts skillrating.context_estimate[], write text[])', 'skillrating.solve_summary', 'VOLATILE',
'Solves the rated matches of a pool as solve() does, beginning with the estimates of the query start
and start_contexts; the queries of write read the estimates as relation "solution".'),
        ('match_participants(ladder text, match_id text, OUT account text, OUT player_id text,
            OUT pool text, OUT played_at timestamptz, OUT team integer, OUT rank float8,
            OUT weight float8)', 'SETOF record', 'STABLE STRICT ROWS 12',
'The accounts in a match as its source has it now, with the players whom they count as, and what
rating makes of their rows; no rows if the source has none, or an error about its data.'),
        ('rate_failed(ladder text)', 'void', 'VOLATILE STRICT',
'Tries matches again that wait because of an error.'),
        ('lacking_triggers(ladder text)', 'text', 'STABLE STRICT',
'A table of a ladder, attached to it or mirrored, that lacks triggers, or null.'),
        ('rating_range(rating float8)', 'integer', 'IMMUTABLE STRICT PARALLEL SAFE',
'The range in which a displayed rating is counted.'),
        ('add_ranges(counts integer[], places integer[], nets integer[])', 'integer[]', 'IMMUTABLE PARALLEL SAFE',
'The counts of 64 ranges (null: zeros) with changes at some places, or at all (null). Error 55000.'),
        ('fold_rating_counts(ladder text)', 'bigint', 'VOLATILE STRICT',
'Adds the changes in table rating_count_delta to table rating_count, unless another open transaction
does, and returns how many rows that wrote.'),
        ('range_counts(ladder text, pool text, rating float8, OUT above bigint, OUT below bigint,
            OUT total bigint, OUT bottom float8, OUT top float8)', NULL, 'STABLE STRICT',
'How many players of a pool with rated matches there are, and how many above and below the range,
from bottom to top, of a rating.')
    LOOP
        PERFORM skillrating_internal.make_function('skillrating_internal.' || split_part(f.column1, '(', 1),
            substring(f.column1 FROM '\((.*)\)$'), f.column2, f.column3, f.column4);
    END LOOP;
END
$do$;
