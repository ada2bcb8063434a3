/* Captures: no crash, no endless loop; what is read can be replayed to its end through every wrapper.
 * An input that is not gzipped is gzipped here first, else no mutation would get past the checksum. */
#include <stdlib.h>

#define ZLIB_CONST
#include <zlib.h>

#include "probes/host/capture.h"

#include "advisor/base/banned.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static struct span gzip(struct arena *a, const uint8_t *data, size_t size)
{
    z_stream z = {.next_in = data, .avail_in = (unsigned)size};
    if (deflateInit2(&z, 0, Z_DEFLATED, 31, 8, Z_DEFAULT_STRATEGY) != Z_OK) {
        abort();
    }
    const size_t cap = deflateBound(&z, size) + 64;
    unsigned char *const out = arena_alloc(a, cap);
    z.next_out = out;
    z.avail_out = (unsigned)cap;
    if (deflate(&z, Z_FINISH) != Z_STREAM_END) {
        abort();
    }
    const struct span packed = {(const char *)out, z.total_out};
    deflateEnd(&z);
    return packed;
}

/* The questions that the corpus holds answers to; the others meet "another version". */
static void ask_all(struct host *h)
{
    static const char *const keys[] = {"/k", "", "vars", "nvme0n1", "nvme0 id-ctrl", ".ibd /data"};
    for (size_t i = 0; i < ARRAY_LEN(keys); i++) {
        for (unsigned op = 0; op < HOST_OPS; op++) {
            struct err err = ERR_INIT;
            struct span got = {NULL, 0};
            const struct host_request rq = {(enum host_op)op, keys[i], 1 << 20};
            if (host_call(h, &rq, &got, &err) && got.len > (1 << 20)) {
                abort();
            }
        }
    }
}

static void ask_typed(struct host *h)
{
    struct err err = ERR_INIT;
    struct span text;
    struct host_names names;
    struct host_stat st;
    struct host_statfs fs;
    struct host_rows rows;
    struct host_uname un;
    struct host_who who;
    struct host_size size;
    int64_t now = 0;
    (void)!host_read(h, "/k", 0, &text, &err);
    (void)!host_list(h, "/k", &names, &err);
    (void)!host_link(h, "/k", &text, &err);
    (void)!host_stat(h, "/k", &st, &err);
    (void)!host_statfs(h, "/k", &fs, &err);
    (void)!host_nvme(h, "nvme0", NVME_ID_CTRL, 0, 0, 0, &text, &err);
    (void)!host_udev(h, "nvme0n1", &names, &err);
    (void)!host_sql(h, "vars", &rows, &err);
    (void)!host_clock(h, &now, &err);
    (void)!host_uname(h, &un, &err);
    (void)!host_who(h, &who, &err);
    (void)!host_size(h, "/data", ".ibd", &size, &err);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    ARENA_AUTO a = arena_new();
    const bool packed = size >= 2 && data[0] == 0x1f && data[1] == 0x8b;
    const struct span bytes =
        packed ? (struct span){(const char *)data, size} : gzip(a, data, size);
    struct capture *c = NULL;
    struct err err = ERR_INIT;
    if (!capture_read(a, "fuzz", bytes, &c, &err)) {
        if (err.code == E_NONE || c != NULL) {
            abort();
        }
        return 0;
    }
    const char *const *probes = NULL;
    const size_t n = capture_probes(c, &probes);
    for (size_t i = 0; i < n; i++) {
        ask_typed(host_replay_new(a, c, probes[i]));
        ask_all(host_replay_new(a, c, probes[i]));
    }
    return 0;
}
