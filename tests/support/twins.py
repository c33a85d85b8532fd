"""A change that reaches two replicas at once."""

import asyncio


class Twins:
    """Changes that the second replica begins, and that the first one makes before it goes on.

    second: its server. made: number of changes that got the same answer from both.
    """

    def __init__(self, second, monkeypatch):
        self.made, self._meanwhile = 0, None
        for table in {id(one): one for one in second.around.changes.values()}.values():
            monkeypatch.setattr(table, "begin", self._delay(table.begin))

    def _delay(self, begin):
        async def begin_late(change):
            known = await begin(change)
            if (meanwhile := self._meanwhile) and known is None:
                self._meanwhile = None
                await asyncio.to_thread(meanwhile)
            return known

        return begin_late

    def make(self, ask, first, second):
        """Compare the answers of `ask(first)` and `ask(second)`, the same change at the two replicas."""
        answers = []
        self._meanwhile = lambda: answers.append(ask(first))
        answers.append(ask(second))
        one, other = answers
        assert one == other
        self.made += 1
        return one
