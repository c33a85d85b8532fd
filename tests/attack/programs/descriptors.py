"""Opens files, pipes and terminals until there are no more descriptors."""

import os

import wall


def opened(act):
    count = 0
    try:
        while count < 5000:
            act()
            count += 1
    except OSError as error:
        wall.say(f"could not: open more than {count} ({wall.errno.errorcode[error.errno]})")
    else:
        wall.say("could: open 5000")
    os.closerange(3, 6000)


wall.run(lambda: [opened(act) for act in (lambda: os.open("/dev/null", os.O_RDONLY), os.pipe, os.openpty)])
