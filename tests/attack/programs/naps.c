/* Threads that sleep for a moment again and again while the other thinks: each time one takes the core from it. */
#include <pthread.h>
#include <time.h>
#include "wall.h"

static void *nap(void *nothing) {
    struct timespec moment = {0, 50000};
    prctl(PR_SET_TIMERSLACK, 1, 0, 0, 0);
    for (;;) nanosleep(&moment, NULL);
    return nothing;
}

static void attack(void) {
    pthread_t thread;
    int made = 0;
    while (made < 29 && pthread_create(&thread, NULL, nap, NULL) == 0) made++;
    fprintf(stderr, "%d threads sleep and wake\n", made);
}
