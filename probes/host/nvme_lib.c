/* The only file that includes libnvme. Two generations of it, and none:
 *
 * NV_HAVE_NVME=1  libnvme 1.x (pkg-config libnvme; built and tried with 1.3, the header's promise holds up
 *                 to 1.16). A controller is a file descriptor.
 * NV_HAVE_NVME=3  its successor libnvme3, where every name begins with libnvme_ and a controller is a handle
 *                 that belongs to a context. Written after its headers; no distribution that we build on has
 *                 it yet, so this branch has never been compiled.
 *
 * Commands are made by hand and sent by the library's pass-through: the wrappers for single commands are
 * what differs most between versions, and structs of pages even differ in layout. */
#include "probes/host/nvme_lib.h"

#include <errno.h>
#include <stdlib.h>
#include <unistd.h>

#if NV_HAVE_NVME
#include <libnvme.h>
#endif

#include "advisor/base/banned.h"

#if NV_HAVE_NVME == 3

struct nvme_lib {
    struct libnvme_global_ctx *ctx;
    struct libnvme_transport_handle *handle;
};

bool nvme_lib_is_there(void)
{
    return true;
}

struct nvme_lib *nvme_lib_open(const char *name)
{
    struct nvme_lib *const n = calloc(1, sizeof(*n));
    int rc = -ENOMEM;
    if (n == NULL) {
        return NULL;
    }
    n->ctx = libnvme_create_global_ctx(NULL, LIBNVME_LOG_ERR);
    if (n->ctx != NULL) {
        /* else it tries an ioctl of its own to see which forms this kernel knows */
        libnvme_set_ioctl_probing(n->ctx, false);
        rc = libnvme_open(n->ctx, name, &n->handle);
    }
    if (rc == 0) {
        return n;
    }
    nvme_lib_close(n);
    errno = -rc;
    return NULL;
}

void nvme_lib_close(struct nvme_lib *n)
{
    if (n == NULL) {
        return;
    }
    if (n->handle != NULL) {
        libnvme_close(n->handle);
    }
    if (n->ctx != NULL) {
        libnvme_free_global_ctx(n->ctx);
    }
    free(n);
}

int nvme_lib_send(struct nvme_lib *n, const struct nvme_lib_command *c, uint32_t *ret_dword0)
{
    struct libnvme_passthru_cmd cmd = {.opcode = c->opcode,
                                       .nsid = c->nsid,
                                       .addr = (uint64_t)(uintptr_t)c->data,
                                       .data_len = c->data_len,
                                       .cdw10 = c->cdw10,
                                       .cdw11 = c->cdw11};
    const int rc = libnvme_exec_admin_passthru(n->handle, &cmd);
    if (rc < 0) {
        errno = -rc;
        return -1;
    }
    *ret_dword0 = (uint32_t)cmd.result;
    return rc;
}

#elif NV_HAVE_NVME

struct nvme_lib {
    int fd;
};

bool nvme_lib_is_there(void)
{
    return true;
}

struct nvme_lib *nvme_lib_open(const char *name)
{
    const int fd = nvme_open(name);
    if (fd < 0) {
        return NULL;
    }
    struct nvme_lib *const n = malloc(sizeof(*n));
    if (n == NULL) {
        close(fd);
        errno = ENOMEM;
        return NULL;
    }
    n->fd = fd;
    return n;
}

void nvme_lib_close(struct nvme_lib *n)
{
    if (n != NULL) {
        close(n->fd);
        free(n);
    }
}

int nvme_lib_send(struct nvme_lib *n, const struct nvme_lib_command *c, uint32_t *ret_dword0)
{
    struct nvme_passthru_cmd cmd = {.opcode = c->opcode,
                                    .nsid = c->nsid,
                                    .addr = (uint64_t)(uintptr_t)c->data,
                                    .data_len = c->data_len,
                                    .cdw10 = c->cdw10,
                                    .cdw11 = c->cdw11};
    return nvme_submit_admin_passthru(n->fd, &cmd, ret_dword0);
}

#else

bool nvme_lib_is_there(void)
{
    return false;
}

struct nvme_lib *nvme_lib_open(const char *name)
{
    (void)name;
    errno = ENOSYS;
    return NULL;
}

void nvme_lib_close(struct nvme_lib *n)
{
    (void)n;
}

int nvme_lib_send(struct nvme_lib *n, const struct nvme_lib_command *c, uint32_t *ret_dword0)
{
    (void)n;
    (void)c;
    (void)ret_dword0;
    errno = ENOSYS;
    return -1;
}

#endif
