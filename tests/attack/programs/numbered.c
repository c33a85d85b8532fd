/* Word for its next self in the inode numbers of pipes: brought to a value while it plays, read at its start. */
#include <sys/stat.h>
#include "wall.h"

enum { BITS = 14 };

static unsigned long number(void) {
    struct stat found;
    int ends[2];
    if (pipe(ends) != 0) return 0;
    fstat(ends[0], &found);
    close(ends[0]), close(ends[1]);
    return found.st_ino;
}

__attribute__((constructor)) static void read_word(void) {
    fprintf(stderr, "found %lu\n", number());
}

static void attack(void) {
    unsigned long mask = (1 << BITS) - 1, word = 0, steps;
    FILE *chance = fopen("/dev/urandom", "r");
    if (!chance || fread(&word, sizeof word, 1, chance) != 1) return;
    fclose(chance);
    steps = (word - number()) & mask;
    while (steps-- > 1) number();
    fprintf(stderr, "left %lu\n", number());
}
