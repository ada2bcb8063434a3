/* lsblk: a tree drawn in text, pairs (-P), or JSON. Depth in the drawing says who stands on whom: below a disk
 * what lies on it; with -s the other way round, told by a disk at the end of a branch. */
#include "probes/import/storage.h"

#include <string.h>

#include "advisor/base/parse.h"
#include "probes/import/columns.h"

#include "advisor/base/banned.h"

#define ROWS_MAX 4096u
#define DEPTH_MAX 32u

struct row {
    struct span name, kname, maj_min, size, type, fstype, uuid, model, transport, pkname;
    struct span mounts[8];
    size_t n_mounts, depth;
    size_t parent; /* its own index: none */
    bool last;     /* the drawing says that its parent has no more */
};

struct table {
    struct stack *stack;
    struct row *rows;
    size_t n;
};

static struct row *add_row(struct table *t)
{
    if (t->n == ROWS_MAX) {
        t->stack->full = true;
        return NULL;
    }
    t->rows = arena_list_room(t->stack->arena, t->rows, t->n, sizeof(*t->rows));
    struct row *r = &t->rows[t->n];
    memset(r, 0, sizeof(*r));
    r->parent = t->n++;
    return r;
}

static void add_mount(struct row *r, struct span target)
{
    if (r != NULL && span_starts(target, "/") && r->n_mounts < ARRAY_LEN(r->mounts)) {
        r->mounts[r->n_mounts++] = target;
    }
}

static int hex_of(char c)
{
    return c >= '0' && c <= '9' ? c - '0' : c >= 'a' && c <= 'f' ? c - 'a' + 10 : c >= 'A' && c <= 'F' ? c - 'A' + 10 : -1;
}

/* "my\x20data": how -P and -r write blanks. */
static struct span unescaped(struct arena *a, struct span s)
{
    if (!span_has(s, '\\')) {
        return s;
    }
    struct buf b;
    buf_init(&b, a, s.len + 1);
    for (size_t i = 0; i < s.len;) {
        const bool escape = i + 3 < s.len && s.ptr[i] == '\\' && s.ptr[i + 1] == 'x';
        const int high = escape ? hex_of(s.ptr[i + 2]) : -1, low = escape ? hex_of(s.ptr[i + 3]) : -1;
        const bool shown = high >= 2 && low >= 0 && high < 8 && high * 16 + low != 0x7f;
        buf_add_char(&b, shown ? (char)(high * 16 + low) : s.ptr[i]);
        i += shown ? 4 : 1;
    }
    return buf_span(&b);
}

/* One cell, by its heading. */
static void set_cell(struct row *r, struct span heading, struct span cell)
{
    const struct {
        const char *heading;
        struct span *cell;
    } cells[] = {{"NAME", &r->name},       {"KNAME", &r->kname},    {"MAJ:MIN", &r->maj_min},
                 {"UUID", &r->uuid},
                 {"SIZE", &r->size},       {"TYPE", &r->type},      {"FSTYPE", &r->fstype},
                 {"MODEL", &r->model},     {"TRAN", &r->transport}, {"PKNAME", &r->pkname}};
    if (span_starts(heading, "MOUNTPOINT")) {
        add_mount(r, cell);
        return; /* several stand in one, or on lines of their own */
    }
    for (size_t i = 0; i < ARRAY_LEN(cells); i++) {
        if (span_eq_nocase(heading, span_of(cells[i].heading)) && cells[i].cell != NULL && cell.len > 0) {
            *cells[i].cell = cell;
        }
    }
}

/* ---- from rows to the stack ------------------------------------------------------------------ */

static bool is_bottom(struct span type)
{
    return type.len == 0 || span_eq_text(type, "disk") || span_eq_text(type, "loop") || span_eq_text(type, "rom");
}

/* Does the drawing begin with what is mounted? Then disks hang below what stands on them: no branch begins with a
 * disk. (A disk of its own kind, as bcache is, may well stand on a partition.) */
