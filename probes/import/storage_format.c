/* Storage outputs in the frame: every reader of storage.h behind one format for texts and one for JSON; when all
 * files are read, the chains that follow. */
#include "probes/import/run.h"

#include <string.h>

#include "probes/import/storage.h"
#include "probes/import/storage_chain.h"

#include "advisor/base/banned.h"

#define LATER_MAX 256u /* texts that wait for others */
#define HEAD_LINES 12u /* a header stands at the front, behind a banner at most */

struct later {
    const struct storage_reader *reader;
    struct span text, command;
};

struct state {
    struct stack *stack;
    struct later later[LATER_MAX]; /* what is read again when all else was */
    size_t n_later;
};

static struct state *state_of(struct import *im)
{
    void **state = import_state(im, &import_storage);
    if (*state == NULL) {
        struct state *made = arena_calloc(im->arena, 1, sizeof(*made));
        made->stack = stack_new(im->arena);
        *state = made;
    }
    return *state;
}

/* The first reader that knows one of the first lines. */
static const struct storage_reader *reader_of(struct span text)
{
    struct span rest = text, line;
    for (unsigned k = 0; k < HEAD_LINES && span_line(&rest, &line); k++) {
        for (size_t i = 0; i < storage_n_readers; i++) {
            if (storage_readers[i].begins(line) || storage_readers[i].begins(span_trim(line))) {
                return &storage_readers[i];
            }
        }
    }
    return NULL;
}

static bool any_begins(struct span line)
{
    for (size_t i = 0; i < storage_n_readers; i++) {
        if (storage_readers[i].begins(line)) {
            return true;
        }
    }
    return false;
}

static unsigned sure(const struct import_piece *p)
{
    return reader_of(p->text) != NULL ||
                   reader_of(storage_headed(p->bag->arena, p->command, p->text)) != NULL
               ? IMPORT_HEADER
               : IMPORT_NO;
}

/* Lines of a table are no labels that went unused. */
static void mark_used(const struct import_piece *p)
{
    for (size_t i = 0; i < p->bag->n; i++) {
        p->bag->items[i].used = true;
    }
}

static bool read_text(struct import *im, const struct import_piece *p)
{
    const struct storage_reader *r = reader_of(p->text);
    const struct span text = r != NULL ? p->text : storage_headed(im->arena, p->command, p->text);
    r = r != NULL ? r : reader_of(text);
    struct state *st = state_of(im);
    mark_used(p);
    if (r == NULL) {
        return false;
    }
    if (r->twice && st->n_later < LATER_MAX) {
        st->later[st->n_later++] = (struct later){r, text, p->command};
    }
    st->stack->command = p->command;
    return r->read(st->stack, text);
}

/* ---- JSON ------------------------------------------------------------------------------------ */

static const struct {
    const char *key, *reader;
} json_keys[] = {{"blockdevices", "lsblk"}, {"filesystems", "findmnt"}, {"report", "lvm"},
                 {"pools", "zpool status"}, {"datasets", "zfs get"}};

static const struct storage_reader *json_reader(const struct import_piece *p)
{
    for (size_t k = 0; k < ARRAY_LEN(json_keys); k++) {
        const struct json *list = json_get(p->json, json_keys[k].key);
        for (size_t i = 0; list != NULL && (list->type == JSON_ARRAY || (k > 2 && list->type == JSON_OBJECT)) &&
                           i < storage_n_readers; i++) {
            if (strcmp(storage_readers[i].name, json_keys[k].reader) == 0) {
                return &storage_readers[i];
            }
        }
    }
    return NULL;
}

static unsigned sure_json(const struct import_piece *p)
{
    return json_reader(p) != NULL ? IMPORT_HEADER : IMPORT_NO;
}

static bool read_json(struct import *im, const struct import_piece *p)
{
    const struct storage_reader *const r = json_reader(p);
    mark_used(p);
    return r != NULL && r->read_json(state_of(im)->stack, p->json);
}

/* ---- the end --------------------------------------------------------------------------------- */

/* Models stand in outputs of nvme and smartctl. */
static void take_models(struct import *im, struct stack *s)
{
    for (size_t i = 0; i < im->n_devices; i++) {
        const struct import_device *d = im->devices[i];
        struct stack_node *n = d->name.len > 0 ? stack_find(s, d->name) : NULL;
        if (n != NULL && n->model.len == 0) {
            n->model = d->model;
        }
    }
}

