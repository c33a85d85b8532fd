"""`python -m services.engine`: a process of this service."""

from maumau.process.importing import Importing

if __name__ == "__main__":
    with Importing():
        from services.engine.app import bind
        from services.shared.process.server import run
    run(bind, "engine")
