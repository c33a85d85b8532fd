/* Every wait with a time limit: asked for 50 microseconds, what is given? One that gives them knows no slack. */
#include <linux/futex.h>
#include <poll.h>
#include <pthread.h>
#include <stdint.h>
#include <sys/epoll.h>
#include <sys/select.h>
#include <sys/socket.h>
#include <time.h>
#include "wall.h"

enum { TRIES = 25, MOST_OF_THEM = TRIES * 4 / 5, ASKED = 50000, FINE = 120, SPINNING = 20, PWAIT2 = 441, WAITV = 449 }; /* ns, then us */
static uint32_t owned, plain;
static int lines[2], watcher;
struct waiter { uint64_t value, address; uint32_t flags, unused; };

static struct timespec after(clockid_t clock, long more) {
    struct timespec now;
    clock_gettime(clock, &now);
    now.tv_sec += (now.tv_nsec + more) / 1000000000;
    now.tv_nsec = (now.tv_nsec + more) % 1000000000;
    return now;
}
static const struct timespec moment = {0, ASKED};

static void by_nanosleep(void) { nanosleep(&moment, NULL); }
static void until(void) { struct timespec t = after(CLOCK_MONOTONIC, ASKED); clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &t, NULL); }
static void until_real(void) { struct timespec t = after(CLOCK_REALTIME, ASKED); clock_nanosleep(CLOCK_REALTIME, TIMER_ABSTIME, &t, NULL); }
static void until_boot(void) { struct timespec t = after(CLOCK_BOOTTIME, ASKED); clock_nanosleep(CLOCK_BOOTTIME, TIMER_ABSTIME, &t, NULL); }
static void until_tai(void) { struct timespec t = after(CLOCK_TAI, ASKED); clock_nanosleep(CLOCK_TAI, TIMER_ABSTIME, &t, NULL); }
static void by_futex(void) { syscall(SYS_futex, &plain, FUTEX_WAIT, 0, &moment, NULL, 0); }
static void by_bitset(void) { struct timespec t = after(CLOCK_MONOTONIC, ASKED); syscall(SYS_futex, &plain, FUTEX_WAIT_BITSET, 0, &t, NULL, -1); }
static void by_lock(void) { struct timespec t = after(CLOCK_REALTIME, ASKED); syscall(SYS_futex, &owned, FUTEX_LOCK_PI, 0, &t, NULL, 0); }
static void by_private_lock(void) { struct timespec t = after(CLOCK_REALTIME, ASKED); syscall(SYS_futex, &owned, FUTEX_LOCK_PI | FUTEX_PRIVATE_FLAG, 0, &t, NULL, 0); }
static void by_lock2(void) { struct timespec t = after(CLOCK_MONOTONIC, ASKED); syscall(SYS_futex, &owned, 13, 0, &t, NULL, 0); }
static void by_real_lock2(void) { struct timespec t = after(CLOCK_REALTIME, ASKED); syscall(SYS_futex, &owned, 13 | FUTEX_CLOCK_REALTIME | FUTEX_PRIVATE_FLAG, 0, &t, NULL, 0); }
static void by_requeue(void) { struct timespec t = after(CLOCK_MONOTONIC, ASKED); syscall(SYS_futex, &plain, FUTEX_WAIT_REQUEUE_PI, 0, &t, &owned, 0); }
static void by_vector(void) {
    struct waiter one = {0, (uintptr_t)&plain, 2, 0};
    struct timespec t = after(CLOCK_MONOTONIC, ASKED);
    syscall(WAITV, &one, 1, 0, &t, CLOCK_MONOTONIC);
}
static void by_poll(void) { ppoll(NULL, 0, &moment, NULL); }
static void by_select(void) { pselect(0, NULL, NULL, NULL, &moment, NULL); }
static void by_epoll(void) { struct epoll_event event; syscall(PWAIT2, watcher, &event, 1, &moment, NULL, 8); }
static void by_signal(void) { sigset_t set; sigemptyset(&set); sigaddset(&set, SIGUSR1); sigtimedwait(&set, NULL, &moment); }
static void by_reading(void) { char one; if (recv(lines[0], &one, 1, 0) > 0) return; }
static void by_many(void) {
    char one;
    struct iovec part = {&one, 1};
    struct mmsghdr message = {.msg_hdr = {.msg_iov = &part, .msg_iovlen = 1}};
    struct timespec t = moment;
    recvmmsg(lines[0], &message, 1, 0, &t);
}
static const struct { const char *name; void (*wait)(void); } all[] = {
    {"nanosleep", by_nanosleep}, {"clock_nanosleep", until}, {"clock_nanosleep, real time", until_real},
    {"clock_nanosleep, since boot", until_boot}, {"clock_nanosleep, atomic time", until_tai},
    {"futex", by_futex}, {"futex, bits", by_bitset}, {"futex, lock", by_lock},
    {"futex, private lock", by_private_lock}, {"futex, lock 2", by_lock2},
    {"futex, private lock 2", by_real_lock2}, {"futex, requeue", by_requeue}, {"futex, vector", by_vector},
    {"ppoll", by_poll}, {"pselect", by_select}, {"epoll_pwait2", by_epoll}, {"sigtimedwait", by_signal},
    {"recv", by_reading}, {"recvmmsg", by_many},
};

static void *own(void *nothing) {
    __atomic_store_n(&owned, (uint32_t)syscall(SYS_gettid), __ATOMIC_SEQ_CST);
    for (;;) pause();
    return nothing;
}

static double microseconds(void) {
    struct timespec now = after(CLOCK_MONOTONIC, 0);
    return now.tv_sec * 1e6 + now.tv_nsec / 1e3;
}

static int by_size(const void *one, const void *other) {
    double left = *(const double *)one, right = *(const double *)other;
    return (left > right) - (left < right);
}

static void attack(void) {
    struct timeval limit = {0, ASKED / 1000};
    pthread_t owner;
    double took[TRIES];
    if (pthread_create(&owner, NULL, own, NULL) != 0 || socketpair(AF_UNIX, SOCK_DGRAM, 0, lines) != 0) return;
    setsockopt(lines[0], SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof limit);
    watcher = epoll_create1(0);
    while (!__atomic_load_n(&owned, __ATOMIC_SEQ_CST)) usleep(1000);
    for (unsigned each = 0; each < sizeof all / sizeof *all; each++) {
        for (int at = 0; at < TRIES; at++) {
            double began = microseconds();
            all[each].wait();
            took[at] = microseconds() - began;
        }
        qsort(took, TRIES, sizeof *took, by_size);
        double most = took[MOST_OF_THEM]; /* some end early by an interrupt that comes anyway */
        fprintf(stderr, "%s: wait 50 us by %s: %.0f to %.0f us\n",
                most < FINE && most > SPINNING ? "could" : "could not", all[each].name, took[0], most);
    }
    fprintf(stderr, "tried %zu waits\n", sizeof all / sizeof *all);
}
