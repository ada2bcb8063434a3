/* See proc_scan.h. What cannot be read is read once more before it counts: a process that ends
 * while we look gives the same error twice, an accident does not. */
#include "probes/proc_scan.h"

#include <stdlib.h>
#include <string.h>

#include "advisor/base/parse.h"
#include "probes/ktext.h"

#include "advisor/base/banned.h"

#define KTHREADD 2u /* the first kernel thread: seen from the host's own process namespace only */

bool proc_is_server_name(struct span name)
{
    static const char *const names[] = {"mysqld", "mariadbd"};
    static const char *const tails[] = {"", "-debug", ".bin"};
    for (size_t i = 0; i < ARRAY_LEN(names); i++) {
        if (!span_starts(name, names[i])) {
            continue;
        }
        struct span tail = span_sub(name, strlen(names[i]), name.len);
        for (size_t k = 0; k < ARRAY_LEN(tails); k++) {
            if (span_eq_text(tail, tails[k])) {
                return true;
            }
        }
        /* A version: mysqld-8.0, mysqld8, mariadbd-10.11.9 */
        tail = tail.ptr[0] == '-' || tail.ptr[0] == '.' ? span_sub(tail, 1, tail.len) : tail;
        size_t digits = 0;
        while (digits < tail.len &&
               (tail.ptr[digits] == '.' || (tail.ptr[digits] >= '0' && tail.ptr[digits] <= '9'))) {
            digits++;
        }
        return tail.len > 0 && digits == tail.len && tail.ptr[0] != '.';
    }
    return false;
}

bool proc_read_statm(struct span text, uint64_t *ret_size, uint64_t *ret_resident,
                     uint64_t *ret_shared)
{
    uint64_t fields[7];
    for (size_t i = 0; i < ARRAY_LEN(fields); i++) {
        struct span word;
        if (!span_word(&text, &word) || !parse_u64(word, &fields[i])) {
            return false;
        }
    }
    *ret_size = fields[0];
    *ret_resident = fields[1];
    *ret_shared = fields[2] < fields[1] ? fields[2] : fields[1];
    return span_trim(text).len == 0;
}

bool proc_read_socket_link(struct span text, uint64_t *ret_inode)
{
    if (!span_starts(text, "socket:[") || !span_ends(text, "]")) {
        return false;
    }
    return parse_u64(span_sub(text, 8, text.len - 9), ret_inode);
}

/* ---- one process ----------------------------------------------------------------------------- */

enum look { LOOK_OK, LOOK_GONE, LOOK_DENIED, LOOK_BROKEN };

static bool read_once(struct host *h, struct arena *a, uint64_t pid, const char *file,
                      struct span *ret, struct err *reterr)
{
    const char *path = arena_printf(a, "/proc/%llu/%s", (unsigned long long)pid, file);
    return ktext_read(h, path, 0, ret, reterr);
}

static enum look read_twice(struct host *h, struct arena *a, uint64_t pid, const char *file,
                            struct span *ret, struct err *reterr)
{
    if (read_once(h, a, pid, file, ret, reterr) || read_once(h, a, pid, file, ret, reterr)) {
        return LOOK_OK;
    }
    if (reterr->code == E_ABSENT) {
        return LOOK_GONE;
    }
    return reterr->code == E_DENIED ? LOOK_DENIED : LOOK_BROKEN;
}

/* *ret_user: it has memory of its own, so it is no kernel thread and no zombie; else only the comm
 * of kthreadd is read. */
static enum look look_at(struct host *h, struct arena *a, uint64_t pid, struct proc_process *ret,
                         bool *ret_user, struct err *reterr)
{
    struct span text;
    uint64_t size = 0;
    *ret = (struct proc_process){.pid = pid};
    enum look look = read_twice(h, a, pid, "statm", &text, reterr);
    if (look != LOOK_OK) {
        return look;
    }
    if (!proc_read_statm(text, &size, &ret->resident, &ret->shared)) {
        err_set(reterr, E_SYNTAX, "'/proc/%llu/statm' is malformed", (unsigned long long)pid);
        return LOOK_BROKEN;
    }
    *ret_user = size > 0;
    if (size == 0 && pid != KTHREADD) {
        return LOOK_OK;
    }
    return read_twice(h, a, pid, "comm", &ret->comm, reterr);
}

/* A link's text has no end mark that would prove it whole, so two readings must agree. */
static void read_link(struct host *h, struct arena *a, uint64_t pid, const char *name,
                      struct proc_link *ret)
{
    const char *path = arena_printf(a, "/proc/%llu/%s", (unsigned long long)pid, name);
    struct span again;
    ret->err = ERR_INIT;
    ret->known = host_link(h, path, &ret->text, &ret->err) && host_link(h, path, &again, &ret->err);
    if (ret->known && !span_eq(again, ret->text)) {
        ret->known = err_set(&ret->err, E_CUT, "'%s' changed while it was read", path);
    }
}