static bool is_inverse(const struct table *t)
{
    for (size_t i = 0; i < t->n; i++) {
        size_t root = i;
        while (t->rows[root].parent != root) {
            root = t->rows[root].parent;
        }
        const struct row *p = &t->rows[t->rows[i].parent];
        const bool below = span_eq_text(t->rows[i].type, "disk") ||
                           (span_eq_text(t->rows[i].type, "part") && !is_bottom(p->type) &&
                            !span_starts(p->type, "raid") && !span_eq_text(p->type, "mpath"));
        if (root != i && below && !is_bottom(t->rows[root].type)) {
            return true;
        }
    }
    return false;
}

/* What a device holds says what stands on it, where the column TYPE is not there. */
static struct span type_of(const struct row *r, const struct row *below)
{
    if (r->type.len > 0 || below == r) {
        return r->type;
    }
    return span_eq_text(below->fstype, "LVM2_member")         ? SPAN_LIT("lvm")
           : span_eq_text(below->fstype, "crypto_LUKS")       ? SPAN_LIT("crypt")
           : span_eq_text(below->fstype, "mpath_member")      ? SPAN_LIT("mpath")
                                                              : r->type;
}

static void put_row(struct table *t, const struct row *r, bool inverse)
{
    struct stack *s = t->stack;
    struct stack_node *n = stack_node(s, r->name);
    uint64_t bytes = 0;
    if (n == NULL) {
        return;
    }
    n->type = n->type.len == 0 ? type_of(r, &t->rows[r->parent]) : n->type;
    n->model = n->model.len == 0 ? r->model : n->model;
    n->transport = n->transport.len == 0 ? r->transport : n->transport;
    stack_alias(s, r->maj_min, n->name); /* tables of the device mapper speak of numbers */
    stack_alias(s, r->kname, n->name);
    if (r->uuid.len > 0) {
        stack_alias(s, span_of(arena_printf(s->arena, "UUID=%.*s", SPAN_ARG(r->uuid))), n->name);
    }
    if (parse_u64(r->size, &bytes)) {
        stack_key_u64(s, n, "size", bytes);
    }
    for (size_t i = 0; i < r->n_mounts; i++) {
        const struct stack_mount m = {.target = r->mounts[i], .source = n->name, .fstype = r->fstype};
        stack_add_mount(s, &m);
    }
    const struct row *p = &t->rows[r->parent];
    const struct span other = p != r ? p->name : r->pkname;
    if (other.len > 0) {
        struct stack_node *o = stack_node(s, other); /* lists name one alone, also of what stands on several */
        n->one_of = p == r && !span_eq_text(n->type, "part") && !span_eq_text(n->type, "crypt");
        stack_stands_on(s, inverse && p != r ? o : n, inverse && p != r ? n : o, false);
    }
}

static bool put_rows(struct table *t)
{
    const bool inverse = is_inverse(t);
    for (size_t i = 0; i < t->n; i++) {
        put_row(t, &t->rows[i], inverse);
    }
    return t->n > 0;
}

/* ---- text ------------------------------------------------------------------------------------ */

/* zfs list has NAME and MOUNTPOINT too. */
static bool has_heading(const struct columns *c)
{
    static const char *const own[] = {"KNAME", "PKNAME", "PHY-SEC", "LOG-SEC", "ROTA", "SCHED", "TRAN", "DISC-GRAN", "HCTL"};
    for (size_t i = 0; i < ARRAY_LEN(own); i++) {
        if (columns_find(c, "NAME") >= 0 && columns_find(c, own[i]) >= 0) {
            return true;
        }
    }
    return columns_find(c, "NAME") >= 0 && columns_find(c, "AVAIL") < 0 && columns_find(c, "USED") < 0 &&
           columns_find(c, "REFER") < 0 && columns_find(c, "RECSIZE") < 0 &&
           (columns_find(c, "MAJ:MIN") >= 0 || columns_find(c, "FSTYPE") >= 0 ||
            columns_find(c, "MOUNTPOINT") >= 0 || columns_find(c, "MOUNTPOINTS") >= 0 ||
            (columns_find(c, "TYPE") >= 0 && columns_find(c, "SIZE") >= 0));
}

