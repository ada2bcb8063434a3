/* The typed wrappers: each encodes its question in a key, calls the one primitive, decodes the
 * reply. Knows nothing of any backend. */
#include "probes/host/host.h"

#include <inttypes.h>
#include <string.h>

#include "advisor/base/parse.h"
#include "probes/host/reply.h"

#include "advisor/base/banned.h"

#define LIST_MAX ((size_t)32 * 1024 * 1024)
#define REPLY_MAX 4096u
#define ROWS_MAX ((size_t)8 * 1024 * 1024)
#define EXEC_MAX ((size_t)1024 * 1024)
#define OPTFILE_REPLY_MAX                                                                          \
    ((size_t)4 * 1024 * 1024) /* blanked text may be longer than what it was */
#define IDENTIFY_BYTES 4096u
#define KEY_MAX 8192u

static const char *const op_names[HOST_OPS] = {
    [HOST_READ] = "read",       [HOST_LIST] = "list",     [HOST_LINK] = "link",
    [HOST_STAT] = "stat",       [HOST_STATFS] = "statfs", [HOST_NVME] = "nvme",
    [HOST_UDEV] = "udev",       [HOST_SQL] = "sql",       [HOST_EXEC] = "exec",
    [HOST_CLOCK] = "clock",     [HOST_UNAME] = "uname",   [HOST_SIZE] = "size",
    [HOST_FS] = "fs",           [HOST_OPTFILE] = "optfile", [HOST_WHO] = "who",       [HOST_OPEN] = "open",
};

const char *host_op_name(enum host_op op)
{
    return (unsigned)op < HOST_OPS ? op_names[op] : "?";
}

bool host_op_from_name(struct span s, enum host_op *ret)
{
    for (unsigned i = 0; i < HOST_OPS; i++) {
        if (span_eq_text(s, op_names[i])) {
            *ret = (enum host_op)i;
            return true;
        }
    }
    return false;
}

bool host_call(struct host *h, const struct host_request *rq, struct span *ret, struct err *reterr)
{
    return h->backend->call(h, rq, ret, reterr);
}

/* One call with the op and key in the error's frames when the *reply* is at fault. */
static bool call(struct host *h, enum host_op op, const char *key, size_t max, struct span *ret,
                 struct err *reterr)
{
    if (strlen(key) > KEY_MAX) {
        return err_set(reterr, E_TOO_BIG, "question of %zu bytes for '%s'", strlen(key),
                       host_op_name(op));
    }
    const struct host_request rq = {.op = op, .key = key, .max_bytes = max};
    struct span got;
    if (!host_call(h, &rq, &got, reterr)) {
        return false;
    }
    if (got.len > max) {
        return err_set(reterr, E_TOO_BIG, "reply to %s '%s' is larger than %zu bytes",
                       host_op_name(op), key, max);
    }
    *ret = got;
    return true;
}

static bool bad_reply(struct err *reterr, enum host_op op, const char *key)
{
    return err_wrap(reterr, "decoding the reply to %s '%s'", host_op_name(op), key);
}

bool host_read(struct host *h, const char *path, size_t max, struct span *ret, struct err *reterr)
{
    struct span got;
    if (!call(h, HOST_READ, path, max == 0 ? HOST_SMALL : max, &got, reterr)) {
        return false;
    }
    if (got.len > 0 && got.ptr[got.len - 1] == '\n') {
        got.len--;
    }
    *ret = got;
    return true;
}

bool host_list(struct host *h, const char *path, struct host_names *ret, struct err *reterr)
{
    struct span got;
    if (!call(h, HOST_LIST, path, LIST_MAX, &got, reterr)) {
        return false;
    }
    return reply_read_names(h->arena, got, ret, reterr) || bad_reply(reterr, HOST_LIST, path);
}

bool host_link(struct host *h, const char *path, struct span *ret, struct err *reterr)
{
    return call(h, HOST_LINK, path, REPLY_MAX, ret, reterr);
}

bool host_real_path(struct host *h, const char *path, const char **ret, struct err *reterr)
{
    const char *const key = arena_printf(h->arena, "real %s", path);
    struct span got;
    if (!call(h, HOST_LINK, key, REPLY_MAX, &got, reterr)) {
        return false;
    }
    if (got.len == 0 || got.ptr[0] != '/' || span_has(got, '\0')) {
        err_set(reterr, E_CORRUPT, "not an absolute path");
        return bad_reply(reterr, HOST_LINK, key);
    }
    *ret = span_dup(h->arena, got);
    return true;
}

