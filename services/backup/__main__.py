"""python -m services.backup: the process behind `maumau admin backup`, `restore` and `backups`."""

from services.backup.app import main

if __name__ == "__main__":
    main()
