/* Outputs of a few lines each: cryptsetup status, multipath -ll, blkid, fdisk -l, xfs_info,
 * dumpe2fs -h. */
#include "probes/import/storage.h"

#include <string.h>

#include "advisor/base/parse.h"

#include "advisor/base/banned.h"

/* The text behind "label:" of a line that begins with it. */
static bool field(struct span line, const char *label, struct span *ret)
{
    const struct span s = span_trim(line);
    if (!span_starts(s, label)) {
        return false;
    }
    *ret = span_trim(span_sub(s, strlen(label), s.len));
    return true;
}

/* ---- cryptsetup status ----------------------------------------------------------------------- */

bool crypt_begins(struct span line)
{
    return span_starts(line, "/dev/mapper/") && span_contains(line, " is active");
}

bool crypt_read(struct stack *s, struct span text)
{
    struct stack_node *n = NULL;
    struct span line, value, name;
    while (span_line(&text, &line)) {
        if (crypt_begins(line) && span_word(&line, &name)) {
            n = stack_node(s, name);
            if (n != NULL) {
                n->type = n->type.len == 0 ? SPAN_LIT("crypt") : n->type;
            }
        } else if (n != NULL && field(line, "device:", &value)) {
            stack_stands_on(s, n, stack_node(s, value), false);
        } else if (n != NULL && field(line, "cipher:", &value)) {
            stack_key(s, n, "cipher", value);
        } else if (n != NULL && field(line, "sector size:", &value)) {
            stack_key(s, n, "sector", value);
        } else if (n != NULL && field(line, "flags:", &value)) {
            const bool both = span_contains(value, "no_read_workqueue") && span_contains(value, "no_write_workqueue");
            stack_key(s, n, "workqueue", both ? SPAN_LIT("off") : SPAN_LIT("on"));
        }
    }
    return n != NULL;
}

/* ---- multipath -ll --------------------------------------------------------------------------- */

/* "mpatha (3600508b4) dm-2 VENDOR,MODEL" */
bool multipath_begins(struct span line)
{
    struct span name, word;
    const bool plain = line.len > 0 && line.ptr[0] != ' ' && line.ptr[0] != '|' && line.ptr[0] != '`';
    if (!plain || !span_word(&line, &name)) {
        return false;
    }
    while (span_word(&line, &word)) {
        if (span_starts(word, "dm-") && span_has(line, ',')) {
            return true;
        }
    }
    return false;
}

/* "| `- 1:0:0:1 sdb 8:16 active ready running" */
static void path_line(struct stack *s, struct stack_node *map, struct span line)
{
    struct span word, before = {"", 0};
    while (span_word(&line, &word)) {
        const char *colon = memchr(word.ptr, ':', word.len);
        if (colon != NULL && before.len > 0 && (span_starts(before, "sd") || span_starts(before, "nvme"))) {
            stack_stands_on(s, map, stack_node(s, before), span_contains(line, "failed") || span_contains(line, "faulty"));
            return;
        }
        before = word;
    }
}

bool multipath_read(struct stack *s, struct span text)
{
    struct stack_node *map = NULL;
    struct span line, name, word;
    while (span_line(&text, &line)) {
        if (!multipath_begins(line)) {
            if (map != NULL) {
                path_line(s, map, line);
            }
            continue;
        }
        (void)span_word(&line, &name);
        map = stack_node(s, name);
        while (map != NULL && span_word(&line, &word)) {
            map->type = map->type.len == 0 ? SPAN_LIT("mpath") : map->type;
            if (span_starts(word, "dm-")) {
                stack_alias(s, word, name);
            }
        }
    }
    return map != NULL;
}

/* ---- blkid ----------------------------------------------------------------------------------- */

bool blkid_begins(struct span line)
{
    return span_starts(line, "/dev/") && span_contains(line, ": ") && span_contains(line, " TYPE=\"");
}

/* The names that fstab may use for it. */
static void put_labels(struct stack *s, struct span line, struct span name)
{
    static const char *const keys[] = {"UUID", "LABEL", "PARTUUID", "PARTLABEL"};
    for (size_t i = 0; i < ARRAY_LEN(keys); i++) {
        const char *want = arena_printf(s->arena, " %s=\"", keys[i]);
        const char *at = memmem(line.ptr, line.len, want, strlen(want));
        struct span rest = at != NULL ? (struct span){at + strlen(want), (size_t)(line.ptr + line.len - at) - strlen(want)}
                                      : (struct span){"", 0};
        struct span value;
        if (span_split(&rest, '"', &value) && value.len > 0) {
            stack_alias(s, span_of(arena_printf(s->arena, "%s=%.*s", keys[i], SPAN_ARG(value))), name);
        }
    }
}

bool blkid_read(struct stack *s, struct span text)
{
    struct span line, name, value;
    bool some = false;
    while (span_line(&text, &line)) {
        if (!blkid_begins(line) || !span_split(&line, ':', &name)) {
            continue;
        }
        const char *at = memmem(line.ptr, line.len, " TYPE=\"", 7);
        struct span rest = span_sub(line, (size_t)(at - line.ptr) + 7, line.len);
        if (span_split(&rest, '"', &value)) {
            stack_key(s, stack_node(s, name), "holds", value);
            put_labels(s, line, name);
            some = true;
        }
    }
    return some;
}

