from maumau.cli.start import importing

if __name__ == "__main__":
    with importing():
        from services.supervisor.app import main
    main()
