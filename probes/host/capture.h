/* Captures: gzipped JSON lines that hold every reply the seam gave, errors included.
 *
 * Line 1: {"schema":"nvadvise.capture/1","tool":…,"clock":…,"redacted":BOOL,"options":{…}}
 * then one line an operation: {"probe":ID,"n":N,"op":…,"key":…,"occurrence":K,
 *   "outcome":"ok"|"begun"|"error","bytes":BASE64 |
 *   "error":{"code":…,"errno":…,"text":…,"hint":…,"frames":[…]}}; a key that is not UTF-8 stands in
 *   "key_base64"; "begun" may have an "error" too: why it never returned
 * last: {"end":COUNT}. Without it the capture is cut (E_CUT); gzip's checksum guards the bytes
 * (E_CORRUPT). An operation that never returned stands as "begun": replay ends that probe there. */
#ifndef NVADVISE_PROBES_HOST_CAPTURE_H
#define NVADVISE_PROBES_HOST_CAPTURE_H

#include "advisor/base/json.h"
#include "probes/host/host.h"

#define CAPTURE_MAX (256u * 1024 * 1024) /* uncompressed */

/* ---- writing --------------------------------------------------------------------------------- */
struct capture_writer;

/* Builds the capture in memory; nothing is written before capture_save. header: members to add to
 * line 1 ("clock", "options"). */
struct capture_writer *capture_new(struct arena *a, const struct json *header);
/* Everything is copied. A later outcome of the same (probe, n, occurrence) replaces "begun". A
 * record with OUTCOME_BEGUN may carry an err: why the operation never returned. */
void capture_add(struct capture_writer *w, const char *probe, unsigned occurrence,
                 const struct host_record *rec);

/* Add to, or replace in, line 1. `value` is borrowed until capture_save. */
void capture_set_header(struct capture_writer *w, const char *key, struct json *value);
const struct json *capture_writer_header(const struct capture_writer *w);

/* The compressed bytes, in `a`: what capture_save writes. */
ATTR_NODISCARD bool capture_pack(struct capture_writer *w, struct arena *a, struct span *ret,
                                 struct err *reterr);

/* Write whole what capture_pack gave (file_replace, 0600), or to "-"; or both steps at once. Lines are sorted
 * by (probe, n). */
ATTR_NODISCARD bool capture_write(struct span packed, const char *path, struct err *reterr);
ATTR_NODISCARD bool capture_save(struct capture_writer *w, const char *path, struct err *reterr);

/* ---- reading --------------------------------------------------------------------------------- */
struct capture;

ATTR_NODISCARD bool capture_read(struct arena *a, const char *name, struct span gz_bytes,
                                 struct capture **ret, struct err *reterr);
const struct json *capture_header(const struct capture *c);

/* A writer that holds what was read. */
struct capture_writer *capture_copy(struct arena *a, const struct capture *c);

/* Probe instance ids, in byte order. */
size_t capture_probes(const struct capture *c, const char *const **ret);
/* How many operations of this probe instance it holds (0: no such instance), the fault sweep's bound;
 * and "OP KEY" of one of them. */
size_t capture_operations(const struct capture *c, const char *probe);
const char *capture_operation_text(struct arena *a, const struct capture *c, const char *probe,
                                   size_t n);

/* A host that answers from the capture for one probe instance: operation n, when it has the same op
 * and key, else the next later one that has (a fault, or another version, may have changed the
 * order); none: E_INTERNAL "the capture was made by another version: …". At the end of what is
 * recorded, or at a "begun" line, every call fails with E_TIMEOUT and host_replay_ended is true. */
struct host *host_replay_new(struct arena *a, const struct capture *c, const char *probe);
bool host_replay_ended(const struct host *h);

/* The key of a "begun" line, n 0, that stands for a probe which was never run: its replay has ended
 * before the first question. */
#define CAPTURE_NOT_RUN "(not run)"

/* Why it ended: the error of the "begun" line, or E_TIMEOUT where the recording just stops. */
const struct err *host_replay_end(const struct host *h);

#endif
