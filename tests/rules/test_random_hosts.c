/* Made-up machines: the worked hosts with their sizes and rates drawn anew, flavours and versions too. After a
 * restart with the plan of such a one nothing is left to do, and no rule of the plan fails, but for what the
 * machine holds down. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdio.h>
#include <string.h>

#include "advisor/facts/factdoc.h"
#include "tests/rules/planlib.h"

#include "advisor/base/banned.h"

#define HOSTS 300

static uint32_t next_random(uint32_t *seed)
{
    *seed = *seed * 1664525u + 1013904223u;
    return *seed >> 8;
}

/* One of the list's words, or a number between two on a scale of doublings. */
struct draw {
    const char *fact;
    const char *words; /* "a|b|c", or NULL */
    double low, high;
    const char *unit;
};

static const struct draw draws[] = {
    {"host.memory.total", NULL, 1, 512, "GiB"},
    {"host.memory.other_rss", NULL, 32, 4096, "MiB"},
    {"server.bp.size_in_force", NULL, 0.125, 128, "GiB"},
    {"server.data.bytes", NULL, 0.05, 2048, "GiB"},
    {"server.redo.capacity", "96MiB|100MiB|512MiB|1GiB|2GiB|8GiB|64GiB", 0, 0, NULL},
    {"server.redo.write_rate_peak", NULL, 0.01, 200, "MiB/s"},
    {"server.redo.age_ratio", NULL, 1, 99, "%"},
    {"server.bp.dirty_ratio", NULL, 1, 89, "%"},
    {"server.bp.wait_free_rate", "0/s|0/s|3/s", 0, 0, NULL},
    {"redo.fs.free_bytes", NULL, 0.2, 4096, "GiB"},
    {"data.bench.flush.rate", NULL, 150, 200000, "/s"},
    {"data.rotational", "true|false|false", 0, 0, NULL},
    {"data.fs.type", "xfs|ext4|btrfs", 0, 0, NULL},
    {"server.io.buffered_data", "true|false", 0, 0, NULL},
    {"server.session.max_used", NULL, 1, 1000, ""},
    {"server.cpu.available", NULL, 1, 128, ""},
    {"server.dedicated", "true|true|false", 0, 0, NULL},
    {"server.var.max_connections", NULL, 100, 1000, ""},
    {"server.var.innodb_io_capacity", "100/s|200/s|500/s|2000/s|10000/s|20000/s", 0, 0, NULL},
    {"server.var.sort_buffer_size", "256KiB|256KiB|2MiB|2MiB|8MiB", 0, 0, NULL},
    {"server.var.join_buffer_size", "256KiB|256KiB|256KiB|256KiB|16MiB", 0, 0, NULL},
    {"server.var.tmp_table_size", "16MiB|16MiB|64MiB|512MiB", 0, 0, NULL},
    {"server.var.max_heap_table_size", "16MiB|16MiB|64MiB|512MiB", 0, 0, NULL},
    {"server.var.innodb_buffer_pool_instances", "1|4|8|16|64", 0, 0, NULL},
    {"server.var.sync_binlog", "0|1", 0, 0, NULL},
    {"server.var.innodb_flush_log_at_trx_commit", "0|1|2", 0, 0, NULL},
    {"server.process.max_open_files", "1024|10000|65535", 0, 0, NULL},
};

static const char *const mysqls[] = {"5.7.44", "8.0.28", "8.0.36", "8.4.3", "9.7.4"};
static const char *const mariadbs[] = {"10.5.23", "10.11.11", "10.11.14", "10.11.19", "11.4.8", "11.8.9"};

static void set(struct store *s, const char *text)
{
    struct err err = ERR_INIT;
    if (!factdoc_set(s, text, &err))
        fail_msg("%s", err.text);
}

static const char *drawn(struct arena *a, const struct draw *d, uint32_t *seed)
{
    uint32_t r = next_random(seed);
    if (d->words == NULL) {
        double v = d->low;
        double steps = (double)(r % 1000) / 1000;
        /* low * (high / low) ^ steps, by halving the exponent */
        double ratio = d->high / d->low, power = 1;
        for (unsigned i = 0; i < 10; i++) {
            double root = ratio, x = 1 + (ratio - 1) / 2;
            for (unsigned k = 0; k < 40; k++)
                x = (x + root / x) / 2;
            ratio = x;
            steps *= 2;
            if (steps >= 1) {
                steps -= 1;
                power *= ratio;
            }
        }
        v *= power;
        bool whole = d->unit[0] == '\0';
        return whole ? arena_printf(a, "%s=%.0f", d->fact, v)
                     : arena_printf(a, "%s=%.3f%s", d->fact, v, d->unit);
    }
    struct span rest = span_of(d->words), word = {"", 0};
    size_t n = 1;
    for (const char *c = d->words; *c != '\0'; c++)
        n += *c == '|';
    for (size_t i = 0; i <= r % n; i++)
        (void)span_split(&rest, '|', &word);
    return arena_printf(a, "%s=%.*s", d->fact, SPAN_ARG(word));
}

