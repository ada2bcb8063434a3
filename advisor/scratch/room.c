/* See room.h. */
#include "advisor/scratch/room.h"

#include <errno.h>
#include <string.h>
#include <sys/statvfs.h>

#include "advisor/base/file.h"
#include "advisor/base/parse.h"
#include "advisor/base/str.h"
#include "advisor/base/units.h"

#include "advisor/base/banned.h"

#define TEXT_MAX 65536
#define LEVELS_MAX 64

/* ---- memory ---------------------------------------------------------------------------------- */

static bool text_of(struct arena *a, const char *path, struct span *ret)
{
    struct err err = ERR_INIT;
    return file_read(a, path, TEXT_MAX, ret, &err);
}

static bool number_of(struct arena *a, const char *path, uint64_t *ret)
{
    struct span text;
    return text_of(a, path, &text) && parse_u64(span_trim(text), ret);
}

/* The number behind a word at the start of a line. */
static bool field(struct span text, const char *name, uint64_t *ret)
{
    struct span line, word;
    while (span_line(&text, &line)) {
        if (span_word(&line, &word) && span_eq_text(word, name)) {
            return span_word(&line, &word) && parse_u64(word, ret);
        }
    }
    return false;
}

/* One cgroup's limit, if it has one below what was found so far. File pages count as free. */
static void limit_by(struct arena *a, const char *dir, const char *max, const char *used,
                     const char *const cache[2], struct room *r)
{
    uint64_t limit = 0, usage = 0, part = 0, files = 0;
    struct span stat;
    if (!number_of(a, arena_printf(a, "%s/%s", dir, max), &limit) ||
        !number_of(a, arena_printf(a, "%s/%s", dir, used), &usage)) {
        return;
    }
    if (text_of(a, arena_printf(a, "%s/memory.stat", dir), &stat)) {
        for (size_t i = 0; i < 2; i++) {
            files += field(stat, cache[i], &part) ? part : 0;
        }
    }
    const uint64_t held = usage > files ? usage - files : 0;
    const uint64_t left = limit > held ? limit - held : 0;
    r->total = limit < r->total ? limit : r->total;
    r->available = left < r->available ? left : r->available;
}

/* This cgroup and all above it. */
static void limit_by_all(struct arena *a, const char *mount, struct span path, bool v2,
                         struct room *r)
{
    static const char *const cache_v2[] = {"active_file", "inactive_file"};
    static const char *const cache_v1[] = {"total_active_file", "total_inactive_file"};
    for (unsigned i = 0; i < LEVELS_MAX; i++) {
        const char *const dir = arena_printf(a, "%s%.*s", mount, SPAN_ARG(path));
        if (v2) {
            limit_by(a, dir, "memory.max", "memory.current", cache_v2, r);
        } else {
            limit_by(a, dir, "memory.limit_in_bytes", "memory.usage_in_bytes", cache_v1, r);
        }
        while (path.len > 0 && path.ptr[path.len - 1] != '/') {
            path.len--;
        }
        if (path.len <= 1) {
            return;
        }
        path.len--;
    }
}

static bool has_controller(struct span list, const char *name)
{
    struct span one;
    while (span_split(&list, ',', &one)) {
        if (span_eq_text(one, name)) {
            return true;
        }
    }
    return false;
}

static void limit_by_cgroups(struct arena *a, const char *root, struct room *r)
{
    struct span rest, line, id, controllers;
    if (!text_of(a, arena_printf(a, "%s/proc/self/cgroup", root), &rest)) {
        return;
    }
    const char *const base = arena_printf(a, "%s/sys/fs/cgroup", root);
    while (span_line(&rest, &line)) {
        if (!span_split(&line, ':', &id) || !span_split(&line, ':', &controllers)) {
            continue;
        }
        if (controllers.len == 0) {
            limit_by_all(a, base, line, true, r);
        } else if (has_controller(controllers, "memory")) {
            limit_by_all(a, arena_printf(a, "%s/memory", base), line, false, r);
        }
    }
}

bool room_memory(struct arena *a, const char *root, struct room *ret, struct err *reterr)
{
    struct room r;
    struct span text;
    const char *const path = arena_printf(a, "%s/proc/meminfo", root);
    if (!file_read(a, path, TEXT_MAX, &text, reterr)) {
        return false;
    }
    if (!field(text, "MemTotal:", &r.total) || !field(text, "MemAvailable:", &r.available) ||
        r.total > UINT64_MAX / 1024 || r.available > r.total) {
        return err_set(reterr, E_SYNTAX, "'%s' does not tell how much memory there is", path);
    }
    r.total *= 1024;
    r.available *= 1024;
    limit_by_cgroups(a, root, &r);
    *ret = r;
    return true;
}

/* ---- disk ------------------------------------------------------------------------------------ */

bool room_disk(const char *path, struct room *ret, struct err *reterr)
{
    struct statvfs st;
    if (statvfs(path, &st) != 0) {
        return err_set_errno(reterr, errno, "cannot ask how full the filesystem of '%s' is", path);
    }
    const uint64_t block = st.f_frsize;
    if (block == 0 || st.f_blocks > UINT64_MAX / block) {
        return err_set(reterr, E_NOT_SUPPORTED, "the filesystem of '%s' does not tell its size",
                       path);
    }
    *ret = (struct room){st.f_blocks * block, st.f_bavail * block};
    return true;
}

/* ---- both ------------------------------------------------------------------------------------ */

static void add_bytes(struct buf *b, uint64_t n)
{
    units_print(b, num_u64(n), DIM_BYTES, false);
}

bool room_check(const struct room *r, uint64_t wanted, unsigned left, const char *what,
                struct err *reterr)
{
    const uint64_t keep = r->total / left;
    if (r->available >= wanted && r->available - wanted >= keep) {
        return true;
    }
    ARENA_AUTO a = arena_new();
    struct buf b;
    buf_init(&b, a, 256);
    add_bytes(&b, r->available);
    buf_add_text(&b, " of ");
    add_bytes(&b, r->total);
    buf_add_text(&b, " free, ");
    add_bytes(&b, wanted);
    buf_add_text(&b, " wanted, and ");
    add_bytes(&b, keep);
    buf_printf(&b, " (%u %%) have to stay free", 100 / left);
    err_set(reterr, E_FULL, "no room for a scratch server in %s: %s", what, b.ptr);
    return err_hint(reterr, "Make room there, or try again when less is going on.");
}
