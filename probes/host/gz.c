/* See gz.h. The only file that includes zlib. */
#include "probes/host/gz.h"

#define ZLIB_CONST
#include <zlib.h>

#include "advisor/base/banned.h"

#define GZIP_WINDOW (15 + 16) /* zlib: a gzip header and trailer */
#define MEMORY_LEVEL 8        /* zlib's own default */

struct gz_writer {
    z_stream z;
    struct buf out;
    bool failed;
};

struct gz_writer *gz_writer_new(struct arena *a, size_t max)
{
    struct gz_writer *const w = arena_alloc(a, sizeof(*w));
    buf_init(&w->out, a, max);
    const int rc = deflateInit2(&w->z, Z_DEFAULT_COMPRESSION, Z_DEFLATED, GZIP_WINDOW, MEMORY_LEVEL,
                                Z_DEFAULT_STRATEGY);
    return rc == Z_OK ? w : NULL;
}

static bool pack(struct gz_writer *w, struct span plain, int flush)
{
    unsigned char chunk[16384];
    w->z.next_in = (const unsigned char *)plain.ptr;
    w->z.avail_in = (unsigned)plain.len;
    do {
        w->z.next_out = chunk;
        w->z.avail_out = sizeof(chunk);
        if (deflate(&w->z, flush) == Z_STREAM_ERROR) {
            w->failed = true;
            return false;
        }
        buf_add(&w->out, (const char *)chunk, sizeof(chunk) - w->z.avail_out);
    } while (w->z.avail_out == 0 && !w->out.full);
    return !w->out.full;
}

bool gz_write(struct gz_writer *w, struct span plain)
{
    if (w->failed || plain.len > UINT32_MAX) {
        w->failed = true;
        return false;
    }
    return pack(w, plain, Z_NO_FLUSH);
}

bool gz_writer_end(struct gz_writer *w, struct span *ret)
{
    const bool ok = !w->failed && pack(w, (struct span){"", 0}, Z_FINISH);
    deflateEnd(&w->z);
    if (ok) {
        *ret = buf_span(&w->out);
    }
    return ok;
}

static enum gz_status unpack(z_stream *z, size_t max, bool (*take)(void *ctx, struct span plain),
                             void *ctx)
{
    unsigned char chunk[32768];
    size_t total = 0;
    int rc = Z_OK;
    while (rc != Z_STREAM_END) {
        z->next_out = chunk;
        z->avail_out = sizeof(chunk);
        rc = inflate(z, Z_NO_FLUSH);
        const size_t n = sizeof(chunk) - z->avail_out;
        if (rc == Z_BUF_ERROR || (rc == Z_OK && n == 0)) {
            return GZ_CUT;
        }
        if (rc != Z_OK && rc != Z_STREAM_END) {
            return GZ_CORRUPT;
        }
        total += n;
        if (total > max) {
            return GZ_TOO_BIG;
        }
        if (n > 0 && !take(ctx, (struct span){(const char *)chunk, n})) {
            return GZ_STOPPED;
        }
    }
    return z->avail_in > 0 ? GZ_CORRUPT : GZ_DONE;
}

enum gz_status gz_read(struct span packed, size_t max, bool (*take)(void *ctx, struct span plain),
                       void *ctx)
{
    z_stream z = {.next_in = (const unsigned char *)packed.ptr, .avail_in = (unsigned)packed.len};
    if (packed.len > UINT32_MAX || inflateInit2(&z, GZIP_WINDOW) != Z_OK) {
        return GZ_BROKEN;
    }
    const enum gz_status status = unpack(&z, max, take, ctx);
    inflateEnd(&z);
    return status;
}
