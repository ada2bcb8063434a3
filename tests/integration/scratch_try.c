/* The scratch module by hand, for tests in a shell:
 *   scratch_try version BINARY UID                    prints flavour, version and text
 *   scratch_try validate BINARY FLAVOUR UID OURS DIR LINES   what the binary says of options;
 * LINES: a file with a word of server.option.lines a line; OURS: the file that is new
 *                                   ("-": none); DIR: where scratch files may be ("-": the usual
 * place) scratch_try sweep DIR                             ends and removes what killed runs left
 *   scratch_try serve BINARY FLAVOUR UID DIR          a scratch server until a signal comes
 * validate prints "good" or "bad", "bad before", how, the complaints; exit code 0 good, 1 bad, 2
 * not asked. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "advisor/base/file.h"
#include "advisor/base/parse.h"
#include "advisor/scratch/scratch.h"
#include "advisor/scratch/validate.h"
#include "rules/catalogue_names.h"
#include "rules/ruleset.h"

#include "advisor/base/banned.h"

#define INPUT_MAX ((size_t)4 * 1024 * 1024)
#define MIB ((uint64_t)1024 * 1024)

static ATTR_NORETURN void give_up(const struct err *err)
{
    for (unsigned i = 0; i < err->n_frames; i++)
        (void)fprintf(stderr, "%s: ", err->frames[i]);
    (void)fprintf(stderr, "%s\n%s%s", err->text, err->hint, err->hint[0] != '\0' ? "\n" : "");
    exit(2);
}

static struct catalogue *load(struct arena *a)
{
    const struct rule_texts *t = rule_texts_builtin(a);
    struct ini_file *files = arena_calloc(a, t->n_catalogue, sizeof(*files));
    struct err err = ERR_INIT;
    struct catalogue *c = NULL;
    bool ok = true;
    for (size_t i = 0; ok && i < t->n_catalogue; i++)
        ok = ini_read(a, t->catalogue[i].name, t->catalogue[i].bytes, &files[i], &err);
    if (!ok || !catalogue_load(a, files, t->n_catalogue, &c, NULL, &err))
        give_up(&err);
    for (size_t i = 0; i < t->n_names; i++) {
        struct span file = span_of(t->names[i].name), part;
        enum flavour f;
        for (struct span rest = file; span_split(&rest, '/', &part);)
            file = part;
        if (span_split(&file, '.', &part) && flavour_from_name(part, &f))
            catalogue_names_set(c, f, t->names[i].bytes);
    }
    return c;
}

static uint32_t number(const char *text)
{
    uint64_t n = 0;
    if (!parse_u64(span_of(text), &n) || n > UINT32_MAX)
        exit(2);
    return (uint32_t)n;
}

static const char *or_null(const char *text)
{
    return strcmp(text, "-") == 0 ? NULL : text;
}

static int version(struct arena *a, char **arg)
{
    struct err err = ERR_INIT;
    enum flavour f;
    struct version v;
    const char *text = NULL;
    struct buf b;
    if (!binary_version(arg[0], number(arg[1]), number(arg[1]), a, &f, &v, &text, &err))
        give_up(&err);
    buf_init(&b, a, 100);
    version_print(&b, &v);
    (void)printf("%s %s\n%s\n", flavour_name(f), b.ptr, text);
    return 0;
}

static int validate(struct arena *a, char **arg)
{
    static const char *const kinds[] = {"refused", "changed", "warning"};
    struct err err = ERR_INIT;
    struct validation r;
    struct validate_input in = {.binary = arg[0],
                                .uid = number(arg[2]),
                                .gid = number(arg[2]),
                                .ours = arg[3],
                                .scratch_dir = or_null(arg[4]),
                                .catalogue = load(a)};
    struct span text, line;
    struct optline *lines = NULL, l;
    if (!flavour_from_name(span_of(arg[1]), &in.flavour) ||
        !file_read(a, arg[5], INPUT_MAX, &text, &err))
        give_up(&err);
    while (span_line(&text, &line)) {
        if (optline_read(a, line, &l)) {
            lines = arena_list_room(a, lines, in.n_lines, sizeof(*lines));
            lines[in.n_lines++] = l;
        }
    }
    in.lines = lines;
    const char *const timeout = getenv("SCRATCH_TIMEOUT");
    in.timeout_s = timeout != NULL ? number(timeout) : 0;
    if (!validate_options(&in, a, &r, &err))
        give_up(&err);
    (void)printf("%s\n%show: %s\n", r.good ? "good" : "bad", r.bad_before ? "bad before\n" : "",
                 r.how);
    for (size_t i = 0; i < r.n_complaints; i++)
        (void)printf("%s %s '%s': %s\n", r.complaints[i].ours ? "ours" : "other",
                     kinds[r.complaints[i].kind], r.complaints[i].name, r.complaints[i].text);
    return r.good ? 0 : 1;
}

static int sweep(struct arena *a, char **arg)
{
    struct err err = ERR_INIT;
    const char *text = "";
    if (!scratch_sweep(or_null(arg[0]), a, &text, &err))
        give_up(&err);
    (void)printf("%s", text);
    return 0;
}

static int serve(struct arena *a, char **arg)
{
    struct err err = ERR_INIT;
    struct scratch_server *s = NULL;
    struct scratch_plan p = {.binary = arg[0],
                             .uid = number(arg[2]),
                             .gid = number(arg[2]),
                             .parent = or_null(arg[3]),
                             .memory = 640 * MIB,
                             .disk = 512 * MIB};
    const char *text = NULL;
    if (!flavour_from_name(span_of(arg[1]), &p.flavour) ||
        !binary_version(p.binary, p.uid, p.gid, a, &p.flavour, &p.version, &text, &err) ||
        !scratch_open(&p, a, &s, &err))
        give_up(&err);
    bool ok = scratch_initialise(s, NULL, 0, &err) && scratch_start(s, NULL, 0, NULL, &err);
    if (ok) {
        (void)printf("ready %s\n%s\n", scratch_socket(s), scratch_notes(s));
        (void)fflush(stdout);
        while (!run_interrupted())
            run_sleep_ms(50);
    } else {
        (void)fprintf(stderr, "%.*s\n", SPAN_ARG(scratch_log(s)));
    }
    struct err closing = ERR_INIT;
    if (!scratch_close(s, &closing))
        give_up(&closing);
    if (!ok)
        give_up(&err);
    return 0;
}

int main(int argc, char **argv)
{
    static const struct {
        const char *name;
        int n;
        int (*run)(struct arena *a, char **arg);
    } rows[] = {{"version", 2, version},
                {"validate", 6, validate},
                {"sweep", 1, sweep},
                {"serve", 4, serve}};
    ARENA_AUTO a = arena_new();
    for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
        if (argc == rows[i].n + 2 && strcmp(argv[1], rows[i].name) == 0)
            return rows[i].run(a, argv + 2);
    }
    (void)fprintf(stderr, "usage: scratch_try version|validate|sweep|serve …\n");
    return 2;
}
