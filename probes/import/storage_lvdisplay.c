/* LVM in words: lvdisplay, pvdisplay and vgdisplay, with -m also which physical volume a logical one lies on. */
#include "probes/import/storage.h"

#include <string.h>

#include "advisor/base/parse.h"

#include "advisor/base/banned.h"

/* "--- Logical volume ---", "--- Physical volumes ---" */
static bool is_heading(struct span line, const char *what)
{
    line = span_trim(line);
    return span_starts(line, "--- ") && span_ends(line, " ---") && span_starts(span_sub(line, 4, line.len), what);
}

bool lvdisplay_begins(struct span line)
{
    return is_heading(line, "Logical volume") || is_heading(line, "Physical volume") || is_heading(line, "Volume group");
}

/* The value behind a label of one or two words. */
static bool field(struct span line, const char *label, struct span *ret)
{
    line = span_trim(line);
    if (!span_starts(line, label)) {
        return false;
    }
    const struct span rest = span_sub(line, strlen(label), line.len);
    *ret = span_trim(rest);
    return rest.len > 0 && (rest.ptr[0] == ' ' || rest.ptr[0] == '\t') && ret->len > 0;
}

/* "64.00 KiB": bytes. */
static bool kib_of(struct span s, uint64_t *ret)
{
    struct span number, unit, whole;
    uint64_t v = 0;
    if (!span_word(&s, &number) || !span_word(&s, &unit) || !span_split(&number, '.', &whole) || !parse_u64(whole, &v) ||
        v > UINT32_MAX) {
        return false;
    }
    *ret = v * (span_starts(unit, "MiB") ? 1024 * 1024 : span_starts(unit, "KiB") ? 1024 : 0);
    return *ret > 0;
}

struct reading {
    struct stack *stack;
    struct span vg;
    struct stack_node *lv, *pv;
};

/* The volume of "LV Path", or where an older tool gives a path as its name, of that. */
static void begin_lv(struct reading *r, struct span path)
{
    r->lv = stack_node(r->stack, path);
    if (r->lv != NULL && r->lv->type.len == 0) {
        r->lv->type = SPAN_LIT("lvm");
    }
}

static void read_lv(struct reading *r, struct span line)
{
    struct span value;
    uint64_t n = 0;
    if (field(line, "LV Path", &value) || (field(line, "LV Name", &value) && span_starts(value, "/dev/"))) {
        begin_lv(r, value);
    } else if (r->lv == NULL) {
        return;
    } else if (field(line, "VG Name", &value)) {
        r->lv->vg = value;
    } else if (field(line, "Type", &value)) {
        stack_key(r->stack, r->lv, "type", value);
    } else if (field(line, "Stripes", &value) && parse_u64(value, &n)) {
        stack_key_u64(r->stack, r->lv, "stripes", n);
    } else if (field(line, "Stripe size", &value) && kib_of(value, &n)) {
        stack_key_u64(r->stack, r->lv, "chunk", n);
    } else if (field(line, "Physical volume", &value) && span_starts(value, "/dev/")) {
        stack_stands_on(r->stack, r->lv, stack_node(r->stack, value), false);
    } else if (field(line, "Block device", &value)) {
        stack_alias(r->stack, value, r->lv->name);
    } else if (field(line, "LV Pool name", &value)) {
        stack_stands_on(r->stack, r->lv,
                        stack_node(r->stack, span_of(arena_printf(r->stack->arena, "/dev/%.*s/%.*s", SPAN_ARG(r->lv->vg),
                                                                  SPAN_ARG(value)))),
                        false);
    }
}

static void read_pv(struct reading *r, struct span line)
{
    struct span value;
    if (field(line, "PV Name", &value) && span_starts(value, "/dev/")) {
        r->pv = stack_node(r->stack, value);
        if (r->pv != NULL && r->vg.len > 0) { /* below its group, as vgdisplay -v prints it */
            r->pv->is_pv = true;
            r->pv->vg = r->vg;
        }
    } else if (r->pv != NULL && field(line, "VG Name", &value)) {
        r->pv->is_pv = true;
        r->pv->vg = value;
    }
}

bool lvdisplay_read(struct stack *s, struct span text)
{
    enum { NOTHING, LV, PV, VG } part = NOTHING;
    struct reading r = {.stack = s};
    struct span line, value;
    bool some = false;
    while (span_line(&text, &line)) {
        if (lvdisplay_begins(line)) {
            part = is_heading(line, "Logical volume") ? LV : is_heading(line, "Volume group") ? VG : PV;
            r.lv = r.pv = NULL;
            r.vg = part == VG || !is_heading(line, "Physical volumes") ? (struct span){"", 0} : r.vg;
        } else if (part == LV) {
            read_lv(&r, line);
        } else if (part == PV) {
            read_pv(&r, line);
        } else if (part == VG && field(line, "VG Name", &value)) {
            r.vg = value;
        }
        some = some || r.lv != NULL || r.pv != NULL || r.vg.len > 0;
    }
    return some;
}
