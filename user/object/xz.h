/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Unpacking what xz has packed. */
#ifndef TRACER_XZ_H
#define TRACER_XZ_H

#include <stddef.h>
#include <stdint.h>

/*
 * 0, and memory that the caller frees; -EBADMSG when it is damaged or cut, -EFBIG when it unfolds to
 * more than can be meant, -ENOMEM.
 */
int xz_unpack(const uint8_t *packed, size_t packed_size, uint8_t **bytes, size_t *size);

#endif
