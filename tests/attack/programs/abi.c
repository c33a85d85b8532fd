/* Past the filter by another door: the calls of 32-bit programs (int 0x80) and of x32. */
#include "wall.h"

static void by(const char *what, void (*act)(void)) {
    pid_t child = fork();
    int status = 0;
    if (child == 0) {
        act();
        _exit(42);
    }
    waitpid(child, &status, 0);
    if (WIFSIGNALED(status))
        fprintf(stderr, "could not: %s (killed by %s)\n", what, strsignal(WTERMSIG(status)));
    else
        fprintf(stderr, "%s: %s\n", WEXITSTATUS(status) == 42 ? "could" : "could not", what);
}

#if defined(__x86_64__)
static void old(void) { /* socket(AF_INET) as call 359 of a 32-bit program */
    long result;
    __asm__ volatile("int $0x80" : "=a"(result) : "a"(359L), "b"(2L), "c"(1L), "d"(0L) : "memory");
    if (result < 0) _exit(1);
}
static void wide(void) { /* ptrace by its number in x32 */
    if (syscall(0x40000000 + 521, 0L, 0L, 0L, 0L) < 0 && errno == ENOSYS) _exit(1);
}
#endif

static void attack(void) {
#if defined(__x86_64__)
    by("call as a 32-bit program", old);
    by("call as an x32 program", wide);
#else
    fputs("could not: call as another architecture (there is none here)\n", stderr);
#endif
}
