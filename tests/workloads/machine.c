// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * machine [COUNT]: runs COUNT random expressions, and as many random programs, on the machine of --if both
 * here and in this kernel, and compares how they end. Needs root. Prints what it has compared.
 */
#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/syscall.h>

#include "../../bpf/tracer.h"
#include "expression_random.h"
#include "machine_case.h"
#include "machine.skel.h" /* has what is in the two above */

static void refuse(const char *what, int err)
{
	fprintf(stderr, "machine: %s: %s\n", what, strerror(err < 0 ? -err : err));
	exit(1);
}

static struct machine_bpf *load(void)
{
	struct rlimit unlimited = { RLIM_INFINITY, RLIM_INFINITY };
	struct machine_bpf *skeleton;
	int err;

	setrlimit(RLIMIT_MEMLOCK, &unlimited);
	skeleton = machine_bpf__open();
	if (!skeleton)
		refuse("open", errno);
	bpf_map__set_autocreate(skeleton->maps.rings, false);
	bpf_map__set_autocreate(skeleton->maps.events, false);
	skeleton->rodata->config.matches = 1;
	err = machine_bpf__load(skeleton);
	if (err)
		refuse("load", err);
	return skeleton;
}

/* A field that has no value of its own is where the record of another kind of event has one. */
static void give(struct machine_case *to, struct target *target)
{
	target->fields[MACHINE_RETURN] = target->registers[0];
	target->fields[MACHINE_OLD] = target->fields[MACHINE_ARG2];
	target->fields[MACHINE_NEW] = target->fields[MACHINE_ARG3];
	memcpy(to->registers, target->registers, sizeof(to->registers));
	memcpy(to->arguments, target->fields, sizeof(to->arguments));
	memcpy(to->comm, target->comm, sizeof(to->comm));
	to->cfa = target->cfa;
	to->ip = target->ip;
	to->latency = target->fields[MACHINE_LATENCY];
	to->pid = (__u32)target->fields[MACHINE_PID];
	to->tid = (__u32)target->fields[MACHINE_TID];
	to->cpu = (__u16)target->fields[MACHINE_CPU];
	to->end = ~0u;
}

static void run_there(struct machine_bpf *skeleton, const struct machine_program *program)
{
	union bpf_attr attr;
	__u32 zero = 0;

	memset(&attr, 0, sizeof(attr));
	attr.test.prog_fd = (__u32)bpf_program__fd(skeleton->progs.run_machine);
	if (bpf_map_update_elem(bpf_map__fd(skeleton->maps.machine_programs), &zero, program,
				BPF_ANY))
		refuse("program", errno);
	if (syscall(SYS_bpf, BPF_PROG_TEST_RUN, &attr, sizeof(attr)))
		refuse("run", errno);
}

/* How the program ends, which must be the same on both machines. */
static int run_both(struct machine_bpf *skeleton, struct target *target,
		    const struct machine_program *program, const char *text)
{
	struct machine_case *there = &skeleton->bss->test_case;
	int end;

	give(there, target);
	end = target_run(target, program);
	run_there(skeleton, program);
	if ((int)there->end == end && there->depth == target->machine.depth &&
	    there->met == (end == MACHINE_TRUE) &&
	    (end > MACHINE_TRUE || there->value == target->machine.value[0]))
		return end;
	fprintf(stderr,
		"machine: %s: ended with %d here (%u values, the first %#llx) and %u there (%u, %#llx); arg1 \"%s\"\n",
		text, end, target->machine.depth, target->machine.value[0], there->end,
		there->depth, there->value, (const char *)target->fields[MACHINE_ARG1]);
	exit(1);
}

static void stop(struct random_expression *e, struct target *target, struct request *request,
		 char name[80])
{
	random_request(&e->seed, request, name);
	target_stop(target, request);
	random_text(&e->seed, target->comm, sizeof(target->comm));
	e->request = request;
	e->comm = target->comm;
}

/* false: refused */
static bool compile(const char *text, struct machine_program *program)
{
	const struct expression_scope scope = fake_scope(EXPRESSION_UPROBE);
	struct expression_error error = {};
	struct expression *expression;
	int err = expression_parse(text, &expression, &error);

	if (!err)
		err = expression_compile_predicate(expression, &scope, program, &error);
	expression_error_free(&error);
	expression_free(expression);
	return !err;
}

static void compare_expressions(struct machine_bpf *skeleton, unsigned count)
{
	struct random_expression e = { .seed = 99 };
	unsigned ends[MACHINE_GOES_ON] = {};
	struct machine_program program;
	struct request request;
	struct target target;
	char name[80];

	for (unsigned i = 0; i < count;) {
		struct result result;
		int end;

		stop(&e, &target, &request, name);
		result = random_expression_make(&e);
		if (!compile(e.text, &program))
			continue;
		end = run_both(skeleton, &target, &program, e.text);
		if (!result_allows(result, end))
			refuse(e.text, EDOM);
		ends[end]++;
		i++;
	}
	printf("expressions: %u agree, %u true, %u false, %u not judged\n", count,
	       ends[MACHINE_TRUE], ends[MACHINE_FALSE], ends[MACHINE_FAULT]);
}

static void random_program(struct random_expression *e, struct machine_program *program)
{
	for (unsigned i = 0; i < MACHINE_INSNS; i++)
		program->insns[i] = (struct machine_insn){
			.op = (__u8)random_below(e, MACHINE_OPS + 1),
			.flags = (__u8)next_random(&e->seed),
			.size = random_below(e, 70),
			.value = random_below(e, 2) ? random_below(e, 10) : random_number(&e->seed),
		};
	for (unsigned i = 0; i < sizeof(program->texts) / 4; i++)
		((__u32 *)program->texts)[i] = next_random(&e->seed);
}

static void compare_programs(struct machine_bpf *skeleton, unsigned count)
{
	struct random_expression e = { .seed = 5 };
	struct machine_program program;
	struct request request;
	struct target target;
	char name[80];

	for (unsigned i = 0; i < count; i++) {
		stop(&e, &target, &request, name);
		random_program(&e, &program);
		run_both(skeleton, &target, &program, "a random program");
	}
	printf("programs: %u agree\n", count);
}

int main(int argc, char **argv)
{
	unsigned count = argc > 1 ? (unsigned)strtoul(argv[1], NULL, 10) : 1000;
	struct machine_bpf *skeleton;

	if (getenv("MACHINE_VERBOSE") == NULL)
		libbpf_set_print(NULL);
	skeleton = load();
	compare_expressions(skeleton, count);
	compare_programs(skeleton, count);
	machine_bpf__destroy(skeleton);
	return 0;
}