bool host_stat(struct host *h, const char *path, struct host_stat *ret, struct err *reterr)
{
    struct span got;
    if (!call(h, HOST_STAT, path, REPLY_MAX, &got, reterr)) {
        return false;
    }
    return reply_read_stat(got, ret, reterr) || bad_reply(reterr, HOST_STAT, path);
}

bool host_statfs(struct host *h, const char *path, struct host_statfs *ret, struct err *reterr)
{
    struct span got;
    if (!call(h, HOST_STATFS, path, REPLY_MAX, &got, reterr)) {
        return false;
    }
    return reply_read_statfs(got, ret, reterr) || bad_reply(reterr, HOST_STATFS, path);
}

/* A reply of just so many bytes. */
static bool call_exactly(struct host *h, enum host_op op, const char *key, uint32_t want,
                         struct span *ret, struct err *reterr)
{
    struct span got;
    if (!call(h, op, key, want, &got, reterr)) {
        return false;
    }
    if (got.len != want) {
        return err_set(reterr, E_CUT, "reply to %s '%s' has %zu bytes instead of %" PRIu32,
                       host_op_name(op), key, got.len, want);
    }
    *ret = got;
    return true;
}

bool host_nvme(struct host *h, const char *ctrl, enum host_nvme_page page, uint32_t nsid,
               uint32_t lid_or_fid, uint32_t bytes, struct span *ret, struct err *reterr)
{
    const char *key = "";
    uint32_t want = IDENTIFY_BYTES;
    switch (page) {
    case NVME_ID_CTRL:
        key = arena_printf(h->arena, "%s id-ctrl", ctrl);
        break;
    case NVME_ID_NS:
        key = arena_printf(h->arena, "%s id-ns %" PRIu32, ctrl, nsid);
        break;
    case NVME_LOG:
        want = bytes;
        key = arena_printf(h->arena, "%s log %" PRIu32 " %" PRIu32 " %" PRIu32, ctrl, lid_or_fid,
                           nsid, bytes);
        break;
    case NVME_FEATURE:
        want = 4;
        key = arena_printf(h->arena, "%s feature %" PRIu32 " %" PRIu32, ctrl, lid_or_fid, nsid);
        break;
    case NVME_FEATURE_DATA:
        want = 4 + bytes;
        key = arena_printf(h->arena, "%s feature-data %" PRIu32 " %" PRIu32 " %" PRIu32, ctrl,
                           lid_or_fid, nsid, bytes);
        break;
    }
    return call_exactly(h, HOST_NVME, key, want, ret, reterr);
}

bool host_nvme_group(struct host *h, const char *ctrl, enum host_nvme_page page,
                     uint32_t lid_or_fid, uint16_t group, uint32_t bytes, struct span *ret,
                     struct err *reterr)
{
    const bool log = page == NVME_LOG;
    const char *const key =
        log ? arena_printf(h->arena, "%s log %" PRIu32 " 0 %" PRIu32 " %u", ctrl, lid_or_fid, bytes,
                           (unsigned)group)
            : arena_printf(h->arena, "%s feature %" PRIu32 " 0 %u", ctrl, lid_or_fid,
                           (unsigned)group);
    return call_exactly(h, HOST_NVME, key, log ? bytes : 4, ret, reterr);
}

bool host_pci_config(struct host *h, const char *path, unsigned offset, unsigned bytes,
                     struct span *ret, struct err *reterr)
{
    const char *const key = arena_printf(h->arena, "at %u %u %s", offset, bytes, path);
    return call_exactly(h, HOST_READ, key, bytes, ret, reterr);
}

static bool optfile(struct host *h, const char *key, struct host_optfile *ret, struct err *reterr)
{
    struct span got;
    if (!call(h, HOST_OPTFILE, key, OPTFILE_REPLY_MAX, &got, reterr)) {
        return false;
    }
    return reply_read_optfile(got, ret, reterr) || bad_reply(reterr, HOST_OPTFILE, key);
}

bool host_optfile(struct host *h, const char *path, struct host_optfile *ret, struct err *reterr)
{
    return optfile(h, path, ret, reterr);
}

bool host_optfile_whole(struct host *h, const char *path, struct host_optfile *ret,
                        struct err *reterr)
{
    return optfile(h, arena_printf(h->arena, "whole %s", path), ret, reterr);
}

bool host_persisted(struct host *h, const char *path, struct host_optfile *ret, struct err *reterr)
{
    return optfile(h, arena_printf(h->arena, "persisted %s", path), ret, reterr);
}

