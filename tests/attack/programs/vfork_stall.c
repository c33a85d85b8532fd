/* A child by vfork that never lets its parent go on: a process that sleeps where no signal ends it. */
#include "wall.h"

static void attack(void) {
    fprintf(stderr, "my child has my memory, and keeps it\n");
    if (vfork() == 0)
        for (;;) pause();
}
