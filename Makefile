# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# make            ./tracer            make STATIC=1   one static binary
# make demo       build, record a demo workload, leave demo.svg
# make test       all tests           make format lint compdb
# make bench-unwind   what walking stacks costs, here and by others
# make bench-rings    what the ways out of the kernel bear and cost, beside perf record
# make bench-probes   what a probe costs, to set up and to hit, here and by others
# make arm64      what the tests of an arm64 kernel need, into build/arm64
.DELETE_ON_ERROR:
MAKEFLAGS += --no-builtin-rules
.SUFFIXES:

# make V=1 shows whole commands
ifeq ($(V),1)
Q :=
say = @:
else
Q := @
say = @printf '  %-8s %s\n' $(1) $(2)
endif

BUILD := build
CC ?= gcc
ifeq ($(origin CC),default)
CC := gcc
endif
CLANG ?= clang
BPFTOOL ?= $(firstword $(wildcard /usr/sbin/bpftool /usr/local/sbin/bpftool) bpftool)
PKG_CONFIG ?= pkg-config

# Another machine's headers and libraries; empty for our own (see arm64).
SYSROOT :=
MULTIARCH := $(shell $(CC) -dumpmachine)
MACHINE := $(firstword $(subst -, ,$(MULTIARCH)))
BPF_ARCH := $(patsubst aarch64,arm64,$(patsubst x86_64,x86,$(MACHINE)))
VERSION := $(shell git describe --tags --always --dirty 2>/dev/null || echo unversioned)

LIBRARIES := libbpf libdw libelf libcap zlib capstone libzstd liblzma
TEST_LIBRARIES := cmocka

WARNINGS := -Wall -Wextra -Werror -Wshadow -Wconversion -Wno-sign-conversion -Wstrict-prototypes \
	-Wmissing-prototypes -Wvla -Wformat=2 -Wundef
CFLAGS ?= -O2 -g
TRACER_CPPFLAGS := -D_GNU_SOURCE -isystem $(BUILD) -DTRACER_VERSION='"$(VERSION)"'
TRACER_CFLAGS := -std=gnu11 $(WARNINGS) -fno-omit-frame-pointer -pthread
LIBIBERTY := -liberty
# Deferred: pkg-config is asked only when something is linked.
LIBS = $(shell $(PKG_CONFIG) --libs $(LIBRARIES)) $(LIBIBERTY)
STATIC_LIBS = $(shell $(PKG_CONFIG) --static --libs $(LIBRARIES)) $(LIBIBERTY)

