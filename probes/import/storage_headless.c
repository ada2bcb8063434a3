/* Tables whose headings an option left off ("findmnt -n", "lvs --noheadings", "zfs list -H"): the command line says
 * what they were. */
#include "probes/import/storage.h"

#include <string.h>

#include "advisor/base/banned.h"

/* Columns that are there without -o. lsblk is not among them: its cells may be empty, so headings need their places. */
static const struct {
    const char *tool, *columns;
} tools[] = {
    {"findmnt", "TARGET SOURCE FSTYPE OPTIONS"},
    {"lvs", "LV VG Attr LSize"},
    {"pvs", "PV VG Fmt Attr PSize PFree"},
    {"zfs", "NAME USED AVAIL REFER MOUNTPOINT"},
};

/* What options call a column, and what its heading is; others are the name in capitals. */
static const struct {
    const char *option, *heading;
} names[] = {
    {"lv_name", "LV"},       {"vg_name", "VG"},         {"pv_name", "PV"},           {"segtype", "Type"},
    {"seg_type", "Type"},    {"stripes", "#Str"},       {"stripe_size", "Stripe"},   {"stripesize", "Stripe"},
    {"devices", "Devices"},  {"lv_attr", "Attr"},       {"lv_size", "LSize"},        {"pool_lv", "Pool"},
    {"recordsize", "RECSIZE"}, {"compression", "COMPRESS"},
};

static void add_heading(struct buf *b, struct span option)
{
    buf_add_text(b, b->len > 0 ? " " : "");
    for (size_t i = 0; i < ARRAY_LEN(names); i++) {
        if (span_eq_text(option, names[i].option)) {
            buf_add_text(b, names[i].heading);
            return;
        }
    }
    for (size_t i = 0; i < option.len; i++) {
        const char c = option.ptr[i];
        buf_add_char(b, c >= 'a' && c <= 'z' ? (char)(c - 'a' + 'A') : c);
    }
}

static const char *columns_of(struct span command)
{
    struct span word;
    if (!span_word(&command, &word)) {
        return NULL;
    }
    const char *slash = memrchr(word.ptr, '/', word.len);
    word = slash != NULL ? span_sub(word, (size_t)(slash + 1 - word.ptr), word.len) : word;
    for (size_t i = 0; i < ARRAY_LEN(tools); i++) {
        if (span_eq_text(word, tools[i].tool)) {
            return strcmp(tools[i].tool, "zfs") != 0 || span_contains(command, "list") ? tools[i].columns : NULL;
        }
    }
    return NULL;
}

/* Does it leave the headings off? *ret_list: what -o names, also at the end of "-no". */
static bool is_headless(struct span command, struct span *ret_list)
{
    struct span word;
    bool off = false, next = false;
    *ret_list = (struct span){"", 0};
    for (; span_word(&command, &word); next = !next && word.len > 1 && word.ptr[0] == '-' && word.ptr[1] != '-' && span_ends(word, "o")) {
        if (next) {
            *ret_list = word;
        }
        const bool flags = word.len > 1 && word.ptr[0] == '-' && word.ptr[1] != '-';
        off = off || span_eq_text(word, "--noheadings") || (flags && (span_has(word, 'n') || span_has(word, 'H')));
    }
    return off;
}

struct span storage_headed(struct arena *a, struct span command, struct span text)
{
    const char *columns = columns_of(command);
    struct span list, one;
    struct buf b;
    if (columns == NULL || !is_headless(command, &list) || span_starts(list, "+")) {
        return text;
    }
    buf_init(&b, a, text.len + 1000);
    while (span_split(&list, ',', &one) && b.len < 900) {
        add_heading(&b, span_trim(one));
    }
    if (b.len == 0) {
        buf_add_text(&b, columns);
    }
    buf_add_char(&b, '\n');
    buf_add_span(&b, text);
    return buf_span(&b);
}
