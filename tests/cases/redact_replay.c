/* redact_replay CAPTURE…: a capture and its redacted twin give the same facts and verdicts, but for
 * names; each as it is, and with names planted wherever a host keeps one. Nothing of those is in
 * the twin. */
#include <stdio.h>
#include <string.h>

#include "probes/host/capture_format.h"
#include "probes/host/redact_parts.h"
#include "probes/host/reply.h"
#include "tests/cases/judge.h"
#include "tests/lib/leak.h"
#include "tests/lib/twins.h"

#include "advisor/base/banned.h"

/* What stands in the captures, and what takes its place; the word that may then be nowhere. `same`:
 * of one length, since pages have fixed fields. */
static const struct {
    const char *from, *to, *word;
} plants[] = {
    {"guest", "kestrel7.quokka.example", "quokka"}, /* the host's name, and logs called after it */
    {"/m/data", "/srv/wombat/my data-wombat4", "wombat"}, /* the data directory, with a blank */
    {"/data/data", "/srv/wombat/my data-wombat4", "wombat"},
    {"/m/run/server.sock", "/run/numbat/numbat-3306.sock", "numbat"},
    {"/data/mysqld.sock", "/run/numbat/numbat-3306.sock", "numbat"},
    {"WHOLE", "QUOLL", "quoll"}, /* serial numbers */
    {"LIMITED", "POSSUM1", "possum"},
    {"/usr/sbin/mariadbd", "/opt/bilby/bin/mariadbd", "bilby"},
    {"root@localhost", "dunnart@10.11.12.13", "dunnart"},
};

static const char *const also_gone[] = {"kestrel", "10.11.12.13"};

struct test {
    struct judge judge;
    unsigned long wrong;
    const char *path, *how;
};

static void complain(struct test *t, const char *what, const char *detail)
{
    printf("%s, %s: %s: %s\n", t->path, t->how, what, detail);
    t->wrong++;
}

/* ---- planting -------------------------------------------------------------------------------- */

static struct span replaced(struct arena *a, struct span s, const char *from, const char *to)
{
    const struct span piece = span_of(from);
    struct buf b;
    buf_init(&b, a, CAPTURE_MAX);
    for (size_t i = 0; i < s.len;) {
        if (piece.len <= s.len - i && span_eq(span_sub(s, i, piece.len), piece)) {
            buf_add_text(&b, to);
            i += piece.len;
        } else {
            buf_add_char(&b, s.ptr[i++]);
        }
    }
    return buf_span(&b);
}

/* /proc/PID/mountinfo writes a blank as \040. */
static struct span plant(struct arena *a, struct span s, bool fixed, bool mounts)
{
    for (size_t i = 0; i < ARRAY_LEN(plants); i++) {
        if (!fixed || strlen(plants[i].from) == strlen(plants[i].to)) {
            const struct span to = span_of(plants[i].to);
            s = replaced(a, s, plants[i].from,
                         mounts ? span_dup(a, replaced(a, to, " ", "\\040")) : plants[i].to);
        }
    }
    return s;
}

static const struct err *plant_err(struct arena *a, const struct err *err)
{
    if (err == NULL) {
        return NULL;
    }
    struct err *const copy = arena_alloc(a, sizeof(*copy));
    *copy = *err;
    snprintf(copy->text, sizeof(copy->text), "%s",
             span_dup(a, plant(a, span_of(err->text), false, false)));
    return copy;
}

static struct json *plant_header(struct arena *a, const struct json *header)
{
    struct buf b;
    struct json *made = NULL;
    struct err err = ERR_INIT;
    buf_init(&b, a, CAPTURE_MAX);
    json_write(&b, header, false);
    if (!json_read(a, "header", plant(a, buf_span(&b), false, false), &made, &err)) {
        printf("%s\n", err.text);
    }
    return made;
}

/* Its first line has the length. */
static struct span plant_optfile(struct arena *a, struct span bytes)
{
    struct host_optfile file;
    struct err ignored = ERR_INIT;
    if (bytes.len == 0 || !reply_read_optfile(bytes, &file, &ignored)) {
        return bytes;
    }
    file.text = plant(a, file.text, false, false);
    return reply_optfile(a, &file);
}

static struct capture_writer *planted(struct arena *a, const struct capture *c)
{
    struct capture_writer *const w = capture_copy(a, c);
    w->header = plant_header(a, w->header);
    for (size_t i = 0; i < w->n; i++) {
        struct capture_op *const op = &w->ops[i];
        const bool mounts = span_ends(span_of(op->key), "/mountinfo");
        op->probe = span_dup(a, plant(a, span_of(op->probe), false, false));
        op->key = span_dup(a, plant(a, span_of(op->key), false, false));
        op->bytes = op->op == HOST_OPTFILE ? plant_optfile(a, op->bytes)
                                           : plant(a, op->bytes, op->op == HOST_NVME, mounts);
        op->err = plant_err(a, op->err);
    }
    return w;
}

static void compare_facts(struct test *t, struct twin_names *p, const struct store *a,
                          const struct store *b)
{
    const size_t n = store_subjects(a);
    if (n != store_subjects(b)) {
        complain(t, "number of subjects", "differs");
        return;
    }
    for (size_t i = 0; i < n; i++) {
        const struct subject *const x = store_subject_at(a, i), *const y = store_subject_at(b, i);
        const struct fact_row *rows = NULL;
        const size_t n_rows = store_facts(a, x, &rows);
        if (!twin_text(p, span_of(x->label), span_of(y->label)) ||
            !twin_text(p, span_of(x->identity), span_of(y->identity))) {
            complain(t, x->label, y->label);
        }
        for (size_t k = 0; k < n_rows; k++) {
            const struct fact *const f = store_get(b, y, span_of(rows[k].name));
            if (f == NULL || !twin_fact(p, rows[k].fact, f)) {
                complain(t, x->label, rows[k].name);
            }
        }
    }
}

