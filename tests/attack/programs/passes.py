"""Passing descriptors: over its own pipes, and to whoever else might listen."""

import array
import os
import socket

import wall


def over(number):
    line = socket.socket(fileno=os.dup(number))
    return line.sendmsg([b"x"], [(socket.SOL_SOCKET, socket.SCM_RIGHTS, array.array("i", [0]))])


def to(name):
    with socket.socket(socket.AF_UNIX) as line:
        line.connect(name)
        return line.sendmsg([b"x"], [(socket.SOL_SOCKET, socket.SCM_RIGHTS, array.array("i", [0]))])


wall.tries(
    pass_a_descriptor_over_stdout=lambda: over(1),
    pass_a_descriptor_over_stdin=lambda: over(0),
    pass_a_descriptor_to_the_broker=lambda: to(wall.TARGETS["socket"]),
    take_a_descriptor_of_the_referee=lambda: wall.call(438, os.pidfd_open(wall.TARGETS["pid"]), 0, 0),
)
