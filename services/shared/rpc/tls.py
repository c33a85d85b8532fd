"""Certificates of servers and of workers' hosts, from files; a server's may be replaced while it runs."""

import contextlib
import os
import ssl
from pathlib import Path
from typing import Any, NamedTuple

import grpc

from maumau.errors import BadSetting
from services.shared.base import log
from services.shared.base.settings import PREFIX, Settings

DATES = {9, 10}  # OpenSSL's codes of a certificate that is not yet valid, and of an expired one

logger = log.get(__name__)


class Own(NamedTuple):
    """A client's own key and certificate with its chain, in PEM."""

    key: bytes
    chain: bytes


class Certificate:
    """A chain and its key in two PEM files, checked for changes at every handshake.

    clients: PEM certificates of the authority that issues clients' certificates; None if clients show none.
    setting: the prefix of the two settings' names. The constructor raises BadSetting if the files are missing
    or do not match. If they are later replaced by unusable ones, as between the two writes of a renewal, the
    last usable pair stays in use.
    """

    def __init__(
        self, chain: Path, key: Path, clients: bytes | None = None, setting: str = "MAUMAU_TLS"
    ) -> None:
        self._chain, self._key, self._clients, self._setting = chain, key, clients, setting
        self._stamp = self._look()
        self.first = self._read()

    def fetch(self) -> Any:
        """Return a new configuration for gRPC's handshake, or None to keep the last one."""
        try:
            stamp = self._look()
            if stamp == self._stamp:
                return None
            fresh = self._read()
        except BadSetting as error:
            logger.warning("certificate not renewed", words=str(error))
            return None
        self._stamp = stamp
        logger.info("certificate renewed", file=str(self._chain))
        return fresh

    def _look(self) -> tuple[tuple[int, int, int], ...]:
        try:
            found = [path.stat() for path in (self._chain, self._key)]
        except OSError as error:
            raise _unreadable(error, self._setting) from None
        return tuple((each.st_ino, each.st_mtime_ns, each.st_size) for each in found)

    def _read(self) -> Any:
        pair = read_pair(self._chain, self._key, self._setting)
        return grpc.ssl_server_certificate_configuration([pair], self._clients)


def read_pair(chain: Path, key: Path, setting: str = "MAUMAU_TLS") -> Own:
    """Return the pair in the files that two settings name. Raise BadSetting if it is not usable."""
    try:
        # first, since OpenSSL does not report which file is missing
        pair = Own(key.read_bytes(), chain.read_bytes())
        ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER).load_cert_chain(chain, key, password="")
        check_dates(chain, key, setting)
    except ssl.SSLError as error:
        words = f"{chain} and {key} are not a certificate and its key in PEM ({error.reason})"
        raise BadSetting(f"{words}; {setting}_CERT and {setting}_KEY name them.") from None
    except OSError as error:
        raise _unreadable(error, setting) from None
    return pair


def check_dates(chain: Path, key: Path, setting: str = "MAUMAU_TLS") -> None:
    """Raise BadSetting for a certificate that is expired or not yet valid."""
    try:
        _shake_hands(chain, key, chain)
    except ssl.SSLCertVerificationError as error:
        if error.verify_code in DATES:
            words = f"{chain}: {error.verify_message}; renew it and try again, {setting}_CERT names it."
            raise BadSetting(words) from None


def check_name(settings: Settings, service: str) -> None:
    """Raise BadSetting unless the other services will accept this one's certificate.

    They verify it against the address that all services have in their settings.
    """
    address = str(getattr(settings, f"{service}_address", ""))
    if not (settings.tls_cert and address):
        return
    chain, key, host = Path(settings.tls_cert), Path(settings.tls_key), address.rpartition(":")[0].strip("[]")
    try:
        _shake_hands(chain, key, Path(settings.tls_ca or settings.tls_cert), host)
    except ssl.SSLCertVerificationError as error:
        raise BadSetting(
            f"The certificate {chain} is not valid for {host}, the address in"
            f" MAUMAU_{service.upper()}_ADDRESS ({error.verify_message}): issue one for {host} from the"
            " authority in MAUMAU_TLS_CA, or correct the address."
        ) from None


