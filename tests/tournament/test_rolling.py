"""An arena is upgraded in the middle of a cup: replicas of two versions, with different tables, play it."""

import shutil
from pathlib import Path

import pytest
from sqlalchemy import inspect

from bench.support.lab import Lab
from tests.support.arenas.cup import OURS, QUICK, Cup

pytestmark = pytest.mark.long

ROOT = Path(__file__).parents[2]
SOME = 3  # blocks that are played between two steps
NEXT = '''
"""what the next version adds: a column to each table, which this version does not fill, and a table"""
import sqlalchemy as sa
from alembic import op

revision, down_revision = "9001", {last!r}


def upgrade():
    tables = sa.inspect(op.get_bind()).get_table_names(schema={service!r})
    for table in set(tables) - {{"alembic_version"}}:
        op.add_column(table, sa.Column("later", sa.Integer(), nullable=False, server_default="7"))
    op.create_table("later", sa.Column("id", sa.Integer(), primary_key=True))
'''


@pytest.fixture
def next_version(tmp_path):
    """Return the folder of a version with one more migration."""
    folder = tmp_path / "next"
    for name in ("maumau", "services"):
        shutil.copytree(ROOT / name, folder / name, ignore=shutil.ignore_patterns("__pycache__"))
    for service in ("registry", "tournament"):
        versions = folder / "services" / service / "migrations/versions"
        last = max(file.name.split("_")[0] for file in versions.glob("[0-9]*.py"))
        (versions / "9001_later.py").write_text(NEXT.format(last=last, service=service))
    return folder


def test_a_cup_ends_as_ever_while_its_arena_is_upgraded(next_version, undisturbed, tmp_path):
    with Lab("postgresql", tmp_path / "lab", replicas=2, **OURS, **QUICK) as lab:
        cup = Cup(lab)

        def upgrade(name):
            lab.stop(name)
            lab.checkouts[name] = next_version
            lab.start(name)

        def columns(table):
            with lab.database.engine.connect() as connection:
                return {one["name"] for one in inspect(connection).get_columns(table)}

        cup.play(SOME, *lab.replicas)
        assert cup.workers["tournament"].claim(wait=5.0)  # and never reported
        assert "later" not in columns("block")
        upgrade("tournament-2")
        assert "later" in columns("block")
        assert cup.play(SOME, *lab.replicas)
        lab.kill("tournament")
        lab.start("tournament")  # as it was, with the tables of the next version
        assert cup.play(SOME, *lab.replicas)
        upgrade("registry")
        upgrade("tournament")
        assert cup.play(SOME, *lab.replicas)
        lab.checkouts.clear()  # the upgrade is taken back
        for name in ("tournament-2", "registry", "tournament"):
            lab.stop(name)
            lab.start(name)
        assert cup.finish() == undisturbed
    log = (lab.folder / "tournament.log").read_text()
    assert "the tables are those of a later version" in log
    assert "Traceback" not in log
