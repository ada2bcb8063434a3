/* NVMe admin pages: Identify, Get Log Page and Get Features, and of these only what reading does not
 * change. Knows which commands there are; how one is sent is nvme_lib.c's. */
#include "probes/host/live.h"

#include <errno.h>
#include <inttypes.h>
#include <string.h>

#include "advisor/base/parse.h"
#include "probes/host/nvme_lib.h"

#include "advisor/base/banned.h"

#define CONTROLLERS_MAX 8
#define PAGE_BYTES 4096u
#define GET_LOG_PAGE 0x02u
#define IDENTIFY 0x06u
#define GET_FEATURES 0x0au
#define RETAIN_EVENTS (1u << 15) /* whoever watches this controller still gets its events */

struct live_nvme {
    struct {
        char name[16];
        struct nvme_lib *lib;
    } open[CONTROLLERS_MAX]; /* the paths of a multipath head are several controllers */
    unsigned n;
};

/* Not here: telemetry (07h, 08h) and persistent events (0Dh), which make or hold a snapshot; of the
 * makers' own those that nobody here decodes. 09h and 22h are of one endurance group. */
static const uint8_t logs_allowed[] = {0x00, 0x01, 0x02, 0x03, 0x05, 0x06, 0x09, 0x0c,
                                       0x22, 0x81, 0xc0, 0xca, 0xd0};
/* Not here: those of vendors, and those whose data nobody needs. */
static const uint8_t features_allowed[] = {0x01, 0x02, 0x04, 0x05, 0x06, 0x07,
                                           0x08, 0x0a, 0x0b, 0x10, 0x1d};
/* They write into the host's memory as well, so they are never sent without a buffer. */
static const struct {
    uint8_t id;
    uint32_t bytes;
} features_with_data[] = {{0x0c, 256}, {0x0d, PAGE_BYTES}};

static bool is_controller_name(const char *name)
{
    uint64_t n = 0;
    return strncmp(name, "nvme", 4) == 0 && parse_u64(span_of(name + 4), &n) && n < 1000000;
}

static bool not_built_in(struct err *reterr)
{
    err_set(reterr, E_ABSENT, "NVMe pages: not built in");
    return err_hint(reterr, "Build nvadvise with libnvme.");
}

bool live_nvme_open(struct live *l, const char *name, struct span *ret, struct err *reterr)
{
    if (!nvme_lib_is_there()) {
        return not_built_in(reterr);
    }
    if (!is_controller_name(name)) {
        return err_set(reterr, E_USAGE, "'%s' is not the name of an NVMe controller", name);
    }
    if (l->nvme == NULL) {
        l->nvme = arena_alloc(l->arena, sizeof(*l->nvme));
    }
    if (l->nvme->n == CONTROLLERS_MAX) {
        return err_set(reterr, E_LIMIT, "more than %d controllers for one disk", CONTROLLERS_MAX);
    }
    struct nvme_lib *const lib = nvme_lib_open(name);
    if (lib == NULL) {
        const char *const node = arena_printf(l->arena, "/dev/%s", name);
        return live_fail(reterr, errno, "open", node);
    }
    l->nvme->open[l->nvme->n].lib = lib;
    memcpy(l->nvme->open[l->nvme->n].name, name, strlen(name) + 1);
    l->nvme->n++;
    *ret = span_of(arena_printf(l->arena, "/dev/%s", name));
    return true;
}

void live_nvme_close(struct live *l)
{
    for (unsigned i = 0; l->nvme != NULL && i < l->nvme->n; i++) {
        nvme_lib_close(l->nvme->open[i].lib);
    }
}

