/* Formats of outputs, and what their readers need. A new format is one file and one line in formats.c. */
#ifndef NVADVISE_PROBES_IMPORT_FORMAT_H
#define NVADVISE_PROBES_IMPORT_FORMAT_H

#include "probes/import/bag.h"
#include "probes/import/import.h"

/* One output: the lines of a text up to the next command line or header, or one JSON document. */
struct import_piece {
    const char *file;         /* the last part of its name */
    unsigned line;            /* of its first line, from 1 */
    struct span command;      /* the command line before it; empty: none */
    struct span device;       /* the device that the command line or a heading names; empty: none */
    struct span text;         /* valid UTF-8 without control characters but LF and tab */
    const struct json *json;  /* NULL: a text */
    const struct bag *bag;    /* label and value of each line, or of each member of a JSON object */
};

/* How sure a format is that a piece is its own. */
enum import_sure {
    IMPORT_NO = 0,
    IMPORT_LABELS = 100,   /* and one more for each label that it knows */
    IMPORT_HEADER = 10000, /* a header that nothing else has */
};

struct import_format {
    const char *name; /* "nvme smart-log": the tool's word, for sources and messages */
    const char *doc;  /* one line for --formats */
    bool json;
    /* Is this line of a text the first of such an output? May be NULL. */
    bool (*begins)(struct span line);
    /* Labels with which whole outputs end, as bag_find takes them; "*": any. A last line without its newline counts if
     * it has one of these: else the output was cut there, perhaps within a number. NULL: none. */
    const char *last;
    unsigned (*sure)(const struct import_piece *p);
    /* Set facts; false: it was of this kind, but nothing could be used. */
    bool (*read)(struct import *im, const struct import_piece *p);
    /* When all files are read, before the devices are put into the store. May be NULL. */
    void (*end)(struct import *im);
};

extern const struct import_format *const import_formats[];
extern const size_t import_n_formats;

/* Each in the file of its tool. */
extern const struct import_format import_nvme_smart, import_nvme_smart_json, import_nvme_ctrl,
    import_nvme_ctrl_json, import_nvme_ns, import_nvme_ns_json, import_nvme_list, import_nvme_list_json,
    import_nvme_errors, import_nvme_errors_json, import_nvme_firmware, import_nvme_firmware_json,
    import_nvme_feature, import_nvme_tests, import_nvme_tests_json, import_nvme_sanitize,
    import_nvme_sanitize_json, import_lspci, import_smartctl, import_smartctl_json, import_intel, import_intel_json,
    import_smart_add, import_smart_add_json, import_ocp, import_ocp_json, import_storage,
    import_storage_json;

/* ---- devices (devices.c) --------------------------------------------------------------------- */

/* Outputs of which a device has one: a second one is of another device, or newer. Bits. */
enum import_page {
    PAGE_SMART = 1 << 0,
    PAGE_CTRL = 1 << 1,
    PAGE_NS = 1 << 2,
    PAGE_LIST = 1 << 3,
    PAGE_ERRORS = 1 << 4,
    PAGE_FIRMWARE = 1 << 5,
    PAGE_FEATURE = 1 << 6, /* of these there are several */
    PAGE_VENDOR = 1 << 7,
    PAGE_TESTS = 1 << 8,
    PAGE_SANITIZE = 1 << 9,
    PAGE_PCI = 1 << 10,
};

struct import_device;

/* What a piece says of who it is about; empty: nothing. */
struct import_who {
    struct span name; /* "/dev/nvme0n1", "nvme0" */
    struct span serial, model;
};

/* The device that `pages` of the piece are about: by name, by serial number, else the one that the text spoke
 * of last and that lacks these pages, else a new one. */
struct import_device *import_device(struct import *im, const struct import_piece *p,
                                    const struct import_who *who, unsigned pages);

/* The kernel name in "/dev/nvme0n1", "nvme0n1p2" (its disk), "ng0n1"; empty when it is none. */
struct span import_kernel_name(struct arena *a, struct span text);

/* From here on facts come from this tool; version "" when it does not say. */
void import_source(struct import *im, const struct import_piece *p, const char *tool,
                   struct span version);

/* Set or replace. Names must be declared; text is made fit to be shown. */
void import_known(struct import *im, struct import_device *d, const char *fact, struct value v);
void import_num(struct import *im, struct import_device *d, const char *fact, enum kind kind,
                struct num n);
void import_u64(struct import *im, struct import_device *d, const char *fact, enum kind kind,
                uint64_t n);
void import_bool(struct import *im, struct import_device *d, const char *fact, bool b);
/* A figure that the tool has rounded: marked as estimated, and only where no exact one is known. */
void import_rounded(struct import *im, struct import_device *d, const char *fact, enum kind kind,
                    struct num n);
/* Empty text sets nothing. */
void import_str(struct import *im, struct import_device *d, const char *fact, struct span text);
void import_word(struct import *im, struct import_device *d, const char *fact, const char *word);
void import_list(struct import *im, struct import_device *d, const char *fact,
                 const struct span *words, size_t n);
void import_unknown(struct import *im, struct import_device *d, const char *fact,
                    enum fact_state state, const char *reason);
void import_serial(struct import *im, struct import_device *d, struct span serial);
/* Kelvin as degrees C; 0 K is absent. */
void import_kelvin(struct import *im, struct import_device *d, const char *fact, int64_t kelvin);

/* The kernel name; empty: not known. */
struct span import_name(const struct import_device *d);

/* The value of a fact that was set and is known, or NULL. */
const struct value *import_value(const struct import_device *d, const char *fact);

/* ---- the report ------------------------------------------------------------------------------ */

struct arena *import_arena(struct import *im);
/* "FILE:LINE: …" */
void import_warn(struct import *im, const struct import_piece *p, const char *fmt, ...)
    ATTR_PRINTF(3, 4);
void import_note(struct import *im, const struct import_piece *p, const char *fmt, ...)
    ATTR_PRINTF(3, 4);

/* A pointer of the format's own that lasts over the run; NULL at first. */
void **import_state(struct import *im, const struct import_format *f);

#endif
