"""`python -m services.tournament`: a process of this service."""

from maumau.process.importing import Importing

if __name__ == "__main__":
    with Importing():
        from services.shared.process.server import run
        from services.tournament.app import bind
    run(bind, "tournament")
