/*
 * solve_pass_functions.c
 *		The first pass over the matches of a partition, which may keep their rows, and
 *		the passes over kept rows: solve_survey(), solve_pass() and what goes with them.
 *
 * Matches are turned into rows of the solver a batch at a time and forgotten again; what
 * remains is the rows, if they are to be kept, and a few numbers a player.
 *
 * Functions that find kept rows are declared immutable, because postgres_fdw sends no
 * others to the server that has the rows.  They are called by solve_distributed(), in
 * queries whose arguments no planner knows: parameters of generic plans.
 */
#include "pg/history/solve_pass.h"

#include "access/parallel.h"
#include "catalog/pg_type.h"
#include "nodes/makefuncs.h"
#include "nodes/supportnodes.h"
#include "utils/array.h"
#include "utils/builtins.h"
#include "utils/memutils.h"

#include "core/util/union_find.h"
#include "pg/history/kept_rows.h"
#include "pg/history/solve_state.h"
#include "pg/matches/history_builder.h"
#include "pg/sql/aggregate.h"
#include "pg/sql/composite.h"
#include "pg/sql/huge.h"
#include "pg/sql/json.h"

SKILLRATING_FUNCTION(skillrating_solve_survey_transition);
SKILLRATING_FUNCTION(skillrating_solve_survey_final);
SKILLRATING_FUNCTION(skillrating_solve_near);
SKILLRATING_FUNCTION(skillrating_solve_reads);
SKILLRATING_FUNCTION(skillrating_solve_reads_support);
SKILLRATING_FUNCTION(skillrating_solve_kept);
SKILLRATING_FUNCTION(skillrating_solve_pass);

/* How many matches are turned into rows together. */
#define BATCH 4096

/*
 * A player is an unknown at least, so that more players than a pass can be asked about are
 * an error as soon as they have been read, and not when all has been.
 */
#define MAX_PLAYERS ((int) Min(PASS_MAX_UNKNOWNS, SOLVER_MAX_OPEN - 1))

/* The arguments of solve_survey(), after the state. */
enum
{
	ARG_PLAN = 1,
	ARG_MATCH,
	ARG_INPUTS = 6
};

typedef struct SurveyState
{
	HistoryBuilder builder;
	ParamValue *params;
	SolverTask	task;
	OpenRows	open;
	int64		rows;
	char	   *key;			/* under which rows are kept, or NULL */
	bool		of_token;		/* which was drawn here, */
	bool		elsewhere;		/* to be kept by another process */
	bool		lasting;
	uint64		kept;			/* number of the rows that are kept, or 0 */
} SurveyState;

void
check_can_pass(const Solver *solver)
{
	if (solver->rows == NULL || solver->by_day)
		ereport(ERROR,
				(errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
				 errmsg("solver \"%s\" cannot be distributed", solver->name),
				 errdetail("A player has other skills from day to day, and days of other partitions lie between."),
				 errhint("Solve \"bradley_terry\", \"hive\" or \"plackett_luce\", or use solve().")));
}

/* Bytes that are in hex, and how many. */
static char *
read_hex(const JsonReader *reader, Size *size)
{
	char	   *hex = json_member_text(reader, "a text");
	Size		digits = strlen(hex);
	char	   *bytes = palloc(digits / 2 + 1);

	if ((digits != 2 * KEPT_KEY_SIZE && digits != 2 * KEPT_TOKEN_SIZE) ||
		strspn(hex, "0123456789abcdef") != digits)
		json_invalid_value(reader, "32 or 40 hexadecimal digits");
	(void) hex_decode(hex, digits, bytes);
	*size = digits / 2;
	return bytes;
}

/* The key of rows to be kept, or a token of which this is to draw one. */
static void
read_key(SurveyState *state, const JsonReader *reader)
{
	Size		size;
	char	   *bytes = read_hex(reader, &size);

	state->of_token = size == KEPT_TOKEN_SIZE;
	state->key = bytes;
	if (!state->of_token)
		return;
	state->key = palloc(KEPT_KEY_SIZE);
	kept_rows_new_key(bytes, state->key);
}

/* Whether another process is to keep the rows. */
static bool
read_home(const JsonReader *reader)
{
	Size		size;
	char	   *home = read_hex(reader, &size);

	return size != KEPT_TOKEN_SIZE ||
		memcmp(home, kept_rows_process(), KEPT_TOKEN_SIZE) != 0;
}

static bool
read_flag(const JsonReader *reader)
{
	bool		flag;

	if (!json_value_boolean(&reader->value, &flag))
		json_invalid_value(reader, "true or false");
	return flag;
}

