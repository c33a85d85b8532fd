/* A filter of its own that asks a stranger about each call (seccomp's notification), and filters by the dozen. */
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include "wall.h"

static void attack(void) {
    struct sock_filter notify[] = {
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, __NR_getppid, 0, 1),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_USER_NOTIF),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
    };
    struct sock_filter open[] = {BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW)};
    struct sock_fprog asking = {4, notify}, allowing = {1, open};
    int made = 0;
    long listener = syscall(__NR_seccomp, SECCOMP_SET_MODE_FILTER, SECCOMP_FILTER_FLAG_NEW_LISTENER, &asking);
    fprintf(stderr, "listener: %ld\n", listener);
    while (made < 4000 && syscall(__NR_seccomp, SECCOMP_SET_MODE_FILTER, 0, &allowing) == 0) made++;
    fprintf(stderr, "filters of its own: %d\n", made);
    /* what the wall's filter refuses is refused all the same */
    said("loosen the filter", syscall(__NR_keyctl, 0, 0));
}
