/* Processors of the host: sockets, clock governors, idle states. A host may have hundreds of CPUs,
 * and each attribute is a file of its own: clocks and idle states are read of a sample. What is
 * absent is asked for twice before that counts. */
#include "probes/proc.h"

#include "advisor/base/parse.h"
#include "probes/ktext.h"
#include "probes/setters.h"
#include "probes/sysfs.h"

#include "advisor/base/banned.h"

#define CPUS "/sys/devices/system/cpu"
#define GOVERNORS "performance,powersave,ondemand,conservative,schedutil,none,mixed"
#define EPPS "performance,balance_performance,balance_power,power,default,none"
#define CPUS_MAX 8192u   /* what kernels are built for at most */
#define SOCKETS_MAX 256u /* guests give each CPU a socket of its own */
#define SAMPLE_MAX 64u   /* CPUs whose clock is looked at; ours */
#define IDLE_MAX 8u      /* CPUs whose idle states are read; ours */
#define STATES_MAX 16u   /* the kernel has ten at most */

const struct fact_decl proc_cpu_decls[] = {
    {"host.cpu.sockets", KIND_COUNT, NULL, SUBJECT_HOST, FOLD_SAME, NEED_NONE, "processor packages",
     CPUS "/cpu*/topology", ""},
    {"host.cpu.governor", KIND_ENUM, GOVERNORS, SUBJECT_HOST, FOLD_SAME, NEED_NONE,
     "what chooses the clock of the CPUs; none: the kernel does not", CPUS "/cpu*/cpufreq", ""},
    {"host.cpu.epp", KIND_ENUM, EPPS, SUBJECT_HOST, FOLD_SAME, NEED_NONE,
     "whether the processor favours speed or energy; where CPUs differ, the one that saves most",
     CPUS "/cpu*/cpufreq", ""},
    {"host.cpu.exit_latency_max", KIND_SECONDS, NULL, SUBJECT_HOST, FOLD_SAME, NEED_NONE,
     "time that a CPU takes to wake from its deepest enabled idle state", CPUS "/cpu*/cpuidle", ""},
};

/* CPUs that are looked at; none: see err. */
struct sample {
    uint64_t *cpus;
    size_t n;
    struct err err;
};

static void read_online(struct probe_ctx *ctx, struct sample *ret)
{
    static const char path[] = CPUS "/online";
    struct span text;
    uint64_t cpu;
    if (!ktext_read(ctx->host, path, 0, &text, &ret->err)) {
        return;
    }
    ret->cpus = arena_calloc(ctx->arena, CPUS_MAX, sizeof(*ret->cpus));
    struct ktext_list l = ktext_list_begin(span_trim(text));
    while (ret->n < CPUS_MAX && ktext_list_next(&l, &cpu) && cpu < CPUS_MAX) {
        ret->cpus[ret->n++] = cpu;
    }
    if (ret->n == 0) {
        ktext_bad(&ret->err, path, "list of CPUs");
    }
}

/* Leave at most SAMPLE_MAX, evenly spread, the first among them. */
static void thin_out(struct sample *s)
{
    const size_t n = s->n < SAMPLE_MAX ? s->n : SAMPLE_MAX;
    for (size_t i = 0; i < n; i++) {
        s->cpus[i] = s->cpus[i * s->n / n];
    }
    s->n = n;
}

/* ---- sockets --------------------------------------------------------------------------------- */

/* CPUs that share a package with `cpu`; kernels before 5.3 call the file otherwise. */
static bool read_package(struct probe_ctx *ctx, uint64_t cpu, struct span *ret, struct err *reterr)
{
    static const char *const names[] = {"package_cpus_list", "core_siblings_list"};
    for (size_t i = 0; i < ARRAY_LEN(names); i++) {
        const char *path = arena_printf(ctx->arena, CPUS "/cpu%llu/topology/%s",
                                        (unsigned long long)cpu, names[i]);
        if (ktext_read(ctx->host, path, 0, ret, reterr)) {
            *ret = span_trim(*ret);
            return ret->len > 0 || ktext_bad(reterr, path, "list of CPUs");
        }
        if (reterr->code != E_ABSENT) {
            return false;
        }
    }
    return false;
}

