/* State of a process that the processor changes at each switch from it or to it, on the other's time; and what
   else a process may ask for itself by number. */
#include "wall.h"

static const struct { const char *what; int option; long one, two; } asked[] = {
    {"ask for barriers at switches", 52, 0, 0}, {"switch store bypass off", 53, 0, 4},
    {"empty the predictor at each switch", 53, 1, 4}, {"flush the cache at each switch", 53, 2, 2},
    {"stop the clock of cycles", PR_SET_TSC, PR_TSC_SIGSEGV, 0}, {"merge memory", 67, 1, 0},
    {"have no huge pages", PR_SET_THP_DISABLE, 1, 0}, {"adopt orphans", PR_SET_CHILD_SUBREAPER, 1, 0},
    {"end by machine checks", PR_MCE_KILL, PR_MCE_KILL_SET, PR_MCE_KILL_EARLY},
    {"enable performance counters", PR_TASK_PERF_EVENTS_ENABLE, 0, 0},
    {"dispatch its own calls", 59, 0, 0}, {"forbid writable code", 65, 1, 0},
    {"have its own table of futexes", 78, 1, 4}, {"name its memory", 0x53564d41, 0, 0},
    {"be dumped", PR_SET_DUMPABLE, 0, 0},
};

static void attack(void) {
    for (unsigned each = 0; each < sizeof asked / sizeof *asked; each++)
        said(asked[each].what, prctl(asked[each].option, asked[each].one, asked[each].two, 0, 0));
#if defined(__x86_64__)
    static const struct { const char *what; long option, value; } of_processor[] = {
        {"fault at CPUID", 0x1012, 0}, {"have tiles of a matrix", 0x1023, 18}, {"tag addresses", 0x4002, 6},
        {"have a shadow stack", 0x5001, 1}, {"map another vdso", 0x2003, 0x10000000},
    };
    for (unsigned each = 0; each < sizeof of_processor / sizeof *of_processor; each++)
        said(of_processor[each].what, syscall(SYS_arch_prctl, of_processor[each].option, of_processor[each].value));
#endif
    fputs("asked for all of it\n", stderr);
}
