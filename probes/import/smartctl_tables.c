/* The tables in smartctl's text: LBA formats, power states, the error log. */
#include <string.h>

#include "advisor/base/parse.h"
#include "probes/import/fields.h"
#include "probes/import/smartctl.h"

#include "advisor/base/banned.h"

/* From `words` on; empty: they are not there. */
static struct span find_words(struct span line, const char *words)
{
    const char *at = memmem(line.ptr, line.len, words, strlen(words));
    return at != NULL ? (struct span){at, (size_t)(line.ptr + line.len - at)} : (struct span){"", 0};
}

/* " 0 +     512       0         2" under "Id Fmt  Data  Metadt  Rel_Perf" */
static bool lba_row(struct span line, struct import_lba *l)
{
    struct span w[6];
    uint64_t id = 0;
    size_t n = 0;
    while (n < ARRAY_LEN(w) && span_word(&line, &w[n])) {
        n++;
    }
    if (n != 5 || !parse_u64(w[0], &id) || id >= IMPORT_LBA_MAX || w[1].len != 1 ||
        (w[1].ptr[0] != '+' && w[1].ptr[0] != '-') || !parse_u64(w[2], &l->bytes) ||
        !parse_u64(w[3], &l->metadata) || !parse_u64(w[4], &l->performance)) {
        return false;
    }
    l->index = (unsigned)id;
    l->in_use = w[1].ptr[0] == '+';
    l->has_performance = true;
    return true;
}

/* " 3 -   0.0250W       -        -    3  3  3  3     3900   11000": the decimal point is the locale's. */
static bool state_row(struct arena *a, struct span line, struct span *ret)
{
    struct span w[12];
    uint64_t id = 0, enter = 0, leave = 0;
    double watts = 0;
    size_t n = 0;
    while (n < ARRAY_LEN(w) && span_word(&line, &w[n])) {
        n++;
    }
    if (n != 11 || !parse_u64(w[0], &id) || id > 31 || !span_ends(w[2], "W") ||
        !number_real(w[2], &watts) || watts > 1000 || !parse_u64(w[9], &enter) || !parse_u64(w[10], &leave)) {
        return false;
    }
    *ret = import_power_state(a, (size_t)id, (uint64_t)(watts * 1000000 + 0.5), enter, leave,
                              w[1].ptr[0] == '-');
    return true;
}

/* "  0       1356     0  0x0012  0xc005  0x028            -     0     -": the status with its phase tag. */
static bool error_row(struct span line, struct import_error *ret)
{
    struct span w[7], rest = line;
    struct import_error e = {.number = 0};
    uint64_t id = 0;
    size_t n = 0;
    while (n < ARRAY_LEN(w) && span_word(&rest, &w[n])) {
        n++;
    }
    if (n != 7 || !parse_u64(w[0], &id) || !parse_u64(w[1], &e.number) || !parse_u64(w[2], &e.queue) ||
        !span_starts(w[4], "0x") || !parse_hex_u64(w[4], &e.status)) {
        return false;
    }
    (void)parse_u64(w[6], &e.lba); /* "-": none */
    e.status >>= 1;
    *ret = e;
    return true;
}

/* What smartctl calls results; aborted ones begin with "Aborted". */
static unsigned result_of(struct span text)
{
    return span_starts(text, "Completed without error") ? 0
           : span_starts(text, "Fatal") || span_starts(text, "Completed: failed") ||
                   span_starts(text, "Completed: unknown failed")
               ? 7
               : 1;
}

/* " 0   Short             Completed without error                 123            -     -   -   -    -": the words of
 * the result are followed by the hours. */
static bool test_row(struct span line, struct import_test *ret)
{
    static const char *const results[] = {"Completed", "Aborted", "Fatal", "Unknown"};
    struct span rest = line, word;
    uint64_t id = 0;
    nv_u128 hours = 0;
    if (!span_word(&rest, &word) || !parse_u64(word, &id) || id >= IMPORT_TESTS_MAX) {
        return false;
    }
    for (size_t i = 0; i < ARRAY_LEN(results); i++) {
        const struct span text = find_words(line, results[i]);
        if (text.len == 0) {
            continue;
        }
        for (rest = text; span_word(&rest, &word);) {
            const bool number = word.ptr[0] >= '0' && word.ptr[0] <= '9';
            if (number && number_count(word, false, false, &hours) && hours <= UINT64_MAX) {
                *ret = (struct import_test){result_of(text), (uint64_t)hours};
                return true;
            }
        }
    }
    return false;
}

struct tables {
    struct import_lba lba[IMPORT_LBA_MAX];
    struct span states[32];
    struct import_error errors[IMPORT_ERRORS_MAX];
    struct import_test tests[IMPORT_TESTS_MAX];
    size_t n_lba, n_states, n_errors, n_tests;
    bool has_errors, has_tests;
};

static void read_row(struct import *im, struct tables *t, int table, struct span line)
{
    if (table == 1 && t->n_lba < IMPORT_LBA_MAX && lba_row(line, &t->lba[t->n_lba])) {
        t->n_lba++;
    } else if (table == 2 && t->n_states < ARRAY_LEN(t->states) &&
               state_row(import_arena(im), line, &t->states[t->n_states])) {
        t->n_states++;
    } else if (table == 3 && t->n_errors < IMPORT_ERRORS_MAX && error_row(line, &t->errors[t->n_errors])) {
        t->n_errors++;
    } else if (table == 4 && t->n_tests < IMPORT_TESTS_MAX && test_row(line, &t->tests[t->n_tests])) {
        t->n_tests++;
    }
}

/* Headings of tables; -1: the line is none. */
static int table_of(struct span line)
{
    static const struct {
        const char *start;
        int table;
    } heads[] = {{"Id Fmt", 1}, {"St Op", 2}, {"Num  Test_Desc", 4}, {"Num Test_Desc", 4}, {"Num ", 3}, {"Supported LBA", 0}, {"Supported Power", 0},
                 {"Error Information (NVMe", 0}, {"Self-test Log", 0}, {"===", 0}};
    for (size_t i = 0; i < ARRAY_LEN(heads); i++) {
        if (span_starts(line, heads[i].start)) {
            return heads[i].table;
        }
    }
    return -1;
}

void smartctl_tables(struct import *im, struct import_device *d, struct span text)
{
    struct tables *t = arena_alloc(import_arena(im), sizeof(*t));
    struct span rest = text, line;
    int table = 0;
    while (span_line(&rest, &line)) {
        line = span_trim(line);
        const int head = table_of(line);
        table = head >= 0 ? head : table;
        t->has_errors = t->has_errors || head == 3 || span_starts(line, "No Errors Logged");
        t->has_tests = t->has_tests || head == 4 || span_starts(line, "No Self-tests Logged");
        if (span_starts(line, "Self-test status: ")) {
            import_bool(im, d, "device.errors.selftest_running", !span_contains(line, "No self-test in progress"));
        }
        read_row(im, t, table, line);
    }
    if (t->has_tests) {
        import_selftests(im, d, t->tests, t->n_tests);
    }
    lba_set(im, d, t->lba, t->n_lba, true);
    if (t->n_states > 0) {
        import_list(im, d, "device.power_states", t->states, t->n_states);
    }
    if (t->has_errors) {
        import_errors(im, d, t->errors, t->n_errors);
    }
}
