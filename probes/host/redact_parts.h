/* What the files of redaction share. Private to them. */
#ifndef NVADVISE_PROBES_HOST_REDACT_PARTS_H
#define NVADVISE_PROBES_HOST_REDACT_PARTS_H

#include "probes/host/redact.h"
#include "probes/host/redact_words.h"

#define REDACT_BYTES_MAX ((size_t)128 * 1024 * 1024)

struct redactor {
    struct arena *arena;
    struct redact_words *words;
    struct hash_keyed *hash;
    struct span *hidden;
    size_t n_hidden;
};

/* How text is taken: words of which lists may stay, and what else. */
struct redact_mode {
    unsigned lists;
    bool long_numbers; /* numbers of any length; else at most seven digits, and no 0x… */
    bool versions;     /* numbers with dots are versions, not addresses */
    bool shortened;    /* beginnings of words count as words */
};

extern const struct redact_mode redact_path;    /* paths and names */
extern const struct redact_mode redact_strict;  /* nothing but numbers */
extern const struct redact_mode redact_text;    /* messages and kernel files: all words */
extern const struct redact_mode redact_version; /* versions and who built them */
extern const struct redact_mode redact_option;  /* names of options */

/* ---- pseudonyms (redact_name.c) -------------------------------------------------------------- */

/* Of a word: "x" and ten hexadecimal digits; of one of 24 bytes or more as long as it; of twelve or
 * more hexadecimal digits the same number of them. */
void redact_add_name(struct redactor *r, struct buf *out, struct span name);

/* `n` bytes in place of `bytes`; all-zero ones stay. */
void redact_add_bytes(struct redactor *r, struct buf *out, struct span bytes);

/* The identifier as a whole (a serial, say), without the blanks around it: its pseudonym, at most
 * `max` bytes. Empty ones and those of one repeated byte identify nothing and stay. */
void redact_add_whole(struct redactor *r, struct buf *out, struct span id);

/* UUID, MAC and IP addresses at the front of `s`: appends the pseudonym, or what stays as it is,
 * and returns how many bytes it stands for; 0: none is there. */
size_t redact_add_shape(struct redactor *r, struct buf *out, struct span s, bool versions);

/* ---- text (redact_token.c) ------------------------------------------------------------------- */

/* Letters and digits from s[from] on, with %41, @0041 and \x41, which are letters in disguise. */
size_t redact_run_length(struct span s, size_t from);
/* May the run of letters and digits stay (redact_stays.c)? */
bool redact_stays(const struct redactor *r, struct span token, const struct redact_mode *mode);

bool redact_is_disk(struct span token);
bool redact_is_digits(struct span s);
bool redact_is_known_account(struct span name);

void redact_add_text(struct redactor *r, struct buf *out, struct span s,
                     const struct redact_mode *mode);
/* Only hidden names go. */
void redact_add_kept(struct redactor *r, struct buf *out, struct span s);
/* A message: what is in quotes or looks like a path as a path, the rest as text. */
void redact_add_message(struct redactor *r, struct buf *out, struct span s);
/* A host or account: its pseudonym even where all its words are well-known ones
 * (redact_identity.c). */
void redact_add_identity(struct redactor *r, struct buf *out, struct span name);

/* ---- kinds ----------------------------------------------------------------------------------- */

/* Replies of each kind of operation; `key` is the one that was asked. */
typedef void (*redact_kind)(struct redactor *r, const char *key, struct span in, struct buf *out);

/* By the file's name (redact_files.c, redact_proc.c). */
redact_kind redact_kind_of_file(const char *path);
void redact_mountinfo(struct redactor *r, const char *key, struct span in, struct buf *out);
void redact_fstab(struct redactor *r, const char *key, struct span in, struct buf *out);
void redact_swaps(struct redactor *r, const char *key, struct span in, struct buf *out);
void redact_unix(struct redactor *r, const char *key, struct span in, struct buf *out);
void redact_tcp(struct redactor *r, const char *key, struct span in, struct buf *out);
void redact_cgroup(struct redactor *r, const char *key, struct span in, struct buf *out);
void redact_cmdline(struct redactor *r, const char *key, struct span in, struct buf *out);

void redact_environment(struct redactor *r, const char *key, struct span in, struct buf *out);
void redact_optfile(struct redactor *r, const char *key, struct span in, struct buf *out);

void redact_names(struct redactor *r, const char *key, struct span in, struct buf *out);
void redact_link(struct redactor *r, const char *key, struct span in, struct buf *out);
void redact_output(struct redactor *r, const char *key, struct span in, struct buf *out);
void redact_uname(struct redactor *r, const char *key, struct span in, struct buf *out);
void redact_udev(struct redactor *r, const char *key, struct span in, struct buf *out);
void redact_nvme(struct redactor *r, const char *key, struct span in, struct buf *out);
void redact_sql(struct redactor *r, const char *key, struct span in, struct buf *out);

/* The value of a server variable or option (redact_value.c). */
void redact_add_value(struct redactor *r, struct buf *out, struct span name, struct span value);

/* Names that must be hidden, out of a reply and out of line 1 (redact_learn.c). */
void redact_learn(struct redactor *r, const struct host_record *rec);
void redact_learn_header(struct redactor *r, const struct json *header);

#endif
