# skillrating: skill ratings of players from match results, for PostgreSQL.

# The directory of this file.  In a build elsewhere, by make -f, it is not the current one.
here := $(patsubst %/,%,$(dir $(firstword $(MAKEFILE_LIST))))

# For a fresh machine: each of these installs what is missing and works on a
# throw-away cluster.  The makes that they run must not inherit DATA, which means
# something else to PGXS.  Those from test-all on need no PostgreSQL here.
own_targets = check test demo bench fuzz test-all packages dist
.PHONY: all $(own_targets)
all:

test:
	@MAKEFLAGS= exec $(here)/test/run.sh test
demo: export DATA := $(DATA)
demo:
	@cd $(here) && test/prerequisites.sh && MAKEFLAGS= exec demo/run.sh $(if $(DATA),"$$DATA")
bench: BENCH = run match/run live bulk boards queries solve split functions models/run
bench:
	@cd $(here) && test/prerequisites.sh && for part in $(BENCH); do MAKEFLAGS= bench/$$part.sh || exit; done
fuzz:
	@cd $(here) && test/prerequisites.sh clang libclang-rt-dev && MAKEFLAGS= exec test/fuzz.sh $(SECONDS)

# All tests with each supported PostgreSQL, and Debian's packages, in systems made for it.
test-all:
	@MAKEFLAGS= exec $(here)/test/versions.sh $(VERSIONS)
packages:
	@MAKEFLAGS= exec $(here)/test/packages.sh $(SUITES)

# The archive of a release, as PGXN takes it: of what is committed, and the same bytes
# whenever and wherever it is made of the same commit.
dist: DISTVERSION = $(shell sed -n '0,/"version"/s/.*"version": "\(.*\)".*/\1/p' $(here)/META.json)
dist:
	@cd $(here) && git diff --quiet HEAD -- || echo "make dist: what is not committed is not in the archive" >&2
	TZ=UTC git -C $(here) archive --format=zip --prefix=skillrating-$(DISTVERSION)/ \
		--output=$(CURDIR)/skillrating-$(DISTVERSION).zip HEAD

# All else is PGXS, which must be there.
ifneq (,$(or $(filter-out $(own_targets),$(MAKECMDGOALS)),$(if $(MAKECMDGOALS),,all)))

EXTENSION = skillrating modules/queue/skillrating_queue
EXTVERSION = $(shell sed -n "s/^default_version = '\(.*\)'/\1/p" $(here)/skillrating.control)
MODULE_big = skillrating
PGFILEDESC = "skillrating - skill ratings of players from match results"

# The files of a pattern, by their names in the source tree.
files = $(sort $(patsubst $(here)/%,%,$(wildcard $(here)/$(1))))

# Whatever is in these folders is part of the library.
OBJS = $(patsubst %.c,%.o,$(call files,src/core/*/*.c) $(call files,src/pg/*/*.c) \
	$(call files,src/pg/*/*/*.c))

# The parts of the install script, in rooms like those of src/pg: their numbers are the order in
# which they are joined, whatever room they are in.
by_number = $(foreach part,$(sort $(foreach file,$(1),$(notdir $(file)):$(file))),$(lastword $(subst :, ,$(part))))
SQL_PARTS = $(addprefix $(here)/,$(call by_number,$(foreach depth,* */* */*/*,$(call files,sql/$(depth).sql))))

# The module of queues is of SQL only, and installed along with the rest.
QUEUE_VERSION = $(shell sed -n "s/^default_version = '\(.*\)'/\1/p" $(here)/modules/queue/skillrating_queue.control)
QUEUE_PARTS = $(addprefix $(here)/,$(call files,modules/queue/sql/*.sql))

DATA_built = skillrating--$(EXTVERSION).sql skillrating_queue--$(QUEUE_VERSION).sql
# Nothing else, whatever the environment has by that name.
DATA =
EXTRA_CLEAN = $(DATA_built) $(OBJS:.o=.d)

# Inputs live in test/, outputs in expected/: without options about the latter
# this works on every version.  No test may share a name with a file in sql/,
# which pg_regress would run in its place.
REGRESS = $(patsubst test/sql/%.sql,%,$(call files,test/sql/*.sql))
REGRESS_OPTS = --inputdir=$(here)/test --load-extension=skillrating
ISOLATION = $(patsubst test/specs/%.spec,%,$(call files,test/specs/*.spec))
ISOLATION_OPTS = --inputdir=$(here)/test --outputdir=. --load-extension=skillrating
# KEEP=build is for the tests, which clean between two compilers and leave the demo's page alone.
EXTRA_CLEAN += results output_iso $(filter-out $(KEEP),build) regression.diffs regression.out
ifneq ($(here),.)
# pg_regress looks for it in the current directory.
REGRESS_PREP = $(CURDIR)/expected
EXTRA_CLEAN += expected
endif

# -ffp-contract=off stands among the preprocessor flags because those reach the
# bitcode too: the same source must round alike wherever it is compiled.
# The server's headers are system headers, so that warnings are about our code.
PG_CPPFLAGS = -I$(srcdir)/src -ffp-contract=off \
	-isystem $(shell $(PG_CONFIG) --includedir-server)
# -MMD makes the compiler list the headers of each file, for make; the bitcode, which takes
# other flags, would write to the same list.
PG_CFLAGS = -std=gnu11 -MMD -MP -fvisibility=hidden -Wall -Wextra -Wshadow -Wvla \
	-Wdeclaration-after-statement
SHLIB_LINK += $(filter -lm, $(LIBS))

# A server that gcc built hands its flags to every compiler.
ifneq (,$(findstring clang,$(CC)))
PG_CFLAGS += -Wno-unknown-warning-option -Wno-ignored-optimization-argument
endif

PG_CONFIG ?= pg_config
PGXS := $(shell $(PG_CONFIG) --pgxs)
include $(PGXS)

skillrating--$(EXTVERSION).sql: $(SQL_PARTS) $(here)/skillrating.control
	cat $(SQL_PARTS) > $@
skillrating_queue--$(QUEUE_VERSION).sql: $(QUEUE_PARTS) $(here)/modules/queue/skillrating_queue.control
	cat $(QUEUE_PARTS) > $@

# What each object has read of ours, as the compiler lists it; and bitcode is as old as its object.
-include $(OBJS:.o=.d)
$(OBJS:.o=.bc): %.bc: %.o

# In a build elsewhere there is nothing yet.  The names are absolute because make would find
# others in the source tree.
ifneq ($(here),.)
directories = $(addprefix $(CURDIR)/,$(sort $(dir $(OBJS))))
$(OBJS) $(OBJS:.o=.bc): | $(directories)
$(directories):
	mkdir -p $@
$(REGRESS_PREP):
	ln -s $(abspath $(here))/expected $@
endif

endif

# Behind PGXS, which has a target of that name that says no.
ifneq (,$(filter check,$(MAKECMDGOALS)))
check:
	@MAKEFLAGS= exec $(here)/test/run.sh check
endif
