/* What a server reads: command line, environment and a tree of files cut out of the input (0x01
 * between pieces: the words, then files). Every byte of every answer is touched; each line is a
 * word that reads back; and what one more file shows is what reading that file gives. */
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "probes/server_option_facts.h"

#include "advisor/base/banned.h"

#define WORDS_MAX 16u
#define PIECES 6u

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

struct input {
    struct arena *arena;
    struct span pieces[PIECES];
};

static struct span piece(const struct input *in, const char *path)
{
    static const char *const paths[PIECES] = {"",   "/etc/my.cnf", "/etc/mysql/my.cnf",
                                              "/f", "/d/a.cnf",    "/h/.my.cnf"};
    for (size_t i = 1; i < PIECES; i++) {
        if (strcmp(path, paths[i]) == 0) {
            return in->pieces[i];
        }
    }
    return (struct span){NULL, 0};
}

static bool input_read(void *ctx, const char *path, struct optfile_text *ret, struct err *reterr)
{
    const struct span text = piece(ctx, path);
    if (text.ptr == NULL) {
        return err_set(reterr, E_ABSENT, "'%s'", path);
    }
    if (text.len % 11 == 3) {
        return err_set(reterr, text.len % 2 == 0 ? E_DENIED : E_IO, "'%s'", path);
    }
    *ret = (struct optfile_text){text, S_IFREG | (text.len % 13 == 5 ? 0666 : 0600), 0, 0};
    return true;
}

static bool input_list(void *ctx, const char *path, struct host_names *ret, struct err *reterr)
{
    static const char *const texts[] = {"a.cnf", "zz.conf", ".h"};
    const struct input *in = ctx;
    if (strncmp(path, "/d", 2) != 0) {
        return err_set(reterr, E_ABSENT, "'%s'", path);
    }
    struct span *names = arena_calloc(in->arena, ARRAY_LEN(texts), sizeof(*names));
    for (size_t i = 0; i < ARRAY_LEN(texts); i++) {
        names[i] = span_of(texts[i]);
    }
    *ret = (struct host_names){names, ARRAY_LEN(texts)};
    return true;
}

static void check_lines(struct arena *a, const struct optline *lines, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        struct optline back;
        struct buf b;
        buf_init(&b, a, 1 << 20);
        optline_print(&b, &lines[i]);
        if (b.full || !optline_read(a, buf_span(&b), &back) || !span_eq(back.name, lines[i].name) ||
            !span_eq(back.value, lines[i].value)) {
            abort();
        }
    }
}

static void check(struct arena *a, const struct server_options *o)
{
    check_lines(a, o->lines, o->n_lines);
    check_lines(a, o->other_lines, o->n_other_lines);
    if ((o->end == SERVER_OPTIONS_WHOLE) != (o->why.code == E_NONE) || o->n_groups == 0) {
        abort();
    }
    struct decl_set *decls = decl_set_new(a);
    struct err err = ERR_INIT;
    if (!decl_set_add(decls, server_option_decls, ARRAY_LEN(server_option_decls), &err)) {
        abort();
    }
    struct store *s = store_new(a, decls);
    const struct subject *server = store_subject(s, SUBJECT_SERVER, "server:/s");
    server_option_facts(s, server, a, o);
    const struct fact *f = store_get(s, server, SPAN_LIT("server.option.lines"));
    if (f == NULL || (o->end == SERVER_OPTIONS_PART && f->state == FACT_KNOWN)) {
        abort();
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (size < 2 || size > 16384) {
        return 0;
    }
    ARENA_AUTO a = arena_new();
    struct input in = {.arena = a};
    struct span rest = {(const char *)data + 2, size - 2}, words[WORDS_MAX], one;
    size_t n = 0;
    for (size_t i = 0; i < PIECES && span_split(&rest, 1, &one); i++) {
        in.pieces[i] = one;
    }
    for (rest = in.pieces[0]; n < WORDS_MAX && span_split(&rest, '\n', &one); n++) {
        words[n] = one;
    }
    const struct server_options_input asked = {
        .mariadb = (data[0] & 1) != 0,
        .version = {{data[0] % 16u, data[1] % 16u, 0, 0}, (data[0] & 2) != 0 ? 2 : 0},
        .args = words,
        .n_args = n,
        .home = (data[0] & 4) != 0 ? "/h" : NULL,
        .mysql_home = (data[0] & 8) != 0 ? "/d" : NULL,
        .group_suffix = (data[0] & 16) != 0 ? "_x" : NULL,
        .exe = "/usr/sbin/mysqld",
        .datadir = (data[0] & 32) != 0 ? "/data" : NULL,
        .started_as_root = (data[0] & 64) != 0,
    };
    const struct optfile_io io = {&in, asked.home, input_read, input_list,
                                  false, false, false};
    struct server_options o;
    server_options_read(&io, &asked, a, &o);
    check(a, &o);
    server_options_read(optfile_io_with(a, &io, "/d/zz-nvadvise.cnf", in.pieces[3]), &asked, a, &o);
    check(a, &o);
    struct err err = ERR_INIT;
    if (server_options_persisted(a, "/p", in.pieces[2], &o.lines, &o.n_lines, &err)) {
        check_lines(a, o.lines, o.n_lines);
    }
    return 0;
}
