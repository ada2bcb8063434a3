/* Files of `check --out` and text on standard output. Wires templates to documents. */
#include "advisor/cli/output.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "advisor/base/file.h"
#include "advisor/report/docread.h"
#include "templates/template.h"

#include "advisor/base/banned.h"

#define COLUMNS_DEFAULT 80
#define COLUMNS_MIN 60
#define COLUMNS_MAX 160
#define JSON_MAX (64u * 1024 * 1024)
#define DROPIN_MAX (1024u * 1024)
#define TOLD_MAX 65536u
#define DROPIN_MARK ": made by nvadvise "

struct text_options output_terminal(const struct options *opt)
{
    struct text_options t = {.columns = COLUMNS_DEFAULT, .verbose = option_flag(opt, "verbose")};
    const char *when = option_text(opt, "color");
    const char *term = getenv("TERM");
    const bool terminal = isatty(STDOUT_FILENO) == 1;
    struct winsize size = {0};
    if (terminal && ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0) {
        t.columns = size.ws_col < COLUMNS_MIN   ? COLUMNS_MIN
                    : size.ws_col > COLUMNS_MAX ? COLUMNS_MAX
                                                : size.ws_col;
    }
    t.colour = terminal && getenv("NO_COLOR") == NULL && term != NULL && strcmp(term, "dumb") != 0;
    if (when != NULL) {
        t.colour = strcmp(when, "always") == 0 || (t.colour && strcmp(when, "never") != 0);
    }
    return t;
}

static struct span json_text(struct arena *a, const struct json *doc)
{
    struct buf b;
    buf_init(&b, a, JSON_MAX);
    json_write(&b, doc, true);
    buf_add_char(&b, '\n');
    return buf_span(&b);
}

void output_json(struct arena *a, const struct json *doc)
{
    const struct span text = json_text(a, doc);
    (void)!fwrite(text.ptr, 1, text.len, stdout);
}

bool output_render(struct arena *a, const char *name, const struct json *doc, struct buf *out,
                   struct err *reterr)
{
    const struct template *t = template_builtin(a, name, reterr);
    return t != NULL && template_render(t, doc, out, reterr);
}

/* What became of the files: names of those written in one line, and a line for each that was kept.
 */
struct told {
    struct buf names, kept;
};

static bool write_one(struct arena *a, const char *dir, const char *name, struct span text,
                      struct told *told, struct err *reterr)
{
    if (!file_replace(arena_printf(a, "%s/%s", dir, name), text, 0644, reterr)) {
        return false;
    }
    buf_printf(&told->names, "%s%s", told->names.len == 0 ? "" : ", ", name);
    return true;
}

/* A file of that name which somebody else wrote is not ours to replace. */
static bool is_ours(struct arena *a, const char *path, struct err *reterr)
{
    struct span text, first = {"", 0};
    struct stat st;
    if (lstat(path, &st) != 0 || !S_ISREG(st.st_mode) || st.st_size == 0) {
        return true; /* what else stands in the way is told when it is replaced */
    }
    if (!file_read(a, path, DROPIN_MAX, &text, reterr)) {
        return false;
    }
    (void)span_line(&text, &first);
    if (strstr(span_dup(a, first), DROPIN_MARK) != NULL) {
        return true;
    }
    err_set(reterr, E_DENIED, "will not replace '%s': nvadvise has not made it", path);
    return err_hint(reterr, "Move it away, or name another directory.");
}

/* Nothing is asked for now. A drop-in of an earlier run stays: it may be in force, and then it is
 * why nothing is asked for; but it must not be taken for this run's. */
static void note_kept(struct arena *a, const char *dir, const char *name, struct told *told)
{
    const char *path = arena_printf(a, "%s/%s", dir, name);
    if (access(path, F_OK) == 0) {
        buf_printf(&told->kept, "kept: %s, of an earlier run; this one asks for no setting\n",
                   path);
    }
}

static bool write_dropins(struct arena *a, const char *dir, const struct json *doc,
                          struct told *told, struct err *reterr)
{
    const struct json *servers = read_list(json_get(doc, "subjects"), "servers");
    for (size_t i = 0; i < servers->n; i++) {
        const char *name =
            i == 0 ? "zz-nvadvise.cnf" : arena_printf(a, "zz-nvadvise-%zu.cnf", i + 1);
        struct json *dropin =
            report_dropin_doc(a, doc, read_text(servers->items[i], "subject"), NULL);
        if (dropin == NULL) {
            note_kept(a, dir, name, told);
            continue;
        }
        struct buf out;
        buf_init(&out, a, TEMPLATE_OUT_MAX);
        if (!is_ours(a, arena_printf(a, "%s/%s", dir, name), reterr) ||
            !output_render(a, "my.cnf", dropin, &out, reterr) ||
            !write_one(a, dir, name, buf_span(&out), told, reterr)) {
            return false;
        }
    }
    if (servers->n == 0) {
        note_kept(a, dir, "zz-nvadvise.cnf", told);
    }
    return true;
}

bool output_dir(struct arena *a, const char *dir, const struct json *doc, struct buf *ret_written,
                struct err *reterr)
{
    const struct json *storage = report_storage_doc(a, doc);
    struct buf text, script;
    struct told told;
    buf_init(&text, a, TEMPLATE_OUT_MAX);
    buf_init(&script, a, TEMPLATE_OUT_MAX);
    buf_init(&told.names, a, TOLD_MAX);
    buf_init(&told.kept, a, TOLD_MAX);
    if (!file_make_dir(dir, 0755, reterr) || !write_dropins(a, dir, doc, &told, reterr) ||
        !output_render(a, "storage.md", storage, &text, reterr) ||
        !write_one(a, dir, "storage.md", buf_span(&text), &told, reterr) ||
        !output_render(a, "storage.sh", storage, &script, reterr) ||
        !write_one(a, dir, "storage.sh", buf_span(&script), &told, reterr) ||
        !write_one(a, dir, "report.json", json_text(a, doc), &told, reterr)) {
        return false;
    }
    buf_add_span(ret_written, buf_span(&told.kept));
    buf_printf(ret_written, "written to %s:\n         ", dir);
    buf_add_span(ret_written, buf_span(&told.names));
    buf_add_char(ret_written, '\n');
    return true;
}
