/* Devices of a run: whom a piece speaks of, and what is known of him so far. */
#include <string.h>

#include "probes/import/run.h"

#include "advisor/base/banned.h"

#define TEXT_MAX 256u

/* ---- names ----------------------------------------------------------------------------------- */

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

static size_t digits(struct span s, size_t at)
{
    size_t n = 0;
    while (at + n < s.len && is_digit(s.ptr[at + n])) {
        n++;
    }
    return n;
}

/* "nvme0", "nvme0n1", "nvme0c1n1", each with a partition that is dropped: the length of the disk's name. */
static size_t nvme_length(struct span s)
{
    size_t at = 4, n = digits(s, at);
    if (!span_starts(s, "nvme") || n == 0) {
        return 0;
    }
    at += n;
    static const char parts[] = {'c', 'n'};
    for (size_t i = 0; i < ARRAY_LEN(parts); i++) {
        if (at < s.len && s.ptr[at] == parts[i] && (n = digits(s, at + 1)) > 0) {
            at += 1 + n;
        }
    }
    const size_t disk = at;
    if (at < s.len && s.ptr[at] == 'p' && (n = digits(s, at + 1)) > 0) {
        at += 1 + n;
    }
    return at == s.len ? disk : 0;
}

/* "sda", "vdb": letters alone. */
static bool is_plain_disk(struct span s)
{
    static const char *const kinds[] = {"sd", "vd", "xvd", "hd"};
    for (size_t i = 0; i < ARRAY_LEN(kinds); i++) {
        size_t at = strlen(kinds[i]);
        if (span_starts(s, kinds[i]) && at < s.len && s.len <= at + 4) {
            while (at < s.len && s.ptr[at] >= 'a' && s.ptr[at] <= 'z') {
                at++;
            }
            if (at == s.len) {
                return true;
            }
        }
    }
    return false;
}

struct span import_kernel_name(struct arena *a, struct span text)
{
    static const char ends[] = ",;:\"')]";
    struct span s = span_trim(text);
    while (s.len > 0 && strchr(ends, s.ptr[s.len - 1]) != NULL) {
        s = span_sub(s, 0, s.len - 1);
    }
    if (span_starts(s, "/dev/")) {
        s = span_sub(s, 5, s.len);
    }
    if (span_starts(s, "ng") && s.len > 2 && is_digit(s.ptr[2])) {
        s = span_of(arena_printf(a, "nvme%.*s", SPAN_ARG(span_sub(s, 2, s.len))));
    }
    if (s.len > 32) {
        return (struct span){"", 0};
    }
    const size_t n = nvme_length(s);
    return n > 0 ? span_sub(s, 0, n) : is_plain_disk(s) ? s : (struct span){"", 0};
}

/* ---- who ------------------------------------------------------------------------------------- */

static struct import_device *add_device(struct import *im, const struct import_piece *p)
{
    if (im->n_devices == IMPORT_DEVICES_MAX) {
        import_warn(im, p, "more than %u devices: what follows counts to the last", IMPORT_DEVICES_MAX);
        return im->devices[im->n_devices - 1];
    }
    struct import_device *d = arena_alloc(im->arena, sizeof(*d));
    *d = (struct import_device){.file = p->file};
    im->devices = arena_list_room(im->arena, im->devices, im->n_devices, sizeof(struct import_device *));
    im->devices[im->n_devices++] = d;
    return d;
}

static struct import_device *by_name(struct import *im, struct span name)
{
    for (size_t i = 0; name.len > 0 && i < im->n_devices; i++) {
        if (span_eq(im->devices[i]->name, name)) {
            return im->devices[i];
        }
    }
    return NULL;
}

/* Pastes often hide serial numbers behind one text: the model, and a name that differs, tell drives apart. */
static struct import_device *by_serial(struct import *im, const struct import_who *who, struct span name,
                                       unsigned pages)
{
    for (size_t i = 0; who->serial.len > 0 && i < im->n_devices; i++) {
        struct import_device *d = im->devices[i];
        if (span_eq(d->serial, who->serial) &&
            (who->model.len == 0 || d->model.len == 0 || span_eq(who->model, d->model)) &&
            (name.len == 0 || d->name.len == 0) && (d->pages & pages & ~(unsigned)PAGE_FEATURE) == 0) {
            return d;
        }
    }
    return NULL;
}

static bool takes(const struct import_device *d, unsigned pages, const struct import_who *who)
{
    return (d->pages & pages & ~(unsigned)PAGE_FEATURE) == 0 &&
           (who->serial.len == 0 || d->serial.len == 0 || span_eq(who->serial, d->serial)) &&
           (who->model.len == 0 || d->model.len == 0 || span_eq(who->model, d->model));
}

/* Without a name: the only device of this file that lacks these pages, else the only one without a name. Where it may
 * be one of several it is a device of its own: two are never mixed. */
static struct import_device *by_context(struct import *im, const struct import_piece *p,
                                        const struct import_who *who, unsigned pages)
{
    struct import_device *here = NULL, *nameless = NULL;
    unsigned n_here = 0, n_nameless = 0;
    for (size_t i = 0; i < im->n_devices; i++) {
        struct import_device *d = im->devices[i];
        if (strcmp(d->file, p->file) == 0 && takes(d, pages, who)) {
            n_here++;
            here = d;
        }
        if (d->name.len == 0) {
            n_nameless++;
            nameless = d;
        }
    }
    if (n_here > 0) {
        return n_here == 1 && here == im->last ? here : NULL;
    }
    return n_nameless == 1 && takes(nameless, pages, who) ? nameless : NULL;
}