static struct store *make_host(const struct rulelib *lib, struct arena *a, uint32_t *seed,
                               const char **ret_what)
{
    struct buf what;
    buf_init(&what, a, 8192);
    const char *host = rulelib_hosts[next_random(seed) % 9];
    struct store *s = rulelib_host(lib, a, host, NULL);
    buf_printf(&what, "%s", host);
    bool maria = next_random(seed) % 2 == 0;
    const char *version = maria ? mariadbs[next_random(seed) % ARRAY_LEN(mariadbs)]
                                : mysqls[next_random(seed) % ARRAY_LEN(mysqls)];
    set(s, maria ? "server.flavour=mariadb" : "server.flavour=mysql");
    set(s, arena_printf(a, "server.version=%s", version));
    buf_printf(&what, " %s", version);
    set(s, "server.var.query_cache_size=0B");
    set(s, "server.var.aria_pagecache_buffer_size=128MiB");
    set(s, "server.var.temptable_max_ram=1GiB");
    set(s, "server.memory.pfs=200MiB");
    for (size_t i = 0; i < ARRAY_LEN(draws); i++) {
        if (next_random(seed) % 4 == 0)
            continue;
        const char *text = drawn(a, &draws[i], seed);
        set(s, text);
        buf_printf(&what, " %s", text);
        if (strncmp(text, "host.memory.total=", 18) == 0)
            set(s, arena_printf(a, "server.memory.limit=%s", text + 18));
        if (strcmp(text, "data.rotational=true") == 0) /* no array of disks is as fast as a drive */
            set(s, "data.bench.flush.rate=1800/s");
        if (strncmp(text, "server.var.innodb_io_capacity=", 30) == 0)
            set(s, "server.var.innodb_io_capacity_max=20000/s");
    }
    /* A server has one instance below 1 GiB, whatever is set. */
    const struct subject *server = store_find_subject(s, "server:default");
    const struct fact *pool = store_get(s, server, SPAN_LIT("server.bp.size_in_force"));
    if (num_cmp(pool->value.num, num_u64(1u << 30)) < 0)
        set(s, "server.var.innodb_buffer_pool_instances=1");
    *ret_what = what.ptr;
    return s;
}

/* What no setting mends: a log that pool or free space hold down, a machine without memory for any pool, a limit
 * of temporary tables that is small already, and the step of 200 on a drive that takes no more. */
static bool is_held_down(const struct plan_line *l, const char *rule)
{
    if (strcmp(rule, "mem-over-limit") == 0)
        return num_cmp(l->new_value.num, num_u64(128u << 20)) == 0;
    return strcmp(rule, "redo-too-small-hour") == 0 || strcmp(rule, "redo-default-100m") == 0 ||
           strcmp(rule, "mem-session-buffers") == 0 || strcmp(rule, "io-capacity-default-200") == 0;
}

/* What smaller buffers of the sessions free serves the next run. */
static bool frees_memory(const struct plan *p, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        for (size_t k = 0; k < p[i].n; k++) {
            if (strcmp(p[i].lines[k].rule, "mem-session-buffers") == 0)
                return true;
        }
    }
    return false;
}

static unsigned failing(const char *what, const struct plan_line *l, const struct findings *f)
{
    unsigned bad = 0;
    for (size_t i = 0; i < f->n; i++) {
        const struct finding *x = &f->items[i];
        bool speaks = strcmp(l->rule, x->rule->id) == 0 || strstr(l->settles, x->rule->id) != NULL;
        if (x->subject != l->subject || !speaks || is_held_down(l, x->rule->id) ||
            (x->verdict != VERDICT_FAIL && x->verdict != VERDICT_ERROR))
            continue;
        (void)fprintf(stderr, "%s:\n  %s = %s: then %s is %s\n", what, l->variable, l->new_text,
                      x->rule->id, verdict_name(x->verdict));
        bad++;
    }
    return bad;
}

static void test_fixed_point(void **state)
{
    const struct rulelib *lib = *state;
    uint32_t seed = 20261130;
    unsigned bad = 0;
    size_t lines = 0;
    for (unsigned i = 0; i < HOSTS; i++) {
        ARENA_AUTO a = arena_new();
        struct plan *p, *then;
        struct findings f;
        const char *what;
        struct store *s = make_host(lib, a, &seed, &what);
        size_t n = planlib_make(lib, a, s, false, &p, NULL);
        for (size_t k = 0; k < n; k++)
            plan_overlay(&p[k], s);
        size_t n_then = planlib_make(lib, a, s, false, &then, &f);
        const char *left = planlib_text(a, then, n_then, true);
        if (left[0] != '\0' && !frees_memory(p, n)) {
            (void)fprintf(stderr, "%s:\n%s  then there is still\n%s", what,
                          planlib_text(a, p, n, true), left);
            bad++;
        }
        for (size_t k = 0; k < n; k++) {
            for (size_t m = 0; m < p[k].n; m++) {
                lines++;
                if (p[k].lines[m].line != LINE_COMMENT)
                    bad += failing(what, &p[k].lines[m], &f);
            }
        }
    }
    assert_int_equal(bad, 0);
    assert_true(lines > HOSTS);
}

int main(void)
{
    struct rulelib lib;
    rulelib_open(&lib);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_prestate(test_fixed_point, &lib),
    };
    int rc = cmocka_run_group_tests(tests, NULL, NULL);
    arena_free(lib.a);
    return rc;
}
