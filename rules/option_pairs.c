/* Values that a server makes fit to each other when it starts. Tried on MySQL 9.7.4 and MariaDB 10.11.19;
 * the rest from MySQL's and MariaDB's manuals. */
#include <string.h>

#include "rules/options_int.h"

#include "advisor/base/banned.h"

struct pairs {
    const struct option_target *t;
    struct option_reading *r;
    size_t n;
    struct arena *a;
};

static struct option_reading *winner(const struct pairs *p, const char *name)
{
    const struct option_reading *w = option_winner(p->r, p->n, name);
    return w != NULL ? &p->r[w - p->r] : NULL;
}

static void change(const struct pairs *p, struct option_reading *r, struct num to, const char *why)
{
    if (!r->has_asked)
        r->asked = r->value;
    r->has_asked = true;
    r->value = value_num(r->value.kind, to);
    r->marks |= OPTION_CLAMPED;
    struct buf b;
    buf_init(&b, p->a, 400);
    value_print(&b, &r->asked);
    buf_add_text(&b, " is made ");
    value_print(&b, &r->value);
    r->text = arena_printf(p->a, "%s: %s", b.ptr, why);
}

/* A maximum below the rate: the rate is lowered to it. */
static void io_capacity(const struct pairs *p)
{
    struct option_reading *max = winner(p, "innodb_io_capacity_max");
    struct option_reading *io = winner(p, "innodb_io_capacity");
    if (max != NULL && io != NULL && max->has_value && io->has_value &&
        num_cmp(max->value.num, io->value.num) < 0)
        change(p, io, max->value.num, "innodb_io_capacity_max is below it");
}

/* Where innodb_redo_log_capacity stands, the old pair does nothing (8.0.30 to 9.2). */
static void redo_pair(const struct pairs *p)
{
    static const char *const old[] = {"innodb_log_file_size", "innodb_log_files_in_group"};
    if (option_is_mariadb(p->t) || winner(p, "innodb_redo_log_capacity") == NULL)
        return;
    for (size_t i = 0; i < ARRAY_LEN(old); i++) {
        struct option_reading *r = winner(p, old[i]);
        if (r == NULL)
            continue;
        r->effect = OPTION_IGNORED;
        r->text = "innodb_redo_log_capacity is set: this does nothing";
    }
}

static struct num number_or(const struct option_reading *r, uint64_t otherwise)
{
    return r != NULL && r->has_value ? r->value.num : num_u64(otherwise);
}

#define GIB (UINT64_C(1) << 30)
#define CHUNK (UINT64_C(128) << 20)

/* How many instances a pool of this size is divided into; 0: the server works it out from what we do not
 * know. */
static uint64_t instances_of(const struct pairs *p, struct num pool)
{
    const struct option_reading *set = winner(p, "innodb_buffer_pool_instances");
    uint64_t n = 0;
    if (num_cmp(pool, num_u64(GIB)) < 0)
        return 1;
    if (set != NULL)
        return set->has_value && num_to_u64(set->value.num, &n) ? n : 0;
    return option_from(p->t, 8, 4, 0) && !option_is_mariadb(p->t) ? 0 : 8;
}

/* Rounded up to whole chunks in each instance; the chunk shrinks where the pool is too small for it.
 * MySQL from 5.7.5, MariaDB 10.2 to 10.4. */
static void pool(const struct pairs *p)
{
    struct option_reading *r = winner(p, "innodb_buffer_pool_size");
    const bool chunks = option_is_mariadb(p->t)
                            ? option_from(p->t, 10, 2, 0) && !option_from(p->t, 10, 5, 0)
                            : option_from(p->t, 5, 7, 5);
    if (!chunks || r == NULL || !r->has_value)
        return;
    const uint64_t n = instances_of(p, r->value.num);
    struct num unit, times, up;
    const struct num chunk = number_or(winner(p, "innodb_buffer_pool_chunk_size"), CHUNK);
    if (n == 0 || num_mul(chunk, num_u64(n), &unit) != NUM_OK || num_is_zero(unit) ||
        num_cmp(unit, r->value.num) > 0)
        return;
    if (num_div(r->value.num, unit, &times) != NUM_OK || num_ceil(times, &times) != NUM_OK ||
        num_mul(times, unit, &up) != NUM_OK || num_cmp(up, r->value.num) == 0)
        return;
    change(p, r, up, "a whole number of chunks in each instance");
}

void option_pairs(const struct option_target *t, struct option_reading *r, size_t n,
                  struct arena *a)
{
    const struct pairs p = {t, r, n, a};
    io_capacity(&p);
    redo_pair(&p);
    pool(&p);
}