/* What is to be solved: the plan, once there is a builder. */
static void
read_plan(SurveyState *state, Jsonb *plan)
{
	JsonReader	reader;
	Jsonb	   *params = NULL;
	bool		strict = false;

	json_reader_begin(&reader, plan, "plan",
					  "For example '{\"solver\": \"bradley_terry\"}'.");
	while (json_reader_next(&reader))
	{
		if (strcmp(reader.key, PLAN_SOLVER) == 0)
			state->task.solver = get_solver(json_member_text(&reader, "a text"));
		else if (strcmp(reader.key, PLAN_PARAMS) == 0)
			params = json_member_object(&reader, "an object");
		else if (strcmp(reader.key, PLAN_STRICT) == 0)
			strict = read_flag(&reader);
		else if (strcmp(reader.key, PLAN_KEEP) == 0)
			read_key(state, &reader);
		else if (strcmp(reader.key, PLAN_HOME) == 0)
			state->elsewhere = read_home(&reader);
		else if (strcmp(reader.key, PLAN_LASTING) == 0)
			state->lasting = read_flag(&reader);
		else
			json_invalid_key(&reader,
							 "\"" PLAN_SOLVER "\", \"" PLAN_PARAMS "\", \"" PLAN_STRICT "\", \"" PLAN_KEEP "\", \"" PLAN_HOME "\" and \"" PLAN_LASTING "\"");
	}
	if (state->task.solver == NULL)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("key \"%s\" is missing in plan", PLAN_SOLVER),
				 errhint("It names one of skillrating.solvers().")));
	check_can_pass(state->task.solver);
	state->params = get_params(&state->task.solver->params, params);
	history_builder_judge_by(&state->builder, "solve_survey",
							 &state->task.solver->rules, state->params, strict,
							 TIMES_OPTIONAL);
}

/* Make rows of a match that has been judged. */
static void
take_match(HistoryBuilder *builder, const Match *match, const int32 *player, void *argument)
{
	SurveyState *state = (SurveyState *) argument;

	open_rows_add(&state->open, &state->task, builder, match, player);
}

/* The rows of a batch of matches are there. */
static void
take_batch(HistoryBuilder *builder, void *argument)
{
	SurveyState *state = (SurveyState *) argument;
	SolverTask *task = &state->task;

	if (builder->history.nplayers > MAX_PLAYERS)
		ereport(ERROR,
				(errcode(ERRCODE_PROGRAM_LIMIT_EXCEEDED),
				 errmsg("too many players in a partition: more than %d", MAX_PLAYERS)));
	state->rows += task->layout.nrows;
	if (state->kept != 0)
		kept_rows_add(kept_rows_of_number(state->kept), task);
	history_builder_forget(builder);
	open_rows_begin(&state->open, task);
}

/* Begin with what is the same in all rows. */
static SurveyState *
begin_survey(FunctionCallInfo fcinfo)
{
	SurveyState *state;

	if (PG_ARGISNULL(ARG_PLAN))
		ereport(ERROR,
				(errcode(ERRCODE_NULL_VALUE_NOT_ALLOWED),
				 errmsg("plan must not be null")));
	state = palloc0_object(SurveyState);
	history_builder_begin_rows(&state->builder, fcinfo, "solve_survey", ARG_MATCH,
							   ARG_INPUTS, true, false);
	state->builder.context_use = CONTEXT_OF_MATCHES;
	state->builder.batch = BATCH;
	state->builder.on_match = take_match;
	state->builder.on_batch = take_batch;
	state->builder.argument = state;
	read_plan(state, PG_GETARG_JSONB_P_COPY(ARG_PLAN));
	state->task.share = SOLVER_MATCHES;
	state->task.params = state->params;
	state->task.history = &state->builder.history;
	state->task.interrupt = check_interrupts;
	solver_lay_out_open(&state->task);
	open_rows_begin(&state->open, &state->task);
	if (state->key != NULL)
		state->kept = kept_rows_number(kept_rows_begin(state->key, state->lasting));
	return state;
}

/* solve_survey(plan, match_id, player_id, team, rank, inputs) */
Datum
skillrating_solve_survey_transition(PG_FUNCTION_ARGS)
{
	MemoryContext context = aggregate_context(fcinfo, "solve_survey");
	MemoryContext old = MemoryContextSwitchTo(context);
	SurveyState *state;

	if (PG_ARGISNULL(0))
		state = begin_survey(fcinfo);
	else
		state = (SurveyState *) PG_GETARG_POINTER(0);
	history_builder_read_row(&state->builder, fcinfo);
	MemoryContextSwitchTo(old);
	PG_RETURN_POINTER(state);
}

