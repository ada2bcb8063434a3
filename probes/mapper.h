/* What the device mapper says of its mappings, for a walk: asked for as root, read without its rights. */
#ifndef NVADVISE_PROBES_MAPPER_H
#define NVADVISE_PROBES_MAPPER_H

#include "probes/blockwalk.h"
#include "probes/probe.h"

struct mapper_texts;

/* In a probe's open: the texts, or why there are none. Lives in the job's arena. Where this host has no mapping
 * the tool is not run. */
const struct mapper_texts *mapper_fetch(struct probe_ctx *ctx);

/* After the drop; never NULL. `texts` may be NULL. */
const struct walk_dm *mapper_parse(struct probe_ctx *ctx, const struct mapper_texts *texts);

#endif
