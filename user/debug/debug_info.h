/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * What a file's DWARF says, read with libdw: sites of source lines (lines.h), functions and where they
 * are inlined (functions.h), parameters (signature.h) and where they are (location.h), types (type.h),
 * variables (variables.h). Facts and error codes; messages are the caller's business.
 *
 * Addresses are those of the file, before load bias. Nothing is read before it is asked for: an index
 * of names at the first question by name, line tables at the first question for a line. Strings, types
 * and what else is said to be "the info's" live until debug_info_close(). One thread at a time.
 *
 * A damaged file gives an error, or less than it held.
 */
#ifndef TRACER_DEBUG_INFO_H
#define TRACER_DEBUG_INFO_H

struct debug_info;

/*
 * The file that has the DWARF: a binary, or its separate debug file; which of them is the caller's to
 * find. The file of dwz that it refers to (.gnu_debugaltlink) and those of split DWARF (.dwo) are used
 * where libdw finds them.
 *
 * 0; -errno of open(); -ENOEXEC when it is not an ELF file that can be read; -ENODATA when it has no
 * DWARF; -EFBIG when a section claims to unfold to more than its compressed contents can; -ENOMEM.
 */
int debug_info_open(const char *path, struct debug_info **info);
/* The same on an open descriptor, which stays the caller's and must outlive the info. */
int debug_info_open_fd(int fd, struct debug_info **info);
void debug_info_close(struct debug_info *info);

#endif
