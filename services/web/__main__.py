"""`python -m services.web`: a process of this service."""

from maumau.process.importing import Importing

if __name__ == "__main__":
    with Importing():
        from services.web.app import main
    main()