struct question {
    struct span name, page;
    uint32_t number[4];
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

static struct nvme_lib *find_open(const struct live *l, struct span name)
{
    for (unsigned i = 0; l->nvme != NULL && i < l->nvme->n; i++) {
        if (span_eq_text(name, l->nvme->open[i].name)) {
            return l->nvme->open[i].lib;
        }
    }
    return NULL;
}

static bool is_allowed(const uint8_t *list, size_t n, uint32_t id)
{
    return id <= UINT8_MAX && memchr(list, (int)id, n) != NULL;
}

/* How many bytes feature `id` writes; 0: none that may be asked for so. */
static uint32_t feature_bytes(uint32_t id)
{
    for (size_t i = 0; i < ARRAY_LEN(features_with_data); i++) {
        if (features_with_data[i].id == id) {
            return features_with_data[i].bytes;
        }
    }
    return 0;
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

/* Dwords 10 and 11 of Get Log Page: which, how many dwords less one, and of which group. */
static void log_dwords(const struct question *q, struct nvme_lib_command *c)
{
    const uint32_t dwords = q->number[2] / 4 - 1, group = q->n == 4 ? q->number[3] : 0;
    c->opcode = GET_LOG_PAGE;
    c->nsid = q->number[1];
    c->cdw10 = q->number[0] | RETAIN_EVENTS | (dwords & 0xffff) << 16;
    c->cdw11 = dwords >> 16 | group << 16;
    c->data_len = q->number[2];
}

static bool is_log(const struct question *q)
{
    return span_eq_text(q->page, "log") && (q->n == 3 || q->n == 4) && q->number[2] >= 4 &&
           q->number[2] <= PAGE_BYTES && q->number[2] % 4 == 0 &&
           (q->n == 3 || q->number[3] <= UINT16_MAX) &&
           is_allowed(logs_allowed, sizeof(logs_allowed), q->number[0]);
}

/* The command that `q` asks for; false: there is no such question. *ret_dword: its answer begins with
 * dword 0 of the completion. */
static bool make_command(const struct question *q, struct nvme_lib_command *ret, bool *ret_dword)
{
    struct nvme_lib_command c = {.opcode = IDENTIFY, .data_len = PAGE_BYTES};
    *ret_dword = false;
    if (span_eq_text(q->page, "id-ctrl") && q->n == 0) {
        c.cdw10 = 1;
    } else if (span_eq_text(q->page, "id-ns") && q->n == 1) {
        c.nsid = q->number[0];
    } else if (is_log(q)) {
        log_dwords(q, &c);
    } else if (span_eq_text(q->page, "feature") && (q->n == 2 || q->n == 3) &&
               is_allowed(features_allowed, sizeof(features_allowed), q->number[0])) {
        c = (struct nvme_lib_command){.opcode = GET_FEATURES,
                                      .cdw10 = q->number[0],
                                      .nsid = q->number[1],
                                      .cdw11 = q->n == 3 ? q->number[2] : 0};
        *ret_dword = true;
    } else if (span_eq_text(q->page, "feature-data") && q->n == 3 &&
               feature_bytes(q->number[0]) != 0 && q->number[2] == feature_bytes(q->number[0])) {
        c = (struct nvme_lib_command){.opcode = GET_FEATURES,
                                      .cdw10 = q->number[0],
                                      .nsid = q->number[1],
                                      .data_len = q->number[2]};
        *ret_dword = true;
    } else {
        return false;
    }
    *ret = c;
    return true;
}

bool live_nvme(struct live *l, const char *key, struct span *ret, struct err *reterr)
{
    struct question q;
    struct nvme_lib_command c;
    bool with_dword = false;
    if (!nvme_lib_is_there()) {
        return not_built_in(reterr);
    }
    if (!read_question(key, &q) || !make_command(&q, &c, &with_dword)) {
        return err_set(reterr, E_USAGE, "no such NVMe page is ever read: '%s'", key);
    }
    struct nvme_lib *const lib = find_open(l, q.name);
    if (lib == NULL) {
        return err_set(reterr, E_USAGE, "controller '%.*s' was not opened", SPAN_ARG(q.name));
    }
    /* The arena gives memory of zeros: what the controller leaves out is not ours of before. */
    char *const bytes = arena_alloc(l->arena, 4 + c.data_len);
    uint32_t dword0 = 0;
    c.data = c.data_len > 0 ? bytes + 4 : NULL;
    if (!finish(nvme_lib_send(lib, &c, &dword0), key, reterr)) {
        return false;
    }
    for (unsigned i = 0; i < 4; i++) {
        bytes[i] = (char)(unsigned char)(dword0 >> (8 * i));
    }
    *ret = with_dword ? (struct span){bytes, 4 + c.data_len} : (struct span){bytes + 4, c.data_len};
    return true;
}
