/* The texts and commands of a rule, filled in for one finding. Pure; knows nothing of terminals and
 * templates. */
#include <string.h>

#include "advisor/report/doc.h"

#include "advisor/facts/layer.h"
#include "advisor/report/fileline.h"

#include "advisor/base/banned.h"

#define TEXT_MAX 4096

const char *doc_fill(const struct doc *d, const struct finding *f, const char *text)
{
    if (text == NULL || text[0] == '\0') {
        return text;
    }
    const struct eval_env env =
        engine_env(d->in->rules, d->in->store, f->subject, f->leaf, d->arena);
    return engine_fill(&env, d->in->rules, f->rule->scope, text, d->arena);
}

bool doc_offers(const struct doc *d, const struct finding *f, const struct rule_action *act)
{
    if (act->when == NULL) {
        return true;
    }
    const struct eval_env env =
        engine_env(d->in->rules, d->in->store, f->subject, f->leaf, d->arena);
    const struct eval_result r = eval(act->when, &env);
    return r.state != EVAL_KNOWN || r.value.boolean;
}

/* ---- places ---------------------------------------------------------------------------------- */

/* The disk a finding speaks of: its own subject, the leaf that decided, or the only one below the volume. */
static const struct subject *disk_of(const struct doc *d, const struct finding *f)
{
    const struct subject *const *leaves = NULL;
    size_t n = 0;
    if (f->leaf != NULL || f->subject->kind == SUBJECT_DEVICE) {
        return f->leaf != NULL ? f->leaf : f->subject;
    }
    if (f->subject->kind == SUBJECT_VOLUME && store_leaves(d->in->store, f->subject, &leaves, &n) && n == 1) {
        return leaves[0];
    }
    return NULL;
}

/* A unit that holds what others started in it: to restart it would end them all. */
static bool holds_others(struct span unit)
{
    static const char *const names[] = {"docker.service",     "containerd.service", "crio.service",
                                        "cri-docker.service", "kubelet.service",    "k3s.service"};
    bool held = span_starts(unit, "user@");
    for (size_t i = 0; i < ARRAY_LEN(names); i++) {
        held = held || span_eq_text(unit, names[i]);
    }
    return held;
}

/* The unit that started a server, by its control group: "/system.slice/mariadb.service". One of a user's own
 * manager is not one of the system's. */
static struct span unit_of(const struct doc *d, const struct subject *server)
{
    const struct fact *f = store_get(d->in->store, server, SPAN_LIT("server.cgroup.path"));
    struct span rest = {"", 0}, part, unit = SPAN_LIT("UNIT.service");
    if (f != NULL && f->state == FACT_KNOWN) {
        rest = f->value.text;
    }
    while (span_split(&rest, '/', &part)) {
        if (holds_others(part)) {
            return SPAN_LIT("UNIT.service");
        }
        if (span_ends(part, ".service") && part.len > sizeof(".service") - 1) {
            unit = part;
        }
    }
    return unit;
}

/* The client that checks tables. MariaDB has its own name for it since 10.5, and no other from 11.0 on where the
 * old names are not installed. A device's server is the first one. */
static struct span checker_of(const struct doc *d, const struct finding *f)
{
    static const struct version renamed = {{10, 5}, 2};
    const struct subject *server = f->subject->kind == SUBJECT_SERVER   ? f->subject
                                   : f->subject->kind == SUBJECT_VOLUME ? f->subject->server
                                                                        : NULL;
    if (server == NULL && d->in->n_servers > 0) {
        server = d->in->servers[0];
    }
    const struct fact *flavour =
        server == NULL ? NULL : store_get(d->in->store, server, SPAN_LIT("server.flavour"));
    const struct fact *version =
        server == NULL ? NULL : store_get(d->in->store, server, SPAN_LIT("server.version"));
    const bool own = flavour != NULL && flavour->state == FACT_KNOWN &&
                     span_eq_text(flavour->value.text, "mariadb") && version != NULL &&
                     version->state == FACT_KNOWN &&
                     version_cmp(&version->value.version, &renamed) >= 0;
    return own ? SPAN_LIT("mariadb-check") : SPAN_LIT("mysqlcheck");
}

/* The server of a finding: its own, or that of its volume. */
static const struct subject *server_of(const struct finding *f)
{
    return f->subject->kind == SUBJECT_SERVER   ? f->subject
           : f->subject->kind == SUBJECT_VOLUME ? f->subject->server
                                                : NULL;
}

