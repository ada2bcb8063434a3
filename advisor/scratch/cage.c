/* See cage.h. */
#include "advisor/scratch/cage.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include "advisor/base/file.h"
#include "advisor/base/parse.h"
#include "advisor/base/str.h"
#include "advisor/scratch/run.h"

#include "advisor/base/banned.h"

#define PREFIX "nvadvise-scratch."
#define TEXT_MAX 65536
#define PROCESSES_MAX "4096" /* threads of a server with many connections; the end of a fork bomb */
#define ROUNDS 100
#define ROUND_MS 20

static bool text_of(struct arena *a, const char *path, struct span *ret)
{
    struct err err = ERR_INIT;
    return file_read(a, path, TEXT_MAX, ret, &err);
}

static bool put(struct arena *a, const char *dir, const char *file, const char *value)
{
    FD_AUTO fd = open(arena_printf(a, "%s/%s", dir, file), O_WRONLY | O_CLOEXEC | O_NOFOLLOW);
    const ssize_t n = (ssize_t)strlen(value);
    return fd >= 0 && write(fd, value, (size_t)n) == n;
}

/* ---- where ----------------------------------------------------------------------------------- */

/* This process's cgroup of a hierarchy: v2 (controller NULL), or v1 of that controller. */
static bool own_path(struct arena *a, const char *root, const char *controller, struct span *ret)
{
    struct span rest, line, id, list, one;
    if (!text_of(a, arena_printf(a, "%s/proc/self/cgroup", root), &rest)) {
        return false;
    }
    while (span_line(&rest, &line)) {
        if (!span_split(&line, ':', &id) || !span_split(&line, ':', &list)) {
            continue;
        }
        if (controller == NULL && list.len == 0) {
            *ret = line;
            return true;
        }
        while (controller != NULL && span_split(&list, ',', &one)) {
            if (span_eq_text(one, controller)) {
                *ret = line;
                return true;
            }
        }
    }
    return false;
}

static struct span parent_of(struct span path)
{
    while (path.len > 0 && path.ptr[path.len - 1] != '/') {
        path.len--;
    }
    return (struct span){path.ptr, path.len > 0 ? path.len - 1 : 0};
}

static bool gives_memory(struct arena *a, const char *dir)
{
    struct span rest, word;
    if (!text_of(a, arena_printf(a, "%s/cgroup.subtree_control", dir), &rest)) {
        return false;
    }
    while (span_word(&rest, &word)) {
        if (span_eq_text(word, "memory")) {
            return true;
        }
    }
    return false;
}

/* v2: beside our own cgroup or further up, where the memory controller is handed down; a cgroup
 * that holds processes cannot hand it down itself. */
static const char *place_v2(struct arena *a, const char *root)
{
    struct span path;
    if (!own_path(a, root, NULL, &path)) {
        return NULL;
    }
    while (path.len > 0) {
        path = parent_of(path);
        const char *const dir = arena_printf(a, "%s/sys/fs/cgroup%.*s", root, SPAN_ARG(path));
        if (gives_memory(a, dir)) {
            return dir;
        }
    }
    return NULL;
}

static const char *place_v1(struct arena *a, const char *root, const char *controller)
{
    struct span path;
    if (!own_path(a, root, controller, &path)) {
        return NULL;
    }
    const char *const top = arena_printf(a, "%s/sys/fs/cgroup/%s", root, controller);
    const char *const dir =
        arena_printf(a, "%s%s", top, span_eq_text(path, "/") ? "" : span_dup(a, path));
    /* In a container the path may be the host's, of which nothing is to be seen here. */
    return access(dir, W_OK) == 0 ? dir : top;
}

/* ---- making ---------------------------------------------------------------------------------- */

/* The whole disk of a partition: what limits are set on. */
static const char *disk_number(struct arena *a, const char *root, dev_t d)
{
    struct span text;
    const char *const dir = arena_printf(a, "%s/sys/dev/block/%u:%u", root, major(d), minor(d));
    if (text_of(a, arena_printf(a, "%s/partition", dir), &text) &&
        text_of(a, arena_printf(a, "%s/../dev", dir), &text)) {
        return span_dup(a, span_trim(text));
    }
    return arena_printf(a, "%u:%u", major(d), minor(d));
}

static void add_line(struct buf *b, const char *text)
{
    if (b->len > 0) {
        buf_add_char(b, '\n');
    }
    buf_add_text(b, text);
}

static const char *make_folder(struct arena *a, const char *place, const char *name)
{
    const char *const dir = place != NULL ? arena_printf(a, "%s/%s", place, name) : NULL;
    return dir != NULL && mkdir(dir, 0755) == 0 ? dir : NULL;
}

static const char *number_text(struct arena *a, uint64_t n)
{
    return arena_printf(a, "%llu", (unsigned long long)n);
}

