/* Which groups of an option file a server reads, by flavour and version. From the servers' own --help
 * ("The following groups are read": MySQL 9.7.4, MariaDB 10.11.19, 11.8.9) and mysys/my_default.c. */
#include <string.h>

#include "advisor/base/near.h"
#include "rules/option_facts.h"

#include "advisor/base/banned.h"

static const char *const oracle[] = {"mysqld", "server", "mysql_cluster"};
static const char *const mariadb[] = {"mysqld", "server",        "mariadb",
                                      "mariadbd", "client-server", "galera"};
static const char *const versioned[] = {"mysqld-", "mariadb-", "mariadbd-"};

static struct span lower(struct span s, char *room, size_t size)
{
    size_t n = 0;
    for (; n < s.len && n < size; n++)
        room[n] = s.ptr[n] >= 'A' && s.ptr[n] <= 'Z' ? (char)(s.ptr[n] - 'A' + 'a') : s.ptr[n];
    return (struct span){room, n};
}

/* "11": MariaDB from 11.8 on reads groups of a major version, too (seen there, not in 10.11). */
static bool major_version(struct span s, struct version *ret)
{
    *ret = (struct version){.n = 1};
    for (size_t i = 0; i < s.len; i++) {
        if (s.ptr[i] < '0' || s.ptr[i] > '9' || i > 3)
            return false;
        ret->part[0] = ret->part[0] * 10 + (uint32_t)(s.ptr[i] - '0');
    }
    return s.len > 0;
}

/* "mysqld-8.0": the version behind the name. */
static bool group_version(struct span group, size_t *ret_base, struct version *ret)
{
    for (size_t i = 0; i < ARRAY_LEN(versioned); i++) {
        const size_t len = strlen(versioned[i]);
        const struct span rest = span_sub(group, len, group.len);
        if (span_starts(group, versioned[i]) &&
            (version_parse_exact(rest, ret) || major_version(rest, ret))) {
            *ret_base = i;
            return true;
        }
    }
    return false;
}

bool option_group_has_version(struct span group)
{
    char room[64];
    struct version v;
    size_t base;
    return group_version(lower(group, room, sizeof(room)), &base, &v);
}

bool option_group_read(enum flavour f, const struct version *v, struct span group)
{
    char room[64];
    struct version of;
    size_t base = 0;
    const struct span g = lower(group, room, sizeof(room));
    static const struct version majors = {.part = {11, 8, 0}, .n = 2};
    if (group_version(g, &base, &of) && of.n == 1)
        return f == FLAVOUR_MARIADB && base != 0 && version_cmp(v, &majors) >= 0 &&
               of.part[0] == v->part[0];
    if (group_version(g, &base, &of))
        return (f == FLAVOUR_MARIADB || base == 0) && of.n == 2 && of.part[0] == v->part[0] &&
               of.part[1] == v->part[1];
    const char *const *names = f == FLAVOUR_MARIADB ? mariadb : oracle;
    const size_t n = f == FLAVOUR_MARIADB ? ARRAY_LEN(mariadb) : ARRAY_LEN(oracle);
    for (size_t i = 0; i < n; i++) {
        if (span_eq_text(g, names[i]))
            return true;
    }
    return false;
}

/* ---- groups that no server reads ---- */

static bool near_server_group(struct span group)
{
    static const char *const names[] = {"mysqld", "mariadb", "mariadbd", "server"};
    static const char *const programs[] = {"mysql", "mysqld_safe", "mysqld_multi", "mariadbd-safe",
                                           "mariadb-client", "mysqldump", "client"};
    for (size_t i = 0; i < ARRAY_LEN(programs); i++) {
        if (span_eq_nocase(group, span_of(programs[i])))
            return false;
    }
    for (size_t i = 0; i < ARRAY_LEN(names); i++) {
        const char last = group.len > 0 ? group.ptr[group.len - 1] : '\0';
        if (near_distance(span_trim(group), span_of(names[i])) <= 2 &&
            !(last >= '0' && last <= '9')) /* mysqld1 is an instance of mysqld_multi */
            return true;
    }
    return false;
}

bool option_is_misplaced(const struct option_judged *j, const struct catalogue *c,
                         const struct optline *l, struct arena *a, const char **ret_name)
{
    struct name_reading n;
    if (l->group.len == 0 || option_group_has_version(l->group) ||
        option_group_read(FLAVOUR_MYSQL, &j->target.version, l->group) ||
        option_group_read(FLAVOUR_MARIADB, &j->target.version, l->group))
        return false; /* meant for another server */
    option_name_read(c, &j->target, l->name, a, &n);
    *ret_name = n.name;
    if (n.variable == NULL || n.presence == PRESENCE_REFUSED)
        return false;
    const bool servers_own = strncmp(n.name, "innodb_", strlen("innodb_")) == 0;
    return servers_own || near_server_group(l->group);
}
