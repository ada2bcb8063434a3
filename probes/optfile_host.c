/* Option files through the seam: for a server's own files, which are recorded. */
#include "probes/optfile.h"

#include "advisor/base/banned.h"

static bool host_io_read(void *ctx, const char *path, struct optfile_text *ret, struct err *reterr)
{
    struct host *h = ctx;
    struct host_stat st;
    struct span bytes;
    if (!host_stat(h, path, &st, reterr) ||
        !host_read(h, path, OPTFILE_BYTES_MAX, &bytes, reterr)) {
        return false;
    }
    *ret = (struct optfile_text){bytes, st.mode, st.uid, st.gid};
    return true;
}

static bool host_io_list(void *ctx, const char *path, struct host_names *ret, struct err *reterr)
{
    return host_list(ctx, path, ret, reterr);
}

struct optfile_io optfile_io_host(struct host *h)
{
    return (struct optfile_io){.ctx = h, .read = host_io_read, .list = host_io_list};
}
