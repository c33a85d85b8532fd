"""python -m services.backup: what `maumau admin backup`, `restore` and `backups` start."""

from services.backup.app import main

if __name__ == "__main__":
    main()
