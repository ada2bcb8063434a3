/* What the host runs on: hypervisor, cloud, and the container that we run in. */
#include "probes/proc.h"

#include <string.h>

#include "probes/ktext.h"

#include "advisor/base/banned.h"

#define DMI "/sys/class/dmi/id/"
#define CLOCK_DIR "/sys/devices/system/clocksource/clocksource0/"
#define CLOCKS CLOCK_DIR "available_clocksource"
#define CLOCK CLOCK_DIR "current_clocksource"
#define KINDS_CLOCK "tsc,kvm-clock,hyperv_clocksource_tsc_page,hpet,acpi_pm,xen,jiffies,other"
#define HYPERVISOR "/sys/hypervisor/type"
#define KINDS_VIRT "none,kvm,xen,vmware,hyperv,nitro,gce,qemu,other"
#define KINDS_CONTAINER "none,docker,podman,lxc,systemd-nspawn,kubernetes,other"
/* What Azure puts in the chassis of every machine. */
#define AZURE_TAG "7783-7084-3265-9085-8269-3286-77"

const struct fact_decl proc_platform_decls[] = {
    {"host.virt.kind", KIND_ENUM, KINDS_VIRT, SUBJECT_HOST, FOLD_SAME, NEED_NONE, "hypervisor",
     DMI "*, " HYPERVISOR ", clock sources", ""},
    {"host.cloud.platform", KIND_ENUM, "none,aws,gcp,azure,other", SUBJECT_HOST, FOLD_SAME,
     NEED_NONE, "cloud", DMI "*", ""},
    {"host.container.kind", KIND_ENUM, KINDS_CONTAINER, SUBJECT_HOST, FOLD_SAME, NEED_NONE,
     "container that this program runs in", "/run, /.dockerenv, /proc/self/cgroup", ""},
    {"host.clocksource", KIND_ENUM, KINDS_CLOCK, SUBJECT_HOST, FOLD_SAME, NEED_NONE,
     "what tells the kernel the time", CLOCK, ""},
    {"host.clocksource_tsc_available", KIND_BOOL, NULL, SUBJECT_HOST, FOLD_SAME, NEED_NONE,
     "the kernel offers the processor's time stamp counter as its clock", CLOCKS, ""},
};

/* Rows are tried in order; `product` NULL = any, else how the product name begins. */
static const struct {
    const char *vendor, *product, *virt, *cloud;
} machines[] = {
    {"Amazon EC2", NULL, "nitro", "aws"},
    {"Google", "Google Compute Engine", "gce", "gcp"},
    {"Microsoft Corporation", "Virtual Machine", "hyperv", NULL}, /* Azure by its tag */
    {"VMware, Inc.", NULL, "vmware", NULL},
    {"Xen", NULL, "xen", NULL},
    {"innotek GmbH", NULL, "other", NULL},
    {"Parallels", NULL, "other", NULL},
    {"Alibaba Cloud", NULL, "kvm", "other"},
    {"DigitalOcean", NULL, "kvm", "other"},
    {"Hetzner", "vServer", "kvm", "other"},
    {"OpenStack Foundation", NULL, "kvm", "other"},
    {"Tencent Cloud", NULL, "kvm", "other"},
    {"Scaleway", NULL, "kvm", "other"},
    {"Akamai", NULL, "kvm", "other"},
    {"Linode", NULL, "kvm", "other"},
    {"Vultr", NULL, "kvm", "other"},
    {"Red Hat", NULL, "kvm", NULL},
    {"QEMU", NULL, "qemu", NULL}, /* kvm where its clock is offered */
};

static const struct {
    const char *clock, *virt;
} clocks[] = {
    {"kvm-clock", "kvm"},
    {"hyperv_clocksource_tsc_page", "hyperv"},
    {"hyperv_clocksource_msr", "hyperv"},
    {"xen", "xen"},
};

/* Empty, with *reterr set, when there is no such text. */
static struct span read_dmi(struct probe_ctx *ctx, const char *name, struct err *reterr)
{
    const char *path = arena_printf(ctx->arena, DMI "%s", name);
    struct span text = {"", 0};
    if (!ktext_read(ctx->host, path, 0, &text, reterr)) {
        return (struct span){"", 0};
    }
    text = span_trim(text);
    if (text.len == 0) {
        err_set(reterr, E_ABSENT, "'%s' is empty", path);
    }
    return text;
}

static bool has_word(struct span text, const char *want)
{
    struct span word;
    while (span_word(&text, &word)) {
        if (span_eq_text(word, want)) {
            return true;
        }
    }
    return false;
}

static void set_word(struct probe_ctx *ctx, const char *fact, const char *word, const char *source)
{
    probe_known(ctx, fact, value_text(KIND_ENUM, span_of(word)), source);
}

struct machine {
    struct span vendor, product, clock_list;
    const char *virt, *cloud; /* of the matching row, or NULL */
    struct err err;           /* why there is no vendor */
    struct err clock_err;     /* why there is no list of clocks */
};

static struct machine read_machine(struct probe_ctx *ctx)
{
    struct machine m = {.err = ERR_INIT, .clock_err = ERR_INIT, .clock_list = {"", 0}};
    struct err ignored = ERR_INIT;
    m.vendor = read_dmi(ctx, "sys_vendor", &m.err);
    m.product = m.vendor.len > 0 ? read_dmi(ctx, "product_name", &ignored) : m.vendor;
    if (ktext_read(ctx->host, CLOCKS, 0, &m.clock_list, &m.clock_err) &&
        span_trim(m.clock_list).len == 0) {
        m.clock_list.len = 0;
        ktext_bad(&m.clock_err, CLOCKS, "clock");
    }
    for (size_t i = 0; i < ARRAY_LEN(machines); i++) {
        if (span_eq_text(m.vendor, machines[i].vendor) &&
            (machines[i].product == NULL || span_starts(m.product, machines[i].product))) {
            m.virt = machines[i].virt;
            m.cloud = machines[i].cloud;
            break;
        }
    }
    return m;
}

