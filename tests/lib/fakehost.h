/* A host made of a table, for unit tests of probes: what is not in the table is absent.
 *
 * Knows the seam's primitive only; rows hold the bytes that a live reply would hold. Nothing here
 * touches the machine. */
#ifndef NVADVISE_TESTS_LIB_FAKEHOST_H
#define NVADVISE_TESTS_LIB_FAKEHOST_H

#include "probes/host/host.h"

struct fake_row {
    enum host_op op;
    const char *key;
    struct span bytes; /* the reply, when code is E_NONE */
    enum err_code code;
    int sys_errno;
};

/* Rows of a constant table. */
#define FAKE_FILE(path, text)                                                                      \
    {                                                                                              \
        HOST_READ, (path), {(text), sizeof(text) - 1}, E_NONE, 0                                   \
    }
#define FAKE_REPLY(op, key, text)                                                                  \
    {                                                                                              \
        (op), (key), {(text), sizeof(text) - 1}, E_NONE, 0                                         \
    }
#define FAKE_FAIL(op, key, code, sys_errno)                                                        \
    {                                                                                              \
        (op), (key), {NULL, 0}, (code), (sys_errno)                                                \
    }

/* An empty host; it and all replies live in the arena. */
struct host *fakehost_new(struct arena *a);

/* Add rows (borrowed). A row whose op and key are already there comes *after* the earlier ones: the
 * n-th call gets the n-th row, the last row answers for ever. */
void fakehost_add(struct host *h, const struct fake_row *rows, size_t n);

/* Replace every row of (op, key) by this one. Text is borrowed. */
void fakehost_reply(struct host *h, enum host_op op, const char *key, struct span bytes);
void fakehost_file(struct host *h, const char *path, const char *text);
void fakehost_fail(struct host *h, enum host_op op, const char *key, enum err_code code,
                   int sys_errno);

/* Replies that the seam makes itself. Names and words are separated by blanks; the names of a list
 * need not be in order. */
void fakehost_list(struct host *h, const char *path, const char *names);
void fakehost_link(struct host *h, const char *path, const char *target);
void fakehost_stat(struct host *h, const char *path, const struct host_stat *st);
void fakehost_who(struct host *h, uint32_t uid, uint32_t gid, bool sys_admin);
void fakehost_uname(struct host *h, const char *nodename, const char *release, const char *version);

/* Take (op, key) away, as if never added. */
void fakehost_remove(struct host *h, enum host_op op, const char *key);

/* How many calls were made: of all (op HOST_OPS), or of one op. And one (op, key). */
unsigned fakehost_calls(const struct host *h, enum host_op op);
unsigned fakehost_calls_of(const struct host *h, enum host_op op, const char *key);

#endif
