/* NVMe admin pages through libnvme: the only file that includes it. Identify, get-log and
 * get-feature, and of these only what reading does not change.
 *
 * No call here takes a timeout, ever: when an admin command times out the kernel resets the
 * controller. A device that does not answer costs this child, which the parent leaves behind. */
#include "probes/host/live.h"

#include <errno.h>
#include <inttypes.h>
#include <string.h>
#include <unistd.h>

#if NV_HAVE_NVME
#include <libnvme.h>
#endif

#include "advisor/base/parse.h"

#include "advisor/base/banned.h"

#if NV_HAVE_NVME

#define CONTROLLERS_MAX 8
#define PAGE_BYTES 4096u

struct live_nvme {
    struct {
        char name[16];
        int fd;
    } open[CONTROLLERS_MAX]; /* the paths of a multipath head are several controllers */
    unsigned n;
};

/* Not here: telemetry (07h, 08h) and persistent events (0Dh), which make or hold a snapshot;
 * vendors'. */
static const uint8_t logs_allowed[] = {0x00, 0x01, 0x02, 0x03, 0x05, 0x06, 0x09, 0x0c, 0x81};
/* Not here: those that give data, and those of vendors. */
static const uint8_t features_allowed[] = {0x01, 0x02, 0x04, 0x05, 0x06, 0x07, 0x08, 0x0a, 0x0b};

static bool is_controller_name(const char *name)
{
    uint64_t n = 0;
    return strncmp(name, "nvme", 4) == 0 && parse_u64(span_of(name + 4), &n) && n < 1000000;
}

bool live_nvme_open(struct live *l, const char *name, struct span *ret, struct err *reterr)
{
    if (!is_controller_name(name)) {
        return err_set(reterr, E_USAGE, "'%s' is not the name of an NVMe controller", name);
    }
    if (l->nvme == NULL) {
        l->nvme = arena_alloc(l->arena, sizeof(*l->nvme));
    }
    if (l->nvme->n == CONTROLLERS_MAX) {
        return err_set(reterr, E_LIMIT, "more than %d controllers for one disk", CONTROLLERS_MAX);
    }
    const int fd = nvme_open(name);
    if (fd < 0) {
        const char *const node = arena_printf(l->arena, "/dev/%s", name);
        return live_fail(reterr, errno, "open", node);
    }
    l->nvme->open[l->nvme->n].fd = fd;
    memcpy(l->nvme->open[l->nvme->n].name, name, strlen(name) + 1);
    l->nvme->n++;
    *ret = span_of(arena_printf(l->arena, "/dev/%s", name));
    return true;
}

void live_nvme_close(struct live *l)
{
    for (unsigned i = 0; l->nvme != NULL && i < l->nvme->n; i++) {
        close(l->nvme->open[i].fd);
    }
}

struct question {
    struct span name, page;
    uint32_t number[3];
    unsigned n;
};

static bool read_question(const char *key, struct question *ret)
{
    struct span rest = span_of(key), word;
    struct question q = {.n = 0};
    if (!span_word(&rest, &q.name) || !span_word(&rest, &q.page)) {
        return false;
    }
    while (span_word(&rest, &word)) {
        uint64_t v = 0;
        if (q.n == ARRAY_LEN(q.number) || !parse_u64(word, &v) || v > UINT32_MAX) {
            return false;
        }
        q.number[q.n++] = (uint32_t)v;
    }
    *ret = q;
    return true;
}

static int find_fd(const struct live *l, struct span name)
{
    for (unsigned i = 0; l->nvme != NULL && i < l->nvme->n; i++) {
        if (span_eq_text(name, l->nvme->open[i].name)) {
            return l->nvme->open[i].fd;
        }
    }
    return -1;
}

static bool is_allowed(const uint8_t *list, size_t n, uint32_t id)
{
    return id <= UINT8_MAX && memchr(list, (int)id, n) != NULL;
}

