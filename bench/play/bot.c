/* The least that can play: a legal action, the first or (with an argument) any, and the call it owes. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define SIZE (1 << 20)

static char in[SIZE + 1], out[SIZE];
static size_t said;
static int any;

static void say(const char *text, size_t length) {
    memcpy(out + said, text, length);
    said += length;
}

/* `"call":{"7S":"!"}`: what stands after the action, if it stands there. */
static void call(const char *rest, const char *action, size_t length) {
    const char *at = strstr(rest, "\"call\":{") + 8;
    for (; *at == '"'; at += *at == ',') {
        const char *name = at + 1, *word = strstr(name, "\":\"") + 3;
        size_t marks = strcspn(word, "\"");
        if (strncmp(name, action, length) == 0 && name[length] == '"')
            say(word, marks);
        at = word + marks + 1;
    }
}

/* One of the actions of a list, any of them as likely as the others. */
static const char *chosen(const char *list) {
    const char *found = list;
    for (int count = 2; any && (list = strpbrk(list, ",]")) && *list == ','; count++)
        if (list += 2, rand() % count == 0)
            found = list;
    return found;
}

/* Whether the arena goes on after this line. */
static int answer(const char *line) {
    const char *legal = strstr(line, "\"legal\":[\"");
    if (legal) {
        const char *action = chosen(legal + 10);
        size_t length = strcspn(action, "\"");
        say(action, length);
        call(action, action, length);
        say("\n", 1);
    } else if (strncmp(line, "{\"hello\"", 8) == 0) {
        say("{\"ready\":\"c\"}\n", 14);
    }
    return strncmp(line, "{\"bye\"", 6) != 0;
}

int main(int words, char **unused) {
    (void)unused;
    any = words > 1;
    size_t have = 0;
    ssize_t more;
    while ((more = read(0, in + have, SIZE - have)) > 0) {
        char *line = in, *end;
        have += (size_t)more;
        in[have] = 0;
        while ((end = strchr(line, '\n'))) {
            *end = 0;
            if (!answer(line))
                return 0;
            line = end + 1;
        }
        have -= (size_t)(line - in);
        memmove(in, line, have);
        for (size_t at = 0; at < said;) {
            ssize_t written = write(1, out + at, said - at);
            if (written <= 0)
                return 1;
            at += (size_t)written;
        }
        said = 0;
    }
    return 0;
}
