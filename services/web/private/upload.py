"""Uploads of bots by a browser: a folder, a zip or a `.py` file, checked as `maumau submit` does."""

import threading

from starlette.datastructures import FormData, UploadFile

from maumau.errors import NoSubmission, TooLargePacked
from maumau.protocol.limit import UploadLimits
from maumau.submission import package, source
from maumau.submission.package import Package

AT_ONCE = threading.Semaphore(2)
"""Uploads unpacked at the same time: each may need 64 MiB."""


def pack_form(form: FormData, limits: UploadLimits) -> Package:
    """Return the files of a form, packed; raise BadSubmission, with the reason, for any refusal."""
    files = [one for one in form.getlist("files") if isinstance(one, UploadFile) and one.filename]
    if not files:
        raise NoSubmission("No file was chosen: choose a folder with a bot.toml, a zip or a .py file.")
    with AT_ONCE:
        sent = [(str(one.filename), one.file.read(limits.unpacked + 1)) for one in files]
        return pack_files(sent, limits)


def pack_files(files: list[tuple[str, bytes]], limits: UploadLimits) -> Package:
    """Return the package of these files: paths with `/` and contents, or a single zip or `.py` file."""
    name, content = files[0]
    if len(files) == 1 and name.lower().endswith(".zip"):
        if len(content) > limits.packed:
            raise TooLargePacked(f"The zip has more than the {limits.packed:,} bytes allowed.")
        members = source.from_zip(content, limits)
    elif len(files) == 1 and name.endswith(".py") and "/" not in name:
        members = package.pack_single_file(name, content, limits)
    else:
        members = source.from_files(files, limits)
    return package.from_members(members, limits)
