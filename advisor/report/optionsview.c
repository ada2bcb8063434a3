/* See optionsview.h. Says nothing of its own of what a line means: that is rules/options.h. */
#include "advisor/report/optionsview.h"

#include <string.h>

#include "advisor/report/textbuf.h"
#include "rules/options.h"
#include "rules/ruleset.h"

#include "advisor/base/banned.h"

#define TEXT_MAX 8192
#define PLACE_MAX 44 /* wider places push their own line only */
#define LABEL 15
#define REMARK 10 /* column of what is said of a line */

struct view {
    struct buf *b;
    struct arena *arena;
    const struct text_options *opt;
    const struct store *store;
    const struct subject *server;
    const struct option_reading *readings;
    size_t n;
    int width;
};

/* ---- facts ----------------------------------------------------------------------------------- */

static const struct fact *fact(const struct view *v, const char *name)
{
    return store_get(v->store, v->server, span_of(name));
}

static const struct value *known(const struct view *v, const char *name)
{
    const struct fact *f = fact(v, name);
    return f == NULL || f->state != FACT_KNOWN ? NULL : &f->value;
}

static const char *text_of(struct arena *a, const struct value *v)
{
    struct buf b;
    buf_init(&b, a, TEXT_MAX);
    if (v != NULL) {
        value_print(&b, v);
    }
    return b.ptr;
}

static void field(const struct view *v, const char *label, const char *text)
{
    text_field(v->b, v->opt, 1, label, LABEL, text);
}

/* ---- heading --------------------------------------------------------------------------------- */

static bool target_of(const struct view *v, struct option_target *ret)
{
    const struct value *flavour = known(v, "server.flavour");
    const struct value *version = known(v, "server.version");
    *ret = (struct option_target){.store = v->store, .server = v->server};
    if (flavour == NULL || version == NULL || !flavour_from_name(flavour->text, &ret->flavour)) {
        return false;
    }
    ret->version = version->version;
    return true;
}

static void print_head(const struct view *v, const struct option_target *t, bool has_target)
{
    text_paint(v->b, v->opt, PAINT_BOLD, v->server->label);
    if (has_target) {
        buf_printf(v->b, ": %s ", flavour_title(t->flavour));
        version_print(v->b, &t->version);
    }
    buf_add_char(v->b, '\n');
}

static void print_unknown(const struct view *v, const char *name)
{
    const struct fact *f = fact(v, name);
    const char *why = f == NULL ? "nothing is known of the option files" : f->reason;
    const char *remedy = f == NULL || f->remedy == NULL ? "" : f->remedy;
    field(v, "unknown",
          arena_printf(v->arena, "%s%s%s", why, remedy[0] != '\0' ? ". " : "", remedy));
}

/* "read 0644 0 /etc/my.cnf": files that nobody misses are shown with -v. */
static void print_files(const struct view *v)
{
    const struct value *files = known(v, "server.option.files");
    for (size_t i = 0; files != NULL && i < files->n_items; i++) {
        struct span rest = files->items[i], state = {"", 0}, mode = {"", 0}, uid = {"", 0};
        (void)span_split(&rest, ' ', &state);
        (void)span_split(&rest, ' ', &mode);
        (void)span_split(&rest, ' ', &uid);
        const bool absent = span_eq_text(state, "absent");
        if (absent && !v->opt->verbose) {
            continue;
        }
        const bool plain = !v->opt->verbose || span_eq_text(mode, "-");
        const char *path = span_dup(v->arena, rest);
        field(v, span_dup(v->arena, state),
              plain ? path
                    : arena_printf(v->arena, "%s (mode %.*s, owner %.*s)", path, SPAN_ARG(mode),
                                   SPAN_ARG(uid)));
    }
}

static void print_lists(const struct view *v)
{
    const struct value *groups = known(v, "server.option.groups");
    const struct value *dirs = known(v, "server.option.dirs");
    const struct value *warnings = known(v, "server.option.warnings");
    if (groups != NULL && v->opt->verbose) {
        field(v, "groups", text_of(v->arena, groups));
    }
    if (dirs != NULL && dirs->n_items > 0) {
        field(v, "read last",
              arena_printf(v->arena, "%.*s/: the place for a drop-in",
                           SPAN_ARG(dirs->items[dirs->n_items - 1])));
    } else if (dirs != NULL) {
        const struct value *files = known(v, "server.option.files");
        const bool none = files == NULL || files->n_items == 0;
        field(v, "no folder",
              none ? "no option file is looked for"
                   : "no option file has an !includedir: a drop-in would not be read");
    }
    for (size_t i = 0; warnings != NULL && i < warnings->n_items; i++) {
        field(v, "note", span_dup(v->arena, warnings->items[i]));
    }
}

/* ---- lines ----------------------------------------------------------------------------------- */

static const char *place(const struct view *v, const struct optline *l)
{
    struct buf b, shown;
    buf_init(&b, v->arena, TEXT_MAX);
    buf_init(&shown, v->arena, TEXT_MAX);
    optline_place(&b, l);
    buf_add_escaped(&shown, buf_span(&b));
    return shown.ptr;
}

static const char *assignment(const struct view *v, const struct optline *l)
{
    struct buf b;
    buf_init(&b, v->arena, TEXT_MAX);
    buf_add_escaped(&b, l->name);
    if (l->has_value) {
        buf_add_text(&b, " = ");
        buf_add_escaped(&b, l->value);
    }
    return b.ptr;
}

