/* New namespaces by clone, with each flag alone and all at once, and by clone3. */
#include "wall.h"

static void attack(void) {
    static const struct { const char *name; unsigned long flag; } all[] = {
        {"clone a mount namespace", CLONE_NEWNS},   {"clone a control group namespace", CLONE_NEWCGROUP},
        {"clone a name namespace", CLONE_NEWUTS},   {"clone an IPC namespace", CLONE_NEWIPC},
        {"clone a user namespace", CLONE_NEWUSER},  {"clone a process namespace", CLONE_NEWPID},
        {"clone a network namespace", CLONE_NEWNET}, {"clone all with a parent", CLONE_NEWUSER | CLONE_NEWNET | CLONE_PARENT},
    };
    for (size_t at = 0; at < sizeof all / sizeof *all; at++) {
        long child = syscall(SYS_clone, all[at].flag | SIGCHLD, 0L, 0L, 0L, 0L);
        if (child == 0) _exit(0);
        said(all[at].name, child);
        if (child > 0) waitpid(child, NULL, 0);
        said(all[at].name, syscall(SYS_unshare, all[at].flag));
    }
    unsigned long arguments[11] = {CLONE_NEWUSER, 0, 0, 0, SIGCHLD};
    long child = syscall(435L, arguments, sizeof arguments);
    if (child == 0) _exit(0);
    said("clone3", child);
}
