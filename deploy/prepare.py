"""Prepares an arena on this host, and workers on other hosts: deploy/README.md.

    python3 -m deploy.prepare arena arena.example    secrets, certificates and the folder of backups
    python3 -m deploy.prepare host host-2            what the host host-2 needs, in deploy/hosts/host-2.tar

Run it as root in the checkout: keys belong to the users of the images. It needs Python, openssl and, for
hosts, the arena that runs. What is there stays as it is; the command says so and makes what is missing.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import subprocess
import sys
import tarfile
import tempfile
from pathlib import Path

from deploy import arena_env, pin_images
from deploy.certificates import (
    ARENA_USER,
    INNER_NAMES,
    REDIS_USER,
    PreparationError,
    belong_together,
    give_key,
    is_address,
    is_signed_by,
    issue_certificate,
    make_authority,
    read_expiry,
    read_names,
)

ROOT = Path(__file__).resolve().parents[1]
DEPLOY = ROOT / "deploy"
ENV, EXAMPLE = DEPLOY / "arena.env", DEPLOY / "arena.env.example"
TLS, KEYS, HOSTS = DEPLOY / "tls", DEPLOY / "authority", DEPLOY / "hosts"
ARENA_AUTHORITY = (TLS / "ca.pem", KEYS / "arena.key")
HOSTS_AUTHORITY = (TLS / "workers.pem", KEYS / "hosts.key")
PAIR = (TLS / "cert.pem", TLS / "key.pem", TLS / "broker.key")
HOST_LABEL = re.compile(r"[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?", re.IGNORECASE | re.ASCII)
MAX_NAME_LENGTH = 60
"""Of a host: its token has the name as label, and its certificate as common name."""
COMPOSE = ("docker", "compose", "--env-file", "deploy/arena.env")
CREATION = (  # of a token, in the container of the registry
    'MAUMAU_TOKEN="$MAUMAU_ADMIN_TOKEN" exec maumau token create --json --scope worker --days 365'
    ' --arena https://registry:7101,7102,7103,7104 --label "$0"'
)


def main() -> None:
    """Exit 1 with a sentence on a refusal."""
    parser = argparse.ArgumentParser(prog="python3 -m deploy.prepare", description=__doc__)
    parser.formatter_class = argparse.RawDescriptionHelpFormatter
    parser.add_argument("what", choices=["arena", "host"])
    parser.add_argument("name", help="of the arena's host as others reach it, or of the host of workers")
    options = parser.parse_args()
    os.umask(0o077)  # permissions of others are set file by file
    try:
        check_name(options.name)
        check_user()
        {"arena": prepare_arena, "host": prepare_host}[options.what](options.name)
    except (PreparationError, OSError) as error:
        sys.exit(f"error: {error}")


def check_name(name: str) -> None:
    """Raise PreparationError unless the name can be used in a certificate and in an address."""
    if name.lower() in INNER_NAMES:
        raise PreparationError(
            f"{name} is a name within the arena; give the name by which other hosts reach this one"
        )
    if is_address(name):
        if ":" in name:
            raise PreparationError(f"{name} is an IPv6 address; give a name for it, which all addresses know")
        return
    if name.replace(".", "").isdigit():
        raise PreparationError(f"{name} is not the name of a host, and no IP address either")
    if len(name) > MAX_NAME_LENGTH or not all(HOST_LABEL.fullmatch(part) for part in name.split(".")):
        raise PreparationError(
            f"{name} is not the name of a host: at most {MAX_NAME_LENGTH} letters, digits, hyphens and dots,"
            " such as arena.example, without https:// and without a port"
        )


def check_user() -> None:
    """Raise PreparationError unless run by root, which alone can give files to other users."""
    if os.geteuid():
        raise PreparationError("run it as root: the keys belong to users of the images")


def report_file(path: Path, words: str) -> None:
    sys.stdout.write(f"{path.relative_to(ROOT)}: {words}\n")


def prepare_arena(host: str) -> None:
    """Create the missing parts; refuse files of another host."""
    _write_settings(host)
    _make_authorities()
    settings = arena_env.read_settings(ENV)
    if wrong := arena_env.contradictions(settings, arena_env.read_settings(EXAMPLE)):
        raise PreparationError("\n  ".join(["deploy/arena.env contradicts itself or this host:", *wrong]))
    _make_backups()
    _issue_for_services(host)
    _issue_for_own_workers(settings)
    _pin_images(settings)
    if arena_env.is_reached_in_plain_text(settings):
        report_file(ENV, f"other hosts reach services that speak plain text: add {arena_env.TLS}")


def _make_backups() -> None:
    folder = ROOT / arena_env.read_settings(ENV).get("BACKUPS", "backups")
    if not folder.exists():
        folder.mkdir(mode=0o700, parents=True)
        os.chown(folder, ARENA_USER, ARENA_USER)
        sys.stdout.write(f"{folder}: made; a disk of its own is better (BACKUPS in arena.env)\n")
    elif folder.stat().st_uid != ARENA_USER:
        raise PreparationError(f"{folder} is not the arena's: chown {ARENA_USER} {folder}")
    elif folder.stat().st_mode & 0o077:
        raise PreparationError(
            f"{folder} is open to others, and backups have the secrets of contests: chmod 700 {folder}"
        )


def _write_settings(host: str) -> None:
    if ENV.exists():
        known = arena_env.read_settings(ENV).get("ARENA_HOST")
        if not known:
            raise PreparationError(
                "deploy/arena.env has no ARENA_HOST: it was made by hand; add ARENA_HOST and COMPOSE_FILE, or"
                " move it away"
            )
        if known != host:
            raise PreparationError(
                f"deploy/arena.env was made for {known}, not for {host}; use that name, or move it away"
            )
        _add_settings(arena_env.read_settings(ENV))
        return
    arena_env.write_settings(EXAMPLE, arena_env.arena_settings(EXAMPLE, host), ENV)
    report_file(ENV, "written, with fresh secrets")


def _add_settings(given: dict[str, str]) -> None:
    """Add the settings that the arena's version lacked, and report the consequences."""
    added = arena_env.find_missing(given)
    if not added:
        report_file(ENV, "is there and stays as it is")
        return
    arena_env.add_settings(ENV, added)
    report_file(ENV, f"is there; added are {', '.join(sorted(added))}")
    if "PAGES_ADDRESS" in added:
        report_file(ENV, "the pages are reached from this host alone now; PAGES_ADDRESS=0.0.0.0 opens them")


