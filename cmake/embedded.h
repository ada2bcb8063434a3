/* A file compiled into the binary by nv_embed (cmake/Targets.cmake). */
#ifndef NVADVISE_CMAKE_EMBEDDED_H
#define NVADVISE_CMAKE_EMBEDDED_H

#include <stddef.h>

struct embedded_file {
    const char *name;
    const unsigned char *bytes; /* a NUL follows them */
    size_t len;
    const char *sha256; /* of the bytes, in hex */
};

#endif
