/* See storage_chain.h: what kind of place a chain ends in. */
#include "probes/import/storage_chain.h"

#include <string.h>

#include "probes/disk_class.h"
#include "probes/mountinfo.h"

#include "advisor/base/banned.h"

const char *chain_fs_word(const struct chain *c)
{
    return c->mount != NULL && c->mount->fstype.len > 0 ? mount_fs_word(c->mount->fstype) : NULL;
}

/* Filesystems without a device of this host. */
static const char *class_of_fs(const char *fs)
{
    static const struct {
        const char *fs, *class;
    } rows[] = {{"nfs", "network"},  {"cifs", "network"},          {"9p", "shared-folder"},
                {"virtiofs", "shared-folder"}, {"fuse", "shared-folder"}, {"tmpfs", "memory"}};
    for (size_t i = 0; fs != NULL && i < ARRAY_LEN(rows); i++) {
        if (strcmp(fs, rows[i].fs) == 0) {
            return rows[i].class;
        }
    }
    return NULL;
}

/* "host:/export", "//host/share", and the volumes of Longhorn, whose replicas are on other hosts. */
static const char *class_of_source(struct span source)
{
    const bool remote = (!span_starts(source, "/") && span_contains(source, ":/")) ||
                        (span_starts(source, "//") && source.len > 3) || span_starts(source, "/dev/longhorn/");
    return remote ? "network" : NULL;
}

/* Disks with several paths hang on a storage network; those of which all are SCSI disks on a controller of the host
 * say so by their transport, or nobody configures multipath for them. */
static bool through_multipath(const struct chain *c)
{
    bool found = false;
    for (size_t i = 0; i < c->n; i++) {
        found = found || span_eq_text(c->layers[i].kind, "multipath");
    }
    for (size_t i = 0; i < c->n_leaves; i++) {
        const struct span t = c->leaves[i]->transport;
        found = found && !span_eq_text(t, "sas") && !span_eq_text(t, "sata") && !span_eq_text(t, "iscsi") &&
                span_starts(c->leaves[i]->name, "sd");
    }
    return found;
}

struct disk chain_disk(struct arena *a, const struct stack_node *n)
{
    struct disk d = {.name = span_dup(a, n->name), .nvme = span_starts(n->name, "nvme"), .model = n->model};
    static const char *const fabrics[] = {"tcp", "rdma", "fc"};
    d.transport = SPAN_LIT("pcie"); /* what is no fabric */
    for (size_t i = 0; i < ARRAY_LEN(fabrics); i++) {
        d.transport = span_eq_text(n->transport, fabrics[i]) ? n->transport : d.transport;
    }
    d.model = d.model.len > 0 ? d.model : SPAN_LIT("?"); /* no cloud's, as far as the text tells */
    disk_classify(&d, (struct span){"", 0}, TRI_UNKNOWN);
    if (span_eq_text(n->transport, "iscsi")) {
        d.storage_class = "network";
        d.network = TRI_YES;
    } else if (span_eq_text(n->transport, "fc")) {
        d.storage_class = "san";
        d.network = TRI_YES;
    }
    return d;
}

const char *chain_class(struct arena *a, const struct chain *c)
{
    const char *class = class_of_fs(chain_fs_word(c));
    if (class == NULL && c->mount != NULL) {
        class = class_of_source(c->mount->source);
    }
    if (class != NULL) {
        return class;
    }
    if (!c->whole) {
        return NULL;
    }
    for (size_t i = 0; i < c->n_leaves; i++) {
        const struct disk d = chain_disk(a, c->leaves[i]);
        if (d.storage_class == NULL) {
            return through_multipath(c) ? "san" : NULL;
        }
        class = class == NULL || strcmp(class, d.storage_class) == 0 ? d.storage_class : "mixed";
        if (strcmp(class, "mixed") == 0) {
            return class;
        }
    }
    return class;
}
