"""python -m services.dump: the process behind `maumau admin dump`."""

from services.dump.app import main

if __name__ == "__main__":
    main()