static void compare_verdicts(struct test *t, const struct verdicts *a, const struct verdicts *b)
{
    if (a->n != b->n || a->exit_code != b->exit_code || judge_differ(a, b)) {
        complain(t, "verdicts", "differ");
    }
}

/* ---- the twins ------------------------------------------------------------------------------- */

static const struct capture *made(struct test *t, struct arena *a, struct capture_writer *w)
{
    struct err err = ERR_INIT;
    struct span bytes;
    struct capture *c = NULL;
    if (!capture_pack(w, a, &bytes, &err) || !capture_read(a, "twin", bytes, &c, &err)) {
        complain(t, "capture", err.text);
    }
    return c;
}

static const struct capture *twin(struct test *t, struct arena *a, const struct capture *c,
                                  uint8_t key_byte)
{
    const struct redact_key key = {.bytes = {key_byte}};
    struct capture_writer *const w = capture_copy(a, c);
    capture_redact(w, &key);
    return made(t, a, w);
}

static struct span packed(struct test *t, struct arena *a, const struct capture *c)
{
    struct err err = ERR_INIT;
    struct span bytes = {"", 0};
    if (!capture_pack(capture_copy(a, c), a, &bytes, &err)) {
        complain(t, "capture", err.text);
    }
    return bytes;
}

static bool replay(struct test *t, const struct capture *c, struct store *s)
{
    struct err err = ERR_INIT;
    if (!collect_replay(c, s, &err)) {
        complain(t, "replay", err.text);
        return false;
    }
    return true;
}

static void look_for_names(struct test *t, struct arena *a, const struct capture *c,
                           const struct capture *of)
{
    for (size_t i = 0; i < ARRAY_LEN(plants); i++) {
        const char *const where = leak_in_capture(a, c, plants[i].word);
        if (where != NULL) {
            complain(t, plants[i].word, where);
        }
    }
    for (size_t i = 0; i < ARRAY_LEN(also_gone); i++) {
        const char *const where = leak_in_capture(a, c, also_gone[i]);
        if (where != NULL) {
            complain(t, also_gone[i], where);
        }
    }
    /* A search that finds nothing where there is something would prove nothing. */
    if (leak_in_capture(a, of, "quokka") == NULL) {
        complain(t, "quokka", "was never planted");
    }
}

static void compare(struct test *t, struct arena *a, const struct capture *c)
{
    struct store *const plain = store_new(a, t->judge.decls);
    struct store *const redacted = store_new(a, t->judge.decls);
    struct twin_names pairs = {.arena = a};
    struct verdicts x, y;
    const struct capture *const other = twin(t, a, c, 1);
    if (other == NULL || !replay(t, c, plain) || !replay(t, other, redacted)) {
        return;
    }
    compare_facts(t, &pairs, plain, redacted);
    judge_store(&t->judge, plain, a, &x);
    judge_store(&t->judge, redacted, a, &y);
    compare_verdicts(t, &x, &y);
    const struct span bytes = packed(t, a, other);
    if (!span_eq(bytes, packed(t, a, twin(t, a, c, 1)))) {
        complain(t, "one key", "two captures");
    }
    if (span_eq(bytes, packed(t, a, twin(t, a, c, 2)))) {
        complain(t, "two keys", "one capture");
    }
    if (!span_eq(bytes, packed(t, a, twin(t, a, other, 2)))) {
        complain(t, "redacted twice", "another capture");
    }
    printf("%s, %s: %zu names\n", t->path, t->how, pairs.n);
}

/* Every word that a variable of the catalogue may have stays, and so does every name of an option.
 */
static void look_at_catalogue(struct test *t, struct arena *a)
{
    static const char family[] = "server.var.";
    static const struct redact_key key = {.bytes = {1}};
    struct redactor *const r = redactor_new(a, &key);
    t->how = "catalogue";
    for (size_t i = 0; i < decl_count(t->judge.decls); i++) {
        const struct fact_decl *const d = decl_at(t->judge.decls, i);
        const struct span name = span_of(d->name);
        struct span rest = span_of(d->allowed), word;
        if (!span_starts(name, family)) {
            continue;
        }
        const struct span variable = span_sub(name, sizeof(family) - 1, name.len);
        struct buf b;
        buf_init(&b, a, 4096);
        redact_add_text(r, &b, variable, &redact_option);
        if (!span_eq(buf_span(&b), variable)) {
            complain(t, d->name, b.ptr);
        }
        while (d->kind == KIND_ENUM && span_split(&rest, ',', &word)) {
            b.len = 0;
            redact_add_value(r, &b, variable, span_trim(word));
            if (!span_eq(buf_span(&b), span_trim(word))) {
                complain(t, d->name, span_dup(a, word));
            }
        }
    }
}

int main(int argc, char **argv)
{
    ARENA_AUTO a = arena_new();
    struct test t = {.wrong = 0};
    judge_init(&t.judge, a);
    t.path = "rules";
    look_at_catalogue(&t, a);
    for (int i = 1; i < argc; i++) {
        ARENA_AUTO of_one = arena_new();
        const struct capture *const c = judge_capture(of_one, argv[i]);
        t.path = argv[i];
        t.how = "as it is";
        compare(&t, of_one, c);
        t.how = "with names planted";
        const struct capture *const full = made(&t, of_one, planted(of_one, c));
        if (full != NULL) {
            compare(&t, of_one, full);
            look_for_names(&t, of_one, twin(&t, of_one, full, 1), full);
        }
    }
    return argc > 1 && t.wrong == 0 ? 0 : 1;
}
