/* nvme id-ctrl and id-ns, as text (also -H and -v) and JSON. */
#include "advisor/base/parse.h"
#include "probes/import/fields.h"

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

static unsigned ctrl_sure(const struct import_piece *p)
{
    const struct bag_item *vid = bag_find(p->bag, "vid");
    return vid == NULL && !begins_ctrl(first_line(p)) ? IMPORT_NO
                                                      : sure_of(ctrl_known(p->bag), begins_ctrl(first_line(p)));
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
    const bool header = begins_ns(first_line(p));
    const struct bag_item *nsze = bag_find(p->bag, "nsze flbas");
    return nsze == NULL && !header ? IMPORT_NO : sure_of(ns_known(p->bag), header);
}

/* "NVME Identify Namespace 1:" behind "nvme id-ns /dev/nvme0 -n 1" is nvme0's namespace 1. */
static bool read_ns(struct import *im, const struct import_piece *p)
{
    const struct import_who who = {.name = {"", 0}};
    return ns_read(im, import_device(im, p, &who, PAGE_NS), p, p->bag) > 0;
}

const struct import_format import_nvme_ctrl = {
    .name = "nvme id-ctrl",
    .doc = "nvme id-ctrl: text, also with -H or -v",
    .begins = begins_ctrl,
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
