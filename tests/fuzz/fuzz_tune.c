/* tune's readers: the journal (what it names must stay in its directory), the drop-in read back, and the
 * difference of two texts (0x01 between them). A journal that is taken is written and read to the same. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "advisor/tune/diff.h"
#include "advisor/tune/dropin.h"
#include "advisor/tune/journal_text.h"

#include "advisor/base/banned.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#define TEXT_MAX_BYTES (4u * 1024 * 1024)

static void must(bool ok)
{
    if (!ok) {
        abort();
    }
}

static struct span written(struct arena *a, const struct journal *j)
{
    struct buf b;
    buf_init(&b, a, TEXT_MAX_BYTES);
    json_write(&b, journal_to_json(a, j), true);
    return buf_span(&b);
}

static void try_journal(struct arena *a, struct span text)
{
    struct json *doc = NULL;
    struct journal j, again;
    struct err err = ERR_INIT;
    if (!json_read(a, "j", text, &doc, &err) || !journal_from_json(a, "j", doc, &j, &err)) {
        return;
    }
    must(strchr(j.temp, '/') == NULL && j.n > 0 && j.n <= ARRAY_LEN(j.writes));
    for (size_t i = 0; i < j.n; i++) {
        must(strchr(j.writes[i].former_name, '/') == NULL);
    }
    const struct span first = written(a, &j);
    must(json_read(a, "j", first, &doc, &err) && journal_from_json(a, "j", doc, &again, &err));
    must(span_eq(first, written(a, &again)));
}

static void try_dropin(struct arena *a, struct span text)
{
    struct dropin_line *lines = NULL;
    const size_t n = dropin_read(a, text, &lines);
    must(n <= DROPIN_LINES_MAX && dropin_same_settings(lines, 0, lines, 0));
    for (size_t i = 0; i < n; i++) {
        must(dropin_find(lines, n, lines[i].group, lines[i].variable) != NULL);
    }
}

static void try_diff(struct arena *a, struct span text)
{
    struct span first = {"", 0};
    struct buf b;
    buf_init(&b, a, TEXT_MAX_BYTES);
    (void)span_split(&text, 1, &first);
    diff_unified(&b, "a", first, "b", text);
    must((b.len == 0) == span_eq(first, text));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    ARENA_AUTO a = arena_new();
    const struct span text = span_copy(a, (struct span){(const char *)data, size});
    try_journal(a, text);
    try_dropin(a, text);
    if (size < 16384) {
        try_diff(a, text);
    }
    return 0;
}
