/* udev's properties of a block device: the only file that includes libudev. Knows nothing of what
 * they mean. */
#include "probes/host/live.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#if NV_HAVE_UDEV
#include <libudev.h>
#endif

#include "probes/host/reply.h"

#include "advisor/base/banned.h"

#if NV_HAVE_UDEV

#define PROPERTIES_MAX 512

static int compare_names(const void *left, const void *right)
{
    const struct span *const a = left;
    const struct span *const b = right;
    return span_cmp(*a, *b);
}

static struct span take_properties(struct arena *a, struct udev_device *dev)
{
    struct span names[PROPERTIES_MAX];
    size_t n = 0;
    struct udev_list_entry *e = NULL;
    udev_list_entry_foreach(e, udev_device_get_properties_list_entry(dev))
    {
        const char *const value = udev_list_entry_get_value(e);
        if (n < PROPERTIES_MAX) {
            names[n++] = span_of(
                arena_printf(a, "%s=%s", udev_list_entry_get_name(e), value == NULL ? "" : value));
        }
    }
    if (n > 1) {
        qsort(names, n, sizeof(names[0]), compare_names);
    }
    return reply_names(a, names, n);
}

bool live_udev(struct live *l, const char *sysname, struct span *ret, struct err *reterr)
{
    if (sysname[0] == '\0' || strchr(sysname, '/') != NULL || sysname[0] == '.') {
        return err_set(reterr, E_USAGE, "'%s' is not the name of a block device", sysname);
    }
    struct udev *const udev = udev_new();
    if (udev == NULL) {
        return live_fail(reterr, errno, "ask udev for", sysname);
    }
    errno = 0;
    struct udev_device *const dev = udev_device_new_from_subsystem_sysname(udev, "block", sysname);
    const int e = errno == 0 ? ENOENT : errno;
    if (dev != NULL) {
        *ret = take_properties(l->arena, dev);
        udev_device_unref(dev);
    }
    udev_unref(udev);
    return dev != NULL || live_fail(reterr, e, "ask udev for", sysname);
}

#else

bool live_udev(struct live *l, const char *sysname, struct span *ret, struct err *reterr)
{
    (void)l;
    (void)ret;
    err_set(reterr, E_ABSENT, "udev properties of '%s': not built in", sysname);
    return err_hint(reterr, "Build nvadvise with libudev.");
}

#endif
