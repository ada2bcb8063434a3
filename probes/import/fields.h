/* Labels to facts: what the readers of health logs and Identify pages share. */
#ifndef NVADVISE_PROBES_IMPORT_FIELDS_H
#define NVADVISE_PROBES_IMPORT_FIELDS_H

#include "probes/import/format.h"

/* How a value becomes a fact. */
enum field_kind {
    FIELD_COUNT,
    FIELD_BYTES,
    FIELD_PERCENT,  /* of 0 to 255 */
    FIELD_MINUTES,
    FIELD_HOURS,
    FIELD_KELVIN,   /* any temperature in text, kelvin in JSON */
    FIELD_CELSIUS,  /* the same, but a plain number is degrees C */
    FIELD_TEXT,
};

struct field {
    const char *fact;
    enum field_kind kind;
    const char *keys; /* as bag_find takes them */
};

/* Set every fact whose label is there with a value that can be read. Returns how many. */
size_t fields_read(struct import *im, struct import_device *d, const struct import_piece *p,
                   const struct bag *b, const struct field *rows, size_t n);

/* How many items of the bag have a key of the rows. */
unsigned fields_known(const struct bag *b, const struct field *rows, size_t n);

/* The end of the part that begins at `from` and speaks of one device: a known label that comes again with another
 * value, or the first one again, begins the next. */
size_t fields_part(const struct bag *b, size_t from, const struct field *rows, size_t n);

/* ---- the health log (smart.c) ---------------------------------------------------------------- */

/* In which unit plain numbers of temperatures are. */
enum smart_unit { SMART_ANY, SMART_KELVIN, SMART_CELSIUS };

/* With these nvme-cli and smartctl end the log, as far as the drive goes. */
#define SMART_LAST                                                                                 \
    "numerrlogentries criticalcompositetemperaturetime temperaturesensor* thermalmanagementt2totaltime " \
    "errorinformationlogentries criticalcomptemperaturetime thermaltemp*"

extern const struct field smart_fields[];
extern const size_t smart_n_fields;

/* The whole log; returns how many facts were set. `bare_hex`: whole numbers are hexadecimal without 0x. */
size_t smart_read(struct import *im, struct import_device *d, const struct import_piece *p,
                  const struct bag *b, enum smart_unit unit, bool bare_hex);

/* ---- Identify pages (ctrl.c, ns.c) ------------------------------------------------ */

unsigned ctrl_known(const struct bag *b);
size_t ctrl_read(struct import *im, struct import_device *d, const struct import_piece *p,
                 const struct bag *b);
unsigned ns_known(const struct bag *b);
/* How many lines of a text are LBA formats. */
unsigned ns_formats(const struct bag *b);
size_t ns_read(struct import *im, struct import_device *d, const struct import_piece *p,
               const struct bag *b);

/* One LBA format. */
struct import_lba {
    unsigned index;
    uint64_t bytes, metadata, performance;
    bool in_use, has_performance;
};

#define IMPORT_LBA_MAX 64u

/* The list of formats, the one in use, and whether a better one is there; `whole`: there are no others. */
void lba_set(struct import *im, struct import_device *d, const struct import_lba *l, size_t n, bool whole);

/* An entry of the error log; status without the phase tag. */
struct import_error {
    uint64_t number, queue, status, lba;
};

#define IMPORT_ERRORS_MAX 256u

/* device.errors.*, as the probe of a live device sets them; newest entry first. */
void import_errors(struct import *im, struct import_device *d, const struct import_error *e, size_t n);

/* A power state as a word of device.power_states; micro-watts, microseconds. */
struct span import_power_state(struct arena *a, size_t i, uint64_t uw, uint64_t enter, uint64_t leave,
                               bool idle);

/* "nvme", "sata-ssd", … */
void import_kind(struct import *im, struct import_device *d, const char *kind);

#endif
