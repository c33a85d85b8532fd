/* Two programs of one author meet on futexes: a page of a file that both have is the same key for both. Each has
   one thread that waits there, and wakes whoever waits: more than its own one is the other's. */
#include "wall.h"
#include <fcntl.h>
#include <linux/futex.h>
#include <pthread.h>
#include <stdint.h>
#include <sys/mman.h>

static uint32_t *word;

static void *wait_there(void *nothing) {
    for (;;)
        if (syscall(SYS_futex, word, FUTEX_WAIT, *word, 0, 0, 0) < 0 && errno != EINTR && errno != EAGAIN)
            return nothing;
}

static void attack(void) {
    static long most;
    if (!word) {
        pthread_t thread;
        int file = open("/bot/bot", O_RDONLY);
        word = mmap(0, 4096, PROT_READ, MAP_SHARED, file, 0);
        pthread_create(&thread, 0, wait_there, 0);
        every_time = 1;
    }
    long woken = syscall(SYS_futex, word, FUTEX_WAKE, 100, 0, 0, 0);
    if (woken > most) most = woken;
    if (most > 1) said("meet at a page of its own file", most);
    else fprintf(stderr, "could not: meet at a page of its own file (%ld of its own waited)\n", most);
}
