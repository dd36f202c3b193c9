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

WORKLOADS_PLAIN := stores sleeps spin demo middle unprivileged recurse aux_words call aim many latency judged race args watched typed registers
WORKLOADS_TRACED := calls forks threads-storm
WORKLOADS_VARIANTS := judged-plain judged-static args-plain args-optimized args-static args-lines calls-nopie calls-static calls-static-pie calls-nocet stores-nopie spin-static
WORKLOADS_SPECIAL := hostile twice libwatched.so
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

$(WORKLOAD_DIR)/judged-%: $(WORKLOAD_SRC)/judged.c
	$(call WORKLOAD_LINK,$(WORKLOAD_VARIANT_$*))

$(WORKLOAD_DIR)/args-%: $(WORKLOAD_SRC)/args.c
	$(call WORKLOAD_LINK,$(WORKLOAD_VARIANT_$*))

$(WORKLOAD_DIR)/spin-%: $(WORKLOAD_SRC)/spin.c
	$(call WORKLOAD_LINK,$(WORKLOAD_VARIANT_$*))

WORKLOAD_VARIANT_plain := -fpie -pie -O0
WORKLOAD_VARIANT_lines := -fpie -pie -g1
# without endbr64, so that what is inlined can begin at a function's very first instruction
WORKLOAD_VARIANT_optimized := -fpie -pie -O2 $(WORKLOAD_NO_PROTECTION)
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

# Loaded by watched.
$(WORKLOAD_DIR)/libwatched.so: $(WORKLOAD_SRC)/watched_library.c
	$(call WORKLOAD_LINK,-fpic -shared)

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

# Programs with USDT probes, where their header is; else their tests are skipped. With it in each way that moves
# arguments about.
USDT_ALL := usdt usdt-plain usdt-nopie usdt-static
USDT_SHARED := $(WORKLOAD_SRC)/usdt_guarded.c $(WORKLOAD_SHARED)
ifeq ($(shell $(CC) -E -include sys/sdt.h - </dev/null >/dev/null 2>&1 && echo yes),yes)
workloads: $(USDT_ALL:%=$(WORKLOAD_DIR)/%)
else
workloads: no-usdt
.PHONY: no-usdt
no-usdt:
	@echo "workloads: no usdt: $(CC) finds no <sys/sdt.h> here (Debian: systemtap-sdt-dev)" >&2
endif

$(WORKLOAD_DIR)/libusdt.so: $(USDT_SHARED) | $(WORKLOAD_DIR)
	$(Q)$(CC) $(WORKLOAD_CFLAGS) -DPROVIDER=lib -fPIC -shared -Wl,-soname,$(@F) -o $@ $<

$(WORKLOAD_DIR)/usdt-app.o: $(USDT_SHARED) | $(WORKLOAD_DIR)
	$(Q)$(CC) $(WORKLOAD_CFLAGS) -DPROVIDER=app -fpie -c -o $@ $<

$(WORKLOAD_DIR)/usdt-lib.o: $(USDT_SHARED) | $(WORKLOAD_DIR)
	$(Q)$(CC) $(WORKLOAD_CFLAGS) -DPROVIDER=lib -fpie -c -o $@ $<

# The library is found beside the program.
$(WORKLOAD_DIR)/usdt: $(WORKLOAD_SRC)/usdt.c $(WORKLOAD_DIR)/usdt-app.o $(WORKLOAD_DIR)/libusdt.so $(USDT_SHARED)
	$(Q)$(CC) $(WORKLOAD_CFLAGS) $(WORKLOAD_PROTECTION) -fpie -pie -Wl,-rpath,'$$ORIGIN' -o $@ $< $(filter %.o %.so,$^)

$(WORKLOAD_DIR)/usdt-%: $(WORKLOAD_SRC)/usdt.c $(WORKLOAD_DIR)/usdt-app.o $(WORKLOAD_DIR)/usdt-lib.o $(USDT_SHARED)
	$(Q)$(CC) $(WORKLOAD_CFLAGS) $(WORKLOAD_PROTECTION) $(WORKLOAD_VARIANT_$*) -o $@ $< $(filter %.o,$^)

# With the tracer's own readers of rings; static, as all that a VM is given may be.
AUX_COUNT_OBJECTS := $(addprefix $(BUILD)/user/,ring/perf_ring.o ring/aux_ring.o record/perf_layout.o record/perf_sample.o)
workloads: $(WORKLOAD_DIR)/aux_count
$(WORKLOAD_DIR)/aux_count: $(WORKLOAD_SRC)/aux_count.c $(AUX_COUNT_OBJECTS) $(WORKLOAD_SHARED) | $(WORKLOAD_DIR)
	$(call WORKLOAD_LINK,-Iuser -static)

