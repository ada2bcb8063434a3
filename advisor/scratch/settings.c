/* See settings.h. */
#include "advisor/scratch/settings.h"

#include <ctype.h>
#include <math.h>
#include <string.h>

#include "advisor/base/parse.h"
#include "advisor/scratch/marker.h"
#include "advisor/scratch/number.h"

#include "advisor/base/banned.h"

/* ---- names ----------------------------------------------------------------------------------- */

static char *lower_name(struct arena *a, struct span name)
{
    char *const s = span_dup(a, name);
    for (char *p = s; *p != '\0'; p++) {
        *p = *p == '-' ? '_' : (char)tolower((unsigned char)*p);
    }
    return s;
}

static bool is_bool(const struct catalogue *c, const char *name)
{
    const struct variable *const v = catalogue_find(c, span_of(name));
    return v != NULL && variable_kind(v) == KIND_BOOL;
}

const char *option_canonical(const struct catalogue *c, struct span name, struct arena *a,
                             const char **ret_value)
{
    static const struct {
        const char *prefix, *value;
    } switches[] = {{"skip_", "0"}, {"disable_", "0"}, {"enable_", "1"}};
    const char *s = lower_name(a, name);
    *ret_value = NULL;
    if (strncmp(s, "loose_", 6) == 0) {
        s += 6;
    }
    if (strncmp(s, "maximum_", 8) == 0) {
        return NULL;
    }
    for (size_t i = 0; i < ARRAY_LEN(switches); i++) {
        const size_t n = strlen(switches[i].prefix);
        if (strncmp(s, switches[i].prefix, n) == 0 && catalogue_find(c, span_of(s)) == NULL &&
            is_bool(c, s + n)) {
            *ret_value = switches[i].value;
            return s + n;
        }
    }
    return s;
}

/* ---- values ---------------------------------------------------------------------------------- */

/* value * factor, at most `most`, on the variable's grid and in its range. */
static uint64_t scale_down(const struct variable *v, enum flavour f, const struct version *at,
                           const struct scratch_scale *scale, uint64_t value)
{
    struct num min, max, step;
    uint64_t least = 0, grid = 0;
    const double want = floor((double)value * scale->factor);
    uint64_t n = want < (double)scale->most ? (uint64_t)want : scale->most;
    if (variable_range(v, f, at, &min, &max, &step)) {
        (void)!num_to_u64(min, &least);
        (void)!num_to_u64(step, &grid);
    }
    if (grid > 1) {
        n -= n % grid;
    }
    return n < least ? least : n;
}

/* false: it may not be copied. */
static bool setting_value(const struct variable *v, enum flavour f, const struct version *at,
                          const struct scratch_scale *scale, struct scratch_setting *s,
                          struct arena *a)
{
    /* A path is never copied, whatever the row says. */
    if (variable_scratch(v) == SCRATCH_NO || strchr(s->asked, '/') != NULL) {
        return false;
    }
    /* What is no plain number goes as it is: the server shall say so. A large one goes smaller in
     * any case, since a scratch server may not take the memory of the real one. */
    const bool bounded = variable_scratch(v) == SCRATCH_SCALE || variable_kind(v) == KIND_BYTES;
    uint64_t unit = 0, n = 0;
    if (bounded && num_to_u64(variable_unit(v), &unit) && unit == 1 && !s->valueless &&
        number_suffixed(span_of(s->asked), &n)) {
        const uint64_t less = variable_scratch(v) == SCRATCH_SCALE || n > scale->most
                                  ? scale_down(v, f, at, scale, n)
                                  : n;
        if (less < n) {
            s->scaled = true;
            s->arg = arena_printf(a, "--%s=%llu", s->name, (unsigned long long)less);
            return true;
        }
    }
    s->arg = s->valueless ? arena_printf(a, "--%s", s->name)
                          : arena_printf(a, "--%s=%s", s->name, s->asked);
    return true;
}

static bool is_written_again(const struct catalogue *c, const struct optline *lines, size_t n,
                             size_t i, const char *name)
{
    ARENA_AUTO scratch = arena_new();
    const char *value = NULL;
    for (size_t k = i + 1; k < n; k++) {
        const char *const other = option_canonical(c, lines[k].name, scratch, &value);
        if (other != NULL && strcmp(other, name) == 0) {
            return true;
        }
    }
    return false;
}

