"""`python -m services.worker`: a process of this service."""

from maumau.process.importing import Importing

if __name__ == "__main__":
    with Importing():
        from services.worker.app import main
    main()
