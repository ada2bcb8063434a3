/* See cgroup_io.h. */
#include "probes/cgroup_io.h"

#include <string.h>

#include "advisor/base/parse.h"
#include "probes/ktext.h"

#include "advisor/base/banned.h"

/* ---- lines ----------------------------------------------------------------------------------- */

static bool read_number(struct span word, uint32_t *ret_major, uint32_t *ret_minor)
{
    struct span major;
    uint64_t a, b;
    if (!span_split(&word, ':', &major) || !parse_u64(major, &a) || !parse_u64(word, &b) ||
        a > UINT32_MAX || b > UINT32_MAX) {
        return false;
    }
    *ret_major = (uint32_t)a;
    *ret_minor = (uint32_t)b;
    return true;
}

/* The entry of a device, made where there is none; NULL: there are too many. */
static struct cgroup_io *entry_of(struct arena *a, struct cgroup_io_list *to, uint32_t major,
                                  uint32_t minor)
{
    for (size_t i = 0; i < to->n; i++) {
        if (to->list[i].major == major && to->list[i].minor == minor) {
            return &to->list[i];
        }
    }
    if (to->n == CGROUP_IO_MAX) {
        return NULL;
    }
    to->list = arena_list_room(a, to->list, to->n, sizeof(*to->list));
    struct cgroup_io *e = &to->list[to->n++];
    *e = (struct cgroup_io){major, minor, num_unlimited(), num_unlimited(), num_unlimited()};
    return e;
}

static struct num *part_of(struct cgroup_io *e, enum cgroup_io_what what)
{
    switch (what) {
    case CGROUP_IO_READ_BYTES:
        return &e->read_bytes;
    case CGROUP_IO_WRITE_BYTES:
        return &e->write_bytes;
    case CGROUP_IO_WRITES:
        break;
    }
    return &e->writes;
}

static void lower(struct num *limit, struct num n)
{
    *limit = num_cmp(n, *limit) < 0 ? n : *limit;
}

/* "rbps=2097152", "wiops=max"; words that it does not know are of later kernels. */
static bool read_word(struct span word, struct cgroup_io *e)
{
    static const struct {
        const char *key;
        enum cgroup_io_what what;
    } keys[] = {{"rbps", CGROUP_IO_READ_BYTES},
                {"wbps", CGROUP_IO_WRITE_BYTES},
                {"wiops", CGROUP_IO_WRITES}};
    struct span key;
    struct num n;
    if (!span_has(word, '=') || !span_split(&word, '=', &key)) {
        return false;
    }
    for (size_t i = 0; i < ARRAY_LEN(keys); i++) {
        if (span_eq_text(key, keys[i].key)) {
            if (!cgroup_read_max(word, &n)) {
                return false;
            }
            lower(part_of(e, keys[i].what), n);
        }
    }
    return true;
}

bool cgroup_io_add_max(struct arena *a, struct span text, struct cgroup_io_list *to)
{
    struct span line, word;
    uint32_t major, minor;
    while (span_line(&text, &line)) {
        struct cgroup_io *e = NULL;
        if (!span_word(&line, &word) || !read_number(word, &major, &minor) ||
            (e = entry_of(a, to, major, minor)) == NULL) {
            return false;
        }
        while (span_word(&line, &word)) {
            if (!read_word(word, e)) {
                return false;
            }
        }
    }
    return true;
}

bool cgroup_io_add_throttle(struct arena *a, struct span text, enum cgroup_io_what what,
                            struct cgroup_io_list *to)
{
    struct span line, word, value, more;
    uint32_t major, minor;
    uint64_t n;
    while (span_line(&text, &line)) {
        struct cgroup_io *e = NULL;
        if (!span_word(&line, &word) || !read_number(word, &major, &minor) ||
            !span_word(&line, &value) || !parse_u64(value, &n) || span_word(&line, &more) ||
            (e = entry_of(a, to, major, minor)) == NULL) {
            return false;
        }
        lower(part_of(e, what), num_u64(n));
    }
    return true;
}

/* ---- files ----------------------------------------------------------------------------------- */

/* *ret is empty where the level has no such file. Two readings agree: a table that was cut between two lines
 * looks whole. */
static bool read_file(struct host *h, const char *path, struct span *ret, struct err *reterr)
{
    struct span again;
    if (!ktext_read_again(h, path, 0, ret, reterr)) {
        *ret = (struct span){"", 0};
        return reterr->code == E_ABSENT;
    }
    if (!ktext_read(h, path, 0, &again, reterr)) {
        return false;
    }
    return span_eq(*ret, again) || err_set(reterr, E_CUT, "'%s' changed while it was read", path);
}

static bool read_v1(struct host *h, struct arena *a, const struct cgroup *g,
                    struct cgroup_io_list *ret, struct err *reterr)
{
    static const struct {
        const char *file;
        enum cgroup_io_what what;
    } files[] = {{"blkio.throttle.read_bps_device", CGROUP_IO_READ_BYTES},
                 {"blkio.throttle.write_bps_device", CGROUP_IO_WRITE_BYTES},
                 {"blkio.throttle.write_iops_device", CGROUP_IO_WRITES}};
    for (size_t i = 0; i < ARRAY_LEN(files); i++) {
        struct span text;
        const char *path = cgroup_file(a, g, files[i].file);
        if (!read_file(h, path, &text, reterr) ||
            (!cgroup_io_add_throttle(a, text, files[i].what, ret) &&
             !ktext_bad(reterr, path, "limits of devices"))) {
            return false;
        }
    }
    return true;
}

static bool read_v2(struct host *h, struct arena *a, const struct cgroup *g,
                    struct cgroup_io_list *ret, struct err *reterr)
{
    char *dir = arena_printf(a, "%s%s", g->mount, g->below);
    for (unsigned level = 0; level < CGROUP_LEVELS_MAX; level++) {
        struct span text;
        const char *path = arena_printf(a, "%s/io.max", dir);
        if (!read_file(h, path, &text, reterr) ||
            (!cgroup_io_add_max(a, text, ret) && !ktext_bad(reterr, path, "limits of devices"))) {
            return false;
        }
        if (!cgroup_up(dir, g)) {
            return true;
        }
    }
    return err_set(reterr, E_TOO_BIG, "control group '%s%s' is deeper than %u levels", g->mount,
                   g->below, CGROUP_LEVELS_MAX);
}

bool cgroup_io_read(struct host *h, struct arena *a, const struct cgroup *g,
                    struct cgroup_io_list *ret, struct err *reterr)
{
    struct cgroup_io_list list = {.n = 0};
    if (!g->none && !(g->v2 ? read_v2(h, a, g, &list, reterr) : read_v1(h, a, g, &list, reterr))) {
        return false;
    }
    *ret = list;
    return true;
}
