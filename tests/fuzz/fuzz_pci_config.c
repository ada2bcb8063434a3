/* PCI configuration space: the input is the first bytes of one. Whatever its lists of capabilities do, the
 * walk ends, asks only for words that are inside, and gives numbers within their range. */
#include <stdlib.h>
#include <string.h>

#include "advisor/base/parse.h"
#include "probes/pci_config.h"

#include "advisor/base/banned.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#define SPACE 256u
#define QUESTIONS_MAX 64u

struct space {
    char bytes[SPACE];
    size_t n;
    unsigned questions;
};

/* "at OFFSET 4 PATH"; a short space ends, as it does for those who are not root. */
static bool answer(struct host *h, const struct host_request *rq, struct span *ret,
                   struct err *reterr)
{
    struct space *const s = h->state;
    struct span rest = span_of(rq->key), word, offset, bytes;
    uint64_t at = 0;
    (void)reterr;
    if (rq->op != HOST_READ || !span_word(&rest, &word) || !span_word(&rest, &offset) ||
        !span_word(&rest, &bytes) || !parse_u64(offset, &at) || at % 4 != 0 || at > SPACE - 4 ||
        !span_eq_text(bytes, "4") || ++s->questions > QUESTIONS_MAX) {
        abort();
    }
    const size_t left = at < s->n ? s->n - at : 0;
    *ret = (struct span){s->bytes + at, left < 4 ? left : 4};
    return true;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const struct host_backend backend = {.call = answer};
    ARENA_AUTO a = arena_new();
    struct space s = {.n = size < SPACE ? size : SPACE};
    memcpy(s.bytes, data, s.n);
    struct host h = {.backend = &backend, .state = &s, .arena = a};
    struct err e = ERR_INIT;
    unsigned vectors = 0;
    bool can = false;
    if (pci_msix_vectors(&h, "/sys/x/config", &vectors, &e) && vectors > 2048) {
        abort();
    }
    s.questions = 0;
    if (!pci_slot_hotplug(&h, "/sys/x/config", &can, &e) && e.code == E_NONE) {
        abort();
    }
    (void)pci_is_address((struct span){(const char *)data, size});
    return 0;
}
