/* Programs for the kernel that need no right: filters of sockets, whose machine code counts against a limit of
   the whole machine; where that is used up no sandbox starts. Filters of system calls count likewise. */
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sys/socket.h>
#include "wall.h"

enum { LENGTH = 4000, REUSEPORT_CBPF = 51, REUSEPORT_EBPF = 52, LOCK = 44 };
static struct sock_filter code[LENGTH];

static void attack(void) {
    struct sock_fprog filter = {LENGTH, code};
    int on = 1, line = socket(AF_UNIX, SOCK_DGRAM, 0);
    socklen_t size = LENGTH;
    for (int at = 0; at < LENGTH; at++) code[at] = (struct sock_filter)BPF_STMT(BPF_ALU | BPF_DIV | BPF_K, 7);
    code[LENGTH - 1] = (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW);
    said("filter a socket", setsockopt(line, SOL_SOCKET, SO_ATTACH_FILTER, &filter, sizeof filter));
    said("filter a socket by bpf", setsockopt(line, SOL_SOCKET, SO_ATTACH_BPF, &on, sizeof on));
    said("choose sockets", setsockopt(line, SOL_SOCKET, REUSEPORT_CBPF, &filter, sizeof filter));
    said("choose sockets by bpf", setsockopt(line, SOL_SOCKET, REUSEPORT_EBPF, &on, sizeof on));
    said("lock a filter", setsockopt(line, SOL_SOCKET, LOCK, &on, sizeof on));
    said("take a filter away", setsockopt(line, SOL_SOCKET, SO_DETACH_FILTER, &on, sizeof on));
    said("read a filter", getsockopt(line, SOL_SOCKET, SO_GET_FILTER, code, &size));
    said("filter calls", syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, 0, &filter));
    said("filter calls as of old", prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &filter, 0, 0));
    said("allow four calls alone", prctl(PR_SET_SECCOMP, SECCOMP_MODE_STRICT, 0, 0, 0));
}
