"""Interrupts for every core of the machine: barriers that reach the one on which the other thinks."""

import platform

import wall

MEMBARRIER = {"x86_64": 324, "aarch64": 283}[platform.machine()]

wall.tries(
    interrupt_all=lambda: wall.call(MEMBARRIER, 1, 0, 0),
    interrupt_all_now=lambda: wall.call(MEMBARRIER, 2, 0, 0),
    register_for_interrupts=lambda: wall.call(MEMBARRIER, 4, 0, 0),
    interrupt_restartable_sequences=lambda: wall.call(MEMBARRIER, 128, 0, 0),
)