def _shake_hands(chain: Path, key: Path, trust: Path, host: str = "") -> None:
    """Make a TLS handshake of a client and this server in memory. host: "" for any name."""
    server, client = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER), ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    server.load_cert_chain(chain, key, password="")
    client.check_hostname = bool(host)
    client.verify_flags |= ssl.VERIFY_X509_PARTIAL_CHAIN
    client.load_verify_locations(trust)
    there, back = ssl.MemoryBIO(), ssl.MemoryBIO()
    ours = server.wrap_bio(there, back, server_side=True)
    theirs = client.wrap_bio(back, there, server_hostname=host or None)
    for side in (theirs, ours, theirs, ours):
        with contextlib.suppress(ssl.SSLWantReadError):
            side.do_handshake()


def _unreadable(error: OSError, setting: str = "MAUMAU_TLS") -> BadSetting:
    who = f", and user {os.getuid()} must be able to read both" if isinstance(error, PermissionError) else ""
    return BadSetting(
        f"{error.filename or 'A file'} cannot be read ({error.strerror}); {setting}_CERT and {setting}_KEY"
        f" name the certificate and its key{who}."
    )


def server_credentials(settings: Settings) -> Any:
    """Return the credentials of a gRPC server; None for plain text. Raise BadSetting."""
    _check_both(settings, "tls_cert", "tls_key")
    if not settings.tls_cert:
        return None
    certificate = Certificate(Path(settings.tls_cert), Path(settings.tls_key))
    return grpc.dynamic_ssl_server_credentials(certificate.first, certificate.fetch)


def worker_credentials(settings: Settings) -> Any:
    """Return the credentials of a gRPC server's port for hosts of workers; None if it has none.

    Callers there show a certificate of the authority in MAUMAU_TLS_WORKERS_CA. Raise BadSetting.
    """
    _check_both(settings, "listen_workers", "tls_workers_ca")
    _check_both(settings, "tls_workers_cert", "tls_workers_key")
    if not settings.listen_workers:
        return None
    setting, files = _pair_for_workers(settings)
    authority = trusted(settings.tls_workers_ca, "MAUMAU_TLS_WORKERS_CA")
    certificate = Certificate(*files, authority, setting)
    return grpc.dynamic_ssl_server_credentials(
        certificate.first, certificate.fetch, require_client_authentication=True
    )


def _pair_for_workers(settings: Settings) -> tuple[str, tuple[Path, Path]]:
    """Return the prefix of the two settings' names, and their files: of that port, or else of the first."""
    if settings.tls_workers_cert:
        return "MAUMAU_TLS_WORKERS", (Path(settings.tls_workers_cert), Path(settings.tls_workers_key))
    if settings.tls_cert:
        return "MAUMAU_TLS", (Path(settings.tls_cert), Path(settings.tls_key))
    raise BadSetting(
        "MAUMAU_LISTEN_WORKERS needs the service's own certificate: set MAUMAU_TLS_CERT and MAUMAU_TLS_KEY,"
        " or MAUMAU_TLS_WORKERS_CERT and MAUMAU_TLS_WORKERS_KEY for that port alone."
    )


def own_certificate(settings: Settings) -> Own | None:
    """Return the certificate that a worker shows to the services; None for none. Raise BadSetting."""
    _check_both(settings, "tls_client_cert", "tls_client_key")
    if not settings.tls_client_cert:
        return None
    if not settings.tls_ca:
        raise BadSetting("MAUMAU_TLS_CLIENT_CERT is shown only over TLS: set MAUMAU_TLS_CA, too.")
    pair = Path(settings.tls_client_cert), Path(settings.tls_client_key)
    return read_pair(*pair, setting="MAUMAU_TLS_CLIENT")


def _check_both(settings: Settings, *names: str) -> None:
    """Raise BadSetting if only one of these two is set."""
    if len({bool(getattr(settings, name)) for name in names}) > 1:
        one, other = (PREFIX + name.upper() for name in names)
        raise BadSetting(f"{one} and {other} belong together: set both or neither.")


def trusted(path: str, setting: str = "MAUMAU_TLS_CA") -> bytes:
    """Return the authority's certificates in this file, against which the other side's is verified.

    Empty without a file: plain text. setting: its name, for messages. Raise BadSetting.
    """
    if not path:
        return b""
    try:
        roots = Path(path).read_bytes()
        ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT).load_verify_locations(path)
    except ssl.SSLError as error:
        raise BadSetting(f"{setting} = {path!r} has no certificate ({error.reason}).") from None
    except OSError as error:
        raise BadSetting(f"{setting} = {path!r} cannot be read ({error.strerror}).") from None
    return roots
