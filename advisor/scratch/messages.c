/* See messages.h. What a message means is a table of phrases, since only MySQL numbers them. */
#include "advisor/scratch/messages.h"

#include <ctype.h>
#include <string.h>

#include "advisor/base/banned.h"

#define VALUES_MAX 8192

/* ---- the frame of a line --------------------------------------------------------------------- */

static bool find(struct span s, const char *part, size_t *ret)
{
    const char *const at = s.len > 0 ? memmem(s.ptr, s.len, part, strlen(part)) : NULL;
    if (at == NULL) {
        return false;
    }
    *ret = (size_t)(at - s.ptr);
    return true;
}

static bool has(struct span s, const char *part)
{
    size_t at = 0;
    return find(s, part, &at);
}

static struct span after(struct span s, size_t n)
{
    return span_trim(span_sub(s, n, s.len));
}

/* "[MY-010119] [Server] " in front of the text, both or none. */
static struct span without_number(struct span s)
{
    size_t end = 0;
    if (!span_starts(s, "[MY-") || !find(s, "]", &end)) {
        return s;
    }
    s = after(s, end + 1);
    if (span_starts(s, "[") && find(s, "]", &end)) {
        s = after(s, end + 1);
    }
    return s;
}

static enum message_level read_level(struct span line, struct span *ret_text)
{
    static const struct {
        const char *word;
        enum message_level level;
    } levels[] = {{"[ERROR]", MESSAGE_ERROR},
                  {"[Warning]", MESSAGE_WARNING},
                  {"[Note]", MESSAGE_NOTE},
                  {"[System]", MESSAGE_NOTE}};
    size_t best = line.len, at = 0, length = 0;
    enum message_level level = MESSAGE_PLAIN;
    /* The first one counts: what stands behind it may be a value that looks like one. */
    for (size_t i = 0; i < ARRAY_LEN(levels); i++) {
        if (find(line, levels[i].word, &at) && at < best) {
            best = at;
            length = strlen(levels[i].word);
            level = levels[i].level;
        }
    }
    *ret_text =
        level == MESSAGE_PLAIN ? span_trim(line) : without_number(after(line, best + length));
    return level;
}

/* What goes on in front of the sentence: who speaks, and that it was kept back. */
static struct span without_speaker(struct span s)
{
    static const char *const kept[] = {
        "Buffered error: ", "Buffered warning: ", "Buffered information: "};
    for (size_t i = 0; i < ARRAY_LEN(kept); i++) {
        if (span_starts(s, kept[i])) {
            s = after(s, strlen(kept[i]));
        }
    }
    size_t at = 0;
    if ((find(s, "mariadbd: ", &at) || find(s, "mysqld: ", &at)) &&
        (at == 0 || (s.ptr[0] == '/' && !span_has(span_sub(s, 0, at), ' ')))) {
        size_t colon = 0;
        if (find(span_sub(s, at, s.len), ": ", &colon)) {
            s = after(s, at + colon + 2);
        }
    }
    return s;
}

/* ---- what it means --------------------------------------------------------------------------- */

struct phrase {
    const char *text;
    enum complaint_kind kind;
    bool follows;
};

/* Of warnings. */
static const struct phrase warning_phrases[] = {
    /* What this run may open is less than what a service may: it says nothing of the options. */
    {"Changed limits", COMPLAINT_WARNING, true},
    {"max_open_files", COMPLAINT_WARNING, true},
    {"adjusted to", COMPLAINT_CHANGED, false},
    {"unknown variable", COMPLAINT_CHANGED, false}, /* loose_: the line does nothing */
    {"unknown option", COMPLAINT_CHANGED, false},
    {"due to invalid value", COMPLAINT_CHANGED, false},
    {"was removed", COMPLAINT_CHANGED, false},
    {"does nothing", COMPLAINT_CHANGED, false},
    {"ignoring option", COMPLAINT_CHANGED, false},
    {"is ignored", COMPLAINT_CHANGED, false},
    {"will be ignored", COMPLAINT_CHANGED, false},
    {"has no effect", COMPLAINT_CHANGED, false},
    {"cannot be set higher", COMPLAINT_CHANGED, false},
    {"can't be set higher", COMPLAINT_CHANGED, false},
    {"can't be lower", COMPLAINT_CHANGED, false},
    {"etting it to", COMPLAINT_CHANGED, false},
    {"truncated to", COMPLAINT_CHANGED, false},
};

/* Of errors: all refuse, some only tell of what an earlier one has done. */
static const struct phrase error_phrases[] = {
    {"Aborting", COMPLAINT_REFUSED, true},
    {"Parsing options for plugin", COMPLAINT_REFUSED, true},
    {"Plugin 'InnoDB' init function returned error", COMPLAINT_REFUSED, true},
    {"Plugin 'InnoDB' registration as a STORAGE ENGINE failed", COMPLAINT_REFUSED, true},
    {"Unknown/unsupported storage engine: InnoDB", COMPLAINT_REFUSED, true},
    {"Failed to initialize builtin plugins", COMPLAINT_REFUSED, true},
    {"Failed to initialize DD Storage Engine", COMPLAINT_REFUSED, true},
    {"Data Dictionary initialization failed", COMPLAINT_REFUSED, true},
    {"Failed to shutdown components infrastructure", COMPLAINT_REFUSED, true},
    {"The designated data directory", COMPLAINT_REFUSED, true},
    {"The newly created data directory", COMPLAINT_REFUSED, true},
};

