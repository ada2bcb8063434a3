/* From what a server reads to facts. Knows words, not what they mean. */
#include "probes/server_option_facts.h"

#include <string.h>
#include <sys/stat.h>

#include "advisor/base/banned.h"

#define SOURCE "option files, /proc/PID/cmdline, mysqld-auto.cnf"
#define WORDS_BYTES_MAX ((size_t)900 * 1024) /* of one fact; a frame holds a mebibyte */
#define AS_ROOT "root or same-uid"

const struct fact_decl server_option_decls[] = {
    {"server.process.arguments", KIND_LIST, NULL, SUBJECT_SERVER, FOLD_SAME, NEED_NONE,
     "words of its command line, secrets blanked", "/proc/PID/cmdline", ""},
    {"server.process.environment", KIND_LIST, NULL, SUBJECT_SERVER, FOLD_SAME, NEED_NONE,
     "what of its environment says which option files it reads", "/proc/PID/environ", AS_ROOT},
    {"server.option.lines", KIND_LIST, NULL, SUBJECT_SERVER, FOLD_SAME, NEED_NONE,
     "every option that it gets at its next start, in the order in which they are applied, with "
     "file and line",
     SOURCE, AS_ROOT},
    {"server.option.other_lines", KIND_LIST, NULL, SUBJECT_SERVER, FOLD_SAME, NEED_NONE,
     "options in groups that it does not read", "option files", AS_ROOT},
    {"server.option.files", KIND_LIST, NULL, SUBJECT_SERVER, FOLD_SAME, NEED_NONE,
     "option files in reading order: what became of each, mode, owner, path", "option files",
     AS_ROOT},
    {"server.option.dirs", KIND_LIST, NULL, SUBJECT_SERVER, FOLD_SAME, NEED_NONE,
     "directories of !includedir, in the order in which they are read last", "option files",
     AS_ROOT},
    {"server.option.groups", KIND_LIST, NULL, SUBJECT_SERVER, FOLD_SAME, NEED_NONE,
     "groups of option files that it reads", "/proc/PID/cmdline, /proc/PID/environ", AS_ROOT},
    {"server.option.warnings", KIND_LIST, NULL, SUBJECT_SERVER, FOLD_SAME, NEED_NONE,
     "what is odd about its option files", "option files", AS_ROOT},
    {"server.option.fatal", KIND_BOOL, NULL, SUBJECT_SERVER, FOLD_ANY, NEED_NONE,
     "it would not start with its option files as they are", SOURCE, AS_ROOT},
    {"server.option.fatal_reason", KIND_STRING, NULL, SUBJECT_SERVER, FOLD_SAME, NEED_NONE,
     "why it would not start, with file and line; empty when it would", SOURCE, AS_ROOT},
    {"server.option.unread_files", KIND_COUNT, NULL, SUBJECT_SERVER, FOLD_SUM, NEED_NONE,
     "option files that it cannot or will not read: mode, owner, name, gone", "option files",
     AS_ROOT},
    {"server.option.dropin_present", KIND_BOOL, NULL, SUBJECT_SERVER, FOLD_ANY, NEED_NONE,
     SERVER_OPTION_DROPIN " is among the files that it reads", "option files", AS_ROOT},
};

struct target {
    struct store *store;
    const struct subject *server;
    struct arena *arena;
};

static void set(const struct target *t, const char *name, const struct span *words, size_t n)
{
    size_t bytes = 0;
    for (size_t i = 0; i < n; i++) {
        bytes += words[i].len + 8;
    }
    if (bytes > WORDS_BYTES_MAX) {
        store_unknown(t->store, t->server, name, FACT_UNREADABLE, SOURCE, "",
                      "there are more options than one fact holds");
        return;
    }
    const struct value v = value_words(t->arena, KIND_LIST, words, n);
    store_known(t->store, t->server, name, v, SOURCE);
}

static void set_lines(const struct target *t, const char *name, const struct optline *lines,
                      size_t n)
{
    struct span *words = arena_calloc(t->arena, n + 1, sizeof(*words));
    for (size_t i = 0; i < n; i++) {
        struct buf b;
        buf_init(&b, t->arena, WORDS_BYTES_MAX);
        optline_print(&b, &lines[i]);
        words[i] = buf_span(&b);
    }
    set(t, name, words, n);
}

/* Texts of files and paths, made harmless. */
static void set_texts(const struct target *t, const char *name, const char *const *texts, size_t n)
{
    struct span *words = arena_calloc(t->arena, n + 1, sizeof(*words));
    for (size_t i = 0; i < n; i++) {
        struct buf b;
        buf_init(&b, t->arena, 8192);
        buf_add_escaped(&b, span_of(texts[i]));
        words[i] = buf_span(&b);
    }
    set(t, name, words, n);
}

