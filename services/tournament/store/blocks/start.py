"""Ends of jobs at the claim of their first block, before anything of them was played."""

from sqlalchemy import select
from sqlmodel import col

from services.shared.store.connect import Database
from services.tournament.models import Block, Job
from services.tournament.store.blocks.drop import drop_block, end_jobs
from services.tournament.store.blocks.queue import HeldBlock, lock_block, lock_contest, note_change


class Starts:
    """Jobs of which a first block was just claimed."""

    def __init__(self, database: Database) -> None:
        self.database = database

    def end_unbegun(self, held: HeldBlock, words: str) -> bool:
        """End the job of a claimed block, with the reason; return False if it has begun or is over."""
        with self.database.write() as session:
            contest = lock_contest(session, held.id)
            job = session.get_one(Job, held.job_id, with_for_update=True)
            block = lock_block(session, held.id)
            if (block.state, block.fence) != ("claimed", held.fence) or job.state == "over":
                return False
            others = select(col(Block.id)).where(col(Block.job_id) == job.id, col(Block.fence) > 0)
            if session.scalar(others.where(col(Block.id) != block.id).limit(1)):
                return False
            drop_block(session, block)
            end_jobs(session, [job.id])
            job.state, job.words = "over", words
            note_change(contest, job)
            return True
