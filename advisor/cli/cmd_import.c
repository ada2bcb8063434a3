/* import: facts out of what other tools printed, as a facts document. */
#include <stdio.h>
#include <string.h>

#include "advisor/base/file.h"
#include "advisor/base/log.h"
#include "advisor/cli/cmd.h"
#include "advisor/cli/factview.h"
#include "advisor/cli/output.h"
#include "advisor/cli/redactkey.h"
#include "advisor/cli/statedir.h"
#include "advisor/facts/factdoc.h"
#include "advisor/report/report.h"
#include "probes/import/format.h"
#include "probes/import/import.h"
#include "probes/probe.h"
#include "rules/engine.h"

#include "advisor/base/banned.h"

#define FILES_MAX 1000
#define LINE_BYTES 4096

static const struct option_row rows[] = {
    {"format", 'f', "FORMAT", false, "json (default): a facts document; text: for people"},
    {"ask", 0, "PATH", false, "of storage outputs: the path, device or 'pool NAME' that is wanted"},
    {"formats", 0, NULL, false, "list what can be read, and end"},
    {"no-redact", 0, NULL, false, "keep serial numbers instead of their pseudonyms"},
    {"no-state", 0, NULL, false, "a key of pseudonyms for this run alone"},
};

static const char *hide(void *ctx, struct span serial)
{
    return redactor_serial(ctx, serial);
}

static bool hide_with(struct arena *a, const struct options *opt, struct import_hide *ret,
                      struct err *reterr)
{
    struct redact_key key;
    *ret = (struct import_hide){.serial = NULL};
    if (option_flag(opt, "no-redact")) {
        return true;
    }
    if (!redact_key_load(a, option_flag(opt, "no-state") ? NULL : state_dir(a), &key, reterr)) {
        return false;
    }
    *ret = (struct import_hide){.serial = hide, .ctx = redactor_new(a, &key)};
    return true;
}

static void list_formats(void)
{
    for (size_t i = 0; i < import_n_formats; i++) {
        printf("%s\n    %s\n", import_formats[i]->name, import_formats[i]->doc);
    }
}

/* What follows from what was read: it may be judged elsewhere, by a program that does not derive. */
static bool add_derived(struct arena *a, struct decl_set *decls, struct store *s, struct err *reterr)
{
    struct ruleset rules;
    if (!ruleset_load(a, decls, rule_texts_builtin(a), &rules, NULL, reterr)) {
        return false;
    }
    struct store *const full = store_clone(a, s);
    engine_derive(&rules, full);
    for (size_t i = 0; i < store_subjects(s); i++) {
        const struct subject *const sub = store_subject_at(s, i);
        const struct fact_row *facts = NULL;
        const size_t n = store_facts(full, store_find_subject(full, sub->label), &facts);
        for (size_t k = 0; k < n; k++) {
            const struct fact *f = facts[k].fact;
            if (f->derived && !f->estimated &&
                (f->state == FACT_KNOWN || f->state == FACT_UNREADABLE)) { /* beyond 128 bits */
                store_set(s, sub, facts[k].name, f);
            }
        }
    }
    return true;
}

/* What was not read, for people: warnings always, the rest with -v. */
static void print_report(struct arena *a, const struct import *im, bool verbose)
{
    const struct json *const lists[] = {import_warnings(im), verbose ? import_notes(im) : NULL};
    for (size_t i = 0; i < ARRAY_LEN(lists); i++) {
        for (size_t k = 0; lists[i] != NULL && k < lists[i]->n; k++) {
            struct buf b;
            buf_init(&b, a, LINE_BYTES);
            buf_add_escaped(&b, lists[i]->items[k]->string);
            fprintf(stderr, "nvadvise: %s%s\n", i == 0 ? "warning: " : "", b.ptr);
        }
    }
}

