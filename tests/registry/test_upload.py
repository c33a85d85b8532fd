"""Uploads: whole or not at all, and every bad one refused in words."""

import asyncio
import os
import stat
import threading
import zipfile
from io import BytesIO

import pytest

from bench.support.patience import patient
from maumau import errors
from maumau.sandbox.files import offer
from maumau.submission import package
from maumau.v1 import registry_pb2 as pb
from services.registry.intake import upload
from services.shared.base import settings as setting
from tests.support.kinds import one_of

MIB = 1024 * 1024


def test_a_program_arrives_as_it_was_sent(registry, submitted, program, tmp_path):
    archive = program()
    author, _, version = submitted(archive)
    assert (version.number, version.state) == (1, pb.VERSION_STATE_UPLOADED)
    for client in (author, registry.worker):
        found = package.unpack_archive(client.fetch(version.sha256), tmp_path / client.token)
        assert found.sha256 == version.sha256
    with zipfile.ZipFile(BytesIO(archive)) as sent:
        assert (tmp_path / author.token / "bot.py").read_bytes() == sent.read("bot.py")


def test_the_manifest_s_rules_and_seats_are_known_at_once(submitted, program):
    manifest = 'name = "bot"\nrun = ["python3", "bot.py"]\nrules = ["prsi"]\nseats = [2, 3]\n'
    _, _, version = submitted(program(manifest=manifest))
    assert (list(version.rules), list(version.seats)) == (["prsi"], [2, 3])


def test_the_same_bytes_again_are_the_same_version(submitted, program):
    archive = program()
    author, name, version = submitted(archive)
    again = author.submit(name, archive)
    assert (again.version.id, again.known) == (version.id, True)
    other = author.submit(name, program())
    assert (other.version.number, other.known) == (2, False)


def test_the_same_bytes_of_another_author_are_a_version_of_its_own(registry, submitted, program):
    archive = program()
    (_, _, first), before = submitted(archive), len(registry.files())
    other, _, second = submitted(archive)
    assert first.id != second.id
    assert first.sha256 == second.sha256
    assert len(registry.files()) == before
    assert other.fetch(second.sha256) == registry.worker.fetch(first.sha256)


def test_versions_sent_at_the_same_time_have_numbers_of_their_own(registry, program):
    author, versions = registry.author(), []
    archives = [program(str(n)) for n in range(4)] * 2

    def send(archive):
        versions.append(author.submit("many-at-once-" + author.name, archive).version)

    threads = [threading.Thread(target=send, args=(archive,)) for archive in archives]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(versions) == 8
    assert {version.number for version in versions} == {1, 2, 3, 4}
    assert len({version.id for version in versions}) == 4


def test_an_upload_for_someone_else_s_bot_is_refused_before_its_bytes(registry, submitted, parts, program):
    _, name, _ = submitted()
    header = next(parts(name, program()))
    with pytest.raises(errors.NotYours, match=name):
        registry.author().send([header])


def _hostile_path():
    return {"../outside.py": "x"}


def _ten_thousand():
    return {f"f{n}": "" for n in range(10_000)}


def _bomb():
    return {"bomb": b"\0" * (65 * MIB)}


@pytest.mark.long
@pytest.mark.parametrize(
    ("files", "error"),
    one_of(
        2,
        [
            (_hostile_path, errors.UnsafePath),
            (_ten_thousand, errors.TooManyMembers),
            (_bomb, errors.TooLargeUnpacked),
        ],
    ),
)
def test_a_hostile_zip_is_refused_and_leaves_nothing(registry, program, files, error):
    buffer = BytesIO(program())
    with zipfile.ZipFile(buffer, "a", zipfile.ZIP_DEFLATED) as archive:
        for name, content in files().items():
            archive.writestr(name, content)
    _refused(registry, buffer.getvalue(), error)


def test_a_symlink_is_refused(registry, program):
    buffer = BytesIO(program())
    with zipfile.ZipFile(buffer, "a") as archive:
        link = zipfile.ZipInfo("link")
        link.create_system, link.external_attr = 3, (stat.S_IFLNK | 0o777) << 16
        archive.writestr(link, "/etc/passwd")
    _refused(registry, buffer.getvalue(), errors.ForbiddenMember)


def test_what_is_no_submission_is_refused(registry, program):
    _refused(registry, b"this is no zip", errors.UnreadableArchive)
    _refused(registry, program()[:-30], errors.UnreadableArchive)
    _refused(registry, program(manifest=None), errors.NoManifest)
    _refused(registry, program(manifest="run = 3"), errors.BadManifest)
    _refused(
        registry, program(manifest='name="bb"\nrun=["x"]\nrules=["bridge"]'), errors.BadManifest, "mau_mau"
    )


def _refused(registry, archive, error, words="."):
    author, before = registry.author(), registry.files()
    with pytest.raises(error, match=words):
        author.submit("refused-" + author.name, archive)
    assert registry.files() == before
    assert not author.ListBots(mine=True).bots


def test_an_upload_that_is_too_large_is_refused_by_its_header(registry, parts):
    author = registry.author()
    header = next(parts("too-large", b"", size=8 * MIB + 1))
    with pytest.raises(errors.UploadTooLarge, match="8,388,608"):
        author.send([header])


