/* Threads that wait without slack until the same moments: one interrupt wakes all, on the time of whoever runs. */
#include <linux/futex.h>
#include <pthread.h>
#include <stdint.h>
#include <time.h>
#include "wall.h"

enum { THREADS = 29, GRID = 200000, LOCK2 = 13 };
static uint32_t owned;

static long wait_for_tick(void) {
    struct timespec until;
    clock_gettime(CLOCK_MONOTONIC, &until);
    until.tv_nsec = (until.tv_nsec / GRID + 1) * GRID;
    until.tv_sec += until.tv_nsec / 1000000000;
    until.tv_nsec %= 1000000000;
    return syscall(SYS_futex, &owned, LOCK2, 0, &until, NULL, 0) < 0 && errno != ENOSYS ? 1 : -1;
}

static void *wake_together(void *nothing) {
    while (wait_for_tick() > 0) continue;
    return nothing;
}

static void attack(void) {
    pthread_t thread;
    int made = 0;
    owned = syscall(SYS_gettid);
    said("wait for the same moment", wait_for_tick());
    while (made < THREADS && pthread_create(&thread, NULL, wake_together, NULL) == 0) made++;
    fprintf(stderr, "%d threads wake together\n", made);
}
