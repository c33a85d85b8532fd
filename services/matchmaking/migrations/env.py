from services.shared.store.migrate import run

run()
