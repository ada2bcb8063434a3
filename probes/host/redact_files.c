/* Which file is redacted how, and the small kinds: lists, links, identifiers, udev. What is in no
 * row is text of the kernel: well-known words and numbers stay. */
#include "probes/host/redact_parts.h"

#include <string.h>

#include "probes/host/reply.h"

#include "advisor/base/banned.h"

/* What Azure puts into the chassis of every machine. */
#define AZURE_TAG "7783-7084-3265-9085-8269-3286-77"

static void as_paths(struct redactor *r, const char *key, struct span in, struct buf *out)
{
    (void)key;
    redact_add_text(r, out, in, &redact_path);
}

/* "name" or "name=value" with blanks between; a value with a '/' is a path. */
static void as_boot(struct redactor *r, const char *key, struct span in, struct buf *out)
{
    (void)key;
    struct span word;
    for (bool first = true; span_split(&in, ' ', &word); first = false) {
        const char *const equals = word.len > 0 ? memchr(word.ptr, '=', word.len) : NULL;
        const size_t n = equals == NULL ? word.len : (size_t)(equals - word.ptr);
        const struct span value = span_sub(word, n, word.len);
        const bool path = span_has(value, '/') && !span_starts(word, "BOOT_IMAGE=");
        buf_add_text(out, first ? "" : " ");
        redact_add_text(r, out, span_sub(word, 0, n), &redact_text);
        redact_add_text(r, out, value, path ? &redact_path : &redact_text);
    }
}

static void as_text(struct redactor *r, const char *key, struct span in, struct buf *out)
{
    (void)key;
    redact_add_text(r, out, in, &redact_text);
}

/* Models, firmware, makers: they say what it is, not whose. */
static void as_model(struct redactor *r, const char *key, struct span in, struct buf *out)
{
    (void)key;
    redact_add_kept(r, out, in);
}

/* The blanks around it stay: an attribute's newline, the padding of a page. */
static void as_identifier(struct redactor *r, const char *key, struct span in, struct buf *out)
{
    (void)key;
    const struct span id = span_trim(in);
    const size_t from = id.len == 0 ? in.len : (size_t)(id.ptr - in.ptr);
    buf_add_span(out, span_sub(in, 0, from));
    redact_add_whole(r, out, id);
    buf_add_span(out, span_sub(in, from + id.len, in.len));
}

static void as_asset_tag(struct redactor *r, const char *key, struct span in, struct buf *out)
{
    if (span_eq_text(span_trim(in), AZURE_TAG)) {
        buf_add_span(out, in);
    } else {
        as_identifier(r, key, in, out);
    }
}

/* '*' stands for any bytes but '/'. The first match counts. */
static const struct {
    const char *path;
    redact_kind kind;
} files[] = {
    {"/proc/*/net/unix", redact_unix},
    {"/proc/*/net/tcp", redact_tcp},
    {"/proc/*/net/tcp6", redact_tcp},
    {"/proc/*/mountinfo", redact_mountinfo},
    {"/proc/*/maps", as_paths},
    {"/proc/swaps", redact_swaps},
    {"/etc/fstab", redact_fstab},
    {"/proc/self/root/etc/fstab", redact_fstab},
    {"/proc/*/cgroup", redact_cgroup},
    {"/proc/*/cmdline", redact_cmdline},
    {"/proc/*/environ", redact_environment},
    {"/proc/*/comm", as_paths},
    {"/proc/cmdline", as_boot},
    {"/sys/class/block/*/loop/backing_file", as_paths},
    {"/sys/class/block/*/dm/name", as_paths},
    {"/sys/class/block/*/dm/uuid", as_paths},
    {"/sys/class/block/*/device/model", as_model},
    {"/sys/class/block/*/device/firmware_rev", as_model},
    {"/sys/class/block/*/device/rev", as_model},
    {"/sys/class/block/*/device/vendor", as_model},
    {"/sys/class/dmi/id/sys_vendor", as_model},
    {"/sys/class/dmi/id/product_name", as_model},
    {"/sys/class/dmi/id/chassis_asset_tag", as_asset_tag},
    {"/sys/class/block/*/serial", as_identifier},
    {"/sys/class/block/*/device/serial", as_identifier},
    {"/sys/class/nvme/*/serial", as_identifier},
    {"/sys/class/nvme/*/model", as_model},
    {"/sys/class/nvme/*/firmware_rev", as_model},
    {"/sys/class/nvme/*/device/aer_dev_*", as_model}, /* names of errors, as the kernel lists them */
    {"/sys/class/nvme/*/device/../aer_dev_*", as_model},
};

static bool matches(const char *pattern, const char *path)
{
    for (; *pattern != '\0'; pattern++) {
        if (*pattern == '*') {
            while (*path != '\0' && *path != '/') {
                path++;
            }
        } else if (*pattern != *path++) {
            return false;
        }
    }
    return *path == '\0';
}

