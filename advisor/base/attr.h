/* Compiler attributes and small helpers that every file may use. Knows nothing else. */
#ifndef NVADVISE_ADVISOR_BASE_ATTR_H
#define NVADVISE_ADVISOR_BASE_ATTR_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define ATTR_NODISCARD __attribute__((warn_unused_result))
#define ATTR_PRINTF(fmt, args) __attribute__((format(printf, fmt, args)))
#define ATTR_NORETURN __attribute__((noreturn))
#define ATTR_CLEANUP(fn) __attribute__((cleanup(fn)))

#define ARRAY_LEN(a) (sizeof(a) / sizeof((a)[0]))

/* 128-bit whole numbers: NVMe health counters are that wide. */
__extension__ typedef unsigned __int128 nv_u128;

#endif
