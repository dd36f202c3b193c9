// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "detail_decoder.h"

#include <elf.h>
#include <errno.h>

int detail_decoder_open(uint16_t machine, csh *handle)
{
	cs_err err = CS_ERR_ARCH;

	if (machine == EM_X86_64)
		err = cs_open(CS_ARCH_X86, CS_MODE_64, handle);
	else if (machine == EM_AARCH64)
		err = cs_open(CS_ARCH_ARM64, CS_MODE_LITTLE_ENDIAN, handle);
	if (err != CS_ERR_OK)
		return -ENOTSUP;
	if (cs_option(*handle, CS_OPT_DETAIL, CS_OPT_ON) == CS_ERR_OK)
		return 0;
	cs_close(handle);
	return -ENOMEM;
}
