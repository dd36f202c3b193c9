/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#ifndef TRACER_TLS_SYMBOL_H
#define TRACER_TLS_SYMBOL_H

#include <elfutils/libdw.h>
#include <stdbool.h>
#include <stdint.h>

/*
 * Where a thread-local variable is in the file's block of them, by its symbol: GCC says so in DWARF on x86-64 but not on
 * arm64. False elsewhere, and when there is no such symbol, or several.
 */
bool tls_symbol(Dwarf *dwarf, Dwarf_Die *variable, int64_t *offset);

#endif
