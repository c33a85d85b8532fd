/* Crashes again and again, in children first: each might start the machine's collector of core files. */
#include "wall.h"

static void attack(void) {
    fputs("crashing\n", stderr);
    for (int count = 0; count < 20; count++) {
        pid_t child = fork();
        if (child == 0) raise(SIGSEGV);
        int status = 0;
        waitpid(child, &status, 0);
        if (WCOREDUMP(status)) fputs("could: leave a core file\n", stderr);
    }
    *(volatile int *)0 = 0;
}
