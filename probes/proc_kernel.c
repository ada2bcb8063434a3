/* Name, kernel and processors of the host. */
#include "probes/proc.h"

#include <string.h>

#include "advisor/base/parse.h"
#include "probes/ktext.h"
#include "probes/sysfs.h"

#include "advisor/base/banned.h"

#define CPU_ONLINE "/sys/devices/system/cpu/online"
#define OS_RELEASE "/etc/os-release"
#define URING_GROUP "/proc/sys/kernel/io_uring_group"
#define VENDORS "upstream,debian,ubuntu,rhel,suse,amazon,oracle,other"

const struct fact_decl proc_kernel_decls[] = {
    {"host.name", KIND_STRING, NULL, SUBJECT_HOST, FOLD_SAME, NEED_NONE, "node name", "uname", ""},
    {"host.cpu.online", KIND_COUNT, NULL, SUBJECT_HOST, FOLD_SAME, NEED_NONE, "CPUs online",
     CPU_ONLINE, ""},
    {"host.kernel.version", KIND_VERSION, NULL, SUBJECT_HOST, FOLD_SAME, NEED_NONE,
     "upstream version of the kernel", "uname", ""},
    {"host.kernel.release", KIND_STRING, NULL, SUBJECT_HOST, FOLD_SAME, NEED_NONE,
     "whole release string of the kernel", "uname", ""},
    {"host.kernel.vendor", KIND_ENUM, VENDORS, SUBJECT_HOST, FOLD_SAME, NEED_NONE,
     "who built the kernel (fixes are back-ported)", "uname, " OS_RELEASE, ""},
    {"host.kernel.cmdline", KIND_STRING, NULL, SUBJECT_HOST, FOLD_SAME, NEED_NONE,
     "boot arguments, values that may be secrets left out", "/proc/cmdline", ""},
    {"host.io_uring.disabled", KIND_COUNT, NULL, SUBJECT_HOST, FOLD_SAME, NEED_NONE,
     "kernel.io_uring_disabled: 0, 1 or 2; kernels before 6.6 cannot disable it: 0",
     "/proc/sys/kernel/io_uring_disabled", ""},
    {"host.io_uring.group", KIND_COUNT, NULL, SUBJECT_HOST, FOLD_SAME, NEED_NONE,
     "kernel.io_uring_group: who may use io_uring where it is kept from others; a group id, -1: none",
     URING_GROUP, ""},
};

/* Marks that builders leave in the release or version string. */
static const struct {
    const char *mark, *vendor;
} marks[] = {
    {"Ubuntu", "ubuntu"}, {"Debian", "debian"}, {"amzn", "amazon"}, {"uek", "oracle"},
    {".el", "rhel"},      {".fc", "other"},     {"SUSE", "suse"},
};

static bool has_text(struct span s, const char *text)
{
    return s.len > 0 && memmem(s.ptr, s.len, text, strlen(text)) != NULL;
}

/* A plain "6.1.90" or "6.10.0-rc3" has no builder's mark. */
static bool is_plain_release(struct span release)
{
    struct span rc = SPAN_LIT("-rc");
    for (size_t i = 0; i < release.len; i++) {
        char c = release.ptr[i];
        if (c == '-' && span_eq(span_sub(release, i, rc.len), rc)) {
            i += rc.len - 1;
        } else if (c != '.' && (c < '0' || c > '9')) {
            return false;
        }
    }
    return release.len > 0;
}

static const char *find_vendor(struct probe_ctx *ctx, const struct host_uname *u)
{
    for (size_t i = 0; i < ARRAY_LEN(marks); i++) {
        if (has_text(u->release, marks[i].mark) || has_text(u->version, marks[i].mark)) {
            return marks[i].vendor;
        }
    }
    struct span text;
    struct err err = ERR_INIT;
    /* SUSE marks its kernels by the flavour only, which others use too. */
    if (span_ends(u->release, "-default") && host_read(ctx->host, OS_RELEASE, 0, &text, &err) &&
        has_text(text, "suse")) {
        return "suse";
    }
    return is_plain_release(u->release) ? "upstream" : "other";
}

