"""Answers of Redis that are lost."""

from redis.exceptions import RedisError


def lose_first_answer(script):
    """Return the script of a client whose connection breaks after the first call, before its answer."""
    calls = []

    async def run_and_lose(**given):
        calls.append(given)
        answer = await script(**given)
        if len(calls) == 1:
            raise RedisError("The answer is lost.")
        return answer

    return run_and_lose
