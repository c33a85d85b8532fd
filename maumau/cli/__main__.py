"""`python -m maumau.cli`: the command `maumau`."""

from maumau.cli.start import main

if __name__ == "__main__":
    main()