/* The name of the first layer of a kind below the finding's volume. */
static struct span layer_of(const struct doc *d, const struct finding *f, const char *kind)
{
    const struct fact *fact =
        f->subject->kind != SUBJECT_VOLUME
            ? NULL
            : store_get(d->in->store, f->subject, SPAN_LIT("volume.layers"));
    if (fact == NULL || fact->state != FACT_KNOWN) {
        return (struct span){"", 0};
    }
    for (size_t i = 0; i < fact->value.n_items; i++) {
        struct layer l;
        if (layer_read(d->arena, fact->value.items[i], &l) && span_eq_text(l.kind, kind)) {
            return l.name;
        }
    }
    return (struct span){"", 0};
}

/* What a fact of one text says, else empty. */
static struct span text_of(const struct doc *d, const struct subject *sub, const char *name)
{
    const struct fact *fact = sub == NULL ? NULL : store_get(d->in->store, sub, span_of(name));
    return fact != NULL && fact->state == FACT_KNOWN ? fact->value.text : (struct span){"", 0};
}

/* The place that `text` begins with: how long its sign is (0: none there), and its value or the word that
 * stands for it. */
static size_t place_at(const struct doc *d, const struct finding *f, const char *text,
                       struct span *ret)
{
    if (text[0] != '$') {
        return 0; /* nearly every byte: before anything is looked for */
    }
    const struct subject *disk = disk_of(d, f);
    const struct subject *volume = f->subject->kind == SUBJECT_VOLUME ? f->subject : NULL;
    const struct {
        const char *sign;
        struct span value;
        const char *missing;
    } places[] = {
        {"$D", text_of(d, disk, "device.name"), "DISK"},
        {"$C", text_of(d, disk, "device.controller"), "CONTROLLER"},
        {"$M", text_of(d, volume, "volume.mountpoint"), "MOUNTPOINT"},
        {"$S", text_of(d, volume, "volume.source"), "VOLUME"},
        {"$crypt", layer_of(d, f, "crypt"), "MAPPING"},
        {"$md", layer_of(d, f, "md"), "MD"},
        {"$K", checker_of(d, f), ""},
        {"$U", server_of(f) != NULL ? unit_of(d, server_of(f)) : SPAN_LIT("UNIT.service"), ""},
    };
    for (size_t i = 0; i < ARRAY_LEN(places); i++) {
        const size_t n = strlen(places[i].sign);
        if (strncmp(text, places[i].sign, n) == 0) {
            *ret = places[i].value.len > 0 ? places[i].value : span_of(places[i].missing);
            return n;
        }
    }
    return 0;
}

const char *doc_places(const struct doc *d, const struct finding *f, const char *text)
{
    struct buf b;
    buf_init(&b, d->arena, TEXT_MAX);
    for (const char *c = text; c != NULL && *c != '\0'; c++) {
        struct span value;
        const size_t n = place_at(d, f, c, &value);
        if (n == 0) {
            buf_add_char(&b, *c);
        } else {
            buf_add_span(&b, value);
            c += n - 1;
        }
    }
    return text == NULL ? NULL : b.ptr != NULL ? b.ptr : "";
}

/* A number as a program reads it: digits of the base unit, without its name and without grouping. */
static void add_number(struct buf *b, struct num n)
{
    struct num whole;
    num_print(b, num_floor(n, &whole) == NUM_OK ? whole : n);
}

/* "{{volume.path}}" as a word of a command; unknown: PATH. */
static void add_name(const struct doc *d, const struct finding *f, struct span braced,
                     struct buf *b)
{
    const struct span name = span_trim(span_sub(braced, 2, braced.len - 4));
    const struct eval_env env =
        engine_env(d->in->rules, d->in->store, f->subject, f->leaf, d->arena);
    struct value v;
    if (engine_value(&env, d->in->rules, f->rule->scope, name, &v)) {
        if (kind_is_numeric(v.kind)) {
            add_number(b, v.num);
            return;
        }
        struct buf text;
        buf_init(&text, d->arena, TEXT_MAX);
        value_print(&text, &v);
        buf_add_shell(b, buf_span(&text));
        return;
    }
    size_t from = name.len;
    while (from > 0 && name.ptr[from - 1] != '.') {
        from--;
    }
    for (size_t i = from; i < name.len; i++) {
        const char c = name.ptr[i];
        buf_add_char(b, c >= 'a' && c <= 'z' ? (char)(c - 'a' + 'A') : c);
    }
}