def _make_authorities() -> None:
    TLS.mkdir(exist_ok=True)
    TLS.chmod(0o755)  # containers read it as users of their own
    KEYS.mkdir(mode=0o700, exist_ok=True)
    for name, (certificate, key) in (("Arena", ARENA_AUTHORITY), ("hosts", HOSTS_AUTHORITY)):
        if certificate.exists():
            report_file(certificate, "is there and stays as it is")
            continue
        if key.exists():
            raise PreparationError(
                f"{key.relative_to(ROOT)} is there without {certificate.relative_to(ROOT)}: put that back"
                " from where a copy is, or begin anew with rm -r deploy/tls deploy/authority"
            )
        make_authority(f"Maumau {name}", key, certificate)
        report_file(certificate, f"made; its key, {key.relative_to(ROOT)}, is better kept off this host")


def _issue_for_services(host: str) -> None:
    there = [path.name for path in PAIR if path.exists()]
    anew = f"rm -f {' '.join(str(path.relative_to(ROOT)) for path in PAIR)}, then run this again"
    if not there:
        _need_key(ARENA_AUTHORITY[1])
        issue_certificate("arena", ARENA_AUTHORITY, TLS, (*INNER_NAMES, host))
        PAIR[2].write_bytes(PAIR[1].read_bytes())
        give_key(PAIR[2], REDIS_USER)
    elif len(there) < len(PAIR):
        raise PreparationError(f"deploy/tls has only {' and '.join(there)} of the pair: {anew}")
    if not is_signed_by(PAIR[0], ARENA_AUTHORITY[0]):
        raise PreparationError(f"deploy/tls/cert.pem was not signed by deploy/tls/ca.pem: {anew}")
    if not all(belong_together(PAIR[0], key) for key in PAIR[1:]):
        raise PreparationError(f"the keys in deploy/tls are not those of cert.pem: {anew}")
    for key, user in zip(PAIR[1:], (ARENA_USER, REDIS_USER), strict=True):
        give_key(key, user)
    if host not in (named := read_names(PAIR[0])):
        raise PreparationError(
            f"deploy/tls/cert.pem is for {', '.join(sorted(named))}, not for {host}: {anew}"
        )
    end, ends_soon = read_expiry(PAIR[0])
    report_file(PAIR[0], f"{'is there and stays as it is' if there else 'made'}, for {host} until {end}")
    if ends_soon:
        raise PreparationError(f"the certificate ends soon: {anew}")


def _issue_for_own_workers(settings: dict[str, str]) -> None:
    """Issue the certificate of this host's own workers, unless it exists or is not needed."""
    if arena_env.HOSTS_FILE not in settings.get("COMPOSE_FILE", ""):
        return
    folder = ROOT / settings.get("HOST_FOLDER", "deploy/host")
    certificate, key = folder / "cert.pem", folder / "key.pem"
    anew = f"rm -f {certificate} {key}, then run this again"
    was_there = certificate.exists() and key.exists()
    if not was_there:
        _need_key(HOSTS_AUTHORITY[1])
        issue_certificate(arena_env.OWN_HOST, HOSTS_AUTHORITY, folder)
        folder.chmod(0o755)  # containers read it as users of their own
    if not (is_signed_by(certificate, HOSTS_AUTHORITY[0]) and belong_together(certificate, key)):
        raise PreparationError(f"{certificate} is not of deploy/tls/workers.pem and {key}: {anew}")
    end, ends_soon = read_expiry(certificate)
    done = "is there and stays as it is" if was_there else "made"
    sys.stdout.write(f"{certificate}: {done}, for this host's own workers until {end}\n")
    if ends_soon:
        raise PreparationError(f"the certificate of this host's own workers ends soon: {anew}")


