/* Files of /proc with columns of their own: mounts, sockets, control groups, command lines. What is
 * not of the expected form is taken as paths: nothing but well-known words stays. */
#include "probes/host/redact_parts.h"

#include <string.h>

#include "advisor/base/banned.h"

/* ---- mounts ---------------------------------------------------------------------------------- */

static bool octal_at(struct span s, size_t i, char *ret)
{
    unsigned v = 0;
    if (s.len - i < 4 || s.ptr[i] != '\\') {
        return false;
    }
    for (size_t k = 1; k < 4; k++) {
        if (s.ptr[i + k] < '0' || s.ptr[i + k] > '7') {
            return false;
        }
        v = v * 8 + (unsigned)(s.ptr[i + k] - '0');
    }
    *ret = (char)(unsigned char)v;
    return v <= 255;
}

/* \040 and its like as bytes. */
static struct span plain(struct arena *a, struct span s)
{
    struct buf b;
    buf_init(&b, a, s.len);
    for (size_t i = 0; i < s.len;) {
        char c = '\0';
        const bool escaped = octal_at(s, i, &c);
        buf_add_char(&b, escaped ? c : s.ptr[i]);
        i += escaped ? 4 : 1;
    }
    return buf_span(&b);
}

static void add_escaped(struct buf *out, struct span s)
{
    for (size_t i = 0; i < s.len; i++) {
        const char c = s.ptr[i];
        if (c == ' ' || c == '\t' || c == '\n' || c == '\\' || c == '\0') {
            buf_printf(out, "\\%03o", (unsigned)(unsigned char)c);
        } else {
            buf_add_char(out, c);
        }
    }
}

/* Options that name a host, an account or a domain. */
static bool is_whose(struct span option)
{
    static const char *const names[] = {"addr", "mountaddr", "clientaddr", "username",
                                        "user", "domain",    "name"};
    for (size_t i = 0; i < ARRAY_LEN(names); i++) {
        if (span_eq_text(option, names[i])) {
            return true;
        }
    }
    return false;
}

/* "key" or "key=value", with commas between: the kernel's words stay, whatever was chosen goes. */
static void add_options(struct redactor *r, struct buf *out, struct span list)
{
    struct span one;
    for (bool first = true; span_split(&list, ',', &one); first = false) {
        const char *const equals = one.len > 0 ? memchr(one.ptr, '=', one.len) : NULL;
        const size_t n = equals == NULL ? one.len : (size_t)(equals - one.ptr);
        const struct span value = span_sub(one, n, one.len);
        buf_add_text(out, first ? "" : ",");
        redact_add_text(r, out, span_sub(one, 0, n), &redact_text);
        if (value.len > 0 && is_whose(span_sub(one, 0, n))) {
            buf_add_char(out, '=');
            redact_add_identity(r, out, span_sub(value, 1, value.len));
        } else {
            redact_add_text(r, out, value, span_has(value, '/') ? &redact_path : &redact_text);
        }
    }
}

/* "HOST", "HOST:PORT", several of them with commas between. */
static void add_hosts(struct redactor *r, struct buf *out, struct span hosts)
{
    struct span one;
    for (bool first = true; span_split(&hosts, ',', &one); first = false) {
        const char *const colon = one.len > 0 ? memchr(one.ptr, ':', one.len) : NULL;
        const bool port = colon != NULL && one.ptr[0] != '[' &&
                          redact_is_digits(span_sub(one, (size_t)(colon - one.ptr) + 1, one.len));
        const size_t n = port ? (size_t)(colon - one.ptr) : one.len;
        buf_add_text(out, first ? "" : ",");
        redact_add_identity(r, out, span_sub(one, 0, n));
        buf_add_span(out, span_sub(one, n, one.len));
    }
}

/* "HOST:/path", "//HOST/share": a host's name goes even where its words are well-known ones. */
static void add_source(struct redactor *r, struct buf *out, struct span source)
{
    const bool share = span_starts(source, "//");
    const size_t from = share ? 2 : 0;
    size_t n = from;
    while (n < source.len && source.ptr[n] != '/') {
        n++;
    }
    const bool remote = n > from + 1 && n < source.len && (share || source.ptr[n - 1] == ':');
    if (remote) {
        n -= share ? 0 : 1;
        buf_add_span(out, span_sub(source, 0, from));
        add_hosts(r, out, span_sub(source, from, n - from));
        source = span_sub(source, n, source.len);
    }
    redact_add_text(r, out, source, &redact_path);
}

enum mount_field { MOUNT_PATH, MOUNT_OPTIONS, MOUNT_SOURCE };

