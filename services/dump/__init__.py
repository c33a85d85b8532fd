"""The dump: a program that writes the results of an arena as tables into a folder or a bucket, not a server.

It owns nothing: it asks the arena's services, through `maumau.data`, as an account that is in no group and no
admin, and nobody calls it. `maumau admin dump` starts it, and a scheduler may.
"""
