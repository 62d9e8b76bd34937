# skillrating: skill ratings of players from match results, for PostgreSQL.

# For a fresh machine: each of these installs what is missing and works on a
# throw-away cluster.  The makes that they run must not inherit DATA, which means
# something else to PGXS.
.PHONY: all test demo bench fuzz
all:

test:
	@MAKEFLAGS= exec test/run.sh
demo: export DATA := $(DATA)
demo:
	@test/prerequisites.sh && MAKEFLAGS= exec demo/run.sh $(if $(DATA),"$$DATA")
bench: BENCH = run match/run changes notify live bulk boards partitions queries solve distributed split functions models/run
bench:
	@test/prerequisites.sh && for part in $(BENCH); do MAKEFLAGS= bench/$$part.sh || exit; done
fuzz:
	@test/prerequisites.sh clang libclang-rt-dev && MAKEFLAGS= exec test/fuzz.sh $(SECONDS)

# All else is PGXS, which must be there.
ifneq (,$(or $(filter-out test demo bench fuzz,$(MAKECMDGOALS)),$(if $(MAKECMDGOALS),,all)))

EXTENSION = skillrating
EXTVERSION = $(shell sed -n "s/^default_version = '\(.*\)'/\1/p" $(EXTENSION).control)
MODULE_big = $(EXTENSION)
PGFILEDESC = "skillrating - skill ratings of players from match results"

# Whatever is in these folders is part of the library.
OBJS = $(patsubst %.c,%.o,$(sort $(wildcard src/core/*/*.c src/pg/*/*.c)))

# The parts of the install script: their numbers are the order in which they are
# joined.
SQL_PARTS = $(sort $(wildcard sql/*.sql))

DATA_built = $(EXTENSION)--$(EXTVERSION).sql
DATA = $(wildcard sql/updates/$(EXTENSION)--*--*.sql)
EXTRA_CLEAN = $(DATA_built)

# Inputs live in test/, outputs in expected/: without options about the latter
# this works on every version.  No test may share a name with a file in sql/,
# which pg_regress would run in its place.
REGRESS = $(patsubst test/sql/%.sql,%,$(sort $(wildcard test/sql/*.sql)))
REGRESS_OPTS = --inputdir=test --load-extension=$(EXTENSION)
ISOLATION = $(patsubst test/specs/%.spec,%,$(sort $(wildcard test/specs/*.spec)))
ISOLATION_OPTS = --inputdir=test --outputdir=. --load-extension=$(EXTENSION)
EXTRA_CLEAN += results output_iso build regression.diffs regression.out

# -ffp-contract=off stands among the preprocessor flags because those reach the
# bitcode too: the same source must round alike wherever it is compiled.
# The server's headers are system headers, so that warnings are about our code.
PG_CPPFLAGS = -I$(srcdir)/src -ffp-contract=off \
	-isystem $(shell $(PG_CONFIG) --includedir-server)
PG_CFLAGS = -std=gnu11 -fvisibility=hidden -Wall -Wextra -Wshadow -Wvla \
	-Wdeclaration-after-statement
SHLIB_LINK += $(filter -lm, $(LIBS))

# A server that gcc built hands its flags to every compiler.
ifneq (,$(findstring clang,$(CC)))
PG_CFLAGS += -Wno-unknown-warning-option -Wno-ignored-optimization-argument
endif

PG_CONFIG ?= pg_config
PGXS := $(shell $(PG_CONFIG) --pgxs)
include $(PGXS)

$(DATA_built): $(SQL_PARTS) $(EXTENSION).control
	cat $(SQL_PARTS) > $@

# Every object depends on every header: they are few and quickly compiled.
$(OBJS): $(wildcard src/*/*/*.h)

endif
