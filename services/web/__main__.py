from maumau.cli.start import Importing

if __name__ == "__main__":
    with Importing():
        from services.web.app import main
    main()