static void judge(struct server_message *m)
{
    const struct phrase *rows = NULL;
    size_t n = 0;
    m->kind = COMPLAINT_WARNING;
    if (m->level == MESSAGE_ERROR) {
        m->kind = COMPLAINT_REFUSED;
        rows = error_phrases;
        n = ARRAY_LEN(error_phrases);
    } else if (m->level == MESSAGE_WARNING) {
        rows = warning_phrases;
        n = ARRAY_LEN(warning_phrases);
    }
    for (size_t i = 0; i < n; i++) {
        if (has(m->text, rows[i].text)) {
            m->kind = rows[i].kind;
            m->follows = rows[i].follows;
            return;
        }
    }
}

/* ---- whom it names --------------------------------------------------------------------------- */

static bool is_name_byte(char c)
{
    return isalnum((unsigned char)c) != 0 || c == '_' || c == '-' || c == '.';
}

/* "--name=value" or "name" in quotes: the name. */
static struct span name_in(struct span quoted)
{
    size_t n = 0;
    while (quoted.len > 0 && quoted.ptr[0] == '-') {
        quoted = span_sub(quoted, 1, quoted.len);
    }
    while (n < quoted.len && is_name_byte(quoted.ptr[n])) {
        n++;
    }
    return n == quoted.len || quoted.ptr[n] == '=' ? span_sub(quoted, 0, n) : (struct span){"", 0};
}

/* The piece behind `from` up to the next quote. */
static struct span quoted_from(struct span s, size_t from)
{
    struct span rest = span_sub(s, from, s.len), piece = {"", 0};
    return span_split(&rest, '\'', &piece) ? name_in(piece) : piece;
}

/* The last place of a part: a value in quotes before it may hold anything. */
static bool find_last(struct span s, const char *part, size_t *ret)
{
    size_t at = 0, base = 0;
    bool found = false;
    while (find(span_sub(s, base, s.len), part, &at)) {
        *ret = base + at;
        base += at + 1;
        found = true;
    }
    return found;
}

static struct span find_name(struct span text)
{
    static const char *const in_front[] = {"unknown variable '", "unknown option '", "variable '",
                                           "option '", "The syntax '"};
    size_t at = 0;
    if (has(text, "while setting value") && find_last(text, "' to '", &at)) {
        return quoted_from(text, at + strlen("' to '"));
    }
    for (size_t i = 0; i < ARRAY_LEN(in_front); i++) {
        if (find(text, in_front[i], &at)) {
            return quoted_from(text, at + strlen(in_front[i]));
        }
    }
    return find(text, "'", &at) ? quoted_from(text, at + 1) : (struct span){"", 0};
}

bool server_message_read(struct span line, struct server_message *ret)
{
    struct server_message m = {.level = MESSAGE_PLAIN};
    m.level = read_level(line, &m.text);
    m.text = without_speaker(m.text);
    if (m.text.len == 0) {
        return false;
    }
    m.name = find_name(m.text);
    judge(&m);
    *ret = m;
    return true;
}

size_t server_messages(struct arena *a, struct span text, size_t max, struct server_message **ret)
{
    struct server_message *list = NULL, m;
    struct span line;
    size_t n = 0;
    while (n < max && span_line(&text, &line)) {
        if (server_message_read(line, &m) && m.level >= MESSAGE_WARNING) {
            list = arena_list_room(a, list, n, sizeof(*list));
            list[n++] = m;
        }
    }
    *ret = list;
    return n;
}

/* ---- values ---------------------------------------------------------------------------------- */

size_t shown_values(struct arena *a, struct span text, struct shown_value **ret)
{
    struct shown_value *list = NULL;
    struct span line, word;
    size_t n = 0;
    bool begun = false;
    while (n < VALUES_MAX && span_line(&text, &line)) {
        if (!begun || line.len == 0) {
            if (begun) {
                break; /* the table ends with an empty line */
            }
            begun = span_starts(line, "----") && span_has(line, ' ');
            continue;
        }
        struct span rest = line;
        if (span_word(&rest, &word)) {
            struct shown_value v = {word, span_trim(rest)};
            if (span_eq_text(v.value, "(No default value)")) {
                v.value.len = 0;
            }
            list = arena_list_room(a, list, n, sizeof(*list));
            list[n++] = v;
        }
    }
    *ret = list;
    return n;
}

size_t dumped_values(struct arena *a, struct span text, struct shown_value **ret)
{
    struct shown_value *list = NULL;
    struct span line;
    size_t n = 0;
    while (n < VALUES_MAX && span_line(&text, &line)) {
        struct shown_value v;
        if (span_split(&line, '\t', &v.name)) {
            v.value = line;
            list = arena_list_room(a, list, n, sizeof(*list));
            list[n++] = v;
        }
    }
    *ret = list;
    return n;
}

/* ---- names ----------------------------------------------------------------------------------- */

static struct span bare_name(struct span s)
{
    while (s.len > 0 && s.ptr[0] == '-') {
        s = span_sub(s, 1, s.len);
    }
    if (s.len > 6 && span_eq_nocase(span_sub(s, 0, 5), SPAN_LIT("loose")) &&
        (s.ptr[5] == '_' || s.ptr[5] == '-')) {
        s = span_sub(s, 6, s.len);
    }
    return s;
}

bool option_name_same(struct span a, struct span b)
{
    a = bare_name(a);
    b = bare_name(b);
    if (a.len != b.len) {
        return false;
    }
    for (size_t i = 0; i < a.len; i++) {
        const int x = a.ptr[i] == '-' ? '_' : tolower((unsigned char)a.ptr[i]);
        const int y = b.ptr[i] == '-' ? '_' : tolower((unsigned char)b.ptr[i]);
        if (x != y) {
            return false;
        }
    }
    return true;
}
