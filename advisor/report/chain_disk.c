/* See chain_disk.h. */
#include "advisor/report/chain_disk.h"

#include "advisor/base/units.h"
#include "advisor/report/docread.h"

#include "advisor/base/banned.h"

#define LINE_MAX_BYTES 2048

static void add_words(struct buf *b, const char *words)
{
    if (words[0] != '\0') {
        buf_printf(b, "%s%s", b->len > 0 ? ", " : "", words);
    }
}

static const char *number_text(struct arena *a, const struct json *d, const char *key,
                               struct dim dim)
{
    const struct json *j = json_get(d, key);
    struct buf b;
    buf_init(&b, a, 64);
    if (j != NULL && j->type == JSON_NUMBER) {
        units_print(&b, j->number, dim, false);
    }
    return b.ptr;
}

/* "8.0 GT/s x4 of 16.0 GT/s x4": transfers are powers of 1000. */
static void add_link(struct arena *a, struct buf *line, const struct json *d)
{
    const struct json *now = json_get(d, "pci.link_speed"),
                      *max = json_get(d, "pci.link_speed_max");
    if (now == NULL || now->type != JSON_NUMBER || !read_has(d, "pci.link_width")) {
        return;
    }
    buf_printf(line, "%slink %.1f GT/s x%llu", line->len > 0 ? ", " : "",
               num_to_double(now->number) / 1e9,
               (unsigned long long)read_count(d, "pci.link_width"));
    if (max != NULL && max->type == JSON_NUMBER && read_has(d, "pci.link_width_max")) {
        buf_printf(line, " of %.1f GT/s x%llu", num_to_double(max->number) / 1e9,
                   (unsigned long long)read_count(d, "pci.link_width_max"));
    }
    const char *rate = number_text(a, d, "pci.link_bytes_per_sec", DIM_BYTES_PER_S);
    if (rate[0] != '\0') {
        buf_printf(line, " (%s)", rate);
    }
}

static void add_place(struct arena *a, struct buf *line, const struct json *d)
{
    const char *address = read_text(d, "pci.address"), *slot = read_text(d, "pci.slot");
    struct buf b;
    buf_init(&b, a, LINE_MAX_BYTES);
    if (address[0] == '\0') {
        return;
    }
    buf_add_text(&b, "PCIe ");
    buf_add_escaped(&b, span_of(address));
    if (slot[0] != '\0') {
        buf_add_text(&b, " in slot ");
        buf_add_escaped(&b, span_of(slot));
    }
    buf_add_text(&b, read_flag(d, "pci.hotplug") ? " (hot-pluggable)" : "");
    add_words(line, b.ptr);
}

static const char *controller_words(struct arena *a, const struct json *d)
{
    struct buf line, name;
    buf_init(&line, a, LINE_MAX_BYTES);
    buf_init(&name, a, LINE_MAX_BYTES);
    buf_add_escaped(&name, span_of(read_text(d, "controller")));
    if (name.len > 0 && !read_is(d, "state", "")) {
        buf_printf(&name, " %s", read_text(d, "state"));
    }
    add_words(&line, name.ptr);
    buf_init(&name, a, LINE_MAX_BYTES);
    buf_add_escaped(&name, span_of(read_text(d, "model")));
    if (read_has(d, "firmware")) {
        buf_add_text(&name, ", firmware ");
        buf_add_escaped(&name, span_of(read_text(d, "firmware")));
    }
    add_words(&line, name.ptr);
    add_words(&line, read_is(d, "transport", "pcie") ? "" : read_text(d, "transport"));
    add_place(a, &line, d);
    add_link(a, &line, d);
    return line.ptr;
}

static const char *queue_words(struct arena *a, const struct json *d, const struct json *layer)
{
    struct buf line;
    buf_init(&line, a, LINE_MAX_BYTES);
    const struct json *size = json_get(d, "ns.size_bytes");
    if (size != NULL && size->type == JSON_NUMBER && !read_has(layer, "size")) {
        units_print_decimal(&line, size->number, DIM_BYTES);
    }
    if (read_has(d, "ns.lba_bytes") && !read_has(layer, "sectsz")) {
        add_words(&line,
                  arena_printf(a, "%s blocks", number_text(a, d, "ns.lba_bytes", DIM_BYTES)));
    }
    if (read_has(d, "queue.io_queues")) {
        const char *used = number_text(a, d, "queue.io_queues", DIM_NONE);
        const char *granted = number_text(a, d, "feature.io_queues_granted", DIM_NONE);
        add_words(&line, granted[0] == '\0'
                             ? arena_printf(a, "%s I/O queues", used)
                             : arena_printf(a, "%s of %s granted I/O queues", used, granted));
    }
    add_words(&line, read_text(d, "queue.interrupt_mode"));
    if (read_has(d, "queue.scheduler")) {
        add_words(&line, arena_printf(a, "scheduler %s", read_text(d, "queue.scheduler")));
    }
    if (read_has(d, "multipath.paths")) {
        add_words(&line, arena_printf(a, "%llu of %llu paths live",
                                      (unsigned long long)read_count(d, "multipath.paths_live"),
                                      (unsigned long long)read_count(d, "multipath.paths")));
    }
    const bool cache = read_flag(d, "volatile_write_cache");
    if (read_has(d, "volatile_write_cache")) {
        add_words(&line, cache ? "volatile write cache" : "no volatile write cache");
    }
    if (cache) {
        add_words(&line, !read_has(d, "power_loss_protection")   ? "power-loss protection not known"
                         : read_flag(d, "power_loss_protection") ? "with power-loss protection"
                                                                 : "without power-loss protection");
    }
    return line.ptr;
}

/* Documents tell percents as such. */
static const char *used_text(struct arena *a, const struct json *d)
{
    const struct json *j = json_get(d, "smart.percentage_used_pct");
    struct buf b;
    buf_init(&b, a, 64);
    struct num part;
    if (j != NULL && j->type == JSON_NUMBER && num_div(j->number, num_u64(100), &part) == NUM_OK) {
        units_print(&b, part, DIM_NONE, true);
    }
    return b.ptr;
}

/* Not where the figures are made up, as those of an emulated drive are. */
static const char *wear_words(struct arena *a, const struct json *d)
{
    struct buf line;
    buf_init(&line, a, LINE_MAX_BYTES);
    if (!read_has(d, "smart.synthetic") || read_flag(d, "smart.synthetic")) {
        return line.ptr;
    }
    const char *used = used_text(a, d);
    if (used[0] != '\0') {
        add_words(&line, arena_printf(a, "%s of the rated life used", used));
    }
    if (read_has(d, "smart.wear_out_date")) {
        add_words(&line, arena_printf(a, "all of it by %s at the pace since new",
                                      read_text(d, "smart.wear_out_date")));
    }
    return line.ptr;
}

void chain_disk_lines(struct arena *a, const struct json *device, const struct json *layer,
                      const char *ret[CHAIN_DISK_LINES])
{
    ret[0] = controller_words(a, device);
    ret[1] = queue_words(a, device, layer);
    ret[2] = wear_words(a, device);
}
