/* As storm.c in one process: timers that send a signal, which many files of signals hear, and who watches those. */
#include <signal.h>
#include <sys/epoll.h>
#include <sys/signalfd.h>
#include <sys/time.h>
#include <time.h>
#include "wall.h"

enum { FILES = 110, TIMERS = 120, LATER = 60000, APART = 400000 };
static timer_t timer[TIMERS];

static int prepare(void) {
    struct sigevent event = {.sigev_notify = SIGEV_SIGNAL, .sigev_signo = SIGRTMIN + 1};
    struct itimerval soon = {{0, 0}, {100, 0}}, none = {{0, 0}, {0, 0}};
    int heard[FILES], made = 0;
    sigset_t set;
    sigemptyset(&set), sigaddset(&set, SIGRTMIN + 1), sigprocmask(SIG_BLOCK, &set, NULL);
    for (int at = 0; at < FILES; at++) heard[at] = signalfd(-1, &set, SFD_NONBLOCK);
    said("make a file of signals", heard[0]);
    for (int at = 0; at < FILES; at++) {
        int watcher = epoll_create1(0);
        struct epoll_event ready = {.events = EPOLLIN};
        for (int file = 0; file < FILES; file++) epoll_ctl(watcher, EPOLL_CTL_ADD, heard[file], &ready);
    }
    while (made < TIMERS && timer_create(CLOCK_MONOTONIC, &event, &timer[made]) == 0) made++;
    said("make a timer", made ? made : -1);
    said("set the timer of a process", setitimer(ITIMER_REAL, &soon, NULL));
    setitimer(ITIMER_REAL, &none, NULL);
    return made;
}

static void attack(void) {
    static int made = -1;
    struct timespec now, at_once = {0, 0};
    siginfo_t info;
    sigset_t set;
    if (made < 0) made = prepare();
    every_time = made > 0;
    sigemptyset(&set), sigaddset(&set, SIGRTMIN + 1);
    while (made && sigtimedwait(&set, &info, &at_once) > 0) continue;
    clock_gettime(CLOCK_MONOTONIC, &now);
    for (long at = 0, when = now.tv_nsec + LATER; at < made; at++, when += APART) {
        struct itimerspec once = {{0, 0}, {now.tv_sec + when / 1000000000, when % 1000000000}};
        timer_settime(timer[at], TIMER_ABSTIME, &once, NULL);
    }
}
