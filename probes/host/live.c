/* The live backend: sends each operation to the file that does it, and keeps the state of one
 * probe's host. Knows nothing of what replies mean. */
#include "probes/host/host.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <linux/capability.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/utsname.h>
#include <time.h>
#include <unistd.h>

#include "advisor/base/parse.h"
#include "probes/host/live.h"
#include "probes/host/reply.h"

#include "advisor/base/banned.h"

static bool live_clock(struct live *l, struct span *ret, struct err *reterr)
{
    struct timespec ts;
    if (clock_gettime(CLOCK_REALTIME, &ts) != 0) {
        return err_set_errno(reterr, errno, "cannot read the clock");
    }
    *ret = span_of(arena_printf(l->arena, "%" PRId64, (int64_t)ts.tv_sec));
    return true;
}

static bool live_uname(struct live *l, struct span *ret, struct err *reterr)
{
    struct utsname u;
    if (uname(&u) != 0) {
        return err_set_errno(reterr, errno, "cannot read the system's name");
    }
    const struct host_uname names = {.sysname = span_of(u.sysname),
                                     .nodename = span_of(u.nodename),
                                     .release = span_of(u.release),
                                     .version = span_of(u.version),
                                     .machine = span_of(u.machine)};
    *ret = reply_uname(l->arena, &names);
    return true;
}

static bool live_who(struct live *l, struct span *ret, struct err *reterr)
{
    struct __user_cap_header_struct head = {.version = _LINUX_CAPABILITY_VERSION_3};
    struct __user_cap_data_struct caps[_LINUX_CAPABILITY_U32S_3];
    memset(caps, 0, sizeof(caps));
    if (syscall(SYS_capget, &head, caps) != 0) {
        return err_set_errno(reterr, errno, "cannot read our capabilities");
    }
    const struct host_who who = {.uid = geteuid(),
                                 .gid = getegid(),
                                 .sys_admin = (caps[0].effective & (1u << CAP_SYS_ADMIN)) != 0};
    *ret = reply_who(l->arena, &who);
    return true;
}

/* Opened as root before the drop; the kernel checks that we may look into that process. */
static bool open_root(struct live *l, const char *pid, struct span *ret, struct err *reterr)
{
    uint64_t number = 0;
    if (!parse_u64(span_of(pid), &number) || number == 0 || number > INT32_MAX) {
        return err_set(reterr, E_USAGE, "no process number: '%s'", pid);
    }
    if (l->server_root >= 0) {
        return err_set(reterr, E_USAGE, "a server's root is open already");
    }
    const char *const path = arena_printf(l->arena, "/proc/%" PRIu64 "/root", number);
    const int fd = open(path, O_PATH | O_DIRECTORY | O_CLOEXEC);
    if (fd < 0) {
        return live_fail(reterr, errno, "open", path);
    }
    const char *const ns = arena_printf(l->arena, "/proc/%" PRIu64 "/ns/mnt", number);
    char text[128];
    const ssize_t n = readlink(ns, text, sizeof(text));
    l->server_root = fd;
    *ret =
        (struct span){arena_strndup(l->arena, text, n < 0 ? 0 : (size_t)n), n < 0 ? 0 : (size_t)n};
    return true;
}

static bool live_open(struct live *l, const char *what, struct span *ret, struct err *reterr)
{
    if (strncmp(what, "root ", 5) == 0) {
        return open_root(l, what + 5, ret, reterr);
    }
    if (strncmp(what, "nvme ", 5) == 0) {
        return live_nvme_open(l, what + 5, ret, reterr);
    }
    if (strncmp(what, "super ", 6) == 0) {
        return live_super_open(l, what + 6, ret, reterr);
    }
    if (strcmp(what, "sql") == 0) {
        return live_sql_open(l, ret, reterr);
    }
    return err_set(reterr, E_USAGE, "there is no way to open '%s'", what);
}

static bool dispatch(struct live *l, const struct host_request *rq, struct span *ret,
                     struct err *reterr)
{
    switch (rq->op) {
    case HOST_READ:
        return strncmp(rq->key, "at ", 3) == 0 ? live_pci(l, rq->key + 3, ret, reterr)
                                               : live_read(l, rq->key, rq->max_bytes, ret, reterr);
    case HOST_LIST:
        return live_list(l, rq->key, ret, reterr);
    case HOST_LINK:
        return live_link(l, rq->key, ret, reterr);
    case HOST_STAT:
        return live_stat(l, rq->key, ret, reterr);
    case HOST_STATFS:
        return live_statfs(l, rq->key, ret, reterr);
    case HOST_NVME:
        return live_nvme(l, rq->key, ret, reterr);
    case HOST_UDEV:
        return live_udev(l, rq->key, ret, reterr);
    case HOST_SQL:
        return live_sql(l, rq->key, ret, reterr);
    case HOST_EXEC:
        return live_exec(l, rq->key, rq->max_bytes, ret, reterr);
    case HOST_CLOCK:
        return live_clock(l, ret, reterr);
    case HOST_UNAME:
        return live_uname(l, ret, reterr);
    case HOST_SIZE:
        return live_size(l, rq->key, ret, reterr);
    case HOST_FS:
        return live_fs(l, rq->key, ret, reterr);
    case HOST_WHO:
        return live_who(l, ret, reterr);
    case HOST_OPTFILE:
        return live_optfile(l, rq->key, ret, reterr);
    case HOST_OPEN:
        return live_open(l, rq->key, ret, reterr);
    case HOST_OPS:
        break;
    }
    return err_set(reterr, E_INTERNAL, "no such operation: %u", (unsigned)rq->op);
}

/* Paths and servers put any byte into a message; a capture's JSON cannot hold them, and a report
 * from it must be the same as from here. */
static void make_utf8(char *text)
{
    if (span_is_utf8(span_of(text))) {
        return;
    }
    for (char *p = text; *p != '\0'; p++) {
        if ((unsigned char)*p >= 0x80) {
            *p = '?';
        }
    }
}

static bool live_call(struct host *h, const struct host_request *rq, struct span *ret,
                      struct err *reterr)
{
    struct live *const l = h->state;
    if (l->closed) {
        return err_set(reterr, E_INTERNAL, "the host is closed");
    }
    if (dispatch(l, rq, ret, reterr)) {
        return true;
    }
    make_utf8(reterr->text);
    make_utf8(reterr->hint);
    for (unsigned i = 0; i < reterr->n_frames; i++) {
        make_utf8(reterr->frames[i]);
    }
    return false;
}

static const struct host_backend live_backend = {.call = live_call};

struct host *host_live_new(struct arena *a, const struct host_sql_login *login)
{
    struct live *const l = arena_alloc(a, sizeof(*l));
    /* When this fails every path fails with the reason. */
    *l = (struct live){.arena = a,
                       .own_root = open("/", O_PATH | O_DIRECTORY | O_CLOEXEC),
                       .server_root = -1,
                       .super_fd = -1,
                       .login = login};
    struct host *const h = arena_alloc(a, sizeof(*h));
    *h = (struct host){.backend = &live_backend, .state = l, .arena = a};
    return h;
}

void host_live_close(struct host *h)
{
    struct live *const l = h->state;
    if (l->closed) {
        return;
    }
    l->closed = true;
    live_sql_close(l);
    live_nvme_close(l);
    if (l->super_fd >= 0) {
        close(l->super_fd);
    }
    if (l->server_root >= 0) {
        close(l->server_root);
    }
    if (l->own_root >= 0) {
        close(l->own_root);
    }
}
