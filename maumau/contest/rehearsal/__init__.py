"""Rehearsal of a contest: its stages played many times by invented bots, before anybody has entered."""
