/* See fileline.h. */
#include "advisor/report/fileline.h"

#include <string.h>

#include "advisor/base/banned.h"

#define TEXT_MAX 16384

void fstab_words(struct arena *a, struct span words, struct json **ret_drop, struct json **ret_add)
{
    struct span word;
    *ret_drop = json_array(a);
    *ret_add = json_array(a);
    while (span_split(&words, ' ', &word)) {
        word = span_trim(word);
        if (word.len > 1 && word.ptr[0] == '-') {
            json_push(*ret_drop, json_span(a, span_sub(word, 1, word.len)));
        } else if (word.len > 1 && word.ptr[0] == '+') {
            json_push(*ret_add, json_span(a, span_sub(word, 1, word.len)));
        }
    }
}

static bool fits(struct span option, struct span pattern)
{
    const bool open = pattern.len > 0 && pattern.ptr[pattern.len - 1] == '*';
    if (!open) {
        return span_eq(option, pattern);
    }
    const size_t n = pattern.len - 1;
    return option.len >= n && memcmp(option.ptr, pattern.ptr, n) == 0;
}

static bool listed(const struct json *list, struct span option)
{
    for (size_t i = 0; i < list->n; i++) {
        if (fits(option, list->items[i]->string)) {
            return true;
        }
    }
    return false;
}

static void add_option(struct buf *b, struct span option)
{
    if (b->len > 0) {
        buf_add_char(b, ',');
    }
    buf_add_span(b, option);
}

const char *fstab_options(struct arena *a, const char *base, const struct json *drop,
                          const struct json *add)
{
    struct buf b;
    struct span rest = span_of(base), option;
    buf_init(&b, a, TEXT_MAX);
    while (span_split(&rest, ',', &option)) {
        option = span_trim(option);
        if (option.len > 0 && !span_eq_text(option, "defaults") && !listed(drop, option) &&
            !listed(add, option)) {
            add_option(&b, option);
        }
    }
    for (size_t i = 0; i < add->n; i++) {
        add_option(&b, add->items[i]->string);
    }
    return b.len > 0 ? b.ptr : "defaults";
}

static void add_field(struct buf *b, const char *text)
{
    for (const char *c = text; *c != '\0'; c++) {
        const unsigned char byte = (unsigned char)*c;
        if (byte <= 0x20 || byte == 0x7f || byte == '#' || byte == '\\') {
            buf_printf(b, "\\%03o", (unsigned)byte);
        } else {
            buf_add_char(b, *c);
        }
    }
}

const char *fstab_line(struct arena *a, const char *source, const char *mount, const char *type,
                       const char *options, const char *numbers)
{
    const char *const fields[] = {source, mount, type, options};
    struct buf b;
    buf_init(&b, a, TEXT_MAX);
    for (size_t i = 0; i < ARRAY_LEN(fields); i++) {
        add_field(&b, fields[i]);
        buf_add_char(&b, ' ');
    }
    /* Two digits, or what a document says in their place. */
    struct span rest = span_of(numbers), word;
    for (size_t i = 0; i < 2; i++) {
        const bool digit = span_word(&rest, &word) && word.len == 1 && word.ptr[0] >= '0' && word.ptr[0] <= '9';
        buf_printf(&b, "%s%c", i > 0 ? " " : "", digit ? word.ptr[0] : '0');
    }
    return b.ptr;
}

static void add_words(struct buf *b, const char *before, const struct json *words)
{
    for (size_t i = 0; i < words->n; i++) {
        buf_add_text(b, i == 0 ? before : ", ");
        buf_add_span(b, words->items[i]->string);
    }
}

const char *fileline_told(struct arena *a, const char *action)
{
    struct span rest = span_of(action), word;
    struct json *drop, *add;
    struct buf b;
    buf_init(&b, a, TEXT_MAX);
    (void)span_split(&rest, ' ', &word);
    if (span_eq_text(word, "line") && span_split(&rest, ' ', &word)) {
        buf_printf(&b, "%.*s holds: %.*s", SPAN_ARG(word), SPAN_ARG(rest));
        return b.ptr;
    }
    if (!span_eq_text(word, "fstab")) {
        return NULL;
    }
    fstab_words(a, rest, &drop, &add);
    buf_add_text(&b, "its line in " FSTAB_FILE);
    add_words(&b, ": without ", drop);
    add_words(&b, drop->n > 0 ? "; with " : ": with ", add);
    return b.ptr;
}

const char *fileline_command(struct arena *a, const char *file, const struct json *lines)
{
    struct buf b;
    buf_init(&b, a, TEXT_MAX);
    /* Shells do not agree on what echo makes of a backslash or an option. */
    const struct span first = lines->n > 0 ? lines->items[0]->string : (struct span){"", 0};
    const bool plain = lines->n == 1 && memchr(first.ptr, '\\', first.len) == NULL &&
                       !span_starts(first, "-");
    buf_add_text(&b, plain ? "echo" : "printf '%s\\n'");
    for (size_t i = 0; i < lines->n; i++) {
        buf_add_char(&b, ' ');
        buf_add_shell(&b, lines->items[i]->string);
    }
    buf_add_text(&b, " >> ");
    buf_add_shell(&b, span_of(file));
    return b.ptr;
}
