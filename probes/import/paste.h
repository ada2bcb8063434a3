/* A file as text, and what stands around outputs in it: command lines and headings. */
#ifndef NVADVISE_PROBES_IMPORT_PASTE_H
#define NVADVISE_PROBES_IMPORT_PASTE_H

#include "advisor/base/arena.h"
#include "advisor/base/str.h"

/* Valid UTF-8 with LF alone: UTF-16 with a byte order mark is turned, broken bytes become U+FFFD, colours of a
 * terminal and other control characters but tabs go, and so does what stands before every line (paste_lines). */
struct span paste_prepare(struct arena *a, struct span raw);

/* Off with the '>' of mails' quotations, the stamps of a system log before nearly all lines, and running numbers
 * before all, blanks before all. `s` itself where there is nothing of the kind. */
struct span paste_lines(struct arena *a, struct span s);

/* A command line, with its prompt or one of a known tool without: the command without prompt and sudo. */
bool paste_command(struct span line, struct span *ret);

/* A line that does nothing but name a device ("/dev/nvme0n1:", "=== nvme0 ==="). */
bool paste_heading(struct arena *a, struct span line, struct span *ret_device);

/* The device that a command line names last; empty: none. */
struct span paste_command_device(struct arena *a, struct span command);

/* The JSON document at the front of `s`: its length as it stands, and a text that can be parsed; what was cut off
 * at the end is closed there (*ret_cut). false: none begins here. */
bool paste_json(struct arena *a, struct span s, size_t *ret_len, struct span *ret_text,
               bool *ret_cut);

#endif
