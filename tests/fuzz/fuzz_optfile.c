/* Option files: a tree of files cut out of the input (0x01 between files, the first is read first),
 * as the reader of option files and the login see it. Every byte of every answer is touched. */
#include <stdint.h>
#include <string.h>
#include <sys/stat.h>

#include "probes/login.h"

#include "advisor/base/banned.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

struct input {
    struct arena *arena;
    struct span text;
};

/* "/N" and "/d/N.cnf" are the N-th piece. */
static bool input_read(void *ctx, const char *path, struct optfile_text *ret, struct err *reterr)
{
    const struct input *in = ctx;
    const char *digit = strncmp(path, "/d/", 3) == 0 ? path + 3 : path + 1;
    struct span rest = in->text, piece = {"", 0};
    for (char c = '0'; c <= *digit && c <= '9'; c++) {
        if (!span_split(&rest, 1, &piece)) {
            return err_set(reterr, E_ABSENT, "'%s'", path);
        }
    }
    *ret = (struct optfile_text){piece, S_IFREG | (piece.len % 7 == 0 ? 0666 : 0600), 0, 0};
    return true;
}

static bool input_list(void *ctx, const char *path, struct host_names *ret, struct err *reterr)
{
    static const char *const texts[] = {"3.cnf", "2.cnf", ".", "1.cnf.bak"};
    const struct input *in = ctx;
    if (strcmp(path, "/d") != 0) {
        return err_set(reterr, E_ABSENT, "'%s'", path);
    }
    struct span *names = arena_calloc(in->arena, ARRAY_LEN(texts), sizeof(*names));
    for (size_t i = 0; i < ARRAY_LEN(texts); i++) {
        names[i] = span_of(texts[i]);
    }
    *ret = (struct host_names){names, ARRAY_LEN(texts)};
    return true;
}

static void touch(struct buf *b, struct span s)
{
    b->len = 0;
    buf_add_escaped(b, s);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (size > 65536) {
        return 0;
    }
    ARENA_AUTO a = arena_new();
    struct input in = {a, {(const char *)data, size}};
    struct optfile_io io = {&in, "/d", input_read, input_list, size % 3 == 0,
                            false, size % 5 == 0};
    struct optfile o;
    struct err err = ERR_INIT;
    struct buf b;
    buf_init(&b, a, 1 << 20);
    optfile_init(&o, a);
    (void)!optfile_read(&o, &io, "/0", false, &err);
    for (size_t i = 0; i < o.n_options; i++) {
        touch(&b, o.options[i].group);
        touch(&b, o.options[i].name);
        touch(&b, o.options[i].value);
    }
    for (size_t i = 0; i < o.n_warnings; i++) {
        touch(&b, span_of(o.warnings[i]));
    }
    const struct login_options opt = {.defaults_file = "/0"};
    const struct login_env env = {.home = NULL};
    struct login login;
    if (login_resolve(a, &opt, &env, &io, &login, &err)) {
        touch(&b, span_of(login.sql.user));
        touch(&b, span_of(login.sql.password));
        touch(&b, span_of(login.sql.socket));
        touch(&b, span_of(login.sql.host));
    }
    return 0;
}