static const char *find_virt(struct probe_ctx *ctx, const struct machine *m,
                             const char **ret_source)
{
    struct span text;
    struct err err = ERR_INIT;
    *ret_source = DMI "sys_vendor";
    if (m->virt != NULL && strcmp(m->virt, "nitro") == 0 && span_ends(m->product, ".metal")) {
        return "none";
    }
    if (m->virt != NULL && strcmp(m->virt, "qemu") != 0) {
        return m->virt;
    }
    if (ktext_read(ctx->host, HYPERVISOR, 0, &text, &err)) {
        *ret_source = HYPERVISOR;
        return span_eq_text(span_trim(text), "xen") ? "xen" : "other";
    }
    for (size_t i = 0; i < ARRAY_LEN(clocks); i++) {
        if (has_word(m->clock_list, clocks[i].clock)) {
            *ret_source = CLOCKS;
            return clocks[i].virt;
        }
    }
    if (m->virt != NULL) {
        return m->virt;
    }
    return m->vendor.len > 0 ? "none" : NULL;
}

/* A clock that is in no list of ours is another good or bad one: "other". */
static void set_clock(struct probe_ctx *ctx, const struct machine *m)
{
    struct span text, rest = SPAN_LIT(KINDS_CLOCK), one, word = SPAN_LIT("other");
    struct err err = ERR_INIT;
    if (m->clock_list.len > 0) {
        probe_known(ctx, "host.clocksource_tsc_available",
                    value_bool(has_word(m->clock_list, "tsc")), CLOCKS);
    } else {
        probe_unknown(ctx, "host.clocksource_tsc_available", &m->clock_err, CLOCKS, "");
    }
    if (!ktext_read(ctx->host, CLOCK, 0, &text, &err) ||
        (span_trim(text).len == 0 && !ktext_bad(&err, CLOCK, "name"))) {
        probe_unknown(ctx, "host.clocksource", &err, CLOCK, "");
        return;
    }
    while (span_split(&rest, ',', &one)) {
        word = span_eq(one, span_trim(text)) ? one : word;
    }
    probe_known(ctx, "host.clocksource", value_text(KIND_ENUM, word), CLOCK);
}

static void set_machine(struct probe_ctx *ctx)
{
    struct machine m = read_machine(ctx);
    struct err ignored = ERR_INIT;
    set_clock(ctx, &m);
    const char *source = NULL, *virt = find_virt(ctx, &m, &source);
    if (virt != NULL) {
        set_word(ctx, "host.virt.kind", virt, source);
    } else {
        probe_unknown(ctx, "host.virt.kind", &m.err, source, "");
    }
    if (m.vendor.len == 0) {
        probe_unknown(ctx, "host.cloud.platform", &m.err, DMI "sys_vendor", "");
        return;
    }
    if (span_eq_text(read_dmi(ctx, "chassis_asset_tag", &ignored), AZURE_TAG)) {
        m.cloud = "azure";
    }
    set_word(ctx, "host.cloud.platform", m.cloud != NULL ? m.cloud : "none", DMI "sys_vendor");
}

/* ---- container ------------------------------------------------------------------------------- */

/* Files whose presence tells. */
static const struct {
    const char *path, *kind;
} marks[] = {
    {"/run/secrets/kubernetes.io", "kubernetes"},
    {"/run/.containerenv", "podman"},
    {"/.dockerenv", "docker"},
};

/* Words of systemd's own file, and pieces of the path of our control group. */
static const struct {
    const char *text, *kind;
} words[] = {
    {"systemd-nspawn", "systemd-nspawn"},
    {"kubepods", "kubernetes"},
    {"libpod", "podman"},
    {"podman", "podman"},
    {"docker", "docker"},
    {"lxc", "lxc"},
};

static const char *kind_in(struct span text)
{
    for (size_t i = 0; text.len > 0 && i < ARRAY_LEN(words); i++) {
        if (memmem(text.ptr, text.len, words[i].text, strlen(words[i].text)) != NULL) {
            return words[i].kind;
        }
    }
    return NULL;
}

static const char *find_container(struct probe_ctx *ctx, const char **ret_source,
                                  struct err *reterr)
{
    struct host_stat st;
    struct span text;
    for (size_t i = 0; i < ARRAY_LEN(marks); i++) {
        *ret_source = marks[i].path;
        if (host_stat(ctx->host, marks[i].path, &st, reterr)) {
            return marks[i].kind;
        }
        if (reterr->code != E_ABSENT) {
            return NULL;
        }
    }
    *ret_source = "/run/systemd/container";
    if (host_read(ctx->host, *ret_source, 0, &text, reterr)) {
        const char *kind = kind_in(text);
        return kind != NULL ? kind : "other";
    }
    if (reterr->code != E_ABSENT) {
        return NULL;
    }
    *ret_source = "/proc/self/cgroup";
    if (!ktext_read(ctx->host, *ret_source, 0, &text, reterr)) {
        return NULL;
    }
    const char *kind = kind_in(text);
    return kind != NULL ? kind : "none";
}

void proc_platform_run(struct probe_ctx *ctx)
{
    set_machine(ctx);
    const char *source = NULL;
    struct err err = ERR_INIT;
    const char *kind = find_container(ctx, &source, &err);
    if (kind != NULL) {
        set_word(ctx, "host.container.kind", kind, source);
    } else {
        probe_unknown(ctx, "host.container.kind", &err, source, "");
    }
}