USER_SOURCES := $(wildcard user/*.c user/*/*.c)
LIBRARY_SOURCES := $(filter-out user/main.c,$(USER_SOURCES))
USER_OBJECTS := $(USER_SOURCES:%.c=$(BUILD)/%.o)
BPF_SOURCES := $(wildcard bpf/*.bpf.c)
BPF_OBJECTS := $(BPF_SOURCES:%.c=$(BUILD)/%.o)
SKELETON := $(BUILD)/tracer.skel.h

all: tracer
.PHONY: all

# ---- what is installed -----------------------------------------------------------------------
.PHONY: setup-build setup-test setup-arm64 setup-lint
setup-build setup-test setup-arm64 setup-lint: setup-%:
	@tools/setup $*

# ---- BPF: each source to an object, all linked to one, one skeleton --------------------------
BPF_CFLAGS := -g -O2 -mcpu=v2 -target bpf -D__TARGET_ARCH_$(BPF_ARCH) -Wall -Wextra -Wno-unused-parameter -Werror \
	-Wshadow $(SYSROOT:%=-isystem %/usr/include) -isystem $(SYSROOT)/usr/include/$(MULTIARCH) -Ivmlinux

$(BUILD)/bpf/%.bpf.o: bpf/%.bpf.c Makefile
	@mkdir -p $(@D)
	$(call say,BPF,$@)
	$(Q)$(CLANG) $(BPF_CFLAGS) -MMD -MP -c $< -o $@
	@llvm-strip -g $@ 2>/dev/null || llvm-strip-14 -g $@

# The definitions go first: libbpf 1.1's linker gives a map that it met as extern the wrong offset.
BPF_DEFINITIONS := $(BUILD)/bpf/maps.bpf.o
$(BUILD)/tracer.bpf.o: $(BPF_OBJECTS)
	$(call say,BPFLINK,$@)
	$(Q)$(BPFTOOL) gen object $@ $(BPF_DEFINITIONS) $(filter-out $(BPF_DEFINITIONS),$^)

$(SKELETON): $(BUILD)/tracer.bpf.o
	$(call say,SKELETON,$@)
	$(Q)$(BPFTOOL) gen skeleton $< name tracer_bpf > $@

# ---- user space ------------------------------------------------------------------------------
# Those that include the skeleton. It is found as a system header, of which -MMD says nothing.
SKELETON_USERS := $(filter user/session.c user/source/%.c,$(USER_SOURCES))
$(SKELETON_USERS:%.c=$(BUILD)/%.o) $(SKELETON_USERS:%.c=$(BUILD)/asan/%.o): $(SKELETON)

$(BUILD)/user/%.o: user/%.c Makefile
	@mkdir -p $(@D)
	$(call say,CC,$<)
	$(Q)$(CC) $(TRACER_CPPFLAGS) $(TRACER_CFLAGS) $(CFLAGS) -MMD -MP -c $< -o $@

# Relinked when STATIC changes: the stamp's name holds its value.
LINK_STAMP := $(BUILD)/link-static-$(STATIC)
$(LINK_STAMP):
	@mkdir -p $(@D)
	@rm -f $(BUILD)/link-static-*
	@touch $@

tracer: $(USER_OBJECTS) $(LINK_STAMP)
ifeq ($(STATIC),1)
	$(call say,LINK,$@)
	$(Q)$(CC) $(CFLAGS) $(LDFLAGS) -static -o $@ $(USER_OBJECTS) $(STATIC_LIBS)
else
	$(call say,LINK,$@)
	$(Q)$(CC) $(CFLAGS) $(LDFLAGS) -o $@ $(USER_OBJECTS) $(LIBS)
endif

$(BUILD)/tracer-static: $(USER_OBJECTS)
	$(call say,LINK,$@)
	$(Q)$(CC) $(CFLAGS) $(LDFLAGS) -static -o $@ $(USER_OBJECTS) $(STATIC_LIBS)

# ---- unit tests: the same sources under ASAN and UBSAN ---------------------------------------
SANITIZE := -O1 -g -fsanitize=address,undefined -fno-sanitize-recover=undefined
ASAN_OBJECTS := $(LIBRARY_SOURCES:%.c=$(BUILD)/asan/%.o)
UNIT_TESTS := $(patsubst tests/unit/%.c,$(BUILD)/tests/unit/%,$(wildcard tests/unit/test_*.c))

$(BUILD)/asan/%.o: %.c Makefile
	@mkdir -p $(@D)
	$(call say,'CC asan',$<)
	$(Q)$(CC) $(TRACER_CPPFLAGS) $(TRACER_CFLAGS) $(SANITIZE) -MMD -MP -c $< -o $@

$(BUILD)/asan/libtracer.a: $(ASAN_OBJECTS)
	@rm -f $@
	$(Q)ar rcs $@ $^

$(BUILD)/asan/tests/unit/%.o: tests/unit/%.c Makefile
	@mkdir -p $(@D)
	$(call say,'CC asan',$<)
	$(Q)$(CC) $(TRACER_CPPFLAGS) -Iuser $(TRACER_CFLAGS) -Wno-missing-prototypes $(SANITIZE) -MMD -MP -c $< -o $@

$(BUILD)/tests/unit/%: $(BUILD)/asan/tests/unit/%.o $(BUILD)/asan/libtracer.a
	@mkdir -p $(@D)
	$(call say,LINK,$@)
	$(Q)$(CC) $(SANITIZE) -o $@ $^ $(LIBS) $(shell $(PKG_CONFIG) --libs $(TEST_LIBRARIES))

# What is shared with a writer in another thread, under the thread sanitizer too, which excludes the others.
TSAN_TESTS := test_perf_ring_concurrent test_aux_ring
TSAN_SOURCES := $(wildcard user/ring/*.c user/base/*.c)
$(BUILD)/tests/unit/%_tsan: tests/unit/%.c $(TSAN_SOURCES) $(wildcard user/ring/*.h tests/unit/*ring*.h) Makefile
	@mkdir -p $(@D)
	$(call say,'CC tsan',$@)
	$(Q)$(CC) $(TRACER_CPPFLAGS) -Iuser $(TRACER_CFLAGS) -Wno-missing-prototypes -O1 -g -fsanitize=thread -o $@ \
		$< $(TSAN_SOURCES) $(LIBS) $(shell $(PKG_CONFIG) --libs cmocka)

.PHONY: unit
unit: $(UNIT_TESTS) $(TSAN_TESTS:%=$(BUILD)/tests/unit/%_tsan)
.SECONDARY:

# ---- fuzzing: make fuzz FUZZ_SECONDS=600 -----------------------------------------------------
# A target tests/fuzz/fuzz_NAME.c is linked with fuzz_NAME_SOURCES; its seeds come from tests/fuzz/fuzz_NAME.seeds,
# if there is one. All share the time.
FUZZ_SECONDS ?= 30
FUZZERS := $(patsubst tests/fuzz/%.c,$(BUILD)/fuzz/%,$(wildcard tests/fuzz/fuzz_*.c))
fuzz_ehframe_SOURCES := $(filter-out %/builder.c %/library.c %/memory.c %/spaces.c %/stack_copy.c %/stack_image.c %/sample_walk.c,$(wildcard user/unwind/*.c)) \
	$(wildcard user/object/*.c) user/base/regular_file.c
fuzz_event_SOURCES := $(wildcard user/event/*.c) user/base/cpulist.c user/base/suggestions.c user/base/values.c
fuzz_debug_SOURCES := $(wildcard user/debug/*.c) user/value/type.c user/value/from_debug.c user/value/leaves.c user/value/render.c
fuzz_expression_SOURCES := $(wildcard user/expression/*.c) user/base/escape.c user/base/suggestions.c user/base/values.c
fuzz_perf_data_SOURCES := $(wildcard user/perf_data/*.c user/record/perf_*.c)
fuzz_usdt_SOURCES := $(wildcard user/object/*.c) user/base/regular_file.c

.SECONDEXPANSION:
$(FUZZERS): $(BUILD)/fuzz/%: tests/fuzz/%.c $$($$*_SOURCES) $(wildcard user/*/*.h bpf/*.h) tests/unit/touch_sample.h tests/unit/debug_walk.h tests/unit/expression_fixture.h Makefile
	@mkdir -p $(@D)
	$(call say,FUZZER,$@)
	$(Q)$(CLANG) -D_GNU_SOURCE -std=gnu11 -g -O1 -Iuser -fsanitize=fuzzer,address,undefined \
		-fno-sanitize-recover=undefined -o $@ $< $($*_SOURCES) $(shell $(PKG_CONFIG) --libs libdw libelf capstone libzstd liblzma zlib)

.PHONY: fuzzers fuzz
fuzzers: $(FUZZERS)
fuzz: fuzzers
	@FUZZ_SECONDS=$(FUZZ_SECONDS) tests/run fuzz

# ---- workloads: programs whose behaviour is known exactly ------------------------------------
include tests/workloads/workloads.mk

# ---- what walking stacks costs, and the ways out of the kernel ---------------------------------
include tests/bench/bench.mk

# ---- for arm64, on another machine; tests/run vm 6.12-arm64 runs it ----------------------------
.PHONY: arm64
arm64: setup-arm64
	@sysroot=$$(tests/vm/fetch-sysroot) && \
		PKG_CONFIG_LIBDIR=$$sysroot/usr/lib/aarch64-linux-gnu/pkgconfig:$$sysroot/usr/share/pkgconfig \
		$(MAKE) --no-print-directory BUILD=$(BUILD)/arm64 SYSROOT=$$sysroot \
		CC="aarch64-linux-gnu-gcc --sysroot=$$sysroot" OBJCOPY=aarch64-linux-gnu-objcopy \
		$(BUILD)/arm64/tracer-static workloads stack-workloads

# ---- the two commands for a newcomer ---------------------------------------------------------
.PHONY: demo test
demo: setup-build
	@$(MAKE) --no-print-directory tracer workloads
	@tools/demo

test: setup-test
	@$(MAKE) --no-print-directory tracer $(BUILD)/tracer-static unit workloads stack-workloads \
		fuzzers
	@tests/run

# ---- for people who change things ------------------------------------------------------------
C_FILES = $(shell git ls-files --cached --others --exclude-standard '*.c' '*.h')
SHELL_FILES = $(shell git ls-files --cached --others --exclude-standard | \
	xargs grep -lE '^\#!/(bin/sh|usr/bin/env (ba)?sh|bin/bash)' 2>/dev/null)

.PHONY: format lint compdb clean
format:
	@clang-format -i $(C_FILES)

lint: setup-lint $(SKELETON)
	$(call say,FORMAT,'every C file')
	@clang-format --dry-run --Werror $(C_FILES)
	$(call say,STAGES,user/)
	@tools/lint-stages
	$(call say,SHELL,'every script')
	@shellcheck $(SHELL_FILES)
	$(call say,TIDY,user/)
	@printf '%s\n' $(USER_SOURCES) | xargs -P "$$(nproc)" -I{} clang-tidy --quiet {} -- \
		$(TRACER_CPPFLAGS) $(filter-out -Werror,$(TRACER_CFLAGS)) -Wno-unknown-warning-option

compdb: $(SKELETON)
	tools/compdb '$(CC) $(TRACER_CPPFLAGS) $(TRACER_CFLAGS) $(CFLAGS)' $(USER_SOURCES) > compile_commands.json

clean:
	rm -rf $(BUILD) tracer compile_commands.json

-include $(USER_OBJECTS:.o=.d) $(BPF_OBJECTS:.o=.d) $(ASAN_OBJECTS:.o=.d) $(wildcard $(BUILD)/asan/tests/unit/*.d)
