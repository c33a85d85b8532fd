/* Memory that cannot be taken back: locked, and in huge pages. */
#include <sys/mman.h>
#include <sys/resource.h>
#include "wall.h"

static void attack(void) {
    size_t size = 192 << 20;
    struct rlimit limit;
    getrlimit(RLIMIT_MEMLOCK, &limit);
    fprintf(stderr, "may lock %ld KiB\n", (long)(limit.rlim_cur >> 10));
    char *area = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    said("lock 192 MiB", mlock(area, size));
    said("lock all to come", mlockall(MCL_CURRENT | MCL_FUTURE));
    munlockall();
    void *huge = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_HUGETLB, -1, 0);
    said("have huge pages", huge == MAP_FAILED ? -1 : 0);
}
