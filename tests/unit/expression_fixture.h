/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* A made-up program whose names expressions can use, the state that it is stopped in, and the machine on it. */
#ifndef TRACER_TEST_EXPRESSION_FIXTURE_H
#define TRACER_TEST_EXPRESSION_FIXTURE_H

#include <errno.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/uio.h>
#include <unistd.h>

#include "expression/expression.h"

/* ---- what the program has ---------------------------------------------------------------------- */

enum color { RED = 0, GREEN = 5, BLUE = 0xf0000000 };
enum level { LOW = -3, HIGH = 7 };

struct connection {
	int fd;
	short port;
	uint64_t sent;
};

struct bits {
	uint32_t low : 3;
	int32_t middle : 5;
	uint32_t high : 24;
	uint64_t wide : 63;
};

struct request {
	struct connection conn;
	const char *name;
	char method[8];
	struct request *next;
	void *opaque;
	enum color color;
	enum level level;
	struct bits bits;
	uint8_t u8;
	int8_t s8;
	uint16_t u16;
	int16_t s16;
	uint32_t u32;
	int32_t s32;
	uint64_t u64;
	int64_t s64;
	double ratio;
	bool ready;
	int numbers[4];
	char long_name[100];
};

struct fake_type {
	const char *name;
	struct expression_type described;
};

#define INTEGER(bytes, sign) \
	.described = { .kind = EXPRESSION_INTEGER, .size = (bytes), .is_signed = (sign) }
#define POINTER_TO(type) .described = { .kind = EXPRESSION_POINTER, .size = 8, .target = (type) }
#define ARRAY_OF(type, elements, bytes)                                                          \
	.described = {                                                                           \
		.kind = EXPRESSION_ARRAY, .size = (bytes), .count = (elements), .target = (type) \
	}

static const struct fake_type type_u8 = { "uint8_t", INTEGER(1, false) };
static const struct fake_type type_s8 = { "int8_t", INTEGER(1, true) };
static const struct fake_type type_u16 = { "uint16_t", INTEGER(2, false) };
static const struct fake_type type_s16 = { "int16_t", INTEGER(2, true) };
static const struct fake_type type_u32 = { "uint32_t", INTEGER(4, false) };
static const struct fake_type type_s32 = { "int", INTEGER(4, true) };
static const struct fake_type type_u64 = { "uint64_t", INTEGER(8, false) };
static const struct fake_type type_s64 = { "int64_t", INTEGER(8, true) };
static const struct fake_type type_s128 = { "__int128", INTEGER(16, true) };
static const struct fake_type type_char = {
	"char", { .kind = EXPRESSION_INTEGER, .size = 1, .is_signed = true, .is_char = true }
};
static const struct fake_type type_bool = { "bool", { .kind = EXPRESSION_BOOLEAN, .size = 1 } };
static const struct fake_type type_double = { "double", { .kind = EXPRESSION_FLOAT, .size = 8 } };
static const struct fake_type type_color = { "enum color", { .kind = EXPRESSION_ENUM, .size = 4 } };
static const struct fake_type type_level = {
	"enum level", { .kind = EXPRESSION_ENUM, .size = 4, .is_signed = true }
};
static const struct fake_type type_connection = {
	"struct connection", { .kind = EXPRESSION_STRUCT, .size = sizeof(struct connection) }
};
static const struct fake_type type_bits = {
	"struct bits", { .kind = EXPRESSION_STRUCT, .size = sizeof(struct bits) }
};
static const struct fake_type type_request = {
	"struct request", { .kind = EXPRESSION_STRUCT, .size = sizeof(struct request) }
};
static const struct fake_type type_void_pointer = { "void *", POINTER_TO(NULL) };
static const struct fake_type type_char_pointer = { "char *", POINTER_TO(&type_char) };
static const struct fake_type type_u64_pointer = { "uint64_t *", POINTER_TO(&type_u64) };
static const struct fake_type type_request_pointer = { "struct request *",
						       POINTER_TO(&type_request) };
static const struct fake_type type_method = { "char[8]", ARRAY_OF(&type_char, 8, 8) };
static const struct fake_type type_long_name = { "char[100]", ARRAY_OF(&type_char, 100, 100) };
static const struct fake_type type_numbers = { "int[4]", ARRAY_OF(&type_s32, 4, 16) };

