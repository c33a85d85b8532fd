"""Ready, and at once an answer to a question that has not come: it would be taken for the first deal's."""

import json
import os
import sys

import wall

for line in sys.stdin:
    message = json.loads(line)
    if "hello" in message:
        wall.say("ready, and more")
        os.write(1, b'{"ready":"attack"}\ndraw\n7S\n')
    elif "ask" in message:
        wall.reply(wall.first(message))