static struct span base_name(struct span path)
{
    size_t from = path.len;
    while (from > 0 && path.ptr[from - 1] != '/') {
        from--;
    }
    return span_sub(path, from, path.len);
}

/* A script of that name shows its interpreter as exe. Where the exe cannot be seen the name
 * decides; an emulator stands for what it runs. */
static bool exe_agrees(const struct proc_link *exe)
{
    if (!exe->known) {
        return true;
    }
    struct span base = base_name(exe->text);
    if (span_ends(base, PROC_DELETED)) {
        base.len -= strlen(PROC_DELETED);
    }
    return proc_is_server_name(base) || span_starts(base, "qemu-");
}

static int compare_u64(const void *left, const void *right)
{
    const uint64_t *a = left, *b = right;
    return (*a > *b) - (*a < *b);
}

/* The sockets among its first descriptors. */
static void read_fds(struct host *h, struct arena *a, struct proc_server *s)
{
    unsigned long long pid = s->process.pid;
    struct host_names names;
    s->fds_err = ERR_INIT;
    if (!host_list(h, arena_printf(a, "/proc/%llu/fd", pid), &names, &s->fds_err)) {
        return;
    }
    uint64_t *fds = arena_calloc(a, names.n, sizeof(*fds));
    size_t n = 0;
    for (size_t i = 0; i < names.n; i++) {
        n += parse_u64(names.names[i], &fds[n]) ? 1 : 0;
    }
    if (n > 1) {
        qsort(fds, n, sizeof(*fds), compare_u64);
    }
    for (size_t i = 0; i < n && i < PROC_FDS_MAX && s->n_sockets < PROC_SOCKETS_MAX; i++) {
        struct span text;
        const char *path = arena_printf(a, "/proc/%llu/fd/%llu", pid, (unsigned long long)fds[i]);
        if (host_link(h, path, &text, &s->fds_err) &&
            proc_read_socket_link(text, &s->sockets[s->n_sockets])) {
            s->n_sockets++;
        }
    }
    s->fds_known = true;
}

static void add_server(struct host *h, struct arena *a, const struct proc_process *p,
                       struct proc_scan *scan, bool *ret_crowded)
{
    struct proc_link exe;
    read_link(h, a, p->pid, "exe", &exe);
    if (!exe_agrees(&exe)) {
        return;
    }
    if (scan->n_servers == PROC_SERVERS_MAX) {
        *ret_crowded = true;
        return;
    }
    scan->servers = arena_list_room(a, scan->servers, scan->n_servers, sizeof(*scan->servers));
    struct proc_server *s = &scan->servers[scan->n_servers++];
    s->process = *p;
    s->exe = exe;
    read_link(h, a, p->pid, "cwd", &s->cwd);
    read_link(h, a, p->pid, "root", &s->root);
    read_fds(h, a, s);
}

/* ---- all of them ----------------------------------------------------------------------------- */

/* Names come in byte order, digits before letters: with "self" all numbers are there. */
static bool list_once(struct host *h, struct host_names *ret, struct err *reterr)
{
    struct host_names names;
    if (!host_list(h, "/proc", &names, reterr)) {
        return false;
    }
    for (size_t i = 0; i < names.n; i++) {
        if (span_eq_text(names.names[i], "self")) {
            *ret = names;
            return true;
        }
    }
    return err_set(reterr, E_CUT, "the list of '/proc' is not whole");
}

static bool list_pids(struct host *h, struct arena *a, uint64_t **ret, size_t *ret_n,
                      struct err *reterr)
{
    struct host_names names = {.n = 0};
    if (!list_once(h, &names, reterr) && !list_once(h, &names, reterr)) {
        return false;
    }
    uint64_t *pids = arena_calloc(a, names.n, sizeof(*pids));
    size_t n = 0;
    for (size_t i = 0; i < names.n; i++) {
        n += parse_u64(names.names[i], &pids[n]) ? 1 : 0;
    }
    if (n > 1) {
        qsort(pids, n, sizeof(*pids), compare_u64);
    }
    *ret = pids;
    *ret_n = n;
    return true;
}

/* Bytes of a page: our own size in kB and in pages. They are read one after the other, so they
 * agree nearly, and a page is a power of two. */