/* A drive that only tools like nvme list spoke of. */
static void add_asked(struct import *im, struct stack *s)
{
    const struct span name = import_kernel_name(im->arena, span_of(im->ask));
    for (size_t i = 0; name.len > 0 && i < im->n_devices; i++) {
        struct stack_node *n = span_eq(im->devices[i]->name, name) ? stack_node(s, name) : NULL;
        if (n != NULL && n->type.len == 0) {
            n->type = SPAN_LIT("disk");
        }
    }
}

static void put_chain(struct import *im, const struct stack *s, struct span ask)
{
    struct chain *c = arena_alloc(im->arena, sizeof(*c));
    struct span rest = ask, pool;
    const char *label = span_starts(ask, "pool ") && span_split(&rest, ' ', &pool)
                            ? arena_printf(im->arena, "volume:%.*s", SPAN_ARG(span_trim(rest)))
                            : arena_printf(im->arena, "volume:%.*s", SPAN_ARG(ask));
    if (chain_of(s, ask, c)) {
        chain_facts(s, c, ask, im->store, label, "import of storage outputs");
        return;
    }
    const struct import_piece p = {.file = "import", .line = 0};
    import_warn(im, &p, "nothing tells what lies below '%.*s'", SPAN_ARG(ask));
}

/* Filesystems that may hold data: not the kernel's own, nor those of boot and packages. */
static bool may_hold_data(const struct stack *s, const struct stack_mount *m)
{
    static const char *const others[] = {"/boot", "/snap", "/run", "/sys", "/proc", "/dev", "/efi"};
    for (size_t i = 0; i < ARRAY_LEN(others); i++) {
        if (span_starts(m->target, others[i])) {
            return false;
        }
    }
    return span_starts(m->source, "/dev/") || stack_find(s, m->source) != NULL ||
           span_eq_text(m->fstype, "zfs") || span_starts(m->fstype, "nfs");
}

static void end(struct import *im)
{
    const struct state *st = im->ask != NULL ? state_of(im) : *import_state(im, &import_storage);
    if (st == NULL) {
        return;
    }
    struct stack *s = st->stack;
    for (size_t i = 0; i < st->n_later; i++) {
        s->command = st->later[i].command;
        (void)st->later[i].reader->read(s, st->later[i].text);
    }
    lvm_end(s);
    if (im->ask != NULL) {
        add_asked(im, s);
    }
    take_models(im, s);
    if (im->ask != NULL) {
        put_chain(im, s, span_of(im->ask));
        return;
    }
    for (size_t i = 0; i < s->n_mounts; i++) {
        if (may_hold_data(s, &s->mounts[i])) {
            put_chain(im, s, s->mounts[i].target);
        }
    }
    for (size_t i = 0; i < s->n_nodes && s->n_mounts == 0; i++) {
        if (s->nodes[i].is_pool) {
            put_chain(im, s, span_of(arena_printf(im->arena, "pool %.*s", SPAN_ARG(s->nodes[i].name))));
        }
    }
}

const struct import_format import_storage = {
    .name = "storage tools",
    .doc = "lsblk, mount, findmnt, df, /proc/mounts, mountinfo, fstab, mdstat, mdadm --detail, lvs, pvs, vgs,\n"
           "    lvdisplay, pvdisplay, vgdisplay, dmsetup table and ls --tree, cryptsetup status, multipath -ll, blkid,\n"
           "    fdisk -l, zpool status, list, iostat and get, zfs get and list, btrfs filesystem show, df and usage,\n"
           "    xfs_info, dumpe2fs -h: what lies below a path (--ask)",
    .begins = any_begins,
    .last = "*", /* a row that is left out says more that is wrong than one that is cut */
    .sure = sure,
    .read = read_text,
    .end = end,
};

const struct import_format import_storage_json = {
    .name = "storage tools, JSON",
    .doc = "lsblk -J, findmnt -J, lvs, pvs and vgs --reportformat json, zpool and zfs -j",
    .json = true,
    .sure = sure_json,
    .read = read_json,
};
