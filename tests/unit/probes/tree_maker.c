/* See tree_maker.h. */
#include "tests/unit/probes/tree_maker.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "advisor/base/banned.h"

#define CHAIN 14u /* more than the servers follow */

uint32_t tree_pick(struct tree *w, uint32_t n)
{
    w->seed ^= w->seed << 13;
    w->seed ^= w->seed >> 17;
    w->seed ^= w->seed << 5;
    return w->seed % n;
}

#define ONE_OF(w, list) (list)[tree_pick(w, ARRAY_LEN(list))]

/* ---- files ----------------------------------------------------------------------------------- */

const char *tree_path(const struct tree *w, const char *name)
{
    return arena_printf(w->arena, "%s/%s", w->dir, name);
}

static const char *const groups[] = {
    "mysqld",     "mysqld",       "server",        "mariadb",        "mariadbd",
    "MySQLd",     "mysqld-10.11", "mariadb-10.11", "mariadbd-10.11", "mysqld-8.0",
    "mariadb-10", "mariadb-11",   "client-server", "galera",         "client",
    "mysqldump",  "mysqld_safe",  "mysqld_x",      "server_x",       "mysqld-10.11_x",
    " mysqld",    "mysqld ",      "mysqld_y",      "galera_x",       "",
};
static const char *const names[] = {
    "innodb_io_capacity",
    "innodb-buffer-pool-size",
    "loose-thing",
    "skip-name-resolve",
    "port",
    "a",
    "maximum-sort_buffer_size",
    "A_b-C",
    "two words",
    "e\xc3\xa9",
};
static const char *const values[] = {
    "",
    "= 1",
    "=1G",
    "= \"a # b\"",
    "= 'x'",
    "=a#b",
    "=\"open",
    "= a\\nb",
    "=a\\\\b\\s\\q",
    "= ",
    "=x;y",
    "=a=b",
    "= 'it''s' # c",
    "=\"\"",
    "\t=\tv \r",
    "= \xa0v\xa0",
    "=\"a\\\"#b\"",
    "=/p/\xff",
    "=\\",
    "= \"x\" y",
};

static void add_option(struct tree *w, struct buf *b)
{
    static const char *const before[] = {"", "", "", " ", "\t ", "\v"};
    buf_add_text(b, ONE_OF(w, before));
    buf_add_text(b, ONE_OF(w, names));
    buf_add_text(b, ONE_OF(w, values));
}

/* Just below, at and above the length at which the servers split a line. */
static void add_long(struct tree *w, struct buf *b)
{
    static const char *const heads[] = {"long=", "# ", "a = \"", "[mysqld] ", "x", "a=1 # "};
    const size_t end = b->len + 4080 + tree_pick(w, 30);
    buf_add_text(b, ONE_OF(w, heads));
    while (b->len < end) {
        buf_add_char(b, 'v');
    }
    buf_add_text(b, ONE_OF(w, values));
}

static void add_include(struct tree *w, struct buf *b, unsigned level)
{
    static const char *const forms[] = {"!include %s/i%u\n", "! include\t%s//./i%u \r\n",
                                        "!include %s/d1/../i%u\n", "!include %s/none%u\n",
                                        "!include %s/dir%u.cnf\n"};
    static const char *const dirs[] = {"!includedir %s/d1\n", "!includedir %s/d2/\n",
                                       "!includedir %s/d1/../d2//\n", "!includedir  %s/d1 \r\n"};
    if (level >= 4) {
        buf_printf(b, "!include %s/none\n", w->dir);
        return;
    }
    switch (tree_pick(w, 8)) {
    case 0:
        buf_printf(b, "!include %s/c0\n", w->dir);
        break;
    case 1:
        buf_add_text(b, "!include ~/h.inc\n");
        break;
    case 2:
    case 3:
    case 4: {
        const char *form = ONE_OF(w, forms);
        struct span rest = span_of(form), head;
        (void)span_split(&rest, '%', &head);
        buf_add_span(b, head);
        buf_add_text(b, w->dir);
        rest = span_sub(rest, 1, rest.len); /* the 's' */
        (void)span_split(&rest, '%', &head);
        buf_add_span(b, head);
        buf_printf(b, "%u", level + 1);
        buf_add_span(b, span_sub(rest, 1, rest.len));
        break;
    }
    default: {
        struct span rest = span_of(ONE_OF(w, dirs)), head;
        (void)span_split(&rest, '%', &head);
        buf_add_span(b, head);
        buf_add_text(b, w->dir);
        buf_add_span(b, span_sub(rest, 1, rest.len));
    }
    }
}

