"""Use of the bank is reported before it becomes a fault."""

from __future__ import annotations

import re

from maumau.protocol.use import Use
from maumau.referee.block import BlockMeasurements, BlockOrder
from maumau.referee.pace import PaceSpan
from maumau.referee.share import BankShare, BankTally, bank_share, say_share, warn_of_share

TOML = 'run = ["python3", "bot.py"]\nrules = ["prsi"]\nseats = [2, 3]\n'


def share(deals: list[float]) -> BankShare | None:
    order = BlockOrder("prsi", 2, ["seed"])
    return bank_share(order, BlockMeasurements(0, 0, [Use(deals_ms=deals)], 100, 0, PaceSpan(mean=1.25)))


def test_mean_and_largest_deal_and_the_one_that_99_of_100_do_not_exceed() -> None:
    found = share([float(number) for number in range(1, 101)])  # mean 50.5, the 99th is 99
    assert found == BankShare("prsi", 2, 100, 50.5, 99.0, 100.0, 1.25)
    assert str(found) == (
        "prsi at 2 seats: 50% of the bank; reference ms a deal: 50.5 of 100, "
        "99 of 100 deals up to 99.0, the largest 100.0; pace of the host 1.25"
    )


def test_who_has_played_no_deal_has_used_no_share() -> None:
    assert share([]) is None
    assert warn_of_share([]) == ""


def test_it_warns_from_half_of_the_bank_and_names_the_largest_share() -> None:
    below, half, more = (BankShare("prsi", 2, 100, mean, 0, 0, 1) for mean in (49.9, 50.0, 80.0))
    assert warn_of_share([below]) == ""
    assert warn_of_share([below, half]).startswith("warning: it used 50% of its bank in prsi at 2 seats")
    assert "80% of its bank" in warn_of_share([half, more, below])


def test_blocks_are_summed_up_without_their_deals() -> None:
    """A bank of 50 ms; 197 deals of 5 ms (10 %), then 15.2, 15.5 and 24 ms: 30.4, 31 and 48 % of it.

    On average (985 + 54.7) / 200 = 5.1985 ms, 10 %. Two of 200 deals are the one of a hundred that may have
    used more, and the next below them, 15.2 ms, counts as the 31 % that were begun: 15.5 ms. The hosts' pace
    is (150 · 1 + 50 · 1.16) / 200 = 1.04.
    """
    one, two, both = BankTally(), BankTally(), BankTally()
    one.add_deals([24.0, *[5.0] * 149], 50, 1.0)
    two.add_deals([*[5.0] * 48, 15.2, 15.5], 50, 1.16)
    for tally in (one, two, BankTally()):
        both.add(tally)
    assert both.percents == {10: 197, 31: 2, 48: 1}
    assert both.share("mau_mau", 2) == BankShare("mau_mau", 2, 50, 5.2, 15.5, 24.0, 1.04)


def test_what_99_of_100_deals_did_not_exceed_is_never_more_than_the_largest() -> None:
    tally = BankTally()
    tally.add_deals([0.2, 0.3], 100, 1.0)  # both within the first percent
    assert tally.share("prsi", 2) == BankShare("prsi", 2, 100, 0.25, 0.3, 0.3, 1.0)


def test_a_tally_stays_small_whatever_is_told() -> None:
    tally = BankTally()
    tally.add_deals([float(10**number) for number in range(300)], 100, 1.0)
    assert tally.percents == {1: 1, 10: 1, 100: 1, 1000: 297}


def test_each_of_several_bots_has_a_line_and_a_warning_from_half_of_its_bank() -> None:
    used = BankShare("mau_mau", 2, 100, 12.1, 31.0, 48.2, 1.04)
    (line,) = say_share("my-bot", used)
    assert line == (
        "bank: my-bot used 12% on average, up to 31% in 99 of 100 deals, 48% at most "
        "(mau_mau, 2 seats; host pace 1.04)"
    )
    _, warning = say_share("my-bot", BankShare("mau_mau", 2, 100, 50.0, 80.0, 90.0, 1.0))
    assert warning == (
        "warning: my-bot used 50% of its bank in mau_mau at 2 seats, 50 of 100 reference ms a deal; "
        "a spent bank is a fault"
    )
    assert list(say_share("my-bot", None)) == []


def test_validation_says_the_share_by_rules_and_seats(validate, submit):
    report = validate(submit("good", TOML))
    assert report.ok, report.words
    assert [(each.rules, each.seats, each.deal_ms) for each in report.bank] == [
        ("prsi", 2, 100),
        ("prsi", 3, 100),
    ]
    assert all(0 < each.mean_ms <= each.p99_ms <= each.largest_ms for each in report.bank)
    assert "prsi at 2 seats: " in report.log
    assert "pace of the host" in report.log


def test_a_refusal_for_time_says_where_and_how_much_of_how_much(validate, submit):
    report = validate(submit("spends", TOML))
    assert not report.ok
    spent = r"time: its bank of CPU time is spent: [12],\d{3} of 1,000 reference ms"
    said = rf"in prsi at 2 seats, seating 0, set \d: {spent}"
    assert re.match(said, report.words), report.words
