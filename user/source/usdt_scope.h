/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* arg1, arg2 and so on, to an expression that is asked at a USDT probe. */
#ifndef TRACER_USDT_SCOPE_H
#define TRACER_USDT_SCOPE_H

struct program_scope;
struct usdt_arguments;

/* To an open scope of EXPRESSION_USDT; closing it forgets them. 0 or -ENOMEM. */
int usdt_scope_add(struct program_scope *program, const struct usdt_arguments *arguments);

#endif
