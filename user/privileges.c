// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Which capabilities a recording needs, and which of them until its end. */
#include <errno.h>
#include <string.h>

#include "base/caps.h"
#include "base/log.h"
#include "privileges.h"

/* What BPF needs and we have not, by names. */
static bool find_missing(char *missing, size_t size)
{
	const cap_value_t wanted[] = { CAP_BPF, CAP_PERFMON };

	/* which covers both, and is all there was before 5.8 */
	if (caps_have(CAP_SYS_ADMIN))
		return false;
	return caps_missing(wanted, sizeof(wanted) / sizeof(wanted[0]), missing, size) > 0;
}

bool privileges_suffice(void)
{
	char missing[128];

	return !find_missing(missing, sizeof(missing));
}

int privileges_check(void)
{
	char missing[128];

	if (!find_missing(missing, sizeof(missing)))
		return 0;
	log_error(
		"not permitted: missing %s. Run it as root, or give the binary what it needs: setcap "
		"cap_bpf,cap_perfmon,cap_sys_ptrace,cap_dac_read_search,cap_checkpoint_restore,cap_syslog=ep tracer "
		"(cap_sys_admin as well for --uprobe on newer kernels)",
		missing);
	return -EPERM;
}

int privileges_drop(bool attaches_later)
{
	const cap_value_t keep[] = {
		CAP_BPF,		/* reading our maps, where unprivileged bpf() is off */
		CAP_SYS_PTRACE,		/* /proc/PID of processes that appear */
		CAP_DAC_READ_SEARCH,	/* their binaries */
		CAP_CHECKPOINT_RESTORE, /* /proc/PID/map_files */
		CAP_SYSLOG,		/* addresses in /proc/kallsyms, read when first needed */
		CAP_KILL,		/* ending a COMMAND that has changed its user */
		CAP_PERFMON,		/* last, as it goes unless attaches_later: opening events */
	};
	int err = caps_drop_to(keep, sizeof(keep) / sizeof(keep[0]) - !attaches_later);

	if (err)
		log_error("capabilities cannot be dropped: %s", strerror(-err));
	return err;
}