static const char *state_word(const struct optfile_file *f)
{
    switch (f->state) {
    case OPTFILE_READ:
        return "read";
    case OPTFILE_WORLD_WRITABLE:
        return "world-writable";
    case OPTFILE_BROKEN:
        return "broken";
    case OPTFILE_MISNAMED:
        return "misnamed";
    case OPTFILE_UNREADABLE:
        break;
    }
    return f->code == E_ABSENT ? "absent" : f->code == E_DENIED ? "denied" : "unseen";
}

static void set_files(const struct target *t, const struct server_options *o)
{
    const char **texts = arena_calloc(t->arena, o->n_files + 1, sizeof(*texts));
    for (size_t i = 0; i < o->n_files; i++) {
        const struct optfile_file *f = &o->files[i];
        texts[i] = f->mode != 0 ? arena_printf(t->arena, "%s %04o %u %s", state_word(f),
                                               f->mode & 07777u, f->uid, f->path)
                                : arena_printf(t->arena, "%s - - %s", state_word(f), f->path);
    }
    set_texts(t, "server.option.files", texts, o->n_files);
}

/* A file that nobody named may be missing. */
static bool is_unread(const struct optfile_file *f)
{
    return f->state == OPTFILE_WORLD_WRITABLE || f->state == OPTFILE_MISNAMED ||
           (f->state == OPTFILE_UNREADABLE && (f->code == E_DENIED || f->depth > 0));
}

static bool is_dropin(const struct optfile_file *f)
{
    return f->state == OPTFILE_READ && span_ends(span_of(f->path), "/" SERVER_OPTION_DROPIN);
}

/* What could not be looked at is no "there is no such thing here". */
static void set_part(const struct target *t, const char *name, const struct server_options *o)
{
    struct err why = o->why;
    why.code = why.code == E_NOT_SUPPORTED ? E_IO : why.code;
    store_unknown(t->store, t->server, name, fact_state_from_err(why.code), SOURCE, why.hint, "%s",
                  why.text);
}

static void set_counts(const struct target *t, const struct server_options *o)
{
    uint64_t unread = 0;
    bool dropin = false;
    for (size_t i = 0; i < o->n_files; i++) {
        unread += is_unread(&o->files[i]);
        dropin = dropin || is_dropin(&o->files[i]);
    }
    if (o->end == SERVER_OPTIONS_WHOLE) {
        store_known(t->store, t->server, "server.option.unread_files",
                    value_u64(KIND_COUNT, unread), SOURCE);
    } else {
        set_part(t, "server.option.unread_files", o);
    }
    if (o->end == SERVER_OPTIONS_WHOLE || dropin) {
        store_known(t->store, t->server, "server.option.dropin_present", value_bool(dropin),
                    SOURCE);
    } else {
        set_part(t, "server.option.dropin_present", o);
    }
}

static void set_end(const struct target *t, const struct server_options *o)
{
    const bool fatal = o->end == SERVER_OPTIONS_FATAL;
    struct buf b;
    buf_init(&b, t->arena, 4096);
    buf_add_escaped(&b, span_of(fatal ? o->why.text : ""));
    for (unsigned i = 0; fatal && i < o->why.n_frames; i++) {
        buf_add_text(&b, " (");
        buf_add_escaped(&b, span_of(o->why.frames[i]));
        buf_add_char(&b, ')');
    }
    store_known(t->store, t->server, "server.option.fatal", value_bool(fatal), SOURCE);
    store_known(t->store, t->server, "server.option.fatal_reason",
                value_text(KIND_STRING, buf_span(&b)), SOURCE);
}

void server_option_facts(struct store *s, const struct subject *server, struct arena *a,
                         const struct server_options *o)
{
    static const char *const whole[] = {"server.option.lines", "server.option.other_lines",
                                        "server.option.fatal", "server.option.fatal_reason"};
    const struct target at = {s, server, a}, *const t = &at;
    set_files(t, o);
    set_texts(t, "server.option.dirs", o->dirs, o->n_dirs);
    if (o->n_groups > 0) {
        set_texts(t, "server.option.groups", o->groups, o->n_groups);
    }
    set_texts(t, "server.option.warnings", o->warnings, o->n_warnings);
    set_counts(t, o);
    if (o->end == SERVER_OPTIONS_PART) {
        for (size_t i = 0; i < ARRAY_LEN(whole); i++) {
            set_part(t, whole[i], o);
        }
        return;
    }
    if (o->n_groups > 0) {
        set_lines(t, "server.option.lines", o->lines, o->n_lines);
    } else {
        store_unknown(s, server, "server.option.lines", FACT_ABSENT, SOURCE,
                      "Name it: --server mysql:8.4.3.", "which server reads the file is not said");
    }
    set_lines(t, "server.option.other_lines", o->other_lines, o->n_other_lines);
    set_end(t, o);
}
