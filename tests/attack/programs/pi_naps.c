/* Threads that take the core for a moment again and again while the other thinks, by waits whose timers know no
   slack, with a barrier at each switch, after which the other's branches are to be learned anew. */
#include <linux/futex.h>
#include <pthread.h>
#include <stdint.h>
#include <time.h>
#include "wall.h"

enum { THREADS = 29, MOMENT = 50000, LOCK2 = 13, WAITV = 449, SPECULATION = 53, BRANCHES = 1, OFF = 4 };
static uint32_t owned, plain;
struct waiter { uint64_t value, address; uint32_t flags, unused; };

static long nap(void) {
    struct waiter one = {0, (uintptr_t)&plain, 2, 0};
    struct timespec until;
    clock_gettime(CLOCK_MONOTONIC, &until);
    until.tv_sec += (until.tv_nsec + MOMENT) / 1000000000;
    until.tv_nsec = (until.tv_nsec + MOMENT) % 1000000000;
    if (syscall(SYS_futex, &owned, LOCK2, 0, &until, NULL, 0) < 0 && errno != ENOSYS) return 1;
    return syscall(WAITV, &one, 1, 0, &until, CLOCK_MONOTONIC) < 0 && errno != ENOSYS ? 1 : -1;
}

static void *naps(void *nothing) {
    while (nap() > 0) continue;
    return nothing;
}

static void attack(void) {
    pthread_t thread;
    int made = 0;
    owned = syscall(SYS_gettid);
    said("empty the predictor at each switch", prctl(SPECULATION, BRANCHES, OFF, 0, 0));
    said("wait without slack", nap());
    while (made < THREADS && pthread_create(&thread, NULL, naps, NULL) == 0) made++;
    fprintf(stderr, "%d threads nap\n", made);
}
