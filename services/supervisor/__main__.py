"""`python -m services.supervisor`: the process that starts and watches the services of an arena."""

from maumau.process.importing import Importing
from services.supervisor.process.forked import ForkServer

if __name__ == "__main__":
    server = ForkServer()  # imports what the services need while this process imports its own
    with Importing():
        from services.supervisor.app import main
    main(server)
