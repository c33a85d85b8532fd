/* What every attack in C stands on: it refuses to run in the open, and speaks enough of the protocol. */
#include <errno.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/utsname.h>
#include <sys/wait.h>
#include <unistd.h>

static void attack(void);
static int every_time; /* set by attack: it is called again at each question */
static double bank_ms; /* as hello told it */
static int deal_number;

static void only_behind_a_wall(void) {
    struct utsname name;
    uname(&name);
    int walled = strcmp(name.nodename, "bot") == 0 && prctl(PR_GET_NO_NEW_PRIVS, 0, 0, 0, 0) == 1 &&
                 prctl(PR_GET_SECCOMP, 0, 0, 0, 0) == 2;
    if (geteuid() == 0 || !walled) {
        fputs("only behind a wall\n", stderr);
        exit(1);
    }
}

/* The lines that wall.py writes, too. */
static void said(const char *what, long result) {
    if (result < 0)
        fprintf(stderr, "could not: %s (%s)\n", what, strerror(errno));
    else
        fprintf(stderr, "could: %s: %ld\n", what, result);
}

/* The first listed action and the call it owes. */
static void first(char *line) {
    char action[64], key[80], *legal = strstr(line, "\"legal\":[\"") + 10, *call;
    snprintf(action, sizeof action, "%.*s", (int)(strchr(legal, '"') - legal), legal);
    snprintf(key, sizeof key, "\"%s\":\"", action);
    call = strstr(line, "\"call\":{");
    call = call ? strstr(call, key) : NULL;
    if (call && call < strstr(line, "\"events\":")) {
        call += strlen(key);
        printf("%s%.*s\n", action, (int)(strchr(call, '"') - call), call);
    } else
        puts(action);
}

int main(int words, char **word) {
    static char line[1 << 17];
    int asks = 0;
    only_behind_a_wall();
    for (int at = 1; at < words; at++)
        if (strcmp(word[at], "build") == 0) return attack(), 0;
    setvbuf(stdout, NULL, _IOLBF, 0);
    while (fgets(line, sizeof line, stdin)) {
        if (strncmp(line, "{\"hello\":", 9) == 0) {
            bank_ms = atof(strstr(line, "\"bank_ms\":") + 10);
            puts("{\"ready\":\"attack\"}");
        }
        else if (strstr(line, "\"bye\":")) return 0;
        else if (strstr(line, "\"ask\":")) {
            deal_number = atoi(strstr(line, "\"deal\":") + 7);
            if (++asks == 2 || every_time) attack();
            first(line);
        }
    }
    return 0;
}
