-- Players who are to be split into teams.

SELECT skillrating_internal.make_type('lobby',
'Players who are to be split into teams, and what is known of them: lobby() makes it, the team
makers take it as their first argument.  Arrays have an element for each player; null is unknown.
The columns up to strict are the arguments of lobby(players, mu, ...).  The others come from a
ladder, by lobby(ladder, players, ...).', '
players text[]: The players.
mu float8[]: Estimates of skill, in points of the model.
mu_2 float8[]: The same on the second team, where sides differ.
sigma float8[]: Deviations of the estimates; null is that of a new player.
weight float8[]: Shares of the match that each will play, above 0; null is all of it.
party text[]: Players with the same text stay together; null is none.
locked integer[]: The team on which a player has to be; 0 is the bench, null leaves the player free.
avoid text[]: Pairs of players who must not be on one team.
split_evenly text[]: Players with the same text are divided equally between two teams.
priority float8[]: Where not all can play, those with higher priority do.
current integer[]: The team at present, 1 or 2; 0 is the bench, null a player without a team.
command_mu float8[]: What players are worth as commanders, in points of the model.
command_mu_2 float8[]: The same on the second team.
commanders boolean[]: Whether a player may command; null for all players.
log_odds float8: A handicap that favours the first team, in log-odds.
strength text: A team is the mean, the sum or the share of its players; ignored with a model.
log_odds_unit float8: Points of strength for a log-odds of 1.
command_weight float8: What a commanders command_mu is multiplied by, 0 to 1e6.
model text: A rating model that says what teams are and when they are balanced.
params jsonb: Its parameters.
wishes jsonb: What breaking a constraint costs, in win probability.
strict boolean: Whether constraints without a price that contradict one another are an error.
counts_as text[]: The account that the player''s is merged into, or the player''s own.
excluded boolean[]: Whether the player is excluded by exclude_player() at that time.
context text[]: Where or as what each plays, as given.
club text[]: The group for which each plays, as given.
state float8[]: All state columns of the model, one player after another.
component float8[]: The states of the components in which the players would take part, kind after kind.
games bigint[]: How many matches each has played, by which the numbers of teams are drawn anew.');

CREATE FUNCTION skillrating.lobby(
    players text[],
    mu anycompatiblearray,
    mu_2 float8[] DEFAULT NULL,
    sigma float8[] DEFAULT NULL,
    weight float8[] DEFAULT NULL,
    party text[] DEFAULT NULL,
    locked integer[] DEFAULT NULL,
    avoid text[] DEFAULT NULL,
    split_evenly text[] DEFAULT NULL,
    priority float8[] DEFAULT NULL,
    current integer[] DEFAULT NULL,
    command_mu float8[] DEFAULT NULL,
    command_mu_2 float8[] DEFAULT NULL,
    commanders boolean[] DEFAULT NULL,
    log_odds float8 DEFAULT 0,
    strength text DEFAULT 'mean',
    log_odds_unit float8 DEFAULT 173.71779276130073,
    command_weight float8 DEFAULT 0.5,
    model text DEFAULT NULL,
    params jsonb DEFAULT '{}',
    wishes jsonb DEFAULT NULL,
    strict boolean DEFAULT false)
RETURNS skillrating.lobby
LANGUAGE sql STABLE PARALLEL SAFE
AS $function$
    -- mu is of any type, so that two parameters without types are a ladder and its players.
    SELECT ROW(players, mu::float8[], mu_2, sigma, weight, party, locked, avoid, split_evenly,
        priority, current, command_mu, command_mu_2, commanders, log_odds, strength, log_odds_unit,
        command_weight, model, params, wishes, strict, NULL, NULL, NULL, NULL, NULL, NULL, NULL)::skillrating.lobby
$function$;

COMMENT ON FUNCTION skillrating.lobby(text[], anycompatiblearray, float8[], float8[], float8[], text[], integer[], text[], text[], float8[], integer[], float8[], float8[], boolean[], float8, text, float8, float8, text, jsonb, jsonb, boolean) IS
'Players with their estimates as a lobby for the team makers, which read it: errors are theirs.
The arguments are the columns of the type lobby, arrays with an element for each of up to 1000
players.  What else there is to say of them:
mu: at most 1e12.  Pass the estimate, such as the column mu of a ladder, and not a displayed rating
such as mu - 3 sigma; for Elo they are the same.
weight: such as 0.5 for one who has to leave at half-time.  A team''s mean is then weighted, and
shares are of all weights.  Except for sums, exact is false unless the teams are even.
party: stays together on the bench, too.  With a model it is a squad, as in preview().
avoid: ''{{a,b},{c,d}}''; who is not in the lobby does not matter.
split_evenly: such as last round''s winners; of those who play, no team gets two more than the other.
priority: with team_size, players with higher priority play, such as those who have waited longest
(a party has the priority of its first member).  Among the lowest priority that still plays, the
split decides.  Locks, and other constraints that leave no such split, are stronger.
command_mu: each team gets a commander, who counts by it times command_weight and not as a player.
strength: the ''mean'' or the ''sum'' of the players, or their ''share'': their sum by the number
of all who play, as in the Hive model.  log_odds_unit: 400 / ln 10 for Elo.
model, params: in place of strength, log_odds_unit and command_weight.  mu is the first state
column, half of mu - mu_2 the side offset.
mu_2, split_evenly, current, command_mu and log_odds are for two teams.
wishes: constraints that may be broken, and what that costs, in win probability: an object with the
keys party, avoid, locked, split_evenly and commanders.  A value is a number from 0 to 1, or an
array with an element for each player, or for each pair of avoid; null is no price.  A party and a
group of split_evenly cost what their most expensive member says.  ''{"party": 0.03}'': to keep a
party together is worth up to 3 percent.  For split_teams() and split_all_sizes().
strict: constraints without a price that contradict one another are an error; else the fewest are
broken.';
