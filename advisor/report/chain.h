/* What lies below each path, as a document and as a tree for a terminal. Pure: facts in, text out.
 *
 * The document ("nvadvise.chain/1"): {"schema", "volumes": [{"subject", "server", "path", "roles", "class",
 * "devices", "unknown", "layers": [{"level", "name", "kind", …the keys of advisor/facts/layer.h, whole numbers as
 * numbers}]}], "devices": [{"subject", "name", …facts of the device by the last part of their names}], "shared":
 * [{"device", "volumes", "roles"}]}. What is not known is null; "unknown" says why a chain ends early. */
#ifndef NVADVISE_ADVISOR_REPORT_CHAIN_H
#define NVADVISE_ADVISOR_REPORT_CHAIN_H

#include "advisor/report/report.h"

/* path NULL: every volume; else the volume of that path, or of the longest mount point above it. E_ABSENT: none
 * is known. */
ATTR_NODISCARD bool chain_doc(struct arena *a, const struct store *s, const char *path, struct json **ret,
                              struct err *reterr);

/* The trees, and which disks carry several roles; with opt->verbose the limits of every queue too. */
void chain_text(struct buf *b, const struct json *doc, const struct text_options *opt);

#endif
