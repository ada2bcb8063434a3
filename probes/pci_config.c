/* See pci_config.h. */
#include "probes/pci_config.h"

#include "probes/nvme_bytes.h"

#include "advisor/base/banned.h"

#define STATUS_WORD 4u          /* command and status */
#define STATUS_HAS_LIST (0x10u << 16)
#define FIRST_POINTER 0x34u
#define CAPABILITY_EXPRESS 0x10u
#define CAPABILITY_MSIX 0x11u
#define CAPABILITIES_MAX 48u    /* as many as fit between 64 and 256 */
#define SLOT_IMPLEMENTED (0x100u << 16)
#define SLOT_CAPABILITIES 20u
#define SLOT_HOT_PLUG 0x40u

static bool read_word(struct host *h, const char *path, unsigned at, uint32_t *ret,
                      struct err *reterr)
{
    struct span s;
    if (!host_pci_config(h, path, at, 4, &s, reterr)) {
        return false;
    }
    *ret = nvme_le32(s, 0);
    return true;
}

/* *ret_at: 0 when the function has no such capability; *ret_word: its first word. */
static bool find(struct host *h, const char *path, unsigned id, unsigned *ret_at,
                 uint32_t *ret_word, struct err *reterr)
{
    uint32_t word = 0;
    *ret_at = 0;
    if (!read_word(h, path, STATUS_WORD, &word, reterr)) {
        return false;
    }
    if (word == UINT32_MAX) {
        return err_set(reterr, E_IO, "'%s' reads as ones: the function does not answer", path);
    }
    if ((word & STATUS_HAS_LIST) == 0) {
        return true;
    }
    if (!read_word(h, path, FIRST_POINTER, &word, reterr)) {
        return false;
    }
    unsigned at = word & 0xfc;
    for (unsigned n = 0; at != 0; n++) {
        if (n == CAPABILITIES_MAX || at < 0x40) {
            return err_set(reterr, E_SYNTAX, "the list of capabilities in '%s' is broken", path);
        }
        if (!read_word(h, path, at, &word, reterr)) {
            return false;
        }
        if ((word & 0xff) == id) {
            *ret_at = at;
            *ret_word = word;
            return true;
        }
        at = word >> 8 & 0xfc;
    }
    return true;
}

bool pci_msix_vectors(struct host *h, const char *path, unsigned *ret, struct err *reterr)
{
    unsigned at = 0;
    uint32_t word = 0;
    if (!find(h, path, CAPABILITY_MSIX, &at, &word, reterr)) {
        return false;
    }
    *ret = at == 0 ? 0 : (word >> 16 & 0x7ff) + 1; /* message control: table size less one */
    return true;
}

bool pci_slot_hotplug(struct host *h, const char *path, bool *ret, struct err *reterr)
{
    unsigned at = 0;
    uint32_t word = 0;
    if (!find(h, path, CAPABILITY_EXPRESS, &at, &word, reterr)) {
        return false;
    }
    if (at == 0 || (word & SLOT_IMPLEMENTED) == 0 || at > 256 - SLOT_CAPABILITIES - 4) {
        return err_set(reterr, E_ABSENT, "'%s' is of no port with a slot", path);
    }
    if (!read_word(h, path, at + SLOT_CAPABILITIES, &word, reterr)) {
        return false;
    }
    *ret = (word & SLOT_HOT_PLUG) != 0;
    return true;
}

static bool is_hex(struct span s, size_t least, size_t most)
{
    bool ok = s.len >= least && s.len <= most;
    for (size_t i = 0; i < s.len && ok; i++) {
        const char c = s.ptr[i];
        ok = (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f');
    }
    return ok;
}

bool pci_is_address(struct span name)
{
    struct span rest = name, domain, bus, device;
    return span_split(&rest, ':', &domain) && span_split(&rest, ':', &bus) &&
           span_split(&rest, '.', &device) && is_hex(domain, 4, 8) && is_hex(bus, 2, 2) &&
           is_hex(device, 2, 2) && is_hex(rest, 1, 1);
}
