/* See flat.h. */
#include "advisor/scratch/flat.h"

#include <ctype.h>
#include <string.h>

#include "advisor/scratch/messages.h"

#include "advisor/base/banned.h"

#define LINE_MAX_BYTES 4000 /* MySQL's reader takes 4096 with the line's end */

static bool is_action(struct span name)
{
    static const char *const names[] = {
        "bootstrap",
        "chroot",
        "console",
        "daemonize",
        "defaults_extra_file",
        "defaults_file",
        "gdb",
        "help",
        "initialize",
        "install",
        "initialize_insecure",
        "no_defaults",
        "remove",
        "user",
        "print_defaults",
        "verbose",
        "validate_config",
        "version",
        "debug_gdb",
        "no_dd_upgrade",
        "upgrade",
        "defaults_group_suffix",
        "standalone",
        "no_monitor",
        "wsrep_new_cluster",
        "wsrep_recover",
        "tc_heuristic_recover",
    };
    for (size_t i = 0; i < ARRAY_LEN(names); i++) {
        if (option_name_same(name, span_of(names[i]))) {
            return true;
        }
    }
    return false;
}

static bool is_plain_name(struct span name)
{
    if (name.len < 2 || !isalpha((unsigned char)name.ptr[0])) {
        return false; /* "-u": a short form of a command line */
    }
    for (size_t i = 0; i < name.len; i++) {
        const char c = name.ptr[i];
        if (!isalnum((unsigned char)c) && c != '_' && c != '-' && c != '.') {
            return false;
        }
    }
    return true;
}

static const char *escape_of(char c)
{
    switch (c) {
    case '\\':
        return "\\\\";
    case '"':
        return "\\\"";
    case '\n':
        return "\\n";
    case '\r':
        return "\\r";
    case '\t':
        return "\\t";
    case '\b':
        return "\\b";
    default:
        return NULL;
    }
}

static size_t escaped_length(struct span value)
{
    size_t n = 2;
    for (size_t i = 0; i < value.len; i++) {
        n += escape_of(value.ptr[i]) != NULL ? 2 : 1;
    }
    return n;
}

enum flat_fate flat_fate(const struct optline *l)
{
    if (l->has_value && span_eq_text(l->value, "***")) {
        return FLAT_SECRET;
    }
    if (!is_plain_name(l->name) || span_has(l->value, '\0') ||
        l->name.len + escaped_length(l->value) + 1 > LINE_MAX_BYTES) {
        return FLAT_UNWRITABLE;
    }
    return is_action(l->name) ? FLAT_ACTION : FLAT_WRITTEN;
}

static bool is_bare(struct span value)
{
    static const char harmless[] =
        "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_./:,+-@";
    for (size_t i = 0; i < value.len; i++) {
        if (value.ptr[i] == '\0' || strchr(harmless, value.ptr[i]) == NULL) {
            return false;
        }
    }
    return true;
}

static void print_value(struct buf *b, struct span value)
{
    if (is_bare(value)) {
        buf_add_span(b, value);
        return;
    }
    buf_add_char(b, '"');
    for (size_t i = 0; i < value.len; i++) {
        const char *const escape = escape_of(value.ptr[i]);
        if (escape != NULL) {
            buf_add_text(b, escape);
        } else {
            buf_add_char(b, value.ptr[i]);
        }
    }
    buf_add_char(b, '"');
}

void flat_print(const struct optline *lines, size_t n, const bool *skip, struct buf *b)
{
    buf_add_text(b, "[mysqld]\n");
    for (size_t i = 0; i < n; i++) {
        if ((skip != NULL && skip[i]) || flat_fate(&lines[i]) != FLAT_WRITTEN) {
            continue;
        }
        buf_add_span(b, lines[i].name);
        if (lines[i].has_value) {
            buf_add_char(b, '=');
            print_value(b, lines[i].value);
        }
        buf_add_char(b, '\n');
    }
}
