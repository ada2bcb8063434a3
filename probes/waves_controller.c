/* Which disks ask the same controller, and which of them are asked once more without the one that gave no
 * answer. See waves.h. */
#include "probes/waves.h"

#include <string.h>

#include "advisor/base/banned.h"

const char *waves_group_of(struct arena *a, const char *device)
{
    const size_t head = strlen("nvme");
    if (strncmp(device, "nvme", head) != 0) {
        return NULL;
    }
    const size_t digits = strspn(device + head, "0123456789");
    return digits == 0 || device[head + digits] != 'n' ? NULL
                                                       : arena_strndup(a, device, head + digits);
}

size_t waves_again(struct waves *w, const struct job *jobs, const struct job_end *ends, size_t n,
                   struct job **ret)
{
    struct job *const again = arena_calloc(w->arena, n, sizeof(*again));
    size_t count = 0;
    for (size_t i = 0; i < n; i++) {
        if (ends[i].lost && ends[i].aside && jobs[i].probe == w->probes->device && !jobs[i].again) {
            again[count] = jobs[i];
            /* A number stays in a redacted capture, where replay looks for it. */
            again[count].id = arena_printf(w->arena, "%s:2", jobs[i].id);
            again[count++].again = true;
        }
    }
    *ret = again;
    return count;
}
