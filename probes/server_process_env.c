/* What of a process decides how its option files are read: its environment and its groups. Pure. */
#include <string.h>

#include "advisor/base/parse.h"
#include "probes/ktext.h"
#include "probes/server_options.h"

#include "advisor/base/banned.h"

void server_options_environment(struct arena *a, struct span environ, struct server_options_input *in)
{
    const struct {
        const char *name;
        const char **value;
    } names[] = {
        {"HOME=", &in->home},
        {"MYSQL_HOME=", &in->mysql_home},
        {"MYSQL_GROUP_SUFFIX=", &in->group_suffix},
        {"MARIADB_HOME=", &in->mariadb_home},
        {"MARIADB_GROUP_SUFFIX=", &in->mariadb_group_suffix},
    };
    struct span word;
    while (span_split(&environ, '\0', &word)) {
        for (size_t i = 0; i < ARRAY_LEN(names); i++) {
            if (*names[i].value == NULL && span_starts(word, names[i].name)) {
                *names[i].value = span_dup(a, span_sub(word, strlen(names[i].name), word.len));
            }
        }
    }
}

size_t server_options_groups(struct span status, uint32_t *ret, size_t max)
{
    struct span value, word;
    size_t n = 0;
    uint64_t gid = 0;
    if (!ktext_field(status, "Groups", &value)) {
        return 0;
    }
    while (n < max && span_word(&value, &word)) {
        if (parse_u64(word, &gid) && gid <= UINT32_MAX) {
            ret[n++] = (uint32_t)gid;
        }
    }
    return n;
}