static bool make_v2(struct arena *a, const char *root, const struct cage_limits *l,
                    struct buf *paths, struct buf *note)
{
    const char *const dir = make_folder(a, place_v2(a, root), l->name);
    if (dir == NULL) {
        return false;
    }
    if (!put(a, dir, "memory.max", number_text(a, l->memory))) {
        (void)rmdir(dir);
        return false;
    }
    (void)put(a, dir, "memory.swap.max", "0");
    (void)put(a, dir, "memory.oom.group", "1");
    (void)put(a, dir, "pids.max", PROCESSES_MAX);
    if (!l->full_speed) {
        (void)put(a, dir, "io.weight", "10");
    }
    if (l->disk_rate != 0) {
        const char *const rate = number_text(a, l->disk_rate);
        if (!put(
                a, dir, "io.max",
                arena_printf(a, "%s rbps=%s wbps=%s", disk_number(a, root, l->disk), rate, rate))) {
            add_line(note, "no limit for its disk traffic: the cgroup has no io controller");
        }
    }
    add_line(paths, dir);
    return true;
}

static void limit_disk_v1(struct arena *a, const char *root, const struct cage_limits *l,
                          struct buf *paths, struct buf *note)
{
    const char *const dir = make_folder(a, place_v1(a, root, "blkio"), l->name);
    const char *const rate =
        arena_printf(a, "%s %llu", disk_number(a, root, l->disk), (unsigned long long)l->disk_rate);
    if (dir != NULL) {
        add_line(paths, dir);
    }
    if (dir != NULL && !l->full_speed && !put(a, dir, "blkio.bfq.weight", "10")) {
        (void)put(a, dir, "blkio.weight", "10");
    }
    if (l->disk_rate != 0 && (dir == NULL || !put(a, dir, "blkio.throttle.read_bps_device", rate) ||
                              !put(a, dir, "blkio.throttle.write_bps_device", rate))) {
        add_line(note, "no limit for its disk traffic: no blkio cgroup to be had");
    }
}

static bool make_v1(struct arena *a, const char *root, const struct cage_limits *l,
                    struct buf *paths, struct buf *note)
{
    const char *const dir = make_folder(a, place_v1(a, root, "memory"), l->name);
    if (dir == NULL) {
        return false;
    }
    if (!put(a, dir, "memory.limit_in_bytes", number_text(a, l->memory))) {
        (void)rmdir(dir);
        return false;
    }
    (void)put(a, dir, "memory.swappiness", "0");
    add_line(paths, dir);
    limit_disk_v1(a, root, l, paths, note);
    const char *const pids = make_folder(a, place_v1(a, root, "pids"), l->name);
    if (pids != NULL) {
        (void)put(a, pids, "pids.max", PROCESSES_MAX);
        add_line(paths, pids);
    }
    return true;
}

const char *cage_places(struct arena *a, const char *root, const char *name)
{
    static const char *const controllers[] = {"memory", "blkio", "pids"};
    struct buf b;
    const char *place = place_v2(a, root);
    buf_init(&b, a, TEXT_MAX);
    if (place != NULL) {
        add_line(&b, arena_printf(a, "%s/%s", place, name));
    }
    for (size_t i = 0; i < ARRAY_LEN(controllers); i++) {
        place = place_v1(a, root, controllers[i]);
        if (place != NULL) {
            add_line(&b, arena_printf(a, "%s/%s", place, name));
        }
    }
    return b.ptr != NULL ? b.ptr : "";
}

void cage_make(struct arena *a, const char *root, const struct cage_limits *limits,
               struct cage *ret)
{
    struct buf paths, note;
    buf_init(&paths, a, TEXT_MAX);
    buf_init(&note, a, TEXT_MAX);
    if (!make_v2(a, root, limits, &paths, &note) && !make_v1(a, root, limits, &paths, &note)) {
        add_line(&note, "no cgroup of its own: its memory is held by its settings alone");
    }
    *ret = (struct cage){arena_strndup(a, paths.ptr != NULL ? paths.ptr : "", paths.len),
                         arena_strndup(a, note.ptr != NULL ? note.ptr : "", note.len)};
}

bool cage_enter(const struct cage *c, pid_t pid, struct err *reterr)
{
    ARENA_AUTO a = arena_new();
    struct span rest = span_of(c->paths), line;
    while (span_line(&rest, &line)) {
        const char *const dir = span_dup(a, line);
        if (!put(a, dir, "cgroup.procs", number_text(a, (uint64_t)pid))) {
            return err_set_errno(reterr, errno, "cannot put process %d into cgroup '%s'", (int)pid,
                                 dir);
        }
    }
    return true;
}

/* ---- removing -------------------------------------------------------------------------------- */

static void kill_all(struct arena *a, const char *dir)
{
    struct span rest, word;
    uint64_t pid = 0;
    if (put(a, dir, "cgroup.kill", "1") ||
        !text_of(a, arena_printf(a, "%s/cgroup.procs", dir), &rest)) {
        return;
    }
    while (span_word(&rest, &word)) {
        if (parse_u64(word, &pid) && pid > 1 && pid <= INT32_MAX && (pid_t)pid != getpid()) {
            (void)kill((pid_t)pid, SIGKILL);
        }
    }
}

void cage_remove(struct arena *a, const char *paths)
{
    struct span rest = span_of(paths), line;
    while (span_line(&rest, &line)) {
        const char *const dir = span_dup(a, line);
        const char *const slash = strrchr(dir, '/');
        if (slash == NULL || strncmp(slash + 1, PREFIX, strlen(PREFIX)) != 0) {
            continue;
        }
        for (unsigned i = 0; i < ROUNDS && rmdir(dir) != 0 && errno == EBUSY; i++) {
            kill_all(a, dir);
            run_sleep_ms(ROUND_MS);
        }
    }
}
