/* What is mounted where: mount, /proc/mounts, mountinfo, fstab, findmnt, df. */
#include "probes/import/storage.h"

#include <string.h>

#include "advisor/base/parse.h"
#include "probes/import/columns.h"
#include "probes/mountinfo.h"

#include "advisor/base/banned.h"

/* ---- lines of mount, /proc/mounts, fstab, mountinfo ------------------------------------------ */

/* "SOURCE on TARGET type FSTYPE (OPTIONS)": both names may hold " on " and blanks, so from the end. */
static bool mount_line(struct span line, struct stack_mount *ret)
{
    const char *type = NULL, *on = NULL, *open = NULL;
    for (size_t i = 0; i + 4 <= line.len; i++) {
        const struct span rest = span_sub(line, i, line.len);
        on = on == NULL && span_starts(rest, " on /") ? rest.ptr : on;
        type = on != NULL && span_starts(rest, " type ") ? rest.ptr : type;
        open = type != NULL && span_starts(rest, " (") ? rest.ptr : open;
    }
    if (type == NULL) {
        return false;
    }
    const char *end = line.ptr + line.len;
    const char *stop = open != NULL ? open : end;
    *ret = (struct stack_mount){
        .source = span_trim((struct span){line.ptr, (size_t)(on - line.ptr)}),
        .target = span_trim((struct span){on + 4, (size_t)(type - on - 4)}),
        .fstype = span_trim((struct span){type + 6, stop > type + 6 ? (size_t)(stop - type - 6) : 0})};
    if (open != NULL) {
        struct span options = span_trim((struct span){open + 2, (size_t)(end - open - 2)});
        const char *close = memrchr(options.ptr, ')', options.len); /* mount -l puts a label behind it */
        options.len = close != NULL ? (size_t)(close - options.ptr) : options.len;
        ret->options = options;
    }
    return ret->source.len > 0 && ret->target.len > 0 && ret->fstype.len > 0 && !span_has(ret->fstype, ' ');
}

/* "SOURCE on TARGET (zfs, local, noatime)", as BSD and macOS print it. */
static bool bsd_line(struct span line, struct stack_mount *ret)
{
    const char *on = memmem(line.ptr, line.len, " on /", 5);
    const char *open = on != NULL ? memmem(on, (size_t)(line.ptr + line.len - on), " (", 2) : NULL;
    if (open == NULL || !span_ends(line, ")")) {
        return false;
    }
    struct span rest = {open + 2, (size_t)(line.ptr + line.len - open - 3)}, fstype;
    if (!span_split(&rest, ',', &fstype) || span_has(fstype, ' ') || fstype.len == 0 || rest.len == 0 ||
        !span_starts(rest, " ")) {
        return false;
    }
    *ret = (struct stack_mount){.source = span_trim((struct span){line.ptr, (size_t)(on - line.ptr)}),
                                .target = span_trim((struct span){on + 4, (size_t)(open - on - 4)}),
                                .fstype = fstype};
    return ret->source.len > 0 && !span_has(ret->source, ' ');
}

static bool is_option_list(struct span s)
{
    static const char *const words[] = {"defaults", "rw", "ro", "noatime", "relatime", "nofail", "noauto"};
    for (size_t i = 0; i < ARRAY_LEN(words); i++) {
        if (mount_option(s, words[i], NULL)) {
            return true;
        }
    }
    return false;
}

/* A row of findmnt begins with its target, drawn or not, and goes on with its source. */
static bool is_findmnt_row(struct span first, struct span second)
{
    const bool drawn = (unsigned char)first.ptr[0] >= 0x80 || first.ptr[0] == '|' || first.ptr[0] == '`';
    return drawn || (span_starts(first, "/") && !span_starts(first, "//") && !span_starts(first, "/dev/") &&
                     span_starts(second, "/dev/"));
}

/* "SOURCE TARGET FSTYPE OPTIONS 0 0": the kernel's table, or fstab, whose sources are UUIDs and labels. Octal
 * escapes are the same as in mountinfo. */
static bool table_line(struct span line, struct stack_mount *ret)
{
    struct span part[6];
    size_t n = 0;
    while (n < ARRAY_LEN(part) && span_word(&line, &part[n])) {
        n++;
    }
    if (n < 4 || !span_starts(part[1], "/") || span_starts(part[0], "#") || span_has(part[2], '/') ||
        !is_option_list(part[3]) || is_findmnt_row(part[0], part[1])) {
        return false;
    }
    *ret = (struct stack_mount){.source = part[0], .target = part[1], .fstype = part[2], .options = part[3]};
    return true;
}

