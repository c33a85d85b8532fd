"""Answers to what asks for none: replies to the end of a deal and to bye."""

import json
import sys

import wall

for line in sys.stdin:
    message = json.loads(line)
    if "hello" in message:
        wall.reply('{"ready":"attack"}')
    elif "ask" in message:
        wall.reply(wall.first(message))
    else:
        wall.say("a last word")
        wall.reply("and another thing")
