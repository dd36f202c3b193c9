# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# make bench-unwind: what walking stacks costs here, and what it costs others.
# make bench-rings: the same of the ways out of the kernel. make bench-probes: of probes. Included by the Makefile.
BENCH_DIR := $(BUILD)/tests/bench
BENCH_SRC := tests/bench
BENCH_CFLAGS = $(TRACER_CPPFLAGS) -Iuser -std=gnu11 $(WARNINGS) -O2 -g

BENCH_PROGRAMS := cost empty deep faults recorded rings tables first_event empty_probe probed-cet probed-plain

.PHONY: bench-unwind bench-rings bench-probes bench-programs
bench-programs: $(BENCH_PROGRAMS:%=$(BENCH_DIR)/%)
bench-probes: BENCH_NEEDS := $(BUILD)/tracer-static $(WORKLOAD_DIR)/many
# They go on without what cannot be installed, and say so.
bench-unwind bench-rings bench-probes: bench-%: setup-build
	@tools/setup bench || :
	@$(MAKE) --no-print-directory tracer bench-programs $(BENCH_NEEDS)
	@$(BENCH_SRC)/$*

$(BENCH_DIR):
	@mkdir -p $@

$(BENCH_DIR)/cost $(BENCH_DIR)/empty $(BENCH_DIR)/faults $(BENCH_DIR)/first_event: $(BENCH_DIR)/%: $(BENCH_SRC)/%.c | $(BENCH_DIR)
	$(call say,LINK,$@)
	$(Q)$(CC) $(BENCH_CFLAGS) -o $@ $< $(LIBS)

# At fixed addresses, so that its symbols are known when it has gone; without frame pointers.
$(BENCH_DIR)/deep: $(BENCH_SRC)/deep.c | $(BENCH_DIR)
	$(call say,LINK,$@)
	$(Q)$(CC) -D_GNU_SOURCE -std=gnu11 $(WARNINGS) -O2 -g -fomit-frame-pointer -fno-pie -no-pie -o $@ $<

# As distributions build programs, and without endbr64.
$(BENCH_DIR)/probed-cet: PROTECTION := $(WORKLOAD_PROTECTION)
$(BENCH_DIR)/probed-plain: PROTECTION := $(WORKLOAD_NO_PROTECTION)
$(BENCH_DIR)/probed-cet $(BENCH_DIR)/probed-plain: $(BENCH_SRC)/probed.c | $(BENCH_DIR)
	$(call say,LINK,$@)
	$(Q)$(CC) -D_GNU_SOURCE -std=gnu11 $(WARNINGS) -O2 -g -fno-omit-frame-pointer $(PROTECTION) -fpie -pie -o $@ $<

# The objects of tracer itself: optimised, not those of the unit tests.
$(addprefix $(BENCH_DIR)/,recorded rings tables empty_probe): $(BENCH_DIR)/%: $(BENCH_SRC)/%.c $(filter-out $(BUILD)/user/main.o,$(USER_OBJECTS)) | $(BENCH_DIR)
	$(call say,LINK,$@)
	$(Q)$(CC) $(BENCH_CFLAGS) -o $@ $^ $(LIBS)
