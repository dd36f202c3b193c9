/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Capstone for the machines that programs are probed on. */
#ifndef TRACER_DETAIL_DECODER_H
#define TRACER_DETAIL_DECODER_H

#include <capstone/capstone.h>
#include <stdint.h>

/* Decodes code of e_machine, with all that is known of an instruction. To be closed with cs_close(). 0, -ENOTSUP or -ENOMEM. */
int detail_decoder_open(uint16_t machine, csh *handle);

#endif