redact_kind redact_kind_of_file(const char *path)
{
    for (size_t i = 0; i < ARRAY_LEN(files); i++) {
        if (matches(files[i].path, path)) {
            return files[i].kind;
        }
    }
    return span_starts(span_of(path), "/proc/") || span_starts(span_of(path), "/sys/") ||
                   strcmp(path, "/etc/os-release") == 0
               ? as_text
               : as_paths;
}

/* ---- lists and links ------------------------------------------------------------------------- */

/* In their order: a probe that looks at the first few looks at the same ones in replay. */
void redact_names(struct redactor *r, const char *key, struct span in, struct buf *out)
{
    (void)key;
    ARENA_AUTO scratch = arena_new();
    struct host_names names;
    struct err ignored = ERR_INIT;
    if (!reply_read_names(scratch, in, &names, &ignored)) {
        redact_add_text(r, out, in, &redact_path);
        return;
    }
    for (size_t i = 0; i < names.n; i++) {
        struct buf made;
        buf_init(&made, scratch, REDACT_BYTES_MAX);
        redact_add_text(r, &made, names.names[i], &redact_path);
        names.names[i] = buf_span(&made);
    }
    buf_add_span(out, reply_names(scratch, names.names, names.n));
}

/* "socket:[12345678]", "mnt:[4026531841]": a kind and an inode. */
static bool is_kernel_object(struct span s)
{
    size_t i = 0;
    while (i < s.len && ((s.ptr[i] >= 'a' && s.ptr[i] <= 'z') || s.ptr[i] == '_')) {
        i++;
    }
    if (i == 0 || i > 24 || !span_starts(span_sub(s, i, s.len), ":[") || !span_ends(s, "]")) {
        return false;
    }
    for (i += 2; i + 1 < s.len; i++) {
        if (s.ptr[i] < '0' || s.ptr[i] > '9') {
            return false;
        }
    }
    return true;
}

void redact_link(struct redactor *r, const char *key, struct span in, struct buf *out)
{
    (void)key;
    if (is_kernel_object(in)) {
        buf_add_span(out, in);
    } else {
        redact_add_text(r, out, in, &redact_path);
    }
}

void redact_uname(struct redactor *r, const char *key, struct span in, struct buf *out)
{
    ARENA_AUTO scratch = arena_new();
    struct host_uname u;
    struct err ignored = ERR_INIT;
    struct buf name, rest[4];
    if (!reply_read_uname(scratch, in, &u, &ignored)) {
        as_paths(r, key, in, out);
        return;
    }
    struct span *const others[] = {&u.sysname, &u.release, &u.version, &u.machine};
    for (size_t i = 0; i < ARRAY_LEN(others); i++) {
        buf_init(&rest[i], scratch, REDACT_BYTES_MAX);
        redact_add_text(r, &rest[i], *others[i], &redact_version);
        *others[i] = buf_span(&rest[i]);
    }
    buf_init(&name, scratch, REDACT_BYTES_MAX);
    redact_add_identity(r, &name, u.nodename);
    u.nodename = buf_span(&name);
    buf_add_span(out, reply_uname(scratch, &u));
}

/* ---- udev ------------------------------------------------------------------------------------ */

static const struct {
    const char *name;
    redact_kind kind;
} properties[] = {
    {"ID_MODEL", as_model},
    {"ID_REVISION", as_model},
    {"ID_VENDOR", as_model},
    {"ID_SERIAL_SHORT", as_identifier},
    {"ID_SCSI_SERIAL", as_identifier},
};

static void add_property(struct redactor *r, struct buf *out, struct span property)
{
    struct span value = property, name;
    if (!span_has(property, '=') || !span_split(&value, '=', &name)) {
        redact_add_text(r, out, property, &redact_path);
        return;
    }
    redact_add_text(r, out, name, &redact_text);
    buf_add_char(out, '=');
    for (size_t i = 0; i < ARRAY_LEN(properties); i++) {
        if (span_eq_text(name, properties[i].name)) {
            properties[i].kind(r, "", value, out);
            return;
        }
    }
    redact_add_text(r, out, value, &redact_path);
}

void redact_udev(struct redactor *r, const char *key, struct span in, struct buf *out)
{
    ARENA_AUTO scratch = arena_new();
    struct host_names names;
    struct err ignored = ERR_INIT;
    if (!reply_read_names(scratch, in, &names, &ignored)) {
        as_paths(r, key, in, out);
        return;
    }
    for (size_t i = 0; i < names.n; i++) {
        struct buf made;
        buf_init(&made, scratch, REDACT_BYTES_MAX);
        add_property(r, &made, names.names[i]);
        names.names[i] = buf_span(&made);
    }
    buf_add_span(out, reply_names(scratch, names.names, names.n));
}
