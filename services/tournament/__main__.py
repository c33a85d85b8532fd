from maumau.cli.start import importing

if __name__ == "__main__":
    with importing():
        from services.shared.server import run
        from services.tournament.app import bind
    run(bind, "tournament")
