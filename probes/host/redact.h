/* Redaction: names out of captures, pseudonyms in.
 *
 * Host and domain names, serials, addresses, accounts, and every word of a path, a value or a
 * message that is not in a list of well-known ones become pseudonyms; numbers, models, firmware,
 * kernel device names, mount options and versions stay. A pseudonym is a keyed hash of the name
 * alone and has the form of what it stands for (a path stays a path, an address an address), so
 * that the same name is the same everywhere under one key, and replay forms the redacted questions
 * from the redacted answers.
 *
 * Pure: text in, text out. Knows nothing of files, processes and facts. */
#ifndef NVADVISE_PROBES_HOST_REDACT_H
#define NVADVISE_PROBES_HOST_REDACT_H

#include "advisor/base/hash.h"
#include "probes/host/capture.h"

struct redact_key {
    uint8_t bytes[HASH_KEY_BYTES];
};

struct redactor;

/* All memory comes from the arena, which must live as long. */
struct redactor *redactor_new(struct arena *a, const struct redact_key *key);

/* A name that must not stay even where its words are well-known ones (the host's "data-3"): it goes
 * wherever it stands as a whole word. Loopback names and bare well-known words are left alone. */
void redactor_hide(struct redactor *r, struct span name);

/* Of a host: the whole name, and each label of it. */
void redactor_hide_host(struct redactor *r, struct span name);

/* What a subject or a job of this name is called in a redacted run. */
const char *redactor_label(struct redactor *r, const char *label);

/* The pseudonym of a serial number as captures have it; one that identifies nothing stays. */
const char *redactor_serial(struct redactor *r, struct span serial);

/* A message: well-known words and numbers stay; what is in quotes or is a path is taken as a path. */
const char *redactor_message(struct redactor *r, const char *text);

/* One operation. `ret` gets probe id, key, bytes and error of their own; n, op and outcome are
 * those of `rec`. Nothing of `rec` is borrowed. */
void redact_operation(struct redactor *r, const char *probe, const struct host_record *rec,
                      const char **ret_probe, struct host_record *ret);

/* Line 1 of a capture: options and target. */
struct json *redact_header(struct redactor *r, const struct json *header);

/* Every operation and the header of what a writer holds; line 1 then says "redacted":true. A writer
 * whose line 1 says so already is left as it is. */
void capture_redact(struct capture_writer *w, const struct redact_key *key);

#endif
