/* nvme id-ctrl and id-ns, as text (also -H and -v) and JSON. */
#include "advisor/base/parse.h"
#include "probes/import/fields.h"
#include "probes/import/smartctl.h"

#include "advisor/base/banned.h"

#define LEAST 4u /* short names that make a page without its header */

static struct span first_line(const struct import_piece *p)
{
    struct span rest = span_trim(p->text), line = {"", 0};
    (void)span_line(&rest, &line);
    return span_trim(line);
}

static bool begins_ctrl(struct span line)
{
    return span_starts(line, "NVME Identify Controller") || span_starts(line, "NVMe Identify Controller");
}

/* "NVME Identify Namespace 1:", and that of its command set, which is another page. */
static bool begins_ns(struct span line)
{
    return span_starts(line, "NVME Identify Namespace") || span_starts(line, "NVMe Identify Namespace");
}

static unsigned sure_of(unsigned known, bool header)
{
    return known == 0 ? IMPORT_NO : header ? IMPORT_HEADER + known : known >= LEAST ? IMPORT_LABELS + known : IMPORT_NO;
}

/* Was this piece printed by the subcommand? Then a few lines of it, as grep leaves them, are enough. */
static bool is_of(const struct import_piece *p, const char *subcommand)
{
    struct span rest = p->command, word;
    while (span_word(&rest, &word)) {
        if (span_eq_text(word, subcommand)) {
            return true;
        }
    }
    return false;
}

/* Names that stand in no other output. */
static bool has_own(const struct bag *b)
{
    unsigned n = 0;
    for (size_t i = 0; i < b->n; i++) {
        n += bag_matches(b->items[i].key, "vid mdts oacs oncs tnvmcap unvmcap awupf awun wctemp cctemp npss apsta");
    }
    return n >= 2;
}

static unsigned ctrl_sure(const struct import_piece *p)
{
    const struct bag_item *vid = bag_find(p->bag, "vid");
    const bool header = begins_ctrl(first_line(p)) || (p->json == NULL && is_of(p, "id-ctrl"));
    return vid == NULL && !header && !has_own(p->bag) ? IMPORT_NO : sure_of(ctrl_known(p->bag), header);
}

static bool read_ctrl(struct import *im, const struct import_piece *p)
{
    const struct bag_item *sn = bag_find(p->bag, "sn"), *mn = bag_find(p->bag, "mn");
    const struct import_who who = {.serial = sn != NULL ? sn->value : (struct span){"", 0},
                                   .model = mn != NULL ? mn->value : (struct span){"", 0}};
    return ctrl_read(im, import_device(im, p, &who, PAGE_CTRL), p, p->bag) > 0;
}

static unsigned ns_sure(const struct import_piece *p)
{
    const bool header = begins_ns(first_line(p)) || (p->json == NULL && is_of(p, "id-ns"));
    const struct bag_item *nsze = bag_find(p->bag, "nsze flbas");
    const unsigned formats = p->json == NULL ? ns_formats(p->bag) : 0;
    return formats > 0             ? (header ? IMPORT_HEADER : IMPORT_LABELS) + formats + ns_known(p->bag)
           : nsze == NULL && !header ? IMPORT_NO
                                     : sure_of(ns_known(p->bag), header);
}

/* The word behind "-n" or "--namespace-id=" of the command, else that of the header; 0: neither says. */
static unsigned nsid_of(const struct import_piece *p)
{
    struct span rest = p->command, word;
    uint64_t id = 0;
    for (bool next = false; span_word(&rest, &word); next = span_eq_text(word, "-n") || span_eq_text(word, "--namespace-id")) {
        const bool joined = span_starts(word, "--namespace-id=");
        const struct span digits = joined ? span_sub(word, sizeof("--namespace-id=") - 1, word.len) : word;
        if ((next || joined) && (parse_u64(digits, &id) || parse_hex_u64(digits, &id)) && id < 4096) {
            return (unsigned)id;
        }
    }
    rest = first_line(p);
    if (p->json != NULL || !begins_ns(rest)) {
        return 0;
    }
    while (span_word(&rest, &word)) {
        if (span_ends(word, ":") && parse_u64(span_sub(word, 0, word.len - 1), &id) && id < 4096) {
            return (unsigned)id;
        }
    }
    return 0;
}

/* "NVME Identify Namespace 2:" behind "nvme id-ns /dev/nvme0 -n 2" is nvme0n2: what is said of one namespace of a
 * controller holds for no other. */
static bool read_ns(struct import *im, const struct import_piece *p)
{
    const unsigned id = nsid_of(p);
    struct import_who who = {.name = {"", 0}};
    if (id > 0 && p->device.len > 0 && smartctl_nsid(p->device) == 0) {
        who.name = span_of(arena_printf(import_arena(im), "%.*sn%u", SPAN_ARG(p->device), id));
    }
    return ns_read(im, import_device(im, p, &who, PAGE_NS), p, p->bag) > 0;
}

const struct import_format import_nvme_ctrl = {
    .name = "nvme id-ctrl",
    .doc = "nvme id-ctrl: text, also with -H or -v",
    .begins = begins_ctrl,
    .last = "ps* rwt subnqn",
    .sure = ctrl_sure,
    .read = read_ctrl,
};

const struct import_format import_nvme_ctrl_json = {
    .name = "nvme id-ctrl (JSON)",
    .doc = "nvme id-ctrl -o json",
    .json = true,
    .sure = ctrl_sure,
    .read = read_ctrl,
};

const struct import_format import_nvme_ns = {
    .name = "nvme id-ns",
    .doc = "nvme id-ns: text, also with -H or -v",
    .begins = begins_ns,
    .last = "lbaf* nlbaf nguid eui64",
    .sure = ns_sure,
    .read = read_ns,
};

const struct import_format import_nvme_ns_json = {
    .name = "nvme id-ns (JSON)",
    .doc = "nvme id-ns -o json, also with -v",
    .json = true,
    .sure = ns_sure,
    .read = read_ns,
};
