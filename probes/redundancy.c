/* See redundancy.h. */
#include "probes/redundancy.h"

#include "advisor/base/banned.h"

const struct fact_decl redundancy_decls[REDUNDANCY_DECLS] = {
    {"volume.redundant", KIND_BOOL, NULL, SUBJECT_VOLUME, FOLD_ALL, NEED_NONE,
     "the data survive the loss of any one disk: a mirror, parity, or storage that keeps copies itself",
     "volume.layers, volume.storage_class", ""},
};