#define MEMBER(of, type, member)                                        \
	{                                                               \
		&(of), #member,                                         \
		{                                                       \
			&(type), offsetof(struct request, member), 0, 0 \
		}                                                       \
	}

static const struct {
	const struct fake_type *of;
	const char *name;
	struct expression_member member;
} fake_members[] = {
	{ &type_connection, "fd", { &type_s32, offsetof(struct connection, fd), 0, 0 } },
	{ &type_connection, "port", { &type_s16, offsetof(struct connection, port), 0, 0 } },
	{ &type_connection, "sent", { &type_u64, offsetof(struct connection, sent), 0, 0 } },
	{ &type_bits, "low", { &type_u32, 0, 0, 3 } },
	{ &type_bits, "middle", { &type_s32, 0, 3, 5 } },
	{ &type_bits, "high", { &type_u32, 0, 8, 24 } },
	{ &type_bits, "wide", { &type_u64, 8, 0, 63 } },
	{ &type_bits, "across", { &type_u64, 0, 7, 64 } },
	MEMBER(type_request, type_connection, conn),
	MEMBER(type_request, type_char_pointer, name),
	MEMBER(type_request, type_method, method),
	MEMBER(type_request, type_request_pointer, next),
	MEMBER(type_request, type_void_pointer, opaque),
	MEMBER(type_request, type_color, color),
	MEMBER(type_request, type_level, level),
	MEMBER(type_request, type_bits, bits),
	MEMBER(type_request, type_u8, u8),
	MEMBER(type_request, type_s8, s8),
	MEMBER(type_request, type_u16, u16),
	MEMBER(type_request, type_s16, s16),
	MEMBER(type_request, type_u32, u32),
	MEMBER(type_request, type_s32, s32),
	MEMBER(type_request, type_u64, u64),
	MEMBER(type_request, type_s64, s64),
	MEMBER(type_request, type_double, ratio),
	MEMBER(type_request, type_bool, ready),
	MEMBER(type_request, type_numbers, numbers),
	MEMBER(type_request, type_long_name, long_name),
	{ &type_request, "s128", { &type_s128, 0, 0, 0 } },
};

/* The struct that req points to is also at the CFA - REQUEST_BELOW, and at the instruction + REQUEST_AHEAD. */
#define REQUEST_BELOW	   0x1000
#define REQUEST_AHEAD	   0x2000
#define AT_REQUEST(member) (int64_t) offsetof(struct request, member)
#define BELOW_CFA(member)  EXPRESSION_AT_CFA, 0, AT_REQUEST(member) - REQUEST_BELOW
#define AHEAD(member)	   EXPRESSION_AT_IP, 0, AT_REQUEST(member) + REQUEST_AHEAD

static const struct {
	const char *name;
	struct expression_place place;
} fake_names[] = {
	{ "req", { EXPRESSION_IN_REGISTER, 3, 0, &type_request_pointer } },
	{ "request", { EXPRESSION_AT_REGISTER, 3, 0, &type_request } },
	{ "text", { EXPRESSION_AT_REGISTER, 3, AT_REQUEST(name), &type_char_pointer } },
	{ "u8", { BELOW_CFA(u8), &type_u8 } },
	{ "s8", { BELOW_CFA(s8), &type_s8 } },
	{ "u16", { BELOW_CFA(u16), &type_u16 } },
	{ "s16", { BELOW_CFA(s16), &type_s16 } },
	{ "u32", { BELOW_CFA(u32), &type_u32 } },
	{ "s32", { BELOW_CFA(s32), &type_s32 } },
	{ "u64", { AHEAD(u64), &type_u64 } },
	{ "s64", { AHEAD(s64), &type_s64 } },
	{ "ready", { AHEAD(ready), &type_bool } },
	{ "color", { BELOW_CFA(color), &type_color } },
	{ "ratio", { BELOW_CFA(ratio), &type_double } },
	{ "in_register", { EXPRESSION_IN_REGISTER, 4, 0, &type_s16 } },
	{ "struct_in_register", { EXPRESSION_IN_REGISTER, 4, 0, &type_connection } },
	{ "no_register", { EXPRESSION_IN_REGISTER, 77, 0, &type_s32 } },
	{ "nowhere", { EXPRESSION_AT_ADDRESS, 0, 64, &type_s32 } },
	{ "numbers", { BELOW_CFA(numbers), &type_numbers } },
	{ "limit", { EXPRESSION_IS_CONSTANT, 0, -7, &type_s32 } },
	{ "ns::limit", { EXPRESSION_IS_CONSTANT, 0, -1, &type_u64 } },
	{ "words", { EXPRESSION_IN_REGISTER, 5, 0, &type_u64_pointer } },
	{ "pid", { EXPRESSION_IN_REGISTER, 4, 0, &type_s16 } },
	{ "größe", { EXPRESSION_IS_CONSTANT, 0, 3, &type_s32 } },
};

