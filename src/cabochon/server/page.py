"""The built page: read and gzipped once, and served from memory."""

import gzip
import hashlib
import mimetypes
from dataclasses import dataclass
from pathlib import Path

from starlette.requests import Request
from starlette.responses import PlainTextResponse, Response

FOLDER = Path(__file__).parent / "static"
INDEX = "index.html"
UNCHANGING = "assets/"  # the names of these files change with their content
PACKED_TYPES = ("text/", "application/javascript", "application/json", "application/manifest+json", "image/svg+xml")
NOT_BUILT = "The page is not built. Run `make page`, and restart the server.\n"

mimetypes.add_type("application/manifest+json", ".webmanifest")
mimetypes.add_type("text/javascript", ".js")
mimetypes.add_type("font/woff2", ".woff2")


@dataclass(frozen=True)
class _File:
    content: bytes
    packed: bytes | None
    kind: str
    headers: dict[str, str]


def _read(path: Path, name: str) -> _File:
    content = path.read_bytes()
    kind = mimetypes.guess_type(name)[0] or "application/octet-stream"
    packed = gzip.compress(content, 9, mtime=0) if kind.startswith(PACKED_TYPES) else content
    tag = f'"{hashlib.sha256(content).hexdigest()[:32]}"'
    caching = "public, max-age=31536000, immutable" if name.startswith(UNCHANGING) else "no-cache"
    headers = {"ETag": tag, "Cache-Control": caching, "Vary": "Accept-Encoding"}
    return _File(content, packed if len(packed) < len(content) else None, kind, headers)


class Page:
    """The files of the built page by their paths."""

    def __init__(self, folder: Path = FOLDER) -> None:
        paths = {path.relative_to(folder).as_posix(): path for path in sorted(folder.rglob("*")) if path.is_file()}
        self._files = {name: _read(path, name) for name, path in paths.items()}

    def answer(self, request: Request, path: str) -> Response | None:
        """Return the file of a path; for other paths without a file extension, the page, which has its own router."""
        name = path.strip("/") or INDEX
        if name not in self._files and "." not in name.rpartition("/")[2]:
            name = INDEX
        file = self._files.get(name)
        if file is None:
            return PlainTextResponse(NOT_BUILT, 503) if name == INDEX else None
        if request.headers.get("if-none-match") == file.headers["ETag"]:
            return Response(status_code=304, headers=file.headers)
        if file.packed is not None and "gzip" in request.headers.get("accept-encoding", ""):
            return Response(file.packed, media_type=file.kind, headers={**file.headers, "Content-Encoding": "gzip"})
        return Response(file.content, media_type=file.kind, headers=file.headers)