static bool is_pairs(struct span line)
{
    return span_starts(line, "NAME=\"") || span_starts(line, "KNAME=\"");
}

bool lsblk_begins(struct span line)
{
    struct columns c;
    return is_pairs(line) || (columns_read(&c, line) >= 2 && has_heading(&c));
}

/* NAME="sda" TYPE="disk" MOUNTPOINT="" */
static void read_pairs(struct table *t, struct span line)
{
    struct row *r = add_row(t);
    struct span name, value;
    while (r != NULL && span_split(&line, '=', &name) && span_starts(line, "\"")) {
        line = span_sub(line, 1, line.len);
        if (!span_split(&line, '"', &value)) {
            return;
        }
        set_cell(r, span_trim(name), unescaped(t->stack->arena, value));
    }
}

/* The row above at a lesser depth. */
static size_t parent_of(const struct table *t, size_t at)
{
    for (size_t i = at; i > 0; i--) {
        if (t->rows[i - 1].depth < t->rows[at].depth) {
            return i - 1;
        }
    }
    return at;
}

/* "└─" or "`-" before the name. */
static bool is_last(struct span line, struct span name)
{
    const struct span drawing = {line.ptr, (size_t)(name.ptr - line.ptr)};
    return span_contains(drawing, "\xe2\x94\x94") || span_contains(drawing, "`-");
}

/* Where blanks were squeezed, levels that were drawn with blanks look alike: what stands as deep as a row above that
 * was the last of its parent hangs below that row. */
static size_t parent_in(const struct table *t, size_t at)
{
    for (size_t i = at - 1;; i = t->rows[i].parent) {
        if (t->rows[i].depth == t->rows[at].depth) {
            return t->rows[i].last ? i : t->rows[i].parent == i ? parent_of(t, at) : t->rows[i].parent;
        }
        if (t->rows[i].parent == i) {
            return parent_of(t, at);
        }
    }
}

static bool is_number_pair(struct span word)
{
    struct span rest = word, major;
    uint64_t n = 0;
    return span_has(word, ':') && span_split(&rest, ':', &major) && parse_u64(major, &n) && parse_u64(rest, &n);
}

/* Texts of a squeezed row of which some are missing, by what they look like. */
static void read_squeezed(struct row *r, const struct columns *c, struct span line)
{
    static const char types[] = "disk,part,lvm,crypt,mpath,loop,rom,raid0,raid1,raid4,raid5,raid6,raid10,linear,dm,md";
    static const char systems[] = "ext2,ext3,ext4,xfs,btrfs,zfs_member,LVM2_member,crypto_LUKS,linux_raid_member,swap,vfat,f2fs,"
                                  "mpath_member,bcachefs,ntfs,iso9660,squashfs";
    struct span word;
    while (span_word(&line, &word)) {
        if (span_starts(word, "/")) {
            add_mount(r, word);
        } else if (columns_find(c, "TYPE") >= 0 && span_in_words(word, types)) {
            r->type = word;
        } else if (columns_find(c, "FSTYPE") >= 0 && span_in_words(word, systems)) {
            r->fstype = word;
        } else if (is_number_pair(word)) {
            r->maj_min = word;
        }
    }
}

static size_t count_words(struct span line)
{
    struct span word;
    size_t n = 0;
    for (; span_word(&line, &word); n++) {
    }
    return n;
}

/* Is it the first text of a squeezed line, or drawn as a branch? What only bars stand before goes on with the row above. */
static bool begins_row(struct span line, struct span name)
{
    const struct span front = {line.ptr, name.len > 0 ? (size_t)(name.ptr - line.ptr) : 0};
    return name.len > 0 && (front.len == 0 || span_ends(front, "-") || span_ends(front, "\xe2\x94\x80"));
}

static struct span after(struct span line, struct span cell)
{
    const char *end = cell.ptr + cell.len;
    return (struct span){end, (size_t)(line.ptr + line.len - end)};
}

