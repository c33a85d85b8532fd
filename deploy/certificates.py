"""Certificates by the program openssl: two authorities, a pair for the services, one for each host.

Keys and the files that a container must read belong to the users of its image, as compose mounts them.
"""

from __future__ import annotations

import ipaddress
import os
import re
import subprocess
from pathlib import Path

INNER_NAMES = ("registry", "tournament", "engine", "matchmaking", "localhost")
"""Names within the arena, for which its certificate is."""
ARENA_USER, REDIS_USER = 10001, 999
KEY = ("-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes")
AUTHORITY = ("-days", "3650", "-addext", "keyUsage=critical,keyCertSign")
ISSUED = ("-days", "365", "-addext", "basicConstraints=critical,CA:FALSE")
RENEWAL_SECONDS = 30 * 86400
"""Seconds before its end in which a certificate should be renewed."""


class PreparationError(Exception):
    """An impossible request, or one that would overwrite something; the message has advice."""


def openssl(*words: str) -> str:
    """Run openssl and return its standard output; raise PreparationError if it is missing or fails."""
    try:
        done = subprocess.run(["openssl", *words], capture_output=True, text=True, check=True)
    except FileNotFoundError:
        raise PreparationError("openssl is not installed; it comes with the package openssl") from None
    except subprocess.CalledProcessError as error:
        raise PreparationError(f"openssl {words[0]} failed: {error.stderr.strip()}") from None
    return done.stdout


def make_authority(name: str, key: Path, certificate: Path) -> None:
    """Create an authority that is valid for ten years."""
    subject = ("-subj", f"/CN={name}", "-keyout", str(key), "-out", str(certificate))
    openssl("req", "-x509", *KEY, *AUTHORITY, *subject)
    key.chmod(0o600)
    certificate.chmod(0o644)


def issue_certificate(
    name: str, authority: tuple[Path, Path], folder: Path, names: tuple[str, ...] = ()
) -> None:
    """Issue cert.pem and key.pem for a year; authority: certificate and key. names: for servers."""
    folder.mkdir(parents=True, exist_ok=True)
    key, certificate = folder / "key.pem", folder / "cert.pem"
    alternative = ",".join(f"{'IP' if is_address(one) else 'DNS'}:{one}" for one in names)
    more = ("-addext", f"subjectAltName={alternative}") if names else ()
    signed = ("-CA", str(authority[0]), "-CAkey", str(authority[1]), "-subj", f"/CN={name}")
    openssl("req", "-x509", *KEY, *ISSUED, *signed, *more, "-keyout", str(key), "-out", str(certificate))
    certificate.chmod(0o644)
    give_key(key, ARENA_USER)


def give_key(key: Path, user: int) -> None:
    """Make the key readable by this user only."""
    key.chmod(0o400)
    os.chown(key, user, user)


def is_signed_by(certificate: Path, authority: Path) -> bool:
    """Return True if this authority has signed the certificate."""
    words = [
        "openssl",
        "verify",
        "-CAfile",
        str(authority),
        "-partial_chain",
        "-no_check_time",
        str(certificate),
    ]
    return subprocess.run(words, capture_output=True, check=False).returncode == 0


def belong_together(certificate: Path, key: Path) -> bool:
    """Return True if the key belongs to the certificate."""
    of_certificate = openssl("x509", "-in", str(certificate), "-noout", "-pubkey")
    return openssl("pkey", "-in", str(key), "-pubout") == of_certificate


def is_address(name: str) -> bool:
    """Return True if the name is an IP address."""
    try:
        ipaddress.ip_address(name)
    except ValueError:
        return False
    return True


def read_names(certificate: Path) -> set[str]:
    """Return the names and addresses of a server certificate."""
    said = openssl("x509", "-in", str(certificate), "-noout", "-ext", "subjectAltName")
    found = re.findall(r"(?:DNS|IP Address):([^,\s]+)", said)
    return {str(ipaddress.ip_address(one)) if is_address(one) else one for one in found}


def read_expiry(certificate: Path, seconds: int = RENEWAL_SECONDS) -> tuple[str, bool]:
    """Return the certificate's end, as openssl writes it, and whether it is less than `seconds` away."""
    words = ["openssl", "x509", "-in", str(certificate), "-noout", "-checkend", str(seconds)]
    ends_soon = subprocess.run(words, capture_output=True, check=False).returncode != 0
    end = openssl("x509", "-in", str(certificate), "-noout", "-enddate").strip().removeprefix("notAfter=")
    return end, ends_soon
