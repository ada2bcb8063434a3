/* Redaction of one operation: no crash, no word of ours that nobody knows left, the same twice. The
 * input is the operation's number, its key up to a NUL, its reply. */
#include <stdlib.h>
#include <string.h>

#include "probes/host/redact_parts.h"

#include "advisor/base/banned.h"

/* In no list, and hexadecimal of nothing. */
#define WORD "qzjxkv"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static bool is_wordy(char c)
{
    return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
           (unsigned char)c >= 0x80;
}

/* As a word of its own; by chance it may be a part of another. */
static bool has_word(struct span s)
{
    const struct span word = SPAN_LIT(WORD);
    for (size_t i = 0; word.len <= s.len && i <= s.len - word.len; i++) {
        if (span_eq(span_sub(s, i, word.len), word) && (i == 0 || !is_wordy(s.ptr[i - 1])) &&
            (i + word.len == s.len || !is_wordy(s.ptr[i + word.len]))) {
            return true;
        }
    }
    return false;
}

/* Models and their makers stay as they are; so do keys that are our own words. */
static bool may_keep(const struct host_record *rec)
{
    return rec->op == HOST_NVME || rec->op == HOST_UDEV || strstr(rec->key, "/model") != NULL ||
           strstr(rec->key, "/rev") != NULL || strstr(rec->key, "firmware_rev") != NULL ||
           strstr(rec->key, "vendor") != NULL || strstr(rec->key, "/product_name") != NULL;
}

static void check_err(struct redactor *r, struct host_record *rec, struct arena *a)
{
    struct err err = ERR_INIT;
    struct host_record made;
    const char *probe = NULL;
    err_set(&err, E_IO, "cannot read '%s'", rec->key);
    rec->outcome = OUTCOME_ERR;
    rec->err = &err;
    redact_operation(r, arena_printf(a, "server:%s", rec->key), rec, &probe, &made);
    if (has_word(span_of(made.err->text)) || has_word(span_of(probe))) {
        abort();
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    ARENA_AUTO a = arena_new();
    static const struct redact_key key = {.bytes = {9}};
    const uint8_t *const nul = size > 1 ? memchr(data + 1, '\0', size - 1) : NULL;
    if (nul == NULL || size > 65536) {
        return 0;
    }
    const size_t at = (size_t)(nul - data) + 1;
    struct host_record rec = {.op = (enum host_op)(data[0] % (HOST_OPS + 1u)),
                              .key = (const char *)data + 1,
                              .outcome = OUTCOME_OK,
                              .bytes = {(const char *)data + at, size - at}};
    struct redactor *const r = redactor_new(a, &key);
    struct host_record once, again;
    const char *probe = NULL;
    redact_learn(r, &rec);
    redact_operation(r, "proc", &rec, &probe, &once);
    redact_operation(r, "proc", &rec, &probe, &again);
    if (!span_eq(once.bytes, again.bytes) || strcmp(once.key, again.key) != 0) {
        abort();
    }
    if (!may_keep(&rec) && has_word(once.bytes)) {
        abort();
    }
    check_err(r, &rec, a);
    return 0;
}
