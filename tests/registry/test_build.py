"""Results of a build step: trusted senders, and the parts that are taken."""

import hashlib

import pytest

from maumau import errors
from maumau.client.call import rpc_errors
from maumau.protocol.limit import BUILT
from maumau.submission import package
from maumau.v1 import registry_pb2 as pb
from services.registry.intake import build

HERE = "x86_64-cpython-311"
MANIFEST = 'name = "bot"\nbuild = ["python3", "make.py"]\nrun = ["python3", "bot.py"]\n'


@pytest.fixture
def built(program):
    """Return the archive of a build: `built("one")`."""
    return lambda mark, **more: program(mark, **{"manifest": MANIFEST} | more)


@pytest.fixture
def claimed(registry, submitted, program):
    """Return a submission with a build step whose validation a worker has: its author, version and claim."""

    def claim(archive=None):
        author, _, version = submitted(archive or program(manifest=MANIFEST))
        return author, version, _claim(registry, version)

    return claim


def _claim(registry, version, platform=HERE):
    return registry.worker.ClaimValidation(version_id=version.id, worker="w", platform=platform)


def _upload(client, version, claim, archive, **header):
    digest = hashlib.sha256(archive).hexdigest()
    fields = {"size": len(archive), "upload_sha256": digest, "fence": claim.fence, "platform": HERE} | header
    head = pb.UploadBuildRequest(header=pb.UploadBuildHeader(version_id=version.id, **fields))
    with rpc_errors():
        return client.stub.UploadBuild(iter([head, pb.UploadBuildRequest(chunk=archive)])).built_sha256


def _pass(registry, version, claim):
    registry.worker.SubmitValidation(version_id=version.id, fence=claim.fence, ok=True)


@pytest.mark.long
@pytest.mark.stores
def test_a_version_has_one_build(registry, claimed, built):
    author, version, claim = claimed()
    sha256 = _upload(registry.worker, version, claim, built("one"))
    assert _upload(registry.worker, version, claim, built("one")) == sha256
    stored = registry.files()
    with pytest.raises(errors.WrongState, match=f"built before, with the content hash {sha256}"):
        _upload(registry.worker, version, claim, built("two"))
    assert registry.files() == stored
    _pass(registry, version, claim)
    now = author.GetVersion(version_id=version.id).version
    assert (now.built_sha256, now.built_platform) == (sha256, HERE)
    assert registry.worker.fetch(sha256) == author.fetch(sha256)
    with pytest.raises(errors.NotYours):
        registry.author().fetch(sha256)


def test_only_the_worker_that_validates_a_version_uploads_its_build(registry, claimed, built):
    author, version, claim = claimed()
    with pytest.raises(errors.NotAllowed):
        _upload(author, version, claim, built("one"))
    with pytest.raises(errors.StaleFence):
        _upload(registry.worker, version, claim, built("one"), fence=claim.fence + 1)
    _pass(registry, version, claim)
    with pytest.raises(errors.StaleFence):
        _upload(registry.worker, version, claim, built("one"))
    assert not author.GetVersion(version_id=version.id).version.built_sha256


def test_a_build_that_is_cut_or_malformed_leaves_nothing(registry, claimed, built, monkeypatch):
    _, version, claim = claimed()
    left, whole = registry.files(), built("one")
    refused = [
        (errors.UploadCutOff, "bytes came", whole, {"size": len(whole) + 1}),
        (errors.UploadCutOff, "differ", whole, {"upload_sha256": "0" * 64}),
        (errors.UnreadableArchive, "not a valid zip", whole[:-30], {}),
        (errors.BadSubmission, "another bot.toml", built("one", manifest=MANIFEST + "seats = [2]\n"), {}),
        (errors.NoManifest, "bot.toml is missing", built("one", manifest=None), {}),
        (errors.UploadTooLarge, "67,108,864", whole, {"size": BUILT.packed + 1}),
        (errors.BadRequest, "platform", whole, {"platform": "../x"}),
    ]
    for kind, words, archive, header in refused:
        with pytest.raises(kind, match=words):
            _upload(registry.worker, version, claim, archive, **header)
    monkeypatch.setattr(build, "BUILT", type(BUILT)(members=1))
    with pytest.raises(errors.TooManyMembers):
        _upload(registry.worker, version, claim, whole)
    assert registry.files() == left


def test_a_version_is_built_under_a_name_that_is_refused_by_now(
    registry, claimed, built, program, monkeypatch
):
    manifest = MANIFEST.replace("bot", "c", 1)
    with monkeypatch.context() as earlier:
        earlier.setattr(package, "check_name", lambda manifest: None)
        _, version, claim = claimed(program(manifest=manifest))
    assert _upload(registry.worker, version, claim, built("one", manifest=manifest))


def test_a_program_without_a_build_step_has_no_build(registry, claimed, program):
    _, version, claim = claimed(program("plain"))
    with pytest.raises(errors.BadSubmission, match="no build step"):
        _upload(registry.worker, version, claim, program("plain"))


def test_equal_submissions_of_one_account_are_built_once(registry, claimed, built, program, submitted):
    archive = program("equal", manifest=MANIFEST)
    author, version, claim = claimed(archive)
    sha256 = _upload(registry.worker, version, claim, built("one"))
    again = author.submit(f"{version.bot_name}-2", archive).version
    assert _claim(registry, again).built_sha256 == sha256
    elsewhere = author.submit(f"{version.bot_name}-3", archive).version
    assert not _claim(registry, elsewhere, "arm64-cpython-311").built_sha256
    _, _, strange = submitted(archive)
    assert not _claim(registry, strange).built_sha256


@pytest.mark.long
def test_a_version_that_is_validated_again_keeps_its_build(registry, claimed, built):
    """And workers of another platform do not get it."""
    author, version, claim = claimed()
    sha256 = _upload(registry.worker, version, claim, built("one"))
    _pass(registry, version, claim)
    author.ActivateVersion(version_id=version.id)
    registry.worker.SuspendVersion(version_id=version.id, words="it crashed")
    assert not _claim(registry, version, "arm64-cpython-311").claimed
    assert _claim(registry, version).built_sha256 == sha256
