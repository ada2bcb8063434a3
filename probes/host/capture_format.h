/* What writer and reader of captures share. Private to probes/host. */
#ifndef NVADVISE_PROBES_HOST_CAPTURE_FORMAT_H
#define NVADVISE_PROBES_HOST_CAPTURE_FORMAT_H

#include "probes/host/capture.h"

#define CAPTURE_SCHEMA "nvadvise.capture/1"

struct capture_op {
    const char *probe;
    unsigned n, occurrence;
    enum host_op op;
    const char *key;
    enum host_outcome outcome;
    struct span bytes;     /* OUTCOME_OK */
    const struct err *err; /* OUTCOME_ERR; OUTCOME_BEGUN: why it never returned, or NULL */
};

struct capture_writer {
    struct arena *arena;
    struct json *header;
    struct capture_op *ops;
    size_t n, cap;
};

struct capture {
    struct json *header;
    struct capture_op *ops; /* in the order of probe and n */
    size_t n_ops;
    const char **probes;
    size_t *first; /* index of each probe's first operation; one more entry: n_ops */
    size_t n_probes;
};

#endif
