/* See bag.h. Must not know facts. */
#include "probes/import/bag.h"

#include <string.h>

#include "advisor/base/banned.h"

#define LABEL_MAX 200u

struct span bag_key(struct arena *a, struct span label)
{
    char *text = arena_alloc(a, label.len + 1);
    size_t n = 0;
    for (size_t i = 0; i < label.len; i++) {
        const char c = label.ptr[i];
        if ((c >= 'a' && c <= 'z') || (c >= '0' && c <= '9')) {
            text[n++] = c;
        } else if (c >= 'A' && c <= 'Z') {
            text[n++] = (char)(c - 'A' + 'a');
        }
    }
    return (struct span){text, n};
}

static struct bag *bag_new(struct arena *a)
{
    struct bag *b = arena_alloc(a, sizeof(*b));
    *b = (struct bag){.arena = a};
    return b;
}

static void add(struct bag *b, const struct bag_item *item)
{
    if (b->n < BAG_ITEMS_MAX && item->key.len > 0) {
        b->items = arena_list_room(b->arena, b->items, b->n, sizeof(*b->items));
        b->items[b->n++] = *item;
    }
}

/* "Optional Admin Commands (0x0017)" */
static void take_paren(struct span *label, struct span *ret)
{
    *ret = (struct span){"", 0};
    if (!span_ends(*label, ")")) {
        return;
    }
    for (size_t i = label->len; i > 0; i--) {
        if (label->ptr[i - 1] == '(') {
            *ret = span_sub(*label, i, label->len - i - 1);
            *label = span_trim(span_sub(*label, 0, i - 1));
            return;
        }
    }
}

static size_t find(struct span s, char c)
{
    const char *p = s.len > 0 ? memchr(s.ptr, c, s.len) : NULL;
    return p != NULL ? (size_t)(p - s.ptr) : s.len;
}

/* Two blanks or a tab between words. */
static size_t find_gap(struct span s)
{
    for (size_t i = 0; i < s.len; i++) {
        if (s.ptr[i] == '\t' || (s.ptr[i] == ' ' && i + 1 < s.len && s.ptr[i + 1] == ' ')) {
            return i;
        }
    }
    return s.len;
}

/* Where the label ends: at a colon; in tables of documents at a bar; at an equals sign; else at a gap (*ret_weak: it may as well be the
 * row of any table, and nobody misses it). */
static bool split(struct span line, struct span *ret_label, struct span *ret_value, bool *ret_weak)
{
    size_t at;
    *ret_weak = false;
    if (span_starts(line, "|")) {
        line = span_sub(line, 1, line.len);
        at = find(line, '|');
    } else {
        at = find(line, ':');
        at = at < line.len ? at : find(line, '|');
        at = at < line.len ? at : find(line, '=');
        if (at >= line.len) {
            at = find_gap(line);
            *ret_weak = true;
        }
    }
    if (at == 0 || at >= line.len || at > LABEL_MAX) {
        return false;
    }
    *ret_label = span_trim(span_sub(line, 0, at));
    struct span value = span_trim(span_sub(line, at + 1, line.len));
    if (line.ptr[at] == '|') {
        value = span_trim(span_sub(value, 0, find(value, '|')));
    }
    *ret_value = value;
    return true;
}

struct bag *bag_of_text(struct arena *a, struct span text, unsigned line)
{
    struct bag *b = bag_new(a);
    struct span rest = text, one;
    for (; span_line(&rest, &one); line++) {
        struct bag_item item = {.line = line};
        one = span_trim(one);
        /* "[0:0] : 0x1 …" explains the bits of the line above */
        if (one.len == 0 || one.ptr[0] == '[' ||
            !split(one, &item.label, &item.value, &item.used)) {
            continue;
        }
        struct span name = item.label;
        take_paren(&name, &item.paren);
        item.key = bag_key(a, name);
        add(b, &item);
    }
    return b;
}

static bool json_text(struct arena *a, const struct json *v, struct span *ret)
{
    struct buf b;
    if (v->type == JSON_STRING) {
        *ret = span_trim(v->string);
        return true;
    }
    if (v->type == JSON_BOOL) {
        *ret = v->boolean ? SPAN_LIT("true") : SPAN_LIT("false");
        return true;
    }
    if (v->type == JSON_OBJECT && json_get(v, "value") != NULL) {
        return json_get(v, "value")->type != JSON_OBJECT && json_text(a, json_get(v, "value"), ret);
    }
    if (v->type != JSON_NUMBER) {
        return false;
    }
    buf_init(&b, a, 512);
    num_print(&b, v->number);
    *ret = buf_span(&b);
    return true;
}

struct bag *bag_of_json(struct arena *a, const struct json *object)
{
    struct bag *b = bag_new(a);
    for (size_t i = 0; object->type == JSON_OBJECT && i < object->n; i++) {
        struct bag_item item = {.label = object->keys[i], .json = true};
        if (!json_text(a, object->items[i], &item.value)) {
            continue;
        }
        /* smartctl: a number that not every reader holds exactly stands as a text beside */
        const char *exact = json_get_str(object, arena_printf(a, "%.*s_s", SPAN_ARG(item.label)));
        item.value = exact != NULL ? span_of(exact) : item.value;
        struct span name = item.label;
        take_paren(&name, &item.paren);
        item.key = bag_key(a, name);
        add(b, &item);
    }
    return b;
}

struct bag bag_part(const struct bag *b, size_t from, size_t to)
{
    return (struct bag){.arena = b->arena,
                        .items = b->n > 0 ? b->items + from : NULL,
                        .n = to - from};
}

bool bag_matches(struct span key, const char *keys)
{
    struct span rest = span_of(keys), word;
    while (span_word(&rest, &word)) {
        const bool prefix = span_ends(word, "*");
        const struct span want = span_sub(word, 0, word.len - (prefix ? 1 : 0));
        if (prefix ? span_eq(span_sub(key, 0, want.len), want) : span_eq(key, want)) {
            return true;
        }
    }
    return false;
}

struct bag_item *bag_find(const struct bag *b, const char *keys)
{
    for (size_t i = 0; i < b->n; i++) {
        if (bag_matches(b->items[i].key, keys)) {
            b->items[i].used = true;
            return &b->items[i];
        }
    }
    return NULL;
}
