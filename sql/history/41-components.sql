-- What models have learned of components at the end of a history.

SELECT skillrating_internal.make_aggregate('final_components',
    'model text, PARTICIPANT, FACTS', 'skillrating.final_component[]',
'What a model has learned, at the end of a history of matches, of components: of home advantage,
maps, clubs, players on a map, as components in models() lists them.  The arguments are those of
final_ratings(), and the states those with which final_ratings() and rate() rate:
SELECT c.* FROM (SELECT skillrating.final_components(''state_space'', match_id, player_id, team,
rank, skillrating.inputs(side => side, context => map, club => club), NULL ORDER BY played_at,
match_id) AS components FROM ...) AS q, unnest(q.components) AS c
Sorted by kind, in the order of models(), pool, key and player_id.
Null without rows; empty under a model without components.  Errors: those of final_ratings().',
    transition => 'final_ratings');

SELECT skillrating_internal.make_aggregate('final_components',
    'model text, PARTICIPANT, FACTS, start skillrating.final_rating[], start_components skillrating.final_component[]',
    'skillrating.final_component[]',
'As the form with seven arguments, with start and start_components as in final_ratings().',
    transition => 'final_ratings');