/* ---- fdisk -l -------------------------------------------------------------------------------- */

/* "Disk /dev/nvme0n1: 1.75 TiB, 1920383410176 bytes, 3750748848 sectors" */
bool fdisk_begins(struct span line)
{
    return span_starts(line, "Disk /dev/") && span_contains(line, " bytes");
}

static void disk_line(struct stack *s, struct span line)
{
    struct span rest = span_sub(line, strlen("Disk "), line.len), name, part;
    uint64_t bytes = 0;
    if (!span_split(&rest, ':', &name)) {
        return;
    }
    struct stack_node *n = stack_node(s, name);
    while (span_split(&rest, ',', &part)) {
        struct span words = span_trim(part), word;
        if (span_ends(words, " bytes") && span_word(&words, &word) && parse_u64(word, &bytes)) {
            stack_key_u64(s, n, "size", bytes);
        }
    }
}

bool fdisk_read(struct stack *s, struct span text)
{
    struct span line, word;
    uint64_t sector = 0, start = 0;
    bool some = false;
    while (span_line(&text, &line)) {
        struct span rest = line, value;
        if (fdisk_begins(line)) {
            disk_line(s, line);
            some = true;
        } else if (field(line, "Units: sectors of ", &value)) {
            sector = span_contains(value, "4096 bytes") ? 4096 : span_contains(value, "512 bytes") ? 512 : 0;
        } else if (span_starts(line, "/dev/") && span_word(&rest, &word)) {
            struct stack_node *n = stack_node(s, word);
            (void)span_word(&rest, &value);
            if (span_eq_text(value, "*")) {
                (void)span_word(&rest, &value);
            }
            if (sector > 0 && parse_u64(value, &start) && start < UINT64_MAX / sector) {
                stack_key_u64(s, n, "start", start * sector);
            }
        }
    }
    return some;
}

/* ---- xfs_info, dumpe2fs ---------------------------------------------------------------------- */

bool xfsinfo_begins(struct span line)
{
    return span_starts(line, "meta-data=");
}

/* The number behind "key=" in a line of "a=1 blks, b=2". */
static bool pair(struct span line, const char *key, uint64_t *ret)
{
    const char *at = memmem(line.ptr, line.len, key, strlen(key));
    if (at == NULL) {
        return false;
    }
    struct span rest = {at + strlen(key), (size_t)(line.ptr + line.len - at - (ptrdiff_t)strlen(key))};
    size_t n = 0;
    while (n < rest.len && rest.ptr[n] >= '0' && rest.ptr[n] <= '9') {
        n++;
    }
    return parse_u64(span_sub(rest, 0, n), ret);
}

/* "xfs_info /srv" tells where the device is mounted. */
static void put_asked(struct stack *s, struct span source)
{
    const struct span path = stack_asked(s);
    const struct stack_mount m = {.target = path, .source = source, .fstype = SPAN_LIT("xfs")};
    if (path.len > 0 && span_starts(source, "/dev/") && !span_starts(path, "/dev/")) {
        stack_add_mount(s, &m);
    }
}

bool xfsinfo_read(struct stack *s, struct span text)
{
    struct stack_node *n = NULL;
    struct span line, word, part = {"", 0};
    while (span_line(&text, &line)) {
        uint64_t v = 0;
        part = line.len > 0 && line.ptr[0] != ' ' ? line : part;
        if (xfsinfo_begins(line)) {
            struct span rest = span_sub(line, strlen("meta-data="), line.len);
            n = span_word(&rest, &word) ? stack_node(s, word) : NULL;
            stack_key(s, n, "holds", SPAN_LIT("xfs"));
            put_asked(s, word);
        }
        if (n != NULL && span_starts(part, "meta-data=") && pair(line, "agcount=", &v)) {
            stack_key_u64(s, n, "agcount", v);
        }
        if (n != NULL && span_starts(line, "data ") && pair(line, "bsize=", &v)) {
            stack_key_u64(s, n, "fsblock", v);
        }
    }
    return n != NULL;
}

bool ext4_begins(struct span line)
{
    return span_starts(line, "Filesystem volume name:"); /* behind a banner that may have gone elsewhere */
}

/* It does not name its device: the command line does. Where it was mounted last is an old story, and said of it alone. */
bool ext4_read(struct stack *s, struct span text)
{
    const struct span device = stack_asked(s);
    struct span line, value, mounted = {"", 0}, block = {"", 0};
    while (span_line(&text, &line)) {
        if (field(line, "Last mounted on:", &value)) {
            mounted = value;
        } else if (field(line, "Block size:", &value)) {
            block = value;
        }
    }
    const bool named = span_starts(device, "/dev/");
    const struct stack_mount m = {.target = mounted, .source = named ? device : (struct span){"", 0},
                                  .fstype = SPAN_LIT("ext4")};
    if (block.len == 0) {
        return false;
    }
    if (span_starts(mounted, "/")) {
        stack_add_mount(s, &m);
    }
    if (named) {
        stack_key(s, stack_node(s, device), "fsblock", block);
    }
    return named || span_starts(mounted, "/");
}