/* A package's list need not name the CPU it was asked of: then that CPU counts for itself. */
static bool count_sockets(struct probe_ctx *ctx, const struct sample *s, uint64_t *ret,
                          struct err *reterr)
{
    bool *seen = arena_calloc(ctx->arena, CPUS_MAX, sizeof(*seen));
    uint64_t sockets = 0, cpu;
    for (size_t i = 0; i < s->n; i++) {
        struct span list;
        if (seen[s->cpus[i]]) {
            continue;
        }
        if (sockets == SOCKETS_MAX) {
            return err_set(reterr, E_LIMIT, "there are more than %u sockets", SOCKETS_MAX);
        }
        if (!read_package(ctx, s->cpus[i], &list, reterr)) {
            return false;
        }
        struct ktext_list l = ktext_list_begin(list);
        while (ktext_list_next(&l, &cpu) && cpu < CPUS_MAX) {
            seen[cpu] = true;
        }
        sockets++;
    }
    *ret = sockets;
    return true;
}

static void set_sockets(struct probe_ctx *ctx, const struct sample *s)
{
    static const char fact[] = "host.cpu.sockets", source[] = CPUS "/cpu*/topology";
    uint64_t sockets = 0;
    struct err e = s->err;
    if (s->n > 0 && count_sockets(ctx, s, &sockets, &e)) {
        set_u64(ctx, fact, KIND_COUNT, sockets, source);
    } else {
        set_err(ctx, fact, &e, source);
    }
}

/* ---- clock ----------------------------------------------------------------------------------- */

/* The words that one attribute has over the sampled CPUs: each once, at most four. */
struct words {
    struct span list[4];
    size_t n;
    bool crowded;
};

static void add_word(struct words *w, struct span word)
{
    for (size_t i = 0; i < w->n; i++) {
        if (span_eq(w->list[i], word)) {
            return;
        }
    }
    if (w->n == ARRAY_LEN(w->list)) {
        w->crowded = true;
        return;
    }
    w->list[w->n++] = word;
}

/* false: one that is there cannot be read. Where the first CPU has no such attribute none is looked
 * for. */
static bool read_words(struct probe_ctx *ctx, const struct sample *s, const char *attr,
                       struct words *ret, struct err *reterr)
{
    for (size_t i = 0; i < s->n; i++) {
        struct span text;
        const char *path = arena_printf(ctx->arena, CPUS "/cpu%llu/cpufreq/%s",
                                        (unsigned long long)s->cpus[i], attr);
        if (ktext_read_again(ctx->host, path, 0, &text, reterr)) {
            add_word(ret, span_trim(text));
        } else if (reterr->code != E_ABSENT) {
            return false;
        } else if (i == 0) {
            break;
        }
    }
    return true;
}

static void set_governor(struct probe_ctx *ctx, const struct sample *s)
{
    static const char fact[] = "host.cpu.governor",
                      source[] = CPUS "/cpu*/cpufreq/scaling_governor";
    struct words w = {.n = 0};
    struct err e = s->err;
    if (s->n == 0 || !read_words(ctx, s, "scaling_governor", &w, &e)) {
        set_err(ctx, fact, &e, source);
    } else if (w.n == 0) {
        set_enum(ctx, fact, "none", source);
    } else if (w.n == 1) {
        set_enum_text(ctx, fact, GOVERNORS, w.list[0], source);
    } else {
        struct span a = text_clean(ctx->arena, span_sub(w.list[0], 0, 40));
        struct span b = text_clean(ctx->arena, span_sub(w.list[1], 0, 40));
        set_enum(ctx, fact, "mixed",
                 arena_printf(ctx->arena, "%s: %.*s, %.*s%s", source, SPAN_ARG(a), SPAN_ARG(b),
                              w.n > 2 ? " and more" : ""));
    }
}