/* A command or a line with its names and places put in. */
static const char *words_in(const struct doc *d, const struct finding *f, const char *text)
{
    struct buf b;
    buf_init(&b, d->arena, TEXT_MAX);
    for (const char *c = text; *c != '\0'; c++) {
        const char *end = strncmp(c, "{{", 2) == 0 ? strstr(c, "}}") : NULL;
        struct span place;
        const size_t n = place_at(d, f, c, &place);
        if (end != NULL) {
            add_name(d, f, (struct span){c, (size_t)(end + 2 - c)}, &b);
            c = end + 1;
        } else if (n > 0) {
            buf_add_shell(&b, place);
            c += n - 1;
        } else {
            buf_add_char(&b, *c);
        }
    }
    return b.ptr != NULL ? b.ptr : "";
}

/* ---- lines of files -------------------------------------------------------------------------- */

static const char *or_word(const struct doc *d, struct span text, const char *word)
{
    return text.len > 0 ? span_dup(d->arena, text) : word;
}

/* Without a row of the table: is what is mounted there only a folder of the filesystem? A line that says otherwise
 * would put all of it there. */
static bool is_folder(const struct doc *d, const struct subject *volume)
{
    const struct span root = text_of(d, volume, "volume.mount_root");
    return text_of(d, volume, "volume.fstab_source").len == 0 && root.len > 0 && !span_eq_text(root, "/");
}

/* "-OPT +OPT …": what the line of the volume's filesystem becomes. Its own source stays (names of NVMe disks move
 * from boot to boot, and a document of another tool has no table), and so does its place: what is mounted where
 * the volume lies may be a folder of it, bound there. */
static const char *add_fstab(const struct doc *d, const struct finding *f, struct span words,
                             struct json *j)
{
    struct arena *a = d->arena;
    const struct subject *volume = f->subject->kind == SUBJECT_VOLUME ? f->subject : NULL;
    const struct {
        const char *key, *fact, *instead, *missing;
    } parts[] = {
        {"source", "volume.fstab_source", "volume.source", "SOURCE"},
        {"mount", "volume.fstab_mountpoint", "volume.mountpoint", "MOUNTPOINT"},
        {"type", "volume.fs.type", "volume.fs.type", "TYPE"},
        {"options", "volume.fstab_options", "volume.fstab_options", "OPTIONS"},
        {"numbers", "volume.fstab_numbers", "volume.fstab_numbers", "0 0"},
    };
    const char *texts[ARRAY_LEN(parts)];
    const bool folder = is_folder(d, volume);
    struct json *drop, *add;
    fstab_words(a, words, &drop, &add);
    for (size_t i = 0; i < ARRAY_LEN(parts); i++) {
        const struct span text = text_of(d, volume, parts[i].fact);
        const struct span now = folder && i < 2 ? text : text_of(d, volume, parts[i].instead);
        texts[i] = or_word(d, text.len > 0 ? text : now, parts[i].missing);
        json_set(j, parts[i].key, json_str(a, texts[i]));
    }
    json_set(j, "drop", drop);
    json_set(j, "add", add);
    return fstab_line(a, texts[0], texts[1], texts[2], fstab_options(a, texts[3], drop, add),
                      texts[4]);
}

void doc_action_command(const struct doc *d, const struct finding *f, const char *command,
                        struct json *j)
{
    struct arena *a = d->arena;
    struct span rest = span_of(command), word;
    (void)span_split(&rest, ' ', &word);
    if (span_eq_text(word, "line") && span_split(&rest, ' ', &word)) {
        const char *file = span_dup(a, word), *line = words_in(d, f, span_dup(a, rest));
        struct json *lines = json_array(a);
        json_push(lines, json_str(a, line));
        json_set(j, "command", json_str(a, fileline_command(a, file, lines)));
        json_set(j, "file", json_str(a, file));
        json_set(j, "line", json_str(a, line));
    } else if (span_eq_text(word, "fstab")) {
        struct json *fstab = json_object(a);
        const char *line = add_fstab(d, f, rest, fstab);
        json_set(j, "command", json_str(a, arena_printf(a, "vi " FSTAB_FILE " # %s", line)));
        json_set(j, "file", json_str(a, FSTAB_FILE));
        json_set(j, "line", json_str(a, line));
        json_set(j, "fstab", fstab);
    } else {
        json_set(j, "command", json_str(a, words_in(d, f, command)));
    }
}

const char *doc_command(const struct doc *d, const struct finding *f, const char *command)
{
    struct json *j = json_object(d->arena);
    doc_action_command(d, f, command, j);
    return json_get_str(j, "command");
}
