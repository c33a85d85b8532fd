from maumau.cli.start import Importing

if __name__ == "__main__":
    with Importing():
        from services.supervisor.app import main
    main()
