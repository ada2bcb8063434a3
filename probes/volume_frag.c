/* Volume, theme frag: in how many pieces the largest data files lie. */
#include "probes/volume.h"

#include "probes/setters.h"

#include "advisor/base/banned.h"

#define FACT "volume.fs.fragments_per_gib"
#define SOURCE "FIEMAP of the largest .ibd files"
#define GIB ((uint64_t)1 << 30)

const struct fact_decl volume_frag_decls[VOLUME_FRAG_DECLS] = {
    {FACT, KIND_RATIO, NULL, SUBJECT_VOLUME, FOLD_MAX, NEED_NONE,
     "extents in a GiB of the three largest data files; less than a GiB counts as one", "FIEMAP",
     "datadir access"},
};

/* Below one GiB a few extents would look like many. */
static void set_density(struct volume *v, const struct host_extents *x)
{
    struct num n;
    if (num_mul(num_u64(x->extents), num_u64(GIB), &n) == NUM_OK &&
        num_div(n, num_u64(x->bytes < GIB ? GIB : x->bytes), &n) == NUM_OK) {
        set_num(v->ctx, FACT, KIND_RATIO, n, x->complete ? SOURCE : SOURCE ", a part of them");
    }
}

void volume_read_frag(struct volume *v)
{
    struct err e = ERR_INIT;
    const struct host_extents *x = &v->extents;
    if ((v->ctx->args->roles & ROLE_DATA) == 0) {
        set_unknown(v->ctx, FACT, FACT_NOT_SUPPORTED, SOURCE, "",
                    "only a data directory has data files");
        return;
    }
    v->has_extents = host_extents(v->ctx->host, v->path, ".ibd", &v->extents, &e);
    if (!v->has_extents) {
        set_err(v->ctx, FACT, &e, SOURCE);
    } else if (x->files == 0) {
        set_unknown(v->ctx, FACT, FACT_ABSENT, SOURCE, "", "there is no .ibd file to look at");
    } else if (!x->mapped) {
        set_unknown(v->ctx, FACT, FACT_NOT_SUPPORTED, SOURCE, "",
                    "this filesystem does not tell where files lie");
    } else {
        set_density(v, x);
    }
}