/* "24 30 0:22 / /sys rw,nosuid - sysfs sysfs rw": ids and a device number in front. */
static bool is_mountinfo(struct span line)
{
    struct span id, parent, device, major;
    uint64_t n;
    return span_word(&line, &id) && parse_u64(id, &n) && span_word(&line, &parent) && parse_u64(parent, &n) &&
           span_word(&line, &device) && span_has(device, ':') && span_split(&device, ':', &major) &&
           parse_u64(major, &n) && parse_u64(device, &n) && span_starts(span_trim(line), "/");
}

bool mount_begins(struct span line)
{
    struct stack_mount m;
    return mount_line(line, &m) || bsd_line(line, &m) || table_line(line, &m) || is_mountinfo(line);
}

static void add_mountinfo(struct stack *s, struct span line)
{
    struct mountinfo mi;
    mountinfo_parse(s->arena, line, &mi);
    for (size_t i = 0; i < mi.n; i++) {
        const struct mount *row = &mi.rows[i];
        const struct stack_mount m = {.target = row->mountpoint, .source = row->source, .fstype = row->fstype,
                                      .options = row->options, .root = row->root};
        stack_add_mount(s, &m);
    }
}

bool mount_read(struct stack *s, struct span text)
{
    struct span line;
    bool some = false;
    while (span_line(&text, &line)) {
        struct stack_mount m;
        if (is_mountinfo(line)) {
            add_mountinfo(s, line);
            some = true;
        } else if (mount_line(line, &m) || bsd_line(line, &m)) {
            stack_add_mount(s, &m);
            some = true;
        } else if (table_line(line, &m)) {
            m.source = mountinfo_unescape(s->arena, m.source);
            m.target = mountinfo_unescape(s->arena, m.target);
            stack_add_mount(s, &m);
            some = true;
        }
    }
    return some;
}

/* ---- findmnt --------------------------------------------------------------------------------- */

/* "/dev/sda1[/data]": a subvolume or a bind of a directory. */
static void put_findmnt(struct stack *s, struct stack_mount *m)
{
    if (span_ends(m->source, "]") && span_has(m->source, '[')) {
        struct span rest = m->source, source;
        if (span_split(&rest, '[', &source) && rest.len > 0) {
            m->source = source;
            m->root = span_sub(rest, 0, rest.len - 1);
        }
    }
    if (span_starts(m->target, "/")) {
        stack_add_mount(s, m);
    }
}

/* TARGET="/srv" SOURCE="/dev/sda1" FSTYPE="xfs" OPTIONS="rw" */
static bool is_pairs(struct span line)
{
    return span_starts(line, "TARGET=\"") || span_starts(line, "SOURCE=\"");
}

static void read_pairs(struct stack *s, struct span line)
{
    struct stack_mount m = {.target = {"", 0}};
    struct span name, value;
    while (span_split(&line, '=', &name) && span_starts(line, "\"")) {
        line = span_sub(line, 1, line.len);
        if (!span_split(&line, '"', &value)) {
            break;
        }
        name = span_trim(name);
        struct span *to = span_eq_text(name, "TARGET")    ? &m.target
                          : span_eq_text(name, "SOURCE")  ? &m.source
                          : span_eq_text(name, "FSTYPE")  ? &m.fstype
                          : span_eq_text(name, "OPTIONS") ? &m.options
                                                          : NULL;
        if (to != NULL) {
            *to = value;
        }
    }
    put_findmnt(s, &m);
}

bool findmnt_begins(struct span line)
{
    struct columns c;
    return is_pairs(line) || (columns_read(&c, line) >= 2 && columns_find(&c, "TARGET") >= 0 && columns_find(&c, "SOURCE") >= 0);
}

/* "/dev/mapper/vg-data[/sub dir]": the text in brackets may hold blanks, which no other text of a row does but the
 * target: so all from the bracket on to its end is one. */
static void join_brackets(struct span line, struct span *source)
{
    const char *end = line.ptr + line.len;
    if (span_has(*source, '[') && !span_ends(*source, "]")) {
        const char *close = memchr(source->ptr, ']', (size_t)(end - source->ptr));
        source->len = close != NULL ? (size_t)(close + 1 - source->ptr) : source->len;
    }
}