static const struct {
    const char *word;
    enum paint paint;
} effects[] = {
    [OPTION_IN_FORCE] = {"", PAINT_NONE},         [OPTION_SHADOWED] = {"loses", PAINT_YELLOW},
    [OPTION_IGNORED] = {"ignored", PAINT_YELLOW}, [OPTION_STOPS] = {"STOPS", PAINT_RED},
    [OPTION_UNSURE] = {"unsure", PAINT_CYAN},
};

/* Lines that lose against an equal one say nothing. */
static bool is_shown(const struct view *v, const struct option_reading *r)
{
    return v->opt->verbose || r->effect != OPTION_SHADOWED || r->by == NULL || !r->has_value ||
           !r->by->has_value || !value_eq(&r->value, &r->by->value);
}

static void print_reading(const struct view *v, const struct option_reading *r)
{
    struct buf *b = v->b;
    buf_add_char(b, ' ');
    text_paint(b, v->opt, effects[r->effect].paint,
               arena_printf(v->arena, "%-9s", effects[r->effect].word));
    buf_printf(b, "%-*s  ", v->width, place(v, r->line));
    if (v->opt->verbose && r->line->group.len > 0) {
        buf_add_char(b, '[');
        buf_add_escaped(b, r->line->group);
        buf_add_text(b, "] ");
    }
    buf_add_text(b, assignment(v, r->line));
    buf_add_char(b, '\n');
    const bool loses = r->effect == OPTION_SHADOWED && r->by != NULL;
    const unsigned plain = OPTION_DUPLICATE | OPTION_OVERRIDDEN | OPTION_PERSISTED;
    if (r->text != NULL && r->text[0] != '\0' && !(loses && (r->marks & ~plain) == 0)) {
        text_field(b, v->opt, REMARK, "", 2, r->text);
    }
    if (loses) {
        text_field(b, v->opt, REMARK, "", 2,
                   arena_printf(v->arena, "%s wins: %s", place(v, r->by->line),
                                assignment(v, r->by->line)));
    }
}

static void widen(struct view *v, const struct optline *l)
{
    const int len = (int)strlen(place(v, l));
    v->width = len > v->width && len <= PLACE_MAX ? len : v->width;
}

/* What matters most goes first. */
static void print_stops(const struct view *v)
{
    size_t stops = 0;
    const struct option_reading *first = NULL;
    for (size_t i = 0; i < v->n; i++) {
        if (v->readings[i].effect == OPTION_STOPS) {
            first = first == NULL ? &v->readings[i] : first;
            stops++;
        }
    }
    if (first != NULL) {
        field(v, "FATAL",
              arena_printf(
                  v->arena, "%s would stop the server when it starts next%s", place(v, first->line),
                  stops > 1 ? arena_printf(v->arena, ", and so would %zu more", stops - 1) : ""));
    }
}

static void print_lines(struct view *v)
{
    size_t hidden = 0;
    for (size_t i = 0; i < v->n; i++) {
        if (is_shown(v, &v->readings[i])) {
            widen(v, v->readings[i].line);
        }
    }
    buf_add_text(v->b, v->n == 0 ? " no option is set\n" : "");
    for (size_t i = 0; i < v->n; i++) {
        if (is_shown(v, &v->readings[i])) {
            print_reading(v, &v->readings[i]);
        } else {
            hidden++;
        }
    }
    if (hidden > 0) {
        buf_printf(v->b, " and %zu that a later line sets to the same, with -v\n", hidden);
    }
}

/* Which version it is is not known: what the lines say, and no word on what they do. */
static void print_unjudged(struct view *v, const struct optline *lines, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        widen(v, &lines[i]);
    }
    for (size_t i = 0; i < n; i++) {
        buf_printf(v->b, " %-9s%-*s  %s\n", "", v->width, place(v, &lines[i]),
                   assignment(v, &lines[i]));
    }
}

/* Options of groups that this server does not read: with -v. */
static void print_others(const struct view *v)
{
    struct optline *lines;
    size_t n = 0;
    if (!v->opt->verbose || !option_other_lines(v->store, v->server, v->arena, &lines, &n)) {
        return;
    }
    for (size_t i = 0; i < n; i++) {
        buf_printf(v->b, " %-9s%-*s  [", "not read", v->width, place(v, &lines[i]));
        buf_add_escaped(v->b, lines[i].group);
        buf_printf(v->b, "] %s\n", assignment(v, &lines[i]));
    }
}

void optionsview_print(struct buf *b, const struct ruleset *rules, const struct store *s,
                       const struct subject *server, const struct text_options *opt)
{
    struct view v = {.b = b, .arena = b->arena, .opt = opt, .store = s, .server = server};
    struct option_target target;
    struct optline *lines;
    struct option_reading *readings;
    size_t n = 0;
    const bool has_target = target_of(&v, &target);
    print_head(&v, &target, has_target);
    print_files(&v);
    print_lists(&v);
    const struct value *fatal = known(&v, "server.option.fatal_reason");
    if (fatal != NULL && fatal->text.len > 0) {
        field(&v, "FATAL",
              arena_printf(v.arena, "%.*s: the server would not start", SPAN_ARG(fatal->text)));
    }
    if (!options_lines(s, server, v.arena, &lines, &n)) {
        print_unknown(&v, "server.option.lines");
    } else if (!has_target) {
        print_unknown(&v, "server.version");
        print_unjudged(&v, lines, n);
    } else {
        v.n = options_read(rules->catalogue, &target, lines, n, v.arena, &readings);
        v.readings = readings;
        print_stops(&v);
        print_lines(&v);
    }
    print_others(&v);
}