/* -1 with errno: the kernel refused; above 0: the controller's status. */
static bool finish(int rc, const char *key, struct err *reterr)
{
    if (rc == 0) {
        return true;
    }
    if (rc < 0) {
        return live_fail(reterr, errno, "read NVMe page", key);
    }
    const unsigned status = (unsigned)rc & 0x7ff; /* type and code, without the retry bits */
    /* Generic 02h invalid field, 0Bh invalid namespace; command specific 09h invalid log page. */
    const enum err_code code =
        status == 0x02 || status == 0x0b || status == 0x109 ? E_NOT_SUPPORTED : E_IO;
    return err_set(reterr, code, "cannot read NVMe page '%s': the controller answers status 0x%x",
                   key, status);
}

static bool get_feature(struct live *l, int fd, const struct question *q, const char *key,
                        struct span *ret, struct err *reterr)
{
    uint32_t result = 0;
    const int rc =
        nvme_get_features_simple(fd, (enum nvme_features_id)q->number[0], q->number[1], &result);
    if (!finish(rc, key, reterr)) {
        return false;
    }
    char *const bytes = arena_alloc(l->arena, 4);
    for (unsigned i = 0; i < 4; i++) {
        bytes[i] = (char)(unsigned char)(result >> (8 * i));
    }
    *ret = (struct span){bytes, 4};
    return true;
}

static bool get_page(struct live *l, int fd, const struct question *q, const char *key,
                     struct span *ret, struct err *reterr)
{
    char *const page = arena_alloc(l->arena, PAGE_BYTES);
    uint32_t bytes = PAGE_BYTES;
    int rc = 0;
    if (span_eq_text(q->page, "id-ctrl") && q->n == 0) {
        rc = nvme_identify_ctrl(fd, (struct nvme_id_ctrl *)(void *)page);
    } else if (span_eq_text(q->page, "id-ns") && q->n == 1) {
        rc = nvme_identify_ns(fd, q->number[0], (struct nvme_id_ns *)(void *)page);
    } else if (span_eq_text(q->page, "log") && q->n == 3 && q->number[2] >= 4 &&
               q->number[2] <= PAGE_BYTES && q->number[2] % 4 == 0 &&
               is_allowed(logs_allowed, sizeof(logs_allowed), q->number[0])) {
        bytes = q->number[2];
        /* true: keep asynchronous events. Whoever watches this controller still gets them. */
        rc = nvme_get_nsid_log(fd, true, (enum nvme_cmd_get_log_lid)q->number[0], q->number[1],
                               bytes, page);
    } else {
        return err_set(reterr, E_USAGE, "no such NVMe page is ever read: '%s'", key);
    }
    if (!finish(rc, key, reterr)) {
        return false;
    }
    *ret = (struct span){page, bytes};
    return true;
}

bool live_nvme(struct live *l, const char *key, struct span *ret, struct err *reterr)
{
    struct question q;
    if (!read_question(key, &q)) {
        return err_set(reterr, E_USAGE, "no such NVMe page is ever read: '%s'", key);
    }
    const int fd = find_fd(l, q.name);
    if (fd < 0) {
        return err_set(reterr, E_USAGE, "controller '%.*s' was not opened", SPAN_ARG(q.name));
    }
    if (span_eq_text(q.page, "feature") && q.n == 2 &&
        is_allowed(features_allowed, sizeof(features_allowed), q.number[0])) {
        return get_feature(l, fd, &q, key, ret, reterr);
    }
    return get_page(l, fd, &q, key, ret, reterr);
}

#else

static bool not_built_in(struct err *reterr)
{
    err_set(reterr, E_ABSENT, "NVMe pages: not built in");
    return err_hint(reterr, "Build nvadvise with libnvme.");
}

bool live_nvme_open(struct live *l, const char *name, struct span *ret, struct err *reterr)
{
    (void)l;
    (void)name;
    (void)ret;
    return not_built_in(reterr);
}

bool live_nvme(struct live *l, const char *key, struct span *ret, struct err *reterr)
{
    (void)l;
    (void)key;
    (void)ret;
    return not_built_in(reterr);
}

void live_nvme_close(struct live *l)
{
    (void)l;
}

#endif
