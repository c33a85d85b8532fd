from services.shared.migrate import run

run()
