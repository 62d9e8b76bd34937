/*
 * solve_pass.h
 *		What solve_distributed() and the processes that read partitions tell one another.
 */
#ifndef PG_HISTORY_SOLVE_PASS_H
#define PG_HISTORY_SOLVE_PASS_H

#include "pg/sql/glue.h"

#include "port/pg_bswap.h"

#include "core/solve/solver.h"

/* The keys of a plan, a jsonb object that says what is solved. */
#define PLAN_SOLVER "solver"
#define PLAN_PARAMS "params"
#define PLAN_STRICT "strict"
#define PLAN_KEEP "keep"		/* a key or a token of kept rows, in hex */
#define PLAN_HOME "home"		/* the process that keeps rows under a token,
								 * in hex */
#define PLAN_LASTING "lasting"

/* The columns of the type survey. */
enum
{
	SURVEY_PLAYERS,
	SURVEY_GAMES,
	SURVEY_COMPONENT,
	SURVEY_CONTEXTS,
	SURVEY_MATCHES,
	SURVEY_ROWS,
	SURVEY_SIDES,
	SURVEY_UNRATED,
	SURVEY_PACKED,
	SURVEY_KEPT,
	SURVEY_NCOLUMNS
};

/*
 * What a pass is asked, and what it answers: bytes, because as text, which is how they go
 * to other servers, these take fewer characters and much less time than numbers do.
 * Numbers are in the order of little-endian machines everywhere.
 *
 * A request is its kind, the number of unknowns, Davidson's parameter of draws, and for a
 * pass over rows one vector: the point, or for a product what the matrix is multiplied
 * with.  The answer is the negative log likelihood, what LogitSums has of draws, and the
 * vectors that the kind says.
 */
typedef enum PassKind
{
	PASS_GRADIENT,				/* at a point: the gradient */
	PASS_DERIVATIVES,			/* and the diagonal; products are there from
								 * now on */
	PASS_PRODUCT,				/* the matrix of second derivatives times a
								 * vector */
	PASS_RELEASE,				/* no pass: forget the rows, or */
	PASS_HOLD					/* hold them, see kept_rows_hold() */
} PassKind;

/* Whether a kind goes over rows. */
static inline bool
is_pass(PassKind kind)
{
	return kind <= PASS_PRODUCT;
}

typedef struct PassRequest
{
	uint32		kind;
	uint32		n;
	double		draw;
} PassRequest;

#define PASS_REQUEST_SIZE (2 * sizeof(uint32) + sizeof(double))
#define PASS_ANSWER_SIZE (3 * sizeof(double))

/* The vectors in the answer to a request. */
static inline int
pass_answer_vectors(PassKind kind)
{
	return !is_pass(kind) ? 0 : kind == PASS_DERIVATIVES ? 2 : 1;
}

/*
 * Partitions have at most so many unknowns: an answer with two vectors goes between
 * servers as text of two characters a byte.
 */
#define PASS_MAX_UNKNOWNS (MaxAllocSize / (2 * 2 * sizeof(double)) - 16)

/* Put a number into a message, or take it out; what is behind it is returned. */
static inline char *
pass_put_uint32(char *to, uint32 number)
{
#ifdef WORDS_BIGENDIAN
	number = pg_bswap32(number);
#endif
	memcpy(to, &number, sizeof(number));
	return to + sizeof(number);
}

static inline const char *
pass_get_uint32(const char *from, uint32 *number)
{
	memcpy(number, from, sizeof(*number));
#ifdef WORDS_BIGENDIAN
	*number = pg_bswap32(*number);
#endif
	return from + sizeof(*number);
}

static inline char *
pass_put_double(char *to, double number)
{
	uint64		bits;

	memcpy(&bits, &number, sizeof(bits));
#ifdef WORDS_BIGENDIAN
	bits = pg_bswap64(bits);
#endif
	memcpy(to, &bits, sizeof(bits));
	return to + sizeof(bits);
}

static inline const char *
pass_get_double(const char *from, double *number)
{
	uint64		bits;

	memcpy(&bits, from, sizeof(bits));
#ifdef WORDS_BIGENDIAN
	bits = pg_bswap64(bits);
#endif
	memcpy(number, &bits, sizeof(bits));
	return from + sizeof(bits);
}

/* Errors unless the solver can do with passes. */
extern void check_can_pass(const Solver *solver);

#endif							/* PG_HISTORY_SOLVE_PASS_H */
