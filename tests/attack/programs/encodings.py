"""Replies in other clothes: BOM, UTF-16, NaN, lone surrogates, lists and numbers for words."""

import os

import wall

FORMS = [
    lambda action: b"\xef\xbb\xbf" + action.encode(),
    lambda action: action.encode("utf-16"),
    lambda action: b'{"act":NaN}',
    lambda action: b'{"act":"\\ud800\\udfff","note":"\\udc00"}',
    lambda action: b'{"act":' + b"0" * 5000 + b"}",
    lambda action: (f'{{"act":["{action}"]}}').encode(),
    lambda action: (f'{{"act":"{action}","also":{{"0":"!"}}}}').encode(),
    lambda action: (f'{{"act":"{action}"}}{{"act":"{action}"}}').encode(),
    lambda action: (f'{{"act":"{action}"').encode(),
    lambda action: (f'{{"act":"{action}","note":-Infinity}}').encode(),
]


def act(message, asks):
    wall.say("dressed up")
    os.write(1, FORMS[(asks + len(message["hand"])) % len(FORMS)](wall.first(message)) + b"\n")


wall.play(act)