static void read_row(struct table *t, const struct columns *c, struct span line)
{
    struct span cells[COLUMNS_MAX];
    size_t first = 0;
    columns_split(c, line, cells, &first);
    const size_t name = (size_t)columns_find(c, "NAME");
    const bool begins = begins_row(line, cells[name]);
    struct row *r = t->n > 0 ? &t->rows[t->n - 1] : NULL;
    if (c->squeezed ? begins : cells[name].len > 0 && first < (c->n > 1 ? c->from[1] : SIZE_MAX)) {
        r = add_row(t);
        if (r == NULL) {
            return;
        }
        r->depth = first / 2;
        r->last = is_last(line, cells[name]);
        r->parent = r->depth > 0 && r->depth <= DEPTH_MAX && t->n > 1 ? parent_in(t, t->n - 1) : r->parent;
    } else if (!c->squeezed && first < (c->n > 1 ? c->from[1] : 0)) {
        return;
    }
    if (c->squeezed && r != NULL && (!begins || count_words(line) < c->n)) {
        r->name = r->name.len > 0 ? r->name : cells[name];
        read_squeezed(r, c, begins ? after(line, cells[name]) : line);
        return;
    }
    /* else the columns of a name that took a line of its own, or one more mount point */
    for (size_t i = 0; r != NULL && i < c->n; i++) {
        set_cell(r, c->names[i], unescaped(t->stack->arena, cells[i]));
    }
}

bool lsblk_read(struct stack *s, struct span text)
{
    struct table t = {.stack = s};
    struct columns c = {.n = 0};
    struct span line;
    while (span_line(&text, &line)) {
        struct columns head;
        if (is_pairs(line)) {
            read_pairs(&t, line);
        } else if (columns_read(&head, line) >= 2 && has_heading(&head) &&
                   columns_find(&head, "NAME") == 0) {
            c = head;
        } else if (c.n > 0 && span_trim(line).len > 0) {
            read_row(&t, &c, line);
        }
    }
    return put_rows(&t);
}

/* ---- JSON ------------------------------------------------------------------------------------ */

static struct span text_of(struct arena *a, const struct json *object, const char *key)
{
    const struct json *j = json_get(object, key);
    struct buf b;
    buf_init(&b, a, 64);
    if (j != NULL && j->type == JSON_NUMBER) {
        num_print(&b, j->number);
        return buf_span(&b);
    }
    return j != NULL && j->type == JSON_STRING ? j->string : (struct span){"", 0};
}

static void read_mounts(struct row *r, const struct json *object)
{
    const struct json *list = json_get(object, "mountpoints");
    const char *one = json_get_str(object, "mountpoint");
    if (one != NULL) {
        add_mount(r, span_of(one));
    }
    for (size_t i = 0; list != NULL && list->type == JSON_ARRAY && i < list->n; i++) {
        if (list->items[i]->type == JSON_STRING) {
            add_mount(r, list->items[i]->string);
        }
    }
}

/* Depth is bounded by the reader of JSON. */
static void read_devices(struct table *t, const struct json *list, size_t parent, unsigned depth)
{
    static const char *const keys[] = {"name",  "kname", "maj:min", "size", "type",
                                       "fstype", "uuid",  "model",   "tran", "pkname"};
    for (size_t i = 0; list != NULL && list->type == JSON_ARRAY && i < list->n; i++) {
        const struct json *object = list->items[i];
        struct row *r = object->type == JSON_OBJECT && depth < DEPTH_MAX ? add_row(t) : NULL;
        if (r == NULL) {
            continue;
        }
        const size_t own = t->n - 1;
        r->parent = parent == SIZE_MAX ? own : parent;
        for (size_t k = 0; k < ARRAY_LEN(keys); k++) {
            set_cell(r, span_of(keys[k]), text_of(t->stack->arena, object, keys[k]));
        }
        read_mounts(r, object);
        read_devices(t, json_get(object, "children"), own, depth + 1);
    }
}

bool lsblk_read_json(struct stack *s, const struct json *doc)
{
    struct table t = {.stack = s};
    read_devices(&t, json_get(doc, "blockdevices"), SIZE_MAX, 0);
    return put_rows(&t);
}
