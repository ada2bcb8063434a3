/* See validate.h: the steps in their order, and the verdict. */
#include "advisor/scratch/validate.h"

#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "advisor/scratch/flat.h"
#include "advisor/scratch/validate_int.h"

#include "advisor/base/banned.h"

#define VERSION_MS 30000u
#define VERSION_MAX ((size_t)16384)
#define HOW_MAX 256
#define MIB ((uint64_t)1024 * 1024)

/* ---- the binary ------------------------------------------------------------------------------ */

static bool version_of_text(struct span text, enum flavour *ret_flavour,
                            struct version *ret_version)
{
    struct span word;
    const bool mariadb = memmem(text.ptr, text.len, "MariaDB", 7) != NULL;
    const bool percona = memmem(text.ptr, text.len, "Percona", 7) != NULL;
    *ret_flavour = mariadb ? FLAVOUR_MARIADB : percona ? FLAVOUR_PERCONA : FLAVOUR_MYSQL;
    while (span_word(&text, &word)) {
        if (span_eq_text(word, "Ver")) {
            return span_word(&text, &word) && version_parse(word, ret_version);
        }
    }
    return false;
}

bool binary_version(const char *binary, uint32_t uid, uint32_t gid, struct arena *a,
                    enum flavour *ret_flavour, struct version *ret_version, const char **ret_text,
                    struct err *reterr)
{
    static const char *const args[] = {"--no-defaults", "--version", NULL};
    const struct run_spec spec = {.program = binary, .args = args, .uid = uid, .gid = gid};
    struct run_hold hold;
    struct run_result r;
    struct span line = {"", 0};
    enum flavour flavour = FLAVOUR_MYSQL;
    struct version version;
    run_hold_signals(&hold);
    const bool ok = run_program(&spec, VERSION_MS, VERSION_MAX, a, &r, reterr);
    run_release_signals(&hold);
    if (!ok) {
        return false;
    }
    if (r.timed_out) {
        return err_set(reterr, E_TIMEOUT, "'%s --version' took longer than %u s", binary,
                       VERSION_MS / 1000);
    }
    struct span rest = r.out;
    if (!r.exited || r.status != 0 || !span_line(&rest, &line) ||
        !version_of_text(line, &flavour, &version)) {
        return err_set(reterr, E_NOT_SUPPORTED,
                       "'%s' does not tell its version: it is no server of "
                       "MySQL, Percona or MariaDB",
                       binary);
    }
    *ret_flavour = flavour;
    *ret_version = version;
    *ret_text = span_dup(a, span_trim(line));
    return true;
}

/* ---- options --------------------------------------------------------------------------------- */

bool validating_open(struct validating *v, struct scratch_server **ret, struct err *reterr)
{
    const struct validate_input *const in = v->in;
    const bool mariadb = in->flavour == FLAVOUR_MARIADB;
    const struct scratch_plan plan = {
        .binary = in->binary,
        .flavour = in->flavour,
        .version = v->version,
        .uid = in->uid,
        .gid = in->gid,
        .parent = in->scratch_dir,
        /* Seen with all sizes at their most, MariaDB 10.11.19 and MySQL 9.7.4: 185 and 235 MiB of
         * memory, 89 and 165 MiB of files. */
        .memory = (mariadb ? 384 : 512) * MIB,
        .disk = (mariadb ? 192 : 384) * MIB,
        .timeout_s = in->timeout_s,
    };
    return scratch_open(&plan, v->arena, ret, reterr);
}

bool validating_close(struct validating *v, struct scratch_server *s, struct err *reterr)
{
    struct span rest = span_of(scratch_notes(s)), line;
    while (span_line(&rest, &line)) {
        validating_add(v, COMPLAINT_WARNING, false, "", line);
    }
    return scratch_close(s, reterr);
}

/* What cannot be tried is left out; of ours that is a reason to refuse. */
static void leave_out(struct validating *v)
{
    static const char *const why[] = {
        [FLAT_ACTION] = "makes the server do something else than start",
        [FLAT_SECRET] = "has a secret value, which is not known here",
        [FLAT_UNWRITABLE] = "cannot be written into an option file",
    };
    for (size_t i = 0; i < v->in->n_lines; i++) {
        const struct optline *const l = &v->in->lines[i];
        const enum flat_fate fate = flat_fate(l);
        const char *value = NULL;
        v->names[i] = option_canonical(v->in->catalogue, l->name, v->arena, &value);
        v->skip[i] = fate != FLAT_WRITTEN;
        if (v->skip[i] && validating_is_ours(v, i)) {
            validating_add(v, COMPLAINT_REFUSED, true, v->names[i] != NULL ? v->names[i] : "",
                           span_of(arena_printf(v->arena, "'%.*s' %s: not tried", SPAN_ARG(l->name),
                                                why[fate])));
        }
    }
}

static bool is_good(const struct validating *v)
{
    for (size_t i = 0; i < v->n_list; i++) {
        if (v->list[i].ours && v->list[i].kind != COMPLAINT_WARNING) {
            return false;
        }
    }
    return !v->bad_before;
}

static bool check_flavour(const struct validate_input *in, enum flavour found, const char *text,
                          struct err *reterr)
{
    if ((in->flavour == FLAVOUR_MARIADB) == (found == FLAVOUR_MARIADB)) {
        return true;
    }
    return err_set(reterr, E_NOT_SUPPORTED, "'%s' is another server than %s: %s", in->binary,
                   flavour_name(in->flavour), text);
}

bool validate_options(const struct validate_input *asked, struct arena *a, struct validation *ret,
                      struct err *reterr)
{
    struct validate_input copy = *asked;
    const struct validate_input *const in = &copy;
    struct validating v = {.in = in, .arena = a};
    enum flavour flavour = FLAVOUR_MYSQL;
    const char *text = "";
    copy.ours = asked->ours != NULL ? asked->ours : "";
    if (!binary_version(in->binary, in->uid, in->gid, a, &flavour, &v.version, &text, reterr) ||
        !check_flavour(in, flavour, text, reterr)) {
        return false;
    }
    v.skip = arena_calloc(a, in->n_lines + 1, sizeof(*v.skip));
    v.names = arena_calloc(a, in->n_lines + 1, sizeof(*v.names));
    buf_init(&v.how, a, HOW_MAX);
    leave_out(&v);
    if (!validate_ask(&v, reterr)) {
        return err_wrap(reterr, "asking '%s' about the options", in->binary);
    }
    /* What it refuses to read it will not start with. */
    if (is_good(&v) && !validate_start(&v, reterr)) {
        return err_wrap(reterr, "starting a scratch server");
    }
    const char *const slash = strrchr(in->binary, '/');
    *ret =
        (struct validation){.good = is_good(&v),
                            .bad_before = v.bad_before,
                            .version = text,
                            .how = arena_printf(a, "%s %s", slash != NULL ? slash + 1 : in->binary,
                                                v.how.ptr != NULL ? v.how.ptr : ""),
                            .complaints = v.list,
                            .n_complaints = v.n_list};
    return true;
}