static const struct {
	const struct fake_type *of;
	const char *name;
	int64_t value;
} fake_enumerators[] = {
	{ &type_color, "RED", RED }, { &type_color, "GREEN", GREEN }, { &type_color, "BLUE", BLUE },
	{ &type_level, "LOW", LOW }, { &type_level, "HIGH", HIGH },
};

#define FAKE_COUNT(array) (sizeof(array) / sizeof((array)[0]))

static int fake_find(void *context, const char *name, struct expression_place *place,
		     const char **why)
{
	(void)context;
	if (strcmp(name, "gone") == 0) {
		*why = "is optimized out here";
		return -ENODATA;
	}
	if (strcmp(name, "broken") == 0)
		return -EIO;
	for (size_t i = 0; i < FAKE_COUNT(fake_names); i++) {
		if (strcmp(fake_names[i].name, name) != 0)
			continue;
		*place = fake_names[i].place;
		return 0;
	}
	return -ENOENT;
}

static int fake_type(void *context, const void *type, struct expression_type *described)
{
	(void)context;
	*described = ((const struct fake_type *)type)->described;
	return 0;
}

static void fake_type_name(void *context, const void *type, char *name, size_t size)
{
	(void)context;
	snprintf(name, size, "%s", ((const struct fake_type *)type)->name);
}

static int fake_member(void *context, const void *type, const char *name,
		       struct expression_member *member)
{
	(void)context;
	for (size_t i = 0; i < FAKE_COUNT(fake_members); i++) {
		if (fake_members[i].of != type || strcmp(fake_members[i].name, name) != 0)
			continue;
		*member = fake_members[i].member;
		return 0;
	}
	return -ENOENT;
}

static int fake_enumerator(void *context, const void *type, const char *name, int64_t *value)
{
	(void)context;
	for (size_t i = 0; i < FAKE_COUNT(fake_enumerators); i++) {
		if (fake_enumerators[i].of != type || strcmp(fake_enumerators[i].name, name) != 0)
			continue;
		*value = fake_enumerators[i].value;
		return 0;
	}
	return -ENOENT;
}

static void fake_each_name(void *context, expression_name_fn callback, void *names)
{
	(void)context;
	for (size_t i = 0; i < FAKE_COUNT(fake_names); i++)
		callback(names, fake_names[i].name);
}

static void fake_each_member(void *context, const void *type, expression_name_fn callback,
			     void *names)
{
	(void)context;
	for (size_t i = 0; i < FAKE_COUNT(fake_members); i++)
		if (fake_members[i].of == type)
			callback(names, fake_members[i].name);
}

static void fake_each_enumerator(void *context, const void *type, expression_name_fn callback,
				 void *names)
{
	(void)context;
	for (size_t i = 0; i < FAKE_COUNT(fake_enumerators); i++)
		if (fake_enumerators[i].of == type)
			callback(names, fake_enumerators[i].name);
}

static inline struct expression_scope fake_scope(enum expression_source source)
{
	return (struct expression_scope){
		.source = source,
		.watched_size = 8,
		.find = fake_find,
		.type = fake_type,
		.type_name = fake_type_name,
		.member = fake_member,
		.enumerator = fake_enumerator,
		.each_name = fake_each_name,
		.each_member = fake_each_member,
		.each_enumerator = fake_each_enumerator,
	};
}

/* ---- the state that it is stopped in, and the machine -------------------------------------------- */

#define TARGET_REGISTERS 32

