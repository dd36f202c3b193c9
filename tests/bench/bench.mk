# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# make bench-unwind: what walking stacks costs here, and what it costs others. Included by the Makefile.
BENCH_DIR := $(BUILD)/tests/bench
BENCH_SRC := tests/bench
BENCH_CFLAGS = $(TRACER_CPPFLAGS) -Iuser -std=gnu11 $(WARNINGS) -O2 -g

BENCH_PROGRAMS := cost empty deep tables

.PHONY: bench-unwind bench-programs
bench-programs: $(BENCH_PROGRAMS:%=$(BENCH_DIR)/%)
# Goes on without what cannot be installed, and says so.
bench-unwind: setup-build
	@tools/setup bench || :
	@$(MAKE) --no-print-directory tracer bench-programs
	@$(BENCH_SRC)/unwind

$(BENCH_DIR):
	@mkdir -p $@

$(BENCH_DIR)/cost $(BENCH_DIR)/empty: $(BENCH_DIR)/%: $(BENCH_SRC)/%.c | $(BENCH_DIR)
	$(call say,LINK,$@)
	$(Q)$(CC) $(BENCH_CFLAGS) -o $@ $< $(LIBS)

# At fixed addresses, so that its symbols are known when it has gone; without frame pointers.
$(BENCH_DIR)/deep: $(BENCH_SRC)/deep.c | $(BENCH_DIR)
	$(call say,LINK,$@)
	$(Q)$(CC) -D_GNU_SOURCE -std=gnu11 $(WARNINGS) -O2 -g -fomit-frame-pointer -fno-pie -no-pie -o $@ $<

# The objects of tracer itself: optimised, not those of the unit tests.
$(BENCH_DIR)/tables: $(BENCH_SRC)/tables.c $(filter-out $(BUILD)/user/main.o,$(USER_OBJECTS)) | $(BENCH_DIR)
	$(call say,LINK,$@)
	$(Q)$(CC) $(BENCH_CFLAGS) -o $@ $^ $(LIBS)
