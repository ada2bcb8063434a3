/* Runs a fuzz target over every file of a corpus folder, so that plain ctest replays what fuzzing
 * found. Exit status 1 when the folder holds no file: an empty corpus tests nothing. */
#include <dirent.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static int replay_file(const char *path)
{
    FILE *f = fopen(path, "rb");
    if (f == NULL) {
        perror(path);
        return 1;
    }
    size_t cap = 1 << 20, len = 0, got = 0;
    uint8_t *bytes = malloc(cap);
    if (bytes == NULL) {
        fclose(f);
        return 1;
    }
    while ((got = fread(bytes + len, 1, cap - len, f)) > 0) {
        len += got;
        if (len == cap) {
            uint8_t *more = realloc(bytes, cap * 2);
            if (more == NULL) {
                break;
            }
            bytes = more;
            cap *= 2;
        }
    }
    fclose(f);
    LLVMFuzzerTestOneInput(bytes, len);
    free(bytes);
    return 0;
}

int main(int argc, char **argv)
{
    if (argc != 2) {
        fprintf(stderr, "usage: %s CORPUS\n", argv[0]);
        return 2;
    }
    DIR *dir = opendir(argv[1]);
    if (dir == NULL) {
        perror(argv[1]);
        return 1;
    }
    unsigned n = 0;
    const struct dirent *e;
    while ((e = readdir(dir)) != NULL) {
        if (e->d_name[0] == '.') {
            continue;
        }
        char path[4096];
        snprintf(path, sizeof(path), "%s/%s", argv[1], e->d_name);
        if (replay_file(path) != 0) {
            closedir(dir);
            return 1;
        }
        n++;
    }
    closedir(dir);
    printf("%u inputs\n", n);
    return n == 0;
}
