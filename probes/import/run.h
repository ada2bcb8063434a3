/* What the files of the frame share about a run. Private to them. */
#ifndef NVADVISE_PROBES_IMPORT_RUN_H
#define NVADVISE_PROBES_IMPORT_RUN_H

#include "probes/import/format.h"

#define IMPORT_DEVICES_MAX 1000u
#define IMPORT_FORMATS_MAX 64u

struct import_fact {
    const char *name;
    struct fact fact; /* texts live in the arena */
};

struct import_device {
    struct span name;    /* kernel name; empty: none was given */
    struct span serial, model;
    struct span address; /* on the PCI bus, "0000:01:00.0"; empty: not known */
    const char *file;    /* where it was first spoken of */
    unsigned pages;
    unsigned nsid;       /* of a controller: the namespace that device.ns.* are about; 0: not said */
    bool gone;           /* its facts went to other devices */
    struct import_fact *facts;
    size_t n;
};

struct import {
    struct arena *arena;
    struct store *store;
    struct import_hide hide;
    struct import_device **devices;
    size_t n_devices;
    struct import_device *last;  /* whom the text spoke of last */
    const char *source;
    size_t n_pieces;
    struct json *warnings, *notes;
    const char *ask; /* the path whose chain is wanted; NULL: of all */
    void *states[IMPORT_FORMATS_MAX];
};

/* A device that no other output speaks of, unless it turns out at the end that there is but one. */
struct import_device *import_own_device(struct import *im, const struct import_piece *p, unsigned pages);

/* Join what belongs together, then fill the store (devices_end.c). */
void import_devices_end(struct import *im);

#endif
