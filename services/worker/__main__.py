from maumau.cli.start import importing

if __name__ == "__main__":
    with importing():
        from services.worker.app import main
    main()