static void add_odd(struct tree *w, struct buf *b)
{
    static const char *const odd[] = {
        "", "# c = d", "  ; x", "\r", "!foo bar", "[mysqld] junk = x", "[ open]", "\t",
    };
    static const char *const fatal[] = {"[open", "!include ", "!includedir /nonexistent-nv"};
    buf_add_text(b, tree_pick(w, 60) == 0 ? ONE_OF(w, fatal) : ONE_OF(w, odd));
}

/* `level`: a file includes only those of higher ones, so that every tree has an end. */
static struct span make_text(struct tree *w, unsigned level)
{
    static const char *const ends[] = {"\n", "\n", "\n", "\n", "\r\n"};
    struct buf b;
    buf_init(&b, w->arena, 1 << 20);
    if (tree_pick(w, 40) != 0) {
        buf_printf(&b, "[%s]\n", ONE_OF(w, groups));
    } else if (tree_pick(w, 4) == 0) {
        buf_add_text(&b, "\xef\xbb\xbf");
    }
    const uint32_t n = tree_pick(w, 16);
    for (uint32_t i = 0; i < n; i++) {
        const uint32_t kind = tree_pick(w, 24);
        if (kind < 4) {
            buf_printf(&b, "[%s]", ONE_OF(w, groups));
        } else if (kind < 6) {
            add_include(w, &b, level);
            continue;
        } else if (kind == 6) {
            add_odd(w, &b);
        } else if (kind == 7 && tree_pick(w, 3) == 0) {
            add_long(w, &b);
        } else {
            add_option(w, &b);
        }
        if (tree_pick(w, 60) == 0) {
            buf_add(&b, "\0q", 2);
        }
        buf_add_text(&b, i + 1 < n || tree_pick(w, 3) != 0 ? ONE_OF(w, ends) : "");
    }
    return buf_span(&b);
}

static void put(const struct tree *w, const char *name, struct span text, mode_t mode)
{
    FILE *f = fopen(tree_path(w, name), "wb");
    assert_non_null(f);
    assert_int_equal(fwrite(text.ptr, 1, text.len, f), text.len);
    assert_int_equal(fclose(f), 0);
    assert_int_equal(chmod(tree_path(w, name), mode), 0);
}

static void make_chain(struct tree *w)
{
    for (unsigned i = 0; i < CHAIN; i++) {
        const char *text =
            arena_printf(w->arena, "[mysqld]\nc%u\n!include %s/c%u\nd%u", i, w->dir, i + 1, i);
        put(w, arena_printf(w->arena, "c%u", i), span_of(text), 0644);
    }
}

void tree_make(struct tree *w)
{
    static const char *const dirs[] = {"d1", "d2", "home", "mysql", "dir1.cnf", "d2/sub.cnf"};
    static const char *const leaves[] = {
        "d1/10-a.cnf", "d1/9-b.cnf", "d1/B.cnf",   "d1/.h.cnf", "d1/x.conf", "d1/c.CNF",
        "d2/z.cnf",    "d2/_u.cnf",  "d2/a.b.cnf", "d2/cnf",    "d2/.cnf",   "home/h.inc",
    };
    for (size_t i = 0; i < ARRAY_LEN(dirs); i++) {
        assert_int_equal(mkdir(tree_path(w, dirs[i]), 0755), 0);
    }
    put(w, "main", make_text(w, 0), tree_pick(w, 50) == 0 ? 0666 : 0644);
    put(w, "extra", make_text(w, 1), 0644);
    put(w, "home/.my.cnf", make_text(w, 2), 0644);
    put(w, "mysql/my.cnf", make_text(w, 2), 0600);
    for (unsigned i = 1; i < 5; i++) {
        put(w, arena_printf(w->arena, "i%u", i), make_text(w, i),
            tree_pick(w, 12) == 0 ? 0646 : 0644);
    }
    for (size_t i = 0; i < ARRAY_LEN(leaves); i++) {
        if (tree_pick(w, 3) != 0) {
            put(w, leaves[i], make_text(w, 4), tree_pick(w, 12) == 0 ? 0666 : 0644);
        }
    }
    (void)!symlink("../i4", tree_path(w, "d1/s.cnf"));
    (void)!symlink("nowhere", tree_path(w, "d2/s.cnf"));
    make_chain(w);
}
