/* Facts out of what other tools printed: nvme-cli, smartctl, tools of makers. Kinds are told by content,
 * never by a file's name. Pure: text in, facts out; must know neither the machine nor rules.
 *
 * A file is cut into pieces (piece.h): command lines, JSON documents, headers that open an output. Each piece
 * goes to the format (format.h) that is surest of it. Devices are collected over all files and put into the
 * store at the end, since a later output may name one that an earlier one left without a name.
 *
 * What an output does not give stays unsaid. A value that is there and says "none" (0 K) is an unknown fact
 * with its reason. */
#ifndef NVADVISE_PROBES_IMPORT_IMPORT_H
#define NVADVISE_PROBES_IMPORT_IMPORT_H

#include "advisor/base/json.h"
#include "advisor/facts/store.h"

#define IMPORT_FILE_MAX (64u * 1024 * 1024)

/* What stands for a serial number; texts live as long as the run. NULL function: the number itself. */
struct import_hide {
    const char *(*serial)(void *ctx, struct span serial);
    void *ctx;
};

struct import;

/* A run; all memory comes from the arena. Facts go to `store` at import_end. */
struct import *import_new(struct arena *a, struct store *store, const struct import_hide *hide);

/* Read one file. `name` is for messages and sources, its last part alone. The text must live as long as the
 * run. E_SYNTAX: nothing in it is of a known kind. */
ATTR_NODISCARD bool import_text(struct import *im, const char *name, struct span text,
                                struct err *reterr);

/* Of storage outputs, what is wanted: an absolute path, "/dev/…", or "pool NAME". Without it every mounted
 * filesystem that may hold data becomes a volume, or where none is known every pool. */
void import_ask(struct import *im, const char *what);

/* Put everything that was found into the store. */
void import_end(struct import *im);

/* How many outputs of a known kind were read. */
size_t import_pieces(const struct import *im);

/* Texts: what was not read, and why; warnings first. */
const struct json *import_warnings(const struct import *im);
const struct json *import_notes(const struct import *im);

#endif
