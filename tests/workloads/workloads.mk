# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# The programs that the live tests trace. Included by the Makefile: make workloads, into $(BUILD)/tests/workloads.
#
# Their behaviour must not depend on the optimiser: frame pointers everywhere, no call turned into a
# jump. Ordinary programs here are position independent and begin their functions with endbr64 (arm64:
# bti), as distributions build them; the others are variants of calls and stores.
WORKLOAD_DIR := $(BUILD)/tests/workloads
WORKLOAD_SRC := tests/workloads
OBJCOPY ?= objcopy

WORKLOAD_PROTECTION_x86_64 := -fcf-protection=full
WORKLOAD_NO_PROTECTION_x86_64 := -fcf-protection=none
WORKLOAD_PROTECTION_aarch64 := -mbranch-protection=bti
WORKLOAD_NO_PROTECTION_aarch64 := -mbranch-protection=none
WORKLOAD_PROTECTION := $(WORKLOAD_PROTECTION_$(MACHINE))
WORKLOAD_NO_PROTECTION := $(WORKLOAD_NO_PROTECTION_$(MACHINE))

WORKLOAD_CFLAGS = -D_GNU_SOURCE -std=gnu11 $(WARNINGS) -O1 -g -pthread -fno-omit-frame-pointer \
	-mno-omit-leaf-frame-pointer -fno-optimize-sibling-calls

WORKLOADS_PLAIN := stores sleeps spin demo middle unprivileged recurse
WORKLOADS_TRACED := calls forks threads-storm
WORKLOADS_VARIANTS := calls-nopie calls-static calls-static-pie calls-nocet stores-nopie spin-static
WORKLOADS_SPECIAL := hostile twice
WORKLOADS_ALL := $(WORKLOADS_PLAIN) $(WORKLOADS_TRACED) $(WORKLOADS_VARIANTS) $(WORKLOADS_SPECIAL)

.PHONY: workloads
workloads: $(WORKLOADS_ALL:%=$(WORKLOAD_DIR)/%)

# Few and small: each is built anew when any of what they share has changed.
WORKLOAD_SHARED := $(wildcard $(WORKLOAD_SRC)/*.h) $(WORKLOAD_SRC)/workloads.mk
$(WORKLOADS_ALL:%=$(WORKLOAD_DIR)/%): $(WORKLOAD_SHARED) | $(WORKLOAD_DIR)

$(WORKLOAD_DIR):
	@mkdir -p $@

WORKLOAD_LINK = $(if $(Q),@printf '  %-8s %s\n' LINK $@;) $(CC) $(WORKLOAD_CFLAGS) $(WORKLOAD_PROTECTION) $(1) -o $@ $(filter %.c %.o,$^)

$(WORKLOADS_PLAIN:%=$(WORKLOAD_DIR)/%): $(WORKLOAD_DIR)/%: $(WORKLOAD_SRC)/%.c
	$(call WORKLOAD_LINK,-fpie -pie)

$(WORKLOADS_TRACED:%=$(WORKLOAD_DIR)/%): $(WORKLOAD_DIR)/%: $(WORKLOAD_SRC)/%.c $(WORKLOAD_SRC)/traced.c
	$(call WORKLOAD_LINK,-fpie -pie)

$(WORKLOAD_DIR)/calls-%: $(WORKLOAD_SRC)/calls.c $(WORKLOAD_SRC)/traced.c
	$(call WORKLOAD_LINK,$(WORKLOAD_VARIANT_$*))

$(WORKLOAD_DIR)/stores-%: $(WORKLOAD_SRC)/stores.c
	$(call WORKLOAD_LINK,$(WORKLOAD_VARIANT_$*))

$(WORKLOAD_DIR)/spin-%: $(WORKLOAD_SRC)/spin.c
	$(call WORKLOAD_LINK,$(WORKLOAD_VARIANT_$*))

WORKLOAD_VARIANT_nopie := -fno-pie -no-pie
WORKLOAD_VARIANT_static := -fno-pie -static
WORKLOAD_VARIANT_static-pie := -fpie -static-pie
WORKLOAD_VARIANT_nocet := -fpie -pie $(WORKLOAD_NO_PROTECTION)

# Two symbols that the assembler would not take; printf writes what make cannot hold.
$(WORKLOAD_DIR)/hostile: $(WORKLOAD_SRC)/hostile.c
	$(Q)$(CC) $(WORKLOAD_CFLAGS) $(WORKLOAD_PROTECTION) -fpie -c -o $@.o $<
	$(Q)$(OBJCOPY) --redefine-sym hostile_new_line="$$(printf 'new\nline 1')" \
		--redefine-sym hostile_quote='quo"te\' $@.o
	$(Q)$(CC) $(WORKLOAD_CFLAGS) -pie -o $@ $@.o
	@rm -f $@.o

$(WORKLOAD_DIR)/twice: $(WORKLOAD_SRC)/twice.c $(WORKLOAD_SRC)/twice_unit.c
	$(Q)$(CC) $(WORKLOAD_CFLAGS) -fpie -DENTRY=call_first -DADDEND=1 -c -o $@.1.o $(WORKLOAD_SRC)/twice_unit.c
	$(Q)$(CC) $(WORKLOAD_CFLAGS) -fpie -DENTRY=call_second -DADDEND=2 -c -o $@.2.o $(WORKLOAD_SRC)/twice_unit.c
	$(Q)$(CC) $(WORKLOAD_CFLAGS) -fpie -pie -o $@ $< $@.1.o $@.2.o
	@rm -f $@.1.o $@.2.o

# A 32-bit program, where the compiler makes them; else its test is skipped. It needs no library.
ifeq ($(MACHINE),x86_64)
workloads: $(WORKLOAD_DIR)/target32
$(WORKLOAD_DIR)/target32: $(WORKLOAD_SRC)/target32.c $(WORKLOAD_SHARED) | $(WORKLOAD_DIR)
	@$(CC) -m32 -std=gnu11 -O2 -g -ffreestanding -fno-pie -no-pie -static -nostdlib -fno-omit-frame-pointer \
		-fno-stack-protector -fcf-protection=none $(WARNINGS) -o $@ $< || \
		{ rm -f $@; echo "workloads: no target32: $(CC) cannot build 32-bit programs here" >&2; }
endif
