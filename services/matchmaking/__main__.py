from maumau.cli.start import Importing

if __name__ == "__main__":
    with Importing():
        from services.matchmaking.app import bind
        from services.shared.server import run
    run(bind, "matchmaking")
