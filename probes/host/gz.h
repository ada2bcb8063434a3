/* Gzip in memory, piece by piece. The same bytes in give the same bytes out: no name, no time. Knows
 * nothing of captures. */
#ifndef NVADVISE_PROBES_HOST_GZ_H
#define NVADVISE_PROBES_HOST_GZ_H

#include "advisor/base/str.h"

struct gz_writer;

/* max: compressed bytes. NULL when the library cannot start. */
struct gz_writer *gz_writer_new(struct arena *a, size_t max);
bool gz_write(struct gz_writer *w, struct span plain);
/* Ends the stream and frees what the library holds; call it once, whatever happened before. false: some
 * piece was not taken, or the result is larger than `max`. */
bool gz_writer_end(struct gz_writer *w, struct span *ret);

enum gz_status {
    GZ_DONE,
    GZ_CUT,     /* the stream does not end */
    GZ_CORRUPT, /* checksum or structure wrong, or bytes behind the end */
    GZ_TOO_BIG, /* more than `max` bytes unpacked */
    GZ_STOPPED, /* `take` said no */
    GZ_BROKEN,  /* the library cannot start */
};

/* Unpack and hand each piece to `take`, which may stop by returning false. */
enum gz_status gz_read(struct span packed, size_t max, bool (*take)(void *ctx, struct span plain),
                       void *ctx);

#endif
