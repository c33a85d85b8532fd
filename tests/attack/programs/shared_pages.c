/* Changes a reply after it was sent: the pages of the pipe are its own (vmsplice). */
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/uio.h>
#include "wall.h"

static void attack(void) {
    char *page = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    struct iovec part = {page, 0};
    int pipes[2];
    if (pipe(pipes)) return;
    strcpy(page, "7S");
    part.iov_len = 2;
    said("lend a page to a pipe", vmsplice(pipes[1], &part, 1, SPLICE_F_GIFT));
    said("move pages between pipes", splice(pipes[0], NULL, 1, NULL, 0, SPLICE_F_NONBLOCK) - 1);
}