struct import_device *import_own_device(struct import *im, const struct import_piece *p, unsigned pages)
{
    struct import_device *d = add_device(im, p);
    d->pages |= pages;
    im->last = d;
    return d;
}

struct import_device *import_device(struct import *im, const struct import_piece *p,
                                    const struct import_who *who, unsigned pages)
{
    struct span name = import_kernel_name(im->arena, who->name);
    if (name.len == 0) {
        name = p->device;
    }
    struct import_device *d = by_name(im, name);
    if (d == NULL) {
        d = by_serial(im, who, name, pages);
    }
    if (d == NULL && name.len == 0) {
        d = by_context(im, p, who, pages);
    }
    if (d == NULL) {
        d = add_device(im, p);
    }
    d->name = d->name.len > 0 ? d->name : span_copy(im->arena, name);
    d->model = d->model.len > 0 ? d->model : span_copy(im->arena, span_trim(who->model));
    d->serial = d->serial.len > 0 ? d->serial : span_copy(im->arena, span_trim(who->serial));
    d->pages |= pages;
    im->last = d;
    return d;
}

/* ---- facts ----------------------------------------------------------------------------------- */

void import_source(struct import *im, const struct import_piece *p, const char *tool,
                   struct span version)
{
    im->source = version.len > 0 && version.len < 40
                     ? arena_printf(im->arena, "import: %s %.*s, %s", tool, SPAN_ARG(version), p->file)
                     : arena_printf(im->arena, "import: %s, %s", tool, p->file);
}

static void put(struct import *im, struct import_device *d, const char *name, struct fact f)
{
    f.source = im->source;
    f.remedy = f.remedy == NULL ? "" : f.remedy;
    for (size_t i = 0; i < d->n; i++) {
        if (strcmp(d->facts[i].name, name) == 0) {
            d->facts[i].fact = f;
            return;
        }
    }
    d->facts = arena_list_room(im->arena, d->facts, d->n, sizeof(*d->facts));
    d->facts[d->n++] = (struct import_fact){.name = name, .fact = f};
}

void import_known(struct import *im, struct import_device *d, const char *fact, struct value v)
{
    put(im, d, fact, (struct fact){.state = FACT_KNOWN, .value = value_copy(im->arena, &v)});
}

void import_num(struct import *im, struct import_device *d, const char *fact, enum kind kind,
                struct num n)
{
    import_known(im, d, fact, value_num(kind, n));
}

void import_rounded(struct import *im, struct import_device *d, const char *fact, enum kind kind,
                    struct num n)
{
    for (size_t i = 0; i < d->n; i++) {
        const struct fact *f = &d->facts[i].fact;
        if (strcmp(d->facts[i].name, fact) == 0 && f->state == FACT_KNOWN && !f->estimated) {
            return;
        }
    }
    put(im, d, fact, (struct fact){.state = FACT_KNOWN, .value = value_num(kind, n), .estimated = true});
}

void import_u64(struct import *im, struct import_device *d, const char *fact, enum kind kind,
                uint64_t n)
{
    import_num(im, d, fact, kind, num_u64(n));
}

void import_bool(struct import *im, struct import_device *d, const char *fact, bool b)
{
    import_known(im, d, fact, value_bool(b));
}

void import_str(struct import *im, struct import_device *d, const char *fact, struct span text)
{
    text = span_trim(span_sub(span_trim(text), 0, TEXT_MAX));
    while (!span_is_utf8(text)) { /* cut within a character */
        text = span_sub(text, 0, text.len - 1);
    }
    if (text.len > 0) {
        import_known(im, d, fact, value_text(KIND_STRING, text));
    }
}

void import_word(struct import *im, struct import_device *d, const char *fact, const char *word)
{
    import_known(im, d, fact, value_text(KIND_ENUM, span_of(word)));
}

void import_list(struct import *im, struct import_device *d, const char *fact,
                 const struct span *words, size_t n)
{
    import_known(im, d, fact, value_words(im->arena, KIND_LIST, words, n));
}

void import_unknown(struct import *im, struct import_device *d, const char *fact,
                    enum fact_state state, const char *reason)
{
    put(im, d, fact, (struct fact){.state = state, .reason = reason});
}

void import_serial(struct import *im, struct import_device *d, struct span serial)
{
    serial = span_trim(serial);
    if (serial.len > 0 && im->hide.serial != NULL) {
        serial = span_of(im->hide.serial(im->hide.ctx, serial));
    }
    import_str(im, d, "device.serial", serial);
}

void import_kelvin(struct import *im, struct import_device *d, const char *fact, int64_t kelvin)
{
    if (kelvin == 0) {
        import_unknown(im, d, fact, FACT_ABSENT, "the device reports 0 K: no value");
    } else {
        import_num(im, d, fact, KIND_CELSIUS, num_i64(kelvin - 273));
    }
}

const struct value *import_value(const struct import_device *d, const char *fact)
{
    for (size_t i = 0; i < d->n; i++) {
        if (strcmp(d->facts[i].name, fact) == 0 && d->facts[i].fact.state == FACT_KNOWN) {
            return &d->facts[i].fact.value;
        }
    }
    return NULL;
}

struct span import_name(const struct import_device *d)
{
    return d->name;
}
