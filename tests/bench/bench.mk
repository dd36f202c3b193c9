# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# make bench-unwind: what walking stacks costs here, and what it costs others.
# make bench-rings: the same of the ways out of the kernel. Included by the Makefile.
BENCH_DIR := $(BUILD)/tests/bench
BENCH_SRC := tests/bench
BENCH_CFLAGS = $(TRACER_CPPFLAGS) -Iuser -std=gnu11 $(WARNINGS) -O2 -g

BENCH_PROGRAMS := cost empty deep faults recorded rings tables

.PHONY: bench-unwind bench-rings bench-programs
bench-programs: $(BENCH_PROGRAMS:%=$(BENCH_DIR)/%)
# They go on without what cannot be installed, and say so.
bench-unwind bench-rings: bench-%: setup-build
	@tools/setup bench || :
	@$(MAKE) --no-print-directory tracer bench-programs
	@$(BENCH_SRC)/$*

$(BENCH_DIR):
	@mkdir -p $@

$(BENCH_DIR)/cost $(BENCH_DIR)/empty $(BENCH_DIR)/faults: $(BENCH_DIR)/%: $(BENCH_SRC)/%.c | $(BENCH_DIR)
	$(call say,LINK,$@)
	$(Q)$(CC) $(BENCH_CFLAGS) -o $@ $< $(LIBS)

# At fixed addresses, so that its symbols are known when it has gone; without frame pointers.
$(BENCH_DIR)/deep: $(BENCH_SRC)/deep.c | $(BENCH_DIR)
	$(call say,LINK,$@)
	$(Q)$(CC) -D_GNU_SOURCE -std=gnu11 $(WARNINGS) -O2 -g -fomit-frame-pointer -fno-pie -no-pie -o $@ $<

# The objects of tracer itself: optimised, not those of the unit tests.
$(addprefix $(BENCH_DIR)/,recorded rings tables): $(BENCH_DIR)/%: $(BENCH_SRC)/%.c $(filter-out $(BUILD)/user/main.o,$(USER_OBJECTS)) | $(BENCH_DIR)
	$(call say,LINK,$@)
	$(Q)$(CC) $(BENCH_CFLAGS) -o $@ $^ $(LIBS)
