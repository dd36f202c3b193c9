// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * registers: x86-64 stores to `watched` from each general register but the stack pointer: number N of 15 has
 * 0x1122334455667700 + N, of which 8, 4, 2 and 1 bytes are stored, and a constant 0 after each. Elsewhere it does
 * nothing. Exits with 0.
 */
extern unsigned long watched;
unsigned long watched;

#if defined(__x86_64__)

void store_registers(void);

/* clang-format off */
#define STORE(name)  "mov %" name ", watched(%rip)\n\tmovq $0, watched(%rip)\n\t"
#define STORES(number, name8, name4, name2, name1)                        \
	"movabs $0x1122334455667700 + " #number ", %" name8 "\n\t"        \
	STORE(name8) STORE(name4) STORE(name2) STORE(name1)

__asm__(".text\n\t.globl store_registers\n\t.type store_registers, @function\n"
	"store_registers:\n\tendbr64\n\t"
	"push %rbx\n\tpush %rbp\n\tpush %r12\n\tpush %r13\n\tpush %r14\n\tpush %r15\n\t"
	STORES(1, "rax", "eax", "ax", "al")
	STORES(2, "rcx", "ecx", "cx", "cl")
	STORES(3, "rdx", "edx", "dx", "dl")
	STORES(4, "rbx", "ebx", "bx", "bl")
	STORES(5, "rbp", "ebp", "bp", "bpl")
	STORES(6, "rsi", "esi", "si", "sil")
	STORES(7, "rdi", "edi", "di", "dil")
	STORES(8, "r8", "r8d", "r8w", "r8b")
	STORES(9, "r9", "r9d", "r9w", "r9b")
	STORES(10, "r10", "r10d", "r10w", "r10b")
	STORES(11, "r11", "r11d", "r11w", "r11b")
	STORES(12, "r12", "r12d", "r12w", "r12b")
	STORES(13, "r13", "r13d", "r13w", "r13b")
	STORES(14, "r14", "r14d", "r14w", "r14b")
	STORES(15, "r15", "r15d", "r15w", "r15b")
	"pop %r15\n\tpop %r14\n\tpop %r13\n\tpop %r12\n\tpop %rbp\n\tpop %rbx\n\tret\n\t"
	".size store_registers, . - store_registers\n");
/* clang-format on */

#else

static void store_registers(void)
{
}

#endif

int main(void)
{
	store_registers();
	return 0;
}
