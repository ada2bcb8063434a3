/* sweep_replay [--probe PREFIX] CAPTURE…: every operation of a capture fails in turn, in every way, in
 * replay. No crash (sanitizers are on), and no verdict better than with the whole capture. */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "tests/cases/judge.h"

#include "advisor/base/banned.h"

static const struct {
    const char *name;
    enum err_code code; /* E_NONE: half of the reply */
    int sys_errno;
} faults[] = {
    {"half of the reply", E_NONE, 0},
    {"ENOENT", E_ABSENT, ENOENT},
    {"EACCES", E_DENIED, EACCES},
    {"EIO", E_IO, EIO},
    {"no answer in time", E_TIMEOUT, ETIMEDOUT},
};

struct sweep {
    struct judge judge;
    const char *only; /* begin of the names of the probe instances to look at */
    const struct capture *capture;
    struct verdicts whole;
    unsigned long runs, felt, wrong; /* felt: a verdict changed */
};

static void one(struct sweep *w, const char *probe, unsigned n, size_t fault)
{
    ARENA_AUTO a = arena_new();
    struct err err = ERR_INIT;
    struct store *s = store_new(a, w->judge.decls);
    w->runs++;
    if (!collect_replay_fault(w->capture, probe, n, faults[fault].code, faults[fault].sys_errno, s,
                              &err)) {
        /* Exit code 2: only for a server that was named and cannot be reached. */
        if (err.code != E_CONNECT && err.code != faults[fault].code) {
            printf("%s, operation %u, %s: the run fails: %s\n", probe, n, faults[fault].name,
                   err.text);
            w->wrong++;
        }
        return;
    }
    struct verdicts now;
    judge_store(&w->judge, s, a, &now);
    w->felt += judge_differ(&w->whole, &now);
    const char *better = judge_better(a, &w->whole, &now);
    if (better[0] != '\0') {
        printf("%s, operation %u (%s), %s:\n%s", probe, n,
               capture_operation_text(a, w->capture, probe, n), faults[fault].name, better);
        w->wrong++;
    }
}

static void sweep_capture(struct sweep *w, struct arena *a, const char *path)
{
    struct err err = ERR_INIT;
    struct store *s = store_new(a, w->judge.decls);
    w->capture = judge_capture(a, path);
    if (!collect_replay(w->capture, s, &err)) {
        printf("%s: replay fails: %s\n", path, err.text);
        w->wrong++;
        return;
    }
    judge_store(&w->judge, s, a, &w->whole);
    const char *const *probes = NULL;
    const size_t n_probes = capture_probes(w->capture, &probes);
    for (size_t p = 0; p < n_probes; p++) {
        const bool wanted = span_starts(span_of(probes[p]), w->only);
        const size_t n = wanted ? capture_operations(w->capture, probes[p]) : 0;
        for (unsigned i = 0; i < n; i++) {
            for (size_t f = 0; f < ARRAY_LEN(faults); f++) {
                one(w, probes[p], i, f);
            }
        }
    }
}

int main(int argc, char **argv)
{
    ARENA_AUTO a = arena_new();
    struct sweep w = {.only = ""};
    int i = 1;
    judge_init(&w.judge, a);
    if (argc > 3 && strcmp(argv[1], "--probe") == 0) {
        w.only = argv[2];
        i = 3;
    }
    for (; i < argc; i++) {
        ARENA_AUTO of_one = arena_new();
        const unsigned long runs = w.runs, felt = w.felt;
        sweep_capture(&w, of_one, argv[i]);
        printf("%s: %lu faults, %lu of them felt\n", argv[i], w.runs - runs, w.felt - felt);
        /* A sweep that nothing feels looks at nothing. */
        if (w.felt == felt) {
            w.wrong++;
        }
    }
    printf("%lu runs with one fault each, %lu wrong\n", w.runs, w.wrong);
    return argc > 1 && w.wrong == 0 ? 0 : 1;
}
