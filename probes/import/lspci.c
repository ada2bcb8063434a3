/* lspci -vv: link and interrupts of NVMe controllers. It knows places, not names: a drive is known by its place where
 * nvme list -v told it, else by being the only one. */
#include "advisor/base/parse.h"
#include "probes/import/fields.h"
#include "probes/import/run.h"

#include "advisor/base/banned.h"

/* "01:00.0 …", "0000:01:00.0 …": the address; empty: the line is no heading. */
static struct span address_of(struct span line)
{
    struct span word;
    if (line.len == 0 || line.ptr[0] == ' ' || line.ptr[0] == '\t' || !span_word(&line, &word) || word.len < 7 ||
        word.len > 14) {
        return (struct span){"", 0};
    }
    for (size_t i = 0; i < word.len; i++) {
        const char c = word.ptr[i];
        const bool hex = (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f');
        const char want = i + 2 == word.len ? '.' : (i + 5 == word.len || (i + 8 == word.len && word.len > 7)) ? ':' : 'x';
        if (want == 'x' ? !hex : c != want) {
            return (struct span){"", 0};
        }
    }
    return word;
}

static bool begins(struct span line)
{
    return address_of(line).len > 0 && span_contains(line, "Non-Volatile memory controller");
}

static struct span heading_of(const struct import_piece *p)
{
    struct span rest = p->text, line = {"", 0};
    while (span_line(&rest, &line) && span_trim(line).len == 0) {
    }
    return span_trim(line);
}

static unsigned sure(const struct import_piece *p)
{
    return begins(heading_of(p)) ? IMPORT_HEADER : IMPORT_NO;
}

/* "Speed 8GT/s", "Width x4": what stands behind the name, up to a comma or a blank. */
static bool member(struct span line, const char *name, struct span *ret)
{
    struct span word;
    while (span_word(&line, &word)) {
        if (span_eq_text(word, name) && span_word(&line, ret)) {
            ret->len -= span_ends(*ret, ",") ? 1 : 0;
            return ret->len > 0;
        }
    }
    return false;
}

static void read_link(struct import *im, struct import_device *d, struct span line, bool best)
{
    static const struct {
        const char *word;
        uint64_t speed;
    } speeds[] = {{"2.5GT/s", 2500000000}, {"5GT/s", 5000000000},   {"8GT/s", 8000000000},
                  {"16GT/s", 16000000000}, {"32GT/s", 32000000000}, {"64GT/s", 64000000000}};
    struct span word;
    uint64_t lanes = 0;
    for (size_t i = 0; i < ARRAY_LEN(speeds) && member(line, "Speed", &word); i++) {
        if (span_eq_text(word, speeds[i].word)) {
            import_u64(im, d, best ? "device.pci.link_speed_max" : "device.pci.link_speed", KIND_RATE, speeds[i].speed);
        }
    }
    if (member(line, "Width", &word) && span_starts(word, "x") && parse_u64(span_sub(word, 1, word.len), &lanes) &&
        lanes > 0 && lanes <= 32) {
        import_u64(im, d, best ? "device.pci.link_width_max" : "device.pci.link_width", KIND_COUNT, lanes);
    }
}

struct interrupts {
    bool msix_known, msix, msi_known, msi;
};

static void read_line(struct import *im, struct import_device *d, struct span line, struct interrupts *irq)
{
    if (span_starts(line, "LnkCap:") || span_starts(line, "LnkSta:")) {
        read_link(im, d, line, span_starts(line, "LnkCap:"));
    } else if (span_starts(line, "LnkCtl:") && span_contains(line, "ASPM")) {
        import_bool(im, d, "device.pci.aspm_l1", span_contains(line, "L1 Enabled"));
    } else if (span_contains(line, "MSI-X: Enable")) {
        irq->msix_known = true;
        irq->msix = span_contains(line, "Enable+");
    } else if (span_contains(line, "MSI: Enable")) {
        irq->msi_known = true;
        irq->msi = span_contains(line, "Enable+");
    }
}

/* "[144d:a808]" at the end of the heading, with -nn. */
static void read_vendor(struct import *im, struct import_device *d, struct span heading)
{
    uint64_t vid = 0;
    for (size_t i = 0; i + 11 <= heading.len; i++) {
        if (heading.ptr[i] == '[' && heading.ptr[i + 5] == ':' && heading.ptr[i + 10] == ']' &&
            parse_hex_u64(span_sub(heading, i + 1, 4), &vid)) {
            import_u64(im, d, "device.vid", KIND_COUNT, vid);
        }
    }
}

/* "01:00.0" is in domain 0. */
static bool is_same(struct arena *a, struct span x, struct span y)
{
    const struct span short_one = x.len < y.len ? x : y, long_one = x.len < y.len ? y : x;
    return short_one.len > 0 &&
           (span_eq(x, y) || span_eq_text(long_one, arena_printf(a, "0000:%.*s", SPAN_ARG(short_one))));
}

static struct import_device *device_of(struct import *im, const struct import_piece *p, struct span address)
{
    for (size_t i = 0; i < im->n_devices; i++) {
        if (is_same(im->arena, im->devices[i]->address, address)) {
            return im->devices[i];
        }
    }
    struct import_device *d = import_own_device(im, p, PAGE_PCI);
    d->address = address.len == 7 ? span_of(arena_printf(im->arena, "0000:%.*s", SPAN_ARG(address))) : address;
    return d;
}

static bool read_text(struct import *im, const struct import_piece *p)
{
    struct span heading = heading_of(p), rest = p->text, line;
    struct interrupts irq = {.msix = false};
    struct import_device *d = device_of(im, p, address_of(heading));
    bool in = false;
    for (size_t i = 0; i < p->bag->n; i++) {
        p->bag->items[i].used = true;
    }
    while (span_line(&rest, &line)) {
        if (address_of(line).len > 0) {
            if (in) {
                break; /* another function */
            }
            in = true;
        } else if (in) {
            read_line(im, d, span_trim(line), &irq);
        }
    }
    read_vendor(im, d, heading);
    import_word(im, d, "device.transport", "pcie");
    import_str(im, d, "device.pci.address", d->address);
    if (irq.msix || irq.msi || (irq.msix_known && irq.msi_known)) {
        import_word(im, d, "device.queue.interrupt_mode", irq.msix ? "msix" : irq.msi ? "msi" : "intx");
    }
    import_kind(im, d, "nvme");
    return true;
}

const struct import_format import_lspci = {
    .name = "lspci",
    .doc = "lspci -vv of NVMe controllers: link, interrupts",
    .begins = begins,
    .sure = sure,
    .read = read_text,
};
