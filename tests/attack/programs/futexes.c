/* Threads that wake each other on one futex just before each reply: would the other pay for their waking? */
#include <limits.h>
#include <linux/futex.h>
#include <pthread.h>
#include <stdatomic.h>
#include "wall.h"

enum { THREADS = 20, WAKES = 300 };
static atomic_int word;

static void *wait_on(void *unused) {
    for (;;) {
        int seen = word;
        syscall(__NR_futex, &word, FUTEX_WAIT_PRIVATE, seen, NULL, NULL, 0);
    }
    return unused;
}

static void attack(void) {
    static int begun;
    pthread_t thread;
    while (begun < THREADS && pthread_create(&thread, NULL, wait_on, NULL) == 0) begun++;
    every_time = 1;
    for (int at = 0; at < WAKES; at++) {
        word++;
        syscall(__NR_futex, &word, FUTEX_WAKE_PRIVATE, INT_MAX, NULL, NULL, 0);
    }
    fprintf(stderr, "woke %d threads\n", begun);
}
