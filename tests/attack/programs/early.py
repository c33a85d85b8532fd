"""A reply before hello."""

import wall

wall.say("first come, first served")
wall.reply("7S")
wall.play()