# With the machine of --if, in a BPF object of its own; static as well.
MACHINE_OBJECTS := $(patsubst %.c,$(BUILD)/%.o,$(wildcard user/expression/*.c) user/base/suggestions.c user/base/values.c \
	user/base/escape.c)
workloads: $(WORKLOAD_DIR)/machine
$(BUILD)/machine.bpf.o: $(WORKLOAD_SRC)/machine.bpf.c $(WORKLOAD_SRC)/machine_case.h $(BPF_DEFINITIONS) $(BUILD)/bpf/machine.bpf.o
	$(Q)$(CLANG) $(BPF_CFLAGS) -Ibpf -c $< -o $(BUILD)/machine_run.bpf.o
	$(Q)$(BPFTOOL) gen object $@ $(BPF_DEFINITIONS) $(BUILD)/bpf/machine.bpf.o $(BUILD)/machine_run.bpf.o

$(BUILD)/machine.skel.h: $(BUILD)/machine.bpf.o
	$(Q)$(BPFTOOL) gen skeleton $< name machine_bpf > $@

$(WORKLOAD_DIR)/machine: $(WORKLOAD_SRC)/machine.c $(MACHINE_OBJECTS) $(BUILD)/machine.skel.h $(wildcard tests/unit/expression_*.h) \
		$(WORKLOAD_SHARED) | $(WORKLOAD_DIR)
	$(if $(Q),@printf '  %-8s %s\n' LINK $@;) $(CC) $(WORKLOAD_CFLAGS) -Iuser -Itests/unit -isystem $(BUILD) -static -o $@ \
		$< $(MACHINE_OBJECTS) $(STATIC_LIBS)

# ---- stacks: what is hard to walk, built in every way that changes stacks ---------------------
# For tests only, and so apart from what the demo builds. No frame pointers here.
STACK_CFLAGS = -D_GNU_SOURCE $(WARNINGS) -Wno-vla -g -pthread -fomit-frame-pointer
STACK_VARIANTS := gcc-O0 gcc-O1 gcc-O2 gcc-O3 gcc-Os gcc-static gcc-static-pie \
	clang-O0 clang-O1 clang-O2 clang-O3 clang-static
STACK_CPP_VARIANTS := gcc-O0 gcc-O2 gcc-static clang-O2
# For another machine: what its C compiler makes.
ifneq ($(SYSROOT),)
STACK_VARIANTS := $(filter gcc-%,$(STACK_VARIANTS))
STACK_CPP_VARIANTS :=
endif
STACK_LIBRARIES := $(foreach n,1 2 3,libbacktraces-$(n).so)
STACK_PLAIN := blocked recurses smashed
STACK_ALL := $(STACK_PLAIN) $(STACK_VARIANTS:%=backtraces-%) $(STACK_CPP_VARIANTS:%=backtraces_cpp-%) $(STACK_LIBRARIES)

.PHONY: stack-workloads
stack-workloads: $(STACK_ALL:%=$(WORKLOAD_DIR)/%)
$(STACK_ALL:%=$(WORKLOAD_DIR)/%): $(WORKLOAD_SHARED) | $(WORKLOAD_DIR)

# arm64: return addresses are signed as well
STACK_PROTECTION_x86_64 := $(WORKLOAD_PROTECTION)
STACK_PROTECTION_aarch64 := -mbranch-protection=standard
STACK_PROTECTION := $(STACK_PROTECTION_$(MACHINE))
STACK_BUILD_O0 := -O0 -fpie -pie -Wl,-z,lazy $(STACK_PROTECTION)
STACK_BUILD_O1 := -O1 -fno-pie -no-pie -Wl,-z,lazy $(WORKLOAD_PROTECTION)
STACK_BUILD_O2 := -O2 -fpie -pie -Wl,-z,now $(STACK_PROTECTION)
STACK_BUILD_O3 := -O3 -fpie -pie -Wl,-z,lazy $(WORKLOAD_NO_PROTECTION)
STACK_BUILD_Os := -Os -fpie -pie -Wl,-z,lazy $(WORKLOAD_NO_PROTECTION)
STACK_BUILD_static := -O2 -fno-pie -static -DNO_LIBRARIES
STACK_BUILD_static-pie := -O2 -fpie -static-pie -DNO_LIBRARIES

CXX_OF_gcc = $(CXX)
CXX_OF_clang = $(CLANG)++
CC_OF_gcc = $(CC)
CC_OF_clang = $(CLANG)
# backtraces-gcc-O2: the compiler's name is the second word, the way to build all that follows.
stack_compiler = $(word 2,$(subst -, ,$(notdir $@)))
stack_build = $(STACK_BUILD_$(patsubst $(firstword $(subst -, ,$(notdir $@)))-$(stack_compiler)-%,%,$(notdir $@)))
say_link = $(if $(Q),@printf '  %-8s %s\n' LINK $@;)

$(STACK_VARIANTS:%=$(WORKLOAD_DIR)/backtraces-%): $(WORKLOAD_SRC)/backtraces.c $(WORKLOAD_SRC)/backtrace.c
	$(say_link) $(CC_OF_$(stack_compiler)) -std=gnu11 $(STACK_CFLAGS) $(stack_build) -o $@ $(filter %.c,$^)

# The C file stays C.
STACK_LINK_ONLY := -Wl,% -pie -no-pie -static -static-pie
$(STACK_CPP_VARIANTS:%=$(WORKLOAD_DIR)/backtraces_cpp-%): $(WORKLOAD_SRC)/backtraces_cpp.cpp $(WORKLOAD_SRC)/backtrace.c
	$(Q)$(CC_OF_$(stack_compiler)) -std=gnu11 $(STACK_CFLAGS) $(filter-out $(STACK_LINK_ONLY),$(stack_build)) -c -o $@.o $(WORKLOAD_SRC)/backtrace.c
	$(say_link) $(CXX_OF_$(stack_compiler)) -std=gnu++17 $(filter-out -W%,$(STACK_CFLAGS)) $(stack_build) -o $@ $< $@.o
	@rm -f $@.o

$(STACK_PLAIN:%=$(WORKLOAD_DIR)/%): $(WORKLOAD_DIR)/%: $(WORKLOAD_SRC)/%.c
	$(say_link) $(CC) -std=gnu11 $(STACK_CFLAGS) -fno-optimize-sibling-calls $(STACK_BUILD_O2) -o $@ $<

$(STACK_LIBRARIES:%=$(WORKLOAD_DIR)/%): $(WORKLOAD_DIR)/lib%.so: $(WORKLOAD_SRC)/backtraces_library.c
	$(say_link) $(CC) -std=gnu11 $(STACK_CFLAGS) -O2 -fPIC -shared -Wl,-z,lazy $(STACK_LIBRARY_$*) -o $@ $<

STACK_LIBRARY_backtraces-1 := -DFRAME_BYTES=80
STACK_LIBRARY_backtraces-2 := -DFRAME_BYTES=280
STACK_LIBRARY_backtraces-3 := -DFRAME_BYTES=80 -DWITH_RESOLVER

# Recurse once more, without frame pointers; and both with tables that are gone, or are no tables.
BROKEN_WAYS := removed no-header zeros halved swapped ones
BROKEN_ALL := recurse-no-fp $(foreach w,$(BROKEN_WAYS),recurse-no-fp-$(w) recurse-fp-$(w))
stack-workloads: $(BROKEN_ALL:%=$(WORKLOAD_DIR)/%)
$(BROKEN_ALL:%=$(WORKLOAD_DIR)/%): $(WORKLOAD_SHARED) | $(WORKLOAD_DIR)

$(WORKLOAD_DIR)/recurse-no-fp: $(WORKLOAD_SRC)/recurse.c
	$(say_link) $(CC) -std=gnu11 $(STACK_CFLAGS) -fno-optimize-sibling-calls $(STACK_BUILD_O1) -o $@ $<

break_by_update = $(OBJCOPY) --dump-section .eh_frame=$@.tables $< $@ 2>/dev/null && $(1) <$@.tables >$@.broken && \
	$(OBJCOPY) --update-section .eh_frame=$@.broken $< $@ && rm -f $@.tables $@.broken
BREAK_removed = $(OBJCOPY) --remove-section .eh_frame --remove-section .eh_frame_hdr $< $@
BREAK_no-header = $(OBJCOPY) --remove-section .eh_frame_hdr $< $@
BREAK_zeros = $(call break_by_update,tr '\001-\377' '\000')
BREAK_halved = $(call break_by_update,head -c 100)
BREAK_swapped = $(call break_by_update,dd conv=swab status=none)
BREAK_ones = $(call break_by_update,tr '\000\020' '\377\001')

$(BROKEN_WAYS:%=$(WORKLOAD_DIR)/recurse-no-fp-%): $(WORKLOAD_DIR)/recurse-no-fp-%: $(WORKLOAD_DIR)/recurse-no-fp
	$(say_link) $(BREAK_$*)
$(BROKEN_WAYS:%=$(WORKLOAD_DIR)/recurse-fp-%): $(WORKLOAD_DIR)/recurse-fp-%: $(WORKLOAD_DIR)/recurse
	$(say_link) $(BREAK_$*)

# The same for what is hard to walk; their addresses stay the same.
STACK_STRIPPED := $(foreach v,$(filter gcc-O0 gcc-O3 clang-O2,$(STACK_VARIANTS)),$(WORKLOAD_DIR)/backtraces-$(v)_removed)
stack-workloads: $(STACK_STRIPPED)
$(STACK_STRIPPED): %_removed: %
	$(say_link) $(BREAK_removed)

# In other languages, where their compilers are; else their tests are skipped.
ifeq ($(SYSROOT),)
stack-workloads: $(WORKLOAD_DIR)/stack_go $(WORKLOAD_DIR)/stack_rust
$(WORKLOAD_DIR)/stack_go: $(WORKLOAD_SRC)/stack_go.go $(WORKLOAD_SHARED) | $(WORKLOAD_DIR)
	@! command -v go >/dev/null || GO111MODULE=off CGO_ENABLED=0 go build -o $@ $<

$(WORKLOAD_DIR)/stack_rust: $(WORKLOAD_SRC)/stack_rust.rs $(WORKLOAD_SHARED) | $(WORKLOAD_DIR)
	@! command -v rustc >/dev/null || MAKEFLAGS= rustc -O -o $@ $<
endif
