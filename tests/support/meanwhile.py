"""Actions of another replica between two steps of a call: once, beside one call of a method."""


def do_before(monkeypatch, owner, name, step):
    """Take this step before the next call of the owner's method."""
    _wrap(monkeypatch, owner, name, lambda call: (step(), call())[1])


def do_after(monkeypatch, owner, name, step):
    """Take this step after the next call of the owner's method, which has read what is no more."""
    _wrap(monkeypatch, owner, name, lambda call: (call(), step())[0])


def _wrap(monkeypatch, owner, name, run):
    method = getattr(owner, name)

    def call_once(*args, **fields):
        monkeypatch.setattr(owner, name, method)
        return run(lambda: method(*args, **fields))

    monkeypatch.setattr(owner, name, call_once)
