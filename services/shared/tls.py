"""Certificates of servers, from files that may be replaced while they run."""

import contextlib
import ssl
from pathlib import Path
from typing import Any

import grpc

from maumau.errors import BadSetting
from services.shared import log
from services.shared.settings import Settings

DATES = {9, 10}  # OpenSSL's numbers for a certificate that is not yet valid, and for one that has expired

logger = log.get(__name__)


class Certificate:
    """A chain and its key in two PEM files, looked at again at every handshake.

    Raises BadSetting if they cannot be read or do not belong together. When they are replaced later by what
    cannot be used, as between the two writes of a renewal, the last usable pair stays.
    """

    def __init__(self, chain: Path, key: Path) -> None:
        self._chain, self._key = chain, key
        self._stamp = self._look()
        self.first = self._read()

    def fetch(self) -> Any:
        """What gRPC asks at each handshake: a new configuration, or None to keep the last one."""
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
            raise _unreadable(error) from None
        return tuple((each.st_ino, each.st_mtime_ns, each.st_size) for each in found)

    def _read(self) -> Any:
        try:
            ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER).load_cert_chain(self._chain, self._key, password="")
            pair = (self._key.read_bytes(), self._chain.read_bytes())
            check_dates(self._chain, self._key)
        except ssl.SSLError as error:
            words = f"{self._chain} and {self._key} are not a certificate and its key in PEM ({error.reason})"
            raise BadSetting(f"{words}; MAUMAU_TLS_CERT and MAUMAU_TLS_KEY name them.") from None
        except OSError as error:
            raise _unreadable(error) from None
        return grpc.ssl_server_certificate_configuration([pair])


def check_dates(chain: Path, key: Path) -> None:
    """Raises BadSetting for a certificate that no client would take, because of its dates."""
    try:
        _shake_hands(chain, key, chain)
    except ssl.SSLCertVerificationError as error:
        if error.verify_code in DATES:
            words = f"{chain}: {error.verify_message}; renew it and try again, MAUMAU_TLS_CERT names it."
            raise BadSetting(words) from None


def check_name(settings: Settings, service: str) -> None:
    """Raises BadSetting unless the other services will believe this one's certificate.

    They look for it at the address that the settings tell all of them.
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
    """As a client and this server would do, in memory. host: "" for any name."""
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


def _unreadable(error: OSError) -> BadSetting:
    return BadSetting(
        f"{error.filename or 'A file'} cannot be read ({error.strerror}); MAUMAU_TLS_CERT and MAUMAU_TLS_KEY"
        " name the certificate and its key."
    )


def server_credentials(settings: Settings) -> Any:
    """The credentials of a gRPC server; None where it speaks plain text. Raises BadSetting."""
    if bool(settings.tls_cert) != bool(settings.tls_key):
        raise BadSetting("MAUMAU_TLS_CERT and MAUMAU_TLS_KEY belong together: set both or neither.")
    if not settings.tls_cert:
        return None
    certificate = Certificate(Path(settings.tls_cert), Path(settings.tls_key))
    return grpc.dynamic_ssl_server_credentials(certificate.first, certificate.fetch)


def trusted(path: str) -> bytes:
    """The certificates of the authority in this file, which the neighbours' are checked against.

    Empty for no file: plain text. Raises BadSetting.
    """
    if not path:
        return b""
    try:
        roots = Path(path).read_bytes()
        ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT).load_verify_locations(path)
    except ssl.SSLError as error:
        raise BadSetting(f"MAUMAU_TLS_CA = {path!r} has no certificate ({error.reason}).") from None
    except OSError as error:
        raise BadSetting(f"MAUMAU_TLS_CA = {path!r} cannot be read ({error.strerror}).") from None
    return roots
