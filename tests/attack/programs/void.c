/* A match undone: its first life sleeps the time away for which it is waited, and dies; in its second one its
   threads have the core, so that its first thread looks starved by the host. */
#include <pthread.h>
#include <time.h>
#include "wall.h"

static double passed(clockid_t clock) {
    struct timespec now;
    clock_gettime(clock, &now);
    return now.tv_sec + now.tv_nsec / 1e9;
}

static void *spin(void *nothing) {
    for (volatile unsigned long turns = 0;; turns++) continue;
    return nothing;
}

static void attack(void) {
    static double began;
    double wait = bank_ms / 1000 * (10 - 0.6);
    pthread_t thread;
    if (deal_number > 0) {
        fputs("my threads keep me from the core\n", stderr);
        for (int made = 0; made < 29; made++) pthread_create(&thread, NULL, spin, NULL);
        spin(NULL);
    }
    began = passed(CLOCK_MONOTONIC);
    while (passed(CLOCK_MONOTONIC) < began + wait) usleep(10000);
    fputs("dying on purpose\n", stderr);
    exit(1);
}
