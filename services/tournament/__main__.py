from services.shared.server import run
from services.tournament.app import bind

run(bind, "tournament")
