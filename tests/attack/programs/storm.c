/* Timers that expire while the other thinks, each watched by thousands of epoll instances: all that is done when
   one expires is done in its interrupt, and charged to whoever has the core just then. */
#include <sys/epoll.h>
#include <sys/mman.h>
#include <sys/timerfd.h>
#include <time.h>
#include "wall.h"

enum { CHILDREN = 28, WATCHERS = 200, TIMERS = 30, LATER = 100000, APART = 700000 };
static int timer[TIMERS];

static void watch(volatile int *ready) {
    for (int each = 0; each < WATCHERS; each++) {
        int watcher = epoll_create1(0);
        struct epoll_event event = {.events = EPOLLIN};
        for (int at = 0; watcher >= 0 && at < TIMERS; at++) epoll_ctl(watcher, EPOLL_CTL_ADD, timer[at], &event);
    }
    __sync_fetch_and_add(ready, 1);
    close(0), close(1);
    for (;;) pause();
}

static int prepare(void) {
    volatile int *ready = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    int children = 0;
    for (int at = 0; at < TIMERS; at++) timer[at] = timerfd_create(CLOCK_MONOTONIC, 0);
    said("make a timer that is a file", timer[0]);
    if (timer[0] < 0) return 0;
    while (children < CHILDREN) {
        pid_t child = fork();
        if (child < 0) break;
        if (child == 0) watch(ready);
        children++;
    }
    while (*ready < children) usleep(2000);
    return 1;
}

static void attack(void) {
    static int armed = -1;
    struct timespec now;
    if (armed < 0) armed = every_time = prepare();
    clock_gettime(CLOCK_MONOTONIC, &now);
    for (long at = 0, when = now.tv_nsec + LATER; armed && at < TIMERS; at++, when += APART) {
        struct itimerspec once = {{0, 0}, {now.tv_sec + when / 1000000000, when % 1000000000}};
        timerfd_settime(timer[at], TFD_TIMER_ABSTIME, &once, NULL);
    }
}
