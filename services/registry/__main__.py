from services.registry.app import bind
from services.shared.server import run

run(bind, "registry")