static void add_field(struct redactor *r, struct buf *out, struct span field, enum mount_field kind)
{
    ARENA_AUTO scratch = arena_new();
    struct buf made;
    buf_init(&made, scratch, REDACT_BYTES_MAX);
    const struct span text = plain(scratch, field);
    if (kind == MOUNT_OPTIONS) {
        add_options(r, &made, text);
    } else if (kind == MOUNT_SOURCE) {
        add_source(r, &made, text);
    } else {
        redact_add_text(r, &made, text, &redact_path);
    }
    add_escaped(out, buf_span(&made));
}

/* Fields up to the lone '-' by number: 3 and 4 are paths, 5 options; behind it type, source,
 * options. */
static void add_mount(struct redactor *r, struct buf *out, struct span line)
{
    struct span field;
    size_t tail = 0;
    for (size_t i = 0; span_split(&line, ' ', &field); i++) {
        buf_add_text(out, i == 0 ? "" : " ");
        const enum mount_field kind = i == 5 || tail == 3 ? MOUNT_OPTIONS
                                      : tail == 2         ? MOUNT_SOURCE
                                                          : MOUNT_PATH;
        if (i < 3 || (i > 5 && tail == 0)) {
            redact_add_text(r, out, field, &redact_text); /* numbers, "shared:12" */
        } else {
            add_field(r, out, field, kind);
        }
        if (tail > 0 || (i > 5 && span_eq_text(field, "-"))) {
            tail++;
        }
    }
}

/* "source path type options", a blank between them. */
static void add_wanted(struct redactor *r, struct buf *out, struct span line)
{
    static const enum mount_field kinds[] = {MOUNT_SOURCE, MOUNT_PATH, MOUNT_PATH, MOUNT_OPTIONS};
    struct span field;
    for (size_t i = 0; span_split(&line, ' ', &field); i++) {
        buf_add_text(out, i == 0 ? "" : " ");
        add_field(r, out, field, i < ARRAY_LEN(kinds) ? kinds[i] : MOUNT_PATH);
    }
}

/* "path type size used priority", blanks and tabs between them. */
static void add_area(struct redactor *r, struct buf *out, struct span line)
{
    size_t n = 0;
    while (n < line.len && line.ptr[n] != ' ' && line.ptr[n] != '\t') {
        n++;
    }
    const struct span path = span_sub(line, 0, n);
    if (span_eq_text(path, "Filename")) {
        buf_add_span(out, path); /* of the heading */
    } else {
        add_field(r, out, path, MOUNT_PATH);
    }
    redact_add_text(r, out, span_sub(line, n, line.len), &redact_text);
}

static void add_lines(struct redactor *r, struct span in, struct buf *out,
                      void (*add)(struct redactor *r, struct buf *out, struct span line))
{
    const bool ends = in.len == 0 || in.ptr[in.len - 1] == '\n';
    struct span line;
    for (bool first = true; span_split(&in, '\n', &line); first = false) {
        buf_add_text(out, first ? "" : "\n");
        add(r, out, line);
    }
    buf_add_text(out, ends && out->len > 0 ? "\n" : "");
}

void redact_fstab(struct redactor *r, const char *key, struct span in, struct buf *out)
{
    (void)key;
    add_lines(r, in, out, add_wanted);
}

void redact_swaps(struct redactor *r, const char *key, struct span in, struct buf *out)
{
    (void)key;
    add_lines(r, in, out, add_area);
}

void redact_mountinfo(struct redactor *r, const char *key, struct span in, struct buf *out)
{
    (void)key;
    add_lines(r, in, out, add_mount);
}

/* ---- sockets --------------------------------------------------------------------------------- */

/* "Num: RefCount Protocol Flags Type St Inode Path": numbers, then what was chosen. */
void redact_unix(struct redactor *r, const char *key, struct span in, struct buf *out)
{
    (void)key;
    const bool ends = in.len == 0 || in.ptr[in.len - 1] == '\n';
    struct span line, word;
    for (bool first = true; span_split(&in, '\n', &line); first = false) {
        struct span rest = line;
        buf_add_text(out, first ? "" : "\n");
        if (first) {
            redact_add_text(r, out, line, &redact_text); /* the heading */
            continue;
        }
        for (size_t i = 0; i < 7; i++) {
            (void)span_word(&rest, &word);
        }
        const size_t columns = line.len - rest.len;
        /* addresses of kernel objects are hexadecimal; nothing in these columns is a name */
        for (size_t i = 0; i < columns; i++) {
            const char c = line.ptr[i];
            const bool number = memchr("0123456789abcdefABCDEF: \t", c, 25) != NULL;
            buf_add_char(out, number ? c : '?');
        }
        redact_add_text(r, out, rest, &redact_path);
    }
    buf_add_text(out, ends && out->len > 0 ? "\n" : "");
}

