from maumau.cli.start import Importing

if __name__ == "__main__":
    with Importing():
        from services.shared.server import run
        from services.tournament.app import bind
    run(bind, "tournament")