bool findmnt_read(struct stack *s, struct span text)
{
    struct columns c = {.n = 0};
    struct span line;
    bool some = false;
    while (span_line(&text, &line)) {
        struct span cells[COLUMNS_MAX];
        if (is_pairs(line)) {
            read_pairs(s, line);
            some = true;
            continue;
        }
        if (findmnt_begins(line)) {
            columns_read(&c, line);
            continue;
        }
        if (c.n == 0 || span_trim(line).len == 0) {
            continue;
        }
        columns_split(&c, line, cells, NULL);
        const int type = columns_find(&c, "FSTYPE"), options = columns_find(&c, "OPTIONS");
        struct stack_mount m = {.target = cells[columns_find(&c, "TARGET")],
                                .source = cells[columns_find(&c, "SOURCE")]};
        m.fstype = type >= 0 ? cells[type] : m.fstype;
        m.options = options >= 0 ? cells[options] : m.options;
        const size_t before = m.source.len;
        join_brackets(line, &m.source);
        if (m.source.len != before) {
            m.fstype = m.options = (struct span){"", 0}; /* of these columns nothing stands where it should */
        }
        put_findmnt(s, &m);
        some = true;
    }
    return some;
}

static struct span text_of(const struct json *object, const char *key)
{
    const struct json *j = json_get(object, key);
    return j != NULL && j->type == JSON_STRING ? j->string : (struct span){"", 0};
}

static bool findmnt_list(struct stack *s, const struct json *list, unsigned depth)
{
    bool some = false;
    for (size_t i = 0; list != NULL && list->type == JSON_ARRAY && i < list->n && depth < 32; i++) {
        const struct json *o = list->items[i];
        struct stack_mount m = {.target = text_of(o, "target"), .source = text_of(o, "source"),
                                .fstype = text_of(o, "fstype"), .options = text_of(o, "options")};
        put_findmnt(s, &m);
        some = some || m.target.len > 0;
        some = findmnt_list(s, json_get(o, "children"), depth + 1) || some;
    }
    return some;
}

bool findmnt_read_json(struct stack *s, const struct json *doc)
{
    return findmnt_list(s, json_get(doc, "filesystems"), 0);
}

/* ---- df -------------------------------------------------------------------------------------- */

/* "/dev/md0  5.2T  231G  5.0T   5% /local_1", also without its heading; df breaks a line behind a long name, so
 * *pending may hold it. */
static bool df_line(struct span line, struct span *pending, struct stack_mount *ret)
{
    struct span part[8], rest = line;
    size_t n = 0;
    while (n < ARRAY_LEN(part) && span_word(&rest, &part[n])) {
        n++;
        if (span_ends(part[n - 1], "%") && n >= 4) {
            break;
        }
    }
    const struct span target = span_trim(rest);
    if (n == 1 && (span_starts(part[0], "/dev/") || span_has(part[0], ':'))) {
        *pending = part[0];
        return false;
    }
    if (n < 4 || !span_ends(part[n - 1], "%") || !span_starts(target, "/")) {
        return false;
    }
    const bool broken = pending->len > 0;
    const size_t with_type = broken ? 5 : 6;
    *ret = (struct stack_mount){.target = target, .source = broken ? *pending : part[0]};
    if (n == with_type) {
        ret->fstype = part[n - 5];
    }
    *pending = (struct span){"", 0};
    return n == with_type || n + 1 == with_type;
}

static bool df_heading(struct span line)
{
    struct columns c;
    return columns_read(&c, line) >= 4 && columns_find(&c, "Filesystem") == 0 && /* dumpe2fs has labels that begin so */
           (columns_find(&c, "Mounted on") > 0 || columns_find(&c, "Used") > 0 || columns_find(&c, "IUsed") > 0);
}

bool df_begins(struct span line)
{
    struct stack_mount m;
    struct span pending = {"", 0};
    return df_heading(line) || (span_starts(line, "/dev/") && df_line(line, &pending, &m));
}

bool df_read(struct stack *s, struct span text)
{
    struct span line, pending = {"", 0};
    bool some = false;
    while (span_line(&text, &line)) {
        struct stack_mount m;
        some = some || df_heading(line); /* rows may follow as pieces of their own */
        if (df_line(line, &pending, &m)) {
            stack_add_mount(s, &m);
            some = true;
        }
    }
    return some;
}
