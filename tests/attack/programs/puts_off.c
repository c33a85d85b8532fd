/* Makes things by the thousand just before each reply, whose freeing the kernel puts off: to the other's time? */
#include <sys/epoll.h>
#include "wall.h"

static void attack(void) {
    int ends[2];
    every_time = 1;
    for (int made = 0; made < 300 && pipe(ends) == 0; made++) {
        int watcher = epoll_create1(0);
        struct epoll_event event = {.events = EPOLLIN};
        epoll_ctl(watcher, EPOLL_CTL_ADD, ends[0], &event);
        close(watcher), close(ends[0]), close(ends[1]);
    }
    fprintf(stderr, "made and closed\n");
}
