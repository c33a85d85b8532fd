"""Stages of a contest from flags."""

from __future__ import annotations

import pytest

from maumau.cli.contest.spec import Flags, spec_text
from maumau.contest.format import FORMATS
from maumau.contest.spec.spec import parse_spec


@pytest.mark.parametrize("name", FORMATS)
def test_every_format_can_be_a_stage_by_its_name(name: str) -> None:
    spec = parse_spec(spec_text(None, Flags(name="cup", rules="prsi", stages=[name, "single_elimination"])))
    assert [(stage.format, stage.seeds) for stage in spec.stages] == [
        (name, "entry"),
        ("single_elimination", "previous"),
    ]
    usual = FORMATS[name].usual
    assert {key: spec.stages[0].shown[key] for key in usual} == usual