static void set_string(struct probe_ctx *ctx, const char *name, struct span text,
                       const char *source)
{
    struct value v = value_text(KIND_STRING, text_clean(ctx->arena, text));
    store_known(ctx->store, ctx->subject, name, v, source);
}

/* Kernels before 6.6 have no such switch; a later one without it has no io_uring at all. */
static void set_io_uring(struct probe_ctx *ctx, const struct version *kernel)
{
    static const char path[] = "/proc/sys/kernel/io_uring_disabled";
    static const struct version since = {{6, 6, 0, 0}, 2};
    struct err err = ERR_INIT;
    uint64_t disabled;
    if (ktext_u64(ctx->host, path, &disabled, &err)) {
        probe_known(ctx, "host.io_uring.disabled", value_u64(KIND_COUNT, disabled), path);
    } else if (err.code == E_ABSENT && kernel != NULL && version_cmp(kernel, &since) < 0) {
        probe_known(ctx, "host.io_uring.disabled", value_u64(KIND_COUNT, 0), "uname");
    } else {
        probe_unknown(ctx, "host.io_uring.disabled", &err, path, "");
    }
}

static void set_uname(struct probe_ctx *ctx)
{
    static const char *const names[] = {"host.name", "host.kernel.version", "host.kernel.release",
                                        "host.kernel.vendor"};
    struct host_uname u;
    struct err err = ERR_INIT;
    if (!host_uname(ctx->host, &u, &err)) {
        for (size_t i = 0; i < ARRAY_LEN(names); i++) {
            probe_unknown(ctx, names[i], &err, "uname", "");
        }
        set_io_uring(ctx, NULL);
        return;
    }
    set_string(ctx, "host.name", u.nodename, "uname");
    set_string(ctx, "host.kernel.release", u.release, "uname");
    struct value vendor = value_text(KIND_ENUM, span_of(find_vendor(ctx, &u)));
    probe_known(ctx, "host.kernel.vendor", vendor, "uname");
    struct version v;
    bool known = version_parse(u.release, &v);
    if (known) {
        probe_known(ctx, "host.kernel.version", value_version(v), "uname");
    } else {
        ktext_bad(&err, "uname", "kernel version");
        probe_unknown(ctx, "host.kernel.version", &err, "uname", "");
    }
    set_io_uring(ctx, known ? &v : NULL);
}

static void set_cmdline(struct probe_ctx *ctx)
{
    static const char path[] = "/proc/cmdline";
    struct span text;
    struct err err = ERR_INIT;
    if (ktext_read(ctx->host, path, 0, &text, &err)) {
        set_string(ctx, "host.kernel.cmdline", span_trim(text), path);
    } else {
        probe_unknown(ctx, "host.kernel.cmdline", &err, path, "");
    }
}

static void set_group(struct probe_ctx *ctx)
{
    struct err err = ERR_INIT;
    int64_t group;
    if (ktext_i64(ctx->host, URING_GROUP, &group, &err)) {
        probe_known(ctx, "host.io_uring.group", value_num(KIND_COUNT, num_i64(group)), URING_GROUP);
        return;
    }
    if (err.code == E_ABSENT) {
        err.code = E_NOT_SUPPORTED; /* before Linux 6.6 nothing keeps anybody from it */
    }
    probe_unknown(ctx, "host.io_uring.group", &err, URING_GROUP, "");
}

void proc_kernel_run(struct probe_ctx *ctx)
{
    set_uname(ctx);
    set_cmdline(ctx);
    set_group(ctx);
    struct span text;
    struct err err = ERR_INIT;
    uint64_t cpus;
    if (ktext_read(ctx->host, CPU_ONLINE, 0, &text, &err) &&
        ((parse_cpulist_count(span_trim(text), &cpus) && cpus > 0) ||
         ktext_bad(&err, CPU_ONLINE, "list of CPUs"))) {
        probe_known(ctx, "host.cpu.online", value_u64(KIND_COUNT, cpus), CPU_ONLINE);
    } else {
        probe_unknown(ctx, "host.cpu.online", &err, CPU_ONLINE, "");
    }
}
