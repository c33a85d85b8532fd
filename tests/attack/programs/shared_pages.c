/* Changes a reply after it was sent: the pages of the pipe are its own (vmsplice),
   or those of a file that it still writes to (sendfile). */
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/sendfile.h>
#include <sys/uio.h>
#include "wall.h"

static long sends_what_it_may_change(int into, int from) {
    char name[] = "/tmp/fileXXXXXX", found[2] = "";
    int file = mkstemp(name);
    off_t begin = 0;
    if (file < 0 || pwrite(file, "7S", 2, 0) != 2) return -1;
    long sent = sendfile(into, file, &begin, 2);
    if (sent != 2 || pwrite(file, "8H", 2, 0) != 2) return -1;
    return read(from, found, 2) == 2 && memcmp(found, "8H", 2) == 0 ? 1 : -1;
}

static void attack(void) {
    char *page = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    struct iovec part = {page, 0};
    int pipes[2];
    if (pipe(pipes)) return;
    strcpy(page, "7S");
    part.iov_len = 2;
    said("lend a page to a pipe", vmsplice(pipes[1], &part, 1, SPLICE_F_GIFT));
    said("send pages that it may change", sends_what_it_may_change(pipes[1], pipes[0]));
    said("move pages between pipes", splice(pipes[0], NULL, 1, NULL, 0, SPLICE_F_NONBLOCK) - 1);
}