def _pin_images(settings: dict[str, str]) -> None:
    """Look up the digests of third-party images, once: the arena runs these until the next look-up."""
    if arena_env.IMAGES not in settings.get("COMPOSE_FILE", ""):
        words = "images are taken by tag, which may have moved by then; add it and run this again"
        report_file(ENV, f"COMPOSE_FILE lacks {arena_env.IMAGES}: {words}")
    elif pin_images.TARGET.exists():
        report_file(pin_images.TARGET, "is there and stays as it is")
    else:
        pin_images.write_pins()
        report_file(pin_images.TARGET, "made: the digest of each image of others, which runs from now on")


def _need_key(key: Path) -> None:
    if not key.exists():
        raise PreparationError(f"{key.relative_to(ROOT)} is missing: put it back from where it is kept")


def prepare_host(name: str) -> None:
    """Pack a certificate, a token and the files of compose into a tar."""
    archive = HOSTS / f"{name}.tar"
    if archive.exists():
        report_file(archive, "is there and stays as it is; to make another, remove it and revoke its token")
        return
    if not ENV.exists():
        raise PreparationError("there is no arena here yet: python3 -m deploy.prepare arena HOST")
    settings = arena_env.read_settings(ENV)
    _check_lets_hosts_in(settings)
    with tempfile.TemporaryDirectory() as room:
        folder = Path(room)
        issue_certificate(name, HOSTS_AUTHORITY, folder / "host")
        (folder / "host/ca.pem").write_bytes(ARENA_AUTHORITY[0].read_bytes())
        for file in ("worker-host.yml", "worker-seccomp.json"):
            (folder / file).write_bytes((DEPLOY / file).read_bytes())
        example = DEPLOY / "worker-host.env.example"
        same = {each: settings[each] for each in arena_env.read_settings(example) if each in settings}
        told = same | {"HOST_TOKEN": _create_token(name), "HOST_FOLDER": "./host", "WORKERS": "1"}
        try:
            arena_env.write_settings(
                example, told | {"COMPOSE_FILE": "worker-host.yml"}, folder / "worker-host.env"
            )
            _write_archive(folder, archive, f"maumau-{name}")
        except OSError as error:
            raise PreparationError(
                f"{error}; a token {name} was made: maumau token list, maumau token revoke"
            ) from None
    report_file(archive, "made; whoever has it can play as this host until its token is revoked")


def _check_lets_hosts_in(settings: dict[str, str]) -> None:
    """Check that the arena has ports for hosts, has this certificate, and their authority lasts a year."""
    files = settings.get("COMPOSE_FILE", "").split(":")
    missing = [file for file in arena_env.TLS_FILES if file not in files]
    if missing:
        raise PreparationError(
            f"COMPOSE_FILE in deploy/arena.env lacks {', '.join(missing)}: no other host gets in"
        )
    if (ROOT / settings.get("TLS_FOLDER", "deploy/tls")).resolve() != TLS:
        raise PreparationError(
            "TLS_FOLDER in deploy/arena.env is another than deploy/tls, whose ca.pem is packed"
        )
    _need_key(HOSTS_AUTHORITY[1])
    end, ends_soon = read_expiry(HOSTS_AUTHORITY[0], 365 * 86_400)
    if ends_soon:
        raise PreparationError(f"the hosts' authority ends on {end}, before a certificate for a year does")


def _create_token(name: str) -> str:
    """Create a token in the arena, which must run."""
    command = [*COMPOSE, "exec", "-T", "registry", "sh", "-c", CREATION, name]
    try:
        done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True)
        return str(json.loads(done.stdout.splitlines()[-1])["token"])
    except FileNotFoundError:
        raise PreparationError("docker is not installed") from None
    except subprocess.CalledProcessError as error:
        said = (error.stderr or error.stdout).strip()
        raise PreparationError(f"the arena gives no token; does it run?\n{said}") from None
    except (ValueError, LookupError, TypeError):
        raise PreparationError(f"the arena gives no token; it said:\n{done.stdout.strip()}") from None


def _write_archive(folder: Path, archive: Path, top: str) -> None:
    HOSTS.mkdir(mode=0o700, exist_ok=True)
    fresh = archive.with_suffix(".new")
    with tarfile.open(fresh, "w") as tar:
        tar.add(folder, top, filter=_with_mode)
    fresh.chmod(0o600)
    fresh.rename(archive)


def _with_mode(member: tarfile.TarInfo) -> tarfile.TarInfo:
    """Set the mode: containers read files as their own users; keys and settings are for their owner alone."""
    is_secret = member.name.endswith((".key", "key.pem", ".env"))
    member.mode = 0o755 if member.isdir() else member.mode if is_secret else 0o644
    return member


if __name__ == "__main__":
    main()