size_t scratch_settings(const struct catalogue *c, enum flavour f, const struct version *v,
                        const struct optline *lines, size_t n, const struct scratch_scale *scale,
                        struct arena *a, struct scratch_setting **ret)
{
    size_t count = 0;
    struct scratch_setting *list = arena_calloc(a, n, sizeof(*list));
    for (size_t i = 0; i < n; i++) {
        const char *value = NULL;
        const char *const name = option_canonical(c, lines[i].name, a, &value);
        const struct variable *const row = name != NULL ? catalogue_find(c, span_of(name)) : NULL;
        if (row == NULL || span_has(lines[i].value, '\0') ||
            is_written_again(c, lines, n, i, name)) {
            continue;
        }
        struct scratch_setting s = {.name = name,
                                    .asked = value != NULL ? value : span_dup(a, lines[i].value),
                                    .valueless = value == NULL && !lines[i].has_value,
                                    .line = &lines[i]};
        if (setting_value(row, f, v, scale, &s, a)) {
            list[count++] = s;
        }
    }
    *ret = list;
    return count;
}

/* ---- the module's own ------------------------------------------------------------------------ */

/* "@" stands for the folder. loose: not every version knows it. */
static const char *const common_settings[] = {
    "--datadir=@/data",
    "--socket=@/s.sock",
    ("--pid-file=@" MARKER_PID_FILE),
    "--log-error=@/error.log",
    "--tmpdir=@/tmp",
    "--secure-file-priv=@/out",
    "--general-log=0",
    "--general-log-file=@/general.log",
    "--slow-query-log=0",
    "--slow-query-log-file=@/slow.log",
    "--skip-networking",
    "--skip-log-bin",
    "--skip-slave-start",
    "--event-scheduler=OFF",
    "--innodb-data-home-dir=@/data",
    "--innodb-log-group-home-dir=@/data",
    "--innodb-undo-directory=@/data",
    "--innodb-tmpdir=@/tmp",
    "--relay-log=@/data/relay",
};
static const char *const mysql_settings[] = {
    "--loose-skip-replica-start",
    "--loose-mysqlx=OFF",
    "--loose-persisted-globals-load=OFF",
    "--loose-innodb-doublewrite-dir=@/data",
    "--loose-log-error-verbosity=2",
    "--loose-log-error-suppression-list=",
    "--loose-log-error-services=log_filter_internal;log_sink_internal",
    "--loose-auto-generate-certs=OFF",
    "--loose-sha256-password-auto-generate-rsa-keys=OFF",
    "--loose-caching-sha2-password-auto-generate-rsa-keys=OFF",
};
static const char *const mariadb_settings[] = {
    "--aria-log-dir-path=@/data",
    "--log-warnings=2",
    "--loose-wsrep-on=OFF",
    "--loose-feedback=OFF",
};

/* Before the copied ones, which win. */
static const char *const first_settings[] = {
    "--no-defaults",
    "--loose-performance-schema=OFF",
};

static const char *fill_in(struct arena *a, const char *text, const char *own)
{
    const char *const at = strchr(text, '@');
    return at == NULL ? text : arena_printf(a, "%.*s%s%s", (int)(at - text), text, own, at + 1);
}

size_t scratch_first_settings(const char *const **ret)
{
    *ret = first_settings;
    return ARRAY_LEN(first_settings);
}

struct own_list {
    const char **args;
    size_t n;
};

static void add_all(struct own_list *l, const struct own_settings *o, const char *const *rows,
                    size_t n, struct arena *a)
{
    for (size_t i = 0; i < n; i++) {
        l->args[l->n++] = fill_in(a, rows[i], o->own);
    }
}

size_t scratch_own_settings(const struct own_settings *o, struct arena *a, const char ***ret)
{
    const size_t room =
        ARRAY_LEN(common_settings) + ARRAY_LEN(mysql_settings) + ARRAY_LEN(mariadb_settings) + 3;
    struct own_list l = {arena_calloc(a, room, sizeof(*l.args)), 0};
    add_all(&l, o, common_settings, ARRAY_LEN(common_settings), a);
    if (o->flavour == FLAVOUR_MARIADB) {
        add_all(&l, o, mariadb_settings, ARRAY_LEN(mariadb_settings), a);
        if (!o->grants) {
            l.args[l.n++] = "--skip-grant-tables";
        }
    } else {
        add_all(&l, o, mysql_settings, ARRAY_LEN(mysql_settings), a);
    }
    if (o->as_root) {
        l.args[l.n++] = "--user=root";
    }
    *ret = l.args;
    return l.n;
}
