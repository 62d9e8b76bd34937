-- Fair teams.

CREATE FUNCTION skillrating.split_teams(
    players anyarray,
    rating float8[],
    teams integer DEFAULT 2,
    team_size integer DEFAULT NULL,
    party integer[] DEFAULT NULL,
    locked integer[] DEFAULT NULL,
    avoid text[] DEFAULT NULL,
    rating_2 float8[] DEFAULT NULL,
    log_odds float8 DEFAULT 0,
    strength text DEFAULT 'mean',
    scale float8 DEFAULT 173.71779276130073,
    command_rating float8[] DEFAULT NULL,
    command_rating_2 float8[] DEFAULT NULL,
    command_weight float8 DEFAULT 0.5,
    commander boolean[] DEFAULT NULL,
    budget float8 DEFAULT NULL,
    seed bigint DEFAULT NULL,
    priority float8[] DEFAULT NULL,
    objective text DEFAULT 'squares',
    current integer[] DEFAULT NULL,
    secondary text DEFAULT NULL,
    tolerance float8 DEFAULT 0,
    model text DEFAULT NULL,
    params jsonb DEFAULT '{}',
    deviation float8[] DEFAULT NULL,
    explain boolean DEFAULT false)
RETURNS TABLE (player anyelement, team integer, difference float8, win_probability float8, exact boolean, bound float8, commands boolean, why jsonb)
AS 'MODULE_PATHNAME', 'skillrating_split_teams'
LANGUAGE C STABLE PARALLEL SAFE ROWS 24;

COMMENT ON FUNCTION skillrating.split_teams(anyarray, float8[], integer, integer, integer[], integer[], text[], float8[], float8, text, float8, float8[], float8[], float8, boolean[], float8, bigint, float8[], text, integer[], text, float8, text, jsonb, float8[], boolean) IS
'Splits players into teams, two or up to ten, that are as even as any can be: a row for each player with the team (null: the bench), and in every row how good the split is. Without team_size everybody plays, in teams as equal in number as possible; with it so many play on either side, and who sits out is chosen so that the teams are fair. Arrays have an element for each player. party: those with the same number stay together, on a team or on the bench; null for none. locked: the number of a team, 0 for the bench, null for neither. avoid: pairs of players, as text, who must not be on one team, ''{{a,b},{c,d}}''; who is not among the players does not matter. rating_2: what players are worth on the second team, where sides differ. log_odds: what the first team has in advance. strength: a team is the mean or the sum of its players, or their share: their sum by the number of all who play, as in the Hive model. scale: rating points for a log-odds of 1, 400 / ln 10 for Elo. With command_rating each team gets a commander, one of those whom commander names (null: anybody), who counts by that (command_rating_2 on the second team) times command_weight, and not as a player. budget: roughly how many milliseconds it may take. seed: among splits that are as good, others for other seeds; the same call always gives the same split. priority: with team_size, those who have more of it play, such as who has waited longest (a party has that of its first member); only among those with the least that suffices does fairness decide, unless ties leave no such split. current: where each is now, 1 or 2, 0 for the bench, null for who was not there: of the splits that are at most tolerance points of strength farther from even than the best one, that which moves the fewest. secondary: of these again the one whose teams have the most equal spread (mean square distance from the mean of all), or the most equal best players; both for two teams. model: what teams are is up to a rating model with these params, strength and scale being its own: ratings are its first state column, deviation the one that it has, rating_2 a side offset and command_rating the skill of a commander; even is what it says is even, and win_probability what it predicts; what log_odds are worth may depend on who plays, so that with a bench another split may be nearer (exact is false). difference is the strength of the first team less that of the second, and win_probability else the logistic function of difference / scale + log_odds, whose distance from one half is what is made small. With more than two teams difference is the strongest team less the weakest, win_probability that of the player''s own team to come first, exp(strength / scale) by the sum of these (Luce 1959), and objective says what is made small: the squares of what teams are off the mean, or the range, which is difference; rating_2, log_odds and commanders are for two teams. exact: no split is nearer (or moves fewer, or is better by the secondary objective); else none is nearer by more than bound, in points of difference (with more than two teams of the root of the mean square, or the range). With explain the first row says in why what the split consists of (terms: the strength of each team, its best player and the root mean square of what its players are off the mean of all; the difference, what would be even, and what is off that), the most even other split (alternative), and the lock, party, pair to avoid or priority without which it would be most even, and what that costs in points (constraint). The search is over sums that can be reached, or all sums of both halves (Horowitz and Sahni 1974), and takes at most 64 MB; with more than two teams a snake draft, of which pairs of teams are split again until none gets better, and then over sets of players: exact to about 24 of them. No rows if players or rating are null. Errors: 22023 for ties that contradict one another, naming one of them, for players who are there twice, and for numbers out of range, 2202E for arrays of other lengths, 22004 for nulls in arrays, 54000 for more than 1000 players and for more than 24 who are tied to one another, or in too many ways.';

CREATE FUNCTION skillrating.split_all_sizes(
    players anyarray,
    rating float8[],
    party integer[] DEFAULT NULL,
    locked integer[] DEFAULT NULL,
    avoid text[] DEFAULT NULL,
    rating_2 float8[] DEFAULT NULL,
    log_odds float8 DEFAULT 0,
    strength text DEFAULT 'mean',
    scale float8 DEFAULT 173.71779276130073,
    budget float8 DEFAULT NULL,
    seed bigint DEFAULT NULL,
    explain boolean DEFAULT false)
RETURNS TABLE (team_size integer, player anyelement, team integer, difference float8, exact boolean, bound float8, win_probability float8, why jsonb)
AS 'MODULE_PATHNAME', 'skillrating_split_all_sizes'
LANGUAGE C STABLE PARALLEL SAFE ROWS 200;

COMMENT ON FUNCTION skillrating.split_all_sizes(anyarray, float8[], integer[], integer[], text[], float8[], float8, text, float8, float8, bigint, boolean) IS
'The best split for every team size from 2 to half of the players, all at once, with whoever is left on the bench: what a game server keeps to be ready for whoever is still there. A row for each size and player; sizes that the ties do not allow are left out. Arguments, columns and errors are those of split_teams().';