/* The columns of a survey but those of the kept rows. */
static void
survey_columns(SurveyState *state, Datum *values)
{
	HistoryBuilder *builder = &state->builder;
	int32		nplayers = builder->history.nplayers;
	Datum	   *element = huge_array(Datum, nplayers);
	int32		i;

	for (i = 0; i < nplayers; i++)
		element[i] = CStringGetTextDatum(id_text(&builder->player_type,
												 builder->player_id[i]));
	values[SURVEY_PLAYERS] =
		PointerGetDatum(construct_array(element, nplayers, TEXTOID, -1, false,
										TYPALIGN_INT));
	for (i = 0; i < nplayers; i++)
		element[i] = Int64GetDatum(state->task.layout.games[i]);
	values[SURVEY_GAMES] =
		PointerGetDatum(construct_array(element, nplayers, INT8OID, sizeof(int64),
										FLOAT8PASSBYVAL, TYPALIGN_DOUBLE));
	for (i = 0; i < nplayers; i++)
		element[i] = Int32GetDatum(1 + union_find(state->task.layout.component, i));
	values[SURVEY_COMPONENT] =
		PointerGetDatum(construct_array(element, nplayers, INT4OID, sizeof(int32),
										true, TYPALIGN_INT));
	values[SURVEY_CONTEXTS] =
		PointerGetDatum(construct_array(history_builder_names(&builder->contexts),
										builder->contexts.n, TEXTOID, -1, false,
										TYPALIGN_INT));
	values[SURVEY_MATCHES] = Int64GetDatum((int64) builder->forgotten);
	values[SURVEY_ROWS] = Int64GetDatum(state->rows);
	values[SURVEY_SIDES] = BoolGetDatum(state->task.sides);
	values[SURVEY_UNRATED] = unrated_counts_jsonb(&builder->unrated);
}

Datum
skillrating_solve_survey_final(PG_FUNCTION_ARGS)
{
	SurveyState *state = aggregate_state(fcinfo, "solve_survey");
	KeptRows   *kept = NULL;
	MemoryContext old;
	Datum		values[SURVEY_NCOLUMNS] = {0};
	bool		nulls[SURVEY_NCOLUMNS] = {false};
	Datum		survey;

	if (state == NULL)
		PG_RETURN_NULL();
	old = MemoryContextSwitchTo(aggregate_context(fcinfo, "solve_survey"));
	history_builder_end_rows(&state->builder);
	take_batch(&state->builder, state);
	if (state->kept != 0)
		kept = kept_rows_of_number(state->kept);
	MemoryContextSwitchTo(old);
	survey_columns(state, values);

	/*
	 * A parallel worker ends with the query, and nothing says that the server
	 * of a part is asked again: whoever asked keeps the rows.
	 */
	if (kept != NULL && (IsParallelWorker() || (state->of_token && state->elsewhere)))
	{
		values[SURVEY_PACKED] =
			PointerGetDatum(kept_rows_pack(kept, IsParallelWorker() ? KEPT_MAX_PACKED :
										   KEPT_MAX_PACKED_AS_TEXT));
		kept_rows_release(kept);
		kept = NULL;
	}
	nulls[SURVEY_PACKED] = values[SURVEY_PACKED] == (Datum) 0;
	nulls[SURVEY_KEPT] = kept == NULL || !state->of_token;
	if (!nulls[SURVEY_KEPT])
		values[SURVEY_KEPT] = Int32GetDatum((int32) kept_key_number(state->key));
	survey = return_row(fcinfo, values, nulls);
	if (kept != NULL)
		kept_rows_end(kept, state->task.solver, state->params,
					  state->builder.history.nplayers, state->builder.contexts.n,
					  state->lasting ? survey : (Datum) 0);
	return survey;
}

/* solve_near(plan) */
Datum
skillrating_solve_near(PG_FUNCTION_ARGS)
{
	PG_RETURN_DATUM(PG_GETARG_DATUM(0));
}

/*
 * ---- Kept rows ----
 */

/* A key from an argument. */
static const char *
key_argument(Datum argument)
{
	bytea	   *key = DatumGetByteaPP(argument);

	if (VARSIZE_ANY_EXHDR(key) != KEPT_KEY_SIZE)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("a key has %d bytes, not %d", (int) VARSIZE_ANY_EXHDR(key),
						(int) KEPT_KEY_SIZE)));
	return VARDATA_ANY(key);
}

/* solve_reads(key, if_not_kept, team) */
Datum
skillrating_solve_reads(PG_FUNCTION_ARGS)
{
	PG_RETURN_BOOL(!PG_ARGISNULL(0) && !PG_ARGISNULL(1) && PG_GETARG_BOOL(1) &&
				   kept_rows_find(key_argument(PG_GETARG_DATUM(0))) == NULL);
}

/*
 * Where both are known, as on a server that is sent values for parameters, the answer is
 * the same for all rows, and a scan whose answer is no does not take place.
 */
