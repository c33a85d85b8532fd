from maumau.cli.start import importing

if __name__ == "__main__":
    with importing():
        from services.registry.app import bind
        from services.shared.server import run
    run(bind, "registry")
