"""Submissions of one account take no memory from the runtimes of another one's programs."""

import io
import shutil
import zipfile

import pytest

from bench.support.lab import Lab
from maumau.client.arena import Arena
from maumau.protocol.limit import UploadLimits
from maumau.submission.package import pack_submission
from maumau.templates import folder
from maumau.v1 import registry_pb2, registry_pb2_grpc
from tests.support.arenas.calls import Calls
from tests.support.arenas.cup import OURS, QUICK
from tests.support.arenas.embedded import own_mounts
from tests.support.waiting import until
from tests.worker.house_cup import working

pytestmark = pytest.mark.long

MIB = 1 << 20
COMPOSE = 'mount -t tmpfs -o size=768m,mode=1777 tmpfs /dev/shm && exec "$@"'  # as in docker-compose.yml
UPLOADS = 10  # more unpacked bytes than /dev/shm has room for beside the images
GREAT = UploadLimits().unpacked - 2 * MIB


def pack_great(name):
    """Return a program of some 60 KiB with as many bytes as any may have, which ends at once."""
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("bot.toml", f'name = "{name}"\nrun = ["python3", "bot.py"]\n')
        archive.writestr("bot.py", "")
        archive.writestr("zeros.bin", bytes(GREAT))
    return buffer.getvalue()


def open_account(lab, name):
    """Return the client of a new account."""
    stub = registry_pb2_grpc.RegistryServiceStub
    token = Calls(lab.addresses["registry"], "", registry_pb2, stub).CreateAccount(name=name).token
    return Arena(lab.addresses["registry"], lab.addresses["tournament"], token)


def submit(client, name, packed):
    """Return the settled version."""
    version = client.submit(name, packed).version
    return until(lambda: (found := client.version(version.id)).settled and found, 120)


def test_an_account_that_uploads_what_it_may_leaves_room_for_the_runtimes_of_others(tmp_path, not_tested):
    if shutil.which("node") is None:
        not_tested("node", "there is no node")
    try:
        around = [*own_mounts(), "sh", "-c", COMPOSE, "sh"]
    except OSError as error:
        not_tested("a /dev/shm as in a container", f"nothing can be mounted ({error})")
    with Lab("sqlite", tmp_path / "lab", **OURS, **QUICK) as lab:
        greedy, honest = open_account(lab, "greedy-author"), open_account(lab, "honest-author")
        with (
            greedy,
            honest,
            working(lab, tmp_path / "w", around, sandbox="bwrap", image="required") as worker,
        ):
            memory = f"/proc/{worker.pid}/root/dev/shm"
            assert submit(greedy, "great", pack_great("great")).state == "refused"
            used = shutil.disk_usage(memory).used
            for number in range(UPLOADS):
                submit(greedy, f"great-{number}", pack_great(f"great-{number}"))
            assert shutil.disk_usage(memory).used == used
            found = submit(honest, "my-bot", pack_submission(folder("node")).archive)
            assert (found.state, found.reason) == ("active", "")
            assert shutil.disk_usage(memory).used > used  # the image of Node.js has come
