"""The built page."""

from __future__ import annotations

import gzip
from pathlib import Path

import pytest
from starlette.requests import Request

from cabochon.server.page import Page
from tests.server.databases import NO_DATABASE

pytestmark = NO_DATABASE


@pytest.fixture
def page(tmp_path: Path) -> Page:
    (tmp_path / "assets").mkdir()
    (tmp_path / "index.html").write_text("<!doctype html><title>Cabochon</title>" * 20)
    (tmp_path / "assets" / "app-1.js").write_text("let a = 1;" * 100)
    (tmp_path / "manifest.webmanifest").write_text("{}")
    return Page(tmp_path)


def request(**headers: str) -> Request:
    raw = [(name.replace("_", "-").encode(), value.encode()) for name, value in headers.items()]
    return Request({"type": "http", "method": "GET", "path": "/", "headers": raw})


@pytest.mark.parametrize("path", ["", "t/abc", "claim", "index.html"])
def test_every_address_of_the_page_gives_the_page(page: Page, path: str) -> None:
    answer = page.answer(request(), path)
    assert answer is not None
    assert answer.headers["content-type"] == "text/html; charset=utf-8"
    assert answer.headers["cache-control"] == "no-cache"
    assert bytes(answer.body).startswith(b"<!doctype html>")


def test_files_are_packed_and_kept(page: Page) -> None:
    plain = page.answer(request(), "assets/app-1.js")
    packed = page.answer(request(accept_encoding="gzip, br"), "assets/app-1.js")
    assert plain is not None
    assert packed is not None
    assert gzip.decompress(bytes(packed.body)) == plain.body
    assert packed.headers["content-encoding"] == "gzip"
    assert plain.headers["cache-control"] == "public, max-age=31536000, immutable"
    assert plain.headers["content-type"].startswith("text/javascript")
    unchanged = page.answer(request(if_none_match=plain.headers["etag"]), "assets/app-1.js")
    assert unchanged is not None
    assert (unchanged.status_code, unchanged.body) == (304, b"")
    manifest = page.answer(request(), "manifest.webmanifest")
    assert manifest is not None
    assert manifest.headers["content-type"] == "application/manifest+json"


@pytest.mark.parametrize("path", ["assets/app-2.js", "../secret.txt", "favicon.ico"])
def test_files_that_are_not_there(page: Page, path: str) -> None:
    assert page.answer(request(), path) is None


def test_a_page_that_is_not_built_says_so(tmp_path: Path) -> None:
    answer = Page(tmp_path).answer(request(), "")
    assert answer is not None
    assert answer.status_code == 503
    assert b"make page" in bytes(answer.body)