@pytest.mark.parametrize(
    ("told", "error", "words"),
    [
        ({"size": 10}, errors.UploadCutOff, "More bytes"),
        ({"size": 5 * MIB}, errors.UploadCutOff, "of 5,242,880 bytes came"),
        ({"upload_sha256": "0" * 64}, errors.UploadCutOff, "differ"),
        ({"upload_sha256": "zz"}, errors.BadRequest, "64 hex digits"),
        ({"size": 0}, errors.BadRequest, "size 0"),
        ({"bot_name": "No Name"}, errors.BadName, "2 to 40"),
    ],
)
def test_an_upload_that_is_not_what_its_header_says_leaves_nothing(registry, program, told, error, words):
    author, before = registry.author(), registry.files()
    with pytest.raises(error, match=words):
        author.submit("wrong-header", program(), **told)
    assert registry.files() == before


def test_an_upload_out_of_order_is_refused(registry, parts, program):
    author = registry.author()
    header, chunk = list(parts("disorder", program()))
    large = pb.SubmitVersionRequest(chunk=b"x" * (64 * 1024 + 1))
    big_header = next(parts("disorder", os.urandom(100_000)))
    for messages in ([], [chunk], [header, header], [big_header, large], [pb.SubmitVersionRequest()]):
        with pytest.raises(errors.BadRequest):
            author.send(messages)


def test_an_upload_cut_off_in_the_middle_leaves_nothing(registry, parts, until):
    """The caller's connection ends while the registry waits for the next chunk."""
    author, before = registry.author(), registry.files()
    broken = registry.metric("uploads_total", outcome="broken")
    first_sent, go_on = threading.Event(), threading.Event()

    def trickle():
        messages = parts("cut-off", os.urandom(MIB))
        yield next(messages)
        yield next(messages)
        first_sent.set()
        go_on.wait(patient(10))

    call = author.stub.SubmitVersion.future(trickle())
    assert first_sent.wait(patient(10))
    until(lambda: registry.files() != before)  # the temporary file
    call.cancel()
    go_on.set()
    until(lambda: registry.files() == before)
    until(lambda: registry.metric("uploads_total", outcome="broken") == broken + 1)
    assert not author.ListBots(mine=True).bots


@pytest.mark.parametrize("steps", range(6))
def test_an_upload_given_up_at_any_step_leaves_nothing(steps, tmp_path):
    """As many steps of the event loop as `steps`, then its caller is gone."""

    async def take():
        async with upload.receive_file(_each(b"x"), upload.Promise(2, "0" * 64), tmp_path):
            pass

    async def give_up():
        call = asyncio.create_task(take())
        for _ in range(steps):
            await asyncio.sleep(0)
        call.cancel()
        await asyncio.wait([call])

    asyncio.run(give_up())  # it ends when its threads have ended
    assert not list(tmp_path.iterdir())


async def _each(*chunks):
    for chunk in chunks:
        yield chunk


def test_an_artifact_that_nobody_submitted_is_unknown(registry):
    for sha256 in ("0" * 64, "../../registry.db", ""):
        with pytest.raises(errors.UnknownArtifact):
            registry.worker.fetch(sha256)


def test_uploads_are_counted_by_how_they_ended(registry, submitted, program):
    def counts():
        return [registry.metric("uploads_total", outcome=one) for one in ("stored", "known", "refused")]

    before, taken = counts(), registry.metric("upload_bytes_total")
    archive = program()
    author, name, _ = submitted(archive)
    author.submit(name, archive)
    with pytest.raises(errors.NoManifest):
        author.submit(name, program(manifest=None))
    assert [now - then for now, then in zip(counts(), before, strict=True)] == [1, 1, 1]
    assert registry.metric("upload_bytes_total") == taken + 2 * len(archive)


def test_a_runtime_that_is_not_offered_is_refused_with_the_list(submitted, program, monkeypatch, registry):
    monkeypatch.setattr(offer, "_find_home", lambda name: None if name == "go" else offer.SYSTEM)
    before = len(registry.files())
    manifest = 'name = "bot"\nrun = ["./bot"]\nruntime = "{}"\n'
    with pytest.raises(errors.MissingRuntime, match="go is not offered here: go was not found in /usr/bin"):
        submitted(program(manifest=manifest.format("go")))
    assert len(registry.files()) == before
    submitted(program(manifest=manifest.format("bash")))


def test_what_workers_offer_can_be_said_where_the_registrys_machine_is_another():
    assert offer.missing_among("go", ["go", "java"]) == ""
    assert offer.missing_among("python", []) == ""
    said = "the runtime node is not offered here; offered are python, native, go, java"
    assert offer.missing_among("node", ["java", "go"]) == said
    assert setting.Settings.read({"MAUMAU_RUNTIMES": "java, go"}).runtimes == "java go"
    with pytest.raises(errors.BadSetting, match="it is a list of python, native, node"):
        setting.Settings.read({"MAUMAU_RUNTIMES": "cobol"})


def test_an_upload_without_a_header_is_not_waited_for_for_ever(registry, monkeypatch):
    monkeypatch.setattr("services.registry.wire.HEADER_SECONDS", 0.2)
    never = threading.Event()

    def messages():
        never.wait(patient(20))
        yield from ()

    with pytest.raises(errors.UploadCutOff, match="header did not come"):
        registry.author().send(messages())
    never.set()
