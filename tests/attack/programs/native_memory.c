/* Memory by a program of no runtime: mapped, touched, and locked. */
#include <sys/mman.h>
#include "wall.h"

static void attack(void) {
    fputs("mapping\n", stderr);
    for (int count = 0; count < 128; count++) {
        char *area = mmap(NULL, 16 << 20, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
        if (area == MAP_FAILED) break;
        memset(area, 1, 16 << 20);
    }
    for (;;) pause();
}