struct target {
	uint64_t registers[TARGET_REGISTERS];
	uint64_t fields[MACHINE_FIELDS];
	uint64_t cfa, ip;
	char comm[16];
	const struct machine_program *program;
	struct machine machine;
};

/* All of our own memory is the program's: bytes read. */
static inline size_t target_read(uint64_t address, size_t size, void *to)
{
	struct iovec here = { to, size }, there = { (void *)address, size };
	ssize_t bytes = process_vm_readv(getpid(), &here, 1, &there, 1, 0);

	return bytes > 0 ? (size_t)bytes : 0;
}

static inline int target_load(uint64_t address, uint32_t size, __u64 *value)
{
	__u64 word = 0;

	if (target_read(address, size, &word) != size)
		return -1;
	*value = word;
	return 0;
}

static inline long target_text(struct target *target, uint64_t address, uint32_t limit)
{
	char *text = (char *)target->machine.text;
	size_t bytes = target_read(address, limit, text);
	size_t length = strnlen(text, bytes);

	if (length == bytes && bytes < limit)
		return -EFAULT;
	if (length == limit)
		length--;
	text[length] = '\0';
	return (long)length + 1;
}

static inline int target_register(const struct target *target, uint32_t number, __u64 *value)
{
	*value = number < TARGET_REGISTERS ? target->registers[number] : 0;
	return number < TARGET_REGISTERS ? 0 : -1;
}

static inline int target_field(const struct target *target, uint32_t field, __u64 *value)
{
	*value = field < MACHINE_FIELDS ? target->fields[field] : 0;
	return field < MACHINE_FIELDS ? 0 : -1;
}

#define TARGET(context)				    ((struct target *)(context))
#define MACHINE_READ(context, address, size, value) target_load(address, size, value)
#define MACHINE_READ_REGISTER(context, number, value) \
	target_register(TARGET(context), number, value)
#define MACHINE_READ_FIELD(context, field, value) target_field(TARGET(context), field, value)
#define MACHINE_READ_CFA(context, value)	  (*(value) = TARGET(context)->cfa, 0)
#define MACHINE_READ_IP(context, value)		  (*(value) = TARGET(context)->ip, 0)
#define MACHINE_READ_COMM(context) \
	(memcpy(TARGET(context)->machine.text, TARGET(context)->comm, 16), 0)
#define MACHINE_READ_TEXT(context, address, limit) target_text(TARGET(context), address, limit)
#define MACHINE_TRY_MATCH(context)		   target_match(TARGET(context))

static int target_match(const struct target *target);
#include "../../bpf/machine_step.h"

static int target_match(const struct target *target)
{
	const struct machine *m = &target->machine;

	return m->pattern < MACHINE_TEXTS ? machine_match(m, &target->program->texts[m->pattern]) :
					    -1;
}

/* Runs a program: enum machine_end. */
static inline int target_run(struct target *target, const struct machine_program *program)
{
	int end = MACHINE_BROKEN;

	target->program = program;
	machine_begin(&target->machine);
	for (int i = 0; i < MACHINE_INSNS; i++) {
		end = machine_step(&target->machine, program, target);
		if (end != MACHINE_GOES_ON)
			break;
	}
	return end;
}

/* Stops the program where req points to the request. */
static inline void target_stop(struct target *target, const struct request *request)
{
	memset(target, 0, sizeof(*target));
	target->registers[3] = (uintptr_t)request;
	target->registers[4] = 0xabcdfffe; /* as a short: -2 */
	target->registers[5] = (uintptr_t)&request->u64;
	target->cfa = (uintptr_t)request + REQUEST_BELOW;
	target->ip = (uintptr_t)request - REQUEST_AHEAD;
	target->fields[MACHINE_ARG1] = (uintptr_t)request->name;
	target->fields[MACHINE_ARG2] = 4097;
	target->fields[MACHINE_ARG3] = (uint64_t)-1;
	target->fields[MACHINE_RETURN] = (uint64_t)-5;
	target->fields[MACHINE_OLD] = 100;
	target->fields[MACHINE_NEW] = 0xffffffff;
	target->fields[MACHINE_LATENCY] = 10000001;
	target->fields[MACHINE_PID] = 812;
	target->fields[MACHINE_TID] = 813;
	target->fields[MACHINE_CPU] = 1;
	strcpy(target->comm, "nginx: worker");
}

#endif