/* From fast to sparing. */
static int rank_of_epp(struct span word)
{
    static const char *const order[] = {"performance", "balance_performance", "default",
                                        "balance_power", "power"};
    for (size_t i = 0; i < ARRAY_LEN(order); i++) {
        if (span_eq_text(word, order[i])) {
            return (int)i;
        }
    }
    return -1;
}

static void set_epp(struct probe_ctx *ctx, const struct sample *s)
{
    static const char fact[] = "host.cpu.epp";
    static const char source[] = CPUS "/cpu*/cpufreq/energy_performance_preference";
    struct words w = {.n = 0};
    struct err e = s->err;
    if (s->n == 0 || !read_words(ctx, s, "energy_performance_preference", &w, &e)) {
        set_err(ctx, fact, &e, source);
        return;
    }
    if (w.crowded) {
        set_unknown(ctx, fact, FACT_ABSENT, source, "", "the CPUs have more than four preferences");
        return;
    }
    struct span worst = SPAN_LIT("none");
    int rank = -1;
    for (size_t i = 0; i < w.n; i++) {
        int one = rank_of_epp(w.list[i]);
        if (one < 0) {
            worst = w.list[i]; /* a number or a new word: set_enum_text says so */
            break;
        }
        worst = one > rank ? w.list[i] : worst;
        rank = one > rank ? one : rank;
    }
    set_enum_text(ctx, fact, EPPS, worst, source);
}

/* ---- idle states ----------------------------------------------------------------------------- */

/* One state; *ret_there false: the CPU has none of this number. */
static bool read_state(struct probe_ctx *ctx, uint64_t cpu, unsigned number, uint64_t *max,
                       bool *ret_there, struct err *reterr)
{
    const char *dir =
        arena_printf(ctx->arena, CPUS "/cpu%llu/cpuidle/state%u", (unsigned long long)cpu, number);
    const char *path = arena_printf(ctx->arena, "%s/latency", dir);
    struct span text;
    uint64_t latency, disabled;
    *ret_there = ktext_read_again(ctx->host, path, 0, &text, reterr);
    if (!*ret_there) {
        return reterr->code == E_ABSENT;
    }
    if (!parse_u64(span_trim(text), &latency)) {
        return ktext_bad(reterr, path, "whole number");
    }
    if (!ktext_u64(ctx->host, arena_printf(ctx->arena, "%s/disable", dir), &disabled, reterr)) {
        return false;
    }
    *max = disabled == 0 && latency > *max ? latency : *max;
    return true;
}

/* The greatest exit latency of the enabled states, in microseconds; *ret_any: there are states. */
static bool read_states(struct probe_ctx *ctx, const struct sample *s, uint64_t *max, bool *ret_any,
                        struct err *reterr)
{
    for (size_t i = 0; i < s->n; i += s->n / IDLE_MAX + 1) {
        bool there = true;
        for (unsigned number = 0; number < STATES_MAX && there; number++) {
            if (!read_state(ctx, s->cpus[i], number, max, &there, reterr)) {
                return false;
            }
            *ret_any = *ret_any || there;
        }
    }
    return true;
}

static void set_idle(struct probe_ctx *ctx, const struct sample *s)
{
    static const char fact[] = "host.cpu.exit_latency_max", source[] = CPUS "/cpu*/cpuidle";
    uint64_t max = 0;
    bool any = false;
    struct err e = s->err;
    struct num seconds;
    if (s->n == 0 || !read_states(ctx, s, &max, &any, &e)) {
        set_err(ctx, fact, &e, source);
    } else if (!any) {
        set_unknown(ctx, fact, FACT_NOT_SUPPORTED, source, "",
                    "this kernel drives no idle states; in a guest the hypervisor may");
    } else if (num_div(num_u64(max), num_u64(1000000), &seconds) == NUM_OK) {
        set_num(ctx, fact, KIND_SECONDS, seconds, source);
    }
}

void proc_cpu_run(struct probe_ctx *ctx)
{
    struct sample all = {.n = 0, .err = ERR_INIT};
    read_online(ctx, &all);
    set_sockets(ctx, &all);
    thin_out(&all);
    set_governor(ctx, &all);
    set_epp(ctx, &all);
    set_idle(ctx, &all);
}