static void find_page(struct host *h, struct proc_scan *scan)
{
    struct span status, statm;
    uint64_t kib = 0, pages = 0, resident = 0, shared = 0;
    if (!ktext_read(h, "/proc/self/status", 0, &status, &scan->page_err) ||
        !ktext_read(h, "/proc/self/statm", 0, &statm, &scan->page_err)) {
        return;
    }
    if (ktext_field_u64(status, "VmSize", &kib) &&
        proc_read_statm(statm, &pages, &resident, &shared) && kib < UINT64_MAX / 8) {
        for (uint64_t page = 4; page <= 64; page *= 2) {
            if (pages < UINT64_MAX / 512 && kib * 4 >= pages * page * 3 &&
                kib * 3 <= pages * page * 4) {
                scan->page_bytes = page * 1024;
                return;
            }
        }
    }
    err_set(&scan->page_err, E_SYNTAX, "'/proc/self/statm' does not fit '/proc/self/status'");
}

struct tally {
    uint64_t seen, denied, broken;
    bool has_init, has_kthreadd, crowded;
    struct err err; /* of the last broken one */
};

static void judge(struct proc_scan *scan, const struct tally *t)
{
    if (t->broken > 0) {
        scan->err = t->err;
    } else if (t->crowded) {
        err_set(&scan->err, E_LIMIT, "more than %u processes are servers by name: the others were not "
                                     "looked at",
                PROC_SERVERS_MAX);
        err_hint(&scan->err, "Name the server that is meant: --socket PATH.");
    } else if (t->denied > 0 || !t->has_init) {
        err_set(&scan->err, E_DENIED, "/proc hides other users' processes (hidepid)");
        err_hint(&scan->err, "Run as root, or in the group that the gid option of /proc names.");
    } else if (!t->has_kthreadd) {
        err_set(&scan->err, E_DENIED, "only the processes of this process namespace are seen");
        err_hint(&scan->err, "Run on the host itself, or in its process namespace (--pid=host).");
    } else {
        scan->all = true;
    }
}

/* Only ext4 has threads that matter, and a host has hundreds of others. */
static bool has_ext4(struct host *h, struct proc_scan *scan)
{
    struct host_names names;
    struct err err = ERR_INIT;
    const bool listed =
        host_list(h, "/proc/fs/ext4", &names, &err) || host_list(h, "/proc/fs/ext4", &names, &err);
    scan->no_ext4 = listed ? names.n == 0 : err.code == E_ABSENT;
    return listed && names.n > 0;
}

/* A thread of the kernel, or a zombie: no memory of its own. */
static void look_at_thread(struct host *h, struct arena *a, uint64_t pid, struct proc_scan *scan)
{
    struct span comm;
    struct err err = ERR_INIT;
    if (read_twice(h, a, pid, "comm", &comm, &err) == LOOK_OK) {
        scan->lazy_init = scan->lazy_init || span_eq_text(comm, "ext4lazyinit");
    } else if (err.code != E_ABSENT) {
        scan->threads_known = false;
    }
}

static void scan_pids(struct host *h, struct arena *a, const uint64_t *pids, size_t n,
                      struct proc_scan *scan, struct tally *t)
{
    for (size_t i = 0; i < n; i++) {
        struct proc_process p;
        bool user = false;
        struct err err = ERR_INIT;
        enum look look = look_at(h, a, pids[i], &p, &user, &err);
        if (look == LOOK_DENIED) {
            t->denied++;
        } else if (look == LOOK_BROKEN) {
            t->broken++;
            t->err = err;
        }
        if (look != LOOK_OK) {
            continue;
        }
        t->has_init = t->has_init || p.pid == 1;
        t->has_kthreadd =
            t->has_kthreadd || (p.pid == KTHREADD && !user && span_eq_text(p.comm, "kthreadd"));
        if (!user) {
            if (scan->threads_known && p.pid != KTHREADD) {
                look_at_thread(h, a, p.pid, scan);
            }
            continue;
        }
        scan->processes++;
        scan->private_pages += p.resident - p.shared;
        scan->irqbalance = scan->irqbalance || span_eq_text(p.comm, "irqbalance");
        if (proc_is_server_name(p.comm)) {
            add_server(h, a, &p, scan, &t->crowded);
        }
    }
}

void proc_scan_run(struct host *h, struct arena *a, struct proc_scan *ret)
{
    struct proc_scan scan = {.err = ERR_INIT, .page_err = ERR_INIT};
    struct tally t = {.err = ERR_INIT};
    uint64_t *pids = NULL;
    size_t n = 0;
    if (list_pids(h, a, &pids, &n, &scan.err)) {
        find_page(h, &scan);
        scan.threads_known = has_ext4(h, &scan);
        scan_pids(h, a, pids, n, &scan, &t);
        judge(&scan, &t);
        scan.threads_known = scan.threads_known && scan.all;
    } else {
        scan.page_err = scan.err;
    }
    *ret = scan;
}