bool host_udev(struct host *h, const char *sysname, struct host_names *ret, struct err *reterr)
{
    struct span got;
    if (!call(h, HOST_UDEV, sysname, HOST_SMALL, &got, reterr)) {
        return false;
    }
    return reply_read_names(h->arena, got, ret, reterr) || bad_reply(reterr, HOST_UDEV, sysname);
}

bool host_sql(struct host *h, const char *id, struct host_rows *ret, struct err *reterr)
{
    struct span got;
    if (!call(h, HOST_SQL, id, ROWS_MAX, &got, reterr)) {
        return false;
    }
    return reply_read_rows(h->arena, got, ret, reterr) || bad_reply(reterr, HOST_SQL, id);
}

bool host_exec(struct host *h, const char *command_id, const char *arg, struct span *ret,
               struct err *reterr)
{
    const char *const key =
        arg == NULL ? command_id : arena_printf(h->arena, "%s %s", command_id, arg);
    return call(h, HOST_EXEC, key, EXEC_MAX, ret, reterr);
}

bool host_clock(struct host *h, int64_t *ret, struct err *reterr)
{
    struct span got;
    if (!call(h, HOST_CLOCK, "", REPLY_MAX, &got, reterr)) {
        return false;
    }
    int64_t seconds = 0;
    if (!parse_i64(got, &seconds)) {
        err_set(reterr, E_CORRUPT, "not a number of seconds");
        return bad_reply(reterr, HOST_CLOCK, "");
    }
    *ret = seconds;
    return true;
}

bool host_uname(struct host *h, struct host_uname *ret, struct err *reterr)
{
    struct span got;
    if (!call(h, HOST_UNAME, "", REPLY_MAX, &got, reterr)) {
        return false;
    }
    return reply_read_uname(h->arena, got, ret, reterr) || bad_reply(reterr, HOST_UNAME, "");
}

bool host_size(struct host *h, const char *path, const char *suffixes, struct host_size *ret,
               struct err *reterr)
{
    const char *const key = arena_printf(h->arena, "%s %s", suffixes, path);
    struct span got;
    if (!call(h, HOST_SIZE, key, REPLY_MAX, &got, reterr)) {
        return false;
    }
    return reply_read_size(got, ret, reterr) || bad_reply(reterr, HOST_SIZE, key);
}

bool host_xfs(struct host *h, const char *path, struct host_xfs *ret, struct err *reterr)
{
    const char *const key = arena_printf(h->arena, "xfs %s", path);
    struct span got;
    if (!call(h, HOST_FS, key, REPLY_MAX, &got, reterr)) {
        return false;
    }
    return reply_read_xfs(got, ret, reterr) || bad_reply(reterr, HOST_FS, key);
}

bool host_direct(struct host *h, const char *path, bool *ret, struct err *reterr)
{
    const char *const key = arena_printf(h->arena, "direct %s", path);
    struct span got;
    if (!call(h, HOST_FS, key, REPLY_MAX, &got, reterr)) {
        return false;
    }
    *ret = span_eq_text(got, "yes");
    if (!*ret && !span_eq_text(got, "no")) {
        err_set(reterr, E_CORRUPT, "neither yes nor no");
        return bad_reply(reterr, HOST_FS, key);
    }
    return true;
}

bool host_extents(struct host *h, const char *path, const char *suffixes, struct host_extents *ret,
                  struct err *reterr)
{
    const char *const key = arena_printf(h->arena, "extents %s %s", suffixes, path);
    struct span got;
    if (!call(h, HOST_FS, key, REPLY_MAX, &got, reterr)) {
        return false;
    }
    return reply_read_extents(got, ret, reterr) || bad_reply(reterr, HOST_FS, key);
}

bool host_super(struct host *h, struct span *ret, struct err *reterr)
{
    struct span got;
    if (!call(h, HOST_FS, "super", HOST_SUPER_BYTES, &got, reterr)) {
        return false;
    }
    if (got.len != HOST_SUPER_BYTES) {
        return err_set(reterr, E_CUT, "the superblock has %zu bytes instead of %u", got.len,
                       HOST_SUPER_BYTES);
    }
    *ret = got;
    return true;
}

bool host_who(struct host *h, struct host_who *ret, struct err *reterr)
{
    struct span got;
    if (!call(h, HOST_WHO, "", REPLY_MAX, &got, reterr)) {
        return false;
    }
    return reply_read_who(got, ret, reterr) || bad_reply(reterr, HOST_WHO, "");
}

bool host_open(struct host *h, const char *what, struct span *ret, struct err *reterr)
{
    return call(h, HOST_OPEN, what, REPLY_MAX, ret, reterr);
}
