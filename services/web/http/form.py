"""Forms as they are sent; one that cannot be read is refused in a sentence."""

from typing import Final

from python_multipart.multipart import parse_options_header
from starlette.datastructures import FormData
from starlette.requests import Request

from maumau.errors import BadRequest

FIELDS: Final = 40  # most fields of a form, unless a page says otherwise
KINDS: Final = (b"application/x-www-form-urlencoded", b"multipart/form-data")
CHARSETS: Final = (b"utf-8", b"utf8", b"us-ascii")
UNREADABLE: Final = (
    "This form cannot be read: forms are sent as form fields or as multipart/form-data, in UTF-8."
)


async def read_form(request: Request, *, files: int = 0, fields: int = FIELDS) -> FormData:
    """Return the fields of a form; raise BadRequest if they cannot be read.

    Other charsets than a browser's are refused by name: codecs such as `idna` raise what no parser expects.
    """
    kind, options = parse_options_header(request.headers.get("content-type"))
    if kind.lower() not in KINDS or options.get(b"charset", b"utf-8").lower() not in CHARSETS:
        raise BadRequest(UNREADABLE)
    try:
        return await request.form(max_files=files, max_fields=fields)
    except (LookupError, ValueError) as error:
        raise BadRequest(UNREADABLE) from error