/* Both addresses of a row become zero; ports, states and inodes stay. */
void redact_tcp(struct redactor *r, const char *key, struct span in, struct buf *out)
{
    (void)key;
    (void)r;
    for (size_t i = 0; i < in.len;) {
        size_t n = 0;
        while (i + n < in.len && memchr("0123456789abcdefABCDEF", in.ptr[i + n], 22) != NULL) {
            n++;
        }
        const bool address = (n == 8 || n == 32) && i + n < in.len && in.ptr[i + n] == ':';
        for (size_t k = 0; k < n; k++) {
            buf_add_char(out, address ? '0' : in.ptr[i + k]);
        }
        i += n;
        if (i < in.len) {
            buf_add_char(out, memchr(": \n", in.ptr[i], 3) != NULL ? in.ptr[i] : '?');
            i++;
        }
    }
}

/* ---- control groups -------------------------------------------------------------------------- */

/* "12:cpu,cpuacct:/path", "0::/path" */
void redact_cgroup(struct redactor *r, const char *key, struct span in, struct buf *out)
{
    (void)key;
    while (in.len > 0) {
        size_t n = 0;
        while (n < in.len && in.ptr[n] != ':' && in.ptr[n] != '\n') {
            n++;
        }
        if (n == 0) {
            buf_add_char(out, in.ptr[0]);
            in = span_sub(in, 1, in.len);
            continue;
        }
        redact_add_text(r, out, span_sub(in, 0, n), &redact_path);
        in = span_sub(in, n, in.len);
    }
}

/* ---- command lines --------------------------------------------------------------------------- */

/* "--name=value", "--name", "-Xvalue", a value by itself. `pending` is the name that waits for its.
 */
static void add_argument(struct redactor *r, struct buf *out, struct span arg, struct span *pending)
{
    const char *const equals = arg.len > 0 ? memchr(arg.ptr, '=', arg.len) : NULL;
    const size_t n = equals == NULL ? arg.len : (size_t)(equals - arg.ptr);
    if (span_starts(arg, "--") && n > 2) {
        const struct span name = span_sub(arg, 2, n - 2);
        buf_add_text(out, "--");
        redact_add_text(r, out, name, &redact_option);
        *pending = equals == NULL ? name : (struct span){"", 0};
        if (equals != NULL) {
            buf_add_char(out, '=');
            redact_add_value(r, out, name, span_sub(arg, n + 1, arg.len));
        }
        return;
    }
    if (arg.len >= 2 && arg.ptr[0] == '-') {
        static const char letters[] = "uhbtSP";
        static const char *const names[] = {"user",   "basedir", "basedir",
                                            "tmpdir", "socket",  "port"};
        const char *const hit = memchr(letters, arg.ptr[1], sizeof(letters) - 1);
        const struct span name = hit == NULL ? SPAN_LIT("path") : span_of(names[hit - letters]);
        buf_add_span(out, span_sub(arg, 0, 2));
        redact_add_value(r, out, name, span_sub(arg, 2, arg.len));
        *pending = arg.len == 2 ? name : (struct span){"", 0};
        return;
    }
    redact_add_value(r, out, pending->len > 0 ? *pending : SPAN_LIT("path"), arg);
    *pending = (struct span){"", 0};
}

void redact_cmdline(struct redactor *r, const char *key, struct span in, struct buf *out)
{
    (void)key;
    struct span pending = {"", 0};
    const bool ends = in.len > 0 && in.ptr[in.len - 1] == '\0';
    struct span arg;
    for (bool first = true; span_split(&in, '\0', &arg); first = false) {
        if (!first) {
            buf_add_char(out, '\0');
        }
        add_argument(r, out, arg, &pending);
    }
    if (ends) {
        buf_add_char(out, '\0');
    }
}

/* "NAME=VALUE" with a NUL behind each. */
void redact_environment(struct redactor *r, const char *key, struct span in, struct buf *out)
{
    (void)key;
    while (in.len > 0) {
        const char *const nul = memchr(in.ptr, '\0', in.len);
        const struct span one = span_sub(in, 0, nul == NULL ? in.len : (size_t)(nul - in.ptr));
        const char *const equals = one.len > 0 ? memchr(one.ptr, '=', one.len) : NULL;
        const size_t n = equals == NULL ? 0 : (size_t)(equals - one.ptr);
        redact_add_text(r, out, span_sub(one, 0, n), &redact_option);
        redact_add_text(r, out, span_sub(one, n, one.len), &redact_path);
        if (nul != NULL) {
            buf_add_char(out, '\0');
        }
        in = span_sub(in, one.len + (nul != NULL), in.len);
    }
}
