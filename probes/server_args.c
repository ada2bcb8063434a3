/* A server's command line as option lines. Knows which short options there are and which take a
 * word, not what they mean. */
#include "probes/server_options.h"

#include <string.h>

#include "advisor/base/banned.h"

/* Of mysqld and mariadbd: what --help lists. A word may be attached; `takes_word`: or stand apart.
 * -p (a password) is left out. */
static const struct {
    char letter;
    const char *name;
    bool takes_word;
} letters[] = {
    {'a', "ansi", false},
    {'b', "basedir", true},
    {'C', "character-set-server", true},
    {'D', "daemonize", false},
    {'g', "gdb", false},
    {'h', "datadir", true},
    {'I', "initialize", false},
    {'L', "lc-messages-dir", true},
    {'P', "port", true},
    {'r', "chroot", true},
    {'s', "symbolic-links", false},
    {'t', "tmpdir", true},
    {'T', "exit-info", false},
    {'u', "user", true},
    {'v', "verbose", false},
    {'V', "version", false},
    {'W', "log-warnings", false},
};

/* What stands behind an option without '=' and is none itself must be its value: a server takes no
 * other words. */
static bool next_is_value(const struct server_options_input *in, size_t i)
{
    return i + 1 < in->n_args && in->args[i + 1].len > 0 && !span_starts(in->args[i + 1], "-");
}

static bool read_long(const struct server_options_input *in, size_t *i, struct optline *l)
{
    struct span word = span_sub(in->args[*i], 2, in->args[*i].len);
    const char *equals = word.len > 0 ? memchr(word.ptr, '=', word.len) : NULL;
    l->has_value = equals != NULL;
    l->name = span_sub(word, 0, equals == NULL ? word.len : (size_t)(equals - word.ptr));
    if (equals != NULL) {
        l->value = span_sub(word, l->name.len + 1, word.len);
    } else if (next_is_value(in, *i)) {
        l->has_value = true;
        l->value = in->args[++*i];
    }
    return l->name.len > 0;
}

static bool read_short(const struct server_options_input *in, size_t *i, struct optline *l)
{
    const struct span word = in->args[*i];
    for (size_t k = 0; k < ARRAY_LEN(letters); k++) {
        if (word.len < 2 || letters[k].letter != word.ptr[1]) {
            continue;
        }
        l->name = span_of(letters[k].name);
        l->has_value = word.len > 2;
        l->value = span_sub(word, 2, word.len);
        if (letters[k].takes_word && word.len == 2 && next_is_value(in, *i)) {
            l->has_value = true;
            l->value = in->args[++*i];
        }
        return true;
    }
    return false;
}

size_t server_args_lines(struct arena *a, const struct server_options_input *in, size_t first,
                         struct optline **ret)
{
    struct optline *lines = arena_calloc(a, in->n_args + 1, sizeof(*lines));
    size_t n = 0;
    for (size_t i = first; i < in->n_args; i++) {
        struct optline l = {.file = SPAN_LIT(OPTLINE_COMMAND_LINE), .line = (unsigned)i};
        if (span_eq_text(in->args[i], "--")) {
            break;
        }
        const bool read = span_starts(in->args[i], "--")  ? read_long(in, &i, &l)
                          : span_starts(in->args[i], "-") ? read_short(in, &i, &l)
                                                          : false;
        if (read) {
            lines[n++] = l;
        }
    }
    *ret = lines;
    return n;
}