Datum
skillrating_solve_reads_support(PG_FUNCTION_ARGS)
{
	Node	   *request = (Node *) PG_GETARG_POINTER(0);
	List	   *args;
	Const	   *key;
	Const	   *if_not_kept;

	if (!IsA(request, SupportRequestSimplify))
		PG_RETURN_POINTER(NULL);
	args = ((SupportRequestSimplify *) request)->fcall->args;
	if (list_length(args) != 3 || !IsA(linitial(args), Const) ||
		!IsA(lsecond(args), Const))
		PG_RETURN_POINTER(NULL);
	key = linitial_node(Const, args);
	if_not_kept = lsecond_node(Const, args);
	PG_RETURN_POINTER(makeBoolConst(!key->constisnull && !if_not_kept->constisnull &&
									DatumGetBool(if_not_kept->constvalue) &&
									kept_rows_find(key_argument(key->constvalue)) == NULL,
									false));
}

/* solve_kept(key, survey) */
Datum
skillrating_solve_kept(PG_FUNCTION_ARGS)
{
	KeptRows   *kept;

	if (!PG_ARGISNULL(1))
		return PG_GETARG_DATUM(1);
	if (PG_ARGISNULL(0))
		PG_RETURN_NULL();
	kept = kept_rows_find(key_argument(PG_GETARG_DATUM(0)));
	if (kept == NULL || kept_rows_survey(kept) == (Datum) 0)
		PG_RETURN_NULL();
	return kept_rows_survey(kept);
}

/* Take a request apart; its vector is allocated. */
static double *
read_request(bytea *message, PassRequest *request)
{
	const char *from = VARDATA_ANY(message);
	Size		size = VARSIZE_ANY_EXHDR(message);
	double	   *vector = NULL;
	uint32		i;

	if (size >= PASS_REQUEST_SIZE)
	{
		from = pass_get_uint32(from, &request->kind);
		from = pass_get_uint32(from, &request->n);
		from = pass_get_double(from, &request->draw);
	}
	if (size < PASS_REQUEST_SIZE || request->kind > PASS_HOLD ||
		size != PASS_REQUEST_SIZE + sizeof(double) * (Size) request->n ||
		request->n > PASS_MAX_UNKNOWNS || !(request->draw >= 0) || isinf(request->draw))
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("invalid request of a pass")));
	vector = huge_array(double, request->n);
	for (i = 0; i < request->n; i++)
		from = pass_get_double(from, &vector[i]);
	return vector;
}

/* Answer a request from kept rows. */
static bytea *
answer_request(KeptRows *kept, const PassRequest *request, const double *vector)
{
	uint32		n = request->n;
	int			nvectors = pass_answer_vectors(request->kind);
	double	   *gradient = huge_array0(double, 2 * (Size) n);
	LogitSums	sums = {0, 0, 0};
	Size		size = VARHDRSZ + PASS_ANSWER_SIZE + nvectors * sizeof(double) * (Size) n;
	bytea	   *answer = (bytea *) huge_array(char, size);
	char	   *to = VARDATA(answer);
	Size		i;

	if (request->kind == PASS_PRODUCT)
		kept_rows_multiply(kept, vector, gradient);
	else
		kept_rows_evaluate(kept, request->draw, vector, &sums, gradient,
						   request->kind == PASS_DERIVATIVES ? gradient + n : NULL);
	SET_VARSIZE(answer, size);
	to = pass_put_double(to, sums.objective);
	to = pass_put_double(to, sums.draws);
	to = pass_put_double(to, sums.draws_slope);
	for (i = 0; i < (Size) nvectors * n; i++)
		to = pass_put_double(to, gradient[i]);
	pfree(gradient);
	return answer;
}

/* solve_pass(key, request, rows) */
Datum
skillrating_solve_pass(PG_FUNCTION_ARGS)
{
	KeptRows   *kept = kept_rows_find(key_argument(PG_GETARG_DATUM(0)));
	PassRequest request;
	double	   *vector = read_request(PG_GETARG_BYTEA_PP(1), &request);

	if (kept == NULL)
		PG_RETURN_NULL();
	if (!is_pass(request.kind))
	{
		if (request.kind == PASS_RELEASE)
			kept_rows_release(kept);
		else
			kept_rows_hold(kept);
		PG_RETURN_BYTEA_P(cstring_to_text_with_len("", 0));
	}
	if (request.n != kept_rows_unknowns(kept))
		ereport(ERROR,
				(errcode(ERRCODE_ARRAY_SUBSCRIPT_ERROR),
				 errmsg("kept rows have %u unknowns, not %u", kept_rows_unknowns(kept),
						request.n)));
	PG_RETURN_BYTEA_P(answer_request(kept, &request, vector));
}