static void add_report(const struct import *im, struct json *doc)
{
    const struct json *const lists[] = {import_warnings(im), import_notes(im)};
    static const char *const keys[] = {"warnings", "notes"};
    for (size_t i = 0; i < ARRAY_LEN(lists); i++) {
        struct json *const all = json_array(doc->arena);
        for (size_t k = 0; k < lists[i]->n; k++) {
            json_push(all, lists[i]->items[k]);
        }
        json_set(doc, keys[i], all);
    }
}

/* Every file; one that holds nothing is told, and is an error only when none held anything. */
static bool read_files(struct arena *a, struct import *im, const char *const *files, size_t n,
                       struct err *reterr)
{
    for (size_t i = 0; i < n; i++) {
        struct span text;
        struct err err = ERR_INIT;
        if (!file_read(a, files[i], IMPORT_FILE_MAX, &text, reterr)) {
            return false;
        }
        if (import_text(im, files[i], text, &err)) {
            continue;
        }
        if (i + 1 == n && import_pieces(im) == 0) {
            *reterr = err;
            return false;
        }
        log_err(&err);
    }
    return true;
}

static int run(const struct options *opt, struct arena *a, struct err *reterr)
{
    const char *const *files = NULL;
    const size_t n = option_args(opt, &files);
    const char *const format = option_text(opt, "format");
    struct import_hide secret;
    if (option_flag(opt, "formats")) {
        list_formats();
        return EXIT_OK;
    }
    if (n == 0) {
        err_set(reterr, E_USAGE, "name the files to read, '-' for standard input: nvadvise import FILE");
        return -1;
    }
    if (format != NULL && strcmp(format, "json") != 0 && strcmp(format, "text") != 0) {
        err_set(reterr, E_USAGE, "option '--format': '%s' is not one of json, text", format);
        return -1;
    }
    struct decl_set *const decls = decl_set_new(a);
    if (!probes_declare(decls, reterr) || !hide_with(a, opt, &secret, reterr)) {
        return -1;
    }
    struct store *const store = store_new(a, decls);
    struct import *const im = import_new(a, store, &secret);
    import_ask(im, option_text(opt, "ask"));
    if (!read_files(a, im, files, n, reterr)) {
        return -1;
    }
    import_end(im);
    if (!add_derived(a, decls, store, reterr)) {
        return -1;
    }
    print_report(a, im, option_flag(opt, "verbose"));
    if (format != NULL && strcmp(format, "text") == 0) {
        facts_print(a, store, option_flag(opt, "verbose"));
    } else {
        struct json *const doc = factdoc_write(a, store);
        add_report(im, doc);
        output_json(a, doc);
    }
    return EXIT_OK;
}

const struct cmd cmd_import = {
    .name = "import",
    .summary = "facts out of what other tools printed",
    .synopsis = "import [options] FILE...",
    .help =
        "Reads output of nvme, smartctl, isdct, lsblk, mount, lvs, zpool and others, as\n"
        "text or JSON, from files or standard input ('-'), and prints it as a facts\n"
        "document: what check --facts judges. So drives and stacks can be judged on which\n"
        "nvadvise was never installed. Kinds are told by content; a file may hold several\n"
        "outputs, of several drives, with the prompts around them; several files are\n"
        "taken together. What an output does not say stays unknown. Serial numbers become\n"
        "pseudonyms, the same ones each time.\n\n"
        "  smartctl -x /dev/nvme0n1 | nvadvise import -          as a document\n"
        "  nvadvise import smart.txt id-ctrl.txt --format text   for people\n"
        "  nvadvise import dump.txt | nvadvise check --facts -   judge the drives\n"
        "  nvadvise import -v dump.txt                           and what was not kept\n"
        "  nvadvise import lsblk.txt --ask /srv/mysql | nvadvise chain --facts -\n\n"
        "exit status: 0 printed, 2 nothing could be read, or the usage is wrong",
    .options = rows,
    .n_options = ARRAY_LEN(rows),
    .max_args = FILES_MAX,
    .run = run,
};
