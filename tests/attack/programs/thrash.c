/* The processor's caches full of its own just before each reply: the other must read everything anew. */
#include "wall.h"

enum { SIZE = 24 << 20 };

static void attack(void) {
    static char *area;
    if (!area) area = malloc(SIZE);
    every_time = 1;
    for (int at = 0; area && at < SIZE; at += 64) area[at]++;
    fprintf(stderr, "the caches are mine\n");
}
