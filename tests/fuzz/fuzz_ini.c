/* INI reader: no crash, and never a line that the library reads otherwise than we do. */
#include <stdlib.h>
#include <string.h>

#include "advisor/base/ini.h"

#include "advisor/base/banned.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    ARENA_AUTO a = arena_new();
    struct ini_file f;
    struct err err = ERR_INIT;
    if (!ini_read(a, "f", (struct span){(const char *)data, size}, &f, &err)) {
        /* "f:LINE: the INI library …" says that the two of us differ. */
        const char *what = err.text + strcspn(err.text, " ");
        if (strncmp(what, " the INI library", strlen(" the INI library")) == 0) {
            abort();
        }
        return 0;
    }
    for (size_t i = 0; i < f.n_sections; i++) {
        for (size_t k = 0; k < f.sections[i].n_entries; k++) {
            const struct ini_entry *e = &f.sections[i].entries[k];
            if (e->line == 0 || e->key.len == 0 || !span_is_utf8(e->value)) {
                abort();
            }
        }
    }
    return 0;
}
