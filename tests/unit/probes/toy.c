/* See toy.h. */
#include "tests/unit/probes/toy.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "advisor/base/file.h"

#include "advisor/base/banned.h"

#define ROW(name, kind, subject)                                                                   \
    {                                                                                              \
        name, kind, NULL, subject, FOLD_SAME, NEED_NONE, "toy", "toy", ""                          \
    }

static const struct fact_decl rows[] = {
    ROW("host.a", KIND_COUNT, SUBJECT_HOST),
    ROW("host.b", KIND_COUNT, SUBJECT_HOST),
    ROW("host.text", KIND_STRING, SUBJECT_HOST),
    ROW("host.set", KIND_SET, SUBJECT_HOST),
    ROW("host.memory.other_rss", KIND_BYTES, SUBJECT_HOST),
    ROW("host.nvme.disks", KIND_SET, SUBJECT_HOST),
    ROW("server.pid", KIND_COUNT, SUBJECT_SERVER),
    ROW("server.process.rss", KIND_BYTES, SUBJECT_SERVER),
    ROW("server.process.uid", KIND_COUNT, SUBJECT_SERVER),
    ROW("server.process.gid", KIND_COUNT, SUBJECT_SERVER),
    ROW("server.process.cwd", KIND_STRING, SUBJECT_SERVER),
    ROW("server.process.socket", KIND_STRING, SUBJECT_SERVER),
    ROW("server.process.port", KIND_COUNT, SUBJECT_SERVER),
    ROW("server.memory.others", KIND_BYTES, SUBJECT_SERVER),
    ROW("server.data.bytes", KIND_BYTES, SUBJECT_SERVER),
    ROW("server.version_string", KIND_STRING, SUBJECT_SERVER),
    ROW("volume.fs.type", KIND_STRING, SUBJECT_VOLUME),
    ROW("volume.zfs.pool", KIND_STRING, SUBJECT_VOLUME),
    ROW("volume.zfs.dataset", KIND_STRING, SUBJECT_VOLUME),
    ROW("volume.leaf_devices", KIND_LIST, SUBJECT_VOLUME),
    ROW("device.a", KIND_COUNT, SUBJECT_DEVICE),
    ROW("device.b", KIND_COUNT, SUBJECT_DEVICE),
};

static const struct fact_decl family = ROW("server.var.", KIND_STRING, SUBJECT_SERVER);

struct decl_set *toy_decls(struct arena *a)
{
    struct decl_set *const set = decl_set_new(a);
    struct err err = ERR_INIT;
    assert_true(decl_set_add(set, rows, ARRAY_LEN(rows), &err));
    assert_true(decl_set_add_family(set, family.name, &family, &err));
    return set;
}

static void dump_fact(struct buf *b, const char *name, const struct fact *f)
{
    buf_printf(b, "  %s: %s", name, fact_state_name(f->state));
    if (f->state == FACT_KNOWN) {
        buf_add_text(b, " = ");
        value_print_literal(b, &f->value);
    } else {
        buf_printf(b, " reason '%s' remedy '%s'", f->reason, f->remedy);
    }
    buf_printf(b, " from '%s'\n", f->source);
}

const char *toy_dump(struct arena *a, const struct store *s)
{
    struct buf b;
    buf_init(&b, a, 8 << 20);
    for (size_t i = 0; i < store_subjects(s); i++) {
        const struct subject *const sub = store_subject_at(s, i);
        const struct fact_row *facts = NULL;
        const size_t n = store_facts(s, sub, &facts);
        buf_printf(&b, "%s identity '%s' server '%s' roles %u\n", sub->label, sub->identity,
                   sub->server == NULL ? "" : sub->server->label, sub->roles);
        for (size_t k = 0; k < n; k++) {
            dump_fact(&b, facts[k].name, facts[k].fact);
        }
    }
    return b.ptr;
}

static const struct capture *read_back(struct arena *a, struct capture_writer *w)
{
    char path[] = "/tmp/nv-toy-XXXXXX";
    const int fd = mkstemp(path);
    assert_true(fd >= 0);
    close(fd);
    struct err err = ERR_INIT;
    struct span bytes;
    struct capture *c = NULL;
    const bool ok = capture_save(w, path, &err) && file_read(a, path, CAPTURE_MAX, &bytes, &err) &&
                    capture_read(a, "toy", bytes, &c, &err);
    unlink(path);
    if (!ok) {
        fail_msg("%s", err.text);
    }
    return c;
}

struct toy_run toy_live(struct arena *a, const struct probe_table *t,
                        const struct collect_options *opt, const struct login *login)
{
    struct toy_run r = {.store = store_new(a, toy_decls(a)), .err = ERR_INIT};
    struct capture_writer *const w = capture_new(a, NULL);
    const int64_t before = live_now_ns();
    r.ok = collect_run_live(t, opt, login, r.store, w, &r.err);
    r.seconds = (double)(live_now_ns() - before) / 1e9;
    r.capture = read_back(a, w);
    return r;
}

struct toy_run toy_replay(struct arena *a, const struct probe_table *t, const struct capture *c,
                          const struct fault *fault)
{
    static const struct fault none = {.probe = NULL};
    struct toy_run r = {.store = store_new(a, toy_decls(a)), .err = ERR_INIT};
    r.ok = collect_run_replay(t, c, fault == NULL ? &none : fault, r.store, &r.err);
    return r;
}

void toy_count(struct probe_ctx *ctx, const char *name, uint64_t v)
{
    store_known(ctx->store, ctx->subject, name, value_u64(KIND_COUNT, v), "toy");
}

void toy_text(struct probe_ctx *ctx, const char *name, const char *text)
{
    store_known(ctx->store, ctx->subject, name, value_text(KIND_STRING, span_of(text)), "toy");
}
